"""`genoku study`: many seeded runs, from a file, into a store."""

from __future__ import annotations

import shlex
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INTERRUPTED, EXIT_TERMINATED, EXIT_UNSOLVED
from genoku.cli.entry import LazyGroup
from genoku.cli.options import jobs_option, json_option, trust_option, trusted
from genoku.cli.output import (
    bar,
    is_watched,
    kind_of,
    print_json,
    print_table,
    refuse_clashes,
    results_stream,
    say,
    with_progress,
)
from genoku.errors import StudyError
from genoku.words import duration, file_size, percent, percents, plural

if TYPE_CHECKING:
    from genoku.lab.runner import Progress, Shard, UnderWay, Watcher
    from genoku.lab.statistics import Proportion
    from genoku.lab.store import Failure, Results
    from genoku.lab.study import Study

COMMANDS = {
    "new": ("study", "Write a study file to begin with."),
    "plan": ("study_plan", "Show what a study would run, how long and how large."),
    "run": ("study", "Run a study, or what is left of it."),
    "resume": ("study", "Go on with the study of a store."),
    "status": ("study", "Show how far a study is."),
    "merge": ("study", "Make one store of several."),
    "report": ("report", "Write the report: one HTML file, as `genoku report` does."),
    "export": ("study", "Write the runs for other programs."),
}
"""Every command: the module it lives in, and what it does in a line."""

LINE_EVERY = 30.0  # seconds between lines where no bar can be drawn
TOLD = 5  # batches under way, kinds of failures, and seeds of each
SUFFIXES = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    epilog="""\b
Examples:
  genoku study new first.toml              a file to begin with
  genoku study plan first.toml             how many runs, how long, how large
  genoku study run first.toml              all of them, into first.db
  genoku study resume first.db             after Ctrl-C or a crash
  genoku study report first.db             what it found: first.html

\b
On several machines:
  genoku study run first.toml --dask tcp://head:8786
  genoku study run first.toml --shard 2/10         one of ten jobs of an array
  genoku study merge first.db first.*-of-10.db
""",
)
def study() -> None:
    """Run many seeded runs, and go on after any crash."""


@click.command(
    epilog="""\b
Examples:
  genoku study new first.toml              then make it yours in an editor
  genoku study plan first.toml             and see what it would run
"""
)
@click.argument("path", metavar="FILE.toml", type=click.Path(dir_okay=False))
def new(path: str) -> None:
    """Write a study file to begin with: short, with comments that say what else there is."""
    target = Path(path)
    if target.suffix != ".toml":
        raise StudyError(f"{path}: expected a name that ends in .toml")
    example = (files("genoku.lab") / "example.toml").read_text("utf-8").replace("FILE.db", "STORE")
    named = example.replace("STORE", f"{target.stem}.db").replace("FILE", target.name)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(named)
    except FileExistsError:
        raise StudyError(f"{path}: expected a name for a new file, got one that exists") from None
    say(f"{path} is yours to change; then: genoku study plan {path}")


workers_option = jobs_option(default=None, show_default="as many as there are cores")
dask_option = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Dask scheduler, such as tcp://head:8786, or `local` for a cluster of --jobs workers.",
)


@click.command(
    epilog="""\b
Examples:
  genoku study run first.toml                       into first.db, on all cores
  genoku study run first.toml --jobs 1 --store /tmp/first.db
  genoku study run first.toml --shard 2/10          one of ten jobs of an array
  genoku study run first.toml --dask tcp://head:8786

\b
Ctrl-C, a crash or a power cut costs only the runs that were under way: the same command goes on.
"""
)
@click.argument("path", metavar="FILE.toml", type=click.Path())
@click.option(
    "--store", type=click.Path(), help="Where results are kept.", show_default="FILE.db beside it"
)
@click.option(
    "--shard", metavar="I/N", help="Only every N-th run, from the I-th on, into FILE.I-of-N.db."
)
@workers_option
@dask_option
@trust_option
def run(
    path: str,
    store: str | None,
    shard: str | None,
    jobs: int | None,
    dask: str | None,
    trust: bool,
) -> int:
    """Run the study of FILE.toml, or what is left of it, and keep every run as soon as it is there.

    Ends with 1 if runs failed. What is in the store already is not run again.
    """
    from genoku.lab.runner import Shard
    from genoku.lab.studyfile import read_study

    part = Shard.parse(shard) if shard else None
    if is_store(Path(path)):
        raise StudyError(
            f"{path}: expected a study file, got a store; go on with it by: "
            f"genoku study resume {shlex.quote(path)}"
        )
    plan = read_study(path, trusted(trust))
    end = f".{part.part}-of-{part.of}.db" if part else ".db"
    target = Path(store) if store else Path(path).with_suffix(end)
    return _run(plan, target, part, jobs, dask)


@click.command(
    epilog="""\b
Examples:
  genoku study resume first.db             after Ctrl-C or a crash
  genoku study resume first.db --jobs 2
"""
)
@click.argument("path", metavar="STORE", type=click.Path())
@workers_option
@dask_option
@trust_option
def resume(path: str, jobs: int | None, dask: str | None, trust: bool) -> int:
    """Go on with the study of STORE; runs that failed are tried again."""
    from genoku.lab.runner import Shard
    from genoku.lab.store import Store

    target = store_of(path)
    with Store.open(target, trust=trusted(trust)) as opened:
        plan, noted = opened.study, opened.noted("shard")
    return _run(plan, target, Shard.parse(noted) if noted else None, jobs, dask)


def _run(study: Study, store: Path, shard: Shard | None, jobs: int | None, dask: str | None) -> int:
    """Run what is left of a study, show how it goes, and say what came of it."""
    from genoku.failures import own_parts
    from genoku.lab.runner import process_crew, run_study
    from genoku.workers import cores

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
        if store.exists():
            found = Status.of(store)
            say(f"interrupted: {found.done:,} of {plural(found.planned, 'run')} are kept")
            say(f"Go on with: genoku study resume {name}")
        else:
            say("interrupted")
        return EXIT_INTERRUPTED if isinstance(end, KeyboardInterrupt) else EXIT_TERMINATED
    if not ended.workers and ended.done == ended.planned:
        say(f"{store}: all {plural(ended.planned, 'run')} are there already")
    found = Status.of(store)
    found.print(with_size=False)
    if found.failures:
        say(f"Try the failed ones again: genoku study resume {name}")
    elif found.shard and shard:
        quoted = shlex.quote(str(store))
        say(f"Next, when all {shard.of} shards are done: genoku study merge OUT.db {quoted} …")
    elif found.done < found.planned:  # shards of one store
        say(f"{plural(found.planned - found.done, 'run')} of other shards missing")
    else:
        say(f"Next: genoku report {name}")
    return EXIT_UNSOLVED if found.failures else 0


@contextmanager
def shown(study: Study, store: Path) -> Iterator[Watcher]:
    """What shows progress: a bar where a person looks at it, else a line now and then."""
    if not is_watched():
        yield Lines(study, store)
        return
    with bar(study.name, len(study)) as (drawn, task):

        def watch(now: Progress) -> None:
            said = f"{_solved(now)}, {plural(now.workers, 'worker')}"
            if now.silent:
                said = f"no news; under way: {under_way(study, now.silent)}"
            drawn.update(task, total=now.planned, completed=now.done, said=said)

        yield watch


def _solved(now: Progress) -> str:
    """How many runs solved and failed, and how long the rest will take."""
    failed = f", {now.failed:,} failed" if now.failed else ""
    left = f", {duration(now.left)} to go" if now.left else ""
    return f"{now.solved:,} solved{failed}{left}"


class Lines:
    """A line at the start, at every tenth, and every half a minute."""

    def __init__(self, study: Study, store: Path) -> None:
        self.study, self.store = study, store
        self.said: Progress | None = None
        self.at = -LINE_EVERY
        self.waits = False
        self.silent = 0.0

    def __call__(self, now: Progress) -> None:
        self._tell_of_silence(now)
        if not now.workers and now.done < now.planned and not self.waits:
            self.waits = True
            say(f"{self.store.name}: no worker is there, waiting for one")
        tenth = 10 * now.done // now.planned
        before = -1 if self.said is None else 10 * self.said.done // now.planned
        quiet = time.monotonic() - self.at < LINE_EVERY
        if self.said is not None and (now[:4] == self.said[:4] or (tenth == before and quiet)):
            return
        self.said, self.at = now, time.monotonic()
        say(
            f"{self.store.name}: {now.done:,} of {plural(now.planned, 'run')}, "
            f"{_solved(now)} ({plural(now.workers, 'worker')})"
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


@click.command(
    epilog="""\b
Examples:
  genoku study status first.db             solved so far, failures, what is missing
  genoku study status first.db --json
"""
)
@click.argument("path", metavar="STORE", type=click.Path())
@json_option
def status(path: str, as_json: bool) -> int:
    """Show how far the study of STORE is, also while it runs."""
    found = Status.of(store_of(path))
    print_json(found.facts()) if as_json else found.print()
    return 0


@dataclass(frozen=True)
class Status:
    """A store in a few facts."""

    path: Path
    study: Study
    shard: Shard | None
    """None where all of the study belongs into the store."""
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
        from genoku.lab.runner import WHOLE, Shard
        from genoku.lab.statistics import Proportion
        from genoku.lab.store import Store, driver_of, is_locked

        with Store.open(path) as store:
            noted = store.noted("shard")
            results = store.results()
            failures = tuple(store.failures())
            study = store.study
        shard = Shard.parse(noted) if noted else None
        if shard and (shard == WHOLE or _has_more(shard, study, results, failures)):
            shard = None
        return cls(
            path,
            study,
            shard,
            (shard or WHOLE).count(study),
            len(results),
            tuple(Proportion.of(results.of(arm=arm).solved) for arm in range(len(study.arms))),
            failures,
            size_of(path),
            driver_of(path) if is_locked(path) else "",
        )

    def print(self, *, with_size: bool = True) -> None:
        """A table of the arms on stdout, all else on stderr."""
        part = f", shard {self.shard}" if self.shard else ""
        say(f"{self.study.name}{part}: {self.done:,} of {plural(self.planned, 'run')}")
        if with_size:
            if self.study.question:
                say(self.study.question)
            running = f"; {self.driver} is running it" if self.driver else ""
            say(f"{self.path}: {file_size(self.size)}{running}")
        print_table(("algorithm", "runs", "solved", "share", "95 % interval"), self._rows())
        for line in self._failed():
            say(line)

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for arm, solved in zip(self.study.arms, self.solved, strict=True):
            low, high = solved.wilson()
            share = f"{percent(solved.share)} %", percents(low, high)
            share = share if solved.runs else ("", "")
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

    def facts(self) -> dict[str, Any]:
        """All of it, for other programs."""
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
        return {
            "store": str(self.path),
            "name": self.study.name,
            "question": self.study.question,
            "shard": str(self.shard) if self.shard else None,
            "planned": self.planned,
            "done": self.done,
            "bytes": self.size,
            "running": self.driver or None,
            "algorithms": arms,
            "failures": failures,
        }


def _has_more(shard: Shard, study: Study, results: Results, failures: Iterable[Failure]) -> bool:
    """Whether other shards have gone into the same store."""
    places = (results.arm.tolist(), results.instance.tolist(), results.seed.tolist())
    there = {*zip(*places, strict=True), *(each[1:4] for each in failures)}
    return not there <= set(shard.runs(study))


def size_of(path: Path) -> int:
    """Bytes of a store and of what SQLite keeps beside it."""
    beside = (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm"))
    return sum(each.stat().st_size for each in beside if each.exists())


@click.command(
    epilog="""\b
Examples:
  genoku study merge first.db first.1-of-2.db first.2-of-2.db
  genoku study merge first.db first.*-of-10.db      all shards of an array
"""
)
@click.argument("out", metavar="OUT", type=click.Path())
@click.argument("inputs", metavar="STORE...", nargs=-1, required=True, type=click.Path())
def merge(out: str, inputs: tuple[str, ...]) -> int:
    """Add the runs of several stores of one study to OUT, none of them twice."""
    from genoku.lab.store import merge as merge_stores

    merged = merge_stores(out, inputs, warn=lambda said: say(f"genoku: {said}"))
    name = shlex.quote(out)
    say(f"wrote {out}: {plural(merged.added, 'run')} added, {merged.done:,} of {merged.planned:,}")
    if merged.failed:
        say(f"{plural(merged.failed, 'run')} failed; see: genoku study status {name}")
    missing = merged.planned - merged.done
    if missing:
        say(f"{plural(missing, 'run')} missing; go on with: genoku study resume {name}")
    else:
        say(f"Next: genoku report {name}")
    return 0


@click.command(
    epilog="""\b
Formats:
  csv      a line per run, for spreadsheets, R and pandas
  jsonl    an object per run
  parquet  a typed table; needs pip install "genoku[parquet]"
  ioh      a folder for IOHanalyzer and iohinspector, with histories

\b
Examples:
  genoku study export runs.db > runs.csv
  genoku study export runs.db -o runs.parquet
  genoku study export runs.db --histories -o steps.csv.gz
  genoku study export runs.db --to ioh -o runs-ioh
""",
)
@click.argument("store", metavar="STORE", type=click.Path())
@click.option(
    "--to",
    type=click.Choice(["csv", "jsonl", "parquet", "ioh"]),
    help="Format.",
    show_default="by suffix, or csv",
)
@click.option("-o", "--output", type=click.Path(), help="File, or folder, to write.")
@click.option("--histories", is_flag=True, help="A line per recorded step in place of one per run.")
@click.option("--no-times", is_flag=True, help="Leave out times: equal studies give equal files.")
@trust_option
def export(
    store: str, to: str | None, output: str | None, histories: bool, no_times: bool, trust: bool
) -> None:
    """Write the runs of STORE for other programs, in the order of the plan."""
    from genoku.formats.entries import replacing
    from genoku.lab.export import write_csv, write_ioh, write_jsonl, write_parquet
    from genoku.lab.store import Store

    text_writers = {"csv": write_csv, "jsonl": write_jsonl}
    source, output = store_of(store), None if output == "-" else output
    if output is not None:
        refuse_clashes({"-o": output}, {"STORE": source})
        to = kind_of("-o", output, SUFFIXES, to, default="csv")
    to = to or "csv"
    if output is None and to not in text_writers:
        raise click.UsageError(f"--to {to} needs -o: it cannot go to standard output")
    if to == "ioh" and (histories or no_times):
        raise click.UsageError("--to ioh has histories and no times, whatever is asked")
    options: dict[str, Any] = {"histories": histories, "clocks": not no_times}

    def with_bar(total: int | None) -> Callable[[Iterable[Any]], Iterable[Any]]:
        return lambda items: with_progress(items, "exporting", total, results_on_stdout=False)

    with Store.open(source, trust=trusted(trust)) as opened:
        if output is None:
            _print(lambda: text_writers[to](opened, results_stream(), **options))
            return
        total = None if histories else len(opened.done())
        if to == "ioh":
            pairs = len(opened.study.arms) * len(opened.study.instances)
            count = write_ioh(opened, output, passing=with_bar(pairs))
        elif to == "parquet":
            count = write_parquet(opened, output, passing=with_bar(total), **options)
        else:
            with replacing(output) as file:
                count = text_writers[to](opened, file, passing=with_bar(total), **options)
        say(f"wrote {plural(count, 'step' if histories else 'run')} to {output}")
        missing = len(opened.study) - len(opened.results())
        if missing:
            say(f"{missing:,} of {plural(len(opened.study), 'planned run')} are not there yet")


def _print(write: Callable[[], object]) -> None:
    """Write to standard output, whose name no error knows."""
    try:
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from error


def store_of(path: str) -> Path:
    """The store that is meant: a study file has its own beside it."""
    given = Path(path)
    if given.suffix != ".toml" or is_store(given):
        return given
    beside = given.with_suffix(".db")
    return beside if beside.exists() else given


def is_store(path: Path) -> bool:
    """Whether a file is a database, whatever it is called."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False
