"""Feed random and mutated texts and files to the readers: only puzzles or our errors may come.

    python3 run.py bench fuzz [--count 1000000] [--seed 0] [--folder DIR]
    python3 run.py bench fuzz --checkpoints 20000

Half of the cases are texts for `Puzzle.parse`, half are files for `read_puzzles` (every format,
gzip, truncated, bytes flipped). Case n of seed s is always the same; a failing one is printed
with the command that repeats it, and the exit code is 1. --checkpoints fuzzes checkpoints
instead: bits are flipped, and some files truncated.
"""

from __future__ import annotations

import argparse
import gzip
import io
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genoku import preset, run
from genoku.engine.run import Run
from genoku.errors import CheckpointError, FormatError, GenokuError
from genoku.evolve.recipe import build, with_settings
from genoku.puzzle import notation
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import FORMATS, Entry, read_array, read_puzzles, write_puzzles
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import ALPHABETS

SHAPES = [Geometry(2, 2), Geometry(2, 3), Geometry(3, 2), Geometry(3, 3), Geometry(3, 4)]
RARE_SHAPES = [Geometry(4, 4), Geometry(5, 5), Geometry(6, 6)]
BITS = [
    *"0123456789ABCGPZaz.-_*?,;:|+#='\"[]{}()<>&/\\ \t\n\r\0\x1a\x85\u2028\ufeff\ufffd",
    "\r\n", "\n\n", "-1", "10", "36", "37", "99", "null", "NaN", "None", "1e999", "." * 81,
    "0" * 16, "1" * 36, "[" * 30, "9" * 25, " " * 40, "٣", "５", "½", "²", "ß", "İ", "🄰", "·", "□",
    "│", "─┼─", "------+------", "*-----------*", "#A x", "[Puzzle]", "[State]", "box=3x2",
    "box=9x9",
    "name=", "puzzle", "solution", "puzzle,solution\n", '{"puzzle":', '"puzzles": [', "]]",
    '"version": 2,', "\\ud800", "<game data='", "<!DOCTYPE", "&#0;", "</opensudoku>", "]]>",
    "3\n1\n",
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    kind: str
    data: str | bytes
    box: str | None
    alphabet: str
    format: str | None


@dataclass(frozen=True)
class Failure:
    seed: int
    number: int
    case: Case
    trace: str


def make(seed: int, number: int, samples: Sequence[bytes]) -> Case:
    """Make the case with this number: a text if even, a file if odd."""
    rng = random.Random(f"{seed}:{number}")
    kind = "file" if number % 2 else "text"
    if samples and rng.random() < 0.2:
        text = rng.choice(samples).decode("utf-8", "replace")
    elif kind == "text" and rng.random() < 0.7:
        text = _board(rng)
    else:
        text = _file(rng)
    if rng.random() < 0.15:
        text = "".join(rng.choices(BITS, k=rng.randrange(120)))
    else:
        for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 3, 8])):
            text = _mutate(rng, text)
    box = rng.choice(["2x2", "2x3", "3x2", "3x3", "16"]) if rng.random() < 0.15 else None
    alphabet = rng.choice(ALPHABETS) if rng.random() < 0.3 else "auto"
    chosen = rng.choice(list(FORMATS)) if rng.random() < 0.3 else None
    data = text if kind == "text" else _as_bytes(rng, text)
    return Case(kind, data, box, alphabet, chosen)


def run_case(case: Case) -> str:
    """Run a case: return `puzzles`, `nothing` or `refused`; any other error is raised."""
    options: dict[str, Any] = {"box": case.box, "alphabet": case.alphabet}  # right or wrong
    try:
        if isinstance(case.data, str):
            puzzle = Puzzle.parse(case.data, **options)
            again = Puzzle.parse(str(puzzle), box=puzzle.geometry)
            assert again == puzzle, "a puzzle must read back as itself"
            return "puzzles"
        errors: list[FormatError] = []
        options["on_error"] = errors.append
        entries = list(read_puzzles(io.BytesIO(case.data), format=case.format, **options))
        assert all(isinstance(entry, Entry) for entry in entries)
        if case.format is None:
            for boards in read_array(io.BytesIO(case.data), **options):
                assert boards.ndim == 2
        for entry in entries[:1]:
            for known in (FORMATS["line"], FORMATS["jsonl"]):
                if known.holds(entry.puzzle.geometry):
                    write_puzzles([entry], io.StringIO(), known.name)
        if entries:
            return "puzzles"
        return "refused" if errors else "nothing"
    except GenokuError:
        return "refused"


def fuzz(count: int, seed: int = 0, samples: Sequence[bytes] = ()) -> Iterator[str | Failure]:
    """Yield the outcome of every case."""
    for number in range(count):
        case = make(seed, number, samples)
        try:
            yield f"{case.kind}: {run_case(case)}"
        except Exception:
            yield Failure(seed, number, case, traceback.format_exc(limit=-6))


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    """Flip some bits of a file, and sometimes truncate it."""
    broken = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
    return bytes(broken[: rng.randrange(len(broken))] if rng.random() < 0.05 else broken)


def fuzz_checkpoints(count: int, seed: int, folder: Path) -> Iterator[str]:
    """Yield `loaded` or `refused` for each; any other error is raised."""
    file = folder / "run.ck"
    algorithm = build(with_settings(preset("sundy").recipe, ["population=6"]))
    run(Puzzle.parse("1.....3..4.....2"), algorithm, until="steps=3", checkpoint=file)
    whole = file.read_bytes()
    for number in range(count):
        file.write_bytes(flip_bits(random.Random(f"{seed}:{number}"), whole))
        try:
            Run.load(file)
            yield "loaded"
        except CheckpointError:
            yield "refused"


def _digits(rng: random.Random, shape: Geometry) -> bytes:
    """Draw digits and blanks, faster than a choice for every cell."""
    share = rng.randrange(256)
    noise = rng.randbytes(2 * shape.cells)
    pairs = zip(noise[::2], noise[1::2], strict=True)
    return bytes(1 + value % shape.side if given < share else 0 for given, value in pairs)


def _board(rng: random.Random) -> str:
    """Write a board in a random notation."""
    shape = rng.choice(RARE_SHAPES if rng.random() < 0.03 else SHAPES)
    puzzle = Puzzle(shape, _digits(rng, shape))
    style = rng.randrange(8)
    if style == 0:
        return puzzle.picture()
    if style == 1:
        return notation.write_numbers(puzzle.digits, rng.choice([" ", ",", ", ", ";", "\n"]))
    text = str(puzzle).replace(".", rng.choice(".....0*-_?·"))
    if style == 2 and shape.side <= 35:
        rows = [text[at : at + shape.side] for at in range(0, shape.cells, shape.side)]
        return rng.choice(["\n", " ", "|", "\r\n"]).join(rows)
    return text


def _file(rng: random.Random) -> str:
    """Write a small file in a random format."""
    known = rng.choice(list(FORMATS.values()))
    shapes = RARE_SHAPES if rng.random() < 0.03 else SHAPES
    shape = rng.choice([shape for shape in shapes if known.holds(shape)] or [Geometry(3, 3)])
    if not known.holds(shape):
        return ""
    entries: list[Entry] = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        digits = _digits(rng, shape)
        name = rng.choice(["", "", "a name", "x" * 30])
        fields = {"rating": "1.5"} if rng.random() < 0.2 else {}
        solution = bytes(digit or 1 for digit in digits) if rng.random() < 0.2 else None
        entries.append(Entry(Puzzle(shape, digits), name, solution, fields))
    stream = io.StringIO()
    write_puzzles(entries, stream, known.name)
    return stream.getvalue()


def _mutate(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.choice([0, 1, 1, 2, 9, 40]))
    bit = rng.choice(BITS)
    if rng.random() < 0.2:
        bit = chr(rng.choice([rng.randrange(0x300), rng.randrange(0xD800)]))
    mutants = (
        text[:at] + text[end:],
        text[:at] + bit + text[at:],
        text[:at] + bit + text[end:],
        text[:at] + bit[:1] + text[at + 1 :],
        text[:end] + text[at:],
        text.replace(rng.choice(BITS), bit, rng.choice([1, -1]))[:20_000],
    )
    return rng.choice(mutants)


def _as_bytes(rng: random.Random, text: str) -> bytes:
    encoding = rng.choice(["utf-8"] * 8 + ["utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
    data = bytearray(text.encode(encoding, "replace"))
    zipped = rng.random() < 0.1
    if zipped:
        data = bytearray(gzip.compress(bytes(data), 1))
    if data and rng.random() < (0.6 if zipped else 0.15):
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.1:
        del data[rng.randrange(len(data) + 1) :]
    return bytes(data)


def samples_in(folder: Path) -> list[bytes]:
    """Return the start of every file in a folder, as input of mutations."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return [path.read_bytes()[:2_000] for path in files]


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz the readers of puzzles.")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="files to mutate beside our own")
    parser.add_argument(
        "--checkpoints", type=int, help="number of damaged checkpoints to try instead"
    )
    parser.add_argument("--only", type=int, help="replay the case with this number")
    options = parser.parse_args()
    if options.checkpoints:
        with tempfile.TemporaryDirectory() as folder:
            print(Counter(fuzz_checkpoints(options.checkpoints, options.seed, Path(folder))))
        return 0
    samples = samples_in(options.folder) if options.folder else []
    if options.only is not None:
        case = make(options.seed, options.only, samples)
        print(case, run_case(case), sep="\n")
        return 0
    outcomes: Counter[str] = Counter()
    failures = 0
    start = time.perf_counter()
    for done, outcome in enumerate(fuzz(options.count, options.seed, samples)):
        if done and done % 100_000 == 0:
            print(f"{done:,} cases, {failures} broken", file=sys.stderr, flush=True)
        if isinstance(outcome, Failure):
            failures += 1
            where = f" --folder {options.folder}" if options.folder else ""
            print(outcome.trace, repr(outcome.case)[:2_000], sep="\n")
            print(f"replay: {sys.argv[0]} --seed {outcome.seed}{where} --only {outcome.number}\n")
        else:
            outcomes[outcome] += 1
    seconds = time.perf_counter() - start
    for outcome, times in sorted(outcomes.items()):
        print(f"{outcome:16} {times:>10,}")
    print(f"{'broken':16} {failures:>10,}")
    print(f"{options.count:,} cases in {seconds:.1f} s, {options.count / seconds:,.0f} per second")
    return 1 if failures else 0
