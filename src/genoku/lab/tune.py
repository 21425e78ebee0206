"""Tuning: the search for better parameters of a recipe, and whether they really are better.

A run that solves its puzzle is worth the decimal logarithm of the share of its budget that it
spent: 0 with the last of it, −1 with a tenth. One that does not is worth 1 plus its loss, as if
it had taken ten times the budget (PAR10), and more the further it stayed from a solution. A trial
is worth the mean of its runs: the lower, the better. Shares are of evaluations, moves or steps
where the budget has such limits: these are the same wherever a run is made. A budget in seconds
alone is measured in processor time, which is not.

Optuna proposes, runs judge, and a file keeps every trial. The first trial is the recipe as it
stands. Every trial meets the same instances, in an order of its own, and ends early once it is
plainly worse than the best (Wilcoxon's test on the instances that both have met). What a trial
draws depends on the seed and on how many were finished before it, so that a search that is killed
and resumed ends as one that never was.

The best of many trials looks better than it is, because luck chose it too. So it meets the recipe
it comes from once more, in pairs: the same fresh puzzle and seed for both, which the search never
met.
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

from genoku import __version__
from genoku.board import Puzzle
from genoku.engine.race import was_searched
from genoku.engine.result import Result
from genoku.engine.run import NOTHING, load_kernels_of, run
from genoku.errors import RecipeError, StoreError, require
from genoku.failures import check
from genoku.generator import Wanted, generate
from genoku.isomorph import shuffled
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
from genoku.lab.store import locked
from genoku.recipe import CATALOG, Recipe, Trust, as_toml, build, changed, describe
from genoku.recipe.building import named, parameters
from genoku.recipe.listing import type_of
from genoku.stopping import CLOCKS, WORDS, Stop, Until
from genoku.stream import permutation, stream
from genoku.workers import batched, spread, workers

__all__ = [
    "Choice",
    "Dimension",
    "Found",
    "Instance",
    "News",
    "Outcome",
    "Range",
    "Tuning",
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

AROUND = 4  # a range goes from a quarter of a value to four times it
LOG_FROM = 10  # how often the low end goes into the high end of what is searched by its logarithm
MOST_RECIPES = 64  # in which a key is looked for
LARGEST = 2**53  # beyond, not every whole number is a number of its own
SHAPES = ("parents", "children", "first", "spare", "within", "fixed")
"""Parameters that say what a part is, rather than how strong it is."""
NEVER = ("fitness",)
"""Kinds that losses are measured by: with another one, trials could not be compared."""
CHANCES = ("adaptation", "chance")
"""Where rates are chances, and more than 1 is no more than 1; those of a temperature are not."""

NUMBER = r"[-+]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
BETWEEN = re.compile(rf"({NUMBER})\s*\.\.\s*({NUMBER})\s*(?::\s*(\w*))?")


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included; whole ones, or any."""

    key: str
    low: float
    high: float
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        if not (abs(self.low) < LARGEST and abs(self.high) < LARGEST):
            raise RecipeError(f"{self}: expected numbers below 2^53")
        if not self.low < self.high:
            raise RecipeError(f"{self}: expected a low end below the high one")
        if self.log and self.low <= 0:
            raise RecipeError(f"{self}: expected a low end above 0 for a logarithm")

    def holds(self, value: Any) -> bool:
        """Whether a value lies inside."""
        return type(value) in (int, float) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.key}={self.low!r}..{self.high!r}{':log' if self.log else ''}"


@dataclass(frozen=True)
class Choice:
    """Some values, each written as after `--set KEY=`."""

    key: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.values) < 2 or not all(self.values):
            raise RecipeError(f"{self}: expected two choices or more, none of them empty")
        if len(set(self.values)) < len(self.values):
            raise RecipeError(f"{self}: expected every choice once")

    def holds(self, value: Any) -> bool:
        return written(value) in self.values

    def __str__(self) -> str:
        return f"{self.key}={'|'.join(self.values)}"


Dimension = Range | Choice


def parse(text: str) -> Dimension:
    """A dimension from `KEY=LOW..HIGH`, with `:log` behind or not, or `KEY=ONE|OTHER`.

    >>> parse("population=50..2000:log")
    Range(key='population', low=50, high=2000, log=True, whole=True)
    >>> str(parse("selection = rank|tournament"))
    'selection=rank|tournament'
    """
    key, equals, values = (each.strip() for each in text.partition("="))
    if not (equals and values and re.fullmatch(r"[\w-]+(?:\.[\w-]+)*", key)):
        raise _unlike(text)
    if between := BETWEEN.fullmatch(values):
        low, high, scale = between.groups()
        if scale not in (None, "log"):
            raise RecipeError(f"{text}: expected :log or nothing behind a range, got :{scale}")
        whole = not re.search(r"[.eE]", low + high)
        read = int if whole else float
        if not all(math.isfinite(float(end)) for end in (low, high)):
            raise RecipeError(f"{text}: expected finite numbers")
        return Range(key, read(low), read(high), scale == "log", whole)
    if "|" in values:
        return Choice(key, tuple(each.strip() for each in values.split("|")))
    raise _unlike(text)


def _unlike(text: str) -> RecipeError:
    return RecipeError(
        "expected a parameter such as population=50..2000:log or selection=rank|tournament, "
        f"got {text!r}"
    )


def space_of(
    recipe: Recipe, given: Sequence[Dimension] = (), trust: Trust = False
) -> tuple[Dimension, ...]:
    """What of a recipe is tuned: all that has a sensible range, with those `given` instead.

    A number is searched from a quarter of its value to four times it, as far as the recipe can be
    built with it; where 0 stands for "off", it stays. A choice has all its values. The parts of
    lists, and whether singles are fixed before a search, stay as they are unless given; fitness
    functions always do.
    """
    whole = describe(build(recipe, trust))
    taken = {each.key for each in given}
    found = [each for each in _dimensions("algorithm", whole, (), trust) if each.key not in taken]
    usual = [fitted for each in found if (fitted := _fitted(whole, each, trust))]
    known = _known(whole, given, trust)
    return tuple(sorted([*usual, *known], key=lambda each: each.key.count(".")))


def _known(recipe: dict[str, Any], given: Sequence[Dimension], trust: Trust) -> Iterator[Dimension]:
    """The given ones, by the types of their parameters; a key that nothing has is refused."""
    if len({each.key for each in given}) < len(given):
        raise RecipeError("expected every parameter once")
    recipes = [recipe]  # a key may belong to a part that another dimension brings
    for each in sorted(given, key=lambda each: each.key.count(".")):
        fits = list(_tried(recipes, each, trust))
        if any(_fitnesses(fit) != _fitnesses(recipe) for fit in fits):
            raise RecipeError(
                f"{each}: expected parameters that leave the fitness function as it is: trials "
                "are judged by their loss, which another one measures on another scale"
            )
        recipes = [*recipes, *fits][:MOST_RECIPES]
        now = value_at(recipe, each.key)
        if isinstance(each, Range) and type(now) is float:
            yield Range(each.key, float(each.low), float(each.high), each.log)
        elif isinstance(each, Range) and type(now) is int and not each.whole:
            raise RecipeError(f"{each}: expected whole numbers")
        else:
            yield each


def _tried(
    recipes: list[dict[str, Any]], dimension: Dimension, trust: Trust
) -> Iterator[dict[str, Any]]:
    """What can be built with an end, or a choice; a choice that fits nothing is refused."""
    count, reason = 0, ""
    for value in _ends(dimension):
        reasons = []
        for recipe in recipes:
            try:
                yield changed_by(recipe, {dimension.key: value}, trust)
                count += 1
            except RecipeError as error:
                reasons.append(str(error))
        reason = reason or (reasons[0] if reasons else "")
        if len(reasons) == len(recipes) and isinstance(dimension, Choice):
            raise RecipeError(f"{dimension.key}={value}: {reasons[0]}")
    if not count:
        raise RecipeError(f"{dimension}: {reason}")


def _fitnesses(table: Any) -> list[Any]:
    """The fitness functions inside a recipe, in order, with their parameters."""
    if isinstance(table, list):
        return [found for each in table for found in _fitnesses(each)]
    if not isinstance(table, Mapping):
        return []
    return [
        found
        for name, inner in table.items()
        for found in ([inner] if name in NEVER else _fitnesses(inner))
    ]


def _ends(dimension: Dimension) -> tuple[Any, ...]:
    if isinstance(dimension, Choice):
        return dimension.values
    return dimension.low, dimension.high


def _dimensions(
    kind: str, table: Mapping[str, Any], path: tuple[str, ...], trust: Trust
) -> Iterator[Dimension]:
    """Every parameter of a part and of those inside it, with the usual range around its value."""
    each = named(kind, table["use"], trust)
    for name, hint, _ in parameters(each).values() if isinstance(each, type) else ():
        word, choices = type_of(hint)
        key = ".".join((*path, name))
        value: Any = table.get(name)
        if isinstance(value, Mapping) and word not in NEVER:
            yield from _dimensions(word, value, (*path, name), trust) if word in CATALOG else ()
        elif name in SHAPES:
            continue
        elif word == "choice":
            yield Choice(key, tuple(map(written, choices)))
        elif word == "bool" or isinstance(value, bool):
            yield Choice(key, ("true", "false"))
        elif isinstance(value, int | float) and value:
            # A user's own may leave the type to the value.
            whole = word == "int" or (word != "float" and type(value) is int)
            yield _around(key, value, whole=whole)


def _around(key: str, value: float, *, whole: bool) -> Range:
    low, high = sorted((value / AROUND, value * AROUND))
    if not whole and value <= 1 and any(each in CHANCES for each in key.split(".")):
        high = min(high, 1.0)
    if whole:
        low, high = max(1, math.ceil(low)), int(high)
    return Range(key, low, high, low > 0 and high / low >= LOG_FROM, whole)


def _fitted(recipe: dict[str, Any], dimension: Dimension, trust: Trust) -> Dimension | None:
    """The part of a dimension that the recipe can be built with; None if that is one value."""
    if isinstance(dimension, Choice):
        fit = tuple(each for each in dimension.values if _fits(recipe, dimension.key, each, trust))
        return Choice(dimension.key, fit) if len(fit) > 1 else None
    low, high, whole = dimension.low, dimension.high, dimension.whole
    now = value_at(recipe, dimension.key)
    lowest = next((end for end in (low, now) if _fits(recipe, dimension.key, end, trust)), now)
    tried = (high, *([1.0] if not whole and now < 1 else []), now)
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


def written(value: Any) -> str:
    """A value as a setting says it; a part by its name."""
    if isinstance(value, Mapping):
        return str(value["use"])
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def value_at(recipe: Mapping[str, Any], key: str) -> Any:
    """What a recipe with all its parameters has under a key; None if it has no such thing."""
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
    """A recipe with one parameter set; a part that is there already keeps its own parameters."""
    now = value_at(recipe, key)
    if now is not None and written(value) == written(now):
        return recipe
    return changed(recipe, [f"{key}={written(value)}"], trust)


def changed_by(
    recipe: dict[str, Any], values: Mapping[str, Any], trust: Trust = False
) -> dict[str, Any]:
    """A recipe with the values of a trial, parts before what is inside them."""
    for key in sorted(values, key=lambda key: key.count(".")):
        recipe = with_setting(recipe, key, values[key], trust)
    return describe(build(recipe, trust))


def values_of(
    recipe: Recipe, space: Sequence[Dimension], trust: Trust = False
) -> dict[str, Any] | None:
    """The values that a recipe itself has in a space; None where one of them lies outside."""
    whole = describe(build(recipe, trust))
    values: dict[str, Any] = {}
    for each in space:
        now = value_at(whole, each.key)
        if now is None:  # it belongs to a part that the recipe has not
            continue
        if not each.holds(now):
            return None
        values[each.key] = now if isinstance(each, Range) else written(now)
    return values


LEAST_SHARE = 1e-6  # of a budget: what is solved at once is no better than this
UNSOLVED = 1.0  # the logarithm of ten budgets
COUNTED = ("generations", "steps", "evaluations", "moves")


class Instance(NamedTuple):
    """A puzzle and the seed of a run on it, as plain data."""

    puzzle: str
    box: str
    seed: int


class Task(NamedTuple):
    """A run to make, for whatever process."""

    recipe: dict[str, Any]
    until: str
    instance: Instance
    trust: Trust = False


class Outcome(NamedTuple):
    """What a run is worth, and the facts behind it."""

    value: float
    solved: bool
    loss: float
    evaluations: int
    moves: int
    cpu_seconds: float
    searched: bool = True
    """Whether a search was needed, or rules alone filled the board."""


def bounds_of(until: Until) -> dict[str, float]:
    """The limits that shares are measured by: those that count, else the seconds."""
    bounds = {word: until.bound(word) for word in (*COUNTED, *CLOCKS)}
    found = {word: bound for word, bound in bounds.items() if bound}
    counted = {word: bound for word, bound in found.items() if word in COUNTED}
    if not found:
        raise RecipeError(
            f"expected a limit that ends every run, such as evaluations=200000, got {str(until)!r}"
        )
    return counted or found


def value_of(result: Result, until: Until) -> float:
    """What a run is worth."""
    if not result.solved:
        return UNSOLVED + result.loss
    spent = {
        "steps": result.steps,
        "evaluations": result.evaluations,
        "moves": result.moves,
        **dict.fromkeys(CLOCKS, result.cpu_seconds),
    }
    bounds = bounds_of(until)
    share = max(spent[WORDS[word]] / bound for word, bound in bounds.items())
    return math.log10(min(1.0, max(LEAST_SHARE, share)))


def measured(task: Task) -> Outcome:
    """Make a run, in any process, and judge it."""
    until = Until.parse(task.until)
    puzzle = Puzzle.parse(task.instance.puzzle, box=task.instance.box)
    algorithm = build(task.recipe, task.trust)
    if until.is_timed:  # compiling is not the algorithm's time
        load_kernels_of(algorithm, puzzle.geometry)
    result = run(puzzle, algorithm, seed=task.instance.seed, until=until, record=NOTHING)
    if result.stop_reason is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return Outcome(
        value_of(result, until),
        result.solved,
        result.loss,
        result.evaluations,
        result.moves,
        result.cpu_seconds,
        was_searched(result.problem.space, result.steps),
    )


STUDY = "genoku tune"
KEPT = "tuning"  # the attribute of the store that holds what is tuned
REFUSED = "refused"  # the attribute of a trial whose parameters do not go together
GIVEN_UP = "given up"  # the attribute of a trial that has not met every instance
AS_IT_IS = "as it is"  # the attribute of the trial that is the recipe itself
PATIENCE = 30  # seconds in which a reader must let go of the file
SURE = 0.1  # p below which a trial is given up


@dataclass(frozen=True)
class Tuning:
    """What is tuned, where, on what and how: plain data, kept in the store."""

    name: str
    recipe: dict[str, Any]
    space: tuple[str, ...]
    instances: tuple[Instance, ...]
    until: str
    seed: int = 0
    trust: Trust = False
    """Whose code the recipe may name; this is kept nowhere."""

    def facts(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        instances = [list(each) for each in self.instances]
        told = {**asdict(self), "instances": instances, "space": list(self.space)}
        del told["trust"]
        return {**told, "genoku": __version__}


class News(NamedTuple):
    """What a watcher is told after every few runs, and at the end of a trial."""

    trial: int
    """How many have been finished."""
    runs: int
    """How many runs of the present trial have been made."""
    ended: Literal["", "whole", "given up", "refused"]
    """How the trial ended, if it did."""
    value: float | None
    """The mean of its runs so far."""
    best: float | None
    """The lowest of whole trials."""


Watcher = Callable[[News], object]


class Found(NamedTuple):
    """What a search has come to."""

    recipe: dict[str, Any]
    values: dict[str, Any]
    """The parameters of the best trial."""
    value: float
    at_first: float | None
    """What the recipe itself was worth; None where it lies outside the space."""
    trials: int
    given_up: int
    refused: int
    is_as_it_was: bool
    """Whether nothing better than the recipe itself was found."""


def require_optuna() -> None:
    """Raise unless what tunes is installed."""
    require("tune", "tuning needs Optuna", "optuna", "scipy")


def search(
    tuning: Tuning, store: str | Path, trials: int, jobs: int = 1, watch: Watcher | None = None
) -> Found:
    """Go on until so many trials are finished, those already in the store included.

    However many `jobs`, the trials are the same. Ctrl-C leaves the store ready to go on.
    """
    path = Path(store)
    with locked(path), _opened(tuning, path) as study:
        with workers(jobs):
            while (number := len(_finished(study))) < trials:
                _one_trial(study, tuning, number, jobs, watch or (lambda _: None))
        return _found(study, tuning)


def finished_trials(store: str | Path) -> int:
    """How many trials a file has; 0 where there is no such file."""
    if not _is_ours(Path(store)):
        return 0
    with closing(_to_read(Path(store))) as database:
        query = "SELECT COUNT(*) FROM trials WHERE state IN ('COMPLETE', 'PRUNED')"
        return int(database.execute(query).fetchone()[0])


@contextmanager
def _opened(tuning: Tuning, path: Path) -> Iterator[Any]:
    """The study in a file, which must be of this tuning; what broke off in it is marked so."""
    require_optuna()
    import optuna
    from sqlalchemy.exc import SQLAlchemyError

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    _is_ours(path)
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        try:
            # A path in an address would have to do without some characters.
            options = {"creator": partial(_connected, path)}
            storage = optuna.storages.RDBStorage("sqlite:///tune", engine_kwargs=options)
            stack.callback(storage.engine.dispose)
            stack.callback(storage.remove_session)
            study = optuna.create_study(
                study_name=STUDY,
                storage=storage,
                pruner=optuna.pruners.WilcoxonPruner(p_threshold=SURE),
                load_if_exists=True,
            )
            _keep(study, tuning, path)
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


def _connected(path: Path) -> sqlite3.Connection:
    """In WAL mode: what is written survives the process, and no write waits for the disk."""
    connection = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _to_read(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _is_ours(path: Path) -> bool:
    """Whether there is such a file; one that is no store of trials is refused, and left alone."""
    if not path.exists() or not path.stat().st_size:
        return False
    try:
        with closing(_to_read(path)) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path}: expected a file that genoku tune wrote: {error}") from None
    if "trials" not in tables:
        raise StoreError(f"{path}: expected a file that genoku tune wrote, got another database")
    return True


def _keep(study: Any, tuning: Tuning, path: Path) -> None:
    """Write what is tuned into a new store; refuse a store of something else."""
    kept, facts = study.user_attrs.get(KEPT), tuning.facts()
    if kept is None:
        study.set_user_attr(KEPT, facts)
        return
    other = [key for key in facts if kept.get(key) != facts[key]]
    if other:
        raise StoreError(
            f"{path} holds another tuning, which differs in its {', '.join(other)}: "
            "go on with the same options, or name another file"
        )


def _finished(study: Any) -> list[Any]:
    from optuna.trial import TrialState

    states = (TrialState.COMPLETE, TrialState.PRUNED)
    found: list[Any] = study.get_trials(deepcopy=False, states=states)
    return found


def _one_trial(study: Any, tuning: Tuning, number: int, jobs: int, watch: Watcher) -> None:
    """Ask for parameters, make the runs, and tell what they are worth."""
    from optuna.samplers import TPESampler
    from optuna.trial import TrialState

    study.sampler = TPESampler(seed=int(stream(tuning.seed, "tune", number)[0] % 2**32))
    own = values_of(tuning.recipe, [parse(each) for each in tuning.space], tuning.trust)
    waiting = study.get_trials(deepcopy=False, states=(TrialState.WAITING,))
    if number == 0 and own is not None and not waiting:
        study.enqueue_trial(own, user_attrs={AS_IT_IS: True})
    trial, best = study.ask(), _best(study)
    try:
        recipe = _proposed(trial, tuning)
    except RecipeError as error:
        trial.set_user_attr(REFUSED, str(error))
        study.tell(trial, state=TrialState.PRUNED)
        watch(News(number + 1, 0, "refused", None, best))
        return
    values: list[float] = []
    order = permutation(stream(tuning.seed, "order", number), len(tuning.instances)).tolist()
    for places in batched(order, max(1, jobs)):
        check()  # Ctrl-C may have been lost among the database's callbacks
        tasks = [
            Task(recipe, tuning.until, tuning.instances[place], tuning.trust) for place in places
        ]
        for place, outcome in zip(places, spread(measured, tasks), strict=True):
            values.append(outcome.value)
            trial.report(outcome.value, place)
            if len(values) < len(order) and trial.should_prune():
                # As "pruned", TPE would rank it by its one run on the instance with the highest
                # number. The mean so far is the better guess, as Optuna's manual has it for this
                # pruner, which gives up nothing whose mean is not above the best: none becomes it.
                trial.set_user_attr(GIVEN_UP, True)
                study.tell(trial, fmean(values))
                watch(News(number + 1, len(values), "given up", fmean(values), best))
                return
        watch(News(number, len(values), "", fmean(values), best))
    study.tell(trial, fmean(values))
    watch(News(number + 1, len(values), "whole", fmean(values), _best(study)))


def _best(study: Any) -> float | None:
    trial = _best_trial(study)
    return None if trial is None else float(trial.value)


def _best_trial(study: Any) -> Any:
    """The whole trial with the lowest value, the earliest of equals; None while there is none."""
    from optuna.trial import TrialState

    whole = [
        each
        for each in _finished(study)
        if each.state == TrialState.COMPLETE and GIVEN_UP not in each.user_attrs
    ]
    return min(whole, key=lambda each: (each.value, each.number), default=None)


def _proposed(trial: Any, tuning: Tuning) -> dict[str, Any]:
    """The recipe of a trial; parameters of parts that others replace are not asked for."""
    recipe, trust = changed_by(tuning.recipe, {}, tuning.trust), tuning.trust
    values: dict[str, Any] = {}
    for each in map(parse, tuning.space):
        try:
            low = each.low if isinstance(each, Range) else each.values[0]
            with_setting(recipe, each.key, low, trust)
        except RecipeError:
            continue
        values[each.key] = _suggested(trial, each)
        recipe = with_setting(recipe, each.key, values[each.key], trust)
    return changed_by(tuning.recipe, values, trust)


def _suggested(trial: Any, dimension: Any) -> Any:
    if not isinstance(dimension, Range):
        return trial.suggest_categorical(dimension.key, dimension.values)
    suggest = trial.suggest_int if dimension.whole else trial.suggest_float
    return suggest(dimension.key, dimension.low, dimension.high, log=dimension.log)


def _found(study: Any, tuning: Tuning) -> Found:
    finished, best = _finished(study), _best_trial(study)
    if best is None:
        reasons = [each.user_attrs[REFUSED] for each in finished if REFUSED in each.user_attrs]
        why = f": {reasons[0]}" if reasons else ""
        raise RecipeError(f"none of {len(finished)} trials could be made{why}")
    first = next((each for each in finished if AS_IT_IS in each.user_attrs), None)
    refused = sum(REFUSED in each.user_attrs for each in finished)
    return Found(
        changed_by(tuning.recipe, best.params, tuning.trust),
        dict(best.params),
        float(best.value),
        None if first is None else float(first.value),
        len(finished),
        sum(GIVEN_UP in each.user_attrs for each in finished),
        refused,
        AS_IT_IS in best.user_attrs,
    )


FRESH = 1_000_000
"""From here on puzzles and seeds are kept for validation."""


def instances_of(
    puzzles: Sequence[Puzzle] | Wanted, count: int, seed: int, *, fresh: bool = False
) -> tuple[Instance, ...]:
    """So many puzzles, each with a seed of its own.

    Generated ones as wanted, or those given in turn; `fresh` ones are others of the same kind:
    generated from other streams, or isomorphs of those given.
    """
    first = seed + (FRESH if fresh else 0)
    if isinstance(puzzles, Wanted):
        start = FRESH if fresh else 0
        chosen = [generate(puzzles, seed, start + place).puzzle for place in range(count)]
    else:
        chosen = [puzzles[place % len(puzzles)] for place in range(count)]
        if fresh:
            chosen = [shuffled(each, first + place) for place, each in enumerate(chosen)]
    return tuple(
        Instance(str(puzzle), puzzle.geometry.box, first + place)
        for place, puzzle in enumerate(chosen)
    )


class Validation(NamedTuple):
    """The runs of both recipes, in pairs."""

    before: tuple[Outcome, ...]
    after: tuple[Outcome, ...]
    isomorphs: bool = False
    """Whether the puzzles are those tuned on in other guises, rather than others of their kind."""

    @property
    def puzzles(self) -> str:
        """What they are, in words."""
        return "isomorphs of the puzzles it was tuned on" if self.isomorphs else "fresh puzzles"

    @property
    def reach(self) -> str:
        """How far a verdict goes, to stand behind it."""
        return "; nothing is said of others" if self.isomorphs else ""

    @property
    def test(self) -> Comparison:
        """Wilcoxon's signed ranks of what the paired runs are worth."""
        return wilcoxon(*self._values())

    @property
    def effect(self) -> Effect:
        """How often a tuned run is worth more than one of the other."""
        before, after = self._values()
        return a12(after, before)

    @property
    def solved(self) -> tuple[Proportion, Proportion]:
        before, after = (
            Proportion.of([run.solved for run in runs]) for runs in (self.before, self.after)
        )
        return before, after

    @property
    def unsearched(self) -> tuple[int, int]:
        """How many puzzles rules alone solved, before and after, so that no search was needed."""
        before, after = (
            sum(not run.searched for run in runs) for runs in (self.before, self.after)
        )
        return before, after

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `open`: what the test allows to say of the tuned recipe."""
        test = self.test
        if test.p >= LEVEL:
            return "open"
        ranks = (test.differing or 0) * ((test.differing or 0) + 1) / 2
        return "better" if test.statistic > ranks / 2 else "worse"

    def sentence(self) -> str:
        """The verdict in words, with the figures it stands on."""
        before, after = self.unsearched
        if not before + after:
            return self._judged()
        return (
            f"{self._judged()} Rules such as singles solved {before} of {len(self.before)} puzzles "
            f"before tuning and {after} after it, without a search: these say nothing of it."
        )

    def _judged(self) -> str:
        test, effect, runs = self.test, self.effect, len(self.before)
        figures = f"Wilcoxon signed-rank test, {p_text(test.p)}; A12 = {effect.a12:.2f}"
        where = f"on {runs} {self.puzzles}"
        if self.verdict != "open":
            shown = f"The tuned recipe is {self.verdict} {where}"
            return f"{shown} ({figures}, {effect.magnitude}){self.reach}."
        if test.note:
            return f"Not shown to be better: {where} both did exactly the same{self.reach}."
        needed = runs_for_a12(effect.a12)  # of unpaired ranks, so that pairs may need fewer
        more = ""
        if effect.a12 > 0.5 and needed is not None and needed > runs:
            more = f" If the difference is as seen, --validate {needed} (roughly) may show it."
        return f"Not shown to be better {where} ({figures}){self.reach}.{more}"

    def _values(self) -> tuple[list[float], list[float]]:
        return [run.value for run in self.before], [run.value for run in self.after]


def validations(
    before: dict[str, Any],
    after: dict[str, Any],
    until: str,
    instances: Sequence[Instance],
    jobs: int = 1,
    *,
    isomorphs: bool = False,
    trust: Trust = False,
) -> Iterator[Validation]:
    """Run both recipes on every instance; all pairs so far after every few, the last has all."""
    pairs: list[tuple[Outcome, Outcome]] = []
    with workers(jobs):
        for some in batched(instances, jobs):
            check()
            tasks = [
                Task(recipe, until, each, trust) for each in some for recipe in (before, after)
            ]
            outcomes = spread(measured, tasks)
            pairs += zip(outcomes[::2], outcomes[1::2], strict=True)
            first, second = zip(*pairs, strict=True)
            yield Validation(tuple(first), tuple(second), isomorphs)


MARKS = {
    "better": "tuned, and better",
    "open": "tuned, but NOT shown to be better",
    "worse": "tuned, but WORSE",
}


def tuned_preset(
    tuning: Tuning, found: Found, validation: Validation | None, puzzle_name: str
) -> str:
    """TOML that `genoku solve --recipe` reads; without a validation it is the recipe as it was."""
    told = provenance(tuning, found, validation)
    mark = "NOT tuned: nothing better was found"
    if validation is not None:
        mark = f"{MARKS[validation.verdict]} on {validation.puzzles}{validation.reach}"
    facts: dict[str, Any] = {
        "report": f"genoku's own: {tuning.name}, tuned by genoku tune",
        "about": f"{tuning.name}, {mark}",
        "puzzle": puzzle_name,
        "until": tuning.until,
    }
    lines = [f"    {json.dumps(each, ensure_ascii=False)},\n" for each in told]
    listed = f"left_open = [\n{''.join(lines)}]\n"
    return f"{as_toml(facts)}{listed}{as_toml({'recipe': found.recipe})}"


def provenance(tuning: Tuning, found: Found, validation: Validation | None) -> list[str]:
    """How it came about, in sentences."""
    values = ", ".join(f"{key}={written(value)}" for key, value in found.values.items())
    at_first = "" if found.at_first is None else f", and {tuning.name} itself {found.at_first:.4g}"
    lines = [
        f"Tuned from {tuning.name} by genoku {__version__}, seed {tuning.seed}: "
        f"{found.trials} trials on {len(tuning.instances)} instances, until {tuning.until}.",
        f"The best trial is worth {found.value:.4g}{at_first} (log10 of the share of the budget; "
        "an unsolved run counts 1 + its loss).",
        f"Searched: {', '.join(tuning.space)}.",
    ]
    if validation is None:
        return [*lines, f"No trial did better than {tuning.name} itself, which this is."]
    before, after = validation.solved
    return [
        *lines,
        f"Found: {values}.",
        f"{validation.sentence()} Solved: {after}, {tuning.name} itself {before}.",
    ]
