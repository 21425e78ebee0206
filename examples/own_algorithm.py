"""Your own algorithm: late acceptance, a hill climber (Burke and Bykov 2017).

    python examples/own_algorithm.py

It accepts a board that is no worse than the current one, or than the one `length` moves ago. The
script checks, runs, saves and resumes it, wraps it in restarts and compares it with annealing.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from genoku import bundled, resume, run
from genoku.errors import RecipeError
from genoku.evolve import (
    MUTATIONS,
    NO_BIRTHS,
    Algorithm,
    Annealing,
    Boards,
    Encoding,
    Fitness,
    Mutation,
    PermutedBoxes,
    Problem,
    Repetitions,
    Restarts,
    State,
    Stream,
    Swap,
    births_without_parents,
    refuse_misfits,
)
from genoku.testing import check_operator


@dataclass(frozen=True)
class LateAcceptance:
    """Accept a board no worse than the current one, or than the one `length` moves ago."""

    encoding: Encoding = PermutedBoxes()
    fitness: Fitness = Repetitions()
    mutation: Mutation = Swap("box")
    length: int = 10
    moves: int = 500

    def __post_init__(self) -> None:
        if self.length < 1 or self.moves < 1:
            raise RecipeError(
                f"expected length and moves of 1 or more, got {self.length} and {self.moves}"
            )
        refuse_misfits(self.encoding, self.fitness, {"mutation": (self.mutation, MUTATIONS)})

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        rng = rng.copy()
        boards = problem.first_boards(1, rng, boards)
        costs = problem.costs(boards)
        ids = np.arange(1)
        return State(
            rng,
            boards,
            costs,
            ids,
            born=1,
            births=births_without_parents(ids),
            evaluations=1,
            arrays={"late": np.full(self.length, costs[0])},
            finished="" if costs[0] else "solved",
        )

    def step(self, problem: Problem, state: State) -> State:
        """Make `moves` moves."""
        rng, boards, costs = state.rng.copy(), state.boards, state.costs
        late, move = state.arrays["late"].copy(), state.moves
        while move < state.moves + self.moves and costs[0] > 0:
            tried = self.mutation(boards, 1.0, problem, rng)
            cost = problem.costs(tried)
            if cost[0] <= costs[0] or cost[0] <= late[move % self.length]:
                boards, costs = tried, cost
            late[move % self.length] = costs[0]
            move += 1
        return state._replace(
            rng=rng,
            boards=boards,
            costs=costs,
            births=NO_BIRTHS,
            step=state.step + 1,
            evaluations=state.evaluations + move - state.moves,
            moves=move,
            arrays={"late": late},
            finished="" if costs[0] else "solved",
        )


def main() -> None:
    check_operator(LateAcceptance(moves=20))  # raises AssertionError if it breaks the contract
    puzzle = bundled()["charles-hard"].puzzle
    singles = PermutedBoxes(fixed="singles")
    mine = LateAcceptance(singles)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.ckpt"
        run(puzzle, mine, seed=1, until="steps=3", checkpoint=file)
        later = resume(file, until="steps=6", trust=True)  # it names this module
    whole = run(puzzle, mine, seed=1, until="steps=6")
    print(f"saved, resumed, the same: {later.history == whole.history}")

    rivals: dict[str, Algorithm] = {
        "late acceptance": mine,
        "… with restarts": Restarts(mine, after="stagnation=10"),
        "annealing": Annealing(singles, moves=500),
    }
    for name, algorithm in rivals.items():
        runs = [run(puzzle, algorithm, seed=seed, until="moves=10000") for seed in range(5)]
        solved, moves = (sum(getattr(r, what) for r in runs) for what in ("solved", "moves"))
        print(f"{name}: {solved} of {len(runs)} runs solved, {moves:,} moves in all")


if __name__ == "__main__":
    main()
