"""Tables of results as aligned text, with bold heads where they are seen; and sentences."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

import click

from genoku.cli.output import in_colour


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The rows under their heads: names on the left, numbers on the right of their columns."""
    head, *body = table_lines(columns, rows)
    click.echo(click.style(head, bold=True) if in_colour() else head)
    for line in body:
        click.echo(line)


def print_sentence(text: str) -> None:
    """A sentence, broken between words where a person reads it, and whole into pipes."""
    if sys.stdout.isatty():
        text = textwrap.fill(text, min(100, shutil.get_terminal_size().columns))
    click.echo(text)


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The heads and the rows as lines of text; the first column is a name."""
    whole = [list(columns), *(list(row) for row in rows)]
    wide = [max(len(row[place]) for row in whole) for place in range(len(columns))]
    return [
        "  ".join(
            each.ljust(width) if place == 0 else each.rjust(width)
            for place, (each, width) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in whole
    ]
