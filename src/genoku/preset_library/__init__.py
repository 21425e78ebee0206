"""Presets: the reports' systems as data, and recipes of one's own."""

from genoku.preset_library.named import (
    USUAL_LIMITS,
    Choice,
    Chosen,
    Preset,
    Variants,
    choose,
    family,
    preset,
    presets,
    variants,
)
from genoku.preset_library.own import from_file, with_own_parts

__all__ = [
    "USUAL_LIMITS",
    "Choice",
    "Chosen",
    "Preset",
    "Variants",
    "choose",
    "family",
    "from_file",
    "preset",
    "presets",
    "variants",
    "with_own_parts",
]
