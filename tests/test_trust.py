"""Files are data: what they name is imported only for those who say that they trust it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commands import called

from genoku import Puzzle, resume, run
from genoku.errors import GenokuError, RecipeError
from genoku.evolve.algorithms import Genetic
from genoku.evolve.presets import preset_from_file
from genoku.evolve.recipe import (
    build,
    build_part,
    describe,
    is_trusted,
    modules_in_settings,
    with_settings,
    with_value,
)
from genoku.lab import Arm, Instance, Store, Study, arm, read_study, run_study
from genoku.lab.runner import make_runs
from genoku.lab.store import Failure
from genoku.lab.tune import space_of
from genoku.web.handlers import studies
from genoku.web.study_processes import StudyFiles, run_study_process, study_files

FOUR = "1.....3..4.....2"
MODULE = """\
from pathlib import Path
Path(__file__).with_name("imported").touch()
from genoku.evolve.fitness import Repetitions
def leave(boards, rate, problem, rng):
    return boards.copy()
class Fit(Repetitions):
    pass
class Pair:
    from subprocess import Popen
"""
RECIPE = 'use = "genetic"\npopulation = 10\nmutation = "stranger:leave"\n'
STUDY = f"""
puzzles = [{{ name = "four", puzzle = "{FOUR}" }}]
seeds = 2
until = "generations=2"
"""
ALGORITHMS = {
    "set": '[[algorithms]]\npreset = "sundy"\nset.mutation = "stranger:leave"\n',
    "grid": '[[algorithms]]\npreset = "sundy"\ngrid.mutation = ["shuffle", "stranger:leave"]\n',
    "recipe": '[[algorithms]]\nrecipe = { use = "genetic", mutation = "stranger:leave" }\n',
    "file": '[[algorithms]]\nrecipe = "mine.toml"\n',
    "inside": '[[algorithms]]\nrecipe = "mine.toml"\nset."mutation.strength" = 1\n',
}


class Files(NamedTuple):
    folder: Path

    @property
    def imported(self) -> bool:
        return (self.folder / "imported").exists()

    def forget(self) -> None:
        (self.folder / "imported").unlink(missing_ok=True)
        sys.modules.pop("stranger", None)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    """Files of every kind that name a part of a module which tells when it is imported."""
    files = Files(tmp_path_factory.mktemp("strangers"))
    folder = files.folder
    (folder / "stranger.py").write_text(MODULE)
    (folder / "mine.toml").write_text(RECIPE)
    for name, text in ALGORITHMS.items():
        (folder / f"{name}.toml").write_text(STUDY + text)
    sys.path.insert(0, str(folder))
    try:
        import stranger  # pyright: ignore

        algorithm = Genetic(population=10, mutation=stranger.leave)
        run(Puzzle.parse(FOUR), algorithm, until="generations=2", checkpoint=folder / "run.ck")
        judged = Genetic(population=10, fitness=stranger.Fit())
        instances = (Instance("four", Puzzle.parse(FOUR)),)
        for name, each in (("runs", algorithm), ("fit", judged)):
            mine = arm(each, "mine", until="generations=2")
            run_study(Study(name, (mine,), instances, (1, 2)), folder / f"{name}.db")
        run_study(
            Study("half", (arm(algorithm, "mine", until="generations=2"),), instances, (1, 2, 3)),
            folder / "half.db",
            shard=None,
        )
        database = sqlite3.connect(folder / "half.db")
        database.execute("DELETE FROM runs WHERE seed=3")
        database.commit()
        database.close()
        yield files
    finally:
        sys.path.remove(str(folder))
        files.forget()


@pytest.fixture
def strangers(made: Files, monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.chdir(made.folder)
    made.forget()
    return made


REFUSED = [
    ("solve", FOUR, "--recipe", "mine.toml"),
    ("solve", FOUR, "--recipe", "mine.toml", "--set", "mutation.strength=2"),
    ("solve", FOUR, "--recipe", "mine.toml", "--set", "selection=another:part"),
    ("evolve", "--resume", "run.ck"),
    ("race", "sundy", "mine.toml", "--puzzle", FOUR),
    ("tune", "mine.toml", "--trials", "1"),
    *(("study", "plan", f"{name}.toml") for name in ALGORITHMS),
    ("study", "plan", "set.toml", "--no-pilot"),
    *(("study", "run", f"{name}.toml", "--jobs", "1") for name in ALGORITHMS),
    ("study", "run", "set.toml", "--shard", "1/2", "--jobs", "2"),
    ("study", "resume", "half.db", "--jobs", "1"),
]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_a_file_that_names_somebodys_code_is_refused_before_it_is_imported(
    words: tuple[str, ...], strangers: Files
) -> None:
    done = called(*words)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("genoku: ")]
    (file,) = {each for each in words if each.endswith((".toml", ".ck", ".db"))}
    assert "'stranger:leave'" in line
    assert "--trust" in line
    assert file in line
    assert not strangers.imported


def test_an_export_that_needs_somebodys_fitness_is_refused(strangers: Files) -> None:
    done = called("study", "export", "fit.db", "--to", "ioh", "-o", "fit-ioh")
    assert (done.returncode, strangers.imported) == (2, False)
    assert "'stranger:Fit'" in done.stderr
    assert (
        called("study", "export", "fit.db", "--to", "ioh", "-o", "ioh", "--trust").returncode == 0
    )


READ = [
    ("study", "status", "half.db"),
    ("study", "status", "half.db", "--json"),
    ("study", "export", "runs.db"),
    ("study", "export", "runs.db", "--histories", "-o", "steps.csv"),
    ("study", "export", "runs.db", "-o", "runs.jsonl"),
    ("study", "export", "runs.db", "--to", "ioh", "-o", "runs-ioh"),
    ("study", "merge", "both.db", "half.db"),
    ("report", "runs.db"),
    ("report", "fit.db"),
    ("presets", "mine.toml"),
    ("presets", "mine.toml", "--json"),
]


@pytest.mark.parametrize("words", READ, ids=" ".join)
def test_what_only_reads_works_and_imports_nothing(
    words: tuple[str, ...], strangers: Files
) -> None:
    done = called(*words)
    assert done.returncode == 0, done.stderr
    assert not strangers.imported


TRUSTED = [
    ("solve", FOUR, "--recipe", "mine.toml", "--until", "generations=1", "--trust"),
    ("solve", FOUR, "--preset", "sundy", "--until", "steps=1", "--set", "mutation=stranger:leave"),
    (
        *("solve", FOUR, "--recipe", "mine.toml", "--until", "generations=1"),
        *("--set", "mutation=stranger:leave"),
    ),
    (
        "evolve",
        "--resume",
        "run.ck",
        "--until",
        "generations=3",
        "--checkpoint",
        "new.ck",
        "--trust",
    ),
    (
        *("race", "sundy", "sundy:mutation=stranger:leave", "--puzzle", FOUR),
        *("--until", "steps=2", "--seeds", "2"),
    ),
    ("study", "plan", "file.toml", "--trust", "--no-pilot"),
    ("study", "run", "set.toml", "--store", "trusted.db", "--jobs", "2", "--trust"),
    ("study", "resume", "half.db", "--jobs", "1", "--trust"),
]


@pytest.mark.parametrize("words", TRUSTED, ids=" ".join)
def test_who_trusts_a_file_or_names_the_module_gets_what_it_says(
    words: tuple[str, ...], strangers: Files
) -> None:
    done = called(*words)
    assert done.returncode in (0, 1), done.stderr
    assert "genoku: " not in done.stderr
    assert strangers.imported


@pytest.mark.parametrize("name", ["subprocess:Popen", "os:system", "stranger:Pair.Popen"])
@pytest.mark.parametrize("role", ["selection", "mutation", "encoding", "fitness"])
def test_what_is_no_part_is_never_made_not_even_for_those_who_trust(
    name: str, role: str, strangers: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda *given, **named: begun.append(given))
    (strangers.folder / "evil.toml").write_text(
        f'use = "genetic"\n[{role}]\nuse = "{name}"\nargs = ["touch", "owned"]\n'
    )
    done = called("solve", FOUR, "--recipe", "evil.toml", "--trust")
    assert done.returncode == 2
    assert not begun


def test_a_class_without_the_methods_of_its_role_is_not_made(strangers: Files) -> None:
    with pytest.raises(RecipeError, match="space"):
        build_part("encoding", "stranger:Fit", trust=True)
    with pytest.raises(RecipeError, match="call"):
        build_part("mutation", "stranger:Fit", trust=True)


def test_no_function_of_the_python_interface_imports_what_data_names(strangers: Files) -> None:
    recipe: dict[str, Any] = {"use": "genetic", "mutation": {"use": "stranger:leave"}}
    text = Study("x", (Arm("x", recipe, "steps=1"),), (Instance("four", Puzzle.parse(FOUR)),), (1,))
    with Store.open("half.db") as store:
        kept = store.study
    doors: list[Callable[[], object]] = [
        lambda: build(recipe),
        lambda: build_part("mutation", "stranger:leave"),
        lambda: with_settings(recipe, ["mutation.strength=1"]),
        lambda: with_value(recipe, "mutation.strength", 1),
        lambda: arm(recipe),
        lambda: arm("sundy", settings={"mutation": "stranger:leave"}),
        lambda: preset_from_file("mine.toml").build(),
        lambda: read_study("set.toml"),
        Study.of_text(text.text()).arms[0].algorithm,
        kept.arms[0].algorithm,
        lambda: run_study(kept, "half.db"),
        lambda: run_study(text, "new.db"),
        lambda: resume("run.ck"),
        lambda: space_of(recipe),
    ]
    for door in doors:
        with pytest.raises(GenokuError, match="stranger:leave"):
            door()
    (failed,) = make_runs(text.text(), list(text.runs()), str(strangers.folder))
    assert isinstance(failed, Failure)
    assert "stranger:leave" in failed.message
    assert not Path("new.db").exists()
    assert not strangers.imported


def test_no_file_can_say_that_it_is_trusted(strangers: Files, tmp_path: Path) -> None:
    with Store.open("half.db") as store:
        facts = json.loads(store.study.text())
    facts["arms"][0]["trust"] = True
    study = Study.of_text(json.dumps(facts))
    assert (study.trust, study.arms[0].trust) == (frozenset(), False)
    assert "trust" not in Study.of_text(study.text(), trust=True).text()
    copy = tmp_path / "copy.db"
    copy.write_bytes(Path("half.db").read_bytes())
    database = sqlite3.connect(copy)
    database.execute("UPDATE meta SET value=? WHERE name='study'", (json.dumps(facts),))
    database.commit()
    database.close()
    assert called("study", "resume", str(copy)).returncode == 2
    assert not strangers.imported


def test_parts_in_memory_need_no_trust_and_what_was_trusted_stays_so(strangers: Files) -> None:
    import stranger  # pyright: ignore

    algorithm = Genetic(population=10, mutation=stranger.leave)
    mine = arm(algorithm, until="steps=1")
    assert mine.trust == frozenset({"stranger"})
    assert describe(mine.algorithm())["mutation"] == {"use": "stranger:leave"}
    assert arm(algorithm, settings={"population": 12}).recipe["population"] == 12
    with pytest.raises(RecipeError, match="another:part"):
        arm(algorithm, settings={"selection": "another:part"})
    study = Study("mine", (mine,), (Instance("four", Puzzle.parse(FOUR)),), (1,))
    assert study.trust == {"stranger"}
    with Store.create("memory.db", study) as store:
        assert store.study.trust == {"stranger"}


def test_the_web_app_imports_nothing_that_a_store_or_a_study_file_names(
    strangers: Files, tmp_path: Path
) -> None:
    class Server:
        def poll(self) -> bool:
            return False

        def send(self, _: Any) -> None:
            pass

    for name in ("runs", "fit", "set"):
        assert studies.detail(study_files(strangers.folder, name), is_ours=False)["name"]
    assert "<html" in studies.report_html(study_files(strangers.folder, "runs"))
    for toml, db in (("set.toml", "web.db"), ("none.toml", "half.db")):
        files = StudyFiles("mine", Path(toml), Path(db))
        with pytest.raises(GenokuError, match="stranger:leave"):
            run_study_process(Server(), files, 1)  # pyright: ignore
    assert not strangers.imported


@pytest.mark.parametrize(
    ("settings", "modules"),
    [
        (["mutation=mine:swap"], {"mine"}),
        (['mutation={ use = "my.parts:Swap", by = 2 }', "population=3"], {"my.parts"}),
        (["mutation=one:a|two:b", "population=50..2000:log"], {"one", "two"}),
        (["population=1000"], set()),
    ],
)
def test_the_modules_that_a_command_line_names(settings: list[str], modules: set[str]) -> None:
    assert modules_in_settings(settings) == modules


def test_a_setting_names_modules_and_no_numbers() -> None:
    assert modules_in_settings(["mutation=mine.ops:swap|swap", "selection=theirs:best"]) == {
        "mine.ops",
        "theirs",
    }
    assert not modules_in_settings(["population=50..1e4:log", "rate=1e-3..1e2:log", "a=b"])


def test_who_names_a_package_trusts_what_is_in_it() -> None:
    assert is_trusted("mine.ops", frozenset({"mine"}))
    assert not is_trusted("mineral", frozenset({"mine"}))
    assert not is_trusted("mine", frozenset({"mine.ops"}))
