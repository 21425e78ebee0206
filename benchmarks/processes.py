"""New processes: how long they take, and how much memory they hold at their most."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.environment import ONE_THREAD
from genoku.errors import GenokuError

LAUNCHER = Path(__file__).parent / "launcher.py"
PEAK_IS_KNOWN = hasattr(os, "wait4") and hasattr(os, "posix_spawn")
NOT_MEASURED = "not measured here"
PATIENCE = 600.0  # seconds


def genoku(*words: str) -> list[str]:
    """The command line of this installation."""
    return [sys.executable, "-m", "genoku", *words]


def python(program: str) -> list[str]:
    """A line of Python, by ours."""
    return [sys.executable, "-c", program]


class Spent(NamedTuple):
    """What a process took, in seconds; the CPU time is NaN where the system does not tell."""

    wall: float
    cpu: float


def spent_by(
    command: Sequence[str], expected: str = "", environment: Mapping[str, str] | None = None
) -> Spent:
    """The time of a process that must succeed and print `expected`."""
    start, used = time.perf_counter(), cpu_of_children()
    output = output_of(command, environment or {})
    spent = Spent(time.perf_counter() - start, cpu_of_children() - used)
    if expected not in output:
        raise GenokuError(f"{named(command)} did not print what was expected, but {output[:200]!r}")
    return spent


def cpu_of_children() -> float:
    """The CPU seconds of all processes that were started here and have ended."""
    try:
        import resource
    except ImportError:
        return math.nan
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_of(
    command: Sequence[str], said: str = "", environment: Mapping[str, str] | None = None
) -> int | None:
    """The bytes that a process, or the largest it waited for, held at its most.

    It is started by a small process, see `launcher`; None where the system does not tell.
    """
    if not PEAK_IS_KNOWN:
        return None
    launched = [sys.executable, "-I", "-S", str(LAUNCHER), *command]
    return int(output_of(launched, environment or {}, said).split()[-1])


def output_of(command: Sequence[str], environment: Mapping[str, str], said: str = "") -> str:
    """What a process prints, on one thread; its last words as an error if it fails."""
    usual = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    try:
        done = subprocess.run(
            command,
            input=said,
            env={**usual, **ONE_THREAD, **environment},
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise GenokuError(f"{named(command)} did not end within {PATIENCE:.0f} s") from None
    except OSError as error:
        raise GenokuError(f"{named(command)} could not be started: {error.strerror}") from None
    if done.returncode:
        words = (done.stderr or done.stdout or "nothing was said").strip().splitlines()[-1]
        raise GenokuError(f"{named(command)} failed: {words}")
    return done.stdout


def named(command: Sequence[str]) -> str:
    """A command in a few words: without the Python that runs it."""
    words = [word for word in command[1:] if word not in ("-c", "-m", "-I", "-S")]
    return " ".join(words)[:80]


class Process(NamedTuple):
    """A process that ended well."""

    output: str
    cpu_seconds: float
    until_board: float
    """CPU seconds until the last line of a board was printed; 0 where none was."""


def process(arguments: Sequence[str], **environment: str) -> Process:
    """Run genoku and account for the CPU time of the whole process, with its children."""
    child = subprocess.Popen(
        genoku(*arguments),
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    assert child.stdout is not None
    lines, until_board = [], 0.0
    for line in child.stdout:
        lines.append(line)
        if line.startswith("└"):
            until_board = cpu_seconds_of(child.pid)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"genoku {' '.join(arguments)} ended with {child.returncode}")
    return Process("".join(lines), usage.ru_utime + usage.ru_stime, until_board)


def cpu_seconds_of(pid: int) -> float:
    """What a process has used so far; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
