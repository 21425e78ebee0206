"""What report 003 claims, judged by its own numbers and by our runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.adaptation import Stagnation
from genoku.lab.page import Verdict
from genoku.lab.statistics import Proportion, fisher, smallest_p
from reproductions.old.claims import (
    Claim,
    across_readings,
    all_of,
    fact,
    median_interval,
    within,
)
from reproductions.old.places import FEWEST, could_be_ours, percentile, rare
from reproductions.old.simon.contrasts import Readings, Tested, against, more
from reproductions.old.simon.experiments import (
    ARM_OF,
    CODED,
    DESCRIBED,
    LARGE,
    LONG,
    ONE_BOX,
    PUBLISHED,
    RATES,
    RUNS,
    SHORT,
    START,
    T2,
    ULTRA,
    VERSIONS,
    replayed,
)
from reproductions.old.simon.measured import Measured, fitness_of
from reproductions.old.words import interval_words, p_words

SIDES = {9: (81, 243), 16: (256, 768)}
"""Base and optimum, as its tables have them by the side of the board."""


NEVER = 0.01
"""What happens in less than this share of runs hardly ever does."""


def claims(seen: Readings, tested: Tested) -> list[Claim]:
    """All claims, those that others rest on first.

    Runs that were published come from the code; what is said of the system is asked of both
    readings of its elite.
    """
    coded = seen[CODED]
    return [
        base_and_optimum(),
        printed_boards(),
        all_of_two_rules(),
        _both(seen, never_solved),
        published_bests(coded),
        in_both_readings(tested, "diversity"),
        stagnant_around_400(coded),
        _both(seen, after_250),
        _both(seen, nothing_beyond_1000),
        rate_is_capped(coded, tested[CODED, "cap"]),
        in_both_readings(tested, "mean"),
        out_of_local_optima(tested),
        much_like_16(coded),
        mutation_weaker(),
        in_both_readings(tested, "boxes"),
        section_e(coded),
    ]


def observations(seen: Readings, tested: Tested) -> list[Claim]:
    """What the report does not say."""
    return [
        in_both_readings(tested, *map(more, RATES[1:])),
        _adding(in_both_readings(tested, "tournament"), too_few_to_tell()),
        tested[DESCRIBED, "elite"],
        replace(
            published_bests(seen[DESCRIBED]),
            text="The best fitness of its runs could come from the elite of its text as well.",
        ),
    ]


def in_both_readings(tested: Tested, *names: str) -> Claim:
    """The verdict that all parts of a claim have in both readings."""
    parts = {version: [tested[version, name] for name in names] for version in VERSIONS}
    text, where = parts[CODED][0].text, parts[CODED][0].where
    return across_readings(text, where, {v: all_of(text, where, own) for v, own in parts.items()})


def out_of_local_optima(tested: Tested) -> Claim:
    """Whether the rising rate gets further: than what is not said."""
    beyond_the_first = in_both_readings(tested, against(START))
    beyond_all = in_both_readings(tested, *map(against, RATES))
    return across_readings(
        beyond_all.text,
        beyond_all.where,
        {
            "further than the low rate that it starts with": beyond_the_first,
            "further than constant rates, higher ones too": beyond_all,
        },
    )


def _both(seen: Readings, judge: Callable[[Measured], Claim]) -> Claim:
    found = {version: judge(measured) for version, measured in seen.items()}
    return across_readings(found[CODED].text, found[CODED].where, found)


def base_and_optimum() -> Claim:
    """Boxes that are all alike complete no line; shifted ones complete them all."""
    found = {side: tuple(map(fitness_of, _extremes(side))) for side in SIDES}
    computed = {side: (base[0], best[0]) for side, (base, best) in found.items()}
    said = "; ".join(f"{a:g} and {b:g} at {side}×{side}" for side, (a, b) in computed.items())
    return fact(
        "The base fitness is 81 at 9×9 and 256 at 16×16, the optimum 243 and 768.",
        "section D, tables",
        holds=computed == SIDES,
        because=f"Computed of a board without a complete line and of a solved one: {said}.",
    )


def _extremes(side: int) -> tuple[str, str]:
    """A board of whole boxes without any complete line, and a solved one, as text."""
    root = round(side**0.5)
    row, column = np.divmod(np.arange(side * side), side)
    alike = row % root * root + column % root
    shifted = (row % root * root + row // root + column) % side
    one, two = (" ".join(map(str, (cells + 1).tolist())) for cells in (alike, shifted))
    return one, two


def printed_boards() -> Claim:
    found = {each["name"]: fitness_of(each["cells"])[0] for each in PUBLISHED["boards"]}
    right = [each["name"] for each in PUBLISHED["boards"] if found[each["name"]] == each["fitness"]]
    return fact(
        "The printed boards have the fitness that is printed beside them.",
        "section D",
        holds=len(right) == len(found),
        because=f"Computed: {'; '.join(f'{name} has {value:g}' for name, value in found.items())}.",
    )


def complete_lines(board: NDArray[np.uint8]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows and which columns of a board are complete."""
    side = round(len(board) ** 0.5)
    square = board.reshape(side, side)
    rows = np.array([len(set(row)) == side for row in square.tolist()])
    columns = np.array([len(set(column)) == side for column in square.T.tolist()])
    return rows, columns


def all_of_two_rules() -> Claim:
    board = np.array(PUBLISHED["boards"][0]["cells"].split(), np.uint8)
    rows, columns = complete_lines(board)
    points = 1 + rows[:, None].astype(int) + columns[None, :]
    return fact(
        "In run 1's best board all elements satisfy two of the three rules, one row all three.",
        "section D, run 1",
        holds=bool(points.min() == 2 and rows.sum() == 1),
        because=(
            f"Computed from the printed board: {rows.sum()} complete row and {columns.sum()} "
            f"complete columns, so the least fitness of a cell is {points.min()}."
        ),
    )


def never_solved(seen: Measured) -> Claim:
    return rare(
        "The system is never able to find an optimal solution.",
        "section F",
        seen.solved_empty,
        share=NEVER,
        because="Runs with its settings on empty boards that found one (we ask: less than 1 %):",
    )


def placed(seen: Measured) -> dict[str, Any]:
    """Every published best among ours, for other programs."""
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


def published_bests(seen: Measured) -> Claim:
    inside = {
        name: (float(run["best"]), seen.bests(run))
        for name, run in RUNS.items()
        if run["side"] < 25
    }
    return could_be_ours(
        "The best fitness of its runs, as published.",
        "section D, and a picture among its logs",
        inside,
    )


def too_few_to_tell() -> str:
    """The report's own two runs against three cannot tell, whatever they had found."""
    few = [sum(run["tournament"] == size for run in _short_runs()) for size in (20, 2)]
    return (
        f" The report could not tell: {few[0]} runs against {few[1]} reach "
        f"{p_words(smallest_p(*few))} at best."
    )


def _short_runs() -> list[dict[str, Any]]:
    return [run for run in RUNS.values() if run["side"] == 9 and run["generations"] == SHORT]


def stagnant_around_400(seen: Measured) -> Claim:
    """It is about one run, whose log settles it; what ours do is said beside it."""
    said = PUBLISHED["stagnant_around"]
    own, falls = RUNS["run_1"]["improved"][-1][1], RUNS["run_1"]["mean_falls_after"]
    ours = seen.nine[T2]
    last = ours.last_improvement(SHORT)
    low, high = np.quantile(last, (0.25, 0.75), method="inverted_cdf")
    later = Proportion.of(ours.improvements(SHORT, ULTRA) > 0)
    return fact(
        f"In run 1 improvements have become stagnant, and the mean falls, by generation {said} "
        f"(“around generation {said}”).",
        "section D, run 1",
        holds=max(own, falls) <= said,
        because=f"Run 1's own log has its last improvement at generation {own}, and its mean falls "
        f"after {falls}: {said} is only roughly right. For comparison, the last improvement of our "
        f"runs within {SHORT} generations comes at {np.median(last):.0f} (median; quartiles "
        f"{low:.0f} and {high:.0f}), and {later} improve again by generation {ULTRA}.",
    )


def after_250(seen: Measured) -> Claim:
    after, published = PUBLISHED["long_improvements_after"], PUBLISHED["long_improvements"]
    ours = seen.nine[LARGE]
    counts = ours.improvements(after, LONG)
    interval = median_interval(counts)
    first = within(interval, published - 1, published + 1)
    worse = Proportion.of(ours.mean[:, LONG] < ours.mean[:, after])
    second: Verdict = within(worse.wilson(), low=0.5)
    parts = [Claim("", "", verdict, "") for verdict in (first, second)]
    return all_of(
        "In the long run only two more improvements come after generation 250, while the mean "
        "gets worse.",
        "section D, long run",
        parts,
        f"Improvements of ours from generation {after} to {LONG}: median {np.median(counts):g}, "
        f"{interval_words(interval, '.3g')} (we ask: {published - 1} to {published + 1}), "
        f"{counts.min()} to {counts.max()} in single runs. The mean is lower at {LONG} "
        f"than at {after} in {worse}.",
    )


def nothing_beyond_1000(seen: Measured) -> Claim:
    better = Proportion.of(seen.nine[LARGE].improvements(LONG, ULTRA) > 0)
    claim = rare(
        "Runs beyond 1000 generations bring no improvement.",
        "section D, long run",
        better,
        share=NEVER,
        because=f"Runs of ours that improve between generations {LONG} and {ULTRA} (we ask: less "
        "than 1 %):",
    )
    own = RUNS["ultra_long_run"]["best"] - RUNS["long_run"]["best"]
    return _adding(
        claim, f" The report's own ultra long run ends {own} above the best that it prints."
    )


def highest_rate() -> float:
    """The highest rate that the rule of the code can ever reach: it compares, then adds."""
    return Stagnation().limit + Stagnation().increase


def rate_is_capped(seen: Measured, alike: Claim) -> Claim:
    highest = max(float(seen.nine[name].rate.max()) for name in ARM_OF.values())
    logs = [run for run in RUNS.values() if "improved" in run]
    replay = max(float(replayed(run["improved"], run["generations"]).max()) for run in logs)
    told = {
        "holds": "makes no difference",
        "fails": "matters",
        "undecided": "makes no difference that can be told from chance",
    }[alike.verdict]
    return fact(
        "The mutation rate is capped at 90 %.",
        "section B 6",
        holds=max(highest, replay) <= PUBLISHED["cap"] + 1e-3 and highest_rate() <= 0.9 + 1e-9,
        because=(
            "The code compares with 0.85 and then adds 0.05, so no rate passes "
            f"{highest_rate():.2f}. The highest in our runs is {highest:.3f}, and {replay:.3f} in "
            "its own logs, replayed; without any improvement it stays at 0.85 from generation 140. "
            f"A limit of 0.90 in place of 0.85 {told}. Best fitness {alike.because}"
        ),
    )


def much_like_16(seen: Measured) -> Claim:
    """Growth over more generations is growth: by its own log there is none."""
    run = RUNS["25x25 run_1"]
    base = run["side"] ** 2
    ours = seen.twenty_five
    last = ours.best.shape[1] - 1
    better = Proportion.of(ours.best[:, -1] > base)
    sixteen = Proportion.of(seen.sixteen[ONE_BOX].best_at(run["generations"]) > 256)
    short = Proportion.of(ours.best_at(run["generations"]) > base)
    few = min(sixteen.runs, short.runs) < FEWEST
    told = "" if few else f" (Fisher {p_words(fisher(sixteen, short).p)})"
    return fact(
        "The 25×25 results are much like the 16×16, with the growth elongated.",
        "section F",
        holds=run["best"] > base,
        because=(
            f"Its own log ends after {run['generations']} generations at {run['best']}, the "
            f"fitness of any board: no growth at all. Of our 25×25 runs {short} improve in "
            f"{run['generations']} generations and {better} in {last}; of the 16×16 runs "
            f"{sixteen} do within {run['generations']}{told}."
        ),
    )


def mutation_weaker() -> Claim:
    shares = {side: 100 / side for side in (9, 16, 25)}
    falls = all(shares[a] > shares[b] for a, b in ((9, 16), (16, 25)))
    said = ", ".join(f"{share:.1f} % at {side}×{side}" for side, share in shares.items())
    return fact(
        "The larger the board, the less of it a mutation affects.",
        "section D, 16 by 16",
        holds=falls,
        because=f"One box is {said}.",
    )


def section_e(seen: Measured) -> Claim:
    """Somewhere, sometime: one solved puzzle proves it, none disproves it."""
    solved = Proportion.of(seen.puzzles.solved)
    verdict: Verdict = "holds" if solved.successes else "undecided"
    return Claim(
        "With the changes of section E the system could eventually solve real puzzles.",
        "section E",
        verdict,
        f"{solved} runs on four puzzles ended with the solution.",
    )


def _adding(claim: Claim, more: str) -> Claim:
    return replace(claim, because=claim.because + more)
