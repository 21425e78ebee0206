"""The web app under load: each figure with its target.

    python3 run.py bench web [watching] [sessions] [slow] [frames] [memory]
    python3 run.py bench web fuzz --requests 20000

Everything goes through a real server (`genoku serve`, a process of its own) and real sockets.

watching   steps of a run in a second while a client listens and while none does, in turns, with the
           same seed; listening may cost 10 % at most. Beside it the same for a second of processor
           time of the run's process, which other work on the machine disturbs less
sessions   50 live runs on boards of all sizes, a listener for each, and a client that clicks pause,
           step and resume on one after another: 95 of 100 clicks must be answered in 300 ms
slow       a listener that reads 4 kB in a second: the frames it skips, and what the server keeps
frames     pictures in a second that chromium shows of a 25×25 board while the solver runs: 20 at
           least
memory     the same attack again and again: large runs on boards of all sizes, questions of all
           kinds, requests that are refused, connections that say nothing. Loaded code comes with
           the first rounds; what is lost would come with every one: 1 % of all memory at most
fuzz       requests made up from the API's description (tests/test_web_schema.py, for longer)
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from benchmarks.measuring import Bars, machine_text
from benchmarks.processes import Serving, descendants, serving
from genoku.puzzle.bundled_puzzles import bundled

SECONDS = 3.0
PAIRS = 8
WATCHED = (
    ("simon", "25x25-half"),
    ("poderosas", "25x25-half"),
    ("annealing", "36x36-45-percent"),
)
SESSIONS = 50
CLICKS = 600
PRESETS = ("simon", "poderosas", "charles", "eran-shahar-ga")  # none of which is soon through
BOARDS = ("inkala-2012", "golden-nugget", "16x16-minimal", "25x25-half", "25x25-45-percent")
PARTS = ("watching", "sessions", "slow", "frames", "memory")


class Server:
    """`genoku serve`, and requests to it."""

    def __init__(self, serving: Serving) -> None:
        self.process, self.host, self.port = serving
        self.url = serving.url
        self.client = httpx.Client(base_url=self.url, timeout=120)

    def start(self, preset: str, board: str, **more: Any) -> str:
        """Start a run, and return its id."""
        puzzle = bundled()[board].puzzle
        plan = {"puzzle": str(puzzle), "box": puzzle.geometry.box, "preset": preset, "seed": 1}
        answer = self.client.post("/api/runs", json={**plan, "until": "seconds=900", **more})
        if answer.status_code != 200:
            sys.exit(answer.text)
        identity: str = answer.json()["id"]
        while self.client.get(f"/api/runs/{identity}").json()["frame"]["phase"] == "waiting":
            time.sleep(0.1)
        return identity

    def control(self, identity: str, do: str, **more: Any) -> dict[str, Any]:
        answer = self.client.post(f"/api/runs/{identity}/control", json={"do": do, **more})
        frame: dict[str, Any] = answer.raise_for_status().json()
        return frame

    def processor_seconds(self) -> float:
        """Return the CPU seconds of the server's worker processes."""
        ticks = 0
        for pid in self.children():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self, pid: int | None = None) -> float:
        """Return the megabytes of a process, by default of the server."""
        pages = int(Path(f"/proc/{pid or self.process.pid}/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def children(self) -> list[int]:
        return descendants(self.process.pid)


# Listeners, in processes of their own


async def listen(host: str, port: int, identity: str, rate: float | None = None) -> None:
    """Read a stream, without a limit or at a number of bytes per second."""
    limit = 2**16 if rate is None else 1024
    reader, writer = await asyncio.open_connection(host, port, limit=limit)
    asked = f"GET /api/runs/{identity}/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
    writer.write(asked.encode())
    while await reader.read(limit):
        if rate is not None:
            await asyncio.sleep(limit / rate)


def listen_to(host: str, port: int, identities: list[str]) -> None:
    async def all_of_them() -> None:
        await asyncio.gather(*(listen(host, port, each) for each in identities))

    asyncio.run(all_of_them())


@contextmanager
def listened(server: Server, identities: list[str]) -> Iterator[None]:
    """Listen to a run in the background."""
    if not identities:
        yield
        return
    process = get_context("spawn").Process(
        target=listen_to, args=(server.host, server.port, identities), daemon=True
    )
    process.start()
    while server.client.get("/api/status").json()["listeners"] < len(identities):
        time.sleep(0.05)
    try:
        yield
    finally:
        process.kill()
        process.join()
        while server.client.get("/api/status").json()["listeners"]:
            time.sleep(0.05)


# Watching


def watching(server: Server, bars: Bars) -> None:
    print(f"\nwatching: steps in a second, medians of {PAIRS} pairs of {SECONDS:g} s in turns")
    for preset, board in WATCHED:
        pairs = []
        for number in range(PAIRS):
            order = (False, True) if number % 2 else (True, False)
            found = {each: steps(server, preset, board, each) for each in order}
            pairs.append((found[True], found[False]))
        wall, cpu = (
            100 * (1 - median(seen[kind] / unseen[kind] for seen, unseen in pairs))
            for kind in (0, 1)
        )
        seen, unseen = (median(each[0] for each in column) for column in zip(*pairs, strict=True))
        verdict = bars.most(f"watching {preset}", wall, 10)
        print(
            f"  {preset:10} on {board:17} watched {seen:8,.0f}, not watched {unseen:8,.0f}: "
            f"watching costs {wall:5.1f} %  {verdict}  (of processor time: {cpu:.1f} %)"
        )


def steps(server: Server, preset: str, board: str, is_watched: bool) -> tuple[float, float]:
    """Return the steps of a run per second of wall time and of CPU time."""
    identity = server.start(preset, board, paused=True)
    with listened(server, [identity] if is_watched else []):
        before = server.control(identity, "resume")
        began, cpu = time.perf_counter(), server.processor_seconds()
        time.sleep(SECONDS)
        after = server.control(identity, "pause")
        spent, cpu = time.perf_counter() - began, server.processor_seconds() - cpu
    server.client.delete(f"/api/runs/{identity}")
    if after["phase"] == "ended":
        sys.exit(f"{preset} on {board} ended before it was measured: {after['verdict']}")
    made = after["lanes"][0]["step"] - before["lanes"][0]["step"]
    return made / spent, made / cpu


# Many sessions


def sessions(server: Server, bars: Bars) -> None:
    print(f"\nsessions: {SESSIONS} live runs, {SESSIONS} listeners, {CLICKS} clicks")
    identities = [
        server.start(PRESETS[each % len(PRESETS)], BOARDS[each % len(BOARDS)], seed=each)
        for each in range(SESSIONS)
    ]
    with listened(server, identities):
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=click, args=(theirs, server.url, identities))
        process.start()
        times = sorted(ours.recv())
        process.join()
        status = server.client.get("/api/status").json()
        lives = [server.client.get(f"/api/runs/{each}").json()["frame"] for each in identities]
    going = sum(frame["phase"] in ("running", "paused") for frame in lives)
    moved = sum(frame["lanes"][0]["step"] > 0 for frame in lives)
    p50, p95 = (1000 * times[int(len(times) * share)] for share in (0.5, 0.95))
    verdict = bars.most("p95 of a click", p95, 300)
    print(f"  {status['sessions']} sessions, {going} going on, {moved} have made steps")
    print(
        f"  a click: p50 {p50:.0f} ms, p95 {p95:.0f} ms, max {1000 * times[-1]:.0f} ms  {verdict}"
    )
    refused = server.client.get("/api/status").json()["limits"]["sessions"] - SESSIONS
    codes = [server.client.post("/api/runs", json=EASY).status_code for _ in range(refused + 1)]
    print(f"  beyond the limit: {codes.count(200)} more were opened, then {codes[-1]}")
    bars.least("a polite refusal", codes[-1] == 429, 1)
    for each in identities:
        server.client.delete(f"/api/runs/{each}")


EASY = {"puzzle": "1.....3..4.....2", "preset": "simon", "paused": True}


def click(connection: Any, url: str, identities: list[str]) -> None:
    """Click on one session after another, and return how long each click took."""
    times = []
    with httpx.Client(base_url=url, timeout=120) as client:
        for number in range(CLICKS):
            path = f"/api/runs/{identities[number // 3 % len(identities)]}/control"
            do = ("pause", "step", "resume")[number % 3]
            began = time.perf_counter()
            client.post(path, json={"do": do}).raise_for_status()
            times.append(time.perf_counter() - began)
    connection.send(times)


# A slow listener


def slow(server: Server, bars: Bars) -> None:
    seconds, rate = 20.0, 4096.0
    print(f"\nslow: a listener that reads {rate:,.0f} bytes in a second, for {seconds:g} s")
    identity = server.start("simon", "25x25-half")
    before, first = server.memory(), server.control(identity, "resume")["seq"]

    async def read() -> bytes:
        reader, writer = await asyncio.open_connection(server.host, server.port, limit=1024)
        asked = f"GET /api/runs/{identity}/events HTTP/1.1\r\nHost: {server.host}:{server.port}"
        writer.write(f"{asked}\r\n\r\n".encode())
        got, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            got += await reader.read(1024)
            await asyncio.sleep(1024 / rate)
        writer.close()
        return got

    got = asyncio.run(read())
    made = server.control(identity, "pause")["seq"] - first
    seen = len(re.findall(rb"data: \{", got))
    grown = server.memory() - before
    print(f"  {made} frames were made, {seen} read, {made - seen} skipped or never sent")
    print(
        f"  the server grew by {grown:.1f} MB  {bars.most('memory of a slow listener', grown, 5)}"
    )
    server.client.delete(f"/api/runs/{identity}")


# Pictures in a browser


def frames(server: Server, bars: Bars) -> None:
    from playwright.sync_api import sync_playwright

    print("\nframes: what chromium shows of a 25×25 board while the solver runs")
    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run"]
    names = ("chromium", "chromium-browser", "google-chrome")
    browser_path = next(filter(None, map(shutil.which, names)), None)
    if browser_path is None:
        print("  no chromium here")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=flags)
        page = browser.new_page()
        page.add_init_script(COUNTING)
        for preset, board in WATCHED[:2]:
            identity = server.start(preset, board)
            page.goto(f"{server.url}/#/solve?run={identity}")
            page.wait_for_selector("canvas")
            page.wait_for_timeout(2000)
            rate, repaints = page.evaluate(COUNT)
            verdict = bars.least(f"frames of {preset}", rate, 20)
            print(
                f"  {preset:10} on {board:18} {rate:.1f} pictures in a second  {verdict}"
                f"  (of {repaints:.0f} that the browser paints at all)"
            )
            server.client.delete(f"/api/runs/{identity}")
        browser.close()


# The page reads a frame's text only when it draws it, so that what it has read was shown.
COUNTING = """
const parse = JSON.parse;
window.shown = 0;
JSON.parse = (text, ...rest) => {
  if (String(text).startsWith('{"seq"')) window.shown += 1;
  return parse(text, ...rest);
};
"""
COUNT = """() => new Promise((resolve) => {
  const began = performance.now(), before = window.shown;
  let repaints = 0;
  function look(now) {
    repaints += 1;
    if (now - began < 5000) return requestAnimationFrame(look);
    const seconds = (now - began) / 1000;
    resolve([(window.shown - before) / seconds, repaints / seconds]);
  }
  requestAnimationFrame(look);
})"""


# Memory under attack


ROUNDS = 8
LOADED = 4  # of them, after which everything has been used that the attack uses


def memory(server: Server, bars: Bars) -> None:
    print(f"\nmemory: megabytes of the server and of each of its processes, {ROUNDS} rounds")
    totals = [print_memory(server, "start")]
    for number in range(1, ROUNDS + 1):
        attack(server)
        totals.append(print_memory(server, f"round {number}"))
    later = totals[LOADED:]
    each = (later[-1] - later[0]) / (len(later) - 1)
    print(f"  after round {LOADED} each added {each:.1f} MB of {later[0]:.0f}", end="  ")
    print(bars.most("memory under attack", 100 * each / later[0], 1))


def print_memory(server: Server, when: str) -> float:
    time.sleep(1.0)  # for job workers that come and go
    sizes = [server.memory()]
    for pid in server.children():
        with suppress(OSError):
            sizes.append(server.memory(pid))
    print(f"  {when}: {sum(sizes):.0f} = {' + '.join(f'{size:.0f}' for size in sizes)}", flush=True)
    return sum(sizes)


def attack(server: Server) -> None:
    """Send many requests of all kinds."""
    client = server.client
    large = {"settings": {"population": 5000}}
    runs = [
        server.start(preset, board, **(large if preset == "simon" else {}))
        for board in BOARDS
        for preset in PRESETS[:2]
    ]
    for run in runs:
        for path in ("curve", "population?count=2000", "individuals/0"):
            client.get(f"/api/runs/{run}/{path}")
        for speed in (1e-300, -1, 1e300, 5.0):
            client.post(f"/api/runs/{run}/control", json={"do": "speed", "speed": speed})
    for board in BOARDS:
        puzzle = bundled()[board].puzzle
        asked = {"puzzle": str(puzzle), "box": puzzle.geometry.box}
        client.post("/api/puzzles/check", json={**asked, "rate": True})
        client.post("/api/puzzles/hint", json=asked)
    client.post("/api/puzzles/import", json={"text": f"{bundled()[BOARDS[0]].puzzle}\n" * 8000})
    for name in ("crossover", "mutation"):
        client.get(f"/api/lessons/{name}")
    for path in ("presets", "operators", "studies", "reports", "nowhere"):
        client.get(f"/api/{path}")
    for body in (b"[" * 100_000, b'{"puzzle": "' + b"1" * 1_900_000 + b'"}', b"9" * 3_000_000):
        for path in ("runs", "puzzles/check", "studies"):
            head = {"Content-Type": "application/json"}
            client.post(f"/api/{path}", content=body, headers=head)
    with ExitStack() as lines:
        for _ in range(100):
            line = lines.enter_context(socket.create_connection((server.host, server.port)))
            line.sendall(b"GET /api/status HTTP/1.1\r\nA: ")
    for run in runs:
        client.delete(f"/api/runs/{run}")


def fuzz(count: int) -> int:
    """Test the API against its description with a number of requests."""
    root = Path(__file__).resolve().parents[1]
    words = ["-m", "pytest", "-q", "-rP", str(root / "tests" / "test_web_schema.py")]
    environment = {**os.environ, "GENOKU_REQUESTS": str(count)}
    return subprocess.run([sys.executable, *words], env=environment, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the web app.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, "fuzz", []], default=[])
    parser.add_argument("--requests", type=int, default=20_000)
    asked = parser.parse_args()
    if "fuzz" in asked.parts:
        return fuzz(asked.requests)
    print(f"{machine_text()}")
    bars = Bars()
    work = {
        "watching": watching,
        "sessions": sessions,
        "slow": slow,
        "frames": frames,
        "memory": memory,
    }
    for part in asked.parts or PARTS:
        with serving() as found:
            server = Server(found)
            work[part](server, bars)
            server.client.close()
    print(f"\n{bars}")
    return 1 if bars.missed else 0
