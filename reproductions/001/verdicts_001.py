"""Report 001: two algorithms, four boards, and averages that do not fit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from genoku import Record, bundled, preset, rate, run
from genoku.evolve.algorithms import Genetic
from genoku.evolve.encoding import LegalCells
from genoku.evolve.problem import Problem
from genoku.lab import Results, Store
from genoku.lab.claims import (
    ALPHA,
    RATIO_RULE,
    Contrast,
    Judgement,
    Ratio,
    Verdict,
    across_readings,
    fact,
    judge,
    p_text,
    ratio_text,
    time_ratio,
    too_few,
)
from genoku.lab.report.charts import (
    Box,
    BoxPlot,
    IntervalChart,
    IntervalMark,
    LineChart,
    ReferenceLine,
    Series,
    numbers,
)
from genoku.lab.report.page import Cell, Column, Figure, Part, Table
from genoku.lab.statistics import Proportion, RunningTime, Sample, ecdf, running_time
from genoku.reports import reports
from genoku.runtime.random import stream
from genoku.runtime.text import format_count
from reproductions import Findings

LEVELS = {
    "easy": "charles-very-easy",
    "medium": "charles-basic",
    "medium 2": "9x9-easy",
    "hard": "charles-moderate",
}
"""The report's levels, and the boards that we take: only its example is known, our `medium`."""

HARDER = "charles-hard"
GENETIC, FAILS, GOES_ON = "genetic", "annealing, fails", "annealing, goes on"
READ_AS = {FAILS: "stuck means failure", GOES_ON: "stuck means a downhill move"}
ALGORITHMS = (GENETIC, *READ_AS)
PUBLISHED_AS = {GENETIC: "genetic", FAILS: "annealing", GOES_ON: "annealing"}
"""The report has one annealing, however it is read."""

MEASURES = {"cpu": "CPU time", "evaluations": "evaluations"}
POPULATION, LARGER = 500, 2500
DRAWS = 10_000
"""Pairs of averages to be drawn."""

AVERAGES = {
    (level, experiment.runs, algorithm): int(average or 0)
    for experiment in reports()["001"].experiments
    for level, (_, *averages) in zip(LEVELS, experiment.table.rows, strict=True)
    for algorithm, average in zip(("genetic", "annealing"), averages, strict=True)
}
"""By level, number of attempts and algorithm, in milliseconds."""

RATIOS = {
    (level, count): AVERAGES[level, count, "genetic"] / AVERAGES[level, count, "annealing"]
    for level, count in product(LEVELS, (40, 80))
}
"""The genetic algorithm's published average by the annealing's."""

QUOTIENTS = {
    (level, algorithm): AVERAGES[level, 40, algorithm] / AVERAGES[level, 80, algorithm]
    for level, algorithm in product(LEVELS, ("genetic", "annealing"))
}
"""Published averages over 40 attempts by those over 80."""


@dataclass(frozen=True, eq=False)
class Attempts:
    """Attempts at one board by one algorithm."""

    cpu: Sample
    """Milliseconds."""
    evaluations: Sample
    """Boards evaluated by the genetic algorithm, digits tried by the annealing."""
    solved: NDArray[np.bool_]

    @classmethod
    def of(cls, results: Results) -> Attempts:
        return cls(
            1000 * results.cpu_seconds, results.evaluations.astype(np.float64), results.solved
        )

    @property
    def share(self) -> Proportion:
        return Proportion.of(self.solved)

    def effort(self, measure: str = "evaluations") -> Sample:
        return self.cpu if measure == "cpu" else self.evaluations

    def time(self, measure: str = "evaluations") -> RunningTime:
        """Expected running time in `cpu` milliseconds or in `evaluations`."""
        return running_time(self.effort(measure), self.solved)

    def runs(self, measure: str = "evaluations") -> tuple[Sample, NDArray[np.bool_]]:
        """Return the effort of each attempt, and whether it was solved."""
        return self.effort(measure), self.solved

    def cut(self, limit: int) -> Attempts:
        """Return the same attempts, stopped after `limit` evaluations; CPU time in proportion."""
        share = np.minimum(1.0, limit / self.evaluations)
        solved = self.solved & (self.evaluations <= limit)
        return Attempts(self.cpu * share, self.evaluations * share, solved)


Tried = Mapping[tuple[str, str], Attempts]
"""By algorithm and board, or by algorithm and level."""


def findings(stores: Mapping[str, Store]) -> Findings:
    study = stores["attempts"].study
    boards = [each.name for each in study.instances]
    budget = int(study.arms[0].until.partition("=")[2])
    results, once = stores["attempts"].results(), stores["once"].results()
    tried = {
        (algorithm, board): Attempts.of(results.of(arm=one, instance=two))
        for one, algorithm in enumerate(ALGORITHMS)
        for two, board in enumerate(boards)
    }
    levels = {
        (algorithm, level): tried[algorithm, board]
        for algorithm, (level, board) in product(ALGORITHMS, LEVELS.items())
    }
    results, arms = stores["choices"].results(), stores["choices"].study.arms
    choices = {arm.name: Attempts.of(results.of(arm=place)) for place, arm in enumerate(arms)}
    larger = larger_start(stores["choices"].study.seeds, budget)
    starts = {board: once.of(instance=place).solved for place, board in enumerate(boards)}
    variety = Variety.of(stores["attempts"])
    chosen = [each for arm in PRESETS.values() for each in preset(arm).left_open]
    return Findings(
        {
            "annealing-is-faster": annealing_is_faster(levels),
            "most-in-hard": most_in_hard(),
            "both-solve": both_solve(tried, budget),
            "goes-on-until-solved": goes_on_until_solved(starts, tried, budget),
            "needs-a-limit": needs_a_limit(levels, budget),
            **parts_and_wishes(levels, choices, larger),
            "depends-on-the-board": depends_on_the_board(),
            "other-averages": other_averages(levels),
            "less-variety": variety.judge(),
        },
        {
            "boards": boards_table(),
            "times": times_table(tried),
            "solved": Figure((solved_chart(levels, "medium"), solved_chart(levels, "hard")), ""),
            "ratios": ratios_figure(levels),
            **quotient_parts(levels),
            "starts": starts_table(starts, tried),
            **choice_parts(levels, choices, larger),
        },
        {
            "left_open": "\n".join(f"- {each}" for each in dict.fromkeys(chosen)),
            "attempts": len(study.seeds),
            "budget": budget,
            "ratio_rule": RATIO_RULE,
            "least": min(QUOTIENTS.values()),
            "most": max(QUOTIENTS.values()),
            "taken": variety.evaluations,
            "variety": str(variety),
        },
        {"genetic_by_annealing": {level: ratio_figures(levels, level) for level in LEVELS}},
    )


PRESETS = {
    GENETIC: "eran-shahar-ga",
    FAILS: "eran-shahar-sa-restarts",
    GOES_ON: "eran-shahar-sa-continues",
}


# Speed ------------------------------------------------------------------------------------------


def ratio_of(
    levels: Tried, reading: str, level: str, measure: str, confidence: float = 0.95
) -> Ratio:
    """Return the ratio of the genetic algorithm's to the annealing's expected running time."""
    one, two = (levels[algorithm, level].runs(measure) for algorithm in (GENETIC, reading))
    return time_ratio((one, two), level=confidence)


def ratio_figures(levels: Tried, level: str) -> dict[str, Any]:
    """Ratios: published over 40 and 80 attempts, and measured with their intervals."""
    found: dict[str, Any] = {f"published_{count}": RATIOS[level, count] for count in (40, 80)}
    for reading, measure in product(READ_AS, MEASURES):
        value, interval = ratio_of(levels, reading, level, measure)
        found.setdefault(reading, {})[measure] = [value, *interval]
    return found


def annealing_is_faster(levels: Tried) -> Judgement:
    return across_readings({READ_AS[each]: _is_faster(levels, each) for each in READ_AS})


def _is_faster(levels: Tried, reading: str) -> Judgement:
    """Judge: holds if every ratio is above 1 by both measures, fails if both are below it.

    One board is enough to fail, so the intervals have Bonferroni's correction for the boards.
    """
    confidence = 1 - ALPHA / len(LEVELS)
    verdicts: dict[str, set[Verdict]] = {}
    said: list[str] = []
    for level in LEVELS:
        ratios = [ratio_of(levels, reading, level, measure, confidence) for measure in MEASURES]
        verdicts[level] = {each.above_one for each in ratios}
        shown = [f"{each} in {word}" for each, word in zip(ratios, MEASURES.values(), strict=True)]
        said.append(f"{level} {', '.join(shown)}")
    because = (
        "Genetic algorithm by annealing, expected running time, with intervals of "
        f"{100 * confidence:.4g} %: {'; '.join(said)}."
    )
    return Judgement(faster_everywhere(verdicts), because)


def faster_everywhere(verdicts: Mapping[str, set[Verdict]]) -> Verdict:
    """Judge: a level fails only if all measures say so, and all must hold."""
    if any(each == {"fails"} for each in verdicts.values()):
        return "fails"
    return "holds" if all(each == {"holds"} for each in verdicts.values()) else "undecided"


def most_in_hard() -> Judgement:
    largest = [max(LEVELS, key=lambda level: RATIOS[level, count]) for count in (40, 80)]
    said = [
        f"over {count} attempts "
        + ", ".join(f"{level} {RATIOS[level, count]:.1f}" for level in LEVELS)
        for count in (40, 80)
    ]
    because = (
        f"The published averages say the opposite. Genetic by annealing: {'; '.join(said)}: "
        "the advantage is smallest on hard."
    )
    return fact(set(largest) == {"hard"}, because, largest=largest)


def depends_on_the_board() -> Judgement:
    """Judge by the published averages alone."""
    slower = [
        AVERAGES["hard", count, algorithm] / AVERAGES["easy", count, algorithm]
        for count, algorithm in product((40, 80), ("genetic", "annealing"))
    ]
    because = (
        f"In the report's own tables hard takes {min(slower):.0f} to {max(slower):.0f} "
        "times as long as easy."
    )
    return fact(min(slower) > 2, because)


def boards_table() -> Table:
    rows: list[tuple[Cell, ...]] = []
    for level, name in (*LEVELS.items(), ("beyond", HARDER)):
        puzzle = bundled()[name].puzzle
        space = float(np.log10(LegalCells().space(puzzle).choices).sum())
        rows.append((level, name, puzzle.givens, str(rate(puzzle).level), space))
    legal = Column("search space", "log10, legal digits", decimals=1)
    return Table(("level", "board", "givens", "for a person", legal), tuple(rows))


def times_table(tried: Tried) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for level, algorithm in product((*LEVELS, "beyond"), ALGORITHMS):
        attempts = tried[algorithm, LEVELS.get(level, HARDER)]
        printed = [AVERAGES.get((level, count, PUBLISHED_AS[algorithm])) for count in (40, 80)]
        cpu = attempts.time("cpu")
        solved, interval = share_text(attempts), span_text(cpu.interval)
        rows.append(
            (level, algorithm, *printed, solved, cpu.value, interval, attempts.time().value)
        )
    columns = (
        "level",
        "algorithm",
        Column("published", "40, ms"),
        Column("published", "80, ms"),
        Column("solved", "ours"),
        Column("ours", "ms CPU", decimals=0),
        Column("interval", "95 %"),
        Column("ours", "evaluations"),
    )
    return Table(columns, tuple(rows))


def solved_chart(levels: Tried, level: str) -> LineChart:
    series = []
    for place, algorithm in enumerate(ALGORITHMS):
        curve = ecdf(*levels[algorithm, level].runs())
        x, y, low, high = map(numbers, (curve.x, curve.y, curve.low, curve.high))
        series.append(Series(algorithm, x, y, low, high, "steps", place))
    title = f"Solved, {level}"
    return LineChart(title, "evaluations", "share", tuple(series), log_x=True, y_limits=(0.0, 1.0))


def ratios_figure(levels: Tried) -> Figure:
    ranges: list[IntervalMark] = []
    for level in LEVELS:
        for place, count in enumerate((40, 80)):
            series = f"published, {count} attempts"
            ranges.append(IntervalMark(level, RATIOS[level, count], None, None, series, place + 4))
        for place, (reading, measure) in enumerate(product(READ_AS, MEASURES)):
            value, (low, high) = ratio_of(levels, reading, level, measure)
            name = f"{reading.removeprefix('annealing, ')}, {MEASURES[measure]}"
            ranges.append(IntervalMark(level, value, low, high, name, place))
    chart = IntervalChart(
        "Genetic algorithm by annealing",
        "ratio of expected running times",
        tuple(ranges),
        log_x=True,
        levels=(ReferenceLine(1.0, "equal", "x"),),
    )
    return Figure(chart, "")


# What is solved, and by what --------------------------------------------------------------------


def both_solve(tried: Tried, budget: int) -> Judgement:
    """One solution of each board by each algorithm proves it; a budget cannot disprove it."""
    shares = {
        (algorithm, level): tried[algorithm, board].share
        for algorithm, (level, board) in product(ALGORITHMS, LEVELS.items())
    }
    harder = ", ".join(f"{name} {tried[name, HARDER].share}" for name in ALGORITHMS)
    said = "; ".join(
        f"{name}: " + ", ".join(f"{level} {shares[name, level]}" for level in LEVELS)
        for name in ALGORITHMS
    )
    every = all(share.successes for share in shares.values())
    because = (
        f"Solved within {budget:,} evaluations: {said}. We took boards that can be solved at "
        f"times; on the fifth, {HARDER}, {harder}."
    )
    return Judgement("holds" if every else "undecided", because)


def goes_on_until_solved(
    starts: Mapping[str, NDArray[np.bool_]], tried: Tried, budget: int
) -> Judgement:
    """Judge what the text says beside that it outputs failure: true in one reading only."""
    failed = Proportion.of(np.concatenate([~each for each in starts.values()]))
    low, high = failed.wilson()
    every = [each for (name, _), each in tried.items() if name == GOES_ON]
    gave_up = sum(int(np.sum(~each.solved & (each.evaluations < budget))) for each in every)
    solved = Proportion.of(np.concatenate([each.solved for each in every]))
    fails = (
        f"Single starts that ended in failure, no cell having a better value: {failed}, interval "
        f"{100 * low:.1f} to {100 * high:.1f} %. Only restarts, which the report does not mention, "
        "go on until solved."
    )
    goes_on = (
        f"Single starts that were solved: {solved}; the others were still under way after "
        f"{budget:,} evaluations."
    )
    return across_readings(
        {
            READ_AS[FAILS]: fact(not failed.successes, fails, failed=failed.successes),
            READ_AS[GOES_ON]: fact(not gave_up, goes_on),
        }
    )


def needs_a_limit(levels: Tried, budget: int) -> Judgement:
    """Judge whether shorter attempts cost less per solution, where a search gets stuck.

    Both times are of the same attempts, which the interval treats as independent, so it is too
    wide.
    """
    limit = budget // 10
    every = [levels[GENETIC, level] for level in LEVELS]
    ratio = time_ratio(*((whole.runs(), whole.cut(limit).runs()) for whole in every))
    unsolved = Proportion.of(~np.concatenate([each.solved for each in every]))
    because = (
        f"Attempts at the four boards that were unsolved after {budget:,} evaluations: "
        f"{unsolved}. Evaluations per solution, by those of attempts that end after {limit:,} and "
        f"are begun anew: {ratio}, geometric mean over the boards."
    )
    return Judgement(ratio.above_one, because, ratio._asdict())


def starts_table(starts: Mapping[str, NDArray[np.bool_]], tried: Tried) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for board, solved in starts.items():
        for reading, found in ((FAILS, solved), (GOES_ON, tried[GOES_ON, board].solved)):
            share = Proportion.of(found)
            low, high = (100 * each for each in share.wilson())
            rows.append((board, reading, share.runs, share.successes, f"{low:.2f} to {high:.2f} %"))
    interval = Column("interval of the share", "95 %")
    return Table(("board", "reading", "starts", "solved", interval), tuple(rows))


@dataclass(frozen=True, eq=False)
class Variety:
    """Diversities of the genetic algorithm's runs on `medium`, after equally many evaluations."""

    evaluations: int
    solved: Sample
    """Of runs that are solved later."""
    unsolved: Sample
    """Of runs that never are."""

    @classmethod
    def of(cls, store: Store) -> Variety:
        """Measure as late as half of the solved runs are still running.

        Or at the first record, if they are solved before.
        """
        runs = [(row.solved, history) for row, history in store.histories(arm=0, instance=1)]
        lasts = [history["gen"][-1] for solved, history in runs if solved]
        step = store.study.record.every
        at = max(step, (int(np.median(lasts)) - 1) // step * step) if lasts else step
        taken: dict[bool, list[float]] = {True: [], False: []}
        for solved, history in runs:
            if history["gen"][-1] > at:
                taken[solved].append(float(history["diversity"][history["gen"] == at][0]))
        return cls(POPULATION * (at + 1), np.array(taken[True]), np.array(taken[False]))

    def __str__(self) -> str:
        named = {
            "of runs that stay unsolved": self.unsolved,
            "of those that are solved later": self.solved,
        }
        said = [
            f"{word} {np.median(values):.3f} ({format_count(len(values), 'run')})"
            for word, values in named.items()
            if len(values)
        ]
        return ", ".join(said) or "none"

    def judge(self) -> Judgement:
        """Judge at equal evaluations: diversity falls with time, and solved runs are short."""
        if not (len(self.unsolved) and len(self.solved)):
            return too_few()
        what = f"Diversity of the population after {self.evaluations:,} evaluations"
        one, two = f"{what}, of runs that stay unsolved", "of runs that are solved later"
        (found,) = judge([Contrast(one, two, (self.unsolved, self.solved))])
        return found


# Averages over 40 attempts and over 80 ----------------------------------------------------------


def solving_times(
    attempts: Attempts, measure: str, size: tuple[int, int], draws: np.random.Generator
) -> Sample:
    """Draw `size` times of attempts that continue until solved.

    Our runs are drawn one after another, as restarts, until a solved one.
    """
    effort, solved = attempts.runs(measure)
    if not solved.any():
        return np.full(size, np.inf)
    times, still = np.zeros(size), np.ones(size, np.bool_)
    while still.any():
        drawn = draws.integers(effort.size, size=int(still.sum()))
        times[still] += effort[drawn]
        still[still] = ~solved[drawn]
    return times


def drawn_quotients(attempts: Attempts, count: int = DRAWS, measure: str = "evaluations") -> Sample:
    """Draw averages over 40 attempts divided by averages over 80, from one distribution."""
    draws = np.random.default_rng(0)
    over_40, over_80 = (
        solving_times(attempts, measure, (count, size), draws).mean(axis=1) for size in (40, 80)
    )
    return np.asarray(over_40 / over_80, np.float64)


def quotient_chances(levels: Tried) -> dict[tuple[str, str], float]:
    """Return the probability of a quotient as large as published, under one distribution."""
    chances = {}
    for level, algorithm in product(LEVELS, ALGORITHMS):
        attempts = levels[algorithm, level]
        if attempts.solved.any():
            drawn = drawn_quotients(attempts)
            as_large = np.sum(drawn >= QUOTIENTS[level, PUBLISHED_AS[algorithm]])
            chances[level, algorithm] = float((as_large + 1) / (drawn.size + 1))
    return chances


def above_two() -> int:
    """Count the quotients above 2, however the printed averages were rounded."""
    return sum(
        (AVERAGES[level, 40, algorithm] - 0.5) / (AVERAGES[level, 80, algorithm] + 0.5) > 2
        for level, algorithm in QUOTIENTS
    )


def other_averages(levels: Tried) -> Judgement:
    """Judge: holds if the lowest probability, with Bonferroni's correction, is below the level."""
    chances = quotient_chances(levels)
    least = min(chances.values()) * len(chances) if chances else 1.0
    ends = min(chances.values(), default=1.0), max(chances.values(), default=1.0)
    because = (
        f"Averages over 40 attempts are {min(QUOTIENTS.values()):.1f} to "
        f"{max(QUOTIENTS.values()):.1f} times those over 80; of one distribution the quotient "
        "would be about 1. Were the 40 among the 80, no quotient could pass 2, and "
        f"{above_two()} of {len(QUOTIENTS)} do. With fresh attempts drawn from our running times, "
        f"chances of a quotient as large are {ratio_text(ends[0])} to {ratio_text(ends[1])} "
        f"({p_text(min(1.0, least))} for the least, with Bonferroni's correction)."
    )
    return Judgement("holds" if least < ALPHA else "undecided", because)


def quotient_parts(levels: Tried) -> dict[str, Part]:
    chances = quotient_chances(levels)
    rows: list[tuple[Cell, ...]] = []
    boxes: list[Box] = []
    for level, algorithm in product(LEVELS, ALGORITHMS):
        attempts = levels[algorithm, level]
        drawn = drawn_quotients(attempts, 2000) if attempts.solved.any() else np.array([np.nan])
        low, high = np.quantile(drawn, (0.025, 0.975))
        middle = None if np.isnan(low) else f"{low:.2f} to {high:.2f}"
        printed = QUOTIENTS[level, PUBLISHED_AS[algorithm]]
        rows.append((level, algorithm, printed, middle, chances.get((level, algorithm))))
        boxes.append(Box.of(f"{level}, {algorithm}", drawn))
    columns = (
        "level",
        "algorithm",
        Column("40 by 80", "published", decimals=2),
        Column("40 by 80", "ours, middle 95 %"),
        Column("chance", "of the published", decimals=4),
    )
    chart = BoxPlot("Average over 40 fresh attempts by that over 80", "quotient", tuple(boxes))
    return {"quotients": Table(columns, tuple(rows)), "chance": Figure(chart, "")}


# What its parts bring, and its wishes -----------------------------------------------------------


def larger_start(seeds: Sequence[int], budget: int) -> Attempts:
    """Make attempts at `medium` with a larger first population, as the report proposes.

    The best half of 2,500 random boards mate; their children and the best board are the 500 boards
    from then on.
    """
    genetic = cast("Genetic", preset(PRESETS[GENETIC]).build())
    larger = replace(genetic, population=LARGER)
    puzzle = bundled()[LEVELS["medium"]].puzzle
    problem = Problem.of(puzzle, genetic.encoding, genetic.fitness)
    until = f"evaluations={budget - LARGER}"
    results = []
    for seed in seeds:
        first = larger.start(problem, stream(seed, "larger start"))
        children = larger.step(problem, first).boards[: POPULATION - 1]
        boards = np.concatenate((first.boards[[first.costs.argmin()]], children))
        few = Record(fields=("gen",), every=10_000)
        results.append(run(puzzle, genetic, seed=seed, until=until, boards=boards, record=few))
    return Attempts(
        np.array([1000 * each.cpu_seconds for each in results]),
        np.array([float(each.evaluations + LARGER) for each in results]),
        np.array([each.solved for each in results]),
    )


def parts_and_wishes(
    levels: Tried, choices: Mapping[str, Attempts], larger: Attempts
) -> dict[str, Judgement]:
    """Judge the parts and proposals: ratio of evaluations per solution without and with them.

    Intervals have Bonferroni's correction for all comparisons.
    """
    own = {name: levels[name, "medium"] for name in ALGORITHMS}
    genetic = own[GENETIC]
    compared: dict[str, dict[str, tuple[Attempts, Attempts]]] = {
        "mutation-helps": {"": (choices["no mutation"], genetic)},
        "downhill-helps": {
            READ_AS[FAILS]: (choices["fails, never downhill"], own[FAILS]),
            READ_AS[GOES_ON]: (choices["goes on, downhill only when stuck"], own[GOES_ON]),
        },
        "larger-population": {
            "larger at first only": (genetic, larger),
            "larger throughout": (genetic, choices["population 2500"]),
        },
        "mates-by-fitness": {"": (genetic, choices["mates by fitness"])},
        "several-cuts": {"": (genetic, choices["four cuts, three parents"])},
        "more-variety": {"": (genetic, choices["no twins"])},
    }
    confidence = 1 - ALPHA / sum(map(len, compared.values()))
    found = {}
    for name, readings in compared.items():
        judged = {each: _helps(*pair, confidence) for each, pair in readings.items()}
        found[name] = judged[""] if "" in judged else across_readings(judged)
    return found


def _helps(without: Attempts, with_it: Attempts, confidence: float) -> Judgement:
    ratio = time_ratio((without.runs(), with_it.runs()), level=confidence)
    said = [
        f"{each.share} solved, {ratio_text(each.time().value)} evaluations per solution"
        for each in (with_it, without)
    ]
    because = (
        f"With it {said[0]}; without {said[1]}: {ratio} times as many, interval "
        f"of {100 * confidence:.4g} %."
    )
    return Judgement(ratio.above_one, because, ratio._asdict())


def choice_parts(
    levels: Tried, choices: Mapping[str, Attempts], larger: Attempts
) -> dict[str, Part]:
    shown = [(f"as chosen, {name}", name, levels[name, "medium"]) for name in ALGORITHMS]
    for name, attempts in choices.items():
        reading = f"annealing, {name.partition(',')[0]}"
        shown.append((name, reading if reading in READ_AS else GENETIC, attempts))
    shown.append((f"first population {LARGER}", GENETIC, larger))
    rows: list[tuple[Cell, ...]] = []
    ranges: list[IntervalMark] = []
    for name, algorithm, attempts in sorted(shown, key=lambda each: ALGORITHMS.index(each[1])):
        time, cpu = attempts.time(), attempts.time("cpu").value
        interval = span_text(time.interval)
        rows.append((name, algorithm, share_text(attempts), time.value, interval, cpu))
        place = ALGORITHMS.index(algorithm)
        ranges.append(IntervalMark(name, time.value, *time.interval, algorithm, place))
    columns = (
        "choice",
        "algorithm",
        "solved",
        Column("evaluations", "expected"),
        Column("interval", "95 %"),
        Column("CPU", "ms, expected", decimals=0),
    )
    title = "Evaluations to the solution of medium"
    chart = IntervalChart(title, "expected evaluations", tuple(ranges), log_x=True)
    return {"choices": Table(columns, tuple(rows)), "efforts": Figure(chart, "")}


def share_text(attempts: Attempts) -> str:
    return f"{attempts.share.successes} of {attempts.share.runs}"


def span_text(interval: tuple[float, float]) -> str:
    return " to ".join(map(ratio_text, interval))
