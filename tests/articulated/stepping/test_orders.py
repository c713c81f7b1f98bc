"""Every integrator has the order that it says: when the step halves, the error against an independent motion follows."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import numpy as np
import pytest

from pluecker.articulated import Model, ModelBuilder, PointSpring, difference, integrate, neutral, stepping
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.simulation.integrators import ADAPTIVE
from pluecker.articulated.stepping.terms.integrator import INTEGRATORS
from tests.articulated.stepping.driver import take_steps
from tests.articulated.stepping.reference import exact_motion
from tests.conftest import COMPILED
from tests.mechanisms import random_body

for module in pkgutil.iter_modules(stepping.__path__, stepping.__name__ + "."):
    importlib.import_module(module.name)  # where integrators are registered

# a chain, on which that of the other types hangs
SMALL = ("free", "exponential", "universal")
LARGE = (
    "spherical", "revolute", "cylindrical", "euler_zyx", "prismatic", "helical", "planar", "euler_xyx", "continuous",
)  # fmt: skip
# in DURATION, of the coarser of two runs: the error's next order is then some per cent of it
STEPS = {1: 16, 2: 8, 4: 4}
DURATION = 0.2
NEWTON = ("bdf1", "bdf2")  # with exact derivatives, which take 20 s in plain Python
NAMES = [
    pytest.param(name, marks=pytest.mark.slow if name in NEWTON else ()) for name in INTEGRATORS if name not in ADAPTIVE
]


def mechanism(mimic: bool, large: bool) -> Model:
    """A tree with damping and springs, without dry friction, and a spring between two of its bodies"""
    rng = np.random.default_rng(16)
    builder = ModelBuilder()
    parents = ["world"]
    kinds = [*SMALL, *(LARGE if large else ()), *(("revolute", "revolute") if mimic else ())]
    for k, kind in enumerate(kinds):
        body, options = f"body{k}", {}
        if kind in ("revolute", "continuous", "cylindrical", "helical", "planar", "prismatic", "universal"):
            options["axis"] = rng.normal(size=3)
        if kind == "universal":
            options["axis2"] = np.cross(options["axis"], rng.normal(size=3))
        if kind == "helical":
            options["pitch"] = 0.2
        builder.add_body(body, **random_body(rng))
        if mimic and k == len(kinds) - 1:
            options["mimic"] = (f"joint{k - 1}", -0.7, 0.2)
        builder.add_joint(
            f"joint{k}", kind, parents[-1], body, position=rng.normal(scale=0.3, size=3),
            armature=0.1 if kind == "free" else rng.uniform(0.0, 0.2),
            damping=rng.uniform(0.0, 0.5), stiffness=rng.uniform(0.0, 3.0), **options,
        )  # fmt: skip
        parents.append(body)
    return builder.build()


@cache
def case(mimic: bool, large: bool):
    """A mechanism, a state, a law of control, wrenches, a spring, and where the motion ends."""
    model = mechanism(mimic, large)
    rng = np.random.default_rng(5)
    q = integrate(model, neutral(model), rng.uniform(-0.6, 0.6, model.nv))
    if large:
        q[model.q_slice("joint10")] += [0.0, 1.3, 0.0]  # away from gimbal lock, as the other Euler angles are
    v = rng.normal(size=model.nv)
    law = np.concatenate([rng.normal(size=(2, model.nv)), rng.uniform(0.0, 1.0, (2, model.nv))])
    for joint in model.joints:
        if JOINT_TYPES[joint.type].quaternion is not None:  # no line, so that displacements of steps do not add up
            law[2, model.v_slice(joint.name)] = 0.0
    f_ext = rng.normal(size=(model.n_bodies, 6))
    ends = ("body0", (1.0, -1.0, 0.5)), ("body2", (0.1, 0.2, 0.0))
    springs = [PointSpring(*ends, stiffness=5.0, rest_length=0.1, damping=0.3)]
    return model, q, v, law, f_ext, springs, exact_motion(model, q, v, DURATION, law, f_ext, springs)


def error(name: str, steps: int, mimic: bool, large: bool) -> float:
    """The largest error in a coordinate at the end"""
    model, q, v, law, f_ext, springs, (q_end, v_end) = case(mimic, large)
    h = DURATION / steps
    q1, v1 = motion(name, model, q, v, h, steps, law, f_ext, springs)
    return float(max(np.abs(difference(model, q_end, q1)).max(), np.abs(v1 - v_end).max()))


def motion(name, model, q, v, h, steps, law, f_ext, springs):
    """The state at the end; the law, whose references are the state at the beginning, as it is at each step."""
    integrator = INTEGRATORS[name]
    q0, v0 = q, v
    for n in range(steps):
        u = law[0] + n * h * law[1] - law[2] * difference(model, q0, q) - law[3] * (v - v0)
        now = np.concatenate([u, *law[1:]])
        ((q, v, left),) = take_steps(integrator, model, q, v, h, 1, now, f_ext, springs)
        assert left <= 1.0
    return q, v


@pytest.mark.parametrize("mimic", [False, True], ids=["tree", "mimic"])
@pytest.mark.parametrize("name", NAMES)
def test_the_error_follows_the_step(name, mimic):
    order = INTEGRATORS[name].order
    steps = (8 if COMPILED else 1) * STEPS[order]
    coarse, fine = (error(name, n, mimic, COMPILED) for n in (steps, 2 * steps))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.1), (coarse, fine)
