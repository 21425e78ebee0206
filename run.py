#!/usr/bin/env python3
"""Everything from a clean clone with Python alone: sets up `.venv`, installs, runs.

python3 run.py solve          solve a hard puzzle (any genoku command goes here)
python3 run.py test [...]     run the tests (arguments go to pytest)
python3 run.py lint           format, lint and type checks
python3 run.py reproduce 000  repeat a report's experiments, and judge its claims
python3 run.py docs           build the documentation into site/, any warning an error
python3 run.py bench [...]    measure genoku beside its peers: a table and a figure
python3 run.py release [...]  what is checked before a release, or the checks that are named
python3 run.py ci             everything CI runs: solve, lint, test
"""

# Old Pythons must get as far as the message that they are too old: no newer syntax here.

import hashlib
import os
import subprocess
import sys
import time
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
OLDEST = (3, 11)

# What needs more than the core: a command, an option, a value.
EXTRAS = {
    "lab": ("--plot", "--gif", "study", "report", "race", "tune", "serve"),
    "web": ("serve",),
    "tune": ("tune",),
    "cluster": ("--dask",),
    "parquet": ("parquet",),
}

SITE = ("-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html", "docs", "site")
LINT = (
    ("-m", "ruff", "format", "--check", "."),
    ("-m", "ruff", "check", "."),
    ("-m", "mypy"),
    ("-m", "basedpyright"),
)


def main(words: "list[str]") -> int:
    if sys.version_info < OLDEST:
        wanted, found = ".".join(map(str, OLDEST)), ".".join(map(str, sys.version_info[:3]))
        print(f"genoku needs Python {wanted} or newer, this is {found}", file=sys.stderr)
        return 2
    command = words[0] if words else "--help"
    if command in ("-h", "--help"):
        print(str(__doc__).strip())
        return 0
    if command == "ci":
        steps = ("solve", "lint", "test")
        return first_failure(run(sys.executable, str(ROOT / "run.py"), step) for step in steps)
    if command == "lint":
        install("dev")
        return first_failure(run(str(PYTHON), *check) for check in LINT)
    if command == "docs":
        install("dev")
        return run(str(PYTHON), *SITE, *words[1:])
    if command == "test":
        install("dev")
        # Two workers keep both cores of a small machine busy, each with files of its own as long
        # as it can; -n 0 debugs in one process.
        return become("-m", "pytest", "-n", "2", "--dist", "worksteal", *words[1:], folder=ROOT)
    if command == "reproduce":
        install("lab")
        return become(str(ROOT / "reproductions"), *words[1:])
    if command == "release":
        install("dev")
        return become("-m", "release", *words[1:], folder=ROOT)
    if command == "bench":
        install("dev" if words[1:2] in (["web"], ["screenshots"]) else "lab,web")
        return become(str(ROOT / "benchmarks"), *words[1:])
    known = commands_of_genoku()
    if not command.startswith("-") and command not in known:
        own = "test, lint, docs, bench, reproduce, release, ci"
        theirs = ", ".join(known)
        print(f"expected {own} or a genoku command ({theirs}), got {command!r}", file=sys.stderr)
        return 2
    said = {part for word in words for part in word.split("=")}
    install(",".join(extra for extra, needed_by in EXTRAS.items() if said.intersection(needed_by)))
    return become("-m", "genoku", *words)


def commands_of_genoku() -> "list[str]":
    """What genoku knows, read from it without installing it: a slip is answered at once."""
    sys.path.insert(0, str(ROOT / "src"))
    from genoku.cli import COMMANDS

    return list(COMMANDS)


def install(extra: str) -> None:
    """Make the environment and install the package, unless pyproject.toml has not changed."""
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    stamp, all_of_it = (VENV / f"installed-{name}" for name in (extra or "core", "dev"))
    if PYTHON.exists() and any(
        done.exists() and done.read_text() == wanted for done in (stamp, all_of_it)
    ):
        return
    print(f"setting up {VENV.name} (once; about a minute) ...", file=sys.stderr, flush=True)
    began = time.perf_counter()
    try:
        if not has_pip():
            venv.create(VENV, with_pip=True, clear=True)
        package = f"{ROOT}[{extra}]" if extra else str(ROOT)
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        if run(str(PYTHON), *pip, "-e", package, quietly=True):
            sys.exit("genoku could not be installed; pip's message above says why")
    except subprocess.CalledProcessError:  # of the module that puts pip there
        sys.exit("this Python makes no environments; on Debian or Ubuntu: apt install python3-venv")
    except OSError as error:
        sys.exit(f"{VENV} could not be made: {error}")
    stamp.write_text(wanted)
    print(f"set up in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)


def has_pip() -> bool:
    """Whether the environment is there and whole; an interrupted one is made anew."""
    asked = [str(PYTHON), "-m", "pip", "--version"]
    return (
        PYTHON.exists() and not subprocess.run(asked, capture_output=True, check=False).returncode
    )


def run(*command: str, quietly: bool = False) -> int:
    """Run a command in the project's folder; its exit code."""
    if not quietly:
        shown = (Path(word).name if os.sep in word else word for word in command)
        print("$", *shown, flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def become(*arguments: str, folder: "Path | None" = None) -> int:
    """Go on as the environment's Python, so that signals reach it and its exit code is ours."""
    if folder:
        os.chdir(folder)
    command = [str(PYTHON), *arguments]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


def first_failure(codes: "Iterable[int]") -> int:
    return next((code for code in codes if code), 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        sys.exit(130)
