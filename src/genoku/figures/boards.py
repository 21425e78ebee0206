"""Boards as pixels: one as a PNG, and the board evolving as a GIF, by report 003's fitness map."""

from __future__ import annotations

import io
import math
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from genoku.board import Board, Puzzle
from genoku.display import INK, PAPER, SOFT
from genoku.engine.result import Result, score_text
from genoku.engine.run import View
from genoku.errors import GenokuError
from genoku.figures.curves import require_lab
from genoku.fitness import MAP_COLOURS, fitness_map
from genoku.formats.writing import replacing_bytes
from genoku.notation import symbol
from genoku.problem import Problem
from genoku.state import declared

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

SHADE, RULE = "#f0f1f4", "#b8bcc6"
CHANGED = "#ffd75f"
OPEN = "#eef0f4"  # nearly paper, so that the lines between open cells are seen
MARGIN = 12


def board_png(
    puzzle: Puzzle,
    board: Sequence[int],
    grounds: Sequence[str | None] | None = None,
    candidates: Sequence[Collection[int]] | None = None,
) -> bytes:
    """Draw a board on the colours of its cells; givens are bold, candidates small in blanks."""
    require_lab()
    side = puzzle.side
    cell = max(36, min(96, 1440 // side)) * (2 if candidates and side > 9 else 1)
    shown = [
        (grounds[place] if grounds else None) or (SHADE if given else PAPER)
        for place, given in enumerate(puzzle.digits)
    ]
    picture = _Painter(puzzle, cell, RULE, INK).board(board, shown, candidates=candidates)
    stream = io.BytesIO()
    picture.save(stream, format="PNG", optimize=True)
    return stream.getvalue()


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

    def write(self, result: Result, path: str | Path, colours: Sequence[str] = MAP_COLOURS) -> None:
        """Write the film; it ends with the best board of the run."""
        frames = [*self.frames, Frame(result.steps, result.board, result.cost)]
        if len(frames) > 1 and np.array_equal(frames[-2].board, result.board):
            del frames[-2]  # else nothing would have changed in the last one
        write_gif(path, frames, result.problem, declared(result.algorithm).step_name, colours)


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
    pictures = _pictures(frames, problem, word, colours)
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


def _pictures(
    frames: Sequence[Frame], problem: Problem, word: str, colours: Sequence[str]
) -> Iterator[Image]:
    """The frames of a film, all with the same colours."""
    from PIL import ImageDraw
    from PIL.Image import Dither

    side = problem.puzzle.side
    painter = _Painter(problem.puzzle, min(48, max(18, 440 // side)), PAPER, PAPER)
    top, right, font = painter.full + 2, painter.full - MARGIN, _font(15)

    def picture(frame: Frame, before: Board) -> Image:
        digits = frame.board.tolist()
        units: list[int] = fitness_map(frame.board, problem.puzzle.geometry).tolist()
        grounds = [
            colours[each] if digit else OPEN for each, digit in zip(units, digits, strict=True)
        ]
        made = painter.board(digits, grounds, changed=(frame.board != before).tolist(), below=50)
        draw = ImageDraw.Draw(made)
        draw.rectangle((MARGIN - 2, MARGIN - 2, right + 2, right + 2), None, INK, 2)
        draw.text((MARGIN, top), f"{word} {frame.step:,}", INK, font, "la")
        solved = problem.puzzle.is_solved_by(frame.board)
        told = "solved" if solved else score_text(problem, frame.cost)
        draw.text((right, top), told, INK, font, "ra")
        draw.text((MARGIN, top + 22), "complete units", SOFT, font, "la")
        for points, colour in enumerate(colours):
            x = right - 34 * (4 - points)
            draw.rectangle((x + 14, top + 23, x + 33, top + 38), colour)
            draw.text((x + 24, top + 31), str(points), _ink_on(colour), font, "mm")
        return made

    # The palette is that of the last frame, and of every kind of tile that a film may show.
    every = picture(frames[-1], frames[-1].board)
    looks = [(digit, colour) for digit in range(1, side + 1) for colour in colours]
    kinds = [(0, OPEN), *looks]
    for place, (digit, ground) in enumerate(kinds[: side * side]):
        tile = painter.tile(digit, ground, place % 2 == 0, place % 3 == 0)
        every.paste(tile, painter.place(place))
    palette = every.quantize(128)
    before = frames[0].board
    for frame in frames:
        yield picture(frame, before).quantize(palette=palette, dither=Dither.NONE)
        before = frame.board


class _Painter:
    """Draws boards of one size; cells that look alike are drawn once."""

    def __init__(self, puzzle: Puzzle, cell: int, thin: str, thick: str) -> None:
        self.puzzle, self.cell, self.thin, self.thick = puzzle, cell, thin, thick
        self.full = puzzle.side * cell + 2 * MARGIN
        size = round(cell * (0.55 if puzzle.side <= 35 else 0.45))
        self.fonts = _font(size), _font(size, "-Bold")
        self.tiles: dict[tuple[int, str, bool, bool], Image] = {}

    def board(
        self,
        board: Sequence[int],
        grounds: Sequence[str],
        *,
        changed: Sequence[bool] | None = None,
        candidates: Sequence[Collection[int]] | None = None,
        below: int = 0,
    ) -> Image:
        """The board on the colours of its cells, and so much room below it."""
        from PIL import Image, ImageDraw

        picture = Image.new("RGB", (self.full, self.full + below), PAPER)
        for place, (digit, given) in enumerate(zip(board, self.puzzle.digits, strict=True)):
            edge = changed is not None and changed[place]
            picture.paste(self.tile(digit, grounds[place], given > 0, edge), self.place(place))
        draw = ImageDraw.Draw(picture)
        if candidates is not None:
            self._add_candidates(draw, board, candidates)
        first, last = MARGIN, self.full - MARGIN
        geometry = self.puzzle.geometry
        for i in range(geometry.side + 1):
            at = first + i * self.cell
            for line, box in (
                ((first, at, last, at), geometry.box_rows),
                ((at, first, at, last), geometry.box_cols),
            ):
                draw.line(line, self.thin if i % box else self.thick, 1 if i % box else 4)
        return picture

    def place(self, cell: int) -> tuple[int, int]:
        row, column = divmod(cell, self.puzzle.side)
        return MARGIN + column * self.cell, MARGIN + row * self.cell

    def tile(self, digit: int, ground: str, given: bool, changed: bool) -> Image:
        """A cell with its digit, framed if it has changed."""
        from PIL import Image, ImageDraw

        key = digit, ground, given, changed
        if key not in self.tiles:
            tile = Image.new("RGB", (self.cell, self.cell), ground)
            draw = ImageDraw.Draw(tile)
            if changed:
                edge = max(2, self.cell // 14)
                draw.rectangle((2, 2, self.cell - 2, self.cell - 2), None, CHANGED, edge)
            text = symbol(digit, self.puzzle.side) if digit else ""
            middle = self.cell / 2, self.cell / 2
            draw.text(middle, text, _ink_on(ground), self.fonts[given], "mm")
            self.tiles[key] = tile
        return self.tiles[key]

    def _add_candidates(
        self, draw: Any, board: Sequence[int], candidates: Sequence[Collection[int]]
    ) -> None:
        side = self.puzzle.side
        across = math.isqrt(side - 1) + 1  # they stand in rows of so many
        small = _font(round(self.cell / across * (0.8 if side <= 35 else 0.6)))
        for place, digits in enumerate(candidates):
            x, y = self.place(place)
            for each in () if board[place] else digits:
                down, right = divmod(each - 1, across)
                step = self.cell / across
                middle = x + (right + 0.5) * step, y + (down + 0.5) * step
                draw.text(middle, symbol(each, side), INK, small, "mm")


def _font(size: int, weight: str = "") -> FreeTypeFont:
    from matplotlib import get_data_path
    from PIL import ImageFont

    path = Path(get_data_path(), "fonts", "ttf", f"DejaVuSans{weight}.ttf")
    return ImageFont.truetype(path, size)


def _ink_on(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return PAPER if 299 * red + 587 * green + 114 * blue <= 128_000 else INK
