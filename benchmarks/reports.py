"""Published figures of the reports beside ours: means over seeded runs.

python3 run.py bench reports [--seeds 20]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from genoku import bundled
from genoku.engine.history import Record
from genoku.engine.result import Result
from genoku.engine.run import run
from genoku.preset_library import preset

# Report 002, mean ± sd of the normalized loss after 100 generations, 5 runs each, puzzle `hard`.
LOSSES = [
    ("charles-roulette-uniform", "0.266 ± 0.009"),
    ("charles-unique-squared-roulette-uniform", "0.396 ± 0.010"),
    ("charles-tournament-uniform", "0.060 ± 0.007"),
    ("charles-unique-squared-tournament-uniform", "0.093 ± 0.019"),
    ("charles-uniform", "0.032 ± 0.013"),
    ("charles-repetitions-uniform", "0.040 ± 0.014"),
    ("charles-unique-squared-uniform", "0.053 ± 0.008"),
    ("charles-repetitions-tournament", "0.049 ± 0.007"),
    ("charles-repetitions", "0.023 ± 0.009"),
    ("charles", "0.034 ± 0.011"),
    ("charles-as-coded", "0.034 ± 0.011"),
    ("charles-elite", "0.026 ± 0.010"),
    ("charles-unique-squared", "0.047 ± 0.010"),
    ("charles-roulette", "0.264 ± 0.010"),
    ("charles-roulette-elite", "0.224 ± 0.015"),
]
# Report 003, best of 500 generations; report 000, best after 150 generations.
SCORES = [
    ("simon", "", "144–171"),
    ("simon-t20", "", "162–180"),
    ("simon-16", "", "288–320"),
    ("simon-25", "", "625"),
    ("poderosas-t250", "poderosas-easy", "> 0.95"),
    ("poderosas-column-swap-column-t250", "poderosas-medium", "0.89"),
    ("poderosas", "poderosas-medium", ""),
    ("poderosas", "poderosas-difficult-21", ""),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    seeds = parser.parse_args().seeds
    print(f"{seeds} runs of each, seeds 0 to {seeds - 1}\n")
    print("report 002, normalized loss after 100 generations of 1500, charles-hard")
    for name, published in LOSSES:
        show(name, "", published, seeds, lambda result: result.loss)
    print("\nreports 003 and 000, best score")
    for name, puzzle, published in SCORES:
        show(name, puzzle, published, seeds, lambda result: result.score)


def show(
    name: str, puzzle: str, published: str, seeds: int, measured: Callable[[Result], float]
) -> None:
    chosen = preset(name)
    board = bundled()[puzzle].puzzle if puzzle else chosen.puzzle
    algorithm, few = chosen.build(), Record(fields=("gen",), every=1000)
    start = time.process_time()
    values = [
        measured(
            run(
                board,
                algorithm,
                seed=seed,
                until=chosen.until,
                record=few,
                allow_conflicts=True,
            )
        )
        for seed in range(seeds)
    ]
    seconds = time.process_time() - start
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    mean = statistics.mean(values)
    print(
        f"  {name + (f' on {puzzle}' if puzzle else ''):<52} published {published or '-':<15} "
        f"ours {mean:.4g} ± {spread:.2g} ({min(values):.4g} to {max(values):.4g}), "
        f"{seconds:.1f} s CPU",
        flush=True,
    )
