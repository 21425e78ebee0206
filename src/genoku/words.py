"""Numbers and lists as a person would say them.

>>> plural(1, "run"), plural(2000, "run"), listed(["a", "b", "c"])
('1 run', '2,000 runs', 'a, b and c')
"""

from __future__ import annotations

from collections.abc import Iterable


def plural(count: int, word: str) -> str:
    """So many of something."""
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def listed(words: Iterable[str], joint: str = "and") -> str:
    """Words joined; none are nothing."""
    *first, last = list(words) or [""]
    return f"{', '.join(first)} {joint} {last}" if first else last
