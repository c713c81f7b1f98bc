"""Ragdolls in layers: bilateral rows of joints, limits, motors with a largest torque, and contacts, in one problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.families.capsules import capsule_inertia, closest
from benchmarks.families.scene import Scene, pairs_within, with_ground
from pluecker.contact.friction.tables.table import ContactTable, Rows
from pluecker.spatial.functions.elementwise import Array

__all__ = ["ragdolls"]

STEP = 5e-3
EACH = 14.0  # contacts for each ragdoll, about
LAYER, PITCH = 0.2, 0.9  # between layers, and in a layer, m
PUSHES = 8  # rounds in which ragdolls that overlap are pushed apart, as a whole
DEEP = 0.6  # of the sum of the radii: parts whose axes are nearer after that are not a contact
TORQUE = 30.0  # the largest of a motor that holds its pose, N m
MARGIN = 0.02  # the largest angle that a limit is away from its end, rad
# Mass and radius of pelvis, chest, head, upper arms, forearms, thighs, shins; left before right.
MASS = np.array([11.0, 28.0, 5.0, 2.0, 2.0, 1.5, 1.5, 8.0, 8.0, 4.0, 4.0])
RADIUS = np.array([0.1, 0.12, 0.09, 0.045, 0.045, 0.04, 0.04, 0.07, 0.07, 0.05, 0.05])
PARTS = len(MASS)
BALLS = np.array([[0, 1], [1, 2], [1, 3], [1, 4], [0, 7], [0, 8]])  # waist, neck, shoulders, hips
HINGES = np.array([[3, 5], [4, 6], [7, 9], [8, 10]])  # elbows, knees


def ragdolls(contacts: int, seed: int = 0, *, friction: float = 0.6, step: float = STEP) -> Scene:
    """One step of people who lie on their backs in layers, limbs spread at random: so many contacts, the nearest ones.

    Each has eleven capsules, six ball joints and four hinges; elbows and knees are near their limits, and motors, limited in
    torque, hold all joints in their pose: 38 bilateral rows, 4 limits and 22 motors.

    Args:
        contacts: their number, at most; those of a single ragdoll are with the floor.
        seed: of poses, places and velocities.
        friction: of all contacts.
        step: s.
    """
    rng = np.random.default_rng(seed)
    n = max(1, round(contacts / EACH))
    side = max(1, round((n * LAYER / PITCH) ** (1.0 / 3.0) / LAYER**0.5 * 0.9))
    where = np.stack(np.unravel_index(np.arange(n), (n, side, side)), axis=1)[:, ::-1]  # x, y, layer
    ends, joints, hinge = poses(rng, n)
    yaw = rng.uniform(0.0, 2.0 * np.pi, n)
    turn = np.zeros((n, 3, 3))
    turn[:, 0, 0] = turn[:, 1, 1] = np.cos(yaw)
    turn[:, 1, 0], turn[:, 0, 1], turn[:, 2, 2] = np.sin(yaw), -np.sin(yaw), 1.0
    at = where * [PITCH, PITCH, LAYER] + rng.uniform(-0.1, 0.1, (n, 3)) * [1.0, 1.0, 0.0] + [0.0, 0.0, RADIUS[1]]
    ends, joints = (np.einsum("nij,n...j->n...i", turn, x) + at[:, None] for x in (ends.reshape(n, -1, 3), joints))
    hinge = np.einsum("nij,nkj->nki", turn, hinge)
    ends = ends.reshape(n * PARTS, 2, 3)
    place, arm = ends.mean(axis=1), 0.5 * (ends[:, 1] - ends[:, 0])
    half = np.linalg.norm(arm, axis=1)
    mass, radius = np.tile(MASS, n), np.tile(RADIUS, n)
    shift = pushed_apart(place, arm, radius)
    place, joints = place + np.repeat(shift, PARTS, axis=0), joints + shift[:, None]
    pairs, normal, point, gap = touching(place, arm, radius)
    chosen = np.sort(np.argsort(gap, kind="stable")[:contacts])
    table = ContactTable.ordered(
        pairs[chosen], normal[chosen], point[chosen], gap=np.maximum(gap[chosen], 0.0), friction=friction
    )
    inertia = capsule_inertia(mass, half, radius, arm / half[:, None])
    velocity = np.repeat(0.1 * rng.normal(size=(n, 6)) * [0, 0, 0, 1, 1, 1], PARTS, axis=0)
    bodies = with_ground(mass, inertia, place, velocity)
    rows = joint_rows(rng, bodies.position, joints, hinge, step)
    return Scene("ragdolls", seed, {"friction": friction, "step": step}, bodies, table, step, rows)


def poses(rng: np.random.Generator, n: int) -> tuple[Array, Array, Array]:
    """Ends of the parts, ``(n, 11, 2, 3)``, joints, ``(n, 10, 3)``, and axes of the hinges, ``(n, 4, 3)``; x to the head."""
    ends, joints, axes = np.zeros((n, PARTS, 2, 3)), np.zeros((n, 10, 3)), np.tile([0.0, 0.0, 1.0], (n, 4, 1))
    ends[:, 0] = [[0.0, -0.08, 0.0], [0.0, 0.08, 0.0]]
    ends[:, 1] = [[0.18, 0.0, 0.0], [0.45, 0.0, 0.0]]
    ends[:, 2] = [[0.68, 0.0, 0.0], [0.74, 0.0, 0.0]]
    joints[:, 0], joints[:, 1] = [0.12, 0.0, 0.0], [0.6, 0.0, 0.0]
    for k, sign in ((0, 1.0), (1, -1.0)):
        limbs = ((3, 5, 2, 0, [0.5, 0.2 * sign, 0.0], 0.28, 0.26, (0.3, 2.2)),
                 (7, 9, 4, 2, [-0.08, 0.1 * sign, 0.0], 0.42, 0.4, (2.4, 3.0)))  # fmt: skip
        for upper, lower, joint, bend, root, first, second, (least, most) in limbs:
            one = sign * rng.uniform(least, most, n)
            two = one + sign * rng.uniform(0.1, 0.9, n)
            a, b = (np.column_stack([np.cos(x), np.sin(x), np.zeros(n)]) for x in (one, two))
            middle = root + first * a
            joints[:, joint + k], joints[:, 6 + bend + k] = root, middle
            ends[:, upper + k] = np.stack([root + 0.1 * first * a, root + 0.9 * first * a], axis=1)
            ends[:, lower + k] = np.stack([middle + 0.1 * second * b, middle + 0.9 * second * b], axis=1)
    ends[..., 2] -= (RADIUS[1] - RADIUS)[:, None]  # all lie on the ground; a joint is at the height of its second part
    joints[..., 2] -= RADIUS[1] - RADIUS[np.concatenate([BALLS, HINGES])[:, 1]]
    return ends, joints, axes


def pushed_apart(place: Array, arm: Array, radius: Array) -> Array:
    """How far each ragdoll has to be moved so that they hardly overlap, ``(n, 3)``."""
    shift = np.zeros((len(place) // PARTS, 3))
    for _ in range(PUSHES):
        pairs, normal, _, gap = touching(place + np.repeat(shift, PARTS, axis=0), arm, radius, 0.0, 0.0)
        push, count = np.zeros_like(shift), np.ones((len(shift), 1))
        for side, sign in ((0, -1.0), (1, 1.0)):
            moved = np.flatnonzero(pairs[:, side] > 0)
            of = (pairs[moved, side] - 1) // PARTS
            np.add.at(push, of, -0.5 * sign * gap[moved, None] * normal[moved])
            np.add.at(count, of, 0.5)
        shift += 2.0 * push / count
    return shift


def touching(place: Array, arm: Array, radius: Array, reach: float = 0.03, deep: float = DEEP) -> tuple[Array, ...]:
    """Contacts between parts of different ragdolls and with the floor: pairs of bodies, normals, points, gaps."""
    longest = 2.0 * (np.linalg.norm(arm, axis=1) + radius).max() + reach
    pairs = pairs_within(place, longest)
    pairs = pairs[pairs[:, 0] // PARTS != pairs[:, 1] // PARTS]
    i, j = pairs.T
    p, q = closest(place[i], arm[i], place[j], arm[j])
    distance = np.maximum(np.linalg.norm(q - p, axis=1), 1e-9)
    gap = distance - radius[i] - radius[j]
    near = (gap < reach) & (distance > np.maximum(1e-6, deep * (radius[i] + radius[j])))
    normal = (q - p)[near] / distance[near, None]
    point = p[near] + (radius[i][near] + 0.5 * gap[near])[:, None] * normal
    ends, twice = np.concatenate([place - arm, place + arm]), np.tile(radius, 2)
    height = ends[:, 2] - twice
    low = np.flatnonzero(height < reach)
    floor = ends[low] * [1.0, 1.0, 0.0]
    below = np.column_stack([np.zeros_like(low), low % len(place) + 1])
    return (
        np.concatenate([below, pairs[near] + 1]), np.concatenate([np.tile([0.0, 0.0, 1.0], (len(low), 1)), normal]),
        np.concatenate([floor, point]), np.concatenate([height[low], gap[near]]),
    )  # fmt: skip


def joint_rows(rng: np.random.Generator, centre: Array, joints: Array, axes: Array, step: float) -> Rows:
    """Joints first, then limits, then motors.

    Args:
        rng: how near the limits are.
        centre: of all bodies, that of the ground first, ``(1 + 11 n, 3)``.
        joints: balls, then hinges, ``(n, 10, 3)``.
        axes: of the hinges, ``(n, 4, 3)``.
        step: s.
    """
    n = len(joints)
    first = 1 + PARTS * np.arange(n)
    pairs = (first[:, None, None] + np.concatenate([BALLS, HINGES])).reshape(-1, 2)
    hinged = pairs.reshape(n, 10, 2)[:, 6:].reshape(-1, 2)
    held = pairs.reshape(n, 10, 2)[:, :6].reshape(-1, 2)
    axis = axes.reshape(-1, 3)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis), axis=1)])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    parts = [(pairs, at_point(centre, pairs, joints.reshape(-1, 3)), (-np.inf, np.inf), 0.0)]
    turning = np.stack([across, np.cross(axis, across)], axis=1)
    parts.append((hinged, turns(turning), (-np.inf, np.inf), 0.0))
    parts.append((hinged, turns(axis[:, None]), (0.0, np.inf), rng.uniform(0.0, MARGIN, len(hinged)) / step))
    largest = TORQUE * step
    parts.append((held, turns(np.tile(np.eye(3), (len(held), 1, 1))), (-largest, largest), 0.0))
    parts.append((hinged, turns(axis[:, None]), (-largest, largest), 0.0))
    bodies, J, lower, upper, offset = [], [], [], [], []
    for of, part, (least, most), b in parts:
        rows = part.shape[1]
        bodies.append(np.repeat(of, rows, axis=0))
        J.append(part.reshape(-1, 2, 6))
        lower.append(np.full(len(of) * rows, least))
        upper.append(np.full(len(of) * rows, most))
        offset.append(np.broadcast_to(b, len(of)).repeat(rows))
    return Rows(*(np.concatenate(x) for x in (bodies, J, lower, upper, offset)))


def at_point(centre: Array, pairs: NDArray[np.int64], point: Array) -> Array:
    """Velocity of the point in the second body less that in the first, ``(K, 3, 2, 6)``."""
    J = np.zeros((len(pairs), 3, 2, 6))
    for side, sign in ((0, -1.0), (1, 1.0)):
        lever = point - centre[pairs[:, side]]
        J[:, :, side, :3] = sign * np.cross(lever[:, None], np.eye(3))  # e . (w x lever) = (lever x e) . w
        J[:, :, side, 3:] = sign * np.eye(3)
    return J


def turns(axes: Array) -> Array:
    """Angular velocity of the second body less that of the first about axes, ``(K, m, 3)``."""
    J = np.zeros((*axes.shape[:2], 2, 6))
    J[:, :, 0, :3], J[:, :, 1, :3] = -axes, axes
    return J
