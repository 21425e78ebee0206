"""Verdicts of report 000 under every reading of what it leaves open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from reproductions.old.claims import Claim, across_readings, all_of
from reproductions.old.poderosas.experiments import Reading, readings
from reproductions.old.poderosas.measured import Measured
from reproductions.old.rules import best_of

Samples = Mapping[str, np.ndarray]


def over_readings(
    text: str,
    where: str,
    runs: Measured,
    judge: Callable[[Measured], Claim],
    *,
    easy: bool,
    ranked: bool = False,
) -> Claim:
    """A claim judged under every reading that matters to it, and the verdict they share."""
    return on_puzzles(
        text, where, ["easy" if easy else ""], runs, lambda each: [judge(each)], ranked=ranked
    )


def on_puzzles(
    text: str,
    where: str,
    puzzles: Sequence[str],
    runs: Measured,
    judge: Callable[[Measured], Sequence[Claim]],
    *,
    ranked: bool = False,
) -> Claim:
    """A claim about several puzzles: `judge` gives a verdict on each, one family of tests."""
    tried = readings(easy="easy" in puzzles, ranked=ranked)
    found = {reading: judge(runs.under(reading)) for reading in tried}
    parts = []
    for place, puzzle in enumerate(puzzles):
        own = readings(easy=puzzle == "easy", ranked=ranked)
        named = {_name(each, own): found[each][place] for each in own}
        parts.append(
            next(iter(named.values())) if len(own) == 1 else across_readings("", "", named)
        )
    return all_of(text, where, parts)


def _name(reading: Reading, among: Sequence[Reading]) -> str:
    """What a reading says where those that it is one of differ."""
    swap = reading.swap if len({each.swap for each in among}) > 1 else ""
    rank = f"{reading.rank} rank" if len({each.rank for each in among}) > 1 else ""
    return ", ".join(filter(None, (swap, rank)))


def best_on_puzzles(
    text: str,
    where: str,
    puzzles: Sequence[str],
    runs: Measured,
    name: str,
    samples: Callable[[Measured, str], Samples],
    *,
    ranked: bool,
) -> Claim:
    """The claim that a model is the best, and what happens to it without rank models."""

    def judge(read: Measured) -> list[Claim]:
        return [_brief(puzzle, name, samples(read, puzzle)) for puzzle in puzzles]

    def without(read: Measured) -> list[Claim]:
        few = [
            {
                each: values
                for each, values in samples(read, puzzle).items()
                if not each.startswith("rank,")
            }
            for puzzle in puzzles
        ]
        return [_brief(*each) for each in zip(puzzles, [name] * len(few), few, strict=True)]

    claim = on_puzzles(text, where, puzzles, runs, judge, ranked=ranked)
    if not ranked:
        return claim
    fewer = on_puzzles("", "", puzzles, runs, without)
    more = f" **Without the rank models it {_VERBS[fewer.verdict]}.** {fewer.because}"
    return replace(claim, because=claim.because + more)


_VERBS = {"holds": "holds", "fails": "fails", "undecided": "is undecided"}


def _brief(puzzle: str, name: str, samples: Samples) -> Claim:
    """The verdict with its counts alone: tables of the page have the rest."""
    claim = best_of("", "", name, samples, lower_is_better=False)
    _, named, counts = claim.because.partition(f"{name}: ")
    said = f"{counts.partition(' (Mann')[0]}." if named else claim.because
    return replace(claim, because=f"{puzzle.capitalize()}: {said}")
