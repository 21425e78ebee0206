"""What a clerk does with boards: list, read and make them."""

from __future__ import annotations

import io
import re
import secrets
from itertools import islice
from typing import TYPE_CHECKING, Any

from genoku import collection
from genoku.board import Puzzle
from genoku.errors import FormatError, GenokuError, PuzzleError
from genoku.formats import Entry, read_puzzles, recognise
from genoku.geometry import Geometry
from genoku.web.jobs.advice import shape

if TYPE_CHECKING:
    from genoku.symmetry import Symmetry
    from genoku.techniques import Level

MOST_PUZZLES = 200
"""Puzzles of a file that are handed over; the others are counted."""
MOST_COMPLAINTS = 20
MOST_BAD = 2_000  # entries, before a file counts as something else
HEAD = 65_536  # characters that tell a format
_UNMISTAKABLE = ("json", "jsonl", "opensudoku", "csv", "lloyd-amos", "sdk", "ss")
"""Formats that no board alone looks like."""


class NamedText(io.BytesIO):
    """A file's text under the name that messages are to call it by."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text.encode("utf-8", "replace"))
        self.name = name


def described(puzzle: Puzzle, name: str = "") -> dict[str, Any]:
    """A puzzle as the API shows it."""
    geometry = puzzle.geometry
    return {
        "puzzle": str(puzzle),
        "box": geometry.box,
        "side": geometry.side,
        "box_rows": geometry.box_rows,
        "box_cols": geometry.box_cols,
        "digits": list(puzzle.digits),
        "givens": puzzle.givens,
        "name": name,
    }


def bundled() -> list[dict[str, Any]]:
    """The puzzles that come with genoku, in groups."""
    return [
        described(one.puzzle, one.name)
        | {"group": _group(one), "about": _about(one), "solutions": one.solutions}
        for one in collection.bundled().values()
    ]


def _group(one: collection.Bundled) -> str:
    if report := re.match(r"report \d+", one.source):
        return report[0].capitalize()
    return "Made by genoku" if one.source.startswith("genoku ") else "Famous"


def _about(one: collection.Bundled) -> str:
    source = (
        one.source[0].upper() + one.source[1:] if one.source.startswith("report") else one.source
    )
    return f"{source}; {one.note}" if one.note else source


def parsed(text: str, box: str | None) -> dict[str, Any]:
    """One puzzle, from its text in any format, or by the name of a bundled one."""
    boxes = shape(box)
    known = collection.bundled().get(text.strip())
    if known is not None:
        return described(Puzzle.parse(known.puzzle, box=boxes), known.name)
    if recognise(text[:HEAD], boxes).name in _UNMISTAKABLE:
        return _lone(_read(text, boxes))
    try:
        return described(Puzzle.parse(text, box=boxes))
    except PuzzleError as error:
        try:
            entries = _read(text, boxes)
        except FormatError:
            raise error from None
        return _lone(entries)


def _read(text: str, boxes: Geometry | None) -> list[Entry]:
    """The first two puzzles of a text: enough to tell whether it is one."""
    return list(islice(read_puzzles(NamedText(text, "text"), box=boxes), 2))


def _lone(entries: list[Entry]) -> dict[str, Any]:
    if len(entries) == 1:
        return described(entries[0].puzzle, entries[0].name)
    raise FormatError(f"expected one puzzle, got {'several' if entries else 'none'}")


def imported(text: str, filename: str, box: str | None) -> dict[str, Any]:
    """The puzzles of a file, as far as they are handed over, and what was wrong with the others."""
    complaints: list[str] = []
    bad = 0

    def complain(error: FormatError) -> None:
        nonlocal bad
        bad += 1
        if bad <= MOST_COMPLAINTS:
            complaints.append(str(error))
        if bad >= MOST_BAD:
            raise FormatError(f"{error}; after {MOST_BAD:,} such entries, reading stopped here")

    puzzles: list[dict[str, Any]] = []
    found = 0
    stream = NamedText(text, filename or "text")
    known = _format_of(text, filename)
    try:
        for entry in read_puzzles(stream, format=known, box=shape(box), on_error=complain):
            found += 1
            if found <= MOST_PUZZLES:
                puzzles.append(described(entry.puzzle, entry.name))
    except FormatError as error:
        complaints.insert(0, str(error))
    if not found:
        return _alone(text, box, complaints[0] if filename and complaints else "")
    stem = filename.removesuffix(".gz").rpartition(".")[0] or filename
    for number, one in enumerate(puzzles, start=1):
        one["name"] = one["name"] or (stem if found == 1 else f"{stem or 'puzzle'} {number}")
    more = found - len(puzzles)
    return {"puzzles": puzzles, "more": more, "bad": bad, "complaints": complaints}


def _alone(text: str, box: str | None, complaint: str) -> dict[str, Any]:
    """The text as one board, however it is laid out; else what was wrong with it as a file."""
    try:
        return {"puzzles": [parsed(text, box)], "more": 0, "bad": 0, "complaints": []}
    except GenokuError:
        if complaint:
            raise FormatError(complaint) from None
        raise


def _format_of(text: str, filename: str) -> str | None:
    """What content leaves open, the suffix may say: a table with tabs looks like rows."""
    return "tsv" if filename.lower().endswith(".tsv") and "\t" in text else None


def generated(
    box: str,
    level: Level | None,
    givens: int | None,
    share: float | None,
    symmetry: Symmetry,
    seed: int | None,
) -> dict[str, Any]:
    """A new puzzle; a seed is drawn where none is asked for."""
    from genoku.generator import Wanted, generate

    geometry = Geometry.parse(box)
    wanted = Wanted(geometry, givens=givens, symmetry=symmetry, level=level, share=share)
    seed = secrets.randbelow(2**32) if seed is None else seed
    made = generate(wanted, seed)
    what = f"{geometry.side}×{geometry.side}" + (f" {level}" if level else "")
    return described(made.puzzle, f"{what}, seed {seed}") | {"seed": seed, "verdict": made.verdict}
