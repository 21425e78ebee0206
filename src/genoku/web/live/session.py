"""A live session in its worker process: a run or a race, its pace, its snapshots, its checkpoints.

The seed decides it: it comes to the same however often it is halted, saved and resumed.
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

from genoku.diversity import diversity
from genoku.engine.history import TAKEN, Record
from genoku.engine.race import Contender, finish, leading, standing, turns
from genoku.engine.result import Clock, aside, score_text, share_done, shown_board, work
from genoku.engine.result import summary as told
from genoku.engine.run import NOTHING, Run, load_kernels_of
from genoku.errors import GenokuError
from genoku.figures import Film
from genoku.fitness import fitness_map
from genoku.web.limits import Limits
from genoku.web.live.choice import choose_lanes, choose_puzzle
from genoku.web.live.plan import Folder, Saved
from genoku.web.live.snapshot import (
    By,
    Curve,
    Facts,
    Individual,
    LaneSnapshot,
    Phase,
    Population,
    Snapshot,
    board_facts,
)

RECORD = Record(diversity_every=10)
"""What `genoku solve --history` keeps."""
MOST_ROWS = 50_000
"""Of the history: a run that has more keeps every second one, and takes half as many from then."""
MOST_POINTS = 600  # of a curve
MOST_MAPPED = 200_000  # cells of the maps in one answer
DIVERSITY_SHARE = 0.01  # of the time that measuring diversity may take
TURN = 0.015  # seconds of steps at a time, at most
SHORTEST_TURN = 0.003
ROUND = 0.1  # seconds in which everybody has a turn, if that is possible
LAG = 0.25  # seconds of steps that a throttled run may be behind and still catch up
SAVE_EVERY = 3.0  # seconds between checkpoints
SAVE_SHARE = 0.02  # of a run's time that they may take
FRAME_SHARE = 0.05  # of a run's time that snapshots may take
TURN_STEPS = 1_000_000  # of a turn, where nobody holds it back

Beat = Callable[[], None]
"""Called before every step, so that one that never ends is seen."""


class Command(NamedTuple):
    """What a session is asked for, and the number under which it is answered."""

    ticket: int
    do: str
    """A method of `LiveSession`, such as "pause" or "curve"."""
    arguments: dict[str, Any]


class Lane(Contender):
    """A run of a session: the only one, or one of a race."""

    _diversity: float | None = None
    _measured_at = -1  # step
    _measure_after = 0.0

    def snapshot(self, ended: str, closely: bool) -> LaneSnapshot:
        """The run as it is now; what takes long is measured rarely, or closely."""
        run, state, problem = self.run, self.run.state, self.run.problem
        board, costs = shown_board(run), state.costs
        return LaneSnapshot(
            name=self.name,
            board=board.tolist(),
            units=fitness_map(board, problem.puzzle.geometry).tolist(),
            ended=ended,
            solved=self.solved,
            step=state.step,
            evaluations=int(state.evaluations),
            moves=int(state.moves),
            seconds=round(run.seconds, 4),
            speed=round(work(run.counters())[0] / max(run.seconds, 1e-9), 1),
            best=number(costs.min()),
            mean=number(costs.mean()),
            worst=number(costs.max()),
            cost=int(run.best_cost),
            score=score_text(problem, run.best_cost),
            loss=number(self.loss),
            diversity=self._measure(closely),
            rate=number(state.memory.get("rate", math.nan)),
        )

    def _measure(self, closely: bool) -> float | None:
        """The diversity of this very step; None where it is not measured."""
        boards, step = self.run.state.boards, self.run.state.step
        if len(boards) < 2:
            return None
        now = time.perf_counter()
        if step != self._measured_at and (closely or now >= self._measure_after):
            self._diversity, self._measured_at = number(diversity(boards, self.run.problem)), step
            after = time.perf_counter()
            self._measure_after = after + (after - now) / DIVERSITY_SHARE
        return self._diversity if step == self._measured_at else None


class LiveSession:
    """A run or a race. It belongs to one thread at a time, as `worker.py` says.

    Its clocks run only while it makes steps, so that pauses do not count. The methods from `pause`
    to `result` are its commands.
    """

    def __init__(self, name: str, slot: int, saved: Saved, folder: Folder, limits: Limits) -> None:
        self.name, self.slot = name, slot
        self.folder, self.limits = folder, limits
        self._before, plan = saved, saved.plan
        self.is_race = plan.kind == "race"
        self.puzzle, self.puzzle_name = choose_puzzle(plan)
        self.choices = choose_lanes(plan, self.puzzle.geometry, limits)
        whose = "a race" if self.is_race else aside(self.choices[0].name)
        self.title = f"{whose} on {self.puzzle_name or self.puzzle.geometry}"
        self.lanes: list[Lane] = []
        """Its runs, once it is prepared."""
        self.ended = ""
        """Why it is over: that of its run, or for a race `finished`, `stopped` or `error`."""
        self.film = Film()
        self._verdict: list[str] | None = None
        self._clock = Clock(self.choices[0].until)
        self._turns: Iterator[Contender] = iter(())
        self.speed = saved.speed
        self.halted = saved.phase in ("paused", "ended")
        self.is_ready = False
        self.note = ""
        self.listened = False
        self.queue: list[Command] = []
        """Commands that came while a turn was on."""
        self.waiting: list[int] = []
        """Tickets of those who wait for steps to be made."""
        self.steps = 0
        """That were asked for one by one."""
        self.is_pressing = False
        self.had = 0.0
        """Processor time, by which turns are fair."""
        self.step_due = 0.0
        self.frame_due = 0.0
        self.shown: tuple[Phase, str] | None = None
        """The phase and note of the last snapshot that was sent."""
        self._step_shown = -1
        self._seq = int(time.time() * 1000)
        self._noted: Saved | None = None
        self._save_due = time.monotonic() + SAVE_EVERY
        self._save_after = 0.0  # of processor time had

    @property
    def phase(self) -> Phase:
        if self.ended == "error" or (self.is_ready and self.ended):
            return "ended"
        if not self.is_ready:
            return "waiting"
        return "paused" if self.halted else "running"

    @property
    def is_active(self) -> bool:
        """Whether it wants turns."""
        return self.is_ready and not self.ended and (not self.halted or self.steps > 0)

    @property
    def step_count(self) -> int:
        return max((lane.run.state.step for lane in self.lanes), default=0)

    def prepare(self, beat: Beat) -> None:
        """All that takes long before the first step; a failure is the end of it."""
        with self._failing():
            lanes = [self._start(place, beat) for place in range(len(self.choices))]
            self.lanes, self._turns = lanes, turns(lanes)
            if not self.is_race:
                self._record()
            elif self.snapshot():  # which needs kernels too
                beat()
            if self._before.ended == "stopped":
                self.stop()

    def _start(self, place: int, beat: Beat) -> Lane:
        """Load or compile kernels, then start a lane, or resume it if there is a checkpoint."""
        choice = self.choices[place]
        algorithm, record = choice.algorithm, NOTHING if self.is_race else RECORD
        saved = self._checkpoint(place)
        beat()
        load_kernels_of(algorithm, self.puzzle.geometry, record)
        beat()
        if saved.exists():
            return Lane(choice.name, Run.load(saved))
        seed = self._before.plan.seed
        lane = Lane(choice.name, Run.start(self.puzzle, algorithm, seed, choice.until, record))
        if self.is_race:
            lane.run.seconds = lane.seconds
        return lane

    def begin(self) -> None:
        """Be ready for turns."""
        self.is_ready, self.note, self.step_due = True, "", time.monotonic()
        if self.ended != "error":
            self.write_note()

    def play(self, beat: Beat, among: int = 1) -> None:
        """Have a turn, a shorter one where as many others want theirs."""
        began, most = time.thread_time(), self.steps if self.halted else self._steps_due()
        seconds = min(TURN, max(SHORTEST_TURN, ROUND / among))
        advance = self._race if self.is_race else self._run
        with self._failing():
            made = advance(seconds, most, beat)
            self.steps = max(0, self.steps - made)
            if self.speed is not None:
                self.step_due += made / self.speed
        self.is_pressing = False
        self.had += time.thread_time() - began
        is_time = time.monotonic() >= self._save_due and self.had >= self._save_after
        if self.ended or is_time or (self.halted and not self.steps):
            self.save()

    def _run(self, seconds: float, most: int, beat: Beat) -> int:
        """Make at most so many steps, one and then more until time is up; how many there were."""
        run = self.run

        def should_stop() -> bool:
            self._record()
            beat()
            return bool(self.queue)

        if self.ended:
            return 0
        beat()
        made = run.advance(steps=most, seconds=seconds, should_stop=should_stop)
        if len(run.rows) > MOST_ROWS:
            run.rows.thin()
        return made

    def _record(self) -> None:
        """Note where a run stands: in its film, by its clock, and whether it has ended."""
        if self.run.state.step % self.film.every == 0:
            self.film(self.run.view)
        self._clock.look(self.run.counters())
        self.ended = str(self.run.ended or "")

    def _race(self, seconds: float, most: int, beat: Beat) -> int:
        """Let lanes have turns until time is up; how many there were."""
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

    def _steps_due(self) -> int:
        """How many steps it may make now; many where nobody holds it back."""
        if self.speed is None:
            return TURN_STEPS
        now = time.monotonic()
        self.step_due = max(self.step_due, now - LAG)
        return max(1, math.floor((now - self.step_due) * self.speed) + 1)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Whatever a run raises ends that run, and nothing else."""
        try:
            yield
        except MemoryError as error:
            self._fail(f"There is not enough memory for it here{_said(error)}.")
        except GenokuError as error:
            self._fail(str(error))
        except Exception as error:
            self._fail(f"It failed: {type(error).__name__}{_said(error)}.")

    def _fail(self, reason: str) -> None:
        self.ended, self._verdict = "error", [reason]

    # Commands

    def pause(self) -> Snapshot:
        self.halted, self.steps = True, 0
        return self.snapshot()

    def resume(self) -> Snapshot:
        self.halted, self.steps, self.step_due = False, 0, time.monotonic()
        return self.snapshot()

    def step(self, steps: int = 1) -> Snapshot | None:
        """Make some steps, then halt; None is an answer that waits for them."""
        self.halted, self.is_pressing = True, True
        if self.ended:
            return self.snapshot()
        self.steps += steps
        return None

    def stop(self) -> Snapshot:
        """End it as it stands, unless it is over."""
        if not self.ended:
            self.ended = "stopped"
        return self.snapshot()

    def limit_speed(self, speed: float | None) -> Snapshot:
        """Hold it to so many steps per second."""
        self.speed, self.step_due = speed, time.monotonic()
        return self.snapshot()

    def listen(self, on: bool) -> Snapshot:
        """Say whether somebody listens: only then are snapshots made regularly."""
        self.listened, self.frame_due = on, time.monotonic()
        return self.snapshot()

    @property
    def run(self) -> Run:
        """The run of a session that is no race, once it is prepared."""
        if self.is_race:
            raise GenokuError("expected a run, got a race")
        if not self.lanes:
            raise GenokuError("the run has not begun yet")
        return self.lanes[0].run

    def curve(self) -> Curve:
        """The course of a run in at most `MOST_POINTS` points, first those with a diversity.

        A diversity is that of its own step, as in a snapshot; None where it was not measured.
        """
        table = self.run.rows.table
        columns = dict(zip(TAKEN, table.T, strict=True))
        measured = np.union1d(np.flatnonzero(~np.isnan(columns["diversity"])), len(table) - 1)
        places = measured[_spread(len(measured), MOST_POINTS)]
        places = np.union1d(places, _spread(len(table), MOST_POINTS - len(places)))
        return Curve(
            step=columns["gen"][places].astype(np.int64).tolist(),
            best=columns["best"][places].tolist(),
            mean=columns["mean"][places].tolist(),
            worst=columns["worst"][places].tolist(),
            diversity=[number(each) for each in columns["diversity"][places].tolist()],
            rate=[number(each) for each in columns["rate"][places].tolist()],
        )

    def population(self, first: int, count: int) -> Population:
        """Everybody's cost, the best first, and the maps of some."""
        state, geometry = self.run.state, self.puzzle.geometry
        order = np.argsort(state.costs, kind="stable")
        first = min(first, len(order))
        mapped = order[first : first + min(count, MOST_MAPPED // geometry.cells)]
        maps = fitness_map(state.boards[mapped], geometry) + np.uint8(ord("0"))
        return Population(
            step=state.step,
            size=len(order),
            ids=state.ids[order].tolist(),
            costs=state.costs[order].tolist(),
            first=first,
            maps=[each.tobytes().decode("ascii") for each in maps],
        )

    def individual(self, rank: int) -> Individual:
        """A board of the population by its rank; the best has 0."""
        state, problem = self.run.state, self.run.problem
        if not 0 <= rank < len(state.costs):
            raise GenokuError(f"expected a rank from 0 to {len(state.costs) - 1}, got {rank}")
        place = np.argsort(state.costs, kind="stable")[rank]
        board, cost = state.boards[place], int(state.costs[place])
        return Individual(
            id=int(state.ids[place]),
            cost=cost,
            score=score_text(problem, cost),
            board=board.tolist(),
            units=fitness_map(board, problem.puzzle.geometry).tolist(),
        )

    def result(self) -> bytes:
        """The `Result` of a run as it stands and its `Film`, pickled: the server stays light."""
        return pickle.dumps((self.run.finish(), self.film))

    # What is shown

    def facts(self) -> Facts:
        """What it is about, and how it stands."""
        return Facts(
            **board_facts(self.puzzle, self.puzzle_name),
            id=self.name,
            kind="race" if self.is_race else "run",
            title=self.title,
            until=str(self.choices[0].until),
            seed=self._before.plan.seed,
            lanes=[each.facts for each in self.choices],
            frame=self.snapshot(),
        )

    def snapshot(self) -> Snapshot:
        """How it stands; one that stands still is looked at closely."""
        self._seq += 1
        standing, winner, by = self._standing()
        return Snapshot(
            seq=self._seq,
            phase=self.phase,
            speed_limit=self.speed,
            lanes=[self._lane(place) for place in range(len(self.choices))],
            share=self._share(),
            left=self._left(),
            standing=standing,
            winner=winner,
            by=by,
            verdict=self._told(standing) if self.ended else [],
            note=self.note,
        )

    def _lane(self, place: int) -> LaneSnapshot:
        if not self.lanes:  # there is nothing yet but the puzzle
            puzzle, ended = self.puzzle, "" if self.is_race else self.ended
            units = fitness_map(puzzle.board, puzzle.geometry).tolist()
            return LaneSnapshot(self.choices[place].name, list(puzzle.digits), units, ended)
        lane = self.lanes[place]
        ended = str(lane.ended or "") if self.is_race else self.ended
        return lane.snapshot(ended, closely=self.phase != "running" or bool(ended))

    def _standing(self) -> tuple[str, int | None, By]:
        """Who leads a race or has won it, in a sentence; the winner; what decided it."""
        if not self.is_race or not self.lanes or self.ended == "error":
            return "", None, ""
        if not self.ended:
            return leading(self.lanes), None, ""
        winner, by, _ = finish(self.lanes)
        place = next((place for place, lane in enumerate(self.lanes) if lane is winner), None)
        return standing(self.lanes), place, by

    def _share(self) -> float | None:
        if self.is_race and self.ended and self.lanes:
            return 1.0
        going = [lane.run for lane in self.lanes if not (self.is_race and lane.ended)]
        shares = [share_done(each.until, each.counters()) for each in going]
        return min((each for each in shares if each is not None), default=None)

    def _left(self) -> float | None:
        if self.is_race or self.ended or not self.lanes:
            return None
        return self._clock.seconds_left(self.run.counters())

    def _told(self, standing: str) -> list[str]:
        """What came of it, in a few sentences."""
        if self._verdict is None and self.is_race:
            return [standing]
        if self._verdict is None:
            self._verdict = told(self.run.finish(), self.choices[0].name)
        return self._verdict

    def due_snapshot(self, among: int) -> Snapshot | None:
        """A snapshot that is due, where as many others want turns; or None."""
        now, began = time.monotonic(), time.thread_time()
        phase = self.phase
        # Where a run halts is always shown: no later snapshot would.
        halts = phase == "paused" and not self.steps and self.step_count != self._step_shown
        is_news = self.shown != (phase, self.note) or halts
        if not is_news and not (self.listened and now >= self.frame_due):
            return None
        try:
            made = self.snapshot()
        except MemoryError:  # there may be more another time
            self.frame_due = now + 1.0
            return None
        self.shown = phase, self.note
        self._step_shown = self.step_count
        # With many others a run has little time, of which snapshots may take only a share.
        cost = (time.thread_time() - began) * among / FRAME_SHARE
        # Snapshots come after turns: one that came late lets the next come early, so that there are
        # as many per second as there may be.
        period = 1 / self.limits.frames
        self.frame_due = max(max(self.frame_due, now - period) + period, now + cost)
        return made

    # On disk

    def _checkpoint(self, place: int) -> Path:
        return self.folder.checkpoint(self.name, place if self.is_race else None)

    def save(self) -> None:
        """Write the checkpoints and what goes with them; a full disk ends nothing."""
        began = time.thread_time()
        try:
            if self.ended != "error":
                self.folder.path.mkdir(parents=True, exist_ok=True)
                for place, lane in enumerate(self.lanes):
                    lane.run.save(self._checkpoint(place))
            self.note = ""
        except (OSError, GenokuError, MemoryError) as error:
            self.note = f"nothing can be saved: {getattr(error, 'strerror', None) or error}"
        self.write_note()
        self._save_due = time.monotonic() + SAVE_EVERY
        self._save_after = self.had + (time.thread_time() - began) / SAVE_SHARE

    def write_note(self) -> None:
        """Keep how it stands, where that is news; until it is ready, it stands as it did before."""
        phase, ended = self._before.phase, self._before.ended
        if self.is_ready:
            phase, ended = self.phase, self.ended
        elif phase != "ended":
            phase = "paused" if self.halted else "running"
        step = max(self._before.step, self.step_count)
        now = {"speed": self.speed, "title": self.title, "step": step}
        note = self._before.model_copy(update={**now, "phase": phase, "ended": ended})
        if note != self._noted:
            with suppress(OSError, GenokuError):  # which the checkpoint's note tells of
                self.folder.write(self.name, note)
                self._noted = note


def number(value: float) -> float | None:
    """A number that JSON has; None in place of what is none."""
    return float(value) if math.isfinite(value) else None


def _spread(size: int, most: int) -> NDArray[np.int64]:
    """At most so many of as many places, from the first to the last."""
    return np.unique(np.linspace(0, size - 1, min(size, most)).round().astype(np.int64))


def _said(error: BaseException) -> str:
    first = str(error).strip().partition("\n")[0]
    return f": {first}" if first else ""
