"""A server with a token that ends in the middle of a run and of a race, and its successor."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from browsing import Server, Trouble, Visit
from playwright.sync_api import Browser, Locator, Page, expect
from solve_page import (
    GENERATIONS,
    HARD,
    button,
    fact,
    full_speed,
    generation,
    moved,
    place,
    slow_run,
    solved,
    start,
)

TOKEN = "our-evolution-class-42"
LIMIT = 120
"""Seconds for what takes a quiet machine one."""


@pytest.fixture(scope="module")
def servers(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """A separate server that asks for a token, and its successors on the same port."""
    started = [Server(tmp_path_factory.mktemp("guarded") / "kept", "--token", TOKEN)]
    yield started
    for each in started:
        each.kill()


def test_with_a_token_only_its_link_lets_one_in(
    servers: list[Server], visit: Visit, trouble: Trouble
) -> None:
    [server] = servers
    page = visit(f"?token={TOKEN}", origin=server.url)
    assert TOKEN not in page.url
    start(page)
    assert not trouble.told
    stranger = visit(origin=server.url)
    expect(stranger.get_by_text("requires a token").first).to_be_visible()
    stranger.close()  # so that nothing more is refused
    trouble.excuse("answer 401")
    trouble.excuse("status of 401")


# The last test of this file: it ends the server.
def test_a_run_and_a_race_are_resumed_after_the_server_was_killed_and_ctrl_c_ends_the_next(
    servers: list[Server], visit: Visit, trouble: Trouble
) -> None:
    [first] = servers
    long = place("race", puzzle=HARD, seed=1, until="generations=1e9 or seconds=600")
    race = visit(f"?token={TOKEN}{long}&lane=simon&lane=charles", origin=first.url)
    run = visit(f"?token={TOKEN}{slow_run()}", origin=first.url)
    button(race, "Start the race").click()
    beyond(race, [0, 0])
    pause(race)
    had = times(race)
    start(run)
    moved(run)
    pause(run)
    reached = generation(run)
    button(race, "Resume").click()
    button(run, "Resume").click()
    first.kill()
    for page in (run, race):
        expect(banner(page)).to_contain_text("server")

    second = Server(first.folder, "--token", TOKEN, port=first.port)
    servers.append(second)
    expect(resume(run)).to_be_visible()
    told = re.search(r"interrupted at generation (\d+)", banner(run).inner_text())
    assert told
    assert reached <= int(told[1]) < GENERATIONS
    resume(run).click()
    expect(banner(run)).to_have_count(0)
    full_speed(run)
    solved(run)
    # The same run as if nothing had happened.
    expect(fact(run, "Generation")).to_have_text(str(GENERATIONS))

    expect(resume(race)).to_be_visible()
    expect(banner(race)).to_contain_text("The race was interrupted.")
    resume(race).click()
    expect(banner(race)).to_have_count(0)
    expect(race.get_by_text("running", exact=True).filter(visible=True).first).to_be_visible()
    now = times(race)
    assert all(now[lane] >= had[lane] for lane in range(2)), (now, had)
    beyond(race, had)

    # A race that is over is shown whatever becomes of the server.
    button(race, "Stop").click()
    expect(button(race, "Race again")).to_be_visible()
    assert second.stop() == 0
    assert second.everybody_is_gone()
    expect(banner(run)).to_contain_text("server")  # so pages have noticed
    expect(banner(race)).to_have_count(0)
    expect(button(race, "Race again")).to_be_visible()
    for page in (run, race):  # which ask for the server as long as they are open
        page.close()
    trouble.excuse("request failed|Failed to load resource|answer 404|ERR_")


def banner(page: Page) -> Locator:
    return page.get_by_role("alert").filter(visible=True)


def resume(page: Page) -> Locator:
    return button(page, "Resume from the last checkpoint")


def pause(page: Page) -> None:
    button(page, "Pause").click()
    expect(button(page, "Resume")).to_be_enabled()


def times(page: Page) -> list[float]:
    """The processor time that every lane of a race has had, in seconds."""
    terms = page.locator("dt").filter(has_text="CPU time").filter(visible=True)
    told = [text.split() for text in terms.locator("xpath=following-sibling::dd").all_inner_texts()]
    return [float(number) / (1000 if unit == "ms" else 1) for number, unit, *_ in told]


def beyond(page: Page, before: list[float]) -> None:
    """Wait until a lane of a race has had more than that: others may have solved it by then."""
    expect(button(page, "Pause")).to_be_enabled()
    end = time.monotonic() + LIMIT
    while not any(now > then for now, then in zip(times(page), before, strict=True)):
        assert time.monotonic() < end, f"no lane has come beyond {before}"
        page.evaluate("new Promise(requestAnimationFrame)")
