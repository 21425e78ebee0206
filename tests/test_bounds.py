"""Indices of operators of one's own are checked: what lies outside is an error with a name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import called
from slow_imports import Lazy

from genoku import Puzzle, run, run_portfolio
from genoku.errors import RecipeError
from genoku.evolve.algorithms import Genetic, Islands, Memetic
from genoku.evolve.encoding import FreeCells
from genoku.evolve.user.operators import enable_bounds_checks
from genoku.runtime.jit import JIT_IS_ON
from genoku.testing import check_operator

FOUR = "1.....3..4.....2"
EMPTY = Puzzle.parse("." * 16)
parts = Lazy("faulty_parts")
compiled = pytest.mark.skipif(not JIT_IS_ON, reason="nothing is compiled here")


GUILTY: dict[str, Callable[[], dict[str, Any]]] = {
    "beyond": lambda: {"mutation": parts.crash},
    "too_far": lambda: {"crossover": parts.too_far},
    "too_many": lambda: {"fitness": parts.too_many},
    "divides": lambda: {"fitness": parts.divides},
    "far_places": lambda: {"selection": parts.far_places},
    "few_places": lambda: {"selection": parts.few_places},
    "Late": lambda: {"mutation": parts.Late()},
    "Survivors": lambda: {"replacement": parts.Survivors()},
}


@pytest.mark.parametrize("name", GUILTY)
def test_a_part_that_goes_too_far_is_named_in_python(name: str) -> None:
    for go in (run, run_portfolio):
        algorithm = Genetic(population=4, **GUILTY[name]())
        with pytest.raises(RecipeError, match=name):
            go(EMPTY, algorithm, until="generations=5")


def test_so_is_one_inside_of_others() -> None:
    with pytest.raises(RecipeError, match="beyond"):
        run(
            EMPTY, Islands(Genetic(population=10, mutation=parts.crash), islands=2), until="steps=9"
        )
    with pytest.raises(RecipeError, match="far_places"):
        run(EMPTY, Memetic(population=4, selection=parts.far_places), until="steps=9")


@pytest.mark.parametrize("name", ["crash", "wild", "too_far", "too_many", "Wrapped"])
def test_the_contract_is_checked_with_bounds_whatever_was_asked_for(name: str) -> None:
    part = parts.Wrapped() if name == "Wrapped" else getattr(parts, name)
    with pytest.raises(AssertionError, match=r"IndexError|RecipeError"):
        check_operator(part, encodings=[FreeCells()])


def test_so_is_the_contract_of_an_algorithm() -> None:
    with pytest.raises(AssertionError, match=r"IndexError|RecipeError"):
        check_operator(Genetic(population=10, mutation=parts.wild))


def test_parts_without_unchecked_functions_stay_as_they_are() -> None:
    algorithm = Genetic(mutation=parts.crash)
    assert enable_bounds_checks(algorithm) is algorithm
    assert enable_bounds_checks(Genetic(mutation=parts.wild)) == algorithm


DOORS = [
    (2, ("solve", FOUR, "--preset", "sundy", "--set", "mutation=guilty:beyond")),
    (2, ("race", "charles", "sundy:mutation=guilty:beyond", "--puzzle", FOUR, "--seeds", "0")),
    (
        2,
        (
            *("tune", "guilty.toml", "--trust", "--puzzles", FOUR, "--trials", "1"),
            *("--instances", "1", "-o", "out.toml"),
        ),
    ),
    (1, ("study", "run", "study.toml", "--trust", "--jobs", "1")),
    (1, ("study", "plan", "study.toml", "--trust")),
]


@pytest.fixture
def guilty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "guilty", raising=False)
    (tmp_path / "guilty.py").write_text(
        "from genoku.evolve.user.operators import board_mutation\n"
        "@board_mutation\n"
        "def beyond(board, blanks, rng):\n"
        "    for i in range(len(blanks)):\n"
        "        board[blanks[i + 1]] = 1\n"
        "@board_mutation(boundscheck=False)\n"
        "def wild(board, blanks, rng):\n"
        "    for i in range(10**9):\n"
        "        board[i * 4096] = 1\n"
    )
    recipe = 'use = "genetic"\npopulation = 10\nmutation = "guilty:beyond"\n'
    (tmp_path / "guilty.toml").write_text(recipe)
    (tmp_path / "study.toml").write_text(
        f'puzzles = ["{FOUR}"]\nseeds = 1\nuntil = "generations=3"\n'
        '[[algorithms]]\npreset = "sundy"\nset.mutation = "guilty:beyond"\n'
    )
    return tmp_path


@pytest.mark.parametrize(("code", "words"), DOORS, ids=lambda each: str(each)[:24])
def test_a_part_that_goes_too_far_is_a_line_with_its_name_in_every_command(
    code: int, words: tuple[str, ...], guilty: Path
) -> None:
    done = called(*words)
    assert done.returncode == code, done.stderr
    assert [
        line for line in done.stderr.splitlines() if "guilty:beyond" in line and "IndexE" in line
    ]


@compiled
def test_a_part_that_ends_the_process_is_named_by_the_plan_of_a_study(guilty: Path) -> None:
    text = (guilty / "study.toml").read_text().replace("guilty:beyond", "guilty:wild")
    (guilty / "study.toml").write_text(text)
    done = called("study", "plan", "study.toml", "--trust")
    assert done.returncode == 1
    assert any("guilty:wild" in line and "SIGSEGV" in line for line in done.stderr.splitlines())
