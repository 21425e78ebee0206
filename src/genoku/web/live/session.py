"""A live session in its worker process: a run or race with its speed, snapshots and checkpoints.

Its result depends on the seed alone, however often it is paused, saved and resumed.
"""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.engine.history import RECORDED_FIELDS, Record
from genoku.engine.race import RaceRun, advance_in_turns, leader_text, outcome, outcome_text
from genoku.engine.result import (
    TimeLeft,
    board_to_display,
    effort,
    errors_text,
    has_own_score,
    name_in_sentence,
    own_score_text,
    share_done,
    summary,
)
from genoku.engine.run import RECORD_NOTHING, Run, warm_up
from genoku.engine.scale import fitness_scale
from genoku.errors import GenokuError
from genoku.evolve.fitness import errors_left, fitness_map
from genoku.evolve.operators.diversity import diversity
from genoku.evolve.problem import Problem
from genoku.present.figures import Film
from genoku.puzzle.board import Board
from genoku.web.limits import Limits
from genoku.web.live import snapshot as api
from genoku.web.live.lanes import choose_lanes, choose_puzzle
from genoku.web.live.plan import SavedSession, SessionFolder

RECORD = Record(diversity_every=10)  # as `genoku evolve --history`
MAX_ROWS = 50_000  # of the history: then every second row is dropped, and half as many recorded
MAX_POINTS = 600  # of a curve
MAX_MAPPED_CELLS = 200_000  # of the maps in one answer
DIVERSITY_SHARE = 0.01  # of the time, for measuring diversity
TURN_SECONDS = 0.015  # of one turn, at most
MIN_TURN_SECONDS = 0.003
ROUND_SECONDS = 0.1  # in which every session should get a turn
MAX_LAG = 0.25  # seconds that a throttled run may catch up
SAVE_EVERY = 3.0  # seconds between checkpoints
SAVE_SHARE = 0.02  # of a run's time, for checkpoints
FRAME_SHARE = 0.05  # of a run's time, for snapshots
UNLIMITED_STEPS = 1_000_000  # of a turn without a speed limit

Beat = Callable[[], None]  # called before every step, so that an endless one is noticed


class Command(NamedTuple):
    """A command for a session, and the ticket of its answer."""

    ticket: int
    do: str  # a method of `LiveSession`, such as "pause" or "curve"
    arguments: dict[str, Any]


class LiveLane(RaceRun):
    """A run of a session: the only one, or a lane of a race."""

    _diversity: float | None = None
    _measured_at = -1  # step
    _measure_after = 0.0

    def snapshot(self, ended: str, closely: bool) -> api.LaneSnapshot:
        """Return the state of the run; diversity is measured rarely unless `closely`."""
        run, state, problem = self.run, self.run.state, self.run.problem
        board, costs = board_to_display(run), state.costs
        restarts = run.rows.restarts
        return api.LaneSnapshot(
            name=self.name,
            **_board_facts(problem, board, int(run.best_cost), run.errors),
            ended=ended,
            solved=self.solved,
            step=state.step,
            evaluations=int(state.evaluations),
            moves=int(state.moves),
            seconds=round(run.seconds, 4),
            speed=round(effort(run.counters())[0] / max(run.seconds, 1e-9), 1),
            best=finite(costs.min()),
            mean=finite(costs.mean()),
            worst=finite(costs.max()),
            loss=finite(self.loss),
            diversity=self._measure(closely),
            rate=finite(state.memory.get("rate", math.nan)),
            id=int(run.best_id),
            restarts=len(restarts),
            restarted=int(restarts[-1]) if len(restarts) else None,
        )

    def _measure(self, closely: bool) -> float | None:
        """Return the diversity at this step; None if it is not measured now."""
        boards, step = self.run.state.boards, self.run.state.step
        if len(boards) < 2:
            return None
        now = time.perf_counter()
        if step != self._measured_at and (closely or now >= self._measure_after):
            self._diversity, self._measured_at = finite(diversity(boards, self.run.problem)), step
            after = time.perf_counter()
            self._measure_after = after + (after - now) / DIVERSITY_SHARE
        return self._diversity if step == self._measured_at else None


class LiveSession:
    """A run or a race. It belongs to one thread at a time; see `worker.py`.

    Its clocks run only while it makes steps, so pauses do not count. The methods from `pause` to
    `result` are its commands.
    """

    def __init__(
        self, name: str, slot: int, saved: SavedSession, folder: SessionFolder, limits: Limits
    ) -> None:
        self.name, self.slot = name, slot
        self.folder, self.limits = folder, limits
        self._before, plan = saved, saved.plan
        self.is_race = plan.kind == "race"
        self.puzzle, self.puzzle_name = choose_puzzle(plan)
        self.choices = choose_lanes(plan, self.puzzle.geometry, limits)
        whose = "a race" if self.is_race else name_in_sentence(self.choices[0].name)
        self.title = f"{whose} on {self.puzzle_name or self.puzzle.geometry}"
        self.lanes: list[LiveLane] = []  # its runs, once it is prepared
        self.ended = ""  # the stop reason of its run; for a race `finished`, `stopped` or `error`
        self.film = Film()
        self._verdict: list[str] | None = None
        self._clock = TimeLeft(self.choices[0].until)
        self._turns: Iterator[RaceRun] = iter(())
        self.speed = saved.speed
        self.halted = saved.phase in ("paused", "ended")
        self.is_ready = self.listened = self.is_urgent = False
        self.note = ""
        self.queue: list[Command] = []  # commands that came during a turn
        self.waiting: list[int] = []  # tickets of `step` commands that are not answered yet
        self.steps = 0  # of `step` commands, still to be made
        self.cpu_seconds = 0.0  # so far; the session with the least gets the next turn
        self.step_due = self.frame_due = 0.0
        self.last_sent: tuple[api.Phase, str] | None = None  # phase and note of a snapshot
        self._sent_step = -1
        self._seq = int(time.time() * 1000)
        self._written_state: SavedSession | None = None
        self._save_due = time.monotonic() + SAVE_EVERY
        self._save_after = 0.0  # of CPU time

    @property
    def phase(self) -> api.Phase:
        if self.ended == "error" or (self.is_ready and self.ended):
            return "ended"
        if not self.is_ready:
            return "waiting"
        return "paused" if self.halted else "running"

    @property
    def is_active(self) -> bool:
        """Whether it takes turns."""
        return self.is_ready and not self.ended and (not self.halted or self.steps > 0)

    @property
    def step_count(self) -> int:
        return max((lane.run.state.step for lane in self.lanes), default=0)

    def prepare(self, beat: Beat) -> None:
        """Load kernels and start or resume all lanes; a failure ends the session."""
        with self._failure_ends_session():
            lanes = [self._start(place, beat) for place in range(len(self.choices))]
            self.lanes, self._turns = lanes, advance_in_turns(lanes)
            if not self.is_race:
                self._record()
            elif self.snapshot():  # loads the kernels of snapshots
                beat()
            if self._before.ended == "stopped":
                self.stop()

    def _start(self, place: int, beat: Beat) -> LiveLane:
        """Load or compile kernels, then start a lane or resume it from its checkpoint."""
        choice = self.choices[place]
        algorithm, record = choice.algorithm, RECORD_NOTHING if self.is_race else RECORD
        saved = self._checkpoint(place)
        beat()
        warm_up(algorithm, self.puzzle.geometry, record)
        beat()
        if saved.exists():
            return LiveLane(choice.name, Run.load(saved))
        seed = self._before.plan.seed
        lane = LiveLane(choice.name, Run.start(self.puzzle, algorithm, seed, choice.until, record))
        if self.is_race:
            lane.run.seconds = lane.seconds
        return lane

    def mark_ready(self) -> None:
        self.is_ready, self.note, self.step_due = True, "", time.monotonic()
        if self.ended != "error":
            self.write_state()

    def take_turn(self, beat: Beat, among: int = 1) -> None:
        """Take a turn, a shorter one if there are many active sessions (`among`)."""
        began, most = time.thread_time(), self.steps if self.halted else self._allowed_steps()
        seconds = min(TURN_SECONDS, max(MIN_TURN_SECONDS, ROUND_SECONDS / among))
        advance = self._race if self.is_race else self._run
        with self._failure_ends_session():
            made = advance(seconds, most, beat)
            self.steps = max(0, self.steps - made)
            if self.speed is not None:
                self.step_due += made / self.speed
        self.is_urgent = False
        self.cpu_seconds += time.thread_time() - began
        is_time = time.monotonic() >= self._save_due and self.cpu_seconds >= self._save_after
        if self.ended or is_time or (self.halted and not self.steps):
            self.save()

    def _run(self, seconds: float, most: int, beat: Beat) -> int:
        """Make one step, then more until a limit is reached; return their number."""
        run = self.run

        def should_stop() -> bool:
            self._record()
            beat()
            return bool(self.queue)

        if self.ended:
            return 0
        beat()
        made = run.advance(steps=most, seconds=seconds, should_stop=should_stop)
        if len(run.rows) > MAX_ROWS:
            run.rows.thin()
        return made

    def _record(self) -> None:
        """Update the film, the time left, and whether the run has ended."""
        if self.run.state.step % self.film.every == 0:
            self.film(self.run.view)
        self._clock.observe(self.run.counters())
        self.ended = str(self.run.stop_reason or "")

    def _race(self, seconds: float, most: int, beat: Beat) -> int:
        """Let lanes take turns until a limit is reached; return the number of turns."""
        made, end = 0, time.perf_counter() + seconds
        while made < most and not self.ended:
            beat()
            if next(self._turns, None) is None:
                self.ended = "finished"
                break
            made += 1
            if time.perf_counter() >= end or self.queue:
                break
        return made

    def _allowed_steps(self) -> int:
        if self.speed is None:
            return UNLIMITED_STEPS
        now = time.monotonic()
        self.step_due = max(self.step_due, now - MAX_LAG)
        return max(1, math.floor((now - self.step_due) * self.speed) + 1)

    @contextmanager
    def _failure_ends_session(self) -> Iterator[None]:
        """Turn an exception into the end of this session, so that it ends nothing else."""
        try:
            yield
        except MemoryError as error:
            self._fail(f"The machine does not have enough memory{_detail(error)}.")
        except GenokuError as error:
            self._fail(str(error))
        except Exception as error:
            self._fail(f"It failed: {type(error).__name__}{_detail(error)}.")

    def _fail(self, reason: str) -> None:
        self.ended, self._verdict = "error", [reason]

    # Commands

    def pause(self) -> api.Snapshot:
        self.halted, self.steps = True, 0
        return self.snapshot()

    def resume(self) -> api.Snapshot:
        self.halted, self.steps, self.step_due = False, 0, time.monotonic()
        return self.snapshot()

    def step(self, steps: int = 1) -> api.Snapshot | None:
        """Make some steps, then pause; None means that the answer comes after them."""
        self.halted, self.is_urgent = True, True
        if self.ended:
            return self.snapshot()
        self.steps += steps
        return None

    def stop(self) -> api.Snapshot:
        if not self.ended:
            self.ended = "stopped"
        return self.snapshot()

    def limit_speed(self, speed: float | None) -> api.Snapshot:
        self.speed, self.step_due = speed, time.monotonic()
        return self.snapshot()

    def listen(self, on: bool) -> api.Snapshot:
        """Set whether it has listeners: only then are snapshots made regularly."""
        self.listened, self.frame_due = on, time.monotonic()
        return self.snapshot()

    @property
    def run(self) -> Run:
        """The run of a session that is not a race, once it is prepared."""
        if self.is_race:
            raise GenokuError("expected a run, got a race")
        if not self.lanes:
            raise GenokuError("the run has not started yet")
        return self.lanes[0].run

    def curve(self) -> api.CurveAnswer:
        """Return the history in at most `MAX_POINTS` points, preferably those with a diversity."""
        table = self.run.rows.table
        columns = dict(zip(RECORDED_FIELDS, table.T, strict=True))
        measured = np.union1d(np.flatnonzero(~np.isnan(columns["diversity"])), len(table) - 1)
        places = measured[_spread_indices(len(measured), MAX_POINTS)]
        places = np.union1d(places, _spread_indices(len(table), MAX_POINTS - len(places)))
        restarts = self.run.rows.restarts
        return api.CurveAnswer(
            step=columns["gen"][places].astype(np.int64).tolist(),
            best=columns["best"][places].tolist(),
            mean=columns["mean"][places].tolist(),
            worst=columns["worst"][places].tolist(),
            errors=[None if math.isnan(each) else int(each) for each in columns["errors"][places]],
            diversity=[finite(each) for each in columns["diversity"][places]],
            rate=[finite(each) for each in columns["rate"][places]],
            restarts=restarts[_spread_indices(len(restarts), MAX_POINTS)].tolist(),
        )

    def population(self, first: int, count: int) -> api.PopulationAnswer:
        """Return all costs, best first, and the maps of `count` boards from rank `first` on."""
        state, geometry = self.run.state, self.puzzle.geometry
        order = np.argsort(state.costs, kind="stable")
        first = min(first, len(order))
        mapped = order[first : first + min(count, MAX_MAPPED_CELLS // geometry.cells)]
        maps = fitness_map(state.boards[mapped], geometry) + np.uint8(ord("0"))
        return api.PopulationAnswer(
            step=state.step,
            size=len(order),
            ids=state.ids[order].tolist(),
            costs=state.costs[order].tolist(),
            first=first,
            errors=[errors_left(each, geometry) for each in state.boards[mapped]],
            maps=[each.tobytes().decode("ascii") for each in maps],
        )

    def individual(self, rank: int) -> api.IndividualAnswer:
        """Return a board of the population by its rank; 0 is the best."""
        state, problem = self.run.state, self.run.problem
        if not 0 <= rank < len(state.costs):
            raise GenokuError(f"expected a rank from 0 to {len(state.costs) - 1}, got {rank}")
        place = np.argsort(state.costs, kind="stable")[rank]
        board = state.boards[place]
        errors = errors_left(board, problem.puzzle.geometry)
        facts = _board_facts(problem, board, int(state.costs[place]), errors)
        return api.IndividualAnswer(id=int(state.ids[place]), **facts)

    def result(self) -> bytes:
        """Return the current `Result` and the `Film`, pickled: the server does not load them."""
        return pickle.dumps((self.run.finish(), self.film))

    # Answers

    def facts(self) -> api.SessionAnswer:
        """Return the session with a new snapshot."""
        return api.SessionAnswer.of(
            self.puzzle,
            self.puzzle_name,
            id=self.name,
            kind="race" if self.is_race else "run",
            title=self.title,
            conflicts=[f"{each}." for each in self.puzzle.conflicts()],
            until=str(self.choices[0].until),
            seed=self._before.plan.seed,
            lanes=[each.facts for each in self.choices],
            frame=self.snapshot(),
        )

    def snapshot(self) -> api.Snapshot:
        """Return its current state; diversity is always measured when it is not running."""
        self._seq += 1
        standing, winner, by = self._standing()
        is_timed = self.lanes and not (self.is_race or self.ended)
        return api.Snapshot(
            seq=self._seq,
            phase=self.phase,
            speed_limit=self.speed,
            lanes=[self._lane(place) for place in range(len(self.choices))],
            share=self._share(),
            left=self._clock.seconds_left(self.run.counters()) if is_timed else None,
            standing=standing,
            winner=winner,
            by=by,
            verdict=self._verdict_text(standing) if self.ended else [],
            note=self.note,
        )

    def _lane(self, place: int) -> api.LaneSnapshot:
        if not self.lanes:  # it is being prepared: show the puzzle
            puzzle, ended = self.puzzle, "" if self.is_race else self.ended
            units = fitness_map(puzzle.board, puzzle.geometry).tolist()
            return api.LaneSnapshot(self.choices[place].name, list(puzzle.digits), units, ended)
        lane = self.lanes[place]
        ended = str(lane.stop_reason or "") if self.is_race else self.ended
        return lane.snapshot(ended, closely=self.phase != "running" or bool(ended))

    def _standing(self) -> tuple[str, int | None, api.DecidedBy]:
        """Return the sentence on who leads or won a race, the winner, and what decided it."""
        if not self.is_race or not self.lanes or self.ended == "error":
            return "", None, ""
        if not self.ended:
            return leader_text(self.lanes), None, ""
        winner, by, _ = outcome(self.lanes)
        place = next((place for place, lane in enumerate(self.lanes) if lane is winner), None)
        return outcome_text(self.lanes), place, by

    def _share(self) -> float | None:
        if self.is_race and self.ended and self.lanes:
            return 1.0
        going = [lane.run for lane in self.lanes if not (self.is_race and lane.stop_reason)]
        shares = [share_done(each.until, each.counters()) for each in going]
        return min((each for each in shares if each is not None), default=None)

    def _verdict_text(self, standing: str) -> list[str]:
        if self._verdict is None and self.is_race:
            return [standing]
        if self._verdict is None:
            self._verdict = summary(self.run.finish(), self.choices[0].name)
        return self._verdict

    def snapshot_if_due(self, among: int) -> api.Snapshot | None:
        """Return a snapshot if one is due, given the number of active sessions; else None."""
        now, began = time.monotonic(), time.thread_time()
        phase = self.phase
        # The step at which a run pauses is always sent: no later snapshot follows.
        halts = phase == "paused" and not self.steps and self.step_count != self._sent_step
        is_news = self.last_sent != (phase, self.note) or halts
        if not is_news and not (self.listened and now >= self.frame_due):
            return None
        try:
            made = self.snapshot()
        except MemoryError:  # try again later
            self.frame_due = now + 1.0
            return None
        self.last_sent = phase, self.note
        self._sent_step = self.step_count
        # Among many sessions a run has little CPU time, of which snapshots may take a share.
        cost = (time.thread_time() - began) * among / FRAME_SHARE
        # Snapshots are sent after turns. If one is late, the next may be early, to keep the rate.
        period = 1 / self.limits.frames
        self.frame_due = max(max(self.frame_due, now - period) + period, now + cost)
        return made

    # Files

    def _checkpoint(self, place: int) -> Path:
        return self.folder.checkpoint(self.name, place if self.is_race else None)

    def save(self) -> None:
        """Write the checkpoints and the state; a full disk only sets a note."""
        began = time.thread_time()
        try:
            if self.ended != "error":
                self.folder.path.mkdir(parents=True, exist_ok=True)
                for place, lane in enumerate(self.lanes):
                    lane.run.save(self._checkpoint(place))
            self.note = ""
        except (OSError, GenokuError, MemoryError) as error:
            self.note = f"saving failed: {getattr(error, 'strerror', None) or error}"
        self.write_state()
        self._save_due = time.monotonic() + SAVE_EVERY
        self._save_after = self.cpu_seconds + (time.thread_time() - began) / SAVE_SHARE

    def write_state(self) -> None:
        """Write the state if it has changed; before it is ready, that which it was opened with."""
        phase, ended = self._before.phase, self._before.ended
        if self.is_ready:
            phase, ended = self.phase, self.ended
        elif phase != "ended":
            phase = "paused" if self.halted else "running"
        step = max(self._before.step, self.step_count)
        errors = min((lane.run.errors for lane in self.lanes), default=self._before.errors)
        now = {"speed": self.speed, "title": self.title, "step": step, "errors": errors}
        note = self._before.model_copy(update={**now, "phase": phase, "ended": ended})
        if note != self._written_state:
            with suppress(OSError, GenokuError):  # `save` reports it
                self.folder.write(self.name, note)
                self._written_state = note


def _board_facts(problem: Problem, board: Board, cost: int, errors: int) -> dict[str, Any]:
    """Return the fields of a board in a snapshot of a lane and in an `IndividualAnswer`."""
    own_score = _own_score(problem, cost)
    return {
        "board": board.tolist(),
        "units": fitness_map(board, problem.puzzle.geometry).tolist(),
        "cost": cost,
        "errors": errors,
        "own_score": own_score,
        "score": ", ".join(filter(None, (errors_text(errors), own_score))),
    }


def _own_score(problem: Problem, cost: int) -> str:
    """State a cost as its report does, or as open cells; empty where it is the errors left."""
    scale = fitness_scale(problem)
    if scale is None or not has_own_score(problem):
        return own_score_text(problem, cost)
    return scale.statement(cost, subject="fitness")


def finite(value: float) -> float | None:
    """Return a number as JSON has it: None for NaN and infinities."""
    return float(value) if math.isfinite(value) else None


def _spread_indices(size: int, most: int) -> NDArray[np.int64]:
    """Return at most `most` indices below `size`, evenly spread from the first to the last."""
    return np.unique(np.linspace(0, size - 1, min(size, most)).round().astype(np.int64))


def _detail(error: BaseException) -> str:
    first = str(error).strip().partition("\n")[0]
    return f": {first}" if first else ""
