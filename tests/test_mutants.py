"""The faults that mutation testing puts into code, and the lists of what is left out."""

from __future__ import annotations

import ast
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

pytest.importorskip("release", reason="only a clone has the checks of a release")

from release.kernels import LEFT_OUT, kernel_tests
from release.mutants import Mutant, mutants_of
from release.mutation import ACCEPTED, AREAS, accepted_changes

ROOT = Path(__file__).parent.parent
SOUND = '''
"""A module."""
from functools import cache
LIMIT: int = 3

class Box:
    def inside(self, x, low=0):
        """Whether x lies in it."""
        if not low <= x < self.high:
            raise ValueError(f"got {x + 1}")
        return max(x, low)

@cache
def found(rows):
    total = 0
    for row in rows:
        total += row if row else -1
    return total
'''


@pytest.fixture
def mutants(tmp_path: Path) -> list[Mutant]:
    path = tmp_path / "module.py"
    path.write_text(SOUND)
    return mutants_of(path, "module.py")


def test_every_fault_is_one_that_a_person_could_type(mutants: list[Mutant]) -> None:
    assert [mutant.change for mutant in mutants] == [
        "module: LIMIT: int = 3 → LIMIT: int = 4",
        "module: LIMIT: int = 3 → LIMIT: int = 2",
        "module: def inside(self, x, low=0) → def inside(self, x, low=1)",
        "module: def inside(self, x, low=0) → def inside(self, x, low=-1)",
        "Box.inside: if not low <= x < self.high → if low <= x < self.high",
        "Box.inside: if not low <= x < self.high → if not low < x < self.high",
        "Box.inside: if not low <= x < self.high → if not low > x < self.high",
        "Box.inside: if not low <= x < self.high → if not low <= x <= self.high",
        "Box.inside: if not low <= x < self.high → if not low <= x >= self.high",
        "Box.inside: raise ValueError(f'got {x + 1}') → pass",
        "Box.inside: raise ValueError(f'got {x + 1}') → raise ValueError(f'got {x - 1}')",
        "Box.inside: raise ValueError(f'got {x + 1}') → raise ValueError(f'got {x + 2}')",
        "Box.inside: raise ValueError(f'got {x + 1}') → raise ValueError(f'got {x + 0}')",
        "Box.inside: return max(x, low) → return None",
        "found: total = 0 → total = 1",
        "found: total = 0 → total = -1",
        "found: total += row if row else -1 → pass",
        "found: total += row if row else -1 → total -= row if row else -1",
        "found: total += row if row else -1 → total += row if not row else -1",
        "found: total += row if row else -1 → total += row if row else -2",
        "found: total += row if row else -1 → total += row if row else -0",
        "found: return total → return None",
    ]
    assert {mutant.function for mutant in mutants if mutant.cached} == {"found"}


def test_a_mutant_has_its_fault_and_the_next_one_not(mutants: list[Mutant], tmp_path: Path) -> None:
    answers = []
    for mutant in mutants:
        names: dict[str, object] = {}
        exec(mutant.code(tmp_path / "module.py"), names)
        answers.append(names["LIMIT"])
    assert answers == [4, 2] + [3] * (len(mutants) - 2)


def test_all_that_is_accepted_has_a_reason_and_is_in_an_area() -> None:
    sources = {str(path.relative_to(ROOT)) for area in AREAS for path in ROOT.glob(area.sources)}
    assert {file for file, _ in accepted_changes(ACCEPTED)} <= sources
    groups = tomllib.loads(ACCEPTED.read_text(encoding="utf-8"))["accepted"]
    assert all(group["why"] for group in groups)
    assert all(list(ROOT.glob(tests)) for area in AREAS for tests in area.tests)


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
