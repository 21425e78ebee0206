"""What is recorded of a run is what happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runs import ALGORITHMS, BASIC, SMALL, same

from genoku.engine import history
from genoku.engine.history import FIELDS, History, Record, cost_statistics
from genoku.engine.run import View, resume, run
from genoku.evolve.fitness import errors_left
from genoku.evolve.presets import preset, presets
from genoku.puzzle.board import Puzzle


def test_history_has_the_fields_and_the_stride_that_were_asked_for() -> None:
    record = Record(fields=("gen", "best", "worst", "diversity"), every=4, diversity_every=8)
    history = run(BASIC, SMALL, until="steps=20", record=record).history
    assert list(history) == ["gen", "best", "worst", "diversity"]
    assert history["gen"].tolist() == [0, 4, 8, 12, 16, 20]
    assert np.isnan(history["diversity"]).tolist() == [False, True] * 3


def test_the_last_state_is_always_recorded_and_never_twice(tmp_path: Path) -> None:
    record = Record(fields=("gen", "best"), every=5)
    file = tmp_path / "run.ckpt"
    short = run(BASIC, SMALL, until="steps=12", record=record, checkpoint=file)
    assert short.history["gen"].tolist() == [0, 5, 10, 12]
    resumed = resume(file, until="steps=17")
    assert resumed.history["gen"].tolist() == [0, 5, 10, 15, 17]
    assert same(resumed, run(BASIC, SMALL, until="steps=17", record=record))


@pytest.mark.parametrize("name", [each.name for each in presets()])
def test_the_errors_of_a_history_end_at_0_exactly_if_the_run_is_solved(name: str) -> None:
    four = Puzzle.parse("1.....3..4.....2")
    for puzzle, steps in ((four, 1), (four, 100), (BASIC, 2)):
        result = run(puzzle, name, seed=1, until=f"steps={steps}", record=Record(every=3))
        errors = result.history["errors"]
        assert errors.dtype == np.int64
        assert errors[-1] == result.errors == errors_left(result.board, puzzle.geometry)
        assert (errors == 0).any() == (errors[-1] == 0) == result.solved


def test_fewer_points_end_with_the_errors_left_of_the_run() -> None:
    errors = np.arange(1000)[::-1]
    few = History({"gen": np.arange(1000), "errors": errors, "best_ever": errors}).downsample(7)
    assert (few["errors"][-1], few["best_ever"][-1]) == (0, 0)


def test_spread_is_right_for_large_costs() -> None:
    costs = np.array([10**9, 10**9 + 1, 10**9 + 2], np.int32)
    best, mean, worst, std, place = cost_statistics(costs)
    assert (best, mean, worst, place) == (10**9, 10**9 + 1, 10**9 + 2, 0)
    assert std == pytest.approx(costs.std())


def test_history_tells_the_truth() -> None:
    seen: dict[int, Any] = {}

    def watch(view: View) -> None:
        seen[view.state.step] = view.state.costs

    record = Record(fields=tuple(FIELDS), diversity_every=1)
    result = run(BASIC, SMALL, until="steps=15", record=record, watch=watch)
    history = result.history
    for step, costs in seen.items():
        row = {name: column[step] for name, column in history.items()}
        assert (row["gen"], row["evals"]) == (step, 40 * (step + 1))
        assert (row["best"], row["worst"]) == (costs.min(), costs.max())
        assert (row["mean"], row["std"]) == pytest.approx((costs.mean(), costs.std()))
        assert 0 < row["diversity"] < 1
        assert row["rate"] == 0.5
    assert (np.diff(history["best_ever"]) <= 0).all()
    assert history["best_ever"][-1] == result.cost
    assert np.array_equal(history["score"], history["best"])  # repetitions are their own scale


def test_costs_stand_beside_the_score_that_the_screen_shows() -> None:
    result = run(BASIC, preset("simon").build(), until="steps=5")
    history = result.history
    best = history["best"].astype(np.int32)
    assert np.array_equal(history["score"], result.problem.scores(best))
    assert history["score"].max() == result.score
    assert history["best"].min() == result.cost
    assert result.score != result.cost


def test_history_goes_to_csv(tmp_path: Path) -> None:
    result = run(BASIC, SMALL, until="steps=3")
    result.history.to_csv(tmp_path / "history.csv")
    lines = (tmp_path / "history.csv").read_text().splitlines()
    assert (
        lines[0] == "gen,evals,errors,best,mean,worst,std,diversity,rate,best_ever,score,mean_score"
    )
    assert len(lines) == 5
    assert lines[2].split(",")[7] == ""  # diversity was not taken in generation 1


def test_every_individual_can_be_logged_as_in_report_003(tmp_path: Path) -> None:
    result = run(BASIC, SMALL, until="steps=2", record=Record(individuals=True))
    result.write_individuals(tmp_path / "log.csv")
    header, *lines = (tmp_path / "log.csv").read_text().splitlines()
    assert header == "Generation,ID,Fitness"
    assert [line.split(",")[0] for line in lines] == ["0"] * 40 + ["1"] * 40 + ["2"] * 40
    assert [line.split(",")[1] for line in lines[:40]] == [str(i) for i in range(40)]
    fitness = [int(line.split(",")[2]) for line in lines[-40:]]
    assert fitness == result.state.costs.tolist()


@pytest.mark.parametrize("name", ["genetic", "restarts", "islands", "full islands"])
def test_the_best_boards_ancestors_are_known(name: str) -> None:
    result = run(BASIC, ALGORITHMS[name], until="steps=12", seed=2, record=Record(lineage=True))
    lineage = result.lineage()
    known = {ancestor.id: ancestor for ancestor in lineage}
    assert known[result.best_id].cost == result.cost
    assert len(lineage) > 3
    for ancestor in lineage:
        if ancestor.born > 0 and name == "genetic":
            assert 1 <= len(ancestor.parents) <= 2
        for parent in ancestor.parents:
            assert known[parent].born <= ancestor.born
    assert not lineage[0].parents  # where it all began


@pytest.mark.parametrize("most", [300, 5000])
def test_a_run_keeps_only_so_many_individuals_and_births(
    most: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record = Record(individuals=True, lineage=True)
    whole = run(BASIC, SMALL, until="steps=30", seed=2, record=record)
    monkeypatch.setattr(history, "MAX_ROWS", most)
    bounded = run(BASIC, SMALL, until="steps=30", seed=2, record=record)
    assert max(len(bounded.individuals), len(bounded.births)) <= most
    every = bounded.individuals_every
    assert (every > 1) == (len(bounded.births) < len(whole.births)) == (most < 1240)
    assert np.array_equal(
        bounded.individuals, whole.individuals[whole.individuals[:, 0] % every == 0]
    )
    assert np.array_equal(bounded.board, whole.board)
    known = {ancestor.id: ancestor for ancestor in whole.lineage()}
    kept = bounded.lineage()
    assert all(known[each.id] == each for each in kept)
    assert kept[-1] == whole.lineage()[-1], "the best itself"
    first = bounded.lineage_from
    assert {each.id for each in kept} >= {each.id for each in known.values() if each.born >= first}
    assert whole.lineage_from == 0

    saved = tmp_path / "run.npz"  # and so it is where it was saved in between
    run(BASIC, SMALL, until="steps=17", seed=2, record=record, checkpoint=saved)
    resumed = resume(saved, until="steps=30")
    assert np.array_equal(resumed.individuals, bounded.individuals)
    assert np.array_equal(resumed.births, bounded.births)


def test_what_was_not_finished_is_forgotten_whole_or_thinned() -> None:
    log = history.Log(0)
    for step in (0, 1, 2):
        log.add(np.array([[step, 7], [step, 8]]))
    log.keep(lambda table: table[:, 0] != 1)
    log.drop_after(0)
    assert (log.rows, log.table.tolist()) == (2, [[0, 7], [0, 8]])
