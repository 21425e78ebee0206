"""Write the pages of the operators, in docs/operators, as the repository has them, with pictures.

    python docs/tools/operator_pages.py

What is between a mark such as `<!-- operators: crossover -->` and `<!-- end -->` is replaced, here
and on the site, which draws the pictures anew. A test compares the text.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).parents[1]
PAGES = DOCS / "operators"
sys.path.insert(0, str(DOCS / "_ext"))

import operators  # noqa: E402
import terms  # noqa: E402
from pictures import picture_named  # noqa: E402
from standalone import caption, write  # noqa: E402

from genoku.evolve.parts import catalogue  # noqa: E402


def written(page: str, captions: Mapping[str, str]) -> str:
    """Return a page with all its blocks written anew, with the captions of their pictures."""

    def block(text: str, mark: str) -> str:
        return f"{mark}\n\n{text}\n\n<!-- end -->"

    page = operators.MARK.sub(
        lambda found: block(
            operators.render(found[1], found[2] or "", captions), found[0].partition("\n")[0]
        ),
        page,
    )
    return terms.MARK.sub(lambda found: block(terms.table(), found[0].partition("\n")[0]), page)


def main() -> None:
    captions: dict[str, str] = {}
    for row in catalogue():
        name = f"{row['kind']}-{row['name']}"
        figure = picture_named(name)
        captions[name] = caption(figure)
        write(name, figure)
    for path in sorted(PAGES.glob("*.md")):
        path.write_text(written(path.read_text("utf-8"), captions), "utf-8")


if __name__ == "__main__":
    main()
