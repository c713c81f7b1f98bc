"""Lanes: eight numbers that move together, one state of a batch in each. Here is what kernels do lane by lane.

An algorithm that meets lanes instead of ``float64`` does the arithmetic of eight states in each instruction, and nothing in
its source says so. They come out of a *scalar array* with an axis more than usual: where an array of shape ``(n,)`` holds
the numbers of one state, an array of shape ``(n, 8)`` holds those of eight, and entry ``k`` is its row ``k``.

What they are in compiled code is said in :mod:`pluecker.spatial.engine.codegen.lanes`; without compilation, rows of NumPy.
"""

from __future__ import annotations

import numpy as np

__all__ = ["WIDTH", "everywhere", "get_lane", "set_lane"]

WIDTH = 8


def everywhere(number):
    """Return a number in all lanes."""
    return np.full(WIDTH, float(number))


def get_lane(x, k):
    """Return lane ``k`` of ``x``, a float."""
    return x[k]


def set_lane(x, k, number):
    """Return ``x`` with ``number`` in lane ``k``."""
    return np.where(np.arange(WIDTH) == k, number, x)
