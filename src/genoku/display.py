"""How values show themselves in a notebook: small HTML that takes the notebook's own colours.

No scripts, no style sheets, no ids: what is drawn stands on its own, many times on a page, and
the words stay readable where a notebook strips attributes. All text is escaped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from genoku.words import number

CURVES = {"best": "#1b7a4b", "mean": "#2b64b8", "worst": "#c2573f"}
"""The columns of a history that are drawn as curves, and their colours in every picture."""

INK, SOFT, PAPER = "#22252b", "#8a909c", "#ffffff"
"""Colours of all pictures of runs."""

BAR = "#2b64b8"
FAINT = "1px solid rgba(128,128,128,.35)"

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """Without what no XML may hold."""
    return _UNPRINTABLE.sub("\ufffd", text)


def text(words: object) -> str:
    """Anything as text that HTML shows letter by letter."""
    return escape(printable(str(words)))


def shown(*parts: str) -> str:
    """The whole of a display: parts below each other; empty ones are left out."""
    return f'<div style="line-height:1.45">{"".join(filter(None, parts))}</div>'


def headline(strong: object, rest: object = "") -> str:
    """What is most worth saying, in bold, and the rest of the sentence."""
    said = f" {text(rest)}" if str(rest) else ""
    return f'<p style="margin:0 0 .5em"><strong>{text(strong)}</strong>{said}</p>'


def note(words: object) -> str:
    """A remark, softer than what is around it."""
    return f'<p style="margin:.3em 0;opacity:.75">{text(words)}</p>' if str(words) else ""


def beside(*parts: str) -> str:
    """Parts side by side where there is room."""
    inside = "".join(f"<div>{part}</div>" for part in parts if part)
    return f'<div style="display:flex;flex-wrap:wrap;gap:.6em 1.6em">{inside}</div>'


def folded(title: str, *parts: str) -> str:
    """Parts that open on a click; nothing if there are none."""
    inside = "".join(filter(None, parts))
    if not inside:
        return ""
    summary = f'<summary style="cursor:pointer">{text(title)}</summary>'
    return f'<details style="margin:.4em 0">{summary}{inside}</details>'


def code(words: str) -> str:
    """Text to be read letter by letter; long lines are broken."""
    style = "white-space:pre-wrap;overflow-wrap:anywhere;font-size:.9em;margin:.3em 0"
    return f'<pre style="{style}">{text(words.rstrip())}</pre>'


def points(items: Iterable[object]) -> str:
    """A list of sentences."""
    inside = "".join(f"<li>{text(item)}</li>" for item in items)
    return f'<ul style="margin:.3em 0;padding-left:1.4em">{inside}</ul>' if inside else ""


def table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], numbers: Collection[int] = ()
) -> str:
    """Rows of cells, if any; the columns at the places `numbers` are aligned to the right."""
    lines = [
        "".join(_cell(tag, cell, at in numbers) for at, cell in enumerate(row))
        for tag, row in [("th", headings), *(("td", row) for row in rows)]
    ]
    if len(lines) == 1:
        return ""
    head, *body = (f"<tr>{line}</tr>" for line in lines)
    return f"{_TABLE}<thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def facts(pairs: Mapping[str, object]) -> str:
    """Names and values, a line each; what is None is left out."""
    rows = "".join(
        f"<tr>{_cell('th', name)}{_cell('td', value)}</tr>"
        for name, value in pairs.items()
        if value is not None
    )
    return f"{_TABLE}<tbody>{rows}</tbody></table>" if rows else ""


def bars(counts: Mapping[str, float]) -> str:
    """Names, numbers, and how long they are beside the largest."""
    most = max(counts.values(), default=0) or 1
    rows = "".join(
        f"<tr>{_cell('th', name)}{_cell('td', f'{count:,}', True)}"
        f'<td style="border:0;padding:.1em .5em">{share(count / most)}</td></tr>'
        for name, count in counts.items()
    )
    return f"{_TABLE}<tbody>{rows}</tbody></table>" if rows else ""


def share(of_one: float, width: int = 120) -> str:
    """A share from 0 to 1 as a bar on its ground."""
    filled = f"{width * min(1.0, max(0.0, of_one)):.4g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="10" aria-hidden="true">'
        f'<rect width="{width}" height="10" rx="2" fill="currentColor" opacity=".12"/>'
        f'<rect width="{filled}" height="10" rx="2" fill="{BAR}"/></svg>'
    )


def legend(title: str, colours: Mapping[str, str]) -> str:
    """What colours mean: words, each after its colour."""
    entries = "".join(
        '<span style="margin-right:.8em;white-space:nowrap">'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="12" height="12" aria-hidden="true">'
        f'<rect width="12" height="12" rx="2" fill="{colour}"/></svg> {text(words)}</span> '
        for words, colour in colours.items()
    )
    said = f"{text(title)} &#160;" if title else ""
    return f'<div style="font-size:.9em;margin:.2em 0">{said}{entries}</div>'


class Line(NamedTuple):
    """A curve of a small chart."""

    name: str
    colour: str
    x: Sequence[float]
    y: Sequence[float]


_WIDE, _HIGH, _LEFT, _BELOW = 360, 190, 54, 22


def chart(lines: Sequence[Line], x_title: str, y_title: str) -> str:
    """Curves over a common axis, the first on top, with the ends of both axes.

    What is no number is left out, and where nothing is known there is no chart.
    """
    lines = [line for line in map(_known, lines) if line.x]
    if not lines:
        return ""
    across = _ends([x for line in lines for x in line.x])
    up = _ends([y for line in lines for y in line.y])
    drawn = "".join(_curve(line, across, up) for line in reversed(lines))
    base = _HIGH - _BELOW
    right = _WIDE - 8
    words = "".join(
        f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text(said)}</text>'
        for x, y, anchor, said in (
            (_LEFT - 6, 30, "end", number(up[1])),
            (_LEFT - 6, base, "end", number(up[0])),
            (_LEFT, 12, "start", y_title),
            (_LEFT, base + 15, "start", number(across[0])),
            (right, base + 15, "end", number(across[1])),
            ((_LEFT + right) / 2, base + 15, "middle", x_title),
        )
    )
    key = legend("", {line.name: line.colour for line in lines})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" '
        f'height="{_HIGH}" style="max-width:100%;height:auto" role="img" '
        f'aria-label="{text(f"{y_title} over {x_title}")}">'
        f'<path d="M{_LEFT} 20V{base}H{right}" fill="none" stroke="currentColor" opacity=".4"/>'
        f'{drawn}<g font-size="11" fill="currentColor">{words}</g></svg>{key}'
    )


def _known(line: Line) -> Line:
    """A curve without the points that are no numbers."""
    pairs = [
        (float(x), float(y))
        for x, y in zip(line.x, line.y, strict=True)
        if math.isfinite(x) and math.isfinite(y)
    ]
    return line._replace(x=[x for x, _ in pairs], y=[y for _, y in pairs])


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def _curve(line: Line, across: tuple[float, float], up: tuple[float, float]) -> str:
    base = _HIGH - _BELOW
    wide, high = _WIDE - 8 - _LEFT, base - 26
    spread = (across[1] - across[0]) or 1.0, (up[1] - up[0]) or 1.0
    places = [
        f"{_LEFT + wide * (x - across[0]) / spread[0]:.5g} "
        f"{base - high * (y - up[0]) / spread[1]:.5g}"
        for x, y in zip(line.x, line.y, strict=True)
    ]
    if len(places) == 1:  # a line to nowhere, which its round ends make a dot
        places.append(places[0])
    return (
        f'<path d="M{"L".join(places)}" fill="none" stroke="{line.colour}" stroke-width="1.8" '
        f'stroke-linejoin="round" stroke-linecap="round"/>'
    )


_TABLE = '<table style="border-collapse:collapse;margin:.2em 0">'


def _cell(tag: str, value: object, is_number: bool = False) -> str:
    style = (
        f"text-align:{'right' if is_number else 'left'};vertical-align:top;"
        f"font-weight:{600 if tag == 'th' else 400};padding:.1em .8em .1em 0;"
        f"border:0;border-bottom:{FAINT}"
    )
    return f'<{tag} style="{style}">{text(value)}</{tag}>'
