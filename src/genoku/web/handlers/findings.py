"""What came of a study: the laboratory's report as data for a page, as a page, and as files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from genoku.errors import MissingExtraError, StoreError
from genoku.lab.charts import Boards, Chart, Heat, svg
from genoku.lab.export import write_csv, write_jsonl
from genoku.lab.page import Claims, Code, Details, Figure, Notice, Part, Section, Table, number
from genoku.lab.store import Store
from genoku.recipe import as_toml
from genoku.web.studyfiles import StudyFiles, files_of

Facts = dict[str, Any]
HALF, FULL = 4.2, 7.2  # inches that a drawing is wide
SHOWN = (
    "Summary",
    "Success and effort",
    "How runs proceed",
    "Where runs end",
    "Comparisons",
    "Boards",
)


def results(folder: str, name: str) -> Facts:
    """The sections of a report that say what was found; figures are SVG."""
    from genoku.lab.report import report

    with _opened(folder, name) as store:
        page = report(store)
    return {"sections": [_section(each) for each in page.sections if each.title in SHOWN]}


def report_html(folder: str, name: str) -> str:
    """The whole report, one file that needs no network."""
    from genoku.lab.report import report

    with _opened(folder, name) as store:
        return report(store).html()


def export(folder: str, name: str, kind: str, target: str) -> None:
    """Write a study's runs, its steps, its file or its store to a file of ours."""
    files = files_of(Path(folder), name)
    if kind == "toml" and files.toml.exists():
        Path(target).write_bytes(files.toml.read_bytes())
        return
    if kind == "db":
        _copy(files, target)
        return
    with Store.open(files.db) as store:
        if kind == "toml":
            Path(target).write_text(study_toml(store), encoding="utf-8")
            return
        with Path(target).open("w", encoding="utf-8", newline="") as file:
            if kind == "jsonl":
                write_jsonl(store, file)
            else:
                write_csv(store, file, histories=kind == "steps")


def study_toml(store: Store) -> str:
    """The study of a store as a file: every algorithm and puzzle in full."""
    study = store.study
    facts: Facts = {"name": study.name}
    facts |= {"question": study.question} if study.question else {}
    facts |= {"seeds": list(study.seeds)}
    facts |= {"allow_conflicts": True} if study.allow_conflicts else {}
    record = study.record
    facts["record"] = {
        "fields": list(record.fields),
        "every": record.every,
        "diversity_every": record.diversity_every,
    }
    facts["puzzles"] = [
        {"name": each, "puzzle": str(puzzle), "box": puzzle.geometry.box}
        for each, puzzle in study.instances
    ]
    facts["algorithms"] = [
        {"name": arm.name, "until": arm.until, "recipe": dict(arm.recipe)} for arm in study.arms
    ]
    return as_toml(facts)


def _opened(folder: str, name: str) -> Store:
    files = files_of(Path(folder), name)
    store = Store.open(files.db)
    if not store.done():
        store.close()
        raise StoreError("there are no runs yet, so there is nothing to show")
    return store


def _copy(files: StudyFiles, target: str) -> None:
    """A store as it is now, also while it is written."""
    Store.open(files.db).close()  # it is one
    source = sqlite3.connect(f"{files.db.absolute().as_uri()}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


def _section(section: Section) -> Facts:
    return {"title": section.title, "parts": [_part(each) for each in section.parts]}


def _part(part: Part) -> Facts:
    if isinstance(part, str):
        return {"kind": "text", "text": part}
    if isinstance(part, Notice):
        return {"kind": "notice", "text": part.text}
    if isinstance(part, Code):
        return {"kind": "code", "text": part.text}
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Figure):
        return _figure(part)
    if isinstance(part, Details):
        return {
            "kind": "details",
            "title": part.title,
            "parts": [_part(each) for each in part.parts],
        }
    return _claims(part)


def _claims(part: Claims) -> Facts:
    told = [f"- {each.text}: **{each.verdict}**. {each.evidence}" for each in part.claims]
    return {"kind": "text", "text": "\n".join(told)}


def _table(table: Table) -> Facts:
    """Cells as text, each as a person would read it."""
    columns = table.headings()
    rows = [
        [number(cell, column.decimals) for cell, column in zip(row, columns, strict=False)]
        for row in table.rows
    ]
    heads = [
        {"title": each.title, "unit": each.unit, "right": each.align == "right"} for each in columns
    ]
    return {"kind": "table", "columns": heads, "rows": rows, "caption": table.caption}


def _figure(figure: Figure) -> Facts:
    """Drawings; where the libraries for them are missing, which ones those are."""
    width = HALF if len(figure.charts) > 1 else FULL
    try:
        panels = [panel for chart in figure.charts for panel in _panels(chart, width)]
    except MissingExtraError as error:
        return {"kind": "notice", "text": str(error)}
    return {"kind": "figure", "panels": panels, "caption": figure.caption}


def _panels(chart: Chart, width: float) -> list[Facts]:
    """Drawings with their titles; where darker means more, a dark page may not turn them."""
    if isinstance(chart, Boards):
        return [
            {"title": each.caption, "svg": each.svg(), "kind": "board"} for each in chart.boards
        ]
    kind = "heat" if isinstance(chart, Heat) else "lines"
    return [{"title": chart.title, "svg": svg(chart, width), "kind": kind}]
