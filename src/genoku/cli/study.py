"""`genoku study`: run the seeded runs of a study file into a store."""

from __future__ import annotations

import functools
import math
import shlex
import signal
import sys
import textwrap
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INTERRUPTED, EXIT_TERMINATED, EXIT_UNSOLVED
from genoku.cli.main import LazyGroup
from genoku.cli.options import (
    command,
    json_option,
    option,
    trust_option,
    trusted_modules,
    whole_number,
)
from genoku.cli.output import (
    announcing_compilation,
    can_redraw,
    check_distinct_files,
    file_format,
    print_json,
    print_table,
    print_title,
    progress_bar,
    say,
    status_message,
    utf8_stdout,
    with_progress,
)
from genoku.errors import GenokuError, StudyError
from genoku.runtime.text import (
    format_count,
    format_duration,
    format_file_size,
    format_percent,
    format_percent_range,
    format_rough_duration,
    format_study_size,
)

if TYPE_CHECKING:
    from genoku.lab.estimate import Amount, Estimate
    from genoku.lab.runner import ProgressCallback, RunningBatch, Shard, StudyProgress
    from genoku.lab.statistics import Proportion
    from genoku.lab.store import Failure, Results
    from genoku.lab.study import Arm, Study

COMMANDS = {  # by name: the module and the one-line help
    "new": ("study", "Write an example study file."),
    "plan": ("study", "Show what a study would run, its time and its size."),
    "run": ("study", "Run a study, or its missing runs."),
    "resume": ("study", "Resume the study of a store."),
    "status": ("study", "Show the progress of a study."),
    "merge": ("study", "Merge several stores into one."),
    "report": ("report", "Write a report as one HTML file, like `genoku report`."),
    "export": ("study", "Export the runs for other programs."),
}

LINE_EVERY = 30.0  # seconds between lines where no progress bar can be drawn
WIDTH = 80  # of a plan
MAX_IN_FULL = 12  # algorithms of a plan whose settings are shown
MAX_ROWS = 24  # algorithms and puzzles that a plan lists
MAX_DEPTH = 3  # of nested parts of a recipe that are shown with their parameters
MAX_LISTED = 5  # batches in progress, kinds of failures, and seeds of each
SUFFIXES = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def study() -> None:
    """Run every algorithm on every puzzle with every seed; resume after any crash.

    Examples:
      genoku study new first.toml              an example file
      genoku study plan first.toml             the number of runs, their time and size
      genoku study run first.toml              all runs, into first.db
      genoku study resume first.db             after Ctrl-C or a crash
      genoku study report first.db             the results, as first.html

    On several machines:
      genoku study run first.toml --dask tcp://head:8786
      genoku study run first.toml --shard 2/10         one of ten jobs of an array
      genoku study merge first.db first.*-of-10.db
    """


@command()
@click.argument("path", metavar="FILE.toml", type=click.Path(dir_okay=False))
def new(path: str) -> None:
    """Write a short example study file, with comments on all other settings.

    Examples:
      genoku study new first.toml              write the file, then edit it
      genoku study plan first.toml             see what it would run
    """
    target = Path(path)
    if target.suffix != ".toml":
        raise StudyError(f"{path}: expected a name that ends in .toml")
    example = (files("genoku.lab") / "example.toml").read_text("utf-8").replace("FILE.db", "STORE")
    text = example.replace("STORE", f"{target.stem}.db").replace("FILE", target.name)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise StudyError(f"{path}: file exists; choose another name") from None
    say(f"wrote {path}: edit it, then: genoku study plan {path}")


@command()
@click.argument("path", metavar="FILE.toml", type=click.Path())
@json_option
@option("--no-pilot", is_flag=True, help="Only count runs; do not measure the speed.")
@trust_option
def plan(path: str, as_json: bool, no_pilot: bool, trust: bool) -> int:
    """Show what the study of FILE.toml would run, how long it takes and how large it gets.

    Trial runs measure the speed on this machine for a few seconds. Exit code 1 if one fails.

    Examples:
      genoku study plan first.toml
      genoku study plan first.toml --no-pilot      only count runs
      genoku study plan first.toml --json          print every setting and every seed
    """
    from genoku.lab.studyfile import read_study

    study = read_study(path, trusted_modules(trust))
    store = Path(path).with_suffix(".db")
    done = _count_done(store, study)
    guess = None if no_pilot else _estimate(study)
    if as_json:
        print_json(_facts(study, guess, store, done))
    else:
        _print_plan(study, guess)
        if done is not None:
            click.echo(f"\n{store} already has {done:,} of these runs.")
    for failure in guess.failures if guess else ():
        say(f"genoku: a trial run failed: {failure}")
    if guess and guess.failures:
        return EXIT_UNSOLVED
    if not as_json and done != len(study):
        trusting = " --trust" if study.trust else ""
        say(f"\nRun it with: genoku study run {shlex.quote(path)}{trusting}")
    return 0


def _estimate(study: Study) -> Estimate:
    from genoku.lab.estimate import estimate
    from genoku.lab.runner import process_workers

    with announcing_compilation(), status_message("running short trials"):
        if not study.trust:
            return estimate(study)
        with process_workers(1) as workers:  # a user's own part may crash its process
            return estimate(study, executor=workers.executor)


def _count_done(path: Path, study: Study) -> int | None:
    """The number of runs in the store beside the file; None if there is no store."""
    from genoku.lab.estimate import count_done
    from genoku.lab.store import Store

    if not path.exists():
        return None
    try:
        with Store.open(path) as store:
            return count_done(store, study)
    except GenokuError as error:
        say(f"genoku: {error}")
        return None


def _print_plan(study: Study, guess: Estimate | None) -> None:
    print_title(study.name)
    if study.question:
        click.echo(textwrap.fill(study.question, WIDTH))
    made_of = format_study_size(len(study.arms), len(study.instances), len(study.seeds))
    click.echo(f"\n{format_count(len(study), 'run')} = {made_of} ({study.seeds_text})")
    _print_arms(study, guess)
    print_title("\nPuzzles")
    puzzles = study.instances[:MAX_ROWS]
    wide = min(48, max(len(each.name) for each in puzzles))
    for name, puzzle in puzzles:
        size = f"{puzzle.side}×{puzzle.side}"
        short = name if len(name) <= wide else f"{name[: wide - 1]}…"
        conflicts = ", in conflict" if puzzle.conflicts() else ""
        click.echo(f"  {short:<{wide}}  {size:>5}  {puzzle.givens:4} givens{conflicts}")
    _print_rest(len(study.instances))
    every = "every step" if study.record.every == 1 else f"every {study.record.every:,} steps"
    print_title("\nRecorded")
    _print_wrapped(f"{', '.join(study.record.fields)}, {every}")
    if guess:
        _print_estimate(guess, len(study.arms) * len(study.instances))


def _print_arms(study: Study, guess: Estimate | None) -> None:
    budgets = {arm.until for arm in study.arms}
    shared = f", each until {next(iter(budgets))}" if len(budgets) == 1 else ""
    print_title(f"\nAlgorithms{shared}")
    in_full = len(study.arms) <= MAX_IN_FULL
    times = dict(enumerate(guess.per_run)) if guess and in_full else {}
    # Arms of a grid differ only in the settings in their names.
    groups = groupby(enumerate(study.arms[:MAX_ROWS]), key=lambda pair: _settings_text(pair[1]))
    for settings, some in groups:
        for place, arm in some:
            amount = times.get(place)
            facts = [f"until {arm.until}"] if not shared and arm.until not in arm.name else []
            facts += [f"about {format_rough_duration(amount.about)} a run"] if amount else []
            left, right = f"  {arm.name}", ", ".join(facts)
            fits = len(left) + len(right) + 1 < WIDTH
            line = f"{left}{right:>{WIDTH - len(left)}}" if fits else f"{left}\n{right:>{WIDTH}}"
            click.echo(line.rstrip())
        if in_full:
            _print_wrapped(settings, 6)
    _print_rest(len(study.arms))


def _print_estimate(guess: Estimate, pairs: int) -> None:
    print_title("\nEstimate")
    if not (guess.cpu and guess.disk and guess.wall):
        _print_wrapped("none: every trial run failed")
        return
    on = f"on the {format_count(guess.cores, 'core')} of this machine"
    click.echo(f"  time  {_amount_text(guess.wall, format_rough_duration)} {on}")
    click.echo(f"  CPU   {_amount_text(guess.cpu, format_rough_duration)}")
    click.echo(f"  disk  {_amount_text(guess.disk, format_file_size)}")
    which = "every algorithm on every puzzle"
    if guess.pairs != pairs:
        which = f"{guess.pairs:,} of the {pairs:,} pairs of algorithm and puzzle"
    bound = "The maximum is for runs that use their whole budget; runs that solve end sooner."
    if math.isinf(guess.cpu.most):
        bound = "Some budgets do not limit the time, such as stagnation or a cost."
    click.echo()
    _print_wrapped(
        f"From {format_count(guess.pilots, 'short run')} of {which}, at their speed here. {bound}"
    )


def _print_wrapped(text: str, indent: int = 2) -> None:
    lines = textwrap.wrap(text, WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    click.echo(textwrap.indent("\n".join(lines), " " * indent))


def _print_rest(count: int) -> None:
    if count > MAX_ROWS:
        click.echo(f"  … and {count - MAX_ROWS:,} more (--json lists all)")


def _settings_text(arm: Arm) -> str:
    """The settings of a recipe that differ from the defaults and are not in the arm's name."""
    in_name = {path.partition(".")[0] for path in arm.settings}
    return recipe_text({key: each for key, each in arm.recipe.items() if key not in in_name})


def recipe_text(value: Any, depth: int = 0) -> str:
    """Format a value of a recipe; deeply nested parts by their names only."""
    if isinstance(value, list):
        return f"[{', '.join(recipe_text(each, depth) for each in value)}]"
    if not isinstance(value, Mapping):
        return str(value).lower() if isinstance(value, bool) else str(value)
    name = str(value.get("use", ""))
    rest = [
        f"{key}={recipe_text(each, depth + 1)}"
        for key, each in value.items()
        if key != "use" and depth < MAX_DEPTH and each != _default_values().get(name, {}).get(key)
    ]
    if depth == 0:
        return f"{name}: {', '.join(rest)}" if rest else name
    return f"{name}({', '.join(rest)})" if rest else name


@functools.cache
def _default_values() -> dict[str, dict[str, Any]]:
    from genoku.evolve.parts import catalogue

    return {
        row["name"]: {each["name"]: each["default"] for each in row["parameters"]}
        for row in catalogue()
    }


def _amount_text(amount: Amount, formatter: Any) -> str:
    about, most = formatter(amount.about), formatter(amount.most)
    if math.isinf(amount.most):
        return f"{about} or more"
    return f"about {about} at most" if about == most else f"about {about}, at most {most}"


def _facts(study: Study, guess: Estimate | None, store: Path, done: int | None) -> dict[str, Any]:
    per_run = guess.per_run if guess else (None,) * len(study.arms)
    algorithms = [
        {
            "name": arm.name,
            "until": arm.until,
            "settings": arm.settings,
            "recipe": arm.recipe,
            "seconds_a_run": _amount_facts(amount),
        }
        for arm, amount in zip(study.arms, per_run, strict=True)
    ]
    puzzles = [
        {
            "name": name,
            "size": puzzle.side,
            "box": puzzle.geometry.box,
            "givens": puzzle.givens,
            "puzzle": str(puzzle),
        }
        for name, puzzle in study.instances
    ]
    estimate = guess and {
        "cpu_seconds": _amount_facts(guess.cpu),
        "seconds": _amount_facts(guess.wall),
        "cores": guess.cores,
        "bytes": _amount_facts(guess.disk),
        "pilot_runs": guess.pilots,
        "pairs_tried": guess.pairs,
        "failures": list(guess.failures),
    }
    return {
        "name": study.name,
        "question": study.question,
        "runs": len(study),
        "seeds": list(study.seeds),
        "algorithms": algorithms,
        "puzzles": puzzles,
        "record": asdict(study.record),
        "allow_conflicts": study.allow_conflicts,
        "estimate": estimate,
        "store": None if done is None else {"path": str(store), "done": done},
    }


def _amount_facts(amount: Amount | None) -> dict[str, float | None] | None:
    """The amount as JSON, which has no infinity."""
    if amount is None:
        return None
    return {
        key: float(f"{value:.3g}") if math.isfinite(value) else None
        for key, value in amount._asdict().items()
    }


workers_option = option(
    "--jobs", help="Processes.", **whole_number(), show_default="as many as there are cores"
)
dask_option = option(
    "--dask",
    metavar="ADDRESS",
    help="Dask scheduler: an address such as tcp://head:8786, or `local` for --jobs workers here.",
)


@command()
@click.argument("path", metavar="FILE.toml", type=click.Path())
@option("--store", type=click.Path(), help="File for the results.", show_default="FILE.db")
@option(
    "--shard", metavar="I/N", help="Run only every Nth run, from the Ith on, into FILE.I-of-N.db."
)
@workers_option
@dask_option
@trust_option
def run(
    path: str, store: str | None, shard: str | None, jobs: int | None, dask: str | None, trust: bool
) -> int:
    """Run the study of FILE.toml, and store every run as soon as it ends.

    Runs that are already in the store are not repeated. Exit code 1 if runs failed.

    Examples:
      genoku study run first.toml                       into first.db, on all cores
      genoku study run first.toml --jobs 1 --store /tmp/first.db
      genoku study run first.toml --shard 2/10          one of ten jobs of an array
      genoku study run first.toml --dask tcp://head:8786

    Ctrl-C, a crash or a power cut loses only the runs in progress. The same command resumes.
    """
    from genoku.lab.runner import Shard
    from genoku.lab.studyfile import read_study

    part = Shard.parse(shard) if shard else None
    if is_store(Path(path)):
        raise StudyError(
            f"{path}: expected a study file, got a store; resume it with: "
            f"genoku study resume {shlex.quote(path)}"
        )
    plan = read_study(path, trusted_modules(trust))
    end = f".{part.part}-of-{part.of}.db" if part else ".db"
    target = Path(store) if store else Path(path).with_suffix(end)
    return _run_and_report(plan, target, part, jobs, dask)


@command()
@click.argument("path", metavar="STORE", type=click.Path())
@workers_option
@dask_option
@trust_option
def resume(path: str, jobs: int | None, dask: str | None, trust: bool) -> int:
    """Resume the study of STORE, and retry failed runs.

    Examples:
      genoku study resume first.db             after Ctrl-C or a crash
      genoku study resume first.db --jobs 2
    """
    from genoku.lab.runner import Shard
    from genoku.lab.store import Store

    target = store_path(path)
    with Store.open(target, trust=trusted_modules(trust)) as opened:
        plan, noted = opened.study, opened.read_note("shard")
    return _run_and_report(plan, target, Shard.parse(noted) if noted else None, jobs, dask)


def _run_and_report(
    study: Study, store: Path, shard: Shard | None, jobs: int | None, dask: str | None
) -> int:
    """Run the missing runs of a study, and print progress and results."""
    from genoku.evolve.user.errors import user_parts
    from genoku.lab.runner import process_workers, run_study
    from genoku.runtime.workers import cores

    count = jobs or cores()
    name = shlex.quote(str(store)) + (" --trust" if study.trust else "")
    # A user's own part may crash its process, so it must not run in this one.
    alone = count == 1 and dask is None and any(user_parts(arm.recipe) for arm in study.arms)
    try:
        with (
            show_progress(study, store) as watch,
            process_workers(1) if alone else nullcontext() as workers,
        ):
            options: dict[str, Any] = {"shard": shard, "progress": watch, "folder": str(Path.cwd())}
            options |= {"jobs": count, "dask": dask, "executor": workers and workers.executor}
            ended = run_study(study, store, warn=lambda text: say(f"genoku: {text}"), **options)
    except (KeyboardInterrupt, SystemExit) as end:
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)  # already stopping
        if store.exists():
            found = StoreStatus.of(store)
            say(f"interrupted: {found.done:,} of {format_count(found.planned, 'run')} are stored")
            say(f"Resume with: genoku study resume {name}")
        else:
            say("interrupted")
        return EXIT_INTERRUPTED if isinstance(end, KeyboardInterrupt) else EXIT_TERMINATED
    if not ended.workers and ended.done == ended.planned:
        say(f"{store}: all {format_count(ended.planned, 'run')} are already there")
    found = StoreStatus.of(store)
    found.print(with_size=False)
    if found.failures:
        say(f"Retry failed runs with: genoku study resume {name}")
    elif found.shard and shard:
        quoted = shlex.quote(str(store))
        say(f"Next, when all {shard.of} shards are done: genoku study merge OUT.db {quoted} …")
    elif found.done < found.planned:  # shards of one store
        say(f"{format_count(found.planned - found.done, 'run')} of other shards missing")
    else:
        say(f"Next: genoku report {name}")
    return EXIT_UNSOLVED if found.failures else 0


@contextmanager
def show_progress(study: Study, store: Path) -> Iterator[ProgressCallback]:
    """Show progress: a progress bar on a terminal, else occasional lines."""
    if not can_redraw():
        yield StudyLines(study, store)
        return
    with progress_bar(study.name, len(study)) as (progress, task):

        def watch(now: StudyProgress) -> None:
            message = f"{_progress_text(now)}, {format_count(now.workers, 'worker')}"
            if now.stalled:
                message = f"no results lately; in progress: {in_progress_text(study, now.stalled)}"
            progress.update(task, total=now.planned, completed=now.done, message=message)

        yield watch


def _progress_text(now: StudyProgress) -> str:
    failed = f", {now.failed:,} failed" if now.failed else ""
    left = f", {format_duration(now.left)} left" if now.left else ""
    return f"{now.solved:,} solved{failed}{left}"


class StudyLines:
    """Prints a line at the start, at every tenth of the runs, and every 30 seconds."""

    def __init__(self, study: Study, store: Path) -> None:
        self.study, self.store = study, store
        self.last: StudyProgress | None = None
        self.at = -LINE_EVERY
        self.waits = False
        self.silent = 0.0

    def __call__(self, now: StudyProgress) -> None:
        # When no results come in, name the runs in progress, at growing intervals
        longest = max((each.seconds for each in now.stalled), default=0.0)
        if longest > 2 * self.silent:
            runs = in_progress_text(self.study, now.stalled)
            say(f"{self.store.name}: no results lately; in progress: {runs}")
        if longest > 2 * self.silent or not longest:
            self.silent = longest
        if not now.workers and now.done < now.planned and not self.waits:
            self.waits = True
            say(f"{self.store.name}: waiting for a worker")
        tenth = 10 * now.done // now.planned
        before = -1 if self.last is None else 10 * self.last.done // now.planned
        quiet = time.monotonic() - self.at < LINE_EVERY
        if self.last is not None and (now[:4] == self.last[:4] or (tenth == before and quiet)):
            return
        self.last, self.at = now, time.monotonic()
        say(
            f"{self.store.name}: {now.done:,} of {format_count(now.planned, 'run')}, "
            f"{_progress_text(now)} ({format_count(now.workers, 'worker')})"
        )


def in_progress_text(study: Study, silent: Sequence[RunningBatch]) -> str:
    """The runs that workers have in progress, and for how long."""
    texts = []
    for runs, seconds in silent[:MAX_LISTED]:
        arm, instance, seed = runs[0]
        run = f"{study.arms[arm].name} on {study.instances[instance].name}, seed {seed}"
        more = f" or one of {len(runs) - 1:,} after it" if len(runs) > 1 else ""
        texts.append(f"{run}{more}, for {format_duration(round(seconds))}")
    more = f"; and {len(silent) - MAX_LISTED:,} more" if len(silent) > MAX_LISTED else ""
    return "; ".join(texts) + more


@command()
@click.argument("path", metavar="STORE", type=click.Path())
@json_option
def status(path: str, as_json: bool) -> None:
    """Show the progress of the study of STORE, even while it runs.

    Examples:
      genoku study status first.db             solved, failed and missing runs
      genoku study status first.db --json
    """
    found = StoreStatus.of(store_path(path))
    print_json(found.facts()) if as_json else found.print()


@dataclass(frozen=True)
class StoreStatus:
    """The progress of a store."""

    path: Path
    study: Study
    shard: Shard | None  # None if the store is for the whole study
    planned: int
    done: int
    solved: tuple[Proportion, ...]  # per arm
    failures: tuple[Failure, ...]
    driver: str  # the process that runs it now, if any

    @classmethod
    def of(cls, path: Path) -> StoreStatus:
        from genoku.lab.runner import WHOLE, Shard
        from genoku.lab.statistics import Proportion
        from genoku.lab.store import Store, driver_of, is_locked

        with Store.open(path) as store:
            noted = store.read_note("shard")
            results = store.results()
            failures = tuple(store.failures())
            study = store.study
        shard = Shard.parse(noted) if noted else None
        if shard and (shard == WHOLE or _has_other_shards(shard, study, results, failures)):
            shard = None
        return cls(
            path,
            study,
            shard,
            (shard or WHOLE).count(study),
            len(results),
            tuple(Proportion.of(results.of(arm=arm).solved) for arm in range(len(study.arms))),
            failures,
            driver_of(path) if is_locked(path) else "",
        )

    @property
    def size(self) -> int:
        """Bytes on disk, including SQLite's files beside the store."""
        files = (self.path.with_name(self.path.name + end) for end in ("", "-wal", "-shm"))
        return sum(each.stat().st_size for each in files if each.exists())

    def print(self, *, with_size: bool = True) -> None:
        """Print a table of the arms on stdout, and everything else on stderr."""
        part = f", shard {self.shard}" if self.shard else ""
        say(f"{self.study.name}{part}: {self.done:,} of {format_count(self.planned, 'run')}")
        if with_size:
            if self.study.question:
                say(self.study.question)
            running = f"; {self.driver} is running it" if self.driver else ""
            say(f"{self.path}: {format_file_size(self.size)}{running}")
        rows: list[tuple[str, ...]] = []
        for arm, solved in zip(self.study.arms, self.solved, strict=True):
            share = f"{format_percent(solved.share)} %", format_percent_range(*solved.wilson())
            share = share if solved.runs else ("", "")
            rows.append((arm.name, f"{solved.runs:,}", f"{solved.successes:,}", *share))
        print_table(("algorithm", "runs", "solved", "share", "95 % interval"), rows)
        if self.failures:
            self._print_failures()

    def _print_failures(self) -> None:
        """Print the failed runs, grouped by algorithm and message."""
        groups: defaultdict[tuple[int, str], list[Failure]] = defaultdict(list)
        for failure in self.failures:
            groups[failure.arm, failure.message].append(failure)
        say(f"{format_count(len(self.failures), 'run')} failed:")
        for (arm, message), some in list(groups.items())[:MAX_LISTED]:
            where = ", ".join(
                f"{self.study.instances[each.instance].name} seed {each.seed}"
                for each in some[:MAX_LISTED]
            )
            more = f" and {len(some) - MAX_LISTED:,} more" if len(some) > MAX_LISTED else ""
            say(f"  {self.study.arms[arm].name}: {message} ({where}{more})")
        if len(groups) > MAX_LISTED:
            say(f"  and {len(groups) - MAX_LISTED:,} other reasons")

    def facts(self) -> dict[str, Any]:
        """The same as JSON."""
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


def _has_other_shards(
    shard: Shard, study: Study, results: Results, failures: Iterable[Failure]
) -> bool:
    """Whether the store also has runs of other shards."""
    places = (results.arm.tolist(), results.instance.tolist(), results.seed.tolist())
    there = {*zip(*places, strict=True), *(each[1:4] for each in failures)}
    return not there <= set(shard.runs(study))


@command()
@click.argument("out", metavar="OUT", type=click.Path())
@click.argument("inputs", metavar="STORE...", nargs=-1, required=True, type=click.Path())
def merge(out: str, inputs: tuple[str, ...]) -> None:
    """Merge the runs of several stores of the same study into OUT.

    Examples:
      genoku study merge first.db first.1-of-2.db first.2-of-2.db
      genoku study merge first.db first.*-of-10.db      all shards of an array
    """
    from genoku.lab.store import merge as merge_stores

    merged = merge_stores(out, inputs, warn=lambda warning: say(f"genoku: {warning}"))
    name = shlex.quote(out)
    added, planned = format_count(merged.added, "run"), format_count(merged.planned, "run")
    say(f"wrote {out}: added {added}; {merged.done:,} of {planned} done")
    if merged.failed:
        say(f"{format_count(merged.failed, 'run')} failed; see: genoku study status {name}")
    missing = merged.planned - merged.done
    if missing:
        say(f"{format_count(missing, 'run')} missing; resume with: genoku study resume {name}")
    else:
        say(f"Next: genoku report {name}")


@command()
@click.argument("store", metavar="STORE", type=click.Path())
@option(
    "--to",
    type=click.Choice(["csv", "jsonl", "parquet", "ioh"]),
    help="Format.",
    show_default="by suffix, else csv",
)
@option("-o", "--output", type=click.Path(), help="File or folder to write.")
@option("--histories", is_flag=True, help="Write one row per recorded step, not per run.")
@option("--no-times", is_flag=True, help="Omit times, so that equal studies give equal files.")
@trust_option
def export(
    store: str, to: str | None, output: str | None, histories: bool, no_times: bool, trust: bool
) -> None:
    """Export the runs of STORE for other programs, in the order of the plan.

    Examples:
      genoku study export runs.db > runs.csv
      genoku study export runs.db -o runs.parquet
      genoku study export runs.db --histories -o steps.csv.gz
      genoku study export runs.db --to ioh -o runs-ioh

    Formats:
      csv      one row per run, for spreadsheets, R and pandas
      jsonl    one JSON object per run
      parquet  a typed table; requires pip install "genoku[parquet]"
      ioh      a folder for IOHanalyzer and iohinspector, with histories
    """
    from genoku.lab.export import write_csv, write_ioh, write_jsonl, write_parquet
    from genoku.lab.store import Store
    from genoku.puzzle.formats.entries import text_writer

    text_writers = {"csv": write_csv, "jsonl": write_jsonl}
    source, output = store_path(store), None if output == "-" else output
    if output is not None:
        check_distinct_files({"-o": output}, {"STORE": source})
        to = file_format("-o", output, SUFFIXES, to, default="csv")
    to = to or "csv"
    if output is None and to not in text_writers:
        raise click.UsageError(f"--to {to} requires -o: it cannot be written to standard output")
    if to == "ioh" and (histories or no_times):
        raise click.UsageError(
            "expected --to ioh without --histories and --no-times: it has histories but no times"
        )
    options: dict[str, Any] = {"histories": histories, "clocks": not no_times}

    def with_bar(total: int | None) -> Callable[[Iterable[Any]], Iterable[Any]]:
        return lambda items: with_progress(items, "exporting", total, results_on_stdout=False)

    with Store.open(source, trust=trusted_modules(trust)) as opened:
        if output is None:
            try:
                text_writers[to](opened, utf8_stdout(), **options)
                sys.stdout.flush()
            except BrokenPipeError:
                raise
            except OSError as error:
                raise OSError(error.errno, error.strerror, "standard output") from error
            return
        total = None if histories else len(opened.done())
        if to == "ioh":
            pairs = len(opened.study.arms) * len(opened.study.instances)
            count = write_ioh(opened, output, progress=with_bar(pairs))
        elif to == "parquet":
            count = write_parquet(opened, output, progress=with_bar(total), **options)
        else:
            with text_writer(output) as file:
                count = text_writers[to](opened, file, progress=with_bar(total), **options)
        say(f"wrote {format_count(count, 'step' if histories else 'run')} to {output}")
        missing = len(opened.study) - len(opened.results())
        if missing:
            say(f"{missing:,} of {format_count(len(opened.study), 'planned run')} are missing")


def store_path(path: str) -> Path:
    """The store of a path; for a study file, the store beside it."""
    given = Path(path)
    if given.suffix != ".toml" or is_store(given):
        return given
    beside = given.with_suffix(".db")
    return beside if beside.exists() else given


def is_store(path: Path) -> bool:
    """Whether a file is an SQLite database, whatever its name."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False
