"""`genoku study plan`: what a study would run, how long and how large."""

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
from genoku.cli.options import json_option, trust_option, trusted
from genoku.cli.output import compiling_announced, in_colour, print_json, say, waiting
from genoku.errors import GenokuError
from genoku.words import file_size, plural, rough_duration, runs_of

if TYPE_CHECKING:
    from genoku.lab.estimate import Amount, Estimate
    from genoku.lab.study import Arm, Study

WIDTH = 80
IN_FULL = 12  # algorithms whose settings are shown
LISTED = 24  # algorithms and puzzles, before the rest is counted only


@click.command(
    epilog="""\b
Examples:
  genoku study plan first.toml
  genoku study plan first.toml --no-pilot      count only, at once
  genoku study plan first.toml --json          every setting and every seed
""",
)
@click.argument("path", metavar="FILE.toml", type=click.Path())
@json_option
@click.option("--no-pilot", is_flag=True, help="Only count; try no runs.")
@trust_option
def plan(path: str, as_json: bool, no_pilot: bool, trust: bool) -> int:
    """Show what the study of FILE.toml would run, how long it would take and how large it gets.

    Some short runs are tried, for some seconds, to see how fast they go here. Ends with 1 if one
    of them failed.
    """
    from genoku.lab.studyfile import read_study

    study = read_study(path, trusted(trust))
    store = Path(path).with_suffix(".db")
    done = _done(store, study)
    guess = None if no_pilot else _tried(study)
    if as_json:
        print_json(_facts(study, guess, store, done))
    else:
        _show(study, guess)
        if done is not None:
            click.echo(f"\n{store} has {done:,} of these runs already.")
    for failure in guess.failures if guess else ():
        say(f"genoku: a run that was tried failed: {failure}")
    if guess and guess.failures:
        return EXIT_UNSOLVED
    if not as_json and done != len(study):
        trusting = " --trust" if study.trust else ""
        say(f"\nRun it with: genoku study run {shlex.quote(path)}{trusting}")
    return 0


def _tried(study: Study) -> Estimate:
    from genoku.lab.estimate import estimate
    from genoku.lab.runner import process_crew

    with compiling_announced(), waiting("trying some short runs"):
        if not study.trust:
            return estimate(study)
        with process_crew(1) as crew:  # a part of the user's own may take its process along
            return estimate(study, executor=crew.executor)


def _done(path: Path, study: Study) -> int | None:
    """How many runs are in the store beside the file; None if there is no store."""
    from genoku.lab.estimate import runs_done
    from genoku.lab.store import Store

    if not path.exists():
        return None
    try:
        with Store.open(path) as store:
            return runs_done(store, study)
    except GenokuError as error:
        say(f"genoku: {error}")
        return None


def _show(study: Study, guess: Estimate | None) -> None:
    _title(study.name)
    if study.question:
        click.echo(textwrap.fill(study.question, WIDTH))
    made_of = runs_of(len(study.arms), len(study.instances), len(study.seeds))
    click.echo(f"\n{plural(len(study), 'run')} = {made_of} ({study.seeds_text})")
    _show_arms(study, guess)
    _show_puzzles(study)
    record = study.record
    every = "every step" if record.every == 1 else f"every {record.every:,} steps"
    _title("\nRecorded")
    _wrapped(f"{', '.join(record.fields)}, {every}")
    if guess:
        _show_guess(guess, len(study.arms) * len(study.instances))


def _show_arms(study: Study, guess: Estimate | None) -> None:
    budgets = {arm.until for arm in study.arms}
    shared = f", each until {next(iter(budgets))}" if len(budgets) == 1 else ""
    _title(f"\nAlgorithms{shared}")
    in_full = len(study.arms) <= IN_FULL
    times = dict(enumerate(guess.per_run)) if guess and in_full else {}
    shown = enumerate(study.arms[:LISTED])
    # Points of a grid differ in what their names say.
    for settings, some in groupby(shown, key=lambda pair: _settings(pair[1])):
        for place, arm in some:
            amount = times.get(place)
            facts = [f"until {arm.until}"] if not shared and arm.until not in arm.name else []
            facts += [f"about {rough_duration(amount.about)} a run"] if amount else []
            click.echo(_row(f"  {arm.name}", ", ".join(facts)).rstrip())
        if in_full:
            _wrapped(settings, 6)
    _rest(len(study.arms))


def _row(left: str, right: str) -> str:
    """Two texts at the ends of a line, or of two lines if one is too short."""
    fits = len(left) + len(right) + 1 < WIDTH
    return f"{left}{right:>{WIDTH - len(left)}}" if fits else f"{left}\n{right:>{WIDTH}}"


def _show_puzzles(study: Study) -> None:
    _title("\nPuzzles")
    listed = study.instances[:LISTED]
    wide = min(48, max(len(each.name) for each in listed))
    for name, puzzle in listed:
        size = f"{puzzle.side}×{puzzle.side}"
        short = name if len(name) <= wide else f"{name[: wide - 1]}…"
        clashes = ", clashing" if puzzle.conflicts() else ""
        click.echo(f"  {short:<{wide}}  {size:>5}  {puzzle.givens:4} givens{clashes}")
    _rest(len(study.instances))


def _show_guess(guess: Estimate, pairs: int) -> None:
    _title("\nEstimate")
    if not (guess.cpu and guess.disk and guess.wall):
        _wrapped("none: no run that was tried came to anything")
        return
    on = f"on the {plural(guess.cores, 'core')} of this machine"
    click.echo(f"  time  {_spent(guess.wall, rough_duration)} {on}")
    click.echo(f"  CPU   {_spent(guess.cpu, rough_duration)}")
    click.echo(f"  disk  {_spent(guess.disk, file_size)}")
    which = "every algorithm on every puzzle"
    if guess.pairs != pairs:
        which = f"{guess.pairs:,} of the {pairs:,} pairs of algorithm and puzzle"
    bound = "At most: if every run spends its budget. One that solves its puzzle ends sooner."
    if math.isinf(guess.cpu.most):
        bound = "Some budget has no bound in time, such as stagnation or a cost."
    text = f"From {plural(guess.pilots, 'short run')} of {which}, at their speed here. {bound}"
    click.echo()
    _wrapped(text)


def _title(text: str) -> None:
    click.echo(click.style(text, bold=True) if in_colour() else text)


def _wrapped(text: str, indent: int = 2) -> None:
    start = " " * indent
    lines = textwrap.wrap(text, WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    click.echo("\n".join(start + line for line in lines))


def _rest(count: int) -> None:
    if count > LISTED:
        click.echo(f"  … and {count - LISTED:,} more (--json lists all)")


def _settings(arm: Arm) -> str:
    """A recipe in short: what differs from the defaults, and is not said by the arm's name."""
    named = {path.partition(".")[0] for path in arm.settings}
    return _short({key: each for key, each in arm.recipe.items() if key not in named}, depth=0)


def _short(value: Any, depth: int) -> str:
    """A value of a recipe; parts within parts within parts by their names."""
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
    """The defaults of every part, by its name."""
    from genoku.recipe import catalogue

    return {
        row["name"]: {each["name"]: each["default"] for each in row["parameters"]}
        for row in catalogue()
    }


def _spent(amount: Amount, shown: Any) -> str:
    """`about 3 s`, and what it is at most where that says more."""
    about, most = shown(amount.about), shown(amount.most)
    if math.isinf(amount.most):
        return f"{about} or more"
    return f"about {about} at most" if about == most else f"about {about}, at most {most}"


def _facts(study: Study, guess: Estimate | None, store: Path, done: int | None) -> dict[str, Any]:
    """All of it, for other programs."""
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
    """JSON knows no infinity."""
    if amount is None:
        return None
    return {
        key: float(f"{value:.3g}") if math.isfinite(value) else None
        for key, value in amount._asdict().items()
    }
