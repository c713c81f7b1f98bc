"""Mechanisms with loops for topic ``worlds``: each as a world, and some as a model of MuJoCo too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Array
from pluecker.articulated import Model, ModelBuilder
from pluecker.contact import World
from pluecker.contact.constraints import Ball, Frame, Hinge
from pluecker.spatial.extras import require
from tests.contact.world.mechanisms import four_bars

__all__ = ["Case", "Points", "chain", "four_bar_row", "in_mujoco", "rope", "tied"]

UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))  # axes as columns: z, about which hinges turn, is -y
LENGTH = 0.1  # m, of the links of ropes and chains
Points = tuple[str, Array, str, Array]  # two bodies, and where on each they meet


@dataclass
class Case:
    """A world with a state that its constraints allow, and what MuJoCo needs to build the same."""

    world: World
    q: Array
    v: Array
    bodies: list[dict[str, Any]] = field(default_factory=list)  # free ones
    points: list[Points] = field(default_factory=list)


def rod(name: str, parent: str, kind: str, position: Array) -> dict[str, Any]:
    """A uniform rod along x."""
    return {
        "name": name, "parent": parent, "kind": kind, "position": position, "mass": 1.0,
        "center": np.array([LENGTH / 2.0, 0.0, 0.0]), "inertia": LENGTH**2 * np.array([1e-3, 1.0 / 12.0, 1.0 / 12.0]),
    }  # fmt: skip


def built(bodies: list[dict[str, Any]]) -> Model:
    """The model of these."""
    builder = ModelBuilder()
    for body in bodies:
        builder.add_body(body["name"], mass=body["mass"], center_of_mass=body["center"], inertia=body["inertia"])
        builder.add_joint(body["name"], body["kind"], body["parent"], body["name"], position=body["position"])
    return builder.build()


def links(angles: Array, maximal: bool) -> tuple[list[dict[str, Any]], Array, Array]:
    """Rods behind one another, each at its angle about y, on balls or free; their coordinates, and where the last ends."""
    place, bodies, q = np.zeros(3), [], []
    for k, angle in enumerate(angles):
        alone = maximal or k == 0
        turn = angle if alone else angle - angles[k - 1]
        parent, x = ("world", 0.0) if alone else (f"rod{k - 1}", LENGTH)
        bodies.append(rod(f"rod{k}", parent, "free" if maximal else "spherical", np.array([x, 0.0, 0.0])))
        q += [*([place] if maximal else []), np.array([np.cos(turn / 2.0), 0.0, np.sin(turn / 2.0), 0.0])]
        place = place + LENGTH * np.array([np.cos(angle), 0.0, -np.sin(angle)])
    return bodies, np.concatenate(q), place


def chain(n: int) -> Case:
    """n rods on hinges, hanging from the world at 0.4 rad, in maximal coordinates.

    MuJoCo holds a hinge by two points on its axis.
    """
    bodies, q, _ = links(np.full(n, 0.4), True)
    hinges, points = [], []
    for k in range(n):
        name, end = ("world", np.zeros(3)) if k == 0 else (f"rod{k - 1}", np.array([LENGTH, 0.0, 0.0]))
        hinges.append(Hinge(f"hinge{k}", Frame(name, tuple(end), UPRIGHT), Frame(f"rod{k}", (0, 0, 0), UPRIGHT)))
        for aside in (np.zeros(3), np.array([0.0, LENGTH / 2.0, 0.0])):
            points.append((name, end + aside, f"rod{k}", aside))
    model = built(bodies)
    return Case(World(model, hinges), q, np.zeros(model.nv), bodies, points)


def rope(n: int, maximal: bool) -> Case:
    """n rods on balls, held at both ends: half a circle that falls."""
    angles = np.pi / 2.0 - np.pi * (np.arange(n) + 0.5) / n
    bodies, q, end = links(angles, maximal)
    inner = [
        Ball(f"ball{k}", Frame(f"rod{k - 1}" if k else "world", (LENGTH if k else 0.0, 0, 0)), Frame(f"rod{k}"))
        for k in range(n if maximal else 0)
    ]
    last = Ball("end", Frame("world", tuple(end)), Frame(f"rod{n - 1}", (LENGTH, 0, 0)))
    model = built(bodies)
    return Case(World(model, [*inner, last]), q, np.zeros(model.nv))


def four_bar_row(n: int) -> Case:
    """n squares of rods side by side; each has a row too much, as it is planar."""
    world, q, v = four_bars(n)
    return Case(world, q, v)


def in_mujoco(case: Case, step: float) -> Any:
    """The free bodies of a case, tied by points that meet, as stiff as this step allows."""
    mujoco = require("mujoco", "peers", "comparing")
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = [0.0, 0.0, -9.81]
    for body in case.bodies:
        made = spec.worldbody.add_body(name=body["name"])
        made.mass, made.ipos, made.explicitinertial = body["mass"], body["center"], True
        made.inertia = body["inertia"]
        made.add_freejoint(name=body["name"])
    return tied(mujoco, spec, case.points, step)


def tied(mujoco: Any, spec: Any, points: list[Points], step: float) -> Any:
    """The model with points that meet, critically damped with a time of two steps, MuJoCo's stiffest."""
    for first, _, second, _ in points:
        equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY)
        equality.name1, equality.name2 = first, second
        equality.solref, equality.solimp = [2.0 * step, 1.0], [0.9999, 0.9999, 1e-3, 0.5, 2.0]
    spec.option.timestep = step
    model = spec.compile()
    for k, (_, a, _, b) in enumerate(points):
        model.eq_data[k, :3], model.eq_data[k, 3:6] = a, b
    return model
