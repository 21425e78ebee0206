"""What is asked about boards, and what is answered."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from genoku.symmetry import Symmetry
from genoku.techniques import Level
from genoku.web.limits import MOST_SEED
from genoku.web.routes.parts import Asked

MOST_TEXT = 1_000_000
"""Characters of a text or a file."""
MOST_BOARD = 100_000
"""Characters of one board."""
MOST_CELLS = 36 * 36

EXAMPLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"

Cell = Annotated[int, Field(ge=0, lt=MOST_CELLS)]
Digit = Annotated[int, Field(ge=0, le=36)]
Box = Annotated[
    str | None,
    Field(
        max_length=12,
        description="Rows x columns of a box, such as 2x3; the squarest where nothing is said.",
        examples=["3x3"],
    ),
]
BoardText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MOST_BOARD,
        description="One board as text: 1–9 and A–Z or numbers, with . or 0 for a blank.",
        examples=[EXAMPLE],
    ),
]


class Board(BaseModel):
    """A puzzle with its shape."""

    puzzle: str = Field(description="Its text, as everything here reads it.", examples=[EXAMPLE])
    box: str = Field(description="Rows x columns of a box.", examples=["3x3"])
    side: int
    box_rows: int
    box_cols: int
    digits: list[int] = Field(description="Row by row, 0 for a blank.")
    givens: int
    name: str


class Bundled(Board):
    """A puzzle that comes with genoku."""

    group: str = Field(description="Where it comes from, to list it by.", examples=["Report 002"])
    about: str
    solutions: int | None = Field(description="How many it has; null where that is open.")


class Collection(BaseModel):
    """All that come with genoku."""

    puzzles: list[Bundled]


class Parse(Asked):
    """One puzzle as text."""

    text: str = Field(
        min_length=1,
        max_length=MOST_TEXT,
        description="A board in any format, or the name of a bundled puzzle.",
        examples=[EXAMPLE],
    )
    box: Box = None


class Import(Asked):
    """The text of a file of puzzles."""

    text: str = Field(min_length=1, max_length=MOST_TEXT, examples=[f"{EXAMPLE}\n1.....3..4.....2"])
    filename: str = Field(
        "",
        max_length=200,
        description="Its name, for messages and as a hint of the format; never opened.",
        examples=["mine.txt"],
    )
    box: Box = None


class Imported(BaseModel):
    """The puzzles of a file."""

    puzzles: list[Board]
    more: int = Field(description="Puzzles beyond those, left out.")
    bad: int = Field(description="Entries that could not be read.")
    complaints: list[str] = Field(description="What was wrong with the first of those.")


class Check(Asked):
    """A puzzle to be checked. Clashes come at once; counting and rating take their time."""

    puzzle: BoardText
    box: Box = None
    count: bool = Field(True, description="Count the solutions, up to a limit.")
    rate: bool = Field(False, description="Say how hard it is, where there is one solution.")


class Clash(BaseModel):
    """A digit that stands twice or more in a unit."""

    cells: list[int]
    digit: int
    words: str = Field(examples=["1 appears twice in column 7 (r4c7, r7c7)."])


class Rating(BaseModel):
    """How hard a puzzle is for a person, and for a search."""

    level: Level
    technique: str = Field(description="The hardest that is needed.", examples=["X-wing"])
    steps: dict[str, int] = Field(description="Steps by technique, easiest first.")
    effort: float | None = Field(description="Mean nodes of a search; null beyond its limit.")
    words: str


class Checked(BaseModel):
    """What came of a check."""

    givens: int
    clashes: list[Clash]
    clashing: list[int] = Field(description="Every cell that clashes with another.")
    verdict: Literal["", "clashes", "none", "unique", "several", "unknown"] = Field(
        description="Empty where nothing was counted; unknown where time was up."
    )
    solutions: int | None
    complete: bool = Field(description="Whether those are all solutions there are.")
    words: str = Field(examples=["Exactly one solution."])
    rating: Rating | None


class Candidate(BaseModel):
    """A digit in a cell."""

    cell: Cell
    digit: Digit


class Candidates(BaseModel):
    """The digits that a blank could hold."""

    cell: int
    digits: list[int]


class Hint(Asked):
    """Where a solver stands."""

    puzzle: BoardText
    box: Box = None
    board: list[Digit] | None = Field(
        None,
        max_length=MOST_CELLS,
        description="The digits as they stand, givens included; the puzzle itself where missing.",
    )
    removed: list[Candidate] = Field(
        default=[],
        max_length=MOST_CELLS * 36,
        description="Candidates that earlier hints ruled out, which the digits do not show.",
    )


class Hinted(BaseModel):
    """The next step, or why there is none."""

    state: Literal["step", "solved", "clashes", "mistake", "impossible"]
    technique: str
    level: str
    about: str = Field(description="What the technique is, in a sentence.")
    explanation: str
    cells: list[int] = Field(description="The cells that make the pattern, or are wrong.")
    unit_cells: list[int] = Field(description="The cells of the units that it looks at.")
    candidates: list[Candidates] = Field(description="Of the cells concerned, before the step.")
    placements: list[Candidate]
    eliminations: list[Candidate]


class Generate(Asked):
    """The puzzle that is wanted: a minimal one where nothing more is said."""

    size: int | None = Field(None, ge=4, le=36, description="The side.", examples=[9])
    box: Box = None
    level: Level | None = Field(None, description="How hard for a person.")
    givens: int | None = Field(None, ge=0, le=MOST_CELLS, description="Exactly so many.")
    share: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Blank a full grid at random to this share of givens; the solution may not "
        "stay the only one.",
    )
    symmetry: Symmetry = "none"
    seed: int | None = Field(
        None, ge=0, le=MOST_SEED, description="The same seed gives the same puzzle.", examples=[1]
    )


class Generated(Board):
    """A new puzzle, and the seed that makes it again."""

    seed: int
    verdict: Literal["none", "unique", "several", "unknown"]
