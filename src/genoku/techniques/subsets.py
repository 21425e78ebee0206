"""Singles, which place a digit, and techniques on sets: locked candidates, subsets, fish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from genoku.techniques.grid import Finding, Grid, bits, is_single, lowest_bit


def full_houses(grid: Grid) -> Iterator[Finding]:
    """A unit has one blank left: it takes the missing digit."""
    for unit, missing in enumerate(grid.missing):
        if is_single(missing):
            digit = lowest_bit(missing)
            cell = lowest_bit(grid.places[digit] & grid.layout.masks[unit])
            name = grid.geometry.unit_name(unit)
            yield _single(cell, digit, f"only {grid.cell_names(cell)} is blank in {name}", unit)


def hidden_singles_in_box(grid: Grid) -> Iterator[Finding]:
    """A digit has one place left in a box."""
    return _hidden_singles(grid, range(2 * grid.geometry.side, 3 * grid.geometry.side))


def hidden_singles_in_line(grid: Grid) -> Iterator[Finding]:
    """A digit has one place left in a row or column."""
    return _hidden_singles(grid, range(2 * grid.geometry.side))


def naked_singles(grid: Grid) -> Iterator[Finding]:
    """A cell has one candidate left."""
    for cell, mask in enumerate(grid.options):
        if is_single(mask):
            reason = f"every other digit is ruled out in {grid.cell_names(cell)}"
            yield _single(cell, lowest_bit(mask), reason)


def _hidden_singles(grid: Grid, units: Iterable[int]) -> Iterator[Finding]:
    masks, places = grid.layout.masks, grid.places
    for unit in units:
        for digit in bits(grid.missing[unit]):
            spots = places[digit] & masks[unit]
            if is_single(spots):
                name = grid.geometry.unit_name(unit)
                reason = f"{grid.digit_names(digit)} fits nowhere else in {name}"
                yield _single(lowest_bit(spots), digit, reason, unit)


def _single(cell: int, digit: int, reason: str, *units: int) -> Finding:
    return Finding(
        reason=reason, cells=(cell,), digits=(digit,), units=units, placements=((cell, digit),)
    )


ROW, COLUMN, BOX = range(3)


def pointing(grid: Grid) -> Iterator[Finding]:
    """A digit's places in a box lie on one line: remove it from the rest of the line."""
    side = grid.geometry.side
    return _locked_candidates(grid, range(2 * side, 3 * side), (ROW, COLUMN))


def claiming(grid: Grid) -> Iterator[Finding]:
    """A digit's places on a line lie in one box: remove it from the rest of the box."""
    return _locked_candidates(grid, range(2 * grid.geometry.side), (BOX,))


def _locked_candidates(grid: Grid, units: Iterable[int], kinds: Sequence[int]) -> Iterator[Finding]:
    masks, units_of, places = grid.layout.masks, grid.layout.units_of, grid.places
    for unit in units:
        for digit in bits(grid.missing[unit]):
            spots = places[digit] & masks[unit]
            for kind in kinds:
                other = units_of[lowest_bit(spots)][kind]
                if spots & ~masks[other]:
                    continue
                if struck := grid.strike(digit, masks[other] & ~spots):
                    inner, outer = grid.unit_names(unit), grid.unit_names(other)
                    yield Finding(
                        reason=f"in {inner}, {grid.digit_names(digit)} fits only in {outer}, "
                        f"so it goes nowhere else in {outer}",
                        cells=tuple(bits(spots)),
                        digits=(digit,),
                        units=(unit, other),
                        eliminations=struck,
                    )


def naked_subsets(grid: Grid, size: int) -> Iterator[Finding]:
    """`size` cells of a unit with `size` candidates in all: no other cell has those."""
    options = grid.options
    for unit, cells in enumerate(grid.layout.units):
        blanks = [cell for cell in cells if options[cell]]
        for chosen, union in covers([options[cell] for cell in blanks], size):
            members = tuple(blanks[i] for i in chosen)
            rest = grid.layout.masks[unit] & ~sum(1 << cell for cell in members)
            digits = tuple(bits(union))
            struck = tuple(elim for digit in digits for elim in grid.strike(digit, rest))
            if struck:
                yield Finding(
                    reason=f"{grid.cell_names(*members)} can only hold "
                    f"{grid.digit_names(*digits)}, so no other cell of {grid.unit_names(unit)} can",
                    cells=members,
                    digits=digits,
                    units=(unit,),
                    eliminations=struck,
                )


def hidden_subsets(grid: Grid, size: int) -> Iterator[Finding]:
    """`size` digits of a unit with `size` places in all: those cells hold nothing else."""
    places = grid.places
    for unit, mask in enumerate(grid.layout.masks):
        missing = bits(grid.missing[unit])
        for chosen, union in covers([places[digit] & mask for digit in missing], size):
            digits = tuple(missing[i] for i in chosen)
            kept = sum(1 << digit for digit in digits)
            cells = tuple(bits(union))
            struck = tuple(
                (cell, digit) for cell in cells for digit in bits(grid.options[cell] & ~kept)
            )
            if struck:
                yield Finding(
                    reason=f"in {grid.unit_names(unit)}, {grid.digit_names(*digits)} fit only in "
                    f"{grid.cell_names(*cells)}, which can hold nothing else",
                    cells=cells,
                    digits=digits,
                    units=(unit,),
                    eliminations=struck,
                )


def fish(grid: Grid, size: int) -> Iterator[Finding]:
    """`size` parallel lines in which a digit has places only on `size` crossing lines.

    The digit is eliminated from the rest of the crossing lines.
    """
    side, masks = grid.geometry.side, grid.layout.masks
    for digit in range(1, side + 1):
        spots = grid.places[digit]
        rows, columns = [0] * side, [0] * side
        for cell in bits(spots):
            row, column = divmod(cell, side)
            rows[row] |= 1 << column
            columns[column] |= 1 << row
        for lines, base, cover in ((rows, 0, side), (columns, side, 0)):
            for chosen, union in covers(lines, size):
                bases = tuple(base + line for line in chosen)
                crossing = tuple(cover + line for line in bits(union))
                own = sum(masks[unit] for unit in bases)
                struck = grid.strike(digit, sum(masks[unit] for unit in crossing) & ~own)
                if struck:
                    yield Finding(
                        reason=f"in {grid.unit_names(*bases)}, {grid.digit_names(digit)} fits only "
                        f"in {grid.unit_names(*crossing)}, so it goes nowhere else there",
                        cells=tuple(bits(spots & own)),
                        digits=(digit,),
                        units=bases + crossing,
                        eliminations=struck,
                    )


def covers(masks: Sequence[int], size: int) -> list[tuple[tuple[int, ...], int]]:
    """Return every choice of `size` masks whose union has `size` bits: indices and union.

    Empty masks are skipped. So are choices that leave fewer than two other masks: a single has
    found what they would find.
    """
    filled = sum(1 for mask in masks if mask)
    small = [(i, mask) for i, mask in enumerate(masks) if mask and mask.bit_count() <= size]
    if len(small) < size or filled < size + 2:
        return []
    choices: list[tuple[tuple[int, ...], int]] = [((i,), mask) for i, mask in small]
    for _ in range(size - 1):
        choices = [
            ((*chosen, i), union | mask)
            for chosen, union in choices
            for i, mask in small
            if i > chosen[-1] and (union | mask).bit_count() <= size
        ]
    return [(chosen, union) for chosen, union in choices if union.bit_count() == size]
