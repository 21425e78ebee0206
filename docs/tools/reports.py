"""Write what `genoku.reports` says of the five reports into docs/reports.md.

    python docs/tools/reports.py

What is between `<!-- reports: NAME -->` and `<!-- end -->` is replaced: `table` is the table of all
reports, and a number such as `003` is what that report is. A test compares the page.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from genoku.reports import Report, reports

PAGE = Path(__file__).parents[1] / "reports.md"
BLOCK = re.compile(r"(<!-- reports: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
WIDTH = 124


def with_facts(page: str) -> str:
    """Return a page with all its blocks written anew."""
    return BLOCK.sub(lambda found: f"{found[1]}\n{block(found[2])}\n\n{found[3]}", page)


def block(name: str) -> str:
    """Return the text of a block: `table`, or the number of a report."""
    return "\n".join(table() if name == "table" else about(reports()[name]))


def table() -> Iterator[str]:
    """Yield the lines of the table of all reports."""
    yield "| report | encoding | presets |"
    yield "|---|---|---|"
    for each in reports().values():
        dated = f", {each.year}" if each.year else ""
        encoding = each.encoding.partition(":")[0].lower()
        presets = ", ".join(f"`{name}`" for name in each.presets)
        yield f"| {each.number}, {each.name}{dated} | {encoding} | {presets} |"


def about(report: Report) -> Iterator[str]:
    """Yield the lines of what a report is: title and authors, what it did, and its algorithm."""
    dated = f", {report.year}" if report.year else ""
    code = f" [Code]({report.url})." if report.url else ""
    words = f"[Its words](words/{report.number}.md) are explained one by one."
    yield from wrapped(f"*{report.title}*, by {report.by}{dated}.{code} {words}")
    yield ""
    yield from wrapped(f"**What it did.** {report.summary}")
    yield ""
    yield from wrapped(f"- *Encoding.* {report.encoding}")
    yield from wrapped(f"- *Fitness.* {report.fitness}")
    yield from wrapped(f"- *Operators.* {report.operators}")


def wrapped(text: str) -> list[str]:
    """Return the lines of a paragraph or an item of a list."""
    indent = "  " if text.startswith("- ") else ""
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


if __name__ == "__main__":
    PAGE.write_text(with_facts(PAGE.read_text("utf-8")), "utf-8")
