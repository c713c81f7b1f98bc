"""Small problems of contacts and rows, dense, on scalars: multipliers r with u = W r + b, by the laws of their blocks.

W is symmetric and positive semidefinite, of up to some 120 rows, row by row in a scalar array of n^2 entries. A block is a
contact of three rows (a normal, two tangents) with Coulomb's law or the convex one, or a row whose law is a staircase:
bounds, or the limits, the friction and the motor of a coordinate together (:mod:`~pluecker.spatial.dense.laws`). Which
blocks there are is the same in all lanes; every number may differ. ``solve`` calls it for small islands, and it is made for
loops in compiled code.

In turns, until the error is within the tolerance or the iterations are spent. Each finds a point, by

1. sweeps over the blocks, each solved alone, given the others, at first. They find which contacts hold, slide and part;
2. Newton's method on the augmented Lagrangian of the convex law, which comes to its solution from anywhere, in the second
   turn; in the convex law in every other one from then on;
3. the method of multipliers: its steps see the whole matrix, where sweeps creep along chains and stacks;

and goes on from there with Newton's method on all equations, which brings it to rounding. From a start that is near, such as
the multipliers of the step before, Newton's method is tried by itself first.

**Redundant contacts share their impulses** like equal springs. Where many multipliers have the same velocities (the four
corners of a cube), Newton's method begins with a spring of 1e-6 of the mean diagonal between each multiplier and its
start; what the springs do to the velocities is undone by steps without them, which leave alone what makes no velocities. In
the convex law, and of contacts that stick, that is the solution nearest to the start in ``|r / s|``, ``1 / s^2`` being the
mean diagonal of each block of W: from a start at zero the smallest, from that of the step before one near it. What is
found by the method of multipliers alone may be another solution.

The best multipliers are kept for each state, and those of a state do not change any more when it has what was asked for: a
lane does not depend on its neighbours. No turn is sure to succeed in Coulomb's law: what is not reached is seen in the error
that is returned, and of high stacks with mass ratios of 1e4 and friction of 1e2 and more, some are not.

The error is without units: in ``r / s`` and ``s u`` the natural map ``|r - P(r - u - g)|`` relative to |b|; g is De
Saxce's term ``mu |u_t|`` of Coulomb's law. Of contacts with mu > 1, which hide normal velocities from it, Signorini's
condition takes its place where that is larger. It compares with |b| alone, so that it does not fall below the rounding of
W r where multipliers are very large. It is the root of an energy: a body of 1 kg has no part in it beside one of 1e12 kg,
and may be driven into the floor. So the part of each block counts as a velocity too, relative to the largest of b, where a
hundredth of that is more: with masses that differ by less than 1e4 it is not.
"""

from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.friction.dense.augmented_newton import augmented_newton
from pluecker.contact.friction.dense.cone_errors import cone_problem_error, length_of
from pluecker.contact.friction.dense.cone_steps import (
    CONTACT,
    PROXIMAL,
    ConeProblem,
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
from pluecker.spatial.dense.laws import copy_vector, copy_where, keep, larger, reached
from pluecker.spatial.dense.ldl import solve_ldl
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import (
    accumulate,
    load,
    load_integer,
    part,
    select,
    smaller,
    sqrt,
    store,
    tail,
    within,
)

__all__ = ["cone_problem_error", "cone_problem_memory", "solve_cone_problem"]

FIRST, MOST = 6, 96  # iterations of a turn: it doubles from the first, up to the most
NEWTON_STEPS = 8  # of a turn in the convex law, where others follow; twice as many in Coulomb's
# Of every third turn's steps, times the root of the error: where multipliers are many, steps jump between them.
DAMPING = 0.01
PATIENT = 3  # times as many of those steps, which are shorter
COMPLIANCE = 1e-6  # of the springs to the start: soft beside contacts, stiff beside rounding and PROXIMAL
SOFTENING = 0.3  # of what takes their place, from step to step
WARM = 1e-1  # error: from a start that is as near, Newton's method alone is tried first
SHARED = 1e-12  # error with springs: what it leaves of a share of the multipliers is that divided by the compliance
STIFFEST, SOFT, SOFTEST = 0.1, 1e-5, 1e-9  # springs of the augmented Lagrangian: the first, those that are moved
MOVES = 4  # of them
# Iterations that a turn with these counts for, whatever it takes: with its own steps the turns that a state may have would
# depend on what others beside it take. A turn has six springs or more, two steps each in the median.
SPRINGS = 12
VELOCITY = 0.01  # of the error in velocity of a block: so much as the error beside that in energy


class Search(NamedTuple):
    """Search for multipliers, views and scalars.

    Attributes:
        goal: the error that is enough.
        unit: the length of c, or one.
        start: the multipliers at first, to which springs lead.
        x, u: multipliers and their velocities.
        z, d, y, trial: vectors in which methods work.
        best: the best multipliers that were met.
        M: a matrix in which methods work.
    """

    goal: Any
    unit: Any
    start: Any
    x: Any
    u: Any
    z: Any
    d: Any
    y: Any
    trial: Any
    best: Any
    M: Any


@kernel
def cone_problem_memory(n, numbers):
    """Return how many scalars of work :func:`solve_cone_problem` takes for n rows, whose laws have so many numbers"""
    return 2 * n * n + 11 * n + numbers


@kernel
def find_cone_scales(W, n, kinds, s):
    """Compute s of all rows, such that the mean diagonal of each block of s W s is one"""
    row = 0
    for i in range(len(kinds)):
        kind = load_integer(kinds, i)
        d = load(W, row * n + row)
        if kind == CONTACT:
            d = (d + load(W, (row + 1) * n + row + 1) + load(W, (row + 2) * n + row + 2)) / 3.0
        one = 1.0 + 0.0 * d
        si = one / sqrt(select(smaller(0.0, d), d, one))
        for k in range(row, row + rows_of(kind)):
            store(s, k, si)
        row += rows_of(kind)


@kernel
def scale_vectors(b, kinds, laws, start, s, c, scaled, x):
    """c = s b, x = r / s; of staircases levels / s, velocities * s"""
    row, place = 0, 0
    for i in range(len(kinds)):
        kind, si = load_integer(kinds, i), load(s, row)
        one = 1.0 + 0.0 * si
        for k in range(row, row + rows_of(kind)):
            store(c, k, si * load(b, k))
            store(x, k, load(start, k) / si)
        store(scaled, place, load(laws, place) / (one if kind == CONTACT else si))
        for k in range(place + 1, place + numbers_of(kind), 2):
            store(scaled, k, load(laws, k) * si)
            store(scaled, k + 1, load(laws, k + 1) / si)
        row, place = row + rows_of(kind), place + numbers_of(kind)


@kernel
def scale_matrix(W, n, s, S):
    """S = s W s"""
    for i in range(n):
        for j in range(n):
            store(S, i * n + j, load(s, i) * load(W, i * n + j) * load(s, j))


@kernel
def store_weights(b, s, unit, kinds, weights):
    """Store (VELOCITY D_i s_i unit / max |b|)^2 of each block, D_i s_i = 1 / s_i: the error's part is a velocity then"""
    speed, row = 0.0 * unit, 0
    for k in range(len(b)):
        speed = larger(speed, larger(load(b, k), -load(b, k)))
    speed = select(smaller(0.0, speed), speed, 1.0 + 0.0 * speed)
    for i in range(len(kinds)):
        weight = VELOCITY * unit / (speed * load(s, row))
        store(weights, i, weight * weight)
        row += rows_of(load_integer(kinds, i))


@kernel
def begin_vectors(n, x, best, start, y, z):
    """Set ``best`` and ``start`` to x, and y and z to zero"""
    copy_vector(n, x, best)
    copy_vector(n, x, start)
    for k in range(n):
        store(y, k, 0.0 * load(x, k))
        store(z, k, 0.0 * load(x, k))


@kernel
def multiply_step(P, M, rho, times, x, z, y):
    """The method of multipliers: x = (S + rho)^-1 (z - g + rho y - c), then y and z; M is S + rho, factorised"""
    kinds, laws, c, n = P.kinds, P.laws, P.c, P.n
    for _ in range(times):
        for k in range(n):
            store(x, k, load(z, k) + rho * load(y, k) - load(c, k))
        if P.exact:
            shift_by_friction(kinds, laws, -1.0, z, x)
        solve_ldl(M, n, x)
        move_to_sets(kinds, laws, rho, x, z, y)


@kernel
def penalty(n, unit, x, turn):
    """Return the penalty of the method of multipliers: |c| / |x|, velocity by multiplier, or a tenth or ten times that"""
    size = length_of(n, x)
    rho = unit / larger(size, 1e-6 * unit)
    rho = larger(rho, PROXIMAL + 0.0 * rho)
    return rho * (1.0 if turn % 3 == 1 else 0.1 if turn % 3 == 2 else 10.0)


@kernel
def add_springs(n, epsilon, start, x, u):
    """u += epsilon (x - start): S and c themselves stay as they are, to the last bit, for states that have no springs"""
    for k in range(n):
        accumulate(u, k, epsilon * (load(x, k) - load(start, k)))


@called_kernel
def newton_turn(P, search, epsilon, goal, damping, least, x, best):
    """Steps of Newton's method from x, where velocities are u; the best multipliers so far, and their error

    Springs ``epsilon`` to the start are all that a step needs where multipliers are many. Where there are none, softer
    ones, to where each step begins, do not let go at once.
    """
    kinds, laws, exact, S, c, n = P
    unit, start, u, M, d = search.unit, search.start, search.u, search.M, search.d
    add_springs(n, epsilon, start, x, u)
    e = cone_problem_error(kinds, laws, exact, x, u)
    least = keep(n, goal, e, x, least, best)
    soft, softest = (0.0, 0.0) if epsilon > 0.0 else (COMPLIANCE, PROXIMAL)
    for _ in range((2 if exact else 1) * (PATIENT if damping > 0.0 else 1) * NEWTON_STEPS):
        if reached(goal, least):
            break
        one = 1.0 + 0.0 * e
        rho = larger(damping * sqrt(select(smaller(e, unit), e / unit, one)), soft * one)
        soft = max(SOFTENING * soft, softest)
        newton_equations(P, epsilon + rho, x, u, M, d)
        eliminate(M, n, d)
        for k in range(n):
            accumulate(x, k, load(d, k))
        velocities(S, c, n, x, u)
        add_springs(n, epsilon, start, x, u)
        e = cone_problem_error(kinds, laws, exact, x, u)
        least = keep(n, goal, e, x, least, best)
    return least


@kernel
def newton_from(P, search, damping, least):
    """Newton's method from x, where velocities are u, with springs to the start, and without, where that leads on"""
    n, goal, unit, trial, y = P.n, search.goal, search.unit, search.trial, search.y
    sharp, zero = SHARED * unit, 0.0 * unit
    # Zero in place of the least error says that there is nothing to be done.
    wanted = smaller(goal, least)
    copy_vector(n, search.x, trial)
    lower = select(wanted, np.inf * unit, zero)
    lower = newton_turn(P, search, COMPLIANCE, sharp, damping, lower, trial, y)
    found = smaller(lower, 100.0 * sharp)
    velocities(P.S, P.c, n, y, search.u)
    now = select(found, least, zero)
    now = newton_turn(P, search, 0.0, goal, 0.0, now, y, search.best)
    return select(found, now, least)


@kernel
def augmented_turn(P, search, softer, least):
    """The convex law by softer and softer springs; the error

    They stay at the start until they are soft; then they are moved, so that nothing is left of them.
    """
    kinds, laws, exact, S, c, n = P
    goal, unit, x, u, w, y = search.goal, search.unit, search.x, search.u, search.trial, search.y
    scratch = u, search.z, search.d, search.M
    copy_vector(n, search.start, y)
    copy_vector(n, search.start, w)
    rho, moved = STIFFEST, 0
    while moved < MOVES and not reached(goal, least):
        augmented_newton(P, unit, rho + 0.0 * unit, y, w, x, scratch)
        if rho < 1.1 * SOFT:
            copy_vector(n, x, y)
            moved += 1
            velocities(S, c, n, x, u)
            least = keep(n, goal, cone_problem_error(kinds, laws, exact, x, u), x, least, search.best)
        rho = max(softer * rho, SOFTEST)
    return least


@kernel
def start_multipliers(kinds, laws, exact, n, fresh, u, d, z):
    """Set the multipliers z to u, with De Saxce's term in Coulomb's law, in ``fresh`` states; others keep theirs"""
    for k in range(n):
        store(d, k, load(u, k))
    if exact:
        shift_by_friction(kinds, laws, 1.0, u, d)
    copy_where(n, fresh, d, z)


@kernel
def first_of_turn(P, search, turn, times, least):
    """Sweeps, the convex law by springs, or the method of multipliers: the error, iterations, and those of the next turn"""
    exact, S, n, x, M = P.exact, P.S, P.n, search.x, search.M
    if turn == 0:
        for _ in range(times):
            sweep_blocks(P.kinds, P.laws, exact, S, n, x, search.u, search.y)
        return least, times, times
    if turn == 1 or (turn % 2 == 1 and not exact):
        softer = 0.01 if turn == 1 else 0.1
        return augmented_turn(P, search, softer, least), SPRINGS, times
    rho = penalty(n, search.unit, search.best, turn)
    factorize_shifted(S, n, rho, M)
    multiply_step(P, M, rho, times, search.d, search.z, x)
    return least, times, min(2 * times, MOST)


@kernel
def newton_if_near(P, search, least):
    """Newton's method before all else, for states whose start is near: the error that is left"""
    n, goal, unit, x = P.n, search.goal, search.unit, search.x
    warm = smaller(least, WARM * unit)
    if not within(select(warm, 1.0 + 0.0 * unit, 0.0 * unit), 0.0) and not reached(goal, least):
        wanted = select(warm, least, 0.0 * unit)  # zero says that there is nothing to be done
        wanted = newton_from(P, search, 0.0, wanted)
        least = select(warm, wanted, least)
        if not reached(goal, least):
            velocities(P.S, P.c, n, x, search.u)
        for k in range(n):
            store(search.y, k, 0.0 * load(x, k))
    return least


@kernel
def solve_cone_problem(W, b, kinds, laws, exact, tolerance, iterations, r, error, work):
    """The multipliers r in place, from a start, and of each state the error; how many iterations that took

    W: n^2 scalars, symmetric, positive semidefinite, with what compliance adds. b: n scalars. kinds: an integer for each
    block, as the bits of a float, 0 for a contact, the number of steps for a staircase. laws: their numbers, one block after
    the other. exact: Coulomb's law, otherwise the convex one. tolerance: of the error. iterations: of sweeps and the like; a
    turn that was begun is finished. error: one scalar, NaN of a state whose numbers, or the squares of b, are not finite:
    nothing is tried there. work: :func:`cone_problem_memory` scalars. Numbers are zero or, but for bounds, between 1e-100
    and 1e100.
    """
    n = len(b)
    S, M, rest = part(work, 0, n * n), part(work, n * n, n * n), 2 * n * n
    c, s, x, u = part(work, rest, n), part(work, rest + n, n), part(work, rest + 2 * n, n), part(work, rest + 3 * n, n)
    best, trial, d = part(work, rest + 4 * n, n), part(work, rest + 5 * n, n), part(work, rest + 6 * n, n)
    z, y, start = part(work, rest + 7 * n, n), part(work, rest + 8 * n, n), part(work, rest + 9 * n, n)
    scaled = part(work, rest + 10 * n, len(laws) + len(kinds))
    find_cone_scales(W, n, kinds, s)
    scale_vectors(b, kinds, laws, r, s, c, scaled, x)
    scale_matrix(W, n, s, S)
    unit = length_of(n, c)
    unit = select(smaller(0.0, unit), unit, 1.0 + 0.0 * unit)
    goal = tolerance * unit
    store_weights(b, s, unit, kinds, tail(scaled, len(laws)))
    velocities(S, c, n, x, u)
    # NaN and infinite numbers of a problem are in it; such a state never goes on.
    least = cone_problem_error(kinds, scaled, exact, x, u)
    begin_vectors(n, x, best, start, y, z)
    P, search = ConeProblem(kinds, scaled, exact, S, c, n), Search(goal, unit, start, x, u, z, d, y, trial, best, M)
    least = newton_if_near(P, search, least)
    done, times, turn = 0, FIRST, 0
    while done < iterations and not reached(goal, least):
        least, steps, times = first_of_turn(P, search, turn, times, least)
        done, turn = done + steps, turn + 1
        damping = DAMPING if turn % 3 == 0 else 0.0
        velocities(S, c, n, x, u)
        least = newton_from(P, search, damping, least)
        velocities(S, c, n, x, u)
        e = cone_problem_error(kinds, scaled, exact, x, u)
        least = keep(n, goal, e, x, least, best)
        # What Newton's method found is the next start only if it is much better: it may lie where nothing leads on.
        one = 1.0 + 0.0 * e
        gain = select(smaller(0.1 * e, least), -one, one)
        copy_where(n, smaller(0.0, gain), best, x)
        velocities(S, c, n, x, u)
        start_multipliers(kinds, scaled, exact, n, smaller(-2.0 if turn < 3 else 0.0, gain), u, d, z)
    for k in range(n):
        store(r, k, load(s, k) * load(best, k))
    store(error, 0, least / unit + 0.0 * unit)
    return done
