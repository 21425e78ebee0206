"""How `genoku solve` runs an evolution on one puzzle, and what it says of it."""

from __future__ import annotations

import csv
import shlex
from dataclasses import replace
from pathlib import Path

import click

from genoku.cli.asked import Asked
from genoku.cli.exits import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_UNSOLVED
from genoku.cli.output import (
    board_text,
    compiling_announced,
    duration,
    plural,
    print_json,
    refuse_conflicts,
    rounded,
    say,
)
from genoku.cli.plan import Plan, limited, record_of, with_own_parts
from genoku.cli.watch import shown, work
from genoku.figures import CURVES, Film, map_colours, plot_history, step_word
from genoku.formats import Entry
from genoku.journey import Journey
from genoku.loop import Watcher, resume
from genoku.presets import presets
from genoku.result import Result
from genoku.state import Algorithm
from genoku.stopping import Counters, Until


def evolve_one(entry: Entry, plan: Plan, asked: Asked, jobs: int, *, as_json: bool) -> int:
    """Run on one puzzle and tell what came of it."""
    if not plan.allow_conflicts and refuse_conflicts(entry.puzzle):
        return EXIT_INPUT
    algorithm, until = plan.algorithm(), Until.parse(plan.until)
    if jobs > 1 and not hasattr(algorithm, "islands"):
        say("--jobs has nothing to spread: one puzzle, and no islands")
    if entry.name and not as_json:
        say(f"{entry.name}: {entry.puzzle.geometry}, {plural(entry.puzzle.givens, 'given')}")
    title = f"{plan.name} on {entry.name or entry.puzzle.geometry}, seed {plan.seed}"
    film = Film() if asked.gif else None
    with (
        compiling_announced(),
        shown(live=asked.watch, algorithm=algorithm, until=until, title=title) as watchers,
    ):
        watch: list[Watcher] = [*watchers, film] if film else watchers
        result = plan.run(entry, watch=watch, checkpoint=asked.checkpoint, jobs=jobs)
    return _told(result, plan.name, entry.name, title, asked, film, as_json=as_json)


def resume_one(asked: Asked, jobs: int, time_limit: float | None, *, as_json: bool) -> int:
    """Go on with a saved run and tell what came of it."""
    path = asked.resume or ""
    with_own_parts()
    saved = Journey.load(path)
    record = saved.rows.record
    for name, kept in (("individuals", record.individuals), ("lineage", record.lineage)):
        if asked.given(name) and not kept:
            raise click.UsageError(f"expected no --{name}: {path} began without it")
    if asked.plot and not {"gen", *CURVES} <= set(record.fields):
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
        result = resume(path, until=until, watch=watch, checkpoint=asked.checkpoint, jobs=jobs)
    asked = replace(asked, checkpoint=asked.checkpoint or path)
    return _told(result, name, "", title, asked, film, as_json=as_json)


def _name_of(algorithm: Algorithm) -> str:
    """The preset that an algorithm is, if it is one."""
    return next((each.name for each in presets() if each.build() == algorithm), "a recipe")


def _told(
    result: Result,
    name: str,
    puzzle_name: str,
    title: str,
    asked: Asked,
    film: Film | None,
    *,
    as_json: bool,
) -> int:
    if as_json:
        print_json(record_of(result, name, puzzle_name))
    else:
        colours = map_colours(result.board, result.puzzle.geometry)
        click.echo(board_text(result.puzzle, result.board, colours=colours))
        for line in summary(result, name):
            say(line)
    _keep(result, title, asked, film)
    if result.stop_reason == "interrupted":
        if as_json:
            say("interrupted")
        if asked.checkpoint:
            say(f"Go on with: genoku solve --resume {shlex.quote(asked.checkpoint)}")
        return EXIT_INTERRUPTED
    return 0 if result.solved else EXIT_UNSOLVED


def summary(result: Result, name: str) -> list[str]:
    """What came of a run, in a few honest lines."""
    fitness, reason = result.problem.fitness, result.stop_reason
    better = "higher" if fitness.maximise else "lower"
    counters = Counters(evaluations=result.evaluations, moves=result.moves)
    done, unit = work(counters)
    speed = f"{rounded(done / max(result.seconds, 1e-9))}/s"
    effort = (
        f"{plural(result.steps, step_word(result.algorithm))}, {rounded(done)} {unit} ({speed})"
    )
    if result.solved:
        return [f"Solved by {name} in {duration(result.seconds)}.", f"{effort}."]
    why = {
        "interrupted": "Interrupted",
        "failed": f"{name} gave up",
        "stopped": "Stopped",
    }.get(reason, "Not solved")
    lines = [
        f"{why}: best score {result.score:.5g} ({better} is better), loss {result.loss:.4g}, "
        f"by {name}.",
        f"{effort} in {duration(result.seconds)}"
        + (f"; ended by {reason}." if why == "Not solved" else "."),
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


def _keep(result: Result, title: str, asked: Asked, film: Film | None) -> None:
    """Write what was asked for."""
    if asked.history:
        result.history.to_csv(asked.history)
    if asked.individuals:
        result.write_individuals(asked.individuals)
    if asked.lineage:
        _write_lineage(result, asked.lineage)
    if asked.plot:
        plot_history(result, asked.plot, title=title)
    if asked.gif and film:
        film.write(result, asked.gif)
    written = [asked.history, asked.individuals, asked.lineage, asked.plot, asked.gif]
    written += [asked.save_recipe, asked.checkpoint]
    if any(written):
        say(f"wrote {', '.join(filter(None, written))}")


def _write_lineage(result: Result, path: str) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "born", "cost", "parents"))
        for ancestor in result.lineage():
            writer.writerow((*ancestor[:3], " ".join(map(str, ancestor.parents))))
