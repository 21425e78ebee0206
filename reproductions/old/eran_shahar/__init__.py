"""Report 001, Eran & Shahar: a genetic algorithm against "simulated annealing"."""

from __future__ import annotations

from collections.abc import Mapping

from genoku.lab.store import Store
from reproductions.old.claims import Findings, Reproduction, Scale
from reproductions.old.eran_shahar.experiments import Measured, studies
from reproductions.old.eran_shahar.sections import sections
from reproductions.old.eran_shahar.verdicts import claims, figures, observations


def findings(stores: Mapping[str, Store], scale: Scale) -> Findings:
    seen = Measured.of(stores, scale)
    return Findings(tuple(claims(seen)), sections(seen), figures(seen), tuple(observations(seen)))


REPRODUCTION = Reproduction(
    "001",
    "Eran & Shahar: report 001",
    "A genetic algorithm against a search called simulated annealing: running times over 40 and "
    "80 attempts at four boards, published and measured.",
    studies,
    findings,
)
