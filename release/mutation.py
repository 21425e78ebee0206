"""Mutation tests of fitness, selection and statistics by mutmut: the tests must find each fault.

    python3 run.py release mutation [--only PATTERN ...] [--workers N] [--accept]

Survivors that no test can tell from the sound code, or none should, are kept in equivalent.toml,
each with the reason. Any other survivor is a hole in the tests, and the check fails; --accept adds
it to the file instead, and drops what is no survivor any more. --only tries some mutants, such as
"genoku.evolve.fitness.*" or "*__mutmut_1".

A mutant that changes only texts for people does not count: no test holds their wording. mutmut
leaves decorated functions alone. Kernels run as plain Python here, where `@kernel` does nothing,
so it is removed in the copy that is tried; properties and constants are not tried.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

from release.judging import ROOT, CheckError, Seen, run_check
from release.suite import LEFT_OUT

ACCEPTED = Path(__file__).parent / "equivalent.toml"
NEW = "survived when it was accepted as the state to begin with"

AREAS = {
    "fitness": "src/genoku/evolve/fitness.py",
    "selection": "src/genoku/evolve/operators/selection.py",
    "statistics": "src/genoku/lab/statistics.py",
}
TESTS = ("fitness*", "selection*", "statistics*")
COPIED = ("src", "tests", "pyproject.toml")
MESSAGES = r"raise |Error\(|f\""
"""Lines with words for people, which no test holds to the letter."""

CONFTEST = """
from hypothesis import Phase

settings.register_profile(  # the same examples for every mutant, and nothing is shrunk
    "mutation",
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("mutation")
if not hasattr(pytest.Item, "_nodeid"):  # which pytest 9.2 no longer has, and mutmut 3.8 reads
    pytest.Item._nodeid = property(lambda item: item.nodeid)
"""

SURVIVED, UNREACHED, UNTRIED, KILLED = {0}, {5, 33}, {None, 34}, {1, 3}
"""What mutmut notes of a mutant; any other number is a time that ran out, or a crash."""


@dataclass
class Outcome:
    """The result of the mutants of an area."""

    tried: int = 0
    killed: int = 0
    stopped: int = 0
    """By time, or by a crash."""
    accepted: int = 0
    new: list[tuple[str, str]] = field(default_factory=list)
    """Survivors that nobody has accepted: file and change."""

    def __str__(self) -> str:
        found = self.killed + self.stopped
        return (
            f"{found} of {self.tried} found ({100 * found / max(1, self.tried):.1f} %), "
            f"{self.stopped} of them by time, {self.accepted} accepted as equivalent, "
            f"{len(self.new)} new survivors"
        )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("python3 run.py release mutation", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="PATTERN", help="these mutants")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--accept", action="store_true", help="accept all that survive")
    asked = parser.parse_args(arguments)
    if not hasattr(os, "fork"):
        parser.error("expected a system that forks processes: Linux or macOS")

    def look(folder: Path) -> Seen:
        prepare(folder)
        run_mutmut(folder, asked.only, asked.workers)
        return Seen(judge(folder, accept=asked.accept, whole=not asked.only))

    part = arguments if asked.only or asked.accept else []  # of which nothing is recorded
    return run_check("mutation", look, part)


def prepare(folder: Path) -> None:
    """Copy the tree, and set mutmut up in it."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            unwanted = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
        else:
            shutil.copy(ROOT / name, folder / name)
    for path in sources(folder):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if line.strip() != "@kernel"), "utf-8")
    # escaped a second time, in a second run of one process, an id such as "9×9" names no test
    as_is = "disable_test_id_escaping_and_forfeit_all_rights_to_community_support=true"
    quiet = ["-p", "no:cacheprovider", "-p", "no:xdist", "-o", as_is]
    tests = [
        f"tests/{path.name}" for each in TESTS for path in folder.glob(f"tests/test_{each}.py")
    ]
    settings = {
        "source_paths": ["src"],
        "only_mutate": [path.relative_to(folder).as_posix() for path in sources(folder)],
        "do_not_mutate_patterns": [MESSAGES],
        "pytest_add_cli_args": [*quiet, *(f"--deselect={test}" for test in LEFT_OUT["nojit"])],
        "pytest_add_cli_args_test_selection": sorted(tests),
        "use_git_change_detection": False,
    }
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as stream:
        stream.write("\n[tool.mutmut]\n")
        stream.writelines(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    with (folder / "tests" / "conftest.py").open("a", encoding="utf-8") as stream:
        stream.write(CONFTEST)


def sources(folder: Path) -> list[Path]:
    return sorted(path for each in AREAS.values() for path in folder.glob(each))


def run_mutmut(folder: Path, only: list[str], workers: int) -> None:
    """Try mutants: all by a pattern, for which mutmut first runs the unchanged code by test ids.

    Without one it would not, and a test id that pytest does not find would count as a kill.
    """
    threads = dict.fromkeys((f"{each}_NUM_THREADS" for each in ("OPENBLAS", "OMP", "MKL")), "1")
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", str(workers), *(only or ["*"])],
        cwd=folder,
        env={**os.environ, **threads, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": ""},
        check=False,
    )
    if done.returncode:
        raise CheckError(f"mutmut ended with {done.returncode}")


def judge(folder: Path, *, accept: bool, whole: bool) -> str:
    """Describe the result of all mutants."""
    accepted = accepted_changes(ACCEPTED)
    outcomes = {area: Outcome() for area in AREAS}
    survivors: set[tuple[str, str]] = set()
    for area, pattern in AREAS.items():
        for path in sorted((folder / "mutants").glob(pattern)):
            file = path.relative_to(folder / "mutants").as_posix()
            found = outcomes[area]
            for change, code in verdicts(path):
                found.tried += code not in UNTRIED
                found.killed += code in KILLED
                if code in SURVIVED | UNREACHED:
                    survivors.add((file, change))
                    found.accepted += (file, change) in accepted
                    found.new += [(file, change)] * ((file, change) not in accepted)
                elif code not in KILLED | UNTRIED:
                    found.stopped += 1
    said = "; ".join(f"{area}: {found}" for area, found in outcomes.items() if found.tried)
    new = [each for found in outcomes.values() for each in found.new]
    stale = sorted(accepted - survivors) if whole else []
    if accept:
        ACCEPTED.write_text(with_changes(ACCEPTED.read_text("utf-8"), new, stale), "utf-8")
        return f"{said}; accepted {len(new)}, dropped {len(stale)}"
    for file, change in new:
        print(f"survived: {file} {change}", flush=True)
    if new:
        raise CheckError(said)
    return f"{said}; {len(stale)} accepted ones are found now" if stale else said


def verdicts(path: Path) -> Iterator[tuple[str, int | None]]:
    """Every mutant of a file that counts: its change, and mutmut's code of its tests."""
    meta = json.loads(path.with_name(f"{path.name}.meta").read_text("utf-8"))
    tree = ast.parse(path.read_text("utf-8"))
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for key, code in meta["exit_code_by_key"].items():
        name = key.rpartition(".")[2]
        stem = name.rpartition("__mutmut_")[0]
        sound, mutant = functions[f"{stem}__mutmut_orig"], functions[name]
        if without_texts(sound) != without_texts(mutant):
            yield change_of(stem, sound, mutant), code


def without_texts(function: ast.FunctionDef) -> str:
    """A function without texts for people; None, by which mutmut replaces arguments, is one too."""
    bare = copy.deepcopy(function)
    bare.name = ""
    for node in ast.walk(bare):
        if isinstance(node, ast.Call):
            node.args = [a for a in node.args if not is_text(a) and ast.unparse(a) != "None"]
        elif is_text(node):
            node.value = ""
    return ast.dump(bare)


def is_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    """Whether it is a string with a blank; others are data, such as the name of a method."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value


def change_of(stem: str, sound: ast.FunctionDef, mutant: ast.FunctionDef) -> str:
    """The fault as a line of text, which outlives line numbers and other faults."""
    function = stem.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    lines = zip(statements(sound), statements(mutant), strict=False)
    was, becomes = next(
        ((one, two) for one, two in lines if one != two),
        (ast.unparse(sound.args), ast.unparse(mutant.args)),
    )
    return f"{function}: {was} → {becomes}"


def statements(function: ast.FunctionDef) -> Iterator[str]:
    """Every statement within a function as a line of text, without those within it."""
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function:
            bare = copy.copy(node)
            for name in ("body", "orelse", "finalbody", "handlers"):
                if hasattr(bare, name):
                    setattr(bare, name, [ast.Pass()] if name == "body" else [])
            text = ast.unparse(ast.fix_missing_locations(bare))
            yield " ".join(text.split()).removesuffix(": pass")


def accepted_changes(path: Path) -> set[tuple[str, str]]:
    """File and change of every survivor that is kept as equivalent."""
    groups = tomllib.loads(path.read_text(encoding="utf-8")).get("accepted", [])
    return {(group["file"], change) for group in groups for change in group["changes"]}


def with_changes(text: str, new: list[tuple[str, str]], stale: list[tuple[str, str]]) -> str:
    """The file of accepted survivors with others in it; groups and reasons stay."""
    header, _, _ = text.partition("[[accepted]]")
    groups = tomllib.loads(text).get("accepted", [])
    for file in sorted({file for file, _ in new}):
        changes = [change for each, change in new if each == file]
        groups.append({"file": file, "why": NEW, "changes": changes})
    parts = [header.rstrip() + "\n"]
    for group in groups:
        kept = [each for each in group["changes"] if (group["file"], each) not in stale]
        lines = "".join(f"    {json.dumps(each, ensure_ascii=False)},\n" for each in kept)
        words = (json.dumps(group[name], ensure_ascii=False) for name in ("file", "why"))
        if kept:
            head = "[[accepted]]\nfile = {}\nwhy = {}\n".format(*words)
            parts.append(f"{head}changes = [\n{lines}]\n")
    return "\n".join(parts)
