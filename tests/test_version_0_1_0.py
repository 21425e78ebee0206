"""Files that version 0.1.0 wrote are still read: a store, a recipe and a checkpoint.

`tests/data/version-0.1.0` holds `study.db`, 7 of the 12 runs of `study.toml`; `recipe.toml`, from
`genoku solve charles-moderate --preset simon --set population=24 --seed 7 --record-every 2
--save-recipe`; `run.ckpt`, that run after 8 generations, with individuals and lineage; and
`run.json`, what the run without a break came to after 40. Here genoku has a later version than it
really has, so that no version but `RESULTS_VERSION` decides what may be resumed.
"""

from __future__ import annotations

import csv
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genoku import bundled, resume, run
from genoku.engine.run import Run
from genoku.evolve.stopping import Until
from genoku.lab import Store, read_study, run_study
from genoku.present.figures import history_figure

OLD = Path(__file__).parent / "data" / "version-0.1.0"
DONE: dict[str, Any] = json.loads((OLD / "run.json").read_text())
LATER = "7.0"


@pytest.fixture(autouse=True)
def _later_version(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "genoku" and "__version__" in vars(module):
            monkeypatch.setattr(module, "__version__", LATER)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return Path(shutil.copy(OLD / "study.db", tmp_path / "study.db"))


def exported(genoku: Any, store: Path) -> list[dict[str, str]]:
    done = genoku("study", "export", str(store))
    assert done.code == 0
    return list(csv.DictReader(done.out.splitlines()))


def test_its_store_is_exported_and_its_runs_are_those_of_today(genoku: Any, store: Path) -> None:
    rows = exported(genoku, store)
    assert len(rows) == 7
    study = read_study(OLD / "study.toml")
    arms = {arm.name: arm for arm in study.arms}
    puzzles = {each.name: each.puzzle for each in study.instances}
    for row in rows:
        arm = arms[row["arm"]]
        seed = int(row["seed"])
        again = run(puzzles[row["puzzle"]], arm.algorithm(), seed=seed, until=arm.until)
        assert (str(again.cost), str(again.steps)) == (row["cost"], row["steps"])
        assert (row["solved"] == "true") == again.solved


def test_its_store_has_errors_left_from_its_boards(store: Path) -> None:
    with Store.open(store) as opened:
        results = opened.results()
    assert len(results) == 7
    assert np.array_equal(results.errors == 0, results.solved)


def test_its_store_is_reported(genoku: Any, store: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert genoku("report", str(store), "-o", str(page)).code == 0
    assert "sundy, population=50" in page.read_text()


def test_its_store_is_resumed(genoku: Any, store: Path, tmp_path: Path) -> None:
    before = exported(genoku, store)
    assert genoku("study", "resume", str(store), "--jobs", "1").code == 0
    rows = exported(genoku, store)
    assert len(rows) == 12
    assert [row for row in rows if row in before] == before
    with Store.open(store) as opened:
        assert opened.genoku == f"0.1.0, {LATER}"
    fresh = tmp_path / "fresh.db"
    run_study(read_study(OLD / "study.toml"), fresh)
    same = ("arm", "puzzle", "seed", "solved", "cost", "steps", "evaluations", "board", "key")
    assert [[row[name] for name in same] for row in rows] == [
        [row[name] for name in same] for row in exported(genoku, fresh)
    ]


def test_its_recipe_builds_and_runs_as_it_did(genoku: Any) -> None:
    done = genoku(
        *("solve", "charles-moderate", "--recipe", str(OLD / "recipe.toml"), "--seed", "7"),
        *("--until", "generations=40", "--json"),
    )
    found = json.loads(done.out)
    kept = ("best", "cost", "score", "loss", "final_cost", "steps", "evaluations")
    assert {name: found[name] for name in kept} == {name: DONE[name] for name in kept}


def test_its_checkpoint_resumes_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    path = shutil.copy(OLD / "run.ckpt", tmp_path / "run.ckpt")
    resumed = resume(path, until="generations=40")
    record = Run.load(OLD / "run.ckpt").rows.record
    whole = run(
        bundled()["charles-moderate"].puzzle,
        resumed.algorithm,
        seed=7,
        until="generations=40",
        record=record,
    )
    for result in (resumed, whole):
        digits = "".join(map(str, result.board.tolist()))
        assert (digits, result.cost, result.final_cost) == (
            *(DONE["best"], DONE["cost"], DONE["final_cost"]),
        )
        assert (result.steps, result.evaluations) == (DONE["steps"], DONE["evaluations"])
    assert np.array_equal(resumed.state.boards, whole.state.boards)
    assert np.array_equal(resumed.births, whole.births)
    assert np.array_equal(resumed.individuals, whole.individuals)
    for name in set(resumed.history) - {"errors"}:
        assert np.array_equal(resumed.history[name], whole.history[name], equal_nan=True), name


def test_its_checkpoint_has_no_errors_until_it_is_resumed(tmp_path: Path) -> None:
    path = shutil.copy(OLD / "run.ckpt", tmp_path / "run.ckpt")
    saved = Run.load(path)
    assert "errors" not in saved.rows.record.fields
    saved.rows.record = replace(saved.rows.record, fields=(*saved.rows.record.fields, "errors"))
    saved.until = Until.parse("generations=12")
    saved.advance()
    result = saved.finish()
    errors, steps = result.history["errors"], result.history["gen"]
    assert np.array_equal(np.isnan(errors), steps <= 8)
    assert errors[-1] == result.errors
    for each in (result, resume(path, until="generations=12")):
        assert history_figure(each).axes  # drawn with and without them
        assert each._repr_html_()
