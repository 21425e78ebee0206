"""Kernels: compiled once, kept in our folder, and the same without a compiler."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import in_another_process, in_python

from genoku import jit
from genoku.jit import kernel, lowest, popcount
from genoku.stream import below, stream

masks = st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda bit: 1 << bit)

EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


@kernel
def bits_of(mask: Any) -> Any:
    return popcount(mask)


@kernel
def lowest_of(mask: Any) -> Any:
    return lowest(mask)


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
        "from genoku.jit import cache_folder; from genoku.stream import draw, stream;"
        "draw(stream(1)); print(cache_folder(), sum(draw.stats.cache_hits.values()))"
    )
    compiled = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    folder, hits = in_another_process(program, **compiled).rsplit(" ", 1)
    assert hits == "0"
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name.startswith("stream.draw") for path in kept)
    assert all(Path(folder) in path.parents for path in kept)
    again, hits = in_another_process(program, **compiled).rsplit(" ", 1)
    assert (again, hits) == (folder, "1")


def test_the_folder_changes_with_any_kernel_and_with_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "genoku"
    shutil.copytree(Path(jit.__file__).parent, package)
    monkeypatch.setattr(jit, "__file__", str(package / "jit.py"))
    folder_now = jit.cache_folder.__wrapped__
    folder = folder_now()
    with (package / "errors.py").open("a") as stream:
        stream.write("# nothing compiled here\n")
    assert folder_now() == folder
    with (package / "propagation.py").open("a") as stream:
        stream.write("# changed\n")
    assert folder_now() != folder


def test_boards_are_solved_the_same_without_a_compiler() -> None:
    program = (
        "from genoku import exact; from genoku.board import Puzzle;"
        f"easy, small = Puzzle.parse('{EASY}'), Puzzle.parse('1.....3..4.....2');"
        "print(*exact.solve(easy).board, sep='');"
        "print(*exact.solve(small).board, sep='');"
        "print(exact.count(easy), exact.count(small, None))"
    )
    without = in_another_process(program, NUMBA_DISABLE_JIT="1")
    assert without == in_another_process(program, NUMBA_DISABLE_JIT="0")
    assert without.split()[0] == SOLVED


EVOLUTION = """
import hashlib
import numpy as np
from genoku import bundled
from genoku.loop import run
from genoku.presets import presets
from genoku.recipe import changed, build

small = bundled()["4x4-easy"].puzzle
for each in presets():
    settings = ["population=12"] if "population" in each.recipe else []
    settings += ["algorithm.moves=50"] if each.name.startswith(("annealing", "tabu")) else []
    settings += ["moves=50"] if each.name.startswith("memetic") else []
    if each.name.startswith("champion"):  # a small pool has children within a few steps
        settings = ["tries=2"] + (["population=2"] if "lone" not in each.name else [])
    algorithm = build(changed(each.recipe, settings))
    for puzzle in (each.puzzle, small):
        if puzzle.side < 16:
            result = run(puzzle, algorithm, seed=1, until="steps=3")
            state = result.state.boards.tobytes() + result.state.rng.tobytes()
            print(each.name, result.cost, hashlib.sha256(state).hexdigest()[:12])
"""


def test_evolution_is_the_same_without_a_compiler() -> None:
    assert in_another_process(EVOLUTION, NUMBA_DISABLE_JIT="1") == in_another_process(
        EVOLUTION, NUMBA_DISABLE_JIT="0"
    )
