"""`genoku evolve`: one algorithm on one puzzle, watched."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_UNSOLVED
from genoku.cli.options import (
    LIMITS,
    PuzzleInput,
    add_options,
    combine_limits,
    command,
    json_option,
    option_field,
    puzzle_argument,
    trusted_modules,
    whole_number,
)
from genoku.cli.output import announcing_compilation, print_json, say
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
    processes,
    puzzle_of,
    refusal_record,
)
from genoku.cli.words import ALGORITHM, settings_for, word_options
from genoku.errors import GenokuError, PuzzleError
from genoku.evolve.stopping import Stop, Until
from genoku.puzzle.formats import Entry
from genoku.puzzle.resolve import resolve

if TYPE_CHECKING:
    from genoku.engine.result import Result
    from genoku.engine.run import Run, Watcher
    from genoku.evolve.presets import Preset
    from genoku.evolve.state import Algorithm
    from genoku.puzzle.board import Puzzle

DEFAULT = "textbook"  # preset
WATCHING = "Watching"  # a group of options
OF_A_NEW_RUN = (
    "source",
    "preset",
    "recipe",
    "settings",
    "seed",
    "generations",
    "allow_conflicts",
    "record_every",
    "save_recipe",
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
    worded = replace(seeded, settings=(*seeded.settings, *settings_for(chosen, seeded, found)))
    spec = RunSpec.of(worded, found, files.record, worded.limits(found))
    files.save_recipe_of(found, spec.chosen.until, spec.chosen.algorithm)
    puzzles.random_seed = worded.seed
    entry = puzzles.only() if is_given("source") else puzzle_of(found, puzzles)
    return _evolve(entry, spec, worded, files, as_json=as_json)


def _evolve(
    entry: Entry, spec: RunSpec, options: EvolveOptions, files: RunFiles, *, as_json: bool
) -> int:
    """Run on one puzzle, watched, and print the result."""
    from genoku.cli.live import shows_board
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
    return _report(
        result,
        options,
        files,
        spec.name,
        title,
        record=spec.json_record(result, entry.name) | {"seeds": 1} if as_json else None,
        advice=_next_steps(spec, entry, result),
        is_shown=shows_board(watchers),
    )


def _resume(
    options: EvolveOptions, chosen: dict[str, Any], files: RunFiles, *, as_json: bool
) -> int:
    """Resume a saved run and print the result."""
    from genoku.cli.live import shows_board
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
    is_shown = shows_board(watchers)
    return _report(result, options, files, name, title, record=record, is_shown=is_shown)


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
        jobs = stack.enter_context(processes(options.jobs, options.dask))
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
    is_shown: bool,
    advice: str = "",
) -> int:
    """Write the files, print the result or its JSON `record`, and return the exit code.

    The board is not printed on a terminal where it `is_shown` already.
    """
    all_written = False
    try:  # the files first, so that they are complete even if stdout is closed
        all_written = files.write(result, title, coloured=options.coloured)
    finally:
        if record is None:
            if not (is_shown and sys.stdout.isatty()):
                print_board(result, coloured=options.coloured)
            _print_verdict(result, options, name, advice)
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


def _print_verdict(result: Result, options: EvolveOptions, name: str, advice: str) -> None:
    """Print three lines: verdict, facts and advice."""
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
    puzzle, preset = _puzzle_word(entry), spec.preset.name
    if entry.puzzle.conflicts():
        check = shlex.join(["genoku", "check", puzzle])
        return f"Try next: {check} (what is wrong with the puzzle)."
    if preset == DEFAULT and result.solved:
        return (
            "Try next: genoku evolve --preset simon (a report's algorithm), genoku evolve "
            "ai-escargot (a hard puzzle), or genoku serve (the same in the browser)."
        )
    evolve_it = shlex.join(["genoku", "evolve", puzzle])
    if preset == DEFAULT:
        solve_it = shlex.join(["genoku", "solve", puzzle])
        return (
            f"Try next: {evolve_it} --population 300, another --seed, or {solve_it} (the fastest "
            "search)."
        )
    if result.solved:
        race = shlex.join(["genoku", "race", preset, DEFAULT, "--puzzle", puzzle])
        return f"Try next: {race} (side by side), or genoku presets {preset} (what it is)."
    expectation = spec.expectation(entry.puzzle)
    expected = f"{spec.name} {expectation}. " if expectation else ""
    return f"{expected}Try next: {evolve_it} (a genetic algorithm that solves), or another --seed."


def _puzzle_word(entry: Entry) -> str:
    """The word for a puzzle in a command: its name if genoku knows it, else its board."""
    with suppress(PuzzleError):
        if entry.name and resolve(entry.name).puzzle == entry.puzzle:
            return entry.name
    return entry.puzzle.line
