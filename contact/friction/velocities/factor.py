"""Factors of ``A + J' D J`` over the nodes of an island: an order of elimination, the pattern, and the numbers.

The matrix H has a dense block for each pair of nodes that a block row ties. In an order of least degree chains, stacks and
trees have no fill at all. While the order is sought, ties are a bit for each pair of nodes: that takes microseconds for the
tens of nodes that islands mostly have, milliseconds for a thousand. D need not be symmetric.

Elimination of a node p keeps ``W_ip = H_ip H_pp^-1`` for the nodes i behind it, and takes ``W_ip H_pj`` from H_ij, whose
place is found in the list of i or j, whichever comes first. Of a body H_pp is inverted, in registers; of a wider node it is
factorised, ``H_pp = U L``, from its last row to its first: rows of trees are in the order from the root on, so that in a
robot that is touched here and there nothing is filled, and each row meets those between it and the root alone.

Source: A. George and J. W. H. Liu, "The evolution of the minimum degree ordering algorithm" (1989); G. H. Golub and C. F.
Van Loan, "Matrix computations", sections 3.2 and 4.2, for block factors without pivots.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pluecker.contact.friction.problem.sets import COMPONENTS
from pluecker.contact.friction.sparse.rounding import LOST
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
    PIVOT,
    PLACE,
    RANK,
    RESPONSE,
    SQUARE,
    START,
    TIES,
    TO_HERE,
    TO_THERE,
    WHERE,
    WIDTH,
    WORD,
    count,
    dot,
    gather_square,
    numbers,
    place_of,
    put,
    rows,
    whole,
    wide,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import entry, integers, rows_of, with_entry
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = ["factorise", "find_masses", "find_room", "solve_factored"]

GROUP = 64  # nodes of which the best one is kept while an order is found
STALE = -2


# --------------------------------------------------------------------------------------------------------------- pattern


@kernel
def words(n):
    """Return how many integers n bits take"""
    return (n + WORD - 1) // WORD


@kernel
def lowest(word):
    """Return the number of the lowest bit of a word that is not zero"""
    bit, k, half = word & -word, 0, 32
    while half > 0:
        if bit >= 1 << half:
            bit, k = bit >> half, k + half
        half //= 2
    return k


@kernel
def tie(ties, degree, width, across, i, j):
    """Note that two nodes have a block, unless that is known"""
    word, bit = i * across + j // WORD, 1 << (j % WORD)
    if ties[word] & bit == 0:
        ties[word] |= bit
        degree[i] += width[j]


@called_kernel
def find_ties(I):
    """Note the pairs of nodes that block rows tie, each node with itself among them, and degrees: what widths come to"""
    n, ties, degree, width = count(I, NODES), whole(I, TIES), whole(I, DEGREE), whole(I, WIDTH)
    first, column, across = whole(I, FIRST), whole(I, COLUMN), words(n)
    for k in range(n * across):
        ties[k] = 0
    for i in range(n):
        degree[i] = 0
        tie(ties, degree, width, across, i, i)
    for i in range(count(I, BLOCKS)):
        for k in range(first[i], first[i + 1]):
            for e in range(first[i], first[i + 1]):
                tie(ties, degree, width, across, column[k], column[e])


@kernel
def best_of_group(rank, degree, width, first, last):
    """Return the node of least degree that is left among these, the narrowest of several; -1 if none is"""
    p = -1
    for i in range(first, last):
        if rank[i] < 0 and (p < 0 or (degree[i], width[i]) < (degree[p], width[p])):
            p = i
    return p


@kernel
def eliminate(ties, degree, width, best, across, p, below, top):
    """Tie all nodes that node p meets to one another; list them in ``below`` from ``top`` on, as far as there is room

    Groups of nodes whose degrees change have no best one any more.

    Returns where the list ends, and what rows of eight their blocks take.
    """
    mine, size = p * across, 0
    ties[mine + p // WORD] ^= 1 << (p % WORD)
    for w in range(across):
        left = ties[mine + w]
        while left != 0:
            i = WORD * w + lowest(left)
            left &= left - 1
            if top < len(below):
                below[top] = i
            top += 1
            size += width[p] * wide(width[i]) + width[i] * wide(width[p])
            its = i * across
            ties[its + p // WORD] ^= 1 << (p % WORD)
            degree[i] -= width[p]
            best[i // GROUP] = STALE
            for v in range(across):
                new = ties[mine + v] ^ (ties[mine + v] & ties[its + v])
                ties[its + v] |= new
                while new != 0:
                    degree[i] += width[WORD * v + lowest(new)]
                    new &= new - 1
    return top, size


@called_kernel
def find_order(I, below):
    """Find an order of least degree, narrow nodes first; list the nodes that each one meets behind it, where there is room

    How many rows of eight all blocks take is kept in NEEDED.
    """
    n, ties, begin, best = count(I, NODES), whole(I, TIES), whole(I, BEGIN), whole(I, PIVOT)
    order, rank, degree, width = whole(I, ORDER), whole(I, RANK), whole(I, DEGREE), whole(I, WIDTH)
    top = needed = 0
    find_ties(I)
    for i in range(n):
        rank[i], best[i // GROUP] = -1, STALE
    for k in range(n):
        p = -1
        for g in range((n + GROUP - 1) // GROUP):
            if best[g] == STALE:
                best[g] = best_of_group(rank, degree, width, GROUP * g, min(GROUP * (g + 1), n))
            i = best[g]
            if i >= 0 and (p < 0 or (degree[i], width[i]) < (degree[p], width[p])):
                p = i
        order[k], rank[p], begin[k], best[p // GROUP] = p, k, top, STALE
        top, size = eliminate(ties, degree, width, best, words(n), p, below, top)
        needed += width[p] * wide(width[p]) + size
    begin[n] = top
    integers(I)[NEEDED] = needed


@called_kernel
def sort_lists(I):
    """Sort the nodes behind each one by their places in the order, by transposing the lists twice"""
    n, below, above, end = count(I, NODES), whole(I, BELOW), whole(I, TO_HERE), whole(I, DEGREE)
    begin, order, first = whole(I, BEGIN), whole(I, ORDER), whole(I, PIVOT)
    for i in range(n + 1):
        first[i] = 0
    for e in range(begin[n]):
        first[below[e] + 1] += 1
    for i in range(n):
        first[i + 1] += first[i]
        end[i] = first[i]
    for k in range(n):
        for e in range(begin[k], begin[k + 1]):
            above[end[below[e]]] = k
            end[below[e]] += 1
    for k in range(n):
        end[k] = begin[k]
    for k in range(n):
        i = order[k]
        for e in range(first[i], first[i + 1]):
            below[end[above[e]]] = i
            end[above[e]] += 1


@called_kernel
def give_places(I):
    """Give each block its place, in the order of elimination"""
    n, below, to_here, to_there = count(I, NODES), whole(I, BELOW), whole(I, TO_HERE), whole(I, TO_THERE)
    order, width, begin, pivot, at = whole(I, ORDER), whole(I, WIDTH), whole(I, BEGIN), whole(I, PIVOT), 0
    first, column, place, pair = whole(I, FIRST), whole(I, COLUMN), whole(I, PLACE), 0
    for k in range(n):
        p = order[k]
        pivot[p] = at
        at += width[p] * wide(width[p])
        for e in range(begin[k], begin[k + 1]):
            i = below[e]
            to_there[e], to_here[e] = at, at + width[p] * wide(width[i])
            at += width[p] * wide(width[i]) + width[i] * wide(width[p])
    for i in range(count(I, BLOCKS)):
        for k in range(first[i], first[i + 1]):
            for e in range(first[i], first[i + 1]):
                place[pair] = place_in_factor(I, column[k], column[e])
                pair += 1


@called_kernel
def place_in_factor(I, i, j):
    """Return where the block of rows i and columns j begins"""
    rank, begin, below, low = whole(I, RANK), whole(I, BEGIN), whole(I, BELOW), 0
    if i == j:
        return whole(I, PIVOT)[i]
    early, late = (i, j) if rank[i] < rank[j] else (j, i)
    low, high = begin[rank[early]], begin[rank[early] + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if rank[below[middle]] <= rank[late]:
            low = middle
        else:
            high = middle
    return whole(I, TO_THERE)[low] if early == i else whole(I, TO_HERE)[low]


@called_kernel
def find_room(I):
    """Find the pattern of the factor; return 0, or how many numbers there must be, if there are fewer"""
    at, left = place_of(I, FACTOR), len(numbers(I, FACTOR))
    find_order(I, whole(I, FACTOR))
    listed = whole(I, BEGIN)[count(I, NODES)]
    needed = 3 * EIGHT * wide(listed) + EIGHT * count(I, NEEDED)
    if needed > left:
        return at + needed + EIGHT
    end = at + left
    for which in range(BELOW, FACTOR):
        at = put(I, which, at, listed)
    put(I, FACTOR, at, end - at)
    sort_lists(I)
    give_places(I)
    return 0


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


class BlockOfRows(NamedTuple):
    """Block X of J: its numbers, its first row, and the eights of columns that it has, by ``part_of[first:last]``."""

    X: Any
    p: int
    part_of: Any
    first: int
    last: int


@called_kernel
def assemble(I):
    """Write ``A + J' D J`` to the places of its blocks"""
    n, H, A, J, X = count(I, NODES), rows(I, FACTOR), rows(I, MASS), rows(I, MATRIX), numbers(I, MATRIX)
    place, square, width, D = whole(I, PLACE), whole(I, SQUARE), whole(I, WIDTH), numbers(I, RESPONSE)
    pivot, pair = whole(I, PIVOT), 0
    start, first, column, where, T = whole(I, START), whole(I, FIRST), whole(I, COLUMN), whole(I, WHERE), rows(I, LINE)
    parts, part_of = whole(I, PARTS), whole(I, PART)
    for k in range(count(I, NEEDED)):
        store(H, k, 0.0 * load(J, 0))
    for t in range(n):
        p, q = pivot[t], square[t]
        for k in range(width[t] * wide(width[t])):
            store(H, p + k, load(A, q + k))
    for i in range(count(I, BLOCKS)):
        top, height, n = start[i], start[i + 1] - start[i], first[i + 1] - first[i]
        if height == 3:
            if D[COMPONENTS * top] != 0.0 or responds(D, top, 3):
                add_contact(I, i, pair, H, X, D)
        elif responds(D, top, height):
            for e in range(first[i], first[i + 1]):
                f, p = column[e], where[e]
                across = parts[e + 1] - parts[e]
                for c in range(across):
                    for a in range(height):
                        row = D[COMPONENTS * (top + a)] * load(J, p + c)
                        for b in range(1, height):
                            row = row + D[COMPONENTS * (top + a) + b] * load(J, p + b * across + c)
                        store(T, a * across + c, row)
                for d in range(first[i], first[i + 1]):
                    q, r = parts[d], place[pair + (d - first[i]) * n + e - first[i]]
                    block = BlockOfRows(X, where[d], part_of, q, parts[d + 1])
                    add_product(block, T, height, parts[e], across, H, r, wide(width[f]))
        pair += n * n


@called_kernel
def add_contact(I, i, pair, H, X, D):
    """Add ``J' D J`` of a block of three rows; where its blocks begin stands in PLACE from ``pair`` on"""
    J, place, width, part_of = rows(I, MATRIX), whole(I, PLACE), whole(I, WIDTH), whole(I, PART)
    first, column, where, parts = whole(I, FIRST), whole(I, COLUMN), whole(I, WHERE), whole(I, PARTS)
    low, high, top = first[i], first[i + 1], whole(I, START)[i]
    for e in range(low, high):
        p, m = where[e], width[column[e]]
        if m <= EIGHT:  # nearly all: one row of eight, at the beginning of its block
            x, y, z = respond_to(D, top, load(J, p), load(J, p + 1), load(J, p + 2))
            for d in range(low, high):
                n, r = width[column[d]], place[pair + (d - low) * (high - low) + e - low]
                if n == 6:
                    k = EIGHT * where[d]
                    for b in range(6):
                        row = load(H, r + b) + X[k + b] * x
                        store(H, r + b, row + X[k + EIGHT + b] * y + X[k + 2 * EIGHT + b] * z)
                else:
                    block = BlockOfRows(X, where[d], part_of, parts[d], parts[d + 1])
                    add_three(block, n, (x, y, z), H, r, 1)
            continue
        across = parts[e + 1] - parts[e]
        for c in range(across):
            x, y, z = respond_to(D, top, load(J, p + c), load(J, p + across + c), load(J, p + 2 * across + c))
            for d in range(low, high):
                n, r = width[column[d]], place[pair + (d - low) * (high - low) + e - low] + part_of[parts[e] + c]
                block = BlockOfRows(X, where[d], part_of, parts[d], parts[d + 1])
                add_three(block, n, (x, y, z), H, r, wide(m))


@kernel
def respond_to(D, top, x, y, z):
    """Multiply three rows of J by the block of D whose rows begin at ``top``"""
    return response(D, top, x, y, z), response(D, top + 1, x, y, z), response(D, top + 2, x, y, z)


@kernel
def response(D, a, x, y, z):
    """Return a row of D times three rows of J"""
    return D[COMPONENTS * a] * x + D[COMPONENTS * a + 1] * y + D[COMPONENTS * a + 2] * z


@called_kernel
def add_three(block, n, T, H, q, stride):
    """Add ``X' T`` to a column of eights of a block, as :func:`add_product`, T three rows of one part; the column begins at
    q, and n is how many columns the node of X has
    """
    X, p, part_of, first, last = block
    across, (x, y, z) = EIGHT * (last - first), T
    for j in range(last - first):
        low = EIGHT * part_of[first + j]
        k, r = EIGHT * (p + j), q + low * stride
        for b in range(min(EIGHT, n - low)):
            s, t, u = X[k + b], X[k + b + across], X[k + b + 2 * across]
            if n <= EIGHT or s != 0.0 or t != 0.0 or u != 0.0:  # of a robot a contact moves one leg
                store(H, r, load(H, r) + (s * x + t * y + u * z))
            r += stride


@kernel
def responds(D, top, height):
    """Return whether a block of D is not zero"""
    most = 0.0
    for a in range(COMPONENTS * top, COMPONENTS * (top + height)):
        most = max(most, abs(D[a]))
    return most != 0.0


@called_kernel
def add_product(block, T, height, of_columns, across, H, q, stride):
    """Add ``X' T`` to the block from row q on, that has so many rows of eight side by side

    X is a block of J with ``height`` rows; T has as many, of ``across`` parts from ``of_columns`` on.
    """
    X, p, part_of, first, last = block
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


@kernel
def take_six(H, entries, q, left, right):
    """Take the product of two blocks of six rows and columns from a third one"""
    r0, r1, r2 = load(H, right), load(H, right + 1), load(H, right + 2)
    r3, r4, r5 = load(H, right + 3), load(H, right + 4), load(H, right + 5)
    for a in range(6):
        x = EIGHT * (left + a)
        row = load(H, q + a) - entries[x] * r0 - entries[x + 1] * r1 - entries[x + 2] * r2
        store(H, q + a, row - entries[x + 3] * r3 - entries[x + 4] * r4 - entries[x + 5] * r5)


@called_kernel
def take_product(H, entries, q, height, left, n, right, across):
    """Take the product of two blocks from a third one, ``(height, across)`` rows from q on"""
    stride = EIGHT * wide(n)
    if n == 6 and height == 6 and across == 1:
        take_six(H, entries, q, left, right)
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
    n, H, entries, pivot, width = count(I, NODES), rows(I, FACTOR), numbers(I, FACTOR), whole(I, PIVOT), whole(I, WIDTH)
    order, rank, begin, below = whole(I, ORDER), whole(I, RANK), whole(I, BEGIN), whole(I, BELOW)
    to_here, to_there, line = whole(I, TO_HERE), whole(I, TO_THERE), numbers(I, LINE)
    assemble(I)
    for k in range(n):
        p, end = order[k], begin[k + 1]
        wp = width[p]
        if not factorise_block(H, entries, pivot[p], wp, line):
            return False
        for a in range(begin[k], end):
            times_inverse(H, entries, to_here[a], width[below[a]], H, entries, pivot[p], wp, line)
        for a in range(begin[k], end):
            i = below[a]
            wi, e = width[i], begin[rank[i]]
            take_product(H, entries, pivot[i], wi, to_here[a], wp, to_there[a], wide(wi))
            for b in range(a + 1, end):
                j = below[b]
                while below[e] != j:
                    e += 1
                take_product(H, entries, to_there[e], wi, to_here[a], wp, to_there[b], wide(width[j]))
                take_product(H, entries, to_here[e], width[j], to_here[b], wp, to_there[a], wide(wi))
    return True


@called_kernel
def solve_factored(I, x):
    """Solve with the factor, in place, for a vector along velocities, numbers"""
    n, H, pivot, line = count(I, NODES), numbers(I, FACTOR), whole(I, PIVOT), numbers(I, LINE)
    order, begin, below, width, at = whole(I, ORDER), whole(I, BEGIN), whole(I, BELOW), whole(I, WIDTH), whole(I, AT)
    to_here, to_there = whole(I, TO_HERE), whole(I, TO_THERE)
    for k in range(n):
        p = order[k]
        for e in range(begin[k], begin[k + 1]):
            i = below[e]
            take_times(H, to_here[e], width[i], width[p], x, EIGHT * at[p], x, EIGHT * at[i])
    for k in range(n - 1, -1, -1):
        p = order[k]
        for e in range(begin[k], begin[k + 1]):
            i = below[e]
            take_times(H, to_there[e], width[p], width[i], x, EIGHT * at[i], x, EIGHT * at[p])
        solve_block(H, pivot[p], width[p], x, EIGHT * at[p], line)


@called_kernel
def take_times(H, q, height, n, x, p, y, r):
    """Take a block, whose rows begin at q, times x from y"""
    stride = EIGHT * wide(n)
    for a in range(height):
        y[r + a] -= dot(H, EIGHT * q + a * stride, x, p, n)
