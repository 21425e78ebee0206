"""Statistics of stochastic solvers, on plain arrays.

A run has an effort (evaluations, moves, steps, CPU seconds) and a verdict, solved or not. Where
samples of efforts are compared by rank, an unsolved run is infinity. What cannot be computed is
said in words: as a `GenokuError` for input that makes no sense (nothing, NaN), as a `note` for
data that cannot tell.
"""

from genoku.lab.statistics.comparison import (
    Comparison,
    holm,
    mann_whitney,
    smallest_p,
    van_elteren,
    wilcoxon,
)
from genoku.lab.statistics.curves import (
    Bands,
    Curve,
    Trace,
    ecdf,
    fixed_budget,
    fixed_target,
    quantile_bands,
    survival,
)
from genoku.lab.statistics.effect import Effect, a12, magnitude, stratified_a12
from genoku.lab.statistics.means import MeanComparison, Moments, student, welch
from genoku.lab.statistics.ranking import (
    Friedman,
    cliques,
    critical_difference,
    friedman,
    nemenyi,
)
from genoku.lab.statistics.runtime import (
    Quartiles,
    RunningTime,
    common_budget,
    ert,
    ert_interval,
    ert_ratio_interval,
    quartiles_to_solve,
    running_time,
    time_to_solve,
    to_solution,
)
from genoku.lab.statistics.sample_size import (
    fewest_runs,
    hint,
    hint_shares,
    runs_for_a12,
    runs_for_shares,
)
from genoku.lab.statistics.samples import (
    LEVEL,
    Description,
    Interval,
    describe,
    midranks,
    p_text,
)
from genoku.lab.statistics.success import Proportion, fisher, wilson

__all__ = [
    "LEVEL",
    "Bands",
    "Comparison",
    "Curve",
    "Description",
    "Effect",
    "Friedman",
    "Interval",
    "MeanComparison",
    "Moments",
    "Proportion",
    "Quartiles",
    "RunningTime",
    "Trace",
    "a12",
    "cliques",
    "common_budget",
    "critical_difference",
    "describe",
    "ecdf",
    "ert",
    "ert_interval",
    "ert_ratio_interval",
    "fewest_runs",
    "fisher",
    "fixed_budget",
    "fixed_target",
    "friedman",
    "hint",
    "hint_shares",
    "holm",
    "magnitude",
    "mann_whitney",
    "midranks",
    "nemenyi",
    "p_text",
    "quantile_bands",
    "quartiles_to_solve",
    "running_time",
    "runs_for_a12",
    "runs_for_shares",
    "smallest_p",
    "stratified_a12",
    "student",
    "survival",
    "time_to_solve",
    "to_solution",
    "van_elteren",
    "welch",
    "wilcoxon",
    "wilson",
]
