"""`--help` of every command: what it does, its options, and examples that are no fiction."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import click
import pytest

from genoku import bundled
from genoku.cli.main import cli
from genoku.cli.options import LIMITS
from genoku.evolve.presets import preset


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[Any]:
    """Every command and subcommand, as a case that is called like it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield pytest.param((*path, name), command, id=" ".join((*path, name)))
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def examples(command: click.Command) -> list[str]:
    """The lines of a command's help that call genoku, without what is said beside them."""
    lines = (line.strip() for line in (command.epilog or "").splitlines())
    return [
        re.split(r"\s{2,}", line)[0] for line in lines if re.match(r"(cat \S+ \| )?genoku ", line)
    ]


def parsed(line: str) -> tuple[list[str], dict[str, Any]]:
    """The command that a line calls, and its parameters, read as genoku would, and not run."""
    line = re.sub(r"^cat \S+ \| | >>? \S+$", "", line)
    program, *words = shlex.split(line)
    assert program == "genoku"
    command: click.Command = cli
    called: list[str] = []
    parent = None
    while isinstance(command, click.Group):
        parent = click.Context(command, info_name=program, parent=parent)
        name = words.pop(0)
        found = command.get_command(parent, name)
        assert found is not None, f"there is no command {name!r}"
        called.append(name)
        command = found
    return called, command.make_context(called[-1], words, parent=parent).params


every_command = pytest.mark.parametrize(("path", "command"), list(commands()))


@every_command
def test_help_has_a_summary_options_and_examples(
    path: tuple[str, ...], command: click.Command, genoku: Any
) -> None:
    done = genoku(*path, "--help")
    assert done.code == 0
    assert done.err == ""
    usage, summary, *_ = re.split(r"\n\s*\n", done.out)
    assert usage.startswith(f"Usage: genoku {' '.join(path)} ")
    assert summary.strip().endswith((".", "?"))
    assert "\nOptions:\n" in done.out
    assert "\n  Examples:\n    genoku " in done.out
    assert [each for each in done.out if ord(each) < 32 and each != "\n"] == []


@every_command
def test_every_option_is_explained(path: tuple[str, ...], command: click.Command) -> None:
    silent = [
        option.name
        for option in command.params
        if isinstance(option, click.Option) and not (option.help or "")[:1].isupper()
    ]
    assert silent == []
    by_hand = [
        each.name for each in command.params if "[default" in (getattr(each, "help", "") or "")
    ]
    assert by_hand == []  # show_default says it, so that all defaults look alike


@every_command
def test_what_stands_for_something_is_explained(
    path: tuple[str, ...], command: click.Command, genoku: Any
) -> None:
    told = " ".join(genoku(*path, "--help").out.split())
    if any(each.name == "source" for each in command.params):
        assert re.search(r"PUZZLE( is|:) a board", told)
    if any(each.name == "until" for each in command.params):
        assert " ".join(LIMITS.split()) in told


@every_command
def test_the_examples_name_what_there_is(path: tuple[str, ...], command: click.Command) -> None:
    called = []
    for line in examples(command):
        name, parameters = parsed(line)
        called.append(name[: len(path)])
        if parameters.get("preset"):
            assert preset(parameters["preset"])
        sources = [parameters.get(key) for key in ("source", "puzzle", "mask")]
        for source in (*sources, *(parameters.get("puzzles") or ())):
            if isinstance(source, str) and re.fullmatch(r"[a-z][a-z0-9-]*", source):
                assert source in bundled() or source in ("random", "generate")
    assert list(path) in called, "no example calls the command itself"


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("solve", {"Recipe", "Parallel runs", "Input"}),
        (
            "evolve",
            {
                *("Algorithm", "Recipe", "Watching", "Parallel runs", "Recording"),
                *("Saving and resuming", "Input"),
            },
        ),
        ("generate", {"Givens", "PDF"}),
        ("race", {"Input"}),
        ("tune", {"Puzzles", "Search space"}),
    ],
)
def test_a_page_begins_with_few_options_and_groups_the_others(
    name: str, groups: set[str], genoku: Any
) -> None:
    page = genoku(name, "--help").out.partition("  Examples:")[0]
    first, *others = re.split(r"\n(?=\S.*:\n  )", page)[1:]
    assert len(re.findall(r"^  -", first, re.M)) <= 11  # with --help
    assert {each.partition(":")[0] for each in others} == groups
    context = click.Context(cli)
    command = cli.get_command(context, name)
    assert command is not None
    flags = [each.opts[-1] for each in command.params if isinstance(each, click.Option)]
    listed = re.findall(r"^  (?:-\w, )?(--[\w-]+)", page, re.M)
    assert sorted(listed) == sorted([*flags, "--help"])


def test_the_first_page_has_examples_too(genoku: Any) -> None:
    page = genoku("--help").out
    assert "\n  Examples:\n    genoku evolve " in page
    assert [each for each in page if ord(each) < 32 and each != "\n"] == []
    assert len([parsed(line) for line in examples(cli)]) > 3


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("genoku dance", AssertionError),
        ("genoku solve --slowly", click.NoSuchOption),
        ("genoku show ai-escargot --style oil", click.BadParameter),
        ("genoku study merge", click.MissingParameter),
    ],
)
def test_an_example_of_what_there_is_not_would_be_seen(line: str, fault: type[Exception]) -> None:
    with pytest.raises(fault):
        parsed(line)
