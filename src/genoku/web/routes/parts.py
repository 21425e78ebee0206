"""How a route is answered by a worker process."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

from genoku.web import handlers
from genoku.web.services import Here, Services

Work = TypeVar("Work", bound=Callable[..., Any])


async def work(here: Services, name: str, *arguments: Any, **how: Any) -> Any:
    """What a function of `genoku.web.handlers` gives, worked out by a worker."""
    return await here.clerks.call(handlers.call, name, *arguments, **how)


def in_worker(register: Callable[..., Any], **how: Any) -> Callable[[Work], Work]:
    """Register a plain function as a route that a worker process answers.

    `register` is what a router's method gives, such as `router.post("/puzzles/check")`; `how` goes
    to the pool of workers. The function takes and returns data that can be pickled, and imports
    whatever is heavy itself: the server has to stay light.
    """

    def decorate(work: Work) -> Work:
        hints = get_type_hints(work, include_extras=True)
        names = [name for name in hints if name != "return"]

        async def endpoint(here: Here, **given: Any) -> Any:
            return await here.clerks.call(work, *(given[name] for name in names), **how)

        takes = inspect.signature(work).parameters.values()
        here = inspect.Parameter("here", inspect.Parameter.KEYWORD_ONLY, annotation=Here)
        endpoint.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [*(each.replace(annotation=hints[each.name]) for each in takes), here],
            return_annotation=hints["return"],
        )
        endpoint.__name__, endpoint.__doc__ = work.__name__, work.__doc__
        register(endpoint)
        return work

    return decorate
