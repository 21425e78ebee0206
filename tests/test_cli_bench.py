"""`python3 run.py bench`: what it prints and writes, what it compares with, and what it refuses.

The sections are small ones of this file, so that nothing here depends on a clock.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from benchmarks import environment
from benchmarks.environment import PeerError, Peers
from benchmarks.results import BEGIN, END
from benchmarks.sections import SECTIONS, Chart, Plan, Say, Section, Table
from genoku.errors import GenokuError

PAGE = f"# Ours\n\n{BEGIN}\nformer\n{END}\n"
SPEED = {"now": 100.0}
"""What the section `engines` measures here."""


def engines(plan: Plan, say: Say) -> list[Table]:
    say("a turn")
    speed = SPEED["now"]
    peers = plan.without if plan.peers is None else plan.peers.versions["deap"]
    chart = Chart("Speeds", "a second", (("one", (("genoku", speed),)),))
    rows = (("genoku", f"{speed:g}"), ("DEAP", peers))
    return [Table("Speeds", ("engine", "speed"), rows, "", chart, {"speed": speed})]


def memory(plan: Plan, say: Say) -> list[Table]:
    return [Table("Memory", ("what", "MB"), (("a run", "80"),), figures={"run": 80.0})]


def interrupted(plan: Plan, say: Say) -> list[Table]:
    raise KeyboardInterrupt


def failing(plan: Plan, say: Say) -> list[Table]:
    raise GenokuError("expected puzzles, got none")


def put(monkeypatch: pytest.MonkeyPatch, **functions: str) -> None:
    """Let sections be functions of this file, and have no others."""
    import_module("benchmarks.command")  # which lists the real ones once, when it is loaded
    for name in list(SECTIONS):
        monkeypatch.delitem(SECTIONS, name)
    for name, function in functions.items():
        made = Section(name, name.title(), "", f"{__name__}:{function}", (1.0, 2.0))
        monkeypatch.setitem(SECTIONS, name, made)


@pytest.fixture
def bench(genoku: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The command with two sections, neither of which has peers."""
    put(monkeypatch, engines="engines", memory="memory")
    return lambda *words: genoku(*words, command=import_module("benchmarks.command").bench)


@pytest.fixture
def with_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Section("engines", "Engines", "", f"{__name__}:engines", (1.0, 2.0), peers=True)
    monkeypatch.setitem(SECTIONS, "engines", made)


def test_all_sections_are_printed_below_the_facts(bench: Any) -> None:
    said = bench("--seed", "7")
    assert said.code == 0
    facts, *sections = said.out.split("\n## ")
    assert facts.startswith("- date: ")
    assert "- seed: 7\n- command: `python3 run.py bench --seed 7`" in facts
    assert [part.split("\n")[0] for part in sections] == ["Engines: `engines`", "Memory: `memory`"]
    assert "| genoku | 100 |" in said.out
    assert said.err.splitlines()[0].startswith("engines")


def test_sections_can_be_named(bench: Any) -> None:
    told = json.loads(bench("memory", "--quick", "--no-peers", "--json").out)
    assert list(told["sections"]) == ["memory"]
    expected = ["memory", "--quick", "--no-peers", "--seed", "1"]
    assert told["facts"]["command"].split()[3:] == expected


def test_files_are_written_in_place_of_printing(bench: Any) -> None:
    said = bench("-o", "bench.md", "--figure", "bench.svg")
    assert said.out == ""
    assert "| a run | 80 |" in Path("bench.md").read_text("utf-8")
    assert "<svg" in Path("bench.svg").read_text("utf-8")


def test_json_has_every_figure_by_its_name(bench: Any) -> None:
    told = json.loads(bench("--json").out)
    assert told["figures"] == {"engines.speed": 100, "memory.run": 80}
    assert told["facts"]["command"] == "python3 run.py bench --seed 1"
    assert told["sections"]["engines"][0]["rows"][0] == ["genoku", "100"]


def test_a_page_gets_the_table_between_its_marks_and_a_figure_beside_it(bench: Any) -> None:
    Path("page.md").write_text(PAGE, "utf-8")
    said = bench("--page", "page.md")
    page = Path("page.md").read_text("utf-8")
    assert page.startswith(f"# Ours\n\n{BEGIN}")
    assert "former" not in page
    assert "](figures/bench.svg)" in page
    assert "\n### Engines" in page  # below the page's own heading
    assert Path("figures/bench.svg").exists()
    assert "wrote page.md" in said.err


# Interrupted, and what fails


def test_ctrl_c_prints_what_is_done_and_leaves_the_page_alone(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, engines="engines", memory="interrupted", kernels="memory")
    Path("page.md").write_text(PAGE, "utf-8")
    said = bench("--page", "page.md", "-o", "bench.md", "--json")
    assert said.code == 130
    assert list(json.loads(said.out)["sections"]) == ["engines"]
    assert set(json.loads(said.out)["missing"]) == {"memory", "kernels"}
    assert "(interrupted)" in Path("bench.md").read_text("utf-8")
    assert Path("page.md").read_text("utf-8") == PAGE


def test_the_table_is_kept_after_every_section(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, engines="engines", memory="looking")
    bench("-o", "bench.md")
    assert "| genoku | 100 |" in SEEN.pop()


SEEN: list[str] = []


def looking(plan: Plan, say: Say) -> list[Table]:
    SEEN.append(Path("bench.md").read_text("utf-8"))
    return []


def test_a_section_that_fails_is_named_and_the_others_are_measured(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, engines="failing", memory="memory")
    said = bench()
    assert said.code == 2
    assert "engines" in said.err
    assert "| a run | 80 |" in said.out


# Peers


def no_peers_wanted(say: Any) -> Peers:
    raise AssertionError("nobody asked for peers")


def test_nothing_is_installed_unless_a_section_compares(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "install_peers", no_peers_wanted)
    assert "left out" in bench().out


@pytest.mark.usefixtures("with_peers")
def test_without_peers_nothing_is_installed(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "install_peers", no_peers_wanted)
    assert "| DEAP | left out |" in bench("engines", "--no-peers").out


def test_peers_are_named_with_their_versions(
    bench: Any, monkeypatch: pytest.MonkeyPatch, with_peers: None
) -> None:
    peers = Peers(Path("python"), {"deap": "1.4", "numpy": "2.3"})
    monkeypatch.setattr(environment, "install_peers", lambda say: peers)
    said = bench("engines")
    assert "deap 1.4" in said.out
    assert "| DEAP | 1.4 |" in said.out


def test_it_goes_on_without_peers_that_cannot_be_installed(
    bench: Any, monkeypatch: pytest.MonkeyPatch, with_peers: None
) -> None:
    def fails(say: Any) -> Peers:
        raise PeerError("-m pip install failed: No matching distribution found for deap")

    monkeypatch.setattr(environment, "install_peers", fails)
    said = bench()
    assert said.code == 0
    assert said.err.count("No matching") == 1
    assert "| DEAP | not installed |" in said.out
    assert "| a run | 80 |" in said.out


# Compared with before


@pytest.fixture
def before(bench: Any) -> None:
    Path("before.json").write_text(bench("--json").out, "utf-8")


@pytest.mark.usefixtures("before")
def test_figures_are_set_beside_those_of_before(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SPEED, "now", 40.0)
    said = bench("-o", "bench.md", "--against", "before.json")
    assert said.code == 0
    assert "| `engines.speed` | 100 | 40 | 0.40 | **outside 1.5×** |" in said.out
    assert "| `memory.run` | 80 | 80 | 1.00 |  |" in said.out
    assert "1 of 2" in said.err
    assert bench("--against", "before.json", "--strict").code == 1
    told = json.loads(bench("--against", "before.json", "--json").out)
    assert told["ratios"] == {"engines.speed": 0.4, "memory.run": 1.0}


@pytest.mark.usefixtures("before")
def test_the_same_figures_are_well_even_strictly(bench: Any) -> None:
    said = bench("--against", "before.json", "--strict")
    assert said.code == 0
    assert "Compared" in said.out


@pytest.mark.usefixtures("before")
def test_a_quick_run_beside_a_full_one_is_pointed_out(bench: Any) -> None:
    assert "quick" in bench("--against", "before.json", "--quick").err


# What is refused, before anything is measured


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "'nothing'"),
        (["--strict"], "--against"),
        (["--puzzles", "nowhere"], "nowhere"),
        (["--seed", "-1"], "-1"),
        (["-o", "."], "-o ."),
        (["-o", "none/bench.md"], "none"),
        (["--figure", "bench.txt"], ".svg"),
        (["-o", "plain.md", "--page", "plain.md"], "--page"),
        (["--page", "none.md"], "none.md"),
        (["--page", "plain.md"], "plain.md"),
        (["--against", "none.json"], "none.json"),
        (
            ["--against", "plain.md"],
            "plain.md",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_at_once(
    bench: Any, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    put(monkeypatch, engines="interrupted")
    Path("plain.md").write_text("no marks", "utf-8")
    ended = bench(*words)
    assert ended.code == 2
    assert said in ended.err
    assert ended.out == ""


def test_genoku_itself_says_where_the_benchmarks_are(genoku: Any) -> None:
    ended = genoku("bench", "engines", "--quick")
    assert (ended.code, ended.out) == (2, "")
    assert "python3 run.py bench" in ended.err
