"""Puzzles: the givens of a board as a frozen value that reads, prints and checks itself.

An `Entry` is a puzzle of a file, with what the file says about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku import notation, picture
from genoku.errors import FormatError, PuzzleError
from genoku.geometry import Geometry
from genoku.notation import Alphabet

Board = NDArray[np.uint8]
"""One filled candidate: the digits of all cells, row by row, givens included; 0 is a blank."""


@dataclass(frozen=True)
class Conflict:
    """A digit that stands more than once in a unit."""

    geometry: Geometry
    digit: int
    unit: int
    cells: tuple[int, ...]

    def __str__(self) -> str:
        times = "twice" if len(self.cells) == 2 else f"{len(self.cells)} times"
        places = ", ".join(map(self.geometry.cell_name, self.cells))
        digit = notation.symbol(self.digit, self.geometry.side)
        return f"{digit} appears {times} in {self.geometry.unit_name(self.unit)} ({places})"


@dataclass(frozen=True, repr=False)
class Puzzle:
    """The givens of a Sudoku: `digits` row by row, 0 for a blank.

    >>> puzzle = Puzzle.parse("1... ..3. .4.. ...2")
    >>> puzzle
    Puzzle.parse('1.....3..4.....2')
    >>> puzzle.givens
    4
    """

    geometry: Geometry
    digits: bytes

    def __post_init__(self) -> None:
        if not isinstance(self.digits, bytes):  # anything that bytes can be made of will do
            object.__setattr__(self, "digits", bytes(self.digits))
        if len(self.digits) != self.geometry.cells:
            raise PuzzleError(
                f"expected {self.geometry.cells} cells for a {self.geometry} board, "
                f"got {len(self.digits)}"
            )
        if max(self.digits) > self.side:
            cell = next(i for i, digit in enumerate(self.digits) if digit > self.side)
            raise PuzzleError(
                cell=self.geometry.cell_name(cell),
                expected=f"a digit from 0 to {self.side}",
                got=self.digits[cell],
            )

    def __reduce__(self) -> tuple[type[Puzzle], tuple[Geometry, bytes]]:
        return Puzzle, (self.geometry, self.digits)

    @classmethod
    def parse(
        cls,
        source: str | Iterable[Any] | Puzzle,
        *,
        box: str | int | Geometry | None = None,
        alphabet: Alphabet = "auto",
    ) -> Puzzle:
        """Read a board from pasted text, nested lists or an array.

        `box` (such as `"2x3"`) says the shape where the number of cells does not; `alphabet`
        says which digits letters stand for where the text could mean two things.
        """
        geometry = Geometry.parse(str(box)) if isinstance(box, (str, int)) else box
        if isinstance(source, str):
            return cls(*notation.read(source, geometry, alphabet))
        if isinstance(source, Puzzle):
            same = geometry in (None, source.geometry)
            return source if same else cls(geometry or source.geometry, source.digits)
        if not isinstance(source, Iterable):
            raise PuzzleError(f"expected text or rows of digits, got {type(source).__name__}")
        return cls(*notation.read_values(source, geometry))

    @property
    def side(self) -> int:
        return self.geometry.side

    @cached_property
    def board(self) -> Board:
        """The digits as a read-only array, row by row, with 0 for a blank."""
        return np.frombuffer(self.digits, dtype=np.uint8)

    @property
    def givens(self) -> int:
        """How many cells are given."""
        return self.geometry.cells - self.digits.count(0)

    @property
    def is_full(self) -> bool:
        return 0 not in self.digits

    def __str__(self) -> str:
        return notation.write(self.digits, self.side)

    def __repr__(self) -> str:
        box = "" if self.geometry.is_default else f", box={self.geometry.box!r}"
        return f"Puzzle.parse({str(self)!r}{box})"

    @property
    def line(self) -> str:
        """A line of its own that reads back as it is, boxes included."""
        return f"{self}" if self.geometry.is_default else f"{self},box={self.geometry.box}"

    def conflicts(self) -> list[Conflict]:
        """Every digit that stands twice or more in a row, column or box, in that order."""
        units = np.sort(self.board[self.geometry.units], axis=1)
        if not ((units[:, 1:] == units[:, :-1]) & (units[:, 1:] > 0)).any():
            return []
        return list(self._conflicts())

    def _conflicts(self) -> Iterator[Conflict]:
        for unit, cells in enumerate(self.geometry.units.tolist()):
            places: dict[int, list[int]] = {}
            for cell in cells:
                if digit := self.digits[cell]:
                    places.setdefault(digit, []).append(cell)
            for digit, standing in places.items():
                if len(standing) > 1:
                    yield Conflict(self.geometry, digit, unit, tuple(standing))

    def is_solved_by(self, board: Board) -> bool:
        """Whether `board` keeps every given and has each digit once in every unit."""
        board = np.asarray(board).ravel()
        if len(board) != self.geometry.cells:
            return False
        kept = bool(np.all((self.board == 0) | (self.board == board)))
        units = np.sort(board[self.geometry.units], axis=1)
        return kept and bool(np.all(units == np.arange(1, self.side + 1)))

    def candidates(self) -> list[set[int]]:
        """For every blank, the digits that clash with no given; empty for a given."""
        digits = self.digits
        everything = set(range(1, self.side + 1))
        return [
            set() if digits[cell] else everything - {digits[peer] for peer in peers}
            for cell, peers in enumerate(self.geometry.peers)
        ]

    def picture(
        self, board: Board | None = None, *, style: picture.Style = "text", **options: Any
    ) -> str:
        """Draw the puzzle, or `board` with the givens distinct, as text, ANSI, SVG or HTML.

        Options: `colours` (a CSS colour `#rrggbb` or None for every cell), `candidates` (a
        collection of digits for every cell, drawn small where the cell is blank) and `struck`
        (pairs of a cell and a candidate to cross out, in SVG and HTML).
        """
        shown = self.digits if board is None else Puzzle.parse(board, box=self.geometry).digits
        return picture.draw(self.geometry, shown, self.digits, style=style, **options)

    def _repr_html_(self) -> str:
        return self.picture(style="svg")


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
            check_full(self.solution, self.puzzle)
        for key in self.fields:
            if key.strip().lower() in RESERVED:
                raise FormatError(
                    f"expected a field name other than {key!r}, which has its own place"
                )


def check_full(digits: bytes, puzzle: Puzzle) -> None:
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
