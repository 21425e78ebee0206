"""Individuals per CPU second of one genetic algorithm: DEAP, PyGAD, pymoo, NumPy and genoku."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from benchmarks.environment import PeerError
from benchmarks.measuring import Spread, in_turns, mean_text
from benchmarks.reference import (
    BASIC,
    EARLY,
    ENGINES,
    FAR,
    FULL,
    NAME,
    QUICK,
    REFERENCES,
    Engine,
    Size,
    Turn,
    differ,
    own_turn,
    peer_turn,
)
from benchmarks.tables import Chart, Plan, Say, Table
from genoku.engine.run import run
from genoku.words import compact, plural

OURS = "genoku"
KEYS = {OURS: OURS, **{engine.name: engine.key for engine in ENGINES}}
ABOUT = """\
The reference: {puzzle}, the blanks of every row a permutation, cost by repetitions; population 500,
tournament 2, crossover by row at rate 0.7, swap in a row at rate 0.5, one elite; best, mean and
worst recorded every generation, diversity every 50th. A run has {generations} generations, or ends
when a board is solved. An individual is a place of the population in a generation, for everybody.

All run on one core, warm, in {turns}, with seeds from {first} on in the first and from {last} on
in the last. The median of the turns counts, and between its quartiles lies their middle half. *Best
cost* is a run's at its end, *early cost* its population's mean after {early} generations; both are
means over all runs ± their standard error. *Same* says that both are within {far:g} standard errors
of genoku's. The best board of every run is checked, and its cost counted again.

- *genoku*: `run()` with its default record"""


@dataclass
class Tally:
    """The turns that an engine has had, or why it has none."""

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
    tallies = {crossover: played(crossover, plan, size, say) for crossover in REFERENCES}
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


def played(crossover: str, plan: Plan, size: Size, say: Say) -> dict[str, Tally]:
    """Everybody in turns; who fails once is left out from then on."""
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
                compact(speed.median),
                f"{compact(speed.low)} – {compact(speed.high)}",
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
        turns=plural(size.turns, "turn"),
        first=plan.seed,
        last=plan.seed + 1000 * (size.turns - 1),
        early=EARLY,
        far=FAR,
    )
    return "\n".join((said, *(f"- *{engine.name}*: {engine.about}" for engine in ENGINES)))
