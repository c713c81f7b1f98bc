"""Inertias: of a rigid body (10 numbers) and of an articulated body (21 numbers).

An inertia maps motion to force, ``f = I v``. Symmetric 3x3 matrices are tuples of six, ``(xx, xy, xz, yy, yz, zz)``.

Rigid body ``(m, h, J)``: mass, first moment ``h = m c`` with ``c`` the centre of mass, and rotational inertia about the
origin ``J`` (course, section 45; RBDA section 2.13):

    I = [  J     h~  ]
        [ -h~   m 1  ]

Articulated body ``(J, H, M)``, a general symmetric 6x6 with ``J`` and ``M`` symmetric (RBDA section 7.1):

    I = [  J     H ]
        [  H^T   M ]
"""

from pluecker.spatial.algebra.transforms import load_matrix, store_matrix
from pluecker.spatial.algebra.vectors import add3, add_cross3, load3, multiply3, rotate, rotate_back, scale3, store3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = [
    "add_articulated", "add_rigid", "articulated_from_rigid", "articulated_times_motion", "inverse_transform_articulated",
    "inverse_transform_rigid", "load_articulated", "load_rigid", "rank1_downdate", "rigid_times_motion",
    "rotate_symmetric_back", "shift_articulated", "store_articulated", "store_rigid", "symmetric_times",
]  # fmt: skip


@kernel
def symmetric_times(J, a):
    """J a, with the symmetric ``J`` given by six numbers"""
    return (
        J[0] * a[0] + J[1] * a[1] + J[2] * a[2],
        J[1] * a[0] + J[3] * a[1] + J[4] * a[2],
        J[2] * a[0] + J[4] * a[1] + J[5] * a[2],
    )


@kernel
def rotate_symmetric_back(E, J):
    """E^T J E, six numbers"""
    x, y, z = (E[0], E[3], E[6]), (E[1], E[4], E[7]), (E[2], E[5], E[8])  # columns of E
    Jx, Jy, Jz = symmetric_times(J, x), symmetric_times(J, y), symmetric_times(J, z)
    return (
        x[0] * Jx[0] + x[1] * Jx[1] + x[2] * Jx[2],
        x[0] * Jy[0] + x[1] * Jy[1] + x[2] * Jy[2],
        x[0] * Jz[0] + x[1] * Jz[1] + x[2] * Jz[2],
        y[0] * Jy[0] + y[1] * Jy[1] + y[2] * Jy[2],
        y[0] * Jz[0] + y[1] * Jz[1] + y[2] * Jz[2],
        z[0] * Jz[0] + z[1] * Jz[1] + z[2] * Jz[2],
    )


@kernel
def add_symmetric(A, B):
    """A + B, six numbers each"""
    return (A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5])


# ------------------------------------------------------------------------------------------------------------ rigid body


@kernel
def rigid_times_motion(I, v):
    """I v = (J w + h x v, m v - h x w): momentum of a velocity, force of an acceleration (RBDA section 2.13)"""
    m, h, J = I
    w, vO = v
    return (add_cross3(symmetric_times(J, w), h, vO), add_cross3(scale3(m, vO), w, h))


@kernel
def add_rigid(A, B):
    """A + B: the inertia of two bodies joined rigidly (course, section 46)"""
    return (A[0] + B[0], add3(A[1], B[1]), add_symmetric(A[2], B[2]))


@kernel
def inverse_transform_rigid(X, I):
    """X^T I X: the inertia from B to A coordinates, ``X = (E, r)`` from A to B (RBDA section 2.13)

    With g = E^T h:  m,  g + m r,  E^T J E - r~ g~ - (g + m r)~ r~, where (a~ b~) = b a^T - (a . b) 1.
    """
    E, r = X
    m, h, J = I
    g = rotate_back(E, h)
    k = add3(g, scale3(m, r))
    R = rotate_symmetric_back(E, J)
    xx, yy, zz = r[0] * (g[0] + k[0]), r[1] * (g[1] + k[1]), r[2] * (g[2] + k[2])
    xy = -g[0] * r[1] - r[0] * k[1]
    xz = -g[0] * r[2] - r[0] * k[2]
    yz = -g[1] * r[2] - r[1] * k[2]
    return (m, k, add_symmetric(R, (yy + zz, xy, xz, xx + zz, yz, xx + yy)))


@kernel
def load_rigid(array, k):
    """A rigid-body inertia from ten entries of a scalar array: ``m``, ``h``, ``J``."""
    a, b = load3(array, k + 4), load3(array, k + 7)
    return (load(array, k), load3(array, k + 1), (a[0], a[1], a[2], b[0], b[1], b[2]))


@kernel
def store_rigid(array, k, I):
    """Write a rigid-body inertia to ten entries of a scalar array: ``m``, ``h``, ``J``."""
    store(array, k, I[0])
    store3(array, k + 1, I[1])
    store_symmetric(array, k + 4, I[2])


@kernel
def store_symmetric(array, k, J):
    """Write a symmetric 3x3 matrix to six entries of a scalar array."""
    store3(array, k, (J[0], J[1], J[2]))
    store3(array, k + 3, (J[3], J[4], J[5]))


# ------------------------------------------------------------------------------------------------------ articulated body


@kernel
def articulated_from_rigid(I):
    """The 21 numbers of a rigid-body inertia"""
    m, h, J = I
    z = 0.0 * m
    return (J, (z, -h[2], h[1], h[2], z, -h[0], -h[1], h[0], z), (m, z, z, m, z, m))


@kernel
def articulated_times_motion(I, v):
    """I v = (J w + H v, H^T w + M v)"""
    J, H, M = I
    w, vO = v
    return (add3(symmetric_times(J, w), rotate(H, vO)), add3(rotate_back(H, w), symmetric_times(M, vO)))


@kernel
def add_articulated(A, B):
    """A + B"""
    H = (
        A[1][0] + B[1][0], A[1][1] + B[1][1], A[1][2] + B[1][2],
        A[1][3] + B[1][3], A[1][4] + B[1][4], A[1][5] + B[1][5],
        A[1][6] + B[1][6], A[1][7] + B[1][7], A[1][8] + B[1][8],
    )  # fmt: skip
    return (add_symmetric(A[0], B[0]), H, add_symmetric(A[2], B[2]))


@kernel
def rank1_downdate(I, U, d):
    """I - d U U^T: what is left of an inertia when the freedom with U = I S and d = 1 / (S^T U) yields (RBDA section 7.3)"""
    J, H, M = I
    n, f = U
    a, b = scale3(d, n), scale3(d, f)
    return (
        (J[0] - n[0] * a[0], J[1] - n[0] * a[1], J[2] - n[0] * a[2], J[3] - n[1] * a[1], J[4] - n[1] * a[2],
         J[5] - n[2] * a[2]),
        (H[0] - a[0] * f[0], H[1] - a[0] * f[1], H[2] - a[0] * f[2],
         H[3] - a[1] * f[0], H[4] - a[1] * f[1], H[5] - a[1] * f[2],
         H[6] - a[2] * f[0], H[7] - a[2] * f[1], H[8] - a[2] * f[2]),
        (M[0] - f[0] * b[0], M[1] - f[0] * b[1], M[2] - f[0] * b[2], M[3] - f[1] * b[1], M[4] - f[1] * b[2],
         M[5] - f[2] * b[2]),
    )  # fmt: skip


@kernel
def inverse_transform_articulated(X, I):
    """X^T I X: the inertia from B to A coordinates, ``X = (E, r)`` from A to B (RBDA appendix A)

    First the rotation, J' = E^T J E and so on; then the shift.
    """
    E, r = X
    turned = rotate_symmetric_back(E, I[0]), multiply3(rotate3_back(E, I[1]), E), rotate_symmetric_back(E, I[2])
    return shift_articulated(r, turned)


@kernel
def shift_articulated(r, I):
    """The inertia about a point at ``-r``, in the same axes (RBDA appendix A)

    H' = H + r~ M,  J' = J + (r~ H^T)^T + r~ H'^T.
    """
    J, H, M = I
    Gx = add_cross3((H[0], H[3], H[6]), r, (M[0], M[1], M[2]))  # columns of H'
    Gy = add_cross3((H[1], H[4], H[7]), r, (M[1], M[3], M[4]))
    Gz = add_cross3((H[2], H[5], H[8]), r, (M[2], M[4], M[5]))
    hx, hy, hz = (H[0], H[1], H[2]), (H[3], H[4], H[5]), (H[6], H[7], H[8])
    gx, gy, gz = (Gx[0], Gy[0], Gz[0]), (Gx[1], Gy[1], Gz[1]), (Gx[2], Gy[2], Gz[2])
    shifted = (
        add_cross_x(add_cross_x(J[0], r, hx), r, gx),
        add_cross_x(add_cross_y(J[1], r, hx), r, gy),
        add_cross_x(add_cross_z(J[2], r, hx), r, gz),
        add_cross_y(add_cross_y(J[3], r, hy), r, gy),
        add_cross_y(add_cross_z(J[4], r, hy), r, gz),
        add_cross_z(add_cross_z(J[5], r, hz), r, gz),
    )
    return (shifted, (Gx[0], Gy[0], Gz[0], Gx[1], Gy[1], Gz[1], Gx[2], Gy[2], Gz[2]), M)


@kernel
def add_cross_x(s, a, b):
    """s + (a x b)_x"""
    return s + a[1] * b[2] - a[2] * b[1]


@kernel
def add_cross_y(s, a, b):
    """s + (a x b)_y"""
    return s + a[2] * b[0] - a[0] * b[2]


@kernel
def add_cross_z(s, a, b):
    """s + (a x b)_z"""
    return s + a[0] * b[1] - a[1] * b[0]


@kernel
def rotate3_back(E, H):
    """E^T H, both 3x3"""
    return multiply3((E[0], E[3], E[6], E[1], E[4], E[7], E[2], E[5], E[8]), H)


@kernel
def load_articulated(array, k):
    """An articulated-body inertia from 21 entries of a scalar array: ``J``, ``H``, ``M``."""
    a, b, c, d = load3(array, k), load3(array, k + 3), load3(array, k + 15), load3(array, k + 18)
    return ((a[0], a[1], a[2], b[0], b[1], b[2]), load_matrix(array, k + 6), (c[0], c[1], c[2], d[0], d[1], d[2]))


@kernel
def store_articulated(array, k, I):
    """Write an articulated-body inertia to 21 entries of a scalar array: ``J``, ``H``, ``M``."""
    store_symmetric(array, k, I[0])
    store_matrix(array, k + 6, I[1])
    store_symmetric(array, k + 15, I[2])
