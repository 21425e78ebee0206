"""How often intervals of the expected running time cover the true one, by simulation.

Simulates runs with a known expected running time, for several numbers of runs, success rates and
kinds of efforts. At a nominal 95 %, at least 93 % of the intervals must cover it. For the kind that
few runs cannot show, the share is only printed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.lab.statistics import Interval, ert_interval, ert_ratio_interval
from release.judging import CheckError, Seen, run_check

Floats = NDArray[np.float64]
Runs = tuple[Floats, NDArray[np.bool_]]

SIZES = (10, 20, 50, 100)
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
LEAST = 0.93
REPEATS, DRAWS = 2000, 400


class Kind(NamedTuple):
    """Efforts of one kind: runs for a number and a share of success, and the true time."""

    name: str
    runs: Callable[[np.random.Generator, int, float], Runs]
    truth: Callable[[float], float]
    promised: bool = True


def stop_at_limit(
    times: Callable[[np.random.Generator, int], Floats], limit: Callable[[float], float]
) -> Callable[[np.random.Generator, int, float], Runs]:
    """Return runs that are solved in time, or stopped at the limit that gives this success rate."""

    def runs(draws: np.random.Generator, count: int, share: float) -> Runs:
        end, drawn = limit(share), times(draws, count)
        return np.minimum(drawn, end), drawn <= end

    return runs


def steady(draws: np.random.Generator, count: int, share: float) -> Runs:
    """Solutions after about 1, and failures stopped at 2."""
    solved = draws.random(count) < share
    return np.where(solved, np.clip(draws.normal(1, 0.2, count), 0.1, None), 2.0), solved


def given_up(draws: np.random.Generator, count: int, share: float) -> Runs:
    """Runs that end by themselves at any time, solved or stuck."""
    return draws.exponential(1, count), draws.random(count) < share


def mostly_quick(draws: np.random.Generator, count: int, share: float) -> Runs:
    """Return runs of which one in ten takes ten times as long."""
    slow = np.where(draws.random(count) < 0.1, 10, 1)
    return slow * draws.exponential(1, count), draws.random(count) < share


def tries(share: float) -> float:
    """How many tries of 1 in 20 leave so many solved, as nearly as whole ones can."""
    return math.inf if share == 1 else max(1, round(math.log(1 - share) / math.log(0.95)))


def lognormal_time(share: float) -> float:
    """E(min(T, limit)) / share for T = exp(normal)."""
    if share == 1:
        return math.exp(0.5)
    normal = NormalDist()
    z = normal.inv_cdf(share)
    return (math.exp(0.5) * normal.cdf(z - 1) + (1 - share) * math.exp(z)) / share


KINDS = (
    Kind(
        "exponential",
        stop_at_limit(
            lambda draws, count: draws.exponential(1, count),
            lambda share: math.inf if share == 1 else -math.log(1 - share),
        ),
        lambda share: 1.0,
    ),
    Kind(
        "geometric",
        stop_at_limit(lambda draws, count: draws.geometric(0.05, count).astype(np.float64), tries),
        lambda share: 20.0,
    ),
    Kind("steady, stopped at a limit", steady, lambda share: (2 - share) / share),
    Kind("exponential, given up", given_up, lambda share: 1 / share),
    Kind(
        "lognormal",
        stop_at_limit(
            lambda draws, count: draws.lognormal(0, 1, count),
            lambda share: math.inf if share == 1 else math.exp(NormalDist().inv_cdf(share)),
        ),
        lognormal_time,
    ),
    Kind("one in ten takes ten times as long", mostly_quick, lambda share: 1.9 / share, False),
)


def covered(
    kind: Kind,
    count: int,
    share: float,
    interval: Callable[[Runs, Runs, int], Interval],
    truth: float,
    repeats: int,
) -> float:
    """Return the share of intervals that cover the truth; each gets two samples."""
    draws = np.random.default_rng(2026)
    held = 0
    for seed in range(repeats):
        low, high = interval(kind.runs(draws, count, share), kind.runs(draws, count, share), seed)
        held += low <= truth <= high
    return held / repeats


def of_one(runs: Runs, _other: Runs, seed: int) -> Interval:
    return ert_interval(*runs, resamples=DRAWS, seed=seed)


def of_two(one: Runs, other: Runs, seed: int) -> Interval:
    return ert_ratio_interval((one, other), resamples=DRAWS, seed=seed)


def main(arguments: list[str]) -> int:
    """Simulate 2,000 samples for every cell, or another number."""
    if len(arguments) > 1 or not all(word.isdigit() and int(word) for word in arguments):
        print(f"expected a number of samples, got {' '.join(arguments)!r}", file=sys.stderr)
        return 2
    repeats = int(arguments[0]) if arguments else REPEATS
    return run_check("coverage", lambda _folder: look(repeats), arguments)


def look(repeats: int) -> Seen:
    """Print the shares of intervals that cover the truth, and the lowest of those required."""
    noise = 2 * math.sqrt(LEAST * (1 - LEAST) / repeats)
    worst, promised = {}, []
    for kind in KINDS:
        for what, interval in (("", of_one), (", ratio of two", of_two)):
            name = kind.name + what
            print(f"{name}\n  runs  " + "".join(f"{100 * share:5.0f} %" for share in SHARES))
            shares = []
            for count in SIZES:
                row = [
                    covered(
                        kind, count, share, interval, 1.0 if what else kind.truth(share), repeats
                    )
                    for share in SHARES
                ]
                print(f"  {count:4}  " + "".join(f"{each:7.3f}" for each in row), flush=True)
                shares += row
            worst[name] = min(shares)
            promised += shares if kind.promised else []
    said = "; ".join(f"{name}: {each:.3f} or more" for name, each in worst.items())
    if min(promised) < LEAST - noise:
        raise CheckError(f"expected {LEAST} of intervals or more to hold the true time, got {said}")
    return Seen(f"of nominal 95 % {said}")
