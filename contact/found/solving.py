"""Impulses of a step: islands of its working set, each solved by Newton's method in velocities."""

from math import inf

from numba import config

from pluecker.contact.found.islands import find_islands
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
    SCALES,
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
from pluecker.contact.found.working_set import choose_working_set, extend_working_set
from pluecker.contact.friction.problem.prepared import scales_of_diagonal
from pluecker.contact.friction.problem.sets import DISCS
from pluecker.contact.friction.velocities.island import IslandProblem
from pluecker.contact.friction.velocities.solve_island import solve_island
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel, kernel
from pluecker.spatial.engine.memory.addresses import address_of, integers_at
from pluecker.spatial.engine.memory.arrays import as_matrix, as_vector, integers
from pluecker.spatial.engine.memory.separate import arrays_in, compiled_separately, put_arrays
from pluecker.spatial.engine.scalars.operations import load, part, store, tail

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
        piece(s, ws, SCALES), piece(s, ws, INVERSE), piece(s, ws, MASS), index_table(s, SQUARE), P.offset, P.compliance,
        P.r,
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
    store_scales(s, ws, x, islands)
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


@called_kernel
def store_scales(s, ws, x, islands):
    """Store the scale of each row of an island, the inverse root of a mean of the diagonal of ``J A^-1 J' + compliance``"""
    P, start, square, inverse = problem_in(s, ws), index_table(s, START), index_table(s, SQUARE), piece(s, ws, INVERSE)
    diagonal, scales = as_vector(piece(s, ws, WORKING)), as_vector(piece(s, ws, SCALES))
    moved = integers(tail(piece(s, ws, WORKING), x.rows))
    blocks, ends = index_piece(s, ws, ISLAND_BLOCKS), index_piece(s, ws, ISLAND_FIRST)
    for i in range(ends[islands]):
        g = blocks[i]
        top, height = P.rows[g], P.rows[g + 1] - P.rows[g]
        for a in range(height):
            diagonal[top + a] = P.compliance[top + a]
        for e in range(P.first[g], P.first[g + 1]):
            t, p = P.column[e], P.place[e]
            n, q = start[t + 1] - start[t], square[t]
            k = list_moved(P, e, height, n, moved)
            for a in range(0, height - height % 3, 3):
                squares = squares_of(P.data, p + a * n, inverse, q, n, moved, k)
                diagonal[top + a] += squares[0]
                diagonal[top + a + 1] += squares[1]
                diagonal[top + a + 2] += squares[2]
            for a in range(height - height % 3, height):
                diagonal[top + a] += square_of(P.data, p + a * n, inverse, q, n, moved, k)
    rows, sizes = as_vector(part(P.rows, 0, x.groups + 1)), as_matrix(P.sizes, x.groups, DISCS)
    scales_of_diagonal(rows, sizes, as_vector(blocks), as_vector(part(ends, 0, islands + 1)), diagonal, scales)


@allocation_free_kernel
def list_moved(P, e, height, n, moved):
    """List the columns in which block e has a number: of a robot a contact moves one leg, a limit one joint"""
    k = 0
    for c in range(P.low[e], P.high[e]):
        acts = False
        for a in range(height):
            acts = acts or P.data[P.place[e] + a * n + c] != 0.0
        if acts:
            moved[k] = c
            k += 1
    return k


@allocation_free_kernel
def square_of(data, p, inverse, q, n, moved, k):
    """Compute x . A^-1 x, of a row x of n numbers from p on, of which k count"""
    total = 0.0
    for i in range(k):
        c, y = moved[i], 0.0
        for j in range(i):
            y += inverse[q + c * n + moved[j]] * data[p + moved[j]]
        total += (2.0 * y + inverse[q + c * n + c] * data[p + c]) * data[p + c]
    return total


@allocation_free_kernel
def squares_of(data, p, inverse, q, n, moved, k):
    """Compute :func:`square_of` three rows that follow one another"""
    first = second = third = 0.0
    for i in range(k):
        c = moved[i]
        x = y = z = 0.0
        for j in range(i):
            d = moved[j]
            A = inverse[q + c * n + d]
            x, y, z = x + A * data[p + d], y + A * data[p + n + d], z + A * data[p + 2 * n + d]
        A, own = inverse[q + c * n + c], (data[p + c], data[p + n + c], data[p + 2 * n + c])
        first += (2.0 * x + A * own[0]) * own[0]
        second += (2.0 * y + A * own[1]) * own[1]
        third += (2.0 * z + A * own[2]) * own[2]
    return first, second, third


# the solver is a function of its own, with its loops optimised, which long code of scalars such as a step does not gain by

GROUPS = 4  # in the block of a call, behind both arrays


def solve_at(place, k):
    """Find the impulses of which the block at an address tells; this is what is compiled separately"""
    block = integers_at(place, CALL_SIZE)
    s, ws = arrays_in(block, 2)
    x = Extent(block[GROUPS], block[GROUPS + 1], block[GROUPS + 2], block[GROUPS + 3])
    store(piece(s, ws, ANSWER), ERROR, solve_here(s, ws, x))
    return 0


if config.DISABLE_JIT:
    find_impulses = solve_here
else:
    call_solver = compiled_separately("pluecker_velocity_islands", solve_at, of_scalars=True)

    @kernel
    def find_impulses(s, ws, x):
        """Find impulses as :func:`solve_here`, by the separately compiled function"""
        block = index_piece(s, ws, CALL)
        put_arrays(block, (s, ws))
        for k in range(len(x)):
            block[GROUPS + k] = x[k]
        call_solver(address_of(block), 0)
        return load(piece(s, ws, ANSWER), ERROR)
