"""How fast the evolution engine is, beside DEAP and PyGAD on the same genetic algorithm.

    python benchmarks/evolution.py [--quick] [--no-peers]

The peers are installed from PyPI into an environment of their own in the user's cache folder, and
run their programs in `benchmarks/peers/`. Everything is CPU time on one core, warm unless it says
cold; a figure is the median of its repetitions, and who is compared is measured in turns. A bar is
what we ask of ourselves; a missed one changes no exit code, since other work on the machine slows
every figure here.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any, NamedTuple

import platformdirs
from bars import Bars
from first_runs import first_runs, own_operator
from oracle import machine

from genoku.adaptation import Constant
from genoku.algorithms import Annealing, Genetic
from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.crossover import Points, Uniform
from genoku.encoding import FreeCells, PermutedRows
from genoku.fitness import FITNESSES, Repetitions
from genoku.loop import run
from genoku.mutation import Swap
from genoku.presets import preset
from genoku.problem import Problem
from genoku.replacement import Generational
from genoku.selection import Tournament
from genoku.state import Algorithm
from genoku.stream import stream

PEERS = Path(__file__).parent / "peers"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

REFERENCE = Genetic(
    encoding=PermutedRows(),
    fitness=Repetitions(),
    population=500,
    selection=Tournament(2),
    crossover=Points("row", points=2, rate=0.7),
    mutation=Swap("row"),
    adaptation=Constant(0.5),
    replacement=Generational(elites=1),
)
REFERENCES = {
    "two points": REFERENCE,
    "uniform": replace(REFERENCE, crossover=Uniform("row", children=2, rate=0.7)),
}
BASIC = bundled()["charles-basic"].puzzle

PROGRAMS = {
    "DEAP {version}": ("with_deap.py", False),
    "DEAP {version}, tuned": ("with_deap.py", True),
    "PyGAD {version}": ("with_pygad.py", False),
}

LEGEND = """\
reference: charles-basic, permuted rows, repetitions; population 500, tournament 2, crossover by row
at rate 0.7, swap in a row at rate 0.5, one elite; best, mean and worst recorded every generation,
diversity every 50th. An individual is a place of the population in a generation, for everybody;
best cost: mean over seeds ± its standard error, equal where all do the same.
  genoku       run() with its default record
  DEAP         NumPy individuals, toolbox, varAnd, only invalid fitness evaluated, by bit masks in
               NumPy; statistics and logbook every generation
  DEAP, tuned  the same with its deep copies replaced, and the fitness of all boards in one call
  PyGAD        crossover, mutation and fitness of all boards in one call, tournament its own"""


class Size(NamedTuple):
    """How much to measure."""

    repeats: int
    generations: int
    peer_repeats: int
    peer_generations: int
    boards: int
    processes: int
    presets: tuple[str, ...]


PRESETS = ("poderosas", "eran-shahar-ga", "eran-shahar-sa", "charles", "simon", "sundy")
QUICK = Size(3, 300, 1, 20, 200_000, 1, PRESETS[:1])
FULL = Size(9, 2000, 5, 100, 2_000_000, 3, PRESETS)


def seconds_of(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


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


# The reference, and the peers


def peers_python() -> Path | None:
    """The Python that has the peers; they are installed the first time."""
    folder = platformdirs.user_cache_path("genoku") / "benchmark-peers"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "installed"
    if done.exists():
        return python
    print(f"installing DEAP and PyGAD into {folder}", flush=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15"]
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [*pip, "deap", "pygad", "numpy"],
    ):
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no peers, they could not be installed: {last_line(error)}")
            return None
    done.touch()
    return python


def last_line(error: Exception) -> str:
    said: str = getattr(error, "stderr", None) or str(error)
    return said.strip().splitlines()[-1]


def peer(python: Path, program: str, **wanted: Any) -> dict[str, Any] | None:
    """What a peer's program prints: version, individuals a second, best cost."""
    wanted["puzzle"] = str(BASIC).replace(".", "0")
    command = [str(python), str(PEERS / program), json.dumps(wanted)]
    try:
        done = subprocess.run(
            command, env={**os.environ, **ONE_THREAD}, check=True, capture_output=True, text=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{program} failed: {last_line(error)}")
        return None
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def average(values: list[int]) -> str:
    error = f"± {stdev(values) / len(values) ** 0.5:.1f}" if len(values) > 1 else ""
    return f"{mean(values):4.1f} {error}"


def reference(crossover: str, python: Path | None, size: Size, bars: Bars) -> None:
    """Everybody in turns: one repetition of each, with a seed of its own, and again."""
    algorithm = REFERENCES[crossover]
    speeds: dict[str, list[float]] = {"genoku": []}
    bests: dict[str, list[int]] = {"genoku": []}
    for seed in range(1, size.repeats + 1):
        speeds["genoku"].append(speed(BASIC, algorithm, size.generations, seed))
        short = run(BASIC, algorithm, seed=seed, until=f"generations={size.peer_generations}")
        bests["genoku"].append(short.final_cost)
        if python is None or seed > size.peer_repeats:
            continue
        wanted = {"crossover": crossover, "generations": size.peer_generations, "seed": seed}
        for name, (program, tuned) in PROGRAMS.items():
            answer = peer(python, program, tuned=tuned, **wanted)
            if answer is None:
                continue
            label = name.format(version=answer["version"])
            speeds.setdefault(label, []).append(answer["speed"])
            bests.setdefault(label, []).append(answer["best"])
    ours = median(speeds["genoku"])
    print(f"\nreference GA, {crossover} by row")
    for label, measured in speeds.items():
        theirs = median(measured)
        if label == "genoku":
            said = bars.least(f"{crossover}: M individuals/s", theirs / 1e6, 7)
        else:
            said = f"genoku is {ours / theirs:6.1f}×"
            if label.startswith("DEAP") and "tuned" not in label:
                said += f"  {bars.least(f'{crossover}: × DEAP', ours / theirs, 100)}"
        best = f"best cost {average(bests[label])} after {size.peer_generations}"
        print(f"  {label:18} {theirs:>12,.0f} individuals/s  {best}  {said}")


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

            took = median(seconds_of(many) for _ in range(size.repeats))
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
            seconds_of(lambda: run(BASIC, REFERENCE, seed=seed, until=f"generations={done}"))
        )
        bare.append(seconds_of(only_steps))
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
    print(f"{machine()}; NumPy threads 1; seeds 1 … {size.repeats}")
    print(LEGEND)
    python = None if options.no_peers else peers_python()
    for crossover, algorithm in REFERENCES.items():
        speed(BASIC, algorithm, 50, 0)
        reference(crossover, python, size, bars)
    declared_bests(size)
    recording(size, bars)
    fitness_alone(size, bars)
    annealing(size, bars)
    own_operator(size.processes, bars)
    first_runs(size.presets, size.processes, bars)
    print(f"\n{bars}")


if __name__ == "__main__":
    main()
