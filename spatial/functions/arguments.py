"""Checks of arguments and results: arguments become arrays of float64 or an error, and results are finite or an error.

Every message begins with the name of the function that was called. Functions that are made of others say so with
:func:`composed`, so that it is their own name that a user reads, not that of a function inside.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from itertools import chain
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError, shown

__all__ = [
    "FLOAT", "MOST_LEADING", "NOT_TOGETHER", "Array",
    "as_floats", "as_integer", "as_numbers", "as_option", "as_shaped", "check_broadcast",
    "composed", "finite", "naming", "not_finite", "number_at", "why_apart",
]  # fmt: skip

Array = NDArray[np.float64]
FLOAT = np.dtype(np.float64)
PLAIN, LISTS = {float, int, np.float64}, {list, tuple}
NOT_FINITE = "expected a finite number"
OVERFLOWS = "the result overflows float64"
DEEPEST = 64  # axes that an array of NumPy can have
MOST_LEADING = 32  # axes that NumPy broadcasts
NOT_TOGETHER = (ValueError, RuntimeError)  # raised by broadcast_shapes, the second of more than 32 axes

P = ParamSpec("P")
R = TypeVar("R")


# ----------------------------------------------------------------------------------------------------------------- arrays


def as_floats(function: str, name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """``value`` as an array of float64 whose last axes have the shape, in C order, all entries finite.

    Raises:
        TypeError: it is not an array of real numbers.
        ValueError: its shape does not fit, or an entry is not finite.
    """
    array = as_shaped(function, name, value, shape)
    if not np.isfinite(array).all():
        raise ArgumentValueError(not_finite(function, name, array))
    flags = array.flags  # linear algebra rounds by the order in memory
    return array if flags.c_contiguous and flags.aligned else array.copy(order="C")


def as_shaped(function: str, name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Return ``value`` as an array of float64 whose last axes have the shape, in any memory order; entries may be NaN.

    Raises:
        TypeError, ValueError: as :func:`as_floats`, but for entries that are not finite.
    """
    array = value if type(value) is np.ndarray and value.dtype == FLOAT else as_numbers(function, name, value)
    if array.shape[array.ndim - len(shape) :] != shape or array.ndim < len(shape):
        expected = ", ".join(["...", *map(str, shape)])
        raise ArgumentValueError(f"{function}: {name} has shape {array.shape}, expected ({expected})")
    return array


def as_numbers(function: str, name: str, value: Any) -> Array:
    """``value`` as a new array of float64, refusing what is not an array of real numbers.

    Raises:
        TypeError: it has other entries than real numbers, rows of different lengths, or masked entries.
        ValueError: a number is too large for float64.
    """
    numbers = type(value) in LISTS and PLAIN.issuperset(map(type, value))  # and nothing else, as in most lists
    if not numbers and type(value) is not np.ndarray and has_masked(value):
        raise ArgumentTypeError(f"{function}: {name} has masked entries, expected an array of real numbers")
    try:
        array = np.asarray(value)
        if numbers and array.dtype is FLOAT:  # it is new already
            return array
        if array.dtype.kind in "fiu" and array.itemsize <= FLOAT.itemsize:
            return array.astype(FLOAT)
        if not array.size:
            return np.zeros(array.shape)
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):  # long doubles may become infinite
                return array.astype(FLOAT)
    except OverflowError:
        raise too_large(function, name, value) from None
    except ValueError as error:
        raise ArgumentTypeError(f"{function}: {name} is not a rectangular array of numbers ({error})") from None
    except TypeError as error:
        reason = f": {error}" if isinstance(error, PlueckerError) else ""
        raise ArgumentTypeError(f"{function}: {name} is no array of real numbers, got {shown(value)}{reason}") from None
    if set(map(type, array.flat)) <= PLAIN and any(abs(entry) >= 2**63 for entry in array.flat):
        raise too_large(function, name, value)
    held = f"{type(value).__name__} of {array.dtype}"
    raise ArgumentTypeError(
        f"{function}: {name} must be an array of real numbers (float64), got {held}: {shown(value)}"
    )


def check_broadcast(function: str, **arrays: tuple[Array, int]) -> tuple[int, ...]:
    """Return the broadcast shape of the leading axes; each array comes with the number of its own axes.

    Raises:
        ValueError: they do not broadcast.
    """
    try:
        return np.broadcast_shapes(*(array.shape[: array.ndim - own] for array, own in arrays.values()))
    except NOT_TOGETHER as error:
        shapes = ", ".join(f"{name} {array.shape}" for name, (array, _) in arrays.items())
        raise ArgumentValueError(f"{function}: the leading axes {why_apart(error)}: {shapes}") from None


def why_apart(error: Exception) -> str:
    """Say what is wrong with leading axes, by the exception that ``broadcast_shapes`` raised."""
    return "are more than 32" if isinstance(error, RuntimeError) else "do not broadcast"


def too_large(function: str, name: str, value: Any) -> ArgumentValueError:
    """The error for integers that no number of NumPy holds."""
    return ArgumentValueError(
        f"{function}: {name} has an integer of more than 64 bits, expected float64: {shown(value)}"
    )


def has_masked(value: Any) -> bool:
    """Return whether entries are masked, also of an array inside lists, whose mask NumPy would drop."""
    lists: list[Any] = [value if isinstance(value, (list, tuple)) else [value]]
    for _ in range(DEEPEST):  # a list may contain itself
        kinds = set(map(type, chain.from_iterable(lists)))
        if kinds <= PLAIN:
            return False
        parts = list(chain.from_iterable(lists))
        if any(issubclass(kind, np.ma.MaskedArray) for kind in kinds) and any(map(np.ma.is_masked, parts)):
            return True
        lists = parts if kinds <= LISTS else [part for part in parts if isinstance(part, (list, tuple))]
    return False


def number_at(name: str, array: Array, wrong: Any) -> str:
    """The first entry that is wrong, a number or a vector, as ``name[i, j] is x``."""
    index = tuple(int(n) for n in np.argwhere(wrong)[0])
    place = f"[{', '.join(map(str, index))}]" if index else ""
    entry = array[index]
    return f"{name}{place} is {shown(entry.tolist()) if entry.ndim else entry}"


def not_finite(function: str, name: str, array: Array) -> str:
    """The message that names the first entry that is NaN or infinite."""
    return f"{function}: {number_at(name, array, ~np.isfinite(array))}, {NOT_FINITE}"


def finite(function: str, result: R) -> R:
    """The result, if all numbers in its arrays are finite: else they have left the range of float64."""
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, (np.ndarray, np.floating)) and not np.isfinite(part).all():
            raise ArgumentValueError(f"{function}: {OVERFLOWS}")
    return result


# ---------------------------------------------------------------------------------------------------------------- options


def as_option(function: str, name: str, value: Any, options: Collection[str]) -> str:
    """A word that is one of a few.

    Raises:
        TypeError: it is not a string.
        ValueError: it is another word.
    """
    if isinstance(value, str) and value in options:
        return value
    error = ArgumentValueError if isinstance(value, str) else ArgumentTypeError
    raise error(f"{function}: {name} is {shown(value)}, expected one of {', '.join(map(repr, options))}")


def as_integer(function: str, name: str, value: Any, least: int, most: int) -> int:
    """An integer within bounds.

    Raises:
        TypeError: it is not an integer, or a bool.
        ValueError: it is out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ArgumentTypeError(f"{function}: {name} is {shown(value)}, expected an integer from {least} to {most}")
    if not least <= value <= most:
        raise ArgumentValueError(f"{function}: {name} is {shown(value)}, expected an integer from {least} to {most}")
    return int(value)


# ------------------------------------------------------------------------------------------ functions made of functions


class naming:
    """Context in which errors of functions inside begin with the name of the function that the user has called.

    NumPy does not warn meanwhile: what overflows is found in the result. What its linear algebra gives up on, numbers
    at the ends of the range of float64, is an error like any other.

    Args:
        function: what the user has called.
        checked: the user's arguments have been looked at, so that numbers which are not finite are our own.
    """

    def __init__(self, function: str, checked: bool = False) -> None:
        self.function, self.checked = function, checked

    def __enter__(self) -> None:
        self.state = np.errstate(all="ignore")
        self.state.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.state.__exit__(None, None, None)
        if isinstance(error, (ArgumentTypeError, ArgumentValueError)):
            name, _, text = str(error).partition(": ")
            if text and name != self.function and name.replace(".", "").isidentifier():
                text = OVERFLOWS if self.checked and text.endswith(NOT_FINITE) else text
                error.args = (f"{self.function}: {text}",)
        elif isinstance(error, np.linalg.LinAlgError):
            raise ArgumentValueError(
                f"{self.function}: {OVERFLOWS}, or what has to be inverted is singular ({error})"
            ) from None


def composed(function: Callable[P, R]) -> Callable[P, R]:
    """A public function made of others, all of whose arguments it looks at itself.

    Errors are in its own name, NumPy does not warn, and the result is finite or an error.
    """

    @functools.wraps(function)
    def public(*args: P.args, **kwargs: P.kwargs) -> R:
        with naming(function.__name__, checked=True):
            return finite(function.__name__, function(*args, **kwargs))

    return public
