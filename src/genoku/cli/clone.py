"""`genoku bench` and `genoku reproduce` live in a clone: neither is part of the package."""

from __future__ import annotations

import click

from genoku.errors import GenokuError


def _in_a_clone(name: str, does: str) -> click.Command:
    """A command that says where it lives, whatever its options."""
    again = f"python3 run.py {name}"

    def refuse(words: tuple[str, ...]) -> None:
        raise GenokuError(
            f"{name} runs from a clone of the repository: {' '.join((again, *words))}"
        )

    return click.Command(
        name,
        context_settings={"ignore_unknown_options": True},
        callback=refuse,
        params=[click.Argument(["words"], nargs=-1, type=click.UNPROCESSED, metavar="[...]")],
        help=f"{does}: `{again}` in a clone of the repository.",
        epilog=f"\b\nExamples:\n  genoku {name}      says where it lives\n",
    )


bench = _in_a_clone("bench", "Measure genoku beside its peers")
reproduce = _in_a_clone("reproduce", "Repeat a report's experiments and judge its claims")
