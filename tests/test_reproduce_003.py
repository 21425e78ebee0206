"""Report 003 again: its boards, its logs, its mutation rate, and small runs of all its studies."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genoku.encoding import PermutedBoxes
from genoku.jit import JIT_IS_ON
from genoku.lab.statistics import Proportion
from genoku.lab.store import Store
from genoku.preset_library import preset
from genoku.problem import Problem
from genoku.stream import stream
from reproductions.old import Claim, Findings, Scale, reproduce, reproduction
from reproductions.old.simon.contrasts import judge_contrasts
from reproductions.old.simon.experiments import (
    ARM_OF,
    CODED,
    DESCRIBED,
    HIGHER_CAP,
    LARGE,
    ONE_BOX,
    PUBLISHED,
    RATES,
    RUNS,
    T2,
    T20,
    TWO_BOXES,
    Curves,
    arm_name,
    constant,
    empty,
    expected_start,
    line_chance,
    replayed,
    studies,
)
from reproductions.old.simon.measured import Measured, fitness_of
from reproductions.old.simon.operators import ShuffleBoxes
from reproductions.old.simon.verdicts import (
    all_of_two_rules,
    base_and_optimum,
    complete_lines,
    highest_rate,
    mutation_weaker,
    out_of_local_optima,
    printed_boards,
    too_few_to_tell,
)

SMALL = Scale(quick=True, seeds=2)


def curves(best: list[list[float]]) -> Curves:
    array = np.array(best)
    return Curves(array, array, array, array)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("003")


@pytest.fixture(scope="module")
def found(folder: Path) -> Findings:
    if not JIT_IS_ON:
        pytest.skip("whole runs take minutes where nothing is compiled")
    return reproduce(reproduction("003"), SMALL, folder)


def test_the_printed_boards_have_the_printed_fitness() -> None:
    assert printed_boards().verdict == "holds"
    assert [fitness_of(each["cells"])[0] for each in PUBLISHED["boards"]] == [171, 180, 180, 320]


def test_a_changed_board_has_another_fitness() -> None:
    cells = PUBLISHED["boards"][0]["cells"]
    assert fitness_of(cells.replace("6", "5", 1))[0] < fitness_of(cells)[0]


def test_run_1_ends_as_the_report_says() -> None:
    assert all_of_two_rules().verdict == "holds"
    rows, columns = complete_lines(fitness_of(PUBLISHED["boards"][0]["cells"])[1])
    assert (rows.sum(), columns.sum()) == (1, 9)


@pytest.mark.parametrize(
    ("side", "chance", "start"),
    [(9, 0.0028345, 81.459), (16, 5.75e-6, 256.003), (25, 1.47e-9, 625.000002)],
)
def test_a_random_population_starts_where_chance_puts_it(
    side: int, chance: float, start: float
) -> None:
    assert line_chance(side) == pytest.approx(chance, rel=2e-3)
    assert expected_start(side) == pytest.approx(start, abs=5e-4)


@pytest.mark.parametrize(
    ("name", "rate"),
    [("run_1", 0.867), ("run_3", 0.895), ("run_5", 0.743), ("25x25 run_1", 0.85)],
)
def test_a_replayed_log_ends_at_its_rate(name: str, rate: float) -> None:
    run = RUNS[name]
    assert round(float(replayed(run["improved"], run["generations"])[-1]), 3) == rate


def test_every_log_ends_at_its_published_best() -> None:
    logs = [run for run in RUNS.values() if "improved" in run]
    assert len(logs) == 9
    assert all(run["improved"][-1][0] == run["best"] for run in logs)


def test_no_rate_passes_ninety_per_cent() -> None:
    assert highest_rate() == pytest.approx(0.9)


def test_two_runs_against_three_cannot_tell() -> None:
    assert "2 runs against 3 reach p = 0.2" in too_few_to_tell()


def test_a_mutation_touches_less_of_a_larger_board() -> None:
    claim = mutation_weaker()
    assert claim.verdict == "holds"
    assert "6.2 % at 16×16" in claim.because


def test_improvements_are_counted_between_generations() -> None:
    some = curves([[1, 1, 2, 2, 3], [1, 1, 1, 1, 1]])
    assert some.improvements(0, 4).tolist() == [2, 0]
    assert some.improvements(2, 4).tolist() == [1, 0]
    assert some.last_improvement(4).tolist() == [4, 0]
    assert some.last_improvement(3).tolist() == [2, 0]


@given(seed=st.integers(0, 2**32), boxes=st.integers(1, 4), rate=st.sampled_from([0.0, 0.3, 1.0]))
def test_shuffled_boxes_stay_whole_and_few_change(seed: int, boxes: int, rate: float) -> None:
    algorithm, puzzle = preset("simon").build(), empty(9).puzzle
    problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
    boards = PermutedBoxes().space(puzzle).sample(40, stream(seed, "boards"))
    before = boards.copy()
    changed = ShuffleBoxes(boxes)(boards, rate, problem, stream(seed, "mutation"))
    assert (boards == before).all()
    cells = puzzle.geometry.units[18:].astype(np.int64)
    whole = np.sort(changed[:, cells], axis=2) == np.arange(1, 10)
    assert whole.all()
    touched = (changed != boards)[:, cells].any(axis=2).sum(axis=1)
    assert touched.max() <= boxes
    assert rate > 0 or not touched.any()
    assert rate < 1 or touched.any()


def test_every_published_run_has_an_arm() -> None:
    names = {each.name for each in studies(SMALL)["nine"].arms}
    nine = [run for run in RUNS.values() if run["side"] == 9]
    assert {ARM_OF[run["population"], run["tournament"]] for run in nine} <= names


def test_a_run_of_500_generations_is_the_beginning_of_a_longer_one(
    found: Findings, folder: Path
) -> None:
    with Store.open(folder / "nine.db") as store:
        longer = Curves.of(store, "tournament 2")
    with Store.open(folder / "answer.db") as store:
        (place,) = (
            place
            for place, each in enumerate(store.study.arms)
            if each.name == "complete lines, shuffle of a box, tournament 2"
        )
        scores = store.results().of(arm=place).score
    assert longer.best_at(500).tolist() == scores.tolist()


def test_base_and_optimum_are_as_printed() -> None:
    claim = base_and_optimum()
    assert claim.verdict == "holds"
    assert "81 and 243 at 9×9; 256 and 768 at 16×16" in claim.because


def test_a_small_reproduction_settles_what_the_logs_settle(found: Findings) -> None:
    verdicts = {claim.text.split(",")[0]: claim.verdict for claim in found.claims}
    assert verdicts["The 25×25 results are much like the 16×16"] == "fails"
    assert verdicts["The mutation rate is capped at 90 %."] == "holds"


def made_up(best: dict[str, float]) -> Measured:
    """Sixty runs of 500 generations with these bests; all other arms end at 150."""
    draws = np.random.default_rng(5)
    names = [T2, T20, LARGE, HIGHER_CAP, ONE_BOX, TWO_BOXES, *map(constant, RATES)]
    runs = {
        name: curves(np.repeat(draws.normal(best.get(name, 150), 5, (60, 1)), 501, 1).tolist())
        for name in names
    }
    return Measured(runs, runs, runs[T2], None, {}, Proportion(0, 60))  # type: ignore[arg-type]


def escapes(coded: dict[str, float], described: dict[str, float]) -> Claim:
    seen = {CODED: made_up(coded), DESCRIBED: made_up(described)}
    return out_of_local_optima(judge_contrasts(seen))


def test_a_rising_rate_must_get_further_than_every_constant_one() -> None:
    far, near = {T2: 170.0}, {T2: 130.0}
    control = {T2: 170.0, constant(0.5): 175.0}
    assert escapes(far, far).verdict == "holds"
    assert escapes(near, near).verdict == "fails"
    assert escapes(control, control).verdict == "undecided"  # more mutation does it, not the rise


def test_readings_of_its_elite_that_do_not_agree_leave_a_claim_undecided() -> None:
    claim = escapes({T2: 170.0}, {T2: 130.0})
    assert claim.verdict == "undecided"
    assert "As coded: holds" in claim.because
    assert "As described: fails" in claim.because


def test_every_arm_that_two_readings_share_is_there_in_both() -> None:
    for name, of in studies(SMALL).items():
        names = {each.name for each in of.arms}
        marked = {each for each in names if each.endswith(arm_name("", DESCRIBED))}
        assert bool(marked) == (name in ("nine", "sixteen"))
        assert {each.removesuffix(arm_name("", DESCRIBED)) for each in marked} <= names
        for each in of.arms:
            kept = each.recipe["replacement"]["elites_of"]
            assert (kept == "new") == (each.name in marked)


def test_what_the_report_does_not_say_is_not_counted_among_its_claims(found: Findings) -> None:
    ours = {each.text for each in found.observations}
    assert "A tournament of 20 finds better boards than one of 2." in ours
    assert not ours & {each.text for each in found.claims}
    assert len(found.claims) == 16


def test_two_runs_each_settle_nothing_that_takes_many(found: Findings) -> None:
    verdicts = {claim.text: claim.verdict for claim in found.claims}
    assert {each.verdict for each in found.observations} == {"undecided"}
    assert verdicts["The best fitness of its runs, as published."] == "undecided"
    assert verdicts["The system is never able to find an optimal solution."] == "undecided"


def test_the_page_shows_published_beside_measured(found: Findings, tmp_path: Path) -> None:
    page = reproduction("003").page(found, SMALL)
    page.write_markdown(tmp_path / "003.md")
    text = (tmp_path / "003.md").read_text("utf-8")
    assert all(name in text.replace("\\", "") for name in RUNS)
    assert "81.36, 81.36, 81.54" in text
    assert not re.search(r"\b(nan|inf)\b", text)
    assert len(list(tmp_path.rglob("*.svg"))) == 9


def test_other_programs_get_the_figures_as_json(found: Findings) -> None:
    assert "runs" in found.figures
    json.dumps(found.figures, allow_nan=False)
