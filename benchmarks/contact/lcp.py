"""Topic ``lcp``: linear complementarity problems, all methods beside the Lemke of QuantEcon.py, from 1 unknown to 300.

Definite and semidefinite random matrices, and Coulomb's law with a polygon for random packings of spheres. Every call is a
whole one: of ours from arrays to a result with its errors, of QuantEcon's ``lcp_lemke`` from arrays to its result.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.contact.problems import packing
from benchmarks.measuring.report import ROUNDS, Report, ratio, seconds
from benchmarks.measuring.timing import Effort, interleaved, progress
from pluecker.contact import friction_lcp, solve_lcp
from pluecker.contact.friction.lcp.complementarity import make_problem, natural_map
from pluecker.contact.friction.lcp.solve_lcp import METHODS
from pluecker.spatial.extras import MissingExtraError, require
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

SIZES = (1, 3, 10, 30, 100, 300)
CONTACTS = (1, 3, 10, 30)
SIDES = 8
TOLERANCE = 1e-10
LONG = 0.2  # seconds from which a call is timed in fewer rounds


def definite(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """A = G G' + 1 / 10, well conditioned."""
    G = rng.normal(size=(n, n)) / np.sqrt(n)
    return G @ G.T + 0.1 * np.eye(n), rng.normal(size=n)


def semidefinite(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """A = G G' of half the rank, and b for which there is a solution."""
    G = rng.normal(size=(n, max(1, n // 2))) / np.sqrt(n)
    return G @ G.T, np.abs(rng.normal(size=n)) * (rng.random(n) < 0.5) + G @ rng.normal(size=G.shape[1])


def problems(quick: bool) -> Iterator[tuple[str, Array, Array]]:
    """Name, A and b."""
    rng = np.random.default_rng(15)
    for name, make in (("definite", definite), ("half the rank", semidefinite)):
        for n in SIZES[:3] if quick else SIZES:
            yield f"{name}, {n}", *make(n, rng)
    for contacts in CONTACTS[:2] if quick else CONTACTS:
        lcp = friction_lcp(packing(contacts, contacts), directions=SIDES)
        yield f"polygons of {len(lcp.b) // (SIDES + 2)} contacts, {len(lcp.b)}", lcp.A.toarray(), lcp.b


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "lcp", "Linear complementarity problems beside QuantEcon's Lemke",
        "Seconds of the processor for a whole call with dense arrays, to a natural map of 1e-10; for each method the "
        "ratio to those of `quantecon.optimize.lcp_lemke`, shorter is better. In brackets where the tolerance was not "
        "reached, and what was.",
        ["problem, unknowns", "QuantEcon", *METHODS, "natural map of QuantEcon", "of lemke"],
    )  # fmt: skip
    try:
        peer = require("quantecon", "peers", "comparing").optimize.lcp_lemke
    except MissingExtraError:
        report.note("QuantEcon.py is not installed (`pip install 'pluecker[peers]'`): times of ours alone.")
        peer = None
    for name, A, b in progress(list(problems(effort.states < 1000)), "lcp"):
        report.rows.append(row(name, A, b, peer, effort))
    report.notes += [
        ROUNDS,
        "QuantEcon's is Lemke's method compiled, on a tableau that is not made anew, without units and without a check of "
        "the answer. `lemke` scales the problem, proves infeasibility, solves the last basis once more by LU and measures "
        "the result: that costs a few hundred microseconds of NumPy a call.",
        "Default limits of iterations.",
        f"OPENBLAS_NUM_THREADS is {os.environ.get('OPENBLAS_NUM_THREADS', 'not set')}: on a machine with other work, "
        "threads of BLAS that wait for one another make any method with matrices of a few hundred rows slow.",
    ]
    return report


def row(name: str, A: Array, b: Array, peer: Any, effort: Effort) -> list[str]:
    """One line of the table."""
    problem = make_problem(A, b)
    calls: dict[str, Callable[[], Any]] = {}
    found: dict[str, float] = {}
    ours = "-"
    for method in METHODS:
        result = solve_lcp(A, b, method=method, tol=TOLERANCE)
        found[method] = 0.0 if result.converged else result.natural_map
        calls[method] = lambda method=method: solve_lcp(A, b, method=method, tol=TOLERANCE)  # type: ignore[misc]
        ours = f"{result.natural_map:.1e}" if method == "lemke" else ours
        if result.time > LONG:
            effort = Effort(min(effort.rounds, 3), 0.0, effort.states, effort.processes)
    theirs = "-"
    if peer is not None:
        z = peer(A, b).z
        theirs = f"{natural_map(problem, z, problem.slack(z)):.1e}"
        calls["peer"] = lambda: peer(A, b)
    times = interleaved(calls, effort, time.process_time)
    line = [name, seconds(times["peer"].median) if peer is not None else "-"]
    for method in METHODS:
        spent = times[method]
        text = seconds(spent.median) if peer is None else f"{seconds(spent.median)}, {ratio(spent.over(times['peer']))}"
        line.append(text if found[method] == 0.0 else f"({text}: {found[method]:.0e})")
    return [*line, theirs, ours]
