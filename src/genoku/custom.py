"""Operators of one's own: whole-population ones as they are, functions of one board lifted.

Anything that can be called like an operator is one: a frozen dataclass, or a plain function. What
is easier said for one board at a time, in plain loops, takes a decorator:

    @board_mutation
    def swap(board, blanks, rng):
        one, two = below(rng, len(blanks)), below(rng, len(blanks))
        board[blanks[one]], board[blanks[two]] = board[blanks[two]], board[blanks[one]]

The function is compiled where it is defined, for one signature, and kernels of ours call it by its
address: only the user's own lines are compiled, and an exception in them comes out as usual. An
index beyond an array is one: bounds are checked unless `boundscheck=False` says otherwise.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, overload

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError
from numba.extending import intrinsic
from numpy.typing import NDArray

from genoku.board import Puzzle
from genoku.encoding import Boards, Encoding, Kept, SearchSpace, padded
from genoku.errors import RecipeError
from genoku.fitness import Costs, Fitness
from genoku.geometry import Geometry
from genoku.jit import JIT_IS_ON, kernel
from genoku.problem import Problem, name_of
from genoku.selection import Mates
from genoku.stream import Stream, below, uniform

Function = Callable[..., Any]
Blanks = Literal["group", "board", "row", "column", "box"]

_BOARD, _CELLS, _RNG = types.uint8[::1], types.int64[::1], types.uint64[::1]
MUTATION = types.void(_BOARD, _CELLS, _RNG)
CROSSOVER = types.void(_BOARD, _BOARD, _BOARD, _CELLS, _RNG)
FITNESS = types.float64(_BOARD, _BOARD, types.int64[:, ::1])


class Lifted:
    """A function of one board made an operator: known, shown and pickled by the function's name."""

    parameters: ClassVar[str]
    signature: ClassVar[Any]
    function: Function
    boundscheck: bool

    if TYPE_CHECKING:
        handle: Any  # what kernels call: an address, or the function where nothing is compiled
        kept: Any  # what the address belongs to

    def __post_init__(self) -> None:
        function = self.function
        check_parameters(function, self.parameters)
        kept, handle = compiled(function, self.signature, checked=self.boundscheck)
        vars(self).update(
            __module__=function.__module__,
            __qualname__=function.__qualname__,
            __name__=function.__name__,
            __doc__=function.__doc__,
            handle=handle,
            kept=kept,
        )

    def __reduce__(self) -> tuple[Function, tuple[str]]:
        return own_part, (own_name(self),)

    def __repr__(self) -> str:
        return f"{self.__module__}.{vars(self)['__qualname__']}"


@dataclass(frozen=True, repr=False)
class BoardMutation(Lifted):
    """Changes each board with probability `rate`, by a function of that board."""

    function: Function
    blanks: Blanks = "group"
    encodings: tuple[type[Encoding], ...] = ()
    boundscheck: bool = True
    parameters = "board, blanks, rng"
    signature = MUTATION

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return _only_for(self.encodings, encoding)

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        cells, sizes = blanks_of(problem.space, self.blanks)
        return lift_mutation(boards, rate, cells, sizes, rng, self.handle)


@dataclass(frozen=True, repr=False)
class BoardCrossover(Lifted):
    """Makes every child by a function of its two parents."""

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
        return _only_for(self.encodings, encoding)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        return lift_crossover(boards, mates, self.children, problem.space.genes, rng, self.handle)


@dataclass(frozen=True, repr=False)
class BoardFitness(Lifted, Fitness):
    """Costs that a function gives for one board."""

    function: Function
    # What it needs belongs to every lifted function, and not to their class as with our own.
    needs: Kept = "none"  # type: ignore[misc] # pyright: ignore[reportIncompatibleVariableOverride]
    boundscheck: bool = True
    parameters = "board, givens, units"
    signature = FITNESS

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        units = puzzle.geometry.units.astype(np.int64)
        return lift_fitness(boards, puzzle.board.copy(), units, self.handle)

    def worst(self, geometry: Geometry) -> int:
        """The cost of the same digit everywhere: the worst board there is, for want of a proof."""
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
    """Make a mutation of `f(board, blanks, rng)`, which changes the board in place.

    The board is a copy of its own. `blanks` are cells that it may change: those of a random group
    with two blanks or more where the encoding keeps groups together, else all of the board's; or,
    as asked for, those of the `board`, or of a random `row`, `column` or `box`. Where there are
    none the function is not called. `encodings` are those it fits; without any, it fits all.

    An index beyond an array raises IndexError. With `boundscheck=False` it does anything, such as
    ending the process.
    """
    return _decorated(BoardMutation, function, options)


@overload
def board_crossover(function: Function, /) -> BoardCrossover: ...
@overload
def board_crossover(
    *, children: int = 1, encodings: tuple[type[Encoding], ...] = (), boundscheck: bool = True
) -> Callable[[Function], BoardCrossover]: ...
def board_crossover(function: Function | None = None, /, **options: Any) -> Any:
    """Make a crossover of `f(one, two, child, blanks, rng)`, which fills the child in place.

    The child is a copy of parent `one`, and `blanks` are all of its blanks. A second child, if
    there is one, has its parents the other way round.
    """
    return _decorated(BoardCrossover, function, options)


@overload
def board_fitness(function: Function, /) -> BoardFitness: ...
@overload
def board_fitness(
    *, needs: Kept = "none", boundscheck: bool = True
) -> Callable[[Function], BoardFitness]: ...
def board_fitness(function: Function | None = None, /, **options: Any) -> Any:
    """Make a fitness of `f(board, givens, units) -> int`: the cost, 0 exactly when solved.

    `givens` is the puzzle with 0 for blanks; `units` are the cells of every row, column and box,
    `[3 × side, side]`. A cost that looks at some units only `needs` an encoding that keeps the
    others: `needs="box"` lets it trust the boxes.
    """
    return _decorated(BoardFitness, function, options)


def own_part(name: str) -> Any:
    """What `module:name` stands for; the module is imported."""
    module_name, _, qualname = name.partition(":")
    if not re.fullmatch(r"\w+(\.\w+)*:\w+(\.\w+)*", name):
        raise RecipeError(f"expected a part of your own as module:name, got {name!r}")
    if module_name.partition(".")[0] in sys.stdlib_module_names:
        raise RecipeError(f"expected a part of your own, got {name!r}, which is Python's")
    try:
        value: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise RecipeError(f"there is no module {error.name} to take {name} from") from error
        raise RecipeError(f"{module_name} cannot be imported: {error}") from error
    except Exception as error:  # whatever the user's own lines raise
        raise RecipeError(
            f"{module_name} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    for attribute in qualname.split("."):
        if not hasattr(value, attribute):
            raise RecipeError(f"module {module_name} has no {qualname}")
        value = getattr(value, attribute)
    return value


def own_name(part: Any) -> str:
    """The `module:name` of a function, a class or a lifted function."""
    # A worker process knows the script that started it by another name.
    module = "__main__" if part.__module__ == "__mp_main__" else part.__module__
    return f"{module}:{part.__qualname__}"


def check_parameters(function: Function, wanted: str) -> None:
    """Refuse a function that cannot be called with as many arguments."""
    taken = [each.name for each in inspect.signature(function).parameters.values()]
    if len(taken) != len(wanted.split(", ")):
        name = function.__qualname__
        raise RecipeError(f"expected {name}({wanted}), got {name}({', '.join(taken)})")


def with_bounds_checked(part: Any) -> Any:
    """A part, and all parts in it, with the bounds of lifted functions checked."""
    if isinstance(part, Lifted):
        value: Any = part
        return part if part.boundscheck else replace(value, boundscheck=True)
    if isinstance(part, tuple):
        return tuple(map(with_bounds_checked, part))
    if not is_dataclass(part) or isinstance(part, type):
        return part
    held = {each.name: getattr(part, each.name) for each in fields(part) if each.init}
    checked = {name: with_bounds_checked(value) for name, value in held.items()}
    return part if all(checked[name] is held[name] for name in held) else replace(part, **checked)


def compiled(function: Function, signature: Any, *, checked: bool) -> tuple[Any, Any]:
    """The function compiled for one signature, and its address, which is good while it is kept.

    Where nothing is compiled, the function stands for both.
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


@lru_cache(maxsize=8)
def blanks_of(space: SearchSpace, which: Blanks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The groups of blanks that a mutation may be handed, −1 beyond their sizes, and the sizes."""
    if which == "board" or (which == "group" and space.keeps == "none"):
        genes = [space.genes.tolist()] if len(space.genes) else []
        return padded(genes, len(space.genes))
    units = space.swappable(space.keeps if which == "group" else which)
    return units.cells, units.sizes


def _only_for(encodings: tuple[type[Encoding], ...], encoding: Encoding) -> str | None:
    if not encodings or isinstance(encoding, encodings):
        return None
    return f"it is written for {' and '.join(map(name_of, encodings))}"


def _decorated(lifted: Callable[..., Any], function: Function | None, options: Any) -> Any:
    if function is None:
        return lambda function: lifted(function, **options)
    return lifted(function)


def _calling(signature: Any) -> Callable[..., Any]:
    """Code that calls the function at an address, and hands on what it raises."""

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


def _change(_context: Any, _function: Any, _board: Any, _blanks: Any, _rng: Any) -> Any:
    return MUTATION.return_type(types.int64, *MUTATION.args), _calling(MUTATION)


def _cross(
    _context: Any, _function: Any, _one: Any, _two: Any, _child: Any, _blanks: Any, _rng: Any
) -> Any:
    return CROSSOVER.return_type(types.int64, *CROSSOVER.args), _calling(CROSSOVER)


def _judge(_context: Any, _function: Any, _board: Any, _givens: Any, _units: Any) -> Any:
    return FITNESS.return_type(types.int64, *FITNESS.args), _calling(FITNESS)


change: Function
cross: Function
judge: Function
if JIT_IS_ON:
    change, cross, judge = (cast("Any", intrinsic(each)) for each in (_change, _cross, _judge))
else:
    change = cross = judge = lambda function, *arguments: function(*arguments)


@kernel
def lift_mutation(
    boards: Boards,
    rate: float,
    cells: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rng: Any,
    function: Any,
) -> Boards:
    changed = boards.copy()
    for i in range(len(changed)):
        if uniform(rng) < rate and len(cells) > 0:
            group = below(rng, len(cells))
            change(function, changed[i], cells[group][: sizes[group]], rng)
    return changed


@kernel
def lift_crossover(
    boards: Boards, mates: Mates, litter: int, blanks: NDArray[np.int64], rng: Any, function: Any
) -> Boards:
    """A second child of a mating has the parents the other way round."""
    children = np.empty((litter * len(mates), boards.shape[1]), np.uint8)
    for i in range(len(children)):
        one, two = mates[i // litter, 0], mates[i // litter, 1]
        if i % litter == 1:
            one, two = two, one
        children[i] = boards[one]
        cross(function, boards[one], boards[two], children[i], blanks, rng)
    return children


@kernel
def lift_fitness(
    boards: Boards, givens: NDArray[np.uint8], units: NDArray[np.int64], function: Any
) -> Costs:
    costs = np.empty(len(boards), np.int32)
    for i in range(len(boards)):
        cost = judge(function, boards[i], givens, units)
        if not 0 <= cost < 2**31 or cost != np.floor(cost):
            raise ValueError("expected a whole number from 0 as the cost of a board")
        costs[i] = np.int32(cost)
    return costs
