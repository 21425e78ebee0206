"""`genoku race`: presets side by side, live, and then as a small study."""

from __future__ import annotations

import math
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.board import Puzzle
from genoku.cli import EXIT_INPUT, EXIT_INTERRUPTED, completion
from genoku.cli.options import (
    LIMITS,
    PER_RUN,
    TIME_LIMIT,
    TRUST,
    declared,
    declared_file,
    declared_number,
    entries_of,
    found_preset,
    json_option,
    limited,
    option_group,
    random_entry,
    trusted,
)
from genoku.cli.output import (
    bar,
    check_targets,
    compiling_announced,
    is_watched,
    print_json,
    print_sentence,
    print_table,
    refuse_conflicts,
    say,
)
from genoku.errors import FormatError, RecipeError, located
from genoku.failures import catching_interrupts
from genoku.formats import Entry
from genoku.stopping import LANES
from genoku.words import compact, duration, percents, plural

if TYPE_CHECKING:
    from genoku.engine.race import Contender
    from genoku.lab.report.data import Gathered
    from genoku.lab.runner import Watcher
    from genoku.lab.study import Arm, Study
    from genoku.preset_library import Preset
    from genoku.recipe import Trust
    from genoku.state import Algorithm

SECONDS = 5.0
"""The budget of a run where none is named."""


@dataclass(frozen=True)
class RaceOptions:
    """What is asked of a race and its study: every field with its option."""

    puzzle: str | None = declared(
        "A bundled name, a board, a file with one, or random.",
        metavar="PUZZLE",
        shell_complete=completion.puzzles,
        show_default="the first preset's",
    )
    box: str | None = declared("Shape of the boxes, such as 2x3.", metavar="RxC")
    seed: int = declared_number("Seed of the live race.", 0, least=0)
    seeds: int = declared_number(
        "Runs of each in the study, from SEED on; 0 for the live race alone.",
        10,
        least=0,
        most=10_000,
    )
    until: str | None = declared(
        "Budget of a run.", metavar="LIMITS", show_default=f"seconds={SECONDS:g}"
    )
    time_limit: float | None = declared(PER_RUN, **TIME_LIMIT)
    jobs: int = declared_number("Processes of the study.", 1)
    store: str | None = declared_file("Keep the runs of the study.", metavar="FILE.db")
    report: str | None = declared_file("Write the study as a page.", metavar="FILE.html")
    allow_conflicts: bool = declared("Run even if givens clash.")
    trust: bool = declared(TRUST)


@click.command(
    epilog=f"""\b
Examples:
  genoku race sundy charles                      5 seconds each, then 10 seeds each
  genoku race champion annealing tabu --puzzle golden-nugget
  genoku race sundy sundy:population=100 --puzzle charles-easy
  genoku race simon charles --time-limit 20 --seeds 0      the live race alone
  genoku race memetic mine.toml --puzzle random --until evaluations=1000000 --json
  genoku race champion tabu memetic --seeds 40 --jobs 2 --report race.html

\b
All take turns on one processor, so that at any moment each has had the same CPU time. Who solves
the puzzle first by its own clock wins; if nobody does, the lowest loss wins. The others race on
for their places until their budgets are spent, or Ctrl-C. One race says little, so a study
follows: every contender with the same seeds and the same budget, and a test of whether they
differ at all.

\b
PRESET:KEY=VALUE,KEY=VALUE changes a preset as --set does in `genoku solve`; a name that ends in
.toml is a file with a recipe.

\b
{LIMITS}
""",
)
@click.argument(
    "names", nargs=-1, metavar="PRESET[:KEY=VALUE]…", shell_complete=completion.presets_or_files
)
@option_group("asked", RaceOptions)
@json_option
def race(names: tuple[str, ...], asked: RaceOptions, as_json: bool) -> int:
    """Let two to four presets, or recipes in files, race each other on one puzzle."""
    fewest, most = LANES
    if not fewest <= len(names) <= most:
        raise click.UsageError(f"expected {fewest} to {most} presets, got {len(names)}")
    seed, seeds, store, report = asked.seed, asked.seeds, asked.store, asked.report
    if not seeds and (store or report):
        raise click.UsageError("expected --store and --report with a study: --seeds 1 or more")
    kinds = {"--store": "a store", "--report": "HTML"}
    written = check_targets({"--store": store, "--report": report}, kinds=kinds)
    if report:
        from genoku.figures import require_lab

        require_lab()  # what is missing is said before the work
    may = trusted(asked.trust, [name.partition(":")[2] for name in names])
    presets = [_with_settings(name, may) for name in names]
    entry = _entry(asked, presets[0][0])
    if not asked.allow_conflicts and refuse_conflicts(entry.puzzle):
        return EXIT_INPUT
    study = _study(entry, presets, asked, may)
    with compiling_announced():
        contenders, interrupted = _race(study, entry, seed)
    if not as_json:
        _tell(contenders)
    gathered = None
    if seeds and not interrupted:
        with _kept(store) as path:
            gathered, interrupted = _run_study(study, path, asked.jobs)
            if report and not interrupted:
                _write_report(path, report, study.trust)
    made = len(gathered.results) if gathered else 0
    if as_json:
        print_json(_record(study, entry, seed, contenders, gathered if made else None))
    elif gathered and made:
        print_study(gathered)
    if interrupted:
        say(
            f"interrupted after {made} of {plural(len(study), 'run')}"
            if gathered
            else "interrupted"
        )
        if gathered and store:
            say("The same command goes on with the others.")
        return EXIT_INTERRUPTED
    if written:
        say(f"wrote {' and '.join(map(str, written.values()))}")
    return 0


def _with_settings(text: str, trust: Trust) -> tuple[Preset, Algorithm, str]:
    """A preset with its changed algorithm, and the name it races under."""
    from genoku.preset_library import choose

    name, colon, rest = text.partition(":")
    found = found_preset(name)
    settings = re.split(r",\s*(?=[\w.-]+=)", rest) if colon else []
    with located(source=name if name.endswith(".toml") else ""):
        algorithm = choose(found, "", settings=settings, trust=trust).algorithm
    return found, algorithm, f"{found.name}{colon}{rest}"


def _entry(asked: RaceOptions, first: Preset) -> Entry:
    """The one puzzle of the race."""
    if asked.puzzle is None:
        return Entry(Puzzle.parse(first.puzzle, box=asked.box), name=first.puzzle_name)
    if asked.puzzle == "random":
        return random_entry(asked.seed, asked.box)
    entries = entries_of([asked.puzzle], asked.box)
    if len(entries) != 1:
        raise FormatError(f"{asked.puzzle}: expected one puzzle, got {len(entries)}")
    return entries[0]


def _budget(until: str | None, time_limit: float | None) -> str:

    if until is None and time_limit is None:
        time_limit = SECONDS
    budget = limited(until or "", time_limit)
    if not budget.ways:
        raise RecipeError("expected a budget such as seconds=10 or evaluations=100000, got none")
    return str(budget.in_cpu_time())  # in the race and with the seeds after it


def _study(
    entry: Entry,
    presets: Sequence[tuple[Preset, Algorithm, str]],
    asked: RaceOptions,
    trust: Trust,
) -> Study:
    """Every contender on the one puzzle with all seeds."""
    from genoku.lab.study import Instance, Study, arm

    until = _budget(asked.until, asked.time_limit)
    arms: list[Arm] = [arm(each, name, until=until, trust=trust) for _, each, name in presets]
    named = Instance(entry.name or str(entry.puzzle.geometry), entry.puzzle)
    return Study(
        f"{' against '.join(each.name for each in arms)} on {named.name}",
        tuple(arms),
        (named,),
        tuple(range(asked.seed, asked.seed + max(1, asked.seeds))),
        "Which of them needs less to solve this puzzle?",
        allow_conflicts=asked.allow_conflicts,
    )


def _race(study: Study, entry: Entry, seed: int) -> tuple[list[Contender], bool]:
    """The live race; whether it was interrupted."""
    from genoku.cli.live import race_watcher
    from genoku.engine.race import Entrant, prepare, turns
    from genoku.stopping import Until

    until = Until.parse(study.arms[0].until)
    puzzle = entry.puzzle
    named = f"{entry.name}: " if entry.name else ""
    title = f"{named}{puzzle.geometry}, {plural(puzzle.givens, 'given')}, seed {seed}"
    entrants = [Entrant(arm.name, arm.algorithm(), arm.until) for arm in study.arms]
    contenders = prepare(puzzle, entrants, seed, allow_conflicts=study.allow_conflicts)
    with race_watcher(contenders, until, title) as look:
        look()
        with catching_interrupts() as caught:
            for _ in turns(contenders):
                look()
    return contenders, bool(caught)


def _tell(contenders: Sequence[Contender]) -> None:
    """Who won; and where everybody stood, unless that is still on the screen."""
    from genoku.cli.output import print_sentence, print_table
    from genoku.engine.race import ranked, standing
    from genoku.engine.result import score_text, work_done
    from genoku.words import duration

    if not (is_watched() and sys.stdout.isatty()):
        print_table(
            ("live race", "CPU time", "steps", "work", "best", "loss"),
            [
                (
                    each.name,
                    duration(each.seconds),
                    f"{each.run.state.step:,}",
                    work_done(each.run.counters()),
                    "solved" if each.solved else score_text(each.run.problem, each.run.best_cost),
                    f"{each.loss:.4g}",
                )
                for each in ranked(contenders)
            ],
        )
    print_sentence(standing(contenders))


def _write_report(store: str, path: str, trust: Trust) -> None:
    from genoku.lab.report import report as page_of
    from genoku.lab.store import Store

    with Store.open(store, trust=trust) as opened:
        page_of(opened).write_html(path)


def _record(
    study: Study,
    entry: Entry,
    seed: int,
    contenders: Sequence[Contender],
    gathered: Gathered | None,
) -> dict[str, Any]:
    from genoku.engine.race import finish
    from genoku.problem import called
    from genoku.recipe import describe
    from genoku.stopping import Stop

    winner, by, comparable = finish(contenders)
    return {
        "puzzle": str(entry.puzzle),
        "box": entry.puzzle.geometry.box,
        "name": entry.name,
        "seed": seed,
        "until": study.arms[0].until,
        "winner": winner.name if winner else None,
        "by": by,
        "losses_comparable": comparable,
        "race": [
            {
                "name": each.name,
                "solved": each.solved,
                "searched": each.searched,
                "stop_reason": str(each.ended or Stop.STOPPED),
                "cpu_seconds": round(each.seconds, 6),
                "steps": each.run.state.step,
                "evaluations": each.run.state.evaluations,
                "moves": each.run.state.moves,
                "cost": each.run.best_cost,
                "loss": each.loss,
                "fitness": called(each.run.problem.fitness),
                "recipe": describe(each.run.algorithm),
            }
            for each in contenders
        ],
        "study": None if gathered is None else _study_record(gathered),
    }


NEVER = "–"


@contextmanager
def _kept(path: str | None) -> Iterator[str]:
    """Where the runs are kept: the file that was asked for, or one for the time being."""
    if path is not None:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="genoku-race-") as folder:
        yield str(Path(folder) / "race.db")


def _run_study(study: Study, path: str, jobs: int) -> tuple[Gathered, bool]:
    """Make the runs that are not there yet; what is there, and whether Ctrl-C cut it short."""
    from genoku.lab.report.data import gather
    from genoku.lab.runner import run_study
    from genoku.lab.store import Store

    with catching_interrupts() as caught, _progress() as told:
        run_study(study, path, jobs=jobs, folder=str(Path.cwd()), progress=told)
    with Store.open(path, trust=study.trust) as store:
        failures = store.failures()
        if failures:
            raise RecipeError(f"{study.arms[failures[0].arm].name}: {failures[0].message}")
        return gather(store), bool(caught)


@contextmanager
def _progress() -> Iterator[Watcher | None]:
    """A progress bar where somebody looks."""
    if not is_watched():
        yield None
        return
    with bar("study", units="runs") as (drawn, task):

        def told(now: Any) -> None:
            left = "" if now.left is None else f"  about {duration(max(1, round(now.left)))} left"
            said = f"{now.solved} solved{left if now.done < now.planned else ''}"
            drawn.update(task, total=now.planned, completed=now.done, said=said)

        yield told


def _study_record(gathered: Gathered) -> dict[str, Any]:
    """What is said of the study, as JSON has it."""
    from genoku.lab.report.data import duels

    return {
        "seeds": list(gathered.study.seeds),
        "runs": len(gathered.results),
        "contenders": _facts_of_all(gathered),
        "comparisons": [duel._asdict() for duel in duels(gathered)],
    }


def print_study(gathered: Gathered) -> None:
    """The table, and a sentence for every pair."""
    from genoku.lab.report.data import duels

    results, facts = gathered.results, _facts_of_all(gathered)
    columns = [f"study, {_seeds_text(results.seed.tolist())}", "solved", "95 % interval"]
    any_solved, all_solved = bool(results.solved.any()), bool(results.solved.all())
    if not all_solved:
        columns.append("median loss")
    if any_solved:
        columns += ["median evaluations", "ERT", "median CPU", "ERT"]
    rows = [_row(each, efforts=any_solved, losses=not all_solved) for each in facts]
    click.echo("")
    print_table(columns, rows)
    if any_solved:
        print_sentence(
            "Medians of evaluations and CPU time are of the effort to solve; ERT is the expected "
            "effort with restarts until solved."
        )
    for duel in duels(gathered):
        print_sentence(duel.sentence)


def _seeds_text(seeds: Sequence[int]) -> str:
    """Which seeds there are runs of; after an interruption some may be missing."""
    first, last, count = min(seeds), max(seeds), len(set(seeds))
    if first == last:
        return f"seed {first}"
    span = f"{first} to {last}"
    return f"seeds {span}" if last - first < count else f"{count} seeds from {span}"


def _facts_of_all(gathered: Gathered) -> list[dict[str, Any]]:
    from genoku.lab.statistics import Proportion, ert, time_to_solve

    every = []
    for place, arm in enumerate(gathered.study.arms):
        own = gathered.results.of(arm=place)
        share = Proportion.of(own.solved)
        facts: dict[str, Any] = {
            "name": arm.name,
            "runs": share.runs,
            "solved": share.successes,
            "interval": list(share.wilson()),
            "median_loss": statistics.median(own.loss.tolist()) if len(own) else None,
        }
        for name, efforts in (("evaluations", own.evaluations), ("cpu_seconds", own.cpu_seconds)):
            expected = ert(efforts, own.solved) if len(own) else math.inf
            facts[name] = {
                "median_to_solve": time_to_solve(efforts, own.solved) if len(own) else None,
                "ert": expected if math.isfinite(expected) else None,
            }
        every.append(facts | {"searched": (place, 0) not in gathered.unsearched})
    return every


def _row(facts: dict[str, Any], *, efforts: bool, losses: bool) -> list[str]:
    low, high = facts["interval"]

    def shown(name: str, key: str) -> str:
        value = facts[name][key]
        if value is None:
            return NEVER
        return duration(value) if name == "cpu_seconds" else compact(value)

    row = [
        facts["name"],
        f"{facts['solved']} of {facts['runs']}",
        percents(low, high),
    ]
    if losses:
        row.append(NEVER if facts["median_loss"] is None else f"{facts['median_loss']:.4g}")
    if efforts:
        for name in ("evaluations", "cpu_seconds"):
            row += [shown(name, "median_to_solve"), shown(name, "ert")]
    return row
