"""Operators of one's own: lifted functions, plain ones, and their way through recipes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from slow_imports import Lazy
from strategies import (
    FOUR,
    NINE,
    examples,
    in_another_process,
    pattern_grid,
    printed_with_compiler,
    seeds,
    solvable_puzzles,
)

from genoku.errors import RecipeError
from genoku.evolve.algorithms import Genetic
from genoku.evolve.encoding import ENCODINGS, FreeCells, LegalCells, PermutedBoxes, PermutedRows
from genoku.evolve.fitness import Contradictions, Repetitions
from genoku.evolve.operators.crossover import Clones
from genoku.evolve.problem import Problem
from genoku.evolve.recipe import build, build_part, describe
from genoku.evolve.user.operators import (
    MUTATION,
    apply_crossover,
    apply_fitness,
    apply_mutation,
    board_crossover,
    board_fitness,
    board_mutation,
    compile_function,
    import_part,
    import_path,
)
from genoku.puzzle.board import Puzzle
from genoku.runtime.jit import JIT_IS_ON
from genoku.runtime.random import stream
from genoku.testing import check_operator

own_parts = Lazy("own_parts")  # which compiles its functions
LIFTED = ["swap", "renew", "cut", "repeated", "repeated_in_lines"]
EMPTY = Puzzle(NINE, bytes(81))
without_legal_cells = [each() for each in ENCODINGS if each is not LegalCells]

needs_compiler = pytest.mark.skipif(not JIT_IS_ON, reason="nothing is compiled here")


def crowd(encoding: Any = None, puzzle: Puzzle = EMPTY, count: int = 1000) -> Any:
    problem = Problem.of(puzzle, encoding or FreeCells(), Repetitions())
    return problem, problem.space.sample(count, stream(1))


@pytest.mark.parametrize("name", LIFTED[1:])
def test_lifted_functions_keep_the_contract(name: str) -> None:
    check_operator(getattr(own_parts, name), seeds=[1])


def test_a_lifted_swap_stays_in_every_space_whose_digits_may_move() -> None:
    check_operator(own_parts.swap, encodings=without_legal_cells, seeds=[1])
    with pytest.raises(AssertionError, match="legal-cells"):
        check_operator(own_parts.swap, encodings=[LegalCells()], puzzles=[with_half(NINE)])


def with_half(geometry: Any) -> Puzzle:
    digits = bytearray(pattern_grid(geometry).digits)
    digits[::2] = bytes(len(digits[::2]))
    return Puzzle(geometry, bytes(digits))


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
def test_the_rate_is_the_share_of_boards_handed_to_the_function(rate: float) -> None:
    @board_mutation
    def mark(board: Any, blanks: Any, rng: Any) -> None:
        board[0] = 0

    problem, boards = crowd()
    marked = (mark(boards, rate, problem, stream(1))[:, 0] == 0).mean()
    assert abs(marked - rate) < 0.08


@pytest.mark.parametrize(
    ("blanks", "encoding", "expected"),
    [
        ("group", FreeCells(), 81),
        ("group", PermutedRows(), 9),
        ("group", PermutedBoxes(), 9),
        ("board", PermutedBoxes(), 81),
        ("row", FreeCells(), 9),
    ],
)
def test_a_mutation_is_handed_the_blanks_it_asks_for(
    blanks: Any, encoding: Any, expected: int
) -> None:
    @board_mutation(blanks=blanks)
    def mark(board: Any, blanks: Any, rng: Any) -> None:
        for cell in blanks:
            board[cell] = 0

    problem, boards = crowd(encoding, count=20)
    marked = mark(boards, 1.0, problem, stream(1)) == 0
    assert (marked.sum(axis=1) == expected).all()
    if expected == 9:
        unit = "row" if encoding != PermutedBoxes() else "box"
        block = problem.space.blocks(unit)
        assert all(len(set(block[cells])) == 1 for cells in marked)


def test_a_mutation_is_never_handed_fewer_than_two_blanks_of_a_group() -> None:
    puzzle = Puzzle(FOUR, b"\0" + pattern_grid(FOUR).digits[1:])
    problem, boards = crowd(PermutedBoxes(), puzzle, 5)
    changed = own_parts.swap(boards, 1.0, problem, stream(1))
    assert np.array_equal(changed, boards)


def test_the_second_child_has_its_parents_the_other_way_round() -> None:
    @board_crossover(children=2)
    def first_of_the_second(one: Any, two: Any, child: Any, blanks: Any, rng: Any) -> None:
        child[0] = two[0]

    problem, boards = crowd(count=50)
    mates = np.arange(50).reshape(25, 2)
    children = first_of_the_second(boards, mates, problem, stream(1))
    for mating, (one, two) in enumerate(mates):
        first, second = children[2 * mating], children[2 * mating + 1]
        assert first[0] == boards[two, 0]
        assert second[0] == boards[one, 0]
        assert np.array_equal(first[1:], boards[one, 1:])
        assert np.array_equal(second[1:], boards[two, 1:])


@examples(20)
@given(pair=solvable_puzzles([FOUR, NINE]), seed=seeds)
def test_a_lifted_fitness_agrees_with_the_same_one_of_ours(pair: Any, seed: int) -> None:
    puzzle, grid = pair
    boards = FreeCells().space(puzzle).sample(10, stream(seed))
    ours = Repetitions()
    assert np.array_equal(own_parts.repeated.costs(boards, puzzle), ours.costs(boards, puzzle))
    assert own_parts.repeated.worst(puzzle.geometry) == ours.worst(puzzle.geometry)
    solved = np.frombuffer(grid.digits, np.uint8)[None].copy()
    assert own_parts.repeated.costs(solved, puzzle)[0] == 0


@needs_compiler
def test_only_the_users_own_function_is_compiled() -> None:
    problem, boards = crowd(count=4)
    mates = np.zeros((1, 2), np.int64)

    def use_all() -> None:
        own_parts.swap(boards, 1.0, problem, stream(1))
        own_parts.renew(boards, 1.0, problem, stream(1))
        own_parts.cut(boards, mates, problem, stream(1))
        own_parts.repeated.costs(boards, EMPTY)
        own_parts.repeated_in_lines.costs(boards, EMPTY)

    use_all()
    lifting: list[Any] = [apply_mutation, apply_crossover, apply_fitness]
    assert [len(kernel.signatures) for kernel in lifting] == [1, 1, 1]


def test_lifted_functions_do_the_same_without_a_compiler() -> None:
    program = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np, own_parts, zlib
from genoku.puzzle.board import Puzzle
from genoku.evolve.encoding import FreeCells
from genoku.evolve.fitness import Repetitions
from genoku.puzzle.geometry import Geometry
from genoku.evolve.problem import Problem
from genoku.runtime.random import stream
problem = Problem.of(Puzzle(Geometry(2, 3), bytes(36)), FreeCells(), Repetitions())
boards, rng = problem.space.sample(30, stream(1)), stream(2)
made = [own_parts.swap(boards, 0.5, problem, rng), own_parts.renew(boards, 0.5, problem, rng)]
made.append(own_parts.cut(boards, np.arange(30).reshape(15, 2), problem, rng))
made.append(own_parts.repeated.costs(boards, problem.puzzle))
made.append(own_parts.repeated_in_lines.costs(boards, problem.puzzle))
print(*(zlib.crc32(each.tobytes()) for each in made), *rng)
"""
    without = in_another_process(program, NUMBA_DISABLE_JIT="1")
    assert without == printed_with_compiler(program)


def test_what_a_function_raises_comes_out() -> None:
    @board_mutation
    def sulk(board: Any, blanks: Any, rng: Any) -> None:
        if board[0] == 3:
            raise ValueError("not a three")

    problem, boards = crowd()
    with pytest.raises(ValueError, match="three"):
        sulk(boards, 1.0, problem, stream(1))


def test_a_function_with_other_parameters_is_refused() -> None:
    def swap(board: Any, rng: Any) -> None: ...

    with pytest.raises(RecipeError, match=r"expected .*swap\(board, blanks, rng\), got .*rng\)"):
        board_mutation(swap)


@needs_compiler
def test_a_function_that_cannot_be_compiled_is_refused_where_it_is_defined() -> None:
    def shout(board: Any, blanks: Any, rng: Any) -> None:
        board.shout()

    with pytest.raises(RecipeError, match="shout"):
        board_mutation(shout)


@needs_compiler
def test_a_mutation_that_returns_something_is_refused() -> None:
    def swap(board: Any, blanks: Any, rng: Any) -> Any:
        return board

    with pytest.raises(RecipeError, match="swap"):
        board_mutation(swap)


@pytest.mark.parametrize("cost", [0.5, -1, float("nan"), 2**31])
def test_a_cost_that_is_no_whole_number_is_refused(cost: float) -> None:
    def broken(board: Any, givens: Any, units: Any) -> Any:
        return cost

    with pytest.raises(ValueError, match="cost"):
        board_fitness(broken).costs(np.ones((1, 81), np.uint8), EMPTY)


def test_a_mating_has_one_or_two_children() -> None:
    with pytest.raises(RecipeError, match="got 3"):
        replace(own_parts.cut, children=3)


def test_a_function_written_for_an_encoding_is_refused_with_another() -> None:
    with pytest.raises(RecipeError, match=r"renew.*permuted-boxes"):
        Genetic(encoding=PermutedBoxes(), crossover=Clones(), mutation=own_parts.renew)


@pytest.mark.parametrize("name", LIFTED)
def test_a_lifted_function_is_a_value_known_by_its_name(name: str) -> None:
    operator = getattr(own_parts, name)
    assert pickle.loads(pickle.dumps(operator)) is operator
    assert hash(operator) == hash(operator)
    assert describe(operator) == {"use": import_path(operator)}
    assert import_part(import_path(operator)) is operator
    assert repr(operator) == f"own_parts.{operator.__name__}"
    assert operator != own_parts.nothing


def test_lifted_functions_keep_their_documentation() -> None:
    assert own_parts.swap.__doc__


OWN_MUTATIONS: dict[str, Callable[[], Any]] = {
    "function": lambda: own_parts.nothing,
    "lifted function": lambda: own_parts.swap,
    "value in a value": lambda: own_parts.Sometimes(0.25, own_parts.Sometimes()),
    "class": lambda: own_parts.Plain(3),
}


@pytest.mark.parametrize("name", OWN_MUTATIONS)
def test_own_parts_go_through_recipes(name: str) -> None:
    algorithm = Genetic(mutation=OWN_MUTATIONS[name](), fitness=own_parts.repeated)
    assert build(describe(algorithm), trust=True) == algorithm


def test_own_fitnesses_go_through_recipes() -> None:
    algorithm = Genetic(fitness=own_parts.Doubled())
    assert describe(algorithm)["fitness"] == {"use": "own_parts:Doubled"}
    assert build(describe(algorithm), trust=True) == algorithm
    check_operator(own_parts.Doubled(), seeds=[1])


def test_own_parts_have_parameters_like_ours() -> None:
    recipe: Any = {"use": "own_parts:Sometimes", "chance": 1, "inner": {"use": "reset"}}
    made = build_part("mutation", recipe, trust=True)
    assert made == own_parts.Sometimes(1.0)
    assert type(made.chance) is float


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("no_such_module:x", "there is no module no_such_module to import no_such_module:x from"),
        ("own_parts.deeper:x", "there is no module own_parts.deeper to import"),
        ("own_parts:Missing", "module own_parts has no Missing"),
        ("own_parts:swap.Missing", "module own_parts has no swap.Missing"),
        ("own_parts:NUMBER", "expected a part defined in the package of own_parts:NUMBER"),
        ("own_parts:", "expected a part of your own as module:name, got 'own_parts:'"),
        (":x", "expected a part of your own as module:name, got ':x'"),
        ("../x:y", "expected a part of your own as module:name"),
        ("own_parts:Forgetful", "own_parts:Forgetful cannot be made: .*'strength'"),
        ("own_parts:Doubled", "expected a callable as mutation"),
        ({"use": "own_parts:swap", "rate": 1}, "own_parts:swap has no 'rate': it has no param"),
        ({"use": "own_parts:Sometimes", "chance": "no"}, "chance: expected a number, got 'no'"),
        ({"use": "own_parts:Sometimes", "inner": "swop"}, "inner: expected one of .*mean swap"),
        ({"use": "own_parts:Plain", "strength": True}, "strength: expected a whole number, got"),
    ],
)
def test_what_is_wrong_with_a_part_of_ones_own_is_said(part: Any, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        build({"use": "genetic", "mutation": part}, trust=True)


def test_a_crossover_of_ones_own_says_how_many_parents_and_children_it_has() -> None:
    def mix(boards: Any, mates: Any, problem: Any, rng: Any) -> Any:
        return boards[mates[:, 0]]

    mixing: Any = mix
    with pytest.raises(RecipeError, match="parents"):
        Genetic(crossover=mixing)
    mixing.parents, mixing.children = 2, 1
    assert Genetic(crossover=mixing).crossover is mix
    check_operator(mix, seeds=[1])


def test_a_part_that_forgets_its_parameters_cannot_be_described() -> None:
    with pytest.raises(RecipeError, match=r"Forgetful.*strength"):
        describe(own_parts.Forgetful(1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0", "broken cannot be imported: ZeroDivisionError: division by zero"),
        ("import no_such_module", "broken cannot be imported: No module named 'no_such_module'"),
        ("def", "broken cannot be imported: SyntaxError: "),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(RecipeError, match=message):
        build({"use": "genetic", "mutation": "broken:x"}, trust=True)


def test_parts_of_somebodys_own_are_refused_from_outside() -> None:
    recipe: Any = {"use": "genetic", "mutation": {"use": "own_parts:Sometimes"}}
    with pytest.raises(RecipeError, match=r"mutation.*'own_parts:"):
        build(recipe)


def test_a_worker_knows_the_script_that_started_it_by_its_name() -> None:
    program = """
from dataclasses import dataclass
from genoku.evolve.user.operators import import_path
from genoku.evolve.recipe import build_part, describe
@dataclass(frozen=True)
class Mine:
    strength: int = 1
    def __call__(self, boards, rate, problem, rng): return boards.copy()
assert build_part("mutation", describe(Mine(3)), trust=True) == Mine(3)
print(import_path(Mine))
Mine.__module__ = "__mp_main__"
print(import_path(Mine))
"""
    assert in_another_process(program).split() == ["__main__:Mine", "__main__:Mine"]


def own_steps(function: Callable[..., Any]) -> Any:
    algorithm = Genetic(mutation=function, population=30)
    problem = Problem.of(EMPTY, algorithm.encoding, algorithm.fitness)
    state = algorithm.start(problem, stream(1))
    for _ in range(3):
        state = algorithm.step(problem, state)
    return state


@pytest.mark.parametrize("name", ["nothing", "swap"])
def test_own_mutations_run_inside_the_genetic_algorithm(name: str) -> None:
    assert own_steps(getattr(own_parts, name)).step == 3


def test_another_count_of_contradictions_may_be_lifted_too() -> None:
    _, boards = crowd(PermutedBoxes(), count=30)
    ours = Contradictions().costs(boards, EMPTY)
    assert np.array_equal(own_parts.repeated_in_lines.costs(boards, EMPTY), ours)


HELD = "0.68"
"""The release of Numba with which this was last seen to hold."""


@pytest.mark.skipif(not JIT_IS_ON, reason="nothing is compiled")
def test_kernels_call_user_functions_by_address_with_the_internals_of_this_numba() -> None:
    """`custom` calls through Numba's calling convention: a new release may change that.

    Where this fails, look at `compiled` and `_calling` in custom.py first.
    """
    release = f"numba {numba.__version__}; custom.py was last seen to work with {HELD}"

    def rotate(board, blanks, rng):  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType]
        board[blanks[0]] = board[blanks[-1]]

    def fail(board, blanks, rng):  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType]
        raise ValueError("from compiled code")

    cells, sizes = np.array([[0, 3]]), np.array([2])
    boards = np.array([[1, 2, 3, 4]], np.uint8)
    for checked in (True, False):
        _kept, address = compile_function(rotate, MUTATION, checked=checked)
        changed = apply_mutation(boards, 1.0, cells, sizes, stream(1), address)
        assert changed.tolist() == [[4, 2, 3, 4]], release
    _kept, address = compile_function(fail, MUTATION, checked=True)
    with pytest.raises(ValueError, match="compiled"):
        apply_mutation(boards, 1.0, cells, sizes, stream(1), address)
