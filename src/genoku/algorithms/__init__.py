"""The algorithms: each is a frozen value with `start` and `step`."""

from genoku.algorithms.annealing import Annealing
from genoku.algorithms.genetic import Genetic
from genoku.algorithms.islands import Islands
from genoku.algorithms.min_conflicts import MinConflicts
from genoku.algorithms.restarts import Restarts
from genoku.state import Algorithm

__all__ = ["ALGORITHMS", "Annealing", "Genetic", "Islands", "MinConflicts", "Restarts"]

ALGORITHMS: tuple[type[Algorithm], ...] = (Genetic, Annealing, MinConflicts, Restarts, Islands)
