"""Kernels are loaded by a short trial, whatever a recipe says."""

from __future__ import annotations

from typing import Any

import pytest

from genoku.encoding import Boards
from genoku.engine import history
from genoku.engine import run as engine
from genoku.engine.history import Record
from genoku.engine.run import load_kernels_of
from genoku.geometry import Geometry
from genoku.preset_library import Preset, presets
from genoku.problem import Problem
from genoku.recipe import build
from genoku.state import declared


def test_a_trial_is_short_where_steps_are_long() -> None:
    inner = {"use": "restarts", "algorithm": {"use": "annealing", "moves": 10**15}}
    islands: Any = build({"use": "islands", "interval": 10**12, "algorithm": inner})
    load_kernels_of(islands, Geometry(3, 3))
    tried: Any = declared(islands).with_short_steps()
    assert (tried.interval, tried.algorithm.algorithm.moves) == (2, 1000)
    assert islands.algorithm.algorithm.moves == 10**15


def test_what_is_recorded_is_loaded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []

    def noted(boards: Boards, _: Problem) -> float:
        measured.append(len(boards))
        return 0.5

    monkeypatch.setattr(engine, "LOADED", set())
    monkeypatch.setattr(history, "diversity", noted)
    algorithm = presets()[0].build()
    load_kernels_of(algorithm, Geometry(2, 2))
    assert not measured
    load_kernels_of(algorithm, Geometry(2, 2), Record(diversity_every=10))
    assert measured


@pytest.mark.parametrize("each", presets(), ids=lambda each: each.name)
def test_every_preset_can_be_tried(each: Preset) -> None:
    algorithm = each.build()
    assert type(declared(algorithm).with_short_steps()) is type(algorithm)
