"""The examples run as they are, and the pages on parts of one's own show them as they are."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from genoku.evolve.recipe import describe
from genoku.lab import read_study
from genoku.runtime.jit import JIT_IS_ON

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = {"own_encoding": "own-encodings.md", "own_algorithm": "own-algorithms.md"}


@pytest.mark.skipif(not JIT_IS_ON, reason="whole runs take minutes where nothing is compiled")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """As a script, but in this process, which has imported and compiled most of it already."""
    monkeypatch.chdir(tmp_path)
    run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize(("name", "page"), PAGES.items())
def test_a_page_shows_the_code_of_its_example(name: str, page: str) -> None:
    code = (ROOT / "examples" / f"{name}.py").read_text("utf-8")
    shown = (ROOT / "docs" / page).read_text("utf-8")
    lines = code.splitlines()
    parts = [
        node for node in ast.parse(code).body if isinstance(node, ast.ClassDef | ast.FunctionDef)
    ]
    assert any(isinstance(part, ast.ClassDef) for part in parts)
    for part in parts:
        if part.name == "main":
            continue
        first = min(each.lineno for each in (part, *part.decorator_list)) - 1
        assert "\n".join(lines[first : part.end_lineno]) in shown, part.name


@pytest.fixture
def beside(genoku: Any, tmp_path: Path) -> Any:
    """The command line, in a folder where the examples lie."""
    for example in EXAMPLES:
        shutil.copy(example, tmp_path)
    return genoku


@pytest.mark.skipif(not JIT_IS_ON, reason="whole runs take minutes where nothing is compiled")
@pytest.mark.parametrize("page", PAGES.values())
def test_the_commands_of_a_page_work_where_its_example_lies(
    page: str, beside: Any, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    for recipe in re.findall(r"^```toml\n(use = .*?)^```", text, re.DOTALL | re.MULTILINE):
        (tmp_path / "late.toml").write_text(recipe, encoding="utf-8")
    (block,) = re.findall(r"^```text\n(genoku .*?)^```", text, re.DOTALL | re.MULTILINE)
    for command in block.splitlines():
        said = beside(*shlex.split(command)[1:])
        assert said.code in (0, 1), said.err


def test_a_study_may_vary_the_parameters_of_an_encoding_of_ones_own(
    beside: Any, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "own-encodings.md").read_text("utf-8")
    (file,) = re.findall(r"^```toml\n(question = .*?)^```", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "rounds.toml").write_text(file, encoding="utf-8")
    study = read_study(tmp_path / "rounds.toml", trust=True)
    encodings = [arm.recipe["encoding"] for arm in study.arms]
    use = "own_encoding:ReasonedBoxes"
    assert encodings == [{"use": use, "rounds": rounds} for rounds in (0, 5, 10, 20)]
    for arm in study.arms:
        assert describe(arm.algorithm()) == arm.recipe
