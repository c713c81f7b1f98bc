"""One contact in a sweep of Gauss-Seidel by factors: most are between two bodies with six velocities each, or one.

    u = J v + compliance x + b,    x+ = P(x - w rho (u + g)),    v += T' (x+ - x)

Six velocities of each body are read once and written once, and stay in registers meanwhile: with the matrix a contact would
change the velocities of all contacts that its bodies have, of which there are ten in a packing.

Source: Jourdan, Alart, Jean (1998) for the sweep; Tasora and Anitescu (2011) for velocities of bodies in place of
the matrix.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.dense.cone_laws import nearest_in_cone
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, positive

__all__ = ["is_between_bodies", "sweep_contact"]


@allocation_free_kernel
def is_between_bodies(P, i):
    """Return whether block i is a contact of three components on one or two bodies with six velocities, in J as in T"""
    J, T, K = P.A.J, P.A.T, P.K
    if J.width[i] != 6 or T.width[i] != 6 or K.sizes[i, 0] != 2 or K.start[i + 1] - K.start[i] != 3:
        return False
    n, m, count = J.first[i], T.first[i], J.first[i + 1] - J.first[i]
    if not 1 <= count <= 2 or T.first[i + 1] - m != count:
        return False
    return J.column[n] == T.column[m] and J.column[n + count - 1] == T.column[m + count - 1]


@allocation_free_kernel
def row_of(a, p, v0, v1, v2, v3, v4, v5):
    """Multiply a row of a block by six velocities"""
    return (a[p] * v0 + a[p + 1] * v1 + a[p + 2] * v2) + (a[p + 3] * v3 + a[p + 4] * v4 + a[p + 5] * v5)


@allocation_free_kernel
def add_column(a, p, v, d0, d1, d2):
    """Return v plus what three multipliers add to it"""
    return v + (a[p] * d0 + a[p + 6] * d1 + a[p + 12] * d2)


@allocation_free_kernel
def sweep_contact(P, i, exact, shift, step, x):
    """Update block i of x and the velocities of its bodies; return how much x changed, and its size, squared"""
    J, T, v, K = P.A.J, P.A.T, P.A.velocity, P.K
    n, m, top = positive(J.first[i]), positive(T.first[i]), positive(K.start[i])
    two = J.first[i + 1] - J.first[i] == 2
    p, j = positive(J.place[n]), positive(J.columns[positive(J.column[n])])
    v0, v1, v2, v3, v4, v5 = v[j], v[j + 1], v[j + 2], v[j + 3], v[j + 4], v[j + 5]
    a = P.b[top] + row_of(J.data, p, v0, v1, v2, v3, v4, v5)
    b = P.b[top + 1] + row_of(J.data, p + 6, v0, v1, v2, v3, v4, v5)
    c = P.b[top + 2] + row_of(J.data, p + 12, v0, v1, v2, v3, v4, v5)
    k, w0, w1, w2, w3, w4, w5 = j, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if two:
        q, k = positive(J.place[n + 1]), positive(J.columns[positive(J.column[n + 1])])
        w0, w1, w2, w3, w4, w5 = v[k], v[k + 1], v[k + 2], v[k + 3], v[k + 4], v[k + 5]
        a += row_of(J.data, q, w0, w1, w2, w3, w4, w5)
        b += row_of(J.data, q + 6, w0, w1, w2, w3, w4, w5)
        c += row_of(J.data, q + 12, w0, w1, w2, w3, w4, w5)
    x0, x1, x2, mu = x[top], x[top + 1], x[top + 2], K.friction[i, 0]
    if P.A.is_soft == 1:
        a, b, c = a + P.A.compliance[top] * x0, b + P.A.compliance[top + 1] * x1, c + P.A.compliance[top + 2] * x2
    g = shift + mu * np.sqrt(b * b + c * c) if exact == 1 else shift
    y0, y1, y2 = nearest_in_cone(mu, x0 - step * (a + g), x1 - step * b, x2 - step * c)
    d0, d1, d2 = y0 - x0, y1 - x1, y2 - x2
    x[top], x[top + 1], x[top + 2] = y0, y1, y2
    p = positive(T.place[m])
    v[j], v[j + 1] = add_column(T.data, p, v0, d0, d1, d2), add_column(T.data, p + 1, v1, d0, d1, d2)
    v[j + 2], v[j + 3] = add_column(T.data, p + 2, v2, d0, d1, d2), add_column(T.data, p + 3, v3, d0, d1, d2)
    v[j + 4], v[j + 5] = add_column(T.data, p + 4, v4, d0, d1, d2), add_column(T.data, p + 5, v5, d0, d1, d2)
    if two:
        q = positive(T.place[m + 1])
        v[k], v[k + 1] = add_column(T.data, q, w0, d0, d1, d2), add_column(T.data, q + 1, w1, d0, d1, d2)
        v[k + 2], v[k + 3] = add_column(T.data, q + 2, w2, d0, d1, d2), add_column(T.data, q + 3, w3, d0, d1, d2)
        v[k + 4], v[k + 5] = add_column(T.data, q + 4, w4, d0, d1, d2), add_column(T.data, q + 5, w5, d0, d1, d2)
    return d0 * d0 + d1 * d1 + d2 * d2, y0 * y0 + y1 * y1 + y2 * y2
