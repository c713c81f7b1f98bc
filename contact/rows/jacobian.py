"""The Jacobian J of the rows of a world, their values, and the motions over time that they follow.

A wrench (n, f) at p on a body has with each freedom on the body's way to the world the power ``n . w + f . (v + w x s)``, s
from the origin of the freedom's link to p. Beyond the nearest common ancestor of both bodies opposite wrenches add up to
nothing: those freedoms are not among a function's entries.

A row with a motion has phi = s(t): in a step its rate is to be that of s, at an instant its acceleration, see
:mod:`~pluecker.contact.constraints.spline`.

Source: source document 002, section 4.1 (docs/sources.md), whose J takes velocities of the model to twists of bodies: the
rows here are its columns' powers.
"""

from pluecker.articulated.model.layout import clear
from pluecker.contact.constraints.relation import COORDINATE, TOUCH, USER
from pluecker.contact.rows.functions import function_bias, function_value, function_wrench
from pluecker.contact.rows.layout import COORDINATE as SLOT
from pluecker.contact.rows.layout import (
    ENTRY_COUNT,
    FIRST_ENTRY,
    FIRST_TERM,
    FIRST_VALUE,
    FREEDOM,
    KIND,
    LINK,
    MOTIONS,
    POSITION,
    ROW_MOTION,
    ROW_OFFSET,
    SIGN,
    TERM_COUNT,
    TERM_DESTINATION,
    TERM_FUNCTION,
    TOUCH_NORMAL,
    TOUCH_TANGENTS,
    VALUE_COUNT,
    column,
    destination,
    entry,
    function_count,
    function_entry,
    row_count,
    row_entry,
    row_number,
    term,
    term_coefficient,
    value_count,
)
from pluecker.contact.rows.motion import COLUMN, PLACE, store_columns
from pluecker.contact.rows.user import store_user_gradient
from pluecker.spatial.algebra.transforms import load_transform
from pluecker.spatial.algebra.vectors import add_cross3, dot3, load3, load_vector, subtract3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel, unlikely
from pluecker.spatial.engine.scalars.operations import accumulate, load, load_integer, select, smaller, store

__all__ = [
    "add_row_force", "has_motion", "prescribed", "row_rate", "store_biases", "store_geometry", "store_jacobian",
    "store_row_values", "store_values",
]  # fmt: skip

# Squared, of what a wrench and a freedom could have for a power: less is rounding, and none. In planar mechanisms whole rows
# are; taken for what they are not, they would hold what nothing holds.
ROUNDING = 1e-24


@kernel
def store_values(w, q, X, phi):
    """Store phi of each function; angles in (-pi, pi]"""
    for k in range(function_count(w)):
        store(phi, k, function_value(w, k, q, X))


@kernel
def store_biases(w, q, v, X, V, A, bias):
    """Store Jdot v of each function"""
    for k in range(function_count(w)):
        store(bias, k, function_bias(w, k, q, v, X, V, A))


@kernel
def store_row_values(w, values, offsets, out):
    """Store for each row the sum of its functions' values, less its offset where these are wanted"""
    for k in range(row_count(w)):
        x = 0.0 * load(values, 0)
        for t in range(row_entry(w, k, FIRST_TERM), row_entry(w, k, FIRST_TERM) + row_entry(w, k, TERM_COUNT)):
            x = x + term_coefficient(w, t) * load(values, term(w, t, TERM_FUNCTION))
        store(out, k, x - row_number(w, k, ROW_OFFSET) if offsets else x)


@kernel
def store_jacobian(w, q, X, C, G, J):
    """Store J of all rows by their values, and G, the entries of all functions"""
    for k in range(function_count(w)):
        store_function_entries(w, k, q, X, C, G)
    clear(J, value_count(w))
    for r in range(row_count(w)):
        first = row_entry(w, r, FIRST_TERM)
        for t in range(first, first + row_entry(w, r, TERM_COUNT)):
            k, c = term(w, t, TERM_FUNCTION), term_coefficient(w, t)
            e, d = function_entry(w, k, FIRST_ENTRY), term(w, t, TERM_DESTINATION)
            for j in range(function_entry(w, k, ENTRY_COUNT)):
                accumulate(J, destination(w, d + j), c * load(G, e + j))


@called_kernel
def store_geometry(m, w, q, X, G, J, ws):
    """Store J of all rows and G, of links that are placed; ``ws`` has room for the columns of all freedoms"""
    store_columns(m, q, X, ws)
    store_jacobian(w, q, X, ws, G, J)


@kernel
def store_function_entries(w, k, q, X, C, G):
    """Store the power of a function's wrench with each freedom that moves the two frames against each other"""
    first, n = function_entry(w, k, FIRST_ENTRY), function_entry(w, k, ENTRY_COUNT)
    if unlikely(function_entry(w, k, KIND) == USER):
        store_user_gradient(w, k, q, G, first)
        return
    if function_entry(w, k, KIND) == COORDINATE:
        store(G, first, 1.0 + 0.0 * load(X, 0))
        return
    if function_entry(w, k, KIND) == TOUCH:
        if function_entry(w, k, POSITION) == function_entry(w, k, SLOT) + TOUCH_NORMAL:
            store_touch_entries(w, k, X, C, G)
        return
    p, moment, force = function_wrench(w, k, X)
    for e in range(first, first + n):
        _, r = load_transform(X, PLACE * entry(w, e, LINK))
        s = load_vector(C, COLUMN * entry(w, e, FREEDOM))
        arm = subtract3(p, r)
        power = dot3(moment, s[0]) + dot3(force, add_cross3(s[1], s[0], arm))
        turning = dot3(s[0], s[0])
        size = dot3(moment, moment) * turning + dot3(force, force) * (dot3(s[1], s[1]) + turning * dot3(arm, arm))
        store(G, e, entry(w, e, SIGN) * unless_rounding(power, size))


@kernel
def store_touch_entries(w, k, X, C, G):
    """Store, along the normal ``k`` and the two tangents behind it, the velocity that each freedom gives the place"""
    at, first, n = function_entry(w, k, SLOT), function_entry(w, k, FIRST_ENTRY), function_entry(w, k, ENTRY_COUNT)
    p, normal = load3(X, at), load3(X, at + TOUCH_NORMAL)
    t1, t2 = load3(X, at + TOUCH_TANGENTS), load3(X, at + TOUCH_TANGENTS + 3)
    for e in range(first, first + n):
        _, r = load_transform(X, PLACE * entry(w, e, LINK))
        s, sign = load_vector(C, COLUMN * entry(w, e, FREEDOM)), entry(w, e, SIGN)
        arm = subtract3(p, r)
        u = add_cross3(s[1], s[0], arm)
        size = dot3(s[1], s[1]) + dot3(s[0], s[0]) * dot3(arm, arm)
        store(G, e, sign * unless_rounding(dot3(normal, u), size))
        store(G, e + n, sign * unless_rounding(dot3(t1, u), size))
        store(G, e + 2 * n, sign * unless_rounding(dot3(t2, u), size))


@kernel
def unless_rounding(power, size):
    """Return the power, or none where it is rounding beside what it could be"""
    return select(smaller(power * power, ROUNDING * size), 0.0 * power, power)


@kernel
def row_rate(w, J, k, v):
    """Compute J_k v"""
    first = row_entry(w, k, FIRST_VALUE)
    x = load(J, first) * load(v, column(w, first))
    for j in range(first + 1, first + row_entry(w, k, VALUE_COUNT)):
        x = x + load(J, j) * load(v, column(w, j))
    return x


@kernel
def add_row_force(w, J, k, r, x):
    """Add J_k^T r to x"""
    first = row_entry(w, k, FIRST_VALUE)
    for j in range(first, first + row_entry(w, k, VALUE_COUNT)):
        accumulate(x, column(w, j), load(J, j) * r)


PIECE = 5  # numbers of a piece: its first time, four coefficients


@kernel
def has_motion(w, row):
    """Return whether a row has a motion."""
    return row_entry(w, row, ROW_MOTION) >= 0


@kernel
def prescribed(w, row, t):
    """Compute s, ds/dt and d2s/dt2 at the time t, of the scalar of t; zeros where a row has no motion"""
    zero = 0.0 * t
    first = row_entry(w, row, ROW_MOTION)
    if first < 0:
        return zero, zero, zero
    return spline_at(w, load_integer(w, MOTIONS) + first, t)


@called_kernel
def spline_at(w, first, t):
    """Compute s, ds/dt and d2s/dt2 of the motion that begins at entry ``first``, at the time t

    Which piece it is may differ from state to state: all are looked at, none is branched on.
    """
    zero, count = 0.0 * t, load_integer(w, first)
    t0, a, b, c, d = piece(w, first + 1, zero)
    for k in range(1, count):
        t1, a1, b1, c1, d1 = piece(w, first + 1 + PIECE * k, zero)
        before = smaller(t, t1)
        t0, a, b = select(before, t0, t1), select(before, a, a1), select(before, b, b1)
        c, d = select(before, c, c1), select(before, d, d1)
    x = t - t0
    return a + x * (b + x * (c + x * d)), b + x * (2.0 * c + 3.0 * d * x), 2.0 * c + 6.0 * d * x


@kernel
def piece(w, p, zero):
    """Load the numbers of a piece, as scalars"""
    return (
        load(w, p) + zero, load(w, p + 1) + zero, load(w, p + 2) + zero, load(w, p + 3) + zero, load(w, p + 4) + zero,
    )  # fmt: skip
