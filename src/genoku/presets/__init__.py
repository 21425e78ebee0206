"""Presets: the reports' systems as data, and recipes of one's own."""

import sys
from types import ModuleType

from genoku.presets.named import (
    Choice,
    Preset,
    Variants,
    choose,
    family,
    preset,
    presets,
    variants,
)
from genoku.presets.own import from_file, named_file, with_own_parts

__all__ = [
    "Choice",
    "Preset",
    "Variants",
    "choose",
    "family",
    "from_file",
    "named_file",
    "preset",
    "presets",
    "variants",
    "with_own_parts",
]


class _Presets(ModuleType):
    """Lets `genoku.presets()` list the presets, though `genoku.presets` is this module."""

    def __call__(self) -> list[Preset]:
        return presets()


sys.modules[__name__].__class__ = _Presets
