"""Individuals per CPU second of one genetic algorithm: DEAP, PyGAD, pymoo, NumPy and genoku.

All run it on one puzzle with the same operators and rates. Their results are compared, so that
none is fast by doing less.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np

from benchmarks.environment import PeerError, Peers
from benchmarks.measuring import Spread, in_turns, mean_text
from benchmarks.sections import Chart, Plan, Say, Table
from genoku.engine.run import run
from genoku.evolve.algorithms import Genetic
from genoku.evolve.encoding import PermutedRows
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.adaptation import Constant
from genoku.evolve.operators.crossover import Points, Uniform
from genoku.evolve.operators.mutation import Swap
from genoku.evolve.operators.replacement import Generational
from genoku.evolve.operators.selection import Tournament
from genoku.evolve.problem import Problem
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.text import format_compact, format_count

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
"""Standard errors between two means that count as a difference: 1 in 16,000 by chance."""


@dataclass(frozen=True)
class Engine:
    """A peer, its program, and how many of its runs take about a second."""

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
    """How much to measure; a peer does this share of its runs per turn, at least one."""

    turns: int
    generations: int
    own_runs: int
    peer_share: float


QUICK = Size(turns=2, generations=100, own_runs=20, peer_share=0.5)
FULL = Size(turns=7, generations=200, own_runs=50, peer_share=1.0)


class Turn(NamedTuple):
    """The result of a turn: individuals per second, and the best and mean cost of every run."""

    speed: float
    bests: list[float]
    means: list[float]


def own_turn(crossover: str, size: Size, seed: int) -> Turn:
    """Run genoku with its default record; runs end early when a board is solved."""
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
    """Return the reference algorithm in the format of the peers' programs."""
    return {
        "puzzle": str(BASIC).replace(".", "0"),
        "generations": generations,
        "seed": seed,
        "crossover": crossover,
        "tuned": engine.tuned,
        "runs": runs,
    }


def peer_turn(engine: Engine, peers: Peers, crossover: str, size: Size, seed: int) -> Turn:
    """Run a peer, and verify the costs of its best boards."""
    runs = max(1, round(engine.runs * size.peer_share))
    answer = peers.ask(engine.program, job(engine, crossover, size.generations, seed, runs))
    bests = [run["history"]["best"][-1] for run in answer["runs"]]
    means = [early(run["history"]["mean"]) for run in answer["runs"]]
    refuse_wrong(engine.name, BASIC, [run["board"] for run in answer["runs"]], bests)
    return Turn(answer["speed"], bests, means)


def early(means: Sequence[float]) -> float:
    """Return the mean cost after `EARLY` generations, or at the end of a shorter run."""
    return means[min(EARLY, len(means)) - 1]


def refuse_wrong(name: str, puzzle: Puzzle, texts: Sequence[str], costs: Sequence[float]) -> None:
    """Raise unless boards keep the givens and have the reported costs."""
    boards = np.array([[int(digit) for digit in text] for text in texts], np.uint8)
    counted = Problem.of(puzzle, REFERENCE.encoding, REFERENCE.fitness).costs(boards)
    given = puzzle.board != 0
    for board, cost, said in zip(boards, counted.tolist(), costs, strict=True):
        if not np.array_equal(board[given], puzzle.board[given]):
            raise PeerError(f"{name}: expected boards that keep the givens, got another one")
        if cost != said:
            raise PeerError(f"{name}: expected a board of cost {said:g}, got one of {cost}")


def differ(values: Sequence[float], ours: Sequence[float]) -> bool:
    """Whether two means are `FAR` apart, by the spread of our runs, which are many."""
    error = stdev(ours) * (1 / len(values) + 1 / len(ours)) ** 0.5
    return bool(abs(mean(values) - mean(ours)) > FAR * error)


OURS = "genoku"
KEYS = {OURS: OURS, **{engine.name: engine.key for engine in ENGINES}}
ABOUT = """\
The reference: {puzzle}, the blanks of every row a permutation, cost by repetitions; population 500,
tournament 2, crossover by row at rate 0.7, swap in a row at rate 0.5, one elite; best, mean and
worst recorded every generation, diversity every 50th. A run has {generations} generations, or ends
when a board is solved. An individual is a place of the population in a generation, for all engines.

All run on one core, warm, in {turns}, with seeds from {first} on in the first and from {last} on
in the last. Figures are medians of the turns; the middle half is between the quartiles. *Best cost*
is a run's final cost, *early cost* its population's mean after {early} generations; both are means
over all runs ± their standard error. *Same* says that both are within {far:g} standard errors of
genoku's. The best board of every run is verified, and its cost computed again.

- *genoku*: `run()` with its default record"""


@dataclass
class Tally:
    """The turns of an engine so far, or why it has none."""

    turns: list[Turn] = field(default_factory=list)
    failed: str = ""

    @property
    def counts(self) -> bool:
        return bool(self.turns) and not self.failed

    @property
    def speed(self) -> Spread:
        return Spread.of([turn.speed for turn in self.turns])

    @property
    def bests(self) -> list[float]:
        return [best for turn in self.turns for best in turn.bests]

    @property
    def means(self) -> list[float]:
        return [mean for turn in self.turns for mean in turn.means]


def measure(plan: Plan, say: Say) -> list[Table]:
    size = QUICK if plan.quick else FULL
    tallies = {crossover: take_turns(crossover, plan, size, say) for crossover in REFERENCES}
    chart = Chart(
        "The same genetic algorithm, population 500",
        "individuals per CPU second",
        tuple((f"{crossover} by row", _points(made)) for crossover, made in tallies.items()),
        log=True,
    )
    tables = [_table(crossover, made, plan) for crossover, made in tallies.items()]
    tables[0] = replace(tables[0], chart=chart)
    tables[-1] = replace(tables[-1], legend=f"{tables[-1].legend}\n\n{_legend(plan, size)}".strip())
    return tables


def take_turns(crossover: str, plan: Plan, size: Size, say: Say) -> dict[str, Tally]:
    """Let the engines take turns; one that fails is left out from then on."""
    made = {name: Tally() for name in KEYS}

    def turn_of(name: str, play: Callable[[int], Turn]) -> Callable[[int], None]:
        def turn(number: int) -> None:
            tally = made[name]
            if not tally.failed:
                say(f"{crossover}, turn {number + 1} of {size.turns}: {name}")
                try:
                    tally.turns.append(play(plan.seed + 1000 * number))
                except PeerError as error:
                    tally.failed = str(error)

        return turn

    contenders = {OURS: turn_of(OURS, lambda seed: own_turn(crossover, size, seed))}
    if peers := plan.peers:
        for engine in ENGINES:

            def play(seed: int, engine: Engine = engine) -> Turn:
                return peer_turn(engine, peers, crossover, size, seed)

            contenders[engine.name] = turn_of(engine.name, play)
    run(BASIC, REFERENCES[crossover], seed=0, until="generations=5")  # loads what is timed
    for _ in in_turns(contenders, size.turns):
        pass
    return made


def _points(made: Mapping[str, Tally]) -> tuple[tuple[str, float], ...]:
    return tuple((name, tally.speed.median) for name, tally in made.items() if tally.counts)


def _table(crossover: str, made: Mapping[str, Tally], plan: Plan) -> Table:
    ours = made[OURS]
    versions = plan.peers.versions if plan.peers else {}
    packages = {engine.name: engine.package for engine in ENGINES}

    def label(name: str) -> str:
        library, *variant = name.split(", ")
        known = versions.get(packages.get(name, ""))
        return ", ".join((f"{library} {known}" if known else library, *variant))

    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    for name, tally in made.items():
        if not tally.counts:
            rows.append((label(name), "failed" if tally.failed else plan.without, *[""] * 5))
            continue
        speed, is_peer = tally.speed, name != OURS
        ratio = ours.speed.median / speed.median
        same = not (differ(tally.bests, ours.bests) or differ(tally.means, ours.means))
        rows.append(
            (
                label(name),
                format_compact(speed.median),
                f"{format_compact(speed.low)} – {format_compact(speed.high)}",
                f"{ratio:.3g}×" if is_peer else "",
                mean_text(tally.bests),
                mean_text(tally.means),
                ("yes" if same else "**no**") if is_peer else "",
            )
        )
        key = f"{crossover.replace(' ', '-')}.{KEYS[name]}"
        figures[f"{key}.speed"] = speed.median
        if is_peer:
            figures[f"{key}.ratio"] = ratio
    return Table(
        f"Reference genetic algorithm, {crossover} by row",
        (
            "engine",
            "individuals per CPU second",
            "middle half",
            "genoku is quicker by",
            "best cost",
            "early cost",
            "same",
        ),
        tuple(rows),
        legend="\n".join(
            f"{name}: {tally.failed}." for name, tally in made.items() if tally.failed
        ),
        figures=figures,
    )


def _legend(plan: Plan, size: Size) -> str:
    said = ABOUT.format(
        puzzle=NAME,
        generations=size.generations,
        turns=format_count(size.turns, "turn"),
        first=plan.seed,
        last=plan.seed + 1000 * (size.turns - 1),
        early=EARLY,
        far=FAR,
    )
    return "\n".join((said, *(f"- *{engine.name}*: {engine.about}" for engine in ENGINES)))
