"""The law of one row that limits, dry friction and a motor make together, a staircase; and sizes of numbers, on scalars.

A *staircase*: the multiplier falls from level to level as the velocity rises,

    r in [l_k, l_(k-1)] at the velocity -p_k,  k = 1 .. K,  and on the levels l_0 >= ... >= l_K between, p_1 >= ... >= p_K

of which one step at p = 0 is a row with bounds: ``l_0`` the upper and ``l_1`` the lower one. Both may be infinite. The law
has no unit of its own; the proximal ``rho`` is in the units of the matrix.

A *limit*: the least velocity away from it at the end of a step, of a hard one and of a spring with a damper; joints and
contacts have the same.

Vectors of an iteration, on scalars: which of two is better, and the best so far.

Small problems of rows alone, dense, on scalars: multipliers r with u = W r + b, each on the staircase of its row.

W is symmetric and positive definite, row by row in a scalar array of n^2 entries. The law of a row is a staircase
(:mod:`~pluecker.spatial.dense.laws`), all of as many steps; then r is the minimum of a strictly convex function, and there
is one. Problems with contacts, or with redundant rows, are those of :mod:`~pluecker.contact.friction.dense.cone_problem`,
which knows the same laws; without its methods for cones this compiles in a small part of the time.

Newton's method on the sets (a row stands on a step, or it has the multiplier of a level) ends in a few steps, with
multipliers to rounding, once the sets are nearly right, as they are at the start where that is the solution of the step
before. If it has not ended, sweeps over the rows, each solved alone, go on from where they were, or from what Newton's
method left if that is better, twice as many each time: they come nearer with each sweep.

The error is without units: with ``y_i`` the multiplier that row i had if it were solved alone, the largest
``sqrt(W_ii) |r_i - y_i|``, the root of an energy, as a share of the largest ``sqrt(W_ii) |r_i|``. So it compares with the
largest multiplier, and a row that is idle counts for nothing. Rows that say the same, on sets that contradict each other,
have multipliers without bound, beside which all errors would be small: beyond 1e8 times the largest multiplier of a row
alone, with b, nothing is solved. The best multipliers are kept for each state, and those of a
state do not change any more when it has what was asked for: a lane does not depend on its neighbours.

Sources: Newton's method on sets, Hintermueller, Ito, Kunisch, "The primal-dual active set strategy as a semismooth Newton
method" (2003); sweeps, projected Gauss-Seidel, Murty, *Linear Complementarity, Linear and Nonlinear Programming* (1988),
chapter 9; limits, Stewart, Trinkle (1996), Moreau (1999), and Catto, "Soft constraints" (2011).
"""

from pluecker.spatial.dense.ldl import factorize_ldl, solve_ldl
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import (
    accumulate,
    lift,
    load,
    part,
    select,
    smaller,
    sqrt,
    store,
    within,
)

__all__ = [
    "better",
    "copy_vector",
    "copy_where",
    "keep",
    "larger",
    "limit_velocity",
    "reached",
    "size_of",
    "soft_compliance",
    "soft_velocity",
    "solve_staircase_problem",
    "staircase_memory",
    "staircase_response",
    "worse",
]

TINY = 1e-300  # divided by in place of zero: what is multiplied by the quotient is zero


@kernel
def larger(x, y):
    """The larger of two scalars"""
    return select(smaller(x, y), y, x)


@kernel
def worse(x, y):
    """The larger of two errors; NaN where one of them is, or y is infinite"""
    return larger(x, y) + 0.0 * y


@kernel
def size_of(a, b):
    """(a^2 + b^2)^(1/2), never zero"""
    return sqrt(a * a + b * b + TINY)


@kernel
def limit_velocity(h, gap, approach, free, e):
    """Compute the least velocity away from a hard limit at the end of the step: -gap / h, or the rebound

    ``approach`` and ``free`` are velocities towards the limit, before the step and at its end without the row. What gains
    in a step more than the velocity that it had rests on the limit, or nearly so, and does not come back.
    """
    zero = 0.0 * gap
    least = select(smaller(zero, gap), -gap / h, zero)
    back = select(smaller(free - approach, approach), e * approach, zero)
    hits = smaller(-least, free)
    return select(smaller(zero, select(hits, back, zero)), back, least)


@kernel
def soft_compliance(h, k, d):
    """Compute the compliance of a soft limit, a spring and a damper at the end of the step, m/s per N s"""
    return 1.0 / (h * (h * k + d))


@kernel
def soft_velocity(h, gap, k, d):
    """The velocity away from a soft limit at which it has no force: the step ends at it, or the damper equals the spring"""
    return select(smaller(0.0, gap), -gap / h, -k / (h * k + d) * gap)


@kernel
def staircase_response(law, k, steps, w, q):
    """r of one row with w r + q = u; the slope of a step (1) or of a level (0); see the head of this file for ``law``

    l_0; p_1, l_1; p_2, l_2; ... from entry ``k``. Of the line and the staircase, one falling and the other rising, the one
    point that they have in common. NaN where q is not finite: no level is an answer to that.
    """
    r = load(law, k) + 0.0 * q
    slope = 0.0 * q
    for j in range(steps):
        x, level = (-load(law, k + 1 + 2 * j) - q) / w, load(law, k + 2 + 2 * j)
        slope = select(smaller(x, r), 1.0 + 0.0 * q, slope)
        r = select(smaller(x, r), x, r)
        slope = select(smaller(r, level), 0.0 * q, slope)
        r = select(smaller(r, level), level, r)
    return r, slope


# ------------------------------------------ vectors of an iteration, on scalars: which of two is better, and the best so far


@kernel
def copy_where(n, condition, x, y):
    """y = x where the condition holds"""
    for k in range(n):
        store(y, k, select(condition, load(x, k), load(y, k)))


@kernel
def better(goal, least, e):
    """Return whether error e is smaller than ``least``, the smallest so far; false where that is NaN or within ``goal``"""
    return smaller(e, select(smaller(goal, least), least, lift(-1.0, goal)))


@kernel
def reached(goal, least):
    """Return whether no state is to go on: each has an error within ``goal``, or one that is NaN from the start on"""
    return within(select(smaller(goal, least), lift(1.0, goal), lift(0.0, goal)), 0.0)


@kernel
def copy_vector(n, x, y):
    """y = x"""
    for k in range(n):
        store(y, k, load(x, k))


@called_kernel
def keep(n, goal, e, x, least, best):
    """Return the smaller error of ``least`` and e, where the first is not enough, and copy its multipliers to ``best``"""
    condition = better(goal, least, e)
    copy_where(n, condition, x, best)
    return select(condition, e, least)


# small problems of rows alone, dense, on scalars: multipliers r with u = W r + b, each on the staircase of its row


TURNS = 8  # of Newton's method and of sweeps: 4 sweeps after the first, 1,020 in all
NEWTON_STEPS = 8
FIRST_SWEEPS = 4
BEYOND = 1e16  # squared, of what rows alone have: bodies on one another with masses of 1 to 1e8 have as much
WITHOUT_BOUND = 1e30  # the error of such
MUCH_BETTER = 0.1  # an error beside which what Newton's method left is where sweeps go on: they may be on their way


@kernel
def staircase_memory(n):
    """Return how many scalars of work :func:`solve_staircase_problem` takes"""
    return n * n + 6 * n


@called_kernel
def row_velocities(W, b, n, r, u):
    """u = W r + b"""
    for i in range(n):
        y = load(b, i)
        for j in range(n):
            y = y + load(W, i * n + j) * load(r, j)
        store(u, i, y)


@called_kernel
def largest_alone(W, b, laws, steps, n):
    """The largest ``W_ii r_i^2`` of rows that are solved alone, with b"""
    size = 0.0 * load(b, 0)
    for i in range(n):
        w = load(W, i * n + i)
        y, _ = staircase_response(laws, (2 * steps + 1) * i, steps, w, load(b, i))
        size = worse(size, w * y * y)
    return size


@called_kernel
def respond(W, laws, steps, n, most, r, u, y, slopes):
    """Each row solved alone: its multiplier, and whether it stands on a step (1) or a level (0); the error

    Where no row is far from its answer, and all are zero, the error is zero.
    """
    e = 0.0 * load(r, 0)
    size = e
    for i in range(n):
        w, x = load(W, i * n + i), load(r, i)
        yi, slope = staircase_response(laws, (2 * steps + 1) * i, steps, w, load(u, i) - w * x)
        store(y, i, yi)
        store(slopes, i, slope)
        square = w * (x - yi) * (x - yi)
        e = worse(e, square)
        size = larger(size, larger(w * x * x, w * yi * yi))
    one = 1.0 + 0.0 * e
    share = sqrt(e / select(smaller(0.0, size), size, one))
    return select(smaller(most, size), larger(share, WITHOUT_BOUND * one), share)


@called_kernel
def newton_step(W, n, r, y, slopes, M, d):
    """The multipliers with which rows on steps have the velocities of these, and the others the multipliers of their levels

    From W_SS d_S = (velocities of the steps) - u_S - W_SL d_L, as one matrix of n rows whatever the sets are: lanes differ.
    """
    for i in range(n):
        s, w = load(slopes, i), load(W, i * n + i)
        rest = w * (load(y, i) - load(r, i))  # on a step: its velocity, less u; on a level: w d
        for j in range(n):
            sj, wj = load(slopes, j), load(W, i * n + j)
            rest = rest - s * (1.0 - sj) * wj * (load(y, j) - load(r, j))
            store(M, i * n + j, s * sj * wj)
        store(M, i * n + i, w)
        store(d, i, rest)
    factorize_ldl(M, n, 0.0)
    solve_ldl(M, n, d)
    for i in range(n):
        accumulate(r, i, load(d, i))


@called_kernel
def sweep_rows(W, laws, steps, n, r, u):
    """Each row in turn, given the others; the velocities by what it changed"""
    for i in range(n):
        w, x = load(W, i * n + i), load(r, i)
        y, _ = staircase_response(laws, (2 * steps + 1) * i, steps, w, load(u, i) - w * x)
        store(r, i, y)
        for j in range(n):
            accumulate(u, j, load(W, i * n + j) * (y - x))


@kernel
def solve_staircase_problem(W, b, laws, steps, tolerance, r, ws):
    """The multipliers r in place, from a start; the error

    W: n^2 scalars. b: n. laws: 2 steps + 1 for each row. ws: :func:`staircase_memory`. A row's velocities of steps and its
    levels are in the units of u and r, and levels may be infinite. The error is NaN of a state whose numbers are not
    finite: nothing is tried there.
    """
    n = len(b)
    M, u, y, slopes = part(ws, 0, n * n), part(ws, n * n, n), part(ws, n * n + n, n), part(ws, n * n + 2 * n, n)
    d, best, trial = part(ws, n * n + 3 * n, n), part(ws, n * n + 4 * n, n), part(ws, n * n + 5 * n, n)
    goal, times, most = lift(tolerance, load(b, 0)), FIRST_SWEEPS, BEYOND * largest_alone(W, b, laws, steps, n)
    least = 0.0 * goal
    for turn in range(TURNS):
        row_velocities(W, b, n, r, u)
        e = respond(W, laws, steps, n, most, r, u, y, slopes)
        if turn == 0:
            least = e + 0.0 * most  # NaN where any number is, or overflows: such a state never goes on
            copy_vector(n, r, best)
        least = keep(n, goal, e, r, least, best)
        copy_vector(n, r, trial)
        for _ in range(NEWTON_STEPS):
            if reached(goal, least):
                break
            newton_step(W, n, trial, y, slopes, M, d)
            row_velocities(W, b, n, trial, u)
            least = keep(n, goal, respond(W, laws, steps, n, most, trial, u, y, slopes), trial, least, best)
        if reached(goal, least):
            break
        copy_where(n, smaller(least, MUCH_BETTER * e), best, r)
        row_velocities(W, b, n, r, u)
        for _ in range(times):
            sweep_rows(W, laws, steps, n, r, u)
        times = 2 * times
    copy_vector(n, best, r)
    return least
