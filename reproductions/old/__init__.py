"""The reports' own experiments again: what they published beside what is measured here.

>>> reproduction("002").title
'charles: report 002, Grjazniha & Griska, 2021'
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from importlib import import_module
from pathlib import Path

from genoku.errors import StudyError
from genoku.lab.runner import Watcher, run_study
from genoku.lab.store import Store
from genoku.lab.study import Study
from reproductions.old.claims import Claim, Contrast, Findings, Reproduction, Scale

__all__ = [
    "REPORTS",
    "Claim",
    "Contrast",
    "Findings",
    "Reproduction",
    "Scale",
    "reproduce",
    "reproduction",
]

REPORTS = {
    "002": "charles",
}
"""The reports, and the module that holds the reproduction of each."""

Shown = Callable[[Study, Path], AbstractContextManager[Watcher | None]]


def reproduction(number: str) -> Reproduction:
    """The reproduction of a report."""
    if number not in REPORTS:
        raise StudyError(f"expected the number of a report, {', '.join(REPORTS)}, got {number!r}")
    module = import_module(f"reproductions.old.{REPORTS[number]}")
    found: Reproduction = module.REPRODUCTION
    return found


def reproduce(
    report: Reproduction,
    scale: Scale,
    folder: str | Path,
    *,
    jobs: int = 1,
    shown: Shown = lambda _study, _path: nullcontext(),
) -> Findings:
    """Make the runs that are not in the folder's stores yet, and say what was found.

    `shown` gives what watches a study as long as it runs.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    studies = report.studies(scale)
    paths = {name: folder / f"{name}.db" for name in studies}
    for name, study in studies.items():
        with shown(study, paths[name]) as watch:
            run_study(study, paths[name], jobs=jobs, progress=watch)
    with ExitStack() as stack:
        stores = {name: stack.enter_context(Store.open(path)) for name, path in paths.items()}
        for name, store in stores.items():
            for failure in store.failures()[:1]:
                raise StudyError(f"{paths[name]}: a run failed: {failure.message}")
        return report.findings(stores, scale)
