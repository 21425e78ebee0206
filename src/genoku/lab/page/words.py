"""The text of pages: Markdown as HTML, and numbers as people write them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from markdown_it import MarkdownIt

from genoku.lab.page.parts import Cell, Column, Table

DASH = "–"
_SPECIAL = re.compile(r"([\\`*_<>|\[\]#&])")
_NUMERIC = re.compile(r"[−+-]?(∞|\d)|[<>≤≥≈~×]\s?\d|–$|$")


def literal(text: str) -> str:
    """Foreign words, such as a name, with every character standing for itself."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def number(value: Cell, decimals: int | None = None) -> str:
    """A cell as text: 12,345, 0.0312, ∞, a dash for what is not known."""
    if value is None:
        return DASH
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if decimals is not None:
        text = f"{value:,.{decimals}f}"
    elif abs(value) >= 1000:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.4g}"
    text = re.sub(r"e([+-])0*(\d+)", lambda found: f"e{found[1].strip('+')}{found[2]}", text)
    return text.replace("-", "−")


def headings(table: Table) -> list[Column]:
    """The columns, those of numbers aligned to the right."""
    columns = [Column(each) if isinstance(each, str) else each for each in table.columns]
    aligned: list[Column] = []
    for place, column in enumerate(columns):
        align = column.align
        if align == "auto":
            cells = [row[place] for row in table.rows if len(row) == len(columns)]
            align = "right" if cells and all(map(_looks_numeric, cells)) else "left"
        aligned.append(Column(column.title, column.unit, column.decimals, align))
    return aligned


def _looks_numeric(cell: Cell) -> bool:
    if isinstance(cell, bool):
        return False
    if isinstance(cell, str):
        return _NUMERIC.match(cell.strip("*` ")) is not None
    return True


_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


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
