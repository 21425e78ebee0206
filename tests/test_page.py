"""Pages: one HTML file that needs nothing else, and Markdown with its figures beside it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fulldisk import nearly_full
from hypothesis import given, strategies as st

from genoku.errors import FormatError
from genoku.lab.claims import Claim
from genoku.lab.report.charts import BoardGallery, BoardPicture, IntervalChart, LineChart, Series
from genoku.lab.report.page import (
    Claims,
    Code,
    Column,
    Details,
    Figure,
    Notice,
    Page,
    Part,
    Section,
    Table,
    inline,
    literal,
    plain,
    render_markdown,
)
from genoku.puzzle.board import Puzzle
from genoku.runtime.text import format_number

NASTY = '<b>*x*</b> & "`_#|[]\\</script>'
LINES = LineChart("Curves of <a>", "x", "y", (Series(NASTY, (1, 2), (2, 1)),))
OTHERS = LineChart("More", "x", "y", (Series(NASTY, (1, 2), (2, 1)), Series("b", (1, 2), (2, 1))))
BOARDS = BoardGallery("Boards", (BoardPicture(NASTY, Puzzle.parse("1..." * 4)),))


def page_of(*parts: Part) -> Page:
    return Page(literal(NASTY), "Below the *title*.", (Section("One & only", parts),), "The end.")


WHOLE = page_of(
    "A paragraph with **bold** and `code`.\n\n- one\n- two\n  goes on\n\n1. first\n2. second",
    Table(
        ("name", Column("value", "s", decimals=2), Column("note", align="right")),
        (("a group",), (literal(NASTY), 1.5, "x"), ("b", None, "y")),
        "Some *numbers*.",
    ),
    Figure(LINES, "What is seen."),
    Figure((LINES, OTHERS), "Both."),
    Figure(BOARDS, "A board."),
    Details("Folded", (Code(f"x = {NASTY}", "toml"), Notice("Mind **this**."))),
    Claims(
        (
            Claim("works", "It works", "", "holds", "p = 0.01"),
            Claim("always", "Always", "", "fails", "once not"),
        )
    ),
)


FOLD = "<details><summary><b>a</b><script>x</script></summary>\n\n"


class Reader(HTMLParser):
    """Keeps what stands in a page, and complains about what does not close."""

    empty = frozenset(("meta", "img", "br", "line", "rect", "path", "link", "hr", "input"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.empty:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


@pytest.fixture(scope="module")
def whole() -> str:
    return WHOLE.html()


def test_a_page_is_one_file_that_asks_nothing_of_the_network(whole: str) -> None:
    for tag, attributes in read(whole).seen:
        for name in ("src", "href", "srcset", "data"):
            target = attributes.get(name) or "#"
            assert target.startswith(("#", "data:")), (tag, target[:80])
    style = re.search(r"<style>(.*?)</style>", whole, re.DOTALL)
    assert style is not None
    assert not re.search(r"@import|url\(", style[1])


def test_a_page_shows_everything_it_is_made_of(whole: str) -> None:
    reader = read(whole)
    for words in (
        "Some numbers.",
        "a group",
        "1.50",
        "Table 1.",
        "Figure 2.",
        "Folded",
        "It works",
    ):
        assert words in reader.text
    assert reader.text.count(NASTY) >= 3  # the title, a cell, the code
    kinds = [tag for tag, _ in reader.seen]
    assert kinds.count("h2") == 1
    assert {"ul", "ol", "table", "figure", "details", "svg"} <= set(kinds)


def test_the_same_page_gives_the_same_bytes(whole: str) -> None:
    assert whole == WHOLE.html()


def test_a_page_without_charts_needs_no_script() -> None:
    assert "<script" not in page_of("Words.").html()


def test_wide_charts_have_a_narrow_twin_and_all_have_their_values(whole: str) -> None:
    kinds = [attributes.get("class") for _, attributes in read(whole).seen]
    assert kinds.count("drawing") == 2 + 2
    assert (kinds.count("for-wide"), kinds.count("for-narrow")) == (1, 1)
    assert kinds.count("values") == 2  # boards have none


def test_no_two_things_of_a_page_share_an_id_and_all_that_are_named_are_there(whole: str) -> None:
    seen = read(whole).seen
    ids = [attributes["id"] for _, attributes in seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = re.findall(r'(?:url\(|href=")#([^)"]+)', whole)
    assert named
    assert set(named) <= set(ids)


def test_drawings_follow_the_page_from_light_to_dark(whole: str) -> None:
    drawn = re.findall(r'<svg class="drawing".*?</svg>', whole, re.DOTALL)
    assert all("var(--ink)" in each and "#22252b" not in each for each in drawn)


def test_panels_with_the_same_curves_share_a_legend(whole: str) -> None:
    assert [a.get("class") for _, a in read(whole).seen].count("legend") == 1
    clashing = LineChart("", "", "", (Series("b", (1, 2), (1, 2)),))
    assert 'class="legend"' not in page_of(Figure((OTHERS, clashing))).html()
    ranges = IntervalChart("", "", ())
    assert 'class="legend"' not in page_of(Figure((ranges, ranges))).html()


def test_markdown_has_its_figures_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "a paper.md"
    WHOLE.write_markdown(target)
    text = target.read_text(encoding="utf-8")
    named = re.findall(r"\]\((.*?)\)", text)
    assert len(named) == 4
    for each in named:
        drawn = (tmp_path / each.replace("%20", " ")).read_text(encoding="utf-8")
        assert ET.fromstring(drawn).tag.endswith("svg")
    assert "| name | value, s | note |\n| --- | ---: | ---: |" in text
    assert "<details><summary><b>holds</b>: It works</summary>\n\np = 0.01\n\n</details>" in text
    again = tmp_path / "again"
    again.mkdir()
    WHOLE.write_markdown(again / "a paper.md")
    assert (again / "a paper.md").read_text(encoding="utf-8") == text


def test_a_full_disk_leaves_older_files_as_they_were(tmp_path: Path) -> None:
    page, other = page_of("old"), page_of("new " * 5000)
    page.write_html(tmp_path / "page.html")
    page.write_markdown(tmp_path / "page.md")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with nearly_full(9000):
        with pytest.raises(FormatError, match=r"page\.html"):
            other.write_html(tmp_path / "page.html")
        with pytest.raises(FormatError, match=r"page\.md"):
            other.write_markdown(tmp_path / "page.md")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_html_is_written_to_a_file(tmp_path: Path, whole: str) -> None:
    WHOLE.write_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == whole


@given(st.text())
def test_foreign_words_stand_as_they_are(text: str) -> None:
    shown = " ".join(text.split()).replace("\0", "\ufffd")
    assert plain(literal(text)) == shown
    assert read(f"<p>{inline(literal(text))}</p>").text == " ".join(shown.split())


@given(st.text() | st.text(alphabet="ab*`_<>&\\|[]# ", max_size=12))
def test_foreign_words_stand_as_they_are_between_marks_too(text: str) -> None:
    shown = " ".join(text.split()).replace("\0", "\ufffd")
    for mark, tag in (("**", "strong"), ("*", "em")):
        marked = f"before {mark}{literal(text)}{mark} after"
        if not shown:
            continue
        assert plain(marked) == f"before {shown} after"
        html = inline(marked)
        assert html.startswith(f"before <{tag}>")
        assert html.endswith(f"</{tag}> after")
        assert read(f"<p>{html}</p>").text == f"before {shown} after"


def test_a_long_word_in_a_table_may_be_broken() -> None:
    html = page_of(Table(("name", "value"), (("x" * 200, 1), ("some words " * 20, 2)))).html()
    assert html.count('<td class="long">') == 1


def test_folded_figures_are_printed_and_folded_tables_are_not() -> None:
    table = Details("Rows", (Table(("a",), ((1,),)),))
    drawn = Details("Curves", (Details("Inner", (Figure(LINES),)),))
    html = page_of(table, drawn).html()
    assert "<details><summary>Rows" in html
    assert '<details class="pictured"><summary>Curves' in html


@given(st.text(alphabet="ab*`_<>&\\- 1.\n", max_size=40))
def test_any_text_becomes_html_that_closes_what_it_opens(text: str) -> None:
    read(render_markdown(text))


@given(st.text(alphabet="ab<>/\n", max_size=12).map(lambda text: f"{FOLD}{text}{FOLD}</details>"))
def test_folded_parts_close_what_they_open_whatever_stands_in_them(text: str) -> None:
    reader = read(render_markdown(text))
    assert [tag for tag, _ in reader.seen].count("details") >= 1
    assert "script" not in {tag for tag, _ in reader.seen}


def test_folded_evidence_in_markdown_becomes_html(tmp_path: Path) -> None:
    claim = Claim("a", "Is `x < y` *true*?", "on `here`", "holds", "**Yes** & no.")
    page_of(Claims((claim,))).write_markdown(tmp_path / "page.md")
    reader = read(render_markdown((tmp_path / "page.md").read_text("utf-8")))
    assert "holds: Is x < y true? (on here)" in reader.text
    assert "Yes & no." in reader.text
    tags = [tag for tag, _ in reader.seen]
    assert tags[tags.index("details") :][:7] == [
        *("details", "summary", "b", "code", "em", "em", "code")
    ]


def test_evidence_is_folded_and_printed() -> None:
    html = page_of(Claims((Claim("a", "It works", "", "holds", "p = 0.01"),))).html()
    assert '<details class="pictured"><summary><span class="claim">It works' in html
    assert "beforeprint" in html


def test_a_section_may_leave_the_numbers_to_the_paper(tmp_path: Path) -> None:
    theirs = Table(("a",), ((1,),), "Their table")
    drawn = Figure((LINES, OTHERS), "Figure 6 of the report.", name="report-figure-6")
    sections = (
        Section("Theirs", (theirs, drawn), is_numbered=False),
        Section("Ours", (theirs, Figure(LINES, "One."))),
    )
    page = Page("title", "below", sections)
    page.write_markdown(tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text("utf-8")
    assert "**Their table**" in text
    assert "**Table 1.** Their table" in text
    assert re.findall(r"\]\((.*?)\)", text) == [
        "page-figures/report-figure-6.svg",
        "page-figures/figure-1-curves-of-a.svg",
    ]
    shown = read(page.html()).text
    assert shown.count("Figure 1.") == shown.count("Table 1.") == 1


def test_markdown_becomes_html_that_is_safe_to_show() -> None:
    text = "<script>x</script> [a](javascript:x) ![seen](figures/a.svg)\n\n| a |\n| --: |\n| 1 |"
    reader = read(render_markdown(text))
    assert {tag for tag, _ in reader.seen}.isdisjoint({"script", "a", "img"})
    assert ("td", {"class": "number"}) in reader.seen
    placed = read(render_markdown(text, "/here/{}".format))
    assert ("img", {"src": "/here/figures/a.svg", "alt": "seen"}) in placed.seen


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (True, "yes"),
        (1234567, "1,234,567"),
        (-5, "−5"),
        (0.5, "0.5"),
        (float("nan"), "–"),
        (float("inf"), "∞"),
        (12345.6, "12,346"),
        (1.5e-7, "1.5e−7"),
        ("text", "text"),
    ],
)
def test_numbers_are_written_as_people_write_them(value: str | float | None, shown: str) -> None:
    assert format_number(value) == shown


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="3 cells"):
        Table(("a", "b", "c"), ((1, 2),))
