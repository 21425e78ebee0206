"""Islands: who goes where, who is replaced, and that newcomers stay."""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np
import pytest

from genoku import bundled
from genoku.evolve.algorithms import Annealing, Genetic, Islands, Restarts
from genoku.evolve.encoding import PermutedRows
from genoku.evolve.operators.replacement import Generational
from genoku.evolve.problem import Problem
from genoku.evolve.state import Algorithm, State
from genoku.runtime.random import stream

BASIC = bundled()["charles-basic"].puzzle


def nobody_new(brood: Any, problem: Problem, rng: Any) -> Any:
    return np.arange(len(brood.boards))


# Nothing happens inside an island: what changes comes from outside.
STILL = Genetic(PermutedRows(), population=6, replacement=nobody_new)
LIVELY = Genetic(PermutedRows(), population=6, replacement=Generational(1))
PROBLEM = Problem.of(BASIC, STILL.encoding, STILL.fitness)


def keys(state: State) -> set[bytes]:
    return {board.tobytes() for board in state.boards}


def stepped(algorithm: Algorithm) -> tuple[State, State]:
    before = algorithm.start(PROBLEM, stream(3))
    return before, algorithm.step(PROBLEM, before)


@pytest.mark.parametrize("migrants", [0, 1, 3])
def test_in_a_ring_the_best_go_to_the_next_island_and_replace_the_worst(migrants: int) -> None:
    before, after = stepped(Islands(STILL, 3, 1, migrants))
    for i, island in enumerate(after.inner):
        source, old = before.inner[i - 1], before.inner[i]
        best = np.argsort(source.costs, kind="stable")[:migrants]
        arrived = keys(island) - keys(old)
        assert arrived <= {source.boards[place].tobytes() for place in best}
        assert island.costs.min() <= old.costs.min()
        assert sorted(island.costs)[: 6 - migrants] <= sorted(old.costs)[: 6 - migrants]
        if migrants:
            assert source.boards[best[0]].tobytes() in keys(island) or (
                source.costs[best[0]] > old.costs.max()
            )


def test_fully_connected_islands_all_get_the_best_of_all() -> None:
    before, after = stepped(Islands(STILL, 4, 1, 1, topology="full"))
    best = before.boards[np.argmin(before.costs)].tobytes()
    assert all(best in keys(island) for island in after.inner)


@pytest.mark.parametrize("topology", ["ring", "random"])
def test_every_island_gives_to_one_other_and_takes_from_one_other(topology: str) -> None:
    islands = Islands(STILL, 5, 1, topology=cast("Literal['ring', 'random']", topology))
    for seed in range(10):
        routes = islands._routes(stream(seed))
        assert sorted(source for source, _ in routes) == list(range(5))
        assert sorted(target for _, target in routes) == list(range(5))
        assert all(source != target for source, target in routes)


def test_random_migrants_replace_anybody() -> None:
    before, after = stepped(Islands(STILL, 2, 1, 3, policy="random"))
    for i, island in enumerate(after.inner):
        assert len(keys(island) - keys(before.inner[i])) == 3
        assert keys(island) - keys(before.inner[i]) <= keys(before.inner[i - 1])


def test_boards_migrate_after_every_interval_only() -> None:
    apart = Islands(LIVELY, 3, 7, migrants=0)
    state = apart.start(PROBLEM, stream(1))
    alone = list(state.inner)
    state = apart.step(PROBLEM, state)
    for i, island in enumerate(alone):
        for _ in range(7):
            island = LIVELY.step(PROBLEM, island)  # noqa: PLW2901 (it goes on)
        assert np.array_equal(island.boards, state.inner[i].boards)
    assert (state.step, state.evaluations) == (1, 3 * (6 + 7 * 6))


@pytest.mark.parametrize(
    "inner",
    [
        LIVELY,
        Restarts(LIVELY, "steps=100"),
        Islands(LIVELY, 2, 1, 1),
        Restarts(Islands(LIVELY, 2, 1, 1), "steps=100"),
    ],
    ids=["genetic", "restarts", "islands", "restarted islands"],
)
def test_newcomers_stay_however_deep_the_island_is_wrapped(inner: Any) -> None:
    islands = Islands(inner, 3, 1, 3, policy="random")
    state = islands.start(PROBLEM, stream(5))
    given = set(state.births[:, 0].tolist())
    for _ in range(12):
        state = islands.step(PROBLEM, state)
        born = state.births[:, 0].tolist()
        assert not given & set(born)  # an id is given once
        given |= set(born)
        assert set(state.ids.tolist()) <= given
        for island in state.inner:
            while island.inner:
                inside = np.concatenate([deep.boards for deep in island.inner])
                assert np.array_equal(inside, island.boards)  # what is shown is what goes on
                island = island.inner[0]  # noqa: PLW2901 (deeper)


def test_single_boards_migrate_too() -> None:
    problem = Problem.of(BASIC, Annealing().encoding, Annealing().fitness)
    islands = Islands(Annealing(moves=20), 3, 2, 1)
    state = islands.start(problem, stream(2))
    for _ in range(5):
        state = islands.step(problem, state)
        assert np.array_equal(problem.costs(state.boards), state.costs)
    assert state.moves == 3 * 2 * 5 * 20


def test_islands_take_parts_that_cannot_be_hashed() -> None:
    class Listed:
        __hash__ = None  # pyright: ignore[reportAssignmentType]

        def __call__(self, boards: Any, rate: float, problem: Problem, rng: Any) -> Any:
            return boards.copy()

    islands = Islands(Genetic(PermutedRows(), population=6, mutation=Listed()), 2, 1)
    assert islands.step(PROBLEM, islands.start(PROBLEM, stream(1))).step == 1
