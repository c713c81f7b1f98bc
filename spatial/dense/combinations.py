"""Sums of multiples of rows: what dense algebra takes most of its time for.

Sums are added up in the order in which they are written, of eight states as of one. No row that is written is one of those
that are read.
"""

from __future__ import annotations

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load

__all__ = ["add_multiple", "add_multiples"]


@kernel
def add_multiple(n, a, x, i, z, k):
    """z += a x, of n entries, x from its entry ``i`` on and z from ``k`` on"""
    for e in range(n):
        accumulate(z, k + e, a * load(x, i + e))


@kernel
def add_multiples(n, a, x, i, b, y, j, z, k):
    """z += a x + b y, of n entries, each from its own on"""
    for e in range(n):
        accumulate(z, k + e, a * load(x, i + e))
        accumulate(z, k + e, b * load(y, j + e))
