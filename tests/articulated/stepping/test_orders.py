"""Every integrator has the order that it says: when the step halves, the error against an independent motion follows."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from pluecker.articulated import PDControl, PointSpring, TimeTable, difference, integrate, neutral, simulate
from tests.articulated.stepping.motions import end, mechanism
from tests.conftest import COMPILED

ORDERS = {
    "semi_implicit": 1, "linearly_implicit": 1, "redmax": 1, "bdf1": 1, "bdf2": 2, "euler": 1, "euler_infinitesimal": 1,
    "rk4": 4, "variational": 2,
}  # fmt: skip
BY_TOLERANCE = ("dormand_prince", "dop853")
# in DURATION, of the coarser of two runs: the error's next order is then some per cent of it
STEPS = {1: 16, 2: 8, 4: 4}
DURATION = 0.2

NEWTON = ("bdf1", "bdf2")  # with exact derivatives, which take 20 s in plain Python
# bdf2 solves the equations of bdf1 too, with as long a compilation; bdf1 is there for comparison.
COMPILED_LATER = ("bdf1", "euler_infinitesimal")


def cases():
    """Integrators, on a tree and on one with mimic joints."""
    for name in ORDERS:
        for mimic in (False, True):
            marks = [pytest.mark.slow] if name in NEWTON else []
            if mimic or name in COMPILED_LATER:
                marks.append(pytest.mark.everything if name in NEWTON else pytest.mark.plain)
            if name == "linearly_implicit" and not mimic:
                marks.append(pytest.mark.indices)
            yield pytest.param(name, mimic, marks=marks, id=f"{name}-{'mimic' if mimic else 'tree'}")


@cache
def case(mimic: bool, large: bool):
    """A mechanism, a state, what acts, and where the motion ends: by the method of order eight, see test_dop853.py."""
    model = mechanism(mimic, large)
    rng = np.random.default_rng(5)
    q = integrate(model, neutral(model), rng.uniform(-0.6, 0.6, model.nv))
    if large:
        q[model.q_slice("joint10")] += [0.0, 1.3, 0.0]  # away from gimbal lock, as the other Euler angles are
    v = rng.normal(size=model.nv)
    forces, (stiffness, damping) = rng.normal(size=(2, model.nv)), rng.uniform(0.0, 1.0, (2, model.nv))
    for name in model.quaternion_slices():  # no line, so that displacements of steps do not add up
        stiffness[model.v_slice(name)] = 0.0
    ends = ("body0", (1.0, -1.0, 0.5)), ("body2", (0.1, 0.2, 0.0))
    acting = {
        "control": PDControl(stiffness, damping, q=q, v=v, tau=TimeTable([0.0, 1.0], np.cumsum(forces, axis=0))),
        "f_ext": rng.normal(size=(model.n_bodies, 6)),
        "elements": [PointSpring(*ends, stiffness=5.0, rest_length=0.1, damping=0.3)],
    }
    return model, q, v, acting, end(model, q, v, DURATION, 1, integrator="dop853", tol=1e-13, **acting)


def error(name: str, steps: int, mimic: bool, large: bool) -> float:
    """The largest error in a coordinate at the end."""
    model, q, v, acting, (q_end, v_end) = case(mimic, large)
    q1, v1 = end(model, q, v, DURATION / steps, steps, integrator=name, **acting)
    return float(max(np.abs(difference(model, q_end, q1)).max(), np.abs(v1 - v_end).max()))


@pytest.mark.parametrize(("name", "mimic"), list(cases()))
def test_the_error_follows_the_step(name, mimic):
    order = ORDERS[name]
    steps = (8 if COMPILED else 1) * STEPS[order]
    coarse, fine = (error(name, n, mimic, COMPILED) for n in (steps, 2 * steps))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.1), (coarse, fine)


def test_these_are_all_integrators():
    model = mechanism(mimic=False, large=False)
    with pytest.raises(ValueError, match="integrator is 'none', expected one of") as caught:
        simulate(model, neutral(model), np.zeros(model.nv), 0.1, 0.1, integrator="none")
    known = str(caught.value).partition("expected one of ")[2].split(", ")
    assert sorted(known) == sorted([*ORDERS, *BY_TOLERANCE])
