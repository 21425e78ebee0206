"""Compile the kernels that many tests use, so that no two test processes compile the same ones.

`run.py` starts it while the development tools are installed; it requires nothing but genoku.
"""

from __future__ import annotations

from genoku import canonical, count, generate, presets, rate, run, shuffled
from genoku.evolve.recipe import CATALOG
from genoku.testing import check_operator

CHECKED = ("encoding", "fitness", "selection", "crossover", "mutation", "replacement", "diversity")


def main() -> None:
    """Run every preset for two steps, check every operator, and make and judge a puzzle."""
    for preset in presets():
        run(preset.puzzle, preset, until="steps=2")
    for kind in CHECKED:
        for part in CATALOG[kind].values():
            check_operator(part(), kind, seeds=[1])
    made = generate(seed=1).puzzle
    rate(made)
    count(made)
    canonical(shuffled(made, seed=1))


if __name__ == "__main__":
    main()
