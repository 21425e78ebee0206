"""The usual terms as options of `genoku evolve`, and what to say where they cannot be followed."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from genoku.cli.options import WORDS_GIVEN, option, trusted_modules
from genoku.errors import RecipeError
from genoku.evolve.words import paths, words

if TYPE_CHECKING:
    from genoku.cli.runs import RunOptions
    from genoku.evolve.presets import Preset
    from genoku.evolve.terms import Meaning
    from genoku.evolve.word_settings import Remedy, WordError

ALGORITHM = "Algorithm"  # the group of these options
TYPES: dict[str, Any] = {"whole number": int, "number": float}  # of words; others name a part
METAVARS = {"whole number": "N", "number": "P"}


def word_options(function: Callable[..., Any]) -> Any:
    """Give a command an option for every word of `words.toml`, and pass it those given."""
    names = {name.replace("-", "_"): name for name in words()}

    @wraps(function)
    def call(**given: Any) -> Any:
        chosen = {name: given.pop(field) for field, name in names.items()}
        chosen = {name: value for name, value in chosen.items() if value is not None}
        return function(chosen=chosen, **given)

    for word in reversed(words().values()):
        option(
            f"--{word.name}",
            type=TYPES.get(word.value, str),
            metavar=METAVARS.get(word.value, "NAME"),
            help=word.about,
            group=ALGORITHM,
        )(call)
    return call


def settings_for(chosen: dict[str, Any], options: RunOptions, found: Preset) -> list[str]:
    """The settings that the words given stand for."""
    if not chosen:
        return []
    from genoku.evolve.word_settings import WordError, settings_of

    parts = [value for value in chosen.values() if isinstance(value, str)]
    trust = trusted_modules(options.trust, [*options.settings, *(f"={part}" for part in parts)])
    try:
        return settings_of(found, chosen, trust, options.settings)
    except WordError as error:
        raise click.UsageError(_refusal(error)) from None
    except RecipeError:
        if reason := _reports_words(chosen, found):
            raise RecipeError(reason) from None
        raise


def _reports_words(chosen: dict[str, Any], found: Preset) -> str:
    """What a report's words for parts are here, with the command that works; empty if none are."""
    from genoku.evolve.recipe import CATALOG, as_inline_toml, describe
    from genoku.evolve.terms import find

    mended = list(click.get_current_context().meta[WORDS_GIVEN])
    reasons: list[str] = []
    for name, value in chosen.items():
        kind = words()[name].value
        if kind not in CATALOG or value in CATALOG[kind]:
            continue
        meant = [each for each in find(value) if each.kind == kind]
        if not meant:
            continue
        part = next((each for each in meant if _is_of(each, found)), meant[0])
        reasons.append(f"--{name}: {value!r} is {part.name} here")
        if part.settings:
            path = next(iter(paths(name, describe(found.build()))), kind)
            setting = f"{path}={as_inline_toml(part.recipe)}"
            mended = [*_without_option(mended, f"--{name}"), "--set", setting]
        else:
            mended = _with_option(mended, f"--{name}", part.name)
    if not reasons:
        return ""
    return f"{'; '.join(reasons)}. Instead: {shlex.join(['genoku', 'evolve', *mended])}"


def _is_of(meaning: Meaning, found: Preset) -> bool:
    """Whether a meaning is that of the report whose algorithm the preset is."""
    from genoku.reports import cited_report

    report = cited_report(found.report)
    return report is not None and meaning.report == report.number


def _refusal(error: WordError) -> str:
    """Why words cannot be followed, with the command that can."""
    reason = f"--{error.word}: {error.reason}"
    if error.remedy is None:
        return reason
    return f"{reason}. This works: {_mended_command(error.remedy)}"


def _mended_command(remedy: Remedy) -> str:
    """The command that was given, with what makes it work."""
    given = click.get_current_context().meta[WORDS_GIVEN]
    mended = list(given)
    if remedy.preset:
        mended = _with_option(_without_option(mended, "--recipe"), "--preset", remedy.preset)
    for name, value in remedy.words.items():
        mended = _with_option(mended, f"--{name}", str(value))
    for setting in remedy.settings:
        mended += ["--set", setting]
    return shlex.join(["genoku", "evolve", *mended])


def _without_option(given: list[str], flag: str) -> list[str]:
    """The words of a command without an option and its value."""
    for place, word in enumerate(given):
        if word == flag:
            return [*given[:place], *given[place + 2 :]]
        if word.startswith(f"{flag}="):
            return [*given[:place], *given[place + 1 :]]
    return given


def _with_option(given: list[str], flag: str, value: str) -> list[str]:
    """The words of a command with an option set, in the place where it was."""
    for place, word in enumerate(given):
        if word == flag:
            return [*given[: place + 1], value, *given[place + 2 :]]
        if word.startswith(f"{flag}="):
            return [*given[:place], f"{flag}={value}", *given[place + 1 :]]
    return [*given, flag, value]
