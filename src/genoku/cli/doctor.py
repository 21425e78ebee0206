"""`genoku doctor`: what is installed, and where."""

from __future__ import annotations

import platform
import shutil
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from genoku import __version__
from genoku.cli.options import json_option
from genoku.cli.output import print_json, say
from genoku.words import file_size, plural

PARTS = {
    "core": ("numpy", "numba", "python-sat", "click", "rich", "platformdirs"),
    "lab": ("matplotlib", "pillow", "scipy", "markdown-it-py"),
    "web": ("fastapi", "uvicorn"),
    "cluster": ("distributed",),
    "tune": ("optuna",),
    "parquet": ("pyarrow",),
    "docs": ("sphinx", "myst-nb", "furo", "ipykernel"),
    "dev": (
        *("ruff", "mypy", "basedpyright", "pytest", "pytest-xdist", "hypothesis"),
        *("statsmodels", "scikit-posthocs", "iohinspector"),
        *("playwright", "schemathesis", "httpx"),
    ),
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox")


@click.command(
    epilog="""\b
Examples:
  genoku doctor                  versions, folders, cores, and what is missing
  genoku doctor --json           the same as data
  genoku doctor --clean          free the space of kernels that nothing uses any more
""",
)
@json_option
@click.option("--clean", is_flag=True, help="Remove kernels compiled for other versions.")
def doctor(as_json: bool, clean: bool) -> None:
    """Show versions, folders, cores and what is installed."""
    if clean:
        _remove_old_kernels()
    facts = _facts()
    if as_json:
        print_json(facts)
        return
    wide = max(map(len, facts))
    for name, value in facts.items():
        click.echo(f"{name:<{wide}}  {value}")


def _facts() -> dict[str, Any]:
    import platformdirs

    from genoku.jit import cache_folder
    from genoku.workers import cores

    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    compiled = list(cache_folder().rglob("*.nbc"))
    size = sum(path.stat().st_size for path in compiled)
    return {
        "genoku": __version__,
        "python": f"{platform.python_version()} ({platform.system()} {platform.machine()})",
        **{f"{part} packages": _versions(names) for part, names in PARTS.items()},
        "cores": cores(),
        "kernel cache": f"{cache_folder()} ({len(compiled)} kernels, {file_size(size)})",
        "data folder": _exists(Path(platformdirs.user_data_dir("genoku", appauthor=False))),
        "browser": browser or "none found",
    }


def _remove_old_kernels() -> None:
    from genoku.jit import cache_folder

    current = cache_folder()
    old = [folder for folder in current.parent.glob("kernels-*") if folder != current]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    say(f"removed {plural(len(old), 'folder')} of old kernels")


def _versions(names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_version(name)}" for name in names)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _exists(folder: Path) -> str:
    return str(folder) if folder.exists() else f"{folder} (not used yet)"
