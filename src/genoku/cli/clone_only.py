"""`genoku bench`: a command that only a clone of the repository has."""

from __future__ import annotations

import click

from genoku.cli.main import DocumentedCommand
from genoku.errors import GenokuError


def _clone_only_command(name: str, does: str) -> click.Command:
    """A command that prints how to run it in a clone, with the same options."""
    again = f"python3 run.py {name}"

    def refuse(words: tuple[str, ...]) -> None:
        raise GenokuError(
            f"{name} requires a clone of the repository; run there: {' '.join((again, *words))}"
        )

    return DocumentedCommand(
        name,
        context_settings={"ignore_unknown_options": True},
        callback=refuse,
        params=[click.Argument(["words"], nargs=-1, type=click.UNPROCESSED, metavar="[...]")],
        help=f"{does}: `{again}` in a clone of the repository.\n\nExamples:\n  genoku {name}",
    )


bench = _clone_only_command("bench", "Compare genoku with its peers")
