"""How fast the evolution engine is: its reference beside others, and all around it.

    python3 run.py bench evolution [--quick] [--no-peers]

It begins with the section `engines`, the reference beside its peers. Everything is CPU time on one
core, warm unless it says cold; a figure is the median of its repetitions. A bar is what we ask of
ourselves; a missed one changes no exit code, since other work on the machine slows every figure.
"""

from __future__ import annotations

import argparse
import sys
import time
from statistics import median
from typing import Any, NamedTuple

from benchmarks import engines
from benchmarks.bars import Bars
from benchmarks.engines import BASIC, REFERENCE
from benchmarks.environment import PeerError, Peers, installed
from benchmarks.first_runs import first_runs, own_operator
from benchmarks.measuring import cpu_seconds, machine
from benchmarks.results import markdown_table
from benchmarks.sections import Plan
from genoku.adaptation import Constant
from genoku.algorithms import Annealing
from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.encoding import FreeCells
from genoku.engine.run import run
from genoku.fitness import FITNESSES, Repetitions
from genoku.preset_library import preset
from genoku.problem import Problem
from genoku.state import Algorithm
from genoku.stream import stream

SEED = 1


class Size(NamedTuple):
    """How much to measure."""

    repeats: int
    generations: int
    boards: int
    processes: int
    presets: tuple[str, ...]


PRESETS = ("poderosas", "eran-shahar-ga", "eran-shahar-sa", "charles", "simon", "sundy")
QUICK = Size(3, 300, 200_000, 1, PRESETS[:1])
FULL = Size(9, 2000, 2_000_000, 3, PRESETS)


def speed(puzzle: Puzzle, algorithm: Algorithm, steps: int, seed: int) -> float:
    """Individuals, or moves, a second; where runs end early, over as many seeds as it takes."""
    done, took, made = 0, 0.0, 0
    while done < steps:
        start = time.process_time()
        result = run(puzzle, algorithm, seed=seed, until=f"steps={steps - done}")
        took += time.process_time() - start
        done += max(1, result.steps)
        made += result.evaluations
        seed += 1000
    return made / took


def reference(quick: bool, peers: Peers | None, bars: Bars) -> None:
    """The section of `python3 run.py bench`, and what we ask of it."""
    plan = Plan(quick, SEED, None, peers)
    for table in engines.measure(plan, lambda said: print(said, file=sys.stderr)):
        print(f"\n{table.title}\n\n{markdown_table(table.columns, table.rows)}\n\n{table.legend}")
        for key, value in table.figures.items():
            if key.endswith(".genoku.speed"):
                print(f"{key}: {bars.least(key, value / 1e6, 7)} (M)")
            if key.endswith(".deap.ratio"):
                print(f"{key}: {bars.least(key, value, 100)}")


def their_environment() -> Peers | None:
    try:
        return installed(lambda said: print(said, flush=True))
    except PeerError as error:
        print(f"no peers, they could not be installed: {error}")
        return None


# The rest of the engine


def declared_bests(size: Size) -> None:
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


def annealing(size: Size, bars: Bars) -> None:
    """Two temperatures: the colder, the fewer moves are accepted, and the quicker it is."""
    print("\nannealing on ai-escargot, M moves/s (more in benchmarks/annealing.py)")
    puzzle = bundled()["ai-escargot"].puzzle
    for temperature in (0.35, 1.0):
        algorithm = Annealing(temperature=Constant(temperature), moves=100_000)
        speed(puzzle, algorithm, 1, 0)
        steps = size.boards // 100_000
        measured = [speed(puzzle, algorithm, steps, seed) for seed in range(size.repeats)]
        millions = median(measured) / 1e6
        said = bars.least(f"annealing at {temperature}", millions, 40)
        print(f"  temperature {temperature:<4g} {millions:8.2f}  {said}")


def recording(size: Size, bars: Bars) -> None:
    """The same run with and without a record, in turns."""
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


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the evolution engine and its peers.")
    parser.add_argument("--quick", action="store_true", help="a few seconds, rougher figures")
    parser.add_argument("--no-peers", action="store_true", help="only genoku")
    options = parser.parse_args()
    size = QUICK if options.quick else FULL
    bars = Bars()
    print(", ".join(f"{name} {fact}" for name, fact in machine().items()))
    reference(options.quick, None if options.no_peers else their_environment(), bars)
    declared_bests(size)
    recording(size, bars)
    fitness_alone(size, bars)
    annealing(size, bars)
    own_operator(size.processes, bars)
    first_runs(size.presets, size.processes, bars)
    print(f"\n{bars}")


if __name__ == "__main__":
    main()
