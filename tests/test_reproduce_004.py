"""Report 004: what can be counted out, and small runs of what it never measured."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from kept_runs import SCALE, planned_studies, unpack_runs

from genoku import bundled
from genoku.evolve.algorithms.genetic import Genetic
from genoku.evolve.operators.mutation import appearances
from genoku.evolve.presets import preset
from genoku.evolve.recipe import build
from genoku.lab.claims import Verdict
from genoku.lab.store import COLUMNS, Results
from genoku.runtime.jit import JIT_IS_ON
from reproductions import Reproduced, reproduce, script_of

report = script_of("004")
NINE, FEW, AS_READ = report.NINE, report.FEW, report.AS_READ
OWN, VARIED, STRANGERS = report.OWN, report.VARIED, report.STRANGERS
count_meetings, pairs_of, random_boards = (
    report.count_meetings,
    report.pairs_of,
    report.random_boards,
)
HARD = bundled()["charles-hard"].puzzle


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Reproduced:
    if not JIT_IS_ON:
        pytest.skip("whole runs take minutes where nothing is compiled")
    return reproduce("004", SCALE, unpack_runs("004", tmp_path_factory.mktemp("004")))


def test_what_the_report_counts_is_so() -> None:
    for judge in (
        report.eighteen_constraints,
        report.four_when_solved,
        report.two_with_three_vectors,
        report.half_of_the_mask,
    ):
        assert judge().verdict == "holds"
    assert report.half_of_the_mask().figures["taken"] == 4.5


def test_a_box_has_36_pairs_and_half_of_them_share_a_line() -> None:
    pairs = pairs_of()
    assert len(pairs.one) == 9 * 36
    assert pairs.aligned.sum() == 9 * 18
    assert (NINE.box_of[pairs.one] == NINE.box_of[pairs.two]).all()


def test_pairs_are_counted_as_the_mutation_counts_them() -> None:
    boards, pairs = random_boards(HARD, 3), pairs_of()
    counts = count_meetings(boards, pairs)
    count = getattr(appearances, "py_func", appearances)
    for board in range(len(boards)):
        for place in range(0, len(pairs.one), 7):
            here, there = int(pairs.one[place]), int(pairs.two[place])
            assert counts[board, place] == count(boards, board, here, there, 9)


def test_exactly_five_allows_one_swap_in_six_and_none_near_the_solution() -> None:
    pairs = pairs_of(HARD.board == 0)
    counts = count_meetings(random_boards(HARD, 2000), pairs)
    shares = [float((counts <= limit).mean()) for limit in (5, 4)]
    assert shares == pytest.approx([0.88, 0.71], abs=0.015)
    assert float((counts == 5).mean()) == pytest.approx(0.17, abs=0.01)
    assert not (count_meetings(report.solved_board(HARD), pairs) == 5).any()


def test_copies_are_counted_by_place_and_by_pair() -> None:
    boards = np.array([[1, 2], [1, 2], [1, 2], [2, 1]], np.uint8)
    assert report.shares_of(boards) == (0.75, 0.5)
    assert report.shares_of(boards[2:]) == (0.5, 0.0)


@pytest.mark.skipif(not JIT_IS_ON, reason="a hundred generations in plain Python")
def test_looking_into_the_pool_does_not_change_what_is_seen() -> None:
    algorithm = preset("sundy").build()
    assert isinstance(algorithm, Genetic)
    once, longer = (report.copies(algorithm, HARD, 2, generations) for generations in (20, 50))
    shared = len(once.generations)
    assert (once.largest == longer.largest[:, :shared]).all()
    assert longer.largest[:, 0].max() < 0.1  # at first all boards are random


@pytest.mark.skipif(not JIT_IS_ON, reason="hundreds of generations in plain Python")
def test_the_control_brings_in_as_many_strangers_as_there_are_twins() -> None:
    own, varied, strangers = (
        cast("Genetic", build(dict(arm.recipe))) for arm in planned_studies("004")["puzzles"].arms
    )
    assert report.replaced_share(own, 1, 5) == 0
    assert report.replaced_share(strangers, 1, 5) == pytest.approx(0.1)
    assert report.replaced_share(varied, 2, 200) == pytest.approx(0.1, abs=0.02)


def runs_of(evaluations: float, solved: int, runs: int = 40) -> Results:
    flags = np.arange(runs) < solved
    columns: dict[str, Any] = {name: np.zeros(runs) for name in (*COLUMNS, "errors")}
    columns |= {"evaluations": np.full(runs, evaluations), "solved": flags}
    return Results(**columns)


PARTS: tuple[str, ...] = (AS_READ, "up to 4", "exactly 5", "no rule", "penalty 0")


def verdicts_on(puzzles: dict[str, int], parts: dict[str, int]) -> dict[str, Verdict]:
    """Of runs that take equally long, so many of which are solved on each puzzle."""
    tables = [
        {(name, puzzle): runs_of(1000.0, solved[name]) for name in solved for puzzle in FEW}
        for solved in (puzzles, parts)
    ]
    return {name: found.verdict for name, found in report.judge_parts(*tables).items()}


def test_copies_are_what_hurts_only_if_strangers_alone_do_not_help_as_much() -> None:
    parts = dict.fromkeys(PARTS, 20)
    apart = verdicts_on({OWN: 10, VARIED: 38, STRANGERS: 10}, parts)
    strangers_do = verdicts_on({OWN: 10, VARIED: 38, STRANGERS: 38}, parts)
    assert apart["copies-hurt"] == "holds"
    assert strangers_do["copies-hurt"] in ("undecided", "fails")


def test_the_rule_for_swaps_must_help_in_both_of_its_readings() -> None:
    systems = dict.fromkeys((OWN, VARIED, STRANGERS), 20)
    parts: dict[str, int] = {**dict.fromkeys(PARTS, 5), AS_READ: 38, "exactly 5": 38}
    assert verdicts_on(systems, parts)["rule-helps"] == "holds"
    assert verdicts_on(systems, {**parts, "exactly 5": 0})["rule-helps"] == "undecided"


def test_puzzles_are_weighed_apart() -> None:
    easy, *others = FEW
    runs = {
        (name, puzzle): runs_of(1000.0 if puzzle == easy else 100_000.0, 40)
        for name in ("one", "two")
        for puzzle in FEW
    }
    runs["one", easy] = runs_of(8000.0, 40)
    assert len(others) == 2
    assert report.cost_ratio(runs, "one", "two").value == pytest.approx(8 ** (1 / 3))


def test_the_studies_have_every_part_every_setting_and_every_report() -> None:
    planned = planned_studies("004")
    assert len(planned["grid"].arms) == 3 * 2 * 2 * 3
    assert {each.name for each in planned["parts"].arms} >= set(PARTS)
    assert [each.name for each in planned["puzzles"].arms] == [OWN, VARIED, STRANGERS]
    assert [each.name[-4:-1] for each in planned["rivals"].arms] == [f"00{i}" for i in range(5)]
    budgets = {each.until for study in planned.values() for each in study.arms}
    assert len(budgets) == 1


def test_a_small_reproduction_settles_what_can_be_looked_up(found: Reproduced) -> None:
    verdicts = {claim.id: claim.verdict for claim in found.claims}
    assert verdicts["intrinsic"] == verdicts["zero-is-solved"] == "holds"
    assert verdicts["pool-of-copies"] == "undecided"


def test_what_is_about_our_reading_is_not_counted_as_a_claim(found: Reproduced) -> None:
    assert len(found.claims) == 11
    assert [claim.id for claim in found.observations] == ["same-mates", "to-the-letter"]


def test_the_page_names_every_puzzle_and_rival(found: Reproduced, tmp_path: Path) -> None:
    found.page.write_markdown(tmp_path / "004.md")
    text = (tmp_path / "004.md").read_text("utf-8")
    for study in planned_studies("004").values():
        assert all(each.name.removeprefix("charles-") in text for each in study.instances)
        assert study.name.endswith("asked for") or all(arm.name in text for arm in study.arms)
    assert not re.search(r"\b(nan|inf)\b", text)
    assert len(list(tmp_path.rglob("*.svg"))) == 7


def test_other_programs_get_the_figures_as_json(found: Reproduced) -> None:
    assert "sundy" in found.facts["figures"]
    json.dumps(found.facts, allow_nan=False)
