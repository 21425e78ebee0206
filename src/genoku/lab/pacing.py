"""How runs become batches: by how long they take, and by what their workers died of."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from genoku.lab.study import Planned
from genoku.lab.work import Outcome, Row
from genoku.workers import WorkerDiedError, exit_text

BATCH_SECONDS = 0.5  # that a batch of short runs takes
MOST_RUNS = 1000  # of a batch
DEATHS = 3  # of its worker, that a run alone is allowed
KILLS = 10  # the same, where somebody else may have killed it


class Pace:
    """How long the runs of each arm take, as far as is known, and how many are left."""

    def __init__(self, arms: int) -> None:
        self._left, self._known = [0] * arms, [0] * arms
        self._seconds = [0.0] * arms

    def expect(self, arm: int) -> None:
        """One more run is to be made."""
        self._left[arm] += 1

    def note(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self._left[outcome.arm] -= 1
            if isinstance(outcome, Row):
                self._known[outcome.arm] += 1
                self._seconds[outcome.arm] += outcome.seconds

    def known(self, arm: int) -> int:
        """How many runs of an arm its mean stands on."""
        return self._known[arm]

    def mean(self, arm: int) -> float:
        """Seconds that a run of an arm takes; a batch's where nothing is known."""
        return self._seconds[arm] / self._known[arm] if self._known[arm] else BATCH_SECONDS

    @property
    def runs_left(self) -> int:
        return sum(self._left)

    def seconds_left(self, workers: int) -> float | None:
        """Seconds to go: what is left, if all workers are at it and runs take as long as before."""
        if not sum(self._known) or not workers:
            return None
        usual = sum(self._seconds) / sum(self._known)
        work = sum(
            left * (self.mean(arm) if self._known[arm] else usual)
            for arm, left in enumerate(self._left)
        )
        return work / workers


@dataclass(frozen=True)
class Batch:
    """Runs that go out together, and how often a single one has already cost its worker."""

    runs: list[Planned] = field(hash=False)
    deaths: int = 0
    kills: int = 0

    @property
    def is_at_last(self) -> bool:
        """Whether it is the last try."""
        return self.deaths >= DEATHS - 1 or self.kills >= KILLS - 1


class Queue:
    """Runs to be made, the suspects first.

    A worker that dies leaves a batch of suspects, which is halved until the guilty run is alone.
    The last try of a run is made while no other runs, so that no neighbour can be to blame.
    """

    def __init__(self, fresh: Iterator[Planned], pace: Pace) -> None:
        self._fresh, self._pace = fresh, pace
        self._suspects: deque[Batch] = deque()
        self._next = next(fresh, None)
        self._deadly: set[int] = set()
        self._last: Batch | None = None

    def next(self, others_fly: bool) -> Batch | None:
        """What goes out next; nothing if that is all, or it must wait for others."""
        if self._last is not None:
            return None
        if self._suspects:
            if self._suspects[0].is_at_last:
                if others_fly:
                    return None
                self._last = self._suspects[0]
            return self._suspects.popleft()
        return self._filled() if self._next is not None else None

    def landed(self, batch: Batch) -> None:
        """A batch is no longer under way."""
        if batch is self._last:
            self._last = None

    def blame(self, batch: Batch, error: BaseException, deaths: int = 1) -> str:
        """Try again what a worker died over, in smaller parts; why not, if it was enough.

        The error may stand for several deaths.
        """
        if len(batch.runs) > 1:
            middle = len(batch.runs) // 2
            self._suspects += [Batch(batch.runs[:middle]), Batch(batch.runs[middle:])]
            return ""
        killed = isinstance(error, WorkerDiedError) and error.is_killed
        again = replace(
            batch,
            deaths=batch.deaths + (0 if killed else deaths),
            kills=batch.kills + (deaths if killed else 0),
        )
        if again.deaths >= DEATHS or again.kills >= KILLS:
            self._deadly.add(batch.runs[0].arm)
            hint = ": is memory short?" if killed else ""
            last = (
                exit_text(error.exit_code) if isinstance(error, WorkerDiedError) else "on a cluster"
            )
            return f"its worker died every time ({last}){hint}"
        self._suspects.append(again)
        return ""

    def _filled(self) -> Batch:
        """So many runs as take a moment; those of an arm not more than its mean stands on."""
        batch: list[Planned] = []
        counts: Counter[int] = Counter()
        seconds = 0.0
        while self._next is not None and len(batch) < MOST_RUNS and seconds < BATCH_SECONDS:
            arm = self._next.arm
            mean = self._pace.mean(arm)
            is_alone = arm in self._deadly or mean >= BATCH_SECONDS
            if batch and (is_alone or counts[arm] >= self._pace.known(arm)):
                break
            batch.append(self._next)
            counts[arm] += 1
            seconds += mean
            self._next = next(self._fresh, None)
            if is_alone:
                break
        return Batch(batch)
