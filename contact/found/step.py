"""Step of a world whose contacts are found: shapes that come near, impulses that obey the law, and the new state.

    A (v+ - v_free) = J^T r        u = J v+ + what surfaces move        r, u - least obey the law of each contact and row

Contacts are found in the configuration at the beginning of the step, as far as bodies come in it: with the velocities before
it, with v_free, and where impulses make them faster than both, once more with these. Impulses begin with those of
the step before, found by the contacts' names; where these solve the problem still, they are taken as they are.

Sources: Moreau (1999); Stewart, Trinkle (1996); Anitescu, Potra (1997).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np

from pluecker.articulated.model.layout import configuration_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.semi_implicit.free_roots import move_configuration
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import ELEMENTS, MORE, more, number_of
from pluecker.contact.found.layout import (
    ACCURACY,
    AFTER,
    AGAIN,
    ANSWER,
    BEFORE,
    COLLIDERS,
    CONTACTS,
    COUNTED,
    DATA,
    ERROR,
    FAR,
    FASTEST,
    FREE,
    HIT,
    LAST_STEP,
    LAW,
    LCP,
    MOMENTS,
    NEEDS_DATA,
    OUTSIDE,
    PARTING,
    REACH,
    REMEMBERED,
    SIZE,
    SOLVE,
    START,
    STEP,
    TOTAL,
    WORKING,
    count,
    index_piece,
    index_table,
    lacks_room,
    needs,
    number,
    piece,
    plan,
    room_of,
)
from pluecker.contact.found.problem import (
    problem_in,
    rate,
    store_constraints,
    store_contacts,
    store_offsets,
    three_rates,
)
from pluecker.contact.found.shapes import by_coordinate, find_in_reach, place_colliders, store_reach
from pluecker.contact.found.sharing import ask
from pluecker.contact.found.smooth import make_smooth, memory_in, move_along_rows, rows_in
from pluecker.contact.found.solving import NO_ROOM, find_impulses
from pluecker.contact.found.warm_start import recall, remember
from pluecker.contact.rows import layout
from pluecker.contact.rows.layout import row_count
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import place_of
from pluecker.spatial.engine.scalars.operations import accumulate, load, store, tail

__all__ = ["THROWN", "found_step"]

SPARE = 1.1  # of the way that velocities lead, chosen: with 1.02 steps look for contacts again, with 1.25 they find too many
SEARCHES = 4  # for contacts in one step, at most
LARGE = 1000  # block rows of a problem that Python would take minutes for: where it is not solved, the step is divided
THROWN = 10.0  # times the largest velocity that was there or is asked for, chosen: impulses seldom make faster ones


@called_kernel
def begin_reach(m, s, ws, h):
    """Store as far as colliders come with the velocities before the step and without impulses, and a share more"""
    far, reach = piece(s, ws, FAR), piece(s, ws, REACH)
    store_reach(m, s, ws, h, piece(s, ws, BEFORE))
    for k in range(count(s, COLLIDERS)):
        far[k] = reach[k]
    store_reach(m, s, ws, h, piece(s, ws, FREE))
    for k in range(count(s, COLLIDERS)):
        far[k] = SPARE * max(far[k], reach[k])


@called_kernel
def extend_reach(m, s, ws, h):
    """Extend the reach of colliders that come farther with the velocity at the end; return whether there are any"""
    far, reach, farther = piece(s, ws, FAR), piece(s, ws, REACH), False
    store_reach(m, s, ws, h, piece(s, ws, AFTER))
    for k in range(count(s, COLLIDERS)):
        if reach[k] > far[k]:
            far[k], farther = SPARE * reach[k], True
    return farther


@called_kernel
def is_gentle(s, ws, x, most):
    """Return whether no row is faster than so much, ``THROWN`` times"""
    P, start, after, fastest = problem_in(s, ws), index_table(s, START), piece(s, ws, AFTER), 0.0
    for g in range(x.groups):
        for i in range(P.rows[g], P.rows[g + 1]):
            fastest = max(fastest, abs(rate(P, start, g, i - P.rows[g], after) + P.moved[i]))
    return fastest <= THROWN * most


def make_solve_contacts(with_rows: bool) -> Callable[..., Any]:
    """Make the kernel from contacts to velocities, for worlds with rows of constraints, or without."""

    def solve_contacts(m, w, s, ws, h, K, memory, before):
        """Compute the velocity at the end with K contacts, and the impulses; return the error as a share of the accuracy

        ``before``: forces from which the search begins.
        """
        kept, counted, hit = memory_in(w, memory), index_piece(s, ws, COUNTED), False
        x = store_contacts(s, ws, K)
        recall(s, ws, h, K, before)
        if with_rows:
            x, hit = store_constraints(w, s, ws, x, rows_in(w, s, ws), kept.impulses)
        if x.numbers > count(s, DATA):
            needs(s, NEEDS_DATA, x.numbers)
            return NO_ROOM
        struck, fastest, parting = store_offsets(s, ws, h, K, x)
        for k in range(len(x)):
            counted[1 + k] = x[k]
        free, after = piece(s, ws, FREE), piece(s, ws, AFTER)
        for k in range(velocity_count(m)):
            after[k] = free[k]
        if x.groups == 0:
            return 0.0
        if not fastest < inf:
            return nan
        if not (hit or struck) and count(s, LAW) != LCP:
            store(piece(s, ws, ANSWER), FASTEST, fastest)
            error = find_impulses(s, ws, x)
            thrown = parting > number(s, ACCURACY) * fastest and not is_gentle(s, ws, x, max(fastest, parting))
            large = x.groups > LARGE and not thrown
            if error == NO_ROOM or large or (error <= 1.0 and not thrown):
                return error
        answer = piece(s, ws, ANSWER)
        answer[ERROR], answer[FASTEST], answer[PARTING] = nan, fastest, parting
        answer[HIT] = 1.0 if hit or struck else 0.0
        ask(count(s, OUTSIDE), ws, SOLVE)
        return answer[ERROR]

    solve_contacts.__name__ += f"_{with_rows:d}"
    return called_kernel(solve_contacts)


@called_kernel
def stay(m, given, q1, v1):
    """Stay where the step began, without an error: it is taken again, once there is room"""
    for k in range(configuration_count(m)):
        store(q1, k, load(given.q, k))
    for k in range(velocity_count(m)):
        store(v1, k, load(given.v, k))
    return 0.0


def make_step(with_elements: bool, with_rows: bool) -> Callable[..., Any]:
    """Make the kernel of a step: of what a scenario does not have, nothing is compiled."""
    store_smooth, solve_contacts = make_smooth(with_elements, with_rows), make_solve_contacts(with_rows)

    def found_step(m, c, h, given, q1, v1, memory, ws):
        """Compute the state at the end of a step, and what is remembered; return the error, a share of what is tolerated"""
        w = more(c)
        s, q = plan(w), given.q
        if lacks_room(s):  # steps since then are taken again
            return stay(m, given, q1, v1)
        counted, kept = index_piece(s, ws, COUNTED), memory_in(w, memory)
        room_of(s)[LAST_STEP] = place_of(ws)
        piece(s, ws, ANSWER)[STEP] = h
        store_smooth(m, c, w, s, h, given, v1, memory, ws)
        place_colliders(s, ws)
        begin_reach(m, s, ws, h)
        K = find_in_reach(s, ws)
        error, before = 0.0, kept.contacts
        for _ in range(SEARCHES):
            if K < 0:
                return stay(m, given, q1, v1)
            counted[0] = K
            error = solve_contacts(m, w, s, ws, h, K, memory, before)
            if error == NO_ROOM:
                return stay(m, given, q1, v1)
            if not extend_reach(m, s, ws, h):
                break
            before = piece(s, ws, AGAIN)
            remember(s, ws, h, K, before)
            seen, K = K, find_in_reach(s, ws)
            if seen == K:  # more reach finds what less reach found, and more
                break
        remember(s, ws, h, counted[0], kept.contacts)
        store_speeds(s, ws, size_of_found(s, ws))
        after = piece(s, ws, WORKING)
        by_coordinate(m, s, piece(s, ws, AFTER), after)
        if with_rows:
            keep_impulses(w, s, ws, kept.impulses)
            gap = move_along_rows(m, w, h, q, after, memory, q1, v1, ws)
            error = max(error, gap) if gap == gap else gap
        else:
            move_configuration(m, h, q, after, piece(s, ws, MOMENTS), tail(after, velocity_count(m)), q1, v1)
        store(memory, 0, load(memory, 0) + h)
        return error

    found_step.__name__ += f"_{with_elements:d}{with_rows:d}"  # by which the cache tells it from the others
    return kernel(found_step)


@kernel
def size_of_found(s, ws):
    """Return how many rows contacts that were found have"""
    return count(s, SIZE) * index_piece(s, ws, COUNTED)[0]


@called_kernel
def store_speeds(s, ws, n):
    """Store the velocities of the first n rows, those of contacts, at the end of the step"""
    P, start, after, size = problem_in(s, ws), index_table(s, START), piece(s, ws, AFTER), count(s, SIZE)
    for g in range(n // size):
        i = size * g
        if size == 3:
            x, y, z = three_rates(P, start, g, after)
            P.speed[i], P.speed[i + 1], P.speed[i + 2] = x + P.moved[i], y + P.moved[i + 1], z + P.moved[i + 2]
            continue
        for a in range(size):
            P.speed[i + a] = rate(P, start, g, a, after) + P.moved[i + a]


@called_kernel
def keep_impulses(w, s, ws, impulses):
    """Store the impulses along the rows of all constraints"""
    P, counted = problem_in(s, ws), index_piece(s, ws, COUNTED)
    for k in range(row_count(w)):
        store(impulses, k, 0.0)
    for i in range(size_of_found(s, ws), counted[2]):
        accumulate(impulses, P.owner[i], P.r[i])


# --------------------------------------------------------------------------------------------------------- how much it takes


def plan_in(scenario: Array) -> Array:
    """Return the plan in a scenario, a view."""
    integers = scenario.view(np.int64)
    w = int(integers[MORE])
    return scenario[w + int(integers[w + layout.PLAN]) :]


def found_workspace(model: Model, scenario: Array) -> int:
    """Return the size of the workspace of a step."""
    return int(plan_in(scenario).view(np.int64)[TOTAL])


def found_memory(model: Model, scenario: Array) -> int:
    """Count the numbers that last from step to step: time, turns, impulses, rotors, contacts."""
    integers = scenario.view(np.int64)
    w = integers[integers[MORE] :]
    contacts = int(plan_in(scenario).view(np.int64)[CONTACTS])
    return 2 + int(w[layout.N_TURNS] + w[layout.N_ROWS] + w[layout.N_ROTORS]) + REMEMBERED * contacts


def make_variant(with_elements: bool, with_rows: bool) -> Integrator:
    """Make the integrator for scenarios with elements, with rows."""
    return Integrator(
        "found_step", 1, make_step(with_elements, with_rows), workspace=found_workspace, memory=found_memory,
        takes_rows=True, implicit=True, lanes=False, listed=False, lasting=True,
    )  # fmt: skip


VARIANTS = {(elements, rows): make_variant(elements, rows) for elements in (False, True) for rows in (False, True)}


def found_step(scenario: Array) -> Integrator:
    """Return the integrator that serves in a scenario."""
    integers = scenario.view(np.int64)
    w = integers[integers[MORE] :]
    return VARIANTS[number_of(ELEMENTS, scenario) > 0, bool(w[layout.N_ROWS])]
