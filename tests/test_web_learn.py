"""The guided tour: its pictures are what the engine's operators give, from the seed alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from itertools import pairwise
from typing import Any

import httpx
import numpy as np
import pytest
from web_server import client_of

from genoku.engine.run import require_no_conflicts
from genoku.evolve.fitness import CompleteUnits, Repetitions, fitness_map
from genoku.evolve.presets import preset
from genoku.evolve.problem import Problem
from genoku.evolve.recipe import build, build_part, with_value
from genoku.present.scenes.tour import DRAWS, MAKERS, MOVES, THINNED, clashing_cells, lesson
from genoku.present.scenes.views import (
    CHAPTERS,
    Lesson,
    Origin,
    Scene,
)
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import JIT_IS_ON
from genoku.runtime.random import stream

NAMES = [each.name for each in CHAPTERS]
SEEDS = (1, 2)

pytestmark = pytest.mark.skipif(not JIT_IS_ON, reason="whole runs, slow where nothing is compiled")


@cache
def told(name: str, seed: int = 1) -> Lesson:
    """A lesson, made once for all tests."""
    return lesson(name, seed)


def scenes_of(name: str, seed: int = 1) -> dict[str, Scene]:
    return {each.name: each for each in told(name, seed).scenes}


def puzzle_of(scene: Scene) -> Puzzle:
    return Puzzle(Geometry(scene.box_rows, scene.box_cols), bytes(scene.givens))


def array(digits: list[int]) -> Any:
    return np.array(digits, np.uint8)


# All chapters


def test_every_chapter_has_a_maker_and_runs_what_it_offers() -> None:
    assert list(MAKERS) == NAMES
    for chapter in CHAPTERS:
        trial = chapter.trial
        recipe = preset(trial.preset).recipe
        for path, value in trial.settings.items():
            recipe = with_value(recipe, path, value)
        algorithm, puzzle = build(recipe), bundled()[trial.puzzle].puzzle
        require_no_conflicts(puzzle)
        problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
        assert algorithm.start(problem, stream(1)).step == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_gives_the_same_lesson_again_and_another_one_another(name: str) -> None:
    assert lesson(name, 1) == told(name, 1)
    assert told(name, 1).scenes != told(name, 2).scenes


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_boards_keep_the_givens_and_say_what_they_cost(name: str, seed: int) -> None:
    fitness = CompleteUnits() if name == "adaptation" else Repetitions()
    for scene in told(name, seed).scenes:
        puzzle = puzzle_of(scene)
        for step in scene.steps:
            assert step.text.endswith((".", "?"))
            for view in step.boards:
                board = array(view.digits)
                assert (board == puzzle.board)[puzzle.board > 0].all()
                said = re.fullmatch(r"cost (\d+)", view.note)
                if said:
                    assert int(said[1]) == fitness.costs(board[None], puzzle)[0]
                if view.paint == "units":
                    assert view.colours == fitness_map(board, puzzle.geometry).tolist()
                if view.clashes and scene.name != "repetitions":
                    assert view.clashes == clashing_cells(board, puzzle)
            if step.at is not None:
                assert 1 <= step.at <= len(scene.curves[0].values)


# Chapter by chapter


def test_counting_ends_with_what_the_fitness_says() -> None:
    scene = scenes_of("cost")["repetitions"]
    *_, last_unit, whole = scene.steps
    cost = Repetitions().costs(array(whole.boards[0].digits)[None], puzzle_of(scene))[0]
    assert last_unit.boards[0].note == f"{cost} so far"


def test_the_encodings_boards_are_of_their_spaces() -> None:
    for name, scene in scenes_of("encoding").items():
        space = build_part("encoding", name).space(puzzle_of(scene))
        assert all(space.contains(array(step.boards[0].digits)) for step in scene.steps)


def test_selections_draw_who_they_say_they_draw() -> None:
    for name, scene in scenes_of("selection").items():
        first, *drawn, often = scene.steps
        costs = np.array(first.bars[0].values, np.int32)
        problem = Problem.of(
            puzzle_of(scene), build_part("encoding", "free-cells"), build_part("fitness", "unique")
        )
        select = build_part("selection", scene.recipe["selection"])
        mates = select(costs, len(drawn), 2, problem, stream(1, "lesson", "selection", name))
        counts = np.zeros(len(costs), int)
        for step, pair in zip(drawn, mates.tolist(), strict=True):
            assert step.bars[0].chosen == sorted(set(pair))
            np.add.at(counts, pair, 1)
            assert step.bars[0].counts == counts.tolist()
        assert sum(often.bars[0].counts) == DRAWS
        if name != "roulette":  # which hardly tells one from the other
            assert often.bars[0].counts[0] > often.bars[0].counts[-1]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_child_has_its_cells_from_whom_its_colours_say(seed: int) -> None:
    for name, scene in scenes_of("crossover", seed).items():
        one, two, child = scene.steps[-1].boards
        places = zip(child.colours, scene.givens, one.digits, two.digits, child.digits, strict=True)
        for who, given, ours, theirs, cell in places:
            allowed = {
                Origin.PUZZLE: given != 0,
                Origin.FIRST: cell == ours != theirs,
                Origin.SECOND: cell == theirs != ours,
                Origin.BOTH: cell == ours == theirs,
                Origin.NEITHER: cell not in (ours, theirs),
            }
            assert allowed[Origin(who)]
        if name != "partially-matched":
            assert Origin.NEITHER not in child.colours
        blanks = [step.boards[2].digits.count(0) for step in scene.steps[1:]]
        assert blanks == sorted(blanks, reverse=True)
        assert blanks[-1] == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_mutations_mark_what_they_change(seed: int) -> None:
    for scene in scenes_of("mutation", seed).values():
        pairs = [step.boards for step in scene.steps if len(step.boards) == 2]
        assert len(pairs) == 5
        for before, after in pairs:
            apart = np.flatnonzero(array(before.digits) != array(after.digits)).tolist()
            assert before.marked == after.marked == apart
        for earlier, later in pairwise(pairs):
            assert earlier[1].digits == later[0].digits


def test_those_who_live_on_are_the_next_generation() -> None:
    for name, scene in scenes_of("replacement").items():
        _, _, kept, after, course = scene.steps
        old, young = kept.bars
        left = {old.values[place] for place in old.chosen}
        left |= {young.values[place] for place in young.chosen}
        assert set(after.bars[0].values) == left
        costs = scene.curves[0].values
        assert course.at == len(costs)
        if name != "generational":
            assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_slow_motion_arrives_where_the_engine_does(seed: int) -> None:
    scene = scenes_of("generation", seed)["slowly"]
    algorithm = build(scene.recipe)
    problem = Problem.of(puzzle_of(scene), algorithm.encoding, algorithm.fitness)
    state = algorithm.start(problem, stream(seed, "lesson", "generation"))
    for begin in (0, 6):
        old, _, _, mutated, survived, after = scene.steps[begin : begin + 6]
        assert [view.digits for view in old.boards] == state.boards.tolist()
        state = algorithm.step(problem, state)
        assert [view.digits for view in after.boards] == state.boards.tolist()
        chosen = [old.boards[place].digits for place in survived.bars[0].chosen]
        chosen += [mutated.boards[place].digits for place in survived.bars[1].chosen]
        assert sorted(chosen) == sorted(state.boards.tolist())


def test_rates_follow_their_rule() -> None:
    for scene in scenes_of("adaptation").values():
        algorithm = build(
            with_value(preset("simon-puzzle").recipe, "adaptation", scene.recipe["adaptation"])
        )
        problem = Problem.of(puzzle_of(scene), algorithm.encoding, algorithm.fitness)
        state = algorithm.start(problem, stream(1, "lesson", "rate", "run"))
        best, rates = (curve.values for curve in scene.curves)
        for cost, rate in zip(best[:50], rates[:50], strict=True):
            assert (state.costs.min(), state.memory["rate"]) == (cost, rate)
            state = algorithm.step(problem, state)


def test_annealing_is_the_same_a_move_at_a_time_or_many() -> None:
    for scene in scenes_of("annealing").values():
        recipe = scene.recipe | {"moves": THINNED}
        algorithm = build(recipe)
        problem = Problem.of(puzzle_of(scene), algorithm.encoding, algorithm.fitness)
        state = algorithm.start(problem, stream(1, "lesson", "annealing", "run"))
        course = [int(state.costs[0])]
        while state.moves < MOVES and not state.finished:
            state = algorithm.step(problem, state)
            course.append(int(state.costs[0]))
        assert scene.curves[0].values == course
    cold = scenes_of("annealing")["cold"].curves[0].values
    assert cold == sorted(cold, reverse=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_champion_never_clashes_and_ends_with_the_solution(seed: int) -> None:
    scene = scenes_of("stuck", seed)["champion"]
    puzzle = puzzle_of(scene)
    boards = [array(step.boards[0].digits) for step in scene.steps]
    assert all(clashing_cells(board, puzzle) == [] for board in boards)
    assert puzzle.is_solved_by(boards[-1])


# Through the server


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with client_of(tmp_path_factory.mktemp("learn")) as client:
        yield client


def test_chapters_are_listed_and_made(client: httpx.Client) -> None:
    assert [each["name"] for each in client.get("/api/lessons").json()] == NAMES
    answer = client.get("/api/lessons/crossover", params={"seed": 5})
    assert answer.json() == json.loads(json.dumps(asdict(lesson("crossover", 5))))


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/api/lessons/love", 404, "expected a chapter, board, encoding"),
        ("/api/lessons/crossover?seed=-1", 422, "seed"),
        ("/api/lessons/crossover?seed=x", 422, "seed"),
        ("/api/lessons/..%2F..%2Fetc", 404, ""),
    ],
)
def test_what_is_no_lesson_is_refused(
    client: httpx.Client, path: str, status: int, said: str
) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert said in answer.json()["detail"]
