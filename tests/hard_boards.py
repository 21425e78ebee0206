"""Boards and the hardest technique that each needs."""

from __future__ import annotations

import tomllib
from pathlib import Path as File

from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry

NINE = Geometry(3, 3)
EMPTY = Puzzle(NINE, bytes(81))
INKALA_2012 = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."

# The hardest technique each of these needs, as the ladder first found it; all have one solution.
KNOWN = File(__file__).parent / "data" / "hardest_needed.toml"
HARDEST_NEEDED = {
    "530070000600195000098000060800060003400803001700020006060000280000419005000080079": (
        "hidden single in box"
    ),
    INKALA_2012: "guess",
    "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..": "guess",
} | {text: name for name, text in tomllib.loads(KNOWN.read_text()).items()}
