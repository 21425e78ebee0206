"""`genoku convert` and `genoku puzzles`: files of puzzles, and those that come with genoku."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

import click

from genoku import collection
from genoku.board import Board
from genoku.cli.generate import Sheets
from genoku.cli.options import Reading, json_option, option_group, output_option, reads_puzzles
from genoku.cli.output import kind_of, print_json, ready_kernels, results_stream, say, with_progress
from genoku.formats import FORMATS, SUFFIXES, Entry, save_puzzles, write_puzzles
from genoku.notation import ALPHABETS, Alphabet
from genoku.words import plural

SOLVE_SECONDS = 20.0


def _formats() -> str:
    return "\n".join(f"  {name:<12} {known.about}" for name, known in FORMATS.items())


@click.command(
    epilog=f"""\b
Formats:
{_formats()}

\b
Examples:
  genoku convert puzzles.csv --to sdm -o puzzles.sdm
  genoku convert mixed.txt.gz --dedupe --to line > unique.txt
  genoku convert mine.txt -o sheet.pdf --per-page 6      to print, solutions at the back
""",
)
@reads_puzzles()
@output_option()
@click.option(
    "--to",
    type=click.Choice([*FORMATS, "pdf"]),
    help="Format to write.",
    show_default="by suffix, or line",
)
@click.option(
    "--to-alphabet",
    type=click.Choice([name for name in ALPHABETS if name != "auto"]),
    default="one",
    help="Which digits to write for large boards.",
)
@click.option("--dedupe", is_flag=True, help="Leave out isomorphs of earlier puzzles.")
@click.option("--canonical", is_flag=True, help="Write every puzzle in its canonical form.")
@option_group("sheets", Sheets)
def convert(
    reading: Reading,
    output: str | None,
    to: str | None,
    to_alphabet: Alphabet,
    dedupe: bool,
    canonical: bool,
    sheets: Sheets,
) -> int:
    """Rewrite a file of puzzles, or one PUZZLE, in another format, or as PDF sheets to print."""
    target = None if output == "-" else output
    if target is not None:
        to = kind_of("-o", target, {**SUFFIXES, ".pdf": "pdf"}, to)
    elif to == "pdf":
        raise click.UsageError("expected a file for --to pdf: add -o")
    entries: Iterable[Entry] = reading.entries()
    if dedupe:
        entries = _without_isomorphs(entries)
    if canonical:
        entries = map(_in_canonical_form, entries)
    if target is not None and to == "pdf":
        _print_sheets(list(entries), target, sheets)
    elif target is None:
        write_puzzles(entries, results_stream(), to or "line", alphabet=to_alphabet)
    else:
        shown = with_progress(entries, "converting", results_on_stdout=False)
        written = save_puzzles(shown, target, to, alphabet=to_alphabet)
        say(f"wrote {plural(written, 'puzzle')} to {target}")
    return reading.exit_code()


def _in_canonical_form(entry: Entry) -> Entry:
    """The same for all isomorphs; the solution, which is another's now, goes."""
    from genoku.isomorph import canonical

    return replace(entry, puzzle=canonical(entry.puzzle), solution=None)


def _print_sheets(entries: list[Entry], target: str, sheets: Sheets) -> None:
    """Write sheets, with the solutions of puzzles that have exactly one."""
    from genoku import exact

    ready_kernels()
    solutions: list[Board | None] = []
    for entry in entries:
        found = list(islice(exact.solutions(entry.puzzle, time_limit=SOLVE_SECONDS), 2))
        solutions.append(found[0] if len(found) == 1 else None)
    sheets.write(target, [entry.puzzle for entry in entries], solutions)
    if without := sum(board is None for board in solutions):
        say(f"{plural(without, 'puzzle')} without exactly one solution: none at the back for these")


def _without_isomorphs(entries: Iterable[Entry]) -> Iterator[Entry]:
    import hashlib

    from genoku.isomorph import canonical

    seen: set[bytes] = set()
    left_out = 0
    for entry in entries:
        form = canonical(entry.puzzle)
        # A digest is enough, and a million of them fit in memory.
        key = hashlib.blake2b(repr(form).encode(), digest_size=16).digest()
        if key in seen:
            left_out += 1
            continue
        seen.add(key)
        yield entry
    say(f"left out {plural(left_out, 'isomorph')}")


@click.command(
    epilog="""\b
Examples:
  genoku puzzles                 names, sizes, givens and sources
  genoku puzzles --json          the boards too
  genoku solve golden-nugget     one of them
"""
)
@json_option
def puzzles(as_json: bool) -> None:
    """List the puzzles that come with genoku."""
    listed = collection.bundled().values()
    if as_json:
        print_json(
            [
                {
                    "name": one.name,
                    "size": one.puzzle.side,
                    "givens": one.puzzle.givens,
                    "solutions": one.solutions,
                    "source": one.source,
                    "note": one.note,
                    "puzzle": str(one.puzzle),
                }
                for one in listed
            ]
        )
        return
    wide = max(len(one.name) for one in listed)
    for one in listed:
        size = f"{one.puzzle.side}×{one.puzzle.side}"
        note = f" ({one.note})" if one.note else ""
        click.echo(
            f"{one.name:<{wide}}  {size:<5}  {one.puzzle.givens:4} givens  {one.source}{note}"
        )
