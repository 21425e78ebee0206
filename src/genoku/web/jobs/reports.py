"""What a clerk knows of reports: their presets with puzzles to run them on."""

from __future__ import annotations

from dataclasses import dataclass

from genoku.web.reports.told import REPORTS


@dataclass(frozen=True)
class ReadyPreset:
    """A preset of a report, with the puzzle that it is shown on."""

    name: str
    about: str
    puzzle_name: str
    puzzle: str
    box: str
    until: str
    allow_conflicts: bool = False


def ready_presets() -> dict[str, list[ReadyPreset]]:
    """The presets of every report, by its number."""
    return {each.number: [_ready(name) for name in each.presets] for each in REPORTS}


def _ready(name: str) -> ReadyPreset:
    from genoku.preset_library import preset

    found = preset(name)
    puzzle = found.puzzle
    return ReadyPreset(
        name,
        found.about,
        found.puzzle_name,
        puzzle.line,
        puzzle.geometry.box,
        found.until,
        bool(puzzle.conflicts()),
    )
