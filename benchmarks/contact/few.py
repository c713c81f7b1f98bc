"""Four contacts: a call from Python, and the dense kernel in compiled code for one state and for eight in lanes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.contact.report import ContactReport
from benchmarks.contact.solvers import GOAL
from benchmarks.measuring.report import Report, seconds
from benchmarks.measuring.resources import lanes_array
from benchmarks.measuring.timing import Effort, interleaved, progress
from pluecker.contact.friction.dense.cone_problem import cone_problem_memory, solve_cone_problem
from pluecker.contact.friction.problem.operator import to_matrix
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.solving.solve import solve
from pluecker.contact.friction.solving.solver import Solver
from pluecker.contact.friction.tables.assembly import assemble_contacts
from pluecker.contact.friction.tables.bodies import Bodies
from pluecker.contact.friction.tables.table import ContactTable
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.functions.elementwise import Array

__all__ = ["few_contacts", "few_contacts_compiled"]

FEW = 5  # motions of a body on four feet
FINE, MOST = 1e-8, 200  # of the kernel


def feet(seed: int) -> Problem:
    """Four feet of a body of 20 kg on the floor, which moves at random: 12 multipliers, one island."""
    rng = np.random.default_rng(seed)
    corners = np.array([[x, y, 0.0] for x in (-0.3, 0.3) for y in (-0.15, 0.15)])
    velocity = np.concatenate([0.3 * rng.normal(size=3), [0.5, 0.2, -0.3] * rng.normal(size=3)])
    bodies = Bodies(
        np.array([np.inf, 20.0]), np.array([np.eye(3), np.diag([0.3, 0.9, 1.0])]), np.array([[0, 0, -1.0], [0, 0, 0.4]]),
        velocity=np.array([np.zeros(6), velocity]),
    ).with_gravity()  # fmt: skip
    table = ContactTable(np.array([[0, 1]] * 4), np.array([[0, 0, 1.0]] * 4), corners, friction=np.full(4, 0.6))
    return assemble_contacts(bodies, table, 1e-3)


def few_contacts(effort: Effort, report: ContactReport) -> Report:
    """Measure the cost of calls that have hardly anything to do."""
    table = Report(
        "contact_few", "Four contacts from Python, Coulomb's law",
        f"One call of `auto` to {GOAL:.0e}, on a problem that is at hand: a body on four feet.",
        ["motion", "prepared", "prepared, from its own solution", "not prepared", "what solved it", "natural map"],
    )  # fmt: skip
    prepared, alone = [], []
    for seed in progress(range(FEW), "few contacts"):
        problem = feet(seed)
        solver = Solver(problem, tol=GOAL)
        result = solver.solve()
        calls = {
            "prepared": partial(solver.solve, problem.offset),
            "warm": partial(solver.solve, problem.offset, warm_start=result.multipliers),
            "alone": partial(solve, problem, tol=GOAL),
        }
        times = interleaved(calls, effort)
        prepared.append(1e6 * times["prepared"].median)
        alone.append(1e6 * times["alone"].median)
        table.rows.append(
            [f"{seed + 1}", *(seconds(times[name].median) for name in calls),
             ", ".join(stage.method for stage in result.stages), f"{result.errors.natural_map:.1e}"]
        )  # fmt: skip
    table.notes.append(
        "Prepared: `Solver.solve(offset)`. Not prepared: `solve(problem)`; making the problem is in neither. A call gives a "
        "whole result, with all errors."
    )
    report.target("microseconds, four contacts from Python, prepared, the slowest", 60.0, max(prepared))
    report.target("microseconds, four contacts from Python, not prepared, the slowest", 200.0, max(alone))
    return table


def kernel_call(problems: list[Problem]) -> tuple[Callable[[], None], Array]:
    """A call for one problem, or for eight with blocks alike, always from zero; and where it leaves the errors."""
    n, contacts = problems[0].size, problems[0].blocks
    sizes = (n * n, n, contacts, n, 1, cone_problem_memory(n, contacts))
    W, b, friction, r, error, work = (np.zeros(k) if len(problems) == 1 else lanes_array(k) for k in sizes)
    for k, problem in enumerate(problems):
        lane = slice(None) if len(problems) == 1 else (slice(None), k)
        W[lane] = to_matrix(problem.operator).toarray().ravel()
        b[lane], friction[lane] = problem.offset, problem.sets.friction[:, 0]
    kinds = np.zeros(contacts)  # what they are, by its bits

    def call() -> None:
        r[:] = 0.0
        solve_cone_problem(W, b, kinds, friction, True, FINE, MOST, r, error, work)

    return call, error


def few_contacts_compiled(effort: Effort, report: ContactReport) -> Report:
    """Measure a call of the dense kernel from compiled code, as a step makes it, for four contacts."""
    table = Report(
        "contact_few_compiled", "Four contacts in compiled code, Coulomb's law",
        f"One call of the dense kernel to {FINE:.0e} from zero: for one state, and of eight states in lanes for each.",
        ["motion", "one state", "error", "in lanes, each", "largest error"],
    )  # fmt: skip
    together, errors = kernel_call([feet(seed) for seed in range(WIDTH)])
    alone, shared = [], []
    for seed in progress(range(WIDTH), "few contacts, compiled"):
        one, error = kernel_call([feet(seed)])
        times = interleaved({"one": partial(one), "eight": partial(together)}, effort)
        alone.append(1e6 * times["one"].median)
        shared.append(1e6 * times["eight"].median / WIDTH)
        each = seconds(times["eight"].median / WIDTH)
        table.rows.append([f"{seed + 1}", seconds(times["one"].median), f"{error[0]:.1e}", each, f"{errors.max():.1e}"])
    table.notes.append("About a microsecond of each call is Python's way into compiled code and back.")
    report.target("microseconds, four contacts in compiled code, the slowest", 10.0, max(alone))
    report.target("microseconds, four contacts in lanes, each, the slowest", 2.0, max(shared))
    return table
