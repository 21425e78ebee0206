"""The algorithms: each is a frozen value with `start` and `step`."""

from genoku.evolve.algorithms.annealing import Annealing
from genoku.evolve.algorithms.champion import Champion
from genoku.evolve.algorithms.exact import Exact
from genoku.evolve.algorithms.genetic import Genetic
from genoku.evolve.algorithms.islands import Islands
from genoku.evolve.algorithms.memetic import Memetic
from genoku.evolve.algorithms.min_conflicts import MinConflicts
from genoku.evolve.algorithms.restarts import Restarts
from genoku.evolve.algorithms.tabu import Tabu
from genoku.evolve.state import Algorithm

__all__ = [
    "ALGORITHMS",
    "Annealing",
    "Champion",
    "Exact",
    "Genetic",
    "Islands",
    "Memetic",
    "MinConflicts",
    "Restarts",
    "Tabu",
]

ALGORITHMS: tuple[type[Algorithm], ...] = (
    Genetic,
    Annealing,
    MinConflicts,
    Tabu,
    Memetic,
    Champion,
    Restarts,
    Islands,
    Exact,
)
