"""Study files: what they say, and what is said of those that say nothing sensible."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from genoku import bundled
from genoku.cli.study import new
from genoku.errors import StudyError
from genoku.lab.study import FIELDS, Study
from genoku.lab.studyfile import read_study, study_of

BASIC = {"algorithms": ["sundy"], "puzzles": ["charles-basic"], "seeds": 2}


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_three_lines_is_a_study(tmp_path: Path) -> None:
    path = written(
        tmp_path, 'algorithms = ["sundy", "charles"]\npuzzles = "charles-hard"\nseeds = 3'
    )
    study = read_study(path)
    assert study.name == "mine"
    assert [arm.name for arm in study.arms] == ["sundy", "charles"]
    assert study.arms[1].until == "generations=100"  # the preset's own
    assert study.instances[0].puzzle == bundled()["charles-hard"].puzzle
    assert study.seeds == (0, 1, 2)
    assert study.record.fields == FIELDS
    assert len(study) == 6


def test_a_grid_is_every_combination_with_every_budget() -> None:
    algorithms = {
        "preset": "charles",
        "set": {"replacement": {"elites": 1}},
        "grid": {"population": [50, 100], "selection": ["rank", {"use": "tournament", "size": 5}]},
    }
    study = study_of({**BASIC, "algorithms": algorithms, "until": ["steps=5", "steps=9"]})
    assert len(study.arms) == 8
    assert study.arms[-1].settings == {
        "population": 100,
        "selection": {"use": "tournament", "size": 5},
        "until": "steps=9",
    }
    assert study.arms[-1].recipe["selection"]["size"] == 5
    assert all(arm.recipe["replacement"]["elites"] == 1 for arm in study.arms)
    assert study.arms[0].name == "charles, population=50, selection=rank, steps=5"


def test_settings_name_an_algorithm_that_has_no_other_name() -> None:
    with_elite = {"preset": "sundy", "set": {"replacement": {"elites": 1}}}
    named = {**with_elite, "name": "careful", "set": {"population": 20}}
    study = study_of(
        {**BASIC, "algorithms": ["charles", {**with_elite, "preset": "charles"}, named]}
    )
    names = [arm.name for arm in study.arms]
    assert names == ["charles", "charles, replacement.elites=1", "careful"]


def test_the_example_is_a_study(tmp_path: Path) -> None:
    target = tmp_path / "first.toml"
    done = CliRunner().invoke(new, [str(target)])
    assert done.exit_code == 0
    study = read_study(target)
    assert len(study) == 4 * 6 * 10
    assert "genoku report first.db" in target.read_text()
    (tmp_path / "mine.txt").write_text("1.....3..4.....2\n12......3.....4.\n")
    uncommented = re.sub(
        r"^( *)# (?=\{|\[\[|preset|name|set)", r"\1", target.read_text(), flags=re.M
    )
    target.write_text(uncommented)
    assert len(read_study(target)) == 5 * 13 * 10  # what is commented out means something, too
    again = CliRunner().invoke(new, [str(target)])
    assert "got one that exists" in str(again.exception)


def test_puzzles_come_from_names_boards_files_and_the_generator(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("1.....3..4.....2\n12......3.....4.\n")
    study = study_of(
        {
            **BASIC,
            "puzzles": [
                "charles-easy",
                {"file": "two.txt", "first": 1},
                "empty 4",
                {"puzzle": "4.....3..1.....2", "name": "tiny"},
                {"generate": 2, "size": "2x3", "seed": 5},
            ],
        },
        tmp_path,
    )
    assert [instance.name for instance in study.instances] == [
        "charles-easy",
        "two 1",
        "empty 4",
        "tiny",
        "6×6, seed 5.0",
        "6×6, seed 5.1",
    ]


@pytest.mark.parametrize(
    ("seeds", "meant"),
    [(2, (0, 1)), ([7, 3], (7, 3)), ({"first": 5, "count": 2}, (5, 6))],
    ids=str,
)
def test_seeds_are_counted_listed_or_start_somewhere(seeds: Any, meant: tuple[int, ...]) -> None:
    assert study_of({**BASIC, "seeds": seeds}).seeds == meant


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"algorithms": ["charels"]},
            "algorithms[0]: expected the name of a preset, got 'charels'",
        ),
        ({"algorithms": []}, "algorithms: expected one or more, got none"),
        ({"algorithms": [7]}, "algorithms[0]: expected the name of a preset, or a table, got 7"),
        ({"algorithms": ["sundy", "sundy"]}, "got 'sundy' twice"),
        (
            {"algorithms": ["sundy", {"preset": "sundy", "name": "again"}]},
            "expected different algorithms, got 'sundy' again as 'again'",
        ),
        ({"algorithms": {"preset": "sundy", "gird": {}}}, "(did you mean grid?)"),
        ({"algorithms": {"preset": "sundy", "grid": {"population": 5}}}, "expected a list of"),
        (
            {"algorithms": {"preset": "sundy", "grid": {"populaton": [5]}}},
            "did you mean population",
        ),
        ({"algorithms": {"preset": "sundy", "set": 3}}, "set: expected a table"),
        (
            {"algorithms": {"preset": "charles", "grid": {"encoding": ["permuted-boxes"]}}},
            "encoding='permuted-boxes'",
        ),
        ({"algorithms": {"name": "x"}}, "expected one of preset and recipe"),
        (
            {"algorithms": {"recipe": "no.toml"}},
            "algorithms[0]: no.toml: No such file or directory",
        ),
        ({"puzzles": ["charles-hardd"]}, "did you mean charles-hard"),
        ({"puzzles": ["poderosas-easy"]}, "its givens clash"),
        ({"puzzles": ["charles-hard", "charles-hard"]}, "with different names"),
        ({"puzzles": [{"generate": 1, "file": "x"}]}, "expected one of puzzle, file and generate"),
        ({"puzzles": [{"generate": 1, "level": "cruel"}]}, "expected a level among"),
        ({"puzzles": [{"generate": 1, "givens": 5}]}, "fewer than 17 givens"),
        ({"puzzles": [{"generate": 1, "symmetry": "odd"}]}, "symmetry: expected one of"),
        ({"puzzles": [{"generate": 1, "share": "half"}]}, "share: expected a number"),
        ({"seeds": 0}, "seeds: expected how many"),
        ({"seeds": [1, 1]}, "expected different seeds, got 1 twice"),
        ({"seeds": [-1]}, "expected seeds from 0"),
        ({"seeds": "ten"}, "seeds: expected how many"),
        ({"seeds": 10**9}, "seeds: expected up to 1,000,000, got 1,000,000,000"),
        ({"seeds": {"count": 10**9}}, "seeds: count: expected up to"),
        ({"puzzles": [{"generate": 10**9}]}, "puzzles[0]: generate: expected up to"),
        ({"puzzles": [{"puzzle": "1" * 16, "box": [2, 2]}]}, "box: expected a shape such as 2x3"),
        ({"puzzles": [{"puzzle": "1" * 16, "box": 2.5}]}, "box: expected a shape such as 2x3"),
        (
            {"algorithms": {"preset": "sundy", "grid": {f"x{i}": [1, 2] for i in range(40)}}},
            "algorithms: expected up to 2,000, got 1,099,511,627,776",
        ),
        (
            {"algorithms": [{"preset": "sundy", "grid": {"population": [*range(1, 1001)]}}] * 3},
            "algorithms: expected up to 2,000, got 3,000",
        ),
        ({"puzzles": [{"file": "x", "first": 10**30}]}, "first: expected up to 1,000,000"),
        ({"until": "forever"}, "expected limits such as"),
        ({"until": 5}, "until: expected limits"),
        ({"record": {"fields": ["bets"]}}, "record: expected fields among"),
        ({"record": {"fields": [["gen"]]}}, "record: expected a list of fields, got [['gen']]"),
        ({"record": {"every": 0}}, "record: expected to record every 1 step"),
        ({"allow_conflicts": "yes"}, "expected true or false"),
        ({"question": 5}, "question: expected text"),
        ({"puzzels": []}, "did you mean puzzles?"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_what_is_wrong_is_said_with_its_place(change: dict[str, Any], said: str) -> None:
    with pytest.raises(StudyError) as caught:
        study_of({**BASIC, **change})
    assert said in str(caught.value)


def test_a_hundred_thousand_seeds_are_read_in_no_time() -> None:
    assert len(study_of({**BASIC, "seeds": 100_000})) == 100_000


@pytest.mark.parametrize("lacking", BASIC)
def test_what_is_lacking_is_named(lacking: str) -> None:
    with pytest.raises(StudyError, match=f"expected {lacking}"):
        study_of({key: value for key, value in BASIC.items() if key != lacking})


def test_a_file_that_is_no_toml_says_so(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"mine\.toml: expected TOML"):
        read_study(written(tmp_path, "algorithms = ["))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=5,
)
KEYED = st.dictionaries(
    st.sampled_from(["preset", "recipe", "grid", "set", "until", "name", "puzzle", "file", "box"]),
    VALUES,
    max_size=3,
)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(
        ["algorithms", "puzzles", "seeds", "until", "record", "name", "allow_conflicts"]
    ),
    VALUES | KEYED | st.lists(KEYED, max_size=2),
)
def test_any_nonsense_is_a_study_or_a_study_error(key: str, value: Any) -> None:
    with suppress(StudyError):
        assert isinstance(study_of({**BASIC, key: value}), Study)
