"""How a race stands, in one sentence: while it goes on, and when it is over."""

from __future__ import annotations

from collections.abc import Sequence

from genoku.lab.turns import Contender, Finish, finish
from genoku.words import duration, listed


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
    ended = finish(contenders)
    idle = [each.name for each in contenders if each.solved and not each.searched]
    return f"{verdict(ended)} {unsearched(idle)}" if idle else verdict(ended)


def unsearched(names: Sequence[str]) -> str:
    """Who solved a puzzle without a search."""
    its = "its search" if len(names) == 1 else "their searches"
    return (
        f"{listed(names)} made no step: rules such as singles filled the board beforehand, so this "
        f"says nothing of {its}."
    )


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
