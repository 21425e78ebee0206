"""`genoku race`: fair turns, who wins, the live view, the study after it, and what is refused."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interrupting import interrupt
from invented_runs import Fate, invent
from rich.console import Console
from rich.live import Live

from genoku.board import Puzzle
from genoku.cli.arena import Lines, Panels
from genoku.cli.heats import _seeds_text
from genoku.cli.race import _with_settings
from genoku.cli.tables import table_lines
from genoku.collection import bundled
from genoku.errors import PuzzleError, StoreError
from genoku.generator import Wanted, generate
from genoku.geometry import Geometry
from genoku.lab.duels import duels
from genoku.lab.page import Page
from genoku.lab.page.words import plain
from genoku.lab.report import report
from genoku.lab.report.comparing import pairs
from genoku.lab.report.gathering import Gathered, gather
from genoku.lab.standing import standing
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Planned, Study, arm
from genoku.lab.turns import Contender, finish, line_up, ranked, turns
from genoku.loop import run
from genoku.stopping import Until

HARD = bundled()["charles-hard"].puzzle
FOUR = "1.....3..4.....2"
CLASH = "11.............."


def contenders(*names: str, until: str = "seconds=0.3", puzzle: Puzzle = HARD) -> list[Contender]:
    return line_up(puzzle, [arm(name, until=until) for name in names], seed=0)


# fair turns


def test_at_any_moment_all_have_had_the_same_time_but_for_a_turn_and_a_step() -> None:
    racing = contenders("sundy", "charles", "simon")
    for _ in turns(racing, turn=0.01):
        clocks = [each.seconds for each in racing if not each.ended]
        assert max(clocks, default=0) - min(clocks, default=0) < 0.05
    assert all(each.ended == "seconds=0.3" for each in racing)


def test_a_race_makes_the_very_runs_that_its_seeds_make_alone() -> None:
    racing = contenders("sundy", "annealing", until="generations=30")
    for _ in turns(racing):
        pass
    for each in racing:
        alone = run(HARD, each.arm.algorithm(), seed=0, until="generations=30")
        journey = each.journey
        assert journey.state.step == alone.steps
        assert journey.best_cost == alone.cost
        assert np.array_equal(journey.best_board, alone.board)


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
    assert f"{won.winner.name} wins: it solved the puzzle" in standing(racing)


def test_if_nobody_solves_it_the_lowest_loss_wins_and_other_scales_are_named() -> None:
    racing = contenders("sundy", "charles", until="generations=5")
    for _ in turns(racing):
        pass
    won = finish(racing)
    assert won.by == "loss"
    assert won.winner is min(racing, key=lambda each: each.loss)
    assert not won.comparable
    assert "another fitness function" in standing(racing)
    same = contenders("sundy", "sundy-varied", until="generations=5")
    assert finish(same).comparable


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
    assert racing[1].ended == ""
    assert racing[1].seconds < 5
    assert "nothing solves it" in standing(racing)


def test_clashing_givens_are_refused_unless_allowed() -> None:
    clash = Puzzle.parse(CLASH)
    arms = [arm(name, until="generations=3") for name in ("charles", "charles-as-coded")]
    with pytest.raises(PuzzleError, match="clash"):
        line_up(clash, arms, 0)
    assert len(line_up(clash, arms, 0, allow_conflicts=True)) == 2


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
    panels = Panels(racing, Until.parse("generations=3"), "a race", Live(console=console))
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
    look = Lines(racing)
    look()
    look()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "each: loss sundy 0." in said[0]


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
    assert "charles does better than sundy at equal evaluations" in duel.sentence
    few = gathered_of(tmp_path, study, [[INFINITY] * 3, [10.0, 20.0, 30.0]], [0.1, 0.1])
    (duel,) = duels(few)
    assert "does better" not in duel.sentence
    assert "no result can reach p < 0.05" in duel.sentence


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
    assert "At equal CPU time" in said
    assert "sundy does better than tabu: " in said
    assert "sundy does better than tabu at equal CPU time" in told[0].sentence


def report_on(path: Path) -> Page:
    with Store.open(path) as store:
        return report(store)


def test_losses_are_compared_only_on_one_scale(tmp_path: Path) -> None:
    nobody, losses = [[INFINITY] * 8] * 2, [0.1, 0.5]
    (same,) = duels(gathered_of(tmp_path, among("sundy", "sundy-varied"), nobody, losses))
    assert "sundy comes to a lower loss than sundy-varied" in same.sentence
    penalties = [
        arm("sundy", until="evaluations=1000", settings={"fitness.penalty": p}) for p in (2, 6)
    ]
    for study in (among("sundy", "charles"), study_of(*penalties)):
        (other,) = duels(gathered_of(tmp_path, study, nobody, losses))
        assert other.measure == "nothing"
        assert "nothing to compare" in other.sentence
    racing = line_up(HARD, [replace(each, until="generations=2") for each in penalties], seed=0)
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


def test_a_race_into_pipes_is_plain_lines_and_a_table(genoku: Any) -> None:
    words = ("--puzzle", FOUR, "--until", "evaluations=20000", "--seeds", "6")
    said = genoku("race", "charles:population=40", "tabu", *words)
    assert said.code == 0
    assert "\x1b" not in said.out + said.err
    assert "wins" in said.out
    assert "study, seeds 0 to 5" in said.out
    assert "6 of 6" in said.out
    assert "charles:population=40 and tabu" in said.out or "does better" in said.out


def test_json_is_one_object_with_the_race_and_the_study(genoku: Any) -> None:
    words = ("--puzzle", FOUR, "--until", "evaluations=2000", "--json", "--seeds")
    told = json.loads(genoku("race", "charles", "sundy", "tabu", *words, "3").out)
    assert told["puzzle"] == FOUR
    assert [each["name"] for each in told["race"]] == ["charles", "sundy", "tabu"]
    assert told["winner"] in ("charles", "sundy", "tabu")
    assert told["study"]["runs"] == 9
    assert [each["runs"] for each in told["study"]["contenders"]] == [3, 3, 3]
    assert len(told["study"]["comparisons"]) == 3
    alone = json.loads(genoku("race", "charles", "sundy", *words, "0").out)
    assert alone["study"] is None


def test_the_same_race_comes_to_the_same_runs_on_two_processes(genoku: Any) -> None:
    words = ("race", "charles", "sundy", "--puzzle", FOUR, "--until", "generations=5", "--json")
    one, two = (json.loads(genoku(*words, "--seeds", "3", "--jobs", jobs).out) for jobs in "12")
    for told in (one, two):
        for each in told["study"]["contenders"]:
            del each["cpu_seconds"]
        for each in told["race"]:
            del each["cpu_seconds"]
        del told["winner"], told["by"]
    assert one == two


def test_a_store_keeps_the_runs_and_a_report_is_a_page(genoku: Any) -> None:
    words = ("race", "charles", "tabu", "--puzzle", FOUR, "--until", "generations=5")
    said = genoku(*words, "--seeds", "3", "--store", "race.db", "--report", "race.html")
    assert said.code == 0
    assert "wrote race.db and race.html" in said.err
    assert "<html" in Path("race.html").read_text("utf-8")[:200]
    with Store.open("race.db") as store:
        assert len(store.results()) == 6
    assert genoku(*words, "--seeds", "3", "--store", "race.db").code == 0


def test_a_recipe_of_ones_own_races_too(genoku: Any) -> None:
    Path("mine.toml").write_text('use = "genetic"\nfitness = "unique"\n', "utf-8")
    words = ("--puzzle", FOUR, "--until", "generations=3", "--seeds", "0", "--json")
    told = json.loads(genoku("race", "mine.toml", "charles", *words).out)
    assert told["race"][0]["name"] == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "expected 2 to 4 presets, got 0"),
        (("charles",), "expected 2 to 4 presets, got 1"),
        (("charles",) * 5, "expected 2 to 4 presets, got 5"),
        (("charles", "simn"), "did you mean simon"),
        (("charles", "charles"), "'charles' twice"),
        (("charles", "charles:population=1500"), "again as 'charles:population=1500'"),
        (("charles", "charles:populatoin=3"), "did you mean population"),
        (("charles", "missing.toml"), "missing.toml"),
        (("charles", "sundy", "--puzzle", "nowhere"), "no bundled puzzle"),
        (("charles", "sundy", "--puzzle", CLASH), "1 appears twice"),
        (("charles", "sundy", "--until", "soon"), "expected limits such as"),
        (("charles", "sundy", "--until", ""), "expected a budget such as"),
        (("charles", "sundy", "--seeds", "0", "--report", "x.html"), "--seeds 1 or more"),
        (("charles", "sundy", "--report", "none/x.html"), "there is no folder none"),
        (("charles", "sundy", "--seed", "-1"), "-1"),
    ],
)
def test_what_cannot_race_is_said_in_words(genoku: Any, words: tuple[str, ...], said: str) -> None:
    done = genoku("race", *words)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_settings_stand_behind_a_colon() -> None:
    _, recipe, name = _with_settings("charles:population=40,selection.use=tournament")
    assert name == "charles:population=40,selection.use=tournament"
    assert recipe["population"] == 40
    assert recipe["selection"]["use"] == "tournament"


def race_process(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "genoku", "race", "charles", "sundy", *words],
        cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_ctrl_c_in_the_live_race_says_what_was_seen(tmp_path: Path) -> None:
    running = race_process(tmp_path, "--time-limit", "60")
    assert running.stderr is not None
    while "each: loss" not in running.stderr.readline():
        assert running.poll() is None
    time.sleep(0.3)
    interrupt(running)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "Nobody solved it" in out
    assert "study" not in out
    assert "interrupted" in err
    assert "Traceback" not in err


def kept_runs(path: Path) -> int:
    try:
        with Store.open(path) as store:
            return len(store.done())
    except StoreError:  # which is not there yet
        return 0


def test_ctrl_c_in_the_study_tells_of_the_runs_that_were_made(tmp_path: Path) -> None:
    words = ("--until", "generations=300", "--seeds", "5000", "--store", "race.db")
    running = race_process(tmp_path, *words)
    assert running.stdout is not None
    while "Nobody solved it" not in running.stdout.readline():
        assert running.poll() is None
    while kept_runs(tmp_path / "race.db") < 3:
        assert running.poll() is None
        time.sleep(0.05)
    interrupt(running)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "study, seed" in out
    assert "interrupted after" in err
    assert "The same command goes on" in err
    assert "Traceback" not in err


def test_help_has_examples(genoku: Any) -> None:
    assert "genoku race sundy charles" in genoku("race", "--help").out


WORDS = st.from_regex(r"[!-~]{1,9}", fullmatch=True)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=5))
def test_columns_of_a_table_line_up(rows: list[tuple[str, ...]]) -> None:
    lines = table_lines(("name", "one", "two"), rows)
    assert len({len(line) for line in lines}) == 1
    assert [line.split() for line in lines[1:]] == [list(row) for row in rows]
