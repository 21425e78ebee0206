"""Where everything of a critical-difference diagram stands, for whoever draws it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from genoku.lab.charts import Numbers, Ranks, colour_of
from genoku.lab.labels import columns, shortened

LONGEST = 32  # letters of a name


@dataclass(frozen=True)
class Segment:
    """A straight line of a diagram."""

    x: Numbers
    y: Numbers
    width: float
    colour: str | None = None


@dataclass(frozen=True)
class Label:
    """A word of a diagram, on one side of a point."""

    x: float
    y: float
    text: str
    side: Literal["left", "right", "centre"]


@dataclass(frozen=True)
class RankDiagram:
    """The lines and words of a critical-difference diagram; y points upwards."""

    segments: tuple[Segment, ...]
    labels: tuple[Label, ...]
    x_limits: tuple[float, float]
    y_limits: tuple[float, float]


def _room(letters: int) -> float:
    """How wide the names on each side are, in lengths of the axis between them."""
    side = 6.8 * (letters + 8)  # of the 760 pixels that a page is wide
    return side / max(760 - 2 * side, 150)


def rank_diagram(chart: Ranks) -> RankDiagram:
    """Where everything of a critical-difference diagram stands, after Demšar (2006)."""
    order = sorted(
        (place for place, rank in enumerate(chart.ranks) if math.isfinite(rank)),
        key=lambda place: chart.ranks[place],
    )
    if not order:
        return RankDiagram((), (), (0.0, 1.0), (0.0, 1.0))
    last = max(len(chart.names), 2)
    names = [shortened(each, LONGEST) for each in chart.names]
    room = _room(max(map(columns, names))) * (last - 1)
    lines = [Segment((1.0, float(last)), (0.0, 0.0), 1.0)]
    words: list[Label] = []
    every = 1 if last <= 20 else 5 if last <= 60 else 10
    for tick in range(1, last + 1):
        if tick in (1, last) or tick % every == 0:
            lines.append(Segment((float(tick), float(tick)), (0.0, 0.25), 1.0))
            words.append(Label(float(tick), 0.65, str(tick), "centre"))
    gap = chart.critical_difference
    if math.isfinite(gap) and gap > 0:
        end = 1.0 + min(gap, last - 1.0)
        lines += [Segment((1.0, end), (1.6, 1.6), 1.6)]
        lines += [Segment((x, x), (1.4, 1.8), 1.2) for x in (1.0, end)]
        words.append(Label(end, 1.6, f"  critical difference {gap:.2f}", "right"))
    depth = 0.5
    for clique in chart.cliques:
        ranks = [chart.ranks[place] for place in clique if math.isfinite(chart.ranks[place])]
        if len(ranks) > 1:
            ends = (min(ranks) - 0.02 * (last - 1), max(ranks) + 0.02 * (last - 1))
            lines.append(Segment(ends, (-depth, -depth), 3.2))
            depth += 0.5
    half = (len(order) + 1) // 2
    for place, each in enumerate(order):
        left = place < half
        row = place if left else len(order) - 1 - place
        y = -depth - 0.35 - row
        rank = chart.ranks[each]
        edge = 1.0 - 0.025 * (last - 1) if left else last + 0.025 * (last - 1)
        own = chart.colours[each] if chart.colours is not None else None
        colour = colour_of(own, each)
        lines.append(Segment((rank, rank, edge), (0.0, y, y), 1.1, colour))
        text = f"{names[each]}  {rank:.2f} " if left else f" {rank:.2f}  {names[each]}"
        words.append(Label(edge, y, text, "left" if left else "right"))
    bottom = -depth - 0.35 - half
    return RankDiagram(tuple(lines), tuple(words), (1.0 - room, last + room), (bottom, 2.1))
