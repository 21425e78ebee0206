"""Kernels are loaded by a short trial, whatever a recipe says."""

from __future__ import annotations

from typing import Any

import pytest

from genoku.engine import history, run as engine
from genoku.engine.history import Record
from genoku.engine.run import warm_up
from genoku.evolve.encoding import Boards
from genoku.evolve.presets import Preset, presets
from genoku.evolve.problem import Problem
from genoku.evolve.recipe import build
from genoku.evolve.state import as_search
from genoku.puzzle.geometry import Geometry


def test_a_trial_is_short_where_steps_are_long() -> None:
    inner = {"use": "restarts", "algorithm": {"use": "annealing", "moves": 10**15}}
    islands: Any = build({"use": "islands", "interval": 10**12, "algorithm": inner})
    warm_up(islands, Geometry(3, 3))
    tried: Any = as_search(islands).with_short_steps()
    assert (tried.interval, tried.algorithm.algorithm.moves) == (2, 1000)
    assert islands.algorithm.algorithm.moves == 10**15


def test_what_is_recorded_is_loaded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []

    def noted(boards: Boards, _: Problem) -> float:
        measured.append(len(boards))
        return 0.5

    monkeypatch.setattr(engine, "WARM", set())
    monkeypatch.setattr(history, "diversity", noted)
    algorithm = presets()[0].build()
    warm_up(algorithm, Geometry(2, 2))
    assert not measured
    warm_up(algorithm, Geometry(2, 2), Record(diversity_every=10))
    assert measured


@pytest.mark.parametrize("each", presets(), ids=lambda each: each.name)
def test_every_preset_can_be_tried(each: Preset) -> None:
    algorithm = each.build()
    assert type(as_search(algorithm).with_short_steps()) is type(algorithm)
