"""The solution of H x = b with the gyroscopic moment of the joints at the roots taken in the middle of the step.

Taken at the beginning of a step, ``g(w) = w x M w`` makes energy: a needle that tumbles at 50 rad/s gains four times what it
had. By the midpoint rule,

    M (w+ - w) = h (n - g((w + w+) / 2)),

a body alone keeps its energy and the length of its angular momentum to rounding, without moments.

The equation is solved by Newton's method, and what it leaves is looked at. It has several roots where the body turns by
more than some radians in a step, and near the axis of the mean moment of inertia none that is close to the motion. Then the
moment of force is spread over 2, 4, ... equal parts of the step, until each part turns by no more than ``TURN`` and is
solved: each keeps energy and momentum, so the step does. Up to ``TURN`` radians and with moments of inertia of bodies, the
root found is the one that comes out of w as h grows from zero. What is not solved in ``PARTS`` parts is NaN.

M is the inertia that turns with the joint of the root, free or spherical: of a body alone that about its centre of mass, or
about the pivot. With bodies on it, M is what the others leave of it when they yield, which is the inertia by which the
equation above finds w+; the moment that is moved to the middle is of second order in the step, so that this choice is one
of stability: with the moment of all that is carried, which can be many times larger, the equation need not have a solution.

M is read from the factors H = L^T D L: the three angular rows are the first of their tree, and with L_1, D_1 the blocks of
these, ``M = L_1^T D_1 L_1``. So the moment is found between the two halves of a solution, and none has to be repeated.

Sources: the midpoint rule for rigid bodies, Hairer, Lubich, Wanner, *Geometric Numerical Integration* (2006), section
VII.5; implicit gyroscopic moments in steps of games, Catto, "Numerical Methods" (GDC 2015).
"""

import numpy as np

from pluecker.articulated.algorithms.inertia.factor_products import inverse_pivot
from pluecker.articulated.algorithms.inertia.inertia_sweeps import D, G, S, sweep_inward, sweep_outward, swept_place
from pluecker.articulated.algorithms.inertia.ltdl import solve_from_root, solve_towards_root
from pluecker.articulated.model.joints import turns_freely
from pluecker.articulated.model.layout import (
    FIRST_LINK,
    FIRST_ROW,
    ROW_COUNT,
    factored_place,
    first_v,
    parent,
    row_coordinate,
    solved_by_sweeps,
    tree_count,
    tree_entry,
)
from pluecker.spatial.algebra.inertia import symmetric_times
from pluecker.spatial.algebra.vectors import add3, cross3, dot, dot3, load3, load_vector, scale3, store3, subtract3
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import lift, load, select, smaller, store, within

__all__ = ["change_by_midpoint", "solve_with_gyroscopic_moments", "turned_by_midpoint"]

NEWTON_STEPS = 4  # of Newton's method: at h |w| = 1, a needle's equation is solved to rounding by four
MORE = 7  # from zero, where these do not suffice
TURN = 3.0  # rad: up to it the root found was the one that belongs to w, in 1,200 random spins of needles and boxes
PARTS = 1024  # of a step at most: some 3000 rad
# Of the momentum and of h times the moment, what is left of the equation: some hundred units in the last place, and what
# the last of Newton's steps, which squares errors, brings below that.
ROUNDING, NEARLY = 1e-13, 1e-9
TINY = 1e-300  # added to what may be zero before it divides


@kernel
def solve_with_gyroscopic_moments(m, h, v, factor, x, ws):
    """x from H x = b - h (g(middle) - g(v)), with ``b`` in ``x``; six numbers of workspace for each coordinate

    In trees that mimic joints tie together, that of the first root alone is moved to the middle.
    """
    for t in range(tree_count(m)):
        swept, i, first = solved_by_sweeps(m, t), tree_entry(m, t, FIRST_LINK), tree_entry(m, t, FIRST_ROW)
        if swept:
            sweep_inward(m, t, True, False, factor, x, ws)  # L^T y = b
        else:
            solve_towards_root(m, t, factor, x)
        if parent(m, i) == 0 and turns_freely(m, i):
            turn_by_midpoint(m, t, i, h, v, factor, x)
        if swept:
            for r in range(first, first + tree_entry(m, t, ROW_COUNT)):
                k = row_coordinate(m, r)
                store(x, k, load(factor, swept_place(m, t, r) + D) * load(x, k))
            sweep_outward(m, t, True, factor, x, ws)  # L x = D^-1 y
        else:
            solve_from_root(m, t, factor, x)  # D L x = y


@kernel
def entry(m, t, r, column, factor):
    """L_rc of the first rows of tree ``t``, both counted from the root"""
    r = tree_entry(m, t, FIRST_ROW) + r
    if solved_by_sweeps(m, t):
        above = swept_place(m, t, tree_entry(m, t, FIRST_ROW) + column)
        return dot(load_vector(factor, above + S), load_vector(factor, swept_place(m, t, r) + G))
    return load(factor, factored_place(m, r) + column)


@kernel
def turn_by_midpoint(m, t, i, h, v, factor, y):
    """y_1 = D_1 L_1 (w+ - w) with M (w+ - w) = L_1^T y_1 - h (g((w + w+) / 2) - g(w))"""
    j, r = first_v(m, i), tree_entry(m, t, FIRST_ROW)
    d = inverse_pivot(m, t, r, factor), inverse_pivot(m, t, r + 1, factor), inverse_pivot(m, t, r + 2, factor)
    L = entry(m, t, 1, 0, factor), entry(m, t, 2, 0, factor), entry(m, t, 2, 1, factor)
    store3(y, j, turned_by_midpoint(h, load3(v, j), d, L, load3(y, j)))


@kernel
def turned_by_midpoint(h, w, d, L, b):
    """D_1 L_1 (w+ - w) from y_1 = ``b``, with 1 / D_1 = ``d``, and L_10, L_20, L_21"""
    d0, d1, d2 = d
    l, e, f = L
    D0, D1, D2 = 1.0 / d0, 1.0 / d1, 1.0 / d2
    M = (D0 + l * l * D1 + e * e * D2, l * D1 + e * f * D2, e * D2, D1 + f * f * D2, f * D2, D2)  # L_1^T D_1 L_1
    p = (b[0] + l * b[1] + e * b[2], b[1] + f * b[2], b[2])  # L_1^T y_1
    x0 = d0 * b[0]
    x1 = d1 * b[1] - l * x0
    x = (x0, x1, d2 * b[2] - e * x0 - f * x1)  # what an explicit moment gives
    p = add3(p, scale3(h, cross3(w, symmetric_times(M, w))))
    x = change_by_midpoint(M, h, w, p, x)
    return (D0 * x[0], D1 * (l * x[0] + x[1]), D2 * (e * x[0] + f * x[1] + x[2]))


@kernel
def change_by_midpoint(M, h, w, p, x):
    """w+ - w from a guess x, with the impulse p = h n of the moment; NaN where a body turns by thousands of radians"""
    for _ in range(NEWTON_STEPS - 1):
        x, _ = improve_turn(M, h, w, p, x)
    x, F = improve_turn(M, h, w, p, x)
    e = turn_error(M, h, w, x, F, NEARLY)
    return x if within(unsolved(e), 0.5) else change_by_parts(M, h, w, p, x, e)


@called_kernel
def change_by_parts(M, h, w, p, x, e):
    """Compute w+ - w in the fewest parts, a power of two, that can all be solved; states with e < 1 are, and keep x"""
    n = 1
    while n <= PARTS and not within(unsolved(e), 0.5):
        hn, pn, y, worst = h / n, scale3(1.0 / n, p), scale3(0.0, x), lift(0.0, e)
        for _ in range(n):
            u, d = add3(w, y), scale3(0.0, x)
            for _ in range(MORE):
                d, _ = improve_turn(M, hn, u, pn, d)
            _, _, F = moment_left(M, hn, u, pn, d)
            worst = select(smaller(unsolved(worst), 0.5), turn_error(M, hn, u, d, F, ROUNDING), worst)
            y = add3(y, d)
            if within(
                unsolved(e) * (1.0 - unsolved(worst)), 0.5
            ):  # none of the states that are left can be solved by these
                break
        solved = smaller(unsolved(e), 0.5)
        x = (select(solved, x[0], y[0]), select(solved, x[1], y[1]), select(solved, x[2], y[2]))
        e = select(solved, e, worst)
        n *= 2
    spoiled = select(smaller(unsolved(e), 0.5), lift(0.0, e), lift(np.nan, e))
    return (x[0] + spoiled, x[1] + spoiled, x[2] + spoiled)


@kernel
def unsolved(e):
    """Return 1 where an error is 1 or more, or NaN, else 0"""
    return select(smaller(e, lift(1.0, e)), lift(0.0, e), lift(1.0, e))


@kernel
def moment_left(M, h, w, p, x):
    """u, M u and M x + h u x M u - p with u = w + x / 2"""
    u = add3(w, scale3(0.5, x))
    L = symmetric_times(M, u)
    return u, L, subtract3(add3(symmetric_times(M, x), scale3(h, cross3(u, L))), p)


@kernel
def turn_error(M, h, w, x, F, tolerance):
    """Compute the error of a turn from squares, as shares of what is tolerated: below 1, F and the turn are small enough

    Of bodies that are nearly balls the turn counts less, by the ratio of their differences to their mean.
    """
    inverse, s = 1.0 / (M[0] + M[3] + M[5]), dot3(w, w)
    F, share, turn = scale3(inverse / tolerance, F), 18.0 * inverse * inverse * deviation(M), h * h * s
    share = select(smaller(share, 1.0 + 0.0 * share), share, 1.0 + 0.0 * share)
    return larger(dot3(F, F) / ((s + dot3(x, x)) * (1.0 + turn) + TINY), turn * share / TURN**2)


@kernel
def deviation(M):
    """The sum of squares of the entries of M without its mean moment: zero of a ball, which turns without moments"""
    a, b, c = M[0] - M[3], M[3] - M[5], M[5] - M[0]
    return (a * a + b * b + c * c) / 3.0 + 2.0 * (M[1] * M[1] + M[2] * M[2] + M[4] * M[4])


@kernel
def improve_turn(M, h, w, p, x):
    """Take a step of Newton's method for M x + h u x M u = p with u = w + x / 2; return x and the residual before it"""
    u, L, F = moment_left(M, h, w, p, x)
    a, b, c = (M[0], M[1], M[2]), (M[1], M[3], M[4]), (M[2], M[4], M[5])
    s, zero = 0.5 * h, 0.0 * L[0]
    # The columns of M + h/2 (u~ M - L~).
    a = add3(a, scale3(s, subtract3(cross3(u, a), (zero, L[2], -L[1]))))
    b = add3(b, scale3(s, subtract3(cross3(u, b), (-L[2], zero, L[0]))))
    c = add3(c, scale3(s, subtract3(cross3(u, c), (L[1], -L[0], zero))))
    bc, ca, ab = cross3(b, c), cross3(c, a), cross3(a, b)
    scale = 1.0 / dot3(a, bc)
    return (x[0] - scale * dot3(bc, F), x[1] - scale * dot3(ca, F), x[2] - scale * dot3(ab, F)), F
