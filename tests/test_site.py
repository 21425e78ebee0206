"""The documentation builds without a warning, is whole, and asks nothing of other machines."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from genoku.evolve.recipe import CATALOG

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EXAMPLES = sorted((DOCS / "api").glob("*.md"))
WITH_PICTURES = [*sorted((DOCS / "words").glob("*.md")), *sorted((DOCS / "operators").glob("*.md"))]
KEPT = re.compile(r"!\[[^\]]*\]\(\.\./pictures/([\w-]+)\.svg\)\n\n\*(.*)\*")  # file, caption
FOREIGN = re.compile(r"(?:https?:)?//")


class Page(HTMLParser):
    """What a page links to, what it loads, and where it can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.places.update(known[name] for name in ("id", "name") if name in known)
        loaded = known.get("src") or (known.get("href") if tag == "link" else None)
        if loaded is not None:
            self.loads.append(loaded)
        elif "href" in known:
            self.links.append(known["href"])


def pages_of(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


def broken(pages: dict[Path, Page]) -> Iterator[str]:
    """Links and loads inside the site that lead nowhere."""
    for path, page in pages.items():
        for target in (*page.links, *page.loads):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            place = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            known = pages.get(place)
            if not place.exists():
                yield f"{path.name}: {target}"
            elif parts.fragment and known and unquote(parts.fragment) not in known.places:
                yield f"{path.name}: {target} has no such place"


def foreign(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """What a browser would fetch from another machine to show a page."""
    for path, page in pages.items():
        yield from (f"{path.name}: {load}" for load in page.loads if FOREIGN.match(load))
    for path in site.rglob("*.css"):
        text = path.read_text("utf-8")
        for found in re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", text):
            if FOREIGN.match(found):
                yield f"{path.name}: {found}"


def reached(start: Path, pages: dict[Path, Page]) -> set[Path]:
    """The pages that links lead to from one of them."""
    found, to_follow = {start}, [start]
    while to_follow:
        here = to_follow.pop()
        for link in pages[here].links:
            there = (here.parent / unquote(urlsplit(link).path)).resolve()
            if there in pages and there not in found:
                found.add(there)
                to_follow.append(there)
    return found


def written() -> Iterator[Path]:
    """The pages that should be there, as their names in the site."""
    for kind in ("*.md", "*.ipynb"):
        for path in DOCS.rglob(kind):
            inside = path.relative_to(DOCS)
            if not inside.parts[0].startswith("_"):
                yield inside.with_suffix(".html")


def exports() -> Iterator[str]:
    """What `genoku` and its packages export, each by its path."""
    for page in ("", *(path.stem for path in EXAMPLES if path.stem != "index")):
        module = import_module(f"genoku.{page}".strip("."))
        yield from (f"{module.__name__}.{name}" for name in getattr(module, "__all__", ()))


def build(site: Path, *options: str) -> None:
    """Build the site as `run.py docs` does, elsewhere and with more options."""
    always = ("-W", "--keep-going", "-n", "-q", "-b", "html", "-d", str(site.with_name("kept")))
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *always, *options, "docs", str(site)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def check_site(site: Path) -> dict[Path, Page]:
    """See that a site is whole and asks nothing of other machines; its pages."""
    pages = pages_of(site)
    assert list(broken(pages)) == []
    assert list(foreign(site, pages)) == []
    there = reached(site / "index.html", pages)
    assert [name for name in written() if site / name not in there] == []
    return pages


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The site's own module, found as Sphinx finds it."""
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    return import_module("pictures")


@pytest.fixture
def standalone(pictures: Any) -> Any:
    """What makes files of the site's pictures."""
    assert pictures
    return import_module("standalone")


def test_the_site_builds_without_a_warning_and_is_whole(
    tmp_path: Path, pictures: Any, standalone: Any
) -> None:
    """All in one, since the build is what takes time.

    Lessons are not executed, and the sidebars do not list classes and functions: a quarter of it.
    """
    site = tmp_path.resolve() / "site"
    build(site, "-D", "nb_execution_mode=off", "-D", "toc_object_entries=0")
    pages = check_site(site)
    for kind, parts in CATALOG.items():
        page = site / "operators" / f"{kind}.html"
        assert set(parts) <= pages[page].places
        text = page.read_text("utf-8")
        assert text.count('<figure class="made">') == len(parts)
        first, *_, last = parts
        for name in (first, last):
            assert pictures.picture(kind, name) in text, "made by its seed alone, and left whole"
    for page in WITH_PICTURES:
        text = (site / page.relative_to(DOCS)).with_suffix(".html").read_text("utf-8")
        drawn = map(standalone.caption, re.findall(r"<figcaption>.*?</figcaption>", text))
        kept = [caption for _, caption in KEPT.findall(page.read_text("utf-8"))]
        assert list(drawn) == kept, page
    documented = {place for page in (site / "api").glob("*.html") for place in pages[page].places}
    names = {place.rpartition(".")[2] for place in documented}  # `genoku.run`, on the engine's page
    assert [path for path in exports() if path.rpartition(".")[2] not in names] == []


@pytest.mark.release
def test_the_site_with_its_lessons_executed_is_whole(tmp_path: Path) -> None:
    site = tmp_path.resolve() / "site"
    build(site, "-D", "nb_execution_mode=force")
    check_site(site)
    for lesson in (DOCS / "lessons").glob("*.ipynb"):
        assert "cell_output" in (site / "lessons" / f"{lesson.stem}.html").read_text("utf-8")


def test_the_pages_of_operators_are_as_written(
    standalone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Captions are compared where the site is built, since that draws all pictures."""
    assert standalone
    monkeypatch.syspath_prepend(str(DOCS / "tools"))
    tool = import_module("operator_pages")
    for page in sorted((DOCS / "operators").glob("*.md")):
        text = page.read_text("utf-8")
        made = tool.written(text, dict(KEPT.findall(text)))
        assert text == made, "python docs/tools/operator_pages.py writes it"


def test_every_picture_is_on_a_page() -> None:
    shown = {file for page in WITH_PICTURES for file, _ in KEPT.findall(page.read_text("utf-8"))}
    assert {path.stem for path in (DOCS / "pictures").iterdir()} == shown


def test_a_site_that_is_not_whole_would_be_found_out(tmp_path: Path) -> None:
    one, two, three = (tmp_path.resolve() / f"{name}.html" for name in ("one", "two", "three"))
    one.write_text('<a href="two.html#there">a</a><a href="gone.html">b</a><img src="x.png">')
    two.write_text('<p id="here"><script src="https://cdn.example/x.js"></script>')
    three.write_text('<a href="https://elsewhere.example">fine: nobody has to follow it</a>')
    (tmp_path / "style.css").write_text('a { background: url("//fonts.example/a.woff") }')
    pages = pages_of(tmp_path.resolve())
    assert list(broken(pages)) == [
        "one.html: two.html#there has no such place",
        "one.html: gone.html",
        "one.html: x.png",
    ]
    assert list(foreign(tmp_path, pages)) == [
        "two.html: https://cdn.example/x.js",
        "style.css: //fonts.example/a.woff",
    ]
    assert reached(one, pages) == {one, two}


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.stem)
def test_the_examples_of_the_api_reference_run(page: Path) -> None:
    names: dict[str, object] = {}
    for code in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.M):
        exec(compile(code, str(page), "exec"), names)


def test_a_chart_keeps_its_text_and_follows_the_reader_from_light_to_dark(pictures: Any) -> None:
    made = pictures.picture("adaptation", "exponential")
    assert ">generation</text>" in made
    assert {"--ink", "--faint", "--bar"} <= set(re.findall(r"var\((--\w+)\)", made))
    assert "#22252b" not in made
    ids = re.findall(r' id="([^"]+)"', made)
    assert len(ids) == len(set(ids))


def test_a_cell_of_a_child_is_coloured_by_who_gave_it(pictures: Any) -> None:
    made = pictures.picture("crossover", "points")
    assert all(tint in made for tint in ("from-a", "from-b", "given"))
    only = pictures.picture("crossover", "clones")
    assert "from-b" not in only
