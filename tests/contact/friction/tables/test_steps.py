"""The problem of one step: gaps, error reduction, restitution, soft contact, static bodies, rows; and what is refused.

Two tests look inside, at what results do not show and only time does: the order of
blocks that makes neighbours near, and that what solvers read is half of the factors.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse.csgraph

from pluecker.contact import Bodies, ContactTable, ProblemError, Rows, assemble_contacts, solve
from pluecker.contact.friction.problem import prepared
from tests.contact.any_blocks import sparse_of
from tests.contact.random_scenes import random_bodies, random_rows, random_table, unit

H = 0.01


@pytest.fixture
def rng():
    return np.random.default_rng(11)


# --------------------------------------------------------------------------------------------------------------- offsets


def ball(velocity=(0.0, 0, 0, 0, 0, -1), wrench=(0.0,) * 6):
    """A ball above a floor, body 0."""
    still, moment, place = [0.0] * 6, [[0.0] * 3, [0.1] * 3], [[0, 0, 0], [0, 0, 0.5]]
    return Bodies([np.inf, 2.0], moment, place, velocity=[still, velocity], wrench=[still, wrench])


@pytest.mark.parametrize(
    ("contact", "others", "expected"),
    [
        ({}, {}, 0.0),
        ({"gap": 0.05}, {}, -0.5),  # as near as to touch
        ({"gap": 0.5}, {}, -1.0),  # not reached
        ({"gap": -0.05}, {}, 0.1),  # a fifth of the penetration in a step
        ({"gap": -0.05}, {"erp": 1.0}, 0.5),
        ({"gap": -0.05}, {"erp": [0.5]}, 0.25),
        ({"gap": -0.05}, {"erp": 0.0}, 0.0),
        ({"restitution": 0.6}, {}, 0.6),
        ({"restitution": 1.0, "gap": 0.05}, {}, 1.0),  # reached within the step
        ({"restitution": 1.0, "gap": 0.2}, {}, -1.0),  # not reached
        ({"restitution": 0.6, "gap": -0.05}, {}, 0.6),  # the larger of the two
        ({"restitution": 0.6, "gap": -0.5}, {}, 1.0),
        ({"restitution": 0.6}, {"bodies": ball((0.0,) * 6, (0, 0, 0, 0, 0, -20.0))}, 0.0),  # at rest, under its weight
        ({"restitution": 0.6}, {"bodies": ball(wrench=(0, 0, 0, 0, 0, -24.0))}, 0.0),  # gains more than it had
        ({"restitution": 0.6}, {"bodies": ball(wrench=(0, 0, 0, 0, 0, -16.0))}, 0.6),
        ({"restitution": 0.6, "gap": 0.15}, {"bodies": ball(wrench=(0, 0, 0, 0, 0, -16.0))}, 0.6),  # pressed down to it
        ({"restitution": 0.6, "gap": 0.05}, {"bodies": ball(wrench=(0, 0, 0, 0, 0, 14.0))}, -0.3),  # held away from it
        ({"restitution": 0.6}, {"bodies": ball((0.0, 0, 0, 0, 0, 1))}, 1.0),  # parting
    ],
)
def test_normal_velocity_after_the_step(contact, others, expected):
    table = ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], **contact)
    problem = assemble_contacts(others.get("bodies") or ball(), table, 0.1, erp=others.get("erp", 0.2))
    assert np.isclose(problem.motion(solve(problem, tol=1e-13).multipliers)[1, 5], expected, atol=1e-12)


def test_restitution_can_be_left_out():
    table = ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], restitution=0.7)
    assert assemble_contacts(ball(), table, 0.1, restitution=False).offset[0] == -1.0


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_compliance_is_added_to_the_diagonal(rng, columns):
    bodies, table = random_bodies(rng, 3), random_table(rng, 3, 4, columns)
    N = assemble_contacts(bodies, table, H).matrix().toarray()
    one = assemble_contacts(bodies, replace(table, compliance=[1, 2, 3, 4]), H).matrix().toarray() - N
    three = assemble_contacts(bodies, replace(table, compliance=np.arange(12).reshape(4, 3)), H).matrix().toarray() - N
    expected = np.zeros((4, table.size))
    expected[:, 0] = 1, 2, 3, 4
    np.testing.assert_allclose(one, np.diag(expected.ravel()), atol=1e-12)
    expected[:, :3] = np.arange(12).reshape(4, 3)
    np.testing.assert_allclose(three, np.diag(expected.ravel()), atol=1e-12)


# --------------------------------------------------------------------------------------------------------- static bodies


def test_a_moving_floor_moves_what_is_on_it():
    """A belt below a ball that sticks: the point of contact has the speed of the belt."""
    bodies = replace(ball((0.0, 0, 0, 0, 0, -1)), velocity=[[0, 0, 0, 0.3, 0, 0], [0, 0, 0, 0, 0, -1]])
    problem = assemble_contacts(bodies, ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], friction=5.0), 0.1)
    v = problem.motion(solve(problem, tol=1e-13).multipliers)
    point = v[1, 3:] + np.cross(v[1, :3], [0, 0, -0.5])
    np.testing.assert_allclose(point, [0.3, 0, 0], atol=1e-12)
    np.testing.assert_array_equal(v[0], [0, 0, 0, 0.3, 0, 0])


def test_balls_on_one_floor_are_islands():
    bodies = Bodies([np.inf, 1, 1, 1], np.ones((4, 3)), np.arange(12.0).reshape(4, 3))
    table = ContactTable([[0, 1], [0, 2], [2, 3]], [[0, 0, 1.0]] * 3, np.zeros((3, 3)))
    problem = assemble_contacts(bodies, table, H)
    for form in ("matrix", "factors"):
        assert solve(problem, method="pgs", form=form, max_iterations=1).islands == 2
    order, columns, islands, sides = prepared.find_islands(problem.operator)
    np.testing.assert_array_equal(order, [0, 1, 2])
    np.testing.assert_array_equal(islands, [0, 1, 3])
    np.testing.assert_array_equal(columns, [1, 2, 3, 0])
    np.testing.assert_array_equal(sides, [0, 1, 3])
    assert 0 not in problem.operator.J.column


@pytest.mark.indices
def test_islands_are_connected_components_and_neighbours_are_near(rng):
    """Against SciPy's components; the bandwidth of a long chain with its contacts in any order is that of a chain."""
    for n in (3, 30):
        pairs = [sorted(pair) for pair in rng.integers(0, 40, (n, 2)) if pair[0] != pair[1]]
        bodies = random_bodies(rng, 40, [])
        table = ContactTable(pairs, [[0, 0, 1.0]] * len(pairs), rng.normal(size=(len(pairs), 3)))
        problem = assemble_contacts(bodies, table, H)
        for operator in (problem.operator, problem.assembled().operator):
            order, columns, islands, sides = prepared.find_islands(operator)
            graph = scipy.sparse.coo_matrix((np.ones(len(pairs)), np.transpose(pairs)), shape=(40, 40))
            _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
            of_blocks = label[np.array(pairs)[order, 0]]
            assert sorted(order) == [*range(len(pairs))]
            assert (np.diff(of_blocks) != 0).sum() == len(islands) - 2 == len(set(of_blocks)) - 1
            for k, (a, z) in enumerate(itertools.pairwise(islands)):
                assert len(set(of_blocks[a:z])) == 1
                if operator.is_factored:
                    assert set(label[columns[sides[k] : sides[k + 1]]]) == {of_blocks[a]}
    chain = rng.permutation(60)
    table = ContactTable([[k, k + 1] for k in chain], [[0, 0, 1.0]] * 60, np.zeros((60, 3)))
    P, _ = prepared.prepare(assemble_contacts(random_bodies(rng, 61, []), table, H))
    for B in (P.A.J, P.A.T):
        row = np.repeat(np.arange(60), np.diff(B.first))
        assert np.abs(row - B.column).max() <= 3


# ------------------------------------------------------------------------------------------------------------------ rows


def test_rows_have_their_own_jacobian_bounds_and_compliance(rng):
    bodies, table, rows = random_bodies(rng, 4, static=[1]), random_table(rng, 4, 3, 2), random_rows(rng, 4)
    problem = assemble_contacts(bodies, table, H, rows)
    J = np.zeros((3, 24))
    for k, (i, j) in enumerate(rows.bodies):
        J[k, 6 * i : 6 * i + 6] += rows.jacobian[k, 0]
        if j >= 0:
            J[k, 6 * j : 6 * j + 6] += rows.jacobian[k, 1]
    M = bodies.mass_matrix().toarray()
    M[6:12, 6:12] *= 1e300  # static
    np.testing.assert_allclose(
        problem.matrix().toarray()[15:, 15:], J @ np.linalg.solve(M, J.T) + np.diag(rows.compliance), atol=1e-11
    )
    np.testing.assert_allclose(problem.offset[15:], J @ bodies.free_velocity(H).ravel() + rows.offset, atol=1e-12)
    np.testing.assert_array_equal(problem.sets.lower[3:], rows.lower)
    np.testing.assert_array_equal(problem.sets.upper[3:], rows.upper)
    assert problem.names == ("contact 0", "contact 1", "contact 2", "row 0", "row 1", "row 2")
    assert problem.label(3) == "contact 0, component 3"
    assert problem.label(16) == "row 1"


@pytest.mark.indices
def test_both_forms_give_the_same_velocity(rng):
    problem = assemble_contacts(random_bodies(rng, 5, [0]), random_table(rng, 5, 8, 3), H, random_rows(rng, 5))
    r = rng.normal(size=problem.size)
    np.testing.assert_allclose(problem.velocity(r), problem.assembled().velocity(r), atol=1e-11)
    J = sparse_of(problem.operator.J)
    moved = J @ (problem.motion(r) - problem.free_velocity).ravel() + problem.operator.compliance * r + problem.offset
    np.testing.assert_allclose(problem.velocity(r), moved, atol=1e-11)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_solvers_read_is_half_of_the_factors_and_the_same_operator(rng, size):
    """N = G G', also where products of inertia are not zero, bodies are turned and static, and with rows"""
    bodies = random_bodies(rng, 5, [0])
    problem = assemble_contacts(bodies, random_table(rng, 5, 8, size), H, random_rows(rng, 5))
    P, places = prepared.prepare(problem)
    assert P.A.J is P.A.T
    assert len(P.A.J.data) == len(problem.operator.J.data)
    N = problem.matrix().toarray()[np.ix_(places, places)] * np.outer(P.s, P.s)
    np.testing.assert_allclose(replace(problem, operator=P.A).matrix().toarray(), N, atol=1e-12 * np.abs(N).max())
    x = rng.normal(size=problem.size)
    u = replace(problem, operator=P.A, offset=np.zeros(problem.size)).velocity(x)
    np.testing.assert_allclose(u, N @ x, atol=1e-12 * np.abs(N @ x).max())


def test_nothing_touches(rng):
    none = ContactTable([], np.zeros((0, 3)), np.zeros((0, 3)))
    problem = assemble_contacts(random_bodies(rng, 2), none, H)
    assert problem.size == 0
    assert problem.matrix().shape == (0, 0)
    np.testing.assert_array_equal(problem.motion([]), problem.free_velocity)


# -------------------------------------------------------------------------------------------------------------- refusals


def test_refusals_name_the_contact_or_row(rng):
    bodies, normal, point = random_bodies(rng, 3, static=[0, 1]), unit(rng, 2), np.zeros((2, 3))
    ones = np.zeros((1, 2, 6))
    good = ContactTable([[0, 2], [1, 2]], normal, point)
    for table, rows, words in (
        (ContactTable([[0, 2], [0, 1]], normal, point), None, "contact 1: bodies 0 and 1 are both static"),
        (ContactTable([[0, 2], [1, 3]], normal, point), None, "contact 1: body 3 is out of range, there are 3 bodies"),
        (good, Rows([[1, 0]], ones), "row 0: bodies 1 and 0 are both static"),
        (good, Rows([[1, -1]], ones), "row 0: body 1 is static"),
        (good, Rows([[7, -1]], ones), "row 0: body 7 is out of range"),
    ):
        with pytest.raises(ProblemError, match=words):
            assemble_contacts(bodies, table, H, rows)
    with pytest.raises(ProblemError, match=r"contact 1: erp is 1\.5, expected 0 to 1"):
        assemble_contacts(bodies, good, H, erp=[0.5, 1.5])
    with pytest.raises(ProblemError, match="contact 1: erp is nan"):
        assemble_contacts(bodies, good, H, erp=[0.5, np.nan])
    with pytest.raises(ProblemError, match="step is -1"):
        assemble_contacts(bodies, good, -1)
    with pytest.raises(ProblemError, match="contact 0: body 5 is out of range"):
        assemble_contacts(bodies, ContactTable([[0, 5]], normal[:1], point[:1]), H)
