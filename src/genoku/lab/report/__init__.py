"""The report of a study: question, answer, tables, figures, set-up, and how to run it again.

>>> from genoku.lab.store import Store
>>> with Store.open("study.db") as store:                                   # doctest: +SKIP
...     report(store).write_html("report.html")
"""

from __future__ import annotations

from genoku.lab.page import Page, Part, Section, literal
from genoku.lab.report import factors, pictures, tables
from genoku.lab.report.budgets import UNITS, Unit
from genoku.lab.report.comparing import Overall, Pair, Ranking, overall, pairs, ranking
from genoku.lab.report.gathering import Gathered, gather
from genoku.lab.report.setting import again, methods, setup
from genoku.lab.report.summary import summary
from genoku.lab.store import Store
from genoku.words import plural

__all__ = ["report"]


def report(store: Store) -> Page:
    """The report of what is in a store, complete or not."""
    gathered = gather(store)
    units = UNITS if gathered.primary == UNITS[0] else UNITS[::-1]
    found: dict[Unit, list[Pair]] = {unit: pairs(gathered, unit) for unit in units}
    ranked = ranking(gathered, gathered.primary)
    over = overall(gathered, found[gathered.primary])
    study = gathered.study
    effects = factors.contrasts(gathered)
    sections = [Section("Summary", summary(gathered, found, ranked, over, effects))]
    if len(gathered.results):
        sections += _results(gathered)
        if effects:
            sections.append(Section("Main effects", (factors.table(gathered, effects),)))
        if len(study.arms) > 1:
            parts: list[Part] = []
            for unit in units:
                parts += tables.compared(gathered, unit, found[unit])
            parts += _over_puzzles(gathered, ranked, over)
            sections.append(Section("Comparisons", tuple(parts)))
        sections.append(Section("Boards", tuple(pictures.boards(gathered))))
    sections += [
        Section("Set-up", setup(gathered)),
        Section("Methods", methods()),
        Section("How to reproduce", again(gathered)),
    ]
    title = study.question or f"Study {study.name}"
    size = (
        f"{plural(len(study.arms), 'algorithm')} × {plural(len(study.instances), 'puzzle')} × "
        f"{plural(len(study.seeds), 'seed')} = {plural(len(study), 'run')}"
    )
    named = f"Study **{literal(study.name)}**: " if study.question and study.name else ""
    return Page(
        literal(title), f"{named}{size}.", tuple(sections), f"Made by genoku {gathered.version}."
    )


def _results(gathered: Gathered) -> list[Section]:
    return [
        Section("Success and effort", (*pictures.success(gathered), *tables.success(gathered))),
        Section(
            "How runs proceed",
            (*pictures.convergence(gathered), *pictures.running_times(gathered)),
        ),
        Section(
            "Where runs end",
            (
                *pictures.final_losses(gathered),
                *tables.closeness(gathered),
                *pictures.settings_maps(gathered),
                *pictures.rates(gathered),
            ),
        ),
    ]


def _over_puzzles(
    gathered: Gathered, ranked: Ranking | str, over: list[Overall] | str
) -> list[Part]:
    """What the tests over all puzzles say, or why they say nothing."""
    told = ranked if isinstance(ranked, str) else pictures.rank_picture(gathered, ranked)
    more = over if isinstance(over, str) else tables.over_puzzles(gathered, over)
    return [told, more] if more else [told]
