"""`genoku completion`: shell completion for commands, options, names and files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from genoku.cli.main import DocumentedCommand

# Click's own script omits names where files may follow, and fails on --option=value, which bash
# splits into three words. Requires bash 4.4, like Click's.
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


@click.command(cls=DocumentedCommand)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands, options, names and files in your shell.

    It takes effect in new shells. For bash, it requires version 4.4; macOS comes with an older one.

    Examples:
      genoku completion bash >> ~/.bashrc
      genoku completion zsh >> ~/.zshrc
      genoku completion fish > ~/.config/fish/completions/genoku.fish
    """
    if shell == "bash":
        click.echo(BASH, nl=False)
        return
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "genoku", "_GENOKU_COMPLETE").source())


def files(_context: Any, _parameter: Any, typed: str) -> list[CompletionItem]:
    return [CompletionItem(typed, type="file")]


def folders(_context: Any, _parameter: Any, typed: str) -> list[CompletionItem]:
    return [CompletionItem(typed, type="dir")]


def puzzles(context: Any, parameter: Any, typed: str) -> list[CompletionItem]:
    from genoku.puzzle.bundled_puzzles import bundled

    return [*_matches(bundled(), typed), *files(context, parameter, typed)]


def presets(_context: Any, _parameter: Any, typed: str) -> list[CompletionItem]:
    from genoku.evolve.presets import presets as known

    return [CompletionItem(p.name, help=p.title) for p in known() if p.name.startswith(typed)]


def presets_or_files(context: Any, parameter: Any, typed: str) -> list[CompletionItem]:
    return [*presets(context, parameter, typed), *files(context, parameter, typed)]


def operators(_context: Any, _parameter: Any, typed: str) -> list[CompletionItem]:
    from genoku.evolve.parts import catalogue

    rows = catalogue()
    return _matches(dict.fromkeys(row[key] for key in ("kind", "name") for row in rows), typed)


def _matches(names: Iterable[str], typed: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(typed)]
