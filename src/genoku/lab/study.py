"""A study: algorithms × puzzles × seeds, as frozen data. A run's key is the hash of its parts.

>>> from genoku import bundled
>>> study = Study("two", (arm("sundy"), arm("charles", until="generations=9")),
...               (Instance("basic", bundled()["charles-basic"].puzzle),), (1, 2))
>>> len(study), next(study.runs())
(4, PlannedRun(arm=0, instance=0, seed=1))
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

from genoku import RESULTS_VERSION, __version__
from genoku.engine.history import Record
from genoku.errors import GenokuError, InputError, RecipeError, StudyError
from genoku.evolve.fitness import Fitness
from genoku.evolve.presets import Preset, choose
from genoku.evolve.recipe import Recipe, Trust, build, build_part, is_trusted, refuse_untrusted
from genoku.evolve.state import Algorithm
from genoku.evolve.stopping import LARGEST_SEED
from genoku.evolve.user.errors import user_modules
from genoku.puzzle.board import Puzzle
from genoku.runtime import notebook
from genoku.runtime.text import format_count, format_study_size

FIELDS = ("gen", "evals", "moves", "best", "mean", "best_ever", "rate", "errors")
"""The fields of a run's history that a study records by default."""

ARM_KEYS = ("name", "recipe", "until", "settings")  # of an arm in `Study.text`

SEEDS_SHOWN = 5
SHOWN = 40  # algorithms, and puzzles, in a notebook
MOST_RUNS = 1_000_000  # of a study file


@dataclass(frozen=True)
class Arm:
    """An algorithm of a study with its budget.

    Parameters
    ----------
    name, recipe, until
        Its name in the study, the algorithm as data, and the budget of a run.
    settings
        Its point of a grid; empty without a grid.
    trust
        The modules that its recipe may name; never read from a file.
    """

    name: str
    recipe: Mapping[str, Any] = field(hash=False)
    until: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    trust: Trust = field(default=False, compare=False, repr=False)

    def algorithm(self) -> Algorithm:
        """Build the algorithm, anew for every call if users' own parts may keep state in it."""
        return (
            build(dict(self.recipe), self.trust) if user_modules(self.recipe) else self._algorithm
        )

    @cached_property
    def _algorithm(self) -> Algorithm:
        return build(dict(self.recipe), self.trust)

    def fitness(self) -> Fitness:
        """Build its fitness function, even if other parts are not trusted or do not exist."""
        try:
            return self.algorithm().fitness
        except RecipeError:
            fitness: Fitness = build_part("fitness", self.named_fitness, self.trust)
            return fitness

    @property
    def named_fitness(self) -> Any:
        """The fitness function in its recipe, or else the name of the algorithm."""
        inner = self.recipe
        while "fitness" not in inner:
            if not isinstance(inner.get("algorithm"), Mapping):
                return str(inner.get("use"))
            inner = inner["algorithm"]
        return inner["fitness"]

    @property
    def digest(self) -> str:
        """A hash of recipe and budget, without the name."""
        return _digest([self.recipe, self.until])


class Instance(NamedTuple):
    """A puzzle of a study, with a name."""

    name: str
    puzzle: Puzzle

    @property
    def digest(self) -> str:
        return _digest([str(self.puzzle), self.puzzle.geometry.box])


class PlannedRun(NamedTuple):
    """A run of a study: the indices of its arm and instance, and the seed."""

    arm: int
    instance: int
    seed: int


@dataclass(frozen=True)
class Study:
    """Every arm on every instance with every seed.

    Parameters
    ----------
    name, question
        What its report is called, and what it is to answer.
    arms, instances, seeds
        Algorithms with their budgets, puzzles with their names, and random seeds.
    record
        What to record of each run.
    allow_conflicts
        Whether to run puzzles whose givens conflict.
    results_version
        Decides with recipe, puzzle, seed and budget what a run is; part of the runs' keys.

    Raises
    ------
    StudyError
        If something is missing or repeated, or the givens of a puzzle conflict.
    """

    name: str
    arms: tuple[Arm, ...]
    instances: tuple[Instance, ...]
    seeds: tuple[int, ...]
    question: str = ""
    record: Record = Record(fields=FIELDS)
    allow_conflicts: bool = False
    results_version: int = RESULTS_VERSION

    def __post_init__(self) -> None:
        _refuse_duplicates("algorithms", [(arm.name, arm.digest) for arm in self.arms])
        _refuse_duplicates("puzzles", [(each.name, each.digest) for each in self.instances])
        parts = {"algorithms": self.arms, "puzzles": self.instances, "seeds": self.seeds}
        for what, values in parts.items():
            if not values:
                raise StudyError("expected one or more, got none", path=(what,))
        if len(set(self.seeds)) < len(self.seeds):
            ((twice, _),) = Counter(self.seeds).most_common(1)
            raise StudyError(f"expected different seeds, got {twice} twice", path=("seeds",))
        for seed in self.seeds:
            if not 0 <= seed <= LARGEST_SEED:
                reason = f"expected seeds from 0 to {LARGEST_SEED}, got {seed}"
                raise StudyError(reason, path=("seeds",))
        for name, puzzle in () if self.allow_conflicts else self.instances:
            if clashes := puzzle.conflicts():
                raise StudyError(
                    f"its givens conflict ({clashes[0]}), so it has no solution; "
                    "set allow_conflicts = true to run it anyway",
                    path=(f"puzzle {name}",),
                )

    def __len__(self) -> int:
        return len(self.arms) * len(self.instances) * len(self.seeds)

    @property
    def seeds_text(self) -> str:
        """The seeds as text: `0 to 19`, or the first few."""
        first, last = self.seeds[0], self.seeds[-1]
        if len(self.seeds) > 2 and self.seeds == tuple(range(first, first + len(self.seeds))):
            return f"{first} to {last}"
        shown = ", ".join(map(str, self.seeds[:SEEDS_SHOWN]))
        return f"{shown}, …" if len(self.seeds) > SEEDS_SHOWN else shown

    def runs(self) -> Iterator[PlannedRun]:
        """All runs, seed by seed, so that an interrupted study covers all arms and puzzles."""
        for seed in self.seeds:
            for instance in range(len(self.instances)):
                for arm in range(len(self.arms)):
                    yield PlannedRun(arm, instance, seed)

    def keys(self, runs: Iterable[PlannedRun]) -> Iterator[bytes]:
        """The keys of runs: hashes of recipe, budget, puzzle, seed and results version."""
        arms, instances = self._digests
        # Keys of version 1 are those that genoku 0.1.0 made of its own version.
        results = "0.1.0" if self.results_version == 1 else str(self.results_version)
        for arm, instance, seed in runs:
            text = f"{arms[arm]} {instances[instance]} {seed} {results}"
            yield blake2b(text.encode(), digest_size=16).digest()

    @cached_property
    def _digests(self) -> tuple[list[str], list[str]]:
        return [arm.digest for arm in self.arms], [each.digest for each in self.instances]

    def key(self, planned: PlannedRun) -> bytes:
        """The key of one run."""
        return next(self.keys([planned]))

    def text(self) -> str:
        """The complete study as JSON."""
        facts = {
            "results_version": self.results_version,
            "name": self.name,
            "question": self.question,
            "seeds": self.seeds,
            "record": asdict(self.record),
            "allow_conflicts": self.allow_conflicts,
            "arms": [{name: getattr(arm, name) for name in ARM_KEYS} for arm in self.arms],
            "instances": [
                {"name": name, "puzzle": str(puzzle), "box": puzzle.geometry.box}
                for name, puzzle in self.instances
            ],
        }
        return json.dumps(facts, ensure_ascii=False)

    @classmethod
    def of_text(cls, text: str, trust: Trust = False) -> Study:
        """Read a study from `text`, of any version of genoku; no code is imported."""
        facts = json.loads(text)
        instances = (
            Instance(each["name"], Puzzle.parse(each["puzzle"], box=each["box"]))
            for each in facts["instances"]
        )
        return cls(
            arms=tuple(
                Arm(**{key: each[key] for key in ARM_KEYS}, trust=trust) for each in facts["arms"]
            ),
            instances=tuple(instances),
            seeds=tuple(facts["seeds"]),
            record=Record.of(facts["record"]),
            results_version=facts.get("results_version", 1),
            **{name: facts[name] for name in ("name", "question", "allow_conflicts")},
        )

    @property
    def size_text(self) -> str:
        """The numbers of algorithms, puzzles, seeds and runs as text."""
        size = format_study_size(len(self.arms), len(self.instances), len(self.seeds))
        return f"{size} ({self.seeds_text}): {format_count(len(self), 'run')}"

    def _repr_html_(self) -> str:
        arms = [(arm.name, arm.recipe.get("use", ""), arm.until) for arm in self.arms]
        puzzles = [(name, each.geometry, each.givens) for name, each in self.instances]
        more = "… and {} more".format
        return notebook.block(
            notebook.headline(self.name, self.question),
            notebook.note(self.size_text),
            notebook.table(("algorithm", "kind", "until"), arms[:SHOWN]),
            notebook.note(more(len(arms) - SHOWN) if len(arms) > SHOWN else ""),
            notebook.table(("puzzle", "board", "givens"), puzzles[:SHOWN], (2,)),
            notebook.note(more(len(puzzles) - SHOWN) if len(puzzles) > SHOWN else ""),
        )

    @property
    def trust(self) -> frozenset[str]:
        """The modules that its arms may import."""
        return frozenset(
            module
            for arm in self.arms
            for module in user_modules(arm.recipe)
            if is_trusted(module, arm.trust)
        )

    def refuse_untrusted(self) -> None:
        """Raise RecipeError if an arm names code that is not trusted."""
        for arm in self.arms:
            refuse_untrusted(arm.recipe, arm.trust)

    def refuse_other_results(self) -> None:
        """Raise StudyError if its runs would have other results today."""
        if self.results_version != RESULTS_VERSION:
            raise StudyError(
                f"{self.name}: expected runs of results version {RESULTS_VERSION}, got version "
                f"{self.results_version!r}: runs of genoku {__version__} would differ; use another "
                "store to repeat them"
            )


def arm(
    of: str | Preset | Recipe | Algorithm,
    name: str = "",
    *,
    until: str = "",
    settings: Mapping[str, Any] | None = None,
    trust: Trust = False,
) -> Arm:
    """Make an arm from a preset, a recipe or an algorithm.

    Parameters
    ----------
    of
        A preset or its name, a recipe, or an algorithm.
    name, until
        Its name in the study, and its budget; by default those of the preset.
    settings
        Parameters to change, as with `--set`; they are added to the name.
    trust
        Whether a recipe and settings may name users' own parts as `module:name`.

    Raises
    ------
    StudyError
        If there is no budget.
    RecipeError
        If the algorithm cannot be built.

    Examples
    --------
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
        trust = user_modules(chosen.recipe) | (trust or frozenset())  # no code is imported
    made = Arm(name, chosen.recipe, str(chosen.until), dict(settings), trust)
    vars(made)["_algorithm"] = chosen.algorithm
    return made


@contextmanager
def at(where: str) -> Iterator[None]:
    """Prefix the path of an error with its place, and make it a StudyError."""
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
    """Format settings as a suffix of an arm's name: `, population=100`."""
    return "".join(f", {path}={setting_text(value)}" for path, value in settings.items())


def setting_text(value: Any) -> str:
    """Format the value of a setting.

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


def _refuse_duplicates(what: str, named: list[tuple[str, str]]) -> None:
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
