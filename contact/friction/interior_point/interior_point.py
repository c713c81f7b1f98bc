"""An interior-point method for the convex problem of friction: few, dear iterations, and all digits that there are.

    minimise   1/2 r' N r + b' r,      r in K,        N symmetric, positive semidefinite, sparse

K is written with cones whose components ``s`` are linear in the multipliers, s = G x - h in C. With z in C for these,

    N x + b = G' z,        s o z = 0.

The iterates follow the path s o z = m to m = 0 (:mod:`~pluecker.contact.friction.interior_point.second_order` says what the
product is): a Newton step is predicted with m = 0, its success says how far m may fall, and a second one aims there,
corrected for the curvature that the first revealed. Both use one factorisation of a matrix with the blocks of N
(:mod:`~pluecker.contact.friction.interior_point.cone_system`, :mod:`~pluecker.contact.friction.sparse.cholesky`). An
interior point is always known: 1 for each normal multiplier, 0 for its discs.

Multipliers are scaled, so that the mean diagonal entry of each block of N is one
(:mod:`~pluecker.contact.friction.problem.prepared`), and measured in units in which b is one at most.

Contacts that neither stick nor slide nor open for certain have both s and z near zero, of the size sqrt(m): the method
needs m near 1e-20 for a natural map of 1e-10, which is why s and z are never computed as differences.

Sources: S. Mehrotra (SIAM J. Optim. 2, 1992); L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers"
(2010); M. Anitescu and A. Tasora, "An iterative approach for cone complementarity problems for nonsmooth dynamics" (2010),
for the convex problem.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.interior_point.cone_system import (
    Scaling,
    Step,
    added_blocks,
    newton_step,
    turn,
    turn_back,
    turn_vector,
    turned_matrix,
)
from pluecker.contact.friction.interior_point.cones import in_units_of_offset, list_cones
from pluecker.contact.friction.interior_point.second_order import BOUNDS, HALF, ROUND, rescale
from pluecker.contact.friction.problem.natural_map import larger, natural_map
from pluecker.contact.friction.problem.sets import COMPONENTS, DISCS, Sets, project_block
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices, multiply_row
from pluecker.contact.friction.sparse.cholesky import Symbolic, factor_in
from pluecker.spatial.dense.laws import copy_vector
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.functions.elementwise import Array

__all__ = ["interior_point"]

TINY = 1e-15  # a pivot that is left out, as a part of its diagonal entry
PATIENCE = 8  # iterations without progress
RUNAWAY_MULTIPLIER = 1e3  # multipliers, in units in which they are about one, whose points are no progress
POOR = 0.1  # a step too short to go on with, of large bounds: one towards the path, without correction, takes its place
CENTRAL = 0.5  # where on the path that leads


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def start_point(C, K, x, v, direction, l):
    """Find a point in the interior with s o z = 1 for all cones"""
    for i in range(len(K.start) - 1):
        top = K.start[i]
        for k in range(top, K.start[i + 1]):
            x[k] = 0.0
        width = min(1.0, 0.5 * (K.upper[i] - K.lower[i]))
        x[top] = 1.0 if K.sizes[i, 0] > 0 else min(max(0.0, K.lower[i] + width), K.upper[i] - width)
        for c in range(C.first[i], C.first[i + 1]):
            direction[c, 0] = 1.0
            if C.kind[c] == BOUNDS:
                v[c, 0] = 1.0 / (x[top] - K.lower[i]) if C.has[c, 0] > 0.0 else 0.0
                v[c, 1] = 1.0 / (K.upper[i] - x[top]) if C.has[c, 1] > 0.0 else 0.0
                l[c, 0], l[c, 1] = C.has[c, 0], C.has[c, 1]
            else:
                s = C.friction[c] * x[top]
                v[c, 0], v[c, 1], v[c, 2] = 1.0 / s, 1.0 / s, C.has[c, 2] / s
                l[c, 0], l[c, 1] = HALF, HALF


@kernel
def gap_after(l, step, ds, dz):
    """Return s . z after a step"""
    total = 0.0
    for i in range(len(l)):
        for k in range(3):
            total += (l[i, k] + step * ds[i, k]) * (l[i, k] + step * dz[i, k])
    return total


@kernel
def leaves(K, x, g, c):
    """Return how far x is on a ray on which the objective seems to fall for ever, 0 if on none

    That is so where K is not bounded, N x is nothing beside b, and b . x < 0: at a solution in cones x . N x = -b . x.
    """
    far, bounded, quadratic, linear = 0.0, 0.0, 0.0, 0.0
    for i in range(len(K.start) - 1):
        top = K.start[i]
        for k in range(top, K.start[i + 1]):
            far = max(far, abs(x[k]))
            quadratic += x[k] * (g[k] - c[k])
            linear += x[k] * c[k]
        if (x[top] > 0.0 and K.upper[i] < np.inf) or (x[top] < 0.0 and K.lower[i] > -np.inf):
            bounded = max(bounded, abs(x[top]))
    return far if linear < 0.0 and quadratic < -0.1 * linear and bounded < 1e-3 * far else 0.0


@kernel
def relative_error(K, s, c, zero, x, g, work):
    """Return the error of x and g = N x + c, and the natural map alone, which shows progress also far from the solution"""
    map_alone, lack, held, speed = natural_map(K, s, c, zero, x, g, 0, 0, len(K.start) - 1, work)
    return larger(map_alone, lack, held, speed), map_alone


@kernel
def forget(ds, dz):
    """Clear the predicted step"""
    for c in range(len(ds)):
        for k in range(3):
            ds[c, k], dz[c, k] = 0.0, 0.0


@called_kernel
def velocity(N, K, x, c, g):
    """g = N x + c"""
    for i in range(len(K.start) - 1):
        multiply_row(N, i, x, g)
    for k in range(len(c)):
        g[k] += c[k]


# ---------------------------------------------------------------------------------------------------------------- method


class Memory(NamedTuple):
    """Workspace of the method, and the multipliers that it leaves.

    Attributes:
        best: the best multipliers, scaled, ``(m,)``.
        s: the scale of each multiplier, ``(m,)``.
        x, g, h, y: multipliers, their velocities, those turned, a step, ``(m,)``.
        turned, D, L: the numbers of Q' N Q, of what is added to it, and of the factor.
        floor, where: of the factorisation, ``(m,)`` and ``(n,)``.
        Q: the turn of each block, ``(n, widest, widest)``.
        work: ``(m,)``.
        zero: ``(n,)``.
        corner, axis, done: small ones, ``(COMPONENTS, COMPONENTS)``, ``(COMPONENTS,)``, ``(DISCS, 3)``.
    """

    best: Array
    s: Array
    x: Array
    g: Array
    h: Array
    y: Array
    turned: Array
    D: Array
    L: Array
    floor: Array
    where: Indices
    Q: Array
    work: Array
    zero: Array
    corner: Array
    axis: Array
    done: Array


def interior_point(
    N: BlockMatrix, b: Array, K: Sets, s: Array, start: Array, tolerance: float, limit: int, S: Symbolic
) -> tuple[int, Array]:
    """Compute the multipliers of the convex problem, by a primal-dual interior-point method.

    Args:
        N: :class:`~pluecker.contact.friction.sparse.blocks.BlockMatrix`, symmetric, positive semidefinite, with a symmetric
            pattern, over the blocks of K, scaled, the compliance included.
        b: the velocities without multipliers, scaled, ``(m,)``.
        K: :class:`~pluecker.contact.friction.problem.sets.Sets`, scaled.
        s: the scale of each multiplier, ``(m,)``, for the error in velocity.
        start: scaled multipliers that may be a solution already, ``(m,)``. The method starts from a point of its own.
        tolerance: of the error as in :mod:`~pluecker.contact.friction.problem.natural_map`; 0 asks for all digits.
        limit: of iterations; 100 is plenty.
        S: the pattern of N's factor, as :func:`~pluecker.contact.friction.sparse.symbolic.analyse` finds it.

    Returns:
        The number of iterations, and the best multipliers that were met, scaled, in K, ``(m,)``, finite if all that is
        passed is. It ends at the tolerance or the limit, where nothing gets better, and where the objective has no minimum.
    """
    c, inner, unit = in_units_of_offset(b, K)
    C = list_cones(inner)
    m, n, cones = len(b), len(K.start) - 1, len(C.kind)
    widest = int(np.diff(K.start).max(initial=1))
    x = start / unit if unit > 0.0 else np.zeros(m)
    v, direction, l, ds, dz, f = (np.zeros((cones, size)) for size in (3, 2, 3, 3, 3, 3))
    memory = Memory(
        np.empty(m), s, x, np.empty(m), np.empty(m), np.empty(m), np.zeros(len(N.data)), np.empty(S.square[-1]),
        np.empty(S.numbers[0]), np.empty(m), np.empty(n, np.int64), np.zeros((n, widest, widest)), np.empty(m),
        np.zeros(n), np.empty((COMPONENTS, COMPONENTS)), np.empty(COMPONENTS), np.empty((DISCS, 3)),
    )  # fmt: skip
    degree = float(np.where(C.kind == ROUND, 1.0, C.has[:, 0] + C.has[:, 1]).sum())
    scaling, change = Scaling(v, direction, l, np.zeros((cones, 3, widest))), Step(memory.y, ds, dz, f)
    goal = float(tolerance) if unit > 0.0 else np.inf
    count = answering(follow_path, N, c, inner, C, S, degree, scaling, change, memory, goal, int(limit))
    return int(count), unit * memory.best


def follow_path(N, c, inner, C, S, degree, scaling, change, memory, tolerance, limit):
    """Run the method in scaled units, from the point in ``memory.x``; return how many iterations it took

    With an infinite tolerance that point, projected, is the solution.
    """
    v, direction, l, G, ds, dz = scaling.v, scaling.direction, scaling.l, scaling.G, change.ds, change.dz
    best, s, x, g, h, Q = memory.best, memory.s, memory.x, memory.g, memory.h, memory.Q
    zero, work, turned, D, L = memory.zero, memory.work, memory.turned, memory.D, memory.L
    for i in range(len(inner.start) - 1):
        project_block(inner, i, x, x)
    velocity(N, inner, x, c, g)
    copy_vector(len(x), x, best)
    error, _ = relative_error(inner, s, c, zero, x, g, work)
    if error <= tolerance or tolerance == np.inf:
        return 0
    start_point(C, inner, x, v, direction, l)
    count, waiting, least, least_map = 0, 0, np.inf, np.inf
    while not interrupted():
        velocity(N, inner, x, c, g)
        now, map_alone = relative_error(inner, s, c, zero, x, g, work)
        far = leaves(inner, x, g, c)
        waiting += 1
        # Its own progress: the start may be better than its first points.
        if (now < 0.9 * least or map_alone < 0.9 * least_map) and far < RUNAWAY_MULTIPLIER:
            least, least_map, waiting = min(least, now), min(least_map, map_alone), 0
        if now < error and far < RUNAWAY_MULTIPLIER:
            error = now
            copy_vector(len(x), x, best)
        if error <= tolerance or waiting > PATIENCE or not np.isfinite(now) or count >= limit:
            break
        turn(C, inner, v, direction, G, Q, memory.axis, memory.done)
        turned_matrix(C, inner, Q, S.target, N, turned, memory.corner)
        added_blocks(C, inner, v, G, S.square, D)
        factor_in(S, N, turned, D, TINY, L, memory.floor, memory.where)
        turn_vector(C, inner, Q, g, h)
        gap = gap_after(l, 0.0, ds, dz)
        step = min(1.0, newton_step(C, inner, S, L, scaling, h, -1.0, change))
        ratio = max(0.0, min(1.0, gap_after(l, step, ds, dz) / gap)) if gap > 0.0 else 0.0
        target = ratio**3 * gap / max(degree, 1.0)
        step = newton_step(C, inner, S, L, scaling, h, target, change)
        if step < POOR:
            forget(ds, dz)
            target = CENTRAL * gap / max(degree, 1.0)
            step = newton_step(C, inner, S, L, scaling, h, target, change)
        step = min(1.0, (1.0 - max(1e-8, min(0.01, 0.1 * ratio))) * step)
        moved = rescale(C.kind, C.has, step, ds, dz, v, direction, l)
        while not moved and step > 1e-9:
            step *= 0.5
            moved = rescale(C.kind, C.has, step, ds, dz, v, direction, l)
        turn_back(inner, Q, step, change.y, x)
        if not moved:
            break
        count += 1
    return count


follow_path = entry_point(follow_path)
