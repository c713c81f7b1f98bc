"""Maximal coordinates of a world: each body free, each joint a constraint.

    q_max = placements of the bodies      v_max = J v      a_max = J a + Jdot v      tau = J^T tau_max

J takes velocities of the model to twists of its bodies (source document 002, section 4.1); the other way leads through the
wrenches D of unit forces on the coordinates, ``D^T S = 1``: ``v = D^T (v_body - X v_parent)``, ``tau_max = D tau``.

Both worlds have the same accelerations, the same net wrenches on bodies, and the same reactions where the motion determines
them. Redundant constraints share their load in different ways.

Sources: RBDA sections 3.4 and 8.2; Baraff (1996); source document 002, sections 3 and 4 (docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.passive_force import passive_force
from pluecker.articulated.algorithms.frames.forward_kinematics import (
    body_accelerations,
    body_velocities,
    forward_kinematics,
)
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import COORDINATE, OFFSET, TURN
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.mechanisms.instants import ConstrainedAcceleration
from pluecker.contact.mechanisms.joint_functions import JointShape
from pluecker.contact.mechanisms.reactions import (
    RANK,
    Determination,
    body_wrenches,
    find_determination,
    function_forces,
    largest_wrench,
)
from pluecker.contact.mechanisms.tree_joints import Coordinates, kept
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_numbers, check_broadcast
from pluecker.spatial.functions.quaternions import quaternion_from_rotation, quaternion_log

__all__ = ["Maximal"]

W = TypeVar("W", bound=Constrained)
# joints whose axis is fixed in both bodies
ONE_AXIS = ("revolute", "continuous", "prismatic", "helical", "cylindrical")


@by_value("source", "reference")
@dataclass(frozen=True, eq=False)
class Maximal(Generic[W]):
    """World in maximal coordinates, and the maps between it and the world that it was made from.

    Attributes:
        world: each body of the old model on a free joint of its own name; a constraint for each joint, under the joint's
            name; then the constraints of the old world.
        source: the old world.
        reference: the configuration from which turns are counted, ``(nq,)``.
        shapes, coordinates: of the old joints, by body: their geometry, and their coordinates as functions.
    """

    world: W
    source: W
    reference: Array
    shapes: dict[int, JointShape]
    coordinates: Coordinates

    # ------------------------------------------------------------------------------------------------------------- motion

    def state(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Compute configuration and velocity of the maximal world, ``(..., 7 n)`` and ``(..., 6 n)``, n bodies.

        Args:
            q, v: of the old world, ``(..., nq)`` and ``(..., nv)``.

        Raises:
            ValueError: exponential coordinates of more than half a turn, which free bodies do not know; and as
                :func:`~pluecker.articulated.body_velocities`.
            TypeError: something is not an array of real numbers.
        """
        q = as_numbers("Maximal.state", "q", q)
        twists = body_velocities(self.source.model, q, v)
        T = forward_kinematics(self.source.model, q)
        self.refuse_long_vectors(q)
        places = np.concatenate([T[..., :3, 3], quaternion_from_rotation(T[..., :3, :3])], axis=-1)
        for b, shape in self.shapes.items():
            if kept(shape):
                places[..., b, :] = q[..., shape.joint.q_start : shape.joint.q_start + 7]
        shape_of_batch = twists.shape[:-2]
        places = np.broadcast_to(places, (*shape_of_batch, *places.shape[-2:]))
        return places.reshape(*shape_of_batch, -1).copy(), twists.reshape(*shape_of_batch, -1)

    def refuse_long_vectors(self, q: Array) -> None:
        """Refuse rotation vectors of exponential joints beyond half a turn."""
        for shape in self.shapes.values():
            if shape.kind == "exponential":
                length = float(np.linalg.norm(shape.numbers(q), axis=-1).max(initial=0.0))
                if length > np.pi * (1.0 + 1e-12):
                    raise ArgumentValueError(
                        f"Maximal.state: joint {shown(shape.joint.name)} is turned by {length:.6g} rad, expected at most "
                        "pi: rotation vectors beyond half a turn have no equal among free bodies"
                    )

    def acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Compute accelerations of the maximal world, ``(..., 6 n)``, from those of the old one, ``(..., nv)``."""
        twists = body_accelerations(self.source.model, q, v, a)
        return np.asarray(twists.reshape(*twists.shape[:-2], -1))

    def back(self, q: ArrayLike, v: ArrayLike, reference: ArrayLike | None = None) -> tuple[Array, Array]:
        """Compute configuration and velocity of the old world, ``(..., nq)`` and ``(..., nv)``.

        Where the bodies are not quite as the joints want it, what the joints do not allow is left out.

        Args:
            q, v: of the maximal world, ``(..., 7 n)`` and ``(..., 6 n)``.
            reference: a configuration, ``(..., nq)``, to which angles shall be next, and quaternions; that from which turns
                are counted if None.

        Raises:
            ValueError: a shape does not fit.
            TypeError: something is not an array of real numbers.
        """
        model, n = self.source.model, self.source.model.n_bodies
        q, v = as_numbers("Maximal.back", "q", q), as_numbers("Maximal.back", "v", v)
        if q.shape[-1:] != (7 * n,) or v.shape[-1:] != (6 * n,):
            raise ArgumentValueError(
                f"Maximal.back: q and v have shapes {q.shape} and {v.shape}, expected (..., {7 * n}) and (..., {6 * n})"
            )
        batch = check_broadcast("Maximal.back", q=(q, 1), v=(v, 1))
        q, v = np.broadcast_to(q, (*batch, 7 * n)), np.broadcast_to(v, (*batch, 6 * n))
        near = self.reference if reference is None else as_numbers("Maximal.back", "reference", reference)
        near = np.broadcast_to(near, (*batch, model.nq))
        T = forward_kinematics(self.world.model, q)
        q_old, v_old = np.empty((*batch, model.nq)), np.empty((*batch, model.nv))
        for b, shape in self.shapes.items():
            joint, twist = shape.joint, v[..., 6 * b : 6 * b + 6]
            if joint.mimic is not None:
                continue
            own_q, own_v = (
                slice(joint.q_start, joint.q_start + shape.nq),
                slice(joint.v_start, joint.v_start + shape.nv),
            )
            if kept(shape):
                q_old[..., own_q], v_old[..., own_v] = q[..., 7 * b : 7 * b + 7], twist
                continue
            x = self.displacement(shape, T, near[..., own_q])
            E, r = self.step(shape, T)
            q_old[..., own_q] = x
            if shape.parent >= 0:
                twist = twist - moved(E, r, v[..., 6 * shape.parent : 6 * shape.parent + 6])
            v_old[..., own_v] = np.einsum("...ij,...i->...j", shape.duals(x), twist)
        return q_old, v_old

    def step(self, shape: JointShape, T: Array) -> tuple[Array, Array]:
        """Compute E and r of the transform to a body from the one that carries it, given the placements of all."""
        child = T[..., shape.body, :, :]
        parent = T[..., shape.parent, :, :] if shape.parent >= 0 else np.broadcast_to(np.eye(4), child.shape)
        R = np.swapaxes(parent[..., :3, :3], -1, -2)
        r = np.einsum("...ij,...j->...i", R, child[..., :3, 3] - parent[..., :3, 3])
        return np.swapaxes(child[..., :3, :3], -1, -2) @ parent[..., :3, :3], r

    def displacement(self, shape: JointShape, T: Array, near: Array) -> Array:
        """Compute the coordinates of a joint, given the placements of all bodies."""
        E, r = self.step(shape, T)
        F = shape.first.matrix
        R = F.T @ np.swapaxes(E, -1, -2)
        p = (r - np.array(shape.first.position)) @ F
        if shape.kind in ("spherical", "free"):
            quaternion = quaternion_from_rotation(R)
            quaternion = np.where(
                (quaternion * near[..., -4:]).sum(axis=-1, keepdims=True) < 0.0, -quaternion, quaternion
            )
            return quaternion if shape.kind == "spherical" else np.concatenate([p, quaternion], axis=-1)
        if shape.kind == "exponential":
            return np.asarray(quaternion_log(quaternion_from_rotation(R)))
        x = np.empty(near.shape)
        for k, c in enumerate(self.coordinates.of_body[shape.body]):
            f = c.function
            y = np.array(f.axis_2) @ (
                R if f.first is shape.second else np.swapaxes(R, -1, -2)
            )  # d_2 in the first frame
            d = np.array(f.axis_1)
            if f.kind == OFFSET:
                x[..., k] = p @ d
            elif f.kind == TURN:
                phi = c.sign * np.arctan2(y @ np.cross(d, f.side_1), y @ np.array(f.side_1)) + c.start
                x[..., k] = phi + 2.0 * np.pi * np.round((near[..., k] - phi) / (2.0 * np.pi))
            else:  # ANGLE
                x[..., k] = c.sign * np.arctan2(np.linalg.norm(np.cross(d, y), axis=-1), y @ d) + c.start
        return x

    # ------------------------------------------------------------------------------------------------------------- forces

    def forces(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Convert joint forces to wrenches on free bodies, ``(..., 6 n)``: one on each body, and its opposite on the parent.

        Args:
            q: of the old world, ``(..., nq)``.
            tau: joint forces, ``(..., nv)``; N m or N.

        Returns:
            ``tau_max`` with ``tau = J^T tau_max``, wrenches in body coordinates.
        """
        model = self.source.model
        q, tau = as_numbers("Maximal.forces", "q", q), as_numbers("Maximal.forces", "tau", tau)
        T = forward_kinematics(model, q)
        if tau.shape[-1:] != (model.nv,):
            raise ArgumentValueError(f"Maximal.forces: tau has shape {tau.shape}, expected (..., {model.nv})")
        pairs = self.pairs(q, tau)
        total = pairs.copy()
        for b, shape in self.shapes.items():
            if shape.parent >= 0:
                E, r = self.step(shape, T)
                n, f = (np.einsum("...ji,...j->...i", E, part) for part in (pairs[..., b, :3], pairs[..., b, 3:]))
                total[..., shape.parent, :] -= np.concatenate([n + np.cross(r, f), f], axis=-1)
        return np.asarray(total.reshape(*total.shape[:-2], -1))

    def control(self, tau: ArrayLike) -> Array | Callable[[float, Array, Array], Array]:
        """Convert constant joint forces of the old world to ``control`` of the maximal world's ``simulate``.

        About and along an axis that is fixed in both bodies the wrenches are constant in both: of such joints this is an
        array, and steps stay in compiled code. Where a force is on a joint whose axes turn against a body (universal and
        spherical joints, Euler angles), it is a function, which is called in each step.

        Args:
            tau: joint forces, ``(..., nv)``; N m or N.

        Raises:
            ValueError: a shape does not fit, or a number is not finite.
            TypeError: something is not an array of real numbers.

        Example:
            >>> from pluecker.articulated import ModelBuilder
            >>> from pluecker.contact import World
            >>> arm = ModelBuilder()
            >>> arm.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
            >>> arm.add_joint("pin", "revolute", "world", "arm", axis=(0, 0, 1))
            >>> World(arm.build()).maximal().control([2.0])
            array([0., 0., 2., 0., 0., 0.])
        """
        forces = as_numbers("Maximal.control", "tau", tau)
        if forces.shape[-1:] != (self.source.model.nv,):
            raise ArgumentValueError(
                f"Maximal.control: tau has shape {forces.shape}, expected (..., {self.source.model.nv})"
            )
        if not np.isfinite(forces).all():
            raise ArgumentValueError(f"Maximal.control: tau is {shown(tau)}, expected finite numbers")
        if all(
            shape.kind in ONE_AXIS
            or (kept(shape) and shape.parent < 0)
            or not forces[..., shape.joint.v_start : shape.joint.v_start + shape.nv].any()
            for shape in self.shapes.values()
            if shape.joint.mimic is None
        ):
            return self.forces(self.reference, forces)

        def control(time: float, q: Array, v: Array) -> Array:
            """Compute the wrenches at that state"""
            return self.forces(self.back(q, v)[0], forces)

        return control

    def pairs(self, q: Array, tau: Array) -> Array:
        """Compute the wrenches D tau of the joints on the bodies that they carry, body coordinates,
        ``(..., n_bodies, 6)``.
        """
        batch = np.broadcast_shapes(q.shape[:-1], tau.shape[:-1])
        pairs = np.zeros((*batch, self.source.model.n_bodies, 6))
        for b, shape in self.shapes.items():
            if shape.joint.mimic is None:
                own = tau[..., shape.joint.v_start : shape.joint.v_start + shape.nv]
                pairs[..., b, :] = np.einsum("...ij,...j->...i", shape.duals(shape.numbers(q)), own)
        return pairs

    def reactions(
        self, q: ArrayLike, v: ArrayLike, accelerated: ConstrainedAcceleration, tau: ArrayLike | None = None
    ) -> Array:
        """Compute the wrench through the joint that carries each body, as :func:`~pluecker.articulated.joint_forces` has it.

        All that acts between body and parent is in it: what the bearings carry, the joint's own force, springs, rotors.

        Args:
            q, v: of the maximal world, ``(..., 7 n)`` and ``(..., 6 n)``, as :meth:`state` gives them.
            accelerated: what the maximal world's ``accelerations`` gave there.
            tau: the joint forces of the old world that act, ``(..., nv)``; none if None.

        Returns:
            ``(..., n_bodies, 6)``, in body coordinates, from the parent to the body.

        Raises:
            ValueError: a shape does not fit, as that of a state of the old world.
            TypeError: something is not an array of real numbers.
        """
        n, nv = self.source.model.n_bodies, self.source.model.nv
        given = (
            ("q", q, 7 * n, "of the maximal world"),
            ("v", v, 6 * n, "of the maximal world"),
            ("tau", np.zeros(nv) if tau is None else tau, nv, "of the old world"),
            ("accelerated.forces", getattr(accelerated, "forces", ()), self.world.n_rows, "of the maximal world"),
            ("accelerated.acceleration", getattr(accelerated, "acceleration", ()), 6 * n, "of the maximal world"),
        )
        arrays = []
        for name, value, size, whose in given:
            arrays.append(as_numbers("Maximal.reactions", name, value))
            if arrays[-1].shape[-1:] != (size,):
                raise ArgumentValueError(
                    f"Maximal.reactions: {name} has shape {arrays[-1].shape}, expected (..., {size}), {whose}"
                )
        q_max, v_max, forces, row_forces, acceleration = arrays
        q_old, _ = self.back(q_max, v_max)
        total = body_wrenches(self.world, q_max, row_forces, self.receivers) + self.pairs(q_old, forces)
        passive = passive_force(self.world.smooth, q_max, v_max) + self.world.model.armature * acceleration
        own = self.forces_on_coordinates(row_forces)
        for b, shape in self.shapes.items():
            if kept(shape):
                total[..., b, :] += (own - passive)[..., 6 * b : 6 * b + 6]
        return total

    def forces_on_coordinates(self, row_forces: Array) -> Array:
        """Compute forces of rows on the velocities of free bodies, ``(..., 6 n)``: of friction, and of couplings
        of these.
        """
        along = function_forces(self.world, row_forces)
        total = np.zeros((*along.shape[:-1], self.world.model.nv))
        for k, f in enumerate(f for part in self.world.parts for f in part.functions):
            if f.kind == COORDINATE:
                total[..., f.coordinate] += along[..., k]
        return total

    def determined(self, q: ArrayLike) -> Determination:
        """Find which forces and reactions the motion determines, of the maximal world; ``q`` is of the old one, ``(nq,)``.

        ``reactions`` says it of the joints of the old world, as :meth:`reactions` gives them.
        """
        q_max, _ = self.state(q, np.zeros(self.source.model.nv))
        found = find_determination(self.world, q_max)
        known = np.ones(len(self.shapes), dtype=bool)
        if found.redundancy:
            many = np.broadcast_to(q_max, (found.redundancy, len(q_max)))
            through = body_wrenches(self.world, many, found.free.T, self.receivers)
            through += self.forces_on_coordinates(found.free.T).reshape(through.shape)
            known = np.abs(through).max(axis=(0, 2)) <= RANK * largest_wrench(self.world, q_max, found.free.T)
        return replace(found, reactions=known)

    @property
    def receivers(self) -> list[tuple[int, ...]]:
        """Bodies that receive each function of the maximal world: the one whose joint it belongs to, if there is one."""
        owners: list[tuple[int, ...]] = []
        for constraint, part in zip(self.world.constraints, self.world.parts, strict=False):
            own = getattr(constraint, "owners", None)
            owners += [(b,) for b in own] if own is not None else [()] * len(part.functions)
        return owners + [()] * (self.world.packed.n_functions - len(owners))


def moved(E: Array, r: Array, twist: Array) -> Array:
    """Transform a twist to the coordinates of another body, X v."""
    w, u = twist[..., :3], twist[..., 3:]
    parts = w, u + np.cross(w, r)
    return np.concatenate([np.einsum("...ij,...j->...i", E, part) for part in parts], axis=-1)
