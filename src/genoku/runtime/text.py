"""Format numbers, durations and lists for people.

>>> format_count(1, "run"), format_count(2000, "run"), join_words(["a", "b", "c"])
('1 run', '2,000 runs', 'a, b and c')
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable

DASH = "–"


def format_count(count: int, word: str) -> str:
    """Format a count with its noun: "2,000 runs"."""
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def join_words(words: Iterable[str], conjunction: str = "and") -> str:
    """Join words by commas and a conjunction: "a, b and c"; "" if there are none."""
    *first, last = list(words) or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """Suggest known names that look like an unknown one; "" if none does.

    >>> did_you_mean("simn", ["simon", "charles"])
    ' (did you mean simon?)'
    """
    from difflib import get_close_matches

    near = get_close_matches(name, list(dict.fromkeys(known)), most)
    return f" (did you mean {join_words(near, 'or')}?)" if near else ""


def name_key(name: str) -> str:
    """Return what all spellings of a name share: no case, spaces, hyphens or underscores.

    >>> name_key("Swap_in-Row"), name_key("(μ + λ)"), name_key("unique²")
    ('swapinrow', 'mu+lambda', 'unique2')
    """
    letters = unicodedata.normalize("NFKC", name).casefold()
    letters = letters.replace("μ", "mu").replace("λ", "lambda")
    return "".join(each for each in letters if each.isalnum() or each in "+,")


def format_duration(seconds: float) -> str:
    """Format a time in a suitable unit: 0.4 ms, 1.25 s, 3 min 20 s."""
    if seconds < 0.9995:  # which would be 1e+03 ms
        return f"{seconds * 1000:.3g} ms"
    if seconds < 100:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def format_rough_duration(seconds: float) -> str:
    """Format an estimated time with two digits: 3.5 h, 12 days."""
    if not math.isfinite(seconds):
        return "without end"
    for unit, word in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{float(f'{seconds / unit:.2g}'):,g} {word}"
    return format_duration(float(f"{seconds:.2g}"))


def format_file_size(count: float) -> str:
    """Format a number of bytes with two digits: 12 kB, 3.4 MB."""
    if not math.isfinite(count):
        return "without end"
    for unit, word in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if count >= unit:
            return f"{count / unit:.{'2g' if count < 99.5 * unit else '0f'}} {word}"
    return f"{count / 1e3:.0f} kB"


def format_percent(share: float) -> str:
    """Format a share in per cent, without the sign; only 0 and 1 become 0 and 100."""
    value = 100 * share
    text = f"{value:.0f}"
    if (text == "100" and share < 1) or (text == "0" and share > 0):
        return f"{math.floor(value * 10) / 10:.1f}" if text == "100" else f"{value:.2g}"
    return text


def format_percent_range(low: float, high: float) -> str:
    """Format an interval of shares: "60 to 98 %"."""
    return f"{format_percent(low)} to {format_percent(high)} %"


def format_number(value: str | float | None, decimals: int | None = None) -> str:
    """Format the cell of a table: 12,345, 0.0312, ∞, a dash for None, text unchanged."""
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


def format_rounded(value: float) -> str:
    """Format a number with three digits: 12,300, 0.0123, ∞."""
    if not math.isfinite(value):
        return format_number(value)
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    near = round(value, digits)
    return f"{near:,.0f}" if digits <= 0 else f"{near:.{min(digits, 9)}f}"


def format_compact(value: float) -> str:
    """Format a large number in little space: 950, 12.3 k, 1.85 M."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= max(1e4, 0.9995 * unit):
            return f"{value / unit:.3g} {letter}"
    return f"{value:,.0f}"


def format_study_size(algorithms: int, puzzles: int, seeds: int) -> str:
    """Format the size of a study: "2 algorithms × 1 puzzle × 20 seeds"."""
    counts = {"algorithm": algorithms, "puzzle": puzzles, "seed": seeds}
    return " × ".join(format_count(count, word) for word, count in counts.items())


def format_limits(text: str) -> str:
    """Round the numbers in a budget: `seconds=2.52599139700033` becomes `seconds=2.526`."""

    def short(match: re.Match[str]) -> str:
        value = float(match[0])
        return f"{round(value, 3):.15g}" if value >= 1 else f"{value:.3g}"

    return re.sub(r"\d+\.\d+(e[+-]?\d+)?", short, text)
