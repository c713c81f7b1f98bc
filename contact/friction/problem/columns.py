"""Columns of tables, one entry for each body, contact or row: each fault is one sentence that names the entry."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import real_numbers, shown
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.functions.elementwise import Array

__all__ = ["as_column", "as_indices", "entry_error", "frozen", "is_frozen", "numbers_of"]

LARGEST_INDEX = np.iinfo(np.int64).max  # of 64 bits


def frozen(array: Array) -> Array:
    """Return a copy that cannot be written to, so that what was derived from it stays true."""
    array = np.array(array, dtype=np.float64, order="C")
    array.setflags(write=False)
    return array


def is_frozen(array: Array) -> bool:
    """Return whether an array is like those of :func:`frozen`: float64, contiguous, aligned, and not writeable."""
    flags = array.flags
    return not flags.writeable and array.dtype == np.float64 and bool(flags.c_contiguous and flags.aligned)


def entry_error(what: str, k: int, complaint: str) -> ProblemError:
    """Make the error of one body, contact or row."""
    return ProblemError(f"{what} {k}: {complaint}")


def numbers_of(name: str, value: ArrayLike) -> Array:
    """Return real numbers, finite or not; refuse truth values."""
    return real_numbers(name, value, truth=False)


def as_column(
    what: str,
    name: str,
    value: ArrayLike,
    shape: tuple[int, ...] = (),
    count: int | None = None,
    infinite: bool = False,
) -> Array:
    """Return a column of a table, ``(count, *shape)``, that cannot be written to.

    Args:
        what: "body", "contact" or "row", for messages.
        name: of the column.
        value: where the shape is (), one number stands for all entries.
        shape: of one entry.
        count: the number of entries, None where this column says it.
        infinite: whether infinities are allowed.

    Raises:
        ArgumentTypeError: no real numbers.
        ProblemError: another shape, NaN or infinite.
    """
    array = numbers_of(name, value)
    if array.ndim == 0 and shape == () and count is not None:
        array = np.full(count, array)
    if array.ndim != 1 + len(shape) or array.shape[1:] != shape or (count is not None and len(array) != count):
        length = ("n" if what == "body" else "K" if what == "contact" else "R") if count is None else str(count)
        expected = ", ".join([length, *map(str, shape)]) + ("" if shape else ",")
        raise ProblemError(f"{name} has shape {array.shape}, expected ({expected}): one entry for each {what}")
    wrong = np.isnan(array) if infinite else ~np.isfinite(array)
    if wrong.any():
        index = tuple(int(n) for n in np.argwhere(wrong)[0])
        place = f"[{', '.join(map(str, index[1:]))}]" if shape else ""
        expected = "a number" if infinite else "a finite number"
        raise entry_error(what, index[0], f"{name}{place} is {array[index]}, expected {expected}")
    return frozen(array)


def as_indices(what: str, value: ArrayLike) -> Indices:
    """Return the pairs of bodies of contacts or rows, ``(K, 2)``, that cannot be written to.

    Raises:
        ArgumentTypeError: no rectangular array, or entries that are no integers.
        ProblemError: another shape, or integers of more than 64 bits.
    """
    expected = f"expected integers of shape ({'K' if what == 'contact' else 'R'}, 2)"
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError, AttributeError, RuntimeError):
        raise ArgumentTypeError(f"bodies is not a rectangular array, {expected}") from None
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        raise ArgumentTypeError(f"bodies has masked entries, {expected}")
    if array.size == 0:
        array = np.zeros((0, 2), np.int64)
    came = f"bodies is {array.dtype} of shape {array.shape}, {expected}"
    if array.ndim == 0:
        raise ArgumentTypeError(f"bodies is {shown(value)}, {expected}")
    if array.ndim != 2 or array.shape[1] != 2:
        raise ProblemError(came)
    if array.dtype.kind != "i":
        for k, pair in enumerate(array.tolist()):
            if not all(is_index(body) for body in pair):
                whole = all(isinstance(body, (int, np.integer)) and not isinstance(body, bool) for body in pair)
                raise (ProblemError if whole else ArgumentTypeError)(
                    f"{came}: {what} {k} has {shown(pair[0])} and {shown(pair[1])}"
                )
    pairs = np.array(array, dtype=np.int64, order="C")
    pairs.setflags(write=False)
    return pairs


def is_index(value: object) -> bool:
    """Return whether a value is an integer of 64 bits, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and abs(int(value)) <= LARGEST_INDEX
