"""The `@kernel` decorator, which compiles plain loops with Numba, and shared bit operations.

A kernel is compiled on first use and kept in the user's cache folder, under a fingerprint of all
kernels: Numba itself checks only the file of the function it compiles, and would keep stale copies
of the functions it calls.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import platformdirs
from numba import config as numba_config, njit
from numba.core import caching, event, types
from numba.core.runtime.nrt import rtsys
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba_config
JIT_IS_ON = not config.DISABLE_JIT  # NUMBA_DISABLE_JIT=1 runs every kernel as plain Python
CHECKSUM = 16  # bytes
PACKAGE = Path(__file__).parents[1]
ROOMS = (  # the folders with kernels
    *(".", "runtime", "puzzle", "exact", "engine"),
    *("evolve", "evolve/operators", "evolve/algorithms", "evolve/user"),
)


@functools.cache
def cache_folder() -> Path:
    """Return the folder of compiled kernels, one for each version of their sources and Numba."""
    sources = sorted(path for room in ROOMS for path in (PACKAGE / room).glob("*.py"))
    texts = [text for text in (path.read_bytes() for path in sources) if b"@kernel" in text]
    version = numba.__version__.encode()
    fingerprint = hashlib.blake2b(b"\0".join([version, *texts]), digest_size=8).hexdigest()
    root = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("genoku")
    return Path(root) / f"kernels-{fingerprint}"


def kernel(function: Function, *, checked: bool | None = None) -> Function:
    """Compile a function to run without the interpreter lock; genoku's kernels are cached on disk.

    Users' functions are compiled in every process: they contain values of globals and code of
    other functions, whose changes a cache would miss. `checked` code raises IndexError for an
    index out of range; None leaves that to Numba's setting.
    """
    if not JIT_IS_ON:
        return function
    compiled: Any = njit(nogil=True, boundscheck=checked)(function)
    with suppress(RuntimeError):  # no cache folder: it stays in memory
        compiled._cache = KernelCache(function)
    return cast("Function", compiled)


class KernelLocator(caching.UserProvidedCacheLocator):
    """Locates the cache files of genoku's kernels."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._cache_path = str(cache_folder() / self.get_suitable_cache_subpath(file))

    def ensure_cache_path(self) -> None:
        _require_writable(self._cache_path)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> KernelLocator | None:
        if Path(py_file).is_relative_to(PACKAGE):
            with suppress(OSError):
                found = cls(py_func, py_file)
                found.ensure_cache_path()
                return found
        return None


@functools.cache
def _require_writable(folder: str) -> None:
    """Raise OSError unless files can be written in a folder."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()


class ChecksummedFiles(caching.IndexDataCacheFile):
    """The index and the code of a kernel, each with a checksum, since LLVM trusts its input.

    Code is stored with its key, since processes that compile at the same time may choose the same
    file name for two signatures.
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
    _locator_classes: Any = (KernelLocator,)


class KernelCache(caching.FunctionCache):
    """Numba's cache for one kernel, tolerant of damaged files and full disks, and fast to load.

    Numba's own refreshes the compiler first, which imports SciPy; compiled code does not need that.
    """

    _impl_class = KernelFiles

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = ChecksummedFiles(self._cache_path, self._impl.filename_base, stamp)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Add bounds checking to the key, which Numba's own lacks."""
        return super()._index_key(sig, codegen), config.BOUNDSCHECK

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel, or None to compile it, as after damage to its files."""
        rtsys.initialize(target_context)
        try:
            return self._load_overload(sig, target_context)
        except OSError:  # unreadable now, but perhaps intact
            return None
        except Exception as error:  # anything that pickle or LLVM raises
            for path in Path(self._cache_path).glob(f"{self._impl.filename_base}.*"):
                with suppress(OSError):
                    path.unlink()
            warnings.warn(
                f"cannot load a compiled kernel in {self._cache_path} ({error}); recompiling it",
                stacklevel=2,
            )
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a kernel for other processes; if the disk is full, only this one has it."""
        with suppress(OSError, ValueError):  # disk full, or a damaged index
            super().save_overload(sig, data)


@dataclass(eq=False)
class CompileListener(event.Listener):
    """Calls functions when Numba starts and ends compiling."""

    start: Callable[[], object]
    end: Callable[[], object]

    def on_start(self, event: Any) -> None:
        self.start()

    def on_end(self, event: Any) -> None:
        self.end()


def inline(function: Function) -> Function:
    """Inline a function in every kernel that calls it, so that constant arguments specialise it."""
    return cast("Function", njit(inline="always")(function)) if JIT_IS_ON else function


def _emit_popcount(_context: Any, value: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return value(value), emit


def _emit_lowest_bit(_context: Any, value: Any) -> Any:
    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        index = builder.cttz(arguments[0], context.get_constant(types.boolean, True))
        return context.cast(builder, index, value, types.int64)

    return types.int64(value), emit


popcount: Callable[[Any], Any]  # the number of set bits of a mask
lowest_bit: Callable[[Any], Any]  # the index of the lowest set bit of a mask other than 0
if JIT_IS_ON:
    popcount, lowest_bit = (
        cast("Any", intrinsic(emitter)) for emitter in (_emit_popcount, _emit_lowest_bit)
    )
else:
    popcount = lambda mask: int(mask).bit_count()  # noqa: E731
    lowest_bit = lambda mask: (int(mask) & -int(mask)).bit_length() - 1  # noqa: E731
