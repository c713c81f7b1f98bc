"""Bilateral rows solved by a factor: they hold to rounding, redundant ones have least energy, contradictory ones a name."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contact.mechanisms import MECHANISMS, chain, door, four_bar
from pluecker.contact import Problem, errors_of, solve
from pluecker.contact.friction.elimination import elimination, full_matrices
from tests.contact.random_friction import random_problem

INF = np.inf
EPS = np.finfo(float).eps
JOINTS = {name: make for name, make in MECHANISMS.items() if "stack" not in name}


@pytest.fixture(params=["full", "sparse"])
def matrices(request, monkeypatch):
    """Use sparse factors for few rows too, which otherwise are eliminated with full matrices."""
    if request.param == "sparse":
        monkeypatch.setattr(full_matrices, "LARGEST", 0)


def metric_pseudoinverse(N):
    """Return the pseudoinverse with the least sum of N_kk r_k^2 of solutions, and of u_k^2 / N_kk of residuals."""
    root = np.sqrt(np.diag(N))
    return np.linalg.pinv(N / np.outer(root, root), rcond=1e-11, hermitian=True) / np.outer(root, root)


def bilateral(problem):
    return np.flatnonzero(np.isneginf(problem.sets.lower) & np.isposinf(problem.sets.upper)), problem.sets.start[:-1]


def random_rows(seed, rows=8, redundant=3, contacts=2, factored=True, contradiction=0.0, soft=0.0):
    """Contacts and bilateral rows in units from 1e-2 to 1e2, some rows combinations of others, masses from 0.1 to 10."""
    rng, n = np.random.default_rng(seed), 24
    J = rng.normal(size=(rows, n))
    J = np.vstack([J, rng.normal(size=(redundant, rows)) @ J])
    J = rng.permutation(J * 10.0 ** rng.uniform(-2, 2, (len(J), 1)))
    J = np.vstack([rng.normal(size=(3 * contacts, n)), J])
    M, v, w = np.diag(10.0 ** rng.uniform(-1, 1, n)), rng.normal(size=n), np.zeros(len(J))
    if contradiction:  # of the unit of the row
        k = 3 * contacts + int(rng.integers(rows + redundant))
        w[k] = contradiction * np.linalg.norm(J[k])
    named = {"rows": (np.full(rows + redundant, -INF), np.full(rows + redundant, INF))}
    compliance = np.zeros(len(J))
    compliance[3 * contacts : 3 * contacts + 2] = soft * np.square(J[3 * contacts : 3 * contacts + 2]).sum(axis=1)
    named["compliance"] = compliance
    if factored:
        return Problem.from_factors(M, J, M @ v, w, np.full(contacts, 0.4), **named)
    N = J @ np.linalg.solve(M, J.T)
    return Problem.from_delassus(0.5 * (N + N.T), J @ v + w, np.full(contacts, 0.4), **named)


@pytest.mark.indices
def test_full_and_sparse_matrices_find_the_same(monkeypatch):
    for seed in range(4):
        problem = random_rows(seed, contradiction=1.0 * (seed % 2), factored=seed < 2)
        results = []
        for rows in (full_matrices.LARGEST, 0):
            monkeypatch.setattr(full_matrices, "LARGEST", rows)
            results.append(solve(problem, tol=1e-11))
        full, sparse = results
        assert (full.status, full.message[:40]) == (sparse.status, sparse.message[:40])
        scale = np.abs(sparse.velocity).max() + np.abs(problem.offset).max()
        assert np.allclose(full.velocity, sparse.velocity, rtol=0, atol=1e-8 * scale)


# ------------------------------------------------------------------------------------------------------------ mechanisms


@pytest.mark.parametrize("name", JOINTS)
def test_joints_hold_to_rounding_and_contacts_to_ten_digits(name):
    problem = MECHANISMS[name]()
    result = solve(problem, "ncp", tol=1e-11)
    assert result.converged, str(result)
    assert result.errors.bilateral <= 1e-12
    assert result.errors.velocity <= 1e-10
    blocks, top = bilateral(problem)
    assert result.errors.bilateral == np.abs(result.velocity[top[blocks]]).max()
    assert errors_of(problem, result.multipliers).bilateral == pytest.approx(result.errors.bilateral, abs=1e-13)
    assert "bilateral rows" in str(result)


@pytest.mark.usefixtures("matrices")
@pytest.mark.parametrize(("make", "redundant"), [(lambda: door(0), 10), (four_bar, 3), (lambda: chain(20, 1e4), 0)])
def test_redundant_rows_share_the_least_energy(make, redundant):
    """Against NumPy's pseudoinverse in units in which the diagonal of N is one"""
    problem = make()
    N, b = problem.matrix().toarray(), problem.offset
    eliminated, result = elimination.eliminate(problem), solve(problem)
    assert len(eliminated.factor.dependent) == redundant
    expected = -metric_pseudoinverse(N) @ b
    assert np.allclose(result.multipliers, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    root = np.sqrt(np.diag(N))
    assert np.linalg.norm(root * result.multipliers) <= np.linalg.norm(root * expected) * (1 + 1e-8)


@pytest.mark.usefixtures("matrices")
@pytest.mark.parametrize("ratio", [1.0, 1e4, 1e8])
def test_light_links_on_a_heavy_one_are_not_taken_for_redundant(ratio):
    problem = chain(20, ratio)
    assert len(elimination.eliminate(problem).factor.dependent) == 0
    r = solve(problem).multipliers
    # No multipliers in float64 do better than the rounding of the largest of them, on the lightest link.
    assert solve(problem).errors.bilateral <= 64 * EPS * max(1.0, np.abs(r).max()) * problem.matrix().diagonal().max()


# ------------------------------------------------------------------------------------------------- the Schur complement


@pytest.mark.usefixtures("matrices")
def test_it_fills_only_between_contacts_that_joints_connect():
    parts = [random_rows(seed, contacts=2) for seed in (0, 1)]
    N = np.block(
        [[p.matrix().toarray() if i == k else np.zeros((17, 17)) for i in range(2)] for k, p in enumerate(parts)]
    )
    contacts, rows = np.r_[0:6, 17:23], np.r_[6:17, 23:34]
    order = np.concatenate([contacts, rows])
    b = np.concatenate([p.offset for p in parts])[order]
    problem = Problem.from_delassus(
        N[np.ix_(order, order)], b, np.full(4, 0.4), rows=(np.full(22, -INF), np.full(22, INF))
    )
    S = elimination.eliminate(problem).left.operator.N
    assert len(S.column) == 2 * 2 * 2
    assert solve(problem).islands == 2


def test_a_problem_whose_complement_is_too_large_is_solved_as_before(monkeypatch):
    problem = chain(3, 1.0, 4)
    expected = solve(problem, tol=1e-10)
    monkeypatch.setattr(elimination, "MOST_NUMBERS", 10)
    monkeypatch.setattr(full_matrices, "LARGEST", 0)
    assert elimination.eliminate(problem) is None
    found = solve(problem, tol=1e-8)
    assert found.converged
    assert np.allclose(found.velocity, expected.velocity, rtol=0, atol=1e-5)


# --------------------------------------------------------------------------------------------------------- property tests


@pytest.mark.parametrize("factored", [True, False])
@pytest.mark.parametrize("law", ["frictionless", "ccp", "ncp"])
@pytest.mark.parametrize("seed", range(5))
def test_redundant_rows_among_contacts_hold(seed, law, factored):
    problem = random_rows(100 + seed, rows=5 + seed, redundant=seed, factored=factored, soft=0.05 * (seed % 2))
    result = solve(problem, law, tol=1e-10)
    assert result.converged, str(result)
    d, r = problem.matrix().diagonal(), result.multipliers
    blocks, top = bilateral(problem)
    rows = top[blocks]
    # what is added up to zero in each row, times the loss of digits in matrices of this kind
    allowed = 1e3 * EPS * np.sqrt(d[rows]) * np.abs(np.sqrt(d) * r).max() + 1e3 * EPS * np.abs(problem.offset).max()
    assert (np.abs(result.velocity[rows]) <= allowed).all()
    again = solve(problem, law, tol=1e-10, warm_start=r)
    assert again.iterations == 0
    assert np.allclose(again.velocity, result.velocity, rtol=0, atol=1e-9 * np.abs(problem.offset).max())


@pytest.mark.usefixtures("matrices")
@pytest.mark.parametrize("factored", [True, False])
@pytest.mark.parametrize("contacts", [0, 2])
@pytest.mark.parametrize("seed", range(5))
def test_contradictory_rows_are_named_and_missed_by_as_little_as_possible(seed, contacts, factored):
    problem = random_rows(200 + seed, contacts=contacts, factored=factored, contradiction=1.0)
    result = solve(problem, "ncp", tol=1e-6)
    assert not result.converged
    assert "contradict" in result.message
    assert np.isfinite(result.multipliers).all()
    assert np.isfinite(result.velocity).all()
    N, b = problem.matrix().toarray(), problem.offset
    rows = bilateral(problem)[1][bilateral(problem)[0]]
    E = np.ix_(rows, rows)
    root = np.sqrt(np.diag(N)[rows])
    u = result.velocity[rows] / root
    # in this metric least squares: what is missed cannot be caused by any multipliers
    assert np.abs((N[E] / np.outer(root, root)) @ u).max() <= 1e-8 * np.abs(u).max()
    worst = int(np.argmax(np.abs(u * root)))
    assert problem.label(int(rows[worst])) in result.message
    if contacts == 0:
        scaled = N[E] / np.outer(root, root)
        oracle = np.linalg.lstsq(scaled, -b[rows] / root, rcond=1e-11)[0]
        assert np.allclose(scaled @ oracle + b[rows] / root, u, rtol=0, atol=1e-9 * np.abs(b[rows] / root).max())


@pytest.mark.usefixtures("matrices")
def test_a_contradiction_that_is_rounding_is_none():
    """A body at 1000 m/s that two pairs of equal rows hold in one direction: their velocities differ by rounding."""
    rng = np.random.default_rng(0)
    J = rng.normal(size=(2, 6))
    v = np.linalg.qr(np.vstack([J, rng.normal(size=(4, 6))]).T)[0][:, 5] * 1e3  # J v is rounding
    J = np.vstack([J, J @ np.diag(np.ones(6)) * np.array([[3.0], [0.7]])])
    problem = Problem.from_factors(np.eye(6), J, v, np.zeros(4), [], rows=(np.full(4, -INF), np.full(4, INF)))
    assert "contradict" not in solve(problem).message
    assert solve(problem).errors.bilateral <= 1e-12 * 1e3


@pytest.mark.usefixtures("matrices")
@pytest.mark.parametrize("seed", range(3))
def test_units_and_order_of_rows_change_nothing_else(seed):
    problem, rng = random_rows(300 + seed, factored=False), np.random.default_rng(seed)
    N, b, n = problem.matrix().toarray(), problem.offset, 11
    # Errors take a row whose diagonal is below 1e-16 of the largest for one of zeros: units stay away from that.
    unit = np.concatenate([np.ones(6), 2.0 ** rng.integers(-7, 8, n)])
    order = np.concatenate([np.arange(6), 6 + rng.permutation(n)])
    other = (unit[:, None] * N * unit)[np.ix_(order, order)]
    mixed = Problem.from_delassus(other, (unit * b)[order], np.full(2, 0.4), rows=(np.full(n, -INF), np.full(n, INF)))
    one, two = solve(problem, tol=1e-11), solve(mixed, tol=1e-11)
    assert one.converged
    assert two.converged
    r = np.empty(len(b))
    r[order] = two.multipliers
    assert np.allclose(unit * r, one.multipliers, rtol=0, atol=1e-7 * np.abs(one.multipliers).max())


# ----------------------------------------------------------------------------------------------------------- closed forms


def test_a_linear_soft_row_is_a_spring_and_damper():
    """r = -b / (N + c)"""
    problem = Problem.from_delassus([[2.0]], [-3.0], [], compliance=[0.5], rows=([-INF], [INF]))
    result = solve(problem)
    assert result.multipliers.tolist() == [1.2]
    assert (result.iterations, result.errors.bilateral) == (0, 0.0)


def test_soft_rows_and_contacts_are_what_iterations_find():
    problem = random_rows(7, rows=4, redundant=0, soft=0.5)
    one, two = (
        solve(problem, "ccp", tol=1e-11),
        solve(problem, "ccp", "pgs", tol=1e-10, form="factors", max_iterations=20000),
    )
    assert one.converged
    assert two.converged
    assert np.allclose(one.velocity, two.velocity, rtol=0, atol=1e-6)


@pytest.mark.usefixtures("matrices")
@pytest.mark.parametrize("law", ["ccp", "ncp"])
def test_a_contact_between_bodies_that_are_one_needs_no_force(law):
    """Two bodies welded together, which also touch: what is left of the contact is nothing, and no force is a solution."""
    rng = np.random.default_rng(1)
    weld = np.hstack([np.eye(6), -np.eye(6)])
    touch = rng.normal(size=(3, 6)) @ weld
    problem = Problem.from_factors(
        np.diag(rng.uniform(1, 3, 12)), np.vstack([touch, weld]), rng.normal(size=12), np.zeros(9), [0.5],
        rows=(np.full(6, -INF), np.full(6, INF)),
    )  # fmt: skip
    eliminated = elimination.eliminate(problem)
    assert eliminated.held.all()
    assert eliminated.left.matrix().toarray().tolist() == [[0.0] * 3] * 3
    result = solve(problem, law, tol=1e-12)
    assert result.converged, str(result)
    assert result.multipliers[:3].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.usefixtures("matrices")
def test_rows_without_any_effect_are_redundant_and_contradict_an_offset():
    rows = (np.full(2, -INF), np.full(2, INF))
    assert solve(Problem.from_delassus(np.diag([0.0, 1.0]), [0.0, -2.0], [], rows=rows)).multipliers.tolist() == [
        0.0,
        2.0,
    ]
    wrong = solve(Problem.from_delassus(np.diag([0.0, 1.0]), [1.0, -2.0], [], rows=rows))
    assert wrong.status == "no solution found"
    assert "block 0 cannot hold, and miss by up to 1 (" in wrong.message
    assert wrong.multipliers.tolist() == [0.0, 2.0]


@pytest.mark.parametrize("method", ["apgd", "pgs", "newton", "interior_point", "psor"])
def test_every_method_has_joints_to_rounding(method):
    random = random_problem(5, 7, ("3", "equation", "equation", "limit"), copies=0.5)
    result = solve(random.problem(), "ccp", method, tol=1e-6)
    assert result.converged, str(result)
    assert result.errors.bilateral <= 1e-12


@pytest.mark.usefixtures("matrices")
def test_other_numbers_in_the_same_places_take_the_same_pattern():
    one, two = chain(5, 1.0, 4), chain(5, 7.0, 4)
    pattern = elimination.eliminate(one).pattern
    again, fresh = elimination.eliminate(two, pattern), elimination.eliminate(two)
    assert again.pattern is pattern
    r = np.ones(12)
    for offset in (two.offset, 2.0 * two.offset):
        assert np.array_equal(again.reduced(offset).offset, fresh.reduced(offset).offset)
        assert np.array_equal(again.recover(offset, r).multipliers, fresh.recover(offset, r).multipliers)


@pytest.mark.usefixtures("matrices")
@pytest.mark.parametrize("light", [1e-12, 1.0, 1e12])
def test_a_contradiction_is_named_whatever_other_mechanisms_weigh(light):
    N = np.diag([1.0, 1.0, light, 1.0])
    N[0, 1] = N[1, 0] = 1.0
    problem = Problem.from_delassus(N, [1.0, 1.00005, 1.0, 0.5], [], rows=(np.full(4, -INF), np.full(4, INF)))
    result = solve(problem, tol=1e-8)
    assert not result.converged
    assert "bilateral rows contradict one another: block 1, block 0 cannot hold" in result.message
