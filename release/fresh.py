"""A clean clone with Python alone: the README's two commands, and how long they take."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

from release.environments import LEAKS, ran
from release.judging import ROOT, CheckError, Seen, refused, run_check


def main(arguments: list[str]) -> int:
    return 2 if refused("fresh", arguments) else run_check("fresh", look, [])


def look(folder: Path) -> Seen:
    clone = folder / "genoku"
    ran(["git", "clone", "--quiet", str(ROOT), str(clone)], cwd=folder)
    commit = ran(["git", "rev-parse", "--short", "HEAD"], cwd=clone).stdout.strip()
    times: list[str] = []
    for command in commands((clone / "README.md").read_text(encoding="utf-8")):
        print(f"$ {command}", flush=True)
        began = time.perf_counter()
        done = subprocess.run(
            command,
            shell=True,
            cwd=clone,
            env=variables(folder),
            check=False,
            stdin=subprocess.DEVNULL,
        )
        times.append(f"{command}: {time.perf_counter() - began:.0f} s")
        print(times[-1], flush=True)
        if done.returncode:
            raise CheckError(f"expected exit code 0 of {command!r}, got {done.returncode}")
    return Seen(f"{'; '.join(times)}; commit {commit}")


def commands(readme: str) -> list[str]:
    """Return the two commands of the README's first block, without comments."""
    block = re.search(r"^```sh\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    found = [line.partition("#")[0].strip() for line in block[1].splitlines()] if block else []
    if len(found) != 2:
        raise CheckError(f"expected two commands in the README's first block, got {found}")
    return found


def variables(folder: Path) -> dict[str, str]:
    """Return environment variables as on a new machine, without caches."""
    kept = {name: value for name, value in os.environ.items() if name not in LEAKS}
    kept.pop("NUMBA_CACHE_DIR", None)
    return {**kept, "PIP_NO_CACHE_DIR": "1", "XDG_CACHE_HOME": str(folder / "cache")}
