"""`genoku study export`: the runs of a store for other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from genoku.cli.inputs import trust_option, trusted
from genoku.cli.output import results_stream, say, with_progress
from genoku.cli.study import store_of
from genoku.cli.targets import kind_of, refuse_clashes
from genoku.formats.writing import replacing
from genoku.lab.export import write_csv, write_ioh, write_jsonl, write_parquet
from genoku.lab.store import Store
from genoku.words import plural

SUFFIXES = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
TEXT = {"csv": write_csv, "jsonl": write_jsonl}


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
    source = store_of(store)
    if output is not None and output != "-":
        refuse_clashes({"-o": output}, {"STORE": source})
        to = kind_of("-o", output, SUFFIXES, to, default="csv")
    to = to or "csv"
    if to in ("parquet", "ioh") and output in (None, "-"):
        raise click.UsageError(f"--to {to} needs -o: it cannot go to standard output")
    if to == "ioh" and (histories or no_times):
        raise click.UsageError("--to ioh has histories and no times, whatever is asked")
    options: dict[str, Any] = {"histories": histories, "clocks": not no_times}
    with Store.open(source, trust=trusted(trust)) as opened:
        if output is None or output == "-":
            _print(lambda: TEXT[to](opened, results_stream(), **options))
            return
        total = None if histories else len(opened.done())
        if to == "ioh":
            pairs = len(opened.study.arms) * len(opened.study.instances)
            count = write_ioh(opened, output, passing=_shown(pairs))
        elif to == "parquet":
            count = write_parquet(opened, output, passing=_shown(total), **options)
        else:
            with replacing(output) as file:
                count = TEXT[to](opened, file, passing=_shown(total), **options)
        say(f"wrote {plural(count, 'step' if histories else 'run')} to {output}")
        missing = len(opened.study) - len(opened.results())
        if missing:
            say(f"{missing:,} of {plural(len(opened.study), 'planned run')} are not there yet")


def _shown(total: int | None) -> Callable[[Iterable[Any]], Iterable[Any]]:
    return lambda items: with_progress(items, "exporting", total, results_on_stdout=False)


def _print(write: Callable[[], object]) -> None:
    """Write to standard output, whose name no error knows."""
    try:
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from error
