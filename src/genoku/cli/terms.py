"""Say what a term of a report or textbook is here, with the command that leads there."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from genoku.cli.output import wrap_text
from genoku.errors import RecipeError

if TYPE_CHECKING:
    from genoku.evolve.terms import Meaning


def command_for(meaning: Meaning) -> str:
    """The command that shows what is meant, or runs it with an option."""
    from genoku.evolve.recipe import as_inline_toml

    if meaning.kind == "word":
        return meaning.command or shlex.join(["genoku", "operators", meaning.term])
    if meaning.kind == "option":
        words = ["evolve", "--preset", meaning.preset]
        for path, value in meaning.settings.items():
            is_text = isinstance(value, str)
            setting = f"{path}={value if is_text else as_inline_toml(value)}"
            words += ["--until", value] if path == "until" else ["--set", setting]
    elif meaning.kind == "preset":
        words = ["presets", meaning.name]
    elif meaning.kind == "puzzle":
        words = ["show", meaning.name]
    else:
        words = ["operators", meaning.name]
    return shlex.join(["genoku", *words])


def target_text(meaning: Meaning) -> str:
    """What is meant, in the syntax of recipes where it is a part or an option."""
    from genoku.evolve.recipe import as_inline_toml

    if meaning.is_part:
        value = as_inline_toml(meaning.recipe if meaning.settings else meaning.name)
        return f"{meaning.kind} = {value}"
    if meaning.kind == "option":
        settings = [f"{path} = {as_inline_toml(each)}" for path, each in meaning.settings.items()]
        return f"{', '.join(settings)} in {meaning.preset}"
    if meaning.kind == "word":
        return meaning.name
    if meaning.kind == "kind":
        return f"{meaning.name}, a kind of part"
    return f"the {meaning.kind} {meaning.name}"


def print_meanings(meanings: Iterable[Meaning]) -> None:
    """Print a paragraph for every meaning: the term, its source, and what it is here."""
    for each in meanings:
        source = f" ({each.source})" if each.source else ""
        click.echo(wrap_text("", f"{each.term}{source}: {target_text(each)}"))
        if each.text:
            click.echo(wrap_text("    ", each.text))
        if each.command:
            click.echo(f"    {each.command}")


def print_names_elsewhere(meanings: Iterable[Meaning], start: str = "  - ") -> None:
    """Print a line for every source: what it calls a part, and with which parameters."""
    from genoku.evolve.recipe import as_inline_toml

    names: dict[tuple[str, str], list[str]] = {}
    for each in meanings:
        settings = ", ".join(f"{key}={as_inline_toml(v)}" for key, v in each.settings.items())
        names.setdefault((each.source, settings), []).append(each.term)
    for (source, settings), terms in names.items():
        line = f"{', '.join(terms)} ({source})"
        click.echo(wrap_text(start, f"{line}: {settings}" if settings else line))


def several_meanings(term: str, meanings: Sequence[Meaning]) -> RecipeError:
    """The error for a term that leads to several things; its alternatives are commands."""
    sources: dict[str, list[str]] = {}
    for each in meanings:
        about = ": ".join(filter(None, (each.source or "genoku", each.text)))
        sources.setdefault(command_for(each), []).append(about)
    lines = [f"{term!r} has several meanings; choose one:"]
    for command, texts in sources.items():
        lines += [f"  {command}", *(wrap_text("      ", text) for text in texts)]
    return RecipeError("\n".join(lines), alternatives=sources)


def meaning_record(meaning: Meaning) -> dict[str, Any]:
    """A meaning as JSON."""
    return {
        "term": meaning.term,
        "kind": meaning.kind,
        "name": meaning.name,
        "settings": dict(meaning.settings),
        "preset": meaning.preset,
        "text": meaning.text,
        "source": meaning.source,
        "command": meaning.command if meaning.kind == "word" else command_for(meaning),
    }
