"""The architecture page: its pictures and tables say what the code does."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from test_house import ORDER, PACKAGE

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGE = (DOCS / "architecture.md").read_text("utf-8")


def _drawing() -> Any:
    """The script that draws the pictures, as a module."""
    spec = importlib.util.spec_from_file_location("dataflow", DOCS / "figures" / "dataflow.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["dataflow"] = module
    spec.loader.exec_module(module)
    return module


DRAWING = _drawing()
ARROWS = [
    pytest.param(picture, arrow, id=f"{arrow.start} to {arrow.end}")
    for picture in DRAWING.PICTURES
    for arrow in picture.arrows
    if picture.box(arrow.start).modules and picture.box(arrow.end).modules
]


def sources(module: str) -> list[Path]:
    """The files of a module: one, or those of a folder."""
    place = PACKAGE.joinpath(*module.split("."))
    return sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]


@cache
def used(path: Path) -> frozenset[str]:
    """What a file names after its imports: `genoku.x.name` for what is imported, or `a.b`."""
    return used_in(path.read_text("utf-8"))


def used_in(text: str) -> frozenset[str]:
    tree = ast.parse(text)
    homes: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            homes |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            root, dot, rest = ast.unparse(node).partition(".")
            names.add(f"{homes.get(root, root)}{dot}{rest}")
    return frozenset(names)


def belongs(name: str, modules: tuple[str, ...]) -> bool:
    """Whether a dotted name lies in one of some modules."""
    return any(f"{name}.".startswith(f"genoku.{module}.") for module in modules)


def defines(modules: tuple[str, ...], method: str) -> bool:
    """Whether one of some modules has a function or method of that name."""
    trees = (ast.parse(path.read_text("utf-8")) for each in modules for path in sources(each))
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == method
        for tree in trees
        for node in ast.walk(tree)
    )


@pytest.mark.parametrize("picture", DRAWING.PICTURES, ids=lambda picture: picture.name)
def test_every_module_of_a_picture_exists(picture: Any) -> None:
    modules = [module for box in picture.boxes for module in box.modules]
    assert len(modules) > 10
    missing = [each for each in modules if not all(path.exists() for path in sources(each))]
    assert not missing
    assert {module.partition(".")[0] for module in modules} <= set(ORDER)


@pytest.mark.parametrize(("picture", "arrow"), ARROWS)
def test_every_arrow_is_an_import_or_a_call_between_its_ends(picture: Any, arrow: Any) -> None:
    ends = picture.box(arrow.start).modules, picture.box(arrow.end).modules
    file, _, name = arrow.seen.partition(": ")
    path = PACKAGE / f"{file}.py"
    own = "genoku." + file.removesuffix("/__init__").replace("/", ".")
    (other,) = (end for end in ends if not belongs(own, end))
    assert any(belongs(own, end) for end in ends)
    assert name in used(path), f"{file} uses no {name}"
    if name.startswith("genoku."):
        assert belongs(name, other)
    else:
        assert defines(other, name.rpartition(".")[2])


def test_evidence_must_be_used_and_not_only_imported_or_said() -> None:
    text = "from genoku.board import Puzzle, Board\nx: Board\ny = 'Puzzle'\nhere.clerks.call(1)\n"
    assert "genoku.board.Board" in used_in(text)
    assert "genoku.board.Puzzle" not in used_in(text)
    assert "here.clerks.call" in used_in(text)


@pytest.mark.parametrize("picture", DRAWING.PICTURES, ids=lambda picture: picture.name)
def test_a_picture_is_the_one_that_is_drawn_from_its_table(picture: Any) -> None:
    drawn = (DOCS / "figures" / f"{picture.name}.svg").read_text("utf-8")
    assert drawn == DRAWING.svg(picture), "python docs/figures/dataflow.py draws it again"
    assert f"figures/{picture.name}.svg" in PAGE
    places = [(box.column, box.row) for box in picture.boxes]
    assert len(set(places)) == len(places)
    named = {end for arrow in picture.arrows for end in (arrow.start, arrow.end)}
    assert named == {box.name for box in picture.boxes}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1:]]


def test_the_table_of_layers_is_the_order_of_the_house() -> None:
    listed = [name for row in rows("Layers") for name in re.findall(r"`(\w+)`", row[1])]
    assert listed == [name for name in ORDER if not name.startswith("__")]


def test_the_table_of_concepts_has_every_module_in_about_that_order() -> None:
    page = (DOCS / "concepts.md").read_text("utf-8").partition("## The modules")[2]
    table = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    listed = [name for cell in table for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(listed) == sorted(name for name in ORDER if not name.startswith("__"))


def test_every_file_that_a_change_goes_to_is_there() -> None:
    cells = [cell for row in rows("Where a change goes") for cell in row[1:]]
    paths = {path for cell in cells for path in re.findall(r"`((?:src|tests|docs)[\w./-]*)`", cell)}
    assert len(paths) > 40
    assert not [path for path in sorted(paths) if not (ROOT / path).exists()]
    for cell in cells:  # what a cell says of a file stands in it
        for name in re.findall(r"`([A-Z_]{5,})`", cell):
            (file,) = re.findall(r"`(src[\w./-]*)`", cell)
            text = "".join(path.read_text("utf-8") for path in _files(ROOT / file))
            assert re.search(rf"^{name}\b", text, re.MULTILINE), name


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("*.py")) if path.is_dir() else [path]
