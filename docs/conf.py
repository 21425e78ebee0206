"""How the documentation is built: `python3 run.py docs` writes it to site/.

`GENOKU_LESSONS=off` leaves the notebooks as they are, for a quick build; else they are executed.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.highlighting import lexer_classes

from genoku import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "genoku"
author = "the genoku authors"
copyright = author  # noqa: A001 (what Sphinx calls it)
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "operators"]
exclude_patterns = ["_ext"]

# Pages: Markdown, with links to headings and examples that are coloured.
myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4
default_role = "literal"  # docstrings say `name`, as Markdown does
highlight_language = "text"

# Lessons: executed when the site is built, and a cell that fails fails the build.
nb_execution_mode = os.environ.get("GENOKU_LESSONS", "force")
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True  # what a cell prints stays in one piece
logging.getLogger("traitlets").setLevel(logging.WARNING)  # it tells of every notebook

# The reference: signatures in lines of their own, arrays by their names.
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
autodoc_type_aliases = {
    name: f"genoku.{module}.{name}"
    for module, names in {
        "board": ("Board",),
        "encoding": ("Boards",),
        "engine.history": ("Column",),
        "fitness": ("Costs", "Scores"),
        "lab.claims": ("Outcome",),
        "mutation": ("Times",),
        "notation": ("Alphabet",),
        "recipe": ("Recipe",),
        "selection": ("Mates",),
        "stream": ("Stream",),
    }.items()
    for name in names
}
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
nitpick_ignore_regex = [  # what is not ours, and no page of ours explains
    ("py:.*", r"(collections|concurrent|os|pathlib|sqlite3)\..+"),
    ("py:.*", r"(numpy|np|matplotlib|NDArray|ndarray|Executor)\b.*"),
]

# The look: light and dark, to a phone, with nothing from elsewhere.
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
MADE_UP = "Alias for field number"


def setup(app: Sphinx) -> None:
    lexer_classes["mermaid"] = lexer_classes["none"]  # GitHub draws it; here it is read as text
    app.connect("autodoc-process-signature", in_names)
    app.connect("autodoc-process-docstring", without_aliases)


def in_names(*event: Any) -> tuple[str | None, str | None]:
    """Name an alias inside another type too, and a default that is made anew by dots."""
    *_, signature, returned = event
    one, two = (
        text and ALIAS.sub(r"~\1", text).replace("<factory>", "...")
        for text in (signature, returned)
    )
    return one, two


def without_aliases(*event: Any) -> None:
    """A field of a named tuple that has no words of its own needs none."""
    lines: list[str] = event[-1]
    lines[:] = [line for line in lines if not line.startswith(MADE_UP)]
