"""Report 000: what it printed, recomputed; its models; and verdicts that follow the data."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kept_runs import planned_studies, unpack_runs

from genoku.lab.claims import Judgement, Verdict
from genoku.lab.store import Store
from genoku.reports import reports
from reproductions import Scale, reproduce, script_of

report = script_of("000")
PUBLISHED, PUZZLES, EXPERIMENTS = report.PUBLISHED, report.PUZZLES, report.EXPERIMENTS
BASE, GENTLER, WIDER = report.BASE, report.GENTLER, report.WIDER
TOURNAMENTS, DECLARED_BEST = report.TOURNAMENTS, report.DECLARED_BEST
Model, ReportRuns, Reading = report.Model, report.ReportRuns, report.Reading
name_of, models, ceiling = report.name_of, report.models, report.ceiling
ALL_MODELS = EXPERIMENTS[0].models
GENERATIONS = report.GENERATIONS
SEEDS = 12
ALL = report.readings(easy=True, ranked=True)


def test_printed_fitness_is_recomputed_and_the_difficult_puzzle_lacks_a_given() -> None:
    printed = report.PRINTED_FITNESS
    assert report.printed_fitness("easy") == printed["easy"]
    assert report.printed_fitness("medium") == printed["medium"]
    assert (
        report.printed_fitness("difficult-21")
        == printed["difficult"]
        != report.printed_fitness("difficult")
    )
    # by whom it was lost, the print or the text that we have, nobody can say
    assert dict(report.printed_claims())["printed-fitness"].verdict == "undecided"


def test_the_easy_puzzle_has_a_ceiling_below_what_the_report_saw() -> None:
    assert ceiling("easy") == pytest.approx(0.9753086419753086)
    assert ceiling("easy") < reports()["000"].value("model-9-easy")
    assert [ceiling(name) for name in PUZZLES[1:]] == [1.0, 1.0, 1.0]


def test_the_rows_of_a_solution_are_hardly_ever_there_to_begin_with() -> None:
    assert report.chance_of_all_rows() == pytest.approx(0.0037, abs=5e-5)
    assert report.chance_of_all_rows(10**9) == pytest.approx(1.0)


def test_of_its_illustrations_the_swap_is_right_and_two_crossovers_are_others() -> None:
    assert [each.verdict for _, each in report.figure_claims()] == [
        "undecided",
        "fails",
        "fails",
        "holds",
    ]


def test_models_have_the_numbers_that_the_report_names() -> None:
    named = {each["number"]: Model(*each["model"]) for each in report.WINNERS if "number" in each}
    assert TOURNAMENTS[9 - 1] == named[9]
    assert TOURNAMENTS[5 - 1] == named[5]
    assert TOURNAMENTS[7 - 1] == Model("tournament", "point", "row")
    assert 19 not in report.numbers_of(named[19])
    assert report.numbers_of(Model("rank", "row", "row")) == {3, 7, 19}


def test_four_experiments_are_ninety_settings_on_four_puzzles() -> None:
    study = planned_studies("000")["experiments"]
    assert [len(each.models) for each in EXPERIMENTS] == [27, 27, 9, 27]
    assert (len(study.arms), len(study)) == (90, 360)
    arms = {report.name_of_recipe(each.recipe): each for each in study.arms}
    declared = arms[name_of(DECLARED_BEST, BASE)].recipe
    assert declared["population"] == 500
    assert declared["selection"]["size"] == 100
    assert declared["adaptation"]["rate"] == 1.0
    sizes = {each.recipe["selection"].get("size") for each in study.arms}
    assert sizes == {None, 100, 250}


def test_every_model_runs_with_an_elite_and_under_every_reading_that_matters() -> None:
    made = planned_studies("000")
    there = {
        (report.name_of_recipe(each.recipe), on.name): each.recipe
        for name in ("experiments", "ranks", "elitism", "skipping")
        for each in made[name].arms
        for on in made[name].instances
    }
    for reading in ALL:
        ratio = {"linear": None, "flat": 0.36787944117144233, "steep": 1.01}[reading.rank]
        mutation = {"redraw": "swap", "skip": "skipping-swap"}[reading.swap]
        for puzzle in PUZZLES if reading.swap == "redraw" else ("easy",):
            for model in ALL_MODELS:
                for elites in (0, 1):
                    recipe = there[name_of(model, BASE, reading, elites), puzzle]
                    assert recipe["replacement"]["elites"] == elites
                    assert recipe["mutation"]["use"] == mutation
                    if model.selection == "rank":
                        assert recipe["selection"].get("ratio") == ratio


@cache
def measured_names() -> list[tuple[str, str]]:
    """All arms of the report's models, each with a puzzle that it runs on."""
    made = planned_studies("000")
    return [
        (report.name_of_recipe(arm.recipe), on.name)
        for name in ("experiments", "ranks", "elitism", "skipping")
        for on in made[name].instances
        for arm in made[name].arms
    ]


def made_up(best: Any = None, *, fall: bool = False, solved: bool = False) -> Any:
    """Runs that never were: a little noise, and a model or a course that stands out."""
    generator = np.random.default_rng(1)
    rows = np.linspace(0.6, 0.5 if fall else 0.7, GENERATIONS + 1)
    noise = generator.normal(0, 0.001, (len(measured_names()), SEEDS, len(rows)))
    curves = {key: rows + each for key, each in zip(measured_names(), noise, strict=True)}
    runs = ReportRuns(curves, {key: np.full(SEEDS, solved) for key in curves})
    if best is not None:
        for reading in ALL:
            for puzzle in PUZZLES:
                raise_by(runs, 0.05, [best], puzzle, reading)
    return runs


def raise_by(
    runs: Any,
    by: float,
    of: Iterable[Any],
    puzzle: str,
    reading: Any,
    elites: int = 0,
    setting: Any = BASE,
) -> None:
    """Let some models do better under one reading; where readings are one, only once."""
    if reading.swap == "skip" and puzzle != "easy":
        return
    for model in of:
        if model.selection == "rank" or reading.rank == "linear":
            runs.under(reading).curves_of(model, setting, puzzle, elites)[:] += by


def verdicts(*made: Iterable[tuple[str, Judgement]]) -> dict[str, Verdict]:
    return {name: each.verdict for name, each in chain(*made)}


def on_operators(runs: Any) -> Verdict:
    found: Judgement = report.over_readings(runs, report.operators_matter)
    return found.verdict


def test_the_declared_best_holds_where_it_is_best_and_fails_where_another_is() -> None:
    best, other = made_up(DECLARED_BEST), made_up(ALL_MODELS[0])
    for runs, verdict in ((best, "holds"), (other, "fails")):
        assert next(report.about_the_best(runs))[1].verdict == verdict
    own = verdicts(report.about_winners(best))
    assert own["best-1-difficult"] == "holds"
    assert own["best-1-easy"] == "fails"
    nobody = verdicts(report.about_winners(made_up()), report.about_selection(made_up()))
    assert nobody["best-1-difficult"] == "undecided"
    assert nobody["tournament-over-roulette"] == "undecided"


def test_a_best_model_that_one_reading_of_rank_beats_is_undecided() -> None:
    runs = made_up(DECLARED_BEST)
    raise_by(runs, 0.1, models("rank")[:1], "difficult", Reading(rank="steep"))
    claim = dict(report.about_winners(runs))["best-1-difficult"]
    assert claim.verdict == "undecided"
    assert claim.figures["without rank"] == "holds"


@pytest.mark.parametrize("swap", ["redraw", "skip"])
def test_what_only_one_reading_of_the_swap_shows_is_undecided(swap: str) -> None:
    runs = made_up()
    raise_by(runs, 0.05, TOURNAMENTS, "easy", Reading(swap), setting=GENTLER)
    assert next(report.about_rates(runs))[1].verdict == "undecided"
    raise_by(
        runs,
        0.05,
        TOURNAMENTS,
        "easy",
        Reading("redraw" if swap == "skip" else "skip"),
        setting=GENTLER,
    )
    assert next(report.about_rates(runs))[1].verdict == "holds"


def test_courses_decide_what_falls_what_is_solved_and_what_converges() -> None:
    rising, falling = made_up(solved=True), made_up(fall=True)
    for runs, fall, rise in ((rising, "fails", "holds"), (falling, "holds", "fails")):
        found = verdicts(report.about_selection(runs))
        for selection in ("roulette", "rank"):
            assert found[f"{selection}-falls"] == fall
        assert report.better_than_at_first(runs, "tournament").verdict == rise
        assert report.effective(runs).verdict == rise
    still = {key: np.repeat(each[:, -1:], 151, axis=1) for key, each in rising.curves.items()}
    assert report.converge(ReportRuns(still, rising.solved)).verdict == "holds"
    assert report.converge(_growing(rising)).verdict == "fails"


def _growing(runs: Any) -> Any:
    """The same arms, still rising long after the report's last generation."""
    generator = np.random.default_rng(2)
    rising = np.linspace(0.6, 0.9, 2 * GENERATIONS)
    curves = {key: rising + generator.normal(0, 0.001, (SEEDS, len(rising))) for key in runs.curves}
    return ReportRuns(curves, runs.solved)


def test_elitism_is_judged_for_each_selection() -> None:
    runs = made_up()
    for puzzle in PUZZLES:
        for reading in ALL:
            raise_by(runs, 0.05, models("roulette"), puzzle, reading, elites=1)
            raise_by(runs, -0.05, TOURNAMENTS, puzzle, reading, elites=1)
        raise_by(runs, 0.05, models("rank"), puzzle, Reading(), elites=1)
    found = {
        each: report.elitism_helps(runs, each).verdict for each in PUBLISHED["orders"]["selection"]
    }
    assert found["roulette"] == "holds"
    assert found["tournament"] == "fails"
    assert found["rank"] == "undecided"  # one reading of three


def test_a_run_is_stable_that_stays_and_one_that_swings_is_not() -> None:
    runs = made_up()
    quiet = {key: np.full_like(each, 0.9) for key, each in runs.curves.items()}
    swinging = {key: each.copy() for key, each in quiet.items()}
    for each in swinging.values():
        each[:, 1::2] -= 0.02
    found = {
        name: verdicts(report.about_tournament_250(ReportRuns(curves, runs.solved)))
        for name, curves in (("quiet", quiet), ("swinging", swinging))
    }
    for name in ("model-9-stable", "model-5-stable"):
        assert found["quiet"][name] == "holds"
        assert found["swinging"][name] == "fails"
    late = {key: each.copy() for key, each in quiet.items()}
    for each in late.values():
        each[:, :40] -= 0.1
    slow = verdicts(report.about_tournament_250(ReportRuns(late, runs.solved)))
    assert slow["model-5-quick"] == "fails"
    assert found["quiet"]["model-5-quick"] == "holds"
    both = ReportRuns(swinging, runs.solved)
    assert both.alternating(TOURNAMENTS, BASE, "easy").all()
    assert both.swing(TOURNAMENTS[0], WIDER, "easy") == pytest.approx(0.02)
    assert not ReportRuns(quiet, runs.solved).alternating(TOURNAMENTS, BASE, "easy").any()


def test_models_of_one_seed_count_once() -> None:
    few = made_up()
    three = ReportRuns({key: each[:3] for key, each in few.curves.items()}, few.solved)
    assert verdicts(report.about_the_low_rate(three))["low-rate-settles"] == "undecided"


def test_facts_about_what_is_printed_do_not_depend_on_runs() -> None:
    for runs in (made_up(), made_up(DECLARED_BEST, solved=True)):
        found = verdicts(report.about_tournament_250(runs), report.printed_claims())
        assert found["model-9-above-98"] == "fails"
        assert found["model-19"] == "undecided"


def test_operators_matter_if_the_seeds_agree_on_their_order() -> None:
    runs = made_up()
    assert on_operators(runs) == "undecided"
    for reading in ALL:
        for puzzle in PUZZLES:
            raise_by(runs, 0.02, TOURNAMENTS[:3], puzzle, reading)
    assert on_operators(runs) == "holds"
    few = ReportRuns({key: each[:2] for key, each in runs.curves.items()}, runs.solved)
    assert on_operators(few) == "undecided"


def test_findings_of_ours_are_not_among_its_claims(tiny: Path) -> None:
    runs = made_up()
    with Store.open(tiny / "wishes.db") as store:
        wishes = ReportRuns.of(store)
    wishes = ReportRuns(
        {key: np.repeat(each, SEEDS, axis=0) for key, each in wishes.curves.items()}, wishes.solved
    )
    ours = verdicts(report.observations(runs, wishes))
    assert ours["easy-unsolvable"] == "holds"
    assert ours["other-best-models"] == "holds"
    assert ours["inversion"] == "holds"  # against runs that never were
    assert not set(ours) & set(verdicts(report.claims(runs, runs)))


def test_one_run_of_each_names_a_winner_for_every_seed() -> None:
    won = report.winners_by_seed(made_up(DECLARED_BEST), EXPERIMENTS[0], "medium")
    assert won == {str(DECLARED_BEST): SEEDS}
    assert sum(
        report.winners_by_seed(made_up(), EXPERIMENTS[0], "medium").values()
    ) == pytest.approx(SEEDS)


def test_models_that_are_equal_share_a_win() -> None:
    runs = made_up()
    level = ReportRuns({key: np.ones_like(each) for key, each in runs.curves.items()}, runs.solved)
    won = report.winners_by_seed(level, EXPERIMENTS[0], "medium")
    assert len(won) == len(ALL_MODELS)
    assert list(won.values()) == pytest.approx([SEEDS / len(ALL_MODELS)] * len(ALL_MODELS))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kept runs of one seed: of its declared best model, of every tenth, and all of our wishes."""
    return unpack_runs("000", tmp_path_factory.mktemp("000"))


def test_real_runs_keep_the_reports_scale_and_end_with_the_last_population(tiny: Path) -> None:
    with Store.open(tiny / "experiments.db") as store:
        runs = ReportRuns.of(store)
        results = store.results()
    assert len(runs.curves) == 9 * len(PUZZLES)
    finals = sorted(each[0, -1] for each in runs.curves.values())
    assert finals == pytest.approx(sorted(1 - results.final_cost / 243))
    assert (results.final_cost >= results.cost).all()  # which is that of the best board ever
    assert (results.final_cost > results.cost).any()
    highest = max(each.max() for (_, puzzle), each in runs.curves.items() if puzzle == "easy")
    assert highest <= ceiling("easy") + 1e-12
    assert not any(each.any() for (_, puzzle), each in runs.solved.items() if puzzle == "easy")


def test_both_readings_of_the_swap_are_one_where_every_unit_has_two_blanks(tiny: Path) -> None:
    with Store.open(tiny / "experiments.db") as one, Store.open(tiny / "skipping.db") as other:
        runs = ReportRuns.of(one, other)
    skipping = runs.under(Reading("skip"))
    for puzzle in PUZZLES[1:]:
        own = (each.curves_of(DECLARED_BEST, BASE, puzzle) for each in (runs, skipping))
        assert next(own) is next(own)
    easy = [each.curves_of(DECLARED_BEST, BASE, "easy") for each in (runs, skipping)]
    assert not np.array_equal(easy[0], easy[1])


@pytest.mark.release
def test_the_page_redraws_every_figure_of_the_report(tmp_path: Path) -> None:
    found = reproduce("000", Scale(quick=True, seeds=1), tmp_path)
    found.page.write_markdown(tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    for number in range(6, 18):
        assert f"Figure {number} again" in text
    for word in ("nan", "inf ", "± 0.0000", "1 seeds", "1 runs", "p = 1.000"):
        assert word not in text, word
    for drawing in (tmp_path / "page-figures").iterdir():
        assert drawing.stat().st_size < 150_000
