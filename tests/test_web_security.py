"""The web app is safe: strangers are refused, sizes are limited, text stays text."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, strategies as st
from patience import PATIENCE
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from web_server import EASY, Served, served

import genoku
from genoku.errors import GenokuError
from genoku.web.app import is_loopback, listen
from genoku.web.http_errors import RefusedError
from genoku.web.limits import Limits
from genoku.web.security import MAX_DEPTH, Rules, SecurityMiddleware, check_json

HOSTS = frozenset({"localhost:8000", "127.0.0.1:8000", "[::1]:8000"})
LOCAL = Rules(HOSTS, body=1000)
TOKEN = "sixteen-letters-or-more"
NETWORK = Rules(None, TOKEN, "genoku-8000", 1000)
OURS = "http://127.0.0.1:8000"


async def plain_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Says what it got, or does what its path says."""
    answer: Response
    if scope["path"] == "/api/fails":
        raise ValueError("a secret <script>")
    if scope["path"] == "/api/report":
        policy = "sandbox allow-scripts; frame-ancestors 'self'"
        answer = PlainTextResponse("", headers={"Content-Security-Policy": policy})
    else:
        body = (await receive())["body"]
        answer = JSONResponse({"path": scope["path"], "bytes": len(body)})
    await answer(scope, receive, send)


def ask(
    path: str = "/api/status",
    method: str = "GET",
    rules: Rules = LOCAL,
    url: str = OURS,
    content: Any = None,
    **headers: str | bytes,
) -> httpx.Response:
    """What a guarded app answers; `sec_fetch_site` is the header Sec-Fetch-Site."""
    named = [
        (name.replace("_", "-").encode(), value if isinstance(value, bytes) else value.encode())
        for name, value in headers.items()
    ]

    async def main() -> httpx.Response:
        transport = httpx.ASGITransport(SecurityMiddleware(plain_app, rules))
        async with httpx.AsyncClient(transport=transport, base_url=url) as client:
            return await client.request(method, path, content=content, headers=named)

    return asyncio.run(main())


# Who may ask


@pytest.mark.parametrize("host", [*sorted(HOSTS), "LocalHost:8000"])
def test_a_server_answers_to_its_own_names(host: str) -> None:
    assert ask(host=host).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "localhost", "localhost:80", "127.0.0.1:8000.evil", ""],
)
@pytest.mark.parametrize("path", ["/", "/api/status", "/static/js/app.js"])
def test_a_foreign_host_is_refused_whatever_it_asks_for(host: str, path: str) -> None:
    answer = ask(path, host=host)
    assert answer.status_code == 403
    assert set(answer.json()) == {"detail"}


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9000", "", "x"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_a_foreign_origin_is_refused(origin: str, method: str) -> None:
    assert ask(method=method, origin=origin).status_code == 403


def test_our_own_page_may_ask() -> None:
    answer = ask(method="POST", origin=OURS, sec_fetch_site="same-origin")
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["no-cors", "cors", "navigate"])
def test_a_page_of_another_site_cannot_ask_even_without_an_origin(site: str, mode: str) -> None:
    assert ask(sec_fetch_site=site, sec_fetch_mode=mode).status_code == 403
    assert ask("/", "POST", sec_fetch_site=site, sec_fetch_mode=mode).status_code == 403


def test_a_link_from_another_site_leads_to_our_page() -> None:
    assert ask("/", sec_fetch_site="cross-site", sec_fetch_mode="navigate").status_code == 200


# Tokens


def test_the_network_is_let_in_with_a_token_only() -> None:
    assert ask(rules=NETWORK).status_code == 401
    assert ask(rules=NETWORK, authorization="Bearer wrong").status_code == 401
    assert ask(rules=NETWORK, authorization=f"Basic {TOKEN}").status_code == 401
    assert ask(rules=NETWORK, cookie="genoku-8000=wrong").status_code == 401
    assert ask(rules=NETWORK, cookie=f"other={TOKEN}").status_code == 401
    assert ask(f"/api/status?token={TOKEN}", rules=NETWORK).status_code == 401
    assert ask(rules=NETWORK, authorization=f"Bearer {TOKEN}").status_code == 200
    assert ask(rules=NETWORK, cookie=f"genoku-8000={TOKEN}").status_code == 200


def test_a_token_in_the_address_becomes_a_cookie_that_scripts_and_other_sites_cannot_use() -> None:
    answer = ask(f"/?token={TOKEN}", rules=NETWORK)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    name, *flags = answer.headers["set-cookie"].split("; ")
    assert name == f"genoku-8000={TOKEN}"
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(flags)
    assert "set-cookie" not in ask("/?token=wrong", rules=NETWORK).headers
    assert ask("/?token=wrong", rules=NETWORK).status_code == 401


@pytest.mark.parametrize("token", ["ü".encode(), b"\xff", b"x" * 10_000, b""])
def test_strange_tokens_are_refused_like_others(token: bytes) -> None:
    assert ask(rules=NETWORK, authorization=b"Bearer " + token).status_code == 401
    assert ask(rules=NETWORK, cookie=b"genoku-8000=" + token).status_code == 401


def test_a_server_for_the_network_needs_a_token() -> None:
    with pytest.raises(GenokuError, match=r"--token \S{16,}"):
        listen("0.0.0.0", 0, "")
    with pytest.raises(GenokuError, match="16"):
        listen("0.0.0.0", 0, "short")
    with pytest.raises(GenokuError, match="digits"):
        listen("0.0.0.0", 0, "a token with a <b> in it")
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.2", "example.org", "")))


def test_a_token_is_in_the_link_and_opens_the_server_to_any_name() -> None:
    address = listen("0.0.0.0", 0, TOKEN)
    with address.socket:
        assert address.rules(Limits()).hosts is None
        for link in filter(None, (address.link, address.network_link)):  # none without a network
            assert not link.startswith(("http://0.0.0.0:", "http://[::]:"))
            assert link.endswith(f":{address.port}/?token={TOKEN}")
    address = listen("127.0.0.1", 0, "")
    with address.socket:
        assert address.link == f"http://127.0.0.1:{address.port}/"
        assert address.network_link is None
        assert f"localhost:{address.port}" in (address.rules(Limits()).hosts or ())


# What a browser may do with answers


@pytest.mark.parametrize("path", ["/", "/api/status", "/static/x.js", "/api/fails"])
def test_every_answer_says_what_a_browser_may_do_with_it(path: str) -> None:
    headers = ask(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == ("no-store" if path.startswith("/api") else "no-cache")


def test_refusals_are_protected_too() -> None:
    assert "content-security-policy" in ask(host="evil.example").headers


def test_a_report_keeps_its_own_policy_and_may_be_framed_by_us() -> None:
    headers = ask("/api/report").headers
    assert headers["content-security-policy"].startswith("sandbox")
    assert headers["x-frame-options"] == "SAMEORIGIN"


def test_an_error_of_ours_tells_strangers_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask("/api/fails")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    said = capsys.readouterr().err
    assert said == "genoku: GET /api/fails: ValueError: a secret <script>\n"


# How much at a time


def test_a_body_may_be_as_large_as_it_may() -> None:
    assert ask("/api/x", "POST", content=b"x" * 1000).json()["bytes"] == 1000


@pytest.mark.parametrize("size", [1001, 5000, 100_000])
def test_a_body_that_is_too_large_is_refused_in_words(size: int) -> None:
    answer = ask("/api/x", "POST", content=b"x" * size)
    assert answer.status_code == 413
    assert "1,000" in answer.json()["detail"]


def test_a_body_whose_length_is_not_said_is_counted() -> None:
    async def chunks() -> Any:
        for _ in range(20):
            yield b"x" * 100

    assert ask("/api/x", "POST", content=chunks()).status_code == 413


def test_a_null_character_in_an_address_is_refused() -> None:
    assert ask("/api/x%00y").status_code == 422
    assert ask("/api/x?y=%00").status_code == 422


# What is data


@pytest.mark.parametrize(
    "text",
    [
        *("NaN", "[Infinity]", '{"a": -Infinity}', "1e999", str(2**63), "9" * 5000),
        *('"\\ud800"', '{"\\udfff": 1}', '"\\u0000"', "[" * 65 + "]" * 65, "[" * 100_000),
        *("", "{", "{'a': 1}", '{"a": 1} x', '"\x01'),
    ],
)
def test_what_is_no_data_is_refused_before_anybody_reads_it(text: str) -> None:
    with pytest.raises(RefusedError, match="expected"):
        check_json(text.encode())


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(RefusedError, match="UTF-8"):
        check_json(b'{"a": "\xff"}')


WELL = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner),
    max_leaves=20,
)


@given(WELL)
def test_all_that_is_data_is_taken(data: Any) -> None:
    check_json(json.dumps(data).encode())


def test_data_may_be_deep_but_not_bottomless() -> None:
    check_json(b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1))


# The app itself


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The app with strict limits."""
    folder = tmp_path_factory.mktemp("web") / "data"
    (folder.parent / "secret.txt").write_text("treasure")
    (folder.parent / "secret.db").write_text("treasure")
    limits = Limits(live_workers=1, job_workers=1, sessions=4, body=10_000, run_seconds=5)
    with served(folder, limits) as running:
        yield running


def test_a_foreign_host_reaches_nothing_through_a_real_socket(server: Served) -> None:
    got = server.exchange("GET / HTTP/1.1", "Host: evil.example", "Connection: close")
    assert got.startswith(b"HTTP/1.1 403")
    got = server.exchange("GET / HTTP/1.0")
    assert got.startswith(b"HTTP/1.1 403")


def test_a_chunked_body_that_is_too_large_is_refused(server: Served) -> None:
    lines = ["POST /api/runs HTTP/1.1", f"Host: 127.0.0.1:{server.address.port}"]
    lines += ["Content-Type: application/json", "Transfer-Encoding: chunked", "Connection: close"]
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    got = server.exchange(*lines, body=chunk * 5 + b"0\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("length", [10_001, 99_999_999_999])
def test_a_body_that_says_it_is_too_large_is_refused(server: Served, length: int) -> None:
    lines = ["POST /api/runs HTTP/1.1", f"Host: 127.0.0.1:{server.address.port}"]
    lines += [f"Content-Length: {length}", "Connection: close"]
    got = server.exchange(*lines, body=b" " * min(length, 20_000))
    assert got.startswith(b"HTTP/1.1 413")


WAYS_OUT = [
    *("..%2fsecret.txt", "..%2f..%2fsecret.txt", "%2e%2e%2fsecret.db", "..%5csecret.txt", ".."),
    *("....//secret.txt", "secret.db%00", "%252e%252e%252fsecret.db", "%2fetc%2fpasswd"),
    *("..%c0%afsecret.txt", "con", "a" * 500, "%ff"),
]


def paths_of(app: Any) -> list[tuple[str, str]]:
    """Every operation of the API that has a parameter in its path."""
    found = [
        (method.upper(), path)
        for path, operations in app.openapi()["paths"].items()
        for method in operations
        if "{" in path
    ]
    assert len(found) > 15
    return found


def filled(path: str, way: str) -> Iterator[str]:
    """A path with a way out in the place of each of its parameters."""
    parts = path.split("/")
    for place, part in enumerate(parts):
        if part.startswith("{"):
            others = ["0" if each.startswith("{") else each for each in parts]
            yield "/".join([*others[:place], way, *others[place + 1 :]])


def test_no_path_leads_out_of_the_folders(server: Served) -> None:
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        for method, path in paths_of(server.app):
            for way in WAYS_OUT:
                for tried in filled(path, way):
                    answer = client.request(method, tried, json={} if method == "POST" else None)
                    assert 300 < answer.status_code < 500, (method, tried, answer.text)
                    assert "treasure" not in answer.text


@pytest.mark.parametrize("way", WAYS_OUT)
def test_static_files_are_those_of_the_page_only(server: Served, way: str) -> None:
    target = f"/static/{way}"
    lines = [f"GET {target} HTTP/1.1", f"Host: 127.0.0.1:{server.address.port}"]
    got = server.exchange(*lines, "Connection: close")
    assert got.split()[1] in (b"404", b"422", b"400")


SCRIPT = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/runs", {"puzzle": SCRIPT}),
        ("/api/runs", {"puzzle": EASY, "preset": SCRIPT}),
        ("/api/runs", {"puzzle": EASY, "settings": {SCRIPT: 1}}),
        ("/api/runs", {"puzzle": EASY, "until": SCRIPT}),
        ("/api/races", {"puzzle": EASY, "lanes": [{"preset": SCRIPT}, {"preset": SCRIPT}]}),
        ("/api/puzzles/parse", {"text": SCRIPT}),
        ("/api/studies", {"name": SCRIPT}),
    ],
)
def test_a_script_comes_back_as_json_only(server: Served, path: str, body: Any) -> None:
    answer = httpx.post(server.url + path, json=body, timeout=PATIENCE)
    assert answer.status_code < 500
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_run_may_be_called_anything(server: Served) -> None:
    answer = httpx.post(
        server.url + "/api/runs",
        json={"puzzle": EASY, "name": SCRIPT, "paused": True},
        timeout=PATIENCE,
    )
    assert answer.status_code == 200
    assert answer.json()["name"] == SCRIPT
    assert answer.headers["content-type"] == "application/json"
    assert httpx.delete(f"{server.url}/api/runs/{answer.json()['id']}").status_code == 204


def test_the_page_and_all_it_loads_has_no_script_or_style_of_its_own_in_it(server: Served) -> None:
    page = httpx.get(server.url).text
    assert "<style" not in page
    assert " style=" not in page
    assert " on" not in page.replace(" only", "")
    assert page.count("<script") == page.count('<script type="module" src="/static/')
    scripts = list((Path(genoku.__file__).parent / "web" / "static").rglob("*.js"))
    assert len(scripts) > 50
    for file in scripts:
        text = file.read_text("utf-8")
        for never in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert never not in text, file
        assert file.name == "dom.js" or "DOMParser" not in text, file  # where markup is cleaned
