"""Determinacy of constraint forces by the motion, and redundant rows, which say the same as others.

Forces x with ``J^T x = 0`` move nothing: any multiple of them can be added. A row is determined if it has no share in such
forces, and so is a reaction if these have no part in it. Rows are compared by energy: with ``H = L L^T`` the rows of
``J L^-T`` are brought to length one, so that no unit matters; what is shorter than a share of 1e-7 then counts as nothing.

Sources: Wehage, Haug (1982) for dependent constraints by a factor of J; source document 000 (docs/sources.md), redundancy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.rnea import joint_forces
from pluecker.articulated.running.arguments import Array
from pluecker.contact.errors import ConstraintError
from pluecker.contact.world.constrained import Constrained, Flags
from pluecker.contact.world.errors_at import by_energy, rows_at
from pluecker.contact.world.reactions import body_wrenches, largest_wrench
from pluecker.contact.world.running import called
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.functions.arguments import as_numbers

__all__ = ["RANK", "Determination", "find_determination"]

RANK = 1e-7  # of a row: the root of rounding, with a margin; loops that close within it count as closed


@by_value()
@dataclass(frozen=True, eq=False)
class Determination:
    """Determinacy of the forces of a world's constraints in one configuration.

    Attributes:
        rows: whether the force on each row is determined, ``(n_rows,)``; those of springs, dampers and rotors always are.
        constraints: whether all rows of a constraint are, by its name.
        reactions: whether the wrench through the joint that carries each body is, ``(n_bodies,)``.
        free: forces that move nothing, ``(n_rows, k)``: k is how many rows are too many.
    """

    rows: Flags
    constraints: dict[str, bool]
    reactions: Flags
    free: Array

    @property
    def redundancy(self) -> int:
        """Number of redundant rows: how many more there are than hold something."""
        return int(self.free.shape[1])

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of the constraints that share loads in ways which the motion does not tell."""
        return tuple(name for name, known in self.constraints.items() if not known)


@called("World.determined")
def find_determination(world: Constrained, q: ArrayLike, active: ArrayLike | None = None) -> Determination:
    """Find which forces of constraints and reactions of joints the motion determines in one configuration.

    Args:
        world: the mechanism and its constraints.
        q: configuration, ``(nq,)``.
        active: which rows with a range hold too, ``(n_rows,)``; none if None.
    """
    q, n, holding = as_numbers("World.determined", "q", q), world.n_rows, world.held_rows
    if q.shape != (world.model.nq,):
        raise ConstraintError(f"World.determined: q has shape {q.shape}, expected ({world.model.nq},)")
    if active is not None:
        try:
            also = np.asarray(active)
        except ValueError as error:
            raise ArgumentTypeError(f"World.determined: active is no array ({error})") from None
        if also.shape != (n,) or also.dtype != np.bool_:
            raise ConstraintError(
                f"World.determined: active has shape {also.shape} and type {also.dtype}, expected ({n},) of True and False"
            )
        holding = holding | also
    W = by_energy(world, q, rows_at(world, q).jacobian[holding])
    size = np.linalg.norm(W, axis=1)
    size[size == 0.0] = 1.0
    W = W / size[:, None]
    free = np.zeros((n, 0))
    if len(W):
        U, s, _ = np.linalg.svd(W, full_matrices=True)
        rank = int((s > RANK).sum())
        free = np.zeros((n, len(W) - rank))
        free[holding] = U[:, rank:] / size[:, None]
    share = np.zeros(n)
    share[holding] = np.linalg.norm(free[holding] * size[:, None], axis=1)
    rows = share <= RANK
    constraints = {
        each.name: bool(rows[own].all()) for each, own in zip(world.constraints, world.rows_of, strict=False)
    }
    return Determination(rows, constraints, reactions_determined(world, q, free), free)


def reactions_determined(world: Constrained, q: Array, free: Array) -> Flags:
    """Return whether the wrenches through joints are free of the forces that move nothing, ``(n_bodies,)``."""
    model = world.model
    still = np.zeros(model.nv)
    known = np.ones(model.n_bodies, dtype=bool)
    if free.shape[1]:
        floating = model.replace(gravity=np.zeros(3))
        pushes = body_wrenches(world, np.broadcast_to(q, (free.shape[1], model.nq)), free.T)
        through = joint_forces(floating, q, still, still, pushes)
        largest = largest_wrench(world, q, free.T)
        known = np.abs(through).max(axis=(0, 2)) <= RANK * largest
    return known
