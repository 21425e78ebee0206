"""Peak memory of processes, and the size of a run in a study's store."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.engines import ENGINES, job
from benchmarks.environment import PROGRAMS, Peers
from benchmarks.processes import (
    NOT_MEASURED,
    PEAK_IS_KNOWN,
    descendants,
    genoku,
    output_of,
    peak_of,
    python,
    serving,
)
from benchmarks.sections import Chart, Plan, Say, Table
from genoku.errors import GenokuError

EMPTY = "python -c pass"
POPULATIONS = (500, 5000)
GENETIC = """
from dataclasses import replace
from benchmarks.engines import BASIC, REFERENCE
from genoku.engine.run import run
run(BASIC, replace(REFERENCE, population={population}), until="generations={generations}")
"""
STUDY = """
puzzles = ["charles-hard"]
seeds = {runs}
until = "generations=150"

[[algorithms]]
preset = "charles"
set.population = 150
"""
SOLVED = {9: "ai-escargot", 25: "25x25-45-percent", 36: "36x36-55-percent"}

IDLE = 1.0  # seconds that it is left alone


@dataclass(frozen=True)
class Size:
    """How much work the processes do."""

    generations: int
    peer_generations: int
    peer_populations: tuple[int, ...]
    runs: int
    solved: tuple[int, ...]


FULL = Size(200, 20, POPULATIONS, 1000, (9, 25, 36))
QUICK = Size(50, 5, POPULATIONS[:1], 100, (9, 25))


@dataclass(frozen=True)
class Process:
    """A process to start, and how to find its peak in bytes; None if unknown."""

    key: str
    title: str
    peak: Callable[[], int | None]
    is_ours: bool = True


def measure(plan: Plan, say: Say) -> list[Table]:
    size = QUICK if plan.quick else FULL
    found: dict[Process, int | None] = {}
    missing = [] if plan.peers else [f"the peers: {plan.without}"]
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "memory.toml"
        for process in processes(size, plan, study):
            say(process.title)
            try:
                found[process] = process.peak()
            except GenokuError as error:
                if process.is_ours:
                    raise
                missing.append(str(error))
        kept = study.with_suffix(".db").stat().st_size / size.runs
        say("genoku serve")
        try:
            found |= server()
        except GenokuError as error:  # perhaps it is not installed
            missing.append(str(error))
    return [peaks(found, missing), store(kept, size.runs)]


def processes(size: Size, plan: Plan, study: Path) -> list[Process]:
    """Return the processes to measure, smallest first."""
    found = [
        Process("python", EMPTY, partial(peak_of, python("pass"))),
        Process("import-numpy", "import numpy", partial(peak_of, python("import numpy"))),
        Process("import-numba", "import numba", partial(peak_of, python("import numba"))),
        Process("import-genoku", "import genoku", partial(peak_of, python("import genoku"))),
    ]
    for side in size.solved:
        solve = genoku("solve", SOLVED[side], "--json")
        found.append(
            Process(f"solve-{side}", f"genoku solve, {side}×{side}", partial(again, solve))
        )
    for population in POPULATIONS:
        program = python(GENETIC.format(population=population, generations=size.generations))
        title = f"genetic algorithm of {population:,}: genoku"
        found.append(Process(f"genetic-{population}", title, partial(again, program)))
        if plan.peers is not None and population in size.peer_populations:
            found += of_peers(plan.peers, population, size.peer_generations, plan.seed)
    title = f"genoku study run, {size.runs:,} runs"
    found.append(Process("study", title, partial(study_peak, study, size.runs)))
    return found


def again(command: Sequence[str]) -> int | None:
    """Measure the second start, since the first compiles kernels, which takes memory."""
    peak_of(command)
    return peak_of(command)


def study_peak(file: Path, runs: int) -> int | None:
    """Measure the process that runs a study, after a small one has compiled the kernels."""
    first = file.with_stem("first")
    first.write_text(STUDY.format(runs=1), "utf-8")
    file.write_text(STUDY.format(runs=runs), "utf-8")
    output_of(genoku("study", "run", str(first), "--jobs", "1"), {})
    command = genoku("study", "run", str(file), "--jobs", "1")
    if not PEAK_IS_KNOWN:
        output_of(command, {})  # for its store
    return peak_of(command)


def of_peers(peers: Peers, population: int, generations: int, seed: int) -> list[Process]:
    """Return the same genetic algorithm in the installed peers."""
    found = []
    for engine in ENGINES:
        if engine.package not in peers.versions or engine.tuned:
            continue
        asked = {**job(engine, "two points", generations, seed, 1), "population": population}
        program = [str(peers.python), str(PROGRAMS / engine.program)]
        title = f"{engine.name} {peers.versions[engine.package]}"
        found.append(
            Process(
                f"genetic-{population}.{engine.key}",
                f"genetic algorithm of {population:,}: {title}",
                partial(peak_of, program, json.dumps(asked)),
                is_ours=False,
            )
        )
    return found


# The web server


def server() -> dict[Process, int | None]:
    """Measure the peak of an idle server, alone and with all its processes."""
    alone, family = server_peaks() if sys.platform == "linux" else (None, None)
    return {
        Process("serve", "genoku serve, idle", lambda: alone): alone,
        Process("serve-all", "genoku serve, with what it keeps ready", lambda: family): family,
    }


def server_peaks() -> tuple[int, int]:
    """Return the peaks of a server and of all its processes, as Linux reports them."""
    with serving() as server:
        time.sleep(IDLE)
        pid = server.process.pid
        alone = high_water(pid)
        return alone, alone + sum(map(high_water, descendants(pid)))


def high_water(pid: int) -> int:
    """Return the peak memory of a living process, in bytes."""
    with suppress(OSError):  # it has ended
        for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


# Tables


def peaks(found: Mapping[Process, int | None], missing: Sequence[str] = ()) -> Table:
    empty = next((peak for process, peak in found.items() if process.title == EMPTY), None) or 0
    rows = tuple(
        (
            process.title,
            NOT_MEASURED if peak is None else megabytes(peak),
            "" if peak is None or process.title == EMPTY else megabytes(max(0, peak - empty)),
        )
        for process, peak in found.items()
    )
    known = {process: peak for process, peak in found.items() if peak is not None}
    left_out = f" Not measured: {'; '.join(missing)}." if missing else ""
    return Table(
        "Peak memory of new processes",
        ("process", "peak", "beyond an empty Python"),
        rows,
        legend=(
            "Peak resident memory, as the system reports it for an ended process (for the "
            "server, while it is idle; for a study, the single process that runs it). Kernels were "
            f"compiled before, but every search still loads Numba with its compiler.{left_out}"
        ),
        chart=Chart(
            "Peak memory",
            "megabytes",
            (("peak", tuple((each.title, peak / 1e6) for each, peak in known.items())),),
        )
        if known
        else None,
        figures={f"{process.key}.peak_mb": peak / 1e6 for process, peak in known.items()},
    )


def store(kept: float, runs: int) -> Table:
    return Table(
        "A study on disk",
        ("what", "bytes"),
        (("a run of 150 generations in the store", f"{kept:,.0f}"),),
        legend=f"The file of {runs:,} runs, divided by their number: rows, curves and indices.",
        figures={"store.bytes_per_run": kept},
    )


def megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"
