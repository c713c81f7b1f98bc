"""Functions of NumPy for typed quantities: a few, over the leading axes; everything else is a TypeError.

=======================================================  ===============================================================
call                                                     result
=======================================================  ===============================================================
``add``, ``subtract``, ``negative``, ``positive``        as ``a + b``, ``a - b``, ``-a``, ``+a``
``multiply``, ``divide``                                 as ``s * a``, ``a / s`` with a number or an array of numbers
``matmul``                                               as ``a @ b``
``equal``, ``not_equal``                                 as ``a == b``, ``a != b``: one bool
``isfinite``, ``isinf``, ``isnan``                       one bool for each entry of the batch
``isclose``, ``allclose``                                :meth:`~pluecker.spatial.typed.base.Typed.isclose`, with the
                                                         tolerances of NumPy
``stack``, ``concatenate``, ``sum``, ``shape``, ``ndim``  over the leading axes; kinds and frames must agree
``linalg.inv``                                           as ``a.inverse()``
=======================================================  ===============================================================

``numpy.asarray`` is among what is refused. An array knows neither space nor frame, so that the step from a quantity to an
array must be visible: ``.coordinates`` of a vector, ``.matrix`` of a transform or an inertia.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NoReturn

import numpy as np

from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.arguments import Array

__all__ = ["FromNumPy", "leading_axes"]

OPERATORS = {  # the operator of the left operand, and that of the right one where the left is an array
    np.add: ("__add__", "__radd__"),
    np.subtract: ("__sub__", "__rsub__"),
    np.multiply: ("__mul__", "__rmul__"),
    np.true_divide: ("__truediv__", "__rtruediv__"),
    np.matmul: ("__matmul__", "__rmatmul__"),
    np.equal: ("__eq__", "__eq__"),
    np.not_equal: ("__ne__", "__ne__"),
    np.negative: ("__neg__", ""),
    np.positive: ("__pos__", ""),
}
NUMBERS = "it is about numbers, and knows neither spaces nor frames"
ENTRIES: dict[np.ufunc, Callable[..., Any]] = {np.isfinite: np.all, np.isinf: np.any, np.isnan: np.any}


class FromNumPy:
    """Base class with the methods that NumPy calls on an object that is no array."""

    __slots__ = ("_frames", "_values")
    _values: Array
    _frames: tuple[str | None, ...]
    _spaces: ClassVar[tuple[int, ...]]  # M6 or F6, for each axis of the coordinates
    _array: ClassVar[str] = ".matrix"  # the property that holds the plain array

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ArgumentTypeError(
            f"a {type(self).__name__} is no array, which has neither space nor frame: use its {self._array}"
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and not kwargs:
            if ufunc in ENTRIES:
                return ENTRIES[ufunc](ufunc(self._values), axis=tuple(range(-len(self._spaces), 0)))
            if ufunc in OPERATORS:
                straight, reflected = OPERATORS[ufunc]
                if isinstance(inputs[0], FromNumPy):
                    result = getattr(inputs[0], straight)(*inputs[1:])
                else:
                    result = getattr(self, reflected)(inputs[0])
                if result is not NotImplemented:
                    return result
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        given = f" with {', '.join(kwargs)}=" if kwargs and method == "__call__" else ""
        raise ArgumentTypeError(
            self._undefined(f"numpy.{name}{given}", "results are new quantities" if given else NUMBERS)
        )

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        if func in FUNCTIONS:
            try:
                inspect.signature(FUNCTIONS[func]).bind(*args, **kwargs)
            except TypeError as error:
                raise ArgumentTypeError(f"numpy.{func.__name__} of a {type(self).__name__}: {error}") from None
            return FUNCTIONS[func](*args, **kwargs)
        module = "numpy.linalg" if "linalg" in func.__module__ else "numpy"
        raise ArgumentTypeError(self._undefined(f"{module}.{func.__name__}", WHY_NOT.get(func, NUMBERS)))

    def _undefined(self, function: str, reason: str = NUMBERS) -> str:
        return f"{function} is not defined for a {type(self).__name__}: {reason}; its array is {self._array}"


def leading_axes(function: str, axes: int | Iterable[int], count: int) -> tuple[int, ...]:
    """Return one axis or several as a tuple, counted from the front, of ``count`` leading axes.

    Raises:
        TypeError: one is not an integer.
        ValueError: there is no such axis.
    """
    try:
        numbers = tuple(operator.index(axis) for axis in (axes if isinstance(axes, Iterable) else (axes,)))
    except TypeError:
        raise ArgumentTypeError(f"{function}: axis is {shown(axes)}, expected an integer or several") from None
    for axis in numbers:
        if not -count <= axis < count:
            raise ArgumentValueError(f"{function}: axis {shown(axis)} is out of bounds, the leading axes are {count}")
    return tuple(axis % count for axis in numbers)


def joined(name: str, function: Callable[..., Any], parts: Iterable[Any], axis: int, extra: int) -> Any:
    """Join several quantities to one batch; all must be of one kind and in one frame, as for a sum."""
    parts = list(parts)
    like: Any = next(part for part in parts if isinstance(part, FromNumPy))
    for part in parts:
        kind, frames = like._together(part, f" in numpy.{name} with ")
        like = kind._make(like._values, *frames)
    places = leading_axes(f"numpy.{name}", axis, len(like.shape) + extra)
    if len(places) != 1:
        raise ArgumentValueError(f"numpy.{name}: axis is {shown(axis)}, expected one integer")
    try:
        return kind._make(function([part._values for part in parts], places[0]), *frames)
    except ValueError:
        shapes = ", ".join(str(part.shape) for part in parts[:5])
        raise ArgumentValueError(f"numpy.{name}: the batches do not fit together: {shapes}") from None


def stack(arrays: Iterable[Any], axis: int = 0) -> Any:
    return joined("stack", np.stack, arrays, axis, 1)


def concatenate(arrays: Iterable[Any], axis: int = 0) -> Any:
    return joined("concatenate", np.concatenate, arrays, axis, 0)


def inverse(a: Any) -> Any:
    if not hasattr(a, "inverse"):
        raise ArgumentTypeError(f"numpy.linalg.inv is not defined for a {type(a).__name__}: a vector has no inverse")
    return a.inverse()


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    first: Any = a if isinstance(a, FromNumPy) else b
    second = b if first is a else a
    return first.isclose(second, rtol, atol)


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    return bool(isclose(a, b, rtol, atol).all())


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.stack: stack,
    np.concatenate: concatenate,
    np.isclose: isclose,
    np.allclose: allclose,
    np.sum: lambda a, axis=None: a.sum(axis),
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: len(a.shape),
    np.linalg.inv: inverse,
}
WHY_NOT: dict[Callable[..., Any], str] = {
    np.linalg.norm: "a norm would add angular to linear coordinates, which have different units",
    np.cross: "the cross products of motion and force vectors are v.cross(m) and v.cross(f)",
    **dict.fromkeys(
        (np.dot, np.vdot, np.inner, np.tensordot),
        "the scalar product of a motion and a force vector is m.dot(f)",
    ),
}
