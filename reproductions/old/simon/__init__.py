"""Report 003, Glen Simon: empty boards filled box by box."""

from __future__ import annotations

from collections.abc import Mapping

from genoku.lab.store import Store
from reproductions.old.claims import Findings, Reproduction, Scale
from reproductions.old.simon.contrasts import judge_contrasts
from reproductions.old.simon.experiments import CODED, VERSIONS, studies
from reproductions.old.simon.measured import Measured
from reproductions.old.simon.sections import sections
from reproductions.old.simon.verdicts import claims, observations, placed


def findings(stores: Mapping[str, Store], scale: Scale) -> Findings:
    seen = {version: Measured.of(stores, version) for version in VERSIONS}
    tested = judge_contrasts(seen)
    return Findings(
        tuple(claims(seen, tested)),
        sections(seen, stores["puzzles"].study),
        {"runs": placed(seen[CODED])},
        tuple(observations(seen, tested)),
    )


REPRODUCTION = Reproduction(
    "003",
    "Simon: report 003, 2017",
    "A genetic algorithm for empty boards of 9×9, 16×16 and 25×25, with a mutation rate that "
    "rises when nothing improves: its published runs beside ours.",
    studies,
    findings,
)
