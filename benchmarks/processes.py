"""Whole processes of genoku, and the CPU time of everything they do (on Unix)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """A process that ended well."""

    output: str
    cpu_seconds: float
    until_board: float
    """CPU seconds until the last line of a board was printed; 0 where none was."""


def process(arguments: Sequence[str], **environment: str) -> Process:
    """Run genoku and account for the CPU time of the whole process, with its children."""
    child = subprocess.Popen(
        [sys.executable, "-m", "genoku", *arguments],
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
