"""Forces that depend on the length of a line over points: springs and dampers between two points, and cables.

With the length l, the unit vectors u of its pieces and the tension T = k (l - l0) + d dl/dt,

    tau = - T dl/dq        K = - dtau/dq = T d2l/dq2 + dl/dq (k dl/dq + d d(dl/dt)/dq)        D = d dl/dq dl/dq'

A piece with ends at distance ``s`` along u contributes to ``d2l/dq2`` what turns it, ``W' (1 - u u') W / s`` with the
columns W of its difference vector, and what turns the directions in which its ends move; the latter is common to all
forces on bodies, and added for all elements together (:mod:`~pluecker.articulated.forces.applied_stiffness`).
"""

from pluecker.articulated.forces.packing import DAMPING, ONLY_PULLS, POINTS, REST, STIFFNESS, VIA, VIA_POINT
from pluecker.articulated.forces.world_motion import add_load, point_velocity, velocity_slope, world_point
from pluecker.articulated.model.layout import clear, first_freedom, first_v, freedom_count, parent, velocity_count
from pluecker.spatial.algebra.vectors import (
    add3,
    add_cross3,
    dot3,
    load3,
    load_vector,
    scale3,
    store3,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, load_integer, select, smaller, sqrt, tail

__all__ = [
    "add_columns", "add_line_forces", "add_line_stiffness", "add_linear_stiffness", "add_piece_columns", "linear_forces",
    "piece", "pull",
]  # fmt: skip

COLUMN = 6


@kernel
def via_link(c, r, k):
    """Return the link of point ``k`` of a line"""
    return load_integer(c, r + VIA + VIA_POINT * k)


@kernel
def via_place(c, r, k, X):
    """Return point ``k`` of a line, in world coordinates"""
    return world_point(X, via_link(c, r, k), load3(c, r + VIA + VIA_POINT * k + 1))


@kernel
def piece(c, r, k, X, V):
    """Return difference vector, its rate, and the square of its length, of the piece of a line from point k - 1 to k"""
    p, s = via_place(c, r, k - 1, X), via_place(c, r, k, X)
    rate = subtract3(point_velocity(V, via_link(c, r, k), s), point_velocity(V, via_link(c, r, k - 1), p))
    d = subtract3(s, p)
    return d, rate, dot3(d, d)


@kernel
def pull(c, r, X, V):
    """Return tension, its derivatives by length and by its rate, energy, and the least square of the length of a piece"""
    d, rate, shortest = piece(c, r, 1, X, V)
    length = sqrt(shortest)
    speed = dot3(d, rate) / length
    for k in range(2, load_integer(c, r + POINTS)):
        d, rate, y = piece(c, r, k, X, V)
        s = sqrt(y)
        length, speed = length + s, speed + dot3(d, rate) / s
        shortest = select(smaller(y, shortest), y, shortest)
    zero = 0.0 * length
    stiff, damping, longer = zero + load(c, r + STIFFNESS), zero + load(c, r + DAMPING), length - load(c, r + REST)
    tension = stiff * longer + damping * speed
    if load_integer(c, r + ONLY_PULLS) != 0:
        longer = select(smaller(zero, longer), longer, zero)
        taut = select(smaller(zero, longer), tension, zero)
        pulls = smaller(zero, taut)
        tension = select(pulls, tension, zero)
        damping = select(pulls, damping, zero)
        energy = 0.5 * stiff * longer * longer
        stiff = select(pulls, stiff, zero)
    else:
        energy = 0.5 * stiff * longer * longer
    return tension, stiff, damping, energy, shortest


@kernel
def add_line_forces(c, r, X, V, tension, loads):
    """Add the tension along each piece to the loads of the links at both of its ends"""
    for k in range(1, load_integer(c, r + POINTS)):
        d, _, y = piece(c, r, k, X, V)
        add_pair(c, r, k, X, scale3(tension / sqrt(y), d), loads)


@kernel
def add_pair(c, r, k, X, f, loads):
    """Add opposite forces at the ends of a piece"""
    add_load(loads, via_link(c, r, k - 1), via_place(c, r, k - 1, X), f)
    add_load(loads, via_link(c, r, k), via_place(c, r, k, X), scale3(-1.0, f))


@kernel
def linear_forces(c, r, X, V, loads):
    """Add the forces of a spring whose rest length is zero; returns its energy"""
    d, _, y = piece(c, r, 1, X, V)
    k = load(c, r + STIFFNESS)
    add_pair(c, r, 1, X, scale3(k, d), loads)
    return 0.5 * k * y


# ------------------------------------------------------------------------------------------------------------- derivatives


@kernel
def add_columns(m, i, p, sign, J, W):
    """Add sign (v_c + w_c x p) to W_c: the derivative of the point ``p`` of link ``i`` by each coordinate"""
    while i > 0:
        for k in range(freedom_count(m, i)):
            Jk = load_vector(J, COLUMN * (first_freedom(m, i) + k))
            place = 3 * (first_v(m, i) + k)
            store3(W, place, add3(load3(W, place), scale3(sign, add_cross3(Jk[1], Jk[0], p))))
        i = parent(m, i)


@kernel
def add_piece_columns(m, c, r, k, X, J, W):
    """Compute W = d(difference vector)/dq of a piece"""
    clear(W, 3 * velocity_count(m))
    add_columns(m, via_link(c, r, k - 1), via_place(c, r, k - 1, X), -1.0, J, W)
    add_columns(m, via_link(c, r, k), via_place(c, r, k, X), 1.0, J, W)


@kernel
def add_linear_stiffness(m, c, r, X, J, W, K):
    """Add k W' W to K"""
    nv = velocity_count(m)
    add_piece_columns(m, c, r, 1, X, J, W)
    for a in range(nv):
        Wa = scale3(load(c, r + STIFFNESS), load3(W, 3 * a))
        for b in range(nv):
            accumulate(K, nv * a + b, dot3(Wa, load3(W, 3 * b)))


@kernel
def add_line_stiffness(m, c, r, state, more, K, D):
    """Add T d2l/dq2 + g (k g + d h)' to K and d g g' to D, with g = dl/dq and h = d(dl/dt)/dq; ``more``: 5 nv scalars"""
    nv, X, V, J = velocity_count(m), state.X, state.V, state.J
    g, h, W = more, tail(more, nv), tail(more, 2 * nv)
    tension, stiff, damping, _, _ = pull(c, r, X, V)
    clear(g, nv)
    clear(h, nv)
    for k in range(1, load_integer(c, r + POINTS)):
        d, rate, y = piece(c, r, k, X, V)
        s = sqrt(y)
        u, w = scale3(1.0 / s, d), scale3(1.0 / s, rate)
        add_piece_columns(m, c, r, k, X, J, W)
        for a in range(nv):
            Wa = load3(W, 3 * a)
            ua = dot3(u, Wa)
            accumulate(g, a, ua)
            accumulate(h, a, dot3(w, Wa) - dot3(u, w) * ua)
            turned = scale3(tension / s, subtract3(Wa, scale3(ua, u)))  # T/s (1 - u u') W_a
            for b in range(nv):
                accumulate(K, nv * a + b, dot3(turned, load3(W, 3 * b)))
        add_rate_slopes(m, via_link(c, r, k - 1), via_place(c, r, k - 1, X), scale3(-1.0, u), state, h)
        add_rate_slopes(m, via_link(c, r, k), via_place(c, r, k, X), u, state, h)
    for a in range(nv):
        ga = load(g, a)
        for b in range(nv):
            accumulate(K, nv * a + b, ga * (stiff * load(g, b) + damping * load(h, b)))
            accumulate(D, nv * a + b, ga * damping * load(g, b))


@kernel
def add_rate_slopes(m, body, p, u, state, h):
    """Add u . d(dp/dt)/dq_c to h_c, of the point ``p`` of a link: dp/dt = v + w x p"""
    Vb = load_vector(state.V, COLUMN * body)
    i = body
    while i > 0:
        for k in range(freedom_count(m, i)):
            Jk = load_vector(state.J, COLUMN * (first_freedom(m, i) + k))
            slope = velocity_slope(m, i, k, body, state)
            moved = add_cross3(Jk[1], Jk[0], p)
            accumulate(h, first_v(m, i) + k, dot3(u, add_cross3(add_cross3(slope[1], slope[0], p), Vb[0], moved)))
        i = parent(m, i)
