"""The puzzles that solvers are measured on: bundled, generated, or of public sets in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks.measuring import SEED
from benchmarks.sections import Plan
from genoku.generator import PuzzleRequest, generate_many, random_grid
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.formats import read_puzzles
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.isomorph import shuffled
from genoku.runtime.random import permutation, stream

Kind = Literal["random", "pattern"]

SIXTEEN, TWENTY_FIVE = Geometry(4, 4), Geometry(5, 5)
PERCENTS = (55, 50, 45)
LEVELS = (30, 35, 40, 45, 50, 55)  # of the public 25×25 set

ORDINARY = (
    *("9x9-easy", "charles-moderate", "9x9-hard", "charles-easy", "9x9-medium"),
    *("charles-hard", "charles-basic", "poderosas-medium", "charles-very-hard"),
)
FAMOUS = (
    *("ai-escargot", "golden-nugget", "inkala-2012", "platinum-blonde", "easter-monster"),
    *("inkala-2010", "seventeen-1", "seventeen-2", "9x9-extreme"),
)


@dataclass(frozen=True)
class Size:
    """How much to measure: puzzles of 9×9 and of larger sides, and CPU seconds per puzzle."""

    small: int
    large: int
    small_budget: float
    large_budget: float


FULL, QUICK = Size(9, 3, 3.0, 2.5), Size(3, 1, 0.5, 1.5)


@dataclass(frozen=True)
class PuzzleSet:
    """Puzzles of a kind, and the CPU seconds for each."""

    key: str
    short: str
    title: str
    puzzles: tuple[Puzzle, ...]
    budget: float


def puzzle_sets(plan: Plan) -> list[PuzzleSet]:
    """Return all sets with permuted puzzles, so that tuning to a known order gains nothing."""
    size = QUICK if plan.quick else FULL
    named = bundled()
    ordinary = [named[name].puzzle for name in ORDINARY][: size.small]
    famous = [named[name].puzzle for name in FAMOUS][: size.small]
    hardest = sample(read_set(plan.puzzles, "hardest-375"), size.small, plan.seed)
    sixteens = sample(read_set(plan.puzzles, "16x16-unique"), size.large, plan.seed)
    public = by_percent(read_set(plan.puzzles, "25x25"), LEVELS)
    found = [
        ("ordinary", "9×9, ordinary", "9×9, ordinary, bundled", ordinary, size.small_budget),
        (
            "hard",
            "9×9, hard",
            "9×9, of the 375 hardest" if hardest else "9×9, famous for being hard, bundled",
            hardest or famous,
            size.small_budget,
        ),
        (
            "sixteen",
            "16×16, one solution",
            "16×16 with one solution, " + ("of a public set" if sixteens else "minimal, made here"),
            sixteens or generated_boards(PuzzleRequest(SIXTEEN), size.large, plan.seed),
            size.large_budget,
        ),
    ]
    for percent in PERCENTS[-1:] if plan.quick else PERCENTS:
        given = sample(public[percent], size.large, plan.seed)
        made_here = [random_boards(TWENTY_FIVE, percent, i, plan.seed) for i in range(size.large)]
        whose = "of a public set" if given else "made here"
        short = f"25×25, {percent} % given"
        title, boards = f"{short}, {whose}", given or made_here
        found.append((f"twentyfive-{percent}", short, title, boards, size.large_budget))
    return [
        PuzzleSet(
            key,
            short,
            title,
            tuple(shuffled(puzzle, plan.seed + number) for number, puzzle in enumerate(puzzles)),
            budget,
        )
        for key, short, title, puzzles, budget in found
    ]


def sample(puzzles: Sequence[Puzzle], count: int, seed: int) -> list[Puzzle]:
    """Draw a random sample of the puzzles, or shuffle all if there are fewer."""
    order = permutation(stream(seed, "bench", "drawn"), len(puzzles))[:count]
    return [puzzles[place] for place in order.tolist()]


def read_set(folder: Path | None, name: str) -> list[Puzzle]:
    """Read the puzzles of a public set, if the folder has it."""
    path = folder / f"{name}.txt" if folder else None
    if path is None or not path.exists():
        return []
    return [entry.puzzle for entry in read_puzzles(path)]


def puzzles_like(
    folder: Path | None, name: str, count: int, wanted: PuzzleRequest, at_most: int | None = None
) -> tuple[str, list[Puzzle]]:
    """Return the puzzles of a public set, or as many generated ones, and their name."""
    if found := read_set(folder, name):
        return name, found[:at_most]
    return f"like {name}, made", generated_boards(wanted, min(count, at_most or count), SEED)


def generated_boards(wanted: PuzzleRequest, count: int, seed: int) -> list[Puzzle]:
    """Generate boards."""
    return [one.puzzle for one in generate_many(wanted, count, seed=seed)]


def random_boards(
    geometry: Geometry, percent: int, index: int, seed: int, kind: Kind = "random"
) -> Puzzle:
    """Blank complete grids at random to a share of givens, with any number of solutions.

    The grid is found by random search, or it is a shuffled `pattern` as in the public 36×36 set.
    """
    rng = stream(seed, "benchmark", kind, str(geometry), percent, index)
    if kind == "pattern":
        board = shuffled(pattern(geometry), seed + 1000 * percent + index).board.copy()
    else:
        board = random_grid(geometry, rng)
    board[permutation(rng, geometry.cells)[round(percent / 100 * geometry.cells) :]] = 0
    return Puzzle(geometry, board.tobytes())


def pattern(geometry: Geometry) -> Puzzle:
    """Return the complete grid in which every row is a shift of the one above."""
    rows, columns = np.indices((geometry.side, geometry.side))
    moved = rows % geometry.box_rows * geometry.box_cols + rows // geometry.box_rows
    digits = (moved + columns) % geometry.side + 1
    return Puzzle(geometry, digits.astype(np.uint8).tobytes())


def by_percent(puzzles: Iterable[Puzzle], percents: Sequence[int]) -> dict[int, list[Puzzle]]:
    """Group puzzles by the nearest level of givens."""
    levels: dict[int, list[Puzzle]] = {percent: [] for percent in percents}
    for puzzle in puzzles:
        share = 100 * puzzle.givens / puzzle.geometry.cells
        levels[min(percents, key=lambda percent: abs(percent - share))].append(puzzle)
    return levels
