"""The command line: the group of commands, and errors as messages and exit codes."""

from __future__ import annotations

import inspect
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
from genoku.runtime.signals import install_handler, is_interrupt
from genoku.runtime.text import did_you_mean


class DocumentedCommand(click.Command):
    """A command whose docstring has its description and, from "Examples:" on, its epilog."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        about, start, rest = inspect.cleandoc(settings.get("help") or "").partition("\nExamples:\n")
        pages = "\n\n".join(filter(None, (start + rest, settings.get("epilog")))).strip()
        # \b keeps Click from rewrapping a paragraph.
        verbatim = "\n\n".join(f"\b\n{each}" for each in pages.split("\n\n"))
        super().__init__(*arguments, **{**settings, "help": about.strip(), "epilog": verbatim})


class LazyGroup(DocumentedCommand, click.Group):
    """A group that imports the module of a command only when it is called."""

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
        raise click.UsageError(f"no such command: {name!r}{did_you_mean(name, self.lazy)}", ctx)

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
)
@click.version_option(__version__, prog_name="genoku")
def cli() -> None:
    """An evolution lab for Sudoku: evolve, solve, rate and generate boards from 4×4 to 36×36.

    Examples:
      genoku evolve                         watch a genetic algorithm solve a puzzle
      genoku evolve --preset simon          watch a report's algorithm
      genoku solve                          solve a hard puzzle that comes with genoku
      genoku solve 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
      genoku check puzzles.txt              check that every puzzle has exactly one solution
      genoku generate --level hard --count 6 --pdf sheet.pdf

    Exit codes: 0 success; 1 not solved, not exactly one solution, or failed runs; 2 bad input;
    130 interrupted.
    """


def run_and_exit(arguments: list[str] | None = None, command: click.Command = cli) -> NoReturn:
    """Run the command line, or another `command`, and exit."""
    # A standard stream that was closed before the start is None.
    nowhere = Path(os.devnull).open("w")  # noqa: SIM115 (open until the end)
    sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # print ? for characters that the encoding lacks
            stream.reconfigure(errors="replace")
    warnings.formatwarning = lambda message, *_where: f"genoku: {message}\n"
    signal.signal(signal.SIGTERM, _terminate)
    install_handler()
    try:
        code = invoke(arguments, command)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else EXIT_INPUT
    if code in (EXIT_INTERRUPTED, EXIT_TERMINATED):
        # Python would wait for workers and their threads, which end when this process does.
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        if util := sys.modules.get("multiprocessing.util"):
            util._run_finalizers(0)  # releases semaphores, or the resource tracker warns
        os._exit(code)
    sys.exit(code)


def _terminate(_number: int, _frame: object) -> NoReturn:
    """Unwind the stack, so that workers end and partial files are removed."""
    raise SystemExit(EXIT_TERMINATED)


def invoke(arguments: list[str] | None, command: click.Command = cli) -> int:
    """Run the command line, print any error, and return the exit code."""
    try:
        result: Any = command.main(arguments, prog_name=command.name, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt, SystemError) as error:
        if isinstance(error, SystemError) and not is_interrupt(error):
            raise
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        print(_usage_text(error), file=sys.stderr)
        return EXIT_INPUT
    except (GenokuError, MemoryError) as error:
        parts = ["out of memory"] if isinstance(error, MemoryError) else []
        print("genoku:", ": ".join(filter(None, (*parts, str(error)))), file=sys.stderr)
        return EXIT_INPUT
    except BrokenPipeError:
        # The reader has closed the pipe (`genoku … | head`); keep Python from reporting it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = error.filename or ("standard output" if _failed_while_printing(error) else "")
        parts = [str(where), error.strerror or str(error)]
        print("genoku:", ": ".join(filter(None, parts)), file=sys.stderr)
        return EXIT_INPUT
    return result if isinstance(result, int) else 0


def _usage_text(error: click.ClickException) -> str:
    """Click's message in the form of other errors; the help page if there were no arguments."""
    message, context = error.format_message(), getattr(error, "ctx", None)
    if context and message == context.get_help():
        return message
    where = f" (see {context.command_path} --help)" if context else ""
    return f"genoku: {message[:1].lower()}{message[1:].rstrip('.')}{where}"


def _failed_while_printing(error: OSError) -> bool:
    """Whether the error came from printing to standard output."""
    *_, (last, _line) = walk_tb(error.__traceback__)
    return last.f_code in (click.echo.__code__, invoke.__code__)
