"""The time of imports and first commands, in new processes."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.environment import Peers
from benchmarks.measuring import Spread, in_turns
from benchmarks.processes import NOT_MEASURED, Spent, genoku, python, time_process
from benchmarks.sections import Chart, Plan, Say, Table
from genoku.errors import GenokuError
from genoku.runtime.text import format_duration

PUZZLE = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
SOLUTION = "812753649943682175675491283154237896369845721287169534521974368438526917796318452"

EMPTY = "python -c pass"


class First(NamedTuple):
    """A command that may be a user's first, and what it must print."""

    command: list[str]
    expected: str


FIRST = {
    "genoku evolve": First(genoku("evolve", "--json"), '"solved": true'),
    "genoku solve": First(genoku("solve", PUZZLE, "--json"), SOLUTION),
}
COLD, WARM = "kernels compiled first", "kernels found"

PEERS = {
    "deap": "from deap import algorithms, base, creator, tools",
    "pygad": "import pygad",
    "pymoo": "from pymoo.algorithms.soo.nonconvex.ga import GA",
    "simanneal": "import simanneal",
}
"""What a user of each imports."""

KEYS = {
    EMPTY: "python",
    "import numpy": "numpy",
    "import genoku": "genoku",
    "genoku --help": "help",
    **{f"{name}, {WARM}": f"{name.split()[1]}_warm" for name in FIRST},
    **{f"{name}, {COLD}": f"{name.split()[1]}_cold" for name in FIRST},
}


def measure(plan: Plan, say: Say) -> list[Table]:
    """Measure medians over new processes, started in turns, with warm files."""
    repeats, cold_repeats = (3, 1) if plan.quick else (11, 3)
    with tempfile.TemporaryDirectory() as folder:
        say("first commands with no kernel compiled")
        colds = {name: [_time_first(name, folder)] for name in FIRST}
        starters: dict[str, Callable[[], Spent]] = {
            EMPTY: partial(time_process, python("pass")),
            "import numpy": partial(time_process, python("import numpy")),
            "import genoku": partial(time_process, python("import genoku")),
            "genoku --help": partial(time_process, genoku("--help"), "Commands"),
            **{f"{name}, {WARM}": partial(_time_first, name, folder) for name in FIRST},
            **of_peers(plan.peers),
        }
        failed = []
        for what, start in list(starters.items()):
            try:
                start()  # so that files are warm, and bytecode is there
            except GenokuError as error:
                if what in KEYS:  # ours must start
                    raise
                failed.append(str(error))
                del starters[what]
        times: dict[str, list[Spent]] = {what: [] for what in starters}
        turns = {what: _once(start) for what, start in starters.items()}
        for what, repeat, spent in in_turns(turns, repeats):
            times[what].append(spent)
            if what == EMPTY:
                say(f"starting everything, {repeat + 1} of {repeats}")
    for number in range(1, cold_repeats):
        say(f"first commands with no kernel compiled, {number + 1} of {cold_repeats}")
        with tempfile.TemporaryDirectory() as folder:
            for name in FIRST:
                colds[name].append(_time_first(name, folder))
    times |= {f"{name}, {COLD}": spent for name, spent in colds.items()}
    missing = failed if plan.peers else [f"the peers' imports: {plan.without}"]
    return [table(times, missing)]


def _time_first(name: str, folder: str) -> Spent:
    """Time a first command with its own cache of compiled kernels in a folder."""
    first = FIRST[name]
    cache = Path(folder, name.replace(" ", "-"))
    return time_process(first.command, first.expected, {"NUMBA_CACHE_DIR": str(cache)})


def _once(start: Callable[[], Spent]) -> Callable[[int], Spent]:
    return lambda _repeat: start()


def of_peers(peers: Peers | None) -> dict[str, Callable[[], Spent]]:
    """Return the imports of the installed peers, in their own Python."""
    if peers is None:
        return {}
    return {
        f"import {name} {peers.versions[name]}": partial(
            time_process, [str(peers.python), "-c", program]
        )
        for name, program in PEERS.items()
        if name in peers.versions
    }


def table(times: Mapping[str, Sequence[Spent]], missing: Sequence[str] = ()) -> Table:
    walls = {what: Spread.of([each.wall for each in spent]) for what, spent in times.items()}
    cpus = {what: median(each.cpu for each in spent) for what, spent in times.items()}
    order = [*KEYS, *(what for what in times if what not in KEYS)]
    rows = tuple(
        (
            what,
            format_duration(walls[what].median),
            f"{format_duration(walls[what].low)} – {format_duration(walls[what].high)}",
            format_duration(cpus[what]) if math.isfinite(cpus[what]) else NOT_MEASURED,
            str(walls[what].count),
        )
        for what in order
    )
    left_out = f" Not measured: {'; '.join(missing)}." if missing else ""
    figures: dict[str, float] = {}
    for what in order:
        key = KEYS.get(what) or what.split()[1]
        figures[f"{key}.wall_ms"] = 1000 * walls[what].median
        if math.isfinite(cpus[what]):
            figures[f"{key}.cpu_ms"] = 1000 * cpus[what]
    return Table(
        "Imports and first commands",
        ("what", "wall, median", "middle half", "CPU, median", "processes"),
        rows,
        legend=(
            "New processes, started in turns, with warm files. A first command compiles every "
            "kernel that it needs into an empty cache folder; the later ones load them. "
            f"Peers' imports are those of typical user code.{left_out}"
        ),
        chart=Chart(
            "Imports and first commands",
            "milliseconds of wall-clock time",
            (("median", tuple((what, 1000 * walls[what].median) for what in order)),),
            log=True,
        ),
        figures=figures,
    )
