"""New processes: their time and peak memory."""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from benchmarks.environment import ONE_THREAD
from genoku.errors import GenokuError

LAUNCHER = Path(__file__).parent / "launcher.py"
PEAK_IS_KNOWN = hasattr(os, "wait4") and hasattr(os, "posix_spawn")
NOT_MEASURED = "not measured here"
PATIENCE = 600.0  # seconds
STARTING = 60.0  # seconds that a server may take to end


def genoku(*words: str) -> list[str]:
    """Return the command line of this installation."""
    return [sys.executable, "-m", "genoku", *words]


def python(program: str) -> list[str]:
    """Return the command that runs a line of Python."""
    return [sys.executable, "-c", program]


class Spent(NamedTuple):
    """The time of a process in seconds; the CPU time is NaN if unknown."""

    wall: float
    cpu: float
    """Of all that it started, too."""
    output: str = ""


def time_process(
    command: Sequence[str],
    expected: str = "",
    environment: Mapping[str, str] | None = None,
    *,
    codes: Container[int] = (0,),
    folder: Path | None = None,
) -> Spent:
    """Time a process that must exit with one of these codes and print `expected`."""
    start, used = time.perf_counter(), cpu_of_children()
    output = output_of(command, environment or {}, codes=codes, folder=folder)
    spent = Spent(time.perf_counter() - start, cpu_of_children() - used, output)
    if expected not in output:
        raise GenokuError(
            f"{short_command(command)} did not print what was expected, but {output[:200]!r}"
        )
    return spent


def cpu_of_children() -> float:
    """Return the CPU seconds of all child processes that have ended."""
    try:
        import resource
    except ImportError:
        return math.nan
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_of(
    command: Sequence[str], said: str = "", environment: Mapping[str, str] | None = None
) -> int | None:
    """Return the peak bytes of a process, or of the largest that it waited for.

    It is started by a small process, see `launcher`; None if unknown.
    """
    if not PEAK_IS_KNOWN:
        return None
    launched = [sys.executable, "-I", "-S", str(LAUNCHER), *command]
    return int(output_of(launched, environment or {}, said).split()[-1])


def output_of(
    command: Sequence[str],
    environment: Mapping[str, str],
    said: str = "",
    *,
    codes: Container[int] = (0,),
    folder: Path | None = None,
) -> str:
    """Run a process on one thread and return its output; raise with its last line if it fails.

    It runs in `folder`, by default the current one.
    """
    usual = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    try:
        done = subprocess.run(
            command,
            input=said,
            cwd=folder,
            env={**usual, **ONE_THREAD, **environment},
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise GenokuError(f"{short_command(command)} did not end within {PATIENCE:.0f} s") from None
    except OSError as error:
        raise GenokuError(
            f"{short_command(command)} could not be started: {error.strerror}"
        ) from None
    if done.returncode not in codes:
        words = (done.stderr or done.stdout or "nothing was said").strip().splitlines()[-1]
        raise GenokuError(f"{short_command(command)} failed: {words}")
    return done.stdout


def short_command(command: Sequence[str]) -> str:
    """Shorten a command: without the Python that runs it."""
    words = [word for word in command[1:] if word not in ("-c", "-m", "-I", "-S")]
    return " ".join(words)[:80]


# A server that only we end


class Serving(NamedTuple):
    """A running `genoku serve`."""

    process: subprocess.Popen[str]
    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"


@contextmanager
def serving() -> Iterator[Serving]:
    """Run a server in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            genoku("serve", "--no-browser", "--port", "0", "--dir", folder),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield Serving(process, *address_of(process))
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STARTING)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def address_of(process: subprocess.Popen[str]) -> tuple[str, int]:
    """Return the address that a server prints."""
    assert process.stderr is not None
    said = "it ended"
    for line in process.stderr:
        if found := re.search(r"http://([\d.]+):(\d+)", line):
            return found[1], int(found[2])
        said = line.strip()
    raise GenokuError(f"genoku serve: {said}")


def descendants(pid: int) -> list[int]:
    """Return all descendants of a process, oldest first."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # a thread that has ended
            for child in map(int, path.read_text("ascii").split()):
                found += [child, *descendants(child)]
    return sorted(found)
