"""The tests, run by an environment of its own on a tree of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

from release.judging import CheckError


def ran_suite(python: str, *arguments: str, cwd: Path, variables: dict[str, str]) -> str:
    """Run pytest, shown as it goes; what its last line says, or a failure with it."""
    last = ""
    with subprocess.Popen(
        [python, "-m", "pytest", "-n", "2", "--dist", "worksteal", *arguments],
        cwd=cwd,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as tests:
        assert tests.stdout is not None
        for line in tests.stdout:
            print(line, end="", flush=True)
            last = line.strip(" =\n") or last
    if tests.returncode:
        raise CheckError(f"pytest ended with {tests.returncode}: {last}")
    return last
