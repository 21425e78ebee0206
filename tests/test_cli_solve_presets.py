"""`genoku solve` with presets and recipes: runs, files, resuming, and refused options."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from evolving import FOUR, QUICK, SURE, process
from patience import PATIENCE
from strategies import in_another_process

from genoku.evolve.presets import preset, presets
from genoku.evolve.recipe import CATALOG
from genoku.puzzle.board import Puzzle


def test_a_preset_runs_on_its_own_puzzle_and_says_honestly_how_far_it_came() -> None:
    words = ("solve", "--preset", "charles", "--until", "generations=3")
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


def test_a_solved_run_ends_with_0_and_a_record_like_the_oracles(genoku: Any) -> None:
    done = genoku("solve", FOUR, *SURE, "--json", "--seed", "7")
    record = json.loads(done.out)
    assert done.code == 0
    assert record["solved"] is True
    assert Puzzle.parse(FOUR).is_solved_by(Puzzle.parse(record["solution"]).board)
    assert (record["preset"], record["seed"], record["stop_reason"]) == ("charles", 7, "solved")
    exact = json.loads(genoku("solve", FOUR, "--preset", "exact", "--json").out)
    assert set(exact) == set(record)
    assert "Solved by" in genoku("solve", FOUR, *SURE, "--seed", "7").err


def test_the_same_seed_prints_the_same_and_settings_change_the_recipe(genoku: Any) -> None:
    words = ("solve", *QUICK, "--until", "generations=4", "--json")
    one, two, other = (json.loads(genoku(*words, "--seed", seed).out) for seed in "334")
    assert one["best"] == two["best"] != other["best"]
    assert one["recipe"]["population"] == 40
    assert one["evaluations"] == 5 * 40


def test_limits_in_words_and_time_limits_both_end_a_run(genoku: Any) -> None:
    by_time = genoku("solve", *QUICK, "--until", "", "--time-limit", "0.05", "--json")
    assert json.loads(by_time.out)["stop_reason"] == "seconds=0.05"
    both = genoku("solve", *QUICK, "--until", "generations=2", "--time-limit", "60", "--json")
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
        "--checkpoint": "c.ck",
        "--save-recipe": "r.toml",
    }
    options = [word for pair in files.items() for word in pair]
    done = genoku("solve", *QUICK, "--until", "generations=10", *options, "--record-every", "5")
    assert done.code == 1
    assert all(name in done.err for name in files.values())
    rows = list(csv.DictReader(Path("h.csv").read_text().splitlines()))
    assert [row["gen"] for row in rows] == ["0", "5", "10"]
    log = Path("i.csv").read_text().splitlines()
    assert log[0].split(",") == ["Generation", "ID", "Fitness"]
    assert len(log) == 1 + 11 * 40
    ancestors = list(csv.DictReader(Path("l.csv").read_text().splitlines()))
    assert {name for row in ancestors for name in row["parents"].split()} <= {
        row["id"] for row in ancestors
    }
    assert Path("p.svg").read_text().count("<svg") == 1
    assert Path("g.gif").read_bytes().startswith(b"GIF89a")
    again = genoku("solve", "--recipe", "r.toml", "--json")
    fresh = genoku("solve", *QUICK, "--until", "generations=10", "--json")
    assert json.loads(again.out)["best"] == json.loads(fresh.out)["best"]


def test_a_resumed_run_is_the_uninterrupted_one(genoku: Any) -> None:
    whole = genoku("solve", *QUICK, "--until", "generations=20", "--history", "whole.csv")
    genoku("solve", *QUICK, "--until", "generations=12", "--checkpoint", "run.ck")
    rest = genoku("solve", "--resume", "run.ck", "--until", "generations=20", "--history", "r.csv")
    assert rest.out == whole.out
    assert Path("r.csv").read_bytes() == Path("whole.csv").read_bytes()
    over = genoku("solve", "--resume", "run.ck", "--json")
    assert json.loads(over.out)["steps"] == 20


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
def test_ctrl_c_ends_with_the_best_so_far_and_a_checkpoint_that_resumes(
    genoku: Any, tmp_path: Path
) -> None:
    words = ("solve", *QUICK, "--until", "", "--checkpoint", "run.ck", "--watch")
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
            "solve", "--resume", "run.ck", "--until", "cost=0", "--time-limit", "0", "--json"
        ).out
    )
    assert resumed["best"] == str(Puzzle.parse(out))
    steps = resumed["steps"] + 3
    whole = genoku("solve", *QUICK, "--until", f"generations={steps}", "--json")
    rest = genoku("solve", "--resume", "run.ck", "--until", f"generations={steps}", "--json")
    assert json.loads(rest.out)["best"] == json.loads(whole.out)["best"]


def test_resuming_takes_nothing_that_the_saved_run_has(genoku: Any) -> None:
    genoku("solve", *QUICK, "--until", "generations=2", "--checkpoint", "run.ck")
    for words in (
        (FOUR,),
        ("--preset", "simon"),
        ("--set", "population=4"),
        ("--seed", "0"),
        ("--record-every", "2"),
    ):
        refused = genoku("solve", "--resume", "run.ck", *words)
        assert refused.code == 2
        assert words[0].partition("=")[0] in refused.err or "PUZZLE" in refused.err
    late = genoku("solve", "--resume", "run.ck", "--individuals", "i.csv")
    assert (late.code, "--individuals" in late.err) == (2, True)


def test_a_file_of_puzzles_is_a_batch_with_a_record_for_each(genoku: Any, tmp_path: Path) -> None:
    clashing = "11" + "." * 14
    (tmp_path / "many.txt").write_text(f"{FOUR}\n{clashing}\n{FOUR[::-1]}\n")
    done = genoku("solve", "many.txt", *SURE, "--jsonl")
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [record["puzzle"] for record in records] == [FOUR, clashing, FOUR[::-1]]
    assert [record["solved"] for record in records] == [True, False, True]
    assert records[0]["preset"] == "charles"
    assert "many.txt:2: " in done.err
    assert done.code == 2
    alone = json.loads(genoku("solve", FOUR, *SURE, "--json").out)
    assert alone["solution"] == records[0]["solution"]
    lines = genoku("solve", "many.txt", *SURE, "--jobs", "2").out.splitlines()
    assert lines[0] == records[0]["solution"]
    refused = genoku("solve", "many.txt", *SURE, "--history", "h.csv", "--watch")
    assert (refused.code, "--history and --watch" in refused.err) == (2, True)


def test_clashing_givens_are_named_or_run_up_to_their_ceiling(genoku: Any) -> None:
    words = ("solve", "poderosas-easy", "--preset", "poderosas", "--until", "generations=2")
    refused = genoku(*words)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("appears twice") == 6
    allowed = genoku(*words, "--allow-conflicts")
    assert allowed.code == 1
    assert "fewer than 6 errors" in allowed.err


def test_a_recipe_may_name_a_part_of_ones_own_in_the_same_folder(
    genoku: Any, tmp_path: Path
) -> None:
    (tmp_path / "my_parts.py").write_text(
        "def leave_alone(boards, rate, problem, rng):\n    return boards.copy()\n"
    )
    recipe = 'use = "genetic"\npopulation = 30\nmutation = "my_parts:leave_alone"\n'
    (tmp_path / "mine.toml").write_text(recipe)
    words = ("solve", "--recipe", "mine.toml", "--until", "generations=2", "--json", "--trust")
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
        (("--recipe", "nowhere.toml"), "expected the name of a bundled puzzle"),
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
        (("--resume", "missing.ck", "--jsonl"), "expected --resume without --jsonl"),
        (("--preset", "exact", "--set", "a=1"), "exact has no 'a': it has seconds"),
        (("--preset", "exact", "--set", "seconds=-1"), "seconds: expected 0 or more"),
        (("--seeds", "2", "--checkpoint", "run.ck"), "a portfolio of 2 seeds: add --seeds 1"),
        (("--preset", "simon", "--jobs", "2", "--checkpoint", "c"), "a portfolio of 4 seeds"),
        (("--resume", "missing.ck", "--seeds", "2"), "expected --resume without --seeds"),
        (("--seeds", "0"), "--seeds"),
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
    refused = genoku("solve", *words)
    assert (refused.code, refused.out) == (2, "")
    assert reason in refused.err
    assert sorted(tmp_path.iterdir()) == before


def test_a_missing_extra_is_one_line_before_anything_runs(genoku: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not there
    for option in ("--plot=run.svg", "--gif=run.gif"):
        refused = genoku("solve", "--preset", "simon", option)
        assert refused.code == 2
        assert refused.err == (
            'genoku: pictures of runs require matplotlib: pip install "genoku[lab]"\n'
        )


def test_an_evolution_loads_neither_the_oracle_nor_what_draws() -> None:
    program = (
        "import sys; from genoku.cli.main import invoke; "
        "invoke(['solve', '--preset', 'simon', '--until', 'generations=1', '--json']); "
        "print(*sys.modules)"
    )
    loaded = in_another_process(program).splitlines()[-1].split()
    assert "genoku.engine.run" in loaded
    assert not {"genoku.exact.oracle", "pysat", "matplotlib", "rich", "genoku.generator"} & set(
        loaded
    )


def test_presets_are_listed_and_shown_in_full(genoku: Any) -> None:
    listed = genoku("presets")
    assert all(each.name in listed.out for each in presets())
    rows = json.loads(genoku("presets", "--json").out)
    assert [row["name"] for row in rows] == [each.name for each in presets()]
    shown = genoku("presets", "simon").out
    found = preset("simon")
    assert found.report in shown
    assert "Until: generations=500" in shown
    assert 'use = "genetic"' in shown
    assert found.left_open[0].split(":")[0] in " ".join(shown.split())
    variant = json.loads(genoku("presets", "poderosas-rank-row", "--json").out)
    assert variant["recipe"] == preset("poderosas-rank-row").recipe
    assert "simon" in genoku("presets", "simn").err
    assert preset("simon").character in listed.out
    assert rows[0]["group"] == "Report 000"


def test_operators_are_listed_by_kind_with_their_parameters(genoku: Any) -> None:
    everything = genoku("operators").out
    for kind, parts in CATALOG.items():
        assert f"\n{kind}\n" in f"\n{everything}"
        assert all(f"  {name} " in everything for name in parts)
    one = genoku("operators", "tournament").out
    assert "size=2  (int)" in one
    assert "unit=row  (row | column | box | any)" in genoku("operators", "mutation").out
    rows = json.loads(genoku("operators", "selection", "--json").out)
    assert {row["name"] for row in rows} == set(CATALOG["selection"])
    refused = genoku("operators", "tournamnt")
    assert (refused.code, "tournament" in refused.err) == (2, True)
