"""Chains of implications between candidates, and the short ones that have names of their own.

Two candidates are *weakly* linked if they cannot both be true (one digit in two cells of a
unit, two digits in one cell), *strongly* if at least one of them is (the only two places of a
digit in a unit, the only two digits of a cell). A true candidate makes its weak neighbours
false; a false one makes its strong neighbours true. A candidate whose truth makes it false can be
eliminated. The order in which links are followed does not change what is eliminated. Turbot fish,
colouring and wings are chains of two to four cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from genoku.techniques.grid import Candidate, Finding, Grid, bits, lowest_bit


def chains(grid: Grid, *, cells: bool, pairs: bool) -> Iterator[Finding]:
    """Chains through cells of two candidates, conjugate pairs of a digit, or both."""
    return _Links(grid, cells, pairs).findings()


class _Links:
    """The strongly linked candidates (numbered *nodes*) and the links of each, as bit masks."""

    def __init__(self, grid: Grid, through_cells: bool, through_units: bool) -> None:
        self.grid = grid
        self.within_cells = through_cells and through_units
        links: list[tuple[Candidate, Candidate]] = []
        for cell in grid.bivalue_cells() if through_cells else ():
            low, high = bits(grid.options[cell])
            links.append(((cell, low), (cell, high)))
        for digit in range(1, grid.geometry.side + 1) if through_units else ():
            links += [((a, digit), (b, digit)) for a, b in map(bits, grid.pairs(digit))]
        self.nodes: list[Candidate] = sorted({node for link in links for node in link})
        self.number = {node: i for i, node in enumerate(self.nodes)}
        self.linked = [0] * (grid.geometry.side + 1)
        for cell, digit in self.nodes:
            self.linked[digit] |= 1 << cell
        self.strong = [0] * len(self.nodes)
        for one, two in links:
            self.strong[self.number[one]] |= 1 << self.number[two]
            self.strong[self.number[two]] |= 1 << self.number[one]
        self.weak = [self._weak(node) for node in self.nodes]

    def findings(self) -> Iterator[Finding]:
        """Yield a finding for every candidate whose truth implies that it is false."""
        if not self.nodes:
            return
        reach = self._reach()
        for cell, mask in enumerate(self.grid.options):
            for digit in bits(mask):
                start = self._weak((cell, digit))
                made_true = 0
                for node in bits(self._made_true(start)):
                    made_true |= reach[node]
                if made_true & start:
                    yield self._finding((cell, digit), start)

    def _weak(self, candidate: Candidate) -> int:
        """Return the nodes that a true candidate makes false."""
        cell, digit = candidate
        number = self.number
        near = bits(self.linked[digit] & self.grid.layout.peers[cell])
        mask = sum(1 << number[peer, digit] for peer in near)
        if self.within_cells:
            for other in bits(self.grid.options[cell] & ~(1 << digit)):
                if (cell, other) in number:
                    mask |= 1 << number[cell, other]
        return mask

    def _made_true(self, false: int) -> int:
        """Return the nodes that become true if any of these nodes is false."""
        mask = 0
        for node in bits(false):
            mask |= self.strong[node]
        return mask

    def _reach(self) -> list[int]:
        """Return for every node the nodes its truth makes true, itself included (Warshall)."""
        reach = [self._made_true(weak) | 1 << i for i, weak in enumerate(self.weak)]
        for via in range(len(reach)):
            onwards = reach[via]
            for node, reached in enumerate(reach):
                if reached >> via & 1:
                    reach[node] = reached | onwards
        return reach

    def _finding(self, start: Candidate, weak: int) -> Finding:
        chain = [start, *self._shortest(weak)]
        links = [
            f"{self.grid.cell_names(cell)} {'≠' if i % 2 else '='} {self.grid.digit_names(digit)}"
            for i, (cell, digit) in enumerate([*chain, start])
        ]
        return Finding(
            reason=f"if {links[0]}, then {', so '.join(links[1:])}, which contradicts it",
            cells=tuple(dict.fromkeys(cell for cell, _ in chain[1:])),
            digits=tuple(sorted({digit for _, digit in chain})),
            eliminations=(start,),
        )

    def _shortest(self, weak: int) -> list[Candidate]:
        """Return the nodes of a shortest chain back to the start, alternately false and true."""
        came_from: dict[int, tuple[int, int | None]] = {}
        front: list[tuple[int | None, int]] = [(None, weak)]
        while True:
            onwards: list[tuple[int | None, int]] = []
            for previous, made_false in front:
                for false in bits(made_false):
                    for true in bits(self.strong[false]):
                        if true in came_from:
                            continue
                        came_from[true] = (false, previous)
                        if weak >> true & 1:
                            return self._trace(true, came_from)
                        onwards.append((true, self.weak[true]))
            front = onwards

    def _trace(self, node: int, came_from: dict[int, tuple[int, int | None]]) -> list[Candidate]:
        backwards: list[Candidate] = []
        true: int | None = node
        while true is not None:
            false, previous = came_from[true]
            backwards += [self.nodes[true], self.nodes[false]]
            true = previous
        return backwards[::-1]


def turbot_fish(grid: Grid) -> Iterator[Finding]:
    """Two conjugate pairs of a digit (the only two places in a unit) with ends that see each other:
    one of the outer ends is true. Skyscraper and two-string kite are cases of it.
    """
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
                        reason=f"{grid.digit_names(digit)} has two places in "
                        f"{grid.unit_names(first)} and two in {grid.unit_names(second)}, and "
                        f"{grid.cell_names(inner, link)} cannot both hold it, so "
                        f"{grid.cell_names(outer)} or {grid.cell_names(end)} does",
                        cells=(outer, inner, link, end),
                        digits=(digit,),
                        units=(first, second),
                        eliminations=struck,
                    )


def _both_ways(pair: int) -> tuple[tuple[int, int], tuple[int, int]]:
    one, two = bits(pair)
    return (one, two), (two, one)


def simple_colouring(grid: Grid) -> Iterator[Finding]:
    """Conjugate pairs of a digit joined end to end, coloured in turn: one colour is all true, the
    other all false.
    """
    for digit in range(1, grid.geometry.side + 1):
        for colour, other in _colourings(grid, digit):
            seen, seen_by_other = _peers_of_any(grid, colour), _peers_of_any(grid, other)
            cells = tuple(bits(colour | other))
            written = grid.digit_names(digit)
            either = (
                f"{written} is in all of {grid.cell_names(*bits(colour))} "
                f"or in all of {grid.cell_names(*bits(other))}"
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
                    clash = grid.cell_names(*bits(false & sight))
                    yield Finding(
                        reason=f"{either}, and {clash} see each other",
                        cells=cells,
                        digits=(digit,),
                        eliminations=grid.strike(digit, false),
                    )


def _colourings(grid: Grid, digit: int) -> Iterator[tuple[int, int]]:
    """Yield the two colours, as cell masks, of every chain of conjugate pairs of a digit."""
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


def _peers_of_any(grid: Grid, cells: int) -> int:
    """Return the cells that share a unit with at least one of `cells`."""
    seen = 0
    for cell in bits(cells):
        seen |= grid.layout.peers[cell]
    return seen


def xy_wings(grid: Grid) -> Iterator[Finding]:
    """A cell xy sees a cell xz and a cell yz: one of those two is z."""
    options = grid.options
    for pivot in grid.bivalue_cells():
        for wings in _pincers(grid, pivot):
            one, two = wings
            if options[one] ^ options[two] == options[pivot]:
                yield from _wing(grid, pivot, wings, ends=wings)


def xyz_wings(grid: Grid) -> Iterator[Finding]:
    """A cell xyz sees a cell xz and a cell yz: one of the three is z."""
    options = grid.options
    for pivot, mask in enumerate(options):
        if mask.bit_count() == 3:
            for wings in _pincers(grid, pivot):
                if options[wings[0]] | options[wings[1]] == mask:
                    yield from _wing(grid, pivot, wings, ends=(pivot, *wings))


def _pincers(grid: Grid, pivot: int) -> Iterator[tuple[int, int]]:
    """Return pairs of two-candidate cells that see the pivot and share candidates with it."""
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
    """Yield what follows if one of `ends` holds the digit that both wings share."""
    options = grid.options
    shared = lowest_bit(options[wings[0]] & options[wings[1]])
    if struck := grid.strike(shared, grid.seen_by_all(ends)):
        held = [grid.digit_choice(*bits(options[cell])) for cell in (pivot, *wings)]
        yield Finding(
            reason=f"{grid.cell_names(pivot)} is {held[0]}, {grid.cell_names(wings[0])} {held[1]}, "
            f"{grid.cell_names(wings[1])} {held[2]}; whichever {grid.cell_names(pivot)} is, "
            f"one of {grid.cell_names(*ends)} is {grid.digit_names(shared)}, "
            "so a cell that sees them is not",
            cells=(pivot, *wings),
            digits=tuple(bits(options[pivot] | options[wings[0]] | options[wings[1]])),
            eliminations=struck,
        )


def w_wings(grid: Grid) -> Iterator[Finding]:
    """Two cells xy, joined by a conjugate pair of x: one of the two is y."""
    options, peers = grid.options, grid.layout.peers
    alike: dict[int, list[int]] = {}
    for cell in grid.bivalue_cells():
        alike.setdefault(options[cell], []).append(cell)
    for mask, cells in alike.items():
        for ends in combinations(cells, 2):
            seen = grid.seen_by_all(ends)
            first, second = peers[ends[0]], peers[ends[1]]
            for x, y in _both_ways(mask):
                struck = grid.strike(y, seen)
                if not struck:
                    continue
                for pair, unit in grid.pairs(x).items():
                    one, two = bits(pair)
                    straight = first >> one & second >> two & 1
                    if not (straight or first >> two & second >> one & 1):
                        continue
                    yield Finding(
                        reason=f"{grid.cell_names(*ends)} are each "
                        f"{grid.digit_choice(*bits(mask))}; the {grid.digit_names(x)} of "
                        f"{grid.unit_names(unit)} is in {grid.cell_names(one)} or "
                        f"{grid.cell_names(two)}, so they cannot both be "
                        f"{grid.digit_names(x)}, and one is {grid.digit_names(y)}",
                        cells=(*ends, one, two),
                        digits=(x, y),
                        units=(unit,),
                        eliminations=struck,
                    )
