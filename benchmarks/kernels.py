"""Detect kernels that became slower, on any machine: their times relative to a plain loop.

Both are measured in the same process, in turns. A kernel has regressed if its ratio is more than
`LIMIT` times the expected one, and again when it is measured a second time. Expected ratios are in
`kernels.toml`, with the processor on which they were recorded; after a kernel has changed on
purpose, `python3 run.py bench kernels --record` writes them again.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.engines import BASIC, REFERENCE
from benchmarks.measuring import processor
from benchmarks.scaling import unsolvable
from benchmarks.sections import Plan, Say, Table
from benchmarks.sets import FAMOUS
from genoku.errors import GenokuError
from genoku.evolve.algorithms import Annealing, Champion, Tabu
from genoku.evolve.encoding import FreeCells
from genoku.evolve.fitness import Contradictions, MissingDigits, Repetitions
from genoku.evolve.operators.crossover import Cycle, Order, PartiallyMatched, Points, Uniform
from genoku.evolve.operators.diversity import NoTwins, diversity
from genoku.evolve.operators.mutation import Swap
from genoku.evolve.operators.selection import Rank, Tournament
from genoku.evolve.problem import Problem
from genoku.evolve.state import Algorithm
from genoku.exact.oracle import count_batch
from genoku.exact.propagation import PAIRS, SINGLES, empty_masks, links, load_board
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import JIT_IS_ON, kernel, popcount
from genoku.runtime.random import integers, stream

# The loops. They never change, since expected ratios are recorded against them.


BYTES = 81 * 400
PASSES = 120
PLACES = 4096
STEPS = 120_000


@kernel
def sweep(values: NDArray[np.uint8], masks: NDArray[np.uint16], passes: int) -> Any:
    """Read bytes in order: masks of values and their neighbours, which compilers vectorise."""
    found: Any = 0
    last = np.uint64(len(values) - 2)
    for shift in range(passes):
        for i in range(len(values)):
            value = (values[np.uint64(i)] + np.uint8(shift)) & np.uint8(15)
            masks[np.uint64(i)] = np.uint16(1) << np.uint16(value)
        place = np.uint64(0)
        while place < last:
            met = masks[place] | masks[place + np.uint64(1)] | masks[place + np.uint64(2)]
            found += np.int64(popcount(met))
            place += np.uint64(3)
    return found


@kernel
def walk(table: NDArray[np.uint32], steps: int) -> Any:
    """Make dependent steps: random draws, look-ups, an unpredictable branch."""
    bits = np.uint64(0x9E3779B97F4A7C15)
    places = np.uint64(len(table))
    met = np.uint64(0)
    for _ in range(steps):
        bits ^= bits << np.uint64(13)
        bits ^= bits >> np.uint64(7)
        bits ^= bits << np.uint64(17)
        here = ((bits >> np.uint64(32)) * places) >> np.uint64(32)
        seen = np.uint64(table[here])
        there = (seen + met) % places
        if (seen ^ bits) & np.uint64(1):
            table[here], table[there] = table[there], table[here]
            met += seen & np.uint64(7)
        else:
            met ^= np.uint64(table[there])
    return met


def sweep_once() -> Any:
    """Run `sweep` for about a millisecond."""
    return sweep(VALUES, MASKS, PASSES)


def walk_once() -> Any:
    """Run `walk` for about a millisecond."""
    return walk(TABLE.copy(), STEPS)


VALUES: NDArray[np.uint8] = (np.arange(BYTES) * 7 % 9 + 1).astype(np.uint8)
MASKS: NDArray[np.uint16] = np.zeros(BYTES, np.uint16)
TABLE: NDArray[np.uint32] = (np.arange(PLACES, dtype=np.uint64) * 2_654_435_761 % 2**32).astype(
    np.uint32
)


# What kernels are given to do: the same work every time.


Work = Callable[[], object]
Yardstick = Literal["sweep", "walk"]

BOARDS = 500


@dataclass(frozen=True)
class Workload:
    """A call of a kernel, and the loop that it is compared with."""

    name: str
    yardstick: Yardstick
    work: Work


def workloads() -> Iterator[Workload]:
    """Yield all workloads, warm."""
    for workload in (*_fitnesses(), *_operators(), *_searches()):
        workload.work()
        yield workload


def _fitnesses() -> Iterator[Workload]:
    for side, name in ((9, ""), (16, "16x16-medium"), (25, "25x25-half"), (36, "36x36-60-percent")):
        puzzle = bundled()[name].puzzle if name else BASIC
        yield _costs(f"fitness-{side}", Problem.of(puzzle, FreeCells(), Repetitions()), "sweep")
    for name, fitness in (("pairs", Contradictions()), ("missing", MissingDigits())):
        yield _costs(f"fitness-{name}", Problem.of(BASIC, FreeCells(), fitness), "walk")


def _costs(name: str, problem: Problem, yardstick: Yardstick) -> Workload:
    boards = problem.space.sample(BOARDS, stream(1, "kernels"))
    return Workload(name, yardstick, partial(problem.costs, boards))


def _operators() -> Iterator[Workload]:
    problem = Problem.of(BASIC, REFERENCE.encoding, REFERENCE.fitness)
    rng = stream(1, "kernels")
    boards = problem.space.sample(BOARDS, rng)
    costs = problem.costs(boards)
    mates = Tournament(2)(costs, BOARDS // 2, 2, problem, rng)

    def afresh(operator: Callable[..., object], *arguments: object) -> Work:
        """Call an operator with the same random numbers every time."""
        return lambda: operator(*arguments, problem, rng.copy())

    for name, selection in (("tournament", Tournament(2)), ("rank", Rank())):
        yield Workload(f"selection-{name}", "walk", afresh(selection, costs, BOARDS // 2, 2))
    for name, exchange in (
        ("points", Points("row", points=2, rate=0.7)),
        ("uniform", Uniform("row", children=2, rate=0.7)),
    ):
        yield Workload(f"crossover-{name}", "sweep", afresh(exchange, boards, mates))
    for name, ordering in (("matched", PartiallyMatched()), ("order", Order()), ("cycle", Cycle())):
        yield Workload(f"crossover-{name}", "walk", afresh(ordering, boards, mates))
    yield Workload("mutation-swap", "walk", afresh(Swap("row"), boards, 0.5))
    yield Workload("twins", "sweep", afresh(NoTwins(), boards, boards))
    yield Workload("diversity", "walk", partial(diversity, boards, problem))
    yield _step("generation", REFERENCE, BASIC)


def _searches() -> Iterator[Workload]:
    for side in (9, 25):
        board = unsolvable(Geometry.of_side(side))
        yield _step(f"annealing-{side}", Annealing(moves=20_000), board)
        yield _step(f"tabu-{side}", Tabu(moves=200), board)
    yield _step("champion-25", Champion(), bundled()["25x25-45-percent"].puzzle)
    for side, rules, name in ((9, SINGLES, "9x9-easy"), (25, PAIRS, "25x25-half")):
        puzzle = bundled()[name].puzzle
        masks, table = empty_masks(puzzle.geometry), links(puzzle.geometry)
        laid = partial(load_board, puzzle.board.copy(), masks, table, rules)
        yield Workload(f"propagation-{side}", "walk", laid)
    hard = np.stack([bundled()[name].puzzle.board for name in FAMOUS])
    yield Workload("search-9", "walk", partial(count_batch, hard, Geometry(3, 3)))


def _step(name: str, algorithm: Algorithm, puzzle: Puzzle) -> Workload:
    """Return a call of the second step, always the same one."""
    problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
    start = algorithm.start(problem, stream(1, "kernels"))
    state = algorithm.step(problem, start)
    return Workload(name, "walk", partial(algorithm.step, problem, state))


# The rule.


FILE = Path(__file__).parent / "kernels.toml"
LIMIT = 1.6
AGAIN = 10  # times the rounds, the second time
GAPS, LARGEST_GAP = 12, 16_384  # bytes
ROUND = 1e-3  # seconds, about, of one round
# CPU time, which passes over what others do meanwhile; where it goes by ticks, the wall's.
clock = (
    time.thread_time if time.get_clock_info("thread_time").resolution < 1e-6 else time.perf_counter
)
HEADER = """\
# What kernels take, as ratios to the loops of `yardstick.py` in the same process. A kernel has
# regressed if its ratio is more than {limit} times the one here, measured twice.
# Written by: python3 run.py bench kernels --record
"""


@dataclass(frozen=True)
class Expected:
    """The recorded ratios by kernel, and the processor."""

    processor: str
    ratios: Mapping[str, float]

    @classmethod
    def read(cls, path: Path = FILE) -> Expected:
        try:
            facts = tomllib.loads(path.read_text("utf-8"))
            ratios = {str(name): float(ratio) for name, ratio in facts["ratios"].items()}
            return cls(str(facts["processor"]), ratios)
        except OSError as error:
            raise GenokuError(f"{path}: {error.strerror}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise GenokuError(f"{path}: expected a processor and ratios, got {error}") from None

    def text(self) -> str:
        """Return the text that `read` reads."""
        lines = [f'processor = "{self.processor}"', "", "[ratios]"]
        lines += [f"{name} = {ratio:.3g}" for name, ratio in self.ratios.items()]
        return HEADER.format(limit=LIMIT) + "\n" + "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Verdict:
    """A kernel's ratio and the expected one; the lower of two if it was measured twice."""

    kernel: str
    ratio: float
    expected: float | None

    @property
    def times(self) -> float | None:
        """The measured ratio as a multiple of the expected one; None for an unknown kernel."""
        return None if self.expected is None else self.ratio / self.expected

    @property
    def regressed(self) -> bool:
        return self.times is not None and self.times > LIMIT


def judge(
    kernel: str, expected: float | None, measure: Callable[[int], float], rounds: int
) -> Verdict:
    """Measure a kernel's ratio in some rounds, and in many more if it seems to have regressed.

    Other processes on the same core may briefly slow some kernels more than others.

    >>> ratios = {20: 9.0, 200: 2.0}
    >>> judge("swap", 2.0, ratios.__getitem__, rounds=20).regressed
    False
    """
    verdict = Verdict(kernel, measure(rounds), expected)
    if verdict.regressed:
        return Verdict(kernel, min(verdict.ratio, measure(AGAIN * rounds)), expected)
    return verdict


def ratio(work: Work, yardstick: Work, rounds: int) -> float:
    """Return the time of a call of `work`, relative to a call of the yardstick.

    Rounds of both take turns, each about as long as the other; the shortest of each counts, since
    nothing makes a loop quicker than it is, and much makes it slower. Some of that depends on
    where in memory its scratch lies, to a factor of two: so every round leaves other gaps.
    """
    calls = max(1, round(ROUND / _least(work, 1, 3)))
    least, yard = float("inf"), float("inf")
    gaps: list[NDArray[np.uint8]] = []
    for number in range(rounds):
        sizes = integers(stream(number, "gaps"), LARGEST_GAP, GAPS).tolist()
        gaps = [np.empty(1 + size, np.uint8) for size in sizes]
        yard = min(yard, _least(yardstick, 1, 1))
        least = min(least, _least(work, calls, 1))
    del gaps
    return least / yard


def _least(work: Work, calls: int, rounds: int) -> float:
    """Return the seconds of a call in the fastest of some rounds."""
    least = float("inf")
    for _ in range(rounds):
        start = clock()
        for _ in range(calls):
            work()
        least = min(least, (clock() - start) / calls)
    return least


def regressions(figures: Mapping[str, float]) -> list[str]:
    """Describe the kernels that have regressed, from the figures of a benchmark."""
    ends = ".times_expected"
    return [
        f"{key.removeprefix('kernels.').removesuffix(ends)} takes {times:.2g}× what is expected"
        for key, times in figures.items()
        if key.startswith("kernels.") and key.endswith(ends) and times > LIMIT
    ]


# The section.


YARDSTICKS: dict[str, Work] = {"sweep": sweep_once, "walk": walk_once}
ROUNDS, QUICK_ROUNDS = 60, 25
RECORDED = 4  # times


def measure(plan: Plan, say: Say) -> list[Table]:
    expected = Expected.read()
    rounds = QUICK_ROUNDS if plan.quick else ROUNDS
    return [table(verdicts(workloads(), expected, rounds, say), expected)]


def verdicts(
    everything: Iterable[Workload], expected: Expected, rounds: int, say: Say
) -> list[Verdict]:
    """Judge every kernel."""
    refuse_plain_python()
    found = []
    for workload in everything:
        say(workload.name)
        known = expected.ratios.get(workload.name)
        found.append(judge(workload.name, known, partial(measure_ratio, workload), rounds))
    return found


def refuse_plain_python() -> None:
    if not JIT_IS_ON:
        raise GenokuError("kernels are not compiled here (NUMBA_DISABLE_JIT), so no ratio holds")


def measure_ratio(workload: Workload, rounds: int) -> float:
    yardstick = YARDSTICKS[workload.yardstick]
    yardstick()  # loads it
    return ratio(workload.work, yardstick, rounds)


def table(found: list[Verdict], expected: Expected) -> Table:
    here = processor()
    elsewhere = "" if expected.processor == here else f", and this is {here}"
    slow = [verdict.kernel for verdict in found if verdict.regressed]
    return Table(
        "Kernels beside a plain loop",
        ("kernel", "ratio", "expected", "of the expected", "verdict"),
        tuple(
            (
                verdict.kernel,
                f"{verdict.ratio:.3g}",
                "" if verdict.expected is None else f"{verdict.expected:.3g}",
                "" if verdict.times is None else f"{verdict.times:.2f}×",
                "**regressed**" if verdict.regressed else "" if verdict.times else "new",
            )
            for verdict in found
        ),
        legend=(
            "The time of a call divided by that of a fixed loop in the same process, measured in "
            "turns; both are minima of many rounds. A kernel has regressed if its ratio is more "
            f"than {LIMIT:g} times the expected one, twice. Expected ratios were recorded on "
            f"{expected.processor}{elsewhere}. "
            + (f"Regressed: {', '.join(slow)}." if slow else "None has regressed.")
        ),
        figures={
            **{f"{each.kernel}.ratio": each.ratio for each in found},
            **{f"{each.kernel}.times_expected": each.times for each in found if each.times},
            "regressed": len(slow),
        },
    )


def record() -> None:
    """Measure all kernels, and record their ratios as the expected ones.

    The lowest of several counts, each with arrays of its own: where they lie, and what else the
    machine does, can only make a kernel look slower.
    """
    refuse_plain_python()
    ratios: dict[str, float] = {}
    for several in zip(*(list(workloads()) for _ in range(RECORDED)), strict=True):
        name = several[0].name
        ratios[name] = min(measure_ratio(each, RECORDED * ROUNDS) for each in several)
        print(f"{name:20} {ratios[name]:.3g}", flush=True)
    FILE.write_text(Expected(processor(), ratios).text(), "utf-8")
    print(f"wrote {FILE}")
