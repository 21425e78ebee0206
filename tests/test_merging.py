"""Stores of one study made one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from short_studies import exported, rows_of, short_study

from genoku.engine.history import Record
from genoku.errors import StoreError
from genoku.lab.runner import Shard, run_study
from genoku.lab.store import Store, merge


def test_what_is_merged_twice_is_there_once_and_inputs_stay_as_they_are(tmp_path: Path) -> None:
    study = short_study(tmp_path, 3)
    one, two, out = tmp_path / "1.db", tmp_path / "2.db", tmp_path / "out.db"
    run_study(study, one, shard=Shard(1, 2))
    run_study(study, two, shard=Shard(2, 2))
    before = one.read_bytes(), two.read_bytes()
    assert merge(out, [one, one]) == (6, 6, 12, 0)
    assert merge(out, [one, two]) == (6, 12, 12, 0)
    assert merge(out, [two]) == (0, 12, 12, 0)
    assert (one.read_bytes(), two.read_bytes()) == before
    run_study(study, tmp_path / "whole.db")
    assert exported(out) == exported(tmp_path / "whole.db")


def test_stores_of_other_studies_are_not_merged(tmp_path: Path) -> None:
    run_study(short_study(tmp_path, 2), tmp_path / "1.db")
    run_study(short_study(tmp_path, 3), tmp_path / "2.db")
    run_study(short_study(tmp_path, 2, 13), tmp_path / "3.db")
    with pytest.raises(StoreError):
        merge(tmp_path / "out.db", [tmp_path / "1.db", tmp_path / "2.db"])
    with pytest.raises(StoreError):
        merge(tmp_path / "out.db", [tmp_path / "1.db", tmp_path / "3.db"])
    with pytest.raises(StoreError):
        merge(tmp_path / "1.db", [tmp_path / "1.db"])
    study = short_study(tmp_path, 2)
    for changed, said in (
        (replace(study, allow_conflicts=True), "allow_conflicts"),
        (replace(study, record=Record(every=7)), "every=7"),
        (replace(study, question="Another?"), "Another"),
    ):
        (tmp_path / "4.db").unlink(missing_ok=True)
        Store.create(tmp_path / "4.db", changed).close()
        with pytest.raises(StoreError, match=said):
            merge(tmp_path / "out.db", [tmp_path / "1.db", tmp_path / "4.db"])
    assert not (tmp_path / "out.db").exists()


def with_a_torn_history(data: bytes, history: bytes) -> bytes:
    place = data.index(history) + len(history) // 2
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]


def with_a_lost_page(data: bytes, history: bytes) -> bytes:
    place = data.index(history) // 4096 * 4096
    return data[:place] + bytes(4096) + data[place + 4096 :]


def cut_short(data: bytes, history: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize("damage", [with_a_torn_history, with_a_lost_page, cut_short])
def test_a_damaged_input_leaves_the_output_as_it_was(
    tmp_path: Path, damage: Callable[[bytes, bytes], bytes]
) -> None:
    study = short_study(tmp_path, 20)
    good, bad, out = tmp_path / "1.db", tmp_path / "2.db", tmp_path / "out.db"
    run_study(study, good, shard=Shard(1, 2))
    run_study(study, bad, shard=Shard(2, 2))
    merge(out, [good])
    before = exported(out)
    bad.write_bytes(damage(bad.read_bytes(), rows_of(bad)[0].history))
    for target in (out, tmp_path / "new.db"):
        with pytest.raises(StoreError):
            merge(target, [good, bad])
    assert exported(out) == before
    assert not (tmp_path / "new.db").exists()
