"""Pictures of runs: curves as SVG, PNG or PDF, a board as PNG, and evolving as a GIF.

They need matplotlib, and Pillow, which comes with it. Nothing here touches pyplot, so that a
server may draw in any thread, and the same run gives the same bytes.
"""

from genoku.figures.boards import Film, Frame, board_png, write_gif
from genoku.figures.curves import history_figure, picture_format, plot_history, require_lab
from genoku.looks import (
    CURVES,
    MAP_COLOURS,
    counts_open_cells,
    map_colours,
    rate_word,
    score_text,
    step_word,
)

__all__ = [
    "CURVES",
    "MAP_COLOURS",
    "Film",
    "Frame",
    "board_png",
    "counts_open_cells",
    "history_figure",
    "map_colours",
    "picture_format",
    "plot_history",
    "rate_word",
    "require_lab",
    "score_text",
    "step_word",
    "write_gif",
]
