"""`python3 run.py bench`: measure, and write a Markdown table and a figure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmarks.__main__ import BENCHMARKS
from benchmarks.sections import SECTIONS, Plan, Section
from genoku.cli import EXIT_CHANGED, EXIT_INPUT, EXIT_INTERRUPTED, completion
from genoku.cli.main import cli
from genoku.cli.output import can_redraw, progress_bar, say
from genoku.errors import GenokuError
from genoku.runtime.text import format_duration

if TYPE_CHECKING:
    from benchmarks.results import Change
    from benchmarks.sections import Watch

SECTION_LIST = "\n".join(f"  {section.name:8}  {section.line}" for section in SECTIONS.values())
BENCHMARK_LIST = "\n".join(f"  {name:11}  {line}" for name, line in BENCHMARKS.items())


@click.command(
    "python3 run.py bench",
    context_settings=cli.context_settings,
    epilog=f"""\b
Examples:
  python3 run.py bench --quick                          everything, rough figures, some minutes
  python3 run.py bench engines                          one section: DEAP, PyGAD, pymoo and genoku
  python3 run.py bench -o bench.md --figure bench.svg   everything, full size
  python3 run.py bench --json > before.json             to compare later:
  python3 run.py bench --against before.json            which figures changed
  python3 run.py bench kernels --strict                 detect slower kernels, on any machine

\b
Sections:
{SECTION_LIST}

\b
Other benchmarks, each with its own options (`python3 run.py bench NAME --help`):
{BENCHMARK_LIST}

\b
Peers are installed once, into a separate environment in your cache folder. After Ctrl-C the
finished sections are printed and written; the exit code is 130.
""",
)
@click.argument("sections", nargs=-1, type=click.Choice(list(SECTIONS)), metavar="[SECTION]...")
@click.option("--quick", is_flag=True, help="Fewer repetitions: rough figures.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    metavar="N",
    help="The first seed.",
    show_default="1",
)
@click.option(
    "--puzzles",
    metavar="FOLDER",
    shell_complete=completion.folders,
    help="Files of known puzzles.",
    show_default="fresh ones",
)
@click.option("--no-peers", is_flag=True, help="Measure only genoku; install nothing.")
@click.option(
    "-o",
    "--output",
    metavar="FILE.md",
    shell_complete=completion.files,
    help="The table.",
    show_default="standard output",
)
@click.option(
    "--figure",
    metavar="FILE",
    shell_complete=completion.files,
    help="Draw the charts: .svg, .png or .pdf.",
)
@click.option(
    "--page",
    metavar="FILE.md",
    shell_complete=completion.files,
    help="Rewrite the results in a page that has two lines <!-- bench: … --> for them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one object.")
@click.option(
    "--against",
    metavar="FILE.json",
    shell_complete=completion.files,
    help="Compare with what --json printed before.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 if a figure is far from --against, or a kernel slow.",
)
@click.option(
    "--record",
    is_flag=True,
    help="Write what is expected of kernels from now on; goes with the section kernels.",
)
def bench(
    sections: tuple[str, ...],
    quick: bool,
    seed: int,
    puzzles: str | None,
    no_peers: bool,
    output: str | None,
    figure: str | None,
    page: str | None,
    as_json: bool,
    against: str | None,
    strict: bool,
    record: bool,
) -> int:
    """Measure genoku and its peers, in all sections or in those named.

    The table names the date, the processor, all versions, the seed and the command.
    """
    from benchmarks.measuring import machine
    from benchmarks.results import Results, Targets, changes, former, tell
    from benchmarks.sections import run_sections

    if strict and against is None and "kernels" not in sections:
        raise click.UsageError("--strict goes with --against, or with the section kernels")
    if record:
        if sections != ("kernels",):
            raise click.UsageError("--record goes with the section kernels alone")
        from benchmarks.kernels import record as record_kernels

        record_kernels()
        return 0
    folder = None if puzzles is None else Path(puzzles)
    if folder is not None and not folder.is_dir():
        raise GenokuError(f"--puzzles {puzzles}: expected a folder")
    targets = Targets(*(None if each is None else Path(each) for each in (output, figure, page)))
    targets.check()
    then = None if against is None else former(Path(against))

    chosen = [section for section in SECTIONS.values() if section.name in (sections or SECTIONS)]
    asked = Plan(quick, seed, folder, peers=None, without="left out")
    compares = any(section.peers for section in chosen) and not no_peers
    plan, peers = _with_peers(asked) if compares else (asked, asked.without)
    command = _command(sections, asked, no_peers)
    facts = {**machine(), "peers": peers, "seed": str(seed), "command": command}

    results = Results(facts, quick)
    with _watching(chosen, plan) as watch:
        for section in run_sections(chosen, plan, watch):
            results = results.adding(section)
            targets.keep(results)
    found = changes(then.figures, results.figures) if then else []
    targets.write(results)
    tell(results, targets, then, found, data=as_json)
    if results.interrupted:
        return EXIT_INTERRUPTED
    if results.missing:
        return EXIT_INPUT
    return EXIT_CHANGED if strict and _is_off(results.figures, found) else 0


def _is_off(figures: Mapping[str, float], found: Sequence[Change]) -> bool:
    """Whether a figure has changed much, or a kernel has regressed; prints which."""
    from benchmarks.kernels import regressions

    slow = regressions(figures)
    for words in slow:
        say(words)
    return bool(slow) or any(change.is_far for change in found)


def _command(sections: Sequence[str], plan: Plan, no_peers: bool) -> str:
    """Return the command that repeats these figures, without its output options."""
    words = ["python3", "run.py", "bench", *sections]
    words += ["--quick"] * plan.quick + ["--no-peers"] * no_peers + ["--seed", str(plan.seed)]
    if plan.puzzles is not None:
        words += ["--puzzles", plan.puzzles.resolve().name]
    return shlex.join(words)


def _with_peers(plan: Plan) -> tuple[Plan, str]:
    """Return the plan with its peers, if they can be installed, and their versions."""
    from benchmarks.environment import PeerError, install_peers

    try:
        peers = install_peers(say)
    except PeerError as error:
        say(f"without peers, which could not be installed: {error}")
        return replace(plan, without="not installed"), "not installed"
    versions = ", ".join(f"{name} {version}" for name, version in peers.versions.items())
    return replace(plan, peers=peers), versions


@contextmanager
def _watching(chosen: list[Section], plan: Plan) -> Iterator[Watch]:
    """Show the progress and the time left: in one updated line, or in a line per section."""
    from benchmarks.sections import TimeLeft

    left = TimeLeft(chosen, plan.quick)

    def line(section: Section, said: str) -> None:
        if not said:
            left.begin(section)
            number = chosen.index(section) + 1
            rest = _rough_time(left.seconds())
            say(f"{section.name}, {number} of {len(chosen)}: about {rest} left")

    if not can_redraw():
        yield line
        return
    with progress_bar("bench", len(chosen)) as (progress, task):

        def redraw(section: Section, said: str) -> None:
            if not said:
                left.begin(section)
            words = f"{section.name}: {said or 'begins'}; about {_rough_time(left.seconds())} left"
            progress.update(task, completed=chosen.index(section), message=words)

        yield redraw


def _rough_time(seconds: float) -> str:
    """Format an approximate time."""
    return (
        format_duration(max(10, round(seconds, -1))) if seconds < 95 else f"{seconds / 60:.0f} min"
    )
