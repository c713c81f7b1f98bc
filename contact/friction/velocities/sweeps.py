"""Sweeps of block Gauss-Seidel in velocities: cheap, and good for finding which contacts hold, slide and part.

Each block in turn gets the impulses that solve it alone, and the bodies that it meets move on at once:

    u_i = J_i v + b_i + C_i x_i,    x_i <- those of block i with W_ii = J_i A^-1 J_i' + C_i,    v += A^-1 J_i' dx_i

A contact with friction alone is solved by its equation for sliding
(:func:`~pluecker.contact.friction.dense.cone_laws.contact_response`), other blocks by projected steps.

Source: F. Jourdan, P. Alart and M. Jean, "A Gauss-Seidel like algorithm to solve frictional contact problems" (1998).
"""

from __future__ import annotations

from pluecker.contact.friction.dense.cone_laws import contact_response
from pluecker.contact.friction.problem.sets import project_block, shift_block
from pluecker.contact.friction.sparse.blocks import block_transposed_times, multiply_row
from pluecker.contact.friction.velocities.factor import dot
from pluecker.contact.friction.velocities.island import (
    ALONG,
    BLOCKS,
    CHANGE,
    INVERSE,
    OFFSET,
    POINT,
    ROWS,
    SOFTNESS,
    SQUARE,
    TRIED,
    WORK,
    U,
    X,
    try_impulses,
)
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel

__all__ = ["sweep_while_it_helps"]

# Chosen on the problems that solve_island.py tells of.
BATCH = 5  # sweeps between two looks at the error
FIRST = 2  # batches that are made in any case, unless they solve the problem
LAST = 4  # batches
HELPS = 0.9  # of the error, that a batch may leave if others follow it
PROJECTIONS = 12  # of a block at most
STILL = 1e-12  # of the first component: what moves by less has come to rest
PROXIMAL = 1e-8  # added to a diagonal of about one: a contact may have no mass along one of its rows


@called_kernel
def prepare_sweeps(I):
    """Compute T = J A^-1, and ``W_ii = J_i A^-1 J_i' + C`` of each block in D"""
    J = I.J
    for i in range(I.counts[BLOCKS]):
        for k in range(J.first[i], J.first[i + 1]):
            t, p = J.column[k], J.place[k]
            n, q = J.columns[t + 1] - J.columns[t], I.numbers[SQUARE, t]
            for a in range(J.rows[i + 1] - J.rows[i]):
                for c in range(n):
                    I.T[p + a * n + c] = dot(J.data, p + a * n, I.matrices[INVERSE], q + c * n, n)
    for i in range(I.counts[BLOCKS]):
        top, n = J.rows[i], J.rows[i + 1] - J.rows[i]
        for a in range(n):
            for b in range(n):
                I.D[top + a, b] = I.rows[SOFTNESS, top + a] if a == b else 0.0
        for k in range(J.first[i], J.first[i + 1]):
            p, width = J.place[k], J.columns[J.column[k] + 1] - J.columns[J.column[k]]
            for a in range(n):
                for b in range(n):
                    I.D[top + a, b] += dot(J.data, p + a * width, I.T, p + b * width, width)


@allocation_free_kernel
def solve_contact(I, i, top, u, out):
    """Solve a contact with friction alone by Coulomb's law; its |u_t| / |r_t| is kept from sweep to sweep in POINT"""
    x, W = I.rows[X], I.D
    r0, r1, r2 = x[top], x[top + 1], x[top + 2]
    nn, na, nb = W[top, 0] + PROXIMAL, W[top, 1], W[top, 2]
    aa, ab, bb = W[top + 1, 1] + PROXIMAL, W[top + 1, 2], W[top + 2, 2] + PROXIMAL
    q = (
        u[top] - nn * r0 - na * r1 - nb * r2,
        u[top + 1] - na * r0 - aa * r1 - ab * r2,
        u[top + 2] - nb * r0 - ab * r1 - bb * r2,
    )
    mu = I.K.friction[i, 0]
    found, I.rows[POINT, top] = contact_response(mu, (nn, na, nb, aa, ab, bb), q, I.rows[POINT, top])
    out[top], out[top + 1], out[top + 2] = found[0], found[1], found[2]


@called_kernel
def project_often(I, i, top, n, exact, u, out):
    """Solve a block by projected steps ``x <- P(x - (u + g) / most)``, ``most`` being above the largest eigenvalue"""
    work, most = I.rows[WORK], 0.0
    for a in range(top, top + n):
        total = 0.0
        for b in range(n):
            total += abs(I.D[a, b])
        most, out[a] = max(most, total), I.rows[X, a]
    for _ in range(PROJECTIONS):
        for a in range(top, top + n):
            work[a] = out[a] - u[a] / most
        if exact == 1:
            work[top] -= shift_block(I.K, i, u) / most
        project_block(I.K, i, work, work)
        moved = 0.0
        for a in range(n):
            d = work[top + a] - out[top + a]
            moved = max(moved, abs(d))
            for b in range(n):
                u[top + b] += I.D[top + b, a] * d
            out[top + a] = work[top + a]
        if moved <= STILL * abs(work[top]):
            break


@called_kernel
def sweep(I, exact):
    """Solve all blocks, one after the other; the impulses X and the velocities CHANGE move"""
    J, x, u, out = I.J, I.rows[X], I.rows[U], I.rows[TRIED]
    step, change = I.rows[ALONG], I.moves[CHANGE]
    for i in range(I.counts[BLOCKS]):
        top = I.K.start[i]
        n, mass = I.K.start[i + 1] - top, 0.0
        for a in range(n):
            mass += I.D[top + a, a]
        if not mass > 0.0:  # nothing moves
            continue
        multiply_row(J, i, change, u)
        for k in range(top, top + n):
            u[k] += I.rows[OFFSET, k] + I.rows[SOFTNESS, k] * x[k]
        if n == 3 and exact == 1:
            solve_contact(I, i, top, u, out)
        else:
            project_often(I, i, top, n, exact, u, out)
        for k in range(top, top + n):
            step[k], x[k] = out[k] - x[k], out[k]
        for k in range(J.first[i], J.first[i + 1]):
            t = J.columns[J.column[k]]
            block_transposed_times(I.T, J.place[k], n, J.columns[J.column[k] + 1] - t, step, top, change, t)


@called_kernel
def sweep_while_it_helps(I, exact, aim, best):
    """Sweep from the impulses X, to which the velocities CHANGE belong; return the smallest error"""
    prepare_sweeps(I)
    for k in range(I.counts[ROWS]):
        I.rows[POINT, k] = 0.0
    for batch in range(LAST):
        before = best
        for _ in range(BATCH):
            sweep(I, exact)
        best = try_impulses(I, I.rows[X], exact, best)
        if best <= aim or (batch + 1 >= FIRST and not best < HELPS * before):
            break
    return best
