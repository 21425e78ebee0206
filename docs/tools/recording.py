"""Record what `genoku evolve` shows in a terminal, as an animated GIF.

    python docs/tools/recording.py docs/figures/evolve.gif
    python docs/tools/recording.py docs/figures/evolve-wide.gif --size 120x28 --preset simon

The frames are those of the live display itself, at its pace, drawn character by character. The run
is that of the preset's seed: only times and rates differ between recordings.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import NamedTuple

from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont
from rich.console import Console, RenderableType

from genoku.cli.live import DOTS, EIGHTHS, RunDisplay
from genoku.engine.pace import seconds_until
from genoku.engine.run import View, run, warm_up
from genoku.evolve.presets import preset
from genoku.evolve.stopping import Until

WIDE, HIGH = 9, 18  # pixels of a character
MARGIN = 12
PAPER, INK, DIM = "#1b1d23", "#e4e6eb", "#8a8f9a"
ANSI = {"green": "#6fbf73", "blue": "#6ca0e8"}
FASTEST = 0.12  # seconds of a frame
LAST = 5.0  # seconds of the last one
COLOURS = 64  # in the file


class Glyph(NamedTuple):
    """A character on the screen."""

    sign: str
    ink: str
    paper: str
    is_bold: bool


Screen = list[list[Glyph]]


def main() -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("file", type=Path)
    parser.add_argument("--size", default="80x24", help="columns and lines")
    parser.add_argument("--preset", default="textbook")
    options = parser.parse_args()
    columns, lines = map(int, options.size.split("x"))
    screens, seconds = record(options.preset, columns, lines)
    pictures = [draw(screen, columns, lines) for screen in screens]
    palette = pictures[len(pictures) // 2].quantize(COLOURS)
    frames = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in pictures]
    frames[0].save(
        options.file,
        save_all=True,
        append_images=frames[1:],
        duration=[round(1000 * each) for each in seconds],
        loop=0,
        optimize=True,
    )
    print(f"{options.file}: {len(frames)} frames, {options.file.stat().st_size / 1000:.0f} kB")


def record(name: str, columns: int, lines: int) -> tuple[list[Screen], list[float]]:
    """Run a preset; return what its live display shows, and for how many seconds each."""
    found = preset(name)
    algorithm, seed = found.build(), found.seed or 0
    warm_up(algorithm, found.puzzle.geometry)
    title = f"{name} on {found.puzzle_name}, seed {seed}"
    display = RunDisplay(algorithm, Until.parse(found.until), title, about=found.title)
    console = Console(width=columns, height=lines, color_system="truecolor", force_terminal=True)
    screens: list[Screen] = []
    moments: list[float] = []

    def watch(view: View) -> None:
        display.sample_due = 0.0  # the run does not wait here
        display(view)
        moment = seconds_until(view.state.step)
        if not moments or moment >= moments[-1] + FASTEST or view.state.finished:
            screens.append(screen_of(display.picture(columns, lines), console))
            moments.append(moment)

    run(found.puzzle, algorithm, seed=seed, until=found.until, watch=watch)
    seconds = [after - before for before, after in itertools.pairwise(moments)]
    return screens, [*seconds, LAST]


def screen_of(picture: RenderableType, console: Console) -> Screen:
    """The characters that a terminal would show."""
    screen: Screen = []
    for segments in console.render_lines(picture):
        line = []
        for text, style, _ in segments:
            ink, paper = INK, PAPER
            if style is not None and style.color is not None:
                named = ANSI.get(style.color.name)
                ink = named or style.color.get_truecolor().hex
            elif style is not None and style.dim:
                ink = DIM
            if style is not None and style.bgcolor is not None:
                paper = style.bgcolor.get_truecolor().hex
            is_bold = bool(style and style.bold)
            line += [Glyph(sign, ink, paper, is_bold) for sign in text]
        screen.append(line)
    return screen


def draw(screen: Screen, columns: int, lines: int) -> Image.Image:
    """Draw a screen."""
    size = 2 * MARGIN + columns * WIDE, 2 * MARGIN + lines * HIGH
    picture = Image.new("RGB", size, PAPER)
    pen = ImageDraw.Draw(picture)
    for row, line in enumerate(screen[:lines]):
        for column, glyph in enumerate(line):
            draw_glyph(pen, glyph, MARGIN + column * WIDE, MARGIN + row * HIGH)
    return picture


def draw_glyph(pen: ImageDraw.ImageDraw, glyph: Glyph, left: int, top: int) -> None:
    """Draw a character; dots and blocks are drawn as such, which fonts do not align."""
    if glyph.paper != PAPER:
        pen.rectangle((left, top, left + WIDE - 1, top + HIGH - 1), glyph.paper)
    code = ord(glyph.sign) - 0x2800
    if 0 <= code < 256:
        for y, bits in enumerate(DOTS):
            for x, bit in enumerate(bits):
                if code & bit:
                    at = left + 2 + 4 * x, top + 2 + 4 * y
                    pen.rectangle((*at, at[0] + 2, at[1] + 2), glyph.ink)
    elif glyph.sign in EIGHTHS[1:]:
        tall = HIGH * EIGHTHS.index(glyph.sign) // 8
        pen.rectangle((left, top + HIGH - tall, left + WIDE - 1, top + HIGH - 1), glyph.ink)
    elif glyph.sign.strip():
        pen.text((left, top + 1), glyph.sign, glyph.ink, FONTS[glyph.is_bold])


def font(weight: str) -> ImageFont.FreeTypeFont:
    path = Path(get_data_path(), "fonts", "ttf", f"DejaVuSansMono{weight}.ttf")
    return ImageFont.truetype(path, 15)


FONTS = font(""), font("-Bold")

if __name__ == "__main__":
    main()
