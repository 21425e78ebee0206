"""The laboratory: studies of many runs, their statistics, and pages that show them."""

from genoku.lab.runner import Shard, run_study
from genoku.lab.store import Results, Store
from genoku.lab.study import Arm, Instance, Planned, Study, arm
from genoku.lab.studyfile import read_study, study_of

__all__ = [
    "Arm",
    "Instance",
    "Planned",
    "Results",
    "Shard",
    "Store",
    "Study",
    "arm",
    "read_study",
    "run_study",
    "study_of",
]
