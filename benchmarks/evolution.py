"""How fast the evolution engine is, part by part; the section `engines` compares it with peers.

    python3 run.py bench evolution [PART …] [--quick]

bests         individuals per second of the reports' best algorithms
recording     a run with its record, compared with a bare loop of the same steps
fitness       boards per second of each fitness function
annealing     moves per second, and how soon hard boards are solved, with a restart after every
              3 million moves; every cost is counted again
bounds        the cost of bounds checks in users' compiled operators
own-operator  the time to define one, and of its first run
first-runs    the first run of a preset in a new process, kernels compiled or cached

CPU time on one core, warm unless it says cold; medians of repetitions. A missed target changes no
exit code, since other load on the machine slows every figure.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from benchmarks.engines import BASIC, REFERENCE
from benchmarks.measuring import SEED, Bars, cpu_seconds, machine_text
from benchmarks.processes import genoku, python, time_process
from genoku.cli import EXIT_UNSOLVED
from genoku.engine.run import run
from genoku.errors import GenokuError
from genoku.evolve.algorithms import Annealing, Genetic, Restarts
from genoku.evolve.encoding import FreeCells, PermutedBoxes
from genoku.evolve.fitness import FITNESSES, Repetitions
from genoku.evolve.operators.crossover import Points
from genoku.evolve.presets import preset
from genoku.evolve.problem import Problem
from genoku.evolve.state import Algorithm, State
from genoku.evolve.user.operators import board_fitness, board_mutation
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.random import below, stream


class Size(NamedTuple):
    """How much to measure."""

    repeats: int
    generations: int
    boards: int
    processes: int
    pairs: int
    seeds: int
    presets: tuple[str, ...]


PRESETS = ("poderosas", "eran-shahar-ga", "eran-shahar-sa-restarts", "charles", "simon", "sundy")
QUICK = Size(3, 300, 200_000, 1, 3, 3, PRESETS[:1])
FULL = Size(9, 2000, 2_000_000, 3, 15, 30, PRESETS)
OWN_OPERATOR = """
from genoku.evolve.user.operators import board_mutation
from genoku.runtime.random import below

@board_mutation
def swap(board, blanks, rng):
    one, two = below(rng, len(blanks)), below(rng, len(blanks))
    board[blanks[one]], board[blanks[two]] = board[blanks[two]], board[blanks[one]]
"""
OWN_RUN = """
import time
from dataclasses import replace
from benchmarks.engines import BASIC, REFERENCE
from genoku import run

run(BASIC, REFERENCE, until="generations=5")
start = time.process_time()
from {module} import swap
run(BASIC, replace(REFERENCE, mutation=swap), until="generations=5")
print(time.process_time() - start)
"""


def speed(puzzle: Puzzle, algorithm: Algorithm, steps: int, seed: int) -> float:
    """Return individuals or moves per second, over as many seeds as needed if runs end early."""
    done, took, made = 0, 0.0, 0
    while done < steps:
        start = time.process_time()
        result = run(puzzle, algorithm, seed=seed, until=f"steps={steps - done}")
        took += time.process_time() - start
        done += max(1, result.steps)
        made += result.evaluations
        seed += 1000
    return made / took


def declared_bests(size: Size, _bars: Bars) -> None:
    print("\nthe reports' declared bests, individuals/s")
    for name, what in (
        ("poderosas", "000: tournament 100, population 500"),
        ("charles", "002: rank, population 1500"),
    ):
        chosen = preset(name)
        puzzle, algorithm = chosen.puzzle, chosen.build()
        steps = size.generations // 3
        speed(puzzle, algorithm, 5, 0)
        measured = [speed(puzzle, algorithm, steps, seed) for seed in range(size.repeats)]
        print(f"  {name:20} {median(measured):>12,.0f}  {what}")


def fitness_alone(size: Size, bars: Bars) -> None:
    print("\nfitness alone, M boards/s, 1000 boards a call")
    made = bundled()
    for puzzle in (BASIC, made["16x16-medium"].puzzle, made["25x25-half"].puzzle):
        side = puzzle.side
        boards = FreeCells().space(puzzle).sample(1000, stream(1, "fitness"))
        calls = max(1, size.boards // len(boards) * 81 // puzzle.geometry.cells)
        for kind in FITNESSES if side == 9 else (Repetitions,):
            problem = Problem.of(puzzle, FreeCells(), kind())
            problem.costs(boards)

            def many(problem: Problem = problem, boards: Any = boards, calls: int = calls) -> None:
                for _ in range(calls):
                    problem.costs(boards)

            took = median(cpu_seconds(many) for _ in range(size.repeats))
            millions = calls * len(boards) / took / 1e6
            asked = side == 9 and kind is Repetitions
            said = bars.least("fitness", millions, 15) if asked else ""
            print(f"  {side}×{side} {kind.__name__:16} {millions:8.2f}  {said}")


# A bundled board that takes long, and the millions of moves a second asked of us.
RATES = [
    ("golden-nugget", 40),
    ("16x16-minimal", None),
    ("25x25-45-percent", None),
    ("36x36-45-percent", None),
]
HARD = ("ai-escargot", "golden-nugget", "inkala-2012")
SOLVER = Restarts(Annealing(), "moves=3000000")


def problem_of(name: str, algorithm: Algorithm) -> Problem:
    return Problem.of(bundled()[name].puzzle, algorithm.encoding, algorithm.fitness)


def refuse_wrong_state(problem: Problem, state: State) -> None:
    """Stop the benchmark if a cost or a board is wrong."""
    if problem.costs(state.boards).tolist() != state.costs.tolist():
        sys.exit(f"a wrong cost: {state.costs} for {state.boards.tolist()}")
    solved = problem.puzzle.is_solved_by(state.boards[0])
    if solved != (state.finished == "solved"):
        sys.exit(f"called {state.finished or 'unfinished'}: {state.boards.tolist()}")


def moves_a_second(name: str, algorithm: Annealing, moves: int, repeats: int) -> float:
    """Return the best rate; a solved run restarts with the next seed."""
    problem = problem_of(name, algorithm)
    algorithm.step(problem, algorithm.start(problem, stream(SEED)))
    best = 0.0
    for repeat in range(repeats):
        made = start = 0
        seconds = 0.0
        while made < moves:
            state = algorithm.start(problem, stream(SEED, repeat, start))
            begun = time.process_time()
            while not state.finished and made + state.moves < moves:
                state = algorithm.step(problem, state)
            seconds += time.process_time() - begun
            refuse_wrong_state(problem, state)
            made, start = made + state.moves, start + 1
        best = max(best, made / seconds)
    return best


def solve_times(name: str, seeds: int) -> list[float]:
    problem = problem_of(name, SOLVER)
    times: list[float] = []
    for seed in range(SEED, SEED + seeds):
        begun = time.process_time()
        state = SOLVER.start(problem, stream(seed))
        while not state.finished:
            state = SOLVER.step(problem, state)
        times.append(time.process_time() - begun)
        refuse_wrong_state(problem, state)
    return times


def annealing(size: Size, bars: Bars) -> None:
    """Measure the rates of steps of 10,000 and a million moves, then times to a solution."""
    print(f"\nannealing, M moves/s, best of {size.repeats}; in steps of a million moves beside it")
    for name, bar in RATES:
        short, long = (
            moves_a_second(name, Annealing(moves=moves), 5 * size.boards, size.repeats) / 1e6
            for moves in (10_000, 1_000_000)
        )
        said = bars.least(f"annealing on {name}", short, bar) if bar else ""
        print(f"  {name:18} {short:7.1f} {long:7.1f}  {said}")
    print(f"annealing, milliseconds to a solution over {size.seeds} seeds")
    for name in HARD:
        times = [1000 * seconds for seconds in solve_times(name, size.seeds)]
        p90 = quantiles(times, n=10)[-1]
        print(f"  {name:18} median {median(times):7.2f}  p90 {p90:7.2f}  max {max(times):7.2f}")


def recording(size: Size, bars: Bars) -> None:
    """Measure the same run with and without a record, in turns."""
    problem = Problem.of(BASIC, REFERENCE.encoding, REFERENCE.fitness)
    steps, seed = size.generations, 1
    with_record, bare = [], []
    done = run(BASIC, REFERENCE, seed=seed, until=f"generations={steps}").steps

    def only_steps() -> None:
        state = REFERENCE.start(problem, stream(seed, "run"))
        for _ in range(done):
            state = REFERENCE.step(problem, state)

    for _ in range(5 * size.repeats):
        with_record.append(
            cpu_seconds(lambda: run(BASIC, REFERENCE, seed=seed, until=f"generations={done}"))
        )
        bare.append(cpu_seconds(only_steps))
    ratio = median(with_record) / median(bare)
    said = bars.most("recording", ratio, 1.10)
    print(f"\nrun() with its record / a bare loop of {done} steps: {ratio:.3f}  {said}")


def exchange(board: Any, blanks: Any, rng: Any) -> None:
    one = below(rng, len(blanks))
    two = (one + 1 + below(rng, len(blanks) - 1)) % len(blanks)
    board[blanks[one]], board[blanks[two]] = board[blanks[two]], board[blanks[one]]


def twice(board: Any, givens: Any, units: Any) -> Any:
    cost = 0
    for unit in units:
        for i in range(len(unit)):
            for j in range(i):
                cost += board[unit[i]] == board[unit[j]]
    return cost


def with_and_without_checks(what: str) -> list[Genetic]:
    """Return a genetic algorithm with and without bounds checks in its operators."""
    found = []
    for checked in (True, False):
        own: dict[str, Any] = {"mutation": board_mutation(boundscheck=checked)(exchange)}
        if what == "mutation and fitness":
            own["fitness"] = board_fitness(boundscheck=checked)(twice)
        found.append(Genetic(PermutedBoxes(), crossover=Points("box"), population=1000, **own))
    return found


def bounds(size: Size, _bars: Bars) -> None:
    """Measure both in this process, in turns, and print ratios of pairs."""
    print(
        f"\nbounds checks in operators of one's own, individuals/s, medians of {size.pairs} pairs"
    )
    puzzle = bundled()["9x9-hard"].puzzle
    for what in ("mutation", "mutation and fitness"):
        checked, unchecked = with_and_without_checks(what)
        for each in (checked, unchecked):
            speed(puzzle, each, 5, 0)  # kernels are loaded with it
        rows = [
            (speed(puzzle, checked, 100, seed), speed(puzzle, unchecked, 100, seed))
            for seed in range(size.pairs)
        ]
        ours, others = (median(column) for column in zip(*rows, strict=True))
        ratio = median(one / two for one, two in rows)
        print(f"  {what:22} checked {ours:,.0f}, unchecked {others:,.0f}: {ratio:.2f}")


def own_operator(size: Size, bars: Bars) -> None:
    """Use a new module every time, so that only the kernels that call it are warm."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        paths = os.pathsep.join((folder, *sys.path))
        for number in range(size.processes + 1):
            module = f"own_{number}"
            Path(folder, f"{module}.py").write_text(OWN_OPERATOR)
            words = python(OWN_RUN.format(module=module))
            found = time_process(
                words, environment={"PYTHONPATH": paths, "NUMBA_CACHE_DIR": folder}
            )
            times.append(float(found.output))
    took = median(times[1:])
    said = bars.most("own operator", took, 0.5)
    print(f"\na jitted operator of one's own, defined and first run: {took:.2f} CPU s  {said}")


def first_runs(size: Size, bars: Bars) -> None:
    """Measure first runs; cold figures are minima, since compiling is always the same work."""
    print(
        "\nfirst run of a preset, CPU s of `genoku solve --preset … --until generations=5 --json`"
    )
    if find_spec("scipy"):
        print("  (SciPy is installed here: Numba imports it, about 0.15 s of each)")
    for name in size.presets:
        words = genoku("solve", "--preset", name, "--until", "generations=5", "--json")
        cold, warm = [], []
        try:
            for _ in range(size.processes):
                with tempfile.TemporaryDirectory() as folder:
                    cold.append(first_run(words, folder))
                    warm += [first_run(words, folder) for _ in range(2)]
        except GenokuError as error:
            print(f"  {name:16} {error}")
            continue
        first, again = min(cold), median(warm)
        said = f"{bars.most(f'{name} cold', first, 5)}; {bars.most(f'{name} warm', again, 1)}"
        print(f"  {name:16} cold {first:5.2f}  warm {again:5.2f}  {said}")


def first_run(words: list[str], folder: str) -> float:
    """Return the CPU seconds of a process, with the kernels in a cache folder."""
    return time_process(words, "{", {"NUMBA_CACHE_DIR": folder}, codes=(0, EXIT_UNSOLVED)).cpu


PARTS: dict[str, Callable[[Size, Bars], None]] = {
    "bests": declared_bests,
    "recording": recording,
    "fitness": fitness_alone,
    "annealing": annealing,
    "bounds": bounds,
    "own-operator": own_operator,
    "first-runs": first_runs,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the evolution engine.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", default=[])
    parser.add_argument("--quick", action="store_true", help="rougher figures")
    options = parser.parse_args()
    bars = Bars()
    print(machine_text())
    for part in options.parts or PARTS:
        PARTS[part](QUICK if options.quick else FULL, bars)
    print(f"\n{bars}")
