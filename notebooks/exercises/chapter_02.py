"""Motion and force: what the notebook's exercises ask, and what people answer instead."""

import numpy as np

from pluecker.spatial import exp3
from pluecker.teaching import Exercise


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


# ------------------------------------------------------------------------------------------------------- 2.1


def some_basis(rng):
    n = int(rng.integers(2, 6))
    return (rng.normal(size=(n, n)) + 3.0 * np.eye(n),)


reciprocal = Exercise(
    name="2.1 the reciprocal basis",
    inputs=some_basis,
    expected=lambda D: np.linalg.inv(D).T,
    mistakes=(
        (
            lambda D: np.linalg.inv(D),
            "The vectors are there, but as rows: D^T E = 1 makes E the transpose of the inverse of D.",
        ),
        (
            lambda D: D / (D * D).sum(axis=0),
            "Each of your vectors has the right product with its partner, but not zero with the others.",
        ),
        (lambda D: D.T, "The transpose is the inverse only where the basis is orthonormal."),
    ),
)


# ------------------------------------------------------------------------------------------------------- 2.2


def some_frame(rng):
    return exp3(rng.normal(size=3)), rng.normal(size=3)


def blocks(a, b, c, d):
    return np.block([[a, b], [c, d]])


def force_transform(E, r):
    return blocks(E, -E @ skew(r), np.zeros((3, 3)), E)


force_matrix = Exercise(
    name="2.2 the transform of force vectors",
    inputs=some_frame,
    expected=force_transform,
    mistakes=(
        (
            lambda E, r: blocks(E, np.zeros((3, 3)), -E @ skew(r), E),
            "This is X, for motion vectors. The moment of a force changes with the origin, and the force itself does not.",
        ),
        (
            lambda E, r: blocks(E, E @ skew(r), np.zeros((3, 3)), E),
            "The moment has the wrong sign: about the new origin a force through the old one has the arm 0 - r.",
        ),
        (
            lambda E, r: np.linalg.inv(force_transform(E, r)),
            "This is X^T, which leads from the new frame back to the old one: X^T X* = 1.",
        ),
        (
            lambda E, r: blocks(E, -skew(r) @ E, np.zeros((3, 3)), E),
            "r is given in old coordinates: the cross product with it comes before the rotation E.",
        ),
        (
            lambda E, r: force_transform(E.T, r),
            "E turns old coordinates into new ones already. This has its transpose, which turns new ones into old.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------- 2.3


def some_forces(rng):
    n = int(rng.integers(2, 6))
    return rng.normal(size=(n, 3)), rng.normal(size=(n, 3))


def sum_of_line_forces(forces, points):
    return np.concatenate([np.cross(points, forces).sum(axis=0), forces.sum(axis=0)])


total_force = Exercise(
    name="2.3 many forces, one force vector",
    inputs=some_forces,
    expected=sum_of_line_forces,
    mistakes=(
        (
            lambda forces, points: np.concatenate([np.cross(forces, points).sum(axis=0), forces.sum(axis=0)]),
            "The moments have the wrong sign: the moment about O is OP x f, in this order.",
        ),
        (
            lambda forces, points: np.concatenate([np.zeros(3), forces.sum(axis=0)]),
            "The forces do not all go through the origin: each has a moment OP x f about it.",
        ),
        (
            lambda forces, points: np.concatenate(
                [np.cross(points.mean(axis=0), forces.sum(axis=0)), forces.sum(axis=0)]
            ),
            "The sum does not act through the mean of the points: add the moments one by one.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------- 2.4


def some_pull(rng):
    points = rng.normal(size=(3, 3))
    points[:2, 2] = 0.0
    return (*points, rng.normal(size=3))


def torques(joint_1, joint_2, P, pull, sign=-1.0):
    n_O = np.cross(P, pull)
    axes = np.zeros((2, 6))  # unit rotations about lines along z
    for s, joint in zip(axes, (joint_1, joint_2), strict=True):
        s[2] = 1.0
        s[3:] = np.cross(joint, s[:3])
    return sign * axes @ np.concatenate([n_O, pull])


holding_torques = Exercise(
    name="2.4 a robot that holds still",
    inputs=some_pull,
    expected=lambda joint_1, joint_2, P, pull: torques(joint_1, joint_2, P, pull),
    mistakes=(
        (
            lambda joint_1, joint_2, P, pull: torques(joint_1, joint_2, P, pull, 1.0),
            "These are the torques of the pull itself. The joints have to pass on the opposite force, -f.",
        ),
        (
            lambda joint_1, joint_2, P, pull: np.full(2, -np.cross(P, pull)[2]),
            "Both axes are taken through the origin: a rotation about a line through Q has the linear part OQ x omega.",
        ),
        (
            lambda joint_1, joint_2, P, pull: torques(joint_1, joint_2, P, pull)[::-1],
            "The right torques, in the other order.",
        ),
        (
            lambda joint_1, joint_2, P, pull: torques(-joint_1, -joint_2, P, pull),
            "The linear part of a rotation about a line through Q is OQ x omega, and not omega x OQ.",
        ),
    ),
)
