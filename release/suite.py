"""Run the tests in another environment, and the kernels' tests compiled in another way."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

from release.judging import ROOT, CheckError


def ran_suite(python: str, *arguments: str, cwd: Path, variables: dict[str, str]) -> str:
    """Run pytest with its output shown, and return its last line, or raise with it."""
    last = ""
    with subprocess.Popen(
        [python, "-m", "pytest", "-n", "2", *arguments],
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


LEFT_OUT: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "left_out.toml").read_text(encoding="utf-8")
)
"""The reason for every test file that is left out, and for the tests that one check leaves out."""


def kernel_tests() -> list[str]:
    """Return the test files that are not left out."""
    names = sorted(path.name for path in (ROOT / "tests").glob("test_*.py"))
    return [
        f"tests/{name}" for name in names if not any(fnmatch(name, e) for e in LEFT_OUT["files"])
    ]


def ran_kernel_tests(check: str, arguments: list[str], **variables: str) -> str:
    """Run them, or those that pytest's `arguments` select, and return the summary."""
    chosen = [word for word in arguments if word.startswith("tests/")]
    others = [word for word in arguments if word not in chosen]
    deselected = [f"--deselect={test}" for test in LEFT_OUT[check]]
    said = ran_suite(
        sys.executable,
        *(chosen or kernel_tests()),
        *deselected,
        *others,
        cwd=ROOT,
        variables={**os.environ, **variables},
    )
    return f"{said}; {len(LEFT_OUT[check])} tests left out with the reason in release/left_out.toml"
