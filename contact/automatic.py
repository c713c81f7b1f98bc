"""The automatic choice: first-order steps while they pay, then the interior point, then Newton's method.

First-order methods win the easy problems and lose the hard ones; interior-point methods take about the same time for
all of one size; Newton's method gives the last digits when it starts close enough. So each island begins with
accelerated gradients. Their progress tells how many more iterations they would need; when that is more than an interior
point costs, they are left.

======================  ==============================================================================================
law                     what follows, until the tolerance is reached
======================  ==============================================================================================
ccp, frictionless       interior point; Newton; gradients to the limit; Newton
ncp                     Newton; shifts held in turn, each a convex problem for the interior point, and Newton after
                        every fourth; gradients to the limit; Newton
======================  ==============================================================================================

Each step starts from the best point so far, or from the convex solution, and gives back what is better.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pluecker.contact.apgd import run_apgd
from pluecker.contact.blocks import BlockMatrix
from pluecker.contact.first_order import LEFT, ROWS_OF_WORK, STATE, rows_apart
from pluecker.contact.interior_point import interior_point
from pluecker.contact.newton import evaluate_all, newton, velocity
from pluecker.contact.prepared import Prepared, cut
from pluecker.contact.result import Stage
from pluecker.contact.sets import Sets, shift
from pluecker.spatial.elementwise import Array

__all__ = ["run_automatic", "run_interior_point", "run_polished"]

PROBE = 50  # iterations of gradients before the first look
DEARER = 3.0  # Coulomb's law, after gradients, than the convex one
STEPS = 150  # of Newton's method at a time, where nothing else is left
NEWTON_STEPS = 40  # from a point that should be near
START = 2000  # iterations of gradients before Newton's method, at most
SHIFTS = 48  # held in turn
AT_A_TIME = 4  # shifts, then Newton's method
NEAR = 1e-4  # an error of gradients from which Newton's method is tried
CALL = 200  # iterations of a convex solver in one call


@dataclass
class Island:
    """One island on its way: the best multipliers so far.

    Attributes:
        P: the island as a problem of its own.
        law: 1 for Coulomb's law.
        x, u: the best multipliers and velocities, scaled, changed in place.
        error: their natural map.
        limit: of iterations, of all methods together.
        iterations: of all methods so far.
        spent: by method, iterations and seconds.
    """

    P: Prepared
    law: int
    x: Array
    u: Array
    record: Array
    limit: int
    error: float = np.inf
    iterations: int = 0
    products: int = 0
    spent: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.zero, self.work = np.zeros(len(self.x)), np.empty(len(self.x))
        self.vectors = rows_apart(ROWS_OF_WORK, len(self.x))
        self.states, self.options = np.zeros((1, STATE)), np.zeros(4)

    @property
    def rest(self) -> int:
        """How many iterations are left."""
        return self.limit - self.iterations

    def take(self, x: Array, u: Array) -> bool:
        """Keep a pair if it is better than the best; whether it is."""
        error = float(evaluate_all(self.P, self.zero, x, u, self.law, self.work))
        if not error < self.error:
            return False
        self.error, self.x[:], self.u[:] = error, x, u
        return True

    def velocity(self, x: Array) -> Array:
        """N x + b, scaled."""
        return velocity(self.P, x)

    def note(self, method: str, iterations: int, began: float) -> None:
        """Book what a method spent."""
        if len(self.record):
            part = self.record[self.iterations + 1 : self.iterations + 1 + iterations]
            np.maximum(part, self.error, out=part, where=part == 0)
        self.iterations += iterations
        spent = self.spent.setdefault(method, [0, np.inf, 0.0])
        spent[0] += iterations
        spent[1] = self.error
        spent[2] += time.perf_counter() - began

    def gradients(self, tol: float, limit: int) -> None:
        """Accelerated projected gradients from the best point."""
        limit = min(limit, self.rest)
        began, x, u, results = time.perf_counter(), self.x.copy(), self.u.copy(), np.array([[np.inf, 0.0, 0.0]])
        run_apgd(
            self.P, self.law, x, u, tol, limit, self.options, self.vectors, self.states,
            self.record[self.iterations :], results, 0, 1,
        )  # fmt: skip
        self.take(x, u)
        self.products = int(self.states[0, 1])
        self.note("apgd", int(results[0, 1]), began)

    def newton(self, tol: float, most: int = STEPS, x: Array | None = None) -> None:
        """Newton's method, from the best point unless another is given."""
        began = time.perf_counter()
        x = self.x.copy() if x is None else x.copy()
        u = self.velocity(x)
        steps = newton(self.P, self.law, x, u, tol, min(most, self.rest), self.record[self.iterations :], 0)
        self.take(x, u)
        self.note("newton", steps, began)

    def convex(self, tol: float, g: Array, start: Array, solver: Callable[..., Any] | None = None) -> Array:
        """The interior point's multipliers of the convex problem with shifted velocities."""
        if self.rest == 0:
            return start
        began, P, limit = time.perf_counter(), self.P, min(CALL, self.rest)
        s, K = P.s, P.K
        sets = Sets(K.start, K.sizes, K.friction, K.lower * s[K.start[:-1]], K.upper * s[K.start[:-1]])
        N = unscaled(P)
        _, steps, r, _ = (solver or interior_point)(N, (P.b + g) / s, sets, start * s, tol, limit)
        x = r / s
        self.take(x, self.velocity(x))
        self.note("interior_point", int(steps), began)
        return np.asarray(x)

    def shifted(self, x: Array) -> Array:
        """What De Saxce's correction adds to the velocities of x, scaled."""
        g = np.zeros(len(x))
        shift(self.P.K, self.velocity(x), g)
        return g


def unscaled(P: Prepared) -> BlockMatrix:
    """N with its compliance, in the units of the problem."""
    N, s = P.A.N, P.s[P.K.start[:-1]]
    heights = np.diff(N.rows)
    row = np.repeat(np.arange(len(heights)), np.diff(N.first))
    sizes = heights[row] * heights[N.column]
    data = N.data / np.repeat(s[row] * s[N.column], sizes)
    if P.A.compliance.any():
        for k in np.flatnonzero(row == N.column):
            i = row[k]
            n, c = heights[i], P.A.compliance[N.rows[i] : N.rows[i + 1]] / s[i] ** 2
            data[N.place[k] + np.arange(n) * (n + 1)] += c
    return N._replace(data=data)


def worth(contacts: Array, law: int) -> Array:
    """How many iterations of gradients take as long as what comes after them, measured."""
    then = 1.5e-4 + 7e-6 * contacts
    return np.asarray((DEARER if law == 1 else 1.0) * then / (3e-7 + 7e-8 * contacts))


def run_automatic(P, law, x, u, tol, limit, options, work, states, history, results, begin, end):
    """Gradients in compiled code, on the islands where they pay; then :func:`improve` for those that need more."""
    began, mine, count, used = time.perf_counter(), slice(begin, end), min(PROBE, limit), 0
    limits = worth(np.diff(P.islands)[mine], law)
    before = np.ones(end - begin)
    while True:
        run_apgd(P, law, x, u, tol, count, options, work, states, history, results, begin, end)
        used, error = used + count, results[mine, 0]
        going = (error > tol) & (states[mine, LEFT] == 0.0)
        with np.errstate(all="ignore"):
            more = np.log(error / tol) / (np.log(before / error) / count)
        states[mine, LEFT][going & ~((more > 0) & (more < limits))] = 1.0
        going &= states[mine, LEFT] == 0.0
        if not going.any() or used >= limit:
            break
        before, count = np.minimum(error, 1.0), min(2 * count, limit - used)
    states[mine, LEFT] = 0.0
    error, iterations = float(results[mine, 0].max()), int(results[mine, 1].max())
    first = Stage("apgd", iterations, error, time.perf_counter() - began)
    if error <= tol:
        return [first]
    return [first, *run_improve(P, law, x, u, tol, limit, options, work, states, history, results, begin, end)]


def improve(island: Island, tol: float) -> None:
    """The sequence of the table in the head of this file, after gradients."""
    if island.law == 1:
        exact(island, tol)
    else:
        island.convex(tol, island.zero, island.x)
        if island.error > tol:
            island.newton(tol)
    if island.error > tol:
        island.gradients(tol, island.rest - min(STEPS, island.rest // 2))
        if island.error > tol:
            island.newton(tol)


def exact(island: Island, tol: float) -> None:
    """Coulomb's law: Newton's method between shifts that are held in turn, each for a convex problem."""
    if island.error < NEAR:
        island.newton(tol, NEWTON_STEPS)
    x, step, g, idle = island.x, 1.0, np.zeros(len(island.x)), 0
    for count in range(SHIFTS):
        if island.error <= tol or island.rest == 0:
            return
        before = island.error
        x = island.convex(1e-3 * min(island.error, 1.0), g, x)
        g += step * (island.shifted(x) - g)
        if count % AT_A_TIME == AT_A_TIME - 1:
            island.newton(tol, NEWTON_STEPS, x)
        idle = 0 if island.error < 0.9 * before else idle + 1
        if idle == 2 * AT_A_TIME:
            step, idle = 0.5 * step, 0
            if step < 0.1:
                return


def on_islands(recipe: Callable[[Island, float], None]) -> Callable[..., list[Stage]]:
    """A runner like those of :func:`~pluecker.contact.first_order.make_runner`, from what is done with one island."""

    def run(P, law, x, u, tol, limit, options, work, states, history, results, begin, end):
        spent: dict[str, list[float]] = {}
        for k in range(begin, end):
            if results[k, 1] > 0 and results[k, 0] <= tol:
                continue
            part = cut(P, k)
            top = int(P.K.start[P.islands[k]])
            rows = slice(top, top + len(part.b))
            done = int(results[k, 1])
            island = Island(part, law, x[rows].copy(), u[rows].copy(), history[done:], limit - done)
            start = island.x.copy()
            island.take(start, island.velocity(start))
            if island.error > tol:
                recipe(island, tol)
            x[rows], u[rows] = island.x, island.u
            results[k] = island.error, done + island.iterations, results[k, 2] + island.products
            for method, (iterations, error, seconds) in island.spent.items():
                total = spent.setdefault(method, [0, 0.0, 0.0])
                spent[method] = [max(total[0], iterations), max(total[1], error), total[2] + seconds]
        return [Stage(method, int(v[0]), float(v[1]), float(v[2])) for method, v in spent.items()]

    return run


def polish(island: Island, tol: float) -> None:
    """Newton's method, started by gradients."""
    island.gradients(max(tol, 1e-4), START)
    while island.error > tol and island.rest > 0:
        before = island.error
        island.newton(tol)
        if not island.error < 0.5 * before:
            break


def inside(island: Island, tol: float) -> None:
    """The interior point; for Coulomb's law with shifts held in turn."""
    by_shifts(island, tol, None)


def by_shifts(island: Island, tol: float, solver: Callable[..., Any] | None) -> None:
    """A convex solver; for Coulomb's law the shift of the velocities is held for each of its calls."""
    if island.law == 0:
        island.convex(tol, island.zero, island.x, solver)
        return
    x, g, step, idle = island.x.copy(), np.zeros(len(island.x)), 1.0, 0
    while island.error > tol and island.rest > 0 and step > 0.05:
        before = island.error
        x = island.convex(min(0.01 * min(island.error, 1.0), 0.3 * tol), g, x, solver)
        g += step * (island.shifted(x) - g)
        idle = 0 if island.error < 0.9 * before else idle + 1
        if idle == 4:
            step, idle = 0.5 * step, 0


run_improve, run_polished, run_interior_point = on_islands(improve), on_islands(polish), on_islands(inside)
