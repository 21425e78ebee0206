"""What all tests share: properties are judged by what they find, never by the clock."""

from __future__ import annotations

import gc
import signal
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, settings
from strategies import examples
from xdist.scheduler import LoadScopeScheduling

from genoku.cli.main import cli, invoke

pytest_plugins = ["browsing"]

LONG_FILES = ("test_browser_", "test_site", "test_docs", "test_web_", "test_cli_", "test_live_")

# By hypothesis's own default, also where CI is set, which would make it draw the same each time.
settings.register_profile(
    "house",
    settings.get_profile("default"),
    max_examples=examples(25).max_examples,
    deadline=None,
    # Of so few cases, chance may discard many.
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("house")


# The many objects of pytest and of the libraries live to the end: looking for garbage among them
# is a tenth of the suite's time.
gc.set_threshold(100_000, 50, 50)

# In the background of a script Ctrl-C is ignored, which children inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Scheduler(LoadScopeScheduling):
    """Keeps the tests of a file in one process, and all browser tests: they share a browser."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "browser" if "test_browser_" in file else file


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduler:
    config.option.loadscopereorder = False  # the order below
    return Scheduler(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files that take longest first, so that no process has to wait for one at the end."""

    def rank(item: pytest.Item) -> int:
        ranks = (place for place, name in enumerate(LONG_FILES) if name in item.path.name)
        return next(ranks, len(LONG_FILES))

    items.sort(key=rank)


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
