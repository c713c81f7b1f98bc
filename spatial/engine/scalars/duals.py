"""Dual numbers in kernels: what is done to their values alone.

Computing with ``x + x1 e``, where ``e e = 0``, differentiates whatever is computed. See
:mod:`pluecker.spatial.engine.codegen.duals`, and :mod:`~pluecker.spatial.engine.scalars.plain_duals` without compilation.
"""

from __future__ import annotations

__all__ = ["value"]


def value(x):
    """Return the number without its infinitesimals."""
    return x.real
