"""The linear system of the interior-point method for friction: the Newton step in the scaling of the cones.

The multipliers x of each block are turned, ``x = Q y`` with orthogonal Q, so that the *components* of its cones
(:mod:`~pluecker.contact.friction.interior_point.second_order`) become ``G y`` with a triangular G: the component with the
largest number in the diagonal matrix ``v = W^-1`` depends on the first y only, the next one on the first two, and so on.
Then

    (Q' N Q + G' v^2 G) dy = -Q' (N x + b) + G' v f,      ds = v G dy,   dz = f - l - ds,    l o f = target e - ds o dz,

has large numbers in its first rows only, ``ds`` is computed without cancellation, and rounding of what is large does not
reach what is small: at the end v^2 ranges over more digits than a number has. (``ds``, ``dz`` are the steps in the
scaling, those on the right the predicted ones.) For a contact with one disc the turn is known: the normal of the facet
near to the multiplier, the ray in that facet, and the direction across. Others need a Gram-Schmidt process.

Source: L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010), section 5; the turns are derived
here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.interior_point.second_order import BOUNDS, HALF, ROUND, divide, jordan, largest_ratio
from pluecker.contact.friction.problem.sets import DISCS
from pluecker.contact.friction.sparse.cholesky import solve
from pluecker.contact.friction.sparse.rounding import LOST
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel, positive
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Scaling", "Step", "added_blocks", "newton_step", "turn", "turn_back", "turn_vector", "turned_matrix"]

DAMPING = 1e-14  # added to a diagonal whose entries are about one: for directions without resistance


class Scaling(NamedTuple):
    """Scaling in which s and z of the iterate are the same, cone by cone.

    Attributes:
        v: the diagonal of W^-1, ``(c, 3)``.
        direction: of the disc's multipliers, ``(c, 2)``.
        l: s and z in the scaling, ``(c, 3)``.
        G: the components' coefficients in the turned multipliers, ``(c, 3, widest)``.
    """

    v: Array
    direction: Array
    l: Array
    G: Array


class Step(NamedTuple):
    """Newton step: the changes of multipliers, s and z.

    Attributes:
        y: the turned multipliers, ``(m,)``.
        ds, dz: the steps of s and z in the scaling, ``(c, 3)``.
        f: as in the head of this file, ``(c, 3)``.
    """

    y: Array
    ds: Array
    dz: Array
    f: Array


@kernel
def turn_simple(kind, mu, v, direction, G, Q):
    """Find axes of a contact with one disc: the normal (mu, -d) of the near facet, the ray (1, mu d) in it, and across"""
    near, far = (1, 0) if v[1] >= v[0] else (0, 1)
    x, y = (direction[0], direction[1]) if near == 1 else (-direction[0], -direction[1])
    h = np.sqrt(1.0 + mu * mu)
    G[near, 0], G[near, 1] = HALF * h, 0.0
    G[far, 0], G[far, 1] = HALF * (mu * mu - 1.0) / h, 2.0 * HALF * mu / h
    Q[0, 0], Q[0, 1] = mu / h, 1.0 / h
    Q[1, 0], Q[1, 1] = -x / h, mu * x / h
    if kind == ROUND:
        G[2, 2] = 1.0
        Q[2, 0], Q[2, 1] = -y / h, mu * y / h
        Q[1, 2], Q[2, 2] = -y, x


@kernel
def axis(row, kind, mu, direction, k, second, g):
    """Compute the coefficients of component k in the multipliers of the block, or (1, 0, ...) for the second of the pair

    a + c = sqrt2 mu x_n: with a small mu the two nearly depend on one another, this and one of them do not.
    """
    for r in range(len(g)):
        g[r] = 0.0
    if second or kind == BOUNDS:
        g[0] = 1.0
    elif k < 2:
        sign = HALF if k == 0 else -HALF
        g[0], g[row] = HALF * mu, sign * direction[0]
        if kind == ROUND:
            g[row + 1] = sign * direction[1]
    else:
        g[row], g[row + 1] = -direction[1], direction[0]


@kernel
def less_projection(g, Q, count, size):
    """Subtract from g its part in the span of the first columns of Q, twice; return its length"""
    length = 0.0
    for _ in range(2):
        for j in range(count):
            s = 0.0
            for r in range(size):
                s += Q[r, j] * g[r]
            for r in range(size):
                g[r] -= s * Q[r, j]
    for r in range(size):
        length += g[r] * g[r]
    return np.sqrt(length)


@called_kernel
def turn_block(C, i, top, size, v, direction, G, Q, g, done):
    """Find axes of a block with several cones: Gram-Schmidt on their components, the stiffest first

    ``g``, ``(COMPONENTS,)``, and ``done``, ``(DISCS, 3)``, are places to work in.
    """
    count = 0
    for c in range(DISCS):
        done[c, 0], done[c, 1], done[c, 2] = 0.0, 0.0, 0.0
    for r in range(size):
        if C.fixed[top + r]:
            Q[i, r, count] = 1.0
            count += 1
    while True:
        most, a, b = 0.0, -1, -1
        for c in range(C.first[i], C.first[i + 1]):
            for k in range(3):
                stiffness = v[c, k] * (1.0 + C.friction[c] if k < 2 else 1.0)
                if done[c - C.first[i], k] == 0.0 and stiffness > most:
                    most, a, b = stiffness, c, k
        if a < 0:
            break
        done[a - C.first[i], b] = 1.0
        other = 1 - b if b < 2 and done[a - C.first[i], 1 - b] > 0.0 else -1
        axis(C.row[a], C.kind[a], C.friction[a], direction[a], b, other >= 0, g)
        length = less_projection(g, Q[i], count, size)
        if count < size and length > LOST:
            for r in range(size):
                Q[i, r, count] = g[r] / length
            count += 1
        axis(C.row[a], C.kind[a], C.friction[a], direction[a], b, other >= 0, g)
        for j in range(count):
            s = 0.0
            for r in range(size):
                s += Q[i, r, j] * g[r]
            G[a, b, j] = s if other < 0 else 2.0 * HALF * C.friction[a] * s - G[a, other, j]
    for k in range(size):  # a free row, or what the components leave
        if count < size:
            for r in range(size):
                g[r] = 0.0
            g[k] = 1.0
            length = less_projection(g, Q[i], count, size)
            if length > 0.1:
                for r in range(size):
                    Q[i, r, count] = g[r] / length
                count += 1


@called_kernel
def turn(C, K, v, direction, G, Q, g, done):
    """Compute the turns Q, and the components' coefficients G in the turned multipliers"""
    for i in range(len(K.start) - 1):
        top, size, c = K.start[i], K.start[i + 1] - K.start[i], C.first[i]
        if C.simple[i] == 1:
            turn_simple(C.kind[c], C.friction[c], v[c], direction[c], G[c], Q[i])
        elif size == 1:
            Q[i, 0, 0] = 1.0
            if C.first[i + 1] > c:
                G[c, 0, 0], G[c, 1, 0] = 1.0, -1.0
        else:
            for r in range(size):
                for s in range(size):
                    Q[i, r, s] = 0.0
            for d in range(c, C.first[i + 1]):
                for k in range(3):
                    for r in range(size):
                        G[d, k, r] = 0.0
            turn_block(C, i, top, size, v, direction, G, Q, g, done)


@kernel
def turn_threes(Q, P, A, p, R):
    """R = Q' A P for 3 by 3 matrices, A and R from place p on"""
    for c in range(3):
        a, b, d = P[0, c], P[1, c], P[2, c]
        x = A[p] * a + A[p + 1] * b + A[p + 2] * d
        y = A[p + 3] * a + A[p + 4] * b + A[p + 5] * d
        z = A[p + 6] * a + A[p + 7] * b + A[p + 8] * d
        R[p + c] = Q[0, 0] * x + Q[1, 0] * y + Q[2, 0] * z
        R[p + 3 + c] = Q[0, 1] * x + Q[1, 1] * y + Q[2, 1] * z
        R[p + 6 + c] = Q[0, 2] * x + Q[1, 2] * y + Q[2, 2] * z


@kernel
def turn_any(C, K, Q, i, j, A, p, R, work):
    """R = Q_i' A Q_j for blocks of any sizes, without the rows and columns of multipliers that are fixed"""
    a, b = K.start[i], K.start[j]
    height, width = K.start[i + 1] - a, K.start[j + 1] - b
    for r in range(height):
        for s in range(width):
            x = 0.0
            if C.fixed[a + r] == 0:
                for q in range(width):
                    if C.fixed[b + q] == 0:
                        x += A[p + r * width + q] * Q[j, q, s]
            work[r, s] = x
    for r in range(height):
        for s in range(width):
            x = 0.0
            for q in range(height):
                x += Q[i, q, r] * work[q, s]
            R[p + r * width + s] = x


@called_kernel
def turned_matrix(C, K, Q, target, N, R, work):
    """Compute Q' N Q, in the blocks that have a target in the factor; ``work`` is ``(COMPONENTS, COMPONENTS)``"""
    for i in range(len(K.start) - 1):
        three = C.simple[i] == 1 and K.start[i + 1] - K.start[i] == 3
        for k in range(positive(N.first[i]), positive(N.first[i + 1])):
            if target[k] >= 0:
                j = positive(N.column[k])
                if three and C.simple[j] == 1 and K.start[j + 1] - K.start[j] == 3:
                    turn_threes(Q[i], Q[j], N.data, positive(N.place[k]), R)
                else:
                    turn_any(C, K, Q, i, j, N.data, N.place[k], R, work)


@called_kernel
def added_blocks(C, K, v, G, square, D):
    """D = G' v^2 G and a little, in the turned multipliers; 1 for those that are held"""
    for i in range(len(K.start) - 1):
        size, p = positive(K.start[i + 1] - K.start[i]), positive(square[i])
        for k in range(size * size):
            D[p + k] = 0.0
        for k in range(size):
            D[p + k * size + k] = 1.0 if k < C.held[i] else DAMPING
        for c in range(positive(C.first[i]), positive(C.first[i + 1])):
            for k in range(3):
                f = v[c, k] * v[c, k]
                if f > 0.0:
                    for r in range(size):
                        e = f * G[c, k, r]
                        for s in range(size):
                            D[p + r * size + s] += e * G[c, k, s]


@called_kernel
def turn_vector(C, K, Q, x, y):
    """y = Q' x, without multipliers that are fixed"""
    for i in range(len(K.start) - 1):
        top, size = positive(K.start[i]), positive(K.start[i + 1] - K.start[i])
        for r in range(size):
            s = 0.0
            for k in range(size):
                if C.fixed[top + k] == 0:
                    s += Q[i, k, r] * x[top + k]
            y[top + r] = s


@called_kernel
def turn_back(K, Q, step, y, x):
    """x += step * Q y"""
    for i in range(len(K.start) - 1):
        top, size = positive(K.start[i]), positive(K.start[i + 1] - K.start[i])
        for r in range(size):
            s = 0.0
            for k in range(size):
                s += Q[i, r, k] * y[top + k]
            x[top + r] += step * s


# ----------------------------------------------------------------------------------------------------------------- step


@kernel
def rows_of(C, K, c):
    """Return the first row of the block of a cone, and how many it has"""
    i = positive(C.block[c])
    top = positive(K.start[i])
    return top, positive(K.start[i + 1] - top)


@called_kernel
def newton_step(C, K, S, L, scaling, h, target, step):
    """Compute the step for the gradient h = Q' (N x + b); return its largest length, at most 1e9, inside the cones

    ``ds`` and ``dz`` are the predicted steps before; they are not looked at for a ``target`` below zero, the prediction, in
    which f = 0.
    """
    v, l, G, y, ds, dz, f = scaling.v, scaling.l, scaling.G, step.y, step.ds, step.dz, step.f
    for k in range(len(y)):
        y[k] = -h[k]
    for c in range(len(C.kind)):
        top, size = rows_of(C, K, c)
        f[c, 0], f[c, 1], f[c, 2] = 0.0, 0.0, 0.0
        if target >= 0.0:
            unit = HALF * target if C.kind[c] == ROUND else target
            X, Y, Z = jordan(C.kind[c], (ds[c, 0], ds[c, 1], ds[c, 2]), (dz[c, 0], dz[c, 1], dz[c, 2]))
            point = (l[c, 0], l[c, 1], l[c, 2])
            f[c, 0], f[c, 1], f[c, 2] = divide(C.kind[c], point, (unit - X, unit - Y, -Z), C.has[c])
            for k in range(3):
                e = v[c, k] * f[c, k]
                for r in range(size):
                    y[top + r] += G[c, k, r] * e
    solve(S, L, y)
    t = 1e-9
    for c in range(len(C.kind)):
        top, size = rows_of(C, K, c)
        for k in range(3):
            s = 0.0
            for r in range(size):
                s += G[c, k, r] * y[top + r]
            ds[c, k] = v[c, k] * s
            dz[c, k] = f[c, k] - l[c, k] - ds[c, k]
        point = (l[c, 0], l[c, 1], l[c, 2])
        t = max(t, largest_ratio(C.kind[c], point, (ds[c, 0], ds[c, 1], ds[c, 2]), C.has[c]))
        t = max(t, largest_ratio(C.kind[c], point, (dz[c, 0], dz[c, 1], dz[c, 2]), C.has[c]))
    return 1.0 / t
