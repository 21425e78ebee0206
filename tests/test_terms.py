"""The words of the reports and textbooks lead to what they are here."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click import Context

from genoku import bundled
from genoku.cli.main import cli
from genoku.evolve.parts import works
from genoku.evolve.presets import preset
from genoku.evolve.recipe import CATALOG, build, build_part, describe, with_settings
from genoku.evolve.stopping import Until
from genoku.evolve.terms import Meaning, find, known_terms, terms, terms_of
from genoku.runtime.text import name_key

ENTRIES = terms()

# What a reader of each source would type, and where it leads.
OPERATORS = {
    "report-000": {
        "roulette wheel": "roulette",
        "Fitness Proportional Selection": "roulette",
        "Tournament Selection": "tournament",
        "Rank-Based Selection": "rank",
        "Row Crossover": "points",
        "Single Column Crossover": "one-block",
        "Single Point Crossover": "row-tails",
        "row mutation": "swap",
        "column swap mutation": "swap",
        "block swap mutation": "swap",
        "partially matched crossover": "partially-matched",
        "inversion mutation": "inversion",
        "normalized_fitness": "normalised",
        "max_conflicts": "normalised",
        "elitism": "replacement.elites",
        "pop_size": "population",
        "population size": "population",
        "tournament_size": "selection.size",
        "mutation_rate": "adaptation.rate",
        "generation_size": "until",
        "template": "puzzle",
        "model 5": "poderosas-column-swap-column-t250",
        "model 7": "poderosas-point-swap-row-t250",
        "model 9": "poderosas-point-swap-box-t250",
        "model 19": "poderosas-point-swap-box-rate0.1",
        "best model": "poderosas",
        "As Poderosas": "poderosas",
        "grid": "board",
        "sub-grid": "box",
        "generator": "genoku generate",
        "unique solution": "genoku check",
        "conflict": "normalised",
        "duplicate numbers": "normalised",
        "maximization problem": "fitness",
        "genetic diversity": "diversity",
        "random subset": "tournament",
        "premature convergence": "diversity",
        "new population": "generational",
        "best fitness value": "score",
        "combination": "variant",
        "grid search": "genoku study",
        "hyperparameters": "option",
        "Sudoku levels": "genoku rate",
        "convergence": "curve",
        "stability": "replacement.elites",
        "statistical validation": "genoku race",
        "fitness score": "normalised",
        "Figure 3": "row-tails",
        "Figure 12": "genoku reproduce",
        "solved puzzle": "solved",
        "initial grid": "puzzle",
        "original filled cells": "given",
        "random numbers": "free-cells",
        "fittest individuals": "tournament",
        "mutation type": "mutation",
    },
    "report-001": {
        "fixed cell": "given",
        "contradiction": "contradictions",
        "legal value": "legal-cells",
        "gene": "blank",
        "chromosome": "board",
        "best half": "truncation",
        "point of crossover": "points",
        "random gene": "reset",
        "genetic algorithm": "eran-shahar-ga",
        "simulated annealing": "min-conflicts",
        "approximated solution": "board",
        "neighbor solution": "min-conflicts",
        "improving value": "min-conflicts",
        "worst cell": "min-conflicts",
        "downhill move": "min-conflicts",
        "outputs failure": "min-conflicts",
        "maximal number of generations": "until",
        "fitness-based probability": "inverted-roulette",
        "several crossover points": "points",
        "more varied population": "eran-shahar-ga-varied",
        "region": "box",
        "logical hardness": "genoku rate",
        "stochastic methods": "algorithm",
        "local maximum": "min-conflicts",
        "global minimum": "solved",
        "fitness value": "contradictions",
        "equally distributed probability": "truncation",
        "cycle of life": "genetic",
        "marked as tested": "min-conflicts",
        "probability of selecting a downhill move": "chance.start",
        "Avg. running time": "time until solved",
        "solving attempts": "seed",
        "Board level": "puzzle",
        "medium (2)": "9x9-easy",
        "solution example": "poderosas-medium",
        "blank": "blank",
        "several parents": "points",
        "mate": "truncation",
        "constraints": "contradictions",
        "random population": "legal-cells",
        "varied genome": "points",
    },
    "report-002": {
        "crossover.py": "crossover",
        "coordinates": "cell",
        "evaluate_unique": "unique",
        "evaluate_repetitions": "repetitions",
        "unique_squared": "unique-squared",
        "fps": "roulette",
        "tournament": "tournament",
        "rank": "rank",
        "sp_co_row": "points",
        "sp_co_cell": "points",
        "tp_co_box": "points",
        "Single point crossover": "mixed",
        "two_point": "mixed",
        "random_co": "mixed",
        "swap_in_row": "swap",
        "Swap in column": "swap",
        "swap-in-box": "swap",
        "swap": "swap",
        "uniform_one": "reset",
        "get_count": "binomial",
        "co_prob": "crossover.rate",
        "mu_prob": "mutation.repeats.p",
        "gens": "until",
        "box_to_row": "box",
        "normalized loss": "errors",
        "puzzle": "puzzle",
        "missing values": "blank",
        "nested list": "line",
        "non-zero values": "given",
        "box": "box",
        "cell": "cell",
        "solved": "solved",
        "level of difficulty": "genoku rate",
        "minimal fitness value": "unique",
        "cellwise": "points",
        "dimensions": "unit",
        "value": "digit",
    },
    "report-003": {
        "greatly reduced": "adaptation.factor",
        "general flow": "genetic",
        "Sudoku_GA": "simon",
        "capped": "adaptation.limit",
        "element": "cell",
        "block": "box",
        "fitness map": "complete-units",
        "parent pool": "pool",
        "children pool": "genetic",
        "candidate pool": "genetic",
        "canidate_pool": "genetic",
        "elite individual": "tournaments",
        "single point crossover": "points",
        "random block": "shuffle",
        "current mutation rate": "stagnation",
        "MUTATION_PROB": "adaptation.start",
        "X generations": "adaptation.patience",
        "Pop Size": "population",
        "Tourn Size": "selection.inner.size",
        "Generation Limit": "until",
        "base fitness": "complete-units",
        "optimal fitness": "complete-units",
        "long_run": "simon-long",
        "run_5": "simon-t20",
        "run_1": "simon",
        "16x16_run2": "simon-16",
        "25x25_run1": "simon-25",
        "real Sudoku puzzles": "simon-puzzle",
        "puzzle": "board",
        "elements": "cell",
        "three rules of Sudoku": "complete-units",
        "matrix of blocks": "permuted-boxes",
        "red": "--colours map",
        "optimal solution": "solved",
        "diversity in the population": "diversity",
        "local optimum": "stagnation",
        "stagnant": "stagnation",
        "solution space": "encoding",
        "Run Name": "preset",
        "Best Fitness": "score",
        "average fitness": "mean_score",
        "ID": "--individuals",
        "scatter": "--plot",
        "9 by 9 Sudoku Puzzle": "simon",
        "16 by 16 Sudoku Puzzle": "simon-16",
        "perfect square": "N×N",
        "Tkinter": "genoku evolve",
    },
    "report-004": {
        "L/2": "uniform",
        "some slack": "mutation.limit",
        "loop terminates": "solved",
        "original positions": "given",
        "chromosome": "board",
        "sub-grid": "box",
        "genes": "box",
        "initial population generation": "permuted-boxes",
        "extra penalty": "missing-digits",
        "mating pool": "pool",
        "mating pool size": "selection.size",
        "binary tournament": "tournament",
        "Uniform Crossover": "uniform",
        "binary crossover mask": "uniform",
        "Swap Mutation": "ruled-swap",
        "slack": "mutation.limit",
        "crossover probability": "crossover.rate",
        "mutation probability": "adaptation.rate",
        "horizon effect": "no-twins",
        "mask": "uniform",
        "sub-grids": "box",
        "given numbers": "given",
        "equality constraints": "missing-digits",
        "cardinality": "missing-digits",
        "vectors": "row or column",
        "ordered list": "worst-first",
        "stronger chromosomes": "pool",
        "two different parents": "pool",
        "carried over": "crossover.rate",
        "local optimum": "no-twins",
        "effective crossing point": "uniform",
        "heuristic": "ruled-swap",
        "destination rows and columns": "ruled-swap",
        "set A": "missing-digits",
        "defined by the user": "option",
        "copies": "crossover.rate",
    },
    "": {
        "FPS": "roulette",
        "SUS": "universal-sampling",
        "linear ranking": "rank",
        "exponential ranking selection": "exponential-rank",
        "truncation selection": "truncation",
        "one-point crossover": "points",
        "2-point crossover": "points",
        "n-point crossover": "points",
        "uniform crossover": "uniform",
        "PMX": "partially-matched",
        "partially mapped crossover": "partially-matched",
        "OX": "order",
        "CX": "cycle",
        "RRR": "agreement",
        "swap mutation": "swap",
        "scramble mutation": "scramble",
        "random resetting": "reset",
        "1/5 success rule": "one-fifth",
        "hypermutation": "stagnation",
        "cooling schedule": "exponential",
        "elitism": "replacement.elites",
        "(μ + λ)": "plus",
        "(mu, lambda)": "comma",
        "steady-state": "worst-first",
        "niching": "crowding",
        "random immigrants": "immigrants",
        "genetic algorithm": "genetic",
        "hill climbing": "annealing",
        "tabu search": "tabu",
        "min-conflicts heuristic": "min-conflicts",
        "simulated annealing": "annealing",
        "memetic algorithm": "memetic",
        "island model": "islands",
        "backtracking": "exact",
        "headless chicken": "champion-chicken",
        "gene": "blank",
        "allele": "digit",
        "chromosome": "board",
        "individual": "board",
        "fitness function": "fitness",
        "representation": "encoding",
        "generation": "until",
        "temperature": "algorithm.temperature",
        "population": "population",
        "mutation rate": "adaptation.rate",
    },
}

# Terms that sources use for different things; whoever adds one decides that both are meant.
SEVERAL = {
    *("001", "report001", "eran&shahar", "eranshahar", "eranandshahar"),
    *("ga", "geneticalgorithm", "simplegeneticalgorithm", "sga", "canonicalgeneticalgorithm"),
    *("evolutionaryalgorithm", "ea", "evolutionstrategy", "es"),
    *("sa", "simulatedannealing", "simulatedannealingbasedalgorithm", "tabusearch", "ts"),
    *("memeticalgorithm", "ma", "hybridgeneticalgorithm", "geneticlocalsearch"),
    *("lamarckianevolution", "gene", "genes", "singlepoint", "swap", "mutationrate"),
    *("puzzle", "sudokupuzzle", "localoptimum"),
    *("twopoint", "tournamentsize", "mutationprobability", "run1", "run2", "run3"),
}


def builds(meaning: Meaning) -> bool:
    """Whether what is meant exists, with settings that fit."""
    if meaning.kind in CATALOG:
        made = build_part(meaning.kind, meaning.recipe)
        described = describe(made)
        return all(key in described for key in meaning.settings)
    if meaning.kind == "option":
        recipe = describe(preset(meaning.preset).build())
        if meaning.name == "until":
            return bool(Until.parse(meaning.settings["until"]).ways)
        assert next(iter(meaning.settings)) == meaning.name
        before, after = dict(flat(recipe)), build(with_settings(recipe, meaning.settings))
        return set(meaning.settings) <= before.keys() and describe(after)["use"] == recipe["use"]
    if meaning.kind == "preset":
        return preset(meaning.name).name == meaning.name
    if meaning.kind == "puzzle":
        return meaning.name in bundled()
    return meaning.kind == "word" or meaning.name in CATALOG


def flat(recipe: Any, path: str = "") -> Any:
    """All values of a recipe, parts included, by their paths."""
    for key, value in recipe.items():
        yield f"{path}{key}", value
        if isinstance(value, dict):
            yield from flat(value, f"{path}{key}.")


@pytest.mark.parametrize("meaning", ENTRIES, ids=lambda each: f"{each.term}, {each.cite}")
def test_a_term_leads_to_what_exists(meaning: Meaning) -> None:
    assert meaning in find(meaning.term)
    assert builds(meaning)
    assert meaning.text
    assert meaning.cite.partition(", ")[0] in works()


@pytest.mark.parametrize(
    ("report", "term", "name"),
    [(report, term, name) for report, names in OPERATORS.items() for term, name in names.items()],
)
def test_a_reader_of_a_source_finds_its_words(report: str, term: str, name: str) -> None:
    found = [each for each in find(term) if each.cite.startswith(report)]
    assert name in {each.name for each in found}


@pytest.mark.parametrize(
    "term", ["PMX", "swap_in_row", "candidate pool", "long_run", "Single column"]
)
def test_spelling_does_not_matter(term: str) -> None:
    for spelling in (term.upper(), term.replace("_", " "), term.replace(" ", "-"), f" {term} "):
        assert find(spelling) == find(term)
    assert find(term)


def test_singular_or_plural_does_not_matter() -> None:
    for plural, term in (
        ("boxes", "box"),
        ("blocks", "block"),
        ("Candidate Pools", "candidate pool"),
    ):
        assert find(plural) == find(term)
        assert find(term)
    assert find("missing digit") == find("missing digits")
    assert find("gas") == [], "not the plural of an abbreviation"


def test_no_two_sources_mean_different_things_by_accident() -> None:
    targets: dict[str, set[tuple[str, str]]] = {}
    for each in ENTRIES:
        path = tuple(each.settings) if each.kind == "option" else ()
        target = ("option", " ".join(path)) if path else each.target
        targets.setdefault(name_key(each.term), set()).add(target)
    several = {key for key, found in targets.items() if len(found) > 1}
    assert several == {name_key(each) for each in SEVERAL} & several
    assert {name_key(each) for each in SEVERAL} - several == set()


def test_genokus_own_names_are_terms_too() -> None:
    for kind, parts in CATALOG.items():
        for name in parts:
            assert (kind, name) in {each.target for each in find(name)}
    for name in (*bundled(), "simon", "charles-as-coded"):
        assert name in {each.name for each in find(name)}
    assert {each.target for each in find("cxOnePoint")} == {("crossover", "points")}


def test_a_kind_after_a_term_chooses_among_its_meanings() -> None:
    assert {each.kind for each in find("uniform crossover operator")} == {"crossover"}
    assert {each.name for each in find("uniform mutation")} == {"reset"}
    assert find("uniform selection") == []
    assert find("") == []


def test_a_part_knows_its_terms() -> None:
    assert {"PMX", "partially mapped"} <= {
        each.term for each in terms_of("crossover", "partially-matched")
    }
    assert {each.term for each in terms_of("preset", "simon-long")} >= {"long_run"}


# In the shell


@pytest.mark.parametrize("command", sorted({each.command for each in ENTRIES if each.command}))
def test_the_command_of_a_term_works(
    genoku: Any, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs that take long are only parsed."""
    monkeypatch.chdir(tmp_path)
    program, name, *words = shlex.split(command)
    assert program == "genoku"
    if name in ("evolve", "race", "reproduce"):
        subcommand = cli.get_command(Context(cli), name)
        assert subcommand
        subcommand.make_context(name, words)
    else:
        assert genoku(name, *words).code == 0


def test_a_word_leads_to_its_command(genoku: Any) -> None:
    (meaning,) = find("unique solution")
    assert meaning.command in genoku("operators", "unique solution").out
    (record,) = json.loads(genoku("operators", "unique solution", "--json").out)
    assert record["command"] == meaning.command


@pytest.mark.parametrize(
    ("term", "name"),
    [
        ("PMX", "partially-matched"),
        ("single column", "one-block"),
        ("swap_in_row", "swap"),
        ("candidate pool", "genetic"),
        ("fps", "roulette"),
        ("Skipping Swap", "skipping-swap"),
    ],
)
def test_operators_shows_the_part_that_a_term_means(genoku: Any, term: str, name: str) -> None:
    done = genoku("operators", term)
    assert done.code == 0
    in_full = genoku("operators", name).out
    assert all(line in done.out for line in in_full.splitlines() if "Sources:" in line)
    (first, *_) = find(term)
    assert first.text in " ".join(done.out.split())
    (record, *_) = json.loads(genoku("operators", term, "--json").out)
    assert (record["name"], record["settings"]) == (name, first.settings)
    assert (record["text"], record["source"]) == (first.text, first.source)


@pytest.mark.parametrize(
    "term", ["mutation rate", "gene", "long_run", "very_hard", "fitness function", "elitism"]
)
def test_operators_says_what_else_a_term_is(genoku: Any, term: str) -> None:
    done = genoku("operators", term)
    assert done.code == 0
    said = " ".join(done.out.split())
    for each in find(term):
        assert each.source in said
        assert all(path in said for path in each.settings)
        assert each.kind in (*CATALOG, "option") or each.name in said


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        (("operators", "single point"), ["operators row-tails", "operators mixed"]),
        (("operators", "simulated annealing"), ["operators min-conflicts", "operators annealing"]),
        (("operators", "hard"), ["show charles-hard", "show poderosas-difficult"]),
        (("presets", "run_1"), ["presets simon", "presets simon-16"]),
        (
            ("presets", "simulated annealing"),
            ["presets eran-shahar-sa-continues", "presets annealing"],
        ),
        (("presets", "tournament"), ["operators tournament"]),
    ],
)
def test_several_meanings_are_refused_with_commands_that_work(
    genoku: Any, words: tuple[str, ...], commands: list[str]
) -> None:
    done = genoku(*words)
    assert done.code == 2
    for command in commands:
        assert f"genoku {command}" in done.err
        assert genoku(*command.split()).code == 0


@pytest.mark.parametrize(
    ("term", "name"), [("long_run", "simon-long"), ("Model 9", "poderosas-point-swap-box-t250")]
)
def test_presets_finds_the_preset_of_a_term(genoku: Any, term: str, name: str) -> None:
    assert name in genoku("presets", term).out
    found = json.loads(genoku("presets", term, "--json").out)
    assert found["name"] == name
    assert [each["name"] for each in found["terms"]] == [name]


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("operators", "tournment"), "tournament"),
        (("operators", "swap_in_rwo"), "swap_in_row"),
        (("presets", "simn"), "simon"),
        (("presets", "longrunn"), "long_run"),
    ],
)
def test_a_mistyped_term_finds_its_neighbour(
    genoku: Any, words: tuple[str, ...], near: str
) -> None:
    done = genoku(*words)
    assert done.code == 2
    assert near in done.err
    assert near in known_terms()


def test_every_option_that_is_shown_can_be_set(genoku: Any) -> None:
    (record, *_) = json.loads(genoku("operators", "slack", "--json").out)
    words = record["command"].split()[1:]
    done = genoku(*words, "--until", "generations=1", "--json", "--set", "population=20")
    assert done.code in (0, 1)
    assert json.loads(done.out)["recipe"]["mutation"]["limit"] == record["settings"][record["name"]]
