"""The energies that are published for RedMax come out: of its linearly implicit step, and of backward differences."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import applied_forces, kinetic_energy, potential_energy
from pluecker.articulated.stepping.implicit.bdf import BDF1, BDF2
from pluecker.articulated.stepping.implicit.linearly_implicit import LINEARLY_IMPLICIT
from pluecker.articulated.stepping.implicit.redmax_step import REDMAX
from tests.articulated.stepping.driver import take_steps
from tests.articulated.stepping.implicit.redmax_scenes import SCENES
from tests.conftest import COMPILED

PUBLISHED = {REDMAX: "euler", LINEARLY_IMPLICIT: "euler", BDF1: "bdf1", BDF2: "bdf2"}
CASES = [
    (i, name) for i, where in PUBLISHED.items() for name, scene in SCENES.items() if getattr(scene, where) is not None
]
QUICK = [(REDMAX, "two bodies"), (LINEARLY_IMPLICIT, "stiffness and damping"), (BDF1, "free in a plane")]
# g cm2 / s2. RedMax's own tests allow 1e-2; its meshes are rounded, and its Newton's method stops at a residual of 1e-9.
TOLERANCE = 1e-5


@pytest.mark.parametrize(
    ("integrator", "name"), CASES if COMPILED else QUICK, ids=lambda x: x if isinstance(x, str) else x.name
)
def test_the_energy_at_the_end_is_the_published_one(integrator, name):
    scene = SCENES[name]
    model, q, v = scene.build()

    def potential(q, v):
        stored = applied_forces(model, scene.elements, q, v).energy if scene.elements else 0.0
        return potential_energy(model, q) + stored

    before = potential(q, v)
    if scene.control is None:
        *_, (q, v, error) = take_steps(integrator, model, q, v, scene.h, scene.steps, elements=scene.elements)
        assert error <= 1.0
    else:
        for k in range(scene.steps):
            law = np.concatenate([scene.control((k + 1) * scene.h), np.zeros(3 * model.nv)])
            ((q, v, _),) = take_steps(integrator, model, q, v, scene.h, 1, law)
    found = kinetic_energy(model, q, v) + potential(q, v) - before
    assert found == pytest.approx(getattr(scene, PUBLISHED[integrator]), rel=0.0, abs=TOLERANCE)
