"""The guided tour: its chapters, and the scenes that the engine makes for them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from genoku.web.jobs import lessons as job
from genoku.web.lessons.contents import CHAPTERS
from genoku.web.lessons.parts import Chapter, Lesson
from genoku.web.refusals import NotFoundError
from genoku.web.services import Here

router = APIRouter(prefix="/api", tags=["lessons"])

NAMES = [each.name for each in CHAPTERS]
PATIENCE = 90.0  # seconds: kernels of rare operators may have to be compiled first


@router.get("/lessons", summary="The chapters of the tour")
def chapters() -> list[Chapter]:
    """All chapters in their order, with their text and what to run next."""
    return list(CHAPTERS)


@router.get("/lessons/{name}", summary="A chapter with its scenes")
async def chapter(
    here: Here,
    name: Annotated[str, Path(max_length=40, examples=["crossover"])],
    seed: Annotated[int, Query(ge=0, lt=2**32, description="Another seed, other boards.")] = 1,
) -> Lesson:
    """Boards, draws and curves of a chapter, made by the engine's own operators from a seed."""
    if name not in NAMES:
        raise NotFoundError(f"expected a chapter, {', '.join(NAMES)}, got {name!r}")
    made: Lesson = await here.clerks.call(job.lesson, name, seed, seconds=PATIENCE)
    return made
