"""The automatic choice: a few methods, in turn, until the tolerance is reached.

Newton's method in velocities (:mod:`~pluecker.contact.friction.solving.islands.newton`) comes first, for all islands
together: it solves nine in ten of what is hard within a millisecond or a few. What it leaves, and what has no roots,
goes through this table, each island alone; each method begins at the best point so far unless the table says otherwise,
and gives back what is better. Budgets are in brackets:

====================  =================================================================================================
many contacts         sweeps with momentum, and Newton's method on parts (``parts`` beside this file); Newton's method of
                      the whole (100 factors)
convex                interior point (200 steps), Newton's method (100 factors), then gradients (1000) and Newton's method
                      in turn, as long as the error falls
Coulomb               gradients (1000) where there are no roots; then, :data:`ROUNDS` times, over-relaxed sweeps, which go
                      on from their own last point, the first ones from nothing (200), and Newton's method from there (20),
                      each with four times its budget of the round before; after four rounds Newton's method from nothing
                      (20,000), of not too many contacts; at last convex problems whose shift is held, and in each round
                      where there are no roots
====================  =================================================================================================

What is hard for one method is easy for another. Measured on 220 problems of 11 families, 20 to 400 contacts: sweeps and
Newton's method in turn solve all, in half of the time that they took with convex problems between them, shifts held, which
solved no other: these come last, for the steepest cones (friction 1e6 and more). Of the 440 problems of
``benchmarks.contact`` 438 are solved. No decision depends on times, and under Coulomb's law none on the tolerance but that
of when to end.

**Convex problems whose shift is held** are solved by the interior point, each with the shift that the velocities of the one
before made. What a shift is and when its step is halved: :mod:`~pluecker.contact.friction.first_order.runner`.

Source: the fixed point as in Acary, Cadoux, Lemarechal, Malick (2011).
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.memory import ERROR
from pluecker.contact.friction.first_order.runner import INSIDE, PATIENCE, SHORTEST, settled
from pluecker.contact.friction.first_order.sweeps import USUAL
from pluecker.contact.friction.solving.islands.island import STEPS, Island, on_islands
from pluecker.contact.friction.solving.islands.newton import BUDGET, Limits, run_newton
from pluecker.contact.friction.solving.islands.parts import LARGE, swept

__all__ = ["limits_of", "run_automatic", "run_interior_point", "run_polished"]

GRADIENTS = 1000  # in one go: then Newton's method is tried
# Of the first round, and factors from where these lead, as many as in the convex law, where the interior point follows: with
# 50 as many problems are solved; in the convex law with 100 flows take 1.3 times as long.
SWEEPS, FACTORS = 200, 20
MORE, ROUNDS = 4, 6  # times as many in each round: with 5 rounds 3 of 440 hard problems fewer are solved
# After so many rounds Newton's method goes on from nothing, as long as in a round that comes later. Of 66 problems of a wall
# that a heavy ball hits, with friction 1.5, which rounds leave at 1 to 30 times the accuracy, that solves two in three.
FIRST_ROUNDS = 4


def run_automatic(whole, law, x, u, tol, limit, memory, begin, end):
    """Run Newton's method on all islands of not too many contacts, and the table on those that it leaves."""
    done = run_newton(whole.P, law, whole.roots, x, u, limits_of(law, tol, limit), memory.results, begin, end)
    if (memory.results[begin:end, ERROR] <= tol).all():
        return done
    return [*done, *run_table(whole, law, x, u, tol, limit, memory, begin, end)]


def limits_of(law: int, goal: float, iterations: int) -> Limits:
    """Return the limits of Newton's method where it comes first."""
    return Limits(goal, iterations, BUDGET if law == 1 else FACTORS, LARGE)


def table(island: Island, tol: float) -> None:
    """Run the rows of the table that are for this island."""
    if island.contacts > LARGE:
        swept(island, tol)
        island.newton(tol)
    if island.error > tol:
        (coulomb if island.law == 1 else convex)(island, tol)


def convex(island: Island, tol: float) -> None:
    """Run the interior point where its factors are not too large, then Newton's method and gradients."""
    if island.factorises:
        island.convex(tol, island.zero, island.x, STEPS)
    polish(island, tol)


def coulomb(island: Island, tol: float) -> None:
    """Run sweeps, and Newton's method from where they come to, in turn."""
    if island.roots is None:
        island.gradients(tol, GRADIENTS)
    x, sweeps, factors = island.zero.copy(), SWEEPS, FACTORS
    u = island.velocity(x)
    for number in range(ROUNDS):
        if number == FIRST_ROUNDS and island.contacts <= LARGE:
            island.newton(tol, island.zero, MORE * factors)
        if island.error <= tol or island.rest <= 0:
            return
        island.sweeps(tol, sweeps, x, u, USUAL)
        if island.roots is not None:
            island.newton(tol, x, factors)
        elif island.factorises:
            hold_shifts(island, tol, PATIENCE)
        sweeps, factors = MORE * sweeps, MORE * factors
    if island.roots is not None and island.factorises:
        hold_shifts(island, tol)


def polish(island: Island, tol: float) -> None:
    """Run Newton's method, from gradients where it does not come from the start."""
    island.newton(tol)
    before = np.inf
    while island.error > tol and island.error < before and island.rest > 0:
        before = island.error
        island.gradients(tol, GRADIENTS)
        island.newton(tol)


def inside(island: Island, tol: float) -> None:
    """Run the interior point; for Coulomb's law with shifts held in turn."""
    if island.law == 0:
        island.convex(tol, island.zero, island.x)
    else:
        hold_shifts(island, tol)


run_table, run_polished, run_interior_point = on_islands(table), on_islands(polish), on_islands(inside)


def hold_shifts(island: Island, tol: float, most: float = np.inf) -> None:
    """Solve convex problems from the best point, each with the shift of the one before held, ``most`` at most."""
    x, g, step, idle, count = island.x.copy(), island.first_shift(), 1.0, 0, 0
    error = least = island.error
    steep = max(1.0, float(island.P.K.friction.max(initial=0.0)))  # cones hide the error of the convex problem likewise
    while island.error > tol and island.rest > 0 and step >= SHORTEST and count < most:
        x = island.convex(INSIDE * min(error, 1.0) / steep, g, x)
        error = island.checks.error(x, island.velocity(x))
        g += step * (island.shifted(x) - g)
        count += 1
        step, idle, least = settled(step, idle, least, error, PATIENCE)
