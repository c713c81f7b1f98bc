"""The scenes of topic ``touching``: robots on their feet and an arm that pushes a box, for pluecker and for MuJoCo.

Both programs have the same bodies, shapes, friction, springs and dampers of the joints, and begin in the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Array, robots
from benchmarks.measuring.peers import bare_spec, coordinates
from benchmarks.steps.mujoco_models import add_geom
from pluecker.articulated import Model, ModelBuilder, PDControl, neutral
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere, Surface
from pluecker.spatial.extras import require

__all__ = ["STEP", "Scene", "scenes"]

STEP = 1e-3
GROUND = "ground"
LINKS = (("upper", 0.4, 3.0), ("fore", 0.4, 2.0), ("hand", 0.2, 1.0))  # of the arm: names, lengths, masses


@dataclass(frozen=True)
class Scene:
    """A mechanism on the ground, held by springs and dampers at its joints.

    Attributes:
        label: what it is.
        model: without dry friction of joints.
        colliders: the ground first.
        pairs: names of those that may touch.
        q, v: where it begins.
        reference: of the springs, (nq,).
        gains: stiffness and damping of all joints but free ones; N m/rad, N m s/rad.
        spec: makes MuJoCo's specification of the same bodies and joints.
    """

    label: str
    model: Model
    colliders: tuple[Collider, ...]
    pairs: tuple[tuple[str, str], ...]
    q: Array
    v: Array
    reference: Array
    gains: tuple[float, float]
    spec: Callable[[Any], Any]

    @property
    def held(self) -> list[Any]:
        """The joints with springs."""
        return [joint for joint in self.model.joints if joint.type != "free"]

    def world(self) -> World:
        """Return our world."""
        return World(self.model, shapes=self.colliders, pairs=self.pairs)

    def ours(self, world: World, steps: int, motions: int) -> Callable[[], Any]:
        """Return a call that simulates so many motions, or one where that is 1."""
        k, d = np.zeros((2, self.model.nv))
        for joint in self.held:
            k[joint.v_start], d[joint.v_start] = self.gains
        servo = PDControl(k, d, q=self.reference)
        q, v = (self.q, self.v) if motions == 1 else (np.tile(self.q, (motions, 1)), np.tile(self.v, (motions, 1)))
        return lambda: world.simulate(q, v, steps * STEP, STEP, control=servo, record=(), threads=1)

    def in_mujoco(self, steps: int, motions: int) -> tuple[Callable[[], Any], Callable[[Any], Array]]:
        """Return a motion in MuJoCo's own loop in C, in one thread; and the function that takes its states to our q."""
        mujoco = require("mujoco", "peers", "comparing")
        rollout = require("mujoco.rollout", "peers", "comparing")
        spec = self.spec(mujoco)
        spec.option.timestep, spec.option.cone = STEP, mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.gravity = self.model.gravity
        touching = {name: {a if b == name else b for a, b in self.pairs if name in (a, b)} for name in self.names}
        for k, collider in enumerate(self.colliders):
            others = sum(1 << j for j, name in enumerate(self.names) if j < k and name in touching[collider.name])
            add_geom(mujoco, spec, self.model, collider, contype=1 << k, conaffinity=others)
        add_springs(mujoco, spec, self)
        model = spec.compile()
        model.dof_frictionloss[:] = 0.0
        for joint in self.held:
            model.joint(joint.name).damping = self.gains[1]
        data = mujoco.MjData(model)
        q_places, v_places = coordinates(self.model, model)
        data.qpos[q_places], data.qvel[v_places] = self.q, self.v
        start = np.array([[0.0, *data.qpos, *data.qvel, *np.zeros(model.na)]] * motions)
        return (
            lambda: rollout.rollout(model, data, start, nstep=steps)[0],
            lambda states: np.asarray(states[0, :, 1 + np.array(q_places)]).T,
        )

    @property
    def names(self) -> list[str]:
        """Names of the colliders."""
        return [collider.name for collider in self.colliders]


def add_springs(mujoco: Any, spec: Any, scene: Scene) -> None:
    """Position servos with the stiffness; their damping is that of the joints, which Euler's integrator takes implicitly."""
    stiffness, _ = scene.gains
    for joint in scene.held:
        spec.add_actuator(
            name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT, biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            gainprm=[stiffness] + 9 * [0.0],
            biasprm=[stiffness * scene.reference[joint.q_start], -stiffness] + 8 * [0.0],
        )  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- robots


def standing(
    label: str, feet: dict[str, tuple[str, tuple[float, ...]]], radius: float, pose: dict[str, float]
) -> Scene:
    """A robot of example-robot-data with balls as feet, whose lowest one begins on the ground."""
    robot = next(each for each in robots() if each.label.startswith(label))
    model, surface = robot.model.replace(friction=0.0), Surface(0.8)
    colliders = [Collider(name, Sphere(radius), place, surface) for name, place in feet.items()]
    q = neutral(model, within_limits=True)
    for joint in model.joints:
        if joint.name in pose:
            q[joint.q_start] = pose[joint.name]
    ground = Collider(GROUND, HalfSpace(), "world", surface)
    pairs = tuple((GROUND, name) for name in feet)
    gaps = World(model, shapes=(ground, *colliders), pairs=pairs).rows_at(q).error[: 3 * len(feet) : 3]
    q[2] -= gaps.min()
    gains = (400.0, 10.0)
    return Scene(
        f"{robot.label}, {len(feet)} balls as feet", model, (ground, *colliders), pairs, q, np.zeros(model.nv), q, gains,
        lambda mujoco: bare_spec(mujoco, robot.path, True),
    )  # fmt: skip


def quadruped() -> Scene:
    """ANYmal on the balls of its URDF file."""
    feet = {f"{leg}_ball": (f"{leg}_FOOT", (0.0, 0.0, 0.02325)) for leg in ("LF", "RF", "LH", "RH")}
    pose = {}
    for leg, sign in (("LF", 1.0), ("RF", 1.0), ("LH", -1.0), ("RH", -1.0)):
        pose |= {f"{leg}_HFE": sign * 0.4, f"{leg}_KFE": -sign * 0.8}
    return standing("ANYmal", feet, 0.031, pose)


def humanoid() -> Scene:
    """G1 on the four balls that its URDF file has at each foot."""
    corners = ((-0.05, 0.025), (-0.05, -0.025), (0.12, 0.03), (0.12, -0.03))
    feet = {
        f"{side}_{k}": (f"{side}_ankle_roll_link", (x, y, -0.03))
        for side in ("left", "right")
        for k, (x, y) in enumerate(corners)
    }
    return standing("G1", feet, 0.005, {})


# ------------------------------------------------------------------------------------------------------- an arm and a box


def arm_and_box() -> Model:
    """Three hinges about y, and a free box of 0.2 m in front of the hand."""
    b = ModelBuilder("arm and box")
    parent, place = "world", (0.0, 0.0, 0.5)
    for name, length, mass in LINKS:
        b.add_body(name, mass=mass, center_of_mass=(length / 2, 0, 0), inertia=moments(length, mass))
        b.add_joint(name, "revolute", parent, name, axis=(0, 1, 0), position=place)
        parent, place = name, (length, 0.0, 0.0)
    b.add_body("box", mass=1.0, inertia=[0.2**2 / 6] * 3)
    b.add_joint("box_free", "free", "world", "box")
    return b.build()


def moments(length: float, mass: float) -> tuple[float, float, float]:
    """Return the moments of inertia of a slender link of two centimetres."""
    return mass * 0.02**2, mass * length**2 / 12.0, mass * length**2 / 12.0


def arm_spec(mujoco: Any) -> Any:
    """Make MuJoCo's specification of the arm and the box."""
    spec = mujoco.MjSpec()
    parent, place = spec.worldbody, [0.0, 0.0, 0.5]
    for name, length, mass in LINKS:
        body = parent.add_body(
            name=name,
            pos=place,
            mass=mass,
            ipos=[length / 2, 0, 0],
            inertia=moments(length, mass),
            explicitinertial=True,
        )
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
        parent, place = body, [length, 0.0, 0.0]
    box = spec.worldbody.add_body(name="box", mass=1.0, inertia=[0.2**2 / 6] * 3, explicitinertial=True)
    box.add_freejoint()
    return spec


def pushing() -> Scene:
    """The ball at the arm's hand, 5 mm in front of the box, is sent half a metre forwards at the height of its middle."""
    model = arm_and_box()
    surface = Surface(0.5)
    colliders = (
        Collider(GROUND, HalfSpace(), "world", surface),
        Collider("sides", Box([0.2, 0.2, 0.2]), "box", surface),
        Collider("tip", Sphere(0.03), ("hand", (0.2, 0.0, 0.0)), surface),
    )
    begin, end = (hand_at(x, 0.1) for x in (0.35, 0.65))
    q = np.array([*begin, 0.35 + 0.03 + 0.1 + 0.005, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0])
    reference = np.concatenate([end, q[3:]])
    pairs = ((GROUND, "sides"), ("sides", "tip"))
    return Scene(
        "arm that pushes a box", model, colliders, pairs, q, np.zeros(model.nv), reference, (150.0, 40.0), arm_spec
    )


def hand_at(x: float, z: float) -> Array:
    """Return the joint angles about y that put the hand's end at (x, z), its link level: the others form a triangle."""
    dx, dz = x - LINKS[2][1], z - 0.5
    a, b, reach = LINKS[0][1], LINKS[1][1], float(np.hypot(dx, dz))
    elbow = np.arccos((a * a + b * b - reach * reach) / (2 * a * b))
    shoulder = np.arctan2(-dz, dx) - np.arccos((a * a + reach * reach - b * b) / (2 * a * reach))
    fore = np.pi - elbow
    return np.array([shoulder, fore, -shoulder - fore])


def scenes() -> Iterator[Scene]:
    """All of them; robots only where their files are installed."""
    if any(robot.label.startswith("ANYmal") for robot in robots()):
        yield quadruped()
        yield humanoid()
    yield pushing()
