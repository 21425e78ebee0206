"""The report of a study: question, answer, tables, figures, set-up, and how to run it again.

>>> from genoku.lab.store import Store
>>> with Store.open("study.db") as store:                                   # doctest: +SKIP
...     report(store).write_html("report.html")
"""

from __future__ import annotations

from collections.abc import Iterable

from genoku.lab.page import Page, Part, Section, literal
from genoku.lab.report import figures, tables
from genoku.lab.report.comparisons import Pair, contrasts, overall, pairs, ranking
from genoku.lab.report.data import UNITS, Unit, gather
from genoku.lab.report.setup import again, methods, setup
from genoku.lab.report.summary import summary
from genoku.lab.store import Store
from genoku.words import plural, runs_of

__all__ = ["report"]


def report(store: Store) -> Page:
    """The report of what is in a store, complete or not."""
    gathered = gather(store)
    study, unit = gathered.study, gathered.primary
    units = UNITS if unit == UNITS[0] else UNITS[::-1]
    found: dict[Unit, list[Pair]] = {each: pairs(gathered, each) for each in units}
    ranked, over = ranking(gathered, unit), overall(gathered, found[unit])
    effects = contrasts(gathered)
    sections: dict[str, Iterable[Part]] = {
        "Summary": summary(gathered, found, ranked, over, effects)
    }
    if len(gathered.results):
        sections["Success and effort"] = *figures.success(gathered), *tables.success(gathered)
        sections["How runs proceed"] = (
            *figures.convergence(gathered),
            *figures.running_times(gathered),
        )
        sections["Where runs end"] = (
            *figures.final_losses(gathered),
            *tables.closeness(gathered),
            *figures.settings_maps(gathered),
            *figures.rates(gathered),
        )
        if effects:
            sections["Main effects"] = (tables.effects(gathered, effects),)
        if len(study.arms) > 1:
            tests = [
                part for each in units for part in tables.compared(gathered, each, found[each])
            ]
            # What the tests over all puzzles say, or why they say nothing.
            tests.append(ranked if isinstance(ranked, str) else figures.ranks(gathered, ranked))
            tests.append(over if isinstance(over, str) else tables.over_puzzles(gathered, over))
            sections["Comparisons"] = filter(None, tests)
        sections["Boards"] = figures.boards(gathered)
    sections["Set-up"] = setup(gathered)
    sections["Methods"] = methods()
    sections["How to reproduce"] = again(gathered)
    made_of = runs_of(len(study.arms), len(study.instances), len(study.seeds))
    named = f"Study **{literal(study.name)}**: " if study.question and study.name else ""
    return Page(
        literal(study.question or f"Study {study.name}"),
        f"{named}{made_of} = {plural(len(study), 'run')}.",
        tuple(Section(title, tuple(parts)) for title, parts in sections.items()),
        f"Made by genoku {gathered.version}.",
    )
