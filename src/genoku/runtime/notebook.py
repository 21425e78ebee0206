"""Parts of the small HTML displays of values in notebooks.

They have no scripts, style sheets or ids, so a page can hold many of them, and take the notebook's
colours. All text is escaped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from genoku.runtime.text import format_number

# The columns of a history that are drawn as curves, and their colours in all figures.
CURVES = {"best": "#1b7a4b", "mean": "#2b64b8", "worst": "#c2573f"}
INK, SOFT, PAPER = "#22252b", "#8a909c", "#ffffff"  # text, faint text and background of figures
BAR = "#2b64b8"
RESTART = "#8a4fb0"  # marks of restarts in all figures
FAINT = "1px solid rgba(128,128,128,.35)"

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def replace_unprintable(text: str) -> str:
    """Replace characters that XML cannot hold."""
    return _UNPRINTABLE.sub("\ufffd", text)


def escape_text(words: object) -> str:
    """Escape a value's text for HTML."""
    return escape(replace_unprintable(str(words)))


def block(*parts: str) -> str:
    """A display: parts below each other; empty ones are left out."""
    return f'<div style="line-height:1.45">{"".join(filter(None, parts))}</div>'


def headline(strong: object, rest: object = "") -> str:
    """The first sentence of a display, which starts in bold."""
    after = f" {escape_text(rest)}" if str(rest) else ""
    return f'<p style="margin:0 0 .5em"><strong>{escape_text(strong)}</strong>{after}</p>'


def note(words: object) -> str:
    """A remark in a fainter colour."""
    return f'<p style="margin:.3em 0;opacity:.75">{escape_text(words)}</p>' if str(words) else ""


def flex_row(*parts: str) -> str:
    """Parts side by side if there is room."""
    inside = "".join(f"<div>{part}</div>" for part in parts if part)
    return f'<div style="display:flex;flex-wrap:wrap;gap:.6em 1.6em">{inside}</div>'


def details(title: str, *parts: str) -> str:
    """Parts that open on a click; "" if there are none."""
    inside = "".join(filter(None, parts))
    if not inside:
        return ""
    summary = f'<summary style="cursor:pointer">{escape_text(title)}</summary>'
    return f'<details style="margin:.4em 0">{summary}{inside}</details>'


def code(words: str) -> str:
    """Preformatted text; long lines are wrapped."""
    style = "white-space:pre-wrap;overflow-wrap:anywhere;font-size:.9em;margin:.3em 0"
    return f'<pre style="{style}">{escape_text(words.rstrip())}</pre>'


def bullet_list(items: Iterable[object]) -> str:
    """A bullet list of texts; "" if there are none."""
    inside = "".join(f"<li>{escape_text(item)}</li>" for item in items)
    return f'<ul style="margin:.3em 0;padding-left:1.4em">{inside}</ul>' if inside else ""


def table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], numbers: Collection[int] = ()
) -> str:
    """A table, "" without rows; the columns with indices in `numbers` are right-aligned."""

    def cells(tag: str, row: Sequence[object]) -> str:
        return "".join(_cell(tag, cell, at in numbers) for at, cell in enumerate(row))

    head = f"<thead><tr>{cells('th', headings)}</tr></thead>"
    return _rows((cells("td", row) for row in rows), head)


def fact_table(pairs: Mapping[str, object]) -> str:
    """A table of names and values; None is left out."""
    known = ((name, value) for name, value in pairs.items() if value is not None)
    return _rows(_cell("th", name) + _cell("td", value) for name, value in known)


def bar_table(counts: Mapping[str, float]) -> str:
    """A table of names and numbers, with a bar for each number."""
    most = max(counts.values(), default=0) or 1
    return _rows(
        f"{_cell('th', name)}{_cell('td', f'{count:,}', True)}"
        f'<td style="border:0;padding:.1em .5em">{progress_bar(count / most)}</td>'
        for name, count in counts.items()
    )


def progress_bar(of_one: float, width: int = 120) -> str:
    """A bar filled to a share from 0 to 1."""
    filled = f"{width * min(1.0, max(0.0, of_one)):.4g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="10" aria-hidden="true">'
        f'<rect width="{width}" height="10" rx="2" fill="currentColor" opacity=".12"/>'
        f'<rect width="{filled}" height="10" rx="2" fill="{BAR}"/></svg>'
    )


def legend(title: str, colours: Mapping[str, str]) -> str:
    """A legend: texts, each after its colour."""
    entries = "".join(
        '<span style="margin-right:.8em;white-space:nowrap">'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="12" height="12" aria-hidden="true">'
        f'<rect width="12" height="12" rx="2" fill="{colour}"/></svg> {escape_text(words)}</span> '
        for words, colour in colours.items()
    )
    label = f"{escape_text(title)} &#160;" if title else ""
    return f'<div style="font-size:.9em;margin:.2em 0">{label}{entries}</div>'


class Line(NamedTuple):
    """A curve of a small chart."""

    name: str
    colour: str
    x: Sequence[float]
    y: Sequence[float]


_WIDE, _HIGH, _LEFT, _BELOW = 360, 190, 54, 22


def chart(lines: Sequence[Line], x_title: str, y_title: str, marks: Sequence[float] = ()) -> str:
    """A line chart, the first line on top, with the ends of both axes labelled.

    Points that are not finite are left out; "" without any points. `marks` are the places on the
    horizontal axis of short strokes: where the search restarted.
    """
    known = []
    for line in lines:
        pairs = zip(map(float, line.x), map(float, line.y), strict=True)
        if points := [pair for pair in pairs if all(map(math.isfinite, pair))]:
            known.append((line, points))
    if not known:
        return ""
    columns = zip(*(point for _, points in known for point in points), strict=True)
    (left, right), (low, high) = ((min(each), max(each)) for each in columns)
    base, end = _HIGH - _BELOW, _WIDE - 8
    wide, tall = (right - left) or 1.0, (high - low) or 1.0
    drawn = ""
    for line, points in reversed(known):
        # A single point is drawn as a line to itself, which round caps turn into a dot.
        places = [
            f"{_LEFT + (end - _LEFT) * (x - left) / wide:.5g} "
            f"{base - (base - 26) * (y - low) / tall:.5g}"
            for x, y in (points * 2 if len(points) == 1 else points)
        ]
        drawn += (
            f'<path d="M{"L".join(places)}" fill="none" stroke="{line.colour}" stroke-width="1.8" '
            f'stroke-linejoin="round" stroke-linecap="round"/>'
        )
    places = {  # in whole pixels, so that many restarts are few strokes
        round(_LEFT + (end - _LEFT) * (mark - left) / wide) for mark in marks if mark >= left
    }
    ticks = "".join(f"M{x} {base}v-8" for x in sorted(places))
    if ticks:
        drawn += f'<path d="{ticks}" stroke="{RESTART}" stroke-width="1.2"/>'
    words = "".join(
        f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape_text(label)}</text>'
        for x, y, anchor, label in (
            (_LEFT - 6, 30, "end", format_number(high)),
            (_LEFT - 6, base, "end", format_number(low)),
            (_LEFT, 12, "start", y_title),
            (_LEFT, base + 15, "start", format_number(left)),
            (end, base + 15, "end", format_number(right)),
            ((_LEFT + end) / 2, base + 15, "middle", x_title),
        )
    )
    colours = {line.name: line.colour for line, _ in known}
    key = legend("", {**colours, "restarts": RESTART} if ticks else colours)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" '
        f'height="{_HIGH}" style="max-width:100%;height:auto" role="img" '
        f'aria-label="{escape_text(f"{y_title} over {x_title}")}">'
        f'<path d="M{_LEFT} 20V{base}H{end}" fill="none" stroke="currentColor" opacity=".4"/>'
        f'{drawn}<g font-size="11" fill="currentColor">{words}</g></svg>{key}'
    )


def _rows(lines: Iterable[str], head: str = "") -> str:
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    style = "border-collapse:collapse;margin:.2em 0"
    return f'<table style="{style}">{head}<tbody>{rows}</tbody></table>' if rows else ""


def _cell(tag: str, value: object, is_number: bool = False) -> str:
    style = (
        f"text-align:{'right' if is_number else 'left'};vertical-align:top;"
        f"font-weight:{600 if tag == 'th' else 400};padding:.1em .8em .1em 0;"
        f"border:0;border-bottom:{FAINT}"
    )
    return f'<{tag} style="{style}">{escape_text(value)}</{tag}>'
