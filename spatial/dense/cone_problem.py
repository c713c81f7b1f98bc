"""Small problems of contacts and rows, dense, on scalars: multipliers r with u = W r + b, by the laws of their blocks.

W is symmetric and positive semidefinite, of up to some 120 rows, row by row in a scalar array of n^2 entries. A block is a
contact of three rows (a normal, two tangents) with Coulomb's law or the convex one, or a row whose law is a staircase:
bounds, or the limits, the friction and the motor of a coordinate together (:mod:`~pluecker.spatial.dense.laws`). Which
blocks there are is the same in all lanes; every number may differ. It is made for steps of worlds and for small problems of
``solve``, neither of which calls it yet.

In turns, until the error is within the tolerance or the iterations are spent:

1. sweeps over the blocks, each solved alone, given the others. They find which contacts hold, slide and part;
2. steps of Newton's method on all equations, which bring that to rounding;
3. from the second turn on, the method of multipliers in place of sweeps: its steps see the whole matrix, where sweeps creep
   along chains and stacks.

The best multipliers are kept for each state, and those of a state do not change any more when it has what was asked for: a
lane does not depend on its neighbours. No turn is sure to succeed: what is not reached is seen in the error that is
returned, and of high stacks with mass ratios of 1e4, or friction of 1e3, some are not.

The error is without units: in ``r / s`` and ``s u``, ``1 / s^2`` being the mean diagonal of each block of W, the natural map
``|r - P(r - u - g)|`` relative to |b|; g is De Saxce's term ``mu |u_t|`` of Coulomb's law. Of contacts with mu > 1, which
hide normal velocities from it, Signorini's condition takes its place where that is larger. It compares with |b| alone, so
that it does not fall below the rounding of W r where multipliers are very large.
"""

import numpy as np

from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.dense.cone_steps import (
    CONTACT,
    PROXIMAL,
    eliminate,
    factorize_shifted,
    move_to_sets,
    newton_equations,
    numbers_of,
    rows_of,
    shift_by_friction,
    sweep_blocks,
    velocities,
)
from pluecker.spatial.dense.laws import larger, nearest_in_cone, size_of, staircase_response
from pluecker.spatial.dense.ldl import solve_ldl
from pluecker.spatial.scalars.operations import accumulate, load, part, select, smaller, sqrt, store, within

__all__ = ["cone_problem_error", "cone_problem_memory", "solve_cone_problem"]

FIRST, MOST = 6, 96  # iterations of a turn: it doubles from the first, up to the most
NEWTON_STEPS = 8  # of a turn: where they lead to the solution, they do it in fewer
DAMPING = (
    0.01  # of every other turn's, times the root of the error: where multipliers are many, steps jump between them
)
STIFFNESS = 1e-8  # least penalty of the method of multipliers


@kernel
def cone_problem_memory(n, numbers):
    """How many scalars of work :func:`solve_cone_problem` takes for n rows, whose laws have so many numbers"""
    return 2 * n * n + 9 * n + numbers


@kernel
def scale_cone_problem(W, b, kinds, laws, start, n, S, c, s, scaled, x):
    """Blocks of mean diagonal one: S = s W s, c = s b, x = r / s; of staircases levels / s, velocities * s"""
    row, place = 0, 0
    for i in range(len(kinds)):
        kind = kinds[i]
        d = load(W, row * n + row)
        if kind == CONTACT:
            d = (d + load(W, (row + 1) * n + row + 1) + load(W, (row + 2) * n + row + 2)) / 3.0
        one = 1.0 + 0.0 * d
        si = one / sqrt(select(smaller(0.0, d), d, one))
        for k in range(row, row + rows_of(kind)):
            store(s, k, si)
            store(c, k, si * load(b, k))
            store(x, k, load(start, k) / si)
        store(scaled, place, load(laws, place) / (one if kind == CONTACT else si))
        for k in range(place + 1, place + numbers_of(kind), 2):
            store(scaled, k, load(laws, k) * si)
            store(scaled, k + 1, load(laws, k + 1) / si)
        row, place = row + rows_of(kind), place + numbers_of(kind)
    for i in range(n):
        for j in range(n):
            store(S, i * n + j, load(s, i) * load(W, i * n + j) * load(s, j))


@kernel
def signorini(rn, ra, rb, un):
    """|min(r_n, u_n)| of a contact; of one that parts with all of its force"""
    least, size = select(smaller(rn, un), rn, un), size_of(rn, size_of(ra, rb))
    return select(smaller(0.0, least), select(smaller(size, un), size, un), least)


@kernel
def contact_error(exact, mu, x, u, k):
    """The square of the natural map of a contact, or of Signorini's condition"""
    rn, ra, rb = load(x, k), load(x, k + 1), load(x, k + 2)
    un, ua, ub = load(u, k), load(u, k + 1), load(u, k + 2)
    g = mu * size_of(ua, ub) if exact else 0.0 * mu
    n, a, b = nearest_in_cone(mu, rn - un - g, ra - ua, rb - ub)
    e = (rn - n) * (rn - n) + (ra - a) * (ra - a) + (rb - b) * (rb - b)
    if exact:
        lack = signorini(rn, ra, rb, un)
        e = larger(e, select(smaller(1.0, mu), lack * lack, 0.0 * e))
    return e


@kernel
def cone_problem_error(kinds, laws, exact, x, u):
    """|x - P(x - u - g)|, of multipliers and velocities of like units; see the head of this file"""
    row, place = 0, 0
    e = 0.0 * load(x, 0)
    for i in range(len(kinds)):
        kind = kinds[i]
        if kind == CONTACT:
            e = e + contact_error(exact, load(laws, place), x, u, row)
        else:
            r = load(x, row)
            y, _ = staircase_response(laws, place, kind, 1.0 + 0.0 * r, load(u, row) - r)
            e = e + (r - y) * (r - y)
        row, place = row + rows_of(kind), place + numbers_of(kind)
    return sqrt(e)


@kernel
def length_of(n, x):
    """|x|"""
    size = 0.0 * load(x, 0)
    for k in range(n):
        size = size + load(x, k) * load(x, k)
    return sqrt(size)


@kernel
def copy_where(n, condition, x, y):
    """y = x where the condition holds"""
    for k in range(n):
        store(y, k, select(condition, load(x, k), load(y, k)))


@kernel
def better(goal, least, e):
    """Whether an error is smaller, where the smallest so far is not enough"""
    return smaller(e, select(smaller(goal, least), least, -1.0 + 0.0 * least))


@kernel
def reached(goal, least):
    """Whether all states have what was asked for"""
    return within(larger(least - goal, 0.0 * goal), 0.0)


@kernel
def multiply_step(kinds, laws, exact, M, c, n, rho, times, x, z, y):
    """The method of multipliers: x = (S + rho)^-1 (z - g + rho y - c), then y and z; M is S + rho, factorised"""
    for _ in range(times):
        for k in range(n):
            store(x, k, load(z, k) + rho * load(y, k) - load(c, k))
        if exact:
            shift_by_friction(kinds, laws, -1.0, z, x)
        solve_ldl(M, n, x)
        move_to_sets(kinds, laws, rho, x, z, y)


@kernel
def penalty(n, unit, x, turn):
    """That of the method of multipliers: |c| / |x|, as velocities are to multipliers; a tenth and ten times that in turn"""
    size = length_of(n, x)
    rho = unit / larger(size, 1e-6 * unit)
    rho = larger(rho, STIFFNESS + 0.0 * rho)
    return rho * (1.0 if turn % 3 == 1 else 0.1 if turn % 3 == 2 else 10.0)


@kernel
def newton_turn(kinds, laws, exact, S, c, n, goal, unit, damping, e, least, x, u, M, d, best):
    """Steps of Newton's method from x, where the error is e; the best multipliers so far, and their error"""
    for _ in range(NEWTON_STEPS):
        if reached(goal, least):
            break
        one = 1.0 + 0.0 * e
        rho = larger(damping * sqrt(select(smaller(e, unit), e / unit, one)), PROXIMAL * one)
        newton_equations(kinds, laws, exact, S, n, rho, x, u, M, d)
        eliminate(M, n, d)
        for k in range(n):
            accumulate(x, k, load(d, k))
        velocities(S, c, n, x, u)
        e = cone_problem_error(kinds, laws, exact, x, u)
        condition = better(goal, least, e)
        copy_where(n, condition, x, best)
        least = select(condition, e, least)
    return least


@kernel
def start_multipliers(kinds, laws, exact, n, fresh, u, d, z):
    """Where they start afresh, z is u, with De Saxce's term in Coulomb's law; elsewhere it goes on"""
    for k in range(n):
        store(d, k, load(u, k))
    if exact:
        shift_by_friction(kinds, laws, 1.0, u, d)
    copy_where(n, fresh, d, z)


@kernel
def copy_vector(n, x, y):
    """y = x"""
    for k in range(n):
        store(y, k, load(x, k))


@kernel
def begin_vectors(n, x, best, alpha, z):
    """The start is the best so far; multipliers inside are zero"""
    copy_vector(n, x, best)
    for k in range(n):
        store(alpha, k, 0.0 * load(x, k))
        store(z, k, 0.0 * load(x, k))


@kernel
def solve_cone_problem(W, b, kinds, laws, exact, tolerance, iterations, r, error, work):
    """The multipliers r in place, from a start, and of each state the error; how many iterations that took

    W: n^2 scalars, symmetric, positive semidefinite, with what compliance adds. b: n scalars. kinds: an integer for each
    block, 0 for a contact, the number of steps for a staircase. laws: their numbers, one block after the other. exact:
    Coulomb's law, otherwise the convex one. tolerance: of the error. iterations: of sweeps and the like; a turn that was
    begun is finished. error: one scalar. work: :func:`cone_problem_memory` scalars. Numbers are zero or, but for bounds,
    between 1e-100 and 1e100.
    """
    n = len(b)
    S, M, rest = part(work, 0, n * n), part(work, n * n, n * n), 2 * n * n
    c, s, x, u = part(work, rest, n), part(work, rest + n, n), part(work, rest + 2 * n, n), part(work, rest + 3 * n, n)
    best, trial, d = part(work, rest + 4 * n, n), part(work, rest + 5 * n, n), part(work, rest + 6 * n, n)
    z, alpha, scaled = part(work, rest + 7 * n, n), part(work, rest + 8 * n, n), part(work, rest + 9 * n, len(laws))
    scale_cone_problem(W, b, kinds, laws, r, n, S, c, s, scaled, x)
    unit = length_of(n, c)
    unit = select(smaller(0.0, unit), unit, 1.0 + 0.0 * unit)
    goal = tolerance * unit
    velocities(S, c, n, x, u)
    least = cone_problem_error(kinds, scaled, exact, x, u)
    begin_vectors(n, x, best, alpha, z)
    done, times, turn = 0, FIRST, 0
    while done < iterations and not reached(goal, least):
        if turn == 0:
            for _ in range(times):
                sweep_blocks(kinds, scaled, exact, S, n, x, u, alpha)
        else:
            rho = penalty(n, unit, best, turn)
            factorize_shifted(S, n, rho, M)
            multiply_step(kinds, scaled, exact, M, c, n, rho, times, d, z, x)
        done, times, turn = done + times, min(2 * times, MOST), turn + 1
        velocities(S, c, n, x, u)
        e = cone_problem_error(kinds, scaled, exact, x, u)
        condition = better(goal, least, e)
        copy_where(n, condition, x, best)
        least = select(condition, e, least)
        copy_vector(n, x, trial)
        damping = DAMPING if turn % 2 == 0 else 0.0
        least = newton_turn(kinds, scaled, exact, S, c, n, goal, unit, damping, e, least, trial, u, M, d, best)
        # What Newton's method found is the next start only if it is much better: it may lie where nothing leads on.
        gain = 0.1 * e - least
        copy_where(n, smaller(0.0, gain), best, x)
        velocities(S, c, n, x, u)
        start_multipliers(kinds, scaled, exact, n, smaller(-np.inf if turn == 1 else 0.0, gain), u, d, z)
    for k in range(n):
        store(r, k, load(s, k) * load(best, k))
    store(error, 0, least / unit)
    return done
