"""What came of a run, to take home."""

from __future__ import annotations

import re
from typing import Literal

from fastapi import APIRouter, Response

from genoku.web.live.snapshot import Facts
from genoku.web.routes.live import ASession
from genoku.web.routes.parts import work
from genoku.web.services import Here

router = APIRouter(prefix="/api", tags=["runs"])

Name = Literal["board.svg", "board.png", "solution.txt", "history.csv", "recipe.toml", "run.gif"]
Palette = Literal["003", "safe"]

KINDS: dict[str, str] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "gif": "image/gif",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "toml": "application/toml; charset=utf-8",
}
LONGEST = 80  # characters of a file's name


@router.get(
    "/runs/{id}/files/{name}",
    summary="What came of a run, as a file",
    response_class=Response,
    responses={
        200: {
            "description": "The file.",
            "content": {
                kind.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}}
                for kind in KINDS.values()
            },
        }
    },
)
async def file(run: ASession, name: Name, here: Here, palette: Palette = "003") -> Response:
    """The best board as a picture or text, the history, the recipe, or a film of the run.

    A run that still goes on is taken as it stands.
    """
    facts, packed = run.body(), await here.sessions.ask(run, "result")
    content = await work(here, "files.file", name, facts, packed, palette)
    shown = f'attachment; filename="{_title(facts)}-{name}"'
    kind = KINDS[name.rpartition(".")[2]]
    return Response(content, headers={"Content-Disposition": shown, "Content-Type": kind})


def _title(facts: Facts) -> str:
    """Preset, puzzle and seed in letters that every system takes for a file's name."""
    said = f"genoku-{facts.lanes[0].preset}-{facts.name}-seed{facts.seed}"
    plain = re.sub(r"[^A-Za-z0-9]+", "-", said)
    return plain.strip("-")[:LONGEST]
