"""`genoku race`: fair turns, who wins, the live view, the study after it, and what is refused."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from invented_runs import Fate, invent
from races import CLASH, FOUR, HARD, contenders, entrant
from rich.console import Console

from genoku.board import Puzzle
from genoku.cli.live import Panels, RaceLines
from genoku.cli.race import _seeds_text
from genoku.collection import bundled
from genoku.engine.race import finish, prepare, ranked, standing, turns
from genoku.engine.run import run
from genoku.errors import PuzzleError
from genoku.generator import Wanted, generate
from genoku.geometry import Geometry
from genoku.lab.page import Page, plain
from genoku.lab.report import report
from genoku.lab.report.data import Gathered, duels, gather, pairs
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Planned, Study, arm
from genoku.stopping import Until


# fair turns
def test_at_any_moment_all_have_had_the_same_time_but_for_a_turn_and_a_step() -> None:
    racing = contenders("sundy", "charles", "simon")
    for _ in turns(racing, turn=0.01):
        clocks = [each.seconds for each in racing if not each.ended]
        assert max(clocks, default=0) - min(clocks, default=0) < 0.05
    assert all(each.ended == "cpu_seconds=0.3" for each in racing)


def test_a_race_makes_the_very_runs_that_its_seeds_make_alone() -> None:
    racing = contenders("sundy", "annealing", until="generations=30")
    for _ in turns(racing):
        pass
    for each in racing:
        alone = run(HARD, each.run.algorithm, seed=0, until="generations=30")
        assert each.run.state.step == alone.steps
        assert each.run.best_cost == alone.cost
        assert np.array_equal(each.run.best_board, alone.board)


def test_who_solves_it_first_by_its_own_clock_wins_whoever_else_solves_it_too() -> None:
    racing = contenders("charles", "tabu", "champion", "memetic")
    for _ in turns(racing):
        pass
    through = [each for each in racing if each.solved]
    won = finish(racing)
    assert len(through) == 3
    assert won.by == "solution"
    assert won.winner is not None
    assert won.winner is min(through, key=lambda each: each.seconds)
    assert ranked(racing)[0] is won.winner
    assert ranked(racing)[-1].name == "charles"
    assert won.winner.name in standing(racing)


def test_if_nobody_solves_it_the_lowest_loss_wins_and_other_scales_are_named() -> None:
    racing = contenders("sundy", "charles", until="generations=5")
    for _ in turns(racing):
        pass
    won = finish(racing)
    assert won.by == "loss"
    assert won.winner is min(racing, key=lambda each: each.loss)
    assert not won.comparable
    assert "another fitness" in standing(racing)
    same = contenders("sundy", "sundy-varied", until="generations=5")
    assert finish(same).comparable


def test_who_solves_it_by_singles_alone_has_not_searched_and_that_is_said() -> None:
    easy = bundled()["charles-easy"].puzzle
    racing = contenders("sundy", "annealing", until="generations=1", puzzle=easy)
    for _ in turns(racing):
        pass
    assert [(each.solved, each.searched) for each in racing] == [(False, True), (True, False)]
    searched = standing(contenders("annealing", "tabu", until="generations=1"))
    assert "singles" in standing(racing)
    assert "singles" not in searched


def test_a_lucky_first_board_is_a_search_all_the_same() -> None:
    nearly = Puzzle.parse(".234341221434321")
    (lucky,) = contenders("sundy", until="generations=9", puzzle=nearly)
    lucky.advance(1.0)
    assert (lucky.solved, lucky.run.state.step, lucky.searched) == (True, 0, True)


def test_equal_losses_are_a_tie() -> None:
    racing = contenders("sundy", "sundy", until="generations=5")
    assert finish(racing).winner is None
    assert "a tie" in standing(racing)


def test_a_proof_that_nothing_solves_it_wins_and_ends_the_race() -> None:
    impossible = Puzzle.parse("123........4....")
    racing = contenders("exact", "charles", until="seconds=30", puzzle=impossible)
    for _ in turns(racing):
        pass
    assert finish(racing).by == "proof"
    assert racing[1].ended is None
    assert racing[1].seconds < 5
    assert "nothing" in standing(racing)


def test_clashing_givens_are_refused_unless_allowed() -> None:
    clash = Puzzle.parse(CLASH)
    arms = [entrant(arm(name, until="generations=3")) for name in ("charles", "charles-as-coded")]
    with pytest.raises(PuzzleError, match="clash"):
        prepare(clash, arms, 0)
    assert len(prepare(clash, arms, 0, allow_conflicts=True)) == 2


# the live view


SIXTEEN = generate(Wanted(Geometry(4, 4)), seed=3).puzzle


@pytest.mark.parametrize("puzzle", [HARD, SIXTEEN, Puzzle.parse(FOUR)], ids=["9", "16", "4"])
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (40, 12), (20, 5)])
def test_the_view_fits_any_terminal(puzzle: Puzzle, count: int, size: tuple[int, int]) -> None:
    width, height = size
    names = ("sundy", "annealing", "champion", "charles")[:count]
    racing = contenders(*names, until="generations=3", puzzle=puzzle)
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=True)
    panels = Panels(racing, Until.parse("generations=3"), "a race")
    panels()
    for _ in turns(racing):
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
            assert any("★" in line for line in shown) == (final and bool(finish(racing).winner))


def test_into_pipes_a_line_says_everybodys_loss(capsys: pytest.CaptureFixture[str]) -> None:
    racing = contenders("sundy", "charles", until="generations=3")
    look = RaceLines(racing)
    look()
    look()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "sundy 0." in said[0]


# the study after it


INFINITY = float("inf")


def gathered_of(
    folder: Path, study: Study, efforts: list[list[float]], losses: list[float]
) -> Gathered:
    """Runs by their evaluations, infinity where unsolved after 1,000; a loss for each arm."""

    def fate(run: Planned) -> Fate | None:
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
        return gather(store)


def study_of(*arms: Arm) -> Study:
    return Study("race", arms, (Instance("hard", HARD),), tuple(range(10)))


def among(*names: str) -> Study:
    return study_of(*(arm(name, until="evaluations=1000") for name in names))


def test_a_duel_claims_a_difference_only_where_the_test_does(tmp_path: Path) -> None:
    study = among("sundy", "charles")
    quick = [10.0 + n for n in range(8)]
    (duel,) = duels(gathered_of(tmp_path, study, [[INFINITY] * 8, quick], [0.1, 0.1]))
    assert duel.p < 0.001
    assert duel.a12 == 0
    assert "charles does better" in duel.sentence
    few = gathered_of(tmp_path, study, [[INFINITY] * 3, [10.0, 20.0, 30.0]], [0.1, 0.1])
    (duel,) = duels(few)
    assert "does better" not in duel.sentence


def test_a_race_judges_its_study_as_a_report_does(tmp_path: Path) -> None:
    study = among("sundy", "tabu", "charles")
    efforts = [[100.0 + n for n in range(8)], [300.0 + n for n in range(8)], [INFINITY] * 8]
    gathered = gathered_of(tmp_path, study, efforts, [0.1] * 3)
    found = pairs(gathered, gathered.primary)
    told = duels(gathered)
    assert [duel.p for duel in told] == [pair.corrected for pair in found]
    assert [duel.a12 for duel in told] == [pair.a12 for pair in found]
    assert {duel.measure for duel in told} == {gathered.primary} == {"CPU time"}
    page = report_on(tmp_path / "race.db")
    said = " ".join(plain(str(part)) for part in page.sections[0].parts)
    assert "CPU time" in said
    assert "sundy does better" in said
    assert "sundy does better" in told[0].sentence


def report_on(path: Path) -> Page:
    with Store.open(path) as store:
        return report(store)


def test_losses_are_compared_only_on_one_scale(tmp_path: Path) -> None:
    nobody, losses = [[INFINITY] * 8] * 2, [0.1, 0.5]
    (same,) = duels(gathered_of(tmp_path, among("sundy", "sundy-varied"), nobody, losses))
    assert same.measure == "loss"
    assert same.p < 0.05 < same.a12
    penalties = [
        arm("sundy", until="evaluations=1000", settings={"fitness.penalty": p}) for p in (2, 6)
    ]
    for study in (among("sundy", "charles"), study_of(*penalties)):
        (other,) = duels(gathered_of(tmp_path, study, nobody, losses))
        assert other.measure == "nothing"
    racing = prepare(
        HARD, [entrant(replace(each, until="generations=2")) for each in penalties], seed=0
    )
    assert not finish(racing).comparable


def test_pairs_are_corrected_for_their_number(tmp_path: Path) -> None:
    efforts = [[100.0 * place + n for n in range(5)] for place in (1, 2, 3)]
    study = among("sundy", "simon", "charles")
    found = duels(gathered_of(tmp_path, study, efforts, [0.1] * 3))
    alone = duels(gathered_of(tmp_path, among("sundy", "simon"), efforts[:2], [0.1] * 2))
    assert found[0].p == pytest.approx(3 * alone[0].p)


def test_an_algorithm_without_runs_is_not_compared(tmp_path: Path) -> None:
    study = among("sundy", "simon", "charles")
    found = duels(gathered_of(tmp_path, study, [[10.0] * 4, [20.0] * 4, []], [0.1] * 3))
    assert [(each.first, each.second) for each in found] == [("sundy", "simon")]


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ([4, 4], "seed 4"),
        ([0, 1, 2, 0, 1], "seeds 0 to 2"),
        ([0, 1, 11], "3 seeds from 0 to 11"),
    ],
)
def test_seeds_that_an_interruption_left_out_are_not_claimed(seeds: list[int], said: str) -> None:
    assert _seeds_text(seeds) == said
