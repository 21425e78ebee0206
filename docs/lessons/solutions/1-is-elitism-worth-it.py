from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class KeepBest:
    """Keep all children except the worst, which the best old board replaces."""

    def __call__(self, brood, problem, rng):
        population = len(brood.costs)
        survivors = np.arange(population)
        survivors += population  # all places hold children
        survivors[brood.new_costs.argmax()] = brood.costs.argmin()
        return survivors
