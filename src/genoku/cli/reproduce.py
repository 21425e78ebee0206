"""`genoku reproduce`: repeat a report's own experiment, with the printed numbers beside ours."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INTERRUPTED
from genoku.cli.completion import folders
from genoku.cli.options import command, file_name, json_option, option, whole_number
from genoku.cli.output import (
    announcing_compilation,
    print_json,
    print_table,
    print_title,
    say,
    unwritable_reason,
    with_progress,
)
from genoku.errors import GenokuError
from genoku.puzzle.formats import read_puzzles
from genoku.reports import Report, reports
from genoku.runtime.text import did_you_mean, format_count, name_key
from genoku.runtime.workers import cores

if TYPE_CHECKING:
    from genoku.lab.experiments import Repeated
    from genoku.lab.report.page import Table
    from genoku.lab.study import Instance


@command()
@click.argument("report", required=False)
@option(
    "-o",
    "--output",
    "folder",
    metavar="FOLDER",
    help="Folder for its files.",
    show_default="report-003 for 003",
    shell_complete=folders,
)
@option(
    "--seeds",
    "--attempts",
    "seeds",
    help="Runs of every setting, each with its seed.",
    show_default="as the report",
    **whole_number(),
)
@option("--jobs", help="Processes.", show_default="one per core", **whole_number())
@option(
    "--puzzles",
    "boards",
    help="Own boards in place of the report's (001).",
    **file_name("FILE"),
)
@json_option
@option("--claims", is_flag=True, hidden=True, help="In a clone: judge the report's claims.")
@option("--quick", is_flag=True, hidden=True, help="In a clone, with --claims: fewer seeds.")
def reproduce(
    report: str | None,
    folder: str | None,
    seeds: int | None,
    jobs: int | None,
    boards: str | None,
    as_json: bool,
    claims: bool,
    quick: bool,
) -> int:
    """Repeat the experiment of REPORT (000 to 004) as its authors made it.

    Takes seconds to a minute. Writes the report's tables and figures, with the printed numbers
    beside ours: index.html, and every table as CSV, every figure as SVG and PNG. The same seeds
    give the same files, apart from running times.

    Examples:
      genoku reproduce                      list the reports
      genoku reproduce 003                  its nine runs: tables, boards, scatter plots, logs
      genoku reproduce 003 --seeds 20       every run twenty times
      genoku reproduce 001 --attempts 40 --puzzles mine.txt
      genoku reproduce 000 -o figures       figures 6 to 17

    Studies with many seeds, and a verdict on every claim, are in a clone of the repository:
      python3 run.py reproduce 003 --claims
      python3 run.py reproduce 003 --claims --quick
    """
    if claims or quick:
        number = find_report(report).number if report else "003"
        again = " --quick" if quick else ""
        raise GenokuError(
            "verdicts on claims require a clone of the repository; run there: "
            f"python3 run.py reproduce {number} --claims{again}"
        )
    if report is None:
        for each in reports().values():
            click.echo(f"{each.number}  {each.name}: {each.title}")
        return 0
    return _repeat(find_report(report).number, folder, seeds, jobs or cores(), boards, as_json)


def find_report(text: str) -> Report:
    """Return the report of a number (003 or 3), a name or one of its presets.

    Raises
    ------
    GenokuError
        If there is none.
    """
    known: dict[str, Report] = {}
    for each in reports().values():
        base = each.presets[0].partition("-")[0]
        for name in (each.number, str(int(each.number)), each.name, base):
            known.setdefault(name_key(name), each)
    key = name_key(text)
    if key in known:
        return known[key]
    names = [each.name for each in reports().values()]
    raise GenokuError(
        f"expected the number of a report, {', '.join(reports())}, got {text!r}"
        f"{did_you_mean(text, names)}"
    )


def _repeat(
    number: str,
    folder: str | None,
    seeds: int | None,
    jobs: int,
    boards: str | None,
    as_json: bool,
) -> int:
    from genoku.lab.experiments import Request, plan, prepare, repeat
    from genoku.present.figures import require_lab

    require_lab()  # before the work
    place = Path(folder or f"report-{number}")
    _check_folder(place)
    request = Request(number, place, seeds, jobs, read_boards(boards) if boards else ())
    experiment = plan(request)
    say(f"report {number}: {format_count(len(experiment.runs), 'run')}")
    words = ["genoku", "reproduce", number]
    for flag, value in (("--seeds", seeds), ("--puzzles", boards)):
        words += [flag, str(value)] if value else []

    def track(runs: Iterable[Any], total: int) -> Iterable[Any]:
        return with_progress(runs, f"report {number}", total, results_on_stdout=False)

    try:
        with announcing_compilation():
            prepare(experiment)
        found = repeat(request, shlex.join(words), track)
    except KeyboardInterrupt:
        say(f"interrupted; the files that are complete are in {place}")
        return EXIT_INTERRUPTED
    if as_json:
        print_json(_facts(number, found))
    else:
        _print(found.tables)
    say(f"wrote {len(found.files):,} files; open {found.files[0]}")
    return 0


def read_boards(path: str) -> tuple[Instance, ...]:
    """Read own boards from a file, with their names.

    Raises
    ------
    GenokuError
        If there are none, or givens of one conflict.
    """
    from genoku.lab.study import Instance

    boards: list[Instance] = []
    for place, entry in enumerate(read_puzzles(path), 1):
        clashes = entry.puzzle.conflicts()
        if clashes:
            raise GenokuError(f"{path}: puzzle {place}: its givens conflict ({clashes[0]})")
        boards.append(Instance(entry.name or f"board {place}", entry.puzzle))
    if not boards:
        raise GenokuError(f"{path}: expected puzzles, got none")
    return tuple(boards)


def _check_folder(folder: Path) -> None:
    """Raise unless files can be written to the folder, which may not exist yet."""
    existing = next(each for each in (folder, *folder.resolve().parents) if each.exists())
    reason = "expected a folder, got a file" if not existing.is_dir() else None
    reason = reason or unwritable_reason(existing / "index.html")
    if reason:
        raise GenokuError(f"-o {folder}: {reason}")


def _print(tables: Iterable[Table]) -> None:
    for place, table in enumerate(tables):
        if place:
            click.echo()
        print_title(table.caption)
        print_table([each.name for each in table.headings()], table.texts())


def _facts(number: str, found: Repeated) -> dict[str, Any]:
    return {
        "report": number,
        "tables": [
            {
                "title": table.caption,
                "columns": [each.name for each in table.headings()],
                "rows": [list(row) for row in table.rows],
            }
            for table in found.tables
        ],
        "files": [str(path) for path in found.files],
    }
