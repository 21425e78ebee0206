"""Which puzzle a preset starts with in the browser: its own, unless a person has chosen another."""

from __future__ import annotations

import json
import re

from browsing import Trouble, Turn, Visit, asked, seen
from playwright.sync_api import Locator, Page, expect
from solve_page import (
    USUAL,
    button,
    cell,
    digits,
    full_speed,
    generation,
    moved,
    paste,
    place,
    puzzle_grid,
    ready,
    shows,
    solved,
    start,
)

from genoku.evolve.presets import preset
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled

SMALL = "1.....3..4.....2"
CLASHING = bundled()["poderosas-easy"].puzzle
ENOUGH = 50
"""Generations that the first run of a newcomer shows, at least."""


def menu(page: Page) -> Locator:
    return page.get_by_label("Preset", exact=True)


def choose(page: Page, name: str) -> None:
    ready(page)
    menu(page).select_option(name)
    expect(menu(page)).to_have_value(name)


def offer(page: Page) -> Locator:
    return page.get_by_role("button", name="Load its puzzle").filter(visible=True)


def clashing(name: str) -> str:
    """The address of a preset on the contradictory puzzle, with a limit that is soon reached."""
    return place(puzzle=CLASHING, name="poderosas-easy", preset=name, until="generations=3")


def test_a_newcomer_sees_the_textbook_algorithm_solve_its_puzzle(visit: Visit) -> None:
    page = visit()
    ready(page)
    expect(menu(page)).to_have_value("textbook")
    shows(puzzle_grid(page), USUAL)
    seen(page, preset("textbook").character)
    start(page)
    moved(page)
    full_speed(page)
    assert Puzzle.parse(USUAL).is_solved_by(Puzzle.parse(solved(page)).board)
    assert generation(page) > ENOUGH

    page.goto("/#/reports")
    page.reload()
    page.goto("/")  # a later visit without a link
    ready(page)
    expect(menu(page)).to_have_value("textbook")
    shows(puzzle_grid(page), USUAL)


def test_choosing_a_preset_loads_its_puzzle(page: Page) -> None:
    choose(page, "simon-16")
    shows(puzzle_grid(page), "." * 256)
    choose(page, "simon-puzzle")
    shows(puzzle_grid(page), preset("simon-puzzle").puzzle.line)
    expect(offer(page)).to_have_count(0)
    page.reload()  # which chooses nothing
    ready(page)
    shows(puzzle_grid(page), preset("simon-puzzle").puzzle.line)
    choose(page, "simon-16")
    shows(puzzle_grid(page), "." * 256)
    start(page, "Start paused")
    expect(page.get_by_role("heading", level=1)).to_contain_text("simon-16 on empty 16")


def test_a_typed_puzzle_stays_and_the_preset_offers_its_own(page: Page) -> None:
    cell(page, 1, 3).press("4")
    typed = f"534{USUAL[3:]}"
    choose(page, "simon-16")
    shows(puzzle_grid(page), typed)
    assert asked(page, "faint") == []
    offer(page).press("Enter")
    shows(puzzle_grid(page), "." * 256)
    expect(offer(page)).to_have_count(0)
    choose(page, "simon-puzzle")  # the puzzle of a preset gives way to that of the next
    shows(puzzle_grid(page), preset("simon-puzzle").puzzle.line)
    button(page, "Undo").click()
    button(page, "Undo").click()
    shows(puzzle_grid(page), typed)
    expect(offer(page)).to_be_visible()


def test_a_puzzle_that_is_pasted_or_picked_stays_too(turn: Turn) -> None:
    page = turn("#/solve")
    paste(page, SMALL)
    shows(puzzle_grid(page), SMALL)
    choose(page, "charles")
    shows(puzzle_grid(page), SMALL)
    expect(offer(page)).to_be_visible()
    button(page, "Puzzles…").click()
    search = page.get_by_role("dialog").get_by_label("Search")
    search.fill("charles-very-easy")
    search.press("Enter")
    picked = bundled()["charles-very-easy"].puzzle.line
    shows(puzzle_grid(page), picked)
    choose(page, "sundy")
    shows(puzzle_grid(page), picked)


def test_the_puzzle_of_a_link_stays_and_a_link_without_one_means_the_presets(turn: Turn) -> None:
    page = turn(place(puzzle=SMALL, preset="sundy"))
    choose(page, "simon-16")
    shows(puzzle_grid(page), SMALL)
    expect(offer(page)).to_be_visible()
    page.evaluate("location.hash = '#/reports'")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("reports"))
    page.evaluate("location.hash = '#/solve?preset=simon-16&seed=5'")
    start(page, "Start paused")  # which waits for the puzzle
    seen(page, "16×16 · seed 5")


def test_a_remembered_puzzle_is_shown_and_gives_way_to_a_presets(visit: Visit) -> None:
    page = visit("#/reports")
    page.evaluate(
        "(text) => localStorage.setItem('genoku.puzzle', text)", json.dumps({"puzzle": SMALL})
    )
    page.goto("/#/solve")
    ready(page)
    expect(menu(page)).to_have_value("textbook")
    shows(puzzle_grid(page), SMALL)
    choose(page, "simon-16")
    shows(puzzle_grid(page), "." * 256)
    button(page, "Undo").click()
    shows(puzzle_grid(page), SMALL)


def test_a_reports_contradictory_puzzle_runs_with_its_presets_and_says_why_it_fails(
    turn: Turn,
) -> None:
    page = turn(clashing("poderosas"))
    start(page)
    expect(page.locator(".run-verdict")).to_contain_text("fewer than 6 errors")
    notice = page.locator(".run .clash-notice").get_by_role("listitem")
    expect(notice).to_have_text([f"{each}." for each in CLASHING.conflicts()])


def test_other_presets_refuse_a_contradictory_puzzle(turn: Turn, trouble: Trouble) -> None:
    page = turn(clashing("charles"))
    ready(page)
    button(page, "Start").click()
    expect(page.get_by_role("alert").filter(has_text="appears twice")).to_be_visible()
    button(page, "Start anyway").click()
    expect(page.locator(".run-verdict")).to_contain_text("fewer than 6 errors")
    trouble.excuse("answer 422 to POST .*/api/runs")
    trouble.excuse("Failed to load resource.*422")


def test_a_race_keeps_its_board(turn: Turn) -> None:
    page = turn("#/race")
    ready_lanes = page.get_by_label("Preset", exact=True)
    expect(ready_lanes).to_have_count(4)
    before = digits(puzzle_grid(page))
    ready_lanes.first.select_option("simon-16")
    expect(ready_lanes.first).to_have_value("simon-16")
    expect(page).to_have_url(re.compile("lane=simon-16"))
    assert digits(puzzle_grid(page)) == before
    expect(offer(page)).to_have_count(0)
