"""Files that a command is to write: what is wrong with them is said before the work."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from genoku.errors import FormatError, GenokuError
from genoku.words import listed

Files = Mapping[str, str | Path]
"""By the options or arguments that name them."""

SUFFIXES = {
    ".csv": "CSV", ".db": "a store", ".gif": "GIF", ".htm": "HTML", ".html": "HTML",
    ".json": "JSON", ".jsonl": "JSON lines", ".md": "Markdown", ".parquet": "Parquet",
    ".pdf": "PDF", ".png": "PNG", ".svg": "SVG", ".toml": "TOML",
}  # fmt: skip
"""What genoku writes, by suffix; nothing else is written under such a name."""


def check_targets(
    targets: Files, read: Files | None = None, kinds: Mapping[str, str] | None = None
) -> None:
    """Refuse what cannot be written, would be written twice, or written over what is read.

    `kinds` says by option which of `SUFFIXES` a file will be, whatever its name.
    """
    for option, path in targets.items():
        if reason := why_not_writable(path):
            raise GenokuError(f"{option} {path}: {reason}")
    refuse_clashes(targets, read)
    for option, kind in (kinds or {}).items():
        if option in targets:
            kind_of(option, targets[option], SUFFIXES, kind)


def kind_of(
    option: str,
    path: str | Path,
    suffixes: Mapping[str, str],
    chosen: str | None = None,
    default: str | None = None,
) -> str:
    """What is to be written in a file: what was chosen, or else what its suffix says.

    A suffix that stands for anything else is refused, but that `.txt` is any text. `default` is
    for names without a suffix.
    """
    known = (each.lower() for each in reversed(Path(path).suffixes) if each.lower() != ".gz")
    suffix = next(known, "")
    said = suffixes.get(suffix, SUFFIXES.get(suffix))
    if chosen is None:
        chosen = default if not suffix else said if suffix in suffixes else None
        fits = chosen is not None
    else:
        fits = said in (None, chosen) or suffix == ".txt"
    if chosen is None or not fits:
        fitting = [each for each, kind in suffixes.items() if chosen in (None, kind)]
        what = f" for {chosen}" if chosen else ""
        ends = listed(sorted(fitting), "or") or "another suffix"
        raise FormatError(f"{option} {path}: expected a name that ends in {ends}{what}")
    return chosen


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
