"""Algorithms as data: the catalogue of parts, and the way from a recipe to an algorithm and back.

A recipe is what TOML can say. A part is its name, or a table with its name under `use` and any of
its parameters; a name with a colon is a user's own, `module:name`, which is imported only if the
caller trusts it.

>>> genetic = build({"use": "genetic", "population": 50, "fitness": "unique-squared"})
>>> genetic.population, genetic.fitness, build(describe(genetic)) == genetic
(50, UniqueSquared(), True)
>>> changed({"use": "genetic", "fitness": "unique"}, ["population=80", "fitness=repetitions"])
{'use': 'genetic', 'fitness': 'repetitions', 'population': 80}
"""

from genoku.recipe.building import (
    CATALOG,
    Recipe,
    Trust,
    as_toml,
    build,
    build_part,
    changed,
    describe,
    part,
    with_value,
)
from genoku.recipe.listing import catalogue

__all__ = [
    "CATALOG",
    "Recipe",
    "Trust",
    "as_toml",
    "build",
    "build_part",
    "catalogue",
    "changed",
    "describe",
    "part",
    "with_value",
]
