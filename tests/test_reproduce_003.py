"""Report 003 again: its boards, its logs, its mutation rate, and small runs of all its studies."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from kept_runs import SCALE, planned_studies, unpack_runs

from genoku import Puzzle, preset
from genoku.evolve.encoding import PermutedBoxes
from genoku.evolve.problem import Problem
from genoku.lab.claims import Judgement
from genoku.lab.statistics import Proportion
from genoku.lab.store import Store
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import JIT_IS_ON
from genoku.runtime.random import stream
from reproductions import Reproduced, reproduce, script_of

report = script_of("003")
RUNS, ARM_OF = report.RUNS, report.ARM_OF
T2, CODED, DESCRIBED, MARK = report.T2, report.CODED, report.DESCRIBED, report.MARK
constant, fitness_of = report.constant, report.fitness_of


def curves(best: list[list[float]]) -> Any:
    array = np.array(best)
    return report.Curves(array, array, array, array, np.zeros(len(array), np.bool_))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack_runs("003", tmp_path_factory.mktemp("003"))


@pytest.fixture(scope="module")
def found(folder: Path) -> Reproduced:
    if not JIT_IS_ON:
        pytest.skip("whole runs take minutes where nothing is compiled")
    return reproduce("003", SCALE, folder)


def test_the_printed_boards_have_the_printed_fitness() -> None:
    assert report.printed_boards().verdict == "holds"
    assert [fitness_of(each.cells)[0] for each in report.BOARDS.values()] == [171, 180, 180, 320]


def test_a_changed_board_has_another_fitness() -> None:
    cells = report.BOARDS["ID 64251, run 1"].cells
    assert fitness_of(cells.replace("6", "5", 1))[0] < fitness_of(cells)[0]


def test_run_1_ends_as_the_report_says() -> None:
    found = report.all_of_two_rules()
    assert found.verdict == "holds"
    assert found.figures == {"rows": 1, "columns": 9, "least": 2}


@pytest.mark.parametrize(
    ("side", "chance", "start"),
    [(9, 0.0028345, 81.459), (16, 5.75e-6, 256.003), (25, 1.47e-9, 625.000002)],
)
def test_a_random_population_starts_where_chance_puts_it(
    side: int, chance: float, start: float
) -> None:
    assert report.line_chance(side) == pytest.approx(chance, rel=2e-3)
    assert report.expected_start(side) == pytest.approx(start, abs=5e-4)


@pytest.mark.parametrize(
    ("name", "rate"),
    [("run_1", 0.867), ("run_3", 0.895), ("run_5", 0.743), ("25x25 run_1", 0.85)],
)
def test_a_replayed_log_ends_at_its_rate(name: str, rate: float) -> None:
    run = RUNS[name]
    assert round(float(report.replay_rate(run["improved"], run["generations"])[-1]), 3) == rate


def test_every_log_ends_at_its_published_best() -> None:
    logs = [run for run in RUNS.values() if "improved" in run]
    assert len(logs) == 9
    assert all(run["improved"][-1][0] == run["best"] for run in logs)


def test_no_rate_passes_ninety_per_cent(found: Reproduced) -> None:
    (cap,) = (each for each in found.claims if each.id == "cap")
    assert cap.verdict == "holds"
    assert cap.figures["bound"] == pytest.approx(0.9)


def test_two_runs_against_three_cannot_tell(found: Reproduced) -> None:
    (tournament,) = (each for each in found.observations if each.id == "tournament")
    assert tournament.figures["few"] == [2, 3]
    assert tournament.figures["fewest_p"] == "p = 0.200"


def test_a_mutation_touches_less_of_a_larger_board() -> None:
    claim = report.mutation_weaker()
    assert claim.verdict == "holds"


def test_improvements_are_counted_between_generations() -> None:
    some = curves([[1, 1, 2, 2, 3], [1, 1, 1, 1, 1]])
    assert some.improvements(0, 4).tolist() == [2, 0]
    assert some.improvements(2, 4).tolist() == [1, 0]
    assert some.last_improvement(4).tolist() == [4, 0]
    assert some.last_improvement(3).tolist() == [2, 0]


@given(seed=st.integers(0, 2**32), boxes=st.integers(1, 4), rate=st.sampled_from([0.0, 0.3, 1.0]))
def test_shuffled_boxes_stay_whole_and_few_change(seed: int, boxes: int, rate: float) -> None:
    algorithm, puzzle = preset("simon").build(), Puzzle(Geometry.of_side(9), bytes(81))
    problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
    boards = PermutedBoxes().space(puzzle).sample(40, stream(seed, "boards"))
    before = boards.copy()
    shuffle = import_module("shuffle_boxes").ShuffleBoxes(boxes)
    changed = shuffle(boards, rate, problem, stream(seed, "mutation"))
    assert (boards == before).all()
    cells = puzzle.geometry.units[18:].astype(np.int64)
    whole = np.sort(changed[:, cells], axis=2) == np.arange(1, 10)
    assert whole.all()
    touched = (changed != boards)[:, cells].any(axis=2).sum(axis=1)
    assert touched.max() <= boxes
    assert rate > 0 or not touched.any()
    assert rate < 1 or touched.any()


def test_every_published_run_has_an_arm() -> None:
    names = {each.name for each in planned_studies("003")["nine"].arms}
    nine = [run for run in RUNS.values() if run["side"] == 9]
    assert {ARM_OF[run["population"], run["tournament"]] for run in nine} <= names


def test_a_run_of_500_generations_is_the_beginning_of_a_longer_one(
    found: Reproduced, folder: Path
) -> None:
    with Store.open(folder / "nine.db") as store:
        longer = report.by_arm(store, CODED)[T2]
    with Store.open(folder / "answer.db") as store:
        assert store.study.arms[0].settings["fitness"] == "complete-units"
        scores = store.results().of(arm=0).score
    assert longer.best_at(500).tolist() == scores.tolist()


def test_base_and_optimum_are_as_printed() -> None:
    claim = report.base_and_optimum()
    assert claim.verdict == "holds"


def test_a_small_reproduction_settles_what_the_logs_settle(found: Reproduced) -> None:
    verdicts = {claim.id: claim.verdict for claim in found.claims}
    assert verdicts["much-like-16"] == "fails"
    assert verdicts["cap"] == "holds"


def made_up(best: dict[str, float]) -> Any:
    """Sixty runs of 500 generations with these bests; all other arms end at 150."""
    draws = np.random.default_rng(5)
    names = {
        arm.name.removeprefix(MARK)
        for study in ("nine", "sixteen")
        for arm in planned_studies("003")[study].arms
    }
    runs = {
        name: curves(np.repeat(draws.normal(best.get(name, 150), 5, (60, 1)), 501, 1).tolist())
        for name in sorted(names)
    }
    return report.ReportRuns(runs, runs, runs[T2], Proportion(0, 60))


def escapes(coded: dict[str, float], described: dict[str, float]) -> Judgement:
    seen = {CODED: made_up(coded), DESCRIBED: made_up(described)}
    found: Judgement = report.out_of_local_optima(report.judge_contrasts(seen))
    return found


def test_a_rising_rate_must_get_further_than_every_constant_one() -> None:
    far, near = {T2: 170.0}, {T2: 130.0}
    control = {T2: 170.0, constant(0.5): 175.0}
    assert escapes(far, far).verdict == "holds"
    assert escapes(near, near).verdict == "fails"
    assert escapes(control, control).verdict == "undecided"  # more mutation does it, not the rise


def test_readings_of_its_elite_that_do_not_agree_leave_a_claim_undecided() -> None:
    assert escapes({T2: 170.0}, {T2: 130.0}).verdict == "undecided"


def test_every_arm_that_two_readings_share_is_there_in_both() -> None:
    for name, of in planned_studies("003").items():
        names = {each.name for each in of.arms}
        marked = {each for each in names if each.startswith(MARK)}
        assert bool(marked) == (name in ("nine", "sixteen"))
        assert {each.removeprefix(MARK) for each in marked} <= names
        for each in of.arms:
            kept = each.recipe["replacement"]["elites_of"]
            assert (kept == "new") == (each.name in marked)


def test_what_the_report_does_not_say_is_not_counted_among_its_claims(found: Reproduced) -> None:
    assert "tournament" in {each.id for each in found.observations}
    assert len(found.claims) == 16


def test_two_runs_each_settle_nothing_that_takes_many(found: Reproduced) -> None:
    verdicts = {claim.id: claim.verdict for claim in found.claims}
    assert {each.verdict for each in found.observations} == {"undecided"}
    assert verdicts["published-bests"] == verdicts["never-solved"] == "undecided"


def test_the_page_shows_published_beside_measured(found: Reproduced, tmp_path: Path) -> None:
    found.page.write_markdown(tmp_path / "003.md")
    text = (tmp_path / "003.md").read_text("utf-8")
    assert all(name in text.replace("\\", "") for name in RUNS)
    assert "81.36, 81.36, 81.54" in text
    assert not re.search(r"\b(nan|inf)\b", text)
    assert len(list(tmp_path.rglob("*.svg"))) == 9


def test_other_programs_get_the_figures_as_json(found: Reproduced) -> None:
    assert "runs" in found.figures
    json.dumps(found.facts, allow_nan=False)
