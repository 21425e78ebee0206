"""The faults that mutation testing puts into code, and the lists of what is left out."""

from __future__ import annotations

import ast
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

pytest.importorskip("release", reason="only a clone has the checks of a release")

from release.mutation import (
    ACCEPTED,
    AREAS,
    TESTS,
    accepted_changes,
    change_of,
    with_changes,
    without_texts,
)
from release.suite import LEFT_OUT, kernel_tests

ROOT = Path(__file__).parent.parent
SOUND = """
def x_found__mutmut_orig(rows):
    total = 0
    for row in rows:
        total += row
    return total
"""


def function(text: str) -> ast.FunctionDef:
    (found,) = ast.parse(text).body
    assert isinstance(found, ast.FunctionDef)
    return found


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("total = 0", "total = 1"),
        ("total += row", "total -= row"),
        ("for row in rows", "for row in None"),
        ("rows)", "rows=1)"),
    ],
)
def test_a_fault_is_told_by_its_statement_alone(was: str, becomes: str) -> None:
    change = change_of("x_found", function(SOUND), function(SOUND.replace(was, becomes)))
    assert change == f"found: {was.strip(')')} → {becomes.strip(')')}"


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
    sound, mutant = function(f"def orig(x): {was}"), function(f"def mutant(x): {becomes}")
    assert (without_texts(sound) != without_texts(mutant)) == counts


def test_survivors_are_accepted_and_dropped_in_their_file(tmp_path: Path) -> None:
    path = tmp_path / "equivalent.toml"
    text = '# head\n\n[[accepted]]\nfile = "a.py"\nwhy = "so"\nchanges = ["f: 1 → 2", "f: 3 → 4"]\n'
    path.write_text(
        with_changes(text, [("b.py", 'g: "x" → None')], [("a.py", "f: 1 → 2")]), "utf-8"
    )
    assert accepted_changes(path) == {("a.py", "f: 3 → 4"), ("b.py", 'g: "x" → None')}
    assert path.read_text("utf-8").startswith("# head\n")


def test_all_that_is_accepted_has_a_reason_and_is_in_an_area() -> None:
    sources = {str(path.relative_to(ROOT)) for each in AREAS.values() for path in ROOT.glob(each)}
    assert {file for file, _ in accepted_changes(ACCEPTED)} <= sources
    groups = tomllib.loads(ACCEPTED.read_text(encoding="utf-8"))["accepted"]
    assert all(group["why"] for group in groups)
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
