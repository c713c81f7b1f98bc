"""One island as Newton's method in velocities has it: gathered from a problem, scaled, in memory that is used again.

An island is some block rows of ``u = J dv + b + C r``, and the nodes that they meet: trees of bodies, whose velocities lie
one after the other. Rows are scaled as everywhere, ``x = r / s``, ``u^ = s u``, ``J^ = s J``, so that the mean diagonal of a
block of ``J^ A^-1 J^' + C^`` is one, and nothing depends on the units of mass and length.

All of it lies in one array: counts, where each piece begins, and the pieces. Matrices are rows of eight numbers, as many
side by side as the velocities of a node take, zeros behind them: the six velocities of a body are one row, and compiled
code takes a row as one vector. Of J only those eights are kept in which a block has numbers, its *parts*: a contact of a
robot's foot moves one leg.
"""

from __future__ import annotations

from typing import NamedTuple

from pluecker.contact.friction.dense.cone_laws import nearest_in_cone
from pluecker.contact.friction.problem.natural_map import larger, natural_map
from pluecker.contact.friction.problem.prepared import scales_of_diagonal
from pluecker.contact.friction.problem.sets import COMPONENTS, DISCS, Sets, project_block
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import as_matrix, as_vector, entry, integers, rows_of
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "ALONG", "AT", "BEGIN", "BELOW", "BEST", "BLOCKS", "CHANGE", "COLUMN", "COUNTS", "DEGREE", "EIGHT",
    "EIGHTS", "FACTOR", "FIRST", "FRICTION", "HEADER", "HELD", "IMPULSE", "INVERSE", "KEPT", "LENGTH", "LINE", "LOWER",
    "MASS", "MATRIX", "MEMBER", "NEAREST", "NEEDED", "NODE", "NODES", "NUMBER", "OFFSET", "ORDER", "PART", "PARTS",
    "PIVOT", "PLACE", "POINT", "PUSH", "RANK", "RESIDUAL", "RESPONSE", "ROWS", "SCALE", "SHARE", "SIZES", "SOFTNESS",
    "SQUARE", "START", "STEP", "TABLE", "TIES", "TO_HERE", "TO_THERE", "UPPER", "VELOCITY", "WHERE", "WIDTH", "WORD",
    "WORK", "ZERO",
    "IslandProblem", "Size", "begin", "count", "dot", "gather_square", "move", "numbers", "place_of", "push", "put",
    "rates", "rows", "sets_of", "times_nodes", "try_impulses", "whole", "wide",
]  # fmt: skip

EIGHT = 8  # numbers of a row
NUMBER = 20_000  # of nodes at most: a bit for each pair of them takes megabytes, a factor gigabytes
WORD = 62  # bits of an integer that are used

# Counts of an island: block rows, rows, nodes, rows of eight of a vector along velocities and of the factor.
BLOCKS, ROWS, NODES, EIGHTS, NEEDED, COUNTS = range(6)

# Pieces of its memory, in the order in which they lie there.
(
    # rows of eight: J; A^-1 and A of each node
    MATRIX, INVERSE, MASS,
    # vectors along velocities: A^-1 J' x, that of the best impulses, a step, J' of something; a few rows of the widest node,
    # to work in
    CHANGE, KEPT, STEP, PUSH, LINE,
    # along rows: impulses, the best that were met, those nearest to the law; their velocities, b, C, s; what methods need
    IMPULSE, BEST, NEAREST, VELOCITY, OFFSET, SOFTNESS, SCALE, LENGTH, POINT, RESIDUAL, SHARE, ALONG, HELD, WORK, ZERO,
    # of each row a row of a square block of D, and two blocks to work in; friction and bounds of each block row
    RESPONSE, TABLE, FRICTION, LOWER, UPPER,
    # integers: of each block row its first row, the sizes of its discs, its place in the problem, its first block; of each
    # block its node, its place in J, and its first part; of each part which eight of the node's velocities it is
    START, SIZES, MEMBER, FIRST, COLUMN, WHERE, PARTS, PART,
    # of each node its number in the problem, where its vectors and its matrices begin, its width, the list of those below
    # it; the order of elimination, the place of each in it, degrees, where its diagonal block begins in the factor
    NODE, AT, SQUARE, WIDTH, BEGIN, ORDER, RANK, DEGREE, PIVOT,
    # of each pair of nodes of a block row where their block begins in the factor; for each pair of nodes a bit
    PLACE, TIES,
    # the nodes that come after each one and meet it, and where blocks from these to it, and from it to these, begin
    BELOW, TO_HERE, TO_THERE,
    # rows of eight: the factor, all that is left of the memory
    FACTOR, PIECES,
) = range(52)  # fmt: skip
HEADER = (COUNTS + 2 * PIECES + EIGHT - 1) // EIGHT * EIGHT


class IslandProblem(NamedTuple):
    """A problem of which islands are solved: J by blocks, sets, and what is known of all rows.

    Attributes:
        rows: the first row of each block row, and their number at the end.
        columns: the first velocity of each node, and their number at the end.
        first: where the blocks of each block row begin, and their number at the end.
        column, place: of each block its node, and where its numbers begin in ``data``.
        data: the numbers of the blocks, row by row.
        sizes, friction: of the discs of each block row, three each.
        lower, upper: bounds of the first multiplier of each block row.
        inverse, mass, square: A^-1 of each node and A, row by row, and where they begin. The first number of A is zero where
            it is not known.
        offset: b, with what restitution and gaps add; m/s.
        compliance: C, a number for each multiplier.
        r: multipliers.
    """

    rows: Indices
    columns: Indices
    first: Indices
    column: Indices
    place: Indices
    data: Array
    sizes: Indices
    friction: Array
    lower: Array
    upper: Array
    inverse: Array
    mass: Array
    square: Indices
    offset: Array
    compliance: Array
    r: Array


class Size(NamedTuple):
    """Size of an island: block rows, rows, nodes, blocks, pairs of blocks in one row; parts, and rows of eight of J, at
    most; rows of eight of all matrices of nodes, of a vector along velocities, and of the widest node.
    """

    blocks: int
    m: int
    nodes: int
    entries: int
    pairs: int
    parts: int
    matrix: int
    squares: int
    vector: int
    widest: int


# ---------------------------------------------------------------------------------------------------------------- pieces


@kernel
def wide(n):
    """Return how many rows of eight n numbers take"""
    return (n + EIGHT - 1) // EIGHT


@kernel
def count(I, which):
    """Load a count"""
    return load_integer(I, which)


@kernel
def numbers(I, which):
    """View a piece as numbers"""
    return part(I, load_integer(I, COUNTS + 2 * which), load_integer(I, COUNTS + 2 * which + 1))


@kernel
def place_of(I, which):
    """Return where a piece begins"""
    return load_integer(I, COUNTS + 2 * which)


@kernel
def whole(I, which):
    """View a piece as integers"""
    return integers(numbers(I, which))


@kernel
def rows(I, which):
    """View a piece as rows of eight"""
    return rows_of(numbers(I, which))


@kernel
def sets_of(I):
    """View the sets of the block rows, as functions of single blocks take them"""
    n = count(I, BLOCKS)
    return Sets(
        as_vector(part(whole(I, START), 0, n + 1)), as_matrix(whole(I, SIZES), n, DISCS),
        as_matrix(numbers(I, FRICTION), n, DISCS), as_vector(numbers(I, LOWER)), as_vector(numbers(I, UPPER)),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- gathering


@called_kernel
def survey(P, local, members):
    """Compute the size of an island, and number its nodes in ``local``, which is -1 of all others"""
    m = nodes = entries = pairs = parts = matrix = squares = vector = widest = 0
    for i in range(len(members)):
        g = members[i]
        height = P.rows[g + 1] - P.rows[g]
        m, pairs = m + height, pairs + (P.first[g + 1] - P.first[g]) ** 2
        for k in range(P.first[g], P.first[g + 1]):
            t = P.column[k]
            n = P.columns[t + 1] - P.columns[t]
            entries, parts, matrix = entries + 1, parts + wide(n), matrix + height * wide(n)
            if local[t] < 0:
                local[t] = nodes
                nodes, vector, squares, widest = (
                    nodes + 1,
                    vector + wide(n),
                    squares + n * wide(n),
                    max(widest, wide(n)),
                )
    return Size(len(members), m, nodes, entries, pairs, parts, matrix, squares, vector, widest)


@kernel
def put(I, which, at, n):
    """Note where a piece begins that has n numbers; return where the next one may begin"""
    header = integers(I)
    header[COUNTS + 2 * which], header[COUNTS + 2 * which + 1] = at, n
    return at + EIGHT * wide(n)


@called_kernel
def lay_out(I, size):
    """Partition the memory for an island of this size; return how many numbers there are before the factor"""
    at, header, few = HEADER, integers(I), size.nodes if size.nodes <= NUMBER else 0
    header[BLOCKS], header[ROWS], header[NODES], header[EIGHTS], header[NEEDED] = (
        size.blocks, size.m, size.nodes, size.vector, 0,
    )  # fmt: skip
    at = put(I, MATRIX, at, EIGHT * max(size.matrix, 1))  # a row that products begin from
    for which in range(INVERSE, CHANGE):
        at = put(I, which, at, EIGHT * size.squares)
    for which in range(CHANGE, LINE):
        at = put(I, which, at, EIGHT * size.vector)
    at = put(I, LINE, at, EIGHT * COMPONENTS * size.widest)
    for which in range(IMPULSE, RESPONSE):
        at = put(I, which, at, size.m)
    at = put(I, RESPONSE, at, COMPONENTS * size.m)
    at = put(I, TABLE, at, 2 * COMPONENTS * COMPONENTS)
    at = put(I, FRICTION, at, DISCS * size.blocks)
    for which in range(LOWER, START):
        at = put(I, which, at, size.blocks)
    at = put(I, START, at, size.blocks + 1)
    at = put(I, SIZES, at, DISCS * size.blocks)
    for which in range(MEMBER, FIRST):
        at = put(I, which, at, size.blocks)
    at = put(I, FIRST, at, size.blocks + 1)
    for which in range(COLUMN, PART):
        at = put(I, which, at, size.entries + 1)
    at = put(I, PART, at, size.parts)
    for which in range(NODE, PLACE):
        at = put(I, which, at, size.nodes + 1)
    at = put(I, PLACE, at, size.pairs)
    at = put(I, TIES, at, few * ((few + WORD - 1) // WORD))
    put(I, FACTOR, at, max(len(I) - at, 0) // EIGHT * EIGHT)
    return at


@called_kernel
def gather(I, P, local, members):
    """Gather an island, after :func:`lay_out`; ``local`` has the number here of each node that it meets"""
    gather_sets(I, P, members)
    gather_matrix(I, P, local, members)
    gather_nodes(I, P)
    find_diagonal(I, P)
    find_scales(I)
    gather_rows(I, P)
    scale_matrix(I)


@called_kernel
def gather_sets(I, P, members):
    """Gather where block rows begin, here and in the problem, and the sizes of their discs"""
    start, sizes, member, m = whole(I, START), whole(I, SIZES), whole(I, MEMBER), 0
    for i in range(len(members)):
        g = members[i]
        start[i], member[i] = m, g
        for disc in range(DISCS):
            sizes[DISCS * i + disc] = P.sizes[DISCS * g + disc]
        m += P.rows[g + 1] - P.rows[g]
    start[len(members)] = m


@called_kernel
def gather_matrix(I, P, local, members):
    """Gather J, and the nodes that it meets"""
    first, column, where, parts = whole(I, FIRST), whole(I, COLUMN), whole(I, WHERE), whole(I, PARTS)
    node, width, J, part_of = whole(I, NODE), whole(I, WIDTH), numbers(I, MATRIX), whole(I, PART)
    e = last = p = 0
    for i in range(len(members)):
        g = members[i]
        height = P.rows[g + 1] - P.rows[g]
        first[i] = e
        for k in range(P.first[g], P.first[g + 1]):
            t, q = P.column[k], P.place[k]
            n = P.columns[t + 1] - P.columns[t]
            node[local[t]], width[local[t]] = t, n
            column[e], where[e], parts[e] = local[t], p // EIGHT, last
            for c in range(wide(n)):
                if n <= EIGHT or has_part(P, q, height, n, c):
                    part_of[last] = c
                    last += 1
            across = last - parts[e]
            for _ in range(height):
                for j in range(across):
                    c = EIGHT * part_of[parts[e] + j]
                    here = min(EIGHT, n - c)
                    for d in range(here):
                        J[p + d] = P.data[q + c + d]
                    for d in range(here, EIGHT):
                        J[p + d] = 0.0
                    p += EIGHT
                q += n
            e += 1
    first[len(members)], parts[e] = e, last


@kernel
def has_part(P, q, height, n, c):
    """Return whether a block of J of so many rows of n numbers, from q on, has any in its columns from 8 c on to the next"""
    for a in range(height):
        for d in range(EIGHT * c, min(EIGHT * (c + 1), n)):
            if P.data[q + a * n + d] != 0.0:
                return True
    return False


@called_kernel
def gather_nodes(I, P):
    """Gather A^-1 of all nodes"""
    node, at, square, width, A = whole(I, NODE), whole(I, AT), whole(I, SQUARE), whole(I, WIDTH), numbers(I, INVERSE)
    here = p = 0
    for t in range(count(I, NODES)):
        n = width[t]
        at[t], square[t] = here, p // EIGHT
        gather_square(P.inverse, P.square[node[t]], n, A, p)
        here, p = here + wide(n), p + EIGHT * n * wide(n)


@kernel
def gather_square(given, q, n, A, p):
    """Copy a matrix of n x n numbers, which begins at q, to one whose rows are rows of eight, from p on"""
    for _ in range(n):
        for c in range(n):
            A[p + c] = given[q + c]
        for c in range(n, EIGHT * wide(n)):
            A[p + c] = 0.0
        p, q = p + EIGHT * wide(n), q + n


@called_kernel
def find_diagonal(I, P):
    """Compute the diagonal of ``J A^-1 J' + C``, not scaled, in WORK; of three rows, which have one scale, its mean"""
    J, X, A, square, width = rows(I, MATRIX), numbers(I, MATRIX), rows(I, INVERSE), whole(I, SQUARE), whole(I, WIDTH)
    start, first, column, where, part_of = (
        whole(I, START), whole(I, FIRST), whole(I, COLUMN), whole(I, WHERE), whole(I, PART),
    )  # fmt: skip
    parts, member, d = whole(I, PARTS), whole(I, MEMBER), numbers(I, WORK)
    for i in range(count(I, BLOCKS)):
        top, height, row = start[i], start[i + 1] - start[i], P.rows[member[i]]
        for a in range(0, height, 3 if height == 3 else 1):
            total = 0.0 * load(J, 0)
            for e in range(first[i], first[i + 1]):
                p, q, n, here, across = where[e], square[column[e]], width[column[e]], parts[e], parts[e + 1] - parts[e]
                if height == 3:
                    total = total + three_products(J, X, p, A, q, n, part_of, here, across)
                else:
                    total = total + products(J, X, p + a * across, A, q, n, part_of, here, across)
            d[top + a] = P.compliance[row + a] + sum_of(total)
        if height == 3:
            mean = (d[top] + P.compliance[row + 1] + P.compliance[row + 2]) / 3.0
            d[top] = d[top + 1] = d[top + 2] = mean


@kernel
def products(J, X, p, A, q, n, part_of, here, across):
    """Compute eight numbers whose sum is x . A x, of a row x of J, which begins at p, and a matrix of n rows, from q on

    X are the numbers of J.
    """
    total = 0.0 * load(J, p)
    for k in range(across):
        x, side = 0.0 * total, q + part_of[here + k]
        for j in range(across):
            low = EIGHT * part_of[here + j]
            for c in range(min(EIGHT, n - low)):
                x = x + X[EIGHT * (p + j) + c] * load(A, side + (low + c) * wide(n))
        total = total + x * load(J, p + k)
    return total


@kernel
def three_products(J, X, p, A, q, n, part_of, here, across):
    """Compute the sum of :func:`products` of three rows that follow one another"""
    first = second = third = 0.0 * load(J, p)
    for k in range(across):
        x = y = z = 0.0 * first
        side = q + part_of[here + k]
        for j in range(across):
            low = EIGHT * part_of[here + j]
            for c in range(min(EIGHT, n - low)):
                row, at = load(A, side + (low + c) * wide(n)), EIGHT * (p + j) + c
                x, y = x + X[at] * row, y + X[at + EIGHT * across] * row
                z = z + X[at + 2 * EIGHT * across] * row
        first, second = first + x * load(J, p + k), second + y * load(J, p + across + k)
        third = third + z * load(J, p + 2 * across + k)
    return first + second + third


@called_kernel
def find_scales(I):
    """Compute the scale of each row from the diagonal in WORK, see
    :func:`~pluecker.contact.friction.problem.prepared.scales`
    """
    n, blocks, ends = count(I, BLOCKS), whole(I, HELD), whole(I, TABLE)
    for i in range(n):
        blocks[i] = i
    ends[0], ends[1] = 0, n
    scales_of_diagonal(
        as_vector(part(whole(I, START), 0, n + 1)), as_matrix(whole(I, SIZES), n, DISCS), as_vector(blocks),
        as_vector(part(ends, 0, 2)), as_vector(numbers(I, WORK)), as_vector(numbers(I, SCALE)),
    )  # fmt: skip


@called_kernel
def gather_rows(I, P):
    """Gather friction, bounds and vectors along rows, scaled"""
    start, sizes, member, friction = whole(I, START), whole(I, SIZES), whole(I, MEMBER), numbers(I, FRICTION)
    lower, upper, x, b = numbers(I, LOWER), numbers(I, UPPER), numbers(I, IMPULSE), numbers(I, OFFSET)
    soft, scale, zero = numbers(I, SOFTNESS), numbers(I, SCALE), numbers(I, ZERO)
    for i in range(count(I, BLOCKS)):
        g, top = member[i], start[i]
        row, normal, here = top + 1, scale[top], P.rows[g] - top
        for disc in range(DISCS):
            n = sizes[DISCS * i + disc]
            friction[DISCS * i + disc] = P.friction[DISCS * g + disc] * (normal / scale[row]) if n > 0 else 0.0
            row += n
        lower[i], upper[i] = P.lower[g] / normal, P.upper[g] / normal
        for k in range(top, start[i + 1]):
            s, a = scale[k], here + k
            x[k], b[k], soft[k], zero[k] = P.r[a] / s, s * P.offset[a], s * s * P.compliance[a], 0.0


@called_kernel
def scale_matrix(I):
    """Scale the rows of J"""
    J, start, first, where, parts = rows(I, MATRIX), whole(I, START), whole(I, FIRST), whole(I, WHERE), whole(I, PARTS)
    scale = numbers(I, SCALE)
    for i in range(count(I, BLOCKS)):
        top, height = start[i], start[i + 1] - start[i]
        for e in range(first[i], first[i + 1]):
            p, across = where[e], parts[e + 1] - parts[e]
            for a in range(height):
                for k in range(p + a * across, p + (a + 1) * across):
                    store(J, k, scale[top + a] * load(J, k))


@called_kernel
def begin(I, P, local, members):
    """Lay out and gather an island in aligned memory; return 0, or how many numbers it takes, if there are fewer

    ``local`` is -1 everywhere, before and afterwards.
    """
    size, before = survey(P, local, members), HEADER
    if len(I) >= HEADER:
        before = lay_out(I, size)
    lacking = before + EIGHT if before > len(I) else 0  # by how much is known to the header alone
    if lacking == 0:
        gather(I, P, local, members)
    for i in range(len(members)):
        for k in range(P.first[members[i]], P.first[members[i] + 1]):
            local[P.column[k]] = -1
    return lacking


# -------------------------------------------------------------------------------------------------------------- products


@called_kernel
def push(I, x):
    """Compute J' x of a vector along rows, in PUSH"""
    y, J, start, first, part_of = rows(I, PUSH), rows(I, MATRIX), whole(I, START), whole(I, FIRST), whole(I, PART)
    column, where, parts, at = whole(I, COLUMN), whole(I, WHERE), whole(I, PARTS), whole(I, AT)
    for k in range(count(I, EIGHTS)):
        store(y, k, 0.0 * load(J, 0))
    for i in range(count(I, BLOCKS)):
        top, n = start[i], start[i + 1] - start[i]
        for e in range(first[i], first[i + 1]):
            p, q, here = where[e], at[column[e]], parts[e]
            across = parts[e + 1] - here
            for j in range(across):
                k = q + part_of[here + j]
                row = load(y, k)
                for a in range(n):
                    row = row + x[top + a] * load(J, p + a * across + j)
                store(y, k, row)


@called_kernel
def times_nodes(I, matrices, x, y):
    """Compute A x or A^-1 x, node by node, of vectors along velocities: ``x`` numbers, ``y`` rows of eight"""
    at, square, width = whole(I, AT), whole(I, SQUARE), whole(I, WIDTH)
    for t in range(count(I, NODES)):
        n, q, p = width[t], square[t], at[t]
        across = wide(n)
        for c in range(across):
            row = x[EIGHT * p] * load(matrices, q + c)
            for a in range(1, n):
                row = row + x[EIGHT * p + a] * load(matrices, q + a * across + c)
            store(y, p + c, row)


@kernel
def dot(x, p, y, q, n):
    """x[p : p + n] . y[q : q + n]"""
    if n == 6:
        near = x[p] * y[q] + x[p + 1] * y[q + 1] + x[p + 2] * y[q + 2]
        return near + (x[p + 3] * y[q + 3] + x[p + 4] * y[q + 4] + x[p + 5] * y[q + 5])
    a = b = c = d = 0.0  # a sum waits for the one before
    for k in range(0, n - 3, 4):
        a, b = a + x[p + k] * y[q + k], b + x[p + k + 1] * y[q + k + 1]
        c, d = c + x[p + k + 2] * y[q + k + 2], d + x[p + k + 3] * y[q + k + 3]
    for k in range(n - n % 4, n):
        a += x[p + k] * y[q + k]
    return (a + b) + (c + d)


@kernel
def sum_of(row):
    """Return the sum of a row of eight"""
    near = (entry(row, 0) + entry(row, 1)) + (entry(row, 2) + entry(row, 3))
    return near + ((entry(row, 4) + entry(row, 5)) + (entry(row, 6) + entry(row, 7)))


@kernel
def row_times(J, p, v, q, part_of, here, across):
    """Multiply a row of a block of J, its parts from p on, by the velocities of its node, rows of eight from q on"""
    total = 0.0 * load(v, q)
    for j in range(across):
        total = total + load(J, p + j) * load(v, q + part_of[here + j])
    return sum_of(total)


@called_kernel
def rates(I, v, out):
    """Compute J v of a vector along velocities, numbers"""
    J, eights, along, part_of = numbers(I, MATRIX), rows(I, MATRIX), rows_of(v), whole(I, PART)
    start, first, column, where = whole(I, START), whole(I, FIRST), whole(I, COLUMN), whole(I, WHERE)
    parts, at, width = whole(I, PARTS), whole(I, AT), whole(I, WIDTH)
    for i in range(count(I, BLOCKS)):
        top, n = start[i], start[i + 1] - start[i]
        if n == 3:
            x = y = z = 0.0
            for e in range(first[i], first[i + 1]):
                t, p = column[e], where[e]
                q, size = at[t], width[t]
                if size <= EIGHT:
                    x += dot(J, EIGHT * p, v, EIGHT * q, size)
                    y += dot(J, EIGHT * (p + 1), v, EIGHT * q, size)
                    z += dot(J, EIGHT * (p + 2), v, EIGHT * q, size)
                else:
                    here = parts[e]
                    across = parts[e + 1] - here
                    x += row_times(eights, p, along, q, part_of, here, across)
                    y += row_times(eights, p + across, along, q, part_of, here, across)
                    z += row_times(eights, p + 2 * across, along, q, part_of, here, across)
            out[top], out[top + 1], out[top + 2] = x, y, z
            continue
        for a in range(n):
            out[top + a] = 0.0
        for e in range(first[i], first[i + 1]):
            q, p, here = at[column[e]], where[e], parts[e]
            across = parts[e + 1] - here
            for a in range(n):
                out[top + a] += row_times(eights, p + a * across, along, q, part_of, here, across)


@called_kernel
def move(I, x, u):
    """Compute the velocities of the impulses x: CHANGE along nodes, u along rows"""
    b, soft = numbers(I, OFFSET), numbers(I, SOFTNESS)
    push(I, x)
    times_nodes(I, rows(I, INVERSE), numbers(I, PUSH), rows(I, CHANGE))
    rates(I, numbers(I, CHANGE), u)
    for k in range(count(I, ROWS)):
        u[k] += b[k] + soft[k] * x[k]


@called_kernel
def try_impulses(I, x, exact, best):
    """Project the impulses x, and keep them if they are the best; return the smallest error: the larger one of those that a
    result of ``solve`` has

    Projected they are in HELD, with their velocities in ALONG. The best are in BEST, and what these change in KEPT.
    """
    K, held, u, mu, start = sets_of(I), numbers(I, HELD), numbers(I, ALONG), numbers(I, FRICTION), whole(I, START)
    for i in range(count(I, BLOCKS)):
        top = start[i]
        if start[i + 1] - top == 3:
            held[top], held[top + 1], held[top + 2] = nearest_in_cone(mu[DISCS * i], x[top], x[top + 1], x[top + 2])
        else:
            for k in range(top, start[i + 1]):
                held[k] = x[k]
            project_block(K, i, as_vector(held), as_vector(held))
    move(I, held, u)
    s, b, zero, work = (
        as_vector(numbers(I, SCALE)), as_vector(numbers(I, OFFSET)), as_vector(numbers(I, ZERO)),
        as_vector(numbers(I, WORK)),
    )  # fmt: skip
    found = natural_map(K, s, b, zero, as_vector(held), as_vector(u), exact, 0, count(I, BLOCKS), work)
    error = larger(found[0], found[1], found[2], found[3])
    if not error < best:
        return best
    keep, change, kept = numbers(I, BEST), rows(I, CHANGE), rows(I, KEPT)
    for k in range(count(I, ROWS)):
        keep[k] = held[k]
    for k in range(count(I, EIGHTS)):
        store(kept, k, load(change, k))
    return error
