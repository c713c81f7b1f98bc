"""The exercises of Featherstone's course that have an answer, in its order, to be read beside it (source document 001).

A test is named after its section and number. What is computed is on the left, what the course prints is on the right; where
the print is wrong, the test holds what is right and says so. Exercise A4 of section 8 is read off a figure, and is not here.
"""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.articulated import kinetic_energy as energy_of_robot
from pluecker.course import (
    apparent_inverse_inertia_from_S,
    apparent_inverse_inertia_from_T,
    complement,
    constrained_acceleration_from_S,
    constrained_acceleration_from_T,
    couple,
    joint_space,
    line_force,
    magnitudes,
    pitch,
    planar,
    screw_axis,
    twist,
    velocity_at,
)
from pluecker.spatial import (
    body_kinetic_energy,
    body_momentum,
    change_of_basis,
    classical_acceleration,
    crm,
    cross_motion,
    derivative_of_motion,
    exp3,
    inverse_inertia,
    net_force,
    pluecker_transform,
    reciprocal_basis,
    relative_inertia,
    scalar_product,
    skew,
    spatial_acceleration,
    spatial_inertia,
    transform_inertia,
    transform_motion,
)

I, J, K = np.eye(3)
THETA = 0.7  # an angle that the course leaves open
RNG = np.random.default_rng(1)
SMALL = 1e-13  # some roundings of numbers near one


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=SMALL)


def some_inertia(mass=2.0):
    turn = exp3([0.3, -0.5, 0.2])
    return spatial_inertia(mass, [0.1, -0.2, 0.3], turn @ np.diag([0.2, 0.3, 0.4]) @ turn.T)


# ------------------------------------------------------------------------------------------- 6: the worked example


def test_06_the_triple_product():
    """a x b . c = a . b x c"""
    a, b, c = RNG.normal(size=(3, 3))
    same(skew(a) @ b @ c, a @ (skew(b) @ c))


# --------------------------------------------------------------------------------------- 8: vectors and vector fields A


def test_08_A1_coordinates_in_an_orthonormal_basis_are_scalar_products():
    B = exp3([0.4, 0.1, -0.9])  # its columns
    a = RNG.normal(size=3)
    same(change_of_basis(np.eye(3), B) @ a, [B[:, i] @ a for i in range(3)])


def test_08_A2_the_multiplication_table_of_i_j_k():
    table = [[skew(a) @ b for b in (I, J, K)] for a in (I, J, K)]
    zero = np.zeros(3)
    np.testing.assert_array_equal(table, [[zero, K, -J], [-K, zero, I], [J, -I, zero]])


def test_08_A3_a_product_of_two_cross_product_matrices():
    a, b = RNG.normal(size=(2, 3))
    same(skew(a) @ skew(b), np.outer(b, a) - a @ b * np.eye(3))


def test_08_A5_the_reciprocal_of_a_skewed_basis():
    """Figure 2: d1 = [1.25, 0], d2 = [-0.6, 1]"""
    E = reciprocal_basis(np.column_stack([[1.25, 0.0], [-0.6, 1.0]]))
    same(E[:, 0], [0.8, 0.48])
    same(E[:, 1], [0.0, 1.0])


# -------------------------------------------------------------------------------------- 17: vectors and vector fields B


def test_17_B1_planar_velocity_fields_in_words():
    d_O, d_x, d_y = planar.D_O, planar.D_X, planar.D_Y
    same(d_O + d_x, planar.planar_twist([0.0, 1.0], 1.0))  # a unit rotation about (0, 1)
    same(2.0 * d_O + d_y, planar.planar_twist([-0.5, 0.0], 2.0))  # a rotation of 2 about (-0.5, 0)
    v = d_x + 2.0 * d_y  # a translation of sqrt(5) at the angle atan 2
    assert v[0] == 0.0
    same(np.hypot(v[1], v[2]), np.sqrt(5.0))
    same(np.arctan2(v[2], v[1]), np.arctan(2.0))


def test_17_B2_the_field_of_a_rotation_and_a_translation():
    """V = w d_O + r w d_x has V(P) = w ((r - Py) i + Px j): a rotation about (0, r)"""
    w, r, P = 1.7, 0.6, np.array([0.3, -0.8])
    V = w * planar.D_O + r * w * planar.D_X
    same(planar.planar_velocity_at(V, P), w * np.array([r - P[1], P[0]]))
    same(planar.center_of_rotation(V), [0.0, r])


@pytest.mark.parametrize("alpha", [-1.0, 0.0, 0.25, 1.0, 3.0])
def test_17_B3_sums_of_two_rotations(alpha):
    """V1 about the origin, V2 about (1, 0): alpha V1 + (1 - alpha) V2 is about (1 - alpha, 0), V1 - V2 is d_y"""
    V1, V2 = planar.planar_twist([0.0, 0.0], 1.0), planar.planar_twist([1.0, 0.0], 1.0)
    same(V2, planar.D_O - planar.D_Y)
    V = alpha * V1 + (1.0 - alpha) * V2
    assert V[0] == 1.0
    same(planar.center_of_rotation(V), [1.0 - alpha, 0.0])
    same(V1 - V2, planar.D_Y)


# ------------------------------------------------------------------------------------------------- 20: motion and force A

C, S = np.cos(THETA), np.sin(THETA)
LINE_A = np.array([0.0, C, S])  # through the origin, in the y-z plane
LINE_B = np.array([1.0, 2.0, 0.0])  # a point of a line along z


def test_20_A1_coordinates_of_twists():
    same(twist(LINE_A, [0, 0, 0]), [0, C, S, 0, 0, 0])  # (a) unit rotation about A
    same(twist(LINE_A, [0, 0, 0], 0.0, 1.0), [0, 0, 0, 0, C, S])  # (b) unit translation along A
    same(twist(K, LINE_B), [0, 0, 1, 2, -1, 0])  # (c) unit rotation about B
    same(twist(K, LINE_B, 0.0, 2.0), [0, 0, 0, 0, 0, 2])  # (d) translation of 2 m/s along B
    same(twist(K, LINE_B, 2.0, 1.0), [0, 0, 2, 4, -2, 1])  # (e) 2 rad/s about B, 1 m/s along it


def test_20_A2_the_velocity_field():
    """(a) V(P) = v_O - OP x w, (b) component by component"""
    w, v, P = RNG.normal(size=(3, 3))
    found = velocity_at(np.concatenate([w, v]), P)
    same(found, v - np.cross(P, w))
    same(found, [v[0] - P[1] * w[2] + P[2] * w[1], v[1] - P[2] * w[0] + P[0] * w[2], v[2] - P[0] * w[1] + P[1] * w[0]])


def test_20_A3_linear_magnitude_and_pitch():
    w, v = RNG.normal(size=(2, 3))
    twist_velocity = np.concatenate([w, v])
    same(magnitudes(twist_velocity)[1], v @ w / np.linalg.norm(w))
    same(pitch(twist_velocity), v @ w / (w @ w))


def test_20_A4_a_point_of_the_screw_axis():
    """OP = w x v_O / w . w, where v_P is along w"""
    w, v = RNG.normal(size=(2, 3))
    P = screw_axis(np.concatenate([w, v])).point
    same(P, np.cross(w, v) / (w @ w))
    same(np.cross(w, velocity_at(np.concatenate([w, v]), P)), np.zeros(3))


# ------------------------------------------------------------------------------------------------- 27: motion and force B


def test_27_B1_coordinates_of_wrenches():
    same(line_force(LINE_A, [0, 0, 0]), [0, 0, 0, 0, C, S])  # (a) unit force along A
    same(couple(K), [0, 0, 1, 0, 0, 0])  # (b) unit couple about B
    both = line_force(LINE_A, [0, 0, 0]) + line_force(K, LINE_B)  # (c) unit forces along A and along B
    same(both, [2, -1, 0, 0, C, 1 + S])


QD1, QD2 = 0.7, -1.3  # joint velocities of the planar robot of figure 2, whose joints are at (0, 0) and (1, 0)
S1, S2 = np.array([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -1, 0]])
P = np.array([1.0, 1.0, 0.0])


def test_27_B2_a_planar_robot():
    same(twist(K, [0, 0, 0]), S1)  # (a)
    same(twist(K, [1, 0, 0]), S2)
    v1 = S1 * QD1  # (b)
    v2 = v1 + S2 * QD2
    same(v1, [0, 0, QD1, 0, 0, 0])
    same(v2, [0, 0, QD1 + QD2, 0, -QD2, 0])
    jacobian = np.column_stack([S1, S2])  # (c)
    same(jacobian, [[0, 0], [0, 0], [1, 1], [0, 0], [0, -1], [0, 0]])
    same(jacobian @ [QD1, QD2], v2)
    same(velocity_at(v2, P), [-QD1 - QD2, QD1, 0])  # (d)


def test_27_B3_statics():
    """A force [-1, 0, 0] through P. In (a) the course prints f itself; the forces through the joints are -f, as it says."""
    f = line_force([-1, 0, 0], P)
    same(f, [0, 0, 1, -1, 0, 0])
    through_joints = -f
    same(through_joints, [0, 0, -1, 1, 0, 0])
    same([scalar_product(s, through_joints) for s in (S1, S2)], [-1, -1])  # (b)


# ------------------------------------------------------------------------------ 36: Pluecker coordinates, derivatives A


@pytest.mark.parametrize("alpha", [-2.0, 0.0, 0.5, 10.0])
def test_36_A1_a_reciprocal_basis(alpha):
    """With the vectors in columns the condition is B^T C = 1; the course prints B C^T = 1, and the right answer."""
    B = np.column_stack([[1.0, alpha], [0.0, 1.0]])
    E = reciprocal_basis(B)
    same(E, np.column_stack([[1.0, 0.0], [-alpha, 1.0]]))
    same(B.T @ E, np.eye(2))


def test_36_A2_a_shifted_frame():
    """Q is at (0, l, 0): (a) its basis in that of O, (b) coordinates, (c) the same vector"""
    l = 0.4
    X = pluecker_transform(np.eye(3), [0, l, 0])
    basis_of_Q = np.linalg.inv(X)  # columns: the basis at Q in O coordinates
    d_O = np.eye(6)
    same(basis_of_Q[:, 0], d_O[0] - l * d_O[5])
    same(basis_of_Q[:, 1], d_O[1])
    same(basis_of_Q[:, 2], d_O[2] + l * d_O[3])
    same(basis_of_Q[:, 3:], np.eye(6)[:, 3:])
    v = RNG.normal(size=6)
    v_Q = transform_motion(X, v)
    same(v_Q, [*v[:3], v[3] - l * v[2], v[4], v[5] + l * v[0]])
    same(basis_of_Q @ v_Q, v)


# ------------------------------------------------------------------------------ 43: Pluecker coordinates, derivatives B


def test_43_B1_accelerations_of_the_planar_robot():
    qdd1, qdd2 = 0.9, 2.1
    v1 = S1 * QD1
    a1 = S1 * qdd1
    a2 = a1 + S2 * qdd2 + cross_motion(v1, S2) * QD2  # s2 moves with body 1
    same(a1, [0, 0, qdd1, 0, 0, 0])
    same(a2, [0, 0, qdd1 + qdd2, QD1 * QD2, -qdd2, 0])


def test_43_B2_a_rolling_cylinder():
    """Radius r, speed v along y: the spatial acceleration is [0, 0, 0, 0, 0, v^2/r], although no point of the axis turns"""
    r, v, y0, t = 0.5, 2.0, 0.3, 0.8
    centre = np.array([0.0, y0 + v * t, r])
    velocity = twist(I, centre, -v / r) + np.concatenate([np.zeros(3), v * J])  # in a frame at O that does not move
    same(velocity, [-v / r, 0, 0, 0, 0, (y0 + v * t) * v / r])
    # seen from the centre, which moves: the components do not change, and all comes from the motion of the frame
    at_centre = transform_motion(pluecker_transform(np.eye(3), centre), velocity)
    same(at_centre, [-v / r, 0, 0, 0, v, 0])
    frame_velocity = np.array([0, 0, 0, 0, v, 0])
    a_C = derivative_of_motion(np.zeros(6), frame_velocity, at_centre)
    same(a_C, [0, 0, 0, 0, 0, v * v / r])
    same(transform_motion(pluecker_transform(np.eye(3), -centre), a_C), [0, 0, 0, 0, 0, v**2 / r])
    same(classical_acceleration(at_centre, a_C)[3:], np.zeros(3))  # the centre goes straight on


# --------------------------------------------------------------------------------------------------------- 48: dynamics A


def test_48_A1_momentum_from_its_parts():
    m, c, I_C = 2.0, np.array([0.1, -0.2, 0.3]), np.diag([0.2, 0.3, 0.4])
    v = RNG.normal(size=6)
    h = m * velocity_at(v, c)
    h_C = I_C @ v[:3]
    same(body_momentum(spatial_inertia(m, c, I_C), v), np.concatenate([h_C + np.cross(c, h), h]))


def test_48_A2_the_inverse_inertia_in_other_coordinates():
    """I_B^-1 = X I_A^-1 (A X*_B), the last one X^T"""
    X = pluecker_transform(exp3([0.2, 0.5, -0.1]), [0.3, 0.2, -0.4])
    I_A = some_inertia()
    found = inverse_inertia(transform_inertia(X, I_A))
    np.testing.assert_allclose(found, X @ inverse_inertia(I_A) @ X.T, rtol=1e-10, atol=1e-11)


def test_48_A3_relative_inertia():
    """f between two bodies at rest: f = I_rel (a_B - a_A)"""
    I_A, I_B, f = some_inertia(), some_inertia(5.0), RNG.normal(size=6)
    a_A, a_B = -inverse_inertia(I_A) @ f, inverse_inertia(I_B) @ f
    np.testing.assert_allclose(relative_inertia(I_A, I_B) @ (a_B - a_A), f, rtol=1e-10, atol=1e-11)


def test_48_A4_newton_and_euler():
    """At the centre of mass, with its acceleration c'': n = I_C dw + w x I_C w, f = m c''"""
    m, I_C = 2.0, np.array([[0.2, 0.01, 0.0], [0.01, 0.3, 0.02], [0.0, 0.02, 0.4]])
    w, dw, v_C, c2 = RNG.normal(size=(4, 3))
    v = np.concatenate([w, v_C])
    a = spatial_acceleration(v, np.concatenate([dw, c2]))
    expected = np.concatenate([I_C @ dw + np.cross(w, I_C @ w), m * c2])
    same(net_force(spatial_inertia(m, np.zeros(3), I_C), v, a), expected)


# --------------------------------------------------------------------------------------------------------- 53: dynamics B


def constrained_body():
    """A subspace of two freedoms that changes, and what the body does"""
    freedoms, rate = RNG.normal(size=(2, 6, 2))
    return some_inertia(), freedoms, rate, RNG.normal(size=2), RNG.normal(size=6)


def test_52_a_body_at_rest_by_freedoms_and_by_constraints():
    """In the course, the solution for lambda lacks its f: lambda = -D T^T I^-1 f"""
    inertia, freedoms, _, _, f = constrained_body()
    constraints = complement(freedoms)
    by_S, by_T = (
        apparent_inverse_inertia_from_S(inertia, freedoms),
        apparent_inverse_inertia_from_T(inertia, constraints),
    )
    np.testing.assert_allclose(by_S, by_T, rtol=0.0, atol=1e-10 * np.abs(by_S).max())
    D = np.linalg.inv(constraints.T @ inverse_inertia(inertia) @ constraints)
    multipliers = -D @ constraints.T @ inverse_inertia(inertia) @ f
    a = inverse_inertia(inertia) @ (f + constraints @ multipliers)
    np.testing.assert_allclose(by_S @ f, a, rtol=0.0, atol=1e-10 * np.abs(a).max())


def test_53_B1_a_moving_body():
    """a = Phi f + b with b = dS alpha - Phi (I dS alpha + v x* I v)"""
    inertia, freedoms, rate, alpha, f = constrained_body()
    found = constrained_acceleration_from_S(inertia, freedoms, f, alpha, rate)
    v = freedoms @ alpha
    phi = freedoms @ np.linalg.inv(freedoms.T @ inertia @ freedoms) @ freedoms.T
    bias = rate @ alpha - phi @ (inertia @ rate @ alpha - crm(v).T @ inertia @ v)
    np.testing.assert_allclose(found.acceleration, phi @ f + bias, rtol=0.0, atol=1e-10 * np.abs(bias).max())
    np.testing.assert_allclose(freedoms.T @ found.constraint_force, 0.0, atol=1e-9)
    np.testing.assert_allclose(net_force(inertia, v, found.acceleration), f + found.constraint_force, atol=1e-10)


def test_53_B2_a_subspace_that_moves_with_the_body():
    """dS = v x S: then dS alpha = v x v = 0, a = S dalpha, and dT^T v = 0"""
    inertia, freedoms, _, alpha, f = constrained_body()
    v = freedoms @ alpha
    rate = crm(v) @ freedoms
    same(rate @ alpha, np.zeros(6))
    constraints = complement(freedoms)
    constraint_rate = -crm(v).T @ constraints  # v x* T, so that S^T T stays zero
    np.testing.assert_allclose(constraint_rate.T @ v, 0.0, atol=1e-12)
    by_S = constrained_acceleration_from_S(inertia, freedoms, f, alpha, rate).acceleration
    by_T = constrained_acceleration_from_T(inertia, constraints, f, v, constraint_rate).acceleration
    np.testing.assert_allclose(by_S, by_T, rtol=0.0, atol=1e-9 * np.abs(by_S).max())
    np.testing.assert_allclose(constraints.T @ by_S, 0.0, atol=1e-10)  # it is in the range of S


def test_53_B3_the_equation_of_motion_of_its_freedoms():
    """tau = H qdd + C with H = S^T I S and C = S^T (I dS alpha + v x* I v)"""
    inertia, freedoms, rate, alpha, f = constrained_body()
    H, bias = joint_space(inertia, freedoms, alpha, rate)
    v = freedoms @ alpha
    same(H, freedoms.T @ inertia @ freedoms)
    np.testing.assert_allclose(bias, freedoms.T @ net_force(inertia, v, rate @ alpha), atol=1e-12)
    qdd = np.linalg.solve(H, freedoms.T @ f - bias)
    expected = constrained_acceleration_from_S(inertia, freedoms, f, alpha, rate).acceleration
    np.testing.assert_allclose(freedoms @ qdd + rate @ alpha, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())


def test_53_B4_its_kinetic_energy():
    """T = 1/2 v^T I v = 1/2 qd^T H qd"""
    inertia, freedoms, rate, alpha, _ = constrained_body()
    H = joint_space(inertia, freedoms, alpha, rate).H
    same(body_kinetic_energy(inertia, freedoms @ alpha), 0.5 * alpha @ H @ alpha)


# --------------------------------------------------------------------------------------------------------- 56: dynamics C


def test_56_C1_kinetic_energy_and_momentum_of_a_robot():
    """v_i = v_parent + s_i qd_i, T = sum 1/2 v . I v, h = sum I v: all in the coordinates of the world"""
    builder = ModelBuilder()
    places, parent = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.5, 0.0]], "world"
    masses = [1.0, 2.0, 0.5]
    for k, mass in enumerate(masses):
        builder.add_body(f"b{k}", mass=mass, center_of_mass=(0.2, 0.1, 0.0), inertia=np.diag([0.1, 0.2, 0.3]) * mass)
        offset = places[k] if k == 0 else np.subtract(places[k], places[k - 1])
        builder.add_joint(f"j{k}", "revolute", parent=parent, child=f"b{k}", axis=(0, 0, 1), position=offset)
        parent = f"b{k}"
    robot = builder.build()
    qd = np.array([0.7, -0.4, 1.1])
    v, T, h = np.zeros(6), 0.0, np.zeros(6)
    for mass, place, rate in zip(masses, places, qd, strict=True):
        v = v + twist(K, place) * rate
        inertia = spatial_inertia(mass, np.add(place, [0.2, 0.1, 0.0]), np.diag([0.1, 0.2, 0.3]) * mass)
        T, h = T + body_kinetic_energy(inertia, v), h + body_momentum(inertia, v)
    same(energy_of_robot(robot, np.zeros(3), qd), T)
    step = 1e-6  # the momentum is the derivative of the energy by a velocity of the whole robot, here about the first joint
    more, less = (energy_of_robot(robot, np.zeros(3), qd + d * np.array([1.0, 0.0, 0.0])) for d in (step, -step))
    np.testing.assert_allclose((more - less) / (2.0 * step), scalar_product(S1, h), atol=1e-9)
