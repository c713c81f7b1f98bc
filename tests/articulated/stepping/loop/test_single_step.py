"""A single step under constant forces, taken without the loop, is the loop's own: every number of it, by all integrators."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, random_configuration, simulate
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, HalfSpace, Surface
from tests.articulated.stepping.test_orders import COMPILED_LATER, ORDERS
from tests.mechanisms import random_description

H = 1e-3


def everything(motion):
    """All numbers of a step and of the state before it, but for what is known behind the next step alone."""
    two = motion[:2]
    return {name: getattr(two, name) for name in ("time", "q", "v", "a", "tau")} | dict(two.columns)


@pytest.mark.parametrize(
    "integrator",
    [pytest.param(name, marks=pytest.mark.plain if name in COMPILED_LATER else ()) for name in ORDERS]
    + ["dormand_prince"],
)
def test_a_single_step_is_that_of_the_loop(integrator):
    """Two steps are taken in the loop, one is not."""
    model, rng = random_description(3, 6, passive=False).build(), np.random.default_rng(3)
    q, v = random_configuration(model, rng), rng.standard_normal(model.nv)
    for f_ext in (None, rng.standard_normal((model.n_bodies, 6))):
        options = {"integrator": integrator, "limits": False, "record": ("a", "tau", "error"), "f_ext": f_ext}
        tau = rng.standard_normal(model.nv)
        alone, looped = (everything(simulate(model, q, v, n * H, H, control=tau, **options)) for n in (1, 2))
        assert alone.keys() == looped.keys()
        for name, value in alone.items():
            np.testing.assert_array_equal(value, looped[name], err_msg=name)


def test_with_dry_friction_the_acceleration_is_what_the_step_did_to_the_velocity():
    model, rng = random_description(3, 6, passive=False).build().replace(friction=0.2), np.random.default_rng(3)
    q, v = random_configuration(model, rng), rng.standard_normal(model.nv)
    alone, looped = (simulate(model, q, v, n * H, H, limits=False) for n in (1, 2))
    for name in ("q", "v", "tau"):
        np.testing.assert_array_equal(getattr(alone, name), getattr(looped, name)[:2], err_msg=name)
    np.testing.assert_array_equal(alone.a, looped.a[[0, 0]])
    np.testing.assert_allclose(H * alone.a[0], alone.v[1] - v, rtol=0.0, atol=1e-14)


@pytest.mark.everything
def test_steps_of_a_world_go_on_as_in_one_simulation():
    """A box that slides and tips on the ground, its contacts named or found, or none: state and memory, step by step.

    On each change, of a slider-crank: tests/contact/world/test_motions.py.
    """
    builder = ModelBuilder()
    builder.add_body("box", mass=2.0, inertia=(0.02, 0.03, 0.04))
    builder.add_joint("free", "free", parent="world", child="box")
    surface = Surface(friction=0.4, restitution=0.2)
    shapes = [Collider("ground", HalfSpace(), "world", surface), Collider("cube", Box((0.3, 0.2, 0.4)), "box", surface)]
    for options in ({"shapes": shapes}, {"shapes": shapes, "pairs": [("ground", "cube")]}, {}):
        world = World(builder.build(), **options)
        q, v, memory = np.array([0.0, 0, 0.2, 1, 0, 0, 0]), np.array([0.5, 2.0, 0, 1.0, 0, -0.5]), None
        tau = [0.1, 0, 0, 0, 0.3, 0]
        whole = world.simulate(q, v, 4 * H, H, control=tau)
        for k in range(4):
            q, v, memory = world.step(q, v, H, tau=tau, memory=memory)
            np.testing.assert_array_equal(q, whole.q[k + 1])
            np.testing.assert_array_equal(v, whole.v[k + 1])
        for name in ("impulses", "own", "time"):
            np.testing.assert_array_equal(getattr(memory, name), getattr(whole.memory, name), err_msg=name)
