"""How a race stands, in one sentence: while it goes on, and when it is over."""

from __future__ import annotations

from collections.abc import Sequence

from genoku.lab.turns import Contender, Finish, finish
from genoku.words import duration


def clock(seconds: float) -> str:
    """A time that does not jump in width from one picture to the next."""
    return duration(seconds) if seconds < 0.1 else f"{seconds:.2f} s"


def leading(contenders: Sequence[Contender]) -> str:
    """Who is ahead, in a few words."""
    first = finish(contenders).winner
    if first is None:
        return "neck and neck"
    return f"{first.name} is first" if first.is_through else f"{first.name} leads by loss"


def standing(contenders: Sequence[Contender]) -> str:
    """Who won, and by what rule, in one sentence."""
    return verdict(finish(contenders))


def verdict(ended: Finish) -> str:
    """The same of a race that is over."""
    winner, by, comparable = ended
    if winner is None:
        return "Nobody solved it, and the lowest losses are equal: a tie."
    if by == "solution":
        return f"{winner.name} wins: it solved the puzzle in {clock(winner.seconds)} of CPU time."
    if by == "proof":
        return f"{winner.name} wins: it proved in {clock(winner.seconds)} that nothing solves it."
    scales = "" if comparable else ", though by another fitness function than others"
    return f"Nobody solved it: {winner.name} has the lowest loss, {winner.loss:.4g}{scales}."
