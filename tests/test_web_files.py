"""What can be taken home of a run: pictures, the history, the recipe and a film."""

from __future__ import annotations

import io
import json
import re
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from sessions import open_session
from web_server import EASY, client_of

from genoku.evolve.fitness import MAP_COLOURS
from genoku.web import app
from genoku.web.handlers import files
from genoku.web.live.plan import RunPlan

WHOLE_RUN = ("puzzle", "box", "until", "seed", "recipe")
NAMES = ("board.svg", "board.png", "solution.txt", "history.csv", "recipe.toml", "run.gif")
SCRIPT = 'x"; filename="<script>alert(1)</script>\r\nSet-Cookie: a=b; ünïcode'


class Asker:
    """Starts runs, waits for their end, and takes home their files."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def run(self, **plan: Any) -> str:
        answer = self.client.post("/api/runs", json=plan)
        assert answer.status_code == 200, answer.text
        identity: str = answer.json()["id"]
        while self.client.get(f"/api/runs/{identity}").json()["frame"]["phase"] != "ended":
            time.sleep(0.05)
        return identity

    def file(self, identity: str, name: str, **query: str) -> httpx.Response:
        answer = self.client.get(f"/api/runs/{identity}/files/{name}", params=query)
        assert answer.status_code == 200, answer.text
        return answer


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with client_of(tmp_path_factory.mktemp("files")) as client:
        yield Asker(client)


@pytest.fixture(scope="module")
def evolved(ask: Asker) -> str:
    """A genetic algorithm that does not solve its puzzle in 25 generations."""
    return ask.run(
        puzzle="charles-hard",
        preset="charles",
        settings={"population": 40, "crossover.rate": 0.5},
        until="generations=25",
        seed=3,
    )


def test_every_file_has_a_name_and_a_kind_of_its_own(ask: Asker, evolved: str) -> None:
    for name in NAMES:
        answer = ask.file(evolved, name)
        said = answer.headers["content-disposition"]
        assert said == f'attachment; filename="genoku-charles-charles-hard-seed3-{name}"'
        assert answer.content
    assert ask.file(evolved, "board.svg").headers["content-type"] == "image/svg+xml"
    assert ask.file(evolved, "history.csv").headers["content-type"].startswith("text/csv")


def test_the_history_is_the_command_lines_byte_for_byte(
    ask: Asker, evolved: str, genoku: Any
) -> None:
    words = "--preset charles --set population=40 --set crossover.rate=0.5 --until generations=25"
    genoku("evolve", "charles-hard", *words.split(), "--seed", "3", "--history", "run.csv")
    assert ask.file(evolved, "history.csv").content == Path("run.csv").read_bytes()


def test_the_recipe_is_one_that_the_command_line_runs_to_the_same_end(
    ask: Asker, evolved: str, genoku: Any
) -> None:
    Path("mine.toml").write_bytes(ask.file(evolved, "recipe.toml").content)
    genoku("evolve", "--recipe", "mine.toml", "--history", "run.csv")
    assert ask.file(evolved, "history.csv").content == Path("run.csv").read_bytes()
    run = ask.client.get(f"/api/runs/{evolved}").json()
    run |= run["lanes"][0] | {"name": run["name"]}
    read = ask.client.post("/api/recipes/read", json={"text": Path("mine.toml").read_text("utf-8")})
    again = read.json()
    assert again["puzzle_name"] == "charles-hard"
    assert {key: again[key] for key in WHOLE_RUN} == {key: run[key] for key in WHOLE_RUN}


def test_a_recipe_names_no_puzzle_that_the_command_line_does_not_know(
    ask: Asker, genoku: Any
) -> None:
    identity = ask.run(puzzle=EASY, name="ai-escargot", until="seconds=5")
    Path("mine.toml").write_bytes(ask.file(identity, "recipe.toml").content)
    said = genoku("solve", "--recipe", "mine.toml", "--json")
    assert said.code == 0
    assert json.loads(said.out)["puzzle"] == EASY
    assert 'ai-escargot"' not in Path("mine.toml").read_text("utf-8").partition("[recipe]")[0]


def test_pictures_can_be_opened_and_have_the_colours_asked_for(ask: Asker, evolved: str) -> None:
    for palette, colours in (("003", MAP_COLOURS), ("safe", files.SAFE_COLOURS)):
        svg = ask.file(evolved, "board.svg", palette=palette).text
        ET.fromstring(svg)
        used = set(re.findall(r'<path fill="(#\w{6})"', svg))
        assert used & set(colours)
        png = Image.open(io.BytesIO(ask.file(evolved, "board.png", palette=palette).content))
        assert png.format == "PNG"
        raw = png.convert("RGB").tobytes()
        found = {f"#{raw[i : i + 3].hex()}" for i in range(0, len(raw), 3)}
        assert used & set(colours) <= found


def test_the_safe_colours_are_those_of_the_page() -> None:
    text = (app.STATIC / "js" / "prefs.js").read_text("utf-8")
    safe = re.search(r"safe: .*?colours: \[(.*?)\]", text)
    assert safe is not None
    assert tuple(re.findall(r"#\w{6}", safe[1])) == files.SAFE_COLOURS


def test_the_film_is_a_gif_of_several_frames(ask: Asker, evolved: str) -> None:
    for palette in ("003", "safe"):
        gif = Image.open(io.BytesIO(ask.file(evolved, "run.gif", palette=palette).content))
        assert gif.format == "GIF"
        assert getattr(gif, "n_frames", 1) > 3


def test_the_solution_is_a_board_that_can_be_read_again(ask: Asker) -> None:
    identity = ask.run(puzzle=EASY, until="seconds=5")
    said = ask.file(identity, "solution.txt").text
    assert said.splitlines()[0].endswith("seed 0: solved")
    digits = said.split()[-1]
    checked = ask.client.post("/api/puzzles/check", json={"puzzle": digits})
    assert checked.status_code == 200
    assert "." not in digits


def test_a_script_in_a_name_stays_out_of_headers_and_pictures(ask: Asker) -> None:
    identity = ask.run(puzzle=EASY, name=SCRIPT[:200], until="seconds=5")
    for name in NAMES:
        answer = ask.file(identity, name)
        said = answer.headers["content-disposition"]
        assert re.fullmatch(r'attachment; filename="[A-Za-z0-9.-]+"', said), said
        assert "set-cookie" not in answer.headers
        assert len(said) < 150
    assert "<script" not in ask.file(identity, "board.svg").text
    assert ask.file(identity, "recipe.toml").text.count("\n[recipe]") == 1


def test_files_of_nothing_and_unknown_files_are_refused(ask: Asker, evolved: str) -> None:
    assert ask.client.get(f"/api/runs/{evolved}/files/passwd").status_code == 422
    assert ask.client.get("/api/runs/nobody/files/board.svg").status_code == 404
    answer = ask.client.get(f"/api/runs/{evolved}/files/board.svg", params={"palette": "red"})
    assert answer.status_code == 422


def test_a_missing_extra_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from genoku import errors
    from genoku.errors import MissingExtraError

    monkeypatch.setattr(errors, "find_spec", lambda _name: None)
    session = open_session(RunPlan(puzzle=EASY), tmp_path)
    for name in ("board.png", "run.gif"):
        with pytest.raises(MissingExtraError, match=r"genoku\[lab\]"):
            files.run_file(name, session.facts(), session.result())
    assert files.run_file("board.svg", session.facts(), session.result())
