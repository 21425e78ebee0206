"""Main effects of a grid: what each of its settings does, over all combinations of the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from genoku.lab.page import Column, Details, Part, Table, literal
from genoku.lab.report.budgets import Floats
from genoku.lab.report.comparing import MOST_TESTS, samples
from genoku.lab.report.gathering import Gathered
from genoku.lab.report.telling import name
from genoku.lab.statistics import (
    LEVEL,
    Effect,
    Proportion,
    holm,
    magnitude,
    p_text,
    stratified_a12,
    van_elteren,
)
from genoku.lab.statistics.success import percent
from genoku.lab.study import setting_text
from genoku.words import listed, plural

SHOWN_ROWS = 12
MOST_NAMED = 6
Stratum = tuple[int, int, int]
"""Two arms that differ in one setting, and a puzzle."""


@dataclass(frozen=True)
class Turned:
    """Where another setting has a value, the difference seems to go the other way."""

    key: str
    value: str
    a12: float
    p: float
    """Corrected for all values of the other settings."""


@dataclass(frozen=True)
class Contrast:
    """Two values of a setting, over all combinations of the others and all puzzles.

    The first is the one that seems better: its A12 is 0.5 or more.
    """

    key: str
    values: tuple[str, str]
    shares: tuple[Proportion, Proportion]
    effect: Effect
    strata: int
    p: float
    corrected: float = 1.0
    turned: tuple[Turned, ...] = ()

    @property
    def differs(self) -> bool:
        return self.corrected < LEVEL


def settings_of(gathered: Gathered) -> dict[str, list[str]]:
    """The settings that a grid varies, each with its values in their order."""
    found: dict[str, list[str]] = {}
    for arm in gathered.study.arms:
        for key, value in arm.settings.items():
            if (text := setting_text(value)) not in found.setdefault(key, []):
                found[key].append(text)
    return {key: values for key, values in found.items() if len(values) > 1}


def contrasts(gathered: Gathered) -> list[Contrast]:
    """Every two values of every setting, corrected after Holm over all of them.

    Nothing where there are too many to test. A budget is no setting to compare: all runs are held
    to the same one.
    """
    pairs = {
        (key, values): strata
        for key, each in settings_of(gathered).items()
        if key != "until"
        for values in combinations(each, 2)
        if (strata := _strata(gathered, key, values))
    }
    if sum(map(len, pairs.values())) > MOST_TESTS:
        return []
    found = [_contrast(gathered, *pair, strata) for pair, strata in pairs.items()]
    corrected = holm([each.p for each in found]).tolist()
    return [replace(each, corrected=p) for each, p in zip(found, corrected, strict=True)]


def _strata(gathered: Gathered, key: str, values: tuple[str, str]) -> list[Stratum]:
    """The pairs of arms that differ in nothing but these values, on each puzzle they ran on."""
    places: dict[tuple[object, ...], dict[str, int]] = {}
    for place, arm in enumerate(gathered.study.arms):
        if key in arm.settings:
            others = sorted((k, setting_text(v)) for k, v in arm.settings.items() if k != key)
            alike = (arm.name.split(", ")[0], arm.until, *others)
            places.setdefault(alike, {})[setting_text(arm.settings[key])] = place
    return [
        (*arms, instance)
        for at in places.values()
        if all(value in at for value in values)
        for arms in [(at[values[0]], at[values[1]])]
        for instance in range(len(gathered.study.instances))
        if all(len(gathered.rows(arm, instance)) for arm in arms)
    ]


def _contrast(
    gathered: Gathered, key: str, values: tuple[str, str], strata: list[Stratum]
) -> Contrast:
    if stratified_a12(_ranked(gathered, strata)).a12 < 0.5:  # the better one first
        values = values[1], values[0]
        strata = [(two, one, instance) for one, two, instance in strata]
    ranked = _ranked(gathered, strata)
    shares = []
    for side in (0, 1):
        runs = [gathered.cells[each[side], each[2]].solved for each in strata]
        shares.append(Proportion(sum(map(int, map(sum, runs))), sum(map(len, runs))))
    return Contrast(
        key,
        values,
        (shares[0], shares[1]),
        stratified_a12(ranked),
        len(strata),
        van_elteren(ranked).p,
        turned=tuple(_turned(gathered, key, strata)),
    )


def _ranked(gathered: Gathered, strata: list[Stratum]) -> list[tuple[Floats, Floats]]:
    made = [samples(gathered, gathered.primary, at, [one, two]) for one, two, at in strata]
    return [(one, two) for one, two in made]


def _turned(gathered: Gathered, key: str, strata: list[Stratum]) -> Iterator[Turned]:
    """The values of other settings with which the second seems better."""
    arms = gathered.study.arms
    parts: dict[tuple[str, str], list[Stratum]] = {}
    for each in strata:
        for other, value in arms[each[0]].settings.items():
            if other != key:
                parts.setdefault((other, setting_text(value)), []).append(each)
    ranked = [_ranked(gathered, part) for part in parts.values()]
    corrected = holm([van_elteren(each).p for each in ranked]).tolist()
    for (other, value), part, p in zip(parts, ranked, corrected, strict=True):
        if (effect := stratified_a12(part).a12) < 0.5:
            yield Turned(other, value, effect, p)


def answers(gathered: Gathered, found: list[Contrast]) -> Iterator[Part]:
    """What each setting does, in plain words."""
    if not found:
        return
    puzzles = len(gathered.study.instances)
    spans = ["all combinations of the other settings"] * _several(found)
    spans += [f"{puzzles} puzzles"] * (puzzles > 1)
    over = f" over {listed(spans)}" if spans else ""
    corrected = f", after Holm's correction for {len(found)} comparisons" if len(found) > 1 else ""
    lead = (
        f"What the settings do at equal {gathered.primary}{over} (van Elteren's test{corrected}):"
    )
    lead += "\n\n"
    chosen = found if len(found) <= MOST_NAMED else [each for each in found if each.differs]
    lines = [f"- {_sentence(each)}" for each in chosen[:MOST_NAMED]]
    if len(lines) < len(found):
        lines.append(f"- All {len(found)} comparisons stand below, under *Main effects*.")
    yield lead + "\n".join(lines)


def _several(found: list[Contrast]) -> bool:
    return len({each.key for each in found}) > 1


def _sentence(each: Contrast) -> str:
    first, second = (name(value) for value in each.values)
    one, two = (f"{percent(share.share)} %" for share in each.shares)
    low, high = each.effect.interval
    rarer = each.differs and each.shares[0].share < each.shares[1].share
    figures = (
        f"{p_text(each.corrected)}, A12 = {each.effect.a12:.2f} ({low:.2f}–{high:.2f}, "
        f"{magnitude(each.effect.a12)}); solved {one} and {two}"
        f"{', less often but sooner' if rarer else ''}"
    )
    said = f"`{each.key}`: {first} does better than {second} ({figures})."
    if not each.differs:
        said = (
            f"`{each.key}`: {first} and {second} cannot be told apart ({figures}), which is no "
            "proof that they are alike."
        )
    sure = [turn for turn in each.turned if turn.p < LEVEL]
    if sure:
        where = [f"`{turn.key}` = {turn.value} ({p_text(turn.p)})" for turn in sure]
        return f"{said} It depends: with {listed(where)} {second} does better."
    if each.turned and each.differs:
        where = [f"`{turn.key}` = {turn.value}" for turn in each.turned]
        return f"{said} With {listed(where)} {second} seems better, which these runs do not prove."
    return said


def table(gathered: Gathered, found: list[Contrast]) -> Part:
    """All comparisons of settings."""
    turning = any(each.turned for each in found)
    rows = []
    for each in sorted(found, key=lambda each: (each.corrected, each.p)):
        low, high = each.effect.interval
        names = [literal(value) for value in each.values]
        if each.differs:
            names[0] = f"**{names[0]}**"
        turned = "; ".join(
            f"{turn.key} = {turn.value} (A12 = {turn.a12:.2f}, {p_text(turn.p)})"
            for turn in each.turned
        )
        rows.append(
            (
                literal(each.key),
                *names,
                listed(percent(share.share) for share in each.shares),
                f"{each.effect.a12:.2f} ({low:.2f}–{high:.2f})",
                p_text(each.corrected, bare=True),
                *[literal(turned) or None] * turning,
            )
        )
    columns: tuple[str | Column, ...] = (
        *(Column(head, align="left") for head in ("setting", "seems better", "than")),
        Column("solved", "% of each", align="right"),
        Column("A12", "95 % interval"),
        Column("p", "after Holm"),
        *[Column("the other way round", "with", align="left")] * turning,
    )
    last = (
        " The last column names values of other settings with which the second seems better; its p "
        "are corrected within a row."
    )
    made = Table(
        columns,
        tuple(rows),
        f"Two values of a setting at equal {gathered.primary}: runs are compared where all other "
        "settings and the puzzle are the same, and what these strata say is taken together (van "
        "Elteren's test; A12 is their mean). Corrected after Holm over the "
        f"{plural(len(found), 'comparison')} of this table; bold is significant at "
        f"{100 * LEVEL:g} %.{last if turning else ''}",
    )
    return made if len(rows) <= SHOWN_ROWS else Details(f"All {len(rows)} comparisons", (made,))
