"""What `genoku solve` and `genoku evolve` share: options of a run, its verdict, and its output."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

import click
from click.core import ParameterSource

from genoku.cli import completion
from genoku.cli.options import (
    ALLOW_CONFLICTS,
    INPUT,
    TRUST,
    PuzzleInput,
    combine_limits,
    file_field,
    option_field,
    time_limit_field,
    trusted_modules,
)
from genoku.cli.output import board_text, load_kernels, print_json, report_conflicts, say
from genoku.errors import RecipeError, locate_errors
from genoku.evolve.stopping import Stop, Until
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import Entry
from genoku.runtime.text import format_count, join_words

if TYPE_CHECKING:
    from genoku.engine.history import Record
    from genoku.engine.result import Result
    from genoku.evolve.presets import Choice, Preset

UNIQUENESS_SECONDS = 2.0
PROOF_SECONDS = 60.0

RECIPE = "Recipe"  # groups of options
PARALLEL = "Parallel runs"

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


def is_given(name: str) -> bool:
    """Whether a parameter was given on the command line."""
    return click.get_current_context().get_parameter_source(name) != ParameterSource.DEFAULT


def option_name(field: str) -> str:
    special = {"settings": "--set", "source": "PUZZLE"}
    return special.get(field, f"--{field.replace('_', '-')}")


def preset_field(default: str) -> Any:
    """The `--preset` of a run."""
    return option_field(
        "Preset to run; `genoku presets` lists them.",
        metavar="NAME",
        shell_complete=completion.presets,
        show_default=default,
    )


@dataclass(frozen=True)
class RunOptions:
    """The options that say which algorithm runs, from which seed, and for how long."""

    preset: str | None = preset_field("the command's")
    seed: int = option_field(
        "Random seed.", default=0, metavar="N", show_default="0 or the preset's"
    )
    time_limit: float | None = time_limit_field()
    until: str | None = option_field(
        'When to stop, such as "generations=500 or seconds=10".',
        metavar="LIMITS",
        show_default="the preset's",
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
    trust: bool = option_field(TRUST, group=RECIPE)
    allow_conflicts: bool = option_field(ALLOW_CONFLICTS, group=INPUT)

    @property
    def proof_seconds(self) -> float | None:
        """Seconds for a proof on an unsolved puzzle; None without `--prove`."""
        if not self.prove:
            return None
        return PROOF_SECONDS if self.time_limit is None else self.time_limit

    def find_preset(self, default: str) -> Preset:
        """Return the preset of `--preset` or `--recipe`, or the default one."""
        from genoku.evolve.presets import preset, preset_from_file

        if self.recipe is None:
            return preset(default) if self.preset is None else named_preset(self.preset)
        if self.preset is not None:
            raise click.UsageError("expected only one of --preset and --recipe")
        if not self.recipe:
            raise click.UsageError("expected a file name for --recipe, got ''")
        return preset_from_file(self.recipe)

    def with_seed_of(self, found: Preset) -> Self:
        """Return the options with the seed of a preset, unless one is given."""
        if found.seed is None or is_given("seed"):
            return self
        return replace(self, seed=found.seed)

    def limits(self, found: Preset) -> Until:
        """Return when a run of the preset stops."""
        own = found.until
        if self.time_limit is not None:  # replaces the preset's own seconds
            own = str(Until.parse(own).without("seconds"))
        return combine_limits(own if self.until is None else self.until, self.time_limit)


def named_preset(name: str) -> Preset:
    """Return a preset by its name; an error says which preset a report's own word means."""
    from genoku.evolve.presets import preset
    from genoku.evolve.terms import find

    try:
        return preset(name)
    except RecipeError as error:
        meant = [each.name for each in find(name) if each.kind == "preset"]
        if not meant:
            raise
        names = join_words(dict.fromkeys(meant), "or")
        raise RecipeError(
            f"{name!r} is {names} here: --preset {meant[0]}", alternatives=meant
        ) from error


@contextmanager
def processes(jobs: int | None, dask: str | None) -> Iterator[int | Executor]:
    """The number of processes of a run, or the executor of a Dask cluster."""
    if dask is None:
        yield jobs or 1
        return
    from genoku.lab.runner import dask_workers
    from genoku.runtime.workers import cores

    with dask_workers(dask, jobs or cores()) as workers:
        yield workers.executor


def puzzle_of(found: Preset, puzzles: PuzzleInput) -> Entry:
    """Return a preset's own puzzle."""
    name = "" if found.box else found.puzzle_name
    return Entry(Puzzle.parse(found.puzzle, box=puzzles.box), name=name)


@dataclass(frozen=True)
class RunSpec:
    """What to run on every puzzle, in this or another process."""

    options: RunOptions
    preset: Preset
    chosen: Choice
    record: Record

    @classmethod
    def of(cls, options: RunOptions, found: Preset, record: Record, until: Until) -> RunSpec:
        """Build what the options describe; raise their mistakes before the first run."""
        from genoku.evolve.presets import choose

        trust = trusted_modules(options.trust, options.settings)
        changed = ", changed" if options.settings else ""
        with locate_errors(source=f"{options.recipe}{changed}" if options.recipe else ""):
            chosen = choose(found, until, settings=options.settings, trust=trust)
        return cls(options, found, chosen, record)

    @property
    def name(self) -> str:
        return f"{self.chosen.name}, changed" if self.chosen.is_changed else self.chosen.name

    @property
    def name_in_sentence(self) -> str:
        from genoku.engine.result import name_in_sentence

        return name_in_sentence(self.name)

    @property
    def title(self) -> str:
        """What the preset is; empty if it was changed, or has no title but its name."""
        is_known = not self.chosen.is_changed and self.preset.title != self.preset.name
        return self.preset.title if is_known else ""

    def expectation(self, puzzle: Puzzle) -> str:
        """What to expect of the preset; empty unless puzzle, recipe and limits are its own."""
        has_own_limits = str(self.chosen.until) == str(Until.parse(self.preset.until))
        is_own = has_own_limits and puzzle == self.preset.puzzle
        return self.preset.character if self.title and is_own else ""

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


def may_run(entry: Entry, presets: Sequence[Preset], allow_conflicts: bool) -> bool:
    """Whether a puzzle may run; print its conflicts, which all presets or an option may allow."""
    conflicts = entry.puzzle.conflicts()
    if not conflicts or allow_conflicts:
        return True
    if not all(each.accepts(entry.puzzle) for each in presets):
        report_conflicts(entry.puzzle)
        return False
    count = format_count(len(conflicts), "conflict")
    say(f"{entry.name or 'The board'} has {count} among its givens, as its report printed it:")
    say(f"no board solves it. The first: {conflicts[0]}")
    return True


def refusal_record(entry: Entry, reason: str) -> dict[str, Any]:
    """The JSON record of a puzzle that was not run."""
    return {
        "puzzle": str(entry.puzzle),
        "solution": None,
        "solved": False,
        "stop_reason": "refused",
        "reason": reason,
        "conflicts": [str(conflict) for conflict in entry.puzzle.conflicts()],
    } | ({"name": entry.name} if entry.name else {})


def print_record(result: Result, proof_seconds: float | None, record: dict[str, Any]) -> None:
    """Print the JSON record of a run, with what is known of other solutions."""
    record = {**record, "decided": result.decided_by_singles, "unique": None}
    try:  # Ctrl-C ends the search for a proof, but the record is still printed
        record["unique"] = is_unique(result)
        if proof_seconds is not None:
            record["proof"] = None
            record["proof"] = prove(result, proof_seconds)
    finally:
        print_json(record)


def print_board(result: Result, *, coloured: bool = True) -> None:
    """Print the best board on stdout with its caption, or the puzzle if it has no solution."""
    from genoku.evolve.fitness import map_colours

    if result.stop_reason is Stop.NO_SOLUTION:
        click.echo(board_text(result.puzzle))
    else:
        colours = map_colours(result.board, result.puzzle.geometry) if coloured else None
        caption = result.caption
        click.echo(board_text(result.puzzle, result.board, colours=colours, caption=caption))


def print_verdict(
    result: Result,
    proof_seconds: float | None,
    name: str,
    seeds: str = "",
    *,
    write: Callable[[str], None] = say,
) -> None:
    """Print the summary of a run, and what is known of its puzzle's solutions."""
    from genoku.engine.result import has_reached_limit, summary

    proof = None
    try:  # Ctrl-C ends the search for a proof, but the summary is still printed
        if proof_seconds is None and has_reached_limit(result):
            proof = prove(result, UNIQUENESS_SECONDS)
    finally:
        known = {"no solution": False, "solvable": True}.get(proof or "")
        for line in summary(result, name, seeds, has_solution=known):
            write(line)
    if proof == "solvable":
        write(PROVED[proof])
    elif proof == "open":
        write("Add --prove to find out whether there is a solution.")
    if result.solved:  # after the board, since this may take a while
        write(UNIQUE[is_unique(result)])
    elif proof_seconds is not None:
        print_proof(result, proof_seconds, write)


def print_proof(result: Result, seconds: float, write: Callable[[str], None] = say) -> None:
    """Search for a proof that an unsolved puzzle has no solution, and print what it shows."""
    from genoku.runtime.text import format_duration

    if result.stop_reason in (Stop.NO_SOLUTION, Stop.INTERRUPTED):
        return
    say(f"searching exactly for a proof, for at most {format_duration(seconds)} ...")
    proof = prove(result, seconds)
    if proof is not None:
        write(PROVED[proof])


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
