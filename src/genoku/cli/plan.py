"""What an evolution is to run: a preset or a recipe with its settings, as plain data."""

from __future__ import annotations

import math
import sys
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from genoku import collection
from genoku.cli.asked import Asked
from genoku.errors import RecipeError
from genoku.formats import Entry
from genoku.history import USUAL, Record
from genoku.loop import run
from genoku.presets import Preset, preset
from genoku.recipe import as_toml, build, changed, describe
from genoku.result import Result
from genoku.state import Algorithm
from genoku.stopping import Until

PRESET_KEYS = ("name", "report", "about", "puzzle", "until", "left_open", "differs", "recipe")
NEVER = 2**31  # a stride that records the first row and no other
DIVERSITY_EVERY = 10


@dataclass(frozen=True)
class Plan:
    """What to run, as plain data that worker processes understand."""

    name: str
    recipe: dict[str, Any]
    until: str
    seed: int
    record: Record
    allow_conflicts: bool

    def algorithm(self) -> Algorithm:
        return build(self.recipe)

    def run(self, entry: Entry, **options: Any) -> Result:
        return run(
            entry.puzzle,
            self.algorithm(),
            seed=self.seed,
            until=self.until,
            record=self.record,
            allow_conflicts=self.allow_conflicts,
            **options,
        )


def chosen(name: str | None, asked: Asked) -> Preset:
    """The preset of that name, or the recipe of a file, with its settings."""
    with_own_parts()
    found = from_file(asked.recipe) if asked.recipe else preset(name or "")
    return replace(found, recipe=changed(found.recipe, asked.settings))


def with_own_parts() -> None:
    """Let recipes name parts of modules in the folder where the command is called."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, so that nothing there hides a module of Python


def from_file(path: str) -> Preset:
    """A recipe of one's own: a file like those of the presets, or the recipe alone."""
    try:
        facts: dict[str, Any] = tomllib.loads(Path(path).read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: expected TOML: {error}") from None
    if "use" in facts:
        facts = {"recipe": facts}
    if "recipe" not in facts:
        raise RecipeError(f'{path}: expected a table [recipe], or use = "genetic" and its parts')
    for key, value in facts.items():
        if key not in PRESET_KEYS:
            raise RecipeError(f"{path}: expected keys among {', '.join(PRESET_KEYS)}, got {key!r}")
        if key in ("about", "puzzle", "until") and not isinstance(value, str):
            raise RecipeError(f"{path}: expected text as {key}, got {value!r}")
    found = Preset(
        name=Path(path).stem,
        report="",
        about=facts.get("about", ""),
        puzzle_name=facts.get("puzzle", collection.DEFAULT),
        until=facts.get("until", "generations=1000"),
        left_open=(),
        differs=(),
        recipe=facts["recipe"],
    )
    try:
        found.puzzle  # noqa: B018 (there may be none of that name)
    except (KeyError, ValueError):
        raise RecipeError(
            f"{path}: expected the name of a bundled puzzle, or empty 9, got {found.puzzle_name!r}"
        ) from None
    return found


def limited(until: str, seconds: float | None) -> Until:
    """The limits in words, and `--time-limit`."""
    parsed = Until.parse(until)
    if seconds is None or math.isinf(seconds):
        return parsed
    return parsed | Until.parse(f"seconds={seconds}")


def planned(
    found: Preset, asked: Asked, seed: int, time_limit: float | None, allow_conflicts: bool
) -> Plan:
    """Everything about a run but its puzzle; mistakes show here, before anything is timed."""
    until = limited(found.until if asked.until is None else asked.until, time_limit)
    kept = bool(asked.history or asked.plot or asked.checkpoint)
    record = Record(
        fields=USUAL if kept else ("gen",),
        every=asked.record_every or (1 if kept else NEVER),
        diversity_every=DIVERSITY_EVERY,
        individuals=asked.individuals is not None,
        lineage=asked.lineage is not None,
    )
    recipe = describe(build(found.recipe))
    if asked.save_recipe:
        facts = {"about": found.about, "puzzle": found.puzzle_name, "until": str(until)}
        text = as_toml({**facts, "recipe": recipe})
        Path(asked.save_recipe).write_text(text, encoding="utf-8")
    return Plan(found.name, recipe, str(until), seed, record, allow_conflicts)


def evolve_batch(plan: Plan, entries: list[Entry]) -> list[tuple[Entry, dict[str, Any] | None]]:
    """Every entry with its record, None where givens clash."""
    records: list[tuple[Entry, dict[str, Any] | None]] = []
    for entry in entries:
        if not plan.allow_conflicts and entry.puzzle.conflicts():
            records.append((entry, None))
            continue
        result = plan.run(entry)
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt
        records.append((entry, record_of(result, plan.name, entry.name)))
    return records


def record_of(result: Result, name: str, puzzle_name: str) -> dict[str, Any]:
    """What `--json` prints: the fields of every preset first."""
    told = result.record()
    first = {key: told[key] for key in ("puzzle", "solution", "solved")}
    record = {**first, "preset": name, **told}
    if not result.puzzle.geometry.is_default:
        record["box"] = result.puzzle.geometry.box
    return record | ({"name": puzzle_name} if puzzle_name else {})
