"""The energies that are published for RedMax come out: of its linearly implicit step, and of backward differences."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import TimeTable, applied_forces, kinetic_energy, potential_energy
from tests.articulated.stepping.implicit.redmax_scenes import SCENES
from tests.articulated.stepping.motions import end
from tests.conftest import COMPILED

PUBLISHED = {"redmax": "euler", "linearly_implicit": "euler", "bdf1": "bdf1", "bdf2": "bdf2"}
QUICK = [("redmax", "two bodies"), ("linearly_implicit", "stiffness and damping"), ("bdf1", "free in a plane")]
CASES = [
    pytest.param(integrator, name, marks=pytest.mark.plain if integrator == "bdf1" else ())
    for integrator, where in PUBLISHED.items()
    for name, scene in SCENES.items()
    if getattr(scene, where) is not None and (COMPILED or (integrator, name) in QUICK)
]
# g cm2 / s2. RedMax's own tests allow 1e-2; its meshes are rounded, and its Newton's method stops at a residual of 1e-9.
TOLERANCE = 1e-5


@pytest.mark.parametrize(("integrator", "name"), CASES)
def test_the_energy_at_the_end_is_the_published_one(integrator, name):
    scene = SCENES[name]
    model, q, v = scene.build()

    def potential(q, v):
        stored = applied_forces(model, scene.elements, q, v).energy if scene.elements else 0.0
        return potential_energy(model, q) + stored

    control = None
    if scene.control is not None:  # during each step the forces at its end
        times = scene.h * np.arange(scene.steps)
        control = TimeTable(times, [scene.control(t + scene.h) for t in times], linear=False)
    before = potential(q, v)
    q, v = end(
        model, q, v, scene.h, scene.steps, integrator=integrator, control=control, elements=scene.elements
    )  # fmt: skip
    found = kinetic_energy(model, q, v) + potential(q, v) - before
    assert found == pytest.approx(getattr(scene, PUBLISHED[integrator]), rel=0.0, abs=TOLERANCE)
