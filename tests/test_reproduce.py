"""Reproductions: verdicts follow from data by rule, and the command runs real studies."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from genoku.cli.reproduce import reproduce as command
from genoku.errors import GenokuError, StudyError
from genoku.lab.page import Claims, Notice
from reproductions.old import REPORTS, Findings, Scale, reproduction
from reproductions.old.claims import (
    ALPHA,
    MARGIN,
    VERDICTS,
    Claim,
    Contrast,
    across_readings,
    all_of,
    judged,
    median_interval,
    published,
    share_claim,
    within,
)
from reproductions.old.rules import best_of, equivalent
from reproductions.old.words import p_words
from genoku.lab.statistics import Interval, Proportion, a12, mann_whitney
from genoku.lab.store import Store

LOW, HIGH = np.arange(10.0), np.arange(100.0, 110.0)

samples = st.lists(st.floats(-5, 5), min_size=3, max_size=8)


def verdict_of(first: Any, second: Any, lower_is_better: bool = True, **options: Any) -> str:
    contrast = Contrast("", "", "one", "two", (first, second), lower_is_better, **options)
    return judged([contrast])[0].verdict


def test_a_clear_difference_holds_fails_the_other_way_and_alike_samples_are_undecided() -> None:
    assert verdict_of(LOW, HIGH) == "holds"
    assert verdict_of(HIGH, LOW) == "fails"
    assert verdict_of(LOW, HIGH, lower_is_better=False) == "fails"
    assert verdict_of(LOW, LOW) == "undecided"


def test_many_comparisons_make_each_harder_to_hold() -> None:
    clear = Contrast("", "", "one", "two", (LOW[:4], HIGH[:4]))
    alike = Contrast("", "", "one", "two", (LOW, LOW))
    assert judged([clear])[0].verdict == "holds"
    assert judged([clear, alike, alike])[0].verdict == "undecided"


def test_a_difference_below_the_margin_never_decides_for_a_side() -> None:
    many = np.arange(4000.0)
    assert a12(many, many + 100).a12 < 0.5 + MARGIN  # and no two runs are alike
    for first, second in ((many, many + 100), (many + 100, many)):
        assert mann_whitney(first, second).p < ALPHA
        assert verdict_of(first, second) == "fails"
        assert verdict_of(first, second, alike=True) == "holds"
    few = many[:600]  # enough for the test, too few to say that a difference is that small
    assert mann_whitney(few, few + 30).p < ALPHA
    assert verdict_of(few, few + 30) == "undecided"
    assert verdict_of(few, few + 60) == "holds"


@given(samples, samples, st.booleans(), st.sampled_from([1, 40]))
def test_of_better_worse_and_alike_at_most_one_holds_and_then_the_others_fail(
    one: list[float], two: list[float], paired: bool, times: int
) -> None:
    size = min(len(one), len(two)) if paired else None
    first, second = np.tile(one[:size], times), np.tile(two[:size], times)
    verdicts = sorted(
        (
            verdict_of(first, second, paired=paired),
            verdict_of(second, first, paired=paired),
            verdict_of(first, second, paired=paired, alike=True),
        )
    )
    assert verdicts in (["fails", "fails", "holds"], ["undecided"] * 3)


@pytest.mark.parametrize("paired", [False, True])
def test_equal_samples_are_alike_only_if_there_are_enough_of_them(paired: bool) -> None:
    for runs, verdict in ((2, "undecided"), (100, "undecided"), (2000, "holds")):
        same = np.zeros(runs)
        assert verdict_of(same, same, alike=True, paired=paired) == verdict


def test_readings_of_a_report_that_do_not_agree_leave_its_claim_undecided() -> None:
    parts: dict[str, Claim] = {word: Claim("", "", word, f"so {word}") for word in VERDICTS}
    for word, part in parts.items():
        claim = across_readings("it", "there", {"this": part, "that": part})
        assert (claim.text, claim.where, claim.verdict) == ("it", "there", word)
    claim = across_readings("", "", {"this": parts["holds"], "that": parts["undecided"]})
    assert claim.verdict == "undecided"
    for told in ("This: holds", "so holds", "That: undecided", "so undecided"):
        assert told in claim.because


def test_observations_of_ours_have_a_section_of_their_own_and_are_not_counted() -> None:
    theirs, ours = (
        Claim("Theirs.", "there", "holds", "it is"),
        Claim("Ours.", "here", "fails", "no"),
    )
    report = reproduction("002")
    page = report.page(Findings((theirs,), (), observations=(ours,)), Scale())
    first, second, *_ = page.sections
    assert [part.claims[0].text for part in first.parts if isinstance(part, Claims)] == [
        "Theirs. *(there)*"
    ]
    assert [part.claims[0].verdict for part in second.parts if isinstance(part, Claims)] == [
        "fails"
    ]
    assert "Of 1 claim **1 holds**, **0 fail**" in str(first.parts[0])


@pytest.mark.parametrize(
    ("scale", "said"), [(Scale(), False), (Scale(quick=True), True), (Scale(seeds=7), True)]
)
def test_a_page_that_is_not_the_full_one_says_so_first(scale: Scale, said: bool) -> None:
    first = reproduction("002").page(Findings((), ()), scale).sections[0].parts[0]
    assert isinstance(first, Notice) == said == bool(scale.warning)


def test_pairs_are_compared_run_by_run() -> None:
    after = LOW + 0.5  # within the spread of the runs, but every one of them rises
    for paired, verdict in ((True, "holds"), (False, "undecided")):
        (claim,) = judged([Contrast("", "", "before", "after", (LOW, after), paired=paired)])
        assert claim.verdict == verdict
    (claim,) = judged([Contrast("", "", "after", "before", (after, LOW), paired=True)])
    assert claim.verdict == "fails"
    assert "sign test" in claim.because
    assert "the first lower in 0 %" in claim.because


@pytest.mark.parametrize("paired", [False, True])
def test_too_few_runs_are_said_to_be_too_few(paired: bool) -> None:
    (claim,) = judged([Contrast("", "", "a", "b", ([1.0], [2.0]), paired=paired)])
    assert (claim.verdict, claim.because) == ("undecided", "Too few runs to tell.")
    same = equivalent("", "", [1.0], [1.0], margin=1.0, what="", paired=paired)
    assert (same.verdict, same.because) == ("undecided", "Too few runs to tell.")
    best = best_of("", "", "a", {"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert (best.verdict, best.because) == ("undecided", "Too few runs to tell.")


def test_means_are_told_where_medians_are_equal() -> None:
    one, two = [0.0] * 9 + [5.0] * 10 + [9.0] * 1, [5.0] * 11 + [9.0] * 9
    (claim,) = judged([Contrast("", "", "a", "b", (one, two))])
    assert claim.verdict == "holds"
    assert "a 5, b 5 (medians of 20 runs; means 2.95 and 6.8;" in claim.because


def test_the_evidence_names_medians_runs_and_p() -> None:
    (claim,) = judged([Contrast("", "", "first", "second", (LOW, HIGH), counted="seed")])
    assert claim.because.startswith("first 4.5, second 104.5 (medians of 10 seeds; p < 0.0001")
    assert p_words(0.0526) == "p = 0.053"
    assert p_words(0.0028) == "p = 0.0028"


@given(st.floats(-2, 2), st.floats(0, 2), st.floats(-2, 2), st.floats(0, 2))
def test_an_interval_is_inside_outside_or_across(
    start: float, width: float, low: float, span: float
) -> None:
    interval, high = Interval(start, start + width), low + span
    inside = low <= interval.low and interval.high <= high
    apart = interval.high < low or interval.low > high
    expected = "holds" if inside else "fails" if apart else "undecided"
    assert within(interval, low, high) == expected


def test_a_claim_of_many_parts_falls_with_any_of_them() -> None:
    parts: dict[str, Claim] = {word: Claim("", "", word, "") for word in VERDICTS}
    together = {
        ("holds", "holds"): "holds",
        ("holds", "undecided"): "undecided",
        ("holds", "undecided", "fails"): "fails",
    }
    for words, verdict in together.items():
        assert all_of("", "", [parts[word] for word in words]).verdict == verdict


def test_a_share_is_held_against_its_interval() -> None:
    verdicts = [
        share_claim("", "", Proportion(solved, 100), above=0.5).verdict for solved in (0, 50, 100)
    ]
    assert verdicts == ["fails", "undecided", "holds"]


@given(st.integers(6, 40), st.integers(0, 2**32))
def test_the_interval_of_a_median_has_the_level_it_says(count: int, seed: int) -> None:
    values = np.random.default_rng(seed).permutation(count).astype(float)
    low, high = median_interval(values)
    # How often the median of the source lies between order statistics is a binomial's business.
    covered = 1 - 2 * stats.binom.cdf(low, count, 0.5)
    wider = 1 - 2 * stats.binom.cdf(low + 1, count, 0.5)
    assert low + high == count - 1
    assert covered >= 0.95 > wider


def test_few_values_say_nothing_about_a_median() -> None:
    assert median_interval([1, 2, 3, 4, 5]) == (-math.inf, math.inf)


def test_the_best_of_many_must_beat_all_others() -> None:
    middle = np.arange(50.0, 60.0)
    of = {"a": LOW, "b": middle, "c": HIGH}
    assert best_of("", "", "a", of).verdict == "holds"
    assert best_of("", "", "b", of).verdict == "fails"
    assert best_of("", "", "c", of, lower_is_better=False).verdict == "holds"
    tied = best_of("", "", "a", {**of, "d": LOW + 0.01})
    assert tied.verdict == "undecided"
    many = np.arange(3000.0)
    alike = best_of("", "", "a", {"a": many, "d": many + 0.01})
    assert alike.verdict == "fails"  # no better than another one
    assert "place 1 of 4" in tied.because
    assert "The lowest mean has a: 4.5000" in best_of("", "", "b", of).because


def test_two_that_differ_by_less_than_a_margin_are_equivalent() -> None:
    def verdict(first: Any, second: Any, **options: Any) -> str:
        return equivalent("", "", first, second, margin=1, what="", **options).verdict

    assert verdict(LOW / 100, LOW / 100 + 0.5) == "holds"
    assert verdict(LOW / 100, LOW / 100 + 2) == "fails"
    assert verdict(LOW, LOW + 0.5) == "undecided"
    assert verdict(LOW, LOW + 0.5, paired=True) == "holds"  # each pair differs by as much
    assert verdict([1.0], [1.0]) == verdict([1.0], [1.0], paired=True) == "undecided"


def test_a_scale_has_seeds_of_its_size_or_as_many_as_were_asked_for() -> None:
    assert Scale().seeds_of(3, 9) == tuple(range(1, 10))
    assert Scale(quick=True).seeds_of(3, 9) == (1, 2, 3)
    assert Scale(quick=True, seeds=1).seeds_of(3, 9) == (1,)
    assert Scale(quick=True, seeds=2).options == " --quick --seeds 2"


@pytest.mark.parametrize("number", ["000", "002"])
def test_quick_runs_are_among_the_full_ones_so_that_nothing_is_made_twice(number: str) -> None:
    report = reproduction(number)
    quick, full = report.studies(Scale(quick=True)), report.studies(Scale())
    assert list(quick) == list(full)
    for name, study in quick.items():
        keys = set(study.keys(study.runs()))
        assert keys < set(full[name].keys(full[name].runs()))
        assert study.record == full[name].record


def test_an_unknown_report_is_refused_with_a_list_of_those_there_are() -> None:
    with pytest.raises(StudyError, match=f"{', '.join(REPORTS)}, got '007'"):
        reproduction("007")


def test_every_published_file_can_be_read() -> None:
    assert published("charles")["runs"] == 5
    assert published("poderosas")["max_conflicts"] == 243


def run(*words: str) -> Any:
    return command.main(list(words), standalone_mode=False)


def test_what_cannot_be_written_is_said_before_anything_runs(tmp_path: Path) -> None:
    place = tmp_path / "runs"
    with pytest.raises(GenokuError, match=r"-o .*there is no folder"):
        run("002", "--dir", str(place), "-o", str(tmp_path / "none" / "page.html"))
    with pytest.raises(click.BadParameter):
        run("002", "--seeds", "0")
    assert not place.exists()


def test_the_command_runs_real_studies_and_writes_page_claims_and_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, paper = tmp_path / "runs", tmp_path / "page.md"
    words = ("002", "--quick", "--seeds", "1", "--jobs", "1", "--dir", str(place))
    assert run(*words, "--json", "--markdown", str(paper)) == 0
    told = capsys.readouterr()
    facts = json.loads(told.out)
    assert {each["verdict"] for each in facts["claims"]} == {"fails", "undecided"}  # of one run
    assert len(facts["figures"]["losses"]) == 52
    assert "hard.db: 52 of 52 runs" in told.err
    page = (place / "index.html").read_text(encoding="utf-8")
    text = paper.read_text(encoding="utf-8")
    for each in facts["claims"]:
        assert each["text"] in text
    assert "genoku reproduce 002 --quick --seeds 1" in page
    assert sorted(path.name for path in place.iterdir()) == [
        *("hard.db", "index.html", "populations.db", "puzzles.db")
    ]
    before = (place / "hard.db").stat().st_size
    assert run(*words) == 0
    again = capsys.readouterr().out
    assert again.startswith(Scale(quick=True, seeds=1).warning)
    assert "These fail:" in again
    assert f"{len(facts['claims'])} claims: " in again
    assert (place / "hard.db").stat().st_size == before  # nothing was made again


def test_an_interrupted_reproduction_says_how_to_go_on_and_keeps_its_runs(tmp_path: Path) -> None:
    words = ("reproduce", "002", "--quick", "--seeds", "9", "--jobs", "1")
    with subprocess.Popen(
        [sys.executable, "-m", "genoku", *words], text=True, stderr=subprocess.PIPE, cwd=tmp_path
    ) as running:
        assert running.stderr is not None
        while "hard.db: 0 of" in (line := running.stderr.readline()) or "charles:" in line:
            pass
        running.send_signal(signal.SIGINT)
        said = running.stderr.read()
        assert running.wait(60) == 130
    assert "Go on with: genoku reproduce 002 --quick --seeds 9 --jobs 1" in said
    assert "Traceback" not in said
    with Store.open(tmp_path / "reproduce-002" / "hard.db") as store:
        assert 0 < len(store.results()) < len(store.study)
