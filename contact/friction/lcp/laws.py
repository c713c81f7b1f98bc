"""Laws that are linear complementarity problems, solved by the methods for those: a polygon for friction, and no friction.

The unknowns of the polygonal law are beta, f, lambda and rows. Multipliers r say all of them: beta is the friction force in
the two directions beside it, and lambda the speed of sliding, the least that the law allows,

    lambda = max_h(-d_h . u_t).

Of a contact that parts, the law allows any larger one, and numbers without bound hide errors. So how good a solution is, is
measured with the lambda and the beta of its multipliers, by the same two measures as in the other laws
(:mod:`~pluecker.contact.friction.results.measures`), h being the minimum map of the complementarity problem in which
impulses are divided by s and velocities multiplied by it:

===========  ======================================================================================================
natural map  ``|h| / max(|s b|, |r / s|, |s u|)``
velocity     ``max_i |h_i| / s_i``, h_i being all entries of one contact, or a row's
===========  ======================================================================================================

The second does not get small where impulses grow without bound because there is no solution.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.lcp.complementarity import make_problem
from pluecker.contact.friction.lcp.polygon import FrictionLcp, friction_lcp
from pluecker.contact.friction.lcp.solve_lcp import run, usual_limit
from pluecker.contact.friction.problem.natural_map import ROUNDING
from pluecker.contact.friction.problem.prepared import scales
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.results.measures import Errors, all_errors
from pluecker.contact.friction.results.result import LIMIT, STALLED, UNSOLVED, Result, Stage, is_converged, judge
from pluecker.contact.friction.results.states import Blocks
from pluecker.spatial.functions.elementwise import Array

__all__ = ["LCP_METHODS", "solve_as_lcp"]

LCP_METHODS = ("lemke", "minmap_newton")
DENSE = 200  # unknowns up to which a full matrix is faster: SciPy's sparse ones take 20 us before they begin (measured)
FIRST_DIRECTIONS, FINER = (
    32,
    4,
)  # directions that Newton's method begins with, of more; and how many times as many come next
ROUNDS = 3  # of a method that stalls, each begun at the best multipliers, with the auxiliary ones made small
AUTOMATIC = ("minmap_newton", "lemke")


def solve_as_lcp(
    problem: Problem,
    law: str,
    method: str,
    tol: float,
    limit: int | None,
    warm_start: Array | None,
    directions: int | None,
    history: bool,
) -> Result:
    """Solve a law as a complementarity problem; :func:`.solve` has checked the arguments.

    Of many directions Newton's method begins where fewer have led: from zero it takes as many steps as there are
    directions, and each of them as many products with a full matrix as its line search.
    """
    began = time.perf_counter()
    lcp: Polygon | NormalsOnly = Polygon(problem, directions) if law == "lcp" else NormalsOnly(problem)
    coarser = None
    if directions is not None and directions > 2 * FIRST_DIRECTIONS and method != "lemke" and warm_start is None:
        fewer = max(FIRST_DIRECTIONS, directions // (2 * FINER) * 2)
        coarser = solve_as_lcp(problem, law, method, tol, limit, None, fewer, history)
        warm_start = coarser.multipliers
    # In units of impulses and speeds near those in which the errors are measured; powers of two change no digit.
    unit = np.exp2(np.rint(np.log2(lcp.unit)))
    units = scipy.sparse.diags_array(unit)
    given = make_problem(units @ lcp.A @ units, unit * lcp.b, lcp.lower / unit, lcp.upper / unit)
    covering = unit / lcp.unit  # alike for all, so that Lemke's path depends on no units
    first = None if warm_start is None else lcp.unknowns(np.asarray(lcp.map @ lcp.project(lcp.unknowns(warm_start))))
    best = np.asarray(lcp.map @ lcp.project(np.zeros(given.size)))
    errors, ended, why = lcp.errors(best), "", ""

    def accept(z: Array) -> bool:
        nonlocal best, errors
        r = np.asarray(lcp.map @ (unit * z))
        now = lcp.errors(r)
        if now.largest < errors.largest:
            best, errors = r, now
        return is_converged(now, tol)

    record: list[tuple[float, float]] = []
    stages: list[Stage] = []
    before, left = 0.0, math.inf if limit is None else limit
    if coarser is not None:
        stages, before, left = list(coarser.stages), coarser.time, left - coarser.iterations
        record = [] if coarser.history is None else [(float(t), float(e)) for t, e in coarser.history]
    for name in AUTOMATIC if method == "auto" else (method,):
        z, usual = None if first is None else first / unit, usual_limit(name, given.size)
        for _ in range(ROUNDS):
            most = int(min(left, usual if limit is None or method == "auto" else left))
            reached = errors.largest
            try:
                found = run(given, name, tol, most, z, covering, accept=accept)
            except ProblemError:  # Lemke's method does not solve all mixed problems
                if not stages:
                    raise
                break
            left, ended, why = left - found.iterations, found.status, found.message
            stages.append(Stage(name, found.iterations, errors.largest, found.time))
            known = found.history if name != "lemke" else np.zeros(0)  # that of its pivots is of another quantity
            seconds = before + np.linspace(0.0, found.time, len(known) + 1)[1:]
            record += [*zip(seconds, known, strict=True)]
            before += found.time
            if found.status != STALLED or name == "lemke" or errors.largest == reached or left == 0:
                break
            z = lcp.unknowns(best) / unit
        first = None if first is None else lcp.unknowns(best)
        if is_converged(errors, tol) or left == 0:
            break
    iterations = sum(stage.iterations for stage in stages)
    status, message = judge(errors, tol, iterations if ended == LIMIT else None)
    if ended in ("ray", "infeasible") and not is_converged(errors, tol):
        status, message = UNSOLVED, why
    return Result(
        best, lcp.problem.unchecked_velocity(best), law, method, status, errors, tol, iterations, iterations, 1,
        time.perf_counter() - began, tuple(stages), np.array(record).reshape(-1, 2) if history else None, message,
        Blocks(lcp.problem.sets, lcp.scale, lcp.problem.offset),
    )  # fmt: skip


def small_dense(A: Any) -> Any:
    """Convert a sparse matrix to a full one, if it is small."""
    return A.toarray() if max(A.shape) <= DENSE else A


class NormalsOnly:
    """The problem without friction: normal multipliers and rows."""

    def __init__(self, problem: Problem) -> None:
        first = problem.sets.start[:-1]
        n = len(first)
        self.problem, self.first = problem.with_friction(0.0), first
        self.map = small_dense(scipy.sparse.csr_matrix((np.ones(n), (first, np.arange(n))), shape=(problem.size, n)))
        self.A: Any = small_dense(problem.matrix()[first][:, first])
        self.b, self.lower, self.upper = problem.offset[first], problem.sets.lower, problem.sets.upper
        self.scale = scales(problem.operator, problem.sets)
        self.unit = self.scale[first]

    def project(self, z: Array) -> Array:
        """Project z on its bounds"""
        return np.minimum(np.maximum(z, self.lower), self.upper)

    def unknowns(self, r: Array) -> Array:
        """z of multipliers r"""
        return r[self.first]

    def errors(self, r: Array) -> Errors:
        """Compute the errors of multipliers r for the law"""
        problem = self.problem
        return all_errors(problem.sets, problem.offset, r, problem.unchecked_velocity(r), "frictionless", self.scale)


class Polygon:
    """The problem with a polygon for friction."""

    def __init__(self, problem: Problem, directions: int | None) -> None:
        lcp: FrictionLcp = friction_lcp(problem, directions=directions)
        self.problem, self.directions, self.contacts = problem, lcp.directions, lcp.contacts
        self.A, self.map = small_dense(lcp.A), small_dense(lcp.map)
        self.b, self.lower, self.upper = lcp.b, lcp.lower, lcp.upper
        self.scale, contact = scales(problem.operator, problem.sets), problem.sets.sizes[:, 0] > 0
        s = self.scale[problem.sets.start[:-1]]
        of = s[contact]  # of an impulse; lambda is a velocity
        self.unit = np.concatenate([np.repeat(of, self.directions), of, 1.0 / of, s[~contact]])
        every = np.arange(self.contacts)
        self.block = np.concatenate(
            [np.repeat(every, self.directions), every, every, self.contacts + np.arange((~contact).sum())]
        )
        self.of_block = np.concatenate([of, s[~contact]])

    def project(self, z: Array) -> Array:
        """Project z on its bounds"""
        return np.minimum(np.maximum(z, self.lower), self.upper)

    def unknowns(self, r: Array) -> Array:
        """z of multipliers r: the friction in the two directions beside it, the least lambda"""
        K, eta = self.contacts, self.directions
        z = self.map.T @ r
        along = z[: eta * K].reshape(K, eta)  # D' r_t
        beta = np.maximum(along, 0.0)
        if eta > 2:
            start, each, step = self.problem.sets.start, np.arange(K), 2.0 * np.pi / eta
            top = start[:-1][np.diff(start) == 3]
            x, y = r[top + 1], r[top + 2]
            angle, length = np.arctan2(y, x) % (2.0 * np.pi), np.hypot(x, y)
            h = np.minimum((angle / step).astype(np.int64), eta - 1)
            beta = np.zeros((K, eta))
            beta[each, h] = length * np.sin(np.maximum(step - (angle - h * step), 0.0)) / np.sin(step)
            beta[each, (h + 1) % eta] = length * np.sin(np.maximum(angle - h * step, 0.0)) / np.sin(step)
        z[: eta * K] = beta.ravel()
        z[eta * K + K : eta * K + 2 * K] = 0.0
        w = self.A @ z + self.b
        z[eta * K + K : eta * K + 2 * K] = np.maximum(-w[: eta * K].reshape(K, eta).min(axis=1, initial=0.0), 0.0)
        return np.asarray(z)

    def errors(self, r: Array) -> Errors:
        """Compute the errors of the circle, with natural map and velocity of the complementarity problem at the z of r"""
        problem, b, s = self.problem, self.problem.offset, self.scale
        z, u = self.unknowns(r), problem.unchecked_velocity(r)
        errors = all_errors(problem.sets, b, r, u, "ncp", s)
        w, low, high = self.A @ z + self.b, (z - self.lower) / self.unit, (z - self.upper) / self.unit
        h = np.minimum(np.maximum(w * self.unit, high), low)
        lack = np.sqrt(np.bincount(self.block, h * h, len(self.of_block))) / self.of_block
        rows = np.repeat(np.arange(problem.blocks), np.diff(problem.sets.start))
        pressed = np.sqrt(np.bincount(rows, (r / s / s) ** 2, 1))
        size = max(float(np.linalg.norm(vector)) for vector in (b * s, r / s, u * s)) or 1.0
        hidden = ROUNDING * float(pressed.max(initial=0.0))
        return replace(
            errors, natural_map=float(np.linalg.norm(h)) / size, velocity=float(lack.max(initial=0.0)) + hidden
        )
