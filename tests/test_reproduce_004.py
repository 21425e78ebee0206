"""Report 004: what can be counted out, and small runs of what it never measured."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from genoku import bundled
from genoku.algorithms.genetic import Genetic
from genoku.jit import JIT_IS_ON
from genoku.lab.page import Verdict
from genoku.lab.results import COLUMNS, Results
from genoku.mutation import appearances
from genoku.preset_library import preset
from genoku.recipe import build
from reproductions.old import Findings, Scale, reproduce, reproduction
from reproductions.old.sundy.copies import copies, replaced_share, shares_of
from reproductions.old.sundy.experiments import (
    AS_READ,
    FEW,
    GRID,
    OWN,
    PARTS,
    PUZZLES,
    RIVALS,
    STRANGERS,
    SYSTEMS,
    VARIED,
    Measured,
    studies,
)
from reproductions.old.sundy.swaps import met, pairs_of, random_boards, solved_board
from reproductions.old.sundy.verdicts import (
    NINE,
    Weighed,
    eighteen_constraints,
    four_when_solved,
    half_of_the_mask,
    some_case,
    two_with_three_vectors,
    weighed,
)

SMALL = Scale(quick=True, seeds=2)
HARD = bundled()["charles-hard"].puzzle


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    if not JIT_IS_ON:
        pytest.skip("whole runs take minutes where nothing is compiled")
    return reproduce(reproduction("004"), SMALL, tmp_path_factory.mktemp("004"))


def test_what_the_report_counts_is_so() -> None:
    for claim in (eighteen_constraints(), four_when_solved(), two_with_three_vectors()):
        assert claim.verdict == "holds"
    assert half_of_the_mask().verdict == "holds"
    assert "average 4.5" in half_of_the_mask().because


def test_a_box_has_36_pairs_and_half_of_them_share_a_line() -> None:
    pairs = pairs_of(NINE)
    assert len(pairs.one) == 9 * 36
    assert pairs.aligned.sum() == 9 * 18
    assert (NINE.box_of[pairs.one] == NINE.box_of[pairs.two]).all()


def test_pairs_are_counted_as_the_mutation_counts_them() -> None:
    boards, pairs = random_boards(HARD, 3), pairs_of(NINE)
    counts = met(boards, NINE, pairs)
    count = getattr(appearances, "py_func", appearances)
    for board in range(len(boards)):
        for place in range(0, len(pairs.one), 7):
            here, there = int(pairs.one[place]), int(pairs.two[place])
            assert counts[board, place] == count(boards, board, here, there, 9)


def test_exactly_five_allows_one_swap_in_six_and_none_near_the_solution() -> None:
    pairs = pairs_of(NINE, HARD.board == 0)
    counts = met(random_boards(HARD, 2000), NINE, pairs)
    shares = [float((counts <= limit).mean()) for limit in (5, 4)]
    assert shares == pytest.approx([0.88, 0.71], abs=0.015)
    assert float((counts == 5).mean()) == pytest.approx(0.17, abs=0.01)
    assert not (met(solved_board(HARD), NINE, pairs) == 5).any()


def test_copies_are_counted_by_place_and_by_pair() -> None:
    boards = np.array([[1, 2], [1, 2], [1, 2], [2, 1]], np.uint8)
    assert shares_of(boards) == (0.75, 0.5)
    assert shares_of(boards[2:]) == (0.5, 0.0)


@pytest.mark.skipif(not JIT_IS_ON, reason="a hundred generations in plain Python")
def test_looking_into_the_pool_does_not_change_what_is_seen() -> None:
    algorithm = preset("sundy").build()
    assert isinstance(algorithm, Genetic)
    once, longer = (copies(algorithm, HARD, 2, generations) for generations in (20, 50))
    shared = len(once.generations)
    assert (once.largest == longer.largest[:, :shared]).all()
    assert longer.largest[:, 0].max() < 0.1  # at first all boards are random


@pytest.mark.skipif(not JIT_IS_ON, reason="hundreds of generations in plain Python")
def test_the_control_brings_in_as_many_strangers_as_there_are_twins() -> None:
    own, varied, strangers = (
        cast("Genetic", build(dict(arm.recipe))) for arm in studies(SMALL)["puzzles"].arms
    )
    assert replaced_share(own, HARD, 1, 5) == 0
    assert replaced_share(strangers, HARD, 1, 5) == pytest.approx(0.1)
    assert replaced_share(varied, HARD, 2, 200) == pytest.approx(0.1, abs=0.02)


def runs_of(evaluations: float, solved: int, runs: int = 40) -> Results:
    flags = np.arange(runs) < solved
    columns: dict[str, Any] = {name: np.zeros(runs) for name in COLUMNS}
    columns |= {"evaluations": np.full(runs, evaluations), "solved": flags}
    return Results(**columns)


def verdicts_on(puzzles: dict[str, int], parts: dict[str, int]) -> list[Verdict]:
    """Of runs that take equally long, so many of which are solved on each puzzle."""
    tables = [
        {(name, puzzle): runs_of(1000.0, solved[name]) for name in solved for puzzle in FEW}
        for solved in (puzzles, parts)
    ]
    none = np.empty(0, np.int64)
    seen = Measured(tables[0], {}, tables[1], (), {}, {}, none.astype(np.uint8), none, "")
    return [claim.verdict for claim in weighed(seen)]


def test_copies_are_what_hurts_only_if_strangers_alone_do_not_help_as_much() -> None:
    parts = dict.fromkeys(PARTS, 20)
    apart = verdicts_on({OWN: 10, VARIED: 38, STRANGERS: 10}, parts)
    strangers_do = verdicts_on({OWN: 10, VARIED: 38, STRANGERS: 38}, parts)
    assert apart[0] == "holds"
    assert strangers_do[0] in ("undecided", "fails")


def test_the_rule_for_swaps_must_help_in_both_of_its_readings() -> None:
    systems = dict.fromkeys(SYSTEMS, 20)
    parts = {**dict.fromkeys(PARTS, 5), AS_READ: 38, "exactly 5": 38}
    assert verdicts_on(systems, parts)[2] == "holds"
    assert verdicts_on(systems, {**parts, "exactly 5": 0})[2] == "undecided"


def test_puzzles_are_weighed_apart() -> None:
    easy, *others = FEW
    runs = {
        (name, puzzle): runs_of(1000.0 if puzzle == easy else 100_000.0, 40)
        for name in ("one", "two")
        for puzzle in FEW
    }
    runs["one", easy] = runs_of(8000.0, 40)
    assert len(others) == 2
    assert Weighed(runs, 0.95).ratio("one", "two").value == pytest.approx(8 ** (1 / 3))


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["fails", "holds"], "holds"),
        (["fails", "undecided"], "undecided"),
        (["fails", "fails"], "fails"),
    ],
)
def test_one_case_proves_that_something_can_be(verdicts: list[Verdict], expected: Verdict) -> None:
    assert some_case(verdicts) == expected


def test_the_studies_have_every_part_every_setting_and_every_report() -> None:
    planned = studies(SMALL)
    assert len(planned["grid"].arms) == len(GRID) == 36
    assert {each.name for each in planned["parts"].arms} == set(PARTS)
    assert [each.name for each in planned["puzzles"].arms] == list(SYSTEMS)
    assert [each.name for each in planned["rivals"].arms] == list(RIVALS)
    budgets = {each.until for study in planned.values() for each in study.arms}
    assert len(budgets) == 1


def test_a_small_reproduction_settles_what_can_be_looked_up(found: Findings) -> None:
    verdicts = {claim.text: claim.verdict for claim in found.claims}
    assert verdicts["Boxes and givens are satisfied intrinsically."] == "holds"
    assert verdicts["A fitness of 0 is a solution."] == "holds"
    assert (
        verdicts["The mating pool can be filled with copies of one strong parent."] == "undecided"
    )


def test_what_is_about_our_reading_is_not_counted_as_a_claim(found: Findings) -> None:
    assert len(found.claims) == 11
    assert [claim.where.split(",")[0] for claim in found.observations] == [
        "uniform crossover",
        "swap mutation",
    ]


def test_the_page_names_every_puzzle_and_rival(found: Findings, tmp_path: Path) -> None:
    page = reproduction("004").page(found, SMALL)
    page.write_markdown(tmp_path / "004.md")
    text = (tmp_path / "004.md").read_text("utf-8")
    puzzles = [name.removeprefix("charles-") for name in PUZZLES]
    assert all(name in text for name in (*puzzles, *RIVALS, *PARTS, *SYSTEMS))
    assert not re.search(r"\b(nan|inf)\b", text)
    assert len(list(tmp_path.rglob("*.svg"))) == 7


def test_other_programs_get_the_figures_as_json(found: Findings) -> None:
    assert "sundy" in found.figures
    json.dumps(found.figures, allow_nan=False)
