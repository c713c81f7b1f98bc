"""Numbers in memory that compiled code finds by a name: code kept on disk finds them in any process.

Behind the name of a function is its address, which is filled in before the code runs that calls it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.engine.compiled.shipped_code import shipped_number

__all__ = ["FILLED", "SYMBOLS", "new_symbol"]

SYMBOLS: dict[str, NDArray[np.int64]] = {}  # each number, as an array, which lives as long as code may read it
FILLED: dict[str, Callable[[], None]] = {}  # what stores the address of a function under its name


def new_symbol(name: str, fill: Callable[[], None] | None = None) -> NDArray[np.int64]:
    """Make an integer, zero, that compiled code knows by this name; ``fill`` is called before code runs that reads it."""
    shipped = shipped_number(name)
    SYMBOLS[name] = np.zeros(1, np.int64) if shipped is None else shipped
    if fill is not None:
        FILLED[name] = fill
    return SYMBOLS[name]
