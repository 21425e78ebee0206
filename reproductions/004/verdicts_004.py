"""Report 004: what can be counted, and what it never measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from genoku import Puzzle, Record, View, bundled, preset, run, solve
from genoku.evolve.algorithms import Genetic
from genoku.evolve.encoding import Boards, PermutedBoxes
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.selection import Pool
from genoku.evolve.recipe import build, with_value
from genoku.lab import Results, Store
from genoku.lab.claims import (
    ALPHA,
    RATIO_RULE,
    Judgement,
    Ratio,
    Verdict,
    across_readings,
    all_of,
    any_of,
    fact,
    interval_text,
    median_interval,
    p_text,
    ratio_text,
    time_ratio,
    within,
)
from genoku.lab.report.charts import (
    HeatMap,
    IntervalChart,
    IntervalMark,
    LineChart,
    RankDiagram,
    ReferenceLine,
)
from genoku.lab.report.page import Cell, Column, Figure, Part, Table
from genoku.lab.statistics import (
    Interval,
    Proportion,
    cliques,
    critical_difference,
    friedman,
    running_time,
)
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream
from genoku.runtime.text import format_count
from reproductions import Findings, band

NINE = Geometry.of_side(9)
HARD = bundled()["charles-hard"].puzzle
OWN, VARIED, STRANGERS = "sundy", "sundy, no twins", "sundy, strangers"
AS_READ = "up to 5, penalty 2"
MUTATION_RATES = (0.1, 0.5, 0.9)
GENERATIONS = (0, 1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 500)

Runs = Mapping[tuple[str, str], Results]
"""Results by the names of the arm and the puzzle."""


def findings(stores: Mapping[str, Store]) -> Findings:
    runs = min(30, len(stores["parts"].study.seeds))
    pools = {rate: copies(sundy(rate), HARD, runs) for rate in MUTATION_RATES}
    puzzles, parts = by_arm_and_puzzle(stores["puzzles"]), by_arm_and_puzzle(stores["parts"])
    grid = Grid(stores["grid"])
    words = {
        "left_open": "\n".join(f"- {each}" for each in preset("sundy").left_open),
        "budget": budget_text(stores["puzzles"].study.arms[0].until),
        "replaced": 100 * replaced_share(cast("Genetic", preset("sundy-varied").build()), runs),
        "ratio_rule": RATIO_RULE,
        **grid.words,
    }
    rivals, words["friedman"] = rival_parts(stores["rivals"])
    return Findings(
        {
            "eighteen-constraints": eighteen_constraints(),
            "intrinsic": intrinsic(stores["puzzles"]),
            "zero-is-solved": zero_is_solved([*puzzles.values(), *parts.values(), grid.results]),
            "half-of-the-mask": half_of_the_mask(),
            "four-when-solved": four_when_solved(),
            "two-with-three-vectors": two_with_three_vectors(),
            "pool-of-copies": pool_of_copies(pools),
            "same-mates": same_mates(pools),
            **judge_parts(puzzles, parts),
        },
        {
            **solved_parts(puzzles),
            "copies": copies_figure(pools, stores["puzzles"]),
            "allowed": allowed_table(),
            **variant_parts(parts),
            "grid-whole": Figure(grid.chart(0), ""),
            "grid-fifty": Figure(grid.chart(50), ""),
            **rivals,
        },
        words,
        figures(puzzles),
    )


# What can be counted out ------------------------------------------------------------------------


def eighteen_constraints() -> Judgement:
    lines = 2 * NINE.side
    because = f"9 rows and 9 columns are {lines}; boxes and givens hold by construction."
    return fact(lines == 18, because)


def intrinsic(store: Store) -> Judgement:
    """Check it on the best board of every run."""
    rows = list(store.rows())
    boards = np.array([np.frombuffer(row.board, np.uint8) for row in rows])
    boxes = boards[:, NINE.units[2 * NINE.side :].astype(np.int64)]
    whole = bool((np.sort(boxes, axis=2) == np.arange(1, 10)).all())
    givens = np.array([store.study.instances[row.instance].puzzle.board for row in rows])
    kept = bool(((givens == 0) | (givens == boards)).all())
    because = (
        f"Checked in the best boards of {len(boards)} runs: boxes "
        f"{'whole' if whole else 'not whole'}, givens {'in place' if kept else 'moved'}."
    )
    return fact(whole and kept, because)


def zero_is_solved(runs: Sequence[Results]) -> Judgement:
    """Check it with the puzzles' own verdict on every board."""
    zero = np.concatenate([each.cost == 0 for each in runs])
    solved = np.concatenate([each.solved for each in runs])
    because = (
        f"Of {len(zero)} runs {int(zero.sum())} end at 0 and {int(solved.sum())} with a solution, "
        f"{int((zero & solved).sum())} with both."
    )
    return fact(bool((zero == solved).all()), because)


def half_of_the_mask() -> Judgement:
    masks = np.array(list(product((0, 1), repeat=9)))
    taken = float(masks.sum(axis=1).mean())
    crossings = float(np.abs(np.diff(masks, axis=1)).sum(axis=1).mean())
    because = (
        f"Over all {len(masks)} masks of L = 9, boxes taken from the first parent average "
        f"{taken:g}. Places where the mask changes from one parent to the other, which others "
        f"would call crossing points, average {crossings:g}."
    )
    return fact(taken == 9 / 2, because, taken=taken)


def four_when_solved() -> Judgement:
    names = [name for name in bundled() if name.startswith("charles-")]
    counts = np.concatenate(
        [count_meetings(solved_board(bundled()[name].puzzle), pairs_of()).ravel() for name in names]
    )
    because = (
        f"Counted in {counts.size} pairs of cells of a box, in the solutions of "
        f"{len(names)} puzzles: from {counts.min()} to {counts.max()}."
    )
    return fact(bool((counts == 4).all()), because)


def two_with_three_vectors() -> Judgement:
    """Each digit appears in the line that both cells share, so at least 2."""
    pairs = pairs_of()
    counts = count_meetings(random_boards(HARD, 2000), pairs)
    three, four = int(counts[:, pairs.aligned].min()), int(counts[:, ~pairs.aligned].min())
    because = (
        f"The fewest in {counts.size:,} swaps on random boards: {four} with four vectors, "
        f"{three} with three, since two cells of a line have both digits in it."
    )
    return fact((four, three) == (0, 2), because)


class Pairs(NamedTuple):
    """Pairs of cells of a box, and whether they share a row or a column."""

    one: NDArray[np.int64]
    two: NDArray[np.int64]
    aligned: NDArray[np.bool_]


def pairs_of(free: NDArray[np.bool_] | None = None) -> Pairs:
    """All 324 pairs of cells of a box, or those of `free` cells only."""
    may = np.ones(NINE.cells, np.bool_) if free is None else free
    boxes = [np.flatnonzero((NINE.box_of == box) & may) for box in range(NINE.side)]
    one, two = np.array([pair for box in boxes for pair in combinations(box.tolist(), 2)]).T
    rows, columns = NINE.row_of, NINE.column_of
    return Pairs(one, two, (rows[one] == rows[two]) | (columns[one] == columns[two]))


def count_meetings(boards: Boards, pairs: Pairs) -> NDArray[np.int64]:
    """Count how often the digits of every pair appear in the row and column of the other cell.

    The shape is `(boards, pairs)`; counted before the swap.
    """
    one, two, _ = pairs
    squares = boards.reshape(-1, NINE.side, NINE.side)
    counts = np.zeros((len(boards), len(one)), np.int64)
    for here, there in ((one, two), (two, one)):
        digits = boards[:, here][:, :, None]
        rows = squares[:, NINE.row_of[there], :]
        columns = squares.transpose(0, 2, 1)[:, NINE.column_of[there], :]
        counts += (rows == digits).sum(axis=2) + (columns == digits).sum(axis=2)
    return counts


def solved_board(puzzle: Puzzle) -> Boards:
    """The solution of a puzzle as the only board of a population."""
    return np.asarray(solve(puzzle).board, np.uint8)[None]


def random_boards(puzzle: Puzzle, count: int) -> Boards:
    """Draw boards as in the report's first population."""
    return PermutedBoxes().space(puzzle).sample(count, stream(0, "swaps"))


def allowed_table() -> Table:
    """Make the table of swaps that each reading of the rule allows."""
    pairs = pairs_of(HARD.board == 0)
    both = [
        count_meetings(boards, pairs) for boards in (random_boards(HARD, 2000), solved_board(HARD))
    ]
    allowed = {f"up to {limit}": [counts <= limit for counts in both] for limit in (5, 4, 3)}
    allowed["exactly 5"] = [counts == 5 for counts in both]
    return Table(
        ("rule", Column("random boards", "%", decimals=0), Column("solved", "%", decimals=0)),
        tuple(
            (name, *(100 * float(flags.mean()) for flags in found))
            for name, found in allowed.items()
        ),
    )


# Copies in the mating pool ----------------------------------------------------------------------


class Copies(NamedTuple):
    """Shares of a pool, `[run, generation]`, at `GENERATIONS` as far as the runs went."""

    largest: NDArray[np.float64]
    """Places that the most frequent board has."""
    same_mates: NDArray[np.float64]
    """Pairs of different places with equal boards: "two different parents" that are not."""

    @property
    def generations(self) -> tuple[int, ...]:
        return GENERATIONS[: self.largest.shape[1]]


def sundy(mutation: float) -> Genetic:
    recipe = with_value(preset("sundy").recipe, "adaptation.rate", mutation)
    return cast("Genetic", build(recipe))


def copies(
    algorithm: Genetic, puzzle: Puzzle, runs: int, generations: int = GENERATIONS[-1]
) -> Copies:
    """Fill mating pools during some seeded runs, and count copies."""
    pool = cast("Pool", algorithm.selection)
    found: list[list[tuple[float, float]]] = []
    for seed in range(1, runs + 1):
        shares: list[tuple[float, float]] = []

        def count(view: View, seed: int = seed, shares: list[Any] = shares) -> None:
            if view.state.step in GENERATIONS:
                # a stream of its own: looking must not change the run
                rng = stream(seed, "pool", view.state.step)
                size = pool.size or len(view.state.costs)
                places = pool.inner(view.state.costs, size, 1, view.problem, rng)[:, 0]
                shares.append(shares_of(view.state.boards[places]))

        watch_run(algorithm, puzzle, seed, generations, count)
        found.append(shares)
    shortest = min(map(len, found))  # a solved run ends early
    table = np.array([shares[:shortest] for shares in found])
    return Copies(table[:, :, 0], table[:, :, 1])


def replaced_share(algorithm: Genetic, runs: int, generations: int = 500) -> float:
    """Return the share of children that random boards replace, over some seeded runs."""
    born: list[tuple[int, int]] = []

    def count(view: View) -> None:
        if view.state.step:
            strangers = int((view.state.births[:, 1] < 0).sum())
            born.append((strangers, len(view.state.births) - strangers))

    for seed in range(1, runs + 1):
        watch_run(algorithm, HARD, seed, generations, count)
    strangers, children = np.sum(born, axis=0)
    return float(strangers / children)


def watch_run(
    algorithm: Genetic, puzzle: Puzzle, seed: int, generations: int, watch: Callable[[View], object]
) -> None:
    few = Record(fields=("gen",), every=10_000)
    run(puzzle, algorithm, seed=seed, until=f"generations={generations}", record=few, watch=watch)


def shares_of(boards: NDArray[np.uint8]) -> tuple[float, float]:
    """The share of the most frequent board, and of pairs of places with equal boards."""
    _, counts = np.unique(boards, axis=0, return_counts=True)
    places = len(boards)
    pairs = float((counts * (counts - 1)).sum()) / max(1, places * (places - 1))
    return float(counts.max()) / places, pairs


def pool_of_copies(pools: Mapping[float, Copies]) -> Judgement:
    """Judge "could be the case": one such setting proves it."""
    medians = {rate: median_interval(found.largest[:, -1]) for rate, found in pools.items()}
    said = [
        f"{100 * np.median(pools[rate].largest[:, -1]):.0f} % "
        f"({interval_text(Interval(100 * low, 100 * high), '.0f')}) at mutation {rate:g}, "
        f"generation {pools[rate].generations[-1]}"
        for rate, (low, high) in medians.items()
    ]
    runs = format_count(len(next(iter(pools.values())).largest), "run")
    because = (
        "Share of the pool that the most frequent board has, on `charles-hard`, medians of "
        f"{runs}, as far as all of them went: {'; '.join(said)} (we ask: more than half in some "
        "setting)."
    )
    return Judgement(any_of([within(each, low=0.5) for each in medians.values()]), because)


def same_mates(pools: Mapping[float, Copies]) -> Judgement:
    """Judge our reading; the report may mean distinct boards, and then has none of these."""
    last = {rate: found.same_mates[:, -1] for rate, found in pools.items()}
    said = [f"{100 * np.median(each):.0f} % at mutation {rate:g}" for rate, each in last.items()]
    because = (
        f"Pairs of places with equal boards: {', '.join(said)} (we ask: more than 5 % in some "
        "setting)."
    )
    verdicts: list[Verdict] = [within(median_interval(each), low=0.05) for each in last.values()]
    return Judgement(any_of(verdicts), because)


def copies_figure(pools: Mapping[float, Copies], store: Store) -> Figure:
    series = [
        band(f"mutation {rate:g}", found.largest, place, x=found.generations)
        for place, (rate, found) in enumerate(pools.items())
    ]
    hard = [each.name for each in store.study.instances].index("charles-hard")
    varied = []
    for place, arm in enumerate(store.study.arms):
        histories = [history for _, history in store.histories(arm=place, instance=hard)]
        known = [~np.isnan(history["diversity"]) for history in histories]
        shortest = min(int(each.sum()) for each in known)
        values = [
            history["diversity"][each][:shortest]
            for history, each in zip(histories, known, strict=True)
        ]
        generations = histories[0]["gen"][known[0]][:shortest]
        varied.append(band(arm.name, np.array(values), place + 3, x=generations))
    shares = "share of the pool"
    most = LineChart(
        "Most frequent board", "generation", shares, tuple(series), y_limits=(0.0, 1.0)
    )
    variety = LineChart("Diversity", "generation", "diversity of the population", tuple(varied))
    return Figure((most, variety), "")


# What it solves, and what its parts bring -------------------------------------------------------


def by_arm_and_puzzle(store: Store) -> dict[tuple[str, str], Results]:
    results, study = store.results(), store.study
    return {
        (each.name, puzzle.name): results.of(arm=one, instance=two)
        for one, each in enumerate(study.arms)
        for two, puzzle in enumerate(study.instances)
    }


def figures(puzzles: Runs) -> dict[str, Any]:
    """Return solved runs and evaluations per solution, by system and puzzle."""
    found: dict[str, Any] = {}
    for (name, puzzle), runs in puzzles.items():
        time = running_time(runs.evaluations, runs.solved)
        found.setdefault(name, {})[puzzle] = {
            "solved": time.success.successes,
            "runs": time.success.runs,
            "evaluations_per_solution": time.value,
        }
    return found


def judge_parts(puzzles: Runs, parts: Runs) -> dict[str, Judgement]:
    """Judge the effect of its parts, with Bonferroni's correction for six comparisons."""
    level = 1 - ALPHA / 6
    return {
        # random boards come in for twins: so it must also beat as many that come in for others
        "copies-hurt": all_of(
            [judge_costs(puzzles, VARIED, other, level) for other in (OWN, STRANGERS)]
        ),
        "slack": judge_costs(parts, AS_READ, "up to 4", level),
        "rule-helps": across_readings(
            {
                "up to 5 times": judge_costs(parts, AS_READ, "no rule", level),
                "exactly 5 times": judge_costs(parts, "exactly 5", "no rule", level),
            }
        ),
        "penalty-helps": judge_costs(parts, AS_READ, "penalty 0", level),
        "to-the-letter": judge_costs(parts, AS_READ, "exactly 5", 0.95),
    }


FEW = ("charles-very-easy", "charles-basic", "charles-moderate")
"""Puzzles that it solves now and then, each a stratum of its own."""


def judge_costs(runs: Runs, better: str, worse: str, level: float) -> Judgement:
    """Judge that one system costs fewer evaluations per solution than another."""
    ratio = cost_ratio(runs, worse, better, level)
    said = [f"{name}, solved {', '.join(shares(runs, name))}" for name in (better, worse)]
    because = (
        f"{'; '.join(said)} ({', '.join(map(short_name, FEW))}). Evaluations per solution, the "
        f"second by the first, geometric mean over the puzzles: {ratio}, interval of "
        f"{100 * level:.4g} %."
    )
    return Judgement(ratio.above_one, because, ratio._asdict())


def cost_ratio(runs: Runs, one: str, two: str, level: float = 0.95) -> Ratio:
    strata = [(runs[one, puzzle], runs[two, puzzle]) for puzzle in FEW]
    pairs = [tuple((each.evaluations, each.solved) for each in both) for both in strata]
    return time_ratio(*cast("list[Any]", pairs), level=level)


def shares(runs: Runs, name: str) -> list[str]:
    """Format the numbers of solved runs by puzzle."""
    found = [runs[name, puzzle].solved for puzzle in FEW]
    return [f"{int(solved.sum())} of {len(solved)}" for solved in found]


def short_name(puzzle: str) -> str:
    return puzzle.removeprefix("charles-")


def budget_text(until: str) -> str:
    word, _, limit = until.partition("=")
    return f"{int(limit):,} {word}"


def solved_parts(runs: Runs) -> dict[str, Part]:
    names = list(dict.fromkeys(name for name, _ in runs))
    rows: list[tuple[Cell, ...]] = []
    ranges: list[IntervalMark] = []
    for puzzle in dict.fromkeys(puzzle for _, puzzle in runs):
        for place, name in enumerate(names):
            own = runs[name, puzzle]
            time = running_time(own.evaluations, own.solved)
            low, high = (100 * each for each in time.success.wilson())
            solved = f"{time.success.successes} of {time.success.runs}"
            interval = " to ".join(map(ratio_text, time.interval))
            middle = float(np.median(own.cost))
            share = f"{low:.0f} to {high:.0f} %"
            rows.append((short_name(puzzle), name, solved, share, time.value, interval, middle))
            ranges.append(IntervalMark(puzzle, 100 * time.success.share, low, high, name, place))
    columns = (
        "puzzle",
        "system",
        "solved",
        Column("interval", "95 %"),
        Column("evaluations", "per solution"),
        Column("interval", "95 %"),
        Column("fitness", "median"),
    )
    chart = IntervalChart("Runs solved", "% solved", tuple(ranges), x_limits=(0.0, 100.0))
    return {"solved": Table(columns, tuple(rows)), "shares": Figure(chart, "")}


def variant_parts(runs: Runs) -> dict[str, Part]:
    rows: list[tuple[Cell, ...]] = []
    ranges: list[IntervalMark] = []
    for name in dict.fromkeys(name for name, _ in runs):
        own = [runs[name, puzzle] for puzzle in FEW]
        times = [running_time(each.evaluations, each.solved).value for each in own]
        ratio = cost_ratio(runs, name, AS_READ)
        if name != AS_READ:
            ranges.append(IntervalMark(name, ratio.value, *ratio.interval))
        said = "" if name == AS_READ else str(ratio)
        rows.append((name, *shares(runs, name), *times, said))
    columns: tuple[str | Column, ...] = (
        "variant",
        *(Column("solved", short_name(puzzle)) for puzzle in FEW),
        *(Column("evaluations", f"per solution, {short_name(puzzle)}") for puzzle in FEW),
        Column("by the first", "mean ratio, 95 %"),
    )
    chart = IntervalChart(
        "Evaluations per solution, by those of the report as read",
        "ratio, geometric mean over three puzzles",
        tuple(ranges),
        log_x=True,
        levels=(ReferenceLine(1.0, "as read", "x"),),
    )
    return {"parts": Table(columns, tuple(rows)), "ratios": Figure(chart, "")}


class Grid:
    """Solved runs at every point of the grid of user parameters."""

    def __init__(self, store: Store) -> None:
        self.results = store.results()
        self.points = {
            tuple(arm.settings.values()): Proportion.of(self.results.of(arm=place).solved)
            for place, arm in enumerate(store.study.arms)
        }
        self.axes = [list(dict.fromkeys(axis)) for axis in zip(*self.points, strict=True)]

    @property
    def words(self) -> dict[str, Any]:
        best = max(self.points, key=lambda point: self.points[point].share)
        low, high = self.points[best].wilson()
        population, pool, crossover, mutation = best
        return {
            "points": len(self.points),
            "population": population,
            "pool": pool or "as many",
            "crossover": crossover,
            "mutation": mutation,
            "most": self.points[best],
            "low": 100 * low,
            "high": 100 * high,
        }

    def chart(self, pool: int) -> HeatMap:
        populations, _, crossovers, mutations = self.axes
        columns = list(product(crossovers, mutations))
        table = [
            [self.points[population, pool, *rates] for rates in columns]
            for population in populations
        ]
        return HeatMap(
            f"Mating pool of {pool or 'the population'}",
            "crossover / mutation",
            "population",
            tuple(f"{one:g} / {two:g}" for one, two in columns),
            tuple(map(str, populations)),
            tuple(tuple(100 * each.share for each in row) for row in table),
            "% solved",
            tuple(tuple(f"{each.successes} of {each.runs}" for each in row) for row in table),
            low=0.0,
            high=100.0,
        )


def rival_parts(store: Store) -> tuple[dict[str, Part], str]:
    """Compare all reports by the conflicts left, and return Friedman's p."""
    study = store.study
    names = tuple(arm.name for arm in study.arms)
    left: list[list[list[int]]] = [[[] for _ in names] for _ in study.instances]
    for row in store.rows():
        board = np.frombuffer(row.board, np.uint8)[None]
        cost = Repetitions().costs(board, study.instances[row.instance].puzzle)[0]
        left[row.instance][row.arm].append(int(cost))
    table = np.array([[np.mean(each) for each in row] for row in left])
    results = store.results()
    rows: list[tuple[Cell, ...]] = []
    for place, name in enumerate(names):
        solved = Proportion.of(results.of(arm=place).solved)
        rows.append((name, str(solved), *map(float, table[:, place])))
    short = [Column(short_name(each.name), decimals=1) for each in study.instances]
    ranked = friedman(table)
    difference = critical_difference(len(names), len(study.instances))
    ranks = RankDiagram(
        "Mean ranks over six puzzles",
        names,
        ranked.ranks,
        difference,
        tuple(cliques(ranked.ranks, difference)),
    )
    parts: dict[str, Part] = {
        "rivals": Table(("preset", "solved", *short), tuple(rows)),
        "ranks": Figure(ranks, ""),
    }
    return parts, p_text(ranked.p)
