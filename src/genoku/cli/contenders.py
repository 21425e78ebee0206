"""Presets as `genoku race` and `genoku tune` name them, and the puzzles they meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from genoku.cli.inputs import Reading
from genoku.formats import Entry

if TYPE_CHECKING:
    from genoku.preset_library import Preset


def found_preset(name: str) -> Preset:
    """The preset of that name, or the recipe of a file whose name ends in .toml."""
    from genoku.preset_library import from_file, preset

    return from_file(name) if name.endswith(".toml") else preset(name)


def entries_of(sources: Sequence[str], box: str | None = None) -> list[Entry]:
    """All puzzles of names, boards and files."""
    return [
        entry
        for source in sources
        for entry in Reading(source, box, "auto", None, strict=True).entries()
    ]
