"""`genoku tune`: better parameters for a preset, and whether they really are better."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import completers
from genoku.cli.contenders import entries_of, found_preset
from genoku.cli.exits import EXIT_INTERRUPTED
from genoku.cli.inputs import (
    LIMITS,
    TIME_LIMIT,
    jobs_option,
    json_option,
    time_limit_option,
    trust_option,
    trusted,
)
from genoku.cli.output import compiling_announced, print_json, same_command, say, with_progress
from genoku.cli.targets import check_targets
from genoku.cli.tuned import print_tuned, told_tuned
from genoku.errors import PuzzleError, RecipeError
from genoku.geometry import Geometry
from genoku.techniques import LEVELS, Level
from genoku.words import plural

if TYPE_CHECKING:
    from genoku.board import Puzzle
    from genoku.generator import Wanted
    from genoku.lab.tune import Found, Tuning, Validation
    from genoku.preset_library import Preset
    from genoku.recipe import Trust

UNTIL = "evaluations=200000"
"""The budget of a run where none is named: counted, so that the same seed gives the same search."""
GENERATE = "generate"


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
@click.argument("name", metavar="PRESET|FILE.toml", shell_complete=completers.presets_or_files)
@click.option(
    "--puzzles",
    multiple=True,
    metavar="WHAT",
    shell_complete=completers.puzzles,
    help="A bundled name, a board, a file, or generate; may be repeated.",
    show_default="generate",
)
@click.option(
    "--size", metavar="N|RxC", help="Of generated puzzles.", show_default="as the preset's"
)
@click.option("--level", type=click.Choice(LEVELS), help="Of generated puzzles.")
@click.option(
    "--givens", type=int, metavar="N", help="Of generated puzzles.", show_default="minimal"
)
@click.option(
    "--instances",
    type=click.IntRange(1, 10_000),
    default=12,
    metavar="N",
    help="Puzzles, each with a seed of its own, that every trial meets.",
)
@click.option(
    "--trials",
    type=click.IntRange(min=1),
    default=50,
    metavar="N",
    help="Sets of parameters to try, the preset's own included.",
)
@click.option(
    "--parameters",
    multiple=True,
    metavar="KEY=…",
    help='To search: "population=50..2000:log" or "selection=rank|tournament"; may be repeated.',
)
@click.option("--only", is_flag=True, help="Search nothing but --parameters.")
@click.option("--until", metavar="LIMITS", help="Budget of a run.", show_default=UNTIL)
@time_limit_option(said=TIME_LIMIT)
@click.option(
    "--validate",
    type=click.IntRange(2, 100_000),
    default=30,
    metavar="N",
    help="Fresh puzzles, or isomorphs of given ones, for the validation.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Seed of it all.",
)
@jobs_option("Processes.")
@click.option(
    "--store",
    metavar="FILE.db",
    shell_complete=completers.files,
    help="Where trials are kept.",
    show_default="as -o, with .db",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE.toml",
    shell_complete=completers.files,
    help="The result.",
    show_default="PRESET-tuned.toml",
)
@trust_option
@json_option
def tune(
    name: str,
    puzzles: tuple[str, ...],
    size: str | None,
    level: Level | None,
    givens: int | None,
    instances: int,
    trials: int,
    parameters: tuple[str, ...],
    only: bool,
    until: str | None,
    time_limit: float | None,
    validate: int,
    seed: int,
    jobs: int,
    store: str | None,
    output: str | None,
    trust: bool,
    as_json: bool,
) -> int:
    """Search better parameters for a preset, and see whether they are on fresh puzzles."""
    from genoku.interrupts import is_interrupt
    from genoku.lab.tune import Tuning, instances_of, require_optuna
    from genoku.preset_library import named_file

    require_optuna()
    preset = found_preset(name)
    output = output or f"{preset.name}-tuned.toml"
    store = store or str(Path(output).with_suffix(".db"))
    check_targets({"-o": output, "--store": store}, kinds={"-o": "TOML", "--store": "a store"})
    budget = _budget(until, time_limit)
    may = trusted(trust, parameters)
    with named_file(name if name.endswith(".toml") else None):
        recipe, space = _searched(preset, parameters, may, only=only)
    with compiling_announced():
        kind = _kind(puzzles, preset, size, level, givens)
        met = instances_of(kind, instances, seed)
        tuning = Tuning(preset.name, recipe, tuple(map(str, space)), met, budget, seed, may)
        try:
            if not as_json:
                _introduce(tuning)
            found = _search(tuning, store, trials, jobs)
            validation = None
            if not found.is_as_it_was:
                fresh = instances_of(kind, validate, seed, fresh=True)
                validation = _validated(
                    tuning, found, fresh, jobs, isomorphs=isinstance(kind, list)
                )
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
            say(f"interrupted; what was tried is in {store}. Go on with: {same_command('tune')}")
            return EXIT_INTERRUPTED
    _write(output, tuning, found, validation, preset.puzzle_name)
    if as_json:
        print_json(told_tuned(tuning, found, validation, output, store))
    else:
        print_tuned(tuning, found, validation)
        say(f"wrote {output} and {store}")
    return 0


def _budget(until: str | None, time_limit: float | None) -> str:
    """The limits of a run; those in seconds end it only if nothing else was asked for."""
    from genoku.cli.plan import limited
    from genoku.lab.tune.objective import bounds_of, is_reproducible

    asked = until if until is not None else ("" if time_limit is not None else UNTIL)
    budget = limited(asked, time_limit)
    bounds = bounds_of(budget)
    if not is_reproducible(budget):
        say("a budget in seconds: another time, or another machine, may find something else")
    if set(bounds) <= {"steps", "generations"}:
        say("a budget in steps: trials that do more in a step are not charged for it")
    return str(budget)


def _searched(
    preset: Preset, parameters: Sequence[str], trust: Trust, *, only: bool
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """The recipe with all its defaults, and its dimensions."""
    from genoku.lab.tune import parse, space_of
    from genoku.recipe import describe

    recipe = describe(preset.build(trust))
    given = [parse(each) for each in parameters]
    keys = {each.key for each in given}
    space = space_of(recipe, given, trust)
    if only:
        space = tuple(each for each in space if each.key in keys)
    if not space:
        what = "--parameters with --only" if only else "parameters to tune"
        hint = 'name some, such as --parameters "population=50..2000:log"'
        raise RecipeError(f"expected {what}, got none in {preset.name}: {hint}")
    return recipe, space


def _kind(
    puzzles: Sequence[str],
    preset: Preset,
    size: str | None,
    level: Level | None,
    givens: int | None,
) -> list[Puzzle] | Wanted:
    """The puzzles that are given, or what to generate."""
    from genoku.generator import Wanted

    if not puzzles or GENERATE in puzzles:
        if len(puzzles) > 1:
            raise click.UsageError(f"expected --puzzles {GENERATE} alone")
        geometry = preset.puzzle.geometry if size is None else Geometry.parse(size)
        return Wanted(geometry, givens=givens, level=level)
    if size or level or givens is not None:
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
    from genoku.cli.trials import shown_trials
    from genoku.lab.tune import finished_trials, search

    before = finished_trials(store)
    if before:
        say(f"{store} has {plural(before, 'trial')}: going on")
    with shown_trials(trials, len(tuning.instances), before) as watch:
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
