"""The contract of every kind of operator."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import get_args

import numpy as np

from genoku.adaptation import Memory, Progress
from genoku.problem import Problem
from genoku.replacement import Brood
from genoku.state import Finished, State
from genoku.stream import Stream, integers, stream
from genoku.testing.case import POPULATION, Case, equal
from genoku.testing.puzzles import near_solved
from genoku.testing.spaces import check_encoding

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
    """The rate must be applied once per board: half the rate changes half as many boards."""
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
    takes = getattr(case.operator, "takes", lambda population, new: None)
    for new in (POPULATION, 2 * POPULATION, POPULATION // 2):
        if takes(POPULATION, new) is None:
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
        for number in (memory or {}).values():
            plain = isinstance(number, int | float) and math.isfinite(number)
            case.expect(plain, "finite numbers", memory)
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
    def travel(problem: Problem, rng: Stream) -> list[State]:
        states = [case.operator.start(problem, rng.copy())]
        while len(states) < 4 and not states[-1].finished:
            before = copy.deepcopy(states[-1])
            states.append(case.operator.step(problem, states[-1]))
            case.expect(equal(before, states[-2]), "a step to keep the old state", "it changed")
        return states

    states: list[State] = case.result(travel)
    for number, state in enumerate(states):
        case.expect(state.step == number, f"step {number}", state.step)
        check_state(case, state)
        if number:
            check_progress(case, states[number - 1], state)
    given = case.problem.space.sample(1, stream(case.seed, "given"))
    check_state(case, case.result(lambda problem, rng: case.operator.start(problem, rng, given)))


def check_state(case: Case, state: State) -> None:
    """A state that a run can go on from, and a checkpoint can hold."""
    case.expect_boards(state.boards, len(state.boards))
    costs = case.problem.costs(state.boards)
    case.expect(equal(costs, state.costs), f"the costs of its boards, {costs}", state.costs)
    case.expect_places(state.ids, state.born, costs.shape)
    births = state.births
    case.expect(births.ndim == 2 and births.dtype == np.int64, "a table of births", births)
    case.expect(state.finished in get_args(Finished), "an end that there is", state.finished)
    if state.finished == "solved":
        case.expect(costs.min() == 0, "solved at cost 0 only", costs.min())
    for number in state.memory.values():
        plain = isinstance(number, int | float) and math.isfinite(number)
        case.expect(plain, "a memory of finite numbers", state.memory)


def check_progress(case: Case, before: State, after: State) -> None:
    """What holds from one step to the next."""
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
    """A population and new boards, some of them without parents."""
    boards, new_boards = case.boards(), case.boards(new)[::-1].copy()
    parents = integers(stream(case.seed, "parents"), POPULATION + 1, 2 * new).reshape(new, 2) - 1
    parents[parents.min(axis=1) < 0] = -1
    costs = case.problem.costs
    return Brood(boards, costs(boards), new_boards, costs(new_boards), parents)
