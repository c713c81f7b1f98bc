"""Native functions of the configuration: value, wrench, and the second derivative without accelerations.

What is fixed to a link is ``R d`` and turns with ``w x R d``; its second derivative is ``dw/dt x R d + w x (w x R d)``. In
the formulas below, x, d, e are in world axes, ``s = x_2 - x_1``, ``y_1 = d_1 x e_1``. Each kind is a function of d_1, e_1
and of what it looks at, y: an axis d_2 or the way s. So there is one place for each of these, and little to compile.

To add a kind: a line in :mod:`~pluecker.contact.constraints.relation`, and a branch in each of the three kernels
:func:`function_value`, :func:`function_wrench` and :func:`function_bias`.
"""

from pluecker.contact.constraints.relation import (
    ALIGN,
    ANGLE,
    COORDINATE,
    DISTANCE,
    OFFSET,
    SIGHT,
    TOUCH,
    TOUCH_TURN,
    TURN,
    USER,
)
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
from pluecker.contact.rows.touching import touch_value, touch_wrench
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
from pluecker.spatial.engine.compiled.decorators import kernel, unlikely
from pluecker.spatial.engine.scalars.operations import atan2, load, select, smaller, sqrt

__all__ = ["function_bias", "function_value", "function_wrench"]

MEETING = 1e-24  # m^2: points as near as that, 1e-12 m, have a line of rounding between them, or none


@kernel
def direction(w, X, k, link, which):
    """Return an axis of function ``k``, fixed to a link, in world axes"""
    E, _ = load_transform(X, PLACE * link)
    return rotate_back(E, load3(w, function_place(w, k) + which))


@kernel
def points(w, X, k):
    """Return x_1 and x_2"""
    place = function_place(w, k)
    x1 = point_of(X, function_entry(w, k, LINK_1), load3(w, place + POINT_1))
    return x1, point_of(X, function_entry(w, k, LINK_2), load3(w, place + POINT_2))


@kernel
def seen(w, X, k, kind):
    """Return what a function looks at from its first frame: an axis of the second body, d_2, or the way s to its point"""
    if kind in (ALIGN, TURN):
        return direction(w, X, k, function_entry(w, k, LINK_2), AXIS_2)
    x1, x2 = points(w, X, k)
    return subtract3(x2, x1)


@kernel
def line(s, d1):
    """Return 1 / |s| and s / |s|; where there is no line, zero and d_1"""
    size = dot3(s, s)
    meets, zero, one = smaller(size, MEETING), 0.0 * size, 1.0 + 0.0 * size
    y = select(meets, zero, 1.0 / sqrt(select(meets, one, size)))
    along, (a, b, c) = scale3(y, s), d1
    return y, (select(meets, a, along[0]), select(meets, b, along[1]), select(meets, c, along[2]))


@kernel
def function_value(w, k, q, X):
    """Compute phi: d_1 . y, |y|, or the angle of y about d_1"""
    kind = function_entry(w, k, KIND)
    if unlikely(kind == USER):
        return user_value(w, k, q)
    if kind == COORDINATE:
        i = function_entry(w, k, POSITION)
        return load(q, i) if i >= 0 else 0.0 * load(q, 0)
    if unlikely(kind >= TOUCH):
        return touch_value(w, k, X)
    if unlikely(kind >= ANGLE):
        return turning_value(w, k, X)
    link, y = function_entry(w, k, LINK_1), seen(w, X, k, kind)
    if kind == DISTANCE:
        return sqrt(dot3(y, y))
    d1 = direction(w, X, k, link, AXIS_1)
    if kind in (OFFSET, ALIGN):
        return dot3(d1, y)
    e1 = direction(w, X, k, link, SIDE_1)
    return atan2(dot3(cross3(d1, e1), y), dot3(e1, y))


@kernel
def function_wrench(w, k, X):
    """Compute point p, moment n and force f on the second body for a force of one along phi; none of a coordinate

    With g, the gradient of phi by y: the force g where y is a way, the moment y x g where it is an axis.
    """
    kind = function_entry(w, k, KIND)
    if unlikely(kind >= TOUCH):
        return touch_wrench(w, k, X)
    if unlikely(kind >= ANGLE):
        return turning_wrench(w, k, X)
    link, y, (_, p) = function_entry(w, k, LINK_1), seen(w, X, k, kind), points(w, X, k)
    g = direction(w, X, k, link, AXIS_1)
    if kind == DISTANCE:
        g = line(y, g)[1]
    if kind in (TURN, SIGHT):
        e1 = direction(w, X, k, link, SIDE_1)
        y1 = cross3(g, e1)
        c, s = dot3(e1, y), dot3(y1, y)
        g = scale3(1.0 / (c * c + s * s), subtract3(scale3(c, y1), scale3(s, e1)))
    zero = 0.0 * p[0]
    none = zero, zero, zero
    if kind in (ALIGN, TURN):
        return p, cross3(y, g), none
    return p, none, g


@kernel
def function_bias(w, k, q, v, X, V, A):
    """Compute d2phi/dt2 with no acceleration of any joint: Jdot v; zero of shapes that touch, see touching_bias"""
    kind = function_entry(w, k, KIND)
    if unlikely(kind == USER):
        return user_bias(w, k, q, v)
    if kind in (COORDINATE, TOUCH, TOUCH_TURN):
        return 0.0 * load(X, 0)
    if unlikely(kind >= ANGLE):
        return turning_bias(w, k, X, V, A)
    a, d1 = function_entry(w, k, LINK_1), direction(w, X, k, function_entry(w, k, LINK_1), AXIS_1)
    y, y1, y2 = seen_rates(w, k, kind, X, V, A)
    if kind == DISTANCE:  # u . s'' + (s'^2 - (u . s')^2) / |s|
        inverse, u = line(y, d1)
        along = dot3(u, y1)
        return dot3(u, y2) + inverse * (dot3(y1, y1) - along * along)
    if kind in (OFFSET, ALIGN):
        return product_rates(V, A, a, d1, y, y1, y2)[2]
    e1 = direction(w, X, k, a, SIDE_1)
    c, c1, c2 = product_rates(V, A, a, e1, y, y1, y2)
    s, s1, s2 = product_rates(V, A, a, cross3(d1, e1), y, y1, y2)
    return angle_bias(c, s, c1, s1, c2, s2)


@kernel
def seen_rates(w, k, kind, X, V, A):
    """Compute y, dy/dt and d2y/dt2 of what a function looks at"""
    a, b, y = function_entry(w, k, LINK_1), function_entry(w, k, LINK_2), seen(w, X, k, kind)
    if kind in (ALIGN, TURN):
        return turning(V, A, b, y)
    x1, x2 = points(w, X, k)
    rate = subtract3(point_velocity(X, V, b, x2), point_velocity(X, V, a, x1))
    return y, rate, subtract3(point_acceleration(X, V, A, b, x2), point_acceleration(X, V, A, a, x1))


@kernel
def angle_bias(c, s, c1, s1, c2, s2):
    """Compute the second derivative of atan2(s, c): phi'' = (c s'' - s c'' - 2 phi' (c c' + s s')) / (c^2 + s^2)"""
    size = 1.0 / (c * c + s * s)
    rate = size * (c * s1 - s * c1)
    return size * (c * s2 - s * c2 - 2.0 * rate * (c * c1 + s * s1))


@kernel
def product_rates(V, A, a, d, y, y1, y2):
    """Compute d . y with d fixed to link a, and both of its derivatives"""
    d, d1, d2 = turning(V, A, a, d)
    return dot3(d, y), dot3(d1, y) + dot3(d, y1), dot3(d2, y) + 2.0 * dot3(d1, y1) + dot3(d, y2)


@kernel
def turning(V, A, i, d):
    """Compute d, dd/dt and d2d/dt2 of a direction that is fixed to link ``i``"""
    w, _ = load_vector(V, VELOCITY * i)
    b, _ = load_vector(A, ACCELERATION * i)
    rate = cross3(w, d)
    return d, rate, add_cross3(cross3(b, d), w, rate)
