"""Report 000, As Poderosas: 27 combinations, three puzzles, four experiments."""

from __future__ import annotations

from collections.abc import Mapping

from genoku.lab.store import Store
from reproductions.old.claims import Findings, Reproduction, Scale
from reproductions.old.poderosas.experiments import studies
from reproductions.old.poderosas.measured import Measured
from reproductions.old.poderosas.observations import observations
from reproductions.old.poderosas.sections import sections
from reproductions.old.poderosas.verdicts import claims


def findings(stores: Mapping[str, Store], scale: Scale) -> Findings:
    del scale
    runs = Measured.of(*(stores[name] for name in ("experiments", "ranks", "elitism", "skipping")))
    longer = Measured.of(stores["longer"], stores["longer-skipping"])
    wishes = Measured.of(stores["wishes"])
    means: dict[str, dict[str, float]] = {}
    for (name, puzzle), curves in runs.curves.items():
        means.setdefault(name, {})[puzzle] = round(float(curves[:, -1].mean()), 5)
    return Findings(
        claims(runs, longer),
        sections(runs, longer, wishes),
        {"mean_fitness": means},
        observations(runs, wishes),
    )


REPRODUCTION = Reproduction(
    "000",
    "As Poderosas: report 000, 2024",
    "*Sudoku Genetic Algorithm Solver* by C. Jacobson, C. Reis and J. Gonçalves, run again.",
    studies,
    findings,
)
