"""The results of a benchmark: figures by key, compared with another one, as Markdown and files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.sections import INTERRUPTED, SECTIONS, Chart, SectionResult, Table
from genoku.cli.output import check_output_files, print_json, say, utf8_stdout
from genoku.errors import GenokuError
from genoku.runtime.text import format_count, join_words


@dataclass(frozen=True)
class Results:
    """The results of a benchmark."""

    facts: Mapping[str, str]
    """The date, the machine, versions, the seed and the command, by name."""
    quick: bool
    tables: Mapping[str, tuple[Table, ...]] = field(default_factory=dict)
    """By section, in the order in which they were measured."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Why a section that was asked for has no tables."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """What each section took."""

    def adding(self, section: SectionResult) -> Results:
        """Return the results with another section."""
        name = section.section.name
        if section.missing:
            return replace(self, missing={**self.missing, name: section.missing})
        return replace(
            self,
            tables={**self.tables, name: section.tables},
            seconds={**self.seconds, name: section.seconds},
        )

    @property
    def interrupted(self) -> bool:
        return INTERRUPTED in self.missing.values()

    @property
    def unmeasured(self) -> list[str]:
        """The sections without tables, by reason."""
        reasons: dict[str, list[str]] = {}
        for name, why in self.missing.items():
            reasons.setdefault(why, []).append(name)
        return [f"{join_words(names)} ({why})" for why, names in reasons.items()]

    @property
    def charts(self) -> list[Chart]:
        return [table.chart for made in self.tables.values() for table in made if table.chart]

    @property
    def figures(self) -> dict[str, float]:
        """Every number by its key, prefixed with the section's name."""
        found: dict[str, float] = {}
        for section, tables in self.tables.items():
            for table in tables:
                named = {f"{section}.{key}": float(value) for key, value in table.figures.items()}
                assert not found.keys() & named.keys(), f"two figures of one name in {table.title}"
                found |= named
        return found

    def as_json(self) -> dict[str, Any]:
        """Return plain data; later runs are compared with `figures`."""
        return {
            "facts": dict(self.facts),
            "quick": self.quick,
            "figures": self.figures,
            "sections": {
                section: [
                    {
                        "title": table.title,
                        "columns": table.columns,
                        "rows": table.rows,
                        "legend": table.legend,
                        "chart": None if table.chart is None else asdict(table.chart),
                    }
                    for table in tables
                ]
                for section, tables in self.tables.items()
            },
            "missing": dict(self.missing),
            "seconds": dict(self.seconds),
        }


NOISE = 1.5
"""Within this factor, up or down, figures of the same machine count as the same."""


@dataclass(frozen=True)
class Former:
    """The contents of a file written by `python3 run.py bench --json`."""

    facts: Mapping[str, str]
    quick: bool
    figures: Mapping[str, float]


@dataclass(frozen=True)
class Change:
    """A figure before and now.

    >>> Change("engines.two-points.genoku.speed", old=4.0, new=8.0).ratio
    2.0
    """

    key: str
    old: float
    new: float

    @property
    def ratio(self) -> float | None:
        """New divided by old; None if only the old is 0."""
        if self.old == self.new:
            return 1.0
        return self.new / self.old if self.old else None

    @property
    def is_far(self) -> bool:
        """Whether it is beyond what noise explains."""
        ratio = self.ratio
        return ratio is None or not 1 / NOISE <= ratio <= NOISE


def former(path: Path) -> Former:
    """Read the figures of an earlier benchmark."""
    expected = "expected what `python3 run.py bench --json` printed"
    try:
        told = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise GenokuError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise GenokuError(f"{path}: {expected}, got no JSON: {error}") from error
    figures = told.get("figures") if isinstance(told, dict) else None
    if not isinstance(figures, dict) or not all(map(_is_number, figures.values())):
        raise GenokuError(f"{path}: {expected}, got no figures")
    facts = told.get("facts")
    known = {str(key): str(fact) for key, fact in facts.items()} if isinstance(facts, dict) else {}
    return Former(known, bool(told.get("quick")), figures)


def changes(old: Mapping[str, float], new: Mapping[str, float]) -> list[Change]:
    """Return every figure that both have, in the order of the new one."""
    return [Change(key, old[key], value) for key, value in new.items() if key in old]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


BEGIN = "<!-- bench: what follows is written by `python3 run.py bench --page` -->"
END = "<!-- bench: what was written ends here -->"
ALIGNED = {True: "---:", False: "---"}


def markdown(results: Results, *, figure: str = "", level: int = 2) -> str:
    """Format all results; `figure` is a picture to show, headings start at `level`."""
    parts = ["\n".join(f"- {name}: {fact}" for name, fact in _facts(results).items())]
    if results.quick:
        parts.append("A quick run: few repetitions, rough figures.")
    parts += [f"Not measured: {words}." for words in results.unmeasured]
    if figure:
        parts.append(f"![The figures of this page as charts]({figure})")
    for name, tables in results.tables.items():
        parts.append(f"{'#' * level} {SECTIONS[name].title}: `{name}`")
        for table in tables:
            parts.append(f"{'#' * (level + 1)} {table.title}")
            parts += filter(None, (markdown_table(table.columns, table.rows), table.legend))
    return "\n\n".join(parts) + "\n"


def _facts(results: Results) -> dict[str, str]:
    return {
        name: f"`{fact}`" if name == "command" else fact for name, fact in results.facts.items()
    }


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table; columns of numbers are right-aligned.

    >>> print(markdown_table(("engine", "speed"), [("a|b", "7.5 M"), ("NumPy", "failed")]))
    | engine | speed |
    |---|---:|
    | a\\|b | 7.5 M |
    | NumPy | failed |
    """
    body = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    lines = [_line(columns), f"|{'|'.join(_sides(columns, body))}|", *map(_line, body)]
    return "\n".join(lines)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose cells are as wide as their columns."""
    texts = [[str(cell) for cell in row] for row in rows]
    rights = [sides[-1] == ":" for sides in _sides(columns, texts)]
    widths = [max(map(len, column)) for column in zip(columns, *texts, strict=True)]
    for row in (columns, ["-" * width for width in widths], *texts):
        cells = zip(row, widths, rights, strict=True)
        print(_line([c.rjust(w) if right else c.ljust(w) for c, w, right in cells]), flush=True)


def _sides(columns: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """Return the alignment of each column: numbers on the right."""
    starts = [next((row[i] for row in body if row[i]), "")[:1] for i in range(len(columns))]
    return [ALIGNED[i > 0 and first.isdigit()] for i, first in enumerate(starts)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def comparison(found: Sequence[Change], title: str) -> str:
    """Format every figure before and now, with changes beyond noise marked."""
    rows = [
        (
            f"`{change.key}`",
            f"{change.old:.4g}",
            f"{change.new:.4g}",
            "–" if change.ratio is None else f"{change.ratio:.2f}",
            f"**outside {NOISE:g}×**" if change.is_far else "",
        )
        for change in found
    ]
    columns = ("figure", "then", "now", "now / then", "")
    return f"## {title}\n\n{markdown_table(columns, rows)}\n"


def with_results(page: str, written: str, name: str) -> str:
    """Replace the part of a page between its two marks."""
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise GenokuError(f"{name}: expected the lines {BEGIN} and {END}, got none of that order")
    return f"{before}{BEGIN}\n\n{written}\n{END}{after}"


def figure_beside(page: Path) -> Path:
    """Return the path of a page's figure."""
    return page.parent / "figures" / "bench.svg"


@dataclass(frozen=True)
class Targets:
    """The outputs; standard output unless there is a file for the table."""

    output: Path | None = None
    figure: Path | None = None
    page: Path | None = None

    def check(self) -> None:
        """Check that files can be written before minutes of work."""
        if self.figure or self.page:
            from genoku.present.figures import picture_format, require_lab

            require_lab()
            if self.figure:
                picture_format(self.figure)
        named = {"-o": self.output, "--figure": self.figure, "--page": self.page}
        written = {option: path for option, path in named.items() if path}
        check_output_files(written, kinds={"-o": "Markdown", "--page": "Markdown"})
        if self.page:
            with_results(text_of(self.page), "", str(self.page))
            figure_beside(self.page).parent.mkdir(exist_ok=True)

    def keep(self, results: Results) -> None:
        """Write the table after every section, so that a crash does not lose it."""
        if self.output:
            write_text(self.output, markdown(results))

    def write(self, results: Results) -> None:
        """Write all files; a page keeps its last full table if this run was interrupted."""
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
            say(f"wrote {join_words(str(path) for path in written if path)}")


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
    """Write atomically."""
    from genoku.puzzle.formats import text_writer

    with text_writer(path) as stream:
        stream.write(text)


def tell(
    results: Results, targets: Targets, then: Former | None, found: Sequence[Change], *, data: bool
) -> None:
    """Print the results as data or as a table, compared with those of `then`."""
    for words in results.unmeasured:
        say(f"not measured: {words}")
    if data:
        ratios = {"ratios": {change.key: change.ratio for change in found}} if then else {}
        print_json({**results.as_json(), **ratios})
    elif not (targets.output or targets.page):
        utf8_stdout().write(markdown(results))
    if then is None:
        return
    if not data:
        utf8_stdout().write(f"\n{comparison(found, f'Compared with {_label(then)}')}")
    if then.quick != results.quick:
        say("one of the two was quick: expect more than noise between them")
    far = sum(change.is_far for change in found)
    say(f"{far} of {format_count(len(found), 'figure')} outside a factor of {NOISE:g}")


def _label(then: Former) -> str:
    """Describe an earlier benchmark by its date, version and processor."""
    told = [then.facts.get(name, "") for name in ("date", "genoku", "CPU")]
    date, version, processor = told
    words = [date, f"genoku {version}" if version else "", processor, "quick" if then.quick else ""]
    return ", ".join(filter(None, words)) or "a former benchmark"
