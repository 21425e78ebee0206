"""What a clerk knows of reports: their presets with puzzles to run them on."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genoku.web.reports.told import REPORTS

if TYPE_CHECKING:
    from genoku.lab.reproduce import Findings, Scale


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
    from genoku.presets import preset

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


def write_facts(path: Path, scale: Scale, found: Findings) -> None:
    """Keep what a reproduction found beside its page."""
    from genoku.formats import replacing_bytes

    facts: dict[str, Any] = {
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "seeds": scale.seeds,
        "claims": [asdict(each) for each in found.claims],
    }
    with replacing_bytes(path) as stream:
        stream.write(json.dumps(facts, ensure_ascii=False).encode())
