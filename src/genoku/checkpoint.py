"""A run on disk: one file of plain arrays and a header in JSON, and no code."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from genoku import __version__
from genoku.errors import CheckpointError
from genoku.state import State

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
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            np.savez(file, header=np.frombuffer(text, np.uint8), **arrays)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def load(path: str | Path) -> tuple[Header, Arrays, State]:
    """Read a checkpoint, or say why the file is none."""
    try:
        with np.load(Path(path), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(arrays.pop("header").tobytes())
        if header["format"] != FORMAT:
            raise CheckpointError(
                f"{path}: expected a checkpoint of format {FORMAT}, got format "
                f"{header['format']} (written by genoku {header.get('genoku')})"
            )
        return header, arrays, _unpacked(header["state"], "", arrays)
    except CheckpointError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile):
        raise CheckpointError(f"{path}: expected a checkpoint that genoku wrote") from None


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
