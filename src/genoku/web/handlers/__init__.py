"""What workers do for the routes. The server imports none of these modules, which may be heavy."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def call(name: str, *arguments: Any) -> Any:
    """Call a function of a module here by its name, such as `studies.plan`, in a worker."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), function)(*arguments)
