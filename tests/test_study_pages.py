"""Pages that show study files: the files are good, the commands below them run, the answers are so.

A block of TOML that begins with `# NAME.toml` is a file; lines of text blocks that begin with
`genoku ` are commands, in the folder of these files.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from genoku.lab import Store
from genoku.lab.report import report
from genoku.runtime.jit import JIT_IS_ON

DOCS = Path(__file__).parents[1] / "docs"
FILE = re.compile(r"^```toml\n# (?P<name>[\w.-]+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
TEXT = re.compile(r"^```text\n(.*?)^```", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not JIT_IS_ON, reason="studies take long where nothing is compiled")


def write_files(page: str, folder: Path) -> None:
    files = list(FILE.finditer((DOCS / page).read_text("utf-8")))
    assert files
    for file in files:
        (folder / file["name"]).write_text(file["text"], encoding="utf-8")


def commands(page: str) -> list[list[str]]:
    """What is to be typed; a scheduler that the page only imagines is not there."""
    lines = "".join(TEXT.findall((DOCS / page).read_text("utf-8"))).splitlines()
    typed = [line for line in lines if line.startswith("genoku ") and "tcp://" not in line]
    return [shlex.split(line, comments=True)[1:] for line in typed]


def quick(words: list[str]) -> list[str]:
    """The same in one process and without trying runs first, which changes no result."""
    if "--jobs" in words:
        place = words.index("--jobs") + 1
        return [*words[:place], "1", *words[place + 1 :]]
    return [*words, *{"run": ["--jobs", "1"], "plan": ["--no-pilot"]}.get(words[1], [])]


def summary(path: Path) -> str:
    """What the report of a store begins with."""
    with Store.open(path) as store:
        return " ".join(" ".join(map(str, report(store).sections[0].parts)).split())


@pytest.mark.parametrize("page", ["quickstart.md", "experiments.md", "clusters.md"])
def test_the_files_and_commands_of_a_page_work(page: str, genoku: Any, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    assert commands(page)
    for words in commands(page):
        if words[0] == "report":  # without drawing it, which takes longest and is tested elsewhere
            told = summary(tmp_path / words[1])
            assert all(sentence in told for sentence in quotes(page))
        else:
            said = genoku(*quick(words))
            assert said.code == 0, said.err


def quotes(page: str) -> list[str]:
    """What a page quotes of a report, paragraph by paragraph, up to where it breaks off."""
    text = (DOCS / page).read_text("utf-8")
    quoted = "\n".join(re.findall(r"^> ?(.*)$", text, re.MULTILINE))
    parts = re.split(r"\n\n| …|\n(?=- )", quoted)
    return [" ".join(part.split()) for part in parts]


@pytest.mark.release
@pytest.mark.parametrize(
    ("generate", "seeds", "solved"), [(8, 10, ("21", "24")), (40, 4, ("45", "34"))]
)
def test_the_study_that_decides_nothing_does_so_as_told(
    generate: int, seeds: int, solved: tuple[str, str], genoku: Any, tmp_path: Path
) -> None:
    write_files("experiments.md", tmp_path)
    path = tmp_path / "twins.toml"
    text = path.read_text("utf-8").replace("generate = 8", f"generate = {generate}")
    path.write_text(text.replace("seeds = 10", f"seeds = {seeds}"), encoding="utf-8")
    done = genoku("study", "run", "twins.toml")
    rows = re.findall(r"diversity=\S+ +(\d+) +(\d+) ", done.out)
    assert [row[1] for row in rows] == list(solved)
    assert {int(row[0]) for row in rows} == {generate * seeds}
    told = summary(tmp_path / "twins.db")
    assert "no difference is significant" in told or "nothing can be told apart" in told
    assert "does better" not in told
