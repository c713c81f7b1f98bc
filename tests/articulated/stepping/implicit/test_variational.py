"""The variational integrator keeps what the equations of motion keep: momenta, the symplectic form, energy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

from pluecker.articulated import (
    Model,
    ModelBuilder,
    PDControl,
    TimeTable,
    Trajectory,
    crba,
    difference,
    momentum,
    neutral,
    random_configuration,
    simulate,
)
from tests.articulated.stepping import motions
from tests.conftest import EVERYTHING
from tests.mechanisms import random_body
from tests.models import one_body

AXES = ("revolute", "prismatic", "universal", "cylindrical")


def states(*arguments, **options) -> Trajectory:
    """The start and the state after each step."""
    return motions.states(*arguments, integrator="variational", **options)


def end(*arguments, **options) -> tuple[np.ndarray, np.ndarray]:
    """The state after the last step."""
    return motions.end(*arguments, integrator="variational", **options)


def floating_tree(bodies: int, mimic: bool = False, **options) -> Model:
    """A base on a free joint, and bodies on joints of all kinds, without gravity"""
    rng = np.random.default_rng(3)
    builder = ModelBuilder("floating", gravity=(0, 0, 0))
    builder.add_body("base", **random_body(rng))
    builder.add_joint("float", "free", "world", "base")
    kinds = ("revolute", "spherical", "prismatic", "exponential", "universal", "euler_zyx", "cylindrical")
    for k in range(bodies - 1):
        kind = kinds[k % len(kinds)]
        own = {"axis": rng.normal(size=3)} if kind in AXES else {}
        if kind == "universal":
            own["axis2"] = np.cross(own["axis"], rng.normal(size=3))
        if mimic and kind == "prismatic":
            own["mimic"] = ("joint0", 0.5, 0.1)
        builder.add_body(f"body{k}", **random_body(rng))
        parent = "base" if k == 0 else f"body{int(rng.integers(k))}"
        position = rng.normal(scale=0.3, size=3)
        builder.add_joint(f"joint{k}", kind, parent, f"body{k}", position=position, **own, **options)
    return builder.build()


@pytest.mark.parametrize("mimic", [False, True], ids=["tree", "mimic"])
def test_momenta_of_a_floating_tree_stay(mimic):
    """Springs and dampers between bodies, and control of joints but the first, do not change them."""
    model = floating_tree(5, mimic)
    rng = np.random.default_rng(0)
    q, v = random_configuration(model, 1), 3.0 * rng.normal(size=model.nv)
    first, last, stiffness, damping = rng.uniform(0.0, 1.0, (4, model.nv)) * (np.arange(model.nv) >= 6)
    control = PDControl(stiffness, damping, q=q, tau=TimeTable([0.0, 0.05], [first, last]))
    motion = states(model, q, v, 5e-3, 10, control=control, record="momentum")
    before = momentum(model, q, v)
    # each step rounds the placements and velocities of five bodies
    np.testing.assert_allclose(motion.columns["momentum"] - before, 0.0, atol=1e-14 * np.abs(before).max())


def test_a_motion_whose_velocity_is_turned_round_returns():
    """A motion without losses runs backwards as it came: the step is symmetric."""
    model = floating_tree(5, stiffness=2.0)
    rng = np.random.default_rng(1)
    q, v = random_configuration(model, 1), rng.normal(size=model.nv)
    q1, v1 = end(model, q, v, 1e-2, 1)
    q2, v2 = end(model, q1, -v1, 1e-2, 1)
    assert np.abs(v1 - v).max() > 1e-3
    assert np.abs(difference(model, q, q2)).max() < 1e-13
    assert np.abs(v2 + v).max() < 1e-11  # 1e-13 / h


def test_the_map_of_states_is_symplectic():
    """M' J M = J, for coordinates and momenta of a double pendulum, by central differences"""
    builder = ModelBuilder("double pendulum")
    rng = np.random.default_rng(2)
    for k in range(2):
        builder.add_body(f"rod{k}", **random_body(rng))
        builder.add_joint(
            f"hinge{k}", "revolute", "world" if k == 0 else "rod0", f"rod{k}", axis=rng.normal(size=3),
            position=(0.3 * k, 0, 0), stiffness=1.0, armature=0.1,
        )  # fmt: skip
    model = builder.build()

    def step(x):
        q, p = x[:2], x[2:]
        q1, v1 = end(model, q, np.linalg.solve(crba(model, q), p), 0.05, 1)
        return np.concatenate([q1, crba(model, q1) @ v1])

    x, small = np.array([0.7, -1.1, 0.5, 0.3]), 1e-4
    M = np.array([(step(x + small * e) - step(x - small * e)) / (2.0 * small) for e in np.eye(4)]).T
    J = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    np.testing.assert_allclose(M.T @ J @ M, J, atol=1e-7)  # small^2 of the third derivative
    assert np.abs(M - np.eye(4)).max() > 0.01


def test_a_spinning_body_flies_straight_on():
    model = one_body("top", "free", 2.0, (0.1, 0.2, -0.1), [1.0, 2.0, 2.5], joint="flight")
    q, v = neutral(model), np.array([3.0, 50.0, -20.0, 1.0, 2.0, 3.0])
    h, steps = 2e-3, 50
    q1, v1 = end(model, q, v, h, steps)
    center = np.array([0.1, 0.2, -0.1])
    t = h * steps
    w, x, y, z = q1[3:]
    R = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    expected = center + (v[3:] + np.cross(v[:3], center)) * t + [0, 0, -0.5 * 9.81 * t * t]
    np.testing.assert_allclose(q1[:3] + R @ center, expected, atol=1e-12)
    L0, L1 = (momentum(model, *state, centroidal=True)[:3] for state in ((q, v), (q1, v1)))
    np.testing.assert_allclose(L1, L0, atol=1e-12 * np.linalg.norm(L0))


@pytest.mark.parametrize("gravity", [9.81, 0.0])
def test_what_rests_is_solved_at_once(gravity):
    builder = ModelBuilder("hanging", gravity=(0, 0, -gravity))
    builder.add_body("rod", mass=1.0, center_of_mass=(0, 0, -0.5), inertia=[0.1, 0.1, 0.1])
    builder.add_joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0))
    motion = states(builder.build(), [0.0], [0.0], 0.01, 3, record="error")
    np.testing.assert_array_equal(motion.q, 0.0)
    np.testing.assert_array_equal(motion.v, 0.0)
    assert motion.columns["error"].max() <= 1.0


def flips(model: Model, v: np.ndarray, h: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The times at which the angular velocity about the second axis falls through zero; the velocities"""
    found = states(model, neutral(model), v, h, steps).v[1:]
    w = found[:, 1]
    k = np.flatnonzero((w[:-1] > 0.0) & (w[1:] <= 0.0))
    return (k + 1 + w[k] / (w[k] - w[k + 1])) * h, found


def period(moments: np.ndarray, w: np.ndarray) -> float:
    """Return the period of the angular velocity of a free body, by Jacobi's elliptic functions.

    Source: Landau and Lifshitz, Mechanics, section 37.
    """
    I1, I2, I3 = moments
    energy, L = moments @ w**2, (moments * w) @ (moments * w)
    high, low = energy * I3 - L, L - energy * I1
    if energy * I2 < L:
        rate, k2 = (I3 - I2) * low, (I2 - I1) * high / ((I3 - I2) * low)
    else:
        rate, k2 = (I2 - I1) * high, (I3 - I2) * low / ((I2 - I1) * high)
    return 4.0 * ellipk(k2) * np.sqrt(I1 * I2 * I3 / rate)


@pytest.mark.slow
def test_an_asymmetric_body_flips_for_seconds_in_the_period_of_the_elliptic_functions():
    moments, v = np.array([1.0, 2.0, 3.0]), np.array([0.5, 50.0, 0.0, 0.1, 0.2, 0.3])
    builder = ModelBuilder("body", gravity=(0, 0, 0))
    builder.add_body("body", mass=1.0, inertia=moments)
    builder.add_joint("flight", "free", "world", "body")
    h, seconds = 1e-3, 100 if EVERYTHING else 10
    times, found = flips(builder.build(), v, h, 1000 * seconds)
    T = period(moments, v[:3])
    assert len(times) == int(seconds / T - 0.25) + 1
    np.testing.assert_allclose(np.diff(times), T, rtol=1e-3)
    energy = 0.5 * found[:, :3] ** 2 @ moments
    assert (
        np.ptp(energy) < (50.0 * h) ** 2 / 12 * energy[0]
    )  # what the energy of a step differs from that of an instant
    L = np.linalg.norm(found[:, :3] * moments, axis=1)
    np.testing.assert_allclose(L, L[0], rtol=1e-12)


@pytest.mark.slow
def test_a_floating_tree_of_ten_bodies_keeps_momentum_and_energy():
    model = floating_tree(10, stiffness=5.0)
    rng = np.random.default_rng(0)
    q, v = neutral(model), rng.normal(size=model.nv)
    # no momentum on the whole: far from the origin its moment would be rounded more than it may change
    v[3:6] -= momentum(model, q, v)[3:] / model.mass
    steps = 100_000 if EVERYTHING else 10_000
    motion = simulate(
        model, q, v, 1e-3 * steps, 1e-3, integrator="variational", every=50, record=("momentum", "energy")
    )  # fmt: skip
    worst = np.abs(motion.columns["momentum"] - momentum(model, q, v)).max()
    energies = (motion.columns["kinetic_energy"] + motion.columns["potential_energy"])[1:]
    # what is rounded in each step are the terms of H v
    assert worst < 1e-12 * (np.abs(crba(model, q)) @ np.abs(v)).max()
    means = energies.reshape(10, -1).mean(axis=1)
    assert np.ptp(energies) < 1e-5 * energies[0]
    assert np.ptp(means) < 0.5 * np.ptp(energies)  # no trend
