"""`genoku evolve`: one algorithm on one puzzle, watched."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_UNSOLVED
from genoku.cli.options import (
    LIMITS,
    WORDS_GIVEN,
    PuzzleInput,
    add_options,
    combine_limits,
    command,
    json_option,
    option,
    option_field,
    puzzle_argument,
    trusted_modules,
    whole_number,
)
from genoku.cli.output import announcing_compilation, can_redraw, print_json, say
from genoku.cli.run_files import RunFiles
from genoku.cli.runs import (
    PARALLEL,
    RunOptions,
    RunSpec,
    is_given,
    json_record,
    may_run,
    option_name,
    preset_field,
    print_board,
    print_record,
    print_verdict,
    puzzle_of,
    refusal_record,
)
from genoku.errors import GenokuError, RecipeError
from genoku.evolve.stopping import Stop, Until
from genoku.evolve.words import words
from genoku.puzzle.formats import Entry

if TYPE_CHECKING:
    from genoku.engine.result import Result
    from genoku.engine.run import Run, Watcher
    from genoku.evolve.presets import Preset
    from genoku.evolve.state import Algorithm
    from genoku.evolve.word_settings import Remedy, WordError
    from genoku.puzzle.board import Puzzle

DEFAULT = "textbook"  # preset
ALGORITHM, WATCHING = "Algorithm", "Watching"  # groups of options
OF_A_NEW_RUN = (
    *("source", "preset", "recipe", "settings", "seed", "generations", "allow_conflicts"),
    *("record_every", "save_recipe"),
)


class Speed(click.ParamType[float]):
    """Steps per second: a number, or `max` for no limit."""

    name = "speed"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        if value == "max":
            return float("inf")
        try:
            speed = float(value)
        except ValueError:
            speed = 0.0
        if not 0.01 <= speed <= 1e9:
            self.fail(f"expected max, or steps per second from 0.01 to 1e9, got {value!r}")
        return speed


@dataclass(frozen=True)
class EvolveOptions(RunOptions):
    """The options of `genoku evolve`, without files and words."""

    preset: str | None = preset_field(DEFAULT)
    generations: int | None = option_field(
        "Stop after N generations, instead of at the preset's own limits.",
        **whole_number(least=0),
        group=ALGORITHM,
    )
    speed: float | None = option_field(
        "Generations shown per second, or max for as fast as possible.",
        type=Speed(),
        metavar="N",
        show_default="10, then ever faster",
        group=WATCHING,
    )
    colours: str = option_field(
        "Colours of boards on the screen, in --gif and in --board: report 003's fitness map, by "
        "complete units, or plain.",
        type=click.Choice(("map", "plain")),
        default="map",
        show_default="map",
        group=WATCHING,
    )
    jobs: int | None = option_field(
        "Number of processes for islands.", **whole_number(), show_default="1", group=PARALLEL
    )
    dask: str | None = option_field(
        "Dask scheduler for islands: an address such as tcp://head:8786, or `local`.",
        metavar="ADDRESS",
        group=PARALLEL,
    )

    @property
    def coloured(self) -> bool:
        """Whether boards have the colours of report 003's fitness map."""
        return self.colours == "map"

    def limits(self, found: Preset) -> Until:
        """Return when the run stops."""
        if self.generations is None:
            return super().limits(found)
        stop = Until.parse(f"generations={self.generations}")
        return stop | combine_limits(self.until, self.time_limit)


def word_options(function: Callable[..., Any]) -> Any:
    """Give a command an option for every word of `words.toml`, and pass it those given."""
    types: dict[str, Any] = {"whole number": int, "number": float}
    names = {name.replace("-", "_"): name for name in words()}

    @wraps(function)
    def call(**given: Any) -> Any:
        chosen = {name: given.pop(field) for field, name in names.items()}
        chosen = {name: value for name, value in chosen.items() if value is not None}
        return function(chosen=chosen, **given)

    for word in reversed(words().values()):
        option(
            f"--{word.name}",
            type=types.get(word.value, str),
            metavar="NAME" if word.takes_part else "N" if word.value == "whole number" else "P",
            help=word.about,
            group=ALGORITHM,
        )(call)
    return call


@command(epilog=LIMITS)
@word_options
@add_options("options", EvolveOptions)
@add_options("files", RunFiles)
@json_option
@puzzle_argument(default="the preset's")
def evolve(
    puzzles: PuzzleInput,
    options: EvolveOptions,
    chosen: dict[str, Any],
    files: RunFiles,
    as_json: bool,
) -> int:
    """Watch an algorithm evolve a puzzle, and change it.

    Without arguments, a genetic algorithm solves the puzzle that three of the reports print. PUZZLE
    is a board, the name of a bundled puzzle, a file with one puzzle, `random`, or - for standard
    input; a preset has a puzzle of its own. In a terminal, the run is shown from its first
    generation on; --json shows a progress bar only.

    Examples:
      genoku evolve                                       watch a genetic algorithm solve a puzzle
      genoku evolve ai-escargot --speed max               the same on a hard one
      genoku evolve --preset simon                        report 003's algorithm on its own board
      genoku evolve --preset charles --population 500 --selection tournament
      genoku evolve charles-easy --mutation-rate 0.2 --generations 300 --history run.csv
      genoku evolve --preset sundy --set diversity=no-twins --plot run.svg --gif run.gif
      genoku evolve --preset simon --board best.png --checkpoint run.ck
      genoku evolve --resume run.ck --until generations=2000

    Columns of --history:
      gen, evals                generations and evaluations so far
      errors                    errors left on the best board so far; 0 is solved
      best, mean, worst, std    costs of the population, which the algorithm minimises; 0 is solved
      best_ever                 lowest cost so far
      score, mean_score         `best` and `mean` as the report states its fitness
      diversity                 mean share of blanks in which two boards differ
      rate                      mutation rate or temperature

    Names of selections, crossovers and other parts: genoku operators.

    Exit codes: 0 solved; 1 not solved; 2 bad input or conflicting givens; 130 interrupted.
    """
    files.check(puzzles.source if is_given("source") else "", options.recipe)
    if files.resume is not None:
        return _resume(options, chosen, files, as_json=as_json)
    found = options.find_preset(DEFAULT)
    seeded = options.with_seed_of(found)
    worded = replace(seeded, settings=(*seeded.settings, *_settings(chosen, seeded, found)))
    spec = RunSpec.of(worded, found, files.record, worded.limits(found))
    files.save_recipe_of(found, spec.chosen.until, spec.chosen.algorithm)
    puzzles.random_seed = worded.seed
    entry = puzzles.only() if is_given("source") else puzzle_of(found, puzzles)
    return _evolve(entry, spec, worded, files, as_json=as_json)


def _settings(chosen: dict[str, Any], options: RunOptions, found: Preset) -> list[str]:
    """The settings that the words given stand for."""
    if not chosen:
        return []
    from genoku.evolve.word_settings import WordError, settings_of

    parts = [value for value in chosen.values() if isinstance(value, str)]
    trust = trusted_modules(options.trust, [*options.settings, *(f"={part}" for part in parts)])
    try:
        return settings_of(found, chosen, trust, options.settings)
    except WordError as error:
        raise click.UsageError(_refusal(error)) from None
    except RecipeError:
        if reason := _reports_words(chosen, found):
            raise RecipeError(reason) from None
        raise


def _reports_words(chosen: dict[str, Any], found: Preset) -> str:
    """What a report's words for parts are here, with the command that works; empty if none are."""
    from genoku.evolve.recipe import CATALOG, as_inline_toml, describe
    from genoku.evolve.terms import find
    from genoku.evolve.words import paths, words

    mended = list(click.get_current_context().meta[WORDS_GIVEN])
    reasons: list[str] = []
    for name, value in chosen.items():
        kind = words()[name].value
        if kind not in CATALOG or value in CATALOG[kind]:
            continue
        meant = [each for each in find(value) if each.kind == kind]
        if not meant:
            continue
        own = [each for each in meant if found.report.lower().startswith(each.source[:10])]
        part = next((each for each in own if each.source), meant[0])
        reasons.append(f"--{name}: {value!r} is {part.name} here")
        if part.settings:
            path = next(iter(paths(name, describe(found.build()))), kind)
            setting = f"{path}={as_inline_toml(part.recipe)}"
            mended = [*_without_option(mended, f"--{name}"), "--set", setting]
        else:
            mended = _with_option(mended, f"--{name}", part.name)
    if not reasons:
        return ""
    return f"{'; '.join(reasons)}. Instead: {shlex.join(['genoku', 'evolve', *mended])}"


def _refusal(error: WordError) -> str:
    """Why words cannot be followed, with the command that can."""
    reason = f"--{error.word}: {error.reason}"
    if error.remedy is None:
        return reason
    return f"{reason}. This works: {_mended_command(error.remedy)}"


def _mended_command(remedy: Remedy) -> str:
    """The command that was given, with what makes it work."""
    given = click.get_current_context().meta[WORDS_GIVEN]
    mended = list(given)
    if remedy.preset:
        mended = _with_option(_without_option(mended, "--recipe"), "--preset", remedy.preset)
    for name, value in remedy.words.items():
        mended = _with_option(mended, f"--{name}", str(value))
    for setting in remedy.settings:
        mended += ["--set", setting]
    return shlex.join(["genoku", "evolve", *mended])


def _without_option(given: list[str], flag: str) -> list[str]:
    """The words of a command without an option and its value."""
    for place, word in enumerate(given):
        if word == flag:
            return [*given[:place], *given[place + 2 :]]
        if word.startswith(f"{flag}="):
            return [*given[:place], *given[place + 1 :]]
    return given


def _with_option(given: list[str], flag: str, value: str) -> list[str]:
    """The words of a command with an option set, in the place where it was."""
    for place, word in enumerate(given):
        if word == flag:
            return [*given[: place + 1], value, *given[place + 2 :]]
        if word.startswith(f"{flag}="):
            return [*given[:place], f"{flag}={value}", *given[place + 1 :]]
    return [*given, flag, value]


def _evolve(
    entry: Entry, spec: RunSpec, options: EvolveOptions, files: RunFiles, *, as_json: bool
) -> int:
    """Run on one puzzle, watched, and print the result."""
    from genoku.engine.run import run

    puzzle, chosen = entry.puzzle, spec.chosen
    if not may_run(entry, [spec.preset], options.allow_conflicts):
        if as_json:
            print_json(refusal_record(entry, str(puzzle.conflicts()[0])))
        return EXIT_INPUT
    title = f"{spec.name_in_sentence} on {entry.name or puzzle.geometry}, seed {options.seed}"
    stage = Stage(chosen.algorithm, puzzle, chosen.until, title, spec.title)
    with _running(stage, options, files, as_json=as_json) as (watchers, jobs):
        result = run(
            puzzle,
            chosen.algorithm,
            seed=options.seed,
            until=chosen.until,
            record=spec.record,
            watch=watchers,
            checkpoint=files.checkpoint,
            jobs=jobs,
            allow_conflicts=True,
        )
    record = spec.json_record(result, entry.name) | {"seeds": 1} if as_json else None
    advice = _next_steps(spec, entry, result)
    return _report(result, options, files, spec.name, title, record=record, advice=advice)


def _resume(
    options: EvolveOptions, chosen: dict[str, Any], files: RunFiles, *, as_json: bool
) -> int:
    """Resume a saved run and print the result."""
    from genoku.engine.run import Run, resume
    from genoku.evolve.presets import presets
    from genoku.evolve.state import as_search

    unfit = [option_name(name) for name in OF_A_NEW_RUN if is_given(name)]
    unfit += [f"--{name}" for name in chosen]
    if unfit:
        raise click.UsageError(
            f"expected --resume without {', '.join(unfit)}, which the saved run determines"
        )
    if files.any_version:
        say(
            "--any-version has no effect and will be removed: files of every version can be "
            "resumed, except those whose runs would continue differently."
        )
    path, trust = files.resume or "", trusted_modules(options.trust)
    saved = Run.load(path, trust)
    _require_recorded(saved, files)
    algorithm, puzzle = saved.algorithm, saved.problem.puzzle
    more = None if options.time_limit is None else saved.seconds + options.time_limit
    until = combine_limits(str(saved.until) if options.until is None else options.until, more)
    name = next((each.name for each in presets() if each.build() == algorithm), "a recipe")
    title = f"{name}, resumed at {as_search(algorithm).step_name} {saved.state.step:,}"
    files = replace(files, checkpoint=files.checkpoint or path)
    stage = Stage(algorithm, puzzle, until, title)
    with _running(stage, options, files, as_json=as_json) as (watchers, jobs):
        result = resume(
            path, until=until, watch=watchers, checkpoint=files.checkpoint, jobs=jobs, trust=trust
        )
    record = json_record(result, name) if as_json else None
    return _report(result, options, files, name, title, record=record)


def _require_recorded(saved: Run, files: RunFiles) -> None:
    """Refuse files of what a saved run did not record."""
    from genoku.runtime.notebook import CURVES

    recorded = saved.rows.record
    for name, is_kept in (("individuals", recorded.individuals), ("lineage", recorded.lineage)):
        if getattr(files, name) and not is_kept:
            raise click.UsageError(
                f"--{name} is not available: {files.resume} was started without it"
            )
    if files.plot and not {"gen", *CURVES} <= set(recorded.fields):
        raise click.UsageError(
            f"--plot is not available: {files.resume} was started without --history, --plot or "
            "--checkpoint"
        )


@dataclass(frozen=True)
class Stage:
    """What is shown while an algorithm runs."""

    algorithm: Algorithm
    puzzle: Puzzle
    until: Until
    title: str
    about: str = ""


@contextmanager
def _running(
    stage: Stage, options: EvolveOptions, files: RunFiles, *, as_json: bool
) -> Iterator[tuple[list[Watcher], int | Executor]]:
    """Compile the kernels, then provide the watchers of a run, and its processes or executor."""
    from genoku.cli.live import pace_of, run_watchers
    from genoku.engine.run import warm_up

    _say_if_idle(options, stage.algorithm)
    with ExitStack() as stack:
        stack.enter_context(announcing_compilation())
        jobs: int | Executor = options.jobs or 1
        if options.dask is not None:
            from genoku.lab.runner import dask_workers
            from genoku.runtime.workers import cores

            jobs = stack.enter_context(dask_workers(options.dask, options.jobs or cores())).executor
        warm_up(stage.algorithm, stage.puzzle.geometry)
        watchers = stack.enter_context(
            run_watchers(
                stage.algorithm,
                stage.until,
                stage.title,
                live=not as_json,
                pace=pace_of(options.speed),
                about=stage.about,
                coloured=options.coloured,
            )
        )
        if files.film:
            watchers.append(files.film)
        try:
            yield watchers, jobs
        except OSError as error:
            if files.checkpoint is None:
                raise
            reason = error.strerror or error
            raise GenokuError(f"--checkpoint {files.checkpoint}: {reason}") from error


def _say_if_idle(options: EvolveOptions, algorithm: Algorithm) -> None:
    """Say so if an option for several processes has no effect."""
    from genoku.evolve.state import as_search

    is_parallel = (options.jobs or 1) > 1 or options.dask is not None
    if is_parallel and not as_search(algorithm).uses_processes:
        option = "--dask" if options.dask else "--jobs"
        say(f"{option} has no effect: the algorithm has no islands")


def _report(
    result: Result,
    options: EvolveOptions,
    files: RunFiles,
    name: str,
    title: str,
    *,
    record: dict[str, Any] | None,
    advice: str = "",
) -> int:
    """Write the files, print the result or its JSON `record`, and return the exit code."""
    all_written = False
    try:  # the files first, so that they are complete even if stdout is closed
        all_written = files.write(result, title, coloured=options.coloured)
    finally:
        if record is None:
            _print_result(result, options, name, advice)
        else:
            print_record(result, options.proof_seconds, record)
    if result.stop_reason is Stop.INTERRUPTED:
        if record is not None:
            say("interrupted")
        if files.checkpoint:
            from genoku.evolve.user.errors import user_modules

            trust = " --trust" if user_modules(result.recipe) else ""
            say(f"Resume with: genoku evolve --resume {shlex.quote(files.checkpoint)}{trust}")
        return EXIT_INTERRUPTED
    if not all_written:
        return EXIT_INPUT
    return 0 if result.solved else EXIT_UNSOLVED


def _print_result(result: Result, options: EvolveOptions, name: str, advice: str) -> None:
    """Print the board, unless it is on the screen, and three lines: verdict, facts, advice."""
    if not (can_redraw() and sys.stdout.isatty()):
        print_board(result, coloured=options.coloured)
    lines: list[str] = []
    try:
        print_verdict(result, options.proof_seconds, name, write=lines.append)
    finally:
        for line in (*lines[:1], " ".join(lines[1:])):
            if line:
                say(line)
    if advice and result.stop_reason is not Stop.INTERRUPTED:
        say(advice)


def _next_steps(spec: RunSpec, entry: Entry, result: Result) -> str:
    """What to try next, as commands; for a preset that failed as expected, that it does."""
    name, preset = entry.name or entry.puzzle.line, spec.preset.name
    if entry.puzzle.conflicts():
        return f"Try next: {shlex.join(['genoku', 'check', name])} (what is wrong with the puzzle)."
    if preset == DEFAULT and result.solved:
        return (
            "Try next: genoku evolve --preset simon (a report's algorithm), genoku evolve "
            "ai-escargot (a hard puzzle), or genoku serve (the same in the browser)."
        )
    if preset == DEFAULT:
        more = shlex.join(["genoku", "evolve", name, "--population", "300"])
        return f"Try next: {more}, another --seed, or genoku solve (answers in milliseconds)."
    if result.solved:
        race = shlex.join(["genoku", "race", preset, DEFAULT, "--puzzle", name])
        return f"Try next: {race} (side by side), or genoku presets {preset} (what it is)."
    expectation = spec.expectation(entry.puzzle)
    expected = f"{spec.name} {expectation}. " if expectation else ""
    solver = shlex.join(["genoku", "evolve", name])
    return f"{expected}Try next: {solver} (a genetic algorithm that solves), or another --seed."
