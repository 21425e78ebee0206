"""Answers that take long and are asked for again: the last few of them are kept."""

from __future__ import annotations

import asyncio
import contextvars
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any

MOST = 8


class Shelf:
    """Made once for whoever asks, also for those who ask meanwhile; a failure is not kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, asyncio.Task[Any]] = OrderedDict()

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """What is kept under a key, or is made now."""
        task = self._kept.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            # In a context of its own: it goes on for others when who asked first has gone.
            task = asyncio.create_task(make(), context=contextvars.Context())
            self._kept[key] = task
        self._kept.move_to_end(key)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return await asyncio.shield(task)
