"""A part that Newton's method does not solve: its core first, then all of it.

What Newton's method goes round in is a circle of few contacts, among hundreds that it solves at once. So these few are taken
out, as a part of the part (:mod:`~pluecker.contact.friction.solving.parts`), and solved with the others held: by Newton's
method, by their own core where that fails, and where none is smaller, as hard problems are
(:mod:`~pluecker.contact.friction.solving.coulomb`), which takes times that grow fast with their number. What is a circle for
Newton's method is often one for the others as well, so that curves come after their first round: with that, 32 such cores
of packings of 1,000 to 20,000 contacts take 0.62 of the time, 114 of jammed ones 0.89. Some sweeps carry to the others what
has changed, and Newton's method begins again from there. In the convex law the interior point solves the part.

A part may have several such circles, one after the other: 12 rounds of cores rather than 4 halve the time of twenty packings
that take longest of 52 of 20,000 contacts and 60 of 10,000. That what is solved as a hard problem may have 400 contacts and
not 200 takes a tenth from that.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.solving.coulomb import take_turns
from pluecker.contact.friction.solving.island import Island
from pluecker.contact.friction.solving.parts import alone, around, part_of, those_with_most
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.functions.elementwise import Array

__all__ = ["GOAL", "HELPS", "HOPE", "STEPS", "TURNS", "begin", "solve_by_cores", "solve_part"]

STEPS, AFTER = 20, 10  # of Newton's method: at first, and after a core, where it takes a few or goes on in a circle
HOPE = 8  # steps by which it must have gained something: of 80 parts where it had not, 9 came to a solution in 20
TURNS = 20000  # iterations of all methods
GOAL = 0.01  # of the error of a part
HELPS = 0.5  # of the error of a part: what helps less is not taken
# Shares of the squared error of a part that its core has, and rings around it: the first that is small enough.
AROUND = ((0.9, 1), (0.5, 1), (0.5, 0))
SMALLER = 0.5  # of the contacts of a part, that its core has at most
DEPTH = 3  # cores in one another
ROUNDS = 12  # cores of one part, one after the other
SWEEPS = 30  # of the part, after its core
HARD, LESS = 400, 0.2  # contacts: of more, hard methods take longer than all else; of what is worth taking, their goal


def begin(Q: Prepared, rows: Indices, law: int, x: Array, u: Array, limit: int) -> Island:
    """Make a part an island of its own, from the multipliers x and the velocities u of all, which hold for the others."""
    Q, mine, speeds = alone(Q, rows, x, u)
    part = Island(Q, law, mine, speeds, np.zeros(0), limit)
    part.take(mine, speeds)
    return part


def solve_part(part: Island, depth: int = 0) -> None:
    """Solve a part until its error has fallen enough: by Newton's method, else by its cores, or as a convex problem."""
    before = part.error
    part.newton(GOAL * before, STEPS, hope=HOPE)
    if not part.error > HELPS * before:
        return
    if part.law == 0:
        part.convex(GOAL * before, part.zero, part.x)
    else:
        solve_by_cores(part, GOAL * before, HELPS * before, depth)


def core_of(part: Island, error: Array) -> Indices:
    """Return the contacts that have most of the squared error, ``(n,)``; none where these are not much fewer than all."""
    for share, rings in AROUND:
        blocks = np.flatnonzero(around(part.P.A.N, those_with_most(error, share), rings))
        if len(blocks) <= SMALLER * len(error):
            return blocks
    return np.zeros(0, np.int64)


def solve_by_cores(part: Island, goal: float, enough: float, depth: int) -> None:
    """Solve cores in turn, with Newton's method to a goal, until the error is ``enough``.

    Where that does not do, all of it is solved as a hard problem.
    """
    x, contacts = part.x.copy(), len(part.P.K.start) - 1
    for _ in range(ROUNDS if depth < DEPTH else 0):
        if part.rest <= 0:
            break
        u = part.velocity(x)
        blocks = core_of(part, part.errors(x, u))
        if not len(blocks):
            break
        Q, rows = part_of(part.P, blocks)
        core = begin(Q, rows, part.law, x, u, part.rest)
        before = core.error
        solve_part(core, depth + 1)
        part.note_part(core)
        if core.error > HELPS * before:
            break
        x[rows] = core.x
        u = part.velocity(x)
        part.sweeps(goal, SWEEPS, x, u)
        part.newton(goal, AFTER, x, hope=HOPE)
        if part.error <= enough:
            return
    if contacts <= HARD:
        take_turns(part, LESS * enough, early=0)
