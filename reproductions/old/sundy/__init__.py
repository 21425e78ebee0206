"""Report 004, Jonathen Sundy: a description without a measurement."""

from __future__ import annotations

from collections.abc import Mapping

from genoku.lab.store import Store
from reproductions.old.claims import Findings, Reproduction, Scale
from reproductions.old.sundy.experiments import Measured, studies
from reproductions.old.sundy.sections import sections
from reproductions.old.sundy.verdicts import (
    claims,
    figures,
    observations,
    pools_of_copies,
    share_of_twins,
)


def findings(stores: Mapping[str, Store], scale: Scale) -> Findings:
    seen = Measured.of(stores)
    runs = scale.seeds or scale.choose(8, 30)
    pools, replaced = pools_of_copies(runs), share_of_twins(runs)
    return Findings(
        tuple(claims(seen, pools)),
        sections(seen, pools, replaced),
        figures(seen),
        tuple(observations(seen, pools)),
    )


REPRODUCTION = Reproduction(
    "004",
    "Sundy: report 004",
    "A mating pool, a uniform crossover of boxes and ruled swaps: the measurements that the report "
    "never published.",
    studies,
    findings,
)
