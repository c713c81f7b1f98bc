"""Native functions of the configuration: value, wrench, and the second derivative without accelerations.

What is fixed to a link is ``R d`` and turns with ``w x R d``; its second derivative is ``dw/dt x R d + w x (w x R d)``. In
the formulas below, x, d, e are in world axes, ``s = x_2 - x_1``, ``y_1 = d_1 x e_1``. Each kind is a function of d_1, e_1
and of what it looks at, y: an axis d_2 or the way s. So there is one place for each of these, and little to compile.

To add a kind: a line in :mod:`~pluecker.contact.constraints.relation`, and a branch in each of the three kernels
:func:`function_value`, :func:`function_wrench` and :func:`function_bias`.

ANGLE, ROTATION, SPIN, SLIP and ROLL, functions and rates of relative turns, are rarer than the others: they have kernels of
their own, each of which is compiled once.

Source: for the rotation vector, :mod:`~pluecker.articulated.model.exponential`.
"""

from math import pi

from pluecker.articulated.model.exponential import difference_exponential, exponential_products
from pluecker.contact.constraints.relation import (
    ALIGN,
    ANGLE,
    COORDINATE,
    DISTANCE,
    OFFSET,
    ROLL,
    ROTATION,
    SIGHT,
    SPIN,
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
    NEAR,
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
from pluecker.contact.rows.user import user_bias, user_value
from pluecker.spatial.algebra.motions import twist_from_translation
from pluecker.spatial.algebra.rotations import quaternion_from_rotation, rotation_vector_from_quaternion
from pluecker.spatial.algebra.transforms import load_transform
from pluecker.spatial.algebra.vectors import (
    add3,
    add_cross3,
    cross3,
    dot3,
    load3,
    load_vector,
    rotate,
    rotate_back,
    scale3,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel, unlikely
from pluecker.spatial.engine.scalars.operations import atan2, load, select, smaller, sqrt

__all__ = [
    "continued_rotation", "function_bias", "function_value", "function_wrench", "turning_bias", "turning_value",
    "turning_wrench",
]  # fmt: skip

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


QUARTER_TURN = 0.25 * pi * pi  # of |r|^2: shorter vectors do not change within a step


@kernel
def own_axis(w, X, k, which_link, which_axis):
    """Return an axis of function ``k``, fixed to a link, in world axes"""
    E, _ = load_transform(X, PLACE * function_entry(w, k, which_link))
    return rotate_back(E, load3(w, function_place(w, k) + which_axis))


@called_kernel
def rotation_vector(w, k, X):
    """Compute the vector of the turn from axes e, d x e, d on the first body to those of the second, in its axes

    The equivalent that is nearest to a vector which is given; the shortest, if that is zero.
    """
    E2, _ = load_transform(X, PLACE * function_entry(w, k, LINK_2))
    z = rotate(E2, own_axis(w, X, k, LINK_1, AXIS_1))
    x = rotate(E2, own_axis(w, X, k, LINK_1, SIDE_1))
    y = cross3(z, x)  # rows of R = [x' y' z']', which takes coordinates of the second body to those of the axes
    R = x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]
    near = load3(w, function_place(w, k) + NEAR)
    return add3(near, difference_exponential(near, rotation_vector_from_quaternion(quaternion_from_rotation(R))))


@called_kernel
def continued_rotation(w, k, X, value, expected):
    """Select of a ROTATION's value and its equivalents beside it the nearest to what is expected; NaN expects nothing

    These differ by d . u times a whole turn, with the direction u of the vector. Within a step a vector changes only where
    it is long.
    """
    r = rotation_vector(w, k, X)
    size = dot3(r, r)
    far, zero = smaller(QUARTER_TURN, size), 0.0 * size
    turn = dot3(load3(w, function_place(w, k) + AXIS_2), r) * (2.0 * pi / sqrt(select(far, size, 1.0 + zero)))
    turn = select(far, turn, zero)
    nearest, off = value, value - expected
    for other in (value - turn, value + turn):
        miss = other - expected
        nearer = smaller(miss * miss, off * off)
        nearest, off = select(nearer, other, nearest), select(nearer, miss, off)
    return nearest


@called_kernel
def turning_value(w, k, X):
    """Compute phi"""
    kind = function_entry(w, k, KIND)
    if kind == ANGLE:
        d1, d2 = own_axis(w, X, k, LINK_1, AXIS_1), own_axis(w, X, k, LINK_2, AXIS_2)
        n = cross3(d1, d2)
        return atan2(sqrt(dot3(n, n)), dot3(d1, d2))
    if kind == ROTATION:
        return dot3(load3(w, function_place(w, k) + AXIS_2), rotation_vector(w, k, X))
    E, _ = load_transform(X, 0)
    return 0.0 * E[0]


@called_kernel
def turning_wrench(w, k, X):
    """Compute p, n, f"""
    kind, link = function_entry(w, k, KIND), function_entry(w, k, LINK_2)
    p = point_of(X, link, load3(w, function_place(w, k) + POINT_2))
    d2 = own_axis(w, X, k, LINK_2, AXIS_2)
    none = scale3(0.0, d2)
    if kind == ANGLE:
        n = cross3(own_axis(w, X, k, LINK_1, AXIS_1), d2)
        return p, scale3(1.0 / sqrt(dot3(n, n)), n), none
    if kind == ROTATION:  # d . J^-1 w = (J^-T d) . w, and J(r)^T = J(-r)
        r, d = rotation_vector(w, k, X), load3(w, function_place(w, k) + AXIS_2)
        E, _ = load_transform(X, PLACE * link)
        return p, rotate_back(E, inverse_products(scale3(-1.0, r), d)), none
    if kind == SPIN:
        return p, d2, none
    if kind == ROLL:
        return add3(p, own_axis(w, X, k, LINK_1, SIDE_1)), none, own_axis(w, X, k, LINK_1, AXIS_1)
    return p, none, d2


@kernel
def inverse_products(r, u):
    """Compute J(r)^-1 u = u + r x u / 2 + D r x (r x u), the inverse of ``u - B r x u + C r x (r x u)``"""
    return twist_from_translation(scale3(-1.0, r), u)


@called_kernel
def turning_bias(w, k, X, V, A):
    """Compute the second derivative of phi, or the first of the rate, with no acceleration of any joint"""
    kind, a, b = function_entry(w, k, KIND), function_entry(w, k, LINK_1), function_entry(w, k, LINK_2)
    w1, _ = load_vector(V, VELOCITY * a)
    w2, _ = load_vector(V, VELOCITY * b)
    b1, _ = load_vector(A, ACCELERATION * a)
    b2, _ = load_vector(A, ACCELERATION * b)
    u, d2 = subtract3(w2, w1), own_axis(w, X, k, LINK_2, AXIS_2)
    gain = add3(subtract3(b2, b1), cross3(w2, w1))  # of u, in axes that turn with the second body: b2 - b1 - w2 x u
    if kind == SPIN:
        return dot3(d2, gain)
    if kind == ROTATION:  # r'' = J^-1 (u' - J' r')
        E, _ = load_transform(X, PLACE * b)
        r, d = rotation_vector(w, k, X), load3(w, function_place(w, k) + AXIS_2)
        rate = inverse_products(r, rotate(E, u))
        _, _, turned = exponential_products(r, rate, rate)
        return dot3(d, inverse_products(r, subtract3(rotate(E, gain), turned)))
    if kind == ANGLE:
        return angle_between_bias(own_axis(w, X, k, LINK_1, AXIS_1), d2, w1, w2, b1, b2)
    x = point_of(X, b, load3(w, function_place(w, k) + POINT_2))
    if kind == ROLL:
        return rolling_bias(w, k, X, V, A, x)
    slip = subtract3(point_velocity(X, V, b, x), point_velocity(X, V, a, x))
    change = subtract3(point_acceleration(X, V, A, b, x), point_acceleration(X, V, A, a, x))
    change = subtract3(change, cross3(w1, slip))  # the point of the first body is another one at each instant
    return dot3(d2, change) + dot3(cross3(w2, d2), slip)


@kernel
def rolling_bias(w, k, X, V, A, c):
    """Compute the bias of the rate along d of two points at c + e, e and d fixed to the first body, c to the second

    The point of the first body is another one at each instant, and so is that of the second: they are overtaken by p.
    """
    a, b = function_entry(w, k, LINK_1), function_entry(w, k, LINK_2)
    d, e = own_axis(w, X, k, LINK_1, AXIS_1), own_axis(w, X, k, LINK_1, SIDE_1)
    w1, _ = load_vector(V, VELOCITY * a)
    w2, _ = load_vector(V, VELOCITY * b)
    p = add3(c, e)
    v1, v2 = point_velocity(X, V, a, p), point_velocity(X, V, b, p)
    vp = add3(point_velocity(X, V, b, c), cross3(w1, e))  # of the place where they touch
    slip = subtract3(v2, v1)
    change = subtract3(point_acceleration(X, V, A, b, p), point_acceleration(X, V, A, a, p))
    change = add3(change, subtract3(cross3(w2, subtract3(vp, v2)), cross3(w1, subtract3(vp, v1))))
    return dot3(d, change) + dot3(cross3(w1, d), slip)


@kernel
def angle_between_bias(d1, d2, w1, w2, b1, b2):
    """Compute phi'' of c = d_1 . d_2 = cos phi: c' = -s phi', c'' = -s phi'' - c phi'^2"""
    n = cross3(d1, d2)
    s, c = sqrt(dot3(n, n)), dot3(d1, d2)
    r1, r2 = cross3(w1, d1), cross3(w2, d2)
    a1, a2 = add3(cross3(b1, d1), cross3(w1, r1)), add3(cross3(b2, d2), cross3(w2, r2))
    c1 = dot3(r1, d2) + dot3(d1, r2)
    c2 = dot3(a1, d2) + 2.0 * dot3(r1, r2) + dot3(d1, a2)
    rate = -c1 / s
    return -(c2 + c * rate * rate) / s
