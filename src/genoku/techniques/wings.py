"""Techniques of two to four cells that see one another: turbot fish, colouring, wings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from genoku.techniques.grid import Grid, bits, lowest
from genoku.techniques.step import Finding


def turbot_fish(grid: Grid) -> Iterator[Finding]:
    """Two conjugate pairs whose inner ends see each other: one of the outer ends is true."""
    peers = grid.layout.peers
    for digit in range(1, grid.geometry.side + 1):
        pairs = grid.pairs(digit).items()
        for (one, first), (two, second) in combinations(pairs, 2):
            if one & two:
                continue
            for (inner, outer), (link, end) in product(_both_ways(one), _both_ways(two)):
                if not peers[inner] >> link & 1:
                    continue
                if struck := grid.strike(digit, peers[outer] & peers[end]):
                    yield Finding(
                        reason=f"{grid.written(digit)} has two places in "
                        f"{grid.units_named(first)} and two in {grid.units_named(second)}, and "
                        f"{grid.named(inner, link)} cannot both hold it, so "
                        f"{grid.named(outer)} or {grid.named(end)} does",
                        cells=(outer, inner, link, end),
                        digits=(digit,),
                        units=(first, second),
                        eliminations=struck,
                    )


def _both_ways(pair: int) -> tuple[tuple[int, int], tuple[int, int]]:
    one, two = bits(pair)
    return (one, two), (two, one)


def simple_colouring(grid: Grid) -> Iterator[Finding]:
    """Conjugate pairs joined end to end, coloured in turn: one colour is all true."""
    for digit in range(1, grid.geometry.side + 1):
        for colour, other in _colourings(grid, digit):
            seen, seen_by_other = _seen(grid, colour), _seen(grid, other)
            cells = tuple(bits(colour | other))
            written = grid.written(digit)
            either = (
                f"{written} stands in all of {grid.named(*bits(colour))} "
                f"or in all of {grid.named(*bits(other))}"
            )
            if struck := grid.strike(digit, seen & seen_by_other & ~(colour | other)):
                yield Finding(
                    reason=f"{either}; what sees both cannot hold it",
                    cells=cells,
                    digits=(digit,),
                    eliminations=struck,
                )
            for false, sight in ((colour, seen), (other, seen_by_other)):
                if false & sight:
                    yield Finding(
                        reason=f"{either}, and {grid.named(*bits(false & sight))} see each other",
                        cells=cells,
                        digits=(digit,),
                        eliminations=grid.strike(digit, false),
                    )


def _colourings(grid: Grid, digit: int) -> Iterator[tuple[int, int]]:
    """The two colours, as cell masks, of every chain of conjugate pairs of a digit."""
    partners: dict[int, int] = {}
    for pair in grid.pairs(digit):
        for one, two in _both_ways(pair):
            partners[one] = partners.get(one, 0) | 1 << two
    coloured = 0
    for start in sorted(partners):
        if coloured >> start & 1:
            continue
        colours = [1 << start, 0]
        front, turn = 1 << start, 1
        while front:
            reached = 0
            for cell in bits(front):
                reached |= partners[cell]
            front = reached & ~colours[turn]
            colours[turn] |= front
            turn = 1 - turn
        coloured |= colours[0] | colours[1]
        yield colours[0], colours[1]


def _seen(grid: Grid, cells: int) -> int:
    """The cells that share a unit with at least one of `cells`."""
    seen = 0
    for cell in bits(cells):
        seen |= grid.layout.peers[cell]
    return seen


def xy_wings(grid: Grid) -> Iterator[Finding]:
    """A pivot xy that sees xz and yz: one of the two is z."""
    options = grid.options
    for pivot in grid.bivalue_cells():
        for wings in _pincers(grid, pivot):
            one, two = wings
            if options[one] ^ options[two] == options[pivot]:
                yield from _wing(grid, pivot, wings, ends=wings)


def xyz_wings(grid: Grid) -> Iterator[Finding]:
    """A pivot xyz that sees xz and yz: one of the three is z."""
    options = grid.options
    for pivot, mask in enumerate(options):
        if mask.bit_count() == 3:
            for wings in _pincers(grid, pivot):
                if options[wings[0]] | options[wings[1]] == mask:
                    yield from _wing(grid, pivot, wings, ends=(pivot, *wings))


def _pincers(grid: Grid, pivot: int) -> Iterator[tuple[int, int]]:
    """Pairs of two-candidate cells that see the pivot and share candidates with it."""
    options = grid.options
    near = [
        cell
        for cell in bits(grid.layout.peers[pivot])
        if options[cell].bit_count() == 2 and options[cell] & options[pivot]
    ]
    return combinations(near, 2)


def _wing(
    grid: Grid, pivot: int, wings: tuple[int, int], ends: tuple[int, ...]
) -> Iterator[Finding]:
    """One of `ends` holds the digit that both wings share."""
    options = grid.options
    shared = lowest(options[wings[0]] & options[wings[1]])
    if struck := grid.strike(shared, grid.seen_by_all(ends)):
        held = [grid.either(*bits(options[cell])) for cell in (pivot, *wings)]
        yield Finding(
            reason=f"{grid.named(pivot)} is {held[0]}, {grid.named(wings[0])} {held[1]}, "
            f"{grid.named(wings[1])} {held[2]}; whichever {grid.named(pivot)} is, "
            f"one of {grid.named(*ends)} is {grid.written(shared)}, "
            "so a cell that sees them is not",
            cells=(pivot, *wings),
            digits=tuple(bits(options[pivot] | options[wings[0]] | options[wings[1]])),
            eliminations=struck,
        )


def w_wings(grid: Grid) -> Iterator[Finding]:
    """Two cells xy joined by a conjugate pair of x: one of the two is y."""
    options, peers = grid.options, grid.layout.peers
    alike: dict[int, list[int]] = {}
    for cell in grid.bivalue_cells():
        alike.setdefault(options[cell], []).append(cell)
    for mask, cells in alike.items():
        for ends in combinations(cells, 2):
            seen = grid.seen_by_all(ends)
            for x, y in _both_ways(mask):
                struck = grid.strike(y, seen)
                if not struck:
                    continue
                for pair, unit in grid.pairs(x).items():
                    one, two = bits(pair)
                    if not _joins(peers, ends, one, two):
                        continue
                    yield Finding(
                        reason=f"{grid.named(*ends)} are {grid.either(*bits(mask))} each; "
                        f"{grid.written(x)} of {grid.units_named(unit)} goes in {grid.named(one)} "
                        f"or {grid.named(two)}, so they cannot both be {grid.written(x)}, "
                        f"and one is {grid.written(y)}",
                        cells=(*ends, one, two),
                        digits=(x, y),
                        units=(unit,),
                        eliminations=struck,
                    )


def _joins(peers: tuple[int, ...], ends: tuple[int, int], one: int, two: int) -> bool:
    """Whether each end sees one of the pair, and not the same one."""
    first, second = peers[ends[0]], peers[ends[1]]
    straight = first >> one & second >> two & 1
    return bool(straight or (first >> two & second >> one & 1))
