"""Messages about recipes, limits, times and operators."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from evolving import QUICK, views
from rich.console import Console

from genoku.cli.live import RunDisplay, RunLines
from genoku.engine.result import TimeLeft, effort_text, name_in_sentence
from genoku.evolve.algorithms import Genetic
from genoku.evolve.stopping import Counters, Until
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.text import format_duration, format_limits

SHORT = (*QUICK, "--until", "generations=2")


# --- recipes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words", "reason"),
    [
        ("recipe = 5", (), "genoku: r.toml: expected the name of a part (algorithm)"),
        ("use = 5", (), "genoku: r.toml: expected the name of a part (algorithm)"),
        ("use = 5", ("--set", "population=9"), "genoku: r.toml: expected the name of a part"),
        ('use = "genetic"\nselection = 3', (), "genoku: r.toml: selection: expected the name"),
        ('use = "genetic"\nencoding = "permuted-boxes"', (), "genoku: r.toml: crossover: points"),
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
    refused = genoku("solve", "--recipe", "r.toml", *words)
    assert refused.code == 2
    assert reason in refused.err


def test_a_recipe_may_begin_with_a_byte_order_mark(genoku: Any, tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_bytes(b'\xef\xbb\xbfuse = "genetic"\npopulation = 20\n')
    done = genoku("solve", "--recipe", "r.toml", "--until", "steps=1", "--json")
    assert json.loads(done.out)["recipe"]["population"] == 20


def test_a_changed_preset_is_called_so(genoku: Any) -> None:
    changed = genoku("solve", *SHORT, "--plot", "p.svg")
    assert "charles, changed" in changed.err
    assert "charles, changed" in _texts("p.svg")
    same = genoku("solve", "--preset", "charles", "--set", "population=1500", *SHORT[4:])
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


# --- words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exact", "said"),
    [
        ("seconds=2.52599139700033", "seconds=2.526"),
        ("generations=500 or seconds=0.000123456", "generations=500 or seconds=0.000123"),
        ("cost=3 and seconds=1234567.0004", "cost=3 and seconds=1234567"),
        ("seconds=60", "seconds=60"),
        ("failed", "failed"),
    ],
)
def test_limits_are_said_without_needless_digits(exact: str, said: str) -> None:
    assert format_limits(exact) == said


def test_one_is_no_plural() -> None:
    assert effort_text(Counters(evaluations=1)) == "1 evaluation"
    assert effort_text(Counters(evaluations=2)) == "2 evaluations"
    assert effort_text(Counters(evaluations=1, moves=1200)) == "1,200 moves"


def test_time_left_is_reckoned_from_the_steps_after_the_first() -> None:
    clock = TimeLeft(Until.parse("generations=100 or seconds=1000 or moves=5 or cost=0"))
    for counters in (Counters(), Counters(steps=1, seconds=9.5)):  # the compiler took its time
        clock.observe(counters)
        assert clock.text(counters) == ""
    assert clock.text(Counters(steps=9, seconds=9.6)) == ""
    assert clock.text(Counters(steps=21, seconds=11.5)) == "7.9 s left"
    assert clock.text(Counters(steps=100, seconds=11.5)) == ""
    assert clock.seconds_left(Counters(steps=2, seconds=509.5)) == pytest.approx(490, abs=1)
    by_time = TimeLeft(Until.parse("seconds=40"))
    assert by_time.text(Counters(seconds=10)) == "30 s left"
    assert TimeLeft(Until.parse("cost=3")).text(Counters(steps=5, seconds=9)) == ""


def test_the_first_plain_line_promises_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    algorithm = Genetic(population=6)
    first, *others = views(Puzzle.parse("." * 16), algorithm, 3)
    lines = RunLines(algorithm, Until.parse("generations=1000"))
    for view, seconds in zip((first, *others), (4.0, 8.0, 12.0, 20.0), strict=True):
        lines(view._replace(counters=view.counters._replace(seconds=seconds)))
    said = capsys.readouterr().err.splitlines()
    assert [line.endswith(" left") for line in said] == [False, False, True, True]


@pytest.mark.parametrize("height", [4, 8, 11, 12, 14, 16, 24])
@pytest.mark.parametrize(("box", "width"), [("3x3", 20), ("3x3", 50), ("3x3", 80), ("6x6", 50)])
def test_the_live_view_is_never_higher_than_the_terminal(box: str, width: int, height: int) -> None:
    geometry = Geometry.parse(box)
    algorithm = Genetic(population=6)
    title = "charles, changed, on a puzzle with a rather long name, seed 12345"
    live = RunDisplay(algorithm, Until.parse("generations=4 or seconds=90"), title)
    lines: list[str] = []
    for view in views(Puzzle(geometry, bytes(geometry.cells)), algorithm, 3):
        live(view._replace(counters=view.counters._replace(seconds=view.state.step)))
        console = Console(width=width, height=height, record=True, file=io.StringIO())
        console.print(live.picture(width, height))
        lines = console.export_text().splitlines()
        assert len(lines) < height
        assert max(map(len, lines)) <= width
        assert any("run " in line for line in lines)
    text = "\n".join(lines)
    assert ("errors left" in text) == (height > 4)
    assert ("(log)" in text) == (height >= 16)
    if box == "3x3":
        assert lines[0].startswith("run ") == (height < 7 or (width < 50 and height < 24))


def test_a_time_is_never_sixty_seconds_beside_its_minutes() -> None:
    told = [format_duration(seconds) for seconds in (0.0004, 1.25, 100, 119.4, 119.7, 3599.6)]
    assert " | ".join(told) == "0.4 ms | 1.25 s | 1 min 40 s | 1 min 59 s | 2 min 0 s | 60 min 0 s"


# --- what there is -----------------------------------------------------------------------------


def test_one_operator_is_shown_with_all_there_is_to_say_about_it(genoku: Any) -> None:
    shown = " ".join(genoku("operators", "points").out.split())
    (row,) = json.loads(genoku("operators", "points", "--json").out)
    about = " ".join(row["about"].split())
    assert len(about) > 100
    assert about in shown
    assert about not in " ".join(genoku("operators", "crossover").out.split())
    listed = genoku("operators", "min-conflicts").out
    assert "\n    - ties among " in listed
    assert all(len(line) <= 96 for line in listed.splitlines())
