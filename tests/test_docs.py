"""What the README and the documentation show runs as written."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import genoku

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [*PAGES, *sorted((ROOT / "docs" / "reproductions").glob("*.md"))]  # made by commands
MODULES = [
    info.name
    for info in walk_packages(genoku.__path__, "genoku.")
    if not info.name.endswith("__main__")
]


MADE = {
    "README.md": [
        "sheet.pdf",
        "run.csv",
        "run.svg",
        "run.gif",
        "run.ckpt",
        "unique.sdm",
        "first.html",
    ],
    "laboratory.md": ["first.db", "first.html", "first.csv", "sundy-tuned.toml"],
}
"""What the examples of a page leave behind."""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page: Path) -> None:
    names: dict[str, object] = {}  # a page is read from top to bottom
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_shell_examples_run(page: Path, tmp_path: Path) -> None:
    commands = [
        line
        for block in blocks(page, "sh")
        for line in block.splitlines()
        if line.startswith("genoku ")
    ]
    script = "set -eu\n" + "\n".join(commands)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    missing = [name for name in MADE.get(page.name, ()) if not (tmp_path / name).exists()]
    assert not missing


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_are_true(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_every_public_name_is_what_it_says_whatever_was_imported_before() -> None:
    modules = {
        info.name.removeprefix("genoku.") for info in walk_packages(genoku.__path__, "genoku.")
    }
    assert not modules.intersection(genoku.__all__)  # a module would hide the name
    for name in genoku.__all__:
        assert getattr(genoku, name).__name__ in (name, "NDArray", "ndarray")
