"""Environments of other commits, and of this working tree, in the user's cache folder.

Each has its own copy of the sources, its own installed packages and its own compiled kernels. All
packages that today's environment has are installed in the same versions, so that only genoku
differs.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

import platformdirs

from benchmarks.environment import PeerError, python_of, run_program
from genoku.errors import GenokuError

ROOT = Path(__file__).resolve().parents[1]

Say = Callable[[str], None]


class CommitError(GenokuError):
    """A commit that does not exist, or cannot be built."""


@dataclass(frozen=True)
class Source:
    """A commit of a clone, or what lies in its folder now."""

    name: str
    """What the user calls it."""
    about: str
    """The commit, and whether it was changed."""
    clone: Path
    commit: str | None
    """The full hash; None for the files in the folder, whatever was committed."""

    @property
    def key(self) -> str:
        """The name of its folder in the cache, the same for the same commit or clone."""
        if self.commit:
            return self.commit[:16]
        return f"tree-{hashlib.sha256(str(self.clone).encode()).hexdigest()[:16]}"


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a Python with its own genoku."""

    name: str
    about: str
    python: Path
    variables: Mapping[str, str]
    """Environment variables that commands of this side require."""

    def command(self, *words: str) -> list[str]:
        """Return the command that runs this Python, without the variables and paths of ours."""
        return [str(self.python), "-I", *words]


# What to compare with


def this_tree() -> Source:
    """Return the files of this clone as they are now, committed or not."""
    return _tree(ROOT, "this tree")


def find_source(wanted: str) -> Source:
    """Return the commit with this name, or the files in a folder with a clone.

    Raises
    ------
    CommitError
        If it is neither, or if this is no clone.
    """
    _require_clone(ROOT)
    words = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}"]
    with suppress(CommitError):
        commit = git(ROOT, *words).decode().strip()
        name = wanted if commit.startswith(wanted) else f"{wanted} ({commit[:7]})"
        return Source(name, _about(ROOT, commit), ROOT, commit)
    folder = Path(wanted)
    if not folder.is_dir():
        raise CommitError(
            f"expected a commit of this clone, or a folder with another clone, got {wanted!r}"
        )
    return _tree(folder.resolve(), wanted)


def _tree(folder: Path, name: str) -> Source:
    _require_clone(folder)
    status = git(folder, "status", "--porcelain", "--", "src", "pyproject.toml")
    changed = ", with changes that are not committed" if status.strip() else ""
    return Source(name, f"{_about(folder, 'HEAD')}{changed}", folder, None)


def _about(clone: Path, commit: str) -> str:
    return git(clone, "log", "-1", "--format=%h of %cs, %s", commit).decode().strip()


def _require_clone(folder: Path) -> None:
    # Git itself would also accept a folder inside of another clone, such as an unpacked sdist.
    if not (folder / ".git").exists():
        raise CommitError(f"expected a git clone, got {folder}")
    git(folder, "rev-parse", "--git-dir")  # which says what else is wrong


def git(clone: Path, *words: str) -> bytes:
    """Run git in a clone, and return its output."""
    try:
        done = subprocess.run(["git", "-C", clone, *words], capture_output=True, check=True)
    except FileNotFoundError:
        raise CommitError("git was not found, which gets the files of a commit") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise CommitError(f"git {words[0]}: {lines[-1]}") from None
    return done.stdout


# Environments


def cache_folder() -> Path:
    """Return the folder of all environments for this version of Python."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return platformdirs.user_cache_path("genoku") / f"speed-{version}"


def clean() -> Path:
    """Remove all environments, and return the folder that they were in."""
    folder = cache_folder()
    shutil.rmtree(folder)
    return folder


@contextmanager
def locked(say: Say) -> Iterator[None]:
    """Wait until no other process uses the environments, and keep others waiting meanwhile."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # on Windows, where nothing keeps two comparisons apart
        yield
        return
    with (folder / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another comparison on this machine to end ...")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def prepare(source: Source, say: Say) -> Side:
    """Install a source into its environment, unless it is there, and return that.

    An interrupted installation is repeated.
    """
    folder = cache_folder() / source.key
    tree, mark = folder / "tree", folder / "installed"
    if source.commit is None and tree.exists():
        _export(source, tree)  # what lies in a folder changes
    if not (mark.exists() and mark.read_text("utf-8") == _meant(tree) and _same_versions(folder)):
        say(f"installing {source.name} into {folder} (once, about half a minute) ...")
        try:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            _export(source, tree)
            _install(folder, tree)
            mark.write_text(_meant(tree), "utf-8")
        except PeerError as error:
            raise CommitError(f"{source.name} cannot be installed: {error}") from None
        except OSError as error:
            raise CommitError(f"{source.name} cannot be installed: {error.strerror}") from None
    kernels = str(folder / "kernels")
    return Side(source.name, source.about, python_of(folder), {"NUMBA_CACHE_DIR": kernels})


def _export(source: Source, tree: Path) -> None:
    """Write the files of a source into a folder, in place of those that are there."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    if source.commit:
        packed = git(source.clone, "archive", "--format=tar", source.commit)
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(tree, filter="data")
        return
    # Files keep their times, on which it depends whether kernels are compiled again.
    listed = git(source.clone, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in sorted(set(listed.decode().split("\0")) - {""}):
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # it was deleted, but that is not committed
            shutil.copy2(source.clone / name, target)


def _install(folder: Path, tree: Path) -> None:
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(f"{name}=={each}" for name, each in _versions().items()))
    run_program([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    pip = [sys.executable, "-m", "pip", "--python", str(python_of(folder)), "install"]
    quietly = ["--quiet", "--disable-pip-version-check"]
    run_program([*pip, *quietly, "-c", str(constraints), "-e", str(tree)], timeout=3600)


def _meant(tree: Path) -> str:
    """Return what an installation depends on, beside the versions of packages."""
    try:
        project = (tree / "pyproject.toml").read_bytes()
    except FileNotFoundError:
        project = b""
    digest = hashlib.sha256(project).hexdigest()
    return json.dumps({"Python": platform.python_version(), "pyproject": digest})


def _versions(site: str | None = None) -> dict[str, str]:
    """Return the versions of all packages but genoku, of ours or of a folder with packages."""
    found = distributions() if site is None else distributions(path=[site])
    return {each.name: each.version for each in found if each.name != "genoku"}


def _same_versions(folder: Path) -> bool:
    """Whether an environment has today's version of every package that both have."""
    base = {"base": str(folder), "platbase": str(folder)}
    there, here = _versions(sysconfig.get_path("purelib", "venv", base)), _versions()
    return all(there[name] == here[name] for name in there.keys() & here.keys())
