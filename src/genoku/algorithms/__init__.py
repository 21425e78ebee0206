"""The algorithms: each is a frozen value with `start` and `step`."""

from genoku.algorithms.genetic import Genetic

__all__ = ["ALGORITHMS", "Genetic"]

ALGORITHMS = (Genetic,)
