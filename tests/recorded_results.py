"""Hashes of short runs: what `RESULTS_VERSION` promises to stay the same.

`python tests/recorded_results.py --write` records them anew; do so only with a higher version.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from runs import ALGORITHMS, BASIC

from genoku import RESULTS_VERSION, Algorithm, Preset, Puzzle, presets, run
from genoku.evolve.recipe import as_toml

FILE = Path(__file__).parent / "data" / "results.toml"
SEED = 5
LIMIT = "steps=10"


def recorded() -> dict[str, Any]:
    """The version and the hashes on file."""
    return tomllib.loads(FILE.read_text("utf-8"))


def current() -> dict[str, Any]:
    """The version, and the hashes of a run of every preset and of every algorithm."""
    return {
        "results_version": RESULTS_VERSION,
        "presets": {each.name: _hash(each.puzzle, each) for each in presets()},
        "algorithms": {name: _hash(BASIC, each) for name, each in ALGORITHMS.items()},
    }


def _hash(puzzle: Puzzle, algorithm: Preset | Algorithm) -> str:
    result = run(puzzle, algorithm, seed=SEED, until=LIMIT)
    digest = blake2b(digest_size=8)
    for array in (result.board, *_arrays(result.state)):
        digest.update(array.tobytes())
    return digest.hexdigest()


def _arrays(state: Any) -> Iterator[Any]:
    yield from (state.boards, state.costs, state.rng)
    for inner in state.inner:
        yield from _arrays(inner)


def main() -> None:
    FILE.write_text(as_toml(current()), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(str(__doc__))
    main()
