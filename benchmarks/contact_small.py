"""Four contacts in compiled code: the dense kernel for one state, and for eight at a time in lanes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.contact_report import ContactReport
from benchmarks.report import Report, seconds
from benchmarks.timing import Effort, interleaved, progress
from pluecker.contact.friction.dense.cone_problem import cone_problem_memory, solve_cone_problem
from pluecker.contact.friction.problem.operator import to_matrix
from pluecker.contact.friction.problem.problem import Problem
from pluecker.spatial.functions.elementwise import Array

__all__ = ["few_contacts_compiled"]

GOAL, WIDTH, MOST = 1e-8, 8, 200


def lanes(n: int) -> Array:
    """``(n, 8)`` zeros, each row in a line of the cache of its own."""
    memory = np.zeros(WIDTH * (n + 1))
    first = -(memory.ctypes.data // memory.itemsize) % WIDTH
    return memory[first : first + WIDTH * n].reshape(n, WIDTH)


def kernel_call(problems: list[Problem]) -> tuple[Callable[[], None], Array]:
    """A call for one problem, or for eight with blocks alike, always from zero; and where it leaves the errors."""
    n, contacts = problems[0].size, problems[0].blocks
    sizes = (n * n, n, contacts, n, 1, cone_problem_memory(n, contacts))
    W, b, friction, r, error, work = (np.zeros(k) if len(problems) == 1 else lanes(k) for k in sizes)
    for k, problem in enumerate(problems):
        lane = slice(None) if len(problems) == 1 else (slice(None), k)
        W[lane] = to_matrix(problem.operator).toarray().ravel()
        b[lane], friction[lane] = problem.offset, problem.sets.friction[:, 0]
    kinds = np.zeros(contacts)  # what they are, by its bits

    def call() -> None:
        r[:] = 0.0
        solve_cone_problem(W, b, kinds, friction, True, GOAL, MOST, r, error, work)

    return call, error


def few_contacts_compiled(problem: Callable[[int], Problem], effort: Effort, report: ContactReport) -> Report:
    """Measure a call of the dense kernel from compiled code, as a step makes it, for four contacts."""
    table = Report(
        "contact_few_compiled", "Four contacts in compiled code, Coulomb's law",
        f"One call of the dense kernel to {GOAL:.0e} from zero: for one state, and of eight states in lanes for each.",
        ["motion", "one state", "error", "in lanes, each", "largest error"],
    )  # fmt: skip
    together, errors = kernel_call([problem(seed) for seed in range(WIDTH)])
    alone, shared = [], []
    for seed in progress(range(WIDTH), "few contacts, compiled"):
        one, error = kernel_call([problem(seed)])
        times = interleaved({"one": partial(one), "eight": partial(together)}, effort)
        alone.append(1e6 * times["one"].median)
        shared.append(1e6 * times["eight"].median / WIDTH)
        each = seconds(times["eight"].median / WIDTH)
        table.rows.append([f"{seed + 1}", seconds(times["one"].median), f"{error[0]:.1e}", each, f"{errors.max():.1e}"])
    table.notes.append("About a microsecond of each call is Python's way into compiled code and back.")
    report.target("microseconds, four contacts in compiled code, the slowest", 10.0, max(alone))
    report.target("microseconds, four contacts in lanes, each, the slowest", 2.0, max(shared))
    return table
