"""The benchmark in Markdown: facts, tables and legends; and a page that holds the last one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.comparison import NOISE, Change
from benchmarks.results import Results
from benchmarks.sections import SECTIONS
from genoku.errors import GenokuError

BEGIN = "<!-- bench: what follows is written by `python3 run.py bench --page` -->"
END = "<!-- bench: what was written ends here -->"
ALIGNED = {True: "---:", False: "---"}


def markdown(results: Results, *, figure: str = "", level: int = 2) -> str:
    """All of it; `figure` is a picture to show, headings begin at `level`."""
    parts = ["\n".join(f"- {name}: {fact}" for name, fact in _facts(results).items())]
    if results.quick:
        parts.append("A quick run: few repetitions, rough figures.")
    parts += [f"Not measured: {words}." for words in results.unmeasured]
    if figure:
        parts.append(f"![The figures of this page as charts]({figure})")
    for name, tables in results.tables.items():
        parts.append(f"{'#' * level} {SECTIONS[name].title}: `{name}`")
        for table in tables:
            parts.append(f"{'#' * (level + 1)} {table.title}")
            parts += filter(None, (markdown_table(table.columns, table.rows), table.legend))
    return "\n\n".join(parts) + "\n"


def _facts(results: Results) -> dict[str, str]:
    return {
        name: f"`{fact}`" if name == "command" else fact for name, fact in results.facts.items()
    }


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; columns of numbers stand on the right.

    >>> print(markdown_table(("engine", "speed"), [("a|b", "7.5 M"), ("NumPy", "failed")]))
    | engine | speed |
    |---|---:|
    | a\\|b | 7.5 M |
    | NumPy | failed |
    """
    body = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    starts = [next((row[i] for row in body if row[i]), "")[:1] for i in range(len(columns))]
    aligned = [ALIGNED[i > 0 and first.isdigit()] for i, first in enumerate(starts)]
    lines = [_line(columns), f"|{'|'.join(aligned)}|", *map(_line, body)]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def comparison(found: Sequence[Change], title: str) -> str:
    """Every figure then and now, those beyond noise marked."""
    rows = [
        (
            f"`{change.key}`",
            f"{change.old:.4g}",
            f"{change.new:.4g}",
            "–" if change.ratio is None else f"{change.ratio:.2f}",
            f"**outside {NOISE:g}×**" if change.is_far else "",
        )
        for change in found
    ]
    columns = ("figure", "then", "now", "now / then", "")
    return f"## {title}\n\n{markdown_table(columns, rows)}\n"


def with_results(page: str, written: str, name: str) -> str:
    """A page with what stands between its two marks replaced."""
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise GenokuError(f"{name}: expected the lines {BEGIN} and {END}, got none of that order")
    return f"{before}{BEGIN}\n\n{written}\n{END}{after}"


def figure_beside(page: Path) -> Path:
    """Where a page's figure is kept."""
    return page.parent / "figures" / "bench.svg"
