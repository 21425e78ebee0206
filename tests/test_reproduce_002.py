"""Report 002: its tables as data, its tests recomputed, and verdicts that follow the data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from genoku.lab.page import Table
from genoku.lab.results import Row
from genoku.lab.runner import perform
from reproductions.old import Scale
from reproductions.old.charles.comparisons import comparisons, solved
from reproductions.old.charles.experiments import (
    EXPERIMENTS,
    PUBLISHED,
    VALUES,
    VERSIONS,
    Measured,
    Runs,
    Setting,
    studies,
)
from reproductions.old.charles.recommendations import USUAL, contrasts
from reproductions.old.charles.verdicts import (
    DIFFERENCES,
    agreement,
    claims,
    described,
    observations,
    recomputed,
)
from reproductions.old.claims import compare
from reproductions.old.words import p_words

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
    told = (*claims(runs), *observations(runs))
    found = [each for each in told if all(word in each.text for word in words)]
    assert len(found) == 1, [each.text for each in found]
    return found[0].verdict


def test_what_was_published_bears_out_what_it_recommends() -> None:
    runs = made_up()
    assert verdict(runs, "Rank selection is better") == "holds"
    assert verdict(runs, "Fitness-proportional selection is the worst") == "holds"
    assert verdict(runs, "A larger population is better") == "holds"
    assert verdict(runs, "Elitism helps fitness-proportional") == "holds"


def test_other_data_give_other_verdicts() -> None:
    tournament = USUAL._replace(selection="tournament", mutation="uniform")
    better = {tournament: 0.001, tournament._replace(fitness="repetitions"): 0.001}
    assert verdict(made_up(shifted=better), "Rank selection is better") == "fails"


@pytest.mark.parametrize(
    ("loss", "worsens", "no_help"),
    [(0.06, "holds", "undecided"), (0.02, "fails", "fails"), (0.04, "undecided", "undecided")],
)
def test_elitism_that_does_not_help_may_worsen_or_change_nothing(
    loss: float, worsens: str, no_help: str
) -> None:
    alike = {value.setting: 0.04 for value in VALUES if value.setting.selection != "roulette"}
    runs = made_up(shifted={**alike, USUAL._replace(selection="tournament", elite=True): loss})
    assert verdict(runs, "Elitism worsens tournament") == worsens
    assert verdict(runs, "Elitism does not help") == no_help  # three other settings are alike


def test_every_difference_has_one_p_value() -> None:
    runs = made_up()
    section = comparisons(runs)
    (table,) = [part for part in section.parts if isinstance(part, Table)]
    told = {(row[0], row[1]): row for row in table.rows}
    row = told["2.2.1", "single point – two-point"]
    assert row[3] == "5 %"
    (claim,) = [each for each in claims(runs) if "better than single point" in each.text]
    asked = contrasts(runs, "as coded")
    (p,) = [
        found.p
        for pair, found in zip(asked, compare(list(asked.values())), strict=True)
        if pair.named == ("Unique², tournament: two-point", "single point")
    ]
    assert float(str(row[4]).lstrip("< ")) == pytest.approx(p, abs=1e-3)
    assert f"{p_words(p)}, Holm over {len(asked)}" in claim.because
    assert sum(bool(row[3]) for row in table.rows) == len(DIFFERENCES)


def test_text_and_code_that_do_not_agree_leave_a_claim_undecided() -> None:
    runs = made_up()
    tournament = USUAL._replace(selection="tournament", mutation="uniform")
    key = (tournament, "as described")
    better = replace(runs.runs[key], losses=np.linspace(0, 0.001, RUNS))
    claim = next(iter(claims(Measured({**runs.runs, key: better}))))
    assert claim.text == "Rank selection is better than tournament selection."
    assert claim.verdict == "undecided"


def test_no_claim_is_counted_twice_and_what_is_ours_is_not_counted() -> None:
    runs = made_up()
    asked = [claims(runs), observations(runs)]
    texts = [each.text for told in asked for each in told]
    assert len(set(texts)) == len(texts)
    assert [len(told) for told in asked] == [16, 2]


def test_the_budget_of_experiment_5_is_the_one_that_fits_its_means() -> None:
    assert verdict(made_up(after=0.3), "Experiment 5 ran 100") == "fails"


def test_facts_about_what_is_printed_do_not_depend_on_runs() -> None:
    for runs in (made_up(), made_up(shifted={USUAL: 0.5})):
        assert verdict(runs, "15 differences that it calls significant") == "fails"
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
