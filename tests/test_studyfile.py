"""Study files: what they say, and what is said of those that say nothing sensible."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st
from strategies import examples

from genoku import bundled
from genoku.cli.study import new
from genoku.errors import StudyError
from genoku.lab.study import FIELDS, Study
from genoku.lab.studyfile import ALGORITHM_KEYS, read_study, study_of

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
    (tmp_path / "mine.txt").write_text("1.....3..4.....2\n12......3.....4.\n")
    uncommented = re.sub(
        r"^( *)# (?=\{|\[\[|preset|name|set)", r"\1", target.read_text(), flags=re.M
    )
    target.write_text(uncommented)
    assert len(read_study(target)) == 5 * 13 * 10  # what is commented out means something, too
    again = CliRunner().invoke(new, [str(target)])
    assert isinstance(again.exception, StudyError)


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
    ("change", "path"),
    [
        ({"algorithms": ["charels"]}, ("algorithms[0]",)),
        ({"algorithms": []}, ("algorithms",)),
        ({"algorithms": [7]}, ("algorithms[0]",)),
        ({"algorithms": ["sundy", "sundy"]}, ("algorithms",)),
        ({"algorithms": ["sundy", {"preset": "sundy", "name": "again"}]}, ("algorithms",)),
        ({"algorithms": {"preset": "sundy", "gird": {}}}, ("algorithms[0]",)),
        (
            {"algorithms": {"preset": "sundy", "grid": {"population": 5}}},
            ("algorithms[0]", "grid.population"),
        ),
        (
            {"algorithms": {"preset": "sundy", "grid": {"populaton": [5]}}},
            ("algorithms[0]", "populaton=5", "populaton"),
        ),
        ({"algorithms": {"preset": "sundy", "set": 3}}, ("algorithms[0]", "set")),
        (
            {"algorithms": {"preset": "charles", "grid": {"encoding": ["permuted-boxes"]}}},
            ("algorithms[0]", "encoding='permuted-boxes'", "crossover"),
        ),
        ({"algorithms": {"name": "x"}}, ("algorithms[0]",)),
        ({"algorithms": {"recipe": "no.toml"}}, ("algorithms[0]", "no.toml")),
        ({"puzzles": ["charles-hardd"]}, ("puzzles[0]",)),
        ({"puzzles": ["poderosas-easy"]}, ("puzzle poderosas-easy",)),
        ({"puzzles": ["charles-hard", "charles-hard"]}, ("puzzles",)),
        ({"puzzles": [{"generate": 1, "file": "x"}]}, ("puzzles[0]",)),
        ({"puzzles": [{"generate": 1, "level": "cruel"}]}, ("puzzles[0]",)),
        ({"puzzles": [{"generate": 1, "givens": 5}]}, ("puzzles[0]",)),
        ({"puzzles": [{"generate": 1, "symmetry": "odd"}]}, ("puzzles[0]", "symmetry")),
        ({"puzzles": [{"generate": 1, "share": "half"}]}, ("puzzles[0]", "share")),
        ({"seeds": 0}, ("seeds",)),
        ({"seeds": [1, 1]}, ("seeds",)),
        ({"seeds": [-1]}, ("seeds",)),
        ({"seeds": "ten"}, ("seeds",)),
        ({"seeds": 10**9}, ("seeds",)),
        ({"seeds": {"count": 10**9}}, ("seeds", "count")),
        ({"puzzles": [{"generate": 10**9}]}, ("puzzles[0]", "generate")),
        ({"puzzles": [{"puzzle": "1" * 16, "box": [2, 2]}]}, ("puzzles[0]", "box")),
        ({"puzzles": [{"puzzle": "1" * 16, "box": 2.5}]}, ("puzzles[0]", "box")),
        (
            {"algorithms": {"preset": "sundy", "grid": {f"x{i}": [1, 2] for i in range(40)}}},
            ("algorithms",),
        ),
        (
            {"algorithms": [{"preset": "sundy", "grid": {"population": [*range(1, 1001)]}}] * 3},
            ("algorithms",),
        ),
        ({"puzzles": [{"file": "x", "first": 10**30}]}, ("puzzles[0]", "first")),
        ({"until": "forever"}, ("algorithms[0]",)),
        ({"until": 5}, ("until",)),
        ({"record": {"fields": ["bets"]}}, ("record",)),
        ({"record": {"fields": [["gen"]]}}, ("record",)),
        ({"record": {"every": 0}}, ("record",)),
        ({"allow_conflicts": "yes"}, ("allow_conflicts",)),
        ({"question": 5}, ("question",)),
        ({"puzzels": []}, ()),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_what_is_wrong_is_said_with_its_place(
    change: dict[str, Any], path: tuple[str, ...]
) -> None:
    with pytest.raises(StudyError) as caught:
        study_of({**BASIC, **change})
    assert caught.value.path == path
    assert str(caught.value).startswith(": ".join((*path, caught.value.reason)))


def test_an_unknown_key_is_refused_with_those_there_are() -> None:
    with pytest.raises(StudyError, match="grid") as caught:
        study_of({**BASIC, "algorithms": {"preset": "sundy", "gird": {}}})
    assert caught.value.alternatives == ALGORITHM_KEYS
    with pytest.raises(StudyError) as caught:
        study_of({**BASIC, "allow_conflicts": "yes"})
    assert caught.value.alternatives == ("true", "false")


def test_a_hundred_thousand_seeds_are_read_in_no_time() -> None:
    assert len(study_of({**BASIC, "seeds": 100_000})) == 100_000


@pytest.mark.parametrize("lacking", BASIC)
def test_what_is_lacking_is_named(lacking: str) -> None:
    with pytest.raises(StudyError) as caught:
        study_of({key: value for key, value in BASIC.items() if key != lacking})
    assert caught.value.alternatives == (lacking,)


def test_a_file_that_is_no_toml_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, "algorithms = [")
    with pytest.raises(StudyError) as caught:
        read_study(path)
    assert caught.value.path == (str(path),)


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


@examples(200)
@given(
    st.sampled_from(
        ["algorithms", "puzzles", "seeds", "until", "record", "name", "allow_conflicts"]
    ),
    VALUES | KEYED | st.lists(KEYED, max_size=2),
)
def test_any_nonsense_is_a_study_or_a_study_error(key: str, value: Any) -> None:
    with suppress(StudyError):
        assert isinstance(study_of({**BASIC, key: value}), Study)
