"""One puzzle of a file, with what the file says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from genoku import notation
from genoku.board import Puzzle
from genoku.errors import FormatError, PuzzleError
from genoku.notation import Alphabet

RESERVED = frozenset({"puzzle", "solution", "name", "box"})
"""Words with a place of their own in our formats, which no extra field may take."""


@dataclass(frozen=True)
class Entry:
    """A puzzle, its name, its solution (`digits` row by row) and further fields as text.

    `line` is where the file has it; two entries are equal wherever they stand.

    >>> Entry(Puzzle.parse("1.....3..4.....2"), name="tiny", fields={"rating": "1.2"}).name
    'tiny'
    """

    puzzle: Puzzle
    name: str = ""
    solution: bytes | None = None
    fields: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if self.solution is not None:
            _check_full(self.solution, self.puzzle)
        for key in self.fields:
            if key.strip().lower() in RESERVED:
                raise FormatError(
                    f"expected a field name other than {key!r}, which has its own place"
                )


def read_solution(text: str, puzzle: Puzzle, alphabet: Alphabet = "auto") -> bytes:
    """The full board of `puzzle`'s shape that `text` says.

    A full board has no blanks, so where `0` could be one, it is the first digit.
    """
    tried: list[Alphabet] = ["one", "zero", "letters"] if alphabet == "auto" else [alphabet]
    first: bytes | PuzzleError | None = None
    for attempt in tried:
        try:
            digits = notation.read(text, puzzle.geometry, attempt)[1]
            _check_full(digits, puzzle)
        except PuzzleError as error:
            first = first or error
            continue
        if all(given in (0, digit) for given, digit in zip(puzzle.digits, digits, strict=True)):
            return digits
        first = digits if attempt == tried[0] else first
    if isinstance(first, bytes):
        return first
    raise first or PuzzleError("expected a solution")


def _check_full(digits: bytes, puzzle: Puzzle) -> None:
    if len(digits) != puzzle.geometry.cells:
        raise PuzzleError(
            f"expected a solution of {puzzle.geometry.cells} cells, got {len(digits)}"
        )
    if min(digits) == 0 or max(digits) > puzzle.side:
        cell = next(i for i, digit in enumerate(digits) if not 1 <= digit <= puzzle.side)
        got = digits[cell] or "a blank"
        raise PuzzleError(
            cell=puzzle.geometry.cell_name(cell), expected="a digit of the solution", got=got
        )
