"""The command line as its users meet it: what it prints, its exit codes, processes that end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import called as genoku
from patience import PATIENCE

from genoku import Puzzle, bundled, read_puzzles
from genoku.cli.options import MAX_REPORTED

EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


@pytest.mark.parametrize("command", ["solve", "check", "show"])
def test_nothing_at_all_is_no_board_and_no_folder(command: str) -> None:
    done = genoku(command, "")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "genoku: expected a Sudoku board, got no cells at all\n"


def test_solve_alone_shows_a_solved_board() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "genoku", "solve"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    board = Puzzle.parse(done.stdout).board
    assert bundled()["ai-escargot"].puzzle.is_solved_by(board)
    assert "only solution" in done.stderr


def test_solve_prints_the_documented_json() -> None:
    record = json.loads(genoku("solve", EASY, "--json", "--seed", "5").stdout)
    assert record["solution"] == SOLVED
    assert record["solved"] is True
    assert record["stop_reason"] == "solved"
    assert record["seed"] == 5
    assert {"puzzle", "preset", "steps", "evaluations", "seconds", "cpu_seconds"} <= set(record)


def test_solve_random_makes_a_puzzle_of_the_seed() -> None:
    first, second = (genoku("solve", "random", "--seed", "3", "--json").stdout for _ in range(2))
    assert json.loads(first)["puzzle"] == json.loads(second)["puzzle"]
    of_boxes = json.loads(genoku("solve", "random", "--box", "3x2", "--json").stdout)
    assert (of_boxes["box"], len(of_boxes["puzzle"])) == ("3x2", 36)


def test_check_lists_the_six_clashes_of_report_000s_easy_puzzle() -> None:
    done = genoku("check", "poderosas-easy")
    assert done.returncode == 2
    clashes = [line for line in done.stderr.splitlines() if "appears twice" in line]
    assert len(clashes) == 6
    assert "1 appears twice in column 7 (r4c7, r7c7)" in done.stderr


def test_solve_refuses_clashes_unless_they_are_allowed() -> None:
    refused = genoku("solve", "poderosas-easy")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert genoku("solve", "poderosas-easy", "--allow-conflicts").returncode == 1


def test_check_counts_the_solutions_of_report_000s_printed_puzzle() -> None:
    done = genoku("check", "poderosas-difficult")
    assert done.returncode == 1
    assert "1,539 solutions" in done.stdout


def test_check_says_unique_with_exit_code_0() -> None:
    done = genoku("check", EASY, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["verdict"] == "unique"


def test_an_unsolvable_puzzle_is_not_solved() -> None:
    unsolvable = EASY[:2] + "1" + EASY[3:]  # clashes with nothing, and is wrong
    done = genoku("check", unsolvable)
    assert (done.returncode, "no solution" in done.stdout) == (1, True)
    assert genoku("solve", unsolvable).returncode == 1


def test_a_time_limit_of_nothing_leaves_the_answer_open() -> None:
    done = genoku("check", "36x36-45-percent", "--time-limit", "0", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["complete"] is False


def test_rate_names_level_and_technique() -> None:
    record = json.loads(genoku("rate", EASY, "--json", "--path").stdout)
    assert record["level"] == "easy"
    assert len(record["path"]) == 51
    many = genoku("rate", "-", stdin=f"{EASY}\n{SOLVED}\n")
    assert many.stdout.split("\t")[0] == "easy"
    assert many.returncode == 2
    assert "input:2:" in many.stderr


def test_hint_explains_the_next_steps() -> None:
    done = genoku("hint", "charles-hard", "--count", "2")
    assert done.returncode == 0
    steps = json.loads(genoku("hint", "charles-hard", "--count", "2", "--json").stdout)
    assert steps[0]["placements"]
    assert done.stdout.splitlines()[-2:] == [each["explanation"] for each in steps]
    assert "full" in genoku("hint", SOLVED).stdout


@pytest.mark.parametrize("style", ["text", "ansi", "svg", "html"])
def test_show_draws_in_every_style(style: str) -> None:
    done = genoku("show", "6x6-easy", "--style", style, "--candidates")
    assert done.returncode == 0
    assert len(done.stdout) > 100


def test_show_writes_a_solution_as_svg(tmp_path: Path) -> None:
    target = tmp_path / "board.svg"
    assert genoku("show", EASY, "--solution", "-o", str(target)).returncode == 0
    assert target.read_text().startswith("<svg")


def test_pipes_get_plain_text_without_escape_codes() -> None:
    assert "\x1b" not in genoku("show", EASY).stdout


def test_convert_goes_through_every_format_and_back(tmp_path: Path) -> None:
    lines = f"{EASY}\n{bundled()['ai-escargot'].puzzle}\n"
    for name in ("csv", "json", "jsonl", "opensudoku", "sdm", "sdk", "ss", "grid", "numbers"):
        target = tmp_path / f"{name}.gz"
        there = genoku("convert", "-", "--to", name, "-o", str(target), stdin=lines)
        assert (there.returncode, "2 puzzles" in there.stderr) == (0, True)
        back = genoku("convert", str(target))
        assert [line[:81] for line in back.stdout.splitlines()] == [
            str(Puzzle.parse(line)) for line in lines.splitlines()
        ]


def test_convert_leaves_out_isomorphs() -> None:
    turned = EASY[::-1]
    done = genoku("convert", "-", "--dedupe", stdin=f"{EASY}\n{turned}\n")
    assert len(done.stdout.splitlines()) == 1
    assert "1" in done.stderr


def test_a_bad_line_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "mixed.txt"
    file.write_text(f"{EASY}\n{EASY[:-1]}x\n{EASY}\n")
    done = genoku("solve", str(file))
    assert done.returncode == 2
    assert done.stdout.splitlines() == [SOLVED, SOLVED]
    assert f"{file}:2: expected a digit from 1 to 9 or a blank at r9c9, got 'x'" in done.stderr
    strict = genoku("solve", str(file), "--strict")
    assert strict.returncode == 2
    assert f"{file}:2" in strict.stderr


def test_a_batch_gives_the_same_on_one_and_two_processes(tmp_path: Path) -> None:
    file = tmp_path / "many.txt"
    assert genoku("generate", "--count", "150", "--seed", "1", "-o", str(file)).returncode == 0
    one = genoku("solve", str(file))
    two = genoku("solve", str(file), "--jobs", "2")
    assert one.stdout == two.stdout
    records = [
        json.loads(line) for line in genoku("solve", str(file), "--jsonl").stdout.splitlines()
    ]
    assert all(record["solved"] for record in records)
    assert len(records) == 150


def test_generate_is_the_same_for_a_seed_and_carries_it() -> None:
    first = genoku("generate", "--count", "2", "--seed", "7")
    assert first.stdout == genoku("generate", "--count", "2", "--seed", "7").stdout
    later = genoku("generate", "--count", "1", "--seed", "7", "--first", "1")
    assert later.stdout == first.stdout.splitlines(keepends=True)[1]
    assert "seed " in genoku("generate").stderr
    assert json.loads(genoku("generate", "--seed", "7", "--to", "jsonl").stdout)["fields"] == {
        "seed": "7",
        "index": "0",
        "verdict": "unique",
    }


def test_a_mask_may_be_named_as_any_puzzle(tmp_path: Path) -> None:
    mask = bundled()["poderosas-easy"].puzzle
    (tmp_path / "mask.txt").write_text(f"{mask}\n")
    named, read = (
        genoku("generate", "--mask", each, "--seed", "1").stdout.strip()
        for each in ("poderosas-easy", str(tmp_path / "mask.txt"))
    )
    assert named == read
    assert [digit == "." for digit in named] == [digit == "." for digit in str(mask)]


def test_generate_makes_sheets_to_print(tmp_path: Path) -> None:
    target = tmp_path / "sheet.pdf"
    done = genoku("generate", "--seed", "1", "--count", "3", "--pdf", str(target), "--title", "x")
    assert done.returncode == 0
    assert target.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("generate", "--givens", "16"), "fewer than 17"),
        (("generate", "--size", "7"), "expected a side such as 4, 6, 8"),
        (("generate", "--share", "lots"), "expected a share such as"),
        (("generate", "--size", "6", "--symmetry", "diagonal"), "square boxes"),
        (("generate", "--mask", "16x16-easy"), "expected 81 cells"),
        (("generate", "--pdf", "no/sheet.pdf"), "--pdf no/sheet.pdf: "),
        (("generate", "--pdf", "x.pdf", "-o", "x.pdf"), "-o and --pdf, got x.pdf"),
        (("solve", "escargot"), "did you mean ai-escargot?"),
        (("solve", "no/such/file.txt"), "no/such/file.txt: "),
        (("solve", "2024.txt"), "2024.txt: "),
        (("solve", "nowhere"), "no file and no bundled puzzle"),
        (("evolve", "long_run"), "genoku evolve --preset simon-long"),
        (("check", "fitness map"), "genoku operators 'fitness map'"),
        (
            ("evolve", "--preset", "poderosas", "--crossover", "single column"),
            'genoku evolve --preset poderosas --set \'crossover={ use = "one-block"',
        ),
        (
            ("evolve", "--preset", "simon", "--crossover", "single point"),
            'use = "points", by = "box"',
        ),
        (("evolve", "--preset", "charles", "--selection", "fps"), "--selection roulette"),
        (("solve", "..53.....8......2.abc"), "cells"),
        (("solv",), "did you mean solve"),
        (("study", "rusume", "x.db"), "did you mean resume?"),
        (("show",), "missing argument"),
        (("solve", "--seed", "x"), "--seed"),
        (("solve", "--preset", "charles", "--set", "elites=1"), "did you mean replacement.elites?"),
        (("solve", "--preset", "tabu", "--set", "tenure=1"), "did you mean algorithm.tenure?"),
        (("solve", "/"), "directory"),
        (("solve", EASY, "--box", "4x4"), "expected 256 cells"),
        (("solve", EASY + "1"), "81 (9×9)"),
        (("solve", "-"), "expected puzzles, got none"),
        (("solve", EASY, "--json", "--jsonl"), "one of --json and --jsonl"),
        (("solve", EASY, "--time-limit", "soon"), "not a valid float"),
        (("solve", EASY, "--time-limit", "nan"), "--time-limit"),
        (("solve", "--box", "1x9"), "at least 2x2"),
        (("check", EASY, "--json", "--jsonl"), "one of --json and --jsonl"),
        (("show", "/"), "directory"),
        (("convert", EASY, "-o", "x.unknown"), "-o x.unknown: expected a "),
        (("dance",), "'dance'"),
    ],
)
def test_bad_input_gets_one_clear_message_and_exit_code_2(
    words: tuple[str, ...], reason: str
) -> None:
    done = genoku(*words)
    assert done.returncode == 2
    assert reason in done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("genoku: ")


def test_of_many_bad_lines_the_first_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_text("no board at all\n" * 50 + EASY)
    for command in ("check", "convert", "rate"):
        done = genoku(command, str(file))
        assert done.returncode == 2
        named = [line for line in done.stderr.splitlines() if line.startswith(f"genoku: {file}:")]
        assert len(named) == MAX_REPORTED
        assert f"and {50 - MAX_REPORTED} messages more" in done.stderr


def test_json_has_an_object_for_a_puzzle_that_is_refused() -> None:
    for words in (("--json",), ("--jsonl",)):
        done = genoku("solve", "poderosas-easy", *words)
        refused = json.loads(done.stdout)
        assert done.returncode == 2
        assert (refused["solved"], refused["solution"]) == (False, None)
        assert len(refused["conflicts"]) == 6
        assert refused["name"] == "poderosas-easy"


def test_writing_where_it_is_not_possible_is_said_plainly(tmp_path: Path) -> None:
    done = genoku("convert", EASY, "-o", str(tmp_path / "missing" / "x.txt"))
    assert done.returncode == 2
    assert "missing" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_leaves_no_traceback() -> None:
    shell = f"{sys.executable} -m genoku generate --count 3000 --seed 1 | head -n 1"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
def test_an_interrupted_generation_keeps_what_is_made_and_says_how_to_go_on(tmp_path: Path) -> None:
    target = tmp_path / "many.txt"
    target.write_text("precious")
    words = ["generate", "--size", "9", "--count", "100000", "--seed", "1", "-o", str(target)]
    process = subprocess.Popen(
        [sys.executable, "-m", "genoku", *words], stderr=subprocess.PIPE, text=True
    )
    while not any(file.stat().st_size for file in tmp_path.iterdir() if file != target):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    made = list(read_puzzles(tmp_path / "many.partial.txt"))
    assert f"--seed 1 --first {len(made)} --count {100_000 - len(made)}" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many.partial.txt", "many.txt"]
    assert target.read_text() == "precious"


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_they_work_for(tmp_path: Path, number: int) -> None:
    mark = f"GENOKU_TEST_MARK={tmp_path.name}-{number}"
    words = ["generate", "--size", "25", "--count", "500", "--jobs", "2", "--seed", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "genoku", *words, "-o", str(tmp_path / "x.txt")],
        env={**os.environ, mark.split("=", maxsplit=1)[0]: mark.split("=")[1]},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + PATIENCE
    # itself, two workers, the server that forks them, and a tracker
    while len(_marked(mark)) < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == (143 if number == signal.SIGTERM else -number)
    if number == signal.SIGTERM:
        assert said == ""  # no tracker complains of what we left behind
    while _marked(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _marked(mark) == []


def _marked(mark: str) -> list[str]:
    """The processes that carry a mark in their environment."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in entry.read_bytes():
                found.append(entry.parent.name)
    return found


def test_boxes_of_another_shape_survive_pipes() -> None:
    made = genoku("generate", "--size", "3x2", "--seed", "1", "--count", "2").stdout
    assert genoku("check", "-", stdin=made).returncode == 0
    solved = genoku("solve", "-", stdin=made).stdout
    assert genoku("check", "-", stdin=solved).returncode == 0


def test_a_wrong_solution_in_a_file_is_found() -> None:
    done = genoku("check", "-", stdin=f"puzzle,solution\n{EASY},{'1' * 81}\n{EASY},{SOLVED}\n")
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if "input:" in line and ":2: " in line]
    assert "input:3" not in done.stderr


def test_a_clashing_puzzle_keeps_its_place_in_a_batch() -> None:
    clashing = str(bundled()["poderosas-easy"].puzzle)
    done = genoku("solve", "-", stdin=f"{EASY}\n{clashing}\n{EASY}\n")
    assert [line[0] for line in done.stdout.splitlines()] == ["5", "#", "5"]
    assert done.returncode == 2


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_closed_streams_leave_no_traceback(closed: str) -> None:
    shell = f"{sys.executable} -m genoku solve - {closed}"
    done = subprocess.run(
        ["bash", "-c", shell], input=EASY, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == (2 if closed == "<&-" else 0)


def test_files_keep_their_letters_in_a_terminal_that_lacks_them() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "genoku", "convert", "-"],
        input=f"{EASY} # Žižek ☃\n".encode(),
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert "Žižek ☃" in done.stdout.decode()


def test_doctor_and_puzzles_speak_json_too() -> None:
    assert "numba" in json.loads(genoku("doctor", "--json").stdout)["core packages"]
    assert {one["name"] for one in json.loads(genoku("puzzles", "--json").stdout)} == set(bundled())
