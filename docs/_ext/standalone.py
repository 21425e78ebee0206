"""Figures of the site as SVG files, and their captions as Markdown: for pages in the repository.

Such a file is on white, with the light colours of the site's style sheet.
"""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path

SHEET = Path(__file__).parents[1] / "_static" / "genoku.css"
PICTURES = Path(__file__).parents[1] / "pictures"
WIDE, GAP, TITLE, NOTE = 720, 20, 20, 18  # of a picture, in pixels
PIECE = re.compile(
    r'<div class="(?:board|chart)"><b>(.*?)</b><svg ([^>]*)>(.*?)</svg>'
    r"(?:<span>(.*?)</span>)?</div>"
)
CAPTION = re.compile(r"<figcaption>(.*?)</figcaption>")
KEY = re.compile(r'<i class="key ([\w-]+)"></i>')
BOX = re.compile(r'viewBox="([-\d.]+) ([-\d.]+) ([\d.]+) ([\d.]+)"')
KEYS = {
    "from-a": "blue",
    "from-b": "orange",
    "from-both": "violet",
    "from-neither": "red",
    "units-0": "grey",
    "units-1": "red",
    "units-2": "blue",
    "units-3": "green",
}
"""What a coloured key of a caption is in words."""
LOOKS = {
    "thin": "fill:none;stroke:var(--rule)",
    "thick": "fill:none;stroke:var(--frame);stroke-linecap:square;stroke-width:2",
    "marked": "fill:none;stroke:var(--mark);stroke-width:3",
    "clash": "fill:var(--clash);font-weight:700",
    "fixed": "fill:var(--ink);font-weight:700",
}
"""The style of a class; of any other, it is filled with the variable of its name."""


def caption(figure: str) -> str:
    """Return the caption of a figure as Markdown."""
    found = CAPTION.search(figure)
    assert found
    text = unescape(KEY.sub(lambda key: KEYS[key[1]], found[1])).strip().replace("*", "\\*")
    return text[:1].upper() + text[1:]


def in_markdown(name: str, figure_caption: str, title: str, folder: str = "../pictures") -> str:
    """Return a picture with its caption, as they stand on a page."""
    return f"![{title}]({folder}/{name}.svg)\n\n*{figure_caption}*"


def standalone(figure: str, name: str) -> str:
    """Return the boards and charts of a figure as one SVG: side by side where they have room."""
    made, x, y, high, wide = "", 0.0, 0.0, 0.0, 0.0
    for title, attributes, inside, note in PIECE.findall(figure):
        box = BOX.search(attributes)
        assert box
        width, height = float(box[3]), float(box[4])
        if x and x + width > WIDE:
            x, y, high = 0.0, y + high + GAP, 0.0
        below = y + TITLE + height + 13
        made += f'<text class="title" x="{x + 2:g}" y="{y + 13:g}">{title}</text>'
        made += (
            f'<svg x="{x:g}" y="{y + TITLE:g}" width="{width:g}" height="{height:g}" {box[0]}'
            f"{_font(attributes)}>{_short(inside)}</svg>"
        )
        if note:
            made += f'<text class="note" x="{x + 2:g}" y="{below:g}">{note}</text>'
        high = max(high, TITLE + height + (NOTE if note else 0))
        x, wide = x + width + GAP, max(wide, x + width)
    assert made, f"expected boards or charts, got {figure[:200]}"
    frame = f"-8 -4 {wide + 16:g} {y + high + 12:g}"
    ground = f'<rect x="-8" y="-4" width="{wide + 16:g}" height="{y + high + 12:g}" fill="#fff"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{frame}" width="{wide + 16:g}" '
        f'height="{y + high + 12:g}"><title>{escape(name)}</title>'
        f"<style>{_with_colours(_style(made))}</style>{ground}{_with_colours(made)}</svg>\n"
    )


def write(name: str, figure: str) -> None:
    """Write the file of a picture."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / f"{name}.svg").write_text(standalone(figure, name), "utf-8")


def _short(drawn: str) -> str:
    """Return a drawing in fewer bytes: a tenth of a pixel is enough, and so are short ids."""
    made = re.sub(r"</?g>", "", drawn)
    made = re.sub(r'style="[^"]*"', lambda found: re.sub(r"([:;]) ", r"\1", found[0]), made)
    made = re.sub(r'(?<= d=)"[^"]*"', lambda found: re.sub(r"(\.\d)\d+", r"\1", found[0]), made)
    ids = dict.fromkeys(re.findall(r' id="([^"]+)"', made))
    for found in ids:
        prefix, _, rest = found.partition("-")
        made = made.replace(found, f"{rest[:1]}{prefix[-3:]}{rest[-3:]}")
    return made


def _font(attributes: str) -> str:
    found = re.search(r' (font-family="[^"]*")', attributes)
    joined = ' stroke-linejoin="round"' if "stroke-linejoin" in attributes else ""
    return f" {found[1]}{joined}" if found else ' class="board"'


def _style(made: str) -> str:
    """Return the rules of the classes that a picture uses."""
    rules = [
        ".title{font:600 13px system-ui,sans-serif;fill:var(--ink)}",
        ".note{font:13px system-ui,sans-serif;fill:var(--soft)}",
        ".board text{dominant-baseline:central;fill:var(--filled);font:14px system-ui,sans-serif;"
        "text-anchor:middle}",
    ]
    classes = set(re.findall(r'class="([\w-]+)"', made)) - {"title", "note", "board"}
    looks = {name: LOOKS.get(name, f"fill:var(--{name})") for name in sorted(classes)}
    rules += [f".board .{name}{{{look}}}" for name, look in looks.items()]
    if 'class="from-' in made or 'class="units-' in made:
        rules.append(".board text{fill:var(--ink)}")
    return "".join(rules)


def _with_colours(text: str) -> str:
    """Return a text with the light colours of the style sheet in place of its variables."""
    light = SHEET.read_text("utf-8").partition("body {")[2].partition("}")[0]
    colours = dict(re.findall(r"(--[\w-]+): (#\w+)", light))
    return re.sub(r"var\((--[\w-]+)\)", lambda found: colours[found[1]], text)
