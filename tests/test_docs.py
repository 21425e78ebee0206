"""What the README and the documentation show runs as written."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any
from urllib.request import Request, urlopen

import pytest
from browsing import Server
from commands import run_line
from patience import PATIENCE

import genoku
from benchmarks.screenshots import SHOTS
from genoku.cli.serve import serve

ROOT = Path(__file__).parents[1]
MADE_PAGES = ("reproductions", "words", "operators")  # by commands
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [
    *PAGES,
    *(page for folder in MADE_PAGES for page in sorted((ROOT / "docs" / folder).glob("*.md"))),
]
MODULES = [
    info.name
    for info in walk_packages(genoku.__path__, "genoku.")
    if not info.name.endswith("__main__")
]


MADE = {
    "README.md": [
        *("sheet.pdf", "puzzles.csv", "run.csv", "run.svg", "run.gif"),
        *("first.db", "first.html"),
    ],
    "engine.md": ["run.ckpt"],
    "formats.md": ["unique.sdm", "board.svg", "unique.pdf"],
    "laboratory.md": ["first.csv", "sundy-tuned.toml"],
}
"""What the examples of a page leave behind, and those of no page before it."""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page: Path) -> None:
    names: dict[str, object] = {}  # a page is read from top to bottom
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec", dont_inherit=True), names)


def lines(page: Path, program: str) -> list[str]:
    """The lines of a page's shell examples that call a program."""
    shown = (line for block in blocks(page, "sh") for line in block.splitlines())
    return [line for line in shown if line.startswith(f"{program} ")]


def is_server(line: str) -> bool:
    return line.startswith("genoku serve")


def keep_two_seeds(study: Path) -> None:
    """Shorten the example study: eight of its ten seeds are more of the same."""
    text = study.read_text("utf-8")
    assert text.count("\nseeds = 10 ") == 1
    study.write_text(text.replace("\nseeds = 10 ", "\nseeds = 2 "), "utf-8")


def test_the_shell_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pages share a folder, in which a command that several of them show runs once.

    So what such a command reads must be the same on all of them.
    """
    monkeypatch.chdir(tmp_path)
    done: set[tuple[str, ...]] = set()
    for page in PAGES:
        for line in lines(page, "genoku"):
            words = tuple(shlex.split(line, comments=True))
            if words in done or is_server(line):
                continue
            run_line(line, tmp_path)
            done.add(words)
            if words[:3] == ("genoku", "study", "new"):
                keep_two_seeds(tmp_path / words[3])
        missing = [name for name in MADE.get(page.name, ()) if not (tmp_path / name).exists()]
        assert not missing, page.name


def served() -> list[list[str]]:
    """The options of the servers that are shown: once, if they differ in port and browser alone.

    A test's server has a port that is free, and no browser.
    """
    found: dict[str, list[str]] = {}
    for line in filter(is_server, (line for page in PAGES for line in lines(page, "genoku"))):
        words = shlex.split(line, comments=True)[2:]
        options = serve.make_context("serve", list(words)).params  # refuses what it does not know
        kept = {name: options[name] for name in options if name not in ("port", "no_browser")}
        found.setdefault(repr(sorted(kept.items())), words)
    return list(found.values())


@pytest.fixture(scope="module")
def plain_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`genoku serve` without options."""
    server = Server(tmp_path_factory.mktemp("plain") / "kept")
    yield server
    assert server.stop() == 0


def test_the_server_that_is_shown_first_serves(plain_server: Server) -> None:
    assert served()[0] == []
    assert status(plain_server)["version"] == genoku.__version__


@pytest.mark.parametrize("words", served()[1:], ids=" ".join)
def test_the_other_servers_that_are_shown_serve(words: list[str], tmp_path: Path) -> None:
    server = Server(tmp_path / "kept", *words)
    try:
        token = words[words.index("--token") + 1] if "--token" in words else ""
        assert status(server, token)["version"] == genoku.__version__
    finally:
        assert server.stop() == 0


def status(server: Server, token: str = "") -> Any:
    """What a server says of itself."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with urlopen(Request(f"http://127.0.0.1:{server.port}/api/status", headers=headers)) as answer:
        return json.load(answer)


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl found")
def test_the_requests_that_are_shown_are_answered(plain_server: Server) -> None:
    requests = [line for page in PAGES for line in lines(page, "curl")]
    assert requests
    for line in requests:
        words = shlex.split(line.replace("http://127.0.0.1:8000", plain_server.url))
        done = subprocess.run(
            [*words, "-fsS"], capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        assert done.returncode == 0, (line, done.stderr)
        assert json.loads(done.stdout) is not None


def test_every_screenshot_is_made_by_the_command_and_shown() -> None:
    folder = ROOT / "docs" / "screenshots"
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.png" for name in SHOTS)
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"screenshots/([\w-]+)\.png", page.read_text())
    }
    assert shown == set(SHOTS)
    assert all(path.stat().st_size <= 200_000 for path in folder.iterdir())


@pytest.mark.parametrize("page", LINKED, ids=lambda page: f"{page.parent.name}/{page.name}")
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
