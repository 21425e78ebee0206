"""What an evolution is to run: a preset or a recipe with its settings, as plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from genoku.board import Puzzle
from genoku.cli.asked import Asked
from genoku.cli.options import trusted
from genoku.cli.verdicts import proof_of
from genoku.engine.history import USUAL, Record
from genoku.engine.portfolio import run_portfolio
from genoku.engine.result import Result
from genoku.engine.run import run
from genoku.engine.warmup import NEVER, load_kernels_of
from genoku.errors import FormatError, GenokuError, PuzzleError, RecipeError, located
from genoku.formats import Entry, replacing_bytes
from genoku.preset_library import Preset, from_file, preset
from genoku.recipe import Trust, as_toml, build, changed, describe
from genoku.state import Algorithm
from genoku.stopping import Stop, Until

DIVERSITY_EVERY = 10


@dataclass(frozen=True)
class Plan:
    """What to run, as plain data that worker processes understand."""

    preset: str
    """Its name, or that of a file."""
    settings: tuple[str, ...]
    is_changed: bool
    """Whether the settings make another algorithm of it."""
    recipe: dict[str, Any]
    until: str
    seed: int
    record: Record
    allow_conflicts: bool
    prove: float | None = None
    """Seconds for the oracle on what was not solved, if it shall be asked."""

    @property
    def name(self) -> str:
        """What messages and pictures call it."""
        return f"{self.preset}, changed" if self.is_changed else self.preset

    def algorithm(self) -> Algorithm:
        return build(self.recipe, trust=True)  # it was built when it was planned

    def run(self, puzzle: Puzzle, algorithm: Algorithm, **options: Any) -> Result:
        """One run, by the plan's seed and limits where no others are given."""
        options = {
            "seed": self.seed,
            "until": self.until,
            "record": self.record,
            "allow_conflicts": self.allow_conflicts,
            **options,
        }
        return run(puzzle, algorithm, **options)

    def race(self, puzzle: Puzzle, algorithm: Algorithm, seeds: int, **options: Any) -> Result:
        """A portfolio of so many seeds from the plan's own on."""
        return run_portfolio(
            puzzle,
            algorithm,
            seeds=range(self.seed, self.seed + seeds),
            until=self.until,
            record=self.record,
            allow_conflicts=self.allow_conflicts,
            **options,
        )


def chosen(name: str | None, asked: Asked) -> Preset:
    """The preset of that name, or the recipe of a file, as it stands."""
    return preset(name or "") if asked.recipe is None else from_file(asked.recipe)


def limited(until: str, seconds: float | None) -> Until:
    """The limits in words, and `--time-limit`."""
    parsed = Until.parse(until)
    if seconds is None or math.isinf(seconds):
        return parsed
    return parsed | Until.parse(f"seconds={seconds}")


def planned(
    found: Preset,
    asked: Asked,
    seed: int,
    time_limit: float | None,
    allow_conflicts: bool,
    prove: float | None,
) -> Plan:
    """Everything about a run but its puzzle; mistakes show here, before anything is timed."""
    until = limited(_until(found, asked, time_limit), time_limit)
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
    with located(source=file or ""):
        asked_for = changed(found.recipe, asked.settings, trust)
        recipe = describe(build(asked_for, trust))
    is_changed = bool(asked.settings) and _is_other(recipe, found, trust)
    if asked.save_recipe:
        facts = {"about": found.about, "puzzle": found.puzzle_name, "until": str(until)}
        facts |= {"box": found.box} if found.box else {}
        text = as_toml({**facts, "recipe": recipe})
        try:
            with replacing_bytes(asked.save_recipe) as stream:
                stream.write(text.encode())
        except FormatError as error:
            reason = getattr(error.__cause__, "strerror", None) or error
            raise GenokuError(f"--save-recipe {asked.save_recipe}: {reason}") from error
    bound = until.time_limit
    if recipe["use"] == "exact" and bound:  # nothing else can end its only step
        recipe["seconds"] = min(bound, recipe["seconds"] or bound)
    return Plan(
        found.name,
        asked.settings,
        is_changed,
        recipe,
        str(until),
        seed,
        record,
        allow_conflicts,
        prove,
    )


def _until(found: Preset, asked: Asked, time_limit: float | None) -> str:
    """The limits that were asked for, or the preset's; `--time-limit` replaces its own seconds."""
    if asked.until is not None:
        return asked.until
    return found.until if time_limit is None else str(Until.parse(found.until).without("seconds"))


def _is_other(recipe: dict[str, Any], found: Preset, trust: Trust) -> bool:
    """Whether a recipe says anything else than a preset does."""
    try:
        return recipe != describe(build(found.recipe, trust))
    except RecipeError:  # which the settings have mended
        return True


def evolve_batch(plan: Plan, entries: list[Entry]) -> list[tuple[Entry, dict[str, Any] | str]]:
    """Every entry with its record, or with the reason why it cannot be run."""
    algorithm, until = plan.algorithm(), Until.parse(plan.until)
    load_kernels_of(algorithm, entries[0].puzzle.geometry)
    return [(entry, _record_or_refusal(plan, algorithm, until, entry)) for entry in entries]


def _record_or_refusal(
    plan: Plan, algorithm: Algorithm, until: Until, entry: Entry
) -> dict[str, Any] | str:
    clashes = [] if plan.allow_conflicts else entry.puzzle.conflicts()
    if clashes:
        return str(clashes[0])
    try:
        result = plan.run(entry.puzzle, algorithm, until=until, allow_conflicts=True)
    except PuzzleError as error:  # such as a blank without a legal digit
        return str(error)
    if result.stop_reason is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    record = record_of(result, plan.preset, entry.name, plan.settings)
    return record if plan.prove is None else {**record, "proof": proof_of(result, plan.prove)}


def record_of(
    result: Result, preset: str, puzzle_name: str, settings: tuple[str, ...] | None
) -> dict[str, Any]:
    """What `--json` prints: the fields of every preset first; no settings where none are known."""
    told = result.record()
    first = {key: told[key] for key in ("puzzle", "solution", "solved")}
    known = {} if settings is None else {"settings": list(settings)}
    record = {**first, "preset": preset, **known, **told}
    if not result.puzzle.geometry.is_default:
        record["box"] = result.puzzle.geometry.box
    return record | ({"name": puzzle_name} if puzzle_name else {})
