"""Where studies are kept: a folder with `<name>.toml` and `<name>.db`, as `genoku study` has them.

Names come from outside, so they are looked at here before any of them becomes a path.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from genoku.errors import StudyError

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,59}", re.ASCII)
ASKED = "letters, digits, - and _, up to 60 of them, not beginning with -"
BESIDE = ("-wal", "-shm", "-journal", ".lock")
"""What SQLite, and whoever runs a study, keep beside a store."""


class StudyNameError(StudyError):
    """A name that no study of a folder can have."""


class StudyFiles(NamedTuple):
    """The files of one study, which need not be there."""

    name: str
    toml: Path
    db: Path

    @property
    def exist(self) -> bool:
        return self.toml.exists() or self.db.exists()

    @property
    def is_begun(self) -> bool:
        """Whether there is a store; one that a full disk left empty beside its file is none."""
        from genoku.lab.store import is_empty

        return self.db.exists() and not (self.toml.exists() and is_empty(self.db))

    @property
    def modified(self) -> float:
        """When one of them last changed."""
        return max((each.stat().st_mtime for each in self.present()), default=0.0)

    def present(self) -> list[Path]:
        """All that is there, what is kept beside a store included."""
        beside = [self.db.with_name(f"{self.db.name}{end}") for end in BESIDE]
        return [each for each in (self.toml, self.db, *beside) if each.exists()]

    @property
    def version(self) -> tuple[tuple[int, int], ...]:
        """Something that changes whenever its results do."""
        files = (self.toml, self.db, self.db.with_name(f"{self.db.name}-wal"))
        told = [each.stat() for each in files if each.exists()]
        return tuple((each.st_mtime_ns, each.st_size) for each in told)


def files_of(folder: Path, name: str) -> StudyFiles:
    """The files of a study; StudyNameError for a name that could lead out of the folder."""
    if not NAME.fullmatch(name):
        shown = name if len(name) <= 80 else f"{name[:80]}…"
        raise StudyNameError(f"expected a name of {ASKED}, got {shown!r}")
    files = StudyFiles(name, folder / f"{name}.toml", folder / f"{name}.db")
    home = folder.resolve()
    for each in (files.toml, files.db):
        if each.resolve().parent != home:
            raise StudyNameError(f"{each.name}: expected a file of the studies' folder, got a link")
    for each in files.present():
        if not (each.is_file() or each.is_dir()):  # a pipe keeps waiting who opens it
            raise StudyNameError(f"{each.name}: expected a file, got a pipe or device")
    return files


def names_in(folder: Path) -> list[str]:
    """The names of all studies that have a file or a store."""
    if not folder.is_dir():
        return []
    found = {each.stem for each in folder.iterdir() if each.suffix in (".toml", ".db")}
    return sorted(name for name in found if NAME.fullmatch(name))


def within(said: str, folder: Path) -> str:
    """A message with files called as a page knows them, without the folder they are in."""
    for home in (folder, folder.absolute(), folder.resolve()):
        said = said.replace(f"{home}/", "")
    return said
