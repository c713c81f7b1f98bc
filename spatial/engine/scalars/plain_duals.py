"""Dual numbers without compilation: the algebra of :mod:`~pluecker.spatial.engine.scalars.duals` as a class of Python.

For ``NUMBA_DISABLE_JIT=1``, for debuggers and coverage. Eight derivatives, lanes in compiled code, are a row of NumPy here,
with which kernels compute as well.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["JoinedArray", "PlainDual", "RowArray"]


class PlainDual:
    """A number and its infinitesimals.

    Attributes:
        coefficients: the value, its eight derivatives, and in second order its derivative in one direction, and those of the
            eight derivatives in that direction.
    """

    __slots__ = ("coefficients",)

    def __init__(self, *coefficients: Any) -> None:
        self.coefficients = coefficients

    @property
    def real(self) -> float:
        """The value, which is what conditions look at."""
        return float(self.coefficients[0])

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options or function not in FUNCTIONS:
            return NotImplemented
        return FUNCTIONS[function](*inputs)

    def __add__(self, other: Any) -> PlainDual:
        return add(self, other)

    def __radd__(self, other: Any) -> PlainDual:
        return add(other, self)

    def __sub__(self, other: Any) -> PlainDual:
        return add(self, -other)

    def __rsub__(self, other: Any) -> PlainDual:
        return add(other, -self)

    def __mul__(self, other: Any) -> PlainDual:
        return multiply(self, other)

    def __rmul__(self, other: Any) -> PlainDual:
        return multiply(other, self)

    def __truediv__(self, other: Any) -> PlainDual:
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> PlainDual:
        return divide(other, self)

    def __neg__(self) -> PlainDual:
        return PlainDual(*(-c for c in self.coefficients))

    def __pos__(self) -> PlainDual:
        return self

    def __abs__(self) -> float:
        return abs(self.real)

    def __repr__(self) -> str:
        return f"PlainDual{self.coefficients}"


class RowArray:
    """A scalar array of rows of eight, as lanes would be: what is read is a copy."""

    def __init__(self, rows: NDArray[np.float64]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, k: Any) -> Any:
        return RowArray(self.rows[k]) if isinstance(k, slice) else self.rows[k].copy()

    def __setitem__(self, k: int, x: Any) -> None:
        self.rows[k] = x


class JoinedArray:
    """A scalar array of dual numbers, whose coefficients lie in arrays of their own: numbers and rows of eight in turn."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, k: Any) -> Any:
        found = [array[k] for array in self.arrays]
        return JoinedArray(*found) if isinstance(k, slice) else PlainDual(*found)

    def __setitem__(self, k: int, x: Any) -> None:
        found = of(x)
        for m, array in enumerate(self.arrays):
            array[k] = found[m] if m < len(found) else 0.0


def of(x: Any) -> tuple[Any, ...]:
    """The coefficients of a dual or an ordinary number."""
    return x.coefficients if isinstance(x, PlainDual) else (x,)


def products(x: Any, y: Any, m: int) -> Any:
    """The sum of x_a y_b over the ways to split the set m into a and b."""
    terms = [x[a] * y[m ^ a] for a in range(min(len(x), m + 1)) if a & m == a and m ^ a < len(y)]
    return functools.reduce(operator.add, terms) if terms else 0.0


def add(x: Any, y: Any) -> PlainDual:
    x, y = of(x), of(y)
    shorter, longer = sorted((x, y), key=len)
    return PlainDual(*(map(operator.add, x, y)), *longer[len(shorter) :])


def multiply(x: Any, y: Any) -> PlainDual:
    x, y = of(x), of(y)
    return PlainDual(*(products(x, y, m) for m in range(max(len(x), len(y)))))


def divide(x: Any, y: Any) -> PlainDual:
    """q from q y = x, set by set"""
    x, y = of(x), of(y)
    q: list[Any] = [x[0] / y[0]]
    for m in range(1, max(len(x), len(y))):
        q.append(((x[m] if m < len(x) else 0.0) - products(q, y, m)) / y[0])
    return PlainDual(*q)


def chain(x: PlainDual, f: Any, f1: Any, f2: Any) -> PlainDual:
    """f(x), from the function and its first two derivatives at the value of ``x``."""
    c = of(x)
    result = [f, *(f1 * coefficient for coefficient in c[1:])]
    if len(c) > 2:
        result[3] = result[3] + f2 * c[1] * c[2]
    return PlainDual(*result)


def sin(x: PlainDual) -> PlainDual:
    s, c = np.sin(x.real), np.cos(x.real)
    return chain(x, s, c, -s)


def cos(x: PlainDual) -> PlainDual:
    s, c = np.sin(x.real), np.cos(x.real)
    return chain(x, c, -s, -c)


def sqrt(x: PlainDual) -> PlainDual:
    s = np.sqrt(x.real)
    return chain(x, s, 0.5 / s, -0.25 / (s * x.real))


def arctan2(y: Any, x: Any) -> PlainDual:
    """Return the angle of the point (x, y), by axes rotated to its real part, where the slope is 1 and the curvature 0."""
    y0, x0 = np.real(y), np.real(x)
    return chain((x0 * y - y0 * x) / (x0 * x + y0 * y), np.arctan2(y0, x0), 1.0, 0.0)


# NumPy's functions, as its numbers and the functions themselves apply them to a dual number.
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.add: add,
    np.subtract: lambda x, y: add(x, -y),
    np.multiply: multiply,
    np.true_divide: divide,
    np.negative: operator.neg,
    np.sin: sin,
    np.cos: cos,
    np.sqrt: sqrt,
    np.arctan2: arctan2,
}
