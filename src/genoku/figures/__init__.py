"""Pictures of runs: curves as SVG, PNG or PDF, a board as PNG, and evolving as a GIF.

They need matplotlib, and Pillow, which comes with it. Nothing here touches pyplot, so that a
server may draw in any thread, and the same run gives the same bytes.
"""

from genoku.figures.boards import Film, Frame, board_png, write_gif
from genoku.figures.curves import history_figure, picture_format, plot_history, require_lab

__all__ = [
    "Film",
    "Frame",
    "board_png",
    "history_figure",
    "picture_format",
    "plot_history",
    "require_lab",
    "write_gif",
]
