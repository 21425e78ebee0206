"""Techniques that place a digit: full house, hidden and naked singles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from genoku.techniques.grid import Grid, bits, is_single, lowest
from genoku.techniques.step import Finding


def full_houses(grid: Grid) -> Iterator[Finding]:
    """The last blank of a unit."""
    for unit, missing in enumerate(grid.missing):
        if is_single(missing):
            digit = lowest(missing)
            cell = lowest(grid.places[digit] & grid.layout.masks[unit])
            name = grid.geometry.unit_name(unit)
            yield _single(cell, digit, f"only {grid.named(cell)} is blank in {name}", unit)


def hidden_singles_in_box(grid: Grid) -> Iterator[Finding]:
    """The only place for a digit in a box."""
    return _hidden_singles(grid, range(2 * grid.geometry.side, 3 * grid.geometry.side))


def hidden_singles_in_line(grid: Grid) -> Iterator[Finding]:
    """The only place for a digit in a row or column."""
    return _hidden_singles(grid, range(2 * grid.geometry.side))


def naked_singles(grid: Grid) -> Iterator[Finding]:
    """The only digit for a cell."""
    for cell, mask in enumerate(grid.options):
        if is_single(mask):
            reason = f"every other digit is ruled out in {grid.named(cell)}"
            yield _single(cell, lowest(mask), reason)


def _hidden_singles(grid: Grid, units: Iterable[int]) -> Iterator[Finding]:
    masks, places = grid.layout.masks, grid.places
    for unit in units:
        for digit in bits(grid.missing[unit]):
            spots = places[digit] & masks[unit]
            if is_single(spots):
                name = grid.geometry.unit_name(unit)
                reason = f"{grid.written(digit)} fits nowhere else in {name}"
                yield _single(lowest(spots), digit, reason, unit)


def _single(cell: int, digit: int, reason: str, *units: int) -> Finding:
    return Finding(
        reason=reason, cells=(cell,), digits=(digit,), units=units, placements=((cell, digit),)
    )
