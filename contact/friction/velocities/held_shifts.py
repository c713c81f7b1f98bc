"""One round of the method of multipliers with De Saxce's shift held: convex, so that Newton's method comes to its end.

With the shift g of the velocities before, and the impulses x_0 before, the change dv of velocities solves

    A dv = J' x,    x = P(x_0 - (u + g) / sigma),    sigma = 1 / rho + C,    u = J dv + b + C x_0

which is the condition for the least of a convex function of dv, ``1/2 dv' A dv + 1/2 sigma |x|^2`` where all sets are
cones; P is the projection in the metric of sigma, a number for the normal part and for each disc: compliance is in it
exactly. Newton's equation is ``A + J' D J``, symmetric; the derivative of the function along a step rises, and its root
is the length of the step. With rho of 1e2 few steps are taken and impulses come near; later rounds have larger ones.

Source: R. T. Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in convex programming"
(1976); G. De Saxce and Z.-Q. Feng (1998) for the shift; A. Castro, F. Permenter and X. Han (2022) for velocities as
unknowns.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.problem.sets import (
    DISCS,
    derivative_block,
    derivative_in_cone,
    project_block,
    shift_block,
)
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
    MASS,
    MISSED,
    MOMENTUM,
    OFFSET,
    POINT,
    PUSH,
    RESIDUAL,
    ROWS,
    SCALE,
    SHARE,
    SOFTNESS,
    STEP,
    TRIED,
    WORK,
    U,
    X,
    Y,
    add_transposed,
    most_in_disc,
    times_nodes,
)
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel

__all__ = ["held_shifts"]

STEPS = 30  # of Newton's method in a round: it ends in 5 to 15
FLAT = 0.1  # of the slope of the function along a step, that may be left where that ends
LENGTHS = 40  # of one step that are tried at most
WRONG = 0.1  # of the error that is aimed at: by how much velocities may miss the least


@called_kernel
def begin_round(I, exact, rho):
    """Choose the metric for the penalty rho, hold the shift of the velocities U, and begin with the impulses X"""
    K, P, t, soft = I.K, I.P, I.rows[LENGTH], I.rows[SOFTNESS]  # t = sigma^(-1/2)
    for i in range(I.counts[BLOCKS]):
        top = K.start[i]
        row = top + 1
        t[top] = 1.0 / np.sqrt(1.0 / rho + soft[top])
        for part in range(DISCS):
            n = K.sizes[i, part]
            for k in range(row, row + n):
                t[k] = 1.0 / np.sqrt(1.0 / rho + most_in_disc(soft, row, n))
            P.friction[i, part] = K.friction[i, part] * (t[top] / t[row]) if n > 0 else 0.0
            row += n
        P.lower[i], P.upper[i] = K.lower[i] / t[top], K.upper[i] / t[top]
        I.rows[HELD, top] = shift_block(K, i, I.rows[U]) if exact == 1 else 0.0
        for k in range(top + 1, K.start[i + 1]):
            I.rows[HELD, k] = 0.0
    for k in range(I.counts[ROWS]):
        I.rows[SHARE, k] = I.rows[X, k] / t[k]


@called_kernel
def find_impulses(I):
    """Compute the point z that is projected, and the impulses, of the velocities Y"""
    t, y, soft, z, x = I.rows[LENGTH], I.rows[Y], I.rows[SOFTNESS], I.rows[POINT], I.rows[IMPULSE]
    for i in range(I.counts[BLOCKS]):
        for k in range(I.K.start[i], I.K.start[i + 1]):
            z[k] = I.rows[SHARE, k] - t[k] * (y[k] + soft[k] * I.rows[X, k] + I.rows[HELD, k])
        project_block(I.P, i, z, x)
        for k in range(I.K.start[i], I.K.start[i + 1]):
            x[k] *= t[k]


@called_kernel
def misses_little(I, size, speed):
    """Compute ``F = A dv - J' x``; return whether A^-1 F is small along all rows, beside the sizes of all"""
    F, missed, along, total = I.moves[RESIDUAL], I.moves[MISSED], I.rows[ALONG], 0.0
    find_impulses(I)
    for k in range(I.counts[FREEDOMS]):
        F[k] = 0.0
    add_transposed(I, I.rows[IMPULSE], F)
    for k in range(I.counts[FREEDOMS]):
        F[k] = I.moves[MOMENTUM, k] - F[k]
    times_nodes(I, I.matrices[INVERSE], F, missed)
    multiply(I.J, missed, along, 0, I.counts[BLOCKS])
    for k in range(I.counts[ROWS]):
        total += along[k] * along[k]
        if abs(along[k]) > speed * I.rows[SCALE, k]:
            return False
    return not total > size * size


@called_kernel
def derivatives(I):
    """Compute D of each block at the point z"""
    t, z, D, V, w = I.rows[LENGTH], I.rows[POINT], I.D, I.blocks[0], I.blocks[1, 0]
    for i in range(I.counts[BLOCKS]):
        top, n = I.K.start[i], I.K.start[i + 1] - I.K.start[i]
        if n == 3:
            a, b, c, d, e, f = derivative_in_cone(I.P.friction[i, 0], z[top], z[top + 1], z[top + 2])
            V[0, 0], V[0, 1], V[0, 2], V[1, 0], V[1, 1], V[1, 2], V[2, 0], V[2, 1], V[2, 2] = a, b, c, b, d, e, c, e, f
        else:
            derivative_block(I.P, i, z, V, w)
        for a in range(n):
            for b in range(n):
                D[top + a, b] = t[top + a] * V[a, b] * t[top + b]


@called_kernel
def find_step(I):
    """Compute Newton's step, A times it, and its velocities along rows; return whether there is one"""
    step = I.moves[STEP]
    derivatives(I)
    if not factorise(I, False):
        return False
    for k in range(I.counts[FREEDOMS]):
        step[k] = -I.moves[RESIDUAL, k]
    solve_factored(I, False, step)
    times_nodes(I, I.matrices[MASS], step, I.moves[PUSH])
    multiply(I.J, step, I.rows[ALONG], 0, I.counts[BLOCKS])
    return True


@called_kernel
def slope(I, share, curvature, begun):
    """Return the derivative of the function after a share of the step"""
    t, z, along, tried, out = I.rows[LENGTH], I.rows[POINT], I.rows[ALONG], I.rows[TRIED], I.rows[WORK]
    total = begun + share * curvature
    for i in range(I.counts[BLOCKS]):
        top, bottom = I.K.start[i], I.K.start[i + 1]
        for k in range(top, bottom):
            tried[k] = z[k] - share * t[k] * along[k]
        project_block(I.P, i, tried, out)
        for k in range(top, bottom):
            total -= t[k] * along[k] * out[k]
    return total


@called_kernel
def best_share(I):
    """Find the share of the step where the function is least: the root of its slope, between bounds"""
    curvature, begun, first = 0.0, 0.0, 0.0
    for k in range(I.counts[FREEDOMS]):
        curvature += I.moves[STEP, k] * I.moves[PUSH, k]
        begun += I.moves[STEP, k] * I.moves[MOMENTUM, k]
        first += I.moves[STEP, k] * I.moves[RESIDUAL, k]
    low, high, below, above, share = 0.0, -1.0, first, 0.0, 1.0
    for _ in range(LENGTHS):
        rise = slope(I, share, curvature, begun)
        if not abs(rise) > FLAT * abs(first):
            break
        if rise < 0.0:
            low, below = share, rise
        else:
            high, above = share, rise
        if high < 0.0:
            share *= 2.0
        else:  # the secant, but not too near to a bound
            share = low + (high - low) * min(max(below / (below - above), 0.1), 0.9)
    return share


@allocation_free_kernel
def sizes_of(I):
    """Return the size of impulses and velocities, and the largest velocity: what errors are relative to"""
    xx, uu, bb, speed = 0.0, 0.0, 0.0, 0.0
    for k in range(I.counts[ROWS]):
        x, u, b = I.rows[X, k], I.rows[U, k], I.rows[OFFSET, k]
        xx, uu, bb = xx + x * x, uu + u * u, bb + b * b
        speed = max(speed, max(abs(u), abs(b)) / I.rows[SCALE, k])
    return np.sqrt(max(xx, uu, bb)), speed


@called_kernel
def held_shifts(I, exact, aim, rho, budget):
    """Replace the impulses X by those of one round, with their Y, U and MOMENTUM there; return how many steps it took"""
    used = 0
    size, speed = sizes_of(I)
    begin_round(I, exact, rho)
    while not misses_little(I, WRONG * aim * size, WRONG * aim * speed) and used < min(STEPS, budget):
        used += 1
        if not find_step(I):
            break
        share = best_share(I)
        for k in range(I.counts[FREEDOMS]):
            I.moves[MOMENTUM, k] += share * I.moves[PUSH, k]
        for k in range(I.counts[ROWS]):
            I.rows[Y, k] += share * I.rows[ALONG, k]
    for k in range(I.counts[ROWS]):
        I.rows[X, k] = I.rows[IMPULSE, k]
    return used
