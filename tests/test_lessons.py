"""The lessons: whole, without outputs, and their checks tell right from wrong."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from slow_imports import Lazy

from genoku.runtime.jit import JIT_IS_ON
from genoku.teaching import Verdict

mpl, plt, nbformat = map(Lazy, ("matplotlib", "matplotlib.pyplot", "nbformat"))
FOLDER = Path(__file__).parents[1] / "docs" / "lessons"
LESSONS = sorted(FOLDER.glob("*.ipynb"))
PARTS = ("question", "prediction", "experiment", "figure", "findings", "exercise", "check")

WRONG = {
    1: {
        "survivors[brood.new_costs.argmin()] = brood.costs.argmin()": "a child of cost",
        "survivors[brood.new_costs.argmax()] = brood.costs.argmax()": "survives costs",
        "survivors[:9] = 0": "9 old boards survive, expected the best one alone",
        "survivors = survivors[1:]": "expected 200 places",
        "survivors[0] = brood.cost": "it raised AttributeError",
    },
    2: {
        'changes = ["selection.size=5"]': "median fitness 0.95",
        'changes = ["mutation=reset", "population=5000"]': "the population is 5000",
        'changes = "mutation=reset"': "expected a list of changes",
        'changes = ["mutation=reste"]': "'reste'",
    },
    3: {
        "board[a] = board[b]": "one cell changes",
        "board[a], board[b], board[blanks[place - 1]] = board[b], board[a], 0": "rotate_three:",
    },
    4: {
        "return sum(m for m, s in zip(moves, solved) if s) / sum(solved)": "the solved runs alone",
        "return sum(moves) / len(moves)": "as if all were solved",
        "return sum(moves) / sum(solved)": "it raised ZeroDivisionError",
        "return None": "got nothing",
    },
    5: {
        'return "cannot tell"': "expected most of them",
        "return True": "expected 'first', 'second' or 'cannot tell', got True",
        'return "second" if sum(first) > sum(second) + 9 else "cannot tell"': "names the worse one",
    },
}
"""By lesson, what a student might write in place of the last lines, and what they are told."""


SMALL = {
    1: {"range(40)": "range(3)", "generations=100": "generations=10"},
    2: {
        "for seed in range(20)": "for seed in range(3)",
        '"until": "generations=150"': '"until": "generations=20"',
        "range(100, 120)": "range(100, 104)",
    },
    3: {
        "range(8)": "range(2)",
        "generations=150": "generations=20",
        "range(100, 130)": "range(100, 103)",
    },
    4: {
        "number=40": "number=8",
        "boards(share, 20)": "boards(share, 2)",
    },
    5: {
        "range(1200)": "range(120)",
        "range(1200, 2400)": "range(1200, 1320)",
        "(5, 20, 60)": "(2, 4, 6)",  # runs of each of twenty students
        "one, two, size, times=200": "one, two, size, times=20",
        "range(26, 36)": "range(26, 36, 4)",
        "range(2400, 2700)": "range(2400, 2460)",
    },
}
"""By lesson, parts of its code, and what stands in their place to make its experiments small."""


def number_of(lesson: Path) -> int:
    return int(lesson.name[0])


def solution_of(lesson: Path) -> Path:
    return FOLDER / "solutions" / f"{lesson.stem}.py"


def cells_of(lesson: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(lesson.read_text("utf-8"))["cells"]
    return cells


def tags_of(cell: dict[str, Any]) -> list[str]:
    tags: list[str] = cell["metadata"].get("tags", [])
    return tags


def code_of(lesson: Path, parts: dict[str, str]) -> list[tuple[list[str], str]]:
    """The tags and the code of every cell with code, with other code in place of some parts."""
    cells = [cell for cell in cells_of(lesson) if cell["cell_type"] == "code"]
    codes = ["".join(cell["source"]) for cell in cells]
    for part, other in parts.items():
        assert any(part in code for code in codes), part
        codes = [code.replace(part, other) for code in codes]
    return list(zip(map(tags_of, cells), codes, strict=True))


def executed(code: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does: the value is that of its last line, if it has one."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def judged(check: str, answer: str, names: dict[str, Any]) -> Verdict:
    """What a check says of an answer, after the experiments of the lesson."""
    fresh = dict(names)
    executed(answer, fresh)
    verdict = executed(check, fresh)
    assert isinstance(verdict, Verdict)
    return verdict


def with_last_line(exercise: str, line: str) -> str:
    """An exercise whose answer is a line of a student's: at its place, or in place of all."""
    if "# your lines" in exercise:
        return exercise.replace("# your lines", line)
    if line.startswith("changes"):
        return line
    if line.startswith("board["):
        return "\n".join([*exercise.splitlines()[:-1], f"    {line}"])
    head = exercise.partition('"""\n')[0]
    return f'{head}"""\n    {line}\n'


def test_there_are_five_lessons_each_with_a_solution() -> None:
    assert [number_of(lesson) for lesson in LESSONS] == [1, 2, 3, 4, 5]
    solutions = {path.stem for path in (FOLDER / "solutions").glob("*.py")}
    assert solutions == {lesson.stem for lesson in LESSONS}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_a_valid_notebook_without_outputs(lesson: Path) -> None:
    text = lesson.read_text("utf-8")
    nbformat.validate(json.loads(text))
    assert text.endswith("\n")
    assert json.loads(text)["metadata"]["kernelspec"]["name"] == "python3"
    for cell in cells_of(lesson):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            assert len(cell["source"]) > 0


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_all_its_parts_in_order(lesson: Path) -> None:
    tags = [tag for cell in cells_of(lesson) for tag in tags_of(cell)]
    places = [tags.index(part) for part in PARTS]
    assert places == sorted(places)
    assert all(tags.count(part) == 1 for part in PARTS if part != "figure")
    words = "".join("".join(cell["source"]) for cell in cells_of(lesson))
    assert words.count("<details>") == words.count("</details>") >= 2


@pytest.mark.parametrize("page", [FOLDER / "index.md", *LESSONS], ids=lambda path: path.stem)
def test_links_of_a_lesson_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)", page.read_text("utf-8"))
    assert targets
    for target in targets:
        assert "://" in target or (FOLDER / target).exists(), target


def test_the_page_for_teachers_names_every_lesson_and_its_example_runs() -> None:
    page = (FOLDER / "index.md").read_text("utf-8")
    assert all(page.count(f"{lesson.stem}\n") == 1 for lesson in LESSONS)  # in the contents
    examples = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert examples
    for example in examples:
        exec(compile(example, "index.md", "exec"), {})


def check_lesson(lesson: Path, parts: dict[str, str]) -> None:
    """Run a lesson, and let its check judge right and wrong answers.

    All in one, since the experiments are what takes time. Where other code stands in place of some
    parts, the hidden cell is left out: it has the numbers of the experiments as they are written.
    """
    cells = code_of(lesson, parts)
    (exercise,) = (code for tags, code in cells if "exercise" in tags)
    (check,) = (code for tags, code in cells if "check" in tags)
    names: dict[str, Any] = {"__name__": "lesson"}
    with mpl.rc_context():
        mpl.use("Agg")
        try:
            for tags, code in cells:
                if "exercise" in tags:
                    break
                if not parts or "hide-cell" not in tags:
                    executed(code, names)
            figures = [plt.figure(number) for number in plt.get_fignums()]
            assert figures
            for figure in figures:
                assert any(axes.get_xlabel() for axes in figure.axes)
                assert any(axes.get_ylabel() or axes.get_yticklabels() for axes in figure.axes)
        finally:
            plt.close("all")
    unsolved = judged(check, exercise, names)
    assert not unsolved.right
    assert str(unsolved).splitlines()[-1].startswith("not yet: ")
    for line, said in WRONG[number_of(lesson)].items():
        wrong = judged(check, with_last_line(exercise, line), names)
        assert not wrong.right, line
        assert said in wrong.missing, line
    solved = judged(check, solution_of(lesson).read_text("utf-8"), names)
    assert solved.right, solved.missing
    assert solved.found


@pytest.mark.skipif(not JIT_IS_ON, reason="whole runs take minutes where nothing is compiled")
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_small_and_its_check_tells_right_from_wrong(lesson: Path) -> None:
    check_lesson(lesson, SMALL[number_of(lesson)])


@pytest.mark.release
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_as_it_is_holds_what_it_says_and_its_check_tells_right_from_wrong(
    lesson: Path,
) -> None:
    check_lesson(lesson, {})
