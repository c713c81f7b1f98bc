"""Factors of ``A + J' D J`` over the nodes of an island: an order of elimination, the pattern, and the numbers.

The matrix H has a dense block for each pair of nodes that a block row ties. In an order of least degree chains, stacks and
trees have no fill at all. The pattern is a table of pairs, so that finding it takes microseconds for the tens of nodes that
islands mostly have; it grows with their square. D need not be symmetric. Elimination inverts the diagonal block of a node,
``P = H_pp^-1``, keeps ``W_ip = H_ip P`` for the nodes i behind it, and takes ``W_ip H_pj`` from H_ij.

Source: A. George and J. W. H. Liu, "The evolution of the minimum degree ordering algorithm" (1989); G. H. Golub and C. F.
Van Loan, "Matrix computations", sections 3.2 and 4.2, for block factors without pivots.
"""

from __future__ import annotations

from pluecker.contact.friction.problem.sets import COMPONENTS
from pluecker.contact.friction.velocities.island import (
    AT,
    BEGIN,
    BELOW,
    BLOCKS,
    COLUMN,
    DEGREE,
    EIGHT,
    FACTOR,
    FIRST,
    INVERSE,
    LINE,
    MASS,
    MATRIX,
    NEEDED,
    NODES,
    ORDER,
    PLACE,
    RANK,
    RESPONSE,
    SQUARE,
    START,
    WHERE,
    WIDTH,
    count,
    dot,
    numbers,
    place_of,
    rows,
    whole,
    wide,
)
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import entry, integers, with_entry
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = ["factorise", "find_pattern", "find_room", "invert_nodes", "solve_factored"]

LOST = 1e-13  # of a diagonal entry, what elimination may leave of it: less is rounding


# --------------------------------------------------------------------------------------------------------------- pattern


@allocation_free_kernel
def tie(place, degree, width, n, i, j):
    """Note that two nodes have a block, unless that is known"""
    if place[i * n + j] < 0:
        place[i * n + j], place[j * n + i] = 0, 0
        degree[i] += width[j]
        degree[j] += width[i]


@called_kernel
def find_pattern(I):
    """Find an order of least degree, and the places of all blocks; how many rows of eight they take is kept in NEEDED"""
    n, place, below, begin = count(I, NODES), whole(I, PLACE), whole(I, BELOW), whole(I, BEGIN)
    order, rank, degree, width = whole(I, ORDER), whole(I, RANK), whole(I, DEGREE), whole(I, WIDTH)
    first, column, top = whole(I, FIRST), whole(I, COLUMN), 0
    for k in range(n * n):
        place[k] = -1
    for i in range(n):
        place[i * n + i], rank[i], degree[i] = 0, -1, width[i]
    for i in range(count(I, BLOCKS)):
        for k in range(first[i], first[i + 1]):
            for e in range(first[i], k):
                tie(place, degree, width, n, column[k], column[e])
    for k in range(n):
        p, least = -1, 0
        for i in range(n):
            if rank[i] < 0 and (p < 0 or degree[i] < least):
                p, least = i, degree[i]
        order[k], rank[p], begin[k] = p, k, top
        for i in range(n):
            if rank[i] < 0 and place[p * n + i] >= 0:
                below[top] = i
                top += 1
                degree[i] -= width[p]
        for a in range(begin[k], top):
            for b in range(begin[k], a):
                tie(place, degree, width, n, below[a], below[b])
    begin[n] = top
    give_places(I)


@called_kernel
def give_places(I):
    """Give each block its place, in the order of elimination"""
    n, place, below, begin = count(I, NODES), whole(I, PLACE), whole(I, BELOW), whole(I, BEGIN)
    order, width, at = whole(I, ORDER), whole(I, WIDTH), 0
    for k in range(n):
        p = order[k]
        place[p * n + p] = at
        at += width[p] * wide(width[p])
        for a in range(begin[k], begin[k + 1]):
            i = below[a]
            place[p * n + i], place[i * n + p] = at, at + width[p] * wide(width[i])
            at += width[p] * wide(width[i]) + width[i] * wide(width[p])
    integers(I)[NEEDED] = at


@called_kernel
def find_room(I):
    """Find the pattern of the factor; return 0, or how many numbers there must be, if there are fewer"""
    find_pattern(I)
    needed = EIGHT * count(I, NEEDED)
    return 0 if needed <= len(numbers(I, FACTOR)) else place_of(I, FACTOR) + needed + EIGHT


# --------------------------------------------------------------------------------------------------------------- numbers


@kernel
def clear_column(k, pivot_row, a, b, c, d, e):
    """Take one step of Gauss and Jordan's elimination of six rows, of which one has the pivot in column k"""
    pivot_row = (1.0 / entry(pivot_row, k)) * with_entry(pivot_row, k, 1.0)
    return (
        pivot_row, without(a, k, pivot_row), without(b, k, pivot_row), without(c, k, pivot_row),
        without(d, k, pivot_row), without(e, k, pivot_row),
    )  # fmt: skip


@kernel
def without(row, k, pivot_row):
    """Take from a row what it has of column k"""
    return with_entry(row, k, 0.0) - entry(row, k) * pivot_row


@called_kernel
def invert_six(M, q):
    """Invert a block of six rows as :func:`invert`, in registers"""
    a, b, c, d, e, f = load(M, q), load(M, q + 1), load(M, q + 2), load(M, q + 3), load(M, q + 4), load(M, q + 5)
    before = abs(entry(a, 0)), abs(entry(b, 1)), abs(entry(c, 2)), abs(entry(d, 3)), abs(entry(e, 4)), abs(entry(f, 5))
    fine = abs(entry(a, 0)) > 0.0
    a, b, c, d, e, f = clear_column(0, a, b, c, d, e, f)
    fine = fine and abs(entry(b, 1)) > LOST * before[1]
    b, a, c, d, e, f = clear_column(1, b, a, c, d, e, f)
    fine = fine and abs(entry(c, 2)) > LOST * before[2]
    c, a, b, d, e, f = clear_column(2, c, a, b, d, e, f)
    fine = fine and abs(entry(d, 3)) > LOST * before[3]
    d, a, b, c, e, f = clear_column(3, d, a, b, c, e, f)
    fine = fine and abs(entry(e, 4)) > LOST * before[4]
    e, a, b, c, d, f = clear_column(4, e, a, b, c, d, f)
    fine = fine and abs(entry(f, 5)) > LOST * before[5]
    f, a, b, c, d, e = clear_column(5, f, a, b, c, d, e)
    store(M, q, a)
    store(M, q + 1, b)
    store(M, q + 2, c)
    store(M, q + 3, d)
    store(M, q + 4, e)
    store(M, q + 5, f)
    return fine


@called_kernel
def invert(M, entries, q, n, line):
    """Invert a block of n rows from row q on, in place; return whether all pivots are good

    Gauss and Jordan's elimination without pivots; ``entries`` are the numbers of ``M``, ``line`` has room for n of them.
    """
    if n == 6:
        return invert_six(M, q)
    across = wide(n)
    stride = EIGHT * across
    for k in range(n):
        line[k] = abs(entries[EIGHT * q + k * stride + k])
    for k in range(n):
        d = EIGHT * q + k * stride + k
        if not abs(entries[d]) > LOST * line[k]:
            return False
        pivot = 1.0 / entries[d]
        entries[d] = 1.0
        for c in range(across):
            store(M, q + k * across + c, pivot * load(M, q + k * across + c))
        for i in range(n):
            if i != k:
                f = entries[EIGHT * q + i * stride + k]
                entries[EIGHT * q + i * stride + k] = 0.0
                for c in range(across):
                    row = load(M, q + i * across + c) - f * load(M, q + k * across + c)
                    store(M, q + i * across + c, row)
    return True


@called_kernel
def invert_nodes(I):
    """Compute A of each node from A^-1; return whether all have one"""
    A, from_here, square, width = rows(I, MASS), rows(I, INVERSE), whole(I, SQUARE), whole(I, WIDTH)
    entries, line, fine = numbers(I, MASS), numbers(I, LINE), True
    for t in range(count(I, NODES)):
        n, q = width[t], square[t]
        for k in range(q, q + n * wide(n)):
            store(A, k, load(from_here, k))
        fine = invert(A, entries, q, n, line) and fine
    return fine


@called_kernel
def assemble(I):
    """Write ``A + J' D J`` to the places of its blocks"""
    n, H, A, J, X = count(I, NODES), rows(I, FACTOR), rows(I, MASS), rows(I, MATRIX), numbers(I, MATRIX)
    place, square, width, D = whole(I, PLACE), whole(I, SQUARE), whole(I, WIDTH), numbers(I, RESPONSE)
    start, first, column, where, T = whole(I, START), whole(I, FIRST), whole(I, COLUMN), whole(I, WHERE), rows(I, LINE)
    for k in range(count(I, NEEDED)):
        store(H, k, 0.0 * load(J, 0))
    for t in range(n):
        p, q = place[t * n + t], square[t]
        for k in range(width[t] * wide(width[t])):
            store(H, p + k, load(A, q + k))
    for i in range(count(I, BLOCKS)):
        top, height = start[i], start[i + 1] - start[i]
        if responds(D, top, height):
            for e in range(first[i], first[i + 1]):
                f, p = column[e], where[e]
                across = wide(width[f])
                if height == 3 and across == 1:
                    x, y, z = load(J, p), load(J, p + 1), load(J, p + 2)
                    x, y, z = response(D, top, x, y, z), response(D, top + 1, x, y, z), response(D, top + 2, x, y, z)
                    for d in range(first[i], first[i + 1]):
                        g = column[d]
                        add_three(X, EIGHT * where[d], width[g], x, y, z, H, place[g * n + f])
                    continue
                for c in range(across):
                    for a in range(height):
                        row = D[COMPONENTS * (top + a)] * load(J, p + c)
                        for b in range(1, height):
                            row = row + D[COMPONENTS * (top + a) + b] * load(J, p + b * across + c)
                        store(T, a * across + c, row)
                for d in range(first[i], first[i + 1]):
                    t = column[d]
                    add_product(X, EIGHT * where[d], width[t], T, height, across, H, place[t * n + f])


@kernel
def response(D, a, x, y, z):
    """Return a row of D times three rows of J"""
    return D[COMPONENTS * a] * x + D[COMPONENTS * a + 1] * y + D[COMPONENTS * a + 2] * z


@called_kernel
def add_three(X, p, n, x, y, z, H, q):
    """Add ``X' T`` to the block from row q on, X ``(3, n)`` numbers from p on, T the rows x, y and z"""
    stride = EIGHT * wide(n)
    for k in range(n):
        row = X[p + k] * x + X[p + stride + k] * y + X[p + 2 * stride + k] * z
        store(H, q + k, load(H, q + k) + row)


@allocation_free_kernel
def responds(D, top, height):
    """Return whether a block of D is not zero"""
    most = 0.0
    for a in range(COMPONENTS * top, COMPONENTS * (top + height)):
        most = max(most, abs(D[a]))
    return most != 0.0


@called_kernel
def add_product(X, p, n, T, height, across, H, q):
    """Add ``X' T`` to the block from row q on, X ``(height, n)`` with numbers from p on, T ``(height, across)`` rows"""
    stride = EIGHT * wide(n)
    for k in range(n):
        acts = False
        for a in range(height):
            acts = acts or X[p + a * stride + k] != 0.0
        if not acts:  # of a robot a contact moves one leg, a limit one joint
            continue
        for c in range(across):
            row = load(H, q + k * across + c)
            for a in range(height):
                row = row + X[p + a * stride + k] * load(T, a * across + c)
            store(H, q + k * across + c, row)


@called_kernel
def times_inverse(H, entries, q, count_of_rows, p, n, line):
    """Multiply a block of so many rows from row q on by the inverse, n rows from row p on, in place"""
    across = wide(n)
    for a in range(count_of_rows):
        from_here = EIGHT * (q + a * across)
        for c in range(across):
            row = entries[from_here] * load(H, p + c)
            for k in range(1, n):
                row = row + entries[from_here + k] * load(H, p + k * across + c)
            store(line, c, row)
        for c in range(across):
            store(H, q + a * across + c, load(line, c))


@called_kernel
def take_product(H, entries, q, height, left, n, right, across):
    """Take the product of two blocks from a third one, ``(height, across)`` rows from q on"""
    stride = EIGHT * wide(n)
    if n == 6 and across == 1:
        r0, r1, r2 = load(H, right), load(H, right + 1), load(H, right + 2)
        r3, r4, r5 = load(H, right + 3), load(H, right + 4), load(H, right + 5)
        for a in range(height):
            x = EIGHT * (left + a)
            near = entries[x] * r0 + entries[x + 1] * r1 + entries[x + 2] * r2
            far = entries[x + 3] * r3 + entries[x + 4] * r4 + entries[x + 5] * r5
            store(H, q + a, load(H, q + a) - near - far)
        return
    for a in range(height):
        x = EIGHT * left + a * stride
        for c in range(across):
            row = load(H, q + a * across + c)
            for k in range(n):
                row = row - entries[x + k] * load(H, right + k * across + c)
            store(H, q + a * across + c, row)


@called_kernel
def factorise(I):
    """Assemble and factorise; return whether all pivots are good"""
    n, H, entries, place = count(I, NODES), rows(I, FACTOR), numbers(I, FACTOR), whole(I, PLACE)
    order, begin, below, width = whole(I, ORDER), whole(I, BEGIN), whole(I, BELOW), whole(I, WIDTH)
    assemble(I)
    for k in range(n):
        p = order[k]
        pivot = place[p * n + p]
        if not invert(H, entries, pivot, width[p], numbers(I, LINE)):
            return False
        for a in range(begin[k], begin[k + 1]):
            i = below[a]
            left = place[i * n + p]
            times_inverse(H, entries, left, width[i], pivot, width[p], rows(I, LINE))
            for b in range(begin[k], begin[k + 1]):
                j = below[b]
                take_product(H, entries, place[i * n + j], width[i], left, width[p], place[p * n + j], wide(width[j]))
    return True


@called_kernel
def solve_factored(I, x):
    """Solve with the factor, in place, for a vector along velocities, numbers"""
    n, H, place, line = count(I, NODES), numbers(I, FACTOR), whole(I, PLACE), numbers(I, LINE)
    order, begin, below, width, at = whole(I, ORDER), whole(I, BEGIN), whole(I, BELOW), whole(I, WIDTH), whole(I, AT)
    for k in range(n):
        p = order[k]
        for e in range(begin[k], begin[k + 1]):
            i = below[e]
            take_times(H, place[i * n + p], width[i], width[p], x, EIGHT * at[p], x, EIGHT * at[i])
    for k in range(n - 1, -1, -1):
        p = order[k]
        for e in range(begin[k], begin[k + 1]):
            i = below[e]
            take_times(H, place[p * n + i], width[p], width[i], x, EIGHT * at[i], x, EIGHT * at[p])
        for a in range(width[p]):
            line[a] = 0.0
        take_times(H, place[p * n + p], width[p], width[p], x, EIGHT * at[p], line, 0)
        for a in range(width[p]):
            x[EIGHT * at[p] + a] = -line[a]


@called_kernel
def take_times(H, q, height, n, x, p, y, r):
    """Take a block, whose rows begin at q, times x from y"""
    stride = EIGHT * wide(n)
    for a in range(height):
        y[r + a] -= dot(H, EIGHT * q + a * stride, x, p, n)
