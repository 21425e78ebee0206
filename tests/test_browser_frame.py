"""Every page, by day and night, on a desk and on a phone: what holds for all of them."""

from __future__ import annotations

import re

import pytest
from browsing import Trouble, Turn, Visit, looks_well, needs_no_eyes, needs_no_mouse, seen, shown
from playwright.sync_api import Error, expect
from solve_page import HARD, button, fact, place, ready, slow_run, start

PAGES = ["solve", "race", "studies", "reports", "learn"]
SPACE_ON_ARRIVAL = """
addEventListener("popstate", () => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true })), { once: true })
"""
"""Press Space before the browser has moved the focus away from the button that led here."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_in_the_dark_and_is_for_everybody(name: str, visit: Visit) -> None:
    page = visit(f"#/{name}", theme="dark")
    page.wait_for_load_state("networkidle")  # all that it shows has been asked for
    assert page.locator("html").get_attribute("data-theme") == "dark"
    needs_no_eyes(page)
    needs_no_mouse(page)
    looks_well(page)


def test_so_is_a_run_on_its_way(turn: Turn) -> None:
    page = turn(slow_run())
    start(page, "Start paused")
    page.get_by_role("application", name="Population").scroll_into_view_if_needed()
    seen(page, "boards, the best first")
    needs_no_eyes(page)
    needs_no_mouse(page)
    looks_well(page)


def test_the_menu_leads_to_every_page_and_back(visit: Visit) -> None:
    page = visit()
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    assert [name.lower() for name in links.all_inner_texts()] == PAGES
    for link in links.all():
        link.click()
        expect(link).to_have_attribute("aria-current", "page")
        shown(page)
        assert page.title() == f"{link.inner_text()} · genoku"
    page.go_back()
    expect(links.nth(-2)).to_have_attribute("aria-current", "page")


def test_back_leads_from_a_run_to_its_settings_and_forward_to_it_again(visit: Visit) -> None:
    page = visit("#/learn")
    page.goto(f"/{slow_run()}")
    start(page, "Start paused")
    button(page, "Step").click()
    expect(fact(page, "Generation")).to_have_text("1")
    watched = page.url
    page.go_back()
    expect(button(page, "Start")).to_be_visible()
    expect(page).not_to_have_url(re.compile("run="))
    page.go_forward()
    expect(fact(page, "Generation")).to_have_text("1")
    expect(page).to_have_url(watched)
    button(page, "Edit settings").click()
    expect(button(page, "Start")).to_be_focused()
    button(page, "Back to the run").click()
    expect(fact(page, "Generation")).to_have_text("1")

    page.reload()
    expect(fact(page, "Generation")).to_have_text("1")
    page.go_back()
    ready(page)
    expect(page.get_by_label("Preset", exact=True)).to_have_value("sundy")
    expect(button(page, "Start")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile("#/learn"))


def test_a_page_that_is_left_does_not_write_to_the_place_the_browser_came_to(visit: Visit) -> None:
    page = visit(slow_run())
    start(page, "Start paused")
    page.reload()
    expect(button(page, "Resume")).to_be_visible()
    page.get_by_label("Seed", exact=True).evaluate(
        "seed => addEventListener('popstate', () => seed.dispatchEvent(new Event('input')))"
    )
    page.go_back()
    expect(button(page, "Start")).to_be_visible()
    expect(page).not_to_have_url(re.compile("run="))


def test_a_link_to_a_run_leads_back_to_its_settings_too(turn: Turn, visit: Visit) -> None:
    page = turn(slow_run())
    start(page, "Start paused")
    other = visit(page.url[page.url.index("#") :])
    expect(button(other, "Resume")).to_be_visible()
    other.go_back()
    expect(button(other, "Start")).to_be_visible()
    button(other, "Back to the run").click()
    expect(button(other, "Resume")).to_be_visible()


def test_space_pauses_a_race_and_back_leads_to_its_settings(turn: Turn) -> None:
    lanes = "&lane=simon&lane=charles"
    page = turn(place("race", puzzle=HARD, seed=1, until="cpu_seconds=600") + lanes)
    button(page, "Start the race").click()
    expect(button(page, "Pause")).to_be_enabled()
    page.keyboard.press("Space")
    expect(button(page, "Resume")).to_be_enabled()
    seen(page, "of 600 s")
    page.go_back()
    expect(button(page, "Start the race")).to_be_visible()
    page.evaluate(SPACE_ON_ARRIVAL)
    button(page, "Back to the race").click()
    expect(button(page, "Pause")).to_be_visible()
    button(page, "Stop").click()
    expect(button(page, "Race again")).to_be_visible()


def test_a_page_opens_as_soon_as_the_server_answers(visit: Visit, trouble: Trouble) -> None:
    page = visit("#/studies")
    page.route("**/*", lambda route: route.abort("connectionrefused"))
    page.evaluate("location.hash = '#/reports'")
    expect(page.get_by_role("alert").filter(has_text="The server does not answer")).to_be_visible()
    page.unroute("**/*")
    expect(page.get_by_role("heading", name="Reports", level=1)).to_be_visible()
    expect(page.get_by_role("alert").filter(visible=True)).to_have_count(0)

    page.route("**/api/presets", lambda route: route.abort("connectionrefused"))
    page.evaluate("location.hash = '#/solve'")
    expect(page.get_by_role("alert").filter(has_text="catalogue")).to_be_visible()
    page.unroute("**/api/presets")
    ready(page)
    trouble.excuse("request failed|Failed to load resource|ERR_|dynamically imported")


def test_an_address_that_leads_nowhere_is_answered_by_a_page(
    visit: Visit, trouble: Trouble
) -> None:
    page = visit()
    for path in ("/nowhere", "/api/studies/nobody/report"):
        answer = page.goto(path)
        assert answer
        assert answer.status == 404
        shown(page)
        as_json = page.request.get(path, headers={"Accept": "application/json"})
        assert as_json.status == 404
        assert as_json.json()["detail"]
    page.get_by_role("link", name="Open genoku").click()
    expect(page.get_by_role("heading", name="Solve", level=1)).to_be_visible()
    trouble.excuse("answer 404|Failed to load resource")


def test_theme_and_colours_are_remembered(visit: Visit) -> None:
    page = visit()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_label("Theme").select_option("dark")
    page.get_by_label("Colours of the board").select_option("safe")
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    shown(page)
    assert page.evaluate(ground) == dark
    assert page.get_by_label("Theme").input_value() == "dark"
    assert page.get_by_label("Colours of the board").input_value() == "safe"
    # Somebody else's browser goes by its system's theme.
    other = visit()
    assert other.evaluate(ground) == light
    other.emulate_media(color_scheme="dark")
    expect(other.locator("body")).to_have_css("background-color", dark)


def test_the_skip_link_leads_past_the_menu(visit: Visit) -> None:
    page = visit("#/race")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    expect(page.get_by_role("heading", level=1)).to_have_text("Race")


def test_complaints_and_foreign_requests_would_be_seen(visit: Visit, trouble: Trouble) -> None:
    page = visit()
    page.evaluate("console.error('a complaint')")
    page.evaluate("console.warn('a worry')")
    page.evaluate("setTimeout(() => { throw new Error('a fault'); })")
    page.evaluate("fetch('/api/nowhere')")
    page.evaluate("fetch('http://127.0.0.2:9/').catch(() => 0)")
    page.evaluate("new Promise((done) => setTimeout(done))")
    with pytest.raises(Error):
        page.goto("http://127.0.0.2:9/")
    for each in (
        *("console error: a complaint", "console warning: a worry", "error: .*a fault"),
        *("answer 404", "Failed to load resource", "Content Security Policy"),
        *("request beyond its own origin", "request failed"),
    ):
        trouble.excuse(each)
