"""Pictures for people: curves and films of a run, and the scenes that teach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.present.figures import (
        Film as Film,
        board_png as board_png,
        history_figure as history_figure,
        plot_history as plot_history,
        write_gif as write_gif,
    )

__getattr__ = lazy_exports(__name__)
