"""Names as charts show them: in full where there is room, else without their middle or end."""

from __future__ import annotations

import textwrap
from unicodedata import combining, east_asian_width

MOST_LINES = 3
LEGEND = 36  # letters of an entry, as many as a phone is wide
TICK = 20  # letters of a name below an axis


def columns(text: str) -> int:
    """How wide a text is: Chinese and Japanese letters are twice as wide as Latin ones."""
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text if not combining(each))


def shortened(name: str, most: int = LEGEND) -> str:
    """A name without its middle if it is too long: names often differ at either end."""
    name = " ".join(name.split())
    if columns(name) <= most:
        return name
    head, tail = name, name
    while columns(head) > (most - 1) * 2 // 3:
        head = head[:-1]
    while columns(tail) > most - 1 - columns(head):
        tail = tail[1:]
    return f"{head.rstrip()}…{tail.lstrip()}"


def wrapped(name: str, width: int = 28) -> list[str]:
    """A long name in at most three lines."""
    name = shortened(name, MOST_LINES * width)
    wide = max(columns(name) / max(len(name), 1), 1.0)
    letters = max(int(width / wide), 4)
    return textwrap.wrap(name, letters, max_lines=MOST_LINES, placeholder=" …") or [""]
