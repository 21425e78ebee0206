"""Rates follow their schedules and rules, and report 003's runs end at the rates they had."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import DATA, FOUR, NINE, in_another_process, in_python, pattern_grid, seeds

from genoku import Puzzle, bundled
from genoku.errors import RecipeError
from genoku.evolve.encoding import FreeCells
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.adaptation import (
    ADAPTATIONS,
    ByDifficulty,
    Constant,
    Exponential,
    Linear,
    Memory,
    OneFifth,
    Progress,
    Reheating,
    Stagnation,
    successes_of,
)
from genoku.evolve.operators.replacement import Brood
from genoku.evolve.problem import Problem
from genoku.techniques import LEVELS
from genoku.techniques.rating import rate

RUNS: dict[str, dict[str, Any]] = tomllib.loads((DATA / "simon_runs.toml").read_text("utf-8"))


def problem_of(puzzle: Puzzle) -> Problem:
    return Problem.of(puzzle, FreeCells(), Repetitions())


BLANK = problem_of(Puzzle(FOUR, bytes(16)))

VARIANTS: list[Any] = [
    *(adaptation() for adaptation in ADAPTATIONS),
    Linear(0, 2, over=3),
    Exponential(5.0, 0.25, over=7),
    Reheating(Stagnation(patience=1, after_success=1), every=5),
    Reheating(Reheating(Linear(over=4), every=3), every=7),
    Reheating(Reheating(Stagnation(patience=2), patience=3), every=9, patience=4),
    OneFifth(every=1, factor=0.5),
]
every_variant = pytest.mark.parametrize("adaptation", VARIANTS, ids=repr)


def brood_of(children: int, better: int, strangers: int = 0) -> Brood:
    """So many children with parents, so many of them better, and strangers better than all."""
    boards = np.zeros((2, 16), np.uint8)
    costs = np.array([5, 9], np.int32)
    new_costs = np.array([5] * (children - better) + [4] * better + [0] * strangers, np.int32)
    parents = np.array([[0, 1]] * children + [[-1, -1]] * strangers, np.int64).reshape(-1, 2)
    return Brood(boards, costs, np.zeros((len(new_costs), 16), np.uint8), new_costs, parents)


def memories(adaptation: Any, progress: Iterable[Progress]) -> list[Memory]:
    memory, found = None, []
    for now in progress:
        memory = adaptation(memory, now, BLANK)
        found.append(memory)
    return found


def rates(adaptation: Any, steps: int) -> list[float]:
    """The rates of a run in which nothing ever improves."""
    return [memory["rate"] for memory in memories(adaptation, map(stuck, range(steps + 1)))]


def stuck(step: int) -> Progress:
    return Progress(step, 5)


@st.composite
def courses(draw: st.DrawFn) -> list[Progress]:
    """How a run may go: some best cost before the first step and after every one."""
    random = np.random.default_rng(draw(seeds))
    steps = draw(st.integers(0, 40))
    best = random.integers(0, 50, steps + 1).tolist()
    children = random.integers(0, 9, steps + 1)
    return [
        Progress(i, best[i], brood_of(c, int(random.integers(0, c + 1)), 2) if i else None)
        for i, c in enumerate(children.tolist())
    ]


@every_variant
@given(course=courses())
def test_memories_are_plain_numbers_that_are_never_changed(
    adaptation: Any, course: list[Progress]
) -> None:
    memory: Memory | None = None
    for progress in course:
        before = None if memory is None else dict(memory)
        after = adaptation(memory, progress, BLANK)
        assert memory == before
        assert all(type(number) is float and np.isfinite(number) for number in after.values())
        assert after["rate"] >= 0
        saved = None if memory is None else json.loads(json.dumps(memory))
        assert adaptation(saved, progress, BLANK) == after
        memory = after


@every_variant
def test_all_are_values(adaptation: Any) -> None:
    assert eval(repr(adaptation), {**globals()}) == adaptation


def test_constant_stays() -> None:
    assert set(rates(Constant(0.3), 50)) == {0.3}


@given(st.floats(0, 10), st.floats(0, 10), st.integers(1, 60))
def test_linear_goes_by_equal_amounts_and_stops_at_the_end(
    start: float, end: float, over: int
) -> None:
    found = rates(Linear(start, end, over), over + 3)
    assert found[0] == start
    assert found[over:] == [end] * 4
    assert np.diff(found[: over + 1]) == pytest.approx((end - start) / over, abs=1e-9)


@given(st.floats(0.001, 10), st.floats(0.001, 10), st.integers(1, 60))
def test_exponential_goes_by_equal_factors_and_stops_at_the_end(
    start: float, end: float, over: int
) -> None:
    found = rates(Exponential(start, end, over), over + 3)
    assert found[0] == start
    assert found[over:] == [end] * 4
    assert np.diff(np.log(found[: over + 1])) == pytest.approx(np.log(end / start) / over, abs=1e-9)


@given(st.sampled_from([Exponential(3.0, 0.5, 8), Linear(1, 0, 5), Stagnation(patience=2)]))
def test_reheating_begins_the_schedule_anew(schedule: Any) -> None:
    period = rates(schedule, 9)
    assert rates(Reheating(schedule, every=10), 34) == (period * 4)[:35]


def test_reheating_begins_anew_after_steps_without_a_lower_cost() -> None:
    schedule = Linear(1.0, 0.0, over=10)
    best = [9, 8, 8, 8, 9, 3, 5, 4, 4, 2]
    course = [Progress(step, cost) for step, cost in enumerate(best)]
    found = [memory["rate"] for memory in memories(Reheating(schedule, 100, patience=3), course)]
    # Step 4 is the third without less than 8; step 8 the third after 3, wherever it began.
    assert found == pytest.approx([1.0, 0.9, 0.8, 0.7, 1.0, 0.9, 0.8, 0.7, 1.0, 0.9])


def test_a_patient_reheating_takes_no_longer_than_it_may() -> None:
    schedule = Exponential(3.0, 0.5, 8)
    falling = [Progress(step, 100 - step) for step in range(35)]
    memory = memories(Reheating(schedule, every=10, patience=5), falling)
    assert [each["rate"] for each in memory] == (rates(schedule, 9) * 4)[:35]
    assert rates(Reheating(schedule, every=10, patience=10), 34) == (rates(schedule, 9) * 4)[:35]


def test_what_a_schedule_remembers_is_forgotten_when_it_begins_anew() -> None:
    inner = Stagnation(start=0.2, patience=1, increase=0.1, limit=0.5)
    found = rates(Reheating(inner, every=50, patience=4), 9)
    assert found == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.2, 0.3, 0.4, 0.5, 0.2, 0.3])


def replayed(improved: list[int], generations: int) -> list[Memory]:
    """Report 003's rule through a run whose best cost fell in the given generations."""
    best = [1000 - sum(i <= step for i in improved) for step in range(generations + 1)]
    return memories(Stagnation(), (Progress(step, cost) for step, cost in enumerate(best)))


@pytest.mark.parametrize("name", RUNS)
def test_a_published_run_ends_at_its_rate(name: str) -> None:
    run = RUNS[name]
    last = replayed(run["improved"], run["generations"])[-1]
    assert round(last["rate"], 3) == run["rate"]


def test_the_published_runs_reach_the_published_extremes() -> None:
    met = [m["rate"] for r in RUNS.values() for m in replayed(r["improved"], r["generations"])]
    assert round(max(met), 4) == 0.8951
    assert min(met) == 0.01875


def test_pure_stagnation_stops_above_the_limit_at_generation_140() -> None:
    found = rates(Stagnation(), 300)
    assert found[10] == 0.15 + 0.05
    assert found[139] < 0.85
    assert found[140:] == [0.8500000000000002] * 161


def test_a_success_halves_the_rate_and_buys_twenty_generations() -> None:
    found = [memory["rate"] for memory in replayed([3], 33)]
    assert found[:3] == [0.15] * 3
    assert found[3:23] == [0.075] * 20
    assert found[23:33] == [0.125] * 10
    assert found[33] == 0.175


def test_falling_back_and_coming_again_is_no_success() -> None:
    course = [Progress(0, 5), Progress(1, 8), Progress(2, 5)]
    assert memories(Stagnation(), course)[-1] == {"rate": 0.15, "best": 5.0, "wait": 8.0}


@pytest.mark.parametrize(
    ("better", "expected"), [(0, 0.25), (1, 0.25), (2, 0.5), (3, 1.0), (10, 1.0)]
)
def test_the_rate_follows_the_fifth_of_children_that_succeed(better: int, expected: float) -> None:
    progress = Progress(1, 4, brood_of(10, better, strangers=7))
    first, then = memories(OneFifth(0.5, factor=0.5, every=1), [stuck(0), progress])
    assert first["rate"] == 0.5
    assert then["rate"] == expected


def test_successes_are_counted_over_several_steps() -> None:
    course = [stuck(0), *(Progress(i, 4, brood_of(10, 3 * (i == 2))) for i in range(1, 7))]
    found = [memory["rate"] for memory in memories(OneFifth(0.4, factor=0.5, every=3), course)]
    assert found == [0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.1]  # 3 of 30, then none of 30


@pytest.mark.parametrize(("better", "bound"), [(0, 0.001), (10, 1.0)])
def test_the_rate_of_the_success_rule_is_bounded(better: int, bound: float) -> None:
    course = [stuck(0), *(Progress(i, 4, brood_of(10, better)) for i in range(1, 500))]
    assert memories(OneFifth(), course)[-1]["rate"] == bound


def test_without_children_the_success_rule_keeps_its_rate() -> None:
    assert set(rates(OneFifth(every=1), 20)) == {0.5}


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 9))
def test_successes_are_those_better_than_the_first_parent(
    better: int, others: int, strangers: int
) -> None:
    brood = brood_of(better + others, better, strangers)
    arrays = brood.costs, brood.new_costs, brood.parents
    assert successes_of(*arrays) == (better + others, better)
    assert in_python(successes_of)(*arrays) == (better + others, better)


PUZZLES = {name: entry.puzzle for name, entry in bundled().items()}


@pytest.mark.parametrize(("place", "level"), list(enumerate(LEVELS)))
def test_the_rate_follows_the_level_of_the_puzzle(place: int, level: str) -> None:
    puzzle = PUZZLES[f"9x9-{level}"]
    assert rate(puzzle, isomorphs=4).level == level
    memory = ByDifficulty(0.2, 1.0)(None, stuck(0), problem_of(puzzle))
    assert memory["rate"] == pytest.approx(0.2 + 0.2 * place)


@pytest.mark.parametrize(
    "puzzle",
    [
        PUZZLES["poderosas-easy"],  # its givens clash
        Puzzle(NINE, bytes(81)),  # many solutions
        Puzzle.parse("123. ...4 .... ...."),  # no solution
    ],
)
def test_where_no_level_is_known_the_puzzle_counts_as_the_hardest(puzzle: Puzzle) -> None:
    assert ByDifficulty(0.2, 0.9)(None, stuck(0), problem_of(puzzle)) == {"rate": 0.9}


def test_a_full_board_is_easy() -> None:
    assert ByDifficulty()(None, stuck(0), problem_of(pattern_grid(NINE))) == {"rate": 0.1}


def test_only_who_asks_for_the_level_loads_the_techniques() -> None:
    program = (
        "import genoku.evolve.operators.adaptation, sys;"
        "print('genoku.techniques.ladder' in sys.modules)"
    )
    assert in_another_process(program) == "False"


@pytest.mark.parametrize(
    ("adaptation", "parameters"),
    [
        (Constant, {"rate": -0.1}),
        (Constant, {"rate": float("nan")}),
        (Linear, {"end": float("inf")}),
        (Linear, {"over": 0}),
        (Exponential, {"end": 0.0}),
        (Reheating, {"every": 0}),
        (Reheating, {"patience": -1}),
        (Stagnation, {"patience": 0}),
        (Stagnation, {"factor": -1}),
        (OneFifth, {"start": 1.5}),
        (OneFifth, {"factor": 1.0}),
        (ByDifficulty, {"easiest": -1}),
    ],
)
def test_senseless_parameters_are_refused(adaptation: type, parameters: dict[str, float]) -> None:
    with pytest.raises(RecipeError) as refused:
        adaptation(**parameters)
    assert refused.value.path == tuple(parameters)
