"""Arguments as users give them: numbers, names, switches, arrays, records.

A wrong type is an ArgumentTypeError, which is a TypeError; a wrong value a ProblemError, which is a ValueError.

Arrays come back as copies of native, aligned, contiguous float64, whatever they were: compiled code sees nothing else.
"""

from __future__ import annotations

import math
import numbers
import reprlib
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from pluecker.contact.errors import ProblemError
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = [
    "as_choice", "as_number", "as_record", "as_switch", "as_whole", "can_be_listed", "check_memory", "real_numbers",
    "shown", "sparse_numbers",
]  # fmt: skip

MEMORY = 2**31  # bytes that the matrices of one call may take: a mistyped number shall not fill the machine
LONGEST = 60  # characters of a value in a message
PLAIN = (str, bytes, bool, int, float, complex, list, tuple, dict, set, frozenset, type(None), np.generic)


def shown(value: object) -> str:
    """Return a value as text for messages: short values as they are, others by their type, arrays with their shape."""
    if isinstance(value, type):
        return f"the class {value.__name__}"[:LONGEST]
    try:
        text = reprlib.repr(value) if isinstance(value, PLAIN) else ""
    except Exception:  # an integer of more digits than Python prints, a repr that fails
        text = ""
    if 0 < len(text) <= LONGEST and text.isprintable():
        return text
    shape = f" of shape {value.shape}" if isinstance(value, np.ndarray) else ""
    return f"{type(value).__name__}{shape}"[: 2 * LONGEST]


NO_NUMBERS = (bool, np.bool_, np.timedelta64)  # a duration is an integer to NumPy


def as_number(name: str, value: Any, expected: str, low: float, high: float = math.inf, zero: bool = False) -> float:
    """Return a real number between ``low`` and ``high``, or zero where that is allowed; ``expected`` says it in words."""
    if isinstance(value, NO_NUMBERS) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError(f"{name} is {shown(value)}, expected {expected}")
    try:
        number = float(value)
    except OverflowError:
        number = math.nan
    if not (low < number < high or (zero and number == 0.0)):
        raise ProblemError(f"{name} is {shown(value)}, expected {expected}")
    return number


def as_whole(name: str, value: Any, least: int, expected: str = "") -> int:
    """Return a whole number, ``least`` or more."""
    expected = expected or f"a whole number, {least} or more"
    if isinstance(value, NO_NUMBERS) or not isinstance(value, (int, np.integer)):
        raise ArgumentTypeError(f"{name} is {shown(value)}, expected {expected}")
    if value < least:
        raise ProblemError(f"{name} is {shown(value)}, expected {expected}")
    return int(value)


def can_be_listed(value: Any) -> bool:
    """Return whether a value can be iterated over, and is neither text nor an array without axes."""
    return isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "shape", None) != ()


def as_choice(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return a name that is one of those allowed."""
    if isinstance(value, str) and value in allowed:
        return str(value)
    kind = ProblemError if isinstance(value, str) else ArgumentTypeError
    raise kind(f"{name} is {shown(value)}, expected one of {', '.join(allowed)}")


def as_switch(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError(f"{name} is {shown(value)}, expected True or False")
    return bool(value)


def as_record(name: str, value: Any, expected: type) -> None:
    """Refuse a value that is no instance of a class."""
    if not isinstance(value, expected):
        article = "an" if expected.__name__[0] in "AEIOU" else "a"
        what = expected.__name__ if expected.__name__.endswith("s") else f"{article} {expected.__name__}"
        raise ArgumentTypeError(f"{name} is {type_of(value)}, expected {what}")


def type_of(value: object) -> str:
    """Return the type of a value, for messages."""
    return f"the class {value.__name__}"[:LONGEST] if isinstance(value, type) else type(value).__name__


def real_numbers(name: str, value: Any, what: str = "an array", truth: bool = True) -> Array:
    """Return a copy as float64; finite or not.

    Args:
        name: of the argument.
        value: an array of real numbers, or of objects that are. Digits in strings, complex numbers and masked entries are
            not.
        what: is expected.
        truth: whether truth values are numbers.

    Raises:
        ArgumentTypeError: no array of real numbers.
        ProblemError: a number that float64 cannot hold, as 10**400.
    """
    expected = f"expected {what} of real numbers"
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        raise ArgumentTypeError(f"{name} has masked entries, {expected}")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError, AttributeError, RuntimeError):
        refuse(name, "not a rectangular array", expected)
    if array.dtype.kind == "O":
        array = from_objects(
            name, array, type_of(value) if array.ndim == 0 else f"{type_of(value)} of objects", expected, truth
        )
    elif array.size == 0 and array.dtype.kind in "USV":
        array = np.zeros(array.shape)
    if array.dtype.kind not in ("fiub" if truth else "fiu"):
        refuse(name, f"{type_of(value)} of {array.dtype}" if array.ndim else type_of(value), expected)
    with np.errstate(over="ignore", invalid="ignore"):  # of longer floats; what overflows becomes infinite
        return np.array(array, dtype=np.float64, order="C")


def from_objects(name: str, array: Any, came: str, expected: str, truth: bool) -> Array:
    """Return the numbers of an array of objects."""
    out = np.empty(array.shape)
    for index, entry in np.ndenumerate(array):
        place = f"{name}[{', '.join(map(str, index))}]" if index else name
        is_truth = isinstance(entry, (bool, np.bool_))
        if not isinstance(entry, (numbers.Real, np.floating, np.integer)) or (is_truth and not truth):
            refuse(name, came if not index else f"{came}: {place} is {shown(entry)}", expected)
        try:
            out[index] = float(entry)
        except OverflowError:
            raise ProblemError(f"{place} is a number that float64 cannot hold, {expected}") from None
    return out


def check_memory(what: str, numbers: int) -> None:
    """Refuse arrays of so many numbers of float64 where they are more than the package keeps for one call."""
    needed = 8 * numbers
    if needed > MEMORY:
        size = f"about {needed / 2**30:.3g} GiB" if needed < 2**80 else "more than a million million GiB"
        raise ProblemError(f"{what} would take {size} of memory, expected at most {MEMORY // 2**30} GiB")


def refuse(name: str, came: str, expected: str) -> NoReturn:
    """Raise the error of a value that is no array of real numbers."""
    raise ArgumentTypeError(f"{name} is {came}, {expected}") from None


def sparse_numbers(name: str, value: Any) -> scipy.sparse.csr_matrix:
    """Return a sparse matrix of SciPy as compressed rows of float64, a copy in which no entry comes twice."""
    if value.dtype.kind not in "fiub":
        raise ArgumentTypeError(f"{name} is a sparse matrix of {value.dtype}, expected real numbers")
    if value.ndim != 2:
        raise ProblemError(f"{name} has shape {value.shape}, expected a matrix")
    entries = scipy.sparse.coo_matrix(value)
    data = real_numbers(name, entries.data)
    matrix = scipy.sparse.csr_matrix((data, (entries.row, entries.col)), shape=value.shape)
    matrix.sum_duplicates()
    return matrix
