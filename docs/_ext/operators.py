"""The operators reference: a Sphinx extension that writes pages from the catalogue.

In a page, `<!-- operators: KIND -->` becomes the description of every part of that kind, with a
picture that the part makes; `<!-- operators -->` a table of all parts, `<!-- classes: KIND -->` the
reference of their classes, `<!-- words -->` a table of the usual terms, and
`<!-- picture: run -->` a picture of a run. What the repository has of it, up to `<!-- end -->`, is
replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pictures import picture, picture_named, whole_run
from standalone import in_markdown

import genoku
from genoku.errors import RecipeError, choices_of
from genoku.evolve.encoding import ENCODINGS
from genoku.evolve.fitness import FITNESSES, Fitness
from genoku.evolve.parts import catalogue
from genoku.evolve.presets import preset
from genoku.evolve.problem import fits_with, misfit_reason, recipe_name
from genoku.evolve.recipe import CATALOG, ROLES, describe, part_class
from genoku.evolve.words import paths, words

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

Row = dict[str, Any]

MARK = re.compile(
    r"<!-- (operators|classes|picture|words)(?:: ([\w-]+))? -->"
    r"(?:(?:(?!<!-- ).)*<!-- end -->)?",  # what stands in the repository, up to the next mark
    re.DOTALL,
)
DEFAULT: Fitness = FITNESSES[0]()
GENETIC = ("textbook", "poderosas", "eran-shahar-ga", "charles", "simon", "sundy")  # presets


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", write_page)
    app.connect("env-get-outdated", pages_with_marks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the marks of a page."""
    del app, page
    source[0] = MARK.sub(lambda found: render(found[1], found[2] or ""), source[0])


def pages_with_marks(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """List the pages to read on every build, because the code may have changed."""
    del app, added, changed, removed
    return [page for page in env.found_docs if MARK.search(env.doc2path(page).read_text("utf-8"))]


def render(what: str, name: str, captions: Mapping[str, str] | None = None) -> str:
    """Return the Markdown for a mark: of the site, or with captions as the repository has it.

    The captions are those of the pictures, by the names of their files.
    """
    if what == "picture":
        return whole_run() if name == "run" else picture_named(name)
    if what == "words":
        return "\n".join(table_of_words())
    if what == "classes":
        return "\n".join(("```{eval-rst}", *classes(name), "```"))
    rows = catalogue()
    if not name:
        return "\n".join(overview(rows))
    chosen = [row for row in rows if row["kind"] == name]
    return "\n\n".join(block for row in chosen for block in description(row, captions))


def table_of_words() -> Iterator[str]:
    """Yield the lines of a table of what every word sets in the genetic algorithms."""
    yield f"| option | what it is | {' | '.join(f'`{name}`' for name in GENETIC)} |"
    yield f"|---|---|{'---|' * len(GENETIC)}"
    recipes = [describe(preset(name).build()) for name in GENETIC]
    for word in words().values():
        places = (" and ".join(f"`{each}`" for each in paths(word.name, one)) for one in recipes)
        yield f"| `--{word.name}` | {word.about} | {' | '.join(each or '–' for each in places)} |"


def overview(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of a table of all parts."""
    yield "| kind | name | what it does | in DEAP |"
    yield "|---|---|---|---|"
    for row in rows:
        kind, name = row["kind"], row["name"]
        deap = ", ".join(f"`{each}`" for each in row["deap"]) or "–"
        yield f"| {kind} | [`{name}`]({kind}.md#{name}) | {row['doc']} | {deap} |"


def description(row: Row, captions: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the description of a part, block by block; with captions for the repository."""
    kind, name = row["kind"], row["name"]
    label = f"({kind}-{name})=\n" if captions is None else ""
    yield f"{label}## `{name}`"
    yield row["doc"]
    if row["about"]:
        yield row["about"]
    file = f"{kind}-{name}"
    if captions is None:
        yield picture(kind, name)
    else:
        yield in_markdown(file, captions.get(file, ""), f"{kind} {name}")
    if row["parameters"]:
        yield "\n".join(parameters(row["parameters"]))
    role = "{py:class}" if captions is None else ""
    facts = [f"**Python**: {role}`{public_path(part_class(kind, name))}`"]
    if fits := fitting(kind, name):
        facts.append(f"**Fits**: {fits}")
    names = " and ".join(f"`{each}`" for each in row["deap"]) or "none."
    facts.append(f"**In DEAP**: {names} {row['in_deap']}")
    sources = row["sources"] or ["genoku's own."]
    facts.append("**Sources**:\n" + "\n".join(f"  - {source}" for source in sources))
    yield "\n".join(f"- {fact}" for fact in facts)


def classes(kind: str) -> Iterator[str]:
    """Yield the directives for the role of a kind and for all its classes."""
    role: Any = ROLES[kind][0]
    if role.__name__ not in genoku.__all__:  # those are on the page already
        yield f".. autoclass:: {public_path(role)}()\n   :members:"
        if "__call__" in vars(role):
            yield "   :special-members: __call__"
    for name in CATALOG[kind]:
        yield f"\n.. autoclass:: {public_path(part_class(kind, name))}"


def parameters(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of a table of parameters."""
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
    """Format a default as in a recipe, and a part by its name."""
    if isinstance(default, dict):
        return str(default["use"])
    if isinstance(default, list):
        return f"[{', '.join(map(value, default))}]"
    return str(default).lower() if isinstance(default, bool) else str(default)


def public_path(each: type) -> str:
    """Return the path that users import a class from: its package, not the file inside it."""
    package = each.__module__.split(".")[1]
    return f"genoku.{package}.{each.__name__}"


def fitting(kind: str, name: str) -> str:
    """List the encodings and fitness functions that a part fits."""
    each: Any = part_class(kind, name)
    if kind == "encoding":
        return ""
    if kind == "fitness":
        needs = each.needs
        return (
            "every encoding." if needs == "none" else f"encodings that keep every {needs} complete."
        )
    if kind == "algorithm":
        return for_algorithm(each)
    words = [word for encoding in ENCODINGS if (word := with_encoding(each, encoding()))]
    whole = words == [recipe_name(encoding) for encoding in ENCODINGS]
    judged = [recipe_name(one) for one in FITNESSES if fits_fitness(each, one())]
    scores = "" if len(judged) == len(FITNESSES) else f" Fitness: {', '.join(judged)}."
    return f"{'every encoding' if whole else ', '.join(words)}.{scores}"


def with_encoding(each: Any, encoding: Any) -> str:
    """Name an encoding if a part fits it, perhaps with other values of one parameter."""
    name = recipe_name(type(encoding))
    if misfit_reason(each(), encoding, DEFAULT) is None:
        return name
    for parameter, values in choices_of(each).items():
        suiting = [one for one in values if fits_with(each, parameter, one, encoding, DEFAULT)]
        if suiting:
            return f"{name} (with {parameter}={' or '.join(map(str, suiting))})"
    return ""


def fits_fitness(each: Any, fitness: Fitness) -> bool:
    """Whether a part fits a fitness function, in the first encoding that it fits."""
    encodings = (encoding() for encoding in ENCODINGS)
    first = next(one for one in encodings if misfit_reason(each(), one, DEFAULT) is None)
    return misfit_reason(each(), first, fitness) is None


def for_algorithm(each: Any) -> str:
    """List the encodings that an algorithm can be built with."""
    fields = {
        row["name"]: row["type"] for row in row_of("algorithm", recipe_name(each))["parameters"]
    }
    if "algorithm" in fields:
        return "whatever the algorithm inside fits."
    if "crossover" in fields:
        return "every encoding that its operators fit."
    if "encoding" not in fields:
        return "puzzles of every shape; its encoding and fitness function are fixed."
    built = [recipe_name(one) for one in ENCODINGS if builds(each, encoding=one())]
    judged = [recipe_name(one) for one in FITNESSES if builds(each, fitness=one())]
    return f"{', '.join(built)}. Fitness: {', '.join(judged)}."


def row_of(kind: str, name: str) -> Row:
    return next(row for row in catalogue() if (row["kind"], row["name"]) == (kind, name))


def builds(each: Any, **arguments: Any) -> bool:
    try:
        each(**arguments)
    except RecipeError:
        return False
    return True
