"""Projected Gauss-Seidel on blocks of any kind, one after the other: sweeps over islands that are not large.

With the matrix a change of one block is added to the velocities of what it touches, ``u += N_i' dx_i``, so that all
velocities are known after a sweep; with factors to those of its bodies, ``v += T_i' dx_i``, where in a packing ten contacts
would change. Blocks that do not change cost nothing. When sweeps end:
:mod:`~pluecker.contact.friction.first_order.sweeps`.

Source: as ``sweeps``; Tasora and Anitescu (2011), for velocities of bodies in place of the matrix.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pluecker.contact.friction.first_order.block_steps import find_steps, project_step
from pluecker.contact.friction.first_order.memory import BEST_U, BEST_X, FREE, RELAXATION, RHO, SCRATCH
from pluecker.contact.friction.first_order.runner import evaluate, keep, make_runner
from pluecker.contact.friction.first_order.sweeps import make_sweeps
from pluecker.contact.friction.problem.operator import apply, pull, push
from pluecker.contact.friction.problem.sets import project_block
from pluecker.contact.friction.sparse.blocks import multiply_row_transposed
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.functions.elementwise import Array

__all__ = ["pgs", "run_pgs"]


class Blocks(NamedTuple):
    """Blocks of an island, one after the other.

    Attributes:
        P, g, x, u: as methods have them.
        first, last, left, right: the blocks of the island, and its velocities of bodies.
        work: of the memory.
    """

    P: Any
    g: Array
    x: Array
    u: Array
    first: int
    last: int
    left: int
    right: int
    work: Array


@kernel
def refresh(B):
    """u = N x + b, and the velocities of the bodies where there are factors"""
    apply(B.P.A, B.x, B.u, B.first, B.last, B.left, B.right)
    for k in range(B.P.K.start[B.first], B.P.K.start[B.last]):
        B.u[k] += B.P.b[k]


@kernel
def begin(B):
    """Project x and compute its velocities"""
    find_steps(B.P.A, B.P.K, B.first, B.last, B.work, B.work[RHO])
    for i in range(B.first, B.last):
        project_block(B.P.K, i, B.x, B.x)
    refresh(B)


@kernel
def velocities_of(P, i, x, u):
    """u_i = J_i v + compliance x_i + b_i, with the velocities v of the bodies"""
    pull(P.A, i, x, u)
    for k in range(P.K.start[i], P.K.start[i + 1]):
        u[k] += P.b[k]


@kernel
def error_of(B, exact):
    """Return the error of x, with its velocities"""
    if B.P.A.is_factored == 1:
        for i in range(B.first, B.last):
            velocities_of(B.P, i, B.x, B.u)
    return evaluate(B.P, B.g, B.x, B.u, exact, B.first, B.last, B.work[SCRATCH])


@kernel
def remember(B):
    """Keep x and u as the best"""
    keep(B.x, B.u, B.work[BEST_X], B.work[BEST_U], B.P.K.start[B.first], B.P.K.start[B.last])


@kernel
def sweep(B, exact, state, _):
    """Sweep all blocks once, without momentum; return how much x changed, its size, both squared, and zero

    With the matrix u is that of x before and after.
    """
    P, g, x, u, d, rho = B.P, B.g, B.x, B.u, B.work[FREE], B.work[RHO]
    A, K, relaxation = P.A, P.K, state[RELAXATION]
    change, size = 0.0, 0.0
    for i in range(B.first, B.last):
        top, bottom = K.start[i], K.start[i + 1]
        if A.is_factored == 1:
            velocities_of(P, i, x, u)
        project_step(K, i, exact, g[i] * P.s[top], relaxation * rho[top], x, u, d)
        moved = 0.0
        for k in range(top, bottom):
            new = d[k]
            d[k] = new - x[k]
            x[k] = new
            size += new * new
            moved += d[k] * d[k]
        if moved > 0.0:
            change += moved
            if A.is_factored == 1:
                push(A, i, d)
            else:
                multiply_row_transposed(A.N, i, d, u)
                for k in range(top, bottom):
                    u[k] += A.compliance[k] * d[k]
    return change, size, 0.0


sweep_blocks = called_kernel(make_sweeps(begin, refresh, error_of, remember, sweep))


def pgs(P, exact, g, x, u, island, goal, limit, memory):
    """Improve one island, to the error ``goal`` or for ``limit`` sweeps; return how many it took

    The last pair, from which sweeps can go on, is where the best one was kept, which becomes the result.
    """
    work, first, last = memory.work, P.islands[island], P.islands[island + 1]
    B = Blocks(P, g, x, u, first, last, P.sides[island], P.sides[island + 1], work)
    used, _ = sweep_blocks(B, exact, goal, limit, memory.states[island], memory.history)
    best_x, best_u = work[BEST_X], work[BEST_U]
    for k in range(P.K.start[first], P.K.start[last]):
        x[k], best_x[k] = best_x[k], x[k]
        u[k], best_u[k] = best_u[k], u[k]
    return used


run_pgs = make_runner(pgs, True)
