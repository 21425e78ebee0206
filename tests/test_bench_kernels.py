"""The regression guard of the kernels: its rule, by invented measures, and a slow one caught."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import kernels
from benchmarks.command import bench
from benchmarks.kernels import (
    LIMIT,
    MASKS,
    TABLE,
    VALUES,
    Expected,
    Verdict,
    Workload,
    ratio,
    regressions,
    sweep,
    walk,
    workloads,
)
from genoku.errors import GenokuError
from genoku.runtime.jit import JIT_IS_ON

needs_jit = pytest.mark.skipif(not JIT_IS_ON, reason="kernels are not compiled")


def quiet(_words: str) -> None: ...


@pytest.mark.parametrize(
    ("first", "second", "regressed", "kept"),
    [
        (1.0, None, False, 1.0),
        (LIMIT, None, False, LIMIT),
        (9.0, 1.0, False, 1.0),  # a moment's trouble
        (9.0, 8.0, True, 8.0),
        (1.7, 9.0, True, 1.7),
    ],
)
def test_a_kernel_has_regressed_if_it_is_slow_twice(
    first: float, second: float | None, regressed: bool, kept: float
) -> None:
    asked = []

    def measure(rounds: int) -> float:
        asked.append(rounds)
        value = first if len(asked) == 1 else second
        assert value is not None, "there was no reason to measure again"
        return value

    verdict = kernels.judge("swap", 1.0, measure, rounds=5)
    assert (verdict.regressed, verdict.ratio) == (regressed, kept)
    assert asked == [5] if second is None else [5, 5 * kernels.AGAIN]


def test_a_kernel_that_nothing_is_known_of_has_not_regressed() -> None:
    assert not Verdict("new", 100.0, None).regressed


def test_what_is_expected_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "kernels.toml"
    expected = Expected("a processor", {"swap": 0.25, "fitness-9": 1.5})
    path.write_text(expected.text(), "utf-8")
    assert Expected.read(path) == expected
    assert "--record" in path.read_text("utf-8")


@pytest.mark.parametrize("text", ["", "processor = 'x'\nratios = 3", "[ratios]\nswap = 'fast'"])
def test_a_file_of_something_else_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kernels.toml"
    path.write_text(text)
    with pytest.raises(GenokuError, match=r"kernels\.toml"):
        Expected.read(path)


@needs_jit
def test_every_kernel_that_is_watched_has_an_expected_ratio() -> None:
    assert [each.name for each in workloads()] == list(Expected.read().ratios)


def plain(result: Any) -> Any:
    """A result as something that can be compared."""
    if hasattr(result, "boards"):
        return result.boards.tobytes(), result.costs.tobytes(), result.rng.tobytes()
    return result.tobytes() if isinstance(result, np.ndarray) else result


@needs_jit
def test_a_workload_is_the_same_work_every_time() -> None:
    for each in workloads():
        assert plain(each.work()) == plain(each.work()), each.name


def test_the_yardsticks_do_what_they_say() -> None:
    values = VALUES[:30].tolist()
    met = 0
    for shift in range(2):
        bits = [1 << ((value + shift) & 15) for value in values]
        met += sum((bits[i] | bits[i + 1] | bits[i + 2]).bit_count() for i in range(0, 28, 3))
    assert sweep(VALUES[:30], MASKS[:30].copy(), 2) == met
    table = TABLE[:64].copy()
    walk(table, 200)
    assert not np.array_equal(table, TABLE[:64])
    assert sorted(table) == sorted(TABLE[:64])


@needs_jit
def test_a_kernel_that_does_twenty_times_the_work_is_caught() -> None:
    honest = next(each for each in workloads() if each.name == "mutation-swap")

    def slow() -> None:
        for _ in range(20):
            honest.work()

    expected = Expected("this", {"mutation-swap": kernels.measure_ratio(honest, 20)})
    slowed_down = Workload("mutation-swap", "walk", slow)
    (verdict,) = kernels.verdicts([slowed_down], expected, 5, quiet)
    assert verdict.regressed
    table = kernels.table([verdict], expected)
    assert table.rows[0][-1] == "**regressed**"
    assert table.figures["regressed"] == 1
    (words,) = regressions({f"kernels.{key}": value for key, value in table.figures.items()})
    assert words.startswith("mutation-swap takes ")


def test_a_ratio_is_of_the_quickest_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    now, calls = [0.0], [0]
    monkeypatch.setattr(kernels, "clock", lambda: now[0])

    def work() -> None:
        calls[0] += 1
        now[0] += 0.00025 if calls[0] > 40 else 0.0005  # at first it is disturbed

    def yard() -> None:
        now[0] += 0.002

    assert ratio(work, yard, 20) == pytest.approx(0.125)
    assert calls[0] == 3 + 20 * 2  # to see how long a call takes, then rounds of a millisecond


def test_without_compiled_kernels_no_ratio_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "JIT_IS_ON", False)
    with pytest.raises(GenokuError, match="NUMBA_DISABLE_JIT"):
        kernels.verdicts([], Expected("any", {}), 1, quiet)


@pytest.mark.parametrize(("found", "code"), [(1.5, 0), (3.2, 1)])
def test_the_command_ends_with_1_where_a_kernel_has_regressed(
    genoku: Any, found: float, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Expected("any", {"swap": 1.0, "other": 1.0})
    verdicts = [Verdict("swap", found, 1.0), Verdict("other", 1.0, 1.0)]
    monkeypatch.setattr(kernels, "measure", lambda _plan, _say: [kernels.table(verdicts, expected)])
    said = genoku("kernels", "--strict", command=bench)
    assert said.code == code
    assert ("swap" in said.err) == bool(code)
    assert ("**regressed**" in said.out) == bool(code)
    assert "other takes" not in said.err
    assert genoku("kernels", command=bench).code == 0


@needs_jit
def test_recording_writes_what_is_expected_from_then_on(
    genoku: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kernels.toml"
    monkeypatch.setattr(kernels, "FILE", path)
    monkeypatch.setattr(kernels, "workloads", lambda: [Workload("swap", "walk", lambda: None)])
    ratios = iter((0.5, 0.25, 0.75, 1.0))
    monkeypatch.setattr(kernels, "measure_ratio", lambda *_: next(ratios))
    assert genoku("kernels", "--record", command=bench).code == 0
    assert Expected.read(path).ratios == {"swap": 0.25}
