"""Attacks on the server: whoever makes them is refused, and everybody else goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html import escape
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE
from web_server import EASY, HARD, Served, served

from genoku.web import app
from genoku.web.limits import Limits

SLOW = {"puzzle": HARD, "preset": "simon", "until": "seconds=60", "seed": 1}
MOMENT = 0.02


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(
        tmp_path_factory.mktemp("attacked"), Limits(live_workers=1, job_workers=1)
    ) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as asking:
        yield asking
        for identity in list(server.app.state.services.sessions._sessions):
            asking.delete(f"/api/runs/{identity}")


def started(client: httpx.Client) -> Any:
    answer = client.post("/api/runs", json=SLOW)
    assert answer.status_code == 200, answer.text
    return answer.json()


def until(true: Callable[[], object]) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(MOMENT)


@pytest.mark.parametrize("speed", [1e-300, 5e-324, 9e-4, 0, -1, 1.1e6, 1e300])
def test_a_speed_that_nobody_could_wait_for_kills_no_stage(
    client: httpx.Client, server: Served, speed: float
) -> None:
    other, attacked = started(client), started(client)
    pids = server.app.state.services.sessions.pids
    path = f"/api/runs/{attacked['id']}"
    refused = client.post(f"{path}/control", json={"do": "speed", "speed": speed})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("speed: ")
    assert client.post("/api/runs", json={**SLOW, "speed": speed}).status_code == 422

    def steps() -> list[int]:
        paths = [f"/api/runs/{run['id']}/curve" for run in (other, attacked)]
        return [client.get(each).json()["step"][-1] for each in paths]

    before = steps()
    until(lambda: all(now > then for now, then in zip(steps(), before, strict=True)))
    assert server.app.state.services.sessions.pids == pids


@pytest.mark.parametrize("half", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nA: "])
@pytest.mark.parametrize("asked_before", [False, True])
def test_who_never_ends_the_headers_is_hung_up_on(
    server: Served,
    client: httpx.Client,
    monkeypatch: pytest.MonkeyPatch,
    half: bytes,
    asked_before: bool,
) -> None:
    if asked_before and not half:
        return  # which is a connection that is kept alive
    monkeypatch.setattr(app, "HEADER_SECONDS", 0.5)
    whole = f"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:{server.address.port}\r\n\r\n"
    run = started(client)
    with ExitStack() as lines:
        attack = [lines.enter_context(server.connected()) for _ in range(20)]
        watching = client.stream("GET", f"/api/runs/{run['id']}/events")
        frames = lines.enter_context(watching).iter_lines()
        for each in attack:
            if asked_before:
                each.sendall(whole.encode())
                assert each.recv(65536).startswith(b"HTTP/1.1 200")
            each.sendall(half)
        for each in attack:
            while each.recv(65536):
                pass  # until it is closed
        for _ in range(30):
            assert next(frames) is not None, "who asked in full is served on"
    assert client.get("/api/status").status_code == 200


def test_what_a_proxy_would_say_is_not_believed(server: Served) -> None:
    port = server.address.port
    answer = server.exchange(
        "GET /api/status HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Origin: https://127.0.0.1:{port}",
        "X-Forwarded-Proto: https",
        "X-Forwarded-For: 10.0.0.1",
        "Connection: close",
    )
    assert answer.startswith(b"HTTP/1.1 403")


@pytest.mark.release
def test_a_check_is_answered_while_large_puzzles_are_being_made(tmp_path: Path) -> None:
    asked = b'{"size": 36}'
    head = "\r\n".join(
        [
            "POST /api/puzzles/generate HTTP/1.1",
            "Host: 127.0.0.1:{}",
            "Content-Type: application/json",
            f"Content-Length: {len(asked)}",
            *("", ""),
        ]
    )
    limits = Limits(live_workers=1, job_workers=2, answer_seconds=300)
    with served(tmp_path, limits) as server, ExitStack() as lines:
        slow = [lines.enter_context(server.connected()) for _ in range(3)]
        for each in slow:
            each.sendall(head.format(server.address.port).encode() + asked)
        jobs = server.app.state.services.jobs
        until(lambda: jobs._leave.locked() and jobs.waiting == 1)  # two are being made
        with httpx.Client(base_url=server.url, timeout=PATIENCE) as asking:
            checked = asking.post("/api/puzzles/check", json={"puzzle": EASY}).json()
        assert checked["clashes"] == []
        for each in slow:
            each.setblocking(False)
            with pytest.raises(BlockingIOError):
                each.recv(1)


def test_a_script_in_an_address_is_text_on_the_page_that_refuses_it(client: httpx.Client) -> None:
    script = "<img src=x onerror=alert(1)>"
    answer = client.get(f"/api/presets/{script}", headers={"Accept": "text/html,*/*;q=0.8"})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert escape(script) in answer.text
    assert script not in answer.text
    as_json = client.get(f"/api/presets/{script}", headers={"Accept": "*/*"})
    assert script in as_json.json()["detail"]
