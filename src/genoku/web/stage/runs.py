"""A live run: the same steps as `genoku solve` makes, a few at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from genoku.errors import GenokuError
from genoku.failures import failures_named
from genoku.figures import Film, step_word
from genoku.history import summary
from genoku.journey import Journey
from genoku.loop import View, started
from genoku.problem import Problem
from genoku.result import Result
from genoku.telling import Clock, in_our_words, share_done
from genoku.telling import summary as told
from genoku.warming import load_kernels_of
from genoku.web.stage.looks import Sight, curve_of, individual_of, look_before, population_of
from genoku.web.stage.plans import RECORD, PlannedRun
from genoku.web.stage.saved import Folder

MOST_ROWS = 50_000
"""Of the history: a run that has more keeps every second one, and takes half as many from then."""


class LiveRun:
    """A run whose clock runs only while it makes steps, so that pauses do not count.

    The seed decides it: it comes to the same however often it is halted, saved and gone on with.
    """

    def __init__(self, planned: PlannedRun) -> None:
        self.planned = planned
        self.ended = ""
        """Why it is over: `solved`, `no solution`, `failed`, `stopped` or a limit."""
        self.film = Film()
        self._clock = Clock(planned.chosen.until)
        self._sight = Sight(planned.chosen.name)
        self._journey: Journey | None = None
        self._solved = False
        self._verdict: list[str] | None = None

    @property
    def journey(self) -> Journey:
        if self._journey is None:
            raise GenokuError("the run has not begun yet")
        return self._journey

    @property
    def step(self) -> int:
        return self._journey.state.step if self._journey else 0

    def facts(self) -> dict[str, Any]:
        return self.planned.facts()

    def prepare(self, folder: Folder, name: str, beat: Callable[[], None]) -> None:
        """Load or compile kernels, then begin, or go on from a checkpoint if there is one."""
        planned = self.planned
        algorithm, puzzle = planned.chosen.algorithm, planned.puzzle
        beat()
        saved = folder.run(name)
        with failures_named(planned.chosen.recipe):
            load_kernels_of(algorithm, puzzle.geometry, RECORD)
            beat()
            if saved.exists():
                journey = Journey.load(saved)
            else:
                wall, cpu = time.perf_counter(), time.thread_time()
                problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
                journey = started(problem, algorithm, planned.seed, planned.chosen.until, RECORD)
                journey.seconds = time.perf_counter() - wall
                journey.cpu_seconds = time.thread_time() - cpu
        self._journey = journey
        self._film(journey)
        self._look_for_an_end(journey)

    def turn(
        self, seconds: float, most: int, beat: Callable[[], None], is_wanted: Callable[[], object]
    ) -> int:
        """Make at most so many steps, one and then more until time is up; how many there were."""
        journey = self.journey
        algorithm, problem = journey.algorithm, journey.problem
        made, began = 0, time.perf_counter()
        offset, cpu = began - journey.seconds, time.thread_time() - journey.cpu_seconds
        try:
            with failures_named(self.planned.chosen.recipe):
                while made < most and not self.ended:
                    beat()
                    state = algorithm.step(problem, journey.state)
                    now = time.perf_counter()
                    journey.seconds, journey.cpu_seconds = now - offset, time.thread_time() - cpu
                    journey.take(state, summary(state.costs))
                    made += 1
                    if state.step % self.film.every == 0:
                        self._film(journey)
                    self._look_for_an_end(journey)
                    if now - began >= seconds or is_wanted():
                        break
        finally:
            journey.forget_what_was_not_finished()
            journey.cpu_seconds = time.thread_time() - cpu
        if len(journey.rows) > MOST_ROWS:
            journey.rows.thin()
        return made

    def _look_for_an_end(self, journey: Journey) -> None:
        counters = journey.counters()
        self._clock.look(counters)
        self._end(journey.finished or journey.until.reached(counters))

    def _end(self, reason: str) -> None:
        """Be over if there is a reason: the verdict first, for whoever looks meanwhile."""
        if reason and self._journey:
            self._solved = self.planned.puzzle.is_solved_by(self._journey.best_board)
        self.ended = reason

    def _film(self, journey: Journey) -> None:
        self.film(
            View(
                journey.problem,
                journey.state,
                journey.best_board,
                journey.best_cost,
                journey.counters(),
            )
        )

    def stop(self) -> None:
        """End it, unless it is over."""
        if not self.ended:
            self._end("stopped")

    def fail(self, reason: str) -> None:
        """End it for a reason that is no result."""
        self.ended, self._verdict = "error", [reason]

    def frame(self, stands: bool) -> dict[str, Any]:
        """What a picture of it shows, but for what the stage knows: whether it stands still too."""
        journey = self._journey
        if journey is None:
            look = look_before(self.planned.puzzle, self.planned.chosen.name)
            look["ended"] = self.ended
            return {"look": look, "share": None, "left": None, "verdict": self._verdict or []}
        counters = journey.counters()
        return {
            "look": self._sight.look(journey, self.ended, self._solved, stands),
            "share": share_done(journey.until, counters),
            "left": None if self.ended else self._clock.seconds_left(counters),
            "verdict": self.verdict() if self.ended else [],
        }

    def verdict(self) -> list[str]:
        """What came of it, in a few sentences."""
        if self._verdict is None:
            self._verdict = told(self._result(), self.planned.chosen.name)
        return self._verdict

    def _result(self) -> Result:
        return in_our_words(Result.of(self.journey, self.ended or "stopped"))

    def save(self, folder: Folder, name: str) -> None:
        """Write the checkpoint."""
        if self._journey is not None:
            self._journey.save(folder.run(name))

    def answer(self, do: str, arguments: dict[str, Any]) -> Any:
        """What is asked of a run and changes nothing."""
        if do == "curve":
            return curve_of(self.journey.rows)
        if do == "population":
            return population_of(self.journey, arguments["first"], arguments["count"])
        if do == "individual":
            return individual_of(self.journey, arguments["rank"])
        if do == "result":
            return self.result(**arguments)
        raise GenokuError(f"a run cannot be asked to {do}")

    def result(self, history: bool = True, film: bool = True) -> dict[str, Any]:
        """All that downloads are made of, as plain data, also while the run goes on.

        `record` as `genoku solve --json` has it; `history` its columns by name, None where nothing
        was measured; `film` rows of `[step, board, cost]`; `board` the best board; `puzzle` and the
        other facts as the page was told them.
        """
        result, planned = self._result(), self.planned
        columns = {
            field: [number if math.isfinite(number) else None for number in column.tolist()]
            for field, column in (result.history.items() if history else ())
        }
        return {
            **planned.facts(),
            "record": result.record(),
            "solved": result.solved,
            "step_word": step_word(result.algorithm),
            "history": {"columns": columns},
            "board": result.board.tolist(),
            "film": [
                [each.step, each.board.tolist(), each.cost]
                for each in (self.film.frames if film else ())
            ],
        }
