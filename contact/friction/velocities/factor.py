"""Factors of ``A + J' D J`` over the nodes of an island: an order of elimination, the pattern, and the numbers.

The matrix H has a dense block for each pair of nodes that a block row ties. In an order of least degree chains, stacks and
trees have no fill at all. The pattern is a table of pairs, so that finding it takes microseconds for the tens of nodes that
islands mostly have; it grows with their square. D need not be symmetric. Elimination of a node p keeps ``W_ip = H_ip
H_pp^-1`` for the nodes i behind it, and takes ``W_ip H_pj`` from H_ij. Of a body H_pp is inverted, in registers; of a wider
node it is factorised, ``H_pp = U L``, from its last row to its first: rows of trees are in the order from the root on, so
that in a robot that is touched here and there nothing is filled, and each row meets those between it and the root alone.

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
    NODE,
    NODES,
    ORDER,
    PART,
    PARTS,
    PLACE,
    RANK,
    RESPONSE,
    SQUARE,
    START,
    WHERE,
    WIDTH,
    count,
    dot,
    gather_square,
    numbers,
    place_of,
    rows,
    whole,
    wide,
)
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import entry, integers, rows_of, with_entry
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = ["factorise", "find_masses", "find_pattern", "find_room", "solve_factored"]

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


@kernel
def copy_between(entries, p, low, high, line):
    """Copy entries ``low`` to ``high - 1`` of a row of numbers that begins at p to the same places of a line, with zeros
    beside them as far as their rows of eight go; return which these are, the first and behind the last
    """
    first, last = low // EIGHT, wide(high)
    for k in range(EIGHT * first, EIGHT * last):
        line[k] = entries[p + k] if low <= k < high else 0.0
    return first, last


@called_kernel
def factorise_block(M, entries, q, n, line):
    """Invert a block of six rows from row q on in place, or factorise one of n as U L; return whether all pivots are good

    Without pivots. U has ones on its diagonal, which are not stored, L the pivots, whose inverses are. ``entries`` are the
    numbers of ``M``, ``line`` has room for two rows.
    """
    if n == 6:
        return invert_six(M, q)
    across, eights = wide(n), rows_of(line)
    stride, p = EIGHT * across, EIGHT * q
    for k in range(n):
        line[stride + k] = abs(entries[p + k * stride + k])
    for k in range(n - 1, -1, -1):
        d = entries[p + k * stride + k]
        if not abs(d) > LOST * line[stride + k]:
            return False
        pivot = 1.0 / d
        entries[p + k * stride + k] = pivot
        _, last = copy_between(entries, p + k * stride, 0, k, line)
        for i in range(k):
            f = entries[p + i * stride + k]
            if f != 0.0:
                f *= pivot
                for c in range(last):
                    store(M, q + i * across + c, load(M, q + i * across + c) - f * load(eights, c))
                entries[p + i * stride + k] = f
    return True


@called_kernel
def times_inverse(X, x, r, height, M, entries, q, n, line):
    """Multiply a block, so many rows of X from row r on, by the inverse of a factorised one of n rows, from row q of M on

    In place; ``x`` and ``entries`` are the numbers of both.
    """
    across, eights = wide(n), rows_of(line)
    stride, p = EIGHT * across, EIGHT * q
    if n == 6:
        for a in range(height):
            k = EIGHT * (r + a)
            row = x[k] * load(M, q) + x[k + 1] * load(M, q + 1) + x[k + 2] * load(M, q + 2)
            row = row + (x[k + 3] * load(M, q + 3) + x[k + 4] * load(M, q + 4) + x[k + 5] * load(M, q + 5))
            store(X, r + a, row)
        return
    for k in range(n - 1, -1, -1):
        _, last = copy_between(entries, p + k * stride, 0, k, line)
        for a in range(height):
            f = x[EIGHT * r + a * stride + k] * entries[p + k * stride + k]
            if f != 0.0:
                for c in range(last):
                    store(X, r + a * across + c, load(X, r + a * across + c) - f * load(eights, c))
            x[EIGHT * r + a * stride + k] = f
    for k in range(n):
        first, last = copy_between(entries, p + k * stride, k + 1, n, line)
        for a in range(height):
            f = x[EIGHT * r + a * stride + k]
            if f != 0.0:
                for c in range(first, last):
                    store(X, r + a * across + c, load(X, r + a * across + c) - f * load(eights, c))


@called_kernel
def solve_block(entries, q, n, x, r, line):
    """Solve with a factorised block of n rows from row q on, in place, for the numbers of x from r on"""
    stride, p = EIGHT * wide(n), EIGHT * q
    if n == 6:
        for a in range(n):
            line[a] = dot(entries, p + a * stride, x, r, n)
        for a in range(n):
            x[r + a] = line[a]
        return
    for a in range(n - 2, -1, -1):
        x[r + a] -= dot(entries, p + a * stride + a + 1, x, r + a + 1, n - 1 - a)
    for a in range(n):
        x[r + a] = (x[r + a] - dot(entries, p + a * stride, x, r, a)) * entries[p + a * stride + a]


@called_kernel
def find_masses(I, P):
    """Gather A of each node, or compute it from A^-1 where it is not known; return whether all have one

    There is room for the factor of a node: its diagonal block is a part of that of the island.
    """
    A, mass, from_here, square = rows(I, MASS), numbers(I, MASS), rows(I, INVERSE), whole(I, SQUARE)
    node, width, line, fine = whole(I, NODE), whole(I, WIDTH), numbers(I, LINE), True
    H, entries = rows(I, FACTOR), numbers(I, FACTOR)
    for t in range(count(I, NODES)):
        n, q, p = width[t], square[t], P.square[node[t]]
        if P.mass[p] != 0.0:
            gather_square(P.mass, p, n, mass, EIGHT * q)
            continue
        for k in range(n * wide(n)):
            store(H, k, load(from_here, q + k))
            store(A, q + k, 0.0 * load(from_here, q + k))
        for k in range(n):
            mass[EIGHT * (q + k * wide(n)) + k] = 1.0
        if factorise_block(H, entries, 0, n, line):
            times_inverse(A, mass, q, n, H, entries, 0, n, line)
        else:
            fine = False
    return fine


@called_kernel
def assemble(I):
    """Write ``A + J' D J`` to the places of its blocks"""
    n, H, A, J, X = count(I, NODES), rows(I, FACTOR), rows(I, MASS), rows(I, MATRIX), numbers(I, MATRIX)
    place, square, width, D = whole(I, PLACE), whole(I, SQUARE), whole(I, WIDTH), numbers(I, RESPONSE)
    start, first, column, where, T = whole(I, START), whole(I, FIRST), whole(I, COLUMN), whole(I, WHERE), rows(I, LINE)
    parts, part_of = whole(I, PARTS), whole(I, PART)
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
                across = parts[e + 1] - parts[e]
                for c in range(across if height == 3 else 0):
                    x, y, z = load(J, p + c), load(J, p + across + c), load(J, p + 2 * across + c)
                    x, y, z = response(D, top, x, y, z), response(D, top + 1, x, y, z), response(D, top + 2, x, y, z)
                    for d in range(first[i], first[i + 1]):
                        g, q = column[d], parts[d]
                        r = place[g * n + f] + part_of[parts[e] + c]
                        add_three(X, where[d], part_of, q, parts[d + 1], width[g], x, y, z, H, r, wide(width[f]))
                if height == 3:
                    continue
                for c in range(across):
                    for a in range(height):
                        row = D[COMPONENTS * (top + a)] * load(J, p + c)
                        for b in range(1, height):
                            row = row + D[COMPONENTS * (top + a) + b] * load(J, p + b * across + c)
                        store(T, a * across + c, row)
                for d in range(first[i], first[i + 1]):
                    q, r = parts[d], place[column[d] * n + f]
                    add_product(
                        X, where[d], part_of, q, parts[d + 1], T, height, parts[e], across, H, r, wide(width[f])
                    )  # fmt: skip


@kernel
def response(D, a, x, y, z):
    """Return a row of D times three rows of J"""
    return D[COMPONENTS * a] * x + D[COMPONENTS * a + 1] * y + D[COMPONENTS * a + 2] * z


@called_kernel
def add_three(X, p, part_of, first, last, n, x, y, z, H, q, stride):
    """Add ``X' T`` to a column of eights of a block, as :func:`add_product`, T the rows x, y and z of one part; the column
    begins at q, and n is how many columns the node of X has
    """
    across = EIGHT * (last - first)
    for j in range(last - first):
        low = EIGHT * part_of[first + j]
        k, r = EIGHT * (p + j), q + low * stride
        for b in range(min(EIGHT, n - low)):
            s, t, u = X[k + b], X[k + b + across], X[k + b + 2 * across]
            if n <= EIGHT or s != 0.0 or t != 0.0 or u != 0.0:  # of a robot a contact moves one leg
                store(H, r, load(H, r) + (s * x + t * y + u * z))
            r += stride


@allocation_free_kernel
def responds(D, top, height):
    """Return whether a block of D is not zero"""
    most = 0.0
    for a in range(COMPONENTS * top, COMPONENTS * (top + height)):
        most = max(most, abs(D[a]))
    return most != 0.0


@called_kernel
def add_product(X, p, part_of, first, last, T, height, of_columns, across, H, q, stride):
    """Add ``X' T`` to the block from row q on, that has so many rows of eight side by side

    X is a block of J, ``height`` rows from row p on of the parts ``first`` to ``last - 1``; T as many, of ``across`` parts
    from ``of_columns`` on.
    """
    X_stride = EIGHT * (last - first)
    for j in range(last - first):
        for b in range(EIGHT):
            k = EIGHT * (p + j) + b
            acts = False
            for a in range(height):
                acts = acts or X[k + a * X_stride] != 0.0
            if not acts:
                continue
            r = q + (EIGHT * part_of[first + j] + b) * stride
            for c in range(across):
                place = r + part_of[of_columns + c]
                row = load(H, place)
                for a in range(height):
                    row = row + X[k + a * X_stride] * load(T, a * across + c)
                store(H, place, row)


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
        x, acts = EIGHT * left + a * stride, False
        for k in range(n):
            acts = acts or entries[x + k] != 0.0
        if not acts:  # of a robot what touches one leg moves one leg
            continue
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
        if not factorise_block(H, entries, pivot, width[p], numbers(I, LINE)):
            return False
        for a in range(begin[k], begin[k + 1]):
            i = below[a]
            left = place[i * n + p]
            times_inverse(H, entries, left, width[i], H, entries, pivot, width[p], numbers(I, LINE))
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
        solve_block(H, place[p * n + p], width[p], x, EIGHT * at[p], line)


@called_kernel
def take_times(H, q, height, n, x, p, y, r):
    """Take a block, whose rows begin at q, times x from y"""
    stride = EIGHT * wide(n)
    for a in range(height):
        y[r + a] -= dot(H, EIGHT * q + a * stride, x, p, n)
