"""Boards for the tests, and how hypothesis draws them."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings, strategies as st
from patience import PATIENCE

from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import MAX_SIDE, Geometry
from genoku.runtime.jit import JIT_IS_ON

DATA = Path(__file__).parent / "data"

EXAMPLES = float(os.environ.get("GENOKU_EXAMPLES", "0.4"))
"""Times the examples that a property asks for: few in the suite, many before a release."""


def examples(number: int) -> settings:
    """Draw `number` examples for a property, times `EXAMPLES`, and different ones each time."""
    return settings(max_examples=max(3, round(number * EXAMPLES)))


EVERY_GEOMETRY = [
    Geometry(rows, columns)
    for rows in range(2, MAX_SIDE // 2 + 1)
    for columns in range(2, MAX_SIDE // rows + 1)
]
FOUR, SIX, NINE, SIXTEEN = (Geometry.of_side(side) for side in (4, 6, 9, 16))
UP_TO_NINE = [geometry for geometry in EVERY_GEOMETRY if geometry.side <= 9]
SEVERAL = [Geometry.parse(box) for box in ("2x2", "2x3", "3x2", "2x4", "3x3", "3x4", "4x4")]

every_geometry = pytest.mark.parametrize("geometry", EVERY_GEOMETRY, ids=lambda g: g.box)
several_geometries = pytest.mark.parametrize("geometry", SEVERAL, ids=lambda g: g.box)

seeds = st.integers(0, 2**32 - 1)


def pattern_grid(geometry: Geometry) -> Puzzle:
    """A full board, as symmetric as boards get: every row the one before, shifted."""
    rows, columns, side = geometry.box_rows, geometry.box_cols, geometry.side
    shifts = [row % rows * columns + row // rows for row in range(side)]
    digits = [(shift + column) % side + 1 for shift in shifts for column in range(side)]
    return Puzzle(geometry, bytes(digits))


def with_digits(puzzle: Puzzle, changes: dict[int, int]) -> Puzzle:
    """The puzzle with other digits in some cells; 0 takes a given away."""
    digits = bytearray(puzzle.digits)
    for cell, digit in changes.items():
        digits[cell] = digit
    return Puzzle(puzzle.geometry, bytes(digits))


@st.composite
def any_puzzles(draw: st.DrawFn, geometries: list[Geometry]) -> Puzzle:
    """Any digits at all, clashes included; through a seed, so that large boards stay cheap."""
    geometry = draw(st.sampled_from(geometries))
    random = draw(st.randoms(use_true_random=False))
    share = draw(st.floats(0, 1))
    digits = [random.randint(1, geometry.side) for _ in range(geometry.cells)]
    return Puzzle(geometry, bytes(d if random.random() < share else 0 for d in digits))


@st.composite
def grids(draw: st.DrawFn, geometries: list[Geometry]) -> Puzzle:
    """Random full boards without a clash."""
    from genoku.generator import random_grid
    from genoku.runtime.random import stream

    geometry = draw(st.sampled_from(geometries))
    return Puzzle(geometry, random_grid(geometry, stream(draw(seeds), "test")).tobytes())


@st.composite
def solvable_puzzles(
    draw: st.DrawFn, geometries: list[Geometry], least: float = 0.0
) -> tuple[Puzzle, Puzzle]:
    """A puzzle with at least that share of givens, and a grid that solves it, perhaps not alone."""
    grid = draw(grids(geometries))
    share = draw(st.floats(least, 1))
    random = draw(st.randoms(use_true_random=False))
    digits = bytes(d if random.random() < share else 0 for d in grid.digits)
    return Puzzle(grid.geometry, digits), grid


@st.composite
def doubtful_puzzles(draw: st.DrawFn, geometries: list[Geometry], least: float = 0.0) -> Puzzle:
    """A solvable puzzle with a few digits changed: none, one or many solutions."""
    puzzle, _ = draw(solvable_puzzles(geometries, least))
    cells = st.integers(0, puzzle.geometry.cells - 1)
    return with_digits(
        puzzle, draw(st.dictionaries(cells, st.integers(0, puzzle.side), max_size=2))
    )


@cache
def all_4x4_grids() -> tuple[bytes, ...]:
    """All 288, from all ways to stack four rows: nothing of ours is asked."""
    rows = list(permutations((1, 2, 3, 4)))

    def boxes_hold(upper: tuple[int, ...], lower: tuple[int, ...]) -> bool:
        return len({*upper[:2], *lower[:2]}) == len({*upper[2:], *lower[2:]}) == 4

    bands = [(a, b) for a in rows for b in rows if boxes_hold(a, b)]
    return tuple(
        bytes(a + b + c + d)
        for a, b in bands
        for c, d in bands
        if all(len(set(column)) == 4 for column in zip(a, b, c, d, strict=True))
    )


def known_answers(name: str) -> list[list[str]]:
    """The fields of every line of a data file, without its comments."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def in_another_process(program: str, **environment: str) -> str:
    """What a program prints in a Python of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def printed_with_compiler(program: str) -> str:
    """What a program prints where kernels are compiled: in this process, if they are."""
    if not JIT_IS_ON:
        return in_another_process(program, NUMBA_DISABLE_JIT="0")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(program, "<program>", "exec", dont_inherit=True), {"__name__": "__main__"})
    return printed.getvalue().strip()


def in_python(kernel: Any) -> Any:
    """A kernel as the plain function it was, also where nothing is compiled."""
    return getattr(kernel, "py_func", kernel)
