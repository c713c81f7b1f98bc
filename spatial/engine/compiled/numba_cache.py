"""Compiled code on disk: one file of machine code for each function that Python enters, and types of its arguments.

With :mod:`~pluecker.spatial.engine.compiled.numba_internals`, whose table has the reasons for most of it, a file with
private parts of Numba:

===================================  ====================================================================================
private                              why
===================================  ====================================================================================
``FunctionCache``, ``_index_key``,   the stamp covers what a function calls (:mod:`.stamp`); a file
``IndexDataCacheFile``               that was cut off or overwritten is one that is not there
``CompileResultCacheImpl``           what a function calls by a name is kept with it, and made before it runs
===================================  ====================================================================================
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from pathlib import Path
from typing import Any

from numba import types
from numba.core import caching

from pluecker.spatial.engine.compiled.numba_internals import make_named
from pluecker.spatial.engine.compiled.stamp import source_stamp
from pluecker.spatial.properties import cached_property

__all__ = ["is_kept", "keep_on_disk"]


class WithNames(caching.CompileResultCacheImpl):
    """Machine code, and the names by which it finds other code."""

    def reduce(self, compiled: Any) -> Any:
        return compiled.library.names, super().reduce(compiled)

    def rebuild(self, context: Any, kept: Any) -> Any:
        names, data = kept
        make_named(names)
        return super().rebuild(context, data)


class SealedFiles(caching.IndexDataCacheFile):
    """The index and the files of machine code of one function, each behind a digest of the stamp and of what follows.

    A file that was cut off, or overwritten, or written under another stamp, is one that is not there: its function is
    compiled anew, and the file is written again.
    """

    def __init__(self, folder: str, name: str, function: Any) -> None:
        super().__init__(folder, name, None)
        self.function = function

    @cached_property
    def stamp(self) -> bytes:
        """The stamp of the function, computed when it is first used."""
        return source_stamp(self.function).encode()

    def write(self, path: str, data: bytes) -> None:
        """Replace the file as a whole by the data, behind their digest."""
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(self.stamp + data).digest() + data)

    def read(self, path: str) -> bytes:
        """Read the data of a file; OSError where its digest does not fit the data and the stamp."""
        text = Path(path).read_bytes()
        seal, data = text[:32], text[32:]
        if hashlib.sha256(self.stamp + data).digest() != seal:
            raise OSError(f"{path} was damaged, or is not up to date")
        return data

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self.write(self._index_path, self._dump(overloads))

    def _load_index(self) -> dict[Any, str]:
        # AttributeError and ImportError: a class among the types of the arguments that is no longer where it was
        with contextlib.suppress(OSError, AttributeError, ImportError):
            return dict(pickle.loads(self.read(self._index_path)))
        return {}

    def _save_data(self, name: str, data: Any) -> None:
        self.write(self._data_path(name), self._dump(data))

    def _load_data(self, name: str) -> Any:
        return pickle.loads(self.read(self._data_path(name)))


class StampedCache(caching.FunctionCache):
    """Numba's cache, in the folder that Numba chooses, with files as above."""

    _impl_class = WithNames

    def __init__(self, dispatcher: Any) -> None:
        super().__init__(dispatcher.py_func)
        self._cache_file = SealedFiles(self._cache_path, self._impl.filename_base, dispatcher)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """Argument types, processor, and the fields of records; the code itself is what the stamp stands for."""
        return sig, codegen.magic_tuple(), tuple(map(fields, sig if isinstance(sig, tuple) else sig.args))

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:  # a folder that was taken away, a full disk: the compiled code is good all the same
            self.disable()


def fields(kind: Any) -> Any:
    """The names of the fields of a record, and of the records in it, which Numba does not compare."""
    return (getattr(kind, "fields", None), *map(fields, kind)) if isinstance(kind, types.BaseTuple) else None


def keep_on_disk(dispatcher: Any) -> Any:
    """Give a dispatcher a cache on disk, where a folder can be written; returns it."""
    with contextlib.suppress(RuntimeError):
        dispatcher._cache = StampedCache(dispatcher)
    return dispatcher


def is_kept(dispatcher: Any) -> bool:
    """Return whether the compiled code of a dispatcher is kept on disk."""
    return isinstance(dispatcher._cache, StampedCache) and bool(dispatcher._cache._enabled)
