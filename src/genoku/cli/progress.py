"""Progress on stderr: one bar for all commands, and one rule for where it can be drawn."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def is_watched() -> bool:
    """Whether a person looks at stderr, on a terminal that can draw a line anew."""
    return sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


@contextmanager
def bar(
    what: str, total: int | None = None, *, done: int = 0, units: str = "", estimates: bool = False
) -> Iterator[tuple[Progress, TaskID]]:
    """A bar as long as this lasts, and its task, whose field `said` stands behind the numbers.

    `estimates` adds how long the rest will take, for those who do not say so themselves. Rich
    heeds NO_COLOR.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = [
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[said]}", markup=False),
        TimeElapsedColumn(),
        *([TimeRemainingColumn()] if estimates else []),
    ]
    if units:
        columns.insert(3, TextColumn(units, markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield progress, progress.add_task(what, total=total, completed=done, said="")
