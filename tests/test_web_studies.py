"""Studies of the web app: real drivers make the runs, and the laboratory says what came of them."""

from __future__ import annotations

import csv
import io
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE
from web_server import client_of

from genoku.lab.export import write_csv
from genoku.lab.runner import run_study
from genoku.lab.store import Store, lock
from genoku.lab.studyfile import read_study
from genoku.runtime.workers import cores
from genoku.web.handlers.studies import SECTIONS
from genoku.web.limits import Limits
from genoku.web.study_processes import StudyNameError, study_files, study_names

LIMITS = Limits(
    live_workers=1, job_workers=1, studies=1, study_runs=1000, population_cells=1_000_000
)
SCRIPT = "<script>alert('1')</script>"
EASY = {"puzzle": "1.....3..4.....2", "box": "2x2", "name": SCRIPT}
QUICK: dict[str, Any] = {
    "question": f"Is {SCRIPT} better?",
    "algorithms": [
        {"preset": "charles", "grid": {"population": [20, 40]}},
        {"preset": "annealing", "name": SCRIPT},
    ],
    "puzzles": [EASY, {"bundled": "charles-basic"}],
    "seeds": {"first": 1, "count": 2},
    "until": "generations=5",
}
ENDLESS: dict[str, Any] = {
    "algorithms": [{"preset": "charles", "settings": {"population": 100}}],
    "puzzles": [{"bundled": "ai-escargot"}],
    "seeds": {"count": 900},
    "until": "generations=400",
}


class Studies:
    """Asks a server about studies."""

    def __init__(self, client: httpx.Client, folder: Path) -> None:
        self.client, self.folder = client, folder

    def ask(self, method: str, path: str = "", status: int = 200, **more: Any) -> httpx.Response:
        answer = self.client.request(method, f"/api/studies{path}", **more)
        assert answer.status_code == status, answer.text
        return answer

    def create(self, name: str, body: dict[str, Any] = QUICK, **more: Any) -> Any:
        return self.ask("POST", "", 201, json={**body, "name": name, **more}).json()

    def refused(self, body: dict[str, Any], status: int = 422) -> dict[str, str]:
        """Why a study cannot be: `detail` and `path`."""
        answer = self.ask("POST", "", status, json={"name": "refused", **body})
        assert not (self.folder / "refused.toml").exists()
        said: dict[str, str] = answer.json()
        return said

    def until(self, name: str, holds: Callable[[Any], bool]) -> Any:
        """A study as soon as something holds of it."""
        end = time.monotonic() + PATIENCE
        while not holds(found := self.ask("GET", f"/{name}").json()):
            assert time.monotonic() < end, f"it never came: {found}"
            time.sleep(0.05)
        return found

    def finished(self, name: str) -> Any:
        return self.until(name, lambda found: found["state"] in ("done", "stopped"))


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studies]:
    folder = tmp_path_factory.mktemp("web")
    with client_of(folder, LIMITS) as client:
        yield Studies(client, folder / "studies")


@pytest.fixture(scope="module")
def done(studies: Studies) -> Any:
    """A study that was run to its end."""
    studies.create("quick", run=True)
    return studies.finished("quick")


def lines(text: str) -> list[dict[str, str]]:
    """The runs of a CSV file without what a clock says."""
    found = list(csv.DictReader(io.StringIO(text)))
    return [{key: each[key] for key in each if "seconds" not in key} for each in found]


def test_a_study_runs_to_its_end(done: Any) -> None:
    assert (done["planned"], done["done"], done["failed"], done["said"]) == (12, 12, 0, "")
    assert done["state"] == "done"
    assert [each["name"] for each in done["algorithms"]] == [
        *("charles, population=20", "charles, population=40", SCRIPT),
    ]
    assert [each["name"] for each in done["puzzles"]] == [SCRIPT, "charles-basic"]


def test_its_runs_are_those_of_the_library(studies: Studies, done: Any, tmp_path: Path) -> None:
    store = tmp_path / "again.db"
    run_study(read_study(studies.folder / "quick.toml"), store)
    again = io.StringIO()
    with Store.open(store) as opened:
        write_csv(opened, again)
    exported = studies.ask("GET", "/quick/export/csv")
    assert lines(exported.text) == lines(again.getvalue())
    assert exported.headers["content-disposition"] == 'attachment; filename="quick.csv"'
    assert done["planned"] == len(lines(exported.text))


def test_its_files_are_those_of_the_shell(studies: Studies, done: Any) -> None:
    assert done["name"] == "quick"
    with Store.open(studies.folder / "quick.db") as store:
        assert len(store.results()) == len(store.study) == 12
        assert read_study(studies.folder / "quick.toml") == store.study


@pytest.mark.usefixtures("done")
def test_every_export_can_be_read(studies: Studies, tmp_path: Path) -> None:
    assert len(studies.ask("GET", "/quick/export/jsonl").text.splitlines()) == 12
    assert len(lines(studies.ask("GET", "/quick/export/steps").text)) > 12
    toml = tmp_path / "quick.toml"
    toml.write_bytes(studies.ask("GET", "/quick/export/toml").content)
    copy = tmp_path / "copy.db"
    copy.write_bytes(studies.ask("GET", "/quick/export/db").content)
    with Store.open(copy) as store:
        assert read_study(toml) == store.study
        assert len(store.results()) == 12
    assert "expected 'csv'" in studies.ask("GET", "/quick/export/exe", 422).json()["detail"]


@pytest.mark.usefixtures("done")
def test_results_are_the_laboratory_s(studies: Studies) -> None:
    sections = studies.ask("GET", "/quick/results").json()["sections"]
    titles = [each["title"] for each in sections]
    assert titles == [each for each in SECTIONS if each in titles]
    assert len(titles) > 3
    whole = "".join(each["html"] for each in sections)
    heads = re.findall(r"<th[^>]*>([^<]+)<", whole)
    assert {"algorithm", "solved", "share solved"} <= set(heads)
    drawings = re.findall(r'<img class="drawing \w+" src="data:image/svg\+xml;[^"]*"', whole)
    assert drawings
    assert SCRIPT not in whole
    assert "&lt;script&gt;alert(" in whole
    assert not re.search(r"<[^>]* (?:style|on\w+)=", whole)  # which the page's policy would block
    assert studies.ask("GET", "/quick/results").json()["sections"] == sections


@pytest.mark.usefixtures("done")
def test_a_report_is_a_page_that_reaches_nothing(studies: Studies) -> None:
    answer = studies.ask("GET", "/quick/report")
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'")
    assert "allow-same-origin" not in policy
    assert SCRIPT not in answer.text
    assert "&lt;script&gt;alert(" in answer.text


@pytest.mark.usefixtures("done")
def test_a_name_is_taken_once(studies: Studies) -> None:
    assert "'quick'" in studies.ask("POST", "", 409, json={**QUICK, "name": "quick"}).text


def test_a_study_is_stopped_and_gone_on_with_and_files_put_there_by_hand_wait(
    studies: Studies,
) -> None:
    studies.create("long", ENDLESS, run=True)
    studies.until("long", lambda found: found["done"] > 0)
    stopped = studies.ask("POST", "/long/stop").json()
    assert stopped["state"] == "stopped"
    kept = stopped["done"]
    assert 0 < kept < 900
    assert studies.ask("GET", "/long").json()["done"] == kept
    assert studies.ask("POST", "/long/run").json()["state"] == "running"
    studies.until("long", lambda found: found["done"] > kept)
    text = 'question = "By hand?"\nalgorithms = ["annealing"]\nuntil = "steps=3"\n'
    text += 'seeds = 2\npuzzles = [{ generate = 1, size = "4", seed = 3 }]\n'
    (studies.folder / "by-hand.toml").write_text(text)
    found = studies.ask("GET", "/by-hand").json()
    assert (found["question"], found["planned"], found["state"]) == ("By hand?", None, "stopped")
    assert studies.ask("POST", "/by-hand/run").json()["state"] == "waiting"
    listed = {each["name"]: each["state"] for each in studies.ask("GET").json()}
    assert (listed["long"], listed["by-hand"]) == ("running", "waiting")
    studies.ask("DELETE", "/long", 204)
    assert "long" not in study_names(studies.folder)
    assert studies.finished("by-hand")["done"] == 2
    studies.ask("DELETE", "/by-hand", 204)
    studies.ask("GET", "/by-hand", 404)


def test_a_study_that_somebody_else_runs_is_left_alone(studies: Studies) -> None:
    studies.create("theirs", ENDLESS)
    store = studies.folder / "theirs.db"
    with lock(store):
        found = studies.ask("GET", "/theirs").json()
        assert (found["state"], found["by"]) == ("running", "another process")
        studies.ask("POST", "/theirs/stop", 409)
        studies.ask("DELETE", "/theirs", 409)
        studies.ask("POST", "/theirs/run", 409)
    assert studies.ask("GET", "/theirs").json()["state"] == "stopped"
    studies.ask("DELETE", "/theirs", 204)


def test_a_server_finds_what_another_has_begun(studies: Studies, done: Any) -> None:
    with client_of(studies.folder.parent, LIMITS) as client:
        second = Studies(client, studies.folder)
        assert second.ask("GET", "/quick").json() == done
        second.create("unfinished", ENDLESS, run=True)
        second.until("unfinished", lambda found: found["done"] > 0)
        theirs = studies.ask("GET", "/unfinished").json()
        assert theirs["state"] == "running"
        assert theirs["by"].startswith("process ")
    resumable = studies.ask("GET", "/unfinished").json()
    assert (resumable["state"], resumable["by"]) == ("stopped", "")
    assert 0 < resumable["done"] < resumable["planned"]
    studies.ask("DELETE", "/unfinished", 204)


def test_damaged_files_are_lines_that_can_be_read(studies: Studies) -> None:
    (studies.folder / "damaged.db").write_bytes(b"no database at all" * 100)
    with sqlite3.connect(studies.folder / "other.db") as other:
        other.execute("CREATE TABLE mine (x)")
    (studies.folder / "empty.db").touch()
    (studies.folder / "folder.db").mkdir()
    (studies.folder / "broken.toml").write_bytes(b"\xff\xfe")
    listed = {each["name"]: each for each in studies.ask("GET").json()}
    said = {name: listed[name]["said"] for name in ("damaged", "other", "empty", "folder")}
    assert all(said[name].startswith(f"{name}.db: ") for name in said)
    assert len(set(map(len, said.values()))) == len(said)  # each in words of its own
    assert listed["broken"]["said"].startswith("broken.toml: ")
    assert {listed[name]["state"] for name in (*said, "broken")} == {"faulty"}
    for name in ("damaged", "other", "empty"):
        found = studies.ask("GET", f"/{name}").json()
        assert (found["state"], found["said"]) == ("faulty", said[name])
        for path in ("results", "report", "export/csv", "export/db"):
            studies.ask("GET", f"/{name}/{path}", 422)
        studies.ask("DELETE", f"/{name}", 204)
    (studies.folder / "folder.db").rmdir()
    (studies.folder / "broken.toml").unlink()


def test_a_study_without_runs_has_nothing_to_show(studies: Studies) -> None:
    studies.create("empty-one")
    for path in ("results", "report"):
        assert studies.ask("GET", f"/empty-one/{path}", 422).json()["detail"]
    studies.ask("DELETE", "/empty-one", 204)


NAMES = ["..", ".", "../x", "..%2fx", "a/b", "/etc/x", "C:x", "a b", "", "-a", "é", "x" * 61, "a\n"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_cannot_leave_the_folder(studies: Studies, name: str, tmp_path: Path) -> None:
    assert studies.refused({**QUICK, "name": name})["detail"]
    with pytest.raises(StudyNameError):
        study_files(tmp_path, name)


@pytest.mark.parametrize("name", ["..%2f..%2fx", "%2e%2e%2fx", "%2fetc%2fpasswd", "..%5cx", "%00"])
@pytest.mark.parametrize("path", ["", "/results", "/report", "/export/toml"])
def test_an_address_cannot_either(studies: Studies, name: str, path: str) -> None:
    answer = studies.client.get(f"/api/studies/{name}{path}")
    assert answer.status_code in (404, 422)
    assert "detail" in answer.json()


def test_links_do_not_lead_out_of_the_folder(studies: Studies, tmp_path: Path) -> None:
    secret = tmp_path / "secret.toml"
    secret.write_text("password = 1\n")
    (studies.folder / "link.toml").symlink_to(secret)
    for path in ("", "/export/toml", "/results"):
        assert "link.toml" in studies.ask("GET", f"/link{path}", 422).json()["detail"]
    said = studies.ask("DELETE", "/link", 422).json()["detail"]
    listed = {each["name"]: each for each in studies.ask("GET").json()}
    assert (listed["link"]["state"], listed["link"]["said"]) == ("faulty", said)
    (studies.folder / "link.toml").unlink()
    assert secret.exists()


def test_files_of_the_server_are_out_of_reach(studies: Studies, tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1.....3..4.....2")
    for value in (str(board), board.name, "quick.toml"):
        assert studies.refused({**QUICK, "puzzles": [{"puzzle": value}]})["path"] == "puzzles[0]"
    said = studies.refused({**QUICK, "puzzles": [{"file": str(board)}]})
    assert said["path"] == "puzzles.0.file"
    recipe = [{"recipe": "charles.toml"}]
    assert studies.refused({**QUICK, "algorithms": recipe})["path"] == "algorithms.0.recipe"


@pytest.mark.parametrize(
    "algorithm",
    [
        {"preset": "charles", "settings": {"selection": "antigravity:x"}},
        {"preset": "charles", "settings": {"selection": {"use": "antigravity:x"}}},
        {"preset": "charles", "grid": {"mutation": ["antigravity:x"]}},
        {"recipe": {"use": "antigravity:x"}},
        {"recipe": {"use": "genetic", "fitness": {"use": "antigravity:x"}}},
    ],
)
def test_parts_of_one_s_own_are_refused(studies: Studies, algorithm: dict[str, Any]) -> None:
    said = studies.refused({**QUICK, "algorithms": [algorithm]})
    assert said["path"].startswith("algorithms[0]")
    assert "antigravity:x" in said["detail"]


def test_too_much_is_refused(studies: Studies) -> None:
    grid = {f"p{place}": list(range(100)) for place in range(40)}
    large = {"preset": "charles", "settings": {"population": 100_000}}
    for body, most in (
        ({"seeds": {"count": 167}}, "1,000 runs"),
        ({"algorithms": [{"preset": "charles", "grid": grid}]}, "500 algorithms"),
        ({"puzzles": [{"generate": 1000, "size": "9"}]}, "500 puzzles"),
        ({"algorithms": [large]}, "12,345 boards"),
    ):
        assert most in studies.refused({**QUICK, **body})["detail"]


def test_a_contradictory_puzzle_is_studied_with_the_presets_of_its_report_only(
    studies: Studies,
) -> None:
    own = [{"preset": "poderosas", "grid": {"population": [20, 40]}}]
    puzzles = [{"bundled": "poderosas-easy"}, {"bundled": "poderosas-medium"}]
    body = {**QUICK, "algorithms": own, "puzzles": puzzles, "until": "generations=2"}
    found = studies.ask("POST", "/plan", json=body).json()
    assert found["ok"], found["problem"]
    assert [len(each["conflicts"]) for each in found["puzzles"]] == [6, 0]
    studies.create("contradictory", body)
    assert read_study(studies.folder / "contradictory.toml").allow_conflicts
    for other in ({"preset": "charles"}, {"preset": "nobody"}, {"recipe": {"use": "genetic"}}):
        refused = studies.ask("POST", "/plan", json={**body, "algorithms": [*own, other]}).json()
        assert not refused["ok"]


def test_what_is_wrong_is_said_in_the_laboratory_s_words(studies: Studies) -> None:
    twice = [{"preset": "annealing"}, {"preset": "annealing", "name": "again"}]
    clash = [{"puzzle": "11..............", "box": "2x2"}]
    both = [{"bundled": "charles-basic", "generate": 3}]
    nothing = [{"settings": {"population": None}}]
    for body, path, said in (
        ({"algorithms": twice}, "", "'again'"),
        ({"puzzles": clash}, "", "conflict"),
        ({"until": "apples=3"}, "", "'apples'"),
        ({"algorithms": nothing}, "algorithms[0]", "None"),
        ({"puzzles": both}, "puzzles[0]", "generate"),
    ):
        found = studies.refused({**QUICK, **body})
        assert said in found["detail"]
        assert found.get("path", "").startswith(path)


def test_the_example_of_the_documentation_can_be_run(studies: Studies) -> None:
    schemas = studies.client.get("/openapi.json").json()["components"]["schemas"]
    (example,) = schemas["EstimateRequest"]["examples"]
    found = studies.ask("POST", "/plan", json={**example, "pilot": False}).json()
    assert (found["ok"], found["planned"]) == (True, 60)


def test_a_plan_says_how_many_runs_and_how_long(studies: Studies) -> None:
    found = studies.ask("POST", "/plan", json=QUICK).json()
    assert (found["ok"], found["planned"], found["estimate"]) == (True, 12, None)
    assert re.findall(r"\d+", found["size"]) == ["3", "2", "2", "1", "2"]
    timed = studies.ask("POST", "/plan", json={**QUICK, "pilot": True}).json()["estimate"]
    assert timed["pilots"] > 0
    assert timed["cores"] == max(1, cores() - 1)  # as its driver will have
    assert 0 < timed["seconds"]["about"] <= timed["seconds"]["most"]
    assert not timed["failures"]
    wrong = studies.ask("POST", "/plan", json={**QUICK, "until": "apples=3"}).json()
    assert (wrong["ok"], wrong["planned"]) == (False, 0)
    assert "got 'apples'" in wrong["problem"]
