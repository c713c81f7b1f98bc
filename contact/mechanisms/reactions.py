"""Forces along the rows of a world's constraints as wrenches: of one constraint, on all bodies, and through joints.

Redundant rows say the same as others. Forces x with ``J^T x = 0`` move nothing: any multiple of them can be added. A row is
determined if it has no share in such forces, and so is a reaction if these have no part in it. Rows are compared by energy:
with ``H = L L^T`` the rows of ``J L^-T`` are brought to length one, so that no unit matters; what is shorter than a share of
1e-7 then counts as nothing.

Sources: Wehage, Haug (1982) for dependent constraints by a factor of J; source document 000 (docs/sources.md), redundancy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.rnea import joint_forces
from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.algorithms.frames.frames import frame_placement
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.frames import body_number
from pluecker.contact.constraints.relation import COORDINATE, USER, Frame
from pluecker.contact.errors import ConstraintError
from pluecker.contact.instants.wrenches import FUNCTION_WRENCHES, wrench_on
from pluecker.contact.mechanisms.constrained import JOINTS, Constrained, Flags
from pluecker.contact.mechanisms.errors_at import by_energy, rows_at
from pluecker.contact.mechanisms.running import called, run
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.functions.arguments import as_numbers

__all__ = [
    "RANK",
    "ConstraintHandle",
    "Determination",
    "body_wrenches",
    "find_determination",
    "function_forces",
    "joint_reactions",
    "largest_wrench",
]

RANK = 1e-7  # of a row: the root of rounding, with a margin; loops that close within it count as closed


@by_value("world", "number")
class ConstraintHandle:
    """One constraint of a world.

    Attributes:
        record: the constraint as it was given; None for the model's own joints.
        rows: where its rows are among all.
    """

    def __init__(self, world: Constrained, number: int) -> None:
        self.world, self.number = world, number
        self.record = world.constraints[number] if number < len(world.constraints) else None
        self.rows = world.rows_of[number]

    @property
    def name(self) -> str:
        """Name of the constraint as it was given; ``"joints"`` for the model's own."""
        return JOINTS if self.record is None else self.record.name

    def forces(self, row_forces: Any) -> Array:
        """Select its own among the forces, or impulses, of all rows: of a result, or an array ``(..., n_rows)``."""
        own = getattr(row_forces, "forces", getattr(row_forces, "impulses", row_forces))
        array = as_numbers(f"World: constraint {self.name!r}", "forces", own)
        if array.shape[-1:] != (self.world.n_rows,):
            raise ConstraintError(
                f"{self.name}: forces have shape {array.shape}, expected (..., {self.world.n_rows}), one for each row"
            )
        return array[..., self.rows]

    def wrench(self, q: ArrayLike, row_forces: Any, frame: Frame | str | None = None) -> Array:
        """Compute the wrench of this constraint on the body that has a frame, in that frame.

        Args:
            q: configuration, ``(..., nq)``.
            row_forces: what :meth:`World.accelerations` or :meth:`World.impact` gave, or forces of all rows,
                ``(..., n_rows)``.
            frame: by name, or a :class:`Frame`; by default the constraint's second one. The moment is about its origin, the
                numbers are along its axes. The wrench on the first body is asked for with the first frame.

        Returns:
            ``[n; f]``, ``(..., 6)``; N m and N, or N m s and N s.

        Raises:
            ValueError: the constraint does not act on that body by wrenches, a shape does not fit.
            KeyError: there is no frame of that name.
        """
        world, parts = self.world, self.world.parts[self.number]
        place = self.own_frame() if frame is None else frame if isinstance(frame, Frame) else Frame(frame)
        signs = [self.sign(f, place) for f in parts.functions]
        if not any(signs):
            raise ConstraintError(f"{self.name}: it has no wrench on the body of frame {place.name!r}")
        units = run(world, FUNCTION_WRENCHES, (q,))
        own = list(world.packed.functions[self.number])
        T = self.placement(as_numbers("wrench", "q", q), place)
        R, x = T[..., :3, :3], T[..., :3, 3]
        total = wrench_on(parts, signs, units[..., own, :], self.forces(row_forces), x)
        n, f = (np.einsum("...ji,...j->...i", R, part) for part in (total[..., :3], total[..., 3:]))
        return np.concatenate([n, f], axis=-1)

    def own_frame(self) -> Frame:
        """Return the second frame of the constraint."""
        for function in self.world.parts[self.number].functions:
            if function.second is not None:
                return function.second
        raise ConstraintError(f"{self.name}: it acts on coordinates, not on bodies, and has no wrench")

    def sign(self, function: Any, frame: Frame) -> int:
        """Return 1 if a function acts on the body of a frame as on its second, -1 as on its first, 0 if not."""
        if function.second is None:
            return 0
        body = self.body(frame)
        return int(self.body(function.second) == body) - int(self.body(function.first) == body)

    def body(self, frame: Frame) -> int:
        """Return the number of the body that carries a frame, -1 for the world."""
        return body_number(self.world.model, frame.name)

    def placement(self, q: Array, frame: Frame) -> Array:
        """Compute the placement of a frame in the world, ``(..., 4, 4)``."""
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = frame.matrix, frame.position
        if self.body(frame) < 0:
            return np.broadcast_to(own, (*q.shape[:-1], 4, 4))
        return np.asarray(frame_placement(self.world.model, q, frame.name) @ own)

    def __repr__(self) -> str:
        return f"{self.name}: rows {self.rows.start} to {self.rows.stop - 1} of {self.world!r}"


# ------------------------------------------------------------------------------------------------------------------- of all


def function_forces(world: Constrained, forces: Array) -> Array:
    """Compute the force along each function of all constraints, ``(..., n_functions)``, from those along their rows."""
    total = np.zeros((*forces.shape[:-1], world.packed.n_functions))
    row = 0
    for part, own in zip(world.parts, world.packed.functions, strict=True):
        for r in part.rows:
            for k, c in r.terms:
                total[..., own[k]] += c * forces[..., row]
            row += 1
    return total


def body_wrenches(
    world: Constrained, q: Array, forces: Array, receivers: Sequence[Sequence[int]] | None = None
) -> Array:
    """Compute the wrenches of constraints on the bodies, in body coordinates, ``(..., n_bodies, 6)``.

    Args:
        world: the mechanism and its constraints.
        q: configuration, ``(..., nq)``.
        forces: along all rows, ``(..., n_rows)``.
        receivers: of each function the bodies whose share is counted; all if None.
    """
    model = world.model
    g = function_forces(world, forces)
    T = forward_kinematics(model, q)
    units = run(world, FUNCTION_WRENCHES, (q,))
    total = np.zeros((*np.broadcast_shapes(T.shape[:-3], g.shape[:-1]), model.n_bodies, 6))
    for k, f in enumerate(f for part in world.parts for f in part.functions):
        if f.kind in (COORDINATE, USER):
            continue
        p, n, force = np.split(units[..., k, :], 3, axis=-1)
        for frame, sign in ((f.first, -1.0), (f.second, 1.0)):
            assert frame is not None
            b = body_number(world.model, frame.name)
            if b >= 0 and (receivers is None or b in receivers[k]):
                s = sign * g[..., k, None]
                moment = n + np.cross(p - T[..., b, :3, 3], force)
                total[..., b, :3] += s * np.einsum("...ji,...j->...i", T[..., b, :3, :3], moment)
                total[..., b, 3:] += s * np.einsum("...ji,...j->...i", T[..., b, :3, :3], force)
    return total


def largest_wrench(world: Constrained, q: Array, forces: Array) -> float:
    """Compute the largest number among the wrenches of single functions, for forces along all rows."""
    units = run(world, FUNCTION_WRENCHES, (q,))
    wrenches = np.abs(units[..., 3:]).max(axis=-1) * np.abs(function_forces(world, forces))
    return float(wrenches.max(initial=0.0))


def joint_reactions(world: Constrained, q: Array, v: Array, result: Any, f_ext: Array | None = None) -> Array:
    """Compute the wrench through the joint of each body, from its parent, in body coordinates, ``(..., n_bodies, 6)``.

    As :func:`~pluecker.articulated.joint_forces`, with the wrenches of the constraints among those from outside.
    """
    outside = body_wrenches(world, q, result.forces)
    return joint_forces(world.model, q, v, result.acceleration, outside if f_ext is None else outside + f_ext)


# -------------------------------------------------------------------------------------------------------------- determinacy


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
