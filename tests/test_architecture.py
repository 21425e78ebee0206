"""The architecture page: its diagrams and tables name what there is."""

from __future__ import annotations

import re
from pathlib import Path

from test_house import ORDER, PACKAGE

ROOT = Path(__file__).parents[1]
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
