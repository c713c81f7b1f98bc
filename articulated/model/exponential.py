"""Exponential coordinates of a turn: a rotation vector ``q``, axis times angle, as the three coordinates of a joint.

With ``R = exp(q)`` from body to parent coordinates and ``y = |q|^2``, the angular velocity in body coordinates is

    w = J(q) dq/dt      J(q) = 1 - B q~ + C q~ q~      B = (1 - cos t) / t^2    C = (t - sin t) / t^3    t = |q|

the axial vector of ``R^T dR/dt``. J is the identity at ``q = 0`` and singular at full turns, ``|q| = 2 pi``. A turn has
many vectors: ``q + 2 pi k q/|q|`` for every whole k, its *equivalents*; the shortest is not longer than pi, which is half
the way to the singularity.

The coefficients are sums of series in y, which have a value and derivatives at zero too; no norm is taken there. The two
formulas that all algorithms need are long and serve one kind of joint, so that they stay functions of their own in the
compiled code.

Sources: R. Murray, Z. Li, S. Sastry, *A Mathematical Introduction to Robotic Manipulation* (1994), section 2.2; Grassia
(1998) for the change of vector; for ``R^T dR/dq``, source document 002, docs/sources.md, equation 21.
"""

import math

from pluecker.spatial.algebra.motions import coefficients
from pluecker.spatial.algebra.rotations import quaternion_from_rotation_vector, rotation_from_quaternion
from pluecker.spatial.algebra.vectors import add3, cross3, dot3, scale3, subtract3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import atan2, lift, select, sincos, smaller, sqrt

__all__ = [
    "carried_rate", "difference_exponential", "exponential_products", "exponential_rotation", "nearest", "shortest",
    "spring_exponential", "unit_vector",
]  # fmt: skip

HALF_TURN = math.pi**2  # of |q|^2
NOTHING = 1e-200  # of |q|^2: shorter vectors have no direction


@kernel
def unit_vector(k, like):
    """Column ``k`` of the identity, of scalars as ``like``"""
    x, y, z = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
    return (lift(x, like), lift(y, like), lift(z, like))


@called_kernel
def exponential_rotation(q):
    """E = exp(q)^T, by a quaternion, so that it is a rotation to the last bits"""
    return rotation_from_quaternion(quaternion_from_rotation_vector(q))


@called_kernel
def exponential_products(q, qd, u):
    """(J u, J^T u, dJ/dt u), of which callers take one: one function for all three compiles faster than three

        J u     = u - B q x u + C q x (q x u)
        J^T u   = u + B q x u + C q x (q x u)
        dJ/dt u = -Bd q x u - B qd x u + Cd q x (q x u) + C (qd x (q x u) + q x (qd x u))

    The coefficients have dB/dy = (2 c4 - c3) / 2 and dC/dy = (3 c5 - c4) / 2, and dy/dt = 2 q . qd.
    """
    _, B, C, c4, c5 = coefficients(dot3(q, q))
    half = dot3(q, qd)
    Bd, Cd = half * (2.0 * c4 - C), half * (3.0 * c5 - c4)
    qu, qdu = cross3(q, u), cross3(qd, u)
    qqu, b = cross3(q, qu), scale3(B, qu)
    even = add3(u, scale3(C, qqu))
    second = add3(scale3(Cd, qqu), scale3(C, add3(cross3(qd, qu), cross3(q, qdu))))
    rate = subtract3(second, add3(scale3(Bd, qu), scale3(B, qdu)))
    return subtract3(even, b), add3(even, b), rate


# ------------------------------------------------------------------------------------------------------------- equivalents


@kernel
def shortest(q):
    """The equivalent of ``q`` that is not longer than half a turn; ``q`` itself if it is not"""
    y = dot3(q, q)
    far = smaller(HALF_TURN, y)
    t = sqrt(select(far, y, y * 0.0 + 1.0))
    s, c = sincos(t)
    return scale3(select(far, atan2(s, c) / t, y * 0.0 + 1.0), q)


@kernel
def whole_turns(x):
    """The multiple of 2 pi that brings an angle of up to 31 half turns below half a one; its derivative is zero"""
    shift = x * 0.0
    for n in (8, 4, 2, 1):
        far, y = (2 * n - 1) * math.pi, x + shift
        shift = shift + select(smaller(far, y), -2.0 * n * math.pi, select(smaller(y, -far), 2.0 * n * math.pi, 0.0))
    return shift


@kernel
def nearest(q0, q1):
    """(d, t, u, shift): ``q0 + d = q1 + shift u`` is that equivalent of ``q1 = t u`` which is nearest to ``q0``

    ``shift`` is a multiple of 2 pi, and zero where ``q1`` is nearest itself.
    """
    d, y = subtract3(q1, q0), dot3(q1, q1)
    none = smaller(y, NOTHING)
    t = sqrt(select(none, y * 0.0 + 1.0, y))
    u = scale3(select(none, y * 0.0, 1.0 / t), q1)
    shift = whole_turns(dot3(u, d))
    return add3(d, scale3(shift, u)), t, u, shift


@kernel
def difference_exponential(q0, q1):
    """Compute the difference from ``q0`` to the nearest equivalent of ``q1``"""
    d, _, _, _ = nearest(q0, q1)
    return d


@kernel
def carried_rate(q0, q1, v):
    """dq/dt in the chart of ``q1`` from ``v`` in the chart of ``q0``, both at the turn of ``q1``: J(q1)^-1 J(w) v

    with w the equivalent of ``q1`` nearest to ``q0``. As w is along ``q1``, what of the velocity is along both stays, and
    what is across them is scaled by |q1| / |w|, with its sign, because exp(w) = exp(q1).
    """
    _, t, u, shift = nearest(q0, q1)
    ratio = t / (t + shift)
    along = (1.0 - ratio) * dot3(u, v)
    return add3(scale3(ratio, v), scale3(along, u))


@kernel
def spring_exponential(q0, q, K):
    """(force, energy) of springs K, diagonal, on the way d from ``q0`` to the nearest equivalent of ``q``

    d = q + shift u - q0, so that dd/dq = u u^T + (t + shift) / t (1 - u u^T), symmetric.
    """
    d, t, u, shift = nearest(q0, q)
    f = (K[0] * d[0], K[1] * d[1], K[2] * d[2])
    across = shift / t
    force = add3(scale3(1.0 + across, f), scale3(-across * dot3(u, f), u))
    return force, 0.5 * dot3(d, f)
