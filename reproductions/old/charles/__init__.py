"""Report 002, "charles": 21 experiments, as coded and as described."""

from __future__ import annotations

from collections.abc import Mapping

from genoku.lab.store import Store
from reproductions.old.charles.experiments import VALUES, VERSIONS, Measured, studies
from reproductions.old.charles.sections import sections
from reproductions.old.charles.verdicts import claims, observations
from reproductions.old.claims import Findings, Reproduction, Scale


def findings(stores: Mapping[str, Store], scale: Scale) -> Findings:
    del scale
    runs = Measured.read(stores)
    figures = [
        {
            "experiment": value.experiment,
            "value": value.label,
            "published": value.moments.mean,
            **{
                version: round(float(runs.of(value.setting, version).losses.mean()), 5)
                for version in VERSIONS
            },
        }
        for value in VALUES
    ]
    return Findings(claims(runs), sections(runs), {"losses": figures}, observations(runs))


REPRODUCTION = Reproduction(
    "002",
    "charles: report 002, Grjazniha & Griska, 2021",
    "*Sudoku solver using Genetic Algorithm* by M. Grjazniha and K. Griska, run again as its "
    "code does it and as its text says.",
    studies,
    findings,
)
