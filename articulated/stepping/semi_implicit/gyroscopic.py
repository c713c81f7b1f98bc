"""The solution of H x = b with the gyroscopic moment of the joints at the roots taken in the middle of the step.

Taken at the beginning of a step, ``g(w) = w x M w`` makes energy: a needle that tumbles at 50 rad/s gains four times what it
had. By the midpoint rule,

    M (w+ - w) = h (n - g((w + w+) / 2)),

a body alone keeps its energy and the length of its angular momentum to rounding, without moments and at any step.

M is the inertia that turns with the joint of the root, free or spherical: of a body alone that about its centre of mass, or
about the pivot. With bodies on it, M is what the others leave of it when they yield, which is the inertia by which the
equation above finds w+; the moment that is moved to the middle is of second order in the step, so that this choice is one
of stability: with the moment of all that is carried, which can be many times larger, the equation need not have a solution.

M is read from the factors H = L^T D L: the three angular rows are the first of their tree, and with L_1, D_1 the blocks of
these, ``M = L_1^T D_1 L_1``. So the moment is found between the two halves of a solution, and none has to be repeated.

Sources: the midpoint rule for rigid bodies, Hairer, Lubich, Wanner, *Geometric Numerical Integration* (2006), section
VII.5; implicit gyroscopic moments in steps of games, Catto, "Numerical Methods" (GDC 2015).
"""

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
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import load, store

__all__ = ["solve_with_gyroscopic_moments", "turned_by_midpoint"]

STEPS = 5  # of Newton's method: at h |w| = 1, a needle's equation is solved to rounding by four


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
    for _ in range(STEPS):
        x = improve_turn(M, h, w, p, x)
    return (D0 * x[0], D1 * (l * x[0] + x[1]), D2 * (e * x[0] + f * x[1] + x[2]))


@kernel
def improve_turn(M, h, w, p, x):
    """One step of Newton's method for M x + h u x M u = p with u = w + x / 2"""
    u = add3(w, scale3(0.5, x))
    L = symmetric_times(M, u)
    F = subtract3(add3(symmetric_times(M, x), scale3(h, cross3(u, L))), p)
    a, b, c = (M[0], M[1], M[2]), (M[1], M[3], M[4]), (M[2], M[4], M[5])
    s, zero = 0.5 * h, 0.0 * L[0]
    # The columns of M + h/2 (u~ M - L~).
    a = add3(a, scale3(s, subtract3(cross3(u, a), (zero, L[2], -L[1]))))
    b = add3(b, scale3(s, subtract3(cross3(u, b), (-L[2], zero, L[0]))))
    c = add3(c, scale3(s, subtract3(cross3(u, c), (L[1], -L[0], zero))))
    bc, ca, ab = cross3(b, c), cross3(c, a), cross3(a, b)
    scale = 1.0 / dot3(a, bc)
    return (x[0] - scale * dot3(bc, F), x[1] - scale * dot3(ca, F), x[2] - scale * dot3(ab, F))
