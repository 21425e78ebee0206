"""`python3 run.py reproduce --claims`: studies of a report's experiments, and its claims judged."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import click

from genoku.cli import EXIT_INTERRUPTED
from genoku.cli.output import check_distinct_files, check_output_files, print_json, say
from genoku.cli.study import show_progress
from genoku.runtime.text import format_count
from genoku.runtime.workers import cores
from reproductions import REPORTS, Reproduced, Scale, reproduce as make, studies_of, write_claims
from reproductions.own_experiment import own_experiment

HEADS = {"holds": "These claims hold:", "fails": "These fail:", "undecided": "Undecided are:"}


@click.command(
    "run.py reproduce --claims",
    epilog="""\b
Examples:
  python3 run.py reproduce --claims                 list the reports
  python3 run.py reproduce 002 --claims --quick     a minute's version
  python3 run.py reproduce 000 --claims             all of it, some minutes
  python3 run.py reproduce 003 --claims -o simon.html --markdown simon.md
  python3 run.py reproduce 003                      only its own experiment, in seconds
""",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.argument("report", required=False)
@click.option("--quick", is_flag=True, help="Fewer seeds: about a minute on two cores.")
@click.option(
    "--seeds", type=click.IntRange(min=1), metavar="N", help="Number of seeds of every study."
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes.",
    show_default="one per core",
)
@click.option(
    "-o", "--output", metavar="FILE.html", help="The page.", show_default="index.html in DIR"
)
@click.option("--markdown", metavar="FILE.md", help="The page as Markdown with SVG figures too.")
@click.option(
    "--dir",
    "folder",
    metavar="DIR",
    help="Where the runs are kept.",
    show_default="reproduce-REPORT",
)
@click.option("--json", "as_json", is_flag=True, help="Print claims and figures as one object.")
def reproduce(
    report: str | None,
    quick: bool,
    seeds: int | None,
    jobs: int | None,
    output: str | None,
    markdown: str | None,
    folder: str | None,
    as_json: bool,
) -> int:
    """Run the experiments of REPORT (000 to 004) with many seeds, and say which claims hold.

    Writes the page, and claims.json beside it. The page of the full version begins with the
    report's own tables and figures, as `genoku reproduce` makes them.

    Runs are kept: the same command resumes an interrupted one, and a full version takes over those
    of a quick one that have the same budget.
    """
    if report is None:
        for number, name in REPORTS.items():
            click.echo(f"{number}  {name}")
        return 0
    _require_all()
    scale = Scale(quick, seeds)
    studies = studies_of(report, scale)
    place = Path(folder or f"reproduce-{report}")
    page = Path(output) if output else place / "index.html"
    targets = {"-o": page, "claims": page.parent / "claims.json"}
    if markdown is not None:
        paper = Path(markdown)
        targets["--markdown"] = paper
        targets["claims of --markdown"] = paper.parent / f"{paper.stem}-claims.json"
    check_distinct_files(targets)
    outside = {option: path for option, path in targets.items() if path.parent != place}
    check_output_files(outside, kinds={"-o": "HTML", "--markdown": "Markdown"})
    runs = format_count(sum(map(len, studies.values())), "run")
    say(f"report {report}: {runs} in {', '.join(studies)}")
    try:
        found = make(report, scale, place, jobs=jobs or cores(), shown=show_progress)
        if not scale.options:
            say("the report's own experiment")
            found = replace(found, own=own_experiment(report, jobs or cores()))
    except KeyboardInterrupt:
        again = shlex.join(["python3", "run.py", "reproduce", "--claims", *sys.argv[1:]])
        say(f"interrupted; the runs so far are in {place}. Resume with: {again}")
        return EXIT_INTERRUPTED
    found.page.write_html(page)
    if markdown is not None:
        found.page.write_markdown(markdown)
    for option, path in targets.items():
        if option.startswith("claims"):
            write_claims(found, path)
    if as_json:
        print_json(found.facts)
    else:
        _tell(found)
    say(f"wrote {', '.join(map(str, targets.values()))}; the runs are in {place}")
    return 0


def _require_all() -> None:
    """Check for missing extras before minutes of work."""
    from genoku.lab.statistics import scipy_module
    from genoku.present.figures import require_lab

    require_lab()
    scipy_module("stats")


def _tell(found: Reproduced) -> None:
    """Print the claims by verdict, a line each, then our own findings."""
    if found.scale.warning:
        click.echo(found.scale.warning)
    for verdict, head in HEADS.items():
        chosen = [each for each in found.claims if each.verdict == verdict]
        if chosen:
            click.echo(head)
            for each in chosen:
                click.echo(f"  {each.text} ({each.where})")
    if found.observations:
        click.echo("What else we found:")
        for each in found.observations:
            click.echo(f"  {each.text} ({each.verdict})")
    counts = found.facts["counts"]
    click.echo(
        f"{len(found.claims)} claims: {counts['holds']} hold, {counts['fails']} fail, "
        f"{counts['undecided']} undecided."
    )
