"""Warm start of contacts: each finds its force of the step before by its name, the two colliders and the feature.

Contacts of a step and those that are remembered are in the same order, so that both lists are gone through once.

Source: Catto, "Iterative dynamics with temporal coherence" (GDC 2005), on names of contacts.
"""

from pluecker.contact.found.layout import (
    COLLIDER_BODY,
    COLLIDERS,
    CONTACTS,
    REMEMBERED,
    SIZE,
    TABLE_INTEGERS,
    TABLE_NUMBERS,
    count,
    index_piece,
    index_table,
    piece,
)
from pluecker.contact.found.problem import frame_of, problem_in
from pluecker.contact.geometry.finding.table import BODIES, FEATURE
from pluecker.contact.geometry.finding.table import COLLIDERS as COLLIDERS_OF_CONTACTS
from pluecker.spatial.algebra.vectors import add3, dot3, load3, scale3, store3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import tail

__all__ = ["recall", "remember"]


@kernel
def axis_of(frame, a):
    """Return the axis of component a: normal and tangents, then both tangents and the normal about which it turns"""
    n, t1, t2 = frame
    return n if a == 0 or a == 5 else t1 if a == 1 or a == 3 else t2


@kernel
def names(s, ws, K):
    """View bodies and colliders, two each, and features of a table of K contacts"""
    table = tail(index_piece(s, ws, TABLE_INTEGERS), 1)
    return tail(table, BODIES * K), tail(table, COLLIDERS_OF_CONTACTS * K), tail(table, FEATURE * K)


@kernel
def order_of(mine, contacts, p, bodies, colliders):
    """Compare a remembered contact with one: below zero if it comes before, zero if it is the same. One whose colliders are
    not there comes last
    """
    one, two = int(contacts[p]), int(contacts[p + 1])
    if one < 0 or two < 0 or one >= colliders or two >= colliders:
        return 1
    theirs = bodies[one], bodies[two], one, two, int(contacts[p + 2])
    return -1 if theirs < mine else 1 if theirs > mine else 0


@called_kernel
def recall(s, ws, h, K, contacts):
    """Store the impulses from which a search begins; ``contacts``: how many are remembered, and these"""
    P, size, p, total = problem_in(s, ws), count(s, SIZE), 0, min(int(contacts[0]), count(s, CONTACTS))
    numbers, body, (bodies, colliders, features) = (
        piece(s, ws, TABLE_NUMBERS),
        index_table(s, COLLIDER_BODY),
        names(s, ws, K),
    )
    for k in range(K):
        order, b1, b2, c1, c2 = -1, bodies[2 * k], bodies[2 * k + 1], colliders[2 * k], colliders[2 * k + 1]
        while p < total:
            order = order_of((b1, b2, c1, c2, features[k]), contacts, 1 + REMEMBERED * p, body, count(s, COLLIDERS))
            if order >= 0:
                break
            p += 1
        for a in range(size):
            P.r[size * k + a] = 0.0
        if p < total and order == 0:
            frame, place = frame_of(numbers, K, k), 1 + REMEMBERED * p + 3
            for a in range(size):
                P.r[size * k + a] = h * dot3(load3(contacts, place if a < 3 else place + 3), axis_of(frame, a))


@called_kernel
def remember(s, ws, h, K, contacts):
    """Store the forces of contacts that have any, for the step that follows"""
    P, size, p = problem_in(s, ws), count(s, SIZE), 0
    numbers, (_, colliders, features) = piece(s, ws, TABLE_NUMBERS), names(s, ws, K)
    for k in range(K):
        force, moment, acts = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), False
        for a in range(size):
            acts = acts or P.r[size * k + a] != 0.0
        if acts:
            frame, place = frame_of(numbers, K, k), 1 + REMEMBERED * p
            for a in range(size):
                part = scale3(P.r[size * k + a] / h, axis_of(frame, a))
                if a < 3:
                    force = add3(force, part)
                else:
                    moment = add3(moment, part)
            for a in range(2):
                contacts[place + a] = colliders[2 * k + a]
            contacts[place + 2] = features[k]
            store3(contacts, place + 3, force)
            store3(contacts, place + 6, moment)
            p += 1
    contacts[0] = p
