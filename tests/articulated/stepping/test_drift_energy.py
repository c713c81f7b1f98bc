"""Hard limits take energy, and make none, however fast joints move within a step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    kinetic_energy,
    momentum,
    random_configuration,
    random_tree,
    simulate,
)
from pluecker.articulated.robots import example_robots
from pluecker.spatial import MissingExtraError
from tests.articulated.stepping.motions import end, states
from tests.conftest import COMPILED

SPEED, H = 30.0, 1e-2  # rad/s or m/s, s: joints move by some 0.3 in a step
STATES = 40 if COMPILED else 6


def tree_with_limits(joints: list[str]) -> Model:
    """A tree on the first of these joints, without gravity and forces, whose hinges and slides have hard limits."""
    trees = (random_tree(len(joints), seed, joints=joints, branching=0.2) for seed in range(100))
    model = next(tree for tree in trees if tree.joints[0].type == joints[0])
    return model.replace(gravity=(0.0, 0.0, 0.0), friction=0.0, lower_limit=-0.5, upper_limit=0.5)


def own_energy(model: Model, q: Any, v: Any, floats: bool) -> float:
    """The kinetic energy, without that of the centre of mass of what floats: no impulse of a limit can change this."""
    linear = momentum(model, q, v)[3:]
    return float(kinetic_energy(model, q, v)) - (0.5 * linear @ linear / model.mass if floats else 0.0)


@pytest.mark.parametrize(
    "joints",
    [["revolute", "universal", "prismatic", "revolute"], ["free", "revolute", "revolute", "cylindrical"]],
    ids=["fixed", "floating"],
)
def test_no_step_in_which_a_limit_acts_adds_kinetic_energy(joints: list[str]) -> None:
    """The bound is the energy before the step, as no forces act, at any speed; that of the centre of mass is left out."""
    model = tree_with_limits(joints)
    rng, floats = np.random.default_rng(1), joints[0] == "free"
    acted = 0
    for _ in range(STATES):
        q, v = random_configuration(model, rng), SPEED * rng.standard_normal(model.nv)
        q1, v1 = end(model, q, v, H, 1)
        _, without = end(model, q, v, H, 1, limits=False)
        if np.abs(v1 - without).max() > 1e-9 * SPEED:
            before = own_energy(model, q, v, floats)
            assert own_energy(model, q1, v1, floats) <= (1.0 + 1e-12) * before
            acted += 1
    assert acted > STATES // 4


def test_what_begins_beyond_limits_comes_nearer_or_stays_and_is_not_thrown() -> None:
    model = tree_with_limits(["revolute", "prismatic", "revolute", "revolute"])
    rng = np.random.default_rng(3)
    for _ in range(STATES):
        q = rng.uniform(-2.0, 2.0, model.nq)
        v = SPEED * rng.standard_normal(model.nv)
        motion = states(model, q, v, H, 4, outside_limits="allow")
        beyond = np.maximum(np.abs(motion.q) - 0.5, 0.0)
        assert np.all(np.diff(beyond, axis=0) <= 1e-15)
        energy = kinetic_energy(model, motion.q, motion.v)
        assert np.all(energy[1:] <= 2.0 * energy[0])


@pytest.mark.slow
def test_a_humanoid_that_hangs_and_falls_into_its_limits_keeps_no_more_than_it_had() -> None:
    """Impacts are the only losses, at ten milliseconds; without the bound it has a thousand times as much in a second."""
    try:
        path = example_robots()["g1/g1_29dof_rev_1_0"]
    except MissingExtraError:
        pytest.skip("example-robot-data is not installed (extra peers)")
    model = Model.from_urdf(path, check_inertia=False)
    for seed in (0, 1):
        q = random_configuration(model, seed)
        motion = simulate(model, q, np.zeros(model.nv), 2.0, H, record=("energy",))
        energy = motion.columns["kinetic_energy"] + motion.columns["potential_energy"]
        assert energy.max() <= energy[0] + 0.1 * motion.columns["kinetic_energy"].max()
        assert energy[-1] < energy[0]
