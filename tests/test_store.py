"""The file of results: what is in it stays, whoever reads, writes or pulls the plug."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from patience import PATIENCE
from runs import SMALL
from short_studies import done_in
from stores import ANNEALING, GENETIC, TINY, altered, filled, outcomes, rows_of, small
from strategies import NINE, pattern_grid, with_digits

from genoku.engine.history import Record
from genoku.errors import StoreError
from genoku.lab.store import COLUMNS, Failure, Store, store_errors, unpack
from genoku.lab.study import Arm, Instance, arm as arm_of
from genoku.runtime.workers import WorkerPool


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "small.db"


@pytest.fixture
def full(path: Path) -> Iterator[Store]:
    with filled(path, small()) as store:
        yield store


def test_rows_come_back_as_they_went_in(full: Store) -> None:
    went_in = rows_of(outcomes(small()))
    assert list(full.rows()) == went_in
    assert [type(value) for value in next(full.rows())] == [type(value) for value in went_in[0]]
    results = full.results()
    for name in COLUMNS:
        assert getattr(results, name).tolist() == [getattr(row, name) for row in went_in]
    assert full.done() == {row.key for row in went_in}


def test_histories_come_with_their_rows(full: Store) -> None:
    for row, history in full.histories():
        assert history == unpack(row.history)
        assert history["evals"][-1] == row.evaluations
        assert history["best_ever"][-1] == row.cost


def test_an_arm_and_an_instance_can_be_read_alone(full: Store) -> None:
    for arm in (None, 0, 1):
        for instance in (None, 0, 1):
            chosen = [
                row
                for row in full.rows()
                if arm in (None, row.arm) and instance in (None, row.instance)
            ]
            assert list(full.rows(arm, instance)) == chosen
            of = full.results().of(arm=arm, instance=instance)
            assert of.seed.tolist() == [row.seed for row in chosen]


def test_an_empty_store_has_columns_of_no_length(path: Path) -> None:
    with Store.create(path, small()) as store:
        results = store.results()
        assert len(results) == 0
        assert {len(getattr(results, name)) for name in COLUMNS} == {0}
        assert results.cost.dtype == np.int64
        assert not [*store.rows(), *store.histories(), *store.failures()]


def test_runs_are_read_in_the_order_of_the_plan_however_they_came(path: Path) -> None:
    study = small()
    with Store.create(path, study) as store:
        for outcome in reversed(outcomes(study)):
            store.add([outcome])
        assert list(store.rows()) == rows_of(outcomes(study))


def test_adding_twice_changes_nothing(full: Store) -> None:
    before = list(full.rows())
    full.add([row._replace(cost=99, board=b"") for row in before])
    assert list(full.rows()) == before


def test_largest_and_smallest_numbers_fit(path: Path) -> None:
    row = rows_of(outcomes(small()))[0]._replace(
        evaluations=2**63 - 1, score=-1e300, seconds=5e-324
    )
    with Store.create(path, small()) as store:
        store.add([row])
        assert list(store.rows()) == [row]
        assert store.results().evaluations.tolist() == [2**63 - 1]


def test_a_failed_run_is_named_until_it_succeeds(path: Path) -> None:
    study = small()
    good = rows_of(outcomes(study))[0]
    bad = Failure(good.key, good.arm, good.instance, good.seed, "mutation mine:Odd failed")
    with Store.create(path, study) as store:
        store.add([bad, *outcomes(study)[1:]])
        store.add([bad._replace(message="it failed again")])
        assert store.failures() == [bad._replace(message="it failed again")]
        assert good.key not in store.done()
        store.add([good])
        assert store.failures() == []
        assert list(store.rows()) == rows_of(outcomes(study))


def test_others_read_while_one_writes(path: Path) -> None:
    study = small()
    kept = outcomes(study)
    with Store.create(path, study) as writer, Store.open(path) as reader, WorkerPool(1) as other:
        assert other.submit(done_in, path).result(PATIENCE) == 0
        writer.add(kept[:5])
        assert other.submit(done_in, path).result(PATIENCE) == 5
        assert len(reader.results()) == 5
        writer._connection.execute("BEGIN IMMEDIATE")  # in the midst of adding
        assert other.submit(done_in, path).result(PATIENCE) == 5
        writer._connection.execute("COMMIT")
        reading = reader.rows()
        first = next(reading)
        writer.add(kept[5:])  # what was being read stays as it was
        assert [first, *reading] == rows_of(kept)[:5]
        assert len(reader.results()) == len(kept)


def test_two_writers_take_turns(path: Path) -> None:
    study = small()
    kept = outcomes(study)
    with Store.create(path, study) as one, Store.create(path, study) as two:
        one.add(kept[::2])
        two.add(kept[1::2])
        one.add(kept[:4])
        assert list(one.rows()) == list(two.rows()) == rows_of(kept)


def test_a_reader_may_not_write(full: Store) -> None:
    with Store.open(full.path) as reader, pytest.raises(StoreError):
        reader.add(outcomes(small()))


def test_rows_are_added_all_or_none(path: Path) -> None:
    study = small()
    kept = rows_of(outcomes(study))
    with Store.create(path, study) as store:
        store.add(kept[:2])
        nothing: Any = None
        unfit = kept[4]._replace(cost=nothing)
        store.add([])
        with pytest.raises(StoreError):
            store.add([kept[2], unfit])
        assert list(store.rows()) == kept[:2]
        store.add(kept)
        assert list(store.rows()) == kept


def test_a_study_that_grew_keeps_its_runs(path: Path) -> None:
    filled(path, small(seeds=(0, 2), arms=(ANNEALING,))).close()
    with Store.create(path, small()) as store:
        there = [row for row in rows_of(outcomes(small())) if row.arm == 1 and row.seed != 1]
        assert [row[:7] for row in store.rows()] == [row[:7] for row in there]
        missing = [
            outcome
            for planned, outcome in zip(small().runs(), outcomes(small()), strict=True)
            if small().key(planned) not in store.done()
        ]
        store.add(missing)
        assert len(store.results()) == len(small())


def test_renamed_arms_keep_their_runs(path: Path) -> None:
    filled(path, small()).close()
    names = ("annealing", "old annealing")
    arms = tuple(
        Arm(name, each.recipe, each.until)
        for name, each in zip(names, (GENETIC, ANNEALING), strict=True)
    )
    with Store.create(path, small(arms)) as store:
        assert [each.name for each in store.study.arms] == ["annealing", "old annealing"]
        assert len(store.results()) == len(small())


def test_what_is_no_longer_planned_is_left_out_and_comes_back(path: Path) -> None:
    filled(path, small()).close()
    fewer = replace(small(), seeds=(2, 1), instances=(Instance("four", TINY),))
    with Store.create(path, fewer) as store:
        planned = [fewer.key(each) for each in fewer.runs()]
        assert [row.key for row in store.rows()] == planned
        assert store.results().seed.tolist() == [2, 2, 1, 1]
        assert len(store.done()) == len(small())
    with Store.create(path, small()) as store:
        assert len(store.results()) == len(small())


def test_a_study_that_records_otherwise_needs_another_file(full: Store) -> None:
    other = replace(small(), record=Record(every=2))
    with pytest.raises(StoreError):
        Store.create(full.path, other)
    assert len(full.results()) == len(small())


def test_another_study_needs_another_file(full: Store) -> None:
    board = with_digits(pattern_grid(NINE), {0: 0})
    for other in (
        small(seeds=(7, 8), name="other"),
        small((arm_of(SMALL, "else", until="generations=2"),), name="other"),
        replace(
            small(),
            instances=(Instance("else", board),),
            name="other",
        ),
    ):
        with pytest.raises(StoreError):
            Store.create(full.path, other)
        assert full.study == small()
    Store.create(full.path, small(seeds=(2, 7), name="other")).close()  # which plans some
    Store.create(full.path, small(seeds=(9,), name="other")).close()  # the same one, changed


def test_a_store_without_runs_takes_any_study(path: Path) -> None:
    Store.create(path, small()).close()
    with Store.create(path, small(seeds=(7,), name="other")) as store:
        assert store.study.name == "other"


def test_a_pair_is_found_without_reading_all_runs(full: Store) -> None:
    asked = "EXPLAIN QUERY PLAN SELECT rowid, arm, instance, seed FROM runs WHERE arm=1"
    for clause in ("", " AND instance=2"):
        ((*_, plan),) = full._connection.execute(asked + clause).fetchall()
        assert "SEARCH runs USING INDEX runs_of_a_pair" in plan


def test_what_cannot_be_kept_is_not_blamed_on_the_file(full: Store) -> None:
    row = next(full.rows())
    for wrong in ({"loss": float("nan")}, {"stop_reason": "caf\udce9"}, {"cost": 2**70}):
        with pytest.raises(StoreError):
            full.add([row._replace(key=b"new", **wrong)])
    assert list(full.rows()) == rows_of(outcomes(small()))


def test_a_network_file_system_is_named(path: Path) -> None:
    error = sqlite3.OperationalError("locking protocol")
    error.sqlite_errorname = "SQLITE_PROTOCOL"
    with pytest.raises(StoreError), store_errors(path):
        raise error


def test_creation_that_was_cut_off_is_made_up_for(path: Path) -> None:
    """By a kill before the first page, or after it."""
    path.touch()
    Store.create(path, small()).close()
    path.unlink()
    altered(path, "PRAGMA journal_mode=WAL")
    assert path.stat().st_size
    with filled(path, small()) as store:
        assert len(store.results()) == len(small())
