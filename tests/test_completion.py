"""Tab in a shell: commands, options, names and files, in real shells where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete
from patience import PATIENCE

from genoku import bundled
from genoku.cli.main import cli
from genoku.evolve.presets import presets

SCRIPTS = Path(sys.executable).parent  # where the command `genoku` is
FILES = ("ai-mine.txt", "my study.toml", "first.toml", "first.db")
CASES = {
    "genoku so": ["solve"],
    "genoku evolve --rec": ["--recipe", "--record-every"],
    "genoku solve ai-": ["ai-escargot", "ai-folder", "ai-mine.txt"],
    "genoku solve --preset sund": ["sundy", "sundy-varied"],
    "genoku study run my": ["my study.toml"],
}
"""What is typed, and all that Tab offers for its last word."""


def offered(*words: str) -> list[tuple[str, str]]:
    """What is offered for the last of the words, each with its type, in this process."""
    shell = ShellComplete(cli, {}, "genoku", "_GENOKU_COMPLETE")
    return [(one.type, one.value) for one in shell.get_completions(list(words[:-1]), words[-1])]


def names(*words: str) -> list[str]:
    return [value for kind, value in offered(*words) if kind == "plain"]


def parameters(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[Any]:
    """Every parameter that takes text, of every command, with the word that stands for it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from parameters(command, (*path, name))
            continue
        for one in command.params:
            word = one.metavar or one.human_readable_name.upper()
            case = " ".join((*path, name, one.opts[-1]))
            yield pytest.param((*path, name), one, word.strip("[].…"), id=case)


@pytest.mark.parametrize(("path", "parameter", "word"), list(parameters()))
def test_what_a_parameter_is_called_says_what_is_offered(
    path: tuple[str, ...], parameter: click.Parameter, word: str
) -> None:
    option = [parameter.opts[-1]] if isinstance(parameter, click.Option) else []
    for kind in ("FILE", "STORE", "OUT"):
        if word.startswith(kind):
            assert ("file", "") in offered(*path, *option, "")
    if word in ("DIR", "FOLDER"):
        assert offered(*path, *option, "") == [("dir", "")]
    if word in ("PUZZLE", "WHAT", "BOARD"):
        assert set(bundled()) <= set(names(*path, *option, ""))
        assert ("file", "") in offered(*path, *option, "")
    if word.startswith("PRESET") or parameter.opts == ["--preset"]:
        assert {each.name for each in presets()} == set(names(*path, *option, ""))


def test_operators_are_offered_by_kind_and_by_name() -> None:
    assert {"crossover", "crossover-rate"} & set(names("operators", "cross")) == {"crossover"}
    assert "tournament" in names("operators", "tour")
    assert "simon" in names("presets", "si")


def test_every_command_is_offered() -> None:
    assert names("") == cli.list_commands(click.Context(cli))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with some files and a folder in it."""
    made = tmp_path_factory.mktemp("shell")
    for name in FILES:
        (made / name).touch()
    (made / "ai-folder").mkdir()
    return made


def environment() -> dict[str, str]:
    path = os.pathsep.join((str(SCRIPTS), os.environ["PATH"]))
    return {
        **os.environ,
        "PATH": path,
        "TERM": "dumb",
        **dict.fromkeys(("INPUTRC", "HISTFILE"), os.devnull),
    }


def typed(shell: list[str], keys: str, folder: Path) -> str:
    """What a shell at a terminal of its own shows when these keys are typed."""
    at_a_terminal = "import pty, sys; pty.spawn(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", at_a_terminal, *shell],
        input=keys,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return done.stdout


def between_marks(number: int, shown: str) -> set[str]:
    """The words between two marks of what was shown."""
    _, _, after = shown.partition(f"begin-{number}:")
    return set(after.partition(f":end-{number}")[0].split("|"))


@pytest.mark.skipif(
    os.name != "posix" or not shutil.which("bash"), reason="no bash at a terminal here"
)
def test_bash_completes(folder: Path) -> None:
    cases = {
        **CASES,
        "genoku show --style=s": ["--style=svg"],
        "genoku serve --dir ": ["ai-folder"],
    }
    keys = "source <(genoku completion bash)\n"
    for number, line in enumerate(cases):
        # Escape and * puts all that is offered on the line, which is then shown by printf.
        keys += f"{line}\x1b*\x01printf '%s|' begin\\-{number}: \x05 :end\\-{number}\n"
    shown = typed(["bash", "--norc", "--noprofile", "-i"], f"{keys}exit\n", folder)
    for number, (line, expected) in enumerate(cases.items()):
        fixed = line.split()[:-1] if not line.endswith(" ") else line.split()
        assert between_marks(number, shown) == {"", *fixed, *expected}, line


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize("line", [line for line, offers in CASES.items() if len(offers) == 1])
def test_zsh_completes(folder: Path, line: str) -> None:
    keys = "autoload -Uz compinit; compinit -u -D; source <(genoku completion zsh); bindkey -e\n"
    keys += f"{line}\t\x01printf '%s|' begin\\-0: \x05 :end\\-0\nexit\n"
    shown = typed(["zsh", "-f", "-i"], keys, folder)
    assert set(CASES[line]) <= between_marks(0, shown)


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize("line", CASES)
def test_fish_completes(folder: Path, line: str) -> None:
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"genoku completion fish | source; complete -C '{line}'"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    found = {each.split("\t")[0].rstrip("/") for each in done.stdout.splitlines()}
    assert found == set(CASES[line])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(genoku: Any, shell: str) -> None:
    done = genoku("completion", shell)
    assert done.code == 0
    assert f"_GENOKU_COMPLETE={shell}_complete" in done.out


def test_another_shell_is_refused(genoku: Any) -> None:
    done = genoku("completion", "tcsh")
    assert done.code == 2
    assert "bash" in done.err
