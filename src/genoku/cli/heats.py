"""The study that follows a race: many seeds of every contender, a table and a verdict."""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.cli.output import bar, is_watched, print_sentence, print_table
from genoku.errors import RecipeError
from genoku.interrupts import is_interrupt
from genoku.lab.duels import duels
from genoku.lab.results import Results
from genoku.lab.statistics import Proportion, ert, time_to_solve
from genoku.words import compact, duration, percents

if TYPE_CHECKING:
    from genoku.lab.report.data import Gathered
    from genoku.lab.runner import Watcher
    from genoku.lab.study import Study

NEVER = "–"


@contextmanager
def kept(path: str | None) -> Iterator[str]:
    """Where the runs are kept: the file that was asked for, or one for the time being."""
    if path is not None:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="genoku-race-") as folder:
        yield str(Path(folder) / "race.db")


def run_heats(study: Study, path: str, jobs: int) -> tuple[Gathered, bool]:
    """Make the runs that are not there yet; what is there, and whether Ctrl-C cut it short."""
    from genoku.lab.report.data import gather
    from genoku.lab.runner import run_study
    from genoku.lab.store import Store

    interrupted = False
    try:
        with _bar() as told:
            run_study(study, path, jobs=jobs, folder=str(Path.cwd()), progress=told)
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        interrupted = True
    with Store.open(path, trust=study.trust) as store:
        failures = store.failures()
        if failures:
            raise RecipeError(f"{study.arms[failures[0].arm].name}: {failures[0].message}")
        return gather(store), interrupted


@contextmanager
def _bar() -> Iterator[Watcher | None]:
    """A progress bar where somebody looks."""
    if not is_watched():
        yield None
        return
    with bar("study", units="runs") as (drawn, task):

        def told(now: Any) -> None:
            left = "" if now.left is None else f"  about {duration(max(1, round(now.left)))} left"
            said = f"{now.solved} solved{left if now.done < now.planned else ''}"
            drawn.update(task, total=now.planned, completed=now.done, said=said)

        yield told


def told_study(gathered: Gathered) -> dict[str, Any]:
    """What is said of the study, as JSON has it."""
    study, results = gathered.study, gathered.results
    return {
        "seeds": list(study.seeds),
        "runs": len(results),
        "contenders": _facts_of_all(gathered),
        "comparisons": [duel._asdict() for duel in duels(gathered)],
    }


def print_study(gathered: Gathered) -> None:
    """The table, and a sentence for every pair."""
    results, facts = gathered.results, _facts_of_all(gathered)
    columns = [f"study, {_seeds_text(results.seed.tolist())}", "solved", "95 % interval"]
    any_solved, all_solved = bool(results.solved.any()), bool(results.solved.all())
    if not all_solved:
        columns.append("median loss")
    if any_solved:
        columns += ["median evaluations", "ERT", "median CPU", "ERT"]
    rows = [_row(each, efforts=any_solved, losses=not all_solved) for each in facts]
    click.echo("")
    print_table(columns, rows)
    if any_solved:
        print_sentence(
            "Medians of evaluations and CPU time are of the effort to solve; ERT is the expected "
            "effort with restarts until solved."
        )
    for duel in duels(gathered):
        print_sentence(duel.sentence)


def _seeds_text(seeds: Sequence[int]) -> str:
    """Which seeds there are runs of; after an interruption some may be missing."""
    first, last, count = min(seeds), max(seeds), len(set(seeds))
    if first == last:
        return f"seed {first}"
    span = f"{first} to {last}"
    return f"seeds {span}" if last - first < count else f"{count} seeds from {span}"


def _facts_of_all(gathered: Gathered) -> list[dict[str, Any]]:
    return [
        {
            **_facts(gathered.study, gathered.results, place),
            "searched": (place, 0) not in gathered.unsearched,
        }
        for place in range(len(gathered.study.arms))
    ]


def _facts(study: Study, results: Results, place: int) -> dict[str, Any]:
    own = results.of(arm=place)
    share = Proportion.of(own.solved)
    low, high = share.wilson()
    facts: dict[str, Any] = {
        "name": study.arms[place].name,
        "runs": share.runs,
        "solved": share.successes,
        "interval": [low, high],
        "median_loss": statistics.median(own.loss.tolist()) if len(own) else None,
    }
    for name, efforts in (("evaluations", own.evaluations), ("cpu_seconds", own.cpu_seconds)):
        expected = ert(efforts, own.solved) if len(own) else math.inf
        facts[name] = {
            "median_to_solve": time_to_solve(efforts, own.solved) if len(own) else None,
            "ert": expected if math.isfinite(expected) else None,
        }
    return facts


def _row(facts: dict[str, Any], *, efforts: bool, losses: bool) -> list[str]:
    low, high = facts["interval"]

    def shown(name: str, key: str) -> str:
        value = facts[name][key]
        if value is None:
            return NEVER
        return duration(value) if name == "cpu_seconds" else compact(value)

    row = [
        facts["name"],
        f"{facts['solved']} of {facts['runs']}",
        percents(low, high),
    ]
    if losses:
        row.append(NEVER if facts["median_loss"] is None else f"{facts['median_loss']:.4g}")
    if efforts:
        for name in ("evaluations", "cpu_seconds"):
            row += [shown(name, "median_to_solve"), shown(name, "ert")]
    return row
