"""Presets by name. A recipe with a name, a citation and a puzzle of its own.

A preset file lists *variants* by axis; a name is the preset's own, followed by one label for any
of the axes in their order: `poderosas-rank-row-swap-box-rate0.1`.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import permutations, product
from reprlib import repr as short
from typing import Any

from genoku import display
from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.errors import RecipeError
from genoku.failures import modules_of
from genoku.geometry import Geometry
from genoku.recipe import Recipe, Trust, as_toml, build, changed, describe, with_value
from genoku.state import Algorithm, declared
from genoku.stopping import Until
from genoku.words import did_you_mean

Variants = dict[str, dict[str, dict[str, Any]]]
"""Axis, label, and what it changes.

`set` values of the recipe; `adjust` those that are there; another `recipe`; texts; what else it
changes `with` another label; and `when` it makes sense.
"""


@dataclass(frozen=True)
class Preset:
    """An algorithm with a name, where it comes from, and what we had to decide."""

    name: str
    report: str
    about: str
    puzzle_name: str
    until: str
    left_open: tuple[str, ...]
    """What the report left open, and what we chose."""
    differs: tuple[str, ...]
    """Where we knowingly differ."""
    recipe: Recipe
    box: str = ""
    """Of a puzzle that is written out in place of its name."""
    seed: int | None = None
    """Of the run that a file tells of."""

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle it is shown on."""
        word, _, side = self.puzzle_name.partition(" ")
        if word == "empty":
            geometry = Geometry.of_side(int(side))
            return Puzzle(geometry, bytes(geometry.cells))
        known = bundled().get(self.puzzle_name)
        return known.puzzle if known else Puzzle.parse(self.puzzle_name, box=self.box or None)

    @property
    def chosen_title(self) -> str:
        """What stands above `left_open`: our own algorithms leave nothing open."""
        ours = self.report.startswith("genoku's own")
        return "What we chose" if ours else "What the report left open, and what we chose"

    def _repr_html_(self) -> str:
        return display.shown(
            display.headline(f"{self.name}:", self.about),
            display.note(self.report),
            display.facts({"puzzle": self.puzzle_name, "until": self.until}),
            display.folded(self.chosen_title, display.points(self.left_open)),
            display.folded("Where we differ", display.points(self.differs)),
            display.folded("Recipe", display.code(as_toml(self._whole_recipe()))),
        )

    def _whole_recipe(self) -> Recipe:
        """With all defaults, if it can be built: one of the user's own may be wrong."""
        try:
            return describe(self.build())
        except RecipeError:
            return self.recipe

    def build(self, trust: Trust = False) -> Algorithm:
        """The algorithm; parts that a file names as `module:name` are imported with `trust`."""
        algorithm: Algorithm = build(self.recipe, trust)
        return algorithm


Choice = Algorithm | Preset | Recipe
"""An algorithm, or what one is made from: a preset, the name of one, or a recipe."""

USUAL_LIMITS = "generations=1000"
"""When a run ends of what does not say so."""


@dataclass(frozen=True)
class Chosen:
    """An algorithm that is ready to run, and its limits."""

    name: str
    """The preset's; empty where it is none."""
    algorithm: Algorithm
    """It gives up in time where a single step could outlast the limits."""
    until: Until
    is_changed: bool
    """Whether settings made another algorithm of it."""

    @cached_property
    def recipe(self) -> dict[str, Any]:
        """The algorithm as data, in full."""
        return describe(self.algorithm)


def choose(
    choice: Choice,
    until: Until | str | None = None,
    *,
    settings: Iterable[str] | Mapping[str, Any] = (),
    trust: Trust = False,
) -> Chosen:
    """The algorithm that is meant, built once, and its limits.

    Parameters
    ----------
    choice
        An algorithm, a preset, the name of one, or a recipe.
    until
        The limits; without any, a preset's own, or the usual ones.
    settings
        Changes of the recipe: lines such as `population=100`, or values by their paths.
    trust
        Whose code a recipe and settings may name as `module:name`.
    """
    known = preset(choice) if isinstance(choice, str) else choice
    name, own = "", USUAL_LIMITS
    made: Any = dict(known) if isinstance(known, Mapping) else known
    if isinstance(known, Preset):
        name, own, made = known.name, known.until, known.recipe
    is_changed = bool(settings)
    if isinstance(made, str | dict):
        algorithm: Algorithm = build(with_settings(made, settings, trust), trust)
        if is_changed:
            with suppress(RecipeError):  # of a preset that the settings have mended
                is_changed = algorithm != build(made, trust)
    elif isinstance(made, type) or not hasattr(made, "start"):
        raise RecipeError(
            f"expected an algorithm, a preset, the name of one, or a recipe, got {short(choice)}"
        )
    else:
        algorithm = made
        if is_changed:
            recipe = describe(made)
            may = True if trust is True else modules_of(recipe) | (trust or frozenset())
            algorithm = build(with_settings(recipe, settings, may), may)
            is_changed = algorithm != made
    limits = Until.parse(own if until is None else until)
    if limits.time_limit:
        algorithm = declared(algorithm).with_deadline(limits.time_limit)
    return Chosen(name, algorithm, limits, is_changed)


def with_settings(
    recipe: Recipe, settings: Iterable[str] | Mapping[str, Any], trust: Trust = False
) -> Recipe:
    """A recipe with settings applied in turn; an error names the one that cannot be."""
    if not isinstance(settings, Mapping):
        return changed(recipe, settings, trust)
    for path, value in settings.items():
        recipe = with_value(recipe, path, value, trust)
    return recipe


def preset(name: str) -> Preset:
    """The preset of that name, variants included.

    >>> preset("simon-16").about
    'its 16×16 runs'
    """
    for base in sorted(_sources(), key=len, reverse=True):
        if name == base or name.startswith(f"{base}-"):
            labels = _labels(name.removeprefix(base), _sources()[base].get("variants", {}))
            if labels is not None:
                return _preset(name, _sources()[base], labels)
    raise RecipeError(
        f"expected the name of a preset, got {name!r}{_hint(name)}", alternatives=_sources()
    )


def presets() -> list[Preset]:
    """The presets, and the variants that have a line of their own."""
    named = []
    for base, source in _sources().items():
        named.append(preset(base))
        for choices in source.get("variants", {}).values():
            named += [preset(f"{base}-{label}") for label in choices if "about" in choices[label]]
    return named


def variants(base: str) -> dict[str, list[str]]:
    """The axes of a preset and their labels, in the order in which a name takes them."""
    if base not in _sources():
        raise RecipeError(f"expected one of {', '.join(_sources())}, got {base!r}")
    return {axis: list(labels) for axis, labels in _sources()[base].get("variants", {}).items()}


def family(base: str) -> list[Preset]:
    """Every algorithm that a preset's variants make: report 000's whole grid, for one."""
    axes = variants(base)
    found: dict[str, Preset] = {}
    for labels in product(*([*labels, ""] for labels in axes.values())):
        name = "-".join((base, *filter(None, labels)))
        try:
            each = preset(name)
            found.setdefault(f"{describe(each.build())} {each.puzzle_name} {each.until}", each)
        except RecipeError:  # labels that do not go together, or parts that do not fit
            continue
    return list(found.values())


@cache
def _sources() -> dict[str, dict[str, Any]]:
    folder = files("genoku.preset_library")
    found = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=str)
    return {
        file.name.removesuffix(".toml"): tomllib.loads(file.read_text("utf-8")) for file in found
    }


def _labels(rest: str, axes: Variants) -> list[tuple[str, str]] | None:
    """The (axis, label) pairs that a name spells after its base, if it spells any."""
    if not rest:
        return []
    for i, (axis, choices) in enumerate(axes.items()):
        remaining = dict(list(axes.items())[i + 1 :])
        for label in choices:
            if rest == f"-{label}" or rest.startswith(f"-{label}-"):
                others = _labels(rest.removeprefix(f"-{label}"), remaining)
                if others is not None:
                    return [(axis, label), *others]
    return None


def _preset(name: str, source: dict[str, Any], labels: list[tuple[str, str]]) -> Preset:
    facts: dict[str, Any] = {"about": "", "left_open": [], "differs": [], **source}
    recipe = copy.deepcopy(facts["recipe"])
    left_open, differs = list(facts["left_open"]), list(facts["differs"])
    for change in _changes(source, labels):
        recipe = copy.deepcopy(change.get("recipe", recipe))
        for path, value in change.get("set", {}).items():
            recipe = with_value(recipe, path, value)
        for path, value in change.get("adjust", {}).items():
            with suppress(RecipeError):  # where the recipe has no such parameter
                recipe = with_value(recipe, path, value)
        facts |= {key: change[key] for key in ("about", "puzzle", "until") if key in change}
        left_open += change.get("left_open", [])
        differs += change.get("differs", [])
    if labels and facts["about"] == source["about"]:
        facts["about"] = f"with {', '.join(label for _, label in labels)}"
    return Preset(
        name,
        facts["report"],
        facts["about"],
        facts["puzzle"],
        facts["until"],
        tuple(left_open),
        tuple(differs),
        recipe,
    )


def _changes(source: dict[str, Any], labels: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """What the labels of a name change, each followed by what it changes `with` the others."""
    chosen = {label for _, label in labels}
    changes = []
    for axis, label in labels:
        change = source["variants"][axis][label]
        for other, wanted in change.get("when", {}).items():
            if dict(labels).get(other, wanted) != wanted:
                raise RecipeError(f"the variant {label} goes with {other} {wanted} only")
        changes.append(change)
        changes += [extra for other, extra in change.get("with", {}).items() if other in chosen]
    return changes


def _hint(name: str) -> str:
    right = _reordered(name)
    if right:
        return f" (labels have an order: {right})"
    near = did_you_mean(name, [each.name for each in presets()])
    return near or f": there are {', '.join(_sources())}"


def _reordered(name: str) -> str | None:
    """The name with its labels in their order, if that makes it one."""
    for base, source in _sources().items():
        axes = source.get("variants", {})
        for order in permutations(axes.items() if name.startswith(f"{base}-") else ()):
            labels = dict(_labels(name.removeprefix(base), dict(order)) or [])
            if labels:
                return "-".join((base, *(labels[axis] for axis in axes if axis in labels)))
    return None
