"""Puzzles as frozen values, and entries of puzzle files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.errors import FormatError, PuzzleError
from genoku.puzzle import notation, render
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import Alphabet

Board = NDArray[np.uint8]
"""The digits of all cells `[cells]`, row by row, givens included; 0 is a blank."""


@dataclass(frozen=True)
class Conflict:
    """A digit repeated in a unit."""

    geometry: Geometry
    digit: int
    unit: int
    """The unit, numbered as in `Geometry.units`."""
    cells: tuple[int, ...]
    """The cells that hold the digit."""

    def __str__(self) -> str:
        times = "twice" if len(self.cells) == 2 else f"{len(self.cells)} times"
        places = ", ".join(map(self.geometry.cell_name, self.cells))
        digit = notation.symbol(self.digit, self.geometry.side)
        return f"{digit} appears {times} in {self.geometry.unit_name(self.unit)} ({places})"


@dataclass(frozen=True, repr=False)
class Puzzle:
    """The givens of a Sudoku.

    Parameters
    ----------
    geometry
        The shape of the board.
    digits
        A byte for each cell, row by row, 0 for a blank.

    Raises
    ------
    PuzzleError
        For the wrong number of cells, or a digit out of range. Conflicts are allowed; see
        `conflicts`.

    Examples
    --------
    >>> puzzle = Puzzle.parse("1... ..3. .4.. ...2")
    >>> puzzle
    Puzzle.parse('1.....3..4.....2')
    >>> puzzle.givens
    4
    """

    geometry: Geometry
    digits: bytes

    def __post_init__(self) -> None:
        if not isinstance(self.digits, bytes):  # such as an array or a list
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
        """Read a board from text, nested lists or an array.

        Parameters
        ----------
        source
            The board; a puzzle is returned as it is.
        box
            The shape of the boxes, such as `"2x3"`, or a side, where the number of cells does not
            determine it.
        alphabet
            Which digits the characters of the text mean; by default it is recognised.

        Raises
        ------
        PuzzleError
            If this is no Sudoku board, or an ambiguous one.
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
        """The number of givens."""
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
        """The puzzle as a line of a file, with the shape of its boxes if it is not the default."""
        return f"{self}" if self.geometry.is_default else f"{self},box={self.geometry.box}"

    def conflicts(self) -> list[Conflict]:
        """Return the digits repeated in a row, column or box, in that order."""
        units = np.sort(self.board[self.geometry.units], axis=1)
        if not ((units[:, 1:] == units[:, :-1]) & (units[:, 1:] > 0)).any():
            return []
        found: list[Conflict] = []
        for unit, cells in enumerate(self.geometry.units.tolist()):
            places: dict[int, list[int]] = {}
            for cell in cells:
                if digit := self.digits[cell]:
                    places.setdefault(digit, []).append(cell)
            for digit, repeated in places.items():
                if len(repeated) > 1:
                    found.append(Conflict(self.geometry, digit, unit, tuple(repeated)))
        return found

    def is_solved_by(self, board: Board) -> bool:
        """Return whether `board` keeps all givens and has each digit once in every unit."""
        board = np.asarray(board).ravel()
        if len(board) != self.geometry.cells:
            return False
        kept = bool(np.all((self.board == 0) | (self.board == board)))
        units = np.sort(board[self.geometry.units], axis=1)
        return kept and bool(np.all(units == np.arange(1, self.side + 1)))

    def candidates(self) -> list[set[int]]:
        """Return for every cell the digits that conflict with no given; none for a given."""
        digits = self.digits
        everything = set(range(1, self.side + 1))
        return [
            set() if digits[cell] else everything - {digits[peer] for peer in peers}
            for cell, peers in enumerate(self.geometry.peers)
        ]

    def picture(
        self, board: Board | None = None, *, style: render.Style = "text", **options: Any
    ) -> str:
        """Draw the puzzle, or a board with the puzzle's givens highlighted.

        Parameters
        ----------
        board
            The board `[cells]` to draw; by default the puzzle itself.
        style
            "text", "ansi" (for terminals), "svg" or "html".
        **options
            `colours`: a CSS colour `#rrggbb` or None for every cell. `candidates`: a collection of
            digits for every cell, drawn small in blanks. `struck`: pairs of a cell and a candidate
            to cross out, in SVG and HTML. `caption`: a text below the board.

        Raises
        ------
        PuzzleError
            For an unknown style, or options of the wrong length or value.
        """
        digits = self.digits if board is None else Puzzle.parse(board, box=self.geometry).digits
        return render.draw(self.geometry, digits, self.digits, style=style, **options)

    def _repr_html_(self) -> str:
        return self.picture(style="svg")


RESERVED = frozenset({"puzzle", "solution", "name", "box"})
"""Names that the formats use themselves, which no extra field may have."""


@dataclass(frozen=True)
class Entry:
    """A puzzle of a file, with what the file says about it.

    Parameters
    ----------
    puzzle
        The puzzle.
    name
        Its name, if any.
    solution
        A byte for each cell, row by row.
    fields
        Further fields as text.
    line
        The line of the file; it does not count for equality.

    Raises
    ------
    PuzzleError
        For a solution with blanks or of another shape. It is not checked against the puzzle.
    FormatError
        For a field with a reserved name.

    Examples
    --------
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
                raise FormatError(f"expected a field name other than {key!r}, which is reserved")


def check_full(digits: bytes, puzzle: Puzzle) -> None:
    """Raise PuzzleError unless `digits` are a full board of the puzzle's shape."""
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
