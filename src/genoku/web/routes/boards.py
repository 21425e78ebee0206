"""Puzzles: those that come with genoku, those that people bring, and new ones."""

from __future__ import annotations

import io
import re
import secrets
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from genoku import collection
from genoku.board import Puzzle
from genoku.errors import FormatError, GenokuError, ImpossibleError, PuzzleError
from genoku.formats import Entry, read_puzzles, recognise
from genoku.geometry import Geometry, Symmetry
from genoku.stopping import BROWSER_SEED
from genoku.techniques import Level
from genoku.web.limits import Asked
from genoku.web.live.snapshot import Board, board_facts
from genoku.web.services import in_worker
from genoku.words import listed, plural

if TYPE_CHECKING:
    from genoku.exact import Count

router = APIRouter(prefix="/api", tags=["boards"])

MOST_TEXT = 1_000_000
"""Characters of a text or a file."""
MOST_BOARD = 100_000
"""Characters of one board."""
MOST_CELLS = 36 * 36
MOST_PUZZLES = 200
"""Puzzles of a file that are returned; the others are counted."""
MOST_COMPLAINTS = 20
MOST_BAD = 2_000  # entries, before a file counts as something else
HEAD = 65_536  # characters that tell a format
UNMISTAKABLE = ("json", "jsonl", "opensudoku", "csv", "lloyd-amos", "sdk", "ss")
"""Formats that no board alone looks like."""
MOST_SOLUTIONS = 10_000
COUNT_SECONDS = 5.0
LARGE = 17
"""From this side on two solutions are enough to know of: counting more takes seconds."""
MISTAKE_SECONDS = 2.0

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


@dataclass(frozen=True)
class Bundled(Board):
    """A puzzle that comes with genoku."""

    group: str
    """Where it comes from, to list it by, such as "Report 002"."""
    about: str
    solutions: int | None
    """How many it has; None where that is open."""


class Collection(BaseModel):
    """All that come with genoku."""

    puzzles: list[Bundled]


def board_of(puzzle: Puzzle, name: str = "") -> Board:
    """A puzzle as the API shows it."""
    return Board(**board_facts(puzzle, name))


@router.get("/puzzles", summary="Puzzles that come with genoku")
@cache
def puzzles() -> Collection:
    """Every bundled puzzle with its source and what is known of it."""
    return Collection(puzzles=[_bundled(one) for one in collection.bundled().values()])


def _bundled(one: collection.Bundled) -> Bundled:
    group, source = "Famous", one.source
    if report := re.match(r"report \d+", source):
        group, source = report[0].capitalize(), source[0].upper() + source[1:]
    elif source.startswith("genoku "):
        group = "Made by genoku"
    about = f"{source}; {one.note}" if one.note else source
    facts = board_facts(one.puzzle, one.name)
    return Bundled(**facts, group=group, about=about, solutions=one.solutions)


# Reading


class Parse(Asked):
    """One puzzle as text."""

    text: str = Field(
        min_length=1,
        max_length=MOST_TEXT,
        description="A board in any format, or the name of a bundled puzzle.",
        examples=[EXAMPLE],
    )
    box: Box = None


class Import(Parse):
    """The text of a file of puzzles."""

    text: str = Field(min_length=1, max_length=MOST_TEXT, examples=[f"{EXAMPLE}\n1.....3..4.....2"])
    filename: str = Field(
        "",
        max_length=200,
        description="Its name, for messages and as a hint of the format; never opened.",
        examples=["mine.txt"],
    )


class Imported(BaseModel):
    """The puzzles of a file."""

    puzzles: list[Board]
    more: int = Field(default=0, description="Puzzles beyond those, left out.")
    bad: int = Field(default=0, description="Entries that could not be read.")
    complaints: list[str] = Field(default=[], description="What was wrong with the first of those.")


class NamedText(io.BytesIO):
    """A file's text under the name that messages are to call it by."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text.encode("utf-8", "replace"))
        self.name = name


def shape(box: str | None) -> Geometry | None:
    """The shape of the boxes, where one is said."""
    return Geometry.parse(box) if box else None


@in_worker(router.post("/puzzles/parse", summary="Read one puzzle"))
def parse(asked: Parse) -> Board:
    """Read a puzzle from its text: a line, rows, numbers, or any of the file formats."""
    text, boxes = asked.text, shape(asked.box)
    known = collection.bundled().get(text.strip())
    if known is not None:
        return board_of(Puzzle.parse(known.puzzle, box=boxes), known.name)
    if recognise(text[:HEAD], boxes).name in UNMISTAKABLE:
        return _only(_first_two(text, boxes))
    try:
        return board_of(Puzzle.parse(text, box=boxes))
    except PuzzleError as error:
        try:
            entries = _first_two(text, boxes)
        except FormatError:
            raise error from None
        return _only(entries)


def _first_two(text: str, boxes: Geometry | None) -> list[Entry]:
    """The first two puzzles of a text: enough to tell whether it is one."""
    return list(islice(read_puzzles(NamedText(text, "text"), box=boxes), 2))


def _only(entries: list[Entry]) -> Board:
    if len(entries) == 1:
        return board_of(entries[0].puzzle, entries[0].name)
    raise FormatError(f"expected one puzzle, got {'several' if entries else 'none'}")


@in_worker(router.post("/puzzles/import", summary="Read a file of puzzles"))
def import_(asked: Import) -> Imported:
    """Read the puzzles of a file's text. At most 200 come back; the rest is counted."""
    complaints: list[str] = []
    bad = found = 0

    def complain(error: FormatError) -> None:
        nonlocal bad
        bad += 1
        if bad <= MOST_COMPLAINTS:
            complaints.append(str(error))
        if bad >= MOST_BAD:
            raise FormatError(f"{error}; after {MOST_BAD:,} such entries, reading stopped here")

    boards: list[Board] = []
    name = asked.filename
    # What the content leaves open the suffix may say: a table with tabs looks like rows.
    known = "tsv" if name.lower().endswith(".tsv") and "\t" in asked.text else None
    stream = NamedText(asked.text, name or "text")
    try:
        for entry in read_puzzles(stream, format=known, box=shape(asked.box), on_error=complain):
            found += 1
            if found <= MOST_PUZZLES:
                boards.append(board_of(entry.puzzle, entry.name))
    except FormatError as error:
        complaints.insert(0, str(error))
    if not found:  # perhaps it is one board, however that is laid out
        try:
            return Imported(puzzles=[parse(Parse(text=asked.text, box=asked.box))])
        except GenokuError:
            if name and complaints:
                raise FormatError(complaints[0]) from None
            raise
    stem = name.removesuffix(".gz").rpartition(".")[0] or name
    for place, one in enumerate(boards):
        called = stem if found == 1 else f"{stem or 'puzzle'} {place + 1}"
        boards[place] = replace(one, name=one.name or called)
    more = found - len(boards)
    return Imported(puzzles=boards, more=more, bad=bad, complaints=complaints)


# Checking


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
        default="", description="Empty where nothing was counted; unknown where time was up."
    )
    solutions: int | None = None
    complete: bool = Field(default=False, description="Whether those are all solutions there are.")
    words: str = Field(default="", examples=["Exactly one solution."])
    rating: Rating | None = None


@in_worker(router.post("/puzzles/check", summary="Check a puzzle"))
def check(asked: Check) -> Checked:
    """Find clashes, count solutions and, if asked to, rate the difficulty."""
    board = Puzzle.parse(asked.puzzle, box=shape(asked.box))
    conflicts = board.conflicts()
    found = Checked(
        givens=board.givens,
        clashes=[Clash(cells=list(c.cells), digit=c.digit, words=f"{c}.") for c in conflicts],
        clashing=sorted({cell for each in conflicts for cell in each.cells}),
    )
    if conflicts:
        found.verdict, found.solutions, found.complete = "clashes", 0, True
        found.words = "No solution: givens clash."
    elif asked.count or asked.rate:
        from genoku import exact

        limit = MOST_SOLUTIONS if board.side < LARGE and asked.count else 2
        counted = exact.count(board, limit, time_limit=COUNT_SECONDS)
        found.verdict, found.solutions = counted.verdict, counted.solutions
        found.complete, found.words = counted.complete, in_words(board, counted)
        if asked.rate and counted.verdict == "unique" and not board.is_full:
            found.rating = _rating(board)
    return found


def in_words(board: Puzzle, counted: Count) -> str:
    """What a count says about a board, to a person."""
    if counted.verdict == "unique":
        return "Full and right." if board.is_full else "Exactly one solution."
    if counted.verdict == "none":
        return "No solution: however the blanks are filled, digits clash."
    if counted.verdict == "several":
        said = plural(counted.solutions, "solution")
        return f"{said}." if counted.complete else f"At least {said}."
    if counted.solutions:
        return (
            f"Found one solution; could not determine within {COUNT_SECONDS:g} s whether it is "
            "unique."
        )
    return f"Found no solution within {COUNT_SECONDS:g} s; there may be one."


def _rating(board: Puzzle) -> Rating:
    from genoku import rating

    rated = rating.rate(board)
    needs = f"the hardest step needed is {rated.technique}"
    if rated.technique == "guess":
        needs = "no technique of the ladder is enough, one has to guess"
    return Rating(
        level=rated.level,
        technique=rated.technique,
        steps=rated.counts,
        effort=rated.effort,
        words=f"{rated.level.capitalize()}: {needs}.",
    )


# Hints


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
    technique: str = ""
    level: str = ""
    about: str = Field(default="", description="What the technique is, in a sentence.")
    explanation: str
    cells: list[int] = Field(
        default=[], description="Those of the pattern, or those that are wrong."
    )
    unit_cells: list[int] = Field(default=[], description="Cells of the units that it looks at.")
    candidates: list[Candidates] = Field(
        default=[], description="Of the cells concerned, before the step."
    )
    placements: list[Candidate] = []
    eliminations: list[Candidate] = []


@in_worker(router.post("/puzzles/hint", summary="Explain the next step"))
def hint(asked: Hint) -> Hinted:
    """Say what a person could do next, by the easiest technique that applies."""
    from genoku import exact, techniques

    givens = Puzzle.parse(asked.puzzle, box=shape(asked.box))
    now = givens if asked.board is None else _filled(givens, asked.board)
    if conflicts := now.conflicts():
        clashing = sorted({cell for each in conflicts for cell in each.cells})
        said = f"Digits clash: {conflicts[0]}."
        return Hinted(state="clashes", explanation=said, cells=clashing)
    if now.is_full:
        said = "The board is full and right: nothing is left to do."
        return Hinted(state="solved", explanation=said)
    if wrong := _mistakes(givens, now):
        names = listed(map(now.geometry.cell_name, wrong))
        said = f"{names} {'does' if len(wrong) == 1 else 'do'} not fit the only solution."
        return Hinted(state="mistake", explanation=said, cells=wrong)
    if exact.solve(now, time_limit=MISTAKE_SECONDS).stop_reason == "no solution":
        said = "No solution fits these digits: at least one is wrong."
        return Hinted(state="impossible", explanation=said)
    options = now.candidates()
    for each in asked.removed:
        if each.cell >= now.geometry.cells:
            most = now.geometry.cells - 1
            raise PuzzleError(f"expected a cell from 0 to {most}, got {each.cell}")
        options[each.cell].discard(each.digit)
    try:
        step = techniques.hint(now, options)
    except ImpossibleError as error:
        said = f"{str(error)[:1].upper()}{str(error)[1:]}."
        return Hinted(state="impossible", explanation=said)
    assert step is not None  # only a full board has none
    concerned = {*step.cells, *(cell for cell, _ in (*step.placements, *step.eliminations))}
    technique = techniques.technique(step.technique)
    return Hinted(
        state="step",
        technique=step.technique,
        level=technique.level,
        about=technique.summary,
        explanation=str(step),
        cells=sorted(step.cells),
        unit_cells=sorted(set(now.geometry.units[list(step.units)].ravel().tolist())),
        candidates=[
            Candidates(cell=cell, digits=sorted(options[cell]))
            for cell in sorted(concerned)
            if options[cell]
        ],
        placements=[Candidate(cell=cell, digit=digit) for cell, digit in step.placements],
        eliminations=[Candidate(cell=cell, digit=digit) for cell, digit in step.eliminations],
    )


def _filled(givens: Puzzle, board: list[int]) -> Puzzle:
    """A puzzle as far as somebody has filled it in."""
    if any(digit > givens.side for digit in board):
        raise PuzzleError(f"expected digits of the board from 0 to {givens.side}")
    now = Puzzle(givens.geometry, bytes(board))
    for cell, (given, digit) in enumerate(zip(givens.digits, now.digits, strict=True)):
        if given and digit != given:
            name = givens.geometry.cell_name(cell)
            raise PuzzleError(f"expected a board with the given {given} at {name}, got {digit}")
    return now


def _mistakes(givens: Puzzle, now: Puzzle) -> list[int]:
    """The cells that differ from the solution, where there is just one."""
    from genoku.exact import Search

    if now == givens:
        return []
    search = Search(givens, MISTAKE_SECONDS)
    found = list(islice(search, 2))
    if len(found) != 1 or search.out_of_time:
        return []
    pairs = zip(now.digits, found[0].tolist(), strict=True)
    return [cell for cell, (digit, right) in enumerate(pairs) if digit and digit != right]


# Generating


class Generate(Asked):
    """The puzzle that is wanted: a minimal one where nothing more is said."""

    size: int | None = Field(None, ge=4, le=36, description="The side.", examples=[9])
    box: Box = None
    level: Level | None = Field(None, description="How hard for a person.")
    givens: int | None = Field(None, ge=0, le=MOST_CELLS, description="Exact number of givens.")
    share: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Blank a full grid at random to this share of givens; the solution may not "
        "stay the only one.",
    )
    symmetry: Symmetry = "none"
    seed: int | None = Field(
        None,
        ge=0,
        le=BROWSER_SEED,
        description="The same seed gives the same puzzle.",
        examples=[1],
    )


@dataclass(frozen=True)
class Generated(Board):
    """A new puzzle, and the seed that makes it again."""

    seed: int
    verdict: Literal["none", "unique", "several", "unknown"]


@in_worker(router.post("/puzzles/generate", summary="Make a puzzle"))
def generate(asked: Generate) -> Generated:
    """Make a new puzzle, with one solution unless a share of givens is asked for."""
    from genoku.generator import Wanted
    from genoku.generator import generate as made_by

    geometry = Geometry.parse(asked.box) if asked.box else Geometry.of_side(asked.size or 9)
    if asked.size not in (None, geometry.side):
        raise PuzzleError(f"expected boxes for a side of {asked.size}, got {geometry.box}")
    wanted = Wanted(
        geometry,
        givens=asked.givens,
        symmetry=asked.symmetry,
        level=asked.level,
        share=asked.share,
    )
    seed = secrets.randbelow(2**32) if asked.seed is None else asked.seed
    made = made_by(wanted, seed)
    level = f" {asked.level}" if asked.level else ""
    name = f"{geometry.side}×{geometry.side}{level}, seed {seed}"
    return Generated(**board_facts(made.puzzle, name), seed=seed, verdict=made.verdict)
