"""The checks of a release: what they read, how they are called, and where results are kept."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("release", reason="only a clone has the checks of a release")

from release import CHECKS
from release.__main__ import main, parse_arguments
from release.environments import interpreter
from release.extras import PARTS, holdings
from release.fresh import commands
from release.judging import BEGIN, END, PAGE, CheckError, Seen, record, run_check
from release.minimum import at_its_bound, lowest, tools
from release.packages import compare, wheel_of

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page with two results."""
    written = tmp_path / "release.md"
    written.write_text(f"Before.\n\n{BEGIN}\nto be replaced\nand this\n{END}\n\nAfter.\n")
    record("long", "passed", 60, "5 passed", page=written)
    record("packages", "passed", 12.6, "1.4 MB", versions="Python 3.14", page=written)
    return written


def rows(page: Path) -> list[list[str]]:
    text = page.read_text(encoding="utf-8")
    table = text.split(BEGIN)[1].split(END)[0].strip().splitlines()
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table[2:]]


def test_results_stand_in_the_order_of_the_checks_and_the_rest_stays(page: Path) -> None:
    assert [row[0] for row in rows(page)] == ["`packages`", "`long`"]
    assert rows(page)[0][2:] == ["Python 3.14", "passed", "13", "1.4 MB"]
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before.\n\n")
    assert text.endswith("\n\nAfter.\n")


def test_a_new_result_replaces_the_old_one_of_the_same_check(page: Path) -> None:
    record("long", "failed", 1, "a | b\nc", page=page)
    assert [row[0] for row in rows(page)] == ["`packages`", "`long`"]
    assert rows(page)[1][3:5] == ["failed", "1"]
    assert "a \\| b c" in page.read_text(encoding="utf-8")


def test_the_page_explains_every_check_and_has_a_place_for_results() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    explained = text.split("## The checks")[1]
    assert re.findall(r"^\| `(\w+)` \|", explained, re.MULTILINE) == list(CHECKS)


def test_every_check_has_a_module_with_a_main() -> None:
    for check in CHECKS:
        source = (ROOT / "release" / f"{check}.py").read_text(encoding="utf-8")
        assert "\ndef main(arguments: list[str]) -> int:\n" in source, check


def test_arguments_belong_to_the_check_before_them() -> None:
    checks = parse_arguments(["extras", "web", "tune", "long"])
    assert checks == [("extras", ["web", "tune"]), ("long", [])]
    assert [check for check, _ in parse_arguments([])] == list(CHECKS)


def test_an_unknown_check_is_refused_before_anything_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["packing"]) == 2
    assert "got 'packing'" in capsys.readouterr().err
    assert main(["extras", "wob"]) == 2
    assert "got 'wob'" in capsys.readouterr().err
    assert main(["packages", "wheel"]) == 2
    assert "got 'wheel'" in capsys.readouterr().err


def test_what_does_not_hold_is_recorded_as_failed(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(folder: Path) -> Seen:
        assert folder.is_dir()
        raise CheckError("lacking")

    monkeypatch.setattr(
        "release.judging.record", lambda *said, **more: record(*said, **more, page=page)
    )
    assert run_check("packages", look, []) == 1
    assert rows(page)[0][3::2] == ["failed", "lacking"]
    assert run_check("packages", lambda _folder: Seen("all well"), ["in", "part"]) == 0
    assert rows(page)[0][3] == "failed", "a part is not recorded"


def test_the_lowest_versions_are_read_from_the_bounds() -> None:
    project = {
        "name": "genoku",
        "dependencies": ["numpy>=2.0"],
        "optional-dependencies": {"lab": ["scipy>=1.13"], "web": ["genoku[lab]"], "dev": ["x>=1"]},
    }
    assert lowest(project) == ["numpy==2.0", "scipy==1.13"]
    assert tools(project) == ["x>=1"]
    with pytest.raises(CheckError, match="numpy"):
        at_its_bound("numpy")


def test_every_requirement_of_ours_has_a_bound_to_test() -> None:
    assert len(lowest(PROJECT)) > 15
    assert any(one.startswith("pytest") for one in tools(PROJECT))
    assert not any(one.startswith("schemathesis") for one in tools(PROJECT))


def test_every_extra_is_tried_and_every_part_needs_one_that_exists() -> None:
    held = holdings()
    assert set(held) == {"core", *PROJECT["optional-dependencies"]} - {"dev"}
    assert held["web"] == {"web", "lab"}
    assert held["all"] >= {"lab", "web", "cluster", "tune", "parquet"}
    assert {part.needs for part in PARTS} - {""} <= set(held)


def test_a_wheel_has_the_package_and_the_pages_that_the_web_app_shows() -> None:
    clone = {"src/genoku/puzzle/board.py", "docs/reproductions/000.md", "docs/web.md", "tests/x.py"}
    assert wheel_of(clone) == {"genoku/puzzle/board.py", "genoku/web/reproductions/000.md"}


def test_what_is_missing_or_too_much_in_a_package_is_named() -> None:
    compare("the wheel", {"a", "b"}, {"a", "b"})
    with pytest.raises(CheckError, match="2 files"):
        compare("the wheel", {"c"}, {"a", "b", "c"})
    with pytest.raises(CheckError, match=r"tests/x\.py"):
        compare("the wheel", {"a", "tests/x.py"}, {"a"})


def test_the_readme_has_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert commands(readme) == ["python3 run.py evolve", "python3 run.py test"]
    with pytest.raises(CheckError):
        commands("```sh\npython3 run.py solve # alone\n```\n")


def test_a_python_that_is_not_there_is_not_found() -> None:
    assert interpreter("3.99") is None
