"""Atomic writing of files."""

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

NUMBERS = count()  # distinguish threads that write the same file


@contextmanager
def atomic_writer(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a binary stream that replaces a file once the block ends without an error.

    After an error or a crash, the old file is unchanged. A link stays a link. Raises OSError if
    the file cannot be written.
    """
    target = Path(path).resolve()
    if target.is_symlink():  # a loop of links: from Python 3.13, resolve does not raise
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if target.exists() and not target.is_file():  # a pipe or a terminal has no older content
        with target.open("wb") as stream:
            yield stream
        return
    name = f".{target.name[:100]}"
    _remove_leftovers(target.parent, name)
    partial = target.with_name(f"{name}.{next(NUMBERS)}.{os.getpid()}.part")
    partial.unlink(missing_ok=True)  # left by a process that had the same id
    try:
        with partial.open("xb") as stream:
            yield stream
        if target.exists():
            partial.chmod(target.stat().st_mode & 0o777)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _remove_leftovers(folder: Path, name: str) -> None:
    """Remove the partial files of processes that were killed while writing."""
    if os.name != "posix":  # elsewhere `os.kill` ends the process
        return
    for file in folder.glob(f"{escape(name)}.*.part"):
        pid = file.name.removesuffix(".part").rpartition(".")[2]
        if pid.isdecimal():
            try:
                os.kill(int(pid), 0)
            except ProcessLookupError:
                file.unlink(missing_ok=True)
            except (OSError, OverflowError):  # another user's process, or not a valid id
                continue
