"""Models of one body, and of free bodies, in one expression: what most tests of a law need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pluecker.articulated import Model, ModelBuilder

GRAVITY = (0.0, 0.0, -9.81)


def one_body(
    body: str, kind: str, mass: Any = 0.0, center_of_mass: Any = (0.0, 0.0, 0.0), inertia: Any = None, *,
    joint: str | None = None, name: str = "model", gravity: Any = GRAVITY, **options: Any,
) -> Model:  # fmt: skip
    """Build one body on the world by a joint of this kind, which is called like it unless told otherwise."""
    builder = ModelBuilder(name, gravity)
    builder.add_body(body, mass, center_of_mass, inertia)
    builder.add_joint(joint or body, kind, "world", body, **options)
    return builder.build()


def free_bodies(
    names: int | Iterable[str], mass: Any = 1.0, inertia: Any = (0.1, 0.1, 0.1), *, gravity: Any = GRAVITY
) -> Model:
    """Build bodies on free joints, which are called like them: of these names, or so many called b0, b1, ...; ``mass`` is
    that of all, or one for each, and their moments are the same.
    """
    called = [f"b{k}" for k in range(names)] if isinstance(names, int) else list(names)
    builder = ModelBuilder(gravity=gravity)
    for body, m in zip(called, np.broadcast_to(mass, len(called)).tolist(), strict=True):
        builder.add_body(body, m, inertia=inertia)
        builder.add_joint(body, "free", "world", body)
    return builder.build()
