"""What is asked of an evolution: the options that `genoku solve` has for it, checked at once."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from genoku.errors import GenokuError

Command = TypeVar("Command", bound=Callable[..., Any])

FILES = {
    "history": "Keep a row of numbers per generation as CSV.",
    "individuals": "Keep every board's score, as report 003's log.",
    "lineage": "Keep the ancestors of the best board as CSV.",
    "checkpoint": "Save the run now and then and at its end.",
    "plot": "Draw the run's curves: .svg, .png or .pdf.",
    "gif": "Draw the board evolving.",
    "save_recipe": "Keep the recipe, settings included, as TOML.",
}
"""What a run can write, each an option with a file."""

OF_ONE_RUN = ("history", "individuals", "lineage", "checkpoint", "plot", "gif", "resume", "watch")
OF_A_NEW_RUN = ("recipe", "settings", "record_every", "save_recipe")


@dataclass(frozen=True)
class Asked:
    """The options, as given."""

    recipe: str | None
    settings: tuple[str, ...]
    until: str | None
    watch: bool
    record_every: int | None
    resume: str | None
    history: str | None
    individuals: str | None
    lineage: str | None
    checkpoint: str | None
    plot: str | None
    gif: str | None
    save_recipe: str | None

    def given(self, *names: str) -> list[str]:
        """Those of the options that were given, as they are typed; of all, if none are named."""
        among = names or tuple(field.name for field in fields(self))
        return [option_name(name) for name in among if getattr(self, name)]

    def check(self) -> None:
        """Refuse what cannot be written, before anything runs."""
        targets = {name: getattr(self, name) for name in FILES if getattr(self, name)}
        for name, path in targets.items():
            reason = why_not_writable(path)
            if reason:
                raise GenokuError(f"{option_name(name)} {path}: {reason}")
        paths = [Path(path).resolve() for path in targets.values()]
        plain = [path for path in paths if path.is_file() or not path.exists()]  # no device
        if len(set(plain)) < len(plain):
            raise GenokuError(f"expected a file of its own for each of {', '.join(self.given())}")
        if self.plot or self.gif:
            from genoku.figures import picture_format, require_lab

            require_lab()
            if self.plot:
                picture_format(self.plot)
            if self.gif and Path(self.gif).suffix.lower() != ".gif":
                raise GenokuError(f"{self.gif}: expected a name that ends in .gif")


def option_name(field: str) -> str:
    return "--set" if field == "settings" else f"--{field.replace('_', '-')}"


def why_not_writable(path: str) -> str | None:
    """What keeps a file from being written, if anything does."""
    target = Path(path)
    folder = target.parent
    try:
        if path == "-":
            return "expected a file"
        if target.is_dir():
            return "is a folder"
        if not folder.is_dir():
            return f"there is no folder {folder}"
        if not os.access(target if target.exists() else folder, os.W_OK):
            return "may not be written"
    except OSError as error:  # such as a name that is too long
        return error.strerror or str(error)
    return None


def asks_for_evolution(function: Command) -> Command:
    """Give a command the options; it receives them as one `Asked`."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        own = {field.name: options.pop(field.name) for field in fields(Asked)}
        return function(*arguments, asked=Asked(**own), **options)

    for option in reversed(
        [
            click.option("--recipe", metavar="FILE.toml", help="A recipe of your own."),
            click.option(
                "--set",
                "settings",
                multiple=True,
                metavar="KEY=VALUE",
                help="Change the recipe: population=1000, selection.size=5.",
            ),
            click.option(
                "--until",
                metavar="LIMITS",
                help='When to stop: "generations=500 or seconds=10".',
            ),
            click.option("--watch", is_flag=True, help="Show the board and the curves live."),
            *(
                click.option(option_name(name), metavar="FILE", help=about)
                for name, about in FILES.items()
            ),
            click.option(
                "--record-every",
                type=click.IntRange(min=1),
                metavar="N",
                help="Keep every Nth generation. [default: 1]",
            ),
            click.option("--resume", metavar="FILE", help="Go on with a saved run."),
        ]
    ):
        call = option(call)
    return cast("Command", call)
