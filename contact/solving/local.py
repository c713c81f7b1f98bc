"""Newton's method on the few contacts that keep the rest from converging, all others held.

Sweeps of Gauss-Seidel under Coulomb's law come to a point where nearly all contacts are solved and some dozens go round in
a circle. The factor of thousands of contacts is dear, that of these and their neighbours is not: they are a problem of
their own, whose offset is what the others make of it,

    N_ss x_s + (u - N_ss x)_s,    s: the contacts with most of the error, and all within some rings around them.

What sweeps do next carries the change to the others. The answer of these moves the solution there: a part that was found is
solved again whenever it is off, a step or two of Newton's method each time. This is a Schwarz method whose subdomains are
chosen where the error is, with sweeps in place of a coarse problem. Contacts that do not act on one another are parts of
their own: Newton's method takes as many steps as the hardest circle needs, and these are few when it is alone.

Parts that do not act on one another are solved by threads side by side, those that do one after the other: the same bits for
any number of threads.

Where Newton's method fails, a part is solved as a hard problem is (:mod:`~pluecker.contact.solving.coulomb`); where that
fails too, perhaps because there is no solution while the others are held, it gets a ring of neighbours more.

Source: V. Dolean, P. Jolivet and F. Nataf, "An introduction to domain decomposition methods" (2015), chapter 1.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from pluecker.contact.problem.prepared import Prepared
from pluecker.contact.problem.sets import Sets
from pluecker.contact.solving.coulomb import take_turns
from pluecker.contact.solving.island import Island
from pluecker.contact.solving.newton import make_system, residual, velocity
from pluecker.contact.sparse.blocks import BlockMatrix, Indices, multiply_row_transposed
from pluecker.spatial.compiled.decorators import allocation_free
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.parallel.interruption import joined

__all__ = ["Subdomains", "part_of"]

SHARE = 0.9  # of the squared error that the contacts in the middle have together
RINGS = 2  # of neighbours around them
OUTSIDE = 0.5  # of the squared error, from which what is outside of all parts gets one of its own
NEARBY = 500  # contacts at most: of more, Newton's method takes longer than sweeps, and seldom helps
GROWN = 1200  # contacts that a part may have where it cannot be solved alone
LEAST, SMALL = 100, 0.12  # contacts that are always few, and of all: more take longer than the sweeps between
STEPS, QUICK = 40, 12  # of Newton's method: where what circles there holds up the rest, and where it does not
TURNS = 20000  # iterations of all methods, where Newton's fails
GOAL = 0.01  # of the error of a part
HELPS = 0.5  # of the error of a part: what helps less is not taken
SOLVED = 0.05  # of the best error of all: a part that has no more is left as it is


class Subdomain:
    """Some contacts as a problem of their own, and how often Newton's method was of no use there.

    Args:
        P: the problem of all.
        blocks: these contacts, ascending.
        before: the part that this one takes the place of, whose failures are its own.

    Attributes:
        reach: these contacts, and those that they act on.
    """

    def __init__(self, P: Prepared, blocks: Indices, before: Subdomain | None = None) -> None:
        self.blocks = blocks
        self.failed: int = 0 if before is None else before.failed
        self.rest: int = 0 if before is None else before.rest
        self.Q, self.rows = part_of(P, blocks)
        self.reach = np.unique(met_by(P.A.N, blocks))
        self.system = make_system(self.Q.A.N)

    def is_due(self) -> bool:
        """Whether it is tried: after each failure twice as many times go by as after the one before."""
        self.rest -= 1
        return self.rest < 0

    def alone(self, x: Array, u: Array) -> Prepared:
        """The problem of these contacts while all others have the multipliers x, with the velocities u."""
        return self.Q._replace(b=u[self.rows] - velocity(self.Q, x[self.rows]))

    def solve(self, island: Island, x: Array, u: Array, held_up: bool) -> Solved | None:
        """Its solution, all others held; None where it has next to no error.

        While sweeps are not ``held_up`` all others move, and a few steps must do.
        """
        rows = self.rows
        part = Island(self.alone(x, u), island.law, x[rows], u[rows], np.zeros(0), min(STEPS, island.rest))
        part.patterns[part.number], part.system = self.system.factors.S, self.system
        part.take(part.x.copy(), part.u.copy())
        before = part.error
        if before <= SOLVED * island.error:
            return None
        part.newton(GOAL * before, STEPS if held_up else QUICK)
        if held_up and part.error > HELPS * before:
            part.limit = min(TURNS, island.rest)
            take_turns(part, GOAL * before)
        return Solved(part, part.error <= HELPS * before)

    def take(self, found: Solved, island: Island, x: Array, u: Array) -> None:
        """Change x and u to what was found."""
        self.failed = 0
        step = np.zeros_like(x)
        step[self.rows] = found.part.x - x[self.rows]
        change(island.P, self.blocks, step, x, u)


class Solved(NamedTuple):
    """What came of a part: its island, and whether that is worth taking."""

    part: Island
    helps: bool


class Subdomains:
    """Where the error is, part by part, as that becomes known."""

    def __init__(self, island: Island) -> None:
        self.island = island
        n = len(island.P.K.start) - 1
        self.parts: list[Subdomain] = []
        self.covered = np.zeros(n, bool)

    def improve(self, x: Array, u: Array, held_up: bool = True) -> None:
        """Newton's method in all parts; x and u change where it helps there.

        Where sweeps are not ``held_up``, they are quicker than Newton's method on a larger part of all contacts.
        The error of the whole may rise at first, because neighbours have not answered yet: the island keeps its best.
        """
        n = len(self.covered)
        self.extend(x, u, NEARBY if held_up else min(NEARBY, max(LEAST, SMALL * n)))
        island, changed = self.island, False
        for parts in self.side_by_side([part for part in self.parts if part.is_due()]):
            for part, found in zip(parts, self.solve(parts, x, u, held_up), strict=True):
                if found is None:
                    continue
                for method, (steps, _, seconds) in found.part.spent.items():
                    island.note(method, int(steps), time.perf_counter() - seconds)
                if found.helps:
                    part.take(found, island, x, u)
                    changed = True
                elif held_up:
                    part.failed += 1
                    part.rest = 2**part.failed
                    self.grow(part)
        if changed:
            island.take(x, u)

    def side_by_side(self, parts: list[Subdomain]) -> Iterator[list[Subdomain]]:
        """These parts, in sets that can be solved at once: one that another acts on comes after it."""
        after, number = np.zeros(len(self.covered), np.int64), np.zeros(len(parts), np.int64)
        for k, part in enumerate(parts):
            number[k] = after[part.blocks].max()
            after[part.reach] = np.maximum(after[part.reach], number[k] + 1)
        for at_once in range(number.max(initial=-1) + 1):
            yield [parts[k] for k in np.flatnonzero(number == at_once)]

    def solve(self, parts: list[Subdomain], x: Array, u: Array, held_up: bool) -> list[Solved | None]:
        """What becomes of each of them, all others held."""

        def one(part: Subdomain) -> Solved | None:
            with np.errstate(all="ignore"):  # of its thread
                return part.solve(self.island, x, u, held_up)

        workers = min(self.island.threads, len(parts))
        if workers == 1:
            return list(map(one, parts))
        with ThreadPoolExecutor(workers, initializer=joined()) as pool:
            return list(pool.map(one, parts))

    def only(self, blocks: Indices) -> NDArray[np.bool_]:
        """Which of all contacts these are."""
        inside = np.zeros(len(self.covered), bool)
        inside[blocks] = True
        return inside

    def around(self, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Some contacts, and a ring of neighbours."""
        inside, blocks = inside.copy(), np.flatnonzero(inside)
        inside[met_by(self.island.P.A.N, blocks)] = True
        return inside

    def grow(self, part: Subdomain) -> None:
        """One ring more, if these are not too many."""
        inside = self.around(self.only(part.blocks))
        if np.count_nonzero(inside) <= GROWN:
            self.parts[self.parts.index(part)] = Subdomain(self.island.P, np.flatnonzero(inside), part)
            self.covered |= inside

    def extend(self, x: Array, u: Array, most: float) -> None:
        """More parts, of at most so many contacts each, where most of the error is in none."""
        P, F, z = self.island.P, np.empty_like(x), np.empty_like(x)
        residual(P, self.island.law, x, u, x, 0.0, z, F)
        error = np.add.reduceat(F * F, P.K.start[:-1])
        outside = np.where(self.covered, 0.0, error)
        whole = outside.sum()
        if not whole > OUTSIDE * error.sum():
            return
        # the others have not even the rest together
        most_of_it = np.flatnonzero(outside >= (1.0 - SHARE) * whole / len(error))
        order = most_of_it[np.argsort(-outside[most_of_it], kind="stable")]
        inside = np.zeros(len(error), bool)
        inside[order[: 1 + np.searchsorted(np.cumsum(outside[order]), SHARE * whole)]] = True
        for _ in range(RINGS):
            inside = self.around(inside)
        for blocks in apart(P.A.N, np.flatnonzero(inside)):
            if len(blocks) <= most:
                inside = self.only(blocks)
                self.parts = [part for part in self.parts if not inside[part.blocks].all()]
                self.parts.append(Subdomain(P, blocks))
                self.covered |= inside


def apart(N: BlockMatrix, blocks: Indices) -> list[Indices]:
    """Some blocks, in sets that do not act on one another."""
    k, row, column = blocks_among(N, blocks)
    graph = scipy.sparse.csr_matrix((np.ones(len(k), np.int8), (row, column)), shape=(len(blocks), len(blocks)))
    count, label = connected_components(graph, directed=False)
    return [blocks[label == k] for k in range(count)]


def met_by(N: BlockMatrix, blocks: Indices) -> Indices:
    """The columns in which some block rows of N have blocks."""
    return N.column[ranges(N.first[blocks], N.first[blocks + 1] - N.first[blocks])[0]]


def blocks_among(N: BlockMatrix, blocks: Indices) -> tuple[Indices, Indices, Indices]:
    """Which blocks of N some block rows have in columns of their own, and the numbers of both among these."""
    number = np.full(len(N.first) - 1, -1)
    number[blocks] = np.arange(len(blocks))
    k, row = ranges(N.first[blocks], N.first[blocks + 1] - N.first[blocks])
    column = number[N.column[k]]
    mine = column >= 0
    return k[mine], row[mine], column[mine]


def part_of(P: Prepared, blocks: Indices) -> tuple[Prepared, Indices]:
    """Some blocks as a problem of their own, whose offset is zero, and its rows in P.

    Args:
        P: with its matrix.
        blocks: ascending.
    """
    K, N, heights = P.K, P.A.N, np.diff(P.K.start)[blocks]
    k, row, column = blocks_among(N, blocks)
    sizes, start = heights[row] * heights[column], np.concatenate([[0], np.cumsum(heights)])
    entries, _ = ranges(N.place[k], sizes)
    first, place = np.searchsorted(row, np.arange(len(blocks) + 1)), np.cumsum(sizes) - sizes
    matrix = BlockMatrix(start, start, first, column, place, N.data[entries], N.width[blocks])
    rows, _ = ranges(K.start[blocks], heights)
    sets = Sets(start, K.sizes[blocks], K.friction[blocks], K.lower[blocks], K.upper[blocks])
    operator = P.A._replace(N=matrix, compliance=P.A.compliance[rows])
    zero = np.zeros(len(rows))
    return Prepared(operator, sets, zero, P.s[rows], np.array([0, len(blocks)]), np.zeros(2, np.int64)), rows


def change(P, blocks, step, x, u):
    """Add a step, which is zero but in some blocks, to x, and what it changes to u"""
    for i in blocks:
        for k in range(P.K.start[i], P.K.start[i + 1]):
            x[k] += step[k]
            u[k] += P.A.compliance[k] * step[k]
        multiply_row_transposed(P.A.N, i, step, u)


change = allocation_free(change)


def ranges(begin: Indices, count: Indices) -> tuple[Indices, Indices]:
    """All numbers of some ranges, and which range each is of."""
    which = np.repeat(np.arange(len(count)), count)
    return np.arange(len(which)) + (begin - np.cumsum(count) + count)[which], which
