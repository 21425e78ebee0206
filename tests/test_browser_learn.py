"""Learn and Reports in a browser: by keyboard, with what the server really answers."""

from __future__ import annotations

import re

from browsing import PHONE, Turn, Visit, asked, nameless, shown
from playwright.sync_api import Page, expect
from solve_page import moved

from genoku.reports import reports


def caption(page: Page) -> str:
    return page.locator(".lesson-caption").inner_text()


def test_a_chapter_is_stepped_through_by_keyboard(turn: Turn) -> None:
    page = turn("#/learn/crossover")
    player = page.get_by_role("region", name=re.compile("Animation"))
    player.focus()
    page.keyboard.press("End")
    assert "parents" in caption(page)
    expect(page.get_by_role("button", name="↺ Replay")).to_be_visible()
    page.keyboard.press("Home")
    assert "parents" in caption(page)
    page.keyboard.press("ArrowRight")
    assert caption(page).startswith("Box 1")
    expect(page.locator(".lesson-caption")).to_have_attribute("aria-live", "polite")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="❚❚ Pause")).to_be_visible()
    expect(page.locator(".lesson-caption")).to_have_attribute("aria-live", "off")


def test_the_tour_is_walked_to_its_end(visit: Visit) -> None:
    page = visit("#/learn", size=PHONE, theme="dark")
    for place in range(1, 13):
        expect(page.get_by_text(f"Chapter {place} of 12", exact=True)).to_be_visible()
        expect(page.get_by_role("slider", name="Step of the animation")).to_be_visible()
        assert asked(page, "wide") == []
        assert nameless(page) == []
        page.get_by_role("navigation", name="Previous and next chapter").get_by_role(
            "link"
        ).last.click()
    expect(page).to_have_url(re.compile("#/solve"))


def test_a_scene_and_its_seed_are_in_the_address(turn: Turn) -> None:
    page = turn("#/learn/selection?seed=7&scene=rank")
    rank = page.get_by_role("button", name="Rank", exact=True)
    expect(rank).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("Made by the engine from seed 7.")).to_be_visible()
    page.get_by_role("button", name="Roulette").click()
    expect(page).to_have_url(re.compile("scene=roulette"))
    page.reload()
    shown(page)
    pressed = page.get_by_role("button", name="Roulette")
    expect(pressed).to_have_attribute("aria-pressed", "true")


def test_whoever_wants_less_motion_steps_by_hand(turn: Turn) -> None:
    page = turn("#/learn/mutation")
    expect(page.get_by_role("slider", name="Step of the animation")).to_be_visible()
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="Inversion").click()
    expect(page.get_by_role("button", name="▶ Play")).to_be_visible()
    page.emulate_media(reduced_motion="null")


def test_a_report_is_run_as_its_author_did(page: Page) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Reports").click()
    page.get_by_role("link", name="As Poderosas", exact=True).click()
    experiment = reports()["000"].experiments[3]
    page.get_by_label("Experiment").select_option(label=f"4: {experiment.title}")
    page.get_by_label("Model").select_option("13")  # from 0
    page.get_by_label("Board", exact=True).select_option(
        label="easy_sudoku (six of its givens clash)"
    )
    page.get_by_role("link", name="Run it as its author did").click()
    title = "poderosas-tournament-column-swap-column-rate0.1 on poderosas-easy"
    expect(page.get_by_role("heading", level=1)).to_contain_text(title)
    moved(page)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".board-caption")).to_have_text(re.compile(r"Fitness 0\.9\d{3}$"))
    page.get_by_role("button", name="Edit settings").click()  # where it does not start again
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_enabled()
    expect(page.get_by_label("Preset", exact=True)).to_have_value(title.partition(" ")[0])
    assert not re.search("[?&](start|run)=", page.url)


def test_claims_are_filtered_and_a_preset_is_opened(page: Page) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Reports").click()
    page.get_by_role("link", name="Claims and evidence of Glen Simon").click()
    expect(page.locator(".claims > li")).to_have_count(16)
    page.get_by_role("button", name="fails 3").click()
    expect(page.locator(".claims > li")).to_have_count(3)
    because = page.locator(".claims .because").first
    expect(because).to_be_hidden()
    page.locator(".claims summary").first.click()
    expect(because).to_be_visible()
    page.get_by_text("Its own tables and figures").click()
    expect(page.get_by_role("cell", name="long_run")).to_be_visible()
    expect(page.get_by_role("img", name="run_1, the elite individual").first).to_be_attached()
    page.get_by_text("The whole reproduction").click()
    image = page.get_by_role("img", name="Mutation rate").first
    image.scroll_into_view_if_needed()
    page.wait_for_function(
        "image => image.complete && image.naturalWidth > 0", arg=image.element_handle()
    )
    page.get_by_role("link", name="Open simon-puzzle").click()
    expect(page).to_have_url(re.compile(r"#/solve\?.*preset=simon-puzzle"))
