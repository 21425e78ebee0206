"""The report of a study: question, answer, tables, figures, set-up, and how to run it again.

>>> from genoku.lab.store import Store
>>> with Store.open("study.db") as store:                                   # doctest: +SKIP
...     report(store).write_html("report.html")
"""

from __future__ import annotations

from genoku.lab.page import Page, Part, Section, literal
from genoku.lab.report import figures, tables
from genoku.lab.report.comparisons import (
    Overall,
    Pair,
    Ranking,
    contrasts,
    overall,
    pairs,
    ranking,
)
from genoku.lab.report.data import UNITS, Gathered, Unit, gather
from genoku.lab.report.setup import again, methods, setup
from genoku.lab.report.summary import summary
from genoku.lab.store import Store
from genoku.words import plural, runs_of

__all__ = ["report"]


def report(store: Store) -> Page:
    """The report of what is in a store, complete or not."""
    gathered = gather(store)
    units = UNITS if gathered.primary == UNITS[0] else UNITS[::-1]
    found: dict[Unit, list[Pair]] = {unit: pairs(gathered, unit) for unit in units}
    ranked = ranking(gathered, gathered.primary)
    over = overall(gathered, found[gathered.primary])
    study = gathered.study
    effects = contrasts(gathered)
    sections = [Section("Summary", summary(gathered, found, ranked, over, effects))]
    if len(gathered.results):
        sections += _results(gathered)
        if effects:
            sections.append(Section("Main effects", (tables.effects(gathered, effects),)))
        if len(study.arms) > 1:
            parts: list[Part] = []
            for unit in units:
                parts += tables.compared(gathered, unit, found[unit])
            parts += _over_puzzles(gathered, ranked, over)
            sections.append(Section("Comparisons", tuple(parts)))
        sections.append(Section("Boards", tuple(figures.boards(gathered))))
    sections += [
        Section("Set-up", setup(gathered)),
        Section("Methods", methods()),
        Section("How to reproduce", again(gathered)),
    ]
    title = study.question or f"Study {study.name}"
    made_of = runs_of(len(study.arms), len(study.instances), len(study.seeds))
    size = f"{made_of} = {plural(len(study), 'run')}"
    named = f"Study **{literal(study.name)}**: " if study.question and study.name else ""
    return Page(
        literal(title), f"{named}{size}.", tuple(sections), f"Made by genoku {gathered.version}."
    )


def _results(gathered: Gathered) -> list[Section]:
    return [
        Section("Success and effort", (*figures.success(gathered), *tables.success(gathered))),
        Section(
            "How runs proceed",
            (*figures.convergence(gathered), *figures.running_times(gathered)),
        ),
        Section(
            "Where runs end",
            (
                *figures.final_losses(gathered),
                *tables.closeness(gathered),
                *figures.settings_maps(gathered),
                *figures.rates(gathered),
            ),
        ),
    ]


def _over_puzzles(
    gathered: Gathered, ranked: Ranking | str, over: list[Overall] | str
) -> list[Part]:
    """What the tests over all puzzles say, or why they say nothing."""
    told = ranked if isinstance(ranked, str) else figures.rank_picture(gathered, ranked)
    more = over if isinstance(over, str) else tables.over_puzzles(gathered, over)
    return [told, more] if more else [told]
