"""Reports of a grid: what each setting does, over all combinations of the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from invented_runs import Fates, invent
from test_report import EASY, FOUR, SHORT, invented, named, words_of

from genoku.generator import PuzzleRequest, generate
from genoku.lab.report.charts import LineChart
from genoku.lab.report.data import MainEffect, main_effects, read_report_data
from genoku.lab.report.page import Figure, Table
from genoku.lab.store import Store
from genoku.lab.study import Instance, PlannedRun, Study, arm
from genoku.puzzle.geometry import Geometry


def grid_of(tmp_path: Path, fates: Fates) -> list[MainEffect]:
    """What is said of the settings of a grid of two times three, with ten seeds on two puzzles."""
    arms = tuple(
        arm("sundy", settings={"population": population, "crossover.rate": rate}, until=SHORT)
        for population in (10, 20, 30)
        for rate in (0.0, 0.9)
    )
    study = Study("grid", arms, (FOUR, EASY), tuple(range(10)))
    invent(tmp_path / "grid.db", study, fates)
    with Store.open(tmp_path / "grid.db") as store:
        return main_effects(read_report_data(store))


def effort(planned: PlannedRun, factor: float) -> tuple[bool, int, float]:
    """A run that is solved, later on the second puzzle by far more than by any factor."""
    return True, int(factor * (1 + 99 * planned.instance) * (1000 + 7 * planned.seed)), 0.0


def test_each_setting_of_a_grid_is_judged_over_all_others_and_puzzles(tmp_path: Path) -> None:
    found = grid_of(tmp_path, lambda run: effort(run, 1.5 if run.arm % 2 else 1.0))
    by_key = {(each.key, each.values): each for each in found}
    assert len(found) == 4
    rate = by_key["crossover.rate", ("0.0", "0.9")]
    assert (rate.differs, rate.effect.a12) == (True, 1.0)
    assert rate.effect.interval.low > 0.9
    assert rate.reversals == ()
    others = [each for each in found if each.key == "population"]
    assert [each.differs for each in others] == [False] * 3
    assert all(each.effect.a12 == 0.5 for each in others)


def test_an_effect_that_turns_with_another_setting_is_flagged(tmp_path: Path) -> None:
    def fates(run: PlannedRun) -> tuple[bool, int, float]:
        population, crossed = divmod(run.arm, 2)
        slower = crossed != (population == 2)  # a hindrance, but for the largest population
        return effort(run, 1.5 if slower else 1.0)

    (rate,) = [each for each in grid_of(tmp_path, fates) if each.key == "crossover.rate"]
    assert rate.values == ("0.0", "0.9")
    (turn,) = rate.reversals
    assert (turn.key, turn.value, turn.a12) == ("population", "30", 0.0)
    assert turn.p < 0.05


def test_the_summary_answers_by_tests_over_everything_first_and_says_which(tmp_path: Path) -> None:
    arms = tuple(
        arm("sundy", settings={"crossover.rate": rate}, until=SHORT) for rate in (0.0, 0.5, 0.9)
    )
    puzzles = tuple(
        Instance(f"p{n}", generate(PuzzleRequest(Geometry(2, 2)), seed=n).puzzle) for n in range(3)
    )
    study = Study("grid", arms, puzzles, tuple(range(8)))
    page = invented(tmp_path / "s.db", study, lambda run: effort(run, 1.0 + 0.01 * run.arm))
    said = words_of(page)
    main, overall, single = (
        said.index(w) for w in ("van Elteren", "Friedman", "On single puzzles")
    )
    assert main < overall < single
    (table,) = next(each.parts for each in page.sections if each.title == "Main effects")
    assert isinstance(table, Table)
    assert len(table.rows) == 3
    assert all(len(row) == len(table.columns) for row in table.rows)
    ps = re.findall(r"these do not differ significantly \((p[^)]*)\)", said)
    assert all("correction" in p for p in ps)


def test_a_study_without_a_grid_has_no_main_effects(tmp_path: Path) -> None:
    study = Study("two", named("a", "b"), (FOUR,), (0, 1))
    page = invented(tmp_path / "s.db", study, lambda run: (True, 5 + run.seed, 0.0))
    assert "Main effects" not in [section.title for section in page.sections]


def test_curves_of_few_solutions_fill_their_panels(tmp_path: Path) -> None:
    study = Study("two", named("a", "b"), (FOUR,), tuple(range(20)))
    page = invented(
        tmp_path / "s.db", study, lambda run: (run.seed == 3, 100, 0.0 if run.seed == 3 else 0.5)
    )
    charts = [
        chart
        for section in page.sections
        for part in section.parts
        if isinstance(part, Figure)
        for chart in part.charts
        if isinstance(chart, LineChart) and "solved" in chart.y_label
    ]
    for chart in charts:
        assert chart.y_limits == pytest.approx((0, 0.055))
    assert len(charts) == 2
