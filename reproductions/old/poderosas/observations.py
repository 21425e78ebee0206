"""What our runs and its own text say beside the claims of report 000."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from reproductions.old.claims import Claim, Contrast, all_of, fact, judged
from reproductions.old.poderosas.conclusions import better_than_at_first
from reproductions.old.poderosas.experiments import (
    BASE,
    DECLARED_BEST,
    GENTLER,
    INVERTED,
    PERMUTED,
    PRINTED,
    PUZZLES,
    TOURNAMENTS,
    Wish,
    winners,
)
from reproductions.old.poderosas.measured import Measured
from reproductions.old.poderosas.printed import unsolvable
from reproductions.old.poderosas.reading import best_on_puzzles, over_readings
from reproductions.old.poderosas.verdicts import prefers

SOLVABLE = PUZZLES[1:]
OTHERS = ("roulette", "rank")


def observations(runs: Measured, wishes: Measured) -> tuple[Claim, ...]:
    return (
        unsolvable(),
        _named_best(),
        best_on_puzzles(
            "Among the nine tournament models alone, single point with row swap is the best.",
            "section 8 says: of all",
            PRINTED,
            runs,
            str(DECLARED_BEST),
            lambda read, puzzle: {
                str(model): read.finals(model, BASE, puzzle) for model in TOURNAMENTS
            },
            ranked=False,
        ),
        *_rates(runs),
        *(
            better_than_at_first(
                f"With {selection} selection too the last population is better than the first.",
                "section 9 says it of the algorithm",
                runs,
                selection,
            )
            for selection in OTHERS
        ),
        _alternating(runs),
        *_wishes(runs, wishes),
    )


def _named_best() -> Claim:
    own = [model for _, puzzles, model, *_ in winners() for _ in puzzles]
    agreeing = own.count(DECLARED_BEST)
    return fact(
        "Most of its experiments name another best model than its section 8.",
        "sections 7 and 8",
        holds=2 * agreeing < len(own),
        because=f"They name a best model for {len(own)} puzzles and settings, and {DECLARED_BEST} "
        f"for {agreeing} of them; the others are "
        f"{'; '.join(sorted({str(each) for each in own if each != DECLARED_BEST}))}.",
    )


def _rates(runs: Measured) -> Iterator[Claim]:
    """What section 5 says of rates, with the selections that experiment 3 sets aside."""
    for (text, puzzle, pair), selection in product(
        (
            ("A low mutation rate is preferable on the easy puzzle", "easy", (GENTLER, BASE)),
            ("A high mutation rate helps on the difficult puzzle", "difficult-21", (BASE, GENTLER)),
        ),
        OTHERS,
    ):
        yield over_readings(
            f"{text} with {selection} selection too.",
            "section 5 says it of any",
            runs,
            partial(prefers, selection=selection, puzzle=puzzle, pair=pair),
            easy=puzzle == "easy",
            ranked=selection == "rank",
        )


def _alternating(runs: Measured) -> Claim:
    """How often the best fitness swings between two values: it is the reading of the swap."""
    shares = {}
    for swap in ("redraw", "skip"):
        read = runs.under(runs.reading._replace(swap=swap))
        shares[swap] = read.alternating(TOURNAMENTS, BASE, "easy").mean()
    said = ", ".join(f"{swap} {100 * share:.0f} %" for swap, share in shares.items())
    return fact(
        "Skipping the swap in units with fewer than two blanks stops the swinging between "
        "generations.",
        "“minimal fluctuations”",
        holds=shares["skip"] < shares["redraw"] / 2,
        because="Tournament runs of experiment 1 on the easy puzzle whose best fitness goes to and "
        f"fro between two values until the end: {said}.",
    )


def _wishes(runs: Measured, wishes: Measured) -> Iterator[Claim]:
    where = "section 9, a wish"
    yield _better(
        "Inversion in place of swap gives better fitness (mean of nine tournament models).",
        where,
        [
            (
                f"{puzzle.capitalize()}: inversion",
                _mean(wishes, INVERTED, puzzle),
                "swap",
                runs.mean_of(TOURNAMENTS, BASE, puzzle),
            )
            for puzzle in SOLVABLE
        ],
    )
    for unit in ("row", "column"):
        own, matched = (
            [each for each in PERMUTED if each.unit == unit and each.crossover == crossover]
            for crossover in (unit, "pmx")
        )
        yield _better(
            f"Partially matched crossover is better than {unit} crossover where every {unit} is a "
            "permutation, which it requires (mean with swap and with inversion).",
            where,
            [
                (
                    f"{puzzle.capitalize()}: PMX",
                    _mean(wishes, matched, puzzle),
                    f"{unit} crossover",
                    _mean(wishes, own, puzzle),
                )
                for puzzle in SOLVABLE
            ],
        )


def _mean(wishes: Measured, chosen: Sequence[Wish], puzzle: str) -> NDArray[np.float64]:
    means: NDArray[np.float64] = np.mean(
        [wishes.curves[str(each), puzzle][:, -1] for each in chosen], axis=0
    )
    return means


def _better(
    text: str,
    where: str,
    pairs: Sequence[tuple[str, NDArray[np.float64], str, NDArray[np.float64]]],
) -> Claim:
    contrasts = [
        Contrast("", "", one, two, (first, second), lower_is_better=False, counted="seed")
        for one, first, two, second in pairs
    ]
    return all_of(text, where, judged(contrasts))
