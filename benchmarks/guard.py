"""Whether a kernel has become slower, whatever the machine: ratios to a loop, and one rule.

A kernel has regressed if its ratio is more than `LIMIT` times the expected one, and again when it
is measured a second time. Expected ratios stand in `kernels.toml`, with the processor on which they
were recorded.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.workloads import Work
from genoku.errors import GenokuError
from genoku.stream import integers, stream

FILE = Path(__file__).parent / "kernels.toml"
LIMIT = 1.6
AGAIN = 10  # times the rounds, the second time
GAPS, LARGEST_GAP = 12, 16_384  # bytes
ROUND = 1e-3  # seconds, about, of one round
# CPU time, which passes over what others do meanwhile; where it goes by ticks, the wall's.
clock = (
    time.thread_time if time.get_clock_info("thread_time").resolution < 1e-6 else time.perf_counter
)
HEADER = """\
# What kernels take, as ratios to the loops of `yardstick.py` in the same process. A kernel has
# regressed if its ratio is more than {limit} times the one here, measured twice.
# Written by: python3 run.py bench kernels --record
"""


@dataclass(frozen=True)
class Expected:
    """Ratios as they were recorded, by kernel, and where."""

    processor: str
    ratios: Mapping[str, float]

    @classmethod
    def read(cls, path: Path = FILE) -> Expected:
        try:
            facts = tomllib.loads(path.read_text("utf-8"))
            ratios = {str(name): float(ratio) for name, ratio in facts["ratios"].items()}
            return cls(str(facts["processor"]), ratios)
        except OSError as error:
            raise GenokuError(f"{path}: {error.strerror}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise GenokuError(f"{path}: expected a processor and ratios, got {error}") from None

    def text(self) -> str:
        """As `read` reads it."""
        lines = [f'processor = "{self.processor}"', "", "[ratios]"]
        lines += [f"{name} = {ratio:.3g}" for name, ratio in self.ratios.items()]
        return HEADER.format(limit=LIMIT) + "\n" + "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Verdict:
    """A kernel's ratio beside the expected one; the lower of two where it was measured twice."""

    kernel: str
    ratio: float
    expected: float | None

    @property
    def times(self) -> float | None:
        """So many times the expected ratio; None where nothing is known of the kernel."""
        return None if self.expected is None else self.ratio / self.expected

    @property
    def regressed(self) -> bool:
        return self.times is not None and self.times > LIMIT


def judged(
    kernel: str, expected: float | None, measure: Callable[[int], float], rounds: int
) -> Verdict:
    """Measure a kernel's ratio in some rounds, and in many more where it seems to have regressed.

    Whoever shares a core with us may slow some kernels more than others, for a moment.

    >>> ratios = {20: 9.0, 200: 2.0}
    >>> judged("swap", 2.0, ratios.__getitem__, rounds=20).regressed
    False
    """
    verdict = Verdict(kernel, measure(rounds), expected)
    if verdict.regressed:
        return Verdict(kernel, min(verdict.ratio, measure(AGAIN * rounds)), expected)
    return verdict


def ratio(work: Work, yardstick: Work, rounds: int) -> float:
    """What a call of `work` takes, in rounds of the yardstick.

    Rounds of both take turns, each about as long as the other; the shortest of each counts, since
    nothing makes a loop quicker than it is, and much makes it slower. Some of that depends on
    where in memory its scratch lies, to a factor of two: so every round leaves other gaps.
    """
    calls = max(1, round(ROUND / _least(work, 1, 3)))
    least, yard = float("inf"), float("inf")
    gaps: list[NDArray[np.uint8]] = []
    for number in range(rounds):
        sizes = integers(stream(number, "gaps"), LARGEST_GAP, GAPS).tolist()
        gaps = [np.empty(1 + size, np.uint8) for size in sizes]
        yard = min(yard, _least(yardstick, 1, 1))
        least = min(least, _least(work, calls, 1))
    del gaps
    return least / yard


def _least(work: Work, calls: int, rounds: int) -> float:
    """The seconds of a call, in the quickest of some rounds of them."""
    least = float("inf")
    for _ in range(rounds):
        start = clock()
        for _ in range(calls):
            work()
        least = min(least, (clock() - start) / calls)
    return least


def slowed(figures: Mapping[str, float]) -> list[str]:
    """The kernels that have regressed, in words, by the figures of a whole benchmark."""
    ends = ".times_expected"
    return [
        f"{key.removeprefix('kernels.').removesuffix(ends)} takes {times:.2g}× what is expected"
        for key, times in figures.items()
        if key.startswith("kernels.") and key.endswith(ends) and times > LIMIT
    ]
