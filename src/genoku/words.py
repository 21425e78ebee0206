"""Numbers and lists as a person would say them.

>>> plural(1, "run"), plural(2000, "run"), listed(["a", "b", "c"])
('1 run', '2,000 runs', 'a, b and c')
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

DASH = "–"


def plural(count: int, word: str) -> str:
    """So many of something."""
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def listed(words: Iterable[str], joint: str = "and") -> str:
    """Words joined; none are nothing."""
    *first, last = list(words) or [""]
    return f"{', '.join(first)} {joint} {last}" if first else last


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """A hint at the names that look like one that is not known; nothing where none does.

    >>> did_you_mean("simn", ["simon", "charles"])
    ' (did you mean simon?)'
    """
    from difflib import get_close_matches

    near = get_close_matches(name, list(dict.fromkeys(known)), most)
    return f" (did you mean {listed(near, 'or')}?)" if near else ""


def duration(seconds: float) -> str:
    """A time in the unit a person would use: 0.4 ms, 1.25 s, 3 min 20 s."""
    if seconds < 0.9995:  # which would be 1e+03 ms
        return f"{seconds * 1000:.3g} ms"
    if seconds < 100:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def rough_duration(seconds: float) -> str:
    """Two digits of a guessed time: 3.5 h, 12 days."""
    if not math.isfinite(seconds):
        return "without end"
    for unit, word in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{float(f'{seconds / unit:.2g}'):,g} {word}"
    return duration(float(f"{seconds:.2g}"))


def file_size(count: float) -> str:
    """Two digits of a number of bytes: 12 kB, 3.4 MB."""
    if not math.isfinite(count):
        return "without end"
    for unit, word in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if count >= unit:
            return f"{count / unit:.{'2g' if count < 99.5 * unit else '0f'}} {word}"
    return f"{count / 1e3:.0f} kB"


def percent(share: float) -> str:
    """A share in per cent, without the sign; only 0 and 1 look like 0 and 100."""
    value = 100 * share
    shown = f"{value:.0f}"
    if (shown == "100" and share < 1) or (shown == "0" and share > 0):
        return f"{math.floor(value * 10) / 10:.1f}" if shown == "100" else f"{value:.2g}"
    return shown


def percents(low: float, high: float) -> str:
    """An interval of shares: `60 to 98 %`."""
    return f"{percent(low)} to {percent(high)} %"


def number(value: str | float | None, decimals: int | None = None) -> str:
    """A cell of a table: 12,345, 0.0312, ∞, a dash for what is not known, text as it is."""
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


def rounded(value: float) -> str:
    """Three digits of a number: 12,300, 0.0123, ∞."""
    if not math.isfinite(value):
        return number(value)
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    near = round(value, digits)
    return f"{near:,.0f}" if digits <= 0 else f"{near:.{min(digits, 9)}f}"


def compact(value: float) -> str:
    """A large number where there is little room: 950, 12.3 k, 1.85 M."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= max(1e4, 0.9995 * unit):
            return f"{value / unit:.3g} {letter}"
    return f"{value:,.0f}"


def runs_of(algorithms: int, puzzles: int, seeds: int) -> str:
    """What a study is made of: `2 algorithms × 1 puzzle × 20 seeds`."""
    counts = {"algorithm": algorithms, "puzzle": puzzles, "seed": seeds}
    return " × ".join(plural(count, word) for word, count in counts.items())


def limits(text: str) -> str:
    """Limits as a person would say them: `seconds=2.52599139700033` is `seconds=2.526`."""

    def short(number: re.Match[str]) -> str:
        value = float(number[0])
        return f"{round(value, 3):.15g}" if value >= 1 else f"{value:.3g}"

    return re.sub(r"\d+\.\d+(e[+-]?\d+)?", short, text)
