"""The suite with the lowest versions that pyproject.toml allows, on the oldest Python."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from release.environments import Environment, build_packages, interpreter
from release.judging import ROOT, CheckError, Seen, run_check
from release.suite import ran_suite

TOOLS = "dev"
"""The extra whose versions are no promise: what tests use, and users do not."""

LEFT_OUT = {"schemathesis": "tests/test_web_schema.py"}
"""Tools that want newer versions than the lowest (schemathesis: rich 13.9), and their tests."""


def main(arguments: list[str]) -> int:
    """Run the suite, or the tests that pytest's `arguments` select."""
    return run_check("minimum", lambda folder: look(folder, arguments), arguments)


def look(folder: Path, arguments: list[str]) -> Seen:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=")
    python = interpreter(oldest)
    if python is None:
        raise CheckError(f"Python {oldest}, the oldest that is admitted, was not found here")
    tree = build_packages(folder).unpacked(folder)
    bounds = lowest(project)
    constraints = folder / "lowest.txt"
    constraints.write_text("\n".join(bounds), encoding="utf-8")
    extras = ",".join(name for name in project["optional-dependencies"] if name != TOOLS)
    environment = Environment.create(folder / "environment", python)
    environment.install("--constraint", str(constraints), f"{tree}[{extras}]", *tools(project))
    without = [f"--ignore={tests}" for tests in LEFT_OUT.values()]
    said = ran_suite(
        environment.python, *without, *arguments, cwd=tree, variables=environment.variables
    )
    names = (bound.partition("==")[0] for bound in bounds)
    return Seen(f"{said}; without {', '.join(LEFT_OUT)}", versions=environment.versions(*names))


def lowest(project: dict[str, Any]) -> list[str]:
    """Return the requirements at their lowest versions: `numpy==2.0`."""
    needed = set(project["dependencies"])
    for name, requirements in project["optional-dependencies"].items():
        if name != TOOLS:
            needed.update(others(project, requirements))
    return sorted(map(at_its_bound, needed))


def tools(project: dict[str, Any]) -> list[str]:
    """Return the other requirements of the tests, without those that cannot be installed."""
    needed = others(project, project["optional-dependencies"][TOOLS])
    return [one for one in needed if re.split("[>=]", one)[0] not in LEFT_OUT]


def others(project: dict[str, Any], requirements: list[str]) -> list[str]:
    """Return the requirements other than the project's own extras."""
    return [one for one in requirements if not one.startswith(f"{project['name']}[")]


def at_its_bound(requirement: str) -> str:
    found = re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement)
    if not found:
        raise CheckError(
            f"expected a bound such as numpy>=2.0 in pyproject.toml, got {requirement!r}"
        )
    return f"{found[1]}=={found[2]}"
