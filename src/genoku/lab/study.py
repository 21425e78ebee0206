"""A study: algorithms × puzzles × seeds, as frozen data. Every run is named by what it is made of.

>>> from genoku import bundled
>>> study = Study("two", (arm("sundy"), arm("charles", until="generations=9")),
...               (Instance("basic", bundled()["charles-basic"].puzzle),), (1, 2))
>>> len(study), next(study.runs())
(4, Planned(arm=0, instance=0, seed=1))
>>> Study.of_text(study.text()) == study
True
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from genoku import __version__, display
from genoku.board import Puzzle
from genoku.engine.history import Record
from genoku.errors import GenokuError, InputError, RecipeError, StudyError
from genoku.failures import modules_of
from genoku.fitness import Fitness
from genoku.preset_library import Preset, choose
from genoku.recipe import (
    Recipe,
    Trust,
    build,
    build_part,
)
from genoku.recipe.building import is_trusted, refuse_untrusted
from genoku.state import Algorithm
from genoku.stopping import LARGEST_SEED
from genoku.words import plural, runs_of

FIELDS = ("gen", "evals", "moves", "best", "mean", "best_ever", "rate")
"""What a study records of a run where nothing is said."""

OF_ARM = ("name", "recipe", "until", "settings")
"""What is written of an arm."""

SEEDS_SHOWN = 5
SHOWN = 40  # algorithms, and puzzles, in a notebook
MOST_RUNS = 1_000_000
"""Of a study that a file describes."""


@dataclass(frozen=True)
class Arm:
    """An algorithm of a study with its budget; `settings` is where it stands in a grid."""

    name: str
    recipe: Mapping[str, Any] = field(hash=False)
    until: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    trust: Trust = field(default=False, compare=False, repr=False)
    """Whose code its recipe may name; no file ever says so itself."""

    def algorithm(self) -> Algorithm:
        """Built once; anew for every call where parts of the user's own may keep something."""
        return self._built if not modules_of(self.recipe) else self._build()

    def _build(self) -> Algorithm:
        return build(dict(self.recipe), self.trust)

    @cached_property
    def _built(self) -> Algorithm:
        return self._build()

    def fitness(self) -> Fitness:
        """Its fitness function; other parts need neither be trusted nor be there."""
        try:
            return self.algorithm().fitness
        except RecipeError:
            fitness: Fitness = build_part("fitness", self.named_fitness, self.trust)
            return fitness

    @property
    def named_fitness(self) -> Any:
        """The fitness function that its recipe names, however deep; or the algorithm with it."""
        inner = self.recipe
        while "fitness" not in inner:
            if not isinstance(inner.get("algorithm"), Mapping):
                return str(inner.get("use"))
            inner = inner["algorithm"]
        return inner["fitness"]

    @property
    def digest(self) -> str:
        """The same for two arms that do the same, whatever they are called."""
        return _digest([self.recipe, self.until])


class Instance(NamedTuple):
    """A puzzle of a study, with a name."""

    name: str
    puzzle: Puzzle

    @property
    def digest(self) -> str:
        return _digest([str(self.puzzle), self.puzzle.geometry.box])


class Planned(NamedTuple):
    """A run of a study: places of its arm and its instance, and the seed."""

    arm: int
    instance: int
    seed: int


@dataclass(frozen=True)
class Study:
    """Every arm on every instance with every seed, and what to keep of each run."""

    name: str
    arms: tuple[Arm, ...]
    instances: tuple[Instance, ...]
    seeds: tuple[int, ...]
    question: str = ""
    record: Record = Record(fields=FIELDS)
    allow_conflicts: bool = False
    genoku: str = __version__
    """The version that planned it: runs of another one may differ."""

    def __post_init__(self) -> None:
        _refuse_twins("algorithms", [(arm.name, arm.digest) for arm in self.arms])
        _refuse_twins("puzzles", [(each.name, each.digest) for each in self.instances])
        for what, values in (
            ("algorithms", self.arms),
            ("puzzles", self.instances),
            ("seeds", self.seeds),
        ):
            if not values:
                raise StudyError("expected one or more, got none", path=(what,))
        if len(set(self.seeds)) < len(self.seeds):
            ((twice, _),) = Counter(self.seeds).most_common(1)
            raise StudyError(f"expected different seeds, got {twice} twice", path=("seeds",))
        for seed in self.seeds:
            if not 0 <= seed <= LARGEST_SEED:
                reason = f"expected seeds from 0 to {LARGEST_SEED}, got {seed}"
                raise StudyError(reason, path=("seeds",))
        if not self.allow_conflicts:
            _refuse_clashes(self.instances)

    def __len__(self) -> int:
        return len(self.arms) * len(self.instances) * len(self.seeds)

    @property
    def seeds_text(self) -> str:
        """Which seeds, to read: `0 to 19`, or the first few."""
        first, last = self.seeds[0], self.seeds[-1]
        if len(self.seeds) > 2 and self.seeds == tuple(range(first, first + len(self.seeds))):
            return f"{first} to {last}"
        shown = ", ".join(map(str, self.seeds[:SEEDS_SHOWN]))
        return f"{shown}, …" if len(self.seeds) > SEEDS_SHOWN else shown

    def runs(self) -> Iterator[Planned]:
        """All runs in their order: what is interrupted has gone equally far everywhere."""
        for seed in self.seeds:
            for instance in range(len(self.instances)):
                for arm in range(len(self.arms)):
                    yield Planned(arm, instance, seed)

    def keys(self, runs: Iterable[Planned]) -> Iterator[bytes]:
        """What names a run: a hash of recipe, budget, puzzle, seed and genoku's version."""
        arms, instances = self._digests
        for arm, instance, seed in runs:
            text = f"{arms[arm]} {instances[instance]} {seed} {self.genoku}"
            yield blake2b(text.encode(), digest_size=16).digest()

    @cached_property
    def _digests(self) -> tuple[list[str], list[str]]:
        return [arm.digest for arm in self.arms], [each.digest for each in self.instances]

    def key(self, planned: Planned) -> bytes:
        return next(self.keys([planned]))

    def text(self) -> str:
        """All of it as JSON."""
        instances = [
            {"name": name, "puzzle": str(puzzle), "box": puzzle.geometry.box}
            for name, puzzle in self.instances
        ]
        facts = {
            "genoku": self.genoku,
            "name": self.name,
            "question": self.question,
            "seeds": self.seeds,
            "record": asdict(self.record),
            "allow_conflicts": self.allow_conflicts,
            "arms": [{name: getattr(arm, name) for name in OF_ARM} for arm in self.arms],
            "instances": instances,
        }
        return json.dumps(facts, ensure_ascii=False)

    @classmethod
    def of_text(cls, text: str, trust: Trust = False) -> Study:
        """The study that `text` wrote, by this version of genoku or another.

        Nothing is imported; its algorithms can be built if they name no code that is not trusted.
        """
        facts = json.loads(text)
        return cls(
            facts["name"],
            tuple(
                Arm(**{name: each[name] for name in OF_ARM}, trust=trust) for each in facts["arms"]
            ),
            tuple(
                Instance(each["name"], Puzzle.parse(each["puzzle"], box=each["box"]))
                for each in facts["instances"]
            ),
            tuple(facts["seeds"]),
            facts["question"],
            Record.of(facts["record"]),
            facts["allow_conflicts"],
            facts["genoku"],
        )

    @property
    def size_text(self) -> str:
        """How many runs, and of what they are made."""
        made_of = runs_of(len(self.arms), len(self.instances), len(self.seeds))
        return f"{made_of} ({self.seeds_text}): {plural(len(self), 'run')}"

    def _repr_html_(self) -> str:
        arms = [(arm.name, arm.recipe.get("use", ""), arm.until) for arm in self.arms]
        puzzles = [(name, each.geometry, each.givens) for name, each in self.instances]
        more = "… and {} more".format
        return display.shown(
            display.headline(self.name, self.question),
            display.note(self.size_text),
            display.table(("algorithm", "kind", "until"), arms[:SHOWN]),
            display.note(more(len(arms) - SHOWN) if len(arms) > SHOWN else ""),
            display.table(("puzzle", "board", "givens"), puzzles[:SHOWN], (2,)),
            display.note(more(len(puzzles) - SHOWN) if len(puzzles) > SHOWN else ""),
        )

    @property
    def trust(self) -> frozenset[str]:
        """The modules that its arms may import."""
        return frozenset(
            module
            for arm in self.arms
            for module in modules_of(arm.recipe)
            if is_trusted(module, arm.trust)
        )

    def refuse_untrusted(self) -> None:
        """Raise RecipeError if an arm cannot be run because it names code that is not trusted."""
        for arm in self.arms:
            refuse_untrusted(arm.recipe, arm.trust)

    def refuse_another_version(self) -> None:
        """Raise StudyError where runs are made or mixed that another genoku planned."""
        if self.genoku != __version__:
            raise StudyError(
                f"{self.name}: expected a study of genoku {__version__}, got one of "
                f"{self.genoku}, whose runs may differ"
            )


def arm(
    of: str | Preset | Recipe | Algorithm,
    name: str = "",
    *,
    until: str = "",
    settings: Mapping[str, Any] | None = None,
    trust: Trust = False,
) -> Arm:
    """An arm of a preset (or its name), a recipe or an algorithm, with settings like `--set`'s.

    The settings are part of its name. A recipe and settings may name parts as `module:name` only
    with `trust`.

    >>> arm("charles", settings={"population": 100}).name
    'charles, population=100'
    """
    settings = settings or {}
    chosen = choose(of, until or None, settings=settings, trust=trust)
    name = f"{name or chosen.name or chosen.recipe['use']}{settings_text(settings)}"
    if not chosen.until.ways:
        reason = "expected a budget such as generations=100, got none"
        raise StudyError(reason, path=(name,))
    if trust is not True and not isinstance(of, str | Mapping | Preset):
        trust = modules_of(chosen.recipe) | (trust or frozenset())  # nothing is imported
    made = Arm(name, chosen.recipe, str(chosen.until), dict(settings), trust)
    vars(made)["_built"] = chosen.algorithm
    return made


@contextmanager
def at(where: str) -> Iterator[None]:
    """Put the place in front of what is wrong there."""
    try:
        yield
    except StudyError as error:
        error.path = (*filter(None, [where]), *error.path)
        raise
    except InputError as error:
        inner = filter(None, (where, error.source, ".".join(error.path)))
        raise StudyError(
            error.reason, path=inner, alternatives=error.alternatives, advice=error.advice
        ) from error
    except GenokuError as error:
        raise StudyError(str(error), path=filter(None, [where])) from error


def settings_text(settings: Mapping[str, Any]) -> str:
    """What settings add to the name of an arm: `, population=100`."""
    return "".join(f", {path}={setting_text(value)}" for path, value in settings.items())


def setting_text(value: Any) -> str:
    """A setting's value as names and tables show it: a part by what it is.

    >>> setting_text({"use": "tournament", "size": 20})
    'tournament(size=20)'
    """
    if isinstance(value, Mapping):
        rest = [f"{key}={setting_text(each)}" for key, each in value.items() if key != "use"]
        return f"{value.get('use', '')}({', '.join(rest)})" if rest else str(value.get("use", ""))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(setting_text, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _digest(facts: Any) -> str:
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False, default=dict)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _refuse_twins(what: str, named: list[tuple[str, str]]) -> None:
    names: set[str] = set()
    seen: dict[str, str] = {}
    for name, digest in named:
        if name in names:
            raise StudyError(f"expected different names, got {name!r} twice", path=(what,))
        if digest in seen:
            reason = f"expected different {what}, got {seen[digest]!r} again as {name!r}"
            raise StudyError(reason, path=(what,))
        names.add(name)
        seen[digest] = name


def _refuse_clashes(instances: Iterable[Instance]) -> None:
    for name, puzzle in instances:
        clashes = puzzle.conflicts()
        if clashes:
            raise StudyError(
                f"its givens clash ({clashes[0]}), so there is no solution; "
                "allow_conflicts = true runs it all the same",
                path=(f"puzzle {name}",),
            )
