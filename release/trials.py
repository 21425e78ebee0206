"""Mutants on trial: each in a child process, with the fault in memory and nothing written.

Most faults are inside a function. For those the tests are collected once, and every child is forked
from there, gets the faulty function and runs the tests that call it, the quickest first, until one
fails. A fault in what runs at import (a constant, a default) gets a child that imports everything
anew with the faulty module.

Kernels run as plain Python: compiling takes seconds for each mutant, a cache on disk would answer
for the sound code, and an index out of bounds is an error there, not luck.
"""

from __future__ import annotations

import inspect
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Literal

import pytest

from release.mutants import Mutant

Verdict = Literal["killed", "survived", "timed out"]

LIBRARIES = ("numba", "scipy.stats", "statsmodels.api", "scikit_posthocs", "hypothesis", "rich")
COPIED = ("src", "tests", "pyproject.toml")
TIMES, GRACE = 5, 2
"""A test on trial may take so many times its usual seconds, and some more."""
MEMORY = 8 * 2**30


@dataclass
class Usual:
    """What the tests do with the sound code."""

    seconds: dict[str, float] = field(default_factory=dict)
    """How long each test takes, in seconds of the processor."""
    calls: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The tests that call each function, as `file:function`."""
    at_import: set[str] = field(default_factory=set)
    """Functions called outside of tests, as when a test file is imported."""

    def is_at_import(self, mutant: Mutant) -> bool:
        return not mutant.function or f"{mutant.file}:{mutant.function}" in self.at_import

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that could tell a mutant from the sound code, the quickest first."""
        function = f"{mutant.file}:{mutant.function}"
        everything = mutant.cached or self.is_at_import(mutant)
        chosen = self.seconds if everything else self.calls.get(function, ())
        return sorted(chosen, key=lambda test: self.seconds[test])


def copied(root: Path, folder: Path) -> Path:
    """The tree as it is now, in a folder of its own."""
    for name in COPIED:
        if (root / name).is_dir():
            unwanted = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(root / name, folder / name, ignore=unwanted)
        else:
            shutil.copy(root / name, folder / name)
    return folder


def load_libraries(tree: Path) -> None:
    """Load what every trial needs, and nothing of the code on trial."""
    sys.path[:0] = [str(tree / "src"), str(tree / "tests")]
    for name in LIBRARIES:
        import_module(name)
    assert "genoku" not in sys.modules, "expected the code on trial not to be loaded yet"
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(  # the same examples in every trial, and nothing is shrunk
        "mutation",
        max_examples=60,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def trials(
    tree: Path, mutants: list[Mutant], tests: list[str], left_out: set[str], workers: int
) -> Iterator[tuple[Mutant, Verdict]]:
    """The verdict on every mutant: first those inside functions, then those at import."""
    files = sorted({mutant.file for mutant in mutants})
    court = Court(tree, mutants, files, left_out, workers)
    child = forked(tree, lambda: int(pytest.main(options(tests), plugins=[court])), tree / "log")
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit(f"the tests fail without a fault:\n{(tree / 'log').read_text()}")
    kept = json.loads((tree / "verdicts.json").read_text())
    for number, verdict in kept["verdicts"].items():
        yield mutants[int(number)], verdict

    def start(number: int) -> int:
        work = lambda: tried_at_import(tree, mutants[number], kept["seconds"], left_out)  # noqa: E731
        return forked(tree, work, Path(os.devnull), limited=True)

    for number, verdict in at_once(start, kept["at_import"], workers):
        yield mutants[number], verdict


class Court:
    """A pytest plugin that tries mutants where it would have run the tests."""

    def __init__(
        self, tree: Path, mutants: list[Mutant], files: list[str], left_out: set[str], workers: int
    ) -> None:
        self.tree, self.mutants, self.workers = tree, mutants, workers
        self.names = {str(tree / file): file for file in files}
        self.left_out = left_out
        self.sound = Usual()
        self.test = ""
        sys.settrace(self.on_call)  # from now on, so that what is called at import is seen

    def on_call(self, frame: FrameType, event: str, argument: Any) -> None:
        file = self.names.get(frame.f_code.co_filename)
        if file:
            function = f"{file}:{frame.f_code.co_qualname.split('.<locals>')[0]}"
            if self.test:
                self.sound.calls[function].add(self.test)
            else:
                self.sound.at_import.add(function)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [each for each in items if without_case(each.nodeid) not in self.left_out]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        self.watch(session)
        chosen = [self.sound.tests_of(mutant) for mutant in self.mutants]
        at_import = {n for n, each in enumerate(self.mutants) if self.sound.is_at_import(each)}
        unreached = {n for n, tests in enumerate(chosen) if not tests}

        def start(number: int) -> int:
            def work() -> int:
                put_in_place(self.mutants[number], self.tree)
                return self.tried(session, [items[test] for test in chosen[number]])

            return forked(self.tree, work, Path(os.devnull), limited=True)

        quick = [n for n in range(len(chosen)) if n not in at_import | unreached]
        verdicts: dict[int, str] = dict.fromkeys(unreached, "survived")
        verdicts |= dict(at_once(start, quick, self.workers))
        seconds = self.sound.seconds
        kept = {"verdicts": verdicts, "at_import": sorted(at_import), "seconds": seconds}
        (self.tree / "verdicts.json").write_text(json.dumps(kept))
        return True

    def watch(self, session: pytest.Session) -> None:
        """See in a child what the sound code does; its functions stay as fresh as they were."""
        seen = self.tree / "usual.json"

        def work() -> int:
            for item, after in zip(session.items, [*session.items[1:], None], strict=True):
                self.test, before = item.nodeid, time.process_time()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                self.sound.seconds[item.nodeid] = time.process_time() - before
            calls = {function: sorted(tests) for function, tests in self.sound.calls.items()}
            seen.write_text(json.dumps([self.sound.seconds, calls]))
            return int(session.testsfailed > 0)

        _, status = os.waitpid(forked(self.tree, work, self.tree / "usual.log"), 0)
        sys.settrace(None)
        if status:
            pytest.exit((self.tree / "usual.log").read_text(), 1)
        self.sound.seconds, self.sound.calls = json.loads(seen.read_text())

    def tried(self, session: pytest.Session, items: list[pytest.Item]) -> int:
        """Run tests until one fails."""
        for item, after in zip(items, [*items[1:], None], strict=True):
            allow(self.sound.seconds[item.nodeid])
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if session.testsfailed:
                return 1
        return 0


def put_in_place(mutant: Mutant, tree: Path) -> None:
    """Give the function that a mutant is in the mutant's code, wherever it is known by now."""
    module = import_module(module_name(mutant))
    found: Any = module
    for part in mutant.function.split("."):
        found = inspect.getattr_static(found, part)
    found = getattr(found, "fget", None) or getattr(found, "__func__", found)  # of a method
    found = getattr(found, "__wrapped__", found)  # of what remembers its results
    found.__code__ = code_of(mutant.code(tree / mutant.file), mutant.function)


def code_of(code: CodeType, function: str) -> CodeType:
    """The code of a function within that of its module."""
    waiting = [code]
    while waiting:
        code = waiting.pop()
        if code.co_qualname == function:
            return code
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
    raise LookupError(function)


def tried_at_import(
    tree: Path, mutant: Mutant, seconds: dict[str, float], left_out: set[str]
) -> int:
    """Run the tests with the mutant in place of its module."""
    path = tree / mutant.file
    sys.meta_path.insert(0, OneModule(module_name(mutant), path, mutant.code(path)))
    files = sorted({test.partition("::")[0] for test in seconds})
    allow(10)  # to import
    return int(pytest.main(options(files), plugins=[Quickest(seconds, left_out)]))


class OneModule(MetaPathFinder):
    """Finds one module alone, with the code it is given."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        class Loader(SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType:
                return code

        self.name, self.path, self.loader = name, path, Loader(name, str(path))

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return spec_from_file_location(self.name, self.path, loader=self.loader)


class Quickest:
    """A pytest plugin that puts the quickest tests first, and keeps each to its time."""

    def __init__(self, seconds: dict[str, float], left_out: set[str]) -> None:
        self.seconds, self.left_out = seconds, left_out

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        wanted = [each for each in items if without_case(each.nodeid) not in self.left_out]
        items[:] = sorted(wanted, key=lambda each: self.seconds.get(each.nodeid, 0))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        allow(self.seconds.get(item.nodeid, 0))


def allow(seconds: float) -> None:
    """End this process if what follows takes several times as long as it usually does."""
    signal.setitimer(signal.ITIMER_PROF, GRACE + TIMES * seconds)


def without_case(nodeid: str) -> str:
    """A test without the case in brackets."""
    return nodeid.partition("[")[0]


def module_name(mutant: Mutant) -> str:
    return ".".join(Path(mutant.file).with_suffix("").parts[1:])


def options(tests: Iterable[str]) -> list[str]:
    """What pytest is told; output is not captured, since children write to a file of their own."""
    quiet = ["-q", "-x", "-s", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return [*quiet, "-o", "addopts=-m 'not release'", "--hypothesis-profile=mutation", *tests]


def at_once(
    start: Callable[[int], int], numbers: Iterable[int], workers: int
) -> Iterator[tuple[int, Verdict]]:
    """Start a child for every number, so many at a time; their verdicts as they end."""
    running: dict[int, int] = {}
    waiting = iter(numbers)
    while True:
        while len(running) < workers and (number := next(waiting, None)) is not None:
            running[start(number)] = number
        if not running:
            return
        child, status = os.wait()
        yield running.pop(child), verdict_of(status)


def verdict_of(status: int) -> Verdict:
    """What the end of a trial says: any failure is a kill, also one to import or to collect."""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
        return "timed out"
    return "killed" if status else "survived"


def forked(tree: Path, work: Callable[[], int], log: Path, *, limited: bool = False) -> int:
    """Do the work in a child process, within limits if it may go astray; its process id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        with log.open("w") as stream:
            os.dup2(stream.fileno(), 1)
            os.dup2(stream.fileno(), 2)
        os.chdir(tree)
        if limited:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        code = work()
    finally:
        sys.stdout.flush()
        os._exit(code)
