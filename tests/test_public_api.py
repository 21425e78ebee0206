"""The public interface is as written down: nothing is added, changed or lost by accident."""

from __future__ import annotations

import re

from public_api import FILE, LISTED, listing

import genoku
from genoku.cli import COMMANDS
from genoku.evolve.recipe import CATALOG

HOW = (
    "The public interface has changed. If that is wanted, run `python tests/public_api.py --write` "
    "and say it in CHANGELOG.md."
)


def test_the_public_interface_is_as_written_down() -> None:
    written, found = FILE.read_text(encoding="utf-8").splitlines(), listing()
    gone = [f"- {line}" for line in written if line not in set(found)]
    new = [f"+ {line}" for line in found if line not in set(written)]
    assert not gone + new, "\n".join([HOW, *gone, *new])
    assert written == found, "expected sorted lines, each once"


def test_everything_there_is_to_use_is_listed() -> None:
    lines = listing()
    names = {re.split(r"[ (:]", line)[0] for line in lines}
    assert {f"genoku.{name}" for name in genoku.__all__} <= names
    classes = {each for parts in CATALOG.values() for each in parts.values()}
    assert {each.__name__ for each in classes} <= {name.rpartition(".")[2] for name in names}
    commands = {line.split()[1] for line in lines if line.startswith("genoku ") and " -" in line}
    assert commands | {"completion", "bench", "reproduce"} == {*COMMANDS, "--version"}
    assert "genoku" in LISTED


def test_no_line_depends_on_where_or_when_it_was_written() -> None:
    for line in FILE.read_text(encoding="utf-8").splitlines():
        assert not re.search(r" at 0x|<[a-z]|ForwardRef|typing\.|/home/|/tmp/", line), line
