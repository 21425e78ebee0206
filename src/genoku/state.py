"""What an algorithm is, and where it stands: plain data that can be saved, sent and resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from genoku.adaptation import Memory
from genoku.encoding import Boards, Encoding, PartialBoards
from genoku.fitness import Costs, Fitness, OpenCells
from genoku.problem import Problem
from genoku.stream import Stream

Finished = Literal["", "solved", "failed", "no solution", "time limit"]
"""How a search ended by itself: "failed" may begin anew, "no solution" is a proof."""

NO_BIRTHS: NDArray[np.int64] = np.empty((0, 3), np.int64)


class State(NamedTuple):
    """Where a run stands after a step. Nothing in it is ever changed: a step makes a new one."""

    rng: Stream
    boards: Boards
    costs: Costs
    ids: NDArray[np.int64]  # of the boards, in order of birth
    born: int  # how many ids were given out
    births: NDArray[np.int64] = NO_BIRTHS  # [births, 1 + parents] an id, and its parents' or −1
    step: int = 0
    evaluations: int = 0
    moves: int = 0
    memory: Memory = {}  # noqa: RUF012 (never changed): numbers of the algorithm, such as its rate
    arrays: Mapping[str, NDArray[Any]] = {}  # and its arrays, of the same shapes as at a start
    inner: tuple[State, ...] = ()  # of the algorithms that a wrapper runs
    finished: Finished = ""


class Algorithm(Protocol):
    """One step is a generation, or a number of moves that is part of the recipe."""

    @property
    def encoding(self) -> Encoding: ...

    @property
    def fitness(self) -> Fitness: ...

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        """The state before the first step, from given boards if there are any."""
        ...

    def step(self, problem: Problem, state: State) -> State:
        """The next state; the old one stays as it is."""
        ...


class Search:
    """What an algorithm may declare beside `Algorithm`, with what holds where it does not.

    Our algorithms inherit it. One of a user's own may; `declared` gives the defaults of others.
    """

    short_steps: ClassVar[Mapping[str, int]] = {}
    """The parameters that make steps long, and what a step of a trial has at most of them."""

    step_name: str = "step"
    """What a step is called."""

    rate_name: str = "rate"
    """What the rate in its memory is."""

    is_random: bool = True
    """Whether another seed may give another run."""

    uses_processes: bool = False
    """Whether a run of it can be spread over several processes."""

    @property
    def inner(self) -> Algorithm | None:
        """The algorithm that it runs inside, if it does."""
        return None

    def with_deadline(self, seconds: float) -> Any:
        """The same algorithm, which gives up after `seconds` where one step could take longer."""
        del seconds
        return self

    def with_short_steps(self) -> Any:
        """The same algorithm with short steps, which need the same kernels."""
        own: Any = self
        return replace(
            own, **{name: min(vars(self)[name], most) for name, most in self.short_steps.items()}
        )

    def receive(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        """A state with newcomers, under new ids, in place of the boards at some places."""
        return replaced(state, places, boards, costs)


@runtime_checkable
class Receives(Protocol):
    """An algorithm that sees to newcomers itself."""

    def receive(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State: ...


class Undeclared(Search):
    """The defaults of an algorithm of a user's own that does not inherit `Search`."""

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm

    def with_deadline(self, seconds: float) -> Any:
        del seconds
        return self.algorithm

    def with_short_steps(self) -> Any:
        return self.algorithm

    def receive(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        if isinstance(self.algorithm, Receives):
            return self.algorithm.receive(state, places, boards, costs)
        return super().receive(state, places, boards, costs)


def declared(algorithm: Algorithm) -> Search:
    """What an algorithm declares beside `Algorithm`."""
    return algorithm if isinstance(algorithm, Search) else Undeclared(algorithm)


class Wrapper(Search):
    """What algorithms that run another one inside have in common: they search what it searches."""

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

    # What `Search` declares as a constant depends here on the algorithm inside: so, properties.

    @property
    def step_name(self) -> str:  # type: ignore[override] # pyright: ignore[reportIncompatibleVariableOverride]
        return declared(self.algorithm).step_name

    @property
    def rate_name(self) -> str:  # type: ignore[override] # pyright: ignore[reportIncompatibleVariableOverride]
        return declared(self.algorithm).rate_name

    @property
    def is_random(self) -> bool:  # type: ignore[override] # pyright: ignore[reportIncompatibleVariableOverride]
        return declared(self.algorithm).is_random

    @property
    def uses_processes(self) -> bool:  # type: ignore[override] # pyright: ignore[reportIncompatibleVariableOverride]
        return declared(self.algorithm).uses_processes

    def with_deadline(self, seconds: float) -> Any:
        own: Any = self
        return replace(own, algorithm=declared(self.algorithm).with_deadline(seconds))

    def with_short_steps(self) -> Any:
        shorter: Any = super().with_short_steps()
        return replace(shorter, algorithm=declared(self.algorithm).with_short_steps())


class OnPartialBoards(Search):
    """What algorithms that build boards by propagation have in common."""

    @property
    def encoding(self) -> Encoding:
        return PartialBoards()

    @property
    def fitness(self) -> Fitness:
        return OpenCells()


def begun(problem: Problem, rng: Stream, count: int, boards: Boards | None) -> State:
    """A first population, evaluated: the given boards, and random ones after them."""
    rng = rng.copy()
    boards = problem.first_boards(count, rng, boards)
    costs, ids = problem.costs(boards), np.arange(count)
    return State(
        rng,
        boards,
        costs,
        ids,
        born=count,
        births=orphans(ids),
        evaluations=count,
        finished="solved" if costs.min() == 0 else "",
    )


def replaced(state: State, places: NDArray[np.int64], boards: Boards, costs: Costs) -> State:
    """A state with other boards, under new ids, at some places."""
    after = state.boards.copy(), state.costs.copy(), state.ids.copy()
    after[0][places], after[1][places] = boards, costs
    after[2][places] = state.born + np.arange(len(places))
    born = state.born + len(places)
    return state._replace(boards=after[0], costs=after[1], ids=after[2], born=born)


def rate_of(*states: State) -> Memory:
    """The mean rate of the states inside a wrapper; nothing where they have none."""
    rates = [state.memory["rate"] for state in states if "rate" in state.memory]
    return {"rate": float(np.mean(rates))} if rates else {}


def orphans(ids: NDArray[np.int64], parents: int = 2) -> NDArray[np.int64]:
    """The births of boards that come from nobody: a first population, or strangers."""
    births = np.full((len(ids), 1 + parents), -1, np.int64)
    births[:, 0] = ids
    return births


def stacked(*tables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Tables of births under each other, the narrow ones filled up with −1."""
    wide = max(table.shape[1] for table in tables)
    return np.concatenate(
        [
            np.pad(table, ((0, 0), (0, wide - table.shape[1])), constant_values=-1)
            for table in tables
        ]
    )
