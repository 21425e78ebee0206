"""Python's front doors take what is meant, or say what they expect; what comes out is short."""

from __future__ import annotations

from pathlib import Path

import pytest

import genoku
from genoku import (
    GenokuError,
    ImpossibleError,
    Puzzle,
    PuzzleError,
    RecipeError,
    bundled,
    canonical,
    count,
    generate,
    generate_many,
    hint,
    is_unique,
    preset,
    rate,
    run,
    run_portfolio,
    shuffled,
    solutions,
    solve,
    solve_path,
)
from genoku.evolve.algorithms import Genetic

TEXT = "1.....3..4.....2"
PUZZLE = Puzzle.parse(TEXT)


def test_the_text_of_a_puzzle_is_a_puzzle() -> None:
    assert str(solve(TEXT)) == str(solve(PUZZLE)) == "1324423124133142"
    assert count(TEXT) == count(PUZZLE)
    assert is_unique(TEXT)
    assert len(list(solutions(TEXT))) == 1
    assert rate(TEXT) == rate(PUZZLE)
    assert hint(TEXT) == hint(PUZZLE)
    assert solve_path(TEXT) == solve_path(PUZZLE)
    assert canonical(TEXT) == canonical(PUZZLE)
    assert shuffled(TEXT, 1) == shuffled(PUZZLE, 1)
    for wrong in ("53..", 53):
        with pytest.raises(PuzzleError):
            solve(wrong)  # pyright: ignore[reportArgumentType]


def test_an_algorithm_may_be_a_preset_its_name_or_a_recipe() -> None:
    sundy = preset("sundy")
    built = run(PUZZLE, sundy.build(), seed=1, until=sundy.until)
    for choice in (sundy, "sundy", sundy.recipe):
        result = run(TEXT, choice, seed=1, until=sundy.until)
        assert (result.algorithm, result.steps) == (built.algorithm, built.steps)
    assert run_portfolio(TEXT, "sundy", seeds=[1]).steps == built.steps


def test_a_preset_brings_its_own_limits() -> None:
    assert run(TEXT, "sundy").until == preset("sundy").until
    assert run(TEXT, preset("sundy").build()).until == "generations=1000"
    assert run(TEXT, "sundy", until="generations=3").until == "generations=3"


@pytest.mark.parametrize("choice", [3, Genetic, None, "sundi"])
def test_what_is_no_algorithm_is_refused(choice: object) -> None:
    with pytest.raises(RecipeError):
        run(PUZZLE, choice)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("until", [100, 1.5, ["generations=3"]])
def test_limits_are_words(until: object) -> None:
    with pytest.raises(RecipeError, match="generations=500"):
        run(PUZZLE, "sundy", until=until)  # pyright: ignore[reportArgumentType]


def test_a_bundled_name_that_there_is_not_is_refused_with_a_suggestion() -> None:
    with pytest.raises(KeyError) as refused:
        bundled()["ai-escargt"]
    assert isinstance(refused.value, GenokuError)
    assert "ai-escargot" in str(refused.value)
    assert bundled().get("ai-escargt") is None


def test_wishes_may_be_keywords() -> None:
    made = generate(level="hard", seed=3)
    assert rate(made.puzzle).level == "hard"
    assert made == next(generate_many(level="hard", seed=3))
    with pytest.raises(ImpossibleError, match="level"):
        generate(levle="hard")


def test_presets_are_listed_however_they_are_imported() -> None:
    import genoku.evolve.presets as module
    from genoku import presets

    assert presets() == genoku.presets() == module.presets()
    assert preset("sundy") in presets()


def test_a_star_import_hides_nothing_of_pythons() -> None:
    everything: dict[str, object] = {"Path": Path}
    exec("from genoku import *", everything)
    assert everything["Path"] is Path
    assert everything["solve"] is solve


def test_results_are_short_in_a_console() -> None:
    puzzle = bundled()["ai-escargot"].puzzle
    results = [
        run(puzzle, "sundy", until="generations=2"),
        rate(puzzle),
        solve_path(puzzle),
        solve(puzzle),
        solve("11.............."),
    ]
    assert [len(repr(each)) < 150 for each in results] == [True] * 5
    assert "seed 0" in repr(results[0])
    assert "extreme" in repr(results[1])
    assert str(results[4]) == "no solution"
