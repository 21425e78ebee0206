"""The ladder: every technique, easiest first, listed once; and the way up it through a puzzle.

In a round *all* instances of the easiest technique that applies anywhere are carried out
together; then the ladder is climbed again from the bottom. So the path depends on the puzzle
alone, not on where one looks first: relabelled, turned, or with its lines shuffled, a puzzle
needs the same techniques in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Literal, get_args

from genoku import display
from genoku.board import Board, Puzzle
from genoku.errors import ImpossibleError
from genoku.techniques import chains, subsets
from genoku.techniques.grid import Candidates, Finding, Grid, Step, bits
from genoku.words import plural

Level = Literal["easy", "medium", "hard", "expert", "extreme"]
LEVELS: tuple[Level, ...] = get_args(Level)

ORACLE_SECONDS = 60
"""How long the exact oracle may think about a board on which the ladder is stuck."""


@dataclass(frozen=True)
class Technique:
    """A way to get on: how it is called, how hard it counts, and how it is found."""

    name: str
    level: Level
    summary: str
    find: Callable[[Grid], Iterable[Finding]]
    """All instances on a grid; where an easier technique applies, not all need be found."""

    @property
    def rank(self) -> int:
        """The place on the ladder; 0 is the easiest."""
        return LADDER.index(self)

    def steps(self, grid: Grid) -> list[Step]:
        """All instances with effects of their own, small patterns first, in reading order."""
        findings = sorted(
            self.find(grid), key=lambda found: (len(found.cells), found.cells, found.digits)
        )
        distinct: dict[tuple[object, ...], Finding] = {}
        for found in findings:
            effect = (found.placements, *sorted(found.eliminations))
            distinct.setdefault(effect, found)
        return [
            Step(technique=self.name, geometry=grid.geometry, **vars(found))
            for found in distinct.values()
        ]


def guess(grid: Grid) -> Iterator[Finding]:
    """A blank with the fewest candidates, and what the exact oracle finds there."""
    if grid.is_full:
        return
    board, how = _oracle(grid)
    blanks = [cell for cell, digit in enumerate(grid.digits) if not digit]
    cell = min(blanks, key=lambda blank: grid.options[blank].bit_count())
    digit = int(board[cell])
    place, written = grid.named(cell), grid.written(digit)
    if not grid.options[cell] >> digit & 1:
        raise ImpossibleError(f"the candidates rule out {written} in {place}, its solution")
    yield Finding(
        reason=f"no pattern of the ladder applies; {place} has the fewest candidates "
        f"({grid.either(*bits(grid.options[cell]))}), and {how} has {written} there",
        cells=(cell,),
        digits=(digit,),
        placements=((cell, digit),),
    )


def _oracle(grid: Grid) -> tuple[Board, str]:
    """A solution, and whether it is the only one, in words."""
    from genoku.exact import Search

    search = Search(grid.puzzle, ORACLE_SECONDS)
    boards = list(islice(search, 2))
    if len(boards) == 2:
        return boards[0], "the first of several solutions"
    if boards:
        return boards[0], "the solution found" if search.out_of_time else "the only solution"
    if search.out_of_time:
        raise ImpossibleError(
            "no pattern of the ladder applies, and the exact search found no solution "
            f"within {ORACLE_SECONDS} seconds"
        )
    raise ImpossibleError("no solution: every way to fill the blanks ends in a clash")


LADDER: tuple[Technique, ...] = (
    Technique(
        "full house",
        "easy",
        "A unit has one blank left: it takes the missing digit.",
        subsets.full_houses,
    ),
    Technique(
        "hidden single in box",
        "easy",
        "A digit has one place left in a box.",
        subsets.hidden_singles_in_box,
    ),
    Technique(
        "hidden single in line",
        "easy",
        "A digit has one place left in a row or column.",
        subsets.hidden_singles_in_line,
    ),
    Technique(
        "naked single",
        "easy",
        "A cell has one candidate left.",
        subsets.naked_singles,
    ),
    Technique(
        "pointing",
        "medium",
        "A digit's places in a box lie on one line, so it leaves the rest of the line.",
        subsets.pointing,
    ),
    Technique(
        "claiming",
        "medium",
        "A digit's places on a line lie in one box, so it leaves the rest of the box.",
        subsets.claiming,
    ),
    Technique(
        "naked pair",
        "medium",
        "Two cells of a unit hold the same two digits, which leave its other cells.",
        partial(subsets.naked_subsets, size=2),
    ),
    Technique(
        "hidden pair",
        "medium",
        "Two digits of a unit fit only in two cells, which lose their other candidates.",
        partial(subsets.hidden_subsets, size=2),
    ),
    Technique(
        "naked triple",
        "medium",
        "Three cells of a unit hold three digits between them, which leave its other cells.",
        partial(subsets.naked_subsets, size=3),
    ),
    Technique(
        "hidden triple",
        "medium",
        "Three digits of a unit fit only in three cells, which lose their other candidates.",
        partial(subsets.hidden_subsets, size=3),
    ),
    Technique(
        "naked quad",
        "hard",
        "Four cells of a unit hold four digits between them, which leave its other cells.",
        partial(subsets.naked_subsets, size=4),
    ),
    Technique(
        "hidden quad",
        "hard",
        "Four digits of a unit fit only in four cells, which lose their other candidates.",
        partial(subsets.hidden_subsets, size=4),
    ),
    Technique(
        "X-wing",
        "hard",
        "A digit's places on two parallel lines lie on two crossing lines, and leave the rest "
        "of those.",
        partial(subsets.fish, size=2),
    ),
    Technique(
        "swordfish",
        "hard",
        "The same with three lines and three crossing lines.",
        partial(subsets.fish, size=3),
    ),
    Technique(
        "jellyfish",
        "hard",
        "The same with four lines and four crossing lines.",
        partial(subsets.fish, size=4),
    ),
    Technique(
        "turbot fish",
        "hard",
        "Two conjugate pairs of a digit (the only two places in a unit) with ends that see each "
        "other: one of the outer ends is true. Skyscraper and two-string kite are cases of it.",
        chains.turbot_fish,
    ),
    Technique(
        "simple colouring",
        "hard",
        "Conjugate pairs of a digit joined end to end, coloured in turn: one colour is all true, "
        "the other all false.",
        chains.simple_colouring,
    ),
    Technique(
        "XY-wing",
        "hard",
        "A cell xy sees a cell xz and a cell yz: one of those two is z.",
        chains.xy_wings,
    ),
    Technique(
        "XYZ-wing",
        "hard",
        "A cell xyz sees a cell xz and a cell yz: one of the three is z.",
        chains.xyz_wings,
    ),
    Technique(
        "W-wing",
        "hard",
        "Two cells xy, joined by a conjugate pair of x: one of the two is y.",
        chains.w_wings,
    ),
    Technique(
        "X-chain",
        "expert",
        "Were a candidate true, conjugate pairs of its digit would in turn make it false.",
        chains.x_chains,
    ),
    Technique(
        "XY-chain",
        "expert",
        "Were a candidate true, cells of two candidates would in turn make it false.",
        chains.xy_chains,
    ),
    Technique(
        "alternating chain",
        "expert",
        "Were a candidate true, conjugate pairs and cells of two candidates would in turn make "
        "it false.",
        chains.alternating_chains,
    ),
    Technique(
        "guess",
        "extreme",
        "No pattern of the ladder applies: try a candidate and see.",
        guess,
    ),
)

GUESS = LADDER[-1]
_BY_NAME = {technique.name: technique for technique in LADDER}


def technique(name: str) -> Technique:
    """The technique of this name."""
    return _BY_NAME[name]


STEPS_SHOWN = 200  # in a notebook


@dataclass(frozen=True, repr=False)
class Path:
    """The rounds of a solve, and the digits and candidates they led to."""

    puzzle: Puzzle
    rounds: tuple[tuple[Step, ...], ...]
    reached: Puzzle
    candidates: tuple[tuple[int, ...], ...]

    @property
    def solved(self) -> bool:
        """Whether the ladder filled the board; if not, it got stuck at `reached`."""
        return self.reached.is_full

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for steps in self.rounds for step in steps)

    @property
    def hardest(self) -> Technique:
        """The hardest technique needed: a guess where stuck, the easiest if already full."""
        if not self.solved:
            return GUESS
        used = {steps[0].technique for steps in self.rounds}
        return max(map(technique, used), key=lambda one: one.rank, default=LADDER[0])

    @property
    def counts(self) -> dict[str, int]:
        """How many steps of each technique used, easiest first."""
        used = Counter(step.technique for step in self.steps)
        return {one.name: used[one.name] for one in LADDER if used[one.name]}

    def __repr__(self) -> str:
        far = "solved" if self.solved else f"stuck with {self.reached.digits.count(0)} blanks"
        hardest = f"{self.hardest.name} ({self.hardest.level})"
        return f"<Path: {far} after {plural(len(self.steps), 'step')}, hardest {hardest}>"

    def __str__(self) -> str:
        lines = [f"{i}. {step}" for i, step in enumerate(self.steps, start=1)]
        if not self.solved:
            blanks = self.reached.digits.count(0)
            lines.append(f"Stuck with {blanks} blanks: no pattern of the ladder applies.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        steps, blanks = self.steps, self.reached.digits.count(0)
        far = "Solved" if self.solved else f"Stuck with {plural(blanks, 'blank')}"
        rest = f"after {plural(len(steps), 'step')} in {plural(len(self.rounds), 'round')}"
        if self.solved:
            rest += f"; the hardest is {self.hardest.name} ({self.hardest.level})"
        more = len(steps) - STEPS_SHOWN
        return display.shown(
            display.headline(far, rest),
            display.beside(
                self.puzzle.picture(self.reached.board, style="svg"), display.bars(self.counts)
            ),
            display.folded(
                "Steps",
                display.points(f"{i}. {step}" for i, step in enumerate(steps[:STEPS_SHOWN], 1)),
                display.note(f"… and {plural(more, 'more step')}" if more > 0 else ""),
            ),
        )


def solve_path(puzzle: Puzzle | str, candidates: Candidates | None = None) -> Path:
    """Solve by the ladder as far as it goes, without guessing.

    Every step follows from the givens alone, so a board filled this way is the only solution.
    Raises `PuzzleError` on clashing givens, `ImpossibleError` where nothing fits any more.
    """
    puzzle = Puzzle.parse(puzzle)
    grid = Grid(puzzle, candidates)
    rounds: list[tuple[Step, ...]] = []
    while steps := easiest_steps(grid):
        for step in steps:
            carry_out(step, grid)
        rounds.append(tuple(steps))
    return Path(puzzle, tuple(rounds), grid.puzzle, grid.candidates)


def easiest_steps(grid: Grid) -> list[Step]:
    """All steps of the easiest technique that applies; none if full or stuck."""
    grid.check()
    for one in LADDER[:-1]:
        if steps := one.steps(grid):
            return steps
    return []


def hint(puzzle: Puzzle | str, candidates: Candidates | None = None) -> Step | None:
    """The next step: the first, in reading order, of the easiest technique that applies.

    None for a full board. `candidates` carries what earlier hints removed, which the digits
    alone do not show. Where the ladder gets stuck the step is a guess that the exact oracle
    has checked.

    >>> print(hint("1.....3..4.....2"))
    Hidden single in box: 3 fits nowhere else in box 1, so r1c2 is 3.
    """
    return next_step(Grid(Puzzle.parse(puzzle), candidates))


def walk(puzzle: Puzzle) -> Iterator[tuple[Puzzle, Step]]:
    """Every board on the way to the solution with the hint for it, one step at a time."""
    grid = Grid(puzzle)
    while step := next_step(grid):
        yield grid.puzzle, step
        carry_out(step, grid)


def next_step(grid: Grid) -> Step | None:
    """The hint for a grid, which knows what it was found on."""
    steps = easiest_steps(grid) or GUESS.steps(grid)
    if not steps:
        return None
    return replace(steps[0], puzzle=grid.puzzle, candidates=grid.candidates)


def carry_out(step: Step, grid: Grid) -> None:
    grid.eliminate(step.eliminations)
    for cell, digit in step.placements:
        grid.place(cell, digit)
