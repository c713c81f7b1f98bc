"""Implicit integrators: stiff springs and gains at any step, the matrices of the forces, no energy gained."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import (
    Cable,
    Model,
    ModelBuilder,
    PDControl,
    PointSpring,
    SimulationError,
    TimeTable,
    TorsionSpring,
    applied_stiffness,
    crba,
    difference,
    forward_kinematics,
    integrate,
    kinetic_energy,
    neutral,
    random_configuration,
    simulate,
)
from pluecker.spatial import log3
from tests.articulated.stepping.motions import end, states
from tests.conftest import COMPILED, EVERYTHING
from tests.mechanisms import MOVING, random_description, random_state
from tests.models import one_body

# Newton's method of bdf1 is that of bdf2, and takes as long to compile once more.
BDF1 = pytest.param("bdf1", marks=pytest.mark.plain)
by_name = pytest.mark.parametrize("integrator", ["semi_implicit", "linearly_implicit", "redmax", BDF1, "bdf2"])
SLOW_BDF1 = pytest.param("bdf1", marks=pytest.mark.everything)
slow_by_name = pytest.mark.parametrize("integrator", ["linearly_implicit", "redmax", SLOW_BDF1, "bdf2"])
NEWTON = ("bdf1", "bdf2")


def slide(**options) -> Model:
    """One kilogram on a vertical rail."""
    return one_body("block", "prismatic", 1.0, joint="rail", axis=(0, 0, 1), **options)


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
    motion = states(model, [0.01], [0.0], 1e-3, 30, integrator=integrator)
    travel = np.abs(motion.q[:, 0])
    assert travel[3:].max() < 2e-3
    assert travel[-1] < 1e-12
    assert abs(motion.v[-1, 0]) < 1e-9


@pytest.mark.parametrize("integrator", ["linearly_implicit", BDF1, "bdf2"])
def test_on_a_stiff_spring_the_ball_moves_as_a_pendulum(integrator):
    """Against the pendulum whose string has no length to give, 1e-7 m of it under the weight; first and second order."""
    model, spring, q = ball_on_a_string()
    builder = ModelBuilder()
    builder.add_body("ball", 1.0, (0, 0, -1))
    builder.add_joint("hinge", "revolute", "world", "ball", axis=(0, -1, 0))
    steps = 200 if COMPILED else 10
    (angle,), _ = end(builder.build(), [0.5], [0.0], 2e-4, 5 * steps, integrator="bdf2")
    q, _ = end(model, q, np.zeros(6), 1e-3, steps, integrator=integrator, elements=spring)
    way, found = 0.5 - angle, np.arctan2(q[0], -q[2])
    share = 1e-5 if integrator == "bdf2" else 1.0 / steps  # by which Euler's method falls farther: h / t
    assert way > (0.09 if COMPILED else 2e-4)
    assert abs(found - angle) < 1.01 * share * way
    assert np.hypot(q[0], q[2]) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.slow
@slow_by_name
def test_at_a_small_part_of_the_step_the_solution_is_the_same(integrator):
    """The stiff spring and the ball: 1 ms against a small part of it, both of the method, whose errors are as h"""
    model, spring, q = ball_on_a_string()
    parts = 1000 if EVERYTHING else 30
    coarse, v_coarse = end(model, q, np.zeros(6), 1e-3, 50, integrator=integrator, elements=spring)
    fine, v_fine = end(model, q, np.zeros(6), 1e-3 / parts, 50 * parts, integrator=integrator, elements=spring)
    fell = np.linalg.norm(fine[:3] - q[:3])
    assert fell > 0.005
    assert np.linalg.norm(coarse - fine) < 0.03 * fell
    assert np.linalg.norm(v_coarse - v_fine) < 0.03 * np.linalg.norm(v_fine)


@by_name
def test_gains_of_a_million_are_stable_at_ten_milliseconds(integrator):
    """PD control of an arm, P = 1e6 and D = 1e3, that is away from its reference: there, but for what gravity bends"""
    model = arm()
    P, D, target = 1e6, 1e3, np.array([0.3, -0.2, 0.4])
    quick = COMPILED or integrator not in NEWTON
    control = PDControl(P, D, q=target)
    motion = states(model, np.zeros(3), np.zeros(3), 1e-2, 60 if quick else 12, integrator=integrator, control=control)
    assert np.abs(motion.q).max() < 1.0
    assert np.abs(motion.q[-1] - target).max() < (2e-5 if quick else 1e-2)


@pytest.mark.slow
@slow_by_name
def test_stiff_control_at_a_short_step_leads_to_the_same(integrator):
    """An arm that follows a reference at constant velocity: by 10 ms and by 1 us it lags by what the weight bends"""
    model = arm()
    P, D, start, rate = 1e6, 6e3, np.array([0.3, -0.2, 0.4]), np.array([1.0, -0.5, 0.3])
    control = PDControl(P, D, q=TimeTable([0.0, 0.1], [start, start + 0.1 * rate]))
    q_coarse, q_fine = (
        end(model, start, rate, 0.1 / n, n, integrator=integrator, control=control)[0]
        for n in (10, 100_000 if EVERYTHING else 5_000)
    )
    assert np.abs(q_fine - start - 0.1 * rate).max() < 5e-5
    assert np.abs(q_coarse - q_fine).max() < 2e-6  # the lag is 3e-5


# ------------------------------------------------------------------------------------------------------------- matrices


def matrices(model, q, v, elements=(), P=0.0, D=0.0):
    """K and D of the forces, gains P and D of a control among them, from what joint forces do in RedMax's step.

    The matrix that it solves, H + h D + h^2 K, is found from the velocities that unit forces add, for two lengths of it.
    """
    q0, units = q, np.vstack([np.zeros(model.nv), np.eye(model.nv)])
    solved = []
    for h in (H, 2.0 * H):
        after = np.array([
            end(model, q, v, h, 1, integrator="redmax", elements=elements, control=PDControl(P, D, q=q0, v=v, tau=u))[1]
            for u in units
        ])  # fmt: skip
        solved.append(h * np.linalg.inv((after[1:] - after[0]).T))
    M = crba(model, q)
    K = (solved[1] - 2.0 * solved[0] + M) / (2.0 * H * H)
    return K, (solved[0] - M) / H - H * K


H = 0.1  # s, so long that the three parts are of one size
ROUNDING = 1e-7  # 1e-16 of the largest moments, by the condition of the matrix that is solved, and by H^2


@pytest.mark.slow
def test_the_matrices_of_joints_at_rest_are_their_stiffness_and_damping():
    model = random_description(3, len(MOVING)).build()
    q = neutral(model)
    model = model.replace(rest_position=q, friction=0.0)
    K, D = matrices(model, q, np.zeros(model.nv))
    np.testing.assert_allclose(K, np.diag(model.stiffness), rtol=0.0, atol=ROUNDING)
    np.testing.assert_allclose(D, np.diag(model.damping), rtol=0.0, atol=ROUNDING)


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


@pytest.mark.plain
def test_on_slides_the_matrices_of_elements_are_their_derivatives():
    """On slides nothing turns, and the matrices leave out only the stiffness of lines that push; these pull."""
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
    np.testing.assert_allclose(found, exact, rtol=0.0, atol=ROUNDING)


@pytest.mark.slow
def test_the_matrices_are_symmetric_and_no_direction_is_driven():
    """A tree of all joints with all elements and control: K and D are symmetric and positive semidefinite.

    Exponential coordinates are left out: they may be others after the step, and the velocity is in other coordinates then.
    """
    kinds = tuple(kind for kind in MOVING if kind != "exponential")
    model = random_description(5, len(kinds), kinds).build().replace(friction=0.0)
    state = random_state(model, 8)
    P, D = np.random.default_rng(2).uniform(0.0, 1.0, (2, model.nv))
    bodies = model.body_names
    elements = [
        PointSpring(bodies[2], bodies[7], stiffness=50.0, rest_length=9.0, damping=2.0),  # which pushes
        PointSpring(bodies[3], bodies[9], stiffness=50.0, rest_length=0.01, damping=2.0),
        TorsionSpring(bodies[1], bodies[11], stiffness=20.0, damping=3.0),
        Cable(["world", bodies[4], bodies[10]], stiffness=30.0, rest_length=0.1, damping=1.0),
    ]
    for M in matrices(model, state["q"][0], state["v"][0], elements, P, D):
        np.testing.assert_allclose(M, M.T, rtol=0.0, atol=ROUNDING * np.abs(M).max())
        assert np.linalg.eigvalsh(M).min() > -ROUNDING * np.abs(M).max()


# --------------------------------------------------------------------------------------------------------------- energy


@pytest.mark.slow
@pytest.mark.everything
@pytest.mark.parametrize("seed", range(3))
def test_implicit_euler_takes_energy_and_gives_none(seed):
    """A tree of all joints with springs and dampers, which falls: at each step there is less"""
    model = random_description(seed, len(MOVING)).build()
    model = model.replace(friction=0.0)
    state = random_state(model, seed)
    motion = states(model, state["q"][0], state["v"][0], 1e-3, 200, integrator="bdf1", record="energy")
    energies = motion.columns["kinetic_energy"] + motion.columns["potential_energy"]
    assert (np.diff(energies) < 0.0).all()


def test_a_ball_that_turns_while_it_flies_gains_nothing():
    """50 rad/s at 10 ms; in body coordinates, as RedMax steps, its flight doubles its energy in four steps"""
    model = one_body("ball", "free", 2.0, (0.1, 0.0, 0.0), 0.01 * np.eye(3), joint="space", gravity=(0, 0, 0))
    q, w = neutral(model), np.array([0.0, 0.0, 50.0])
    v = np.concatenate([w, np.array([3.0, 0.0, 0.0]) - np.cross(w, [0.1, 0, 0])])
    before = kinetic_energy(model, q, v)
    q1, v1 = end(model, q, v, 1e-2, 50, integrator="linearly_implicit")
    assert kinetic_energy(model, q1, v1) == pytest.approx(before, rel=1e-12)
    q1, v1 = end(model, q, v, 1e-2, 4, integrator="redmax")
    assert kinetic_energy(model, q1, v1) > 1.5 * before


@pytest.mark.parametrize("kind", ["free", "spherical"])
def test_a_needle_that_tumbles_keeps_its_energy(kind):
    """50 rad/s at 10 ms, without forces: the midpoint rule makes the energy of a body alone constant to rounding"""
    model = one_body("needle", kind, 2.0, (0, 0, 0), np.diag([1.0, 0.98, 0.02]), joint="joint", gravity=(0, 0, 0))
    v = np.zeros(model.nv)
    v[:3] = 50.0 * np.array([0.6, 0.1, 0.8])
    q1, v1 = end(model, neutral(model), v, 1e-2, 1000 if COMPILED else 50, integrator="linearly_implicit")
    assert kinetic_energy(model, q1, v1) == pytest.approx(kinetic_energy(model, q1, v), rel=1e-10)


# --------------------------------------------------------------------------------------------- backward differences


@pytest.mark.slow
def test_exponential_coordinates_go_on_beyond_half_a_turn():
    """A top on a ball joint in both coordinates, through three turns: the way between both motions is of second order"""
    apart = []
    for n in (400, 800):
        turned = []
        for kind in ("spherical", "exponential"):
            model = one_body("top", kind, 1.0, (0.1, 0.0, 0.3), np.diag([0.2, 0.25, 0.1]), joint="ball")
            q, _ = end(model, neutral(model), [12.0, 4.0, 8.0], 1.0 / n, n, integrator="bdf2")
            turned.append(forward_kinematics(model, q)[0, :3, :3])
        apart.append(np.linalg.norm(log3(turned[0].T @ turned[1])))
    assert apart[0] < 0.1
    assert np.log2(apart[0] / apart[1]) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("integrator", [BDF1, "bdf2"])
def test_a_step_that_cannot_be_solved_says_so(integrator):
    """Forces that overflow leave no velocity; Newton's method that does not arrive leaves an error above one"""
    with pytest.raises(SimulationError, match=r"beyond t = 0 s: its numbers overflow"):
        end(arm(1), [0.1], [0.0], 1e-2, 1, integrator=integrator, control=[1e308])
    rng, model = np.random.default_rng(2), arm(4)
    errors = []
    for _ in range(20 if COMPILED else 3):
        q, v = 2 * rng.normal(size=4), 30 * rng.normal(size=4)
        motion = simulate(model, q, v, 1.0, 1.0, integrator=integrator, on_unsolved="continue", record=())
        assert np.isfinite(motion.v).all()
        errors.append(motion.columns["error"][-1])
    assert min(errors) <= 1.0 < max(errors)
    assert not np.isnan(errors).any()
