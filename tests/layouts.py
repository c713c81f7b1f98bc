"""Arrays that hold the same numbers, however they lie in memory: functions of arrays must not tell them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray


def unaligned(x: Array) -> Array:
    """Copy an array to an odd address."""
    memory = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    memory[...] = x
    assert not memory.flags.aligned or not x.size
    return memory


def strided(x: Array) -> Array:
    """Copy an array so that other numbers lie between its own."""
    wide = np.full((*x.shape, 2), 7.0, x.dtype)[..., 0]
    wide[...] = x
    return wide


def read_only(x: Array) -> Array:
    """Copy an array so that nobody may write to it."""
    x = x.copy()
    x.flags.writeable = False
    return x


def big_endian(x: Array) -> Array:
    """Copy an array with its bytes in the other order."""
    return x.astype(x.dtype.newbyteorder(">"))


LAYOUTS: dict[str, Callable[[Array], Any]] = {
    "unaligned": unaligned,  # before the next: a function that has met it must still know a big-endian one
    "big-endian": big_endian,
    "unaligned and big-endian": lambda x: unaligned(big_endian(x)),
    "strided": strided,
    "backwards": lambda x: np.flip(np.flip(x).copy()),
    "Fortran order": lambda x: np.array(x, order="F"),
    "read-only": read_only,
    "list": lambda x: x.tolist(),
    "long double": lambda x: x.astype(np.longdouble),
}
