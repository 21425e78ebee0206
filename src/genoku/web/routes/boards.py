"""Puzzles: those that come with genoku, those that people bring, and new ones."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter

from genoku.errors import PuzzleError
from genoku.geometry import Geometry
from genoku.web.jobs import advice, boards
from genoku.web.routes.board_models import (
    Board,
    Check,
    Checked,
    Collection,
    Generate,
    Generated,
    Hint,
    Hinted,
    Import,
    Imported,
    Parse,
)
from genoku.web.services import Here

router = APIRouter(prefix="/api", tags=["boards"])


@cache
def _collection() -> Collection:
    return Collection.model_validate({"puzzles": boards.bundled()})


@router.get("/puzzles", summary="Puzzles that come with genoku")
def puzzles() -> Collection:
    """Every bundled puzzle with its source and what is known of it."""
    return _collection()


@router.post("/puzzles/parse", summary="Read one puzzle")
async def parse(asked: Parse, here: Here) -> Board:
    """Read a puzzle from its text: a line, rows, numbers, or any of the file formats."""
    return Board(**await here.clerks.call(boards.parsed, asked.text, asked.box))


@router.post("/puzzles/import", summary="Read a file of puzzles")
async def import_(asked: Import, here: Here) -> Imported:
    """Read the puzzles of a file's text. At most 200 come back; the rest is counted."""
    found = await here.clerks.call(boards.imported, asked.text, asked.filename, asked.box)
    return Imported(**found)


@router.post("/puzzles/check", summary="Check a puzzle")
async def check(asked: Check, here: Here) -> Checked:
    """Find clashes, count solutions and, if asked to, rate the difficulty."""
    found = await here.clerks.call(advice.checked, asked.puzzle, asked.box, asked.count, asked.rate)
    return Checked(**found)


@router.post("/puzzles/hint", summary="Explain the next step")
async def hint(asked: Hint, here: Here) -> Hinted:
    """Say what a person could do next, by the easiest technique that applies."""
    removed = [(each.cell, each.digit) for each in asked.removed]
    found = await here.clerks.call(advice.hinted, asked.puzzle, asked.box, asked.board, removed)
    return Hinted(**found)


@router.post("/puzzles/generate", summary="Make a puzzle")
async def generate(asked: Generate, here: Here) -> Generated:
    """Make a new puzzle, with one solution unless a share of givens is asked for."""
    made = await here.clerks.call(
        boards.generated,
        _box(asked.size, asked.box),
        asked.level,
        asked.givens,
        asked.share,
        asked.symmetry,
        asked.seed,
    )
    return Generated(**made)


def _box(size: int | None, box: str | None) -> str:
    """The shape wanted, which side and box may both say, but not differently."""
    if box is None:
        return Geometry.of_side(size or 9).box
    geometry = Geometry.parse(box)
    if size not in (None, geometry.side):
        raise PuzzleError(f"expected boxes for a side of {size}, got {geometry.box}")
    return geometry.box
