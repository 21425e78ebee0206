"""The way through a puzzle by the easiest technique at every turn, and the next step of it.

In a round *all* instances of the easiest technique that applies anywhere are carried out
together; then the ladder is climbed again from the bottom. So the path depends on the puzzle
alone, not on where one looks first: relabelled, turned, or with its lines shuffled, a puzzle
needs the same techniques in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from genoku import display
from genoku.board import Puzzle
from genoku.techniques.grid import Grid
from genoku.techniques.ladder import GUESS, LADDER, Technique, technique
from genoku.techniques.step import Candidates, Step
from genoku.words import plural

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
