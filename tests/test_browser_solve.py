"""Solving in the browser: from a pasted puzzle to the files one takes home."""

from __future__ import annotations

import csv
import re
import tomllib
from xml.etree import ElementTree

from browsing import PHONE, Trouble, Turn, Visit, a_frame_later, clipboard, seen
from PIL import Image
from playwright.sync_api import Dialog, Page, expect
from solve_page import (
    GENERATIONS,
    HARD,
    SEED,
    USUAL,
    button,
    cell,
    digits,
    download,
    fact,
    full_speed,
    generation,
    moved,
    paste,
    place,
    puzzle_grid,
    ready,
    shows,
    slow_run,
    solved,
    start,
)

from genoku.evolve.recipe import build
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.web.handlers.files import SAFE_COLOURS

PUZZLE = Puzzle.parse(USUAL)
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
COLOURS = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = [...new Set(new Uint32Array(data.buffer))];
  return found.map((pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255].join());
}"""
# How many cells a board has across: below their digits a row of pixels is a stretch for each cell.
ACROSS = """(canvas) => {
  const { width, height } = canvas;
  const read = { willReadFrequently: true };
  const copy = Object.assign(document.createElement("canvas"), { width, height });
  const context = copy.getContext("2d", read);
  context.drawImage(canvas, 0, 0);
  const between = ["--paper", "--lines"].map((name) => {
    const probe = document.createElement("canvas").getContext("2d", read);
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
    probe.fillRect(0, 0, 1, 1);
    return new Uint32Array(probe.getImageData(0, 0, 1, 1).data.buffer)[0];
  });
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const found = {};
  for (let y = 0; y < height; y += 1) {
    let [cells, inside] = [0, false];
    for (let x = 0; x < width; x += 1) {
      const isCell = !between.includes(pixels[y * width + x]);
      if (isCell && !inside) cells += 1;
      inside = isCell;
    }
    if (cells > 1) found[cells] = (found[cells] || 0) + 1;
  }
  return Number(Object.keys(found).sort((one, two) => found[two] - found[one])[0]);
}"""


def test_paste_check_solve_pause_step_resume_download(visit: Visit) -> None:
    page = visit(place(preset="sundy", seed=SEED, speed=2))
    paste(page, PUZZLE.picture())
    shows(puzzle_grid(page), USUAL)
    seen(page, "Exactly one solution")
    seen(page, "Easy")

    start(page)
    moved(page)
    button(page, "Pause").click()
    expect(button(page, "Resume")).to_be_enabled()
    halted = generation(page)
    assert 0 < halted < GENERATIONS
    button(page, "Step").click()
    expect(fact(page, "Generation")).to_have_text(str(halted + 1))
    button(page, "Resume").click()
    moved(page, halted + 1)
    full_speed(page)

    assert solved(page) == SOLUTION
    expect(fact(page, "Generation")).to_have_text(str(GENERATIONS))
    seen(page, "It is the only solution.")
    for name in ("Pause", "Step", "Stop"):
        expect(button(page, name)).to_be_disabled()
    # The speed is that of the next run by now.
    page.get_by_label("Speed").press("Home")
    expect(page).to_have_url(re.compile(r"[?&]speed=1(&|$)"))

    *_, line = download(page, "Board, text").read_text("utf-8").split()
    assert PUZZLE.is_solved_by(Puzzle.parse(line).board)
    svg = ElementTree.parse(download(page, "Board, SVG")).getroot()
    texts = [each.text for each in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) >= 81
    with Image.open(download(page, "Board, PNG")) as picture:
        assert picture.format == "PNG"
        assert picture.width >= 300
    with Image.open(download(page, "Film, GIF")) as film:
        assert film.format == "GIF"
        assert getattr(film, "n_frames", 1) > 10
    with download(page, "History, CSV").open() as lines:
        rows = list(csv.DictReader(lines))
    assert [int(row["gen"]) for row in rows][-1] == GENERATIONS
    assert float(rows[-1]["best"]) == 0
    recipe = tomllib.loads(download(page, "Recipe, TOML").read_text())
    assert build(recipe["recipe"])


def test_a_picture_is_taken_home_in_the_colours_of_the_page(turn: Turn) -> None:
    page = turn(place(puzzle=USUAL, preset="champion", seed=SEED))
    start(page)
    solved(page)
    assert SAFE_COLOURS[3] not in download(page, "Board, SVG").read_text("utf-8")
    colours = page.get_by_label("Colours of the board")
    colours.select_option("safe")
    assert SAFE_COLOURS[3] in download(page, "Board, SVG").read_text("utf-8")
    colours.select_option("003")


def test_a_link_gives_somebody_else_the_same_run(turn: Turn, visit: Visit) -> None:
    page = turn(slow_run(speed=200))
    start(page)
    board = solved(page)
    button(page, "Copy link").click()
    seen(page, "Link copied.")
    link = clipboard(page)
    assert f"seed={SEED}" in link

    other = visit(link[link.index("#") :], size=PHONE)
    shows(puzzle_grid(other), USUAL)
    start(other)
    assert solved(other) == board
    seen(other.get_by_role("region", name="Population"), "the best first")  # without scrolling
    for name in ("Generation", "Evaluations"):
        assert fact(other, name).inner_text() == fact(page, name).inner_text()


def test_a_reload_comes_back_to_the_same_run(turn: Turn) -> None:
    page = turn(slow_run())
    start(page)
    moved(page)
    button(page, "Pause").click()
    expect(button(page, "Resume")).to_be_enabled()
    halted = generation(page)
    button(page, "Step").click()
    expect(fact(page, "Generation")).to_have_text(str(halted + 1))
    page.reload()
    expect(button(page, "Resume")).to_be_enabled()
    expect(fact(page, "Generation")).to_have_text(str(halted + 1))
    button(page, "Resume").click()
    full_speed(page)
    assert solved(page) == SOLUTION
    expect(fact(page, "Generation")).to_have_text(str(GENERATIONS))


def test_a_run_restarts_with_the_same_seed_and_with_another(turn: Turn) -> None:
    page = turn(slow_run(speed=1000))
    start(page)
    solved(page)
    first = page.url
    button(page, "Restart").click()
    expect(page).not_to_have_url(first)  # which names the run
    solved(page)
    expect(fact(page, "Generation")).to_have_text(str(GENERATIONS))
    before, title = page.url, page.get_by_role("heading", level=1).inner_text()
    button(page, "New seed").click()
    expect(page).not_to_have_url(before)
    assert f"seed={SEED}&" not in page.url
    assert page.get_by_role("heading", level=1).inner_text() != title


def test_enter_in_the_search_takes_the_first_puzzle_that_fits(page: Page) -> None:
    button(page, "Puzzles…").click()
    search = page.get_by_role("dialog").get_by_label("Search")
    search.fill("25x25-minimal")
    search.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(puzzle_grid(page).get_by_role("gridcell")).to_have_count(625)


def test_clashes_are_marked_in_the_grid_and_told_in_words(page: Page) -> None:
    paste(page, "55" + USUAL[2:])
    for column in (1, 2):
        expect(cell(page, 1, column)).to_have_attribute("aria-invalid", "true")
        expect(cell(page, 1, column)).to_have_accessible_name(re.compile("clashes"))
    expect(cell(page, 1, 5)).not_to_have_attribute("aria-invalid", "true")
    seen(page, "5 appears twice in row 1")
    cell(page, 1, 2).press("3")
    seen(page, "Exactly one solution")
    expect(cell(page, 1, 1)).not_to_have_attribute("aria-invalid", "true")


def test_nonsense_is_refused_in_words_and_changes_nothing(page: Page, trouble: Trouble) -> None:
    before = digits(puzzle_grid(page))
    paste(page, "no puzzle at all")
    expect(page.get_by_role("alert").filter(has_text="expected")).to_be_visible()
    assert digits(puzzle_grid(page)) == before
    trouble.excuse("answer 422 to POST .*/api/puzzles/import")
    trouble.excuse("Failed to load resource.*422")


def test_a_puzzle_without_a_solution_is_told_before_a_run_and_after_it(turn: Turn) -> None:
    page = turn(place(preset="charles", until="generations=3"))
    paste(page, "12345678." + "." * 8 + "9" + "." * 63)
    none = "No solution: however the blanks are filled, digits clash"
    seen(page, none)
    start(page)
    expect(page.locator(".run-verdict strong")).to_have_text(f"{none}.")


def test_two_solutions_are_not_called_two_or_more(page: Page) -> None:
    paste(page, "..343412..434321")
    expect(page.locator(".verdict .badge.warn")).to_have_text("! 2 solutions")


def test_a_board_by_itself_has_a_curve_of_its_own(turn: Turn) -> None:
    page = turn(place(puzzle=USUAL, preset="annealing-raw"))
    start(page, "Start paused")
    button(page, "Step").click()
    keys = page.locator(".chart-keys dt").filter(visible=True)
    expect(keys.first).to_have_text("current board")
    expect(keys.nth(1)).to_have_text("best so far")


def test_a_fitness_is_stated_as_its_report_does(turn: Turn) -> None:
    page = turn(place(preset="simon", seed=1, until="generations=3"))
    start(page)
    expect(page.locator(".run-verdict strong")).to_be_visible()
    stated = re.match(r"(\d+) of 243\s+mean (\d+\.\d)$", fact(page, "Fitness").inner_text())
    assert stated
    best, mean = int(stated[1]), float(stated[2])
    assert 81 <= mean <= best < 243
    expect(page.locator(".board-caption")).to_have_text(re.compile(rf"^ID \d+ · Fitness {best}$"))
    keys = page.locator(".chart-keys div").filter(visible=True)
    mean_key = keys.nth(0).inner_text().split()
    assert mean_key[0] == "mean"
    assert abs(float(mean_key[1]) - mean) < 0.06
    expect(keys.nth(1)).to_have_text(f"best{best}")
    expect(keys.nth(2)).to_have_text(f"best board{fact(page, 'Errors left').inner_text()}")


def test_champion_and_exact_state_no_fitness(turn: Turn) -> None:
    page = turn(place(puzzle=HARD, preset="champion"))
    start(page)
    solved(page)
    expect(page.locator(".counts-fitness, .board-caption").filter(visible=True)).to_have_count(0)
    expect(fact(page, "Errors left")).to_have_text("0")


def test_a_script_in_a_name_is_text(turn: Turn) -> None:
    script = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    page = turn(slow_run(name=script, speed=1000))
    said: list[str] = []

    def heard(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", heard)
    seen(page, script)
    start(page)
    solved(page)
    seen(page, script)
    assert page.locator("main img[src=x], main script").count() == 0
    page.remove_listener("dialog", heard)
    assert not said


def test_a_hint_explains_the_next_step_and_makes_it(page: Page) -> None:
    paste(page, USUAL)
    shows(puzzle_grid(page), USUAL)
    button(page, "Hint").click()
    hint = page.get_by_role("region", name="Hint")
    expect(hint.get_by_role("heading")).to_be_visible()
    hint.get_by_role("button", name="Apply").click()
    shown = digits(puzzle_grid(page))
    assert shown.count(".") == USUAL.count(".") - 1
    assert all(one in (".", two) for one, two in zip(shown, SOLUTION, strict=True))


def test_a_large_board_is_solved_before_ones_eyes(turn: Turn) -> None:
    chosen = bundled()["25x25-minimal"].puzzle
    page = turn(place(puzzle=chosen, box="5x5", preset="champion", seed=1))
    expect(puzzle_grid(page).get_by_role("gridcell")).to_have_count(625)
    start(page)
    assert chosen.is_solved_by(Puzzle.parse(solved(page)).board)
    drawn = page.get_by_role("img", name="Best board").evaluate(COLOURS)
    assert "111,194,139" in drawn  # report 003's green, for complete units


def test_a_board_of_another_size_is_drawn_at_its_own_size(turn: Turn) -> None:
    page = turn(place(puzzle=USUAL, preset="simon"))
    start(page, "Start paused")
    board = page.get_by_role("img", name="Best board")
    expect(board).to_be_visible()
    a_frame_later(page)
    assert board.evaluate(ACROSS) == 9
    for name, side in (("16x16-easy", 16), ("25x25-minimal", 25), ("36x36-60-percent", 36)):
        button(page, "Edit settings").click()
        button(page, "Puzzles…").click()
        search = page.get_by_role("dialog").get_by_label("Search")
        search.fill(name)
        search.press("Enter")
        expect(puzzle_grid(page).get_by_role("gridcell")).to_have_count(side**2)
        start(page, "Start paused")
        seen(page, f"{side}×{side} · seed 0")
        button(page, "Step").click()
        expect(fact(page, "Generation")).to_have_text("1")
        a_frame_later(page)
        assert board.evaluate(ACROSS) == side


def test_the_population_can_be_looked_into(turn: Turn) -> None:
    page = turn(slow_run())
    start(page, "Start paused")
    button(page, "Step").click()
    expect(fact(page, "Generation")).to_have_text("1")
    population = page.get_by_role("region", name="Population")
    population.scroll_into_view_if_needed()
    seen(population, "boards, the best first")
    seen(population, "square-root scale")
    button(page, "Thumbnails").click()
    canvas = population.get_by_role("application")
    canvas.press("ArrowRight")
    canvas.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text("Board at rank 2")
    errors = dialog.locator("dt", has_text="Errors left").locator("xpath=following-sibling::dd")
    expect(errors).to_have_text(re.compile(r"^\d+$"))
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def test_an_operator_is_changed_and_a_misfit_is_explained(page: Page) -> None:
    ready(page)
    page.get_by_label("Preset", exact=True).select_option("sundy")
    seen(page, "Preset unchanged")
    population = page.get_by_role("spinbutton", name="Population")
    population.fill("37")
    seen(page, "Changed: population=37")
    population.fill("-1")
    seen(page, "cannot run yet")
    population.fill("37")
    expect(page.get_by_text("cannot run yet").filter(visible=True)).to_have_count(0)
