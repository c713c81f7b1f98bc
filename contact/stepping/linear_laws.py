"""Laws of linear rows in a step: the mean rate that is asked for, and the compliance about it.

See :mod:`~pluecker.contact.stepping.step` for the equations. A rotor resists the change of its mean rate; the memory between
steps has by how much this differs from J v, which turns between steps.

Source: source document 000, mixing of forces and error reduction (docs/sources.md).
"""

from pluecker.contact.constraints.relation import ROTATION
from pluecker.contact.rows.functions import function_value
from pluecker.contact.rows.jacobian import prescribed, row_rate
from pluecker.contact.rows.layout import (
    FIRST_TERM,
    HELD,
    HOLONOMIC,
    KIND,
    LAW,
    ROTOR,
    ROW_DAMPING,
    ROW_INERTIA,
    ROW_SPEED,
    ROW_STIFFNESS,
    SOFT,
    TERM_FUNCTION,
    function_entry,
    linear_count,
    row_entry,
    row_number,
    term,
)
from pluecker.contact.rows.mobility import FREE
from pluecker.contact.stepping.projection import gap_of
from pluecker.spatial.dense.laws import larger, worse
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel, unlikely
from pluecker.spatial.engine.scalars.operations import load, select, smaller, store

__all__ = ["MET", "begin_rotors", "keep_rotors", "largest_miss", "store_linear_laws"]

MET = 1e-12  # m or rad in a step, times the reach of the mechanism: a row moves as it is asked to


@kernel
def begin_rotors(w, missing, asked):
    """Add the difference of mean rate and J v in the last step to what is asked of rotors; return how many there are"""
    found = 0
    for k in range(linear_count(w)):
        if row_entry(w, k, LAW) == ROTOR:
            store(asked, k, load(asked, k) + load(missing, found))
            found += 1
    return found


@kernel
def keep_rotors(w, q, X, phi, rates, J, v, missing):
    """Store by how much the mean rate of each rotor differs from J v at the end of the step; none where a vector changes"""
    found = 0
    for k in range(linear_count(w)):
        if row_entry(w, k, LAW) == ROTOR:
            difference = load(rates, k) - row_rate(w, J, k, v)
            f = term(w, row_entry(w, k, FIRST_TERM), TERM_FUNCTION)
            if unlikely(function_entry(w, f, KIND) == ROTATION):
                change = function_value(w, f, q, X) - load(phi, f)
                difference = select(smaller(change * change, MET), difference, 0.0 * change)
            store(missing, found, difference)
            found += 1


@kernel
def store_linear_laws(w, h, time, size, v, J, values, compliance, asked):
    """Store of all linear rows the compliance, and the mean rate that is asked for"""
    for k in range(linear_count(w)):
        C, rate = linear_law(w, k, h, time, size, v, J, values)
        store(compliance, k, C)
        store(asked, k, rate)


@kernel
def linear_law(w, k, h, time, size, v, J, values):
    """Return the compliance of a linear row, and the mean rate that is asked for"""
    law, speed, zero = row_entry(w, k, LAW), row_number(w, k, ROW_SPEED), 0.0 * time
    (before, _, _), (after, _, _) = prescribed(w, k, time), prescribed(w, k, time + h)
    C, rate = zero, speed + (after - before) / h
    if law == HELD and row_entry(w, k, HOLONOMIC) != 0:
        gap, small = gap_of(w, k, time, values), 4.0 * MET * size
        rate = rate - select(smaller(small, larger(gap, -gap)), zero, gap) / h
    if law == ROTOR:
        C, rate = 1.0 / row_number(w, k, ROW_INERTIA) + zero, row_rate(w, J, k, v)
    if law == SOFT:
        s, d = row_number(w, k, ROW_STIFFNESS), row_number(w, k, ROW_DAMPING)
        force = h * s + d
        if h * force > 1.0 / FREE:
            C, rate = 1.0 / (h * force) + zero, (d * rate + s * (after - load(values, k))) / force
        else:
            C = FREE + zero
    return C, rate


@called_kernel
def largest_miss(w, mobility, h, x, r, asked, rho, last, ranged):
    """Compute h times the largest rate of a linear row that is not as asked for, and for others h times how rho changed"""
    n = linear_count(w)
    worst = 0.0 * load(x, 0)
    for k in range(n):
        miss = row_rate(w, mobility.J, k, x) + load(rho, k) + load(mobility.compliance, k) * load(r, k) - load(asked, k)
        worst = worse(worst, h * larger(miss, -miss))
    for k in range(n, n + ranged):
        miss = load(rho, k) - load(last, k)
        worst = worse(worst, h * larger(miss, -miss))
    return worst
