"""`genoku race`: presets side by side, live, and then as a small study."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from genoku.board import Puzzle
from genoku.cli import EXIT_INPUT, EXIT_INTERRUPTED, completion
from genoku.cli.options import (
    LIMITS,
    TIME_LIMIT,
    entries_of,
    found_preset,
    jobs_option,
    json_option,
    random_entry,
    time_limit_option,
    trust_option,
    trusted,
)
from genoku.cli.output import (
    check_targets,
    compiling_announced,
    is_watched,
    print_json,
    refuse_conflicts,
    say,
)
from genoku.errors import FormatError, RecipeError, located
from genoku.formats import Entry
from genoku.words import plural

if TYPE_CHECKING:
    from genoku.engine.race import Contender
    from genoku.lab.study import Arm, Study
    from genoku.preset_library import Preset
    from genoku.recipe import Trust

SECONDS = 5.0
"""The budget of a run where none is named."""
FEWEST, MOST = 2, 4


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
@click.option(
    "--puzzle",
    metavar="WHAT",
    shell_complete=completion.puzzles,
    help="A bundled name, a board, a file with one, or random.",
    show_default="the first preset's",
)
@click.option("--box", metavar="RxC", help="Shape of the boxes, such as 2x3.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Seed of the live race.",
)
@click.option(
    "--seeds",
    type=click.IntRange(0, 10_000),
    default=10,
    metavar="N",
    help="Runs of each in the study, from SEED on; 0 for the live race alone.",
)
@click.option(
    "--until", metavar="LIMITS", help="Budget of a run.", show_default=f"seconds={SECONDS:g}"
)
@time_limit_option(about=TIME_LIMIT)
@jobs_option("Processes of the study.")
@click.option(
    "--store",
    metavar="FILE.db",
    shell_complete=completion.files,
    help="Keep the runs of the study.",
)
@click.option(
    "--report",
    metavar="FILE.html",
    shell_complete=completion.files,
    help="Write the study as a page.",
)
@click.option("--allow-conflicts", is_flag=True, help="Run even if givens clash.")
@trust_option
@json_option
def race(
    names: tuple[str, ...],
    puzzle: str | None,
    box: str | None,
    seed: int,
    seeds: int,
    until: str | None,
    time_limit: float | None,
    jobs: int,
    store: str | None,
    report: str | None,
    allow_conflicts: bool,
    trust: bool,
    as_json: bool,
) -> int:
    """Let two to four presets, or recipes in files, race each other on one puzzle."""
    if not FEWEST <= len(names) <= MOST:
        raise click.UsageError(f"expected {FEWEST} to {MOST} presets, got {len(names)}")
    if not seeds and (store or report):
        raise click.UsageError("expected --store and --report with a study: --seeds 1 or more")
    named = {"--store": store, "--report": report}
    written = {option: path for option, path in named.items() if path is not None}
    check_targets(written, kinds={"--store": "a store", "--report": "HTML"})
    if report:
        from genoku.figures import require_lab

        require_lab()  # what is missing is said before the work
    may = trusted(trust, [name.partition(":")[2] for name in names])
    presets = [_with_settings(name, may) for name in names]
    entry = _entry(puzzle, box, presets[0][0], seed)
    if not allow_conflicts and refuse_conflicts(entry.puzzle):
        return EXIT_INPUT
    study = _study(entry, presets, _budget(until, time_limit), seed, seeds, allow_conflicts, may)
    with compiling_announced():
        contenders, interrupted = _live(study, entry, seed)
    if as_json and (interrupted or not seeds):
        print_json(_record(study, entry, seed, contenders, None))
    elif not as_json:
        _tell(contenders)
    if interrupted:
        say("interrupted")
        return EXIT_INTERRUPTED
    if not seeds:
        return 0
    return _studied(study, entry, seed, contenders, jobs, store, report, as_json=as_json)


def _with_settings(text: str, trust: Trust) -> tuple[Preset, dict[str, Any], str]:
    """A preset with its changed recipe, and the name it races under."""
    from genoku.recipe import build, changed, describe

    name, colon, rest = text.partition(":")
    found = found_preset(name)
    settings = re.split(r",\s*(?=[\w.-]+=)", rest) if colon else []
    with located(source=name if name.endswith(".toml") else ""):
        asked_for = changed(found.recipe, settings, trust)
        recipe = describe(build(asked_for, trust))
    return found, recipe, f"{found.name}{colon}{rest}"


def _entry(source: str | None, box: str | None, first: Preset, seed: int) -> Entry:
    """The one puzzle of the race."""
    if source is None:
        return Entry(Puzzle.parse(first.puzzle, box=box), name=first.puzzle_name)
    if source == "random":
        return random_entry(seed, box)
    entries = entries_of([source], box)
    if len(entries) != 1:
        raise FormatError(f"{source}: expected one puzzle, got {len(entries)}")
    return entries[0]


def _budget(until: str | None, time_limit: float | None) -> str:
    from genoku.cli.plan import limited

    if until is None and time_limit is None:
        time_limit = SECONDS
    budget = limited(until or "", time_limit)
    if not budget.ways:
        raise RecipeError("expected a budget such as seconds=10 or evaluations=100000, got none")
    return str(budget.in_cpu_time())  # in the race and with the seeds after it


def _study(
    entry: Entry,
    presets: Sequence[tuple[Preset, dict[str, Any], str]],
    until: str,
    seed: int,
    seeds: int,
    allow_conflicts: bool,
    trust: Trust,
) -> Study:
    """Every contender on the one puzzle with all seeds."""
    from genoku.lab.study import Instance, Study, arm

    arms: list[Arm] = [arm(recipe, name, until=until, trust=trust) for _, recipe, name in presets]
    named = Instance(entry.name or str(entry.puzzle.geometry), entry.puzzle)
    return Study(
        f"{' against '.join(each.name for each in arms)} on {named.name}",
        tuple(arms),
        (named,),
        tuple(range(seed, seed + max(1, seeds))),
        "Which of them needs less to solve this puzzle?",
        allow_conflicts=allow_conflicts,
    )


def _live(study: Study, entry: Entry, seed: int) -> tuple[list[Contender], bool]:
    """The race; whether it was interrupted."""
    from genoku.cli.arena import arena
    from genoku.engine.race import Entrant, prepare, turns
    from genoku.interrupts import catching_interrupts
    from genoku.stopping import Until

    until = Until.parse(study.arms[0].until)
    puzzle = entry.puzzle
    given = plural(puzzle.givens, "given")
    named = f"{entry.name}: " if entry.name else ""
    title = f"{named}{puzzle.geometry}, {given}, seed {seed}"
    entrants = [Entrant(arm.name, arm.algorithm(), arm.until) for arm in study.arms]
    contenders = prepare(puzzle, entrants, seed, allow_conflicts=study.allow_conflicts)
    with arena(contenders, until, title) as look:
        look()
        with catching_interrupts() as caught:
            for _ in turns(contenders):
                look()
    return contenders, bool(caught)


def _tell(contenders: Sequence[Contender]) -> None:
    """Who won; and where everybody stood, unless that is still on the screen."""
    from genoku.cli.output import print_sentence, print_table
    from genoku.engine.race import ranked, standing
    from genoku.engine.summary import work_done
    from genoku.looks import score_text
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


def _studied(
    study: Study,
    entry: Entry,
    seed: int,
    contenders: Sequence[Contender],
    jobs: int,
    store: str | None,
    report: str | None,
    *,
    as_json: bool,
) -> int:
    """Run the study, and tell what it says."""
    from genoku.cli.heats import kept, print_study, run_heats, told_study

    with kept(store) as path:
        gathered, interrupted = run_heats(study, path, jobs)
        made = len(gathered.results)
        if as_json:
            told = told_study(gathered) if made else None
            print_json(_record(study, entry, seed, contenders, told))
        elif made:
            print_study(gathered)
        if report and not interrupted:
            _write_report(path, report, study.trust)
    if interrupted:
        say(f"interrupted after {made} of {plural(len(study), 'run')}")
        if store:
            say("The same command goes on with the others.")
        return EXIT_INTERRUPTED
    written = [each for each in (store, report) if each]
    if written:
        say(f"wrote {' and '.join(written)}")
    return 0


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
    told: dict[str, Any] | None,
) -> dict[str, Any]:
    from genoku.engine.race import finish
    from genoku.fitting import called
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
        "study": told,
    }
