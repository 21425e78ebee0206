"""Every page, by day and night, on a desk and on a phone: what holds for all of them."""

from __future__ import annotations

import pytest
from browsing import Trouble, Visit, looks_well, needs_no_eyes, needs_no_mouse, seen, shown
from playwright.sync_api import Error, Page, expect
from solve_page import slow_run, start

PAGES = ["solve", "race", "studies", "reports", "learn", "api"]
every_page = pytest.mark.parametrize("name", PAGES)


@every_page
def test_a_page_is_legible_in_both_themes_and_fits_a_phone(name: str, visit: Visit) -> None:
    page = visit(f"#/{name}")
    settled(page)
    looks_well(page)


@every_page
def test_a_page_opens_in_the_dark_and_needs_no_eyes_and_no_mouse(name: str, visit: Visit) -> None:
    page = visit(f"#/{name}", theme="dark")
    settled(page)
    assert page.locator("html").get_attribute("data-theme") == "dark"
    needs_no_eyes(page)
    needs_no_mouse(page)


def test_so_does_a_run_on_its_way(visit: Visit) -> None:
    page = visit(slow_run(), theme="dark")
    start(page, "Start paused")
    page.get_by_role("application", name="Population").scroll_into_view_if_needed()
    seen(page, "boards, the best first")
    needs_no_eyes(page)
    needs_no_mouse(page)
    looks_well(page)


def test_the_menu_leads_to_every_page_and_back(page: Page) -> None:
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    assert [name.lower() for name in links.all_inner_texts()] == PAGES
    for link in links.all():
        link.click()
        expect(link).to_have_attribute("aria-current", "page")
        shown(page)
        assert page.title() == f"{link.inner_text()} · genoku"
    page.go_back()
    expect(links.nth(-2)).to_have_attribute("aria-current", "page")


def test_theme_and_colours_are_remembered(page: Page, visit: Visit) -> None:
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
    assert visit().evaluate(ground) == light
    assert visit(theme="dark").evaluate(ground) == dark


def test_the_skip_link_leads_past_the_menu(page: Page) -> None:
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    shown(page)


def test_complaints_and_foreign_requests_would_be_seen(page: Page, trouble: Trouble) -> None:
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


def settled(page: Page) -> None:
    """Wait until a page has asked the server for what it shows."""
    page.wait_for_load_state("networkidle")
