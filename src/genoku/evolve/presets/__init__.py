"""Presets: recipes with names, built-in and from users' files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.evolve.presets.library import (
        DEFAULT_LIMITS as DEFAULT_LIMITS,
        GROUPS as GROUPS,
        AlgorithmLike as AlgorithmLike,
        Choice as Choice,
        Preset as Preset,
        Variants as Variants,
        all_variants as all_variants,
        allow_local_modules as allow_local_modules,
        choose as choose,
        preset as preset,
        preset_from_file as preset_from_file,
        presets as presets,
        variants as variants,
    )

__getattr__ = lazy_exports(__name__)
