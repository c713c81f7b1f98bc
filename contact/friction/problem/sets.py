"""The sets that multipliers lie in: cones of contacts, intervals of rows. Projections on them, and what Coulomb's law adds.

A *contact* has a normal multiplier and up to three discs whose radii are proportional to it:

    K = { (r_n, r_1, r_2, r_3):  r_n >= 0,  |r_k| <= mu_k r_n }

with ``r_1`` the friction force (two components, or one in the plane), ``r_2`` the rolling torque (two) and ``r_3`` the
spinning torque (one). Without discs it is the half-line of contact without friction. A *row* has one multiplier in an
interval ``[lower, upper]``: an equation where it is unbounded, a limit or a motor otherwise. A half-line is such a row,
and a contact is a row with discs: there is one projection. The radius of each disc grows with the normal part on the way
from the given point, so that the nearest one solves a monotone equation that is linear between as many kinks as there are
discs.

====================  ===============================================================================================
function              what it does
====================  ===============================================================================================
``project_block``     the nearest point of one block's set
``derivative_block``  an element of the generalised Jacobian of that projection
``shift_block``       what De Saxce's correction adds to the normal velocity: sum_k mu_k |u_k|
``signorini_block``   by how much Signorini's condition is violated
====================  ===============================================================================================

Sources: A. Tasora and M. Anitescu (2011) for the cone with one disc; source document 000 (docs/sources.md) for bounds of
rows; De Saxce and Feng (1998) for the correction; Acary and Bourrier (2021) for rolling friction; the projection on several
discs is derived here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.friction.dense.cone_laws import nearest_in_cone
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel, positive
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "COMPONENTS", "DISCS", "DISCS_OF", "Sets", "derivative_block", "divided", "is_steep", "project",
    "project_block", "rows_of_part", "scale_turning", "shift", "shift_block", "signorini_block",
]  # fmt: skip

DISCS = 3  # at most, of a contact: friction, rolling, spinning
COMPONENTS = 6  # at most, of a contact
DISCS_OF = {
    1: (0, 0, 0),
    2: (1, 0, 0),
    3: (2, 0, 0),
    5: (2, 2, 0),
    6: (2, 2, 1),
}  # components, by the contact's size


class Sets(NamedTuple):
    """The sets of all multipliers of a problem, block by block, in their order.

    Attributes:
        start: the first multiplier of each block, and their number at the end, ``(n + 1,)``.
        sizes: how many components the discs of a block have, ``(n, 3)``; zeros for a row.
        friction: the coefficients of the discs, ``(n, 3)``; those of rolling and spinning are lengths in metres.
        lower: the smallest value of the first multiplier, ``(n,)``; 0 for a contact.
        upper: the largest, ``(n,)``; infinite for a contact.
    """

    start: Indices
    sizes: Indices
    friction: Array
    lower: Array
    upper: Array


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def rows_of_part(start, sizes, i, part):
    """Return the first row of a part of block i, and its number of rows: of normal and first disc, or of another disc"""
    if part == 0:
        return start[i], 1 + sizes[i, 0]
    first = start[i] + 1 + sizes[i, 0]
    return first + (sizes[i, 1] if part == 2 else 0), sizes[i, part]


@kernel
def scale_turning(K, s, friction):
    """Compute lengths of rolling and spinning, in ``friction``, of multipliers that are divided by s"""
    for i in range(len(K.start) - 1):
        for part in range(1, DISCS):
            row, count = rows_of_part(K.start, K.sizes, i, part)
            if count > 0:
                friction[i, part] = K.friction[i, part] * (s[K.start[i]] / s[row])


@kernel
def length(x, first, n):
    """|x[first : first + n]|, without overflow or underflow of the squares"""
    s = 0.0
    for k in range(first, first + n):
        s += x[k] * x[k]
    if 1e-280 < s < 1e280 or n == 0:
        return np.sqrt(s)
    top = 0.0
    for k in range(first, first + n):
        top = max(top, abs(x[k]))
    if top == 0.0:
        return 0.0
    s = 0.0
    for k in range(first, first + n):
        s += (x[k] / top) * (x[k] / top)
    return top * np.sqrt(s)


# The general cases are called, not written into every loop: that takes long to compile.


@called_kernel
def normal_part(K, i, x):
    """t >= 0 with t - x_n = sum_k mu_k max(0, |x_k| - mu_k t): Newton from the left, on a function that is concave"""
    t = 0.0
    for _ in range(DISCS + 1):
        top, slope, row = x[K.start[i]], 1.0, K.start[i] + 1
        for k in range(DISCS):
            n, mu = K.sizes[i, k], K.friction[i, k]
            if n > 0:
                size = length(x, row, n)
                if size > mu * t:
                    top += mu * size
                    slope += mu * mu
                row += n
        if not top > slope * t:
            break
        t = top / slope
    return t


@called_kernel
def project_discs(K, i, x, out):
    """Project on a cone with any discs"""
    top = K.start[i]
    t, row = normal_part(K, i, x), top + 1
    out[top] = t
    for k in range(DISCS):
        n = K.sizes[i, k]
        if n > 0:
            size, radius = length(x, row, n), K.friction[i, k] * t
            factor = radius / size if size > radius else 1.0
            for j in range(row, row + n):
                out[j] = factor * x[j]
            row += n


@called_kernel
def derivative_block(K, i, x, V, w):
    """V, an element of the generalised Jacobian of the projection at x: symmetric, 0 <= V <= 1; w is a place for 6 numbers

    Discs that hold (|x_k| > mu_k t) move with the normal part t along w = (1, mu_k e_k): V = w w' / (1 + sum mu_k^2) + what
    turns x_k about its centre, (mu_k t / |x_k|)(1 - e_k e_k'); the others move as x does.
    """
    top, size = K.start[i], K.start[i + 1] - K.start[i]
    for a in range(size):
        for b in range(size):
            V[a, b] = 0.0
    if K.sizes[i, 0] == 0:
        V[0, 0] = 1.0 if K.lower[i] < x[top] < K.upper[i] else 0.0
        return
    t, row, slope = normal_part(K, i, x), 1, 1.0
    if t <= 0.0:
        return
    w[0] = 1.0
    for a in range(1, size):
        w[a] = 0.0
    for k in range(DISCS):
        n, mu = K.sizes[i, k], K.friction[i, k]
        if n > 0:
            s = length(x, top + row, n)
            if s > mu * t:
                slope += mu * mu
                for a in range(row, row + n):
                    w[a] = mu * x[top + a] / s
                    for b in range(row, row + n):
                        same = 1.0 if a == b else 0.0
                        V[a, b] = mu * t / s * (same - (x[top + a] / s) * (x[top + b] / s))
            else:
                for a in range(row, row + n):
                    V[a, a] = 1.0
            row += n
    for a in range(size):
        for b in range(size):
            V[a, b] += w[a] * w[b] / slope


@called_kernel
def shift_discs(K, i, u):
    """sum_k mu_k |u_k|, zero for a row"""
    s, row = 0.0, K.start[i] + 1
    for k in range(DISCS):
        n = K.sizes[i, k]
        if n > 0:
            s += K.friction[i, k] * length(u, row, n)
            row += n
    return s


@kernel
def project_block(K, i, x, out):
    """Project on the set of block i; ``out`` may be ``x``"""
    top = positive(K.start[i])
    if K.start[i + 1] - top == 3:
        out[top], out[top + 1], out[top + 2] = nearest_in_cone(K.friction[i, 0], x[top], x[top + 1], x[top + 2])
        return
    if K.sizes[i, 0] == 0:
        out[top] = min(max(x[top], K.lower[i]), K.upper[i])
        return
    project_discs(K, i, x, out)


@kernel
def shift_block(K, i, u):
    """De Saxce's correction of block i, sum_k mu_k |u_k|, zero for a row; the most frequent case is written out"""
    top = positive(K.start[i])
    if K.start[i + 1] - top == 3:
        return K.friction[i, 0] * np.sqrt(u[top + 1] * u[top + 1] + u[top + 2] * u[top + 2])
    return shift_discs(K, i, u)


@kernel
def is_steep(K, i):
    """Return whether sum mu_k^2 > 1: where friction holds, De Saxce's map shows u_n divided by (1 + sum mu_k^2)^(1/2)

    Up to 1 that is sqrt(2) at most. A cone of 1e6 hides all of u_n, also where there is no force at all.
    """
    a, b, c = K.friction[i, 0], K.friction[i, 1], K.friction[i, 2]
    return a * a + b * b + c * c > 1.0


@kernel
def signorini_block(K, i, a, c, r, u):
    """|min(a r_n, c u_n)| of a contact; of one that parts with all of its force, whose normal part may be small"""
    top = positive(K.start[i])
    least = min(a * r[top], c * u[top])
    if least <= 0.0:
        return abs(least)
    return min(a * length(r, top, K.start[i + 1] - top), c * u[top])


@called_kernel
def project(K, x, out):
    """P_K(x); ``out`` may be ``x``"""
    for i in range(len(K.start) - 1):
        project_block(K, i, x, out)


def shift(K, u, out):
    """Compute what De Saxce's correction adds to the velocity: a number in the first row of each block, zero elsewhere"""
    for i in range(len(K.start) - 1):
        for k in range(K.start[i], K.start[i + 1]):
            out[k] = 0.0
        out[K.start[i]] = shift_block(K, i, u)


shift = entry_point(shift)


def divided(K: Sets, exponent: int) -> Sets:
    """Divide bounds by a power of two."""
    return K._replace(lower=np.ldexp(K.lower, -exponent), upper=np.ldexp(K.upper, -exponent))


def make_sets(sizes: ArrayLike, friction: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Sets:
    """Make the sets of blocks whose discs have these sizes, one after the other."""
    discs = np.ascontiguousarray(sizes, np.int64).reshape(-1, DISCS)
    start = np.concatenate([[0], np.cumsum(1 + discs.sum(axis=1))]).astype(np.int64)
    mu = np.ascontiguousarray(friction, np.float64).reshape(-1, DISCS)
    return Sets(start, discs, mu, np.ascontiguousarray(lower, np.float64), np.ascontiguousarray(upper, np.float64))
