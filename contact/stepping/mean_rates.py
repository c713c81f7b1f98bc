"""Mean rates: rows at the two ends of a step, over which the velocity of a row is the mean rate of its function.

A row of a step is (phi(q+) - phi(q)) / h, the mean rate of its function over the step, and not only J(q) v+:

    (phi(q+) - phi(q)) / h = J v+ + rho        with rho of the order of the step, by what the functions are curved

So what holds at the end of a step holds there exactly, and not to first order; forces act along J(q). With constant masses,
which bodies in maximal coordinates have, the step is that of SHAKE and so symplectic. rho is found by repetition, each time
from where the velocity leads to. Each repetition brings it nearer by a factor of about h |w|, or its square. Contacts have
rho = 0: their law is one of J v+, with which impulses at the end of a step never make energy, and are found at any speed.

Angles are counted over turns: of all values that an angle may stand for, the nearest to the one before and h times its
rate. So are rotation vectors within a step, which can lead beyond half a turn; the next one begins with the equivalent
vector, as exponential joints do.

Sources: Ryckaert, Ciccotti, Berendsen (1977), SHAKE; Leimkuhler, Skeel, "Symplectic numerical integrators in constrained
Hamiltonian systems" (1994).
"""

from math import nan, pi
from typing import NamedTuple

from pluecker.articulated.model.layout import first_freedom, first_v, link_count
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import COORDINATE, ROTATION, TOUCH, TOUCH_TURN
from pluecker.contact.rows.functions import continued_rotation, function_value
from pluecker.contact.rows.jacobian import row_rate, store_row_values
from pluecker.contact.rows.layout import (
    ENTRY_COUNT,
    FIRST_ENTRY,
    FREEDOM,
    HOLONOMIC,
    KIND,
    LINK,
    TURN_NUMBER,
    entry,
    function_count,
    function_entry,
    linear_count,
    row_entry,
    staircase_count,
)
from pluecker.contact.rows.motion import PLACE, place_links
from pluecker.spatial.algebra.transforms import load_transform
from pluecker.spatial.algebra.vectors import dot3
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel, unlikely
from pluecker.spatial.engine.scalars.operations import load, sqrt, store

__all__ = [
    "Placed",
    "all_rates_are_linear",
    "begin_turns",
    "expect_turns",
    "keep_turns",
    "reach",
    "store_counted_values",
    "store_mean_rates",
    "store_values_at",
]

WHOLE = 6755399441055744.0  # 1.5 2^52: added and subtracted, it leaves the nearest whole number


class Placed(NamedTuple):
    """Links, functions and rows in a configuration: views of scalar arrays.

    Attributes:
        X: where links are, and behind them where shapes touch.
        G: the entries of functions.
        phi: of each function its value, angles as they are counted.
        values: of each row its value.
    """

    X: Array
    G: Array
    phi: Array
    values: Array


@kernel
def all_rates_are_linear(w):
    """Return whether J v is the mean rate of all rows: those of coordinates, and of shapes that touch"""
    linear = True
    for k in range(function_count(w)):
        linear = linear and function_entry(w, k, KIND) in (COORDINATE, TOUCH, TOUCH_TURN)
    return linear


@kernel
def nearest_turn(angle, expected):
    """Return angle + 2 pi n, as near to what is expected as can be"""
    turns = (expected - angle) * (0.5 / pi)
    return angle + 2.0 * pi * ((turns + WHOLE) - WHOLE)


@called_kernel
def store_values_at(m, w, q, X, phi):
    """Store where links are, and phi as :func:`store_counted_values` has it"""
    place_links(m, q, X)
    store_counted_values(w, q, X, phi)


@kernel
def store_counted_values(w, q, X, phi):
    """Store phi of each function; of angles and rotation vectors the value that is nearest to the one in ``phi``"""
    for k in range(function_count(w)):
        value = function_value(w, k, q, X)
        if function_entry(w, k, TURN_NUMBER) >= 0:
            value = nearest_turn(value, load(phi, k))
        elif unlikely(function_entry(w, k, KIND) == ROTATION):
            value = continued_rotation(w, k, X, value, load(phi, k))
        store(phi, k, value)


@kernel
def begin_turns(w, turns, phi):
    """Store angles as they were counted at the end of the step before; of rotation vectors nothing is expected"""
    for k in range(function_count(w)):
        if function_entry(w, k, TURN_NUMBER) >= 0:
            store(phi, k, load(turns, function_entry(w, k, TURN_NUMBER)))
        elif function_entry(w, k, KIND) == ROTATION:
            store(phi, k, nan)


@kernel
def expect_turns(m, w, h, turns, v, placed):
    """Store where angles are expected a time h after they were counted, at v, by the entries of functions where it is"""
    begin_turns(w, turns, placed.phi)
    for k in range(function_count(w)):
        if function_entry(w, k, TURN_NUMBER) >= 0:
            store(placed.phi, k, load(placed.phi, k) + h * function_rate(m, w, placed.G, k, v))


@kernel
def keep_turns(w, phi, turns):
    """Store the angles at the end of the step"""
    for k in range(function_count(w)):
        if function_entry(w, k, TURN_NUMBER) >= 0:
            store(turns, function_entry(w, k, TURN_NUMBER), load(phi, k))


@kernel
def function_rate(m, w, G, k, v):
    """Compute dphi/dt of function ``k`` that depends on two links"""
    first = function_entry(w, k, FIRST_ENTRY)
    rate = 0.0 * load(v, 0)
    for e in range(first, first + function_entry(w, k, ENTRY_COUNT)):
        i = entry(w, e, LINK)
        rate = rate + load(G, e) * load(v, first_v(m, i) + entry(w, e, FREEDOM) - first_freedom(m, i))
    return rate


@called_kernel
def store_mean_rates(m, w, h, q1, v, J, before, after, rho):
    """Store phi and the values of rows at q1, and rho of rows whose functions are held: (phi(q1) - phi(q)) / h - J v

    ``before`` and ``after`` are :class:`Placed`: what there is at q, and what is stored.
    """
    for k in range(function_count(w)):
        if function_entry(w, k, TURN_NUMBER) >= 0 or function_entry(w, k, KIND) == ROTATION:
            store(after.phi, k, load(before.phi, k) + h * function_rate(m, w, before.G, k, v))
    store_values_at(m, w, q1, after.X, after.phi)
    store_row_values(w, after.phi, True, after.values)
    for k in range(linear_count(w) + staircase_count(w)):
        if row_entry(w, k, HOLONOMIC) != 0:
            store(rho, k, (load(after.values, k) - load(before.values, k)) / h - row_rate(w, J, k, v))


@kernel
def reach(m, X):
    """Compute 1 plus the largest distance of a link from the origin: lengths are rounded in proportion to it"""
    square = 0.0 * load(X, 0)
    for i in range(1, link_count(m) + 1):
        _, r = load_transform(X, PLACE * i)
        square = larger(square, dot3(r, r))
    return 1.0 + sqrt(square)
