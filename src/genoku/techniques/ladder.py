"""The ladder of all techniques, easiest first, and solving a puzzle by it.

Each round applies *all* instances of the easiest technique that applies anywhere, and starts again
from the bottom of the ladder. So the path does not depend on where one looks first: all isomorphs
of a puzzle need the same techniques in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Literal, get_args

from genoku.errors import ImpossibleError
from genoku.puzzle.board import Board, Puzzle
from genoku.runtime import notebook
from genoku.runtime.text import format_count
from genoku.techniques import chains, subsets
from genoku.techniques.grid import Candidates, Finding, Grid, Step, bits

Level = Literal["easy", "medium", "hard", "expert", "extreme"]
LEVELS: tuple[Level, ...] = get_args(Level)

ORACLE_SECONDS = 60
"""Time limit of the oracle on a board where the ladder is stuck."""


@dataclass(frozen=True)
class Technique:
    """A solving technique: its name, its level, and how to find it."""

    name: str
    level: Level
    summary: str
    find: Callable[[Grid], Iterable[Finding]]
    """Finds all instances on a grid to which no easier technique applies."""

    @property
    def rank(self) -> int:
        """The position on the ladder; 0 is the easiest."""
        return LADDER.index(self)

    def steps(self, grid: Grid) -> list[Step]:
        """Return all instances with distinct effects, small patterns first, in reading order."""
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
    """No technique of the ladder applies: try a candidate and see."""
    if grid.is_full:
        return
    board, how = _ask_oracle(grid)
    blanks = [cell for cell, digit in enumerate(grid.digits) if not digit]
    cell = min(blanks, key=lambda blank: grid.options[blank].bit_count())
    digit = int(board[cell])
    place, written = grid.cell_names(cell), grid.digit_names(digit)
    if not grid.options[cell] >> digit & 1:
        raise ImpossibleError(f"the candidates exclude the solution: {written} in {place}")
    yield Finding(
        reason=f"no technique of the ladder applies; {place} has the fewest candidates "
        f"({grid.digit_choice(*bits(grid.options[cell]))}), and {how} has {written} there",
        cells=(cell,),
        digits=(digit,),
        placements=((cell, digit),),
    )


def _ask_oracle(grid: Grid) -> tuple[Board, str]:
    """Return a solution, and a description of it: whether it is the only one."""
    from genoku.exact.oracle import SolutionIterator

    search = SolutionIterator(grid.puzzle, ORACLE_SECONDS)
    boards = list(islice(search, 2))
    if len(boards) == 2:
        return boards[0], "the first of several solutions"
    if boards:
        return boards[0], "the solution found" if search.out_of_time else "the only solution"
    if search.out_of_time:
        raise ImpossibleError(
            "no technique of the ladder applies, and the oracle found no solution "
            f"within {ORACLE_SECONDS} seconds"
        )
    raise ImpossibleError("no solution: every way to fill the blanks leads to a conflict")


def _described(name: str, level: Level, find: Callable[[Grid], Iterable[Finding]]) -> Technique:
    """A technique whose summary is the docstring of its finder."""
    return Technique(name, level, " ".join((find.__doc__ or "").split()), find)


def _subsets(name: str, level: Level, size: int, number: str) -> tuple[Technique, Technique]:
    many, fit_in = number.capitalize(), f"{number} cells: remove other candidates from those."
    naked = f"{many} cells of a unit share {number} candidates: remove those from its other cells."
    hidden = f"{many} digits of a unit fit only in {fit_in}"
    return (
        Technique(f"naked {name}", level, naked, partial(subsets.naked_subsets, size=size)),
        Technique(f"hidden {name}", level, hidden, partial(subsets.hidden_subsets, size=size)),
    )


def _fish(name: str, size: int, summary: str) -> Technique:
    return Technique(name, "hard", summary, partial(subsets.fish, size=size))


def _chain(name: str, links: str, *, cells: bool = False, pairs: bool = False) -> Technique:
    summary = f"Were a candidate true, {links} would in turn make it false."
    return Technique(name, "expert", summary, partial(chains.chains, cells=cells, pairs=pairs))


LADDER: tuple[Technique, ...] = (
    _described("full house", "easy", subsets.full_houses),
    _described("hidden single in box", "easy", subsets.hidden_singles_in_box),
    _described("hidden single in line", "easy", subsets.hidden_singles_in_line),
    _described("naked single", "easy", subsets.naked_singles),
    _described("pointing", "medium", subsets.pointing),
    _described("claiming", "medium", subsets.claiming),
    *_subsets("pair", "medium", 2, "two"),
    *_subsets("triple", "medium", 3, "three"),
    *_subsets("quad", "hard", 4, "four"),
    _fish(
        "X-wing",
        2,
        "A digit's places on two parallel lines lie on two crossing lines: remove it from the "
        "rest of those.",
    ),
    _fish("swordfish", 3, "The same with three lines and three crossing lines."),
    _fish("jellyfish", 4, "The same with four lines and four crossing lines."),
    _described("turbot fish", "hard", chains.turbot_fish),
    _described("simple colouring", "hard", chains.simple_colouring),
    _described("XY-wing", "hard", chains.xy_wings),
    _described("XYZ-wing", "hard", chains.xyz_wings),
    _described("W-wing", "hard", chains.w_wings),
    _chain("X-chain", "conjugate pairs of its digit", pairs=True),
    _chain("XY-chain", "cells of two candidates", cells=True),
    _chain(
        "alternating chain", "conjugate pairs and cells of two candidates", cells=True, pairs=True
    ),
    _described("guess", "extreme", guess),
)

GUESS = LADDER[-1]
_BY_NAME = {technique.name: technique for technique in LADDER}


def technique(name: str) -> Technique:
    """Return the technique with this name; KeyError if there is none."""
    return _BY_NAME[name]


STEPS_SHOWN = 200  # in a notebook


@dataclass(frozen=True, repr=False)
class SolvePath:
    """The steps by which the ladder solves a puzzle, and the board they reach."""

    puzzle: Puzzle
    rounds: tuple[tuple[Step, ...], ...]
    """The steps of each round, all of one technique."""
    reached: Puzzle
    """The board after the last step."""
    candidates: tuple[tuple[int, ...], ...]
    """The candidates of every cell after the last step."""

    @property
    def is_solved(self) -> bool:
        """Whether the ladder filled the board; if not, it is stuck at `reached`."""
        return self.reached.is_full

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(step for steps in self.rounds for step in steps)

    @property
    def hardest(self) -> Technique:
        """The hardest technique needed: a guess if stuck, the easiest if already full."""
        if not self.is_solved:
            return GUESS
        used = {steps[0].technique for steps in self.rounds}
        return max(map(technique, used), key=lambda one: one.rank, default=LADDER[0])

    @property
    def counts(self) -> dict[str, int]:
        """The number of steps by technique, easiest first."""
        used = Counter(step.technique for step in self.steps)
        return {one.name: used[one.name] for one in LADDER if used[one.name]}

    def __repr__(self) -> str:
        far = "solved" if self.is_solved else f"stuck with {self.reached.digits.count(0)} blanks"
        hardest = f"{self.hardest.name} ({self.hardest.level})"
        steps = format_count(len(self.steps), "step")
        return f"<SolvePath: {far} after {steps}, hardest {hardest}>"

    def __str__(self) -> str:
        lines = [f"{i}. {step}" for i, step in enumerate(self.steps, start=1)]
        if not self.is_solved:
            blanks = self.reached.digits.count(0)
            lines.append(f"Stuck with {blanks} blanks: no technique of the ladder applies.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        steps, blanks = self.steps, self.reached.digits.count(0)
        far = "Solved" if self.is_solved else f"Stuck with {format_count(blanks, 'blank')}"
        rounds, more = format_count(len(self.rounds), "round"), len(steps) - STEPS_SHOWN
        rest = f"after {format_count(len(steps), 'step')} in {rounds}"
        if self.is_solved:
            rest += f"; the hardest is {self.hardest.name} ({self.hardest.level})"
        picture = self.puzzle.picture(self.reached.board, style="svg")
        listing = [f"{i}. {step}" for i, step in enumerate(steps[:STEPS_SHOWN], 1)]
        return notebook.block(
            notebook.headline(far, rest),
            notebook.flex_row(picture, notebook.bar_table(self.counts)),
            notebook.details(
                "Steps",
                notebook.bullet_list(listing),
                notebook.note(f"… and {format_count(more, 'more step')}" if more > 0 else ""),
            ),
        )


def solve_path(puzzle: Puzzle | str, candidates: Candidates | None = None) -> SolvePath:
    """Solve a puzzle by the ladder as far as possible, without guessing.

    Every step follows from the givens, so a board filled this way is the only solution.

    Parameters
    ----------
    puzzle
        The puzzle.
    candidates
        The digits allowed in every cell, to start from fewer candidates than the givens leave.

    Raises
    ------
    PuzzleError
        For conflicting givens.
    ImpossibleError
        If a blank has no candidate left, or a digit no place in a unit.
    """
    puzzle = Puzzle.parse(puzzle)
    grid = Grid(puzzle, candidates)
    rounds: list[tuple[Step, ...]] = []
    while steps := easiest_steps(grid):
        for step in steps:
            apply_step(step, grid)
        rounds.append(tuple(steps))
    return SolvePath(puzzle, tuple(rounds), grid.puzzle, grid.candidates)


def easiest_steps(grid: Grid) -> list[Step]:
    """Return all steps of the easiest technique that applies; none if full or stuck."""
    grid.check()
    for one in LADDER[:-1]:
        if steps := one.steps(grid):
            return steps
    return []


def hint(puzzle: Puzzle | str, candidates: Candidates | None = None) -> Step | None:
    """Return the next step: the first, in reading order, of the easiest technique that applies.

    Where the ladder is stuck, the step is a guess checked by the oracle.

    Parameters
    ----------
    puzzle
        The board as it is now.
    candidates
        The candidates of every cell after earlier hints; by default what the givens leave.

    Returns
    -------
    Step or None
        None for a full board.

    Raises
    ------
    PuzzleError
        For conflicting givens.
    ImpossibleError
        For a puzzle without a solution.

    Examples
    --------
    >>> print(hint("1.....3..4.....2"))
    Hidden single in box: 3 fits nowhere else in box 1, so r1c2 is 3.
    """
    return next_step(Grid(Puzzle.parse(puzzle), candidates))


def solve_steps(puzzle: Puzzle) -> Iterator[tuple[Puzzle, Step]]:
    """Yield every board on the way to the solution with its hint, one step at a time."""
    grid = Grid(puzzle)
    while step := next_step(grid):
        yield grid.puzzle, step
        apply_step(step, grid)


def next_step(grid: Grid) -> Step | None:
    """Return the hint for a grid; it holds the board on which it was found."""
    steps = easiest_steps(grid) or GUESS.steps(grid)
    if not steps:
        return None
    return replace(steps[0], puzzle=grid.puzzle, candidates=grid.candidates)


def apply_step(step: Step, grid: Grid) -> None:
    grid.eliminate(step.eliminations)
    for cell, digit in step.placements:
        grid.place(cell, digit)
