"""How `genoku study run` and `resume` show a study on its way, and what they say at its end."""

from __future__ import annotations

import shlex
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from genoku.cli.exits import EXIT_INTERRUPTED, EXIT_TERMINATED, EXIT_UNSOLVED
from genoku.cli.output import say
from genoku.cli.progress import bar, is_watched
from genoku.cli.study_status import Status
from genoku.failures import own_parts
from genoku.lab.executors import process_crew
from genoku.lab.runner import WHOLE, Progress, Shard, UnderWay, Watcher, run_study
from genoku.lab.study import Study
from genoku.parallel import cores
from genoku.words import duration, plural

EVERY = 30.0  # seconds between lines where no bar can be drawn
TOLD = 5  # batches under way


def run_and_tell(
    study: Study, store: Path, shard: Shard | None, jobs: int | None, dask: str | None
) -> int:
    """Run what is left of a study, show how it goes, and say what came of it."""
    count = jobs or cores()
    name = shlex.quote(str(store)) + (" --trust" if study.trust else "")
    # A part of the user's own may take its process along, which must not be this one.
    alone = count == 1 and dask is None and any(own_parts(arm.recipe) for arm in study.arms)
    try:
        with shown(study, store) as watch:
            options: dict[str, Any] = {"shard": shard, "progress": watch, "folder": str(Path.cwd())}
            options["warn"] = lambda said: say(f"genoku: {said}")
            if alone:
                with process_crew(1) as crew:
                    ended = run_study(study, store, executor=crew.executor, **options)
            else:
                ended = run_study(study, store, jobs=count, dask=dask, **options)
    except (KeyboardInterrupt, SystemExit) as end:
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)  # it ends already
        _say_how_to_go_on(store, name)
        return EXIT_INTERRUPTED if isinstance(end, KeyboardInterrupt) else EXIT_TERMINATED
    if not ended.workers and ended.done == ended.planned:
        say(f"{store}: all {plural(ended.planned, 'run')} are there already")
    found = Status.of(store)
    found.print(with_size=False)
    if found.failures:
        say(f"Try the failed ones again: genoku study resume {name}")
    elif found.shard != WHOLE and shard:
        quoted = shlex.quote(str(store))
        say(f"Next, when all {shard.of} shards are done: genoku study merge OUT.db {quoted} …")
    elif found.done < found.planned:  # shards of one store
        say(f"{plural(found.planned - found.done, 'run')} of other shards missing")
    else:
        say(f"Next: genoku report {name}")
    return EXIT_UNSOLVED if found.failures else 0


def _say_how_to_go_on(store: Path, name: str) -> None:
    if not store.exists():
        say("interrupted")
        return
    found = Status.of(store)
    say(f"interrupted: {found.done:,} of {plural(found.planned, 'run')} are kept")
    say(f"Go on with: genoku study resume {name}")


@contextmanager
def shown(study: Study, store: Path) -> Iterator[Watcher]:
    """What shows progress: a bar where a person looks at it, else a line now and then."""
    if is_watched():
        with _bar(study) as watch:
            yield watch
    else:
        yield Lines(study, store)


class Lines:
    """A line at the start, at every tenth, and every half a minute."""

    def __init__(self, study: Study, store: Path) -> None:
        self.study, self.store = study, store
        self.said: Progress | None = None
        self.at = -EVERY
        self.waits = False
        self.silent = 0.0

    def __call__(self, now: Progress) -> None:
        self._tell_of_silence(now)
        if not now.workers and now.done < now.planned and not self.waits:
            self.waits = True
            say(f"{self.store.name}: no worker is there, waiting for one")
        tenth = 10 * now.done // now.planned
        before = -1 if self.said is None else 10 * self.said.done // now.planned
        quiet = time.monotonic() - self.at < EVERY
        if self.said is not None and (now[:4] == self.said[:4] or (tenth == before and quiet)):
            return
        self.said, self.at = now, time.monotonic()
        left = f", {duration(now.left)} to go" if now.left else ""
        failed = f", {now.failed:,} failed" if now.failed else ""
        say(
            f"{self.store.name}: {now.done:,} of {plural(now.planned, 'run')}, "
            f"{now.solved:,} solved{failed}{left} ({plural(now.workers, 'worker')})"
        )

    def _tell_of_silence(self, now: Progress) -> None:
        """Say what is under way when nothing comes back, ever more seldom."""
        longest = max((each.seconds for each in now.silent), default=0.0)
        if longest > 2 * self.silent:
            say(f"{self.store.name}: no news; under way: {under_way(self.study, now.silent)}")
        if longest > 2 * self.silent or not longest:
            self.silent = longest


def under_way(study: Study, silent: Sequence[UnderWay]) -> str:
    """Which runs workers are at, and since when."""
    told = []
    for runs, seconds in silent[:TOLD]:
        arm, instance, seed = runs[0]
        run = f"{study.arms[arm].name} on {study.instances[instance].name}, seed {seed}"
        more = f" or one of {len(runs) - 1:,} after it" if len(runs) > 1 else ""
        told.append(f"{run}{more}, for {duration(round(seconds))}")
    more = f"; and {len(silent) - TOLD:,} more" if len(silent) > TOLD else ""
    return "; ".join(told) + more


@contextmanager
def _bar(study: Study) -> Iterator[Watcher]:
    with bar(study.name, len(study)) as (drawn, task):

        def watch(now: Progress) -> None:
            failed = f", {now.failed:,} failed" if now.failed else ""
            left = f", {duration(now.left)} to go" if now.left else ""
            said = f"{now.solved:,} solved{failed}, {plural(now.workers, 'worker')}{left}"
            if now.silent:
                said = f"no news; under way: {under_way(study, now.silent)}"
            drawn.update(task, total=now.planned, completed=now.done, said=said)

        yield watch
