"""What a study will take: worked out from real runs; no clock decides a test."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from runs import BASIC, SMALL
from stores import ANNEALING, GENETIC, TINY, filled, outcomes, small
from strategies import SIXTEEN, pattern_grid, with_digits

from genoku.engine.history import Record
from genoku.evolve.stopping import Limit, Stop, Until
from genoku.lab.estimate import (
    Amount,
    PilotTime,
    count_done,
    estimate,
    extrapolate,
    seconds_to_budget,
)
from genoku.lab.store import Row, Store
from genoku.lab.study import Arm, Instance, Study, arm

LARGE = with_digits(pattern_grid(SIXTEEN), dict.fromkeys(range(0, 256, 2), 0))


def row(**facts: Any) -> Row:
    """A run of which only some facts matter."""
    (first, *_) = outcomes(small())
    assert isinstance(first, Row)
    return first._replace(**facts)


START = row(steps=0, evaluations=40, moves=0, cpu_seconds=0.5)
# A hundred steps in two seconds after the start, of 30 evaluations and 50 moves each.
PILOT = row(steps=100, evaluations=3040, moves=5000, cpu_seconds=2.5)


@pytest.mark.parametrize(
    ("until", "seconds"),
    [
        ("generations=500", 10),
        ("steps=50", 1),
        ("evaluations=6040", 4),
        ("evaluations=40", 0),
        ("moves=10000", 4),
        ("seconds=7", 7),
        ("generations=500 or seconds=7", 7),
        ("generations=200 or seconds=7", 4),
        ("generations=200 and seconds=7", 7),
        ("cost=3 or generations=500", 10),
        ("stagnation=50 and generations=500 or moves=20000", 8),
        ("stagnation=50", math.inf),
        ("cost=3", math.inf),
        ("stagnation=50 and seconds=1", math.inf),
    ],
)
def test_a_budget_is_spent_when_its_limits_are_reached(until: str, seconds: float) -> None:
    assert seconds_to_budget(Until.parse(until), START, PILOT, 2.0) == pytest.approx(seconds)


@given(st.integers(1, 10**9), st.integers(1, 10**6), st.floats(1e-6, 1e3))
def test_a_budget_in_steps_takes_as_many_times_the_time_of_a_step(
    budget: int, steps: int, seconds: float
) -> None:
    until = Until.parse(f"generations={budget}")
    spent = seconds_to_budget(until, START, row(steps=steps), seconds)
    assert spent == pytest.approx(budget * seconds / steps)


CUT = Limit("seconds", 2.0)


def whole(until: str, pilot: Row, every: int = 1, of: Arm = GENETIC) -> Any:
    study = replace(small(), record=Record(every=every))
    return extrapolate(study, replace(of, until=until), (START, 0.75), pilot, CUT)


def test_a_pilot_that_was_cut_short_stands_for_a_whole_run() -> None:
    told = whole("generations=1000", PILOT._replace(stop_reason=str(CUT), history=b"x" * 1010))
    assert told.about == told.most == pytest.approx(0.75 + 20)
    # Ten times the steps, and of 101 rows 10 bytes each.
    assert told.bytes_about == pytest.approx(150 + 16 + 10 * 1001)


def test_a_pilot_that_ended_is_a_run_and_a_longer_one_may_come() -> None:
    told = whole("generations=1000", PILOT._replace(stop_reason="solved", history=b"x" * 1010))
    assert told.about == pytest.approx(0.75 + 2)
    assert told.most == pytest.approx(0.75 + 20)
    assert told.bytes_about == 150 + 16 + 1010
    assert told.bytes_most == pytest.approx(150 + 16 + 10 * 1001)


def test_a_budget_without_a_bound_takes_what_was_seen_or_more() -> None:
    told = whole("stagnation=50", PILOT._replace(stop_reason=str(CUT)))
    assert told.about == pytest.approx(0.75 + 2)
    assert math.isinf(told.most)


def test_a_pilot_that_was_cut_short_before_its_first_step_estimates_a_size() -> None:
    slow = row(steps=0, evaluations=40, moves=0, cpu_seconds=2.5, history=b"x" * 10)
    told = whole("generations=1000", slow._replace(stop_reason=str(CUT)))
    assert math.isinf(told.most)
    assert told.bytes_about == told.bytes_most == 150 + 16 + 10


def test_rows_are_kept_as_often_as_is_recorded() -> None:
    pilot = PILOT._replace(stop_reason=str(CUT), history=b"x" * 110)
    told = whole("generations=1000", pilot, every=10)
    assert told.bytes_about == pytest.approx(150 + 16 + 10 * 101)


def test_a_small_study_takes_what_was_estimated(tmp_path: Path) -> None:
    study = small(seeds=tuple(range(40)))
    found = estimate(study)
    assert (found.runs, found.pairs, found.failures) == (160, 4, ())
    assert found.cpu is not None
    assert found.disk is not None
    assert found.wall is not None
    assert 0 < found.cpu.about <= found.cpu.most < math.inf
    assert found.wall.about == pytest.approx(found.cpu.about / min(found.cores, 160))
    path = tmp_path / "small.db"
    filled(path, study).close()
    assert path.stat().st_size / 2 < found.disk.about < path.stat().st_size * 2


def test_a_large_study_is_sampled_on_every_size_of_board() -> None:
    arms = tuple(
        arm(replace(SMALL, population=4 + place), f"of {4 + place}", until="generations=2")
        for place in range(60)
    )
    puzzles = (Instance("tiny", TINY), Instance("basic", BASIC), Instance("large", LARGE))
    found = estimate(Study("large", arms, puzzles, tuple(range(1000))), seconds=0.5)
    assert found.runs == 180_000
    assert 1 <= found.pairs <= 40
    assert found.cpu is not None
    assert found.cpu.about > 0
    assert {type(each) for each in found.per_run} == {Amount, type(None)}


def test_pilots_that_fail_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd_parts.py").write_text(
        "def select(costs, count, parents, problem, rng):\n    raise RuntimeError('no luck')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    recipe = {**GENETIC.recipe, "selection": {"use": "odd_parts:select"}}
    study = small((ANNEALING, arm(recipe, "odd", until="generations=3", trust=True)))
    found = estimate(study, seconds=0.2)
    assert found.cpu is not None
    assert found.per_run[1] is None
    assert len(found.failures) == 2
    assert all("odd on" in each and "no luck" in each for each in found.failures)
    alone = estimate(replace(study, arms=study.arms[1:]), seconds=0.2)
    assert (alone.cpu, alone.disk, alone.wall, alone.pilots) == (None, None, None, 0)
    sys.modules.pop("odd_parts", None)


def test_loading_kernels_takes_no_time_from_the_pilots(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("genoku.lab.estimate.time", SimpleNamespace(perf_counter=lambda: now[0]))
    clock = PilotTime(6.0)
    now[0] += 15  # in which kernels were compiled
    assert not clock.is_over
    with clock.measure():
        now[0] += 2
    assert (clock.left, clock.is_over) == (4.0, False)
    now[0] += 2
    assert clock.is_over  # enough is enough
    clock = PilotTime(6.0)
    with clock.measure():
        now[0] += 6
    assert clock.is_over


def test_the_oracle_takes_the_same_with_every_seed() -> None:
    oracle = arm("exact", until="seconds=9")
    told = whole("seconds=9", PILOT._replace(stop_reason="solved"), of=oracle)
    assert told.about == told.most == pytest.approx(0.75 + 2)
    told = whole("seconds=9", PILOT._replace(stop_reason=Stop.TIME_LIMIT), of=oracle)
    assert told.about == told.most == pytest.approx(0.75 + 9)


def test_runs_of_a_store_are_counted_by_what_they_are(tmp_path: Path) -> None:
    study = small()
    with Store.create(tmp_path / "some.db", study) as store:
        store.add(outcomes(study)[:5])
        assert count_done(store, study) == 5
        assert count_done(store, small(seeds=(0,))) == 4
        assert count_done(store, small(seeds=(7,))) == 0


# -- the command --

TEXT = """
question = "Is a genetic algorithm better than annealing, and what would it take to find out?"
seeds = 3
until = "generations=4"
puzzles = ["charles-basic", { puzzle = "1.....3..4.....2", name = "tiny" }]
[[algorithms]]
preset = "charles"
grid.population = [10, 20]
[[algorithms]]
preset = "annealing"
"""


@pytest.fixture
def plan(genoku: Any, tmp_path: Path) -> Any:
    (tmp_path / "two.toml").write_text(TEXT)
    return lambda *words: genoku("study", "plan", "two.toml", *words)


def test_the_plan_says_what_would_run(plan: Any) -> None:
    said = plan()
    assert said.code == 0
    assert "18 runs" in said.out
    assert "Algorithms, each until generations=4\n  charles, population=10  " in said.out
    assert "charles-basic" in said.out
    assert "  tiny             4×4     4 givens\n" in said.out
    assert said.err.endswith("genoku study run two.toml\n")
    assert max(map(len, said.out.splitlines())) <= 80


def test_a_plan_without_pilots_only_counts(plan: Any) -> None:
    said = plan("--no-pilot")
    assert "18 runs" in said.out
    assert "Estimate" not in said.out
    assert " a run" not in said.out
    assert json.loads(plan("--no-pilot", "--json").out)["estimate"] is None


def test_json_has_every_setting(plan: Any) -> None:
    facts = json.loads(plan("--json").out)
    assert (facts["runs"], facts["seeds"], facts["store"]) == (18, [0, 1, 2], None)
    assert [each["settings"] for each in facts["algorithms"]] == [
        {"population": 10},
        {"population": 20},
        {},
    ]
    assert facts["algorithms"][1]["recipe"]["population"] == 20
    assert facts["puzzles"][1]["givens"] == 4
    for key in ("cpu_seconds", "seconds", "bytes"):
        assert 0 < facts["estimate"][key]["about"] <= facts["estimate"][key]["most"]


def test_a_store_beside_the_file_counts(plan: Any, tmp_path: Path) -> None:
    from genoku.lab.studyfile import read_study

    study = read_study(tmp_path / "two.toml")
    with Store.create(tmp_path / "two.db", study) as store:
        store.add(outcomes(study)[:7])
        assert json.loads(plan("--no-pilot", "--json").out)["store"]["done"] == 7
        store.add(outcomes(study))
    said = plan("--no-pilot")
    assert json.loads(plan("--no-pilot", "--json").out)["store"]["done"] == 18
    assert said.err == ""
    (tmp_path / "two.db").write_text("no store")
    said = plan("--no-pilot")
    assert said.code == 0
    assert "two.db: " in said.err


def test_a_budget_without_end_is_said(genoku: Any, tmp_path: Path) -> None:
    (tmp_path / "open.toml").write_text(
        'seeds = 1\nuntil = "stagnation=1000000"\npuzzles = ["inkala-2012"]\n'
        'algorithms = ["charles"]\n'
    )
    assert " or more" in genoku("study", "plan", "open.toml").out
    facts = json.loads(genoku("study", "plan", "open.toml", "--json").out)
    assert facts["estimate"]["cpu_seconds"]["most"] is None


def test_what_is_no_study_is_said_in_one_line(genoku: Any, tmp_path: Path) -> None:
    said = genoku("study", "plan", "none.toml")
    assert said.code == 2
    assert said.err.startswith("genoku: none.toml: ")
    (tmp_path / "odd.toml").write_text("seeds = 1\n")
    said = genoku("study", "plan", "odd.toml")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("genoku: odd.toml: ")
