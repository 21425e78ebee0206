from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class KeepBest:
    """The children live on, but the best old board takes the place of the worst child."""

    def __call__(self, brood, problem, rng):
        population = len(brood.costs)
        survivors = np.arange(population)
        survivors += population  # every chair is a child's
        survivors[brood.new_costs.argmax()] = brood.costs.argmin()
        return survivors
