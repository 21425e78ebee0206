"""A server that ends in the middle of a run or a race, its successor, and one with a token."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Server, Trouble, Visit
from playwright.sync_api import Browser, Page, expect
from solve_page import (
    GENERATIONS,
    USUAL,
    button,
    fact,
    generation,
    moved,
    place,
    slow_run,
    solved,
    start,
)

TOKEN = "our-evolution-class-42"
LIMIT = 120  # seconds


@pytest.fixture
def fragile(chromium: Browser, tmp_path: Path) -> Iterator[list[Server]]:
    """A server of one's own, and whoever follows it at the same place."""
    servers = [Server(tmp_path / "kept")]
    yield servers
    for each in servers:
        each.kill()


@pytest.fixture
def guarded(chromium: Browser, tmp_path: Path) -> Iterator[Server]:
    """A server that asks for a token."""
    server = Server(tmp_path / "kept", "--token", TOKEN)
    yield server
    server.kill()


def test_a_run_is_resumed_from_its_checkpoint_after_the_server_was_killed(
    fragile: list[Server], visit: Visit, trouble: Trouble
) -> None:
    [first] = fragile
    trouble.origin = first.url
    page = visit(slow_run(), origin=first.url)
    start(page)
    moved(page, 5)
    button(page, "Pause").click()
    expect(button(page, "Resume")).to_be_enabled()
    halted = generation(page)
    button(page, "Resume").click()
    first.kill()
    expect(page.get_by_role("alert").filter(has_text="server")).to_be_visible()

    fragile.append(Server(first.folder, port=first.port))
    resume = button(page, "Resume from the last checkpoint")
    expect(resume).to_be_visible()
    told = re.search(r"interrupted at generation (\d+)", page.get_by_role("alert").inner_text())
    assert told
    assert halted <= int(told[1]) < GENERATIONS
    resume.click()
    expect(page.get_by_role("alert").filter(visible=True)).to_have_count(0)
    solved(page)
    # The same run as if nothing had happened.
    expect(fact(page, "Generation")).to_have_text(str(GENERATIONS))
    trouble.excuse("request failed|Failed to load resource|answer 404|ERR_")


def test_a_race_goes_on_after_the_server_was_killed_and_its_result_stays(
    fragile: list[Server], visit: Visit, trouble: Trouble
) -> None:
    [first] = fragile
    trouble.origin = first.url
    lanes = "&lane=simon&lane=charles"
    long = place("race", puzzle=USUAL, seed=1, until="generations=1e9 or seconds=600") + lanes
    page = visit(long, origin=first.url)
    button(page, "Start the race").click()
    beyond(page, [0.2, 0.2])
    button(page, "Pause").click()
    expect(button(page, "Resume")).to_be_enabled()
    halted = times(page)
    button(page, "Resume").click()
    first.kill()
    banner = page.get_by_role("alert").filter(visible=True)
    expect(banner).to_contain_text("server")

    fragile.append(Server(first.folder, port=first.port))
    resume = button(page, "Resume from the last checkpoint")
    expect(resume).to_be_visible()
    expect(banner).to_contain_text("The race was interrupted.")
    resume.click()
    expect(banner).to_have_count(0)
    expect(page.get_by_text("running", exact=True).filter(visible=True).first).to_be_visible()
    now = times(page)
    assert all(now[lane] >= halted[lane] for lane in range(2)), (now, halted)
    beyond(page, halted)

    # What is over is shown whatever becomes of the server.
    button(page, "Stop").click()
    expect(button(page, "Race again")).to_be_visible()
    fragile[-1].kill()
    expect(banner).to_have_count(0)
    expect(button(page, "Race again")).to_be_visible()
    trouble.excuse("request failed|Failed to load resource|answer 404|ERR_")


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


def test_ctrl_c_ends_the_server_and_all_its_processes(fragile: list[Server]) -> None:
    [server] = fragile
    assert server.stop() == 0
    assert server.everybody_is_gone()


def test_with_a_token_only_its_link_lets_one_in(
    guarded: Server, visit: Visit, trouble: Trouble
) -> None:
    trouble.origin = guarded.url
    page = visit(f"?token={TOKEN}", origin=guarded.url)
    assert TOKEN not in page.url
    start(page)
    assert not trouble.told
    stranger = visit(origin=guarded.url)
    expect(stranger.get_by_text("requires a token").first).to_be_visible()
    stranger.close()  # so that nothing more is refused
    trouble.excuse("answer 401")
    trouble.excuse("status of 401")
