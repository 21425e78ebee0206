"""How `genoku solve` runs an evolution on one puzzle, and what it says of it."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import click

from genoku.algorithms import Exact
from genoku.cli import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_UNSOLVED
from genoku.cli.asked import Asked, option_name
from genoku.cli.batch import refusal
from genoku.cli.options import trusted
from genoku.cli.output import board_text, compiling_announced, print_json, refuse_conflicts, say
from genoku.cli.plan import Plan, limited, record_of
from genoku.cli.verdicts import PROVED, UNIQUE, UNIQUENESS_SECONDS, is_only, proof_of
from genoku.cli.watch import pace_of, shown
from genoku.engine.history import MOST_KEPT
from genoku.engine.result import Result
from genoku.engine.run import Run, Watcher, resume
from genoku.engine.summary import aside, ended_by_a_limit, summary
from genoku.engine.warmup import load_kernels_of
from genoku.errors import FormatError, GenokuError
from genoku.failures import modules_of
from genoku.figures import Film, plot_history
from genoku.formats import Entry
from genoku.formats.writing import replacing
from genoku.looks import CURVES, map_colours, step_word
from genoku.preset_library import presets
from genoku.state import Algorithm
from genoku.stopping import Stop, Until
from genoku.words import duration, plural
from genoku.workers import cores

SEEDS = 4
"""How many seeds a portfolio has where nobody says it."""


@dataclass(frozen=True)
class Spreading:
    """On how many processes, and with how many seeds; None where nothing was said."""

    jobs: int | None
    seeds: int | None
    dask: str | None = None
    """The address of a Dask scheduler in place of processes, or `local`."""

    def seeds_for(self, algorithm: Algorithm) -> int:
        """One, or a portfolio: where it is asked for, or processes have nothing else to do."""
        if self.seeds is not None:
            return self.seeds
        idle = not (_has_islands(algorithm) or isinstance(algorithm, Exact))
        asked = self.jobs is not None or self.dask is not None
        return SEEDS if asked and idle else 1

    @contextmanager
    def workers(self) -> Iterator[int | Executor]:
        """So many processes, or the workers of a cluster as long as this lasts."""
        if self.dask is None:
            yield self.jobs or 1
            return
        from genoku.lab.runner import dask_executor

        with dask_executor(self.dask, self.jobs or cores()) as executor:
            yield executor


def evolve_one(
    entry: Entry, plan: Plan, asked: Asked, spreading: Spreading, *, as_json: bool
) -> int:
    """Run on one puzzle and tell what came of it."""
    if not plan.allow_conflicts and refuse_conflicts(entry.puzzle):
        if as_json:
            print_json(refusal(entry, str(entry.puzzle.conflicts()[0])))
        return EXIT_INPUT
    algorithm, until = plan.algorithm(), Until.parse(plan.until)
    seeds = spreading.seeds_for(algorithm)
    if seeds > 1 and asked.checkpoint:
        raise click.UsageError(
            f"expected one run with --checkpoint, got a portfolio of {seeds} seeds: add --seeds 1"
        )
    wants_more = (spreading.jobs or 1) > 1 or spreading.dask is not None
    if seeds == 1 and wants_more and not _has_islands(algorithm):
        what = "--dask" if spreading.dask else "--jobs"
        say(f"{what} has nothing to spread: one puzzle, one seed, and no islands")
    if seeds > 1 and spreading.seeds is None and not as_json:
        say(f"{seeds} seeds side by side, so that processes have work: --seeds 1 for one run")
    if entry.name and not as_json:
        say(f"{entry.name}: {entry.puzzle.geometry}, {plural(entry.puzzle.givens, 'given')}")
    title = f"{aside(plan.name)} on {entry.name or entry.puzzle.geometry}"
    among = f"seed {plan.seed}" if seeds == 1 else seeds_text(plan.seed, seeds)
    film = Film() if asked.gif else None
    with compiling_announced(), spreading.workers() as jobs:
        load_kernels_of(algorithm, entry.puzzle.geometry)
        with shown(
            live=asked.watch,
            algorithm=algorithm,
            until=until,
            title=f"{title}, {among}",
            pace=pace_of(asked.speed) if seeds == 1 else None,
        ) as watchers:
            if seeds > 1:
                result = plan.race(entry.puzzle, algorithm, seeds, watch=watchers, jobs=jobs)
            else:
                watch: list[Watcher] = [*watchers, film] if film else watchers
                options = {"watch": watch, "checkpoint": asked.checkpoint, "jobs": jobs}
                with _checkpoint_named(asked.checkpoint):
                    result = plan.run(entry.puzzle, algorithm, **options)
    if film and seeds > 1:  # who would win was not known
        end = f"steps={result.steps}"
        plan.run(entry.puzzle, algorithm, seed=result.seed, until=end, watch=film)
    record = None
    if as_json:
        record = record_of(result, plan.preset, entry.name, plan.settings) | {"seeds": seeds}
    told = Told(plan.name, f"{title}, seed {result.seed}", record, among, plan.prove)
    return told.tell(result, asked, film)


def seeds_text(first: int, count: int) -> str:
    return f"seeds {first} {'and' if count == 2 else 'to'} {first + count - 1}"


def _has_islands(algorithm: Any) -> bool:
    """Whether there are islands, however deep they are wrapped."""
    inner = getattr(algorithm, "algorithm", None)
    return hasattr(algorithm, "islands") or (inner is not None and _has_islands(inner))


def resume_one(
    asked: Asked,
    spreading: Spreading,
    time_limit: float | None,
    prove: float | None,
    *,
    as_json: bool,
) -> int:
    """Go on with a saved run and tell what came of it."""
    path = asked.resume or ""
    trust = trusted(asked.trust)
    allowed: dict[str, Any] = {"trust": trust, "any_version": asked.any_version}
    saved = Run.load(path, **allowed)
    recorded = saved.rows.record
    for name, kept in (("individuals", recorded.individuals), ("lineage", recorded.lineage)):
        if asked.given(name) and not kept:
            raise click.UsageError(f"expected no --{name}: {path} began without it")
    if asked.plot and not {"gen", *CURVES} <= set(recorded.fields):
        raise click.UsageError(f"expected no --plot: {path} keeps too little of its history")
    more = None if time_limit is None else saved.seconds + time_limit
    until = limited(str(saved.until) if asked.until is None else asked.until, more)
    name = _name_of(saved.algorithm)
    title = f"{name}, resumed at {step_word(saved.algorithm)} {saved.state.step:,}"
    film = Film() if asked.gif else None
    with (
        compiling_announced(),
        spreading.workers() as jobs,
        shown(
            live=asked.watch,
            algorithm=saved.algorithm,
            until=until,
            title=title,
            pace=pace_of(asked.speed),
        ) as watchers,
    ):
        watch: list[Watcher] = [*watchers, film] if film else watchers
        load_kernels_of(saved.algorithm, saved.problem.puzzle.geometry)
        saved_to = asked.checkpoint or path
        with _checkpoint_named(saved_to):
            result = resume(
                path, until=until, watch=watch, checkpoint=saved_to, jobs=jobs, **allowed
            )
    asked = replace(asked, checkpoint=saved_to)
    record = record_of(result, name, "", None) if as_json else None
    return Told(name, title, record, "", prove).tell(result, asked, film)


def _name_of(algorithm: Algorithm) -> str:
    """The preset that an algorithm is, if it is one."""
    return next((each.name for each in presets() if each.build() == algorithm), "a recipe")


@contextmanager
def _checkpoint_named(path: str | None) -> Iterator[None]:
    """Say which file it is that cannot be written in the middle of a run."""
    try:
        yield
    except OSError as error:
        if path is None:
            raise
        raise GenokuError(f"--checkpoint {path}: {error.strerror or error}") from error


@dataclass(frozen=True)
class Told:
    """How a run is told: as a board with a few honest lines, or as JSON."""

    name: str
    title: str
    record: dict[str, Any] | None
    """The JSON object, if that is what is wanted."""
    among: str
    """The seeds there were, if there were several."""
    prove: float | None

    def tell(self, result: Result, asked: Asked, film: Film | None) -> int:
        """Write the files, then print: the files stay when nobody reads what is printed."""
        files = Files(asked)
        try:
            try:
                files.write(result, self.title, film)
            finally:
                self._print(result)
        finally:
            files.tell()
        if result.stop_reason is Stop.INTERRUPTED:
            if self.record is not None:
                say("interrupted")
            if asked.checkpoint:
                trusting = " --trust" if modules_of(result.recipe) else ""
                say(f"Go on with: genoku solve --resume {shlex.quote(asked.checkpoint)}{trusting}")
            return EXIT_INTERRUPTED
        if files.failed:
            return EXIT_INPUT
        return 0 if result.solved else EXIT_UNSOLVED

    def _print(self, result: Result) -> None:
        if self.record is not None:
            record: dict[str, Any] = {**self.record, "decided": result.decided, "unique": None}
            try:  # Ctrl-C may end what the oracle is asked, and not what is known
                record["unique"] = is_only(result)
                if self.prove is not None:
                    record["proof"] = None
                    record["proof"] = proof_of(result, self.prove)
            finally:
                print_json(record)
            return
        if result.stop_reason is Stop.NO_SOLUTION:
            click.echo(board_text(result.puzzle))
        else:
            colours = map_colours(result.board, result.puzzle.geometry)
            click.echo(board_text(result.puzzle, result.board, colours=colours))
        proof = None
        try:  # a moment for the oracle; Ctrl-C may end it, and not what is known
            if self.prove is None and ended_by_a_limit(result):
                proof = proof_of(result, UNIQUENESS_SECONDS)
        finally:
            known = {"no solution": False, "solvable": True}.get(proof or "")
            for line in summary(result, self.name, self.among, has_solution=known):
                say(line)
        if proof == "solvable":
            say(PROVED[proof])
        elif proof == "open":
            say("Whether there is one, exact can say: add --prove.")
        if result.solved:  # asked when the board can be seen
            say(UNIQUE[is_only(result)])
        elif self.prove is not None and result.stop_reason not in (
            Stop.NO_SOLUTION,
            Stop.INTERRUPTED,
        ):
            say(f"asking exact whether there is one, for {duration(self.prove)} at most ...")
            proof = proof_of(result, self.prove)
            if proof is not None:
                say(PROVED[proof])


class Files:
    """The files of a run, and what became of each."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.written = [path for path in (asked.save_recipe, asked.checkpoint) if path]
        self.notes: list[str] = []
        self.failed: list[str] = []

    def write(self, result: Result, title: str, film: Film | None) -> None:
        """Write what was asked for; one that fails does not keep the others from being tried."""
        writers: dict[str, Callable[[str], object]] = {
            "history": result.history.to_csv,
            "individuals": result.write_individuals,
            "lineage": lambda path: _write_lineage(result, path),
            "plot": lambda path: plot_history(result, path, title=title),
            "gif": lambda path: film.write(result, path) if film else None,
        }
        for name, path in self.asked.files().items():
            if name not in writers:  # written by now
                continue
            try:
                writers[name](path)
                self.written.append(path)
                self.notes += _left_out(name, result)
            except (OSError, GenokuError) as error:
                cause = error.__cause__ if isinstance(error, FormatError) else error
                reason = getattr(cause, "strerror", None) or error
                self.failed.append(f"{option_name(name)} {path}: {reason}")
            except Exception as error:  # such as a user's own score, or no memory to draw in
                self.failed.append(f"{option_name(name)} {path}: {type(error).__name__}: {error}")

    def tell(self) -> None:
        if self.written:
            say(f"wrote {', '.join(self.written)}")
        for note in self.notes:
            say(note)
        for reason in self.failed:
            say(f"genoku: {reason}")


def _left_out(name: str, result: Result) -> list[str]:
    """What a log lacks, since a run keeps only so many rows of it."""
    if name == "individuals" and result.individuals_every > 1:
        word = f"every {result.individuals_every:,}th {step_word(result.algorithm)}"
        return [f"--individuals has {word} only: {MOST_KEPT:,} boards are the most it keeps"]
    if name == "lineage" and result.lineage_from > 0:
        word = f"{step_word(result.algorithm)} {result.lineage_from:,}"
        return [f"--lineage is whole from {word} on: {MOST_KEPT:,} births are the most it keeps"]
    return []


def _write_lineage(result: Result, path: str) -> None:
    with replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "born", "cost", "parents"))
        for ancestor in result.lineage():
            writer.writerow((*ancestor[:3], " ".join(map(str, ancestor.parents))))
