"""How kernels are compiled: one decorator that owns the flags, and the bit tricks they share.

A kernel is a plain loop over scalars and arrays. It is compiled on first use and kept in the
user's cache folder, under a fingerprint of all our kernels: Numba itself looks only at the file
of the function it compiles, and would keep a stale copy of what that function calls.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import platformdirs
from numba import config as numba_config
from numba import njit
from numba.core import caching, types
from numba.core.runtime.nrt import rtsys
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba_config
JIT_IS_ON = not config.DISABLE_JIT  # NUMBA_DISABLE_JIT=1 runs every kernel as plain Python
CHECKSUM = 16  # bytes
PACKAGE = Path(__file__).parent
ROOMS = (".", "algorithms", "engine")  # that kernels are in


@functools.cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: one folder per version of their sources and of Numba."""
    sources = sorted(path for room in ROOMS for path in (PACKAGE / room).glob("*.py"))
    texts = [text for text in (path.read_bytes() for path in sources) if b"@kernel" in text]
    version = numba.__version__.encode()
    fingerprint = hashlib.blake2b(b"\0".join([version, *texts]), digest_size=8).hexdigest()
    root = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("genoku")
    return Path(root) / f"kernels-{fingerprint}"


def kernel(function: Function, *, checked: bool | None = None) -> Function:
    """Compile `function` with the house flags: without the interpreter lock, ours cached on disk.

    A user's function is compiled in every process anew, since it holds the values of globals and
    the code of others' functions, whose changes no cache would see. `checked` code raises
    IndexError where an index lies outside; None leaves it to Numba's setting.
    """
    if not JIT_IS_ON:
        return function
    compiled: Any = njit(nogil=True, boundscheck=checked)(function)
    with suppress(RuntimeError):  # there is no place for it: it stays in memory
        compiled._cache = KernelCache(function)
    return cast("Function", compiled)


class Locator(caching.UserProvidedCacheLocator):
    """Finds the files of a kernel of ours in our cache folder."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._cache_path = str(cache_folder() / self.get_suitable_cache_subpath(file))

    def ensure_cache_path(self) -> None:
        _refuse_unwritable(self._cache_path)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Locator | None:
        if Path(py_file).is_relative_to(PACKAGE):
            with suppress(OSError):
                found = cls(py_func, py_file)
                found.ensure_cache_path()
                return found
        return None


@functools.cache
def _refuse_unwritable(folder: str) -> None:
    """Raise OSError unless a file can be written there."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()


class CheckedFiles(caching.IndexDataCacheFile):
    """The index and the code of a kernel, each behind a checksum: LLVM trusts what it is given.

    Code is kept with its key, since processes that compile at the same time may have chosen the
    same name for two signatures.
    """

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None

    def _load_index(self) -> dict[Any, str]:
        try:
            stamp, overloads = self._load_data(self._index_name)
        except FileNotFoundError:
            return {}
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._save_data(self._index_name, (self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        data = Path(self._data_path(name)).read_bytes()
        if data[:CHECKSUM] != _checksum(data[CHECKSUM:]):
            raise ValueError(f"{name} is damaged")
        return pickle.loads(data[CHECKSUM:])

    def _dump(self, obj: Any) -> bytes:
        data: bytes = super()._dump(obj)
        return _checksum(data) + data


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=CHECKSUM).digest()


class KernelFiles(caching.CompileResultCacheImpl):
    def __init__(self, function: Callable[..., Any]) -> None:
        self._locator_classes = [Locator]
        super().__init__(function)


class KernelCache(caching.FunctionCache):
    """Numba's cache for one kernel, quick to load and unharmed by damaged files and full disks.

    Numba refreshes its compiler before it loads: that imports all it can compile (and SciPy) to
    run code that is compiled already. When something is compiled, it does so anyway.
    """

    _impl_class = KernelFiles

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Numba's own leaves out how kernels are compiled."""
        return super()._index_key(sig, codegen), config.BOUNDSCHECK

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None if it is to be compiled, as after damage to its files."""
        rtsys.initialize(target_context)
        try:
            return self._load_overload(sig, target_context)
        except OSError:  # it cannot be read now, and may be whole
            return None
        except Exception as error:  # what pickle and LLVM make of it
            for path in Path(self._cache_path).glob(f"{self._impl.filename_base}.*"):
                with suppress(OSError):
                    path.unlink()
            warnings.warn(
                f"a compiled kernel in {self._cache_path} cannot be loaded ({error}); "
                "it is compiled again",
                stacklevel=2,
            )
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel for other processes; without room on the disk, it serves this one."""
        with suppress(OSError, ValueError):  # no room, or an index that is damaged
            super().save_overload(sig, data)


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
