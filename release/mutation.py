"""Faults put into fitness, selection and statistics: the module's own tests must find each.

    python3 run.py release mutation [AREA ...] [--sample N] [--seed S] [--workers N]

Survivors that no test can tell from the sound code, or none should, are kept in equivalent.toml,
each with the reason. Any other survivor is a hole in the tests, and the command fails.
"""

from __future__ import annotations

import argparse
import os
import random
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from release.judging import CheckError, Seen, judged
from release.kernels import LEFT_OUT
from release.mutants import Mutant, mutants_of
from release.record import ROOT

ACCEPTED = Path(__file__).parent / "equivalent.toml"


@dataclass(frozen=True)
class Area:
    """Modules, and the tests that answer for them."""

    name: str
    sources: str
    tests: tuple[str, ...]


AREAS = (
    Area("fitness", "src/genoku/fitness.py", ("tests/test_fitness*.py",)),
    Area("selection", "src/genoku/selection.py", ("tests/test_selection*.py",)),
    Area(
        "statistics",
        "src/genoku/lab/statistics.py",
        ("tests/test_statistics*.py", "tests/test_display*.py"),  # values show themselves
    ),
)


@dataclass(frozen=True)
class Outcome:
    """What came of the mutants of an area."""

    area: str
    counts: Counter[str]
    survivors: list[Mutant]
    """Those that nobody has accepted yet."""

    def __str__(self) -> str:
        mutants = self.counts.total()
        found = self.counts["killed"] + self.counts["timed out"]
        accepted = self.counts["survived"] - len(self.survivors)
        return (
            f"{self.area}: {found} of {mutants} found ({100 * found / mutants:.1f} %), "
            f"{self.counts['timed out']} of them by time, {accepted} accepted as equivalent, "
            f"{len(self.survivors)} new survivors"
        )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("python3 run.py release mutation", description=__doc__)
    names = [area.name for area in AREAS]
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"any of {', '.join(names)}")
    parser.add_argument("--sample", type=int, metavar="N", help="so many mutants of each area only")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.areas if name not in names]
    if unknown:
        parser.error(f"expected areas among {', '.join(names)}, got {unknown[0]}")
    if not hasattr(os, "fork"):
        parser.error("expected a system that forks processes: Linux or macOS")
    chosen = [area for area in AREAS if area.name in asked.areas or not asked.areas]

    def look(folder: Path) -> Seen:
        return Seen(tested(folder, chosen, asked.sample, asked.seed, asked.workers))

    part = arguments if asked.sample or asked.areas else []  # of which nothing is recorded
    return judged("mutation", look, part)


def tested(folder: Path, areas: list[Area], sample: int | None, seed: int, workers: int) -> str:
    """What came of all mutants, in words."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # before Numba is loaded
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    from release.trials import copied, load_libraries

    tree = copied(ROOT, folder)
    load_libraries(tree)
    accepted = accepted_changes(ACCEPTED)
    outcomes = [outcome(tree, area, accepted, sample, seed, workers) for area in areas]
    said = "; ".join(map(str, outcomes))
    if any(each.survivors for each in outcomes):
        raise CheckError(said)
    return said


def outcome(
    tree: Path,
    area: Area,
    accepted: set[tuple[str, str]],
    sample: int | None,
    seed: int,
    workers: int,
) -> Outcome:
    """Try the mutants of an area, and say each survivor as it is found."""
    from release.trials import trials

    files = sorted(str(path.relative_to(tree)) for path in tree.glob(area.sources))
    tests = sorted(str(path.relative_to(tree)) for each in area.tests for path in tree.glob(each))
    mutants = [mutant for file in files for mutant in mutants_of(tree / file, file)]
    changes = {(mutant.file, mutant.change) for mutant in mutants}
    stale = {each for each in accepted if each[0] in files} - changes
    if stale:
        raise CheckError(f"accepted, but no mutant any more: {sorted(stale)}")
    if sample:
        mutants = random.Random(seed).sample(mutants, min(sample, len(mutants)))
    print(f"{area.name}: {len(mutants)} mutants", flush=True)
    counts: Counter[str] = Counter()
    survivors = []
    for mutant, verdict in trials(tree, mutants, tests, set(LEFT_OUT["nojit"]), workers):
        counts[verdict] += 1
        if counts.total() % 100 == 0:
            print(f"{counts.total()} of {len(mutants)} tried", flush=True)
        if verdict == "survived" and (mutant.file, mutant.change) not in accepted:
            survivors.append(mutant)
            print(f"survived: {mutant.file}:{mutant.line} {mutant.change}", flush=True)
    found = Outcome(area.name, counts, survivors)
    print(found, flush=True)
    return found


def accepted_changes(path: Path) -> set[tuple[str, str]]:
    """File and change of every survivor that is kept as equivalent."""
    groups = tomllib.loads(path.read_text(encoding="utf-8")).get("accepted", [])
    return {(group["file"], change) for group in groups for change in group["changes"]}
