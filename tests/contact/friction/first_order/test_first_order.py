"""First-order methods: an independent solver, and what each promises: the best pair, kept, and finite."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
from numba import config

from pluecker.contact import Problem, errors_of, read_fclib, solve
from tests.contact.any_blocks import of_factors, sets_of
from tests.contact.random_friction import KINDS, Random, clarabel_solution, random_problem

FIRST_ORDER = ("apgd", "pgs", "psor")
FILES = Path(__file__).resolve().parents[4] / "shared/data/friction"
LAWS = ("ccp", "ncp")
every_method = pytest.mark.parametrize("method", FIRST_ORDER)
every_law = pytest.mark.parametrize("law", LAWS)


def run(problem, method, law="ccp", tol=1e-6, limit=20000, start=None, **named):
    """A method of first order, with more iterations than it has unless told otherwise."""
    return solve(problem, law, method, tol=tol, max_iterations=limit, warm_start=start, **named)


def softened(random, compliance):
    """The problem of a full matrix, all of it softer by a number that is not in the matrix."""
    return random.problem(np.full(len(random.b), compliance))


def factors_of(random, compliance):
    """Return the problem from factors, J = T with N = J J'."""
    value, vector = np.linalg.eigh(random.full)
    kept = value > 1e-12 * value[-1]
    J = vector[:, kept] * np.sqrt(value[kept])
    columns = np.unique(np.append(np.arange(0, J.shape[1], 6), J.shape[1]))
    return of_factors(J, J, columns, random.b, random.K, np.full(len(random.b), compliance))


def mixed(seed, count=7, kinds=KINDS):
    """Contacts of all sizes and rows, and a compliance that makes the solution unique."""
    random = random_problem(seed, count, kinds, copies=0.3)
    return random, 0.3 * float(np.trace(random.full)) / max(len(random.b), 1)


def side_by_side(parts):
    """Random problems that do not touch, as one."""
    fields = (np.concatenate(field) for field in zip(*(part.K[1:] for part in parts), strict=True))
    full = scipy.linalg.block_diag(*(part.full for part in parts))
    return Random(full, np.concatenate([part.b for part in parts]), sets_of(*fields))


# -------------------------------------------------------------------------------------------------------- other solvers


@every_method
@pytest.mark.parametrize("kinds", [("3",), KINDS])
@pytest.mark.parametrize("seed", range(4))
def test_convex_problems_have_the_solution_of_clarabel(method, seed, kinds):
    pytest.importorskip("clarabel")
    random, compliance = mixed(seed, kinds=kinds)
    found = run(softened(random, compliance), method, tol=1e-9)
    full = random.full + compliance * np.eye(len(random.b))
    expected, content = clarabel_solution(random._replace(full=full))
    assert content
    assert found.errors.natural_map <= 1e-9
    # N >= compliance: the error of r is at most |residual| / compliance, both solvers'.
    assert np.linalg.norm(found.multipliers - expected) <= 1e-5 * np.linalg.norm(expected)


# ------------------------------------------------------------------------------------------------------------- promises


@every_method
@every_law
@pytest.mark.parametrize("kinds", [("3",), KINDS])
def test_both_forms_of_the_operator_give_the_same(method, law, kinds):
    random, compliance = mixed(11, kinds=kinds)
    one, other = (
        run(p, method, law, 1e-30, 12) for p in (softened(random, compliance), factors_of(random, compliance))
    )
    assert one.errors.natural_map == pytest.approx(other.errors.natural_map, rel=1e-6)
    assert np.linalg.norm(one.multipliers - other.multipliers) <= 1e-9 * np.linalg.norm(one.multipliers)


@every_method
@every_law
def test_islands_together_are_what_they_are_alone(method, law):
    parts = [mixed(seed, 4) for seed in (21, 22)]
    compliance = parts[0][1]
    both = run(softened(side_by_side([random for random, _ in parts]), compliance), method, law, 1e-7)
    assert both.islands == 2
    # Islands need less, so that all together have the tolerance.
    apart = [run(softened(random, compliance), method, law, 1e-7 / np.sqrt(3.0)) for random, _ in parts]
    assert np.array_equal(both.multipliers, np.concatenate([found.multipliers for found in apart]))
    assert both.iterations == max(found.iterations for found in apart)
    joined = softened(side_by_side([random for random, _ in parts]), compliance)
    together = run(joined, method, law, 1e-8, separate=False)
    assert together.islands == 1
    distance = np.linalg.norm(together.multipliers - both.multipliers)
    assert distance <= 1e-4 * np.linalg.norm(both.multipliers)


def is_inside(method, law):
    """Return whether the method solves convex problems inside, so that their law decides which iterate is the best."""
    return method == "apgd" and law == "ncp"


def uneven(seed):
    """Rigid contacts of bodies of very different masses: errors rise and fall on the way.

    Without equations, whose part in the errors of all rows does not fall from iteration to iteration: they are eliminated.
    """
    kinds = tuple(kind for kind in KINDS if kind != "equation")
    return random_problem(seed, 5, kinds, copies=0.3, ratio=1e3).problem()


@every_method
@every_law
@pytest.mark.parametrize("seed", range(31, 35))
def test_the_best_pair_is_returned_and_only_gets_better(method, law, seed):
    problem, before = uneven(seed), np.inf
    full = run(problem, method, law, 1e-8, 25, separate=False, history=True).history[:, 1]
    inside = is_inside(method, law)
    for limit in range(1, 25, 2):
        found = run(problem, method, law, 1e-8, limit, separate=False, history=True)
        error = found.errors.largest
        assert found.iterations <= min(limit, found.products)
        assert inside or error <= before
        if found.iterations:  # stages have the velocities of the method, the errors new ones
            assert error == pytest.approx(found.stages[-1].error, rel=1e-6)
            assert error == pytest.approx(found.history[-1, 1], rel=1e-6)
        if not inside and found.iterations:
            assert error == pytest.approx(full[found.iterations - 1], rel=1e-6)
        before = error


@every_method
@every_law
def test_a_solution_is_recognised(method, law):
    """The method itself recognises it: beside it is an island that is not solved yet, a row that is solved at once."""
    random, compliance = mixed(43)
    solved = run(softened(random, compliance), method, law, 1e-8)
    row = Random(np.eye(1), [-np.abs(random.b).max()], sets_of([(0, 0, 0)], np.zeros((1, 3)), [0.0], [1e-3]))
    alone = run(softened(row, compliance), method, law, 1e-7).iterations
    assert alone <= (2 if is_inside(method, law) else 1)
    start = np.append(solved.multipliers, 0.0)
    again = run(softened(side_by_side([random, row]), compliance), method, law, 1e-7, start=start)
    assert again.converged
    assert again.iterations == alone
    distance = np.linalg.norm(again.multipliers[:-1] - solved.multipliers)
    assert distance <= 1e-5 * np.linalg.norm(solved.multipliers)


@every_method
@every_law
@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e8, 1e120])
def test_results_are_finite_where_there_is_no_solution(method, law, scale):
    W = scale * np.array([[1.0, 0, 0, 1.0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [1.0, 0, 0, 1.0]])
    problem = Problem.from_delassus(W, [-1.0, 3.0, 0.0, 2.0], [0.5], rows=([-np.inf], [np.inf]))
    found = run(problem, method, law, limit=60)
    assert np.isfinite([*found.multipliers, *found.velocity, found.errors.natural_map]).all()
    assert not found.converged
    assert found.errors.relative_velocity > 0.1


@every_method
@every_law
def test_an_unreachable_tolerance_ends(method, law):
    found = run(Problem.from_delassus(np.diag([2.0, 0.5, 0.5]), [-2.0, 0.0, 3.0], [0.5]), method, law, 1e-300, 3000)
    assert found.iterations < 3000
    assert found.errors.natural_map < 1e-12


@pytest.mark.parametrize("relaxation", [0.5, 1.0, 1.9])
def test_any_relaxation_between_0_and_2_converges(relaxation):
    random, compliance = mixed(51)
    assert run(softened(random, compliance), "psor", relaxation=relaxation).errors.natural_map <= 1e-6


def nearest_in_friction_cone(z, mu):
    """The point of |r_t| <= mu r_n nearest to z, of three components, in closed form."""
    normal, tangent = z[0], np.hypot(z[1], z[2])
    if tangent <= mu * normal:
        return z
    height = max(0.0, (normal + mu * tangent) / (1.0 + mu * mu))
    return np.array([height, *(mu * height / tangent * z[1:])])


def published_apgd(N, b, project, steps):
    """The points of the algorithm APGD of Mazhar, Heyn, Negrut and Tasora (2015), with the names that it has there

    Their step grows by 1 / 0.9 and not by 1 / 0.98, and the Lipschitz constant is doubled where ours takes the curvature
    that was met if that is more.
    """
    gamma = y = np.zeros_like(b)
    one = np.ones_like(b)
    L, theta = np.linalg.norm(N @ one) / np.linalg.norm(one), 1.0
    for _ in range(steps):
        gradient = N @ y + b
        while True:
            new = project(y - gradient / L)
            d = new - y
            curvature = d @ N @ d
            if curvature <= L * (d @ d):
                break
            L = max(2.0 * L, curvature / (d @ d))
        after = (-(theta**2) + theta * np.sqrt(theta**2 + 4.0)) / 2.0
        beta = theta * (1.0 - theta) / (theta**2 + after)
        y, theta = new + beta * (new - gamma), after
        if gradient @ (new - gamma) > 0.0:
            y, theta = new, 1.0
        gamma, L = new, 0.98 * L
        yield gamma


@pytest.mark.parametrize("seed", [61, 62, 63])
def test_nesterovs_momentum_is_that_of_the_published_algorithm(seed):
    """Point by point: the errors on the way are those of the algorithm in plain NumPy"""
    random, steps = random_problem(seed, 6, ("3",), friction=(0.2, 0.9), ratio=30.0), 60
    problem = random.problem()
    found = run(problem, "apgd", "ccp", 1e-12, steps, separate=False, history=True, momentum="nesterov")
    s = found.blocks.scale
    mu = random.K.friction[:, 0]

    def project(z):
        return np.concatenate([nearest_in_friction_cone(z[3 * i : 3 * i + 3], mu[i]) for i in range(len(mu))])

    points = published_apgd(s[:, None] * random.full * s, s * random.b, project, steps)
    errors = np.minimum.accumulate([errors_of(problem, s * x, "ccp").largest for x in points])
    errors = errors[errors > 1e-7]  # below, rounding begins to decide which step goes uphill
    assert len(errors) > 25
    assert found.history[: len(errors), 1] == pytest.approx(errors, rel=1e-6)
    full = run(problem, "apgd", "ccp", 1e-12, steps, separate=False, history=True)
    assert not np.allclose(full.history[3 : len(errors), 1], errors[3:], rtol=1e-3)


@every_law
@pytest.mark.parametrize("seed", [64, 65])
def test_nesterovs_momentum_leads_to_the_same_solution(law, seed):
    random, compliance = mixed(seed)
    problem = softened(random, compliance)
    full, nesterov = (run(problem, "apgd", law, 1e-9, momentum=momentum) for momentum in ("full", "nesterov"))
    assert nesterov.converged
    distance = np.linalg.norm(full.multipliers - nesterov.multipliers)
    assert distance <= 1e-6 * np.linalg.norm(full.multipliers)


# -------------------------------------------------------------------------------------------------------- real problems

# The largest number of iterations for Box_Stacks, Capsules, LMGC_100, Spheres, spheres-in-a-box in one piece, or none.
LIMITS = {
    ("pgs", "ccp"): (95, 1800, 2250, 1010, None),
    ("pgs", "ncp"): (95, 900, 3050, 1090, None),
    ("psor", "ccp"): (60, 1100, 1360, 620, None),
    ("psor", "ncp"): (60, 1280, 1900, 670, None),
    ("apgd", "ccp"): (60, 300, 400, 140, 8450),
    ("apgd", "ncp"): (95, 1400, 600, 600, 16000),
}


@pytest.mark.skipif(config.DISABLE_JIT, reason="thousands of iterations: compiled only")
@pytest.mark.skipif(not FILES.exists(), reason=f"the problems are not in {FILES}")
@pytest.mark.parametrize(("method", "law"), LIMITS)
def test_real_problems_take_no_more_iterations_than_measured(method, law):
    pytest.importorskip("h5py")
    for path, limit in zip(sorted(FILES.glob("*.hdf5")), LIMITS[method, law], strict=True):
        problem = read_fclib(path).assembled()
        found = run(problem, method, law, limit=limit or 300, separate=False)
        assert found.errors.largest <= (1e-6 if limit else 1e-1), path.name
