"""TOML from outside: whatever it holds is a table, or a refusal in words."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from genoku.runtime.toml import DEPTH, LARGEST, parse_toml, read_toml

NESTED = {
    "lists": "x = " + "[" * 100_000,
    "closed lists": "x = " + "[" * 300 + "]" * 300,
    "inline tables": "x = " + "{a = " * 5000 + "1" + "}" * 5000,
    "a dotted key": "a." * 3000 + "a = 1",
    "a dotted table": "[" + "a." * 3000 + "a]",
    "a quoted dotted key": "'a' . " * 3000 + "a = 1",
    "tables in tables": "".join(f"[{'.'.join('a' * depth)}]\n" for depth in range(1, 80)),
}
LONG = {
    "decimal": "population = " + "9" * 5000,
    "hexadecimal": "population = 0x" + "f" * 5000,
    "65 bits": f"[a]\nb = [1, {2**64}]",
}
HOSTILE = {**NESTED, **LONG, "a megabyte": "x = 1 #" + "a" * LARGEST}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_what_is_beyond_all_bounds_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(text)
    (tmp_path / "bad.toml").write_text(text, "utf-8")
    with pytest.raises(tomllib.TOMLDecodeError):
        read_toml(tmp_path / "bad.toml")


def test_where_a_bound_is_passed_is_said() -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match=r"\(at line 3\)"):
        parse_toml("a = '''\n'''\n" + "b." * 100 + "b = 1")
    with pytest.raises(tomllib.TOMLDecodeError, match=r"a\.b\[1\]: "):
        parse_toml(LONG["65 bits"])


@pytest.mark.parametrize(
    "text",
    [
        "x = '" + "5." * 500 + "'",  # a puzzle is no key
        'x = """\n' + "5." * 500 + '\n"""',
        "# " + "a." * 500,
        "x = [" + "0.5, " * 5000 + "]",
        f"x = {2**63 - 1}\ny = -{2**63 - 1}",
        ".".join("a" * DEPTH) + " = 1",
        "\n".join(f"a.b{each} = 1" for each in range(2000)),
    ],
)
def test_what_is_within_them_is_read_as_python_reads_it(text: str) -> None:
    assert parse_toml(text) == tomllib.loads(text)


@given(st.text("ab.'\"\\\n#=[]{} 1,", max_size=60))
def test_any_text_is_read_as_python_reads_it_or_refused(text: str) -> None:
    def answer(reader: Any) -> Any:
        try:
            return reader(text)
        except tomllib.TOMLDecodeError:
            return "refused"

    assert answer(parse_toml) == answer(tomllib.loads)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
def test_a_file_without_end_is_not_read_to_it() -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        read_toml("/dev/zero")


@pytest.mark.parametrize("text", [*NESTED.values(), *LONG.values()], ids=[*NESTED, *LONG])
def test_no_command_ends_in_a_traceback(genoku: Any, text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(text, "utf-8")
    value = text.partition("=")[2] or text
    for words in (
        ("solve", "--recipe", "bad.toml"),
        ("study", "plan", "bad.toml"),
        ("solve", "--preset", "simon", "--set", f"population={value}"),
        ("solve", "--preset", "simon", "--set", text if "=" in text else f"{text}=1"),
    ):
        done = genoku(*words)
        assert done.code == 2, words[:2]
        assert len(done.err.strip().splitlines()) == 1
        assert len(done.err) < 1000
