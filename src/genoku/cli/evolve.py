"""How `genoku solve` runs an evolution on one puzzle, and what it says of it."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from genoku.cli.asked import Asked, option_name
from genoku.cli.exits import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_UNSOLVED
from genoku.cli.output import (
    board_text,
    compiling_announced,
    duration,
    limits,
    plural,
    print_json,
    refuse_conflicts,
    rounded,
    say,
)
from genoku.cli.own import failures_named
from genoku.cli.plan import Plan, limited, record_of, with_own_parts
from genoku.cli.watch import shown, work, work_done
from genoku.errors import GenokuError
from genoku.figures import CURVES, Film, map_colours, plot_history, step_word
from genoku.formats import Entry
from genoku.journey import Journey
from genoku.loop import Watcher, resume
from genoku.presets import presets
from genoku.recipe import describe
from genoku.result import Result
from genoku.state import Algorithm
from genoku.stopping import Counters, Until


def evolve_one(entry: Entry, plan: Plan, asked: Asked, jobs: int, *, as_json: bool) -> int:
    """Run on one puzzle and tell what came of it."""
    if not plan.allow_conflicts and refuse_conflicts(entry.puzzle):
        return EXIT_INPUT
    algorithm, until = plan.algorithm(), Until.parse(plan.until)
    if jobs > 1 and not _has_islands(algorithm):
        say("--jobs has nothing to spread: one puzzle, and no islands")
    if entry.name and not as_json:
        say(f"{entry.name}: {entry.puzzle.geometry}, {plural(entry.puzzle.givens, 'given')}")
    title = f"{aside(plan.name)} on {entry.name or entry.puzzle.geometry}, seed {plan.seed}"
    film = Film() if asked.gif else None
    with (
        compiling_announced(),
        shown(live=asked.watch, algorithm=algorithm, until=until, title=title) as watchers,
    ):
        watch: list[Watcher] = [*watchers, film] if film else watchers
        with _checkpoint_named(asked.checkpoint):
            result = plan.run(entry, watch=watch, checkpoint=asked.checkpoint, jobs=jobs)
    record = record_of(result, plan.preset, entry.name, plan.settings) if as_json else None
    return _told(result, plan.name, title, asked, film, record)


def _has_islands(algorithm: Any) -> bool:
    """Whether there are islands, however deep they are wrapped."""
    inner = getattr(algorithm, "algorithm", None)
    return hasattr(algorithm, "islands") or (inner is not None and _has_islands(inner))


def resume_one(asked: Asked, jobs: int, time_limit: float | None, *, as_json: bool) -> int:
    """Go on with a saved run and tell what came of it."""
    path = asked.resume or ""
    with_own_parts()
    saved = Journey.load(path)
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
        shown(live=asked.watch, algorithm=saved.algorithm, until=until, title=title) as watchers,
    ):
        watch: list[Watcher] = [*watchers, film] if film else watchers
        asked = replace(asked, checkpoint=asked.checkpoint or path)
        with _checkpoint_named(asked.checkpoint), failures_named(describe(saved.algorithm)):
            result = resume(path, until=until, watch=watch, checkpoint=asked.checkpoint, jobs=jobs)
    record = record_of(result, name, "", None) if as_json else None
    return _told(result, name, title, asked, film, record)


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


def _told(
    result: Result,
    name: str,
    title: str,
    asked: Asked,
    film: Film | None,
    record: dict[str, Any] | None,
) -> int:
    """Write the files, then print: the files stay when nobody reads what is printed."""
    files = Files(asked)
    try:
        try:
            files.write(result, title, film)
        finally:
            _print(result, name, record)
    finally:
        files.tell()
    if result.stop_reason == "interrupted":
        if record is not None:
            say("interrupted")
        if asked.checkpoint:
            say(f"Go on with: genoku solve --resume {shlex.quote(asked.checkpoint)}")
        return EXIT_INTERRUPTED
    if files.failed:
        return EXIT_INPUT
    return 0 if result.solved else EXIT_UNSOLVED


def _print(result: Result, name: str, record: dict[str, Any] | None) -> None:
    if record is not None:
        print_json(record)
        return
    colours = map_colours(result.board, result.puzzle.geometry)
    click.echo(board_text(result.puzzle, result.board, colours=colours))
    for line in summary(result, name):
        say(line)


def aside(name: str) -> str:
    """A name within a sentence: "charles, changed," where it is not as it comes."""
    return f"{name}," if name.endswith(", changed") else name


def summary(result: Result, name: str) -> list[str]:
    """What came of a run, in a few honest lines."""
    fitness, reason = result.problem.fitness, result.stop_reason
    better = "higher" if fitness.maximise else "lower"
    counters = Counters(evaluations=result.evaluations, moves=result.moves)
    speed = f"{rounded(work(counters)[0] / max(result.seconds, 1e-9))}/s"
    effort = f"{plural(result.steps, step_word(result.algorithm))}, {work_done(counters)} ({speed})"
    if result.solved:
        return [f"Solved by {aside(name)} in {duration(result.seconds)}.", f"{effort}."]
    why = {
        "interrupted": "Interrupted",
        "failed": f"{aside(name)} gave up",
        "stopped": "Stopped",
    }.get(reason, "Not solved")
    lines = [
        f"{why}: best score {result.score:.5g} ({better} is better), loss {result.loss:.4g}, "
        f"by {name}.",
        f"{effort} in {duration(result.seconds)}"
        + (f"; ended by {limits(reason)}." if why == "Not solved" else "."),
    ]
    if result.ceiling is not None:
        bound = "above" if fitness.maximise else "below"
        clashes = len(result.puzzle.conflicts())
        stand = "value stands" if clashes == 1 else "values stand"
        lines.append(
            f"No board can score {bound} {result.ceiling:.5g}: "
            f"{clashes} {stand} twice among the givens."
        )
    return lines


class Files:
    """The files of a run, and what became of each."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.written = [path for path in (asked.save_recipe, asked.checkpoint) if path]
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
            except (OSError, GenokuError) as error:
                reason = getattr(error, "strerror", None) or error
                self.failed.append(f"{option_name(name)} {path}: {reason}")
            except Exception as error:  # such as a user's own score, or no memory to draw in
                self.failed.append(f"{option_name(name)} {path}: {type(error).__name__}: {error}")

    def tell(self) -> None:
        if self.written:
            say(f"wrote {', '.join(self.written)}")
        for reason in self.failed:
            say(f"genoku: {reason}")


def _write_lineage(result: Result, path: str) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "born", "cost", "parents"))
        for ancestor in result.lineage():
            writer.writerow((*ancestor[:3], " ".join(map(str, ancestor.parents))))
