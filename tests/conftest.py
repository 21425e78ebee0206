"""What all tests share: properties are judged by what they find, never by the clock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, settings
from strategies import examples

from genoku.cli.main import cli, invoke

pytest_plugins = ["browsing"]

# By hypothesis's own default, also where CI is set, which would make it draw the same each time.
settings.register_profile(
    "house",
    settings.get_profile("default"),
    max_examples=examples(25).max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


class Said:
    """What a command printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def genoku(capsys: pytest.CaptureFixture[str], monkeypatch: Any, tmp_path: Path) -> Any:
    """Call the command in this process and in a folder of its own, which is much quicker."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str, command: click.Command = cli) -> Said:
        code = invoke(list(words), command)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return Said(code, said.out, said.err)

    return call
