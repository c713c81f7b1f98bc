"""The friction problem of a step: rows of contacts and constraints as blocks on trees, their sets, what is asked of them.

    u = J v+ + what surfaces move        r, u - least obey the law of each block        A (v+ - v_free) = J^T r

A contact has along its normal and tangents the difference of two bodies' velocities at its point, and about these that of
their angular velocities; what the two bodies have in common adds up to zero. A linear row of constraints is one without
bounds, with its compliance. A row with a range has a staircase: each of its steps is a row of its own with the bounds of
what the law falls by there, about the velocity of the step. A contact of constraints is a cone, with three rows.

Sources: M. Anitescu and F. A. Potra (1997) for the problem of a step; Moreau (1999): the sum of monotone laws of one
velocity is a monotone law.
"""

from math import inf
from typing import NamedTuple

from pluecker.articulated.running.arguments import Array
from pluecker.contact.found.layout import (
    BEFORE,
    BLOCK_COLUMN,
    BLOCK_DATA,
    BLOCK_FIRST,
    BLOCK_HIGH,
    BLOCK_LOW,
    BLOCK_PLACE,
    BLOCK_ROWS,
    COLUMNS,
    COMPLIANCE,
    FREE,
    FRICTIONLESS,
    IMPULSES,
    LAW,
    LEAST,
    LINKS,
    MOVED,
    OFFSET,
    OWNER,
    POISSON,
    RECOVERY,
    RECOVERY_SPEED,
    ROW_OF_COORDINATE,
    SET_FRICTION,
    SET_LOWER,
    SET_SIZES,
    SET_UPPER,
    SIZE,
    SPEED,
    START,
    TABLE_INTEGERS,
    TABLE_NUMBERS,
    TREE_OF_BODY,
    WAY_FIRST,
    WAY_FREEDOM,
    WAY_LINK,
    WAY_ROW,
    count,
    index_piece,
    index_table,
    number,
    piece,
)
from pluecker.contact.found.shapes import point_column
from pluecker.contact.friction.dense.contact_law import NormalLaw, coefficient_in_force, normal_law, surface_rates
from pluecker.contact.geometry.finding.table import (
    BODIES,
    DAMPING,
    FRICTION,
    GAPS,
    KINETIC_FRICTION,
    NORMAL,
    POINT,
    RESTITUTION,
    STIFFNESS,
    SURFACE_VELOCITY,
)
from pluecker.contact.rows.layout import (
    FIRST_SEGMENT,
    SEGMENT_COUNT,
    SEGMENT_LENGTH,
    SEGMENT_VALUE,
    TREE,
    column,
    contact_count,
    linear_count,
    row_entry,
    segment,
    staircase_count,
)
from pluecker.contact.rows.mobility import FREE as HOLDS_NOTHING
from pluecker.contact.rows.ranges.in_steps import LAW as LAW_NUMBERS
from pluecker.contact.rows.ranges.in_steps import STAIRCASE_STEPS
from pluecker.contact.rows.ranges.returned_impulses import HIT
from pluecker.contact.rows.ranges.returned_impulses import LEAST as LEAST_OF_NORMAL
from pluecker.contact.rows.touching import tangents
from pluecker.spatial.algebra.vectors import dot3, load3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import tail

__all__ = [
    "REACH_OF_LIMITS",
    "Extent",
    "Problem",
    "frame_of",
    "problem_in",
    "rate",
    "store_constraints",
    "store_contacts",
    "store_offsets",
    "three_rates",
]

CONE = 3  # rows of a contact of constraints
REACH_OF_LIMITS = 10.0  # times the largest velocity: limits that are farther away are hardly reached


class Problem(NamedTuple):
    """The problem of a step, views of its pieces; blocks as of
    :class:`~pluecker.contact.friction.sparse.blocks.BlockMatrix`, sets as of
    :class:`~pluecker.contact.friction.problem.sets.Sets`.

    Attributes:
        rows: the first row of each block row, and their number at the end.
        first: where the blocks of each block row begin, and their number at the end.
        column, place: of each block its tree, and where its numbers begin in ``data``.
        low, high: of each block the first column that has any, and behind the last.
        data: the numbers of the blocks.
        sizes, friction, lower, upper: the set of each block row.
        speed: of each row before the step, with what surfaces move.
        moved: what surfaces move.
        least: what is asked of each row.
        offset: velocities without impulses, less what is asked.
        compliance: of each row.
        r: impulses.
        owner: of each row, the row of constraints that it belongs to.
    """

    rows: Array
    first: Array
    column: Array
    place: Array
    low: Array
    high: Array
    data: Array
    sizes: Array
    friction: Array
    lower: Array
    upper: Array
    speed: Array
    moved: Array
    least: Array
    offset: Array
    compliance: Array
    r: Array
    owner: Array


class Extent(NamedTuple):
    """Extent of a problem, as far as it is assembled: block rows, rows, blocks, numbers of blocks."""

    groups: int
    rows: int
    blocks: int
    numbers: int


@kernel
def problem_in(s, ws):
    """View the problem in the workspace"""
    return Problem(
        index_piece(s, ws, BLOCK_ROWS), index_piece(s, ws, BLOCK_FIRST), index_piece(s, ws, BLOCK_COLUMN),
        index_piece(s, ws, BLOCK_PLACE), index_piece(s, ws, BLOCK_LOW), index_piece(s, ws, BLOCK_HIGH),
        piece(s, ws, BLOCK_DATA), index_piece(s, ws, SET_SIZES),
        piece(s, ws, SET_FRICTION), piece(s, ws, SET_LOWER), piece(s, ws, SET_UPPER), piece(s, ws, SPEED),
        piece(s, ws, MOVED), piece(s, ws, LEAST), piece(s, ws, OFFSET), piece(s, ws, COMPLIANCE), piece(s, ws, IMPULSES),
        index_piece(s, ws, OWNER),
    )  # fmt: skip


@kernel
def frame_of(numbers, K, k):
    """Return the normal and the tangents of contact k of a table of K"""
    n = load3(numbers, NORMAL * K + 3 * k)
    t1, t2 = tangents(n)
    return n, t1, t2


@kernel
def begin_block(P, e, p, tree, width, height):
    """Begin block e at number p, with zeros; return where it ends. Beyond the room there is, nothing is written"""
    end = p + width * height
    if end <= len(P.data):
        P.column[e], P.place[e], P.low[e], P.high[e] = tree, p, width, 0
        for k in range(p, end):
            P.data[k] = 0.0
    return end


@kernel
def note_column(P, e, c):
    """Note that block e has numbers in a column"""
    P.low[e], P.high[e] = min(P.low[e], c), max(P.high[e], c + 1)


# -------------------------------------------------------------------------------------------------- contacts that were found


@called_kernel
def store_contacts(s, ws, K):
    """Store J of K contacts, and their sets but friction; return the extent"""
    P, size = problem_in(s, ws), count(s, SIZE)
    bodies, numbers = tail(index_piece(s, ws, TABLE_INTEGERS), 1 + BODIES * K), piece(s, ws, TABLE_NUMBERS)
    trees, start = index_table(s, TREE_OF_BODY), index_table(s, START)
    e = p = 0
    for k in range(K):
        P.rows[k], P.first[k], P.lower[k], P.upper[k] = size * k, e, 0.0, inf
        P.sizes[3 * k], P.sizes[3 * k + 1], P.sizes[3 * k + 2] = 2, 2 if size > 3 else 0, 1 if size > 5 else 0
        i, j = bodies[2 * k], bodies[2 * k + 1]
        one, two = trees[i] if i >= 0 else -1, trees[j] if j >= 0 else -1
        n, t1, t2 = frame_of(numbers, K, k)
        frame, x = (n, t1, t2), load3(numbers, POINT * K + 3 * k)
        low, high = min(one, two), max(one, two)
        for side in range(2):
            t = low if side == 0 else high
            if t >= 0 and (side == 0 or t != low):
                end = begin_block(P, e, p, t, start[t + 1] - start[t], size)
                if end <= len(P.data):
                    if t == one:
                        add_body(s, ws, P, e, frame, x, i, -1.0)
                    if t == two:
                        add_body(s, ws, P, e, frame, x, j, 1.0)
                e, p = e + 1, end
    P.rows[K], P.first[K] = size * K, e
    return Extent(K, size * K, e, p)


@called_kernel
def add_body(s, ws, P, block, frame, x, body, sign):
    """Add to a block how a body's freedoms move the point x along and about the axes of a frame"""
    X, C, (n, t1, t2), size = piece(s, ws, LINKS), piece(s, ws, COLUMNS), frame, count(s, SIZE)
    first, freedom, start = index_table(s, WAY_FIRST), index_table(s, WAY_FREEDOM), index_table(s, START)
    link, row, p, low, high = (
        index_table(s, WAY_LINK),
        index_table(s, WAY_ROW),
        P.place[block],
        P.low[block],
        P.high[block],
    )
    left = start[P.column[block]]
    width = start[P.column[block] + 1] - left
    for e in range(first[body], first[body + 1]):
        low, high = min(low, row[e] - left), max(high, row[e] - left + 1)
        w0, w1, w2, v0, v1, v2 = point_column(X, C, freedom[e], link[e], x)
        v, w, at = (sign * v0, sign * v1, sign * v2), (sign * w0, sign * w1, sign * w2), p + row[e] - left
        P.data[at] += dot3(n, v)
        P.data[at + width] += dot3(t1, v)
        P.data[at + 2 * width] += dot3(t2, v)
        if size > 3:
            P.data[at + 3 * width] += dot3(t1, w)
            P.data[at + 4 * width] += dot3(t2, w)
        if size > 5:
            P.data[at + 5 * width] += dot3(n, w)
    P.low[block], P.high[block] = low, high


# ---------------------------------------------------------------------------------------------------- rows of constraints


@kernel
def begin_row(P, x, lower, upper, sizes):
    """Begin a block row with this set"""
    g = x.groups
    P.rows[g], P.first[g], P.lower[g], P.upper[g], P.sizes[3 * g], P.sizes[3 * g + 1], P.sizes[3 * g + 2] = (
        x.rows, x.blocks, lower, upper, sizes, 0, 0,
    )  # fmt: skip
    P.friction[3 * g], P.friction[3 * g + 1], P.friction[3 * g + 2] = 0.0, 0.0, 0.0


@called_kernel
def add_row_blocks(s, w, P, J, x, k, height):
    """Add the blocks of ``height`` rows of constraints from row k on; return the extent"""
    start, row = index_table(s, START), index_table(s, ROW_OF_COORDINATE)
    e, p = x.blocks, x.numbers
    for a in range(height):
        first = row_entry(w, k + a, FIRST_SEGMENT)
        for i in range(first, first + row_entry(w, k + a, SEGMENT_COUNT)):
            t = segment(w, i, TREE)
            width, block = start[t + 1] - start[t], -1
            for b in range(x.blocks, e):
                if P.column[b] == t:
                    block = b
            if block < 0:
                block, p = e, begin_block(P, e, p, t, width, height)
                e += 1
            if p <= len(P.data):
                value = segment(w, i, SEGMENT_VALUE)
                for j in range(value, value + segment(w, i, SEGMENT_LENGTH)):
                    c = row[column(w, j)] - start[t]
                    P.data[P.place[block] + a * width + c] = J[j]
                    note_column(P, block, c)
        P.owner[x.rows + a] = k + a
    return Extent(x.groups + 1, x.rows + height, e, p)


@called_kernel
def store_constraints(w, s, ws, x, rows, impulses):
    """Add the rows of constraints to a problem; return its extent, and whether a contact among them is hit

    ``rows``: J, compliances, velocities that are asked for and laws, :mod:`~pluecker.contact.found.smooth`; ``impulses``:
    of the step before, along the rows of constraints.
    """
    P, n, plain, hit = problem_in(s, ws), linear_count(w), staircase_count(w), False
    J, compliance, asked, laws, soft = rows.J, rows.compliance, rows.asked, rows.laws, rows.softness
    for k in range(n):
        if compliance[k] < HOLDS_NOTHING:
            begin_row(P, x, -inf, inf, 0)
            P.least[x.rows], P.compliance[x.rows], P.r[x.rows] = asked[k], compliance[k], impulses[k]
            x = add_row_blocks(s, w, P, J, x, k, 1)
    for k in range(plain):
        for i in range(STAIRCASE_STEPS):
            level = laws[LAW_NUMBERS * k + 2 * i], laws[LAW_NUMBERS * k + 2 * i + 2]
            if level[0] > level[1]:
                half = 0.5 * (level[0] - level[1])
                above, below = level[0] == inf, level[1] == -inf
                lower = -inf if below else 0.0 if above else -half
                upper = inf if above else 0.0 if below else half
                begin_row(P, x, lower, upper, 0)
                P.least[x.rows], P.compliance[x.rows] = -laws[LAW_NUMBERS * k + 2 * i + 1], soft[k]
                P.r[x.rows] = 0.0
                x = add_row_blocks(s, w, P, J, x, n + k, 1)
    for c in range(contact_count(w)):
        k, g = plain + 3 * c, x.groups
        begin_row(P, x, 0.0, inf, 2)
        P.friction[3 * g] = laws[LAW_NUMBERS * k] if count(s, LAW) != FRICTIONLESS else 0.0
        for a in range(CONE):
            P.least[x.rows + a] = laws[LAW_NUMBERS * k + LEAST_OF_NORMAL] if a == 0 else 0.0
            P.compliance[x.rows + a], P.r[x.rows + a] = soft[k + a], 0.0
        hit = hit or laws[LAW_NUMBERS * k + HIT] > 0.0
        x = add_row_blocks(s, w, P, J, x, n + k, CONE)
    P.rows[x.groups], P.first[x.groups] = x.rows, x.blocks
    return x, hit


# ---------------------------------------------------------------------------------------------------------- what is asked


@kernel
def rate(P, start, g, a, v):
    """Compute what row a of block row g does with the velocity v, row by row"""
    total = 0.0
    for e in range(P.first[g], P.first[g + 1]):
        left, width = start[P.column[e]], start[P.column[e] + 1] - start[P.column[e]]
        at = P.place[e] + a * width
        for c in range(P.low[e], P.high[e]):
            total += P.data[at + c] * v[left + c]
    return total


@kernel
def two_rates(P, start, g, a, v, w):
    """Compute what row a of block row g does with the velocities v and w"""
    first = second = 0.0
    for e in range(P.first[g], P.first[g + 1]):
        left, width = start[P.column[e]], start[P.column[e] + 1] - start[P.column[e]]
        at = P.place[e] + a * width
        for c in range(P.low[e], P.high[e]):
            x = P.data[at + c]
            first, second = first + x * v[left + c], second + x * w[left + c]
    return first, second


@kernel
def three_rates(P, start, g, v):
    """Compute what the three rows of block row g do with the velocity v"""
    x = y = z = 0.0
    for e in range(P.first[g], P.first[g + 1]):
        left, width = start[P.column[e]], start[P.column[e] + 1] - start[P.column[e]]
        at = P.place[e]
        for c in range(P.low[e], P.high[e]):
            u, p = v[left + c], at + c
            x, y, z = x + P.data[p] * u, y + P.data[p + width] * u, z + P.data[p + 2 * width] * u
    return x, y, z


@kernel
def store_three_rates(P, start, g, before, free):
    """Store how fast the three rows of block row g are with the velocities before the step, and without impulses"""
    x = y = z = a = b = c = 0.0
    for e in range(P.first[g], P.first[g + 1]):
        left, width = start[P.column[e]], start[P.column[e] + 1] - start[P.column[e]]
        at = P.place[e]
        for k in range(P.low[e], P.high[e]):
            p, u, v = at + k, before[left + k], free[left + k]
            f, s, t = P.data[p], P.data[p + width], P.data[p + 2 * width]
            x, y, z = x + f * u, y + s * u, z + t * u
            a, b, c = a + f * v, b + s * v, c + t * v
    i = P.rows[g]
    P.speed[i], P.speed[i + 1], P.speed[i + 2] = x, y, z
    P.offset[i], P.offset[i + 1], P.offset[i + 2] = a, b, c


@called_kernel
def store_offsets(s, ws, h, K, x):
    """Store of all rows how fast they are, and what is asked of them

    Returns whether a contact is hit by Poisson's law, the largest velocity (infinite where one is not finite), and the
    fastest parting that is asked for. Impulses are those of the step before, from which the search begins.
    """
    P, start, before, free = problem_in(s, ws), index_table(s, START), piece(s, ws, BEFORE), piece(s, ws, FREE)
    poisson, hit, fastest, parting = count(s, POISSON) != 0, False, 0.0, 0.0
    for g in range(x.groups):
        i, height = P.rows[g], P.rows[g + 1] - P.rows[g]
        for a in range(height):
            P.moved[i + a] = 0.0
        if height == 3:
            store_three_rates(P, start, g, before, free)
            continue
        for a in range(height):
            P.speed[i + a], P.offset[i + a] = two_rates(P, start, g, a, before, free)
    for k in range(K):
        hit = store_contact_law(s, ws, P, h, K, k, poisson) or hit
        parting = max(parting, P.least[P.rows[k]])
    total = 0.0
    for i in range(x.rows):
        here = max(abs(P.speed[i]), abs(P.offset[i]))
        fastest, total = max(fastest, here), total + here
        P.offset[i] -= P.least[i]
    begin_far_limits(P, x, fastest)
    return hit, fastest if total < inf else inf, parting


@called_kernel
def begin_far_limits(P, x, fastest):
    """Let limits that are far out of reach begin without an impulse: errors are shares of the largest offset, if they act"""
    for g in range(x.groups):
        i = P.rows[g]
        one_sided = P.sizes[3 * g] == 0 and (P.lower[g] == 0.0 or P.upper[g] == 0.0)
        if one_sided and abs(P.offset[i]) > REACH_OF_LIMITS * fastest:
            P.r[i] = 0.0


@called_kernel
def store_contact_law(s, ws, P, h, K, k, poisson):
    """Store what is asked of contact k, and its friction; return whether it is hit"""
    numbers, size = piece(s, ws, TABLE_NUMBERS), count(s, SIZE)
    top, surface = size * k, load3(numbers, SURFACE_VELOCITY * K + 3 * k)
    for a in range(size):
        P.least[top + a] = P.compliance[top + a] = 0.0
    if surface != (0.0, 0.0, 0.0):
        _, t1, t2 = frame_of(numbers, K, k)
        x, y = surface_rates(t1, t2, surface)
        P.moved[top + 1], P.moved[top + 2] = x, y
        P.speed[top + 1], P.speed[top + 2] = P.speed[top + 1] + x, P.speed[top + 2] + y
        P.offset[top + 1], P.offset[top + 2] = P.offset[top + 1] + x, P.offset[top + 2] + y
    restitution = numbers[RESTITUTION * K + k]
    newton, returned = (0.0, restitution) if poisson else (restitution, 0.0)
    stiffness, damping = numbers[STIFFNESS * K + k], numbers[DAMPING * K + k]
    law = NormalLaw(newton, returned, stiffness, damping, number(s, RECOVERY), number(s, RECOVERY_SPEED))
    compliance, least, hit = normal_law(h, numbers[GAPS * K + k], P.speed[top], P.offset[top], law)
    P.compliance[top], P.least[top] = compliance, least
    friction, kinetic = load3(numbers, FRICTION * K + 3 * k), numbers[KINETIC_FRICTION * K + k]
    r, slip = (P.r[top], P.r[top + 1], P.r[top + 2]), (P.speed[top + 1], P.speed[top + 2])
    mu = coefficient_in_force(friction[0], kinetic, r, slip)
    frictionless = count(s, LAW) == FRICTIONLESS
    for a in range(3):
        there = not frictionless and P.sizes[3 * k + a] > 0
        P.friction[3 * k + a] = (mu if a == 0 else friction[a]) if there else 0.0
    return hit > 0.5
