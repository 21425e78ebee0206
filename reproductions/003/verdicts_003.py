"""Report 003, Glen Simon: empty boards filled box by box; its claims judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku import Puzzle, preset, run
from genoku.engine.history import Record
from genoku.evolve.fitness import CompleteUnits
from genoku.evolve.operators.adaptation import Progress, Stagnation
from genoku.evolve.problem import Problem
from genoku.lab import Results, Store
from genoku.lab.claims import (
    FEWEST,
    Contrast,
    Judgement,
    across_readings,
    all_of,
    fact,
    interval_text,
    judge,
    matches_published,
    median_interval,
    p_text,
    percentile,
    share_below,
    within,
)
from genoku.lab.report.charts import (
    BoardGallery,
    BoardPicture,
    HeatMap,
    IntervalChart,
    IntervalMark,
    LineChart,
    ReferenceLine,
    Series,
    numbers,
)
from genoku.lab.report.page import Cell, Column, Figure, Part, Table
from genoku.lab.statistics import Proportion, describe, fisher, running_time, smallest_p
from genoku.puzzle.geometry import Geometry
from genoku.reports import reports
from genoku.runtime.text import format_count
from reproductions import Findings, band

REPORT = reports()["003"]


def _published_run(experiment: str, row: str) -> dict[str, Any]:
    """A run in the report's table, with what its log says."""
    found = REPORT.experiment(experiment).setting(row)
    printed: dict[str, Any] = dict(found.printed)
    run: dict[str, Any] = {
        "name": row if experiment == "9x9" else f"{experiment} {row}",
        "side": round(printed["Base Fitness"] ** 0.5),
        "population": printed["Pop Size"],
        "generations": printed["Generation Limit"],
        "tournament": printed["Tourn Size"],
        "best": printed["Best Fitness"],
    }
    if found.log:
        run |= {"mean_at_start": found.log.mean_at_start, "improved": found.log.improved}
    return run


RUNS: dict[str, dict[str, Any]] = {
    **{f"run_{number}": _published_run("9x9", f"run_{number}") for number in range(1, 6)},
    "long_run": _published_run("9x9", "long_run"),
    "ultra_long_run": _published_run("code", "ultra_long_run"),
    **{f"16x16 run_{number}": _published_run("16x16", f"run_{number}") for number in range(1, 4)},
    "25x25 run_1": _published_run("code", "25x25_run1"),
}
"""The published runs in the order of the page."""

BOARDS = dict(
    zip(
        ("ID 64251, run 1", "ID 85611, run 5", "ID 262301, long run", "16x16, run 2"),
        REPORT.printed_boards,
        strict=True,
    )
)
"""The boards it printed, by what the page calls them."""

SHORT, LONG, ULTRA = 500, 1000, 2000
"""Generations of its runs 1 to 5, of its long run and of its ultra long run."""

CODED, DESCRIBED = VERSIONS = ("as coded", "as described")
"""The elite: the best of the old population (code), or of the pool after mutation (text)."""
MARK = "described: "

T2, T20, LARGE = "tournament 2", "tournament 20", "population 400"
ARM_OF = {(200, 2): T2, (200, 20): T20, (400, 2): LARGE}
"""By population and tournament, the arm of the 9×9 study that a published run belongs to."""
START = 0.15
RATES = (START, 0.3, 0.5, 0.7)
SIDES = {9: (81, 243), 16: (256, 768)}
"""Base and optimum, as its tables have them by the side of the board."""
FITNESSES = {"complete lines": "complete-units", "missing digits": "missing-digits"}
MUTATIONS = {"shuffle of a box": "shuffle", "swap in a box": "swap"}
NEVER = 0.01
"""What happens in less than this share of runs hardly ever does."""


def constant(rate: float) -> str:
    """The name of an arm whose rate never changes."""
    return f"constant, adaptation.rate={rate:g}"


@dataclass(frozen=True, eq=False)
class Curves:
    """The runs of an arm, `[seed, generation]`; a run that ended keeps its last values."""

    best: NDArray[np.float64]
    """The best so far, on the report's scale."""
    mean: NDArray[np.float64]
    rate: NDArray[np.float64]
    diversity: NDArray[np.float64]
    """NaN where it was not taken."""
    solved: NDArray[np.bool_]

    @classmethod
    def of(cls, store: Store, place: int) -> Curves:
        study = store.study
        generations = int(study.arms[place].until.partition("=")[2])
        most = 3 * study.instances[0].puzzle.geometry.cells
        columns: dict[str, list[NDArray[np.float64]]] = {
            field: [] for field in ("best_ever", "mean", "rate", "diversity")
        }
        solved = []
        for row, history in store.histories(arm=place):
            solved.append(row.solved)
            for field, rows in columns.items():
                taken = history.get(field, np.full(history.rows, np.nan)).astype(np.float64)
                rows.append(np.pad(taken, (0, generations + 1 - len(taken)), mode="edge"))
        best, mean, rate, diversity = (np.array(rows) for rows in columns.values())
        return cls(most - best, most - mean, rate, diversity, np.array(solved))

    def best_at(self, generation: int) -> NDArray[np.float64]:
        return self.best[:, generation]

    def improvements(self, after: int, until: int) -> NDArray[np.int64]:
        """Count the improvements of each run between two generations."""
        better = np.diff(self.best[:, after : until + 1], axis=1) > 0
        return np.asarray(better.sum(axis=1), np.int64)

    def last_improvement(self, until: int) -> NDArray[np.int64]:
        """The last generation with a better board, up to a generation."""
        better = np.diff(self.best[:, : until + 1], axis=1) > 0
        last: NDArray[np.int64] = until - better[:, ::-1].argmax(axis=1)
        return np.where(better.any(axis=1), last, 0)


@dataclass(frozen=True, eq=False)
class ReportRuns:
    """The runs under one reading of the elite, by arm. 25×25 follows the code only."""

    nine: Mapping[str, Curves]
    sixteen: Mapping[str, Curves]
    twenty_five: Curves
    solved_empty: Proportion
    """Runs with the report's own settings on empty boards."""

    @classmethod
    def of(cls, stores: Mapping[str, Store], version: str) -> ReportRuns:
        nine, sixteen = (by_arm(stores[name], version) for name in ("nine", "sixteen"))
        (twenty_five,) = by_arm(stores["twenty-five"], CODED).values()
        own = [*(nine[name] for name in ARM_OF.values()), sixteen["one box"]]
        own += [twenty_five] if version == CODED else []
        solved = Proportion.of(np.concatenate([each.solved for each in own]))
        return cls(nine, sixteen, twenty_five, solved)

    def bests(self, run: dict[str, Any]) -> NDArray[np.float64]:
        """Our best fitness with the settings of a published run, after as many generations."""
        if run["side"] == 9:
            curves = self.nine[ARM_OF[run["population"], run["tournament"]]]
        else:
            curves = self.sixteen["one box"] if run["side"] == 16 else self.twenty_five
        return curves.best_at(run["generations"])


def by_arm(store: Store, version: str) -> dict[str, Curves]:
    """The arms of a reading, by names without it."""
    return {
        each.name.removeprefix(MARK): Curves.of(store, place)
        for place, each in enumerate(store.study.arms)
        if each.name.startswith(MARK) == (version == DESCRIBED)
    }


Readings = Mapping[str, ReportRuns]
"""What was measured, by the reading of its elite."""
Tested = Mapping[tuple[str, str], Judgement]
"""By reading and name, what two samples decide."""


def findings(stores: Mapping[str, Store]) -> Findings:
    seen = {version: ReportRuns.of(stores, version) for version in VERSIONS}
    answers, puzzles = stores["answer"], stores["puzzles"]
    both = solved_of(answers, T20, "missing-digits", "swap")
    low, high = both.wilson()
    simon = preset("simon")
    left_open = (*simon.left_open, *preset("simon-puzzle").left_open[-1:], *simon.differs)
    words = {
        "left_open": "\n".join(f"- {each}" for each in left_open),
        **{f"once_at_{side}": 1 / line_chance(side) for side in (9, 16, 25)},
        "runs": format_count(len(seen[CODED].nine[T2].best), "run"),
        "both": both,
        "low": 100 * low,
        "high": 100 * high,
    }
    judgements = judge_claims(seen, judge_contrasts(seen), puzzles.results())
    figures = {"runs": percentiles_of_bests(seen[CODED])}
    return Findings(judgements, dict(parts(seen, puzzles, answers)), words, figures)


# What two samples decide


def judge_contrasts(seen: Readings) -> Tested:
    """Judge all contrasts of both readings, with one correction."""
    named = {
        (version, name): each
        for version, measured in seen.items()
        for name, each in contrasts(measured).items()
    }
    coded, described = (each.nine[T2].best_at(SHORT) for each in seen.values())
    higher = seen[CODED].nine["cap compared with 0.90"].best_at(SHORT)
    named[CODED, "cap"] = Contrast("with 0.90:", "with 0.85:", (higher, coded), False, alike=True)
    named[DESCRIBED, "elite"] = Contrast(
        "Best fitness with the elite of the text",
        "with that of the code",
        (described, coded),
        lower_is_better=False,
    )
    return dict(zip(named, judge(list(named.values())), strict=True))


def contrasts(seen: ReportRuns) -> dict[str, Contrast]:
    """Return the contrasts of one reading."""
    two, twenty = seen.nine[T2], seen.nine[T20]
    fixed = {rate: seen.nine[constant(rate)] for rate in RATES}
    varied = [np.nanmean(each.diversity[:, 1 : SHORT // 2 + 1], axis=1) for each in (twenty, two)]
    rising = f"Best fitness with the rising rate ({two.rate[:, : SHORT + 1].mean():.2f} on average)"

    def better(first: str, one: Curves, second: str, other: Curves) -> Contrast:
        bests = one.best_at(SHORT), other.best_at(SHORT)
        return Contrast(first, second, bests, lower_is_better=False)

    found = {
        "tournament": better("Best fitness with tournament 20:", twenty, "with 2:", two),
        "diversity": Contrast(
            "Mean diversity of generations 1 to 250 with tournament 20:",
            "with 2:",
            (varied[0], varied[1]),
        ),
        "mean": Contrast(
            f"Mean fitness of generation 500 with the rate constant at {START:g}:",
            "with the rising one:",
            (fixed[START].mean[:, SHORT], two.mean[:, SHORT]),
            lower_is_better=False,
        ),
        "boxes": better(
            "Best fitness with two boxes per mutation, 12.5 % of the board:",
            seen.sixteen["two boxes"],
            "with one:",
            seen.sixteen["one box"],
        ),
    }
    for rate, each in fixed.items():
        first = rising if rate == START else "Rising"
        found[f"rising, {rate:g}"] = better(first, two, f"with {rate:g} throughout", each)
    for rate in RATES[1:]:
        first = f"{'Best fitness with ' if rate == RATES[1] else ''}{rate:g} throughout"
        found[f"more, {rate:g}"] = better(first, fixed[rate], f"with {START:g}", fixed[START])
    return found


def in_both_readings(tested: Tested, *names: str) -> Judgement:
    """Return the verdict of all parts of a claim in both readings."""
    return across_readings(
        {version: all_of([tested[version, name] for name in names]) for version in VERSIONS}
    )


def out_of_local_optima(tested: Tested) -> Judgement:
    """Judge whether the rising rate gets further; the report does not say than what."""
    every = [f"rising, {rate:g}" for rate in RATES]
    return across_readings(
        {
            "further than the low rate that it starts with": in_both_readings(tested, every[0]),
            "further than constant rates, higher ones too": in_both_readings(tested, *every),
        }
    )


# Claims


def judge_claims(seen: Readings, tested: Tested, puzzles: Results) -> dict[str, Judgement]:
    """Judge published runs as coded, and claims about the system under both readings."""
    coded = seen[CODED]

    def both(judge_one: Callable[[ReportRuns], Judgement]) -> Judgement:
        return across_readings({version: judge_one(each) for version, each in seen.items()})

    few = [sum(run["tournament"] == size for run in short_runs()) for size in (20, 2)]
    tournament = in_both_readings(tested, "tournament")
    extra = {"few": few, "fewest_p": p_text(smallest_p(*few))}
    return {
        "base-and-optimum": base_and_optimum(),
        "printed-boards": printed_boards(),
        "two-rules": all_of_two_rules(),
        "never-solved": both(
            lambda read: share_below(
                read.solved_empty,
                NEVER,
                "Runs with its settings on empty boards that found one (we ask: less than 1 %):",
            )
        ),
        "published-bests": published_bests(coded),
        "diversity": in_both_readings(tested, "diversity"),
        "stagnant-around-400": stagnant_around_400(coded),
        "after-250": both(after_250),
        "nothing-beyond-1000": both(nothing_beyond_1000),
        "cap": rate_is_capped(coded, tested[CODED, "cap"]),
        "mean": in_both_readings(tested, "mean"),
        "local-optima": out_of_local_optima(tested),
        "much-like-16": much_like_16(coded),
        "mutation-weaker": mutation_weaker(),
        "boxes": in_both_readings(tested, "boxes"),
        "section-e": section_e(puzzles),
        "more-mutation": in_both_readings(tested, *(f"more, {rate:g}" for rate in RATES[1:])),
        "tournament": replace(tournament, figures={**tournament.figures, **extra}),
        "elite": tested[DESCRIBED, "elite"],
        "bests-of-the-text": published_bests(seen[DESCRIBED]),
    }


def fitness_of(cells: str) -> tuple[float, NDArray[np.uint8], Puzzle]:
    """The fitness of a printed board, the board, and the empty puzzle that it fills."""
    board = np.array(cells.split(), np.uint8)
    geometry = Geometry.of_side(round(len(board) ** 0.5))
    puzzle = Puzzle(geometry, bytes(geometry.cells))
    rule = CompleteUnits()
    return float(rule.score(rule.costs(board[None], puzzle), geometry)[0]), board, puzzle


def base_and_optimum() -> Judgement:
    """Judge by examples: equal boxes complete no line, shifted ones all lines."""
    computed = {}
    for side in SIDES:
        root = round(side**0.5)
        row, column = np.divmod(np.arange(side * side), side)
        alike = row % root * root + column % root
        shifted = (row % root * root + row // root + column) % side
        boards = (" ".join(map(str, (cells + 1).tolist())) for cells in (alike, shifted))
        computed[side] = tuple(fitness_of(board)[0] for board in boards)
    said = "; ".join(f"{a:g} and {b:g} at {side}×{side}" for side, (a, b) in computed.items())
    return fact(computed == SIDES, "", said=said)


def printed_boards() -> Judgement:
    found = {name: fitness_of(each.cells)[0] for name, each in BOARDS.items()}
    right = [found[name] == each.fitness for name, each in BOARDS.items()]
    said = "; ".join(f"{name} has {value:g}" for name, value in found.items())
    return fact(all(right), "", said=said)


def all_of_two_rules() -> Judgement:
    square = np.array(BOARDS["ID 64251, run 1"].cells.split(), np.uint8).reshape(9, 9)
    rows, columns = (
        np.array([len(set(line)) == 9 for line in lines.tolist()]) for lines in (square, square.T)
    )
    least = int((1 + rows[:, None].astype(int) + columns[None, :]).min())
    holds = least == 2 and rows.sum() == 1
    return fact(holds, "", rows=int(rows.sum()), columns=int(columns.sum()), least=least)


def published_bests(seen: ReportRuns) -> Judgement:
    return matches_published(
        {
            name: (float(run["best"]), seen.bests(run))
            for name, run in RUNS.items()
            if run["side"] < 25
        }
    )


def percentiles_of_bests(seen: ReportRuns) -> dict[str, Any]:
    """Return every published best with its percentile among ours, for `claims.json`."""
    return {
        name: {
            "published": run["best"],
            "runs": len(ours),
            "median": float(np.median(ours)),
            "percentile": percentile(ours, run["best"]),
        }
        for name, run in RUNS.items()
        for ours in [seen.bests(run)]
    }


def short_runs() -> list[dict[str, Any]]:
    return [run for run in RUNS.values() if run["side"] == 9 and run["generations"] == SHORT]


def stagnant_around_400(seen: ReportRuns) -> Judgement:
    """Judge by the log of the one run; the reason also describes our runs."""
    own, falls = RUNS["run_1"]["improved"][-1][1], REPORT.value("mean-falls-after")
    ours = seen.nine[T2]
    last = ours.last_improvement(SHORT)
    low, high = np.quantile(last, (0.25, 0.75), method="inverted_cdf")
    return fact(
        max(own, falls) <= REPORT.value("stagnant-around"),
        "",
        own=own,
        falls=falls,
        last=float(np.median(last)),
        low=low,
        high=high,
        later=str(Proportion.of(ours.improvements(SHORT, ULTRA) > 0)),
    )


def after_250(seen: ReportRuns) -> Judgement:
    after = int(REPORT.value("long-run-improves-until"))
    few = REPORT.value("long-run-improvements")
    ours = seen.nine[LARGE]
    counts = ours.improvements(after, LONG)
    interval = median_interval(counts)
    worse = Proportion.of(ours.mean[:, LONG] < ours.mean[:, after])
    verdicts = within(interval, few - 1, few + 1), within(worse.wilson(), low=0.5)
    return all_of(
        [Judgement(verdict, "") for verdict in verdicts],
        f"Improvements of ours from generation {after} to {LONG}: median {np.median(counts):g}, "
        f"{interval_text(interval, '.3g')} (we ask: {few - 1} to {few + 1}), "
        f"{counts.min()} to {counts.max()} in single runs. The mean is lower at {LONG} "
        f"than at {after} in {worse}.",
    )


def nothing_beyond_1000(seen: ReportRuns) -> Judgement:
    better = Proportion.of(seen.nine[LARGE].improvements(LONG, ULTRA) > 0)
    found = share_below(
        better,
        NEVER,
        f"Runs of ours that improve between generations {LONG} and {ULTRA} (we ask: less than "
        "1 %):",
    )
    own = RUNS["ultra_long_run"]["best"] - RUNS["long_run"]["best"]
    more = f" The report's own ultra long run ends {own} above the best that it prints."
    return replace(found, because=found.because + more)


def rate_is_capped(seen: ReportRuns, alike: Judgement) -> Judgement:
    highest = max(float(seen.nine[name].rate.max()) for name in ARM_OF.values())
    logs = [run for run in RUNS.values() if "improved" in run]
    replay = max(float(replay_rate(run["improved"], run["generations"]).max()) for run in logs)
    bound = Stagnation().limit + Stagnation().increase  # the code compares, then adds
    effect = {
        "holds": "makes no difference",
        "fails": "matters",
        "undecided": "makes no difference that can be told from chance",
    }[alike.verdict]
    holds = max(highest, replay) <= REPORT.value("cap") + 1e-3 and bound <= 0.9 + 1e-9
    return fact(holds, alike.because, bound=bound, highest=highest, replayed=replay, told=effect)


def replay_rate(improved: list[list[int]], generations: int) -> NDArray[np.float64]:
    """The mutation rate of a published run, generation by generation, from its improvements."""
    simon = preset("simon")
    algorithm = simon.build()
    # the rule looks at nothing but the best, yet every adaptation is handed its problem
    problem = Problem.of(simon.puzzle, algorithm.encoding, algorithm.fitness)
    when = [generation for _, generation in improved if generation > 0]
    memory = None
    rates: list[float] = []
    for step in range(generations + 1):
        best = 1000 - sum(each <= step for each in when)
        memory = Stagnation()(memory, Progress(step, best), problem)
        rates.append(memory["rate"])
    return np.array(rates)


def much_like_16(seen: ReportRuns) -> Judgement:
    """Judge growth at 25×25: by the report's own log there is none."""
    own = RUNS["25x25 run_1"]
    base, generations = own["side"] ** 2, own["generations"]
    ours = seen.twenty_five
    sixteen = Proportion.of(seen.sixteen["one box"].best_at(generations) > 256)
    short = Proportion.of(ours.best_at(generations) > base)
    few = min(sixteen.runs, short.runs) < FEWEST
    return fact(
        own["best"] > base,
        "",
        generations=generations,
        best=own["best"],
        short=str(short),
        better=str(Proportion.of(ours.best[:, -1] > base)),
        last=ours.best.shape[1] - 1,
        sixteen=str(sixteen),
        told="" if few else f" (Fisher {p_text(fisher(sixteen, short).p)})",
    )


def mutation_weaker() -> Judgement:
    shares = {side: 100 / side for side in (9, 16, 25)}
    said = ", ".join(f"{share:.1f} % at {side}×{side}" for side, share in shares.items())
    return fact(shares[9] > shares[16] > shares[25], "", said=said)


def section_e(puzzles: Results) -> Judgement:
    """Judge: one solved puzzle proves it, none disproves it."""
    solved = Proportion.of(puzzles.solved)
    because = f"{solved} runs on four puzzles ended with the solution."
    return Judgement("holds" if solved.successes else "undecided", because)


# Tables and figures of the page


def parts(seen: Readings, puzzles: Store, answers: Store) -> Iterator[tuple[str, Part]]:
    coded = seen[CODED]
    yield from bests(coded)
    yield "starts", starts(coded)
    yield "boards", printed_in_colours()
    yield from courses(coded)
    yield "rates", rates(seen)
    yield from stagnation(coded)
    yield from larger(coded)
    yield "puzzles", real_puzzles(puzzles)
    yield "answer", what_solves(answers)


def bests(seen: ReportRuns) -> Iterator[tuple[str, Part]]:
    rows: list[tuple[Cell, ...]] = []
    ranges: list[IntervalMark] = []
    for name, each in RUNS.items():
        ours = seen.bests(each)
        about = describe(ours)
        low, high = np.quantile(ours, (0.025, 0.975), method="inverted_cdf")
        size = "{population} × {generations}, {tournament}".format(**each)
        quartiles = f"{about.lower_quartile:g} to {about.upper_quartile:g}"
        place = percentile(ours, each["best"])
        rows.append((name, size, each["best"], about.n, about.median, quartiles, place))
        if each["side"] == 9:
            measured = "measured: median, middle 95 %"
            ranges.append(IntervalMark(name, about.median, float(low), float(high), measured, 0))
            ranges.append(IntervalMark(name, each["best"], None, None, "published", 1))
    columns = (
        "run",
        Column("size", "boards × gen., tourn."),
        Column("best", "published"),
        Column("runs", "ours"),
        Column("median", "ours"),
        Column("quartiles", "ours"),
        Column("place", "percentile", decimals=0),
    )
    yield "bests", Table(columns, tuple(rows))
    solved = (ReferenceLine(243, "solved"),)
    chart = IntervalChart("Best fitness of the 9×9 runs", "fitness", tuple(ranges), levels=solved)
    yield "best-ranges", Figure(chart)


def line_chance(side: int) -> float:
    """Return the probability that a row of independently shuffled boxes is complete.

    Each of its n boxes shows n of the side's digits, any as likely as any other; those of all
    boxes together must be a partition of the digits.
    """
    boxes = round(side**0.5)
    partitions = factorial(side) // factorial(boxes) ** boxes
    return float(partitions / comb(side, boxes) ** boxes)


def expected_start(side: int) -> float:
    """The expected fitness of a random board: N² for its boxes, N for every complete line."""
    return side**2 + side * 2 * side * line_chance(side)


def starts(seen: ReportRuns) -> Table:
    rows = []
    for side, curves in ((9, seen.nine[T2]), (16, seen.sixteen["one box"]), (25, seen.twenty_five)):
        logs = [run for run in RUNS.values() if run["side"] == side and "mean_at_start" in run]
        first = curves.mean[:, 0]
        rows.append(
            (
                f"{side}×{side}",
                expected_start(side),
                ", ".join(f"{run['mean_at_start']:.2f}" for run in logs),
                float(first.mean()),
                float(first.std(ddof=1)) if len(first) > 1 else None,
                len(first),
            )
        )
    columns = (
        Column("board", align="left"),
        Column("expected", decimals=3),
        "published logs",
        Column("mean", "ours", decimals=3),
        Column("sd", "ours", decimals=3),
        Column("runs", "ours"),
    )
    return Table(columns, tuple(rows))


def printed_in_colours() -> Figure:
    boards = tuple(
        BoardPicture(f"{name}: {fitness:g}", puzzle, board.tobytes())
        for name, each in list(BOARDS.items())[:3]
        for fitness, board, puzzle in [fitness_of(each.cells)]
    )
    return Figure(BoardGallery("Boards printed in the report", boards))


def courses(seen: ReportRuns) -> Iterator[tuple[str, Part]]:
    upto = SHORT + 1
    fitness: list[Series] = []
    rate: list[Series] = []
    for place, name in enumerate((T2, T20)):
        curves = seen.nine[name]
        fitness.append(band(f"best, {name}", curves.best[:, :upto], place))
        fitness.append(band(f"mean, {name}", curves.mean[:, :upto], place + 2, style="dashed"))
        rate.append(band(name, curves.rate[:, :upto], place))
    for place, name in enumerate(("run_1", "run_5")):
        again = replay_rate(RUNS[name]["improved"], SHORT)
        label, x = f"published {name}, replayed", numbers(np.arange(len(again)))
        rate.append(Series(label, x, numbers(again), style="steps", colour=place + 2))
    yield (
        "fitness",
        Figure(LineChart("Best and mean fitness", "generation", "fitness", tuple(fitness))),
    )
    chart = LineChart("Mutation rate", "generation", "rate", tuple(rate), y_limits=(0.0, 1.0))
    yield "rate", Figure(chart)
    shown = ("simon", "Tournament 2 (as runs 1 to 3)"), ("simon-t20", "Tournament 20 (as 4 and 5)")
    yield "populations", Figure(tuple(population(*each) for each in shown))


def population(name: str, title: str) -> LineChart:
    """Return all fitnesses of a seeded run, as in the report's log."""
    chosen = preset(name)
    whole = Record(fields=("gen", "best", "mean"), individuals=True)
    made = run(chosen.puzzle, chosen.build(), seed=1, until=f"generations={SHORT}", record=whole)
    most = 3 * chosen.puzzle.geometry.cells
    people = made.individuals[:: max(1, len(made.individuals) // 900)]
    x = numbers(made.history["gen"])
    mean, best = (numbers(most - made.history[field]) for field in ("mean", "best"))
    cloud = numbers(people[:, 0]), numbers(most - people[:, 2])
    series = (
        Series("individuals", *cloud, style="points", colour=7),
        Series("mean", x, mean, colour=1),
        Series("best", x, best, colour=0),
    )
    return LineChart(title, "generation", "fitness", series)


def rates(seen: Readings) -> Table:
    """Make the table of the rising rate and constant ones."""
    rows: list[tuple[Cell, ...]] = []
    for version, measured in seen.items():
        rows.append((f"elite {version}",))
        for label, name in (("rising", T2), *((f"{rate:g}", constant(rate)) for rate in RATES)):
            curves = measured.nine[name]
            best = curves.best_at(SHORT)
            rows.append(
                (
                    label,
                    float(curves.rate[:, : SHORT + 1].mean()),
                    float(best.mean()),
                    float(best.std(ddof=1)) if len(best) > 1 else None,
                    float(curves.mean[:, SHORT].mean()),
                    len(best),
                )
            )
    columns = (
        Column("mutation rate", align="left"),
        Column("rate", "on average", decimals=2),
        Column("best", "mean of runs", decimals=1),
        Column("best", "sd", decimals=1),
        Column("mean fitness", f"at {SHORT}", decimals=1),
        "runs",
    )
    return Table(columns, tuple(rows))


def stagnation(seen: ReportRuns) -> Iterator[tuple[str, Part]]:
    spans = (250, SHORT), (SHORT, LONG), (LONG, ULTRA)
    rows: list[tuple[Cell, ...]] = []
    series: list[Series] = []
    for place, ((size, tournament), name) in enumerate(ARM_OF.items()):
        curves = seen.nine[name]
        counts = [curves.improvements(*span) for span in spans]
        rows.append(
            (
                f"{size}, {tournament}",
                *(float(np.median(curves.best_at(at))) for at in (SHORT, LONG, ULTRA)),
                *(float(each.mean()) for each in counts),
                str(Proportion.of(counts[-1] > 0)),
            )
        )
        series.append(band(f"{size} boards, tournament {tournament}", curves.best, place))
    columns = (
        Column("setting", "boards, tournament", align="left"),
        *(Column("best", f"at {at}") for at in (SHORT, LONG, ULTRA)),
        *(Column("better", f"{a} to {b}", decimals=2) for a, b in spans),
        Column("runs", f"better after {LONG}"),
    )
    yield "stagnation", Table(columns, tuple(rows))
    title, solved = "Best fitness of long runs", (ReferenceLine(243, "solved"),)
    chart = LineChart(title, "generation", "fitness", tuple(series), levels=solved)
    yield "long-runs", Figure(chart)


def larger(seen: ReportRuns) -> Iterator[tuple[str, Part]]:
    one, two, huge = seen.sixteen["one box"], seen.sixteen["two boxes"], seen.twenty_five
    rows: list[tuple[Cell, ...]] = []
    for name, curves, base, at in (
        ("16×16, one box per mutation", one, 256, SHORT),
        ("16×16, two boxes", two, 256, SHORT),
        ("25×25, one box", huge, 625, RUNS["25x25 run_1"]["generations"]),
        ("25×25, one box", huge, 625, huge.best.shape[1] - 1),
    ):
        best = curves.best_at(at)
        above = str(Proportion.of(best > base))
        rows.append((name, at, len(best), above, float(np.median(best)), float(best.max())))
    columns = (
        Column("board", align="left"),
        Column("gen."),
        "runs",
        "above the base",
        Column("best", "median"),
        Column("best", "of all"),
    )
    yield "larger", Table(columns, tuple(rows))
    series = (
        band("one box per mutation", one.best, 0),
        band("two boxes per mutation", two.best, 1),
    )
    levels = tuple(
        ReferenceLine(run["best"], run["name"]) for run in RUNS.values() if run["side"] == 16
    )
    chart = LineChart("Best fitness at 16×16", "generation", "fitness", series, levels=levels)
    yield "sixteen", Figure(chart)


def real_puzzles(store: Store) -> Table:
    rows = []
    results, study = store.results(), store.study
    for place, instance in enumerate(study.instances):
        for which, each in enumerate(study.arms):
            runs = results.of(arm=which, instance=place)
            time = running_time(runs.evaluations, runs.solved)
            low, high = time.success.wilson()
            interval = f"{100 * low:.0f} to {100 * high:.0f} %"
            score = float(np.median(runs.score))
            rows.append((instance.name, each.name, str(time.success), interval, time.value, score))
    columns = (
        "puzzle",
        Column("size", "boards × gen.", align="left"),
        "solved",
        Column("interval", "95 %"),
        Column("evaluations", "per solution"),
        Column("best", "median"),
    )
    return Table(columns, tuple(rows))


def solved_of(store: Store, tournament: str, fitness: str, mutation: str) -> Proportion:
    """Count the runs solved with both changes."""
    for place, arm in enumerate(store.study.arms):
        settings = arm.settings["fitness"], arm.settings["mutation"]["use"]
        if arm.name.partition(",")[0] == tournament and settings == (fitness, mutation):
            return Proportion.of(store.results().of(arm=place).solved)
    raise LookupError(f"{tournament}, {fitness}, {mutation}")


def what_solves(store: Store) -> Figure:
    columns = [(mutation, size) for mutation in MUTATIONS for size in (2, 20)]
    found = [
        [
            solved_of(store, f"tournament {size}", fitness, MUTATIONS[mutation])
            for mutation, size in columns
        ]
        for fitness in FITNESSES.values()
    ]
    chart = HeatMap(
        "Runs that end with a solved board, of 500 generations",
        "mutation and tournament",
        "fitness",
        tuple(f"{mutation}, {size}" for mutation, size in columns),
        tuple(FITNESSES),
        tuple(tuple(100 * each.share for each in row) for row in found),
        "% solved",
        tuple(tuple(f"{each.successes} of {each.runs}" for each in row) for row in found),
        low=0.0,
        high=100.0,
    )
    return Figure(chart)
