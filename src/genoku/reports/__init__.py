"""The five reports: what each is, what its authors ran, and the numbers that they printed.

One file per report, such as `003.toml`, is the only place of these facts; the web page, the
documentation, `genoku presets`, `genoku reproduce` and the reproductions read it. What a report
leaves open and where genoku differs from it is with its presets.

>>> simon = reports()["003"]
>>> simon.authors, simon.year
(('Glen Simon',), 2017)
>>> table = simon.experiments[0].table
>>> table.columns[0], table.columns[-2]
('Run Name', 'Best Fitness')
>>> [(row[0], row[-2]) for row in table.rows][:2]
[('long_run', 180), ('run_1', 171)]
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from types import MappingProxyType
from typing import Any

PrintedCell = str | int | float | None
"""A cell of a printed table; None where nothing is printed."""


@dataclass(frozen=True)
class ReportBoard:
    """A board that a report ran on."""

    name: str
    """The report's own name."""
    puzzle: str
    """The name of a bundled puzzle, or `empty 9`."""
    level: str = ""
    """What the report calls its difficulty, or prints above it."""
    stands_in: bool = False
    """Whether the report's board is unknown, and this one of ours takes its place."""
    note: str = ""


@dataclass(frozen=True)
class PrintedTable:
    """A table as a report prints it."""

    id: str
    title: str
    where: str
    """The section, figure or table of the report."""
    columns: tuple[str, ...]
    """The headings; the first column names the row."""
    rows: tuple[tuple[PrintedCell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class PrintedValue:
    """A number in a report's text."""

    id: str
    value: float
    text: str
    """What it is the number of."""
    where: str


@dataclass(frozen=True)
class PrintedBoard:
    """A filled board that a report prints."""

    caption: str
    """Above or below it in the report: `ID: 85611 Fitness: 180`."""
    experiment: str
    """The id of the experiment with its run."""
    row: str
    """The run, as in the table of the experiment."""
    where: str
    fitness: int
    cells: str
    """The digits, row by row, separated by blanks."""


@dataclass(frozen=True)
class RunLog:
    """What a log beside a report's code says of a run."""

    improved: tuple[tuple[int, int], ...]
    """The fitness and the generation of every new best."""
    mean_at_start: float
    mean_highest: float
    mean_highest_at: int
    """The generation of the highest mean fitness."""
    mean_at_end: float


@dataclass(frozen=True)
class Setting:
    """An algorithm that a report ran, and the numbers that it printed for it."""

    row: str
    """Its row in the table of the experiment."""
    preset: str
    changes: tuple[str, ...] = ()
    """Settings of the preset, such as `population=20`."""
    board: str = ""
    """The `ReportBoard.name` that it ran on; empty if on all of the experiment."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """What the report calls its parts, by `selection`, `crossover`, `mutation`."""
    printed: Mapping[str, PrintedCell] = field(default_factory=dict[str, PrintedCell], hash=False)
    """By column of the table, what the report printed."""
    log: RunLog | None = None


@dataclass(frozen=True)
class Experiment:
    """An experiment of a report, as its authors made it."""

    id: str
    """Unique within the report, such as `2.1.1`."""
    title: str
    where: str
    measure: str
    """What the numbers are: `fitness` or `normalised loss` at the end, or `milliseconds`."""
    runs: int
    """The number of runs that the authors made of every setting."""
    boards: tuple[str, ...]
    """The `ReportBoard.name` of the boards, each run with all settings that name no other."""
    settings: tuple[Setting, ...]
    columns: tuple[str, ...]
    """The headings of its table."""
    figures: tuple[int, ...] = ()
    """The numbers of the figures, one for each board."""
    best: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """By `ReportBoard.name`, the row of the setting that the report calls the best."""
    population: int | None = None
    """As the report says; None if it says nothing, or differs between the settings."""
    generations: int | None = None
    parameters: Mapping[str, float] = field(default_factory=dict[str, float], hash=False)
    """Other parameters that all settings share, in the report's words."""
    note: str = ""

    @property
    def until(self) -> str:
        """The limits of its runs; empty if they are those of the presets."""
        return "" if self.generations is None else f"generations={self.generations}"

    @property
    def table(self) -> PrintedTable:
        """The table as printed; without values where the report shows figures only."""
        rows: dict[str, dict[str, PrintedCell]] = {}
        for each in self.settings:
            rows.setdefault(each.row, {}).update(each.printed)
        return PrintedTable(
            id=self.id,
            title=self.title,
            where=self.where,
            columns=self.columns,
            rows=tuple((row, *map(rows[row].get, self.columns[1:])) for row in rows),
            note=self.note,
        )

    def setting(self, row: str, column: str = "") -> Setting:
        """Return the setting of a row, of those with a printed value in `column` if given.

        Raises
        ------
        KeyError
            If there is none.
        """
        for each in self.settings:
            if each.row == row and (not column or column in each.printed):
                return each
        raise KeyError(row)


@dataclass(frozen=True)
class Report:
    """A report: what it did and claimed, and what it printed."""

    number: str
    """`000` to `004`."""
    name: str
    """What it is called here, such as `As Poderosas`."""
    title: str
    authors: tuple[str, ...]
    by: str
    """The authors in a sentence."""
    citation: str
    """Authors and date in a line, without the number."""
    summary: str
    """What it did, in two sentences."""
    encoding: str
    fitness: str
    operators: str
    claimed: str
    found: str
    """What its reproduction found."""
    presets: tuple[str, ...]
    """The names of its presets, the main one first."""
    year: int | None = None
    course: str = ""
    url: str = ""
    """Of its published code; empty if the report names none."""
    boards: tuple[ReportBoard, ...] = ()
    experiments: tuple[Experiment, ...] = ()
    """In the order of the report; none if it measures nothing."""
    tables: tuple[PrintedTable, ...] = ()
    """Printed tables that are not those of its experiments."""
    values: tuple[PrintedValue, ...] = ()
    printed_boards: tuple[PrintedBoard, ...] = ()

    @property
    def label(self) -> str:
        """`Report 003`."""
        return f"Report {self.number}"

    @property
    def cite(self) -> str:
        """The whole citation: `Report 003: Glen Simon, CSE 848 homework 4, October 2017`."""
        return f"{self.label}: {self.citation}"

    @property
    def source(self) -> str:
        """Title and code, such as `“Sudoku GA”, https://github.com/gsimon2/Sudoku_GA`."""
        return ", ".join(filter(None, (f"“{self.title}”", self.url)))

    def board(self, name: str) -> ReportBoard:
        """Return the board of that name in the report."""
        return _by(self.boards, "name", name)

    def experiment(self, name: str) -> Experiment:
        """Return the experiment with that id."""
        return _by(self.experiments, "id", name)

    def table(self, name: str) -> PrintedTable:
        """Return the table with that id, of an experiment or not."""
        tables = (*self.tables, *(each.table for each in self.experiments))
        return _by(tables, "id", name)

    def value(self, name: str) -> float:
        """Return the number with that id."""
        found: PrintedValue = _by(self.values, "id", name)
        return found.value


def cited_report(citation: str) -> Report | None:
    """Return the report that a citation begins with, such as that of a preset; None if none."""
    return next((each for each in reports().values() if citation.startswith(each.label)), None)


@cache
def reports() -> Mapping[str, Report]:
    """Return the reports by number, `000` to `004`."""
    folder = files("genoku.reports")
    found = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    read = (_report(name[:-5], (folder / name).read_text("utf-8")) for name in found)
    return MappingProxyType({each.number: each for each in read})


def _by(values: tuple[Any, ...], key: str, name: str) -> Any:
    """Return the value whose `key` is `name`; KeyError if there is none."""
    for each in values:
        if getattr(each, key) == name:
            return each
    raise KeyError(name)


def _report(number: str, text: str) -> Report:
    facts = _frozen(tomllib.loads(text))
    makers: dict[str, Any] = {
        "boards": ReportBoard,
        "tables": PrintedTable,
        "values": PrintedValue,
        "printed_boards": PrintedBoard,
    }
    for key, make in makers.items():
        facts[key] = tuple(make(**each) for each in facts.get(key, ()))
    facts["experiments"] = tuple(map(_experiment, facts.get("experiments", ())))
    return Report(number, **facts)


def _experiment(facts: dict[str, Any]) -> Experiment:
    models = facts.pop("models", None)
    if models is not None:
        settings = tuple(_models(facts.pop("preset"), models))
    else:
        settings = tuple(map(_setting, facts.pop("settings")))
    return Experiment(**facts, settings=settings)


def _setting(facts: dict[str, Any]) -> Setting:
    log = facts.pop("log", None)
    changes = facts.pop("set", ())
    return Setting(**facts, changes=changes, log=None if log is None else RunLog(**log))


def _models(preset: str, axes: dict[str, dict[str, str]]) -> Iterator[Setting]:
    """Yield a setting for each combination, numbered from 1; the last axis changes fastest.

    `axes` has, by axis, the report's words by the labels of the preset's name.
    """
    for number, labels in enumerate(product(*axes.values()), 1):
        chosen = dict(zip(axes, labels, strict=True))
        words = {axis: axes[axis][label] for axis, label in chosen.items()}
        yield Setting(row=str(number), preset=preset.format_map(chosen), labels=words)


def _frozen(value: Any) -> Any:
    """Return the value with tuples in place of lists."""
    if isinstance(value, dict):
        return {key: _frozen(each) for key, each in value.items()}
    if isinstance(value, list):
        return tuple(_frozen(each) for each in value)
    return value
