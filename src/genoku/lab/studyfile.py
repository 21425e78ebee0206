"""Studies as TOML files, checked completely before anything runs.

question = "Does rank selection need less work than tournaments?"
puzzles = ["charles-hard", "mine.txt", { generate = 5, level = "hard", seed = 7 }]
seeds = 20
until = "generations=100"

[[algorithms]]
preset = "charles"
grid.selection = ["rank", { use = "tournament", size = 20 }]
grid.population = [100, 500]
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any, TypeGuard

from genoku.engine.history import Record
from genoku.errors import AmbiguousPuzzleError, ImpossibleError, PuzzleError, StudyError
from genoku.evolve.presets import Preset, preset, preset_from_file
from genoku.evolve.recipe import Trust
from genoku.generator import PuzzleRequest, generate_many, random_puzzle
from genoku.lab.study import FIELDS, MOST_RUNS, Arm, Instance, Study, arm, at, settings_text
from genoku.puzzle import bundled_puzzles
from genoku.puzzle.formats import read_puzzles
from genoku.puzzle.geometry import SYMMETRIES, Geometry
from genoku.puzzle.resolve import resolve
from genoku.runtime.text import did_you_mean, format_study_size
from genoku.runtime.toml import read_toml

KEYS = (
    *("name", "question", "algorithms", "puzzles", "seeds"),
    *("until", "record", "allow_conflicts"),
)
ALGORITHM_KEYS = ("preset", "recipe", "name", "set", "grid", "until")
PUZZLE_KEYS = (
    *("name", "puzzle", "box", "file", "first"),
    *("generate", "size", "seed", "givens", "share", "level", "symmetry"),
)
RECORD_KEYS = ("fields", "every", "diversity_every")
MOST_ARMS = 2000  # of a study, including those of all grids


def read_study(path: str | Path, trust: Trust = False) -> Study:
    """Read a study from a TOML file.

    Parameters
    ----------
    path
        The file; names of other files in it are relative to its folder.
    trust
        Whether to import users' own parts that the file names as `module:name`, which runs code.

    Raises
    ------
    StudyError
        If something in the file is wrong, with its place.
    """
    path = Path(path)
    try:
        facts = read_toml(path)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"expected TOML: {error}", path=(str(path),)) from None
    with at(str(path)):
        return study_of(facts, path.parent, path.stem, trust)


def study_of(
    facts: Mapping[str, Any], folder: Path = Path(), name: str = "study", trust: Trust = False
) -> Study:
    """Make a study from a table as in a study file; file names are relative to `folder`."""
    refuse_unknown(facts, KEYS)
    for key in ("algorithms", "puzzles", "seeds"):
        if key not in facts:
            got = ", ".join(facts) or "an empty file"
            raise StudyError(f"expected {key}, got {got}", alternatives=(key,))
    budgets = _budgets(facts.get("until", ""))
    _up_to(sum(map(_count_arms, as_list(facts, "algorithms"))), "algorithms", MOST_ARMS)
    arms = [
        each
        for place, item in enumerate(as_list(facts, "algorithms"))
        for each in _arms(item, place, folder, budgets, trust)
    ]
    instances = [
        each
        for place, item in enumerate(as_list(facts, "puzzles"))
        for each in _instances(item, place, folder)
    ]
    seeds = _seeds(facts["seeds"])
    if len(arms) * len(instances) * len(seeds) > MOST_RUNS:
        got = format_study_size(len(arms), len(instances), len(seeds))
        raise StudyError(f"expected up to {MOST_RUNS:,} runs, got {got}")
    return Study(
        text(facts, "name", name),
        tuple(arms),
        tuple(
            Instance(name or f"puzzle {place}", puzzle)
            for place, (name, puzzle) in enumerate(instances, start=1)
        ),
        seeds,
        text(facts, "question", ""),
        _record(facts.get("record", {})),
        boolean(facts, "allow_conflicts"),
    )


def _arms(item: Any, place: int, folder: Path, budgets: list[str], trust: Trust) -> Iterator[Arm]:
    """Make the arms of an algorithm: every point of its grid with every budget."""
    facts = {"preset": item} if isinstance(item, str) else item
    with at(f"algorithms[{place}]"):
        if not isinstance(facts, Mapping):
            raise StudyError(f"expected the name of a preset or a table, got {item!r}")
        refuse_unknown(facts, ALGORITHM_KEYS)
        known = _preset(facts, folder)
        always = table(facts, "set")
        grid = table(facts, "grid")
        for path, values in grid.items():
            if not isinstance(values, list) or not values:
                reason = f"expected a list of values, got {values!r}"
                raise StudyError(reason, path=(f"grid.{path}",))
        untils = (_budgets(facts["until"]) if "until" in facts else budgets) or [known.until]
        name = text(facts, "name", known.name)
        if always and not grid and "name" not in facts:  # settings of a whole grid are not named
            name += settings_text(always)
        for values in product(*grid.values()):
            point = dict(zip(grid, values, strict=True))
            fixed = {key: value for key, value in always.items() if key not in point}
            for until in untils:
                with at(", ".join(f"{key}={value!r}" for key, value in point.items())):
                    made = arm(known, until=until, settings={**fixed, **point}, trust=trust)
                several = {"until": made.until} if len(untils) > 1 else {}
                full_name = f"{name}{settings_text(point)}{', '.join(('', *several.values()))}"
                yield replace(made, name=full_name, settings=point | several)


def _preset(facts: Mapping[str, Any], folder: Path) -> Preset:
    if ("preset" in facts) == ("recipe" in facts):
        raise StudyError("expected one of preset and recipe", alternatives=("preset", "recipe"))
    if "preset" in facts:
        return preset(text(facts, "preset", ""))
    recipe = facts["recipe"]
    if isinstance(recipe, str):
        try:
            return preset_from_file(str(folder / recipe))
        except OSError as error:
            reason = error.strerror or str(error)
            raise StudyError(reason, path=(str(folder / recipe),)) from error
    name = text(facts, "name", "recipe")
    return Preset(name, "", "", bundled_puzzles.DEFAULT, "generations=1000", (), (), recipe)


def _instances(item: Any, place: int, folder: Path) -> Iterator[Instance]:
    facts = {"puzzle": item} if isinstance(item, str) else item
    with at(f"puzzles[{place}]"):
        if not isinstance(facts, Mapping):
            raise StudyError(f"expected a puzzle, its name, a file or a table, got {item!r}")
        refuse_unknown(facts, PUZZLE_KEYS)
        kinds = [key for key in ("puzzle", "file", "generate") if key in facts]
        if len(kinds) != 1:
            reason = f"expected one of puzzle, file and generate, got {kinds or 'none'}"
            raise StudyError(reason, alternatives=("puzzle", "file", "generate"))
        if kinds == ["generate"]:
            yield from _generate_instances(facts)
        elif kinds == ["file"] or _is_file(folder, facts["puzzle"]):
            yield from _from_file(facts, folder / str(facts.get("file", facts.get("puzzle"))))
        else:
            yield _single_puzzle(facts)


def _single_puzzle(facts: Mapping[str, Any]) -> Instance:
    """Read the name of a puzzle, or a board as text; `random` requires a seed."""
    try:
        found = resolve(
            text(facts, "puzzle", ""),
            box=_box(facts),
            generate=random_puzzle,
            seed=number(facts, "seed", None),
            or_file=True,
        )
    except AmbiguousPuzzleError as error:
        raise StudyError(str(error), alternatives=error.alternatives) from None
    except (PuzzleError, ImpossibleError) as error:
        raise StudyError(str(error)) from None
    return Instance(text(facts, "name", found.name), found.puzzle)


def _box(facts: Mapping[str, Any]) -> str | None:
    """Read the shape of a box, or the side of a board."""
    box = facts.get("box")
    if not (box is None or isinstance(box, str) or is_whole(box)):
        raise StudyError(f"expected a shape such as 2x3, got {box!r}", path=("box",))
    return None if box is None else str(box)


def _from_file(facts: Mapping[str, Any], path: Path) -> Iterator[Instance]:
    first = number(facts, "first", None)
    _up_to(first or 0, "first")
    found = 0
    for entry in islice(read_puzzles(str(path), box=_box(facts)), first):
        found += 1
        yield Instance(entry.name or f"{path.stem} {found}", entry.puzzle)
    if not found:
        raise StudyError("expected puzzles, got none", path=(str(path),))


def _generate_instances(facts: Mapping[str, Any]) -> Iterator[Instance]:
    count = _up_to(number(facts, "generate", 1) or 0, "generate")
    geometry = Geometry.parse(str(facts.get("size", 9)))
    seed = number(facts, "seed", 0) or 0
    share, level, symmetry = (facts.get(key) for key in ("share", "level", "symmetry"))
    if share is not None and not isinstance(share, float):
        raise StudyError(f"expected a number from 0.0 to 1.0, got {share!r}", path=("share",))
    if symmetry not in (None, *SYMMETRIES):
        reason = f"expected one of {', '.join(SYMMETRIES)}, got {symmetry!r}"
        raise StudyError(reason, path=("symmetry",), alternatives=tuple(SYMMETRIES))
    givens = number(facts, "givens", None)
    wanted = PuzzleRequest(geometry, givens, symmetry or "none", level, share)
    shape = f"{geometry.side}×{geometry.side}"
    called = text(facts, "name", " ".join(filter(None, (level, shape))))
    for made in generate_many(wanted, count, seed):
        yield Instance(f"{called}, seed {seed}.{made.index}", made.puzzle)


def _seeds(value: Any) -> tuple[int, ...]:
    """Read a number of seeds, a list, or a first seed and a count."""
    if isinstance(value, Mapping):
        with at("seeds"):
            refuse_unknown(value, ("first", "count"))
            first, count = number(value, "first", 0) or 0, number(value, "count", None) or 0
            return tuple(range(first, first + _up_to(count, "count")))
    if is_whole(value) and value > 0:
        return tuple(range(_up_to(value, "seeds")))
    if isinstance(value, list) and all(is_whole(seed) for seed in value):
        return tuple(value)
    reason = f"expected a number, a list, or {{ first = 0, count = 20 }}, got {value!r}"
    raise StudyError(reason, path=("seeds",))


def _count_arms(item: Any) -> int:
    """Count the algorithms of a table, which need not be valid."""
    facts = item if isinstance(item, Mapping) else {}
    grid = facts.get("grid")
    lists = [*(grid.values() if isinstance(grid, Mapping) else ()), facts.get("until")]
    return math.prod(len(each) for each in lists if isinstance(each, list))


def _up_to(count: int, what: str, most: int = MOST_RUNS) -> int:
    """Raise StudyError if a count exceeds its limit."""
    if count > most:
        raise StudyError(f"expected up to {most:,}, got {count:,}", path=(what,))
    return count


def _record(facts: Any) -> Record:
    with at("record"):
        if not isinstance(facts, Mapping):
            raise StudyError(f"expected a table such as {{ every = 10 }}, got {facts!r}")
        refuse_unknown(facts, RECORD_KEYS)
        fields = facts.get("fields", list(FIELDS))
        if not (isinstance(fields, list) and fields and all(isinstance(f, str) for f in fields)):
            raise StudyError(f"expected a list of fields, got {fields!r}")
        return Record(
            tuple(fields), number(facts, "every", 1) or 0, number(facts, "diversity_every", 50) or 0
        )


def _budgets(value: Any) -> list[str]:
    """Read one budget, several, or none if every preset has its own."""
    budgets = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) for each in budgets):
        reason = f"expected limits such as generations=100, got {value!r}"
        raise StudyError(reason, path=("until",))
    return [each for each in budgets if each.strip()]


def _is_file(folder: Path, text: Any) -> bool:
    try:
        return isinstance(text, str) and bool(text) and (folder / text).is_file()
    except (OSError, ValueError):  # a pasted board may not be a legal file name
        return False


def refuse_unknown(facts: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in facts:
        if key not in known:
            hint = did_you_mean(key, known, 1)
            reason = f"expected keys among {', '.join(known)}, got {key!r}{hint}"
            raise StudyError(reason, alternatives=known)


def as_list(facts: Mapping[str, Any], key: str) -> list[Any]:
    value = facts[key]
    found = value if isinstance(value, list) else [value]
    if not found:
        raise StudyError("expected one or more, got none", path=(key,))
    return found


def table(facts: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Read a table with dotted keys such as `selection.size`; parts, with `use`, stay tables."""
    value = facts.get(key, {})
    if not isinstance(value, Mapping):
        reason = f"expected a table such as {{ population = 100 }}, got {value!r}"
        raise StudyError(reason, path=(key,))
    return dict(_flat(value))


def _flat(nested: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in nested.items():
        if isinstance(value, Mapping) and "use" not in value:
            yield from _flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def text(facts: Mapping[str, Any], key: str, default: str) -> str:
    value = facts.get(key, default)
    if not isinstance(value, str):
        raise StudyError(f"expected text, got {value!r}", path=(key,))
    return value


def boolean(facts: Mapping[str, Any], key: str) -> bool:
    value = facts.get(key, False)
    if not isinstance(value, bool):
        reason = f"expected true or false, got {value!r}"
        raise StudyError(reason, path=(key,), alternatives=("true", "false"))
    return value


def number(facts: Mapping[str, Any], key: str, default: int | None) -> int | None:
    value = facts.get(key, default)
    if value is not None and not (is_whole(value) and value >= 0):
        raise StudyError(f"expected a whole number of 0 or more, got {value!r}", path=(key,))
    return None if value is None else int(value)


def is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
