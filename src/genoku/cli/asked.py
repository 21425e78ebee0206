"""What is asked of an evolution: the options that `genoku solve` has for it, checked at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from genoku.cli.completion import files
from genoku.cli.options import is_there, trust_option
from genoku.cli.output import check_targets, identity, is_plain
from genoku.errors import GenokuError

Command = TypeVar("Command", bound=Callable[..., Any])

FILES = {
    "history": "Keep a row of numbers per generation as CSV: costs, of which 0 is solved, and the "
    "score on the scale that the screen shows.",
    "individuals": "Keep every board's score as CSV, as report 003's log does; beyond 5 million, "
    "of every second generation, and so on.",
    "lineage": "Keep the ancestors of the best board as CSV; of 5 million births at most.",
    "checkpoint": "Save the run now and then and at its end.",
    "plot": "Draw the run's curves: .svg, .png or .pdf.",
    "gif": "Draw the board evolving: .gif.",
    "save_recipe": "Keep the recipe, settings included, as TOML.",
}
"""What a run can write, each an option with a file."""

KINDS = {
    **dict.fromkeys(("--history", "--individuals", "--lineage"), "CSV"),
    "--gif": "GIF",
    "--save-recipe": "TOML",
}

OF_ONE_RUN = ("history", "individuals", "lineage", "checkpoint", "plot", "gif", "resume", "watch")
OF_A_NEW_RUN = ("recipe", "settings", "record_every", "save_recipe")


@dataclass(frozen=True)
class Asked:
    """The options, as given."""

    recipe: str | None
    settings: tuple[str, ...]
    until: str | None
    watch: bool
    speed: float | None
    record_every: int | None
    resume: str | None
    trust: bool
    any_version: bool
    history: str | None
    individuals: str | None
    lineage: str | None
    checkpoint: str | None
    plot: str | None
    gif: str | None
    save_recipe: str | None

    def given(self, *names: str) -> list[str]:
        """Those of the options that were given, as they are typed."""
        return [option_name(name) for name in names if getattr(self, name) not in (None, False, ())]

    def files(self) -> dict[str, str]:
        """What is to be written, by option, in the order of `FILES`."""
        named = {name: getattr(self, name) for name in FILES}
        return {name: path for name, path in named.items() if path is not None}

    def check(self, source: str = "") -> None:
        """Refuse what cannot be written, or would be written over, before anything runs.

        `source` is where the puzzles come from, perhaps a file.
        """
        if self.speed is not None and not self.watch:
            raise click.UsageError("expected --watch with --speed")
        targets = self.files()
        inputs = {name: getattr(self, name) for name in ("recipe", "resume")}
        for name, path in {**targets, **inputs}.items():
            if path == "":
                raise click.UsageError(f"expected a file for {option_name(name)}, got no name")
        read = {option_name(name): path for name, path in inputs.items() if path}
        if self.resume and self.checkpoint and identity(self.resume) == identity(self.checkpoint):
            del read["--resume"]  # which goes on in its own file
        if source and is_there(source):
            read["PUZZLE"] = source
        written = {option_name(name): path for name, path in targets.items()}
        check_targets(written, read, KINDS)
        if self.checkpoint and not is_plain(self.checkpoint):
            raise GenokuError(
                f"--checkpoint {self.checkpoint}: expected a plain file, which is replaced as a "
                "whole"
            )
        if self.plot or self.gif:
            from genoku.figures import picture_format, require_lab

            require_lab()
            if self.plot:
                picture_format(self.plot)
            if self.gif and Path(self.gif).suffix.lower() != ".gif":
                raise GenokuError(f"{self.gif}: expected a name that ends in .gif")


def option_name(field: str) -> str:
    return "--set" if field == "settings" else f"--{field.replace('_', '-')}"


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
            click.option(
                "--speed",
                type=click.FloatRange(0.01, 1e9),
                metavar="N",
                help="Steps per second that --watch shows at most.",
                show_default="slow at first, then ever faster",
            ),
            *(
                click.option(option_name(name), metavar="FILE", shell_complete=files, help=about)
                for name, about in FILES.items()
            ),
            click.option(
                "--record-every",
                type=click.IntRange(min=1),
                metavar="N",
                help="Keep every Nth generation in --history and the like.",
                show_default="1",
            ),
            click.option(
                "--resume",
                metavar="FILE",
                shell_complete=files,
                help="Go on with a run that --checkpoint saved.",
            ),
            click.option(
                "--any-version",
                is_flag=True,
                help="Go on with a run of another version of genoku, which may go on differently.",
            ),
            trust_option,
        ]
    ):
        call = option(call)
    return cast("Command", call)
