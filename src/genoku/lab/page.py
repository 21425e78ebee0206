"""Pages of text, tables and charts as plain data; as one HTML file, or as Markdown with SVG."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from markdown_it import MarkdownIt

from genoku import display
from genoku.display import INK, PAPER, SOFT
from genoku.figures import FAINT
from genoku.formats import replacing_bytes
from genoku.lab.charts import FULL, HALF, KEY_SVG, Boards, Chart, Lines, Ranks, shortened, svg
from genoku.words import number

Cell = str | int | float | None
Verdict = Literal["holds", "fails", "undecided"]

LONGEST = 26  # letters of a word in a table
THEMED = {INK: "var(--ink)", SOFT: "var(--soft)", FAINT: "var(--faint)", PAPER: "var(--paper)"}
"""Colours of drawings that follow the page from light to dark."""

# Folded figures are printed; long tables only if a reader has unfolded them.
SCRIPT = """<script>
const folded = [];
window.addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details.pictured:not([open])")) folded.push(each);
  for (const each of folded) each.open = true;
});
window.addEventListener("afterprint", () => {
  for (const each of folded.splice(0)) each.open = false;
});
</script>
"""


@dataclass(frozen=True)
class Column:
    """A column's heading, its unit in a second line, and how many decimals its floats have.

    A column of numbers is aligned to the right unless told otherwise.
    """

    title: str
    unit: str = ""
    decimals: int | None = None
    align: Literal["auto", "left", "right"] = "auto"


@dataclass(frozen=True)
class Table:
    """Rows of cells. Text may hold **bold** and `code`; None is shown as a dash.

    A row of one cell is a heading of the rows below it.
    """

    columns: tuple[str | Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) not in (1, len(self.columns)):
                raise ValueError(f"expected {len(self.columns)} cells in a row, got {len(row)}")

    def headings(self) -> list[Column]:
        """The columns, those of numbers aligned to the right."""
        columns = [Column(each) if isinstance(each, str) else each for each in self.columns]
        for place, column in enumerate(columns):
            if column.align == "auto":
                cells = [row[place] for row in self.rows if len(row) == len(columns)]
                is_numeric = bool(cells) and all(map(_looks_numeric, cells))
                columns[place] = replace(column, align="right" if is_numeric else "left")
        return columns

    def texts(self) -> list[list[str]]:
        """Every row as a person reads it."""
        decimals = [each.decimals for each in self.headings()]
        return [list(map(number, row, decimals)) for row in self.rows]


@dataclass(frozen=True)
class Figure:
    """A chart, or several side by side under one caption, which says what is seen."""

    chart: Chart | tuple[Chart, ...]
    caption: str = ""

    @property
    def charts(self) -> tuple[Chart, ...]:
        return self.chart if isinstance(self.chart, tuple) else (self.chart,)


@dataclass(frozen=True)
class Code:
    """Text to be read letter by letter: a command, a recipe, a puzzle."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Notice:
    """A remark that must not be overlooked."""

    text: str


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, where it makes it, and whether it holds.

    Parameters
    ----------
    id
        A short name, which other programs find it by.
    text, where
        What is claimed, and in which section, table or figure.
    verdict, because
        What became of it, and the reason in a sentence or two.
    figures
        The numbers that the verdict rests on, by name.
    """

    id: str
    text: str
    where: str
    verdict: Verdict
    because: str
    figures: Mapping[str, Any] = field(default_factory=dict[str, Any])


def _claim_text(claim: Claim) -> str:
    """The claim with where it is made."""
    return f"{claim.text} *({claim.where})*" if claim.where else claim.text


@dataclass(frozen=True)
class Claims:
    """Claims and what became of them."""

    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Details:
    """Parts that are folded until a reader asks for them."""

    title: str
    parts: tuple[Part, ...]

    def has_figure(self) -> bool:
        """Whether anything is drawn in it."""
        return any(
            isinstance(each, Figure) or (isinstance(each, Details) and each.has_figure())
            for each in self.parts
        )


Part = str | Table | Figure | Code | Notice | Claims | Details
"""A part of a section; text is Markdown."""


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Page:
    """A title, a line below it, and sections; as one HTML file, or Markdown with SVG beside it.

    Titles, cells and captions are Markdown too: pass foreign words, such as the names of a study,
    through `genoku.lab.page.literal`. The words of charts stand as they are.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    footer: str = ""

    def _repr_html_(self) -> str:
        """What comes first, and the titles of the rest: a notebook is no place for all of it."""
        first, *others = self.sections or (Section("", ()),)
        texts = [part.text if isinstance(part, Notice) else part for part in first.parts]
        said = [render_markdown(text) for text in texts if isinstance(text, str)]
        titles = [plain(section.title) for section in others]
        return display.shown(
            display.headline(plain(self.title), plain(self.subtitle)),
            *said,
            display.folded("And more, with figures and tables: write_html", display.points(titles)),
        )

    def html(self) -> str:
        """One file that needs no network, with its drawings inside."""
        writer = HtmlWriter()
        anchors = [
            f"{re.sub(r'[^a-z0-9]+', '-', plain(section.title).lower()).strip('-')}-{place}"
            for place, section in enumerate(self.sections, 1)
        ]
        contents, sections = "", ""
        for anchor, section in zip(anchors, self.sections, strict=True):
            title = inline(section.title)
            contents += f'<li><a href="#{anchor}">{title}</a></li>'
            inside = "\n".join(writer.parts(section.parts))
            sections += f'<section id="{anchor}">\n<h2>{title}</h2>\n{inside}\n</section>\n'
        style = (files("genoku.lab") / "page.css").read_text(encoding="utf-8")
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{escape(plain(self.title))}</title>\n<style>\n{style}</style>\n"
            f"</head>\n<body>\n<header><h1>{inline(self.title)}</h1>"
            f'<div class="subtitle">{render_markdown(self.subtitle)}</div></header>\n'
            f'<nav aria-label="Contents"><ol>{contents}</ol></nav>\n<main>\n{sections}</main>\n'
            f"<footer>{render_markdown(self.footer)}</footer>\n"
            f"{SCRIPT if writer.figures else ''}</body>\n</html>\n"
        )

    def write_html(self, path: str | Path) -> None:
        """Write the file as a whole; an older one stays as it was if anything fails."""
        whole = self.html().encode()
        with replacing_bytes(path) as stream:
            stream.write(whole)

    def write_markdown(self, path: str | Path) -> None:
        """Write Markdown, and its figures as SVG files to the folder `STEM-figures` beside it.

        Every file is written as a whole, the text last; older ones stay if anything fails.
        """
        path = Path(path)
        folder = path.parent / f"{path.stem}-figures"
        writer = _MarkdownWriter(folder.name)
        lines = [f"# {self.title}", "", self.subtitle, ""]
        for section in self.sections:
            lines += [f"## {section.title}", "", *writer.parts(section.parts)]
        if self.footer:
            lines += ["---", "", self.footer, ""]
        if writer.drawings:
            folder.mkdir(parents=True, exist_ok=True)
        written = {folder / name: drawing for name, drawing in writer.drawings.items()}
        written[path] = "\n".join(lines).rstrip() + "\n"
        for target, text in written.items():
            with replacing_bytes(target) as stream:
                stream.write(text.encode())


# Text

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_SPECIAL = re.compile(r"([\\`*_<>|\[\]#&])")
_NUMERIC = re.compile(r"[−+-]?(∞|\d)|[<>≤≥≈~×]\s?\d|–$|$")


def literal(text: str) -> str:
    """Foreign words, such as a name, with every character standing for itself."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def render_markdown(text: str, image_source: Callable[[str], str] | None = None) -> str:
    """Markdown (CommonMark and tables) as HTML that is safe to show.

    Raw HTML is shown letter by letter, and links can only lead to other pages. The result has no
    inline styles: cells that are aligned to the right have the class `number`.

    Parameters
    ----------
    text
        The Markdown.
    image_source
        Gives the address of an image by its path in the text. Without it, images are shown as
        their descriptions.
    """
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if str(token.attrs.pop("style", "")).endswith("right"):
            token.attrSet("class", "number")
        for each in token.children or ():
            if each.type == "image" and image_source is None:
                each.type = "text"  # whose content is the description
            elif each.type == "image" and image_source is not None:
                each.attrSet("src", image_source(str(each.attrs["src"])))
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def inline(text: str) -> str:
    """A line of Markdown as HTML."""
    return str(_MARKDOWN.renderInline(text))


def plain(text: str) -> str:
    """A line of Markdown as bare words, for attributes and window titles."""
    tokens = _MARKDOWN.parseInline(text)[0].children or ()
    return "".join(" " if each.type.endswith("break") else each.content for each in tokens)


def _looks_numeric(cell: Cell) -> bool:
    if isinstance(cell, str):
        return _NUMERIC.match(cell.strip("*` ")) is not None
    return not isinstance(cell, bool)


# HTML


class HtmlWriter:
    """Writes parts in reading order, which numbers tables and figures."""

    def __init__(self) -> None:
        self.figures = self.tables = self.drawings = 0

    def parts(self, parts: tuple[Part, ...]) -> Iterator[str]:
        for part in parts:
            if isinstance(part, str):
                yield render_markdown(part)
            elif isinstance(part, Table):
                yield self.table(part)
            elif isinstance(part, Figure):
                yield self.figure(part)
            elif isinstance(part, Code):
                yield f"<pre><code>{escape(part.text.rstrip())}</code></pre>"
            elif isinstance(part, Notice):
                yield f'<aside class="notice">{render_markdown(part.text)}</aside>'
            elif isinstance(part, Claims):
                items = "".join(
                    f'<li class="{claim.verdict}">'
                    f'<div class="claim">{inline(_claim_text(claim))}</div>'
                    f'<div class="verdict">{claim.verdict}</div>'
                    f'<div class="evidence">{inline(claim.because)}</div></li>'
                    for claim in part.claims
                )
                yield f'<ul class="claims">{items}</ul>'
            else:
                inside = "\n".join(self.parts(part.parts))
                kind = ' class="pictured"' if part.has_figure() else ""
                yield (
                    f"<details{kind}><summary>{inline(part.title)}</summary>\n"
                    f'<div class="folded">{inside}</div></details>'
                )

    def table(self, table: Table) -> str:
        caption = ""
        if table.caption:
            self.tables += 1
            name = f'<span class="label">Table {self.tables}.</span>'
            # Not a caption element, which would scroll with a table that is too wide.
            caption = f'<div class="caption">{name} {inline(table.caption)}</div>'
        return f'<div class="table">{caption}<div class="wide">{_table(table)}</div></div>'

    def figure(self, figure: Figure) -> str:
        self.figures += 1
        several = len(figure.charts) > 1
        legend = _shared_legend(figure.charts) if several else ""
        panels, values = "", ""
        for chart in figure.charts:
            title = f'<div class="panel-title">{escape(chart.title)}</div>' if several else ""
            drawn = self.chart(chart, several=several, legend=not legend)
            panels += f'<div class="panel">{title}{drawn}</div>'
            if not isinstance(chart, Boards):
                values += f'{title}<div class="wide">{_values(chart)}</div>'
        if values:
            values = f'<details class="values"><summary>Values</summary>{values}</details>'
        title = "" if several or not figure.charts else f"{_sentence(figure.charts[0].title)} "
        return (
            f'<figure id="figure-{self.figures}"><div class="{"panels" if several else "whole"}">'
            f'{panels}</div>{legend}<figcaption><span class="label">Figure {self.figures}.</span> '
            f"<strong>{title}</strong>{inline(figure.caption)}</figcaption>{values}</figure>"
        )

    def chart(self, chart: Chart, *, several: bool, legend: bool) -> str:
        """A drawing; one that is as wide as a page has a narrow twin for phones."""
        if isinstance(chart, Boards):
            views = "".join(
                f'<div class="board">{view.svg()}<div>{escape(view.caption)}</div></div>'
                for view in chart.boards
            )
            key = f'<div class="key">{KEY_SVG}</div>' if chart.mapped else ""
            return f'<div class="boards">{views}</div>{key}'
        if several or isinstance(chart, Ranks):
            return self.drawing(chart, FULL if isinstance(chart, Ranks) else HALF, legend)
        wide, narrow = (self.drawing(chart, width, legend) for width in (FULL, HALF))
        return f'<div class="for-wide">{wide}</div><div class="for-narrow">{narrow}</div>'

    def drawing(self, chart: Chart, width: float, legend: bool) -> str:
        """A drawing as part of the page: in its colours, and with ids of its own."""
        self.drawings += 1
        own = f"d{self.drawings}-"

        def adapt(tag: re.Match[str]) -> str:
            text = re.sub(r'( id="|href="#|url\(#)', rf"\1{own}", tag[0]).replace("xlink:", "")
            return re.sub(r"#[0-9a-f]{6}", lambda found: THEMED.get(found[0], found[0]), text)

        _, _, drawn = svg(chart, width, legend=legend).partition(" viewBox=")
        kind = "drawing ranks" if isinstance(chart, Ranks) else "drawing"
        return re.sub(r"<[^<>]*>", adapt, f'<svg class="{kind}" viewBox={drawn.rstrip()}')


def _table(table: Table) -> str:
    columns = table.headings()
    heads = "".join(
        f"<th{_side(each, each.title)}>{inline(each.title)}"
        + (f'<span class="unit">{inline(each.unit)}</span>' if each.unit else "")
        + "</th>"
        for each in columns
    )
    rows = ""
    for row in table.texts():
        if len(row) < len(columns):  # a heading across
            kind = "group long" if _is_long(row[0]) else "group"
            cells = f'<th class="{kind}" colspan="{len(columns)}">{inline(row[0])}</th>'
        else:
            cells = "".join(
                f"<td{_side(each, text)}>{inline(text)}</td>"
                for each, text in zip(columns, row, strict=True)
            )
        rows += f"<tr>{cells}</tr>\n"
    return f"<table><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table>"


def _values(chart: Chart) -> str:
    """The numbers of a chart as a table."""
    if isinstance(chart, Boards):
        return ""
    heads, rows = chart.table()
    cells = (
        tuple(literal(each) if isinstance(each, str) else each for each in row) for row in rows
    )
    return _table(Table(tuple(map(literal, heads)), tuple(cells)))


def _shared_legend(charts: tuple[Chart, ...]) -> str:
    """The legend below panels whose curves look alike in all of them; empty if they do not."""
    looks: dict[str, tuple[str, tuple[float, ...]]] = {}
    for chart in charts:
        if not isinstance(chart, Lines) or chart.levels:
            return ""
        for index, series in enumerate(chart.series):
            own = chart.look(index)
            name = series.group or series.name
            if series.style == "points" or looks.setdefault(name, own) != own:
                return ""
    items = "".join(
        f'<li><svg width="26" height="10" aria-hidden="true"><path d="M0 5H26" stroke="{colour}" '
        f'stroke-width="2.4" stroke-dasharray="{" ".join(f"{1.4 * each:g}" for each in dashes)}"/>'
        f"</svg>{escape(shortened(name, 40))}</li>"
        for name, (colour, dashes) in looks.items()
    )
    return f'<ul class="legend">{items}</ul>'


def _sentence(title: str) -> str:
    return escape(title if title.endswith((".", "?", "!")) else f"{title}.") if title else ""


def _side(column: Column, text: str = "") -> str:
    kinds = ["number"] * (column.align == "right") + ["long"] * _is_long(text)
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _is_long(text: str) -> bool:
    """Whether a cell has a word so long that it must be broken, or others are out of sight."""
    return len(text) > LONGEST and any(len(word) > LONGEST for word in plain(text).split())


# Markdown


class _MarkdownWriter:
    """Writes parts as lines, and keeps the drawings by their names."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.drawings: dict[str, str] = {}
        self.figures = self.tables = 0

    def parts(self, parts: tuple[Part, ...], level: int = 3) -> Iterator[str]:
        for part in parts:
            if isinstance(part, str):
                yield from (part.strip("\n"), "")
            elif isinstance(part, Table):
                yield from self.table(part)
            elif isinstance(part, Figure):
                yield from self.figure(part)
            elif isinstance(part, Code):
                fence = "`" * max(3, 1 + max(map(len, re.findall("`+", part.text)), default=0))
                yield from (f"{fence}{part.language}", part.text.rstrip(), fence, "")
            elif isinstance(part, Notice):
                yield from (*(f"> {line}" for line in part.text.splitlines()), "")
            elif isinstance(part, Claims):
                rows = tuple(
                    (_claim_text(each), f"**{each.verdict}**", each.because) for each in part.claims
                )
                yield from self.table(Table(("claim", "verdict", "evidence"), rows))
            else:  # what is folded on screen is a section of its own on paper
                yield from (f"{'#' * min(level, 6)} {part.title}", "")
                yield from self.parts(part.parts, level + 1)

    def table(self, table: Table) -> Iterator[str]:
        if table.caption:
            self.tables += 1
            yield from (f"**Table {self.tables}.** {table.caption}", "")
        columns = table.headings()
        yield _row([f"{each.title}, {each.unit}" if each.unit else each.title for each in columns])
        yield _row(["---:" if each.align == "right" else "---" for each in columns])
        for row in table.texts():
            across = [f"**{row[0]}**", *[""] * (len(columns) - 1)]
            yield _row(row if len(row) == len(columns) else across)
        yield ""

    def figure(self, figure: Figure) -> Iterator[str]:
        self.figures += 1
        several = len(figure.charts) > 1
        for place, chart in enumerate(figure.charts, 1):
            words = re.sub(r"[^a-z0-9]+", "-", chart.title.lower()).strip("-")[:60]
            stem = f"figure-{self.figures}{f'-{place}' if several else ''}-{words}".rstrip("-")
            self.drawings[f"{stem}.svg"] = svg(chart, HALF if several else FULL)
            target = f"{self.folder}/{stem}.svg".replace(" ", "%20")
            yield from (f"![{literal(chart.title)}]({target})", "")
        titles = [each.title for each in figure.charts]
        title = f" **{literal(titles[0].rstrip('.'))}.**" if len(titles) == 1 and titles[0] else ""
        yield from (f"**Figure {self.figures}.**{title} {figure.caption}".rstrip(), "")


def _row(cells: list[str]) -> str:
    """A row of a table; a bar inside a cell must not end it."""
    safe = [re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in cells]
    return f"| {' | '.join(safe)} |"
