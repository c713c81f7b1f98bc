"""Pucks that are sent off in all directions: with a cone of friction each goes straight, and as far as every other.

    cone           straight on, over v0^2 / (2 mu g) polygon        of n directions, a half angle b = pi / n between
    two of them: friction acts along the corner that is nearest to the motion, which turns away from it, until it goes
    between two corners; from then on it acts along the edge, with mu cos b

With the angle p to a corner, the first part lasts ``v0 (cos p - sin p / tan b) / (mu g)``, the second one covers
``(v0 sin p / sin b)^2 / (2 mu g cos b)``. The paths have an error of first order in the step.

Sources: Stewart, Trinkle (1996), polygons; source document 004 (docs/sources.md), how they drift.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.articulated.pictures.overlays import Arrows
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, HalfSpace
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import FORCES, G, Motion, add_free, box_inertia, every_for, positions, simulate
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

SIZE, MASS, START = (0.04, 0.04, 0.02), 0.16, 0.2
DIRECTIONS = 8  # of the polygon that the law ``lcp`` has


def pucks(angles: Array, friction: float, law: str) -> tuple[World, Array]:
    """Build a puck for each direction, on a circle around the middle; return the world and the configuration."""
    builder, q, ice = ModelBuilder("pucks"), [], Surface(friction=friction)
    shapes = [Collider("ice", HalfSpace(), "world", ice)]
    for k, angle in enumerate(angles):
        add_free(builder, f"puck {k + 1}", MASS, box_inertia(MASS, SIZE))
        shapes.append(Collider(f"puck {k + 1}", Box(SIZE), f"puck {k + 1}", ice, groups="pucks", ignores="pucks"))
        q += [START * np.cos(angle), START * np.sin(angle), 0.5 * SIZE[2], 1.0, 0.0, 0.0, 0.0]
    model = draw_colliders(builder.build(), shapes, ground=1.1)
    return World(model, shapes=shapes, law=law, accuracy=1e-10), np.array(q)


def slide(angles: Array, friction: float, law: str, speed: float, duration: float, step: float) -> Motion:
    """Simulate all pucks, each sent off in its direction."""
    world, q = pucks(angles, friction, law)
    v = np.concatenate([[0, 0, 0, speed * np.cos(a), speed * np.sin(a), 0.0] for a in angles])
    return simulate(world, q, v, duration, step, record=FORCES, every=every_for(duration, step, 40))


def way(motion: Motion, angles: Array) -> Array:
    """Compute the displacement of each puck from its start, ``(n, pucks, 2)``; m."""
    return positions(motion)[:, :, :2] - START * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def polygon_way(angle: float, friction: float, speed: float) -> Array:
    """Compute the displacement of a puck until it rests, with the polygon, ``(2,)``; m."""
    b = np.pi / DIRECTIONS
    corner = 2.0 * b * np.round(angle / (2.0 * b))
    side = 1.0 if angle >= corner else -1.0
    p, a = abs(angle - corner), friction * G
    t = speed * (np.cos(p) - np.sin(p) / np.tan(b)) / a
    rest = (speed * np.sin(p) / np.sin(b)) ** 2 / (2.0 * a * np.cos(b))
    along = speed * np.cos(p) * t - 0.5 * a * t * t + rest * np.cos(b)
    across = side * (speed * np.sin(p) * t + rest * np.sin(b))
    c, s = np.cos(corner), np.sin(corner)
    return np.array([c * along - s * across, s * along + c * across])


def run(speed: float = 1.0, friction: float = 0.2, number: int = 13, step: float = 4e-3) -> Outcome:
    """Run the scene.

    Args:
        speed: of the pucks; m/s.
        friction: the coefficient.
        number: of pucks.
        step: s.
    """
    angles = 2.0 * np.pi * np.arange(number) / number
    duration = round(1.08 * speed / (friction * G) / step) * step
    cone, polygon = (slide(angles, friction, law, speed, duration, step) for law in ("ncp", "lcp"))
    ways = [way(each, angles) for each in (cone, polygon)]
    straight = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    far = speed**2 / (2.0 * friction * G)
    ends = [each[-1] for each in ways]
    turned = np.abs(ends[0][:, 0] * straight[:, 1] - ends[0][:, 1] * straight[:, 0]).max() / far
    lengths = np.linalg.norm(ends[0], axis=1)
    expected = np.array([polygon_way(float(a), friction, speed) for a in angles])
    off = np.linalg.norm(ends[1] - expected, axis=1).max()
    drift, found = np.abs(angle_between(angles, expected)), np.abs(angle_between(angles, ends[1]))
    claims = [
        Claim("cone: by how much any puck leaves its direction", 0.0, float(turned), 1e-8, "rad"),
        Claim("cone: the farthest less the nearest", 0.0, float(np.ptp(lengths)), 1e-8, "m"),
        Claim("cone: how far they come, v0^2 / (2 mu g)", far, float(lengths.mean()), speed * step, "m"),
        Claim("polygon: where they come to rest, off by at most", 0.0, float(off), speed * step, "m"),
        Claim("polygon: the largest drift", float(drift.max()), float(found.max()), 2.0 * speed * step / far, "rad"),
    ]
    circle = np.linspace(0.0, 2.0 * np.pi, 721)
    fine = np.array([polygon_way(float(a), friction, speed) for a in circle])
    degrees = np.degrees(circle)
    radius = [np.linalg.norm(each, axis=1) for each in (ends[0], ends[1], fine)]
    panels = [
        Panel("from above", "x in m", "y in m", [
            Curve("cone", *joined_lines(ways[0])), Curve(f"polygon of {DIRECTIONS} directions", *joined_lines(ways[1])),
            Curve("straight on", *joined_lines(far * straight * np.array([0.0, 1.0])[:, None, None]), True)],
            limits=(-1.05 * far, 1.45 * far)),
        Panel("how far they come", "direction in degrees", "m", [
            Curve("cone", np.degrees(angles), radius[0]), Curve("polygon of 8 directions", np.degrees(angles), radius[1]),
            Curve("theory", degrees, radius[2], True), Curve("", degrees, np.full(721, far), True)],
            limits=(0.97 * far, 1.14 * far)),
        Panel("by how much they leave their direction", "direction in degrees", "degrees", [
            Curve("cone", np.degrees(angles), turned * np.ones(number)),
            Curve("polygon of 8 directions", np.degrees(angles), np.degrees(found)),
            Curve("theory", degrees, np.degrees(np.abs(angle_between(circle, fine))), True)],
            limits=(-0.3, 1.35 * float(np.degrees(drift.max())))),
    ]  # fmt: skip
    return Outcome(
        "puck", "Pucks in all directions",
        f"{number} pucks are sent off at {speed:g} m/s. With the cone of Coulomb's law all of them come {far:.4f} m far, "
        f"straight on. With a polygon of {DIRECTIONS} directions in its place, as many simulators have, they drift by up "
        f"to {np.degrees(drift.max()):.2f} degrees, and come up to {100 * (radius[2].max() / far - 1):.1f} per cent too "
        "far.",
        with_friction(cone, friction), claims, panels, (0, len(cone) // 3, -1), camera=(60.0, -75.0),
    )  # fmt: skip


def with_friction(motion: Motion, friction: float) -> Motion:
    """Replace the overlays of a motion by the friction force on each puck: those of all contacts would hide the pucks."""
    middle = positions(motion) + np.array([0.0, 0.0, SIZE[2]])
    force = np.zeros_like(middle)
    for k in range(len(motion)):
        contacts = motion.contacts_at(k)
        np.add.at(force[k], contacts.bodies[:, 1], contacts.friction_force)
    weight = friction * MASS * G
    force[np.linalg.norm(force, axis=2) < 1e-6 * weight] = np.nan  # of pucks that have come to rest
    return replace(motion, overlays=(Arrows(middle, force, 0.12 / weight, "friction", "purple"),))


def joined_lines(lines: Array) -> tuple[Array, Array]:
    """Join many lines, ``(n, lines, 2)``, to x and y of one with gaps (NaN) between them."""
    ends = np.full((1, *lines.shape[1:]), np.nan)
    x, y = np.concatenate([lines, ends]).transpose(2, 1, 0).reshape(2, -1)
    return x, y


def angle_between(directions: Array, ways: Array) -> Array:
    """Compute the angle from each direction to the displacement; rad."""
    off = np.arctan2(ways[:, 1], ways[:, 0]) - directions
    return np.asarray(np.angle(np.exp(1j * off)))
