"""A run on disk: one file of plain arrays and a header in JSON, and no code."""

from __future__ import annotations

import json
import os
import zipfile
from glob import escape
from io import BytesIO
from pathlib import Path
from reprlib import repr as short
from typing import Any, BinaryIO

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
    _sweep(target)
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            np.savez(file, header=np.frombuffer(text, np.uint8), **arrays)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _sweep(target: Path) -> None:
    """Remove what a process left that was killed while it saved."""
    if os.name != "posix":  # elsewhere nobody can be asked without harm
        return
    for file in target.parent.glob(f"{escape(target.name)}.*.part"):
        pid = file.name.removesuffix(".part").rpartition(".")[2]
        if pid.isdecimal() and not _is_there(int(pid)):
            file.unlink(missing_ok=True)


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's, or no number of a process
        return True
    return True


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
