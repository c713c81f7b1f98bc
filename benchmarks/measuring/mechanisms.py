"""Mechanisms that are measured: robots of example-robot-data and random chains, each with random states."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated import Model, ModelBuilder, random_configuration, rnea
from pluecker.articulated.robots import SEVEN_JOINT_ARM, example_robots
from pluecker.spatial import MissingExtraError
from tests.mechanisms import random_body

__all__ = ["ALGORITHMS", "Mechanism", "States", "chains", "robots"]

Array = NDArray[np.float64]
ALGORITHMS = ("rnea", "aba", "crba")
ROBOTS = (
    ("Panda", "panda/panda", False),
    ("ANYmal B", "anymal_b/anymal", True),
    ("G1", "g1/g1_29dof_rev_1_0", True),
    ("TALOS", "talos/talos_full_v2", True),
)


@dataclass(frozen=True)
class Mechanism:
    """A model, and what other libraries need to build the same."""

    label: str
    model: Model
    path: Path | None = None  # the URDF file
    floating: bool = False
    bodies: list[dict[str, Any]] = field(default_factory=list)  # of a chain, from the base on
    joints: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class States:
    """Random states, one a row; ``tau`` are the forces that belong to the accelerations."""

    q: Array
    v: Array
    a: Array
    tau: Array

    @classmethod
    def random(cls, model: Model, count: int, seed: int = 0) -> States:
        """Configurations within the limits, velocities and accelerations of about 1 rad/s and 1 rad/s^2."""
        rng = np.random.default_rng(seed)
        q = random_configuration(model, rng, count)
        v, a = rng.standard_normal((2, count, model.nv))
        return cls(q, v, a, rnea(model, q, v, a))

    def first(self, count: int) -> States:
        """Return the first states."""
        return States(self.q[:count], self.v[:count], self.a[:count], self.tau[:count])


def robots() -> Iterator[Mechanism]:
    """An arm, a quadruped and two humanoids, all but the arm with a floating base; only our own arm without the files.

    Mimic joints move by themselves here: so they do in the other libraries unless told otherwise.
    """
    try:
        files = example_robots()
    except MissingExtraError:
        yield Mechanism("seven-joint arm", Model.from_urdf(SEVEN_JOINT_ARM), SEVEN_JOINT_ARM)
        return
    for name, key, floating in ROBOTS:
        model = Model.from_urdf(files[key], floating_base=floating, mimic=False, check_inertia=False)
        yield Mechanism(f"{name} (nv {model.nv})", model, files[key], floating)


@functools.cache
def chain(n: int) -> Mechanism:
    """``n`` random bodies, each hinged to the one before at a random place, about the z axis of a random frame."""
    rng = np.random.default_rng(n)
    bodies = [random_body(rng) for _ in range(n)]
    quaternions = rng.normal(size=(n, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    joints = [{"position": rng.normal(scale=0.1, size=3), "rotation": quaternion} for quaternion in quaternions]
    builder = ModelBuilder(f"chain{n}")
    for k, (body, joint) in enumerate(zip(bodies, joints, strict=True)):
        builder.add_body(f"b{k}", **body)
        parent = f"b{k - 1}" if k else builder.world
        builder.add_joint(f"j{k}", "revolute", parent, f"b{k}", axis=(0, 0, 1), **joint)
    return Mechanism(f"chain of {n}", builder.build(), bodies=bodies, joints=joints)


def chains(lengths: tuple[int, ...] = (10, 100, 1000)) -> Iterator[Mechanism]:
    """Random chains of hinged bodies."""
    for n in lengths:
        yield chain(n)
