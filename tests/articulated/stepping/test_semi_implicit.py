"""The semi-implicit step: no energy from nothing, momentum, stiffness that is stable at any step, and its order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    PDControl,
    PointSpring,
    SimulationError,
    TimeTable,
    applied_forces,
    bias_force,
    crba,
    difference,
    integrate,
    kinetic_energy,
    momentum,
    neutral,
    random_configuration,
    random_tree,
)
from tests.articulated.stepping.motions import end, states
from tests.conftest import EVERYTHING
from tests.models import one_body

BALL, BOX, NEEDLE = (0.02, 0.02, 0.02), (0.010, 0.020, 0.025), (0.0002, 0.020, 0.0202)
MASS, OFFSET = 2.0, (0.1, -0.05, 0.2)
SPIN = 50.0  # rad/s
NEXT_TO_NOTHING = 1e-14  # N m, dry friction by which the rows of all joints have impulses, and no motion changes


def lone_body(moments: tuple[float, ...], joint: str = "free", gravity: tuple[float, ...] = (0, 0, 0)) -> Model:
    """One body whose centre of mass is not its origin; of a pivot the moments are those about it."""
    inertia = np.diag(moments)
    if joint == "spherical":
        c = np.array(OFFSET)
        return lone_inertia(inertia + MASS * (c @ c * np.eye(3) - np.outer(c, c)), joint, gravity, (0.0, 0.0, 0.0))
    return lone_inertia(inertia, joint, gravity, OFFSET)


def lone_inertia(inertia: Any, joint: str, gravity: tuple[float, ...], center: tuple[float, ...]) -> Model:
    return one_body("body", joint, MASS, center, inertia, joint="joint", gravity=gravity)


SPINS = [
    (BALL, (0.6 * SPIN, 0.8 * SPIN, 0.0)),
    (BOX, (SPIN, 0.0, 0.0)),
    (BOX, (0.0, 0.0, SPIN)),
    (NEEDLE, (0.1 * SPIN, 0.6 * SPIN, 0.79 * SPIN)),
]


def assert_energy_and_momentum_stay(
    moments: tuple[float, ...], spin: tuple[float, ...], steps: int, tol: float
) -> None:
    """Check a spinning body at a step of 1 ms and at one of 10 ms."""
    model = lone_body(moments)
    for h in (1e-3, 1e-2):
        motion = states(model, neutral(model), [*spin, 1.0, 2.0, 3.0], h, steps)
        energy, momenta = kinetic_energy(model, motion.q, motion.v), momentum(model, motion.q, motion.v)
        assert np.ptp(energy) < tol * energy[0], h
        assert np.abs(momenta[:, 3:] - momenta[0, 3:]).max() < tol * MASS * SPIN * np.linalg.norm(OFFSET), h


@pytest.mark.parametrize(("moments", "spin"), SPINS, ids=["ball", "box long", "box short", "needle"])
def test_a_lone_body_keeps_its_energy_and_its_momentum(moments: tuple[float, ...], spin: tuple[float, ...]) -> None:
    assert_energy_and_momentum_stay(moments, spin, 100, 1e-12)


@pytest.mark.slow
@pytest.mark.everything
@pytest.mark.parametrize(("moments", "spin"), SPINS, ids=["ball", "box long", "box short", "needle"])
def test_a_lone_body_keeps_its_energy_for_100_000_steps(moments: tuple[float, ...], spin: tuple[float, ...]) -> None:
    """Rounding alone: errors of some 1e-16 in each step, which may all have the same sign."""
    assert_energy_and_momentum_stay(moments, spin, 100_000, 1e-10)


def spun(model: Model, turn: float, direction: Any, integrator: str, steps: int = 10) -> Any:
    """The motion of a lone body that turns by so many radians in each step."""
    h = 1e-2
    v = [*(turn / h * np.asarray(direction) / np.linalg.norm(direction)), 0.0, 0.0, 0.0]
    return states(model, neutral(model), v, h, steps, integrator=integrator)


@pytest.mark.parametrize("integrator", ["semi_implicit", "linearly_implicit"])
def test_a_lone_body_keeps_its_energy_however_far_it_turns_in_a_step(integrator: str) -> None:
    """The midpoint rule has several roots, or none nearby, beyond some radians; about the mean axis each is unstable."""
    rng = np.random.default_rng(0)
    for moments in (BOX, (0.0101, 0.020, 0.029), NEEDLE):
        inertia, model = np.array(moments), lone_inertia(moments, "free", (0, 0, 0), (0.0, 0.0, 0.0))
        for turn in (0.5, 2.9, 3.0, 4.0, 5.0, 6.0, 20.0, 300.0):
            for direction in (*rng.standard_normal((5, 3)), [0.02, 1.0, -0.01]):
                w = spun(model, turn, direction, integrator).v[:, :3]
                energy, lengths = w**2 @ inertia, np.linalg.norm(w * inertia, axis=1)
                assert np.ptp(energy) < 1e-11 * energy[0], (moments, turn)
                assert np.ptp(lengths) < 1e-11 * lengths[0], (moments, turn)


def test_a_fast_spin_about_the_axis_of_the_largest_moment_stays_there() -> None:
    """Momentum and energy allow another root, with the body turning the other way round."""
    rng = np.random.default_rng(1)
    model = lone_inertia((0.0101, 0.020, 0.029), "free", (0, 0, 0), (0.0, 0.0, 0.0))
    for turn in (3.0, 4.0, 5.0, 7.0, 50.0):
        for tilt in 0.2 * rng.standard_normal((5, 2)):
            spin = spun(model, turn, [*tilt, 1.0], "semi_implicit").v[:, 2]
            assert spin.min() > 0.5 * spin[0] > 0.0


def test_a_ball_keeps_its_velocity_at_any_spin() -> None:
    """A ball turns without moments."""
    w = spun(lone_body(BALL), 1e5, [1.0, 3.0, -0.5], "semi_implicit").v[:, :3]
    np.testing.assert_allclose(
        w, np.broadcast_to(w[0], w.shape), rtol=1e-9
    )  # h |w| times rounding of moments, each step


@pytest.mark.parametrize("integrator", ["semi_implicit", "linearly_implicit"])
def test_a_body_that_turns_by_thousands_of_radians_in_a_step_is_refused(integrator: str) -> None:
    with pytest.raises(
        SimulationError, match=r"the fastest joint is 'joint.wy' at 9.*e\+05, 9.*e\+03 in a step; a smaller"
    ):
        spun(lone_body(BOX), 1e4, [1.0, 3.0, -0.5], integrator)


@pytest.mark.parametrize("moments", [BALL, BOX, NEEDLE])
def test_a_pivoted_body_keeps_its_energy_and_the_length_of_its_angular_momentum(moments: tuple[float, ...]) -> None:
    model = lone_body(moments, "spherical")
    motion = states(model, neutral(model), [0.1 * SPIN, 0.6 * SPIN, 0.79 * SPIN], 1e-2, 100)
    lengths = np.linalg.norm(motion.v @ crba(model, motion.q[0]).T, axis=1)
    energy = kinetic_energy(model, motion.q, motion.v)
    assert np.ptp(energy) < 1e-12 * energy[0]
    assert np.ptp(lengths) < 1e-12 * lengths[0]


def test_the_centre_of_mass_of_a_spinning_body_falls_as_the_formula_says() -> None:
    """x_n = x_0 + n h v_0 + n (n + 1) / 2 h^2 g, whatever the body does besides"""
    model = lone_body(BOX, gravity=(1.0, -2.0, -9.81))
    h, n = 1e-2, 50
    q = random_configuration(model, np.random.default_rng(0))
    motion = states(model, q, [30.0, -20.0, 40.0, 1.0, 2.0, 3.0], h, n)
    center = np.array([integrate(model, x, [0.0, 0.0, 0.0, *OFFSET])[:3] for x in motion.q])
    start = momentum(model, motion.q[0], motion.v[0])[3:] / MASS
    k = np.arange(n + 1)[:, None]
    expected = center[0] + k * h * start + 0.5 * k * (k + 1) * h**2 * np.array([1.0, -2.0, -9.81])
    assert np.abs(center - expected).max() < 1e-12


@pytest.mark.slow
def test_quaternions_stay_of_unit_length() -> None:
    model = lone_body(NEEDLE)
    q, _ = end(model, neutral(model), [5.0, 30.0, 40.0, 1.0, 2.0, 3.0], 1e-3, 1_000_000 if EVERYTHING else 50_000)
    assert abs(np.linalg.norm(q[3:]) - 1.0) < 1e-14


# --------------------------------------------------------------------------------------------------------------- its order


def errors(model: Model, duration: float, steps: tuple[int, ...]) -> np.ndarray:
    """Return errors of q and v for numbers of steps, against Richardson's extrapolation of twice and four times the last."""
    rng = np.random.default_rng(3)
    q, v = random_configuration(model, rng), rng.standard_normal(model.nv)

    def after(n: int) -> np.ndarray:
        q1, v1 = end(model, q, v, duration / n, n)
        return np.concatenate([difference(model, q, q1), v1])

    a, b = after(2 * steps[-1]), after(4 * steps[-1])
    limit = 2.0 * b - a
    return np.array([np.abs(after(n) - limit).max() for n in steps])


MECHANISMS = {
    "every joint type, with damping, springs and armature": random_tree(24, 5, passive=True),
    "mimic joints": random_tree(10, 7, mimic=0.4),
    "a floating tree": random_tree(6, 2, joints=["free", *["revolute"] * 5], branching=0.3),
    "a floating chain that is swept": random_tree(36, 4, joints=["free", *["revolute"] * 35], branching=0.0),
    "a pivoted chain that is swept": random_tree(30, 4, joints=["spherical", *["revolute"] * 29], branching=0.0),
    "free joints on one another": random_tree(3, 1, joints=["free"], branching=0.0),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.everything if name == "mimic joints" else ()) for name in MECHANISMS]
)
def test_the_order_is_one(name: str) -> None:
    model = MECHANISMS[name].replace(friction=0.0, lower_limit=-np.inf, upper_limit=np.inf)
    found = errors(model, 0.02, (16, 32, 64))
    assert np.abs(np.log2(found[:-1] / found[1:]) - 1.0).max() < 0.1


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "mimic joints"])
def test_a_step_by_sweeps_is_that_by_factors(name: str) -> None:
    """Two algorithms for one equation: with next to no dry friction the matrix is factorised, without any it is not.

    The condition number of the longest chain is some 1e5.
    """
    model = MECHANISMS[name].replace(friction=0.0, armature=0.1, damping=0.3, stiffness=2.0)
    rng = np.random.default_rng(2)
    q, v = random_configuration(model, rng), 3.0 * rng.standard_normal(model.nv)
    u, R, P, D = np.abs(rng.standard_normal((4, model.nv)))
    options = {
        "control": PDControl(P, D, q=q, v=v, tau=TimeTable([0.0, 1.0], [u, u + R])),
        "f_ext": rng.standard_normal((model.n_bodies, 6)),
        "limits": False,
    }
    q1, v1 = end(model, q, v, 1e-2, 1, **options)
    q2, v2 = end(model.replace(friction=NEXT_TO_NOTHING), q, v, 1e-2, 1, **options)
    assert np.abs(v1 - v2).max() < 1e-11 * np.abs(v2).max()
    assert np.abs(q1 - q2).max() < 1e-12


@pytest.mark.slow
def test_rows_that_wake_and_sleep_give_what_rows_that_stay_awake_do() -> None:
    """An arm swings into its limits and rests there: whether a step is taken by sweeps or by factors is not seen."""
    model = random_tree(4, 3, joints=["revolute"], branching=0.0)
    model = model.replace(friction=0.0, lower_limit=-0.3, upper_limit=0.3)
    q, v = np.zeros(4), np.array([2.0, -1.0, 3.0, -2.0])
    sleeping, awake = (
        states(each, q, v, 1e-3, 400) for each in (model, model.replace(friction=NEXT_TO_NOTHING))
    )  # fmt: skip
    touching = (np.abs(sleeping.q) > 0.3 - 1e-9).any(axis=1)
    assert 0 < touching.sum() < len(touching)
    assert np.abs(sleeping.q - awake.q).max() < 1e-9


def test_one_step_is_the_linear_equation_that_it_says() -> None:
    """Joints at the roots have no gyroscopic moments: H + h D + h^2 K by the dense matrix, c by inverse dynamics."""
    model = random_tree(8, 3, joints=["revolute", "prismatic", "universal", "helical"], passive=True)
    model = model.replace(friction=0.0)
    rng = np.random.default_rng(1)
    q, v = random_configuration(model, rng), rng.standard_normal(model.nv)
    u, R, P, D = np.abs(rng.standard_normal((4, model.nv)))
    h = 1e-2
    K, losses = np.diag(model.stiffness + P), np.diag(model.damping + D)
    b = u + h * R - bias_force(model, q, v) - h * K @ v
    expected = v + np.linalg.solve(crba(model, q) + h * losses + h**2 * K, h * b)
    control = PDControl(P, D, q=q, v=v, tau=TimeTable([0.0, 1.0], [u, u + R]))
    q1, v1 = end(model, q, v, h, 1, control=control)
    assert np.abs(v1 - expected).max() < 1e-11 * np.abs(expected).max()
    assert np.abs(q1 - integrate(model, q, h * v1)).max() < 1e-14


@pytest.mark.slow
def test_elements_act_as_the_joint_forces_that_they_make() -> None:
    model = random_tree(5, 3, joints=["free", "revolute", "spherical"]).replace(friction=0.0)
    rng = np.random.default_rng(1)
    q, v = random_configuration(model, rng), rng.standard_normal(model.nv)
    spring = PointSpring("world", ("body4", (0.1, 0.2, 0.3)), 100.0, damping=2.0)
    _, found = end(model, q, v, 1e-2, 1, elements=[spring])
    _, expected = end(model, q, v, 1e-2, 1, control=applied_forces(model, [spring], q, v).joint_force)
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
