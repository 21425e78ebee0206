"""How hard a puzzle is: for a person by the techniques it needs, for a machine by its search.

Ratings are ordered by technique first and search effort second; the number of givens says little
about difficulty. The scale is genoku's own, not an SE rating.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist, fmean, stdev

from genoku.errors import ImpossibleError, PuzzleError
from genoku.puzzle.board import Puzzle
from genoku.runtime import notebook
from genoku.techniques import ORACLE_SECONDS, Level, SolvePath, solve_path

MAX_NODES = 50_000  # on one isomorph, beyond which the effort is unknown
MIN_ISOMORPHS = 4
CONFIDENCE = 0.95


@dataclass(frozen=True, repr=False)
class Rating:
    """The solve path of a puzzle, and the search nodes of random isomorphs of it."""

    path: SolvePath
    nodes: tuple[int, ...]
    """A count for each isomorph; empty if a search took more than `MAX_NODES`."""

    @property
    def puzzle(self) -> Puzzle:
        return self.path.puzzle

    @property
    def givens(self) -> int:
        return self.puzzle.givens

    @property
    def level(self) -> Level:
        """The level of the hardest technique needed, from easy to extreme."""
        return self.path.hardest.level

    @property
    def technique(self) -> str:
        """The hardest technique needed."""
        return self.path.hardest.name

    @property
    def counts(self) -> dict[str, int]:
        """The number of steps by technique, easiest first."""
        return self.path.counts

    @property
    def effort(self) -> float | None:
        """Mean search nodes to prove the solution unique; None beyond `MAX_NODES`."""
        return fmean(self.nodes) if self.nodes else None

    @property
    def effort_interval(self) -> tuple[float, float] | None:
        """A 95 % confidence interval (Student's t) for the mean effort over *all* isomorphs."""
        return mean_interval(self.nodes) if self.nodes else None

    @property
    def sort_key(self) -> tuple[int, float]:
        """Technique first, effort second; unknown effort sorts last."""
        return self.path.hardest.rank, inf if self.effort is None else self.effort

    def __repr__(self) -> str:
        return f"<Rating: {self}>"

    def __str__(self) -> str:
        return f"{self.level}: {self.technique}, {self._effort_text()}"

    def _repr_html_(self) -> str:
        return notebook.block(
            notebook.headline(f"{self.level}: {self.technique},", self._effort_text()),
            notebook.flex_row(self.puzzle.picture(style="svg"), notebook.bar_table(self.counts)),
        )

    def _effort_text(self) -> str:
        if self.effort is None or self.effort_interval is None:
            return f"search effort beyond {MAX_NODES:,} nodes"
        low, high = self.effort_interval
        return f"search effort {self.effort:.1f} ({low:.1f}–{high:.1f})"


def rate(puzzle: Puzzle | str, *, isomorphs: int = 16, seed: int = 0) -> Rating:
    """Rate how hard a puzzle is for a person and for a machine.

    Level and technique are the same for every isomorph of the puzzle. The effort is a mean over
    random isomorphs.

    Parameters
    ----------
    puzzle
        A puzzle with exactly one solution.
    isomorphs
        The number of random isomorphs on which the effort is measured, at least 4.
    seed
        Random seed of the isomorphs.

    Raises
    ------
    PuzzleError
        For conflicting givens, a full board, or too few isomorphs.
    ImpossibleError
        For a puzzle with no solution, several, or a number that could not be determined in
        60 seconds.

    Examples
    --------
    >>> rate("1.....3..4.....2").level
    'easy'
    """
    if isomorphs < MIN_ISOMORPHS:
        raise PuzzleError(
            f"expected at least {MIN_ISOMORPHS} isomorphs for an interval, got {isomorphs}"
        )
    puzzle = Puzzle.parse(puzzle)
    if puzzle.is_full and not puzzle.conflicts():
        raise PuzzleError("expected a puzzle with blanks to rate, got a full board")
    path = solve_path(puzzle)
    if not path.is_solved:
        # A path that fills the board proves that its solution is unique.
        _require_one_solution(path.reached)
    return Rating(path, _search_nodes(puzzle, isomorphs, seed))


def _require_one_solution(puzzle: Puzzle) -> None:
    from genoku.exact import oracle

    verdict = oracle.count(puzzle, limit=2, time_limit=ORACLE_SECONDS).verdict
    if verdict in ("none", "several"):
        got = "without any" if verdict == "none" else "with several"
        raise ImpossibleError(f"expected a puzzle with one solution, got one {got}")
    if verdict == "unknown":
        raise ImpossibleError(
            "expected a puzzle with one solution; could not determine within "
            f"{ORACLE_SECONDS} seconds whether it is unique"
        )


def _search_nodes(puzzle: Puzzle, isomorphs: int, seed: int) -> tuple[int, ...]:
    from genoku.exact.oracle import search_nodes
    from genoku.puzzle.isomorph import shuffled

    counts: list[int] = []
    for i in range(isomorphs):
        nodes = search_nodes(shuffled(puzzle, (seed << 20) + i), cap=MAX_NODES)
        if nodes is None:
            return ()
        counts.append(nodes)
    return tuple(counts)


def mean_interval(values: tuple[int, ...]) -> tuple[float, float]:
    """Return Student's 95 % interval for a mean that cannot be negative."""
    mean = fmean(values)
    margin = student_quantile(len(values) - 1) * stdev(values) / sqrt(len(values))
    return max(0.0, mean - margin), mean + margin


def student_quantile(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t distribution.

    Cornish and Fisher's expansion (Abramowitz & Stegun 26.7.5), accurate to 0.2 % from 3 degrees
    of freedom.
    """
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return sum(term / float(freedom) ** power for power, term in enumerate(terms))
