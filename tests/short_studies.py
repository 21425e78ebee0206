"""Studies for the tests, of runs that take some milliseconds each."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from genoku.lab.export import write_csv
from genoku.lab.runner import run_study
from genoku.lab.store import Row, Store
from genoku.lab.study import Study
from genoku.lab.studyfile import read_study

psutil: Any = import_module("psutil")  # which has no types

FORK_SERVER = "multiprocessing.forkserver"
SMALL = "1.....3..4.....2"
USUAL = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"

FILE = """
question = "Which solves more?"
puzzles = [{{ name = "small", puzzle = "{small}" }}, {{ name = "usual", puzzle = "{usual}" }}]
seeds = {seeds}
until = "generations={generations}"

[[algorithms]]
preset = "sundy"
grid.population = [10, 20]
"""


def study_file(folder: Path, seeds: int, generations: int = 12) -> Path:
    """A file of 4 × `seeds` runs."""
    path = folder / "short.toml"
    text = FILE.format(small=SMALL, usual=USUAL, seeds=seeds, generations=generations)
    path.write_text(text, "utf-8")
    return path


def short_study(folder: Path, seeds: int, generations: int = 12) -> Study:
    return read_study(study_file(folder, seeds, generations))


def exported(path: Path) -> str:
    """All there is in a store but times: runs, and every step of theirs."""
    text = io.StringIO()
    with Store.open(path) as store:
        store.check()
        assert not store.failures()
        write_csv(store, text, clocks=False)
        write_csv(store, text, clocks=False, histories=True)
    return text.getvalue()


def genoku_process(folder: Path, *words: str) -> subprocess.Popen[str]:
    """The command in a process, and a group, of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "genoku", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


def everybody_is_gone(group: int, seconds: float = 20.0) -> bool:
    """Whether all processes of a group end within that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


def workers_of(parent: int) -> list[int]:
    """The ids of a process's workers: what its fork servers have forked."""
    try:
        servers = [psutil.Process(each) for each in fork_servers_of(parent)]
        return sorted(worker.pid for server in servers for worker in server.children())
    except psutil.Error:  # it has just ended
        return []


def fork_servers_of(parent: int) -> list[int]:
    try:
        children = psutil.Process(parent).children()
        return [each.pid for each in children if FORK_SERVER in " ".join(each.cmdline())]
    except psutil.Error:
        return []


def undisturbed_export(folder: Path, seeds: int, generations: int) -> str:
    """What a study comes to in one process that nobody touches."""
    run_study(short_study(folder, seeds, generations), folder / "short.db")
    return exported(folder / "short.db")


def rows_of(path: Path) -> list[Row]:
    with Store.open(path) as store:
        return list(store.rows())


def done_in(path: Path) -> int:
    """How many runs a store has by now, while others make it and write to it."""
    try:
        with Store.open(path) as store:
            return len(store.done())
    except Exception:
        return 0


def end(number: int) -> int:
    """What takes its worker along."""
    os._exit(number)
