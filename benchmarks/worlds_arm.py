"""The arm of topic ``worlds``, whose hand is held at a point: as a world, in Pinocchio and in MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.mechanisms import Array
from benchmarks.worlds_mechanisms import tied
from pluecker.articulated import Model, frame_placement, random_configuration
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.contact import World
from pluecker.contact.constraints import Ball, Frame
from pluecker.spatial.extras import require

__all__ = ["Arm"]

Motion = Callable[[], tuple[Array, Array]]
HAND = "link7"
PLACE = np.array([0.02, -0.03, 0.1])  # on the hand, away from its axis


@dataclass(frozen=True)
class Arm:
    """Seven hinges, and a ball between the hand and the world; the same q and v in all three programs.

    Attributes:
        world: ours.
        q: the configuration in which all motions begin.
        v: velocities that the ball allows, one a row.
        point: where in the world the hand is held.
        step: s.
    """

    world: World
    q: Array
    v: Array
    point: Array
    step: float

    @classmethod
    def random(cls, count: int, step: float) -> Arm:
        """Draw a configuration of the arm, and so many velocities that the constraint allows."""
        model, rng = Model.from_urdf(SEVEN_JOINT_ARM), np.random.default_rng(3)
        q = random_configuration(model, rng)
        point = (frame_placement(model, q, HAND) @ [*PLACE, 1.0])[:3]
        world = World(model, [Ball("hold", Frame("world", tuple(point)), Frame(HAND, tuple(PLACE)))], limits=False)
        v, J = rng.standard_normal((count, model.nv)), world.rows_at(q).jacobian
        return cls(world, q, v - v @ (np.linalg.pinv(J) @ J).T, point, step)

    def ours(self, steps: int, motions: int | None) -> Callable[[], Any]:
        """Return a call that simulates one motion, or so many."""
        q, v = (self.q, self.v[0]) if motions is None else (np.tile(self.q, (motions, 1)), self.v[:motions])
        return lambda: self.world.simulate(q, v, steps * self.step, self.step, record=(), threads=1)

    def in_pinocchio(self, steps: int) -> Motion:
        """Return a call that simulates one motion: constraintDynamics in Python, Baumgarte's correction in five steps."""
        pin = require("pinocchio", "peers", "comparing")
        model, h = pin.buildModelFromUrdf(str(SEVEN_JOINT_ARM)), self.step
        hand = model.getJointId("joint7")
        here, there = pin.SE3(np.eye(3), PLACE), pin.SE3(np.eye(3), self.point)
        ball = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, hand, here, 0, there, pin.LOCAL)
        correction = getattr(ball, "m_baumgarte_parameters", None) or ball.corrector  # the newer name first
        correction.Kp, correction.Kd = (0.2 / h) ** 2, 2.0 * 0.2 / h
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        models.append(ball)
        datas.append(ball.createData())
        data, tau, settings = model.createData(), np.zeros(model.nv), pin.ProximalSettings(1e-12, 1e-10, 10)
        pin.initConstraintDynamics(model, data, models, datas)

        def motion() -> tuple[Array, Array]:
            q, v, found = self.q, self.v[0], []
            for _ in range(steps):
                v = v + h * pin.constraintDynamics(model, data, q, v, tau, models, datas, settings)
                q = pin.integrate(model, q, h * v)
                found.append((q, v))
            return np.array([q for q, _ in found]), np.array([v for _, v in found])

        return motion

    def in_mujoco(self, steps: int, motions: int) -> Motion:
        """Return a call that simulates so many motions in MuJoCo's own loop in C, in one thread."""
        mujoco = require("mujoco", "peers", "comparing")
        rollout = require("mujoco.rollout", "peers", "comparing")
        spec = mujoco.MjSpec.from_file(str(SEVEN_JOINT_ARM))
        bits = mujoco.mjtDisableBit
        spec.option.disableflags = int(bits.mjDSBL_CONTACT) | int(bits.mjDSBL_LIMIT)
        model = tied(mujoco, spec, [(HAND, PLACE, "world", self.point)], self.step)
        data, n = mujoco.MjData(model), model.nq
        start = np.array([[0.0, *self.q, *v, *np.zeros(model.na)] for v in self.v[:motions]])

        def motion() -> tuple[Array, Array]:
            states, _ = rollout.rollout(model, data, start, nstep=steps)
            return states[0, :, 1 : 1 + n], states[0, :, 1 + n : 1 + 2 * n]

        return motion
