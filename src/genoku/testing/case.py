"""An operator in a situation, and what is expected of every result."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np

from genoku.encoding import Boards, Encoding
from genoku.fitting import called
from genoku.problem import Problem
from genoku.stream import stream

POPULATION = 8
LOOKED_AT = 40  # boards of a large population that are checked one by one


class Case(NamedTuple):
    """An operator, what it works on, and the seed of its stream."""

    operator: Any
    problem: Problem
    encoding: Encoding
    seed: int

    def boards(self, count: int = POPULATION) -> Boards:
        """Random boards of the space, two of them twins."""
        boards = self.problem.space.sample(count, stream(self.seed, "boards"))
        boards[1] = boards[0]
        return boards

    def wrong(self, sentence: str) -> NoReturn:
        """Raise with the sentence and the situation."""
        puzzle = self.problem.puzzle
        raise AssertionError(
            f"{called(self.operator)}: {sentence} ({puzzle.side}×{puzzle.side}, "
            f"{puzzle.digits.count(0)} blanks, {called(self.encoding)}, seed {self.seed})"
        )

    def expect(self, is_so: object, what: str, got: object) -> None:
        """Raise unless it is so."""
        if not is_so:
            self.wrong(f"expected {what}, got {got}")

    def result(self, function: Callable[..., Any], *arguments: Any, draws: bool = True) -> Any:
        """What a function makes of arguments, problem and stream, called twice."""
        space = self.problem.space
        arrays = space.genes, space.groups, space.sizes, space.digits, space.choices
        watched = *arguments, *arrays, self.problem.puzzle.board
        before = copy.deepcopy(watched)
        generators = _generators()
        streams = [stream(self.seed, "operator") for _ in range(2)]
        results = []
        for rng in streams:
            try:
                results.append(function(*arguments, self.problem, *([rng] if draws else [])))
            except AssertionError:
                raise
            except Exception as error:
                self.wrong(f"expected no exception, got {type(error).__name__}: {error}")
        self.expect(equal(watched, before), "its inputs to stay as they were", "them changed")
        self.expect(
            _generators() == generators,
            "all randomness to come from rng",
            "draws from the generator of NumPy or of Python",
        )
        self.expect(
            equal(*results) and equal(*streams),
            "the same result from the same stream",
            "two: all randomness must come from rng, and nothing may be kept between calls",
        )
        return results[0]

    def expect_array(self, array: Any, dtype: type, shape: tuple[int, ...]) -> None:
        """Raise unless it is an array of that type and shape."""
        self.expect(isinstance(array, np.ndarray), "an array", type(array).__name__)
        self.expect(array.dtype == dtype, f"an array of {np.dtype(dtype)}", array.dtype)
        self.expect(array.shape == shape, f"an array of shape {shape}", array.shape)

    def expect_places(self, places: Any, bound: int, shape: tuple[int, ...]) -> None:
        """Raise unless these are indices below a bound."""
        self.expect_array(places, np.int64, shape)
        outside = places[(places < 0) | (places >= bound)]
        self.expect(not len(outside), f"places from 0 to {bound - 1}", outside)

    def expect_boards(self, boards: Any, count: int, old: Boards | None = None) -> None:
        """Raise unless these are boards of the space, in memory of their own."""
        puzzle, space = self.problem.puzzle, self.problem.space
        self.expect_array(boards, np.uint8, (count, puzzle.geometry.cells))
        if old is not None:
            self.expect(not np.shares_memory(boards, old), "new boards", "the old ones")
        self.expect(boards.flags.c_contiguous, "boards one after the other", "a view of others")
        self.expect(boards.flags.writeable, "boards that can be changed", "read-only ones")
        given = puzzle.board > 0
        kept = (boards == puzzle.board)[:, given].all()
        self.expect(kept, "the givens to be kept", "other digits in their place")
        for board in boards[:: -(-count // LOOKED_AT)]:
            if not space.contains(board):
                self.wrong(f"expected boards of {called(self.encoding)}, got {board.tolist()}")


def equal(one: Any, two: Any) -> bool:
    """Whether two results are the same, arrays and what holds them included."""
    if isinstance(one, np.ndarray):
        return isinstance(two, np.ndarray) and one.dtype == two.dtype and np.array_equal(one, two)
    if isinstance(one, tuple | list):
        return type(one) is type(two) and len(one) == len(two) and all(map(equal, one, two))
    if isinstance(one, dict):
        same_keys = isinstance(two, dict) and one.keys() == two.keys()
        return same_keys and all(equal(one[key], two[key]) for key in one)
    return bool(one == two)


def _generators() -> tuple[Any, ...]:
    """The state of the generators that everybody shares."""
    state: Any = np.random.get_state(legacy=True)
    return state[1].tobytes(), state[2:], random.getstate()
