"""`genoku report`: what a study found, as one HTML file, and as Markdown with SVG."""

from __future__ import annotations

from pathlib import Path

import click

from genoku.cli.completion import files
from genoku.cli.options import file_option, trust_option, trusted
from genoku.cli.output import check_targets, say


@click.command(
    epilog="""\b
Examples:
  genoku report study.db                        writes study.html
  genoku study report study.db                  does the same
  genoku report study.db -o out/report.html
  genoku report study.db --markdown paper.md    and paper-figures/*.svg

\b
A study may be reported while it runs: the page says how many of its runs are there.
"""
)
@click.argument("store", metavar="STORE", shell_complete=files)
@file_option("-o", "--output", metavar="FILE.html", about="The page.", show_default="beside STORE")
@file_option("--markdown", metavar="FILE.md", about="Markdown too, its figures as SVG files.")
@trust_option
def report(store: str, output: str | None, markdown: str | None, trust: bool) -> int:
    """Report what the study in STORE found: answer, tables, figures, set-up, how to repeat it.

    The page is one file and needs no network.
    """
    from genoku.cli.study import store_of
    from genoku.errors import StoreError
    from genoku.figures import require_lab
    from genoku.lab.report import report as report_of
    from genoku.lab.store import Store

    require_lab()  # what is missing is said before the work
    source = store_of(store)
    page_file = Path(output) if output else source.with_suffix(".html")
    kinds = {"-o": "HTML", "--markdown": "Markdown"}
    written = check_targets({"-o": page_file, "--markdown": markdown}, {"STORE": source}, kinds)
    with Store.open(source, trust=trusted(trust)) as opened:
        if not opened.done():
            raise StoreError(
                f"{source}: expected runs to report, got none yet: genoku study resume {source}"
            )
        page = report_of(opened)
    page.write_html(page_file)
    if markdown:
        page.write_markdown(markdown)
    say(f"wrote {', '.join(map(str, written.values()))}")
    return 0
