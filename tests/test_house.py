"""The house: imports point downwards, files stay short, and starting up stays light."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from strategies import in_another_process
from wording import MOST, all_wording, wording_in

import genoku

PACKAGE = Path(genoku.__file__).parent
ROOT = Path(__file__).parent.parent

# From the ground up: a module imports only what stands before it. A folder counts as one.
ORDER = [
    "errors",
    "files",
    "failures",
    "words",
    "toml",
    "geometry",
    "notation",
    "picture",
    "display",
    "board",
    "jit",
    "stream",
    "propagation",
    "sat",
    "exact",
    "isomorph",
    "techniques",
    "rating",
    "workers",
    "generator",
    "formats",
    "sheet",
    "collection",
    "encoding",
    "fitness",
    "problem",
    "selection",
    "crossover",
    "mutation",
    "replacement",
    "adaptation",
    "diversity",
    "state",
    "stopping",
    "algorithms",
    "custom",
    "recipe",
    "preset_library",
    "engine",
    "testing",
    "figures",
    "present",
    "lab",
    "teaching",
    "web",
    "cli",
    "__main__",
    "__init__",
]
SOURCES = sorted(PACKAGE.rglob("*.py"))
HEAVY = {"numba", "scipy", "pysat", "rich"}


def place_of(path: Path) -> str:
    """The name in `ORDER` of a source file."""
    first, *_ = path.relative_to(PACKAGE).with_suffix("").parts
    return first


def imported(tree: ast.AST) -> Iterator[str]:
    """The genoku modules that code imports anywhere, but for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [node.module or ""]
            if node.module == "genoku":
                names = [f"genoku.{alias.name}" for alias in node.names]
        else:
            yield from imported(node)
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("genoku."))


def test_every_module_has_its_place_in_the_order() -> None:
    assert {place_of(path) for path in SOURCES} <= set(ORDER)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_downwards(path: Path) -> None:
    own = place_of(path)
    below = {own, *ORDER[: ORDER.index(own)]}
    names = set(imported(ast.parse(path.read_text(encoding="utf-8"))))
    upwards = {name for name in names if name in ORDER and name not in below}
    assert not upwards


def test_an_import_upwards_would_be_seen_wherever_it_hides() -> None:
    hidden = "def f():\n    from genoku import cli\nif TYPE_CHECKING:\n    import genoku.sheet\n"
    assert list(imported(ast.parse(hidden))) == ["cli"]
    assert list(imported(ast.parse("from genoku.formats.lines import flat"))) == ["formats"]


@pytest.mark.parametrize(
    "program",
    [
        "import genoku",
        "from genoku.board import Puzzle; Puzzle.parse('1...' * 4).picture()",
        "import genoku.formats",
    ],
)
def test_starting_up_imports_nothing_heavy(program: str) -> None:
    loaded = in_another_process(f"{program}; import sys; print(*sys.modules)").split()
    assert "genoku" in loaded
    assert not HEAVY & set(loaded)


def test_few_tests_assert_how_a_sentence_goes() -> None:
    assert len(all_wording()) <= MOST
    sentence = "assert said == 'expected a digit, got a blank'\nassert code == 'no solution'\n"
    assert list(wording_in(ast.parse(sentence))) == [1]
