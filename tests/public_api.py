"""The public interface as sorted lines: what `tests/data/public_api.txt` holds.

`python tests/public_api.py --write` accepts a change that is wanted.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import click

FILE = Path(__file__).parent / "data" / "public_api.txt"

LISTED = (
    *("genoku", "genoku.puzzle", "genoku.puzzle.formats", "genoku.exact", "genoku.techniques"),
    *("genoku.evolve", "genoku.engine", "genoku.present"),
    *("genoku.lab", "genoku.lab.export", "genoku.lab.report", "genoku.lab.tune"),
    "genoku.testing",
)
"""Modules whose `__all__` is public."""

CONSTANTS = {
    "genoku.lab.claims": ("ALPHA", "FEWEST", "LEAST_RATIO", "MARGIN", "RATIO_RULE", "RULES"),
}
"""Constants of other modules that are public too, as the documentation uses them."""

WHOLE = ("genoku.lab.claims", "genoku.lab.statistics", "genoku.reports", "genoku.teaching")
"""Modules whose own classes and functions are all public."""

CALLS = ("__call__", "__len__", "__getitem__", "__iter__")


def listing() -> list[str]:
    """Every public name, a line each."""
    return sorted({*_python(), *_commands()})


def _python() -> Iterator[str]:
    homes: dict[int, str] = {}
    for path in dict.fromkeys((*LISTED, *CONSTANTS, *WHOLE)):
        for name, value in _public(import_module(path)):
            here = f"{path}.{name}"
            if not (inspect.isclass(value) or inspect.isroutine(_bare(value))):
                yield f"{here}{_value(value)}"
            elif (home := homes.setdefault(id(value), here)) != here:
                yield f"{here} is {home}"
            elif inspect.isclass(value):
                yield from _class(here, value)
            else:
                yield f"{here}{_signature(_bare(value))}"


def _public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    path = module.__name__
    names = [*getattr(module, "__all__", ()), *CONSTANTS.get(path, ())]
    yield from ((name, getattr(module, name)) for name in names)
    for name, value in vars(module).items():
        kind = inspect.isclass(value) and path in WHOLE
        kind = kind or (inspect.isfunction(value) and path in WHOLE)
        if kind and value.__module__ == path and not name.startswith("_"):
            yield name, value


def _bare(value: Any) -> Any:
    """The plain function of a kernel, compiled or not."""
    return getattr(value, "py_func", value)


def _value(value: Any) -> str:
    """Types that are choices, and what else is no function; reprs differ between versions."""
    if get_origin(value) is Literal:
        return f": one of {', '.join(map(repr, get_args(value)))}"
    if isinstance(value, bool | int | float | str):
        return f" = {value!r}"
    return f": {type(value).__name__}" if isinstance(value, dict | tuple | list) else ""


def _class(here: str, value: type) -> Iterator[str]:
    ours = [each for each in value.__mro__ if each.__module__.startswith("genoku")]
    if issubclass(value, Exception):
        bases = ", ".join(base.__name__ for base in value.__bases__)
        yield f"{here}({bases})"
        return
    makes = is_dataclass(value) or hasattr(value, "_fields")
    makes = makes or any({"__init__", "__new__"} & set(vars(each)) for each in ours)
    protocol = getattr(value, "_is_protocol", False)
    yield f"{here}{_signature(value, returns=False) if makes and not protocol else ''}"
    members = {name: member for each in reversed(ours) for name, member in vars(each).items()}
    fields = getattr(value, "_fields", ())
    for name, member in members.items():
        if name in fields or (name.startswith("_") and name not in CALLS):
            continue
        if line := _member(f"{here}.{name}", member):
            yield line


def _member(here: str, member: Any) -> str:
    if isinstance(member, classmethod | staticmethod):
        return f"{here}{_signature(member.__func__, bound=isinstance(member, classmethod))}"
    if isinstance(member, property | cached_property):
        get = member.fget if isinstance(member, property) else member.func
        return f"{here}{_hint(inspect.signature(get).return_annotation, ': ')}" if get else here
    if inspect.isfunction(member):
        return f"{here}{_signature(member, bound=True)}"
    return ""


def _signature(call: Callable[..., Any], *, bound: bool = False, returns: bool = True) -> str:
    """Parameters as the source spells them; defaults that are no plain data as an ellipsis."""
    whole = inspect.signature(call)
    shown: list[str] = []
    for each in list(whole.parameters.values())[1 if bound else 0 :]:
        if each.kind is each.KEYWORD_ONLY and not any(text.startswith("*") for text in shown):
            shown.append("*")
        stars = "*" * (each.kind is each.VAR_POSITIONAL) + "**" * (each.kind is each.VAR_KEYWORD)
        default = "" if each.default is each.empty else f" = {_default(each.default)}"
        shown.append(f"{stars}{each.name}{_hint(each.annotation, ': ')}{default}")
    return f"({', '.join(shown)}){_hint(whole.return_annotation, ' -> ') if returns else ''}"


def _hint(annotation: Any, before: str) -> str:
    """An annotation as the source spells it; a named tuple wraps it up."""
    if annotation is inspect.Signature.empty:
        return ""
    spelled = getattr(annotation, "__forward_arg__", annotation)
    return before + (spelled if isinstance(spelled, str) else spelled.__name__)


def _default(value: Any) -> str:
    return repr(value) if _is_plain(value) else "…"


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str | range)


def _commands() -> Iterator[str]:
    from genoku.cli.main import cli

    def walk(words: str, command: click.Command) -> Iterator[str]:
        context = click.Context(command)
        if isinstance(command, click.Group):
            yield words
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from walk(f"{words} {name}", inner)
        else:
            arguments = [_argument(each) for each in command.params if _is_argument(each)]
            yield " ".join([words, *arguments])
        for each in command.params:
            if isinstance(each, click.Option):
                yield f"{words} {_option(each)}"

    yield from walk("genoku", cli)


def _is_argument(each: click.Parameter) -> bool:
    return isinstance(each, click.Argument)


def _argument(each: click.Parameter) -> str:
    name = (each.name or "").upper() + ("..." if each.nargs == -1 else "")
    return name if each.required else f"[{name}]"


def _option(each: click.Option) -> str:
    names = "/".join([*each.opts, *each.secondary_opts])
    if each.is_flag or each.count:
        return names
    if isinstance(each.type, click.Choice):
        return f"{names} [{'|'.join(map(str, each.type.choices))}]"
    return f"{names} {each.type.name.upper()}"


if __name__ == "__main__":
    text = "".join(f"{line}\n" for line in listing())
    if "--write" in sys.argv[1:]:
        FILE.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
