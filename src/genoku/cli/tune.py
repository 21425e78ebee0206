"""`genoku tune`: better parameters for a preset, and whether they really are better."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INTERRUPTED, completion
from genoku.cli.options import (
    LIMITS,
    PER_RUN,
    TIME_LIMIT,
    TRUST,
    declared,
    declared_file,
    declared_number,
    entries_of,
    found_preset,
    json_option,
    limited,
    option_group,
    trusted,
)
from genoku.cli.output import (
    bar,
    check_targets,
    compiling_announced,
    is_watched,
    print_json,
    print_sentence,
    print_table,
    same_command,
    say,
    with_progress,
)
from genoku.errors import PuzzleError, RecipeError, located
from genoku.failures import catching_interrupts
from genoku.geometry import Geometry
from genoku.techniques import LEVELS, Level
from genoku.words import compact, duration, percents, plural

if TYPE_CHECKING:
    from genoku.board import Puzzle
    from genoku.generator import Wanted
    from genoku.lab.tune import Found, News, Tuning, Validation, Watcher
    from genoku.preset_library import Preset
    from genoku.recipe import Trust

UNTIL = "evaluations=200000"
"""The budget of a run where none is named: counted, so that the same seed gives the same search."""
GENERATE = "generate"


@dataclass(frozen=True)
class TuneOptions:
    """What is asked of a search: every field with its option."""

    puzzles: tuple[str, ...] = declared(
        "A bundled name, a board, a file, or generate; may be repeated.",
        multiple=True,
        metavar="PUZZLE",
        shell_complete=completion.puzzles,
        show_default=GENERATE,
    )
    size: str | None = declared(
        "Of generated puzzles.", metavar="N|RxC", show_default="as the preset's"
    )
    level: Level | None = declared("Of generated puzzles.", type=click.Choice(LEVELS))
    givens: int | None = declared(
        "Of generated puzzles.", type=int, metavar="N", show_default="minimal"
    )
    instances: int = declared_number(
        "Puzzles, each with a seed of its own, that every trial meets.", 12, most=10_000
    )
    trials: int = declared_number("Sets of parameters to try, the preset's own included.", 50)
    parameters: tuple[str, ...] = declared(
        'To search: "population=50..2000:log" or "selection=rank|tournament"; may be repeated.',
        multiple=True,
        metavar="KEY=…",
    )
    only: bool = declared("Search nothing but --parameters.")
    until: str | None = declared("Budget of a run.", metavar="LIMITS", show_default=UNTIL)
    time_limit: float | None = declared(PER_RUN, **TIME_LIMIT)
    validate: int = declared_number(
        "Fresh puzzles, or isomorphs of given ones, for the validation.", 30, least=2, most=100_000
    )
    seed: int = declared_number("Random seed.", 0, least=0)
    jobs: int = declared_number("Processes.", 1)
    store: str | None = declared_file(
        "Where trials are kept.", metavar="FILE.db", show_default="as -o, with .db"
    )
    output: str | None = declared_file(
        "The result.", "-o", "--output", metavar="FILE.toml", show_default="PRESET-tuned.toml"
    )
    trust: bool = declared(TRUST)


@click.command(
    epilog=f"""\b
Examples:
  genoku tune sundy                          12 new puzzles, 50 trials, then validation
  genoku tune sundy --level easy --trials 200 --jobs 2
  genoku tune charles --puzzles charles-easy --puzzles charles-hard --until evaluations=500000
  genoku tune memetic --parameters "population=4..100:log" --parameters "selection=rank|tournament"
  genoku tune annealing --size 16 --only --parameters algorithm.temperature.rate=0.1..0.6
  genoku solve --recipe sundy-tuned.toml     run what was found

\b
What is searched comes from the preset: every number from a quarter of its value to four times
it, every choice but whether singles are fixed before the search, which --parameters
encoding.fixed=givens|singles adds. A trial is worth the mean of its runs: the logarithm (to
base 10) of the share of the budget that a solved run took, 1 plus its loss for one that is not
solved; lower is better. A trial that is plainly worse than the best is given up early. The best
one then meets the preset on fresh puzzles and seeds: other ones of the same kind, or isomorphs of
those that are given, which say nothing of other puzzles.

\b
The store keeps every trial. The same command again goes on where it stopped; with a higher
--trials it searches on. The same seed gives the same result, on any number of processes, unless
the budget is in seconds. Other programs that know Optuna can read the store.

\b
{LIMITS}
""",
)
@click.argument("name", metavar="PRESET|FILE.toml", shell_complete=completion.presets_or_files)
@option_group("asked", TuneOptions)
@json_option
def tune(name: str, asked: TuneOptions, as_json: bool) -> int:
    """Tune a preset's parameters and validate them on fresh puzzles."""
    from genoku.lab.tune import Tuning, instances_of, require_optuna

    require_optuna()
    preset = found_preset(name)
    output = asked.output or f"{preset.name}-tuned.toml"
    store = asked.store or str(Path(output).with_suffix(".db"))
    seed, jobs = asked.seed, asked.jobs
    check_targets({"-o": output, "--store": store}, kinds={"-o": "TOML", "--store": "a store"})
    budget = _budget(asked.until, asked.time_limit)
    may = trusted(asked.trust, asked.parameters)
    with located(source=name if name.endswith(".toml") else ""):
        recipe, space = _searched(preset, asked, may)
    with compiling_announced():
        kind = _kind(preset, asked)
        met = instances_of(kind, asked.instances, seed)
        tuning = Tuning(preset.name, recipe, tuple(map(str, space)), met, budget, seed, may)
        with catching_interrupts() as caught:
            if not as_json:
                _introduce(tuning)
            found, validation = _search(tuning, store, asked.trials, jobs), None
            if not found.is_as_it_was:
                fresh = instances_of(kind, asked.validate, seed, fresh=True)
                validation = _validated(
                    tuning, found, fresh, jobs, isomorphs=isinstance(kind, list)
                )
    if caught:
        say(f"interrupted; what was tried is in {store}. Go on with: {same_command('tune')}")
        return EXIT_INTERRUPTED
    _write(output, tuning, found, validation, preset.puzzle_name)
    if as_json:
        print_json(_facts(tuning, found, validation, output, store))
    else:
        _print(tuning, found, validation)
        say(f"wrote {output} and {store}")
    return 0


def _budget(until: str | None, time_limit: float | None) -> str:
    """The limits of a run; those in seconds end it only if nothing else was asked for."""
    from genoku.lab.tune import bounds_of

    asked = until if until is not None else ("" if time_limit is not None else UNTIL)
    budget = limited(asked, time_limit)
    bounds = bounds_of(budget)
    if budget.is_timed:
        say("a budget in seconds: another time, or another machine, may find something else")
    if set(bounds) <= {"steps", "generations"}:
        say("a budget in steps: trials that do more in a step are not charged for it")
    return str(budget)


def _searched(
    preset: Preset, asked: TuneOptions, trust: Trust
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """The recipe with all its defaults, and its dimensions."""
    from genoku.lab.tune import parse, space_of
    from genoku.recipe import describe

    recipe = describe(preset.build(trust))
    given = [parse(each) for each in asked.parameters]
    keys = {each.key for each in given}
    space = space_of(recipe, given, trust)
    if asked.only:
        space = tuple(each for each in space if each.key in keys)
    if not space:
        what = "--parameters with --only" if asked.only else "parameters to tune"
        hint = 'name some, such as --parameters "population=50..2000:log"'
        raise RecipeError(f"expected {what}, got none in {preset.name}: {hint}")
    return recipe, space


def _kind(preset: Preset, asked: TuneOptions) -> list[Puzzle] | Wanted:
    """The puzzles that are given, or what to generate."""
    from genoku.generator import Wanted

    puzzles, size = asked.puzzles, asked.size
    if not puzzles or GENERATE in puzzles:
        if len(puzzles) > 1:
            raise click.UsageError(f"expected --puzzles {GENERATE} alone")
        geometry = preset.puzzle.geometry if size is None else Geometry.parse(size)
        return Wanted(geometry, givens=asked.givens, level=asked.level)
    if size or asked.level or asked.givens is not None:
        raise click.UsageError("expected --size, --level and --givens with generated puzzles only")
    entries = entries_of(puzzles)
    for entry in entries:
        clashes = entry.puzzle.conflicts()
        if clashes:
            raise PuzzleError(f"{entry.name or entry.puzzle}: its givens clash: {clashes[0]}")
    return [entry.puzzle for entry in entries]


def _introduce(tuning: Tuning) -> None:
    say(
        f"tuning {tuning.name}: {plural(len(tuning.space), 'parameter')}, "
        f"{plural(len(tuning.instances), 'instance')}, each run until {tuning.until}"
    )
    for each in tuning.space:
        say(f"  {each}")


def _search(tuning: Tuning, store: str, trials: int, jobs: int) -> Found:
    """Search, with a bar where somebody looks, and a line for every trial elsewhere."""
    from genoku.lab.tune import finished_trials, search

    before = finished_trials(store)
    if before:
        say(f"{store} has {plural(before, 'trial')}: going on")
    with trial_watcher(trials, len(tuning.instances), before) as watch:
        return search(tuning, store, trials, jobs, watch)


def _validated(
    tuning: Tuning, found: Found, fresh: Any, jobs: int, *, isomorphs: bool
) -> Validation:
    from genoku.lab.tune import validations

    recipes = tuning.recipe, found.recipe
    pairs = validations(
        *recipes, tuning.until, fresh, jobs, isomorphs=isomorphs, trust=tuning.trust
    )
    total = -(-len(fresh) // jobs)
    *_, last = with_progress(pairs, "validating", total, results_on_stdout=False)
    return last


def _write(
    output: str, tuning: Tuning, found: Found, validation: Validation | None, puzzle_name: str
) -> None:
    from genoku.formats import replacing_bytes
    from genoku.lab.tune import tuned_preset

    text = tuned_preset(tuning, found, validation, puzzle_name)
    with replacing_bytes(output) as stream:
        stream.write(text.encode())


def _print(tuning: Tuning, found: Found, validation: Validation | None) -> None:
    """The parameters side by side, the validation, and a verdict."""
    from genoku.lab.tune import value_at, written

    if validation is None:
        click.echo(
            f"None of {plural(found.trials, 'trial')} did better than {tuning.name} itself "
            f"({found.value:.4g}): nothing is changed."
        )
        return
    rows = []
    for key, value in found.values.items():
        before = value_at(tuning.recipe, key)
        was = "" if before is None else _short(written(before))
        now = _short(written(value))
        rows.append((key, was, now if now != was else "the same"))
    print_table(("parameter", tuning.name, "tuned"), rows)
    click.echo("")
    print_table(
        (
            "on isomorphs" if validation.isomorphs else "on fresh puzzles",
            "solved",
            "95 % interval",
            "worth",
            "evaluations",
            "CPU time",
        ),
        [
            _validation_row(name, runs, share)
            for name, runs, share in zip(
                (tuning.name, "tuned"),
                (validation.before, validation.after),
                validation.solved,
                strict=True,
            )
        ],
    )
    click.echo("")
    print_sentence(validation.sentence())
    print_sentence(
        "Worth is the mean, lower is better; evaluations and CPU time are medians of a run."
    )


def _validation_row(name: str, runs: Sequence[Any], solved: Any) -> tuple[str, ...]:
    from statistics import fmean, median

    low, high = solved.wilson()
    return (
        name,
        f"{solved.successes} of {solved.runs}",
        percents(low, high),
        f"{fmean(run.value for run in runs):.3f}",
        compact(median(run.evaluations for run in runs)),
        duration(median(run.cpu_seconds for run in runs)),
    )


def _short(text: str) -> str:
    """A number as a person would write it; other values as they are."""
    try:
        return text if text.lstrip("-").isdigit() else f"{float(text):.4g}"
    except ValueError:
        return text


def _facts(
    tuning: Tuning, found: Found, validation: Validation | None, output: str, store: str
) -> dict[str, Any]:
    """All of it, as JSON has it."""
    facts: dict[str, Any] = {
        "preset": tuning.name,
        "seed": tuning.seed,
        "until": tuning.until,
        "space": list(tuning.space),
        "trials": found.trials,
        "given_up": found.given_up,
        "refused": found.refused,
        "best": {"value": found.value, "parameters": found.values, "recipe": found.recipe},
        "preset_value": found.at_first,
        "validation": None,
        "written": output,
        "store": store,
    }
    if validation is not None:
        before, after = validation.solved
        facts["validation"] = {
            "verdict": validation.verdict,
            "sentence": validation.sentence(),
            "p": validation.test.p,
            "a12": validation.effect.a12,
            "pairs": len(validation.before),
            "puzzles": "isomorphs" if validation.isomorphs else "fresh",
            "solved": {"preset": before.successes, "tuned": after.successes},
            "unsearched": dict(zip(("preset", "tuned"), validation.unsearched, strict=True)),
        }
    return facts


@contextmanager
def trial_watcher(trials: int, runs: int, before: int) -> Iterator[Watcher]:
    """Show the news of a search as long as it lasts: a bar, or a line for every trial."""
    began = time.monotonic()

    def left(done: int) -> str:
        """How long the other trials will take, by those that were finished here."""
        made = done - before
        if made < 2 or done >= trials:  # the first may have had to wait for a compiler
            return ""
        per_trial = (time.monotonic() - began) / made
        return f"about {duration(round(per_trial * (trials - done), 1))} left"

    def say_line(news: News) -> None:
        if not news.ended:
            return
        value = "" if news.value is None else f"{news.value:.3f}"
        told = {
            "whole": f"{value}, the best so far" if news.value == news.best else value,
            "given up": f"{value}, given up after {news.runs} of {runs} runs",
            "refused": "its parameters do not go together",
        }[news.ended]
        line = f"trial {news.trial} of {trials}: {told}"
        say("; ".join(filter(None, (line, left(news.trial)))))

    if not is_watched():
        yield say_line
        return
    with bar("tuning", trials, done=before, units="trials") as (progress, task):

        def update(news: News) -> None:
            best = "" if news.best is None else f"best {news.best:.3f}"
            run = "" if news.ended else f"run {news.runs} of {runs}"
            said = "  ".join(filter(None, (best, run, left(news.trial))))
            progress.update(task, completed=news.trial, said=said)

        yield update
