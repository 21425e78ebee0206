"""How statistics are told which runs were solved."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from genoku.lab.statistics import ecdf, ert, survival, time_to_solve, to_solution


@pytest.mark.parametrize("solved", [[True, False, True], [1, 0, 1], [1.0, 0.0, 1.0]])
def test_ones_and_zeros_tell_which_runs_were_solved(solved: Sequence[float]) -> None:
    efforts = [3, 5, 8]
    assert ert(efforts, solved) == 8
    assert time_to_solve(efforts, solved) == 8
    assert to_solution(efforts, solved).tolist() == [3, math.inf, 8]
    assert ecdf(efforts, solved).y.tolist() == pytest.approx([0, 1 / 3, 2 / 3])
    assert survival(efforts, solved).y.tolist() == pytest.approx([1, 2 / 3, 0])
