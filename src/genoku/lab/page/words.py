"""The text of pages: a little Markdown as HTML, and numbers as people write them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from html import escape

from genoku.lab.page.parts import Cell, Column, Table

DASH = "–"
_SPECIAL = re.compile(r"([\\`*_<>|\[\]#])")
_INLINE = re.compile(
    r"\\(?P<literal>[\\`*_<>|\[\]#])"
    r"|`(?P<code>[^`\n]+)`"
    r"|\*\*(?P<bold>(?:\\.|[^\\\n])+?)\*\*"  # an escaped asterisk ends nothing
    r"|\*(?P<italic>(?:\\.|[^*\\\n])+)\*"
)
_ITEM = re.compile(r"\s*(?P<mark>[-*]|\d+\.)\s+(?P<text>.*)")
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


def inline(text: str) -> str:
    """A line of tiny Markdown as HTML."""
    made, at = [], 0
    for found in _INLINE.finditer(text):
        made.append(escape(text[at : found.start()]))
        at = found.end()
        if found["literal"] is not None:
            made.append(escape(found["literal"]))
        elif found["code"] is not None:
            made.append(f"<code>{escape(found['code'])}</code>")
        elif found["bold"] is not None:
            made.append(f"<strong>{inline(found['bold'])}</strong>")
        else:
            made.append(f"<em>{inline(found['italic'])}</em>")
    made.append(escape(text[at:]))
    return "".join(made)


def plain(text: str) -> str:
    """A line of tiny Markdown as bare words, for attributes and window titles."""

    def bare(found: re.Match[str]) -> str:
        for kind in ("literal", "code"):
            if found[kind] is not None:
                return found[kind]
        return plain(found["bold"] or found["italic"])

    return _INLINE.sub(bare, text)


def blocks(text: str) -> Iterator[str]:
    """Paragraphs and lists as HTML."""
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = [line for line in paragraph.splitlines() if line.strip()]
        gathered: list[str] = []
        items: list[str] = []
        kind = ""
        for line in lines:
            item = _ITEM.fullmatch(line)
            if item:
                if gathered:
                    yield f"<p>{inline(' '.join(gathered))}</p>"
                    gathered = []
                kind = "ul" if item["mark"] in "-*" else "ol"
                items.append(item["text"])
            elif items:
                items[-1] += " " + line.strip()
            else:
                gathered.append(line.strip())
        if gathered:
            yield f"<p>{inline(' '.join(gathered))}</p>"
        if items:
            yield f"<{kind}>{''.join(f'<li>{inline(item)}</li>' for item in items)}</{kind}>"
