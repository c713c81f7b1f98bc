"""Scalar arrays in memory, as algorithms take them.

A scalar array of shape ``(n,)`` holds n numbers, its own entries. One of shape ``(n, 8)``, C-ordered, holds n lanes, its
rows. So the array decides which scalar comes out of it, and an algorithm only ever says ``load(array, k)``.

To an algorithm, arrays are handed as *views*: a pointer and a length, made by :func:`view`. Compiled code passes them on for
nothing, where for each array of NumPy it would copy seven words and count references. The arrays must outlive their views.
What compiled code does with them is said in :mod:`pluecker.spatial.engine.codegen.views`.
"""

from __future__ import annotations

__all__ = ["flat", "view"]


def view(array):
    """Return a scalar array as algorithms take it; without compilation, the array itself."""
    return array


def flat(array):
    """Return the entries of an array of NumPy in C order, whatever its axes, as a view."""
    return array.reshape(-1)
