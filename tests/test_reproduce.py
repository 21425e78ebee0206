"""Reproductions: studies, claims and pages are put together, and the command runs real studies."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import kept_runs
import pytest
from kept_runs import kept_studies, planned_studies, unpack_runs
from short_studies import exported, rows_of
from test_page import read

from genoku.errors import GenokuError, StudyError
from genoku.lab.claims import Claim
from genoku.lab.report.page import Claims, Details, Notice, Section, Table, plain
from genoku.lab.runner import StudyProgress, run_study
from genoku.lab.store import Store
from reproductions import (
    HERE,
    REPORTS,
    Findings,
    Reproduced,
    Scale,
    folder_of,
    read_page,
    read_toml,
    studies_of,
    write_claims,
)
from reproductions.command import reproduce as command

THEIRS = Claim(
    "theirs", "Theirs.", "there", "holds", "it is", {"p": float("nan"), "a12": 0.1234567}
)
OURS = Claim("ours", "Ours.", "here", "fails", "no")


def found(scale: Scale) -> Reproduced:
    return Reproduced("002", scale, "title", "below it", (THEIRS,), (OURS,), (), {})


def test_observations_of_ours_have_a_section_of_their_own_and_are_not_counted() -> None:
    first, second, *_ = found(Scale()).page.sections
    assert [part.claims[0].verdict for part in first.parts if isinstance(part, Claims)] == ["holds"]
    assert [part.claims[0].verdict for part in second.parts if isinstance(part, Claims)] == [
        "fails"
    ]
    assert found(Scale()).facts["counts"] == {"holds": 1, "fails": 0, "undecided": 0}


@pytest.mark.parametrize(
    ("scale", "said"), [(Scale(), False), (Scale(quick=True), True), (Scale(seeds=7), True)]
)
def test_a_page_that_is_not_the_full_one_says_so_first(scale: Scale, said: bool) -> None:
    first = found(scale).page.sections[0].parts[0]
    assert isinstance(first, Notice) == said == bool(scale.warning)


def test_claims_are_written_for_other_programs(tmp_path: Path) -> None:
    write_claims(found(Scale(quick=True, seeds=2)), tmp_path / "claims.json")
    facts = json.loads((tmp_path / "claims.json").read_text("utf-8"))
    assert (facts["report"], facts["quick"], facts["seeds"]) == ("002", True, 2)
    (claim,) = facts["claims"]
    assert (claim["id"], claim["verdict"]) == ("theirs", "holds")
    assert claim["figures"] == {"p": None, "a12": 0.123457}
    assert [each["id"] for each in facts["observations"]] == ["ours"]


PAGE = """# A title
below it

## First, {many} times

Some {share:.0%} of
the runs.

> Look at
> this.

[[counts]] What {many} runs
did.

- one
- two

### More

[[counts]] Again.
"""


COUNTS = Table(("a", "b"), ((1, 2),))
SECTION = Section(
    "First, 3 times",
    (
        "Some 50% of the runs.",
        Notice("Look at this."),
        replace(COUNTS, caption="What 3 runs did."),
        "- one\n- two",
        Details("More", (replace(COUNTS, caption="Again."),)),
    ),
)


def test_a_page_has_its_values_tables_and_notices_in_place() -> None:
    made = Findings({}, {"counts": COUNTS}, {"many": 3, "share": 0.5})
    title, subtitle, sections = read_page(PAGE, made)
    assert (f"# {title}", subtitle) == tuple(PAGE.splitlines()[:2])
    assert sections == (SECTION,)


@pytest.mark.parametrize("number", [pytest.param("000", marks=pytest.mark.release), "002"])
def test_quick_runs_are_among_the_full_ones_so_that_nothing_is_made_twice(number: str) -> None:
    quick, full = studies_of(number, Scale(quick=True)), studies_of(number, Scale())
    assert list(quick) == list(full)
    for name, study in quick.items():
        keys = set(study.keys(study.runs()))
        assert keys < set(full[name].keys(full[name].runs()))
        assert study.record == full[name].record


@pytest.mark.parametrize("number", ["000", "002"])
def test_a_quick_version_of_these_has_the_first_seeds_only_and_changes_nothing_else(
    number: str,
) -> None:
    quick = read_toml(folder_of(number) / "quick.toml")
    full = {path.stem: read_toml(path) for path in (folder_of(number) / "studies").glob("*.toml")}
    assert set(quick) == set(full)
    for name, changes in quick.items():
        assert list(changes) == ["seeds"]
        assert changes["seeds"]["first"] == full[name]["seeds"]["first"]
        assert changes["seeds"]["count"] < full[name]["seeds"]["count"]


@pytest.mark.parametrize("number", REPORTS)
def test_seeds_are_as_many_as_were_asked_for(number: str) -> None:
    for study in planned_studies(number).values():
        assert study.seeds == (1,)


def test_an_unknown_report_is_refused() -> None:
    with pytest.raises(StudyError, match="007"):
        studies_of("007", Scale())


def run(*words: str) -> Any:
    return command.main(list(words), standalone_mode=False)


def test_without_a_report_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(REPORTS)


def test_the_package_says_where_reproductions_live() -> None:
    asked = [sys.executable, "-m", "genoku", "reproduce", "000", "--quick"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "python3 run.py reproduce 000 --claims --quick" in line


def test_what_cannot_be_written_is_said_before_anything_runs(tmp_path: Path) -> None:
    place = tmp_path / "runs"
    for name in ("none/page.html", "page.pdf"):
        with pytest.raises(GenokuError):
            run("002", "--dir", str(place), "-o", str(tmp_path / name))
    with pytest.raises(click.BadParameter):
        run("002", "--seeds", "0")
    assert not place.exists()


@pytest.mark.parametrize("number", REPORTS)
def test_the_kept_runs_are_those_that_the_studies_plan(number: str, tmp_path: Path) -> None:
    unpack_runs(number, tmp_path)


def test_kept_runs_of_a_study_that_has_changed_are_refused_with_the_command_to_make_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studies = dict(kept_studies("001"))
    studies["once"] = replace(studies["once"], seeds=(1, 2, 3))
    monkeypatch.setattr(kept_runs, "kept_studies", lambda _: studies)
    with pytest.raises(AssertionError, match=r"study once .*kept_runs\.py --write 001"):
        unpack_runs("001", tmp_path)


@pytest.mark.release
@pytest.mark.parametrize("number", REPORTS)
def test_the_kept_runs_are_made_again_to_the_last_bit(number: str, tmp_path: Path) -> None:
    kept = unpack_runs(number, tmp_path)
    for name, study in kept_studies(number).items():
        run_study(study, tmp_path / "again.db", folder=str(folder_of(number)))
        assert exported(tmp_path / "again.db") == exported(kept / f"{name}.db"), name
        (tmp_path / "again.db").unlink()


def test_the_command_makes_missing_runs_and_writes_page_claims_and_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = unpack_runs("002", tmp_path / "runs")
    before = rows_of(place / "hard.db")
    (place / "puzzles.db").rename(tmp_path / "kept.db")
    words = ("002", "--quick", "--seeds", "1", "--jobs", "1", "--dir", str(place))
    assert run(*words, "--json") == 0
    told = capsys.readouterr()
    facts = json.loads(told.out)
    assert "76 runs in hard, populations, puzzles" in told.err
    assert rows_of(place / "hard.db") == before  # with their times: nothing was made again
    assert exported(place / "puzzles.db") == exported(tmp_path / "kept.db")
    assert {each["verdict"] for each in facts["claims"]} == {"fails", "undecided"}  # of one run
    assert len(facts["figures"]["losses"]) == 52
    assert json.loads((place / "claims.json").read_text("utf-8")) == facts
    page = (place / "index.html").read_text(encoding="utf-8")
    text = read(page).text
    for each in facts["claims"]:
        assert plain(each["text"]) in text
    assert page.count("<figure") == 8
    assert "python3 run.py reproduce 002 --claims --quick --seeds 1" in page
    assert sorted(path.name for path in place.iterdir()) == [
        *("claims.json", "hard.db", "index.html", "populations.db", "puzzles.db")
    ]


def test_claims_are_told_by_verdict_after_the_warning_of_a_small_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def finished(_number: str, scale: Scale, *_: Any, **_options: Any) -> Reproduced:
        return found(scale)

    monkeypatch.setattr("reproductions.command.make", finished)
    page, paper = tmp_path / "page.html", tmp_path / "paper.md"
    assert run("002", "--quick", "-o", str(page), "--markdown", str(paper)) == 0
    warning, head, theirs, *rest = capsys.readouterr().out.splitlines()
    assert warning == Scale(quick=True).warning
    assert (head, theirs) == ("These claims hold:", "  Theirs. (there)")
    assert rest[:2] == ["What else we found:", "  Ours. (fails)"]
    assert rest[2].endswith("1 hold, 0 fail, 0 undecided.")
    assert "Theirs." in page.read_text("utf-8")
    assert "Theirs." in paper.read_text("utf-8")
    facts = [(tmp_path / name).read_text("utf-8") for name in ("claims.json", "paper-claims.json")]
    assert facts[0] == facts[1]
    assert json.loads(facts[0])["claims"][0]["id"] == "theirs"


def test_an_interrupt_says_how_to_go_on_and_keeps_the_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(now: StudyProgress) -> None:
        if now.done:
            raise KeyboardInterrupt

    words = ("002", "--quick", "--seeds", "9", "--jobs", "1", "--dir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["run.py", *words])
    watched = nullcontext(interrupt)
    monkeypatch.setattr("reproductions.command.show_progress", lambda *_: watched)
    assert run(*words) == 130
    said = capsys.readouterr().err
    assert f"Resume with: python3 run.py reproduce --claims {shlex.join(words)}" in said
    with Store.open(tmp_path / "hard.db") as store:
        assert 0 < len(store.results()) < len(store.study)


@pytest.mark.release
def test_an_interrupted_reproduction_says_how_to_go_on_and_keeps_its_runs(tmp_path: Path) -> None:
    words = ("002", "--quick", "--seeds", "9", "--jobs", "1")
    with subprocess.Popen(
        [sys.executable, str(HERE), *words], text=True, stderr=subprocess.PIPE, cwd=tmp_path
    ) as running:
        assert running.stderr is not None
        while "hard.db: 0 of" in (line := running.stderr.readline()) or "report 002" in line:
            pass
        running.send_signal(signal.SIGINT)
        said = running.stderr.read()
        assert running.wait(60) == 130
    assert "python3 run.py reproduce --claims 002 --quick --seeds 9 --jobs 1" in said
    assert "Traceback" not in said
    with Store.open(tmp_path / "reproduce-002" / "hard.db") as store:
        assert 0 < len(store.results()) < len(store.study)
