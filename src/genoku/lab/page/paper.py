"""A page as Markdown, its figures as SVG files in a folder beside it: for papers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from genoku.formats import replacing_bytes
from genoku.lab.drawing import FULL, HALF, svg
from genoku.lab.page.parts import Claims, Code, Details, Figure, Notice, Page, Part, Table
from genoku.lab.page.words import headings, literal, number


def write_markdown(page: Page, path: Path) -> None:
    """Write the text to `path`, and figures to the folder `STEM-figures` beside it.

    Every file is written as a whole, the text last; older ones stay if anything fails.
    """
    folder = path.parent / f"{path.stem}-figures"
    writer = _Writer(folder)
    lines = [f"# {page.title}", "", page.subtitle, ""]
    for section in page.sections:
        lines += [f"## {section.title}", "", *writer.parts(section.parts)]
    if page.footer:
        lines += ["---", "", page.footer, ""]
    if writer.drawings:
        folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in writer.drawings.items():
        with replacing_bytes(folder / name) as stream:
            stream.write(drawing.encode())
    text = "\n".join(lines).rstrip() + "\n"
    with replacing_bytes(path) as stream:
        stream.write(text.encode())


class _Writer:
    def __init__(self, folder: Path) -> None:
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
                    (each.text, f"**{each.verdict}**", each.evidence) for each in part.claims
                )
                yield from self.table(Table(("claim", "verdict", "evidence"), rows))
            else:
                yield from self.details(part, level)

    def details(self, part: Details, level: int) -> Iterator[str]:
        """What is folded on screen is a section of its own on paper."""
        yield from (f"{'#' * min(level, 6)} {part.title}", "")
        yield from self.parts(part.parts, level + 1)

    def table(self, table: Table) -> Iterator[str]:
        if table.caption:
            self.tables += 1
            yield from (f"**Table {self.tables}.** {table.caption}", "")
        columns = headings(table)
        yield _row([f"{each.title}, {each.unit}" if each.unit else each.title for each in columns])
        yield _row(["---:" if each.align == "right" else "---" for each in columns])
        for row in table.rows:
            if len(row) < len(columns):
                yield _row([f"**{number(row[0])}**", *[""] * (len(columns) - 1)])
                continue
            pairs = zip(columns, row, strict=True)
            yield _row([number(cell, column.decimals) for column, cell in pairs])
        yield ""

    def figure(self, figure: Figure) -> Iterator[str]:
        self.figures += 1
        several = len(figure.charts) > 1
        for place, chart in enumerate(figure.charts):
            letter = f"-{place + 1}" if several else ""
            words = re.sub(r"[^a-z0-9]+", "-", chart.title.lower()).strip("-")[:60]
            name = f"figure-{self.figures}{letter}" + (f"-{words}" if words else "") + ".svg"
            self.drawings[name] = svg(chart, HALF if several else FULL)
            target = f"{self.folder.name}/{name}".replace(" ", "%20")
            yield from (f"![{literal(chart.title)}]({target})", "")
        titles = [each.title for each in figure.charts]
        title = f" **{literal(titles[0].rstrip('.'))}.**" if len(titles) == 1 and titles[0] else ""
        yield from (f"**Figure {self.figures}.**{title} {figure.caption}".rstrip(), "")


def _row(cells: list[str]) -> str:
    """A row of a table; a bar inside a cell must not end it."""
    safe = [re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in cells]
    return f"| {' | '.join(safe)} |"
