"""What the README and the documentation show runs as written."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from urllib.request import Request, urlopen

import pytest
from browsing import Server
from commands import run_line

import genoku

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [*PAGES, *sorted((ROOT / "docs" / "reproductions").glob("*.md"))]  # made by commands
MODULES = [
    info.name
    for info in walk_packages(genoku.__path__, "genoku.")
    if not info.name.endswith("__main__")
]


SERVE = "genoku serve"

MADE = {
    "README.md": ["sheet.pdf", "puzzles.csv", "run.csv", "run.svg", "run.gif", "first.html"],
    "engine.md": ["run.ckpt"],
    "formats.md": ["unique.sdm", "board.svg", "unique.pdf"],
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
        exec(compile(code, str(page), "exec", dont_inherit=True), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_shell_examples_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "sh"):
        for line in block.splitlines():
            if line.startswith("genoku ") and not line.startswith(SERVE):
                run_line(line, tmp_path)
    missing = [name for name in MADE.get(page.name, ()) if not (tmp_path / name).exists()]
    assert not missing


def served() -> list[list[str]]:
    """The words of every server that is shown, without the comments."""
    lines = (line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines())
    return [shlex.split(line, comments=True)[2:] for line in lines if line.startswith(SERVE)]


@pytest.mark.parametrize("words", served(), ids=" ".join)
def test_the_servers_that_are_shown_serve(words: list[str], tmp_path: Path) -> None:
    server = Server(tmp_path / "kept", *words)  # on a port that is free, and without a browser
    try:
        asked = Request(f"http://127.0.0.1:{server.port}/api/status")
        if "--token" in words:
            asked.add_header("Authorization", f"Bearer {words[words.index('--token') + 1]}")
        with urlopen(asked) as answer:
            assert json.load(answer)["version"] == genoku.__version__
    finally:
        assert server.stop() == 0


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl found")
def test_the_requests_that_are_shown_are_answered(tmp_path: Path) -> None:
    lines = [line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines()]
    requests = [line for line in lines if line.startswith("curl ")]
    assert requests
    server = Server(tmp_path / "kept")
    try:
        for line in requests:
            words = shlex.split(line.replace("http://127.0.0.1:8000", server.url))
            done = subprocess.run(
                [*words, "-fsS"], capture_output=True, text=True, check=False, timeout=120
            )
            assert done.returncode == 0, (line, done.stderr)
            assert json.loads(done.stdout) is not None
    finally:
        server.stop()


def test_every_screenshot_is_made_by_the_command_and_shown() -> None:
    listing = [sys.executable, str(ROOT / "benchmarks"), "screenshots", "--list"]
    made = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split()
    folder = ROOT / "docs" / "screenshots"
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.png" for name in made)
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"screenshots/([\w-]+)\.png", page.read_text())
    }
    assert shown == set(made)
    assert all(path.stat().st_size <= 200_000 for path in folder.iterdir())


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
