"""Presets: recipes with a name, a source and a puzzle; built-in and from users' files.

A preset's file lists *variants* by axis. The name of a variant is that of the preset, followed by
a label for any of the axes, in their order: `poderosas-rank-row-swap-box-rate0.1`. A file may make
its first axis `required`: then every name has a label of that axis, and the file's own name is not
a preset.

Names that presets had in earlier versions are listed under `former`: what each `meant`, and which
names to `choose` from today. They are refused, since a choice has to be made.
"""

from __future__ import annotations

import copy
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import permutations, product
from pathlib import Path
from reprlib import repr as short
from typing import Any

from genoku.errors import RecipeError, locate_errors
from genoku.evolve.recipe import Recipe, Trust, as_toml, build, describe, with_settings, with_value
from genoku.evolve.state import Algorithm, as_search
from genoku.evolve.stopping import LARGEST_SEED, Until
from genoku.evolve.user.errors import user_modules
from genoku.puzzle import bundled_puzzles
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.resolve import resolve
from genoku.runtime import notebook
from genoku.runtime.text import did_you_mean, join_words
from genoku.runtime.toml import read_toml

Variants = dict[str, dict[str, dict[str, Any]]]
"""By axis and label, what a variant changes.

`set` sets values of the recipe, `adjust` only those of parameters that it has, `recipe` replaces
it; texts replace those of the preset; `with` lists further changes together with another label, and
`when` the labels that it requires.
"""

GROUPS = (*(f"Report 00{number}" for number in range(5)), "genoku", "controls")
"""The groups of presets, in the order in which they are listed; controls are for comparison."""

USER_GROUP = "your own"  # the group of presets from users' files that name none


@dataclass(frozen=True)
class Preset:
    """A recipe with a name, its source, and the decisions that the source leaves open."""

    name: str
    report: str
    about: str
    puzzle_name: str
    until: str
    left_open: tuple[str, ...]  #: What the report left open, and what we chose
    differs: tuple[str, ...]  #: Where genoku deliberately differs from the report
    recipe: Recipe
    box: str = ""  #: The box of a puzzle given as text, such as "2x3"
    seed: int | None = None  #: The random seed of the run that a user's file records
    title: str = ""  #: A line for lists and menus, such as "Memetic without crossover"
    character: str = ""  #: What to expect on its own puzzle within its own limits; empty if unknown
    group: str = USER_GROUP  #: One of `GROUPS`, or `USER_GROUP`

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle that the preset is run on by default."""
        return resolve(
            self.puzzle_name, box=self.box or None, generate=_random_puzzle, seed=self.seed
        ).puzzle

    @property
    def choices_heading(self) -> str:
        """The heading of `left_open`."""
        is_ours = self.report.startswith("genoku's own")
        return "What we chose" if is_ours else "What the report left open, and what we chose"

    def accepts(self, puzzle: Puzzle) -> bool:
        """Whether it may run on a puzzle without permission to run on conflicting givens.

        No board solves a puzzle whose givens conflict. A preset of a report runs on one that its
        report printed, as the report did; all others need the permission.
        """
        return not puzzle.conflicts() or bundled_puzzles.report_of(puzzle) == self.group

    def _repr_html_(self) -> str:
        return notebook.block(
            notebook.headline(f"{self.name}:", self.about),
            notebook.note(self.report),
            notebook.fact_table({"puzzle": self.puzzle_name, "until": self.until}),
            notebook.details(self.choices_heading, notebook.bullet_list(self.left_open)),
            notebook.details("Where we differ", notebook.bullet_list(self.differs)),
            notebook.details("Recipe", notebook.code(as_toml(self._whole_recipe()))),
        )

    def _whole_recipe(self) -> Recipe:
        """The recipe with all defaults, if it can be built; a user's may be wrong."""
        try:
            return describe(self.build())
        except RecipeError:
            return self.recipe

    def build(self, trust: Trust = False) -> Algorithm:
        """Build the algorithm; parts named `module:name` are imported only with `trust`."""
        return build(self.recipe, trust)


AlgorithmLike = Algorithm | Preset | Recipe  #: An algorithm, a preset, the name of one, or a recipe
DEFAULT_LIMITS = "generations=1000"  #: The limits of runs that specify none


@dataclass(frozen=True)
class Choice:
    """An algorithm that is ready to run, and its limits."""

    name: str  #: The preset's name; empty for other algorithms
    algorithm: Algorithm  #: Built once, with a deadline if a single step could exceed the limits
    until: Until
    is_changed: bool  #: Whether settings changed the algorithm

    @cached_property
    def recipe(self) -> dict[str, Any]:
        """The full recipe of the algorithm."""
        return describe(self.algorithm)


def choose(
    choice: AlgorithmLike,
    until: Until | str | None = None,
    *,
    settings: Iterable[str] | Mapping[str, Any] = (),
    trust: Trust = False,
) -> Choice:
    """Build an algorithm from any description of it, and choose its limits.

    Parameters
    ----------
    choice
        An algorithm, a preset, the name of one, or a recipe.
    until
        The limits; by default a preset's own, or `DEFAULT_LIMITS`.
    settings
        Changes of the recipe: texts such as `population=100`, or values by their paths.
    trust
        Whose code the recipe and the settings may name as `module:name`.

    Raises
    ------
    RecipeError
        If there is no such preset, or the recipe, the settings or the limits are wrong.
    """
    known = preset(choice) if isinstance(choice, str) else choice
    name, own = "", DEFAULT_LIMITS
    made: Any = dict(known) if isinstance(known, Mapping) else known
    if isinstance(known, Preset):
        name, own, made = known.name, known.until, known.recipe
    is_changed = bool(settings)
    if isinstance(made, str | dict):
        algorithm: Algorithm = build(with_settings(made, settings, trust), trust)
        if is_changed:
            with suppress(RecipeError):  # the settings corrected the recipe
                is_changed = algorithm != build(made, trust)
    elif isinstance(made, type) or not hasattr(made, "start"):
        raise RecipeError(
            f"expected an algorithm, a preset, the name of one, or a recipe, got {short(choice)}"
        )
    else:
        algorithm = made
        if is_changed:
            recipe = describe(made)
            may = True if trust is True else user_modules(recipe) | (trust or frozenset())
            algorithm = build(with_settings(recipe, settings, may), may)
            is_changed = algorithm != made
    limits = Until.parse(own if until is None else until)
    if limits.time_limit:
        algorithm = as_search(algorithm).with_deadline(limits.time_limit)
    return Choice(name, algorithm, limits, is_changed)


def preset(name: str) -> Preset:
    """Return the preset or variant of that name.

    Raises
    ------
    RecipeError
        If there is none; its alternatives are the presets, or, for a former name, those that may be
        meant.

    Examples
    --------
    >>> preset("simon-16").about
    "the report's 16×16 runs"
    """
    for base in sorted(_sources(), key=len, reverse=True):
        if name == base or name.startswith(f"{base}-"):
            source = _sources()[base]
            labels = _labels(
                name.removeprefix(base), source.get("variants", {}), source.get("required")
            )
            if labels is not None:
                return _preset(name, source, labels)
    raise _unknown_name(name)


def _unknown_name(name: str) -> RecipeError:
    """The error for a name that no preset has."""
    for source in _sources().values():
        if former := source.get("former", {}).get(name):
            return RecipeError(
                f"expected {join_words(former['choose'], 'or')}, got {name!r}, the former name of "
                f"{former['meant']}",
                alternatives=former["choose"],
            )
    known = [each for base in _sources() for each in _shortest_names(base)]
    right = _reorder_labels(name)
    hint = f" (labels have an order: {right})" if right else ""
    hint = hint or did_you_mean(name, [each.name for each in presets()])
    hint = hint or f": there are {', '.join(known)}"
    return RecipeError(f"expected the name of a preset, got {name!r}{hint}", alternatives=known)


def presets() -> list[Preset]:
    """Return the presets by group, with those variants that have a title."""
    names: list[str] = []
    for base, source in _sources().items():
        shortest = _shortest_names(base)
        names += shortest
        for axis, choices in source.get("variants", {}).items():
            if axis != source.get("required"):
                titled = [label for label in choices if "title" in choices[label]]
                names += [f"{start}-{label}" for start in shortest for label in titled]
    return sorted(map(preset, names), key=lambda each: GROUPS.index(each.group))


def variants(base: str) -> dict[str, list[str]]:
    """Return the axes of a preset's file and their labels, in the order of names."""
    if base not in _sources():
        raise RecipeError(f"expected one of {', '.join(_sources())}, got {base!r}")
    return {axis: list(labels) for axis, labels in _sources()[base].get("variants", {}).items()}


def all_variants(base: str) -> list[Preset]:
    """Return all different presets of a file, named after it: report 000's whole grid."""
    axes = variants(base)
    found: dict[str, Preset] = {}
    for labels in product(*([*labels, ""] for labels in axes.values())):
        name = "-".join((base, *filter(None, labels)))
        try:
            each = preset(name)
            found.setdefault(f"{describe(each.build())} {each.puzzle_name} {each.until}", each)
        except RecipeError:  # labels or parts that do not go together
            continue
    return list(found.values())


def own_versions(name: str, path: str, part: str) -> Iterator[Recipe]:
    """Yield the recipes of a part that variants of a preset set at a path: report 002's tournament.

    There are none for users' presets.
    """
    bases = [base for base in _sources() if name == base or name.startswith(f"{base}-")]
    for base in bases:
        for choices in _sources()[base].get("variants", {}).values():
            for change in choices.values():
                version = change.get("set", {}).get(path)
                if part == (version.get("use") if isinstance(version, dict) else version):
                    yield version


def _random_puzzle(geometry: Geometry, seed: int) -> Puzzle:
    """Generate a puzzle; few runs need one, and its oracle takes a while to load."""
    from genoku.generator import random_puzzle

    return random_puzzle(geometry, seed)


@cache
def _sources() -> dict[str, dict[str, Any]]:
    folder = files("genoku.evolve.presets")
    found = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=str)
    return {
        file.name.removesuffix(".toml"): tomllib.loads(file.read_text("utf-8")) for file in found
    }


def _shortest_names(base: str) -> list[str]:
    """The name of a preset's file, or where an axis is required, that name with each label."""
    source = _sources()[base]
    if "required" not in source:
        return [base]
    return [f"{base}-{label}" for label in source["variants"][source["required"]]]


def _labels(rest: str, axes: Variants, required: str | None = None) -> list[tuple[str, str]] | None:
    """The (axis, label) pairs in the rest of a name.

    None if it is not made of labels, or lacks one of the required axis.
    """
    if not rest:
        return None if required in axes else []
    for i, (axis, choices) in enumerate(axes.items()):
        remaining = dict(list(axes.items())[i + 1 :])
        for label in choices:
            if rest == f"-{label}" or rest.startswith(f"-{label}-"):
                others = _labels(rest.removeprefix(f"-{label}"), remaining, required)
                if others is not None:
                    return [(axis, label), *others]
        if axis == required:
            return None
    return None


def _preset(name: str, source: dict[str, Any], labels: list[tuple[str, str]]) -> Preset:
    facts: dict[str, Any] = {"about": "", **source}
    recipe = copy.deepcopy(facts["recipe"])
    for change in _changes(source, labels):
        recipe = copy.deepcopy(change.get("recipe", recipe))
        for path, value in change.get("set", {}).items():
            recipe = with_value(recipe, path, value)
        for path, value in change.get("adjust", {}).items():
            with suppress(RecipeError):  # where the recipe has no such parameter
                recipe = with_value(recipe, path, value)
        facts |= {key: change[key] for key in VARIANT_TEXTS if key in change}
        for key in ("left_open", "differs"):
            facts[key] = [*facts.get(key, ()), *change.get(key, ())]
    spelt = ", ".join(label for _, label in labels)
    if labels and facts["about"] == source["about"]:
        facts["about"] = f"with {spelt}"
    if len(labels) > 1 or (labels and facts["title"] == source["title"]):
        facts |= {"title": f"{source['title']} ({spelt})", "character": ""}
    return _from_table(name, {**facts, "recipe": recipe})


def _from_table(name: str, facts: Mapping[str, Any]) -> Preset:
    """The preset in a table, with defaults for what it leaves out."""
    texts = {key: facts.get(key, "") for key in ("report", "about", "box", "character")}
    notes: dict[str, Any] = {key: tuple(facts.get(key, ())) for key in ("left_open", "differs")}
    return Preset(
        name=name,
        puzzle_name=facts.get("puzzle", bundled_puzzles.DEFAULT),
        until=facts.get("until") or DEFAULT_LIMITS,
        recipe=facts["recipe"],
        seed=facts.get("seed"),
        title=facts.get("title") or name,
        group=facts.get("group") or USER_GROUP,
        **texts,
        **notes,
    )


def _changes(source: dict[str, Any], labels: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """The changes of all labels of a name, each followed by its changes `with` the others."""
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


def _reorder_labels(name: str) -> str | None:
    """The name with its labels in the right order, if that is a variant."""
    for base, source in _sources().items():
        axes = source.get("variants", {})
        for order in permutations(axes.items() if name.startswith(f"{base}-") else ()):
            rest = name.removeprefix(base)
            labels = dict(_labels(rest, dict(order), source.get("required")) or [])
            if labels:
                return "-".join((base, *(labels[axis] for axis in axes if axis in labels)))
    return None


VARIANT_TEXTS = ("title", "character", "group", "about", "puzzle", "until")
TEXTS = ("name", "report", *VARIANT_TEXTS, "box")
KEYS = (*TEXTS, "seed", "left_open", "differs", "recipe")


def allow_local_modules() -> None:
    """Let recipes name modules in the current folder."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, so that no file there hides an installed module


def preset_from_file(path: str) -> Preset:
    """Read a preset from a TOML file: a file like those of the presets, or a recipe alone.

    The file may also have the board (`puzzle` as text, `box`) and the random `seed` of a run.

    Raises
    ------
    RecipeError
        If the file is not TOML, or has wrong keys or values.
    """
    try:
        facts = read_toml(path)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: expected TOML: {error}") from None
    with locate_errors(source=path):
        return preset_from_table(facts, Path(path).stem)


def preset_from_table(facts: dict[str, Any], name: str) -> Preset:
    if "use" in facts:
        facts = {"recipe": facts}
    if "recipe" not in facts:
        raise RecipeError('expected a table [recipe], or use = "genetic" and its parts')
    for key, value in facts.items():
        if key not in KEYS:
            raise RecipeError(f"expected keys among {', '.join(KEYS)}, got {key!r}")
        if key in TEXTS and not isinstance(value, str):
            raise RecipeError(f"expected text as {key}, got {value!r}")
        if key in ("left_open", "differs") and not (
            isinstance(value, list) and all(isinstance(each, str) for each in value)
        ):
            raise RecipeError(f"expected a list of texts as {key}, got {value!r}")
    seed = facts.get("seed")
    if seed is not None and (type(seed) is not int or not 0 <= seed <= LARGEST_SEED):
        raise RecipeError(f"expected a seed from 0 to {LARGEST_SEED}, got {seed!r}")
    found = _from_table(name, facts)
    try:
        found.puzzle  # noqa: B018 (raises if there is no such puzzle)
    except ValueError as error:
        raise RecipeError(
            "expected the name of a puzzle, empty 9, random, or a board as puzzle, "
            f"got {found.puzzle_name[:60]!r}: {error}"
        ) from None
    Until.parse(found.until)
    with_settings(found.recipe, ())  # raises if it is not a table
    return found
