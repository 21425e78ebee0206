"""`genoku bench` lives in a clone: the benchmarks are no part of the package."""

from __future__ import annotations

import click

from genoku.errors import GenokuError


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  genoku bench      says where the benchmarks live
""",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[...]")
def bench(words: tuple[str, ...]) -> None:
    """Measure genoku beside its peers: `python3 run.py bench` in a clone of the repository."""
    raise GenokuError("benchmarks run from a clone of the repository: python3 run.py bench")
