"""Report 001 again: what its tables say, and the rules that judge them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genoku.jit import JIT_IS_ON
from genoku.lab.page import Verdict
from genoku.lab.runner import run_study
from genoku.lab.statistics import Proportion
from genoku.lab.store import Store
from reproductions.old import Findings, Scale, reproduce, reproduction
from reproductions.old.eran_shahar.experiments import (
    ALGORITHMS,
    CHOICES,
    FAILS,
    GENETIC,
    GOES_ON,
    HARDER,
    LEVELS,
    Attempts,
    Measured,
    Variety,
    average,
    larger_start,
    solving_times,
    studies,
)
from reproductions.old.eran_shahar.verdicts import (
    ANNOUNCED,
    above_two,
    annealing_is_faster,
    depends_on_the_board,
    drawn_quotients,
    faster_everywhere,
    goes_on_until_solved,
    less_variety,
    most_in_hard,
    needs_a_limit,
    published_quotients,
)
from reproductions.old.places import could_be_ours, percentile, rare, tail
from reproductions.old.words import in_words, short

SMALL = Scale(quick=True, seeds=1)


def attempts(times: list[float], solved: list[bool]) -> Attempts:
    return Attempts(np.array(times), np.array(times), np.array(solved))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    if not JIT_IS_ON:
        pytest.skip("whole runs take minutes where nothing is compiled")
    return reproduce(reproduction("001"), SMALL, tmp_path_factory.mktemp("001"))


def test_the_published_averages_are_those_of_the_report() -> None:
    assert [average(level, 40, "genetic") for level in LEVELS] == [39, 337, 478, 18379]
    assert [average(level, 80, "annealing") for level in LEVELS] == [7, 11, 14, 6316]


def test_the_advantage_is_smallest_where_the_report_says_it_is_largest() -> None:
    claim = most_in_hard()
    assert claim.verdict == "fails"
    assert "hard 1.2" in claim.because


def test_six_of_eight_averages_fall_by_more_than_the_same_attempts_could() -> None:
    quotients = published_quotients()
    assert len(quotients) == len(LEVELS) * len(ANNOUNCED)
    assert all(quotient >= 2 for quotient in quotients.values())
    assert above_two() == 6


@given(st.lists(st.floats(0.1, 1e6), min_size=80, max_size=80))
def test_a_mean_of_eighty_is_at_least_half_of_the_mean_of_forty_of_them(times: list[float]) -> None:
    assert np.mean(times[:40]) / np.mean(times) <= 2 + 1e-9


def test_averages_of_one_distribution_are_about_equal() -> None:
    drawn = drawn_quotients(attempts([1.0, 2.0, 5.0, 9.0], [True] * 4), 2000)
    assert abs(float(np.median(drawn)) - 1) < 0.05
    assert float(drawn.max()) < 2


def test_attempts_that_are_begun_anew_cost_the_expected_running_time() -> None:
    one = attempts([10.0, 20.0, 30.0], [True, False, False])
    drawn = solving_times(one, "cpu", (200, 200), np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(one.time("cpu").value, rel=0.03)
    never = solving_times(attempts([3.0], [False]), "cpu", (1, 2), np.random.default_rng(1))
    assert np.isinf(never).all()


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([{"holds"}, {"holds"}], "holds"),
        ([{"holds"}, {"holds", "undecided"}], "undecided"),
        ([{"holds"}, {"fails", "undecided"}], "undecided"),
        ([{"holds"}, {"fails"}], "fails"),
    ],
)
def test_one_board_on_which_all_measures_agree_refutes_whatever_the_board(
    levels: list[set[Verdict]], expected: Verdict
) -> None:
    assert faster_everywhere({str(place): each for place, each in enumerate(levels)}) == expected


def test_a_published_value_is_placed_among_ours() -> None:
    ours = np.arange(100.0)
    assert percentile(ours, 49.5) == 50
    assert percentile([1, 1, 1], 1) == 50
    assert tail(ours, 1000) == pytest.approx(2 / 101)
    assert tail(ours, 50) == 1


def test_one_far_out_or_all_a_little_high_is_not_ours() -> None:
    ours = np.arange(100.0)
    assert could_be_ours("", "", {"far": (1000, ours)}).verdict == "fails"
    assert could_be_ours("", "", {"near": (60, ours)}).verdict == "undecided"  # one says little
    spread = {str(place): (10.0 * place + 5, ours) for place in range(10)}
    assert could_be_ours("", "", spread).verdict == "holds"
    assert could_be_ours("", "", {"near": (2, [1, 2, 3])}).verdict == "undecided"
    high = {str(place): (85.0, ours) for place in range(10)}
    assert could_be_ours("", "", high).verdict == "fails"


def test_draws_of_ours_are_hardly_ever_taken_for_others() -> None:
    draws = np.random.default_rng(3)
    ours = draws.integers(0, 12, 200)  # few levels, as fitness has
    failed = sum(
        could_be_ours(
            "", "", {str(place): (float(draws.choice(ours)), ours) for place in range(10)}
        ).verdict
        == "fails"
        for _ in range(200)
    )
    assert failed <= 18


def test_what_is_rare_needs_many_runs_to_be_known_as_rare() -> None:
    verdicts = [
        rare("", "", Proportion(successes, runs), share=0.05, because="").verdict
        for successes, runs in ((0, 10), (0, 200), (50, 200))
    ]
    assert verdicts == ["undecided", "holds", "fails"]


def test_numbers_are_short() -> None:
    assert [short(each) for each in (0.12345, 123456, float("inf"))] == ["0.123", "123,000", "∞"]
    assert in_words("evaluations=500000") == "500,000 evaluations"


def measured(
    tried: dict[str, Attempts], variety: Variety | None = None, **other: Attempts
) -> Measured:
    """Each algorithm's attempts alike on all boards; all but two of a thousand starts failed."""
    boards = [*LEVELS.values(), HARDER]
    none = np.array([])
    return Measured(
        {(name, board): tried[name] for name in tried for board in boards},
        {},
        {board: np.arange(200) < 2 for board in boards[:1]},
        variety or Variety(0, none, none),
        other.get("larger", attempts([1.0], [True])),
        1000,
    )


def test_the_verdict_on_speed_is_that_of_both_readings_or_none() -> None:
    slow, fast = (attempts([each] * 40, [True] * 40) for each in (900.0, 3.0))
    either = annealing_is_faster(measured({GENETIC: slow, FAILS: fast, GOES_ON: fast}))
    assert either.verdict == "holds"
    only_one = annealing_is_faster(measured({GENETIC: slow, FAILS: slow, GOES_ON: fast}))
    assert only_one.verdict == "undecided"


def test_a_loop_that_goes_on_in_one_reading_only_is_undecided() -> None:
    ended = attempts([3.0, 1000.0], [True, False])
    claim = goes_on_until_solved(measured({GENETIC: ended, FAILS: ended, GOES_ON: ended}))
    assert claim.verdict == "undecided"
    assert "198 of 200" in claim.because  # the failures belong to the reading that fails
    gave_up = attempts([3.0, 20.0], [True, False])
    claim = goes_on_until_solved(measured({GENETIC: ended, FAILS: ended, GOES_ON: gave_up}))
    assert claim.verdict == "fails"


def test_a_limit_is_needed_where_attempts_are_solved_soon_or_not_at_all() -> None:
    def verdict(times: list[float], solved: list[bool]) -> str:
        return needs_a_limit(measured({GENETIC: attempts(times, solved)})).verdict

    assert verdict([20.0] * 30 + [1000.0] * 30, [True] * 30 + [False] * 30) == "holds"
    steady = np.random.default_rng(2).exponential(500, 200)
    assert verdict(np.minimum(steady, 1000).tolist(), (steady < 1000).tolist()) == "fails"


def test_an_attempt_that_is_cut_short_is_solved_if_it_was_by_then() -> None:
    cut = attempts([50.0, 100.0, 400.0], [True, True, False]).cut(80)
    assert cut.solved.tolist() == [True, False, False]
    assert cut.evaluations.tolist() == cut.cpu.tolist() == [50, 80, 80]


def test_less_variety_is_seen_by_its_medians() -> None:
    varied, alike = np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.01, 0.02, 0.03, 0.04])

    def verdict(unsolved: Any, solved: Any) -> str:
        return less_variety(measured({}, Variety(1, solved, unsolved))).verdict

    assert verdict(alike, varied) == "holds"
    assert verdict(varied, alike) == "fails"
    assert verdict(varied, varied) == verdict(alike, varied[:0]) == "undecided"


@pytest.mark.skipif(not JIT_IS_ON, reason="whole runs take minutes where nothing is compiled")
def test_variety_is_compared_at_equal_evaluations(tmp_path: Path) -> None:
    planned = studies(Scale(quick=True, seeds=8))["attempts"]
    study = replace(planned, arms=planned.arms[:1], instances=planned.instances[:2])
    run_study(study, tmp_path / "a.db")
    with Store.open(tmp_path / "a.db") as store:
        variety = Variety.of(store)
        runs = list(store.histories(arm=0, instance=1))
    generation = variety.evaluations // 500 - 1
    assert generation % study.record.every == 0
    for solved, taken in ((True, variety.solved), (False, variety.unsolved)):
        expected = [
            float(history["diversity"][history["evals"] == variety.evaluations][0])
            for row, history in runs
            if row.solved == solved and history["gen"][-1] > generation
        ]
        assert taken.tolist() == expected
    assert len(variety.unsolved) > 0


@pytest.mark.skipif(not JIT_IS_ON, reason="whole runs take minutes where nothing is compiled")
def test_a_larger_start_counts_all_the_boards_it_began_with() -> None:
    found = larger_start(Scale(quick=True, seeds=3))
    unsolved = found.evaluations[~found.solved]
    assert len(found.solved) == 3
    assert (found.evaluations >= 2500 + 500).all()
    assert ((unsolved >= 200_000) & (unsolved < 201_000)).all()


def test_what_the_tables_say_of_difficulty_is_an_observation_of_ours() -> None:
    assert depends_on_the_board().verdict == "holds"


def test_a_small_reproduction_says_what_arithmetic_decides(found: Findings) -> None:
    verdicts = {claim.text: claim.verdict for claim in found.claims}
    assert verdicts["The difference is especially noticeable on hard boards."] == "fails"
    assert verdicts["The annealing's loop continues until a solution is found."] == "undecided"
    assert len(verdicts) == len(found.claims) == 11
    assert not verdicts.keys() & {each.text for each in found.observations}


def test_one_attempt_decides_nothing_that_takes_many(found: Findings) -> None:
    wishes = [claim for claim in found.claims if "wish" in claim.where]
    assert [claim.verdict for claim in wishes] == ["undecided"] * 3


def test_the_page_shows_published_beside_measured(found: Findings, tmp_path: Path) -> None:
    page = reproduction("001").page(found, SMALL)
    page.write_markdown(tmp_path / "001.md")
    text = (tmp_path / "001.md").read_text("utf-8")
    assert "18,379" in text
    assert all(name in text for name in (*CHOICES, *ALGORITHMS))
    assert "python3 run.py reproduce 001 --quick --seeds 1" in text
    assert not re.search(r"\b(nan|inf)\b", text)


def test_other_programs_get_the_figures_as_json(found: Findings) -> None:
    assert "genetic_by_annealing" in found.figures
    json.dumps(found.figures, allow_nan=False)
