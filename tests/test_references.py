"""Every part has a source and, where DEAP has it, a name there that exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from genoku.evolve import parts as module
from genoku.evolve.parts import catalogue, references, works
from genoku.evolve.presets import presets
from genoku.evolve.recipe import CATALOG

PARTS = [(kind, name) for kind, parts in CATALOG.items() for name in parts]
TEXT = Path(module.__file__).with_name("references.toml").read_text("utf-8")
TABLES: dict[str, Any] = tomllib.loads(TEXT)
WORKS = works()
DATA = Path(__file__).parent / "data" / "deap-1.4.txt"
DEAP = [line for line in DATA.read_text("utf-8").splitlines() if not line.startswith("#")]
A_NAME = re.compile(r"`((?:sel|cx|mut|ea|mig|init)[A-Z]\w+|[A-Z]\w+Fame)`")
"""What can only be a name of DEAP's."""


def test_every_part_has_a_reference_and_nothing_else_has() -> None:
    assert sorted(references()) == sorted(PARTS)


@pytest.mark.parametrize("row", catalogue(), ids=lambda row: f"{row['kind']}-{row['name']}")
def test_what_is_said_of_deap_names_what_deap_has(row: dict[str, Any]) -> None:
    named = [*row["deap"], *A_NAME.findall(row["in_deap"])]
    assert set(named) <= set(DEAP)
    assert row["in_deap"].endswith(".")
    # After its names a sentence goes on; alone it begins.
    assert row["deap"] == [] or not row["in_deap"][0].isupper()
    assert row["deap"] != [] or row["in_deap"][0].isupper() or row["in_deap"][0] == "`"


def test_the_names_kept_here_are_those_of_deap() -> None:
    tools = pytest.importorskip("deap.tools", reason="DEAP is not installed")
    algorithms = pytest.importorskip("deap.algorithms")
    assert [name for name in DEAP if not (hasattr(tools, name) or hasattr(algorithms, name))] == []


def test_every_work_is_cited_and_every_citation_is_a_work() -> None:
    rows = [row for kind, rows in TABLES.items() if kind != "works" for row in rows.values()]
    cited = {cite.partition(", ")[0] for row in rows for cite in row["cites"]}
    assert cited == set(WORKS)


def test_the_works_are_in_order_and_their_keys_are_their_years() -> None:
    reports, papers = list(WORKS)[:5], list(WORKS)[5:]
    assert reports == [f"report-00{number}" for number in range(5)]
    assert papers == sorted(papers)
    for key in papers:
        assert re.search(rf"\b{key[-4:]}\b", WORKS[key]), key


def test_reports_are_called_as_their_presets_call_them() -> None:
    told = {each.report for each in presets() if each.report.startswith("Report")}
    assert len(told) >= 5
    for number in range(5):
        work = WORKS[f"report-00{number}"]
        assert any(report.startswith(work) for report in told), work


def test_what_a_docstring_says_of_a_report_agrees_with_the_sources() -> None:
    """A part whose summary names a report cites it."""
    for row in catalogue():
        for number in re.findall(r"\b00[0-4]\b", row["doc"]):
            assert any(source.startswith(f"Report {number}") for source in row["sources"]), row


def test_the_shell_shows_where_a_part_comes_from(genoku: Any) -> None:
    shown = genoku("operators", "universal-sampling").out
    assert "Baker" in shown
    assert "selStochasticUniversalSampling" in shown
    assert "In DEAP: none." in genoku("operators", "cycle").out
    assert "genoku's own" in genoku("operators", "one-of").out
    assert "Sources" not in genoku("operators", "selection").out  # a kind is a list to choose from
