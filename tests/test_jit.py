"""Kernels: compiled once, kept in our folder, and the same without a compiler."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fulldisk import nearly_full
from hypothesis import given, strategies as st
from strategies import in_another_process, in_python, printed_with_compiler

from genoku.runtime import jit
from genoku.runtime.jit import kernel, lowest_bit, popcount
from genoku.runtime.random import below, stream

masks = st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda bit: 1 << bit)

needs_a_compiler = pytest.mark.skipif(not jit.JIT_IS_ON, reason="nothing is compiled")

EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


@kernel
def bits_of(mask: Any) -> Any:
    return popcount(mask)


@kernel
def lowest_of(mask: Any) -> Any:
    return lowest_bit(mask)


@kernel
def sum_of_draws(rng: Any, size: int) -> int:
    """A user's kernel that calls one of ours."""
    total = 0
    for _ in range(size):
        total += below(rng, 10)
    return total


@given(mask=masks)
def test_popcount_counts_the_bits_of_a_mask(mask: int) -> None:
    assert bits_of(np.uint64(mask)) == mask.bit_count()


@given(mask=masks.filter(bool))
def test_lowest_is_the_index_of_the_lowest_bit(mask: int) -> None:
    assert lowest_of(np.uint64(mask)) == (mask & -mask).bit_length() - 1


@given(mask=st.integers(0, 2**16 - 1))
def test_popcount_takes_masks_of_any_width(mask: int) -> None:
    assert bits_of(np.uint16(mask)) == bits_of(np.uint32(mask)) == mask.bit_count()


@given(seed=st.integers(0, 1000))
def test_a_kernel_outside_genoku_calls_ours_and_agrees_with_its_python(seed: int) -> None:
    assert sum_of_draws(stream(seed), 20) == in_python(sum_of_draws)(stream(seed), 20)


def test_a_kernel_without_a_file_is_compiled_in_memory() -> None:
    """As typed at a prompt, or piped to Python."""
    typed: dict[str, Any] = {"__name__": "__main__"}
    exec("def twice(x): return 2 * x", typed)
    assert kernel(typed["twice"])(21) == 42


def test_compiled_kernels_are_kept_in_our_folder_and_found_again(tmp_path: Path) -> None:
    program = (
        "from genoku.runtime.jit import cache_folder;"
        "from genoku.runtime.random import draw, stream;"
        "draw(stream(1)); print(cache_folder(), sum(draw.stats.cache_hits.values()))"
    )
    compiled = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    folder, hits = in_another_process(program, **compiled).rsplit(" ", 1)
    assert hits == "0"
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name.startswith("random.draw") for path in kept)
    assert all(Path(folder) in path.parents for path in kept)
    again, hits = in_another_process(program, **compiled).rsplit(" ", 1)
    assert (again, hits) == (folder, "1")


@pytest.fixture
def twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """A function as of genoku's own, whose kernels are kept in `tmp_path / "kernels"`."""
    path = tmp_path / "own.py"
    path.write_text("def twice(x):\n    return 2 * x\n")
    spec = util.spec_from_file_location("own", path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "own", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path / "kernels")
    monkeypatch.setattr(jit, "PACKAGE", tmp_path)
    found: Callable[..., Any] = module.twice
    return found


def loaded(function: Any) -> bool:
    """Whether a kernel that was called once came from its file."""
    return bool(sum(function.stats.cache_hits.values()) == 1)


def flipped(data: bytes) -> bytes:
    return data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]


@needs_a_compiler
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize(
    "damage",
    [lambda _data: b"", lambda data: data[: len(data) // 2], flipped],
    ids=["empty", "cut", "flipped"],
)
def test_a_damaged_kernel_is_removed_and_compiled_again(
    twice: Any, tmp_path: Path, damage: Callable[[bytes], bytes], suffix: str
) -> None:
    assert kernel(twice)(21) == 42
    [file] = tmp_path.rglob(f"*{suffix}")
    file.write_bytes(damage(file.read_bytes()))
    again: Any = kernel(twice)
    with pytest.warns(UserWarning, match=str(tmp_path)):
        assert again(21) == 42
    assert not loaded(again)
    whole: Any = kernel(twice)
    assert whole(21) == 42
    assert loaded(whole)


@needs_a_compiler
def test_a_file_that_cannot_be_read_now_is_left_alone(
    twice: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel(twice)(21)

    def refuse(_path: Path) -> bytes:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        assert kernel(twice)(21) == 42
    again: Any = kernel(twice)
    assert again(21) == 42
    assert loaded(again)


@needs_a_compiler
def test_a_users_function_follows_what_it_imports(tmp_path: Path) -> None:
    """Numba freezes globals into compiled code, so that it must not be kept."""
    (tmp_path / "mine.py").write_text("from theirs import DIGIT\ndef digit(): return DIGIT\n")
    program = "import mine; from genoku.runtime.jit import kernel; print(kernel(mine.digit)())"
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    for digit in ("3", "42"):  # of two lengths: Python compares size and second of a module
        (tmp_path / "theirs.py").write_text(f"DIGIT = {digit}\n")
        assert in_another_process(program, PYTHONPATH=paths) == digit


@needs_a_compiler
def test_code_of_another_signature_under_the_same_name_is_not_run(
    twice: Any, tmp_path: Path
) -> None:
    """As two processes leave it that compile one kernel at the same time."""
    kernel(twice)(21)
    [code] = tmp_path.rglob("*.nbc")
    of_whole_numbers = code.read_bytes()
    for file in tmp_path.rglob("*.nb?"):
        file.unlink()
    kernel(twice)(0.5)
    code.write_bytes(of_whole_numbers)
    again: Any = kernel(twice)
    assert again(0.5) == 1.0
    assert not loaded(again)


@needs_a_compiler
def test_a_full_disk_leaves_kernels_in_memory(twice: Any, tmp_path: Path) -> None:
    with nearly_full(100):
        assert kernel(twice)(21) == 42
    assert not list(tmp_path.rglob("*.nb?*"))
    again: Any = kernel(twice)
    assert again(21) == 42
    assert not loaded(again)


@needs_a_compiler
def test_loading_a_kernel_imports_nothing_that_only_compiling_needs(tmp_path: Path) -> None:
    program = (
        "import sys; from genoku.runtime.random import draw, stream; draw(stream(1));"
        "print('scipy.linalg' in sys.modules, 'numba.np.linalg' in sys.modules)"
    )
    kept = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert in_another_process(program, **kept).endswith("True")
    assert in_another_process(program, **kept) == "False False"


def test_every_kernel_counts_in_the_name_of_the_folder() -> None:
    package = jit.PACKAGE
    rooms = {
        str(path.parent.relative_to(package))
        for path in package.rglob("*.py")
        if "@kernel" in path.read_text("utf-8")
    }
    assert rooms <= set(jit.ROOMS)


def test_the_folder_changes_with_any_kernel_and_with_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "genoku"
    shutil.copytree(jit.PACKAGE, package)
    monkeypatch.setattr(jit, "PACKAGE", package)
    folder_now = jit.cache_folder.__wrapped__
    folder = folder_now()
    with (package / "errors.py").open("a") as stream:
        stream.write("# nothing compiled here\n")
    assert folder_now() == folder
    with (package / "exact" / "propagation.py").open("a") as stream:
        stream.write("# changed\n")
    assert folder_now() != folder


def test_boards_are_solved_the_same_without_a_compiler() -> None:
    program = (
        "from genoku import exact; from genoku.puzzle.board import Puzzle;"
        f"easy, small = Puzzle.parse('{EASY}'), Puzzle.parse('1.....3..4.....2');"
        "print(*exact.solve(easy).board, sep='');"
        "print(*exact.solve(small).board, sep='');"
        "print(exact.count(easy), exact.count(small, None))"
    )
    without = in_another_process(program, NUMBA_DISABLE_JIT="1")
    assert without == printed_with_compiler(program)
    assert without.split()[0] == SOLVED


EVOLUTION = """
import hashlib
import numpy as np
from genoku import bundled
from genoku.engine.run import run
from genoku.evolve.presets import presets
from genoku.evolve.recipe import build, with_settings

small = bundled()["4x4-easy"].puzzle
for each in presets():
    settings = ["population=12"] if "population" in each.recipe else []
    settings += ["algorithm.moves=50"] if each.name.startswith(("annealing", "tabu")) else []
    settings += ["moves=50"] if each.name.startswith("memetic") else []
    if each.name.startswith("champion"):  # a small pool has children within a few steps
        settings = ["tries=2"] + (["population=2"] if "lone" not in each.name else [])
    algorithm = build(with_settings(each.recipe, settings))
    for puzzle in (each.puzzle, small):
        if puzzle.side < 16:
            result = run(puzzle, algorithm, seed=1, until="steps=3")
            state = result.state.boards.tobytes() + result.state.rng.tobytes()
            print(each.name, result.cost, hashlib.sha256(state).hexdigest()[:12])
"""


def test_evolution_is_the_same_without_a_compiler() -> None:
    without = in_another_process(EVOLUTION, NUMBA_DISABLE_JIT="1")
    assert without == printed_with_compiler(EVOLUTION)
