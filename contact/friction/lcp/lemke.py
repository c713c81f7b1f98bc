"""Lemke's method of complementary pivoting for the standard problem ``0 <= z _|_ w = A z + b >= 0``.

The problem is widened by an artificial variable z0 with a positive covering vector d,

    w = A z + b + d z0.

For large z0, z = 0 solves it. From there the method follows a path of solutions of the widened problem, from one vertex to
the next: the variable that enters the basis is the complement of the one that left. It ends where z0 becomes zero, with a
solution, or on a ray that never ends. Ties are broken by the lexicographic rule, as if b was perturbed by (e, e^2, ...) with
a tiny e, so that no basis comes back. Of rows in a tie only those with the larger pivots are considered, for accuracy, until
more than n pivots in a row did not move; from there on all are, so that the rule is strict.

The tableau is kept in the form of exchange steps, ``x_B + T x_N = t``, with n + 1 columns for the variables outside the
basis and one for t. A number is zero if it is below a tolerance that is relative to its column, in units in which A and b
are near one; the units are powers of two and change nothing else. Rounding errors grow with the pivots, so the tableau is
made anew from the basis after every so many, and before a ray is believed. The answer is computed from the last basis by LU
factors with a step of refinement: it owes nothing to the tableau.

===============  =====================================================================================================
status           what it means
===============  =====================================================================================================
converged        z solves the problem
infeasible       no z >= 0 has ``A z + b >= 0``. Proved by y >= 0 with ``A' y <= 0``, ``b . y < 0`` (Farkas), taken from the
                 ray and checked. If A is copositive-plus, positive semidefinite in particular, every ray gives such a y
ray              it ended on a ray which proves nothing: the problem may have solutions, which this path does not reach. In
                 problems that are very ill-conditioned, rounding can make such a ray
iteration limit  the pivots that were allowed are used up; paths of 2^n pivots exist (K. G. Murty)
stalled          the last basis does not solve the problem as accurately as was asked for
===============  =====================================================================================================

Sources: C. E. Lemke, "Bimatrix equilibrium points and mathematical programming" (1965); R. W. Cottle, J.-S. Pang, R. E.
Stone, "The linear complementarity problem" (1992), sections 4.4 and 4.9; K. G. Murty, "Linear complementarity, linear and
nonlinear programming" (1988), chapter 6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.lcp.linear_solve import factorize
from pluecker.contact.friction.problem.checks import as_vector
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.engine.compiled.decorators import entry_point, kernel
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Pivoting", "as_covering", "complementary_pivoting", "pivot_limit"]

RUNNING, SOLVED, RAY = 0, 1, 2
PIVOT = 1e-10  # an entry below, relative to the largest of its column, is zero
TIE = 1e-14  # ratios that differ by less, relative to the largest value of the basis, are equal
SMALL_PIVOT = 1e-2  # of rows in a tie, those whose entry is below, relative to the largest of these, wait
FARKAS = 1e10  # sum of z, in good units, up to which y proves that there is none, in spite of the rounding of A' y


class Pivoting(NamedTuple):
    """Outcome of a path.

    Attributes:
        status: ``solved``, ``ray``, ``limit`` or ``overflow``.
        z: ``(n,)``, the point where it ended, as the tableau has it.
        basic: ``(n,)``, bool: which z_i are in the last basis.
        pivots: how many exchanges were made.
        certificate: ``(n,)``, y of Farkas' lemma, which proves that nothing is feasible, or None.
        history: z0 after each pivot, in units of the first.
    """

    status: str
    z: Array
    basic: NDArray[np.bool_]
    pivots: int
    certificate: Array | None
    history: Array


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def exchange(T, r, s):
    """Exchange variables: that of row r leaves the basis, that of column s enters it"""
    n, m = T.shape
    p = 1.0 / T[r, s]
    for j in range(m):
        T[r, j] *= p
    T[r, s] = p
    for i in range(n):
        f = T[i, s]
        if i != r and f != 0.0:
            for j in range(m):
                T[i, j] -= f * T[r, j]
            T[i, s] = -f * p


@kernel
def inverse_entry(T, place, i, k):
    """Return entry (i, k) of the inverse of the basis: the coefficient of w_k in row i"""
    n = len(T)
    where = place[k]
    if where >= n:
        return T[i, where - n]
    return 1.0 if where == i else 0.0


@kernel
def leaving_row(T, variable, place, s, small, tied):
    """Find the row of the lexicographically smallest ratio in column s, z0 first in a tie; -1 if nothing bounds it"""
    n = len(T)
    t = n + 1
    top, size = 0.0, 0.0
    for i in range(n):
        top, size = max(top, abs(T[i, s])), max(size, abs(T[i, t]))
    smallest = np.inf
    for i in range(n):
        if T[i, s] > PIVOT * top:
            smallest = min(smallest, max(T[i, t], 0.0) / T[i, s])
    if smallest == np.inf:
        return -1
    count = 0
    for i in range(n):
        if T[i, s] > PIVOT * top and max(T[i, t], 0.0) - smallest * T[i, s] <= TIE * size:
            tied[count] = i
            count += 1
            if variable[i] == 2 * n:
                return i
    top = 0.0
    for c in range(count):
        top = max(top, T[tied[c], s])
    kept = 0
    for c in range(count):
        if T[tied[c], s] >= small * top:
            tied[kept] = tied[c]
            kept += 1
    count, k = kept, 0
    while count > 1 and k < n:
        smallest, size = np.inf, 0.0
        for c in range(count):
            size = max(size, abs(inverse_entry(T, place, tied[c], k) / T[tied[c], s]))
            smallest = min(smallest, inverse_entry(T, place, tied[c], k) / T[tied[c], s])
        kept = 0
        for c in range(count):
            if inverse_entry(T, place, tied[c], k) / T[tied[c], s] - smallest <= TIE * size:
                tied[kept] = tied[c]
                kept += 1
        count = kept
        k += 1
    return tied[0]


def follow_path(T, variable, place, entering, still, most, history):
    """Pivot until z0 leaves, a ray is met, or as often as allowed

    ``variable`` names those of the rows, then those of the columns: w_i is i, z_i is n + i, z0 is 2 n. ``place`` is its
    inverse; ``still`` counts the pivots in a row that did not move. The outcome, the number of pivots, the variable that
    would enter next and ``still`` are returned.
    """
    n = len(T)
    tied = np.empty(n, dtype=np.int64)
    artificial = 2 * n
    for count in range(most):
        if interrupted():
            return RUNNING, count, entering, still
        s = place[entering] - n
        r = leaving_row(T, variable, place, s, SMALL_PIVOT if still <= n else 0.0, tied)
        if r < 0:
            return RAY, count, entering, still
        size = 0.0
        for i in range(n):
            size = max(size, abs(T[i, n + 1]))
        still = still + 1 if T[r, n + 1] <= TIE * size else 0
        exchange(T, r, s)
        for i in range(n):
            if -TIE * size <= T[i, n + 1] < 0.0:
                T[i, n + 1] = 0.0
        left = variable[r]
        variable[r], variable[n + s] = entering, left
        place[entering], place[left] = r, n + s
        where = place[artificial]
        history[count] = T[where, n + 1] if where < n else 0.0
        if left == artificial:
            return SOLVED, count + 1, left, still
        entering = left + n if left < n else left - n
    return RUNNING, most, entering, still


follow_path = entry_point(follow_path, allocates=True)


# ---------------------------------------------------------------------------------------------------------------- method


def pivot_limit(n: int) -> int:
    """Return how many pivots are allowed unless said otherwise; most problems take about n."""
    return 1000 + 50 * n


def as_covering(covering: ArrayLike | None, n: int) -> Array:
    """Return the covering vector, ones if not given.

    Raises:
        ProblemError: it is not a vector of n positive numbers.
    """
    d = np.ones(n) if covering is None else as_vector("covering", covering, n)
    if not (d > 0.0).all():
        i = int(np.argmin(d > 0.0))
        raise ProblemError(f"covering[{i}] is {d[i]:.6g}, expected a positive number")
    return d


def first_tableau(A: Array, b: Array, d: Array, r: int) -> Array:
    """Return the tableau of the basis w, after the exchange of w_r and z0"""
    T = np.ascontiguousarray(np.column_stack([-A, -d, b]))
    factor = T[:, len(b)] / T[r, len(b)]
    row = T[r].copy()
    row[len(b)], T[:, len(b)] = 1.0, 0.0
    T -= factor[:, None] * row
    T[r] = -row / d[r]
    return T


def fresh_tableau(A: Array, b: Array, d: Array, variable: Indices) -> Array | None:
    """``B^-1 [N, b]`` with the columns of ``[1, -A, -d]`` in the basis and the others; None if B is singular"""
    n = len(b)
    columns = np.hstack([np.eye(n), -A, -d[:, None]])
    solve = factorize(columns[:, variable[:n]])
    if solve is None:
        return None
    T = solve(np.hstack([columns[:, variable[n:]], b[:, None]]))
    return np.ascontiguousarray(T) if np.isfinite(T).all() else None


def complementary_pivoting(A: Array, b: Array, covering: Array, most: int) -> Pivoting:
    """Follow the path from ``z = 0`` to a solution or along a ray.

    Args:
        A: ``(n, n)``, dense, in units in which its rows and columns have largest entries near one.
        b: ``(n,)``, near one.
        covering: ``(n,)``, positive.
        most: pivots that are allowed. Each costs n^2 products.

    Returns:
        How it ended; ``solved`` says that z0 is zero, not how accurate z is.

    Source: see the head of the file.
    """
    n = len(b)
    nothing = np.zeros(n), np.zeros(n, dtype=np.bool_)
    if (b >= 0.0).all():
        return Pivoting("solved", *nothing, 0, None, np.zeros(0))
    if most == 0:
        return Pivoting("limit", *nothing, 0, None, np.zeros(0))
    # The first exchange: z0 enters, and leaves no w negative. Of equal ratios, the last row is the smallest one.
    ratio = b / covering
    r = n - 1 - int(np.argmin(ratio[::-1]))
    variable = np.arange(2 * n + 1)
    variable[r], variable[2 * n] = 2 * n, r
    place = np.argsort(variable)
    entering, pivots, still, outcome = n + r, 1, 0, RUNNING
    z0 = [np.array([-ratio[r]])]
    T = first_tableau(A, b, covering, r)
    if not np.isfinite(T).all():
        return Pivoting("overflow", *nothing, 0, None, np.zeros(0))
    while outcome == RUNNING and pivots < most:
        history = np.zeros(min(most - pivots, n))  # as many pivots take as long as a new tableau
        outcome, count, entering, still = follow_path(T, variable, place, entering, still, len(history), history)
        pivots += count
        z0.append(history[:count])
        if outcome == SOLVED or (outcome == RAY and count == 0):
            break
        renewed = fresh_tableau(A, b, covering, variable)
        if renewed is None:  # the old one is as good as it gets
            if outcome == RAY:
                break
            continue
        T, outcome = renewed, RUNNING
    x = np.zeros(2 * n + 1)
    x[variable[:n]] = T[:, n + 1]
    basic = place[n : 2 * n] < n
    path = np.concatenate(z0) / -ratio[r]
    if outcome == RAY:
        direction = np.zeros(2 * n + 1)
        direction[variable[:n]] = -T[:, place[entering] - n]
        direction[entering] = 1.0
        return Pivoting("ray", x[n : 2 * n], basic, pivots, farkas(A, b, direction[n : 2 * n]), path)
    return Pivoting("solved" if outcome == SOLVED else "limit", x[n : 2 * n], basic, pivots, None, path)


def farkas(A: Array, b: Array, y: Array) -> Array | None:
    """Return y >= 0 with ``A' y <= 0`` and ``b . y < 0``, if y is that but for rounding: then no z >= 0 has ``A z + b >= 0``

    From ``y . (A z + b) >= 0`` follows ``max(A' y) sum(z) >= -b . y``: any z would have to be larger than ``FARKAS``.
    """
    y = np.maximum(y, 0.0)
    gain = float(-b @ y)
    rounding = len(b) * float(np.finfo(float).eps) * float(np.abs(b) @ y)
    return y if gain > 10.0 * rounding and float((A.T @ y).max()) * FARKAS <= gain else None
