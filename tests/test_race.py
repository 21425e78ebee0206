"""`genoku race`: fair turns, who wins, the live view, the study after it, and what is refused."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from invented_runs import Fate, invent
from races import CLASH, FOUR, HARD, contenders, entrant
from rich.console import Console

from genoku.cli.live import RaceDisplay, RaceLines
from genoku.cli.race import _study_record
from genoku.engine.race import advance_in_turns, outcome, outcome_text, ranking, start_runs
from genoku.engine.run import run
from genoku.errors import PuzzleError
from genoku.evolve.stopping import Until
from genoku.generator import PuzzleRequest, generate
from genoku.lab.report import report
from genoku.lab.report.data import (
    ReportData,
    pairwise_results,
    read_report_data,
)
from genoku.lab.report.page import Page, plain
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, PlannedRun, Study, arm
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry


# fair turns
def test_at_any_moment_all_have_had_the_same_time_but_for_a_turn_and_a_step() -> None:
    racing = contenders("sundy", "charles", "simon")
    for _ in advance_in_turns(racing, turn=0.01):
        clocks = [each.seconds for each in racing if not each.stop_reason]
        assert max(clocks, default=0) - min(clocks, default=0) < 0.05
    assert all(each.stop_reason == "cpu_seconds=0.3" for each in racing)


def test_a_race_makes_the_very_runs_that_its_seeds_make_alone() -> None:
    racing = contenders("sundy", "annealing", until="generations=30")
    for _ in advance_in_turns(racing):
        pass
    for each in racing:
        alone = run(HARD, each.run.algorithm, seed=0, until="generations=30")
        assert each.run.state.step == alone.steps
        assert each.run.best_cost == alone.cost
        assert np.array_equal(each.run.best_board, alone.board)


def test_who_solves_it_first_by_its_own_clock_wins_whoever_else_solves_it_too() -> None:
    racing = contenders("charles", "tabu", "champion", "memetic")
    for _ in advance_in_turns(racing):
        pass
    through = [each for each in racing if each.solved]
    won = outcome(racing)
    assert len(through) == 3
    assert won.by == "solution"
    assert won.winner is not None
    assert won.winner is min(through, key=lambda each: each.seconds)
    assert ranking(racing)[0] is won.winner
    assert ranking(racing)[-1].name == "charles"
    assert won.winner.name in outcome_text(racing)


def test_if_nobody_solves_it_the_fewest_errors_left_win_on_any_scale() -> None:
    racing = contenders("sundy", "charles", until="generations=5")
    for _ in advance_in_turns(racing):
        pass
    won = outcome(racing)
    assert won.by == "errors"
    assert won.winner is not None
    assert won.winner is min(racing, key=lambda each: each.errors)
    assert not won.comparable
    assert str(won.winner.errors) in outcome_text(racing)
    assert "loss" not in outcome_text(racing)
    same = contenders("sundy", "sundy-varied", until="generations=5")
    assert outcome(same).comparable


def test_who_solves_it_by_singles_alone_has_not_searched_and_that_is_said() -> None:
    easy = bundled()["charles-easy"].puzzle
    racing = contenders("sundy", "annealing", until="generations=1", puzzle=easy)
    for _ in advance_in_turns(racing):
        pass
    assert [(each.solved, each.has_searched) for each in racing] == [(False, True), (True, False)]
    searched = outcome_text(contenders("annealing", "tabu", until="generations=1"))
    assert "singles" in outcome_text(racing)
    assert "singles" not in searched


def test_a_lucky_first_board_is_a_search_all_the_same() -> None:
    nearly = Puzzle.parse(".234341221434321")
    (lucky,) = contenders("sundy", until="generations=9", puzzle=nearly)
    lucky.advance(1.0)
    assert (lucky.solved, lucky.run.state.step, lucky.has_searched) == (True, 0, True)


def test_equally_many_errors_left_are_a_tie_in_which_cpu_time_ranks() -> None:
    racing = contenders("sundy", "sundy", until="generations=5")
    assert outcome(racing).winner is None
    assert outcome(racing).by == "tie"
    racing[0].run.cpu_seconds = racing[1].seconds + 1
    assert ranking(racing) == racing[::-1]
    assert outcome(racing).winner is None


def test_a_proof_that_nothing_solves_it_wins_and_ends_the_race() -> None:
    impossible = Puzzle.parse("123........4....")
    racing = contenders("exact", "charles", until="seconds=30", puzzle=impossible)
    for _ in advance_in_turns(racing):
        pass
    assert outcome(racing).by == "proof"
    assert racing[1].stop_reason is None
    assert racing[1].seconds < 5
    assert "exact" in outcome_text(racing)


def test_clashing_givens_are_refused_unless_allowed() -> None:
    clash = Puzzle.parse(CLASH)
    arms = [entrant(arm(name, until="generations=3")) for name in ("charles", "charles-as-coded")]
    with pytest.raises(PuzzleError, match="conflict"):
        start_runs(clash, arms, 0)
    assert len(start_runs(clash, arms, 0, allow_conflicts=True)) == 2


# the live view


SIXTEEN = generate(PuzzleRequest(Geometry(4, 4)), seed=3).puzzle


@pytest.mark.parametrize("puzzle", [HARD, SIXTEEN, Puzzle.parse(FOUR)], ids=["9", "16", "4"])
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (40, 12), (20, 5)])
def test_the_view_fits_any_terminal(puzzle: Puzzle, count: int, size: tuple[int, int]) -> None:
    width, height = size
    names = ("sundy", "annealing", "champion", "charles")[:count]
    racing = contenders(*names, until="generations=3", puzzle=puzzle)
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=True)
    panels = RaceDisplay(racing, Until.parse("generations=3"), "a race")
    panels()
    for _ in advance_in_turns(racing):
        panels()
    for final in (False, True):
        lines = console.render_lines(panels.picture(width, height, final=final), pad=False)
        shown = ["".join(segment.text for segment in line) for line in lines]
        assert len(shown) <= height
        assert all(len(line) <= width for line in shown)
        assert any(names[0] in line for line in shown)
        if width >= 80:
            assert all(any(name in line for line in shown) for name in names)
            assert any("evaluations" in line for line in shown)
            assert any("★" in line for line in shown) == (final and bool(outcome(racing).winner))


def test_into_pipes_a_line_says_everybodys_errors(capsys: pytest.CaptureFixture[str]) -> None:
    racing = contenders("sundy", "charles", until="generations=3")
    look = RaceLines(racing)
    look()
    look()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert [f"{each.name} {each.errors}" in said[0] for each in racing] == [True, True]


# the study after it


INFINITY = float("inf")


def gathered_of(
    folder: Path, study: Study, efforts: list[list[float]], losses: list[float]
) -> ReportData:
    """Runs by their evaluations, infinity where unsolved after 1,000; a loss for each arm."""

    def fate(run: PlannedRun) -> Fate | None:
        if run.seed >= len(efforts[run.arm]):
            return None
        effort = efforts[run.arm][run.seed]
        if np.isfinite(effort):
            return Fate(True, int(effort), 0.0)
        return Fate(False, 1000, losses[run.arm] + run.seed / 100, "evaluations=1000")

    path = folder / f"{study.name}.db"
    path.unlink(missing_ok=True)
    invent(path, study, fate)
    with Store.open(path) as store:
        return read_report_data(store)


def study_of(*arms: Arm) -> Study:
    return Study("race", arms, (Instance("hard", HARD),), tuple(range(10)))


def among(*names: str) -> Study:
    return study_of(*(arm(name, until="evaluations=1000") for name in names))


def compared(gathered: ReportData) -> list[dict[str, Any]]:
    """The comparisons of the study that follows a race, as JSON has them."""
    found: list[dict[str, Any]] = _study_record(gathered)["comparisons"]
    return found


def test_a_difference_is_claimed_only_where_the_test_finds_one(tmp_path: Path) -> None:
    study = among("sundy", "charles")
    quick = [10.0 + n for n in range(8)]
    (sure,) = compared(gathered_of(tmp_path, study, [[INFINITY] * 8, quick], [0.1, 0.1]))
    assert sure["p"] < 0.001
    assert sure["a12"] == 0
    assert "charles does better" in sure["sentence"]
    few = gathered_of(tmp_path, study, [[INFINITY] * 3, [10.0, 20.0, 30.0]], [0.1, 0.1])
    (open_,) = compared(few)
    assert "does better" not in open_["sentence"]


def test_a_race_judges_its_study_as_a_report_does(tmp_path: Path) -> None:
    study = among("sundy", "tabu", "charles")
    efforts = [[100.0 + n for n in range(8)], [300.0 + n for n in range(8)], [INFINITY] * 8]
    gathered = gathered_of(tmp_path, study, efforts, [0.1] * 3)
    found = pairwise_results(gathered, gathered.primary)
    told = compared(gathered)
    assert [each["p"] for each in told] == [pair.corrected for pair in found]
    assert [each["a12"] for each in told] == [pair.a12 for pair in found]
    assert {each["measure"] for each in told} == {gathered.primary} == {"CPU time"}
    page = report_on(tmp_path / "race.db")
    said = " ".join(plain(str(part)) for part in page.sections[0].parts)
    assert "CPU time" in said
    assert told[0]["sentence"] in said


def report_on(path: Path) -> Page:
    with Store.open(path) as store:
        return report(store)


def test_errors_left_are_compared_whatever_the_fitness(tmp_path: Path) -> None:
    nobody, losses = [[INFINITY] * 8] * 2, [0.1, 0.5]
    penalties = [
        arm("sundy", until="evaluations=1000", settings={"fitness.penalty": p}) for p in (2, 6)
    ]
    for study in (among("sundy", "sundy-varied"), among("sundy", "charles"), study_of(*penalties)):
        (found,) = compared(gathered_of(tmp_path, study, nobody, losses))
        assert found["measure"] == "errors left"
        assert found["p"] < 0.05 < found["a12"]
    racing = start_runs(
        HARD, [entrant(replace(each, until="generations=2")) for each in penalties], seed=0
    )
    assert not outcome(racing).comparable


def test_pairs_are_corrected_for_their_number(tmp_path: Path) -> None:
    efforts = [[100.0 * place + n for n in range(5)] for place in (1, 2, 3)]
    study = among("sundy", "simon", "charles")
    found = compared(gathered_of(tmp_path, study, efforts, [0.1] * 3))
    alone = compared(gathered_of(tmp_path, among("sundy", "simon"), efforts[:2], [0.1] * 2))
    assert found[0]["p"] == pytest.approx(3 * alone[0]["p"])


def test_an_algorithm_without_runs_is_not_compared(tmp_path: Path) -> None:
    study = among("sundy", "simon", "charles")
    found = compared(gathered_of(tmp_path, study, [[10.0] * 4, [20.0] * 4, []], [0.1] * 3))
    assert [(each["first"], each["second"]) for each in found] == [("sundy", "simon")]
