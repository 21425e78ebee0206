"""Reports compare like with like: one scale, one budget, one level, and the right direction."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from invented_runs import Fate, Fates, invent
from slow_imports import Lazy
from test_report import CLAIM, EASY, FOUR, gathered_from, invented, named, words_of

from genoku import bundled
from genoku.engine.history import Record
from genoku.lab.report import data
from genoku.lab.report.data import (
    EFFORTS,
    EqualBudget,
    OverallResult,
    ReportData,
    cut_at_equal_budget,
    dominance_ranks,
    drop_repeats,
    fair_effort,
    friedman_test,
    mean_ranks,
    overall_results,
    pairwise_results,
    read_report_data,
    sample_size_hint,
    too_many_pairs,
)
from genoku.lab.report.page import Page, Table, plain
from genoku.lab.runner import run_study
from genoku.lab.statistics import LEVEL, mann_whitney, quantile_bands
from genoku.lab.store import Results, Store
from genoku.lab.study import Instance, Study, arm
from genoku.puzzle.board import Puzzle

UNTIL = "generations=50"
WITHOUT_ERRORS = Record(("gen", "evals", "best_ever"))  # as version 0.1.0 recorded


def puzzles(count: int) -> tuple[Instance, ...]:
    """Small puzzles that differ in their labels."""
    lines = [
        line.translate(str.maketrans("1234", "".join(digits)))
        for line in ("1.....3..4.....2", "1....4....3....2")
        for digits in permutations("1234")
    ]
    return tuple(Instance(f"p{i}", Puzzle.parse(line)) for i, line in enumerate(lines[:count]))


def gathered_of(path: Path, study: Study, fates: Fates) -> ReportData:
    invent(path, study, fates)
    with Store.open(path) as store:
        return read_report_data(store)


def comparisons(page: Page) -> tuple[str, list[Table]]:
    """The text of the section of comparisons, and its tables."""
    (section,) = (each for each in page.sections if each.title == "Comparisons")
    text = " ".join(plain(part) for part in section.parts if isinstance(part, str))
    return text, [part for part in section.parts if isinstance(part, Table)]


# one scale


@pytest.mark.parametrize(
    ("penalties", "quality", "effects"), [((2, 2), "loss", {1.0}), ((0, 6), "errors left", {0.5})]
)
def test_without_recorded_errors_losses_are_compared_if_the_fitness_is_the_same(
    tmp_path: Path, penalties: tuple[int, int], quality: str, effects: set[float]
) -> None:
    arms = tuple(
        arm(
            "sundy",
            f"{p} {place}",
            until=f"generations={50 + place}",
            settings={"fitness.penalty": p},
        )
        for place, p in enumerate(penalties)
    )
    study = Study("penalties", arms, (EASY,), tuple(range(12)), record=WITHOUT_ERRORS)
    gathered = gathered_of(
        tmp_path / "a.db", study, lambda run: (False, 100 + 900 * run.arm, 0.3 - run.arm / 10)
    )
    assert gathered.quality == quality
    assert gathered.knows_quality("evaluations") == (quality == "loss")
    assert {pair.effect for pair in pairwise_results(gathered, "evaluations")} == effects


def test_final_errors_are_compared_even_if_they_were_not_recorded_over_time(
    tmp_path: Path,
) -> None:
    arms = tuple(arm("sundy", until=UNTIL, settings={"fitness.penalty": p}) for p in (0, 2, 6))
    study = Study("penalties", arms, (EASY,), tuple(range(12)), record=WITHOUT_ERRORS)
    page = invented(tmp_path / "a.db", study, lambda run: (False, 1000, 0.1 + run.arm / 10))
    assert CLAIM.search(words_of(page))


@pytest.mark.parametrize("solved", [False, True])
def test_ranks_by_solving_alone_are_not_said_to_show_equal_algorithms(
    tmp_path: Path, solved: bool
) -> None:
    arms = tuple(arm(name, until=UNTIL) for name in ("sundy", "charles", "simon"))
    study = Study("mixed", arms, puzzles(3), (1, 2, 3), record=WITHOUT_ERRORS)
    gathered = gathered_of(
        tmp_path / "a.db",
        study,
        lambda run: (solved and run.seed == 1, 1000 + 100 * (run.seed > 1) * run.arm, 0.1),
    )
    why = friedman_test(gathered, "evaluations")
    assert isinstance(why, str)
    assert ("solved." in why) != solved
    assert "unknown" in why


# one budget


def results_of(arms: list[int], fates: list[Fate]) -> Results:
    """Runs on one puzzle as columns."""
    rows = []
    for seed, (place, (solved, spent, loss, reason, _)) in enumerate(zip(arms, fates, strict=True)):
        ended = (spent / 1e4, spent / 1e4, "solved" if solved else reason)
        rows.append(
            (place, 0, seed, solved, 0, 0, 0.0, loss, 1, spent, 0, *ended, round(99 * loss))
        )
    return Results.of_rows(rows)


def cut(results: Results) -> EqualBudget:
    return cut_at_equal_budget(results, results.errors.astype(np.float64), 1, "evaluations")


def test_runs_that_gave_up_by_themselves_set_no_budget() -> None:
    reasons = ("failed", "no solution", "stagnation=9", "seconds=1 and stagnation=9", "cost=3")
    gave_up = [Fate(False, 5 + place, 0.1, reason) for place, reason in enumerate(reasons)]
    stopped = [Fate(False, 900, 0.1, "seconds=1"), Fate(False, 700, 0.1, "evaluations=700")]
    solved = [Fate(True, 650, 0.0), Fate(True, 800, 0.0)]
    made = [*gave_up, *stopped, *solved]
    held = cut(results_of([0, 1, 0, 1, 0, 0, 1, 0, 1], made))
    assert held.budgets.tolist() == [700]
    assert held.efforts[-2:].tolist() == [650, np.inf]
    alone = cut(results_of([0] * 5, gave_up))
    assert np.isinf(alone.budgets).all()


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_seconds_on_uneven_machines_make_no_difference_at_equal_evaluations(noise: float) -> None:
    generator = np.random.default_rng(5)
    found = []
    for _ in range(200):
        fates, places = [], [0] * 100 + [1] * 100
        for place in places:  # both need the same, the first makes twice as much in a second
            need = generator.exponential(1e6)
            limit = 1e6 * (2 - place) * generator.uniform(1 - noise, 1)
            solved = bool(need <= limit)
            loss = 0.0 if solved else 0.1
            fates.append(Fate(solved, int(min(need, limit)), loss, "seconds=1"))
        held = cut(results_of(places, fates))
        ranks = dominance_ranks(held.efforts, held.quality)
        found.append(mann_whitney(ranks[:100], ranks[100:]).p)
    assert 0.01 <= np.mean(np.array(found) < LEVEL) <= 0.09


def test_where_errors_left_are_unknown_at_the_budget_none_count(tmp_path: Path) -> None:
    study = Study("budget", named("short", "long"), (EASY,), tuple(range(12)))

    def fates(is_recorded: bool) -> Fates:
        return lambda run: Fate(
            False, 100 + 900 * run.arm, 0.3 - run.arm / 10, is_recorded=is_recorded
        )

    lost = invented(tmp_path / "lost.db", study, fates(False))
    assert not CLAIM.search(words_of(lost))
    assert not gathered_from(tmp_path / "lost.db").knows_quality("evaluations")
    kept = gathered_of(tmp_path / "kept.db", study, fates(True))
    assert kept.knows_quality("evaluations")
    (pair,) = pairwise_results(kept, "evaluations")
    assert pair.better == 0  # which had 72 errors left by then, the other 150


@pytest.mark.parametrize(
    ("budgets", "kinds", "unit"),
    [
        ((UNTIL, UNTIL), ("genetic", "genetic"), "evaluations"),
        ((UNTIL, UNTIL), ("genetic", "tabu"), "CPU time"),
        ((UNTIL, "evaluations=9 or seconds=1"), ("genetic", "genetic"), "CPU time"),
    ],
)
def test_effort_is_counted_in_what_is_the_same_for_all(
    budgets: tuple[str, ...], kinds: tuple[str, ...], unit: str
) -> None:
    assert fair_effort(budgets, kinds) == unit


# the right direction, and the right level


def test_the_better_one_over_puzzles_is_who_the_test_says(tmp_path: Path) -> None:
    study = Study("direction", named("A", "B"), puzzles(30), (0, 1, 2, 3))

    def fates(run: tuple[int, int, int]) -> tuple[bool, int, float]:
        place, instance, seed = run
        if instance < 16:  # B is better by a hair
            return True, 1000 + 100 * seed - place, 0.0
        return True, 1000 + seed + 5000 * place, 0.0

    page = invented(tmp_path / "a.db", study, fates)
    gathered = gathered_from(tmp_path / "a.db")
    made = overall_results(gathered, pairwise_results(gathered, "evaluations"))
    assert isinstance(made, list)
    (found,) = made
    assert found == OverallResult(0, 1, 14, 16, found.p, found.p)
    assert found.p == pytest.approx(0.0348, abs=0.0001)
    table = comparisons(page)[1][-1]
    assert table.rows[0][:4] == ("A", "B", 14, 16)


@pytest.mark.parametrize(("arms", "places"), [(7, 1), (4, 6)])
def test_too_many_pairs_are_not_tested_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arms: int, places: int
) -> None:
    assert data.MOST_TESTS == 5000  # which takes a hundred algorithms
    monkeypatch.setattr(data, "MOST_TESTS", 20)
    study = Study("many", named(*(f"a{i}" for i in range(arms))), puzzles(places), (1,))
    page = invented(tmp_path / "a.db", study, lambda _: (False, 1000, 0.1))
    text, tables = comparisons(page)
    why = too_many_pairs(gathered_from(tmp_path / "a.db"))
    assert why
    assert all(why in said for said in (text, words_of(page)))
    assert not tables


def test_a_hint_holds_the_pair_to_the_exact_level(tmp_path: Path) -> None:
    study = Study("level", named("one", "two"), (FOUR,), tuple(range(7)))
    efforts = (1, 2, 3, 4, 5, 6, 8), (7, 9, 10, 11, 12, 13, 14)
    gathered = gathered_of(
        tmp_path / "a.db", study, lambda run: (True, 100 * efforts[run.arm][run.seed], 0.0)
    )
    (pair,) = pairwise_results(gathered, "evaluations")
    assert LEVEL / 43 < pair.p < 0.0012  # which is LEVEL / 43, rounded
    for tests, differ in ((43, False), (42, True)):
        held = replace(pair, corrected=tests * pair.p)
        said = sample_size_hint(gathered, "evaluations", held, tests)
        assert ("these differ" in said) == differ
        assert f"correction for {tests} comparisons" in said


# little is kept of a trace


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=30), min_size=1, max_size=5))
def test_a_thinned_trace_draws_the_same_curve(costs: list[list[int]]) -> None:
    traces = [
        (np.arange(1, len(each) + 1) // 2, np.minimum.accumulate(np.array(each))) for each in costs
    ]
    few = [drop_repeats(trace) for trace in traces]
    grid = np.linspace(0, 16, 33)
    assert np.array_equal(quantile_bands(few, grid=grid).y, quantile_bands(traces, grid=grid).y)
    for (x, y), (whole, values) in zip(few, traces, strict=True):
        assert (x[0], x[-1]) == (whole[0], whole[-1])
        assert len(x) <= len(np.unique(values)) + 1
        assert y.base is None  # not a view, which would keep all of it


def test_an_algorithm_does_not_beat_itself_by_the_clock(tmp_path: Path) -> None:
    """Runs that go on for longer start no sooner, and in a few milliseconds starting is all."""
    arms = tuple(
        arm("sundy", f"{count}", until=f"evaluations={count}") for count in (5_000, 10_000, 40_000)
    )
    puzzle = Instance("hard", bundled()["charles-hard"].puzzle)
    study = Study("same", arms, (puzzle,), tuple(range(12)))
    path = tmp_path / "same.db"
    run_study(study, path)
    with Store.open(path) as store:
        gathered = read_report_data(store)
    for unit in EFFORTS:
        assert not any(pair.differs for pair in pairwise_results(gathered, unit))
    held = gathered.at_equal["evaluations"]
    ranks = Lazy("scipy.stats").rankdata(
        dominance_ranks(held.efforts, held.quality)
    )  # ties share their mean rank
    table = mean_ranks(gathered, "evaluations")
    assert table[0].tolist() == [ranks[gathered.rows_of[each, 0]].mean() for each in range(3)]
