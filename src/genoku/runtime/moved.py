"""Hints for code written for version 0.1.0: imports of old names fail with the new name."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec

ROOMS = {  # the modules of version 0.1.0, by the package that exports their names now
    "genoku.engine": "checkpoint history journey loop portfolio result telling warming",
    "genoku.evolve": (
        "adaptation algorithms crossover custom diversity encoding failures fitness fitting "
        "mutation partial presets problem recipe repeats replacement selection state stopping "
        "stream"
    ),
    "genoku.exact": "desk propagation sat tree",
    "genoku.generator": "symmetry thinning",
    "genoku.present": "figures looks",
    "genoku.puzzle": "board collection formats geometry isomorph notation picture sheet",
    "genoku.runtime": "display extras interrupts jit parallel words",
    "genoku.techniques": "rating",
}
RENAMED = {  # exported names of version 0.1.0, and what they are called now
    "genoku.Made": "genoku.GeneratedPuzzle",
    "genoku.Wanted": "genoku.PuzzleRequest",
    "genoku.lab.Planned": "genoku.lab.PlannedRun",
    "genoku.puzzle.format_named": "genoku.puzzle.format_by_name",
    "genoku.techniques.Path": "genoku.techniques.SolvePath",
    "genoku.techniques.walk": "genoku.techniques.solve_steps",
}


class MovedModules:
    """A module finder that knows where the modules of version 0.1.0 went."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Raise ModuleNotFoundError with the new package; called after all other finders."""
        package, _, old = name.partition(".")
        if package == "genoku":
            for room, modules in ROOMS.items():
                if old.partition(".")[0] in modules.split():
                    raise ModuleNotFoundError(f"{name} is now part of {room}", name=name)
        return None


def explain_old_imports() -> None:
    """Make imports of old modules fail with the name of the new package."""
    sys.meta_path.append(MovedModules)
