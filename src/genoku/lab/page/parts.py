"""What a page is made of: sections of text, tables, figures and folded parts, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from genoku import display
from genoku.lab.charts import Chart

Cell = str | int | float | None
Verdict = Literal["holds", "fails", "undecided"]


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
    """A claim, whether it holds, and the evidence in a sentence or two."""

    text: str
    verdict: Verdict
    evidence: str


@dataclass(frozen=True)
class Claims:
    """Claims and what became of them."""

    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Details:
    """Parts that are folded until a reader asks for them."""

    title: str
    parts: tuple[Part, ...]


Part = str | Table | Figure | Code | Notice | Claims | Details
"""A part of a section; text is paragraphs and lists with **bold**, *italics* and `code`."""


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Page:
    """A title, a line below it, and sections; as one HTML file, or Markdown with SVG beside it.

    Titles, cells and captions are text with **bold** and `code` too: pass foreign words, such as
    the names of a study, through `genoku.lab.page.literal`. The words of charts stand as they are.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    footer: str = ""

    def _repr_html_(self) -> str:
        """What comes first, and the titles of the rest: a notebook is no place for all of it."""
        from genoku.lab.page.words import plain, render_markdown

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
        """One file that needs no network: charts move on screen, and are drawings in print."""
        from genoku.lab.page.web import html

        return html(self)

    def write_html(self, path: str | Path) -> None:
        """Write the file as a whole; an older one stays as it was if anything fails."""
        from genoku.formats import replacing_bytes

        whole = self.html().encode()
        with replacing_bytes(path) as stream:
            stream.write(whole)

    def write_markdown(self, path: str | Path) -> None:
        """Write Markdown, and its figures as SVG files into a folder beside it."""
        from genoku.lab.page.paper import write_markdown

        write_markdown(self, Path(path))
