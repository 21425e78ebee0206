"""`genoku puzzles`: list the bundled puzzles."""

from __future__ import annotations

import click

from genoku.cli.options import command, json_option
from genoku.cli.output import print_json
from genoku.puzzle.bundled_puzzles import bundled


@command()
@json_option
def puzzles(as_json: bool) -> None:
    """List the puzzles that come with genoku.

    Examples:
      genoku puzzles                 list names, sizes, givens and sources
      genoku puzzles --json          list the boards too
      genoku solve golden-nugget     solve one of them
      genoku solve very_hard         or by its name in its report
    """
    all_puzzles = bundled().values()
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
                    "aliases": list(one.aliases),
                    "puzzle": str(one.puzzle),
                }
                for one in all_puzzles
            ]
        )
        return
    wide = max(len(one.name) for one in all_puzzles)
    for one in all_puzzles:
        size = f"{one.puzzle.side}×{one.puzzle.side}"
        note = f" ({one.note})" if one.note else ""
        also = f'; "{one.aliases[0]}"' if one.aliases else ""
        click.echo(
            f"{one.name:<{wide}}  {size:<5}  {one.puzzle.givens:4} givens  {one.source}{also}{note}"
        )
