"""Report 001 again: what its tables say, and the rules that judge them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from kept_runs import SCALE, planned_studies, unpack_runs

from genoku.lab import Store, run_study
from genoku.lab.claims import Verdict
from genoku.runtime.jit import JIT_IS_ON
from reproductions import Reproduced, Scale, reproduce, script_of, studies_of

report = script_of("001")
LEVELS, ALGORITHMS, HARDER = report.LEVELS, report.ALGORITHMS, report.HARDER
GENETIC, FAILS, GOES_ON = ALGORITHMS
Attempts, Variety, AVERAGES = report.Attempts, report.Variety, report.AVERAGES


def attempts(times: list[float], solved: list[bool]) -> Any:
    return Attempts(np.array(times), np.array(times), np.array(solved))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Reproduced:
    if not JIT_IS_ON:
        pytest.skip("whole runs take minutes where nothing is compiled")
    return reproduce("001", SCALE, unpack_runs("001", tmp_path_factory.mktemp("001")))


def test_the_published_averages_are_those_of_the_report() -> None:
    assert [AVERAGES[level, 40, "genetic"] for level in LEVELS] == [39, 337, 478, 18379]
    assert [AVERAGES[level, 80, "annealing"] for level in LEVELS] == [7, 11, 14, 6316]


def test_the_advantage_is_smallest_where_the_report_says_it_is_largest() -> None:
    found = report.most_in_hard()
    assert found.verdict == "fails"
    assert "hard" not in found.figures["largest"]
    assert report.RATIOS["hard", 40] == min(report.RATIOS[level, 40] for level in LEVELS)


def test_six_of_eight_averages_fall_by_more_than_the_same_attempts_could() -> None:
    assert len(report.QUOTIENTS) == 2 * len(LEVELS)
    assert all(quotient >= 2 for quotient in report.QUOTIENTS.values())
    assert report.above_two() == 6


@given(st.lists(st.floats(0.1, 1e6), min_size=80, max_size=80))
def test_a_mean_of_eighty_is_at_least_half_of_the_mean_of_forty_of_them(times: list[float]) -> None:
    assert np.mean(times[:40]) / np.mean(times) <= 2 + 1e-9


def test_averages_of_one_distribution_are_about_equal() -> None:
    drawn = report.drawn_quotients(attempts([1.0, 2.0, 5.0, 9.0], [True] * 4), 2000)
    assert abs(float(np.median(drawn)) - 1) < 0.05
    assert float(drawn.max()) < 2


def test_attempts_that_are_begun_anew_cost_the_expected_running_time() -> None:
    one = attempts([10.0, 20.0, 30.0], [True, False, False])
    drawn = report.solving_times(one, "cpu", (200, 200), np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(one.time("cpu").value, rel=0.03)
    never = report.solving_times(attempts([3.0], [False]), "cpu", (1, 2), np.random.default_rng(1))
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
    assert (
        report.faster_everywhere({str(place): each for place, each in enumerate(levels)})
        == expected
    )


def tried(**own: Any) -> dict[tuple[str, str], Any]:
    """Each algorithm's attempts alike on all boards and levels."""
    named = {"genetic": GENETIC, "fails": FAILS, "goes_on": GOES_ON}
    places = (*LEVELS, *LEVELS.values(), HARDER)
    return {(named[name], place): each for name, each in own.items() for place in places}


def test_the_verdict_on_speed_is_that_of_both_readings_or_none() -> None:
    slow, fast = (attempts([each] * 40, [True] * 40) for each in (900.0, 3.0))
    either = report.annealing_is_faster(tried(genetic=slow, fails=fast, goes_on=fast))
    assert either.verdict == "holds"
    only_one = report.annealing_is_faster(tried(genetic=slow, fails=slow, goes_on=fast))
    assert only_one.verdict == "undecided"


def test_a_loop_that_goes_on_in_one_reading_only_is_undecided() -> None:
    starts = {HARDER: np.arange(200) < 2}  # all but two failed
    ended = attempts([3.0, 1000.0], [True, False])
    found = report.goes_on_until_solved(starts, tried(goes_on=ended), 1000)
    assert found.verdict == "undecided"
    assert found.figures["stuck means failure"]["failed"] == 198
    gave_up = attempts([3.0, 20.0], [True, False])
    found = report.goes_on_until_solved(starts, tried(goes_on=gave_up), 1000)
    assert found.verdict == "fails"


def test_a_limit_is_needed_where_attempts_are_solved_soon_or_not_at_all() -> None:
    def verdict(times: list[float], solved: list[bool]) -> str:
        found: str = report.needs_a_limit(tried(genetic=attempts(times, solved)), 1000).verdict
        return found

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
        found: str = Variety(1, solved, unsolved).judge().verdict
        return found

    assert verdict(alike, varied) == "holds"
    assert verdict(varied, alike) == "fails"
    assert verdict(varied, varied) == verdict(alike, varied[:0]) == "undecided"


@pytest.mark.skipif(not JIT_IS_ON, reason="whole runs take minutes where nothing is compiled")
def test_variety_is_compared_at_equal_evaluations(tmp_path: Path) -> None:
    planned = studies_of("001", Scale(quick=True, seeds=8))["attempts"]
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
    found = report.larger_start(range(1, 4), 200_000)
    unsolved = found.evaluations[~found.solved]
    assert len(found.solved) == 3
    assert (found.evaluations >= 2500 + 500).all()
    assert ((unsolved >= 200_000) & (unsolved < 201_000)).all()


def test_what_the_tables_say_of_difficulty_is_an_observation_of_ours() -> None:
    assert report.depends_on_the_board().verdict == "holds"


def test_a_small_reproduction_says_what_arithmetic_decides(found: Reproduced) -> None:
    verdicts = {claim.id: claim.verdict for claim in found.claims}
    assert verdicts["most-in-hard"] == "fails"
    assert verdicts["goes-on-until-solved"] == "undecided"
    assert len(verdicts) == len(found.claims) == 11
    assert not verdicts.keys() & {each.id for each in found.observations}


def test_one_attempt_decides_nothing_that_takes_many(found: Reproduced) -> None:
    proposals = [claim for claim in found.claims if "proposal" in claim.where]
    assert [claim.verdict for claim in proposals] == ["undecided"] * 3


def test_the_page_shows_published_beside_measured(found: Reproduced, tmp_path: Path) -> None:
    found.page.write_markdown(tmp_path / "001.md")
    text = (tmp_path / "001.md").read_text("utf-8")
    assert "18,379" in text
    choices = [arm.name for arm in planned_studies("001")["choices"].arms]
    assert all(name in text for name in (*choices, *ALGORITHMS))
    assert not re.search(r"\b(nan|inf)\b", text)


def test_other_programs_get_the_figures_as_json(found: Reproduced) -> None:
    assert set(found.facts["figures"]["genetic_by_annealing"]) == set(LEVELS)
    json.dumps(found.facts, allow_nan=False)
