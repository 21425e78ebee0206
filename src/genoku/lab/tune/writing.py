"""A tuned recipe as a preset file, with where it comes from and what it was shown to be worth."""

from __future__ import annotations

import json
from typing import Any

from genoku import __version__
from genoku.lab.tune.search import Found, Tuning
from genoku.lab.tune.space import written
from genoku.lab.tune.validation import Validation
from genoku.recipe import as_toml

MARKS = {
    "better": "tuned, and better",
    "open": "tuned, but NOT shown to be better",
    "worse": "tuned, but WORSE",
}


def tuned_preset(
    tuning: Tuning, found: Found, validation: Validation | None, puzzle_name: str
) -> str:
    """TOML that `genoku solve --recipe` reads; without a validation it is the recipe as it was."""
    told = provenance(tuning, found, validation)
    mark = "NOT tuned: nothing better was found"
    if validation is not None:
        mark = f"{MARKS[validation.verdict]} on {validation.puzzles}{validation.reach}"
    facts: dict[str, Any] = {
        "report": f"genoku's own: {tuning.name}, tuned by genoku tune",
        "about": f"{tuning.name}, {mark}",
        "puzzle": puzzle_name,
        "until": tuning.until,
    }
    lines = [f"    {json.dumps(each, ensure_ascii=False)},\n" for each in told]
    listed = f"left_open = [\n{''.join(lines)}]\n"
    return f"{as_toml(facts)}{listed}{as_toml({'recipe': found.recipe})}"


def provenance(tuning: Tuning, found: Found, validation: Validation | None) -> list[str]:
    """How it came about, in sentences."""
    values = ", ".join(f"{key}={written(value)}" for key, value in found.values.items())
    at_first = "" if found.at_first is None else f", and {tuning.name} itself {found.at_first:.4g}"
    lines = [
        f"Tuned from {tuning.name} by genoku {__version__}, seed {tuning.seed}: "
        f"{found.trials} trials on {len(tuning.instances)} instances, until {tuning.until}.",
        f"The best trial is worth {found.value:.4g}{at_first} (log10 of the share of the budget; "
        "an unsolved run counts 1 + its loss).",
        f"Searched: {', '.join(tuning.space)}.",
    ]
    if validation is None:
        return [*lines, f"No trial did better than {tuning.name} itself, which this is."]
    before, after = validation.solved
    return [
        *lines,
        f"Found: {values}.",
        f"{validation.sentence()} Solved: {after}, {tuning.name} itself {before}.",
    ]
