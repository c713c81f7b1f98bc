"""Mechanisms that touch: figures, a gripper, a cart on wheels, Newton's cradle."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.motions.scene import Motion, Parts, draw_friction, draw_step, draw_turn, solid
from pluecker.contact.constraints import PrescribedMotion, Spline
from pluecker.contact.geometry import Box, Capsule, Sphere, Surface

__all__ = ["cradle", "gripper", "ragdolls", "rover"]

# name, what carries it, the type of joint, where on that, where the shape's middle is, the shape, mass
LIMBS: tuple[tuple[str, str, str, tuple[float, float, float], tuple[float, float, float], Any, float], ...] = (
    ("head", "trunk", "spherical", (0.0, 0.0, 0.28), (0.0, 0.0, 0.13), Sphere(0.1), 5.0),
    *(limb for side, y in (("left", 1.0), ("right", -1.0)) for limb in (
        (f"{side} arm", "trunk", "spherical", (0.0, 0.22 * y, 0.22), (0.0, 0.0, -0.14), Capsule(0.04, 0.2), 2.0),
        (f"{side} forearm", f"{side} arm", "revolute", (0.0, 0.0, -0.28), (0.0, 0.0, -0.13), Capsule(0.035, 0.18), 1.5),
        (f"{side} thigh", "trunk", "spherical", (0.0, 0.1 * y, -0.27), (0.0, 0.0, -0.2), Capsule(0.06, 0.28), 8.0),
        (f"{side} shank", f"{side} thigh", "revolute", (0.0, 0.0, -0.4), (0.0, 0.0, -0.2), Capsule(0.05, 0.28), 4.0),
    )),
)  # fmt: skip
BEND = {"forearm": (-2.4, 0.0), "shank": (0.0, 2.4)}  # the range of the hinges, rad


def ragdolls(seed: int) -> Motion:
    """One to three figures fall on one another."""
    rng = np.random.default_rng(seed)
    parts, step = Parts("ragdolls", Surface(friction=draw_friction(rng).friction)), draw_step(rng, (2e-3, 5e-3))
    damping, trunk = float(rng.choice([0.0, 0.1, 1.0])), Box((0.2, 0.32, 0.5))
    for k in range(int(rng.choice([1, 2, 3], p=[0.6, 0.25, 0.15]))):
        turn = draw_turn(rng)
        v = np.concatenate([0.5 * rng.normal(size=3), -3.0 * rotation(turn)[2]])  # down, in the body's axes
        parts.body(f"trunk {k}", trunk, 30.0, (0.1 * rng.normal(), 0.1 * rng.normal(), 1.1 + 1.7 * k), turn, v)
        for name, carrier, joint, place, middle, shape, mass in LIMBS:
            parts.builder.add_body(f"{name} {k}", mass=mass, center_of_mass=middle, inertia=mass * solid(shape))
            options: dict[str, Any] = {}
            if joint == "revolute":
                low, high = BEND[name.split()[1]]
                options = {"axis": (0, 1, 0), "lower_limit": low, "upper_limit": high}
            parts.builder.add_joint(
                f"{name} {k}", joint, f"{carrier} {k}", f"{name} {k}", position=place, damping=damping, **options
            )
            parts.add_shape(f"{name} {k}", shape, (f"{name} {k}", middle))
            parts.q += [1.0, 0.0, 0.0, 0.0] if joint == "spherical" else [float(rng.uniform(low, high) * 0.5)]
            parts.v += [0.0] * (3 if joint == "spherical" else 1)
    return parts.motion(step, 250, passive=False)


def rotation(turn: Any) -> Any:
    """Return the matrix of a quaternion."""
    w, x = turn[0], np.array(turn[1:])
    return (w * w - x @ x) * np.eye(3) + 2.0 * np.outer(x, x) + 2.0 * w * np.cross(np.eye(3), x)


def gripper(seed: int) -> Motion:
    """A hand on a lift and a slide closes two fingers on a box that stands on the floor, lifts it and shakes it."""
    rng = np.random.default_rng(seed)
    surface = Surface(friction=float(rng.choice([0.3, 0.5, 0.8, 1.0])))
    parts, step = Parts("gripper", surface), draw_step(rng, (1e-3, 2e-3, 5e-3))
    mass, size, force = (
        float(10.0 ** rng.uniform(-1.5, 0.5)),
        float(rng.uniform(0.04, 0.08)),
        float(rng.uniform(5.0, 60.0)),
    )
    builder, free = parts.builder, 0.05
    builder.add_body("slide", mass=1.0, inertia=(0.01, 0.01, 0.01))
    builder.add_joint("slide", "prismatic", "world", "slide", axis=(1, 0, 0), position=(0.0, 0.0, 0.2))
    builder.add_body("palm", mass=1.0, inertia=(0.01, 0.01, 0.01))
    builder.add_joint("lift", "prismatic", "slide", "palm", axis=(0, 0, 1))
    parts.add_shape("palm", Box((0.2, 0.05, 0.02)), "palm")
    for name, side in (("left", -1.0), ("right", 1.0)):
        builder.add_body(name, mass=0.1, center_of_mass=(0.0, 0.0, -0.1), inertia=(2e-4, 2e-4, 5e-5))
        place = (side * (0.5 * size + free), 0.0, 0.0)
        builder.add_joint(name, "prismatic", "palm", name, axis=(-side, 0, 0), position=place, lower_limit=-0.05)
        parts.add_shape(
            name, Box((0.01, 0.03, 0.12)), (name, (side * 0.005, 0.0, -0.12)), groups="hand", ignores="hand"
        )
    times = np.linspace(0.0, 0.8, 17)
    rise = 0.1 * np.clip((times - 0.2) / 0.2, 0.0, 1.0)
    shake = float(rng.uniform(0.0, 0.03)) * np.where(times > 0.45, np.sin(20.0 * times), 0.0)
    constraints = [
        PrescribedMotion("rise", "lift", Spline(times, rise)),
        PrescribedMotion("shake", "slide", Spline(times, shake)),
    ]
    parts.q += [0.0, 0.0, 0.0, 0.0]
    parts.v += [0.0] * 4
    parts.body("box", Box((size, size, 0.1)), mass, (0.0, 0.0, 0.05))
    control = np.array([0.0, 0.0, force, force, *np.zeros(6)])
    return parts.motion(step, 800, constraints, control=control, passive=False)


def rover(seed: int) -> Motion:
    """A cart on four driven wheels, balls or rollers, drives over boxes that are loose or fixed."""
    rng = np.random.default_rng(seed)
    parts, step = (
        Parts("rover", Surface(friction=draw_friction(rng).friction)),
        draw_step(rng, (1e-3, 2e-3, 5e-3, 1e-2)),
    )
    wheel = Sphere(0.1) if rng.random() < 0.5 else Capsule(0.1, 0.02)
    across = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # the axis of a capsule along y
    parts.body("cart", Box((0.5, 0.25, 0.1)), 20.0, (0.0, 0.0, 0.16))
    for k, (x, y) in enumerate((x, y) for x in (-0.22, 0.22) for y in (-0.27, 0.27)):
        parts.builder.add_body(f"wheel {k}", mass=1.0, inertia=(0.003, 0.005, 0.003))
        parts.builder.add_joint(f"wheel {k}", "revolute", "cart", f"wheel {k}", axis=(0, 1, 0), position=(x, y, -0.06))
        parts.add_shape(f"wheel {k}", wheel, (f"wheel {k}", (0.0, 0.0, 0.0), across))
        parts.q.append(0.0)
        parts.v.append(0.0)
    boxes = int(rng.integers(0, 6))
    for k in range(boxes):
        size, place = rng.uniform(0.03, 0.12, 3), (0.5 + 0.2 * k, float(rng.uniform(-0.3, 0.3)))
        if rng.random() < 0.5:
            parts.add_shape(f"step {k}", Box((0.1, 0.3, 0.04)), ("world", (*place, 0.02)))
        else:
            parts.body(f"box {k}", Box(tuple(size.tolist())), float(rng.uniform(0.1, 3.0)), (*place, 0.5 * size[2]))
    control = np.zeros(len(parts.v))
    control[6:10] = rng.uniform(0.0, 6.0)
    return parts.motion(step, 300, control=control, passive=False)


def cradle(seed: int) -> Motion:
    """Balls on threads, side by side along x, of which the first ones fall on the others."""
    rng = np.random.default_rng(seed)
    surface = Surface(friction=float(rng.choice([0.0, 0.3])), restitution=float(rng.choice([0.0, 0.5, 0.9, 1.0])))
    parts, step = Parts("cradle", surface), draw_step(rng, (5e-4, 1e-3, 2e-3, 5e-3))
    n, radius, length, gap = int(rng.integers(2, 8)), 0.05, 0.6, float(rng.choice([0.0, 1e-4, 1e-3]))
    raised = int(rng.integers(1, n))
    for k, mass in enumerate(10.0 ** rng.uniform(0.0, float(rng.choice([0.0, 1.0])), n)):
        name, down = f"ball {k}", (0.0, 0.0, -length)
        parts.builder.add_body(name, mass=mass, center_of_mass=down, inertia=mass * solid(Sphere(radius)))
        place = ((2.0 * radius + gap) * k, 0.0, length + radius + 0.05)
        parts.builder.add_joint(name, "revolute", "world", name, axis=(0, -1, 0), position=place)
        parts.add_shape(name, Sphere(radius), (name, down))
        parts.q.append(-0.3 if k < raised else 0.0)
        parts.v.append(-1.0 if k < raised else 0.0)
    return parts.motion(step, 300, passive=False)
