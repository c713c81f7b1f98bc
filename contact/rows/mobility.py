"""Linear rows of a world solved together: S = J A^-1 J^T + compliance, its factor, and forces that hold rows.

S has an entry for two rows only where they act on the same tree. Its factor ``S = L D L^T`` fills what the order of
elimination makes it fill; which entries that are is found once, when the world is made. Chains of bodies in maximal
coordinates, and loops between trees, take time in proportion to their length.

**Redundant rows.** S is singular where rows say the same twice. So ``epsilon N_kk`` is added to each diagonal entry N_kk of
S, and the forces are refined: with the velocities u that are left,

    r <- r - (S + epsilon N)^-1 u,    x <- x + A^-1 J^T dr

This converges to the forces nearest to the start in ``sum N_kk r_k^2``; from zero to the smallest. A velocity that no forces
can take away stays: such rows contradict each other. Divided by epsilon it leaves forces in r that move nothing;
:func:`take_least_norm` takes these from r.

Sources: Bertsekas, *Constrained optimization and Lagrange multiplier methods* (1982), for the proximal iteration;
Carpentier, Budhiraja, Mansard (2021) for it in constrained dynamics; Davis, *Direct methods for sparse linear systems*
(2006), chapter 4, for the factor row by row.
"""

from typing import NamedTuple

from pluecker.articulated.algorithms.inertia.inertia_sweeps import solve_by_sweeps
from pluecker.articulated.algorithms.inertia.ltdl import solve_ltdl
from pluecker.articulated.model.layout import (
    FIRST_ROW,
    clear,
    row_coordinate,
    solved_by_sweeps,
    tree_count,
    tree_entry,
    velocity_count,
)
from pluecker.articulated.model.layout import ROW_COUNT as TREE_ROWS
from pluecker.articulated.running.arguments import Array
from pluecker.contact.rows.jacobian import add_row_force, row_rate
from pluecker.contact.rows.layout import (
    FIRST_PAIR,
    FIRST_SEGMENT,
    HELD,
    LAW,
    PAIR_COUNT,
    PAIR_PLACE,
    PAIR_SEGMENT,
    SEGMENT_COUNT,
    SEGMENT_LENGTH,
    SEGMENT_VALUE,
    TREE,
    column,
    column_and_place,
    factor_column,
    factor_count,
    factor_row,
    linear_count,
    pair,
    row_entry,
    row_of_factor,
    segment,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, select, smaller, store, tail, within

__all__ = [
    "EPSILON", "FREE", "REDUNDANT", "REFINEMENTS", "Mobility", "dependent_rows", "factorize_mobility", "hold_rows",
    "mobility_numbers", "refine_rows", "residual", "row_sizes", "take_least_norm",
]  # fmt: skip

EPSILON = 1e-9  # of a diagonal entry of S, added to it: beyond its rounding, and small beside what rows determine
REFINEMENTS = 8  # at most
ROUNDING = 1e-28  # of the residual that was there, squared as it is: nothing is left to do
NEARER = 1e-2  # of the residual before: it still falls
TINY = 1e-307  # near the smallest normal number: the least mobility of a row that moves anything
REDUNDANT = 1e-4  # of a diagonal entry of S, a pivot: below it a row may say what others say already
POWERS = 4  # of epsilon / (s + epsilon): 1e-8 of what has s of a hundred epsilon
ROUNDS = 2  # each leaves 1e-7 of what moves nothing: the rounding of a pivot of epsilon
FREE = 1e200  # the compliance of a row that holds nothing: its force is given, or there is none


class Mobility(NamedTuple):
    """How coordinates and linear rows answer impulses: views of scalar arrays.

    Attributes:
        factor: of A, as :mod:`~pluecker.articulated.algorithms.inertia.inertia_factor` has it.
        J: the values of all rows.
        S: the factor of the linear rows, :func:`mobility_numbers` long.
        compliance: of the linear rows.
    """

    factor: Array
    J: Array
    S: Array
    compliance: Array


@kernel
def mobility_numbers(w):
    """Compute how many numbers the factor has: its diagonal, the diagonal of S, the entries of L"""
    return 2 * linear_count(w) + factor_count(w)


@kernel
def clear_tree(m, t, x):
    """Set x = 0 in the coordinates of tree ``t``"""
    first = tree_entry(m, t, FIRST_ROW)
    for k in range(first, first + tree_entry(m, t, TREE_ROWS)):
        store(x, row_coordinate(m, k), 0.0)


@called_kernel
def solve_tree(m, t, factor, x, ws):
    """Solve A x = b in the coordinates of tree ``t``, with b in x"""
    if solved_by_sweeps(m, t):
        solve_by_sweeps(m, t, factor, x, ws)
    else:
        solve_ltdl(m, t, factor, x)


@kernel
def store_mobility(m, w, mobility, ws):
    """Store S, its diagonal twice, in the places of its factor: S_ij = sum over trees of J_i A^-1 J_j^T

    ``ws``: 7 nv numbers.
    """
    factor, J, S, compliance = mobility
    n, y, rest = linear_count(w), part(ws, 0, velocity_count(m)), tail(ws, velocity_count(m))
    for k in range(2 * n + factor_count(w)):
        store(S, k, 0.0 * load(J, 0))
    for j in range(n):
        first = row_entry(w, j, FIRST_SEGMENT)
        for s in range(first, first + row_entry(w, j, SEGMENT_COUNT)):
            t, v = segment(w, s, TREE), segment(w, s, SEGMENT_VALUE)
            clear_tree(m, t, y)
            for k in range(v, v + segment(w, s, SEGMENT_LENGTH)):
                store(y, column(w, k), load(J, k))
            solve_tree(m, t, factor, y, rest)
            p = segment(w, s, FIRST_PAIR)
            for a in range(p, p + segment(w, s, PAIR_COUNT)):
                accumulate(S, pair(w, a, PAIR_PLACE), segment_product(w, pair(w, a, PAIR_SEGMENT), J, y))
        accumulate(S, j, load(compliance, j))
    for k in range(n):
        store(S, n + k, load(S, k))


@kernel
def segment_product(w, s, J, y):
    """Compute J_i y over the coordinates of one segment"""
    v = segment(w, s, SEGMENT_VALUE)
    x = load(J, v) * load(y, column(w, v))
    for k in range(v + 1, v + segment(w, s, SEGMENT_LENGTH)):
        x = x + load(J, k) * load(y, column(w, k))
    return x


@kernel
def factorize_rows(w, S, y):
    """Factorize S + epsilon N = L D L^T in place, row by row; 1 / D on the diagonal; ``y`` is scratch memory of n numbers

    Row k: from L y = S_k with the rows before it, l_ki = y_i / D_i and D_k = S_kk - sum l_ki y_i.
    """
    n = linear_count(w)
    L = tail(S, 2 * n)
    for k in range(n):
        first, last = row_of_factor(w, k), row_of_factor(w, k + 1)
        for e in range(first, last):
            i, p = column_and_place(w, e)
            store(y, i, load(L, p))
        size = load(S, n + k)
        d = size + EPSILON * size
        for e in range(first, last):
            i, p = column_and_place(w, e)
            yi = load(y, i)
            for a in range(factor_column(w, i), p):
                accumulate(y, factor_row(w, a), -load(L, a) * yi)
            l = yi * load(S, i)
            store(L, p, l)
            d = d - l * yi
        least = 0.5 * EPSILON * size + TINY
        store(S, k, select(smaller(TINY, size), 1.0 / select(smaller(least, d), d, least), 0.0 * d))


@called_kernel
def factorize_mobility(m, w, mobility, ws):
    """Compute S of linear rows and its factor, from the factor of A; ``ws``: 7 nv numbers, and one for each linear row"""
    store_mobility(m, w, mobility, ws)
    factorize_rows(w, mobility.S, ws)


@kernel
def solve_rows(w, S, x):
    """Solve (S + epsilon N) x = b, with ``b`` in ``x``"""
    n = linear_count(w)
    L = tail(S, 2 * n)
    for k in range(n):
        xk = load(x, k)
        for a in range(factor_column(w, k), factor_column(w, k + 1)):
            accumulate(x, factor_row(w, a), -load(L, a) * xk)
    for k in range(n - 1, -1, -1):
        xk = load(S, k) * load(x, k)
        for a in range(factor_column(w, k), factor_column(w, k + 1)):
            xk = xk - load(L, a) * load(x, factor_row(w, a))
        store(x, k, xk)


@called_kernel
def refine_rows(m, w, mobility, u, r, x, ws):
    """Refine r <- r - (S + epsilon N)^-1 u, x <- x + A^-1 J^T dr, with the residual in ``u``, which is spent

    ``ws``: 7 nv numbers.
    """
    n, nv = linear_count(w), velocity_count(m)
    if n == 0:
        return
    y, rest = part(ws, 0, nv), tail(ws, nv)
    solve_rows(w, mobility.S, u)
    clear(y, nv)
    for k in range(n):
        accumulate(r, k, -load(u, k))
        add_row_force(w, mobility.J, k, -load(u, k), y)
    for t in range(tree_count(m)):
        solve_tree(m, t, mobility.factor, y, rest)
    for k in range(nv):
        accumulate(x, k, load(y, k))


@called_kernel
def hold_rows(m, w, mobility, target, r, x, ws):
    """Find forces r on linear rows with ``J x + compliance r = target``, and x with them; return the largest residual

    Both are given a start. The residual is squared, ``u_k^2 / N_kk``: twice an energy. It is refined until it is rounding,
    or comes no nearer; of eight states each for itself. ``ws``: n + 7 nv numbers.
    """
    n = linear_count(w)
    u, rest = part(ws, 0, n), tail(ws, n)
    left = residual(w, mobility, target, r, x, u)
    goal, goes_on = ROUNDING * left, 1.0 + 0.0 * left
    for _ in range(REFINEMENTS):
        refine_rows(m, w, mobility, u, r, x, rest)
        before = left
        left = residual(w, mobility, target, r, x, u)
        zero = 0.0 * left
        nearer = select(smaller(left, NEARER * before), goes_on, zero)
        goes_on = select(smaller(goal, left), nearer, zero)
        if within(goes_on, 0.5):
            break
        for k in range(n):
            store(u, k, select(smaller(0.5, goes_on), load(u, k), zero))
    return left


@kernel
def redundancy(w, S):
    """Return 1 in states in which some row says what others say already, else 0"""
    n = linear_count(w)
    found = 0.0 * load(S, 0)
    for k in range(n):
        size = load(S, n + k)
        found = select(smaller(1.0, REDUNDANT * size * load(S, k)), 1.0 + 0.0 * size, found)
    return found


@kernel
def row_sizes(w, S):
    """Return a view of N_kk of all rows"""
    return part(S, linear_count(w), linear_count(w))


@called_kernel
def dependent_rows(w, S, sizes):
    """Count the rows that say nearly what those before them say, or next to nothing, beside the N_kk in ``sizes``

    Rows that hold: a rotor resists beside others that turn nearly as it does, and says no less for it.
    """
    count = 0.0 * load(S, 0)
    for k in range(linear_count(w)):
        if row_entry(w, k, LAW) != HELD:
            continue
        inverse, size = load(S, k), load(sizes, k)  # without a pivot that is its inverse, N_kk is zero
        little = select(smaller(1.0, REDUNDANT * size * inverse), 1.0 + 0.0 * size, 0.0 * size)
        none = select(smaller(TINY, size), 1.0 + 0.0 * size, 0.0 * size)
        count = count + select(smaller(0.0, inverse), little, none)
    return count


@called_kernel
def take_least_norm(w, S, r, y):
    """Subtract from r the forces in it that move nothing; ``y`` is scratch memory of n numbers

    ``P = epsilon (S + epsilon N)^-1 N`` keeps what S takes to zero, and leaves epsilon / (s + epsilon) of what it takes to
    s N: r <- r - P^4 r, twice. Nothing is done where no row is redundant.
    """
    n = linear_count(w)
    if n == 0:
        return
    found = redundancy(w, S)
    if within(found, 0.5):
        return
    for _ in range(ROUNDS):
        for k in range(n):
            store(y, k, load(r, k))
        for _ in range(POWERS):
            for k in range(n):
                store(y, k, EPSILON * load(S, n + k) * load(y, k))
            solve_rows(w, S, y)
        for k in range(n):
            accumulate(r, k, -select(smaller(0.5, found), load(y, k), 0.0 * found))


@called_kernel
def residual(w, mobility, target, r, x, u):
    """Store u = J x + compliance r - target of the linear rows; return the largest square, each divided by its N_kk"""
    n = linear_count(w)
    largest = 0.0 * load(x, 0)
    for k in range(n):
        uk = row_rate(w, mobility.J, k, x) + load(mobility.compliance, k) * load(r, k) - load(target, k)
        store(u, k, uk)
        size = load(mobility.S, n + k)
        square = select(smaller(TINY, size), uk * uk / (size + TINY), 0.0 * uk)
        largest = select(smaller(largest, square), square, largest) + 0.0 * square
    return largest
