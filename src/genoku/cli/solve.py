"""`genoku solve`: one puzzle on screen, or a file of them as a batch."""

from __future__ import annotations

import csv
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from genoku import collection
from genoku.board import Puzzle
from genoku.cli import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_UNSOLVED, completion
from genoku.cli.options import (
    LIMITS,
    PER_RUN,
    TIME_LIMIT,
    TRUST,
    Reading,
    declared,
    declared_file,
    declared_number,
    is_there,
    json_option,
    jsonl_option,
    limited,
    one_json_or_lines,
    option_group,
    random_entry,
    reads_puzzles,
    trusted,
)
from genoku.cli.output import (
    board_text,
    check_targets,
    compiling_announced,
    identity,
    is_plain,
    is_watched,
    load_kernels,
    print_json,
    refuse_conflicts,
    say,
    with_progress,
)
from genoku.errors import FormatError, GenokuError, PuzzleError, located
from genoku.formats import Entry, replacing, replacing_bytes
from genoku.stopping import Stop, Until
from genoku.words import duration, limits, plural

if TYPE_CHECKING:
    from genoku.engine.history import Record
    from genoku.engine.result import Result
    from genoku.engine.run import Watcher
    from genoku.figures import Film
    from genoku.preset_library import Preset
    from genoku.preset_library.named import Chosen
    from genoku.state import Algorithm

DEFAULT = "champion"
"""The preset that solves where none is named."""
SEEDS = 4
"""How many seeds a portfolio has where nobody says it."""
LARGEST_BATCH = 64  # puzzles that a process is given at a time
BATCH_SECONDS = 0.1  # that they should take together
DIVERSITY_EVERY = 10
UNIQUENESS_SECONDS = 2.0
PROOF_SECONDS = 60.0

FILES = ("history", "individuals", "lineage", "checkpoint", "plot", "gif", "save_recipe")
"""What a run can write, each an option with a file."""
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
    None: "Whether it is the only solution is open.",
}
PROVED: dict[Proof, str] = {
    "no solution": "Proved: there is no solution.",
    "solvable": "There is a solution, which the search did not find.",
    "open": "Whether there is a solution is open: time was up.",
}
PROVED_SHORT: dict[Any, str] = {
    "no solution": " (proved: there is none)",
    "solvable": " (there is a solution)",
    "open": " (whether there is a solution is open)",
}
"""What `--prove` adds to a line about a search that ended without a proof."""


def option_name(field: str) -> str:
    """An option as it is typed."""
    named = {"settings": "--set", "source": "PUZZLE"}
    return named.get(field, f"--{field.replace('_', '-')}")


def is_given(name: str) -> bool:
    """Whether a parameter was typed, and is not its default."""
    return click.get_current_context().get_parameter_source(name) != ParameterSource.DEFAULT


@dataclass(frozen=True)
class RunOptions:
    """What is asked of a run, or of many: every field with its option."""

    preset: str | None = declared(
        "How to solve, see `genoku presets`.",
        metavar="NAME",
        shell_complete=completion.presets,
        show_default=DEFAULT,
    )
    seed: int = declared("Seed of the run.", default=0, metavar="N")
    seeds: int | None = declared_number(
        "Run SEED, SEED+1, … on one puzzle; the fewest steps win.",
        most=1000,
        show_default="1, or 4 with --jobs",
    )
    time_limit: float | None = declared(PER_RUN, **TIME_LIMIT)
    jobs: int | None = declared_number(
        "Processes, for the puzzles of a file, for islands, or else for 4 seeds (see --seeds).",
        show_default="1",
    )
    dask: str | None = declared(
        "Dask scheduler for seeds or islands, such as tcp://head:8786, or `local`.",
        metavar="ADDRESS",
    )
    prove: bool = declared(
        "Where no solution was found, let exact say if there is one, in 60 s or --time-limit."
    )
    allow_conflicts: bool = declared("Run even if givens clash.")
    recipe: str | None = declared_file("A recipe of your own.", metavar="FILE.toml")
    settings: tuple[str, ...] = declared(
        "Change the recipe: population=1000, selection.size=5.",
        "--set",
        multiple=True,
        metavar="KEY=VALUE",
    )
    until: str | None = declared('When to stop: "generations=500 or seconds=10".', metavar="LIMITS")
    watch: bool = declared("Show the board and the curves live.")
    speed: float | None = declared(
        "Steps per second that --watch shows at most.",
        type=click.FloatRange(0.01, 1e9),
        metavar="N",
        show_default="slow at first, then ever faster",
    )
    history: str | None = declared_file(
        "Keep a row of numbers per generation as CSV: costs, of which 0 is solved, and the score "
        "on the scale that the screen shows."
    )
    individuals: str | None = declared_file(
        "Keep every board's score as CSV, as report 003's log does; beyond 5 million, of every "
        "second generation, and so on."
    )
    lineage: str | None = declared_file(
        "Keep the ancestors of the best board as CSV; of 5 million births at most."
    )
    checkpoint: str | None = declared_file("Save the run now and then and at its end.")
    plot: str | None = declared_file("Draw the run's curves: .svg, .png or .pdf.")
    gif: str | None = declared_file("Draw the board evolving: .gif.")
    save_recipe: str | None = declared_file("Keep the recipe, settings included, as TOML.")
    record_every: int | None = declared_number(
        "Keep every Nth generation in --history and the like.", show_default="1"
    )
    resume: str | None = declared_file("Go on with a run that --checkpoint saved.")
    any_version: bool = declared(
        "Go on with a run of another version of genoku, which may go on differently."
    )
    trust: bool = declared(TRUST)

    @property
    def proof_seconds(self) -> float | None:
        """Seconds for the oracle on what was not solved, if it shall be asked."""
        if not self.prove:
            return None
        return PROOF_SECONDS if self.time_limit is None else self.time_limit

    def files(self) -> dict[str, str]:
        """What is to be written, by option, in the order of `FILES`."""
        named = {name: getattr(self, name) for name in FILES}
        return {name: path for name, path in named.items() if path is not None}

    def check(self, source: str = "") -> None:
        """Refuse what cannot be written, or would be written over, before anything runs.

        `source` is where the puzzles come from, perhaps a file.
        """
        if self.speed is not None and not self.watch:
            raise click.UsageError("expected --watch with --speed")
        if self.preset is not None and self.recipe is not None:
            raise click.UsageError("expected one of --preset and --recipe")
        inputs = {"recipe": self.recipe, "resume": self.resume}
        for name, path in {**self.files(), **inputs}.items():
            if path == "":
                raise click.UsageError(f"expected a file for {option_name(name)}, got no name")
        if self.resume and self.checkpoint and identity(self.resume) == identity(self.checkpoint):
            del inputs["resume"]  # which goes on in its own file
        read = {option_name(name): path for name, path in inputs.items()}
        if source and is_there(source):
            read["PUZZLE"] = source
        written = {option_name(name): path for name, path in self.files().items()}
        check_targets(written, read, KINDS)
        if self.checkpoint and not is_plain(self.checkpoint):
            raise GenokuError(
                f"--checkpoint {self.checkpoint}: expected a plain file, which is replaced as a "
                "whole"
            )
        if self.plot or self.gif:
            from genoku.figures import picture_format, require_lab

            require_lab()
            if self.plot:
                picture_format(self.plot)
            if self.gif and Path(self.gif).suffix.lower() != ".gif":
                raise GenokuError(f"{self.gif}: expected a name that ends in .gif")
        too_much = [option_name(name) for name in OF_A_NEW_RUN if self.resume and is_given(name)]
        if too_much:
            raise click.UsageError(
                f"expected --resume without {', '.join(too_much)}: the saved run has its own"
            )

    def seeds_for(self, algorithm: Algorithm) -> int:
        """One, or a portfolio: where it is asked for, or processes have nothing else to do."""
        from genoku.state import declared

        if self.seeds is not None:
            return self.seeds
        idle = declared(algorithm).is_random and not declared(algorithm).uses_processes
        asked = self.jobs is not None or self.dask is not None
        return SEEDS if asked and idle else 1

    @contextmanager
    def workers(self) -> Iterator[int | Executor]:
        """So many processes, or the workers of a cluster as long as this lasts."""
        if self.dask is None:
            yield self.jobs or 1
            return
        from genoku.lab.runner import dask_crew
        from genoku.workers import cores

        with dask_crew(self.dask, self.jobs or cores()) as crew:
            yield crew.executor

    def watchers(
        self, algorithm: Algorithm, until: Until, title: str, *, paced: bool = True
    ) -> AbstractContextManager[list[Watcher]]:
        """Those that show a run as long as it lasts: none where nobody looks."""
        if not (self.watch or is_watched()):
            return nullcontext([])
        from genoku.cli.live import pace_of, run_watchers

        pace = pace_of(self.speed) if paced else None
        return run_watchers(
            live=self.watch, algorithm=algorithm, until=until, title=title, pace=pace
        )


@click.command(
    epilog=f"""\b
Examples:
  genoku solve                       a hard puzzle that comes with genoku
  genoku solve random --seed 7       a new one
  genoku solve charles-hard --json
  genoku solve golden-nugget --jobs 4    four seeds side by side: the fewest steps win
  genoku solve puzzles.txt --jobs 4 > solutions.txt
  cat puzzles.sdm | genoku solve - --jsonl

\b
Evolution (see `genoku presets` and `genoku operators`):
  genoku solve --preset simon --watch
  genoku solve charles-easy --preset charles --set population=500 --history run.csv
  genoku solve --preset poderosas --until "generations=500 or seconds=10" --plot run.svg
  genoku solve --preset simon --checkpoint run.ck
  genoku solve --resume run.ck --until generations=2000 --gif run.gif

\b
{LIMITS}

\b
--json says of one puzzle also how many blanks singles decided, and whether the solution is the
only one; --jsonl, for many, does not ask.

\b
Exit codes: 0 all solved; 1 not all; 2 bad input, or givens that clash; 130 interrupted.
""",
)
@reads_puzzles(default=collection.DEFAULT)
@json_option
@jsonl_option
@option_group("asked", RunOptions)
def solve(reading: Reading, asked: RunOptions, as_json: bool, jsonl: bool) -> int:
    """Solve a PUZZLE: a board, the name of a bundled one, a file, `random`, or - for stdin."""
    asked.check(reading.source)
    if asked.resume is not None:
        return _resume(asked, as_json=as_json)
    found = _preset(asked)
    if found.seed is not None and not is_given("seed"):
        asked = replace(asked, seed=found.seed)
    plan = Plan.of(asked, found)
    lone: Entry | None
    entries: Iterator[Entry]
    if reading.source == "random":
        lone = random_entry(asked.seed, reading.box)
        entries = iter((lone,))
    elif is_given("source") or (asked.preset is None and asked.recipe is None):
        lone, entries = reading.one_or_many()
    else:
        name = "" if found.box else found.puzzle_name
        lone = Entry(Puzzle.parse(found.puzzle, box=reading.box), name=name)
        entries = iter((lone,))
    alone = one_json_or_lines(lone, as_json=as_json, jsonl=jsonl)
    if alone is not None:
        return _solve_one(alone, plan, asked, as_json=as_json)
    of_one = [option_name(name) for name in OF_ONE_RUN if getattr(asked, name) not in (None, False)]
    if of_one:
        raise click.UsageError(f"expected one puzzle with {' and '.join(of_one)}")
    with compiling_announced():
        return _print_batch(_answers(plan, entries, asked.jobs or 1), reading, jsonl=jsonl)


def _preset(asked: RunOptions) -> Preset:
    """The preset of that name, or the recipe of a file, as it stands."""
    from genoku.preset_library import from_file, preset

    if asked.recipe is not None:
        return from_file(asked.recipe)
    return preset(DEFAULT if asked.preset is None else asked.preset)


@dataclass(frozen=True)
class Plan:
    """What to run on every puzzle, here or in another process."""

    asked: RunOptions
    chosen: Chosen
    record: Record

    @classmethod
    def of(cls, asked: RunOptions, found: Preset) -> Plan:
        """Everything about a run but its puzzle; mistakes show here, before anything is timed."""
        from genoku.engine.history import USUAL, Record
        from genoku.engine.run import NEVER
        from genoku.preset_library import choose

        own = found.until
        if asked.time_limit is not None:  # which replaces the preset's own seconds
            own = str(Until.parse(own).without("seconds"))
        until = limited(own if asked.until is None else asked.until, asked.time_limit)
        kept = bool(asked.history or asked.plot or asked.checkpoint)
        record = Record(
            fields=USUAL if kept else ("gen",),
            every=asked.record_every or (1 if kept else NEVER),
            diversity_every=DIVERSITY_EVERY,
            individuals=asked.individuals is not None,
            lineage=asked.lineage is not None,
        )
        trust = trusted(asked.trust, asked.settings)
        file = f"{asked.recipe}, changed" if asked.recipe and asked.settings else asked.recipe
        with located(source=file) if file else nullcontext():
            chosen = choose(found, until, settings=asked.settings, trust=trust)
        if asked.save_recipe:
            _save_recipe(asked.save_recipe, found, until, chosen.algorithm)
        return cls(asked, chosen, record)

    @property
    def name(self) -> str:
        """What messages and pictures call it."""
        return f"{self.chosen.name}, changed" if self.chosen.is_changed else self.chosen.name

    def run(self, puzzle: Puzzle, seeds: int = 1, **options: Any) -> Result:
        """One run, or a portfolio of so many seeds from the plan's own on."""
        from genoku.engine.run import run

        options.setdefault("until", self.chosen.until)
        options.setdefault("allow_conflicts", self.asked.allow_conflicts)
        algorithm, first = self.chosen.algorithm, self.asked.seed
        if seeds == 1:
            options.setdefault("seed", first)
            return run(puzzle, algorithm, record=self.record, **options)
        from genoku.engine.portfolio import run_portfolio

        several = range(first, first + seeds)
        return run_portfolio(puzzle, algorithm, seeds=several, record=self.record, **options)

    def json_record(self, result: Result, name: str) -> dict[str, Any]:
        """What `--json` prints of a puzzle by that name."""
        settings = {"settings": list(self.asked.settings)}
        return json_record(result, self.chosen.name, name, settings)


def json_record(
    result: Result, preset: str, puzzle_name: str, more: dict[str, Any]
) -> dict[str, Any]:
    """What `--json` prints: the fields of every preset first."""
    told = result.record()
    first = {key: told[key] for key in ("puzzle", "solution", "solved")}
    record = {**first, "preset": preset, **more, **told}
    if not result.puzzle.geometry.is_default:
        record["box"] = result.puzzle.geometry.box
    return record | ({"name": puzzle_name} if puzzle_name else {})


def _save_recipe(path: str, found: Preset, until: Until, algorithm: Algorithm) -> None:
    from genoku.recipe import as_toml, describe

    facts = {"about": found.about, "puzzle": found.puzzle_name, "until": str(until)}
    facts |= {"box": found.box} if found.box else {}
    text = as_toml({**facts, "recipe": describe(algorithm)})
    try:
        with replacing_bytes(path) as stream:
            stream.write(text.encode())
    except FormatError as error:
        reason = getattr(error.__cause__, "strerror", None) or error
        raise GenokuError(f"--save-recipe {path}: {reason}") from error


# One puzzle


def _solve_one(entry: Entry, plan: Plan, asked: RunOptions, *, as_json: bool) -> int:
    """Run on one puzzle and tell what came of it."""
    from genoku.engine.result import aside
    from genoku.engine.run import load_kernels_of
    from genoku.state import declared

    puzzle, algorithm = entry.puzzle, plan.chosen.algorithm
    if not plan.asked.allow_conflicts and refuse_conflicts(puzzle):
        if as_json:
            print_json(_refusal(entry, str(puzzle.conflicts()[0])))
        return EXIT_INPUT
    seeds = asked.seeds_for(algorithm)
    if seeds > 1 and asked.checkpoint:
        raise click.UsageError(
            f"expected one run with --checkpoint, got a portfolio of {seeds} seeds: add --seeds 1"
        )
    wants_more = (asked.jobs or 1) > 1 or asked.dask is not None
    if seeds == 1 and wants_more and not declared(algorithm).uses_processes:
        what = "--dask" if asked.dask else "--jobs"
        say(f"{what} has nothing to spread: one puzzle, one seed, and no islands")
    if seeds > 1 and asked.seeds is None and not as_json:
        say(f"{seeds} seeds side by side, so that processes have work: --seeds 1 for one run")
    if entry.name and not as_json:
        say(f"{entry.name}: {puzzle.geometry}, {plural(puzzle.givens, 'given')}")
    title = f"{aside(plan.name)} on {entry.name or puzzle.geometry}"
    among = f"seed {asked.seed}" if seeds == 1 else seeds_text(asked.seed, seeds)
    film = _film(asked)
    with compiling_announced(), asked.workers() as jobs:
        load_kernels_of(algorithm, puzzle.geometry)
        showing = asked.watchers(
            algorithm, plan.chosen.until, f"{title}, {among}", paced=seeds == 1
        )
        with showing as watchers, _checkpoint_named(asked.checkpoint):
            if seeds > 1:
                result = plan.run(puzzle, seeds, watch=watchers, jobs=jobs)
            else:
                watch = [*watchers, film] if film else watchers
                result = plan.run(puzzle, watch=watch, checkpoint=asked.checkpoint, jobs=jobs)
    if film and seeds > 1:  # who would win was not known
        plan.run(puzzle, seed=result.seed, until=f"steps={result.steps}", watch=film)
    record = plan.json_record(result, entry.name) | {"seeds": seeds} if as_json else None
    told = Told(plan.name, f"{title}, seed {result.seed}", record, among, plan.asked.proof_seconds)
    return told.tell(result, asked, film)


def seeds_text(first: int, count: int) -> str:
    return f"seeds {first} {'and' if count == 2 else 'to'} {first + count - 1}"


def _film(asked: RunOptions) -> Film | None:
    if not asked.gif:
        return None
    from genoku.figures import Film

    return Film()


def _resume(asked: RunOptions, *, as_json: bool) -> int:
    """Go on with a saved run and tell what came of it."""
    from genoku.display import CURVES
    from genoku.engine.run import Run, load_kernels_of, resume
    from genoku.preset_library import presets
    from genoku.state import declared

    path = asked.resume or ""
    allowed: dict[str, Any] = {"trust": trusted(asked.trust), "any_version": asked.any_version}
    saved = Run.load(path, **allowed)
    algorithm, recorded = saved.algorithm, saved.rows.record
    for name, kept in (("individuals", recorded.individuals), ("lineage", recorded.lineage)):
        if getattr(asked, name) and not kept:
            raise click.UsageError(f"expected no --{name}: {path} began without it")
    if asked.plot and not {"gen", *CURVES} <= set(recorded.fields):
        raise click.UsageError(f"expected no --plot: {path} keeps too little of its history")
    more = None if asked.time_limit is None else saved.seconds + asked.time_limit
    until = limited(str(saved.until) if asked.until is None else asked.until, more)
    name = next((each.name for each in presets() if each.build() == algorithm), "a recipe")
    title = f"{name}, resumed at {declared(algorithm).step_name} {saved.state.step:,}"
    film, saved_to = _film(asked), asked.checkpoint or path
    with (
        compiling_announced(),
        asked.workers() as jobs,
        asked.watchers(algorithm, until, title) as watchers,
        _checkpoint_named(saved_to),
    ):
        load_kernels_of(algorithm, saved.problem.puzzle.geometry)
        watch: list[Watcher] = [*watchers, film] if film else watchers
        result = resume(path, until=until, watch=watch, checkpoint=saved_to, jobs=jobs, **allowed)
    record = json_record(result, name, "", {}) if as_json else None
    told = Told(name, title, record, "", asked.proof_seconds)
    return told.tell(result, replace(asked, checkpoint=saved_to), film)


@contextmanager
def _checkpoint_named(path: str | None) -> Iterator[None]:
    """Say which file it is that cannot be written in the middle of a run."""
    try:
        yield
    except OSError as error:
        if path is None:
            raise
        raise GenokuError(f"--checkpoint {path}: {error.strerror or error}") from error


@dataclass(frozen=True)
class Told:
    """How a run is told: as a board with a few honest lines, or as JSON."""

    name: str
    title: str
    record: dict[str, Any] | None
    """The JSON object, if that is what is wanted."""
    among: str
    """The seeds there were, if there were several."""
    prove: float | None

    def tell(self, result: Result, asked: RunOptions, film: Film | None) -> int:
        """Write the files, then print: the files stay when nobody reads what is printed."""
        files = Files(asked)
        try:
            try:
                files.write(result, self.title, film)
            finally:
                self._print(result)
        finally:
            files.tell()
        if result.stop_reason is Stop.INTERRUPTED:
            if self.record is not None:
                say("interrupted")
            if asked.checkpoint:
                from genoku.failures import modules_of

                trusting = " --trust" if modules_of(result.recipe) else ""
                say(f"Go on with: genoku solve --resume {shlex.quote(asked.checkpoint)}{trusting}")
            return EXIT_INTERRUPTED
        if files.failed:
            return EXIT_INPUT
        return 0 if result.solved else EXIT_UNSOLVED

    def _print(self, result: Result) -> None:
        from genoku.engine.result import ended_by_a_limit, summary
        from genoku.fitness import map_colours

        if self.record is not None:
            record: dict[str, Any] = {**self.record, "decided": result.decided, "unique": None}
            try:  # Ctrl-C may end what the oracle is asked, and not what is known
                record["unique"] = is_only(result)
                if self.prove is not None:
                    record["proof"] = None
                    record["proof"] = proof_of(result, self.prove)
            finally:
                print_json(record)
            return
        if result.stop_reason is Stop.NO_SOLUTION:
            click.echo(board_text(result.puzzle))
        else:
            colours = map_colours(result.board, result.puzzle.geometry)
            click.echo(board_text(result.puzzle, result.board, colours=colours))
        proof = None
        try:  # a moment for the oracle; Ctrl-C may end it, and not what is known
            if self.prove is None and ended_by_a_limit(result):
                proof = proof_of(result, UNIQUENESS_SECONDS)
        finally:
            known = {"no solution": False, "solvable": True}.get(proof or "")
            for line in summary(result, self.name, self.among, has_solution=known):
                say(line)
        if proof == "solvable":
            say(PROVED[proof])
        elif proof == "open":
            say("Whether there is one, exact can say: add --prove.")
        settled = result.stop_reason in (Stop.NO_SOLUTION, Stop.INTERRUPTED)
        if result.solved:  # asked when the board can be seen
            say(UNIQUE[is_only(result)])
        elif self.prove is not None and not settled:
            say(f"asking exact whether there is one, for {duration(self.prove)} at most ...")
            proof = proof_of(result, self.prove)
            if proof is not None:
                say(PROVED[proof])


def is_only(result: Result) -> bool | None:
    """Whether the puzzle has one solution and no other; None where that is open."""
    if not result.solved:
        return None
    from genoku import exact

    load_kernels()  # the first time compiles, which is no part of the seconds
    return exact.is_only(result.puzzle, result.board, time_limit=UNIQUENESS_SECONDS)


def proof_of(result: Result, seconds: float) -> Proof | None:
    """What the oracle says of a puzzle that was not solved; None where there is nothing to ask."""
    if result.solved or result.stop_reason is Stop.INTERRUPTED:
        return None
    if result.stop_reason is Stop.NO_SOLUTION:
        return "no solution"
    from genoku import exact

    load_kernels()
    answers: dict[str, Proof] = {
        "solved": "solvable",
        "no solution": "no solution",
        "time limit": "open",
    }
    return answers[exact.solve(result.puzzle, time_limit=seconds).stop_reason]


class Files:
    """The files of a run, and what became of each."""

    def __init__(self, asked: RunOptions) -> None:
        self.asked = asked
        self.written = [path for path in (asked.save_recipe, asked.checkpoint) if path]
        self.notes: list[str] = []
        self.failed: list[str] = []

    def write(self, result: Result, title: str, film: Film | None) -> None:
        """Write what was asked for; one that fails does not keep the others from being tried."""
        writers: dict[str, Callable[[str], object]] = {
            "history": result.history.to_csv,
            "individuals": result.write_individuals,
            "lineage": lambda path: _write_lineage(result, path),
            "plot": lambda path: _plot(result, path, title),
            "gif": lambda path: film.write(result, path) if film else None,
        }
        for name, path in self.asked.files().items():
            if name not in writers:  # written by now
                continue
            try:
                writers[name](path)
                self.written.append(path)
                self.notes += _left_out(name, result)
            except (OSError, GenokuError) as error:
                cause = error.__cause__ if isinstance(error, FormatError) else error
                reason = getattr(cause, "strerror", None) or error
                self.failed.append(f"{option_name(name)} {path}: {reason}")
            except Exception as error:  # such as a user's own score, or no memory to draw in
                self.failed.append(f"{option_name(name)} {path}: {type(error).__name__}: {error}")

    def tell(self) -> None:
        if self.written:
            say(f"wrote {', '.join(self.written)}")
        for note in self.notes:
            say(note)
        for reason in self.failed:
            say(f"genoku: {reason}")


def _left_out(name: str, result: Result) -> list[str]:
    """What a log lacks, since a run keeps only so many rows of it."""
    from genoku.engine.history import MOST_KEPT
    from genoku.state import declared

    word = declared(result.algorithm).step_name
    if name == "individuals" and result.individuals_every > 1:
        every = f"every {result.individuals_every:,}th {word}"
        return [f"--individuals has {every} only: {MOST_KEPT:,} boards are the most it keeps"]
    if name == "lineage" and result.lineage_from > 0:
        first = f"{word} {result.lineage_from:,}"
        return [f"--lineage is whole from {first} on: {MOST_KEPT:,} births are the most it keeps"]
    return []


def _plot(result: Result, path: str, title: str) -> None:
    from genoku.figures import plot_history

    plot_history(result, path, title=title)


def _write_lineage(result: Result, path: str) -> None:
    with replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "born", "cost", "parents"))
        for ancestor in result.lineage():
            writer.writerow((*ancestor[:3], " ".join(map(str, ancestor.parents))))


# A file of puzzles

Answer = tuple[Entry, dict[str, Any] | str]
"""An entry with its record, or the reason why it was refused."""


def _answers(plan: Plan, entries: Iterator[Entry], jobs: int) -> Iterator[Answer]:
    """Every puzzle with its answer; so many together as take a moment, for the sake of speed.

    Where a puzzle itself is long in coming, as from a live pipe, it is answered by itself.
    """
    from genoku.workers import in_order

    size, waited = 1, 0.0

    def batches() -> Iterator[list[Entry]]:
        nonlocal waited
        began = time.monotonic()
        while batch := list(islice(entries, size)):
            waited = time.monotonic() - began
            yield batch
            began = time.monotonic()

    for answers in in_order(partial(solve_batch, plan), batches(), jobs):
        yield from answers
        times = [record["seconds"] for _, record in answers if isinstance(record, dict)]
        slowest = max(*times, waited, 1e-6)
        size = max(1, min(LARGEST_BATCH, 2 * size, int(BATCH_SECONDS / slowest)))


def solve_batch(plan: Plan, entries: list[Entry]) -> list[Answer]:
    """Every entry with its answer, in whatever process this runs."""
    from genoku.engine.run import load_kernels_of

    load_kernels_of(plan.chosen.algorithm, entries[0].puzzle.geometry)
    return [(entry, _record_or_refusal(plan, entry)) for entry in entries]


def _record_or_refusal(plan: Plan, entry: Entry) -> dict[str, Any] | str:
    clashes = [] if plan.asked.allow_conflicts else entry.puzzle.conflicts()
    if clashes:
        return str(clashes[0])
    try:
        result = plan.run(entry.puzzle, allow_conflicts=True)
    except PuzzleError as error:  # such as a blank without a legal digit
        return str(error)
    if result.stop_reason is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    record = plan.json_record(result, entry.name)
    return (
        record
        if plan.asked.proof_seconds is None
        else {**record, "proof": proof_of(result, plan.asked.proof_seconds)}
    )


def _print_batch(answers: Iterable[Answer], reading: Reading, *, jsonl: bool) -> int:
    """A line for every puzzle on stdout, the summary on stderr."""
    times: list[float] = []
    solved = 0
    for entry, answer in with_progress(answers, "solving"):
        if isinstance(answer, str):
            reading.refuse(entry, answer)
            word = "givens clash" if entry.puzzle.conflicts() else "refused"
            line, record = f"# {entry.puzzle} {word}", _refusal(entry, answer)
        else:
            record = answer
            times.append(record["seconds"])
            solved += record["solved"]
            line = _line(entry, record)
        print_json(record, compact=True) if jsonl else click.echo(line)
    if times and (not jsonl or sys.stderr.isatty()):
        bad = f"; {reading.bad:,} bad" if reading.bad else ""
        say(f"{solved:,} of {plural(len(times), 'puzzle')} solved; {_times_text(times)}{bad}")
    return reading.exit_code(0 if solved == len(times) else EXIT_UNSOLVED)


def _refusal(entry: Entry, reason: str) -> dict[str, Any]:
    """What JSON says of a puzzle that was not run."""
    return {
        "puzzle": str(entry.puzzle),
        "solution": None,
        "solved": False,
        "stop_reason": "refused",
        "reason": reason,
        "conflicts": [str(conflict) for conflict in entry.puzzle.conflicts()],
    } | ({"name": entry.name} if entry.name else {})


def _line(entry: Entry, record: dict[str, Any]) -> str:
    """The solution as a line that reads back, or a comment that says why there is none."""
    if record["solved"]:
        return Puzzle.parse(record["solution"], box=entry.puzzle.geometry).line
    reason = record["stop_reason"]
    if reason != "no solution":
        reason = f"{limits(reason)}{PROVED_SHORT.get(record.get('proof'), '')}"
    return f"# {record['puzzle']} {reason}"


def _times_text(times: list[float]) -> str:
    ordered = sorted(times)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    middle = duration(statistics.median(ordered))
    return f"median {middle}, p99 {duration(p99)}, max {duration(ordered[-1])}"
