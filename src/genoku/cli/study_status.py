"""How far a study is, and what came of it so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from genoku.cli.output import print_json, say
from genoku.cli.tables import print_table
from genoku.lab.claim import is_claimed
from genoku.lab.results import Results
from genoku.lab.runner import WHOLE, Shard, driver_of
from genoku.lab.statistics.success import Proportion
from genoku.lab.store import Store
from genoku.lab.study import Study
from genoku.lab.work import Failure
from genoku.words import plural

TOLD = 5  # kinds of failures, and seeds of each


@dataclass(frozen=True)
class Status:
    """A store in a few facts."""

    path: Path
    study: Study
    shard: Shard
    planned: int
    done: int
    solved: tuple[Proportion, ...]
    """Per arm."""
    failures: tuple[Failure, ...]
    size: int
    """Bytes on disk."""
    driver: str
    """Who runs it just now, if anybody does."""

    @classmethod
    def of(cls, path: Path) -> Status:
        with Store.open(path) as store:
            noted = store.noted("shard")
            shard = Shard.parse(noted) if noted else WHOLE
            results = store.results()
            failures = tuple(store.failures())
            study = store.study
        if shard != WHOLE and _has_more(shard, study, results, failures):
            shard = WHOLE
        driver = driver_of(path) if is_claimed(path) else ""
        return cls(
            path,
            study,
            shard,
            shard.count(study),
            len(results),
            tuple(Proportion.of(results.of(arm=arm).solved) for arm in range(len(study.arms))),
            failures,
            size_of(path),
            driver,
        )

    def print(self, *, with_size: bool = True) -> None:
        """A table of the arms on stdout, all else on stderr."""
        part = "" if self.shard == WHOLE else f", shard {self.shard}"
        say(f"{self.study.name}{part}: {self.done:,} of {plural(self.planned, 'run')}")
        if with_size:
            if self.study.question:
                say(self.study.question)
            running = f"; {self.driver} is running it" if self.driver else ""
            say(f"{self.path}: {self.size / 1e6:.3g} MB{running}")
        print_table(("algorithm", "runs", "solved", "share", "95 % interval"), self._rows())
        for line in self._failed():
            say(line)

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for arm, solved in zip(self.study.arms, self.solved, strict=True):
            low, high = solved.wilson()
            interval = f"{100 * low:.1f} – {100 * high:.1f} %"
            share = (f"{100 * solved.share:.1f} %", interval) if solved.runs else ("", "")
            rows.append((arm.name, f"{solved.runs:,}", f"{solved.successes:,}", *share))
        return rows

    def _failed(self) -> list[str]:
        """What failed, by what was said of it."""
        if not self.failures:
            return []
        by_message: defaultdict[tuple[int, str], list[Failure]] = defaultdict(list)
        for failure in self.failures:
            by_message[failure.arm, failure.message].append(failure)
        lines = [f"{plural(len(self.failures), 'run')} failed:"]
        for (arm, message), some in list(by_message.items())[:TOLD]:
            where = ", ".join(
                f"{self.study.instances[each.instance].name} seed {each.seed}"
                for each in some[:TOLD]
            )
            more = f" and {len(some) - TOLD:,} more" if len(some) > TOLD else ""
            lines.append(f"  {self.study.arms[arm].name}: {message} ({where}{more})")
        if len(by_message) > TOLD:
            lines.append(f"  and {len(by_message) - TOLD:,} other reasons")
        return lines

    def print_json(self) -> None:
        arms = [
            {
                "algorithm": arm.name,
                "runs": solved.runs,
                "solved": solved.successes,
                "share": solved.share if solved.runs else None,
                "interval": list(solved.wilson()) if solved.runs else None,
            }
            for arm, solved in zip(self.study.arms, self.solved, strict=True)
        ]
        failures = [
            {
                "algorithm": self.study.arms[each.arm].name,
                "puzzle": self.study.instances[each.instance].name,
                "seed": each.seed,
                "message": each.message,
            }
            for each in self.failures
        ]
        print_json(
            {
                "store": str(self.path),
                "name": self.study.name,
                "question": self.study.question,
                "shard": None if self.shard == WHOLE else str(self.shard),
                "planned": self.planned,
                "done": self.done,
                "bytes": self.size,
                "running": self.driver or None,
                "algorithms": arms,
                "failures": failures,
            }
        )


def _has_more(shard: Shard, study: Study, results: Results, failures: Iterable[Failure]) -> bool:
    """Whether other shards have gone into the same store."""
    places = (results.arm.tolist(), results.instance.tolist(), results.seed.tolist())
    there = {*zip(*places, strict=True), *(each[1:4] for each in failures)}
    return not there <= set(shard.runs(study))


def size_of(path: Path) -> int:
    """Bytes of a store and of what SQLite keeps beside it."""
    files = (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm"))
    return sum(each.stat().st_size for each in files if each.exists())
