"""`genoku doctor`: versions, folders and cores."""

from __future__ import annotations

import platform
import shutil
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from genoku import __version__
from genoku.cli.options import command, json_option, option
from genoku.cli.output import print_json, say
from genoku.runtime.text import format_count, format_file_size

PARTS = {
    "core": ("numpy", "numba", "python-sat", "click", "rich", "platformdirs"),
    "lab": ("matplotlib", "pillow", "scipy", "markdown-it-py"),
    "web": ("fastapi", "uvicorn"),
    "cluster": ("distributed",),
    "tune": ("optuna",),
    "parquet": ("pyarrow",),
    "docs": ("sphinx", "myst-nb", "furo", "ipykernel"),
    "dev": (
        *("ruff", "basedpyright", "pytest", "pytest-xdist", "hypothesis"),
        *("statsmodels", "scikit-posthocs", "iohinspector"),
        *("playwright", "schemathesis", "httpx"),
    ),
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox")


@command()
@json_option
@option("--clean", is_flag=True, help="Delete kernels compiled by other versions.")
def doctor(as_json: bool, clean: bool) -> None:
    """Show versions, folders, cores and installed packages.

    Examples:
      genoku doctor                  show versions, folders, cores and missing packages
      genoku doctor --json           the same as JSON
      genoku doctor --clean          delete unused compiled kernels
    """
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

    from genoku.runtime.jit import cache_folder
    from genoku.runtime.workers import cores

    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    compiled = list(cache_folder().rglob("*.nbc"))
    size = sum(path.stat().st_size for path in compiled)
    data = Path(platformdirs.user_data_dir("genoku", appauthor=False))
    return {
        "genoku": __version__,
        "python": f"{platform.python_version()} ({platform.system()} {platform.machine()})",
        **{
            f"{part} packages": ", ".join(f"{name} {_version(name)}" for name in names)
            for part, names in PARTS.items()
        },
        "cores": cores(),
        "kernel cache": f"{cache_folder()} ({len(compiled)} kernels, {format_file_size(size)})",
        "data folder": str(data) if data.exists() else f"{data} (not used yet)",
        "browser": browser or "none found",
    }


def _remove_old_kernels() -> None:
    from genoku.runtime.jit import cache_folder

    current = cache_folder()
    old = [folder for folder in current.parent.glob("kernels-*") if folder != current]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    say(f"deleted {format_count(len(old), 'folder')} of old kernels")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
