"""A live race: several runs on one puzzle in fair turns by their own processor time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from genoku.errors import GenokuError
from genoku.failures import failures_named
from genoku.journey import Journey
from genoku.lab.standing import leading, standing
from genoku.lab.turns import Contender, finish, line_up, turns
from genoku.telling import share_done
from genoku.warming import load_kernels_of
from genoku.web.frames import By, Look
from genoku.web.stage.looks import Sight, look_before
from genoku.web.stage.plans import PlannedRace
from genoku.web.stage.saved import Folder


class LiveRace:
    """A race, and where everybody stands in it."""

    def __init__(self, planned: PlannedRace) -> None:
        self.planned = planned
        self.ended = ""
        """Why it is over: `finished`, `stopped` or an error."""
        self._sights = [Sight(each.name) for each in planned.lanes]
        self._contenders: list[Contender] = []
        self._turns: Iterator[Contender] = iter(())
        self._verdict: list[str] = []

    @property
    def step(self) -> int:
        return max((each.journey.state.step for each in self._contenders), default=0)

    def facts(self) -> dict[str, Any]:
        return self.planned.facts()

    def prepare(self, folder: Folder, name: str, beat: Callable[[], None]) -> None:
        """Line up; a lane with a checkpoint goes on from there."""
        planned, found = self.planned, []
        for lane, arm in enumerate(planned.arms):
            beat()
            saved = folder.run(name, lane)
            if saved.exists():
                with failures_named(arm.recipe):
                    journey = Journey.load(saved)
                    load_kernels_of(journey.algorithm, planned.puzzle.geometry)
                found.append(Contender(arm, journey))
                found[-1].go_on(0.0)  # no step: it only sees whether it has ended
            else:
                found += line_up(planned.puzzle, [arm], planned.seed, allow_conflicts=True)
        self._contenders, self._turns = found, turns(found)
        self.frame(stands=True)  # which needs kernels too

    def turn(
        self, seconds: float, most: int, beat: Callable[[], None], is_wanted: Callable[[], object]
    ) -> int:
        """Let contenders go on until time is up; how many turns they had."""
        made, end = 0, time.perf_counter() + seconds
        while made < most and not self.ended:
            beat()
            if next(self._turns, None) is None:
                self.ended = "finished"
                break
            made += 1
            if time.perf_counter() >= end or is_wanted():
                break
        return made

    def stop(self) -> None:
        """End it as it stands, unless it is over."""
        self.ended = self.ended or "stopped"

    def fail(self, reason: str) -> None:
        """End it for a reason that is no result."""
        self.ended, self._verdict = "error", [reason]

    def frame(self, stands: bool) -> dict[str, Any]:
        """What a picture of it shows, but for what the stage knows."""
        if not self._contenders:
            looks = [look_before(self.planned.puzzle, each.name) for each in self.planned.lanes]
            return self._told(looks, "", None, "", None)
        looks = [
            sight.look(each.journey, each.ended, each.solved, stands)
            for sight, each in zip(self._sights, self._contenders, strict=True)
        ]
        shares = [
            share_done(each.journey.until, each.journey.counters())
            for each in self._contenders
            if not each.ended
        ]
        known = [each for each in shares if each is not None]
        if not self.ended:
            return self._told(looks, leading(self._contenders), None, "", min(known, default=None))
        winner, by, _ = finish(self._contenders)
        place = None if winner is None else self._contenders.index(winner)
        return self._told(looks, standing(self._contenders), place, by, 1.0)

    def _told(
        self, lanes: list[Look], said: str, winner: int | None, by: By, share: float | None
    ) -> dict[str, Any]:
        is_error = self.ended == "error"
        return {
            "lanes": lanes,
            "standing": "" if is_error else said,
            "winner": None if is_error else winner,
            "by": "" if is_error else by,
            "share": share,
            "verdict": self._verdict or ([said] if self.ended else []),
        }

    def save(self, folder: Folder, name: str) -> None:
        """Write the checkpoints."""
        for lane, each in enumerate(self._contenders):
            each.journey.save(folder.run(name, lane))

    def answer(self, do: str, arguments: dict[str, Any]) -> Any:
        """What is asked of a race and changes nothing: there is nothing to ask."""
        del arguments
        raise GenokuError(f"a race cannot be asked to {do}")
