"""Newton's method for Coulomb's law in impulses and velocities, whose equation is one for the velocities alone.

With x the impulses and u their velocities the law is ``F(x) = 0`` of

    z = x - w u,    F = x - (the normal part of z cut off at zero, each disc of z cut off at mu_k max(z_n, 0)),

the function of Alart and Curnier: where a contact holds it is linear, which De Saxce's map is not. With V its derivative at
z, a step is, to first order,

    (1 - V + V w (C + epsilon)) dx + V w J dv = -F,    A dv = J' dx

epsilon, a small compliance, holds impulses that are not unique near those before. The first equation is solved block by
block, ``dx = -q - D J dv``, and what is left is ``(A + J' D J) dv = -J' q``, six velocities a body, whatever the number of
its contacts. V is not symmetric where a contact slides, since friction follows the normal part. Steps are shortened until
|F| falls, but not by much: where sets of contacts change it has to rise on the way to a solution.

Source: P. Alart and A. Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods"
(1991); M. Hintermueller, K. Ito and K. Kunisch (2002) on such methods as choices of active sets; V. Acary, M. Bremond and
O. Huber (2018), section 4, where the unknowns are the impulses.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.problem.sets import DISCS, length, project_block
from pluecker.contact.friction.sparse.blocks import multiply
from pluecker.contact.friction.velocities.factor import factorise, solve_factored
from pluecker.contact.friction.velocities.island import (
    ALONG,
    BLOCKS,
    FREEDOMS,
    HELD,
    IMPULSE,
    INVERSE,
    LENGTH,
    POINT,
    PUSH,
    ROWS,
    SHARE,
    SOFTNESS,
    STEP,
    TRIED,
    U,
    X,
    Y,
    add_transposed,
    most_in_disc,
    times_nodes,
    try_impulses,
)
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel

__all__ = ["coulomb_newton"]

FALL = 0.1  # of the fall of |F|^2 that is promised, with which a step is content
SHORTEST = 0.125  # share of a step


@allocation_free_kernel
def cut_off(K, i, z, out):
    """Cut the normal part off at zero and the discs at what friction allows with it, a row at its bounds"""
    if K.sizes[i, 0] == 0:
        project_block(K, i, z, out)
        return
    top = K.start[i]
    normal, row = max(z[top], 0.0), top + 1
    out[top] = normal
    for part in range(DISCS):
        n = K.sizes[i, part]
        if n > 0:
            radius, size = K.friction[i, part] * normal, length(z, row, n)
            factor = radius / size if size > radius else 1.0
            for k in range(row, row + n):
                out[k] = factor * z[k]
            row += n


@allocation_free_kernel
def derivative(K, i, z, V):
    """V, an element of the generalised Jacobian of :func:`cut_off` at z"""
    top, n = K.start[i], K.start[i + 1] - K.start[i]
    for a in range(n):
        for b in range(n):
            V[a, b] = 0.0
    if not K.lower[i] < z[top] < K.upper[i]:
        return
    V[0, 0] = 1.0
    row = 1
    for part in range(DISCS):
        count, mu = K.sizes[i, part], K.friction[i, part]
        if count > 0:
            size = length(z, top + row, count)
            for a in range(row, row + count):
                if size > mu * z[top]:
                    e, turn = z[top + a] / size, mu * z[top] / size
                    V[a, 0] = mu * e
                    for b in range(row, row + count):
                        V[a, b] = turn * ((1.0 if a == b else 0.0) - e * (z[top + b] / size))
                else:
                    V[a, a] = 1.0
            row += count


@called_kernel
def choose_lengths(I):
    """w = 1 / (1 + C) of the normal part and of each disc: velocities become impulses of about their size"""
    w, soft = I.rows[LENGTH], I.rows[SOFTNESS]
    for i in range(I.counts[BLOCKS]):
        row = I.K.start[i]
        w[row] = 1.0 / (1.0 + soft[row])
        row += 1
        for part in range(DISCS):
            n = I.K.sizes[i, part]
            for k in range(row, row + n):
                w[k] = 1.0 / (1.0 + most_in_disc(soft, row, n))
            row += n


@called_kernel
def coulomb_map(I, x, u):
    """Compute F, in IMPULSE, and z, in POINT; return |F|^2"""
    z, F, w, total = I.rows[POINT], I.rows[IMPULSE], I.rows[LENGTH], 0.0
    for i in range(I.counts[BLOCKS]):
        top, bottom = I.K.start[i], I.K.start[i + 1]
        for k in range(top, bottom):
            z[k] = x[k] - w[k] * u[k]
        cut_off(I.K, i, z, F)
        for k in range(top, bottom):
            F[k] = x[k] - F[k]
            total += F[k] * F[k]
    return total


@called_kernel
def eliminate_impulses(I, epsilon):
    """``D = (1 - V + V w (C + epsilon))^-1 V w`` of each block, and -q, the same inverse times -F, in SHARE

    By Gauss and Jordan's elimination without pivots: the normal part comes first, and what it leaves of each disc is
    symmetric and positive definite.
    """
    z, F, q, soft, w = I.rows[POINT], I.rows[IMPULSE], I.rows[SHARE], I.rows[SOFTNESS], I.rows[LENGTH]
    D, V, M = I.D, I.blocks[0], I.blocks[1]
    for i in range(I.counts[BLOCKS]):
        top, n = I.K.start[i], I.K.start[i + 1] - I.K.start[i]
        derivative(I.K, i, z, V)
        for a in range(n):
            q[top + a] = -F[top + a]
            for b in range(n):
                along = V[a, b] * w[top + b]
                M[a, b] = (1.0 if a == b else 0.0) - V[a, b] + along * (soft[top + b] + epsilon)
                D[top + a, b] = along
        for k in range(n):
            pivot = 1.0 / M[k, k]
            q[top + k] *= pivot
            for b in range(n):
                M[k, b] *= pivot
                D[top + k, b] *= pivot
            for a in range(n):
                f = M[a, k]
                if a != k and f != 0.0:
                    q[top + a] -= f * q[top + k]
                    for b in range(n):
                        M[a, b] -= f * M[k, b]
                        D[top + a, b] -= f * D[top + k, b]


@called_kernel
def find_step(I, epsilon):
    """Compute the step dx, in SHARE, and J dv, in ALONG; return whether there is one"""
    dx, along, step, push = I.rows[SHARE], I.rows[ALONG], I.moves[STEP], I.moves[PUSH]
    eliminate_impulses(I, epsilon)
    for k in range(I.counts[FREEDOMS]):
        step[k], push[k] = 0.0, 0.0
    add_transposed(I, dx, step)
    if not factorise(I, True):
        return False
    solve_factored(I, True, step)
    multiply(I.J, step, along, 0, I.counts[BLOCKS])
    for i in range(I.counts[BLOCKS]):
        top, n = I.K.start[i], I.K.start[i + 1] - I.K.start[i]
        for a in range(n):
            for b in range(n):
                dx[top + a] -= I.D[top + a, b] * along[top + b]
    add_transposed(I, dx, push)  # once more, so that velocities are those of dx also where rounding has a part in it
    times_nodes(I, I.matrices[INVERSE], push, step)
    multiply(I.J, step, along, 0, I.counts[BLOCKS])
    return True


@called_kernel
def coulomb_newton(I, aim, epsilon, steps, best):
    """Take steps from the impulses X, whose velocities are U; return the smallest error, and how many there were"""
    m, used = I.counts[ROWS], 0
    x, u, new, fast, dx, along = I.rows[X], I.rows[HELD], I.rows[TRIED], I.rows[Y], I.rows[SHARE], I.rows[ALONG]
    for k in range(m):
        u[k] = I.rows[U, k]
    choose_lengths(I)
    f = coulomb_map(I, x, u)
    while used < steps and f < np.inf:
        used += 1
        if not find_step(I, epsilon):
            break
        share, g = 1.0, np.inf
        while True:
            for k in range(m):
                new[k] = x[k] + share * dx[k]
                fast[k] = u[k] + share * (along[k] + I.rows[SOFTNESS, k] * dx[k])
            g = coulomb_map(I, new, fast)
            if g <= (1.0 - FALL * share) * f or share <= SHORTEST:
                break
            share *= 0.5
        f = g
        for k in range(m):
            x[k], u[k] = new[k], fast[k]
        for i in range(I.counts[BLOCKS]):
            cut_off(I.K, i, x, new)
        best = try_impulses(I, new, 1, best)
        if best <= aim:
            break
    return best, used
