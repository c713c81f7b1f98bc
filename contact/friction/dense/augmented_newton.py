"""Newton's method on the augmented Lagrangian of the convex law: where sweeps creep and plain Newton steps jump about.

Multipliers y, a spring of stiffness rho between them and those that are sought; with u = S w + c

    x(u) = the point of the sets that is nearest to y - u / rho,    w = x(u)

is the condition for the minimum of a convex function of w, continuously differentiable, whose gradient is S (w - x). Each
step solves ``(1 + V S / rho) dw = x - w``, V being the derivative of x, and goes as far along dw as the function falls: so
it comes to the minimum from anywhere. Then y becomes x, and the spring is softened. With y = 0 at first, the multipliers
tend to the smallest that solve the problem, and later ones stay near.

Source: Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in convex programming" (1976);
Newton's method for the problem inside as Castro, Permenter, Han, "An unconstrained convex formulation of compliant
contact" (2022), pose it for one spring, in velocities.
"""

from pluecker.contact.friction.dense.cone_laws import contact_derivative, nearest_in_cone
from pluecker.contact.friction.dense.cone_steps import (
    CONTACT,
    eliminate,
    numbers_of,
    rows_of,
    store_three,
    three,
    velocities,
)
from pluecker.spatial.dense.laws import larger, staircase_response
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import (
    accumulate,
    load,
    load_integer,
    select,
    smaller,
    sqrt,
    store,
    within,
)

__all__ = ["augmented_newton"]

NEWTON_STEPS = 40  # with one spring; a few are enough once the sets are known
# Of the slope along a step, that may be left where it ends; of rho |x - y|, what the equations may be wrong by.
ENOUGH = 0.1
HALVINGS = 40
ROUNDING = 4e-16  # of velocities, relative to |c|; divided by rho it is that of multipliers, which no step makes less


@kernel
def nearest_points(P, rho, t, y, u, p, x):
    """x(u + t p)"""
    kinds, laws, row, place = P.kinds, P.laws, 0, 0
    for i in range(len(kinds)):
        kind = load_integer(kinds, i)
        if kind == CONTACT:
            r, v, q = three(y, row), three(u, row), three(p, row)
            z = (r[0] - (v[0] + t * q[0]) / rho, r[1] - (v[1] + t * q[1]) / rho, r[2] - (v[2] + t * q[2]) / rho)
            store_three(x, row, nearest_in_cone(load(laws, place), z[0], z[1], z[2]))
        else:
            v = load(u, row) + t * load(p, row)
            store(x, row, staircase_response(laws, place, kind, rho, v - rho * load(y, row))[0])
        row, place = row + rows_of(kind), place + numbers_of(kind)


@called_kernel
def slope_along(P, rho, t, y, u, p, w, d, x):
    """The derivative with t of the function at w + t d, where p = S d: p' (w + t d - x)"""
    nearest_points(P, rho, t, y, u, p, x)
    slope = 0.0 * t
    for k in range(P.n):
        slope = slope + load(p, k) * (load(w, k) + t * load(d, k) - load(x, k))
    return slope


@kernel
def equations(P, rho, y, u, w, x, M, d):
    """M = 1 + V S / rho, d = x - w"""
    kinds, laws, S, n, row, place = P.kinds, P.laws, P.S, P.n, 0, 0
    for i in range(len(kinds)):
        kind = load_integer(kinds, i)
        top = row * n
        if kind == CONTACT:
            r, v = three(y, row), three(u, row)
            z = (r[0] - v[0] / rho, r[1] - v[1] / rho, r[2] - v[2] / rho)
            nn, na, nb, an, aa, ab, bn, ba, bb = contact_derivative(False, load(laws, place), z[0], z[1], z[2])
            middle, bottom, f = (row + 1) * n, (row + 2) * n, 1.0 / rho
            for j in range(n):
                s, q, t = f * load(S, top + j), f * load(S, middle + j), f * load(S, bottom + j)
                store(M, top + j, nn * s + na * q + nb * t)
                store(M, middle + j, an * s + aa * q + ab * t)
                store(M, bottom + j, bn * s + ba * q + bb * t)
        else:
            _, slope = staircase_response(laws, place, kind, rho, load(u, row) - rho * load(y, row))
            for j in range(n):
                store(M, top + j, slope * load(S, top + j) / rho)
        for k in range(row, row + rows_of(kind)):
            accumulate(M, k * n + k, 1.0)
            store(d, k, load(x, k) - load(w, k))
        row, place = row + rows_of(kind), place + numbers_of(kind)


@kernel
def product(S, n, x, y):
    """y = S x"""
    for i in range(n):
        s = 0.0 * load(x, 0)
        for j in range(n):
            s = s + load(S, i * n + j) * load(x, j)
        store(y, i, s)


@kernel
def step_length(P, rho, y, u, p, w, d, x):
    """Return the step length along d: 1, unless the slope of the function changes its sign before; then by bisection"""
    zero = 0.0 * rho
    one = 1.0 + zero
    most = -ENOUGH * slope_along(P, rho, zero, y, u, p, w, d, x)
    rest = slope_along(P, rho, one, y, u, p, w, d, x)
    low, high, t = zero, one, one
    for _ in range(HALVINGS):
        beyond = smaller(larger(most, zero), rest)  # the end lies too far
        before = smaller(rest, -larger(most, zero))
        before = smaller(select(before, t, one), one)  # a first step that is too short is taken as it is
        high, low = select(beyond, t, high), select(before, t, low)
        going = select(beyond, one, select(before, one, zero))
        if within(going, 0.0):
            break
        t = select(smaller(zero, going), 0.5 * (low + high), t)
        rest = slope_along(P, rho, t, y, u, p, w, d, x)
    return t


@kernel
def still_wrong(S, n, rho, unit, y, w, x, p, d):
    """1 where |S (w - x)| is too large beside rho |x - y|, 0 elsewhere"""
    for k in range(n):
        store(d, k, load(w, k) - load(x, k))
    product(S, n, d, p)
    error, moved = 0.0 * rho, 0.0 * rho
    for k in range(n):
        m = load(x, k) - load(y, k)
        error, moved = error + load(p, k) * load(p, k), moved + m * m
    bound = ENOUGH * rho * sqrt(moved) + ROUNDING * unit / rho
    return select(smaller(bound * bound, error), 1.0 + 0.0 * rho, 0.0 * rho)


@called_kernel
def augmented_newton(P, unit, rho, y, w, x, scratch):
    """x with springs of the stiffness rho to y, from a guess w, which is improved; ``scratch``: three vectors, a matrix"""
    S, n, going, steps, (u, p, d, M) = P.S, P.n, 1.0 + 0.0 * rho, 0, scratch
    velocities(S, P.c, n, w, u)
    nearest_points(P, rho, 0.0 * rho, y, u, u, x)
    while steps < NEWTON_STEPS and not within(going, 0.0):
        equations(P, rho, y, u, w, x, M, d)
        eliminate(M, n, d)
        product(S, n, d, p)
        t = step_length(P, rho, y, u, p, w, d, x)
        for k in range(n):
            # u is not computed anew: its rounding, divided by rho, would be another in each step.
            store(w, k, select(smaller(0.0, going), load(w, k) + t * load(d, k), load(w, k)))
            store(u, k, select(smaller(0.0, going), load(u, k) + t * load(p, k), load(u, k)))
        nearest_points(P, rho, 0.0 * rho, y, u, u, x)
        going = select(smaller(0.0, going), still_wrong(S, n, rho, unit, y, w, x, p, d), going)
        steps += 1
