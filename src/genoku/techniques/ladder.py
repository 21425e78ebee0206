"""The ladder: every technique, easiest first, listed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Literal, get_args

from genoku.board import Board
from genoku.errors import ImpossibleError
from genoku.techniques import chains, singles, subsets, wings
from genoku.techniques.grid import Grid, bits
from genoku.techniques.step import Finding, Step

Level = Literal["easy", "medium", "hard", "expert", "extreme"]
LEVELS: tuple[Level, ...] = get_args(Level)

ORACLE_SECONDS = 60
"""How long the exact oracle may think about a board on which the ladder is stuck."""


@dataclass(frozen=True)
class Technique:
    """A way to get on: how it is called, how hard it counts, and how it is found."""

    name: str
    level: Level
    summary: str
    find: Callable[[Grid], Iterable[Finding]]
    """All instances on a grid; where an easier technique applies, not all need be found."""

    @property
    def rank(self) -> int:
        """The place on the ladder; 0 is the easiest."""
        return LADDER.index(self)

    def steps(self, grid: Grid) -> list[Step]:
        """All instances with effects of their own, small patterns first, in reading order."""
        findings = sorted(
            self.find(grid), key=lambda found: (len(found.cells), found.cells, found.digits)
        )
        distinct: dict[tuple[object, ...], Finding] = {}
        for found in findings:
            effect = (found.placements, *sorted(found.eliminations))
            distinct.setdefault(effect, found)
        return [
            Step(technique=self.name, geometry=grid.geometry, **vars(found))
            for found in distinct.values()
        ]


def guess(grid: Grid) -> Iterator[Finding]:
    """A blank with the fewest candidates, and what the exact oracle finds there."""
    if grid.is_full:
        return
    board, how = _oracle(grid)
    blanks = [cell for cell, digit in enumerate(grid.digits) if not digit]
    cell = min(blanks, key=lambda blank: grid.options[blank].bit_count())
    digit = int(board[cell])
    place, written = grid.named(cell), grid.written(digit)
    if not grid.options[cell] >> digit & 1:
        raise ImpossibleError(f"the candidates rule out {written} in {place}, its solution")
    yield Finding(
        reason=f"no pattern of the ladder applies; {place} has the fewest candidates "
        f"({grid.either(*bits(grid.options[cell]))}), and {how} has {written} there",
        cells=(cell,),
        digits=(digit,),
        placements=((cell, digit),),
    )


def _oracle(grid: Grid) -> tuple[Board, str]:
    """A solution, and whether it is the only one, in words."""
    from genoku.exact import Search

    search = Search(grid.puzzle, ORACLE_SECONDS)
    boards = list(islice(search, 2))
    if len(boards) == 2:
        return boards[0], "the first of several solutions"
    if boards:
        return boards[0], "the solution found" if search.out_of_time else "the only solution"
    if search.out_of_time:
        raise ImpossibleError(
            "no pattern of the ladder applies, and the exact search found no solution "
            f"within {ORACLE_SECONDS} seconds"
        )
    raise ImpossibleError("no solution: every way to fill the blanks ends in a clash")


LADDER: tuple[Technique, ...] = (
    Technique(
        "full house",
        "easy",
        "A unit has one blank left: it takes the missing digit.",
        singles.full_houses,
    ),
    Technique(
        "hidden single in box",
        "easy",
        "A digit has one place left in a box.",
        singles.hidden_singles_in_box,
    ),
    Technique(
        "hidden single in line",
        "easy",
        "A digit has one place left in a row or column.",
        singles.hidden_singles_in_line,
    ),
    Technique(
        "naked single",
        "easy",
        "A cell has one candidate left.",
        singles.naked_singles,
    ),
    Technique(
        "pointing",
        "medium",
        "A digit's places in a box lie on one line, so it leaves the rest of the line.",
        subsets.pointing,
    ),
    Technique(
        "claiming",
        "medium",
        "A digit's places on a line lie in one box, so it leaves the rest of the box.",
        subsets.claiming,
    ),
    Technique(
        "naked pair",
        "medium",
        "Two cells of a unit hold the same two digits, which leave its other cells.",
        partial(subsets.naked_subsets, size=2),
    ),
    Technique(
        "hidden pair",
        "medium",
        "Two digits of a unit fit only in two cells, which lose their other candidates.",
        partial(subsets.hidden_subsets, size=2),
    ),
    Technique(
        "naked triple",
        "medium",
        "Three cells of a unit hold three digits between them, which leave its other cells.",
        partial(subsets.naked_subsets, size=3),
    ),
    Technique(
        "hidden triple",
        "medium",
        "Three digits of a unit fit only in three cells, which lose their other candidates.",
        partial(subsets.hidden_subsets, size=3),
    ),
    Technique(
        "naked quad",
        "hard",
        "Four cells of a unit hold four digits between them, which leave its other cells.",
        partial(subsets.naked_subsets, size=4),
    ),
    Technique(
        "hidden quad",
        "hard",
        "Four digits of a unit fit only in four cells, which lose their other candidates.",
        partial(subsets.hidden_subsets, size=4),
    ),
    Technique(
        "X-wing",
        "hard",
        "A digit's places on two parallel lines lie on two crossing lines, and leave the rest "
        "of those.",
        partial(subsets.fish, size=2),
    ),
    Technique(
        "swordfish",
        "hard",
        "The same with three lines and three crossing lines.",
        partial(subsets.fish, size=3),
    ),
    Technique(
        "jellyfish",
        "hard",
        "The same with four lines and four crossing lines.",
        partial(subsets.fish, size=4),
    ),
    Technique(
        "turbot fish",
        "hard",
        "Two conjugate pairs of a digit (the only two places in a unit) with ends that see each "
        "other: one of the outer ends is true. Skyscraper and two-string kite are cases of it.",
        wings.turbot_fish,
    ),
    Technique(
        "simple colouring",
        "hard",
        "Conjugate pairs of a digit joined end to end, coloured in turn: one colour is all true, "
        "the other all false.",
        wings.simple_colouring,
    ),
    Technique(
        "XY-wing",
        "hard",
        "A cell xy sees a cell xz and a cell yz: one of those two is z.",
        wings.xy_wings,
    ),
    Technique(
        "XYZ-wing",
        "hard",
        "A cell xyz sees a cell xz and a cell yz: one of the three is z.",
        wings.xyz_wings,
    ),
    Technique(
        "W-wing",
        "hard",
        "Two cells xy, joined by a conjugate pair of x: one of the two is y.",
        wings.w_wings,
    ),
    Technique(
        "X-chain",
        "expert",
        "Were a candidate true, conjugate pairs of its digit would in turn make it false.",
        chains.x_chains,
    ),
    Technique(
        "XY-chain",
        "expert",
        "Were a candidate true, cells of two candidates would in turn make it false.",
        chains.xy_chains,
    ),
    Technique(
        "alternating chain",
        "expert",
        "Were a candidate true, conjugate pairs and cells of two candidates would in turn make "
        "it false.",
        chains.alternating_chains,
    ),
    Technique(
        "guess",
        "extreme",
        "No pattern of the ladder applies: try a candidate and see.",
        guess,
    ),
)

GUESS = LADDER[-1]
_BY_NAME = {technique.name: technique for technique in LADDER}


def technique(name: str) -> Technique:
    """The technique of this name."""
    return _BY_NAME[name]
