"""Users' own operators: functions of one board as operators on populations.

Anything that can be called like an operator is one: a frozen dataclass, or a plain function.
A function of one board, written in plain loops, becomes one by a decorator:

    @board_mutation
    def swap(board, blanks, rng):
        one, two = below(rng, len(blanks)), below(rng, len(blanks))
        board[blanks[one]], board[blanks[two]] = board[blanks[two]], board[blanks[one]]

The function is compiled when it is defined, for one signature, and genoku's kernels call it by its
address: only the user's own lines are compiled, and exceptions in them are raised as usual. That
includes IndexError, unless `boundscheck=False` switches bounds checks off.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, overload

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError
from numba.extending import intrinsic
from numpy.typing import NDArray

from genoku.errors import RecipeError
from genoku.evolve.encoding import (
    Boards,
    Cells,
    Encoding,
    Kept,
    SearchSpace,
    cached_in_space,
    pad_rows,
)
from genoku.evolve.fitness import Costs, Fitness
from genoku.evolve.operators.selection import Mates
from genoku.evolve.problem import Problem, recipe_name
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import JIT_IS_ON, kernel
from genoku.runtime.random import Stream, below, uniform

Function = Callable[..., Any]
Blanks = Literal["group", "board", "row", "column", "box"]

_BOARD, _CELLS, _RNG = types.uint8[::1], types.int64[::1], types.uint64[::1]
MUTATION = types.void(_BOARD, _CELLS, _RNG)
CROSSOVER = types.void(_BOARD, _BOARD, _BOARD, _CELLS, _RNG)
FITNESS = types.float64(_BOARD, _BOARD, types.int64[:, ::1])


class BoardFunction:
    """Base of operators made from a function of one board; pickled by the function's name."""

    parameters: ClassVar[str]
    signature: ClassVar[Any]
    function: Function
    boundscheck: bool

    if TYPE_CHECKING:
        handle: Any  # for kernels: an address, or the function if nothing is compiled
        kept: Any  # keeps the address valid

    def __post_init__(self) -> None:
        function = self.function
        taken, name = list(inspect.signature(function).parameters), function.__qualname__
        if len(taken) != len(self.parameters.split(", ")):
            got = ", ".join(taken)
            raise RecipeError(f"expected {name}({self.parameters}), got {name}({got})")
        kept, handle = compile_function(function, self.signature, checked=self.boundscheck)
        vars(self).update(
            __module__=function.__module__,
            __qualname__=function.__qualname__,
            __name__=function.__name__,
            __doc__=function.__doc__,
            handle=handle,
            kept=kept,
        )

    def __reduce__(self) -> tuple[Function, tuple[str]]:
        return import_part, (import_path(self),)

    def __repr__(self) -> str:
        return f"{self.__module__}.{vars(self)['__qualname__']}"


@dataclass(frozen=True, repr=False)
class BoardMutation(BoardFunction):
    """A mutation by a function of one board, which changes each with probability `rate`."""

    function: Function
    blanks: Blanks = "group"
    encodings: tuple[type[Encoding], ...] = ()
    boundscheck: bool = True
    parameters = "board, blanks, rng"
    signature = MUTATION

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return _encoding_misfit(self.encodings, encoding)

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        cells, sizes = blanks_of(problem.space, self.blanks)
        return apply_mutation(boards, rate, cells, sizes, rng, self.handle)


@dataclass(frozen=True, repr=False)
class BoardCrossover(BoardFunction):
    """A crossover by a function that makes a child of two parents."""

    function: Function
    children: int = 1
    encodings: tuple[type[Encoding], ...] = ()
    boundscheck: bool = True
    parameters = "one, two, child, blanks, rng"
    signature = CROSSOVER
    parents = 2

    def __post_init__(self) -> None:
        if self.children not in (1, 2):
            raise RecipeError(f"expected 1 or 2 children of a mating, got {self.children}")
        super().__post_init__()

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return _encoding_misfit(self.encodings, encoding)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        return apply_crossover(boards, mates, self.children, problem.space.genes, rng, self.handle)


@dataclass(frozen=True, repr=False)
class BoardFitness(BoardFunction, Fitness):
    """A fitness by a function that returns the cost of one board."""

    function: Function
    # a field of every value, not of the class as in genoku's own fitness functions
    needs: Kept = "none"  # pyright: ignore[reportIncompatibleVariableOverride]
    boundscheck: bool = True
    parameters = "board, givens, units"
    signature = FITNESS

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        units = puzzle.geometry.units.astype(np.int64)
        return apply_fitness(boards, puzzle.board.copy(), units, self.handle)

    def worst(self, geometry: Geometry) -> int:
        """The cost of a board with the same digit everywhere, which is assumed to be the worst."""
        nothing_given = Puzzle(geometry, bytes(geometry.cells))
        return max(1, int(self.costs(np.ones((1, geometry.cells), np.uint8), nothing_given)[0]))


@overload
def board_mutation(function: Function, /) -> BoardMutation: ...
@overload
def board_mutation(
    *,
    blanks: Blanks = "group",
    encodings: tuple[type[Encoding], ...] = (),
    boundscheck: bool = True,
) -> Callable[[Function], BoardMutation]: ...
def board_mutation(function: Function | None = None, /, **options: Any) -> Any:
    """Make a mutation from `f(board, blanks, rng)`, which changes a copy of a board in place.

    Parameters
    ----------
    function
        The function of one board: its digits `[cells]`, the cells that it may change, and the
        random stream. It is not called if there are no such cells.
    blanks
        Which cells it may change: those of a random `group` with two blanks or more if the encoding
        keeps groups, else all blanks; all of the `board`; or those of a random `row`, `column` or
        `box`.
    encodings
        The encodings that it fits; empty for all.
    boundscheck
        Whether an index beyond an array raises IndexError. Without the check it may end the
        process.

    Raises
    ------
    RecipeError
        If the function has other parameters, or cannot be compiled.
    """
    return _decorate(BoardMutation, function, options)


@overload
def board_crossover(function: Function, /) -> BoardCrossover: ...
@overload
def board_crossover(
    *, children: int = 1, encodings: tuple[type[Encoding], ...] = (), boundscheck: bool = True
) -> Callable[[Function], BoardCrossover]: ...
def board_crossover(function: Function | None = None, /, **options: Any) -> Any:
    """Make a crossover from `f(one, two, child, blanks, rng)`, which fills the child in place.

    Parameters
    ----------
    function
        The function of two parents `[cells]` and a child, a copy of parent `one`; `blanks` are all
        blanks of the puzzle.
    children
        1, or 2: the second child has its parents the other way round.
    encodings, boundscheck
        As for `board_mutation`.
    """
    return _decorate(BoardCrossover, function, options)


@overload
def board_fitness(function: Function, /) -> BoardFitness: ...
@overload
def board_fitness(
    *, needs: Kept = "none", boundscheck: bool = True
) -> Callable[[Function], BoardFitness]: ...
def board_fitness(function: Function | None = None, /, **options: Any) -> Any:
    """Make a fitness from `f(board, givens, units) -> int`: the cost, 0 exactly when solved.

    Parameters
    ----------
    function
        The function of a board `[cells]`, the puzzle `[cells]` with 0 for blanks, and the cells of
        every row, column and box `[3 × side, side]`.
    needs
        The units that an encoding must keep whole, if the cost ignores them: "box" for boxes.
    boundscheck
        As for `board_mutation`.
    """
    return _decorate(BoardFitness, function, options)


def import_part(name: str) -> Any:
    """Import the part that `module:name` stands for."""
    module_name, _, qualname = name.partition(":")
    if not re.fullmatch(r"\w+(\.\w+)*:\w+(\.\w+)*", name):
        raise RecipeError(f"expected a part of your own as module:name, got {name!r}")
    if module_name.partition(".")[0] in sys.stdlib_module_names:
        raise RecipeError(f"expected a part of your own, got {name!r} of Python's standard library")
    try:
        value: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise RecipeError(f"there is no module {error.name} to import {name} from") from error
        raise RecipeError(f"{module_name} cannot be imported: {error}") from error
    except Exception as error:  # anything that the user's code raises
        raise RecipeError(
            f"{module_name} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    for attribute in qualname.split("."):
        if not hasattr(value, attribute):
            raise RecipeError(f"module {module_name} has no {qualname}")
        value = getattr(value, attribute)
    return value


def import_path(part: Any) -> str:
    """The `module:name` of a function, a class or a decorated function."""
    # in a worker process, the main script has another name
    module = "__main__" if part.__module__ == "__mp_main__" else part.__module__
    return f"{module}:{part.__qualname__}"


def enable_bounds_checks(part: Any) -> Any:
    """A part with bounds checks in all functions of one board that it contains."""
    if isinstance(part, BoardFunction):
        value: Any = part
        return part if part.boundscheck else replace(value, boundscheck=True)
    if isinstance(part, tuple):
        return tuple(map(enable_bounds_checks, part))
    if not is_dataclass(part) or isinstance(part, type):
        return part
    held = {each.name: getattr(part, each.name) for each in fields(part) if each.init}
    checked = {name: enable_bounds_checks(value) for name, value in held.items()}
    return part if all(checked[name] is held[name] for name in held) else replace(part, **checked)


def compile_function(function: Function, signature: Any, *, checked: bool) -> tuple[Any, Any]:
    """The function compiled for one signature, and its address, valid while the former exists.

    Without compilation, both are the function itself.
    """
    if not JIT_IS_ON:
        return function, function
    dispatcher: Any = kernel(function, checked=checked or None)
    try:
        dispatcher.compile(signature)
    except NumbaError as error:
        raise RecipeError(f"{function.__qualname__} cannot be compiled: {error}") from error
    result = dispatcher.get_compile_result(signature)
    return dispatcher, result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


@cached_in_space
def blanks_of(space: SearchSpace, which: Blanks) -> tuple[Cells, Cells]:
    """The groups of blanks that a mutation may receive, filled with −1, and their sizes."""
    if which == "board" or (which == "group" and space.keeps == "none"):
        genes = [space.genes.tolist()] if len(space.genes) else []
        return pad_rows(genes, len(space.genes))
    units = space.swappable(space.keeps if which == "group" else which)
    return units.cells, units.sizes


def _encoding_misfit(encodings: tuple[type[Encoding], ...], encoding: Encoding) -> str | None:
    if not encodings or isinstance(encoding, encodings):
        return None
    return f"it is written for {' and '.join(map(recipe_name, encodings))}"


def _decorate(operator_class: Callable[..., Any], function: Function | None, options: Any) -> Any:
    if function is None:
        return lambda function: operator_class(function, **options)
    return operator_class(function)


def _call_emitter(signature: Any) -> Callable[..., Any]:
    """Code that calls the function at an address and propagates its exceptions."""

    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        address, *values = arguments
        convention = context.call_conv
        shape = convention.get_function_type(signature.return_type, signature.args)
        status, result = convention.call_function(
            builder,
            builder.inttoptr(address, shape.as_pointer()),
            signature.return_type,
            signature.args,
            values,
        )
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return result

    return emit


def _mutation_intrinsic(_context: Any, _function: Any, _board: Any, _blanks: Any, _rng: Any) -> Any:
    return MUTATION.return_type(types.int64, *MUTATION.args), _call_emitter(MUTATION)


def _crossover_intrinsic(
    _context: Any, _function: Any, _one: Any, _two: Any, _child: Any, _blanks: Any, _rng: Any
) -> Any:
    return CROSSOVER.return_type(types.int64, *CROSSOVER.args), _call_emitter(CROSSOVER)


def _fitness_intrinsic(
    _context: Any, _function: Any, _board: Any, _givens: Any, _units: Any
) -> Any:
    return FITNESS.return_type(types.int64, *FITNESS.args), _call_emitter(FITNESS)


call_mutation: Function
call_crossover: Function
call_fitness: Function
if JIT_IS_ON:
    call_mutation, call_crossover, call_fitness = (
        cast("Any", intrinsic(each))
        for each in (_mutation_intrinsic, _crossover_intrinsic, _fitness_intrinsic)
    )
else:
    call_mutation = call_crossover = call_fitness = lambda function, *arguments: function(
        *arguments
    )


@kernel
def apply_mutation(
    boards: Boards, rate: float, cells: Cells, sizes: Cells, rng: Any, function: Any
) -> Boards:
    changed = boards.copy()
    for i in range(len(changed)):
        if uniform(rng) < rate and len(cells) > 0:
            group = below(rng, len(cells))
            call_mutation(function, changed[i], cells[group][: sizes[group]], rng)
    return changed


@kernel
def apply_crossover(
    boards: Boards, mates: Mates, litter: int, blanks: NDArray[np.int64], rng: Any, function: Any
) -> Boards:
    """Make the children; the second of a mating has its parents the other way round."""
    children = np.empty((litter * len(mates), boards.shape[1]), np.uint8)
    for i in range(len(children)):
        one, two = mates[i // litter, 0], mates[i // litter, 1]
        if i % litter == 1:
            one, two = two, one
        children[i] = boards[one]
        call_crossover(function, boards[one], boards[two], children[i], blanks, rng)
    return children


@kernel
def apply_fitness(
    boards: Boards, givens: NDArray[np.uint8], units: NDArray[np.int64], function: Any
) -> Costs:
    costs = np.empty(len(boards), np.int32)
    for i in range(len(boards)):
        cost = call_fitness(function, boards[i], givens, units)
        if not 0 <= cost < 2**31 or cost != np.floor(cost):
            raise ValueError("expected a whole number from 0 as the cost of a board")
        costs[i] = np.int32(cost)
    return costs
