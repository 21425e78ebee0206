"""Every extra alone: what needs it works, and what needs another says how to install it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from release.environments import Environment, Packages, build_packages
from release.judging import ROOT, CheckError, Seen, run_check
from run import SITE

STUDY = """
seeds = 2
until = "generations=20"
puzzles = ["4x4-easy"]
[[algorithms]]
preset = "sundy"
[[algorithms]]
preset = "annealing"
"""

SECONDS = 300
"""How long a command may take, most of which is compiling."""


@dataclass(frozen=True)
class Part:
    """Something that an extra is for."""

    words: str
    needs: str
    makes: str = ""


PARTS = (
    Part("solve ai-escargot", ""),
    Part("study run study.toml --jobs 1", ""),
    Part("study export study.db --to csv -o runs.csv", "", "runs.csv"),
    Part("evolve 4x4-easy --preset sundy --generations 20 --plot run.svg", "lab", "run.svg"),
    Part("evolve 4x4-easy --preset sundy --generations 20 --gif run.gif", "lab", "run.gif"),
    Part("report study.db -o study.html", "lab", "study.html"),
    Part("race sundy tabu --puzzle 4x4-easy --seeds 2 --report race.html", "lab", "race.html"),
    Part(
        "tune sundy --puzzles 4x4-easy --trials 2 --instances 2 --validate 2 -o t.toml",
        "tune",
        "t.toml",
    ),
    Part("solve ai-escargot --seeds 2 --dask local", "cluster"),
    Part("study export study.db --to parquet -o runs.parquet", "parquet", "runs.parquet"),
)
"""Commands, the extra each needs if any, and the file it leaves."""

SERVE = "serve --no-browser --dir kept"


def main(arguments: list[str]) -> int:
    """Check every extra, or those named; `core` is the package without extras."""
    held = holdings()
    for name in arguments:
        if name not in held:
            print(f"expected an extra, one of {', '.join(held)}, got {name!r}", file=sys.stderr)
            return 2
    return run_check("extras", lambda folder: look(folder, arguments or list(held)), arguments)


def look(folder: Path, chosen: list[str]) -> Seen:
    held = holdings()
    packages = build_packages(folder)
    versions = ""
    for name in chosen:
        print(f"{name} ...", flush=True)
        environment = Environment.create(folder / name)
        wanted = str(packages.wheel) + ("" if name == "core" else f"[{name}]")
        environment.install(wanted)
        try_out(environment, held[name], packages)
        versions = environment.versions("numpy", "numba")
    return Seen(f"each alone: {', '.join(chosen)}", versions)


def holdings() -> dict[str, set[str]]:
    """Return every extra except `dev`, with the extras it includes; `core` has none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    own = re.compile(rf"{project['name']}\[(.*)\]")

    def held(name: str) -> set[str]:
        inner = {
            one
            for each in extras[name]
            if (found := own.fullmatch(each))
            for one in found[1].split(",")
        }
        return {name}.union(*map(held, inner))

    return {"core": set(), **{name: held(name) for name in extras if name != "dev"}}


def try_out(environment: Environment, held: set[str], packages: Packages) -> None:
    """Run every part in a separate folder: it works, or says which extra it needs."""
    folder = environment.folder / "elsewhere"
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    for part in PARTS:
        if part.needs and part.needs not in held:
            refuse(environment, folder, part.words, part.needs)
            continue
        environment.genoku(*part.words.split(), cwd=folder, timeout=SECONDS)
        if part.makes and not (folder / part.makes).stat().st_size:
            raise CheckError(f"expected {part.makes} of genoku {part.words}, got an empty file")
    if "web" in held:
        serve(environment, folder)
    else:
        refuse(environment, folder, SERVE, "web")
    if "docs" in held:
        build_the_site(environment, packages)


def refuse(environment: Environment, folder: Path, words: str, extra: str) -> None:
    """Expect exit code 2, and a last line that says how to install the extra."""
    done = environment.genoku(*words.split(), cwd=folder, code=2, timeout=SECONDS)
    expected = f'pip install "genoku[{extra}]"'
    last = (done.stderr.strip().splitlines() or [""])[-1]
    if not last.endswith(expected) or "Traceback" in done.stderr:
        raise CheckError(f"expected {expected} of genoku {words}, got {last!r}")


def serve(environment: Environment, folder: Path) -> None:
    """Check that the server answers on loopback and ends with Ctrl-C."""
    with subprocess.Popen(
        [str(environment.scripts / "genoku"), *SERVE.split(), "--port", "0"],
        cwd=folder,
        env=environment.variables,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            address = address_of(server)
            with urlopen(f"{address}api/status", timeout=60) as answer:
                status = json.load(answer)
            with urlopen(address, timeout=60) as answer:
                page = answer.read().decode()
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=60)
        finally:
            server.kill()  # where it has not ended by itself
    if "version" not in status or "<html" not in page:
        raise CheckError(f"expected a status and a page of genoku serve, got {status}")
    if server.returncode:
        raise CheckError(f"expected exit code 0 of genoku serve, got {server.returncode}")


def address_of(server: subprocess.Popen[str]) -> str:
    """Return the address that a server prints."""
    said = ""
    for line in server.stderr or ():
        said += line
        if found := re.search(r"http://127\.0\.0\.1:\d+/", line):
            return found[0]
    raise CheckError(f"expected an address of genoku serve, got {said!r}")


def build_the_site(environment: Environment, packages: Packages) -> None:
    """Build the documentation from the sdist, with lessons executed and warnings as errors."""
    tree = packages.unpacked(environment.folder / "tree")
    environment.run(*SITE, cwd=tree)
