"""The FastAPI app and the server: address, start, requests, shutdown."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_letters, digits
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from genoku import __version__
from genoku.errors import GenokuError
from genoku.web.http_errors import ERROR_RESPONSES, install_error_handlers
from genoku.web.limits import Limits
from genoku.web.routes import boards, lessons, live, recipes, report_runs, reports, studies
from genoku.web.security import Rules, SecurityMiddleware
from genoku.web.services import Services

PORT = 8000
PORTS_TRIED = 50  # from the default port on, if the user names none
TOKEN_LENGTH = 16  # characters, at least; of a token
MAX_CONNECTIONS = 1000
SEND_BUFFER = 32_768  # bytes per connection
SHUTDOWN_SECONDS = 1  # for open requests
HEADER_SECONDS = 20.0  # in which the headers of a request must arrive
ANY_ADDRESS = ("0.0.0.0", "::")
_TOKEN_CHARACTERS = frozenset(ascii_letters + digits + "-_")
STATIC = Path(__file__).parent / "static"

DESCRIPTION = """
The pages of genoku use only these endpoints, so programs can do whatever the pages do. Requests
and answers are JSON. A refused request is answered with `{"detail": "…"}`, one sentence that says
what was expected and what came.

A **run** or a **race** is a session: start it, watch it as a stream of server-sent events, control
it. A session without listeners is saved to disk after a while and can be restored.
A **study** is many runs, kept in a store of its own.
"""
TAGS = {
    "boards": "Puzzles: read, check, rate, explain and generate them.",
    "recipes": "Algorithms as data: presets, parts, and which of them fit together.",
    "runs": "One algorithm on one puzzle, live.",
    "races": "Two to four algorithms on the same puzzle, live.",
    "studies": "Many seeded runs, their results and reports.",
    "reports": "The five reports, and whether their claims hold.",
    "lessons": "Operators explained step by step.",
    "status": "The server itself.",
}


def create_app(folder: Path, limits: Limits | None = None, rules: Rules | None = None) -> FastAPI:
    """Create the app of a server that keeps studies and sessions in a folder."""
    limits = limits or Limits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services = app.state.services = Services(limits, folder)
        await services.start()
        try:
            yield
        finally:
            await services.stop()

    app = FastAPI(
        title="genoku",
        version=__version__,
        summary="An evolution lab for Sudoku",
        description=DESCRIPTION,
        openapi_tags=[{"name": name, "description": about} for name, about in TAGS.items()],
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=ERROR_RESPONSES,
        generate_unique_id_function=_operation_id,
    )
    install_error_handlers(app)
    app.add_middleware(SecurityMiddleware, rules=rules or Rules(body=limits.body))
    for module in (boards, recipes, live, studies, reports, report_runs, lessons):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=STATIC), "static")

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    return app


def _operation_id(route: APIRoute) -> str:
    """Return the operation id of a route: `runs_control`."""
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name


@dataclass(frozen=True)
class Address:
    """Where a server listens, and the token it requires."""

    socket: socket.socket
    host: str
    port: int
    token: str

    @property
    def link(self) -> str:
        """The link that the user opens."""
        bare = f"http://{_host_in_url(self.host)}:{self.port}/"
        return f"{bare}?token={self.token}" if self.token else bare

    @property
    def network_link(self) -> str | None:
        """The link by this machine's IP address, for a server that listens on all addresses."""
        if self.host not in ANY_ADDRESS:
            return None
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # sends nothing, but selects the network interface
            except OSError:  # without a network
                return None
            number: str = probe.getsockname()[0]
        return replace(self, host=number).link

    def rules(self, limits: Limits) -> Rules:
        names = ("localhost", "127.0.0.1", "[::1]", _host_in_url(self.host).lower())
        hosts = frozenset(f"{name}:{self.port}" for name in names)
        known = hosts if is_loopback(self.host) else None
        return Rules(known, self.token, f"genoku-{self.port}", limits.body)


def listen(host: str, port: int | None, token: str) -> Address:
    """Bind an address; GenokuError if the host, port or token cannot be used."""
    if not _TOKEN_CHARACTERS.issuperset(token):
        raise GenokuError("--token: expected letters, digits, - and _ only")
    if 0 < len(token) < TOKEN_LENGTH:
        raise GenokuError(
            f"--token: expected at least {TOKEN_LENGTH} letters and digits, got {len(token)}"
        )
    if not token and not is_loopback(host):
        raise GenokuError(
            f"--host {host} is open to the whole network, which requires a token of your own, "
            f"for example: --token {secrets.token_urlsafe(18)}"
        )
    wanted = [PORT + more for more in range(PORTS_TRIED)] if port is None else [port]
    for each in wanted:
        if found := _bind(host, each):
            return Address(found, host, found.getsockname()[1], token)
    taken = f"port {port} is" if port is not None else f"ports {PORT} to {wanted[-1]} are"
    raise GenokuError(f"{taken} in use by other programs: choose another with --port")


def _bind(host: str, port: int) -> socket.socket | None:
    """Return a listening socket; None if another program uses the port."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise GenokuError(f"--host: expected an address of this machine, got {host!r}") from None
    # With IPPROTO_TCP asyncio sets TCP_NODELAY; without it small answers take 40 ms.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # where it would let two servers share a port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Frames that wait here for a slow listener are outdated; the default is megabytes.
        found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        found.bind(address)
        found.listen(512)
    except OSError as error:
        found.close()
        if error.errno == errno.EADDRINUSE:
            return None
        said = error.strerror or str(error)
        raise GenokuError(f"cannot listen on {host}, port {port}: {said}") from None
    return found


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server at that host."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host_in_url(host: str) -> str:
    """Return a host as written in URLs; this machine's name for "all addresses"."""
    if host in ANY_ADDRESS:
        host = socket.gethostname()
    return f"[{host}]" if ":" in host else host


class HttpProtocol(H11Protocol):
    """Uvicorn's HTTP protocol with a time limit for headers, which it lacks."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # asyncio and uvicorn disagree on its type
        super().connection_made(transport)
        self._start_deadline()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._start_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._cancel_deadline()

    def _start_deadline(self) -> None:
        """Close the connection unless all headers arrive by a deadline, which no data extends."""
        if self.cycle and not self.cycle.response_complete:  # it is None before the first request
            self._cancel_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class Server(uvicorn.Server):
    """Uvicorn without its signal handlers: `serve` installs its own."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(address: Address, folder: Path, limits: Limits, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C; call `ready` as soon as requests are answered."""
    app = create_app(folder, limits, address.rules(limits))
    asyncio.run(_serve(Server(server_config(app)), app, address, ready))


def server_config(app: FastAPI) -> uvicorn.Config:
    """Return the uvicorn settings for the app."""
    return uvicorn.Config(
        app,
        http=HttpProtocol,
        log_level="error",
        access_log=False,
        ws="none",
        server_header=False,
        proxy_headers=False,  # there is no proxy, and anyone can send these headers
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        timeout_keep_alive=30,
    )


async def _serve(server: Server, app: FastAPI, address: Address, ready: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()

    def end(*_: object) -> None:
        server.force_exit = server.should_exit  # a second Ctrl-C does not wait
        server.should_exit = True
        services = getattr(app.state, "services", None)  # set when the app has started
        if services is not None:
            services.sessions.close_streams()

    for each in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(each) is signal.SIG_IGN:  # as by `&` in a script
            continue
        if sys.platform == "win32":
            signal.signal(each, lambda *_: loop.call_soon_threadsafe(end))
        else:
            loop.add_signal_handler(each, end)
    serving = asyncio.ensure_future(server.serve([address.socket]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.02)
    if server.started:
        ready()
    await serving
