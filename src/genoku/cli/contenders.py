"""Presets as `genoku race` and `genoku tune` name them, and the puzzles they meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from genoku.cli.inputs import Reading
from genoku.formats import Entry

if TYPE_CHECKING:
    from genoku.presets import Preset


def found_preset(name: str) -> Preset:
    """The preset of that name, or the recipe of a file whose name ends in .toml."""
    from genoku.presets import from_file, preset, with_own_parts

    with_own_parts()
    return from_file(name) if name.endswith(".toml") else preset(name)


def entries_of(sources: Sequence[str], box: str | None = None) -> list[Entry]:
    """All puzzles of names, boards and files."""
    return [
        entry
        for source in sources
        for entry in Reading(source, box, "auto", None, strict=True).entries()
    ]


def checked_output(path: str | None, option: str) -> None:
    """Refuse a file that cannot be written before anything runs."""
    from genoku.cli.asked import why_not_writable

    reason = None if path is None else why_not_writable(path)
    if reason:
        raise click.UsageError(f"{option} {path}: {reason}")
