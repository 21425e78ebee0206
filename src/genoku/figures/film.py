"""The board evolving, as a GIF: report 003's fitness map, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from genoku.board import Board
from genoku.engine.result import Result
from genoku.engine.run import View
from genoku.errors import GenokuError
from genoku.figures.curves import require_lab
from genoku.fitness import fitness_map
from genoku.formats.writing import replacing_bytes
from genoku.looks import INK, MAP_COLOURS, PAPER, SOFT, score_text, step_word
from genoku.notation import symbol
from genoku.problem import Problem

if TYPE_CHECKING:
    from PIL.Image import Image

CHANGED = "#ffd75f"
OPEN = "#eef0f4"  # nearly paper, so that the lines between open cells are seen


class Frame(NamedTuple):
    """The best board of a population, and when."""

    step: int
    board: Board
    cost: int


class Film:
    """A watcher that keeps the best board of every 2^k-th step, so that memory stays bounded.

    `run(..., watch=film)`, then `film.write(result, "run.gif")`.
    """

    def __init__(self, frames: int = 120) -> None:
        self.most = frames
        self.every = 1
        self.frames: list[Frame] = []

    def __call__(self, view: View) -> None:
        step = view.state.step
        if step % self.every:
            return
        costs = view.state.costs
        place = int(costs.argmin())
        self.frames.append(Frame(step, view.state.boards[place].copy(), int(costs[place])))
        if len(self.frames) > self.most:
            self.every *= 2
            first, *later = self.frames
            self.frames = [first, *(frame for frame in later if frame.step % self.every == 0)]

    def write(self, result: Result, path: str | Path) -> None:
        """Write the film; it ends with the best board of the run."""
        frames = [*self.frames, Frame(result.steps, result.board, result.cost)]
        if len(frames) > 1 and np.array_equal(frames[-2].board, result.board):
            del frames[-2]  # else nothing would have changed in the last one
        write_gif(path, frames, result.problem, step_word(result.algorithm))


def write_gif(
    path: str | Path,
    frames: Sequence[Frame],
    problem: Problem,
    word: str = "generation",
    colours: Sequence[str] = MAP_COLOURS,
) -> None:
    """Draw boards by report 003's fitness map: givens bold, changes framed, open cells pale.

    Other `colours` than the usual are dark for 0 complete units and light for 1 to 3 of them.
    """
    require_lab()
    if not frames:
        raise GenokuError("expected a frame or more, got none")
    easel = _Easel(problem, word, colours)
    pictures = easel.pictures(frames)
    shown = round(min(500, max(80, 12_000 / len(frames))), -1)
    with replacing_bytes(path) as file:
        next(pictures).save(
            file,
            format="GIF",
            save_all=True,
            append_images=pictures,
            duration=[shown] * (len(frames) - 1) + [3000],
            loop=0,
            optimize=False,
        )


class _Easel:
    """Draws frames of one size with one palette."""

    def __init__(self, problem: Problem, word: str, colours: Sequence[str]) -> None:
        from matplotlib import get_data_path
        from PIL import ImageFont

        self.problem, self.word, self.colours = problem, word, colours
        geometry = problem.puzzle.geometry
        self.cell = min(48, max(18, 440 // geometry.side))
        fonts = Path(get_data_path(), "fonts", "ttf")
        size = round(self.cell * (0.56 if geometry.side <= 35 else 0.46))
        self.plain = ImageFont.truetype(fonts / "DejaVuSans.ttf", size)
        self.bold = ImageFont.truetype(fonts / "DejaVuSans-Bold.ttf", size)
        self.words = ImageFont.truetype(fonts / "DejaVuSans.ttf", 15)
        self.margin = 12
        self.width = geometry.side * self.cell + 2 * self.margin
        self.height = self.width + 50
        self.tiles: dict[tuple[int, bool, int, bool], Image] = {}

    def pictures(self, frames: Sequence[Frame]) -> Iterator[Image]:
        from PIL.Image import Dither

        before = frames[0].board
        palette = self._palette(frames[-1])
        for frame in frames:
            yield self._drawn(frame, before).quantize(palette=palette, dither=Dither.NONE)
            before = frame.board

    def _palette(self, frame: Frame) -> Image:
        """The colours of a frame that shows every kind of tile there is."""
        picture = self._drawn(frame, frame.board)
        side, digits = self.problem.puzzle.side, range(1, self.problem.puzzle.side + 1)
        kinds = [(0, 0, 0, 0), (0, 0, 0, 1)]  # open cells, and then all others
        kinds += [(d, g, p, c) for d in digits for g in (0, 1) for p in range(4) for c in (0, 1)]
        for i, (digit, given, points, changed) in enumerate(kinds[: side * side]):
            tile = self._tile(digit, bool(given), points, bool(changed))
            picture.paste(tile, self._place(i))
        return picture.quantize(128)

    def _drawn(self, frame: Frame, before: Board) -> Image:
        from PIL import Image, ImageDraw

        geometry, givens = self.problem.puzzle.geometry, self.problem.puzzle.digits
        picture = Image.new("RGB", (self.width, self.height), PAPER)
        points = fitness_map(frame.board, geometry).tolist()
        changed = (frame.board != before).tolist()
        for cell, digit in enumerate(frame.board.tolist()):
            tile = self._tile(digit, givens[cell] > 0, points[cell], changed[cell])
            picture.paste(tile, self._place(cell))
        draw = ImageDraw.Draw(picture)
        first, last = self.margin, self.width - self.margin
        for i in range(1, geometry.side):
            at = first + i * self.cell
            for line, box in (
                ((first, at, last, at), geometry.box_rows),
                ((at, first, at, last), geometry.box_cols),
            ):
                draw.line(line, PAPER, 1 if i % box else 4)
        draw.rectangle((first - 2, first - 2, last + 2, last + 2), None, INK, 2)
        self._caption(draw, frame)
        return picture

    def _caption(self, draw: Any, frame: Frame) -> None:
        top, right = self.width + 2, self.width - self.margin
        draw.text((self.margin, top), f"{self.word} {frame.step:,}", INK, self.words, "la")
        verdict = "solved" if self.problem.puzzle.is_solved_by(frame.board) else ""
        told = verdict or score_text(self.problem, frame.cost)
        draw.text((right, top), told, INK, self.words, "ra")
        draw.text((self.margin, top + 22), "complete units", SOFT, self.words, "la")
        for points, colour in enumerate(self.colours):
            x = right - 34 * (4 - points)
            draw.rectangle((x + 14, top + 23, x + 33, top + 38), colour)
            draw.text((x + 24, top + 31), str(points), _ink_on(points), self.words, "mm")

    def _place(self, cell: int) -> tuple[int, int]:
        row, column = divmod(cell, self.problem.puzzle.side)
        return self.margin + column * self.cell, self.margin + row * self.cell

    def _tile(self, digit: int, given: bool, points: int, changed: bool) -> Image:
        key = digit, given, points, changed
        if key not in self.tiles:
            self.tiles[key] = self._new_tile(*key)
        return self.tiles[key]

    def _new_tile(self, digit: int, given: bool, points: int, changed: bool) -> Image:
        from PIL import Image, ImageDraw

        ground = self.colours[points] if digit else OPEN
        tile = Image.new("RGB", (self.cell, self.cell), ground)
        draw = ImageDraw.Draw(tile)
        if changed:
            edge = max(2, self.cell // 14)
            draw.rectangle((2, 2, self.cell - 2, self.cell - 2), None, CHANGED, edge)
        text = symbol(digit, self.problem.puzzle.side) if digit else ""
        font = self.bold if given else self.plain
        middle = self.cell / 2
        draw.text((middle, middle), text, _ink_on(points), font, "mm")
        return tile


def _ink_on(points: int) -> str:
    return PAPER if points == 0 else INK
