"""The first run of a preset, and of an operator of one's own: CPU time of new processes.

Part of `python3 run.py bench evolution`.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from benchmarks.bars import Bars
from genoku.cli import EXIT_UNSOLVED

OWN_OPERATOR = """
from genoku.custom import board_mutation
from genoku.stream import below

@board_mutation
def swap(board, blanks, rng):
    one, two = below(rng, len(blanks)), below(rng, len(blanks))
    board[blanks[one]], board[blanks[two]] = board[blanks[two]], board[blanks[one]]
"""
OWN_RUN = """
import time
from dataclasses import replace
from benchmarks.evolution import BASIC, REFERENCE, run

run(BASIC, REFERENCE, until="generations=5")
start = time.process_time()
from {module} import swap
run(BASIC, replace(REFERENCE, mutation=swap), until="generations=5")
print(time.process_time() - start)
"""


def child_cpu(arguments: list[str], **environment: str) -> tuple[float, str]:
    """The CPU seconds of one Python process with all it started, and what it printed."""
    usual = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**usual, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, EXIT_UNSOLVED) or not done.stdout:
        said = (done.stderr or done.stdout or "nothing printed").strip().splitlines()[-1]
        raise RuntimeError(f"{' '.join(arguments[:6])} failed: {said}")
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return spent, done.stdout


def first_runs(presets: tuple[str, ...], processes: int, bars: Bars) -> None:
    """Cold figures are the best of theirs: compiling is always the same work."""
    print(
        "\nfirst run of a preset, CPU s of `genoku solve --preset … --until generations=5 --json`"
    )
    if find_spec("scipy"):
        print("  (SciPy is installed here: Numba imports it, about 0.15 s of each)")
    for name in presets:
        words = f"-m genoku solve --preset {name} --until generations=5 --json".split()
        cold, warm = [], []
        try:
            for _ in range(processes):
                with tempfile.TemporaryDirectory() as folder:
                    cold.append(child_cpu(words, NUMBA_CACHE_DIR=folder)[0])
                    warm += [child_cpu(words, NUMBA_CACHE_DIR=folder)[0] for _ in range(2)]
        except RuntimeError as error:
            print(f"  {name:16} {error}")
            continue
        first, again = min(cold), median(warm)
        said = f"{bars.most(f'{name} cold', first, 5)}; {bars.most(f'{name} warm', again, 1)}"
        print(f"  {name:16} cold {first:5.2f}  warm {again:5.2f}  {said}")


def own_operator(processes: int, bars: Bars) -> None:
    """A module of its own every time, so that only the kernels that call it are warm."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        paths = os.pathsep.join((folder, str(Path(__file__).parent)))
        for number in range(processes + 1):
            module = f"own_{number}"
            Path(folder, f"{module}.py").write_text(OWN_OPERATOR)
            words = ["-c", OWN_RUN.format(module=module)]
            try:
                _, said = child_cpu(words, PYTHONPATH=paths, NUMBA_CACHE_DIR=folder)
            except RuntimeError as error:
                print(f"\na jitted operator of one's own: {error}")
                return
            times.append(float(said))
    took = median(times[1:])
    said = bars.most("own operator", took, 0.5)
    print(f"\na jitted operator of one's own, defined and first run: {took:.2f} CPU s  {said}")
