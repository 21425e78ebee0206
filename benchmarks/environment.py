"""The environment of the peers: their packages, apart from genoku's own, in the cache folder.

Their versions are in `peers/requirements.txt`, their programs beside it. A
program reads one JSON object, its job, and prints another; it does not import genoku, which is not
installed there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from genoku.errors import GenokuError

PROGRAMS = Path(__file__).parent / "peers"
REQUIREMENTS = PROGRAMS / "requirements.txt"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
OF_OUR_PYTHON = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
VERSIONS = """
import json, sys
from importlib.metadata import version
print(json.dumps({name: version(name) for name in sys.argv[1:]}))
"""


class PeerError(GenokuError):
    """A peer that could not be installed, or did not answer."""


@dataclass(frozen=True)
class Peers:
    """The Python that has the peers' packages, and their versions."""

    python: Path
    versions: Mapping[str, str]

    def ask(self, program: str, job: Mapping[str, Any], *, timeout: float = 900) -> dict[str, Any]:
        """Run a program of `peers/` on one thread, and return its answer to a job."""
        command = [str(self.python), str(PROGRAMS / program)]
        said = run_program(command, json.dumps(job), timeout=timeout)
        try:
            answer: dict[str, Any] = json.loads(said)
        except ValueError:
            raise PeerError(f"{program}: expected JSON, got {said[:200]!r}") from None
        return answer


def requirements() -> list[str]:
    """Return the lines of the requirements file, without comments."""
    lines = (line.split("#")[0].strip() for line in REQUIREMENTS.read_text("utf-8").splitlines())
    return [line for line in lines if line]


def package_names() -> list[str]:
    """Return the names of the packages."""
    return [re.split(r"[^\w.-]", line)[0].lower() for line in requirements()]


def install_peers(say: Callable[[str], None]) -> Peers:
    """Install the peers if they are missing or the requirements have changed.

    An interrupted installation is repeated.
    """
    folder = _folder()
    python = python_of(folder)
    mark, meant = folder / "installed", "\n".join(requirements())
    if not (python.exists() and mark.exists() and mark.read_text() == meant):
        say(f"installing {', '.join(package_names())} into {folder} (once, some minutes) ...")
        mark.unlink(missing_ok=True)
        run_program([sys.executable, "-m", "venv", "--clear", str(folder)])
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        patience = ["--retries", "1", "--timeout", "15"]
        run_program([str(python), *pip, *patience, "-r", str(REQUIREMENTS)], timeout=3600)
        mark.write_text(meant)
    return Peers(python, json.loads(run_program([str(python), "-c", VERSIONS, *package_names()])))


def _folder() -> Path:
    """Return the folder of the environment, one for each version of Python."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return platformdirs.user_cache_path("genoku") / f"peers-{version}"


def python_of(folder: Path) -> Path:
    """Return the Python of a virtual environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run_program(command: list[str], said: str = "", *, timeout: float = 900) -> str:
    """Run a program and return its output, or raise with its last error line."""
    environment = {key: value for key, value in os.environ.items() if key not in OF_OUR_PYTHON}
    what = Path(command[1]).name if command[1].endswith(".py") else " ".join(command[1:3])
    try:
        done = subprocess.run(
            command,
            input=said,
            env={**environment, **ONE_THREAD},
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=timeout,
        )
    except subprocess.CalledProcessError as error:
        raise PeerError(f"{what} failed: {_last_words(error.stderr)}") from error
    except subprocess.TimeoutExpired as error:
        raise PeerError(f"{what} did not end within {timeout:.0f} s") from error
    except OSError as error:
        raise PeerError(f"{what} could not be started: {error.strerror}") from error
    return done.stdout


def _last_words(errors: str) -> str:
    """Return the line that tells most: of pip's errors the first, of Python's the last."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()] or ["it said nothing"]
    of_pip = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    of_python = [line for line in lines if re.match(r"[\w.]*Error: ", line)]
    named = [line for line in of_pip if not line.endswith(":")] or of_python[-1:] or lines[-1:]
    return named[0]
