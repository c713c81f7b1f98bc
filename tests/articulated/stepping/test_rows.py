"""Dry friction and limits of joints in a step: blocks that stop and stay, joints that come back from their limits.

How many rows are packed is looked at inside: with more than are needed, motions are the same, and slower.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pluecker.articulated import (
    JointLimits,
    Model,
    SimulationError,
    crba,
    kinetic_energy,
    neutral,
    potential_energy,
    random_configuration,
    random_tree,
    simulate,
)
from pluecker.articulated.robots import example_robots
from pluecker.spatial import MissingExtraError
from tests.articulated.stepping.motions import states
from tests.conftest import COMPILED, EVERYTHING
from tests.models import one_body

G = 9.81


def slide(gravity: tuple[float, ...] = (0.0, 0.0, -G), axis: tuple[int, ...] = (1, 0, 0), **joint: float) -> Model:
    return one_body("block", "prismatic", 2.0, (0.1, 0.2, 0.3), joint="slide", axis=axis, **joint, gravity=gravity)


def motion(
    model: Model, q: Any, v: Any, h: float, steps: int, u: Any = 0.0, outside_limits: str = "raise", **limits: Any
) -> tuple[Any, Any]:
    """q, v after each step, with joint forces u; all steps are solved."""
    options = {"control": np.broadcast_to(u, model.nv), "outside_limits": outside_limits}
    found = states(model, q, v, h, steps, limits=JointLimits(**limits), **options)
    return found.q[1:], found.v[1:]


# -------------------------------------------------------------------------------------------------------------- dry friction


@pytest.mark.parametrize("h", [1e-2, 1e-3])
def test_a_block_stops_after_v2_over_2_mu_g_and_stays(h: float) -> None:
    """Uniformly braked, velocities fall by mu g h, so that the way is n (n - 1) / 2 mu g h^2 with n = v0 / (mu g h)"""
    mu, v0 = 0.3, 1.2
    model = slide(friction=mu * 2.0 * G)
    n = int(1.1 * v0 / (mu * G * h))
    qs, vs = motion(model, [0.0], [v0], h, 2 * n)
    assert abs(qs[-1, 0] - v0**2 / (2.0 * mu * G)) < 0.51 * h * v0
    assert np.ptp(qs[n:, 0]) < 1e-14
    assert np.abs(vs[n:]).max() < 1e-14


@pytest.mark.parametrize(("share", "moves"), [(0.999, False), (-0.999, False), (1.001, True), (-1.001, True)])
def test_a_block_moves_when_it_is_pushed_by_more_than_friction_holds(share: float, moves: bool) -> None:
    model, h, n = slide(friction=3.0), 1e-2, 30
    qs, _ = motion(model, [0.0], [0.0], h, n, u=share * 3.0)
    a = np.sign(share) * (abs(share) - 1.0) * 3.0 / 2.0
    expected = 0.5 * n * (n + 1) * h**2 * a if moves else 0.0
    assert abs(qs[-1, 0] - expected) < 1e-14


def test_a_pendulum_with_dry_friction_comes_to_rest() -> None:
    model = one_body("rod", "revolute", 2.0, (0.5, 0, 0), joint="hinge", axis=(0, 1, 0), friction=0.5, damping=0.1)
    qs, vs = motion(model, [0.0], [0.0], 1e-2, 1800)
    energy = kinetic_energy(model, qs, vs) + potential_energy(model, qs)
    assert np.ptp(qs[-100:]) < 1e-14
    assert np.abs(vs[-100:]).max() < 1e-14
    assert abs(2.0 * G * 0.5 * np.cos(qs[-1, 0])) < 0.5  # what gravity asks for is less than what friction holds
    assert energy[-1] < energy[0]


def test_friction_of_many_joints_is_the_one_impulse_that_the_law_allows() -> None:
    """|r| <= h F where a joint rests, r = -h F sign(v) where it moves, with r = H (v+ - v_free) of one step"""
    mimic = 0.0 if COMPILED and not EVERYTHING else 0.2  # for which the step is compiled once more
    model = random_tree(12, 6, joints=["revolute", "prismatic", "spherical", "universal"], mimic=mimic)
    rng = np.random.default_rng(2)
    model = model.replace(friction=rng.uniform(0.0, 5.0, model.nv), lower_limit=-np.inf, upper_limit=np.inf)
    without = model.replace(friction=0.0)
    h, stuck, moving = 1e-2, 0, 0
    for _ in range(3):
        q, v = random_configuration(model, rng), 0.1 * rng.standard_normal(model.nv)
        _, vs = motion(model, q, v, h, 1)
        _, free = motion(without, q, v, h, 1)
        r = crba(model, q) @ (vs[0] - free[0]) / h
        rests = np.abs(vs[0]) < 1e-9
        assert np.abs(r[rests]).max(initial=0.0) < 5.0
        assert (np.abs(r) < model.friction + 1e-7).all()
        assert np.abs(r + model.friction * np.sign(vs[0]))[~rests].max(initial=0.0) < 1e-7
        stuck, moving = stuck + rests.sum(), moving + (~rests).sum()
    assert stuck > 3
    assert moving > 3


# -------------------------------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_heights_after_impacts_on_a_limit_fall_by_the_square_of_restitution(sign: float) -> None:
    e, h = 0.5, 1e-3
    ends = {"lower_limit": 0.0, "upper_limit": 5.0} if sign > 0 else {"lower_limit": -5.0, "upper_limit": 0.0}
    model = slide(gravity=(0.0, 0.0, -sign * G), axis=(0, 0, 1), **ends)
    qs, _ = motion(model, [sign], [0.0], h, 2000, restitution=e)
    x = sign * qs[:, 0]
    tops = x[1:-1][(x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:])]
    # of each impact, up to h v of height is lost or found before it
    assert np.abs(tops[:4] - e ** (2 * np.arange(1, 5))).max() < 2.0 * h * np.sqrt(2.0 * G)
    assert x.min() == 0.0
    assert np.ptp(x[-100:]) == 0.0


def test_a_limit_with_restitution_one_gives_all_energy_back() -> None:
    model = slide(gravity=(0.0, 0.0, 0.0), lower_limit=-1.0, upper_limit=1.0)
    _, vs = motion(model, [0.0], [3.0], 1e-2, 400, restitution=1.0)
    assert np.abs(np.abs(vs) - 3.0).max() < 1e-12
    assert (np.diff(np.sign(vs[:, 0])) != 0).sum() >= 4


def test_a_joint_reaches_its_limit_and_does_not_creep_beyond() -> None:
    model = slide(gravity=(0.0, 0.0, -G), axis=(0, 0, 1), lower_limit=0.1, upper_limit=0.3, friction=1.0)
    qs, vs = motion(model, [0.25], [0.0], 1e-2, 200)
    assert qs.min() == 0.1
    assert np.abs(qs[-100:] - 0.1).max() == 0.0
    assert np.abs(vs[-100:]).max() < 1e-14


def test_what_begins_beyond_a_limit_is_not_torn_back_but_may_come_back() -> None:
    model = slide(gravity=(0.0, 0.0, 0.0), lower_limit=0.0, upper_limit=1.0)
    held, vs = motion(model, [-0.2], [-3.0], 1e-2, 20, outside_limits="allow")
    assert np.abs(held + 0.2).max() < 1e-15
    assert np.abs(vs).max() < 1e-15
    free, _ = motion(model, [-0.2], [3.0], 1e-2, 20, outside_limits="allow")
    assert abs(free[-1, 0] - 0.4) < 1e-14


def test_a_soft_limit_carries_weight_as_its_spring_says() -> None:
    """At rest k x = m g; undamped it oscillates there with the frequency of the spring, less and less"""
    model = slide(gravity=(0.0, 0.0, -G), axis=(0, 0, 1), lower_limit=0.0, upper_limit=9.0, friction=0.5)
    qs, _ = motion(model, [0.0], [0.0], 1e-2, 300, stiffness=1e3, damping=10.0)
    assert abs(qs[-1, 0] + 2.0 * G / 1e3) < 0.5 / 1e3 + 1e-12  # within what friction holds
    assert np.ptp(qs[-50:]) < 1e-14
    stiff, _ = motion(model, [0.0], [0.0], 1e-2, 300, stiffness=1e9)
    assert abs(stiff[-1, 0] + 2.0 * G / 1e9) < 1e-8


@pytest.mark.indices
def test_limits_of_many_joints_hold_in_a_chain_that_falls() -> None:
    model = random_tree(8, 3, joints=["revolute", "universal", "cylindrical"], branching=0.3)
    model = model.replace(lower_limit=-0.3, upper_limit=0.2, friction=0.0)
    qs, vs = motion(model, 0.0 * neutral(model), np.zeros(model.nv), 1e-2, 40)
    energy = kinetic_energy(model, qs, vs) + potential_energy(model, qs)
    assert qs.min() >= -0.3
    assert qs.max() <= 0.2
    assert (np.abs(qs + 0.3) < 1e-15).any()
    assert energy.max() < potential_energy(model, 0.0 * qs[0]) + 1e-3


# -------------------------------------------------------------------------------------------------------------------- robots


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "swinging", "everywhere"),
    [
        pytest.param("tiago_pro/tiago_pro", 0, False, marks=pytest.mark.everything, id="tiago_pro"),
        pytest.param("talos/talos_full_v2", 12, False, id="talos"),
        pytest.param("talos/talos_full_v2", 0, True, marks=pytest.mark.everything, id="talos with losses in its legs"),
    ],
)
def test_robots_with_dry_friction_fall_and_their_joints_come_to_rest(
    name: str, swinging: int, everywhere: bool
) -> None:
    """The base is held. The twelve hinges of TALOS's legs have neither friction nor damping in the file, and swing on.

    All other joints rest beside them, and all do once the legs have the losses of the arms.
    """
    try:
        path = example_robots()[name]
    except MissingExtraError:
        pytest.skip("example-robot-data is not installed (extra peers)")
    model = Model.from_urdf(path, check_inertia=False)
    braked = model.friction > 0.0
    assert braked.sum() == 20
    lossless = ~braked & (model.damping == 0.0)
    assert lossless.sum() == (12 if "talos" in name else 0)
    if everywhere:
        model = model.replace(friction=np.where(lossless, 1.0, model.friction), damping=model.damping + lossless)
        lossless = np.zeros_like(lossless)
    assert lossless.sum() == swinging
    q = neutral(model, within_limits=True)
    qs, vs = motion(model, q, np.zeros(model.nv), 1e-3, 5000)
    energy, first = kinetic_energy(model, qs, vs) + potential_energy(model, qs), potential_energy(model, q)
    assert max(energy.max() - first, np.diff(energy).max()) < 1e-6 * abs(first)
    assert np.abs(vs[-100:, ~lossless]).max() < 1e-14
    assert np.ptp(qs[-100:, ~lossless], axis=0).max() < 1e-14
    assert np.all(np.abs(vs[-100:, lossless]).max(axis=0) > 1e-3)


def test_a_joint_with_limits_that_moves_no_inertia_is_an_error_and_no_endless_search_for_rows() -> None:
    """Velocities that are not finite are on no row's law, in whatever way its rows are asked."""
    model = one_body("point", "revolute", 1.0, joint="hinge", axis=(0, 1, 0), lower_limit=-1.0, upper_limit=1.0)
    with pytest.raises(
        SimulationError, match=r"beyond t = 0 s: the inertia matrix is singular: 'hinge' moves no inertia"
    ):
        simulate(model, [0.0], [1.0], 0.02, 0.001)
