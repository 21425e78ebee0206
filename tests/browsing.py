"""A real server and a real browser for the tests, and a watch that nothing goes wrong in it."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright
from short_studies import everybody_is_gone

from genoku.runtime.jit import JIT_IS_ON

BROWSERS = (
    *("chromium-headless-shell", "chrome-headless-shell"),
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
)
"""Those without windows first: the same engine with a third of the CPU time."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)
PATIENCE = 120_000
"""Milliseconds for what takes a quiet machine a second, or ten where it compiles."""
QUESTIONS = (Path(__file__).parent / "data" / "page.js").read_text("utf-8").split("\n", 1)[1]
DESKTOP = (1280, 900)
PHONE = (360, 740)
REST = "#/reports"
"""Where the page that tests share is between them: nothing moves there, or is stored."""


class Server:
    """`genoku serve` as a process, and a group, of its own."""

    def __init__(self, folder: Path, *words: str, port: int = 0) -> None:
        command = [sys.executable, "-m", "genoku", "serve", *words, "--no-browser"]
        command += ["--port", str(port), "--dir", str(folder)]
        self.folder = folder
        self.said = folder.with_suffix(".log")
        with self.said.open("a", encoding="utf-8") as log:
            place = log.tell()
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )
        self.address = self._address(place)
        self.url = re.sub(r"[/?#]*$", "", self.address.split("?")[0].split("#")[0])
        self.port = int(self.url.rsplit(":", 1)[1])

    def _address(self, place: int) -> str:
        """What the server says it listens on, once it does."""
        with self.said.open(encoding="utf-8") as log:
            log.seek(place)
            text = ""
            while True:
                ended = self.process.poll() is not None
                text += log.read()
                found = re.search(r"https?://[^\s/]+:\d+\S*(?=\s)", text)
                if found:
                    return found[0]
                assert not ended, f"genoku serve ended at once:\n{text}"
                self._moment()

    def _moment(self, seconds: float = 0.05) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def stop(self) -> int:
        """End it as Ctrl-C does; its exit code."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(60)
        finally:
            self.kill()

    def everybody_is_gone(self) -> bool:
        """Whether the server and all that it started have ended."""
        return everybody_is_gone(self.process.pid)

    def kill(self) -> None:
        """End it, and all that it has started, without a word."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Trouble:
    """What a browser complains of, and whom it talks to: a page gives no cause for either."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def watch(self, context: BrowserContext, origin: str) -> None:
        context.on("console", self._console)
        context.on("weberror", lambda error: self.told.append(f"error: {error.error}"))
        context.on("request", lambda request: self._request(request, origin))
        context.on("requestfailed", self._failed)
        context.on("response", self._response)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning", "assert"):
            self.told.append(f"console {message.type}: {message.text} {message.location}")

    def _request(self, request: Any, origin: str) -> None:
        if not request.url.startswith((origin + "/", "data:", "blob:")):
            self.told.append(f"request beyond its own origin: {request.url}")

    def _failed(self, request: Any) -> None:
        # What the page itself gives up is no failure: a stream it no longer listens to, a download.
        if request.failure != "net::ERR_ABORTED":
            self.told.append(f"request failed: {request.method} {request.url}: {request.failure}")

    def _response(self, response: Any) -> None:
        if response.status >= 400:
            method = response.request.method
            self.told.append(f"answer {response.status} to {method} {response.url}")

    def excuse(self, pattern: str) -> None:
        """Take out what a test means to provoke, of which there must be some."""
        left = [line for line in self.told if not re.search(pattern, line)]
        assert len(left) < len(self.told), f"expected {pattern}, got {self.told}"
        self.told = left


def chromium_path() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The machine's own browser, started once."""
    if not JIT_IS_ON:
        pytest.skip("runs take minutes where nothing is compiled")
    found = chromium_path()
    if not found:
        why = f"no chromium found: looked for {', '.join(BROWSERS)}"
        # Continuous integration installs one, so there it is a fault.
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(why)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def at_hand(chromium: Browser) -> Iterator[Browser]:
    """The browser, without its event loop in the way of other tests.

    Playwright's loop counts as running in this thread for as long as the browser is open, and
    asyncio allows no second one.
    """
    loop = chromium._impl_obj._loop
    asyncio._set_running_loop(loop)
    yield chromium
    asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def server(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server that most tests share."""
    running = Server(tmp_path_factory.mktemp("served"))
    yield running
    assert running.stop() == 0, running.said.read_text("utf-8")


@pytest.fixture(scope="session")
def watch() -> Trouble:
    """Who watches all pages, for one test after another."""
    return Trouble()


@pytest.fixture
def trouble(watch: Trouble) -> Iterator[Trouble]:
    """All that went wrong on a test's pages, which is to be nothing."""
    watch.told = []
    yield watch
    assert not watch.told, "\n".join(watch.told)


Visit = Callable[..., Page]
Turn = Callable[[str], Page]


def opened(
    browser: Browser,
    place: str,
    *,
    origin: str,
    trouble: Trouble,
    theme: str = "light",
    size: tuple[int, int] = DESKTOP,
) -> Page:
    """A place in a window of its own, of somebody who has never been there."""
    context = browser.new_context(
        base_url=origin,
        color_scheme="dark" if theme == "dark" else "light",
        viewport={"width": size[0], "height": size[1]},
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(PATIENCE)
    trouble.watch(context, origin)
    page = context.new_page()
    page.goto(f"/{place}")
    shown(page)
    return page


@pytest.fixture
def visit(at_hand: Browser, server: Server, trouble: Trouble) -> Iterator[Visit]:
    """Open a page as somebody else: `visit("#/race", theme="dark", size=PHONE)`."""
    pages: list[Page] = []

    def visited(
        place: str = "#/solve",
        theme: str = "light",
        size: tuple[int, int] = DESKTOP,
        origin: str = server.url,
    ) -> Page:
        page = opened(at_hand, place, origin=origin, trouble=trouble, theme=theme, size=size)
        pages.append(page)
        return page

    yield visited
    for each in pages:
        each.context.close()


@pytest.fixture(scope="session")
def tab() -> list[Page]:
    """The page that tests share, once one of them has opened it."""
    return []


@pytest.fixture
def turn(
    at_hand: Browser,
    server: Server,
    trouble: Trouble,
    tab: list[Page],
    request: pytest.FixtureRequest,
) -> Iterator[Turn]:
    """Turn the page that tests share to a place, as a link in it does: `turn("#/race")`.

    That costs a tenth of loading a page. Nothing stored is left of the tests before, but the
    preferences and the browser's history are: tests of these `visit`, and so do those of loading.
    """
    failed = request.session.testsfailed
    heading = "The five reports"

    def turned(place: str) -> Page:
        if not tab:
            tab.append(opened(at_hand, REST, origin=server.url, trouble=trouble))
        page = tab[0]
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
        page.evaluate("(place) => { location.hash = place; }", place)
        expect(page.get_by_role("heading", level=1)).not_to_have_text(heading)
        shown(page)
        return page

    yield turned
    if request.session.testsfailed > failed:  # and who knows what the page shows
        while tab:
            tab.pop().context.close()
    for page in tab:
        page.evaluate("(place) => { location.hash = place; }", REST)
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)


@pytest.fixture
def page(turn: Turn) -> Page:
    """The solve page, on a desktop, by daylight."""
    return turn("#/solve")


def shown(page: Page) -> None:
    """Wait until a page has its heading."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def seen(page: Page | Locator, text: str | re.Pattern[str]) -> None:
    """Wait until a text is to be read."""
    expect(page.get_by_text(text).filter(visible=True).first).to_be_visible()


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def asked(page: Page, question: str) -> Any:
    """One of the questions of `data/page.js`, answered by the page as it stands."""
    return page.evaluate(f"({QUESTIONS}).{question}()")


def a_frame_later(page: Page) -> None:
    """Wait until the page has been drawn once more, or would have been if it were in sight."""
    drawn = "requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 1000);"
    page.evaluate(f"new Promise(done => {{ {drawn} }})")


NAMED = {
    *("button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "slider"),
    *("spinbutton", "switch", "tab", "tabpanel", "grid", "gridcell", "img", "image", "Canvas"),
    *("dialog", "progressbar", "meter", "navigation", "Iframe", "listbox", "option"),
}
"""The roles that mean nothing to a screen reader's user without a name."""


def nameless(page: Page) -> list[str]:
    """What a screen reader would read out without a name, by the browser's own reckoning."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    found = []
    for node in nodes:
        role = node.get("role", {}).get("value", "")
        if role in NAMED and not node.get("ignored") and not node["name"]["value"].strip():
            about = {"backendNodeId": node["backendDOMNodeId"]}
            html = session.send("DOM.getOuterHTML", about)["outerHTML"]
            found.append(f"{role}: {html[:120]}")
    session.detach()
    return found


def looks_well(page: Page) -> None:
    """See that all is legible in both themes, and that nothing sticks out of a phone."""
    for theme in ("dark", "light"):
        page.get_by_label("Theme").select_option(theme)
        assert page.locator("html").get_attribute("data-theme") == theme
        assert asked(page, "faint") == []
    before = page.viewport_size
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    a_frame_later(page)  # when all that watches its own size has seen it
    assert asked(page, "wide") == []
    if before:
        page.set_viewport_size(before)


def needs_no_eyes(page: Page) -> None:
    """See that a screen reader has a name for everything, headings in order, and landmarks."""
    assert nameless(page) == []
    levels = asked(page, "headings")
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))
    for landmark in ("banner", "main"):
        expect(page.get_by_role(landmark)).to_have_count(1)
    expect(page.get_by_role("navigation", name="Pages")).to_have_count(1)


def needs_no_mouse(page: Page) -> None:
    """See that Tab leads to everything, and that one sees where."""
    stops = asked(page, "stops")
    reached = set()
    for _ in range(2 * len(stops)):
        page.keyboard.press("Tab")
        at = asked(page, "focus")
        if at is None:  # past the end: the next one is the first
            continue
        if at["stop"] in reached:
            break
        assert at["ring"], at["what"]
        reached.add(at["stop"])
    assert [stop for stop in stops if stop.split()[0] not in reached] == []
