"""Live sessions without their process: what they come to, how they are shown, what is on disk."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from sessions import (
    LIMITS,
    PLAN,
    PUZZLE,
    assert_same,
    changed,
    nothing,
    open_session,
    plain_run,
    play,
    race,
)

from genoku.errors import GenokuError, PuzzleError, RecipeError
from genoku.evolve.fitness import FITNESSES, Fitness, Repetitions, errors_left
from genoku.present.figures import Film
from genoku.puzzle.geometry import Geometry
from genoku.web.limits import Limits
from genoku.web.live import session as live
from genoku.web.live.lanes import choose_lanes, scale_answer
from genoku.web.live.plan import LaneRequest, RunPlan, SavedSession, SessionFolder
from genoku.web.live.session import LiveSession
from genoku.web.live.worker import LiveWorker

CLASH = "11" + "." * 14
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
LAND = {"use": "islands", "islands": 10**6}
CHAMPION = LaneRequest(preset="champion")
WEAK = LaneRequest(preset="charles", settings={"population": 10})

# Plans


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"puzzle": "12"}, PuzzleError),
        ({"puzzle": CLASH}, PuzzleError),
        ({"preset": "charlie"}, RecipeError),
        ({"settings": {"population": 10**9}}, RecipeError),
        ({"settings": {"offspring": 10**9}}, RecipeError),
        ({"settings": {"selection.size": 0}}, RecipeError),
        ({"recipe": {"use": "os:system"}}, RecipeError),
        ({"recipe": LAND, "settings": {}}, RecipeError),
        ({"settings": {"x" * 20_000: 1}}, RecipeError),
        ({"until": "soon"}, RecipeError),
        ({"seed": -1}, ValidationError),
        ({"seed": 2**53}, ValidationError),
        ({"speed": 0}, ValidationError),
        ({"speed": 1e-300}, ValidationError),
        ({"speed": float("nan")}, ValidationError),
        ({"settings": dict.fromkeys(map(str, range(201)), 1)}, ValidationError),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused(
    tmp_path: Path, change: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        LiveSession(
            "one", 1, SavedSession.of(changed(PLAN, **change)), SessionFolder(tmp_path), LIMITS
        )


def test_a_run_always_ends_in_time() -> None:
    limits, geometry = Limits(run_seconds=50.0, step_seconds=20.0), Geometry(3, 3)
    for until, wanted in (
        ("", "seconds=60 or seconds=50"),
        ("generations=5", "generations=5 or seconds=50"),
        ("seconds=9", "seconds=9"),
        ("cpu_seconds=9", "cpu_seconds=9"),
    ):
        (choice,) = choose_lanes(RunPlan(puzzle=PUZZLE, until=until), geometry, limits)
        assert str(choice.until) == wanted
    (oracle,) = choose_lanes(RunPlan(puzzle=PUZZLE, preset="exact"), geometry, limits)
    assert oracle.facts.recipe["seconds"] == 10.0


def test_what_a_page_is_told_of_a_run(tmp_path: Path) -> None:
    facts = open_session(PLAN, tmp_path).facts()
    assert facts.title == "charles, changed, on charles-basic"
    assert (facts.side, facts.box_rows, len(facts.digits)) == (9, 3, 81)
    (lane,) = facts.lanes
    assert (lane.population, lane.settings) == (40, {"population": 40})
    assert lane.step_word == "generation"
    json.dumps(asdict(facts), allow_nan=False)


def test_lanes_have_different_names_and_one_budget() -> None:
    lanes = [CHAMPION, CHAMPION, LaneRequest(preset="tabu", name="mine")]
    chosen = choose_lanes(race(*lanes), Geometry(3, 3), LIMITS)
    assert [each.name for each in chosen] == ["champion 1", "champion 2", "mine"]
    assert {str(each.until) for each in chosen} == {"cpu_seconds=5"}
    by_wall = race(*lanes, until="seconds=2")
    assert {str(each.until) for each in choose_lanes(by_wall, Geometry(3, 3), LIMITS)} == {
        "cpu_seconds=2"
    }
    for count in (1, 5):
        with pytest.raises(ValidationError):
            race(*[CHAMPION] * count)


# Identity


@pytest.mark.parametrize(
    "name", ["charles", "annealing", "champion", "eran-shahar-sa-restarts", "memetic"]
)
def test_a_live_run_comes_to_what_run_comes_to(name: str, tmp_path: Path) -> None:
    plan = RunPlan(puzzle=PUZZLE, preset=name, until="steps=12", seed=3)
    session = open_session(plan, tmp_path)
    play(session)
    film = Film()
    steps = assert_same(session.result(), plain_run(plan, watch=film))
    assert steps == [each.step for each in film.frames]


def test_pauses_steps_speeds_and_checkpoints_leave_no_trace(tmp_path: Path) -> None:
    session = open_session(PLAN, tmp_path)
    session.step(steps=3)
    play(session)
    assert session.step_count == 3
    session.save()
    session = open_session(PLAN, tmp_path)
    assert session.step_count == 3
    session.limit_speed(1000)
    session.take_turn(nothing)
    session.pause()
    session.save()
    session = open_session(PLAN, tmp_path)
    session.resume()
    play(session)
    assert_same(session.result(), plain_run(PLAN))


def test_the_clock_of_a_run_stands_still_between_turns(tmp_path: Path) -> None:
    session = open_session(PLAN, tmp_path)
    session.step(steps=2)
    play(session)
    before = session.snapshot().lanes[0].seconds
    assert session.snapshot().lanes[0].seconds == before > 0
    assert session.run.cpu_seconds > 0


def test_what_a_stopped_run_says_is_honest_and_survives(tmp_path: Path) -> None:
    session = open_session(PLAN, tmp_path)
    session.step(steps=2)
    play(session)
    frame = session.stop()
    session.save()
    assert frame.phase == "ended"
    assert frame.lanes[0].ended == "stopped"
    assert len(frame.verdict) > 1
    again = SessionFolder(tmp_path).read("one")
    assert again is not None
    back = LiveSession("one", 1, again, SessionFolder(tmp_path), LIMITS)
    back.prepare(nothing)
    back.mark_ready()
    assert (back.phase, back.ended, back.step_count) == ("ended", "stopped", 2)


def test_a_solved_run_says_so(tmp_path: Path) -> None:
    frame = play(open_session(RunPlan(puzzle=PUZZLE, seed=1), tmp_path))
    (lane,) = frame.lanes
    assert lane.solved
    assert lane.ended == "solved"
    assert set(lane.units) == {3}
    assert len(frame.verdict) > 1


def test_a_run_that_fails_ends_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(PLAN, tmp_path)

    def broken(*_: Any) -> Any:
        raise MemoryError("Unable to allocate 9 EiB")

    monkeypatch.setattr(type(session.choices[0].algorithm), "step", broken)
    session.take_turn(nothing)
    assert session.phase == "ended"
    assert session.snapshot().lanes[0].ended == "error"
    assert "Unable to allocate 9 EiB" in session.snapshot().verdict[0]


# Races


def test_a_race_has_a_winner_and_says_by_what(tmp_path: Path) -> None:
    plan = race(WEAK, CHAMPION, until="seconds=0.1", seed=2)
    session = open_session(plan, tmp_path)
    assert session.snapshot().standing
    assert session.snapshot().winner is None
    session.take_turn(nothing)
    session.save()
    frame = play(open_session(plan, tmp_path))
    assert frame.phase == "ended"
    assert (frame.winner, frame.by, frame.share) == (1, "solution", 1.0)
    assert frame.verdict == [frame.standing]
    assert [each.solved for each in frame.lanes] == [False, True]
    json.dumps(asdict(frame), allow_nan=False)


def test_a_race_that_is_stopped_is_decided_as_it_stands(tmp_path: Path) -> None:
    many = LaneRequest(preset="charles", settings={"population": 200})
    session = open_session(race(WEAK, many, until="seconds=60", seed=2), tmp_path)
    session.take_turn(nothing)
    frame = session.stop()
    assert frame.phase == "ended"
    assert frame.by in ("errors", "tie", "solution")
    assert frame.verdict == [frame.standing]


# History


def test_a_long_history_is_thinned_and_a_checkpoint_remembers_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MAX_ROWS", 16)
    monkeypatch.setattr(live, "TURN_SECONDS", 1e-9)  # a step each
    session = open_session(PLAN, tmp_path)
    for _ in range(40):
        session.take_turn(nothing)
    session.save()
    session = open_session(PLAN, tmp_path)
    play(session)
    gens = session.run.finish().history["gen"]
    assert gens.tolist() == [*range(0, 60, 4), 60]
    assert session.curve().step[:3] == [0, 4, 8]


def test_diversity_is_the_same_live_and_read_again(tmp_path: Path) -> None:
    session = open_session(PLAN, tmp_path)
    halted = {}
    while not session.ended:
        session.step()
        session.take_turn(nothing)
        lane = session.snapshot().lanes[0]  # at a halt, of this very step
        halted[lane.step] = lane.diversity
    curve = session.curve()
    read = dict(zip(curve.step, curve.diversity, strict=True))
    measured = {step: each for step, each in read.items() if each is not None and step}
    assert set(measured) == {*range(10, 61, 10)}
    assert measured == {step: halted[step] for step in measured}


@pytest.mark.parametrize("name", ["charles", "champion", "simon-puzzle"])
def test_errors_left_are_those_of_the_best_board(name: str, tmp_path: Path) -> None:
    session = open_session(RunPlan(puzzle=PUZZLE, preset=name, until="steps=9"), tmp_path)
    (lane,) = play(session).lanes
    result = session.run.finish()
    assert lane.errors == result.errors == errors_left(result.board, Geometry(3, 3))
    assert session.curve().errors == result.history["errors"].tolist()
    saved = SessionFolder(tmp_path).read("one")
    assert saved is not None
    assert saved.errors == lane.errors


def test_a_curve_is_thinned_to_what_can_be_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MAX_POINTS", 7)
    session = open_session(PLAN, tmp_path)
    play(session)
    curve = session.curve()
    assert curve.step == [0, 10, 20, 30, 40, 50, 60]
    columns = {name: each for name, each in asdict(curve).items() if name != "restarts"}
    assert {len(column) for column in columns.values()} == {7}
    assert None not in curve.diversity
    monkeypatch.setattr(live, "MAX_POINTS", 20)
    curve = session.curve()
    assert {*range(0, 61, 10)} < set(curve.step)
    assert len(curve.step) <= 20
    json.dumps(asdict(curve), allow_nan=False)


# How it is shown


@pytest.mark.parametrize("fitness", FITNESSES)
def test_a_mean_fitness_follows_from_the_mean_cost(fitness: type[Fitness]) -> None:
    for geometry in (Geometry(2, 2), Geometry(3, 3), Geometry(4, 4)):
        costs = np.arange(fitness().worst(geometry) + 1, dtype=np.int32)
        scale = scale_answer(fitness(), geometry)
        if scale is None:  # the errors left
            assert fitness is Repetitions
            scores = costs.astype(float)
        else:
            scores = scale.solved + scale.per_cost * costs
            assert (scale.per_cost < 0) == fitness.maximise
        assert np.allclose(scores, fitness().score(costs, geometry), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("preset", "name", "solved", "per_cost"),
    [
        ("poderosas", "normalised", 1.0, -1 / 243),
        ("eran-shahar-ga", "contradictions", 0.0, 1.0),
        ("charles", "unique", 243.0, -1.0),
        ("charles-unique-squared", "unique-squared", 2187.0, -1.0),
        ("simon", "complete-units", 243.0, -1.0),
        ("sundy", "missing-digits", 0.0, 1.0),
    ],
)
def test_a_lane_says_how_its_report_states_the_fitness(
    preset: str, name: str, solved: float, per_cost: float
) -> None:
    (lane,) = choose_lanes(RunPlan(puzzle=PUZZLE, preset=preset), Geometry(3, 3), LIMITS)
    scale = lane.facts.scale
    assert scale is not None
    assert (scale.fitness, scale.solved) == (name, solved)
    assert scale.per_cost == pytest.approx(per_cost)
    assert not lane.facts.partial


@pytest.mark.parametrize(("preset", "partial"), [("champion", True), ("annealing", False)])
def test_costs_that_are_errors_or_open_cells_have_no_other_scale(
    preset: str, partial: bool
) -> None:
    (lane,) = choose_lanes(RunPlan(puzzle=PUZZLE, preset=preset), Geometry(3, 3), LIMITS)
    assert lane.facts.scale is None
    assert lane.facts.partial is partial


def test_the_board_shown_has_its_id_and_its_cost(tmp_path: Path) -> None:
    session = open_session(RunPlan(puzzle=PUZZLE, preset="simon", until="steps=9"), tmp_path)
    (lane,) = play(session).lanes
    result = session.run.finish()
    assert (lane.id, lane.cost) == (result.best_id, result.cost)


def test_restarts_are_marked_and_a_checkpoint_remembers_them(tmp_path: Path) -> None:
    plan = RunPlan(puzzle=HARD, preset="eran-shahar-sa-restarts", until="steps=60", seed=1)
    session = open_session(plan, tmp_path)
    session.step(steps=30)
    play(session)
    session.save()
    session = open_session(plan, tmp_path)
    session.resume()
    (lane,) = play(session).lanes
    curve = session.curve()
    assert lane.restarts == session.run.state.memory["restarts"] == len(curve.restarts) > 1
    assert curve.restarts == sorted(set(curve.restarts))
    assert curve.restarts[0] <= 30 < curve.restarts[-1] <= lane.step
    assert curve.restarts[-1] == lane.restarted


def test_a_population_is_shown_the_best_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(PLAN, tmp_path)
    play(session)
    shown = session.population(first=2, count=5)
    assert shown.size == len(shown.costs) == len(set(shown.ids)) == 40
    assert shown.costs == sorted(shown.costs)
    assert shown.first == 2
    one = session.individual(rank=3)
    assert (one.id, one.cost) == (shown.ids[3], shown.costs[3])
    assert "".join(map(str, one.units)) == shown.maps[1]
    assert one.errors == shown.errors[1] == errors_left(np.array(one.board), Geometry(3, 3))
    with pytest.raises(GenokuError):
        session.individual(rank=40)
    monkeypatch.setattr(live, "MAX_MAPPED_CELLS", 300)
    assert len(session.population(first=0, count=40).maps) == 3
    assert session.population(first=99, count=40).maps == []


def test_snapshots_are_made_for_listeners_and_for_news(tmp_path: Path) -> None:
    session = open_session(PLAN, tmp_path)
    session.limits = replace(session.limits, frames=0.01)  # a machine may be slow
    first = session.snapshot_if_due(1)
    assert first is not None
    assert first.phase == "running"
    assert session.snapshot_if_due(1) is None
    session.listen(on=True)
    assert session.snapshot_if_due(1) is not None
    assert session.snapshot_if_due(1) is None  # not yet again
    session.pause()
    assert session.snapshot_if_due(1) is not None


def test_a_session_that_is_not_ready_shows_its_puzzle(tmp_path: Path) -> None:
    plan = RunPlan(puzzle=PUZZLE, preset="champion-lone", until="steps=1", seed=1)
    session = LiveSession("one", 1, SavedSession.of(plan), SessionFolder(tmp_path), LIMITS)
    frame = session.snapshot()
    assert frame.phase == "waiting"
    assert frame.lanes[0].best is None
    session.prepare(nothing)
    session.mark_ready()
    (lane,) = session.snapshot().lanes
    assert lane.diversity is None
    assert len(lane.board) == 81


# On disk


def test_what_is_on_disk_of_a_session_can_be_removed_and_stays_in_its_folder(
    tmp_path: Path,
) -> None:
    folder = SessionFolder(tmp_path / "sessions")
    open_session(PLAN, tmp_path / "sessions").save()
    assert {each.name for each in folder.path.iterdir()} == {"one.json", "one.npz"}
    for name in ("../one", "", "a/b", "one.json"):
        assert folder.read(name) is None
        with pytest.raises(GenokuError):
            folder.checkpoint(name)
    folder.sweep(3600, most=10**6)
    folder.sweep(-1, most=0, live={"one"})
    assert folder.read("one") is not None
    (folder.path / ".one.json.half").write_text("{")  # what a kill in the middle leaves
    folder.sweep(-1, most=10**6)
    assert not list(folder.path.iterdir())
    open_session(PLAN, tmp_path / "sessions").save()
    folder.forget("one")
    assert not list(folder.path.iterdir())


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"kind": "run", "plan": {}, "phase": "paused", "speed": null}']
)
def test_a_broken_file_is_no_session(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.json").write_text(text)
    assert SessionFolder(tmp_path).read("one") is None


def test_a_session_of_version_0_1_0_can_be_read(tmp_path: Path) -> None:
    run = {
        "puzzle": PUZZLE,
        "box": None,
        "name": "",
        "allow_conflicts": False,
        "preset": "charles",
        "recipe": None,
        "settings": {"population": 40},
        "until": "generations=60",
        "seed": 7,
        "speed": None,
        "paused": False,
    }
    lane: dict[str, Any] = {"preset": "simon", "recipe": None, "settings": {}, "name": ""}
    head = {"puzzle": PUZZLE, "box": None, "name": "", "allow_conflicts": False}
    raced = {**head, "lanes": [lane, lane], "until": "cpu_seconds=5", "seed": 1}
    for kind, plan in (("run", run), ("race", raced)):
        kept = {"phase": "paused", "speed": None, "ended": "", "step": 3, "title": "x"}
        (tmp_path / "one.json").write_text(json.dumps({"kind": kind, "plan": plan, **kept}))
        saved = SessionFolder(tmp_path).read("one")
        assert saved is not None
        assert (saved.kind, saved.plan.kind, saved.step) == (kind, kind, 3)
        assert saved.plan.model_dump(include=set(plan)) == plan


def test_a_session_that_is_not_ready_yet_stands_as_it_was_saved(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path)
    kept = SavedSession.of(PLAN).model_copy(update={"phase": "paused", "step": 12, "title": "once"})
    session = LiveSession("one", 1, kept, folder, LIMITS)
    session.resume()
    session.write_state()
    noted = folder.read("one")
    assert noted is not None
    assert (noted.step, noted.phase) == (12, "running")
    over = kept.model_copy(update={"phase": "ended", "ended": "stopped"})
    ended = LiveSession("two", 1, over, folder, LIMITS)
    ended.limit_speed(3)
    ended.write_state()
    assert folder.read("two") == over.model_copy(update={"speed": 3.0, "title": ended.title})


def test_of_too_many_bytes_the_oldest_sessions_go(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path)
    for age, name in enumerate(("new", "old", "older", "live")):
        folder.write(name, SavedSession.of(PLAN))
        os.utime(tmp_path / f"{name}.json", (10**9 - age, 10**9 - age))
    size = (tmp_path / "new.json").stat().st_size
    folder.sweep(10**10, most=2 * size, live={"live"})
    assert {each.stem for each in tmp_path.iterdir()} == {"new", "old", "live"}


def test_what_cannot_be_removed_keeps_nothing_else(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path)
    folder.write("old", SavedSession.of(PLAN))
    for name in ("a", "z"):
        (tmp_path / f"{name}.json").mkdir()
    folder.sweep(-1, most=0)
    assert {each.stem for each in tmp_path.iterdir()} == {"a", "z"}


def test_a_full_disk_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    frame = play(open_session(PLAN, tmp_path / "file" / "sessions"))
    assert frame.phase == "ended"
    assert frame.lanes[0].step == 60
    assert frame.note


# Turns


def worker(folder: Path) -> tuple[LiveWorker, Any]:
    """A worker in this process, and the other end of its pipe."""
    ends: Any = Pipe()
    return LiveWorker(ends[1], [0.0] * 6, LIMITS, SessionFolder(folder)), ends[0]


def test_turns_are_fair_whatever_a_step_takes(tmp_path: Path) -> None:
    live_worker, _ = worker(tmp_path)
    endless = changed(PLAN, until="seconds=999")
    slow = changed(endless, settings={"population": 2000})
    for name, plan in (("slow", slow), ("quick", endless)):
        live_worker._sessions[name] = open_session(plan, tmp_path, name)
    longest = 0.0
    for _ in range(30):
        session = live_worker._next()
        before = session.cpu_seconds
        session.take_turn(nothing)
        longest = max(longest, session.cpu_seconds - before)
    first, second = live_worker._sessions.values()
    assert abs(first.cpu_seconds - second.cpu_seconds) <= longest
    first.is_urgent = True
    assert live_worker._next() is first


def test_who_comes_back_from_a_pause_does_not_get_what_others_had(tmp_path: Path) -> None:
    live_worker, _ = worker(tmp_path)
    for name in ("one", "two"):
        plan = changed(PLAN, until="seconds=999")
        live_worker._sessions[name] = open_session(plan, tmp_path, name)
    one, two = live_worker._sessions.values()
    one.pause()
    two.cpu_seconds = 100.0
    live_worker._receive(0, "resume", "one", {})
    assert one.cpu_seconds == 100.0


def test_who_waits_for_a_session_that_is_closed_is_told(tmp_path: Path) -> None:
    live_worker, pipe = worker(tmp_path)
    live_worker._receive(1, "open", "one", {"slot": 1, "saved": SavedSession.of(PLAN)})
    live_worker._receive(2, "curve", "one", {})
    live_worker._receive(3, "close", "one", {})
    live_worker._prepare_session(live_worker._unprepared.get())
    (_, first, error), (_, second, value) = [pipe.recv() for _ in range(2)]
    assert (first, second, value) == (2, 3, None)
    assert isinstance(error, GenokuError)
    assert not list(tmp_path.iterdir())  # as one that is made ready nevertheless would leave
