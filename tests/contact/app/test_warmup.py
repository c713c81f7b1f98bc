"""Compiling ahead: afterwards nothing is left to compile or to load; and what calls wait for is measured.

Which problems and laws are compiled for, and what counts as waiting, is looked at inside: from outside there is time only.
"""

import os
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from numba.core import event

from pluecker.contact import METHODS, Result, warmup
from pluecker.contact.app.warmup import TOPICS, Wait, fastest, from_bodies, run_method, small_problems
from pluecker.spatial import MissingExtraError
from tests.conftest import COMPILED

AFTER = """
import sys
import numpy as np
from numba.core.registry import CPUDispatcher
from pluecker import contact
from pluecker.contact import solve, solve_lcp, warmup
from pluecker.spatial.extras import MissingExtraError
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

warmup(progress=False)
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
                        try:
                            given = dict(form=form, history=history, separate=separate, threads=2, tol=1e-11)
                            result = solve(problem, law, method, max_iterations=300, **given)
                            solve(problem, law, method, max_iterations=9, warm_start=result.multipliers, **given)
                        except MissingExtraError:
                            pass
    contact.poisson_restitution(problem, [0.5] * K)
A = rng.normal(size=(9, 9))
for method in ("lemke", "minmap_newton", "psor"):
    solve_lcp(A @ A.T, rng.normal(size=9), method=method, history=True)
print([(name, types) for name, types in signatures().items() if types != before.get(name, [])])
"""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_after_warmup_in_a_new_process_no_method_or_law_needs_other_code():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), os.getcwd()])}
    done = subprocess.run([sys.executable, "-c", AFTER], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"


def test_small_problems_have_contacts_of_all_sizes_and_rows_in_both_forms():
    problems = small_problems()
    heights = {int(problem.sets.start[1]) for problem in problems if problem.sets.sizes[0, 0] or problem.blocks > 3}
    assert heights == {1, 2, 3, 5, 6}
    for is_factored in (0, 1):
        assert {tuple(p.sets.sizes[0]) for p in problems if p.operator.is_factored == is_factored} >= {
            (0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 2, 0), (2, 2, 1),
        }  # fmt: skip
    assert from_bodies().blocks == 3


def test_warmup_runs_every_method_once(monkeypatch):
    ran = []
    monkeypatch.setattr(import_module("pluecker.contact.app.warmup"), "run_method", lambda name, _: ran.append(name))
    warmup(progress=False)
    assert ran == [*METHODS]


def test_every_law_that_a_method_solves_is_warmed_up_and_no_other(monkeypatch):
    """A law that a method refuses is an error, so that none is tried in vain."""
    seen = []
    monkeypatch.setattr(
        import_module("pluecker.contact.app.warmup"), "solve", lambda p, law, name, **_: seen.append((name, law))
    )
    for name in METHODS:
        run_method(name, [from_bodies()])
    assert ("auto", "lcp") in seen
    assert set(seen) == {(name, law) for name, how in METHODS.items() for law in how.laws}


def test_a_method_whose_extra_is_missing_is_left_out(monkeypatch):
    def solve(*_, **__):
        raise MissingExtraError("no clarabel")

    monkeypatch.setattr(import_module("pluecker.contact.app.warmup"), "solve", solve)
    run_method("clarabel", [from_bodies()])
    monkeypatch.undo()
    with pytest.raises(KeyError):  # other errors are not
        run_method("nonsense", [from_bodies()])


def test_waiting_is_the_time_in_which_any_thread_compiles_or_loads(monkeypatch):
    clock = iter([1.0, 4.0, 10.0, 10.5])
    monkeypatch.setattr(import_module("pluecker.contact.app.warmup"), "perf_counter", lambda: next(clock))
    said = []
    with Wait(lambda: said.append("compiling")) as wait:
        with event.trigger_event("numba:compiler_lock"), event.trigger_event("numba:compiler_lock"):
            pass
        assert (wait.seconds, wait.compiled, said) == (3.0, 0, [])
        with event.trigger_event("numba:compiler_lock"), event.trigger_event("numba:compile"):
            pass
        with event.trigger_event("numba:compile"):
            pass
    with event.trigger_event("numba:compiler_lock"):
        pass
    assert (wait.seconds, wait.compiled, said) == (3.5, 2, ["compiling"])


def test_the_fastest_call_is_the_one_that_is_given_back():
    times = iter([0.5, 0.2, 0.3])

    def call():
        return Result(None, None, "ncp", "apgd", "converged", None, 1e-6, 1, 1, 1, next(times))

    result, waited = fastest(call, 3)
    assert (result.time, waited) == (0.2, 0.0)


def test_warmup_wants_an_answer_and_topics_that_exist():
    with pytest.raises(TypeError, match="warmup: progress is a int, expected True or False"):
        warmup(progress=5)
    with pytest.raises(KeyError, match="warmup: no topic is called 'robots', expected one of friction, worlds"):
        warmup(topics=["robots"])


def test_the_usual_problems_are_solved_and_worlds_move():
    """Small problems go one way, and those of sixty contacts another one."""
    few, bodies, many = (part.args[0] for part in TOPICS["friction"].parts())
    assert [problem.blocks for problem in (few, bodies, many)] == [1, 3, 60]
    swings, *lie = TOPICS["worlds"].parts()
    assert swings().v[-1] != 0.0
    assert len(lie) == 3
    for step in lie:
        assert np.abs(step().v).max() < 1e-2
    assert [part.func.__name__ for part in TOPICS["instants"].parts()] == ["accelerations", "impact", "rows_at"] * 2


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


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_the_first_small_problem_enters_no_function_of_the_methods_for_large_ones():
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    entered = set(done.stdout.split())
    assert "first_steps" in entered
    assert entered.isdisjoint(LADDER)


BESIDE = """
from numba.core import caching
asked, look = set(), caching.Cache.load_overload
def look_up(cache, *arguments):
    asked.add(f"{cache._py_func.__module__}.{cache._py_func.__name__}")
    return look(cache, *arguments)
caching.Cache.load_overload = look_up
from pluecker.contact.app.warmup import world_step
from pluecker.contact.piles import companion as beside
beside.companion.running = dict.fromkeys(beside.TOPICS)
steps = world_step()
asked.clear()
for part in beside.TOPICS[NAME]:
    beside.compile_part(part)
print(*asked)
asked.clear()
steps[STEP]()
print(*asked)
"""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
@pytest.mark.parametrize(("topic", "step"), [("found", 1), ("step", 2), ("step", 3), ("motion", 0)])
def test_what_is_compiled_beside_the_first_step_of_a_world_is_all_of_its_solver(topic, step):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), os.getcwd()])}
    script = BESIDE.replace("NAME", repr(topic)).replace("STEP", str(step))
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    beside, here = (line.split() for line in done.stdout.splitlines())
    assert beside
    assert here  # other code, which is looked for in the same way
    assert not set(beside) & set(here)
    if topic == "found":
        assert not [name for name in here if name.startswith(("pluecker.contact.solving", "pluecker.contact.problem"))]
