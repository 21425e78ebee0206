"""What a benchmark has found so far: facts of the machine, tables by section, figures by key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from benchmarks.running import INTERRUPTED, Measured
from benchmarks.tables import Chart, Table
from genoku.words import listed


@dataclass(frozen=True)
class Results:
    """All that is printed and kept."""

    facts: Mapping[str, str]
    """The date, the machine, versions, the seed and the command, by name."""
    quick: bool
    tables: Mapping[str, tuple[Table, ...]] = field(default_factory=dict)
    """By section, in the order in which they were measured."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Why a section that was asked for has no tables."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """What each section took."""

    def adding(self, section: Measured) -> Results:
        """These and one more."""
        name = section.section.name
        if section.missing:
            return replace(self, missing={**self.missing, name: section.missing})
        return replace(
            self,
            tables={**self.tables, name: section.tables},
            seconds={**self.seconds, name: section.seconds},
        )

    @property
    def interrupted(self) -> bool:
        return INTERRUPTED in self.missing.values()

    @property
    def unmeasured(self) -> list[str]:
        """The sections without tables, by why they have none."""
        reasons: dict[str, list[str]] = {}
        for name, why in self.missing.items():
            reasons.setdefault(why, []).append(name)
        return [f"{listed(names)} ({why})" for why, names in reasons.items()]

    @property
    def charts(self) -> list[Chart]:
        return [table.chart for made in self.tables.values() for table in made if table.chart]

    @property
    def figures(self) -> dict[str, float]:
        """Every number by its key, the section's name before it."""
        found: dict[str, float] = {}
        for section, tables in self.tables.items():
            for table in tables:
                named = {f"{section}.{key}": float(value) for key, value in table.figures.items()}
                assert not found.keys() & named.keys(), f"two figures of one name in {table.title}"
                found |= named
        return found

    def as_json(self) -> dict[str, Any]:
        """As plain data; `figures` is what a later run is compared with."""
        return {
            "facts": dict(self.facts),
            "quick": self.quick,
            "figures": self.figures,
            "sections": {
                section: [
                    {
                        "title": table.title,
                        "columns": table.columns,
                        "rows": table.rows,
                        "legend": table.legend,
                        "chart": None if table.chart is None else asdict(table.chart),
                    }
                    for table in tables
                ]
                for section, tables in self.tables.items()
            },
            "missing": dict(self.missing),
            "seconds": dict(self.seconds),
        }
