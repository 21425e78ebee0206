"""What report 000 calls quick and stable, which its charts show and no number says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from genoku.words import plural
from reproductions.old.claims import Claim, median_interval, within
from reproductions.old.poderosas.experiments import PUBLISHED, READABLE, Model, Setting
from reproductions.old.poderosas.measured import Measured
from reproductions.old.poderosas.reading import on_puzzles, over_readings
from reproductions.old.words import interval_words

QUICK: int = PUBLISHED["values"]["easy_after"]
"""Generations after which most configurations of Figure 12 are high, which it calls quick."""


def quick(
    text: str, where: str, runs: Measured, model: Model, setting: Setting, puzzle: str
) -> Claim:
    """The claim of "quick convergence": near its best, as a chart shows it, by then."""
    return over_readings(
        f"{text} (within {READABLE:g} of its best by generation {QUICK}, as we read it).",
        where,
        runs,
        lambda read: is_quick(read, model, setting, puzzle),
        easy=puzzle == "easy",
    )


def is_quick(read: Measured, model: Model, setting: Setting, puzzle: str) -> Claim:
    arrived = read.arrived(model, setting, puzzle)
    interval = median_interval(arrived)
    return Claim(
        "",
        "",
        within(interval, high=QUICK),
        f"{puzzle.capitalize()}: there in generation {np.median(arrived):.0f} (median of "
        f"{plural(len(arrived), 'run')}; {interval_words(interval, '.0f')}).",
    )


def stable(
    text: str, where: str, runs: Measured, model: Model, setting: Setting, puzzles: Sequence[str]
) -> Claim:
    """The claim of "minimal fluctuations" after the peak: less than a chart shows."""
    return on_puzzles(
        f"{text} after its peak (its best fitness then stays within {READABLE:g}, as we read "
        "“minimal fluctuations”).",
        where,
        puzzles,
        runs,
        lambda read: [is_stable(read, model, setting, puzzle) for puzzle in puzzles],
    )


def is_stable(read: Measured, model: Model, setting: Setting, puzzle: str) -> Claim:
    swing = read.swing(model, setting, puzzle)
    interval = median_interval(swing)
    return Claim(
        "",
        "",
        within(interval, high=READABLE),
        f"{puzzle.capitalize()}: range after the peak {np.median(swing):.4f} (median of "
        f"{plural(len(swing), 'run')}; {interval_words(interval, '.4f')}); "
        f"{100 * np.mean(swing <= READABLE):.0f} % of the runs stay within {READABLE:g}.",
    )
