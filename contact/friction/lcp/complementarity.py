"""Linear complementarity problems: the record, the checks of its data, its error measures.

Given a square A and b, with bounds ``lower <= upper`` (0 and infinity in the standard problem), z and w are sought with

    w = A z + b,        z = P(z - w),        P(x) = min(max(x, lower), upper),

in words: w_i = 0 where z_i is between its bounds, w_i >= 0 at the lower one, w_i <= 0 at the upper one. An unbounded z_i
makes its row an equation. In contact, z is an impulse and w a velocity.

====================  ================================================================================================
measure               what it is
====================  ================================================================================================
natural map           ``|z - P(z - w)| / max(|b|, |z|, |w|)``, Euclidean norms: zero at solutions and nowhere else
complementarity       ``sum_i (z_i - lower_i) max(w_i, 0) + (upper_i - z_i) max(-w_i, 0)`` over the finite bounds, which is
                      ``z . w`` of the standard problem: zero at solutions, and elsewhere too
====================  ================================================================================================

Source: R. W. Cottle, J.-S. Pang, R. E. Stone, "The linear complementarity problem" (1992), chapter 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import real_numbers, sparse_numbers
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.checks import as_vector
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["LinearComplementarityProblem", "complementarity", "euclid", "make_problem", "minimum_map", "natural_map"]


def euclid(x: Array) -> float:
    """|x|, without overflow or underflow of the squares."""
    top = float(np.abs(x).max(initial=0.0))
    if not 0.0 < top < math.inf:
        return top
    exponent = math.frexp(top)[1]
    return math.ldexp(float(np.linalg.norm(np.ldexp(x, -exponent))), exponent) if exponent < 1000 else math.inf


@by_value()
@dataclass(frozen=True, eq=False)
class LinearComplementarityProblem:
    """A, b and the bounds, checked; made by :func:`make_problem`.

    Attributes:
        A: ``(n, n)``, a NumPy array, or SciPy's compressed rows where a sparse matrix was given.
        b: ``(n,)``.
        lower: ``(n,)``, minus infinity where there is none.
        upper: ``(n,)``, infinity where there is none.
    """

    A: Any
    b: Array
    lower: Array
    upper: Array

    @property
    def size(self) -> int:
        return len(self.b)

    @property
    def is_sparse(self) -> bool:
        return bool(scipy.sparse.issparse(self.A))

    def project(self, x: Array) -> Array:
        """P(x)"""
        return np.minimum(np.maximum(x, self.lower), self.upper)

    def slack(self, z: Array) -> Array:
        """w = A z + b"""
        return np.asarray(self.A @ z + self.b)


def minimum_map(problem: LinearComplementarityProblem, z: Array, w: Array) -> Array:
    """``z - P(z - w)``, by the distances to the bounds: the difference would lose w where it is small beside z."""
    return np.minimum(np.maximum(w, z - problem.upper), z - problem.lower)


def natural_map(problem: LinearComplementarityProblem, z: Array, w: Array) -> float:
    """``|z - P(z - w)| / max(|b|, |z|, |w|)``; infinite where z or w are not finite, zero where all are zero."""
    if not (np.isfinite(z).all() and np.isfinite(w).all()):
        return math.inf
    error = euclid(minimum_map(problem, z, w))
    scale = max(euclid(problem.b), euclid(z), euclid(w))
    return error / scale if scale > 0.0 else error


def complementarity(problem: LinearComplementarityProblem, z: Array, w: Array) -> float:
    """Sum all products of a distance from a finite bound and the slack that belongs to it."""
    below, above = np.isfinite(problem.lower), np.isfinite(problem.upper)
    low = (z - problem.lower)[below] * np.maximum(w[below], 0.0)
    high = (problem.upper - z)[above] * np.maximum(-w[above], 0.0)
    return float(min(np.abs(low).sum() + np.abs(high).sum(), np.finfo(float).max))


# ---------------------------------------------------------------------------------------------------------------- checks


def as_square(value: Any) -> Any:
    """Return A as a float64 array, or as compressed rows if it is sparse."""
    if scipy.sparse.issparse(value):
        A = sparse_numbers("A", value)
        entries = A.data
    else:
        A = real_numbers("A", value, "a square matrix")
        if A.size == 0 and A.ndim < 3:
            A = A.reshape(0, 0) if A.shape in ((0,), (1, 0)) else A
        entries = A
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ProblemError(f"A has shape {A.shape}, expected a square matrix")
    if not np.isfinite(entries).all():
        position = np.argwhere(~np.isfinite(A.toarray() if scipy.sparse.issparse(A) else A))[0]
        i, j = int(position[0]), int(position[1])
        raise ProblemError(f"A[{i}, {j}] is {A[i, j]}, expected a finite number")
    return A


def as_bound(name: str, value: ArrayLike | None, size: int, default: float) -> Array:
    """Return a bound, one number for all or one for each; infinite ones are allowed, NaN is not."""
    if value is None:
        return np.full(size, default)
    bound = real_numbers(name, value, "one number or a vector")
    if bound.ndim == 0:
        bound = np.full(size, float(bound))
    if bound.shape != (size,):
        raise ProblemError(f"{name} has shape {bound.shape}, expected ({size},) or one number")
    wrong = np.flatnonzero(np.isnan(bound) | (bound == (math.inf if name == "lower" else -math.inf)))
    if len(wrong):
        raise ProblemError(f"{name}[{wrong[0]}] is {bound[wrong[0]]}, which no number satisfies")
    return bound


def make_problem(
    A: Any, b: ArrayLike, lower: ArrayLike | None = None, upper: ArrayLike | None = None
) -> LinearComplementarityProblem:
    """Check the data of a linear complementarity problem and copy them.

    Args:
        A: ``(n, n)``, an array or a sparse matrix of SciPy.
        b: ``(n,)``.
        lower: ``(n,)`` or one number; 0 if not given; minus infinity for none.
        upper: ``(n,)`` or one number; infinity if not given.

    Raises:
        ArgumentTypeError: no real numbers.
        ProblemError: a shape, a number that is not finite, or a lower bound above the upper one; the message names the row.
    """
    matrix = as_square(A)
    n = matrix.shape[0]
    vector = as_vector("b", b, n)
    low, high = as_bound("lower", lower, n, 0.0), as_bound("upper", upper, n, math.inf)
    crossed = np.flatnonzero(low > high)
    if len(crossed):
        i = int(crossed[0])
        raise ProblemError(f"row {i}: lower is {low[i]:.6g}, above upper, which is {high[i]:.6g}")
    return LinearComplementarityProblem(matrix, vector, low, high)
