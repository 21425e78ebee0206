"""The wheel and the sdist: their files, and whether they run in an empty environment."""

from __future__ import annotations

import shutil
from fnmatch import filter as matching
from pathlib import Path

from release.environments import Environment, build_packages, files_of_the_clone
from release.judging import ROOT, CheckError, Seen, refused, run_check

ELSEWHERE = {"docs/reproductions/": "genoku/web/reproductions/"}
"""Folders of the clone that the wheel holds at other places."""

KINDS = (
    "genoku/py.typed",
    "genoku/evolve/presets/*.toml",
    "genoku/puzzle/data/*",
    "genoku/reports/*.toml",
    "genoku/web/static/index.html",
    "genoku/web/static/*.js",
    "genoku/web/static/*.css",
    "genoku/web/reproductions/*.md",
    "genoku/web/reproductions/*-claims.json",
    "genoku-*.dist-info/licenses/LICENSE",
    "genoku-*.dist-info/entry_points.txt",
)
"""What the wheel cannot do without, beside its modules."""

PROGRAM = """
import genoku
puzzle = genoku.bundled()["ai-escargot"].puzzle
assert puzzle.is_solved_by(genoku.solve(puzzle).board)
print(genoku.__file__)
"""

COMMANDS = {
    "--version": "genoku",
    "--help": "Examples:",
    "solve": "┌───────┬",
    "doctor": "kernel cache",
    "presets": "champion",
    "presets simon": "Report 003",
    "puzzles": "ai-escargot",
    "reproduce": "Glen Simon",
}
"""What is tried, and what it must say."""


def main(arguments: list[str]) -> int:
    return 2 if refused("packages", arguments) else run_check("packages", look, [])


def look(folder: Path) -> Seen:
    packages = build_packages(folder)
    clone = files_of_the_clone()
    compare(
        "the wheel",
        {name for name in packages.in_wheel if ".dist-info/" not in name},
        wheel_of(clone),
    )
    missing = [kind for kind in KINDS if not matching(packages.in_wheel, kind)]
    if missing:
        raise CheckError(f"expected {', '.join(missing)} in the wheel")
    wanted = {name for name in clone if not name.startswith(".")}  # hidden: for the clone alone
    compare("the sdist", packages.in_sdist - {"PKG-INFO", ".gitignore"}, wanted)
    versions = ""
    for kind, package in (("wheel", packages.wheel), ("sdist", packages.sdist)):
        environment = Environment.create(folder / f"from-{kind}")
        environment.install(str(package))
        try_out(environment)
        versions = environment.versions("numpy", "numba")
    for package in (packages.wheel, packages.sdist):  # what was tried is what is published
        (ROOT / "dist").mkdir(exist_ok=True)
        shutil.copy(package, ROOT / "dist")
    return Seen(
        f"wheel {size(packages.wheel)}, {len(packages.in_wheel)} files; "
        f"sdist {size(packages.sdist)}, {len(packages.in_sdist)} files; both in dist/",
        versions,
    )


def wheel_of(clone: set[str]) -> set[str]:
    """Return the files of a clone's wheel, without its metadata."""
    inside = {name.removeprefix("src/") for name in clone if name.startswith("src/genoku/")}
    for there, here in ELSEWHERE.items():
        inside |= {here + name.removeprefix(there) for name in clone if name.startswith(there)}
    return inside


def compare(what: str, found: set[str], expected: set[str]) -> None:
    """Raise on missing and on unexpected files, such as tests and caches."""
    for fault, names in (("lacks", expected - found), ("holds besides", found - expected)):
        if names:
            raise CheckError(f"{what} {fault} {plural(len(names))}, such as {min(names)}")


def try_out(environment: Environment) -> None:
    """Run the installed package from a folder outside the clone."""
    elsewhere = environment.folder / "elsewhere"
    elsewhere.mkdir()
    for words, expected in COMMANDS.items():
        done = environment.genoku(*words.split(), cwd=elsewhere)
        if expected not in done.stdout:
            raise CheckError(f"expected {expected!r} of genoku {words}, got {done.stdout[:200]!r}")
    environment.genoku("bench", cwd=elsewhere, code=2)  # which lives in a clone, and says so
    where = environment.run("-c", PROGRAM, cwd=elsewhere).stdout.strip()
    if not Path(where).is_relative_to(environment.folder):
        raise CheckError(f"expected genoku from {environment.folder}, got {where}")


def plural(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"


def size(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:.1f} MB"
