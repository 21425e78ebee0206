"""What becomes of a benchmark's results: files, what is printed, how they compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparison import NOISE, Change, Former
from benchmarks.pages import comparison, figure_beside, markdown, with_results
from benchmarks.results import Results
from genoku.cli.output import check_targets, print_json, results_stream, say
from genoku.errors import GenokuError
from genoku.words import listed, plural


@dataclass(frozen=True)
class Targets:
    """Where the results go; to standard output unless there is a file for the table."""

    output: Path | None = None
    figure: Path | None = None
    page: Path | None = None

    def check(self) -> None:
        """Refuse what cannot be written before minutes of work, not after them."""
        if self.figure or self.page:
            from genoku.figures import picture_format, require_lab

            require_lab()
            if self.figure:
                picture_format(self.figure)
        named = {"-o": self.output, "--figure": self.figure, "--page": self.page}
        written = {option: path for option, path in named.items() if path}
        check_targets(written, kinds={"-o": "Markdown", "--page": "Markdown"})
        if self.page:
            with_results(text_of(self.page), "", str(self.page))
            figure_beside(self.page).parent.mkdir(exist_ok=True)

    def keep(self, results: Results) -> None:
        """What a crash must not take away: the table, after every section."""
        if self.output:
            write_text(self.output, markdown(results))

    def write(self, results: Results) -> None:
        """All files. A page keeps its last full table if this one was interrupted."""
        self.keep(results)
        written = [self.output, self.figure]
        if self.figure:
            _draw(results, self.figure)
        if self.page and results.interrupted:
            say(f"{self.page} stays as it was")
        elif self.page:
            drawn = figure_beside(self.page)
            _draw(results, drawn)
            shown = drawn.relative_to(self.page.parent).as_posix()
            made = markdown(results, figure=shown, level=3)
            write_text(self.page, with_results(text_of(self.page), made, str(self.page)))
            written += [self.page, drawn]
        if any(written):
            say(f"wrote {listed(str(path) for path in written if path)}")


def _draw(results: Results, path: Path) -> None:
    from benchmarks.figure import write_figure

    write_figure(results.charts, path)


def text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise GenokuError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise GenokuError(f"{path}: expected text, got {error}") from error


def write_text(path: Path, text: str) -> None:
    """As a whole; an older file stays as it was if anything fails."""
    from genoku.formats import replacing

    with replacing(path) as stream:
        stream.write(text)


def tell(
    results: Results, targets: Targets, then: Former | None, found: Sequence[Change], *, data: bool
) -> None:
    """Print the results, as data or as a table, and how they compare with those of `then`."""
    for words in results.unmeasured:
        say(f"not measured: {words}")
    if data:
        ratios = {"ratios": {change.key: change.ratio for change in found}} if then else {}
        print_json({**results.as_json(), **ratios})
    elif not (targets.output or targets.page):
        results_stream().write(markdown(results))
    if then is None:
        return
    if not data:
        results_stream().write(f"\n{comparison(found, f'Compared with {_named(then)}')}")
    if then.quick != results.quick:
        say("one of the two was quick: expect more than noise between them")
    far = sum(change.is_far for change in found)
    say(f"{far} of {plural(len(found), 'figure')} outside a factor of {NOISE:g}")


def _named(then: Former) -> str:
    """A former benchmark by its date, its version and its processor."""
    told = [then.facts.get(name, "") for name in ("date", "genoku", "CPU")]
    date, version, processor = told
    words = [date, f"genoku {version}" if version else "", processor, "quick" if then.quick else ""]
    return ", ".join(filter(None, words)) or "a former benchmark"
