"""Calls about shapes: records of them, distances, colliders on models, where these touch, and URDF texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.articulated import neutral
from pluecker.contact import geometry
from pluecker.contact.geometry import (
    Box,
    Capsule,
    Collider,
    Collision,
    ConvexHull,
    Cylinder,
    HalfSpace,
    Sphere,
    Surface,
)
from tests.fuzz.algorithms import models
from tests.fuzz.friction import array, quiet
from tests.fuzz.judge import Call
from tests.fuzz.values import MAYBE, Dice, Given, thing

HULL = ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.2, 1]])
BOUNDED = (Sphere(0.5), Capsule(0.2, 1.0), Box((1.0, 0.1, 2.0)), Box((1e-6, 1.0, 1.0)), Cylinder(0.3, 0.5), HULL)
VALUES: dict[str, dict[str, Any]] = {
    "HalfSpace": {},
    "Sphere": {"radius": 0.5},
    "Capsule": {"radius": 0.5, "length": 1.0},
    "Cylinder": {"radius": 0.5, "length": 1.0},
    "Box": {"size": (1.0, 2.0, 3.0)},
    "ConvexHull": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},
    "Mesh": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [[0, 1, 2]], "convex": False},
    "HeightField": {"heights": [[0.0, 1.0], [0.0, 0.5]], "size": (1.0, 2.0)},
    "Surface": {
        "friction": 0.5,
        "rolling_friction": 0.0,
        "spinning_friction": 0.0,
        "restitution": 0.1,
        "stiffness": np.inf,
        "damping": 0.0,
        "velocity": (0.0, 1.0, 0.0),
        "kinetic_friction": 0.4,
    },
    "Collider": {
        "name": "x",
        "shape": Sphere(1.0),
        "frame": "world",
        "surface": Surface(),
        "groups": "a",
        "ignores": ("b",),
    },
    "ShapeContact": {
        "name": "x",
        "first": Collider("floor", HalfSpace(), "world"),
        "second": Collider("ball", Sphere(0.5), "ball"),
        "friction": 0.5,
        "kinetic_friction": 0.4,
        "rolling_friction": 1e-3,
        "spinning_friction": 0.0,
        "restitution": 0.0,
        "impacts": "poisson",
        "stiffness": 1e4,
        "damping": 10.0,
        "recovery": 1.0,
    },
}


def record(dice: Dice) -> Call:
    """Make a call of a record, one argument of which may be anything."""
    name = dice.pick(*VALUES)
    values = dict(VALUES[name])
    if values and not quiet(dice):
        values[dice.among(sorted(values))] = thing(dice)
    named = {key: Given(value, flaw=MAYBE) for key, value in values.items()}
    kind = getattr(geometry, name)

    def make(**values: Any) -> None:
        made = kind(**values)
        assert made == dataclasses.replace(made)
        hash(made)

    return Call("shapes", f"contact.geometry.{name}", make, [], named, says=None, compare=False, may_fail=True)


def pose(dice: Dice, batch: tuple[int, ...]) -> np.ndarray:
    """Draw placements, some with one centre, some parallel."""
    Q, _ = np.linalg.qr(dice.normal(*batch, 3, 3))
    T = np.zeros((*batch, 4, 4))
    T[..., :3, :3] = Q * np.linalg.det(Q)[..., None, None]
    T[..., :3, 3] = dice.normal(*batch, 3) * dice.pick(0.0, 1e-12, 0.3, 1.0, 1e6)
    T[..., 3, 3] = 1.0
    if dice.chance(0.3):
        T[..., :3, :3] = np.eye(3)
    return T


def distance(dice: Dice) -> Call:
    """Make a call of a distance, an argument of which may be wrong."""
    shapes = [dice.pick(*BOUNDED), dice.pick(HalfSpace(), *BOUNDED)]
    batch = dice.pick((), (), (2,), (2, 3), (0,))
    wrong = "" if quiet(dice) else dice.pick("shape_a", "pose_a", "shape_b", "pose_b")
    named = {}
    for k, key in enumerate("ab"):
        shape = thing(dice) if wrong == f"shape_{key}" else shapes[k]
        named[f"shape_{key}"] = Given(shape, flaw=MAYBE)
        named[f"pose_{key}"] = array(dice, pose(dice, batch if k else dice.pick((), batch)), wrong == f"pose_{key}")

    def check(found: Any) -> list[str]:
        bad = [] if np.allclose(np.linalg.norm(found.normal, axis=-1), 1.0, atol=1e-9) else ["no unit normal"]
        size = 1e-9 * (1.0 + np.abs(found.point_a).max(initial=0.0))
        gap = np.asarray(found.distance)[..., None] * found.normal
        return bad if np.allclose(found.point_b - found.point_a, gap, atol=size) else [*bad, "not that far apart"]

    # a dress that rounds makes no rotation, and another distance
    call = Call("shapes", "contact.geometry.distance", geometry.distance, [], dict(named), check=check, compare=False)
    call.may_fail = True
    return call


def collision(dice: Dice) -> Call:
    """Make a call that finds where colliders on a model touch, an argument of which may be anything."""
    model = dice.among(models())
    frames = ["world", *model.body_names]
    colliders: Any = [Collider(f"c{k}", dice.pick(*BOUNDED), dice.among(frames)) for k in range(dice.below(6))]
    if dice.chance(0.5):
        colliders.append(Collider("floor", HalfSpace(), "world"))
    values: dict[str, Any] = {
        "model": model,
        "colliders": colliders,
        "ignored": (),
        "adjacent": dice.chance(0.5),
        "margin": 0.1,
        "q": neutral(model),
    }
    if not quiet(dice):
        values[dice.among(sorted(values))] = thing(dice)

    def make(model: Any, colliders: Any, q: Any, **more: Any) -> list[str]:
        found = Collision(model, colliders, **more).find(q)
        found.table()
        ordered = (found.bodies[:, 0] < found.bodies[:, 1]).all() and (found.gap <= more["margin"]).all()
        finite = np.isfinite(found.point).all() and np.isfinite(found.tangents).all()
        return [] if ordered and finite else ["the table is out of order"]

    named = {key: Given(value, flaw=MAYBE) for key, value in values.items()}
    call = Call("shapes", "contact.geometry.Collision", make, [], named, says=None, compare=False, may_fail=True)
    call.check = lambda wrong: wrong
    call.also = ("forward_kinematics",)  # which places the shapes, and checks q
    return call


def drawing(dice: Dice) -> Call:
    """Make a call that draws a model with colliders, an argument of which may be anything."""
    model = dice.among(models())
    colliders = [Collider(f"c{k}", dice.pick(*BOUNDED, HalfSpace()), "world") for k in range(dice.below(4))]
    values: dict[str, Any] = {
        "model": model, "colliders": colliders, "ground": dice.pick(1.0, (2.0, 0.5)), "visuals": dice.chance(0.2),
        "colors": dice.pick(None, {"c0": "red"}, {"c0": "#123456"}),
    }  # fmt: skip
    if not quiet(dice):
        values[dice.among(sorted(values))] = thing(dice)
    named = {key: Given(value, flaw=MAYBE) for key, value in values.items()}
    call = Call("shapes", "contact.geometry.draw_colliders", geometry.draw_colliders, [], named, says=None, compare=False,
                may_fail=True)  # fmt: skip
    call.check = lambda drawn: [] if drawn == model else ["another model"]
    return call


TEXT = """<robot name="r"><link name="a"><collision name="box"><origin xyz="0 0 1" rpy="0 0 1"/>
<geometry><box size="1 2 3"/></geometry></collision><collision><geometry><cylinder radius="0.1" length="1"/></geometry>
</collision><collision><geometry><sphere radius="0.5"/></geometry></collision></link></robot>"""


def urdf(dice: Dice) -> Call:
    """Make a call that reads colliders of a URDF text, whole or damaged."""
    text: Any = TEXT
    if not quiet(dice):
        k = dice.below(len(text))
        text = text[:k] + dice.pick("", "x", "<", '"', "nan", "-1", "\u00e9", "1e400") + text[k + dice.below(9) :]
    named = {"path_or_text": Given(text, flaw=MAYBE), "surface": Given(dice.pick(None, Surface()), flaw=MAYBE)}
    if dice.chance(0.2):
        key = dice.pick(*named)
        named[key] = Given(thing(dice), flaw=MAYBE)
    return Call(
        "shapes", "contact.geometry.urdf_colliders", geometry.urdf_colliders, [], dict(named), says=None, compare=False,
        may_fail=True, infinite=True,
    )  # fmt: skip


DRAWS: tuple[tuple[Callable[[Dice], Call], int], ...] = (
    (record, 8),
    (distance, 8),
    (collision, 4),
    (urdf, 2),
    (drawing, 2),
)
LOTS = tuple(draw for draw, weight in DRAWS for _ in range(weight))


def draw(dice: Dice) -> Call:
    """A call of one of these."""
    return dice.among(LOTS)(dice)
