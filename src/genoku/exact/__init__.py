"""The oracle: solve, count and prove by propagation and backtracking, or by a SAT solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.exact.oracle import (
        Count as Count,
        Solution as Solution,
        count as count,
        count_many as count_many,
        is_unique as is_unique,
        solutions as solutions,
        solve as solve,
    )

__getattr__ = lazy_exports(__name__)
