"""The facts of the five reports: they agree with the presets, the puzzles and the citations."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from strategies import in_another_process

from genoku.evolve.fitness import CompleteUnits
from genoku.evolve.presets import choose, preset, presets
from genoku.evolve.recipe import describe
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.resolve import resolve
from genoku.reports import Experiment, Report, Setting, reports
from reproductions import published

ALL = list(reports().values())
EXPERIMENTS = [
    pytest.param(report, each, id=f"{report.number}-{each.id}")
    for report in ALL
    for each in report.experiments
]
SETTINGS = [
    pytest.param(report, experiment, each, id=f"{report.number}-{experiment.id}-{each.preset}")
    for report in ALL
    for experiment in report.experiments
    for each in experiment.settings
]


def test_reading_them_loads_neither_presets_nor_numpy() -> None:
    program = "from genoku.reports import reports; reports(); import sys; print(*sys.modules)"
    loaded = in_another_process(program).split()
    assert not {"numpy", "numba", "genoku.evolve"} & set(loaded)


def test_there_are_five() -> None:
    assert list(reports()) == ["000", "001", "002", "003", "004"]


@pytest.mark.parametrize("report", ALL, ids=lambda each: each.number)
def test_presets_cite_their_report(report: Report) -> None:
    for name in report.presets:
        assert preset(name).group == report.label
    for each in presets():
        if each.report.startswith(report.label):
            assert each.report.startswith(report.cite)


@pytest.mark.parametrize("report", ALL, ids=lambda each: each.number)
def test_boards_are_known_by_the_reports_names(report: Report) -> None:
    for each in report.boards:
        assert resolve(each.puzzle).puzzle
        found = bundled().get(each.puzzle) if not each.puzzle.startswith("empty") else None
        if found and found.report == report.label and found.aliases:
            assert each.name in found.aliases


@pytest.mark.parametrize("report", ALL, ids=lambda each: each.number)
def test_every_id_is_there_once(report: Report) -> None:
    for values in (report.experiments, report.tables, report.values):
        ids = [each.id for each in values]
        assert len(ids) == len(set(ids))
        assert all(each.where for each in values)


@pytest.mark.parametrize(("report", "experiment"), EXPERIMENTS)
def test_tables_are_complete(report: Report, experiment: Experiment) -> None:
    for name in experiment.boards:
        assert report.board(name)
    assert len(experiment.figures) in (0, len(experiment.boards))
    table = experiment.table
    assert len({row[0] for row in table.rows}) == len(table.rows)
    for each in experiment.settings:
        assert set(each.printed) <= set(table.columns[1:])
    for row in table.rows:
        assert len(row) == len(table.columns)
        assert None not in row
    assert report.table(experiment.id) in (table, *report.tables)


@pytest.mark.parametrize(("report", "experiment", "setting"), SETTINGS)
def test_settings_have_the_parameters_that_the_report_gives(
    report: Report, experiment: Experiment, setting: Setting
) -> None:
    found = preset(setting.preset)
    assert found.group == report.label
    algorithm = choose(found, experiment.until or None, settings=setting.changes)
    recipe = describe(algorithm.algorithm)
    printed = setting.printed
    population = experiment.population or printed.get("Pop Size")
    if setting.changes:
        population = int(setting.row)
    assert recipe.get("population") == (population or recipe.get("population"))
    if tournament := printed.get("Tourn Size"):
        assert recipe["selection"]["inner"]["size"] == tournament
    if "tournament size" in experiment.parameters and "tournament" in setting.preset:
        assert recipe["selection"]["size"] == experiment.parameters["tournament size"]
    if generations := printed.get("Generation Limit"):
        assert found.until == f"generations={generations}"
    if setting.board:
        assert report.board(setting.board)


def test_the_numbers_of_report_000s_models_are_those_of_its_text() -> None:
    models = reports()["000"].experiment("3").settings
    assert models[8].labels == {
        "selection": "tournament",
        "crossover": "single point",
        "mutation": "block swap",
    }
    assert models[4].labels["crossover"] == "single column"
    assert models[4].labels["mutation"] == "column swap"


def test_the_winners_are_those_of_the_reproduction() -> None:
    crossovers = {"row": "row", "column": "single column", "point": "single point"}
    for winner in published("000")["winners"]:
        experiment = reports()["000"].experiment(str(winner["experiment"]))
        selection, crossover, mutation = winner["model"]
        for puzzle in winner["puzzles"]:
            found = experiment.setting(experiment.best[f"{puzzle}_sudoku"])
            assert found.labels == {
                "selection": selection,
                "crossover": crossovers[crossover],
                "mutation": f"{'block' if mutation == 'box' else mutation} swap",
            }


def test_report_003s_printed_boards_have_their_fitness() -> None:
    simon = reports()["003"]
    assert len(simon.printed_boards) == 4
    for each in simon.printed_boards:
        board = np.array(each.cells.split(), np.uint8)
        empty = resolve(f"empty {round(len(board) ** 0.5)}").puzzle
        rule = CompleteUnits()
        (score,) = rule.score(rule.costs(board[None], empty), empty.geometry)
        assert score == each.fitness
        setting = simon.experiment(each.experiment).setting(each.row)
        assert setting.printed["Best Fitness"] == each.fitness


@pytest.mark.parametrize(("report", "experiment", "setting"), SETTINGS)
def test_logs_end_at_the_printed_fitness(
    report: Report, experiment: Experiment, setting: Setting
) -> None:
    if setting.log:
        fitness, generations = zip(*setting.log.improved, strict=True)
        assert list(generations) == sorted(generations)
        assert list(fitness) == sorted(fitness)
        assert fitness[-1] == setting.printed["Best Fitness"]


def test_a_name_that_a_report_lacks_is_refused() -> None:
    simon = reports()["003"]
    for find in (simon.board, simon.experiment, simon.table, simon.value):
        with pytest.raises(KeyError):
            find("nothing")


MADE = re.compile(
    r"<!-- picture: ([\w-]+) -->\n!\[.*?\]\(\.\./pictures/(.*?)\.svg\)\n\n\*(.*?)\*\n<!-- end -->"
)


@pytest.mark.parametrize("report", reports().values(), ids=lambda report: report.number)
def test_the_page_of_a_reports_words_is_as_written(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Captions are those of the page: drawing is for the test of the site."""
    docs = Path(__file__).parents[1] / "docs"
    monkeypatch.syspath_prepend(docs / "tools")
    tool = import_module("words")
    page = (docs / "words" / f"{report.number}.md").read_text("utf-8")
    pictures = MADE.findall(page)
    assert pictures
    assert all((docs / "pictures" / f"{file}.svg").exists() for _, file, _ in pictures)
    captions = {name: caption for name, _, caption in pictures}
    assert page == tool.page(report, captions), "python docs/tools/words.py writes it"


def test_the_documentation_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    docs = Path(__file__).parents[1] / "docs"
    monkeypatch.syspath_prepend(docs / "tools")
    tool = import_module("reports")
    page = (docs / "reports.md").read_text("utf-8")
    assert page == tool.with_facts(page), "python docs/tools/reports.py writes it"
