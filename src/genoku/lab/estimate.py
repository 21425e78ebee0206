"""Estimate the time and disk space of a study from short pilot runs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.evolve.recipe import Trust
from genoku.evolve.state import as_search
from genoku.evolve.stopping import CLOCKS, WORDS, Limit, Stop, Until
from genoku.lab.runner import InlineExecutor, make_runs, suspect_parts
from genoku.lab.store import Failure, Row, RunOutcome, Store
from genoku.lab.study import Arm, PlannedRun, Study
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import permutation, stream
from genoku.runtime.workers import cores

PILOT_SECONDS = 6.0  # of all pilot runs; at most one for a pair of algorithm and puzzle
PATIENCE = 3  # times `PILOT_SECONDS`, loading kernels included, after which no run is started
SHORTEST = 0.01  # seconds of a pilot run
MOST_PAIRS = 40
MOST_SEEDS = 5  # of a pair whose runs end soon
ROW_BYTES = 150  # of a run's numbers, texts, key and index, without its board and history
STORE_BYTES = 45_000  # of a store without runs

Table = NDArray[np.float64]


class Amount(NamedTuple):
    """An estimate, and an upper bound, which may be infinite."""

    about: float
    most: float


@dataclass(frozen=True)
class Estimate:
    """What a study takes; amounts are None if every pilot run failed."""

    runs: int
    cores: int  # of this machine
    cpu: Amount | None  # seconds of all runs
    disk: Amount | None  # bytes of the store
    per_run: tuple[Amount | None, ...]  # CPU seconds, per arm; None for arms without a pilot run
    pilots: int  # runs
    pairs: int  # of algorithm and puzzle among them
    failures: tuple[str, ...]  # messages of pilot runs that failed

    @property
    def wall(self) -> Amount | None:
        """Seconds with all cores in use."""
        busy = min(self.cores, self.runs)
        return self.cpu and Amount(self.cpu.about / busy, self.cpu.most / busy)


class RunEstimate(NamedTuple):
    """What a complete run takes, in seconds and bytes, estimated from a pilot run."""

    about: float
    most: float
    bytes_about: float
    bytes_most: float


class PilotTime:
    """Seconds left for pilot runs; loading kernels does not count, but is limited as well."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self._end = time.perf_counter() + PATIENCE * seconds

    @property
    def is_over(self) -> bool:
        return self.left <= 0 or time.perf_counter() > self._end

    @contextmanager
    def measure(self) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.left -= time.perf_counter() - started


def estimate(
    study: Study, seconds: float = PILOT_SECONDS, *, executor: Executor | None = None
) -> Estimate:
    """Make pilot runs of a study for about `seconds`, and estimate what all runs will take.

    The time to load or compile kernels is additional. Runs are made in this process, or by an
    executor, whose worker may crash in users' own code.
    """
    worker = executor or InlineExecutor()
    pairs = _sample(study)
    found: dict[tuple[int, int], list[RunEstimate]] = {}
    failures: list[str] = []
    time_left = PilotTime(seconds)
    for arm, instance in pairs:
        share = min(1.0, seconds / len(pairs))
        for whole in _pilot_runs(study, arm, instance, share, time_left, worker):
            if isinstance(whole, str):
                failures.append(whole)
            else:
                found.setdefault((arm, instance), []).append(whole)
        if time_left.is_over:
            break
    cpu = disk = None
    per_run: list[Amount | None] = [None] * len(study.arms)
    if found:
        means_of = {pair: np.mean(runs, axis=0) for pair, runs in found.items()}
        about, most, bytes_about, bytes_most = (
            _fill_unknown(study, {pair: float(means[field]) for pair, means in means_of.items()})
            for field in range(len(RunEstimate._fields))
        )
        seeds, base = len(study.seeds), STORE_BYTES + 2 * len(study.text())
        cpu = Amount(seeds * float(about.sum()), seeds * float(most.sum()))
        disk = Amount(*(base + seeds * float(each.sum()) for each in (bytes_about, bytes_most)))
        for arm in {arm for arm, _ in found}:
            per_run[arm] = Amount(float(about[arm].mean()), float(most[arm].mean()))
    pilots, messages = sum(map(len, found.values())), tuple(dict.fromkeys(failures))
    return Estimate(len(study), cores(), cpu, disk, tuple(per_run), pilots, len(found), messages)


def count_done(store: Store, study: Study) -> int:
    """Count the runs of a study that are already stored."""
    done = store.done()
    return sum(key in done for key in study.keys(study.runs()))


def _sample(study: Study) -> list[tuple[int, int]]:
    """Choose pairs: every algorithm on every size of board first, then on other puzzles."""
    sizes: dict[Geometry, list[int]] = {}
    for place, instance in enumerate(study.instances):
        sizes.setdefault(instance.puzzle.geometry, []).append(place)
    chosen: list[tuple[int, int]] = []
    for turn in range(max(map(len, sizes.values()))):
        pairs = [
            (arm, members[(arm + turn) % len(members)])
            for members in sizes.values()
            if turn < len(members)
            for arm in range(len(study.arms))
        ]
        # In random order, so that all parts of a grid are represented
        order = permutation(stream(turn, "pilot"), len(pairs))
        chosen += [pairs[place] for place in order.tolist()]
        if len(chosen) >= MOST_PAIRS:
            break
    return chosen[:MOST_PAIRS]


def _pilot_runs(
    study: Study, arm: int, instance: int, seconds: float, time_left: PilotTime, worker: Executor
) -> Iterator[RunEstimate | str]:
    """Make pilot runs of a pair, with more seeds while they end soon; or yield an error message."""
    budget, puzzle = study.arms[arm], study.instances[instance]
    end = time_left.left - seconds

    def attempt(seed: int, until: str) -> tuple[RunOutcome, float]:
        arms, planned = (replace(budget, until=until),), PlannedRun(0, 0, seed)
        one = replace(study, arms=arms, instances=(puzzle,), seeds=(seed,))
        try:
            return worker.submit(_time_run, one.text(), planned, one.trust).result()
        except BrokenExecutor as died:
            return Failure(study.key(planned), *planned, f"{suspect_parts(budget)}: {died}"), 0.0

    for seed in study.seeds[:MOST_SEEDS]:
        cut = Limit("seconds", round(max(SHORTEST, min(time_left.left - end, time_left.left)), 3))
        first, _ = attempt(seed, "steps=0")  # loads the kernels
        row = first
        if isinstance(first, Row):
            with time_left.measure():
                _, spent = attempt(seed, "steps=0")
                row, _ = attempt(seed, f"{budget.until} or {cut}")
            if isinstance(row, Row):
                yield extrapolate(study, budget, (first, spent), row, cut)
        if isinstance(row, Failure):
            yield f"{budget.name} on {puzzle.name}: {row.message}"
            return
        if time_left.left - end < seconds / 10 or time_left.is_over:
            return


def _time_run(text: str, planned: PlannedRun, trust: Trust) -> tuple[RunOutcome, float]:
    before = time.process_time()
    (outcome,) = make_runs(text, [planned], trust=trust)
    return outcome, time.process_time() - before


def extrapolate(
    study: Study, arm: Arm, start: tuple[Row, float], row: Row, cut: Limit
) -> RunEstimate:
    """Estimate what a complete run would take at the speed of a pilot run."""
    first, spent = start
    stepping = max(0.0, row.cpu_seconds - first.cpu_seconds)
    ended = row.stop_reason not in (str(cut), Stop.TIME_LIMIT)
    most = seconds_to_budget(Until.parse(arm.until), first, row, stepping)
    if ended and not (row.steps and as_search(arm.algorithm()).is_random):
        most = stepping  # deterministic, or solved before the first step
    about = stepping if ended else most if math.isfinite(most) else stepping
    size = ROW_BYTES + len(row.board) + len(row.history)

    def bytes_after(time_of_steps: float) -> float:
        if not (stepping and row.steps) or time_of_steps <= stepping:
            return float(size)
        rows, every = row.steps / study.record.every + 1, study.record.every
        later = row.steps * time_of_steps / stepping / every + 1
        return size + len(row.history) / rows * (later - rows)

    return RunEstimate(
        spent + about, spent + max(about, most), bytes_after(about), bytes_after(max(about, most))
    )


def seconds_to_budget(until: Until, first: Row, row: Row, seconds: float) -> float:
    """Seconds until a budget is spent at a run's speed; infinite if that may never happen."""

    def seconds_to(limit: Limit) -> float:
        if limit.word in CLOCKS:
            return limit.bound
        if limit.word in ("stagnation", "cost"):
            return math.inf
        before, after = (getattr(each, WORDS[limit.word]) for each in (first, row))
        if limit.bound <= before:
            return 0.0
        return (limit.bound - before) * seconds / (after - before) if after > before else math.inf

    return min((max(map(seconds_to, way)) for way in until.ways), default=math.inf)


def _fill_unknown(study: Study, known: dict[tuple[int, int], float]) -> Table:
    """Extend the values of some pairs to all, `[arms, instances]`.

    Unknown values are the mean of pairs of the same algorithm and size of board, or else of the
    algorithm, of the size, or of all.
    """
    shapes = {each.puzzle.geometry: place for place, each in enumerate(study.instances)}
    sizes = np.array([shapes[each.puzzle.geometry] for each in study.instances])
    table = np.full((len(study.arms), len(study.instances)), np.nan)
    for pair, value in known.items():
        table[pair] = value
    filled = np.empty_like(table)
    for arm, instance in np.ndindex(*table.shape):
        same = sizes == sizes[instance]
        nearest = (table[arm, [instance]], table[arm, same], table[arm], table[:, same], table)
        filled[arm, instance] = next(
            np.nanmean(values) for values in nearest if not np.isnan(values).all()
        )
    return filled
