"""How the command line begins and ends: its commands are found, and errors become words."""

from __future__ import annotations

import io
import os
import signal
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from typing import Any, NoReturn

import click

from genoku import __version__
from genoku.cli import COMMANDS, EXIT_INPUT, EXIT_INTERRUPTED, EXIT_TERMINATED
from genoku.errors import GenokuError
from genoku.failures import is_interrupt, listen
from genoku.words import did_you_mean


class LazyGroup(click.Group):
    """Loads a command when it is called, so that `--help` need not load them all."""

    def __init__(self, *, lazy: dict[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(**options)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return None
        module = import_module(f"genoku.cli.{self.lazy[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in self.lazy or name.startswith("-"):
            return super().resolve_command(ctx, args)
        raise click.UsageError(f"no command {name!r}{did_you_mean(name, self.lazy)}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.lazy.items()])


@click.group(
    "genoku",
    cls=LazyGroup,
    lazy=COMMANDS,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
    epilog="""\b
Examples:
  genoku solve                          solve a hard puzzle that comes with genoku
  genoku solve --preset simon --watch   see a report's algorithm evolve a board
  genoku solve 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
  genoku check puzzles.txt              is every puzzle's solution the only one?
  genoku generate --level hard --count 6 --pdf sheet.pdf

\b
Exit codes: 0 all well; 1 not solved, not exactly one solution, or runs that failed; 2 bad input;
130 interrupted.
""",
)
@click.version_option(__version__, prog_name="genoku")
def cli() -> None:
    """An evolution lab for Sudoku: boards from 4×4 to 36×36, solved, checked, rated and made."""


def enter(arguments: list[str] | None = None, command: click.Command = cli) -> NoReturn:
    """Run the command line, or another `command`, and exit with its code."""
    # A stream that was closed before we started is None, and one to nowhere serves as well.
    nowhere = Path(os.devnull).open("w")  # noqa: SIM115 (as long as we run)
    sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a terminal cannot show becomes ?
            stream.reconfigure(errors="replace")
    warnings.formatwarning = lambda message, *_where: f"genoku: {message}\n"
    signal.signal(signal.SIGTERM, _terminate)
    listen()
    try:
        code = exit_code(arguments, command)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else EXIT_INPUT
    if code in (EXIT_INTERRUPTED, EXIT_TERMINATED):
        # Python would wait for workers and their threads; these end by themselves when we do.
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        if util := sys.modules.get("multiprocessing.util"):
            util._run_finalizers(0)  # gives semaphores back, of which a tracker would complain
        os._exit(code)
    sys.exit(code)


def _terminate(_number: int, _frame: object) -> NoReturn:
    """End as after an error, so that workers and half-written files go too."""
    raise SystemExit(EXIT_TERMINATED)


def exit_code(arguments: list[str] | None, command: click.Command = cli) -> int:
    """Run the command line, say what went wrong if anything did, and return the exit code."""
    try:
        result: Any = command.main(arguments, prog_name=command.name, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except SystemError as error:
        if not is_interrupt(error):
            raise
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        print(_usage_text(error), file=sys.stderr)
        return EXIT_INPUT
    except GenokuError as error:
        print(f"genoku: {error}", file=sys.stderr)
        return EXIT_INPUT
    except MemoryError as error:
        print(f"genoku: {': '.join(filter(None, ('out of memory', str(error))))}", file=sys.stderr)
        return EXIT_INPUT
    except BrokenPipeError:
        # The reader has gone (`genoku … | head`). Python would complain again on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = error.filename or ("standard output" if _came_by_printing(error) else "")
        said = error.strerror or str(error)
        print(f"genoku: {': '.join(filter(None, (str(where), said)))}", file=sys.stderr)
        return EXIT_INPUT
    return result if isinstance(result, int) else 0


def _usage_text(error: click.ClickException) -> str:
    """What Click says, in the shape of all other errors; the help page where nothing was typed."""
    said, context = error.format_message(), getattr(error, "ctx", None)
    if context and said == context.get_help():
        return said
    where = f" (see {context.command_path} --help)" if context else ""
    return f"genoku: {said[:1].lower()}{said[1:].rstrip('.')}{where}"


def _came_by_printing(error: OSError) -> bool:
    """Whether a result could not be printed; files of ours have names."""
    *_, (last, _line) = walk_tb(error.__traceback__)
    return last.f_code in (click.echo.__code__, exit_code.__code__)
