"""Chapters of the tour, made by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.web.lessons.contents import CHAPTERS
from genoku.web.lessons.parts import Lesson

if TYPE_CHECKING:
    from genoku.web.lessons.scenery import Maker


def lesson(name: str, seed: int) -> Lesson:
    """A chapter with its scenes."""
    from genoku.collection import bundled

    (chapter,) = (each for each in CHAPTERS if each.name == name)
    puzzle = bundled()[chapter.trial.puzzle].puzzle
    scenes = makers()[name](seed)
    return Lesson(chapter, seed, scenes, puzzle.line, puzzle.geometry.box)


def makers() -> dict[str, Maker]:
    """What makes the scenes of every chapter. It needs kernels, which a server does without."""
    from genoku.web.lessons import boards, choosing, making, running, searching

    return {
        "board": boards.board,
        "encoding": boards.encoding,
        "cost": boards.cost,
        "population": boards.population,
        "selection": choosing.selection,
        "crossover": making.crossover,
        "mutation": making.mutation,
        "replacement": choosing.replacement,
        "generation": running.generation,
        "adaptation": running.adaptation,
        "annealing": searching.annealing,
        "stuck": searching.stuck,
    }
