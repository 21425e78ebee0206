"""Report 000: what it printed, recomputed; its models; and verdicts that follow the data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genoku.lab.reproduce import Scale, reproduce, reproduction
from genoku.lab.reproduce.poderosas.beyond import winners_by_seed
from genoku.lab.reproduce.poderosas.experiments import (
    ALL_MODELS,
    BASE,
    DECLARED_BEST,
    EXPERIMENTS,
    GENERATIONS,
    PUBLISHED,
    PUZZLES,
    TOURNAMENTS,
    Measured,
    Model,
    name_of,
    studies,
    winners,
)
from genoku.lab.reproduce.poderosas.printed import (
    ceiling,
    chance_of_all_rows,
    numbers_of,
    printed_fitness,
)
from genoku.lab.reproduce.poderosas.verdicts import claims
from genoku.lab.store import Store

SEEDS = 12


def test_printed_fitness_is_recomputed_and_the_difficult_puzzle_lacks_a_given() -> None:
    printed = PUBLISHED["printed_fitness"]
    assert printed_fitness("easy") == printed["easy"]
    assert printed_fitness("medium") == printed["medium"]
    assert printed_fitness("difficult-21") == printed["difficult"] != printed_fitness("difficult")


def test_the_easy_puzzle_has_a_ceiling_below_what_the_report_saw() -> None:
    assert ceiling("easy") == pytest.approx(0.9753086419753086)
    assert ceiling("easy") < PUBLISHED["values"]["model_9_easy"]
    assert [ceiling(name) for name in PUZZLES[1:]] == [1.0, 1.0, 1.0]


def test_the_rows_of_a_solution_are_hardly_ever_there_to_begin_with() -> None:
    assert chance_of_all_rows() == pytest.approx(0.0037, abs=5e-5)
    assert chance_of_all_rows(10**9) == pytest.approx(1.0)


def test_models_have_the_numbers_that_the_report_names() -> None:
    named = {number: model for *_, model, _, number in winners() if number}
    assert TOURNAMENTS[9 - 1] == named[9]
    assert TOURNAMENTS[5 - 1] == named[5]
    assert TOURNAMENTS[7 - 1] == Model("tournament", "point", "row")
    assert 19 not in numbers_of(named[19])
    assert numbers_of(Model("rank", "row", "row")) == {3, 7, 19}


def test_four_experiments_are_ninety_settings_on_four_puzzles() -> None:
    study = studies(Scale(quick=True, seeds=1))["experiments"]
    assert [len(each.models) for each in EXPERIMENTS] == [27, 27, 9, 27]
    assert (len(study.arms), len(study)) == (90, 360)
    arms = {each.name: each for each in study.arms}
    declared = arms[name_of(DECLARED_BEST, BASE)].recipe
    assert declared["population"] == 500
    assert declared["selection"]["size"] == 100
    assert declared["adaptation"]["rate"] == 1.0
    sizes = {each.recipe["selection"].get("size") for each in study.arms}
    assert sizes == {None, 100, 250}


def made_up(best: Model | None = None, *, fall: bool = False, solved: bool = False) -> Measured:
    """Runs that never were: a little noise, and a model or a course that stands out."""
    names = [each.name for each in studies(Scale(seeds=1))["experiments"].arms]
    arms = {name: place for place, name in enumerate(names)}
    generator = np.random.default_rng(1)
    shape = (len(arms), len(PUZZLES), SEEDS, GENERATIONS + 1)
    rows = np.linspace(0.6, 0.5 if fall else 0.7, GENERATIONS + 1)
    curves = rows + generator.normal(0, 0.001, shape)
    if best is not None:
        curves[arms[name_of(best, BASE)]] += 0.05
    return Measured(arms, curves[..., -1], curves, np.full(shape[:-1], solved))


def verdicts(runs: Measured, longer: Measured | None = None) -> dict[str, str]:
    made = claims(runs, longer or runs, runs)
    return {each.text: each.verdict for each in made}


def only(found: dict[str, str], *words: str) -> str:
    """The verdict on the claim that has all of these words."""
    (verdict,) = [v for text, v in found.items() if all(word in text for word in words)]
    return verdict


def test_the_declared_best_holds_where_it_is_best_and_fails_where_another_is() -> None:
    own, other = verdicts(made_up(DECLARED_BEST)), verdicts(made_up(ALL_MODELS[0]))
    for puzzle in ("Easy", "Medium", "Difficult"):
        assert only(own, f"{puzzle} puzzle: the best of all 90 settings") == "holds"
        assert only(other, f"{puzzle} puzzle: the best of all 90 settings") == "fails"
    assert only(own, "Among the nine tournament models alone") == "holds"
    assert only(own, "Experiment 1, difficult puzzle") == "holds"
    assert only(own, "Experiment 1, easy puzzle") == "fails"
    nobody = verdicts(made_up())
    assert only(nobody, "Experiment 1, difficult puzzle") == "undecided"
    assert only(nobody, "Tournament selection is better than roulette") == "undecided"


def test_courses_decide_what_falls_what_is_solved_and_what_converges() -> None:
    rising, falling = verdicts(made_up(solved=True)), verdicts(made_up(fall=True))
    assert only(rising, "roulette makes the fitness fall") == "fails"
    assert only(falling, "roulette makes the fitness fall") == "holds"
    assert only(rising, "rank makes the fitness fall") == "undecided"  # its rank is not known
    assert only(falling, "rank makes the fitness fall") == "holds"
    assert only(rising, "initial attempts", "three selections") == "holds"
    assert only(falling, "initial attempts", "with tournament selection") == "fails"
    assert only(rising, "solves the puzzles") == "holds"
    assert only(falling, "solves the puzzles") == "fails"
    flat = made_up()
    still = Measured(flat.arms, flat.final, np.repeat(flat.curves[..., -1:], 151, -1), flat.solved)
    assert only(verdicts(flat, still), "converge within") == "holds"
    assert only(verdicts(flat, _growing(flat)), "converge within") == "fails"


def test_what_elites_do_not_change_does_not_improve() -> None:
    assert only(verdicts(made_up()), "Elitism would improve") == "fails"


def test_the_rate_is_judged_with_tournaments_and_with_all_selections() -> None:
    runs = made_up()
    gentle = EXPERIMENTS[3].setting
    for model in TOURNAMENTS:
        runs.curves[runs.arms[name_of(model, gentle)], 0] += 0.05
    found = verdicts(runs)
    assert only(found, "For easy puzzles", "as in its experiments") == "holds"
    assert only(found, "For easy puzzles", "three selections") == "undecided"


def test_models_of_one_seed_count_once() -> None:
    few = made_up()
    three = Measured(few.arms, few.final[..., :3], few.curves[:, :, :3], few.solved[..., :3])
    assert only(verdicts(three), "settles in less than 6 generations") == "undecided"


def _growing(runs: Measured) -> Measured:
    """The same arms, still rising long after the report's last generation."""
    curves = np.linspace(0.6, 0.9, 2 * GENERATIONS) + np.zeros((*runs.final.shape, 1))
    noise = np.random.default_rng(2).normal(0, 0.001, curves.shape)
    return Measured(runs.arms, curves[..., -1], curves + noise, runs.solved)


def test_facts_about_what_is_printed_do_not_depend_on_runs() -> None:
    for runs in (made_up(), made_up(DECLARED_BEST, solved=True)):
        found = verdicts(runs)
        assert only(found, "model 9 comes slightly above 0.98") == "fails"
        assert only(found, "Model 19 is single point") == "fails"
        assert only(found, "A fitness of 1 can be reached") == "fails"
        assert only(found, "According to its experiments") == "fails"


def test_one_run_of_each_names_a_winner_for_every_seed() -> None:
    won = winners_by_seed(made_up(DECLARED_BEST), 1, "medium")
    assert won == {str(DECLARED_BEST): SEEDS}
    assert sum(winners_by_seed(made_up(), 1, "medium").values()) == pytest.approx(SEEDS)


def test_models_that_are_equal_share_a_win() -> None:
    runs = made_up()
    level = Measured(runs.arms, np.ones_like(runs.final), runs.curves, runs.solved)
    won = winners_by_seed(level, 1, "medium")
    assert len(won) == len(ALL_MODELS)
    assert list(won.values()) == pytest.approx([SEEDS / len(ALL_MODELS)] * len(ALL_MODELS))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All studies with a single seed."""
    place: Path = tmp_path_factory.mktemp("report-000")
    report, scale = reproduction("000"), Scale(quick=True, seeds=1)
    page = report.page(reproduce(report, scale, place), scale)
    page.write_markdown(place / "page.md")
    return place


def test_real_runs_keep_the_reports_scale(tiny: Path) -> None:
    with Store.open(tiny / "experiments.db") as store:
        runs = Measured.of(store)
        final = store.results().final_cost
    assert runs.final.shape == (90, 4, 1)
    assert sorted(1 - final / 243) == pytest.approx(sorted(runs.final.ravel()))
    assert (runs.curves[..., -1] == runs.final).all()
    assert runs.curves[:, 0].max() <= ceiling("easy") + 1e-12
    assert not runs.solved[:, 0].any()


def test_the_page_redraws_every_figure_of_the_report(tiny: Path) -> None:
    text = (tiny / "page.md").read_text(encoding="utf-8")
    for number in range(6, 18):
        assert f"Figure {number} again" in text
    assert "| **fails** |" in text
    assert "Too few runs to tell." in text
    for word in ("nan", "inf ", "± 0.0000", "1 seeds", "1 runs", "p = 1.000"):
        assert word not in text, word
    for drawing in (tiny / "page-figures").iterdir():
        assert drawing.stat().st_size < 150_000
