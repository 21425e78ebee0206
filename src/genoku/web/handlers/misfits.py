"""Why a recipe cannot be built, at which of its fields, and what would mend it.

The library's own sentence says why. Where it stands in a form, and what else would do, is found by
trying: a field is at fault if the recipe can be built with another value there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING
from itertools import islice
from typing import Any, Literal, NamedTuple, get_args, get_origin

from genoku.errors import RecipeError
from genoku.recipe import CATALOG, build, with_value
from genoku.recipe.catalog import kind_of_hint, parameters
from genoku.recipe.describing import plain
from genoku.web.routes.recipes import Alternative, Trouble

MOST_FIELDS = 250  # of a recipe that is tried out: one from outside may have any number
MOST_ALTERNATIVES = 16


class Field(NamedTuple):
    """A place of a recipe: a part, or a parameter of one."""

    path: str
    kind: str | None
    """Of the part that stands there, if one does."""
    value: Any
    """The name of a part, or the value of a parameter."""
    others: list[Any]
    """What could stand there instead, as far as that can be listed."""


class Fix(NamedTuple):
    """A change, and what is still wrong after it."""

    path: str
    value: Any
    rest: str | None


def trouble(recipe: dict[str, Any]) -> Trouble | None:
    """What is wrong with a recipe, if anything is."""
    message = refusal(recipe)
    if message is None:
        return None
    fields = list(islice(_fields("algorithm", recipe, ()), MOST_FIELDS + 1))
    place, said = _split(message, fields)
    subject = _subject(place, said, fields)
    fixes = [] if len(fields) > MOST_FIELDS else _fixes(recipe, message, subject, fields)
    path = _narrowed(subject, said, fixes)
    fixes.sort(key=lambda fix: (fix.path != path, not _is_under(fix.path, subject), bool(fix.rest)))
    return Trouble(message=said, path=path, alternatives=_alternatives(fixes))


def refusal(recipe: dict[str, Any]) -> str | None:
    """Why a recipe cannot be built, in the library's words; None if it can."""
    try:
        build(recipe)
    except RecipeError as error:
        return str(error)
    return None


def _fields(kind: str, recipe: Any, keys: tuple[str, ...]) -> Iterator[Field]:
    """A part and everything in it, what it leaves to defaults included."""
    table = recipe if isinstance(recipe, dict) else {"use": recipe}
    use = table.get("use")
    known = CATALOG[kind]
    others = [name for name in known if name != use]
    yield Field(".".join(keys), kind, use, others)
    made = known.get(use) if isinstance(use, str) else None
    for name, hint, default in parameters(made).values() if made else ():
        usual = None if default is MISSING else plain(default, name)
        yield from _inside(hint, table.get(name, usual), usual, (*keys, name))


def _inside(hint: Any, value: Any, usual: Any, keys: tuple[str, ...]) -> Iterator[Field]:
    kind = kind_of_hint(hint)
    if kind is not None:
        yield from _fields(kind, value, keys)
        return
    choices = get_args(hint) if get_origin(hint) is Literal else (usual,)
    if get_origin(hint) is tuple and value:  # a list is mended where something is wrong in it
        choices = ()
    others = [choice for choice in choices if choice is not None and choice != value]
    yield Field(".".join(keys), None, value, others)
    if get_origin(hint) is tuple and isinstance(value, list):
        for place, each in enumerate(value):
            yield from _inside(get_args(hint)[0], each, None, (*keys, str(place)))


def _split(message: str, fields: list[Field]) -> tuple[str, str]:
    """The place in front of a message, and what is said of it."""
    place, colon, said = message.partition(": ")
    if colon and any(field.path == place for field in fields):
        return place, said
    return "", message


def _subject(place: str, said: str, fields: list[Field]) -> str:
    """The field that a message names in the part at that place, else the place itself."""
    inner = [field for field in fields if _parent(field.path) == place and field.path != place]
    of_kind = re.match(r"(\w+) [\w-]+(?: does not fit|:)", said)
    of_name = re.match(r"[\w-]+ does not fit ([\w-]+):", said)
    for field in inner:
        name = field.path.rpartition(".")[2]
        if (of_kind and name == of_kind[1]) or (
            of_name and field.kind is not None and field.value == of_name[1]
        ):
            return field.path
    return place


def _fixes(recipe: dict[str, Any], message: str, subject: str, fields: list[Field]) -> list[Fix]:
    """Changes of one field after which the recipe can be built.

    Where parts do not fit each other, also those that lead on to the next part that does not.
    """
    misfit = " does not fit " in message
    roots = [subject, *(_beside(subject, "encoding") if misfit and "fitness" in subject else [])]

    def mended(field: Field, value: Any) -> Fix | None:
        try:
            changed = with_value(recipe, field.path or "use", value)
        except RecipeError:
            return None
        rest = refusal(changed)
        leads_on = misfit and any(_is_under(field.path, root) for root in roots)
        if rest is None or (leads_on and _subject_of(changed, rest) not in roots):
            return Fix(field.path, value, rest)
        return None

    def tried(field: Field) -> Iterator[Fix]:
        for value in field.others:
            whole = mended(field, value)
            if whole is not None:
                yield whole
            elif misfit and field.path == subject:  # perhaps with a choice of a parameter
                choices = ({"use": value, **choice} for choice in _choices(field.kind, value))
                yield from filter(None, (mended(field, choice) for choice in choices))

    found = [fix for field in fields if _is_remedy(field, misfit) for fix in tried(field)]
    inside = [field for field in fields if field.kind and field.path.startswith(f"{subject}.")]
    return found or [fix for field in inside for fix in tried(field)]


def _is_remedy(field: Field, misfit: bool) -> bool:
    """Whether to try another value there: no other part where a number is the problem."""
    if field.kind is None:
        return True
    if not isinstance(field.value, str) or field.value not in CATALOG[field.kind]:
        return True
    return misfit and field.kind != "algorithm"


def _choices(kind: str | None, name: str) -> Iterator[dict[str, Any]]:
    """Everything but the default that one parameter of a part can be, where that is a choice."""
    if kind is None:
        return
    for key, hint, default in parameters(CATALOG[kind][name]).values():
        if get_origin(hint) is Literal:
            yield from ({key: choice} for choice in get_args(hint) if choice != default)


def _subject_of(recipe: dict[str, Any], message: str) -> str:
    fields = list(islice(_fields("algorithm", recipe, ()), MOST_FIELDS))
    return _subject(*_split(message, fields), fields)


def _beside(path: str, name: str) -> list[str]:
    return [f"{_parent(path)}.{name}".lstrip(".")]


def _narrowed(subject: str, said: str, fixes: list[Fix]) -> str:
    """The only field inside the subject that mends it, or the one that the message names."""
    inside = list(dict.fromkeys(fix.path for fix in fixes if _is_under(fix.path, subject)))
    inside = [path for path in inside if path != subject]
    named = [path for path in inside if re.search(rf"\b{path.rpartition('.')[2]}\b", said)]
    for paths in (inside, named):
        if len(paths) == 1:
            return paths[0]
    return subject


def _alternatives(fixes: list[Fix]) -> list[Alternative]:
    return [
        Alternative(path=fix.path or "use", value=fix.value, label=_label(fix))
        for fix in fixes[:MOST_ALTERNATIVES]
    ]


def _label(fix: Fix) -> str:
    value = "its default" if isinstance(fix.value, list) else fix.value
    if isinstance(value, dict):
        value = " ".join([value["use"], *(f"{k}={v}" for k, v in value.items() if k != "use")])
    return f"{fix.path or 'use'}={value}"


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _is_under(path: str, place: str) -> bool:
    return not place or path == place or path.startswith(f"{place}.")
