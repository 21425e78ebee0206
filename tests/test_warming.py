"""Kernels are loaded by a short trial, whatever a recipe says."""

from __future__ import annotations

from typing import Any

import pytest

from genoku.geometry import Geometry
from genoku.presets import Preset, presets
from genoku.recipe import build
from genoku.warming import hasty, load_kernels_of


def test_a_trial_is_short_where_steps_are_long() -> None:
    inner = {"use": "restarts", "algorithm": {"use": "annealing", "moves": 10**15}}
    islands: Any = build({"use": "islands", "interval": 10**12, "algorithm": inner})
    load_kernels_of(islands, Geometry(3, 3))
    tried: Any = hasty(islands)
    assert (tried.interval, tried.algorithm.algorithm.moves) == (2, 1000)
    assert islands.algorithm.algorithm.moves == 10**15


@pytest.mark.parametrize("each", presets(), ids=lambda each: each.name)
def test_every_preset_can_be_tried(each: Preset) -> None:
    algorithm = each.build()
    assert type(hasty(algorithm)) is type(algorithm)
