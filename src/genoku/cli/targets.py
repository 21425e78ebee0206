"""Files that a command is to write: what is wrong with them is said before the work."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from genoku.errors import GenokuError

Files = Mapping[str, str | Path]
"""By the options or arguments that name them."""


def check_targets(targets: Files, read: Files | None = None) -> None:
    """Refuse what cannot be written, would be written twice, or written over what is read."""
    for option, path in targets.items():
        if reason := why_not_writable(path):
            raise GenokuError(f"{option} {path}: {reason}")
    refuse_clashes(targets, read)


def refuse_clashes(targets: Files, read: Files | None = None) -> None:
    """Refuse what would be written twice, or written over what is read."""
    taken = {identity(path): option for option, path in (read or {}).items()}
    for option, path in targets.items():
        other = taken.get(identity(path))
        if other is not None and is_plain(path):
            raise GenokuError(
                f"expected a file of its own for each of {other} and {option}, got {path} for both"
            )
        taken[identity(path)] = option


def why_not_writable(path: str | Path) -> str | None:
    """What keeps a file from being written, if anything does."""
    target = Path(path)
    folder = target.parent
    try:
        if str(path) == "-":
            return "expected a file"
        if target.is_dir():
            return "is a folder"
        if not folder.is_dir():
            return f"there is no folder {folder}"
        if not os.access(target if target.exists() else folder, os.W_OK):
            return "may not be written"
    except OSError as error:  # such as a name that is too long
        return error.strerror or str(error)
    return None


def identity(path: str | Path) -> tuple[Any, ...]:
    """The same for two names of one file, links included."""
    file = Path(path).resolve()
    if not file.exists():
        return (file,)
    status = file.stat()
    return (status.st_dev, status.st_ino) if status.st_ino else (file,)


def is_plain(path: str | Path) -> bool:
    """Whether it is a file of data, or none yet, and no device."""
    file = Path(path)
    return file.is_file() or not file.exists()
