"""Live runs and races without their process: what they come to, and how they are shown."""

from __future__ import annotations

import json
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sessions import (
    LIMITS,
    PLAN,
    PUZZLE,
    act_of,
    assert_same,
    nothing,
    plain_run,
    played,
    saved,
)

from genoku.errors import GenokuError
from genoku.figures import Film
from genoku.fitness import fitness_map
from genoku.geometry import Geometry
from genoku.web.stage import acts, looks, runs
from genoku.web.stage.acts import Act
from genoku.web.stage.process import Stage
from genoku.web.stage.runs import LiveRun
from genoku.web.stage.saved import Folder

# Identity


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


# History


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


def test_diversity_is_the_same_live_and_read_again(tmp_path: Path) -> None:
    act = act_of(PLAN, tmp_path)
    act.halted, live = True, {}
    while not act.live.ended:
        act.serve("step", {"steps": 1})
        act.play(nothing)
        look = act.frame()["look"]  # at a halt, of this very step
        live[look["step"]] = look["diversity"]
        look = act.live.frame(stands=False)["look"]
        assert look["diversity"] in (None, live[look["step"]])
    curve = act.live.answer("curve", {})
    read = dict(zip(curve["step"], curve["diversity"], strict=True))
    measured = {step: each for step, each in read.items() if each is not None and step}
    assert set(measured) == {*range(10, 61, 10)}
    assert measured == {step: live[step] for step in measured}


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
    monkeypatch.setattr(looks, "MOST_POINTS", 20)
    curve = act.live.answer("curve", {})
    assert {*range(0, 61, 10)} < set(curve["step"])
    assert len(curve["step"]) <= 20
    json.dumps(curve, allow_nan=False)


# How it is shown


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
    act.limits = replace(act.limits, frames=0.01)  # a machine may be slow
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


# Turns


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
