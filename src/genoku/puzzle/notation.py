"""Boards as text: alphabets, and reading pasted text.

Three alphabets are in use for one-character cells: `one` has 1–9 and A–Z (for 16×16, 1 … G; our
canonical form), `zero` has 0–9 and A–Z (0 … F), `letters` has A–Z (A … P).

Numbers separated by spaces or commas work for every size. `auto` chooses the only alphabet a text
can be in, and refuses one that is ambiguous.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from genoku.errors import PuzzleError
from genoku.puzzle.geometry import Geometry, sides

Alphabet = Literal["auto", "one", "zero", "letters"]
"""Which digits the characters of a board mean."""

ALPHABETS: tuple[Alphabet, ...] = get_args(Alphabet)
ChooseAlphabet = Callable[[tuple[Alphabet, ...], Geometry], Alphabet]
"""Chooses one of the alphabets that a board can be in."""

ONE = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ZERO = "0" + ONE
LETTERS = ONE[9:]
SYMBOLS: dict[Alphabet, str] = {"auto": ONE, "one": ONE, "zero": ZERO, "letters": LETTERS}

BLANK = "."
MAX_TEXT = 100_000
CELLS = frozenset(side * side for side in sides())  # the numbers of cells a board can have
PLAIN_9X9 = re.compile(r"[0-9.]{81}")

_BLANKS = frozenset("._*-?")
_UNICODE_BLANKS = "·•∙‧⋅□▢☐◻⬜␣○"
_DECORATION = "[](){}'\"“”‘’|+\u200b\u200c\u200d\u2060\ufeff"
_TRANSLATION = str.maketrans(
    {**dict.fromkeys(_UNICODE_BLANKS, "."), **dict.fromkeys(_DECORATION, " ")}
)
_RULE = re.compile(r"(?=[\s+|:]*[\-=])[\s\-=+|:]+|\s*\*-{3,}\*\s*")
_CAPTION = re.compile(r"(└[─┴]+┘)[ ]*\r?\n[^\r\n]*\s*\Z")  # below a board that was drawn with one
_NULL = re.compile(r"\b(?:None|null|nan|NaN)\b")
_SEPARATORS = re.compile(r"[\s,;]+")
_NUMBER = re.compile(r"\d{1,2}")
_PLAIN_DIGITS = bytes.maketrans(b".0123456789", bytes([0, *range(10)]))


def symbol(value: int, side: int) -> str:
    """Write one digit: `A` for 10, or a number if the side exceeds the alphabet."""
    if value == 0:
        return BLANK
    return ONE[value - 1] if side <= len(ONE) else str(value)


def write(digits: bytes, side: int) -> str:
    """Write the canonical text of a board: `.` and 1–9A–Z, or numbers (0 = blank) above 35×35."""
    if side > len(ONE):
        return write_numbers(digits)
    return _spell(digits, ONE)


def write_numbers(digits: bytes, separator: str = " ") -> str:
    return separator.join(map(str, digits))


def write_in(digits: bytes, side: int, alphabet: Alphabet) -> str:
    """Write a board in an alphabet; PuzzleError if its side exceeds the alphabet."""
    if alphabet in ("auto", "one"):
        return write(digits, side)
    symbols = SYMBOLS[alphabet]
    if side > len(symbols):
        raise PuzzleError(
            f"expected a side of at most {len(symbols)} for the alphabet {alphabet!r}, got {side}"
        )
    return _spell(digits, symbols)


def _spell(digits: bytes, symbols: str) -> str:
    table = (BLANK + symbols).encode()
    return digits.translate(table.ljust(256, b"?")).decode()


def choose_likeliest(readings: tuple[Alphabet, ...], geometry: Geometry) -> Alphabet:
    """Choose the likeliest alphabet, or raise PuzzleError if none is likelier."""
    if readings[0] == "auto":
        raise PuzzleError(
            f"0 may be a blank or the first digit of this {geometry} board: "
            "choose the alphabet 'one' (0 is a blank) or 'zero' (0 is a digit)"
        )
    return readings[0]


def read(
    text: str,
    geometry: Geometry | None = None,
    alphabet: Alphabet = "auto",
    choose: ChooseAlphabet = choose_likeliest,
) -> tuple[Geometry, bytes]:
    """Read one board: its shape, and a byte for each cell; `choose` is for the alphabet `auto`."""
    if alphabet not in ALPHABETS:
        raise PuzzleError(f"expected an alphabet among {', '.join(ALPHABETS)}, got {alphabet!r}")
    if alphabet == "auto" and PLAIN_9X9.fullmatch(text) and fits(81, geometry):
        return geometry or Geometry(3, 3), text.encode().translate(_PLAIN_DIGITS)
    if len(text) > MAX_TEXT:
        raise PuzzleError(
            f"expected one board of at most {MAX_TEXT:,} characters, got {len(text):,}"
        )
    cleaned = _clean(text)
    if table := _table_with_empty_fields(cleaned, geometry):
        return _read_numbers(table, geometry, alphabet)
    # A line of dashes is a rule between boxes, unless a board is complete only with it as blanks.
    without_rules = "\n".join(ln for ln in cleaned.split("\n") if not _RULE.fullmatch(ln))
    for candidate in (without_rules, cleaned):
        tokens = _SEPARATORS.sub(" ", candidate).split()
        characters = "".join(tokens)
        if fits(len(tokens), geometry):
            legal = _are_numbers(tokens, alphabet)
            if legal or not fits(len(characters), geometry):
                return _read_numbers(tokens, geometry, alphabet)
        if fits(len(characters), geometry):
            return _read_characters(characters, geometry, alphabet, choose)
    raise _wrong_length(_SEPARATORS.sub(" ", without_rules).split(), geometry)


def read_values(values: Iterable[Any], geometry: Geometry | None = None) -> tuple[Geometry, bytes]:
    """Read a board from (nested) sequences or arrays of numbers; None or 0 is a blank."""
    flat = [_token(value) for value in _flatten(values)]
    if not fits(len(flat), geometry):
        raise _wrong_length(flat, geometry)
    if any(len(token) == 1 and token.isalpha() for token in flat):
        return _read_characters("".join(flat), geometry, "auto", choose_likeliest)
    return _read_numbers(flat, geometry, "auto")


def _clean(text: str) -> str:
    if "└" in text:
        text = _CAPTION.sub(r"\1", text)
    characters: list[str] = []
    for character in text.translate(_TRANSLATION):
        # Box-drawing characters are decoration; digits of any script are read by their value.
        if "\u2500" <= character <= "\u257f":
            characters.append(" ")
        elif character > "\x7f" and (value := unicodedata.decimal(character, None)) is not None:
            characters.append(str(value))
        else:
            characters.append(character)
    return _NULL.sub(BLANK, "".join(characters).replace("\r\n", "\n").replace("\r", "\n"))


def _table_with_empty_fields(text: str, geometry: Geometry | None) -> list[str] | None:
    """Return the cells of a spreadsheet's rows, `5,3,,,7,,,,`, with empty fields as blanks."""
    lines = [line for line in text.split("\n") if line.strip(" ")]
    for separator in (",", ";", "\t"):
        if not any(separator in line for line in lines):
            continue
        rows = [[field.strip() for field in line.split(separator)] for line in lines]
        if not any("" in row for row in rows):
            continue
        width = geometry.side if geometry else len(rows)
        if width in sides() and len(rows) == width and all(len(row) == width for row in rows):
            return [field or BLANK for row in rows for field in row]
        if len(rows) == 1 and fits(len(rows[0]), geometry):
            return [field or BLANK for field in rows[0]]
    return None


def fits(count: int, geometry: Geometry | None) -> bool:
    """Return whether a board, of this shape or of any, has this number of cells."""
    return count in CELLS if geometry is None else count == geometry.cells


def _geometry_of(count: int, geometry: Geometry | None) -> Geometry:
    return geometry or Geometry.of_side(round(count**0.5))


def _are_numbers(tokens: list[str], alphabet: Alphabet) -> bool:
    side = round(len(tokens) ** 0.5)
    top = side - 1 if alphabet == "zero" else side
    return alphabet != "letters" and all(
        token in _BLANKS or token == "-1" or (_NUMBER.fullmatch(token) and int(token) <= top)
        for token in tokens
    )


def _read_numbers(
    tokens: list[str], geometry: Geometry | None, alphabet: Alphabet
) -> tuple[Geometry, bytes]:
    geometry = _geometry_of(len(tokens), geometry)
    first = 0 if alphabet == "zero" else 1
    last = geometry.side + first - 1
    value_of = dict.fromkeys((*_BLANKS, "-1"), 0)
    for token in {*tokens} - value_of.keys():
        if _NUMBER.fullmatch(token) and int(token) <= last:
            value_of[token] = int(token) - first + 1
    return geometry, _values(tokens, value_of, geometry, f"from {first} to {last}")


def _read_characters(
    characters: str, geometry: Geometry | None, alphabet: Alphabet, choose: ChooseAlphabet
) -> tuple[Geometry, bytes]:
    geometry = _geometry_of(len(characters), geometry)
    side = geometry.side
    # Upper-casing can lengthen a character (ß → SS); such characters are in no alphabet.
    upper = "".join(c.upper() if c.isascii() else c for c in characters)
    if alphabet == "auto":
        readings = _readings(upper, geometry)
        alphabet = choose(readings, geometry) if readings else "one"
    symbols = SYMBOLS[alphabet][:side]
    if side > len(symbols):
        raise PuzzleError(f"expected numbers separated by spaces for a {geometry} board")
    value_of = dict.fromkeys(_BLANKS, 0)
    if alphabet != "zero":
        value_of["0"] = 0
    value_of.update((character, value) for value, character in enumerate(symbols, start=1))
    value_of |= {character.lower(): value for character, value in value_of.items()}
    return geometry, _values(characters, value_of, geometry, _span(symbols))


def _values(
    cells: Sequence[str], value_of: Mapping[str, int], geometry: Geometry, span: str
) -> bytes:
    """Return the value of every cell; PuzzleError for one without a value."""
    values = bytearray()
    for cell, text in enumerate(cells):
        value = value_of.get(text)
        if value is None:
            expected, got = f"a digit {span} or a blank", _quote(text)
            raise PuzzleError(cell=geometry.cell_name(cell), expected=expected, got=got)
        values.append(value)
    return bytes(values)


def _readings(characters: str, geometry: Geometry) -> tuple[Alphabet, ...]:
    """Return the alphabets a text can be in, likeliest first; `auto` leads if none is likelier.

    An empty board, which is the same in all, has none.
    """
    side = geometry.side
    counts = Counter(characters)
    used = {c for c in counts if c not in _BLANKS and c != "0"}
    as_letters = bool(used) and used <= set(LETTERS[:side])
    if side < 10:
        return ("letters",) if as_letters else ()
    if side > len(LETTERS):
        return ()
    zeros = counts["0"]
    # `0` is either a blank of `one` or the first digit of `zero`. A digit cannot be repeated in a
    # unit, so more zeros than rows are blanks; beside another blank mark it is a digit.
    as_zero = used <= set(ONE[: side - 1]) and zeros <= side
    if zeros and as_zero:
        return ("zero",) if not _BLANKS.isdisjoint(counts) else ("auto", "zero", "one")
    fitting: dict[Alphabet, bool] = {
        "one": used <= set(ONE[:side]),
        "zero": as_zero,
        "letters": as_letters,
    }
    return tuple(alphabet for alphabet, fit in fitting.items() if fit) if used else ()


def _wrong_length(tokens: list[str], geometry: Geometry | None) -> PuzzleError:
    numbers = sum(map(bool, map(_NUMBER.fullmatch, tokens)))
    as_numbers = any(len(token) == 2 for token in tokens) and numbers > 0.8 * len(tokens)
    count = len(tokens) if as_numbers else sum(map(len, tokens))
    if count == 0:
        return PuzzleError("expected a Sudoku board, got no cells at all")
    if geometry is not None:
        return PuzzleError(f"expected {geometry.cells} cells for a {geometry} board, got {count}")
    near = [side for side in sides() if side * side < count][-1:]
    near += [side for side in sides() if side * side > count][:1]
    nearest = " or ".join(f"{side * side} ({side}×{side})" for side in near)
    letters = not as_numbers and sum(c.isalpha() for token in tokens for c in token) > 3
    hint = "; is there other text around the board?" if letters and count < 120 else ""
    return PuzzleError(
        f"expected the number of cells of a board, such as {nearest}, got {count}{hint}"
    )


def _flatten(values: Iterable[Any], depth: int = 0) -> Iterable[Any]:
    if depth > 4:  # a list may even hold itself
        raise PuzzleError("expected rows of digits, got lists nested too deep")
    for value in values:
        if isinstance(value, str) and len(value) > 1 and not _NUMBER.fullmatch(value):
            yield from value
        elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
            yield from _flatten(value, depth + 1)
        else:
            yield value


def _token(value: Any) -> str:
    if value is None or value == "" or value is False or value != value:  # noqa: PLR0124 (NaN)
        return BLANK
    if isinstance(value, int) and abs(value) > 1_000_000:
        return "a very large number"  # Python refuses to write thousands of digits
    is_whole = getattr(value, "is_integer", None)  # of any float, NumPy's too
    if is_whole is not None and not isinstance(value, bool) and is_whole():
        return str(int(value))
    return str(value).strip() or BLANK


def _span(symbols: str) -> str:
    """Describe an alphabet: `from 1 to 9`, `from 1 to 9 or A to G`."""
    digits = [c for c in symbols if c.isdigit()]
    letters = [c for c in symbols if c.isalpha()]
    spans = [f"{part[0]} to {part[-1]}" for part in (digits, letters) if part]
    return "from " + " or ".join(spans)


def _quote(text: str) -> str:
    return repr(text if len(text) <= 20 else text[:17] + "...")
