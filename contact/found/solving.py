"""Impulses of a step: islands of its working set, each solved by Newton's method in velocities."""

from math import inf

from pluecker.contact.found.layout import (
    ACCURACY,
    AFTER,
    ANSWER,
    CALL,
    CALL_SIZE,
    CCP,
    ERROR,
    FASTEST,
    FREE,
    INVERSE,
    ISLAND_BLOCKS,
    ISLAND_FIRST,
    LAW,
    LOCAL,
    MASS,
    NEEDS_WORK,
    SOLVED,
    SQUARE,
    START,
    UNSOLVED,
    WORKING,
    WORKING_SET,
    count,
    index_piece,
    index_table,
    needs,
    number,
    piece,
)
from pluecker.contact.found.problem import Extent, problem_in
from pluecker.contact.found.working_set import choose_working_set, extend_working_set, find_islands
from pluecker.contact.friction.velocities.island import IslandProblem
from pluecker.contact.friction.velocities.solve_island import solve_island
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of, integers_at
from pluecker.spatial.engine.memory.separate import arrays_in, compiled_separately, put_arrays
from pluecker.spatial.engine.scalars.operations import load, part, store

__all__ = ["find_impulses"]

# What is aimed at, as a share of the accuracy; above a much smaller one, impulses of the step before that solve the problem
# get more digits all the same: what is pressed together creeps as long as they are taken as they are.
AIM, POLISH = 0.3, 1e-5
NO_ROOM = -1.0
# Factors of an island: at first, as others may come to it; in further trials so many times as many; at most. Factors times
# block rows at most, beyond the second trial: where there is no solution, Python's solver has something to do too.
FIRST, GROWTH, LAST = 30, 10, 3000
WORK = 200_000


@kernel
def island_problem(s, ws):
    """View the problem of a step as the solver of islands has it"""
    P = problem_in(s, ws)
    return IslandProblem(
        P.rows, index_table(s, START), P.first, P.column, P.place, P.data, P.sizes, P.friction, P.lower, P.upper,
        piece(s, ws, INVERSE), piece(s, ws, MASS), index_table(s, SQUARE), P.offset, P.compliance, P.r,
    )  # fmt: skip


@called_kernel
def solve_islands(s, ws, x, exact, budget):
    """Solve each island that is not solved; return the largest error of those that are now, and of those that are not

    Shares of the accuracy; zero of none, not finite or ``NO_ROOM``, where there is too little, as the second one.
    """
    islands, local, work, after = (
        find_islands(s, ws, x.groups),
        index_piece(s, ws, LOCAL),
        piece(s, ws, WORKING),
        piece(s, ws, AFTER),
    )
    first, blocks, chosen = (
        index_piece(s, ws, ISLAND_FIRST),
        index_piece(s, ws, ISLAND_BLOCKS),
        index_piece(s, ws, WORKING_SET),
    )
    accuracy, reached, missed, lacking = number(s, ACCURACY), 0.0, 0.0, False
    P = island_problem(s, ws)
    for i in range(islands):
        members, to_do = part(blocks, first[i], first[i + 1] - first[i]), False
        for k in range(len(members)):
            to_do = to_do or chosen[members[k]] == UNSOLVED
        if not to_do:
            continue
        most = min(budget, max(GROWTH * FIRST, WORK // len(members)))
        error, factors = solve_island(work, P, local, members, exact, AIM * accuracy, POLISH * accuracy, most, after)
        if factors < 0:
            needs(s, NEEDS_WORK, -factors)
            lacking = True
        elif not error < inf:
            return reached, error
        solved = factors >= 0 and error <= AIM * accuracy
        if solved:
            reached = max(reached, error / accuracy)
        else:
            missed = max(missed, error / accuracy)
        for k in range(len(members)):
            chosen[members[k]] = SOLVED if solved else UNSOLVED
    return reached, NO_ROOM if lacking else missed


@called_kernel
def solve_here(s, ws, x):
    """Find impulses of all block rows, and the velocity at the end of the step; return the error, a share of the accuracy

    Islands of the working set are solved, with few factors as long as others come to it, until nothing is violated. What is
    not solved is begun again from the best impulses that were met, with more of them.
    ``NO_ROOM`` where there is too little; above 1 where an island is not solved.
    """
    exact, free, after = 0 if count(s, LAW) == CCP else 1, piece(s, ws, FREE), piece(s, ws, AFTER)
    unit, worst, budget = number(s, ACCURACY) * load(piece(s, ws, ANSWER), FASTEST), 0.0, FIRST
    choose_working_set(s, ws, x, exact, POLISH * unit)
    while True:
        reached, missed = solve_islands(s, ws, x, exact, budget)
        if not 0.0 <= missed < inf:
            return missed
        worst = max(worst, reached)
        added, idle = extend_working_set(s, ws, x, exact, AIM * unit)
        if added == 0 and (missed == 0.0 or budget == LAST):
            break
        budget = FIRST if added > 0 else GROWTH * budget
    for k in range(len(after)):
        after[k] += free[k]
    return max(max(worst, missed), idle / unit if idle > 0.0 else 0.0)


# the solver is a function of its own, with its loops optimised, which long code of scalars such as a step does not gain by

GROUPS = 4  # in the block of a call, behind both arrays


def solve_at(place, k):
    """Find the impulses of which the block at an address tells; this is what is compiled separately"""
    block = integers_at(place, CALL_SIZE)
    s, ws = arrays_in(block, 2)
    x = Extent(block[GROUPS], block[GROUPS + 1], block[GROUPS + 2], block[GROUPS + 3])
    store(piece(s, ws, ANSWER), ERROR, solve_here(s, ws, x))
    return 0


if DISABLE_JIT:
    find_impulses = solve_here
else:
    call_solver = compiled_separately("pluecker_velocity_islands", solve_at)

    @kernel
    def find_impulses(s, ws, x):
        """Find impulses as :func:`solve_here`, by the separately compiled function"""
        block = index_piece(s, ws, CALL)
        put_arrays(block, (s, ws))
        for k in range(len(x)):
            block[GROUPS + k] = x[k]
        call_solver(address_of(block), 0)
        return load(piece(s, ws, ANSWER), ERROR)
