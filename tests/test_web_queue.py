"""Studies that wait for their turn, and a server that is killed meanwhile."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from genoku.web import drivers
from genoku.web.drivers import Drivers
from genoku.web.limits import Limits

LIMITS = Limits(studies=1)


class Unending:
    """A driver that never comes to an end."""

    stopping = False
    progress: ClassVar[dict[str, Any]] = {}

    def __init__(self, name: str, *_: Any, over: Any) -> None:
        self.name = name

    async def stop(self) -> None:
        self.stopping = True


def test_after_a_kill_studies_have_their_places_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drivers, "Background", Unending)

    def places(found: Drivers) -> list[str]:
        return [found.standing(name).phase for name in ("one", "two", "three", "four")]

    async def killed() -> None:
        first = Drivers(LIMITS, tmp_path)
        first.resume()
        for name in ("two", "one", "three", "four"):
            await first.run(name)
        await first.stop("one")
        assert places(first) == ["", "running", "waiting", "waiting"]

        second = Drivers(LIMITS, tmp_path)
        second.resume()
        assert places(second) == ["", "running", "waiting", "waiting"]
        assert json.loads((tmp_path / "queue.json").read_text()) == ["two", "three", "four"]
        await second.close()

        third = Drivers(LIMITS, tmp_path)
        third.resume()
        assert places(third) == ["", "", "", ""]

    asyncio.run(killed())


@pytest.mark.parametrize("text", ["", "{}", "[1, null]", '["../outside"]', "[" * 5000])
def test_a_broken_queue_keeps_no_server_from_starting(tmp_path: Path, text: str) -> None:
    (tmp_path / "queue.json").write_text(text)

    async def begun() -> None:
        found = Drivers(LIMITS, tmp_path)
        found.resume()
        assert found.running == []

    asyncio.run(begun())
