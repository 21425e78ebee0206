"""Runs of the reproductions' studies, kept as data: pages and verdicts are tested on them.

`python tests/kept_runs.py --write [REPORT ...]` makes them anew, in about a minute. That is due
whenever one of these studies changes, or what its runs come to.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

sys.path.append(str(Path(__file__).parents[1]))  # the clone, when this file is the script

from genoku.errors import GenokuError
from genoku.lab.runner import run_study
from genoku.lab.store import Store, hash_sources, read_sources
from genoku.lab.study import Study
from reproductions import REPORTS, Scale, folder_of, script_of, studies_of

SCALE = Scale(quick=True, seeds=1)
"""The scale of the kept runs: one seed is enough for every part of a page."""

EVERY = {"experiments": 10, "skipping": 10, "wishes": 1}
"""The studies of report 000 that are kept, and of how many arms one: its page needs too many."""


def file_of(number: str) -> Path:
    """Where the stores of a report are kept."""
    return Path(__file__).parent / "data" / f"reproduction-{number}.zip"


@cache
def planned_studies(number: str) -> dict[str, Study]:
    """All studies of a report at that scale; do not change them."""
    return studies_of(number, SCALE)


@cache
def kept_studies(number: str) -> dict[str, Study]:
    """The studies of a report whose runs are kept, by name."""
    studies = planned_studies(number)
    if number != "000":
        return studies
    return {name: _fewer_arms(studies[name], every) for name, every in EVERY.items()}


def _fewer_arms(study: Study, every: int) -> Study:
    """A sample of the arms, with all those of the model that the report declares best."""
    report = script_of("000")
    best = {
        report.name_of(report.DECLARED_BEST, report.BASE, reading)
        for reading in report.readings(easy=True, ranked=True)
    }
    arms = tuple(
        arm
        for place, arm in enumerate(study.arms)
        if place % every == 0 or report.name_of_recipe(arm.recipe) in best
    )
    return replace(study, arms=arms)


def unpack_runs(number: str, folder: Path) -> Path:
    """Put the kept stores of a report into a folder, and return it.

    AssertionError if the studies of today would make other runs.
    """
    with ZipFile(file_of(number)) as archive:
        archive.extractall(folder)
    again = f"make them anew: python tests/kept_runs.py --write {number}"
    studies = kept_studies(number)
    assert {path.stem for path in folder.glob("*.db")} == set(studies), again
    for name, study in studies.items():
        try:
            with Store.open(folder / f"{name}.db") as store:
                fits = store.study.text() == study.text()
                fits = fits and store.done() == set(study.keys(study.runs()))
                fits = fits and read_sources(store) == hash_sources(study, str(folder_of(number)))
        except GenokuError as error:
            raise AssertionError(f"{error}; {again}") from error
        assert fits, f"the kept runs are not those of study {name} of report {number}; {again}"
    return folder


def write_runs(number: str) -> None:
    """Make the runs of a report's studies, and keep them."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ZipFile(file_of(number), "w", ZIP_DEFLATED, compresslevel=9) as archive,
    ):
        for name, study in kept_studies(number).items():
            path = Path(folder, f"{name}.db")
            run_study(study, path, folder=str(folder_of(number)))
            with Store.open(path, writing=True) as store:
                store.note("driver", "")  # the name of this machine
            archive.write(path, path.name)


if __name__ == "__main__":
    if sys.argv[1:2] != ["--write"]:
        sys.exit(str(__doc__))
    for each in sys.argv[2:] or REPORTS:
        write_runs(each)
        print(f"{file_of(each).name}: {file_of(each).stat().st_size:,} bytes")
