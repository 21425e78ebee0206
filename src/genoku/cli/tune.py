"""`genoku tune`: tune a preset's parameters and validate them on fresh puzzles."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INTERRUPTED, completion
from genoku.cli.options import (
    INTEGER,
    LIMITS,
    PUZZLE_NAME,
    TRUST,
    add_options,
    combine_limits,
    command,
    file_field,
    json_option,
    load_preset,
    option_field,
    read_entries,
    time_limit_field,
    trusted_modules,
    whole_number,
)
from genoku.cli.output import (
    announcing_compilation,
    can_redraw,
    check_output_files,
    print_json,
    print_sentence,
    print_table,
    progress_bar,
    resume_command,
    say,
    with_progress,
)
from genoku.errors import PuzzleError, RecipeError, locate_errors
from genoku.evolve.stopping import time_left
from genoku.puzzle.formats import binary_writer
from genoku.puzzle.geometry import Geometry
from genoku.runtime.signals import catch_interrupts
from genoku.runtime.text import format_compact, format_count, format_duration, format_percent_range
from genoku.techniques import LEVELS, Level

if TYPE_CHECKING:
    from genoku.evolve.presets import Preset
    from genoku.evolve.recipe import Trust
    from genoku.generator import PuzzleRequest
    from genoku.lab.tune import Tuning, TuningCallback, TuningProgress, TuningResult, Validation
    from genoku.puzzle.board import Puzzle

UNTIL = "evaluations=200000"  # default: counted, so that the same seed gives the same search
GENERATE = "generate"
PUZZLES, SPACE = "Puzzles", "Search space"


@dataclass(frozen=True)
class TuneOptions:
    """The options of a search for parameters."""

    trials: int = option_field(
        "Sets of parameters to try, including the preset's own.", **whole_number(50)
    )
    until: str | None = option_field("Budget of a run.", metavar="LIMITS", show_default=UNTIL)
    time_limit: float | None = time_limit_field()
    seed: int = option_field("Random seed.", **whole_number(0, least=0))
    jobs: int = option_field("Processes.", **whole_number(1))
    output: str | None = file_field(
        *("File for the tuned recipe.", "-o", "--output"),
        metavar="FILE.toml",
        show_default="PRESET-tuned.toml",
    )
    store: str | None = file_field(
        "File for the trials.", metavar="FILE.db", show_default="as -o, with .db"
    )
    puzzles: tuple[str, ...] = option_field(
        "A board, the name of a bundled puzzle, a file, or generate. May be repeated.",
        multiple=True,
        **PUZZLE_NAME,
        show_default=GENERATE,
        group=PUZZLES,
    )
    size: str | None = option_field(
        "Size of generated puzzles.", metavar="N|RxC", show_default="as the preset's", group=PUZZLES
    )
    level: Level | None = option_field(
        "Level of generated puzzles.", type=click.Choice(LEVELS), show_default="any", group=PUZZLES
    )
    givens: int | None = option_field(
        "Givens of generated puzzles.", **INTEGER, show_default="minimal", group=PUZZLES
    )
    instances: int = option_field(
        "Puzzles that every trial runs on, each with its own seed.",
        **whole_number(12, most=10_000),
        group=PUZZLES,
    )
    validate: int = option_field(
        "Puzzles of the validation: fresh ones, or isomorphs of given ones.",
        **whole_number(30, least=2, most=100_000),
        group=PUZZLES,
    )
    parameters: tuple[str, ...] = option_field(
        'A range to search, "population=50..2000:log" or "selection=rank|tournament". May be '
        "repeated.",
        multiple=True,
        metavar="KEY=…",
        group=SPACE,
    )
    only: bool = option_field("Search only the given --parameters.", group=SPACE)
    trust: bool = option_field(TRUST, group=SPACE)


@command(epilog=LIMITS)
@click.argument("name", metavar="PRESET|FILE.toml", shell_complete=completion.presets_or_files)
@add_options("options", TuneOptions)
@json_option
def tune(name: str, options: TuneOptions, as_json: bool) -> int:
    """Tune a preset's parameters and validate them on fresh puzzles.

    Examples:
      genoku tune sundy                          12 new puzzles, 50 trials, then validation
      genoku tune sundy --level easy --trials 200 --jobs 2
      genoku tune charles --puzzles charles-easy --puzzles charles-hard --until evaluations=500000
      genoku tune memetic --parameters population=4..100:log --parameters "selection=rank|pool"
      genoku tune annealing --size 16 --only --parameters algorithm.temperature.rate=0.1..0.6
      genoku evolve --recipe sundy-tuned.toml    run what was found

    The search space comes from the preset: every number from a quarter to four times its value, and
    every choice. Whether singles are fixed before the search is not varied, unless you add
    --parameters "encoding.fixed=givens|singles".

    The objective of a trial is the mean over its runs, lower is better: log10 of the share of the
    budget used if solved, 1 plus the loss (0 to 1) if not. A trial that is clearly worse than the
    best is stopped early. The best one is then compared with the preset on fresh puzzles and seeds:
    others of the same kind, or isomorphs of the given ones, which say nothing about other puzzles.

    The store, an Optuna database, keeps every trial. The same command resumes the search; a higher
    --trials extends it. The same seed gives the same result on any number of processes, unless the
    budget is in seconds.
    """
    from genoku.lab.tune import (
        Tuning,
        finished_trials,
        instances_of,
        require_optuna,
        search,
        tuned_preset,
        validations,
    )

    require_optuna()
    preset = load_preset(name)
    output = options.output or f"{preset.name}-tuned.toml"
    store = options.store or str(Path(output).with_suffix(".db"))
    seed, jobs = options.seed, options.jobs
    check_output_files({"-o": output, "--store": store}, kinds={"-o": "TOML", "--store": "a store"})
    budget = _budget(options.until, options.time_limit)
    may = trusted_modules(options.trust, options.parameters)
    with locate_errors(source=name if name.endswith(".toml") else ""):
        recipe, space = _recipe_and_space(preset, options, may)
    validation = None
    with announcing_compilation():
        kind = _puzzles(preset, options)
        met = instances_of(kind, options.instances, seed)
        tuning = Tuning(preset.name, recipe, tuple(map(str, space)), met, budget, seed, may)
        with catch_interrupts() as caught:
            if not as_json:
                sizes = format_count(len(space), "parameter"), format_count(len(met), "instance")
                say(f"tuning {tuning.name}: {', '.join(sizes)}, each run until {budget}")
                for each in tuning.space:
                    say(f"  {each}")
            before = finished_trials(store)
            if before:
                say(f"{store} has {format_count(before, 'trial')}: resuming")
            with trial_watcher(options.trials, len(met), before) as watch:
                found = search(tuning, store, options.trials, jobs, watch)
            if not found.is_unchanged:
                isomorphs = isinstance(kind, list)
                fresh = instances_of(kind, options.validate, seed, fresh=True)
                recipes = recipe, found.recipe
                pairs = validations(*recipes, budget, fresh, jobs, isomorphs=isomorphs, trust=may)
                total = -(-len(fresh) // jobs)
                *_, validation = with_progress(pairs, "validating", total, results_on_stdout=False)
    if caught:
        say(f"interrupted; the trials are in {store}. Resume with: {resume_command('tune')}")
        return EXIT_INTERRUPTED
    with binary_writer(output) as stream:
        stream.write(tuned_preset(tuning, found, validation, preset.puzzle_name).encode())
    if as_json:
        print_json(_facts(tuning, found, validation, output, store))
    else:
        _print(tuning, found, validation)
        say(f"wrote {output} and {store}")
    return 0


def _budget(until: str | None, time_limit: float | None) -> str:
    """The limits of a run; warns of those whose results cannot be compared."""
    from genoku.lab.tune import bounds_of

    budget = combine_limits(until, time_limit, UNTIL)
    bounds = bounds_of(budget)
    if budget.is_timed:
        say("with a budget in seconds, results depend on the machine and vary between searches")
    if set(bounds) <= {"steps", "generations"}:
        say("with a budget in steps, trials that do more work per step have an advantage")
    return str(budget)


def _recipe_and_space(
    preset: Preset, options: TuneOptions, trust: Trust
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """The recipe with all its defaults, and its dimensions."""
    from genoku.evolve.recipe import describe
    from genoku.lab.tune import parse, space_of

    recipe = describe(preset.build(trust))
    given = [parse(each) for each in options.parameters]
    keys = {each.key for each in given}
    space = space_of(recipe, given, trust)
    if options.only:
        space = tuple(each for each in space if each.key in keys)
    if not space:
        what = "--parameters with --only" if options.only else "parameters to tune"
        hint = 'add some, such as --parameters "population=50..2000:log"'
        raise RecipeError(f"expected {what}, got none in {preset.name}: {hint}")
    return recipe, space


def _puzzles(preset: Preset, options: TuneOptions) -> list[Puzzle] | PuzzleRequest:
    """The given puzzles, or what to generate."""
    from genoku.generator import PuzzleRequest

    puzzles, size = options.puzzles, options.size
    if not puzzles or GENERATE in puzzles:
        if len(puzzles) > 1:
            raise click.UsageError(f"expected --puzzles {GENERATE} without other puzzles")
        geometry = preset.puzzle.geometry if size is None else Geometry.parse(size)
        return PuzzleRequest(geometry, givens=options.givens, level=options.level)
    if size or options.level or options.givens is not None:
        raise click.UsageError("--size, --level and --givens apply only to generated puzzles")
    entries = read_entries(puzzles, seed=options.seed)
    for entry in entries:
        conflicts = entry.puzzle.conflicts()
        if conflicts:
            raise PuzzleError(f"{entry.name or entry.puzzle}: conflicting givens: {conflicts[0]}")
    return [entry.puzzle for entry in entries]


def _print(tuning: Tuning, found: TuningResult, validation: Validation | None) -> None:
    """Print the parameters side by side, the validation, and a verdict."""
    from genoku.lab.tune import setting_value, value_at

    if validation is None:
        click.echo(
            f"None of {format_count(found.trials, 'trial')} did better than {tuning.name} itself "
            f"({found.value:.4g}): the recipe is unchanged."
        )
        return
    rows: list[tuple[str, ...]] = []
    for key, value in found.values.items():
        before, now = value_at(tuning.recipe, key), _short(setting_value(value))
        was = "" if before is None else _short(setting_value(before))
        rows.append((key, was, now if now != was else "unchanged"))
    print_table(("parameter", tuning.name, "tuned"), rows)
    click.echo("")
    on = "on isomorphs" if validation.isomorphs else "on fresh puzzles"
    rows = []
    names, pair = (tuning.name, "tuned"), (validation.before, validation.after)
    for name, runs, solved in zip(names, pair, validation.solved, strict=True):
        count = f"{solved.successes} of {solved.runs}"
        interval = format_percent_range(*solved.wilson())
        objective = f"{fmean(run.value for run in runs):.3f}"
        evaluations = format_compact(median(run.evaluations for run in runs))
        time_used = format_duration(median(run.cpu_seconds for run in runs))
        rows.append((name, count, interval, objective, evaluations, time_used))
    print_table((on, "solved", "95 % interval", "objective", "evaluations", "CPU time"), rows)
    click.echo("")
    print_sentence(validation.sentence())
    print_sentence(
        "The objective is a mean, lower is better; evaluations and CPU time are medians per run."
    )


def _short(text: str) -> str:
    """A number with four digits; other values as they are."""
    try:
        return text if text.lstrip("-").isdigit() else f"{float(text):.4g}"
    except ValueError:
        return text


def _facts(
    tuning: Tuning, found: TuningResult, validation: Validation | None, output: str, store: str
) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "preset": tuning.name,
        "seed": tuning.seed,
        "until": tuning.until,
        "space": list(tuning.space),
        "trials": found.trials,
        "given_up": found.given_up,
        "refused": found.refused,
        "best": {"value": found.value, "parameters": found.values, "recipe": found.recipe},
        "preset_value": found.initial_value,
        "validation": None,
        "written": output,
        "store": store,
    }
    if validation is not None:
        (before, after), unsearched = validation.solved, validation.solved_without_search
        facts["validation"] = {
            "verdict": validation.verdict,
            "sentence": validation.sentence(),
            "p": validation.test.p,
            "a12": validation.effect.a12,
            "pairs": len(validation.before),
            "puzzles": "isomorphs" if validation.isomorphs else "fresh",
            "solved": {"preset": before.successes, "tuned": after.successes},
            "unsearched": {"preset": unsearched[0], "tuned": unsearched[1]},
        }
    return facts


@contextmanager
def trial_watcher(trials: int, runs: int, before: int) -> Iterator[TuningCallback]:
    """Show the progress of a search: a progress bar, or one line per trial."""
    began = time.monotonic()

    def left(done: int) -> str:
        """Time left, judged by the trials finished in this process."""
        made = done - before
        if made < 2 or done >= trials:  # the first may include compiling
            return ""
        seconds = time_left(trials - done, made, time.monotonic() - began)
        return f"about {format_duration(round(seconds, 1))} left"

    def say_line(news: TuningProgress) -> None:
        if not news.ended:
            return
        value = "" if news.value is None else f"{news.value:.3f}"
        text = {
            "whole": f"{value}, the best so far" if news.value == news.best else value,
            "given up": f"{value}, stopped early after {news.runs} of {runs} runs",
            "refused": "incompatible parameters",
        }[news.ended]
        line = f"trial {news.trial} of {trials}: {text}"
        say("; ".join(filter(None, (line, left(news.trial)))))

    if not can_redraw():
        yield say_line
        return
    with progress_bar("tuning", trials, done=before, units="trials") as (progress, task):

        def update(news: TuningProgress) -> None:
            best = "" if news.best is None else f"best {news.best:.3f}"
            run = "" if news.ended else f"run {news.runs} of {runs}"
            message = "  ".join(filter(None, (best, run, left(news.trial))))
            progress.update(task, completed=news.trial, message=message)

        yield update
