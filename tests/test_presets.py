"""The reports' systems as data: they build, describe themselves, and run as published."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from genoku import Geometry, Puzzle, bundled
from genoku.engine.run import run
from genoku.errors import RecipeError
from genoku.evolve.algorithms import Genetic
from genoku.evolve.encoding import PermutedBoxes
from genoku.evolve.fitness import CompleteUnits
from genoku.evolve.operators.adaptation import Stagnation
from genoku.evolve.presets import (
    GROUPS,
    Preset,
    all_variants,
    preset,
    preset_from_table,
    presets,
    variants,
)
from genoku.evolve.recipe import build, describe, with_settings
from genoku.runtime.random import stream

NAMED = presets()
every_preset = pytest.mark.parametrize("each", NAMED, ids=lambda each: each.name)
BASES = ("charles", "eran-shahar-ga", "eran-shahar-sa-continues", "poderosas", "simon", "sundy")
READINGS = ("eran-shahar-sa-continues", "eran-shahar-sa-restarts")


@every_preset
def test_a_preset_is_what_it_describes(each: Preset) -> None:
    algorithm = each.build()
    assert build(describe(algorithm)) == algorithm


@every_preset
def test_a_preset_cites_its_report_and_says_what_we_decided(each: Preset) -> None:
    assert each.report.startswith(("Report 00", "genoku's own"))
    assert each.about
    assert each.title
    assert each.character
    assert each.group == each.report[:10] or each.group in ("genoku", "controls")
    assert len(each.left_open) >= 1


def test_presets_are_listed_by_group_and_have_different_titles() -> None:
    groups = [each.group for each in NAMED]
    assert list(dict.fromkeys(groups)) == list(GROUPS)
    assert groups == sorted(groups, key=GROUPS.index)
    assert len({each.title for each in NAMED}) == len(NAMED)


def test_a_variant_without_a_title_names_its_labels_and_promises_nothing() -> None:
    variant = preset("simon-16-t20")
    assert variant.title == f"{preset('simon').title} (16, t20)"
    assert (variant.character, variant.group) == ("", "Report 003")
    assert preset("memetic-agreement").title.endswith("(agreement)")


def test_a_users_file_may_name_its_title_and_group() -> None:
    recipe = {"recipe": {"use": "champion"}}
    plain = preset_from_table(recipe, "mine")
    assert (plain.title, plain.character, plain.group) == ("mine", "", "your own")
    assert preset_from_table({**recipe, "title": "Mine", "group": "genoku"}, "mine").title == "Mine"


@every_preset
def test_a_preset_runs_on_its_own_puzzle(each: Preset) -> None:
    result = run(each.puzzle, each.build(), until="steps=2", seed=1)
    assert result.steps == 2 or result.stop_reason in ("failed", "solved")
    assert result.problem.space.contains(result.board)


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("size", ["16x16-easy", "25x25-half"])
def test_larger_boards_run_in_every_preset(name: str, size: str) -> None:
    puzzle = bundled()[size].puzzle
    result = run(puzzle, preset(name).build(), until="steps=1", seed=1)
    assert result.evaluations > 0
    assert np.array_equal(result.problem.costs(result.board[None]), [result.cost])


def test_a_contradictory_puzzle_is_accepted_by_the_presets_of_its_report_alone() -> None:
    clashing, sound = bundled()["poderosas-easy"].puzzle, bundled()["charles-hard"].puzzle
    accepting = {each.group for each in presets() if each.accepts(clashing)}
    assert accepting == {"Report 000"}
    assert preset("poderosas-rank-swap-box").accepts(clashing)
    assert all(each.accepts(sound) for each in presets())
    own = Puzzle.parse("11" + "." * 79)
    assert not any(each.accepts(own) for each in presets())


def test_there_is_a_preset_for_every_system_of_the_reports() -> None:
    assert {each.name for each in NAMED} >= set(BASES)


def test_report_000s_whole_grid_is_a_family() -> None:
    grid = all_variants("poderosas")
    # 9 tournament models × 2 sizes, 9 of roulette, 9 × 3 readings of rank; × 2 readings of the swap
    # × 2 populations × 2 rates
    assert len(grid) == (9 * 2 + 9 + 9 * 3) * 2 * 4
    built = {str(describe(each.build())) for each in grid}
    assert len(built) == len(grid)
    assert preset("poderosas").build() in [each.build() for each in grid]


@pytest.mark.parametrize("base", ["simon", "sundy"])
def test_a_family_begins_with_everything_and_leaves_nothing_out(base: str) -> None:
    names = {each.name for each in all_variants(base)}
    assert base in names
    assert {f"{base}-{label}" for labels in variants(base).values() for label in labels} <= names


def test_a_variant_changes_what_it_says_and_nothing_else() -> None:
    best, other = preset("poderosas").build(), preset("poderosas-rank-row-swap-box-rate0.1").build()
    assert isinstance(best, Genetic)
    assert isinstance(other, Genetic)
    described, variant = describe(best), describe(other)
    different = {key for key in described if described[key] != variant[key]}
    assert different == {"selection", "crossover", "mutation", "adaptation"}
    assert variant["crossover"]["spare"] == 2
    assert variant["mutation"]["unit"] == "box"
    assert variant["adaptation"]["rate"] == 0.1
    assert preset("poderosas-tournament-point-swap-row-pop500-t100-rate1").build() == best


def test_report_000_can_be_read_in_other_ways() -> None:
    described = describe(preset("poderosas").build())
    skipping = describe(preset("poderosas-skip-swap-box").build())
    assert {key for key in described if described[key] != skipping[key]} == {"mutation"}
    assert (skipping["mutation"]["use"], skipping["mutation"]["unit"]) == ("skipping-swap", "box")
    ranks = [preset(f"poderosas-rank-{how}").build() for how in ("flat", "steep")]
    weights = [getattr(each, "selection").weights(500) for each in ranks]  # noqa: B009
    assert [each[0] / each.mean() for each in weights] == pytest.approx([1.0, 5.1], abs=0.1)


def test_report_002_runs_as_coded_in_all_its_variants() -> None:
    def parts(name: str) -> Any:
        return describe(preset(name).build())["crossover"]["parts"]

    assert all(part["spare"] == 0 for part in parts("charles"))
    assert all(part["spare"] == 1 and part["first"] == 0 for part in parts("charles-as-coded"))
    assert [part["within"] for part in parts("charles-single-as-coded")] == [0, 0, 0, 9]
    assert len(parts("charles-random-as-coded")) == 8
    assert describe(preset("charles-as-coded").build())["mutation"]["distinct"] is False
    uniform = describe(preset("charles-uniform-as-coded").build())
    assert uniform["mutation"]["use"] == "reset"


def test_a_variant_says_what_it_is() -> None:
    assert "roulette, elite" in preset("charles-roulette-elite").about
    assert preset("charles-single-as-coded").about.endswith("first nine")


@pytest.mark.parametrize("population", [100, 1000])
def test_a_population_is_a_setting_of_its_own(population: int) -> None:
    for base in BASES[1:] if population > 500 else BASES:
        recipe = preset(base).recipe
        if base != "eran-shahar-sa-continues":
            built = build(with_settings(recipe, [f"population={population}"]))
            assert (
                run(preset(base).puzzle, built, until="steps=1").state.boards.shape[0] == population
            )


def test_a_variant_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"t250.*tournament"):
        preset("poderosas-rank-t250")
    assert preset("poderosas-t250").build() == preset("poderosas-tournament-t250").build()


@pytest.mark.parametrize("name", ["poderosa", "charles-", "simon-t20-16", "charles-rank-rank", ""])
def test_an_unknown_preset_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(RecipeError, match="preset"):
        preset(name)
    with pytest.raises(RecipeError, match="poderosas"):
        preset("poderosa")
    with pytest.raises(RecipeError, match="poderosas-rank-row-swap-box"):
        preset("poderosas-row-swap-box-rank")


def test_report_001s_annealing_is_listed_in_both_readings_the_continuing_one_first() -> None:
    listed = [each.name for each in NAMED if each.name.startswith("eran-shahar-sa")]
    assert tuple(listed) == (*READINGS, "eran-shahar-sa-once")
    assert [each.name for each in all_variants("eran-shahar-sa")] == listed
    assert list(variants("eran-shahar-sa")) == ["stuck"]


@pytest.mark.parametrize("name", ["eran-shahar-sa", "eran-shahar-sa-downhill"])
def test_a_former_name_is_refused_with_the_names_to_choose_from(name: str) -> None:
    with pytest.raises(RecipeError) as caught:
        preset(name)
    assert caught.value.alternatives == READINGS
    assert all(each in str(caught.value) for each in READINGS)


def test_the_alternatives_to_an_unknown_name_are_presets() -> None:
    with pytest.raises(RecipeError) as caught:
        preset("unknown")
    assert {each.name for each in NAMED} >= set(caught.value.alternatives) >= set(READINGS)


@pytest.mark.parametrize(
    "name", ["eran-shahar-ga", "eran-shahar-ga-varied", "sundy", "sundy-varied"]
)
def test_elitism_that_a_report_does_not_mention_is_said_at_once(name: str) -> None:
    replacement = describe(preset(name).build())["replacement"]
    assert replacement.get("elites") or replacement.get("kept")
    assert "elitism" in preset(name).about


def test_axes_are_listed_in_the_order_a_name_takes_them() -> None:
    assert list(variants("poderosas")) == [
        "selection",
        "crossover",
        "short-units",
        "mutation",
        "population",
        "tournament",
        "rate",
    ]


@pytest.mark.parametrize("name", ["ai-escargot", "golden-nugget", "inkala-2012"])
def test_annealing_solves_what_the_reports_could_not(name: str) -> None:
    annealing = preset("annealing")
    result = run(bundled()[name].puzzle, annealing.build(), seed=1, until=annealing.until)
    assert result.solved


def test_report_002s_published_best_reaches_its_published_loss() -> None:
    # Published: 0.023 ± 0.009 and 0.034 ± 0.011 (5 runs each); 20 seeds of ours.
    charles = preset("charles")
    runs = [run(charles.puzzle, charles.build(), seed=s, until=charles.until) for s in range(20)]
    assert 0.015 <= np.mean([result.loss for result in runs]) <= 0.045
    assert not any(result.solved for result in runs[:1])


def test_report_003s_random_boards_have_the_published_mean() -> None:
    geometry = Geometry(3, 3)
    empty = Puzzle(geometry, bytes(81))
    boards = PermutedBoxes().space(empty).sample(20_000, stream(1))
    scores = CompleteUnits().score(CompleteUnits().costs(boards, empty), geometry)
    assert abs(scores.mean() - 81.459) < 0.1


@pytest.mark.parametrize("name", ["simon", "simon-t20"])
def test_report_003s_runs_end_in_the_published_range(name: str) -> None:
    simon = preset(name)
    best = [run(simon.puzzle, simon.build(), seed=s, until=simon.until).score for s in range(8)]
    assert 135 <= np.mean(best) <= 189  # published: 144 to 180, and 189 in a longer run


def test_report_003s_rate_moves_within_what_its_logs_show() -> None:
    simon = preset("simon")
    history = run(simon.puzzle, simon.build(), seed=1, until=simon.until).history
    assert history["rate"][0] == Stagnation().start == 0.15
    assert history["rate"].max() < 0.9
    assert (np.diff(history["best"]) <= 0).all()  # elitism works


def test_report_000s_puzzles_keep_improving_and_stay_below_one() -> None:
    poderosas = preset("poderosas")
    result = run(poderosas.puzzle, poderosas.build(), seed=1, until="generations=40")
    assert 0.8 < result.score <= 1
    assert result.final_score <= result.score
