"""Equality by value: records are equal where all that defines them is.

Python compares the fields of records by ``==``, which gives arrays for arrays, and no truth. Here arrays are equal where
their shapes and all their entries are, NaN being equal to itself, so that what was copied, pickled or read from a file is
equal to what it was made from.

Records that hold arrays may be written to, and still are keys of dictionaries: their hash is made of what stays, their kind,
the shapes of their arrays, and what else they hold that has no arrays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, TypeVar

import numpy as np

__all__ = ["by_value", "same"]

T = TypeVar("T")
TEXT = (str, bytes)


def by_value(*names: str) -> Callable[[type[T]], type[T]]:
    """Decorate a class whose objects are equal where they are of one class and their parts are equal.

    Args:
        names: of the attributes that define an object; of a dataclass, and of a named tuple, its fields if none are given.

    Example:
        >>> from dataclasses import dataclass
        >>> import numpy as np
        >>> from pluecker.spatial.equality import by_value
        >>> @by_value()
        ... @dataclass(frozen=True, eq=False)
        ... class Samples:
        ...     values: np.ndarray
        >>> Samples(np.array([1.0, np.nan])) == Samples(np.array([1.0, np.nan]))
        True
    """

    def parts(record: Any) -> tuple[Any, ...]:
        own = names or [field.name for field in dataclasses.fields(record) if field.init]
        return tuple(getattr(record, name) for name in own)

    def equal(self: Any, other: object) -> Any:
        if self is other:
            return True
        return same(parts(self), parts(other)) if type(self) is type(other) else NotImplemented

    def equal_tuples(self: Any, other: object) -> Any:
        return same(self, other) if isinstance(other, tuple) else NotImplemented

    def unequal_tuples(self: Any, other: object) -> Any:
        return not same(self, other) if isinstance(other, tuple) else NotImplemented

    def number(self: Any) -> int:
        return hash((type(self), tuple(map(lasting, parts(self)))))

    def decorate(kind: type[T]) -> type[T]:
        made: dict[str, Any] = {"__eq__": equal, "__hash__": number}
        if issubclass(kind, tuple):  # which has __ne__, and a hash of its entries, if these have one
            made = {"__eq__": equal_tuples, "__ne__": unequal_tuples}
        for name, function in made.items():
            function.__name__, function.__qualname__ = name, f"{kind.__qualname__}.{name}"
            setattr(kind, name, function)
        return kind

    return decorate


def same(a: Any, b: Any) -> bool:
    """Return whether two things are equal, with what they hold: arrays by their entries, NaN being equal to itself."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        alike = isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape
        return alike and bool(((a == b) | ((a != a) & (b != b))).all())
    if hasattr(a, "tocsr") and hasattr(b, "tocsr"):  # matrices of SciPy's, which takes long to import
        return same_matrices(a.tocsr(), b.tocsr())
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, TEXT) and not isinstance(b, TEXT):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b) or (isinstance(a, float) and isinstance(b, float) and a != a and b != b)


def same_matrices(A: Any, B: Any) -> bool:
    """Return whether two sparse matrices have the same entries, those that are not zero."""
    if A.shape != B.shape:
        return False
    found = []
    for M in (A, B):
        M = M.copy()
        M.sum_duplicates()
        M.eliminate_zeros()
        found.append((M.indptr, M.indices, M.data))
    return same(*found)


def lasting(part: Any) -> Any:
    """Return what equal parts share and no one can change, for a hash: the shape of an array, the length of a list."""
    if isinstance(part, np.ndarray):
        return part.shape
    if isinstance(part, TEXT) or (isinstance(part, Real) and part == part):
        return part
    return len(part) if isinstance(part, (Sequence, Mapping)) else None
