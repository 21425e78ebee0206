"""Take pictures of the web app for the README and the documentation.

    python3 run.py bench screenshots [NAME …] [--to docs/screenshots] [--list]

A server in a temporary folder, Chromium, fixed seeds and steps: only times and rates differ between
runs. Colours are reduced to a palette, so that files stay small.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlencode

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.processes import serving
from benchmarks.web import Server
from genoku.puzzle.bundled_puzzles import bundled

FOLDER = Path(__file__).parents[1] / "docs" / "screenshots"
BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--font-render-hinting=none")
COLOURS = 256
SCALE = 1.5
DESK, PHONE = (1280, 860), (390, 800)
PATIENCE = 60_000  # milliseconds, on a busy machine


class Shot(NamedTuple):
    """A picture, and how to bring the page into its state."""

    arrange: Callable[[Page, Server], None]
    theme: str = "light"
    size: tuple[int, int] = DESK


def at(page: Page, place: str, **settings: object) -> None:
    """Open a page, with the settings of a share link."""
    query = urlencode({name: str(value) for name, value in settings.items()})
    page.goto(f"/#/{place}?{query}" if query else f"/#/{place}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def on(name: str) -> dict[str, object]:
    """Return a bundled puzzle in the format of links."""
    puzzle = bundled()[name].puzzle
    return {"puzzle": puzzle, "box": puzzle.geometry.box, "name": name}


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def stepped(page: Page, server: Server, steps: int, by: int = 10) -> None:
    """Start a run and advance it by a number of steps, some at a time."""
    expect(page.get_by_label("Preset", exact=True)).to_be_visible()
    press(page, "Start paused")
    expect(page.get_by_role("button", name="Resume", exact=True)).to_be_enabled()
    [identity] = parse_qs(page.url)["run"]
    for _ in range(steps // by):
        server.control(identity, "step", steps=by)
        page.wait_for_timeout(60)  # so that the page sees the course of it
    counters = page.get_by_role("definition").filter(has_text=f"{steps:,}")
    expect(counters.first).to_be_visible()
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(1000)  # until nothing flashes


def live(page: Page, server: Server) -> None:
    at(page, "solve", **on("charles-hard"), preset="sundy", seed=3)
    stepped(page, server, 300)


def large(page: Page, server: Server) -> None:
    at(page, "solve", **on("25x25-half"), preset="memetic", seed=1)
    stepped(page, server, 12, by=1)


def setup(page: Page, _: Server) -> None:
    at(page, "solve", **on("charles-hard"), preset="charles", seed=7)
    expect(page.get_by_text("hardest step").first).to_be_visible()
    press(page, "Hint")
    expect(page.get_by_role("region", name="Hint").get_by_role("heading")).to_be_visible()
    page.evaluate("window.scrollTo(0, 0)")


def race(page: Page, _: Server) -> None:
    lanes = ["annealing", "sundy", "poderosas", "charles"]
    settings = urlencode([*on("inkala-2012").items(), ("seed", 1), ("until", "seconds=3")])
    at(page, f"race?{settings}&{urlencode([('lane', each) for each in lanes])}")
    press(page, "Start the race")
    expect(page.get_by_role("button", name="Race again")).to_be_visible()
    page.evaluate("window.scrollTo(0, 0)")


def study(page: Page, server: Server) -> None:
    answer = server.client.post(
        "/api/studies",
        json={
            "name": "population",
            "question": "Does a larger population help report 004's algorithm?",
            "algorithms": [
                {"preset": "sundy", "settings": {"population": size}, "name": f"sundy, {size}"}
                for size in (50, 200, 800)
            ],
            "puzzles": [{"bundled": "poderosas-medium"}, {"bundled": "charles-easy"}],
            "seeds": {"first": 0, "count": 20},
            "until": "evaluations=60000",
            "run": True,
        },
    )
    answer.raise_for_status()
    while server.client.get("/api/studies/population").json()["state"] != "done":
        time.sleep(0.5)
    at(page, "studies/population")
    drawing = page.get_by_role("img").first
    expect(drawing).to_be_visible()
    drawing.evaluate("(image) => window.scrollBy(0, image.getBoundingClientRect().top - 480)")


def reports(page: Page, _: Server) -> None:
    at(page, "reports/003")
    expect(page.get_by_role("heading", name="Its claims, tested")).to_be_visible()
    expect(page.get_by_role("link", name="Run it as its author did")).to_be_visible()


def learn(page: Page, _: Server) -> None:
    at(page, "learn/crossover")
    page.wait_for_timeout(2500)  # some way into the scene


SHOTS = {
    "solve": Shot(live),
    "solve-dark": Shot(live, "dark"),
    "setup": Shot(setup),
    "large": Shot(large, "dark"),
    "race": Shot(race),
    "study": Shot(study),
    "reports": Shot(reports, "dark"),
    "learn": Shot(learn),
    "phone": Shot(live, "dark", PHONE),
}


def take_screenshot(browser: Browser, server: Server, shot: Shot) -> bytes:
    """Take the picture as a small PNG."""
    from PIL import Image

    context = browser.new_context(
        base_url=server.url,
        viewport={"width": shot.size[0], "height": shot.size[1]},
        device_scale_factor=SCALE,
        color_scheme="dark" if shot.theme == "dark" else "light",
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    shot.arrange(page, server)
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    whole = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    context.close()
    small = whole.quantize(COLOURS, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True)
    return file.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SHOTS)}")
    parser.add_argument("--to", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("--list", action="store_true", help="only say which pictures there are")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(SHOTS):
        parser.error(f"expected names of {', '.join(SHOTS)}, got {', '.join(sorted(unknown))}")
    if asked.list:
        print(*SHOTS, sep="\n")
        return 0
    found = next((each for each in BROWSERS if Path(each).exists()), None)
    if not found:
        sys.exit(f"no browser found: looked for {', '.join(BROWSERS)}")
    asked.to.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE)
    with serving() as served, sync_playwright() as playwright:
        server = Server(served)
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        for name in asked.names or SHOTS:
            picture = take_screenshot(browser, server, SHOTS[name])
            path = asked.to / f"{name}.png"
            path.write_bytes(picture)
            print(f"{name:12} {len(picture) / 1000:6.0f} kB")
        browser.close()
    return 0
