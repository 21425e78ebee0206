"""Stores of one study made one: shards of a job array, or copies that went their own ways."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from genoku.errors import StoreError
from genoku.lab.claim import claimed
from genoku.lab.runner import driver_of
from genoku.lab.sources import mixed_sources, note_sources, noted_sources
from genoku.lab.store import Store
from genoku.lab.study import Study
from genoku.lab.work import Outcome


class Merged(NamedTuple):
    """What a store holds after others were added to it."""

    added: int
    done: int
    planned: int
    failed: int


def merge(
    out: str | Path,
    inputs: Sequence[str | Path],
    warn: Callable[[str], object] = warnings.warn,
) -> Merged:
    """Add the runs of all inputs to `out`, which may be new; none is there twice.

    Inputs are read and checked as a whole before anything is written, and all of them are added or
    none. `warn` hears of runs made with different files of the user's own.
    """
    target = Path(out)
    with ExitStack() as stack:
        stores: list[Store] = []
        for path in map(Path, inputs):
            if path.exists() and target.exists() and path.samefile(target):
                raise StoreError(f"{path}: expected other stores to add to it, got itself")
            stores.append(stack.enter_context(Store.open(path)))
        if not stores:
            raise StoreError(f"{target}: expected stores to add to it, got none")
        stack.enter_context(claimed(target, lambda: driver_of(target)))
        if target.exists():
            stores.insert(0, stack.enter_context(Store.open(target)))
        first, *others = stores
        for store in stores:
            store.study.refuse_another_version()
        for other in others:
            _refuse_another_study(first, other)
        for store in stores:
            _read_all_of(store)
        for mixed in mixed_sources(stores):
            warn(mixed)
        return _merged(target, first.study, [each for each in stores if each.path != target])


def _merged(target: Path, study: Study, stores: list[Store]) -> Merged:
    is_new = not target.exists()
    try:
        with Store.create(target, study) as store:
            before = len(store.done())
            store.add(_outcomes(stores))
            store.note("shard", "")
            sources = {
                module: each
                for one in reversed(stores)
                for module, each in noted_sources(one).items()
            }
            for _ in note_sources(store, sources):
                pass  # which the inputs have told
            after = len(store.done())
            done, failed = len(store.results()), len(store.failures())
            return Merged(after - before, done, len(study), failed)
    except BaseException:
        if is_new:  # nobody wants an empty one
            for end in ("", "-wal", "-shm"):
                target.with_name(target.name + end).unlink(missing_ok=True)
        raise


def _outcomes(stores: list[Store]) -> Iterator[Outcome]:
    for store in stores:
        yield from store.rows()
        yield from store.failures()


def _read_all_of(store: Store) -> None:
    """Raise StoreError if anything in a store is damaged."""
    store.check()
    for _ in store.histories():
        pass
    store.failures()


def _refuse_another_study(first: Store, other: Store) -> None:
    """Raise StoreError with what is different."""
    if first.study.text() == other.study.text():
        return
    one, two = first.study, other.study
    for what, here, there in (
        ("algorithms", [each.name for each in one.arms], [each.name for each in two.arms]),
        ("puzzles", [each.name for each in one.instances], [each.name for each in two.instances]),
        ("seeds", list(one.seeds), list(two.seeds)),
        ("recipes", [each.digest for each in one.arms], [each.digest for each in two.arms]),
        (
            "boards",
            [each.digest for each in one.instances],
            [each.digest for each in two.instances],
        ),
        ("records", [one.record], [two.record]),
        ("names", [one.name], [two.name]),
        ("questions", [one.question], [two.question]),
        ("allow_conflicts", [one.allow_conflicts], [two.allow_conflicts]),
        ("grids", [each.settings for each in one.arms], [each.settings for each in two.arms]),
    ):
        if here != there:
            difference = _difference(what, here, there)
            break
    else:
        difference = "they are written otherwise"
    raise StoreError(
        f"{other.path}: expected the study of {first.path}, got another one: {difference}"
    )


def _difference(what: str, here: Sequence[object], there: Sequence[object]) -> str:
    if what in ("recipes", "boards"):
        of = "an algorithm's parts or budget" if what == "recipes" else "a puzzle's givens"
        return f"{of} differ, though not in name"
    if what in ("records", "allow_conflicts"):
        return f"{what} differ ({here[0]} and {there[0]})"
    missing = [each for each in here if each not in there][:3]
    more = [each for each in there if each not in here][:3]
    told = [f"no {_listed(missing)}"] if missing else []
    told += [f"{_listed(more)} beside"] if more else []
    return f"{what} differ ({', '.join(told) or 'in their order'})"


def _listed(some: Sequence[object]) -> str:
    return " and ".join(repr(each) for each in some)
