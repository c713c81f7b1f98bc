"""Mechanisms that all random calls share."""

from __future__ import annotations

from functools import cache

import numpy as np

from pluecker.articulated import Model, ModelBuilder
from tests.fuzz.values import Dice
from tests.mechanisms import MOVING, random_body, random_description, random_joint
from tests.models import one_body

BATCHES = ((), (), (), (), (), (1,), (2,), (3,), (7,), (8,), (9,), (17,), (2, 3), (0,), (2, 0))


@cache
def models() -> tuple[Model, ...]:
    """Mechanisms of every kind, the same in every process."""
    result = [random_description(seed, n).build() for seed, n in ((0, 12), (1, 5), (2, 3), (4, 8))]
    result += [random_description(10 + k, 1, (kind,)).build() for k, kind in enumerate(MOVING)]
    result += [random_description(30 + k, 3, (*MOVING, "fixed")).build(np.random.default_rng(k)) for k in range(4)]
    result += [random_description(40, 7, ("revolute", "prismatic"), branching=0.0).build(), with_mimic()]
    return (*result, massless(), still(), ModelBuilder("nothing").build(), odd_names())


def with_mimic() -> Model:
    rng, builder = np.random.default_rng(1), ModelBuilder("mimic")
    for k, kind in enumerate(("revolute", "prismatic", "spherical", "revolute", "helical", "revolute")):
        mimic = {"mimic": ("j0", -0.7, 0.3)} if k in (1, 5) else {}
        builder.add_body(f"b{k}", **random_body(rng))
        builder.add_joint(
            f"j{k}", kind, f"b{k - 1}" if k else "world", f"b{k}", **random_joint(rng, kind, True), **mimic
        )
    return builder.build()


def massless() -> Model:
    """A mechanism whose inertia matrix is singular."""
    builder = ModelBuilder("massless")
    builder.add_body("rod", 1.0, (0, 0, -0.5))
    builder.add_body("nothing")
    builder.add_joint("first", "revolute", "world", "rod", axis=(0, 1, 0))
    builder.add_joint("second", "revolute", "rod", "nothing", axis=(1, 0, 0))
    return builder.build()


def still() -> Model:
    """A mechanism without freedoms."""
    return one_body("base", "fixed", 1.0, name="still")


def odd_names() -> Model:
    builder = ModelBuilder("odd\n" + 50 * "long", world="ground")
    builder.add_body("world", 1.0, (0.1, 0, 0), (1, 1, 1))
    builder.add_body(300 * "b", 1.0, (0.1, 0, 0), (1, 1, 1))
    builder.add_joint("{0}%s", "free", "ground", "world")
    builder.add_joint(300 * "j", "spherical", "world", 300 * "b")
    return builder.build()


def configuration(dice: Dice, model: Model, batch: tuple[int, ...]) -> np.ndarray:
    """q of random states, by a way of our own."""
    q = dice.normal(*batch, model.nq)
    for part in model.quaternion_slices().values():
        q[..., part] /= np.linalg.norm(q[..., part], axis=-1, keepdims=True)
    return q
