"""Sections of `python3 run.py bench` that start processes or runs: startup, memory, scaling.

No clock decides here: times are invented.
"""

from __future__ import annotations

import math
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import memory, processes, scaling, startup
from benchmarks.environment import Peers
from benchmarks.processes import NOT_MEASURED, Spent, peak_of, python, time_process
from benchmarks.sections import SECTIONS, Plan
from genoku.errors import GenokuError
from genoku.puzzle.geometry import Geometry, sides
from genoku.runtime.jit import JIT_IS_ON

PLAN = Plan(quick=True, seed=3, puzzles=None, peers=None, without="left out")
PEERS = Peers(Path("python"), {"simanneal": "0.5.0", "deap": "1.4.4"})

needs_jit = pytest.mark.skipif(not JIT_IS_ON, reason="kernels are not compiled")


def quiet(_words: str) -> None: ...


# New processes


def test_a_process_must_print_what_was_expected() -> None:
    with pytest.raises(GenokuError):
        time_process(python("print('hello')"), "good bye")


def test_the_last_words_of_a_process_are_passed_on() -> None:
    with pytest.raises(GenokuError, match="no luck"):
        time_process(python("raise SystemExit('no luck')"))


def test_the_start_of_ours_is_measured_beside_what_peers_import(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def invented(command: list[str], expected: str = "", environment: Any = None) -> Spent:
        if "import simanneal" in command:
            raise GenokuError("import simanneal failed: no such package")
        return Spent(2.0, math.nan) if environment else Spent(0.5, 0.25)

    monkeypatch.setattr(startup, "time_process", invented)
    plan = Plan(quick=True, seed=1, puzzles=None, peers=PEERS)
    (table,) = startup.measure(plan, quiet)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["import genoku"] == ("500 ms", "500 ms – 500 ms", "250 ms", "3")
    assert rows[f"genoku evolve, {startup.COLD}"] == ("2 s", "2 s – 2 s", NOT_MEASURED, "1")
    assert any("deap" in row for row in rows)
    assert not any("simanneal" in row for row in rows)
    assert "simanneal" in table.legend
    assert table.figures["genoku.cpu_ms"] == 250
    assert "solve_cold.cpu_ms" not in table.figures


# Memory


@pytest.mark.skipif(not processes.PEAK_IS_KNOWN, reason="this system does not tell")
def test_the_peak_of_a_process_is_its_own() -> None:
    held = bytearray(120_000_000)  # which a child that is forked from us would seem to hold
    small, large = peak_of(python("pass")), peak_of(python("held = bytearray(30_000_000)"))
    del held
    assert small is not None
    assert large is not None
    assert small < 30_000_000
    assert 29_000_000 < large - small < 40_000_000


def test_what_is_not_known_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PEAK_IS_KNOWN", False)
    assert peak_of(["nothing"]) is None
    found = {memory.Process("python", memory.EMPTY, lambda: None): None}
    table = memory.peaks(found, ["the peers: left out"])
    assert table.rows == ((memory.EMPTY, NOT_MEASURED, ""),)
    assert table.chart is None
    assert "left out" in table.legend


def test_peaks_stand_beside_an_empty_python() -> None:
    found = {
        memory.Process("python", memory.EMPTY, lambda: None): 9_000_000,
        memory.Process("genetic-500", "genetic algorithm", lambda: None): 170_000_000,
    }
    table = memory.peaks(found)
    assert table.rows[1] == ("genetic algorithm", "170 MB", "161 MB")
    assert table.figures == {"python.peak_mb": 9.0, "genetic-500.peak_mb": 170.0}


def test_only_a_peer_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing() -> int:
        raise GenokuError("it did not start")

    for is_ours in (True, False):
        process = memory.Process("any", "any", failing, is_ours)
        monkeypatch.setattr(memory, "processes", lambda *_, each=process: [each])
        with pytest.raises((GenokuError, FileNotFoundError)) as error:  # the study was not run
            memory.measure(PLAN, quiet)
        assert isinstance(error.value, GenokuError) == is_ours


@pytest.mark.skipif(sys.platform != "linux", reason="by Linux's own files")
def test_a_living_process_tells_what_it_held() -> None:
    assert memory.high_water(os.getpid()) > 10_000_000


# Scaling


@pytest.mark.parametrize("side", sides())
def test_nobody_can_solve_the_board_that_is_used_for_scaling(side: int) -> None:
    puzzle = scaling.unsolvable(Geometry.of_side(side))
    (clash,) = puzzle.conflicts()
    assert "column 1" in str(clash)  # so that rows and boxes can be kept whole


@needs_jit
def test_speeds_are_measured_by_side_and_population() -> None:
    tiny = scaling.Size((4, 9), (10, 20), 1, 0.02, 2)
    by_side = scaling.by_side(tiny, 1, quiet)
    assert [row[0] for row in by_side.rows] == ["4×4", "9×9"]
    assert by_side.chart is not None
    assert [name for name, _ in by_side.chart.series] == ["individuals", "annealing moves"]
    by_population = scaling.by_population(tiny, 1, quiet)
    assert [row[0] for row in by_population.rows] == ["10", "20"]
    assert all(value > 0 for value in by_population.figures.values())


def test_speed_up_is_counted_against_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    courses = {
        1: scaling.Course(runs=10, whole=10.0, first=1.0, done=1),
        2: scaling.Course(runs=10, whole=6.5, first=2.0, done=1),
    }
    monkeypatch.setattr(scaling, "course_of", lambda _study, jobs: courses[jobs])
    tiny = scaling.Size((4,), (10,), 1, 0.02, 10)
    table = scaling.by_processes(tiny, 1, [1, 2], quiet)
    assert table.rows[1] == ("2", "6.5 s", "2 s", "1.54×", "77 %", "2.00×")
    assert table.figures["processes-2.under_way"] == pytest.approx(2.0)


def test_a_study_is_run_from_start_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    real = scaling.course_of

    def course_of(study: Any, jobs: int) -> scaling.Course:
        short = replace(study.arms[0], until="generations=2")
        seen.append(real(replace(study, arms=(short,)), jobs))
        return seen[-1]

    monkeypatch.setattr(scaling, "course_of", course_of)
    scaling.by_processes(scaling.Size((4,), (10,), 1, 0.02, 3), 1, [1], quiet)
    assert [course.runs for course in seen] == [1, 3]
    assert all(0 < course.first <= course.whole and course.done for course in seen)


@pytest.mark.parametrize(("most", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6])])
def test_processes_double_up_to_all_there_are(most: int, counts: list[int]) -> None:
    assert scaling.processes_up_to(most) == counts


# All of it


@pytest.mark.release
@pytest.mark.parametrize("name", ["solvers", "startup", "scaling", "memory", "kernels"])
def test_a_quick_section_runs_from_start_to_end(name: str) -> None:
    for table in SECTIONS[name].measure(Plan(True, 1, None, None, "left out"), quiet):
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert all(math.isfinite(value) for value in table.figures.values())
