"""`genoku serve`: the web app."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from genoku.cli.completion import folders
from genoku.cli.options import number_option
from genoku.cli.output import say
from genoku.errors import GenokuError


@click.command(
    epilog="""\b
Examples:
  genoku serve                     opens http://127.0.0.1:8000/ in your browser
  genoku serve --port 9000 --no-browser
  genoku serve --host 0.0.0.0 --token a-secret-of-yours     for a class; the link has the token

\b
Ctrl-C ends it. Runs that were on their way are kept, and can be resumed from their pages.
"""
)
@number_option("--port", "Port to listen at.", least=0, most=65535, show_default="8000 or next")
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Address to listen at.")
@click.option(
    "--token",
    default="",
    show_default=False,
    metavar="TEXT",
    help="What others must know, needed beyond this machine: 16 or more letters, digits, - and _.",
)
@click.option(
    "--dir",
    "folder",
    metavar="FOLDER",
    shell_complete=folders,
    help="Where studies and sessions are kept.",
    show_default="the data folder of `genoku doctor`",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@number_option("--sessions", "Live runs and races at a time.", 64, most=1000)
@click.option(
    "--run-seconds",
    type=click.FloatRange(1, 86400),
    default=3600,
    metavar="S",
    help="Seconds of a live run, at most.",
)
def serve(
    port: int | None,
    host: str,
    token: str,
    folder: str | None,
    no_browser: bool,
    sessions: int,
    run_seconds: float,
) -> int:
    """Serve the web app: boards, live runs and races, studies, in your browser."""
    from genoku.errors import require

    require("web", "the web app needs FastAPI and uvicorn", "fastapi", "uvicorn")
    require("lab", "the web app needs the laboratory", "matplotlib", "scipy", "markdown_it")
    from genoku.web.app import listen
    from genoku.web.app import serve as served
    from genoku.web.limits import Limits

    place = _folder(folder)
    address = listen(host, port, token)
    limits = Limits(sessions=sessions, run_seconds=run_seconds)

    def ready() -> None:
        say(f"genoku is at {address.link} (Ctrl-C ends it)")
        if address.network_link:
            say(f"where that name is not known: {address.network_link}")
        if not no_browser:
            webbrowser.open(address.link)

    served(address, place, limits, ready)
    say("ended")
    return 0


def _folder(asked: str | None) -> Path:
    """Where studies and sessions are kept, once it is there and can be written to."""
    import platformdirs

    place = Path(asked or platformdirs.user_data_dir("genoku", appauthor=False)).absolute()
    try:
        place.mkdir(parents=True, exist_ok=True)
        probe = place / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise GenokuError(f"--dir {place}: {error.strerror}") from None
    return place
