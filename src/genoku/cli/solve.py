"""`genoku solve`: solve one puzzle, or a file of puzzles as a batch."""

from __future__ import annotations

import csv
import shlex
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from genoku.cli import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_UNSOLVED, completion
from genoku.cli.options import (
    ALLOW_CONFLICTS,
    INPUT,
    JSONL,
    LIMITS,
    TRUST,
    PuzzleInput,
    add_options,
    combine_limits,
    command,
    file_field,
    json_option,
    option_field,
    path_exists,
    puzzle_argument,
    random_entry,
    time_limit_field,
    trusted_modules,
    whole_number,
)
from genoku.cli.output import (
    announcing_compilation,
    board_text,
    can_redraw,
    check_output_files,
    file_identity,
    is_regular_file,
    load_kernels,
    print_json,
    report_conflicts,
    say,
    with_progress,
)
from genoku.errors import FormatError, GenokuError, PuzzleError, locate_errors
from genoku.evolve.stopping import Stop, Until
from genoku.puzzle import bundled_puzzles
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import Entry, binary_writer, text_writer
from genoku.puzzle.geometry import Geometry
from genoku.runtime.text import format_count, format_duration, format_limits, join_words

if TYPE_CHECKING:
    from genoku.engine.history import Record
    from genoku.engine.result import Result
    from genoku.engine.run import Watcher
    from genoku.evolve.presets import Choice, Preset
    from genoku.evolve.state import Algorithm
    from genoku.present.figures import Film

DEFAULT = "champion"  # preset
SEEDS = 4  # of a portfolio, by default
MAX_BATCH = 64  # puzzles in a batch
BATCH_SECONDS = 0.1  # intended time of a batch
DIVERSITY_EVERY = 10
UNIQUENESS_SECONDS = 2.0
PROOF_SECONDS = 60.0

# The options that name files of a run
FILES = ("history", "individuals", "lineage", "checkpoint", "plot", "gif", "save_recipe")
KINDS = {
    **dict.fromkeys(("--history", "--individuals", "--lineage"), "CSV"),
    "--gif": "GIF",
    "--save-recipe": "TOML",
}
OF_ONE_RUN = (*FILES[:-1], "resume", "watch", "seeds", "dask")
OF_A_NEW_RUN = (
    *("source", "preset", "seed", "seeds", "jsonl", "allow_conflicts"),
    *("recipe", "settings", "record_every", "save_recipe"),
)

Proof = Literal["no solution", "solvable", "open"]

UNIQUE = {
    True: "It is the only solution.",
    False: "It is one of several solutions.",
    None: "It is unknown whether it is the only solution.",
}
PROVED: dict[Proof, str] = {
    "no solution": "Proved: there is no solution.",
    "solvable": "There is a solution, which this run did not find.",
    "open": "Could not determine within the time limit whether there is a solution.",
}
PROVED_SHORT: dict[Any, str] = {  # what `--prove` adds to the line of an unsolved puzzle
    "no solution": " (proved: no solution)",
    "solvable": " (a solution exists)",
    "open": " (unknown whether a solution exists)",
}
RECIPE, RECORDING, RESUMING = "Recipe", "Recording", "Saving and resuming"
PARALLEL, OUTPUT = "Parallel runs", "Output"


def option_name(field: str) -> str:
    special = {"settings": "--set", "source": "PUZZLE"}
    return special.get(field, f"--{field.replace('_', '-')}")


def is_given(name: str) -> bool:
    """Whether a parameter was given on the command line."""
    return click.get_current_context().get_parameter_source(name) != ParameterSource.DEFAULT


@dataclass(frozen=True)
class RunOptions:
    """The options of runs."""

    preset: str | None = option_field(
        "Preset to run; `genoku presets` lists them.",
        metavar="NAME",
        shell_complete=completion.presets,
        show_default=DEFAULT,
    )
    seed: int = option_field("Random seed.", default=0, metavar="N")
    time_limit: float | None = time_limit_field()
    until: str | None = option_field(
        'When to stop, such as "generations=500 or seconds=10".',
        metavar="LIMITS",
        show_default="the preset's",
    )
    watch: bool = option_field("Show the best board and the errors left while the run lasts.")
    jobs: int | None = option_field(
        "Processes: for a file, its puzzles; for one puzzle, islands, or else 4 seeds.",
        **whole_number(),
        show_default="1",
    )
    prove: bool = option_field(
        "If no solution is found, search exactly for a proof, for 60 s or --time-limit."
    )
    recipe: str | None = file_field(
        "Your own recipe, instead of a preset.", metavar="FILE.toml", group=RECIPE
    )
    settings: tuple[str, ...] = option_field(
        "Change the recipe: population=1000, selection.size=5. May be repeated.",
        "--set",
        multiple=True,
        metavar="KEY=VALUE",
        group=RECIPE,
    )
    save_recipe: str | None = file_field(
        "Write the recipe, with --set applied, as TOML.", group=RECIPE
    )
    trust: bool = option_field(TRUST, group=RECIPE)
    history: str | None = file_field(
        "Write a CSV row per generation; its columns are explained below.", group=RECORDING
    )
    record_every: int | None = option_field(
        "Record only every Nth generation in --history and --plot.",
        **whole_number(),
        show_default="1",
        group=RECORDING,
    )
    individuals: str | None = file_field(
        "Write every board's score as CSV, in the form of report 003's log. Above 5 million "
        "boards, only every 2nd, 4th, … generation.",
        group=RECORDING,
    )
    lineage: str | None = file_field(
        "Write the best board's ancestors as CSV, from the last 5 million births.", group=RECORDING
    )
    plot: str | None = file_field("Draw the run's curves: .svg, .png or .pdf.", group=RECORDING)
    gif: str | None = file_field("Draw the board's evolution as an animated GIF.", group=RECORDING)
    checkpoint: str | None = file_field("Save the run regularly and at its end.", group=RESUMING)
    resume: str | None = file_field("Resume a run from a file of --checkpoint.", group=RESUMING)
    any_version: bool = option_field(
        "Has no effect, and will be removed in the next version.", group=RESUMING
    )
    seeds: int | None = option_field(
        "Run N seeds from --seed on, on one puzzle; the fewest steps win.",
        **whole_number(most=1000),
        show_default="1, or 4 with --jobs",
        group=PARALLEL,
    )
    dask: str | None = option_field(
        "Dask scheduler for seeds or islands: an address such as tcp://head:8786, or `local`.",
        metavar="ADDRESS",
        group=PARALLEL,
    )
    speed: float | None = option_field(
        "Steps per second that --watch shows at most.",
        type=click.FloatRange(0.01, 1e9),
        metavar="N",
        show_default="accelerating",
        group=OUTPUT,
    )
    jsonl: bool = option_field(JSONL, group=OUTPUT)
    allow_conflicts: bool = option_field(ALLOW_CONFLICTS, group=INPUT)

    @property
    def proof_seconds(self) -> float | None:
        """Seconds for a proof on an unsolved puzzle; None without `--prove`."""
        if not self.prove:
            return None
        return PROOF_SECONDS if self.time_limit is None else self.time_limit

    @cached_property
    def film(self) -> Film | None:
        """The film of the run for `--gif`."""
        if not self.gif:
            return None
        from genoku.present.figures import Film

        return Film()

    def files(self) -> dict[str, str]:
        """The files to write, by option, in the order of `FILES`."""
        paths = {name: getattr(self, name) for name in FILES}
        return {name: path for name, path in paths.items() if path is not None}

    def check(self, source: str = "") -> None:
        """Refuse incompatible options, and files that cannot be written."""
        if self.speed is not None and not self.watch:
            raise click.UsageError("--speed requires --watch")
        if self.preset is not None and self.recipe is not None:
            raise click.UsageError("expected only one of --preset and --recipe")
        inputs = {"recipe": self.recipe, "resume": self.resume}
        for name, path in {**self.files(), **inputs}.items():
            if path == "":
                raise click.UsageError(f"expected a file name for {option_name(name)}, got ''")
        if (
            self.resume
            and self.checkpoint
            and file_identity(self.resume) == file_identity(self.checkpoint)
        ):
            del inputs["resume"]  # a resumed run may overwrite its own checkpoint
        read = {option_name(name): path for name, path in inputs.items()}
        if source and path_exists(source):
            read["PUZZLE"] = source
        written = {option_name(name): path for name, path in self.files().items()}
        check_output_files(written, read, KINDS)
        if self.checkpoint and not is_regular_file(self.checkpoint):
            raise GenokuError(f"--checkpoint {self.checkpoint}: expected a regular file")
        if self.plot or self.gif:
            from genoku.present.figures import picture_format, require_lab

            require_lab()
            if self.plot:
                picture_format(self.plot)
            if self.gif and Path(self.gif).suffix.lower() != ".gif":
                raise GenokuError(f"{self.gif}: expected a name that ends in .gif")
        unfit = [option_name(name) for name in OF_A_NEW_RUN if self.resume and is_given(name)]
        if unfit:
            raise click.UsageError(
                f"expected --resume without {', '.join(unfit)}, which the saved run determines"
            )

    def seeds_for(self, algorithm: Algorithm) -> int:
        """The number of seeds: several on request, or if processes would be idle."""
        from genoku.evolve.state import as_search

        if self.seeds is not None:
            return self.seeds
        idle = as_search(algorithm).is_random and not as_search(algorithm).uses_processes
        is_parallel = self.jobs is not None or self.dask is not None
        return SEEDS if is_parallel and idle else 1

    @contextmanager
    def session(
        self,
        algorithm: Algorithm,
        geometry: Geometry,
        until: Until,
        title: str,
        about: str = "",
        *,
        paced: bool = True,
    ) -> Iterator[tuple[list[Watcher], int | Executor]]:
        """Compile the kernels, then yield the watchers of a run, and its processes or executor."""
        from genoku.engine.run import warm_up

        with ExitStack() as stack:
            stack.enter_context(announcing_compilation())
            jobs: int | Executor = self.jobs or 1
            if self.dask is not None:
                from genoku.lab.runner import dask_workers
                from genoku.runtime.workers import cores

                jobs = stack.enter_context(dask_workers(self.dask, self.jobs or cores())).executor
            warm_up(algorithm, geometry)
            watchers: list[Watcher] = []
            if self.watch or can_redraw():
                from genoku.cli.live import pace_of, run_watchers

                pace = pace_of(self.speed) if paced else None
                watchers = stack.enter_context(
                    run_watchers(algorithm, until, title, live=self.watch, pace=pace, about=about)
                )
            if self.film and paced:
                watchers.append(self.film)
            try:
                yield watchers, jobs
            except OSError as error:
                if self.checkpoint is None:
                    raise
                reason = error.strerror or error
                raise GenokuError(f"--checkpoint {self.checkpoint}: {reason}") from error


@command(epilog=LIMITS)
@add_options("options", RunOptions)
@json_option
@puzzle_argument(default=bundled_puzzles.DEFAULT)
def solve(puzzles: PuzzleInput, options: RunOptions, as_json: bool) -> int:
    """Solve a puzzle, or a file of puzzles.

    PUZZLE is a board, the name of a bundled puzzle, a file, `random`, or - for standard input.

    Examples:
      genoku solve                           a hard puzzle that comes with genoku
      genoku solve random --seed 7           a new puzzle
      genoku solve charles-hard --json
      genoku solve golden-nugget --jobs 4    four seeds in parallel
      genoku solve puzzles.txt --jobs 4 > solutions.txt
      cat puzzles.sdm | genoku solve - --jsonl

    Evolution (see `genoku presets` and `genoku operators`):
      genoku solve --preset simon --watch
      genoku solve charles-easy --preset charles --set population=500 --history run.csv
      genoku solve --preset poderosas --until "generations=500 or seconds=10" --plot run.svg
      genoku solve --preset simon --checkpoint run.ck
      genoku solve --resume run.ck --until generations=2000 --gif run.gif

    Columns of --history:
      gen, evals                generations and evaluations so far
      errors                    errors left on the best board so far; 0 is solved
      best, mean, worst, std    costs of the population, which the algorithm minimises; 0 is solved
      best_ever                 lowest cost so far
      score                     `best` on the scale of the fitness function, as its report gives it
      diversity                 mean share of blanks in which two boards differ
      rate                      mutation rate or temperature

    --json also gives the number of blanks decided by singles, and whether the solution is unique;
    --jsonl does not.

    Exit codes: 0 all solved; 1 not all solved; 2 bad input or conflicting givens; 130 interrupted.
    """
    from genoku.evolve.presets import preset, preset_from_file

    options.check(puzzles.source)
    if options.resume is not None:
        return _resume(options, as_json=as_json)
    name = DEFAULT if options.preset is None else options.preset
    found = preset(name) if options.recipe is None else preset_from_file(options.recipe)
    if found.seed is not None and not is_given("seed"):
        options = replace(options, seed=found.seed)
    spec = RunSpec.of(options, found)
    made = None
    if puzzles.source == "random":
        made = random_entry(options.seed, puzzles.box)
    elif not is_given("source") and (options.preset is not None or options.recipe is not None):
        name = "" if found.box else found.puzzle_name
        made = Entry(Puzzle.parse(found.puzzle, box=puzzles.box), name=name)
    lone, entries = puzzles.one_or_many(as_json=as_json, jsonl=options.jsonl, made=made)
    if lone is not None:
        return _solve_one(lone, spec, as_json=as_json)
    of_one = [
        option_name(name) for name in OF_ONE_RUN if getattr(options, name) not in (None, False)
    ]
    if of_one:
        raise click.UsageError(f"expected a single puzzle with {join_words(of_one)}")
    with announcing_compilation():
        answers = _solve_all(spec, entries, options.jobs or 1)
        return _print_batch(answers, puzzles, jsonl=options.jsonl)


@dataclass(frozen=True)
class RunSpec:
    """What to run on every puzzle, in this or another process."""

    options: RunOptions
    preset: Preset
    chosen: Choice
    record: Record

    @classmethod
    def of(cls, options: RunOptions, found: Preset) -> RunSpec:
        """Build what the options describe; raise their mistakes before the first run."""
        from genoku.engine.history import DEFAULT_FIELDS, Record
        from genoku.engine.run import NEVER
        from genoku.evolve.presets import choose

        own = found.until
        if options.time_limit is not None:  # replaces the preset's own seconds
            own = str(Until.parse(own).without("seconds"))
        until = combine_limits(own if options.until is None else options.until, options.time_limit)
        kept = bool(options.history or options.plot or options.checkpoint)
        record = Record(
            fields=DEFAULT_FIELDS if kept else ("gen",),
            every=options.record_every or (1 if kept else NEVER),
            diversity_every=DIVERSITY_EVERY,
            individuals=options.individuals is not None,
            lineage=options.lineage is not None,
        )
        trust = trusted_modules(options.trust, options.settings)
        changed = ", changed" if options.settings else ""
        with locate_errors(source=f"{options.recipe}{changed}" if options.recipe else ""):
            chosen = choose(found, until, settings=options.settings, trust=trust)
        if options.save_recipe:
            _save_recipe(options.save_recipe, found, until, chosen.algorithm)
        return cls(options, found, chosen, record)

    @property
    def name(self) -> str:
        return f"{self.chosen.name}, changed" if self.chosen.is_changed else self.chosen.name

    @property
    def title(self) -> str:
        """What the preset is; empty if it was changed, or has no title but its name."""
        is_known = not self.chosen.is_changed and self.preset.title != self.preset.name
        return self.preset.title if is_known else ""

    def expectation(self, puzzle: Puzzle) -> str:
        """What to expect of the preset; empty unless puzzle, recipe and limits are its own."""
        limits = self.options.until, self.options.time_limit
        is_own = limits == (None, None) and puzzle == self.preset.puzzle
        return self.preset.character if self.title and is_own else ""

    def run(self, puzzle: Puzzle, seeds: int = 1, **arguments: Any) -> Result:
        """Run one seed, or a portfolio of consecutive seeds."""
        from genoku.engine.run import run

        arguments.setdefault("until", self.chosen.until)
        arguments.setdefault("allow_conflicts", self.options.allow_conflicts)
        algorithm, first = self.chosen.algorithm, self.options.seed
        if seeds == 1:
            arguments = {"seed": first, "checkpoint": self.options.checkpoint, **arguments}
            return run(puzzle, algorithm, record=self.record, **arguments)
        from genoku.engine.portfolio import run_portfolio

        several = range(first, first + seeds)
        return run_portfolio(puzzle, algorithm, seeds=several, record=self.record, **arguments)

    def json_record(self, result: Result, puzzle_name: str) -> dict[str, Any]:
        settings = list(self.options.settings)
        return json_record(result, self.chosen.name, puzzle_name, settings=settings)


def json_record(result: Result, preset: str, puzzle_name: str = "", **more: Any) -> dict[str, Any]:
    """What `--json` prints, with the fields that all presets share first."""
    record = result.record()
    first = {key: record[key] for key in ("puzzle", "solution", "solved")}
    record = {**first, "preset": preset, **more, **record}
    if not result.puzzle.geometry.is_default:
        record["box"] = result.puzzle.geometry.box
    return record | ({"name": puzzle_name} if puzzle_name else {})


def _save_recipe(path: str, found: Preset, until: Until, algorithm: Algorithm) -> None:
    from genoku.evolve.recipe import as_toml, describe

    facts = {"about": found.about, "puzzle": found.puzzle_name, "until": str(until)}
    facts |= {"box": found.box} if found.box else {}
    text = as_toml({**facts, "recipe": describe(algorithm)})
    try:
        with binary_writer(path) as stream:
            stream.write(text.encode())
    except FormatError as error:
        raise GenokuError(f"--save-recipe {path}: {_reason(error)}") from error


# One puzzle


def _solve_one(entry: Entry, spec: RunSpec, *, as_json: bool) -> int:
    """Run on one puzzle, or a portfolio of seeds, and print the result."""
    from genoku.engine.result import name_in_sentence
    from genoku.evolve.state import as_search

    options, puzzle, algorithm = spec.options, entry.puzzle, spec.chosen.algorithm
    if not options.allow_conflicts and report_conflicts(puzzle):
        if as_json:
            print_json(_refusal(entry, str(puzzle.conflicts()[0])))
        return EXIT_INPUT
    seeds = options.seeds_for(algorithm)
    if seeds > 1 and options.checkpoint:
        raise click.UsageError(
            f"--checkpoint requires a single run, got a portfolio of {seeds} seeds: add --seeds 1"
        )
    parallel = (options.jobs or 1) > 1 or options.dask is not None
    if seeds == 1 and parallel and not as_search(algorithm).uses_processes:
        option = "--dask" if options.dask else "--jobs"
        say(f"{option} has no effect: one puzzle, one seed, no islands")
    if seeds > 1 and options.seeds is None and not as_json:
        say(f"running {seeds} seeds in parallel; use --seeds 1 for a single run")
    if entry.name and not as_json:
        say(f"{entry.name}: {puzzle.geometry}, {format_count(puzzle.givens, 'given')}")
    if spec.title and options.preset and not as_json:
        say(f"{spec.name}: {spec.title}")
    title = f"{name_in_sentence(spec.name)} on {entry.name or puzzle.geometry}"
    last = f"{'and' if seeds == 2 else 'to'} {options.seed + seeds - 1}"
    among = f"seed {options.seed}" if seeds == 1 else f"seeds {options.seed} {last}"
    until, run_title = spec.chosen.until, f"{title}, {among}"
    with options.session(
        algorithm, puzzle.geometry, until, run_title, spec.title, paced=seeds == 1
    ) as (watch, jobs):
        result = spec.run(puzzle, seeds, watch=watch, jobs=jobs)
    if options.film and seeds > 1:  # repeat the run of the seed that won
        spec.run(puzzle, seed=result.seed, until=f"steps={result.steps}", watch=options.film)
    record = spec.json_record(result, entry.name) | {"seeds": seeds} if as_json else None
    title = f"{title}, seed {result.seed}"
    code = _report_result(result, options, spec.name, title, seeds=among, record=record)
    expectation = spec.expectation(puzzle)
    if expectation and code == EXIT_UNSOLVED and seeds == 1 and not as_json:
        say(f"{spec.name} ({spec.title}) {expectation}.")
    return code


def _resume(options: RunOptions, *, as_json: bool) -> int:
    """Resume a saved run and print the result."""
    from genoku.engine.run import Run, resume
    from genoku.evolve.presets import presets
    from genoku.evolve.state import as_search
    from genoku.runtime.notebook import CURVES

    path = options.resume or ""
    if options.any_version:
        say(
            "--any-version has no effect and will be removed: files of every version can be "
            "resumed, except those whose runs would continue differently."
        )
    trust = trusted_modules(options.trust)
    saved = Run.load(path, trust)
    algorithm, recorded = saved.algorithm, saved.rows.record
    for name, kept in (("individuals", recorded.individuals), ("lineage", recorded.lineage)):
        if getattr(options, name) and not kept:
            raise click.UsageError(f"--{name} is not available: {path} was started without it")
    if options.plot and not {"gen", *CURVES} <= set(recorded.fields):
        raise click.UsageError(
            f"--plot is not available: {path} was started without --history, --plot or --checkpoint"
        )
    more = None if options.time_limit is None else saved.seconds + options.time_limit
    until = combine_limits(str(saved.until) if options.until is None else options.until, more)
    name = next((each.name for each in presets() if each.build() == algorithm), "a recipe")
    title = f"{name}, resumed at {as_search(algorithm).step_name} {saved.state.step:,}"
    target = options.checkpoint or path
    options = replace(options, checkpoint=target)
    with options.session(algorithm, saved.problem.puzzle.geometry, until, title) as (watch, jobs):
        result = resume(path, until=until, watch=watch, checkpoint=target, jobs=jobs, trust=trust)
    record = json_record(result, name) if as_json else None
    return _report_result(result, options, name, title, record=record)


def _report_result(
    result: Result,
    options: RunOptions,
    name: str,
    title: str,
    *,
    seeds: str = "",
    record: dict[str, Any] | None = None,
) -> int:
    """Write the files, print the result or its JSON `record`, and return the exit code."""
    written = [path for path in (options.save_recipe, options.checkpoint) if path]
    failed: list[str] = []
    try:
        try:  # the files first, so that they are complete even if stdout is closed
            _write_files(result, options, title, written, failed)
        finally:
            if record is None:
                _print_result(result, options.proof_seconds, name, seeds)
            else:
                _print_record(result, options.proof_seconds, record)
    finally:
        if written:
            say(f"wrote {', '.join(written)}")
        for message in (*_omissions(result, options), *(f"genoku: {each}" for each in failed)):
            say(message)
    if result.stop_reason is Stop.INTERRUPTED:
        if record is not None:
            say("interrupted")
        if options.checkpoint:
            from genoku.evolve.user.errors import user_modules

            trust = " --trust" if user_modules(result.recipe) else ""
            say(f"Resume with: genoku solve --resume {shlex.quote(options.checkpoint)}{trust}")
        return EXIT_INTERRUPTED
    if failed:
        return EXIT_INPUT
    return 0 if result.solved else EXIT_UNSOLVED


def _print_record(result: Result, proof_seconds: float | None, record: dict[str, Any]) -> None:
    record = {**record, "decided": result.decided_by_singles, "unique": None}
    try:  # Ctrl-C ends the search for a proof, but the record is still printed
        record["unique"] = is_unique(result)
        if proof_seconds is not None:
            record["proof"] = None
            record["proof"] = prove(result, proof_seconds)
    finally:
        print_json(record)


def _print_result(result: Result, proof_seconds: float | None, name: str, seeds: str) -> None:
    """Print the board on stdout, the summary and any proof on stderr."""
    from genoku.engine.result import has_reached_limit, summary
    from genoku.evolve.fitness import map_colours

    if result.stop_reason is Stop.NO_SOLUTION:
        click.echo(board_text(result.puzzle))
    else:
        colours = map_colours(result.board, result.puzzle.geometry)
        click.echo(board_text(result.puzzle, result.board, colours=colours))
    proof = None
    try:  # Ctrl-C ends the search for a proof, but the summary is still printed
        if proof_seconds is None and has_reached_limit(result):
            proof = prove(result, UNIQUENESS_SECONDS)
    finally:
        known = {"no solution": False, "solvable": True}.get(proof or "")
        for line in summary(result, name, seeds, has_solution=known):
            say(line)
    if proof == "solvable":
        say(PROVED[proof])
    elif proof == "open":
        say("Add --prove to find out whether there is a solution.")
    if result.solved:  # after the board, since this may take a while
        say(UNIQUE[is_unique(result)])
    elif proof_seconds is not None and result.stop_reason not in (
        Stop.NO_SOLUTION,
        Stop.INTERRUPTED,
    ):
        say(f"searching exactly for a proof, for at most {format_duration(proof_seconds)} ...")
        proof = prove(result, proof_seconds)
        if proof is not None:
            say(PROVED[proof])


def is_unique(result: Result) -> bool | None:
    """Whether the puzzle has no other solution; None if unknown."""
    if not result.solved:
        return None
    from genoku.exact import oracle

    load_kernels()  # compilation is not part of the time limit
    return oracle.is_only_solution(result.puzzle, result.board, time_limit=UNIQUENESS_SECONDS)


def prove(result: Result, seconds: float) -> Proof | None:
    """Prove whether an unsolved puzzle has a solution; None if there is nothing to prove."""
    if result.solved or result.stop_reason is Stop.INTERRUPTED:
        return None
    if result.stop_reason is Stop.NO_SOLUTION:
        return "no solution"
    from genoku.exact import oracle

    load_kernels()
    other_answers: dict[str, Proof] = {"solved": "solvable", "time limit": "open"}
    reason = oracle.solve(result.puzzle, time_limit=seconds).stop_reason
    return other_answers.get(reason, "no solution")


def _write_files(
    result: Result, options: RunOptions, title: str, written: list[str], failed: list[str]
) -> None:
    """Try to write every file of a run, and add each to `written` or, with a reason, `failed`."""
    for name, path in options.files().items():
        if name in ("save_recipe", "checkpoint"):  # written by now
            continue
        try:
            _write_file(name, path, result, title, options.film)
            written.append(path)
        except (OSError, GenokuError) as error:
            failed.append(f"{option_name(name)} {path}: {_reason(error)}")
        except Exception as error:  # such as from a user's own fitness, or a lack of memory
            failed.append(f"{option_name(name)} {path}: {type(error).__name__}: {error}")


def _write_file(name: str, path: str, result: Result, title: str, film: Film | None) -> None:
    if name == "history":
        result.history.to_csv(path)
    elif name == "individuals":
        result.write_individuals(path)
    elif name == "lineage":
        _write_lineage(result, path)
    elif name == "plot":
        from genoku.present.figures import plot_history

        plot_history(result, path, title=title)
    elif film:
        film.write(result, path)


def _reason(error: Exception) -> object:
    """The system's reason why a file cannot be written, without the file's name."""
    cause = error.__cause__ if isinstance(error, FormatError) else error
    return getattr(cause, "strerror", None) or error


def _omissions(result: Result, options: RunOptions) -> Iterator[str]:
    """Notes on logs that reached their limit."""
    from genoku.engine.history import MAX_ROWS
    from genoku.evolve.state import as_search

    step = as_search(result.algorithm).step_name
    if options.individuals and result.individuals_every > 1:
        every = f"every {result.individuals_every:,}th {step}"
        yield f"--individuals has only {every}: at most {MAX_ROWS:,} boards are kept"
    if options.lineage and result.lineage_from > 0:
        first = f"{step} {result.lineage_from:,}"
        yield f"--lineage is complete only from {first} on: at most {MAX_ROWS:,} births are kept"


def _write_lineage(result: Result, path: str) -> None:
    with text_writer(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "born", "cost", "parents"))
        for ancestor in result.lineage():
            writer.writerow((*ancestor[:3], " ".join(map(str, ancestor.parents))))


# A file of puzzles

Answer = tuple[Entry, dict[str, Any] | str]  # an entry with its record, or why it was refused


def _solve_all(spec: RunSpec, entries: Iterator[Entry], jobs: int) -> Iterator[Answer]:
    """Yield answers, in batches that take `BATCH_SECONDS`; slow input is answered one by one."""
    from genoku.runtime.workers import map_in_order

    size, waited = 1, 0.0

    def batches() -> Iterator[list[Entry]]:
        nonlocal waited
        began = time.monotonic()
        while batch := list(islice(entries, size)):
            waited = time.monotonic() - began
            yield batch
            began = time.monotonic()

    for answers in map_in_order(partial(solve_batch, spec), batches(), jobs):
        yield from answers
        times = [record["seconds"] for _, record in answers if isinstance(record, dict)]
        slowest = max(*times, waited, 1e-6)
        size = max(1, min(MAX_BATCH, 2 * size, int(BATCH_SECONDS / slowest)))


def solve_batch(spec: RunSpec, entries: list[Entry]) -> list[Answer]:
    from genoku.engine.run import warm_up

    warm_up(spec.chosen.algorithm, entries[0].puzzle.geometry)
    return [(entry, _record_or_refusal(spec, entry)) for entry in entries]


def _record_or_refusal(spec: RunSpec, entry: Entry) -> dict[str, Any] | str:
    conflicts = [] if spec.options.allow_conflicts else entry.puzzle.conflicts()
    if conflicts:
        return str(conflicts[0])
    try:
        result = spec.run(entry.puzzle, allow_conflicts=True)
    except PuzzleError as error:  # such as a blank without a legal digit
        return str(error)
    if result.stop_reason is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    record, seconds = spec.json_record(result, entry.name), spec.options.proof_seconds
    return record if seconds is None else record | {"proof": prove(result, seconds)}


def _print_batch(answers: Iterable[Answer], puzzles: PuzzleInput, *, jsonl: bool) -> int:
    """Print one line per puzzle on stdout, the summary on stderr."""
    times: list[float] = []
    solved = 0
    for entry, answer in with_progress(answers, "solving"):
        if isinstance(answer, str):
            puzzles.refuse(entry, answer)
            word = "conflicting givens" if entry.puzzle.conflicts() else "refused"
            line, record = f"# {entry.puzzle} {word}", _refusal(entry, answer)
        else:
            record = answer
            times.append(record["seconds"])
            solved += record["solved"]
            line = _line(entry, record)
        print_json(record, compact=True) if jsonl else click.echo(line)
    if times and (not jsonl or sys.stderr.isatty()):
        bad = f"; {puzzles.bad:,} bad" if puzzles.bad else ""
        ordered = sorted(times)
        p99 = format_duration(ordered[min(len(times) - 1, int(0.99 * len(times)))])
        median, longest = format_duration(statistics.median(times)), format_duration(ordered[-1])
        spread = f"median {median}, p99 {p99}, max {longest}"
        say(f"{solved:,} of {format_count(len(times), 'puzzle')} solved; {spread}{bad}")
    return puzzles.exit_code(0 if solved == len(times) else EXIT_UNSOLVED)


def _refusal(entry: Entry, reason: str) -> dict[str, Any]:
    """The JSON record of a puzzle that was not run."""
    return {
        "puzzle": str(entry.puzzle),
        "solution": None,
        "solved": False,
        "stop_reason": "refused",
        "reason": reason,
        "conflicts": [str(conflict) for conflict in entry.puzzle.conflicts()],
    } | ({"name": entry.name} if entry.name else {})


def _line(entry: Entry, record: dict[str, Any]) -> str:
    """The solution as a line, or a comment on why there is none."""
    if record["solved"]:
        return Puzzle.parse(record["solution"], box=entry.puzzle.geometry).line
    reason = record["stop_reason"]
    if reason != "no solution":
        reason = f"{format_limits(reason)}{PROVED_SHORT.get(record.get('proof'), '')}"
    return f"# {record['puzzle']} {reason}"
