"""What `genoku solve` says of a puzzle: how it was solved, or that there is nothing to solve."""

from __future__ import annotations

import json
import os
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest
from evolving import FOUR, QUICK, at_a_terminal
from patience import PATIENCE
from short_studies import workers_of
from test_cli import EASY

from genoku import bundled
from genoku.cli import solve
from genoku.cli.runs import PROVED, UNIQUE, Proof
from genoku.cli.solve import SEEDS
from genoku.puzzle import bundled_puzzles
from genoku.puzzle.board import Puzzle

WRONG = "18...7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
"""Singles find nothing wrong with it; search does."""

HOPELESS = "123....4........"
"""Singles leave no digit for r1c4."""

SEVERAL = "12.............."
ESCARGOT = str(bundled()["ai-escargot"].puzzle)
SLOW = ("inkala-2012", "--preset", "charles", "--set", "population=300")
on_unix = pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")


def record_of(genoku: Any, *words: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(genoku("solve", *words, "--json").out)
    return record


# --- what is solved ----------------------------------------------------------------------------


def test_solve_alone_takes_the_default_puzzle_and_the_default_preset(genoku: Any) -> None:
    record = record_of(genoku)
    assert (record["preset"], record["name"]) == (solve.DEFAULT, bundled_puzzles.DEFAULT)
    own = record_of(genoku, "--preset", "annealing")
    assert own["preset"] == "annealing"
    assert record_of(genoku, FOUR)["preset"] == solve.DEFAULT


@pytest.mark.parametrize("preset", ["exact", "champion"])
def test_it_says_what_singles_decided_and_that_no_search_was_needed(
    genoku: Any, preset: str
) -> None:
    easy = genoku("solve", EASY, "--preset", preset)
    assert f"Solved by {preset} in " in easy.err
    assert "Singles alone filled all 51 blanks: no search was needed.\n" in easy.err
    assert "It is the only solution.\n" in easy.err
    hard = genoku("solve", ESCARGOT, "--preset", preset)
    assert "Singles alone filled 1 of the 58 blanks.\n" in hard.err
    assert "no search" not in hard.err
    record = record_of(genoku, EASY, "--preset", preset)
    assert (record["decided"], record["unique"], record["steps"]) == (51, True, 0)


def test_presets_that_leave_singles_to_the_search_say_nothing_of_them(genoku: Any) -> None:
    sure = (FOUR, *QUICK, "--until", "generations=5000")
    assert "ingles" not in genoku("solve", *sure).err
    record = record_of(genoku, *sure)
    assert (record["solved"], record["decided"], record["unique"]) == (True, None, True)
    fixed = (*sure, "--set", 'encoding={ use = "free-cells", fixed = "singles" }')
    assert record_of(genoku, *fixed)["decided"] == 12


def test_one_of_several_solutions_is_called_so_and_open_questions_too(
    genoku: Any, monkeypatch: Any
) -> None:
    assert "It is one of several solutions.\n" in genoku("solve", SEVERAL).err
    assert record_of(genoku, SEVERAL)["unique"] is False
    monkeypatch.setattr("genoku.cli.runs.is_unique", lambda _: None)
    assert UNIQUE[None] in genoku("solve", FOUR).err
    assert record_of(genoku, FOUR)["unique"] is None


def test_what_must_be_compiled_takes_nothing_of_the_oracles_seconds(
    genoku: Any, monkeypatch: Any
) -> None:
    order: list[str] = []

    def is_only(*_: Any, **__: Any) -> bool:
        order.append("asked")
        return True

    monkeypatch.setattr("genoku.cli.runs.load_kernels", lambda: order.append("compiled"))
    monkeypatch.setattr("genoku.exact.oracle.is_only_solution", is_only)
    genoku("solve", FOUR)
    assert order[-2:] == ["compiled", "asked"]


def test_ctrl_c_while_the_oracle_is_asked_still_prints_the_record(
    genoku: Any, monkeypatch: Any
) -> None:
    def interrupted(_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("genoku.cli.runs.is_unique", interrupted)
    done = genoku("solve", FOUR, "--json")
    assert done.code == 130
    assert (json.loads(done.out)["solved"], json.loads(done.out)["unique"]) == (True, None)
    shown = genoku("solve", FOUR)
    assert shown.code == 130
    assert Puzzle.parse(shown.out).is_full


def test_every_preset_has_the_same_fields(genoku: Any) -> None:
    names = ("exact", "champion", "annealing", "simon")
    fields = {frozenset(record_of(genoku, FOUR, "--preset", name)) for name in names}
    assert len(fields) == 1
    assert {
        *("puzzle", "solution", "solved", "preset", "seed", "seeds", "steps", "evaluations"),
        *("seconds", "cpu_seconds", "stop_reason", "decided", "unique"),
    } <= next(iter(fields))


# --- what `genoku evolve` has now --------------------------------------------------------------

MOVED_OPTIONS: list[tuple[str, ...]] = [
    ("--history", "run.csv"),
    ("--history", "run.csv", "--record-every", "2"),
    ("--individuals", "all.csv"),
    ("--lineage=born.csv",),
    ("--plot", "run.svg"),
    ("--gif", "run.gif"),
    ("--checkpoint", "run.ck"),
    ("--save-recipe", "my recipe.toml"),
    ("--speed", "max"),
    ("--watch",),
    ("--watch", "--speed", "max", "--plot", "run.svg"),
]
SHORT = (*QUICK, "--seed", "3", "--until", "generations=3")


def suggested(error: str, command: str = "evolve") -> list[str]:
    """The words of the command that an error shows."""
    _, _, found = error.partition(f"genoku {command} ")
    return [command, *shlex.split(found.partition(" (see ")[0])]


@pytest.mark.parametrize("moved", MOVED_OPTIONS, ids=" ".join)
def test_a_moved_option_shows_the_same_command_with_evolve_which_runs(
    moved: tuple[str, ...], genoku: Any, tmp_path: Path
) -> None:
    refused = genoku("solve", FOUR, *SHORT, *moved)
    assert (refused.code, refused.out) == (2, "")
    assert next(tmp_path.iterdir(), None) is None
    same = suggested(refused.err.partition("option of genoku evolve: ")[2])
    assert same == ["evolve", FOUR, *SHORT, *(word for word in moved if word != "--watch")]
    done = genoku(*same)
    assert done.code == 1
    assert done.out == genoku("solve", FOUR, *SHORT).out
    files = [word.rpartition("=")[2] for word in moved if "." in word]
    assert all((tmp_path / name).stat().st_size for name in files)


def test_a_resumed_run_is_now_one_of_evolve(genoku: Any) -> None:
    genoku("evolve", *SHORT, "--checkpoint", "run.ck")
    words = ("--resume", "run.ck", "--until", "generations=5", "--json")
    refused = genoku("solve", *words)
    assert (refused.code, suggested(refused.err)) == (2, ["evolve", *words])
    assert json.loads(genoku("evolve", *words).out)["steps"] == 5


@pytest.mark.parametrize("source", ["many.txt", "-"])
def test_a_moved_option_with_a_file_says_that_evolve_runs_one_puzzle(
    source: str, genoku: Any, tmp_path: Path
) -> None:
    (tmp_path / "many.txt").write_text(f"{FOUR}\n{FOUR}\n")
    refused = genoku("solve", source, *SHORT, "--history", "run.csv")
    assert (refused.code, "one puzzle only" in refused.err) == (2, True)
    assert suggested(refused.err.partition("only: ")[2]) == [
        *("evolve", source, *SHORT, "--history", "run.csv")
    ]


@pytest.mark.parametrize(
    "words", [("--history", "h.csv", "--jsonl"), ("--watch", "--seeds", "2"), ("--gif",)]
)
def test_no_command_is_shown_that_evolve_would_refuse(words: tuple[str, ...], genoku: Any) -> None:
    refused = genoku("solve", FOUR, *words)
    assert (refused.code, "--history" in refused.err) == (2, words[0] == "--history")
    assert "genoku evolve --" not in refused.err
    assert f"genoku evolve {FOUR}" not in refused.err


@pytest.mark.parametrize("option", ["--speedy", "--populations", "--rate"])
def test_an_option_that_is_nowhere_is_refused_as_ever(option: str, genoku: Any) -> None:
    refused = genoku("solve", option, "3")
    assert (refused.code, option in refused.err, "evolve" in refused.err) == (2, True, False)


# --- what has no solution ----------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["exact", "champion"])
def test_what_singles_refute_is_said_at_once_with_its_place(genoku: Any, preset: str) -> None:
    done = genoku("solve", HOPELESS, "--preset", preset)
    assert done.code == 1
    assert "This puzzle has no solution: singles leave no digit for r1c4.\n" in done.err
    assert str(Puzzle.parse(done.out)) == HOPELESS
    record = record_of(genoku, HOPELESS, "--preset", preset, "--prove")
    assert (record["solved"], record["stop_reason"]) == (False, "no solution")
    assert (record["unique"], record["proof"], record["steps"]) == (None, "no solution", 0)


def test_a_proof_by_search_says_who_found_it(genoku: Any) -> None:
    done = genoku("solve", WRONG, "--preset", "exact")
    assert done.code == 1
    assert "no solution" in done.err
    assert record_of(genoku, WRONG, "--preset", "exact")["stop_reason"] == "no solution"


def test_clashing_givens_are_the_reason_where_they_are_allowed(genoku: Any) -> None:
    done = genoku("solve", "poderosas-easy", "--allow-conflicts")
    assert done.code == 1
    assert "has no solution: 1 appears twice in column 7 (r4c7, r7c7).\n" in done.err


@pytest.mark.parametrize(
    ("puzzle", "proof", "known"),
    [
        (WRONG, "no solution", "This puzzle has no solution: "),
        (ESCARGOT, "solvable", PROVED["solvable"]),
    ],
)
def test_the_oracle_has_the_last_word_and_a_moment_even_unasked(
    puzzle: str, proof: Proof, known: str, genoku: Any
) -> None:
    asked = (puzzle, *QUICK, "--until", "generations=2")
    without = genoku("solve", *asked)
    assert (without.code, known in without.err) == (1, True)
    assert ("No solution found" in without.err) == (proof == "solvable")
    assert "proof" not in record_of(genoku, *asked)
    done = genoku("solve", *asked, "--prove")
    assert (done.code, PROVED[proof] in done.err) == (1, True)
    assert record_of(genoku, *asked, "--prove")["proof"] == proof


def test_a_proof_is_left_open_when_time_is_up(genoku: Any) -> None:
    large = ("36x36-45-percent", *QUICK, "--time-limit", "0.05", "--prove")
    assert PROVED["open"] in genoku("solve", *large).err
    assert record_of(genoku, *large)["proof"] == "open"
    solved = record_of(genoku, FOUR, "--prove")
    assert (solved["solved"], solved["proof"]) == (True, None)


def test_a_time_limit_bounds_the_only_step_of_the_oracle(genoku: Any) -> None:
    for *words, reason in (
        ("--time-limit", "0.2", "time limit"),
        ("--until", "seconds=0.2", "time limit"),
        ("--time-limit", "0", "seconds=0"),
    ):
        record = record_of(genoku, "36x36-45-percent", "--preset", "exact", *words)
        assert (record["solved"], record["stop_reason"]) == (False, reason)
    said = genoku("solve", "36x36-45-percent", "--preset", "exact", "--time-limit", "0.2").err
    assert "time limit" in said


# --- portfolios --------------------------------------------------------------------------------


def test_jobs_run_a_portfolio_and_the_winner_is_the_same_for_any_number(genoku: Any) -> None:
    words = (ESCARGOT, "--preset", "annealing", "--seed", "10")
    records = [record_of(genoku, *words, "--jobs", jobs) for jobs in ("1", "2", "4")]
    for record in records:
        del record["seconds"], record["cpu_seconds"]
    assert records[0] == records[1] == records[2]
    assert records[0]["seeds"] == SEEDS
    alone = [record_of(genoku, *words[:-1], str(seed)) for seed in range(10, 10 + SEEDS)]
    best = min(alone, key=lambda record: (record["steps"], record["seed"]))
    assert (records[0]["seed"], records[0]["steps"]) == (best["seed"], best["steps"])
    assert alone[0]["seeds"] == 1
    said = genoku("solve", *words, "--seeds", "3").err
    assert "seeds 10 to 12" in said


def test_processes_run_several_seeds_of_whatever_is_random(genoku: Any) -> None:
    islands = 'algorithm={ use = "genetic", population = 6 }'
    words = (FOUR, "--preset", "charles", "--set", "use=islands", "--set", islands)
    limited = (*words, "--until", "steps=2", "--jobs", "2")
    assert record_of(genoku, *limited)["seeds"] == SEEDS
    assert record_of(genoku, *limited, "--seeds", "2")["seeds"] == 2
    assert record_of(genoku, FOUR, "--preset", "exact", "--jobs", "2")["seeds"] == 1
    one = genoku("solve", FOUR, "--jobs", "2", "--seeds", "1")
    assert one.err.startswith("--jobs ")
    assert "4 seeds" in genoku("solve", FOUR, "--jobs", "2").err
    assert "4 seeds" not in one.err + genoku("solve", FOUR, "--jobs", "2", "--seeds", "4").err


@on_unix
def test_ctrl_c_ends_a_portfolio_with_the_best_so_far(tmp_path: Path) -> None:
    words = ("solve", *SLOW, "--until", "", "--jobs", "2")
    with at_a_terminal(*words, cwd=tmp_path) as (running, pieces):
        next(piece for piece in pieces if "generation" in piece)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to everybody
        said = "".join(pieces)
        out, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert Puzzle.parse(out).is_full
    assert "Interrupted" in said


@pytest.mark.skipif(not Path("/proc").exists(), reason="workers are forked on Linux only")
def test_a_killed_worker_is_one_line(tmp_path: Path) -> None:
    words = ("solve", *SLOW, "--until", "seconds=100", "--jobs", "2")
    with at_a_terminal(*words, cwd=tmp_path) as (running, pieces):
        next(piece for piece in pieces if "generation" in piece and workers_of(running.pid))
        os.kill(workers_of(running.pid)[-1], signal.SIGKILL)
        said = "".join(pieces)
        running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    assert "worker process" in said
    assert "Traceback" not in said


def test_a_time_limit_takes_the_place_of_the_presets_own(genoku: Any) -> None:
    assert record_of(genoku, FOUR, "--time-limit", "70")["until"] == "seconds=70"
    assert record_of(genoku, FOUR, "--time-limit", "inf")["until"] == ""
    both = record_of(genoku, FOUR, "--time-limit", "70", "--until", "seconds=9 or steps=5")
    assert both["until"] == "seconds=9 or steps=5 or seconds=70"
