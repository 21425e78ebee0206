"""The ladder: each technique by hand, soundness, invariance, paths and hints."""

from __future__ import annotations

import random
from pathlib import Path as File

import numpy as np
import pytest
from hard_boards import EMPTY, HARDEST_NEEDED, INKALA_2012, NINE
from hypothesis import given, strategies as st
from strategies import examples, pattern_grid

from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.techniques import LADDER, LEVELS, SolvePath, Step, hint, solve_path, technique
from genoku.techniques.grid import Grid

GEOMETRIES = [Geometry(2, 2), Geometry(2, 3), Geometry(3, 2), Geometry(2, 4), NINE, Geometry(3, 4)]


def cell(name: str) -> int:
    row, column = name[1:].split("c")
    return (int(row) - 1) * 9 + int(column) - 1


def candidates(text: str, *confined: str) -> list[set[int]]:
    """All nine digits in every cell, but for a few cells and a few digits of a unit.

    `"r1c1=25 r1c2=3"` says what cells can hold; `"5 row 1: r1c2 r1c7"` where a digit fits.
    """
    found = [set(range(1, 10)) for _ in range(81)]
    for part in text.split():
        name, digits = part.split("=")
        found[cell(name)] = set(map(int, digits))
    for part in confined:
        where, names = part.split(":")
        digits, unit = where.split(" ", 1)
        number = next(u for u in range(27) if NINE.unit_name(u) == unit)
        places = set(map(cell, names.split()))
        for other in set(NINE.units[number].tolist()) - places:
            found[other] -= set(map(int, digits))
    return found


# Positions worked out by hand: what is confined, and what each technique must remove.
POSITIONS = {
    "pointing": (candidates("", "5 box 1: r1c1 r1c2"), "5: r1c4 r1c5 r1c6 r1c7 r1c8 r1c9"),
    "claiming": (candidates("", "5 column 1: r1c1 r3c1"), "5: r1c2 r1c3 r2c2 r2c3 r3c2 r3c3"),
    "naked pair": (
        candidates("r4c1=25 r4c6=25"),
        "25: r4c2 r4c3 r4c4 r4c5 r4c7 r4c8 r4c9",
    ),
    "hidden pair": (candidates("", "25 row 4: r4c1 r4c6"), "1346789: r4c1 r4c6"),
    "naked triple": (
        candidates("r1c4=12 r4c4=23 r7c4=13"),
        "123: r2c4 r3c4 r5c4 r6c4 r8c4 r9c4",
    ),
    "hidden triple": (candidates("", "123 row 4: r4c1 r4c4 r4c7"), "456789: r4c1 r4c4 r4c7"),
    "naked quad": (
        candidates("r4c1=12 r4c4=23 r4c7=34 r4c8=14"),
        "1234: r4c2 r4c3 r4c5 r4c6 r4c9",
    ),
    "hidden quad": (
        candidates("", "1234 column 4: r1c4 r4c4 r7c4 r8c4"),
        "56789: r1c4 r4c4 r7c4 r8c4",
    ),
    "X-wing": (
        candidates("", "5 row 1: r1c2 r1c7", "5 row 5: r5c2 r5c7"),
        "5: r2c2 r3c2 r4c2 r6c2 r7c2 r8c2 r9c2 r2c7 r3c7 r4c7 r6c7 r7c7 r8c7 r9c7",
    ),
    "swordfish": (
        candidates("", "5 column 1: r1c1 r5c1", "5 column 4: r5c4 r9c4", "5 column 7: r1c7 r9c7"),
        " ".join(["5:", *(f"r{r}c{c}" for r in (1, 5, 9) for c in (2, 3, 5, 6, 8, 9))]),
    ),
    "jellyfish": (
        candidates("", *(f"5 row {r}: r{r}c1 r{r}c4 r{r}c7 r{r}c8" for r in (1, 2, 4, 7))),
        " ".join(["5:", *(f"r{r}c{c}" for r in (3, 5, 6, 8, 9) for c in (1, 4, 7, 8))]),
    ),
    "turbot fish": (
        candidates("", "5 row 1: r1c2 r1c5", "5 row 6: r6c2 r6c6"),
        "5: r4c5 r5c5 r2c6 r3c6",
    ),
    "simple colouring": (
        candidates(
            "",
            *("5 row 1: r1c2 r1c5", "5 row 5: r5c5 r5c8", "5 row 9: r9c8 r9c3"),
            *("5 column 5: r1c5 r5c5", "5 column 8: r5c8 r9c8"),
        ),
        "5: r2c3 r3c3 r7c2 r8c2",
    ),
    "XY-wing": (candidates("r1c1=12 r1c5=13 r5c1=23"), "3: r5c5"),
    "XYZ-wing": (candidates("r1c1=123 r2c2=13 r1c5=23"), "3: r1c2 r1c3"),
    "W-wing": (candidates("r1c1=12 r5c5=12", "1 column 9: r1c9 r5c9"), "2: r1c5 r5c1"),
    "X-chain": (
        candidates("", "5 row 1: r1c2 r1c5", "5 row 5: r5c5 r5c8", "5 row 9: r9c8 r9c3"),
        "5: r2c3 r3c3 r7c2 r8c2",
    ),
    "XY-chain": (candidates("r1c1=12 r1c5=23 r5c5=34 r5c9=14"), "1: r1c9 r5c1"),
    "alternating chain": (
        candidates("r1c1=12", "2 column 9: r1c9 r6c9", "1 row 6: r6c9 r6c4"),
        "1: r1c4",
    ),
}


def shuffled(puzzle: Puzzle, rng: random.Random) -> Puzzle:
    """A random isomorph by plain means, transposed (with its boxes) half of the time."""
    geometry = puzzle.geometry
    side = geometry.side

    def lines(size: int) -> list[int]:
        bands = [[start + i for i in range(size)] for start in range(0, side, size)]
        for band in bands:
            rng.shuffle(band)
        rng.shuffle(bands)
        return [line for band in bands for line in band]

    digits = np.array([0, *rng.sample(range(1, side + 1), side)], np.uint8)
    grid = digits[puzzle.board].reshape(side, side)
    grid = grid[lines(geometry.box_rows)][:, lines(geometry.box_cols)]
    if rng.random() < 0.5:
        grid, geometry = grid.T, Geometry(geometry.box_cols, geometry.box_rows)
    return Puzzle(geometry, grid.tobytes())


def blanked(geometry: Geometry, rng: random.Random) -> tuple[Puzzle, Puzzle]:
    """A random full board, and a puzzle that it solves, perhaps not alone."""
    full = shuffled(pattern_grid(geometry), rng)
    share = rng.uniform(0.3, 0.7)
    digits = bytes(digit if rng.random() < share else 0 for digit in full.digits)
    return full, Puzzle(full.geometry, digits)


def summary(path: SolvePath) -> tuple[object, ...]:
    """All of a path that an isomorph must share."""
    rounds = [(steps[0].technique, len(steps)) for steps in path.rounds]
    return rounds, path.counts, path.is_solved, path.reached.givens


def assert_sound(path: SolvePath, solution: Puzzle) -> None:
    for step in path.steps:
        assert all(solution.digits[at] == digit for at, digit in step.placements), str(step)
        assert all(solution.digits[at] != digit for at, digit in step.eliminations), str(step)


def test_the_ladder_names_each_technique_once_and_climbs_through_the_levels() -> None:
    assert len({one.name for one in LADDER}) == len(LADDER)
    levels = [LEVELS.index(one.level) for one in LADDER]
    assert levels == sorted(levels)
    assert set(levels) == set(range(len(LEVELS)))
    assert [technique(one.name).rank for one in LADDER] == list(range(len(LADDER)))


def test_the_documentation_explains_every_technique_in_the_words_of_the_ladder() -> None:
    page = (File(__file__).parent.parent / "docs" / "rating.md").read_text(encoding="utf-8")
    for one in LADDER:
        assert f"| {one.rank + 1} | {one.name} | {one.level} | {one.summary} |" in page


def test_every_technique_has_a_position_worked_out_by_hand() -> None:
    placing = {"full house", "hidden single in box", "hidden single in line", "naked single"}
    assert {one.name for one in LADDER} == {*POSITIONS, *placing, "guess"}


@pytest.mark.parametrize("name", POSITIONS)
def test_technique_removes_exactly_what_its_pattern_forbids(name: str) -> None:
    position, expected = POSITIONS[name]
    digits, names = expected.split(":")
    removed = {(cell(at), int(digit)) for at in names.split() for digit in digits}
    steps = solve_path(EMPTY, position).rounds[0]
    assert {step.technique for step in steps} == {name}
    assert {one for step in steps for one in step.eliminations} == removed
    assert not any(step.placements for step in steps)


@pytest.mark.parametrize(
    ("position", "explained"),
    [
        (
            candidates("", "7 box 3: r2c8"),
            "Hidden single in box: 7 fits nowhere else in box 3, so r2c8 is 7.",
        ),
        (
            candidates("", "7 row 2: r2c8"),
            "Hidden single in line: 7 fits nowhere else in row 2, so r2c8 is 7.",
        ),
        (
            candidates("r2c8=7"),
            "Naked single: every other digit is ruled out in r2c8, so r2c8 is 7.",
        ),
        (
            POSITIONS["pointing"][0],
            "Pointing: in box 1, 5 fits only in row 1, so it goes nowhere else in row 1: "
            "remove 5 from r1c4, r1c5, r1c6, r1c7, r1c8 and r1c9.",
        ),
        (
            candidates("r4c1=25 r4c6=25", "2 row 4: r4c1 r4c2 r4c6", "5 row 4: r4c1 r4c6 r4c9"),
            "Naked pair: r4c1 and r4c6 can only hold 2 and 5, so no other cell of row 4 can: "
            "remove 2 from r4c2, 5 from r4c9.",
        ),
        (
            POSITIONS["turbot fish"][0],
            "Turbot fish: 5 has two places in row 1 and two in row 6, and r1c2 and r6c2 cannot "
            "both hold it, so r1c5 or r6c6 does: remove 5 from r2c6, r3c6, r4c5 and r5c5.",
        ),
        (
            POSITIONS["XY-wing"][0],
            "XY-wing: r1c1 is 1 or 2, r1c5 1 or 3, r5c1 2 or 3; whichever r1c1 is, one of r1c5 and "
            "r5c1 is 3, so a cell that sees them is not: remove 3 from r5c5.",
        ),
        (
            POSITIONS["XYZ-wing"][0],
            "XYZ-wing: r1c1 is 1, 2 or 3, r1c5 2 or 3, r2c2 1 or 3; whichever r1c1 is, one of "
            "r1c1, r1c5 and r2c2 is 3, so a cell that sees them is not: remove 3 from r1c2 and "
            "r1c3.",
        ),
        (
            POSITIONS["alternating chain"][0],
            "Alternating chain: if r1c4 = 1, then r1c1 ≠ 1, so r1c1 = 2, so r1c9 ≠ 2, "
            "so r6c9 = 2, so r6c9 ≠ 1, so r6c4 = 1, so r1c4 ≠ 1, which contradicts it: "
            "remove 1 from r1c4.",
        ),
    ],
)
def test_hint_explains_the_step_in_plain_words(position: list[set[int]], explained: str) -> None:
    assert str(hint(EMPTY, position)) == explained


def test_full_house_is_the_last_blank_of_a_unit() -> None:
    full = pattern_grid(NINE)
    puzzle = Puzzle(NINE, b"\0" + full.digits[1:])
    step = hint(puzzle)
    assert step is not None
    assert step.technique == "full house"
    assert str(step).startswith("Full house: ")


@pytest.mark.parametrize(("text", "name"), HARDEST_NEEDED.items(), ids=HARDEST_NEEDED.values())
def test_known_puzzle_needs_the_technique_recorded(text: str, name: str) -> None:
    assert solve_path(Puzzle.parse(text)).hardest.name == name


@pytest.mark.parametrize("text", HARDEST_NEEDED, ids=HARDEST_NEEDED.values())
def test_no_step_of_a_known_puzzle_contradicts_its_solution(text: str) -> None:
    from genoku.exact import oracle

    puzzle = Puzzle.parse(text)
    board = oracle.solve(puzzle).board
    assert board is not None
    path = solve_path(puzzle)
    assert_sound(path, Puzzle(puzzle.geometry, board.tobytes()))
    assert not path.is_solved or puzzle.is_solved_by(path.reached.board)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@examples(30)
@given(seed=st.integers(0, 2**32))
def test_no_step_ever_contradicts_any_solution_even_of_many(geometry: Geometry, seed: int) -> None:
    full, puzzle = blanked(geometry, random.Random(seed))
    assert_sound(solve_path(puzzle), full)


@pytest.mark.parametrize("text", HARDEST_NEEDED, ids=HARDEST_NEEDED.values())
def test_isomorphs_of_known_puzzles_take_the_same_path(text: str) -> None:
    rng = random.Random(text)
    puzzle = Puzzle.parse(text)
    expected = summary(solve_path(puzzle))
    for _ in range(8):
        assert summary(solve_path(shuffled(puzzle, rng))) == expected


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@examples(30)
@given(seed=st.integers(0, 2**32))
def test_isomorphs_of_any_puzzle_take_the_same_path(geometry: Geometry, seed: int) -> None:
    rng = random.Random(seed)
    _, puzzle = blanked(geometry, rng)
    assert summary(solve_path(shuffled(puzzle, rng))) == summary(solve_path(puzzle))


@examples(25)
@given(seed=st.integers(0, 2**32))
def test_every_step_changes_the_grid_and_is_distinct_within_its_round(seed: int) -> None:
    _, puzzle = blanked(NINE, random.Random(seed))
    grid = Grid(puzzle)
    for steps in solve_path(puzzle).rounds:
        assert len({step.technique for step in steps}) == 1
        assert len({(step.placements, step.eliminations) for step in steps}) == len(steps)
        for step in steps:
            effects = step.placements + step.eliminations
            assert effects
            assert all(grid.options[at] >> digit & 1 for at, digit in effects)
        for step in steps:
            grid.eliminate(step.eliminations)
            for at, digit in step.placements:
                grid.place(at, digit)


def test_path_of_a_hard_puzzle_says_where_it_got_stuck() -> None:
    path = solve_path(Puzzle.parse(INKALA_2012))
    assert not path.is_solved
    assert path.hardest.name == "guess"
    assert path.candidates == tuple(map(tuple, map(sorted, path.reached.candidates())))
    assert "60 blanks" in str(path)


def test_path_prints_its_steps_numbered() -> None:
    puzzle = Puzzle(Geometry(2, 2), bytes([1, 2, 3, 0, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]))
    assert str(solve_path(puzzle)) == "1. Full house: only r1c4 is blank in row 1, so r1c4 is 4."


def test_path_of_a_full_board_is_empty() -> None:
    path = solve_path(pattern_grid(NINE))
    assert path.is_solved
    assert path.rounds == ()
    assert path.hardest is LADDER[0]


def test_a_step_is_a_value_whose_repr_rebuilds_it() -> None:
    step = hint(EMPTY, POSITIONS["W-wing"][0])
    assert step is not None
    assert eval(repr(step), {"Step": Step, "Geometry": Geometry}) == step
    assert hash(step) == hash(step)
