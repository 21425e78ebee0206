"""Questions to the laboratory by name: the server, which only passes them on, need not load it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def ask(question: str, *arguments: Any) -> Any:
    """Answer `studies.listing` and the like, a function of a module beside this one."""
    module, _, function = question.partition(".")
    return getattr(import_module(f"genoku.web.jobs.{module}"), function)(*arguments)
