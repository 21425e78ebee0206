"""When two losses mean the same."""

from __future__ import annotations

import json

from genoku.fitness import Fitness
from genoku.recipe import describe


def scale_of(fitness: Fitness) -> str:
    """The scale of a fitness function's losses: all of its recipe, parameters included.

    >>> from genoku.fitness import MissingDigits
    >>> scale_of(MissingDigits(penalty=2)) == scale_of(MissingDigits(penalty=6))
    False
    """
    return json.dumps(describe(fitness), sort_keys=True)
