"""The runs of the reports' experiments, as the page offers them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sessions import LIMITS

from genoku.evolve.presets import preset
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.reports import reports
from genoku.web.live.lanes import choose_lanes, choose_puzzle
from genoku.web.live.plan import RunPlan
from genoku.web.routes.report_runs import ReportRunsAnswer, ReportSettingAnswer, report_runs

NUMBERS = list(reports())


def plans(runs: ReportRunsAnswer) -> Iterator[tuple[ReportSettingAnswer, RunPlan]]:
    """Every run, as the page asks for it."""
    boards = {each.name: each for each in runs.boards}
    for experiment in runs.experiments:
        for each in experiment.settings:
            asked = {"preset": each.preset, "settings": each.settings, "until": each.until}
            for name in [each.board] if each.board else experiment.boards:
                board = boards[name]
                where = {"puzzle": board.puzzle, "box": board.box, "name": board.puzzle_name}
                yield each, RunPlan.model_validate({**asked, **where, "seed": each.seed})


@pytest.mark.parametrize("number", NUMBERS)
def test_the_first_is_the_main_preset_on_its_own_puzzle(number: str) -> None:
    main, *experiments = report_runs(number).experiments
    (setting,) = main.settings
    found = preset(reports()[number].presets[0])
    assert (setting.preset, setting.own_puzzle) == (found.name, found.puzzle_name)
    assert setting.until == setting.own_until == found.until
    assert [each.id for each in experiments] == [each.id for each in reports()[number].experiments]


@pytest.mark.parametrize("number", NUMBERS)
def test_every_run_of_a_report_can_be_started(number: str) -> None:
    for setting, plan in plans(report_runs(number)):
        puzzle, name = choose_puzzle(plan)
        assert name == plan.name
        assert plan.box
        assert puzzle == Puzzle.parse(plan.puzzle, box=plan.box)
        (lane,) = choose_lanes(plan, Geometry(3, 3), LIMITS)
        for path, value in setting.settings.items():
            assert lane.facts.recipe[path] == value
        assert plan.until in str(lane.until)


def test_what_a_report_calls_the_best_is_one_of_its_settings() -> None:
    bests = [
        (experiment, board, row)
        for number in NUMBERS
        for experiment in report_runs(number).experiments
        for board, row in experiment.best.items()
    ]
    assert bests
    for experiment, board, row in bests:
        assert board in experiment.boards
        assert row in [each.row for each in experiment.settings]


def test_equal_settings_have_different_seeds() -> None:
    """The runs of report 003 differ in nothing else."""
    _, small, large, _ = report_runs("003").experiments
    seeds = {each.row: (each.preset, each.seed) for each in small.settings}
    assert seeds["run_1"] == ("simon", 1)
    assert seeds["run_2"] == ("simon", 2)
    assert seeds["run_5"] == ("simon-t20", 2)
    assert seeds["long_run"] == ("simon-long", 1)
    assert [each.seed for each in large.settings] == [1, 2, 3]


def test_a_run_has_the_numbers_that_the_report_printed() -> None:
    _, table, *_ = report_runs("003").experiments
    printed = {each.row: each.printed["Best Fitness"] for each in table.settings}
    assert (printed["run_1"], printed["long_run"]) == (171, 180)
    assert table.row_name == "Run Name"


def test_a_change_of_a_preset_is_a_value() -> None:
    runs = {each.id: each for each in report_runs("002").experiments}
    assert [each.settings for each in runs["5.1"].settings] == [
        {"population": size} for size in (20, 100, 500)
    ]
    assert {each.until for each in runs["5.1"].settings} == {"generations=1000"}
