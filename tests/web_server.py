"""The web app on a port of this machine, in a thread of the tests."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from patience import PATIENCE

from genoku.web.app import Address, Server, create_app, listen, server_config
from genoku.web.limits import Limits

EASY = "1.....3..4.....2"
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."


@dataclass(frozen=True)
class Served:
    """A server that answers."""

    app: FastAPI
    address: Address
    loop: asyncio.AbstractEventLoop

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.address.port}"

    def exchange(self, *lines: str, body: bytes = b"") -> bytes:
        """What comes back for bytes as they are, from a connection that is closed after them."""
        with self.connected() as line:
            line.sendall("\r\n".join([*lines, "", ""]).encode() + body)
            answer = b""
            while part := line.recv(65536):
                answer += part
            return answer

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.address.port), PATIENCE)


@contextmanager
def served(folder: Path, limits: Limits | None = None, token: str = "") -> Iterator[Served]:
    """Serve until the end of the block."""
    limits = limits or Limits(live_workers=1, job_workers=1)
    address = listen("127.0.0.1", 0, token)
    app = create_app(folder, limits, address.rules(limits))
    server, found = Server(server_config(app)), dict[str, Any]()
    ready = threading.Event()

    async def main() -> None:
        found["loop"] = asyncio.get_running_loop()
        serving = asyncio.ensure_future(server.serve([address.socket]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        ready.set()
        await serving

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        assert server.started
        yield Served(app, address, found["loop"])
    finally:
        app.state.services.sessions.close_streams()
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def client_of(folder: Path, limits: Limits | None = None) -> Iterator[httpx.Client]:
    """Ask a server of one's own until the end of the block."""
    with (
        served(folder, limits) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        yield client
