"""Contacts among the rows with a range: three rows each, a normal and two tangents, with Coulomb's law.

    0 <= r_n  complementary to  u_n - l >= 0        |r_t| <= mu r_n,    r_t against u_t where that is not zero

u = J v are velocities at the end of the step, l the least one away from each other: that with which the gap just closes,
``-gap / h``; what comes back of an approach, by Newton's coefficient, or zero, where Poisson's returns impulses
(:mod:`~pluecker.contact.rows.ranges.impact_phases`); or the speed at which a depth is undone that the step began with.
What rests stays where it is, to rounding; while bodies turn, gaps close to second order in the step. No impulse makes
energy, but for what comes back and what is undone. The normal of a soft contact is a spring and a damper that push and
never pull.

With contacts the rows that are awake are a problem of blocks, of :mod:`pluecker.contact.friction.dense.cone_problem`:
staircases first, then contacts, then what resists to rolling and spinning
(:mod:`~pluecker.contact.rows.ranges.resistance`), then the friction of what is returned
(:mod:`~pluecker.contact.rows.ranges.returned_impulses`). What dense methods leave of it is solved in velocities
(:mod:`~pluecker.contact.friction.velocities.dense_problem`), as islands of contacts that are found are.

Sources: Moreau, "Unilateral contact and dry friction in finite freedom dynamics" (1988); Stewart, Trinkle (1996), gap and
friction in one step; source document 004 (docs/sources.md).
"""

from collections.abc import Callable
from typing import Any

from pluecker.articulated.stepping.terms.rows import (
    DAMPING,
    FRICTION,
    LOWER,
    RESTITUTION,
    STIFFNESS,
    TOLERANCE,
    sleeps,
    store_of_awake,
)
from pluecker.articulated.stepping.terms.rows import entry as range_entry
from pluecker.contact.friction.dense.cone_problem import VELOCITY
from pluecker.contact.friction.dense.cone_solver import cone_solver_memory, solve_cone
from pluecker.contact.friction.dense.contact_law import NormalLaw, coefficient_in_force, least_in_impact, normal_law
from pluecker.contact.friction.velocities.dense_problem import CALL, solve_unsolved
from pluecker.contact.rows.jacobian import row_rate
from pluecker.contact.rows.layout import (
    ACCURACY,
    ROW_CORRECTION,
    ROW_KINETIC,
    ROW_RETURNED,
    ROW_SPEED,
    block_kinds,
    contact_count,
    linear_count,
    ranges,
    resistance_count,
    return_count,
    row_number,
    staircase_count,
)
from pluecker.contact.rows.ranges.resistance import resistance_blocks, resisting_blocks, take_moments
from pluecker.contact.rows.ranges.returned_impulses import (
    HIT,
    LEAST,
    LEAST_OF_IMPACT,
    RETURNED,
    Blocks,
    returning_blocks,
    returns_now,
    take_friction,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, part, select, smaller, store, tail, within

__all__ = ["contact_scratch", "friction_in_force", "least_rate", "make_solve_blocks", "store_contact_law"]

# Of a problem by dense methods: sweeps, then the convex law, each with Newton's method behind it. What these leave, more of
# them seldom solves.
ITERATIONS = 7


@kernel
def store_contact_law(w, k, h, x, before, free, law, at):
    """Store the law, but for friction, of the normal that is the row with a range number ``k``; return its compliance"""
    rows, row = ranges(w), linear_count(w) + k
    own = NormalLaw(
        range_entry(rows, k, RESTITUTION), row_number(w, row, ROW_RETURNED), range_entry(rows, k, STIFFNESS),
        range_entry(rows, k, DAMPING), row_number(w, row, ROW_CORRECTION), row_number(w, row, ROW_SPEED),
    )  # fmt: skip
    compliance, least, hit = normal_law(h, x - range_entry(rows, k, LOWER), before, free, own)
    store(law, at + LEAST, least)
    store(law, at + LEAST_OF_IMPACT, least_in_impact(least))
    store(law, at + RETURNED, 0.0 * free)
    store(law, at + HIT, hit)
    return compliance


@kernel
def friction_in_force(w, J, k, v, rho, last):
    """Select the coefficient of the contact whose normal is the row with a range number ``k``

    ``v`` before the step; ``rho`` what surfaces add to the rates of rows; ``last`` the impulses of rows with a range in the
    step before.
    """
    row = linear_count(w) + k
    mu, kinetic = range_entry(ranges(w), k, FRICTION), row_number(w, row, ROW_KINETIC)
    if not kinetic < mu:  # most have one, for which no slip is computed
        return mu + 0.0 * load(v, 0)
    x = row_rate(w, J, row + 1, v) + load(rho, row + 1)
    y = row_rate(w, J, row + 2, v) + load(rho, row + 2)
    return coefficient_in_force(mu, kinetic, (load(last, k), load(last, k + 1), load(last, k + 2)), (x, y))


@kernel
def least_rate(law, at):
    """Load l"""
    return load(law, at + LEAST)


def contact_scratch(n: int, numbers: int, resistances: int = 0, returns: int = 0) -> int:
    """Compute how many numbers of scratch memory solving takes for n rows whose laws have so many numbers in all.

    Among them so many rows of resistance, whose blocks have up to two rows more, and so many contacts that return impulses,
    whose blocks have three; then there is another matrix.
    """
    m = n + 2 * resistances + 3 * returns
    return (m * m if m > n else 0) + 3 * m + numbers + 2 + max(CALL, int(cone_solver_memory(m, numbers)))


@kernel
def set_apart(W, n, k, here):
    """Uncouple row k from all others in states in which it sleeps, and others are awake"""
    for i in range(n):
        x, y = load(W, i * n + k), load(W, k * n + i)
        other = 0.0 * x if i != k else 1.0 + 0.0 * x
        store(W, i * n + k, select(here, x, other))
        store(W, k * n + i, select(here, y, other))


@kernel
def find_multipliers(W, b, kinds, laws, bound, taken, x, found, ws):
    """Find the multipliers x by dense methods, and where these leave more than ``bound``, in velocities; return the error

    In states that are taken. Newton's method goes on from what velocities tell; the better of both is kept. ``found``: room
    for as many multipliers, and two numbers.
    """
    n, goal = len(b), min(TOLERANCE, bound)
    before, wanted, own = part(found, 0, n), part(found, n, 1), part(found, n + 1, 1)
    solve_cone(W, b, kinds, laws, True, goal, ITERATIONS, x, own, ws)
    error = load(own, 0)
    asks = select(smaller(bound, error), taken, 0.0 * taken)
    if within(asks, 0.0):
        return error
    for k in range(n):
        store(before, k, load(x, k))
    store(wanted, 0, asks)
    solve_unsolved(W, b, kinds, laws, x, wanted, ws)
    solve_cone(W, b, kinds, laws, True, goal, 0, x, own, ws)
    better = smaller(0.5, select(smaller(load(own, 0), error), asks, 0.0 * asks))
    for k in range(n):
        store(x, k, select(better, load(x, k), load(before, k)))
    return select(better, load(own, 0), error)


def make_solve_blocks(with_more: bool) -> Callable[..., Any]:
    """Make the solver for worlds whose contacts resist rolling or spinning or return impulses, or for those with none of
    these.
    """

    def solve_blocks(w, rows, taken, ws):
        """Solve for the multipliers of the rows that are awake, in r, where they begin; those of all others become zero

        ``taken`` is 1 in states whose multipliers are wanted. Returns the error, as one of other rows, of which less is
        tolerated: it counts the velocities by which contacts miss their law by the share ``VELOCITY``, beside the largest
        one, of which the accuracy of the world is tolerated.
        """
        awake, count, W, b, r, laws, numbers = rows
        n, column, place, staircases, touching = len(awake), 0, 0, 0, 0
        plain, most = staircase_count(w), n
        if with_more:
            most = n + 2 * resistance_count(w) + 3 * return_count(w)
        c, x, law, found = part(ws, 0, most), part(ws, most, most), tail(ws, 3 * most + 2), part(ws, 2 * most, most + 2)
        for k in range(plain):
            if not sleeps(awake, k):
                here, zero = smaller(0.5, load(awake, k)), 0.0 * load(b, k)
                for j in range(numbers):
                    number = load(laws, numbers * k + j)
                    store(law, place + j, number if j % 2 == 1 else select(here, number, zero))
                store(c, column, select(here, load(b, k), zero))
                store(x, column, select(here, load(r, k), zero))
                column, place, staircases = column + 1, place + numbers, staircases + 1
        for k in range(plain, plain + 3 * contact_count(w), 3):
            if not sleeps(awake, k):
                here = smaller(0.5, load(awake, k))
                for j in range(3):
                    zero = 0.0 * load(b, k + j)
                    store(c, column + j, select(here, load(b, k + j), zero))
                    store(x, column + j, select(here, load(r, k + j), zero))
                    if not within(1.0 - load(awake, k), 0.0):
                        set_apart(W, count, column + j, here)
                store(law, place, load(laws, numbers * k))
                column, place, touching = column + 3, place + 1, touching + 1
        E, rest, resisting, blocks = W, tail(ws, 3 * most + 2 + numbers * n), 0, 0
        if with_more:  # noqa: SIM102 - what is false here is not compiled
            if most > n:
                resisting = resistance_blocks(w, awake)
                blocks = resisting + returns_now(w, rows)
        first, size = column + 3 * resisting, column + 3 * blocks
        c = part(c, 0, size)
        if with_more:  # noqa: SIM102
            if blocks > 0:
                E, rest = part(rest, 0, size * size), tail(rest, size * size)
                problem = Blocks(E, c, x)
                resisting_blocks(w, rows, column, problem, part(law, place, resisting))
                returning_blocks(w, rows, first, problem, tail(law, place + resisting))
        kinds, law = block_kinds(w, staircases, touching + blocks), part(law, 0, place + blocks)
        bound = VELOCITY * load(w, ACCURACY)
        error = find_multipliers(E, c, kinds, law, bound, taken, part(x, 0, size), found, rest)
        if with_more:  # noqa: SIM102
            if blocks > 0:
                take_friction(w, rows, first, x)
                take_moments(w, awake, column, x)
        store_of_awake(awake, x, r)
        return TOLERANCE / bound * error

    solve_blocks.__name__ += f"_{with_more:d}"
    return kernel(solve_blocks)
