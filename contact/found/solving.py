"""Impulses of the islands of a step, each by Newton's method in velocities, in memory of its own size."""

from math import inf

from numba import config

from pluecker.contact.found.layout import (
    ACCURACY,
    AFTER,
    ANSWER,
    BLOCK_WIDTH,
    CALL,
    CALL_SIZE,
    CCP,
    ERROR,
    FREE,
    INVERSE,
    ISLAND_BLOCKS,
    ISLAND_FIRST,
    ISLAND_TREES,
    ISLAND_TREES_FIRST,
    LAW,
    LOCAL,
    NEAR,
    NEEDS_WORK,
    SCALES,
    SQUARE,
    START,
    TREES,
    WORKING,
    count,
    index_piece,
    index_table,
    needs,
    number,
    piece,
)
from pluecker.contact.found.problem import Extent, problem_in
from pluecker.contact.found.sharing import as_cube, as_matrix, as_vector, integers, vector_at
from pluecker.contact.friction.problem.prepared import scales_of_diagonal
from pluecker.contact.friction.problem.sets import COMPONENTS, DISCS, Sets
from pluecker.contact.friction.sparse.blocks import BlockMatrix
from pluecker.contact.friction.velocities.island import COUNTS, MOTIONS, NEEDED, NUMBER, NUMBERS, VECTORS, Island
from pluecker.contact.friction.velocities.solve_island import solve_island
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.addresses import address_of, integers_at
from pluecker.spatial.engine.memory.separate import arrays_in, compiled_separately, put_arrays
from pluecker.spatial.engine.scalars.operations import load, part, store, tail

__all__ = ["solve_islands"]

# What is aimed at, as a share of the accuracy; above a much smaller one, impulses of the step before that solve the problem
# get more digits all the same: what is pressed together creeps as long as they are taken as they are.
AIM, POLISH = 0.1, 1e-5
NO_ROOM = -1.0
BUDGET = 100  # factors of an island, at most
SET = DISCS + 2  # numbers of the set of a block


@kernel
def sets_at(memory, at, start, sizes, blocks):
    """View sets of so many blocks in the memory; ``SET`` numbers each, beside their rows and sizes"""
    lower = at + DISCS * blocks
    friction = as_matrix(tail(memory, at), blocks, DISCS)
    return Sets(start, sizes, friction, vector_at(memory, lower, blocks), vector_at(memory, lower + blocks, blocks))


@kernel
def island_numbers(size, numbers):
    """Return how many numbers an island of this size is, with so many of each factor"""
    blocks, m, n, freedoms, entries, data, squares, widest = size
    own = COUNTS + (DISCS + 2 * SET + 3) * blocks + 3 + n + 2 * entries + 2 * data + NUMBERS * max(blocks, n + 1)
    own += 2 * squares + VECTORS * m + MOTIONS * freedoms + COMPONENTS * m + 2 * COMPONENTS**2 + COMPONENTS * widest
    return own + 2 * min(n, NUMBER) ** 2 + 2 * numbers


@kernel
def island_at(memory, local, size, room):
    """View an island of this size, with so much room for each factor, in the memory; :func:`island_numbers` long"""
    blocks, m, n, freedoms, entries, data, squares, widest = size
    start, few, longest = COUNTS, min(n, NUMBER) ** 2, max(blocks, n + 1)
    sizes = start + blocks + 1
    K = sizes + DISCS * blocks
    P = K + SET * blocks
    columns = P + SET * blocks
    first = columns + n + 1
    column = first + blocks + 1
    place = column + entries
    J = place + entries
    width = J + data
    numbers = width + blocks
    pairs = numbers + NUMBERS * longest
    matrices = pairs + 2 * few
    factors = matrices + 2 * squares
    rows = factors + 2 * room
    moves = rows + VECTORS * m
    T = moves + MOTIONS * freedoms
    D = T + data
    work = D + COMPONENTS * m
    line = work + 2 * COMPONENTS**2
    whole = integers(memory)
    starts, discs = vector_at(whole, start, blocks + 1), as_matrix(tail(whole, sizes), blocks, DISCS)
    matrix = BlockMatrix(
        starts, vector_at(whole, columns, n + 1), vector_at(whole, first, blocks + 1), vector_at(whole, column, entries),
        vector_at(whole, place, entries), vector_at(memory, J, data), vector_at(whole, width, blocks),
    )  # fmt: skip
    return Island(
        vector_at(whole, 0, start), sets_at(memory, K, starts, discs, blocks), sets_at(memory, P, starts, discs, blocks),
        matrix, local, as_matrix(tail(whole, numbers), NUMBERS, longest), as_matrix(tail(whole, pairs), 2, few),
        as_matrix(tail(memory, matrices), 2, squares), as_matrix(tail(memory, factors), 2, room),
        as_matrix(tail(memory, rows), VECTORS, m), as_matrix(tail(memory, moves), MOTIONS, freedoms),
        vector_at(memory, T, data), as_matrix(tail(memory, D), m, COMPONENTS),
        as_cube(tail(memory, work), 2, COMPONENTS, COMPONENTS), vector_at(memory, line, COMPONENTS * widest),
    )  # fmt: skip


@kernel
def problem_arrays(s, ws, x):
    """View J and the sets of a step as arrays"""
    P, trees = problem_in(s, ws), count(s, TREES)
    rows = as_vector(part(P.rows, 0, x.groups + 1))
    J = BlockMatrix(
        rows, as_vector(part(index_table(s, START), 0, trees + 1)), as_vector(part(P.first, 0, x.groups + 1)),
        as_vector(part(P.column, 0, x.blocks)), as_vector(part(P.place, 0, x.blocks)),
        as_vector(part(P.data, 0, x.numbers)), as_vector(part(index_piece(s, ws, BLOCK_WIDTH), 0, x.groups)),
    )  # fmt: skip
    K = Sets(
        rows, as_matrix(P.sizes, x.groups, DISCS), as_matrix(P.friction, x.groups, DISCS),
        as_vector(part(P.lower, 0, x.groups)), as_vector(part(P.upper, 0, x.groups)),
    )  # fmt: skip
    return J, K


@called_kernel
def store_widths(s, ws, x):
    """Store of each block row of three rows how many columns its blocks have, if that is 3 or 6 of all, else 0"""
    P, start, width = problem_in(s, ws), index_table(s, START), index_piece(s, ws, BLOCK_WIDTH)
    for g in range(x.groups):
        width[g] = 0
        for e in range(P.first[g], P.first[g + 1]):
            n = start[P.column[e] + 1] - start[P.column[e]]
            alike = P.rows[g + 1] - P.rows[g] == 3 and (n == 3 or n == 6) and (e == P.first[g] or width[g] == n)
            width[g] = n if alike else 0


@called_kernel
def island_size(s, ws, i):
    """Count what an island has: block rows, rows, trees, freedoms, blocks, numbers of J and of A, the widest tree"""
    P, start, first = problem_in(s, ws), index_table(s, START), index_piece(s, ws, ISLAND_FIRST)
    blocks, trees = index_piece(s, ws, ISLAND_BLOCKS), index_piece(s, ws, ISLAND_TREES)
    first_tree = index_piece(s, ws, ISLAND_TREES_FIRST)
    m = freedoms = entries = data = squares = widest = meetings = 0
    for k in range(first[i], first[i + 1]):
        g = blocks[k]
        height, some = P.rows[g + 1] - P.rows[g], P.first[g + 1] - P.first[g]
        m, entries, meetings = m + height, entries + some, meetings + some * (some - 1) // 2
        for e in range(P.first[g], P.first[g + 1]):
            data += height * (start[P.column[e] + 1] - start[P.column[e]])
    for k in range(first_tree[i], first_tree[i + 1]):
        n = start[trees[k] + 1] - start[trees[k]]
        freedoms, squares, widest = freedoms + n, squares + n * n, max(widest, n)
    size = first[i + 1] - first[i], m, first_tree[i + 1] - first_tree[i], freedoms, entries, data, squares, widest
    dense = (freedoms * freedoms + squares) // 2 + widest * freedoms
    return size, min(squares + meetings * widest * widest, dense), dense


@called_kernel
def solve_islands_here(s, ws, x, islands):
    """Solve each island, and store velocities at the end of the step; return the largest error as a share of the accuracy

    ``NO_ROOM`` where there is too little; above 1 where an island is not solved.
    """
    P, local, work, worst, lacking = problem_in(s, ws), index_piece(s, ws, LOCAL), piece(s, ws, WORKING), 0.0, False
    first, blocks, accuracy = index_piece(s, ws, ISLAND_FIRST), index_piece(s, ws, ISLAND_BLOCKS), number(s, ACCURACY)
    store_widths(s, ws, x)
    J, K = problem_arrays(s, ws, x)
    free, after = piece(s, ws, FREE), piece(s, ws, AFTER)
    change = as_vector(after)
    for k in range(len(after)):
        after[k] = 0.0
    store_scales(s, ws, x, islands, K)
    for t in range(count(s, TREES)):
        local[t] = -1
    for i in range(islands):
        size, numbers, dense = island_size(s, ws, i)
        large = size[2] > NUMBER  # sweeps alone
        room = 1 if large else min(numbers + (len(work) - island_numbers(size, numbers)) // 2, dense)
        if (1 if large else numbers) > room or island_numbers(size, room) > len(work):
            needs(s, NEEDS_WORK, island_numbers(size, room if large else numbers))
            lacking = True
            continue
        I = island_at(work, as_vector(local), size, room)
        members = as_vector(part(blocks, first[i], first[i + 1] - first[i]))
        error, factors = solve_island(
            I, J, K, as_vector(piece(s, ws, SCALES)), as_vector(piece(s, ws, INVERSE)),
            as_vector(index_table(s, SQUARE)), as_vector(piece(s, ws, NEAR)), as_vector(P.compliance), members,
            0 if count(s, LAW) == CCP else 1, AIM * accuracy, POLISH * accuracy, BUDGET, as_vector(P.r), change,
        )  # fmt: skip
        if factors < 0 and not large:
            needs(s, NEEDS_WORK, island_numbers(size, I.counts[NEEDED]))
            lacking = True
        elif not error < inf:
            return error
        else:
            worst = max(worst, error / accuracy)
    for k in range(len(after)):
        after[k] += free[k]
    return NO_ROOM if lacking else worst


@called_kernel
def store_scales(s, ws, x, islands, K):
    """Store the scale of each row, the inverse root of a mean of the diagonal of its block of ``J A^-1 J' + compliance``"""
    P, start, square, inverse = problem_in(s, ws), index_table(s, START), index_table(s, SQUARE), piece(s, ws, INVERSE)
    diagonal, scales = as_vector(piece(s, ws, WORKING)), as_vector(piece(s, ws, SCALES))
    for g in range(x.groups):
        for a in range(P.rows[g + 1] - P.rows[g]):
            total = P.compliance[P.rows[g] + a]
            for e in range(P.first[g], P.first[g + 1]):
                t = P.column[e]
                n, q = start[t + 1] - start[t], square[t]
                p = P.place[e] + a * n
                for c in range(n):
                    y = 0.0
                    for d in range(n):
                        y += inverse[q + c * n + d] * P.data[p + d]
                    total += y * P.data[p + c]
            diagonal[P.rows[g] + a] = total
    islands = part(index_piece(s, ws, ISLAND_FIRST), 0, islands + 1)
    scales_of_diagonal(
        K.start, K.sizes, as_vector(index_piece(s, ws, ISLAND_BLOCKS)), as_vector(islands), diagonal, scales
    )


# the solver is a function of its own, with its loops optimised, which long code of scalars such as a step does not gain by

GROUPS, ISLANDS = 4, 8  # in the block of a call, behind both arrays


def solve_islands_at(place, k):
    """Solve the islands of which the block at an address tells; this is what is compiled separately"""
    block = integers_at(place, CALL_SIZE)
    s, ws = arrays_in(block, 2)
    x = Extent(block[GROUPS], block[GROUPS + 1], block[GROUPS + 2], block[GROUPS + 3])
    store(piece(s, ws, ANSWER), ERROR, solve_islands_here(s, ws, x, block[ISLANDS]))
    return 0


if config.DISABLE_JIT:
    solve_islands = solve_islands_here
else:
    call_solver = compiled_separately("pluecker_velocity_islands", solve_islands_at, of_scalars=True)

    @kernel
    def solve_islands(s, ws, x, islands):
        """Solve each island as :func:`solve_islands_here`, by the separately compiled function"""
        block = index_piece(s, ws, CALL)
        put_arrays(block, (s, ws))
        for k in range(len(x)):
            block[GROUPS + k] = x[k]
        block[ISLANDS] = islands
        call_solver(address_of(block), 0)
        return load(piece(s, ws, ANSWER), ERROR)
