"""How many moves a second annealing makes, and how soon it solves hard boards.

    python3 run.py bench annealing [--repeats 5] [--moves 10000000] [--seeds 30]

A move draws a swap, counts what it costs and decides. Rates are of whole steps, as a run makes
them, of 10,000 moves and of a million: the best of the repeats. Boards are solved at the default
temperature, with a new start after every 3 million moves. CPU time on one core, warm; every
cost is counted again and every solution verified.
"""

from __future__ import annotations

import argparse
import sys
import time
from statistics import median, quantiles

from benchmarks.oracle import SEED, machine
from genoku.algorithms import Annealing, Restarts
from genoku.collection import bundled
from genoku.problem import Problem
from genoku.state import Algorithm, State
from genoku.stream import stream

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


def checked(problem: Problem, state: State) -> None:
    """Stop the benchmark if a cost is wrong, or a board not what it is said to be."""
    if problem.costs(state.boards).tolist() != state.costs.tolist():
        sys.exit(f"a wrong cost: {state.costs} for {state.boards.tolist()}")
    solved = problem.puzzle.is_solved_by(state.boards[0])
    if solved != (state.finished == "solved"):
        sys.exit(f"called {state.finished or 'unfinished'}: {state.boards.tolist()}")


def moves_a_second(name: str, algorithm: Annealing, moves: int, repeats: int) -> float:
    """The best rate; a board that is solved on the way begins anew with the next seed."""
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
            checked(problem, state)
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
        checked(problem, state)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure annealing.")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--moves", type=int, default=10_000_000)
    parser.add_argument("--seeds", type=int, default=30)
    options = parser.parse_args()
    print(machine())
    print(f"million moves a second, best of {options.repeats}:")
    for name, bar in RATES:
        rates = [
            moves_a_second(name, Annealing(moves=moves), options.moves, options.repeats)
            for moves in (10_000, 1_000_000)
        ]
        short, long = (rate / 1e6 for rate in rates)
        side = bundled()[name].puzzle.side
        asked = f"bar {bar}" if bar else ""
        print(f"{f'{side}×{side}':6} {name:18} {short:7.1f}  in long steps {long:7.1f}  {asked}")
    print(f"solved, milliseconds over {options.seeds} seeds:")
    for name in HARD:
        times = [1000 * seconds for seconds in solve_times(name, options.seeds)]
        p90 = quantiles(times, n=10)[-1] if len(times) > 1 else times[0]
        print(f"{name:18} median {median(times):7.2f}  p90 {p90:7.2f}  max {max(times):7.2f}")


if __name__ == "__main__":
    main()
