"""The benchmark: fair turns, peers that do the same, pages, figures, and what came before."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks import engines, environment
from benchmarks.__main__ import BENCHMARKS
from benchmarks.environment import PROGRAMS, PeerError, Peers, install_peers, package_names
from benchmarks.figure import figure_of, write_figure
from benchmarks.measuring import Spread, in_turns, machine
from benchmarks.results import (
    BEGIN,
    END,
    Change,
    Results,
    changes,
    comparison,
    former,
    markdown,
    with_results,
)
from benchmarks.sections import SECTIONS, Chart, Plan, Section, Table, TimeLeft, run_sections
from genoku.errors import GenokuError

ROOT = Path(__file__).parents[1]
ALONE = Plan(quick=True, seed=1, puzzles=None, peers=None)
TABLE = Table(
    "Speeds",
    ("engine", "speed"),
    (("genoku", "7.5 M"), ("other", "not installed")),
    legend="In *turns*.",
    chart=Chart("Speeds", "a second", (("one", (("genoku", 7.5e6), ("other", 4e4))),), log=True),
    figures={"genoku.speed": 7.5e6},
)
FACTS = {"date": "2026-01-02", "CPU": "a processor", "seed": "1", "command": "python3 run.py bench"}


# Measuring


def test_everybody_has_as_many_turns_and_another_begins_each_time() -> None:
    asked: list[tuple[str, int]] = []

    def turn_of(name: str, turn: int) -> str:
        asked.append((name, turn))
        return f"{name}{turn}"

    came = list(in_turns({name: partial(turn_of, name) for name in "abc"}, 2))
    assert asked == [("a", 0), ("b", 0), ("c", 0), ("b", 1), ("c", 1), ("a", 1)]
    assert came[3] == ("b", 1, "b1")


def test_a_spread_is_the_median_and_the_middle_half() -> None:
    assert Spread.of([5]) == Spread(5, 5, 5, 1)
    assert Spread.of([1, 2, 3, 4, 100]) == Spread(3, 2, 4, 5)


def test_the_facts_name_the_date_the_processor_and_the_versions() -> None:
    facts = machine()
    assert set(facts) >= {"date", "CPU", "cores", "Python", "genoku", "numpy", "numba"}
    assert all(facts.values())


# Sections, one after another


def section(name: str, function: str = "made") -> Section:
    return Section(name, name.title(), "a line", f"{__name__}:{function}", (10.0, 100.0))


def made(plan: Plan, say: Any) -> list[Table]:
    say("half done")
    return [TABLE]


def refused(plan: Plan, say: Any) -> list[Table]:
    raise GenokuError("absent")


def pressed(plan: Plan, say: Any) -> list[Table]:
    raise KeyboardInterrupt


def test_sections_end_one_by_one_and_one_that_fails_does_not_stop_the_next() -> None:
    said: list[tuple[str, str]] = []
    chosen = [section("one"), section("two", "refused"), section("three")]
    ended = list(run_sections(chosen, ALONE, lambda of, words: said.append((of.name, words))))
    assert [each.missing for each in ended] == ["", "absent", ""]
    assert ended[0].tables == ended[2].tables == (TABLE,)
    assert said == [
        *(("one", ""), ("one", "half done")),
        ("two", ""),
        *(("three", ""), ("three", "half done")),
    ]


def test_ctrl_c_keeps_what_is_done_and_names_what_is_not() -> None:
    results = Results(FACTS, quick=True)
    for each in run_sections(
        [section("engines"), section("memory", "pressed"), section("kernels")],
        ALONE,
        lambda of, words: None,
    ):
        results = results.adding(each)
    assert results.interrupted
    assert list(results.tables) == ["engines"]
    assert results.missing == {"memory": "interrupted", "kernels": "interrupted"}


def test_the_time_left_follows_the_pace_so_far() -> None:
    now = [0.0]
    chosen = [section("one"), section("two"), section("three")]
    left = TimeLeft(chosen, quick=True, clock=lambda: now[0])
    left.begin(chosen[0])
    assert left.seconds() == 30
    now[0] = 30  # three times what it should have been
    left.begin(chosen[1])
    assert 30 < left.seconds() < 60
    now[0] = 1000
    assert left.seconds() > 0  # the last one is still to come


def test_every_section_can_be_loaded_and_says_what_it_takes() -> None:
    for each in SECTIONS.values():
        assert callable(each.measure)
        assert 0 < each.takes[0] <= each.takes[1]


# Pages


def results(**others: Any) -> Results:
    return replace(Results(FACTS, quick=False, tables={"engines": (TABLE,)}), **others)


def test_the_page_begins_with_the_facts_and_has_every_table_with_its_legend() -> None:
    page = markdown(results())
    assert page.startswith("- date: 2026-01-02\n- CPU: a processor\n")
    assert "- command: `python3 run.py bench`" in page
    assert "| genoku | 7.5 M |" in page
    assert "|---|---:|" in page
    assert page.index("### Speeds") < page.index("| genoku") < page.index("In *turns*.")
    assert "quick" not in page


def test_the_page_says_that_it_is_quick_and_what_is_missing() -> None:
    page = markdown(results(quick=True, missing={"memory": "interrupted"}))
    assert "A quick run" in page
    assert "memory (interrupted)" in page


def test_only_what_is_between_the_marks_is_rewritten() -> None:
    page = f"# Ours\n\n{BEGIN}\nold\n{END}\n\nand more\n"
    new = with_results(page, "new\n", "page.md")
    assert new.startswith(f"# Ours\n\n{BEGIN}\n\nnew\n")
    assert new.endswith(f"{END}\n\nand more\n")
    assert "old" not in new
    assert with_results(new, "new\n", "page.md") == new


@pytest.mark.parametrize("page", ["", BEGIN, END, f"{END}\n{BEGIN}"])
def test_a_page_without_its_marks_is_refused(page: str) -> None:
    with pytest.raises(GenokuError):
        with_results(page, "new", "page.md")


def test_the_documentation_has_a_place_for_the_table_and_names_all_that_is_measured() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    with_results(page, "", "docs/benchmarks.md")
    assert all(f"| `{name}` |" in page for name in (*SECTIONS, *BENCHMARKS))
    for name in BENCHMARKS:
        assert (ROOT / "benchmarks" / f"{name}.py").exists()


# The figure

NUMBERS = Chart("By side", "moves a second", (("a", ((4, 2.0), (36, 9.0))), ("b", ((4, 1.0),))))


def test_every_chart_is_a_panel_with_its_values() -> None:
    assert TABLE.chart
    speeds, sides = figure_of([TABLE.chart, NUMBERS]).axes
    assert [text.get_text() for text in speeds.get_yticklabels()] == ["genoku", "other"]
    assert {text.get_text() for text in speeds.texts} == {"7.5 M", "40 k"}
    assert (speeds.get_xscale(), speeds.get_xlabel()) == ("log", "a second")
    assert [text.get_text() for text in sides.get_xticklabels()] == ["4", "36"]
    legend: Any = sides.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]
    assert sides.get_ylim()[0] == 0


def test_bars_begin_at_nought() -> None:
    bars = Chart("Start", "ms", (("one", (("import", 20.0), ("help", 60.0))),))
    (axes,) = figure_of([bars]).axes
    patches: Any = axes.patches  # rectangles, which its types do not say
    assert [patch.get_width() for patch in patches] == [20, 60]
    assert axes.get_xlim()[0] == 0


def test_the_same_charts_give_the_same_file_on_white(tmp_path: Path) -> None:
    assert TABLE.chart
    for name in ("one.svg", "two.svg"):
        write_figure([TABLE.chart, NUMBERS], tmp_path / name)
    one, two = ((tmp_path / name).read_text() for name in ("one.svg", "two.svg"))
    assert one == two
    assert "fill: #ffffff" in one


def test_no_charts_are_an_empty_figure(tmp_path: Path) -> None:
    write_figure([], tmp_path / "none.png")
    assert (tmp_path / "none.png").stat().st_size


# What came before


@pytest.mark.parametrize(
    ("old", "new", "far"),
    [
        (10, 14.9, False),
        (10, 15.1, True),
        (10, 6.7, False),
        (10, 6.6, True),
        (0, 0, False),
        (0, 1, True),
        (1, 0, True),
    ],
)
def test_figures_are_far_apart_beyond_a_factor_of_one_and_a_half(
    old: float, new: float, far: bool
) -> None:
    assert Change("key", old, new).is_far is far


def test_figures_that_both_have_are_compared() -> None:
    found = changes({"a": 2.0, "gone": 1.0}, {"new": 1.0, "a": 4.0})
    assert found == [Change("a", 2.0, 4.0)]
    assert "| `a` | 2 | 4 | 2.00 | **outside 1.5×** |" in comparison(found, "then")


def test_what_is_printed_as_json_can_be_compared_with(tmp_path: Path) -> None:
    path = tmp_path / "before.json"
    path.write_text(json.dumps(results().as_json()))
    then = former(path)
    assert then.figures == {"engines.genoku.speed": 7.5e6}
    assert then.facts == FACTS


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"figures": {"a": "b"}}', '{"figures": [1]}'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(GenokuError, match="got no"):
        former(tmp_path / "other.json")


def test_a_section_that_gives_a_figure_twice_would_hide_one() -> None:
    twice = results(tables={"engines": (TABLE, TABLE)})
    with pytest.raises(AssertionError, match="Speeds"):
        _ = twice.figures


# The peers' environment


class Commands:
    """Stands for the programs that are started: notes them, and fails where it is told to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.failing: dict[str, BaseException] = {}

    def __call__(self, command: list[str], said: str = "", *, timeout: float = 0) -> str:
        what = next((word for word in command if word in ("venv", "pip", "-c")), "")
        self.said.append(what)
        if what in self.failing:
            raise self.failing[what]
        if what == "venv":
            python = environment.python_of(self.folder)
            python.parent.mkdir(parents=True, exist_ok=True)
            python.touch()
        return json.dumps(dict.fromkeys(package_names(), "1.0"))


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Commands:
    stub = Commands(tmp_path / "peers")
    monkeypatch.setattr(environment, "_folder", lambda: stub.folder)
    monkeypatch.setattr(environment, "run_program", stub)
    return stub


def quiet(_said: str) -> None:
    pass


def test_peers_are_installed_once(commands: Commands) -> None:
    assert install_peers(quiet).versions["deap"] == "1.0"
    assert install_peers(quiet).python == environment.python_of(commands.folder)
    assert commands.said == ["venv", "pip", "-c", "-c"]


def test_peers_are_installed_again_when_the_list_of_them_changes(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_peers(quiet)
    (tmp_path / "other.txt").write_text("deap==0.1\n")
    monkeypatch.setattr(environment, "REQUIREMENTS", tmp_path / "other.txt")
    assert list(install_peers(quiet).versions) == ["deap"]
    assert commands.said.count("pip") == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt(), PeerError("no network")])
def test_an_installation_that_did_not_end_is_done_again(
    commands: Commands, error: BaseException
) -> None:
    commands.failing["pip"] = error
    with pytest.raises(type(error)):
        install_peers(quiet)
    commands.failing.clear()
    install_peers(quiet)
    assert commands.said == ["venv", "pip", "venv", "pip", "-c"]


def test_the_list_of_peers_names_those_that_are_compared() -> None:
    assert {engine.package for engine in engines.ENGINES} <= set(package_names())


def test_a_peer_answers_a_job_or_its_last_words_are_the_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(environment, "PROGRAMS", tmp_path)
    (tmp_path / "peer.py").write_text(
        "import json, os, sys\njob = json.load(sys.stdin)\n"
        "print(json.dumps({'twice': 2 * job['n'], 'threads': os.environ['OMP_NUM_THREADS']}))\n"
    )
    peers = Peers(Path(sys.executable), {})
    assert peers.ask("peer.py", {"n": 21}) == {"twice": 42, "threads": "1"}
    with pytest.raises(PeerError, match="KeyError"):
        peers.ask("peer.py", {})
    (tmp_path / "chatty.py").write_text("print('hello')")
    with pytest.raises(PeerError, match="JSON"):
        peers.ask("chatty.py", {})
    with pytest.raises(PeerError):
        Peers(tmp_path / "none", {}).ask("peer.py", {})


@pytest.mark.parametrize(
    ("said", "most"),
    [
        ("", "it said nothing"),
        ("WARNING: old\nall is lost", "all is lost"),
        ("ERROR: no such version\nERROR: no match", "no such version"),
        ("ERROR: Exception:\nTraceback\n  a.BadError: no table", "a.BadError: no table"),
        ("  ValueError: first\n  OSError: no file\nhint: see above", "OSError: no file"),
    ],
)
def test_a_failed_installation_is_told_in_one_line(said: str, most: str) -> None:
    assert environment._last_words(said) == most


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.name)
def test_peers_do_not_need_genoku(path: Path) -> None:
    modules = [*_imported(ast.parse(path.read_text("utf-8")))]
    assert not [module for module in modules if module.partition(".")[0] == "genoku"]


def _imported(tree: ast.AST) -> Iterator[str]:
    """The modules that code imports, anywhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
