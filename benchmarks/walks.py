"""Trace one walk through genoku, and print as JSON how many lines of each file ran.

    python benchmarks/walks.py solve|study|report|live|serve

Everything is done once before, so that modules and kernels are loaded, and then again under the
tracer. Lines of functions count; what a module does when it is imported does not. `house` starts
this with the sources that it looks at, so it imports nothing of the other benchmarks.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib.util import find_spec
from inspect import CO_OPTIMIZED
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from urllib.request import Request, urlopen

RECORD = "GENOKU_WALK"
"""The variable that names the file which traced processes write to, once it is there."""

IN_EVERY_PROCESS = f"""
import sys
sys.path.append({str(Path(__file__).parent)!r})
import walks
walks.Tracer().start()
sys.path.pop()
"""
"""As `sitecustomize`, traces a server and all that it starts."""

STUDY = """
question = "Which solves more?"
puzzles = ["9x9-easy", "charles-easy"]
seeds = 3
until = "generations=12"

[[algorithms]]
preset = "sundy"
grid.population = [10, 20]
"""
RUN = {"puzzle": "golden-nugget", "preset": "simon", "seed": 1, "until": "seconds=60"}


def package_folder() -> str:
    spec = find_spec("genoku")
    assert spec
    assert spec.origin
    return str(Path(spec.origin).parent) + os.sep


class Tracer:
    """Records each line of genoku's functions when it first runs."""

    def __init__(self) -> None:
        self.record = os.environ[RECORD]
        self.package = package_folder()
        self.seen: set[tuple[CodeType, int]] = set()

    def start(self) -> None:
        threading.settrace(self.called)
        sys.settrace(self.called)

    def called(self, frame: FrameType, _event: str, _argument: object) -> Any:
        code = frame.f_code
        ours = code.co_filename.startswith(self.package) and code.co_flags & CO_OPTIMIZED
        if ours and Path(self.record).exists() and not self._is_importing(frame):
            return self.ran
        return None

    def _is_importing(self, frame: FrameType) -> bool:
        """Whether a module of genoku called this function while being imported."""
        above = frame.f_back
        while above is not None:
            code = above.f_code
            if code.co_name == "<module>" and code.co_filename.startswith(self.package):
                return str(above.f_globals["__name__"]) != "__main__"
            above = above.f_back
        return False

    def ran(self, frame: FrameType, event: str, _argument: object) -> Any:
        here = frame.f_code, frame.f_lineno
        if event == "line" and here not in self.seen:
            self.seen.add(here)
            with suppress(FileNotFoundError):  # the walk has ended
                out = os.open(self.record, os.O_WRONLY | os.O_APPEND)
                os.write(out, f"{frame.f_code.co_filename}\t{frame.f_lineno}\n".encode())
                os.close(out)
        return self.ran


def genoku(*words: str) -> None:
    """Run the command in this process."""
    from genoku.__main__ import main

    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
        try:
            main(list(words))
        except SystemExit as end:
            if end.code:
                raise RuntimeError(said.getvalue()) from end


def solve(_folder: Path) -> None:
    genoku("solve", "ai-escargot")


def study(folder: Path) -> None:
    """Run a small study in this process."""
    path, store = folder / "walk.toml", folder / "walk.db"
    path.write_text(STUDY, "utf-8")
    store.unlink(missing_ok=True)
    genoku("study", "run", str(path), "--jobs", "1", "--store", str(store))


def report(folder: Path) -> None:
    """Write the report of an existing study."""
    genoku("report", str(folder / "walk.db"), "-o", str(folder / "walk.html"))


def in_process(walk: str, folder: Path, record: Path) -> Path:
    walks = {"solve": solve, "study": study, "report": report}
    if walk == "report":
        study(folder)
    walks[walk](folder)
    record.touch()
    Tracer().start()
    walks[walk](folder)
    sys.settrace(None)
    return record


def live(walk: str, folder: Path, record: Path) -> Path:
    """Make a run in a real server, warm or traced from its start."""
    if walk == "serve":
        record.touch()
    (folder / "sitecustomize.py").write_text(IN_EVERY_PROCESS, "utf-8")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    words = ("serve", "--no-browser", "--port", "0", "--dir", str(folder / "served"))
    server = subprocess.Popen(
        [sys.executable, "-m", "genoku", *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        assert server.stderr
        found = re.search(r"http://[\d.]+:\d+", server.stderr.readline())
        assert found, "genoku serve did not start"
        if walk == "live":
            live_run(found[0])
            record.touch()
        live_run(found[0])
        return record.rename(folder / "ended")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


def live_run(server: str) -> None:
    """Start a run, watch it, pause, step and resume it, and end it."""

    def ask(method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        head = {"Content-Type": "application/json"}
        asked = Request(f"{server}/api/runs{path}", data, head, method=method)
        with urlopen(asked, timeout=60) as answer:
            return json.loads(answer.read() or b"null")

    run = ask("POST", "", RUN)["id"]
    with urlopen(f"{server}/api/runs/{run}/events", timeout=60) as events:
        pictures = 0
        while pictures < 4:
            pictures += events.readline().startswith(b"data:")
        for do in ("pause", "step", "resume", "stop"):
            ask("POST", f"/{run}/control", {"do": do})
        while (line := events.readline()) and b'"ended"' not in line:
            pass
    ask("DELETE", f"/{run}")


def main(walk: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record = folder / "record"
        os.environ[RECORD] = str(record)
        trace = live if walk in ("live", "serve") else in_process
        ended = trace(walk, folder, record)
        lines: dict[str, int] = {}
        for line in set(ended.read_text("utf-8").splitlines()):
            file = Path(line.split("\t")[0]).relative_to(package_folder()).as_posix()
            lines[file] = lines.get(file, 0) + 1
    print(json.dumps(dict(sorted(lines.items()))))


if __name__ == "__main__":
    main(sys.argv[1])
