"""Report 004, Jonathen Sundy, which measures nothing: a run, its pool, masks, swaps and rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.engine.history import Record
from genoku.engine.run import View, run
from genoku.evolve.encoding import Boards
from genoku.evolve.operators.selection import Mates
from genoku.evolve.presets import preset
from genoku.evolve.problem import Problem
from genoku.evolve.state import State
from genoku.exact.oracle import solve
from genoku.lab.experiments.outputs import Chapter, Experiment, Output
from genoku.lab.experiments.runs import FinishedRun, PlannedRun, Request
from genoku.lab.report.charts import BoardGallery, BoardPicture, LineChart, Series, numbers
from genoku.lab.report.page import Cell, Column, Figure, Part, Table
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.resolve import resolve
from genoku.reports import reports
from genoku.runtime.random import stream

PRESET = "sundy"
PUZZLE = "charles-basic"  # the report names no puzzle; it is printed in three of the others
SEED = 2  # of a run that solves it; about half of them do
SHOWN = 5  # children with their masks
FIRST, SECOND, SWAPPED = "#cfe1f2", "#fbd9bd", "#ffd75f"  # colours of cells
COUNTED = 40  # boards whose swaps are counted

ABOUT = """\
The report describes a solver and measures nothing, so this shows one run of it at work: on the
puzzle that three of the other reports print, with a population of 500 and probabilities that are
our choice, since the report gives none. Where its text has a number, ours stands beside it."""
POOL = """\
Every place of the mating pool goes to the better of two chromosomes drawn at random, so the pool is
better than the population, and a strong chromosome has several places. The report warns that one
could fill it: the figure has the share of the pool that the most frequent chromosome holds."""
MASKS = """\
A child takes sub-grids with a 1 from its first parent, those with a 0 from its second. These are
crossings of the first generation; sub-grids are numbered row by row."""
RULE = """\
A swap of two digits is allowed if they appear at most {limit} times where they would go, each in
the row and the column of the other. Two cells in one row or column affect three vectors, others
four."""


class Swap(NamedTuple):
    """Two blanks of a sub-grid, and how often their digits appear where they would go."""

    first: int
    second: int
    vectors: int
    appearances: int


def experiment(request: Request) -> Experiment:
    """Show one run, or with more seeds the first of them that solves the puzzle."""
    puzzle = resolve(PUZZLE).puzzle
    seeds = range(1, request.seeds + 1) if request.seeds else (SEED,)
    planned = tuple(PlannedRun(PRESET, puzzle, seed) for seed in seeds)

    def make(finished: Sequence[FinishedRun]) -> list[Part | Output]:
        best = next((each for each in finished if each.solved), finished[0])
        return [*_run_parts(finished, best), *_parts_of_generations(puzzle, best.planned.seed)]

    title = "Report 004, Jonathen Sundy: a run, with what its text describes"
    return Experiment(title, ABOUT, (Chapter("One run", planned, make),))


def _run_parts(finished: Sequence[FinishedRun], best: FinishedRun) -> Iterator[Part | Output]:
    """The runs as a table, the fitness of one by generation, and its best board."""
    rows = tuple(
        (each.planned.seed, each.steps, each.evaluations, each.score, each.solved)
        for each in finished
    )
    columns = ("seed", "generations", "evaluations", "fitness", "solved")
    yield Output("runs", Table(columns, rows, "Runs; a fitness of 0 is a solution"), prints=True)
    x = numbers(best.generations)
    curves = (
        Series("mean", x, numbers(best.mean), colour=1),
        Series("best", x, numbers(best.best), colour=0),
    )
    title = f"Fitness of the run with seed {best.planned.seed}"
    yield Output("fitness", Figure(LineChart(title, "generation", "fitness", curves)))
    puzzle = best.planned.puzzle
    caption = f"chromosome 0 in generation {best.steps}, fitness {best.score:g}"
    boards = (BoardPicture("the sudoku", puzzle), BoardPicture(caption, puzzle, best.board))
    yield Output("board", Figure(BoardGallery("The sudoku and the best chromosome", boards)))


def _parts_of_generations(puzzle: Puzzle, seed: int) -> Iterator[Part | Output]:
    """The pool of all generations; the masks, swaps and the rule in the first."""
    algorithm: Any = preset(PRESET).build()
    shares: list[float] = []
    first: list[State] = []

    def watch(view: View) -> None:
        state = view.state
        if not first:
            first.append(state)
        rng = stream(seed, "pool", state.step)
        pool = algorithm.selection.inner(state.costs, len(state.costs), 1, view.problem, rng)
        _, copies = np.unique(state.boards[pool.ravel()], axis=0, return_counts=True)
        shares.append(float(copies.max()) / len(pool))

    record = Record(fields=("gen",), every=10**6)
    until = preset(PRESET).until
    problem = run(puzzle, algorithm, seed=seed, until=until, watch=watch, record=record).problem
    yield POOL
    yield Output("pool", Figure(_pool_chart(shares)))

    state = first[0]
    rng = stream(seed, "generation")
    mates = algorithm.selection(state.costs, len(state.costs), 2, problem, rng)
    children = replace(algorithm.crossover, rate=1.0)(state.boards, mates, problem, rng)
    masks = [
        _mask(puzzle.geometry, child, state.boards[one], state.boards[two])
        for (one, two), child in zip(mates.tolist(), children, strict=True)
    ]
    yield MASKS
    yield Output("masks", _mask_table(problem, state, mates, masks, children), prints=True)
    yield Output("crossover", Figure(_family(problem, state, mates[0], children[0])))

    limit = algorithm.mutation.limit
    mutants = algorithm.mutation(children, 1.0, problem, rng)
    place = next(place for place, child in enumerate(children) if (child != mutants[place]).any())
    child, mutant = children[place], mutants[place]
    box = int(puzzle.geometry.box_of[np.flatnonzero(child != mutant)[0]])
    yield RULE.format(limit=limit)
    yield Output("mutation", Figure(_mutation(problem, child, mutant)))
    yield Output("swaps", _swap_table(problem, limit, child, box))
    yield Output("numbers", _numbers(problem, limit, state.boards, masks), prints=True)


def _pool_chart(shares: Sequence[float]) -> LineChart:
    generations = numbers(np.arange(len(shares)))
    curve = Series("the most frequent chromosome", generations, numbers(shares), colour=0)
    title = "Share of the mating pool that one chromosome holds"
    return LineChart(title, "generation", "share of the pool", (curve,), y_limits=(0, 1))


# Crossover


def _mask(geometry: Geometry, child: Board, one: Board, two: Board) -> str:
    """1 where a sub-grid comes from the first parent, 0 from the second, = if they are alike."""
    bits = ""
    for cells in geometry.units[2 * geometry.side :]:
        alike = np.array_equal(one[cells], two[cells])
        first = np.array_equal(child[cells], one[cells])
        bits += "=" if alike else str(int(first))
    return bits


def _mask_table(
    problem: Problem, state: State, mates: Mates, masks: Sequence[str], children: Boards
) -> Table:
    """The first matings: the fitness of both parents, the mask, and the child."""
    costs = problem.costs(children[:SHOWN]).tolist()
    rows = tuple(
        (int(state.costs[one]), int(state.costs[two]), mask, mask.count("1"), cost)
        for (one, two), mask, cost in zip(mates[:SHOWN].tolist(), masks[:SHOWN], costs, strict=True)
    )
    columns = (
        Column("first parent", "fitness"),
        Column("second parent", "fitness"),
        Column("mask", align="left"),
        "ones",
        Column("child", "fitness"),
    )
    return Table(columns, rows, "Crossover masks of the first children")


def _family(problem: Problem, state: State, mates: NDArray[np.int64], child: Board) -> BoardGallery:
    """Two parents, a colour each, and their child, whose sub-grids show where they come from."""
    one, two = (state.boards[place] for place in mates)
    cells = problem.puzzle.geometry.cells
    origin = np.empty(cells, object)
    origin[:] = FIRST
    for box in problem.puzzle.geometry.units[2 * problem.puzzle.side :]:
        if not np.array_equal(child[box], one[box]):
            origin[box] = SECOND
    pictures = (
        _picture(problem, "first parent", one, [FIRST] * cells),
        _picture(problem, "second parent", two, [SECOND] * cells),
        _picture(problem, "child", child, origin.tolist()),
    )
    return BoardGallery("Two parents and their child", pictures)


def _picture(
    problem: Problem, name: str, board: Board, grounds: Sequence[str | None]
) -> BoardPicture:
    cost = int(problem.costs(board[None])[0])
    caption = f"{name}, fitness {cost}"
    return BoardPicture(caption, problem.puzzle, board.tobytes(), tuple(grounds))


# Mutation


def swaps_of(geometry: Geometry, board: Board, blanks: Sequence[int]) -> Iterator[Swap]:
    """All swaps of two blanks of a sub-grid, with the appearances that the rule counts."""
    rows, columns = geometry.units[: geometry.side], geometry.units[geometry.side :]
    for first, second in combinations(blanks, 2):
        row, column = int(geometry.row_of[first]), int(geometry.column_of[first])
        other_row, other_column = int(geometry.row_of[second]), int(geometry.column_of[second])
        appearances = 0
        for digit, vectors in (
            (board[first], (rows[other_row], columns[other_column])),
            (board[second], (rows[row], columns[column])),
        ):
            appearances += sum(int((board[vector] == digit).sum()) for vector in vectors)
        shared = row == other_row or column == other_column
        yield Swap(first, second, 3 if shared else 4, appearances)


def _blanks(puzzle: Puzzle, box: int) -> list[int]:
    geometry = puzzle.geometry
    cells: list[int] = geometry.units[2 * geometry.side + box].tolist()
    return [cell for cell in cells if not puzzle.digits[cell]]


def _mutation(problem: Problem, before: Board, after: Board) -> BoardGallery:
    """A child before and after its mutation, with the swapped digits coloured."""
    grounds = [SWAPPED if moved else None for moved in (before != after).tolist()]
    boards = (
        _picture(problem, "child", before, grounds),
        _picture(problem, "mutated", after, grounds),
    )
    return BoardGallery("A child before and after its mutation", boards)


def _swap_table(problem: Problem, limit: int, board: Board, box: int) -> Table:
    """All swaps of a sub-grid under the rule."""
    geometry = problem.puzzle.geometry
    rows: list[tuple[Cell, ...]] = []
    for swap in swaps_of(geometry, board, _blanks(problem.puzzle, box)):
        names = " and ".join(geometry.cell_name(cell) for cell in (swap.first, swap.second))
        digits = f"{board[swap.first]} and {board[swap.second]}"
        allowed = swap.appearances <= limit
        rows.append((names, digits, swap.vectors, swap.appearances, allowed))
    columns = (
        Column("positions", align="left"),
        Column("digits", align="right"),
        "vectors",
        "appearances",
        "allowed",
    )
    return Table(columns, tuple(rows), f"The swaps of sub-grid {box + 1} under the rule")


def _numbers(problem: Problem, limit: int, boards: Boards, masks: Sequence[str]) -> Table:
    """The numbers of the report's text beside those counted in the run's first generation."""
    report, geometry = reports()["004"], problem.puzzle.geometry
    solution = solve(problem.puzzle).board
    assert solution is not None
    solved = [
        swap.appearances
        for cells in geometry.units[2 * geometry.side :].tolist()
        for swap in swaps_of(geometry, solution, cells)
        if swap.vectors == 4
    ]
    tried = [
        swap
        for board in boards[:COUNTED]
        for box in range(geometry.side)
        for swap in swaps_of(geometry, board, _blanks(problem.puzzle, box))
    ]
    fewest = {
        vectors: min(swap.appearances for swap in tried if swap.vectors == vectors)
        for vectors in (3, 4)
    }
    counts = np.array([swap.appearances for swap in tried])
    ours: dict[str, Cell] = {
        "constraints": 2 * geometry.side,
        "mask": len(masks[0]),
        "crossing-points": float(np.mean([mask.count("1") for mask in masks if "=" not in mask])),
        "optimal-appearances": fewest[4],
        "optimal-appearances-three-vectors": fewest[3],
        "solved-appearances": _span(solved),
        "allowed-appearances": f"{np.mean(counts <= limit):.0%} of swaps",
    }
    said = {each.id: each.text for each in report.values}
    rows = tuple((said[name], report.value(name), value) for name, value in ours.items())
    columns = ("", Column("printed", align="right"), Column("ours", align="right"))
    return Table(columns, rows, "The numbers of its text")


def _span(values: Sequence[int]) -> Cell:
    low, high = min(values), max(values)
    return low if low == high else f"{low} to {high}"
