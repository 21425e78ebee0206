"""`genoku evolve` when something goes wrong: interrupts, files, users' own parts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from evolving import FOUR, QUICK, process
from fulldisk import nearly_full
from patience import PATIENCE
from strategies import in_another_process

from genoku.engine import checkpoint
from genoku.errors import RecipeError
from genoku.evolve.user.errors import blaming_user_code, user_parts
from genoku.puzzle.board import Puzzle
from genoku.runtime.jit import JIT_IS_ON

PAGE = Path(__file__).parents[1] / "docs" / "own-operators.md"
SHORT = (*QUICK, "--until", "generations=2")
on_unix = pytest.mark.skipif(os.name == "nt", reason="needs /dev/full and pipes as on Unix")


# --- files -------------------------------------------------------------------------------------


@on_unix
def test_files_are_written_although_nothing_can_be_printed(tmp_path: Path) -> None:
    words = ("evolve", *SHORT, "--history", "h.csv", "--lineage", "l.csv")
    with Path("/dev/full").open("w") as full:
        done = process(*words, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
        _, err = done.communicate(timeout=PATIENCE)
    assert done.returncode == 2
    assert all((tmp_path / name).stat().st_size for name in ("h.csv", "l.csv"))
    assert "genoku: standard output: " in err
    assert "Traceback" not in err
    assert (tmp_path / "h.csv").read_text().count("\n") == 4
    assert (tmp_path / "l.csv").exists()


@on_unix
def test_files_are_written_although_the_reader_has_gone(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = process(
        *("evolve", *SHORT, "--history", "h.csv"),
        cwd=tmp_path,
        stdout=write,
        stderr=subprocess.PIPE,
    )
    os.close(write)
    _, err = done.communicate(timeout=PATIENCE)
    assert done.returncode == 1
    assert (tmp_path / "h.csv").read_text().count("\n") == 4
    assert "Traceback" not in err


@on_unix
def test_a_file_that_fails_is_named_and_keeps_no_other_from_being_written(
    genoku: Any, tmp_path: Path
) -> None:
    (tmp_path / "p.svg").symlink_to("/dev/full")
    files = ("--history", "/dev/full", "--lineage", "l.csv", "--plot", "p.svg", "--gif", "g.gif")
    done = genoku("evolve", *SHORT, *files)
    assert done.code == 2
    assert Puzzle.parse(done.out).is_full
    assert "--history /dev/full: " in done.err
    assert "--plot p.svg: " in done.err
    assert "wrote l.csv, g.gif\n" in done.err
    assert Path("g.gif").read_bytes().startswith(b"GIF89a")
    early = genoku("evolve", *SHORT, "--save-recipe", "/dev/full")
    assert (early.code, early.out) == (2, "")
    assert early.err == "genoku: --save-recipe /dev/full: No space left on device\n"


@on_unix
def test_a_full_disk_leaves_no_half_of_a_file(genoku: Any, tmp_path: Path) -> None:
    names = {"history": "h.csv", "individuals": "i.csv", "lineage": "l.csv"}
    names |= {"plot": "p.svg", "gif": "g.gif"}
    options = [word for name, path in names.items() for word in (f"--{name}", path)]
    assert genoku("evolve", *SHORT, *options).code in (0, 1)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert {path.name for path in before} == set(names.values())
    assert min(map(len, before.values())) > 50
    with nearly_full(50):
        done = genoku("evolve", *SHORT, *options)
    assert done.code == 2
    for name, path in names.items():
        assert f"--{name} {path}: " in done.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_checkpoint_that_cannot_be_saved_is_named(genoku: Any, monkeypatch: Any) -> None:
    def fail(*_anything: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "save", fail)
    done = genoku("evolve", *SHORT, "--checkpoint", "run.ck")
    assert done.code == 2
    assert "--checkpoint run.ck: " in done.err


def test_ctrl_c_while_files_are_written_still_prints_the_board(
    genoku: Any, monkeypatch: Any
) -> None:
    def interrupted(*_anything: object, **_more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("genoku.present.figures.plot_history", interrupted)
    done = genoku("evolve", *SHORT, "--history", "h.csv", "--plot", "p.svg")
    assert done.code == 130
    assert Puzzle.parse(done.out).is_full
    assert "wrote h.csv\n" in done.err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--resume", "run.ck", "--history", "run.ck"), "--resume and --history, got run"),
        (("--resume", "run.ck", "--gif", "link.gif"), "--resume and --gif, got link.gif"),
        (("--recipe", "r.toml", "--history", "r.toml"), "--recipe and --history"),
        (("--recipe", "r.toml", "--save-recipe", "./r.toml"), "--recipe and --save-rec"),
        (("many.txt", *QUICK, "--lineage", "many.txt"), "PUZZLE and --lineage"),
        (
            (*QUICK, "--until", "steps=2", "--plot", "a.png", "--history", "a.png"),
            "--history and --plot, got a.png",
        ),
        ((*QUICK, "--checkpoint", "/dev/null"), "--checkpoint /dev/null: "),
        ((*QUICK, "--checkpoint", ""), "--checkpoint, got ''"),
        ((*QUICK, "--history", ""), "--history, got ''"),
        (("--recipe", ""), "--recipe, got ''"),
        (("--resume", ""), "--resume, got ''"),
        (("--preset", "", "--recipe", "r.toml"), "one of --preset and --recipe"),
    ],
)
def test_inputs_are_never_written_over_and_no_option_is_ignored(
    words: tuple[str, ...], reason: str, genoku: Any, tmp_path: Path
) -> None:
    if "run.ck" in words:
        genoku("evolve", *SHORT, "--checkpoint", "run.ck")
        (tmp_path / "link.gif").hardlink_to("run.ck")
    (tmp_path / "r.toml").write_text('use = "genetic"\n')
    (tmp_path / "many.txt").write_text(f"{FOUR}\n")
    before = {path: path.read_bytes() for path in sorted(tmp_path.iterdir())}
    refused = genoku("evolve", *words)
    assert (refused.code, refused.out) == (2, "")
    assert reason in refused.err
    assert {path: path.read_bytes() for path in sorted(tmp_path.iterdir())} == before


def test_a_resumed_run_may_go_on_in_the_same_file(genoku: Any) -> None:
    genoku("evolve", *SHORT, "--checkpoint", "run.ck")
    words = ("--resume", "run.ck", "--checkpoint", "run.ck", "--until", "generations=4", "--json")
    assert json.loads(genoku("evolve", *words).out)["steps"] == 4


# --- parts of one's own, and memory ------------------------------------------------------------

BAD_PARTS = """\
def fails(boards, rate, problem, rng):
    raise RuntimeError("mine")
def through_another(boards, rate, problem, rng):
    return fails(boards, rate, problem, rng)
def in_a_library(boards, rate, problem, rng):
    return boards.reshape(7, 3)
def leaves(boards, rate, problem, rng):
    raise SystemExit(3)
def reads(boards, rate, problem, rng):
    return open("nowhere.txt")
def few(boards):
    return boards
def nothing(boards, rate, problem, rng):
    return None
class Never:
    def __init__(self, strength: int = 1):
        raise LookupError("no way")
    def __call__(self, boards, rate, problem, rng):
        return boards
class Late:
    def __call__(self, boards, rate, problem, rng):
        return {}["x"]
"""


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("bad:fails", "mutation bad:fails failed: RuntimeError: mine (bad.py:2)"),
        ("bad:through_another", "mutation bad:through_another failed: RuntimeError: mine (bad.py:"),
        ("bad:in_a_library", "mutation bad:in_a_library failed: ValueError: cannot reshape"),
        ("bad:leaves", "mutation bad:leaves failed: SystemExit: 3 (bad.py:8)"),
        ("bad:reads", "mutation bad:reads failed: FileNotFoundError: [Errno 2]"),
        ("bad:Never", "mutation bad:Never failed: LookupError: no way (bad.py:17)"),
        ("bad:Late", "mutation bad:Late failed: KeyError: 'x' (bad.py:22)"),
        ("bad:few", "mutation: expected bad:few(boards, rate, problem, rng), got bad:few(boards)"),
        ("bad:nothing", "nothing"),  # whoever notices it first
        ("os:system", "mutation: expected a part of your own, got 'os:system'"),
        ("quits:x", "mutation: quits cannot be imported: SystemExit: bye"),
    ],
)
def test_a_part_of_ones_own_that_fails_is_one_line_with_its_place(
    part: str, said: str, genoku: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "bad.py").write_text(BAD_PARTS)
    (tmp_path / "quits.py").write_text('raise SystemExit("bye")\n')
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for module in ("bad", "quits"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    done = genoku("evolve", FOUR, *SHORT, "--set", f"mutation={part}", "--json")
    assert (done.code, done.out) == (2, "")
    (line,) = [line for line in done.err.splitlines() if line.startswith("genoku: ")]
    assert said in line


@pytest.mark.skipif(not JIT_IS_ON, reason="nothing is compiled here")
def test_what_compiled_lines_raise_has_a_place_too(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "from genoku.evolve.user.operators import board_mutation\n"
        "@board_mutation\n"
        "def sulk(board, blanks, rng):\n"
        "    if board[0] > 0:\n"
        "        raise ValueError('sulking')\n"
    )
    running = process(
        *("evolve", FOUR, *SHORT, "--set", "mutation=bad:sulk"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    _, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    assert all(each in err for each in ("bad:sulk", "ValueError: sulking", "bad.py:5"))


def test_errors_of_ours_keep_their_traceback_and_their_names() -> None:
    ours = {"use": "genetic", "mutation": "swap"}
    with pytest.raises(ZeroDivisionError), blaming_user_code(ours):
        raise ZeroDivisionError
    with pytest.raises(RecipeError, match=r"^as is$"), blaming_user_code({"use": "a:b"}):
        raise RecipeError("as is")
    with pytest.raises(KeyboardInterrupt), blaming_user_code({"use": "a:b"}):
        raise KeyboardInterrupt
    recipe = {"use": "a:B", "mutation": {"use": "one-of", "parts": ["swap", {"use": "c.d:e"}]}}
    assert [str(part).split()[1] for part in user_parts(recipe)] == ["a:B", "c.d:e"]


@pytest.mark.parametrize("population", [10**11, 2**62])
def test_more_boards_than_memory_can_hold_are_one_line(population: int, genoku: Any) -> None:
    done = genoku("evolve", "--preset", "charles", "--set", f"population={population}")
    assert done.code == 2
    assert "genoku: out of memory" in done.err


def test_ctrl_c_while_the_command_line_loads_is_one_word() -> None:
    program = (
        "import sys\n"
        "class Hit:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Hit())\n"
        "from genoku.__main__ import main\n"
        "main(['--version'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
    loaded = in_another_process("import sys, genoku.cli; print(*sys.modules)").split()
    assert "genoku.cli" in loaded
    assert not {"click", "pathlib", "genoku.cli.main"} & set(loaded)


# --- the page on operators of one's own --------------------------------------------------------


def test_the_file_and_the_commands_of_the_page_on_own_operators_work(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    (file,) = re.findall(r"^```python\n(# my_operators\.py\n.*?)^```", page, re.DOTALL | re.M)
    (tmp_path / "my_operators.py").write_text(file, encoding="utf-8")
    after = page[page.index(file) + len(file) :]
    block = re.search(r"^```\n(.*?)^```", after[4:], re.DOTALL | re.M)
    assert block is not None
    commands = block[1].splitlines()
    assert [command.split()[0] for command in commands] == ["python", "genoku", "genoku"]
    folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode in ((0,) if command.startswith("python") else (0, 1)), done.stderr
        assert "Traceback" not in done.stderr
        if command.startswith("genoku"):
            assert "by simon-puzzle, changed" in done.stderr
