"""The reports' page: what it says of them is what their files and the laboratory say."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from kept_runs import planned_studies, unpack_runs
from web_server import PATIENCE, client_of, served

from genoku.evolve.presets import preset
from genoku.lab.report.page import inline
from genoku.puzzle.board import Puzzle
from genoku.reports import reports
from genoku.runtime.jit import JIT_IS_ON
from genoku.web import study_processes
from genoku.web.routes.reports import QUICK_SECONDS, published_reproduction
from genoku.web.study_processes import reproduction_folder
from reproductions import REPORTS as REPRODUCED

NUMBERS = list(reports())
WRITTEN = Path(__file__).parents[1] / "docs" / "reproductions"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[httpx.Client]:
    with client_of(folder) as client:
        yield client


@pytest.fixture(scope="module")
def listed(client: httpx.Client) -> Any:
    return client.get("/api/reports").json()


def test_all_reports_are_there(listed: Any) -> None:
    assert list(REPRODUCED) == NUMBERS
    assert list(QUICK_SECONDS) == NUMBERS
    for each in listed:
        report = reports()[each["number"]]
        assert each["title"] == report.title
        assert each["authors"] == report.by
        assert each["summary"] == report.summary
        assert [one["name"] for one in each["presets"]] == list(report.presets)


def test_verdicts_are_those_of_the_documentation(listed: Any) -> None:
    index = (WRITTEN / "index.md").read_text("utf-8")
    for each in listed:
        row = re.search(rf"^\| \[{each['number']},.*\|(.*)\|(.*)\|(.*)\|(.*)\|$", index, re.M)
        assert row
        claims, holds, fails, undecided = map(int, row.groups())
        assert each["verdicts"] == {"holds": holds, "fails": fails, "undecided": undecided}
        assert claims == holds + fails + undecided


def test_presets_are_ready_to_run(listed: Any) -> None:
    for report in listed:
        assert report["presets"]
        for each in report["presets"]:
            found = preset(each["name"])
            assert f"Report {report['number']}" in found.report
            assert Puzzle.parse(each["puzzle"], box=each["box"]) == found.puzzle
            assert each["allow_conflicts"] == bool(found.puzzle.conflicts())


@pytest.mark.parametrize("number", NUMBERS)
def test_claims_are_those_of_the_page(number: str) -> None:
    page = published_reproduction(number)
    assert page
    verdicts = [claim.verdict for claim in page.claims]
    assert page.counts.model_dump() == {
        each: verdicts.count(each) for each in ("holds", "fails", "undecided")
    }
    text = (WRITTEN / f"{number}.md").read_text("utf-8")
    assert text.startswith(f"# {page.title}\n\n{page.subtitle}\n")
    assert page.own in text
    assert page.evidence in text
    for claim in page.claims:
        assert f"<b>{claim.verdict}</b>: {inline(claim.text)}" in text
        assert claim.id
        assert claim.where
        assert claim.because


@pytest.mark.parametrize("number", NUMBERS)
def test_the_evidence_shows_all_figures(client: httpx.Client, number: str) -> None:
    found = client.get(f"/api/reports/{number}/reproduction").json()
    page = published_reproduction(number)
    assert page
    both = found["own"] + found["evidence"]
    shown = re.findall(rf'<img src="/api/reports/{number}/figures/(.*?)"', both)
    assert sorted(shown) == list(page.figures)
    answer = client.get(f"/api/reports/{number}/figures/{shown[0]}")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.text.lstrip().startswith(("<?xml", "<svg"))


@pytest.mark.parametrize(
    "path",
    [
        "/api/reports/005/reproduction",
        "/api/reports/..%2F000/reproduction",
        "/api/reports/000/figures/..%2F000.md",
        "/api/reports/000/figures/..",
        "/api/reports/000/figures/nothing.svg",
        "/api/reports/000/page",
    ],
)
def test_what_is_not_there_is_not_found(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.skipif(not JIT_IS_ON, reason="whole runs, slow where nothing is compiled")
def test_a_reproduction_is_made_stopped_resumed_and_shown(
    client: httpx.Client, folder: Path
) -> None:
    runs = unpack_runs("001", reproduction_folder(folder, "001") / "seeds-1")
    (runs / "once.db").unlink()  # five short runs, which are all that is left to make
    asked = client.post("/api/reports/001/reproduction", json={"seeds": 1})
    assert asked.json()["phase"] == "starting"
    other = client.post("/api/reports/004/reproduction", json={})
    assert other.status_code == 409
    assert client.post("/api/reports/004/stop").json()["phase"]  # which is not at work
    stopped = client.post("/api/reports/001/stop").json()
    assert stopped["phase"] == ""
    assert stopped["said"]
    assert client.get("/api/reports/001/page").status_code == 404

    client.post("/api/reports/001/reproduction", json={"seeds": 1})
    seen = []
    while (work := client.get("/api/reports/001/progress").json())["phase"]:
        seen.append(work)
        time.sleep(0.1)
    assert work["said"] == ""
    planned = sum(map(len, planned_studies("001").values()))
    assert {(each["done"], each["planned"]) for each in seen} >= {(planned, planned)}
    mine = client.get("/api/reports/001/reproduction").json()["mine"]
    page = published_reproduction("001")
    assert page
    assert len(mine["claims"]) == len(page.claims)
    shown = client.get("/api/reports/001/page")
    assert shown.text.startswith("<!doctype html>")
    assert "sandbox allow-scripts" in shown.headers["content-security-policy"]
    assert shown.headers["x-frame-options"] == "DENY"


def test_outside_of_a_clone_the_command_is_shown_and_nothing_starts(
    client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/api/reports/002/reproduction").json()["can_start"]
    monkeypatch.setattr(study_processes, "CLONE", tmp_path)
    found = client.get("/api/reports/002/reproduction").json()
    assert not found["can_start"]
    assert found["command"] == "python3 run.py reproduce --claims 002"
    assert found["claims"]
    assert client.post("/api/reports/002/reproduction", json={}).status_code == 409


def test_a_reproduction_ends_with_its_server(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        asked = httpx.post(f"{server.url}/api/reports/004/reproduction", json={}, timeout=PATIENCE)
        assert asked.json()["phase"] == "starting"
        made = server.app.state.services.reproductions
    assert made.progress.phase == ""


@pytest.mark.parametrize("body", [{"seeds": 0}, {"seeds": 51}, {"seeds": "x"}, {"other": 1}, []])
def test_odd_wishes_are_refused(client: httpx.Client, body: Any) -> None:
    answer = client.post("/api/reports/000/reproduction", json=body)
    assert answer.status_code == 422
