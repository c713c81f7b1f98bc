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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.lcp.complementarity import make_problem
from pluecker.contact.friction.lcp.polygon import (
    Unknowns,
    check_directions,
    polygon_directions,
    polygon_unknowns,
    usual_directions,
)
from pluecker.contact.friction.lcp.solve_lcp import run, usual_limit
from pluecker.contact.friction.problem.natural_map import ROUNDING
from pluecker.contact.friction.problem.prepared import scales
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.results.measures import Errors, all_errors
from pluecker.contact.friction.results.result import LIMIT, UNSOLVED, Result, Stage, is_converged, judge
from pluecker.contact.friction.results.states import Blocks
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy
from pluecker.spatial.properties import cached_property

__all__ = ["LCP_METHODS", "solve_as_lcp"]

Flags = NDArray[np.bool_]
LCP_METHODS = ("lemke", "minmap_newton")
DENSE = 200  # unknowns up to which a full matrix is faster: SciPy's sparse ones take 20 us before they begin (measured)
FIRST_DIRECTIONS = 32  # of a contact that has many: those that a solution begins with
FINER = 4  # how many times as many come next where these lead nowhere
AUTOMATIC = ("minmap_newton", "lemke")


@dataclass
class Course:
    """Course of a solution so far: what was run, how much of the limit is left, and when.

    Attributes:
        method, tol: what was asked for.
        limit: of iterations; None for the usual one of each run. left: what of it is left.
        stages, record: runs of methods, and errors after each iteration.
        before: how long they took together, in s.
        ended, why: status and message of the last one.
    """

    method: str
    tol: float
    limit: int | None
    left: float
    stages: list[Stage]
    record: list[tuple[float, float]]
    before: float = 0.0
    ended: str = ""
    why: str = ""


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

    Friction acts along two directions of a contact at most. So of many directions a few are looked at, evenly spread, and
    then those with them that the solution asks for: beside its friction, and where its speed of sliding is larger than in
    all of those. The solution of so few is one of all when there are no more. All of them at once take a full matrix, and
    Newton's method from zero as many steps as there are directions.
    """
    began = time.perf_counter()
    whole: Polygon | NormalsOnly = Polygon(problem, directions) if law == "lcp" else NormalsOnly(problem)
    course = Course(method, tol, limit, math.inf if limit is None else limit, [], [])
    if isinstance(whole, Polygon) and whole.directions > 2 * FIRST_DIRECTIONS:
        best, errors = solve_on_few(whole, course, warm_start)
    else:
        best, errors = solve_on_all(whole, course, warm_start)
    iterations = sum(stage.iterations for stage in course.stages)
    status, message = judge(errors, tol, iterations if course.ended == LIMIT else None)
    if course.ended in ("ray", "infeasible") and not is_converged(errors, tol):
        status, message = UNSOLVED, course.why
    return Result(
        best, whole.problem.unchecked_velocity(best), law, method, status, errors, tol, iterations, iterations, 1,
        time.perf_counter() - began, tuple(course.stages), np.array(course.record).reshape(-1, 2) if history else None,
        message, Blocks(whole.problem.sets, whole.scale, whole.problem.offset),
    )  # fmt: skip


def solve_on_few(whole: Polygon, course: Course, warm_start: Array | None) -> tuple[Array, Errors]:
    """Solve a polygon of many directions by those that matter; return multipliers, and their errors for all directions."""
    start, even, smallest = warm_start, FIRST_DIRECTIONS, math.inf
    chosen = whole.evenly(even)
    if start is not None:
        chosen |= whole.wanted(start)
    while True:
        part = whole if chosen.all() else whole.of(chosen)
        best, errors = solve_on_all(part, course, start)
        solved = is_converged(errors, course.tol)
        errors = errors if part is whole else whole.errors(best)
        if part is whole or is_converged(errors, course.tol) or course.left == 0:
            return best, errors
        more = whole.wanted(best)
        if not solved or errors.largest >= smallest or not (more & ~chosen).any():
            even *= FINER
            chosen |= whole.evenly(even)
        smallest = min(smallest, errors.largest)
        chosen |= more
        start = best if solved else warm_start  # a method that fails is not begun where it did


def solve_on_all(lcp: Polygon | NormalsOnly, course: Course, warm_start: Array | None) -> tuple[Array, Errors]:
    """Solve a problem by the methods of a course, which goes on; return the best multipliers and their errors."""
    method, tol, limit, left = course.method, course.tol, course.limit, course.left
    # In units of impulses and speeds near those in which the errors are measured; powers of two change no digit.
    unit = np.exp2(np.rint(np.log2(lcp.unit)))
    units = scipy.sparse.diags_array(unit)
    given = make_problem(units @ lcp.A @ units, unit * lcp.b, lcp.lower / unit, lcp.upper / unit)
    covering = unit / lcp.unit  # alike for all, so that Lemke's path depends on no units
    first = None if warm_start is None else lcp.unknowns(np.asarray(lcp.map @ lcp.project(lcp.unknowns(warm_start))))
    best = np.asarray(lcp.map @ lcp.project(np.zeros(given.size)))
    errors = lcp.errors(best)

    def accept(z: Array) -> bool:
        nonlocal best, errors
        r = np.asarray(lcp.map @ (unit * z))
        now = lcp.errors(r)
        if now.largest < errors.largest:
            best, errors = r, now
        return is_converged(now, tol)

    for name in AUTOMATIC if method == "auto" else (method,):
        z, usual = None if first is None else first / unit, usual_limit(name, given.size)
        most = int(min(left, usual if limit is None or method == "auto" else left))
        try:
            found = run(given, name, tol, most, z, covering, accept=accept)
        except ProblemError:  # Lemke's method does not solve all mixed problems
            if not course.stages:
                raise
            continue
        left, course.ended, course.why = left - found.iterations, found.status, found.message
        course.stages.append(Stage(name, found.iterations, errors.largest, found.time))
        known = found.history if name != "lemke" else np.zeros(0)  # that of its pivots is of another quantity
        seconds = course.before + np.linspace(0.0, found.time, len(known) + 1)[1:]
        course.record += [*zip(seconds, known, strict=True)]
        course.before += found.time
        first = None if first is None else lcp.unknowns(best)
        if is_converged(errors, tol) or left == 0:
            break
    course.left = left
    return best, errors


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
    """The problem with a polygon for friction: all its directions, or some of them.

    Args:
        problem: contacts and rows.
        directions: of each contact; the usual number for None.

    Attributes:
        directions: of each contact, of all of which some may be chosen.
        chosen: which of them these are, contact by contact, ``(directions * contacts,)``.
        lower, upper, map, unit: bounds of the unknowns, their multipliers, and units near one.
        scale: s of each row of the problem.
    """

    def __init__(self, problem: Problem, directions: int | None) -> None:
        self.problem, self.directions = problem, usual_directions(problem) if directions is None else directions
        if directions is not None:
            check_directions(problem, directions)
        self.choose(polygon_unknowns(problem, self.directions), scales(problem.operator, problem.sets), None)

    def choose(self, unknowns: Unknowns, scale: Array, chosen: Flags | None) -> None:
        """Set the unknowns, of chosen directions or all of them."""
        sets, eta = self.problem.sets, self.directions
        friction, K, _, R = unknowns.counts
        self.all, self.scale, self.contacts = unknowns, scale, K
        self.chosen = np.ones(friction, dtype=np.bool_) if chosen is None else chosen
        each = np.flatnonzero(self.chosen)
        kept = np.concatenate([each, friction + np.arange(2 * K + R)])
        self.map, self.cone = (
            (unknowns.map, unknowns.cone)
            if chosen is None
            else (scipy.sparse.csr_matrix(unknowns.map[:, kept]), scipy.sparse.csr_matrix(unknowns.cone[kept][:, kept]))
        )
        self.lower, self.upper = unknowns.lower[kept], unknowns.upper[kept]
        self.of_beta, self.angle = each // eta, 2.0 * np.pi / eta * (each % eta)
        self.unit_of_beta = polygon_directions(eta)[each % eta] if eta > 2 else np.zeros((len(each), 0))
        contact = sets.sizes[:, 0] > 0
        s, every = scale[sets.start[:-1]], np.arange(K)
        of, rest = s[contact], s[~contact]  # of an impulse; lambda is a velocity
        self.top, self.rows = sets.start[:-1][contact], sets.start[:-1][~contact]
        self.unit = np.concatenate([of[self.of_beta], of, 1.0 / of, rest])
        self.block = np.concatenate([self.of_beta, every, every, K + np.arange(R)])
        self.of_block = np.concatenate([of, rest])

    @cached_property
    def A(self) -> Any:
        """Matrix of the complementarity problem."""
        back = scipy.sparse.csr_matrix(self.map.T)
        return small_dense(scipy.sparse.csr_matrix(back @ self.problem.matrix() @ self.map + self.cone))

    @cached_property
    def b(self) -> Array:
        """Offset of the complementarity problem."""
        return np.asarray(self.map.T @ self.problem.offset)

    def of(self, chosen: Flags) -> Polygon:
        """Return the problem with some of the directions."""
        part = object.__new__(Polygon)
        part.problem, part.directions = self.problem, self.directions
        part.choose(self.all, self.scale, chosen)
        return part

    def evenly(self, count: int) -> Flags:
        """Flag so many directions of each contact, evenly spread, or all of them."""
        eta = self.directions
        found = np.zeros((self.contacts, eta), dtype=np.bool_)
        found[:, np.unique(np.arange(min(count, eta)) * eta // min(count, eta))] = True
        return found.ravel()

    def wanted(self, r: Array) -> Flags:
        """Flag the directions that a solution asks for: beside its friction, and beside that against which it slides."""
        eta, K = self.directions, self.contacts
        u, found = self.problem.unchecked_velocity(r), np.zeros((K, eta), dtype=np.bool_)
        each = np.arange(K)
        for x, y in ((r[self.top + 1], r[self.top + 2]), (-u[self.top + 1], -u[self.top + 2])):
            h = (np.arctan2(y, x) % (2.0 * np.pi) / (2.0 * np.pi / eta)).astype(np.int64)
            found[each, h % eta] = found[each, (h + 1) % eta] = True
        return found.ravel()

    def project(self, z: Array) -> Array:
        """Project z on its bounds"""
        return np.minimum(np.maximum(z, self.lower), self.upper)

    def along(self, x: Array) -> Array:
        """Components of a vector of the problem, of each contact along its directions"""
        if self.directions == 2:
            return np.where(self.angle > 0.0, -1.0, 1.0) * x[self.top + 1][self.of_beta]
        D, k = self.unit_of_beta, self.of_beta
        return np.asarray(D[:, 0] * x[self.top + 1][k] + D[:, 1] * x[self.top + 2][k])

    def unknowns(self, r: Array) -> Array:
        """z of multipliers r: the friction in the two directions beside it, the least lambda"""
        k, n = self.of_beta, len(self.of_beta)
        start = np.searchsorted(k, np.arange(self.contacts + 1))
        if self.directions == 2:
            beta = np.maximum(self.along(r), 0.0)
        else:
            each, turn = np.arange(self.contacts), 2.0 * np.pi
            x, y = r[self.top + 1], r[self.top + 2]
            angle, length = np.arctan2(y, x) % turn, np.hypot(x, y)
            # the last direction that is not beyond, of the contact's own; before its first one comes its last
            h = np.searchsorted(2.0 * turn * k + self.angle, 2.0 * turn * each + angle, side="right") - 1
            h = np.where(h < start[:-1], start[1:] - 1, h)
            after = np.where(h + 1 < start[1:], h + 1, start[:-1])
            since, step = (angle - self.angle[h]) % turn, (self.angle[after] - self.angle[h]) % turn
            beta = np.zeros(n)
            beta[h] = length * np.sin(np.maximum(step - since, 0.0)) / np.sin(step)
            beta[after] = length * np.sin(since) / np.sin(step)
        speeds = -self.along(self.problem.unchecked_velocity(np.asarray(r)))
        largest = np.maximum.reduceat(speeds, start[:-1]) if n else np.zeros(0)
        return np.concatenate([beta, r[self.top], np.maximum(largest, 0.0), r[self.rows]])

    def errors(self, r: Array) -> Errors:
        """Compute the errors of the circle, with natural map and velocity of the complementarity problem at the z of r"""
        problem, b, s, K, n = self.problem, self.problem.offset, self.scale, self.contacts, len(self.of_beta)
        z, u = self.unknowns(r), problem.unchecked_velocity(r)
        errors = all_errors(problem.sets, b, r, u, "ncp", s)
        speed, beta = z[n + K : n + 2 * K], np.bincount(self.of_beta, z[:n], K)
        friction = problem.sets.friction[problem.sets.sizes[:, 0] > 0, 0]
        w = np.concatenate(
            [self.along(u) + speed[self.of_beta], u[self.top], friction * r[self.top] - beta, u[self.rows]]
        )
        low, high = (z - self.lower) / self.unit, (z - self.upper) / self.unit
        h = np.minimum(np.maximum(w * self.unit, high), low)
        lack = np.sqrt(np.bincount(self.block, h * h, len(self.of_block))) / self.of_block
        rows = np.repeat(np.arange(problem.blocks), np.diff(problem.sets.start))
        pressed = np.sqrt(np.bincount(rows, (r / s / s) ** 2, 1))
        size = max(float(np.linalg.norm(vector)) for vector in (b * s, r / s, u * s)) or 1.0
        hidden = ROUNDING * float(pressed.max(initial=0.0))
        return replace(
            errors, natural_map=float(np.linalg.norm(h)) / size, velocity=float(lack.max(initial=0.0)) + hidden
        )
