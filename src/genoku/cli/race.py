"""`genoku race`: presets side by side, live, and then as a small study."""

from __future__ import annotations

import math
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INPUT, EXIT_INTERRUPTED, completion
from genoku.cli.options import (
    ALLOW_CONFLICTS,
    BOX,
    INPUT,
    LIMITS,
    PUZZLE_NAME,
    TRUST,
    add_options,
    combine_limits,
    command,
    file_field,
    json_option,
    load_preset,
    option_field,
    read_entries,
    time_limit_field,
    trusted_modules,
    whole_number,
)
from genoku.cli.output import (
    announcing_compilation,
    can_redraw,
    check_output_files,
    print_json,
    print_sentence,
    print_table,
    say,
)
from genoku.cli.runs import may_run
from genoku.errors import FormatError, RecipeError, locate_errors
from genoku.evolve.stopping import LANES, Stop, Until
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import Entry
from genoku.runtime.signals import catch_interrupts
from genoku.runtime.text import format_count, format_duration

if TYPE_CHECKING:
    from genoku.engine.race import RaceRun
    from genoku.evolve.presets import Preset
    from genoku.evolve.recipe import Trust
    from genoku.evolve.state import Algorithm
    from genoku.lab.report.data import ReportData
    from genoku.lab.report.page import Page
    from genoku.lab.study import Arm, Study

SECONDS = 5.0  # default budget of a run


@dataclass(frozen=True)
class RaceOptions:
    """The options of a race and its study."""

    puzzle: str | None = option_field(
        'A board, the name of a puzzle, a file with one puzzle, "empty 9" or random.',
        **PUZZLE_NAME,
        show_default="the first preset's",
    )
    seed: int = option_field("Random seed of the live race.", **whole_number(0, least=0))
    time_limit: float | None = time_limit_field()
    until: str | None = option_field(
        "Budget of a run.", metavar="LIMITS", show_default=f"seconds={SECONDS:g}"
    )
    seeds: int = option_field(
        "Runs of each preset in the study, from --seed on; 0 for the live race alone.",
        **whole_number(10, least=0, most=10_000),
    )
    jobs: int = option_field("Processes for the study.", **whole_number(1))
    store: str | None = file_field("Keep the runs of the study.", metavar="FILE.db")
    report: str | None = file_field("Write a report on the study.", metavar="FILE.html")
    box: str | None = option_field(BOX, metavar="RxC", group=INPUT)
    allow_conflicts: bool = option_field(ALLOW_CONFLICTS, group=INPUT)
    trust: bool = option_field(TRUST, group=INPUT)


@command(epilog=LIMITS)
@click.argument(
    "names", nargs=-1, metavar="PRESET[:KEY=VALUE]…", shell_complete=completion.presets_or_files
)
@add_options("options", RaceOptions)
@json_option
def race(names: tuple[str, ...], options: RaceOptions, as_json: bool) -> int:
    """Race two to four presets or recipe files on one puzzle.

    Examples:
      genoku race sundy charles                      5 seconds each, then 10 seeds each
      genoku race champion annealing tabu --puzzle golden-nugget
      genoku race sundy sundy:population=100 --puzzle charles-easy
      genoku race simon charles --time-limit 20 --seeds 0      the live race alone
      genoku race memetic mine.toml --puzzle random --until evaluations=1000000 --json
      genoku race champion tabu memetic --seeds 40 --jobs 2 --report race.html

    The contenders take turns on one processor, so that all have had the same CPU time at any
    moment. The one that solves the puzzle in the least CPU time wins; if none does, the fewest
    errors left win. The others continue until their budgets are spent, or Ctrl-C. One race proves
    little, so a study follows: every contender with the same seeds and budget, and a test of
    whether they differ.

    PRESET:KEY=VALUE,KEY=VALUE changes a preset, like --set of `genoku evolve`. A name that ends in
    .toml is a recipe file.
    """
    fewest, most = LANES
    if not fewest <= len(names) <= most:
        raise click.UsageError(f"expected {fewest} to {most} presets, got {len(names)}")
    seeds, store, report = options.seeds, options.store, options.report
    if not seeds and (store or report):
        raise click.UsageError("--store and --report require a study: --seeds 1 or more")
    kinds = {"--store": "a store", "--report": "HTML"}
    written = check_output_files({"--store": store, "--report": report}, kinds=kinds)
    if report:
        from genoku.present.figures import require_lab

        require_lab()  # fail before the work
    may = trusted_modules(options.trust, [name.partition(":")[2] for name in names])
    presets = [_with_settings(name, may) for name in names]
    entry = _entry(options, presets[0][0])
    if not may_run(entry, [found for found, *_ in presets], options.allow_conflicts):
        return EXIT_INPUT
    study = _study(entry, presets, options, may)
    with announcing_compilation():
        contenders, interrupted = _race(study, entry, options.seed)
    if not as_json:
        _print_result(contenders)
    gathered = page = None
    if seeds and not interrupted:
        from genoku.lab.report.build import build_page

        with tempfile.TemporaryDirectory(prefix="genoku-race-") as folder:
            path = store or str(Path(folder) / "race.db")
            gathered, interrupted = _run_study(study, path, options.jobs)
        page = build_page(gathered)
        if report and not interrupted:
            page.write_html(report)
    made = len(gathered.results) if gathered else 0
    if as_json:
        print_json(_record(study, entry, contenders, gathered if made else None))
    elif gathered and page and made:
        click.echo("")
        print_study(page, losses=not gathered.results.solved.all())
    if interrupted:
        after = f" after {made} of {format_count(len(study), 'run')}" if gathered else ""
        say(f"interrupted{after}")
        if gathered and store:
            say("Run the same command again to resume.")
        return EXIT_INTERRUPTED
    if written:
        say(f"wrote {' and '.join(map(str, written.values()))}")
    return 0


def _with_settings(text: str, trust: Trust) -> tuple[Preset, Algorithm, str]:
    """A preset, its changed algorithm and its name in the race."""
    from genoku.evolve.presets import choose

    name, colon, rest = text.partition(":")
    found = load_preset(name)
    settings = re.split(r",\s*(?=[\w.-]+=)", rest) if colon else []
    with locate_errors(source=name if name.endswith(".toml") else ""):
        algorithm = choose(found, "", settings=settings, trust=trust).algorithm
    return found, algorithm, f"{found.name}{colon}{rest}"


def _entry(options: RaceOptions, first: Preset) -> Entry:
    """The one puzzle of the race."""
    if options.puzzle is None:
        return Entry(Puzzle.parse(first.puzzle, box=options.box), name=first.puzzle_name)
    entries = read_entries([options.puzzle], options.box, seed=options.seed)
    if len(entries) != 1:
        raise FormatError(f"{options.puzzle}: expected one puzzle, got {len(entries)}")
    return entries[0]


def _study(
    entry: Entry,
    presets: Sequence[tuple[Preset, Algorithm, str]],
    options: RaceOptions,
    trust: Trust,
) -> Study:
    """The study of every contender on the puzzle with all seeds."""
    from genoku.lab.study import Instance, Study, arm

    budget = combine_limits(options.until, options.time_limit, f"seconds={SECONDS}")
    if not budget.ways:
        raise RecipeError("expected a budget such as seconds=10 or evaluations=100000, got none")
    until = str(budget.in_cpu_time())
    arms: list[Arm] = [arm(each, name, until=until, trust=trust) for _, each, name in presets]
    instance = Instance(entry.name or str(entry.puzzle.geometry), entry.puzzle)
    return Study(
        f"{' against '.join(each.name for each in arms)} on {instance.name}",
        tuple(arms),
        (instance,),
        tuple(range(options.seed, options.seed + max(1, options.seeds))),
        "Which of them needs less to solve this puzzle?",
        allow_conflicts=options.allow_conflicts or bool(entry.puzzle.conflicts()),
    )


def _race(study: Study, entry: Entry, seed: int) -> tuple[list[RaceRun], bool]:
    """Run the live race; whether it was interrupted."""
    from genoku.cli.live import race_watcher
    from genoku.engine.race import RaceEntry, advance_in_turns, start_runs

    until = Until.parse(study.arms[0].until)
    puzzle = entry.puzzle
    prefix = f"{entry.name}: " if entry.name else ""
    title = f"{prefix}{puzzle.geometry}, {format_count(puzzle.givens, 'given')}, seed {seed}"
    entrants = [RaceEntry(arm.name, arm.algorithm(), arm.until) for arm in study.arms]
    contenders = start_runs(puzzle, entrants, seed, allow_conflicts=study.allow_conflicts)
    with race_watcher(contenders, until, title) as update:
        update()
        with catch_interrupts() as caught:
            for _ in advance_in_turns(contenders):
                update()
    return contenders, bool(caught)


def _print_result(contenders: Sequence[RaceRun]) -> None:
    """Print the winner, and the ranking unless it is still on the screen."""
    from genoku.engine.race import outcome_text, ranking
    from genoku.engine.result import effort_text

    if not (can_redraw() and sys.stdout.isatty()):
        print_table(
            ("live race", "CPU time", "steps", "work", "errors left", "fitness"),
            [
                (
                    each.name,
                    format_duration(each.seconds),
                    f"{each.run.state.step:,}",
                    effort_text(each.run.counters()),
                    "solved" if each.solved else f"{each.errors:,}",
                    _fitness_text(each),
                )
                for each in ranking(contenders)
            ],
        )
    print_sentence(outcome_text(contenders))


def _fitness_text(contender: RaceRun) -> str:
    """The best and the mean fitness, as the report states them; empty for partial boards."""
    from genoku.engine.scale import fitness_scale

    run = contender.run
    scale = fitness_scale(run.problem)
    if scale is None:
        return ""
    return scale.statement(run.best_cost, scale.mean(run.state.costs), "").strip()


def _record(
    study: Study, entry: Entry, contenders: Sequence[RaceRun], gathered: ReportData | None
) -> dict[str, Any]:
    from genoku.engine.race import outcome
    from genoku.evolve.problem import display_name
    from genoku.evolve.recipe import describe

    winner, by, comparable = outcome(contenders)
    return {
        "puzzle": str(entry.puzzle),
        "box": entry.puzzle.geometry.box,
        "name": entry.name,
        "seed": study.seeds[0],
        "until": study.arms[0].until,
        "winner": winner.name if winner else None,
        "by": by,
        "losses_comparable": comparable,
        "race": [
            {
                "name": each.name,
                "solved": each.solved,
                "searched": each.has_searched,
                "stop_reason": str(each.stop_reason or Stop.STOPPED),
                "cpu_seconds": round(each.seconds, 6),
                "steps": each.run.state.step,
                "evaluations": each.run.state.evaluations,
                "moves": each.run.state.moves,
                "errors": each.errors,
                "cost": each.run.best_cost,
                "loss": each.loss,
                "fitness": display_name(each.run.problem.fitness),
                "recipe": describe(each.run.algorithm),
            }
            for each in contenders
        ],
        "study": None if gathered is None else _study_record(gathered),
    }


def _run_study(study: Study, path: str, jobs: int) -> tuple[ReportData, bool]:
    """Run what is missing in the store; its results, and whether Ctrl-C interrupted them."""
    from genoku.cli.study import show_progress
    from genoku.lab.report.data import read_report_data
    from genoku.lab.runner import run_study
    from genoku.lab.store import Store

    with catch_interrupts() as caught, show_progress(study, Path(path)) as watch:
        run_study(study, path, jobs=jobs, folder=str(Path.cwd()), progress=watch)
    with Store.open(path, trust=study.trust) as store:
        failures = store.failures()
        if failures:
            raise RecipeError(f"{study.arms[failures[0].arm].name}: {failures[0].message}")
        return read_report_data(store), bool(caught)


def _study_record(gathered: ReportData) -> dict[str, Any]:
    from genoku.lab.report.build import pairwise_sentence
    from genoku.lab.report.data import comparison_measure, pairwise_results, sample_size_hint
    from genoku.lab.report.page import plain

    found = pairwise_results(gathered, gathered.primary)
    arms = gathered.study.arms
    return {
        "seeds": list(gathered.study.seeds),
        "runs": len(gathered.results),
        "contenders": list(_facts_of_all(gathered)),
        "comparisons": [
            {
                "first": arms[pair.first].name,
                "second": arms[pair.second].name,
                "measure": comparison_measure(gathered, pair),
                "p": pair.corrected,
                "a12": pair.a12,
                "sentence": plain(pairwise_sentence(gathered, pair))
                if pair.differs
                else sample_size_hint(gathered, gathered.primary, pair, len(found)),
            }
            for pair in found
        ],
    }


def print_study(page: Page, *, losses: bool) -> None:
    """Print the summary and the tables of success and, if wanted, of losses of a report."""
    from genoku.lab.report.page import Notice, Table, plain

    titles = ("Summary", "Success and effort", *["Final results"] * losses)
    for part in [part for each in page.sections if each.title in titles for part in each.parts]:
        if isinstance(part, Table):
            click.echo("")
            columns = part.headings()
            rows = [list(map(plain, row)) for row in part.texts()]
            units = [each.unit for each in columns]
            print_table([each.title for each in columns], [units, *rows])
        elif isinstance(part, (str, Notice)):
            for line in (part if isinstance(part, str) else part.text).splitlines():
                print_sentence(plain(line))


def _facts_of_all(gathered: ReportData) -> Iterator[dict[str, Any]]:
    from genoku.lab.statistics import Proportion, ert, time_to_solve

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
        yield facts | {"searched": (place, 0) not in gathered.solved_without_search}
