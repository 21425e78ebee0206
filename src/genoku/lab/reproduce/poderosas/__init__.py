"""Report 000, As Poderosas: 27 combinations, three puzzles, four experiments."""

from __future__ import annotations

from collections.abc import Mapping

from genoku.lab.reproduce.claims import Findings, Reproduction, Scale
from genoku.lab.reproduce.poderosas.experiments import Measured, studies
from genoku.lab.reproduce.poderosas.sections import sections
from genoku.lab.reproduce.poderosas.verdicts import claims
from genoku.lab.store import Store


def findings(stores: Mapping[str, Store], scale: Scale) -> Findings:
    del scale
    measured = [Measured.of(stores[name]) for name in ("experiments", "longer", "elitism")]
    runs = measured[0]
    means = {
        name: [round(float(each), 5) for each in runs.final[place].mean(axis=1)]
        for name, place in runs.arms.items()
    }
    return Findings(claims(*measured), sections(*measured), {"mean_fitness": means})


REPRODUCTION = Reproduction(
    "000",
    "As Poderosas: report 000, 2024",
    "*Sudoku Genetic Algorithm Solver* by C. Jacobson, C. Reis and J. Gonçalves, run again.",
    studies,
    findings,
)
