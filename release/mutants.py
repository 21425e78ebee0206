"""Mutants of a module: its syntax tree with one small fault put in, each with what it says.

A fault is one that a person could type: another comparison, another operator, a number off by
one, a condition turned round, arguments swapped, a value not returned, a statement left out.
Texts, annotations, decorators and imports are left as they are.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
}
CACHES = {"cache", "lru_cache"}
SYMMETRIC = {"min", "max", "np.minimum", "np.maximum"}
"""Functions that do not mind the order of their arguments."""


Block = list[ast.stmt]


@dataclass(frozen=True, eq=False)
class Mutant:
    """One fault: the statement it is in, as it was and as it becomes."""

    file: str
    line: int
    function: str
    """The function or method it is in, "" for what runs when the module is imported."""
    cached: bool
    """Whether the function remembers its results, so that few calls reach it."""
    was: str
    becomes: str
    tree: ast.Module
    block: Block
    place: int
    fault: ast.stmt

    @property
    def change(self) -> str:
        """The fault as a line of text, which outlives line numbers."""
        return f"{self.function or 'module'}: {self.was} → {self.becomes}"

    def code(self, path: Path) -> CodeType:
        """The module compiled with the fault in it."""
        sound = self.block[self.place]
        self.block[self.place] = self.fault
        try:
            return compile(self.tree, str(path), "exec")
        finally:
            self.block[self.place] = sound


def mutants_of(path: Path, file: str) -> list[Mutant]:
    """All mutants of a source file, in its order, no two alike."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: dict[tuple[int, str], Mutant] = {}
    for block, place, function, cached in statements(tree):
        sound = block[place]
        was = header(sound)
        for fault in faults(sound):
            becomes = header(fault)
            line = sound.lineno
            located = ast.fix_missing_locations(ast.copy_location(fault, sound))
            mutant = Mutant(file, line, function, cached, was, becomes, tree, block, place, located)
            if becomes != was:
                found.setdefault((line, becomes), mutant)
    return list(found.values())


def statements(
    node: ast.AST, function: str = "", cached: bool = False, prefix: str = ""
) -> Iterator[tuple[Block, int, str, bool]]:
    """Every statement that may hold a fault, as its place in a block, and the function around."""
    for field in ("body", "orelse", "finalbody"):
        block: Block = getattr(node, field, [])
        for place, statement in enumerate(block):
            if isinstance(statement, ast.Import | ast.ImportFrom) or is_text(statement):
                continue
            if not isinstance(statement, ast.ClassDef):
                yield block, place, function, cached
            if isinstance(statement, ast.ClassDef):
                yield from statements(statement, function, cached, f"{statement.name}.")
            elif isinstance(statement, ast.FunctionDef):
                keeps = {ast.unparse(each).split("(")[0] for each in statement.decorator_list}
                # a function within a function is called where that one is
                name = function or f"{prefix}{statement.name}"
                yield from statements(statement, name, cached or bool(keeps & CACHES))
            else:
                yield from statements(statement, function, cached)
    for handler in getattr(node, "handlers", []):
        yield from statements(handler, function, cached)


def is_text(node: ast.stmt) -> bool:
    """A docstring, or one below a constant; or the list of names a module gives out."""
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return True
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def faults(statement: ast.stmt) -> Iterator[ast.stmt]:
    """A statement with one fault each; `pass` where it is left out."""
    if isinstance(statement, ast.Return) and statement.value and not is_none(statement.value):
        yield ast.Return(ast.Constant(None))
    if isinstance(statement, ast.Expr | ast.AugAssign | ast.Raise | ast.Delete) or (
        isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript)
    ):
        yield ast.Pass()
    if isinstance(statement, ast.AugAssign) and type(statement.op) in ARITHMETIC:
        yield replaced(statement, "op", 0, ARITHMETIC[type(statement.op)]())
    if isinstance(statement, ast.If | ast.While) and not turns_already(statement.test):
        yield replaced(statement, "test", 0, ast.UnaryOp(ast.Not(), statement.test))
    for field in own_fields(statement):
        for place, part in enumerate(parts(statement, field)):
            for changed in expression_faults(part):
                yield replaced(statement, field, place, changed)


def turns_already(test: ast.expr) -> bool:
    """Whether a fault within a condition turns it round."""
    return isinstance(test, ast.Compare | ast.UnaryOp | ast.BoolOp)


def own_fields(statement: ast.stmt) -> list[str]:
    """The fields with a statement's own expressions: none of the statements within it."""
    if isinstance(statement, ast.FunctionDef):
        return ["args"]
    left_out = {"body", "orelse", "finalbody", "handlers", "annotation", "op"}
    return [field for field in statement._fields if field not in left_out]


def parts(node: ast.AST, field: str) -> list[ast.AST | None]:
    """What a field holds, always as a list."""
    value = getattr(node, field)
    listed = value if isinstance(value, list) else [value]
    return [each if isinstance(each, ast.AST) else None for each in listed]


Node = TypeVar("Node", bound=ast.AST)


def replaced(node: Node, field: str, place: int, part: Any) -> Node:
    """A node with another part in a field; the other parts are shared."""
    changed = copy.copy(node)
    value = getattr(node, field)
    if isinstance(value, list):
        part = [*value[:place], part, *value[place + 1 :]]
    setattr(changed, field, part)
    return changed


def expression_faults(node: ast.AST | None) -> Iterator[ast.AST]:
    """An expression with one fault each, in itself or in a part of it."""
    if node is None:
        return
    yield from faults_here(node)
    for field in node._fields:
        if field not in ("annotation", "ctx", "op", "ops", "format_spec"):
            for place, part in enumerate(parts(node, field)):
                for changed in expression_faults(part):
                    yield replaced(node, field, place, changed)


def faults_here(node: ast.AST) -> Iterator[ast.AST]:
    """An expression with a fault of its own."""
    match node:
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as number):
            yield from (ast.Constant(number + 1), ast.Constant(number - 1))
        case ast.Compare():
            for place, operator in enumerate(node.ops):
                for other in COMPARISONS[type(operator)]:
                    yield replaced(node, "ops", place, other())
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(operand=operand) if not isinstance(operand, ast.Constant):
            yield operand
        case ast.IfExp() if not turns_already(node.test):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.Call(args=[first, second, *rest]):
            starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
            if not starred and ast.unparse(node.func) not in SYMMETRIC:
                yield ast.Call(node.func, [second, first, *rest], node.keywords)
        case _:
            pass


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def header(statement: ast.stmt) -> str:
    """A statement as a line of text, without the statements within it."""
    bare = copy.copy(statement)
    if hasattr(bare, "body"):
        setattr(bare, "body", [ast.Pass()])  # noqa: B010
    for field in ("orelse", "decorator_list"):
        if hasattr(bare, field):
            setattr(bare, field, [])
    text = " ".join(ast.unparse(ast.fix_missing_locations(bare)).split())
    return text.removesuffix(": pass")
