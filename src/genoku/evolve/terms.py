"""What the reports, their code and the textbooks call things, and what these are here.

`terms.toml` lists the terms. A term may have several meanings: report 000, report 003 and the
textbooks each have another "single point".

>>> for each in find("Single-Column crossover"):
...     print(each.kind, each.name, dict(each.settings), each.source)
crossover one-block {'by': 'column'} report 000, section 5
>>> [each.name for each in find("long_run")]
['simon-long']
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from genoku.evolve.parts import catalogue, short_citation
from genoku.evolve.presets import presets
from genoku.evolve.recipe import CATALOG, as_table
from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.text import name_key

LAST_WORDS = {  # of terms such as "uniform crossover", and the kind of part that they name
    **{kind: kind for kind in CATALOG},
    "recombination": "crossover",
    "representation": "encoding",
    "fitness function": "fitness",
    "scheme": "",
    "operator": "",
    "method": "",
    "function": "",
}


@dataclass(frozen=True)
class Meaning:
    """What a term of a report or textbook is here."""

    term: str
    """The term as its source spells it."""
    kind: str
    """A kind of part, or `kind`, `option`, `preset`, `puzzle` or `word`."""
    name: str
    """The part, kind, preset, puzzle or word; of an option its first path, or `until`."""
    text: str
    """What it means, in a line."""
    source: str = ""
    """The report or textbook; empty for genoku's own names."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    """Of a part its parameters; of an option values by their paths, or the limits by `until`."""
    preset: str = ""
    """Of an option, a preset that has it."""
    cite: str = ""
    """The source as in `references.toml`."""
    command: str = ""
    """A command that shows or does it; empty if no more than its part has to be seen."""

    @property
    def report(self) -> str:
        """The number of the report that has the term; empty for other sources."""
        key = self.cite.partition(",")[0]
        return key.removeprefix("report-") if key.startswith("report-") else ""

    @property
    def is_part(self) -> bool:
        return self.kind in CATALOG

    @property
    def target(self) -> tuple[str, str]:
        """What is meant: meanings of the same target differ only in settings."""
        return self.kind, self.name

    @property
    def recipe(self) -> dict[str, Any]:
        """The recipe of a part."""
        return {"use": self.name, **self.settings}


def find(term: str) -> list[Meaning]:
    """Return what a term means, in the order of the reports, then textbooks, then other names.

    Case, spaces, hyphens and underscores do not matter, nor singular or plural, nor whether a kind
    of part follows.

    Returns
    -------
    list of Meaning
        Empty if the term is unknown.

    Examples
    --------
    >>> [each.name for each in find("PMX")]
    ['partially-matched', 'partially-matched']
    """
    return list(_find(name_key(term)))


def terms() -> list[Meaning]:
    """Return the entries of `terms.toml`, a meaning for every name."""
    text = files("genoku.evolve").joinpath("terms.toml").read_text("utf-8")
    return [each for entry in tomllib.loads(text)["terms"] for each in _meanings(entry)]


def terms_of(kind: str, name: str) -> list[Meaning]:
    """Return the terms of reports and textbooks that mean a part, a preset or a puzzle."""
    return [
        each
        for meanings in _index().values()
        for each in meanings
        if each.source and each.target == (kind, name)
    ]


def known_terms() -> list[str]:
    """Return all terms and names, as they are spelled."""
    return list(dict.fromkeys(each.term for found in _index().values() for each in found))


def _find(key: str) -> tuple[Meaning, ...]:
    for spelling in (key, *_singular_and_plural(key)):
        if spelling in _index():
            return _index()[spelling]
    for words, kind in LAST_WORDS.items():
        for ending in (name_key(words), f"{name_key(words)}s"):
            if key.endswith(ending) and key != ending:
                found = _find(key.removesuffix(ending))
                return tuple(each for each in found if kind in ("", each.kind, each.name))
    return ()


def _singular_and_plural(key: str) -> Iterator[str]:
    """Yield other numbers of a term; of short ones none, which are abbreviations."""
    if len(key) > 3:
        yield from (key.removesuffix(ending) for ending in ("s", "es") if key.endswith(ending))
        yield f"{key}s"


@cache
def _index() -> dict[str, tuple[Meaning, ...]]:
    """All meanings by the keys of their terms."""
    found: dict[str, dict[Meaning, None]] = {}
    for each in (*terms(), *_puzzle_terms(), *_own_names(), *_deap_names()):
        found.setdefault(name_key(each.term), {})[each] = None
    return {key: tuple(meanings) for key, meanings in found.items()}


def _meanings(entry: dict[str, Any]) -> Iterator[Meaning]:
    """The meanings of an entry of `terms.toml`, one for every name."""
    kind, name, settings = _target(entry)
    spellings = {name_key(term): term for term in reversed(entry["names"])}
    for term in reversed(spellings.values()):
        yield Meaning(
            term=term,
            kind=kind,
            name=name,
            text=entry["text"],
            source=short_citation(entry["source"]),
            settings=settings,
            preset=entry.get("preset", "") if kind == "option" else "",
            cite=entry["source"],
            command=entry.get("command", ""),
        )


def _target(entry: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """What an entry of `terms.toml` leads to: its kind, name and settings."""
    if "set" in entry:
        return "option", next(iter(entry["set"])), entry["set"]
    if "until" in entry:
        return "option", "until", {"until": entry["until"]}
    for kind in ("preset", "kind", "puzzle", "word"):
        if kind in entry:
            return kind, entry[kind], {}
    kind = next(kind for kind in CATALOG if kind in entry)
    settings = as_table(kind, entry[kind])
    return kind, settings.pop("use"), settings


def _puzzle_terms() -> Iterator[Meaning]:
    """The names of puzzles in their reports."""
    for name, each in bundled().items():
        for alias in each.aliases:
            yield Meaning(alias, "puzzle", name, each.note, each.source)


def _own_names() -> Iterator[Meaning]:
    """The names of parts, their kinds, presets and puzzles."""
    for kind in CATALOG:
        yield Meaning(kind, "kind", kind, "")
    for row in catalogue():
        yield Meaning(row["name"], row["kind"], row["name"], row["doc"])
    for preset in presets():
        yield Meaning(preset.name, "preset", preset.name, preset.title)
    for name, each in bundled().items():
        yield Meaning(name, "puzzle", name, each.source)


def _deap_names() -> Iterator[Meaning]:
    for row in catalogue():
        for name in row["deap"]:
            yield Meaning(name, row["kind"], row["name"], row["doc"], "DEAP 1.4")
