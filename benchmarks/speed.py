"""Detect what became slower or faster since another commit: both are timed in turns.

    python3 run.py bench speed --beside HEAD~3

The other commit gets an environment of its own, in which only genoku differs. Both sides do the
same work, by this harness, through `genoku.run` and the command line, which old commits have too.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from math import isfinite
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any, NoReturn

import click

from benchmarks.commits import Side, clean, find_source, locked, prepare, this_tree
from benchmarks.environment import ONE_THREAD
from benchmarks.measuring import machine
from benchmarks.processes import PATIENCE, time_process
from benchmarks.ratios import CONFIDENCE, FEWEST, MARGIN, Ratio, order_of_turns
from benchmarks.results import markdown_table, write_text
from benchmarks.startup import SOLUTION
from genoku.cli import EXIT_CHANGED, completion
from genoku.cli.main import cli, run_and_exit
from genoku.cli.output import can_redraw, check_output_files, print_json, progress_bar, say
from genoku.errors import GenokuError
from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.text import format_compact, format_duration, join_words

# What is timed

PROGRAM = Path(__file__).parent / "timer.py"
REFERENCE: dict[str, Any] = {
    "use": "genetic",
    "encoding": "permuted-rows",
    "fitness": "repetitions",
    "population": 500,
    "selection": {"use": "tournament", "size": 2},
    "crossover": {"use": "points", "by": "row", "points": 2, "rate": 0.7},
    "mutation": {"use": "swap", "unit": "row"},
    "adaptation": {"use": "constant", "rate": 0.5},
    "replacement": {"use": "generational", "elites": 1},
}
"""The genetic algorithm of `benchmarks.engines`, without parameters that old commits may lack."""
GENOKU = ("-m", "genoku")
ANNEALING: dict[str, Any] = {"use": "annealing", "moves": 100_000}
HARD = ("ai-escargot", "golden-nugget", "inkala-2012")
STUDY = """
puzzles = ["charles-easy", "charles-hard"]
seeds = 5
until = "generations=50"

[[algorithms]]
preset = "charles"
grid.population = [150, 300]
"""


@dataclass(frozen=True)
class Search:
    """Runs in a process that has made the same ones before, so that everything is loaded."""

    name: str
    about: str
    job: Mapping[str, Any]
    """What `timer.measure` takes."""
    amount: int = 0
    """The number of units that a turn makes; 0 if its time is shown."""
    unit: str = ""
    turns: int = 6
    """Of each side in a round."""


@dataclass(frozen=True)
class Command:
    """A new process, whose files and compiled kernels are there."""

    name: str
    about: str
    words: tuple[str, ...]
    """What Python is called with."""
    turns: int
    """Of each side in a round."""
    expected: str = ""
    """What it must print."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The texts of files in the folder where it runs, by name."""


Row = Search | Command


def unsolvable(side: int) -> str:
    """Return an empty board with two equal givens in a column, so that no run ends early."""
    cells = ["."] * side * side
    cells[0] = cells[(side - 1) * side] = "1"
    return "".join(cells)


def search_job(
    puzzles: Sequence[str], recipe: str | Mapping[str, Any], until: str, seeds: int = 1
) -> dict[str, Any]:
    """Return a job for `timer`: a run on each puzzle with each seed from 1 on."""
    return {
        "puzzles": list(puzzles),
        "recipe": recipe,
        "seeds": list(range(1, seeds + 1)),
        "until": until,
    }


def genetic(side: int, generations: int) -> Search:
    return Search(
        f"genetic-{side}",
        f"genetic algorithm, {side}×{side}",
        search_job([unsolvable(side)], REFERENCE, f"generations={generations}"),
        amount=500 * generations,
        unit="individuals/s",
    )


def annealing(side: int, steps: int) -> Search:
    return Search(
        f"annealing-{side}",
        f"annealing, {side}×{side}",
        search_job([unsolvable(side)], ANNEALING, f"generations={steps}"),
        amount=100_000 * steps,
        unit="moves/s",
    )


def champion(side: int, names: Sequence[str], seeds: int) -> Search:
    puzzles = [str(bundled()[name].puzzle) for name in names]
    return Search(
        f"champion-{side}",
        f"champion, {side}×{side}, {len(names) * seeds} runs",
        search_job(puzzles, "champion", "generations=2000", seeds),
    )


ROWS: dict[str, Row] = {
    row.name: row
    for row in (
        genetic(9, 1000),
        genetic(16, 600),
        genetic(25, 300),
        annealing(9, 100),
        annealing(16, 100),
        annealing(25, 100),
        champion(9, HARD, 24),
        champion(25, ("25x25-45-percent",), 4),
        Command("import", "`import genoku`", ("-c", "import genoku"), turns=8),
        Command("help", "`genoku --help`", (*GENOKU, "--help"), turns=6, expected="Usage"),
        Command(
            "solve",
            "`genoku solve inkala-2012`",
            (*GENOKU, "solve", "inkala-2012", "--json"),
            turns=2,
            expected=SOLUTION,
        ),
        Command(
            "study",
            "`genoku study run`, 20 short runs",
            (*GENOKU, "study", "run", "small.toml", "--jobs", "1"),
            turns=2,
            files={"small.toml": STUDY},
        ),
    )
}
"""Everything that can be timed, by name."""


# A turn


@dataclass(frozen=True)
class Turn:
    """The CPU seconds of a turn and a hash of its results, or why there is none."""

    seconds: float = 0.0
    result: str = ""
    missing: str = ""


class Timer:
    """A process of one side that makes runs and times them; it ends with the `with` block."""

    def __init__(self, side: Side) -> None:
        self.process = subprocess.Popen(
            side.command(str(PROGRAM)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD, **side.variables},
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is for us alone
        )

    def __enter__(self) -> Timer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def take_turn(self, search: Search) -> Turn:
        """Let it make the runs of a row."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        limit = threading.Timer(PATIENCE, self.process.kill)
        limit.start()
        try:
            self.process.stdin.write(f"{json.dumps(search.job)}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            limit.cancel()
        if not line:
            return Turn(missing=f"its process ended with exit code {self.process.wait()}")
        return Turn(**json.loads(line))


def run_command(command: Command, side: Side) -> Turn:
    """Start a process in an empty folder, and wait for its end."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in command.files.items():
            (Path(folder) / name).write_text(text, "utf-8")
        words = side.command(*command.words)
        try:
            spent = time_process(words, command.expected, side.variables, folder=Path(folder))
        except GenokuError as error:
            return Turn(missing=str(error))
    return Turn(spent.cpu if isfinite(spent.cpu) else spent.wall)


# Rounds


@dataclass
class Comparison:
    """A row's times so far: in each round, the quickest turn of this tree and of the other."""

    row: Row
    rounds: list[tuple[float, float]] = field(default_factory=list)
    same: bool = True
    """Whether all results were the same."""
    missing: str = ""
    """Why it is not timed."""

    @property
    def ratio(self) -> Ratio | None:
        """The time here, relative to the other; None if it is not timed."""
        if self.missing:
            return None
        return Ratio.of([here / there for here, there in self.rounds])

    @property
    def seconds(self) -> tuple[float, float]:
        """The medians of both."""
        here, there = zip(*self.rounds, strict=True)
        return median(here), median(there)

    def add(self, number: int, take_turn: Callable[[int], Turn]) -> None:
        """Time a round; of each side the quickest turn counts, since much makes one slower."""
        turns: tuple[list[Turn], list[Turn]] = ([], [])
        for which in order_of_turns(number, self.row.turns):
            turn = take_turn(which)
            if turn.missing:
                self.missing = _missing(which, turn)
                return
            turns[which].append(turn)
        self.same &= len({turn.result for side in turns for turn in side}) == 1
        here, there = (min(turn.seconds for turn in side) for side in turns)
        self.rounds.append((here, there))

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        ratio = self.ratio
        return {
            "row": self.row.name,
            "about": self.row.about,
            "ratio": None if ratio is None else asdict(ratio),
            "verdict": "" if ratio is None else ratio.verdict,
            "same_results": self.same,
            "missing": self.missing,
            "seconds": self.rounds,
        }


def _missing(which: int, turn: Turn) -> str:
    return f"not {('in this tree', 'there')[which]}: {turn.missing}"


@contextmanager
def turns_of(sides: Sequence[Side], chosen: Sequence[Row]) -> Iterator[Callable[[Row, int], Turn]]:
    """Start a process of each side that makes runs, and yield what takes a turn of a row."""
    searches = [row for row in chosen if isinstance(row, Search)]
    with ExitStack() as stack:
        timers = [stack.enter_context(Timer(side)) for side in sides if searches]

        def take_turn(row: Row, which: int) -> Turn:
            if isinstance(row, Search):
                return timers[which].take_turn(row)
            return run_command(row, sides[which])

        yield take_turn


def warm_up(sides: Sequence[Side], chosen: Sequence[Row]) -> list[Comparison]:
    """Make every row once, so that kernels are compiled and files are there.

    A row that a side cannot make is not timed.
    """
    found = [Comparison(row) for row in chosen]
    with turns_of(sides, chosen) as take_turn:
        for comparison in found:
            for which in range(len(sides)):
                turn = take_turn(comparison.row, which)
                if turn.missing:
                    comparison.missing = _missing(which, turn)
                    break
    return found


def time_round(sides: Sequence[Side], number: int, found: Sequence[Comparison]) -> Iterator[str]:
    """Time a round of all rows, in new processes; yield a row's name before its turns."""
    timed = [each for each in found if not each.missing]
    with turns_of(sides, [each.row for each in timed]) as take_turn:
        for comparison in timed:
            yield comparison.row.name
            turn_of = partial(take_turn, comparison.row)
            if isinstance(comparison.row, Search):
                for which in order_of_turns(number, turns=1):
                    turn_of(which)  # loads what is timed
            comparison.add(number, turn_of)


def compare(
    sides: Sequence[Side], chosen: Sequence[Row], rounds: int, watch: Callable[[str], None]
) -> list[Comparison]:
    """Time all rows on both sides in turns; `watch` gets a progress message before each."""
    watch("warming up, which compiles kernels the first time")
    found = warm_up(sides, chosen)
    for number in range(rounds):
        for name in time_round(sides, number, found):
            watch(f"round {number + 1} of {rounds}: {name}")
    return found


# The command

ROUNDS = 12
ROW_LIST = "\n".join(f"  {row.name:13}  {row.about}" for row in ROWS.values())


@click.command(
    "python3 run.py bench speed",
    context_settings=cli.context_settings,
    epilog=f"""\b
Examples:
  python3 run.py bench speed                            what is not committed, beside HEAD
  python3 run.py bench speed --beside v0.1.0            beside a release
  python3 run.py bench speed genetic-9 --rounds 30      one row, more exactly
  python3 run.py bench speed --fail-above 1.05          exit with 1 if anything is slower

\b
Rows:
{ROW_LIST}

\b
Times are CPU seconds of the quickest of several turns in a round. A ratio is the time of this tree
divided by that of COMMIT in the same round: above 1, this tree is slower. The table shows its
median over all rounds, and an interval of {CONFIDENCE:.0%} confidence; if the whole interval is
more than {MARGIN:.0%} from 1, it is marked.
""",
)
@click.argument("rows", nargs=-1, type=click.Choice(list(ROWS)), metavar="[ROW]...")
@click.option(
    "--beside",
    metavar="COMMIT",
    default="HEAD",
    show_default="HEAD",
    help="What to compare with: a commit, branch or tag, or a folder with another clone.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=FEWEST),
    default=ROUNDS,
    metavar="N",
    show_default=str(ROUNDS),
    help="More rounds give shorter intervals.",
)
@click.option(
    "--fail-above",
    type=click.FloatRange(min=0, min_open=True),
    metavar="RATIO",
    help="Exit with 1 if the whole interval of a row is above, such as 1.05.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE.md",
    shell_complete=completion.files,
    help="The table.",
    show_default="standard output",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one object.")
@click.option(
    "--clean",
    "cleans",
    is_flag=True,
    help="Remove the environments of all commits from your cache folder, 0.3 GB each.",
)
def speed(
    rows: tuple[str, ...],
    beside: str,
    rounds: int,
    fail_above: float | None,
    output: str | None,
    as_json: bool,
    cleans: bool,
) -> int:
    """Time this working tree beside another commit, in turns, and print the ratios.

    The commit is installed once, into an environment of its own in your cache folder, and so is a
    copy of this tree with its uncommitted changes. Only genoku differs between them.
    """
    if cleans:
        with locked(say):
            say(f"removed {clean()}")
        return 0
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise GenokuError("kernels are not compiled here (NUMBA_DISABLE_JIT), so no ratio holds")
    check_output_files({"-o": output}, kinds={"-o": "Markdown"})
    source = find_source(beside)
    chosen = [row for row in ROWS.values() if row.name in (rows or ROWS)]
    with locked(say):
        sides = [prepare(each, say) for each in (this_tree(), source)]
        with watching(rounds * len(chosen)) as watch:
            found = compare(sides, chosen, rounds, watch)
    facts = facts_of(sides, rounds)
    written = markdown(facts, found, sides)
    if output:
        write_text(Path(output), written)
        say(f"wrote {output}")
    if as_json:
        print_json({"facts": facts, "rows": [each.as_json() for each in found]})
    elif not output:
        click.echo(written, nl=False)
    slower = [each.row.name for each in found if each.ratio and is_above(each.ratio, fail_above)]
    if slower:
        say(f"slower than {fail_above:g}×: {join_words(slower)}")
    return EXIT_CHANGED if slower else 0


def is_above(ratio: Ratio, limit: float | None) -> bool:
    """Whether a ratio is above a limit with its whole interval."""
    return limit is not None and ratio.low > limit


@contextmanager
def watching(turns: int) -> Iterator[Callable[[str], None]]:
    """Show progress: on a terminal in one line, otherwise in a line for each round."""
    if not can_redraw():
        said: list[str] = []

        def line(words: str) -> None:
            step = words.split(":", maxsplit=1)[0]
            if said[-1:] != [step]:
                said.append(step)
                say(step)

        yield line
        return
    with progress_bar("speed", turns, estimates=True) as (progress, task):
        done = -1

        def redraw(words: str) -> None:
            nonlocal done
            progress.update(task, completed=max(0, done), message=words)
            done += 1

        yield redraw


def facts_of(sides: Sequence[Side], rounds: int) -> dict[str, str]:
    """Return what the figures depend on, by name."""
    known = machine()
    here, there = sides
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        **{name: known[name] for name in ("date", "CPU", "cores")},
        "load": load,
        **{name: known[name] for name in ("system", "Python", "numpy", "numba")},
        "this tree": here.about,
        "beside": there.about,
        "rounds": str(rounds),
        "command": shlex.join(["python3", "run.py", "bench", "speed", *sys.argv[1:]]),
    }


def markdown(facts: Mapping[str, str], found: Sequence[Comparison], sides: Sequence[Side]) -> str:
    """Format the facts, a table of all rows, and how to read it."""
    columns = ("row", "what", "this tree", sides[1].name, "ratio", f"{CONFIDENCE:.0%} interval", "")
    parts = (
        "\n".join(f"- {name}: {fact}" for name, fact in facts.items()),
        markdown_table(columns, [cells(each) for each in found]),
        "A ratio is the CPU time of this tree, divided by that of the other in the same round: "
        "above 1, this tree is slower. It is the median of all rounds; it is marked if its whole "
        f"interval is more than {MARGIN:.0%} from 1. Speeds and times are medians, too.",
    )
    return "\n\n".join(parts) + "\n"


def cells(comparison: Comparison) -> tuple[str, ...]:
    """Return the line of a row in the table."""
    row, ratio = comparison.row, comparison.ratio
    if ratio is None:
        return row.name, row.about, "", "", "", "", comparison.missing
    notes = [f"**{ratio.verdict}**"] if ratio.verdict else []
    notes += [] if comparison.same else ["other results"]
    here, there = (amount_text(row, seconds) for seconds in comparison.seconds)
    return (
        row.name,
        row.about,
        here,
        there,
        f"{ratio.median:.3f}",
        f"{ratio.low:.3f} – {ratio.high:.3f}",
        "; ".join(notes),
    )


def amount_text(row: Row, seconds: float) -> str:
    """Format a speed or a time."""
    if isinstance(row, Search) and row.amount:
        return f"{format_compact(row.amount / seconds)} {row.unit}"
    return format_duration(seconds)


def main() -> NoReturn:
    run_and_exit(sys.argv[1:], speed)


if __name__ == "__main__":
    main()
