"""Runs: one, several seeds or a race; their histories, results and checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.engine.history import History as History, Record as Record
    from genoku.engine.portfolio import run_portfolio as run_portfolio
    from genoku.engine.result import Ancestor as Ancestor, Result as Result
    from genoku.engine.run import Run as Run, View as View, resume as resume
    from genoku.engine.scale import FitnessScale as FitnessScale, fitness_scale as fitness_scale

__getattr__ = lazy_exports(__name__)
