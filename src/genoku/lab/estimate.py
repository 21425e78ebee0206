"""What a study will take, by a pilot: short real runs, and what their speed says of whole ones."""

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

from genoku.geometry import Geometry
from genoku.lab.runner import Here, parts_named, perform
from genoku.lab.store import Failure, Outcome, Row, Store
from genoku.lab.study import Arm, Planned, Study
from genoku.recipe import Trust
from genoku.state import declared
from genoku.stopping import CLOCKS, Limit, Stop, Until
from genoku.stream import permutation, stream
from genoku.workers import cores

PILOT = 6.0  # seconds of runs, at most a second for a pair of algorithm and puzzle
PATIENCE = 3  # times as long, loading kernels included, before no other run is tried
SHORTEST = 0.01  # seconds of a pilot run
MOST_PAIRS = 40  # that are tried
MOST_SEEDS = 5  # of a pair whose runs end soon
OF_ROW = 150  # bytes of a run's numbers, words, key and index, beside its board and history
OF_STORE = 45_000  # bytes of a store without runs

Table = NDArray[np.float64]


class Amount(NamedTuple):
    """How much: `about` if other runs go as the pilot's, and `most`, infinite without a bound."""

    about: float
    most: float


@dataclass(frozen=True)
class Estimate:
    """What a study takes. A run that solves its puzzle ends before its budget does."""

    runs: int
    cores: int
    cpu: Amount | None
    """Seconds of all runs; None if no pilot run came to anything."""
    disk: Amount | None
    """Bytes of the store."""
    per_run: tuple[Amount | None, ...]
    """CPU seconds of a run, per arm; None for those that were not tried."""
    pilots: int
    """Runs that it rests on."""
    pairs: int
    """Pairs of algorithm and puzzle among them."""
    failures: tuple[str, ...]
    """What was said of pilots that failed."""

    @property
    def wall(self) -> Amount | None:
        """Seconds on all cores."""
        busy = min(self.cores, self.runs)
        return self.cpu and Amount(self.cpu.about / busy, self.cpu.most / busy)


class Whole(NamedTuple):
    """What a whole run takes, judged by a pilot."""

    about: float
    most: float
    bytes_about: float
    bytes_most: float


class Clock:
    """So many seconds for pilots; what loads kernels is waited for, though not for ever."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self._end = time.perf_counter() + PATIENCE * seconds

    @property
    def is_over(self) -> bool:
        return self.left <= 0 or time.perf_counter() > self._end

    @contextmanager
    def running(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.left -= time.perf_counter() - began


def estimate(study: Study, seconds: float = PILOT, *, executor: Executor | None = None) -> Estimate:
    """Try a few runs of a study, for about so many seconds, and work out what all will take.

    Loading kernels, which may be compiling them, comes on top. Runs are made in this process, or by
    an executor, whose worker may die of a part of the user's own.
    """
    worker = executor or Here()
    pairs = _sample(study)
    found: dict[tuple[int, int], list[Whole]] = {}
    failures: list[str] = []
    clock = Clock(seconds)
    for arm, instance in pairs:
        share = min(1.0, seconds / len(pairs))
        for whole in _pilots(study, arm, instance, share, clock, worker):
            if isinstance(whole, str):
                failures.append(whole)
            else:
                found.setdefault((arm, instance), []).append(whole)
        if clock.is_over:
            break
    cpu, disk, per_run = _totals(study, found) if found else (None, None, None)
    return Estimate(
        len(study),
        cores(),
        cpu,
        disk,
        per_run or (None,) * len(study.arms),
        sum(map(len, found.values())),
        len(found),
        tuple(dict.fromkeys(failures)),
    )


def _totals(
    study: Study, found: dict[tuple[int, int], list[Whole]]
) -> tuple[Amount, Amount, tuple[Amount | None, ...]]:
    """CPU seconds and bytes of all runs, and CPU seconds of a run of each arm."""
    about, most, bytes_about, bytes_most = (
        _filled(study, {pair: _mean(runs, field) for pair, runs in found.items()})
        for field in range(len(Whole._fields))
    )
    tried, seeds = {arm for arm, _ in found}, len(study.seeds)
    base = OF_STORE + 2 * len(study.text())
    return (
        Amount(seeds * float(about.sum()), seeds * float(most.sum())),
        Amount(base + seeds * float(bytes_about.sum()), base + seeds * float(bytes_most.sum())),
        tuple(
            Amount(float(about[arm].mean()), float(most[arm].mean())) if arm in tried else None
            for arm in range(len(study.arms))
        ),
    )


def runs_done(store: Store, study: Study) -> int:
    """How many runs of a study a store has already."""
    done = store.done()
    return sum(key in done for key in study.keys(study.runs()))


def _sample(study: Study) -> list[tuple[int, int]]:
    """Pairs to try: every algorithm on every size of board first, then on other puzzles."""
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
        # In no order, so that a part of a grid stands for all of it.
        order = permutation(stream(turn, "pilot"), len(pairs))
        chosen += [pairs[place] for place in order.tolist()]
        if len(chosen) >= MOST_PAIRS:
            break
    return chosen[:MOST_PAIRS]


def _pilots(
    study: Study, arm: int, instance: int, seconds: float, clock: Clock, worker: Executor
) -> Iterator[Whole | str]:
    """Runs of a pair, with other seeds as long as they end soon; or what went wrong."""
    budget = study.arms[arm]
    end = clock.left - seconds
    for seed in study.seeds[:MOST_SEEDS]:
        left = max(SHORTEST, min(clock.left - end, clock.left))
        start, row = _tried(study, arm, instance, seed, left, clock, worker)
        if isinstance(row, Failure) or isinstance(start, str):
            message = row.message if isinstance(row, Failure) else start
            yield f"{budget.name} on {study.instances[instance].name}: {message}"
            return
        yield whole_run(study, budget, start, row, _slice(left))
        if clock.left - end < seconds / 10 or clock.is_over:
            return


def _tried(
    study: Study,
    arm: int,
    instance: int,
    seed: int,
    seconds: float,
    clock: Clock,
    worker: Executor,
) -> tuple[tuple[Row, float] | str, Row | Failure]:
    """A run before its first step, what it took, and the same run for some seconds."""
    budget = study.arms[arm]
    limited = f"{budget.until} or {_slice(seconds)}"

    def made(until: str) -> tuple[Row | Failure, float]:
        one = replace(
            study,
            arms=(replace(budget, until=until),),
            instances=(study.instances[instance],),
            seeds=(seed,),
        )
        planned = Planned(0, 0, seed)
        try:
            return worker.submit(_timed, one.text(), planned, one.trust).result()
        except BrokenExecutor as died:
            return Failure(study.key(planned), *planned, f"{parts_named(budget)}: {died}"), 0.0

    first, _ = made("steps=0")  # kernels are loaded with it
    if isinstance(first, Failure):
        return first.message, first
    with clock.running():
        _, spent = made("steps=0")
        return (first, spent), made(limited)[0]


def _timed(text: str, planned: Planned, trust: Trust) -> tuple[Outcome, float]:
    """A run, and the processor time it took."""
    before = time.process_time()
    (outcome,) = perform(text, [planned], trust=trust)
    return outcome, time.process_time() - before


def _slice(seconds: float) -> Limit:
    return Limit("seconds", round(seconds, 3))


def whole_run(study: Study, arm: Arm, start: tuple[Row, float], row: Row, cut: Limit) -> Whole:
    """What a whole run would take that goes on as fast as a pilot did."""
    first, spent = start
    stepping = max(0.0, row.cpu_seconds - first.cpu_seconds)
    ended = row.stop_reason not in (str(cut), Stop.TIME_LIMIT)
    most = when_spent(Until.parse(arm.until), first, row, stepping)
    if ended and not (row.steps and declared(arm.algorithm()).is_random):
        most = stepping  # nothing in it is random, or nothing was left to do
    about = stepping if ended else most if math.isfinite(most) else stepping
    size = OF_ROW + len(row.board) + len(row.history)

    def bytes_after(time_of_steps: float) -> float:
        if not stepping or time_of_steps <= stepping:
            return float(size)
        rows, every = row.steps / study.record.every + 1, study.record.every
        later = row.steps * time_of_steps / stepping / every + 1
        return size + len(row.history) / rows * (later - rows)

    return Whole(
        spent + about, spent + max(about, most), bytes_after(about), bytes_after(max(about, most))
    )


def when_spent(until: Until, first: Row, row: Row, seconds: float) -> float:
    """When a budget is spent at a run's speed; infinite where it may never be."""
    counters = {
        "generations": (first.steps, row.steps),
        "steps": (first.steps, row.steps),
        "evaluations": (first.evaluations, row.evaluations),
        "moves": (first.moves, row.moves),
    }

    def reached(limit: Limit) -> float:
        if limit.word in CLOCKS:
            return limit.bound
        before, after = counters.get(limit.word, (0, 0))
        if limit.word in counters and limit.bound <= before:
            return 0.0
        return (limit.bound - before) * seconds / (after - before) if after > before else math.inf

    return min((max(map(reached, way)) for way in until.ways), default=math.inf)


def _mean(runs: list[Whole], field: int) -> float:
    return float(np.mean([run[field] for run in runs]))


def _filled(study: Study, known: dict[tuple[int, int], float]) -> Table:
    """What is known of some pairs for all, `[arms, instances]`: the nearest of their kind stand in.

    Those of the same algorithm and size of board if there are any, of the algorithm, of the size,
    or all.
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
