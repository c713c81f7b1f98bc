"""What the solvers of linear complementarity problems share: good units, and the best point that was met.

Pivoting and Newton methods work in units in which the largest entries of the rows and columns of A are near one, and b is
near one. There the *balanced error* is measured too, which is the natural map in two parts, each beside numbers of its kind:

==========================  ===========================================================================
where                       error
==========================  ===========================================================================
w_i should be zero          ``|w_i| / max(|b|, |w|, | |A| |P(0)| |)``, lengths of vectors
z_i should be at a bound    ``|distance| / max(|b|, |z|)``
==========================  ===========================================================================

The natural map itself adds numbers of two units. Where A is small, a large z hides any w; along a ray, z grows and the
natural map falls although there is no solution. The balanced error does not. A problem is solved when both are small, and
points are compared by the larger of the two.

Source: D. Ruiz, "A scaling algorithm to equilibrate both rows and columns norms in matrices" (2001).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from pluecker.contact.blocks import Indices
from pluecker.contact.complementarity import LinearComplementarityProblem, euclid, minimum_map, natural_map
from pluecker.spatial.elementwise import Array

__all__ = ["Scaling", "Search"]

ROUNDS = 4  # of Ruiz scaling; each halves the spread of the rows and columns in digits


@dataclass(frozen=True)
class Scaling:
    """The same problem with other units: ``z = column z'``, ``w = row w'``, factors that are powers of two.

    Signs and complementarity stay, so does the path of a pivoting method; the rows and columns of A' have largest entries
    near one, and b' is near one, so that tolerances have a meaning. A symmetric A stays symmetric.

    Attributes:
        problem: the scaled problem.
        row: units of w, ``(n,)``, positive.
        column: units of z, ``(n,)``, positive.
        size: of w' before anything is solved: the larger of |b'| and ``| |A'| |P(0)| |``.
    """

    problem: LinearComplementarityProblem
    row: Array
    column: Array
    size: float

    @classmethod
    def of(cls, problem: LinearComplementarityProblem) -> Scaling:
        """The scaling of a problem: Ruiz's for the matrix, one number for b."""
        size = abs(problem.A)
        n = problem.size
        r, c = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)  # exponents
        for _ in range(ROUNDS if n else 0):
            by_row, by_column = largest(size, 1), largest(size, 0)
            dr, dc = (-np.rint(0.5 * np.log2(np.where(m > 0.0, m, 1.0))).astype(np.int64) for m in (by_row, by_column))
            size = scaled(size, dr, dc)
            r, c = r + dr, c + dc
        A, b = scaled(problem.A, r, c), np.ldexp(problem.b, r)
        nearest = np.ldexp(problem.project(np.zeros(n)), -c)
        top = max(float(np.abs(b).max(initial=0.0)), float(np.abs(nearest).max(initial=0.0)))
        unit = math.frexp(top)[1] if 0.0 < top < math.inf else 0
        lower, upper = np.ldexp(problem.lower, -c - unit), np.ldexp(problem.upper, -c - unit)
        inner = LinearComplementarityProblem(A, np.ldexp(b, -unit), lower, upper)
        first = max(euclid(inner.b), euclid(np.asarray(size @ np.ldexp(np.abs(nearest), -unit))))
        return cls(inner, np.ldexp(np.ones(n), unit - r), np.ldexp(np.ones(n), unit + c), first)

    def balanced_error(self, z: Array, w: Array) -> float:
        """The larger of the two parts of the natural map, each in its own units; z and w in those of the user."""
        problem, z, w = self.problem, z / self.column, w / self.row
        error = minimum_map(problem, z, w)
        inside = error == w
        parts = (
            (euclid(error[inside]), max(self.size, euclid(w))),
            (euclid(error[~inside]), max(euclid(problem.b), euclid(z))),
        )
        return max(part / scale if scale > 0.0 else part for part, scale in parts)


def largest(size: Any, axis: int) -> Array:
    """The largest entry of each row (axis 1) or column (axis 0) of a matrix without negative entries."""
    found = size.max(axis=axis)
    return np.asarray(found.toarray() if scipy.sparse.issparse(found) else found).ravel()


def scaled(A: Any, row: Indices, column: Indices) -> Any:
    """The matrix with row i times 2^row_i, column j times 2^column_j"""
    if not scipy.sparse.issparse(A):
        return np.ldexp(A, row[:, None] + column[None, :])
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    data = np.ldexp(A.data, row[rows] + column[A.indices])
    return scipy.sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)


class Search:
    """What all solvers share: the best point so far, the goal, the count and the history.

    Attributes:
        problem: what is solved, in the user's units.
        scaling: the same in good units, in which Newton and pivoting methods work.
        tol: the natural map that is asked for.
        limit: the largest number of iterations.
        start: where to begin, within the bounds.
        z, w: the best point and its slack.
        error: its natural map.
        score: the larger of its natural map and its balanced error, by which points are compared.
        iterations: how many were made.
        history: the natural map of each iterate, or what the method puts there.
    """

    def __init__(self, problem: LinearComplementarityProblem, start: Array | None, tol: float, limit: int) -> None:
        self.problem, self.tol, self.limit = problem, tol, limit
        self.scaling = Scaling.of(problem)
        self.iterations = 0
        self.history: list[float] = []
        self.start = problem.project(np.zeros(problem.size) if start is None else start)
        self.z, self.w = self.start, np.zeros(problem.size)
        self.error = self.score = math.inf
        self.visit(self.start)
        if self.score == math.inf:  # A z overflows
            self.w, self.error = np.nan_to_num(problem.slack(self.z)), np.finfo(float).max

    def visit(self, z: Array) -> float:
        """Keep the point if it is the best so far; its natural map."""
        w = self.problem.slack(z)
        error = natural_map(self.problem, z, w)
        score = max(error, self.scaling.balanced_error(z, w)) if error < math.inf else error
        if score < self.score:
            self.z, self.w, self.error, self.score = z.copy(), w, error, score
        return error

    def visit_scaled(self, z: Array) -> float:
        """The same with a point in the units of the scaled problem, and its projection."""
        return self.visit(self.problem.project(z * self.scaling.column))

    @property
    def converged(self) -> bool:
        return self.score <= self.tol
