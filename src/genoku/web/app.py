"""The web server: the app's routes, the page and what guards them, from its address to its end."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_letters, digits

import uvicorn
from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from genoku import __version__
from genoku.errors import GenokuError
from genoku.web.guard import Guard, Rules
from genoku.web.limits import Limits
from genoku.web.refusals import ANSWERS, words_for_errors
from genoku.web.routes import boards, lessons, live, recipes, reports, studies
from genoku.web.services import Services

PORT = 8000
TRIED = 50  # ports after the first, if nobody asked for a certain one
TOKEN = 16  # characters, at least
CONNECTIONS = 1000
UNSENT = 32_768  # bytes on their way to one listener
GOODBYE = 1  # second for requests to come to an end
HEADERS = 20.0  # seconds in which those of a request must have come
EVERYWHERE = ("0.0.0.0", "::")
_PLAIN = frozenset(ascii_letters + digits + "-_")  # what a token is made of
STATIC = Path(__file__).parent / "static"
ROUTERS = (boards, recipes, live, studies, reports, lessons)

DESCRIPTION = """
Everything that the pages of genoku do is done through these addresses, so that programs can do it
too. Requests and answers are JSON. What is refused is answered with `{"detail": "…"}`, in which one
sentence says what was expected and what came.

A **run** or a **race** is a session: it is started, watched as a stream of server-sent events, and
controlled. A session that nobody listens to is put on disk after a while and can be restored.
A **study** is many runs, kept in a store of its own.
"""
TAGS = [
    {"name": "boards", "description": "Puzzles: read, check, rate, explain and make them."},
    {"name": "recipes", "description": "Algorithms as data: presets, parts, and what fits."},
    {"name": "runs", "description": "One algorithm on one puzzle, live."},
    {"name": "races", "description": "Two to four algorithms on the same puzzle, live."},
    {"name": "studies", "description": "Many seeded runs, their results and reports."},
    {"name": "reports", "description": "The five reports and what became of their claims."},
    {"name": "lessons", "description": "Operators at work, step by step."},
    {"name": "status", "description": "The server itself."},
]


def create_app(folder: Path, limits: Limits | None = None, rules: Rules | None = None) -> FastAPI:
    """The app of one server, which keeps studies and sessions in a folder."""
    limits = limits or Limits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        here = Services(limits, folder)
        app.state.services = here
        await here.start()
        try:
            yield
        finally:
            await here.stop()

    app = FastAPI(
        title="genoku",
        version=__version__,
        summary="An evolution lab for Sudoku",
        description=DESCRIPTION,
        openapi_tags=TAGS,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=ANSWERS,
        generate_unique_id_function=_name_of,
    )
    words_for_errors(app)
    app.add_middleware(Guard, rules=rules or Rules(body=limits.body))
    for room in ROUTERS:
        app.include_router(room.router)
    app.mount("/static", StaticFiles(directory=STATIC), "static")

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    return app


def _name_of(route: APIRoute) -> str:
    """A route's name in the API's description: `runs_control`."""
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name


@dataclass(frozen=True)
class Address:
    """Where a server listens, and who may ask it."""

    socket: socket.socket
    host: str
    port: int
    token: str

    @property
    def link(self) -> str:
        """What a person opens."""
        bare = f"http://{_in_link(self.host)}:{self.port}/"
        return f"{bare}?token={self.token}" if self.token else bare

    @property
    def network_link(self) -> str | None:
        """The same by this machine's number in its network, where it listens everywhere."""
        if self.host not in EVERYWHERE:
            return None
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # sends nothing, but chooses the way out
            except OSError:  # without a network
                return None
            number: str = probe.getsockname()[0]
        return replace(self, host=number).link

    def rules(self, limits: Limits) -> Rules:
        names = frozenset(f"{name}:{self.port}" for name in ("localhost", "127.0.0.1", "[::1]"))
        own = frozenset({f"{_in_link(self.host).lower()}:{self.port}"})
        hosts = names | own if is_loopback(self.host) else None
        return Rules(hosts, self.token, f"genoku-{self.port}", limits.body)


def listen(host: str, port: int | None, token: str) -> Address:
    """Take an address, or say why it cannot be had."""
    if not _PLAIN.issuperset(token):
        raise GenokuError("--token: expected letters, digits, - and _ only")
    if 0 < len(token) < TOKEN:
        raise GenokuError(
            f"--token: expected at least {TOKEN} letters and digits, got {len(token)}"
        )
    if not token and not is_loopback(host):
        raise GenokuError(
            f"--host {host} lets the whole network in, which needs a token that you choose, "
            f"for example: --token {secrets.token_urlsafe(18)}"
        )
    wanted = [PORT + more for more in range(TRIED)] if port is None else [port]
    for each in wanted:
        with suppress(_PortTakenError):
            found = _bound(host, each)
            return Address(found, host, found.getsockname()[1], token)
    taken = f"port {port} is" if port is not None else f"ports {PORT} to {wanted[-1]} are"
    raise GenokuError(f"{taken} taken by other programs: choose another with --port")


class _PortTakenError(Exception):
    """Somebody else listens there."""


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise GenokuError(f"--host: expected an address of this machine, got {host!r}") from None
    # Named as TCP, so that asyncio lets it send small answers at once: 40 ms each otherwise.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # where it would let two servers have one port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # What waits here for a slow listener is old when it comes: the system would keep megabytes.
        found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNSENT)
        found.bind(address)
        found.listen(512)
    except OSError as error:
        found.close()
        if error.errno == errno.EADDRINUSE:
            raise _PortTakenError from None
        said = error.strerror or str(error)
        raise GenokuError(f"cannot listen on {host}, port {port}: {said}") from None
    return found


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server there."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _in_link(host: str) -> str:
    """A host as it stands in a link; what listens everywhere is reached as this machine."""
    if host in EVERYWHERE:
        host = socket.gethostname()
    return f"[{host}]" if ":" in host else host


class Protocol(H11Protocol):
    """Uvicorn's own, which would wait without end for the rest of a request's headers."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_a_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect_a_request()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._expect_nothing()

    def _expect_a_request(self) -> None:
        """Hang up in time, unless all headers are there; what comes in between wins no time."""
        if self.cycle and not self.cycle.response_complete:  # there is none at first
            self._expect_nothing()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADERS, self.transport.close)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class Server(uvicorn.Server):
    """Uvicorn, whose signals are ours."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(address: Address, folder: Path, limits: Limits, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C; call `ready` once requests are answered."""
    app = create_app(folder, limits, address.rules(limits))
    asyncio.run(_served(Server(configured(app)), app, address, ready))


def configured(app: FastAPI) -> uvicorn.Config:
    """How uvicorn serves an app of ours."""
    return uvicorn.Config(
        app,
        http=Protocol,
        log_level="error",
        access_log=False,
        ws="none",
        server_header=False,
        proxy_headers=False,  # there is none before it, and anybody can send them
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=GOODBYE,
        timeout_keep_alive=30,
    )


async def _served(
    server: Server, app: FastAPI, address: Address, ready: Callable[[], None]
) -> None:
    loop = asyncio.get_running_loop()

    def end(*_: object) -> None:
        server.force_exit = server.should_exit  # a second Ctrl-C does not wait
        server.should_exit = True
        here = getattr(app.state, "services", None)  # which are there once the app has started
        if here is not None:
            here.sessions.hang_up()

    for each in (signal.SIGINT, signal.SIGTERM):
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
