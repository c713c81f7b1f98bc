"""The loop over steps does what a loop in Python around the same step does, with every kind of control, in lanes too."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from numba import config

from pluecker.articulated import (
    Actuator,
    CompiledControl,
    Control,
    Model,
    PDControl,
    PointSpring,
    SimulationError,
    TimeTable,
    aba,
    difference,
    integrate,
    random_configuration,
    simulate,
)
from pluecker.articulated.algorithms.configuration.integrate import integrate_kernel
from pluecker.articulated.algorithms.dynamics.aba import LINK, aba_kernel
from pluecker.articulated.model.layout import body_count, configuration_count, velocity_count
from pluecker.articulated.stepping.control_function import SIGNATURE
from pluecker.articulated.stepping.integrator import Integrator
from pluecker.articulated.stepping.stage import stage_workspace, stage_wrenches
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import load, part, select, smaller, store, tail
from tests.mechanisms import random_description

H = 1e-2


@kernel
def euler_step(m, c, h, q, v, law, f_ext, q1, v1, memory, ws):
    """Explicit Euler; it remembers how often it was called, and is not solved where the first joint is fast."""
    nv, nf = velocity_count(m), 6 * body_count(m)
    f, rest = part(ws, 0, nf), tail(ws, nf)
    stage_wrenches(m, c, q, v, f_ext, f, rest)
    aba_kernel(m, q, v, law, f, v1, rest)
    for k in range(nv):
        a = load(v1, k)
        store(v1, k, h * load(v, k))
        store(rest, k, load(v, k) + h * a)
    integrate_kernel(m, q, v1, q1, rest)
    for k in range(nv):
        store(v1, k, load(rest, k))
    store(memory, 0, load(memory, 0) + 1.0)
    return select(smaller(FAST, load(v, 0) * load(v, 0)), h / LONGEST, 0.0)


FAST, LONGEST = 25.0, 0.5 * H
EULER = Integrator(
    "euler",
    1,
    euler_step,
    workspace=lambda model, scenario: (
        6 * model.n_bodies + max(stage_workspace(model), LINK * (model.n_links + 1) + 8 * model.nv)
    ),
    memory=lambda model, scenario: 1,
    listed=False,
)


@pytest.fixture(scope="module")
def tree() -> Model:
    kinds = ("free", "revolute", "spherical", "prismatic")
    return random_description(5, 4, kinds).build().replace(friction=0.0)


@pytest.fixture
def states(tree):
    rng = np.random.default_rng(1)
    count = 3 if config.DISABLE_JIT else 11  # eight lanes, and three beside them
    return random_configuration(tree, rng, count), 0.3 * rng.standard_normal((count, tree.nv))


def loop(model, q, v, steps, torque, f_ext=None):
    """The same in Python: the states, and the joint forces."""
    found = [(q, v, torque(0.0, q, v))]
    for k in range(steps):
        a = aba(model, q, v, found[-1][2], f_ext)
        q, v = integrate(model, q, H * v), v + H * a
        found.append((q, v, torque((k + 1) * H, q, v)))
    return tuple(np.stack(part, axis=-2) for part in zip(*found, strict=True))


def agree(motion, expected):
    scale = np.abs(expected[1]).max()
    for found, wanted in zip((motion.q, motion.v, motion.tau), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-11 * max(1.0, scale), rtol=1e-11)


def run(model, q, v, steps=4, **options):
    return simulate(model, q, v, steps * H, H, integrator=EULER, **options)


def controls(tree):
    """Every kind of control, and the same as a function of Python's."""
    rng = np.random.default_rng(2)
    u, target = rng.standard_normal(tree.nv), random_configuration(tree, rng)
    knots, values = np.array([0.0, 1.5 * H, 3 * H]), rng.standard_normal((3, tree.nv))
    P, D = rng.uniform(0.0, 3.0, (2, tree.nv))

    def linear(t):
        return np.array([np.interp(t, knots, column) for column in values.T])

    def feedback(t, q, v):
        return u + P * difference(tree, q, target) - D * v

    def clipped(t, q, v):
        return np.clip(3.0 * np.clip(feedback(t, q, v), -0.4, 0.4), -0.9, 0.9)

    return {
        "none": (None, lambda t, q, v: np.zeros_like(v)),
        "constant": (u, lambda t, q, v: np.broadcast_to(u, v.shape)),
        "linear": (TimeTable(knots, values), lambda t, q, v: np.broadcast_to(linear(t), v.shape)),
        "held": (
            TimeTable(knots, values, linear=False),
            lambda t, q, v: np.broadcast_to(values[0 if t < 1.4 * H else 1 if t < 2.9 * H else 2], v.shape),
        ),
        "gains": (PDControl(P, D, q=target, tau=u), feedback),
        "python": (feedback, feedback),
        "compiled": (CompiledControl(SIGNATURE(spin_down), [0.5]), lambda t, q, v: -0.5 * v + t),
        "limits": (Control(PDControl(P, D, q=target, tau=u), actuator=Actuator(3.0, 0.4), clip=True), clipped),
    }


def spin_down(t, q, v, tau, parameters):
    """A control in C, as far as the loop can tell."""
    for k in range(NV):
        tau[k] = -parameters[0] * v[k] + t


NV = 11


@pytest.mark.parametrize("kind", ["none", "constant", "linear", "held", "gains", "python", "compiled", "limits"])
def test_the_loop_is_that_of_python_with_every_control(kind, tree, states):
    assert tree.nv == NV
    model = tree.replace(effort_limit=0.9)
    control, torque = controls(tree)[kind]
    q, v = states
    agree(run(model, q, v, control=control), loop(model, q, v, 4, torque))
    agree(run(model, q[0], v[0], control=control), loop(model, q[0], v[0], 4, torque))
