"""Scalar product and cross products of arrays of vectors (course, sections 6, 25, 26, 37 and 38).

=========================  ============================================================  =========================
formula                    function                                                      section
=========================  ============================================================  =========================
``a x``                    :func:`skew`, and back :func:`unskew`                         6
``m . f``                  :func:`scalar_product`                                        25, 26
``v x``, ``v x*``          :func:`crm`, :func:`crf`                                      37
``v x m``, ``v x* f``      :func:`cross_motion`, :func:`cross_force`                     37, 38
=========================  ============================================================  =========================
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.spatial.algebra import vectors
from pluecker.spatial.algebra.matrices import NEARLY, ZERO, load_block, nan_if, skew9, store_block, store_blocks
from pluecker.spatial.algebra.vectors import dot3, load3, load_vector, store3, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import smaller, store
from pluecker.spatial.functions.elementwise import Array, Elementwise

__all__ = ["crf", "crm", "cross_force", "cross_motion", "scalar_product", "skew", "unskew"]


@kernel
def skew_kernel(x, out):
    """a x"""
    store_block(out, 0, 3, skew9(load3(x, 0)))


@kernel
def unskew_kernel(x, out):
    """a from a x"""
    A = load_block(x, 0, 3)
    a = (0.5 * (A[7] - A[5]), 0.5 * (A[2] - A[6]), 0.5 * (A[3] - A[1]))
    d, e = (A[0], A[4], A[8]), (A[7] + A[5], A[2] + A[6], A[3] + A[1])
    spoiled = nan_if(smaller(NEARLY * NEARLY * dot3(a, a), dot3(d, d) + dot3(e, e)), a[0])
    store3(out, 0, (a[0] + spoiled, a[1], a[2]))


@kernel
def crm_kernel(x, out):
    """v x = [w x, 0; v x, w x]"""
    W = skew9(load3(x, 0))
    store_blocks(out, 0, W, ZERO, skew9(load3(x, 3)), W)


@kernel
def crf_kernel(x, out):
    """v x* = [w x, v x; 0, w x]"""
    W = skew9(load3(x, 0))
    store_blocks(out, 0, W, skew9(load3(x, 3)), ZERO, W)


@kernel
def cross_motion_kernel(x, out):
    """v x m"""
    store_vector(out, 0, vectors.cross_motion(load_vector(x, 0), load_vector(x, 6)))


@kernel
def cross_force_kernel(x, out):
    """v x* f"""
    store_vector(out, 0, vectors.cross_force(load_vector(x, 0), load_vector(x, 6)))


@kernel
def scalar_product_kernel(x, out):
    """m . f"""
    store(out, 0, vectors.dot(load_vector(x, 0), load_vector(x, 6)))


SKEW = Elementwise("skew", skew_kernel, {"a": (3,)}, (3, 3))
UNSKEW = Elementwise(
    "unskew", unskew_kernel, {"A": (3, 3)}, (3,), "A is not skew-symmetric, A^T = -A within 1e-6 of its size"
)
CRM = Elementwise("crm", crm_kernel, {"v": (6,)}, (6, 6))
CRF = Elementwise("crf", crf_kernel, {"v": (6,)}, (6, 6))
CROSS_MOTION = Elementwise("cross_motion", cross_motion_kernel, {"v": (6,), "m": (6,)}, (6,))
CROSS_FORCE = Elementwise("cross_force", cross_force_kernel, {"v": (6,), "f": (6,)}, (6,))
SCALAR_PRODUCT = Elementwise("scalar_product", scalar_product_kernel, {"m": (6,), "f": (6,)}, ())


def skew(a: ArrayLike) -> Array:
    """``a x``, the matrix with ``skew(a) @ b = a x b``.

    Args:
        a: 3D vectors, ``(..., 3)``.

    Returns:
        ``(..., 3, 3)``, skew-symmetric.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: RBDA section 2.8; course, section 6.
    """
    return SKEW(a)


def unskew(A: ArrayLike) -> Array:
    """The vector ``a`` of a matrix ``a x``: the inverse of :func:`skew`.

    Args:
        A: skew-symmetric matrices, ``(..., 3, 3)``.

    Returns:
        ``(..., 3)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not skew-symmetric.

    Source: RBDA section 2.8; course, section 6.
    """
    return UNSKEW(A)


def crm(v: ArrayLike) -> Array:
    """``v x``, the matrix with ``crm(v) @ m = v x m``: what a motion vector ``m`` that moves with ``v`` changes by.

    Args:
        v: motion vectors ``[w, v]``, ``(..., 6)``; rad/s, m/s.

    Returns:
        ``(..., 6, 6)``, ``[w x, 0; v x, w x]``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: RBDA section 2.9; course, section 37.
    """
    return CRM(v)


def crf(v: ArrayLike) -> Array:
    """``v x*``, the matrix with ``crf(v) @ f = v x* f``: what a force vector ``f`` that moves with ``v`` changes by.

    Args:
        v: motion vectors ``[w, v]``, ``(..., 6)``; rad/s, m/s.

    Returns:
        ``(..., 6, 6)``, ``[w x, v x; 0, w x] = -crm(v)^T``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: RBDA section 2.9; course, section 37.
    """
    return CRF(v)


def cross_motion(v: ArrayLike, m: ArrayLike) -> Array:
    """``v x m``: the rate of change of a motion vector ``m`` that moves with velocity ``v`` and does not change otherwise.

    Args:
        v: motion vectors ``[w, v]``, ``(..., 6)``; rad/s, m/s.
        m: motion vectors, ``(..., 6)``, in the same coordinates.

    Returns:
        Motion vectors, ``(..., 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.9; course, sections 37 and 38.
    """
    return CROSS_MOTION(v, m)


def cross_force(v: ArrayLike, f: ArrayLike) -> Array:
    """``v x* f``: the rate of change of a force vector ``f`` that moves with velocity ``v`` and does not change otherwise.

    Args:
        v: motion vectors ``[w, v]``, ``(..., 6)``; rad/s, m/s.
        f: force vectors ``[n, f]``, ``(..., 6)``, in the same coordinates.

    Returns:
        Force vectors, ``(..., 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.9; course, sections 37 and 38.
    """
    return CROSS_FORCE(v, f)


def scalar_product(m: ArrayLike, f: ArrayLike) -> Array:
    """``m . f``, defined between a motion and a force vector only: power, where ``m`` is a velocity.

    Args:
        m: motion vectors, ``(..., 6)``.
        f: force vectors, ``(..., 6)``, in the same coordinates.

    Returns:
        ``(...)``; W for a velocity in rad/s and m/s and a force in N m and N.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.6; course, sections 25 and 26.
    """
    return SCALAR_PRODUCT(m, f)
