"""The operators reference: a Sphinx extension that writes pages out of the catalogue.

Where a page says `<!-- operators: KIND -->`, every part of that kind is told, with a picture that
it makes itself; `<!-- operators -->` lists all of them, `<!-- classes: KIND -->` documents their
classes, and `<!-- picture: run -->` is a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pictures import picture, whole_run

import genoku
from genoku.encoding import ENCODINGS
from genoku.errors import RecipeError
from genoku.fitness import FITNESSES, Fitness
from genoku.problem import choices_of, fits_with, misfit, name_of
from genoku.recipe import CATALOG, catalogue, part
from genoku.recipe.building import ROLES

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

Row = dict[str, Any]

PLACE = re.compile(r"<!-- (operators|classes|picture)(?:: ([\w-]+))? -->")
DEFAULT: Fitness = FITNESSES[0]()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", write_page)
    app.connect("env-get-outdated", outdated)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Put what is asked for in its place."""
    del app, page
    source[0] = PLACE.sub(lambda found: made(found[1], found[2] or ""), source[0])


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Pages that are made of the code are read anew each time: it may have changed."""
    del app, added, changed, removed
    return [page for page in env.found_docs if PLACE.search(env.doc2path(page).read_text("utf-8"))]


def made(what: str, name: str) -> str:
    """The Markdown for a place in a page."""
    if what == "picture":
        return whole_run()
    if what == "classes":
        return "\n".join(("```{eval-rst}", *classes(name), "```"))
    rows = catalogue()
    if not name:
        return "\n".join(overview(rows))
    chosen = [row for row in rows if row["kind"] == name]
    return "\n\n".join(block for row in chosen for block in told(row))


def overview(rows: list[Row]) -> Iterator[str]:
    """A table of all parts."""
    yield "| kind | name | what it does | in DEAP |"
    yield "|---|---|---|---|"
    for row in rows:
        kind, name = row["kind"], row["name"]
        deap = ", ".join(f"`{each}`" for each in row["deap"]) or "–"
        yield f"| {kind} | [`{name}`]({kind}.md#{name}) | {row['doc']} | {deap} |"


def told(row: Row) -> Iterator[str]:
    """Everything about a part, block by block."""
    kind, name = row["kind"], row["name"]
    yield f"({kind}-{name})=\n## `{name}`"
    yield row["doc"]
    if row["about"]:
        yield row["about"]
    yield picture(kind, name)
    if row["parameters"]:
        yield "\n".join(parameters(row["parameters"]))
    facts = [f"**Python**: {{py:class}}`{class_of(kind, name)}`"]
    if fits := fitting(kind, name):
        facts.append(f"**Fits**: {fits}")
    names = " and ".join(f"`{each}`" for each in row["deap"]) or "none."
    facts.append(f"**In DEAP**: {names} {row['in_deap']}")
    sources = row["sources"] or ["genoku's own."]
    facts.append("**Sources**:\n" + "\n".join(f"  - {source}" for source in sources))
    yield "\n".join(f"- {fact}" for fact in facts)


def classes(kind: str) -> Iterator[str]:
    """Directives for the role of a kind and for all its classes."""
    role: Any = ROLES[kind][0]
    if role.__name__ not in genoku.__all__:  # else it has its place among the public names
        yield f".. autoclass:: {role.__module__}.{role.__name__}()\n   :members:"
        if "__call__" in vars(role):
            yield "   :special-members: __call__"
    for name in CATALOG[kind]:
        yield f"\n.. autoclass:: {class_of(kind, name)}"


def parameters(rows: list[Row]) -> Iterator[str]:
    """A table of what a part is made with."""
    yield "| parameter | takes | default |"
    yield "|---|---|---|"
    for row in rows:
        kind = row["type"].removeprefix("list of ")
        takes = row["type"]
        if kind in CATALOG:
            takes = takes.replace(kind, f"[{kind}]({kind}.md)")
        elif kind == "choice":
            takes = ", ".join(f"`{each}`" for each in row["choices"])
        yield f"| `{row['name']}` | {takes} | `{value(row['default'])}` |"


def value(default: Any) -> str:
    """A default as a recipe would say it, a part by its name alone."""
    if isinstance(default, dict):
        return str(default["use"])
    if isinstance(default, list):
        return f"[{', '.join(map(value, default))}]"
    return str(default).lower() if isinstance(default, bool) else str(default)


def class_of(kind: str, name: str) -> str:
    """The place of a class in the API reference: its package, not the file inside it."""
    each = part(kind, name)
    package = each.__module__.split(".")[1]
    return f"genoku.{package}.{each.__name__}"


def fitting(kind: str, name: str) -> str:
    """The encodings and fitness functions that a part goes with, in words."""
    each: Any = part(kind, name)
    if kind == "encoding":
        return ""
    if kind == "fitness":
        needs = each.needs
        return "every encoding." if needs == "none" else f"encodings that keep every {needs} whole."
    if kind == "algorithm":
        return for_algorithm(each)
    words = [word for encoding in ENCODINGS if (word := with_encoding(each, encoding()))]
    whole = words == [name_of(encoding) for encoding in ENCODINGS]
    judged = [name_of(one) for one in FITNESSES if fits_fitness(each, one())]
    scores = "" if len(judged) == len(FITNESSES) else f" Fitness: {', '.join(judged)}."
    return f"{'every encoding' if whole else ', '.join(words)}.{scores}"


def with_encoding(each: Any, encoding: Any) -> str:
    """An encoding that a part fits, perhaps with a choice of one parameter; else nothing."""
    name = name_of(type(encoding))
    if misfit(each(), encoding, DEFAULT) is None:
        return name
    for parameter, values in choices_of(each).items():
        suiting = [one for one in values if fits_with(each, parameter, one, encoding, DEFAULT)]
        if suiting:
            return f"{name} (with {parameter}={' or '.join(map(str, suiting))})"
    return ""


def fits_fitness(each: Any, fitness: Fitness) -> bool:
    """Whether a part goes with a fitness, in the first encoding that it fits at all."""
    encodings = (encoding() for encoding in ENCODINGS)
    first = next(one for one in encodings if misfit(each(), one, DEFAULT) is None)
    return misfit(each(), first, fitness) is None


def for_algorithm(each: Any) -> str:
    """The encodings that an algorithm can be built with."""
    fields = {row["name"]: row["type"] for row in row_of("algorithm", name_of(each))["parameters"]}
    if "algorithm" in fields:
        return "whatever the algorithm inside fits."
    if "crossover" in fields:
        return "every encoding that its operators fit."
    if "encoding" not in fields:
        return "puzzles of every shape; it has an encoding and a fitness of its own."
    built = [name_of(one) for one in ENCODINGS if builds(each, encoding=one())]
    judged = [name_of(one) for one in FITNESSES if builds(each, fitness=one())]
    return f"{', '.join(built)}. Fitness: {', '.join(judged)}."


def row_of(kind: str, name: str) -> Row:
    return next(row for row in catalogue() if (row["kind"], row["name"]) == (kind, name))


def builds(each: Any, **arguments: Any) -> bool:
    try:
        each(**arguments)
    except RecipeError:
        return False
    return True
