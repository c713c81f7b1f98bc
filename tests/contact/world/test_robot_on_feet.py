"""ANYmal on four feet: the same robot in reduced and in maximal coordinates.

Its twelve rows of contact are independent, so that they determine the forces. A step meets rates of constraints as they are
where it begins. So what a motion that is under way asks of forces for the turning of rows is there from the second step on,
in each world with the rows of its own first step.
"""

import numpy as np
import pytest

from benchmarks.touching_scenes import quadruped
from pluecker.articulated import MissingExtraError, rnea
from pluecker.contact import World
from tests.conftest import COMPILED

try:
    SCENE = quadruped()
except (MissingExtraError, StopIteration):
    pytest.skip("example-robot-data is not installed (extra peers)", allow_module_level=True)

pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes without compilation")


def standing(**options):
    """The world, its maximal twin, where it stands a micrometre deep, joint forces that nearly carry it, and a motion of the
    body over feet that stay where they are."""
    model, rng = SCENE.model, np.random.default_rng(0)
    world = World(model, shapes=SCENE.colliders, pairs=SCENE.pairs, **options)
    q, at_rest = SCENE.q.copy(), np.zeros(model.nv)
    q[2] -= 1e-6
    J = world.rows_at(q).jacobian[: 3 * len(SCENE.pairs)]
    weight = rnea(model, q, at_rest, at_rest)
    tau = weight - J.T @ np.linalg.lstsq(J[:, :6].T, weight[:6])[0] + rng.standard_normal(model.nv)
    tau[:6] = 0.0
    v = 0.3 * rng.standard_normal(model.nv)
    return world, world.maximal(), q, v - np.linalg.pinv(J) @ (J @ v), tau


def differences(world, maximal, q, v, tau, h):
    """Of the forces in two steps, each world on its own way, as a part of the largest; all feet stick."""
    own = world.step(q, v, h, tau=tau)
    twin = maximal.world.step(*maximal.state(q, v), h, tau=maximal.forces(q, tau))
    found = []
    for _ in range(2):
        assert (own.contacts.state == "sticking").all()
        found.append(np.abs(own.contacts.force - twin.contacts.force).max() / np.abs(own.contacts.force).max())
        pull = maximal.forces(own.q, tau)
        own = world.step(own.q, own.v, h, tau=tau, memory=own.memory)
        twin = maximal.world.step(twin.q, twin.v, h, tau=pull, memory=twin.memory)
    return found


def test_forces_at_rest_are_the_same_in_reduced_and_in_maximal_coordinates():
    world, maximal, q, v, tau = standing(recovery=0.0)
    assert max(differences(world, maximal, q, 0.0 * v, tau, 1e-5)) <= 1e-7


def test_forces_of_a_motion_under_way_are_the_same_up_to_the_step():
    world, maximal, q, v, tau = standing(recovery=0.0)
    errors = [differences(world, maximal, q, v, tau, h)[1] for h in (1e-3, 1e-4)]
    assert errors[1] <= 0.15 * errors[0]
    assert errors[1] <= 1e-5


@pytest.mark.slow
def test_motions_of_reduced_and_of_maximal_coordinates_converge_to_each_other():
    world, maximal, q, v, tau = standing()
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        motion = world.simulate(q, v, 0.3, h, control=tau)
        (q_twin, v_twin), near, memory = maximal.state(q, v), q, None
        for _ in range(round(0.3 / h)):
            near, _ = maximal.back(q_twin, v_twin, reference=near)
            step = maximal.world.step(q_twin, v_twin, h, tau=maximal.forces(near, tau), memory=memory)
            q_twin, v_twin, memory = step.q, step.v, step.memory
        errors.append(np.abs(maximal.back(q_twin, v_twin, reference=motion.q[-1])[0] - motion.q[-1]).max())
    assert errors[1] <= 0.6 * errors[0]
    assert errors[2] <= 0.6 * errors[1]
    assert errors[2] <= 0.01 * np.abs(motion.q[-1] - q).max()
