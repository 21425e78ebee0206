"""Studies that wait for their turn, and a server that is killed meanwhile."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from genoku.web import study_processes
from genoku.web.limits import Limits
from genoku.web.study_processes import StudyProcesses

LIMITS = Limits(studies=1)


class Unending:
    """A study process that never ends."""

    stopping = False
    progress: ClassVar[dict[str, Any]] = {}

    def __init__(self, name: str, *_: Any, on_end: Any) -> None:
        self.name = name

    async def stop(self) -> None:
        self.stopping = True


def test_after_a_kill_studies_have_their_places_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_processes, "BackgroundProcess", Unending)

    def places(found: StudyProcesses) -> list[str]:
        return [found.status(name).get("state", "") for name in ("one", "two", "three", "four")]

    async def killed() -> None:
        first = StudyProcesses(LIMITS, tmp_path)
        first.resume()
        for name in ("two", "one", "three", "four"):
            await first.run(name)
        await first.stop("one")
        assert places(first) == ["", "running", "waiting", "waiting"]

        second = StudyProcesses(LIMITS, tmp_path)
        second.resume()
        assert places(second) == ["", "running", "waiting", "waiting"]
        assert json.loads((tmp_path / "queue.json").read_text()) == ["two", "three", "four"]
        await second.close()

        third = StudyProcesses(LIMITS, tmp_path)
        third.resume()
        assert places(third) == ["", "", "", ""]

    asyncio.run(killed())


@pytest.mark.parametrize("text", ["", "{}", "[1, null]", '["../outside"]', "[" * 5000])
def test_a_broken_queue_keeps_no_server_from_starting(tmp_path: Path, text: str) -> None:
    (tmp_path / "queue.json").write_text(text)

    async def begun() -> None:
        found = StudyProcesses(LIMITS, tmp_path)
        found.resume()
        assert found.running == []

    asyncio.run(begun())
