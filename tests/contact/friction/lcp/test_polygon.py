"""The problems of source documents 000 and 004: blocks by definition, closed forms, one against the other, convergence."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from pluecker.contact import (
    Bodies,
    ContactTable,
    Problem,
    ProblemError,
    assemble_contacts,
    friction_lcp,
    mixed_lcp,
    solve_lcp,
)
from pluecker.contact import solve as contact_solve
from pluecker.spatial import ArgumentTypeError
from tests.contact.any_blocks import of_matrix, sets_of
from tests.contact.friction.lcp.lcp_problems import all_solutions
from tests.contact.random_scenes import document, random_bodies, random_rows, random_table, swapped

REFUSED = ProblemError, ArgumentTypeError

H = 0.01


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def polygon(eta):
    """The corners of the unit circle's polygon, (eta, 2), the first one on the first axis."""
    angle = 2 * np.pi * np.arange(eta) / eta
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def solve(lcp):
    """Solve by Lemke's method."""
    result = solve_lcp(lcp.A, lcp.b, lower=lcp.lower, upper=lcp.upper, method="lemke")
    assert result.converged, result.message
    return result.z


def block_on_a_floor(slide, mu, weight=1.0, h=1.0):
    """A sliding block of 2 kg, pressed on; its contact is at the centre of mass, so that N = 1 / m."""
    velocity = np.array([[0.0] * 6, [0, 0, 0, *slide, 0.0]])
    wrench = np.array([[0.0] * 6, [0, 0, 0, 0, 0, -weight]])
    bodies = Bodies([np.inf, 2.0], np.ones((2, 3)), np.zeros((2, 3)), velocity=velocity, wrench=wrench)
    return assemble_contacts(bodies, ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], friction=mu), h)


# --------------------------------------------------------------------------------------------------------------- blocks


@pytest.mark.parametrize("eta", [4, 6, 8])
def test_blocks_are_those_of_source_document_000(rng, eta):
    bodies, table = random_bodies(rng, 4), random_table(rng, 4, 5)
    doc, lcp = document(bodies, table), friction_lcp(assemble_contacts(bodies, table, H, erp=1.0), directions=eta)
    D = np.zeros((15, 5 * eta))
    for k in range(5):
        t1, t2 = doc.T[3 * k : 3 * k + 3, 2 * k], doc.T[3 * k : 3 * k + 3, 2 * k + 1]
        for h in range(1, eta + 1):
            angle = 2 * (h - 1) * np.pi / eta
            D[3 * k : 3 * k + 3, eta * k + h - 1] = np.cos(angle) * t1 + np.sin(angle) * t2
    inverse = doc.C.T @ doc.inverse @ doc.C
    E = np.kron(np.eye(5), np.ones((eta, 1)))
    mu, none = np.diag(table.friction), np.zeros((5, 5))
    expected = {"DD": D.T @ inverse @ D, "DN": D.T @ inverse @ doc.N, "NN": doc.N.T @ inverse @ doc.N, "E": E, "mu": mu}
    for name, block in expected.items():
        np.testing.assert_allclose(getattr(lcp, name).toarray(), block, atol=1e-12, err_msg=name)
    A = np.block([[expected["DD"], expected["DN"], E], [expected["DN"].T, expected["NN"], none], [-E.T, mu, none]])
    np.testing.assert_allclose(lcp.A.toarray(), A, atol=1e-12)
    u_free = doc.C.T @ swapped(bodies.free_velocity(H).ravel())
    b = np.concatenate([D.T @ u_free, doc.N.T @ u_free + table.gap / H, np.zeros(5)])  # nu_k = - gap
    np.testing.assert_allclose(lcp.b, b, atol=1e-12)
    assert lcp.A.shape == ((eta + 2) * 5,) * 2
    assert not lcp.lower.any()
    assert np.isposinf(lcp.upper).all()


def test_directions_are_evenly_spread_and_in_opposite_pairs():
    for eta in (4, 6, 8, 32):
        one = friction_lcp(Problem.from_delassus(np.eye(3), np.zeros(3), [0.5]), directions=eta)
        d = one.map.toarray()[1:, :eta].T  # what each beta is of the tangential multipliers
        np.testing.assert_array_equal(d[eta // 2 :], -d[: eta // 2])
        np.testing.assert_allclose(d, polygon(eta), atol=4e-16)


def test_the_matrix_is_copositive(rng):
    lcp = friction_lcp(assemble_contacts(random_bodies(rng, 4), random_table(rng, 4, 5), H), directions=6)
    for _ in range(200):
        z = rng.exponential(size=len(lcp.b)) * rng.integers(0, 2, len(lcp.b))
        assert z @ lcp.A @ z >= -1e-12


def test_multipliers_are_what_the_velocities_come_from(rng):
    """The rows of A z + b are the velocities of the multipliers, along directions and normals."""
    problem = assemble_contacts(random_bodies(rng, 4), random_table(rng, 4, 5), H, random_rows(rng, 4))
    lcp = friction_lcp(problem, directions=6)
    z = rng.exponential(size=len(lcp.b))
    u, w = problem.velocity(lcp.multipliers(z)), lcp.A @ z + lcp.b
    t, n, lam = u[:15].reshape(5, 3)[:, 1:], u[:15:3], z[35:40]
    np.testing.assert_allclose(w[:30].reshape(5, 6), t @ polygon(6).T + lam[:, None], atol=1e-11)
    np.testing.assert_allclose(w[30:35], n, atol=1e-11)
    np.testing.assert_allclose(w[35:40], lcp.mu.diagonal() * z[30:35] - z[:30].reshape(5, 6).sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(w[40:], u[15:], atol=1e-11)


def test_rows_bring_their_bounds(rng):
    rows = random_rows(rng, 4)
    lcp = friction_lcp(assemble_contacts(random_bodies(rng, 4), random_table(rng, 4, 2), H, rows), directions=4)
    np.testing.assert_array_equal(lcp.lower, [0.0] * 12 + rows.lower.tolist())
    np.testing.assert_array_equal(lcp.upper, [np.inf] * 12 + rows.upper.tolist())


def test_rows_may_stand_between_contacts():
    """A row, a contact, a row: the map finds them."""
    sets = sets_of([[0, 0, 0], [2, 0, 0], [0, 0, 0]], [[0] * 3, [0.3, 0, 0], [0] * 3], [-1, 0, -2], [1, np.inf, 2])
    problem = of_matrix(np.diag([1.0, 2, 3, 4, 5]), np.arange(5.0), sets)
    lcp = friction_lcp(problem, directions=4)
    np.testing.assert_array_equal(lcp.multipliers([1, 2, 3, 5, 6, 7, 8, 9]), [8, 6, 1 - 3, 2 - 5, 9])
    np.testing.assert_array_equal(lcp.lower[-2:], [-1, -2])
    np.testing.assert_array_equal(lcp.b, [2, 3, -2, -3, 1, 0, 0, 4])
    np.testing.assert_allclose(lcp.A.diagonal(), [3, 4, 3, 4, 2, 0, 1, 5])


# --------------------------------------------------------------------------------------------------------- closed forms


def test_a_sliding_block_is_slowed_by_mu_times_its_weight():
    """Along a direction of the polygon: r_n = W, r_t = - mu W, lambda the speed that is left."""
    problem, mu, W, m, speed = block_on_a_floor([3.0, 0.0], 0.4, 1.5), 0.4, 1.5, 2.0, 3.0
    lcp = friction_lcp(problem, directions=4)
    found = all_solutions(lcp.A.toarray(), lcp.b)
    assert found
    for z in found:
        np.testing.assert_allclose(lcp.multipliers(z), [W, -mu * W, 0.0], atol=1e-12)
        assert np.isclose(z[5], speed - mu * W / m)
        np.testing.assert_allclose(problem.motion(lcp.multipliers(z))[1, 3:], [speed - mu * W / m, 0, 0], atol=1e-12)


def test_every_solution_is_coulombs_law_with_a_polygon(rng):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        problem = assemble_contacts(random_bodies(rng, 3), random_table(rng, 3, 3, restitution=0.3), H)
        lcp = friction_lcp(problem, directions=6)
        r = lcp.multipliers(solve(lcp)).reshape(-1, 3)
        u, mu, d = problem.velocity(r.ravel()).reshape(-1, 3), lcp.mu.diagonal(), polygon(6)
        assert (r[:, 0] >= -1e-10).all()
        assert (u[:, 0] >= -1e-9).all()
        assert np.abs(r[:, 0] * u[:, 0]).max() < 1e-8
        assert (np.linalg.norm(r[:, 1:], axis=1) <= mu * r[:, 0] + 1e-9).all()
        most = mu * r[:, 0] * (u[:, 1:] @ d.T).max(axis=1)  # the dissipation of the best corner
        np.testing.assert_allclose(-np.sum(r[:, 1:] * u[:, 1:], axis=1), most, atol=1e-8)


# ----------------------------------------------------------------------------------------------- source document 004


@pytest.mark.parametrize("compliance", [False, True])
def test_mixed_problem_without_its_velocities_is_that_of_source_document_000(rng, compliance):
    """The Schur complement of M; unknowns [rows, f, beta, lambda] in the other order."""
    bodies = random_bodies(rng, 4, static=[1])
    table = random_table(rng, 4, 5, **({"compliance": rng.uniform(0, 1, (5, 3))} if compliance else {}))
    problem = assemble_contacts(bodies, table, H, random_rows(rng, 4))
    full, lcp = mixed_lcp(problem, bodies.mass_matrix(), directions=6), friction_lcp(problem, directions=6)
    A, n = full.A.toarray(), 24
    schur = A[n:, n:] - A[n:, :n] @ np.linalg.solve(A[:n, :n], A[:n, n:])
    b = full.b[n:] - A[n:, :n] @ np.linalg.solve(A[:n, :n], full.b[:n])
    rows, f, beta, lam = np.arange(3), 3 + np.arange(5), 8 + np.arange(30), 38 + np.arange(5)
    order = np.concatenate([beta, f, lam, rows])
    np.testing.assert_allclose(schur[np.ix_(order, order)], lcp.A.toarray(), atol=1e-11)
    np.testing.assert_allclose(b[order], lcp.b, atol=1e-11)
    np.testing.assert_array_equal(full.lower[n:][order], lcp.lower)
    np.testing.assert_array_equal(full.upper[n:][order], lcp.upper)
    assert np.isneginf(full.lower[:n]).all()
    assert np.isposinf(full.upper[:n]).all()


def test_blocks_of_the_mixed_problem_are_those_of_source_document_004(rng):
    bodies = random_bodies(rng, 3)
    table, rows = random_table(rng, 3, 2), random_rows(rng, 3)
    problem = assemble_contacts(bodies, table, H, rows, erp=1.0)
    p = mixed_lcp(problem, bodies.mass_matrix(), directions=4)
    M, Je, Jn, Jd, E, mu = (getattr(p, name).toarray() for name in ("M", "Je", "Jn", "Jd", "E", "mu"))
    A = p.A.toarray()
    np.testing.assert_array_equal(A[:18], np.hstack([M, -Je.T, -Jn.T, -Jd.T, np.zeros((18, 2))]))
    np.testing.assert_array_equal(A[18:, :18], np.vstack([Je, Jn, Jd, np.zeros((2, 18))]))
    np.testing.assert_array_equal(A[23:31, 31:], E)
    np.testing.assert_array_equal(A[31:, 21:31], np.hstack([mu, -E.T]))
    np.testing.assert_array_equal(np.diag(A)[18:21], [0.0, 0.1, 0.2])
    np.testing.assert_allclose(p.b[:18], -(M @ bodies.free_velocity(H).ravel()))
    np.testing.assert_allclose(p.b[18:], np.concatenate([rows.offset, table.gap / H, np.zeros(10)]), atol=1e-12)


def test_a_solution_of_one_problem_is_one_of_the_other(rng):
    bodies = random_bodies(rng, 3, static=[0])
    problem = assemble_contacts(bodies, random_table(rng, 3, 3), H, random_rows(rng, 3))
    lcp, full = friction_lcp(problem, directions=4), mixed_lcp(problem, bodies.mass_matrix(), directions=4)
    z = solve(lcp)
    beta, f, lam, rows = z[:12], z[12:15], z[15:18], z[18:]
    r = lcp.multipliers(z)
    v = problem.motion(r)
    x = np.concatenate([v.ravel(), rows, f, beta, lam])
    w = full.A @ x + full.b
    np.testing.assert_allclose(w[:18], 0.0, atol=1e-11)
    np.testing.assert_allclose(x, np.clip(x - w, full.lower, full.upper), atol=1e-8)
    np.testing.assert_array_equal(full.multipliers(x), r)
    np.testing.assert_array_equal(full.motion(x), v)


def test_mixed_problem_of_any_factors(rng):
    """A mass matrix that is no body's: from_factors."""
    B = rng.normal(size=(5, 5))
    M, J = B @ B.T + np.eye(5), rng.normal(size=(5, 6))
    problem = Problem.from_factors(M, J.T, rng.normal(size=5), rng.normal(size=6), [0.3, 0.4])
    full = mixed_lcp(problem, scipy.sparse.csr_matrix(M), directions=4)
    np.testing.assert_allclose(full.Jn.toarray(), J.T[[0, 3]])
    np.testing.assert_allclose(full.b[5:7], (problem.offset - J.T @ problem.free_velocity)[[0, 3]], atol=1e-12)


# -------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("eta", [3, 5, 0, -4, 4.0, "4"])
def test_directions_are_an_even_number_from_four_on(eta):
    with pytest.raises(REFUSED, match="directions is"):
        friction_lcp(Problem.from_delassus(np.eye(3), np.zeros(3), [0.1]), directions=eta)


def test_other_sizes_and_problems_are_refused(rng):
    space, plane = (Problem.from_delassus(np.eye(n), np.zeros(n), [0.1], size=n) for n in (3, 2))
    bodies = random_bodies(rng, 3)
    rolling = assemble_contacts(bodies, random_table(rng, 3, 2, 2), H)
    for problem, eta, words in (
        (plane, 4, "block 0 has 2 components, expected 3 for 4 directions"),
        (space, 2, "block 0 has 3 components, expected 2 for 2 directions"),
        (rolling, 4, "contact 0 has 5 components, expected 3"),
    ):
        with pytest.raises(REFUSED, match=words):
            friction_lcp(problem, directions=eta)
    problem = assemble_contacts(bodies, random_table(rng, 3, 2), H)
    for given, mass, words in (
        (space, np.eye(3), "made from a matrix"),
        (problem.assembled(), bodies.mass_matrix(), "has no factors"),
        (problem, np.eye(3), r"mass is \(3, 3\), expected \(18, 18\)"),
        (problem, np.eye(18), "mass is not the one"),
    ):
        with pytest.raises(REFUSED, match=words):
            mixed_lcp(given, mass, directions=4)
    with pytest.raises(REFUSED, match=r"z has shape \(3,\)"):
        friction_lcp(problem, directions=4).multipliers(np.zeros(3))


def test_a_problem_without_contacts_or_rows():
    empty = friction_lcp(Problem.from_delassus(np.zeros((0, 0)), [], []), directions=4)
    assert empty.A.shape == (0, 0)
    rows = friction_lcp(Problem.from_delassus(np.eye(2), [1.0, 2.0], [], rows=([0, 0], [1, 1])), directions=4)
    np.testing.assert_array_equal(rows.A.toarray(), np.eye(2))
    np.testing.assert_array_equal(rows.multipliers([3.0, 4.0]), [3.0, 4.0])


def test_steps_of_newtons_method_do_not_grow_with_the_number_of_directions():
    """Steps from zero would: 65 with 512 directions. The polygon's friction is off by pi / eta of a turn at most."""
    N = [[1.0, 0.1, 0.0], [0.1, 1.0, 0.2], [0.0, 0.2, 1.0]]
    problem = Problem.from_delassus(N, [-1.0, 3.0, 1.0], [0.5])
    circle, polygon = contact_solve(problem, tol=1e-10), contact_solve(problem, "lcp", directions=512)
    assert polygon.converged
    assert polygon.iterations <= 40
    assert sum(stage.iterations for stage in polygon.stages) == polygon.iterations
    np.testing.assert_allclose(polygon.multipliers, circle.multipliers, rtol=0.0, atol=2 * np.pi / 512)


@pytest.mark.parametrize("method", ["auto", "lemke"])
@pytest.mark.parametrize("eta", [66, 300, 3000])
def test_many_directions_come_as_near_to_the_circle_as_their_number_squared(eta, method):
    """A block that slides midway between two directions: friction falls short of mu W by 1 - cos(pi / eta)."""
    mu, W, slide = 0.4, 1.5, 3.0 * np.array([np.cos(np.pi / eta), np.sin(np.pi / eta)])
    problem = block_on_a_floor(slide, mu, W)
    polygon = contact_solve(problem, "lcp", method, tol=1e-12, directions=eta)
    assert polygon.converged
    friction = -mu * W * np.cos(np.pi / eta) * slide / 3.0
    np.testing.assert_allclose(polygon.multipliers, [W, *friction], rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(contact_solve(problem, tol=1e-12).multipliers, [W, *friction], atol=5.0 / eta**2)


@pytest.mark.parametrize("seed", range(4))
def test_of_many_directions_all_obey_the_law(seed):
    """Friction is in the polygon, and none in it takes more energy: ``r_t . u_t = mu r_n min_h(d_h . u_t)``."""
    rng, K, eta = np.random.default_rng(seed), 3, 128
    J = rng.standard_normal((3 * K, 3 * K + 2))
    problem = Problem.from_delassus(J @ J.T, J @ rng.standard_normal(3 * K + 2), rng.uniform(0.1, 1.2, K))
    polygon = contact_solve(problem, "lcp", tol=1e-11, directions=eta)
    assert polygon.converged
    r, u = polygon.multipliers.reshape(K, 3), polygon.velocity.reshape(K, 3)
    most, angle = problem.sets.friction[:, 0] * r[:, 0], 2.0 * np.pi / eta * np.arange(eta)
    D, normal = (np.stack([np.cos(a), np.sin(a)], axis=1) for a in (angle, angle + np.pi / eta))  # corners, and sides
    assert (most.max() > 0.0) or (u[:, 0] >= 0.0).all()
    np.testing.assert_allclose(
        np.maximum(r[:, 1:] @ normal.T - most[:, None] * np.cos(np.pi / eta), 0.0), 0.0, atol=1e-9
    )
    np.testing.assert_allclose((r[:, 1:] * u[:, 1:]).sum(axis=1), most * (u[:, 1:] @ D.T).min(axis=1), atol=1e-9)


def test_many_directions_take_no_full_matrix():
    """One of 3002 unknowns is 72 MB."""
    problem = block_on_a_floor(np.array([1.0, 0.3]), 0.4, 1.5)
    contact_solve(problem, "lcp", directions=3000)
    tracemalloc.start()
    try:
        assert contact_solve(problem, "lcp", directions=3000).converged
        assert tracemalloc.get_traced_memory()[1] < 8e6
    finally:
        tracemalloc.stop()
