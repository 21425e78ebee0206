"""Libraries that only some commands need: asked for before anything is begun."""

from __future__ import annotations

from importlib.util import find_spec

from genoku.errors import MissingExtraError


def require(extra: str, said: str, *modules: str) -> None:
    """Raise unless modules are installed, saying what needs them and how to get the extra."""
    if any(find_spec(module) is None for module in modules):
        raise MissingExtraError(f'{said}: pip install "genoku[{extra}]"')
