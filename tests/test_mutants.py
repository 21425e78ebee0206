"""The faults that mutation testing puts into code, and the lists of what is left out."""

from __future__ import annotations

import ast
import json
from fnmatch import fnmatch
from pathlib import Path

import pytest

pytest.importorskip("release", reason="only a clone has the checks of a release")

from release.judging import CheckError
from release.mutation import (
    ACCEPTED,
    AREAS,
    KINDS,
    NEW,
    TESTS,
    accepted_survivors,
    judge,
    kind_of,
    with_survivors,
    without_texts,
)
from release.suite import LEFT_OUT, kernel_tests

ROOT = Path(__file__).parent.parent


def function(text: str) -> ast.FunctionDef:
    (found,) = ast.parse(text).body
    assert isinstance(found, ast.FunctionDef)
    return found


@pytest.mark.parametrize(
    ("kind", "was", "becomes"),
    [
        ("argument", "f(x, y)", "f(y)"),
        ("argument", "f(x, y)", "f(x, None)"),
        ("argument", "f(x, key=y)", "f(x, key=None)"),
        ("argument", "f(f(x, y), x)", "f(f(x), x)"),
        ("argument", "dict(x=y)", "dict(xXX=y)"),
        ("assignment", "x = y + 1", "x = None"),
        ("assignment", "x: int = y", "x: int = None"),
        ("assignment", "x = None", "x = ''"),
        ("assignment", "x += 1", "x = 1"),
        ("assignment", "f(lambda: x)", "f(lambda: None)"),
        ("comparison", "f(x < y)", "f(x <= y)"),
        ("comparison", "x in y", "x not in y"),
        ("condition", "x if y else 0", "x if (y) and False else 0"),
        ("condition", "x if x or y else 0", "x if (x or y) or True else 0"),
        ("name", "x.lower()", "x.upper()"),
        ("name", "deepcopy(x)", "copy(x)"),
        ("number", "x = 1", "x = 2"),
        ("number", "f(x, 1.5)", "f(x, 2.5)"),
        ("number", "x[-1]", "x[-2]"),
        ("operator", "x += 1", "x -= 1"),
        ("operator", "x * 2 + y", "x / 2 + y"),
        ("operator", "x * y ** 2", "x * y * 2"),
        ("operator", "-x ** y", "-x * y"),
        ("operator", "x and y and 0", "x and y or 0"),
        ("operator", "0 if x and y else 1", "0 if x or y else 1"),
        ("operator", "f(not x)", "f(x)"),
        ("string", "f('left')", "f('LEFT')"),
        ("truth", "f(x, strict=True)", "f(x, strict=False)"),
    ],
)
def test_a_fault_is_told_by_its_kind(kind: str, was: str, becomes: str) -> None:
    sound, changed = (
        function(f"def f(x, y):\n    {line}\n    return x") for line in (was, becomes)
    )
    assert kind_of(sound, changed) == kind
    assert kind in KINDS


@pytest.mark.parametrize(
    ("kind", "was", "becomes"),
    [
        ("number", "def f(x=1): return x", "def f(x=2): return x"),
        ("truth", "def f(*, x=True): return x", "def f(*, x=False): return x"),
        ("jump", "def f(x):\n  for _ in x: continue", "def f(x):\n  for _ in x: break"),
        (
            "case",
            "def f(x):\n  match x:\n    case 1: pass\n    case _: pass",
            "def f(x):\n  match x:\n    case 1: pass",
        ),
    ],
)
def test_defaults_jumps_and_cases_have_a_kind_too(kind: str, was: str, becomes: str) -> None:
    assert kind_of(function(was), function(becomes)) == kind
    assert kind in KINDS


@pytest.mark.parametrize(
    ("was", "becomes", "counts"),
    [
        ("f(x, 'the x')", "f(x, 'THE X')", False),
        ("f(x, 'the x')", "f(x, None)", False),
        ("f(x, 'the x')", "f(x)", False),
        ("f(x, 'the x')", "f(None, 'the x')", True),
        ("f(x, note='the x')", "f(x, note='XXthe xXX')", False),
        ("f(x, note='the x')", "f(x, note=None)", True),
        ("note = 'all equal'", "note = None", True),
        ("f(x, 'left')", "f(x, 'LEFT')", True),
        ("f(x, 'left')", "f(x, None)", True),
    ],
)
def test_a_fault_counts_unless_it_changes_only_texts_for_people(
    was: str, becomes: str, counts: bool
) -> None:
    sound, mutant = function(f"def f(x): {was}"), function(f"def f(x): {becomes}")
    assert (without_texts(sound) != without_texts(mutant)) == counts


MUTANTS = """
def x_total__mutmut_orig(rows):
    return sum(rows, 0)

def x_total__mutmut_1(rows):
    return sum(rows, None)

def x_total__mutmut_2(rows):
    return sum(rows)

def x_total__mutmut_3(rows):
    return sum(rows, 1)
"""
SPLIT = MUTANTS.replace("sum(rows", "sum(  # of all rows\n        rows").replace("\n\n", "\n\n\n")
KILLED, SURVIVED, UNTRIED = 1, 0, None


def judged(
    folder: Path, codes: list[int | None], *, source: str = MUTANTS, accept: bool = False
) -> str:
    """Judge the mutants of `total`, each of which ended with a code."""
    for area in AREAS.values():
        path = folder / "mutants" / area
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
        ours = codes if area == AREAS["fitness"] else []
        ended = {f"a.x_total__mutmut_{i}": code for i, code in enumerate(ours, start=1)}
        path.with_name(f"{path.name}.meta").write_text(json.dumps({"exit_code_by_key": ended}))
    return judge(folder, accept=accept)


@pytest.fixture
def accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that accepts two survivors."""
    path = tmp_path / "equivalent.toml"
    path.write_text('# head\n\n[fitness]\n"total: argument" = [2, "0 is the default"]\n', "utf-8")
    monkeypatch.setattr("release.mutation.ACCEPTED", path)
    return path


@pytest.mark.usefixtures("accepted")
@pytest.mark.parametrize("source", [MUTANTS, SPLIT])
def test_survivors_stay_accepted_when_a_function_is_reformatted(
    tmp_path: Path, source: str
) -> None:
    said = judged(tmp_path, [SURVIVED, SURVIVED, KILLED], source=source)
    assert said == (
        "fitness: 1 of 3 found (33.3 %), 0 of them by time, 2 accepted as equivalent, "
        "0 new survivors"
    )


@pytest.mark.usefixtures("accepted")
def test_survivors_of_a_kind_that_nobody_accepted_fail_and_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CheckError, match="2 accepted as equivalent, 1 new survivors"):
        judged(tmp_path, [SURVIVED, SURVIVED, SURVIVED])
    assert capsys.readouterr().out.splitlines() == [
        "fitness total: number (1 survived, 0 accepted)",
        "a.x_total__mutmut_3",
        "-     return sum(rows, 0)",
        "+     return sum(rows, 1)",
    ]


def test_more_survivors_than_accepted_fail_and_all_are_shown(
    accepted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accepted.write_text(accepted.read_text("utf-8").replace("2", "1"), "utf-8")
    with pytest.raises(CheckError, match="1 accepted as equivalent, 1 new survivors"):
        judged(tmp_path, [SURVIVED, SURVIVED, KILLED])
    shown = capsys.readouterr().out
    assert "fitness total: argument (2 survived, 1 accepted)" in shown
    assert "x_total__mutmut_1" in shown
    assert "x_total__mutmut_2" in shown


@pytest.mark.usefixtures("accepted")
def test_fewer_survivors_than_accepted_are_told_if_all_were_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judged(tmp_path, [SURVIVED, KILLED, KILLED]).endswith("; 1 numbers to be lowered")
    assert capsys.readouterr().out == "fitness total: argument (1 survived, 2 accepted)\n"
    assert judged(tmp_path, [SURVIVED, UNTRIED, KILLED]).endswith("0 new survivors")


def test_the_numbers_that_survive_are_written_on_demand(accepted: Path, tmp_path: Path) -> None:
    judged(tmp_path, [SURVIVED, KILLED, SURVIVED], accept=True)
    assert accepted_survivors(accepted.read_text("utf-8")) == {
        ("fitness", "total: argument"): (1, "0 is the default"),
        ("fitness", "total: number"): (1, NEW),
    }
    assert accepted.read_text("utf-8").startswith("# head\n")

    judged(tmp_path, [SURVIVED, SURVIVED, KILLED], accept=True)
    assert accepted_survivors(accepted.read_text("utf-8")) == {
        ("fitness", "total: argument"): (2, f"0 is the default; {NEW}"),
    }


def test_all_that_is_accepted_has_a_reason_a_kind_and_a_function() -> None:
    text = ACCEPTED.read_text("utf-8")
    assert with_survivors(text, {}) == text
    for (area, name), (number, why) in accepted_survivors(text).items():
        function, _, kind = name.partition(": ")
        assert function in functions(ROOT / AREAS[area]), name
        assert kind in KINDS, name
        assert number > 0, name
        assert why, name


def functions(path: Path) -> set[str]:
    """The functions of a file, and its methods after the names of their classes."""
    body = ast.parse(path.read_text("utf-8")).body
    pairs = [("", body), *((f"{n.name}.", n.body) for n in body if isinstance(n, ast.ClassDef))]
    return {
        f"{before}{node.name}"
        for before, nodes in pairs
        for node in nodes
        if isinstance(node, ast.FunctionDef)
    }


def test_every_area_has_tests() -> None:
    assert all(list(ROOT.glob(f"tests/test_{each}.py")) for each in TESTS)


def test_all_that_is_left_out_exists_and_the_rest_is_run() -> None:
    names = {path.name for path in (ROOT / "tests").glob("test_*.py")}
    for pattern, reason in LEFT_OUT["files"].items():
        assert reason
        assert any(fnmatch(name, pattern) for name in names), pattern
    for check in ("nojit", "bounds"):
        for test in LEFT_OUT[check]:
            file, _, function = test.partition("[")[0].partition("::")
            tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
            assert function in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, test
            assert file in kernel_tests()
    assert "tests/test_fitness.py" in kernel_tests()
    assert "tests/test_house.py" not in kernel_tests()
