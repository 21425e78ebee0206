"""The size of the package, and how many of its files one command passes through.

    python3 run.py bench house [--before REF] [--files] [--no-walks]

Lines of code have no docstrings, comments and blank lines. A walk is what functions of the package
run under a tracer, everything loaded (see `walks`): `genoku solve` of a bundled 9×9, `genoku study
run` of twelve small runs in one process, the files that its report adds, and a live run of the web
app, warm and with the server's start. --before counts another commit, or a folder with `src`, too.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import print_table

ROOT = Path(__file__).resolve().parents[1]
NOT_CODE = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
WALKS = {
    "solve": ("genoku solve", "cli"),
    "study": ("genoku study run", "lab"),
    "report": ("… and its report, files more", "lab"),
    "live": ("a live web run", "web"),
    "serve": ("… with the server's start", "web"),
}
"""What a walk is called, and the room of which it counts the files too."""

Walk = dict[str, int]
"""The lines that ran of every file."""


class Size(NamedTuple):
    """The number of files, their lines of code, and all their lines."""

    files: int = 0
    code: int = 0
    lines: int = 0

    def __add__(self, other: object) -> Size:
        assert isinstance(other, Size)
        return Size(*(one + two for one, two in zip(self, other, strict=True)))


def size_of(path: Path) -> Size:
    """Return the size of one file."""
    text = path.read_text("utf-8")
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            code -= set(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return Size(1, len(code), text.count("\n"))


def sizes(package: Path) -> dict[str, Size]:
    """Return the size of every package, and of the top-level modules as `.`."""
    found: dict[str, Size] = {}
    for path in sorted(package.rglob("*.py")):
        first, *rest = path.relative_to(package).parts
        room = first if rest else "."
        found[room] = found.get(room, Size()) + size_of(path)
    return found


def trace_walk(source: Path, walk: str) -> Walk:
    """Trace a walk through the sources of a folder, in a separate process."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "walks.py"), walk],
        env={**os.environ, "PYTHONPATH": str(source)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"the walk {walk} through {source} failed")
    found: Walk = json.loads(done.stdout)
    return found


def walks(source: Path) -> dict[str, Walk]:
    """Trace all walks; for the report, only the files that the study does not pass through."""
    found = {walk: trace_walk(source, walk) for walk in WALKS}
    for file in found["study"]:
        found["report"].pop(file, None)
    return found


@contextmanager
def sources(reference: str | None) -> Iterator[Path | None]:
    """Provide the folder `src` of a commit or of another clone, or None."""
    if reference is None or Path(reference, "src").is_dir():
        yield None if reference is None else Path(reference, "src").resolve()
        return
    git = ["git", "-C", str(ROOT)]
    with tempfile.TemporaryDirectory() as folder:
        tree = f"{folder}/tree"
        subprocess.run([*git, "worktree", "add", "-q", "--detach", tree, reference], check=True)
        try:
            yield Path(tree, "src")
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", tree], check=True)


def print_sizes(now: dict[str, Size], then: dict[str, Size] | None) -> None:
    beside = {} if then is None else then
    rows = [
        [room, *(f"{value:,}" for size in (now, beside) for value in size.get(room, Size()))]
        for room in sorted({*now, *beside})
    ]
    totals = [sum(size.values(), Size()) for size in (now, beside)]
    rows.append(["in all", *(f"{value:,}" for total in totals for value in total)])
    header = ("room", "files", "code", "lines", "files before", "code before", "lines before")
    width = 4 if then is None else len(header)
    print_table(header[:width], [row[:width] for row in rows])


def print_walks(now: dict[str, Walk], then: dict[str, Walk] | None, files: bool) -> None:
    def figures(walk: str, found: Walk) -> list[str]:
        room = WALKS[walk][1]
        inside = sum(file.startswith(f"{room}/") for file in found)
        return [str(len(found)), f"{inside} {room}", f"{sum(found.values()):,}"]

    header = ["walk", "files", "of which", "lines"]
    if then is not None:
        header += ["files before", "of which", "lines before"]
    rows = [
        [WALKS[walk][0], *figures(walk, found), *(figures(walk, then[walk]) if then else ())]
        for walk, found in now.items()
    ]
    print_table(header, rows)
    if files:
        for walk, found in now.items():
            print(f"\n{WALKS[walk][0]}")
            print_table(("file", "lines"), [[file, str(lines)] for file, lines in found.items()])


def main() -> None:
    parser = argparse.ArgumentParser(description="Count lines, and the files of three walks.")
    parser.add_argument("--before", metavar="REF", help="a commit or a clone to count too")
    parser.add_argument("--files", action="store_true", help="list the files of every walk")
    parser.add_argument("--no-walks", action="store_true", help="count lines only")
    asked = parser.parse_args()
    now = ROOT / "src"
    with sources(asked.before) as then:
        print_sizes(sizes(now / "genoku"), sizes(then / "genoku") if then else None)
        if not asked.no_walks:
            print()
            print_walks(walks(now), walks(then) if then else None, asked.files)
