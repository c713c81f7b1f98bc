"""Laws that are linear complementarity problems, solved by the methods for those: a polygon for friction, and no friction.

The unknowns of the polygonal law are beta, f, lambda and rows. Multipliers r say all of them: beta is the friction force in
the two directions beside it, and lambda the speed of sliding, the least that the law allows,

    lambda = max_h(-d_h . u_t).

Of a contact that parts, the law allows any larger one, and numbers without bound hide errors. So how good a solution is, is
measured with the lambda and the beta of its multipliers, beside max(|b|, |r|, |u|) as in the other laws.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse

from pluecker.contact.errors import ProblemError
from pluecker.contact.lcp import NEWTON_STEPS, solve_lcp
from pluecker.contact.measures import all_errors, scale_of_errors
from pluecker.contact.polygon import FrictionLcp, friction_lcp
from pluecker.contact.prepared import scales
from pluecker.contact.problem import Problem
from pluecker.contact.result import CONVERGED, STALLED, UNSOLVED, Result, Stage, doubt
from pluecker.spatial.elementwise import Array

__all__ = ["LCP_METHODS", "solve_as_lcp"]

LCP_METHODS = {
    "lemke": "lemke",
    "fischer_newton": "fischer_newton",
    "minmap_newton": "minmap_newton",
    "lcp_psor": "psor",
}
TIGHTEST = 1e-15  # tolerance that a method is given
ROUNDS = 3  # of a method, each begun where the last one ended, with the auxiliary multipliers made small
AUTOMATIC = ("minmap_newton", "fischer_newton", "lemke")


def solve_as_lcp(
    problem: Problem,
    law: str,
    method: str,
    tol: float,
    limit: int | None,
    start: Array | None,
    directions: int,
    history: bool,
) -> Result:
    """As :func:`~pluecker.contact.solve.solve`, which checks the arguments."""
    began = time.perf_counter()
    if law == "lcp" and method == "lcp_psor":
        raise ProblemError(
            "method 'lcp_psor' needs a positive diagonal; the multipliers lambda of the law lcp have none"
        )
    lcp: Polygon | NormalsOnly = (Polygon if law == "lcp" else NormalsOnly)(problem, directions)
    best = np.zeros(problem.size) if start is None else np.asarray(lcp.map @ lcp.project(lcp.unknowns(start)))
    error, status, message = lcp.error(best), STALLED, ""
    record: list[tuple[float, float]] = []
    stages: list[Stage] = []
    before = 0.0
    for name in AUTOMATIC if method == "auto" else (LCP_METHODS[method],):
        z, goal = lcp.unknowns(best) if start is not None else None, tol
        for _ in range(ROUNDS):
            rest = None if limit is None else limit - sum(stage.iterations for stage in stages)
            most = rest if rest is None or method != "auto" or name == "lemke" else min(rest, NEWTON_STEPS)
            try:
                found = solve_lcp(
                    lcp.A, lcp.b, lower=lcp.lower, upper=lcp.upper, method=name, tol=goal, max_iterations=most, start=z,
                    history=history,
                )  # fmt: skip
            except ProblemError:  # Lemke's method does not solve all mixed problems
                if not stages:
                    raise
                break
            r = np.asarray(lcp.map @ found.z)
            now = lcp.error(r)
            if now < error:
                error, best = now, r
            status, message = found.status, found.message
            stages.append(Stage(name, found.iterations, error, found.time))
            known = found.history if name != "lemke" else np.zeros(0)  # that of its pivots is of another quantity
            seconds = before + np.linspace(0.0, found.time, len(known) + 1)[1:]
            record += [*zip(seconds, known, strict=True)]
            before += found.time
            if now <= tol or not found.converged or name == "lemke" or rest == found.iterations:
                break
            z, goal = lcp.unknowns(r), max(0.1 * goal * tol / now, TIGHTEST)
        if error <= tol or rest == found.iterations:
            break
    status = {"ray": UNSOLVED, "infeasible": UNSOLVED, CONVERGED: STALLED}.get(status, status)
    solved = problem.with_friction(0.0) if law == "frictionless" else problem
    u = solved.velocity(best)
    scale = np.repeat(scales(solved.operator, solved.sets), np.diff(solved.sets.start))
    errors = all_errors(solved.sets, solved.offset, best, u, "ncp" if law == "lcp" else law, scale)
    if error <= tol:
        # The circle that the polygon approximates is another matter than units.
        status, message = CONVERGED, "" if law == "lcp" else doubt(errors, tol)
    elif not message or message == "solved":
        message = f"natural map {error:.1e} is above {tol:.1e}: no further progress"
    iterations = sum(stage.iterations for stage in stages)
    return Result(
        best, u, law, method, status, replace(errors, natural_map=error), tol, iterations, iterations, 1,
        time.perf_counter() - began, tuple(stages), np.array(record).reshape(-1, 2) if history else None, message,
    )  # fmt: skip


class NormalsOnly:
    """The problem without friction: normal multipliers and rows."""

    def __init__(self, problem: Problem, directions: int) -> None:
        first = problem.sets.start[:-1]
        n = len(first)
        self.problem, self.first = problem.with_friction(0.0), first
        self.map = scipy.sparse.csr_matrix((np.ones(n), (first, np.arange(n))), shape=(problem.size, n))
        self.A: Any = scipy.sparse.csr_matrix(self.map.T @ problem.matrix() @ self.map)
        self.b, self.lower, self.upper = problem.offset[first], problem.sets.lower, problem.sets.upper

    def project(self, z: Array) -> Array:
        """z within its bounds"""
        return np.minimum(np.maximum(z, self.lower), self.upper)

    def unknowns(self, r: Array) -> Array:
        """z of multipliers r"""
        return r[self.first]

    def error(self, r: Array) -> float:
        """The natural map of the law"""
        u = self.problem.velocity(r)
        return all_errors(self.problem.sets, self.problem.offset, r, u, "frictionless").natural_map


class Polygon:
    """The problem with a polygon for friction."""

    def __init__(self, problem: Problem, directions: int) -> None:
        lcp: FrictionLcp = friction_lcp(problem, directions)
        self.problem, self.directions, self.contacts = problem, directions, lcp.E.shape[1]
        self.A, self.b, self.lower, self.upper, self.map = lcp.A, lcp.b, lcp.lower, lcp.upper, lcp.map

    def project(self, z: Array) -> Array:
        """z within its bounds"""
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

    def error(self, r: Array) -> float:
        """The natural map of the complementarity problem at the z of r, beside max(|b|, |r|, |u|)"""
        z = self.unknowns(r)
        w = self.A @ z + self.b
        gap = np.minimum(np.maximum(w, z - self.upper), z - self.lower)
        return float(np.linalg.norm(gap)) / scale_of_errors(self.problem.offset, r, self.problem.velocity(r))
