"""Tune the parameters of a recipe, and validate them on fresh puzzles.

The value of a solved run is log10 of the share of its budget that it spent: 0 for all of it, −1
for a tenth. The value of an unsolved run is 1 plus its loss, as if it had taken ten budgets
(PAR10). The value of a trial is the mean of its runs; lower is better. Shares are of evaluations,
moves or steps if the budget limits them, which are the same on any machine; else of CPU time.

Optuna proposes parameters, and a file stores every trial. The first trial is the recipe itself.
Every trial runs on the same instances, in an order of its own, and is pruned once it is clearly
worse than the best (Wilcoxon's test on the instances that both have run on). The random draws of a
trial depend only on the seed and its number, so a search that is killed and resumed ends the same.

The best of many trials looks better than it is, because luck helped to choose it. So it is compared
with its recipe once more, in pairs of runs on fresh puzzles and seeds.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from genoku import RESULTS_VERSION, __version__
from genoku.engine.race import was_searched
from genoku.engine.result import Result
from genoku.engine.run import RECORD_NOTHING, run, warm_up
from genoku.errors import RecipeError, StoreError, require_extra
from genoku.evolve.parts import type_of
from genoku.evolve.recipe import (
    CATALOG,
    Recipe,
    Trust,
    as_toml,
    build,
    describe,
    parameters,
    resolve_part,
    with_settings,
)
from genoku.evolve.stopping import CLOCKS, WORDS, Stop, Until
from genoku.generator import PuzzleRequest, generate
from genoku.lab.statistics import (
    LEVEL,
    Comparison,
    Effect,
    Proportion,
    a12,
    p_text,
    runs_for_a12,
    wilcoxon,
)
from genoku.lab.store import lock
from genoku.puzzle.board import Puzzle
from genoku.puzzle.isomorph import shuffled
from genoku.runtime.random import permutation, stream
from genoku.runtime.signals import raise_if_interrupted
from genoku.runtime.workers import make_batches, parallel_map, use_workers

__all__ = [
    "Categorical",
    "Dimension",
    "Range",
    "Tuning",
    "TuningInstance",
    "TuningProgress",
    "TuningResult",
    "TuningRun",
    "Validation",
    "finished_trials",
    "instances_of",
    "parse",
    "require_optuna",
    "search",
    "space_of",
    "tuned_preset",
    "validations",
]

FACTOR = 4  # a range is from a quarter of a value to four times the value
LOG_FROM = 10  # ratio of the ends from which a range is searched by its logarithm
MOST_RECIPES = 64  # that are searched for a key
LARGEST = 2**53  # beyond, floats cannot represent every whole number
# Parameters that say what a part is, rather than how strong it is
STRUCTURAL = ("parents", "children", "first", "spare", "within", "fixed")
# Parts that losses are measured by: with others, trials could not be compared
FIXED_KINDS = ("fitness",)
# Where rates are probabilities, which are at most 1; those of a temperature are not
PROBABILITIES = ("adaptation", "chance")

NUMBER = r"[-+]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
BETWEEN = re.compile(rf"({NUMBER})\s*\.\.\s*({NUMBER})\s*(?::\s*(\w*))?")


@dataclass(frozen=True)
class Range:
    """A parameter with numbers from `low` to `high`, both included.

    Parameters
    ----------
    key, low, high
        The parameter, as in `--set`, and the ends.
    log, whole
        Whether to search by the logarithm, and whether only whole numbers are allowed.
    """

    key: str
    low: float
    high: float
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        if not (abs(self.low) < LARGEST and abs(self.high) < LARGEST):
            raise RecipeError(f"{self}: expected numbers below 2^53")
        if not self.low < self.high:
            raise RecipeError(f"{self}: expected the low end to be below the high end")
        if self.log and self.low <= 0:
            raise RecipeError(f"{self}: expected a low end above 0 for :log")

    def holds(self, value: Any) -> bool:
        """Whether a value is in the range."""
        return type(value) in (int, float) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.key}={self.low!r}..{self.high!r}{':log' if self.log else ''}"


@dataclass(frozen=True)
class Categorical:
    """A parameter with a few values, each written as in `--set KEY=`."""

    key: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.values) < 2 or not all(self.values):
            raise RecipeError(f"{self}: expected at least two choices, none of them empty")
        if len(set(self.values)) < len(self.values):
            raise RecipeError(f"{self}: expected different choices")

    def holds(self, value: Any) -> bool:
        """Whether a value is one of the choices."""
        return setting_value(value) in self.values

    def __str__(self) -> str:
        return f"{self.key}={'|'.join(self.values)}"


Dimension = Range | Categorical


def parse(text: str) -> Dimension:
    """Parse a dimension: `KEY=LOW..HIGH`, `KEY=LOW..HIGH:log` or `KEY=ONE|OTHER`.

    Raises
    ------
    RecipeError
        If the text is not a dimension.

    Examples
    --------
    >>> parse("population=50..2000:log")
    Range(key='population', low=50, high=2000, log=True, whole=True)
    >>> str(parse("selection = rank|tournament"))
    'selection=rank|tournament'
    """
    key, _, values = (each.strip() for each in text.partition("="))
    is_key = re.fullmatch(r"[\w-]+(?:\.[\w-]+)*", key)
    if is_key and (between := BETWEEN.fullmatch(values)):
        low, high, scale = between.groups()
        if scale not in (None, "log"):
            raise RecipeError(f"{text}: expected :log or nothing after a range, got :{scale}")
        whole = not re.search(r"[.eE]", low + high)
        read = int if whole else float
        if not all(math.isfinite(float(end)) for end in (low, high)):
            raise RecipeError(f"{text}: expected finite numbers")
        return Range(key, read(low), read(high), scale == "log", whole)
    if is_key and "|" in values:
        return Categorical(key, tuple(each.strip() for each in values.split("|")))
    raise RecipeError(
        "expected a parameter such as population=50..2000:log or selection=rank|tournament, "
        f"got {text!r}"
    )


def space_of(
    recipe: Recipe, given: Sequence[Dimension] = (), trust: Trust = False
) -> tuple[Dimension, ...]:
    """Choose the parameters of a recipe to tune: those `given`, and all with a sensible range.

    A number ranges from a quarter of its value to four times the value, as far as the recipe can
    be built with it; 0 is not tuned. A choice has all its values. The parts of lists, and whether
    singles are filled before a search, are tuned only if given; fitness functions never are.
    """
    whole = describe(build(recipe, trust))
    taken = {each.key for each in given}
    found = [each for each in _dimensions("algorithm", whole, (), trust) if each.key not in taken]
    usual = [fitted for each in found if (fitted := _restrict(whole, each, trust))]
    known = _typed_dimensions(whole, given, trust)
    return tuple(sorted([*usual, *known], key=lambda each: each.key.count(".")))


def _typed_dimensions(
    recipe: dict[str, Any], given: Sequence[Dimension], trust: Trust
) -> Iterator[Dimension]:
    """Give dimensions the types of their parameters; RecipeError for unknown keys."""
    if len({each.key for each in given}) < len(given):
        raise RecipeError("expected every parameter only once")
    recipes = [recipe]  # a key may belong to a part that another dimension introduces
    for each in sorted(given, key=lambda each: each.key.count(".")):
        fits = list(_buildable_recipes(recipes, each, trust))
        if any(_fitnesses(fit) != _fitnesses(recipe) for fit in fits):
            raise RecipeError(
                f"{each}: expected parameters other than those of the fitness function: trials are "
                "compared by their loss, which would be on another scale"
            )
        recipes = [*recipes, *fits][:MOST_RECIPES]
        now = value_at(recipe, each.key)
        if isinstance(each, Range) and type(now) is float:
            yield Range(each.key, float(each.low), float(each.high), each.log)
        elif isinstance(each, Range) and type(now) is int and not each.whole:
            raise RecipeError(f"{each}: expected whole numbers")
        else:
            yield each


def _buildable_recipes(
    recipes: list[dict[str, Any]], dimension: Dimension, trust: Trust
) -> Iterator[dict[str, Any]]:
    """Yield recipes with each end or choice; RecipeError for a choice that fits none of them."""
    count, reason = 0, ""
    for value in _values_to_try(dimension):
        reasons = []
        for recipe in recipes:
            try:
                yield changed_by(recipe, {dimension.key: value}, trust)
                count += 1
            except RecipeError as error:
                reasons.append(str(error))
        reason = reason or (reasons[0] if reasons else "")
        if len(reasons) == len(recipes) and isinstance(dimension, Categorical):
            raise RecipeError(f"{dimension.key}={value}: {reasons[0]}")
    if not count:
        raise RecipeError(f"{dimension}: {reason}")


def _fitnesses(table: Any) -> list[Any]:
    """Find the fitness functions inside a recipe, with their parameters."""
    if isinstance(table, list):
        return [found for each in table for found in _fitnesses(each)]
    if not isinstance(table, Mapping):
        return []
    return [
        found
        for name, inner in table.items()
        for found in ([inner] if name in FIXED_KINDS else _fitnesses(inner))
    ]


def _values_to_try(dimension: Dimension) -> tuple[Any, ...]:
    return (dimension.low, dimension.high) if isinstance(dimension, Range) else dimension.values


def _dimensions(
    kind: str, table: Mapping[str, Any], path: tuple[str, ...], trust: Trust
) -> Iterator[Dimension]:
    """Yield every parameter of a part and its inner parts, with a range around its value."""
    each = resolve_part(kind, table["use"], trust)
    for name, hint, _ in parameters(each).values() if isinstance(each, type) else ():
        word, choices = type_of(hint)
        key = ".".join((*path, name))
        value: Any = table.get(name)
        if isinstance(value, Mapping) and word not in FIXED_KINDS:
            yield from _dimensions(word, value, (*path, name), trust) if word in CATALOG else ()
        elif name in STRUCTURAL:
            continue
        elif word == "choice":
            yield Categorical(key, tuple(map(setting_value, choices)))
        elif word == "bool" or isinstance(value, bool):
            yield Categorical(key, ("true", "false"))
        elif isinstance(value, int | float) and value:
            # A user's own part may have no type but that of its value
            whole = word == "int" or (word != "float" and type(value) is int)
            low, high = sorted((value / FACTOR, value * FACTOR))
            if whole:
                low, high = max(1, math.ceil(low)), int(high)
            elif value <= 1 and any(part in PROBABILITIES for part in key.split(".")):
                high = min(high, 1.0)
            yield Range(key, low, high, whole=whole)


def _restrict(recipe: dict[str, Any], dimension: Dimension, trust: Trust) -> Dimension | None:
    """Restrict a dimension to what the recipe can be built with; None for a single value."""
    if isinstance(dimension, Categorical):
        fit = tuple(each for each in dimension.values if _fits(recipe, dimension.key, each, trust))
        return Categorical(dimension.key, fit) if len(fit) > 1 else None
    low, high, whole = dimension.low, dimension.high, dimension.whole
    now = value_at(recipe, dimension.key)
    lowest = low if _fits(recipe, dimension.key, low, trust) else now
    tried = [high] if whole or now >= 1 else [high, 1.0]
    highest = next((end for end in tried if _fits(recipe, dimension.key, end, trust)), now)
    if lowest >= highest:
        return None
    log = lowest > 0 and highest / lowest >= LOG_FROM
    return Range(dimension.key, lowest, highest, log, whole)


def _fits(recipe: dict[str, Any], key: str, value: Any, trust: Trust) -> bool:
    try:
        build(with_setting(recipe, key, value, trust), trust)
    except RecipeError:
        return False
    return True


def setting_value(value: Any) -> str:
    """Format a value as in a setting; a part by its name."""
    if isinstance(value, Mapping):
        return str(value["use"])
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def value_at(recipe: Mapping[str, Any], key: str) -> Any:
    """The value of a complete recipe at a key; None if there is no such key."""
    value: Any = recipe
    for name in key.split("."):
        if isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            value = value.get(name) if isinstance(value, Mapping) else None
    return value


def with_setting(
    recipe: dict[str, Any], key: str, value: Any, trust: Trust = False
) -> dict[str, Any]:
    """Set one parameter of a recipe; a part that is set to itself keeps its parameters."""
    now = value_at(recipe, key)
    if now is not None and setting_value(value) == setting_value(now):
        return recipe
    return with_settings(recipe, [f"{key}={setting_value(value)}"], trust)


def changed_by(
    recipe: dict[str, Any], values: Mapping[str, Any], trust: Trust = False
) -> dict[str, Any]:
    """Set the values of a trial in a recipe, parts before their parameters."""
    for key in sorted(values, key=lambda key: key.count(".")):
        recipe = with_setting(recipe, key, values[key], trust)
    return describe(build(recipe, trust))


def values_of(
    recipe: Recipe, space: Sequence[Dimension], trust: Trust = False
) -> dict[str, Any] | None:
    """The values of a recipe itself in a space; None if one of them is outside."""
    whole = describe(build(recipe, trust))
    values: dict[str, Any] = {}
    for each in space:
        now = value_at(whole, each.key)
        if now is None:  # of a part that is not in the recipe
            continue
        if not each.holds(now):
            return None
        values[each.key] = now if isinstance(each, Range) else setting_value(now)
    return values


LEAST_SHARE = 1e-6  # of a budget: a smaller share counts as this one
UNSOLVED = 1.0  # the logarithm of ten budgets
COUNTED = ("generations", "steps", "evaluations", "moves")


class TuningInstance(NamedTuple):
    """A puzzle and the seed of a run on it, as plain data."""

    puzzle: str
    box: str
    seed: int


class Task(NamedTuple):
    """A run to make in any process."""

    recipe: dict[str, Any]
    until: str
    instance: TuningInstance
    trust: Trust = False


class TuningRun(NamedTuple):
    """The value of a run, and the facts behind it.

    `searched` is whether a search was needed, or rules alone filled the board.
    """

    value: float
    solved: bool
    loss: float
    evaluations: int
    moves: int
    cpu_seconds: float
    searched: bool = True


def bounds_of(until: Until) -> dict[str, float]:
    """The limits that shares are measured by: of counters, or else of seconds."""
    for words in (COUNTED, CLOCKS):
        bounds = {word: bound for word in words if (bound := until.bound(word))}
        if bounds:
            return bounds
    raise RecipeError(
        f"expected a limit that ends every run, such as evaluations=200000, got {str(until)!r}"
    )


def value_of(result: Result, until: Until) -> float:
    if not result.solved:
        return UNSOLVED + result.loss
    share = max(
        getattr(result, "cpu_seconds" if word in CLOCKS else WORDS[word]) / bound
        for word, bound in bounds_of(until).items()
    )
    return math.log10(min(1.0, max(LEAST_SHARE, share)))


def evaluate(task: Task) -> TuningRun:
    until = Until.parse(task.until)
    puzzle = Puzzle.parse(task.instance.puzzle, box=task.instance.box)
    algorithm = build(task.recipe, task.trust)
    if until.is_timed:  # so that compiling does not count
        warm_up(algorithm, puzzle.geometry)
    result = run(puzzle, algorithm, seed=task.instance.seed, until=until, record=RECORD_NOTHING)
    if result.stop_reason is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    facts = (getattr(result, name) for name in TuningRun._fields[1:-1])
    searched = was_searched(result.problem.space, result.steps)
    return TuningRun._make((value_of(result, until), *facts, searched))


STUDY = "genoku tune"
TUNING = "tuning"  # the attribute of the store that describes the tuning
REFUSED = "refused"  # the attribute of a trial whose parameters do not fit together
GIVEN_UP = "given up"  # the attribute of a trial that was pruned
ORIGINAL = "as it is"  # the attribute of the trial that is the recipe itself
PATIENCE = 30  # seconds to wait for a reader to release the file
PRUNING_P = 0.1  # p below which a trial is pruned


@dataclass(frozen=True)
class Tuning:
    """A tuning as plain data, which is stored.

    Parameters
    ----------
    name, recipe
        What is tuned.
    space
        The dimensions, as text.
    instances, until
        Puzzles and seeds of every trial, and the budget of a run.
    seed
        Random seed of the search.
    trust
        Whose code the recipe may name; never stored.
    """

    name: str
    recipe: dict[str, Any]
    space: tuple[str, ...]
    instances: tuple[TuningInstance, ...]
    until: str
    seed: int = 0
    trust: Trust = False

    def facts(self) -> dict[str, Any]:
        """The tuning as JSON data, with the version of its results."""
        facts = {**asdict(self), "instances": [list(each) for each in self.instances]}
        del facts["trust"]
        return {**facts, "space": list(self.space), "results_version": RESULTS_VERSION}


class TuningProgress(NamedTuple):
    """The progress of a search, reported after every few runs and at the end of a trial.

    Parameters
    ----------
    trial, runs
        The numbers of finished trials, and of runs of the current trial.
    ended
        How the trial ended, or empty.
    value, best
        The mean of its runs so far, and the lowest value of complete trials.
    """

    trial: int
    runs: int
    ended: Literal["", "whole", "given up", "refused"]
    value: float | None
    best: float | None


TuningCallback = Callable[[TuningProgress], object]


class TuningResult(NamedTuple):
    """The result of a search.

    Parameters
    ----------
    recipe, values, value
        The best recipe, its parameters, and its value.
    initial_value
        The value of the original recipe; None if it is outside the space.
    trials, given_up, refused
        The numbers of trials, of pruned ones, and of those whose parameters did not fit together.
    is_unchanged
        Whether nothing better than the original recipe was found.
    """

    recipe: dict[str, Any]
    values: dict[str, Any]
    value: float
    initial_value: float | None
    trials: int
    given_up: int
    refused: int
    is_unchanged: bool


def require_optuna() -> None:
    """Raise an error unless Optuna and SciPy are installed."""
    require_extra("tune", "tuning requires Optuna", "optuna", "scipy")


def search(
    tuning: Tuning,
    store: str | Path,
    trials: int,
    jobs: int = 1,
    watch: TuningCallback | None = None,
) -> TuningResult:
    """Search for better parameters; after Ctrl-C the search can be resumed.

    Parameters
    ----------
    tuning, store
        What to tune, and the file of the trials, which is created if it does not exist.
    trials
        When to stop, including trials already in the store.
    jobs
        The number of processes, on which results do not depend.
    watch
        Called after every few runs.

    Raises
    ------
    StoreError
        If the store is of another tuning.
    RecipeError
        If no trial could be made.
    """
    path = Path(store)
    with lock(path), _open_study(tuning, path) as study:
        with use_workers(jobs):
            while (number := len(_finished_trials(study))) < trials:
                _one_trial(study, tuning, number, jobs, watch or (lambda _: None))
        return _result(study, tuning)


def finished_trials(store: str | Path) -> int:
    """Count the trials in a file; 0 if there is none, StoreError for any other file."""
    path = Path(store)
    if not path.exists() or not path.stat().st_size:
        return 0
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
            if "trials" not in tables:
                reason = "expected a file of genoku tune, got another database"
                raise StoreError(f"{path}: {reason}")
            query = "SELECT COUNT(*) FROM trials WHERE state IN ('COMPLETE', 'PRUNED')"
            return int(database.execute(query).fetchone()[0])
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path}: expected a file of genoku tune: {error}") from None


@contextmanager
def _open_study(tuning: Tuning, path: Path) -> Iterator[Any]:
    """Open Optuna's study in a file; interrupted trials are marked as failed."""
    require_optuna()
    import optuna
    from sqlalchemy.exc import SQLAlchemyError

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    finished_trials(path)  # raises before a foreign file is changed
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        try:
            # A path in an SQLAlchemy address could not have all characters
            options = {"creator": partial(_connect, path)}
            storage = optuna.storages.RDBStorage("sqlite:///tune", engine_kwargs=options)
            stack.callback(storage.engine.dispose)
            stack.callback(storage.remove_session)
            study = optuna.create_study(
                study_name=STUDY,
                storage=storage,
                pruner=optuna.pruners.WilcoxonPruner(p_threshold=PRUNING_P),
                load_if_exists=True,
            )
            _check_tuning(study, tuning, path)
            for trial in study.get_trials(deepcopy=False):
                if trial.state == optuna.trial.TrialState.RUNNING:
                    study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
            yield study
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
            raise StoreError(f"{path}: {reason}") from error
        except RuntimeError as error:
            if "version" not in str(error):
                raise
            reason = "it was written by another version of Optuna"
            raise StoreError(f"{path}: {reason}") from error


def _connect(path: Path) -> sqlite3.Connection:
    """Connect in WAL mode: writes survive a crash of the process without waiting for the disk."""
    connection = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _check_tuning(study: Any, tuning: Tuning, path: Path) -> None:
    """Describe the tuning in a new store; StoreError if the store is of another tuning."""
    kept, facts = study.user_attrs.get(TUNING), tuning.facts()
    if kept is None:
        study.set_user_attr(TUNING, {**facts, "genoku": __version__})
        return
    kept = {"results_version": 1, **kept}
    other = [key.replace("_", " ") for key in facts if kept.get(key) != facts[key]]
    if other:
        raise StoreError(
            f"{path}: expected a store of this tuning, got one with another {', '.join(other)}: "
            "resume with the same options, or use another file"
        )


def _finished_trials(study: Any) -> list[Any]:
    from optuna.trial import TrialState

    states = (TrialState.COMPLETE, TrialState.PRUNED)
    found: list[Any] = study.get_trials(deepcopy=False, states=states)
    return found


def _one_trial(study: Any, tuning: Tuning, number: int, jobs: int, watch: TuningCallback) -> None:
    """Ask Optuna for parameters, make the runs, and report their value to it."""
    from optuna.samplers import TPESampler
    from optuna.trial import TrialState

    study.sampler = TPESampler(seed=int(stream(tuning.seed, "tune", number)[0] % 2**32))
    own = values_of(tuning.recipe, [parse(each) for each in tuning.space], tuning.trust)
    waiting = study.get_trials(deepcopy=False, states=(TrialState.WAITING,))
    if number == 0 and own is not None and not waiting:
        study.enqueue_trial(own, user_attrs={ORIGINAL: True})
    trial, best = study.ask(), _best_value(study)
    try:
        recipe = _propose_recipe(trial, tuning)
    except RecipeError as error:
        trial.set_user_attr(REFUSED, str(error))
        study.tell(trial, state=TrialState.PRUNED)
        watch(TuningProgress(number + 1, 0, "refused", None, best))
        return
    values: list[float] = []
    order = permutation(stream(tuning.seed, "order", number), len(tuning.instances)).tolist()
    for places in make_batches(order, max(1, jobs)):
        raise_if_interrupted()  # Ctrl-C may have been lost in a callback of the database
        tasks = [
            Task(recipe, tuning.until, tuning.instances[place], tuning.trust) for place in places
        ]
        for place, outcome in zip(places, parallel_map(evaluate, tasks), strict=True):
            values.append(outcome.value)
            trial.report(outcome.value, place)
            if len(values) < len(order) and trial.should_prune():
                # As "pruned", TPE would rank it by its run on the last instance alone. The mean so
                # far is a better guess, as Optuna's manual says for this pruner. It prunes only
                # trials whose mean is above the best, so none of them becomes the best.
                trial.set_user_attr(GIVEN_UP, True)
                study.tell(trial, fmean(values))
                watch(TuningProgress(number + 1, len(values), "given up", fmean(values), best))
                return
        watch(TuningProgress(number, len(values), "", fmean(values), best))
    study.tell(trial, fmean(values))
    watch(TuningProgress(number + 1, len(values), "whole", fmean(values), _best_value(study)))


def _best_value(study: Any) -> float | None:
    trial = _best_trial(study)
    return None if trial is None else float(trial.value)


def _best_trial(study: Any) -> Any:
    """The complete trial with the lowest value, the earliest of equals; None if there is none."""
    from optuna.trial import TrialState

    whole = [
        each
        for each in _finished_trials(study)
        if each.state == TrialState.COMPLETE and GIVEN_UP not in each.user_attrs
    ]
    return min(whole, key=lambda each: (each.value, each.number), default=None)


def _propose_recipe(trial: Any, tuning: Tuning) -> dict[str, Any]:
    """Build the recipe of a trial, without parameters of parts that it does not have."""
    recipe, trust = changed_by(tuning.recipe, {}, tuning.trust), tuning.trust
    values: dict[str, Any] = {}
    for each in map(parse, tuning.space):
        try:
            with_setting(recipe, each.key, _values_to_try(each)[0], trust)
        except RecipeError:
            continue
        if isinstance(each, Range):
            suggest = trial.suggest_int if each.whole else trial.suggest_float
            value = suggest(each.key, each.low, each.high, log=each.log)
        else:
            value = trial.suggest_categorical(each.key, each.values)
        values[each.key] = value
        recipe = with_setting(recipe, each.key, value, trust)
    return changed_by(tuning.recipe, values, trust)


def _result(study: Any, tuning: Tuning) -> TuningResult:
    finished, best = _finished_trials(study), _best_trial(study)
    if best is None:
        reasons = [each.user_attrs[REFUSED] for each in finished if REFUSED in each.user_attrs]
        why = f": {reasons[0]}" if reasons else ""
        raise RecipeError(f"none of {len(finished)} trials could be run{why}")
    first = next((each for each in finished if ORIGINAL in each.user_attrs), None)
    return TuningResult(
        changed_by(tuning.recipe, best.params, tuning.trust),
        dict(best.params),
        float(best.value),
        None if first is None else float(first.value),
        len(finished),
        sum(GIVEN_UP in each.user_attrs for each in finished),
        sum(REFUSED in each.user_attrs for each in finished),
        ORIGINAL in best.user_attrs,
    )


FIRST_FRESH = 1_000_000  # puzzles and seeds from here on are for validation


def instances_of(
    puzzles: Sequence[Puzzle] | PuzzleRequest, count: int, seed: int, *, fresh: bool = False
) -> tuple[TuningInstance, ...]:
    """Make `count` instances with different seeds: generated puzzles, or the given ones in turn.

    Those for validation (`fresh`) are generated from other random streams, or are isomorphs of the
    given puzzles.
    """
    start = FIRST_FRESH if fresh else 0
    first = seed + start
    if isinstance(puzzles, PuzzleRequest):
        chosen = [generate(puzzles, seed, start + place).puzzle for place in range(count)]
    else:
        chosen = [puzzles[place % len(puzzles)] for place in range(count)]
        if fresh:
            chosen = [shuffled(each, first + place) for place, each in enumerate(chosen)]
    return tuple(
        TuningInstance(str(puzzle), puzzle.geometry.box, first + place)
        for place, puzzle in enumerate(chosen)
    )


class Validation(NamedTuple):
    """The runs of both recipes, in pairs.

    `isomorphs` is whether the puzzles are isomorphs of those tuned on, rather than new ones.
    """

    before: tuple[TuningRun, ...]
    after: tuple[TuningRun, ...]
    isomorphs: bool = False

    @property
    def puzzles(self) -> str:
        """What the puzzles are, for a sentence."""
        return "isomorphs of the puzzles it was tuned on" if self.isomorphs else "fresh puzzles"

    @property
    def scope(self) -> str:
        """A restriction to append to a verdict."""
        return "; this does not extend to other puzzles" if self.isomorphs else ""

    @property
    def test(self) -> Comparison:
        """Wilcoxon's signed-rank test of the values of paired runs."""
        return wilcoxon(*self._values())

    @property
    def effect(self) -> Effect:
        """A12: the probability that a run of the tuned recipe is better."""
        before, after = self._values()
        return a12(after, before)

    @property
    def solved(self) -> tuple[Proportion, Proportion]:
        """The shares of solved runs, before and after tuning."""
        before, after = (
            Proportion.of([run.solved for run in runs]) for runs in (self.before, self.after)
        )
        return before, after

    @property
    def solved_without_search(self) -> tuple[int, int]:
        """The numbers of puzzles that rules solved without a search, before and after tuning."""
        before, after = (
            sum(not run.searched for run in runs) for runs in (self.before, self.after)
        )
        return before, after

    @property
    def verdict(self) -> str:
        """Whether the tuned recipe is `better`, `worse`, or neither can be shown (`open`)."""
        test = self.test
        if test.p >= LEVEL:
            return "open"
        ranks = (test.differing or 0) * ((test.differing or 0) + 1) / 2
        return "better" if test.statistic > ranks / 2 else "worse"

    def sentence(self) -> str:
        """The verdict as a sentence, with its statistics."""
        test, effect, runs = self.test, self.effect, len(self.before)
        figures = f"Wilcoxon signed-rank test, {p_text(test.p)}; A12 = {effect.a12:.2f}"
        where, more = f"on {runs} {self.puzzles}", ""
        needed = runs_for_a12(effect.a12)  # for unpaired samples; pairs may need fewer
        if self.verdict != "open":
            said = f"The tuned recipe is {self.verdict} {where} ({figures}, {effect.magnitude})"
        elif test.note:
            said = f"Not shown to be better: both did exactly the same {where}"
        else:
            said = f"Not shown to be better {where} ({figures})"
            if effect.a12 > 0.5 and needed is not None and needed > runs:
                more = f" About --validate {needed} may show a difference of the observed size."
        before, after = self.solved_without_search
        if before + after:
            more += (
                f" Rules such as singles solved {before} of {runs} puzzles before tuning and "
                f"{after} after it, which says nothing about the search."
            )
        return f"{said}{self.scope}.{more}"

    def _values(self) -> tuple[list[float], list[float]]:
        return [run.value for run in self.before], [run.value for run in self.after]


def validations(
    before: dict[str, Any],
    after: dict[str, Any],
    until: str,
    instances: Sequence[TuningInstance],
    jobs: int = 1,
    *,
    isomorphs: bool = False,
    trust: Trust = False,
) -> Iterator[Validation]:
    """Run both recipes on every instance, and yield all pairs so far after every few."""
    pairs: list[tuple[TuningRun, TuningRun]] = []
    with use_workers(jobs):
        for some in make_batches(instances, jobs):
            raise_if_interrupted()
            tasks = [
                Task(recipe, until, each, trust) for each in some for recipe in (before, after)
            ]
            outcomes = parallel_map(evaluate, tasks)
            pairs += zip(outcomes[::2], outcomes[1::2], strict=True)
            first, second = zip(*pairs, strict=True)
            yield Validation(tuple(first), tuple(second), isomorphs)


MARKS = {
    "better": "tuned, and better",
    "open": "tuned, but NOT shown to be better",
    "worse": "tuned, but WORSE",
}


def tuned_preset(
    tuning: Tuning, found: TuningResult, validation: Validation | None, puzzle_name: str
) -> str:
    """Format the result as TOML for `genoku evolve --recipe`.

    `validation` is None if nothing better than the original recipe was found.
    """
    notes = provenance(tuning, found, validation)
    mark = "NOT tuned: nothing better was found"
    if validation is not None:
        mark = f"{MARKS[validation.verdict]} on {validation.puzzles}{validation.scope}"
    facts: dict[str, Any] = {
        "report": f"genoku's own: {tuning.name}, tuned by genoku tune",
        "about": f"{tuning.name}, {mark}",
        "puzzle": puzzle_name,
        "until": tuning.until,
    }
    lines = [f"    {json.dumps(each, ensure_ascii=False)},\n" for each in notes]
    listed = f"left_open = [\n{''.join(lines)}]\n"
    return f"{as_toml(facts)}{listed}{as_toml({'recipe': found.recipe})}"


def provenance(tuning: Tuning, found: TuningResult, validation: Validation | None) -> list[str]:
    values = ", ".join(f"{key}={setting_value(value)}" for key, value in found.values.items())
    original = ""
    if found.initial_value is not None:
        original = f"; that of {tuning.name} is {found.initial_value:.4g}"
    lines = [
        f"Tuned from {tuning.name} by genoku {__version__}, seed {tuning.seed}: "
        f"{found.trials} trials on {len(tuning.instances)} instances, until {tuning.until}.",
        f"The value of the best trial is {found.value:.4g}{original} (log10 of the share of the "
        "budget; 1 plus the loss for unsolved runs).",
        f"Searched: {', '.join(tuning.space)}.",
    ]
    if validation is None:
        return [*lines, f"No trial was better than {tuning.name}, whose recipe this is."]
    before, after = validation.solved
    return [
        *lines,
        f"Found: {values}.",
        f"{validation.sentence()} Solved: {after}; {tuning.name}: {before}.",
    ]
