"""What the shell offers when Tab is pressed: names that genoku knows, and files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def files(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    """Files, which the shell itself knows best."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="file")]


def folders(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="dir")]


def puzzles(context: Any, parameter: Any, typed: str) -> list[Any]:
    """Bundled puzzles, and files of others."""
    from genoku.collection import bundled

    return [*_among(bundled(), typed), *files(context, parameter, typed)]


def presets(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    from genoku.preset_library import presets as known

    return _among((each.name for each in known()), typed)


def presets_or_files(context: Any, parameter: Any, typed: str) -> list[Any]:
    """Presets, and files of recipes."""
    return [*presets(context, parameter, typed), *files(context, parameter, typed)]


def operators(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    """The kinds of parts, and the parts."""
    from genoku.recipe import catalogue

    rows = catalogue()
    return _among(dict.fromkeys(row[key] for key in ("kind", "name") for row in rows), typed)


def reports(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    """The five reports, by their numbers."""
    from genoku.lab.reproduce import REPORTS

    return _among(REPORTS, typed)


def _among(names: Iterable[str], typed: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(typed)]
