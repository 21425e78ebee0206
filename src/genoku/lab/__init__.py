"""The laboratory: studies of many runs, their statistics, and the pages that report them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.lab.runner import Shard as Shard, run_study as run_study
    from genoku.lab.store import Results as Results, Store as Store
    from genoku.lab.study import (
        Arm as Arm,
        Instance as Instance,
        PlannedRun as PlannedRun,
        Study as Study,
        arm as arm,
    )
    from genoku.lab.studyfile import read_study as read_study, study_of as study_of

__getattr__ = lazy_exports(__name__)
