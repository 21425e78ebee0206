"""What two samples of report 003's runs decide: all contrasts of both readings of its elite."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reproductions.old.claims import Claim, Contrast, judged
from reproductions.old.simon.experiments import (
    CODED,
    DESCRIBED,
    HIGHER_CAP,
    ONE_BOX,
    RATES,
    SHORT,
    START,
    T2,
    T20,
    TWO_BOXES,
    VERSIONS,
    constant,
)
from reproductions.old.simon.measured import Measured

Readings = Mapping[str, Measured]
"""What was measured, by the reading of its elite."""

Tested = Mapping[tuple[str, str], Claim]
"""By reading and name, what two samples decide."""


def judge_contrasts(seen: Readings) -> Tested:
    """All contrasts of both readings, with one correction."""
    named = {
        (version, name): each
        for version, measured in seen.items()
        for name, each in contrasts(measured).items()
    }
    coded, described = (seen[version].nine[T2].best_at(SHORT) for version in VERSIONS)
    named[CODED, "cap"] = Contrast(
        "",
        "",
        "with 0.90:",
        "with 0.85:",
        (seen[CODED].nine[HIGHER_CAP].best_at(SHORT), coded),
        lower_is_better=False,
        alike=True,
    )
    named[DESCRIBED, "elite"] = Contrast(
        "The elite of its text, the best of the mutated pool, finds better boards than that of "
        "its code, the best of the old population.",
        "section B 5",
        "Best fitness with the elite of the text",
        "with that of the code",
        (described, coded),
        lower_is_better=False,
    )
    return dict(zip(named, judged(list(named.values())), strict=True))


def against(rate: float) -> str:
    """The name of the contrast of the rising rate with a constant one."""
    return f"rising against {rate:g}"


def more(rate: float) -> str:
    """The name of the contrast of a constant rate with the lowest."""
    return f"{rate:g} against {START:g}"


def contrasts(seen: Measured) -> dict[str, Contrast]:
    """All that two samples of one reading decide."""
    two, twenty = seen.nine[T2], seen.nine[T20]
    fixed = {rate: seen.nine[constant(rate)] for rate in RATES}
    varied = [np.nanmean(each.diversity[:, 1 : SHORT // 2 + 1], axis=1) for each in (twenty, two)]
    one_box, two_boxes = (seen.sixteen[name].best_at(SHORT) for name in (ONE_BOX, TWO_BOXES))
    rising = float(two.rate[:, : SHORT + 1].mean())
    return {
        "tournament": Contrast(
            "A tournament of 20 finds better boards than one of 2.",
            "table of section D",
            "Best fitness with tournament 20:",
            "with 2:",
            (twenty.best_at(SHORT), two.best_at(SHORT)),
            lower_is_better=False,
        ),
        "diversity": Contrast(
            "With the larger tournament there is much less diversity in the population.",
            "section D, run 5",
            "Mean diversity of generations 1 to 250 with tournament 20:",
            "with 2:",
            (varied[0], varied[1]),
        ),
        "mean": Contrast(
            "The rising mutation rate lowers the average fitness.",
            "section D, run 1",
            f"Mean fitness of generation 500 with the rate constant at {START:g}:",
            "with the rising one:",
            (fixed[START].mean[:, SHORT], two.mean[:, SHORT]),
            lower_is_better=False,
        ),
        **{
            against(rate): Contrast(
                "The rising mutation rate forces the population out of local optima.",
                "section B 6",
                f"Best fitness with the rising rate ({rising:.2f} on average)"
                if rate == START
                else "Rising",
                f"with {rate:g} throughout",
                (two.best_at(SHORT), each.best_at(SHORT)),
                lower_is_better=False,
            )
            for rate, each in fixed.items()
        },
        **{
            more(rate): Contrast(
                f"More mutation than the {START:g} that it starts with finds better boards, "
                "without any rise.",
                "section B 6",
                f"{'Best fitness with ' if rate == RATES[1] else ''}{rate:g} throughout",
                f"with {START:g}",
                (fixed[rate].best_at(SHORT), fixed[START].best_at(SHORT)),
                lower_is_better=False,
            )
            for rate in RATES[1:]
        },
        "boxes": Contrast(
            "That could be why the 16×16 results are slow.",
            "section D, 16 by 16",
            "Best fitness with two boxes per mutation, 12.5 % of the board:",
            "with one:",
            (two_boxes, one_box),
            lower_is_better=False,
        ),
    }
