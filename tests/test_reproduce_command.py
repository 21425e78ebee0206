"""`genoku reproduce`: the reports' own experiments, their files, and what is refused."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genoku import Puzzle
from genoku.errors import GenokuError
from genoku.evolve.fitness import CompleteUnits
from genoku.lab.experiments import Request, plan, repeat
from genoku.lab.experiments.outputs import Chapter, Experiment
from genoku.lab.experiments.report_004 import swaps_of
from genoku.lab.study import Instance
from genoku.puzzle.bundled_puzzles import bundled
from genoku.reports import reports

SHORT = "generations=2"
SMALL = Puzzle.parse("1.....3..4.....2")


def shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every run end after two generations."""

    monkeypatch.setattr("genoku.lab.experiments.plan", lambda request: short_version(plan(request)))


def short_version(planned: Experiment, *starts: str) -> Experiment:
    """Return an experiment with short runs, of the chapters whose titles start so."""
    chapters = tuple(
        replace(each, runs=tuple(replace(run, until=SHORT) for run in each.runs))
        for each in planned.chapters
        if each.title.startswith(starts or "")
    )
    return replace(planned, chapters=chapters)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("number", "runs"), [("000", 270), ("001", 960), ("002", 290), ("003", 9), ("004", 1)]
)
def test_an_experiment_has_as_many_runs_as_the_report_made(number: str, runs: int) -> None:
    assert len(plan(Request(number, Path("out"))).runs) == runs


def test_the_runs_of_003_are_those_of_its_tables_with_different_seeds(tmp_path: Path) -> None:
    planned = plan(Request("003", tmp_path, seeds=2)).runs
    tables = [reports()["003"].experiment(name) for name in ("9x9", "16x16")]
    assert len(planned) == 2 * sum(len(each.settings) for each in tables)
    assert len({(each.preset, each.seed) for each in planned}) == len(planned)
    assert sum(each.log is not None for each in planned) == 9
    first = plan(Request("003", tmp_path)).runs
    kept = {(each.preset, each.seed, each.log) for each in planned if each.log}
    assert {(each.preset, each.seed, each.log) for each in first} == kept


def test_003_writes_its_tables_boards_scatter_plots_and_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorten(monkeypatch)
    monkeypatch.setattr("genoku.lab.experiments.report_003.TABLES", ("16x16",))
    folder = tmp_path / "new" / "folder"
    found = repeat(Request("003", folder), "genoku reproduce 003")
    assert set(found.files) == {path for path in folder.rglob("*") if path.is_file()}
    table = reports()["003"].experiment("16x16")
    rows = rows_of(folder / "16x16.csv")
    assert [row["Run Name"] for row in rows] == [each.row for each in table.settings]
    (shown,) = found.tables
    best = [each.unit for each in shown.headings() if each.title == "Best Fitness"]
    assert best == ["printed", "ours"]
    log = (folder / "logs" / "16x16_run_2.csv").read_text("utf-8").splitlines()
    assert (log[0], len(log)) == ("Generation,ID,Fitness", 1 + 3 * 200)
    ours = max(int(line.rpartition(",")[2]) for line in log[1:])
    assert shown.rows[1][5:7] == (table.settings[1].printed["Best Fitness"], ours)
    for name in ("16x16_run_2-scatter", "16x16_run_2-board"):
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (folder / f"{name}.svg").read_text("utf-8")
    boards = (folder / "16x16_run_2-board.svg").read_text("utf-8")
    assert "16x16 Run 2, Fitness: 320 (printed)" in boards
    page = (folder / "index.html").read_text("utf-8")
    assert "genoku reproduce 003" in page
    assert "16x16 Run 2, Fitness: 320 (printed)" in page


def test_the_same_seeds_give_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorten(monkeypatch)
    seen = []
    for name in ("one", "two"):
        found = repeat(Request("004", tmp_path / name), "genoku reproduce 004")
        seen.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in found.files])
    assert seen[0] == seen[1]


def test_printed_boards_have_their_printed_fitness() -> None:
    for each in reports()["003"].printed_boards:
        cells = np.array([each.cells.split()], np.uint8)
        side = int(cells.shape[1] ** 0.5)
        puzzle = Puzzle.parse("." * side * side)
        costs = CompleteUnits().costs(cells, puzzle)
        assert CompleteUnits().score(costs, puzzle.geometry)[0] == each.fitness


def test_000_has_a_figure_for_each_puzzle_of_each_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan(Request("000", tmp_path))
    one = short_version(planned, "Its puzzles", "Experiment 3")
    monkeypatch.setattr("genoku.lab.experiments.plan", lambda _request: one)
    found = repeat(Request("000", tmp_path), "genoku reproduce 000")
    figures = {path.name for path in found.files if path.suffix == ".svg"}
    assert figures == {"figure-12.svg", "figure-13.svg", "figure-14.svg"}
    puzzles = {row["puzzle"]: row for row in rows_of(tmp_path / "puzzles.csv")}
    printed = {row[0]: row[1] for row in reports()["000"].table("puzzles").rows}
    assert {name: float(row["fitness (ours)"]) for name, row in puzzles.items()} == pytest.approx(
        printed
    )
    final = rows_of(tmp_path / "experiment-3.csv")
    assert [row["model"] for row in final] == [str(number) for number in range(1, 10)]
    drawn = (tmp_path / "figure-12.svg").read_text("utf-8")
    assert all(f">{row['model']}<" in drawn for row in final)  # at the ends of the curves


def test_001_compares_times_with_both_printed_tables_or_on_own_boards(tmp_path: Path) -> None:
    own = (Instance("mine", SMALL),)
    request = Request("001", tmp_path, seeds=2, puzzles=own)
    found = repeat(request, "genoku reproduce 001")
    (table,) = found.tables
    assert [row[0] for row in table.rows] == ["mine"]
    assert not any("printed" in each.unit for each in table.headings())
    assert table.rows[0][2] == "2 of 2"
    (evaluated,) = rows_of(tmp_path / "evaluations.csv")
    assert float(evaluated["genetic (evaluations)"]) > 0


def test_001_prints_none_where_no_attempt_solves_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genoku.lab.experiments.report_001.UNTIL", "evaluations=1")
    found = repeat(Request("001", tmp_path, seeds=40), "genoku reproduce 001")
    (table,) = found.tables
    printed = reports()["001"].experiment("40")
    for row in table.rows:
        assert (
            row[1] == printed.setting(str(row[0]), "Genetic Algorithm").printed["Genetic Algorithm"]
        )
        assert row[2:4] == ("none", "0 of 40")


def test_002_has_the_mean_and_deviation_of_every_printed_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = short_version(plan(Request("002", tmp_path, seeds=1)), "Experiment 5", "The fitness")
    monkeypatch.setattr("genoku.lab.experiments.plan", lambda _request: planned)
    found = repeat(Request("002", tmp_path, seeds=1), "genoku reproduce 002")
    table, unique = found.tables
    printed = [
        (each.id, setting.row, setting.printed["mean"])
        for each in reports()["002"].experiments
        if each.id.startswith("5")
        for setting in each.settings
    ]
    assert [row[:3] for row in table.rows] == printed
    assert all(row[5] is None for row in table.rows)  # the deviation of one run
    for row in unique.rows:
        assert (row[1], row[-1]) == (27, 243)


def test_in_a_solved_grid_two_digits_appear_four_times_in_two_rows_and_columns() -> None:
    puzzle = bundled()["charles-basic"].puzzle
    solution = np.array([*map(int, SOLVED)], np.uint8)
    for box in range(9):
        cells = puzzle.geometry.units[18 + box].tolist()
        for swap in swaps_of(puzzle.geometry, solution, cells):
            assert swap.appearances == 4
            shared = {swap.first // 9, swap.first % 9 + 9} & {swap.second // 9, swap.second % 9 + 9}
            assert swap.vectors == 4 - len(shared)


SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def test_own_boards_are_for_report_001_alone() -> None:
    own = (Instance("mine", SMALL),)
    with pytest.raises(GenokuError, match="001"):
        plan(Request("003", Path("out"), puzzles=own))


def test_the_command_lists_the_reports_and_knows_them_by_name(genoku: Any) -> None:
    listed = genoku("reproduce").out.splitlines()
    assert [line[:3] for line in listed] == list(reports())
    refused = genoku("reproduce", "glen simn")
    assert (refused.code, "Glen Simon" in refused.err) == (2, True)


@pytest.mark.parametrize("flags", [["--claims"], ["--claims", "--quick"], ["--quick"]])
def test_verdicts_on_claims_are_in_a_clone(genoku: Any, flags: list[str]) -> None:
    refused = genoku("reproduce", "3", *flags)
    assert refused.code == 2
    assert "python3 run.py reproduce 003 --claims" in refused.err
    assert ("--quick" in refused.err) == ("--quick" in flags)


def test_bad_folders_and_files_are_refused_before_anything_runs(
    genoku: Any, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "clash.txt").write_text("11" + "." * 14)
    for words in (
        ("003", "-o", str(tmp_path / "file")),
        ("003", "-o", str(tmp_path / "file" / "below")),
        ("001", "--puzzles", str(tmp_path / "missing.txt")),
        ("001", "--puzzles", str(tmp_path / "clash.txt")),
        ("001", "--puzzles", str(tmp_path / "file")),
        ("003", "--seeds", "0"),
    ):
        refused = genoku("reproduce", *words)
        assert (refused.code, refused.out) == (2, ""), words
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clash.txt", "file"]


def test_the_command_prints_tables_and_files_as_json(genoku: Any, tmp_path: Path) -> None:
    boards = tmp_path / "mine.txt"
    boards.write_text("1.....3..4.....2\n")
    words = ("001", "--attempts", "1", "--jobs", "1", "--puzzles", str(boards), "-o")
    done = genoku("reproduce", *words, str(tmp_path / "out"), "--json")
    facts = json.loads(done.out)
    assert facts["report"] == "001"
    assert all(Path(path).exists() for path in facts["files"])
    assert facts["tables"][0]["rows"][0][0] == "board 1"
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert f"--seeds 1 --puzzles {boards}" in page


def test_ctrl_c_keeps_the_files_that_are_complete(
    genoku: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = plan(Request("000", tmp_path))

    def interrupt(*_arguments: Any) -> Any:
        raise KeyboardInterrupt

    first, second, *_ = made.chapters
    stopped = Experiment(made.title, made.about, (first, Chapter(second.title, (), interrupt)))
    monkeypatch.setattr("genoku.lab.experiments.plan", lambda _request: stopped)
    done = genoku("reproduce", "000", "-o", str(tmp_path / "out"))
    assert done.code == 130
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["puzzles.csv"]
