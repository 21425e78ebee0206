"""`genoku solve`: answers, for one puzzle or for a file of puzzles."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_UNSOLVED
from genoku.cli.batch import solve_batch
from genoku.cli.options import (
    JSONL,
    LIMITS,
    GroupedCommand,
    PuzzleInput,
    add_options,
    json_option,
    option_field,
    path_exists,
    puzzle_argument,
    whole_number,
)
from genoku.cli.output import announcing_compilation, can_redraw, print_json, say
from genoku.cli.runs import (
    PARALLEL,
    RunOptions,
    RunSpec,
    is_given,
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
from genoku.evolve.stopping import Stop
from genoku.puzzle import bundled_puzzles
from genoku.puzzle.formats import Entry
from genoku.runtime.text import format_count, join_words

if TYPE_CHECKING:
    from genoku.engine.result import Result
    from genoku.engine.run import Watcher
    from genoku.evolve.state import Algorithm

DEFAULT = "champion"  # preset
SEEDS = 4  # of a portfolio, by default
OF_ONE_PUZZLE = ("seeds", "dask")
MOVED = (
    "--watch",
    "--speed",
    "--history",
    "--record-every",
    "--individuals",
    "--lineage",
    "--plot",
    "--gif",
    "--checkpoint",
    "--resume",
    "--any-version",
    "--save-recipe",
)  # to `genoku evolve`


class SolveCommand(GroupedCommand):
    """A command that shows the same with `evolve` for options that are there now."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name not in MOVED:
                raise
            raise click.UsageError(_where_moved(error.option_name, words), ctx) from None


def _where_moved(option: str, words: list[str]) -> str:
    """Where an option is now, with the same command there if it can be given there."""
    from genoku.cli.evolve import evolve

    words = [word for word in words if word != "--watch"]  # `evolve` always does
    try:
        source = evolve.make_context("evolve", list(words)).params["source"]
    except click.UsageError:
        return f"{option} is an option of genoku evolve"
    same = shlex.join(["genoku", "evolve", *words])
    if source == "-" or (source and path_exists(source)):
        return f"{option} is an option of genoku evolve, which runs one puzzle only: {same}"
    return f"{option} is an option of genoku evolve: {same}"


@dataclass(frozen=True)
class SolveOptions(RunOptions):
    """The options of `genoku solve`."""

    preset: str | None = preset_field(DEFAULT)
    jsonl: bool = option_field(JSONL)
    jobs: int | None = option_field(
        "Number of processes. A file's puzzles, or one puzzle's seeds (4 by default), run in "
        "parallel.",
        **whole_number(),
        show_default="1",
        group=PARALLEL,
    )
    seeds: int | None = option_field(
        "Solve one puzzle with N seeds, starting at --seed; keep the run with the fewest steps.",
        **whole_number(most=1000),
        show_default="1, or 4 with --jobs",
        group=PARALLEL,
    )
    dask: str | None = option_field(
        "Dask scheduler for the seeds: an address such as tcp://head:8786, or `local`.",
        metavar="ADDRESS",
        group=PARALLEL,
    )

    @property
    def is_parallel(self) -> bool:
        return self.jobs is not None or self.dask is not None

    def seeds_for(self, algorithm: Algorithm) -> int:
        """The number of seeds: several on request, or if processes would be idle."""
        from genoku.evolve.state import as_search

        if self.seeds is not None:
            return self.seeds
        return SEEDS if self.is_parallel and as_search(algorithm).is_random else 1

    @contextmanager
    def session(self, spec: RunSpec, puzzle: Entry, title: str) -> Iterator[Session]:
        """Compile the kernels, then provide the watchers and the processes or executor."""
        from genoku.engine.run import warm_up

        algorithm, geometry = spec.chosen.algorithm, puzzle.puzzle.geometry
        with ExitStack() as stack:
            stack.enter_context(announcing_compilation())
            jobs = stack.enter_context(processes(self.jobs, self.dask))
            warm_up(algorithm, geometry)
            watchers: list[Watcher] = []
            if can_redraw():
                from genoku.cli.live import RunBar

                watchers.append(RunBar(algorithm, spec.chosen.until, title, stack))
            yield Session(watchers, jobs)


@dataclass(frozen=True)
class Session:
    """What a run is given: its watchers, and where seeds run."""

    watchers: list[Watcher]
    jobs: int | Executor


@click.command(cls=SolveCommand, epilog=LIMITS)
@add_options("options", SolveOptions)
@json_option
@puzzle_argument(default=bundled_puzzles.DEFAULT)
def solve(puzzles: PuzzleInput, options: SolveOptions, as_json: bool) -> int:
    """Solve a puzzle, or a file of puzzles.

    PUZZLE is a board, the name of a bundled puzzle, a file, `random`, or - for standard input. To
    watch an algorithm, and to record, save and change its run, use `genoku evolve`.

    Examples:
      genoku solve                           a hard puzzle that comes with genoku
      genoku solve random --seed 7           a new puzzle
      genoku solve charles-hard --json
      genoku solve golden-nugget --preset textbook
      genoku solve golden-nugget --jobs 4    four seeds in parallel
      genoku solve puzzles.txt --jobs 4 > solutions.txt
      cat puzzles.sdm | genoku solve - --jsonl

    --json also gives the number of blanks decided by singles, and whether the solution is unique;
    --jsonl does not.

    Exit codes: 0 all solved; 1 not all solved; 2 bad input or conflicting givens; 130 interrupted.
    """
    from genoku.engine.run import RECORD_NOTHING

    found = options.find_preset(DEFAULT)
    options = options.with_seed_of(found)
    spec = RunSpec.of(options, found, RECORD_NOTHING, options.limits(found))
    puzzles.random_seed = options.seed
    has_own_puzzle = options.preset is not None or options.recipe is not None
    made = puzzle_of(found, puzzles) if has_own_puzzle and not is_given("source") else None
    lone, entries = puzzles.one_or_many(as_json=as_json, jsonl=options.jsonl, made=made)
    if lone is not None:
        return _solve_one(lone, spec, options, as_json=as_json)
    of_one = [option_name(name) for name in OF_ONE_PUZZLE if getattr(options, name) is not None]
    if of_one:
        raise click.UsageError(f"expected a single puzzle with {join_words(of_one)}")
    return solve_batch(spec, entries, puzzles, jobs=options.jobs or 1, jsonl=options.jsonl)


def _solve_one(entry: Entry, spec: RunSpec, options: SolveOptions, *, as_json: bool) -> int:
    """Run on one puzzle, or a portfolio of seeds, and print the result."""
    puzzle = entry.puzzle
    if not may_run(entry, [spec.preset], options.allow_conflicts):
        if as_json:
            print_json(refusal_record(entry, str(puzzle.conflicts()[0])))
        return EXIT_INPUT
    seeds = options.seeds_for(spec.chosen.algorithm)
    if not as_json:
        _announce(entry, spec, options, seeds)
    among = _name_seeds(options.seed, seeds)
    title = f"{spec.name_in_sentence} on {entry.name or puzzle.geometry}, {among}"
    with options.session(spec, entry, title) as session:
        result = _run(entry, spec, seeds, session)
    if as_json:
        record = spec.json_record(result, entry.name) | {"seeds": seeds}
        print_record(result, options.proof_seconds, record)
    else:
        print_board(result)
        print_verdict(result, options.proof_seconds, spec.name, among)
    if result.stop_reason is Stop.INTERRUPTED:
        if as_json:
            say("interrupted")
        return EXIT_INTERRUPTED
    if result.solved:
        return 0
    expectation = spec.expectation(puzzle)
    if expectation and seeds == 1 and not as_json:
        say(f"{spec.name} ({spec.title}) {expectation}.")
    return EXIT_UNSOLVED


def _announce(entry: Entry, spec: RunSpec, options: SolveOptions, seeds: int) -> None:
    """Say what will run."""
    if seeds == 1 and ((options.jobs or 1) > 1 or options.dask is not None):
        option = "--dask" if options.dask else "--jobs"
        say(f"{option} has no effect: one puzzle, one seed")
    if seeds > 1 and options.seeds is None:
        say(f"running {seeds} seeds in parallel; use --seeds 1 for a single run")
    if entry.name:
        givens = format_count(entry.puzzle.givens, "given")
        say(f"{entry.name}: {entry.puzzle.geometry}, {givens}")
    if spec.title and options.preset:
        say(f"{spec.name}: {spec.title}")


def _name_seeds(first: int, count: int) -> str:
    if count == 1:
        return f"seed {first}"
    return f"seeds {first} {'and' if count == 2 else 'to'} {first + count - 1}"


def _run(entry: Entry, spec: RunSpec, seeds: int, session: Session) -> Result:
    from genoku.engine.portfolio import run_portfolio
    from genoku.engine.run import run

    options, chosen = spec.options, spec.chosen
    shared: dict[str, Any] = {
        "until": chosen.until,
        "record": spec.record,
        "watch": session.watchers,
        "allow_conflicts": True,
    }
    if seeds == 1:
        return run(entry.puzzle, chosen.algorithm, seed=options.seed, **shared)
    several = range(options.seed, options.seed + seeds)
    return run_portfolio(entry.puzzle, chosen.algorithm, seeds=several, jobs=session.jobs, **shared)
