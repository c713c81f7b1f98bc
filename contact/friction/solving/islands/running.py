"""A method on all islands of a prepared problem, with threads, until each is good enough.

Methods measure an island's error as results do, by the natural map and by the error in velocity, both relative to what is
largest in the island itself, see :mod:`~pluecker.contact.friction.results.measures`: what is good enough for them is good
enough.

Islands share nothing but memory, and what is done with one does not depend on the others: results are the same for any
number of threads, bit for bit. Of a problem of one island ``auto`` has parts that threads solve side by side
(:mod:`~pluecker.contact.friction.solving.islands.parts`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pluecker.contact.friction.first_order.memory import (
    ERROR,
    ITERATIONS,
    PRODUCTS,
    ROWS_OF_WORK,
    SCRATCH,
    ZERO,
    make_memory,
)
from pluecker.contact.friction.first_order.runner import evaluate_islands
from pluecker.contact.friction.first_order.sharing import Whole
from pluecker.contact.friction.problem.operator import apply
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.problem.sets import project
from pluecker.contact.friction.results.result import Part, Stage
from pluecker.spatial.engine.parallel.threads import available_cores, map_in_threads
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Done", "Job", "goal_of", "run_on_islands", "workers_for"]

MANY_MULTIPLIERS = 3000  # multipliers from which threads pay


@dataclass(frozen=True)
class Job:
    """Method to be run on all islands, with its options.

    Attributes:
        method: as made by :func:`~pluecker.contact.friction.first_order.runner.make_runner`.
        name: of the method.
        law: 1 for Coulomb's law, 0 for the convex one.
        tol: of the error.
        limit: iterations of all methods together.
        relaxation: of sweeps.
        nesterov: whether gradients have the published sequence of momentum.
        whole: the problem as the method takes it, with what is kept of it; None where it takes the problem alone.
    """

    method: Callable[..., Any]
    name: str
    law: int
    tol: float
    limit: int
    relaxation: float
    nesterov: bool = False
    whole: Whole | None = None

    def problem(self, P: Prepared, threads: int) -> Prepared | Whole:
        """Return the problem as the method takes it."""
        if self.whole is None:
            return P
        return self.whole._replace(threads=threads)


@dataclass(frozen=True, eq=False)
class Done:
    """Result of a job.

    Attributes:
        x: the scaled multipliers.
        iterations: of the island that needed most.
        products: of the operator with a vector, of the island that needed most.
        islands: their number.
        stages: what each method did.
        history: seconds and error after each iteration, if asked for.
    """

    x: Array
    iterations: int
    products: int
    islands: int
    stages: tuple[Stage, ...]
    history: Array | None


class Islands:
    """State of all islands: multipliers ``x``, their velocities ``u``, and ``results`` as methods leave them."""

    def __init__(self, job: Job, P: Prepared, x: Array) -> None:
        m, islands = len(P.b), len(P.islands) - 1
        self.job, self.P, self.number = job, P, islands
        self.memory = make_memory(m, islands, np.zeros(0), 2, job.relaxation, job.nesterov)
        work, self.results = self.memory.work, self.memory.results
        self.x, self.u = work[ROWS_OF_WORK + 1, :m], work[ROWS_OF_WORK, :m]
        project(P.K, x, self.x)
        if self.x.any():
            apply(P.A, self.x, self.u, 0, len(P.K.start) - 1, 0, len(P.A.velocity))
        self.u += P.b
        self.start, self.begun = (self.x.copy(), self.u.copy()), np.full(islands, np.inf)
        self.goal = goal_of(job.tol, islands)
        if job.law == 1 or self.x.any():
            evaluate_islands(P, self.x, self.u, job.law, work[SCRATCH], work[ZERO], self.begun)
            solved = self.begun <= self.goal  # which no method lays out
            self.results[solved, ERROR] = self.begun[solved]

    def call(self, begin: int, end: int, record: Array, threads: int = 1) -> list[Part]:
        """Run the method on some islands, with so many threads for each."""
        job, mine = self.job, slice(begin, end)
        before, began = self.results[mine, ITERATIONS].copy(), time.perf_counter()
        with np.errstate(all="ignore"):
            memory, problem = self.memory._replace(history=record), job.problem(self.P, threads)
            parts = job.method(problem, job.law, self.x, self.u, self.goal, job.limit, memory, begin, end)
        self.never_worse(begin, end)
        elapsed, results = time.perf_counter() - began, self.results[mine]
        if parts is None:
            parts = [Part(job.name, mine, results[:, ITERATIONS] - before, results[:, ERROR].copy(), elapsed)]
        return list(parts)

    def never_worse(self, begin: int, end: int) -> None:
        """Put islands back to the start where they are worse than they were there."""
        for island in begin + np.flatnonzero(~(self.results[begin:end, ERROR] <= self.begun[begin:end])):
            rows = slice(*self.P.K.start[self.P.islands[[island, island + 1]]])
            self.x[rows], self.u[rows] = self.start[0][rows], self.start[1][rows]
            self.results[island, ERROR] = self.begun[island]


def goal_of(tol: float, islands: int) -> float:
    """Return the tolerance for each island, such that all together have the tolerance ``tol``."""
    return tol if islands == 1 else tol / float(np.sqrt(3.0))


def run_on_islands(job: Job, P: Prepared, x: Array, threads: int | None, history: bool) -> Done:
    """Run a job from the scaled multipliers x, which are projected first."""
    with np.errstate(all="ignore"):
        return run_all(Islands(job, P, x), threads, history)


def run_all(islands: Islands, threads: int | None, history: bool) -> Done:
    """Run the method, until each island is good enough."""
    P, told = islands.P, None
    count = islands.number if len(P.b) else 0
    workers = 1 if history else workers_for(threads, len(P.b))
    if history:
        parts, told = with_history(islands, count)
    elif workers > 1 and count > 1:
        found = map_in_threads(
            lambda bounds: islands.call(*bounds, np.zeros(0)), ranges_of_islands(P, workers), workers
        )
        parts = [part for piece in found for part in piece]
    else:
        parts = islands.call(0, count, np.zeros(0), workers) if count else []
    results = islands.results
    most, products = int(results[:, ITERATIONS].max(initial=0)), int(results[:, PRODUCTS].max(initial=0))
    return Done(islands.x, most, products, islands.number, merged(parts, islands.number), told)


def merged(parts: list[Part], islands: int) -> tuple[Stage, ...]:
    """Sum up each method: the iterations of the island that took most, the largest error it left, the time of all."""
    stages = []
    for method in dict.fromkeys(part.method for part in parts):
        iterations, errors, seconds = np.zeros(islands), np.zeros(islands), 0.0
        for part in parts:
            if part.method == method:
                iterations[part.islands] += part.iterations
                errors[part.islands] = part.errors
                seconds += part.time
        stages.append(Stage(method, int(iterations.max()), float(errors.max()), seconds))
    return tuple(stages)


def with_history(islands: Islands, count: int) -> tuple[list[Part], Array]:
    """Run one island after the other, and record the error: of all islands, when each has done so many iterations."""
    everything: list[Part] = []
    curves: list[tuple[Array, Array]] = []
    for island in range(count):
        record = np.zeros(islands.job.limit + 2)
        parts = islands.call(island, island + 1, record)
        everything += parts
        curves.append(curve(record, parts))
    longest = max((len(error) for _, error in curves), default=0)
    seconds, error = np.zeros(longest), np.zeros(longest)
    for mine, best in curves:  # islands that have no iteration left to do stay where they are
        seconds += np.pad(mine, (0, longest - len(mine)), "edge") if len(mine) else 0.0
        error = np.maximum(error, np.pad(best, (0, longest - len(best)), "edge") if len(best) else 0.0)
    known = ~np.isnan(error)
    return everything, np.column_stack([seconds[known], np.minimum.accumulate(error[known])])


def curve(record: Array, parts: list[Part]) -> tuple[Array, Array]:
    """Return seconds and best error after each iteration of one island; NaN before the first error that is known.

    The time of each part is shared out evenly over its iterations.
    """
    seconds, began = np.zeros(0), 0.0
    for part in parts:
        used = int(part.iterations[0])
        seconds = np.concatenate([seconds, began + part.time / max(used, 1) * np.arange(1, used + 1)])
        began += part.time
    error = record[1 : len(seconds) + 1].copy()
    error[error == 0.0] = np.nan  # nothing was noted
    if len(error):
        error[-1] = parts[-1].errors[0]
    return seconds, np.fmin.accumulate(error)


def workers_for(threads: int | None, m: int) -> int:
    """Return how many threads are worth it."""
    if threads is None:
        return 1 if m < MANY_MULTIPLIERS else available_cores()
    return threads


def ranges_of_islands(P: Prepared, workers: int) -> list[tuple[int, int]]:
    """Split islands into ranges with about as many multipliers each, a few for each thread."""
    ends = P.K.start[P.islands]
    cuts = np.unique(np.searchsorted(ends, np.linspace(0, ends[-1], 4 * workers + 1)))
    cuts[0], cuts[-1] = 0, len(P.islands) - 1
    return [(int(a), int(b)) for a, b in pairwise(np.unique(cuts))]
