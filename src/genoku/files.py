"""Files that are whole or not there at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from itertools import count
from os import PathLike
from pathlib import Path
from typing import IO

NUMBERS = count()  # two threads may write the same file


@contextmanager
def replacing_file(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary stream whose file takes its place only when all is written; OSError if it cannot.

    A crash in the middle leaves the file that was there. A link stays a link.
    """
    target = Path(path).resolve()
    if target.is_symlink():  # that leads to itself; from Python 3.13 on, resolve is silent
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if target.exists() and not target.is_file():  # a pipe or a terminal has no older content
        with target.open("wb") as stream:
            yield stream
        return
    name = f".{target.name[:100]}"
    _remove_leftovers(target.parent, name)
    partial = target.with_name(f"{name}.{next(NUMBERS)}.{os.getpid()}.part")
    partial.unlink(missing_ok=True)  # of a process that had our number
    try:
        with partial.open("xb") as stream:
            yield stream
        if target.exists():
            partial.chmod(target.stat().st_mode & 0o777)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _remove_leftovers(folder: Path, name: str) -> None:
    """Remove what a process left that was killed while it wrote."""
    if os.name != "posix":  # elsewhere nobody can be asked without harm
        return
    for file in folder.glob(f"{escape(name)}.*.part"):
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
