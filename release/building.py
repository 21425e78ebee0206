"""The wheel and the sdist, built as they would be published."""

from __future__ import annotations

import tarfile
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from release.environments import Environment, ran
from release.judging import CheckError
from release.record import ROOT


@dataclass(frozen=True)
class Packages:
    """The two files of a release."""

    wheel: Path
    sdist: Path

    @cached_property
    def in_wheel(self) -> set[str]:
        """The files of the wheel."""
        with zipfile.ZipFile(self.wheel) as archive:
            return {name for name in archive.namelist() if not name.endswith("/")}

    @cached_property
    def in_sdist(self) -> set[str]:
        """The files of the sdist, without the folder they are in."""
        with tarfile.open(self.sdist) as archive:
            return {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}

    def unpacked(self, folder: Path) -> Path:
        """The sdist's tree, unpacked into a folder."""
        with tarfile.open(self.sdist) as archive:
            archive.extractall(folder, filter="data")
        return folder / self.sdist.name.removesuffix(".tar.gz")


def built(folder: Path) -> Packages:
    """Build the sdist from the clone, and from it the wheel, with tools of their own."""
    tools = Environment.made(folder / "build-tools")
    tools.install("build")
    target = folder / "dist"
    tools.run("-m", "build", "--outdir", str(target), str(ROOT), cwd=folder)
    wheels, sdists = list(target.glob("*.whl")), list(target.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        raise CheckError(f"expected a wheel and an sdist, got {sorted(target.iterdir())}")
    return Packages(wheels[0], sdists[0])


def files_of_the_clone() -> set[str]:
    """What git keeps, or would: every file of the clone that is not ignored."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = ran(words, cwd=ROOT).stdout.split("\0")
    return {name for name in listed if name and (ROOT / name).is_file()}
