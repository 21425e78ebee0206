"""How kernels are compiled: one decorator that owns the flags, and the bit tricks they share.

A kernel is a plain loop over scalars and arrays. It is compiled on first use and kept in the
user's cache folder, under a fingerprint of all our kernels: Numba itself looks only at the file
of the function it compiles, and would keep a stale copy of what that function calls.
"""

from __future__ import annotations

import functools
import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import platformdirs
from numba import config as numba_config
from numba import njit
from numba.core import types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba_config
DECORATING = threading.Lock()
JIT_IS_ON = not config.DISABLE_JIT  # NUMBA_DISABLE_JIT=1 runs every kernel as plain Python


@functools.cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: one folder for each version of their sources."""
    package = Path(__file__).parent
    sources = sorted(package.rglob("*.py"))
    texts = [text for text in (path.read_bytes() for path in sources) if b"@kernel" in text]
    fingerprint = hashlib.blake2b(b"\0".join(texts), digest_size=8).hexdigest()
    root = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("genoku")
    return Path(root) / f"kernels-{fingerprint}"


def kernel(function: Function) -> Function:
    """Compile `function` with the house flags: cached on disk, without the interpreter lock."""
    if not JIT_IS_ON:
        return function
    if not function.__module__:  # nothing that a cache could find again
        return cast("Function", njit(nogil=True)(function))
    # Numba reads the folder when the function is decorated, so it is set for that moment only.
    with DECORATING:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(cache_folder())
        try:
            return cast("Function", njit(cache=True, nogil=True)(function))
        except RuntimeError:  # no folder can be written, or typed at a prompt: compile in memory
            return cast("Function", njit(nogil=True)(function))
        finally:
            config.CACHE_DIR = before


def inlined(function: Function) -> Function:
    """Copy `function` into every kernel that calls it, so that constant arguments specialise it."""
    return cast("Function", njit(inline="always")(function)) if JIT_IS_ON else function


def _popcount(_context: Any, value: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return value(value), emit


def _lowest(_context: Any, value: Any) -> Any:
    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        index = builder.cttz(arguments[0], context.get_constant(types.boolean, True))
        return context.cast(builder, index, value, types.int64)

    return types.int64(value), emit


popcount: Callable[[Any], Any]
"""How many bits of a mask are set."""

lowest: Callable[[Any], Any]
"""The index of the lowest set bit of a mask, which is not 0."""

if JIT_IS_ON:
    popcount, lowest = (cast("Any", intrinsic(emitter)) for emitter in (_popcount, _lowest))
else:
    popcount = lambda mask: int(mask).bit_count()  # noqa: E731
    lowest = lambda mask: (int(mask) & -int(mask)).bit_length() - 1  # noqa: E731
