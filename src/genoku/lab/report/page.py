"""Pages of text, tables and charts as plain data, written as HTML or Markdown."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape, unescape
from importlib.resources import files
from pathlib import Path
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from genoku.lab.claims import Claim, Verdict
from genoku.lab.report.charts import (
    FULL,
    HALF,
    KEY_SVG,
    BoardGallery,
    Chart,
    LineChart,
    Plot,
    RankDiagram,
    draw_panels,
    shorten,
    svg,
)
from genoku.present.figures import FAINT, drawing, save
from genoku.puzzle.formats import binary_writer
from genoku.runtime import notebook
from genoku.runtime.notebook import INK, PAPER, SOFT
from genoku.runtime.text import format_number

Cell = str | int | float | None

LONGEST = 26  # letters of a word in a table that is not broken
# Colours of drawings that differ between light and dark pages
THEMED = {INK: "var(--ink)", SOFT: "var(--soft)", FAINT: "var(--faint)", PAPER: "var(--paper)"}

# Folded figures and evidence are printed; long tables only if unfolded.
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
    """The heading of a column, its unit in a second line, and the decimals of its floats."""

    title: str
    unit: str = ""
    decimals: int | None = None
    align: Literal["auto", "left", "right"] = "auto"

    @property
    def name(self) -> str:
        """The heading in one line: `Best Fitness (printed)`."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


@dataclass(frozen=True)
class Table:
    """Rows of cells: text is Markdown, None is a dash, and a row of one cell is a heading."""

    columns: tuple[str | Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) not in (1, len(self.columns)):
                raise ValueError(f"expected {len(self.columns)} cells in a row, got {len(row)}")

    def headings(self) -> list[Column]:
        """The columns; those of numbers are aligned to the right."""
        columns = [Column(each) if isinstance(each, str) else each for each in self.columns]
        for place, column in enumerate(columns):
            if column.align == "auto":
                cells = [row[place] for row in self.rows if len(row) == len(columns)]
                is_numeric = bool(cells) and all(map(_looks_numeric, cells))
                columns[place] = replace(column, align="right" if is_numeric else "left")
        return columns

    def texts(self) -> list[list[str]]:
        """Every row as formatted text."""
        decimals = [each.decimals for each in self.headings()]
        return [list(map(format_number, row, decimals)) for row in self.rows]


@dataclass(frozen=True)
class Figure:
    """A chart, or several side by side, with a caption.

    A figure with a `name` has one file of that name beside Markdown, with all of its charts.
    """

    chart: Chart | tuple[Chart, ...]
    caption: str = ""
    name: str = ""

    @property
    def charts(self) -> tuple[Chart, ...]:
        return self.chart if isinstance(self.chart, tuple) else (self.chart,)


@dataclass(frozen=True)
class Code:
    """Verbatim text: a command, a recipe, a puzzle."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Notice:
    """A highlighted remark."""

    text: str


def _claim_cells(claim: Claim) -> tuple[str, Verdict, str]:
    """A claim with its place in the paper, the verdict and the evidence."""
    place = f" *({claim.where})*" if claim.where else ""
    return f"{claim.text}{place}", claim.verdict, claim.because


@dataclass(frozen=True)
class Claims:
    """Claims and their verdicts, a line each, with the evidence folded."""

    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Details:
    """Parts that are folded until a reader opens them."""

    title: str
    parts: tuple[Part, ...]


Part = str | Table | Figure | Code | Notice | Claims | Details  # of a section; text is Markdown


@dataclass(frozen=True)
class Section:
    """A heading and the parts below it; numbers its tables and figures unless told otherwise.

    Tables and figures of a paper have numbers of their own.
    """

    title: str
    parts: tuple[Part, ...]
    is_numbered: bool = True


@dataclass(frozen=True)
class Page:
    """A page with a title, a subtitle, sections and a footer.

    Titles, cells and captions are Markdown: pass other text, such as the names of a study, through
    `genoku.lab.report.page.literal`. The text of charts is plain.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    footer: str = ""

    def _repr_html_(self) -> str:
        """The first section, and the titles of the others."""
        first, *others = self.sections or (Section("", ()),)
        texts = [part.text if isinstance(part, Notice) else part for part in first.parts]
        said = [render_markdown(text) for text in texts if isinstance(text, str)]
        titles = [plain(section.title) for section in others]
        return notebook.block(
            notebook.headline(plain(self.title), plain(self.subtitle)),
            *said,
            notebook.details(
                "More sections with figures and tables: write_html", notebook.bullet_list(titles)
            ),
        )

    def html(self) -> str:
        """Return the page as one HTML document, with its drawings inside."""
        writer = HtmlWriter()
        contents, sections = "", ""
        for place, section in enumerate(self.sections, 1):
            title = inline(section.title)
            anchor = f"{slug(plain(section.title))}-{place}"
            contents += f'<li><a href="#{anchor}">{title}</a></li>'
            writer.is_numbering = section.is_numbered
            inside = "\n".join(writer.parts(section.parts))
            sections += f'<section id="{anchor}">\n<h2>{title}</h2>\n{inside}\n</section>\n'
        style = (files("genoku.lab.report") / "page.css").read_text(encoding="utf-8")
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{escape(plain(self.title))}</title>\n<style>\n{style}</style>\n"
            f"</head>\n<body>\n<header><h1>{inline(self.title)}</h1>"
            f'<div class="subtitle">{render_markdown(self.subtitle)}</div></header>\n'
            f'<nav aria-label="Contents"><ol>{contents}</ol></nav>\n<main>\n{sections}</main>\n'
            f"<footer>{render_markdown(self.footer)}</footer>\n"
            f"{SCRIPT if writer.has_printed_folds else ''}</body>\n</html>\n"
        )

    def write_html(self, path: str | Path) -> None:
        """Write the page as one HTML file; an older one is kept if this fails."""
        whole = self.html().encode()
        with binary_writer(path) as stream:
            stream.write(whole)

    def write_markdown(self, path: str | Path) -> None:
        """Write Markdown, and its figures as SVG files to the folder `STEM-figures` beside it."""
        path = Path(path)
        folder = path.parent / f"{path.stem}-figures"
        writer = _MarkdownWriter(folder.name)
        lines = [f"# {self.title}", "", self.subtitle, ""]
        for section in self.sections:
            writer.is_numbering = section.is_numbered
            lines += [f"## {section.title}", "", *writer.parts(section.parts)]
        if self.footer:
            lines += ["---", "", self.footer, ""]
        if writer.drawings:
            folder.mkdir(parents=True, exist_ok=True)
        written = {folder / name: drawing for name, drawing in writer.drawings.items()}
        written[path] = "\n".join(lines).rstrip() + "\n"
        for target, text in written.items():
            with binary_writer(target) as stream:
                stream.write(text.encode())


# Text

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_SPECIAL = re.compile(r"([\\`*_<>|\[\]#&])")
_FOLD = re.compile(r"<details><summary>(.*)</summary>")
_SIMPLE = re.compile(
    r"&lt;(b|strong|em|code)&gt;((?:(?!&lt;/?(?:b|strong|em|code)&gt;).)*)&lt;/\1&gt;"
)
_NUMERIC = re.compile(r"[−+-]?(∞|\d)|[<>≤≥≈~×]\s?\d|–$|$")


def literal(text: str) -> str:
    """Escape text for Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def render_markdown(text: str, image_source: Callable[[str], str] | None = None) -> str:
    """Render Markdown (CommonMark and tables) as safe HTML.

    Raw HTML is escaped, apart from folded parts as `Page.write_markdown` writes them, and unsafe
    links are not links. The result has no inline styles: cells that
    are aligned to the right have the class `number`. `image_source` maps the path of an image in
    the text to its address; without it, images are shown as their descriptions.
    """
    tokens = list(_fold(_MARKDOWN.parse(text)))
    for token in tokens:
        if str(token.attrs.pop("style", "")).endswith("right"):
            token.attrSet("class", "number")
        for each in token.children or ():
            if each.type == "image" and image_source:
                each.attrSet("src", image_source(str(each.attrs["src"])))
            elif each.type == "image":
                each.type = "text"  # its content is the description
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def _fold(tokens: list[Token]) -> Iterator[Token]:
    """Replace paragraphs that begin and end a folded part by its elements."""
    folds = 0
    skipped = 0  # tokens of a paragraph that was replaced
    for place, token in enumerate(tokens):
        if skipped:
            skipped -= 1
            continue
        said = ""
        if token.type == "paragraph_open" and token.level == 0:
            said = tokens[place + 1].content
        begun = _FOLD.fullmatch(said)
        html = ""
        if begun:
            html = f"<details><summary>{_simple_html(begun[1])}</summary>\n"
            folds += 1
        elif said == "</details>" and folds:
            html = "</details>\n"
            folds -= 1
        if html:
            skipped = 2
            yield Token("html_block", "", 0, content=html)
        else:
            yield token
    yield from [Token("html_block", "", 0, content="</details>\n")] * folds


def _simple_html(html: str) -> str:
    """Escape HTML apart from properly nested bold and italic text and code."""
    before, safe = "", escape(unescape(html))
    while safe != before:
        before, safe = safe, _SIMPLE.sub(r"<\1>\2</\1>", safe)
    return safe


def slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def inline(text: str) -> str:
    """Render a line of Markdown as HTML."""
    return str(_MARKDOWN.renderInline(text))


def plain(text: str) -> str:
    """Convert a line of Markdown to plain text."""
    tokens = _MARKDOWN.parseInline(text)[0].children or ()
    return "".join(" " if each.type.endswith("break") else each.content for each in tokens)


def _looks_numeric(cell: Cell) -> bool:
    if isinstance(cell, str):
        return _NUMERIC.match(cell.strip("*` ")) is not None
    return not isinstance(cell, bool)


# HTML


class HtmlWriter:
    """Writes parts as HTML, and numbers tables and figures in reading order."""

    def __init__(self) -> None:
        self.figures = self.tables = self.drawings = 0
        self.has_printed_folds = False
        self.is_numbering = True

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
                self.has_printed_folds = True
                items = "".join(
                    f'<li class="{verdict}"><details class="pictured"><summary>'
                    f'<span class="claim">{inline(text)}</span> '
                    f'<span class="verdict">{verdict}</span></summary>'
                    f'<div class="evidence">{inline(because)}</div></details></li>'
                    for text, verdict, because in map(_claim_cells, part.claims)
                )
                yield f'<ul class="claims">{items}</ul>'
            else:
                before = self.figures
                inside = "\n".join(self.parts(part.parts))
                kind = ' class="pictured"' if self.figures > before else ""
                self.has_printed_folds |= bool(kind)
                yield (
                    f"<details{kind}><summary>{inline(part.title)}</summary>\n"
                    f'<div class="folded">{inside}</div></details>'
                )

    def table(self, table: Table) -> str:
        caption = ""
        if table.caption:
            self.tables += self.is_numbering
            label = f'<span class="label">Table {self.tables}.</span> '
            name = label if self.is_numbering else ""
            # Not a caption element, which would scroll with a wide table
            caption = f'<div class="caption">{name}{inline(table.caption)}</div>'
        return f'<div class="table">{caption}<div class="wide">{_table(table)}</div></div>'

    def figure(self, figure: Figure) -> str:
        self.figures += self.is_numbering
        several = len(figure.charts) > 1
        legend = _shared_legend(figure.charts) if several else ""
        panels, values = "", ""
        for chart in figure.charts:
            title = f'<div class="panel-title">{escape(chart.title)}</div>' if several else ""
            drawn = self.chart(chart, several=several, legend=not legend)
            panels += f'<div class="panel">{title}{drawn}</div>'
            if not isinstance(chart, BoardGallery):
                values += f'{title}<div class="wide">{_values(chart)}</div>'
        if values:
            values = f'<details class="values"><summary>Values</summary>{values}</details>'
        title = figure.charts[0].title if len(figure.charts) == 1 else ""
        if title:
            title = escape(title if title.endswith((".", "?", "!")) else f"{title}.") + " "
        label = f'<span class="label">Figure {self.figures}.</span> ' if self.is_numbering else ""
        anchor = f' id="figure-{self.figures}"' if self.is_numbering else ""
        return (
            f'<figure{anchor}><div class="{"panels" if several else "whole"}">'
            f"{panels}</div>{legend}<figcaption>{label}"
            f"<strong>{title}</strong>{inline(figure.caption)}</figcaption>{values}</figure>"
        )

    def chart(self, chart: Chart, *, several: bool, legend: bool) -> str:
        """Draw a chart; one as wide as the page also has a narrow form for phones."""
        if isinstance(chart, BoardGallery):
            views = "".join(
                f'<div class="board">{view.svg()}<div>{escape(view.caption)}</div></div>'
                for view in chart.boards
            )
            key = f'<div class="key">{KEY_SVG}</div>' if chart.has_colours else ""
            return f'<div class="boards">{views}</div>{key}'
        if several or isinstance(chart, RankDiagram):
            return self.drawing(chart, FULL if isinstance(chart, RankDiagram) else HALF, legend)
        wide, narrow = (self.drawing(chart, width, legend) for width in (FULL, HALF))
        return f'<div class="for-wide">{wide}</div><div class="for-narrow">{narrow}</div>'

    def drawing(self, chart: Chart, width: float, legend: bool) -> str:
        """Draw a chart as part of the page: with its colours and unique ids."""
        self.drawings += 1
        kind = "drawing ranks" if isinstance(chart, RankDiagram) else "drawing"
        return themed_svg(svg(chart, width, legend=legend), f"d{self.drawings}-", kind)


def themed_svg(drawn: str, ids: str, kind: str = "drawing") -> str:
    """Adapt a drawing to the page that holds it: its colours, and a prefix for its ids."""

    def adapt(tag: re.Match[str]) -> str:
        text = re.sub(r'( id="|href="#|url\(#)', rf"\1{ids}", tag[0]).replace("xlink:", "")
        return re.sub(r"#[0-9a-f]{6}", lambda found: THEMED.get(found[0], found[0]), text)

    inside = drawn.partition(" viewBox=")[2].rstrip()
    return re.sub(r"<[^<>]*>", adapt, f'<svg class="{kind}" viewBox={inside}')


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


def _values(chart: Plot) -> str:
    """The numbers of a chart as an HTML table."""
    heads, rows = chart.table()
    cells = (
        tuple(literal(each) if isinstance(each, str) else each for each in row) for row in rows
    )
    return _table(Table(tuple(map(literal, heads)), tuple(cells)))


def _shared_legend(charts: tuple[Chart, ...]) -> str:
    """A common legend if every curve looks the same in all panels; else empty."""
    looks: dict[str, tuple[str, tuple[float, ...]]] = {}
    for chart in charts:
        if not isinstance(chart, LineChart) or chart.levels:
            return ""
        for index, series in enumerate(chart.series):
            own = chart.look(index)
            name = series.group or series.name
            if series.style == "points" or looks.setdefault(name, own) != own:
                return ""
    items = "".join(
        f'<li><svg width="26" height="10" aria-hidden="true"><path d="M0 5H26" stroke="{colour}" '
        f'stroke-width="2.4" stroke-dasharray="{" ".join(f"{1.4 * each:g}" for each in dashes)}"/>'
        f"</svg>{escape(shorten(name, 40))}</li>"
        for name, (colour, dashes) in looks.items()
    )
    return f'<ul class="legend">{items}</ul>'


def _side(column: Column, text: str = "") -> str:
    kinds = ["number"] * (column.align == "right") + ["long"] * _is_long(text)
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _is_long(text: str) -> bool:
    """Whether a cell has a word that must be broken."""
    return len(text) > LONGEST and any(len(word) > LONGEST for word in plain(text).split())


# Markdown


class _MarkdownWriter:
    """Writes parts as lines, and collects the drawings by their file names."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.drawings: dict[str, str] = {}
        self.figures = self.tables = 0
        self.is_numbering = True

    def parts(self, parts: tuple[Part, ...]) -> Iterator[str]:
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
                for text, verdict, because in map(_claim_cells, part.claims):
                    yield f"<details><summary><b>{verdict}</b>: {inline(text)}</summary>"
                    yield from ("", because, "", "</details>", "")
            else:
                yield from (f"<details><summary>{inline(part.title)}</summary>", "")
                yield from self.parts(part.parts)
                yield from ("</details>", "")

    def table(self, table: Table) -> Iterator[str]:
        if table.caption:
            self.tables += self.is_numbering
            label = f"**Table {self.tables}.** {table.caption}"
            yield from (label if self.is_numbering else f"**{table.caption}**", "")
        columns = table.headings()
        yield _row([f"{each.title}, {each.unit}" if each.unit else each.title for each in columns])
        yield _row(["---:" if each.align == "right" else "---" for each in columns])
        for row in table.texts():
            across = [f"**{row[0]}**", *[""] * (len(columns) - 1)]
            yield _row(row if len(row) == len(columns) else across)
        yield ""

    def figure(self, figure: Figure) -> Iterator[str]:
        self.figures += self.is_numbering
        several = len(figure.charts) > 1
        if figure.name:
            title = figure.charts[0].title if not several else plain(figure.caption)
            yield from self.image(figure.name, title, _svg_of(figure.charts))
        else:
            for place, chart in enumerate(figure.charts, 1):
                number = f"{self.figures}-{place}" if several else f"{self.figures}"
                stem = f"figure-{number}-{slug(chart.title)[:60]}".rstrip("-")
                drawn = svg(chart, HALF if several else FULL)
                yield from self.image(stem, chart.title, drawn)
        title = "" if several else literal(figure.charts[0].title.rstrip("."))
        label = f"**Figure {self.figures}.**" if self.is_numbering else ""
        said = f"{label}{f' **{title}.**' if title else ''} {figure.caption}".strip()
        yield from (said, "") if said else ()

    def image(self, stem: str, title: str, drawn: str) -> tuple[str, str]:
        self.drawings[f"{stem}.svg"] = drawn
        target = f"{self.folder}/{stem}.svg".replace(" ", "%20")
        return f"![{literal(title)}]({target})", ""


def _svg_of(charts: tuple[Chart, ...]) -> str:
    """Draw a chart, or several side by side, as one SVG."""
    panels = [each for each in charts if not isinstance(each, BoardGallery)]
    if len(charts) == 1 or len(panels) < len(charts):
        return svg(charts[0])
    with drawing():
        file = io.BytesIO()
        save(draw_panels(panels), file, "svg")
    return file.getvalue().decode()


def _row(cells: list[str]) -> str:
    """Format a row of a table; bars inside cells are escaped."""
    safe = [re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in cells]
    return f"| {' | '.join(safe)} |"
