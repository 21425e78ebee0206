"""Assertions on wording: sentences of three words or more that tests compare prose with.

Tests assert what happened (class, field, exit code, value), so that a sentence can be improved
without them. A few hold the messages that people meet most: `MOST` of them in all.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

MOST = 60
TESTS = Path(__file__).parent

_PROSE = re.compile(r"[A-Za-z][A-Za-z']+(?:[ ,;:]+(?:\\?[A-Za-z0-9'.*\\]+)){2,}")
_METHODS = {"startswith", "endswith", "search", "match", "fullmatch"}
_EXPECTED = {"to_have_text", "to_contain_text", "not_to_contain_text"}


def wording_in(tree: ast.Module) -> Iterator[int]:
    """The lines of a test module that compare prose with a sentence."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            tested = (each for each in ast.walk(node.test) if isinstance(each, ast.expr))
            yield from (each.lineno for each in tested if _compares(each))
        elif isinstance(node, ast.Call):
            matched = any(each.arg == "match" and _is_prose(each.value) for each in node.keywords)
            if matched or (_name(node) in _EXPECTED and any(map(_is_prose, node.args))):
                yield node.lineno


def _compares(node: ast.expr) -> bool:
    if isinstance(node, ast.Compare):
        compares = any(isinstance(op, ast.In | ast.NotIn | ast.Eq | ast.NotEq) for op in node.ops)
        return compares and any(map(_is_prose, (node.left, *node.comparators)))
    return isinstance(node, ast.Call) and _name(node) in _METHODS and any(map(_is_prose, node.args))


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_prose(node: ast.AST) -> bool:
    texts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return any(isinstance(t, str) and "\n" not in t and _PROSE.search(t) for t in texts)


def all_wording() -> list[str]:
    """Every such place, as `file:line`."""
    return [
        f"{path.name}:{line}"
        for path in sorted(TESTS.glob("*.py"))
        for line in sorted(set(wording_in(ast.parse(path.read_text("utf-8")))))
    ]


if __name__ == "__main__":
    found = all_wording()
    print(*found, sep="\n")
    print(f"{len(found)} assertions on wording, at most {MOST}")
    sys.exit(len(found) > MOST)
