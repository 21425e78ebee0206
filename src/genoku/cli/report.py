"""`genoku report`: write a report on a study as HTML, or as Markdown with SVG figures."""

from __future__ import annotations

from pathlib import Path

import click

from genoku.cli.completion import files
from genoku.cli.options import command, file_name, option, trust_option, trusted_modules
from genoku.cli.output import check_output_files, say
from genoku.errors import StoreError


@command()
@click.argument("store", metavar="STORE", shell_complete=files)
@option(
    "-o",
    "--output",
    help="File for the report.",
    show_default="beside STORE",
    **file_name("FILE.html"),
)
@option("--markdown", help="Also write Markdown, with SVG figures.", **file_name("FILE.md"))
@trust_option
def report(store: str, output: str | None, markdown: str | None, trust: bool) -> None:
    """Write a report on the study in STORE: answer, tables, figures, setup, how to repeat it.

    The report is one HTML file that works offline.

    Examples:
      genoku report study.db                        writes study.html
      genoku study report study.db                  the same
      genoku report study.db -o out/report.html
      genoku report study.db --markdown paper.md    also writes paper.md and paper-figures/*.svg

    A report can be written while the study runs; it says how many runs are done.
    """
    from genoku.cli.study import store_path
    from genoku.lab.report import report as report_of
    from genoku.lab.store import Store
    from genoku.present.figures import require_lab

    require_lab()  # fail before the work
    source = store_path(store)
    page_file = Path(output) if output else source.with_suffix(".html")
    kinds = {"-o": "HTML", "--markdown": "Markdown"}
    written = check_output_files(
        {"-o": page_file, "--markdown": markdown}, {"STORE": source}, kinds
    )
    with Store.open(source, trust=trusted_modules(trust)) as opened:
        if not opened.done():
            raise StoreError(
                f"{source}: expected runs to report, got none; run: genoku study resume {source}"
            )
        page = report_of(opened)
    page.write_html(page_file)
    if markdown:
        page.write_markdown(markdown)
    say(f"wrote {', '.join(map(str, written.values()))}")
