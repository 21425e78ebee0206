"""Plans and races of the web app, and what is on disk of its sessions."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from sessions import LIMITS, PLAN, PUZZLE, act_of, nothing, played, saved

from genoku.errors import GenokuError, PuzzleError, RecipeError
from genoku.web.limits import Limits
from genoku.web.routes.runs import RunPlan
from genoku.web.stage.acts import Act
from genoku.web.stage.plans import planned_race, planned_run, speed_of
from genoku.web.stage.saved import Folder, Saved

CLASH = "11" + "." * 14
LAND = {"use": "islands", "islands": 10**6}


# Plans


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"puzzle": "12"}, PuzzleError, "expected"),
        ({"puzzle": CLASH}, PuzzleError, "the givens clash, so there is no solution: 1 appears"),
        ({"preset": "charlie"}, RecipeError, "did you mean charles"),
        ({"settings": {"population": 10**9}}, RecipeError, "expected at most 246,913 boards of 81"),
        ({"settings": {"offspring": 10**9}}, RecipeError, "expected at most 246,913 boards of 81"),
        ({"settings": {"selection.size": 0}}, RecipeError, "selection.size"),
        ({"recipe": {"use": "os:system"}}, RecipeError, "expected a part of genoku"),
        ({"recipe": LAND, "settings": {}}, RecipeError, "got 500,000,000"),
        ({"settings": dict.fromkeys(map(str, range(9999)), 1)}, RecipeError, "of at most 20,000"),
        ({"until": "soon"}, RecipeError, "expected limits such as"),
        ({"seed": -1}, RecipeError, "expected a seed from 0"),
        ({"speed": 0}, GenokuError, "steps in a second, got 0"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused_in_words(
    tmp_path: Path, change: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        Act("one", 1, saved({**PLAN, **change}), Folder(tmp_path), LIMITS)


def test_a_run_always_ends_in_time() -> None:
    limits = Limits(run_seconds=50.0, step_seconds=20.0)
    for until, wanted in (
        ("", "seconds=60 or seconds=50"),
        ("generations=5", "generations=5 or seconds=50"),
        ("seconds=9", "seconds=9"),
        ("cpu_seconds=9", "cpu_seconds=9"),
    ):
        plan = {"puzzle": PUZZLE, "preset": "champion", "until": until, "seed": 0}
        assert str(planned_run(plan, limits).chosen.until) == wanted
    oracle = planned_run({"puzzle": PUZZLE, "preset": "exact", "seed": 0}, limits)
    assert oracle.chosen.recipe["seconds"] == 10.0


def test_any_speed_that_can_be_asked_for_can_be_run() -> None:
    asked, _ = RunPlan.model_json_schema()["properties"]["speed"]["anyOf"]
    for end in ("minimum", "maximum"):
        assert speed_of(asked[end]) == asked[end]
    for beyond in (asked["minimum"] / 2, asked["maximum"] * 2, 1e-300, -1, float("nan"), True):
        with pytest.raises(GenokuError):
            speed_of(beyond)


def test_what_a_page_is_told_of_a_run() -> None:
    facts = planned_run(PLAN, LIMITS).facts()
    assert facts["title"] == "charles, changed, on charles-basic"
    assert facts["population"] == 40
    assert facts["settings"] == {"population": 40}
    assert (facts["side"], facts["box_rows"], len(facts["digits"])) == (9, 3, 81)
    assert facts["step_word"] == "generation"
    json.dumps(facts, allow_nan=False)


def test_lanes_have_different_names_and_one_budget() -> None:
    lanes = [{"preset": "champion"}, {"preset": "champion"}, {"preset": "tabu", "name": "mine"}]
    race = planned_race({"puzzle": PUZZLE, "lanes": lanes, "seed": 1}, LIMITS)
    assert [each.name for each in race.lanes] == ["champion 1", "champion 2", "mine"]
    assert {str(each.until) for each in race.lanes} == {"cpu_seconds=5"}
    asked = {"puzzle": PUZZLE, "lanes": lanes, "until": "seconds=2", "seed": 1}
    assert planned_race(asked, LIMITS).facts()["until"] == "cpu_seconds=2"
    with pytest.raises(RecipeError, match="expected 2 to 4 lanes, got 1"):
        planned_race({"puzzle": PUZZLE, "lanes": lanes[:1], "seed": 1}, LIMITS)


# Races


def test_a_race_has_a_winner_and_says_by_what(tmp_path: Path) -> None:
    lanes = [{"preset": "charles", "settings": {"population": 10}}, {"preset": "champion"}]
    plan = {"puzzle": PUZZLE, "lanes": lanes, "until": "seconds=0.1", "seed": 2}
    act = act_of(plan, tmp_path, kind="race")
    assert act.frame()["standing"] != ""
    assert act.frame()["winner"] is None
    act.play(nothing)
    act.save()
    frame = played(act_of(plan, tmp_path, kind="race"))
    assert frame["phase"] == "ended"
    assert (frame["winner"], frame["by"], frame["share"]) == (1, "solution", 1.0)
    assert frame["standing"].startswith("champion wins: it solved the puzzle in")
    assert [each["solved"] for each in frame["lanes"]] == [False, True]
    json.dumps(frame, allow_nan=False)


def test_a_race_that_is_stopped_is_decided_as_it_stands(tmp_path: Path) -> None:
    weak = {"preset": "charles", "settings": {"population": 2}}
    lanes = [weak, {"preset": "charles", "settings": {"population": 200}}]
    plan = {"puzzle": PUZZLE, "lanes": lanes, "until": "seconds=60", "seed": 2}
    act = act_of(plan, tmp_path, kind="race")
    act.play(nothing)
    frame = act.serve("stop", {})
    assert frame["phase"] == "ended"
    assert frame["by"] in ("loss", "tie", "solution")
    assert frame["verdict"] == [frame["standing"]]


# On disk


def test_what_is_on_disk_of_a_session_can_be_removed_and_stays_in_its_folder(
    tmp_path: Path,
) -> None:
    folder = Folder(tmp_path / "sessions")
    act_of(PLAN, tmp_path / "sessions").save()
    assert {each.name for each in folder.path.iterdir()} == {"one.json", "one.npz"}
    for name in ("../one", "", "a/b", "one.json"):
        assert folder.read(name) is None
        with pytest.raises(GenokuError, match="expected the id of a session"):
            folder.run(name)
    folder.sweep(3600, most=10**6)
    folder.sweep(-1, most=0, live={"one"})
    assert folder.read("one") is not None
    folder.sweep(-1, most=10**6)
    assert folder.read("one") is None
    act_of(PLAN, tmp_path / "sessions").save()
    folder.forget("one")
    assert not list(folder.path.iterdir())


def test_a_session_that_is_not_ready_yet_stands_as_it_was_saved(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    kept: Saved = {**saved(PLAN, phase="paused"), "step": 12, "title": "once"}
    act = Act("one", 1, kept, folder, LIMITS)
    act.serve("resume", {})
    act.write_note()
    noted = folder.read("one")
    assert noted is not None
    assert (noted["step"], noted["phase"]) == (12, "running")
    ended = Act("two", 1, {**kept, "phase": "ended", "ended": "stopped"}, folder, LIMITS)
    ended.serve("speed", {"limit": 3})
    ended.write_note()
    assert folder.read("two") == {**ended._before, "speed": 3.0, "title": ended._title}


def test_of_too_many_bytes_the_oldest_sessions_go(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for age, name in enumerate(("new", "old", "older", "live")):
        folder.write(name, saved(PLAN))
        os.utime(tmp_path / f"{name}.json", (10**9 - age, 10**9 - age))
    size = (tmp_path / "new.json").stat().st_size
    folder.sweep(10**10, most=2 * size, live={"live"})
    assert {each.stem for each in tmp_path.iterdir()} == {"new", "old", "live"}


def test_what_cannot_be_removed_keeps_nothing_else(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("old", saved(PLAN))
    for name in ("a", "z"):
        (tmp_path / f"{name}.json").mkdir()
    folder.sweep(-1, most=0)
    assert {each.stem for each in tmp_path.iterdir()} == {"a", "z"}


def test_a_full_disk_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    act = act_of(PLAN, tmp_path / "file" / "sessions")
    frame = played(act)
    assert frame["phase"] == "ended"
    assert frame["look"]["step"] == 60
    assert frame["note"] == "nothing can be saved: Not a directory"
