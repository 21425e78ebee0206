"""Without a mouse: from the address to a solved board by keys alone."""

from __future__ import annotations

from browsing import asked, seen
from playwright.sync_api import Locator, Page, expect
from solve_page import SEED, USUAL, cell, fact, generation, puzzle_grid, shows, solved

from genoku.puzzle.board import Puzzle

FURTHEST = 200  # stops of the tab key


def go_to(page: Page, wanted: Locator) -> None:
    """Press Tab until the focus is there, and see that it shows."""
    for _ in range(FURTHEST):
        page.keyboard.press("Tab")
        at = asked(page, "focus")
        assert at is None or at["ring"], at["what"]
        if wanted.evaluate("(element) => element === document.activeElement"):
            return
    raise AssertionError(f"{wanted} is not reached by Tab")


def test_a_puzzle_is_typed_and_solved_by_keys_alone(page: Page) -> None:
    go_to(page, page.get_by_role("button", name="Clear", exact=True))
    page.keyboard.press("Enter")
    shows(puzzle_grid(page), "." * 81)
    page.evaluate("document.activeElement.blur()")
    go_to(page, cell(page, 1, 1))
    page.keyboard.press("End")
    expect(cell(page, 1, 9)).to_be_focused()
    page.keyboard.press("Control+Home")
    for row in range(9):
        page.keyboard.press("Home")
        for digit in USUAL[9 * row : 9 * row + 9]:
            page.keyboard.press(digit)
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
    shows(puzzle_grid(page), USUAL)
    seen(page, "Exactly one solution")

    preset = page.get_by_label("Preset", exact=True)
    go_to(page, preset)
    for _ in range(FURTHEST):
        if preset.input_value() == "sundy":
            break
        page.keyboard.press("ArrowDown")
    expect(preset).to_have_value("sundy")
    go_to(page, page.get_by_label("Seed", exact=True))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type(str(SEED))
    go_to(page, page.get_by_role("button", name="Start paused", exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()

    before = generation(page)
    page.keyboard.press("s")
    expect(fact(page, "Generation")).to_have_text(str(before + 1))
    page.keyboard.press("Space")
    assert Puzzle.parse(USUAL).is_solved_by(Puzzle.parse(solved(page)).board)


def test_a_dialog_keeps_the_focus_and_gives_it_back(page: Page) -> None:
    opener = page.get_by_role("button", name="Puzzles…")
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Search")).to_be_focused()
    page.keyboard.type("inkala")
    page.keyboard.press("Shift+Tab")
    assert dialog.evaluate("(element) => element.contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(opener).to_be_focused()
