"""Whether the web app loses memory under attack.

    python3 run.py bench web_memory

The same attack again and again on `genoku serve`: large runs on boards of all sizes, questions of
all kinds, requests that are refused, connections that say nothing. Loaded code comes with the first
rounds; what is lost would come with every one, and may be 1 % of all memory a round at most.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from contextlib import ExitStack, suppress

from benchmarks.bars import Bars
from benchmarks.oracle import machine
from benchmarks.web import BOARDS, PRESETS, Server, serving
from genoku.collection import bundled

ROUNDS = 8
LOADED = 4  # of them, after which everything has been used that the attack uses


def measure(server: Server, bars: Bars) -> None:
    print(f"megabytes of the server and of each of its processes, {ROUNDS} rounds")
    totals = [told(server, "start")]
    for number in range(1, ROUNDS + 1):
        attack(server)
        totals.append(told(server, f"round {number}"))
    later = totals[LOADED:]
    each = (later[-1] - later[0]) / (len(later) - 1)
    print(f"  after round {LOADED} each added {each:.1f} MB of {later[0]:.0f}", end="  ")
    print(bars.most("memory under attack", 100 * each / later[0], 1))


def told(server: Server, when: str) -> float:
    time.sleep(1.0)  # for clerks that come and go
    sizes = [server.memory()]
    for pid in server.children():
        with suppress(OSError):
            sizes.append(server.memory(pid))
    print(f"  {when}: {sum(sizes):.0f} = {' + '.join(f'{size:.0f}' for size in sizes)}", flush=True)
    return sum(sizes)


def attack(server: Server) -> None:
    """Whatever a stranger can ask for, and much of it."""
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


def main() -> int:
    print(f"{machine()}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    bars = Bars()
    with serving() as server:
        measure(server, bars)
    print(f"\n{bars}")
    return 1 if bars.missed else 0


if __name__ == "__main__":
    sys.exit(main())
