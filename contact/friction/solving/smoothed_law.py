"""Coulomb's law made smooth: its solutions are a curve in the level of the smoothing, which ends in those of the law itself.

In the components ``a = (mu r_n, r_t)``, ``v = (u_n + mu |u_t|, mu u_t)`` the cone of a contact is its own dual, and
Coulomb's law says ``a o v = 0``, a and v in it. With the level m it is ``a o v = m^2``, or as a map that is zero,

    F = a - P(a - q v),     P(z) = (z + (z^2 + 4 q m^2)^(1/2)) / 2,     u = N x + b + soft (x - centre)

where squares and roots are those of the spectral values ``z_n +- |z_t|`` of z. The speed in the shift is smooth too,
``(|u_t|^2 + m^2)^(1/2) - m``, and springs ``soft = stiffness m`` to a centre make multipliers unique that redundant contacts
leave open. Rows in intervals have P made of the same root. F has a derivative for m > 0, where the natural map has kinks,
and these are what Newton's method goes round between.

Sources: M. Fukushima, Z.-Q. Luo, P. Tseng, "Smoothing functions for second-order-cone complementarity problems" (2002), for
P; De Saxce and Feng (1998) for v.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.solving.newton import derivative_row
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Linearised", "is_smoothable", "linear_blocks", "place_for", "smoothed"]

LEAST_FRICTION, MOST_FRICTION = 1e-2, 10.0  # a cone that is nearly a ray or a half-space has no scale for its tangents


class Linearised(NamedTuple):
    """F at a point, and how it changes: ``dF = A dx + B (N + compliance + soft) dx + T d(log m)``.

    Attributes:
        F, T: ``(m,)``.
        A, B: a block for each contact and row, ``(n, 3, 3)``.
    """

    F: Array
    T: Array
    A: Array
    B: Array


def place_for(P: Prepared) -> Linearised:
    """Allocate the :class:`Linearised` that :func:`smoothed` writes to."""
    m, n = len(P.b), len(P.K.start) - 1
    return Linearised(np.zeros(m), np.zeros(m), np.zeros((n, 3, 3)), np.zeros((n, 3, 3)))


def is_smoothable(P: Prepared) -> bool:
    """Return whether all blocks are rows, or contacts in space with friction alone, neither tiny nor huge."""
    round_ones = (P.K.sizes == [2, 0, 0]).all(axis=1)
    rows = (P.K.sizes == 0).all(axis=1)
    mu = P.K.friction[round_ones, 0]
    return bool((round_ones | rows).all() and ((mu >= LEAST_FRICTION) & (mu <= MOST_FRICTION)).all())


@allocation_free_kernel
def positive_part(y, square):
    """Compute (y + (y^2 + square)^(1/2)) / 2, its derivatives by y and by the log of the root of ``square``"""
    root = np.sqrt(y * y + square)
    value = 0.5 * (y + root) if y > 0.0 else 0.5 * square / (root - y)
    return value, 0.5 * (1.0 + y / root), 0.5 * square / root


@allocation_free_kernel
def smoothed_row(lower, upper, x, w, q, square):
    """Compute F of a row in an interval, the derivatives of P by z and by log m"""
    z = x - q * w
    p, slope, change = z, 1.0, 0.0
    if lower > -np.inf:
        value, d, t = positive_part(lower - z, square)
        p, slope, change = p + value, slope - d, change + t
    if upper < np.inf:
        value, d, t = positive_part(z - upper, square)
        p, slope, change = p - value, slope - d, change - t
    return x - p, slope, change


@allocation_free_kernel
def smoothed_contact(mu, m, q, square, x, w, top, i, L):
    """Compute F of the contact i, and its derivatives in L but for what the springs add; w are its velocities"""
    F, T, A, B = L
    speed = np.sqrt(w[1] * w[1] + w[2] * w[2] + m * m)
    z0 = mu * x[top] - q * (w[0] + mu * (speed - m))
    z1, z2 = x[top + 1] - q * mu * w[1], x[top + 2] - q * mu * w[2]
    size = np.sqrt(z1 * z1 + z2 * z2)
    e1, e2 = (z1 / size, z2 / size) if size > 0.0 else (1.0, 0.0)
    p1, d1, t1 = positive_part(z0 + size, square)
    p2, d2, t2 = positive_part(z0 - size, square)
    along, across = 0.5 * (d1 + d2), 0.5 * (d1 - d2)
    turn = 0.5 * (p1 - p2) / size if size > 1e-12 * (abs(z0) + m) else along
    V01, V02, V12 = across * e1, across * e2, (along - turn) * e1 * e2
    V11, V22 = along * e1 * e1 + turn * e2 * e2, along * e2 * e2 + turn * e1 * e1
    F[top] = mu * x[top] - 0.5 * (p1 + p2)
    F[top + 1] = x[top + 1] - 0.5 * (p1 - p2) * e1
    F[top + 2] = x[top + 2] - 0.5 * (p1 - p2) * e2
    # A = (1 - V) diag(mu, 1, 1), B = q V dv/du
    A[i, 0, 0], A[i, 0, 1], A[i, 0, 2] = mu * (1.0 - along), -V01, -V02
    A[i, 1, 0], A[i, 1, 1], A[i, 1, 2] = -mu * V01, 1.0 - V11, -V12
    A[i, 2, 0], A[i, 2, 1], A[i, 2, 2] = -mu * V02, -V12, 1.0 - V22
    s1, s2, shift = mu * w[1] / speed, mu * w[2] / speed, q * mu * m * (m / speed - 1.0)
    B[i, 0, 0], B[i, 0, 1], B[i, 0, 2] = q * along, q * (along * s1 + mu * V01), q * (along * s2 + mu * V02)
    B[i, 1, 0], B[i, 1, 1], B[i, 1, 2] = q * V01, q * (V01 * s1 + mu * V11), q * (V01 * s2 + mu * V12)
    B[i, 2, 0], B[i, 2, 1], B[i, 2, 2] = q * V02, q * (V02 * s1 + mu * V12), q * (V02 * s2 + mu * V22)
    T[top] = along * shift - 0.5 * (t1 + t2)
    T[top + 1] = V01 * shift - 0.5 * (t1 - t2) * e1
    T[top + 2] = V02 * shift - 0.5 * (t1 - t2) * e2


@called_kernel
def smoothed(P, x, u, centre, m, q, stiffness, w, L):
    """Compute F at x, u = N x + b, and its derivatives in L, a :class:`Linearised`; return |F|^2

    ``q`` is the step of the projection, ``soft = stiffness m`` are the springs. ``w`` has place for 3 numbers.
    """
    K, square, soft, total = P.K, 4.0 * q * m * m, stiffness * m, 0.0
    for i in range(len(K.start) - 1):
        top = K.start[i]
        n = K.start[i + 1] - top
        for a in range(n):
            w[a] = u[top + a] + soft * (x[top + a] - centre[top + a])
        if n == 3:
            smoothed_contact(K.friction[i, 0], m, q, square, x, w, top, i, L)
        else:
            f, slope, change = smoothed_row(K.lower[i], K.upper[i], x[top], w[0], q, square)
            L.F[top], L.T[top], L.A[i, 0, 0], L.B[i, 0, 0] = f, -change, 1.0 - slope, q * slope
        for a in range(n):
            for b in range(n):
                L.T[top + a] += L.B[i, a, b] * soft * (x[top + b] - centre[top + b])
            total += L.F[top + a] * L.F[top + a]
    return total


@called_kernel
def linear_blocks(P, L, soft, out):
    """Compute A + B (N + compliance + soft) in the places of the blocks of N"""
    for i in range(len(P.K.start) - 1):
        derivative_row(P, i, L.A[i], L.B[i], soft, out)
