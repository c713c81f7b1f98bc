"""First-order methods: closed forms, an independent solver, and what each promises: the best pair, kept, and finite."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from numba import config

from pluecker.contact import Problem, read_fclib, solve
from pluecker.contact.admm import run_admm
from pluecker.contact.apgd import run_apgd
from pluecker.contact.barzilai_borwein import run_barzilai_borwein
from pluecker.contact.blocks import from_scipy
from pluecker.contact.first_order import ROWS_OF_WORK, STATE, rows_apart
from pluecker.contact.jacobi import run_jacobi
from pluecker.contact.measures import all_errors
from pluecker.contact.operator import assembled, factored
from pluecker.contact.pgs import run_pgs, run_psor
from pluecker.contact.prepared import prepare
from tests.contact.random_friction import KINDS, as_problem, clarabel_solution, random_problem

RUNNERS = {
    "apgd": run_apgd,
    "pgs": run_pgs,
    "psor": run_psor,
    "jacobi": run_jacobi,
    "barzilai_borwein": run_barzilai_borwein,
    "admm": run_admm,
}
FILES = Path(__file__).resolve().parents[3] / "shared/data/friction"
LAWS = {"ccp": 0, "ncp": 1}
every_method = pytest.mark.parametrize("method", RUNNERS)
every_law = pytest.mark.parametrize("law", LAWS)


class Found(NamedTuple):
    """What a method found: multipliers and velocities without scales, the error, iterations, products, history."""

    r: np.ndarray
    u: np.ndarray
    error: float
    iterations: int
    products: int
    history: np.ndarray


def run(problem, method, law="ccp", tol=1e-6, limit=20000, separate=True, start=None, relaxation=0.0):
    """A method on all islands of a problem."""
    P, places = prepare(problem, separate)
    m, islands = problem.size, len(P.islands) - 1
    work = rows_apart(ROWS_OF_WORK + 2, m)
    x, u, history = work[-1], work[-2], np.zeros(limit + 2)
    u[:] = P.b
    if start is not None:
        x[:] = start[places] / P.s
    results, states = np.zeros((islands, 3)), np.zeros((islands, STATE))
    results[:, 0] = np.inf
    options = np.array([relaxation, 0.0, 0.0, 0.0])
    RUNNERS[method](P, LAWS[law], x, u, tol, limit, options, work, states, history, results, 0, islands)
    r, v = np.zeros(m), np.zeros(m)
    r[places], v[places] = x * P.s, u / P.s
    used = int(results[:, 1].max())
    return Found(r, v, float(results[:, 0].max()), used, int(results[:, 2].max()), history[1 : used + 1])


def problem_of(random, compliance=0.0):
    """A problem from the full matrix; the compliance is added to it."""
    extra = np.full(len(random.b), compliance)
    return Problem(assembled(random.N, extra), random.b, random.K)


def factors_of(random, compliance=0.0):
    """The same problem from factors, J = T with N = J J'."""
    value, vector = np.linalg.eigh(random.full)
    kept = value > 1e-12 * value[-1]
    J = scipy.sparse.csr_matrix(vector[:, kept] * np.sqrt(value[kept]))
    columns = np.unique(np.append(np.arange(0, J.shape[1], 6), J.shape[1]))
    B = from_scipy(J, random.K.start, columns)
    return Problem(factored(B, B, np.full(len(random.b), compliance)), random.b, random.K)


def mixed(seed, count=7, kinds=KINDS):
    """Contacts of all sizes and rows, and a compliance that makes the solution unique."""
    random = random_problem(seed, count, kinds, copies=0.3)
    return random, 0.3 * float(np.trace(random.full)) / max(len(random.b), 1)


# --------------------------------------------------------------------------------------------------------- closed forms

ONE = np.diag([2.0, 0.5, 0.5])
CASES = {  # law, b, multipliers of one contact with friction 0.5
    "stuck": (("ccp", "ncp"), [-2.0, 0.1, -0.2], [1.0, -0.2, 0.4]),
    "open": (("ccp", "ncp"), [2.0, 3.0, 0.0], [0.0, 0.0, 0.0]),
    "sliding exactly": (("ncp",), [-2.0, 0.0, 3.0], [1.0, 0.0, -0.5]),
    # min r_n^2 + r_t^2 / 4 - 2 r_n + 3 r_t with r_t = -r_n / 2: r_n = 3.5 / 2.125
    "sliding convexly": (("ccp",), [-2.0, 0.0, 3.0], [3.5 / 2.125, 0.0, -1.75 / 2.125]),
}


@every_method
@pytest.mark.parametrize("case", CASES)
def test_one_contact_in_closed_form(method, case):
    laws, b, expected = CASES[case]
    for law in laws:
        found = run(Problem.from_delassus(ONE, b, [0.5]), method, law, 1e-9)
        assert found.error <= 1e-9
        assert found.r == pytest.approx(expected, abs=1e-8)
        assert found.u == pytest.approx(ONE @ expected + b, abs=1e-8)


@every_method
@every_law
def test_a_problem_without_multipliers(method, law):
    result = solve(Problem.from_delassus(np.zeros((0, 0)), [], np.zeros(0)), law, method)
    assert result.converged
    assert (result.iterations, result.multipliers.shape) == (0, (0,))


@every_method
@every_law
def test_rows_alone_are_numbers_clamped(method, law):
    W, b = np.diag([2.0, 1.0, 4.0, 1.0, 3.0]), np.array([-2.0, 5.0, -40.0, 3.0, 1.0])
    lower, upper = [-np.inf, 0.0, -np.inf, -1.0, 0.25], [np.inf, np.inf, 2.0, 1.0, 0.25]
    problem = Problem.from_delassus(W, b, np.zeros(0), rows=(lower, upper))
    expected = np.clip(-b / np.diag(W), lower, upper)
    for separate in (True, False):
        found = run(problem, method, law, 1e-10, separate=separate)
        assert found.error <= 1e-10
        assert found.r == pytest.approx(expected, abs=1e-8)


@every_method
def test_equations_that_say_the_same_are_solved(method):
    rng = np.random.default_rng(3)
    J = rng.normal(size=(3, 5))
    J = np.vstack([J, J[0], 2.0 * J[1], J[0] - J[2]])
    b = J @ rng.normal(size=5)
    problem = Problem.from_delassus(J @ J.T, b, np.zeros(0), rows=(np.full(6, -np.inf), np.full(6, np.inf)))
    found = run(problem, method, tol=1e-8)
    assert found.error <= 1e-8
    assert np.abs(J @ (J.T @ found.r) + b).max() <= 1e-7 * np.linalg.norm(b)


# -------------------------------------------------------------------------------------------------------- other solvers


@every_method
@pytest.mark.parametrize("kinds", [("3",), KINDS])
@pytest.mark.parametrize("seed", range(4))
def test_convex_problems_have_the_solution_of_clarabel(method, seed, kinds):
    pytest.importorskip("clarabel")
    random, compliance = mixed(seed, kinds=kinds)
    found = run(problem_of(random, compliance), method, tol=1e-9)
    full = random.full + compliance * np.eye(len(random.b))
    expected, content = clarabel_solution(random._replace(full=full))
    assert content
    assert found.error <= 1e-9
    # N >= compliance: the error of r is at most |residual| / compliance, both solvers'.
    assert np.linalg.norm(found.r - expected) <= 1e-5 * np.linalg.norm(expected)


@every_method
@pytest.mark.parametrize("seed", range(4, 8))
def test_the_exact_law_is_met_as_the_measures_see_it(method, seed):
    random, compliance = mixed(seed)
    problem = problem_of(random, compliance)
    found = run(problem, method, "ncp", 1e-7)
    errors = all_errors(problem.sets, problem.offset, found.r, problem.velocity(found.r), "ncp")
    assert found.error <= 1e-7
    assert errors.natural_map <= 2e-7
    assert errors.cone_violation <= 1e-14


# ------------------------------------------------------------------------------------------------------------- promises


@every_method
@every_law
@pytest.mark.parametrize("kinds", [("3",), KINDS])
def test_both_forms_of_the_operator_give_the_same(method, law, kinds):
    random, compliance = mixed(11, kinds=kinds)
    one, other = (
        run(p, method, law, 1e-30, 12) for p in (problem_of(random, compliance), factors_of(random, compliance))
    )
    assert one.error == pytest.approx(other.error, rel=1e-6)
    assert np.linalg.norm(one.r - other.r) <= 1e-9 * np.linalg.norm(one.r)


@every_method
@every_law
def test_islands_together_are_what_they_are_alone(method, law):
    parts = [mixed(seed, 4) for seed in (21, 22)]
    full = scipy.linalg.block_diag(*(random.full for random, _ in parts))
    b, sets = np.concatenate([random.b for random, _ in parts]), [random.K for random, _ in parts]
    joined = as_problem(full, b, *(np.concatenate(field) for field in zip(*(K[1:] for K in sets), strict=True)))
    compliance = parts[0][1]
    apart = [run(problem_of(random, compliance), method, law, 1e-7) for random, _ in parts]
    both = run(problem_of(joined, compliance), method, law, 1e-7)
    assert np.array_equal(both.r, np.concatenate([found.r for found in apart]))
    assert both.iterations == max(found.iterations for found in apart)
    together = run(problem_of(joined, compliance), method, law, 1e-8, separate=False)
    assert np.linalg.norm(together.r - both.r) <= 1e-4 * np.linalg.norm(both.r)


def uneven(seed):
    """Rigid contacts of bodies of very different masses: errors rise and fall on the way."""
    return problem_of(random_problem(seed, 5, copies=0.3, ratio=1e3))


@every_method
@every_law
@pytest.mark.parametrize("seed", range(31, 35))
def test_the_best_pair_is_returned_and_only_gets_better(method, law, seed):
    problem, before = uneven(seed), np.inf
    full = run(problem, method, law, 1e-8, 25, separate=False)
    inside = method in ("apgd", "barzilai_borwein") and law == "ncp"  # what is best is decided by the convex law
    assert inside or (np.diff(full.history) <= 0).all()
    for limit in range(1, 25, 2):
        found = run(problem, method, law, 1e-8, limit, separate=False)
        assert found.iterations <= min(limit, found.products)
        assert inside or found.error <= before
        assert found.u == pytest.approx(problem.velocity(found.r), abs=1e-10 * np.abs(problem.offset).max())
        errors = all_errors(problem.sets, problem.offset, found.r, found.u, law)
        assert found.error == pytest.approx(errors.natural_map, rel=1e-6)
        if not inside and found.iterations:
            assert found.error == pytest.approx(full.history[found.iterations - 1], rel=1e-6)
        before = found.error


@every_method
@every_law
def test_the_same_twice_bit_for_bit(method, law):
    random, compliance = mixed(41)
    one, two = (run(problem_of(random, compliance), method, law, 1e-7) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@every_method
@every_law
def test_a_solution_is_recognised(method, law):
    random, compliance = mixed(43)
    found = run(problem_of(random, compliance), method, law, 1e-8)
    again = run(problem_of(random, compliance), method, law, 1e-7, start=found.r)
    assert again.iterations <= 1
    assert np.linalg.norm(again.r - found.r) <= 1e-5 * np.linalg.norm(found.r)


@every_method
@every_law
@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e8, 1e120])
def test_results_are_finite_where_there_is_no_solution(method, law, scale):
    W = scale * np.array([[1.0, 0, 0, 1.0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [1.0, 0, 0, 1.0]])
    problem = Problem.from_delassus(W, [-1.0, 3.0, 0.0, 2.0], [0.5], rows=([-np.inf], [np.inf]))
    found = run(problem, method, law, limit=60)
    assert np.isfinite([*found.r, *found.u, found.error]).all()
    assert scale < 1.0 or found.error > 1e-6  # the natural map compares r with u: it says little where N is tiny


@every_method
@every_law
def test_an_unreachable_tolerance_ends(method, law):
    found = run(Problem.from_delassus(ONE, [-2.0, 0.0, 3.0], [0.5]), method, law, 1e-300, 3000)
    assert found.iterations < 3000
    assert found.error < 1e-12


@pytest.mark.parametrize("method", ["psor", "jacobi"])
@pytest.mark.parametrize("relaxation", [0.5, 1.0, 1.9])
def test_any_relaxation_between_0_and_2_converges(method, relaxation):
    random, compliance = mixed(51)
    assert run(problem_of(random, compliance), method, relaxation=relaxation).error <= 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("method", ["psor", "jacobi"])
@pytest.mark.parametrize("seed", range(31, 35))
def test_the_best_pair_is_returned_where_relaxation_makes_errors_rise(method, seed):
    for limit in range(1, 30):
        found = run(uneven(seed), method, "ncp", 1e-12, limit, separate=False, relaxation=1.95)
        assert found.error == pytest.approx(found.history[-1], rel=1e-9)


def test_a_step_of_barzilai_and_borwein_that_is_too_long_is_shortened_to_the_lowest_point():
    # Six equations that are one: the scaled operator has the eigenvalue 6, and the first step is 1.
    problem = Problem.from_delassus(
        np.ones((6, 6)), -np.ones(6), np.zeros(0), rows=(np.full(6, -np.inf), np.full(6, 9.0))
    )
    found = run(problem, "barzilai_borwein", tol=1e-12, limit=1)
    assert found.r == pytest.approx(np.full(6, 1 / 6), rel=1e-14)


def test_compiled_runners_have_names_of_their_own():
    names = [runner.__name__ for runner in RUNNERS.values()]
    assert names == [f"run_{method}" for method in RUNNERS]


# -------------------------------------------------------------------------------------------------------- real problems

# The largest number of iterations for Box_Stacks, Capsules, LMGC_100, Spheres, spheres-in-a-box in one piece, or none.
LIMITS = {
    ("pgs", "ccp"): (90, 1560, 10, 945, None),
    ("pgs", "ncp"): (90, 830, 10, 1010, None),
    ("psor", "ccp"): (55, 1000, 8, 600, None),
    ("psor", "ncp"): (55, 640, 8, 640, None),
    ("jacobi", "ccp"): (180, 4000, 40, 1050, None),
    ("jacobi", "ncp"): (180, 1450, 40, 1000, None),
    ("barzilai_borwein", "ccp"): (90, 450, 20, 250, None),
    ("barzilai_borwein", "ncp"): (110, 2800, 20, 700, None),
    ("admm", "ccp"): (50, 1100, 10, 80, None),
    ("admm", "ncp"): (50, 2200, 10, 350, None),
    ("apgd", "ccp"): (60, 300, 15, 130, 8000),
    ("apgd", "ncp"): (95, 1400, 30, 600, 15000),
}


@pytest.mark.skipif(config.DISABLE_JIT, reason="thousands of iterations: compiled only")
@pytest.mark.skipif(not FILES.exists(), reason=f"the problems are not in {FILES}")
@pytest.mark.parametrize(("method", "law"), LIMITS)
def test_real_problems_take_no_more_iterations_than_measured(method, law):
    pytest.importorskip("h5py")
    for path, limit in zip(sorted(FILES.glob("*.hdf5")), LIMITS[method, law], strict=True):
        problem = read_fclib(path).assembled()
        found = run(problem, method, law, limit=limit or 300, separate=False)
        assert found.error <= (1e-6 if limit else 1e-1), path.name
