"""What an experiment makes of its runs: tables and figures, and their files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genoku.lab.experiments.runs import FinishedRun, PlannedRun
from genoku.lab.report.charts import BoardGallery, BoardPicture, draw, draw_panels, svg
from genoku.lab.report.page import Figure, Part, Table, plain
from genoku.present.figures import board_png, drawing, save
from genoku.puzzle.formats.entries import binary_writer, text_writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

PICTURES = ("svg", "png")  # the formats of every figure
BOARD_INCHES = 3.2  # the width of a board in a picture of several


@dataclass(frozen=True)
class Output:
    """A table or figure, and the name of its files without a suffix.

    A table that `prints` is also shown on the terminal.
    """

    name: str
    part: Table | Figure
    prints: bool = False

    def write(self, folder: Path) -> list[Path]:
        """Write a table as CSV, and a figure as SVG and PNG; return the files."""
        base = folder / self.name
        base.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(self.part, Table):
            return [_write_csv(self.part, base.with_name(f"{base.name}.csv"))]
        pictures = _draw_pictures(self.part)
        return [_write(pictures[kind], base.with_name(f"{base.name}.{kind}")) for kind in PICTURES]


@dataclass(frozen=True)
class Chapter:
    """A part of an experiment: its runs, and what is made of them once all are there.

    `make` gets the finished runs in the order of `runs`, and returns the parts of a section: text
    in Markdown, outputs, and other parts that have no files of their own.
    """

    title: str
    runs: tuple[PlannedRun, ...]
    make: Callable[[Sequence[FinishedRun]], Sequence[Part | Output]]


@dataclass(frozen=True)
class Experiment:
    """A report's experiment: the title of its page, what is said below it, and its chapters."""

    title: str
    about: str
    chapters: tuple[Chapter, ...]

    @property
    def runs(self) -> tuple[PlannedRun, ...]:
        """The runs of all chapters, in order."""
        return tuple(run for chapter in self.chapters for run in chapter.runs)


def _write_csv(table: Table, path: Path) -> Path:
    """Write a table with all digits of its numbers, without Markdown; None becomes empty."""
    with text_writer(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([plain(each.name) for each in table.headings()])
        writer.writerows([_csv_cell(cell) for cell in row] for row in table.rows)
    return path


def _csv_cell(cell: Any) -> Any:
    if isinstance(cell, float):
        return f"{cell:.10g}"
    return plain(cell) if isinstance(cell, str) else cell


def _write(content: bytes, path: Path) -> Path:
    with binary_writer(path) as file:
        file.write(content)
    return path


def _draw_pictures(figure: Figure) -> dict[str, bytes]:
    """Draw the charts of a figure side by side, or its boards with captions, in every format."""
    first, *others = figure.charts
    if isinstance(first, BoardGallery):
        return {"svg": svg(first).encode(), "png": _draw_boards(first)}
    panels = [each for each in figure.charts if not isinstance(each, BoardGallery)]
    with drawing():
        drawn = draw_panels(panels) if others else draw(first)
        return {kind: _saved(drawn, kind, first.title) for kind in PICTURES}


def _saved(figure: Canvas, kind: str, title: str = "") -> bytes:
    file = io.BytesIO()
    save(figure, file, kind, title)
    return file.getvalue()


def _draw_boards(gallery: BoardGallery) -> bytes:
    """Draw boards side by side as PNG, with their captions below."""
    from matplotlib.figure import Figure as Canvas
    from matplotlib.image import imread

    count = len(gallery.boards)
    with drawing():
        canvas = Canvas(figsize=(BOARD_INCHES * count, BOARD_INCHES * 1.08), layout="constrained")
        row = canvas.subplots(1, count, squeeze=False)[0]
        for axes, view in zip(row, gallery.boards, strict=True):
            axes.imshow(imread(io.BytesIO(_board_png(view)), format="png"))
            axes.axis("off")
        return _saved(canvas, "png")


def _board_png(view: BoardPicture) -> bytes:
    board = view.puzzle.digits if view.board is None else view.board
    return board_png(view.puzzle, list(board), view.colours(), caption=view.caption)
