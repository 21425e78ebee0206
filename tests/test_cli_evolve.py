"""`genoku evolve`: one algorithm on one puzzle, its files, resuming, and refused options."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from evolving import FOUR, QUICK, SURE, process
from patience import PATIENCE
from strategies import in_another_process

from genoku.cli.main import cli
from genoku.evolve.presets import preset
from genoku.evolve.recipe import describe
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled


def test_a_preset_runs_on_its_own_puzzle_and_says_honestly_how_far_it_came() -> None:
    words = ("evolve", "--preset", "charles", "--until", "generations=3")
    done = process(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = done.communicate(timeout=PATIENCE)
    puzzle, board = preset("charles").puzzle, Puzzle.parse(out)
    assert done.returncode == 1
    assert board.is_full
    assert all(
        given in (0, digit) for given, digit in zip(puzzle.digits, board.digits, strict=True)
    )
    assert all(each in err for each in ("charles-hard", "6,000 evaluations", "generations=3"))
    assert "\x1b" not in out + err


def test_evolve_alone_solves_the_puzzle_of_three_reports(genoku: Any) -> None:
    done = genoku("evolve")
    assert done.code == 0
    puzzle = bundled()["poderosas-medium"].puzzle
    assert puzzle.is_solved_by(Puzzle.parse(done.out).board)
    record = json.loads(genoku("evolve", "--json").out)
    assert (record["preset"], record["name"]) == ("textbook", "poderosas-medium")
    assert record["recipe"] == describe(preset("textbook").build())
    assert record["solution"] == str(Puzzle.parse(done.out))


@pytest.mark.parametrize("words", [SURE, (*QUICK, "--until", "generations=2")], ids=str)
def test_a_run_ends_with_three_lines(words: tuple[str, ...], genoku: Any) -> None:
    done = genoku("evolve", FOUR, *words)
    verdict, facts, advice = done.err.splitlines()
    assert ("Solved" in verdict) == (done.code == 0)
    assert "evaluations" in facts
    assert "genoku " in advice
    silent = genoku("evolve", FOUR, *words, "--json")
    assert silent.err == ""
    assert json.loads(silent.out)["solved"] == (done.code == 0)


ADVISED = [
    ("evolve",),
    ("evolve", "charles-easy", *QUICK, "--generations", "2"),
    ("evolve", FOUR, *QUICK, "--generations", "2"),
    ("evolve", FOUR, *SURE),
    ("evolve", "--preset", "simon", "--population", "20", "--generations", "2"),
    ("evolve", "poderosas-easy", "--preset", "poderosas", "--generations", "2"),
]


@pytest.mark.parametrize("words", ADVISED, ids=" ".join)
def test_every_command_of_the_advice_is_one(words: tuple[str, ...], genoku: Any) -> None:
    *_, advice = genoku(*words).err.splitlines()
    commands = re.findall(r"genoku ([a-z]+(?: [^(,)]+)?)(?= \(|,|\.$)", advice)
    assert commands
    for command in commands:
        name, *arguments = shlex.split(command)
        each = cli.get_command(click.Context(cli), name)
        assert each is not None
        given = each.make_context(name, arguments).params
        assert not given.get("preset") or preset(given["preset"])


@pytest.mark.parametrize(
    ("name", "limit"), [("charles", "3"), ("simon", "4"), ("sundy", "3"), ("textbook", "9")]
)
def test_the_same_seed_gives_the_board_that_solve_gives(name: str, limit: str, genoku: Any) -> None:
    words = ("charles-hard", "--preset", name, "--seed", "5", "--until", f"steps={limit}", "--json")
    watched, answered = (json.loads(genoku(each, *words).out) for each in ("evolve", "solve"))
    for clock in ("seconds", "cpu_seconds"):
        del watched[clock], answered[clock]
    assert watched == answered


@pytest.mark.parametrize("speed", ["max", "1000000", "0.01"])
def test_without_a_terminal_nobody_waits_whatever_the_speed(speed: str, genoku: Any) -> None:
    words = ("evolve", *QUICK, "--generations", "3", "--json")
    record = json.loads(genoku(*words, "--speed", speed).out)
    assert record["steps"] == 3
    assert record["best"] == json.loads(genoku(*words).out)["best"]


def test_generations_take_the_place_of_the_presets_own_limits(genoku: Any) -> None:
    def until(*words: str) -> tuple[str, int]:
        record = json.loads(genoku("evolve", FOUR, "--json", *words).out)
        return record["until"], record["steps"]

    assert until(*QUICK, "--generations", "0") == ("generations=0", 0)
    assert until(*QUICK[:2], "--generations", "1") == ("generations=1", 1)
    both = ("--generations", "1", "--until", "moves=9", "--time-limit", "70")
    assert until(*QUICK, *both) == ("generations=1 or moves=9 or seconds=70", 1)
    assert until("--preset", "exact", "--generations", "0")[1] == 0


def test_puzzles_are_read_as_everywhere_if_there_is_only_one(
    genoku: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.txt").write_text(f"# mine\n{FOUR}\n")
    (tmp_path / "two.txt").write_text(f"{FOUR}\n{FOUR}\n")
    (tmp_path / "none.txt").write_text("")
    (tmp_path / "bad.txt").write_text(f"{FOUR}\nnonsense\n")
    short = (*QUICK, "--generations", "1", "--json")
    board = json.loads(genoku("evolve", FOUR, *short).out)["best"]
    assert json.loads(genoku("evolve", "one.txt", *short).out)["best"] == board
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FOUR.encode())))
    assert json.loads(genoku("evolve", "-", *short).out)["best"] == board
    for name in ("two.txt", "none.txt", "bad.txt", "no.txt"):
        refused = genoku("evolve", name, *short)
        assert (refused.code, refused.out, name in refused.err) == (2, "", True)
    made = [json.loads(genoku("evolve", "random", *short, "--seed", s).out) for s in "778"]
    assert made[0]["puzzle"] == made[1]["puzzle"] != made[2]["puzzle"]
    small = json.loads(genoku("evolve", "random", *short, "--box", "2x2").out)
    assert len(small["puzzle"]) == 16


@pytest.mark.parametrize(("is_shown", "is_terminal"), [(True, True), (True, False), (False, True)])
def test_a_board_is_printed_unless_its_digits_are_on_the_terminal(
    genoku: Any, monkeypatch: pytest.MonkeyPatch, is_shown: bool, is_terminal: bool
) -> None:
    monkeypatch.setattr("genoku.cli.live.shows_board", lambda _watchers: is_shown)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal, raising=False)
    out = genoku("evolve", FOUR, *QUICK, "--generations", "1").out
    assert bool(out) == (not (is_shown and is_terminal))


def test_the_advice_names_a_puzzle_that_the_command_can_read(genoku: Any, tmp_path: Path) -> None:
    board = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
    (tmp_path / "mine.csv").write_text(f"name,puzzle\nmy own,{board}\n", "utf-8")
    short = ("--preset", "poderosas", "--generations", "1")
    for words, expected in (
        (("mine.csv",), Puzzle.parse(board).line),
        (("very_hard",), "charles-very-hard"),
        ((), "poderosas-medium"),
    ):
        assert f"genoku evolve {expected} (" in genoku("evolve", *words, *short).err
    tall = genoku("evolve", "." * 36, "--box", "3x2", *short).err
    assert f"genoku evolve {'.' * 36},box=3x2 (" in tall


def test_islands_run_in_processes_with_the_same_result_and_others_do_not(genoku: Any) -> None:
    islands = 'algorithm={ use = "genetic", population = 6 }'
    words = ("evolve", FOUR, *QUICK[:2], "--set", "use=islands", "--set", islands)
    runs = [genoku(*words, "--until", "steps=2", *more) for more in ((), ("--jobs", "2"))]
    assert runs[0].out == runs[1].out
    assert "--jobs" not in runs[1].err
    assert "--jobs" in genoku("evolve", FOUR, *QUICK, "--generations", "1", "--jobs", "2").err


def test_a_solved_run_ends_with_0_and_a_record_like_the_oracles(genoku: Any) -> None:
    done = genoku("evolve", FOUR, *SURE, "--json", "--seed", "7")
    record = json.loads(done.out)
    assert done.code == 0
    assert record["solved"] is True
    assert Puzzle.parse(FOUR).is_solved_by(Puzzle.parse(record["solution"]).board)
    assert (record["preset"], record["seed"], record["stop_reason"]) == ("charles", 7, "solved")
    exact = json.loads(genoku("evolve", FOUR, "--preset", "exact", "--json").out)
    assert set(exact) == set(record)
    assert "Solved by" in genoku("evolve", FOUR, *SURE, "--seed", "7").err


def test_the_same_seed_prints_the_same_and_settings_change_the_recipe(genoku: Any) -> None:
    words = ("evolve", *QUICK, "--until", "generations=4", "--json")
    one, two, other = (json.loads(genoku(*words, "--seed", seed).out) for seed in "334")
    assert one["best"] == two["best"] != other["best"]
    assert one["recipe"]["population"] == 40
    assert one["evaluations"] == 5 * 40


def test_limits_in_words_and_time_limits_both_end_a_run(genoku: Any) -> None:
    by_time = genoku("evolve", *QUICK, "--until", "", "--time-limit", "0.05", "--json")
    assert json.loads(by_time.out)["stop_reason"] == "seconds=0.05"
    both = genoku("evolve", *QUICK, "--until", "generations=2", "--time-limit", "60", "--json")
    record = json.loads(both.out)
    assert (record["stop_reason"], record["until"]) == (
        "generations=2",
        "generations=2 or seconds=60",
    )


def test_every_file_that_was_asked_for_is_written(genoku: Any) -> None:
    files = {
        "--history": "h.csv",
        "--individuals": "i.csv",
        "--lineage": "l.csv",
        "--plot": "p.svg",
        "--gif": "g.gif",
        "--board": "b.txt",
        "--checkpoint": "c.ck",
        "--save-recipe": "r.toml",
    }
    options = [word for pair in files.items() for word in pair]
    done = genoku("evolve", *QUICK, "--until", "generations=10", *options, "--record-every", "5")
    assert done.code == 1
    assert all(name in done.err for name in files.values())
    rows = list(csv.DictReader(Path("h.csv").read_text().splitlines()))
    assert [row["gen"] for row in rows] == ["0", "5", "10"]
    for row in rows:  # report 002's unique
        assert float(row["score"]) == 243 - float(row["best"])
        assert float(row["mean_score"]) == pytest.approx(243 - float(row["mean"]))
    log = Path("i.csv").read_text().splitlines()
    assert log[0].split(",") == ["Generation", "ID", "Fitness"]
    assert len(log) == 1 + 11 * 40
    ancestors = list(csv.DictReader(Path("l.csv").read_text().splitlines()))
    assert {name for row in ancestors for name in row["parents"].split()} <= {
        row["id"] for row in ancestors
    }
    assert Path("p.svg").read_text().count("<svg") == 1
    assert Path("g.gif").read_bytes().startswith(b"GIF89a")
    again = genoku("evolve", "--recipe", "r.toml", "--json")
    fresh = genoku("evolve", *QUICK, "--until", "generations=10", "--json")
    drawn, found = Path("b.txt").read_text(), json.loads(fresh.out)
    assert str(Puzzle.parse(drawn)) == found["best"]  # the caption is no part of the board
    caption = f"ID {found['best_id']} · Fitness {found['fitness']['best']:.0f}"
    assert drawn.splitlines()[-1].strip() == caption
    assert done.out.splitlines()[-1].strip() == caption
    assert json.loads(again.out)["best"] == json.loads(fresh.out)["best"]


@pytest.mark.parametrize("suffix", [".svg", ".html", ".pdf", ".png"])
def test_boards_are_coloured_by_the_fitness_map_or_plain(suffix: str, genoku: Any) -> None:
    from genoku.evolve.fitness import MAP_COLOURS

    for colours in ("map", "plain"):
        options = "--colours", colours, "--board", f"{colours}{suffix}"
        assert genoku("evolve", *QUICK, "--until", "generations=5", *options).code == 1
    coloured, plain = (Path(f"{name}{suffix}").read_bytes() for name in ("map", "plain"))
    assert coloured != plain
    if suffix in (".svg", ".html"):
        assert any(each.encode() in coloured for each in MAP_COLOURS)
        assert not any(each.encode() in plain for each in MAP_COLOURS)
        assert "ID " in coloured.decode()
        assert " · Fitness " in coloured.decode()


def test_the_record_states_the_fitness_as_the_report_does(genoku: Any) -> None:
    run = "--until", "generations=5", "--json"
    facts = json.loads(genoku("evolve", "--preset", "simon", *run).out)["fitness"]
    assert (facts["name"], facts["goal"], facts["better"]) == ("complete-units", 243, "higher")
    assert 81 <= facts["mean"] <= facts["best"] <= 243
    alone = json.loads(genoku("evolve", "--preset", "tabu", *run).out)
    assert alone["fitness"]["mean"] is None
    assert json.loads(genoku("solve", FOUR, "--json").out)["fitness"] is None


def test_a_resumed_run_is_the_uninterrupted_one(genoku: Any) -> None:
    whole = genoku("evolve", *QUICK, "--until", "generations=20", "--history", "whole.csv")
    genoku("evolve", *QUICK, "--until", "generations=12", "--checkpoint", "run.ck")
    rest = genoku("evolve", "--resume", "run.ck", "--until", "generations=20", "--history", "r.csv")
    assert rest.out == whole.out
    assert Path("r.csv").read_bytes() == Path("whole.csv").read_bytes()
    over = genoku("evolve", "--resume", "run.ck", "--json")
    assert json.loads(over.out)["steps"] == 20


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
def test_ctrl_c_ends_with_the_best_so_far_and_a_checkpoint_that_resumes(
    genoku: Any, tmp_path: Path
) -> None:
    words = ("evolve", *QUICK, "--until", "", "--checkpoint", "run.ck")
    running = process(*words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("generation"):
            break
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert Puzzle.parse(out).is_full
    assert err.endswith("--resume run.ck\n")
    resumed = json.loads(
        genoku(
            "evolve", "--resume", "run.ck", "--until", "cost=0", "--time-limit", "0", "--json"
        ).out
    )
    assert resumed["best"] == str(Puzzle.parse(out))
    steps = resumed["steps"] + 3
    whole = genoku("evolve", *QUICK, "--until", f"generations={steps}", "--json")
    rest = genoku("evolve", "--resume", "run.ck", "--until", f"generations={steps}", "--json")
    assert json.loads(rest.out)["best"] == json.loads(whole.out)["best"]


def test_resuming_takes_nothing_that_the_saved_run_has(genoku: Any) -> None:
    genoku("evolve", *QUICK, "--until", "generations=2", "--checkpoint", "run.ck")
    for words in (
        (FOUR,),
        ("--preset", "simon"),
        ("--set", "population=4"),
        ("--seed", "0"),
        ("--record-every", "2"),
        ("--generations", "2"),
        ("--save-recipe", "r.toml"),
        ("--population", "4"),
        ("--mutation", "swap"),
        ("--allow-conflicts",),
    ):
        refused = genoku("evolve", "--resume", "run.ck", *words)
        assert refused.code == 2
        assert words[0].partition("=")[0] in refused.err or "PUZZLE" in refused.err
    late = genoku("evolve", "--resume", "run.ck", "--individuals", "i.csv")
    assert (late.code, "--individuals" in late.err) == (2, True)


def test_clashing_givens_run_with_the_presets_of_their_report_or_with_permission(
    genoku: Any,
) -> None:
    words = ("evolve", "poderosas-easy", "--set", "population=10", "--generations", "2")
    refused = genoku(*words, "--preset", "charles")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("appears twice") == 6
    record = json.loads(genoku(*words, "--preset", "charles", "--json").out)
    assert (record["stop_reason"], len(record["conflicts"])) == ("refused", 6)
    for allowed in (("--preset", "charles", "--allow-conflicts"), ("--preset", "poderosas")):
        done = genoku(*words, *allowed)
        assert (done.code, Puzzle.parse(done.out).is_full) == (1, True)


def test_a_recipe_may_name_a_part_of_ones_own_in_the_same_folder(
    genoku: Any, tmp_path: Path
) -> None:
    (tmp_path / "my_parts.py").write_text(
        "def leave_alone(boards, rate, problem, rng):\n    return boards.copy()\n"
    )
    recipe = 'use = "genetic"\npopulation = 30\nmutation = "my_parts:leave_alone"\n'
    (tmp_path / "mine.toml").write_text(recipe)
    words = ("evolve", "--recipe", "mine.toml", "--until", "generations=2", "--json", "--trust")
    done = genoku(*words)
    record = json.loads(done.out)
    assert record["recipe"]["mutation"] == {"use": "my_parts:leave_alone"}
    assert (record["preset"], record["name"]) == ("mine", "ai-escargot")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--preset", "chales"), "did you mean charles"),
        (("--preset", ""), "expected the name of a preset"),
        (("--recipe", "missing.toml"), "missing.toml: No such file"),
        (("--recipe", "bad.toml"), "bad.toml: expected TOML"),
        (("--recipe", "noise.toml"), "noise.toml: expected TOML"),
        (("--recipe", "empty.toml"), "expected a table [recipe]"),
        (("--recipe", "typo.toml"), "got 'unitl'"),
        (("--recipe", "nowhere.toml"), "expected the name of a puzzle"),
        (("--recipe", "number.toml"), "expected text as until, got 3"),
        (("--recipe", "typo.toml", "--preset", "simon"), "one of --preset and --recipe"),
        (("--preset", "simon", "--set", "population"), "expected a setting such as"),
        (("--preset", "simon", "--set", "popluation=4"), "did you mean population?"),
        (("--preset", "simon", "--set", "population=0"), "population: expected 2 or more"),
        (("--preset", "simon", "--set", "crossover=row-tails"), "does not fit permuted-boxes"),
        (("--preset", "simon", "--until", "soon"), "expected limits such as generations=500"),
        (("--preset", "simon", "--time-limit", "-1"), "--time-limit"),
        (("--preset", "simon", "--box", "2x3"), "expected 36 cells"),
        (("--preset", "simon", "--record-every", "0"), "--record-every"),
        (("--preset", "simon", "--history", "no/h.csv"), "--history no/h.csv: "),
        (("--preset", "simon", "--history", "-"), "--history -: expected a file"),
        (("--preset", "simon", "--lineage", "."), "--lineage .: is a folder"),
        (("--preset", "simon", "--checkpoint", "x" * 300), "File name too long"),
        (
            ("--preset", "simon", "--history", "x", "--lineage", "./x"),
            "--history and --lineage, got ./x",
        ),
        (("--preset", "simon", "--plot", "run.txt"), "ends in .svg, .png or .pdf"),
        (("--preset", "simon", "--gif", "run.png"), "ends in .gif"),
        (("--resume", "missing.ck"), "missing.ck: No such file"),
        (("--resume", "noise.toml"), "noise.toml: expected a checkpoint"),
        (("--resume", "missing.ck", "--seed", "1"), "expected --resume without --seed"),
        (("--preset", "exact", "--set", "a=1"), "exact has no 'a': it has seconds"),
        (("--preset", "exact", "--set", "seconds=-1"), "seconds: expected 0 or more"),
        (("--seeds", "2"), "no such option '--seeds'"),
        (("--jsonl",), "no such option '--jsonl'"),
        (("--jobs", "0"), "--jobs"),
        (("--generations", "-1"), "--generations"),
        (("--generations", "many"), "--generations"),
        *((("--speed", speed), "--speed") for speed in ("0", "-1", "nan", "inf", "fast", "")),
        (("--population", "few"), "--population"),
        (("--population", "1"), "population: expected 2 or more"),
        (("--mutation-rate", "2"), "expected a mutation rate"),
        (("--selection", "tournamnt"), "did you mean tournament?"),
        (("--crossover", ""), "--crossover"),
        (("--fitness", "no_module:Fit"), "no module no_module"),
    ],
)
def test_nonsense_gets_one_clear_message_and_exit_code_2_and_leaves_no_file(
    words: tuple[str, ...], reason: str, genoku: Any, tmp_path: Path
) -> None:
    (tmp_path / "bad.toml").write_text("x = [")
    (tmp_path / "noise.toml").write_bytes(bytes(range(128, 256)))
    (tmp_path / "empty.toml").write_text("")
    (tmp_path / "typo.toml").write_text('unitl = "x"\n[recipe]\nuse = "genetic"\n')
    (tmp_path / "nowhere.toml").write_text('puzzle = "nix"\n[recipe]\nuse = "genetic"\n')
    (tmp_path / "number.toml").write_text('until = 3\n[recipe]\nuse = "genetic"\n')
    before = sorted(tmp_path.iterdir())
    refused = genoku("evolve", *words)
    assert (refused.code, refused.out) == (2, "")
    assert reason in refused.err
    assert sorted(tmp_path.iterdir()) == before


def test_a_missing_extra_is_one_line_before_anything_runs(genoku: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not there
    for option in ("--plot=run.svg", "--gif=run.gif"):
        refused = genoku("evolve", "--preset", "simon", option)
        assert refused.code == 2
        assert refused.err == (
            'genoku: pictures of runs require matplotlib: pip install "genoku[lab]"\n'
        )


def test_an_evolution_loads_neither_the_oracle_nor_what_draws() -> None:
    program = (
        "import sys; from genoku.cli.main import invoke; "
        "invoke(['evolve', '--preset', 'simon', '--until', 'generations=1', '--json']); "
        "print(*sys.modules)"
    )
    loaded = in_another_process(program).splitlines()[-1].split()
    assert "genoku.engine.run" in loaded
    assert not {"genoku.exact.oracle", "pysat", "matplotlib", "rich", "genoku.generator"} & set(
        loaded
    )
