"""Rows: velocities that are subject to a law with sets, such as dry friction and limits, and the impulses that obey it.

A row is a velocity ``u = J v`` and the impulse ``r`` along it; impulses act at the end of a step (Moreau): with the matrix A
of the step's smooth equation and the velocity v_free that it leads to,

    v+ = v_free + A^-1 J^T r        u = W r + b        W = J A^-1 J^T + compliance        b = J v_free

and r is on the row's staircase (:mod:`~pluecker.spatial.dense.laws`). Here rows are on one coordinate each, J a row of the
identity. Others only need what :func:`row_velocity` and :func:`add_row_impulse` say of theirs.

===========  =======================================================================================================
record       contents
===========  =======================================================================================================
coordinate   its place in v, and in q or -1 where no limit is
friction     F: the row sticks with an impulse of up to h F, and slides with that
limits       lower and upper, of q; infinite where there is none
restitution  e: a velocity against a hard limit comes back with -e
spring       stiffness k and damping d of a soft limit; k is infinite of a hard one
===========  =======================================================================================================

**Hard limit and friction of one coordinate are one row**: a staircase of three steps, at the velocities that lead just to
the lower limit, at zero, and at that of the upper limit. A step that would lead beyond a limit ends at it exactly, with the
velocity -gap / h; with restitution, it ends with -e times the velocity before it. What is inside when a step begins does not
go beyond a limit, not by rounding either; what begins beyond one (files have such neutral configurations) is not torn back,
which would make energy, but may only come nearer.

**A soft limit is a row of its own**, since it alone is compliant: with the spring and the damper at the end of the step,
``r = -h (k (gap + h u) + d u)`` is a compliance of ``1 / (h (h k + d))`` about the velocity ``-k gap / (h k + d)``.

Rows that are idle keep their places, with the multiplier zero: the shape is the same for all states and steps. They take no
part in what is solved, so that a robot whose joints are inside their limits pays next to nothing for these.

Sources: Moreau, "Numerical aspects of the sweeping process" (1999); Stewart, Trinkle (1996), gap and friction in one step;
Todorov, Erez, Tassa, "MuJoCo" (2012) for limits and friction as rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.algorithms.inertia.inertia_factor import solve_factorized
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.layout import clear, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.dense.laws import (
    larger,
    limit_velocity,
    soft_compliance,
    soft_velocity,
    solve_staircase_problem,
    staircase_memory,
    staircase_response,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import (
    accumulate,
    load,
    load_integer,
    part,
    select,
    smaller,
    store,
    tail,
    within,
)

__all__ = [
    "TOLERANCE", "add_impulses", "are_woken", "awake_count", "keep_limits", "limited_positions", "limits_that_act",
    "pack_rows", "row_count", "rows_workspace", "solve_staircases_of_rows", "store_of_awake", "were_awake",
]  # fmt: skip

TOLERANCE = 1e-10  # of the largest impulse: what is left of a step's rows

SLACK = 1.0 + 1e-9  # of the friction: what is no larger may be friction alone

COORDINATE, POSITION, FRICTION, LOWER, UPPER, RESTITUTION, STIFFNESS, DAMPING = range(8)
ROW = 8
STAIRCASE_STEPS = 3  # of a staircase: lower limit, friction, upper limit
LAW = 2 * STAIRCASE_STEPS + 1


# ------------------------------------------------------------------------------------------------------------- the table


def limited_positions(model: Model) -> NDArray[np.intp]:
    """Find for each entry of v the index in q of the coordinate whose rate it is, which may have limits; else -1."""
    place = np.full(model.nv, -1)
    for joint in model.joints:
        if joint.mimic is None and JOINT_TYPES[joint.type].rate_is_velocity:
            n = JOINT_TYPES[joint.type].nv
            place[joint.v_start : joint.v_start + n] = joint.q_start + np.arange(n)
    return place


def pack_rows(
    model: Model,
    restitution: ArrayLike = 0.0,
    stiffness: ArrayLike = np.inf,
    damping: ArrayLike = 0.0,
    limits: bool = True,
) -> Array:
    """The rows of a model: of each coordinate with dry friction, and with position limits where the joint has one freedom.

    Args:
        model: the mechanism.
        restitution: of hard limits, a number or ``(nv,)``; 0 to 1.
        stiffness: of limits, a number or ``(nv,)``; N m/rad or N/m; infinite of hard ones.
        damping: of soft limits, likewise; N m s/rad or N s/m.
        limits: whether position limits hold.
    """
    if not limits and not model.friction.any():
        return np.zeros(1)
    e, k, d = (np.broadcast_to(np.asarray(x, dtype=np.float64), (model.nv,)) for x in (restitution, stiffness, damping))
    records: list[tuple[float, ...]] = []
    place = limited_positions(model)
    for j in range(model.nv):
        i, F = int(place[j]), float(model.friction[j])
        held = limits and i >= 0
        lower, upper = (float(model.lower_limit[i]), float(model.upper_limit[i])) if held else (-np.inf, np.inf)
        limited, hard = np.isfinite(lower) or np.isfinite(upper), np.isinf(k[j])
        if limited and hard:
            records.append((j, i, F, lower, upper, e[j], np.inf, 0.0))
        elif F > 0.0:
            records.append((j, -1, F, -np.inf, np.inf, 0.0, np.inf, 0.0))
        if limited and not hard:
            records.append((j, i, 0.0, lower, upper, 0.0, k[j], d[j]))
    table = np.array(records).reshape(-1, ROW)
    table.view(np.int64)[:, :FRICTION] = table[:, :FRICTION]
    return np.concatenate([np.array([len(table)]).view(np.float64), table.ravel()])


@kernel
def row_count(rows):
    """Return the number of rows."""
    return load_integer(rows, 0)


@kernel
def entry(rows, k, which):
    """Return a number in the record of row ``k``."""
    return load(rows, 1 + ROW * k + which)


@kernel
def coordinate(rows, k):
    """Return the index in v of the coordinate of row ``k``."""
    return load_integer(rows, 1 + ROW * k + COORDINATE)


@kernel
def position(rows, k):
    """Return the index in q of the coordinate of row ``k``, or -1 if the row has no limit."""
    return load_integer(rows, 1 + ROW * k + POSITION)


@kernel
def is_soft(rows, k):
    """Return whether the limits of row ``k`` are springs."""
    return entry(rows, k, STIFFNESS) < np.inf


@kernel
def row_velocity(rows, k, v):
    """u_k = J_k v"""
    return load(v, coordinate(rows, k))


@kernel
def add_row_impulse(rows, k, r, x):
    """x += J_k^T r"""
    accumulate(x, coordinate(rows, k), r)


# -------------------------------------------------------------------------------------------------------------- their laws


@kernel
def store_law(rows, k, h, q, v, b, law, at):
    """Store the staircase of row ``k`` from entry ``at`` of ``law`` on; return its compliance

    l_0 = inf; -lower velocity, h F; 0, -h F; -upper velocity, -inf. Beside a limit that is beyond zero friction is against
    the one motion that is left.
    """
    u = load(b, k)
    zero = 0.0 * u
    F = h * entry(rows, k, FRICTION) + zero
    low, high, compliance = zero, zero, zero
    top, bottom = F, -F
    if position(rows, k) >= 0:
        x, speed = load(q, position(rows, k)), row_velocity(rows, k, v)
        lower, upper = entry(rows, k, LOWER), entry(rows, k, UPPER)
        if is_soft(rows, k):
            s, d = entry(rows, k, STIFFNESS), entry(rows, k, DAMPING)
            compliance = soft_compliance(h, s, d) + zero
            if lower > -np.inf:
                low, top = soft_velocity(h, x - lower, s, d), np.inf + zero
            if upper < np.inf:
                high, bottom = -soft_velocity(h, upper - x, s, d), -np.inf + zero
        else:
            e = entry(rows, k, RESTITUTION)
            if lower > -np.inf:
                low, top = limit_velocity(h, x - lower, -speed, -u, e), np.inf + zero
            if upper < np.inf:
                high, bottom = -limit_velocity(h, upper - x, speed, u, e), -np.inf + zero
    store(law, at, top)
    store(law, at + 1, -low)
    store(law, at + 2, select(smaller(zero, low), -F, F))
    store(law, at + 3, -select(smaller(zero, low), low, select(smaller(high, zero), high, zero)))
    store(law, at + 4, select(smaller(high, zero), F, -F))
    store(law, at + 5, -high)
    store(law, at + 6, bottom)
    return compliance


# -------------------------------------------------------------------------------------------------------------- in a step


@called_kernel
def add_impulses(m, rows, h, q, v, factor, x, memory, ws):
    """v+ = v_free + A^-1 J^T r, with v_free in ``x``; the error of r as a share of what is tolerated

    ``memory`` has r from step to step. Solved are the rows on which v_free makes an impulse, and then those too on which the
    impulses of the others make one, until there is none. A row that sleeps in a state has the multiplier zero there, whether
    others of eight states need it or not.
    """
    n, nv = row_count(rows), velocity_count(m)
    r, b, laws, compliance = part(memory, 0, n), part(ws, 0, n), part(ws, n, LAW * n), part(ws, (LAW + 1) * n, n)
    awake, y, rest = part(ws, (LAW + 2) * n, n), part(ws, (LAW + 3) * n, nv), tail(ws, (LAW + 3) * n + nv)
    store_laws(rows, h, q, v, x, b, laws, compliance, awake)
    clear(y, nv)
    error = 0.0 * load(q, 0)
    for _ in range(n):  # a row is woken once; one whose velocity is not finite would be woken again and again
        if not wake_rows(rows, b, laws, awake, y):
            break
        error = solve_awake(m, rows, factor, b, laws, compliance, awake, r, y, rest)
        clear(y, nv)
        for k in range(n):
            add_row_impulse(rows, k, load(r, k), y)
        solve_factorized(m, factor, y, rest)
    for k in range(n):
        store(r, k, select(smaller(0.5, load(awake, k)), load(r, k), 0.0 * load(r, k)))
    for k in range(nv):
        accumulate(x, k, load(y, k))
    return error / TOLERANCE


@kernel
def store_laws(rows, h, q, v, x, b, laws, compliance, awake):
    """Store b = J v_free, and the laws of all rows, which are put to sleep"""
    for k in range(row_count(rows)):
        u = row_velocity(rows, k, x)
        store(b, k, u)
        store(compliance, k, store_law(rows, k, h, q, v, b, laws, LAW * k))
        store(awake, k, 0.0 * u)


@kernel
def were_awake(rows, memory):
    """Return whether any row had an impulse at the end of the step before, in any state"""
    found = False
    for k in range(row_count(rows)):
        if not within(load(memory, k), 0.0):
            found = True
    return found


@kernel
def are_woken(rows, h, q, v, x, ws):
    """Return whether v_free, in ``x``, makes an impulse on any row, in any state"""
    n, nv = row_count(rows), len(v)
    b, laws, compliance, awake = (
        part(ws, 0, n),
        part(ws, n, LAW * n),
        part(ws, (LAW + 1) * n, n),
        part(ws, (LAW + 2) * n, n),
    )
    y = part(ws, (LAW + 3) * n, nv)
    store_laws(rows, h, q, v, x, b, laws, compliance, awake)
    clear(y, nv)
    return wake_rows(rows, b, laws, awake, y)


@kernel
def wake_rows(rows, b, laws, awake, y):
    """Wake sleeping rows whose law asks for an impulse at the velocity b + J y; return whether any was, in any state"""
    woken = False
    for k in range(row_count(rows)):
        u, is_awake = load(b, k) + row_velocity(rows, k, y), load(awake, k)
        r, _ = staircase_response(laws, LAW * k, STAIRCASE_STEPS, 1.0 + 0.0 * u, u)
        now = select(smaller(0.0, larger(r, -r)), 1.0 + 0.0 * u, is_awake)
        if not within(now - is_awake, 0.5):
            woken = True
        store(awake, k, larger(now, is_awake))
    return woken


@kernel
def sleeps(awake, k):
    """Return whether row ``k`` sleeps in all states"""
    return within(load(awake, k), 0.5)


@kernel
def solve_awake(m, rows, factor, b, laws, compliance, awake, r, y, ws):
    """Solve for the multipliers of awake rows, in ``r``, which has the first guess; others become zero. Return the error"""
    n, count = row_count(rows), awake_count(awake)
    W, rest, column = part(ws, 0, count * count), tail(ws, n * n), 0
    for k in range(n):
        if not sleeps(awake, k):
            store_mobility(m, rows, k, column, count, factor, awake, W, y, rest)
            accumulate(W, column * count + column, load(compliance, k))
            column += 1
    return solve_staircases_of_rows(W, count, b, laws, STAIRCASE_STEPS, awake, r, rest)


@kernel
def awake_count(awake):
    """Count the rows that are awake in any state"""
    count = 0
    for k in range(len(awake)):
        if not sleeps(awake, k):
            count += 1
    return count


@kernel
def solve_staircases_of_rows(W, count, b, laws, steps, awake, r, ws):
    """Solve as :func:`solve_awake`, from W of the awake rows; b, laws of so many ``steps``, ``awake``, r are of all n rows

    ``ws``: ``(2 steps + 3) n`` numbers, and :func:`~pluecker.spatial.dense.laws.staircase_memory`.
    """
    n, size, column = len(awake), 2 * steps + 1, 0
    c, x, staircases = part(ws, 0, count), part(ws, n, count), part(ws, 2 * n, size * count)
    for k in range(n):
        if not sleeps(awake, k):
            here, zero = smaller(0.5, load(awake, k)), 0.0 * load(b, k)
            for j in range(size):
                number = load(laws, size * k + j)
                store(staircases, size * column + j, number if j % 2 == 1 else select(here, number, zero))
            store(c, column, load(b, k))
            store(x, column, select(here, load(r, k), zero))
            column += 1
    error = solve_staircase_problem(W, c, staircases, steps, TOLERANCE, x, tail(ws, (size + 2) * n))
    store_of_awake(awake, x, r)
    return error


@kernel
def store_of_awake(awake, x, r):
    """Store r = x of the rows that are awake, and zero of the others"""
    column = 0
    for k in range(len(awake)):
        store(r, k, 0.0 * load(awake, k))
        if not sleeps(awake, k):
            store(r, k, load(x, column))
            column += 1


@kernel
def store_mobility(m, rows, k, column, count, factor, awake, W, y, ws):
    """A column of W = J A^-1 J^T, of the rows that are awake; ``y`` is scratch memory of nv numbers"""
    clear(y, velocity_count(m))
    add_row_impulse(rows, k, 1.0 + 0.0 * load(awake, k), y)
    solve_factorized(m, factor, y, ws)
    i = 0
    for j in range(row_count(rows)):
        if not sleeps(awake, j):
            store(W, i * count + column, row_velocity(rows, j, y))
            i += 1


@kernel
def keep_limits(rows, q, q1):
    """Clip coordinates that end a step beyond a hard limit, or farther beyond than before, by errors of the solution"""
    for k in range(row_count(rows)):
        i = position(rows, k)
        if i >= 0 and not is_soft(rows, k):
            x = load(q, i)
            lower, upper = entry(rows, k, LOWER) + 0.0 * x, entry(rows, k, UPPER) + 0.0 * x
            lower, upper = select(smaller(x, lower), x, lower), select(smaller(upper, x), x, upper)
            y = larger(load(q1, i), lower)
            store(q1, i, select(smaller(upper, y), upper, y))


@kernel
def limits_that_act(m, rows, h, memory, acting):
    """1 for each coordinate whose hard limit pushes harder than dry friction could, else 0"""
    for k in range(velocity_count(m)):
        store(acting, k, 0.0 * load(memory, 0))
    for k in range(row_count(rows)):
        if position(rows, k) >= 0 and not is_soft(rows, k):
            r = load(memory, k)
            pushes = smaller(h * SLACK * entry(rows, k, FRICTION), larger(r, -r))
            accumulate(acting, coordinate(rows, k), select(pushes, 1.0 + 0.0 * r, 0.0 * r))


def rows_workspace(model: Model, rows: int) -> int:
    """Count the numbers of scratch memory that :func:`add_impulses` needs, for so many rows."""
    problem = rows * rows + (LAW + 2) * rows + max(staircase_memory(rows), 6 * model.nv)
    return (LAW + 3) * rows + model.nv + max(problem, 6 * model.nv)
