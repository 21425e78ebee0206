"""What welcomes a stranger: citation, licence, contributing, and the forms of issues."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped] # which comes with myst-nb

import genoku

ROOT = Path(__file__).parents[1]
FORMS = sorted(
    path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"
)
WELCOME = [ROOT / "CONTRIBUTING.md", ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md"]

# GitHub's form schema, as far as we use it.
OF_A_FORM = {"name", "description", "title", "labels", "body"}
ATTRIBUTES = {
    "markdown": {"value"},
    "textarea": {"label", "description", "render"},
    "input": {"label", "description"},
}
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
    assert cited["authors"] == [{"name": "The genoku authors"}]  # an entity, not a person
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


def test_there_is_a_form_for_what_people_come_with() -> None:
    assert {path.stem for path in FORMS} == {"bug", "idea", "question"}
    assert loaded(FORMS[0].with_name("config.yml")) == {"blank_issues_enabled": True}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_has_the_fields_that_forms_need(path: Path) -> None:
    form = loaded(path)
    assert {"name", "description", "body"} <= set(form) <= OF_A_FORM
    asked = [each for each in form["body"] if each["type"] != "markdown"]
    assert len({each["id"] for each in asked}) == len(asked) > 0
    assert any(each.get("validations", {}).get("required") for each in asked)
    for each in form["body"]:
        attributes = each["attributes"]
        assert set(attributes) <= ATTRIBUTES[each["type"]]
        assert attributes.get("label") or each["type"] == "markdown"
        assert set(each) <= {"type", "id", "attributes", "validations"}
        assert re.fullmatch(r"[a-z-]+", each.get("id", "text"))


@pytest.mark.parametrize("path", WELCOME, ids=lambda path: path.stem)
def test_commands_that_are_named_are_commands_of_run_py(path: Path) -> None:
    told = ast.get_docstring(ast.parse((ROOT / "run.py").read_text("utf-8"))) or ""
    known = set(re.findall(r"^python3 run\.py (\w+)", told, re.MULTILINE))
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
    for name in re.findall(r"`([A-Z]{5,})`", text):  # SELECTIONS
        assert re.search(rf"^{name}\b", (ROOT / "src/genoku/selection.py").read_text(), re.M)


@pytest.mark.parametrize(
    "path", [*WELCOME, *FORMS, ROOT / "CITATION.cff"], ids=lambda path: path.name
)
def test_a_welcome_names_no_host_and_no_person(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "://" not in text
    assert "@" not in text.replace("@kernel", "")
