"""Pages: sections of text, tables and charts, as one HTML file or as Markdown with SVG."""

from genoku.lab.page.parts import (
    Cell,
    Claim,
    Claims,
    Code,
    Column,
    Details,
    Figure,
    Notice,
    Page,
    Part,
    Section,
    Table,
    Verdict,
)
from genoku.lab.page.words import literal, number, render_markdown

__all__ = [
    "Cell",
    "Claim",
    "Claims",
    "Code",
    "Column",
    "Details",
    "Figure",
    "Notice",
    "Page",
    "Part",
    "Section",
    "Table",
    "Verdict",
    "literal",
    "number",
    "render_markdown",
]
