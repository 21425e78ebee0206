"""Sphinx configuration: `python3 run.py docs` builds the documentation into site/.

`GENOKU_LESSONS=off` skips the execution of the lessons, for a quick build.
"""

from __future__ import annotations

import gc
import logging
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.highlighting import lexer_classes
from sphinx.pycode import ModuleAnalyzer

from genoku import __version__
from genoku.runtime.lazy import IMPORT

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

# A build keeps nearly all that it makes; a quarter of its time would go into looking for garbage.
gc.set_threshold(100_000, 50, 50)

project = "genoku"
author = "the genoku authors"
copyright = author  # noqa: A001 (Sphinx's name)
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "operators", "terms"]
exclude_patterns = ["_ext"]

# Markdown pages, with links to headings and highlighted examples.
myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4
default_role = "literal"  # `name` in docstrings is code, as in Markdown
highlight_language = "text"

# Lessons are executed when the site is built; a failing cell fails the build.
nb_execution_mode = os.environ.get("GENOKU_LESSONS", "force")
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True  # keep the output of a cell in one piece
logging.getLogger("traitlets").setLevel(logging.WARNING)  # it logs every notebook

# The reference: numpydoc sections, long signatures split into lines, type aliases by name.
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
autodoc_type_aliases = {
    name: f"genoku.{module}.{name}"
    for module, names in {
        "puzzle": ("Board",),
        "puzzle.notation": ("Alphabet",),
        "evolve": ("Boards", "Costs", "Mates", "Recipe", "Stream"),
        "evolve.fitness": ("Scores",),
        "reports": ("PrintedCell",),
        "evolve.operators.mutation": ("Times",),
        "engine.history": ("Column",),
        "lab.claims": ("Outcome",),
    }.items()
    for name in names
}
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
nitpick_ignore_regex = [  # names of other libraries
    ("py:.*", r"(collections|concurrent|os|pathlib|sqlite3)\..+"),
    ("py:.*", r"(numpy|np|matplotlib|NDArray|ndarray|Executor|Figure)\b.*"),
]

# Theme: light and dark, usable on a phone, nothing fetched from elsewhere.
html_theme = "furo"
html_title = "genoku"
html_static_path = ["_static"]
html_css_files = ["genoku.css"]
html_favicon = html_logo = "../src/genoku/web/static/icon.svg"  # the web app's
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options: dict[str, Any] = {
    "light_css_variables": {"color-brand-primary": "#0b5c94", "color-brand-content": "#0b5c94"},
    "dark_css_variables": {"color-brand-primary": "#6db7e8", "color-brand-content": "#6db7e8"},
}


ALIAS = re.compile(r"TypeAliasForwardRef\('([\w.]+)'\)")
GENERATED = "Alias for field number"
NAPOLEON: Any = Config(napoleon_use_rtype=False, napoleon_use_ivar=True)


def setup(app: Sphinx) -> None:
    lexer_classes["mermaid"] = lexer_classes["none"]  # drawn by GitHub, shown as text here
    app.connect("autodoc-process-signature", name_aliases)
    app.connect("autodoc-process-docstring", prepare_docstring)
    app.connect("build-finished", finish)


def finish(app: Sphinx, error: Exception | None) -> None:
    """Exempt what is left from the search for garbage with which the process ends: about 2 s."""
    del app, error
    gc.freeze()


def name_aliases(*event: Any) -> tuple[str | None, str | None]:
    """Show type aliases inside other types by name, and default factories as dots."""
    *_, signature, returned = event
    one, two = (
        text and ALIAS.sub(r"~\1", text).replace("<factory>", "...")
        for text in (signature, returned)
    )
    return one, two


def prepare_docstring(
    app: Sphinx, what: Any, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Render numpydoc sections, and find the docstrings of constants and type aliases."""
    if what == "data":  # documented where it is defined, not where it is exported
        module, _, attribute = name.rpartition(".")
        source = Path(import_module(module).__file__ or "").read_text("utf-8")
        names = {
            each: home
            for home, *of in IMPORT.findall(source)
            for each in re.findall(r"\w+", "".join(of))
        }
        docs = ModuleAnalyzer.for_module(names.get(attribute, module)).find_attr_docs()
        lines[:] = docs.get(("", attribute), [])
    elif what in ("class", "exception", "function", "method"):
        lines[:] = NumpyDocstring(lines, NAPOLEON, app, what, name, value, options).lines()
    # Python generates a docstring for fields of named tuples
    lines[:] = [line for line in lines if not line.startswith(GENERATED)]
