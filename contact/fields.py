"""Columns of tables, one entry for each body, contact or row: each fault is one sentence that names the entry."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.blocks import Indices
from pluecker.contact.errors import ProblemError
from pluecker.spatial.functions.elementwise import Array, as_numbers

__all__ = ["as_field", "as_indices", "entry_error", "frozen"]

MOST = np.iinfo(np.int64).max  # of 64 bits


def frozen(array: Array) -> Array:
    """A copy that cannot be written to, so that what was derived from it stays true."""
    array = np.array(array)
    array.setflags(write=False)
    return array


def entry_error(what: str, k: int, complaint: str) -> ProblemError:
    """The error of one body, contact or row."""
    return ProblemError(f"{what} {k}: {complaint}")


def numbers_of(name: str, value: ArrayLike) -> Array:
    """Real numbers, finite or not."""
    try:
        return as_numbers("", name, value)
    except TypeError as error:
        raise ProblemError(str(error).removeprefix(": ")) from None


def as_field(
    what: str,
    name: str,
    value: ArrayLike,
    shape: tuple[int, ...] = (),
    count: int | None = None,
    infinite: bool = False,
) -> Array:
    """A column of a table, ``(count, *shape)``, that cannot be written to.

    Args:
        what: "body", "contact" or "row", for messages.
        name: of the column.
        value: where the shape is (), one number stands for all entries.
        shape: of one entry.
        count: the number of entries, None where this column says it.
        infinite: whether infinities are allowed.

    Raises:
        ProblemError: no real numbers, another shape, NaN or infinite.
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
    """The pairs of bodies of contacts or rows, ``(K, 2)``, that cannot be written to.

    Raises:
        ProblemError: no rectangular array, another shape, or numbers that are no integers of 64 bits.
    """
    expected = f"expected integers of shape ({'K' if what == 'contact' else 'R'}, 2)"
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError) as error:
        raise ProblemError(f"bodies is not a rectangular array ({error}), {expected}") from None
    if np.ma.is_masked(value):
        raise ProblemError(f"bodies has masked entries, {expected}")
    if array.size == 0:
        array = np.zeros((0, 2), np.int64)
    held = f"bodies is {array.dtype} of shape {array.shape}, {expected}"
    if array.ndim != 2 or array.shape[1] != 2:
        raise ProblemError(held)
    if array.dtype.kind != "i":
        for k, pair in enumerate(array.tolist()):
            if not all(is_index(body) for body in pair):
                raise ProblemError(f"{held}: {what} {k} has {pair[0]!r:.30} and {pair[1]!r:.30}")
    pairs = array.astype(np.int64)
    pairs.setflags(write=False)
    return pairs


def is_index(value: object) -> bool:
    """Whether this is an integer of 64 bits, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and abs(int(value)) <= MOST
