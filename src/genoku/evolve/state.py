"""The protocol of algorithms, and their state: plain data that can be saved and resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from genoku.evolve.encoding import Boards, Encoding, PartialBoards
from genoku.evolve.fitness import Costs, Fitness, OpenCells
from genoku.evolve.operators.adaptation import Memory
from genoku.evolve.problem import Problem
from genoku.runtime.random import Stream

Finished = Literal["", "solved", "failed", "no solution", "time limit"]
"""How a search ended by itself: "failed" may be restarted, "no solution" is a proof."""

NO_BIRTHS: NDArray[np.int64] = np.empty((0, 3), np.int64)


class State(NamedTuple):
    """The state of an algorithm after a step. It is never changed: a step returns a new one."""

    rng: Stream
    boards: Boards
    costs: Costs
    ids: NDArray[np.int64]  # [boards] numbered in order of birth
    born: int  # the number of ids used
    births: NDArray[np.int64] = NO_BIRTHS  # [births, 1 + parents] an id, and the parents' or −1
    step: int = 0
    evaluations: int = 0
    moves: int = 0
    memory: Memory = {}  # noqa: RUF012 (never changed): numbers of the algorithm, such as its rate
    arrays: Mapping[str, NDArray[Any]] = {}  # arrays of the algorithm; their shapes never change
    inner: tuple[State, ...] = ()  # the states of wrapped algorithms
    finished: Finished = ""


class Algorithm(Protocol):
    """A search in steps: generations, or fixed numbers of moves."""

    @property
    def encoding(self) -> Encoding: ...

    @property
    def fitness(self) -> Fitness: ...

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        """Return the state before the first step, from given boards if there are any."""
        ...

    def step(self, problem: Problem, state: State) -> State:
        """Return the next state, without changing the old one."""
        ...


class Search:
    """Optional members of an algorithm, with their defaults.

    All algorithms of genoku inherit it. Your own may; `as_search` supplies the defaults for those
    that do not.
    """

    short_steps: ClassVar[Mapping[str, int]] = {}  #: Upper limits of parameters in a trial run
    step_name: str = "step"  #: The name of a step
    rate_name: str = "rate"  #: The name of the rate in its memory
    is_random: bool = True  #: Whether the run depends on the random seed
    uses_processes: bool = False  #: Whether a run can use several processes

    @property
    def inner(self) -> Algorithm | None:
        """The wrapped algorithm, if any."""
        return None

    def with_deadline(self, seconds: float) -> Any:
        """Return the algorithm with a time limit, if one step could take longer than `seconds`."""
        del seconds
        return self

    def with_short_steps(self) -> Any:
        """Return the algorithm with short steps, which use the same kernels."""
        own: Any = self
        short = {name: min(vars(self)[name], most) for name, most in self.short_steps.items()}
        return replace(own, **short)

    def with_immigrants(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        """Return a state with immigrants, under new ids, in some places."""
        after, costs_after, ids = state.boards.copy(), state.costs.copy(), state.ids.copy()
        after[places], costs_after[places] = boards, costs
        ids[places] = state.born + np.arange(len(places))
        born = state.born + len(places)
        return state._replace(boards=after, costs=costs_after, ids=ids, born=born)


@runtime_checkable
class SupportsImmigrants(Protocol):
    """An algorithm that defines how immigrants join its state."""

    def with_immigrants(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State: ...


class SearchAdapter(Search):
    """The members of `Search` for a user's algorithm that does not inherit it."""

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm

    def with_deadline(self, seconds: float) -> Any:
        del seconds
        return self.algorithm

    def with_short_steps(self) -> Any:
        return self.algorithm

    def with_immigrants(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        if isinstance(self.algorithm, SupportsImmigrants):
            return self.algorithm.with_immigrants(state, places, boards, costs)
        return super().with_immigrants(state, places, boards, costs)


def as_search(algorithm: Algorithm) -> Search:
    """The algorithm with all members of `Search`."""
    return algorithm if isinstance(algorithm, Search) else SearchAdapter(algorithm)


class Wrapper(Search):
    """Base of algorithms that wrap another one: same encoding and fitness."""

    algorithm: Algorithm

    @property
    def encoding(self) -> Encoding:
        return self.algorithm.encoding

    @property
    def fitness(self) -> Fitness:
        return self.algorithm.fitness

    @property
    def inner(self) -> Algorithm:
        return self.algorithm

    # `Search` declares these as attributes; here they depend on the wrapped algorithm, and type
    # checkers object to a property in place of an attribute

    @property
    def step_name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return as_search(self.algorithm).step_name

    @property
    def rate_name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return as_search(self.algorithm).rate_name

    @property
    def is_random(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return as_search(self.algorithm).is_random

    @property
    def uses_processes(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return as_search(self.algorithm).uses_processes

    def with_deadline(self, seconds: float) -> Any:
        own: Any = self
        return replace(own, algorithm=as_search(self.algorithm).with_deadline(seconds))

    def with_short_steps(self) -> Any:
        shorter: Any = super().with_short_steps()
        return replace(shorter, algorithm=as_search(self.algorithm).with_short_steps())


class PartialBoardSearch(Search):
    """Base of algorithms that build partial boards by propagation."""

    @property
    def encoding(self) -> Encoding:
        return PartialBoards()

    @property
    def fitness(self) -> Fitness:
        return OpenCells()


def initial_state(problem: Problem, rng: Stream, count: int, boards: Boards | None) -> State:
    """Return the state of a first population: given boards, then random ones, evaluated.

    Parameters
    ----------
    problem, rng
        The problem to solve, and the random stream, which is copied.
    count
        The number of boards.
    boards
        Up to `count` given boards `[boards, cells]`, or None.
    """
    rng = rng.copy()
    boards = problem.first_boards(count, rng, boards)
    costs, ids = problem.costs(boards), np.arange(count)
    return State(
        rng,
        boards,
        costs,
        ids,
        born=count,
        births=births_without_parents(ids),
        evaluations=count,
        finished="solved" if costs.min() == 0 else "",
    )


def mean_rate(*states: State) -> Memory:
    """A memory with the mean rate of wrapped states; empty if they have none."""
    rates = [state.memory["rate"] for state in states if "rate" in state.memory]
    if len(rates) == 1:  # of restarts, in every step: NumPy's mean would take as long as a kernel
        return {"rate": float(rates[0])}
    return {"rate": float(np.mean(rates))} if rates else {}


def births_without_parents(ids: NDArray[np.int64], parents: int = 2) -> NDArray[np.int64]:
    """Return the births of boards without parents: a first population, or random boards."""
    births = np.full((len(ids), 1 + parents), -1, np.int64)
    births[:, 0] = ids
    return births


def stack_births(*tables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Tables of births as one, with −1 in the columns that some lack."""
    wide = max(table.shape[1] for table in tables)
    return np.concatenate(
        [
            np.pad(table, ((0, 0), (0, wide - table.shape[1])), constant_values=-1)
            for table in tables
        ]
    )
