"""`genoku serve`: the web app."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from genoku.cli.completion import folders
from genoku.cli.options import command, option, whole_number
from genoku.cli.output import say
from genoku.errors import GenokuError, require_extra


@command()
@option(
    "--port",
    help="Port to listen on.",
    **whole_number(least=0, most=65535),
    show_default="8000, or the next free one",
)
@option("--host", default="127.0.0.1", metavar="ADDRESS", help="Address to listen on.")
@option(
    "--token",
    default="",
    show_default=False,
    metavar="TEXT",
    help="Secret that other machines must present: 16 or more letters, digits, - and _.",
)
@option(
    "--dir",
    "folder",
    metavar="FOLDER",
    shell_complete=folders,
    help="Folder for studies and sessions.",
    show_default="the data folder of `genoku doctor`",
)
@option("--no-browser", is_flag=True, help="Do not open a browser.")
@option("--sessions", help="Maximum number of live runs.", **whole_number(64, most=1000))
@option(
    "--run-seconds",
    type=click.FloatRange(1, 86400),
    default=3600,
    metavar="S",
    help="Maximum length of a live run in seconds.",
)
def serve(
    port: int | None,
    host: str,
    token: str,
    folder: str | None,
    no_browser: bool,
    sessions: int,
    run_seconds: float,
) -> None:
    """Serve the web app: boards, live runs, races and studies in your browser.

    Examples:
      genoku serve                     opens http://127.0.0.1:8000/ in your browser
      genoku serve --port 9000 --no-browser
      genoku serve --host 0.0.0.0 --token a-secret-of-yours   for a class; the link has the token

    Ctrl-C stops the server. Runs in progress are saved and can be resumed from their pages.
    """
    require_extra("web", "the web app requires FastAPI and uvicorn", "fastapi", "uvicorn")
    require_extra(
        "lab", "the web app requires the laboratory", "matplotlib", "scipy", "markdown_it"
    )
    from genoku.web.app import listen, serve as run_server
    from genoku.web.limits import Limits

    place = _data_folder(folder)
    address = listen(host, port, token)
    limits = Limits(sessions=sessions, run_seconds=run_seconds)

    def ready() -> None:
        say(f"genoku is running at {address.link} (Ctrl-C stops it)")
        if address.network_link:
            say(f"without name resolution: {address.network_link}")
        if not no_browser:
            webbrowser.open(address.link)

    run_server(address, place, limits, ready)
    say("stopped")


def _data_folder(folder: str | None) -> Path:
    """Create the folder of studies and sessions, and check that it is writable."""
    import platformdirs

    place = Path(folder or platformdirs.user_data_dir("genoku", appauthor=False)).absolute()
    try:
        place.mkdir(parents=True, exist_ok=True)
        probe = place / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise GenokuError(f"--dir {place}: {error.strerror}") from None
    return place
