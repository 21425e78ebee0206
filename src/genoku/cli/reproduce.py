"""`genoku reproduce` lives in a clone: the reproductions are no part of the package."""

from __future__ import annotations

import click

from genoku.errors import GenokuError


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  genoku reproduce      says where the reproductions live
""",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[...]")
def reproduce(words: tuple[str, ...]) -> None:
    """Repeat a report's experiments: `python3 run.py reproduce` in a clone of the repository."""
    again = " ".join(("python3 run.py reproduce", *words))
    raise GenokuError(f"reproductions run from a clone of the repository: {again}")
