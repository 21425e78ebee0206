"""The unit tests of the pages' JavaScript, run by Node.js."""

from __future__ import annotations

import os
import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_unit_tests_of_the_pages_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])  # which the next line may extend
    npm: list[str] = runpy.run_path(str(ROOT / "run.py"))["npm_command"]()
    if not npm:
        why = "the tests in tests/js need Node.js 20 or newer"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(why)
    done = subprocess.run(
        [*npm, "test"], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
