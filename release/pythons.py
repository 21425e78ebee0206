"""The suite on the newer Pythons that are supported."""

from __future__ import annotations

from pathlib import Path

from release.environments import Environment, build_packages, interpreter
from release.judging import CheckError, Seen, run_check
from release.suite import ran_suite

VERSIONS = ("3.12", "3.13")


def main(arguments: list[str]) -> int:
    """Run the suite on every version, or on those at the start of the arguments.

    What follows goes to pytest.
    """
    chosen = [word for word in arguments if word in VERSIONS]
    others = [word for word in arguments if word not in VERSIONS]
    return run_check(
        "pythons", lambda folder: look(folder, chosen or list(VERSIONS), others), arguments
    )


def look(folder: Path, versions: list[str], arguments: list[str]) -> Seen:
    tree = build_packages(folder).unpacked(folder)
    details: list[str] = []
    found: list[str] = []
    for version in versions:
        python = interpreter(version)
        if python is None:
            details.append(f"{version}: not found here")
            continue
        environment = Environment.create(folder / f"python-{version}", python)
        environment.install(f"{tree}[dev]")
        said = ran_suite(environment.python, *arguments, cwd=tree, variables=environment.variables)
        details.append(f"{version}: {said}")
        found.append(environment.versions())
    if not found:
        raise CheckError("; ".join(details))
    return Seen("; ".join(details), versions=", ".join(found))
