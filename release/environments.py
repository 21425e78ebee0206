"""Separate environments, and the wheel and the sdist that are installed into them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from release.judging import ROOT, CheckError

LEAKS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
"""What would let an environment see another one."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with its own kernel cache."""

    folder: Path

    @classmethod
    def create(cls, folder: Path, interpreter: str = "") -> Environment:
        """Create an environment with an interpreter, by default this one."""
        ran([interpreter or base_python(), "-m", "venv", str(folder)], cwd=folder.parent)
        return cls(folder)

    @property
    def scripts(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> str:
        return str(self.scripts / "python")

    @property
    def variables(self) -> dict[str, str]:
        """Return environment variables without other environments, with its own kernel cache."""
        kept = {name: value for name, value in os.environ.items() if name not in LEAKS}
        path = os.pathsep.join((str(self.scripts), kept.get("PATH", "")))
        return {**kept, "PATH": path, "NUMBA_CACHE_DIR": str(self.folder / "kernels")}

    def install(self, *wanted: str) -> None:
        quietly = ("--quiet", "--disable-pip-version-check")
        self.run("-m", "pip", "install", *quietly, *wanted, cwd=self.folder)

    def run(
        self, *words: str, cwd: Path, code: int = 0, timeout: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run this Python with `words`; raise on another exit code than expected."""
        return ran(
            [self.python, *words], cwd=cwd, code=code, timeout=timeout, variables=self.variables
        )

    def genoku(
        self, *words: str, cwd: Path, code: int = 0, timeout: float | None = 600
    ) -> subprocess.CompletedProcess[str]:
        """Run the command `genoku` that was installed."""
        command = [str(self.scripts / "genoku"), *words]
        return ran(command, cwd=cwd, code=code, timeout=timeout, variables=self.variables)

    def versions(self, *packages: str) -> str:
        """Return the versions of its Python and of some packages."""
        program = (
            "import platform, sys; from importlib.metadata import version; "
            "print('Python', platform.python_version(), end=''); "
            "[print(',', name, version(name), end='') for name in sys.argv[1:]]"
        )
        return self.run("-c", program, *packages, cwd=self.folder).stdout


def ran(
    command: list[str],
    *,
    cwd: Path,
    code: int = 0,
    timeout: float | None = None,
    variables: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command and return its output; raise on another exit code than expected."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != code:
        print(done.stdout + done.stderr, file=sys.stderr)
        shown = " ".join([Path(command[0]).name, *command[1:]])
        last = (done.stderr.strip() or done.stdout.strip() or "nothing said").splitlines()[-1]
        raise CheckError(f"expected exit code {code} of {shown}, got {done.returncode}: {last}")
    return done


def base_python() -> str:
    """The interpreter behind the environment that runs this."""
    return str(getattr(sys, "_base_executable", sys.executable))


def interpreter(version: str) -> str | None:
    """Find a Python such as 3.12: this one, one on the PATH, or one of pyenv."""
    if version == ".".join(map(str, sys.version_info[:2])):
        return base_python()
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)
    for found in (shutil.which(f"python{version}"), *map(str, kept)):
        if (
            found
            and subprocess.run([found, "-V"], capture_output=True, check=False).returncode == 0
        ):
            return found
    return None


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


def build_packages(folder: Path) -> Packages:
    """Build the sdist from the clone, and the wheel from the sdist."""
    tools = Environment.create(folder / "build-tools")
    tools.install("build")
    target = folder / "dist"
    tools.run("-m", "build", "--outdir", str(target), str(ROOT), cwd=folder)
    wheels, sdists = list(target.glob("*.whl")), list(target.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        raise CheckError(f"expected a wheel and an sdist, got {sorted(target.iterdir())}")
    return Packages(wheels[0], sdists[0])


def files_of_the_clone() -> set[str]:
    """List every file of the clone that git does not ignore."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = ran(words, cwd=ROOT).stdout.split("\0")
    return {name for name in listed if name and (ROOT / name).is_file()}
