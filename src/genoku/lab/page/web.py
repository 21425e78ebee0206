"""A page as one HTML file: style, script and drawings are all inside it."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files

from genoku.lab import interactive
from genoku.lab.boardviews import board_svg, key_svg
from genoku.lab.charts import LOOKS, Boards, Chart, Lines, colour_of, round_of
from genoku.lab.drawing import FULL, HALF, svg
from genoku.lab.labels import shortened
from genoku.lab.page.parts import (
    Cell,
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
)
from genoku.lab.page.words import headings, inline, number, plain, render_markdown

LONGEST = 26  # letters of a word in a table
DASHES = {"solid": "none", "dash": "7 4", "dot": "2 3", "dashdot": "7 3 2 3"}


def html(page: Page) -> str:
    """The page, figures and tables numbered in order."""
    writer = _Writer()
    sections = [writer.section(section) for section in page.sections]
    contents = "".join(
        f'<li><a href="#{_anchor(section.title, place)}">{inline(section.title)}</a></li>'
        for place, section in enumerate(page.sections)
    )
    footer = f"<footer>{render_markdown(page.footer)}</footer>" if page.footer else ""
    moving = ""
    if writer.moving:
        moving = (
            f"<script>{interactive.script()}</script>\n"
            f"<script>const templates = {interactive.templates()};\n{_own('page.js')}</script>\n"
        )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(plain(page.title))}</title>\n<style>\n{_own('page.css')}</style>\n"
        "</head>\n<body>\n"
        f"<header><h1>{inline(page.title)}</h1>"
        f'<div class="subtitle">{render_markdown(page.subtitle)}</div></header>\n'
        f'<nav aria-label="Contents"><ol>{contents}</ol></nav>\n'
        f"<main>\n{''.join(sections)}</main>\n{footer}\n{moving}</body>\n</html>\n"
    )


def _own(name: str) -> str:
    return (files("genoku.lab.page") / name).read_text(encoding="utf-8")


def _anchor(title: str, place: int) -> str:
    return re.sub(r"[^a-z0-9]+", "-", plain(title).lower()).strip("-") + f"-{place + 1}"


class _Writer:
    """Writes parts in reading order, which numbers tables and figures."""

    def __init__(self) -> None:
        self.figures = self.tables = self.sections = 0
        self.moving = False

    def section(self, section: Section) -> str:
        anchor = _anchor(section.title, self.sections)
        self.sections += 1
        inside = "\n".join(self.parts(section.parts))
        return f'<section id="{anchor}">\n<h2>{inline(section.title)}</h2>\n{inside}\n</section>\n'

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
                yield self.claims(part)
            else:
                yield self.details(part)

    def details(self, part: Details) -> str:
        inside = "\n".join(self.parts(part.parts))
        kind = ' class="pictured"' if _has_figure(part) else ""
        return (
            f"<details{kind}><summary>{inline(part.title)}</summary>\n"
            f'<div class="folded">{inside}</div></details>'
        )

    def claims(self, part: Claims) -> str:
        items = "".join(
            f'<li class="{claim.verdict}"><div class="claim">{inline(claim.text)}</div>'
            f'<div class="verdict">{claim.verdict}</div>'
            f'<div class="evidence">{inline(claim.evidence)}</div></li>'
            for claim in part.claims
        )
        return f'<ul class="claims">{items}</ul>'

    def table(self, table: Table) -> str:
        caption = ""
        if table.caption:
            self.tables += 1
            name = f'<span class="label">Table {self.tables}.</span>'
            # Not a caption element, which would scroll with a table that is too wide.
            caption = f'<div class="caption">{name} {inline(table.caption)}</div>'
        columns = headings(table)
        head = "".join(
            f"<th{_side(column, column.title)}>{_heading(column)}</th>" for column in columns
        )
        rows = "".join(f"<tr>{_cells(columns, row)}</tr>\n" for row in table.rows)
        return (
            f'<div class="table">{caption}<div class="wide"><table><thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{rows}</tbody></table></div></div>"
        )

    def figure(self, figure: Figure) -> str:
        self.figures += 1
        several = len(figure.charts) > 1
        legend = _shared_legend(figure) if several else ""
        panels = "".join(
            self.panel(chart, several=several, legend=not legend) for chart in figure.charts
        )
        title = "" if several or not figure.charts else f"{_sentence(figure.charts[0].title)} "
        return (
            f'<figure id="figure-{self.figures}"><div class="{"panels" if several else "whole"}">'
            f'{panels}</div>{legend}<figcaption><span class="label">Figure {self.figures}.</span> '
            f"<strong>{title}</strong>{inline(figure.caption)}</figcaption></figure>"
        )

    def panel(self, chart: Chart, *, several: bool, legend: bool) -> str:
        title = f'<div class="panel-title">{escape(chart.title)}</div>' if several else ""
        drawn = self.chart(chart, HALF if several else FULL, legend=legend)
        return f'<div class="panel">{title}{drawn}</div>'

    def chart(self, chart: Chart, width: float, *, legend: bool) -> str:
        """Boards as they are; other charts for the screen, and as a drawing for print."""
        if isinstance(chart, Boards):
            return _boards(chart)
        drawn = svg(chart, width, legend=legend)
        self.moving = True
        figure = interactive.figure(chart, legend=legend)
        # An image of its own: the ids inside one drawing cannot meet those of another.
        coded = base64.b64encode(drawn.encode()).decode()
        return (
            f'<div class="chart" style="min-height:{figure["layout"]["height"]}px">'
            f'<script type="application/json">{interactive.as_json(figure)}</script></div>'
            f'<img class="drawing" alt="{escape(chart.title)}" '
            f'src="data:image/svg+xml;base64,{coded}">'
        )


def _has_figure(part: Details) -> bool:
    return any(
        isinstance(each, Figure) or (isinstance(each, Details) and _has_figure(each))
        for each in part.parts
    )


def _boards(chart: Boards) -> str:
    """Boards that stand side by side where there is room."""
    views = "".join(
        f'<div class="board">{board_svg(view)}<div>{escape(view.caption)}</div></div>'
        for view in chart.boards
    )
    key = f'<div class="key">{key_svg()}</div>' if any(v.mapped for v in chart.boards) else ""
    return f'<div class="boards">{views}</div>{key}'


def _shared_legend(figure: Figure) -> str:
    """The legend below panels whose curves look alike in all of them; empty if they do not."""
    looks: dict[str, tuple[str, str]] = {}
    for chart in figure.charts:
        if not isinstance(chart, Lines) or chart.levels:
            return ""
        for index, series in enumerate(chart.series):
            name = series.group or series.name
            look = round_of(series.colour, index, LOOKS)
            own = colour_of(series.colour, index), "dash" if series.style == "dashed" else look
            if series.style == "points" or looks.setdefault(name, own) != own:
                return ""
    items = "".join(
        f'<li><svg width="26" height="10" aria-hidden="true"><line x1="0" y1="5" x2="26" y2="5" '
        f'stroke="{colour}" stroke-width="2.4" stroke-dasharray="{DASHES[look]}"/></svg>'
        f"{escape(shortened(name, 40))}</li>"
        for name, (colour, look) in looks.items()
    )
    return f'<ul class="legend">{items}</ul>'


def _cells(columns: list[Column], row: tuple[Cell, ...]) -> str:
    """The cells of a row, or a heading across it."""
    if len(row) < len(columns):
        text = number(row[0])
        kind = "group long" if _is_long(text) else "group"
        return f'<th class="{kind}" colspan="{len(columns)}">{inline(text)}</th>'
    texts = [number(cell, column.decimals) for column, cell in zip(columns, row, strict=True)]
    return "".join(
        f"<td{_side(column, text)}>{inline(text)}</td>"
        for column, text in zip(columns, texts, strict=True)
    )


def _sentence(title: str) -> str:
    return escape(title if title.endswith((".", "?", "!")) else f"{title}.") if title else ""


def _side(column: Column, text: str = "") -> str:
    kinds = ["number"] * (column.align == "right") + ["long"] * _is_long(text)
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _is_long(text: str) -> bool:
    """Whether a cell has a word so long that it must be broken, or others are out of sight."""
    return any(len(word) > LONGEST for word in plain(text).split())


def _heading(column: Column) -> str:
    unit = f'<span class="unit">{inline(column.unit)}</span>' if column.unit else ""
    return inline(column.title) + unit
