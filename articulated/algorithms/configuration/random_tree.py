"""Random mechanisms: trees of bodies on joints of any type, for tests and for measurements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pluecker.articulated.algorithms.configuration.random_configuration import as_generator
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model, ModelBuilder
from pluecker.articulated.model.records import listing
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_floats, as_integer

__all__ = ["as_joint_types", "build_tree", "random_tree"]

MOST_BODIES = 100_000  # which take some ten seconds
POINTS = 8  # that a body is made of
MOVING = tuple(name for name in JOINT_TYPES if name != "fixed")


def random_tree(
    bodies: int,
    rng: np.random.Generator | int | None = None,
    *,
    joints: Iterable[str] = MOVING,
    branching: float = 0.5,
    mimic: float = 0.0,
    passive: bool = False,
) -> Model:
    """A tree of random bodies on random joints, placed anywhere on one another.

    Bodies are eight points of 0.1 to 1 kg each, some 0.2 m from the body's origin, so that their inertia is that of a body,
    and joints are some 0.3 m apart. Types of joints are dealt like cards: each is there once before one is there twice.

    Args:
        bodies: how many, 1 to 100,000; those on fixed joints are merged with what carries them.
        rng: a NumPy generator, or a seed. With a seed, the tree is the same wherever the package has the same version.
        joints: names of joint types, as in :meth:`~pluecker.articulated.ModelBuilder.add_joint`; all that move by default.
        branching: how often a body hangs on any of those before it, and not on the last one: 0 for a chain, 1 for a bush.
        mimic: how often a joint with one freedom follows one before it, from 0 to 1.
        passive: whether joints have armature, damping, dry friction and springs.

    Returns:
        A model with the bodies ``body0``, ``body1``, ... on the joints ``joint0``, ``joint1``, ...

    Raises:
        TypeError: an argument is of another type.
        ValueError: a number is out of its bounds; there is no such type of joint, or none at all.

    Example:
        >>> from pluecker.articulated import random_tree
        >>> tree = random_tree(20, 0, joints=["revolute", "spherical"], branching=0.3)
        >>> tree.n_bodies, tree.nq, tree.nv
        (20, 50, 40)

    Source: RBDA sections 4.1 to 4.4, trees and joints; inertias of points of positive mass, Traversaro et al. (2016).
    """
    function = "random_tree"
    n = as_integer(function, "bodies", bodies, 1, MOST_BODIES)
    generator = as_generator(rng, function)
    kinds = as_joint_types(function, joints)
    often = {"branching": as_share(function, "branching", branching), "mimic": as_share(function, "mimic", mimic)}
    if not isinstance(passive, (bool, np.bool_)):
        raise ArgumentTypeError(f"{function}: passive is {shown(passive)}, expected True or False")
    dealt = [kinds[k] for _ in range(-(-n // len(kinds))) for k in generator.permutation(len(kinds))][:n]
    parents = [-1] + [
        int(generator.integers(-1, k)) if generator.random() < often["branching"] else k - 1 for k in range(1, n)
    ]
    follows = generator.random(n) < often["mimic"]
    return build_tree(dealt, parents, follows.tolist(), generator, bool(passive))


def build_tree(
    kinds: Sequence[str], parents: Sequence[int], follows: Sequence[bool], rng: np.random.Generator, passive: bool
) -> Model:
    """A tree whose shape is given and whose numbers are random.

    Args:
        kinds: the type of each joint.
        parents: the number of the body that carries each, smaller than its own; -1 for the world.
        follows: whether each joint follows one before it, where both have one freedom.
        rng: for all numbers.
        passive: whether joints have armature, damping, dry friction and springs.
    """
    builder = ModelBuilder("random tree")
    free: list[str] = []  # joints that others can follow
    for k, (kind, parent, follow) in enumerate(zip(kinds, parents, follows, strict=True)):
        options = joint_numbers(kind, rng, passive)
        if JOINT_TYPES[kind].one_freedom:
            if follow and free:
                options["mimic"] = (free[int(rng.integers(len(free)))], rng.uniform(-1.5, 1.5), rng.normal(scale=0.3))
            else:
                free.append(f"joint{k}")
        builder.add_body(f"body{k}", **body_numbers(rng))
        builder.add_joint(f"joint{k}", kind, "world" if parent < 0 else f"body{parent}", f"body{k}", **options)
    return builder.build()


def body_numbers(rng: np.random.Generator) -> dict[str, Any]:
    """Mass, centre and inertia of some points: always those of a body, and of one with extent in all directions."""
    masses, points = rng.uniform(0.1, 1.0, POINTS), rng.normal(scale=0.2, size=(POINTS, 3))
    center = masses @ points / masses.sum()
    x = points - center
    second = np.einsum("k,ki,kj->ij", masses, x, x)
    return {"mass": masses.sum(), "center_of_mass": center, "inertia": np.trace(second) * np.eye(3) - second}


def joint_numbers(kind: str, rng: np.random.Generator, passive: bool) -> dict[str, Any]:
    """Axes, placement and, if asked for, passive forces of a joint."""
    joint = JOINT_TYPES[kind]
    p = rng.standard_normal(4)
    options: dict[str, Any] = {"position": rng.normal(scale=0.3, size=3), "rotation": p / np.linalg.norm(p)}
    if joint.axes:
        options["axis"] = rng.standard_normal(3)
    if joint.axes == 2:
        options["axis2"] = np.cross(options["axis"], rng.standard_normal(3))  # across: axes in line would be singular
    if joint.pitch:
        options["pitch"] = rng.normal(scale=0.2)
    if passive:
        options |= {name: rng.uniform(0.0, 1.0, joint.nv) for name in ("armature", "damping", "friction", "stiffness")}
    return options


def as_joint_types(function: str, joints: Iterable[str]) -> tuple[str, ...]:
    """Names of types of joints, at least one."""
    if isinstance(joints, str) or not isinstance(joints, Iterable) or getattr(joints, "shape", None) == ():
        raise ArgumentTypeError(f"{function}: joints is {shown(joints)}, expected names of joint types")
    names = tuple(joints)
    there = listing(JOINT_TYPES, len(JOINT_TYPES))
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{function}: a type of joint is {shown(name)}, expected one of {there}")
        if name not in JOINT_TYPES:
            raise ArgumentValueError(f"{function}: unknown type of joint {shown(name)}; there are {there}")
    if not names:
        raise ArgumentValueError(f"{function}: joints is empty, expected at least one of {there}")
    return names


def as_share(function: str, name: str, value: Any) -> float:
    """A number from 0 to 1."""
    share = as_floats(function, name, value, ())
    if share.shape or not 0.0 <= share <= 1.0:
        raise ArgumentValueError(f"{function}: {name} is {shown(value)}, expected a number from 0 to 1")
    return float(share)
