"""A round arch of stones stands if it is thick enough, and else falls, by hinges that open between its stones.

Of many stones it takes a thickness of 0.1075 times the radius of its middle line, by the safe theorem: an arch stands
if some line of thrust lies within it. Of a few stones it takes less, since hinges open at joints alone. What that
number of stones takes is computed by linear programming, without any solver of this package: are there forces at the
ends of all joints, that press and stay in their cones of friction, with which each stone is in equilibrium?

Sources: Milankovitch, "Theorie der Druckkurven" (1907); Heyman, "The stone skeleton" (1966); Livesley, "Limit analysis of
structures formed from rigid blocks" (1978).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.articulated.pictures.overlays import Arrows
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, ConvexHull
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, threshold
from pluecker.examples.scenes.parts import G, about_y, add_free, corner_contacts, quaternion_about_y, still, watch
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["run"]

DEPTH, DENSITY, RADIUS = 0.3, 2000.0, 1.0
SHORTER = 0.4  # arrows, so that they do not hide the stones
MILANKOVITCH = 0.1075  # of the radius of the middle line


class Stone(NamedTuple):
    """Stone of an arch, a trapezoid, in axes at its middle: x along the arch, clockwise, z outwards.

    Attributes:
        corners: ``(4, 2)``, x and z.
        middle: distance of its centre of mass from the centre of the arch.
        mass, moments: kg, kg m^2.
    """

    corners: Array
    middle: float
    mass: float
    moments: Array


def stone(half_angle: float, thickness: float) -> Stone:
    """Compute one of the equal stones of an arch."""
    s, c = np.sin(half_angle), np.cos(half_angle)
    inner, outer = RADIUS - 0.5 * thickness, RADIUS + 0.5 * thickness
    points = np.array(
        [[-inner * s, inner * c], [inner * s, inner * c], [outer * s, outer * c], [-outer * s, outer * c]]
    )
    x, z = points.T
    x1, z1 = np.roll(points, -1, axis=0).T
    cross = x * z1 - x1 * z
    area = 0.5 * cross.sum()
    middle = (cross * (z + z1)).sum() / (6.0 * area)
    of_x2 = (cross * (x * x + x * x1 + x1 * x1)).sum() / 12.0
    of_z2 = (cross * (z * z + z * z1 + z1 * z1)).sum() / 12.0 - area * middle**2
    of_y2 = area * DEPTH**2 / 12.0
    rho = DENSITY * DEPTH
    moments = rho * np.array([of_y2 + of_z2, of_x2 + of_z2, of_x2 + of_y2])
    return Stone(points - [0.0, middle], float(middle), float(rho * area), moments)


def arch(stones: int, thickness: float, friction: float) -> tuple[World, Array]:
    """Build a half circle of stones on two springers, numbered from +x; return the world and the configuration."""
    builder, contacts, q, half = ModelBuilder("arch"), [], [], 0.5 * np.pi / stones
    own = stone(half, thickness)
    x, z = own.corners.T
    solid = ConvexHull([[a, y, b] for a, b in zip(x, z, strict=True) for y in (-0.5 * DEPTH, 0.5 * DEPTH)])
    springer = Box((2.5 * thickness, DEPTH, 0.06))
    shapes = [
        Collider(f"springer {k}", springer, ("world", (side * RADIUS, 0, -0.03))) for k, side in enumerate((1, -1))
    ]
    # faces in the stone's axes: the one that is met first, at +x, and the one at -x; normals into the next stone
    face = {
        side: [(side * abs(x[k]), y, z[k]) for k in (0, 2) for y in (-0.5 * DEPTH, 0.5 * DEPTH)] for side in (1, -1)
    }
    below: Frame = Frame("world", (RADIUS, 0.0, 0.0))
    for k in range(stones):
        name, angle = f"stone {k + 1}", half * (2 * k + 1)
        add_free(builder, name, own.mass, own.moments)
        q += [own.middle * np.cos(angle), 0.0, own.middle * np.sin(angle), *quaternion_about_y(0.5 * np.pi - angle)]
        contacts += corner_contacts(f"joint {k} ", below, name, face[1], friction=friction)
        shapes.append(Collider(name, solid, name))
        normal = about_y(np.arctan2(-np.cos(half), -np.sin(half)))
        below = Frame(name, (-RADIUS * np.sin(half), 0.0, RADIUS * np.cos(half) - own.middle), normal)
    end = Frame("world", (-RADIUS, 0.0, 0.0))
    contacts += corner_contacts(f"joint {stones} ", end, f"stone {stones}", face[-1], friction=friction)
    return World(draw_colliders(builder.build(), shapes), contacts), np.array(q)


def stands_by_statics(stones: int, thickness: float, friction: float) -> bool:
    """Return whether forces at the ends of all joints can hold all stones, by a linear programme in the arch's plane."""
    half = 0.5 * np.pi / stones
    own, joints = stone(half, thickness), stones + 1
    balance, weight = np.zeros((3 * stones, 4 * joints)), np.zeros(3 * stones)
    cone, bounds = np.zeros((4 * joints, 4 * joints)), []
    for j in range(joints):
        angle = 2.0 * half * j
        along, outward = np.array([-np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
        for end, radius in enumerate((RADIUS - 0.5 * thickness, RADIUS + 0.5 * thickness)):
            column, point = 4 * j + 2 * end, radius * outward
            for k, direction in enumerate(
                (along, outward)
            ):  # a normal and a tangential force on the stone behind the joint
                for number, sign in ((j, 1.0), (j - 1, -1.0)):
                    if 0 <= number < stones:
                        at = half * (2 * number + 1)
                        lever = point - own.middle * np.array([np.cos(at), np.sin(at)])
                        turns = lever[0] * direction[1] - lever[1] * direction[0]
                        balance[3 * number : 3 * number + 3, column + k] += sign * np.array([*direction, turns])
            for k, sign in enumerate((1.0, -1.0)):
                cone[column + k, [column, column + 1]] = -friction, sign
            bounds += [(0.0, None), (None, None)]
    weight[1::3] = own.mass * G
    balance, weight = balance / (own.mass * G), weight / (own.mass * G)
    found = scipy.optimize.linprog(np.zeros(4 * joints), cone, np.zeros(4 * joints), balance, weight, bounds)
    return bool(found.status == 0)


def run(numbers: tuple[int, ...] = (6, 8, 10), friction: float = 0.8, share: float = 0.93, duration: float = 0.7,
        step: float = 2e-3) -> Outcome:  # fmt: skip
    """Run the scene.

    Args:
        numbers: of stones in the arches that are compared; the last one is shown.
        friction: the coefficient.
        share: thickness of the arch in the film, of that which it takes.
        duration, step: of the film; s.
    """

    def falls(stones: int, thickness: float) -> bool:
        world, q = arch(stones, thickness, friction)
        return bool(np.abs(world.step(q, still(world), 1e-3).v).max() > 1e-8 * G * 1e-3)

    expected = [threshold(lambda t, n=n: stands_by_statics(n, t, friction), 0.03, 0.2, 1e-8) for n in numbers]  # type: ignore[misc]
    found = [-threshold(lambda t, n=n: falls(n, -t), -0.2, -0.03, 1e-7) for n in numbers]  # type: ignore[misc]
    many = np.array([*numbers, 16, 32, 64])
    statics = [threshold(lambda t, n=n: stands_by_statics(int(n), t, friction), 0.03, 0.2, 1e-5) for n in many]  # type: ignore[misc]
    world, q = arch(numbers[-1], share * found[-1], friction)
    motion = watch(world, q, still(world), duration, step, every=5)
    shorter = (
        replace(each, length=SHORTER * each.length) if isinstance(each, Arrows) else each for each in motion.overlays
    )
    motion = replace(motion, overlays=tuple(shorter))
    claims = [
        *(Claim(f"thickness of {n} stones over the radius", e, x, 1e-5)
          for n, e, x in zip(numbers, expected, found, strict=True)),
        Claim("thickness of many stones by the same statics", MILANKOVITCH, statics[-1], 5e-4),
    ]  # fmt: skip
    keystone = world.model.q_slice(f"stone {(numbers[-1] + 1) // 2}").start + 2
    fine = np.linspace(many[0], many[-1], 50)
    panels = [
        Panel("thickness at which an arch falls", "number of stones", "thickness over radius", [
            Curve("simulated", np.array(numbers, dtype=float), np.array(found)),
            Curve("linear programming", many.astype(float), np.array(statics), True),
            Curve("0.1075, of any number", fine, np.full(len(fine), MILANKOVITCH), True)]),
        Panel(f"with {share:g} of it, it falls", "t in s", "height of the crown in m", [
            Curve("simulated", motion.time, motion.q[:, keystone])]),
    ]  # fmt: skip
    return Outcome(
        "arch", "A round arch of stones",
        f"An arch of {numbers[-1]} stones stands if its thickness is {found[-1]:.4f} of its radius or more; of many "
        f"stones it takes {MILANKOVITCH:g}. This one has {share:g} of what it takes: hinges open, inwards at the crown, "
        "outwards at the haunches, and it falls.",
        motion, claims, panels, (0, int(0.6 * len(motion)), -1), camera=(6.0, -88.0),
    )  # fmt: skip
