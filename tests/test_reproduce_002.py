"""Report 002: its tables as data, its tests recomputed, and verdicts that follow the data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from genoku.lab.page import Table
from genoku.lab.reproduce import Scale
from genoku.lab.reproduce.charles.comparisons import solved
from genoku.lab.reproduce.charles.experiments import (
    EXPERIMENTS,
    PUBLISHED,
    VALUES,
    VERSIONS,
    Measured,
    Runs,
    Setting,
    studies,
)
from genoku.lab.reproduce.charles.recommendations import USUAL
from genoku.lab.reproduce.charles.verdicts import (
    DIFFERENCES,
    agreement,
    claims,
    described,
    recomputed,
)
from genoku.lab.work import Row, perform

# Student's p as recomputed independently, in the order of the data file.
KNOWN = (
    *(0.003, 0.012, 0.026, 0.023, 0.015, 0.025, 0.052, 0.017),
    *(0.072, 0.105, 0.026, 0.013, 0.001, 0.0003, 0.016),
)

RUNS = 60


def test_all_21_experiments_and_52_values_are_there() -> None:
    assert len(EXPERIMENTS) == 21
    assert len(VALUES) == 52
    assert [each.id for each in EXPERIMENTS] == sorted(each.id for each in EXPERIMENTS)


def test_its_t_tests_are_recomputed_from_mean_deviation_and_five_runs() -> None:
    assert [recomputed(each) for each in DIFFERENCES] == pytest.approx(KNOWN, abs=6e-4)
    missed = [described(each) for each in DIFFERENCES if recomputed(each) >= each.level]
    assert missed == ["3.2.1: swap beats uniform", "4.1: very easy beats very hard"]


def test_a_setting_has_the_preset_that_the_report_ran() -> None:
    single = Setting("unique-squared", "tournament", "single", "uniform", "hard", 1500, True)
    name = "charles-unique-squared-tournament-single-uniform-elite"
    assert single.preset("as described") == name
    assert single.preset("as coded") == f"{name}-as-coded"
    assert USUAL.preset("as described") == "charles"


def test_runs_that_are_the_same_are_made_once() -> None:
    sizes = {name: len(study.arms) for name, study in studies(Scale(seeds=1)).items()}
    assert sizes == {"hard": 52, "puzzles": 4, "populations": 12}


@pytest.mark.parametrize("selection", ["rank", "tournament"])
def test_unique_and_repetitions_are_the_same_runs(selection: str) -> None:
    from genoku import bundled
    from genoku.lab.study import Instance, Study, arm

    setting = USUAL._replace(selection=selection)
    arms = [
        arm(
            setting._replace(fitness=fitness).preset("as coded"),
            until="generations=20",
            settings={"population": 100},
        )
        for fitness in ("unique", "repetitions")
    ]
    puzzle = Instance("hard", bundled()["charles-hard"].puzzle)
    study = Study("two", tuple(arms), (puzzle,), (1, 2))
    rows = perform(study.text(), list(study.runs()))
    for seed in (0, 2):
        one, two = rows[seed], rows[seed + 1]
        assert isinstance(one, Row)
        assert isinstance(two, Row)
        assert (one.board, one.history) == (two.board, two.history)


def made_up(*, shifted: dict[Setting, float] | None = None, after: float = 0.3) -> Measured:
    """Runs drawn about the published means; `after` is the loss they have early on."""
    generator = np.random.default_rng(3)
    runs = {}
    for value in VALUES:
        mean = (shifted or {}).get(value.setting, value.moments.mean)
        for version in VERSIONS:
            losses = generator.normal(mean, 0.008, RUNS)
            early = np.full((RUNS, 100), after) + generator.normal(0, 0.01, (RUNS, 100))
            runs[value.setting.same, version] = Runs(
                losses,
                np.hstack([early, losses[:, None]]),
                10,
                np.rint(losses * 216),
                np.zeros(RUNS, np.bool_),
                np.ones(RUNS),
            )
    return Measured(runs)


def verdict(runs: Measured, *words: str) -> str:
    found = [each for each in claims(runs) if all(word in each.text for word in words)]
    assert len(found) == 1, [each.text for each in found]
    return found[0].verdict


def test_what_was_published_bears_out_what_it_recommends() -> None:
    runs = made_up()
    assert verdict(runs, "Rank selection is better") == "holds"
    assert verdict(runs, "Fitness-proportional selection is the worst") == "holds"
    assert verdict(runs, "A larger population is better") == "holds"
    assert verdict(runs, "Elitism helps fitness-proportional") == "holds"
    assert verdict(runs, "6.1.1: elitism beats no elitism") == "holds"


def test_other_data_give_other_verdicts() -> None:
    tournament = USUAL._replace(selection="tournament", mutation="uniform")
    better = {tournament: 0.001, tournament._replace(fitness="repetitions"): 0.001}
    assert verdict(made_up(shifted=better), "Rank selection is better") == "fails"
    elite = USUAL._replace(selection="tournament", elite=True)
    plain = elite._replace(elite=False)
    same = {elite: 0.04, plain: 0.04, plain._replace(fitness="repetitions"): 0.04}
    runs = made_up(shifted=same)
    assert verdict(runs, "6.1.2: no elitism beats elitism") == "fails"  # less than half of it


def test_the_budget_of_experiment_5_is_the_one_that_fits_its_means() -> None:
    assert verdict(made_up(after=0.3), "Experiment 5 ran 100") == "fails"


def test_facts_about_what_is_printed_do_not_depend_on_runs() -> None:
    for runs in (made_up(), made_up(shifted={USUAL: 0.5})):
        assert verdict(runs, "3.2.1: swap beats uniform", "1 %") == "fails"
        assert verdict(runs, "4.1: very easy beats very hard", "10 %") == "fails"
        assert verdict(runs, "standard deviation of random", "0.043") == "fails"
        assert verdict(runs, "time grows linearly") == "fails"
        assert verdict(runs, "significant taken together") == "fails"


def test_published_means_agree_with_their_own_source_and_differ_from_another() -> None:
    runs = made_up()
    assert min(agreement(runs, "as coded")) > 0.05
    of = USUAL._replace(selection="roulette", mutation="uniform")
    far = {
        **runs.runs,
        (of, "as coded"): replace(runs.of(of, "as coded"), losses=np.full(RUNS, 0.1)),
    }
    far[of, "as coded"].losses[0] = 0.11
    p = agreement(Measured(far), "as coded")
    assert p[0] < 0.001
    assert min(p[1:]) > 0.05


def test_every_setting_that_solved_is_named_though_another_solved_as_many() -> None:
    runs = made_up().runs
    chosen = [
        USUAL._replace(selection="tournament", elite=True),
        USUAL._replace(fitness="unique-squared"),
    ]
    one = np.arange(RUNS) == 0
    for setting in chosen:
        runs[setting, "as coded"] = replace(runs[setting, "as coded"], solved=one)
    (table,) = [part for part in solved(Measured(runs)).parts if isinstance(part, Table)]
    assert [row[1] for row in table.rows] == ["3.2.2 swap", "6.1.2 elitism"]


def test_losses_are_on_the_scale_of_the_report() -> None:
    assert PUBLISHED["loss_worst"]["unique"] == 243 - 27
    assert PUBLISHED["loss_worst"]["unique-squared"] == 27 * 81 - 27
