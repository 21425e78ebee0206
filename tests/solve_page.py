"""The solve page as a person uses it: what the browser tests do on it again and again."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
"""Genetic algorithms do not solve it within a test."""
USUAL = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SEED, GENERATIONS = 2, 67
"""Sundy's algorithm solves it with this seed in so many generations, anywhere."""
BEYOND = "([shown, beyond]) => Number(shown.textContent.replaceAll(',', '')) > beyond"


def place(path: str = "solve", **settings: object) -> str:
    """The address of a page with settings, as share links have it."""
    return f"#/{path}?{urlencode({name: str(value) for name, value in settings.items()})}"


def slow_run(speed: float = 2, **more: object) -> str:
    """Where the usual run is ready to start: half a minute, so that it does not end too soon."""
    return place("solve", puzzle=USUAL, preset="sundy", seed=SEED, speed=speed, **more)


def paste(page: Page, text: str) -> None:
    """Paste text into the grid."""
    page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    cell(page, 1, 1).click()
    page.keyboard.press("ControlOrMeta+V")


def puzzle_grid(page: Page) -> Locator:
    return page.get_by_role("grid", name="Puzzle")


def cell(page: Page, row: int, column: int) -> Locator:
    named = f"row {row} column {column},"
    return puzzle_grid(page).get_by_role("gridcell", name=named, exact=False).first


def digits(grid: Locator) -> str:
    """What a grid shows, a character for each cell and a dot for a blank."""
    return "".join(text or "." for text in grid.get_by_role("gridcell").all_inner_texts())


def shows(grid: Locator, text: str) -> None:
    """Wait until a grid shows these digits."""
    expect(grid.get_by_role("gridcell")).to_have_text([each.replace(".", "") for each in text])


def ready(page: Page) -> None:
    """Wait until the recipe is there, so that a run can start."""
    expect(page.get_by_label("Preset", exact=True)).to_be_visible()


def start(page: Page, name: str = "Start") -> None:
    ready(page)
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_role("img", name="board").first).to_be_visible()


def fact(page: Page, name: str) -> Locator:
    """A counter of the run, by its name."""
    term = page.locator("dt").filter(has_text=name).filter(visible=True)
    return term.first.locator("xpath=following-sibling::dd")


def generation(page: Page) -> int:
    return int(fact(page, "Generation").inner_text().replace(",", ""))


def moved(page: Page, beyond: int = 0) -> None:
    """Wait until a run has made more generations than that."""
    shown = fact(page, "Generation").element_handle()
    page.wait_for_function(BEYOND, arg=[shown, beyond])


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def full_speed(page: Page) -> None:
    page.get_by_label("Speed").press("End")


def solved(page: Page) -> str:
    """Wait for the solution, as text."""
    found = page.get_by_role("grid", name="Solution")
    expect(found).to_be_visible()
    return digits(found)


def download(page: Page, name: str) -> Path:
    """The file behind the link of this name."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name=name).click()
    return Path(waiting.value.path())
