"""The search for better parameters: Optuna proposes, runs judge, and a file keeps every trial.

The first trial is the recipe as it stands. Every trial meets the same instances, in an order of
its own, and ends early once it is plainly worse than the best (Wilcoxon's test on the instances
that both have met). What a trial draws depends on the seed and on how many were finished before
it, so that a search that is killed and resumed ends as one that never was.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from genoku import __version__
from genoku.errors import RecipeError, StoreError
from genoku.extras import require
from genoku.interrupts import check
from genoku.lab.claim import claimed
from genoku.lab.tune.objective import Instance, Task, measured
from genoku.lab.tune.space import Range, changed_by, parse, values_of, with_setting
from genoku.recipe import Trust
from genoku.stream import permutation, stream
from genoku.workers import batched, spread, workers

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
    with claimed(path), _opened(tuning, path) as study:
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


def _waiting(study: Any) -> bool:
    from optuna.trial import TrialState

    return bool(study.get_trials(deepcopy=False, states=(TrialState.WAITING,)))


def _one_trial(study: Any, tuning: Tuning, number: int, jobs: int, watch: Watcher) -> None:
    """Ask for parameters, make the runs, and tell what they are worth."""
    from optuna.samplers import TPESampler
    from optuna.trial import TrialState

    study.sampler = TPESampler(seed=int(stream(tuning.seed, "tune", number)[0] % 2**32))
    own = values_of(tuning.recipe, [parse(each) for each in tuning.space], tuning.trust)
    if number == 0 and own is not None and not _waiting(study):
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
