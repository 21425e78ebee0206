"""Commands of genoku in this process, which is much quicker than one of their own."""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from pathlib import Path
from subprocess import CompletedProcess

from genoku.cli.main import invoke


def called(*words: str, stdin: str = "") -> CompletedProcess[str]:
    """Call genoku as from a shell that pipes, and take what it printed and its exit code."""
    given, out, err = (
        io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8") for text in (stdin, "", "")
    )
    before, sys.stdin = sys.stdin, given
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = invoke(list(words))
    finally:
        sys.stdin = before
    printed, said = (_text(each) for each in (out, err))
    assert "Traceback" not in said
    return CompletedProcess(words, code, printed, said)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode()


def run_line(line: str, folder: Path) -> None:
    """Run a line of a shell example: a command that must end well, unless `|| true` follows it.

    `> FILE` is understood, and comments; the folder is the one worked in.
    """
    words = shlex.split(line, comments=True)
    may_fail = words[-2:] == ["||", "true"]
    words = words[: -2 if may_fail else None]
    into = None
    if words[-2:-1] == [">"]:
        *words, _, into = words
    assert words[0] == "genoku", line
    assert not {"|", "&&", ">", "<", ";"} & set(words), f"more of a shell than is read here: {line}"
    done = called(*words[1:])
    assert may_fail or done.returncode == 0, f"{line}\n{done.stderr}"
    if into:
        (folder / into).write_text(done.stdout, "utf-8")
