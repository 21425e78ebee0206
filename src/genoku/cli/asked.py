"""What is asked of an evolution: the options that `genoku solve` has for it, checked at once."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from genoku.cli.completers import files
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
        return [option_name(name) for name in among if getattr(self, name) not in (None, False, ())]

    def files(self) -> dict[str, str]:
        """What is to be written, by option, in the order of `FILES`."""
        named = {name: getattr(self, name) for name in FILES}
        return {name: path for name, path in named.items() if path is not None}

    def check(self, source: str = "") -> None:
        """Refuse what cannot be written, or would be written over, before anything runs.

        `source` is where the puzzles come from, perhaps a file.
        """
        targets = self.files()
        inputs = {name: getattr(self, name) for name in ("recipe", "resume")}
        for name, path in {**targets, **inputs}.items():
            if path == "":
                raise click.UsageError(f"expected a file for {option_name(name)}, got no name")
        for name, path in targets.items():
            reason = why_not_writable(path)
            if name == "checkpoint" and not reason and not _is_plain(Path(path)):
                reason = "expected a plain file, which is replaced as a whole"
            if reason:
                raise GenokuError(f"{option_name(name)} {path}: {reason}")
        read = {option_name(name): path for name, path in inputs.items() if path}
        if source and _is_file(source):
            read["PUZZLE"] = source
        _refuse_clashes(targets, read)
        if self.plot or self.gif:
            from genoku.figures import picture_format, require_lab

            require_lab()
            if self.plot:
                picture_format(self.plot)
            if self.gif and Path(self.gif).suffix.lower() != ".gif":
                raise GenokuError(f"{self.gif}: expected a name that ends in .gif")


def _refuse_clashes(targets: dict[str, str], read: dict[str, str]) -> None:
    """Refuse a file that would be written twice, or written over what is read."""
    taken: dict[tuple[Any, ...], str] = {}
    for option, path in read.items():
        taken[_identity(path)] = option
    for name, path in targets.items():
        other = taken.get(_identity(path))
        goes_on = (name, other) == ("checkpoint", "--resume")
        if other is not None and not goes_on and _is_plain(Path(path)):
            raise GenokuError(
                f"expected a file of its own for each of {other} and {option_name(name)}, "
                f"got {path} for both"
            )
        taken[_identity(path)] = option_name(name)


def _identity(path: str) -> tuple[Any, ...]:
    """The same for two names of one file, links included."""
    file = Path(path).resolve()
    if not file.exists():
        return (file,)
    status = file.stat()
    return (status.st_dev, status.st_ino) if status.st_ino else (file,)


def _is_plain(file: Path) -> bool:
    """Whether it is a file of data, or none yet, and no device."""
    return file.is_file() or not file.exists()


def _is_file(source: str) -> bool:
    try:
        return Path(source).is_file()
    except (OSError, ValueError):  # a pasted board may be no legal file name
        return False


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
            click.option(
                "--recipe", metavar="FILE.toml", shell_complete=files, help="A recipe of your own."
            ),
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
                click.option(option_name(name), metavar="FILE", shell_complete=files, help=about)
                for name, about in FILES.items()
            ),
            click.option(
                "--record-every",
                type=click.IntRange(min=1),
                metavar="N",
                help="Keep every Nth generation. [default: 1]",
            ),
            click.option(
                "--resume", metavar="FILE", shell_complete=files, help="Go on with a saved run."
            ),
        ]
    ):
        call = option(call)
    return cast("Command", call)
