"""Scenes of topic ``scenes``: a gripper, robots among boxes, and heaps, for pluecker and for MuJoCo.

Both programs have the same bodies, shapes, friction, dampers and joint forces, and begin in the same state. MuJoCo has its
defaults but for elliptic cones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Array
from benchmarks.measuring.peers import bare_spec, coordinates
from benchmarks.motions.robots import put_boxes, robot_among_boxes
from benchmarks.motions.scene import solid
from benchmarks.steps.mujoco_models import FreeBodies, add_geom, document
from pluecker.articulated import ModelBuilder, TimeTable
from pluecker.articulated.robots import find_robot
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere, Surface

__all__ = ["Scene", "gripper", "heap", "robot"]

FRICTION = 0.5
BOX, RADIUS = 0.1, 0.05  # of a heap, m
HELD, FINGER, GRIP = 0.5, 0.1, 30.0  # masses of the box and of a finger, kg; the force of a finger, N
LIFT, SHAKE = (0.2, 0.5), 0.6  # when the hand rises, and from when on it is shaken, s


@dataclass(frozen=True, eq=False)
class Scene:
    """A world that moves under joint forces over time, and the same in MuJoCo.

    Attributes:
        label: what it is.
        world: ours.
        q, v: where it begins, ``(..., nq)`` and ``(..., nv)``.
        step, steps: s, and how many.
        control: joint forces, None or a :class:`TimeTable`.
        in_mujoco: makes the model, with a motor at each coordinate that ``control`` drives.
        order: takes our q to MuJoCo's; None where they are one.
        wanted: how often MuJoCo's time ours is to fit into it.
        held: of a gripper, the coordinates of what is held and of what holds it, whose difference is to stay.
    """

    label: str
    world: World
    q: Array
    v: Array
    step: float
    steps: int
    in_mujoco: Callable[[Any], Any]
    control: TimeTable | None = None
    driven: tuple[int, ...] = ()
    order: Callable[[Any], list[int]] | None = None
    wanted: float | None = None
    held: tuple[int, int] | None = None

    def forces(self) -> Array:
        """Sample the forces of the motors at the beginning of each step, ``(steps, driven)``."""
        assert self.control is not None
        times = self.step * np.arange(self.steps)
        return np.stack([np.interp(times, self.control.times, self.control.values[:, k]) for k in self.driven], axis=1)


def heap(n: int, steps: int, wanted: float, states: int = 1) -> Scene:
    """Boxes and balls by turns, that fall on one another and on a floor: few turned at random, many in layers."""
    rng, few, places = np.random.default_rng(0), n <= 100, []
    side = max(2, round((n / 4) ** (1.0 / 3.0) * 1.3)) if few else round((n / 4) ** (1.0 / 3.0))
    pitch = np.array([0.18, 0.18, 0.18]) if few else np.array([0.106, 0.106, 0.105])
    for k in range(n):
        layer, rest = divmod(k, side * side)
        turn = rng.normal(size=4) if few else np.array([1.0, *(0.02 * rng.normal(size=3))])
        place = pitch * np.array([rest % side, rest // side, layer]) + (0.01 if few else 1e-3) * rng.normal(size=3)
        places.append([*(place + np.array([0.0, 0.0, 0.1 if few else 0.056])), *(turn / np.linalg.norm(turn))])
    bodies = FreeBodies(
        [Sphere(RADIUS) if k % 2 else Box((BOX,) * 3) for k in range(n)], np.array(places), FRICTION, 0.002
    )
    label = f"{states:,} heaps of {n} bodies" if states > 1 else f"a heap of {n:,} bodies"
    q = bodies.placements.ravel()
    start = np.tile(q, (states, 1)) if states > 1 else q
    if states > 1:
        start[:, 2::7] += rng.uniform(0.0, 0.01, (states, 1))  # each falls from a height of its own
    v = np.zeros((*start.shape[:-1], 6 * n))
    return Scene(label, bodies.world(), start, v, bodies.step, steps, bodies.in_mujoco, wanted=wanted)


def gripper(steps: int = 1000, wanted: float = 0.8) -> Scene:
    """Two fingers close on a box on a table, lift it by 5 cm and shake it; joint forces over time drive them."""
    builder, surface = ModelBuilder("gripper"), Surface(friction=FRICTION)
    for name, parent, axis, place, mass in (
        ("slide", "world", (1, 0, 0), (0.0, 0.0, 0.2), 1.0), ("palm", "slide", (0, 0, 1), (0, 0, 0), 1.0),
        ("left", "palm", (1, 0, 0), (-0.08, 0, 0), FINGER), ("right", "palm", (-1, 0, 0), (0.08, 0, 0), FINGER),
    ):  # fmt: skip
        spring = {"slide": {"stiffness": 500.0, "damping": 20.0}, "palm": {"damping": 20.0}}.get(name, {})
        builder.add_body(name, mass=mass, inertia=(1e-3, 1e-3, 1e-3))
        builder.add_joint(name, "prismatic", parent, name, axis=axis, position=place, **spring)
    box = Box((0.06, 0.06, 0.1))
    builder.add_body("box", mass=HELD, inertia=HELD * solid(box))
    builder.add_joint("box", "free", "world", "box")
    shapes = [Collider("floor", HalfSpace(), "world", surface), Collider("box", box, "box", surface)]
    for name in ("left", "right"):
        shapes.append(
            Collider(name, Box((0.02, 0.03, 0.12)), (name, (0.0, 0.0, -0.12)), surface, groups="hand", ignores="hand")
        )
    weight, times = (1.0 + 2.0 * FINGER) * 9.81, 0.005 * np.arange(201)
    forces = np.zeros((len(times), 10))
    forces[:, 2:4] = GRIP
    rising = (times >= LIFT[0]) & (times < LIFT[1])
    forces[:, 1] = weight + np.where(times >= LIFT[0], HELD * 9.81, 0.0) + np.where(rising, 4.0, 0.0)
    forces[:, 0] = np.where(times >= SHAKE, 20.0 * np.sin(2.0 * np.pi * 4.0 * (times - SHAKE)), 0.0)
    q = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0])

    def in_mujoco(mujoco: Any) -> Any:
        inertial = '<inertial pos="0 0 0" mass="{}" diaginertia="1e-3 1e-3 1e-3"/>'
        finger = "".join(
            f'<body pos="{x} 0 0"><joint name="{name}" type="slide" axis="{s} 0 0"/>{inertial.format(FINGER)}'
            '<geom type="box" size=".01 .015 .06" pos="0 0 -.12" contype="2" conaffinity="1"/></body>'
            for name, x, s in (("left", -0.08, 1), ("right", 0.08, -1))
        )
        hand = (
            f'<body pos="0 0 .2"><joint name="slide" type="slide" axis="1 0 0" stiffness="500" damping="20"/>'
            f'{inertial.format(1)}<body><joint name="palm" type="slide" axis="0 0 1" damping="20"/>{inertial.format(1)}'
            f"{finger}</body></body>"
        )
        held = (
            f'<body pos="0 0 .05"><freejoint/><geom type="box" size=".03 .03 .05" mass="{HELD}" contype="1" '
            'conaffinity="3"/></body>'
        )
        motors = "".join(f'<motor joint="{name}"/>' for name in ("slide", "palm", "left", "right"))
        return mujoco.MjModel.from_xml_string(document(0.001, FRICTION, hand + held, f"<actuator>{motors}</actuator>"))

    return Scene(
        "a gripper lifts and shakes a box", World(builder.build(), shapes=shapes), q, np.zeros(10), 0.001, steps, in_mujoco,
        control=TimeTable(times, forces), driven=(0, 1, 2, 3), wanted=wanted, held=(6, 1),
    )  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- robots


def robot(name: str, label: str, steps: int = 250, wanted: float = 0.8) -> Scene:
    """A limp robot with all its collision shapes falls among ten boxes on a floor."""
    world, q = robot_among_boxes(name, 10, Surface(friction=FRICTION), 1.0)
    colliders = world.found_contacts.collision.colliders
    put_boxes(world.model, q, 0.6, 10)
    q[2] = 1.0
    lowest = min(world.found_contacts.collision.find(q, np.full(len(colliders), 1.0)).gap)
    q[2] -= lowest - 0.01 if lowest > 0.01 else 0.0

    def in_mujoco(mujoco: Any) -> Any:
        return model_of(mujoco, name, world, colliders)

    def order(theirs: Any) -> list[int]:
        return coordinates(world.model, theirs)[0]

    return Scene(label, world, q, np.zeros(world.model.nv), 0.002, steps, in_mujoco, order=order, wanted=wanted)


def model_of(mujoco: Any, name: str, world: World, colliders: tuple[Collider, ...]) -> Any:
    """Make MuJoCo's model of a robot with our shapes, and the boxes; bodies whose shapes ignore each other do so."""
    spec, model = bare_spec(mujoco, find_robot(name), True), world.model
    spec.option.timestep, spec.option.cone = 0.002, mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.memory = 2**30
    for joint in model.joints:
        if joint.type == "free" and joint.name.startswith("box "):
            spec.worldbody.add_body(name=joint.child).add_freejoint()
    bodies = [
        add_geom(mujoco, spec, model, each, mass=1.0 if each.frame.name.startswith("box ") else 0.0)
        for each in colliders
    ]
    ignored = set()
    for i, first in enumerate(colliders):
        for j, second in enumerate(colliders[:i]):
            ignores = set(first.ignores) & set(second.groups) or set(second.ignores) & set(first.groups)
            if ignores and bodies[i] != bodies[j]:
                ignored.add(tuple(sorted((bodies[i], bodies[j]))))
    for first_body, second_body in sorted(ignored):
        spec.add_exclude(bodyname1=first_body, bodyname2=second_body)
    theirs = spec.compile()
    theirs.dof_frictionloss[:] = 0.0
    for joint in model.joints:
        if joint.type != "free":
            theirs.joint(joint.name).damping = 1.0
    return theirs
