"""The files of a run: what `genoku evolve` records, draws, saves and resumes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genoku.cli.options import file_field, option_field, path_exists, whole_number
from genoku.cli.output import (
    BOARD_STYLES,
    check_output_files,
    file_format,
    file_identity,
    is_regular_file,
    say,
    write_board,
)
from genoku.cli.runs import RECIPE, option_name
from genoku.errors import FormatError, GenokuError
from genoku.puzzle.formats import binary_writer, text_writer

if TYPE_CHECKING:
    from genoku.engine.history import Record
    from genoku.engine.result import Result
    from genoku.evolve.presets import Preset
    from genoku.evolve.state import Algorithm
    from genoku.evolve.stopping import Until
    from genoku.present.figures import Film

RECORDING, RESUMING = "Recording", "Saving and resuming"  # groups of options
DIVERSITY_EVERY = 10
KINDS = {
    "--history": "CSV",
    "--individuals": "CSV",
    "--lineage": "CSV",
    "--gif": "GIF",
    "--save-recipe": "TOML",
}


@dataclass(frozen=True)
class RunFiles:
    """The options that name files of a run."""

    save_recipe: str | None = file_field(
        "Write the recipe, with all changes applied, as TOML.", group=RECIPE
    )
    history: str | None = file_field(
        "Write a CSV row per generation; its columns are explained below.", group=RECORDING
    )
    record_every: int | None = option_field(
        "Record only every Nth generation in --history and --plot.",
        **whole_number(),
        show_default="1",
        group=RECORDING,
    )
    individuals: str | None = file_field(
        "Write every board's score as CSV, in the form of report 003's log. Above 5 million "
        "boards, only every 2nd, 4th, … generation.",
        group=RECORDING,
    )
    lineage: str | None = file_field(
        "Write the best board's ancestors as CSV, from the last 5 million births.", group=RECORDING
    )
    plot: str | None = file_field("Draw the run's curves: .svg, .png or .pdf.", group=RECORDING)
    gif: str | None = file_field("Draw the board's evolution as an animated GIF.", group=RECORDING)
    board: str | None = file_field(
        "Draw the best board, with its caption: .svg, .png, .pdf, .html or .txt.", group=RECORDING
    )
    checkpoint: str | None = file_field("Save the run regularly and at its end.", group=RESUMING)
    resume: str | None = file_field("Resume a run from a file of --checkpoint.", group=RESUMING)
    any_version: bool = option_field(
        "Has no effect, and will be removed in the next version.", group=RESUMING
    )

    @cached_property
    def film(self) -> Film | None:
        """The film of the run for `--gif`."""
        if not self.gif:
            return None
        from genoku.present.figures import Film

        return Film()

    @property
    def record(self) -> Record:
        """What a run has to record for these files."""
        from genoku.engine.history import DEFAULT_FIELDS, Record
        from genoku.engine.run import NEVER

        is_kept = bool(self.history or self.plot or self.checkpoint)
        return Record(
            fields=DEFAULT_FIELDS if is_kept else ("gen",),
            every=self.record_every or (1 if is_kept else NEVER),
            diversity_every=DIVERSITY_EVERY,
            individuals=self.individuals is not None,
            lineage=self.lineage is not None,
        )

    def written(self) -> dict[str, str]:
        """The files to write, by the name of their field."""
        names = [each.name for each in fields(self) if each.name not in NO_OUTPUT]
        paths = {name: getattr(self, name) for name in names}
        return {name: path for name, path in paths.items() if path is not None}

    def check(self, source: str, recipe: str | None) -> None:
        """Refuse files that cannot be written, or that would overwrite what is read."""
        inputs = {"recipe": recipe, "resume": self.resume}
        for name, path in {**self.written(), **inputs}.items():
            if path == "":
                raise click.UsageError(f"expected a file name for {option_name(name)}, got ''")
        if (
            self.resume
            and self.checkpoint
            and file_identity(self.resume) == file_identity(self.checkpoint)
        ):
            del inputs["resume"]  # a resumed run may overwrite its own checkpoint
        read = {option_name(name): path for name, path in inputs.items()}
        if source and path_exists(source):
            read["PUZZLE"] = source
        written = {option_name(name): path for name, path in self.written().items()}
        check_output_files(written, read, KINDS)
        if self.checkpoint and not is_regular_file(self.checkpoint):
            raise GenokuError(f"--checkpoint {self.checkpoint}: expected a regular file")
        self._check_pictures()

    def _check_pictures(self) -> None:
        if self.board:
            style = file_format("--board", self.board, BOARD_STYLES)
            if style == "png":
                from genoku.present.figures import require_lab

                require_lab()
        if not (self.plot or self.gif):
            return
        from genoku.present.figures import picture_format, require_lab

        require_lab()
        if self.plot:
            picture_format(self.plot)
        if self.gif and Path(self.gif).suffix.lower() != ".gif":
            raise GenokuError(f"{self.gif}: expected a name that ends in .gif")

    def save_recipe_of(self, found: Preset, until: Until, algorithm: Algorithm) -> None:
        """Write `--save-recipe`, before the run."""
        if not self.save_recipe:
            return
        from genoku.evolve.recipe import as_toml, describe

        facts = {"about": found.about, "puzzle": found.puzzle_name, "until": str(until)}
        facts |= {"box": found.box} if found.box else {}
        text = as_toml({**facts, "recipe": describe(algorithm)})
        try:
            with binary_writer(self.save_recipe) as stream:
                stream.write(text.encode())
        except FormatError as error:
            raise GenokuError(f"--save-recipe {self.save_recipe}: {_reason(error)}") from error

    def write(self, result: Result, title: str, *, coloured: bool) -> bool:
        """Try to write every file, say which were written, and return whether all were.

        Pictures of boards are `coloured` by report 003's fitness map, or plain.
        """
        written = [path for path in (self.save_recipe, self.checkpoint) if path]
        failed: list[str] = []
        try:  # Ctrl-C ends the writing, but what was written is still said
            for name, path in self.written().items():
                if name in ("save_recipe", "checkpoint"):  # written by now
                    continue
                try:
                    self._write(name, path, result, title, coloured=coloured)
                    written.append(path)
                except (OSError, GenokuError) as error:
                    failed.append(f"{option_name(name)} {path}: {_reason(error)}")
                except Exception as error:  # such as from a user's own fitness, or a lack of memory
                    failed.append(f"{option_name(name)} {path}: {type(error).__name__}: {error}")
        finally:
            if written:
                say(f"wrote {', '.join(written)}")
            for message in (*self._omissions(result), *(f"genoku: {each}" for each in failed)):
                say(message)
        return not failed

    def _write(self, name: str, path: str, result: Result, title: str, *, coloured: bool) -> None:
        if name == "history":
            result.history.to_csv(path)
        elif name == "individuals":
            result.write_individuals(path)
        elif name == "lineage":
            _write_lineage(result, path)
        elif name == "plot":
            from genoku.present.figures import plot_history

            plot_history(result, path, title=title)
        elif name == "board":
            from genoku.evolve.fitness import map_colours

            board = result.board
            colours = map_colours(board, result.puzzle.geometry) if coloured else None
            style = file_format("--board", path, BOARD_STYLES)
            write_board(path, style, result.puzzle, board, caption=result.caption, colours=colours)
        elif self.film:
            from genoku.evolve.fitness import MAP_COLOURS

            self.film.write(result, path, MAP_COLOURS if coloured else None)

    def _omissions(self, result: Result) -> Iterator[str]:
        """Notes on logs that reached their limit."""
        from genoku.engine.history import MAX_ROWS
        from genoku.evolve.state import as_search

        step = as_search(result.algorithm).step_name
        most = f"at most {MAX_ROWS:,}"
        if self.individuals and result.individuals_every > 1:
            every = f"every {result.individuals_every:,}th {step}"
            yield f"--individuals has only {every}: {most} boards are kept"
        if self.lineage and result.lineage_from > 0:
            first = f"{step} {result.lineage_from:,}"
            yield f"--lineage is complete only from {first} on: {most} births are kept"


NO_OUTPUT = ("record_every", "resume", "any_version")  # the fields that name no file to write


def _reason(error: Exception) -> object:
    """The system's reason why a file cannot be written, without the file's name."""
    cause = error.__cause__ if isinstance(error, FormatError) else error
    return getattr(cause, "strerror", None) or error


def _write_lineage(result: Result, path: str) -> None:
    with text_writer(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "born", "cost", "parents"))
        for ancestor in result.lineage():
            writer.writerow((*ancestor[:3], " ".join(map(str, ancestor.parents))))
