"""Modules that are slow to import and that few tests use: every worker collects every test."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Lazy:
    """A module that is imported when a test first uses it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # pytest asks every object of a module for those
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)
