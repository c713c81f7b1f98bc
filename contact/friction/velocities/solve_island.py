"""Solve one island by Newton's method in the velocities of its bodies.

    A dv = J' r,    u = J dv + b + C r,    r and u obey the law of each block

for trees of bodies with the velocities dv that impulses add to them: A their mass matrices, b velocities along rows without
impulses, C compliance. All that is factorised is ``A + J' D J``, six rows a body and sparse as the graph of bodies, however
many contacts these have; impulses that are not unique do no harm.

The impulses that are given, projected, are looked at first: mostly those of the step before, which solve the problem where
nothing happens. Otherwise steps of Newton's method (``newton.py``) follow from there until the error is what is aimed at.
What is not solved in the budget keeps the best impulses that were met.

Impulses of rigid contacts are not unique, nor are solutions of Coulomb's law: of a box that is pressed between two jaws
and pulled, one hinges about a corner that carries all of the pressure, one rests. Newton's method finds that which rests.

Ordinary islands take no factor to six. Measured on 314 islands that 15 factors had not solved, of heaps of 100 to 1,000
bodies and of motions from seeds (``benchmarks/motions``; up to 688 contacts, Coulomb's law to 3e-7): 63 factors each with
all, 10 not solved with 600; 54 were not with an epsilon that only grows. Of 107 of a stack of 50 boxes, of which the lowest
is thrown, all are solved, with 132 factors each. A factor of 20 boxes with all that a step takes is 20 us (AVX2), of 1,000
bodies with 3,000 contacts 2 to 3 ms (AVX-512).
"""

from __future__ import annotations

from math import inf, nan

import numpy as np

from pluecker.contact.friction.problem.sets import Sets
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.contact.friction.velocities.factor import find_masses, find_room
from pluecker.contact.friction.velocities.island import (
    AT,
    BEST,
    BLOCKS,
    EIGHT,
    HEADER,
    IMPULSE,
    KEPT,
    MEMBER,
    NODE,
    NODES,
    NUMBER,
    ROWS,
    SCALE,
    START,
    WIDTH,
    IslandProblem,
    begin,
    count,
    numbers,
    try_impulses,
    whole,
)
from pluecker.contact.friction.velocities.newton import newton
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point
from pluecker.spatial.engine.memory.arrays import aligned
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.functions.elementwise import Array

__all__ = ["island_problem", "make_memory", "solve_island", "solve_one_island"]

POLISHING = 6  # steps, at most, with which impulses that are good enough get more digits


@called_kernel
def solve_island(memory, P, local, members, exact, aim, finer, budget, change):
    """Solve one island of a problem; kernels call it, Python calls :func:`solve_one_island`

    Args:
        memory: to work in.
        P: an :class:`~pluecker.contact.friction.velocities.island.IslandProblem`. Its multipliers r are a start, and in the
            rows of the island are replaced by the best that were met.
        local: -1 for each node of the problem.
        members: the block rows of the island.
        exact: 1 for Coulomb's law, 0 for the convex one.
        aim: the error, as ``Result.errors.largest``, of this island, that is enough.
        finer: above it, impulses that are good enough get one more step of Newton's method, and some if they are those that
            were given, in Coulomb's law: what is pressed together creeps as long as impulses of the step before are taken
            as they are.
        budget: factors that may be made.
        change: dv, ``(n,)``, written for the nodes of the island.

    Returns:
        The error, NaN where numbers are not finite or too large, with r as it was and no change; and how many factors were
        made, or, where there is too little memory, how many numbers it takes, with a minus: then nothing was done. None are
        made for more than :data:`~pluecker.contact.friction.velocities.island.NUMBER` nodes.
    """
    I = aligned(memory)
    lacking = begin(I, P, local, members)
    if lacking > 0:
        return nan, -lacking
    x, used = numbers(I, IMPULSE), 0
    for k in range(count(I, ROWS)):
        if not abs(x[k]) < inf:  # a start that is none
            x[k] = 0.0
    best = try_impulses(I, x, exact, inf)
    if not best < inf:
        for k in range(count(I, ROWS)):
            x[k] = 0.0
        best = try_impulses(I, x, exact, inf)
    if not best < inf:
        write(I, P, False, False, change)
        return nan, used
    if count(I, NODES) <= NUMBER and (best > aim or (best > finer and exact == 1)):
        lacking = find_room(I)
        if lacking > 0:
            return nan, -lacking
        if find_masses(I, P):
            steps = budget if best > aim else min(budget, POLISHING)
            best, used = newton(I, exact, aim if best > aim else finer, finer, steps, best)
    write(I, P, True, used == 0, change)
    return best, used


@called_kernel
def write(I, P, found, at_start, change):
    """Write multipliers and velocities to their places in the problem; velocities that are zero alone where none were found

    A start that was projected on itself stays as it is, to the last bit.
    """
    member, start, best, x = whole(I, MEMBER), whole(I, START), numbers(I, BEST), numbers(I, IMPULSE)
    scale, dv, node, at, width = numbers(I, SCALE), numbers(I, KEPT), whole(I, NODE), whole(I, AT), whole(I, WIDTH)
    for i in range(count(I, BLOCKS)):
        row = P.rows[member[i]]
        for k in range(start[i], start[i + 1]):
            if found and not (at_start and best[k] == x[k] and abs(P.r[row]) < inf):
                P.r[row] = best[k] * scale[k]
            row += 1
    for t in range(count(I, NODES)):
        top = P.columns[node[t]]
        for c in range(width[t]):
            change[top + c] = dv[EIGHT * at[t] + c] if found else 0.0


def make_memory(size: int = 0) -> Array:
    """Allocate memory for an island, of so many numbers."""
    return np.zeros(max(size, HEADER + EIGHT))


def solve_here(memory, P, local, members, exact, aim, finer, budget, change):
    """Solve one island of a problem whose parts are arrays of NumPy, see :func:`solve_island`"""
    viewed = IslandProblem(
        view(P.rows), view(P.columns), view(P.first), view(P.column), view(P.place), view(P.data), view(P.sizes),
        view(P.friction), view(P.lower), view(P.upper), view(P.inverse), view(P.mass), view(P.square), view(P.offset),
        view(P.compliance), view(P.r),
    )  # fmt: skip
    return solve_island(view(memory), viewed, view(local), view(members), exact, aim, finer, budget, view(change))


solve_here = entry_point(solve_here)


def island_problem(
    J: BlockMatrix, K: Sets, inverse: Array, square: Indices, offset: Array, compliance: Array, r: Array,
    mass: Array | None = None,
) -> IslandProblem:  # fmt: skip
    """Make the record of a problem from J and its sets, see there for all others; without ``mass`` that is not known."""
    return IslandProblem(
        J.rows, J.columns, J.first, J.column, J.place, J.data, K.sizes.reshape(-1), K.friction.reshape(-1), K.lower,
        K.upper, inverse, np.zeros_like(inverse) if mass is None else mass, square, offset, compliance, r,
    )  # fmt: skip


def solve_one_island(
    P: IslandProblem, members: Indices, exact: int, aim: float, finer: float, budget: int, change: Array,
    memory: Array | None = None,
) -> tuple[float, int]:  # fmt: skip
    """Solve one island of a problem, see :func:`solve_island`; in memory of its own, where what is given is too small."""
    local = np.full(len(P.columns) - 1, -1, np.int64)
    while True:
        memory = make_memory() if memory is None else memory
        error, used = solve_here(memory, P, local, members, exact, aim, finer, budget, change)
        if used >= 0:
            return error, used
        memory = make_memory(EIGHT - used)
