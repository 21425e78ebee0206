"""What a clerk says of a board: whether it holds together, how hard it is, what comes next.

The oracle is imported by those who ask it, so that the server, which only hands these functions
on, stays light.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from genoku.board import Puzzle
from genoku.errors import ImpossibleError, PuzzleError
from genoku.geometry import Geometry
from genoku.words import listed, plural

if TYPE_CHECKING:
    from genoku.exact import Count

MOST_SOLUTIONS = 10_000
COUNT_SECONDS = 5.0
LARGE = 17
"""From this side on two solutions are enough to know of: counting more takes seconds."""
MISTAKE_SECONDS = 2.0


def shape(box: str | None) -> Geometry | None:
    """The shape of the boxes, where one is said."""
    return Geometry.parse(box) if box else None


def checked(puzzle: str, box: str | None, count: bool, rate: bool) -> dict[str, Any]:
    """What is wrong with a puzzle, how many solutions it has, and how hard it is."""
    board = Puzzle.parse(puzzle, box=shape(box))
    conflicts = board.conflicts()
    answer: dict[str, Any] = {
        "givens": board.givens,
        "clashes": [
            {"cells": list(each.cells), "digit": each.digit, "words": f"{each}."}
            for each in conflicts
        ],
        "clashing": sorted({cell for each in conflicts for cell in each.cells}),
        "verdict": "clashes" if conflicts else "",
        "solutions": 0 if conflicts else None,
        "complete": bool(conflicts),
        "words": "No solution: givens clash." if conflicts else "",
        "rating": None,
    }
    if conflicts or not (count or rate):
        return answer
    from genoku import exact

    limit = MOST_SOLUTIONS if board.side < LARGE and count else 2
    counted = exact.count(board, limit, time_limit=COUNT_SECONDS)
    answer |= {
        "verdict": counted.verdict,
        "solutions": counted.solutions,
        "complete": counted.complete,
        "words": in_words(board, counted),
    }
    if rate and counted.verdict == "unique" and not board.is_full:
        answer["rating"] = _rated(board)
    return answer


def in_words(board: Puzzle, counted: Count) -> str:
    """What a count says about a board, to a person."""
    if counted.verdict == "unique":
        return "Full and right." if board.is_full else "Exactly one solution."
    if counted.verdict == "none":
        return "No solution: however the blanks are filled, digits clash."
    if counted.verdict == "several":
        said = plural(counted.solutions, "solution")
        return f"{said}." if counted.complete else f"At least {said}."
    if counted.solutions:
        return (
            f"One solution was found; {COUNT_SECONDS:g} seconds did not settle if it is the only."
        )
    return f"No solution was found in {COUNT_SECONDS:g} seconds, and none excluded."


def _rated(board: Puzzle) -> dict[str, Any]:
    from genoku import rating

    rated = rating.rate(board)
    return {
        "level": rated.level,
        "technique": rated.technique,
        "steps": rated.counts,
        "effort": rated.effort,
        "words": f"{rated.level.capitalize()}: {_needs(rated.technique)}.",
    }


def _needs(technique: str) -> str:
    if technique == "guess":
        return "no technique of the ladder is enough, one has to guess"
    return f"the hardest step needed is {technique}"


def hinted(
    puzzle: str, box: str | None, board: list[int] | None, removed: list[tuple[int, int]]
) -> dict[str, Any]:
    """The next step from where a solver stands, or why there is none."""
    from genoku import exact, techniques

    givens = Puzzle.parse(puzzle, box=shape(box))
    stand = givens if board is None else _standing(givens, board)
    if conflicts := stand.conflicts():
        clashing = sorted({cell for each in conflicts for cell in each.cells})
        return _no_step("clashes", f"Digits clash: {conflicts[0]}.", clashing)
    if stand.is_full:
        return _no_step("solved", "The board is full and right: nothing is left to do.")
    if wrong := _mistakes(givens, stand):
        names = listed(map(stand.geometry.cell_name, wrong))
        verb = "does" if len(wrong) == 1 else "do"
        return _no_step("mistake", f"{names} {verb} not fit the only solution.", wrong)
    if exact.solve(stand, time_limit=MISTAKE_SECONDS).stop_reason == "no solution":
        return _no_step("impossible", "No solution fits these digits: at least one is wrong.")
    options = stand.candidates()
    for cell, digit in removed:
        if cell >= stand.geometry.cells:
            raise PuzzleError(f"expected a cell from 0 to {stand.geometry.cells - 1}, got {cell}")
        options[cell].discard(digit)
    try:
        step = techniques.hint(stand, options)
    except ImpossibleError as error:
        return _no_step("impossible", f"{str(error)[:1].upper()}{str(error)[1:]}.")
    assert step is not None  # only a full board has none
    changed = [cell for cell, _ in (*step.placements, *step.eliminations)]
    return {
        "state": "step",
        "technique": step.technique,
        "level": techniques.technique(step.technique).level,
        "about": techniques.technique(step.technique).summary,
        "explanation": str(step),
        "cells": sorted(step.cells),
        "unit_cells": sorted(set(stand.geometry.units[list(step.units)].ravel().tolist())),
        "candidates": [
            {"cell": cell, "digits": sorted(options[cell])}
            for cell in sorted({*step.cells, *changed})
            if options[cell]
        ],
        "placements": [{"cell": cell, "digit": digit} for cell, digit in step.placements],
        "eliminations": [{"cell": cell, "digit": digit} for cell, digit in step.eliminations],
    }


def _standing(givens: Puzzle, board: list[int]) -> Puzzle:
    if any(not 0 <= digit <= givens.side for digit in board):
        raise PuzzleError(f"expected digits of the board from 0 to {givens.side}")
    stand = Puzzle(givens.geometry, bytes(board))
    for cell, (given, digit) in enumerate(zip(givens.digits, stand.digits, strict=True)):
        if given and digit != given:
            name = givens.geometry.cell_name(cell)
            raise PuzzleError(f"expected a board with the given {given} at {name}, got {digit}")
    return stand


def _mistakes(givens: Puzzle, stand: Puzzle) -> list[int]:
    """The cells that differ from the solution, where there is just one."""
    from genoku.exact import Search

    if stand == givens:
        return []
    search = Search(givens, MISTAKE_SECONDS)
    found = list(islice(search, 2))
    if len(found) != 1 or search.out_of_time:
        return []
    pairs = zip(stand.digits, found[0].tolist(), strict=True)
    return [cell for cell, (digit, right) in enumerate(pairs) if digit and digit != right]


def _no_step(state: str, words: str, cells: list[int] | None = None) -> dict[str, Any]:
    return {
        "state": state,
        "technique": "",
        "level": "",
        "about": "",
        "explanation": words,
        "cells": cells or [],
        "unit_cells": [],
        "candidates": [],
        "placements": [],
        "eliminations": [],
    }
