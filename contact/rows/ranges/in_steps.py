"""Rows with a range in a step: limits, dry friction and a motor on one row, seen through the linear rows.

An impulse p on coordinates moves them by ``x = A^-1 p`` and by what the linear rows then answer, so that these keep what
they have: J x + compliance dr = 0. So the rows with a range have a small dense problem of their own, in which the linear
ones are eliminated,

    u = W r + b        u the mean rate of each row over the step        r on the staircase of its row

with the laws of :mod:`~pluecker.articulated.stepping.terms.rows`, and a motor: it drives with the impulse h M while the row
is slower than its speed, with -h M while it is faster, and in between holds the speed with what that takes. The sum of two
monotone laws is one; so is that of limits, which lie outside of both. Rows that have no impulse sleep, as they do there.

The rows of a contact are awake together, see :mod:`~pluecker.contact.rows.ranges.contacts`.

Where a row with a range says what linear rows say already, W has a zero on the diagonal; a share of the row's mobility
without them is added to it.

Sources: Moreau, "Numerical aspects of the sweeping process" (1999); source document 000, motors and limits of joints
(docs/sources.md).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.model.layout import clear, velocity_count
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.terms.rows import (
    DAMPING,
    FRICTION,
    LOWER,
    RESTITUTION,
    STIFFNESS,
    TOLERANCE,
    UPPER,
    awake_count,
    is_soft,
    sleeps,
    solve_staircases_of_rows,
)
from pluecker.articulated.stepping.terms.rows import entry as range_entry
from pluecker.contact.constraints.relation import COORDINATE
from pluecker.contact.rows.jacobian import add_row_force, row_rate
from pluecker.contact.rows.layout import (
    FIRST_TERM,
    HOLONOMIC,
    KIND,
    NORMAL,
    POSITION,
    ROW_CORRECTION,
    ROW_FORCE,
    ROW_NORMAL,
    ROW_OFFSET,
    ROW_SPEED,
    TANGENT,
    TERM_COUNT,
    TERM_FUNCTION,
    function_entry,
    linear_count,
    range_count,
    ranges,
    row_entry,
    row_number,
    term,
    term_coefficient,
)
from pluecker.contact.rows.layout import LAW as ROW_LAW
from pluecker.contact.rows.ranges.contacts import (
    contact_scratch,
    friction_in_force,
    least_rate,
    make_solve_blocks,
    store_contact_law,
)
from pluecker.contact.rows.ranges.range_mobility import FEW, LAW, STAIRCASE_STEPS, answer, store_range_mobility
from pluecker.contact.rows.ranges.returned_impulses import RETURNED, AwakeRows
from pluecker.spatial.dense.laws import (
    larger,
    limit_velocity,
    soft_compliance,
    soft_velocity,
    staircase_memory,
    staircase_response,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import (
    accumulate,
    lift,
    load,
    part,
    select,
    smaller,
    store,
    tail,
    within,
)

__all__ = [
    "STAIRCASE_STEPS",
    "Found",
    "add_range_impulses",
    "begin_ranges",
    "keep_coordinate_limits",
    "make_obey_ranges",
    "range_numbers",
    "range_scratch",
]


@kernel
def range_numbers(n):
    """Compute how many numbers ``n`` rows keep during a step: what they are woken for, laws, compliances, W, of impacts"""
    return (LAW + 3) * n + n * n


def range_scratch(n: int, linear: int, nv: int, resistances: int = 0, returns: int = 0) -> int:
    """Compute how many numbers of scratch memory :func:`obey_ranges` takes."""
    solving = max((LAW + 2) * n + staircase_memory(n), contact_scratch(n, LAW * n, resistances, returns))
    halves = n * nv if linear == 0 and nv <= FEW else 0
    return n + 2 * linear + nv + max(solving, linear + 7 * nv, halves)


# -------------------------------------------------------------------------------------------------------------- their laws


@kernel
def begin_ranges(w, h, v, x, J, rho, values, last, kept):
    """Let all rows sleep; store their laws, from the velocities before the step, v, and at its end without these rows, x

    ``rho`` is what surfaces add to the rates of rows, ``last`` the impulses of these rows in the step before.
    """
    n, first = range_count(w), linear_count(w)
    laws, soft = part(kept, n, LAW * n), part(kept, (LAW + 1) * n, n)
    for k in range(n):
        zero = lift(
            0.0, load(x, 0)
        )  # where x is NaN too: rows that were awake there would be awake in all eight states
        store(kept, k, zero)
        kind, value = row_entry(w, first + k, ROW_LAW), load(values, first + k)
        if kind >= TANGENT:
            store(soft, k, zero)
            continue
        before, free = row_rate(w, J, first + k, v), row_rate(w, J, first + k, x)
        if kind == NORMAL:
            store(soft, k, store_contact_law(w, k, h, value, before, free, laws, LAW * k))
            store(laws, LAW * k, friction_in_force(w, J, k, v, rho, last))
        else:
            store(soft, k, store_law(w, k, h, value, before, free, laws, LAW * k))


@kernel
def store_law(w, k, h, x, before, free, law, at):
    """Store the staircase of the row with a range number ``k``; return its compliance

    l_0 = inf or h (F + M); then steps at the lower limit, at zero for friction F, at the motor's speed for its force M, and
    at the upper limit; -inf or -h (F + M). Steps of friction and motor beyond a limit are at the limit.
    """
    rows, row = ranges(w), linear_count(w) + k
    zero = 0.0 * free
    F, M = h * range_entry(rows, k, FRICTION) + zero, h * row_number(w, row, ROW_FORCE) + zero
    still, driven = zero, motor_speed(w, row, h, x)
    low, high, compliance = -np.inf + zero, np.inf + zero, zero
    lower, upper = range_entry(rows, k, LOWER), range_entry(rows, k, UPPER)
    if row_entry(w, row, HOLONOMIC) != 0:
        if is_soft(rows, k):
            s, d = range_entry(rows, k, STIFFNESS), range_entry(rows, k, DAMPING)
            compliance = soft_compliance(h, s, d) + zero
            if lower > -np.inf:
                low = soft_velocity(h, x - lower, s, d)
            if upper < np.inf:
                high = -soft_velocity(h, upper - x, s, d)
        else:
            e = range_entry(rows, k, RESTITUTION)
            if lower > -np.inf:
                low = limit_velocity(h, x - lower, -before, -free, e)
            if upper < np.inf:
                high = -limit_velocity(h, upper - x, before, free, e)
    still, driven = between(low, still, high), between(low, driven, high)
    swap = smaller(driven, still)
    one, two = select(swap, driven, still), select(swap, still, driven)
    drop = 2.0 * select(swap, M, F)
    most, infinite = F + M, np.inf + zero
    has_lower, has_upper = smaller(-infinite, low), smaller(high, infinite)
    store(law, at, select(has_lower, infinite, most))
    store(law, at + 1, -select(has_lower, low, one))
    store(law, at + 2, most)
    store(law, at + 3, -one)
    store(law, at + 4, most - drop)
    store(law, at + 5, -two)
    store(law, at + 6, -most)
    store(law, at + 7, -select(has_upper, high, two))
    store(law, at + 8, select(has_upper, -infinite, -most))
    return compliance


@kernel
def motor_speed(w, row, h, x):
    """Compute the speed of a motor; of one that drives to phi = 0 that which takes phi there, at a rate, up to a
    largest one
    """
    speed, rate = row_number(w, row, ROW_SPEED), row_number(w, row, ROW_CORRECTION)
    if rate > 0.0:
        return between(-speed + 0.0 * x, -min(rate, 1.0 / h) * x, speed + 0.0 * x)
    return speed + 0.0 * x


@kernel
def between(low, x, high):
    """Return x, or the bound beyond which it is"""
    x = larger(low, x)
    return select(smaller(high, x), high, x)


# -------------------------------------------------------------------------------------------------------------- in a step


class Found(NamedTuple):
    """Velocity and impulses that are looked for, views of scalar arrays.

    Attributes:
        x: the velocity with the impulses in ``r``.
        r: impulses of all rows.
        guess: of rows with a range the impulses from which to begin, and then those that were found.
    """

    x: Array
    r: Array
    guess: Array


def make_obey_ranges(with_contacts: bool, with_more: bool = False) -> Callable[..., Any]:
    """Make the kernel for worlds with contacts, or without, and with what :func:`make_solve_blocks` has more of them: of
    what a world does not have, nothing is compiled.
    """
    solve_blocks = make_solve_blocks(with_more)

    def obey_ranges(m, w, mobility, rho, found, goes_on, kept, ws):
        """Find impulses of rows with a range, in ``found``; return the error as a share of what is tolerated

        It takes rows on which x makes an impulse, and then those too on which the impulses of these make one. Of eight
        states each for itself: where ``goes_on`` is 0 all stays as it is; what is woken in one changes no bit of another.
        """
        n, first, J, (x, r, guess) = range_count(w), linear_count(w), mobility.J, found
        b, rest, error, now = part(ws, 0, n), tail(ws, n), 0.0 * load(x, 0), goes_on
        awake, laws, W, taken = part(kept, 0, n), part(kept, n, LAW * n), part(kept, (LAW + 2) * n, n * n), goes_on
        for turn in range(n + 1):
            news = wake_ranges(w, J, x, rho, guess, now, kept)
            woken, count = not within(news, 0.5), awake_count(awake)
            if woken:
                store_range_mobility(m, w, mobility, count, kept, rest)
            if count == 0 or (turn > 0 and not woken):
                break
            if turn > 0:
                taken = news
            store_free_rates(w, J, rho, x, r, count, kept, b)
            if with_contacts:
                own = solve_blocks(w, AwakeRows(awake, count, W, b, guess, laws, LAW), taken, rest)
            else:
                own = solve_staircases_of_rows(W, count, b, laws, STAIRCASE_STEPS, awake, guess, rest)
            error = select(smaller(0.5, taken), own, error)
            for k in range(n):
                store(guess, k, select(smaller(0.5, taken), load(guess, k), load(r, first + k)))
            add_range_impulses(m, w, mobility, found, rest)
            now = select(smaller(error, np.inf), now, 0.0 * now)  # what is not finite has no answer
        for k in range(n):
            store(guess, k, load(r, first + k))
        return error / TOLERANCE

    obey_ranges.__name__ += f"_{with_contacts + with_more:d}"  # by which the cache tells it from the others
    return called_kernel(obey_ranges)


@kernel
def wake_ranges(w, J, x, rho, guess, goes_on, kept):
    """Wake those sleeping rows whose law asks for an impulse, in states that go on; 1 in states in which there are any

    Contacts that pressed in the last step too: redundant ones share their load in many ways, some of which do not hold what
    the others do (a box in a gripper pivots where all of the grip is at one corner), and which one is found must not
    depend on the rounding of a gap.
    """
    n, first = range_count(w), linear_count(w)
    laws, news = part(kept, n, LAW * n), 0.0 * goes_on
    for k in range(n):
        kind, is_awake = row_entry(w, first + k, ROW_LAW), load(kept, k)
        if kind >= TANGENT:
            store(kept, k, load(kept, row_entry(w, first + k, ROW_NORMAL)))
            continue
        if within(1.0 - is_awake, 0.0):
            continue
        u = row_rate(w, J, first + k, x) + load(rho, first + k)
        if kind == NORMAL:
            pressed = load(guess, k) + load(laws, LAW * k + RETURNED)
            asks = smaller(select(smaller(0.0, pressed), -1.0 + 0.0 * u, u - least_rate(laws, LAW * k)), 0.0)
        else:
            r, _ = staircase_response(laws, LAW * k, STAIRCASE_STEPS, 1.0, u)
            asks = smaller(0.0, larger(r, -r))
        now = select(asks, goes_on, is_awake)
        news = larger(news, now - is_awake)
        store(kept, k, larger(now, is_awake))
    return news


@kernel
def store_free_rates(w, J, rho, x, r, count, kept, b):
    """Store b = u - W r of the rows that are awake: what their rates are without them; of normals less what is asked for"""
    n, first = range_count(w), linear_count(w)
    laws, W, column = part(kept, n, LAW * n), part(kept, (LAW + 2) * n, count * count), 0
    for k in range(n):
        if not sleeps(kept, k):
            rate = (
                row_rate(w, J, first + k, x) + load(rho, first + k) + load(kept, (LAW + 1) * n + k) * load(r, first + k)
            )
            store(b, k, rate - least_rate(laws, LAW * k) if row_entry(w, first + k, ROW_LAW) == NORMAL else rate)
    for j in range(n):
        if not sleeps(kept, j):
            rj, i = load(r, first + j), 0
            for k in range(n if not within(rj, 0.0) else 0):
                if not sleeps(kept, k):
                    accumulate(b, k, -load(W, column * count + i) * rj)
                    i += 1
            column += 1


@kernel
def add_range_impulses(m, w, mobility, found, ws):
    """Update x and the impulses of linear rows to impulses of rows with a range in place of those in r"""
    n, first, nv, (x, r, wanted) = range_count(w), linear_count(w), velocity_count(m), found
    y, dr = part(ws, 0, nv), tail(ws, nv)
    clear(y, nv)
    for k in range(n):
        add_row_force(w, mobility.J, first + k, load(wanted, k) - load(r, first + k), y)
        store(r, first + k, load(wanted, k))
    answer(m, w, mobility, first, y, dr)
    for k in range(nv):
        accumulate(x, k, load(y, k))
    for k in range(first):
        accumulate(r, k, load(dr, k))


@kernel
def keep_coordinate_limits(w, q, q1):
    """Keep coordinates with one row from ending a step beyond a hard limit by rounding, or farther beyond than they were"""
    rows, first = ranges(w), linear_count(w)
    for k in range(range_count(w)):
        row = first + k
        t = row_entry(w, row, FIRST_TERM)
        f = term(w, t, TERM_FUNCTION)
        alone = row_entry(w, row, TERM_COUNT) == 1 and function_entry(w, f, KIND) == COORDINATE
        if alone and row_entry(w, row, HOLONOMIC) != 0 and not is_soft(rows, k):
            i, c, offset = function_entry(w, f, POSITION), term_coefficient(w, t), row_number(w, row, ROW_OFFSET)
            if c == 1.0:
                x = load(q, i)
                lower, upper = (
                    range_entry(rows, k, LOWER) + offset + 0.0 * x,
                    range_entry(rows, k, UPPER) + offset + 0.0 * x,
                )
                y = larger(load(q1, i), select(smaller(x, lower), x, lower))
                upper = select(smaller(upper, x), x, upper)
                store(q1, i, select(smaller(upper, y), upper, y))
