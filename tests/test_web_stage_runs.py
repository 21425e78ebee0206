"""Live runs and races without their process: what they come to, and how they are shown."""

from __future__ import annotations

import json
import os
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genoku.collection import bundled
from genoku.errors import GenokuError, PuzzleError, RecipeError
from genoku.figures import Film
from genoku.fitness import fitness_map
from genoku.geometry import Geometry
from genoku.history import Record
from genoku.loop import run
from genoku.presets import preset
from genoku.recipe import build, with_value
from genoku.result import Result
from genoku.web.limits import Limits
from genoku.web.stage import acts, looks, runs
from genoku.web.stage.acts import Act
from genoku.web.stage.plans import planned_race, planned_run
from genoku.web.stage.process import Stage
from genoku.web.stage.runs import LiveRun
from genoku.web.stage.saved import Folder, Saved

PUZZLE = "charles-basic"
LIMITS = Limits()
PLAN: dict[str, Any] = {
    "puzzle": PUZZLE,
    "preset": "charles",
    "settings": {"population": 40},
    "until": "generations=60",
    "seed": 7,
}
CLASH = "11" + "." * 14
LAND = {"use": "islands", "islands": 10**6}


def nothing() -> None: ...


def saved(plan: dict[str, Any], kind: Any = "run", phase: str = "running") -> Saved:
    return Saved(
        kind=kind, plan=plan, phase=phase, speed=plan.get("speed"), ended="", step=0, title=""
    )


def act_of(plan: dict[str, Any], folder: Path, name: str = "one", kind: Any = "run") -> Act:
    act = Act(name, 1, saved(plan, kind), Folder(folder), LIMITS)
    act.prepare(nothing)
    act.begin()
    return act


def played(act: Act) -> dict[str, Any]:
    while act.is_active:
        act.play(nothing)
    return act.frame()


def plain_run(plan: dict[str, Any], **options: Any) -> Result:
    """The same by `run` alone."""
    recipe: Any = preset(plan["preset"]).recipe
    for path, value in plan.get("settings", {}).items():
        recipe = with_value(recipe, path, value)
    return run(
        bundled()[plan["puzzle"]].puzzle,
        build(recipe),
        seed=plan["seed"],
        until=plan["until"],
        record=Record(diversity_every=10),
        **options,
    )


def assert_same(told: dict[str, Any], plain: Result) -> None:
    """A live run's result is that of a run by itself."""
    record = told["record"]
    assert told["board"] == plain.board.tolist()
    for name in ("steps", "evaluations", "moves", "cost", "stop_reason", "recipe", "seed"):
        assert record[name] == plain.record()[name], name
    columns = told["history"]["columns"]
    assert list(columns) == list(plain.history)
    for name, column in plain.history.items():
        kept = np.array([np.nan if each is None else each for each in columns[name]])
        np.testing.assert_array_equal(kept, column, err_msg=name)


# --- identity ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["charles", "annealing", "champion", "eran-shahar-sa", "memetic"])
def test_a_live_run_comes_to_what_run_comes_to(name: str, tmp_path: Path) -> None:
    plan = {"puzzle": PUZZLE, "preset": name, "until": "steps=12", "seed": 3}
    act = act_of(plan, tmp_path)
    played(act)
    film = Film()
    assert_same(act.live.answer("result", {}), plain_run(plan, watch=film))
    assert [each[0] for each in act.live.answer("result", {})["film"]] == [
        each.step for each in film.frames
    ]


def test_pauses_steps_speeds_and_checkpoints_leave_no_trace(tmp_path: Path) -> None:
    act = act_of(PLAN, tmp_path)
    act.serve("step", {"steps": 3})
    played(act)
    assert act.live.step == 3
    act.save()
    act = act_of(PLAN, tmp_path)
    assert act.live.step == 3
    act.serve("speed", {"limit": 1000})
    act.play(nothing)
    act.serve("pause", {})
    act.save()
    act = act_of(PLAN, tmp_path)
    act.serve("resume", {})
    played(act)
    assert_same(act.live.answer("result", {}), plain_run(PLAN))


def test_the_clock_of_a_run_stands_still_between_turns(tmp_path: Path) -> None:
    act = act_of(PLAN, tmp_path)
    act.serve("step", {"steps": 2})
    played(act)
    before = act.frame()["look"]["seconds"]
    assert isinstance(act.live, LiveRun)
    assert act.frame()["look"]["seconds"] == before > 0
    assert act.live.journey.cpu_seconds > 0


def test_what_a_stopped_run_says_is_honest_and_survives(tmp_path: Path) -> None:
    act = act_of(PLAN, tmp_path)
    act.serve("step", {"steps": 2})
    played(act)
    frame = act.serve("stop", {})
    act.save()
    assert frame["phase"] == "ended"
    assert frame["look"]["ended"] == "stopped"
    assert frame["verdict"][0].startswith("Stopped: best score")
    again = Folder(tmp_path).read("one")
    assert again is not None
    back = Act("one", 1, again, Folder(tmp_path), LIMITS)
    back.prepare(nothing)
    back.begin()
    assert back.phase == "ended"
    assert back.live.step == 2


def test_a_solved_run_says_so(tmp_path: Path) -> None:
    frame = played(act_of({"puzzle": PUZZLE, "preset": "champion", "seed": 1}, tmp_path))
    assert frame["look"]["solved"]
    assert frame["look"]["ended"] == "solved"
    assert set(frame["look"]["units"]) == {3}
    assert frame["verdict"][0].startswith("Solved by champion in")


def test_a_run_that_fails_ends_with_the_reason(tmp_path: Path) -> None:
    act = act_of(PLAN, tmp_path)
    assert isinstance(act.live, LiveRun)

    class Broken:
        def step(self, *_: Any) -> Any:
            raise MemoryError("Unable to allocate 9 EiB")

    act.live.journey.algorithm = Broken()  # type: ignore[assignment]
    act.play(nothing)
    assert act.phase == "ended"
    assert act.frame()["verdict"] == [
        "There is not enough memory for it here: Unable to allocate 9 EiB."
    ]


# --- history -----------------------------------------------------------------------------------


def test_a_long_history_is_thinned_and_a_checkpoint_remembers_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MOST_ROWS", 16)
    monkeypatch.setattr(acts, "TURN", 0.0)  # a step each
    act = act_of(PLAN, tmp_path)
    for _ in range(40):
        act.play(nothing)
    act.save()
    act = act_of(PLAN, tmp_path)
    played(act)
    gens = act.live.answer("result", {})["history"]["columns"]["gen"]
    assert gens == [*range(0, 60, 4), 60]
    assert act.live.answer("curve", {})["step"][:3] == [0, 4, 8]


def test_a_curve_is_thinned_to_what_can_be_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looks, "MOST_POINTS", 7)
    act = act_of(PLAN, tmp_path)
    played(act)
    curve = act.live.answer("curve", {})
    assert curve["step"] == [0, 10, 20, 30, 40, 50, 60]
    assert {len(column) for column in curve.values()} == {7}
    assert None not in curve["diversity"]
    json.dumps(curve, allow_nan=False)


# --- how it is shown ---------------------------------------------------------------------------


@pytest.mark.parametrize("side", [4, 9, 25, 36])
def test_maps_are_report_003s(side: int) -> None:
    geometry = Geometry.of_side(side)
    boards = np.random.default_rng(1).integers(0, side + 1, (9, side * side)).astype(np.uint8)
    row = np.arange(1, side + 1, dtype=np.uint8)
    boards[0] = np.tile(row, side)
    boards[1] = np.repeat(row, side)
    wanted = [fitness_map(board, geometry) for board in boards]
    np.testing.assert_array_equal(looks.complete_units(boards, geometry), wanted)


def test_a_population_is_shown_the_best_first(tmp_path: Path) -> None:
    act = act_of(PLAN, tmp_path)
    played(act)
    shown = act.live.answer("population", {"first": 2, "count": 5})
    assert shown["size"] == len(shown["costs"]) == len(set(shown["ids"])) == 40
    assert shown["costs"] == sorted(shown["costs"])
    assert shown["first"] == 2
    one = act.live.answer("individual", {"rank": 3})
    assert (one["id"], one["cost"]) == (shown["ids"][3], shown["costs"][3])
    assert "".join(map(str, one["units"])) == shown["maps"][1]
    with pytest.raises(GenokuError, match="a rank from 0 to 39, got 40"):
        act.live.answer("individual", {"rank": 40})


def test_maps_of_a_population_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "MOST_MAPPED", 300)
    act = act_of(PLAN, tmp_path)
    assert len(act.live.answer("population", {"first": 0, "count": 40})["maps"]) == 3
    assert act.live.answer("population", {"first": 99, "count": 40})["maps"] == []


def test_pictures_are_made_for_listeners_and_for_news(tmp_path: Path) -> None:
    act = act_of(PLAN, tmp_path)
    first = act.picture(1)
    assert first is not None
    assert first[1] == "running"
    assert act.picture(1) is None
    act.serve("listen", {"on": True})
    assert act.picture(1) is not None
    assert act.picture(1) is None  # not yet again
    act.serve("pause", {})
    assert act.picture(1) is not None


def test_a_picture_is_json_without_numbers_that_are_none(tmp_path: Path) -> None:
    plan = {"puzzle": PUZZLE, "preset": "champion-lone", "until": "steps=1", "seed": 1}
    waiting = Act("one", 1, saved(plan), Folder(tmp_path), LIMITS)
    frame = json.loads(looks.text_of(waiting.frame()))
    assert frame["phase"] == "waiting"
    assert frame["look"]["best"] is None
    waiting.prepare(nothing)
    waiting.begin()
    frame = json.loads(looks.text_of(waiting.frame()))
    assert frame["look"]["diversity"] is None
    assert len(frame["look"]["board"]) == 81


# --- turns -------------------------------------------------------------------------------------


def test_turns_are_fair_whatever_a_step_takes(tmp_path: Path) -> None:
    ends: Any = Pipe()
    stage = Stage(ends[1], [0.0] * 6, LIMITS, Folder(tmp_path))
    slow = {**PLAN, "settings": {"population": 2000}, "until": "seconds=999"}
    for name, plan in (("slow", slow), ("quick", {**PLAN, "until": "seconds=999"})):
        stage._acts[name] = act_of(plan, tmp_path, name)
    longest = 0.0
    for _ in range(30):
        act = stage._next()
        before = act.had
        act.play(nothing)
        longest = max(longest, act.had - before)
    first, second = stage._acts.values()
    assert abs(first.had - second.had) <= longest
    first.is_pressing = True
    assert stage._next() is first


def test_who_comes_back_from_a_pause_does_not_get_what_others_had(tmp_path: Path) -> None:
    ends: Any = Pipe()
    stage = Stage(ends[1], [0.0] * 6, LIMITS, Folder(tmp_path))
    for name in ("one", "two"):
        stage._acts[name] = act_of({**PLAN, "until": "seconds=999"}, tmp_path, name)
    one, two = stage._acts.values()
    one.serve("pause", {})
    two.had = 100.0
    stage._receive(0, "resume", "one", {})
    assert one.had == 100.0


def test_who_waits_for_a_session_that_is_closed_is_told(tmp_path: Path) -> None:
    ends: Any = Pipe()
    stage = Stage(ends[1], [0.0] * 6, LIMITS, Folder(tmp_path))
    stage._receive(1, "open", "one", {"slot": 1, "saved": saved(PLAN)})
    stage._receive(2, "curve", "one", {})
    stage._receive(3, "close", "one", {})
    stage._make_ready(stage._unprepared.get())
    said = [ends[0].recv() for _ in range(2)]
    assert [message[1:3] for message in said] == [(2, False), (3, True)]
    assert said[0][3][1] == "the session is gone"
    assert not list(tmp_path.iterdir())  # as one that is made ready nevertheless would leave


# --- plans -------------------------------------------------------------------------------------


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
        ({"speed": 0}, GenokuError, "expected steps in a second"),
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
    ):
        plan = {"puzzle": PUZZLE, "preset": "champion", "until": until, "seed": 0}
        assert str(planned_run(plan, limits).chosen.until) == wanted
    oracle = planned_run({"puzzle": PUZZLE, "preset": "exact", "seed": 0}, limits)
    assert oracle.chosen.recipe["seconds"] == 10.0


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
    assert {str(each.until) for each in race.lanes} == {"seconds=5"}
    with pytest.raises(RecipeError, match="expected 2 to 4 lanes, got 1"):
        planned_race({"puzzle": PUZZLE, "lanes": lanes[:1], "seed": 1}, LIMITS)


# --- races -------------------------------------------------------------------------------------


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


# --- on disk -----------------------------------------------------------------------------------


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


def test_a_full_disk_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    act = act_of(PLAN, tmp_path / "file" / "sessions")
    frame = played(act)
    assert frame["phase"] == "ended"
    assert frame["look"]["step"] == 60
    assert frame["note"] == "nothing can be saved: Not a directory"
