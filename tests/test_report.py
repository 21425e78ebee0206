"""Reports: what a study found, in words that its tests allow."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from invented_runs import Fates, errors_at, invent
from test_page import read

from genoku.cli.main import invoke
from genoku.lab.report.build import evolve_command, report
from genoku.lab.report.charts import RankDiagram
from genoku.lab.report.data import (
    ReportData,
    arm_labels,
    cut_at_equal_budget,
    dominance_ranks,
    friedman_test,
    pairwise_results,
    read_report_data,
)
from genoku.lab.report.page import Figure, Notice, Page, Table, plain
from genoku.lab.runner import make_runs
from genoku.lab.statistics import Friedman
from genoku.lab.store import Failure, Results, Store
from genoku.lab.study import Arm, Instance, Study, arm, setting_text
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.text import format_percent, format_rounded

FOUR = Instance("four", Puzzle.parse("1...|..3.|.4..|...2".replace("|", "")))
EASY = Instance("easy <i>&", bundled()["charles-very-easy"].puzzle)
SHORT = "generations=12"
CLAIM = re.compile(r"does better than .*?: p")


def named(*names: str) -> tuple[Arm, ...]:
    """Arms of those names that differ in their budgets alone."""
    return tuple(arm("sundy", name, until=f"generations={50 + i}") for i, name in enumerate(names))


def invented(path: Path, study: Study, fates: Fates) -> Page:
    """The report of runs that nobody made."""
    invent(path, study, fates)
    with Store.open(path) as store:
        return report(store)


def gathered_from(path: Path) -> ReportData:
    with Store.open(path) as store:
        return read_report_data(store)


def words_of(page: Page) -> str:
    """The summary, bare of Markdown."""
    parts = page.sections[0].parts
    return " ".join(
        plain(part.text if isinstance(part, Notice) else str(part)) for part in parts
    ).replace("\n", " ")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A real study: a grid and another preset, two puzzles, three seeds."""
    study = Study(
        'tiny "quoted"',
        (
            arm("charles", until=SHORT, settings={"selection": "rank", "population": 20}),
            arm("charles", until=SHORT, settings={"selection": "rank", "population": 30}),
            arm("charles", until=SHORT, settings={"selection": "tournament", "population": 20}),
            arm("sundy", "report <b>004</b> & *co*", until=SHORT),
        ),
        (FOUR, EASY),
        (1, 2, 7),
        "Is </script> *closer* than `that`?",
    )
    path = tmp_path_factory.mktemp("report") / "tiny.db"
    with Store.create(path, study) as store:
        store.add(make_runs(study.text(), list(study.runs())))
        yield store


@pytest.fixture(scope="module")
def html(tiny: Store) -> str:
    return report(tiny).html()


def test_a_report_holds_all_of_a_study(tiny: Store, html: str) -> None:
    reader = read(html)
    names = [each.name for each in tiny.study.arms] + [each.name for each in tiny.study.instances]
    assert all(name in reader.text for name in names)
    assert tiny.study.question in reader.text
    assert "1, 2, 7." in reader.text
    assert str(EASY.puzzle) in reader.text
    assert 'use = "genetic"' in reader.text  # a recipe, as TOML
    titles = [section.title for section in report(tiny).sections]
    assert titles[0] == "Summary"
    assert {"Success and effort", "Comparisons", "Boards", "Set-up"} <= set(titles)
    for _, attributes in reader.seen:
        for name in ("src", "href"):
            assert (attributes.get(name) or "#").startswith(("#", "data:"))


def test_the_tables_count_what_the_store_holds(tiny: Store, html: str) -> None:
    results, text = tiny.results(), read(html).text
    for place in range(4):
        own = results.of(place, 0)
        assert f"{own.solved.sum()} of {len(own)}" in text


def test_a_single_run_can_be_made_again(
    tiny: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import json

    from genoku.evolve.recipe import as_toml

    monkeypatch.chdir(tmp_path)
    study, results = tiny.study, tiny.results()
    for place in (0, 3):
        command = shlex.split(evolve_command(study, study.arms[place], study.instances[1], 7))
        assert command[0] == "genoku"
        saved = command[command.index("--recipe") + 1]
        Path(saved).write_text(as_toml(dict(study.arms[place].recipe)), encoding="utf-8")
        invoke([*command[1:], "--json"])
        told = json.loads(capsys.readouterr().out)
        (row,) = np.flatnonzero(
            (results.arm == place) & (results.seed == 7) & (results.instance == 1)
        )
        assert told["evaluations"] == results.evaluations[row]
        assert told["cost"] == results.cost[row]


def test_a_preset_as_it_comes_is_replayed_by_its_name() -> None:
    study = Study("one", (arm("sundy", until=SHORT),), (FOUR,), (1,))
    assert "--preset sundy " in evolve_command(study, study.arms[0], FOUR, 1)


def test_a_difference_is_claimed_where_the_runs_show_it(tmp_path: Path) -> None:
    study = Study("two", named("quick", "slow"), (EASY,), tuple(range(20)))
    page = invented(
        tmp_path / "a.db", study, lambda run: (True, 1000 + 100 * run.arm + run.seed, 0.0)
    )
    assert CLAIM.search(words_of(page))
    (pair,) = pairwise_results(gathered_from(tmp_path / "a.db"), "evaluations")
    assert (pair.better, pair.worse, pair.effect) == (0, 1, 1.0)
    assert pair.corrected < 0.0001


def test_no_difference_is_claimed_where_there_is_none(tmp_path: Path) -> None:
    study = Study("two", named("one", "other"), (EASY,), tuple(range(20)))
    page = invented(tmp_path / "a.db", study, lambda run: (run.seed % 2 == 0, 1000 + run.seed, 0.1))
    assert not CLAIM.search(words_of(page))
    (pair,) = pairwise_results(gathered_from(tmp_path / "a.db"), "evaluations")
    assert (pair.a12, pair.corrected) == (0.5, 1.0)


def test_too_few_runs_are_said_to_be_too_few(tmp_path: Path) -> None:
    study = Study("two", named("one", "other"), (EASY,), (1, 2, 3))
    page = invented(tmp_path / "a.db", study, lambda run: (False, 1000, 0.1 + run.arm / 10))
    assert not CLAIM.search(words_of(page))
    assert "at least 4 each" in words_of(page)
    found = pairwise_results(gathered_from(tmp_path / "a.db"), "evaluations")
    assert found[0].effect == 1.0
    assert not found[0].differs


@pytest.mark.parametrize(
    ("arms", "seeds", "solved"), [(1, 1, True), (1, 2, False), (2, 1, False), (2, 2, True)]
)
def test_the_smallest_studies_have_a_report(
    tmp_path: Path, arms: int, seeds: int, solved: bool
) -> None:
    study = Study("small", named("one", "two")[:arms], (FOUR,), tuple(range(seeds)))
    page = invented(tmp_path / "a.db", study, lambda _: (solved, 500, 0.2))
    assert ("Comparisons" in [section.title for section in page.sections]) == (arms > 1)
    page.write_markdown(tmp_path / "a.md")


def test_many_algorithms_are_ranked_over_puzzles(tmp_path: Path) -> None:
    puzzles = tuple(
        Instance(name, bundled()[name].puzzle)
        for name in ("charles-basic", "charles-easy", "charles-hard", "ai-escargot", "inkala-2010")
    )
    study = Study("many", named(*"abcdefghij"), puzzles, (1, 2, 3))
    page = invented(
        tmp_path / "a.db", study, lambda run: (True, 1000 * (run.arm + 1) + run.seed, 0.0)
    )
    gathered = gathered_from(tmp_path / "a.db")
    ranked = friedman_test(gathered, "evaluations")
    assert isinstance(ranked, Friedman)
    assert ranked.p < 0.0001
    assert gathered.leaders(8) == list(range(8))
    (comparisons,) = (each for each in page.sections if each.title == "Comparisons")
    (ranks,) = (
        each.chart
        for each in comparisons.parts
        if isinstance(each, Figure) and isinstance(each.chart, RankDiagram)
    )
    assert ranks.ranks == tuple(range(1, 11))


def test_errors_left_are_compared_whatever_the_fitness_functions(tmp_path: Path) -> None:
    arms = (arm("sundy", until="generations=50"), arm("charles", until="generations=50"))
    study = Study("mixed", arms, (EASY,), tuple(range(12)))
    page = invented(tmp_path / "a.db", study, lambda run: (False, 1000, 0.1 + run.arm / 10))
    assert CLAIM.search(words_of(page))
    (pair,) = pairwise_results(gathered_from(tmp_path / "a.db"), "evaluations")
    assert (pair.better, pair.effect) == (0, 1.0)


def test_the_table_of_errors_left_names_the_scale_of_scores(tmp_path: Path) -> None:
    arms = (arm("sundy", until="generations=50"), arm("charles", until="generations=50"))
    fates: Fates = lambda run: (False, 1000, 0.1 + run.arm / 10)  # noqa: E731
    for count, heading in ((1, "score (missing-digits)"), (2, "score (fitness function)")):
        study = Study("scores", arms[:count], (EASY,), (1, 2, 3))
        page = invented(tmp_path / f"{count}.db", study, fates)
        (section,) = (each for each in page.sections if each.title == "Final results")
        (table,) = (each for each in section.parts if isinstance(each, Table))
        assert [each.title for each in table.headings()][1::2] == ["errors left", heading]
        errors = [errors_at(0.1 + place / 10, EASY.puzzle.geometry) for place in range(count)]
        assert [row[2] for row in table.rows] == errors


def test_kinds_of_algorithms_are_compared_by_time(tmp_path: Path) -> None:
    arms = (arm("sundy", until="generations=50"), arm("champion", until="steps=50"))
    study = Study("kinds", arms, (EASY,), tuple(range(12)))
    invent(tmp_path / "a.db", study, lambda run: (True, 1000 + run.arm, 0.0))
    gathered = gathered_from(tmp_path / "a.db")
    assert gathered.primary == "CPU time"
    assert [facts.kind for facts in gathered.arms] == ["genetic", "champion"]


def test_an_unfinished_study_says_so(tmp_path: Path) -> None:
    study = Study("part", named("one", "two"), (FOUR, EASY), (1, 2, 3))
    made = make_runs(study.text(), list(study.runs())[:5])
    with Store.create(tmp_path / "a.db", study) as store:
        planned = list(study.runs())[6]
        store.add([*made, Failure(study.key(planned), *planned, "ValueError: `odd`")])
        page = report(store)
    words = words_of(page)
    assert "5 of 12" in words
    assert sum(isinstance(part, Notice) for part in page.sections[0].parts) == 2
    assert "ValueError: 'odd'" in words


def test_a_run_beyond_the_common_budget_counts_with_what_it_had_by_then(tmp_path: Path) -> None:
    study = Study("budget", named("short", "long"), (EASY,), (1, 2))
    invented(
        tmp_path / "a.db", study, lambda run: (run.arm == 1, 100 if run.arm == 0 else 1000, 0.3)
    )
    with Store.open(tmp_path / "a.db") as store:
        held = read_report_data(store).at_equal["evaluations"]
    assert held.budgets.tolist() == [100.0]
    assert np.isinf(held.efforts).all()  # what was solved later was not solved by then
    long = held.quality[np.isfinite(held.cut_at)]
    assert long.tolist() == [150] * 2  # its history: 150 errors up to 500 evaluations


runs = st.lists(
    st.tuples(st.sampled_from((1.0, 2.0, np.inf)), st.sampled_from((0.0, 0.1, 0.2))), min_size=1
)


@given(runs)
def test_runs_are_ordered_by_effort_and_then_by_errors(pairs_of: list[tuple[float, float]]) -> None:
    efforts, errors = (np.array(column) for column in zip(*pairs_of, strict=True))
    ranks = dominance_ranks(efforts, errors)
    for i, one in enumerate(pairs_of):
        for j, two in enumerate(pairs_of):
            assert (ranks[i] < ranks[j]) == (one < two)
            assert (ranks[i] == ranks[j]) == (one == two)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.integers(1, 9)), min_size=1))
def test_no_run_is_held_to_more_than_any_was_given(
    made: list[tuple[int, bool, int]],
) -> None:
    count = len(made)
    zeros, whole = np.zeros(count), np.zeros(count, np.int64)
    places, solved, spent = (np.array(column) for column in zip(*made, strict=True))
    results = Results(
        *(places, whole, np.arange(count), solved, whole, whole, zeros, zeros + 0.5, whole, spent),
        *(whole, spent / 2, spent / 2, np.array(["x"] * count), whole),
    )
    held = cut_at_equal_budget(results, zeros + 5, 1, "evaluations")
    assert held.budgets[0] == min(spent[~solved], default=np.inf)
    assert (np.isfinite(held.efforts) <= solved).all()
    assert (held.efforts[np.isfinite(held.efforts)] <= held.budgets[0]).all()


def test_holm_covers_all_pairs_of_a_table(tiny: Store) -> None:
    gathered = read_report_data(tiny)
    found = pairwise_results(gathered, "evaluations")
    assert len(found) == 6 * 2
    assert all(pair.corrected >= pair.p for pair in found)


def test_points_of_a_grid_are_named_by_their_settings() -> None:
    grid = [arm("charles", settings={"selection": "rank", "population": p}) for p in (20, 30)]
    assert arm_labels(grid) == ("rank, population=20", "rank, population=30")
    assert arm_labels([*grid, arm("charles")])[0] == f"charles: {arm_labels(grid)[0]}"
    assert arm_labels([arm("sundy"), arm("simon")]) == ("sundy", "simon")
    assert setting_text({"use": "tournament", "size": 20}) == "tournament(size=20)"


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "0"), (1.0, "100"), (0.999, "99.9"), (0.001, "0.1"), (0.5, "50"), (0.9999, "99.9")],
)
def test_what_is_not_quite_all_does_not_look_like_it(share: float, shown: str) -> None:
    assert format_percent(share) == shown


@given(st.floats(1e-6, 1e12))
def test_rounding_keeps_three_digits(value: float) -> None:
    assert float(format_rounded(value).replace(",", "")) == pytest.approx(value, rel=0.006)


def test_the_command_writes_the_page_and_the_paper_and_the_same_bytes_each_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = Study("small", named("one", "two"), (FOUR,), (1, 2))
    known = invented(tmp_path / "a.db", study, lambda run: (run.seed == 1, 500, 0.2))
    page, paper = tmp_path / "out.html", tmp_path / "paper.md"
    arguments = ["report", str(tmp_path / "a.db"), "-o", str(page), "--markdown", str(paper)]
    assert invoke(arguments) == 0
    assert f"wrote {page}, {paper}" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == known.html()
    assert list((tmp_path / "paper-figures").glob("*.svg"))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("missing", "got no file"),
        ("foreign", "got another file"),
        ("empty", "expected runs to report, got none"),
    ],
)
def test_a_store_that_cannot_be_reported_is_named_in_one_line(
    kind: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.db"
    if kind == "foreign":
        path.write_text("no store at all\n" * 99, encoding="utf-8")
    elif kind == "empty":
        Store.create(path, Study("none", named("one"), (FOUR,), (1,))).close()
    assert invoke(["report", str(path)]) == 2
    told = capsys.readouterr().err.strip()
    assert said in told
    assert "\n" not in told
    assert not path.with_suffix(".html").exists()


def test_a_page_is_not_written_over_its_store(
    tiny: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store.html"
    store.write_bytes(tiny.path.read_bytes())
    assert invoke(["report", str(store), "-o", str(store)]) == 2
    assert store.read_bytes() == tiny.path.read_bytes()
    twice = tmp_path / "page.html"
    assert invoke(["report", str(tiny.path), "-o", str(twice), "--markdown", str(twice)]) == 2
    assert not twice.exists()
    capsys.readouterr()
    assert invoke(["report", str(tiny.path), "-o", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
