"""What implicit integrators promise: stiff springs and gains at any step, the matrices of the forces, no energy gained."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import (
    Cable,
    Model,
    ModelBuilder,
    PointSpring,
    TorsionSpring,
    applied_stiffness,
    difference,
    forward_kinematics,
    integrate,
    kinetic_energy,
    neutral,
    potential_energy,
    random_configuration,
    rnea_derivatives,
)
from pluecker.articulated.stepping.implicit.bdf import BDF1, BDF2
from pluecker.articulated.stepping.implicit.linearly_implicit import LINEARLY_IMPLICIT
from pluecker.articulated.stepping.implicit.newton import (
    differentiate_residual,
    residual_workspace,
    stage_residual,
    stage_solver_workspace,
)
from pluecker.articulated.stepping.implicit.redmax_step import REDMAX
from pluecker.articulated.stepping.terms.scenario import pack_scenario, smooth_model
from pluecker.articulated.stepping.terms.stiffness import stiffness_and_damping, stiffness_workspace
from pluecker.spatial import log3
from pluecker.spatial.functions.elementwise import rows_of_eight
from tests.articulated.stepping.driver import step_in_lanes, step_on_views, take_steps
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, random_description, random_state

IMPLICIT = (LINEARLY_IMPLICIT, REDMAX, BDF1, BDF2)
by_name = pytest.mark.parametrize("integrator", IMPLICIT, ids=lambda i: i.name)


def run(integrator, model, q, v, h, steps, law=None, elements=()):
    """The state at the end; every step is solved."""
    found = list(take_steps(integrator, model, q, v, h, steps, law, elements=elements))
    assert all(error <= 1.0 for _, _, error in found)
    return found[-1][:2]


def slide(**options) -> Model:
    """One kilogram on a vertical rail."""
    builder = ModelBuilder()
    builder.add_body("block", mass=1.0)
    builder.add_joint("rail", "prismatic", "world", "block", axis=(0, 0, 1), **options)
    return builder.build()


def arm(n: int = 3) -> Model:
    """A chain of rods of one kilogram and one metre, hanging at zero, in one plane."""
    builder = ModelBuilder()
    for k in range(n):
        builder.add_body(f"rod{k}", 1.0, (0, 0, -0.5), np.diag([1 / 12, 1 / 12, 1e-3]))
        parent, at = (f"rod{k - 1}", (0, 0, -1)) if k else ("world", (0, 0, 0))
        builder.add_joint(f"hinge{k}", "revolute", parent, f"rod{k}", axis=(0, 1, 0), position=at)
    return builder.build()


def ball_on_a_string() -> tuple[Model, PointSpring, np.ndarray]:
    """A small body in space on a spring of 1e8 N/m, one metre from the origin, at 0.5 rad."""
    builder = ModelBuilder()
    builder.add_body("ball", 1.0, (0, 0, 0), 0.4 * 0.05**2 * np.eye(3))
    builder.add_joint("space", "free", "world", "ball")
    q = [np.sin(0.5), 0, -np.cos(0.5), 1, 0, 0, 0]
    return builder.build(), PointSpring("ball", "world", stiffness=1e8, rest_length=1.0), np.array(q)


# ------------------------------------------------------------------------------------------------------- stiff problems


@by_name
def test_a_stiff_spring_that_is_let_go_comes_to_rest(integrator):
    """1e8 N/m at 1 ms, ten thousand radians a second: what implicit Euler leaves after a step is 1 / (h omega) of it"""
    model = slide(stiffness=1e8).replace(gravity=(0.0, 0.0, 0.0))
    found = list(take_steps(integrator, model, [0.01], [0.0], 1e-3, 30))
    assert all(error <= 1.0 for _, _, error in found)
    travel = np.array([abs(q[0]) for q, _, _ in found])
    assert travel[2:].max() < 2e-3
    assert travel[-1] < 1e-12
    assert abs(found[-1][1][0]) < 1e-9


@pytest.mark.parametrize("integrator", [LINEARLY_IMPLICIT, BDF1, BDF2], ids=lambda i: i.name)
def test_on_a_stiff_spring_the_ball_moves_as_a_pendulum(integrator):
    """Against the pendulum whose string has no length to give, 1e-7 m of it under the weight; first and second order."""
    model, spring, q = ball_on_a_string()
    builder = ModelBuilder()
    builder.add_body("ball", 1.0, (0, 0, -1))
    builder.add_joint("hinge", "revolute", "world", "ball", axis=(0, -1, 0))
    steps = 200 if COMPILED else 10
    (angle,), _ = run(BDF2, builder.build(), [0.5], [0.0], 2e-4, 5 * steps)
    q, _ = run(integrator, model, q, np.zeros(6), 1e-3, steps, elements=spring)
    way, found = 0.5 - angle, np.arctan2(q[0], -q[2])
    share = 1.0 / steps if integrator.order == 1 else 1e-5  # by which Euler's method falls farther: h / t
    assert way > (0.09 if COMPILED else 2e-4)
    assert abs(found - angle) < 1.01 * share * way
    assert np.hypot(q[0], q[2]) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.slow
@by_name
def test_at_a_thousandth_of_the_step_the_solution_is_the_same(integrator):
    """The stiff spring and the ball: 1 ms against 1 us, both of the method, whose errors are as h"""
    model, spring, q = ball_on_a_string()
    coarse, v_coarse = run(integrator, model, q, np.zeros(6), 1e-3, 50, elements=spring)
    fine, v_fine = run(integrator, model, q, np.zeros(6), 1e-6, 50_000, elements=spring)
    fell = np.linalg.norm(fine[:3] - q[:3])
    assert fell > 0.005
    assert np.linalg.norm(coarse - fine) < 0.03 * fell
    assert np.linalg.norm(v_coarse - v_fine) < 0.03 * np.linalg.norm(v_fine)


@by_name
def test_gains_of_a_million_are_stable_at_ten_milliseconds(integrator):
    """PD control of an arm, P = 1e6 and D = 1e3, that is away from its reference: there, but for what gravity bends"""
    model = arm()
    P, D, target = 1e6, 1e3, np.array([0.3, -0.2, 0.4])
    q, v = np.zeros(3), np.zeros(3)
    for _ in range(60 if COMPILED or integrator.lanes else 12):
        law = np.concatenate([P * (target - q) - D * v, np.zeros(3), np.full(3, P), np.full(3, D)])
        ((q, v, error),) = take_steps(integrator, model, q, v, 1e-2, 1, law)
        assert error <= 1.0
        assert np.abs(q).max() < 1.0
    assert np.abs(q - target).max() < (2e-5 if COMPILED or integrator.lanes else 1e-2)


@pytest.mark.slow
@by_name
def test_stiff_control_at_a_step_of_a_microsecond_leads_to_the_same(integrator):
    """An arm that follows a reference at constant velocity: by 10 ms and by 1 us it lags by what the weight bends"""
    model = arm()
    P, D, start, rate = 1e6, 6e3, np.array([0.3, -0.2, 0.4]), np.array([1.0, -0.5, 0.3])
    ends = []
    for h, n in ((1e-2, 10), (1e-6, 100_000)):
        law = np.concatenate([np.zeros(3), P * rate, np.full(3, P), np.full(3, D)])
        m, c, step = smooth_model(model), pack_scenario(model), step_on_views(integrator)
        q, v, memory = start.copy(), rate, np.zeros(integrator.memory(model, c))
        ws, f = np.full(integrator.workspace(model, c), np.nan), np.zeros(18)
        for k in range(n):
            law[:3] = P * (start + k * h * rate - q) + D * (rate - v)
            q1, v1 = np.empty((2, 3))
            assert step(m, c, h, q, v, law, f, q1, v1, memory, ws) <= 1.0
            q, v = q1, v1
        ends.append(q)
    assert np.abs(ends[1] - start - 0.1 * rate).max() < 5e-5
    assert np.abs(ends[0] - ends[1]).max() < 2e-6  # the lag is 3e-5


# ------------------------------------------------------------------------------------------------------------- matrices


def matrices(model, q, v, law=None, elements=()):
    """K and D."""
    K, D = np.empty((2, model.nv**2))
    ws = np.full(stiffness_workspace(model), np.nan)
    law = np.zeros(4 * model.nv) if law is None else law
    stiffness_and_damping(smooth_model(model), pack_scenario(model, elements), q, v, law, K, D, ws)
    return K.reshape(model.nv, -1), D.reshape(model.nv, -1)


def test_the_matrices_of_joints_are_the_derivatives_of_their_forces_at_rest():
    model = random_description(3, len(MOVING)).build()
    q = neutral(model)
    model = model.replace(rest_position=q, friction=0.0)
    v = np.zeros(model.nv)
    K, D = matrices(model, q, v)
    bare = model.replace(stiffness=0.0, damping=0.0)
    (with_K, with_D, _), (K0, D0, _) = (rnea_derivatives(m, q, v, v) for m in (model, bare))
    np.testing.assert_allclose(K, with_K - K0, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(D, with_D - D0, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["free", "spherical"])
def test_a_spring_of_a_turned_joint_is_stiff_against_the_rate_of_its_displacement(kind):
    """J' diag(k) J at a large displacement d from rest, with J = dd/dt by v from central differences"""
    builder = ModelBuilder()
    builder.add_body("ball", 1.0, (0, 0, 0), np.eye(3))
    builder.add_joint("joint", kind, "world", "ball", stiffness=np.arange(1.0, 7.0 if kind == "free" else 4.0))
    model, h = builder.build(), 1e-6
    q = random_configuration(model, 4)

    def displacement(v):
        return difference(model, model.rest_position, integrate(model, q, v))

    J = np.transpose([(displacement(h * e) - displacement(-h * e)) / (2 * h) for e in np.eye(model.nv)])
    assert np.abs(J - np.eye(model.nv)).max() > 0.3
    K, _ = matrices(model, q, np.zeros(model.nv))
    np.testing.assert_allclose(K, J.T @ np.diag(model.stiffness) @ J, rtol=0.0, atol=1e-8)


def test_on_slides_the_matrices_of_elements_are_their_derivatives():
    """Where nothing turns, all that is left out are lines that push."""
    builder, parent = ModelBuilder(), "world"
    for k, axis in enumerate(np.eye(3)):
        builder.add_body(f"b{k}", mass=1.0)
        builder.add_joint(f"j{k}", "prismatic", parent, f"b{k}", axis=axis)
        parent = f"b{k}"
    model = builder.build()
    q, v = np.array([0.3, 0.5, -0.4]), np.zeros(3)
    elements = [
        PointSpring("b2", ("world", (1, 2, 3)), stiffness=10.0, rest_length=0.5, damping=2.0),
        PointSpring("b1", ("world", (0, 1, 0)), stiffness=3.0),
        Cable([("world", (0, 0, 2)), ("b1", (0, 0.1, 0)), "b2"], stiffness=7.0, rest_length=0.1, damping=1.0),
    ]
    found, exact = matrices(model, q, v, elements=elements), applied_stiffness(model, elements, q, v)
    np.testing.assert_allclose(found, exact, rtol=0.0, atol=1e-13)


def test_the_matrices_are_symmetric_and_no_direction_is_driven():
    """Of everything at once on a tree of all joints, and with control"""
    model = random_description(5, len(MOVING)).build()
    state = random_state(model, 8)
    rng = np.random.default_rng(2)
    law = np.concatenate([np.zeros(2 * model.nv), rng.uniform(0.0, 1.0, 2 * model.nv)])
    bodies = model.body_names
    elements = [
        PointSpring(bodies[2], bodies[7], stiffness=50.0, rest_length=9.0, damping=2.0),  # which pushes
        PointSpring(bodies[3], bodies[9], stiffness=50.0, rest_length=0.01, damping=2.0),
        TorsionSpring(bodies[1], bodies[11], stiffness=20.0, damping=3.0),
        Cable(["world", bodies[4], bodies[10]], stiffness=30.0, rest_length=0.1, damping=1.0),
    ]
    for M in matrices(model, state["q"][0], state["v"][0], law, elements):
        np.testing.assert_allclose(M, M.T, rtol=0.0, atol=1e-12 * np.abs(M).max())
        assert np.linalg.eigvalsh(M).min() > -1e-12 * np.abs(M).max()


@pytest.mark.skipif(
    COMPILED, reason="dual numbers are the same without compilation, where nothing has to be compiled for it"
)
def test_the_derivative_of_the_equations_of_a_stage_is_exact():
    """Of configurations that move with the velocity, springs, elements, wrenches and control: against central differences"""
    kinds = ("free", "exponential", "universal", "helical", "spherical", "revolute", "revolute")
    description = random_description(2, len(kinds), kinds, branching=0.3)
    follower, source = (name for name, joint in description.joints.items() if joint["type"] == "revolute")
    description.joints[follower]["mimic"] = (source, -0.7, 0.2)
    model = description.build()
    bodies = model.body_names
    elements = [
        PointSpring(bodies[0], bodies[5], stiffness=5.0, rest_length=0.3, damping=2.0),
        TorsionSpring(bodies[1], bodies[6], stiffness=2.0, damping=3.0),
    ]
    m, c = smooth_model(model), pack_scenario(model, elements)
    state, nv = random_state(model, 9, 2), model.nv
    q, v, f_ext = state["q"][0], state["v"][0], state["f_ext"][0].ravel()
    given = m, c, 0.2, 0.1, q, v, q, state["v"][1]  # the method's g and v_b
    law = np.random.default_rng(3).normal(size=4 * nv)
    u = v + 0.1 * state["a"][0]

    def residual(u):
        r, ws = np.empty(nv), np.full(residual_workspace(model), np.nan)
        stage_residual(*given, u, law, f_ext, r, ws)
        return r

    r, J = np.empty(nv), np.empty(nv * nv)
    differentiate_residual(*given, u, law, f_ext, r, J, np.full(stage_solver_workspace(model), np.nan))
    np.testing.assert_allclose(r, residual(u), rtol=0.0, atol=1e-12 * np.abs(r).max())
    h = 1e-5
    expected = np.transpose([(residual(u + h * e) - residual(u - h * e)) / (2 * h) for e in np.eye(nv)])
    np.testing.assert_allclose(J.reshape(nv, nv), expected, rtol=0.0, atol=1e-8 * np.abs(expected).max())


# --------------------------------------------------------------------------------------------------------------- energy


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_implicit_euler_takes_energy_and_gives_none(seed):
    """A tree of all joints with springs and dampers, which falls: at each step there is less"""
    model = random_description(seed, len(MOVING)).build()
    model = model.replace(friction=0.0)
    state = random_state(model, seed)
    q, v = state["q"][0], state["v"][0]
    energy = kinetic_energy(model, q, v) + potential_energy(model, q)
    found = list(take_steps(BDF1, model, q, v, 1e-3, 200))
    assert all(error <= 1.0 for _, _, error in found)
    energies = [energy, *(kinetic_energy(model, q, v) + potential_energy(model, q) for q, v, _ in found)]
    assert (np.diff(energies) < 0.0).all()


def test_a_ball_that_turns_while_it_flies_gains_nothing():
    """50 rad/s at 10 ms; in body coordinates, as RedMax steps, its flight doubles its energy in four steps"""
    builder = ModelBuilder(gravity=(0, 0, 0))
    builder.add_body("ball", 2.0, (0.1, 0.0, 0.0), 0.01 * np.eye(3))
    builder.add_joint("space", "free", "world", "ball")
    model = builder.build()
    q, w = neutral(model), np.array([0.0, 0.0, 50.0])
    v = np.concatenate([w, np.array([3.0, 0.0, 0.0]) - np.cross(w, [0.1, 0, 0])])
    before = kinetic_energy(model, q, v)
    q1, v1 = run(LINEARLY_IMPLICIT, model, q, v, 1e-2, 50)
    assert kinetic_energy(model, q1, v1) == pytest.approx(before, rel=1e-12)
    q1, v1 = run(REDMAX, model, q, v, 1e-2, 4)
    assert kinetic_energy(model, q1, v1) > 1.5 * before


@pytest.mark.parametrize("kind", ["free", "spherical"])
def test_a_needle_that_tumbles_keeps_its_energy(kind):
    """50 rad/s at 10 ms, without forces: the midpoint rule makes the energy of a body alone constant to rounding"""
    builder = ModelBuilder(gravity=(0, 0, 0))
    builder.add_body("needle", 2.0, (0, 0, 0), np.diag([1.0, 0.98, 0.02]))
    builder.add_joint("joint", kind, "world", "needle")
    model = builder.build()
    v = np.zeros(model.nv)
    v[:3] = 50.0 * np.array([0.6, 0.1, 0.8])
    q1, v1 = run(LINEARLY_IMPLICIT, model, neutral(model), v, 1e-2, 1000 if COMPILED else 50)
    assert kinetic_energy(model, q1, v1) == pytest.approx(kinetic_energy(model, q1, v), rel=1e-10)


# --------------------------------------------------------------------------------------------- backward differences


def motion_error(h_pattern, n):
    """Of BDF2 on a swinging arm, steps of changing length that add up to 0.2 s, against one of many small steps"""
    model, q, v = arm(2), np.array([1.0, -0.5]), np.array([0.3, 0.7])
    pattern = np.resize(h_pattern, n)
    return model, q, v, 0.2 * pattern / pattern.sum()


def test_steps_of_changing_length_keep_the_order():
    """Longer and shorter by a half in turn, with one memory; halving all of them leaves a quarter of the error"""
    ends = []
    for n in (8, 16, 128) if COMPILED else (6, 12, 48):
        model, q, v, lengths = motion_error((1.0, 1.5), n)
        m, c = smooth_model(model), pack_scenario(model)
        step, memory = step_on_views(BDF2), np.zeros(BDF2.memory(model, c))
        ws = np.full(BDF2.workspace(model, c), np.nan)
        for h in lengths:
            q1, v1 = np.empty((2, 2))
            assert step(m, c, h, q, v, np.zeros(8), np.zeros(12), q1, v1, memory, ws) <= 1.0
            q, v = q1, v1
        ends.append(q)
    coarse, fine = (np.abs(q - ends[-1]).max() for q in ends[:2])
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.35)  # the reference has an error of its own


@pytest.mark.slow
def test_exponential_coordinates_go_on_beyond_half_a_turn():
    """A top on a ball joint in both coordinates, through three turns: the way between both motions is of second order"""
    apart = []
    for n in (400, 800):
        turned = []
        for kind in ("spherical", "exponential"):
            builder = ModelBuilder()
            builder.add_body("top", 1.0, (0.1, 0.0, 0.3), np.diag([0.2, 0.25, 0.1]))
            builder.add_joint("ball", kind, "world", "top")
            model = builder.build()
            q, _ = run(BDF2, model, neutral(model), [12.0, 4.0, 8.0], 1.0 / n, n)
            turned.append(forward_kinematics(model, q)[0, :3, :3])
        apart.append(np.linalg.norm(log3(turned[0].T @ turned[1])))
    assert apart[0] < 0.1
    assert np.log2(apart[0] / apart[1]) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("integrator", [BDF1, BDF2], ids=lambda i: i.name)
def test_a_step_that_cannot_be_solved_says_so(integrator):
    """Forces that overflow leave no velocity; Newton's method that does not arrive leaves an error above one"""
    model = arm(1)
    with np.errstate(all="ignore"):  # without compilation NumPy warns
        ((_, v, error),) = take_steps(integrator, model, [0.1], [0.0], 1e-2, 1, [1e308, 0.0, 0.0, 0.0])
    assert error == np.inf
    assert np.isnan(v).all()
    rng = np.random.default_rng(2)
    errors = []
    for _ in range(20 if COMPILED else 3):
        ((_, v, error),) = take_steps(integrator, arm(4), 2 * rng.normal(size=4), 30 * rng.normal(size=4), 1.0, 1)
        assert np.isfinite(v).all()
        errors.append(error)
    assert min(errors) <= 1.0 < max(errors)
    assert not np.isnan(errors).any()


def test_the_step_that_failed_is_not_remembered():
    """BDF2 goes on from the last state that was solved"""
    model = arm(1)
    m, c, memory = smooth_model(model), pack_scenario(model), np.zeros(3)
    ws, q1, v1 = np.full(BDF2.workspace(model, c), np.nan), np.empty(1), np.empty(1)
    step = step_on_views(BDF2)
    rest = np.zeros(6), q1, v1, memory, ws
    assert step(m, c, 1e-2, np.array([0.1]), np.zeros(1), np.zeros(4), *rest) <= 1.0
    kept = memory.copy()
    assert kept[0] == 1e-2
    with np.errstate(all="ignore"):
        assert step(m, c, 1e-2, q1.copy(), v1.copy(), np.array([1e308, 0.0, 0.0, 0.0]), *rest) > 1.0
    np.testing.assert_array_equal(memory, kept)


# ---------------------------------------------------------------------------------------------------------------- lanes


@pytest.mark.skipif(not COMPILED, reason="lanes are there in compiled code only")
@pytest.mark.slow
@pytest.mark.parametrize("integrator", [LINEARLY_IMPLICIT, REDMAX], ids=lambda i: i.name)
def test_eight_states_in_lanes_move_as_each_alone(integrator):
    """On a tree of all joints, with springs between bodies: the same to rounding"""
    model = random_description(4, len(MOVING)).build()
    bodies = model.body_names
    elements = [
        PointSpring(bodies[2], bodies[7], stiffness=1e4, rest_length=0.3, damping=2.0),
        TorsionSpring(bodies[1], bodies[11], stiffness=20.0, damping=3.0),
    ]
    m, c = smooth_model(model), pack_scenario(model, elements)
    state = random_state(model, 6, 8)
    law = np.abs(np.random.default_rng(0).normal(size=(8, 4 * model.nv)))

    def rows(n, x=None):
        array = rows_of_eight(n)
        array[:] = np.nan if x is None else x.reshape(8, n).T
        return array

    arguments = [rows(x.size // 8, x) for x in (state["q"], state["v"], law, state["f_ext"])]
    sizes = model.nq, model.nv, integrator.memory(model, c), integrator.workspace(model, c)
    q1, v1, memory, ws = (rows(n) for n in sizes)
    step_in_lanes(integrator)(m, c, 1e-2, *arguments, q1, v1, memory, ws)
    for k in range(8):
        given = model, state["q"][k], state["v"][k], 1e-2, 1, law[k], state["f_ext"][k], elements
        ((q, v, _),) = take_steps(integrator, *given)
        np.testing.assert_allclose(q1[:, k], q, rtol=0.0, atol=1e-11)
        np.testing.assert_allclose(v1[:, k], v, rtol=0.0, atol=1e-11 * np.abs(v).max())
