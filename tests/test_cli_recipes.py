"""Recipes on the command line: whose fault is whose, and what a changed one is called."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from evolving import QUICK

from genoku.engine.result import name_in_sentence

SHORT = (*QUICK, "--until", "generations=2")


@pytest.mark.parametrize(
    ("text", "words", "reason"),
    [
        ("recipe = 5", (), "genoku: r.toml: expected the name of a part (algorithm)"),
        ("use = 5", (), "genoku: r.toml: expected the name of a part (algorithm)"),
        ("use = 5", ("--set", "population=9"), "genoku: r.toml: expected the name of a part"),
        ('use = "genetic"\nselection = 3', (), "genoku: r.toml: selection: expected the name"),
        (
            'use = "genetic"\nencoding = "permuted-boxes"\ncrossover = "row-tails"',
            (),
            "genoku: r.toml: crossover: row-tails",
        ),
        ('until = "soon"\nrecipe = "genetic"', (), "genoku: r.toml: in 'soon': expected limits"),
        ('use = "genetic"', ("--set", "population=0"), "genoku: r.toml, changed: population: "),
        ('use = "genetic"', ("--set", "pop=0"), "r.toml, changed: pop=0: genetic has no 'pop'"),
        (
            'use = "genetic"',
            ("--set", 'crossover={ use = "points", by = "row"'),
            'crossover={ use = "points", by = "row": expected TOML after the =: Unclosed inline',
        ),
    ],
)
def test_what_is_wrong_with_a_recipe_names_its_file_or_the_setting(
    text: str, words: tuple[str, ...], reason: str, genoku: Any, tmp_path: Path
) -> None:
    (tmp_path / "r.toml").write_text(text)
    for command in ("solve", "evolve"):
        refused = genoku(command, "--recipe", "r.toml", *words)
        assert refused.code == 2
        assert reason in refused.err


def test_a_recipe_may_begin_with_a_byte_order_mark(genoku: Any, tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_bytes(b'\xef\xbb\xbfuse = "genetic"\npopulation = 20\n')
    done = genoku("solve", "--recipe", "r.toml", "--until", "steps=1", "--json")
    assert json.loads(done.out)["recipe"]["population"] == 20


def test_a_changed_preset_is_called_so(genoku: Any) -> None:
    changed = genoku("evolve", *SHORT, "--plot", "p.svg")
    assert "charles, changed" in changed.err
    assert "charles, changed" in _texts("p.svg")
    same = genoku("evolve", "--preset", "charles", "--set", "population=1500", *SHORT[4:])
    assert "charles" in same.err
    assert "changed" not in same.err
    record = json.loads(genoku("solve", *SHORT, "--json").out)
    assert (record["preset"], record["settings"]) == ("charles", ["population=40"])
    plain = json.loads(genoku("solve", "--preset", "charles", *SHORT[4:], "--json").out)
    assert (plain["preset"], plain["settings"]) == ("charles", [])
    assert name_in_sentence("charles") == "charles"


def _texts(path: str) -> str:
    """What is written in a picture."""
    return " ".join(re.findall(r"<text[^>]*>(.*?)</text>", Path(path).read_text("utf-8")))


def test_whole_numbers_may_be_typed_as_any_number(genoku: Any) -> None:
    words = ("solve", "--preset", "charles", "--set", "population=2e1", "--until", "steps=1")
    assert json.loads(genoku(*words, "--json").out)["recipe"]["population"] == 20
