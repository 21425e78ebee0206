"""The pace at which a run is watched: slow enough at first to be followed, then ever faster."""

from __future__ import annotations

import math

FIRST_SPEED = 10.0  # steps per second at the start of a run
SPEEDUP = 0.2  # steps per second that every step adds


def seconds_until(step: int) -> float:
    """Return the seconds from the start of a run until a step is shown.

    The speed after a number of steps is 10 + steps/5 per second: 132 steps take 6.5 s, 2,000 take
    19 s and 600,000 take 47 s.
    """
    return math.log1p(SPEEDUP * step / FIRST_SPEED) / SPEEDUP
