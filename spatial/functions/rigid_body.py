"""Inertia, momentum and motion of arrays of rigid bodies (course, sections 44 to 48).

An inertia is a symmetric 6x6 matrix that maps motion to force. That of a rigid body is made from ten numbers: the mass, the
centre of mass ``c`` and the rotational inertia ``I_C`` about it; that of an articulated body is any other.

===========================================  ============================================================  =======
formula                                      function                                                      section
===========================================  ============================================================  =======
``h = I v``                                  :func:`body_momentum`                                         44, 46
``I = [I_C - m c~ c~, m c~; m c~^T, m 1]``   :func:`spatial_inertia`, back :func:`inertia_parameters`      45
``I_O = I_C - m c~ c~``                      :func:`shift_inertia` (parallel axes)                         45
``T = 1/2 v . I v``                          :func:`body_kinetic_energy`                                   46
``dI/dt = v x* I - I v x``                   :func:`inertia_rate`                                          46
``I_A + I_B``                                the sum of the arrays (bodies joined rigidly)                 46
``X* I X^-1``                                :func:`~pluecker.spatial.transform_inertia`                   46
``f = I a + v x* I v``                       :func:`net_force`                                             47
``I^-1``                                     :func:`inverse_inertia`                                       48, A2
``(I_A^-1 + I_B^-1)^-1``                     :func:`relative_inertia`                                      48, A3
===========================================  ============================================================  =======
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.algebra.inertia import inverse_transform_rigid
from pluecker.spatial.algebra.matrices import (
    NEARLY,
    add9,
    full,
    load_block,
    nan_if,
    nan_unless,
    negate9,
    not_symmetric,
    not_symmetric3,
    packed,
    skew9,
    squares9,
    store_blocks,
    symmetrize,
)
from pluecker.spatial.algebra.transforms import IDENTITY, store_matrix
from pluecker.spatial.algebra.vectors import (
    add3,
    add_cross_force,
    cross_force,
    dot,
    dot3,
    load3,
    load_vector,
    rotate,
    scale3,
    store3,
    store_vector,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, smaller, sqrt, store
from pluecker.spatial.functions.arguments import Array, as_floats, check_broadcast, composed, finite
from pluecker.spatial.functions.elementwise import Elementwise

__all__ = [
    "body_kinetic_energy", "body_momentum", "inertia_parameters", "inertia_rate", "inverse_inertia", "net_force",
    "relative_inertia", "shift_inertia", "spatial_inertia",
]  # fmt: skip
DEFINITE = (
    1e-14  # the smallest eigenvalue that is more than rounding, of an inertia whose diagonal has been scaled to one
)


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def spatial_inertia_kernel(x, out):
    """I from m, c, I_C: the inertia at the centre of mass, seen from the origin"""
    m, c, A = load(x, 0), load3(x, 1), load_block(x, 4, 3)
    _, h, J = inverse_transform_rigid((IDENTITY[0], c), (m + not_symmetric3(A), (0.0, 0.0, 0.0), packed(A)))
    H = skew9(h)
    store_blocks(out, 0, full(J), H, negate9(H), (m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m))


@kernel
def inertia_parameters_kernel(x, out):
    """m, c, I_C from I: the inertia at the origin, seen from the centre of mass"""
    A, B, C, D = load_block(x, 0, 6), load_block(x, 3, 6), load_block(x, 18, 6), load_block(x, 21, 6)
    m = D[0]
    h = (0.5 * (B[7] - B[5]), 0.5 * (B[2] - B[6]), 0.5 * (B[3] - B[1]))
    H = skew9(h)
    wrong = squares9(add9(B, negate9(H))) + squares9(add9(C, H))
    size = squares9(B) + squares9(C) + sqrt(squares9(A)) * sqrt(squares9(D))  # h may be zero, but for rounding
    wrong = nan_if(smaller(NEARLY * NEARLY * size, wrong), wrong) + not_symmetric3(A)
    e = squares9(add9(D, (-m, 0.0, 0.0, 0.0, -m, 0.0, 0.0, 0.0, -m)))
    wrong = wrong + nan_if(smaller(NEARLY * NEARLY * m * m, e), e)
    c = scale3(1.0 / m, h)
    _, _, J = inverse_transform_rigid((IDENTITY[0], (-c[0], -c[1], -c[2])), (m, h, packed(A)))
    store(out, 0, m + wrong)
    store3(out, 1, c)
    store_matrix(out, 4, full(J))


@kernel
def shift_inertia_kernel(x, out):
    """I_C - m r~ r~"""
    m, A, r = load(x, 0), load_block(x, 1, 3), load3(x, 10)
    m = m + not_symmetric3(A)
    _, _, J = inverse_transform_rigid((IDENTITY[0], r), (m, (0.0, 0.0, 0.0), packed(A)))
    store_matrix(out, 0, full(J))


@kernel
def times(x, k, v):
    """I v, with the 6x6 matrix from entry ``k`` on"""
    a, b = rotate(load_block(x, k, 6), v[0]), rotate(load_block(x, k + 3, 6), v[1])
    c, d = rotate(load_block(x, k + 18, 6), v[0]), rotate(load_block(x, k + 21, 6), v[1])
    return (add3(a, b), add3(c, d))


@kernel
def momentum_kernel(x, out):
    """I v"""
    store_vector(out, 0, times(x, 0, load_vector(x, 36)))


@kernel
def kinetic_energy_kernel(x, out):
    """1/2 v . I v"""
    v = load_vector(x, 36)
    store(out, 0, 0.5 * dot(v, times(x, 0, v)))


@kernel
def net_force_kernel(x, out):
    """I a + v x* I v"""
    v = load_vector(x, 36)
    store_vector(out, 0, add_cross_force(times(x, 0, load_vector(x, 42)), v, times(x, 0, v)))


@kernel
def inertia_rate_kernel(x, out):
    """v x* I - I v x = A + A^T with A = v x* I, since (I v x)^T = (v x)^T I = -v x* I"""
    w, v = load_vector(x, 36)
    twice = (scale3(2.0, w), scale3(2.0, v))
    spoiled = not_symmetric(x, 0)
    for j in range(6):
        column = (
            (load(x, j), load(x, j + 6), load(x, j + 12)),
            (load(x, j + 18), load(x, j + 24), load(x, j + 30)),
        )
        store_vector(x, 36, cross_force(twice, column))
        for i in range(6):
            store(out, 6 * i + j, load(x, 36 + i))
    symmetrize(out)
    store(out, 0, load(out, 0) + spoiled)


@kernel
def cholesky(A):
    """A = L L^T in the lower triangle of a 6x6 matrix; its diagonal then holds 1 / L_jj, or NaN where A is not definite"""
    for j in range(6):
        for i in range(j, 6):
            s = load(A, 6 * i + j)
            for k in range(j):
                s = s - load(A, 6 * i + k) * load(A, 6 * j + k)
            if i == j:
                store(A, 7 * j, 1.0 / sqrt(s + nan_unless(smaller(0.0 * s, s), s)))
            else:
                store(A, 6 * i + j, s * load(A, 7 * j))


@kernel
def symmetric_kernel(x, out):
    """Zero, if a matrix is symmetric"""
    store(out, 0, not_symmetric(x, 0))


@kernel
def inverse_inertia_kernel(x, out):
    """I^-1 = L^-T L^-1, if sum_j I_jj (I^-1)_jj, the trace of the inverse after scaling, is not what rounding alone gives"""
    a, b = (load(x, 0), load(x, 7), load(x, 14)), (load(x, 21), load(x, 28), load(x, 35))
    store(x, 0, load(x, 0) + not_symmetric(x, 0))
    cholesky(x)
    for j in range(6):  # the columns of L^-1, below the diagonal of out
        store(out, 7 * j, load(x, 7 * j))
        for i in range(j + 1, 6):
            s = load(x, 6 * i + j) * load(out, 7 * j)
            for k in range(j + 1, i):
                s = s + load(x, 6 * i + k) * load(out, 6 * k + j)
            store(out, 6 * i + j, -s * load(x, 7 * i))
    for i in range(6):
        for j in range(i + 1):
            s = 0.0 * load(x, 0)
            for k in range(i, 6):
                s = s + load(out, 6 * k + i) * load(out, 6 * k + j)
            store(x, 6 * i + j, s)
            store(x, 6 * j + i, s)
    trace = dot3(a, (load(x, 0), load(x, 7), load(x, 14))) + dot3(b, (load(x, 21), load(x, 28), load(x, 35)))
    store(x, 0, load(x, 0) + nan_unless(smaller(DEFINITE * trace, 0.0 * trace + 1.0), trace))
    for k in range(36):
        store(out, k, load(x, k))


SQUARE = (6, 6)
NOT_SYMMETRIC = "the rotational inertia is not symmetric, within 1e-6 of its size"
SPATIAL = Elementwise(
    "spatial_inertia",
    spatial_inertia_kernel,
    {"mass": (), "center_of_mass": (3,), "inertia": (3, 3)},
    SQUARE,
    NOT_SYMMETRIC,
)
PARAMETERS = Elementwise(
    "inertia_parameters", inertia_parameters_kernel, {"I": SQUARE}, (13,),
    "I is not the inertia of a rigid body: [J, h~; -h~, m 1] with a symmetric J and a mass m other than zero is expected",
)  # fmt: skip
SHIFT = Elementwise(
    "shift_inertia", shift_inertia_kernel, {"mass": (), "inertia": (3, 3), "offset": (3,)}, (3, 3), NOT_SYMMETRIC
)
MOMENTUM = Elementwise("body_momentum", momentum_kernel, {"I": SQUARE, "v": (6,)}, (6,))
KINETIC_ENERGY = Elementwise("body_kinetic_energy", kinetic_energy_kernel, {"I": SQUARE, "v": (6,)}, ())
NET_FORCE = Elementwise("net_force", net_force_kernel, {"I": SQUARE, "v": (6,), "a": (6,)}, (6,))
RATE = Elementwise(
    "inertia_rate", inertia_rate_kernel, {"I": SQUARE, "v": (6,)}, SQUARE, "I is not symmetric, within 1e-6 of its size"
)
INVERSE = Elementwise(
    "inverse_inertia", inverse_inertia_kernel, {"I": SQUARE}, SQUARE,
    "I is not symmetric and positive definite, beyond rounding",
)  # fmt: skip


def check_symmetric(function: str, name: str, I: ArrayLike) -> None:
    """Refuse an inertia that is not symmetric."""
    complaint = f"{name} is not symmetric, within 1e-6 of its size"
    Elementwise(function, symmetric_kernel, {name: SQUARE}, (), complaint)(I)


def spatial_inertia(mass: ArrayLike, center_of_mass: ArrayLike, inertia: ArrayLike) -> Array:
    """The spatial inertia of a rigid body, about the origin of its frame.

    Args:
        mass: ``(...)``; kg.
        center_of_mass: in the frame, ``(..., 3)``; m.
        inertia: the rotational inertia about the centre of mass, in axes parallel to the frame's, symmetric,
            ``(..., 3, 3)``; kg m^2.

    Returns:
        ``(..., 6, 6)``, symmetric. Whether a body can have it is another question:
        :func:`~pluecker.spatial.functions.consistency.check_consistent`. Far from the origin, ``m |c|^2`` outweighs the
        inertia about the centre, which then loses digits: all of them at 1e8 times the size of the body.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; the inertia is not symmetric.

    Source: RBDA section 2.13; course, section 45.
    """
    return SPATIAL(mass, center_of_mass, inertia)


def inertia_parameters(I: ArrayLike) -> tuple[Array, Array, Array]:
    """Mass, centre of mass and rotational inertia of a rigid body: the inverse of :func:`spatial_inertia`.

    Args:
        I: inertias of rigid bodies, ``(..., 6, 6)``.

    Returns:
        ``mass (...)``, kg; ``center_of_mass (..., 3)``, m; ``inertia (..., 3, 3)`` about the centre of mass, kg m^2.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not the inertia of a rigid body with mass.

    Source: RBDA section 2.13; course, section 45.
    """
    result = PARAMETERS(I)
    return result[..., 0], result[..., 1:4], result[..., 4:].reshape(*result.shape[:-1], 3, 3)


def shift_inertia(mass: ArrayLike, inertia: ArrayLike, offset: ArrayLike) -> Array:
    """The rotational inertia about a point away from the centre of mass: the theorem of parallel axes.

    Args:
        mass: ``(...)``; kg. With ``-mass`` and the inertia about the point, the way back.
        inertia: about the centre of mass, symmetric, ``(..., 3, 3)``; kg m^2.
        offset: from the one point to the other, ``(..., 3)``; m.

    Returns:
        ``inertia + mass (r.r 1 - r r^T)``, ``(..., 3, 3)``; kg m^2.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; the inertia is not symmetric.

    Source: RBDA section 2.13; course, section 45.
    """
    return SHIFT(mass, inertia, offset)


def body_momentum(I: ArrayLike, v: ArrayLike) -> Array:
    """``h = I v``: the spatial momentum, a force vector; the force ``I a`` of an acceleration, likewise.

    Args:
        I: inertias, rigid or articulated, ``(..., 6, 6)``.
        v: motion vectors, ``(..., 6)``, in the same coordinates; rad/s, m/s.

    Returns:
        ``[angular momentum about the origin, linear momentum]``, ``(..., 6)``; kg m^2/s, kg m/s.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.12; course, sections 44, 46 and 48 (A1).
    """
    return MOMENTUM(I, v)


def body_kinetic_energy(I: ArrayLike, v: ArrayLike) -> Array:
    """``T = 1/2 v . I v``.

    Args:
        I: inertias, ``(..., 6, 6)``.
        v: velocities, ``(..., 6)``, in the same coordinates; rad/s, m/s.

    Returns:
        ``(...)``; J.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.13; course, section 46.
    """
    return KINETIC_ENERGY(I, v)


def net_force(I: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """``f = I a + v x* I v``, the equation of motion: force is the rate of change of momentum.

    Args:
        I: inertias, ``(..., 6, 6)``.
        v: velocities, ``(..., 6)``; rad/s, m/s.
        a: spatial accelerations, ``(..., 6)``; rad/s^2, m/s^2. All in the same coordinates.

    Returns:
        The sum of all forces on the body, ``(..., 6)``; N m, N.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.14; course, sections 47 and 48 (A4).
    """
    return NET_FORCE(I, v, a)


def inertia_rate(I: ArrayLike, v: ArrayLike) -> Array:
    """``dI/dt = v x* I - I v x``: how the inertia of a body changes, in fixed coordinates, while it moves.

    Args:
        I: inertias, symmetric, ``(..., 6, 6)``.
        v: velocities, ``(..., 6)``, in the same coordinates; rad/s, m/s.

    Returns:
        ``(..., 6, 6)``, symmetric.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; I is not symmetric.

    Source: RBDA section 2.13; course, section 46.
    """
    return RATE(I, v)


def inverse_inertia(I: ArrayLike) -> Array:
    """``I^-1``, which maps force to motion. It transforms by ``X I^-1 X^T`` (from A to B coordinates).

    Args:
        I: inertias, symmetric and positive definite, ``(..., 6, 6)``.

    Returns:
        ``(..., 6, 6)``, symmetric, by Cholesky factorisation.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not symmetric or not positive definite.

    Source: RBDA section 2.15; course, section 48 (A2).
    """
    return INVERSE(I)


@composed
def relative_inertia(I_A: ArrayLike, I_B: ArrayLike) -> Array:
    """``(I_A^-1 + I_B^-1)^-1``: what two bodies that push one another feel, ``f = I_rel (a_B - a_A)``.

    Args:
        I_A: inertia of one body, ``(..., 6, 6)``.
        I_B: of the other, in the same coordinates, ``(..., 6, 6)``. One of the two may be singular; their sum may not.

    Returns:
        ``(..., 6, 6)``, symmetric, as ``I_A (I_A + I_B)^-1 I_B``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; the sum is not positive definite.

    Source: RBDA section 2.15; course, section 48 (A3).
    """
    A, B = (as_floats("relative_inertia", key, I, SQUARE) for key, I in (("I_A", I_A), ("I_B", I_B)))
    check_symmetric("relative_inertia", "I_A", A)
    check_symmetric("relative_inertia", "I_B", B)
    check_broadcast("relative_inertia", I_A=(A, 2), I_B=(B, 2))
    A, B = np.broadcast_arrays(A, B)
    both = finite("relative_inertia", A + B)
    inverse_inertia(both)  # which has to be definite
    L = np.linalg.cholesky(both)
    a, b = (np.linalg.solve(L, np.swapaxes(np.linalg.solve(L, I), -1, -2)) for I in (A, B))  # L^-1 I L^-T, at most 1
    result = L @ (a @ b) @ np.swapaxes(L, -1, -2)
    return np.asarray(0.5 * (result + np.swapaxes(result, -1, -2)))
