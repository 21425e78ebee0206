"""How children are made: parents exchange blocks of cells, or mix the order inside groups.

Every operator owns its `rate`, the probability that a mating crosses at all; else the parents are
passed on. `CROSSOVERS` lists the operators there are.
"""

from genoku.crossover.exchange import By, OneBlock, Points, RowTails, Uniform
from genoku.crossover.mating import Crossover
from genoku.crossover.mixture import Clones, Mixed
from genoku.crossover.ordering import Agreement, Cycle, Order, PartiallyMatched

__all__ = [
    "CROSSOVERS",
    "Agreement",
    "By",
    "Clones",
    "Crossover",
    "Cycle",
    "Mixed",
    "OneBlock",
    "Order",
    "PartiallyMatched",
    "Points",
    "RowTails",
    "Uniform",
]

CROSSOVERS: tuple[type[Crossover], ...] = (
    Points,
    Uniform,
    OneBlock,
    RowTails,
    PartiallyMatched,
    Order,
    Cycle,
    Agreement,
    Mixed,
    Clones,
)
