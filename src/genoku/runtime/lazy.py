"""Packages that import what they export on first use, so that importing them stays fast."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from genoku.runtime.moved import RENAMED

IMPORT = re.compile(r"^    from (genoku[\w.]*) import (\([^)]*\)|.+)$", re.MULTILINE)


def lazy_exports(package: str) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package that exports what it imports under `TYPE_CHECKING`.

    It imports each name as itself (`from … import Puzzle as Puzzle`), as type checkers require.
    """
    module: Any = sys.modules[package]
    source = module.__spec__.loader.get_source(package)
    homes = {
        name: home
        for home, names in IMPORT.findall(source)
        for name in re.findall(r"\w+ as (\w+)", names)
    }
    vars(module).update(__all__=sorted(homes), __dir__=lambda: sorted({*homes, *vars(module)}))

    def load(name: str) -> Any:
        if new := RENAMED.get(f"{package}.{name}"):  # `from … import` hides an AttributeError
            raise ImportError(f"{package}.{name} is now {new}", name=package)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(module, name, value)
        return value

    return load
