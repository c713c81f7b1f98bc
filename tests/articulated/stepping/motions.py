"""Motions by the public simulate, in the form that laws of integrators need: from a state to the one after so many steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated import Model, ModelBuilder, Trajectory, simulate
from tests.mechanisms import random_body

Array = NDArray[np.float64]


def states(model: Model, q: Any, v: Any, h: float, steps: int, **options: Any) -> Trajectory:
    """The start and the state after each step; all of them are solved."""
    return simulate(model, q, v, steps * h, h, **{"record": (), **options})


def end(model: Model, q: Any, v: Any, h: float, steps: int, **options: Any) -> tuple[Array, Array]:
    """The state after so many steps; all of them are solved."""
    motion = states(model, q, v, h, steps, every=steps, **options)
    return motion.q[-1], motion.v[-1]


# a chain, on which that of the other types hangs
SMALL = ("free", "exponential", "universal")
LARGE = (
    "spherical", "revolute", "cylindrical", "euler_zyx", "prismatic", "helical", "planar", "euler_xyx", "continuous",
)  # fmt: skip


def mechanism(mimic: bool, large: bool) -> Model:
    """A chain with damping and springs, without dry friction."""
    rng = np.random.default_rng(16)
    builder = ModelBuilder()
    parents = ["world"]
    kinds = [*SMALL, *(LARGE if large else ()), *(("revolute", "revolute") if mimic else ())]
    for k, kind in enumerate(kinds):
        body, options = f"body{k}", {}
        if kind in ("revolute", "continuous", "cylindrical", "helical", "planar", "prismatic", "universal"):
            options["axis"] = rng.normal(size=3)
        if kind == "universal":
            options["axis2"] = np.cross(options["axis"], rng.normal(size=3))
        if kind == "helical":
            options["pitch"] = 0.2
        builder.add_body(body, **random_body(rng))
        if mimic and k == len(kinds) - 1:
            options["mimic"] = (f"joint{k - 1}", -0.7, 0.2)
        builder.add_joint(
            f"joint{k}", kind, parents[-1], body, position=rng.normal(scale=0.3, size=3),
            armature=0.1 if kind == "free" else rng.uniform(0.0, 0.2),
            damping=rng.uniform(0.0, 0.5), stiffness=rng.uniform(0.0, 3.0), **options,
        )  # fmt: skip
        parents.append(body)
    return builder.build()
