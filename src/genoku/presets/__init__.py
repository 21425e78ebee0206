"""Presets: the reports' systems as data, and recipes of one's own."""

from genoku.presets.named import Preset, Variants, family, preset, presets, variants
from genoku.presets.own import from_file, named_file, with_own_parts

__all__ = [
    "Preset",
    "Variants",
    "family",
    "from_file",
    "named_file",
    "preset",
    "presets",
    "variants",
    "with_own_parts",
]
