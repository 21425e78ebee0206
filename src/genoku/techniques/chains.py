"""Chains: what follows, link by link, if a candidate were true.

Two candidates are *weakly* linked if they cannot both be true (one digit in two cells of a
unit, two digits in one cell), *strongly* if one of them must be (the only two places of a
digit in a unit, the only two digits of a cell). A true candidate makes its weak neighbours
false; a false one makes its strong neighbours true. A candidate that so makes itself false is
false. Whatever order the links are followed in, the same candidates fall.
"""

from __future__ import annotations

from collections.abc import Iterator

from genoku.techniques.grid import Grid, bits
from genoku.techniques.step import Candidate, Finding


def x_chains(grid: Grid) -> Iterator[Finding]:
    """Chains of one digit, through its conjugate pairs."""
    return _Links(grid, through_cells=False, through_units=True).findings()


def xy_chains(grid: Grid) -> Iterator[Finding]:
    """Chains through cells of two candidates."""
    return _Links(grid, through_cells=True, through_units=False).findings()


def alternating_chains(grid: Grid) -> Iterator[Finding]:
    """Chains through conjugate pairs and cells of two candidates alike."""
    return _Links(grid, through_cells=True, through_units=True).findings()


class _Links:
    """The strongly linked candidates (*nodes*, numbered) and what each leads to, as masks."""

    def __init__(self, grid: Grid, *, through_cells: bool, through_units: bool) -> None:
        self.grid = grid
        self.within_cells = through_cells and through_units
        links = [*_cell_links(grid)] if through_cells else []
        links += _unit_links(grid) if through_units else []
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
        """One finding for every candidate that would make itself false."""
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
        """The nodes that a true candidate makes false."""
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
        """The nodes that one of these nodes, being false, makes true."""
        mask = 0
        for node in bits(false):
            mask |= self.strong[node]
        return mask

    def _reach(self) -> list[int]:
        """For every node, all that follow from its truth as true, itself included (Warshall)."""
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
            f"{self.grid.named(cell)} {'≠' if i % 2 else '='} {self.grid.written(digit)}"
            for i, (cell, digit) in enumerate([*chain, start])
        ]
        return Finding(
            reason=f"if {links[0]}, then {', so '.join(links[1:])}, which contradicts it",
            cells=tuple(dict.fromkeys(cell for cell, _ in chain[1:])),
            digits=tuple(sorted({digit for _, digit in chain})),
            eliminations=(start,),
        )

    def _shortest(self, weak: int) -> list[Candidate]:
        """The nodes of a shortest way back, false and true in turn."""
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
                            return self._traced(true, came_from)
                        onwards.append((true, self.weak[true]))
            front = onwards

    def _traced(self, node: int, came_from: dict[int, tuple[int, int | None]]) -> list[Candidate]:
        backwards: list[Candidate] = []
        true: int | None = node
        while true is not None:
            false, previous = came_from[true]
            backwards += [self.nodes[true], self.nodes[false]]
            true = previous
        return backwards[::-1]


def _cell_links(grid: Grid) -> Iterator[tuple[Candidate, Candidate]]:
    for cell in grid.bivalue_cells():
        one, two = bits(grid.options[cell])
        yield (cell, one), (cell, two)


def _unit_links(grid: Grid) -> Iterator[tuple[Candidate, Candidate]]:
    for digit in range(1, grid.geometry.side + 1):
        for pair in grid.pairs(digit):
            one, two = bits(pair)
            yield (one, digit), (two, digit)
