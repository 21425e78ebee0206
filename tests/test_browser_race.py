"""Races and studies in the browser: from a form to a winner, from many runs to what they say."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from itertools import combinations
from pathlib import Path

from browsing import Server, Trouble, Turn, looks_well, needs_no_eyes, seen
from playwright.sync_api import Page, expect
from solve_page import SEED, USUAL, button, download, place

from genoku.lab.store import Store

SMALL = "1.....3..4.....2"
LIMIT = 120_000
"""Milliseconds for a study of a few short runs, whose processes start from nothing."""


def test_a_race_has_a_winner_and_is_run_thirty_times_as_a_study(turn: Turn, server: Server) -> None:
    lanes = "&lane=champion&lane=simon"
    limits = "generations=20 or seconds=50"
    page = turn(place("race", puzzle=USUAL, seed=SEED, until=limits) + lanes)
    expect(page.get_by_role("heading", name="Lane 2")).to_be_visible()
    button(page, "Start the race").click()
    race = page.get_by_role("region", name="The race")
    expect(race.get_by_role("img", name="board").first).to_be_visible()
    seen(race, "♛ Winner")
    winner = race.get_by_role("listitem").filter(has=page.locator("text=♛ Winner >> visible=true"))
    expect(winner.get_by_role("heading")).to_have_text("champion")
    seen(race, "The first to solve the puzzle wins")
    needs_no_eyes(page)
    looks_well(page)

    by_cpu = "generations=20 or cpu_seconds=50"
    seen(race, "20 generations or 50 seconds of CPU time each")
    button(page, "Run this 30 times").click()
    dialog = page.get_by_role("dialog")
    seen(dialog, "60 runs")
    seen(dialog, re.compile("It takes about .* on .* core"))
    seen(dialog, "20 generations or 50 seconds of CPU time, as in the race")
    dialog.get_by_role("button", name="Cancel").click()
    assert not list(server.folder.glob("**/race-9x9*"))
    button(page, "Run this 30 times").click()
    dialog.get_by_role("button", name="Start the study").click()
    link = race.get_by_role("link", name="Watch the study")
    link.click()
    done(page)
    seen(page, "60 of 60 runs")
    [store] = server.folder.glob("**/race-9x9*.db")
    with Store.open(store) as found:
        assert len(list(found.rows())) == 60
        assert {arm.until for arm in found.study.arms} == {by_cpu}


def test_a_race_pauses_and_resumes_and_survives_a_reload(turn: Turn) -> None:
    lanes = "&lane=simon&lane=charles"
    page = turn(
        place("race", puzzle=USUAL, seed=1, until="generations=1e9 or cpu_seconds=600") + lanes
    )
    button(page, "Start the race").click()
    button(page, "Pause").click()
    expect(button(page, "Resume")).to_be_visible()
    page.reload()
    expect(button(page, "Resume")).to_be_visible()
    button(page, "Resume").click()
    expect(button(page, "Pause")).to_be_visible()
    button(page, "Stop").click()
    expect(button(page, "Race again")).to_be_visible()


# Where the names of lanes are drawn that end at these times and errors left.
NAMES = """async (ends) => {
  const { ErrorsChart } = await import("/static/js/race/errors-chart.js");
  const canvas = document.createElement("canvas");
  canvas.style = "display: block; width: 600px; height: 300px";
  document.body.append(canvas);
  const chart = new ErrorsChart(canvas, ends.map((_, place) => `lane ${place}`));
  chart.lanes = ends.map(([time, errors]) => [[0.001, 100], [time, errors]]);
  const drawn = {};
  chart.context.fillText = (text, x, y) => { drawn[text] = y; };
  chart.draw();
  chart.close();
  canvas.remove();
  return ends.map((_, place) => drawn[`lane ${place}`]);
}"""


def test_names_at_the_ends_of_lines_are_in_the_order_of_the_ends(page: Page) -> None:
    for ends in (
        [[5, 10], [4.9, 12], [4.8, 11], [5, 9]],
        [[4.9, 0], [5, 1], [4.8, 2], [4.7, 0]],
        [[5, 100], [4.9, 99], [4.8, 98], [5, 97]],
    ):
        drawn = page.evaluate(NAMES, ends)
        for (one, low), (other, high) in combinations(zip(drawn, ends, strict=True), 2):
            assert abs(one - other) >= 15, (ends, drawn)
            if low[1] != high[1]:
                assert (one > other) == (low[1] < high[1]), (ends, drawn)


def test_a_race_on_clashing_givens_is_held_all_the_same_if_one_asks_for_it(
    turn: Turn, trouble: Trouble
) -> None:
    lanes = "&lane=simon&lane=charles"
    page = turn(place("race", puzzle="1..1" + SMALL[4:], until="generations=3") + lanes)
    button(page, "Start the race").click()
    button(page, "Race anyway").click()
    expect(button(page, "Race again")).to_be_visible()
    trouble.excuse("answer 422 to POST .*/api/races$")
    trouble.excuse("Failed to load resource.*422")


def test_a_race_that_is_no_longer_there_leaves_its_settings(turn: Turn, trouble: Trouble) -> None:
    page = turn(place("race", puzzle=SMALL, race="nobody-knows-it") + "&lane=simon&lane=sundy")
    seen(page, "The race is no longer there")
    expect(button(page, "Start the race")).to_be_visible()
    expect(page).not_to_have_url(re.compile("race="))
    trouble.excuse("answer 404 to GET .*/api/races/nobody-knows-it$")
    trouble.excuse("Failed to load resource.*404")


def test_a_study_goes_from_the_form_to_its_results(page: Page, server: Server) -> None:
    page.get_by_role("link", name="Studies").click()
    page.get_by_role("link", name="New study").click()
    script = "Does <b>simon</b> ever <script>alert(1)</script> solve it?"
    page.get_by_label("What do you want to know?").fill(script)
    page.get_by_label("Name", exact=True).fill("from-the-form")
    page.get_by_text("A puzzle of your own").click()
    own = page.get_by_role("region", name="Puzzle")
    own.get_by_role("button", name="Paste or type").click()
    page.get_by_label("Puzzle as text").fill(SMALL)
    button(page, "Load").click()
    button(page, "Add this puzzle").click()
    button(page, "Remove charles-hard").click()
    page.get_by_label("Number of seeds").fill("3")
    page.get_by_label("Kind of limit").select_option("generations")
    page.get_by_label("Stop after").fill("5")
    seen(page, "6 runs")
    button(page, "Create and run").click()

    expect(page.get_by_role("heading", level=1)).to_have_text(script)
    done(page)
    seen(page, "6 of 6 runs")
    drawing = page.get_by_role("img").first
    expect(drawing).to_be_visible()
    assert drawing.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 100
    assert page.locator("main script, main b").count() == 0
    needs_no_eyes(page)
    looks_well(page)

    rows = list(csv.DictReader(exported(page, "Runs as CSV").read_text("utf-8").splitlines()))
    assert len(rows) == 6
    lines = exported(page, "Runs as JSON lines").read_text("utf-8").splitlines()
    assert len([json.loads(line) for line in lines]) == 6
    study = tomllib.loads(exported(page, "The study as TOML").read_text("utf-8"))
    assert study["question"] == script
    with Store.open(exported(page, "The store")) as store:
        assert len(list(store.rows())) == 6

    with page.context.expect_page() as opening:
        page.get_by_role("link", name="Open the report").click()
    report = opening.value
    expect(report.get_by_role("heading", level=1)).to_be_visible()
    expect(report.locator("svg.drawing").first).to_be_visible()
    report.close()

    page.get_by_role("link", name="All studies").click()
    page.get_by_role("link", name=script).click()
    button(page, "Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Studies", level=1)).to_be_visible()
    expect(page.get_by_role("link", name=script)).to_have_count(0)


def test_a_study_is_stopped_and_resumed(page: Page) -> None:
    body = {
        "name": "long",
        "algorithms": [{"preset": "simon"}],
        "puzzles": [{"puzzle": USUAL}],
        "seeds": {"first": 0, "count": 400},
        "until": "generations=1000",
        "run": True,
    }
    origin = page.url.split("/#")[0]
    answer = page.request.post("/api/studies", data=body, headers={"Origin": origin})
    assert answer.ok, answer.text()
    page.goto("/#/studies/long")
    button(page, "Stop").click()
    expect(button(page, "Resume").or_(button(page, "Run"))).to_be_visible(timeout=LIMIT)
    button(page, "Resume").or_(button(page, "Run")).click()
    expect(button(page, "Stop")).to_be_visible()
    button(page, "Stop").click()
    expect(button(page, "Resume").or_(button(page, "Run"))).to_be_visible(timeout=LIMIT)


def test_a_name_that_leaves_the_folder_is_refused_in_words(page: Page) -> None:
    page.goto("/#/studies?new=1")
    page.get_by_label("Name", exact=True).fill("../outside")
    button(page, "Create only").click()
    expect(page.get_by_role("alert").filter(has_text="letters, digits")).to_be_visible()


def done(page: Page) -> None:
    page.wait_for_url("**/#/studies/*")
    expect(page.get_by_text("Done", exact=True).filter(visible=True)).to_be_visible(timeout=LIMIT)


def exported(page: Page, name: str) -> Path:
    if not page.get_by_role("link", name=name).is_visible():
        page.get_by_text("Export", exact=True).click()
    return download(page, name)
