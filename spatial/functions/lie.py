"""Exponentials and logarithms of arrays of rotations and of rigid motions, and their Jacobians.

A rotation vector ``a`` is axis times angle; ``R = exp3(a)`` carries vectors along, and is the transpose of the ``E`` of a
coordinate transform. A twist ``d = [a, b]`` is a velocity held for unit time; ``T = exp6(d) = [R, p; 0, 1]`` is where it
leads to. With ``a x`` and ``d x`` the matrices of the cross products (course, sections 6 and 37) and ``X`` the
transform that belongs to ``T``:

    R = expm(a x)        X^-1 = expm(d x)

The left Jacobian ``J`` says what a change of the argument does, seen from outside: ``exp(d + e) = exp(J e) exp(d)`` to first
order in ``e``; the right one, seen in the body: ``exp(d + e) = exp(d) exp(J e)``.

=====================================  ===============================================================================
formula                                function
=====================================  ===============================================================================
``1 + c1 a~ + c2 a~ a~``               :func:`exp3`, :func:`log3`
``[R, V(a) b; 0, 1]``                  :func:`exp6`, :func:`log6`
``sum (a x)^k / (k + 1)!``             :func:`left_jacobian3`, :func:`right_jacobian3`
``sum (d x)^k / (k + 1)!``             :func:`left_jacobian6`, :func:`right_jacobian6`
their inverses                         the same names with ``_inverse``
=====================================  ===============================================================================

Sources: Murray, Li, Sastry, *A Mathematical Introduction to Robotic Manipulation* (1994), section 2.3 and appendix A; for
the Jacobians, Barfoot, *State Estimation for Robotics* (2017), section 7.1. Derived anew, with the coefficients of
:func:`~pluecker.spatial.algebra.motions.coefficients`, which lose no digits next to zero.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.spatial.algebra.matrices import (
    ZERO,
    add9,
    load_block,
    nan_unless,
    not_orthonormal,
    scale9,
    skew9,
    square_of_skew,
    store_block,
    store_blocks,
)
from pluecker.spatial.algebra.motions import (
    coefficients,
    translation_from_twist,
    twist_coefficient,
    twist_from_translation,
)
from pluecker.spatial.algebra.rotations import quaternion_from_rotation, rotation_vector_from_quaternion
from pluecker.spatial.algebra.vectors import dot3, load3, multiply3, scale3, store3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, smaller, store
from pluecker.spatial.functions.elementwise import Array, Elementwise

__all__ = [
    "exp3", "exp6", "left_jacobian3", "left_jacobian3_inverse", "left_jacobian6", "left_jacobian6_inverse", "log3", "log6",
    "right_jacobian3", "right_jacobian3_inverse", "right_jacobian6", "right_jacobian6_inverse",
]  # fmt: skip


SINGULAR = 1e6  # of V^-1, relative to its own part -1/2 a~


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def plus_one(A):
    """1 + A"""
    return (1.0 + A[0], A[1], A[2], A[3], 1.0 + A[4], A[5], A[6], A[7], 1.0 + A[8])


@kernel
def rotation_exponential(a):
    """R = 1 + c1 a~ + c2 a~ a~"""
    c1, c2, _, _, _ = coefficients(dot3(a, a))
    return plus_one(add9(scale9(c1, skew9(a)), scale9(c2, square_of_skew(a))))


@kernel
def rotation_logarithm(R):
    """a with R = exp(a), of length 0 to pi"""
    return rotation_vector_from_quaternion(quaternion_from_rotation(R))


@kernel
def jacobian(a):
    """V(a) = 1 + c2 a~ + c3 a~ a~"""
    _, c2, c3, _, _ = coefficients(dot3(a, a))
    return plus_one(add9(scale9(c2, skew9(a)), scale9(c3, square_of_skew(a))))


@kernel
def jacobian_inverse(a):
    """V(a)^-1 = 1 - 1/2 a~ + D a~ a~; NaN next to whole turns, where V is singular"""
    y = dot3(a, a)
    D = twist_coefficient(y)
    size = D * (1.0 + y)
    D = D + nan_unless(smaller(size * size, SINGULAR * SINGULAR * (1.0 + y)), y)
    return plus_one(add9(scale9(-0.5, skew9(a)), scale9(D, square_of_skew(a))))


@kernel
def lower_block(a, b):
    """Q of J = [V, 0; Q, V], the derivative of V(a) in the direction b, in the products of a~ and b~ up to the fourth"""
    y, s = dot3(a, a), dot3(a, b)
    _, _, c3, c4, c5 = coefficients(y)
    A, B = skew9(a), skew9(b)
    AB, BA = multiply3(A, B), multiply3(B, A)
    AAB, BAA = multiply3(A, AB), multiply3(BA, A)  # and a~ b~ a~ = -(a . b) a~
    Q = add9(scale9(0.5, B), scale9(c3, add9(add9(AB, BA), scale9(-s, A))))
    Q = add9(Q, scale9(c4, add9(add9(AAB, BAA), scale9(3.0 * s, A))))
    return add9(Q, scale9((3.0 * c5 - c4) * s, square_of_skew(a)))


@kernel
def exp3_kernel(x, out):
    """R of a"""
    store_block(out, 0, 3, rotation_exponential(load3(x, 0)))


@kernel
def log3_kernel(x, out):
    """a of R"""
    R = load_block(x, 0, 3)
    a = rotation_logarithm(R)
    store3(out, 0, (a[0] + not_orthonormal(R), a[1], a[2]))


@kernel
def exp6_kernel(x, out):
    """T of [a, b]"""
    a, b = load3(x, 0), load3(x, 3)
    store_block(out, 0, 4, rotation_exponential(a))
    p = translation_from_twist(a, b)
    store(out, 3, p[0])
    store(out, 7, p[1])
    store(out, 11, p[2])
    store3(out, 12, (0.0, 0.0, 0.0))
    store(out, 15, 1.0)


@kernel
def log6_kernel(x, out):
    """[a, b] of T"""
    R, p, last, d = load_block(x, 0, 4), (load(x, 3), load(x, 7), load(x, 11)), load3(x, 12), load(x, 15) - 1.0
    wrong = dot3(last, last) + d * d
    wrong = nan_unless(smaller(wrong, 1e-12), wrong) + not_orthonormal(R)
    a = rotation_logarithm(R)
    store3(out, 0, (a[0] + wrong, a[1], a[2]))
    store3(out, 3, twist_from_translation(a, p))


@kernel
def left3_kernel(x, out):
    """V(a)"""
    store_block(out, 0, 3, jacobian(load3(x, 0)))


@kernel
def right3_kernel(x, out):
    """V(-a)"""
    store_block(out, 0, 3, jacobian(scale3(-1.0, load3(x, 0))))


@kernel
def left3_inverse_kernel(x, out):
    """V(a)^-1"""
    store_block(out, 0, 3, jacobian_inverse(load3(x, 0)))


@kernel
def right3_inverse_kernel(x, out):
    """V(-a)^-1"""
    store_block(out, 0, 3, jacobian_inverse(scale3(-1.0, load3(x, 0))))


@kernel
def store_jacobian6(out, a, b):
    """[V, 0; Q, V]"""
    V = jacobian(a)
    store_blocks(out, 0, V, ZERO, lower_block(a, b), V)


@kernel
def store_jacobian6_inverse(out, a, b):
    """[V, 0; Q, V]^-1 = [W, 0; -W Q W, W] with W = V^-1"""
    W = jacobian_inverse(a)
    store_blocks(out, 0, W, ZERO, scale9(-1.0, multiply3(multiply3(W, lower_block(a, b)), W)), W)


@kernel
def left6_kernel(x, out):
    """J(d)"""
    store_jacobian6(out, load3(x, 0), load3(x, 3))


@kernel
def right6_kernel(x, out):
    """J(-d)"""
    store_jacobian6(out, scale3(-1.0, load3(x, 0)), scale3(-1.0, load3(x, 3)))


@kernel
def left6_inverse_kernel(x, out):
    """J(d)^-1"""
    store_jacobian6_inverse(out, load3(x, 0), load3(x, 3))


@kernel
def right6_inverse_kernel(x, out):
    """J(-d)^-1"""
    store_jacobian6_inverse(out, scale3(-1.0, load3(x, 0)), scale3(-1.0, load3(x, 3)))


ANGULAR, TWIST = {"a": (3,)}, {"d": (6,)}
TURN = "the angle is a whole turn, where the Jacobian is singular"
EXP3 = Elementwise("exp3", exp3_kernel, ANGULAR, (3, 3))
LOG3 = Elementwise(
    "log3", log3_kernel, {"R": (3, 3)}, (3,),
    "R is not a rotation matrix: R R^T = 1 and det R = 1 are expected, within 1e-6",
)  # fmt: skip
EXP6 = Elementwise("exp6", exp6_kernel, TWIST, (4, 4))
LOG6 = Elementwise(
    "log6", log6_kernel, {"T": (4, 4)}, (6,),
    "T is not a placement: [R, p; 0 0 0 1] with a rotation R is expected, within 1e-6",
)  # fmt: skip
LEFT3 = Elementwise("left_jacobian3", left3_kernel, ANGULAR, (3, 3))
RIGHT3 = Elementwise("right_jacobian3", right3_kernel, ANGULAR, (3, 3))
LEFT3_INVERSE = Elementwise("left_jacobian3_inverse", left3_inverse_kernel, ANGULAR, (3, 3), TURN)
RIGHT3_INVERSE = Elementwise("right_jacobian3_inverse", right3_inverse_kernel, ANGULAR, (3, 3), TURN)
LEFT6 = Elementwise("left_jacobian6", left6_kernel, TWIST, (6, 6))
RIGHT6 = Elementwise("right_jacobian6", right6_kernel, TWIST, (6, 6))
LEFT6_INVERSE = Elementwise("left_jacobian6_inverse", left6_inverse_kernel, TWIST, (6, 6), TURN)
RIGHT6_INVERSE = Elementwise("right_jacobian6_inverse", right6_inverse_kernel, TWIST, (6, 6), TURN)


def exp3(a: ArrayLike) -> Array:
    """The rotation about the axis ``a / |a|`` by the angle ``|a|``.

    Args:
        a: rotation vectors, ``(..., 3)``; rad.

    Returns:
        ``R``, ``(..., 3, 3)``: it turns vectors; its transpose is the ``E`` of :func:`~.coordinates.pluecker_transform`.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: Rodrigues' formula; Murray, Li, Sastry, section 2.2.
    """
    return EXP3(a)


def log3(R: ArrayLike) -> Array:
    """The rotation vector of a rotation: the inverse of :func:`exp3`.

    Args:
        R: rotations, ``(..., 3, 3)``.

    Returns:
        Axis times angle, ``(..., 3)``, the angle from 0 to pi; rad. Half a turn has two; one of them is given.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not a rotation, within 1e-6.

    Source: through the unit quaternion, which loses no digits at any angle.
    """
    return LOG3(R)


def exp6(d: ArrayLike) -> Array:
    """The placement that a velocity held for unit time leads to.

    Args:
        d: twists ``[a, b]``, ``(..., 6)``, in coordinates of the moving frame; rad, m.

    Returns:
        ``T = [R, p; 0 0 0 1]``, ``(..., 4, 4)``: where the frame is then, seen from where it was. With
        :func:`~.coordinates.transform_from_placement`, ``expm(-crm(d))``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: Murray, Li, Sastry, section 2.3.
    """
    return EXP6(d)


def log6(T: ArrayLike) -> Array:
    """The twist of a placement: the inverse of :func:`exp6`.

    Args:
        T: ``[R, p; 0 0 0 1]``, ``(..., 4, 4)``.

    Returns:
        ``[a, b]``, ``(..., 6)``, with ``|a|`` from 0 to pi; rad, m.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not a placement, within 1e-6.

    Source: Murray, Li, Sastry, section 2.3.
    """
    return LOG6(T)


def left_jacobian3(a: ArrayLike) -> Array:
    """``J`` with ``exp(a + e) = exp(J e) exp(a)`` to first order in ``e``: a change seen from outside.

    Args:
        a: rotation vectors, ``(..., 3)``; rad.

    Returns:
        ``(..., 3, 3)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: Barfoot, section 7.1.
    """
    return LEFT3(a)


def right_jacobian3(a: ArrayLike) -> Array:
    """``J`` with ``exp(a + e) = exp(a) exp(J e)`` to first order in ``e``: a change seen in the body.

    Args:
        a: rotation vectors, ``(..., 3)``; rad.

    Returns:
        ``(..., 3, 3)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: Barfoot, section 7.1.
    """
    return RIGHT3(a)


def left_jacobian3_inverse(a: ArrayLike) -> Array:
    """``J^-1``: how the logarithm ``a`` changes with a small motion seen from outside.

    Args:
        a: rotation vectors, ``(..., 3)``; rad.

    Returns:
        ``(..., 3, 3)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; whole turns, where there is none.

    Source: Barfoot, section 7.1.
    """
    return LEFT3_INVERSE(a)


def right_jacobian3_inverse(a: ArrayLike) -> Array:
    """``J^-1``: how the logarithm ``a`` changes with a small motion seen in the body.

    Args:
        a: rotation vectors, ``(..., 3)``; rad.

    Returns:
        ``(..., 3, 3)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; whole turns, where there is none.

    Source: Barfoot, section 7.1.
    """
    return RIGHT3_INVERSE(a)


def left_jacobian6(d: ArrayLike) -> Array:
    """``J`` with ``exp(d + e) = exp(J e) exp(d)`` to first order in ``e``: a change seen from outside.

    Args:
        d: twists ``[a, b]``, ``(..., 6)``; rad, m.

    Returns:
        ``(..., 6, 6)``, ``[V, 0; Q, V]``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: Barfoot, section 7.1.
    """
    return LEFT6(d)


def right_jacobian6(d: ArrayLike) -> Array:
    """``J`` with ``exp(d + e) = exp(d) exp(J e)`` to first order in ``e``: a change seen in the body.

    Args:
        d: twists ``[a, b]``, ``(..., 6)``; rad, m.

    Returns:
        ``(..., 6, 6)``, ``[V, 0; Q, V]``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: Barfoot, section 7.1.
    """
    return RIGHT6(d)


def left_jacobian6_inverse(d: ArrayLike) -> Array:
    """``J^-1``: how the logarithm ``d`` changes with a small motion seen from outside.

    Args:
        d: twists ``[a, b]``, ``(..., 6)``; rad, m.

    Returns:
        ``(..., 6, 6)``, ``[V^-1, 0; -V^-1 Q V^-1, V^-1]``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; whole turns, where there is none.

    Source: Barfoot, section 7.1.
    """
    return LEFT6_INVERSE(d)


def right_jacobian6_inverse(d: ArrayLike) -> Array:
    """``J^-1``: how the logarithm ``d`` changes with a small motion seen in the body.

    Args:
        d: twists ``[a, b]``, ``(..., 6)``; rad, m.

    Returns:
        ``(..., 6, 6)``, ``[V^-1, 0; -V^-1 Q V^-1, V^-1]``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; whole turns, where there is none.

    Source: Barfoot, section 7.1.
    """
    return RIGHT6_INVERSE(d)
