"""Tuning: what is searched, what a trial is worth, the search and its store, and the validation."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from genoku.errors import RecipeError, StoreError
from genoku.evolve.presets import preset, preset_from_file
from genoku.evolve.recipe import build, describe
from genoku.generator import PuzzleRequest, generate
from genoku.lab.store import lock
from genoku.lab.tune import (
    STUDY,
    TUNING,
    Task,
    Tuning,
    TuningProgress,
    TuningRun,
    Validation,
    changed_by,
    evaluate,
    finished_trials,
    instances_of,
    parse,
    search,
    space_of,
    tuned_preset,
    validations,
)
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.isomorph import canonical

FOUR = PuzzleRequest(Geometry(2, 2))
SMALL = {"use": "genetic", "population": 10, "fitness": "unique-squared"}


def small_tuning(**changes: Any) -> Tuning:
    """Eight tiny runs per trial, on 4×4 boards."""
    recipe = describe(build(SMALL))
    facts: dict[str, Any] = {
        "name": "small",
        "recipe": recipe,
        "space": tuple(map(str, space_of(recipe))),
        "instances": instances_of(FOUR, 8, 0),
        "until": "evaluations=400",
    }
    return Tuning(**{**facts, **changes})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    news: list[TuningProgress] = []
    store = tmp_path_factory.mktemp("tune") / "undisturbed.db"
    return search(small_tuning(), store, 8, watch=news.append), news, store


# what a run is worth
def outcome(value: float, solved: bool = True) -> TuningRun:
    return TuningRun(value, solved, 0.0, 1, 0, 0.0)


# the search
def test_the_first_trial_is_the_recipe_itself_and_the_best_is_no_worse(undisturbed: Any) -> None:
    found, news, _ = undisturbed
    ended = [each for each in news if each.ended]
    assert [each.trial for each in ended] == list(range(1, 9))
    assert ended[0].value == found.initial_value
    assert found.value <= found.initial_value
    assert found.value == min(each.value for each in ended if each.ended == "whole")
    assert found.trials == 8
    assert found.given_up == sum(each.ended == "given up" for each in ended)
    assert found.refused == sum(each.ended == "refused" for each in ended)


def test_what_is_found_is_worth_what_the_search_says(undisturbed: Any) -> None:
    found, _, _ = undisturbed
    tuning = small_tuning()
    values = [evaluate(Task(found.recipe, tuning.until, each)).value for each in tuning.instances]
    assert found.value == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_trials_that_are_plainly_worse_are_given_up(undisturbed: Any) -> None:
    _, news, _ = undisturbed
    short = [each for each in news if each.ended == "given up"]
    assert short
    assert all(2 <= each.runs < 8 for each in short)


def test_a_trial_that_was_given_up_is_judged_by_its_mean_and_never_the_best(
    undisturbed: Any,
) -> None:
    import optuna

    found, news, store = undisturbed
    ended = [each for each in news if each.ended]
    study = optuna.load_study(study_name=STUDY, storage=f"sqlite:///{store}")
    assert [each.value for each in study.trials] == [each.value for each in ended]
    assert study.best_value == found.value
    assert all(each.value > each.best for each in ended if each.ended == "given up")


def test_the_same_seed_gives_the_same_search_and_another_seed_another(
    undisturbed: Any, tmp_path: Path
) -> None:
    found, _, _ = undisturbed
    assert search(small_tuning(), tmp_path / "again.db", 8) == found
    assert search(small_tuning(seed=1), tmp_path / "other.db", 8) != found


class Cut(BaseException):
    """As sudden as can be inside a process."""


@pytest.mark.parametrize("after", [5, 20])
def test_a_search_that_was_cut_off_ends_as_one_that_was_not(
    undisturbed: Any, tmp_path: Path, after: int
) -> None:
    seen: list[TuningProgress] = []

    def cut(news: TuningProgress) -> None:
        seen.append(news)
        if len(seen) == after:
            raise Cut

    with pytest.raises(Cut):
        search(small_tuning(), tmp_path / "cut.db", 8, watch=cut)
    assert finished_trials(tmp_path / "cut.db") < 8
    assert search(small_tuning(), tmp_path / "cut.db", 8) == undisturbed[0]


def test_a_search_can_go_on_for_more_trials(undisturbed: Any, tmp_path: Path) -> None:
    store = tmp_path / "more.db"
    search(small_tuning(), store, 3)
    assert finished_trials(store) == 3
    assert search(small_tuning(), store, 8) == undisturbed[0]


def test_parameters_that_do_not_go_together_cost_a_trial_and_no_more(tmp_path: Path) -> None:
    recipe = describe(preset("sundy").build())
    space = ("population=4..10", "mutation.least=1..9", "mutation.most=1..9")
    tuning = small_tuning(recipe=recipe, space=space)
    found = search(tuning, tmp_path / "clash.db", 12)
    assert found.refused
    assert found.recipe["mutation"]["least"] <= found.recipe["mutation"]["most"]


def test_a_space_in_which_nothing_can_be_built_is_an_error(tmp_path: Path) -> None:
    tuning = small_tuning(recipe=describe(preset("sundy").build()), space=("mutation.most=0..0.5",))
    with pytest.raises(RecipeError):
        search(tuning, tmp_path / "none.db", 2)


def test_a_store_of_another_tuning_is_refused_and_stays(undisturbed: Any) -> None:
    _, _, store = undisturbed
    before = store.read_bytes()
    with pytest.raises(StoreError):
        search(small_tuning(until="evaluations=500"), store, 9)
    assert store.read_bytes() == before


def test_a_store_resumes_if_its_trials_would_have_the_same_results(
    monkeypatch: pytest.MonkeyPatch, undisturbed: Any, tmp_path: Path
) -> None:
    import optuna

    path = tmp_path / "old.db"
    search(small_tuning(), path, 3)
    study = optuna.load_study(study_name=STUDY, storage=f"sqlite:///{path}")
    facts = study.user_attrs[TUNING]
    del facts["results_version"]  # which genoku 0.1.0 did not write
    study.set_user_attr(TUNING, facts | {"genoku": "0.1.0"})
    assert search(small_tuning(), path, 8) == undisturbed[0]
    monkeypatch.setattr("genoku.lab.tune.RESULTS_VERSION", 2)
    with pytest.raises(StoreError, match="results version"):
        search(small_tuning(), path, 9)


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\x00 and then not"])
def test_a_file_that_is_no_store_is_refused_and_stays(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "text.db"
    path.write_bytes(content)
    with pytest.raises(StoreError):
        search(small_tuning(), path, 1)
    assert path.read_bytes() == content


def test_another_database_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "else.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE birds (name TEXT)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(StoreError):
        search(small_tuning(), path, 1)
    assert path.read_bytes() == before


def test_a_store_that_somebody_else_writes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "taken.db"
    with lock(path), pytest.raises(StoreError):
        search(small_tuning(), path, 1)


def test_a_store_may_have_any_name(tmp_path: Path) -> None:
    path = tmp_path / "what? a #1 50% näme.db"
    assert search(small_tuning(), path, 1).trials == finished_trials(path) == 1
    assert path.exists()


# the validation


def test_fresh_instances_are_none_of_those_tuned_on() -> None:
    tuned, fresh = (instances_of(PuzzleRequest(), 5, 3, fresh=fresh) for fresh in (False, True))
    assert len({each.puzzle for each in tuned + fresh}) == 10
    assert len({each.seed for each in tuned + fresh}) == 10
    assert instances_of(PuzzleRequest(), 5, 3, fresh=True) == fresh


def test_given_puzzles_are_met_in_turn_and_validated_on_isomorphs() -> None:
    puzzles = [generate(FOUR, 0, place).puzzle for place in range(2)]
    tuned, fresh = (instances_of(puzzles, 4, 0, fresh=fresh) for fresh in (False, True))
    assert [each.puzzle for each in tuned] == [str(puzzles[place]) for place in (0, 1, 0, 1)]
    assert not {each.puzzle for each in tuned} & {each.puzzle for each in fresh}
    for one, other in zip(tuned, fresh, strict=True):
        assert canonical(Puzzle.parse(one.puzzle)) == canonical(Puzzle.parse(other.puzzle))


@pytest.mark.parametrize(
    ("before", "after", "verdict", "said"),
    [
        ([1.2] * 10, [-1.0 - place / 10 for place in range(10)], "better", "is better on 10 fresh"),
        ([-1.0 - place / 10 for place in range(10)], [1.2] * 10, "worse", "is worse on 10 fresh"),
        ([-1.0] * 10, [-1.0] * 10, "open", "both did exactly the same"),
        ([0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, -1], "open", "Not shown to be better on 6 fresh"),
        ([1.0, 1.0, 1.0], [-1.0, -2.0, -3.0], "open", "Not shown to be better on 3 fresh"),
    ],
)
def test_the_verdict_claims_no_more_than_the_test_allows(
    before: list[float], after: list[float], verdict: str, said: str
) -> None:
    runs = [tuple(outcome(value, value < 1) for value in values) for values in (before, after)]
    validation = Validation(runs[0], runs[1])
    assert validation.verdict == verdict
    assert said in validation.sentence()


def test_isomorphs_say_nothing_of_other_puzzles() -> None:
    worse = tuple(outcome(1.2, solved=False) for _ in range(10))
    better = tuple(outcome(-1.0 - place / 10) for place in range(10))
    for before, after in ((worse, better), (better, worse), (worse, worse)):
        validation = Validation(before, after, isomorphs=True)
        said = validation.sentence()
        assert f"on 10 {validation.puzzles}" in said
        assert f"{validation.scope}." in said
        assert "fresh" not in said


def test_how_many_puzzles_may_show_a_difference_is_a_rough_word() -> None:
    before, after = (
        tuple(outcome(value) for value in values)
        for values in ((0, 1, 0, 1, 0, 1), (1, 0, 0, 0, -1, -1))
    )
    assert "--validate 21 " in Validation(before, after).sentence()


def test_puzzles_that_rules_solve_without_a_search_are_counted_and_named() -> None:
    recipe = describe(preset("sundy").build())
    fixed = changed_by(recipe, {"encoding.fixed": "singles"})
    easy = instances_of([bundled()["charles-easy"].puzzle], 2, 0, fresh=True)
    *_, found = validations(recipe, fixed, "evaluations=600", easy)
    assert found.solved_without_search == (0, 2)
    assert found.sentence() != found._replace(after=found.before).sentence()
    assert "singles" in found.sentence()


def untimed(runs: Iterable[TuningRun]) -> list[TuningRun]:
    return [run._replace(cpu_seconds=0.0) for run in runs]


def test_both_recipes_meet_the_same_instances() -> None:
    tuning = small_tuning()
    fresh = instances_of(FOUR, 3, 0, fresh=True)
    *_, last = validations(tuning.recipe, tuning.recipe, tuning.until, fresh)
    assert untimed(last.before) == untimed(last.after)
    assert len(last.before) == 3


def test_two_processes_validate_as_one_does() -> None:
    tuning = small_tuning()
    fresh = instances_of(FOUR, 5, 0, fresh=True)
    one, two = (
        list(validations(tuning.recipe, SMALL, tuning.until, fresh, jobs)) for jobs in (1, 2)
    )
    assert (len(one), len(two)) == (5, 3)
    for runs_of_one, runs_of_two in zip(one[-1][:2], two[-1][:2], strict=True):
        assert untimed(runs_of_one) == untimed(runs_of_two)


def test_what_is_written_reads_back_as_a_preset(undisturbed: Any, tmp_path: Path) -> None:
    found, _, _ = undisturbed
    path = tmp_path / "tuned.toml"
    runs = tuple(outcome(1.2, solved=False) for _ in range(3))
    isomorphs = Validation(runs, runs, isomorphs=True)
    marks = ((None, "NOT tuned"), (Validation(runs, runs), "NOT shown"), (isomorphs, "isomorphs"))
    for validation, mark in marks:
        path.write_text(tuned_preset(small_tuning(), found, validation, "charles-easy"), "utf-8")
        read = preset_from_file(str(path))
        assert describe(read.build()) == found.recipe
        assert mark in read.about
        assert read.until == "evaluations=400"
        found_line = f"Found: population={found.values['population']}, "
        assert (found_line in " ".join(read.left_open)) == (validation is not None)


def test_a_choice_that_does_not_exist_is_refused_before_anything_is_tried() -> None:
    with pytest.raises(RecipeError):
        space_of(preset("sundy").recipe, [parse("selection=rank|foo")])
