"""What `genoku tune` says at its end: the parameters side by side, the validation, a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from genoku.cli.tables import print_sentence, print_table
from genoku.words import duration, plural, rounded

if TYPE_CHECKING:
    from genoku.lab.tune import Found, Tuning, Validation


def print_tuned(tuning: Tuning, found: Found, validation: Validation | None) -> None:
    """The parameters side by side, the validation, and a verdict."""
    from genoku.lab.tune.space import value_at, written

    if validation is None:
        click.echo(
            f"None of {plural(found.trials, 'trial')} did better than {tuning.name} itself "
            f"({found.value:.4g}): nothing is changed."
        )
        return
    rows = []
    for key, value in found.values.items():
        before = value_at(tuning.recipe, key)
        was = "" if before is None else _short(written(before))
        now = _short(written(value))
        rows.append((key, was, now if now != was else "the same"))
    print_table(("parameter", tuning.name, "tuned"), rows)
    click.echo("")
    print_table(
        (
            "on isomorphs" if validation.isomorphs else "on fresh puzzles",
            "solved",
            "95 % interval",
            "worth",
            "evaluations",
            "CPU time",
        ),
        [
            _validation_row(name, runs, share)
            for name, runs, share in zip(
                (tuning.name, "tuned"),
                (validation.before, validation.after),
                validation.solved,
                strict=True,
            )
        ],
    )
    click.echo("")
    print_sentence(validation.sentence())
    print_sentence(
        "Worth is the mean, lower is better; evaluations and CPU time are medians of a run."
    )


def _validation_row(name: str, runs: Sequence[Any], solved: Any) -> tuple[str, ...]:
    from statistics import fmean, median

    low, high = solved.wilson()
    return (
        name,
        f"{solved.successes} of {solved.runs}",
        f"{100 * low:.0f} to {100 * high:.0f} %",
        f"{fmean(run.value for run in runs):.3f}",
        rounded(median(run.evaluations for run in runs)),
        duration(median(run.cpu_seconds for run in runs)),
    )


def _short(text: str) -> str:
    """A number as a person would write it; other values as they are."""
    try:
        return text if text.lstrip("-").isdigit() else f"{float(text):.4g}"
    except ValueError:
        return text


def told_tuned(
    tuning: Tuning, found: Found, validation: Validation | None, output: str, store: str
) -> dict[str, Any]:
    """All of it, as JSON has it."""
    facts: dict[str, Any] = {
        "preset": tuning.name,
        "seed": tuning.seed,
        "until": tuning.until,
        "space": list(tuning.space),
        "trials": found.trials,
        "given_up": found.given_up,
        "refused": found.refused,
        "best": {"value": found.value, "parameters": found.values, "recipe": found.recipe},
        "preset_value": found.at_first,
        "validation": None,
        "written": output,
        "store": store,
    }
    if validation is not None:
        before, after = validation.solved
        facts["validation"] = {
            "verdict": validation.verdict,
            "sentence": validation.sentence(),
            "p": validation.test.p,
            "a12": validation.effect.a12,
            "pairs": len(validation.before),
            "puzzles": "isomorphs" if validation.isomorphs else "fresh",
            "solved": {"preset": before.successes, "tuned": after.successes},
            "unsearched": dict(zip(("preset", "tuned"), validation.unsearched, strict=True)),
        }
    return facts
