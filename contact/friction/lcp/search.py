"""Common parts of the solvers of linear complementarity problems: good units, and the best point that was met.

Pivoting and Newton methods work in units in which the largest entries of the rows and columns of A are near one, and b is
near one. There the *balanced error* is measured too, the minimum map beside what is given before anything is solved,

    |h| / max(|b|, |P(0)|, | |A| |P(0)| |),        h = z - P(z - w),

so that no z and no w of a point can make it small by their size. The natural map itself adds numbers of two units. Where A
is small, a large z hides any w; along a ray, z and some of w grow, and the natural map falls although there is no solution.

Of a large z, rounding leaves more than a tolerance may ask for. So what rounding explains is not counted: a few units in the
last place of the sizes of the terms of a row. It cannot explain everything: where a w that is wrong by its rounding would be
an error above a millionth of what is given, nothing is known, and nothing is solved. That is so of an unknown of 1e9 in
these units, as a rule. A problem is solved when both errors are small, and points are compared by the larger of the two.

Source: D. Ruiz, "A scaling algorithm to equilibrate both rows and columns norms in matrices" (2001).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pluecker.contact.friction.lcp.complementarity import LinearComplementarityProblem, euclid, minimum_map, natural_map
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["Scaling", "Search"]

ROUNDS = 4  # of Ruiz scaling; each halves the spread of the rows and columns in digits
ROUNDING = 16.0 * float(
    np.finfo(float).eps
)  # of w_i, relative to the sizes of its terms, and of z_i, to the largest of z
EXCUSED = 1e-6  # largest balanced error that rounding may make
HIDDEN = 1e-3  # the same, of points that are accepted by another measure


@dataclass(frozen=True)
class Scaling:
    """Problem in other units, ``z = column z'``, ``w = row w'``, with factors that are powers of two.

    Signs and complementarity stay, so does the path of a pivoting method; the rows and columns of A' have largest entries
    near one, and b' is near one, so that tolerances have a meaning. A symmetric A stays symmetric.

    Attributes:
        problem: the scaled problem.
        row: units of w, ``(n,)``, positive.
        column: units of z, ``(n,)``, positive.
        size: of what is given: the largest of |b'|, |P(0)| and ``| |A'| |P(0)| |``.
    """

    problem: LinearComplementarityProblem
    row: Array
    column: Array
    size: float

    @classmethod
    def of(cls, problem: LinearComplementarityProblem) -> Scaling:
        """Find the scaling of a problem: Ruiz's for the matrix, one number for b."""
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
        nearest = np.ldexp(np.abs(nearest), -unit)
        first = max(euclid(inner.b), euclid(nearest), euclid(np.asarray(size @ nearest)))
        return cls(inner, np.ldexp(np.ones(n), unit - r), np.ldexp(np.ones(n), unit + c), first)

    def balanced_error(self, z: Array, w: Array) -> float:
        """Compute the minimum map beside what is given, without what rounding explains; z and w in the user's units."""
        problem, z, w = self.problem, z / self.column, w / self.row
        scale = self.size if self.size > 0.0 else 1.0
        gap = minimum_map(problem, z, w)
        error = euclid(gap) / scale
        if not error <= EXCUSED:
            return error
        known = self.rounding(z)
        worst = euclid(self.worst(z, w, known)) / scale
        if not worst <= EXCUSED:
            return worst
        known = np.where(gap == w, known, ROUNDING * np.abs(z).max(initial=0.0))
        return euclid(np.maximum(np.abs(gap) - known, 0.0)) / scale

    def hidden(self, z: Array, w: Array) -> float:
        """Return by how much rounding of w may raise the balanced error; z and w in the user's units."""
        z, w = z / self.column, w / self.row
        more = self.worst(z, w, self.rounding(z)) - np.abs(minimum_map(self.problem, z, w))
        return euclid(more) / (self.size if self.size > 0.0 else 1.0)

    def rounding(self, z: Array) -> Array:
        """Estimate the rounding of w, in scaled units"""
        return ROUNDING * (np.asarray(abs(self.problem.A) @ np.abs(z)) + np.abs(self.problem.b))

    def worst(self, z: Array, w: Array, known: Array) -> Array:
        """Compute sizes of the minimum map with w wrong by its rounding, up or down, whichever is larger"""
        return np.maximum(*(np.abs(minimum_map(self.problem, z, w + side)) for side in (-known, known)))


def largest(size: Any, axis: int) -> Array:
    """Return the largest entry of each row (axis 1) or column (axis 0) of a matrix without negative entries."""
    found = size.max(axis=axis)
    return np.asarray(found.toarray() if scipy.sparse.issparse(found) else found).ravel()


def scaled(A: Any, row: Indices, column: Indices) -> Any:
    """Multiply row i of a matrix by 2^row_i, and column j by 2^column_j"""
    if not scipy.sparse.issparse(A):
        return np.ldexp(A, row[:, None] + column[None, :])
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    data = np.ldexp(A.data, row[rows] + column[A.indices])
    return scipy.sparse.csr_matrix((data, A.indices, A.indptr), shape=A.shape)


class Search:
    """State that all solvers share: the best point so far, the goal, the count and the history.

    Attributes:
        problem: what is solved, in the user's units.
        scaling: the same in good units, in which Newton and pivoting methods work.
        tol: the natural map that is asked for.
        limit: the largest number of iterations.
        start: where to begin, within the bounds.
        accept: whether a point is good enough, in place of the errors of this file, where another measure decides; not
            asked about points whose w is lost in rounding.
        z, w: the best point and its slack.
        error: its natural map.
        score: the larger of its natural map and its balanced error, by which points are compared.
        iterations: how many were made.
        history: the natural map of each iterate, or what the method puts there.
    """

    def __init__(
        self,
        problem: LinearComplementarityProblem,
        start: Array | None,
        tol: float,
        limit: int,
        accept: Callable[[Array], bool] | None = None,
    ) -> None:
        self.problem, self.tol, self.limit, self.accept, self.accepted = problem, tol, limit, accept, False
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
        """Keep the point if it is the best so far; return its natural map."""
        w = self.problem.slack(z)
        error = natural_map(self.problem, z, w)
        score = max(error, self.scaling.balanced_error(z, w)) if error < math.inf else error
        if not self.accepted and error < math.inf and self.is_accepted(z, w):
            self.accepted, score = True, -1.0  # no other is better
        if score < self.score:
            self.z, self.w, self.error, self.score = z.copy(), w, error, score
        return error

    def is_accepted(self, z: Array, w: Array) -> bool:
        """Return whether another measure decides, w is not lost in rounding, and the measure finds the point good enough"""
        return self.accept is not None and self.scaling.hidden(z, w) <= HIDDEN and self.accept(z)

    def visit_scaled(self, z: Array) -> float:
        """Visit the projection of a point in the units of the scaled problem; return its natural map, see :meth:`visit`."""
        return self.visit(self.problem.project(z * self.scaling.column))

    @property
    def converged(self) -> bool:
        """True if both errors are small enough, or, where another measure decides, if it accepted the point."""
        return self.accepted if self.accept is not None else self.score <= self.tol

    @property
    def what(self) -> str:
        """Quality of the best point, in words, for messages."""
        if self.error > self.tol or self.converged:
            return f"the best natural map is {self.error:.3g}"
        return f"the best natural map is {self.error:.3g}, but beside what is given the error is {self.score:.3g}"
