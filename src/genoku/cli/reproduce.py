"""`genoku reproduce`: a report's own experiments again, and which of its claims hold."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INTERRUPTED, completion
from genoku.cli.output import check_targets, print_json, refuse_clashes, same_command, say
from genoku.words import plural
from genoku.workers import cores

if TYPE_CHECKING:
    from genoku.lab.reproduce import Findings, Reproduction, Scale

HEADS = {"holds": "These claims hold:", "fails": "These fail:", "undecided": "Undecided are:"}


@click.command(
    epilog="""\b
Examples:
  genoku reproduce 002 --quick              a minute's version
  genoku reproduce 000                      all of it, some minutes
  genoku reproduce 003 -o simon.html --markdown simon.md

\b
Reports: 000 As Poderosas, 001 Eran & Shahar, 002 charles, 003 Glen Simon, 004 Sundy.
"""
)
@click.argument("report", shell_complete=completion.reports)
@click.option("--quick", is_flag=True, help="Fewer seeds: about a minute on two cores.")
@click.option(
    "--seeds", type=click.IntRange(min=1), metavar="N", help="So many seeds in place of its own."
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes.",
    show_default="one per core",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE.html",
    shell_complete=completion.files,
    help="The page.",
    show_default="index.html in DIR",
)
@click.option(
    "--markdown",
    metavar="FILE.md",
    shell_complete=completion.files,
    help="The page as Markdown with SVG figures too.",
)
@click.option(
    "--dir",
    "folder",
    metavar="DIR",
    shell_complete=completion.folders,
    help="Where the runs are kept.",
    show_default="reproduce-REPORT",
)
@click.option("--json", "as_json", is_flag=True, help="Print claims and figures as one object.")
def reproduce(
    report: str,
    quick: bool,
    seeds: int | None,
    jobs: int | None,
    output: str | None,
    markdown: str | None,
    folder: str | None,
    as_json: bool,
) -> int:
    """Run the experiments of REPORT (000 to 004) again, and say which of its claims hold.

    Runs are kept: what is interrupted goes on with the same command, and a full version takes over
    those of a quick one that have the same budget.
    """
    from genoku.lab.reproduce import Scale, reproduction

    _require_all()
    chosen, scale = reproduction(report), Scale(quick, seeds)
    place = Path(folder or f"reproduce-{report}")
    targets = {"-o": Path(output) if output else place / "index.html"}
    if markdown is not None:
        targets["--markdown"] = Path(markdown)
    refuse_clashes(targets)
    outside = {option: path for option, path in targets.items() if path.parent != place}
    check_targets(outside, kinds={"-o": "HTML", "--markdown": "Markdown"})
    try:
        found = _found(chosen, scale, place, jobs or cores())
    except KeyboardInterrupt:
        again = same_command("reproduce")
        say(f"interrupted; the runs so far are in {place}. Go on with: {again}")
        return EXIT_INTERRUPTED
    page = chosen.page(found, scale)
    page.write_html(targets["-o"])
    if markdown is not None:
        page.write_markdown(markdown)
    if as_json:
        print_json(_facts(chosen, scale, found))
    else:
        _tell(found, scale)
    say(f"wrote {', '.join(map(str, targets.values()))}; the runs are in {place}")
    return 0


def _require_all() -> None:
    """Say what is not installed before minutes of work, not after them."""
    from genoku.figures import require_lab
    from genoku.lab.statistics.samples import special

    require_lab()
    special("stats")


def _found(chosen: Reproduction, scale: Scale, place: Path, jobs: int) -> Findings:
    from genoku.cli.study import shown
    from genoku.lab.reproduce import reproduce as make

    studies = chosen.studies(scale)
    runs = sum(map(len, studies.values()))
    say(f"{chosen.title}: {plural(runs, 'run')} in {', '.join(studies)}")
    return make(chosen, scale, place, jobs=jobs, shown=shown)


def _tell(found: Findings, scale: Scale) -> None:
    """The claims by verdict, a line each; what is ours after them."""
    claims = found.claims
    if scale.warning:
        click.echo(scale.warning)
    for verdict, head in HEADS.items():
        chosen = [each for each in claims if each.verdict == verdict]
        if chosen:
            click.echo(head)
            for each in chosen:
                click.echo(f"  {each.text} ({each.where})")
    if found.observations:
        click.echo("What else we found:")
        for each in found.observations:
            click.echo(f"  {each.text} ({each.verdict})")
    counts = {word: sum(each.verdict == word for each in claims) for word in HEADS}
    click.echo(
        f"{len(claims)} claims: {counts['holds']} hold, {counts['fails']} fail, "
        f"{counts['undecided']} undecided."
    )


def _facts(chosen: Reproduction, scale: Scale, found: Findings) -> dict[str, Any]:
    return {
        "report": chosen.number,
        "title": chosen.title,
        "quick": scale.quick,
        "seeds": scale.seeds,
        "claims": [asdict(each) for each in found.claims],
        "observations": [asdict(each) for each in found.observations],
        "figures": found.figures,
    }
