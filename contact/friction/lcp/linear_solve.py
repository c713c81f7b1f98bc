"""Linear systems with general matrices, dense or sparse, by LU factors and one step of iterative refinement.

Source: N. J. Higham, "Accuracy and stability of numerical algorithms" (2002), chapter 12: one step in working precision
makes the answer as good as the rows of the matrix allow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["factorize", "reciprocal_condition"]


def factorize(A: Any) -> Callable[[Array], Array] | None:
    """Return a function that solves ``A x = y`` for any y, or None where the factors of A have a zero pivot.

    Args:
        A: ``(n, n)``, an array or a sparse matrix.

    Returns:
        A function from ``(n,)`` or, of a dense matrix, ``(n, k)`` to the same shape. What it returns may hold infinite
        numbers where A is nearly singular.
    """
    if A.shape[0] == 0:
        return lambda y: np.zeros_like(y)
    if not np.isfinite(A.data if scipy.sparse.issparse(A) else A).all():
        return None
    solve: Callable[[Array], Array]
    if scipy.sparse.issparse(A):
        try:
            from scipy.sparse.linalg import splu  # here: it takes long to import

            solve = splu(scipy.sparse.csc_matrix(A)).solve
        except RuntimeError:  # "Factor is exactly singular"
            return None
    else:
        lu, pivots, info = scipy.linalg.lapack.dgetrf(A)
        if info != 0:
            return None

        def solve(y: Array) -> Array:
            return np.asarray(scipy.linalg.lapack.dgetrs(lu, pivots, y)[0])

    def refined(y: Array) -> Array:
        x = solve(y)
        return x + solve(y - A @ x)

    return refined


def reciprocal_condition(A: Array) -> float:
    """Estimate ``1 / (|A| |A^-1|)`` in the 1-norm, of a dense matrix; 0 where it is singular, 1 where it is empty."""
    if A.shape[0] == 0:
        return 1.0
    lu, _, info = scipy.linalg.lapack.dgetrf(A)
    if info != 0:
        return 0.0
    return float(scipy.linalg.lapack.dgecon(lu, np.linalg.norm(A, 1))[0])
