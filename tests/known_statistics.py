"""Answers of statsmodels and scikit-posthocs, kept as data: importing them takes seconds.

`python tests/known_statistics.py --write` asks them anew; tests marked `release` ask them for more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from slow_imports import Lazy

FILE = Path(__file__).parent / "data" / "statistics.json"
DIGITS = 12
"""Of the answers, which versions of the packages agree on."""

posthocs = Lazy("scikit_posthocs")
duration = Lazy("statsmodels.duration.api")
proportion = Lazy("statsmodels.stats.proportion")
multitest = Lazy("statsmodels.stats.multitest")


def known(name: str) -> list[dict[str, Any]]:
    """The questions of that name with their answers."""
    found: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))[name]
    return found


def ask_wilson(successes: int, runs: int, level: float) -> list[float]:
    """The interval of a share."""
    return list(proportion.proportion_confint(successes, runs, alpha=1 - level, method="wilson"))


def ask_holm(p_values: list[float]) -> list[float]:
    """The corrected values."""
    corrected: list[float] = multitest.multipletests(p_values, method="holm")[1].tolist()
    return corrected


def ask_survival(efforts: list[int], solved: list[bool]) -> list[list[float]]:
    """Times, shares still unsolved, and their errors by Greenwood, unknown where none are left."""
    found = duration.SurvfuncRight(np.array(efforts, float), np.array(solved))
    return [found.surv_times.tolist(), found.surv_prob.tolist(), found.surv_prob_se.tolist()]


def ask_nemenyi(table: list[list[int]]) -> list[list[float]]:
    """The p-value of every pair of columns."""
    found: list[list[float]] = (
        posthocs.posthoc_nemenyi_friedman(np.array(table)).to_numpy().tolist()
    )
    return found


ASK: dict[str, Callable[..., list[Any]]] = {
    "wilson": ask_wilson,
    "holm": ask_holm,
    "survival": ask_survival,
    "nemenyi": ask_nemenyi,
}


def questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """What is asked: edges, and samples of every size."""
    generator = np.random.default_rng(1)
    for level in (0.5, 0.8, 0.95, 0.999):
        for runs in (1, 2, 7, 40, 500):
            for successes in sorted({0, 1, int(generator.integers(runs + 1)), runs}):
                yield "wilson", {"successes": successes, "runs": runs, "level": level}
    for count in (1, 2, 3, 7, 30):
        p_values = generator.choice([0.0, 0.001, 0.01, 0.04, 0.3, 1.0], count)
        yield "holm", {"p_values": p_values.tolist()}
    for count in (1, 2, 3, 5, 8, 13, 21, 40):
        for highest, chance in ((3, 0.5), (15, 0.3), (15, 0.9), (100, 1.0)):
            efforts = generator.integers(1, highest, count, endpoint=True)
            solved = generator.random(count) < chance
            solved[0] = True  # statsmodels has no curve without an end
            yield "survival", {"efforts": efforts.tolist(), "solved": solved.tolist()}
    for puzzles in (2, 3, 8, 15):
        for algorithms in (3, 4, 6):
            table = generator.integers(0, 30, (puzzles, algorithms))
            yield "nemenyi", {"table": table.tolist()}


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return None if isnan(value) else float(f"{value:.{DIGITS}g}")


def main() -> None:
    answers: dict[str, list[dict[str, Any]]] = {name: [] for name in ASK}
    for name, asked in questions():
        answers[name].append({**asked, "answer": _rounded(ASK[name](**asked))})
    lines = (
        f'"{name}": [\n' + ",\n".join(map(json.dumps, each)) + "\n]"
        for name, each in answers.items()
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(str(__doc__))
    main()
