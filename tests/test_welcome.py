"""What welcomes a stranger: citation, licence, contributing, and the forms of issues."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml  # which comes with myst-nb

import genoku

ROOT = Path(__file__).parents[1]
FORMS = sorted(
    path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"
)
WELCOME = [ROOT / "CONTRIBUTING.md", ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md"]

pytestmark = pytest.mark.skipif(
    not (ROOT / ".github").exists(), reason="packages are sent without the clone's own files"
)


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def test_the_citation_names_this_version_under_the_rules_of_its_format() -> None:
    cited = loaded(ROOT / "CITATION.cff")
    assert cited["cff-version"] == "1.2.0"
    assert cited["version"] == genoku.__version__
    assert (cited["type"], cited["license"]) == ("software", "MIT")
    assert [set(each) for each in cited["authors"]] == [{"name"}]  # an entity, not a person
    for key in ("message", "title", "abstract"):
        assert isinstance(cited[key], str)
        assert cited[key].strip()
    assert len(set(cited["keywords"])) == len(cited["keywords"]) > 0
    known = {"cff-version", "message", "title", "authors", "type", "abstract", "version", "license"}
    assert set(cited) == known | {"keywords"}


def test_licence_citation_and_package_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    cited = loaded(ROOT / "CITATION.cff")
    assert project["license"] == cited["license"]
    assert project["authors"][0]["name"].lower() == cited["authors"][0]["name"].lower()
    assert (ROOT / "LICENSE").read_text("utf-8").startswith("MIT License")


def test_every_form_is_one_that_github_shows() -> None:
    assert {path.stem for path in FORMS} == {"bug", "idea", "question"}
    for form in map(loaded, FORMS):
        assert {"name", "description", "body"} <= set(form)
        identities = [each["id"] for each in form["body"] if each["type"] != "markdown"]
        assert len(set(identities)) == len(identities) > 0


@pytest.mark.parametrize("path", WELCOME, ids=lambda path: path.stem)
def test_commands_that_are_named_are_commands_of_run_py(path: Path) -> None:
    usage = ast.get_docstring(ast.parse((ROOT / "run.py").read_text("utf-8"))) or ""
    known = set(re.findall(r"^python3 run\.py (\w+)", usage, re.MULTILINE))
    named = set(re.findall(r"run\.py (\w+)", path.read_text("utf-8")))
    assert named
    assert named <= known


def test_contributing_leads_to_files_and_tests_that_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    paths = re.findall(r"`((?:src|tests|docs)/[\w./-]+|[A-Z]+\.md)`", text)
    assert links
    assert paths
    assert not [each for each in (*links, *paths) if not (ROOT / each).exists()]


def test_the_sixteen_changes_are_where_the_tree_says() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| `([\w./-]+)` \| `([\w./-]+)` \|$", text, re.MULTILINE)
    assert len(rows) == 16
    assert not [file for file, name in rows if name not in (ROOT / file).read_text("utf-8")]


@pytest.mark.parametrize(
    "path", [*WELCOME, *FORMS, ROOT / "CITATION.cff"], ids=lambda path: path.name
)
def test_a_welcome_names_no_host_and_no_person(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "://" not in text
    assert "@" not in text.replace("@kernel", "")
