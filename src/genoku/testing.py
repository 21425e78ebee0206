"""Check that your own operators keep the contract of all operators.

>>> from genoku.evolve.operators.mutation import Swap
>>> check_operator(Swap())
>>> check_operator(lambda boards, rate, problem, rng: boards)
Traceback (most recent call last):
    ...
AssertionError: <lambda>: expected new boards, got the old ones (4×4, 8 blanks, free-cells, seed 0)
"""

from __future__ import annotations

import copy
import inspect
import math
import random
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise, product
from typing import Any, NamedTuple, NoReturn, get_args

import numpy as np

from genoku.errors import PuzzleError
from genoku.evolve.encoding import ENCODINGS, Boards, Encoding, Kept, SearchSpace
from genoku.evolve.fitness import Fitness, Repetitions, Unique
from genoku.evolve.operators.adaptation import Memory, Progress
from genoku.evolve.operators.replacement import Brood, size_misfit
from genoku.evolve.problem import (
    KINDS_WITH_METHODS,
    Problem,
    display_name,
    misfit_reason,
    missing_members,
)
from genoku.evolve.recipe import CATALOG, ROLES
from genoku.evolve.state import Finished, State
from genoku.evolve.user.operators import enable_bounds_checks
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import Stream, integers, permutation, stream
from genoku.runtime.text import join_words

__all__ = ["check_operator", "kind_of"]


def check_operator(
    operator: Any,
    kind: str | None = None,
    *,
    encodings: Iterable[Encoding] | None = None,
    puzzles: Iterable[Puzzle] | None = None,
    seeds: Iterable[int] = range(3),
) -> None:
    """Check an operator, encoding, fitness function or algorithm against its contract.

    Parameters
    ----------
    operator
        The part to check. Indices of compiled functions are always checked.
    kind
        Its kind, such as `"mutation"`; by default that of its class or its parameters' names.
    encodings
        The encodings to try; by default all that the operator fits.
    puzzles
        The puzzles to try; by default small ones of several shapes, one without blanks and one
        without givens.
    seeds
        The random seeds to try.

    Raises
    ------
    AssertionError
        If the contract is broken; the message says what was expected, what came and where.
    """
    operator = enable_bounds_checks(operator)
    kind = kind or kind_of(operator)
    lacking = missing_members(operator, kind)
    if lacking is not None:
        raise AssertionError(lacking)
    tried = small_puzzles() if puzzles is None else list(puzzles)
    numbers = list(seeds)
    pairs = list(_pairs(operator, kind, None if encodings is None else list(encodings)))
    if not pairs:
        raise AssertionError(
            f"{display_name(operator)}: expected an encoding that it fits, got none"
        )
    for encoding, fitness in pairs:
        problems = [_problem(puzzle, encoding, fitness, kind) for puzzle in tried]
        for problem, seed in product(problems, numbers):
            CHECKS[kind](Case(operator, problem, encoding, seed))
        if kind == "mutation":
            most_blanks = max(problems, key=lambda problem: len(problem.space.genes))
            check_share(Case(operator, most_blanks, encoding, numbers[0]))


def kind_of(operator: Any) -> str:
    """Return the kind of an operator, from its class, its members or its parameters' names.

    Raises AssertionError if none fits.
    """
    for kind, parts in CATALOG.items():
        if type(operator) in parts.values():
            return kind
    for kind in KINDS_WITH_METHODS:
        if missing_members(operator, kind) is None:
            return kind
    names = list(inspect.signature(operator).parameters) if callable(operator) else []
    for kind, (role, _) in ROLES.items():
        if (
            kind not in KINDS_WITH_METHODS
            and names == list(inspect.signature(role.__call__).parameters)[1:]
        ):
            return kind
    raise AssertionError(
        f"{display_name(operator)}: expected parameters with the names of a kind of operator, "
        f"got ({', '.join(names)}); pass kind=… if yours differ"
    )


def _problem(puzzle: Puzzle, encoding: Encoding, fitness: Fitness, kind: str) -> Problem:
    """Build a problem; report it if an encoding under test cannot."""
    try:
        return Problem.of(puzzle, encoding, fitness)
    except Exception as error:
        if kind != "encoding":
            raise
        raise AssertionError(
            f"{display_name(encoding)}: expected a space for a solvable puzzle, "
            f"got {type(error).__name__}: {error} ({puzzle!r})"
        ) from error


def _pairs(
    operator: Any, kind: str, encodings: list[Encoding] | None
) -> Iterator[tuple[Encoding, Fitness]]:
    """Yield the encodings and fitness functions to try; given encodings are always tried."""
    if kind == "encoding":
        yield operator, Repetitions()
    elif kind == "algorithm":
        yield operator.encoding, operator.fitness
    else:
        fitnesses = [operator] if kind == "fitness" else [Repetitions(), Unique()]
        for encoding in encodings or [each() for each in ENCODINGS]:
            for fitness in fitnesses:
                fits = fitness.needs in ("none", encoding.keeps)
                if encodings or (fits and misfit_reason(operator, encoding, fitness) is None):
                    yield encoding, fitness


POPULATION = 8
MAX_CHECKED = 40  # boards of a large population that are checked individually


class Case(NamedTuple):
    """An operator with the problem and the seed to try it on."""

    operator: Any
    problem: Problem
    encoding: Encoding
    seed: int

    def boards(self, count: int = POPULATION) -> Boards:
        """Draw random boards of the space, two of them equal."""
        boards = self.problem.space.sample(count, stream(self.seed, "boards"))
        boards[1] = boards[0]
        return boards

    def fail(self, sentence: str) -> NoReturn:
        """Raise AssertionError with the sentence and the circumstances."""
        puzzle = self.problem.puzzle
        raise AssertionError(
            f"{display_name(self.operator)}: {sentence} ({puzzle.side}×{puzzle.side}, "
            f"{puzzle.digits.count(0)} blanks, {display_name(self.encoding)}, seed {self.seed})"
        )

    def expect(self, is_so: object, what: str, got: object) -> None:
        if not is_so:
            self.fail(f"expected {what}, got {got}")

    def result(self, function: Callable[..., Any], *arguments: Any, draws: bool = True) -> Any:
        """Call a function twice with equal streams, check its effects, and return its result."""
        watched = *arguments, *_arrays(self.problem.space), self.problem.puzzle.board
        before = copy.deepcopy(watched)
        generators = _generators()
        streams = [stream(self.seed, "operator") for _ in range(2)]
        results = []
        for rng in streams:
            try:
                results.append(function(*arguments, self.problem, *([rng] if draws else [])))
            except AssertionError:
                raise
            except Exception as error:
                self.fail(f"expected no exception, got {type(error).__name__}: {error}")
        self.expect(equal(watched, before), "its inputs to stay as they were", "them changed")
        self.expect(
            _generators() == generators,
            "all randomness to come from rng",
            "draws from the generator of NumPy or of Python",
        )
        self.expect(
            equal(*results) and equal(*streams),
            "the same result from the same stream",
            "two: all randomness must come from rng, and nothing may be kept between calls",
        )
        return results[0]

    def expect_array(self, array: Any, dtype: type, shape: tuple[int, ...]) -> None:
        self.expect(isinstance(array, np.ndarray), "an array", type(array).__name__)
        self.expect(array.dtype == dtype, f"an array of {np.dtype(dtype)}", array.dtype)
        self.expect(array.shape == shape, f"an array of shape {shape}", array.shape)

    def expect_numbers(self, memory: Memory, what: str) -> None:
        plain = (isinstance(each, int | float) and math.isfinite(each) for each in memory.values())
        self.expect(all(plain), what, memory)

    def expect_places(self, places: Any, bound: int, shape: tuple[int, ...]) -> None:
        """Raise AssertionError unless these are indices below a bound."""
        self.expect_array(places, np.int64, shape)
        outside = places[(places < 0) | (places >= bound)]
        self.expect(not len(outside), f"places from 0 to {bound - 1}", outside)

    def expect_boards(self, boards: Any, count: int, old: Boards | None = None) -> None:
        """Raise AssertionError unless these are boards of the space, in memory of their own."""
        puzzle, space = self.problem.puzzle, self.problem.space
        self.expect_array(boards, np.uint8, (count, puzzle.geometry.cells))
        if old is not None:
            self.expect(not np.shares_memory(boards, old), "new boards", "the old ones")
        self.expect(boards.flags.c_contiguous, "boards one after the other", "a view of others")
        self.expect(boards.flags.writeable, "boards that can be changed", "read-only ones")
        given = puzzle.board > 0
        kept = (boards == puzzle.board)[:, given].all()
        self.expect(kept, "the givens to be kept", "other digits in their place")
        for board in boards[:: -(-count // MAX_CHECKED)]:
            if not space.contains(board):
                self.fail(f"expected boards of {display_name(self.encoding)}, got {board.tolist()}")


def equal(one: Any, two: Any) -> bool:
    """Whether two results are equal, including arrays in containers."""
    if isinstance(one, np.ndarray):
        return isinstance(two, np.ndarray) and one.dtype == two.dtype and np.array_equal(one, two)
    if isinstance(one, tuple | list):
        return type(one) is type(two) and len(one) == len(two) and all(map(equal, one, two))
    if isinstance(one, dict):
        same_keys = isinstance(two, dict) and one.keys() == two.keys()
        return same_keys and all(equal(one[key], two[key]) for key in one)
    return bool(one == two)


def _generators() -> tuple[Any, ...]:
    """Return the state of the global random generators."""
    state: Any = np.random.get_state(legacy=True)
    return state[1].tobytes(), state[2:], random.getstate()


SHAPES = [  # geometries to try, with their number of blanks
    (Geometry(2, 2), 8),
    (Geometry(2, 2), 0),
    (Geometry(2, 2), 1),
    (Geometry(2, 3), 24),
    (Geometry(3, 3), 50),
    (Geometry(3, 3), 81),
]


def small_puzzles() -> list[Puzzle]:
    """Make a solvable puzzle of every shape."""
    puzzles = []
    for geometry, blanks in SHAPES:
        digits = _grid(geometry)
        digits[permutation(stream(blanks, "puzzle"), geometry.cells)[:blanks]] = 0
        puzzles.append(Puzzle(geometry, digits.tobytes()))
    return puzzles


@lru_cache(maxsize=64)
def solution(puzzle: Puzzle) -> Board:
    """Return a board that solves a puzzle."""
    grid = _grid(puzzle.geometry)
    if puzzle.is_solved_by(grid):
        return grid
    from genoku.exact.oracle import solve

    board = solve(puzzle).board
    if board is None:
        raise PuzzleError(f"expected a puzzle with a solution to try on, got {puzzle}")
    return board


def near_solved(problem: Problem) -> Iterator[Board]:
    """Yield the solution, and boards of the space that are wrong in a few units only."""
    solved, side = solution(problem.puzzle), problem.puzzle.side
    genes = problem.space.genes.tolist()
    beside = pairwise(genes)
    above = [(cell, cell + side) for cell in genes if cell + side in genes]
    swapped = [_with_swap(solved, one, two) for one, two in (*beside, *above)]
    latin = np.add.outer(np.arange(side), np.arange(side)) % side + 1  # its boxes are not complete
    for board in (solved, latin.ravel().astype(np.uint8), *swapped):
        if problem.space.contains(board):
            yield board


def _with_swap(board: Board, one: int, two: int) -> Board:
    swapped = board.copy()
    swapped[one], swapped[two] = board[two], board[one]
    return swapped


def _grid(geometry: Geometry) -> Board:
    """Build a solved board: every row is the previous one, shifted."""
    rows, columns, side = geometry.box_rows, geometry.box_cols, geometry.side
    row, column = np.divmod(np.arange(geometry.cells), side)
    return np.asarray((row % rows * columns + row // rows + column) % side + 1, np.uint8)


KEPT: tuple[str, ...] = get_args(Kept)
UNITS = ("row", "column", "box")  # that a space can keep complete, as in `Geometry.units`


def check_encoding(case: Case) -> None:
    puzzle, space, keeps = case.problem.puzzle, case.problem.space, case.encoding.keeps
    case.expect(isinstance(space, SearchSpace), "a SearchSpace", type(space).__name__)
    case.expect(keeps in KEPT, f"keeps to be {join_words(KEPT, 'or')}", repr(keeps))
    case.expect(space.keeps == keeps, f"a space that keeps {keeps}", space.keeps)
    case.expect(space.refuted == "", "no objection to a solvable puzzle", repr(space.refuted))
    again = case.result(lambda problem, _rng: _arrays(case.encoding.space(problem.puzzle)))
    case.expect(equal(again, _arrays(space)), "one space for one puzzle", "two")
    if keeps != "rules":  # where boards are built, not drawn
        _check_groups(case)
    boards = case.result(lambda _problem, rng: space.sample(POPULATION, rng))
    case.expect_boards(boards, POPULATION)
    case.expect(space.contains(solution(puzzle)), "a space with the solution", "one without")
    if keeps in UNITS:
        first = UNITS.index(keeps) * puzzle.side
        for cells in puzzle.geometry.units[first : first + puzzle.side]:
            whole = np.sort(boards[:, cells], axis=1) == np.arange(1, puzzle.side + 1)
            case.expect(whole.all(), f"every {keeps} complete", "a repeated digit")


def _check_groups(case: Case) -> None:
    """Check that every blank is in one group, and every group has digits for its cells."""
    space, side = case.problem.space, case.problem.puzzle.side
    count = len(space.sizes)
    blanks = np.flatnonzero(space.puzzle.board == 0)
    case.expect_array(space.genes, np.int64, blanks.shape)
    case.expect(equal(space.genes, blanks), "the blanks in reading order as genes", space.genes)
    case.expect_array(space.groups, np.int64, (count, side))
    case.expect_array(space.digits, np.uint8, (count, side))
    for numbers in (space.sizes, space.choices):
        case.expect_array(numbers, np.int64, (count,))
        within = (numbers >= 1).all() and (numbers <= side).all()
        case.expect(within, f"1 to {side} cells and digits in every group", numbers)
    used = np.arange(side) < space.sizes[:, None]
    case.expect(
        equal(np.sort(space.groups[used]), blanks), "every blank in one group", space.groups
    )
    offered = space.digits[np.arange(side) < space.choices[:, None]]
    case.expect(((offered >= 1) & (offered <= side)).all(), f"digits from 1 to {side}", offered)
    if case.encoding.keeps == "none":
        case.expect((space.sizes == 1).all(), "groups of one cell where nothing is kept", "more")
    else:
        same = equal(space.sizes, space.choices)
        case.expect(same, "as many digits as cells in a group that is kept together", "others")


def _arrays(space: SearchSpace) -> tuple[Any, ...]:
    own = space.genes, space.groups, space.sizes, space.digits, space.choices
    return space.puzzle, space.keeps, *own, space.refuted


CROWD = 600  # boards to measure the share that a mutation changes


def check_selection(case: Case) -> None:
    costs = case.problem.costs(case.boards())
    for each in (costs, np.full_like(costs, 7)):
        for shape in ((5, 2), (1, 2), (4, 3)):
            mates = case.result(case.operator, each, *shape)
            case.expect_places(mates, len(costs), shape)


def check_crossover(case: Case) -> None:
    boards, matings = case.boards(), 6
    parents, children = case.operator.parents, case.operator.children
    drawn = integers(stream(case.seed, "mates"), len(boards), matings * parents)
    for mates in (drawn.reshape(matings, parents), np.zeros((matings, parents), np.int64)):
        made = case.result(case.operator, boards, mates)
        case.expect_boards(made, matings * children, boards)


def check_mutation(case: Case) -> None:
    boards = case.boards()
    for rate in (1.0, 0.3, 0.0):
        changed = case.result(case.operator, boards, rate)
        case.expect_boards(changed, len(boards), boards)
        differing = int((changed != boards).any(axis=1).sum())
        case.expect(rate or not differing, "rate 0 to change nothing", f"{differing} changed")


def check_share(case: Case) -> None:
    """Check that the rate is applied once per board: half the rate changes half as many."""
    boards = case.boards(CROWD)
    always, half = (
        float((case.result(case.operator, boards, rate) != boards).any(axis=1).mean())
        for rate in (1.0, 0.5)
    )
    case.expect(
        abs(half - always / 2) < 0.12,  # five standard deviations
        f"rate 0.5 to change half as many boards as rate 1, {always / 2:.0%} of them",
        f"{half:.0%}",
    )


def check_repeats(case: Case) -> None:
    for count in (POPULATION, 1):
        times = case.result(case.operator, count)
        case.expect_array(times, np.int64, (count,))
        case.expect((times >= 0).all(), "0 times or more", times.min())


def check_replacement(case: Case) -> None:
    for new in (POPULATION, 2 * POPULATION, POPULATION // 2):
        if size_misfit(case.operator, POPULATION, new) is None:
            survivors = case.result(case.operator, brood_of(case, new))
            case.expect_places(survivors, POPULATION + new, (POPULATION,))


def check_diversity(case: Case) -> None:
    children, boards = np.split(case.boards(2 * POPULATION), 2)
    places = case.result(case.operator, children, boards)
    case.expect_places(places, len(children), np.shape(places)[:1])
    case.expect(len(set(places.tolist())) == len(places), "every place once", places)


def check_adaptation(case: Case) -> None:
    memory: Memory | None = None
    brood = brood_of(case, POPULATION)
    for step in range(12):
        progress = Progress(step, max(1, 9 - step // 3), brood if step % 2 else None)
        memory = case.result(case.operator, memory, progress, draws=False)
        case.expect(isinstance(memory, dict) and "rate" in memory, "a dict with a rate", memory)
        case.expect_numbers(memory or {}, "finite numbers")
        case.expect(memory and memory["rate"] >= 0, "a rate of 0 or more", memory)


def check_fitness(case: Case) -> None:
    problem, fitness, geometry = case.problem, case.operator, case.problem.puzzle.geometry
    boards = np.stack([*case.boards(), *near_solved(problem)])
    costs = case.result(lambda boards, problem, _rng: problem.costs(boards), boards)
    case.expect_array(costs, np.int32, (len(boards),))
    for board, cost in zip(boards, costs.tolist(), strict=True):
        if problem.puzzle.is_solved_by(board):
            case.expect(cost == 0, "cost 0 for a solved board", cost)
        else:
            case.expect(cost > 0, "a cost above 0 for a board that is not solved", cost)
    worst, loss = fitness.worst(geometry), fitness.loss(costs, geometry)
    case.expect(costs.max() <= worst, f"no cost above the worst, {worst}", costs.max())
    case.expect((loss >= 0).all() and (loss <= 1).all(), "losses from 0 to 1", loss)
    scores = np.asarray(problem.scores(costs), np.float64)
    case.expect(scores.shape == costs.shape and np.isfinite(scores).all(), "finite scores", scores)
    order = np.argsort(costs, kind="stable")
    dearer = np.diff(costs[order]) > 0
    worse = np.diff(scores[order]) * (-1 if fitness.maximise else 1) > 0
    better = "higher" if fitness.maximise else "lower"
    case.expect((worse == dearer).all(), f"{better} scores for lower costs", scores)


def check_algorithm(case: Case) -> None:
    def make_steps(problem: Problem, rng: Stream) -> list[State]:
        states = [case.operator.start(problem, rng.copy())]
        while len(states) < 4 and not states[-1].finished:
            before = copy.deepcopy(states[-1])
            states.append(case.operator.step(problem, states[-1]))
            case.expect(equal(before, states[-2]), "a step to keep the old state", "it changed")
        return states

    states: list[State] = case.result(make_steps)
    for number, state in enumerate(states):
        case.expect(state.step == number, f"step {number}", state.step)
        check_state(case, state)
        if number:
            check_progress(case, states[number - 1], state)
    given = case.problem.space.sample(1, stream(case.seed, "given"))
    check_state(case, case.result(lambda problem, rng: case.operator.start(problem, rng, given)))


def check_state(case: Case, state: State) -> None:
    """Check that a run can continue from a state, and a checkpoint can hold it."""
    case.expect_boards(state.boards, len(state.boards))
    costs = case.problem.costs(state.boards)
    case.expect(equal(costs, state.costs), f"the costs of its boards, {costs}", state.costs)
    case.expect_places(state.ids, state.born, costs.shape)
    births = state.births
    case.expect(births.ndim == 2 and births.dtype == np.int64, "a table of births", births)
    case.expect(state.finished in get_args(Finished), "a known end", state.finished)
    if state.finished == "solved":
        case.expect(costs.min() == 0, "solved at cost 0 only", costs.min())
    case.expect_numbers(state.memory, "a memory of finite numbers")


def check_progress(case: Case, before: State, after: State) -> None:
    """Check what holds from one step to the next."""
    for name in ("evaluations", "moves", "born"):
        old, new = getattr(before, name), getattr(after, name)
        case.expect(new >= old, f"{name} that never fall, {old} before", new)
    old, new = ({name: (a.dtype, a.shape) for name, a in s.arrays.items()} for s in (before, after))
    case.expect(new == old, f"arrays of the same types and shapes as before, {old}", new)
    again = case.operator.step(case.problem, copy.deepcopy(before))
    case.expect(
        equal(again, after),
        "the same step from the same state",
        "another: what a step needs must be in the state",
    )


CHECKS: dict[str, Callable[[Case], None]] = {
    "algorithm": check_algorithm,
    "encoding": check_encoding,
    "fitness": check_fitness,
    "selection": check_selection,
    "crossover": check_crossover,
    "mutation": check_mutation,
    "repeats": check_repeats,
    "adaptation": check_adaptation,
    "replacement": check_replacement,
    "diversity": check_diversity,
}


def brood_of(case: Case, new: int) -> Brood:
    """Make a population and new boards, some of them without parents."""
    boards, new_boards = case.boards(), case.boards(new)[::-1].copy()
    parents = integers(stream(case.seed, "parents"), POPULATION + 1, 2 * new).reshape(new, 2) - 1
    parents[parents.min(axis=1) < 0] = -1
    costs = case.problem.costs
    return Brood(boards, costs(boards), new_boards, costs(new_boards), parents)
