"""Speed beside another commit: the statistics, turns, what is refused, and a real pair of sides."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from benchmarks import commits, engines, speed
from benchmarks.commits import CommitError, Side, Source, find_source, prepare
from benchmarks.environment import PeerError
from benchmarks.ratios import CONFIDENCE, FEWEST, MARGIN, Ratio, ends_left_out, order_of_turns
from benchmarks.speed import PROGRAM, REFERENCE, ROWS, Command, Comparison, Search, Timer, Turn
from genoku import build
from genoku.puzzle.board import Puzzle

HERE = Side("this tree", "abc", Path(sys.executable), {})
THERE = replace(HERE, name="there", about="def")
SMALL = Search("small", "a small run", speed.search_job(["1" + "." * 15], "sundy", "generations=2"))
REASON = "no such command"
PRINTING = Command("print", "a command", ("-c", "print(open('a.txt').read())"), 1, "hello")


# Ratios


@pytest.mark.parametrize("count", range(FEWEST, 40))
def test_an_interval_is_the_shortest_that_covers_the_median_often_enough(count: int) -> None:
    def coverage(left_out: int) -> float:
        # How many of `count` values lie below the median is binomial.
        below = np.array([1.0])
        for _ in range(count):
            below = np.convolve(below, [0.5, 0.5])
        return float(below[left_out + 1 : count - left_out].sum())

    found = ends_left_out(count)
    assert coverage(found) >= CONFIDENCE
    assert coverage(found + 1) < CONFIDENCE


def test_fewer_values_have_no_interval() -> None:
    with pytest.raises(ValueError, match=str(FEWEST)):
        Ratio.of([1.0] * (FEWEST - 1))


def test_the_interval_covers_the_median_of_skewed_ratios() -> None:
    rng = np.random.default_rng(1)
    drawn = [Ratio.of(each) for each in rng.lognormal(0, 0.5, (2_000, 12)).tolist()]
    covered = sum(ratio.low <= 1 <= ratio.high for ratio in drawn) / len(drawn)
    assert covered > CONFIDENCE - 0.01


def test_an_outlier_does_not_move_a_ratio() -> None:
    calm = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 0.99, 1.0]
    disturbed = Ratio.of([*calm[:-1], 9.0])
    assert disturbed.median == pytest.approx(median(calm), abs=0.01)
    assert disturbed.high < 1.03


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.04, 1.2, "slower"),
        (1 + MARGIN, 1.2, ""),
        (0.5, 1.2, ""),
        (0.98, 1.02, ""),
        (0.5, 1 / (1 + MARGIN), ""),
        (0.5, 0.96, "faster"),
    ],
)
def test_a_ratio_is_marked_if_all_of_its_interval_is_far(
    low: float, high: float, verdict: str
) -> None:
    assert Ratio((low + high) / 2, low, high).verdict == verdict


@pytest.mark.parametrize("turns", [1, 2, 3, 6])
def test_both_sides_have_as_many_turns_and_begin_in_turn(turns: int) -> None:
    orders = [order_of_turns(number, turns) for number in range(4)]
    for order in orders:
        assert order.count(0) == order.count(1) == turns
        assert all(order[i] != order[i + 1] for i in range(0, 2 * turns, 2))
    assert [order[0] for order in orders] == [0, 1, 0, 1]


def test_steady_drift_weighs_the_same_on_both() -> None:
    order = order_of_turns(0, 2)
    places = [[place for place, side in enumerate(order) if side == which] for which in (0, 1)]
    assert sum(places[0]) == sum(places[1])


# Rounds


def turns_from(seconds: tuple[list[float], list[float]], results: str = "aa") -> Any:
    """Return a function that gives the turns of two sides, one after the other."""
    left = [iter(each) for each in seconds]
    return lambda which: Turn(next(left[which]), results[which])


def test_the_quickest_turn_of_a_round_counts() -> None:
    comparison = Comparison(replace(SMALL, turns=3))
    comparison.add(0, turns_from(([3.0, 1.0, 9.0], [2.0, 8.0, 4.0])))
    assert comparison.rounds == [(1.0, 2.0)]
    assert comparison.same


def test_other_results_are_noticed_and_stay_so() -> None:
    comparison = Comparison(replace(SMALL, turns=1))
    for results in ("aa", "ab", "aa"):
        comparison.add(0, turns_from(([1.0], [1.0]), results))
    assert not comparison.same
    assert len(comparison.rounds) == 3


def test_a_row_that_fails_in_between_is_not_compared() -> None:
    comparison = Comparison(SMALL)
    comparison.add(0, lambda which: Turn(missing="ended" if which else ""))
    assert comparison.ratio is None
    assert "ended" in comparison.missing
    assert comparison.as_json()["ratio"] is None


# What is timed


def test_the_reference_is_that_of_the_engines() -> None:
    assert build(REFERENCE) == engines.REFERENCE


@pytest.mark.parametrize("side", [9, 16, 25])
def test_the_boards_of_the_engines_have_no_solution(side: int) -> None:
    puzzle = Puzzle.parse(speed.unsolvable(side))
    assert puzzle.geometry.side == side
    assert puzzle.conflicts()


def test_the_rows_are_named_for_their_keys() -> None:
    assert [row.name for row in ROWS.values()] == list(ROWS)
    assert all(row.turns >= 2 for row in ROWS.values())


def test_the_program_of_both_sides_requires_only_what_every_commit_has() -> None:
    tree = ast.parse(PROGRAM.read_text("utf-8"))
    asked = {
        (node.module, *(alias.name for alias in node.names))
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module not in {"__future__", "typing"}
    }
    assert asked == {("genoku", "run")}
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported <= sys.stdlib_module_names


# A side: this Python, which has genoku installed


def test_a_process_makes_the_runs_of_rows_and_says_what_it_cannot_make() -> None:
    unknown = replace(SMALL, job=speed.search_job(["1" + "." * 15], "no-such-preset", "steps=1"))
    strange = replace(SMALL, job={**SMALL.job, "unknown": 1})
    with Timer(HERE) as timer:
        first, again = timer.take_turn(SMALL), timer.take_turn(SMALL)
        other = timer.take_turn(replace(SMALL, job={**SMALL.job, "seeds": [7]}))
        failed = [timer.take_turn(each).missing for each in (unknown, strange)]
        assert timer.take_turn(SMALL).result == first.result  # the next turn is unaffected
        timer.process.kill()
        ended = timer.take_turn(SMALL)
    assert first.seconds > 0
    assert first.result == again.result != other.result
    assert "no-such-preset" in failed[0]
    assert failed[1].startswith("TypeError")
    assert ended.missing
    assert timer.process.returncode


def test_a_command_runs_in_a_folder_of_its_own_and_must_print_what_is_expected() -> None:
    written = replace(PRINTING, files={"a.txt": "hello"})
    assert speed.run_command(written, HERE).seconds > 0
    assert speed.run_command(replace(written, expected="goodbye"), HERE).missing
    assert "FileNotFoundError" in speed.run_command(PRINTING, HERE).missing


def test_rows_that_a_side_cannot_make_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[str, int]] = []

    def fake(sides: list[Side], chosen: list[Any]) -> Any:
        @contextmanager
        def turns() -> Iterator[Any]:
            def take_turn(row: Any, which: int) -> Turn:
                taken.append((row.name, which))
                return Turn(missing=REASON if row.name == "new" and which else "")

            yield take_turn

        return turns()

    monkeypatch.setattr(speed, "turns_of", fake)
    new, old = (replace(PRINTING, name=name, turns=1) for name in ("new", "old"))
    said: list[str] = []
    monkeypatch.setattr(Comparison, "add", lambda self, number, take_turn: take_turn(number % 2))
    found = speed.compare([HERE, THERE], [new, old], 2, said.append)
    assert REASON in found[0].missing
    assert not found[1].missing
    assert taken == [("new", 0), ("new", 1), ("old", 0), ("old", 1), ("old", 0), ("old", 1)]
    assert len(said) == 1 + 2


# The command


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with two commits and a change that is not committed."""
    if shutil.which("git") is None:
        pytest.skip("git was not found here")
    folder = tmp_path / "clone"
    (folder / "src").mkdir(parents=True)
    git = ("git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.invalid")
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    for text in ("one", "two"):
        (folder / "src" / "a.py").write_text(text)
        (folder / "pyproject.toml").write_text("[project]")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", text], check=True)
    (folder / "src" / "a.py").write_text("three")
    (folder / "src" / "new.py").write_text("new")
    monkeypatch.setattr(commits, "ROOT", folder)
    monkeypatch.setattr(commits, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def compared(clone: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Comparison]:
    """Let the command find two rows whose times are invented."""
    found = {
        name: Comparison(ROWS[name], [(times, 0.1)] * 6)
        for name, times in (("genetic-9", 0.2), ("import", 0.1))
    }

    def compare(sides: Any, chosen: list[Any], rounds: int, watch: Any) -> list[Comparison]:
        watch("round 1 of 6: genetic-9")
        return [found[row.name] for row in chosen]

    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setattr(speed, "compare", compare)
    monkeypatch.setattr(speed, "prepare", lambda source, say: replace(HERE, name=source.name))
    return found


@pytest.fixture
def bench(genoku: Any, compared: Any) -> Any:
    return lambda *words: genoku(*words, command=speed.speed)


def test_a_table_names_both_sides_and_marks_what_is_slower(bench: Any) -> None:
    said = bench("genetic-9", "import", "--beside", "HEAD")
    assert said.code == 0
    lines = [line for line in said.out.splitlines() if line.startswith("|")]
    assert "HEAD (" in lines[0]
    assert "2.000" in lines[2]
    assert "**slower**" in lines[2]
    assert "**" not in lines[3]


def test_json_has_every_round(bench: Any, compared: dict[str, Comparison]) -> None:
    compared["import"].same = False
    told = json.loads(bench("genetic-9", "import", "--json").out)
    first, second = told["rows"]
    assert first["ratio"] == {"median": 2.0, "low": 2.0, "high": 2.0}
    assert (first["verdict"], second["verdict"]) == ("slower", "")
    assert (first["same_results"], second["same_results"]) == (True, False)
    assert first["seconds"] == [[0.2, 0.1]] * 6
    assert {"CPU", "Python", "numpy", "numba", "this tree", "beside"} <= set(told["facts"])


def test_a_row_that_is_missing_there_has_its_reason(
    bench: Any, compared: dict[str, Comparison]
) -> None:
    compared["import"].missing = f"not there: {REASON}"
    assert REASON in bench("genetic-9", "import").out


def test_the_table_can_go_into_a_file(bench: Any) -> None:
    said = bench("import", "-o", "speed.md")
    assert (said.code, said.out) == (0, "")
    assert "| import |" in Path("speed.md").read_text("utf-8")


@pytest.mark.parametrize(("limit", "code"), [("1.5", 1), ("2.5", 0)])
def test_the_exit_code_is_1_only_if_a_limit_is_given_and_passed(
    bench: Any, limit: str, code: int
) -> None:
    said = bench("genetic-9", "import", "--fail-above", limit)
    assert said.code == code
    assert ("genetic-9" in said.err.splitlines()[-1]) == bool(code)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["nothing"], "'nothing'"),
        (["--rounds", "5"], "5"),
        (["--fail-above", "0"], "0"),
        (["--beside", "no-such-commit"], "'no-such-commit'"),
        (["--beside", "-x"], "'-x'"),
        (["--beside", ""], "clone"),
        (["--beside", "."], "clone"),
        (["-o", "none/speed.md"], "none"),
        (["-o", "speed.json"], "speed.json"),
    ],
)
def test_what_cannot_be_done_is_refused_at_once(bench: Any, words: list[str], named: str) -> None:
    said = bench(*words)
    assert (said.code, said.out) == (2, "")
    assert named in said.err


def test_without_compiled_kernels_nothing_is_compared(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert bench("import").code == 2


def test_ctrl_c_ends_it_with_130(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(speed, "compare", pressed)
    said = bench("import")
    assert (said.code, said.out) == (130, "")


def test_clean_removes_every_environment(bench: Any) -> None:
    Path("cache/abc").mkdir(parents=True)
    assert bench("--clean").code == 0
    assert not Path("cache/abc").exists()
    assert bench("--clean").code == 0


# Commits and their environments


@pytest.mark.parametrize("name", ["HEAD~1", "main~1"])
def test_a_commit_has_many_names(clone: Path, name: str) -> None:
    source = find_source(name)
    assert source.commit is not None
    assert source.name.startswith(name)
    assert source.key == source.commit[:16]
    assert "one" in source.about
    assert find_source(source.commit[:10]).name == source.commit[:10]


def test_a_folder_with_a_clone_is_taken_as_it_is_now(clone: Path) -> None:
    source, ours = find_source("clone"), commits.this_tree()
    assert source.commit is ours.commit is None
    assert source.key == ours.key
    assert "not committed" in source.about


def test_what_is_no_clone_is_refused(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (clone.parent / "plain").mkdir()
    with pytest.raises(CommitError, match="plain"):
        find_source("plain")
    monkeypatch.setattr(commits, "ROOT", clone / "src")  # git itself would find the clone above
    with pytest.raises(CommitError, match="src"):
        find_source("HEAD")


def test_without_git_nothing_is_compared(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    for find in (commits.this_tree, lambda: find_source("HEAD")):
        with pytest.raises(CommitError, match="git"):
            find()


@pytest.fixture
def installed(clone: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Install nothing, but note which folders would be installed into."""
    folders: list[Path] = []
    monkeypatch.setattr(commits, "_install", lambda folder, tree: folders.append(folder))
    monkeypatch.setattr(commits, "_same_versions", lambda folder: True)
    return folders


def quiet(_words: str) -> None: ...


def files(source: Source) -> dict[str, str]:
    tree = commits.cache_folder() / source.key / "tree"
    return {path.name: path.read_text() for path in tree.rglob("*.py")}


def test_a_commit_is_installed_once_and_its_files_are_those_of_then(
    installed: list[Path],
) -> None:
    source = find_source("HEAD~1")
    assert prepare(source, quiet) == prepare(source, quiet)
    assert len(installed) == 1
    assert files(source) == {"a.py": "one"}


def test_a_tree_is_installed_once_and_its_files_are_those_of_now(
    clone: Path, installed: list[Path]
) -> None:
    source = commits.this_tree()
    prepare(source, quiet)
    assert files(source) == {"a.py": "three", "new.py": "new"}
    (clone / "src" / "a.py").unlink()
    prepare(source, quiet)
    assert files(source) == {"new.py": "new"}
    assert len(installed) == 1
    (clone / "pyproject.toml").write_text("[project]\nname = 'other'")
    prepare(source, quiet)
    assert len(installed) == 2


def test_an_installation_that_broke_off_is_made_again(
    installed: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = find_source("HEAD")

    reason = "No space left on device"
    for error in (PeerError(reason), OSError(28, reason)):

        def broken(folder: Path, tree: Path, error: Exception = error) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(commits, "_install", broken)
            with pytest.raises(CommitError, match=f"HEAD.*{reason}"):
                prepare(source, quiet)
    prepare(source, quiet)
    assert len(installed) == 1


def test_other_versions_of_packages_install_again(
    installed: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = find_source("HEAD")
    prepare(source, quiet)
    monkeypatch.setattr(commits, "_same_versions", lambda folder: False)
    prepare(source, quiet)
    assert len(installed) == 2


def test_versions_are_compared_with_those_of_this_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def versions(site: str | None = None) -> dict[str, str]:
        return {"numpy": "2.4", "ruff": "1.0"} if site is None else there

    monkeypatch.setattr(commits, "_versions", versions)
    there = {"numpy": "2.4", "six": "1.0"}
    assert commits._same_versions(tmp_path)
    there = {"numpy": "2.3"}
    assert not commits._same_versions(tmp_path)


def test_a_second_comparison_waits_for_the_first(clone: Path) -> None:
    pytest.importorskip("fcntl")
    waits, ended = threading.Event(), threading.Event()

    def second() -> None:
        with commits.locked(lambda _words: waits.set()):
            ended.set()

    with commits.locked(quiet):
        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(60)
        assert not ended.is_set()
    thread.join(60)
    assert ended.is_set()


@pytest.mark.release
def test_a_commit_is_really_installed_and_does_the_same_as_its_tree(
    genoku: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (commits.ROOT / ".git").exists():
        pytest.skip("this is no clone")
    monkeypatch.setattr(commits, "cache_folder", lambda: tmp_path / "cache")
    rounds = str(FEWEST)
    said = genoku("genetic-9", "import", "--rounds", rounds, "--json", command=speed.speed)
    assert said.code == 0
    for row in json.loads(said.out)["rows"]:
        assert row["same_results"]
        assert row["missing"] == ""
        assert len(row["seconds"]) == FEWEST
