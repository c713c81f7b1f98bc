"""Which constraints contradict each other in a state from which no step is found, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pluecker.articulated.algorithms.inertia.crba import crba
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.user import broken_function
from pluecker.contact.stepping.step import TOLERATED
from pluecker.spatial.errors import PlueckerError, shown

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["explanation"]

RANK = 1e-9  # of the largest singular value: smaller ones are none
WEAK = 0.3  # chosen: rows that are independent by less are near to a contradiction
LEFT = 1e-7  # of what is asked for: what is left, and rounding cannot have made
PART = 1e-2  # of the largest part of a combination: constraints with less have no part in it


def explanation(world: World, q: Array, v: Array, tau: Array, error: float, time: float) -> str | None:
    """The constraints whose rows cannot hold at once, and what is left of each; None if they can.

    Rows that hold want velocities ``J v = ds/dt`` and accelerations ``J a = d2s/dt2 - Jdot v``, s their motion over
    time. They contradict each other where these have no solution: what is left of the nearest one, in the metric of the
    masses, is a combination of rows that adds up to nothing on the left-hand side, and to something on the right-hand side.
    Where a step leaves an error, and a combination is nearly nothing, a dead point is near.

    Args:
        q, v, tau: the state before the step, and joint forces.
        error: of the step, as a share of what is tolerated.
        time: at which the step begins; s.
    """
    if not np.isfinite(error):
        broken = broken_function(world.model, world.parts, q)
        if broken is not None:
            return broken
    try:
        with np.errstate(all="ignore"):  # of states that have run away
            names, A, size, wanted = held_rows(world, q, v, time)
    except (PlueckerError, np.linalg.LinAlgError):
        return None
    if not len(A) or not all(np.isfinite(each).all() for each in (A, size, *wanted)):
        return None
    U, s, _ = np.linalg.svd(A, full_matrices=True)
    rank = int((s > RANK * max(s.max(initial=0.0), 1e-300)).sum())
    for what, unit, each in (("velocities", "/s", wanted[0]), ("accelerations", "/s^2", wanted[1])):
        b = each / size
        left = U[:, rank:] @ (U[:, rank:].T @ b)
        if np.abs(left).max(initial=0.0) > LEFT * max(np.abs(b).max(initial=0.0), 1e-300):
            own = np.abs(left * size)
            worst = int(own.argmax())
            return (
                f"the constraints {involved(names, left)} contradict each other: of the {what} that they ask for, "
                f"{own[worst]:.3g} m{unit} or rad{unit} is left at {shown(names[worst])}"
            )
    if 1.0 < error < np.inf and rank and s[rank - 1] < WEAK:
        return (
            f"the constraints {involved(names, U[:, rank - 1])} come to contradict each other: the step leaves "
            f"{error * TOLERATED:.3g} m or rad of them"
        )
    return None


def held_rows(world: World, q: Array, v: Array, time: float) -> tuple[list[str], Array, Array, tuple[Array, Array]]:
    """Of rows that hold: the constraints' names; A, scaled, with ``J H^-1 J^T = A A^T``; the scales; what is wanted."""
    rows = world.rows_at(q, v, time=time)
    laws = [(name, row) for name, parts in zip(world.names, world.parts, strict=False) for row in parts.rows]
    held = [k for k, (_, row) in enumerate(laws) if not row.ranged and not row.soft and row.inertia == 0.0]
    A = np.linalg.solve(np.linalg.cholesky(crba(world.model, q)), rows.jacobian[held].T).T
    size = np.linalg.norm(A, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    return [laws[k][0] for k in held], A / size[:, None], size, (rows.speed[held], -rows.bias[held])


def involved(names: list[str], combination: Array) -> str:
    """The constraints that have a part in a combination of rows."""
    share = np.abs(combination)
    found = [name for name, x in zip(names, share, strict=True) if x > PART * share.max()]
    return ", ".join(shown(name) for name in dict.fromkeys(found))
