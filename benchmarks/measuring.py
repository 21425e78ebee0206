"""Shared by the sections: facts of the machine, CPU seconds, repetitions in turns, medians."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median, quantiles, stdev
from typing import TypeVar

from genoku import __version__
from genoku.runtime.workers import cores

Measured = TypeVar("Measured")

SEED = 1
"""Of the single benchmarks."""

PACKAGES = ("numpy", "numba", "python-sat")
"""Those that our figures depend on."""


def machine() -> dict[str, str]:
    """Return what figures depend on, by name: the date, the processor, the versions."""
    return {
        "date": date.today().isoformat(),
        "CPU": processor(),
        "cores": str(cores()),
        "system": f"{platform.system()} {platform.machine()}",
        "genoku": __version__,
        "Python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }


def machine_text() -> str:
    """Return the same as a line, with the seed of the single benchmarks."""
    facts = machine()
    known = (f"{name} {facts[name]}" for name in ("Python", *PACKAGES))
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{facts['CPU']}, {facts['cores']} cores{load}; {', '.join(known)}; seed {SEED}"


def processor() -> str:
    """Return the name of the processor, if the system provides it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        named = (line for line in info.read_text().splitlines() if line.startswith("model name"))
        name = next(named, ":").split(":", 1)[1].strip()
    elif platform.system() == "Darwin":
        asked = ["sysctl", "-n", "machdep.cpu.brand_string"]
        name = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    else:
        name = platform.processor()
    return name or platform.machine()


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of this process for some work."""
    start = time.process_time()
    work()
    return time.process_time() - start


@dataclass(frozen=True)
class Spread:
    """The median of repeated measurements, and their quartiles."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Compute the median and the quartiles; for a single value they are equal.

        >>> Spread.of([3, 1, 2])
        Spread(median=2, low=1.5, high=2.5, count=3)
        """
        if len(values) == 1:
            return cls(values[0], values[0], values[0], 1)
        low, _, high = quantiles(values, n=4, method="inclusive")
        return cls(median(values), low, high, len(values))


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean; 0 for a single value."""
    return stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0


def mean_text(values: Sequence[float]) -> str:
    """Format the mean with its standard error.

    >>> mean_text([20, 22, 24])
    '22.0 ± 1.2'
    """
    error = f" ± {standard_error(values):.1f}" if len(values) > 1 else ""
    return f"{mean(values):.1f}{error}"


def in_turns(
    contenders: Mapping[str, Callable[[int], Measured]], repeats: int
) -> Iterator[tuple[str, int, Measured]]:
    """Run one repetition of each, then again; yield name, repetition from 0, and result.

    Other load slows all of them alike; the order rotates, so that none always follows the
    same one.
    """
    names = list(contenders)
    for repeat in range(repeats):
        first = repeat % len(names)
        for name in names[first:] + names[:first]:
            yield name, repeat, contenders[name](repeat)


class Bars:
    """Compares figures with targets, and remembers those that were missed."""

    def __init__(self) -> None:
        self.missed: list[str] = []
        self.met = 0

    def least(self, name: str, value: float, bar: float) -> str:
        return self._judged(name, value >= bar, f"≥ {bar:g}")

    def most(self, name: str, value: float, bar: float) -> str:
        return self._judged(name, value <= bar, f"≤ {bar:g}")

    def _judged(self, name: str, met: bool, bar: str) -> str:
        if met:
            self.met += 1
            return f"bar {bar}: met"
        self.missed.append(name)
        return f"bar {bar}: MISSED"

    def __str__(self) -> str:
        missed = f", {len(self.missed)} missed: {', '.join(self.missed)}" if self.missed else ""
        return f"bars: {self.met} met{missed}"
