"""Compiling ahead: afterwards nothing is left to compile or to load.

What a new process compiles is looked at inside it: from outside there is time only.
"""

import numpy as np
import pytest
from numba.core import event

from benchmarks.contact.problems import packing
from pluecker import warmup
from pluecker.contact import Problem, solve
from tests.conftest import COMPILED
from tests.programs import printed_by

compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")


class Compilations(event.Listener):
    """Counts what is compiled in this process."""

    def __init__(self):
        self.begun = 0

    def on_start(self, event):
        self.begun += 1

    def on_end(self, event):
        pass


@compiled_only
def test_after_warmup_the_usual_problems_compile_nothing():
    """Small problems go one way, those of sixty contacts another, by their matrix and from bodies."""
    warmup(["friction"], progress=False)
    rng = np.random.default_rng(5)
    J = rng.normal(size=(180, 120))
    problems = [
        Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5]),
        packing(4),
        Problem.from_delassus(J @ J.T, J @ J[1], np.full(60, 0.5)),
    ]
    with event.install_listener("numba:compile", Compilations()) as compilations:
        for problem in problems:
            assert solve(problem).converged
            assert solve(problem, "ccp").converged
    assert compilations.begun == 0


@pytest.mark.plain
@pytest.mark.parametrize("topic", ["friction", "worlds", "loops", "instants", "large"])
def test_what_is_compiled_ahead_runs(topic):
    warmup([topic], progress=False)


AFTER = """
import sys
import numpy as np
from numba.core.registry import CPUDispatcher
from pluecker import contact
from pluecker import warmup
from pluecker.contact import solve, solve_lcp
from tests.contact.random_friction import random_problem
from tests.contact.random_scenes import random_bodies, random_rows, random_table

def signatures():
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name.startswith("pluecker."):
            for thing in vars(module).values():
                if isinstance(thing, CPUDispatcher):
                    found[thing.py_func.__module__, thing.py_func.__qualname__] = thing.signatures
    return found

warmup(["methods"], progress=False)
before = {name: list(types) for name, types in signatures().items()}
rng = np.random.default_rng(1)
for columns in (1, 2, 3):
    bodies = random_bodies(rng, 8, static=(0, 4))
    K = 3 * columns
    table = random_table(rng, 8, K, columns, restitution=rng.uniform(0, 1, K), compliance=rng.uniform(0, 1, (K, 3)))
    problem = contact.assemble_contacts(bodies, table, 0.01, random_rows(rng, 8) if columns > 1 else None)
    for law in contact.LAWS:
        methods = [name for name, how in contact.METHODS.items() if law in how.laws]
        if law == "lcp" and columns > 1:
            continue
        for method in methods:
            for form in ("best", "matrix", "factors"):
                for history in (False, True):
                    for separate in (False, True):
                        given = dict(form=form, history=history, separate=separate, threads=2, tol=1e-11)
                        result = solve(problem, law, method, max_iterations=300, **given)
                        solve(problem, law, method, max_iterations=9, warm_start=result.multipliers, **given)
    contact.poisson_restitution(problem, [0.5] * K)
A = rng.normal(size=(9, 9))
for method in ("lemke", "minmap_newton"):
    solve_lcp(A @ A.T, rng.normal(size=9), method=method, history=True)
print([(name, types) for name, types in signatures().items() if types != before.get(name, [])])
"""


@pytest.mark.everything
@compiled_only
def test_after_warmup_in_a_new_process_no_method_or_law_needs_other_code():
    assert printed_by(AFTER) == "[]\n"


FIRST = """
import sys
from numba.core.registry import CPUDispatcher
from pluecker.contact import Problem, solve

assert solve(Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])).converged
found = set()
for name, module in sorted(sys.modules.items()):
    if name.startswith("pluecker.contact."):
        for thing in vars(module).values():
            thing = getattr(thing, "function", thing)  # of those whose types are not asked for again
            entered = thing.signatures if type(thing) is CPUDispatcher else "entrance" in getattr(thing, "__dict__", {})
            if isinstance(thing, CPUDispatcher) and entered:
                found.add(thing.py_func.__qualname__)
print(*sorted(found))
"""
LADDER = {
    "run_apgd",
    "run_pgs",
    "interior_point",
    "find_pattern",
    "evaluate_all",
    "residual",
    "jacobian",
    "multiply_factors",
}


@pytest.mark.everything
@compiled_only
def test_the_first_small_problem_enters_no_function_of_the_methods_for_large_ones():
    entered = set(printed_by(FIRST).split())
    assert "on_islands" in entered
    assert entered.isdisjoint(LADDER)
