"""`genoku completion`: what makes the shell complete commands, options, names and files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

VARIABLE = "_GENOKU_COMPLETE"

# Click's own script forgets names as soon as files may follow, and loses --option=value, which
# bash cuts into three words. Bash 4.4 or newer, as for Click's.
BASH = """\
_genoku_completion() {
    local words=() at=0 i type value
    for i in "${!COMP_WORDS[@]}"; do
        ((i <= COMP_CWORD)) && at=${#words[@]}
        [[ ${COMP_WORDS[i]} == "=" ]] || words+=("${COMP_WORDS[i]}")
    done
    COMPREPLY=()
    while IFS="," read -r type value; do
        case $type in
            plain) COMPREPLY+=("$value") ;;
            file) _genoku_paths -f "$2" ;;
            dir) _genoku_paths -d "$2" ;;
        esac
    done < <(COMP_WORDS="${words[*]}" COMP_CWORD=$at _GENOKU_COMPLETE=bash_complete "$1")
}

_genoku_paths() {
    compopt -o filenames
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$1" -- "$2")
}

complete -o nosort -F _genoku_completion genoku
"""


@click.command(
    epilog="""\b
Examples:
  genoku completion bash >> ~/.bashrc
  genoku completion zsh >> ~/.zshrc
  genoku completion fish > ~/.config/fish/completions/genoku.fish
""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options, names and files in your shell.

    It begins to work in the next shell that is opened. bash must be 4.4 or newer, which that of
    macOS is not.
    """
    from click.shell_completion import get_completion_class

    if shell == "bash":
        click.echo(BASH, nl=False)
        return
    kind = get_completion_class(shell)
    assert kind is not None
    root = context.find_root().command
    click.echo(kind(root, {}, "genoku", VARIABLE).source())


def files(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    """Files, which the shell itself knows best."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="file")]


def folders(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="dir")]


def puzzles(context: Any, parameter: Any, typed: str) -> list[Any]:
    """Bundled puzzles, and files of others."""
    from genoku.collection import bundled

    return [*_among(bundled(), typed), *files(context, parameter, typed)]


def presets(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    from genoku.preset_library import presets as known

    return _among((each.name for each in known()), typed)


def presets_or_files(context: Any, parameter: Any, typed: str) -> list[Any]:
    """Presets, and files of recipes."""
    return [*presets(context, parameter, typed), *files(context, parameter, typed)]


def operators(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    """The kinds of parts, and the parts."""
    from genoku.recipe import catalogue

    rows = catalogue()
    return _among(dict.fromkeys(row[key] for key in ("kind", "name") for row in rows), typed)


def _among(names: Iterable[str], typed: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(typed)]
