"""`genoku study plan`: show what a study would run, its time and its size."""

from __future__ import annotations

import functools
import math
import shlex
import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_UNSOLVED
from genoku.cli.options import command, json_option, option, trust_option, trusted_modules
from genoku.cli.output import announcing_compilation, print_json, print_title, say, status_message
from genoku.errors import GenokuError
from genoku.runtime.text import (
    format_count,
    format_file_size,
    format_rough_duration,
    format_study_size,
)

if TYPE_CHECKING:
    from genoku.lab.estimate import Amount, Estimate
    from genoku.lab.study import Arm, Study

WIDTH = 80
MAX_IN_FULL = 12  # algorithms whose settings are shown
MAX_LISTED = 24  # algorithms and puzzles that are listed


@command()
@click.argument("path", metavar="FILE.toml", type=click.Path())
@json_option
@option("--no-pilot", is_flag=True, help="Only count runs; do not measure the speed.")
@trust_option
def plan(path: str, as_json: bool, no_pilot: bool, trust: bool) -> int:
    """Show what the study of FILE.toml would run, how long it takes and how large it gets.

    Trial runs measure the speed on this machine for a few seconds. Exit code 1 if one fails.

    Examples:
      genoku study plan first.toml
      genoku study plan first.toml --no-pilot      only count runs
      genoku study plan first.toml --json          print every setting and every seed
    """
    from genoku.lab.studyfile import read_study

    study = read_study(path, trusted_modules(trust))
    store = Path(path).with_suffix(".db")
    done = _done(store, study)
    guess = None if no_pilot else _estimate(study)
    if as_json:
        print_json(_facts(study, guess, store, done))
    else:
        _print_plan(study, guess)
        if done is not None:
            click.echo(f"\n{store} already has {done:,} of these runs.")
    for failure in guess.failures if guess else ():
        say(f"genoku: a trial run failed: {failure}")
    if guess and guess.failures:
        return EXIT_UNSOLVED
    if not as_json and done != len(study):
        trusting = " --trust" if study.trust else ""
        say(f"\nRun it with: genoku study run {shlex.quote(path)}{trusting}")
    return 0


def _estimate(study: Study) -> Estimate:
    from genoku.lab.estimate import estimate
    from genoku.lab.runner import process_workers

    with announcing_compilation(), status_message("running short trials"):
        if not study.trust:
            return estimate(study)
        with process_workers(1) as workers:  # a user's own part may crash its process
            return estimate(study, executor=workers.executor)


def _done(path: Path, study: Study) -> int | None:
    """The number of runs in the store beside the file; None if there is no store."""
    from genoku.lab.estimate import count_done
    from genoku.lab.store import Store

    if not path.exists():
        return None
    try:
        with Store.open(path) as store:
            return count_done(store, study)
    except GenokuError as error:
        say(f"genoku: {error}")
        return None


def _print_plan(study: Study, guess: Estimate | None) -> None:
    print_title(study.name)
    if study.question:
        click.echo(textwrap.fill(study.question, WIDTH))
    made_of = format_study_size(len(study.arms), len(study.instances), len(study.seeds))
    click.echo(f"\n{format_count(len(study), 'run')} = {made_of} ({study.seeds_text})")
    _print_arms(study, guess)
    print_title("\nPuzzles")
    puzzles = study.instances[:MAX_LISTED]
    wide = min(48, max(len(each.name) for each in puzzles))
    for name, puzzle in puzzles:
        size = f"{puzzle.side}×{puzzle.side}"
        short = name if len(name) <= wide else f"{name[: wide - 1]}…"
        conflicts = ", in conflict" if puzzle.conflicts() else ""
        click.echo(f"  {short:<{wide}}  {size:>5}  {puzzle.givens:4} givens{conflicts}")
    _print_rest(len(study.instances))
    every = "every step" if study.record.every == 1 else f"every {study.record.every:,} steps"
    print_title("\nRecorded")
    _print_wrapped(f"{', '.join(study.record.fields)}, {every}")
    if guess:
        _print_estimate(guess, len(study.arms) * len(study.instances))


def _print_arms(study: Study, guess: Estimate | None) -> None:
    budgets = {arm.until for arm in study.arms}
    shared = f", each until {next(iter(budgets))}" if len(budgets) == 1 else ""
    print_title(f"\nAlgorithms{shared}")
    in_full = len(study.arms) <= MAX_IN_FULL
    times = dict(enumerate(guess.per_run)) if guess and in_full else {}
    # Arms of a grid differ only in the settings in their names.
    groups = groupby(enumerate(study.arms[:MAX_LISTED]), key=lambda pair: _settings(pair[1]))
    for settings, some in groups:
        for place, arm in some:
            amount = times.get(place)
            facts = [f"until {arm.until}"] if not shared and arm.until not in arm.name else []
            facts += [f"about {format_rough_duration(amount.about)} a run"] if amount else []
            left, right = f"  {arm.name}", ", ".join(facts)
            fits = len(left) + len(right) + 1 < WIDTH
            line = f"{left}{right:>{WIDTH - len(left)}}" if fits else f"{left}\n{right:>{WIDTH}}"
            click.echo(line.rstrip())
        if in_full:
            _print_wrapped(settings, 6)
    _print_rest(len(study.arms))


def _print_estimate(guess: Estimate, pairs: int) -> None:
    print_title("\nEstimate")
    if not (guess.cpu and guess.disk and guess.wall):
        _print_wrapped("none: every trial run failed")
        return
    on = f"on the {format_count(guess.cores, 'core')} of this machine"
    click.echo(f"  time  {_amount_text(guess.wall, format_rough_duration)} {on}")
    click.echo(f"  CPU   {_amount_text(guess.cpu, format_rough_duration)}")
    click.echo(f"  disk  {_amount_text(guess.disk, format_file_size)}")
    which = "every algorithm on every puzzle"
    if guess.pairs != pairs:
        which = f"{guess.pairs:,} of the {pairs:,} pairs of algorithm and puzzle"
    bound = "The maximum is for runs that use their whole budget; runs that solve end sooner."
    if math.isinf(guess.cpu.most):
        bound = "Some budgets do not limit the time, such as stagnation or a cost."
    click.echo()
    _print_wrapped(
        f"From {format_count(guess.pilots, 'short run')} of {which}, at their speed here. {bound}"
    )


def _print_wrapped(text: str, indent: int = 2) -> None:
    lines = textwrap.wrap(text, WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    click.echo(textwrap.indent("\n".join(lines), " " * indent))


def _print_rest(count: int) -> None:
    if count > MAX_LISTED:
        click.echo(f"  … and {count - MAX_LISTED:,} more (--json lists all)")


def _settings(arm: Arm) -> str:
    """The settings of a recipe that differ from the defaults and are not in the arm's name."""
    in_name = {path.partition(".")[0] for path in arm.settings}
    return _short({key: each for key, each in arm.recipe.items() if key not in in_name}, depth=0)


def _short(value: Any, depth: int) -> str:
    """Format a value of a recipe; deeply nested parts by their names only."""
    if isinstance(value, list):
        return f"[{', '.join(_short(each, depth) for each in value)}]"
    if not isinstance(value, Mapping):
        return str(value).lower() if isinstance(value, bool) else str(value)
    name = str(value.get("use", ""))
    rest = [
        f"{key}={_short(each, depth + 1)}"
        for key, each in value.items()
        if key != "use" and depth < 3 and each != _defaults().get(name, {}).get(key)
    ]
    if depth == 0:
        return f"{name}: {', '.join(rest)}" if rest else name
    return f"{name}({', '.join(rest)})" if rest else name


@functools.cache
def _defaults() -> dict[str, dict[str, Any]]:
    from genoku.evolve.parts import catalogue

    return {
        row["name"]: {each["name"]: each["default"] for each in row["parameters"]}
        for row in catalogue()
    }


def _amount_text(amount: Amount, formatter: Any) -> str:
    about, most = formatter(amount.about), formatter(amount.most)
    if math.isinf(amount.most):
        return f"{about} or more"
    return f"about {about} at most" if about == most else f"about {about}, at most {most}"


def _facts(study: Study, guess: Estimate | None, store: Path, done: int | None) -> dict[str, Any]:
    per_run = guess.per_run if guess else (None,) * len(study.arms)
    algorithms = [
        {
            "name": arm.name,
            "until": arm.until,
            "settings": arm.settings,
            "recipe": arm.recipe,
            "seconds_a_run": _amount(amount),
        }
        for arm, amount in zip(study.arms, per_run, strict=True)
    ]
    puzzles = [
        {
            "name": name,
            "size": puzzle.side,
            "box": puzzle.geometry.box,
            "givens": puzzle.givens,
            "puzzle": str(puzzle),
        }
        for name, puzzle in study.instances
    ]
    estimate = guess and {
        "cpu_seconds": _amount(guess.cpu),
        "seconds": _amount(guess.wall),
        "cores": guess.cores,
        "bytes": _amount(guess.disk),
        "pilot_runs": guess.pilots,
        "pairs_tried": guess.pairs,
        "failures": list(guess.failures),
    }
    return {
        "name": study.name,
        "question": study.question,
        "runs": len(study),
        "seeds": list(study.seeds),
        "algorithms": algorithms,
        "puzzles": puzzles,
        "record": asdict(study.record),
        "allow_conflicts": study.allow_conflicts,
        "estimate": estimate,
        "store": None if done is None else {"path": str(store), "done": done},
    }


def _amount(amount: Amount | None) -> dict[str, float | None] | None:
    """The amount as JSON, which has no infinity."""
    if amount is None:
        return None
    return {
        key: float(f"{value:.3g}") if math.isfinite(value) else None
        for key, value in amount._asdict().items()
    }
