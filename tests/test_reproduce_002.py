"""Report 002: its tables as data, its tests recomputed, and verdicts that follow the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from genoku import bundled
from genoku.lab import Instance, Study, arm
from genoku.lab.claims import compare, p_text
from genoku.lab.runner import make_runs
from genoku.lab.store import Row
from reproductions import Scale, script_of, studies_of

report = script_of("002")
VALUES, VERSIONS, USUAL, DIFFERENCES = (
    report.VALUES,
    report.VERSIONS,
    report.USUAL,
    report.DIFFERENCES,
)

# Student's p as recomputed independently, in the order of the data file.
KNOWN = (
    *(0.003, 0.012, 0.026, 0.023, 0.015, 0.025, 0.052, 0.017),
    *(0.072, 0.105, 0.026, 0.013, 0.001, 0.0003, 0.016),
)

RUNS = 60


def test_all_21_experiments_and_52_values_are_there() -> None:
    assert len(report.EXPERIMENTS) == 21
    assert len(VALUES) == 52
    assert list(report.EXPERIMENTS) == sorted(report.EXPERIMENTS)


def test_its_t_tests_are_recomputed_from_mean_deviation_and_five_runs() -> None:
    assert [each.p for each in DIFFERENCES] == pytest.approx(KNOWN, abs=6e-4)
    assert report.significant().figures["missed"] == [
        "3.2.1: swap beats uniform",
        "4.1: very easy beats very hard",
    ]


def test_a_setting_has_the_preset_that_the_report_ran() -> None:
    single = report.Setting("unique-squared", "tournament", "single", "uniform", "hard", 1500, True)
    name = "charles-unique-squared-tournament-single-uniform-elite"
    assert single.preset("as described") == name
    assert single.preset("as coded") == f"{name}-as-coded"
    assert USUAL.preset("as described") == "charles"


def test_runs_that_are_the_same_are_made_once() -> None:
    sizes = {name: len(study.arms) for name, study in studies_of("002", Scale(seeds=1)).items()}
    assert sizes == {"hard": 52, "puzzles": 4, "populations": 12}


@pytest.mark.parametrize("selection", ["rank", "tournament"])
def test_unique_and_repetitions_are_the_same_runs(selection: str) -> None:
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
    rows = make_runs(study.text(), list(study.runs()))
    for seed in (0, 2):
        one, two = rows[seed], rows[seed + 1]
        assert isinstance(one, Row)
        assert isinstance(two, Row)
        assert (one.board, one.history) == (two.board, two.history)


def made_up(*, shifted: dict[Any, float] | None = None, after: float = 0.3) -> Any:
    """Runs drawn about the published means; `after` is the loss they have early on."""
    generator = np.random.default_rng(3)
    runs = {}
    for value in VALUES:
        own = {value.setting: value.moments.mean, **(shifted or {})}
        mean = own[value.setting]
        for version in VERSIONS:
            losses = generator.normal(mean, 0.008, RUNS)
            early = np.full((RUNS, 100), after) + generator.normal(0, 0.01, (RUNS, 100))
            runs[key(value.setting, version)] = report.Runs(
                losses,
                np.hstack([early, losses[:, None]]),
                10,
                np.rint(losses * 216),
                np.zeros(RUNS, np.bool_),
                np.ones(RUNS),
            )
    return report.ReportRuns(runs)


key = report.ReportRuns.key


def verdict(runs: Any, name: str) -> str:
    found: str = report.judgements(runs)[name].verdict
    return found


def test_what_was_published_bears_out_what_it_recommends() -> None:
    runs = made_up()
    assert verdict(runs, "rank-beats-tournament") == "holds"
    assert verdict(runs, "roulette-is-worst") == "holds"
    assert verdict(runs, "larger-population") == "holds"
    assert verdict(runs, "elitism-helps-roulette") == "holds"


def test_other_data_give_other_verdicts() -> None:
    tournament = USUAL._replace(selection="tournament", mutation="uniform")
    better = {tournament: 0.001, tournament._replace(fitness="repetitions"): 0.001}
    assert verdict(made_up(shifted=better), "rank-beats-tournament") == "fails"


@pytest.mark.parametrize(
    ("loss", "worsens", "no_help"),
    [(0.06, "holds", "undecided"), (0.02, "fails", "fails"), (0.04, "undecided", "undecided")],
)
def test_elitism_that_does_not_help_may_worsen_or_change_nothing(
    loss: float, worsens: str, no_help: str
) -> None:
    alike = {value.setting: 0.04 for value in VALUES if value.setting.selection != "roulette"}
    runs = made_up(shifted={**alike, USUAL._replace(selection="tournament", elite=True): loss})
    assert verdict(runs, "elitism-worsens-tournament") == worsens
    assert verdict(runs, "elitism-does-not-help") == no_help  # three other settings are alike


def test_every_difference_has_one_p_value() -> None:
    runs = made_up()
    table = report.comparisons(runs)
    told = {(row[0], row[1]): row for row in table.rows}
    row = told["2.2.1", "single point – two-point"]
    assert row[3] == "5 %"
    found = report.judgements(runs)["two-beats-single"]
    asked = report.contrasts(runs, "as coded")
    (p,) = [
        each.p
        for pair, each in zip(asked, compare(list(asked.values())), strict=True)
        if pair.named == ("Unique², tournament: two-point", "single point")
    ]
    assert float(str(row[4]).lstrip("< ")) == pytest.approx(p, abs=1e-3)
    assert f"{p_text(p)}, Holm over {len(asked)}" in found.because
    assert sum(bool(row[3]) for row in table.rows) == len(DIFFERENCES)


def test_text_and_code_that_do_not_agree_leave_a_claim_undecided() -> None:
    runs = made_up()
    tournament = USUAL._replace(selection="tournament", mutation="uniform")
    place = key(tournament, "as described")
    runs[place] = replace(runs[place], losses=np.linspace(0, 0.001, RUNS))
    assert verdict(runs, "rank-beats-tournament") == "undecided"


def test_every_claim_and_observation_is_judged_once() -> None:
    printed = report.PUBLISHED["claims"] | report.PUBLISHED["observations"]
    assert set(report.judgements(made_up())) == set(printed)
    assert [len(report.PUBLISHED[kind]) for kind in ("claims", "observations")] == [16, 2]


def test_the_budget_of_experiment_5_is_the_one_that_fits_its_means() -> None:
    assert verdict(made_up(after=0.3), "hundred-generations") == "fails"


def test_facts_about_what_is_printed_do_not_depend_on_runs() -> None:
    for runs in (made_up(), made_up(shifted={USUAL: 0.5})):
        assert verdict(runs, "significant") == "fails"
        assert verdict(runs, "deviation") == "fails"
        assert verdict(runs, "linear-time") == "fails"
        assert verdict(runs, "significant-together") == "fails"


def test_published_means_agree_with_their_own_source_and_differ_from_another() -> None:
    runs = made_up()
    assert min(report.agreement(runs, "as coded")) > 0.05
    of = USUAL._replace(selection="roulette", mutation="uniform")
    place = key(of, "as coded")
    runs[place] = replace(runs[place], losses=np.array([0.11] + [0.1] * (RUNS - 1)))
    p = report.agreement(runs, "as coded")
    assert p[0] < 0.001
    assert min(p[1:]) > 0.05


def test_every_setting_that_solved_is_named_though_another_solved_as_many() -> None:
    runs = made_up()
    chosen = [
        USUAL._replace(selection="tournament", elite=True),
        USUAL._replace(fitness="unique-squared"),
    ]
    one = np.arange(RUNS) == 0
    for setting in chosen:
        place = key(setting, "as coded")
        runs[place] = replace(runs[place], solved=one)
    table = report.solved_table(runs)
    assert [row[1] for row in table.rows] == ["3.2.2 swap", "6.1.2 elitism"]


def test_losses_are_on_the_scale_of_the_report() -> None:
    assert report.REPORT.value("loss-unique") == 243 - 27
    assert report.REPORT.value("loss-unique-squared") == 27 * 81 - 27
