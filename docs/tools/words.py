"""Write the pages of the reports' words, docs/words/000.md to 004.md, and their pictures.

    python docs/tools/words.py

The terms are those of src/genoku/evolve/terms.toml, the rest is from src/genoku/reports. A test
compares the text; `<!-- picture: NAME -->` to `<!-- end -->` is drawn anew on the site.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

DOCS = Path(__file__).parents[1]
PAGES = DOCS / "words"
sys.path.insert(0, str(DOCS / "_ext"))

from pictures import picture_named  # noqa: E402
from standalone import caption, in_markdown, write  # noqa: E402
from terms import target  # noqa: E402

from genoku.cli.terms import command_for  # noqa: E402
from genoku.evolve.terms import Meaning, terms  # noqa: E402
from genoku.puzzle.bundled_puzzles import bundled  # noqa: E402
from genoku.reports import Report, reports  # noqa: E402

WIDTH = 124
SECTIONS = {
    "Boards and runs": ("word",),
    "Representation": ("encoding",),
    "Fitness": ("fitness",),
    "Selection": ("selection",),
    "Crossover": ("crossover",),
    "Mutation": ("mutation", "repeats", "adaptation"),
    "Replacement and diversity": ("replacement", "diversity"),
    "Algorithm": ("algorithm",),
    "Parameters": ("option",),
    "Runs and models": ("preset",),
}
SHOWN: dict[str, dict[str, dict[str, str]]] = {
    "000": {
        "Crossover": {
            "000-row-crossover": "Row crossover",
            "000-single-column-crossover": "Single column crossover",
            "000-single-point-crossover": "Single point crossover",
        },
        "Mutation": {"000-row-mutation": "Row mutation"},
    },
    "001": {
        "Representation": {"encoding-legal-cells": "Legal values"},
        "Crossover": {"001-point-of-crossover": "One random point of crossover"},
        "Mutation": {"001-random-gene": "A random gene gets a different legal value"},
        "Algorithm": {"algorithm-min-conflicts": "The worst cell first, with downhill moves"},
    },
    "002": {
        "Boards and runs": {"002-box-to-row": "box_to_row"},
        "Crossover": {"002-two-point-crossover": "Two point crossover, by columns"},
        "Mutation": {"002-swap-in-box": "swap_in_box"},
    },
    "003": {
        "Fitness": {"fitness-complete-units": "The fitness map"},
        "Crossover": {"003-block-crossover": "Single point crossover at the block level"},
        "Mutation": {"003-block-shuffle": "The values of a random block are shuffled"},
    },
    "004": {
        "Representation": {"encoding-permuted-boxes": "Sub-grids with all digits"},
        "Crossover": {"004-crossover-mask": "Uniform crossover with a mask"},
        "Mutation": {"004-swap-mutation": "Swap mutation"},
    },
}
"""The pictures of a report's page, by section, and their titles."""


def page(report: Report, captions: dict[str, str]) -> str:
    """Return the page of a report's words, with the captions of its pictures."""
    return "\n\n".join(blocks(report, captions)) + "\n"


def blocks(report: Report, captions: dict[str, str]) -> Iterator[str]:
    """Yield the blocks of a page."""
    number = report.number
    by = f"{report.by}, {report.year}" if report.year else report.by
    yield f"# Your report's words: {number}, {report.name}"
    yield "<!-- python docs/tools/words.py writes this page -->"
    told = (
        f"*{report.title}*, by {by}. What its text and its code call things, and what these are in "
        f"genoku. Any of these words is understood, in any spelling: `genoku operators WORD`."
    )
    yield "\n".join(textwrap.wrap(told, WIDTH, break_on_hyphens=False))
    yield "\n".join(doors(report))
    used = [each for each in terms() if each.report == number]
    for title, kinds in SECTIONS.items():
        chosen = [each for each in used if section_of(each) in kinds]
        if not chosen:
            continue
        yield f"## {title}"
        yield "\n".join(table(chosen))
        for name, heading in SHOWN[number].get(title, {}).items():
            made = in_markdown(name, captions.get(name, ""), heading)
            yield f"**{heading}.**"
            yield f"<!-- picture: {name} -->\n{made}\n<!-- end -->"
    if rows := list(puzzles(report)):
        yield "## Puzzles"
        yield "\n".join(("| your word | here | what it is | see it |", "|---|---|---|---|", *rows))


def section_of(meaning: Meaning) -> str:
    """Return the kind under which a meaning is listed: a kind of part under itself."""
    return meaning.name if meaning.kind == "kind" else meaning.kind


def doors(report: Report) -> Iterator[str]:
    """Yield the lines of the commands to begin with."""
    yield "| begin with | in the shell |"
    yield "|---|---|"
    yield f"| its run, on the screen | `genoku evolve --preset {report.presets[0]}` |"
    yield f"| its experiment, printed numbers beside ours | `genoku reproduce {report.number}` |"
    yield f"| its choices and gaps, its recipe | `genoku presets {report.presets[0]}` |"
    yield (
        f"| what became of its claims | [the reproduction](../reproductions/{report.number}.md), "
        f"[what we changed and found](../reports.md) |"
    )


def table(meanings: Iterable[Meaning]) -> Iterator[str]:
    """Yield the lines of a table of words; those that differ only in their term share a row."""
    entries: dict[tuple[str, ...], list[Meaning]] = {}
    for each in meanings:
        key = each.text, target(each, "../operators/"), each.cite, see(each)
        entries.setdefault(key, []).append(each)
    yield "| your word | here | what it is | see it |"
    yield "|---|---|---|---|"
    for (text, here, cite, command), same in entries.items():
        names = ", ".join(cell(each.term) for each in same)
        place = cite.partition(", ")[2]
        said = f"{text} ({place})" if place else text
        yield f"| {names} | {here} | {cell(said)} | {command} |"


def see(meaning: Meaning) -> str:
    """Return the commands that show what is meant, as Markdown."""
    commands = [] if meaning.kind == "word" else [command_for(meaning)]
    if meaning.command:
        commands.append(meaning.command)
    return "<br>".join(f"`{each}`" for each in commands) or "–"


def puzzles(report: Report) -> Iterator[str]:
    """Yield the rows of a report's puzzles: by its names for them, then its other boards."""
    named: set[str] = set()
    for name, each in bundled().items():
        if each.aliases and each.source.startswith(f"report {report.number}"):
            named.update(each.aliases)
            terms_of = ", ".join(each.aliases)
            yield f"| {terms_of} | the puzzle `{name}` | {cell(each.note)} | `genoku show {name}` |"
    for board in report.boards:
        if board.name not in named:
            word = f"'{board.puzzle}'" if " " in board.puzzle else board.puzzle
            text = (
                "not printed; this one stands in for it"
                if board.stands_in
                else board.level or board.note
            )
            here = f"the puzzle `{board.puzzle}`"
            if board.puzzle.startswith("empty "):
                text = "a board without givens"
            yield f"| {board.name} | {here} | {cell(text)} | `genoku show {word}` |"


def cell(text: str) -> str:
    """Return a text for a cell of a table; options are code, or they would get dashes."""
    escaped = text.replace("|", "\\|").replace("<", "&lt;")
    return re.sub(r"(?<![\w`-])--[a-z][\w-]*", r"`\g<0>`", escaped)


def main() -> None:
    PAGES.mkdir(exist_ok=True)
    for number, report in reports().items():
        captions: dict[str, str] = {}
        for shown in SHOWN[number].values():
            for name in shown:
                figure = picture_named(name)
                captions[name] = caption(figure)
                write(name, figure)
        (PAGES / f"{number}.md").write_text(page(report, captions), "utf-8")


if __name__ == "__main__":
    main()
