"""What reports and textbooks call things: a Sphinx extension that writes the tables.

In a page, `<!-- terms: report-000 -->` becomes the table of a report, and
`<!-- terms: textbooks -->` that of the textbooks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from genoku.evolve.recipe import as_inline_toml
from genoku.evolve.terms import Meaning, terms
from genoku.puzzle.bundled_puzzles import bundled

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

MARK = re.compile(r"<!-- terms: ([\w-]+) -->")
TEXTBOOKS = "textbooks"


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", write_page)
    app.connect("env-get-outdated", pages_with_marks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the marks of a page."""
    del app, page
    source[0] = MARK.sub(lambda found: table(found[1]), source[0])


def pages_with_marks(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """List the pages to read on every build, because the code may have changed."""
    del app, added, changed, removed
    return [page for page in env.found_docs if MARK.search(env.doc2path(page).read_text("utf-8"))]


def table(source: str) -> str:
    """Return the table of a report, such as `report-000`, or of the textbooks."""
    report = source.replace("-", " ")
    entries: dict[tuple[str, ...], list[Meaning]] = {}
    for each in terms():
        if belongs_to(each, source):
            key = each.text, target(each), each.source
            entries.setdefault(key, []).append(each)
    rows = [*map(entry_row, entries.values()), *puzzle_rows(report)]
    return "\n".join(("| term | here | what it means | source |", "|---|---|---|---|", *rows))


def belongs_to(meaning: Meaning, source: str) -> bool:
    """Return whether a meaning is in the table of a source."""
    if source == TEXTBOOKS:
        return not meaning.cite.startswith("report-")
    return meaning.cite.partition(", ")[0] == source


def entry_row(meanings: list[Meaning]) -> str:
    """Return the row of meanings that differ only in their term."""
    names = ", ".join(each.term.replace("|", "\\|") for each in meanings)
    first = meanings[0]
    place = first.cite.partition(", ")[2] if first.cite.startswith("report-") else first.source
    return f"| {names} | {target(first)} | {first.text} | {place} |"


def puzzle_rows(report: str) -> Iterator[str]:
    """Yield the rows of a report's puzzles."""
    for name, each in bundled().items():
        if each.aliases and each.source.startswith(report):
            names = ", ".join(each.aliases)
            yield f"| {names} | the puzzle `{name}` | {each.note} | |"


def target(meaning: Meaning, folder: str = "") -> str:
    """Return what is meant, as Markdown with a link to a part on a page in `folder`."""
    if meaning.kind == "option":
        settings = [f"`{path} = {as_inline_toml(each)}`" for path, each in meaning.settings.items()]
        return f"{', '.join(settings)} in `{meaning.preset}`"
    if meaning.kind == "word":
        in_shell = meaning.name.startswith(("--", "genoku "))
        return f"`{meaning.name}`" if in_shell else meaning.name
    if meaning.kind == "kind":
        return f"[{meaning.name}]({folder}{meaning.name}.md)"
    if not meaning.is_part:
        return f"the {meaning.kind} `{meaning.name}`"
    link = f"[`{meaning.name}`]({folder}{meaning.kind}.md#{meaning.name})"
    shown = {key: each for key, each in meaning.settings.items() if key != "parts"}
    settings = ", ".join(f"`{key}={as_inline_toml(each)}`" for key, each in shown.items())
    return f"{link} with {settings}" if settings else link
