"""Scalars, views, memory and shared numbers as compiled code has them: what Numba is taught.

Kernels call functions by their names; the modules where these stand say what they do in plain Python, or only what they are
for. Here is what they are in compiled code, written with ``numba.extending``. This package is imported when something is
compiled, and then as a whole: compiled code has to know all of it before.
"""

from pluecker.spatial.engine.codegen import (
    addresses,
    arctangent,
    arrays,
    atomics,
    duals,
    hints,
    joined,
    lanes,
    new_arrays,
    objects,
    operations,
    separate,
    sincos,
    symbols,
    threes,
    tiles,
    transposition,
    views,
)

__all__ = [
    "addresses",
    "arctangent",
    "arrays",
    "atomics",
    "duals",
    "hints",
    "joined",
    "lanes",
    "new_arrays",
    "objects",
    "operations",
    "separate",
    "sincos",
    "symbols",
    "threes",
    "tiles",
    "transposition",
    "views",
]
