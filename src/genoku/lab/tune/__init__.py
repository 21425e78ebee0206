"""Tuning: the search for better parameters of a recipe, and whether they really are better."""

from genoku.lab.tune.objective import Instance, Outcome
from genoku.lab.tune.search import Found, News, Tuning, finished_trials, require_optuna, search
from genoku.lab.tune.space import Choice, Dimension, Range, parse, space_of
from genoku.lab.tune.validation import Validation, instances_of, validations
from genoku.lab.tune.writing import tuned_preset

__all__ = [
    "Choice",
    "Dimension",
    "Found",
    "Instance",
    "News",
    "Outcome",
    "Range",
    "Tuning",
    "Validation",
    "finished_trials",
    "instances_of",
    "parse",
    "require_optuna",
    "search",
    "space_of",
    "tuned_preset",
    "validations",
]
