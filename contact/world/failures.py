"""Which constraints contradict each other in a state from which no step is found, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pluecker.articulated.algorithms.inertia.crba import crba
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.errors import PlueckerError, shown

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["explanation"]

RANK = 1e-9  # of the largest singular value: smaller ones are none
LEFT = 1e-7  # of what is asked for: what is left, and rounding cannot have made
PART = 1e-3  # of the largest part of a combination: constraints with less have no part in it


def explanation(world: World, q: Array, v: Array, tau: Array) -> str | None:
    """The constraints whose rows cannot hold at once, and what is left of each; None if they can.

    Rows that hold want velocities ``J v = s`` and accelerations ``J a = -Jdot v``. They contradict each other where these
    have no solution: what is left of the nearest one, in the metric of the masses, is a combination of rows that adds up to
    nothing on the left-hand side, and to something on the right-hand side.
    """
    try:
        rows = world.rows_at(q, v)
        H = crba(world.model, q)
    except PlueckerError:
        return None
    names, laws = [], []
    for name, parts in zip(world.names, world.parts, strict=False):
        names += [name] * len(parts.rows)
        laws += list(parts.rows)
    held = [k for k, row in enumerate(laws) if not row.ranged and not row.soft and row.inertia == 0.0]
    if not held:
        return None
    J, names = rows.jacobian[held], [names[k] for k in held]
    try:
        A = np.linalg.solve(np.linalg.cholesky(H), J.T).T  # J H^-1 J' = A A'
    except np.linalg.LinAlgError:
        return None
    size = np.linalg.norm(A, axis=1)
    A, scale = A / np.where(size > 0.0, size, 1.0)[:, None], np.where(size > 0.0, size, 1.0)
    speed = np.array([laws[k].speed for k in held])
    for what, unit, wanted in (("velocities", "/s", speed), ("accelerations", "/s^2", -rows.bias[held])):
        b = wanted / scale
        U, s, _ = np.linalg.svd(A, full_matrices=True)
        rank = int((s > RANK * max(s.max(initial=0.0), 1e-300)).sum())
        left = U[:, rank:] @ (U[:, rank:].T @ b)
        if np.abs(left).max(initial=0.0) > LEFT * max(np.abs(b).max(initial=0.0), 1e-300):
            own = np.abs(left * scale)
            worst = int(own.argmax())
            involved = [n for n, x in zip(names, np.abs(left), strict=True) if x > PART * np.abs(left).max()]
            listed = ", ".join(shown(n) for n in dict.fromkeys(involved))
            return (
                f"the constraints {listed} contradict each other: of the {what} that they ask for, {own[worst]:.3g} m{unit} "
                f"or rad{unit} is left at {shown(names[worst])}"
            )
    return None
