"""Random mechanisms for tests: every joint type, every branching, every order of adding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pluecker.articulated import Model, ModelBuilder, random_configuration


@dataclass(frozen=True)
class JointType:
    """Arguments of a joint of some type, and its number of freedoms: as documented, not as the package has it."""

    nv: int
    axes: int = 0
    pitch: bool = False
    quaternion: bool = False

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.nv + self.quaternion


JOINT_TYPES = {
    "fixed": JointType(0),
    "revolute": JointType(1, axes=1),
    "continuous": JointType(1, axes=1),
    "prismatic": JointType(1, axes=1),
    "helical": JointType(1, axes=1, pitch=True),
    "cylindrical": JointType(2, axes=1),
    "universal": JointType(2, axes=2),
    "planar": JointType(3, axes=1),
    "spherical": JointType(3, quaternion=True),
    "free": JointType(6, quaternion=True),
    "exponential": JointType(3),
}
EULER_SEQUENCES = ("xyx", "xyz", "xzx", "xzy", "yxy", "yxz", "yzx", "yzy", "zxy", "zxz", "zyx", "zyz")
JOINT_TYPES |= {f"euler_{sequence}": JointType(3) for sequence in EULER_SEQUENCES}
MOVING = tuple(name for name in JOINT_TYPES if name != "fixed")


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A uniform random quaternion."""
    p = rng.normal(size=4)
    return p / np.linalg.norm(p)


def random_body(rng: np.random.Generator) -> dict[str, Any]:
    """Mass, centre and inertia of eight random point masses: always physical, never degenerate."""
    masses, points = rng.uniform(0.1, 1.0, 8), rng.normal(scale=0.2, size=(8, 3))
    center = masses @ points / masses.sum()
    x = points - center
    inertia = np.einsum("k,kij->ij", masses, np.einsum("ki,ki->k", x, x)[:, None, None] * np.eye(3))
    inertia -= np.einsum("k,ki,kj->ij", masses, x, x)
    return {"mass": masses.sum(), "center_of_mass": center, "inertia": inertia}


def random_joint(rng: np.random.Generator, kind: str, passive: bool) -> dict[str, Any]:
    """Axes, placement and, if asked for, passive forces of a joint."""
    options: dict[str, Any] = {"position": rng.normal(scale=0.3, size=3), "rotation": random_rotation(rng)}
    if JOINT_TYPES[kind].axes:
        options["axis"] = rng.normal(size=3)
    if JOINT_TYPES[kind].axes == 2:
        options["axis2"] = np.cross(options["axis"], rng.normal(size=3))  # no two aligned axes, that are singular
    if JOINT_TYPES[kind].pitch:
        options["pitch"] = rng.normal(scale=0.2)
    if passive and kind != "fixed":
        for name in ("armature", "damping", "friction", "stiffness"):
            options[name] = rng.uniform(0.0, 1.0, JOINT_TYPES[kind].nv)
    return options


@dataclass
class Description:
    """Bodies and joints, to be added in any order."""

    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    joints: dict[str, dict[str, Any]] = field(default_factory=dict)

    def build(self, order: np.random.Generator | str = "depth", **options: Any) -> Model:
        """The model, with bodies and joints added as described, or shuffled, or breadth-first."""
        builder = ModelBuilder(**options)
        bodies, joints = list(self.bodies), list(self.joints)
        if isinstance(order, np.random.Generator):
            bodies = [bodies[k] for k in order.permutation(len(bodies))]
            joints = [joints[k] for k in order.permutation(len(joints))]
        elif order == "breadth":
            depth = self.depths()
            bodies.sort(key=lambda name: depth[name])
            joints.sort(key=lambda name: depth[self.joints[name]["child"]])
        for name in bodies:
            builder.add_body(name, **self.bodies[name])
        for name in joints:
            builder.add_joint(name, **self.joints[name])
        return builder.build()

    def depths(self) -> dict[str, int]:
        parents = {joint["child"]: joint["parent"] for joint in self.joints.values()}
        depth = {"world": 0}
        while len(depth) <= len(self.bodies):
            depth |= {child: depth[p] + 1 for child, p in parents.items() if p in depth}
        return depth


def random_description(
    seed: int, n: int = 12, kinds: tuple[str, ...] = MOVING, passive: bool = True, branching: float = 0.5
) -> Description:
    """A tree of ``n`` bodies with joints drawn from ``kinds``; each of them is there if ``n`` allows."""
    rng = np.random.default_rng(seed)
    chosen = [*kinds, *rng.choice(kinds, max(0, n - len(kinds)))][:n]
    rng.shuffle(chosen)
    description = Description()
    for k, kind in enumerate(chosen):
        parent = "world"
        if k > 0:
            parent = f"b{k - 1}" if rng.random() > branching else f"b{rng.integers(k)}"
        description.bodies[f"b{k}"] = random_body(rng)
        description.joints[f"j{k}"] = {
            "type": str(kind), "parent": parent, "child": f"b{k}", **random_joint(rng, str(kind), passive)
        }  # fmt: skip
    return description


def random_state(model: Model, seed: int, count: int = 1) -> dict[str, np.ndarray]:
    """q, v, a, tau and f_ext in ``count`` random states."""
    rng = np.random.default_rng(seed)
    state = {"q": random_configuration(model, rng, count)}
    for name in ("v", "a", "tau"):
        state[name] = rng.normal(size=(count, model.nv))
    state["f_ext"] = rng.normal(size=(count, model.n_bodies, 6))
    return state


BODY, INERTIA = 1, slice(10, 20)  # in a record of ``Model.links``: the number of its body, and what the body weighs


def body_inertias(model: Model) -> list[np.ndarray]:
    """6x6 inertia of each moving body about its origin, angular part first, from the numbers that the model has of it."""
    blocks = [np.zeros((6, 6))] * model.n_bodies
    for link in model.links[1:]:
        if link[BODY] >= 0:
            mass, x, y, z, xx, xy, xz, yy, yz, zz = link[INERTIA]
            cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            blocks[int(link[BODY])] = np.block([[J, cross], [cross.T, mass * np.eye(3)]])
    return blocks
