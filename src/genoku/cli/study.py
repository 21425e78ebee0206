"""`genoku study`: many seeded runs, from a file, into a store."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from genoku.cli.entry import LazyGroup
from genoku.cli.inputs import trust_option, trusted

COMMANDS = {
    "new": ("study_new", "Write a study file to begin with."),
    "plan": ("study_plan", "Show what a study would run, how long and how large."),
    "run": ("study", "Run a study, or what is left of it."),
    "resume": ("study", "Go on with the study of a store."),
    "status": ("study", "Show how far a study is."),
    "merge": ("study", "Make one store of several."),
    "report": ("report", "Write the report: one HTML file, as `genoku report` does."),
    "export": ("study_export", "Write the runs for other programs."),
}
"""Every command: the module it lives in, and what it does in a line."""


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


def _workers(command: click.decorators.FC) -> click.decorators.FC:
    """The options that say who makes the runs."""
    jobs = click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Processes.",
        show_default="as many as there are cores",
    )
    dask = click.option(
        "--dask",
        metavar="ADDRESS",
        help="Dask scheduler, such as tcp://head:8786, or `local` for a cluster of --jobs workers.",
    )
    return jobs(dask(command))


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
@_workers
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
    from genoku.cli.study_run import run_and_tell
    from genoku.errors import StudyError
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
    return run_and_tell(plan, target, part, jobs, dask)


@click.command(
    epilog="""\b
Examples:
  genoku study resume first.db             after Ctrl-C or a crash
  genoku study resume first.db --jobs 2
"""
)
@click.argument("path", metavar="STORE", type=click.Path())
@_workers
@trust_option
def resume(path: str, jobs: int | None, dask: str | None, trust: bool) -> int:
    """Go on with the study of STORE; runs that failed are tried again."""
    from genoku.cli.study_run import run_and_tell
    from genoku.lab.runner import Shard
    from genoku.lab.store import Store

    target = store_of(path)
    with Store.open(target, trust=trusted(trust)) as opened:
        plan, noted = opened.study, opened.noted("shard")
    return run_and_tell(plan, target, Shard.parse(noted) if noted else None, jobs, dask)


@click.command(
    epilog="""\b
Examples:
  genoku study status first.db             solved so far, failures, what is missing
  genoku study status first.db --json
"""
)
@click.argument("path", metavar="STORE", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(path: str, as_json: bool) -> int:
    """Show how far the study of STORE is, also while it runs."""
    from genoku.cli.study_status import Status

    found = Status.of(store_of(path))
    found.print_json() if as_json else found.print()
    return 0


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
    from genoku.cli.output import say
    from genoku.lab import merging
    from genoku.words import plural

    merged = merging.merge(out, inputs, warn=lambda said: say(f"genoku: {said}"))
    say(f"wrote {out}: {plural(merged.added, 'run')} added, {merged.done:,} of {merged.planned:,}")
    if merged.failed:
        say(f"{plural(merged.failed, 'run')} failed; see: genoku study status {shlex.quote(out)}")
    missing = merged.planned - merged.done
    if missing:
        say(f"{plural(missing, 'run')} missing; go on with: genoku study resume {shlex.quote(out)}")
    else:
        say(f"Next: genoku report {shlex.quote(out)}")
    return 0


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
