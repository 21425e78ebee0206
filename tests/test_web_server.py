"""The server: sessions that come, stay and go, and its command."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE
from strategies import in_another_process
from web_server import EASY, HARD, Served, client_of, served

from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.workers import Job
from genoku.web.limits import Limits

SLOW = {"puzzle": HARD, "preset": "simon", "until": "seconds=60", "seed": 1}
"""A run that goes on for as long as a test needs it."""
MOMENT = 0.02
COMMAND = (sys.executable, "-m", "genoku", "serve", "--no-browser")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with room for three sessions."""
    limits = Limits(live_workers=1, job_workers=1, sessions=3, grace=60)
    with served(tmp_path_factory.mktemp("server"), limits) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as asking:
        yield asking
        for identity in list(server.app.state.services.sessions._sessions):
            asking.delete(f"/api/runs/{identity}")
            asking.delete(f"/api/races/{identity}")


def started(client: httpx.Client, **more: Any) -> dict[str, Any]:
    answer = client.post("/api/runs", json={**SLOW, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def until(true: Any) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(MOMENT)


@contextmanager
def events(client: httpx.Client, path: str) -> Iterator[Iterator[tuple[str, Any]]]:
    """What a stream says: pairs of an event's name and its data."""

    def read(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
        name = "message"
        for line in lines:
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])
                name = "message"

    with client.stream("GET", f"{path}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield read(answer.iter_lines())


# Sessions


def test_a_run_is_started_watched_controlled_and_closed(client: httpx.Client) -> None:
    run = started(client)
    path = f"/api/runs/{run['id']}"
    assert run["kind"] == "run"
    assert run["side"] == 9
    assert len(run["digits"]) == 81
    with events(client, path) as told:
        frames = [next(told)[1] for _ in range(5)]
    assert [each["seq"] for each in frames] == sorted({each["seq"] for each in frames})
    paused = client.post(f"{path}/control", json={"do": "pause"}).json()
    assert paused["phase"] == "paused"
    stepped = client.post(f"{path}/control", json={"do": "step", "steps": 3}).json()
    assert stepped["lanes"][0]["step"] == paused["lanes"][0]["step"] + 3
    assert client.get(path).json()["frame"]["phase"] == "paused"
    assert (
        client.post(f"{path}/control", json={"do": "speed", "speed": 10}).json()["speed_limit"]
        == 10
    )
    assert client.post(f"{path}/control", json={"do": "resume"}).json()["phase"] == "running"
    assert client.post(f"{path}/control", json={"do": "stop"}).json()["phase"] == "ended"
    assert len(client.get(f"{path}/curve").json()["step"]) > 1
    assert client.get(f"{path}/population?count=3").json()["size"] == run["lanes"][0]["population"]
    assert client.get(f"{path}/individuals/0").json()["cost"] >= 0
    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == 404


def test_a_race_is_one_stream_and_has_a_winner(client: httpx.Client) -> None:
    lanes = [{"preset": "champion"}, {"preset": "exact"}]
    asked = {"puzzle": EASY, "lanes": lanes, "until": "seconds=2", "seed": 1}
    race = client.post("/api/races", json=asked).json()
    assert [lane["preset"] for lane in race["lanes"]] == ["champion", "exact"]
    with events(client, f"/api/races/{race['id']}") as told:
        last = next(frame for _, frame in told if frame["phase"] == "ended")
    assert last["winner"] in (0, 1)
    assert last["by"] == "solution"
    assert client.get(f"/api/runs/{race['id']}").status_code == 404, "a race is no run"
    assert client.delete(f"/api/races/{race['id']}").status_code == 204


def test_more_sessions_than_the_limit_are_refused_in_words(client: httpx.Client) -> None:
    runs = [started(client, paused=True) for _ in range(3)]
    refused = client.post("/api/runs", json=SLOW)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert client.get("/api/status").json()["sessions"] == 3
    client.delete(f"/api/runs/{runs[0]['id']}")
    assert started(client, paused=True)["id"] not in {run["id"] for run in runs}


def test_a_plan_that_cannot_be_run_takes_no_place(client: httpx.Client) -> None:
    for bad in ({"puzzle": "12"}, {"preset": "nobody"}, {"settings": {"x": 1}}, {"until": "tea"}):
        for _ in range(4):
            answer = client.post("/api/runs", json={**SLOW, **bad})
            assert answer.status_code == 422, answer.text
            assert answer.json()["detail"]
    assert client.get("/api/status").json()["sessions"] == 0


def test_a_contradictory_puzzle_runs_with_the_presets_of_its_report_only(
    client: httpx.Client,
) -> None:
    puzzle = bundled()["poderosas-easy"].puzzle
    asked = {"puzzle": str(puzzle), "preset": "poderosas", "paused": True}
    for settings in ({}, {"population": 50}):
        run = started(client, **asked, settings=settings)
        assert run["conflicts"] == [f"{each}." for each in puzzle.conflicts()]
        client.delete(f"/api/runs/{run['id']}")
    assert started(client, **asked | {"puzzle": EASY})["conflicts"] == []
    for other in ({"preset": "charles"}, {"recipe": {"use": "genetic"}}):
        refused = client.post("/api/runs", json={**SLOW, **asked, **other})
        assert refused.status_code == 422
        assert all(str(each) in refused.json()["detail"] for each in puzzle.conflicts())
        started(client, **asked | other, allow_conflicts=True)


def test_a_race_on_a_contradictory_puzzle_needs_lanes_of_its_report(client: httpx.Client) -> None:
    asked = {"puzzle": "poderosas-easy", "until": "cpu_seconds=60", "paused": True}
    lanes = [{"preset": "poderosas"}, {"preset": "poderosas-skip"}]
    race = client.post("/api/races", json={**asked, "lanes": lanes})
    assert race.status_code == 200, race.text
    assert len(race.json()["conflicts"]) == 6
    lanes[1] = {"preset": "champion"}
    assert client.post("/api/races", json={**asked, "lanes": lanes}).status_code == 422


def test_a_listener_hears_when_its_run_is_closed(client: httpx.Client) -> None:
    run = started(client, paused=True)
    path = f"/api/runs/{run['id']}"
    with events(client, path) as told:
        assert next(told)[0] == "message"
        client.delete(path)
        *_, last = told
    assert last[0] == "gone"
    assert last[1]


def test_a_slow_listener_skips_frames_and_queues_none(client: httpx.Client, server: Served) -> None:
    run = started(client, paused=True)
    session = server.app.state.services.sessions.find(run["id"], "run")
    count, padding = 4000, "x" * 5000

    async def make_frames(first: int) -> None:
        for number in range(first, count + 1):
            session.frame = {"seq": number, "padding": padding}
            session.wake()
            await asyncio.sleep(0)

    def make(first: int) -> None:
        asyncio.run_coroutine_threadsafe(make_frames(first), server.loop).result(PATIENCE)

    with server.connected() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asked = f"GET /api/runs/{run['id']}/events HTTP/1.1"
        line.sendall(f"{asked}\r\nHost: {server.url[7:]}\r\n\r\n".encode())
        got = line.recv(100)
        assert b"200 OK" in got
        make(first=1)
        end = time.monotonic() + PATIENCE
        while f'"seq":{count},'.encode() not in got and time.monotonic() < end:
            got += line.recv(65536)
            make(first=count)  # a frame of the run itself may have replaced the newest
    seen = [int(each) for each in re.findall(rb'"seq":(\d+),', got)]
    assert seen[-1] == count, "it has the newest"
    assert len(seen) < count / 4, "but few of those before"


# Grace, and coming back


def test_a_run_that_nobody_listens_to_is_put_away_and_can_be_resumed(tmp_path: Path) -> None:
    limits = Limits(live_workers=1, job_workers=1, grace=0.4)
    with client_of(tmp_path, limits) as client:
        run = started(client)
        path = f"/api/runs/{run['id']}"
        with events(client, path) as told:
            step = next(frame for _, frame in told if frame["lanes"][0]["step"] > 5)["lanes"][0][
                "step"
            ]
        until(lambda: client.get("/api/status").json()["sessions"] == 0)
        gone = client.get(path)
        assert gone.status_code == 404
        assert gone.json()["resumable"] is True
        until(lambda: client.get(path).json()["step"] >= step)  # once it is written
        gone = client.get(path)
        assert "simon" in gone.json()["title"]
        assert client.post(f"{path}/control", json={"do": "pause"}).status_code == 404
        back = client.post(f"{path}/restore")
        assert back.status_code == 200, back.text
        assert back.json()["id"] == run["id"]
        assert client.post(f"{path}/restore").json()["id"] == run["id"], "twice is once"
        client.delete(path)
        assert client.get(path).json()["resumable"] is False
        assert client.post(f"{path}/restore").status_code == 404


def test_a_run_is_kept_as_long_as_somebody_says_so(tmp_path: Path) -> None:
    limits = Limits(live_workers=1, job_workers=1, grace=PATIENCE)
    with served(tmp_path, limits) as server, httpx.Client(base_url=server.url) as client:
        client.timeout = httpx.Timeout(PATIENCE)
        run = started(client)
        session = server.app.state.services.sessions._sessions[run["id"]]
        session.last_used -= PATIENCE / 2
        before = session.last_used
        assert client.post(f"/api/runs/{run['id']}/keep").json() == {"seconds": PATIENCE}
        assert session.last_used >= before + PATIENCE / 2
        session.last_used -= 2 * PATIENCE  # nobody has asked for that long
        until(lambda: not session.is_open)


def test_a_run_survives_a_restart_of_the_server_but_is_not_run_by_itself(tmp_path: Path) -> None:
    limits = Limits(live_workers=1, job_workers=1)
    with client_of(tmp_path, limits) as client:
        run = started(client)
        path = f"/api/runs/{run['id']}"
        with events(client, path) as told:
            next(frame for _, frame in told if frame["lanes"][0]["step"] > 5)
    with client_of(tmp_path, limits) as client:
        assert client.get("/api/status").json()["sessions"] == 0
        gone = client.get(path)
        assert gone.status_code == 404
        assert gone.json()["resumable"] is True
        back = client.post(f"{path}/restore").json()
        assert back["seed"] == run["seed"]
        with events(client, path) as told:
            frame = next(frame for _, frame in told if frame["phase"] != "waiting")
        assert frame["phase"] == "paused"
        assert frame["lanes"][0]["step"] >= gone.json()["step"] > 5


def test_what_nobody_comes_back_for_is_cleared_away(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for name, age in (("old", 100.0), ("new", 1.0)):
        (folder / f"{name}.json").write_text("{}")
        os.utime(folder / f"{name}.json", (time.time() - age, time.time() - age))
    with served(tmp_path, Limits(live_workers=1, job_workers=1, kept=50.0)):
        until(lambda: not (folder / "old.json").exists())
        assert (folder / "new.json").exists()


# Questions


def test_a_question_is_dropped_when_its_asker_goes(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = server.app.state.services.jobs
    asked: list[Job] = []
    submit = jobs.pool.submit

    def submit_and_note(*call: Any) -> Job:
        asked.append(submit(*call))
        return asked[-1]

    monkeypatch.setattr(jobs.pool, "submit", submit_and_note)
    body = json.dumps({"puzzle": "." * 36**2}).encode()
    with server.connected() as line:
        line.sendall(
            f"POST /api/puzzles/check HTTP/1.1\r\nHost: {server.url[7:]}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        until(lambda: asked and asked[0].started.done())
    until(lambda: jobs.waiting == 0 and asked[0].done())
    assert httpx.get(f"{server.url}/api/status", timeout=PATIENCE).status_code == 200


# The command


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Any]:
    """Start `genoku serve` as a process of its own, and end it after the test at the latest."""
    running: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*COMMAND, "--dir", str(tmp_path / "data"), *words],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_command_serves_until_ctrl_c_and_leaves_nobody(command: Any) -> None:
    process = command("--port", "0")
    line = process.stderr.readline()
    url = re.search(r"http://127\.0\.0\.1:\d+/", line)
    assert url, line
    with httpx.Client(base_url=url[0], timeout=PATIENCE) as client:
        assert "genoku" in client.get("/").text
        run = started(client)
        with events(client, f"/api/runs/{run['id']}") as told:
            next(told)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to everybody
            with suppress(httpx.HTTPError):  # the stream ends, in order or not
                list(told)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert said == "stopped\n"
    until(lambda: not group_lives(process.pid))


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_port_that_is_taken_is_said_in_a_line(command: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        _, said = command("--port", str(port)).communicate(timeout=PATIENCE)
    assert said == f"genoku: port {port} is in use by other programs: choose another with --port\n"


def test_without_a_certain_port_the_next_free_one_is_taken(monkeypatch: Any) -> None:
    from genoku.web import app

    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(app, "PORT", taken.getsockname()[1])
        address = app.listen("127.0.0.1", None, "")
        with address.socket:
            assert app.PORT < address.port < app.PORT + app.PORTS_TRIED


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--host", "0.0.0.0"), "requires a token of your own, for example: --token "),
        (("--host", "0.0.0.0", "--token", "short"), "--token: expected at least 16"),
        (("--host", "no such host"), "requires a token"),
        (("--port", "70000"), "70000 is not in the range"),
        (("--sessions", "0"), "0 is not in the range"),
        (("--dir", "/dev/null/x"), "--dir /dev/null/x: Not a directory"),
    ],
)
def test_bad_options_are_said_in_words(genoku: Any, words: tuple[str, ...], said: str) -> None:
    done = genoku("serve", "--no-browser", *words)
    assert done.code == 2
    assert said in done.err


def test_without_its_libraries_the_command_says_what_to_install(
    genoku: Any, monkeypatch: Any
) -> None:
    from genoku import errors

    monkeypatch.setattr(errors, "find_spec", lambda _name: None)
    done = genoku("serve")
    assert done.code == 2
    assert 'pip install "genoku[web]"' in done.err


def test_the_server_itself_imports_nothing_heavy() -> None:
    loaded = in_another_process("import genoku.web.app; import sys; print(*sys.modules)").split()
    assert "fastapi" in loaded
    assert not {"numba", "scipy", "matplotlib", "pysat"} & set(loaded)
