"""Published pages: rearranged without their runs, with the verdicts that they had."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from genoku.errors import StudyError
from genoku.lab.claims import Claim
from genoku.lab.experiments.outputs import Chapter, Experiment, Output
from genoku.lab.report.charts import LineChart, Series
from genoku.lab.report.page import Details, Figure, Table, inline
from reproductions import CLAIMS_TITLE, OBSERVATIONS_TITLE, REPORTS
from reproductions.own_experiment import OWN_TITLE, POINTS, own_section
from reproductions.published_pages import PAGES, VERDICTS, fold_evidence, rearrange, split_page

CLAIMS = (
    Claim("one", "One `a`.", "here", "holds", "p = 0.01."),
    Claim("two", "Two.", "", "fails", "No."),
)
OLD = """Of two claims one holds.

| claim | verdict | evidence |
| --- | --- | --- |
| One `a`. *(here)* | **holds** | p = 0.01. |
| Two. | **fails** | No. |
"""
MANY = tuple(range(2 * POINTS))
SERIES = (Series("dots", MANY, MANY, style="points", dots=10**6),)
OWN = Experiment(
    "title",
    "About *it*.",
    (
        Chapter(
            "Experiment 1",
            (),
            lambda _runs: [
                "Some words.",
                Output("e1", Table(("a",), ((1,),), "Experiment 1"), prints=True),
                Output("all", Table(("a",), ((2,),), "All values")),
                Output("f1", Figure(LineChart("Figure one", "x", "y", SERIES))),
            ],
        ),
    ),
)


def test_folded_verdicts_are_those_that_the_page_had() -> None:
    folded = fold_evidence(OLD, CLAIMS)
    assert folded.startswith("Of two claims one holds.\n\n<details>")
    lines = re.findall(r"^<details><summary>(.*)</summary>\n\n(.*)\n\n</details>$", folded, re.M)
    assert lines == [
        ("<b>holds</b>: One <code>a</code>. <em>(here)</em>", "p = 0.01."),
        ("<b>fails</b>: Two.", "No."),
    ]
    assert fold_evidence(folded, CLAIMS) == folded


@pytest.mark.parametrize(
    "other",
    [
        CLAIMS[:1],
        CLAIMS[::-1],
        (CLAIMS[0], Claim("two", "Two.", "", "holds", "No.")),
        (CLAIMS[0], Claim("two", "Two.", "", "fails", "Another reason.")),
    ],
)
def test_a_page_with_other_verdicts_or_evidence_is_refused(other: tuple[Claim, ...]) -> None:
    with pytest.raises(StudyError):
        fold_evidence(OLD, other)


def test_an_own_experiment_has_its_tables_and_figures_in_order_with_the_long_ones_folded() -> None:
    section = own_section("003", OWN, [])
    assert not section.is_numbered
    *_, about, heading, words, table, folded, figure = section.parts
    assert (about, heading, words) == ("About *it*.", "### Experiment 1", "Some words.")
    assert isinstance(table, Table)
    assert table.caption == ""
    assert isinstance(folded, Details)
    assert folded.title == "All values"
    assert isinstance(figure, Figure)
    assert figure.name == "report-f1"
    (chart,) = figure.charts
    assert isinstance(chart, LineChart)
    assert chart.series[0].dots == POINTS
    assert f"{POINTS:,}" in figure.caption


def test_a_rearranged_page_keeps_its_sections_and_data(tmp_path: Path) -> None:
    for name in ("001.md", "001-claims.json"):
        shutil.copy(PAGES / name, tmp_path)
    (tmp_path / "001-figures").mkdir()
    (tmp_path / "001-figures" / "report-old.svg").write_text("old")
    before = (tmp_path / "001.md").read_text("utf-8"), (tmp_path / "001-claims.json").read_bytes()
    rearrange("001", own_section("001", OWN, []), tmp_path)
    text = (tmp_path / "001.md").read_text("utf-8")
    assert (tmp_path / "001-claims.json").read_bytes() == before[1]
    old, new = split_page(before[0]), split_page(text)
    assert new[:2] == old[:2]
    assert list(new[2])[:2] == [OWN_TITLE, CLAIMS_TITLE]
    for title, section in old[2].items():
        assert title == OWN_TITLE or new[2][title] == section
    drawings = [each.name for each in (tmp_path / "001-figures").iterdir()]
    assert drawings == ["report-f1.svg"]
    assert "(001-figures/report-f1.svg)" in new[2][OWN_TITLE]


@pytest.mark.parametrize("number", REPORTS)
def test_published_pages_begin_with_the_report_and_have_a_line_for_each_verdict(
    number: str,
) -> None:
    title, _, sections = split_page((PAGES / f"{number}.md").read_text("utf-8"))
    assert title.startswith("# ")
    assert list(sections)[:3] == [OWN_TITLE, CLAIMS_TITLE, OBSERVATIONS_TITLE]
    assert "| " in sections[OWN_TITLE]
    drawn = set(re.findall(rf"\({number}-figures/(report-.*?)\)", sections[OWN_TITLE]))
    assert drawn == {each.name for each in (PAGES / f"{number}-figures").glob("report-*")}
    facts = json.loads((PAGES / f"{number}-claims.json").read_text("utf-8"))
    for heading, kind in VERDICTS.items():
        lines = re.findall(r"^<details><summary>(.*)</summary>$", sections[heading], re.M)
        places = [f" *({each['where']})*" if each["where"] else "" for each in facts[kind]]
        assert lines == [
            f"<b>{each['verdict']}</b>: {inline(each['text'] + place)}"
            for each, place in zip(facts[kind], places, strict=True)
        ]
        for each in facts[kind]:
            assert f"\n\n{each['because']}\n\n</details>" in sections[heading]
