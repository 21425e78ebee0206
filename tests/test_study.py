"""Studies as values, and the runs they plan."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from patience import PATIENCE

from genoku import Puzzle, bundled, run
from genoku.engine.history import Record
from genoku.errors import RecipeError, StudyError
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.mutation import RuledSwap
from genoku.lab.runner import make_runs
from genoku.lab.store import Failure, Row, Store, unpack
from genoku.lab.study import Arm, Instance, PlannedRun, Study, arm
from genoku.puzzle.board import Board

TINY = Instance("tiny", Puzzle.parse("1.....3..4.....2"))
BASIC = Instance("basic", bundled()["charles-basic"].puzzle)
QUICK = arm("sundy", until="generations=20")
STUDY = Study(
    "small",
    (QUICK, arm("charles", settings={"population": 40}, until="generations=5")),
    (TINY, BASIC),
    (3, 4),
)


def test_runs_go_through_all_arms_and_puzzles_before_the_next_seed() -> None:
    runs = list(STUDY.runs())
    assert len(runs) == len(STUDY) == 8
    assert runs[:3] == [(0, 0, 3), (1, 0, 3), (0, 1, 3)]
    assert [planned.seed for planned in runs] == [3] * 4 + [4] * 4


def test_a_study_is_its_text() -> None:
    again = Study.of_text(STUDY.text())
    assert again == STUDY
    assert again.text() == STUDY.text()


def test_a_study_with_other_results_is_read_but_no_run_of_it_is_made() -> None:
    old = Study.of_text(json.dumps(json.loads(STUDY.text()) | {"results_version": 2}))
    assert old.arms == STUDY.arms
    assert Study.of_text(old.text()) == old != STUDY
    assert not set(old.keys(old.runs())) & set(STUDY.keys(STUDY.runs()))
    with pytest.raises(StudyError):
        make_runs(old.text(), list(old.runs()))


def test_results_of_version_1_have_the_keys_of_genoku_0_1_0() -> None:
    facts = json.loads(STUDY.text())
    del facts["results_version"]  # which 0.1.0 did not write
    old = Study.of_text(json.dumps(facts | {"genoku": "0.1.0"}))
    assert old == replace(STUDY, results_version=1)
    arm, instance = old.arms[0].digest, old.instances[0].digest
    text = f"{arm} {instance} {old.seeds[0]} 0.1.0"
    planned = PlannedRun(0, 0, old.seeds[0])
    assert old.key(planned) == blake2b(text.encode(), digest_size=16).digest()


def test_every_run_has_a_key_of_its_own() -> None:
    assert len(set(STUDY.keys(STUDY.runs()))) == len(STUDY)


@given(st.permutations(range(2)), st.text(max_size=5))
def test_the_key_of_a_run_depends_neither_on_names_nor_on_places(
    order: list[int], name: str
) -> None:
    arms = tuple(STUDY.arms[place] for place in order)
    renamed = tuple(replace(each, name=f"{each.name}{name}") for each in arms)
    shuffled = replace(STUDY, arms=renamed, name=name, seeds=(4, 3), record=Record(every=3))
    for place, old in enumerate(order):
        assert shuffled.key(PlannedRun(place, 1, 3)) == STUDY.key(PlannedRun(old, 1, 3))


@pytest.mark.parametrize(
    "other",
    [
        replace(STUDY, arms=(replace(QUICK, until="generations=21"),)),
        replace(STUDY, arms=(arm("sundy", settings={"population": 20}, until="generations=20"),)),
        replace(STUDY, instances=(BASIC,)),
        replace(STUDY, seeds=(5,)),
    ],
    ids=["budget", "recipe", "puzzle", "seed"],
)
def test_the_key_of_a_run_depends_on_what_it_is_made_of(other: Study) -> None:
    assert other.key(next(other.runs())) != STUDY.key(next(STUDY.runs()))


def test_an_arm_is_made_of_a_name_a_recipe_or_an_algorithm() -> None:
    named = arm("charles", until="generations=5")
    assert arm(dict(named.recipe), "charles", until="generations=5") == named
    assert arm(named.algorithm(), "charles", until="generations=5") == named
    with pytest.raises(StudyError):
        arm(named.algorithm(), until=" ").until  # noqa: B018
    with pytest.raises(RecipeError):
        arm("charles", settings={"populaton": 3})


def test_the_oracle_ends_with_the_budget() -> None:
    assert arm("exact", until="seconds=2").recipe["seconds"] == 2


def test_a_row_says_what_the_same_run_says_alone() -> None:
    rows = make_runs(STUDY.text(), list(STUDY.runs()))
    for row, planned in zip(rows, STUDY.runs(), strict=True):
        assert isinstance(row, Row)
        each = STUDY.arms[planned.arm]
        alone = run(
            STUDY.instances[planned.instance].puzzle,
            each.algorithm(),
            seed=planned.seed,
            until=each.until,
        )
        assert (row.arm, row.instance, row.seed) == planned
        assert (row.cost, row.steps, row.evaluations) == (
            *(alone.cost, alone.steps, alone.evaluations),
        )
        assert row.solved == alone.solved
        assert row.board == alone.board.tobytes()
        assert unpack(row.history)["best"].tolist() == alone.history["best"].tolist()
        assert row.key == STUDY.key(planned)


def fails_at_once(boards: Board, rate: float, problem: object, rng: object) -> Board:
    raise ZeroDivisionError("no luck")


def test_a_part_that_fails_ends_its_own_run_only() -> None:
    broken = arm("sundy", "broken", settings={"mutation": "test_study:fails_at_once"}, trust=True)
    study = replace(STUDY, arms=(broken, QUICK), instances=(TINY,), seeds=(1,))
    failed, fine = make_runs(study.text(), list(study.runs()), trust=study.trust)
    assert isinstance(failed, Failure)
    assert all(each in failed.message for each in ("test_study:fails_at_once", "no luck"))
    assert isinstance(fine, Row)


class Tiring:
    """Swaps less and less, by a counter that nobody winds back."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, boards: Board, rate: float, problem: Any, rng: Any) -> Board:
        self.calls += 1
        return RuledSwap()(boards, max(0.0, 1 - self.calls / 8), problem, rng)


def test_what_a_part_remembers_ends_with_its_run() -> None:
    tiring = arm(
        "sundy", settings={"mutation": "test_study:Tiring"}, trust=True, until="generations=12"
    )
    study = replace(STUDY, arms=(tiring,), instances=(BASIC,))
    runs = list(study.runs())
    together = make_runs(study.text(), runs, trust=study.trust)
    alone = [
        outcome for each in runs for outcome in make_runs(study.text(), [each], trust=study.trust)
    ]
    for one, other in zip(together, alone, strict=True):
        assert isinstance(one, Row)
        assert isinstance(other, Row)
        assert one.board == other.board
        assert unpack(one.history)["mean"].tolist() == unpack(other.history)["mean"].tolist()


class NoLoss(Repetitions):
    def loss(self, costs: Any, geometry: Any) -> Any:
        return np.full(np.shape(costs), np.nan)


class NoScore(Repetitions):
    def score(self, costs: Any, geometry: Any) -> Any:
        return np.full(np.shape(costs), np.inf)


@pytest.mark.parametrize(
    ("name", "said"),
    [("NoLoss", "expected a finite loss, got nan"), ("NoScore", "finite score")],
)
def test_a_fitness_whose_numbers_are_none_fails(name: str, said: str) -> None:
    odd = arm(
        "sundy",
        "odd",
        settings={"fitness": f"test_study:{name}"},
        trust=True,
        until="generations=2",
    )
    study = replace(STUDY, arms=(odd,), instances=(TINY,), seeds=(1,))
    (failed,) = make_runs(study.text(), list(study.runs()), trust=study.trust)
    assert isinstance(failed, Failure)
    assert f"fitness test_study:{name}" in failed.message
    assert said in failed.message


def says_too_much(boards: Board, rate: float, problem: object, rng: object) -> Board:
    raise ValueError("caf\udce9 " + "x" * 10_000)


def is_impatient(boards: Board, rate: float, problem: object, rng: object) -> Board:
    raise KeyboardInterrupt


def test_what_a_failure_says_can_be_kept(tmp_path: Path) -> None:
    odd = arm("sundy", "odd", settings={"mutation": "test_study:says_too_much"}, trust=True)
    study = replace(STUDY, arms=(odd,), instances=(TINY,), seeds=(1,))
    (failed,) = make_runs(study.text(), list(study.runs()), trust=study.trust)
    assert isinstance(failed, Failure)
    assert "ValueError: caf? xxx" in failed.message
    assert len(failed.message) <= 501
    with Store.create(tmp_path / "odd.db", study) as store:
        store.add([failed])
        assert store.failures() == [failed]


def test_an_interrupt_that_nobody_pressed_ends_its_own_run_only() -> None:
    odd = arm("sundy", "odd", settings={"mutation": "test_study:is_impatient"}, trust=True)
    study = replace(STUDY, arms=(odd, QUICK), instances=(TINY,), seeds=(1,))
    with pytest.raises(KeyboardInterrupt):
        make_runs(study.text(), list(study.runs()), trust=study.trust)
    with ThreadPoolExecutor(1) as pool:  # where no Ctrl-C arrives
        made = pool.submit(make_runs, study.text(), list(study.runs()), trust=study.trust)
        failed, fine = made.result(PATIENCE)
    assert isinstance(failed, Failure)
    assert all(each in failed.message for each in ("test_study:is_impatient", "KeyboardInterrupt"))
    assert isinstance(fine, Row)


def test_a_puzzle_whose_givens_clash_needs_to_be_allowed() -> None:
    clashing = Instance("clash", Puzzle.parse("11......3.....4."))
    with pytest.raises(StudyError):
        replace(STUDY, instances=(clashing,))
    allowed = replace(STUDY, instances=(clashing,), allow_conflicts=True)
    assert isinstance(make_runs(allowed.text(), [PlannedRun(1, 0, 3)])[0], Row)


def test_arms_with_nothing_in_common_but_their_hash_are_different() -> None:
    one = Arm("same", {"use": "exact"}, "seconds=1")
    two = Arm("same", {"use": "other"}, "seconds=1")
    assert hash(one) == hash(two)
    assert one != two
