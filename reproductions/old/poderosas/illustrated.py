"""Figures 1 to 4 of report 000: do they show the operators that its text describes?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.lab.page import Verdict
from reproductions.old.claims import Claim, fact
from reproductions.old.poderosas.experiments import PUBLISHED

Grid = NDArray[np.int64]
EITHER = "which may be a slip of the print or of the text that we have"


def about_the_figures() -> Iterator[Claim]:
    yield _row_crossover(PUBLISHED["figure_1"])
    yield _single_column(PUBLISHED["figure_2"])
    yield _single_point(PUBLISHED["figure_3"])
    yield _swap(PUBLISHED["figure_4"])


def grid(text: str) -> Grid:
    return np.array([[int(digit) for digit in row] for row in text.split()])


def _row_crossover(figure: dict[str, Any]) -> Claim:
    (one, two), children = (list(map(grid, figure[key])) for key in ("parents", "children"))
    cut = figure["row"]
    made = [np.vstack([one[:cut], two[cut:]]), np.vstack([two[:cut], one[cut:]])]
    wrong = sum(int((ours != theirs).sum()) for ours, theirs in zip(made, children, strict=True))
    verdict: Verdict = "holds" if not wrong else "undecided" if wrong == 1 else "fails"
    longest = max(map(len, children))
    return Claim(
        f"Figure 1 shows row crossover at row {cut}.",
        "appendix, Figure 1",
        verdict,
        f"Of {sum(child.size for child in children)} cells of the children {wrong} is another, "
        f"{EITHER}. Some of its boards have {longest} rows, and every row is marked “swapped”.",
    )


def _single_column(figure: dict[str, Any]) -> Claim:
    """Outside of the column nothing may change."""
    parents, children = (list(map(grid, figure[key])) for key in ("parents", "children"))
    others = np.arange(9) != figure["column"]
    wrong, exchanged = (
        sum(
            int((child[:, others] != parent[:, others]).any(axis=1).sum())
            for parent, child in zip(parents, order, strict=True)
        )
        for order in (children, children[::-1])
    )
    return fact(
        f"Figure 2 shows single column crossover at column {figure['column']}.",
        "appendix, Figure 2",
        holds=0 in (wrong, exchanged),
        because="The operator changes one column; in the figure whole rows change places. Outside "
        f"of the column {wrong} of {2 * len(parents[0])} rows differ from the child's parent, and "
        f"{exchanged} if the children have each other's names.",
    )


def _single_point(figure: dict[str, Any]) -> Claim:
    """With or without the column itself, by the template or by the labels of the rows."""
    (one, two), children = (list(map(grid, figure[key])) for key in ("parents", "children"))
    column, template = figure["column"], grid(figure["template"])
    mutable = (template[:, column] == 0, template[:, column] == 1, np.array(figure["mutable"]))
    right = 0
    for start, rows in product((column, column + 1), mutable):
        made = [one.copy(), two.copy()]
        made[0][rows, start:], made[1][rows, start:] = two[rows, start:], one[rows, start:]
        pairs = zip(made, children, strict=True)
        right = max(right, sum(int((mine == its).all(axis=1).sum()) for mine, its in pairs))
    clashing = int((mutable[0] != mutable[2]).sum())
    return fact(
        f"Figure 3 shows single point crossover at column {column}.",
        "appendix, Figure 3",
        holds=right == 2 * len(one),
        because=f"Of {2 * len(one)} rows of the children at most {right} are as described, with "
        "or without the column itself, by the template or by the labels. The labels Mutable and "
        f"Immutable contradict the template in {clashing} of {len(one)} rows.",
    )


def _swap(figure: dict[str, Any]) -> Claim:
    made, places = list(figure["before"]), figure["swapped"]
    for here, there in (places, places[::-1]):
        made[here] = figure["before"][there]
    blank = all(figure["row"][place] == "0" for place in places)
    return fact(
        "Figure 4 shows a swap of two blanks in a row.",
        "appendix, Figure 4",
        holds=blank and "".join(made) == figure["after"],
        because=f"{figure['before']} becomes {figure['after']}: the cells {places[0]} and "
        f"{places[1]}, both blank in the template, change places. Its heading is that of Figure 3.",
    )
