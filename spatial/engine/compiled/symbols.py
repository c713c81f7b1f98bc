"""Numbers in memory that compiled code finds by a name that LLVM knows: code kept on disk finds them in any process."""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

__all__ = ["new_symbol", "symbol"]


def new_symbol(name: str) -> NDArray[np.int64]:
    """Make an integer, zero, that LLVM knows by this name; as an array, which has to live as long as code may read it."""
    number = np.zeros(1, np.int64)
    llvmlite.binding.add_symbol(name, number.ctypes.data)
    return number


def symbol(builder: Any, name: str) -> Any:
    """Return the global variable of an LLVM module through which its code finds the integer of that name."""
    place = builder.module.globals.get(name)
    return ir.GlobalVariable(builder.module, ir.IntType(64), name) if place is None else place
