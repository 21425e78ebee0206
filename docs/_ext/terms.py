"""What textbooks call things: a Sphinx extension that writes the table.

In a page, `<!-- terms: textbooks -->` becomes the table, in place of what the repository has of it
up to `<!-- end -->`. The words of the reports have pages of their own: docs/tools/words.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from genoku.evolve.recipe import as_inline_toml
from genoku.evolve.terms import Meaning, terms

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

MARK = re.compile(r"<!-- terms: textbooks -->(?:(?:(?!<!-- ).)*<!-- end -->)?", re.DOTALL)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", write_page)
    app.connect("env-get-outdated", pages_with_marks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the marks of a page."""
    del app, page
    source[0] = MARK.sub(lambda found: table(), source[0])


def pages_with_marks(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """List the pages to read on every build, because the code may have changed."""
    del app, added, changed, removed
    return [page for page in env.found_docs if MARK.search(env.doc2path(page).read_text("utf-8"))]


def table() -> str:
    """Return the table of the textbooks' terms."""
    entries: dict[tuple[str, ...], list[Meaning]] = {}
    for each in terms():
        if not each.report:
            entries.setdefault((each.text, target(each), each.source), []).append(each)
    rows = map(entry_row, entries.values())
    return "\n".join(("| term | here | what it means | source |", "|---|---|---|---|", *rows))


def entry_row(meanings: list[Meaning]) -> str:
    """Return the row of meanings that differ only in their term."""
    names = ", ".join(each.term.replace("|", "\\|") for each in meanings)
    first = meanings[0]
    return f"| {names} | {target(first)} | {first.text} | {first.source} |"


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
