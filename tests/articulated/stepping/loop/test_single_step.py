"""A single step under constant forces, taken without the loop, is the loop's own: every number of it, by all integrators."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import random_configuration, simulate
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
