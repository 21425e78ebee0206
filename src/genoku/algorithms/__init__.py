"""The algorithms: each is a frozen value with `start` and `step`."""

from genoku.algorithms.annealing import Annealing
from genoku.algorithms.champion import Champion
from genoku.algorithms.exact import Exact
from genoku.algorithms.genetic import Genetic
from genoku.algorithms.islands import Islands
from genoku.algorithms.memetic import Memetic
from genoku.algorithms.min_conflicts import MinConflicts
from genoku.algorithms.restarts import Restarts
from genoku.algorithms.tabu import Tabu
from genoku.state import Algorithm

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
