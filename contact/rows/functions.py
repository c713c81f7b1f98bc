"""The native functions of the configuration: value, wrench, and the second derivative without accelerations.

What is fixed to a link is ``R d`` and turns with ``w x R d``; its second derivative is ``dw/dt x R d + w x (w x R d)``. In
the formulas below, x, d, e are in world axes, ``s = x_2 - x_1``, ``y_1 = d_1 x e_1``.

To add a kind: a line in :mod:`~pluecker.contact.constraints.relation`, and a branch in each of the three kernels
:func:`function_value`, :func:`function_wrench` and :func:`function_bias`.
"""

from pluecker.contact.constraints.relation import ALIGN, ANGLE, COORDINATE, DISTANCE, OFFSET, SIGHT, USER
from pluecker.contact.rows.layout import (
    AXIS_1,
    AXIS_2,
    KIND,
    LINK_1,
    LINK_2,
    POINT_1,
    POINT_2,
    POSITION,
    SIDE_1,
    function_entry,
    function_place,
)
from pluecker.contact.rows.motion import (
    ACCELERATION,
    PLACE,
    VELOCITY,
    point_acceleration,
    point_of,
    point_velocity,
)
from pluecker.contact.rows.turning_functions import turning_bias, turning_value, turning_wrench
from pluecker.contact.rows.user import user_bias, user_value
from pluecker.spatial.algebra.transforms import load_transform
from pluecker.spatial.algebra.vectors import (
    add_cross3,
    cross3,
    dot3,
    load3,
    load_vector,
    rotate_back,
    scale3,
    subtract3,
)
from pluecker.spatial.compiled.decorators import kernel, unlikely
from pluecker.spatial.scalars.operations import atan2, load, select, smaller, sqrt

__all__ = ["function_bias", "function_value", "function_wrench"]

MEETING = 1e-24  # m^2: points as near as that, 1e-12 m, have a line of rounding between them, or none


@kernel
def direction(w, X, k, link, which):
    """An axis of function ``k``, fixed to a link, in world axes"""
    E, _ = load_transform(X, PLACE * link)
    return rotate_back(E, load3(w, function_place(w, k) + which))


@kernel
def points(w, X, k):
    """x_1 and x_2"""
    place = function_place(w, k)
    x1 = point_of(X, function_entry(w, k, LINK_1), load3(w, place + POINT_1))
    return x1, point_of(X, function_entry(w, k, LINK_2), load3(w, place + POINT_2))


@kernel
def turn(w, X, k):
    """e_1 . d_2, y_1 . d_2, e_1, y_1 and d_2 of a TURN"""
    link = function_entry(w, k, LINK_1)
    e1, d2 = direction(w, X, k, link, SIDE_1), direction(w, X, k, function_entry(w, k, LINK_2), AXIS_2)
    y1 = cross3(direction(w, X, k, link, AXIS_1), e1)
    return dot3(e1, d2), dot3(y1, d2), e1, y1, d2


@kernel
def sight(w, X, k):
    """e_1 . s, y_1 . s, e_1, y_1 and s of a SIGHT"""
    link = function_entry(w, k, LINK_1)
    x1, x2 = points(w, X, k)
    e1, s = direction(w, X, k, link, SIDE_1), subtract3(x2, x1)
    y1 = cross3(direction(w, X, k, link, AXIS_1), e1)
    return dot3(e1, s), dot3(y1, s), e1, y1, s


@kernel
def line(w, X, k, s):
    """1 / |s| and s / |s|; where there is no line, none and d_1"""
    size, d1 = dot3(s, s), direction(w, X, k, function_entry(w, k, LINK_1), AXIS_1)
    meets, zero, one = smaller(size, MEETING), 0.0 * size, 1.0 + 0.0 * size
    y = select(meets, zero, 1.0 / sqrt(select(meets, one, size)))
    along, (a, b, c) = scale3(y, s), d1
    return y, (select(meets, a, along[0]), select(meets, b, along[1]), select(meets, c, along[2]))


@kernel
def function_value(w, k, q, X):
    """phi"""
    kind = function_entry(w, k, KIND)
    if unlikely(kind == USER):
        return user_value(w, k, q)
    if kind == COORDINATE:
        i = function_entry(w, k, POSITION)
        return load(q, i) if i >= 0 else 0.0 * load(q, 0)
    if unlikely(kind >= ANGLE):
        return turning_value(w, k, X)
    if kind == OFFSET:
        x1, x2 = points(w, X, k)
        return dot3(direction(w, X, k, function_entry(w, k, LINK_1), AXIS_1), subtract3(x2, x1))
    if kind == DISTANCE:
        x1, x2 = points(w, X, k)
        s = subtract3(x2, x1)
        return sqrt(dot3(s, s))
    if kind == ALIGN:
        d1 = direction(w, X, k, function_entry(w, k, LINK_1), AXIS_1)
        return dot3(d1, direction(w, X, k, function_entry(w, k, LINK_2), AXIS_2))
    if kind == SIGHT:
        c, s, _, _, _ = sight(w, X, k)
        return atan2(s, c)
    c, s, _, _, _ = turn(w, X, k)
    return atan2(s, c)


@kernel
def function_wrench(w, k, X):
    """The point p, the moment n and the force f on the second body for a force of one along phi; none of a coordinate"""
    kind = function_entry(w, k, KIND)
    if unlikely(kind >= ANGLE):
        return turning_wrench(w, k, X)
    x1, x2 = points(w, X, k)
    zero = 0.0 * x2[0]
    none = zero, zero, zero
    if kind == OFFSET:
        return x2, none, direction(w, X, k, function_entry(w, k, LINK_1), AXIS_1)
    if kind == DISTANCE:
        return x2, none, line(w, X, k, subtract3(x2, x1))[1]
    if kind == ALIGN:
        d1 = direction(w, X, k, function_entry(w, k, LINK_1), AXIS_1)
        return x2, cross3(direction(w, X, k, function_entry(w, k, LINK_2), AXIS_2), d1), none
    if kind == SIGHT:
        c, s, e1, y1, _ = sight(w, X, k)
        return x2, none, scale3(1.0 / (c * c + s * s), subtract3(scale3(c, y1), scale3(s, e1)))
    c, s, e1, y1, d2 = turn(w, X, k)
    across = subtract3(scale3(c, y1), scale3(s, e1))
    return x2, scale3(1.0 / (c * c + s * s), cross3(d2, across)), none


@kernel
def function_bias(w, k, q, v, X, V, A):
    """d2phi/dt2 with no acceleration of any joint: Jdot v"""
    kind = function_entry(w, k, KIND)
    a, b = function_entry(w, k, LINK_1), function_entry(w, k, LINK_2)
    if unlikely(kind == USER):
        return user_bias(w, k, q, v)
    if kind == COORDINATE:
        return 0.0 * load(X, 0)
    if unlikely(kind >= ANGLE):
        return turning_bias(w, k, X, V, A)
    if kind in (OFFSET, DISTANCE, SIGHT):
        x1, x2 = points(w, X, k)
        s, rate = subtract3(x2, x1), subtract3(point_velocity(X, V, b, x2), point_velocity(X, V, a, x1))
        gain = subtract3(point_acceleration(X, V, A, b, x2), point_acceleration(X, V, A, a, x1))
        if kind == DISTANCE:  # u . s'' + (s'^2 - (u . s')^2) / |s|
            y, u = line(w, X, k, s)
            along = dot3(u, rate)
            return dot3(u, gain) + y * (dot3(rate, rate) - along * along)
        if kind == OFFSET:
            return offset_rates(V, A, a, direction(w, X, k, a, AXIS_1), s, rate, gain)[1]
        c, s0, e1, y1, s = sight(w, X, k)
        c1, c2 = offset_rates(V, A, a, e1, s, rate, gain)
        s1, s2 = offset_rates(V, A, a, y1, s, rate, gain)
        return angle_bias(c, s0, c1, s1, c2, s2)
    if kind == ALIGN:
        return product_bias(V, A, a, direction(w, X, k, a, AXIS_1), b, direction(w, X, k, b, AXIS_2))
    c, s, e1, y1, d2 = turn(w, X, k)
    c1, s1 = product_rate(V, a, e1, b, d2), product_rate(V, a, y1, b, d2)
    return angle_bias(c, s, c1, s1, product_bias(V, A, a, e1, b, d2), product_bias(V, A, a, y1, b, d2))


@kernel
def angle_bias(c, s, c1, s1, c2, s2):
    """The second derivative of atan2(s, c): phi'' = (c s'' - s c'' - 2 phi' (c c' + s s')) / (c^2 + s^2)"""
    size = 1.0 / (c * c + s * s)
    rate = size * (c * s1 - s * c1)
    return size * (c * s2 - s * c2 - 2.0 * rate * (c * c1 + s * s1))


@kernel
def offset_rates(V, A, a, d, s, rate, gain):
    """Both derivatives of d . s, with d fixed to link a"""
    d, turned, bent = turning(V, A, a, d)
    return dot3(turned, s) + dot3(d, rate), dot3(d, gain) + 2.0 * dot3(turned, rate) + dot3(bent, s)


@kernel
def turning(V, A, i, d):
    """d, dd/dt and d2d/dt2 of a direction that is fixed to link ``i``"""
    w, _ = load_vector(V, VELOCITY * i)
    b, _ = load_vector(A, ACCELERATION * i)
    rate = cross3(w, d)
    return d, rate, add_cross3(cross3(b, d), w, rate)


@kernel
def product_rate(V, a, x, b, y):
    """d(x . y)/dt of directions that are fixed to links a and b"""
    wa, _ = load_vector(V, VELOCITY * a)
    wb, _ = load_vector(V, VELOCITY * b)
    return dot3(cross3(wa, x), y) + dot3(x, cross3(wb, y))


@kernel
def product_bias(V, A, a, x, b, y):
    """The same for the second derivative"""
    x, x1, x2 = turning(V, A, a, x)
    y, y1, y2 = turning(V, A, b, y)
    return dot3(x2, y) + 2.0 * dot3(x1, y1) + dot3(x, y2)
