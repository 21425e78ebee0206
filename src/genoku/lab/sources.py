"""Which files the parts of a user's own come from, so that a change of them can be told.

A run is named by its recipe, where such a part is a module and a name. What the module says is not
in it, so a store notes that beside its runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from importlib import invalidate_caches
from importlib.machinery import PathFinder
from pathlib import Path

from genoku.failures import modules_of
from genoku.lab.store import Store
from genoku.lab.study import Study

NOTE = "sources"

Sources = dict[str, str]
"""A hash of the file of every module."""


def sources_of(study: Study, folder: str = "") -> Sources:
    """The modules of a study's own parts that are found, looked for in `folder` as well."""
    invalidate_caches()  # a file may have been written just now
    modules = {module for arm in study.arms for module in modules_of(arm.recipe)}
    found = {module: _file(module, folder) for module in sorted(modules)}
    return {
        module: blake2b(file.read_bytes(), digest_size=16).hexdigest()
        for module, file in found.items()
        if file is not None
    }


def noted_sources(store: Store) -> Sources:
    """What a store's runs were made with, as far as it was noted."""
    noted: Sources = json.loads(store.noted(NOTE) or "{}")
    return noted


def note_sources(store: Store, now: Sources) -> Iterator[str]:
    """Note what runs are made with from now on, and say of what that is another.

    What the first runs of a module were made with stays noted as long as they are there.
    """
    before = noted_sources(store)
    if not now and not before:
        return
    counts = _counts(store)
    kept = {module: each for module, each in before.items() if counts.get(module)}
    store.note(NOTE, json.dumps({**now, **kept}))
    for module, digest in now.items():
        if kept.get(module, digest) != digest:
            some = "the first run was" if counts[module] == 1 else "the first runs were"
            yield (
                f"{store.path}: {_named(module)} has changed since {some} made: what is there "
                f"stays ({counts[module]:,}); take another store to make it again"
            )


def mixed_sources(stores: Sequence[Store]) -> Iterator[str]:
    """Say of which modules the runs of some stores were not made with the same file."""
    first: dict[str, tuple[str, Path]] = {}
    for store in stores:
        for module, digest in noted_sources(store).items():
            known, path = first.setdefault(module, (digest, store.path))
            if known != digest:
                yield (
                    f"{store.path}: its runs were made with another {_named(module)} than those "
                    f"of {path}"
                )


def _counts(store: Store) -> dict[str, int]:
    """How many runs that are there have parts of a module."""
    runs = store.results().arm.tolist()
    counts: dict[str, int] = {}
    for place, arm in enumerate(store.study.arms):
        for module in modules_of(arm.recipe):
            counts[module] = counts.get(module, 0) + runs.count(place)
    return counts


def _file(module: str, folder: str) -> Path | None:
    """Where a module lies; nothing is imported for it."""
    places: Sequence[str] | None = [*sys.path, folder] if folder else sys.path
    origin: str | None = None
    for name in module.split("."):
        spec = PathFinder.find_spec(name, places)
        if spec is None:
            return None
        origin, places = spec.origin, spec.submodule_search_locations
    file = Path(origin or "")
    return file if file.is_file() else None


def _named(module: str) -> str:
    return f"{module.rpartition('.')[2]}.py"
