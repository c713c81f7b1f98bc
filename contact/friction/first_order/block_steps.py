"""Steps of methods that go block by block: step lengths from the diagonal blocks, and projected steps with them.

A projected step on block i, ``x_i <- P(x_i - rho_i u_i)`` with ``rho_i = 1 / (largest eigenvalue of N_ii)``, is a
gradient step that lowers the energy whatever the cone. The diagonal blocks are small: Jacobi's rotations give the
eigenvalue to rounding.

====================  ===============================================================================================
function              what it does
====================  ===============================================================================================
``find_steps``        rho_i of the blocks of one island
``project_step``      ``P(x_i - rho_i (u + g)_i)`` with the shift of Coulomb's law
====================  ===============================================================================================

Source: A. Tasora and M. Anitescu, "A matrix-free cone complementarity approach for solving large-scale, nonsmooth, rigid
body dynamics" (2011), for the projected step; G. H. Golub and C. F. Van Loan, "Matrix computations", section 8.5,
for the rotations.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.memory import FREE
from pluecker.contact.friction.problem.sets import project_block, shift_block
from pluecker.contact.friction.sparse.blocks import add_dot
from pluecker.contact.friction.sparse.rounding import LOST
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["DIAGONAL", "find_steps", "largest_eigenvalue", "project_step"]

DIAGONAL = FREE  # six rows of work from here hold the diagonal blocks while the steps are found
ROTATIONS = 12  # sweeps of rotations at most: convergence is quadratic, four to six do


@kernel
def diagonal_block(A, i, top, n, work):
    """Compute N_ii, its row r in ``work[DIAGONAL + r, top : top + n]``"""
    for r in range(n):
        for c in range(n):
            work[DIAGONAL + r, top + c] = A.compliance[top + r] if r == c else 0.0
    if A.is_factored == 1:
        J, T = A.J, A.T
        for k in range(J.first[i], J.first[i + 1]):
            width = J.columns[J.column[k] + 1] - J.columns[J.column[k]]
            for m in range(T.first[i], T.first[i + 1]):
                if T.column[m] == J.column[k]:
                    for r in range(n):
                        for c in range(n):
                            p, q = J.place[k] + r * width, T.place[m] + c * width
                            work[DIAGONAL + r, top + c] += add_dot(0.0, J.data, p, T.data, q, width)
    else:
        for k in range(A.N.first[i], A.N.first[i + 1]):
            if A.N.column[k] == i:
                for r in range(n):
                    for c in range(n):
                        work[DIAGONAL + r, top + c] += A.N.data[A.N.place[k] + r * n + c]


@kernel
def largest_eigenvalue(D, row, top, n):
    """Return that of the symmetric ``D[row : row + n, top : top + n]``, which is made diagonal by rotations (Jacobi)"""
    for _ in range(ROTATIONS):
        turned = 0
        for p in range(n - 1):
            for q in range(p + 1, n):
                a, b, c = D[row + p, top + q], D[row + p, top + p], D[row + q, top + q]
                if not abs(a) > LOST * (abs(b) + abs(c)):
                    continue
                turned = 1
                w = (c - b) / (2.0 * a)
                t = (1.0 if w >= 0.0 else -1.0) / (abs(w) + np.sqrt(w * w + 1.0))
                cosine = 1.0 / np.sqrt(t * t + 1.0)
                sine = t * cosine
                for k in range(n):
                    f, h = D[row + k, top + p], D[row + k, top + q]
                    D[row + k, top + p], D[row + k, top + q] = cosine * f - sine * h, sine * f + cosine * h
                for k in range(n):
                    f, h = D[row + p, top + k], D[row + q, top + k]
                    D[row + p, top + k], D[row + q, top + k] = cosine * f - sine * h, sine * f + cosine * h
        if turned == 0:
            break
    largest = D[row, top]
    for k in range(1, n):
        largest = max(largest, D[row + k, top + k])
    return largest


@kernel
def find_steps(A, K, first, last, work, rho):
    """rho_i = 1 / (largest eigenvalue of N_ii), in the first place of block i; 1 where N_ii is zero"""
    for i in range(first, last):
        top = K.start[i]
        n = K.start[i + 1] - top
        diagonal_block(A, i, top, n, work)
        value = largest_eigenvalue(work, DIAGONAL, top, n)
        rho[top] = 1.0 / value if value > 1e-12 else 1.0


@kernel
def project_step(K, i, exact, shift, rho, x, u, out):
    """P(x_i - rho (u + g)_i); g is ``shift`` in the normal row and, with ``exact``, what the velocities add"""
    top = K.start[i]
    for k in range(top, K.start[i + 1]):
        out[k] = x[k] - rho * u[k]
    g = shift + shift_block(K, i, u) if exact == 1 else shift
    out[top] -= rho * g
    project_block(K, i, out, out)
