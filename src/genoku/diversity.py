"""Keeping a population varied: every operator names the children that random boards replace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.encoding import Boards
from genoku.problem import Problem
from genoku.stream import Stream


class Diversity(Protocol):
    """Places of the children to be replaced by random boards."""

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]: ...


@dataclass(frozen=True)
class AsItComes:
    """Replace none: the reports' way."""

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]:
        return NONE


NONE: NDArray[np.int64] = np.empty(0, np.int64)

DIVERSITIES: tuple[type[Diversity], ...] = (AsItComes,)
