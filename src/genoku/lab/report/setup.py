"""What was run, in full, and how to run it again."""

from __future__ import annotations

import platform
import re
import shlex
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version

from genoku.errors import GenokuError
from genoku.lab.page import Cell, Code, Column, Details, Part, Table, literal
from genoku.lab.report.data import SHORTEST, Gathered
from genoku.lab.study import Arm, Instance, Study, arm, setting_text
from genoku.recipe import as_toml
from genoku.words import plural

SHOWN_ARMS = 12
PACKAGES = ("NumPy", "Numba", "SciPy")


def setup(gathered: Gathered) -> tuple[Part, ...]:
    """Algorithms, puzzles, seeds and versions."""
    study = gathered.study
    recorded = ", ".join(f"`{field}`" for field in study.record.fields)
    every = "step" if study.record.every == 1 else f"{study.record.every} steps"
    arms: Part = _arms(gathered)
    if len(study.arms) > SHOWN_ARMS:
        arms = Details(f"All {len(study.arms)} algorithms", (arms,))
    puzzles: Part = _puzzles(study)
    if len(study.instances) > SHOWN_ARMS:
        puzzles = Details(f"All {len(study.instances)} puzzles", (puzzles,))
    return (
        f"{plural(len(study.arms), 'algorithm')} on {plural(len(study.instances), 'puzzle')} with "
        f"{plural(len(study.seeds), 'seed')} each: {plural(len(study), 'run')} planned, "
        f"{len(gathered.results):,} there. A run has one algorithm, puzzle and seed, and the same "
        "three give the same run on any machine. Of every run a row of numbers was kept every "
        f"{every}: {recorded}.",
        arms,
        Details(
            "Complete recipes, with everything left to defaults",
            tuple(part for each in study.arms for part in _recipe(each)),
        ),
        puzzles,
        Details(
            "The puzzles as lines",
            (Code("\n".join(f"{each.name}  {each.puzzle.line}" for each in study.instances)),),
        ),
        Details(
            f"Seeds: {study.seeds_text}",
            (", ".join(map(str, study.seeds)) + ".",),
        ),
        _versions(gathered),
    )


def _arms(gathered: Gathered) -> Table:
    study = gathered.study
    short = gathered.names != tuple(each.name for each in study.arms)
    keys = list(dict.fromkeys(key for each in study.arms for key in each.settings))
    rows = []
    for label, each in zip(gathered.names, study.arms, strict=True):
        values = [
            literal(setting_text(each.settings[key])) if key in each.settings else None
            for key in keys
        ]
        full = [literal(each.name)] if short else []
        rows.append((literal(label), *full, *values, f"`{each.until}`"))
    heads = [Column(literal(key), align="left") for key in keys]
    columns: tuple[str | Column, ...] = ("algorithm", *["in full"] * short, *heads, "budget")
    return Table(columns, tuple(rows), "The algorithms, what a grid set, and when a run ends.")


def _puzzles(study: Study) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            literal(name),
            str(puzzle.geometry).replace("x", "×"),
            puzzle.givens,
            puzzle.geometry.cells - puzzle.givens,
        )
        for name, puzzle in study.instances
    ]
    columns = ("puzzle", "board", Column("givens", "cells"), Column("blanks", "cells"))
    return Table(columns, tuple(rows), "The puzzles.")


def _recipe(each: Arm) -> tuple[Part, ...]:
    return (
        f"**{literal(each.name)}** until `{each.until}`",
        Code(as_toml(dict(each.recipe)), "toml"),
    )


def _versions(gathered: Gathered) -> Table:
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    digest = blake2b(gathered.study.text().encode(), digest_size=16).hexdigest()
    rows: list[tuple[Cell, ...]] = [
        ("genoku, which made the runs", gathered.version),
        *((f"{name}, which made this report", number) for name, number in found.items()),
        ("the study, as a hash", f"`{digest}`"),
    ]
    return Table(("what", Column("version", align="left")), tuple(rows), "Versions.")


def methods() -> tuple[Part, ...]:
    """How numbers were come by."""
    return (
        "**What counts as better.** A run is better than another if it is solved with less effort; "
        "an unsolved run is worse than any solved one; of two unsolved ones the lower loss is "
        "better, if both have the same fitness function, else they are equal. This is the order of "
        "trial-based dominance (Price, Kumar and Suganthan 2023), and all tests are by rank.",
        "**Unsolved runs.** They count with the effort they spent in expected running times (ERT), "
        "and as unsolved in shares and curves. Nothing is left out or filled in.",
        "**Equal effort.** On each puzzle all runs are held to one budget: the least that any "
        "unsolved run had spent when a limit stopped it, so that nobody gains by running longer. "
        "This is done once in evaluations, once in CPU time. A solution found later counts as "
        "none. Runs that gave up by themselves, or for stagnation, set no budget: they are "
        "unsolved at any. Where no limit stopped a run, all count as they ended. Within a run, "
        "evaluations are taken to be spread evenly over its CPU time; where the budget is less "
        f"than {1000 * SHORTEST:g} ms, how a run starts would decide, and unsolved runs are equal. "
        "CPU times are those of the machines that made the runs.",
        "**Evaluations** are not the same work everywhere: a whole board for genetic algorithms, "
        "one move for annealing, a digit tried for min-conflicts, a decision for exact search. "
        "Across kinds of algorithms CPU time is the fairer measure.",
        "**Tests.** Mann–Whitney's U test for two algorithms on a puzzle (seeds are independent), "
        "van Elteren's, which adds these up over puzzles and settings, for two values of a setting "
        "of a grid, Wilcoxon's signed-rank test over puzzles, Friedman's test with Nemenyi's for "
        "three or more algorithms over three or more puzzles, by the mean rank of an algorithm's "
        "runs among all on a puzzle; two-sided, at 5 %, corrected after Holm within each table. "
        "Effects are Vargha and Delaney's A12: negligible below 0.56, small from there, medium "
        "from 0.64, large from 0.71.",
    )


def again(gathered: Gathered) -> tuple[Part, ...]:
    """The commands that give the same runs."""
    study = gathered.study
    first, instance = study.arms[0], study.instances[0]
    lines = ["genoku study run STUDY.toml", "genoku report STUDY.db -o report.html"]
    return (
        "With the study's file, or with the store, which holds the whole study:",
        Code("\n".join(lines), "sh"),
        "One run of it again, here the first; the recipe is the one listed above, saved as a file "
        "unless it is a preset as it comes:",
        Code(replay(study, first, instance, study.seeds[0]), "sh"),
    )


def replay(study: Study, of: Arm, instance: Instance, seed: int) -> str:
    """The command that makes one run of a study again."""
    how = f"--preset {shlex.quote(of.name)}" if _is_preset(of) else f"--recipe {_file(of)}"
    clashing = " --allow-conflicts" if study.allow_conflicts else ""
    return (
        f"genoku solve {shlex.quote(instance.puzzle.line)} {how} --until {shlex.quote(of.until)} "
        f"--seed {seed}{clashing}"
    )


def _is_preset(of: Arm) -> bool:
    try:
        return arm(of.name, until=of.until).digest == of.digest
    except GenokuError:
        return False


def _file(of: Arm) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "-", of.name).strip("-")[:40].lower()
    return f"{words or 'recipe'}.toml"
