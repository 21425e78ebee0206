"""`genoku study new`: a study file to begin with."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from genoku.cli.output import say
from genoku.errors import StudyError


@click.command(
    epilog="""\b
Examples:
  genoku study new first.toml              then make it yours in an editor
  genoku study plan first.toml             and see what it would run
"""
)
@click.argument("path", metavar="FILE.toml", type=click.Path(dir_okay=False))
def new(path: str) -> None:
    """Write a study file to begin with: short, with comments that say what else there is."""
    target = Path(path)
    if target.suffix != ".toml":
        raise StudyError(f"{path}: expected a name that ends in .toml")
    example = (files("genoku.lab") / "example.toml").read_text("utf-8").replace("FILE.db", "STORE")
    named = example.replace("STORE", f"{target.stem}.db").replace("FILE", target.name)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(named)
    except FileExistsError:
        raise StudyError(f"{path}: expected a name for a new file, got one that exists") from None
    say(f"{path} is yours to change; then: genoku study plan {path}")
