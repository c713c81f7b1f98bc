"""Laws that are linear complementarity problems: Coulomb's law with a polygon, and no friction."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import scipy.sparse

from pluecker.contact.errors import ProblemError
from pluecker.contact.lcp import LcpResult, solve_lcp
from pluecker.contact.measures import all_errors
from pluecker.contact.polygon import friction_lcp
from pluecker.contact.problem import Problem
from pluecker.contact.result import Result, Stage
from pluecker.spatial.elementwise import Array

__all__ = ["LCP_METHODS", "solve_as_lcp"]

LCP_METHODS = {
    "lemke": "lemke",
    "fischer_newton": "fischer_newton",
    "minmap_newton": "minmap_newton",
    "lcp_psor": "psor",
}
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
    """As :func:`~pluecker.contact.solve.solve`, which checks the arguments.

    The natural map is that of the complementarity problem.
    """
    began = time.perf_counter()
    if law == "lcp":
        if method == "lcp_psor":
            raise ProblemError(
                "method 'lcp_psor' needs a positive diagonal; the multipliers lambda of the law lcp have none"
            )
        lcp = friction_lcp(problem, directions)
        A, b, lower, upper, back = lcp.A, lcp.b, lcp.lower, lcp.upper, lcp.map
        z0 = None
    else:
        first = problem.sets.start[:-1]
        back = scipy.sparse.csr_matrix(
            (np.ones(len(first)), (first, np.arange(len(first)))), shape=(problem.size, len(first))
        )
        A, b = scipy.sparse.csr_matrix(back.T @ problem.matrix() @ back), problem.offset[first]
        lower, upper = problem.sets.lower, problem.sets.upper
        z0 = None if start is None else start[first]
    names = AUTOMATIC if method == "auto" else (LCP_METHODS[method],)
    stages, best = [], None
    for name in names:
        found = solve_lcp(
            A, b, lower=lower, upper=upper, method=name, tol=tol, max_iterations=limit, start=z0, history=history
        )
        stages.append(Stage(name, found.iterations, found.natural_map, found.time))
        if best is None or found.natural_map < best.natural_map:
            best = found
        if best.converged:
            break
    assert best is not None
    return as_result(problem, law, method, tol, best, np.asarray(back @ best.z), stages, began)


def as_result(
    problem: Problem, law: str, method: str, tol: float, best: LcpResult, r: Array, stages: list[Stage], began: float
) -> Result:
    """The record of the friction layer."""
    solved = problem.with_friction(0.0) if law == "frictionless" else problem
    u = solved.velocity(r)
    errors = all_errors(solved.sets, solved.offset, r, u, "ncp" if law == "lcp" else law)
    errors = replace(errors, natural_map=best.natural_map)
    status = {"ray": "no solution found", "infeasible": "no solution found"}.get(best.status, best.status)
    record = None
    if len(best.history):
        record = np.column_stack([np.linspace(0, best.time, len(best.history) + 1)[1:], best.history])
    iterations = sum(stage.iterations for stage in stages)
    elapsed = time.perf_counter() - began
    message = "" if best.converged else best.message
    return Result(
        r, u, law, method, status, errors, tol, iterations, iterations, 1, elapsed, tuple(stages), record, message
    )
