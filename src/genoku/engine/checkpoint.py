"""Checkpoint files: plain arrays and a JSON header in one NumPy archive, without code."""

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

from genoku import RESULTS_VERSION, __version__
from genoku.engine.history import Log
from genoku.errors import CheckpointError, GenokuError, RecipeError
from genoku.evolve.encoding import Boards
from genoku.evolve.problem import Problem
from genoku.evolve.recipe import Trust, refuse_untrusted
from genoku.evolve.state import Finished, State
from genoku.puzzle.board import Board
from genoku.runtime.files import atomic_writer

FORMAT = 2
ARRAYS = ("rng", "boards", "costs", "ids", "births")

Arrays = dict[str, Any]
Header = dict[str, Any]


def save(path: str | Path, header: Header, arrays: Arrays, state: State) -> None:
    """Write a checkpoint; a crash meanwhile leaves the previous one."""
    target = Path(path).resolve()  # a link stays a link
    if target.exists() and not target.is_file():
        raise CheckpointError(f"{path}: expected a regular file to save the run to")
    arrays = dict(arrays)
    head = {
        **header,
        "format": FORMAT,
        "results_version": RESULTS_VERSION,
        "genoku": __version__,
        "state": _pack(state, "", arrays),
    }
    text = json.dumps(head, ensure_ascii=False, default=_to_python).encode()
    with atomic_writer(target) as file:
        np.savez(file, header=np.frombuffer(text, np.uint8), **arrays)


def load(path: str | Path) -> tuple[Header, Arrays, State]:
    """Read a checkpoint.

    Raises CheckpointError if the file is no checkpoint, or of another results version, whose run
    would continue differently.
    """
    with Path(path).open("rb") as file:
        try:
            arrays = _arrays(file)
            header = json.loads(arrays.pop("header").tobytes())
            found, version = header["format"], str(header["genoku"])
            state = _unpack(header["state"], "", arrays) if found == FORMAT else None
        except Exception:  # damaged zip files, arrays or JSON raise anything
            raise CheckpointError(f"{path}: expected a checkpoint written by genoku") from None
    if state is None:
        raise CheckpointError(
            f"{path}: expected a checkpoint of format {FORMAT}, got format {short(found)} "
            f"(written by genoku {short(version)})"
        )
    results_version = header.get("results_version", 1)
    if results_version != RESULTS_VERSION:
        raise CheckpointError(
            f"{path}: expected a run of results version {RESULTS_VERSION}, got version "
            f"{short(results_version)}: it would continue differently; resume it with genoku "
            f"{version:.20}, which wrote it"
        )
    return header, arrays, state


def _arrays(file: BinaryIO) -> Arrays:
    """Read all arrays; a compressed file, which could expand without limit, is refused."""
    with zipfile.ZipFile(file) as packed:
        entries = packed.infolist()
        size = os.fstat(file.fileno()).st_size
        if any(each.compress_type for each in entries) or sum(e.file_size for e in entries) > size:
            raise ValueError("compressed content")
        found = {each.filename.removesuffix(".npy"): BytesIO(packed.read(each)) for each in entries}
    return {
        name: np.lib.format.read_array(data, allow_pickle=False) for name, data in found.items()
    }


def _to_python(value: Any) -> Any:
    """Convert a NumPy number to a Python number, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"expected plain data, got {value!r}")


def _pack(state: State, prefix: str, arrays: Arrays) -> Header:
    """Add the arrays of a state to `arrays` and return the rest as JSON."""
    for name in ARRAYS:
        arrays[f"{prefix}state.{name}"] = getattr(state, name)
    for name, array in state.arrays.items():
        arrays[f"{prefix}state.arrays.{name}"] = array
    rest = {name: value for name, value in state._asdict().items() if name not in ARRAYS}
    rest["arrays"] = list(state.arrays)
    rest["inner"] = [_pack(inner, f"{prefix}{i}.", arrays) for i, inner in enumerate(state.inner)]
    return rest


def _unpack(rest: Header, prefix: str, arrays: Arrays) -> State:
    inner = tuple(_unpack(each, f"{prefix}{i}.", arrays) for i, each in enumerate(rest["inner"]))
    own = {name: arrays.pop(f"{prefix}state.{name}") for name in ARRAYS}
    more = {name: arrays.pop(f"{prefix}state.arrays.{name}") for name in rest["arrays"]}
    whole: Header = {**rest, **own, "arrays": more, "inner": inner}
    return State(**whole)


@contextmanager
def reporting_errors(path: str | Path, header: Header, trust: Trust) -> Iterator[None]:
    """Turn errors in the content of a checkpoint into CheckpointErrors that name the file."""
    try:
        refuse_untrusted(header.get("recipe"), trust)
    except RecipeError as error:
        raise CheckpointError(f"{path}: {error}") from None
    try:
        yield
    except KeyError as error:
        raise CheckpointError(f"{path}: the checkpoint has no {error}") from None
    except Exception as error:  # inconsistent content raises anything
        said = str(error) if isinstance(error, GenokuError) else f"{type(error).__name__}: {error}"
        raise CheckpointError(f"{path}: the checkpoint is inconsistent: {said}") from None


def require_boards(recipe: Any, state: State) -> None:
    """Raise CheckpointError if a state has fewer boards than its recipe requires."""
    if _required_boards(recipe) > _board_count(state):
        raise CheckpointError("expected as many boards as its recipe requires, got fewer")


def require_best_board(board: Board, problem: Problem) -> Board:
    """Return the best board if it is valid, else raise CheckpointError."""
    if not (_are_boards(board[None], problem) and problem.costs(board[None])[0] >= 0):
        raise CheckpointError("expected its best board to belong to the puzzle")
    return board


def _required_boards(recipe: Any) -> int:
    """Return the least number of boards that a recipe implies."""
    if not isinstance(recipe, dict) or ":" in recipe["use"]:  # unknown for users' own algorithms
        return 1
    inner = max(int(recipe.get("population", 1)), _required_boards(recipe.get("algorithm")))
    return inner * int(recipe.get("islands", 1))


def _board_count(state: State) -> int:
    return max(len(state.boards), sum(map(_board_count, state.inner)))


def require_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CheckpointError(f"expected a number, got {value!r}")
    return value


def read_log(column: int, rows: NDArray[np.int64]) -> Log:
    if rows.ndim != 2 or rows.dtype != np.int64:
        raise CheckpointError("expected a table of integers for individuals and births")
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


def require_state(problem: Problem, state: State, fresh: State) -> None:
    """Raise CheckpointError for a state that no run can reach: kernels trust their input.

    `fresh` is a first state of the same algorithm, with arrays of the same types and shapes.
    """
    if _array_types(state) != _array_types(fresh) or len(state.inner) != len(fresh.inner):
        raise CheckpointError("expected the arrays of its recipe, got others")
    if not _are_boards(state.boards, problem):
        raise CheckpointError("expected boards of its puzzle, got others")
    if not np.array_equal(problem.costs(state.boards), state.costs):
        raise CheckpointError("expected the costs of its boards, got others")
    if state.births.ndim != 2 or state.births.dtype != np.int64:
        raise CheckpointError("expected a table of births")
    if state.finished not in get_args(Finished):
        raise CheckpointError(f"expected a known end, got {state.finished!r}")
    if not set(fresh.memory) <= set(state.memory):
        raise CheckpointError("expected the memory of its recipe, got another")
    for value in state.memory.values():
        require_number(value)
    for count in (state.step, state.evaluations, state.moves, state.born):
        if not isinstance(require_number(count), int) or not 0 <= count < 2**62:
            raise CheckpointError(f"expected a whole number of 0 or more, got {count!r}")
    for inner, beside in zip(state.inner, fresh.inner, strict=True):
        require_state(problem, inner, beside)


def _array_types(state: State) -> dict[str, tuple[object, ...]]:
    own = {name: getattr(state, name) for name in ARRAYS if name != "births"}
    return {name: (array.dtype, array.shape) for name, array in {**own, **state.arrays}.items()}
