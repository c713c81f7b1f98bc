"""Solve one island by Newton's method in the velocities of its bodies.

    A dv = J' r,    u = J dv + b + C r,    r and u obey the law of each block

for trees of bodies with the velocities dv that impulses add to them: A their mass matrices, b velocities along rows without
impulses, C compliance. All that is factorised is ``A + J' D J``, six rows a body and sparse as the graph of bodies, however
many contacts these have; impulses that are not unique do no harm. One after the other, until the error is what is aimed at:

====================  ==================================================================================================
start                 the impulses that are given, projected, are looked at: mostly those of the step before, which solve
                      the problem where nothing happens
Newton's method       6 steps on Coulomb's law itself (``coulomb_newton.py``): from no impulses they lead to those that many
                      contacts share, where sweeps load the first of them
turns                 three of 5 to 20 sweeps of block Gauss-Seidel (``sweeps.py``) and 15 steps of Newton's method, from the
                      best that was met, with a larger epsilon, 1e-5 then 1e-3: small ones come to the end, large ones are
                      safer far from it
rounds                one of the method of multipliers (``held_shifts.py``), then Newton's method again; the penalty grows
                      from 1e2 to 1e7, the inverse of the mass that a block sees being one
more digits           up to 6 steps of Newton's method, where that is wanted
====================  ==================================================================================================

The convex law has a start and rounds alone. What is not solved in the budget keeps the best impulses that were met.

Impulses of rigid contacts are not unique, nor are solutions of Coulomb's law: of a box that is pressed between two jaws
and pulled, one hinges about a corner that carries all of the pressure. Sweeps from no impulses find that one, Newton's
method the one that rests.

Measured on 3,582 islands of 1,542 problems of steps: piles and stacks of 1 to 50 boxes, balls, capsules, cards and any
boxes, thrown and at rest, walls, masses of 1 to 1e4, friction from 0 to 1.5, steps of 0.1 to 20 ms, soft ones, rolling
ones, a robot on boxes; Coulomb's law to 1e-6, starts from the step before. With 100 factors at most 44 are not solved (13 of
a wall that is hit, 9 of stacks with masses of 1 to 1e4), of which ``auto`` solves 35; there are 4.4 factors an island, in
ordinary piles 0.1 to 8. With sweeps ahead of the first steps it is 45, with 200 factors 13.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.velocities.coulomb_newton import coulomb_newton
from pluecker.contact.friction.velocities.factor import find_pattern, invert_masses
from pluecker.contact.friction.velocities.held_shifts import held_shifts
from pluecker.contact.friction.velocities.island import (
    BEST,
    BLOCKS,
    CHANGE,
    LOW,
    MEMBER,
    NEEDED,
    NODE,
    NODES,
    NUMBER,
    ROWS,
    SCALE,
    X,
    gather,
    make_island,
    move,
    try_impulses,
)
from pluecker.contact.friction.velocities.sweeps import sweep_while_it_helps
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel, entry_point

__all__ = ["make_island", "solve_island", "solve_one_island"]

FIRST, STEPS = 6, 15  # of Newton's method, one after the other
POLISHING = 6  # steps, at most, with which impulses that are good enough get more digits
TURNS = 3  # of sweeps and Newton's method before rounds
SMALL, MIDDLE, LARGE = 1e-7, 1e-5, 1e-3  # epsilon, in turn
SOFT, GROWTH, STIFF = 1e2, 10.0, 1e7


@allocation_free_kernel
def go_back(I):
    """Go back to the best impulses that were met"""
    for k in range(I.counts[ROWS]):
        I.rows[X, k] = I.rows[BEST, k]
    move(I, I.rows[X])


@allocation_free_kernel
def has_room(I):
    """Return whether there is room for the factor, whose pattern is found"""
    if I.counts[NODES] > NUMBER:
        return False
    find_pattern(I)
    return I.counts[NEEDED] <= len(I.factors[LOW])


@called_kernel
def improve(I, exact, aim, budget, best):
    """Solve the island, from the impulses X; return the smallest error, and how many factors were made, or -1"""
    used, turn, rho = 0, 0, SOFT
    if not has_room(I):
        best = sweep_while_it_helps(I, exact, aim, best)
        return best, used if best <= aim else -1
    invert_masses(I)
    while used < budget and best > aim and turn < budget:
        if turn > 0:
            go_back(I)
        if 0 < turn <= TURNS and exact == 1:
            best = sweep_while_it_helps(I, exact, aim, best)
        elif turn > 0 or exact == 0:
            used += held_shifts(I, exact, aim, rho, budget - used)
            best = try_impulses(I, I.rows[X], exact, best)
            rho = min(GROWTH * rho, STIFF)
        if exact == 1 and best > aim:
            epsilon = SMALL if turn < 2 else MIDDLE if turn % 3 == 2 else LARGE if turn % 3 == 0 else SMALL
            best, more = coulomb_newton(I, aim, epsilon, min(STEPS if turn > 0 else FIRST, budget - used), best)
            used += more
        turn += 1
    return best, used


@called_kernel
def polish(I, finer, best):
    """Take some steps of Newton's method from impulses that are good enough; return the smallest error, and the factors"""
    if not has_room(I):
        return best, 0
    invert_masses(I)
    return coulomb_newton(I, finer, SMALL, POLISHING, best)


@called_kernel
def solve_island(I, J, K, s, inverse, square, offset, compliance, members, exact, aim, finer, budget, r, change):
    """Solve one island of a problem; kernels call it, Python calls :func:`solve_one_island`

    Args:
        I: memory, of :func:`~pluecker.contact.friction.velocities.island.make_island`, for a J of no smaller sizes.
        J: a :class:`~pluecker.contact.friction.sparse.blocks.BlockMatrix` of the whole problem, a block row for each contact
            or row, a block column for each node.
        K: the :class:`~pluecker.contact.friction.problem.sets.Sets` of all blocks.
        s: the scale of each multiplier, of :func:`~pluecker.contact.friction.problem.prepared.scales`, ``(m,)``.
        inverse: A^-1 of each node, row by row, one after the other.
        square: where the matrix of each node begins there.
        offset: b, with what restitution and gaps add, ``(m,)``, m/s.
        compliance: C, a number for each multiplier, ``(m,)``.
        members: the block rows of the island.
        exact: 1 for Coulomb's law, 0 for the convex one.
        aim: the error, as ``Result.errors.largest``, of this island, that is enough.
        finer: above it, impulses that are good enough get some steps of Newton's method all the same: what is pressed
            together creeps as long as impulses of the step before are taken as they are. Coulomb's law alone.
        budget: factors that may be made.
        r: multipliers, ``(m,)``: a start, in the rows of the island replaced by the best that was met.
        change: dv of them, ``(n,)``, written for the nodes of the island.

    Returns:
        The error, NaN where numbers are not finite or too large, with r as it was and no change; and how many factors were
        made, or -1 where there was no room for one: with ``I.counts[NEEDED]`` numbers there is, but never for more than
        :data:`~pluecker.contact.friction.velocities.island.NUMBER` nodes.
    """
    gather(I, J, K, s, inverse, square, offset, compliance, members, r)
    for k in range(I.counts[ROWS]):
        if not abs(I.rows[X, k]) < np.inf:  # a start that is none
            I.rows[X, k] = 0.0
    used, best = 0, try_impulses(I, I.rows[X], exact, np.inf)
    if not best < np.inf:
        for k in range(I.counts[ROWS]):
            I.rows[X, k] = 0.0
        best = try_impulses(I, I.rows[X], exact, np.inf)
    if not best < np.inf:
        for k in range(I.counts[ROWS]):
            I.rows[BEST, k] = I.rows[X, k]
        write(I, J, K, True, r, change)
        return np.nan, used
    if best > aim:
        best, used = improve(I, exact, aim, budget, best)
    if finer < best <= aim and exact == 1:
        go_back(I)
        best, more = polish(I, finer, best)
        used = max(used, 0) + more
    go_back(I)
    write(I, J, K, False, r, change)
    return best, used


@called_kernel
def write(I, J, K, nothing, r, change):
    """Write multipliers and velocities to their places in the problem; with ``nothing`` velocities that are zero alone"""
    for i in range(I.counts[BLOCKS]):
        row = K.start[I.numbers[MEMBER, i]]
        for k in range(I.K.start[i], I.K.start[i + 1]):
            if not nothing:
                r[row] = I.rows[BEST, k] * I.rows[SCALE, k]
            row += 1
    for t in range(I.counts[NODES]):
        top = J.columns[I.numbers[NODE, t]]
        for k in range(I.J.columns[t], I.J.columns[t + 1]):
            change[top] = 0.0 if nothing else I.moves[CHANGE, k]
            top += 1


def solve_one_island(I, J, K, s, inverse, square, offset, compliance, members, exact, aim, finer, budget, r, change):
    """Solve one island of a problem, see :func:`solve_island`"""
    return solve_island(I, J, K, s, inverse, square, offset, compliance, members, exact, aim, finer, budget, r, change)


solve_one_island = entry_point(solve_one_island)
