"""The guided tour: its chapters and their scenes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from genoku.present.scenes.views import CHAPTERS, Chapter, Lesson
from genoku.web.http_errors import NotFoundError
from genoku.web.services import in_worker

router = APIRouter(prefix="/api", tags=["lessons"])

NAMES = [each.name for each in CHAPTERS]
LESSON_SECONDS = 90.0  # kernels of rare operators may have to be compiled
Name = Annotated[str, Path(max_length=40, examples=["crossover"])]
Seed = Annotated[int, Query(ge=0, lt=2**32, description="Random seed of the boards.")]


@router.get("/lessons", summary="The chapters of the tour")
def chapters() -> list[Chapter]:
    """All chapters in order, with their text and a run to try."""
    return list(CHAPTERS)


@in_worker(
    router.get("/lessons/{name}", summary="A chapter with its scenes"), seconds=LESSON_SECONDS
)
def chapter(name: Name, seed: Seed = 1) -> Lesson:
    """Boards, random draws and curves of a chapter, computed by the engine's operators."""
    from genoku.present.scenes.tour import lesson

    if name not in NAMES:
        raise NotFoundError(f"expected a chapter, {', '.join(NAMES)}, got {name!r}")
    return lesson(name, seed)
