"""The algorithms: each is a frozen value with `start` and `step`."""

from genoku.evolve.algorithms.annealing import Annealing as Annealing
from genoku.evolve.algorithms.champion import Champion as Champion
from genoku.evolve.algorithms.exact import Exact as Exact
from genoku.evolve.algorithms.genetic import Genetic as Genetic
from genoku.evolve.algorithms.islands import Islands as Islands
from genoku.evolve.algorithms.memetic import Memetic as Memetic
from genoku.evolve.algorithms.min_conflicts import MinConflicts as MinConflicts
from genoku.evolve.algorithms.restarts import Restarts as Restarts
from genoku.evolve.algorithms.tabu import Tabu as Tabu
from genoku.evolve.state import Algorithm

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
