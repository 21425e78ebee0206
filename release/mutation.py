"""Mutation tests of fitness, selection and statistics by mutmut: the tests must find each fault.

    python3 run.py release mutation [--only PATTERN ...] [--workers N] [--accept]

Survivors that no test can tell from the sound code, or none should, are accepted: equivalent.toml
says how many of a kind each function has, and why. One more is a hole in the tests, and the check
fails; --accept writes the numbers that survive into the file instead. Which of a kind they are is
not kept, so functions may be reformatted. --only tries some mutants, such as
"genoku.evolve.fitness.*" or "*__mutmut_1".

A mutant that changes only texts for people does not count: no test holds their wording. mutmut
leaves decorated functions alone. Kernels run as plain Python here, where `@kernel` does nothing,
so it is removed in the copy that is tried; properties and constants are not tried. Tests draw as
many examples as they ask for, where the suite draws fewer.
"""

from __future__ import annotations

import argparse
import ast
import copy
import difflib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeGuard

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

KINDS = {
    "argument": (ast.Call, ast.keyword),  # left out of a call, or None
    "assignment": (ast.AugAssign,),  # of None, or of the right side alone where it was added
    "case": (ast.Match,),  # left out
    "comparison": (ast.cmpop,),  # such as < that is <=
    "condition": (),  # of a conditional expression: holds never, or always
    "jump": (ast.Break, ast.Continue),  # by break where it was by continue, or out of a function
    "name": (ast.Attribute, ast.Name),  # such as lower that is upper
    "truth": (
        bool,
    ),  # True that is False, or the reverse; before numbers, as True is one in Python
    "number": (int, float, complex),  # one higher
    "operator": (ast.operator, ast.unaryop, ast.boolop, ast.BinOp, ast.BoolOp, ast.UnaryOp),
    "string": (str,),  # in capitals, in small letters, or between XX and XX
}
"""What mutmut changes: the parts of a syntax tree, or the values of constants."""

Group: TypeAlias = tuple[str, str]
"""An area, and a function in it with a kind of change, such as "holm: argument"."""

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
    new: int = 0
    """Survivors that nobody has accepted."""

    def __str__(self) -> str:
        found = self.killed + self.stopped
        return (
            f"{found} of {self.tried} found ({100 * found / max(1, self.tried):.1f} %), "
            f"{self.stopped} of them by time, {self.accepted} accepted as equivalent, "
            f"{self.new} new survivors"
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
        return Seen(judge(folder, accept=asked.accept))

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
    settings = {"GENOKU_EXAMPLES": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": ""}
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", str(workers), *(only or ["*"])],
        cwd=folder,
        env={**os.environ, **threads, **settings},
        check=False,
    )
    if done.returncode:
        raise CheckError(f"mutmut ended with {done.returncode}")


def judge(folder: Path, *, accept: bool) -> str:
    """Return the result of all mutants in words, and print the survivors that are too many."""
    text = ACCEPTED.read_text("utf-8")
    limits = Counter({group: number for group, (number, _) in accepted_survivors(text).items()})
    outcomes = {area: Outcome() for area in AREAS}
    survivors: dict[Group, list[Mutant]] = defaultdict(list)
    untried: set[Group] = set()
    for area, file in AREAS.items():
        found = outcomes[area]
        for mutant in mutants(folder / "mutants" / file):
            group = area, f"{mutant.function}: {kind_of(mutant.sound, mutant.changed)}"
            found.tried += mutant.code not in UNTRIED
            found.killed += mutant.code in KILLED
            if mutant.code in UNTRIED:
                untried.add(group)
            elif mutant.code in SURVIVED | UNREACHED:
                survivors[group].append(mutant)
            elif mutant.code not in KILLED:
                found.stopped += 1

    survived = Counter({group: len(each) for group, each in survivors.items()})
    more, fewer = survived - limits, limits - survived
    for (area, _), number in (survived & limits).items():
        outcomes[area].accepted += number
    for (area, _), number in more.items():
        outcomes[area].new += number
    said = "; ".join(f"{area}: {found}" for area, found in outcomes.items() if found.tried)
    changed = [*more, *(group for group in fewer if group not in untried)]
    if accept:
        numbers = {group: survived[group] for group in changed}
        ACCEPTED.write_text(with_survivors(text, numbers), "utf-8")
        return f"{said}; {len(changed)} numbers changed"

    for group in changed:
        print(*group, f"({survived[group]} survived, {limits[group]} accepted)")
        for mutant in survivors[group] if group in more else ():
            print(f"{mutant.name}\n{change(mutant.sound, mutant.changed)}", flush=True)
    if more:
        raise CheckError(said)
    return f"{said}; {len(changed)} numbers to be lowered" if changed else said


class Mutant(NamedTuple):
    """A mutant that counts."""

    name: str
    """By which --only tries it again."""
    function: str
    """Its name, after that of its class if it is a method."""
    sound: ast.FunctionDef
    changed: ast.FunctionDef
    code: int | None
    """mutmut's code of its tests."""


def mutants(path: Path) -> Iterator[Mutant]:
    """Return every mutant of a file that counts."""
    meta = json.loads(path.with_name(f"{path.name}.meta").read_text("utf-8"))
    tree = ast.parse(path.read_text("utf-8"))
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for key, code in meta["exit_code_by_key"].items():
        name = key.rpartition(".")[2]
        stem = name.rpartition("__mutmut_")[0]
        function = stem.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
        sound, changed = functions[f"{stem}__mutmut_orig"], functions[name]
        sound.name = changed.name = function.rpartition(".")[2]
        if without_texts(sound) != without_texts(changed):
            yield Mutant(key, function, sound, changed, code)


def without_texts(function: ast.FunctionDef) -> str:
    """A function without texts for people; None, by which mutmut replaces arguments, is one too."""
    bare = copy.deepcopy(function)
    for node in ast.walk(bare):
        if isinstance(node, ast.Call):
            node.args = [a for a in node.args if not is_text(a) and ast.unparse(a) != "None"]
        elif is_text(node):
            node.value = ""
    return ast.dump(bare)


def is_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    """Whether it is a string with a blank; others are data, such as the name of a method."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value


def kind_of(sound: ast.FunctionDef, changed: ast.FunctionDef) -> str:
    """Return the kind of change by the smallest parts that differ, and what they are part of.

    How the function is written, such as on how many lines, plays no part.
    """
    *_, (holder, _), (was, becomes) = differences(sound, changed)
    match holder, was, becomes:
        case ast.IfExp(), _, ast.BoolOp(values=[_, ast.Constant(value=bool())]):
            return "condition"
        case ast.Call() | ast.keyword(), _, ast.Constant(value=None):
            return "argument"
        case (_, ast.Constant(value=None), _) | (_, _, ast.Constant(value=None)):
            return "assignment"
        case _:
            part = was.value if isinstance(was, ast.Constant) else was
            kinds = (kind for kind, types in KINDS.items() if isinstance(part, types))
            return next(kinds, "other")


def differences(was: ast.AST, becomes: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Return the parts of two trees that hold all that differs, from whole to smallest."""
    yield was, becomes
    parts, others = list(ast.iter_child_nodes(was)), list(ast.iter_child_nodes(becomes))
    if type(was) is type(becomes) and len(parts) == len(others):
        pairs = zip(parts, others, strict=True)
        unlike = [(one, two) for one, two in pairs if ast.dump(one) != ast.dump(two)]
        if len(unlike) == 1:
            yield from differences(*unlike[0])


def change(sound: ast.FunctionDef, changed: ast.FunctionDef) -> str:
    """Return the lines that a mutant changes, before and after."""
    was, becomes = ast.unparse(sound).splitlines(), ast.unparse(changed).splitlines()
    return "\n".join(line for line in difflib.ndiff(was, becomes) if line[0] in "+-")


def accepted_survivors(text: str) -> dict[Group, tuple[int, str]]:
    """Return how many survivors of each group the text of equivalent.toml accepts, and why."""
    return {
        (area, name): (number, why)
        for area, groups in tomllib.loads(text).items()
        for name, (number, why) in groups.items()
    }


def with_survivors(text: str, numbers: Mapping[Group, int]) -> str:
    """Return the text of equivalent.toml with other numbers of some groups; reasons stay."""
    accepted = accepted_survivors(text)
    for group, number in numbers.items():
        before, why = accepted.get(group, (0, ""))
        reasons = [why, NEW] if number > before else [why]
        accepted[group] = number, "; ".join(filter(None, reasons))

    lines = [text.partition("\n[")[0].strip()]
    for area in AREAS:
        lines += ["", f"[{area}]"]
        for (each, name), (number, why) in accepted.items():
            if each == area and number:
                entry = json.dumps([number, why], ensure_ascii=False)
                lines.append(f'"{name}" = {entry}')
    return "\n".join(lines) + "\n"
