"""The architecture page: its diagrams and tables name what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import genoku

ROOT = Path(__file__).parents[1]
PACKAGE = Path(genoku.__file__).parent
DOCS = ROOT / "docs"
PAGE = (DOCS / "architecture.md").read_text("utf-8")


def test_every_module_of_a_diagram_exists() -> None:
    diagrams = re.findall(r"^```mermaid\nflowchart LR\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    modules = {name for text in diagrams for name in re.findall(r"[a-z_.]+", text)}
    assert len(modules) > 20
    places = {name: PACKAGE.joinpath(*name.split(".")) for name in modules}
    missing = [
        name
        for name, place in places.items()
        if not (place.is_dir() or place.with_suffix(".py").exists())
    ]
    assert not missing


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1:]]


def test_the_table_of_rooms_is_the_contract_of_imports() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract, *_) = settings["tool"]["importlinter"]["contracts"]
    layers = [name for layer in contract["layers"] for name in layer.split(" | ")]
    assert [re.findall(r"`(\w+)`", row[0])[0] for row in rows("Rooms")] == layers
    names = {path.stem for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
    assert {name for name in names if not name.startswith("_")} == set(layers)


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
