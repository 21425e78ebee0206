"""The reference genetic algorithm, the engines that run it, and whether they do the same.

Everybody runs it on one puzzle with the same operators and rates. What their runs come to is
compared, so that nobody is quick by doing less.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np

from benchmarks.environment import PeerError, Peers
from genoku.adaptation import Constant
from genoku.algorithms import Genetic
from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.crossover import Points, Uniform
from genoku.encoding import PermutedRows
from genoku.engine.run import run
from genoku.fitness import Repetitions
from genoku.mutation import Swap
from genoku.problem import Problem
from genoku.replacement import Generational
from genoku.selection import Tournament

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
NAME = "charles-basic"
BASIC = bundled()[NAME].puzzle

EARLY = 25
"""The generation at which mean costs are compared: none has settled, hardly any has ended."""
FAR = 4.0
"""So many standard errors apart, two means differ; by chance once in some 16,000 comparisons."""


@dataclass(frozen=True)
class Engine:
    """A peer, its program, and how many of its runs take a second or so."""

    name: str
    package: str
    program: str
    about: str
    tuned: bool = False
    runs: int = 2

    @property
    def key(self) -> str:
        return self.name.lower().replace(",", "").replace(" ", "-")


ENGINES = (
    Engine(
        "DEAP",
        "deap",
        "with_deap.py",
        "NumPy individuals, toolbox, `varAnd`, only invalid fitness evaluated, by bit masks; "
        "statistics and logbook every generation",
    ),
    Engine(
        "DEAP, tuned",
        "deap",
        "with_deap.py",
        "the same with its deep copies replaced, and the fitness of all boards in one call",
        tuned=True,
    ),
    Engine(
        "PyGAD",
        "pygad",
        "with_pygad.py",
        "crossover, mutation and fitness take all boards in one call; tournament and elite are "
        "its own",
    ),
    Engine(
        "pymoo",
        "pymoo",
        "with_pymoo.py",
        "selection, crossover, mutation, survival and fitness take all boards in one call; "
        "matings, probabilities and individuals are its own",
    ),
    Engine(
        "plain NumPy",
        "numpy",
        "with_numpy.py",
        "no library but NumPy: every step of a generation on arrays of all boards",
        runs=20,
    ),
)


class Size(NamedTuple):
    """How much to measure; a peer does this share of its runs in a turn, at least one."""

    turns: int
    generations: int
    own_runs: int
    peer_share: float


QUICK = Size(turns=2, generations=100, own_runs=20, peer_share=0.5)
FULL = Size(turns=7, generations=200, own_runs=50, peer_share=1.0)


class Turn(NamedTuple):
    """What a turn came to: individuals a second, and of every run its best and its mean cost."""

    speed: float
    bests: list[float]
    means: list[float]


def own_turn(crossover: str, size: Size, seed: int) -> Turn:
    """Runs of genoku with their default record, which end early where a board is solved."""
    algorithm = REFERENCES[crossover]
    seconds, steps, bests, means = 0.0, 0, [], []
    for each in range(seed, seed + size.own_runs):
        start = time.process_time()
        result = run(BASIC, algorithm, seed=each, until=f"generations={size.generations}")
        seconds += time.process_time() - start
        steps += result.steps
        bests.append(float(result.final_cost))
        means.append(early(result.history["mean"][1:].tolist()))  # the first row is the start's
    return Turn(algorithm.population * steps / seconds, bests, means)


def job(engine: Engine, crossover: str, generations: int, seed: int, runs: int) -> dict[str, Any]:
    """The reference algorithm as a peer's program reads it."""
    return {
        "puzzle": str(BASIC).replace(".", "0"),
        "generations": generations,
        "seed": seed,
        "crossover": crossover,
        "tuned": engine.tuned,
        "runs": runs,
    }


def peer_turn(engine: Engine, peers: Peers, crossover: str, size: Size, seed: int) -> Turn:
    """Runs of a peer, whose best boards must cost what it says."""
    runs = max(1, round(engine.runs * size.peer_share))
    answer = peers.ask(engine.program, job(engine, crossover, size.generations, seed, runs))
    bests = [run["history"]["best"][-1] for run in answer["runs"]]
    means = [early(run["history"]["mean"]) for run in answer["runs"]]
    refuse_wrong(engine.name, BASIC, [run["board"] for run in answer["runs"]], bests)
    return Turn(answer["speed"], bests, means)


def early(means: Sequence[float]) -> float:
    """The mean cost of a population after `EARLY` generations, or at the end of a shorter run."""
    return means[min(EARLY, len(means)) - 1]


def refuse_wrong(name: str, puzzle: Puzzle, texts: Sequence[str], costs: Sequence[float]) -> None:
    """Raise unless boards keep the givens and cost what is said of them."""
    boards = np.array([[int(digit) for digit in text] for text in texts], np.uint8)
    counted = Problem.of(puzzle, REFERENCE.encoding, REFERENCE.fitness).costs(boards)
    given = puzzle.board != 0
    for board, cost, said in zip(boards, counted.tolist(), costs, strict=True):
        if not np.array_equal(board[given], puzzle.board[given]):
            raise PeerError(f"{name}: expected boards that keep the givens, got another one")
        if cost != said:
            raise PeerError(f"{name}: expected a board of cost {said:g}, got one of {cost}")


def differ(values: Sequence[float], ours: Sequence[float]) -> bool:
    """Whether two means are `FAR` apart; the spread is taken from ours, which are many."""
    error = stdev(ours) * (1 / len(values) + 1 / len(ours)) ** 0.5
    return bool(abs(mean(values) - mean(ours)) > FAR * error)
