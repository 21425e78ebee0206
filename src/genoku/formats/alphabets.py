"""One alphabet per file: what a file has shown decides its boards that could be in several."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from genoku.errors import FormatError
from genoku.geometry import Geometry
from genoku.notation import LETTERS, Alphabet, likeliest


@dataclass
class _Known:
    """What the boards of one side have shown so far.

    `shown` are the alphabets that some board can only be in; `doubtful` are those that a board
    could have been in that was read in another.
    """

    shown: set[Alphabet] = field(default_factory=set[Alphabet])
    doubtful: set[Alphabet] = field(default_factory=set[Alphabet])


class FileAlphabets:
    """Chooses the alphabet of each board of a file, so that none contradicts an earlier one."""

    def __init__(self) -> None:
        self._sides: defaultdict[int, _Known] = defaultdict(_Known)

    def settle(self, readings: tuple[Alphabet, ...], geometry: Geometry) -> Alphabet:
        known = self._sides[geometry.side]
        shown: list[Alphabet] = [alphabet for alphabet in readings if alphabet in known.shown]
        if len(shown) > 1:
            raise _asked(geometry, " or ".join(map(repr, shown)), "boards above in both")
        chosen: Alphabet = shown[0] if shown else likeliest(readings, geometry)
        if chosen in known.doubtful:
            raise _asked(geometry, repr(chosen), "boards above in another alphabet")
        if len(readings) == 1:
            known.shown.add(chosen)
        known.doubtful.update(set(readings) - {chosen, "auto"})
        if chosen != "letters":
            # `zero` shows by a 0 beside another blank mark, which `one` could mean too.
            known.doubtful.add("zero" if chosen == "one" else "one")
        return chosen

    def settle_as_one(self, side: int, boards: NDArray[np.uint8]) -> bool:
        """Take many boards without a `0`, read as `one`, at once; False where that is in doubt."""
        if not 10 <= side <= len(LETTERS):
            return True
        known = self._sides[side]
        if known.shown - {"one"} or "one" in known.doubtful:
            return False
        highest = boards.max(axis=1)
        lowest = np.where(boards == 0, 255, boards).min(axis=1)  # of an empty board: 255
        used = highest > 0
        as_zero, as_letters = used & (highest < side), used & (lowest >= 10)
        if (used & ~as_zero & ~as_letters).any():
            known.shown.add("one")
        if used.any():
            known.doubtful.add("zero")
        if as_letters.any():
            known.doubtful.add("letters")
        return True


def _asked(geometry: Geometry, alphabet: str, others: str) -> FormatError:
    return FormatError(
        f"this {geometry} board reads in the alphabet {alphabet}, but {others}: "
        "say which one the file is in (--alphabet one, zero or letters)"
    )
