"""A run on disk: one file of plain arrays and a header in JSON, and no code."""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from reprlib import repr as short
from typing import Any, BinaryIO, get_args

import numpy as np
from numpy.typing import NDArray

from genoku import __version__
from genoku.board import Board
from genoku.encoding import Boards
from genoku.engine.history import Log
from genoku.errors import CheckpointError, GenokuError, RecipeError
from genoku.files import replacing_file
from genoku.problem import Problem
from genoku.recipe import Trust
from genoku.recipe.building import refuse_untrusted
from genoku.state import Finished, State

FORMAT = 2
ARRAYS = ("rng", "boards", "costs", "ids", "births")

Arrays = dict[str, Any]
Header = dict[str, Any]


def save(path: str | Path, header: Header, arrays: Arrays, state: State) -> None:
    """Write a checkpoint; a crash in the middle leaves the one before."""
    target = Path(path).resolve()  # a link stays a link
    if target.exists() and not target.is_file():
        raise CheckpointError(f"{path}: expected a file to save the run in, got something else")
    arrays = dict(arrays)
    head = {**header, "format": FORMAT, "genoku": __version__, "state": _packed(state, "", arrays)}
    text = json.dumps(head, ensure_ascii=False, default=_plain).encode()
    with replacing_file(target) as file:
        np.savez(file, header=np.frombuffer(text, np.uint8), **arrays)


def load(path: str | Path, *, any_version: bool = False) -> tuple[Header, Arrays, State]:
    """Read a checkpoint, or say why the file is none.

    One of another version is refused, since its run would not go on as it began; `any_version`
    goes on all the same.
    """
    with Path(path).open("rb") as file:
        try:
            arrays = _arrays(file)
            header = json.loads(arrays.pop("header").tobytes())
            found, version = header["format"], str(header["genoku"])
            state = _unpacked(header["state"], "", arrays) if found == FORMAT else None
        except Exception:  # whatever damage does to zip files, arrays and JSON
            raise CheckpointError(f"{path}: expected a checkpoint that genoku wrote") from None
    if state is None:
        raise CheckpointError(
            f"{path}: expected a checkpoint of format {FORMAT}, got format {short(found)} "
            f"(written by genoku {short(version)})"
        )
    if version != __version__ and not any_version:
        raise CheckpointError(
            f"{path}: expected a checkpoint of genoku {__version__}, got one of {version:.20}: its "
            "run may go on differently here; --any-version (any_version=True) allows it"
        )
    return header, arrays, state


def _arrays(file: BinaryIO) -> Arrays:
    """All arrays of a file. We never compress: together they are no larger than it is."""
    with zipfile.ZipFile(file) as packed:
        entries = packed.infolist()
        size = os.fstat(file.fileno()).st_size
        if any(each.compress_type for each in entries) or sum(e.file_size for e in entries) > size:
            raise ValueError("it is larger than its file")
        found = {each.filename.removesuffix(".npy"): BytesIO(packed.read(each)) for each in entries}
    return {
        name: np.lib.format.read_array(data, allow_pickle=False) for name, data in found.items()
    }


def _plain(value: Any) -> Any:
    """A NumPy number as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"expected plain data, got {value!r}")


def _packed(state: State, prefix: str, arrays: Arrays) -> Header:
    """Put a state's arrays beside the others and return the rest of it."""
    for name in ARRAYS:
        arrays[f"{prefix}state.{name}"] = getattr(state, name)
    for name, array in state.arrays.items():
        arrays[f"{prefix}state.arrays.{name}"] = array
    rest = {name: value for name, value in state._asdict().items() if name not in ARRAYS}
    rest["arrays"] = list(state.arrays)
    rest["inner"] = [_packed(inner, f"{prefix}{i}.", arrays) for i, inner in enumerate(state.inner)]
    return rest


def _unpacked(rest: Header, prefix: str, arrays: Arrays) -> State:
    inner = tuple(_unpacked(each, f"{prefix}{i}.", arrays) for i, each in enumerate(rest["inner"]))
    own = {name: arrays.pop(f"{prefix}state.{name}") for name in ARRAYS}
    more = {name: arrays.pop(f"{prefix}state.arrays.{name}") for name in rest["arrays"]}
    whole: Header = {**rest, **own, "arrays": more, "inner": inner}
    return State(**whole)


@contextmanager
def holding_together(path: str | Path, header: Header, trust: Trust) -> Iterator[None]:
    """Say of a file, in one line, what does not make sense in it."""
    try:
        refuse_untrusted(header.get("recipe"), trust)
    except RecipeError as error:
        raise CheckpointError(f"{path}: {error}") from None
    try:
        yield
    except KeyError as error:
        raise CheckpointError(f"{path}: the checkpoint lacks its {error}") from None
    except Exception as error:  # whatever makes no sense in it
        said = str(error) if isinstance(error, GenokuError) else f"{type(error).__name__}: {error}"
        raise CheckpointError(f"{path}: the checkpoint does not hold together: {said}") from None


def refuse_few_boards(recipe: Any, state: State) -> None:
    """Raise if a state has fewer boards than its recipe asks for."""
    if _boards_in(recipe) > _boards_of(state):
        raise CheckpointError("it has fewer boards than its recipe says")


def checked_board(board: Board, problem: Problem) -> Board:
    """The best board, if it is one."""
    if not (_are_boards(board[None], problem) and problem.costs(board[None])[0] >= 0):
        raise CheckpointError("its best board is none")
    return board


def _boards_in(recipe: Any) -> int:
    """How many boards a state has at least, by its recipe: so many must be in the file."""
    if not isinstance(recipe, dict) or ":" in recipe["use"]:  # nobody knows of a user's own
        return 1
    inner = max(int(recipe.get("population", 1)), _boards_in(recipe.get("algorithm")))
    return inner * int(recipe.get("islands", 1))


def _boards_of(state: State) -> int:
    return max(len(state.boards), sum(map(_boards_of, state.inner)))


def number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CheckpointError(f"expected a number, got {value!r}")
    return value


def _count(value: Any) -> None:
    if not isinstance(number(value), int) or not 0 <= value < 2**62:
        raise CheckpointError(f"expected a whole number from 0 on, got {value!r}")


def log(column: int, rows: NDArray[np.int64]) -> Log:
    if rows.ndim != 2 or rows.dtype != np.int64:
        raise CheckpointError("what it says of individuals is no table")
    read = Log(column)
    if rows.size:
        read.add(rows)
    return read


def _are_boards(boards: Boards, problem: Problem) -> bool:
    return (
        boards.dtype == np.uint8
        and boards.ndim == 2
        and boards.shape[1] == problem.puzzle.geometry.cells
        and all(problem.space.contains(board) for board in boards)
    )


def check(problem: Problem, state: State, fresh: State) -> None:
    """Refuse a state that no run can have come to: kernels trust what they are given.

    `fresh` is a new start of the same algorithm, which has arrays of the same kinds and shapes.
    """
    if _kinds(state) != _kinds(fresh) or len(state.inner) != len(fresh.inner):
        raise CheckpointError("its arrays are not those of its recipe")
    if not _are_boards(state.boards, problem):
        raise CheckpointError("its boards are none of this puzzle")
    if not np.array_equal(problem.costs(state.boards), state.costs):
        raise CheckpointError("its boards do not have the costs it says")
    if state.births.ndim != 2 or state.births.dtype != np.int64:
        raise CheckpointError("its births are no table")
    if state.finished not in get_args(Finished):
        raise CheckpointError(f"its end is none: {state.finished!r}")
    if not set(fresh.memory) <= set(state.memory):
        raise CheckpointError("its memory is not that of its recipe")
    for value in state.memory.values():
        number(value)
    for count in (state.step, state.evaluations, state.moves, state.born):
        _count(count)
    for inner, beside in zip(state.inner, fresh.inner, strict=True):
        check(problem, inner, beside)


def _kinds(state: State) -> dict[str, tuple[object, ...]]:
    own: dict[str, NDArray[Any]] = {
        "rng": state.rng,
        "boards": state.boards,
        "costs": state.costs,
        "ids": state.ids,
    }
    return {name: (array.dtype, array.shape) for name, array in {**own, **state.arrays}.items()}
