"""Time runs of the genoku that belongs to this Python: a program that `benchmarks.speed` starts.

It reads one job per line as JSON, and answers each with a line of JSON. It imports nothing of this
folder, and of genoku only `run`, which every commit has, so that old commits can be timed by it.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from typing import Any


def main() -> None:
    # What genoku prints must not come between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """Return the CPU seconds of a job and a hash of its results, or the error under `missing`."""
    try:
        return measure(**job)
    except Exception as error:  # an old commit may lack anything that a job names
        return {"missing": f"{type(error).__name__}: {error}"}


def measure(
    *, puzzles: list[str], recipe: str | dict[str, Any], seeds: list[int], until: str
) -> dict[str, Any]:
    """Make a run for each seed and puzzle; only the time inside `genoku.run` counts."""
    from genoku import run

    seconds = 0.0
    results = hashlib.sha256()
    for seed in seeds:
        for puzzle in puzzles:
            start = time.process_time()
            result = run(puzzle, recipe, seed=seed, until=until, allow_conflicts=True)
            seconds += time.process_time() - start
            results.update(result.board.tobytes())
            results.update(f" {result.cost} {result.steps} ".encode())
    return {"seconds": seconds, "result": results.hexdigest()}


if __name__ == "__main__":
    main()
