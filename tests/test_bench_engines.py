"""The section `engines`: the same algorithm everywhere, and what is said where it is not."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import engines
from benchmarks.engines import (
    BASIC,
    EARLY,
    ENGINES,
    REFERENCES,
    Size,
    differ,
    own_turn,
    refuse_wrong,
)
from benchmarks.environment import PROGRAMS, PeerError, Peers, install_peers
from benchmarks.sections import Plan, Table
from genoku.engine.run import run
from genoku.evolve.algorithms import Genetic
from genoku.evolve.encoding import FreeCells
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.adaptation import Constant
from genoku.evolve.problem import Problem
from genoku.runtime.jit import JIT_IS_ON
from genoku.runtime.random import stream

SMALL = Size(turns=2, generations=EARLY, own_runs=12, peer_share=0.5)
many_runs = pytest.mark.skipif(not JIT_IS_ON, reason="a hundred runs in plain Python")
PUZZLE = str(BASIC).replace(".", "0")


# Doubles of peers, which run genoku


class Double(Peers):
    """Answers as a peer's program does, with runs of genoku that it may change."""

    changes: dict[str, Any]

    def __init__(self, **changes: Any) -> None:
        super().__init__(Path("python"), {engine.package: "1.0" for engine in ENGINES})
        object.__setattr__(self, "changes", changes)

    def ask(self, program: str, job: Any, *, timeout: float = 0) -> dict[str, Any]:
        changed = self.changes.get(program)
        if isinstance(changed, Exception):
            raise changed
        algorithm = replace(REFERENCES[job["crossover"]], **(changed or {}))
        seeds = range(job["seed"] + 500, job["seed"] + 506)
        return {"speed": 1000.0, "runs": [told(algorithm, job, seed) for seed in seeds]}


def told(algorithm: Genetic, job: Any, seed: int) -> dict[str, Any]:
    result = run(BASIC, algorithm, seed=seed, until=f"generations={job['generations']}")
    history = {name: result.history[name][1:].tolist() for name in ("best", "mean")}
    board = result.state.boards[result.state.costs.argmin()]
    return {"history": history, "board": "".join(map(str, board.tolist()))}


def tables_of(peers: Peers | None) -> list[Table]:
    plan = Plan(quick=True, seed=1, puzzles=None, peers=peers, without="left out")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "QUICK", SMALL)
        return engines.measure(plan, lambda said: None)


@pytest.fixture(scope="module")
def tables() -> list[Table]:
    """PyGAD mutates too rarely, and pymoo fails; the others do as they should."""
    failed = PeerError("with_pymoo.py failed: absent")
    return tables_of(
        Double(**{"with_pygad.py": {"adaptation": Constant(0.1)}, "with_pymoo.py": failed})
    )


@many_runs
def test_peers_that_do_the_same_are_told_so_and_one_that_does_not_is_marked(
    tables: list[Table],
) -> None:
    for table in tables:
        same = {row[0]: row[-1] for row in table.rows if row[1] != "failed"}
        assert same.pop("PyGAD 1.0") == "**no**"
        assert same.pop("genoku") == ""
        assert [name.split()[0] for name in same] == ["DEAP", "DEAP", "plain"]
        assert set(same.values()) == {"yes"}


@many_runs
def test_figures_have_the_speed_of_all_and_how_much_quicker_we_are(tables: list[Table]) -> None:
    first, second = tables
    assert first.figures["two-points.deap-tuned.speed"] == 1000
    ours = second.figures["uniform.genoku.speed"]
    assert second.figures["uniform.plain-numpy.ratio"] == ours / 1000
    assert first.chart
    assert [name.split()[0] for name, _ in first.chart.series] == ["two", "uniform"]
    assert dict(first.chart.series[0][1])["DEAP"] == 1000


@many_runs
def test_a_peer_that_fails_is_left_out_and_its_words_are_kept(tables: list[Table]) -> None:
    for table in tables:
        (row,) = (row for row in table.rows if row[0].startswith("pymoo"))
        assert row[1] == "failed"
        assert "absent" in table.legend
        assert not [key for key in table.figures if "pymoo" in key]


@many_runs
def test_without_peers_their_rows_say_why_they_are_empty() -> None:
    for table in tables_of(None):
        assert [row[1] for row in table.rows[1:]] == ["left out"] * len(ENGINES)
        assert list(table.figures) == [f"{next(iter(table.figures)).split('.')[0]}.genoku.speed"]


def test_boards_that_do_not_cost_what_is_said_are_refused() -> None:
    result = run(BASIC, REFERENCES["uniform"], seed=1, until="generations=5")
    board = "".join(map(str, result.state.boards[0].tolist()))
    cost = float(result.state.costs[0])
    refuse_wrong("peer", BASIC, [board], [cost])
    with pytest.raises(PeerError, match="cost"):
        refuse_wrong("peer", BASIC, [board], [cost - 1])
    given = next(cell for cell, digit in enumerate(PUZZLE) if digit != "0")
    other = f"{board[:given]}{int(board[given]) % 9 + 1}{board[given + 1 :]}"
    with pytest.raises(PeerError, match="givens"):
        refuse_wrong("peer", BASIC, [other], [cost])


def test_means_differ_only_where_chance_does_not_explain_it() -> None:
    ours = [20.0, 22.0, 24.0] * 20
    assert not differ([23.0, 23.5], ours)
    assert differ([30.0, 30.0], ours)
    assert not differ([22.8] * 400, ours)
    assert differ([23.0] * 400, ours)


# Plain NumPy, whose program runs here as well


@pytest.fixture
def boards(monkeypatch: pytest.MonkeyPatch) -> Any:
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        pytest.skip("peers have NumPy 2")
    monkeypatch.syspath_prepend(str(PROGRAMS))
    return importlib.import_module("boards")


def wanted(boards: Any, crossover: str = "uniform", **others: Any) -> Any:
    job = {"puzzle": PUZZLE, "generations": EARLY, "seed": 1, "crossover": crossover, **others}
    return boards.Wanted(**job)


def test_a_peer_counts_costs_and_diversity_as_we_do(boards: Any) -> None:
    problem = Problem.of(BASIC, FreeCells(), Repetitions())
    drawn = problem.first_boards(50, stream(1, "peers"), None)
    ours = problem.costs(drawn).tolist()
    assert boards.costs(drawn).tolist() == ours
    assert [boards.cost(board) for board in drawn] == ours
    result = run(BASIC, REFERENCES["uniform"], seed=3, until="generations=50")
    given = np.array(list(PUZZLE), np.uint8)
    assert result.history["diversity"][-1] == pytest.approx(
        boards.diversity(result.state.boards, given)
    )


@pytest.mark.parametrize(("crossover", "ways"), [("two points", 28), ("uniform", 512)])
def test_a_peer_exchanges_whole_rows_in_every_way_there_is(
    boards: Any, crossover: str, ways: int
) -> None:
    asked = wanted(boards, crossover)
    rows = asked.masks.reshape(-1, 9, 9)
    assert len(np.unique(rows[:, :, 0], axis=0)) == len(rows) == ways
    assert (rows == rows[:, :, :1]).all()
    drawn = boards.first_boards(asked, np.random.default_rng(1))
    crossed = drawn.copy()
    masks = boards.exchanged(asked, 250, np.random.default_rng(2))
    boards.exchange(crossed, masks)
    other = np.concatenate((drawn[250:], drawn[:250]))
    assert (crossed == np.where(np.concatenate((masks, masks)), other, drawn)).all()


def test_a_peer_swaps_two_blanks_of_a_row_all_pairs_alike(boards: Any) -> None:
    asked = wanted(boards, population=4000)
    drawn = boards.first_boards(asked, np.random.default_rng(1))
    swapped, which = drawn.copy(), np.arange(0, 4000, 2)
    boards.swap(swapped, which, asked, np.random.default_rng(2))
    changed = swapped != drawn
    assert set(changed[which].sum(axis=1)) == {2}
    assert not changed[1::2].any()
    assert (np.sort(swapped.reshape(-1, 9)) == np.arange(1, 10)).all()
    assert not changed[:, asked.givens != 0].any()
    in_rows = changed.reshape(-1, 9, 9).any(axis=2).sum(axis=0)
    assert in_rows.min() > 0.7 * 2000 / len(asked.rows)  # every row as often as any


@many_runs
@pytest.mark.parametrize("crossover", REFERENCES)
def test_plain_numpy_does_the_same_as_we(boards: Any, crossover: str) -> None:
    program = importlib.import_module("with_numpy")
    theirs = []
    for seed in range(1, 31):
        asked = wanted(boards, crossover, seed=seed)
        facts = boards.facts(asked, program.evolve(asked))
        theirs.append(facts["history"]["mean"][-1])
    ours = own_turn(crossover, SMALL._replace(own_runs=60), 1)
    assert not differ(theirs, ours.means)


@pytest.mark.release
def test_every_peer_that_can_be_installed_does_the_same() -> None:
    try:
        peers = install_peers(lambda said: None)
    except PeerError as error:
        pytest.skip(str(error))
    for table in engines.measure(Plan(True, 1, None, peers), lambda said: None):
        assert [row[-1] for row in table.rows] == ["", *["yes"] * len(ENGINES)], json.dumps(
            table.rows
        )
