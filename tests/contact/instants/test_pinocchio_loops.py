"""Robots with loops against Pinocchio's constraint dynamics.

The package's own peer is imported from inside: it knows which joint of Pinocchio's is which, and in which order.
"""

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")

from benchmarks.accuracy import load  # noqa: E402
from pluecker.articulated import random_configuration  # noqa: E402
from pluecker.articulated.app.peer import PinocchioPeer  # noqa: E402
from pluecker.articulated.robots import example_robots  # noqa: E402
from pluecker.contact import World  # noqa: E402
from pluecker.contact.constraints import Ball  # noqa: E402
from pluecker.spatial import MissingExtraError  # noqa: E402
from tests.contact.world.worlds import frame_at  # noqa: E402

LIMIT = 1e-8
FEW = {"kinova/kinova": ("j2s6s200_joint_2", "j2s6s200_joint_6"), "solo/solo12": ("FL_KFE", "HR_KFE")}
MORE = {
    "talos/talos_reduced": ("arm_left_7_joint", "arm_right_7_joint"),
    "anymal_b/anymal": ("LF_KFE", "RH_KFE"),
    "romeo/romeo_small": ("LWristPitch", "RWristPitch"),
}

try:
    ROBOTS = example_robots()
except MissingExtraError:
    pytest.skip("example-robot-data is not installed (extra peers)", allow_module_level=True)

PAIRS = {name: pair for name, pair in {**FEW, **MORE}.items() if name in ROBOTS}
NAMES = [name if name in FEW else pytest.param(name, marks=pytest.mark.everything) for name in PAIRS]


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", NAMES)
def test_accelerations_are_pinocchios(name, floating, states):
    """A ball between two links of the robot, and one to the world, placed where they meet."""
    model, _ = load(ROBOTS[name], floating)
    model = model.replace(friction=0.0)  # which holds joints here, and not there
    if model.mimic:
        pytest.skip("Pinocchio's constraints do not know mimic joints")
    peer, rng = PinocchioPeer(model, ROBOTS[name], floating), np.random.default_rng(0)
    theirs, data, G = peer.theirs, peer.data, peer.G
    first, second = (next(j for j in model.joints if j.name == joint).child for joint in PAIRS[name])
    pin.seed(0)
    compared = 0
    for _ in range(max(3, states // 4)):
        q = random_configuration(model, rng)
        v, tau = rng.standard_normal((2, model.nv))
        pin.forwardKinematics(theirs, data, peer.q(q))
        a, b = (theirs.getJointId(joint) for joint in PAIRS[name])
        place, other = pin.SE3.Random(), pin.SE3.Random()  # away from joints: rows are independent
        world = World(
            model,
            [
                Ball("loop", frame_at(model, q, first, place.homogeneous), frame_at(model, q, second, place.homogeneous)),
                Ball("hold", frame_at(model, q, second, other.homogeneous),
                     frame_at(model, q, "world", other.homogeneous)),
            ],
            limits=False,
        )  # fmt: skip
        v = world.impact(q, v).velocity  # where velocities break rows, these bend with their frames in other ways
        held = [(a, data.oMi[a].actInv(place), b, data.oMi[b].actInv(place)), (b, data.oMi[b].actInv(other), 0, other)]
        kinds = [pin.ContactType.CONTACT_3D] * len(held)
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for kind, (i, T, j, U) in zip(kinds, held, strict=True):
            models.append(pin.RigidConstraintModel(kind, theirs, i, T, j, U, pin.LOCAL))
            datas.append(models[-1].createData())
        pin.initConstraintDynamics(theirs, data, models, datas)
        settings = pin.ProximalSettings(1e-13, 1e-12, 100)
        net = tau - peer.losses(v)
        expected = G.T @ pin.constraintDynamics(theirs, data, peer.q(q), G @ v, G @ net, models, datas, settings)
        found = world.accelerations(q, v, tau).acceleration
        rows = world.rows_at(q, v)
        assert np.abs(rows.jacobian @ found + rows.bias).max() < LIMIT
        if np.abs(rows.jacobian @ expected + rows.bias).max() > LIMIT:
            continue  # Pinocchio's answer does not hold what it was asked to hold
        compared += 1
        np.testing.assert_allclose(found, expected, atol=LIMIT * max(1.0, np.abs(expected).max()))
    assert compared >= 2
