"""What a trial is judged by: the penalised share of the budget that its runs needed.

A run that solves its puzzle is worth the decimal logarithm of the share of its budget that it
spent: 0 with the last of it, −1 with a tenth. One that does not is worth 1 plus its loss, as if
it had taken ten times the budget (PAR10), and more the further it stayed from a solution. A trial
is worth the mean of its runs: the lower, the better.

Shares are of evaluations, moves or steps where the budget has such limits: these are the same
wherever a run is made. A budget in seconds alone is measured in processor time, which is not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from genoku.board import Puzzle
from genoku.errors import RecipeError
from genoku.failures import failures_named
from genoku.lab.turns import was_searched
from genoku.loop import run
from genoku.recipe import Trust, build
from genoku.result import Result
from genoku.stopping import CLOCKS, WORDS, Until
from genoku.warming import NOTHING, load_kernels_of

LEAST_SHARE = 1e-6  # of a budget: what is solved at once is no better than this
UNSOLVED = 1.0  # the logarithm of ten budgets
COUNTED = ("generations", "steps", "evaluations", "moves")


class Instance(NamedTuple):
    """A puzzle and the seed of a run on it, as plain data."""

    puzzle: str
    box: str
    seed: int


class Task(NamedTuple):
    """A run to make, for whatever process."""

    recipe: dict[str, Any]
    until: str
    instance: Instance
    trust: Trust = False


class Outcome(NamedTuple):
    """What a run is worth, and the facts behind it."""

    value: float
    solved: bool
    loss: float
    evaluations: int
    moves: int
    cpu_seconds: float
    searched: bool = True
    """Whether a search was needed, or rules alone filled the board."""


def bounds_of(until: Until) -> dict[str, float]:
    """The limits that shares are measured by: those that count, else the seconds."""
    bounds = {word: until.bound(word) for word in (*COUNTED, *CLOCKS)}
    found = {word: bound for word, bound in bounds.items() if bound}
    counted = {word: bound for word, bound in found.items() if word in COUNTED}
    if not found:
        raise RecipeError(
            f"expected a limit that ends every run, such as evaluations=200000, got {str(until)!r}"
        )
    return counted or found


def is_reproducible(until: Until) -> bool:
    """Whether the same seeds give the same values anywhere, whatever the clock says."""
    return not until.is_timed


def value_of(result: Result, until: Until) -> float:
    """What a run is worth."""
    if not result.solved:
        return UNSOLVED + result.loss
    spent = {
        "steps": result.steps,
        "evaluations": result.evaluations,
        "moves": result.moves,
        **dict.fromkeys(CLOCKS, result.cpu_seconds),
    }
    bounds = bounds_of(until)
    share = max(spent[WORDS[word]] / bound for word, bound in bounds.items())
    return math.log10(min(1.0, max(LEAST_SHARE, share)))


def measured(task: Task) -> Outcome:
    """Make a run, in any process, and judge it."""
    until = Until.parse(task.until)
    puzzle = Puzzle.parse(task.instance.puzzle, box=task.instance.box)
    algorithm = build(task.recipe, task.trust)
    with failures_named(task.recipe):
        if not is_reproducible(until):  # compiling is not the algorithm's time
            load_kernels_of(algorithm, puzzle.geometry)
        result = run(puzzle, algorithm, seed=task.instance.seed, until=until, record=NOTHING)
    if result.stop_reason == "interrupted":
        raise KeyboardInterrupt
    return Outcome(
        value_of(result, until),
        result.solved,
        result.loss,
        result.evaluations,
        result.moves,
        result.cpu_seconds,
        was_searched(result.problem.space, result.steps),
    )
