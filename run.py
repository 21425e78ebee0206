#!/usr/bin/env python3
"""Everything from a clean clone with Python alone: sets up `.venv`, installs, runs.

python3 run.py solve          solve a hard puzzle (any genoku command goes here)
python3 run.py test [...]     run the tests (arguments go to pytest)
python3 run.py lint           format, lint and type checks
python3 run.py ci             everything CI runs: solve, lint, test
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
OLDEST = (3, 11)

LINT = (
    ["-m", "ruff", "format", "--check", "."],
    ["-m", "ruff", "check", "."],
    ["-m", "mypy"],
    ["-m", "basedpyright"],
)


def main(words: list[str]) -> int:
    if sys.version_info < OLDEST:
        wanted, found = ".".join(map(str, OLDEST)), ".".join(map(str, sys.version_info[:3]))
        print(f"genoku needs Python {wanted} or newer, this is {found}", file=sys.stderr)
        return 2
    command, rest = (words[0], words[1:]) if words else ("--help", [])
    if command == "test":
        install("dev")
        # Two workers keep both cores of a small machine busy; -n 0 debugs in one process.
        return python("-m", "pytest", "-n", "2", *rest)
    if command == "lint":
        install("dev")
        return first_failure([python(*check) for check in LINT])
    if command == "ci":
        steps = [["solve"], ["lint"], ["test"]]
        return first_failure([python(str(ROOT / "run.py"), *step, own=True) for step in steps])
    install("")
    return python("-m", "genoku", *words)


def install(extra: str) -> None:
    """Make the environment and install the package, unless pyproject.toml has not changed."""
    stamp = VENV / f"installed-{extra or 'core'}"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    print(f"setting up {VENV.name} (once; about a minute) ...", file=sys.stderr, flush=True)
    if not PYTHON.exists():
        venv.create(VENV, with_pip=True, clear=VENV.exists())
    package = f"{ROOT}[{extra}]" if extra else str(ROOT)
    if python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", package):
        sys.exit("genoku could not be installed; pip's message above says why")
    stamp.write_text(wanted)


def python(*arguments: str, own: bool = False) -> int:
    """Run the environment's Python (or `own`: the one running this file); its exit code."""
    executable = sys.executable if own else str(PYTHON)
    if own:
        print("$ python3 run.py", *arguments[1:], flush=True)
    try:
        return subprocess.run([executable, *arguments], cwd=None, check=False).returncode
    except KeyboardInterrupt:
        return 130


def first_failure(codes: list[int]) -> int:
    return next((code for code in codes if code), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
