"""A puzzle by its text: the one place that knows names, `empty 9`, `random seed=7` and boards.

>>> resolve("very_hard").name, resolve("empty 16").name, resolve("1.....3..4.....2").puzzle.givens
('charles-very-hard', 'empty 16', 4)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from genoku.errors import AmbiguousPuzzleError, PuzzleError, UnknownPuzzleError
from genoku.puzzle.board import Entry, Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import Alphabet
from genoku.runtime.text import did_you_mean, name_key

Generate = Callable[[Geometry, int], Puzzle]
"""Generates the puzzle of a shape and a random seed: `genoku.generator.random_puzzle`."""

MADE = re.compile(
    r"(?P<word>empty|random)"
    r"(?:[ _-]+(?P<size>\d{1,3}(?:\s*[x×*]\s*\d{1,3})?))?"
    r"(?:[ ,]+seed\s*=\s*(?P<seed>\d{1,18}))?",
    re.ASCII | re.IGNORECASE,
)
LONGEST_NAME = 100  # characters; longer texts are boards
A_NAME = re.compile(r"[a-z][a-z\d]*([-_ ]+[a-z\d]+)*", re.IGNORECASE)
A_PATH = re.compile(r"[\w.~-]*/.*")


def resolve(
    text: str,
    *,
    box: str | int | Geometry | None = None,
    alphabet: Alphabet = "auto",
    generate: Generate | None = None,
    seed: int | None = None,
    or_file: bool = False,
) -> Entry:
    """Return the puzzle that a text means, with its name.

    Parameters
    ----------
    text
        The name of a bundled puzzle, or its name in a report (`very_hard`), in any spelling;
        `empty 9` or `empty 2x3`; `random`, `random 16` or `random seed=7`; or a board.
    box
        The shape of the boxes, or a side, where the text does not say it.
    alphabet
        Which digits the characters of a board mean.
    generate
        What generates `random` puzzles; without it they are refused.
    seed
        The random seed of `random` without one; without it, `random` requires one.
    or_file
        Whether the text could also be the name of a file, which the caller has not found.

    Raises
    ------
    AmbiguousPuzzleError
        If several puzzles have that name; its alternatives are their names here.
    UnknownPuzzleError
        If the text can only be a name, and no puzzle has it.
    PuzzleError
        If it is no board.
    """
    word = text.strip()
    if made := MADE.fullmatch(word):
        geometry = _geometry(made["size"], box)
        if made["word"].lower() == "empty" and made["seed"] is None:
            return Entry(Puzzle(geometry, bytes(geometry.cells)), name=f"empty{_size(geometry)}")
        if made["word"].lower() == "random":
            given = seed if made["seed"] is None else int(made["seed"])
            return _random_entry(geometry, given, generate)
    names = names_of(word)
    if len(names) > 1:
        raise AmbiguousPuzzleError(word, names)
    if names:
        puzzle = bundled()[names[0]].puzzle
        return Entry(Puzzle.parse(puzzle, box=box), name=names[0])
    try:
        return Entry(Puzzle.parse(text, box=box, alphabet=alphabet))
    except PuzzleError:
        if or_file and _is_file_name(word):
            raise PuzzleError(f"{text}: file not found") from None
        hint = did_you_mean(word, known_names())
        is_name = A_NAME.fullmatch(word) or (or_file and A_PATH.fullmatch(word))
        if not hint and not is_name:
            raise  # the text was meant as a board
        if or_file:
            reason = f"no file and no bundled puzzle named {text!r}"
        else:
            reason = f"expected a board or the name of a bundled puzzle, got {text!r}"
        raise UnknownPuzzleError(f"{reason}{hint}") from None


def names_of(text: str) -> tuple[str, ...]:
    """Return the names of the bundled puzzles that a text names, here or in their reports."""
    if len(text) > LONGEST_NAME:
        return ()
    if text in bundled():
        return (text,)
    return _index().get(name_key(text), ())


def known_names() -> list[str]:
    """Return all names of bundled puzzles, and then those in their reports."""
    known = bundled()
    return [*known, *dict.fromkeys(each for name in known for each in known.aliases(name))]


@cache
def _index() -> dict[str, tuple[str, ...]]:
    """The names of puzzles by the keys of all their names; a name here is never an alias."""
    known = bundled()
    found: dict[str, tuple[str, ...]] = {}
    for name in known:
        for alias in known.aliases(name):
            key = name_key(alias)
            found[key] = tuple(dict.fromkeys((*found.get(key, ()), name)))
    return found | {name_key(name): (name,) for name in known}


def _geometry(size: str | None, box: str | int | Geometry | None) -> Geometry:
    """The shape of a board that the text does not hold: 9×9 unless a size or a box is given."""
    given = Geometry.parse(str(box)) if isinstance(box, str | int) else box
    if size is None:
        return given or Geometry.of_side(9)
    named = Geometry.parse(size)
    if given is None:
        return named
    if given.side != named.side or (given != named and not size.isdecimal()):
        raise PuzzleError(f"expected boxes for a board of {size}, got {given.box}")
    return given


def _size(geometry: Geometry) -> str:
    return f" {geometry.side if geometry.is_default else geometry.box}"


def _random_entry(geometry: Geometry, seed: int | None, generate: Generate | None) -> Entry:
    size = "" if geometry == Geometry.of_side(9) else _size(geometry)
    if generate is None:
        raise PuzzleError("expected a board or the name of a puzzle, got random")
    if seed is None:
        raise PuzzleError(
            f"expected a seed, so that it is the same puzzle every time: random{size} seed=7"
        )
    return Entry(generate(geometry, seed), name=f"random{size} seed={seed}")


def _is_file_name(text: str) -> bool:
    name = Path(text)
    return name.suffix[1:].isalpha() and ".." not in name.name
