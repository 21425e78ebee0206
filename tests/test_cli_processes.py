"""Runs in several processes: interrupted ones leave nobody, refused puzzles keep their place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from patience import PATIENCE


def test_ctrl_c_ends_islands_in_processes_at_once_and_leaves_nobody(tmp_path: Path) -> None:
    (tmp_path / "islands.toml").write_text(
        'use = "islands"\ninterval = 5\n[algorithm]\nuse = "genetic"\npopulation = 300\n'
    )
    words = "evolve inkala-2012 --recipe islands.toml --jobs 2 --until seconds=60"
    running = subprocess.Popen(
        [sys.executable, "-m", "genoku", *words.split(), "--checkpoint", "run.ck"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("step ") and not line.startswith("step 0"):
            break
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to everybody
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert "--resume run.ck" in said
    for _ in range(100):  # workers go when they see that we have gone
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("expected no process of the run to be left")


def test_a_puzzle_that_an_encoding_refuses_keeps_its_place_in_a_batch(tmp_path: Path) -> None:
    fine, hopeless = "1.....3..4.....2", "123....4........"
    (tmp_path / "three.txt").write_text(f"{fine}\n{hopeless}\n{fine}\n")
    done = subprocess.run(
        [sys.executable, "-m", "genoku", "solve", "three.txt", "--preset", "eran-shahar-ga"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 2
    assert [line[0] for line in done.stdout.splitlines()] == ["1", "#", "1"]
    assert "three.txt:2: " in done.stderr
