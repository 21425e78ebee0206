"""Puzzles: bundled, imported and generated ones; checks and hints."""

from __future__ import annotations

import io
import secrets
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from genoku.errors import (
    AmbiguousPuzzleError,
    FormatError,
    GenokuError,
    ImpossibleError,
    PuzzleError,
)
from genoku.puzzle import bundled_puzzles
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import read_puzzles, recognise
from genoku.puzzle.geometry import Geometry, Symmetry
from genoku.puzzle.resolve import resolve
from genoku.runtime.text import format_count, join_words
from genoku.techniques import Level
from genoku.web.limits import RequestModel, Seed
from genoku.web.live.snapshot import PuzzleAnswer
from genoku.web.services import in_worker

if TYPE_CHECKING:
    from genoku.exact.oracle import Count

router = APIRouter(prefix="/api", tags=["boards"])

MAX_TEXT = 1_000_000  # characters of a text or a file
MAX_BOARD_TEXT = 100_000  # characters of one board
MAX_CELLS = 36 * 36
MAX_PUZZLES = 200  # puzzles of a file that are returned; the others are counted
MAX_COMPLAINTS = 20
MAX_BAD = 2_000  # entries, before a file counts as something else
FORMAT_HEAD = 65_536  # characters from which a format is recognised
# Formats that a single board cannot be mistaken for.
FILE_FORMATS = ("json", "jsonl", "opensudoku", "csv", "lloyd-amos", "sdk", "ss")
MAX_SOLUTIONS = 10_000
COUNT_SECONDS = 5.0
LARGE_SIDE = 17  # from this side on only two solutions are counted: more take seconds
MISTAKE_SECONDS = 2.0

EXAMPLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"

Cell = Annotated[int, Field(ge=0, lt=MAX_CELLS)]
Digit = Annotated[int, Field(ge=0, le=36)]
Box = Annotated[
    str | None,
    Field(
        max_length=12,
        description="Rows x columns of a box, such as 2x3; by default the squarest.",
        examples=["3x3"],
    ),
]
BoardText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_BOARD_TEXT,
        description="One board as text, 1–9 and A–Z or numbers, with . or 0 for a blank; or the "
        "name of a puzzle.",
        examples=[EXAMPLE],
    ),
]


@dataclass(frozen=True)
class BundledPuzzleAnswer(PuzzleAnswer):
    """A bundled puzzle."""

    group: str  # the heading to list it under, such as "Report 002"
    about: str
    solutions: int | None  # number of solutions; None if unknown


class BundledPuzzlesAnswer(BaseModel):
    """All bundled puzzles."""

    puzzles: list[BundledPuzzleAnswer]


@router.get("/puzzles", summary="Bundled puzzles")
@cache
def puzzles() -> BundledPuzzlesAnswer:
    """Every bundled puzzle with its source and its number of solutions."""
    found = []
    for one in bundled_puzzles.bundled().values():
        group, source = "Famous", one.source
        if one.report:
            group, source = one.report, source[0].upper() + source[1:]
        elif source.startswith("genoku "):
            group = "Made by genoku"
        about = f"{source}; {one.note}" if one.note else source
        more = {"group": group, "about": about, "solutions": one.solutions}
        found.append(BundledPuzzleAnswer.of(one.puzzle, one.name, **more))
    return BundledPuzzlesAnswer(puzzles=found)


class ParseRequest(RequestModel):
    """One puzzle as text."""

    text: str = Field(
        min_length=1,
        max_length=MAX_TEXT,
        description="A board in any format, or a name: of a bundled puzzle, here or in its report, "
        '"empty 16", "random" or "random seed=7".',
        examples=[EXAMPLE],
    )
    box: Box = None


class ImportRequest(ParseRequest):
    """The text of a file of puzzles."""

    text: str = Field(min_length=1, max_length=MAX_TEXT, examples=[f"{EXAMPLE}\n1.....3..4.....2"])
    filename: str = Field(
        "",
        max_length=200,
        description="For messages, and as a hint of the format; never opened.",
        examples=["mine.txt"],
    )


class ImportAnswer(BaseModel):
    """The puzzles of a file."""

    puzzles: list[PuzzleAnswer]
    more: int = Field(default=0, description="Further puzzles, which are left out.")
    bad: int = Field(default=0, description="Entries that could not be read.")
    complaints: list[str] = Field(default=[], description="What is wrong with the first of them.")


class NamedText(io.BytesIO):
    """The text of a file, with the name that messages use."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text.encode("utf-8", "replace"))
        self.name = name


@in_worker(router.post("/puzzles/parse", summary="Read one puzzle"))
def parse(asked: ParseRequest) -> PuzzleAnswer:
    """Read a puzzle from its text: a line, rows, numbers, any of the file formats, or a name."""
    text, boxes = asked.text, Geometry.parse(asked.box) if asked.box else None
    not_a_board: PuzzleError | None = None
    if recognise(text[:FORMAT_HEAD], boxes).name not in FILE_FORMATS:
        try:
            found = resolve(text, box=boxes, generate=random_puzzle, seed=new_seed())
            return PuzzleAnswer.of(found.puzzle, found.name)
        except AmbiguousPuzzleError:
            raise
        except PuzzleError as error:
            not_a_board = error
    try:
        entries = list(islice(read_puzzles(NamedText(text, "text"), box=boxes), 2))
    except FormatError as error:
        raise not_a_board or error from None
    if len(entries) != 1:
        raise FormatError(f"expected one puzzle, got {'several' if entries else 'none'}")
    return PuzzleAnswer.of(entries[0].puzzle, entries[0].name)


def random_puzzle(geometry: Geometry, seed: int) -> Puzzle:
    """Generate the puzzle that `random` means for a seed."""
    from genoku import generator  # not before a job needs it: the server starts without

    return generator.random_puzzle(geometry, seed)


def new_seed() -> int:
    """Draw a random seed for a puzzle."""
    return secrets.randbelow(2**32)


@in_worker(router.post("/puzzles/import", summary="Read a file of puzzles"))
def import_(asked: ImportRequest) -> ImportAnswer:
    """Read the puzzles of a file. At most 200 are returned; the others are counted."""
    bad: list[str] = []
    fatal: list[str] = []
    boards: list[PuzzleAnswer] = []
    found = 0

    def complain(error: FormatError) -> None:
        bad.append(str(error))
        if len(bad) >= MAX_BAD:
            raise FormatError(f"{error}; reading stopped after {MAX_BAD:,} such entries")

    name, box = asked.filename, asked.box or None
    # A table with tabs looks like the rows of a board: the suffix decides.
    known = "tsv" if name.lower().endswith(".tsv") and "\t" in asked.text else None
    stream = NamedText(asked.text, name or "text")
    try:
        for entry in read_puzzles(stream, format=known, box=box, on_error=complain):
            found += 1
            if found <= MAX_PUZZLES:
                boards.append(PuzzleAnswer.of(entry.puzzle, entry.name))
    except FormatError as error:
        fatal = [str(error)]
    complaints = [*fatal, *bad[:MAX_COMPLAINTS]]
    if not found:  # it may be a single board in an unusual layout
        try:
            return ImportAnswer(puzzles=[parse(ParseRequest(text=asked.text, box=asked.box))])
        except GenokuError:
            if name and complaints:
                raise FormatError(complaints[0]) from None
            raise
    stem = name.removesuffix(".gz").rpartition(".")[0] or name
    for place, one in enumerate(boards):
        called = stem if found == 1 else f"{stem or 'puzzle'} {place + 1}"
        boards[place] = replace(one, name=one.name or called)
    more = found - len(boards)
    return ImportAnswer(puzzles=boards, more=more, bad=len(bad), complaints=complaints)


class CheckRequest(RequestModel):
    """A puzzle to check. Finding repeated digits is quick; counting and rating take time."""

    puzzle: BoardText
    box: Box = None
    count: bool = Field(True, description="Count the solutions, up to a limit.")
    rate: bool = Field(False, description="Rate its difficulty, if it has exactly one solution.")


class ClashAnswer(BaseModel):
    """A digit repeated in a unit."""

    cells: list[int]
    digit: int
    words: str = Field(examples=["1 appears twice in column 7 (r4c7, r7c7)."])


class RatingAnswer(BaseModel):
    """How hard a puzzle is for people, and for a search."""

    level: Level
    technique: str = Field(description="The hardest one needed.", examples=["X-wing"])
    steps: dict[str, int] = Field(description="Steps by technique, easiest first.")
    effort: float | None = Field(description="Mean nodes of a search; null if too many.")
    words: str


class CheckAnswer(BaseModel):
    """The result of a check."""

    givens: int
    clashes: list[ClashAnswer]
    clashing: list[int] = Field(description="Every cell whose digit is repeated in a unit.")
    verdict: Literal["", "clashes", "none", "unique", "several", "unknown"] = Field(
        default="", description="Empty if solutions were not counted; unknown if time ran out."
    )
    solutions: int | None = None
    complete: bool = Field(default=False, description="Whether these are all solutions.")
    words: str = Field(default="", examples=["Exactly one solution."])
    rating: RatingAnswer | None = None


@in_worker(router.post("/puzzles/check", summary="Check a puzzle"))
def check(asked: CheckRequest) -> CheckAnswer:
    """Find repeated digits, count solutions, and optionally rate the difficulty."""
    board = resolve(asked.puzzle, box=asked.box or None, generate=random_puzzle).puzzle
    conflicts = board.conflicts()
    found = CheckAnswer(
        givens=board.givens,
        clashes=[ClashAnswer(cells=list(c.cells), digit=c.digit, words=f"{c}.") for c in conflicts],
        clashing=sorted({cell for each in conflicts for cell in each.cells}),
    )
    if conflicts:
        found.verdict, found.solutions, found.complete = "clashes", 0, True
        found.words = "No solution: givens clash."
    elif asked.count or asked.rate:
        from genoku.exact import oracle

        limit = MAX_SOLUTIONS if board.side < LARGE_SIDE and asked.count else 2
        counted = oracle.count(board, limit, time_limit=COUNT_SECONDS)
        found.verdict, found.solutions = counted.verdict, counted.solutions
        found.complete, found.words = counted.complete, count_sentence(board, counted)
        if asked.rate and counted.verdict == "unique" and not board.is_full:
            found.rating = _rate(board)
    return found


def count_sentence(board: Puzzle, counted: Count) -> str:
    """Describe the number of solutions in a sentence."""
    if counted.verdict == "unique":
        return "Complete and correct." if board.is_full else "Exactly one solution."
    if counted.verdict == "none":
        return "No solution: however the blanks are filled, digits clash."
    if counted.verdict == "several":
        said = format_count(counted.solutions, "solution")
        return f"{said}." if counted.complete else f"At least {said}."
    time = f"within {COUNT_SECONDS:g} s"
    if counted.solutions:
        return f"Found one solution; could not determine {time} whether it is unique."
    return f"Found no solution {time}; there may be one."


def _rate(board: Puzzle) -> RatingAnswer:
    from genoku.techniques import rating

    rated = rating.rate(board)
    needs = f"the hardest step needed is {rated.technique}"
    if rated.technique == "guess":
        needs = "no technique is enough, it needs guessing"
    return RatingAnswer(
        level=rated.level,
        technique=rated.technique,
        steps=rated.counts,
        effort=rated.effort,
        words=f"{rated.level.capitalize()}: {needs}.",
    )


class CellDigit(BaseModel):
    """A digit in a cell."""

    cell: Cell
    digit: Digit


class CellCandidates(BaseModel):
    """The digits that a blank can hold."""

    cell: int
    digits: list[int]


class HintRequest(RequestModel):
    """A puzzle and how far it is solved."""

    puzzle: BoardText
    box: Box = None
    board: list[Digit] | None = Field(
        None,
        max_length=MAX_CELLS,
        description="The current digits, givens included; by default the puzzle itself.",
    )
    removed: list[CellDigit] = Field(
        default=[], max_length=MAX_CELLS * 36, description="Candidates that earlier hints removed."
    )


class HintAnswer(BaseModel):
    """The next step, or why there is none."""

    state: Literal["step", "solved", "clashes", "mistake", "impossible"]
    technique: str = ""
    level: str = ""
    about: str = Field(default="", description="A sentence that explains the technique.")
    explanation: str
    cells: list[int] = Field(default=[], description="The cells of the pattern, or the wrong ones.")
    unit_cells: list[int] = Field(default=[], description="Cells of the units concerned.")
    candidates: list[CellCandidates] = Field(
        default=[], description="Of the cells concerned, before the step."
    )
    placements: list[CellDigit] = []
    eliminations: list[CellDigit] = []


@in_worker(router.post("/puzzles/hint", summary="Explain the next step"))
def hint(asked: HintRequest) -> HintAnswer:
    """Explain the next step by the easiest technique that applies."""
    from genoku import techniques
    from genoku.exact import oracle

    givens = resolve(asked.puzzle, box=asked.box or None, generate=random_puzzle).puzzle
    now = givens if asked.board is None else _with_digits(givens, asked.board)
    if conflicts := now.conflicts():
        clashing = sorted({cell for each in conflicts for cell in each.cells})
        said = f"Digits clash: {conflicts[0]}."
        return HintAnswer(state="clashes", explanation=said, cells=clashing)
    if now.is_full:
        return HintAnswer(state="solved", explanation="The board is complete and correct.")
    if wrong := _mistakes(givens, now):
        names = join_words(map(now.geometry.cell_name, wrong))
        said = f"{names} {'differs' if len(wrong) == 1 else 'differ'} from the only solution."
        return HintAnswer(state="mistake", explanation=said, cells=wrong)
    if oracle.solve(now, time_limit=MISTAKE_SECONDS).stop_reason == "no solution":
        said = "No solution fits these digits: at least one is wrong."
        return HintAnswer(state="impossible", explanation=said)
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
        return HintAnswer(state="impossible", explanation=said)
    assert step is not None  # only a full board has none
    concerned = {*step.cells, *(cell for cell, _ in (*step.placements, *step.eliminations))}
    technique = techniques.technique(step.technique)
    return HintAnswer(
        state="step",
        technique=step.technique,
        level=technique.level,
        about=technique.summary,
        explanation=str(step),
        cells=sorted(step.cells),
        unit_cells=sorted(set(now.geometry.units[list(step.units)].ravel().tolist())),
        candidates=[
            CellCandidates(cell=cell, digits=sorted(options[cell]))
            for cell in sorted(concerned)
            if options[cell]
        ],
        placements=[CellDigit(cell=cell, digit=digit) for cell, digit in step.placements],
        eliminations=[CellDigit(cell=cell, digit=digit) for cell, digit in step.eliminations],
    )


def _with_digits(givens: Puzzle, board: list[int]) -> Puzzle:
    """Return a puzzle with the digits filled in so far; PuzzleError if a given is changed."""
    if any(digit > givens.side for digit in board):
        raise PuzzleError(f"expected digits of the board from 0 to {givens.side}")
    now = Puzzle(givens.geometry, bytes(board))
    for cell, (given, digit) in enumerate(zip(givens.digits, now.digits, strict=True)):
        if given and digit != given:
            name = givens.geometry.cell_name(cell)
            raise PuzzleError(f"expected a board with the given {given} at {name}, got {digit}")
    return now


def _mistakes(givens: Puzzle, now: Puzzle) -> list[int]:
    """Return the cells that differ from the solution, if it is unique."""
    from genoku.exact.oracle import SolutionIterator

    if now == givens:
        return []
    search = SolutionIterator(givens, MISTAKE_SECONDS)
    found = list(islice(search, 2))
    if len(found) != 1 or search.out_of_time:
        return []
    pairs = zip(now.digits, found[0].tolist(), strict=True)
    return [cell for cell, (digit, right) in enumerate(pairs) if digit and digit != right]


class GenerateRequest(RequestModel):
    """The properties of a new puzzle; by default it is minimal."""

    size: int | None = Field(None, ge=4, le=36, description="The side.", examples=[9])
    box: Box = None
    level: Level | None = Field(None, description="Difficulty for people.")
    givens: int | None = Field(None, ge=0, le=MAX_CELLS, description="Exact number of givens.")
    share: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Remove digits of a full grid at random, down to this share of givens; there "
        "may be several solutions.",
    )
    symmetry: Symmetry = "none"
    seed: Seed | None = None


@dataclass(frozen=True)
class GenerateAnswer(PuzzleAnswer):
    """A new puzzle, and the seed that reproduces it."""

    seed: int
    verdict: Literal["none", "unique", "several", "unknown"]


@in_worker(router.post("/puzzles/generate", summary="Generate a puzzle"))
def generate(asked: GenerateRequest) -> GenerateAnswer:
    """Generate a puzzle; its solution is unique unless `share` is given."""
    from genoku.generator import PuzzleRequest, generate as made_by

    geometry = Geometry.parse(asked.box) if asked.box else Geometry.of_side(asked.size or 9)
    if asked.size not in (None, geometry.side):
        raise PuzzleError(f"expected boxes for a side of {asked.size}, got {geometry.box}")
    seed = new_seed() if asked.seed is None else asked.seed
    how = asked.model_dump(include={"givens", "symmetry", "level", "share"})
    made = made_by(PuzzleRequest(geometry, **how), seed)
    level = f" {asked.level}" if asked.level else ""
    name = f"{geometry.side}×{geometry.side}{level}, seed {seed}"
    return GenerateAnswer.of(made.puzzle, name, seed=seed, verdict=made.verdict)
